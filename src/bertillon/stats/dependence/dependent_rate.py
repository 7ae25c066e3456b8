"""The interval of an error rate whose trials share people, at a fixed threshold.

A subject who is hard to recognise fails again and again, and one who resembles many is taken for many: errors come in
clusters, and an interval that takes trials as independent is too narrow. From the variance V of the rate p (see
`shared_people`), n_eff = p (1 - p) / V independent trials would be as uncertain. Two intervals are made of it:

    wilson()     as published (Fogliato, Patil and Perona 2023): Wilson's with n_eff; n_eff is the number of trials
                 where no error or no success was seen; the lower end is -ln(level) / trials for one error.
    interval()   ours, and the one to use: the same with Student's t in place of the normal, since V rests on the few
                 people who err: as many degrees of freedom as people carry the variance, (sum s)^2 / sum s^2 of the
                 squares s that make it (Satterthwaite), at least 3 and at most people - 1. n_eff is at most the number
                 of trials: errors that seem to avoid each other are luck.

Without an error nothing is known of how errors cluster, and three bounds are possible. 3 / trials takes all trials as
independent; simulated people with strong effects break it. A bound that holds whatever the dependence is 3 / (trials
that share nobody, one for each subject or one for two people): hundreds of times larger for comparisons, and it would
fall a hundredfold with the first error seen. `interval()` stands between: n_eff for the correlation that errors have,
at the bound itself, when 0.3 (mated) or 0.2 (non-mated) of a score's variance belongs to a person. Where people weigh
twice as much as that it still covers 90 % (simulated in the tests).

Holds `DependentRate` and `carriers_of`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message, Value, say
from bertillon.measures.base import NO_TRIALS
from bertillon.stats.dependence.correlation import PersonSharing
from bertillon.stats.interval import LEVEL, NO_ERROR, ONLY_ERRORS, Interval
from bertillon.stats.proportion import normal_quantile, tail_of, wilson_ends

LEAST_FREEDOM = 3  # Student's t with fewer degrees is wider than any simulation asks for
_ALONE = {
    "subject": say("reason.one_subject"),
    "pair": say("reason.no_disjoint_pairs"),
    "sample": say("reason.one_sample"),
    "pair of samples": say("reason.no_disjoint_samples"),
}
_UNITS = {
    "subject": say("unit.subjects"),
    "pair": say("unit.subject_pairs"),
    "sample": say("unit.samples"),
    "pair of samples": say("unit.sample_pairs"),
}
_OF_SAMPLES = {"subject": "sample", "pair": "pair of samples"}
_LAWS = {"normal": say("method.normal"), "student": say("method.student")}
_MIRRORED = {"both": "both", "upper": "lower", "lower": "upper"}


@dataclass(frozen=True, slots=True)
class DependentRate:
    """An error rate, its variance, and what the trials share."""

    errors: int
    trials: int
    people: int
    unit: str  # "subject" or "pair" (of people); "sample" or "pair of samples"; of another kind of trial its column
    variance: float  # of the rate
    carriers: float  # how many people carry the variance
    disjoint: int  # how many trials, at least, share nobody
    sharing: PersonSharing
    correlation: float  # of scores that share a person, assumed where no error says anything

    @property
    def value(self) -> float:
        """The rate itself."""
        return self.errors / self.trials if self.trials else math.nan

    def of_samples(self) -> DependentRate:
        """The same of samples in place of people."""
        return replace(self, unit=_OF_SAMPLES[self.unit])

    def of_units(self, name: str) -> DependentRate:
        """The same of units that another kind of trial gives a name to, such as the column that holds their ids."""
        return replace(self, unit=name)

    @property
    def effective_trials(self) -> float:
        """How many independent trials would have the same variance; all of them where no variance was seen."""
        return self.value * (1.0 - self.value) / self.variance if self.variance > 0.0 else float(self.trials)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the variance."""
        return min(max(self.carriers, LEAST_FREEDOM), self.people - 1)

    def interval(self, level: float = LEVEL, side: str = "both") -> Interval:
        """Wilson's interval with effective trials and Student's t; a bound where no error, or no success, was seen."""
        tail = tail_of(level, side)
        if self._unknown:
            return Interval.undefined(self._unknown, level)
        if self.errors in (0, self.trials):
            return self._bound(level, side)
        from scipy.special import stdtrit

        quantile = -float(stdtrit(self.freedom, tail))
        return self._wilson(quantile, min(self.effective_trials, self.trials), level, side, "student")

    def wilson(self, level: float = LEVEL, side: str = "both") -> Interval:
        """Wilson's interval with effective trials, by the rules as published."""
        quantile = normal_quantile(tail_of(level, side))
        if not self.trials:
            return Interval.undefined(NO_TRIALS, level)
        return self._wilson(quantile, self.effective_trials, level, side, "normal")

    def _bound(self, level: float, side: str) -> Interval:
        side = _MIRRORED[side] if self.errors else side
        if side == "lower":  # of a rate that was never seen: nothing above 0 is shown
            high, effective = 1.0, float(self.trials)
        else:
            high, effective = self.sharing.bound_without_errors(level, self.correlation, side)
        low, high = (1.0 - high, 1.0) if self.errors else (0.0, high)
        values: dict[str, Value] = {"seen": self._seen, "trials": effective, "correlation": self.correlation}
        usual = self.unit in _UNITS
        reason = say("reason.effective", **values) if usual else say("reason.effective_units", unit=self.unit, **values)
        return Interval(low, high, level, say("method.exact_assumed"), reason=reason)

    def _wilson(self, quantile: float, effective: float, level: float, side: str, law: str) -> Interval:
        ends = wilson_ends(np.array(self.value), np.array(effective), quantile)
        low, high = (min(max(float(end), 0.0), 1.0) for end in ends)
        least = -math.log(level) / self.trials
        if self.errors == 1:
            low = least if law == "normal" else min(low, least)
        if self.errors == self.trials - 1:
            high = 1.0 - least if law == "normal" else max(high, 1.0 - least)
        low = 0.0 if side == "upper" or not self.errors else low
        high = 1.0 if side == "lower" or self.errors == self.trials else high
        return Interval(
            low, high, level, say("method.wilson_effective", unit=_UNITS.get(self.unit, self.unit), law=_LAWS[law])
        )

    @property
    def _unknown(self) -> Message | None:
        if not self.trials:
            return NO_TRIALS
        return None if self.disjoint > 1 else _ALONE.get(self.unit) or say("reason.one_unit", unit=self.unit)

    @property
    def _seen(self) -> Message:
        return ONLY_ERRORS if self.errors else NO_ERROR


def carriers_of(squares: NDArray[np.float64]) -> float:
    """How many people carry a variance that is made of these squares."""
    fourth = float((squares * squares).sum())
    return float(squares.sum()) ** 2 / fourth if fourth > 0.0 else math.inf
