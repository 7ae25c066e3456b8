"""Bands of the curves of a classifier: ROC, DET, precision by recall, and the reliability diagram.

Conventions: samples are taken as independent, or by group where the settings say so. Precision is held at a recall: the
precision of the strictest threshold with at least that recall. A bin of a reliability diagram is a proportion with a
formula of its own; a simultaneous band over m bins has intervals of level^(1/m) each (Sidak), which is exact for
independent bins and enough for dependent ones. Weighted samples count as (sum w)^2 / sum w^2 independent ones (Kish)
wherever a formula asks how many there are.

Holds `pr_band`, `reliability_band` and `class_det_band`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.counting.error_counts import BinaryCounts, FloatArray
from bertillon.measures.base import Measure
from bertillon.measures.classification.calibration import BINS
from bertillon.measures.classification.rates import ClassRate
from bertillon.measures.operating_point import OperatingPoint
from bertillon.stats.bands.along import SampledCurve, band_along, band_kind, rates_grid
from bertillon.stats.bands.scores import det_band
from bertillon.stats.dependence.shared_people import rate_by_subject
from bertillon.stats.intervals.few_errors import RULE_OF_3
from bertillon.stats.intervals.of_precision import kish
from bertillon.stats.kinds import statistics_of
from bertillon.stats.proportion import proportions
from bertillon.stats.resampling.classes import ClassResampler, Count, known_groups
from bertillon.stats.settings import Settings
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions
from bertillon.trials.score_set import ScoreSet, TrialIds

STEPS = 50  # of the usual grid of recalls
_Along = Callable[[BinaryCounts, FloatArray], FloatArray]
_Places = tuple[FloatArray, list[ClassRate], _Along]  # grid, measures, all at once


def pr_band(
    predictions: Predictions,
    grid: ArrayLike | None = None,
    *,
    settings: Settings | None = None,
    kind: Kind = "pointwise",
) -> Band:
    """The band of precision over a grid of recalls; the usual grid leaves three positives out at either end.

    >>> truth, scores = [1] * 40 + [0] * 60, [*range(30, 70), *range(60)]
    >>> band = pr_band(Predictions.from_scores(truth, scores), [0.5], settings=Settings(resamples=200))
    >>> bool(band.low[0] < 20 / 30 < band.high[0])
    True
    """
    asked = settings or Settings()
    _require_ranked(predictions)
    recalls = _recalls(int(np.count_nonzero(predictions.truth == predictions.positive_code)))
    recalls = recalls if grid is None else rates_grid(grid, 1, "recalls")
    measures = [ClassRate("Precision", point=OperatingPoint("Recall", recall)) for recall in recalls.tolist()]
    return _resampled_band(predictions, (recalls, measures, _precision), 0, settings=asked, kind=kind)


def class_det_band(predictions: Predictions, grid: ArrayLike | None = None, *, settings: Settings, kind: Kind) -> Band:
    """The band of the false negative rate over a grid of false positive rates."""
    _require_ranked(predictions)
    own = predictions.truth == predictions.positive_code
    if predictions.weights is None:
        asked = replace(settings, by_group=False)  # groups are the subjects of these scores
        return det_band(_as_scores(predictions, own, settings), grid, settings=asked, kind=kind)
    rates = rates_grid(grid, int(np.count_nonzero(~own)), "false positive rates")
    measures = [ClassRate("FNR", point=OperatingPoint("FPR", rate)) for rate in rates.tolist()]
    return _resampled_band(predictions, (rates, measures, _miss_rate), -1, settings=settings, kind=kind)


def reliability_band(
    predictions: Predictions, bins: int = BINS, *, settings: Settings | None = None, kind: Kind = "pointwise"
) -> Band:
    """The band of the share that came true in each filled bin of equal width, at its mean probability."""
    asked = settings or Settings()
    band_kind(kind)
    tally = ClassTally(predictions)
    if tally.why_not_probable:
        raise InputError(f"no band of reliability: {tally.why_not_probable}")
    promised, hit = _judged(tally)
    weights = np.ones(hit.size) if predictions.weights is None else predictions.weights
    bin_index = np.clip(np.searchsorted(np.linspace(0.0, 1.0, bins + 1), promised) - 1, 0, bins - 1)
    count, squares = (np.bincount(bin_index, w, minlength=bins).astype(np.float64) for w in (weights, weights**2))
    filled = np.flatnonzero(count > 0)
    level = asked.level ** (1.0 / filled.size) if kind == "simultaneous" else asked.level
    if asked.by_group:
        low, high = _by_group(known_groups(predictions), hit, [bin_index == filled_bin for filled_bin in filled], level)
    else:
        effective = kish(count, squares)[filled]
        share = np.bincount(bin_index, weights * hit, minlength=bins)[filled] / count[filled]
        low, high = proportions(np.minimum(share, 1.0) * effective, effective, level=level)
    mean = np.bincount(bin_index, weights * promised, minlength=bins)[filled] / count[filled]
    return Band(mean, low, high, level=asked.level, kind=kind)


class _CurveResampler(ClassResampler):
    """A curve at all its places from one sweep over the thresholds of a resample."""

    def __init__(self, predictions: Predictions, places: _Places, settings: Settings) -> None:
        self._grid, measures, self._along = places
        super().__init__(predictions, measures, settings, alone=True)

    def _read(self, measures: Sequence[Measure], count: Count) -> FloatArray:
        part = self._parts[0]
        sweep = part.under(count(part), copied=False).points
        seen = np.full((len(measures), 2), np.nan)
        if not sweep.n_mated or not sweep.n_nonmated:
            return seen
        seen[:, 0] = self._along(sweep, self._grid)
        return seen


def _precision(sweep: BinaryCounts, grid: FloatArray) -> FloatArray:
    """At each recall."""
    rows = np.searchsorted(-sweep.recall, -grid, side="right") - 1
    return np.asarray(sweep.precision[np.maximum(rows, 0)])


def _miss_rate(sweep: BinaryCounts, grid: FloatArray) -> FloatArray:
    """At each false positive rate."""
    rows = np.searchsorted(-sweep.fpr, -grid)
    return np.asarray(1.0 - sweep.recall[np.minimum(rows, len(sweep) - 1)])


def _resampled_band(
    predictions: Predictions,
    places: _Places,
    rises: int,
    *,
    settings: Settings,
    kind: Kind,
) -> Band:
    grid, measures, _ = places
    curve = SampledCurve.of(predictions, grid, measures, rises)
    resampler = _CurveResampler(predictions, places, settings)
    return band_along(curve, statistics_of(predictions, settings), resampler, settings=settings, kind=kind)


def _require_ranked(predictions: Predictions) -> None:
    why_not = ClassTally(predictions).why_not_ranked
    if why_not:
        raise InputError(f"no curve and no band: {why_not}")


def _recalls(positives: int) -> FloatArray:
    """Recalls at which the number of positives says where the threshold lies, or their middle."""
    least = min(RULE_OF_3 / positives, 0.5)
    return np.unique(np.linspace(least, 1.0 - least, STEPS))


def _as_scores(predictions: Predictions, own: NDArray[np.bool_], settings: Settings) -> ScoreSet:
    """Positives as mated scores, the others as non-mated ones, each of its group."""
    scores = predictions.positive_scores
    assert scores is not None
    groups = known_groups(predictions) if settings.by_group else None
    ids = [None if groups is None else TrialIds(probe_subject=groups[kind]) for kind in (own, ~own)]
    return ScoreSet(scores[own], scores[~own], mated_ids=ids[0], nonmated_ids=ids[1], name=predictions.name)


def _judged(tally: ClassTally) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The probability of the positive class, or of the favourite, of every sample; and whether it came true."""
    predictions = tally.predictions
    if predictions.positive is not None:
        own = predictions.truth == predictions.positive_code
        return np.asarray(predictions.probability_of(predictions.positive_code)), own
    return tally.rows.top, tally.rows.best == predictions.truth


def _by_group(
    groups: NDArray[Any], hit: NDArray[np.bool_], bins: Sequence[NDArray[np.bool_]], level: float
) -> tuple[FloatArray, FloatArray]:
    intervals = [rate_by_subject(groups[chosen], hit[chosen]).interval(level) for chosen in bins]
    return np.array([interval.low for interval in intervals]), np.array([interval.high for interval in intervals])
