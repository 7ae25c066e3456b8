"""Error rates at a threshold, with the interval that what is known of the people allows.

Conventions: thresholds are in the user's units. Mated comparisons belong to one subject, non-mated ones to two; where
one side only is known, to that one; where nobody is known trials are taken as independent, the interval is
Clopper-Pearson's and says that it is naive.

Holds `RatesOfScores` and `independent`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bertillon.counting.scores import outcomes_on
from bertillon.counting.tally import CountedScores
from bertillon.stats.dependence.correlation import MATED, NONMATED, PersonSharing
from bertillon.stats.dependence.counted_people import CountedRoster
from bertillon.stats.dependence.dependent_rate import DependentRate
from bertillon.stats.dependence.shared_people import Roster, rate_by_subject, roster_of
from bertillon.stats.interval import Interval
from bertillon.stats.proportion import proportion
from bertillon.stats.resampling.units import Pairs, Units, units_of, units_of_counted
from bertillon.trials.score_set import ScoreSet


def independent(errors: int, trials: int, level: float) -> Interval:
    """The exact interval of trials of which nobody knows whether they are independent."""
    return replace(proportion(errors, trials, level=level), naive=True)


class RatesOfScores:
    """False match and false non-match rates of a score set, or of what is left of one."""

    def __init__(self, scores: ScoreSet | CountedScores) -> None:
        self.scores = scores

    @cached_property
    def units(self) -> Units:
        """Who was compared."""
        return units_of(self.scores) if self.scores.form == "whole" else units_of_counted(self.scores)

    def interval(self, threshold: float, *, mated: bool, level: float) -> Interval:
        """Of FNMR (mated) or FMR at a threshold."""
        rate = self._rate(threshold, mated=mated)
        if rate is None:
            return independent(*self._counts(threshold, mated=mated), level)
        if not self.units.are_samples:
            return rate.interval(level)
        return replace(rate.of_samples().interval(level), naive=True)

    def sharing(self, *, mated: bool) -> tuple[PersonSharing, float] | None:
        """How trials of one kind share people, and the correlation of scores to assume; None where nobody knows."""
        return self._mated_sharing if mated else self._nonmated_sharing

    @cached_property
    def _mated_sharing(self) -> tuple[PersonSharing, float] | None:
        rate = self._rate(np.nan, mated=True)
        return None if rate is None else (rate.sharing, rate.correlation)

    @cached_property
    def _nonmated_sharing(self) -> tuple[PersonSharing, float] | None:
        if self._counted_roster is not None:
            return self._counted_roster.sharing, NONMATED
        rate = self._rate(np.nan, mated=False)
        return None if rate is None else (rate.sharing, rate.correlation)

    def _rate(self, threshold: float, *, mated: bool) -> DependentRate | None:
        """The rate with its variance; None where nobody knows who was compared."""
        if not mated and self._counted_roster is not None:
            return self._counted_roster.rate(threshold)
        pairs = self.units.mated if mated else self.units.nonmated
        if pairs is None:
            return None
        wrong = _wrong(self.scores, threshold, mated=mated)
        roster = self._mated_roster if mated else self._nonmated_roster
        if roster is not None:
            return roster.rate(wrong)
        return rate_by_subject(pairs.first, wrong, correlation=MATED if mated else NONMATED)

    def _counts(self, threshold: float, *, mated: bool) -> tuple[int, int]:
        """Errors and trials."""
        if self.scores.form != "whole":
            seen = outcomes_on(self.scores.tally.errors, self.scores.rule, threshold)
            wrong = seen.false_nonmatch if mated else seen.false_match
            return wrong, self.scores.tally.n_mated if mated else self.scores.tally.n_nonmated
        errors = _wrong(self.scores, threshold, mated=mated)
        return int(np.count_nonzero(errors)), errors.size

    @cached_property
    def _counted_roster(self) -> CountedRoster | None:
        if self.scores.form == "whole" or self.scores.people is None:
            return None
        return CountedRoster(self.scores, self.scores.people)

    @cached_property
    def _mated_roster(self) -> Roster | None:
        return _roster(self.units.mated, self.units.n)

    @cached_property
    def _nonmated_roster(self) -> Roster | None:
        return _roster(self.units.nonmated, self.units.n)


def _wrong(scores: ScoreSet | CountedScores, threshold: float, *, mated: bool) -> NDArray[np.bool_]:
    if mated:
        return np.asarray(~scores.rule.accepts(scores.mated, threshold))
    assert scores.form == "whole"
    return np.asarray(scores.rule.accepts(scores.nonmated, threshold))


def _roster(pairs: Pairs | None, always: int) -> Roster | None:
    """Who was compared with whom; None where some comparisons have one side only."""
    if pairs is None or not pairs.second.size or (pairs.second == always).any():
        return None
    return roster_of(pairs.first, pairs.second)
