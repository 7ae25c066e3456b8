"""Measures read from the curves of a block of resamples, all resamples at once where the measure is a common one.

Conventions: whatever is read here at once is what `Measure.of` says of each resample by itself. On curves that are
monotone a place is found by halving, in all resamples together. A threshold is a cut at which weighted scores stand.

Holds `read`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import row_at
from bertillon.counting.error_counts import FloatArray, IntArray
from bertillon.counting.tally import Need
from bertillon.measures.area import AreaUnderRoc
from bertillon.measures.base import Measure
from bertillon.measures.eer import DEFINITIONS, EqualErrorRate
from bertillon.measures.operating_point import HOW, THRESHOLD, OperatingPoint
from bertillon.measures.rates import KINDS, Rate
from bertillon.measures.separation import Separation
from bertillon.measures.zero import NamedPoint
from bertillon.stats.resampling.cell_tally import CellClass, CellCurves, of_scores

Found = tuple[FloatArray, FloatArray]  # values and oriented thresholds, one a resample


def read(measures: Sequence[Measure], curves: CellCurves) -> FloatArray:
    """Value and threshold (user's units) of each measure in each resample: (resamples, measures, 2)."""
    seen = np.full((curves.size, len(measures), 2), np.nan)
    slow = []
    for column, measure in enumerate(measures):
        values = _at_once(measure, curves)
        if values is None:
            slow.append(column)
            continue
        seen[:, column, 0] = values[0]
        seen[:, column, 1] = curves.rule.factor * values[1] + 0.0
    for resample in range(curves.size if slow else 0):
        tally = curves.tally(resample)
        for column in slow:
            measure = measures[column]
            if Need.SCORES in measure.needs:
                seen[resample, column, 0] = of_scores(measure, tally, curves.counts(resample), curves.cells)
                continue
            result = measure.of(tally)
            threshold = np.nan if result.threshold is None else curves.rule.restore(result.threshold)
            seen[resample, column] = result.value, threshold
    return seen


def _at_once(measure: Measure, curves: CellCurves) -> Found | None:
    """Values and thresholds in all resamples, or None for a measure that is read one by one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(measure, EqualErrorRate) and measure.definition == DEFINITIONS[0]:
            return _equal_error(curves)
        if isinstance(measure, AreaUnderRoc):
            return _area(curves, measure.name)
        if isinstance(measure, Separation):
            return _separation(curves, measure)
        rate = measure.rate if isinstance(measure, NamedPoint) else measure
        if isinstance(rate, Rate) and rate.fta is None and rate.point.how == HOW[0]:
            return _rate(rate, curves)
    return None


def _first(
    holds: Callable[[IntArray], NDArray[np.bool_]], curves: CellCurves, start: IntArray | None = None
) -> IntArray:
    """The first row from `start` where a condition holds that holds ever after; one past the last if it never does."""
    low = np.zeros(curves.size, dtype=np.int64) if start is None else start.copy()
    high = np.full(curves.size, curves.cuts.size + 1)
    while (low < high).any():
        middle = (low + high) >> 1
        there = holds(np.minimum(middle, curves.cuts.size))
        high = np.where((low < high) & there, middle, high)
        low = np.where((low < high) & ~there, middle + 1, low)
    return low


def _at(table: IntArray, rows: IntArray) -> IntArray:
    """The counts of each resample at a row of its own."""
    return np.asarray(table[rows, np.arange(rows.size)])


def _next_occupied(curves: CellCurves, rows: IntArray) -> IntArray:
    """The row itself, or the next one at which weighted scores stand."""

    def passed(row: IntArray) -> IntArray:
        """Scores below a row."""
        return _at(curves.false_nonmatch, row) + curves.n_nonmated - _at(curves.false_match, row)

    before = passed(rows)
    after = _first(lambda row: passed(row) > before, curves, rows)
    return np.minimum(after - 1, curves.cuts.size)


def _thresholds(curves: CellCurves, rows: IntArray) -> FloatArray:
    return np.append(curves.cuts, np.inf)[rows]


def _equal_error(curves: CellCurves) -> Found:
    mated, nonmated = curves.n_mated.astype(np.float64), curves.n_nonmated.astype(np.float64)  # or products wrap round

    def gap(rows: IntArray) -> FloatArray:
        """The sign of FNMR - FMR, which only grows."""
        return _at(curves.false_nonmatch, rows) * nonmated - _at(curves.false_match, rows) * mated

    before = np.maximum(_first(lambda rows: gap(rows) > 0, curves) - 1, 0)
    before = np.minimum(before, curves.cuts.size)
    after = np.minimum(before + 1, curves.cuts.size)
    here = gap(before)
    share = np.where((here == 0) | (before == after), 0.0, -here / (gap(after) - here))
    low, high = (_at(curves.false_match, rows) / curves.n_nonmated for rows in (before, after))
    value = np.where(share == 0.0, low, low + share * (high - low))
    ends = _thresholds(curves, before), _thresholds(curves, _next_occupied(curves, after))
    between = np.where(np.isinf(ends[1]), ends[0], np.where(np.isinf(ends[0]), ends[1], _between(*ends, share)))
    threshold = np.where(share == 0.0, ends[0], between)
    return _where_both(curves, value), _where_both(curves, threshold)


def _between(first: FloatArray, second: FloatArray, share: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        step = second - first
        return np.where(np.isfinite(step), first + share * step, (1.0 - share) * first + share * second)


def _where_both(curves: CellCurves, values: FloatArray) -> FloatArray:
    """NaN where a resample has lost one kind of comparison."""
    return np.where((curves.n_mated > 0) & (curves.n_nonmated > 0), values, np.nan)


def _area(curves: CellCurves, name: str) -> Found:
    above = curves.n_mated - curves.false_nonmatch[1:]
    doubled = np.einsum("cr,cr->r", curves.nonmated, 2 * above + curves.mated, dtype=np.float64)
    area = doubled / (2.0 * curves.n_mated * curves.n_nonmated)
    return area if name == "AUC" else 2 * area - 1, np.full(curves.size, np.nan)


def _rate(rate: Rate, curves: CellCurves) -> Found:
    kind, point = KINDS[rate.kind], rate.point
    failed_mated, failed_nonmated = np.array([[f.mated, f.nonmated] for f in curves.failures]).T
    rows, threshold = _rows_at_point(point, curves, failed_mated, failed_nonmated)
    here = np.clip(rows, 0, curves.cuts.size)
    errors = _at(curves.false_nonmatch if kind.mated else curves.false_match, here)
    trials = curves.n_mated if kind.mated else curves.n_nonmated
    defined = (trials > 0) if point.key == THRESHOLD else (curves.n_mated > 0) & (curves.n_nonmated > 0)
    if kind.failed_count:
        trials = trials + (failed_mated if kind.mated else failed_nonmated)
        errors = errors + (failed_mated if kind.mated else 0)
    value = (errors if kind.wrong else trials - errors) / trials
    defined &= rows >= 0
    return np.where(defined, value, np.nan), np.where(defined, threshold, np.nan)


def _rows_at_point(
    point: OperatingPoint, curves: CellCurves, failed_mated: IntArray, failed_nonmated: IntArray
) -> tuple[IntArray, FloatArray]:
    """The row of the point in each resample, -1 where there is none, and the threshold to show."""
    if point.key == THRESHOLD:
        target = float(curves.rule.orient(point.target))
        row = int(row_at(np.append(curves.cuts, np.inf), target))
        return np.full(curves.size, row), np.full(curves.size, target)
    of_nonmated = point.key in ("FMR", "FAR", "TNMR", "GRR")
    table, n = (curves.false_match, curves.n_nonmated) if of_nonmated else (curves.false_nonmatch, curves.n_mated)
    failed = (failed_nonmated if of_nonmated else failed_mated) * (point.key in ("FAR", "GRR", "FRR", "GAR"))
    rejected = 0 if of_nonmated else failed  # a failed comparison of a genuine user is a rejection
    trials = n + failed

    def kept(rows: IntArray) -> NDArray[np.bool_]:
        errors = _at(table, rows) + rejected
        if point.key in ("TMR", "GAR", "TNMR", "GRR"):
            return np.asarray((trials - errors) / np.maximum(trials, 1) >= point.target)
        return np.asarray(errors / trials <= point.target)

    if of_nonmated:
        rows = _next_occupied(curves, np.minimum(_first(kept, curves), curves.cuts.size))
    else:
        rows = _first(lambda row: ~kept(row), curves) - 1
    return rows, _thresholds(curves, np.clip(rows, 0, curves.cuts.size))


def _separation(curves: CellCurves, measure: Separation) -> Found:
    (mated, mated_spread), (nonmated, nonmated_spread) = (
        _moments(counts, cells) for counts, cells in zip((curves.mated, curves.nonmated), curves.cells, strict=True)
    )
    gap = curves.rule.factor * (mated - nonmated)
    if measure.name == "FRatio":
        spread = np.sqrt(mated_spread) + np.sqrt(nonmated_spread)
    else:
        spread = np.sqrt((mated_spread + nonmated_spread) / (1.0 if measure.variant == "sum" else 2.0))
    value = np.where((gap == 0.0) & (spread == 0.0), np.nan, gap / spread)
    value = np.where(np.isfinite(mated + nonmated + mated_spread + nonmated_spread), value, np.nan)
    return _where_both(curves, value), np.full(curves.size, np.nan)


def _moments(counts: IntArray, cells: CellClass) -> Found:
    """Mean and population variance in each resample; NaN where an infinite score was taken."""
    finite = np.isfinite(cells.mean) & (cells.totals > 0)
    weights, mean, variance = counts[finite].astype(np.float64), cells.mean[finite], cells.variance[finite]
    n = weights.sum(axis=0)
    n = np.where(n == counts.sum(axis=0), n, np.nan)
    origin = mean[mean.size // 2] if mean.size else 0.0  # the same in every block, and so is the rounding
    apart = mean - origin
    shift = np.einsum("c,cr->r", apart, weights) / n  # not a matrix product, whose rounding depends on the machine
    squares = np.einsum("c,cr->r", np.square(apart) + variance, weights) / n - np.square(shift)
    rounding = 1e-13 * np.max(np.square(apart), initial=0.0)
    return origin + shift, np.where(squares > rounding, squares, 0.0)
