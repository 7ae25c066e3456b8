"""The interval of an error rate whose trials share people, at a fixed threshold.

A subject who is hard to recognise fails again and again, and one who resembles many is taken for many: errors come in
clusters, and an interval that takes trials as independent is too narrow. From the variance V of the rate p (see
`shared_people`), n_eff = p (1 - p) / V independent trials would be as uncertain. Two intervals are made of it:

    wilson()     as published (Fogliato, Patil and Perona 2023): Wilson's with n_eff; n_eff is the number of trials
                 where no error or no success was seen; the lower end is -ln(level) / trials for one error.
    interval()   ours, and the one to use: the same with Student's t in place of the normal, since V rests on the few
                 people who err: as many degrees of freedom as people carry the variance, (sum s)^2 / sum s^2 of the
                 squares s that make it (Satterthwaite), at least 3 and at most people - 1. n_eff is at most the number
                 of trials: errors that seem to avoid each other are luck. V is measured from the rate of the same k
                 people and is too small by what that follows them: it is taken k / (k - 1) times, of pairs of people
                 k / (k - 2) times. Each of these is on the safe side, so it claims at least its level: of simulated
                 people 95 to 99 % of such intervals hold the true rate.

Without an error nothing is known of how errors cluster, and three bounds are possible. 3 / trials takes all trials as
independent; simulated people with strong effects break it. A bound that holds whatever the dependence is 3 / (trials
that share nobody, one for each subject or one for two people): hundreds of times larger for comparisons, and it would
fall a hundredfold with the first error seen. `interval()` stands between: n_eff for the correlation that errors have,
at the bound itself, when 0.3 (mated) or 0.2 (non-mated) of a score's variance belongs to a person. Where people weigh
twice as much as that it still covers 90 % (simulated in the tests).

Errors, being scores past a threshold, correlate less than scores do, and the less the rarer they are. For normal scores

    correlation of errors = 1 - 2 T(h, sqrt((1 - r) / (1 + r))) / (p (1 - p)),    p = P(score > h)

with Owen's T function and r the correlation of scores, the share of variance that belongs to the person. The variance
of a rate is that of independent trials times the design effect: 1 + the sum of a trial's correlations with the others,
averaged over trials.

Holds `DependentRate`; `error_correlation` and `PersonSharing`, which counts trials that share people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Value, say
from bertillon.measures.base import NO_TRIALS
from bertillon.stats.ends import LEAST_FREEDOM
from bertillon.stats.interval import (
    LEVEL,
    MIRRORED,
    NO_ERROR,
    ONLY_ERRORS,
    Interval,
    normal_quantile,
    proportion,
    tail_of,
    wilson_ends,
)

MATED = 0.3  # of two mated scores of one person, where the data cannot say; the goats of simulated scores
NONMATED = 0.2  # of two non-mated scores that share one of their two people; their lambs and wolves
NEXT_TO_NONE = 1e-12  # effective trials
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


def error_correlation(rate: float, score_correlation: float) -> float:
    """The correlation of two errors, each of this rate, whose normal scores correlate so.

    >>> [round(error_correlation(rate, 0.3), 4) for rate in (0.1, 0.01, 0.0001)]
    [0.1291, 0.0461, 0.004]
    """
    if not 0.0 < rate < 1.0:
        return 0.0  # errors that never or always happen do not vary
    from scipy.special import owens_t

    height = normal_quantile(rate)
    slope = math.sqrt((1.0 - score_correlation) / (1.0 + score_correlation))
    return max(0.0, 1.0 - 2.0 * float(owens_t(height, slope)) / (rate * (1.0 - rate)))


def check_correlation(value: float, *, most: float) -> float:
    """A correlation of scores lies between 0 and what the model of scores allows."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= most:
        wanted = f"the share of a score's variance that belongs to a person, 0 to {most:g}"
        raise InputError(f"correlation is {value!r}; expected {wanted}")
    return float(value)


