"""What statistics know of 1:1 comparisons besides resampling: rates at a threshold, few errors, tests, bands.

Conventions: thresholds are in the user's units. Mated comparisons belong to one subject, non-mated ones to two; where
one side only is known, to that one; where nobody is known trials are taken as independent, the interval is
Clopper-Pearson's and says that it is naive. A threshold chosen on the same scores makes every rate at it too good.

In bands of ROC and DET the false match rate is held and the other rate varies, with everything that makes
it uncertain: the mated comparisons, and the threshold, which non-mated comparisons fix. As in every figure, the rate at
FMR = x is that of the most permissive threshold with an FMR of at most x. A grid begins at one false match unless
another one is given; below about three of them no comparison says where the threshold lies, and the upper end of the
FNMR is 1.

Holds `ScoreStatistics`; `RatesOfScores`; `rates_at` and its `RatesAt`; `roc_band` and `det_band`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message
from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.counting.error_counts import BinaryCounts, outcomes, outcomes_on
from bertillon.counting.tally import CountedScores
from bertillon.measures.base import Measure, Result
from bertillon.measures.operating_point import OperatingPoint, Target
from bertillon.measures.plans import Failed, Follows, Resample
from bertillon.measures.rates import SCORED, Rate
from bertillon.stats.at_threshold import Measured, Pooled, count_distinct, mean_of_two, sum_of_rates
from bertillon.stats.dependent_rate import MATED, NONMATED, DependentRate, PersonSharing
from bertillon.stats.ends import threshold_of_halves
from bertillon.stats.interval import LEVEL, Interval, Settings, check_level, independent
from bertillon.stats.intervals import band_along, rates_grid
from bertillon.stats.kinds import Statistics, register_statistics, statistics_of
from bertillon.stats.resampled_scores import ScoreResampler
from bertillon.stats.resampling import PartsResampler, Resampler, WholeUnits
from bertillon.stats.shared_people import KeptRoster, Roster, rate_by_subject, roster_of
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


class RatesOfScores:
    """False match and false non-match rates of a score set, or of what is left of one."""

    def __init__(self, scores: ScoreSet | CountedScores, units: Units | None = None) -> None:
        """`units` are who was compared, where that was found out already."""
        self.scores, self._units = scores, units
        self._rosters: dict[bool, Roster | None] = {}
        self._sharing: dict[bool, tuple[PersonSharing, float] | None] = {}

    @cached_property
    def units(self) -> Units:
        """Who was compared."""
        return units_of(self.scores) if self._units is None else self._units

    def interval(self, threshold: float, *, mated: bool, level: float) -> Interval:
        """Of FNMR (mated) or FMR at a threshold."""
        rate = self._rate(threshold, mated=mated)
        if rate is None:
            return independent(*self.counts(threshold, mated=mated), level)
        if not self.units.are_samples:
            return rate.interval(level)
        return replace(rate.of_samples().interval(level), naive=True)

    def distinct(self, low: float, high: float) -> int | None:
        """How many different scores lie between two thresholds; None where they were not kept."""
        if self.scores.form != "whole":
            return None
        return count_distinct(low, high, self.scores.mated, self.scores.nonmated)

    @cached_property
    def pooled(self) -> Pooled | None:
        """The scores of both classes in order; None where they were not kept or are too many."""
        scores = self.scores
        return Pooled.of(scores.mated, scores.nonmated, scores.rule) if scores.form == "whole" else None

    def sharing(self, *, mated: bool) -> tuple[PersonSharing, float] | None:
        """How trials of one kind share people, and the correlation of scores to assume; None where nobody knows."""
        if not mated and self._kept is not None:
            return self._kept.sharing, NONMATED
        if mated not in self._sharing:
            rate = self._rate(np.nan, mated=mated)
            self._sharing[mated] = None if rate is None else (rate.sharing, rate.correlation)
        return self._sharing[mated]

    def _rate(self, threshold: float, *, mated: bool) -> DependentRate | None:
        """The rate with its variance; None where nobody knows who was compared."""
        if not mated and self._kept is not None:
            return self._kept.rate(threshold, self.counts(threshold, mated=False)[0])
        pairs = self.units.mated if mated else self.units.nonmated
        if pairs is None:
            return None
        if mated not in self._rosters:
            self._rosters[mated] = _roster(pairs, self.units.n)
        roster, wrong = self._rosters[mated], _wrong(self.scores, threshold, mated=mated)
        if roster is not None:
            return roster.rate(wrong)
        return rate_by_subject(pairs.first, wrong, correlation=MATED if mated else NONMATED)

    def counts(self, threshold: float, *, mated: bool) -> tuple[int, int]:
        """Errors and trials at a threshold."""
        if self.scores.form != "whole":
            seen = outcomes_on(self.scores.tally.errors, self.scores.rule, threshold)
            wrong = seen.false_nonmatch if mated else seen.false_match
            return wrong, self.scores.tally.errors.n_mated if mated else self.scores.tally.errors.n_nonmated
        errors = _wrong(self.scores, threshold, mated=mated)
        return int(np.count_nonzero(errors)), errors.size

    @cached_property
    def _kept(self) -> KeptRoster | None:
        """Of non-mated comparisons that were counted, some of them with their people."""
        if self.scores.form == "whole" or self.scores.people is None:
            return None
        return KeptRoster(self.scores.people, self.scores.rule, self.scores.tally.errors.n_nonmated)


def _wrong(scores: ScoreSet | CountedScores, threshold: float, *, mated: bool) -> NDArray[np.bool_]:
    if mated:
        return np.asarray(~scores.rule.accepts(scores.mated, threshold))
    assert scores.form == "whole"
    return np.asarray(scores.rule.accepts(scores.nonmated, threshold))


def _roster(pairs: Pairs, always: int) -> Roster | None:
    """Who was compared with whom; None where some comparisons have one side only."""
    if not pairs.second.size or (pairs.second == always).any():
        return None
    return roster_of(pairs.first, pairs.second)


@dataclass(frozen=True, slots=True)
class RatesAt:
    """The error rates at one threshold, in the user's units."""

    threshold: float
    fmr: Measured
    fnmr: Measured
    hter: Measured

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        shown = self.threshold if math.isfinite(self.threshold) else str(self.threshold)
        return {"threshold": shown, "FMR": self.fmr.to_dict(), "FNMR": self.fnmr.to_dict(), "HTER": self.hter.to_dict()}


def rates_at(scores: ScoreSet, threshold: float, *, level: float = LEVEL) -> RatesAt:
    """The error rates of the scores at a threshold, with intervals.

    >>> found = rates_at(ScoreSet([0.9, 0.8, 0.4], [0.1, 0.5, 0.2, 0.3]), 0.5)
    >>> round(found.fnmr.value, 4), found.fmr.value, found.fmr.interval.naive
    (0.3333, 0.25, True)
    """
    check_level(level)
    seen, rates = outcomes(scores, threshold), RatesOfScores(scores)
    false_matches = Result.share(seen.false_match, scores.nonmated.size, threshold)
    false_nonmatches = Result.share(seen.false_nonmatch, scores.mated.size, threshold)
    fmr = Measured(false_matches, rates.interval(threshold, mated=False, level=level))
    fnmr = Measured(false_nonmatches, rates.interval(threshold, mated=True, level=level))
    half = (fmr.value + fnmr.value) / 2
    reason = fmr.result.reason or fnmr.result.reason
    hter = mean_of_two(fmr.value, fmr.interval, fnmr.value, fnmr.interval)
    return RatesAt(threshold, fmr, fnmr, Measured(Result(half, threshold, reason=reason), hter))


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
