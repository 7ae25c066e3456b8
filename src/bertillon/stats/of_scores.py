"""What statistics know of 1:1 comparisons besides resampling: proportions, bounds where errors are few, tests, bands.

Conventions: in bands of ROC and DET the false match rate is held and the other rate varies, with everything that makes
it uncertain: the mated comparisons, and the threshold, which non-mated comparisons fix. As in every figure, the rate at
FMR = x is that of the most permissive threshold with an FMR of at most x. A grid begins at one false match unless
another one is given; below about three of them no comparison says where the threshold lies, and the upper end of the
FNMR is 1.

Holds `ScoreStatistics`; `roc_band` and `det_band`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message
from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tally import CountedScores
from bertillon.measures.base import Measure, Result
from bertillon.measures.operating_point import OperatingPoint
from bertillon.measures.plans import Failed, Follows, Resample, Target
from bertillon.measures.rates import SCORED, Rate
from bertillon.stats.at_threshold import RatesOfScores, sum_of_rates
from bertillon.stats.ends import threshold_of_halves
from bertillon.stats.interval import Interval, Settings, independent
from bertillon.stats.intervals import band_along, rates_grid
from bertillon.stats.kinds import Statistics, register_statistics, statistics_of
from bertillon.stats.resampled_parts import PartsResampler, WholeUnits
from bertillon.stats.resampled_scores import ScoreResampler
from bertillon.stats.resampling import Resampler
from bertillon.stats.units import Pairs, Units, units_of
from bertillon.trials.score_set import ScoreSet, TrialIds

if TYPE_CHECKING:
    from bertillon.stats.paired_tests import Check
    from bertillon.trials.predictions import Predictions

Scored: TypeAlias = "ScoreSet | CountedScores | Predictions"
MOST_ROWS = 50_000  # of a class are resampled one by one; of more, each takes others with it, which changes no variance


def roc_band(
    trials: Scored, grid: ArrayLike | None = None, *, settings: Settings | None = None, kind: Kind = "pointwise"
) -> Band:
    """The band of the true match rate (of a classifier: TPR) over a grid of false match rates (FPR).

    >>> from bertillon.trials.simulate import simulate
    >>> scores, truth = simulate("subjects", subjects=50, mated=500, nonmated=5000, rng=2)
    >>> band = roc_band(scores, [0.01, 0.1], settings=Settings(resamples=200))
    >>> bool(band.low[1] < 1.0 - truth.fnmr_at_fmr(0.1) < band.high[1]), str(band.name)
    (True, '95 % band, pointwise')
    """
    return det_band(trials, grid, settings=settings, kind=kind).complement


def det_band(
    trials: Scored, grid: ArrayLike | None = None, *, settings: Settings | None = None, kind: Kind = "pointwise"
) -> Band:
    """The same for the false non-match rate (FNR)."""
    asked = settings or Settings()
    statistics = statistics_of(trials, asked)
    if statistics.bands["det"] is not det_band:
        return statistics.bands["det"](trials, grid, settings=asked, kind=kind)
    rates = rates_grid(grid, _nonmated(trials), "false match rates")
    measures = [Rate("FNMR", OperatingPoint("FMR", rate)) for rate in rates.tolist()]
    return band_along(statistics, rates, measures, kind, rises=-1)


def _nonmated(trials: Scored) -> int:
    """How many non-mated scores there are; there must be some of either kind."""
    mated, nonmated = trials.counts["mated"], trials.counts["nonmated"]
    if not mated or not nonmated:
        kind = "non-mated" if mated else "mated"
        raise InputError(f"{trials.name or 'scores'}: no {kind} scores, so no curve and no band")
    return nonmated


class ScoreStatistics(Statistics):
    """Statistics of verification."""

    bands: ClassVar = {"roc": roc_band, "det": det_band}

    @property
    def people(self) -> int | None:
        units = self._units
        known = units.mated is not None or units.nonmated is not None
        return units.n if known and not units.are_samples else None

    def resampler(self, measures: Sequence[Measure], *, alone: bool = False) -> ScoreResampler:
        staged = self.settings.scheme == "two-stage"
        return ScoreResampler.of(self.trials, measures, units_of(self.trials, "two-stage") if staged else self._units)

    def of_parts(self, rows: Sequence[NDArray[np.bool_]], measures: Sequence[Measure]) -> PartsResampler | None:
        """Comparisons by their rows, the mated ones first; those that belong to nobody are units by themselves."""
        known = units_of(self.trials, "two-stage" if self.settings.scheme == "two-stage" else "multinomial")
        if known.mated is None or known.nonmated is None:
            known = replace(units_of(self.alike(self.trials)[0]), name=known.name, naive=True)
        if known.n < 2:
            return None
        n_mated, made = self.trials.mated.size, []
        for chosen in rows:
            own = replace(
                known, mated=_of(known.mated, chosen[:n_mated]), nonmated=_of(known.nonmated, chosen[n_mated:])
            )
            made.append(ScoreResampler.of(self.trials.select(chosen), measures, own))
        return PartsResampler(made, measures, WholeUnits(known.n, known.name, known.naive, clustered=True))

    def alike(self, other: ScoreSet) -> tuple[ScoreSet, ScoreSet, Message | None]:
        """Comparisons without ids get their rows as ids."""
        first = self.trials
        known = self._units
        unnamed = [kind for kind, pairs in (("mated", known.mated), ("nonmated", known.nonmated)) if pairs is None]
        if not unnamed:
            return first, other, None
        names = np.array([f"row {number}" for number in range(MOST_ROWS)], dtype=object) if len(unnamed) == 1 else None
        rows: dict[str, Any] = {}
        for index, kind in enumerate(unnamed):
            row = np.arange(getattr(first, kind).size) % MOST_ROWS
            rows[f"{kind}_ids"] = TrialIds(row + index * MOST_ROWS if names is None else names[row])
        return replace(first, **rows), replace(other, **rows), known.name

    def checks(self, other: ScoreSet, measures: Sequence[Measure], *, paired: bool) -> tuple[Check, ...]:
        from bertillon.stats.paired_tests import checks_of  # only where systems are compared

        return checks_of(self.trials, other, measures, paired=paired)

    def rates(self, outcome: Hashable) -> RatesOfScores:
        return self._rates

    def with_threshold(self, measure: Measure, result: Result, found: Interval) -> Interval:
        if self.settings.method != "auto" or self._rates.pooled is None or self._units.n < 2:
            return found
        asked = replace(self.settings, level=found.level)
        return replace(found, threshold=threshold_of_halves(self.resampler([measure]), measure, result, asked))

    @cached_property
    def _rates(self) -> RatesOfScores:
        return RatesOfScores(self.trials, self._units)

    @cached_property
    def _units(self) -> Units:
        return units_of(self.trials)

    def curve(self, outcome: Hashable, resampler: Resampler) -> BinaryCounts:
        assert isinstance(resampler, ScoreResampler)
        return resampler.curve

    def follow(self, plan: Follows, value: float, base: Result, interval: Interval) -> Interval:
        """The same for numbers of comparisons, and for rates in which failures count."""
        if plan.counted:
            trials = base.trials or 0
            return replace(interval, low=interval.low * trials, high=interval.high * trials)
        failed, attempts = (0, 0) if plan.failed is None else self._failures(plan.failed)
        if not failed:
            return super().follow(plan, value, base, interval)
        share, own = failed / attempts, independent(failed, attempts, interval.level)
        parts = [(1.0 - share, base.value, interval), (float(plan.add) - base.value, share, own)]
        found = sum_of_rates(value, parts, most=1.0)
        return replace(interval, low=found.low, high=found.high)

    def attempts(self, target: Target, curve: BinaryCounts) -> BinaryCounts:
        """Failures counted in where the target counts them: a mated comparison that failed was rejected."""
        if target.key not in SCORED:
            return curve
        failed, attempts = self._failures(Failed.MATED if target.mated else Failed.NONMATED)
        if not target.mated:
            return replace(curve, n_nonmated=attempts)
        return replace(curve, n_mated=attempts, false_nonmatch=curve.false_nonmatch + failed)

    def _failures(self, which: Failed) -> tuple[int, int]:
        """How many failed, out of how many attempts."""
        failures, counts = self.trials.failures, self.trials.counts
        if which is Failed.ENROLMENTS:
            return failures.enrolments, failures.enrolment_attempts
        failed = failures.mated if which is Failed.MATED else failures.nonmated
        return failed, counts[which.value] + failed

    def without_errors(self, plan: Resample, result: Result, resampler: Resampler, level: float) -> Interval | None:
        """The same, and none where comparisons are too many to resample."""
        if plan.too_many and plan.most is not None and self.trials.n_trials > plan.most:
            return Interval.undefined(plan.too_many, level)
        return super().without_errors(plan, result, resampler, level)


def _of(pairs: Pairs | None, rows: NDArray[np.bool_]) -> Pairs | None:
    return None if pairs is None else Pairs(pairs.first[rows], pairs.second[rows])


register_statistics("verification", ScoreStatistics)