@dataclass(frozen=True, slots=True)
class PersonSharing:
    """How many trials there are, and how many ordered pairs of different trials share one person, or both people."""

    trials: int
    one_shared: int
    both_shared: int = 0

    def design_effect(self, rate: float, score_correlation: float) -> float:
        """How many times the variance of independent trials; 1 where no trials share people.

        >>> round(PersonSharing(trials=1000, one_shared=9000).design_effect(0.01, 0.3), 4)
        1.4148
        """
        first = error_correlation(rate, score_correlation) if self.one_shared else 0.0
        second = error_correlation(rate, min(2.0 * score_correlation, 1.0)) if self.both_shared else 0.0
        return 1.0 + (self.one_shared * first + self.both_shared * second) / self.trials

    def bound_without_errors(self, level: float, score_correlation: float, side: str = "both") -> tuple[float, float]:
        """What no error leaves possible: the rate, and how many independent trials stand behind it.

        The correlation of errors depends on the rate that is sought, so both are found together: from the rate of
        independent trials upwards until neither changes.
        """
        effective, before, high = float(self.trials), 0.0, proportion(0, self.trials, level=level, side=side).high
        while high > before * (1.0 + 1e-9):
            effective = self.trials / self.design_effect(high, score_correlation)
            before, high = high, proportion(0, effective, level=level, side=side).high
        return high, effective


@dataclass(frozen=True, slots=True)
class DependentRate:
    """An error rate, its variance, and what the trials share.

    Parameters
    ----------
    errors, trials
        What the rate is made of.
    people, unit
        Who is behind them, and what is counted as one: "subject" or "pair" (of people); "sample" or "pair of samples";
        of another kind of trial its column.
    variance, carriers
        Of the rate, and how many people carry it.
    disjoint
        How many trials, at least, share nobody.
    sharing, correlation
        How often trials share a person, and the correlation of such scores, assumed where no error says anything.
    """

    errors: int
    trials: int
    people: int
    unit: str
    variance: float
    carriers: float
    disjoint: int
    sharing: PersonSharing
    correlation: float

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
        return self._interval(level, side).by_people(self.people if self.unit in _OF_SAMPLES else None)

    def _interval(self, level: float, side: str) -> Interval:
        tail = tail_of(level, side)
        if not self.trials or self.disjoint < 2:
            alone = _ALONE.get(self.unit) or say("reason.one_unit", unit=self.unit)
            return Interval.undefined(alone if self.trials else NO_TRIALS, level)
        if self.errors in (0, self.trials):
            return self._bound(level, side)
        from scipy.special import stdtrit

        quantile = -float(stdtrit(self.freedom, tail))
        effective = self.effective_trials * (1.0 - (2.0 if self.unit.startswith("pair") else 1.0) / self.people)
        effective = max(effective, NEXT_TO_NONE)  # pairs of two people are worth no trial: any rate is possible
        return self._wilson(quantile, min(effective, self.trials), level, side, "student")

    def wilson(self, level: float = LEVEL, side: str = "both") -> Interval:
        """Wilson's interval with effective trials, by the rules as published."""
        quantile = normal_quantile(tail_of(level, side))
        if not self.trials:
            return Interval.undefined(NO_TRIALS, level)
        return self._wilson(quantile, self.effective_trials, level, side, "normal")

    def _bound(self, level: float, side: str) -> Interval:
        asked, side = side, MIRRORED[side] if self.errors else side
        if side == "lower":  # of a rate that was never seen: nothing above 0 is shown
            high, effective = 1.0, float(self.trials)
        else:
            high, effective = self.sharing.bound_without_errors(level, self.correlation, side)
        low, high = (1.0 - high, 1.0) if self.errors else (0.0, high)
        seen = ONLY_ERRORS if self.errors else NO_ERROR
        about: dict[str, Value] = {"seen": seen, "trials": effective, "correlation": self.correlation}
        usual = self.unit in _UNITS
        reason = say("reason.effective", **about) if usual else say("reason.effective_units", unit=self.unit, **about)
        return Interval(low, high, level, say("method.exact_assumed"), reason=reason, claim="at least", side=asked)

    def _wilson(self, quantile: float, effective: float, level: float, side: str, law: str) -> Interval:
        tail = tail_of(level, side)
        ends = wilson_ends(np.array(self.value), np.array(effective), quantile)
        low, high = (min(max(float(end), 0.0), 1.0) for end in ends)
        least = -math.log(level if law == "normal" else 1.0 - tail) / self.trials
        if self.errors == 1:
            low = least if law == "normal" else min(low, least)
        if self.errors == self.trials - 1:
            high = 1.0 - least if law == "normal" else max(high, 1.0 - least)
        low = 0.0 if side == "upper" or not self.errors else low
        high = 1.0 if side == "lower" or self.errors == self.trials else high
        method = say("method.wilson_effective", unit=_UNITS.get(self.unit, self.unit), law=_LAWS[law])
        return Interval(low, high, level, method, claim="at least" if law == "student" else "level", side=side)
