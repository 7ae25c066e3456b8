"""What statistics know of attacks besides resampling: the share of presentations that went wrong, by subject.

Conventions: a rate of presentations is that of one population, the worst species or bona fide ones; where it is known
whom they are of, trials of one person are taken together. What is made of two populations (RIAPAR, ACER) is resampled:
people where all are known, else every population by itself, trials taken as independent.

BPCER where APCER is held down is uncertain twice: by the bona fide presentations, and by the threshold, which the
attacks fix. The numbers of errors that are compatible with the target say between which thresholds each species has it
(see `few_errors`), and the threshold of all is the strictest of theirs: it lies above the highest of the lower ends,
which hold together (Bonferroni), and below the highest of the upper ends. So it is with APCER where BPCER is held down.
On a system the threshold of an FMR is taken as given.

Holds `AttackStatistics` and `presentation_interval`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.measures.attacks import worst_row
from bertillon.measures.base import Measure, Result
from bertillon.measures.operating_point import Target
from bertillon.measures.plans import AtTarget, Proportion
from bertillon.stats.dependent_rate import MATED
from bertillon.stats.few_errors import RULE_OF_3, compatible_errors, joint_ends
from bertillon.stats.interval import Interval
from bertillon.stats.kinds import Statistics, register_statistics
from bertillon.stats.resampling import Draw, Purpose, RowResampler
from bertillon.stats.shared_people import interval_by_subject, rate_by_subject
from bertillon.trials.attack_set import Presentations


def presentation_interval(presentations: Presentations, wrong: NDArray[np.bool_], level: float) -> Interval:
    """The interval of the share of presentations that went wrong: by subject where these are known."""
    return interval_by_subject(presentations.subject if wrong.size else None, wrong, level)


def _independent_share(presentations: Presentations, rate: float) -> float:
    """Which part of some presentations counts as independent at such a rate."""
    if presentations.subject is None:
        return 1.0
    alone = rate_by_subject(presentations.subject, np.zeros(len(presentations.subject), dtype=bool))
    return 1.0 / alone.sharing.design_effect(rate, MATED)


class AttackResampler(RowResampler):
    """Attacks and those who do not attack; where people are not known, drawn from each population by itself."""

    def read_block(self, measures: Sequence[Measure], draw: Draw) -> FloatArray:
        if not self.naive or draw.scheme != "multinomial":
            return super().read_block(measures, draw)
        rows = [self.read(measures, self._drawn(stream)) for stream in draw.streams(Purpose.UNITS)]
        return np.array(rows).reshape(len(draw.resamples), len(measures), 2)

    def read(self, measures: Sequence[Measure], weights: IntArray) -> FloatArray:
        try:
            return super().read(measures, weights)
        except InputError:  # in such a resample nobody attacked, or nothing was classified
            return np.full((len(measures), 2), np.nan)

    def _drawn(self, stream: np.random.Generator) -> IntArray:
        sizes = self.trials.population_sizes
        return np.concatenate([np.bincount(stream.integers(n, size=n), minlength=n) for n in sizes if n])


class AttackStatistics(Statistics):
    """Statistics of attacks on a system, and on a detector."""

    def resampler(self, measures: Sequence[Measure], *, alone: bool = False) -> AttackResampler:
        return AttackResampler(self.trials, self.settings.scheme)

    def by_formula(self, measure: Measure, result: Result, level: float) -> Interval | None:
        """The same, and one error of a detector where the other is held down."""
        plan = measure.interval(result)
        return (
            self.at_target(plan, result, level)
            if isinstance(plan, AtTarget)
            else super().by_formula(measure, result, level)
        )

    def of_trials(self, plan: Proportion, result: Result, level: float) -> Interval | None:
        """Of the worst of the populations that the outcome is about."""
        return self._of_worst(plan.outcome, result.threshold, level)

    def at_target(self, plan: AtTarget, result: Result, level: float) -> Interval:
        """From the interval at the threshold that was found, and from the thresholds that may have the target."""
        own = self._of_worst(plan.outcome, result.threshold, level)
        if math.isnan(own.low):
            return own
        lowest, highest = self._between(plan.target, level)
        ends = joint_ends(result.value, (own.low, lowest), (own.high, highest))
        return Interval.bounded(ends, say("method.bounds_threshold"), own, own.reason)

    def _between(self, target: Target, level: float) -> tuple[float, float]:
        """The rate that is free at the most permissive and at the strictest threshold that may have the target."""
        tally = self.trials.count()
        fixing = [(tally.genuine, self.trials.bona_fide.responses())]
        if not target.mated:
            fixing = list(zip(tally.species, self.trials.judged, strict=True))
        known = [(population, whose) for population, whose in fixing if population.trials]
        together, rows, unknown = 1.0 - (1.0 - level) / len(known), [], False
        for population, presentations in known:
            n, share = population.trials, _independent_share(presentations, target.error)
            passed = population.accepted(tally.thresholds)
            most = compatible_errors(target.error, n, share, together)[1]
            least = compatible_errors(target.error, n, share, level)[0]
            kept = [np.flatnonzero((n - passed if target.mated else passed) <= errors) for errors in (most, least)]
            rows.append([int(own[-1 if target.mated else 0]) for own in kept])
            unknown |= least == 0 and target.error * n * share < RULE_OF_3
        free = tally.worst if target.mated else tally.rejected
        lowest, highest = (float(free[max(ends)]) for ends in zip(*rows, strict=True))
        return lowest, 1.0 if unknown else highest

    def _of_worst(self, outcome: Hashable, threshold: float | None, level: float) -> Interval:
        every = self._wrong(outcome, threshold)
        shares = [Result.share(int(np.count_nonzero(wrong)), wrong.size) for _, wrong in every]
        return presentation_interval(*every[worst_row(shares)], level)

    def _wrong(self, outcome: Hashable, threshold: float | None) -> list[tuple[Presentations, NDArray[np.bool_]]]:
        """Which presentations went wrong, population by population (see `measures.attacks`)."""
        trials = self.trials
        if threshold is None:
            silent = trials.attacks.species if outcome == "attacks" else [trials.bona_fide]
            return [(presentations, np.isnan(presentations.scores)) for presentations in silent]
        if outcome == "attacks":
            return [(species, trials.rule.accepts(species.scores, threshold)) for species in trials.judged]
        bona_fide = trials.bona_fide.responses()
        return [(bona_fide, ~trials.rule.accepts(bona_fide.scores, threshold))]


for _kind in ("attacks", "attack-detection"):
    register_statistics(_kind, AttackStatistics)
