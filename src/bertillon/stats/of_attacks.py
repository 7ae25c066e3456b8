"""What statistics know of attacks besides resampling: the share of presentations that went wrong, by subject.

Conventions: a rate of presentations is that of one population, the worst species or bona fide ones; where it is known
whom they are of, trials of one person are taken together. What is made of two populations (RIAPAR, ACER) is resampled:
people where all are known, else every population by itself, trials taken as independent.

Holds `AttackStatistics` and `presentation_interval`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.measures.attacks import worst_row
from bertillon.measures.base import Measure, Result
from bertillon.measures.plans import Proportion
from bertillon.stats.interval import Interval
from bertillon.stats.kinds import Statistics, register_statistics
from bertillon.stats.proportion import independent
from bertillon.stats.resampling import Draw, Purpose, RowResampler
from bertillon.stats.shared_people import rate_by_subject
from bertillon.trials.attack_set import Presentations


def presentation_interval(presentations: Presentations, wrong: NDArray[np.bool_], level: float) -> Interval:
    """The interval of the share of presentations that went wrong: by subject where these are known."""
    if presentations.subject is None or not wrong.size:
        return independent(int(np.count_nonzero(wrong)), wrong.size, level)
    return rate_by_subject(presentations.subject, wrong).interval(level)


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

    def of_trials(self, plan: Proportion, result: Result, level: float) -> Interval | None:
        """Of the worst of the populations that the outcome is about."""
        every = self._wrong(plan.outcome, result.threshold)
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
