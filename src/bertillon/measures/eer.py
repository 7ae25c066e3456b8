"""The equal error rate, under each definition in use, with its threshold.

EER                 interpolated: where straight lines between neighbouring thresholds make FMR = FNMR
EER[nearest]        mean of FMR and FNMR at the threshold where they are closest
EER[hull]           FMR = FNMR on the convex hull of the ROC; the largest of all least Bayes errors
EER[fvc]            middle of the FVC interval; EER[fvc-low] and EER[fvc-high] are its ends
EER[bob], ...       as another tool computes it (see peers)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bertillon.core.messages import Message, say
from bertillon.counting.curves.error_curve import hull
from bertillon.counting.error_counts import BinaryCounts, CurvePoint, FloatArray, IntArray, crossing
from bertillon.counting.tally import Need, Tally
from bertillon.counting.weighted import CurveBlock
from bertillon.measures.base import BlockValues, CurveMeasure, Exact, Measure, NamedMeasure, Result, Spelling
from bertillon.measures.known import KnownRates
from bertillon.measures.operating_point import crossing_point
from bertillon.measures.peers import PEERS, PeerEqualErrorRate
from bertillon.measures.plans import IntervalPlan, Overfitted, Resample
from bertillon.measures.registry import Definition

VARIANTS = ("interpolated", "nearest", "fvc", "fvc-low", "fvc-high")


@dataclass(frozen=True, slots=True)
class EqualErrorRate(CurveMeasure):
    """The error rate at which false matches and false non-matches are equally frequent."""

    definition: str = VARIANTS[0]
    picks_threshold = True

    @property
    def spelling(self) -> Spelling:
        return Spelling("EER", "" if self.definition == VARIANTS[0] else self.definition)

    def seek(self, outline: BinaryCounts) -> IntArray:
        if not outline.n_mated or not outline.n_nonmated:
            return np.array([0])
        return np.array([crossing_point(outline).row])

    def read(self, tally: Tally) -> Result:
        if self.definition == "interpolated":
            curve_point = crossing_point(tally.errors)
            return Result(curve_point.between(tally.errors.fmr), curve_point.threshold(tally.errors))
        if self.definition == "nearest":
            return _nearest(tally.errors)
        return self._fvc(tally.errors)

    def of_block(self, block: CurveBlock) -> BlockValues:
        if self.definition != "interpolated":
            return Measure.of_block(self, block)
        with np.errstate(divide="ignore", invalid="ignore"):
            value, threshold = _interpolated_in_block(block)
        return block.where_both(value), block.where_both(threshold)

    @property
    def monotone(self) -> bool:
        return self.definition == "interpolated"

    def of_rates(self, rates: KnownRates) -> Exact | Message:
        """On the line between two listed points, or at the point where both rates are closest."""
        fmr, fnmr = rates.curve.fmr, rates.curve.fnmr
        gap = fnmr - fmr
        if gap[0] > 0 or gap[-1] < 0:
            return say("reason.curve_never_equal")
        before = int(np.count_nonzero(gap <= 0)) - 1
        after = min(before + 1, gap.size - 1)
        counts = rates.tally.errors
        if self.definition == "interpolated":
            step = float(gap[after] - gap[before])
            curve_point = CurvePoint(before, after, -float(gap[before]) / step if step and gap[before] else 0.0)
            return Exact(Result(curve_point.between(fmr), curve_point.threshold(counts)))
        means = fmr + fnmr
        if self.definition == "nearest":
            row = min((before, after), key=lambda candidate: (abs(gap[candidate]), means[candidate]))
        else:
            row = min((before, after), key=lambda candidate: means[candidate])
        return Exact(Result(self._of_both(float(fmr[row]), float(fnmr[row])), float(counts.threshold[row])))

    def _fvc(self, counts: BinaryCounts) -> Result:
        """[low, high] at the better of the last threshold with FNMR <= FMR and the first with FNMR >= FMR."""
        curve_point = crossing_point(counts)
        row = min((curve_point.row, curve_point.next_row), key=lambda r: sum(_whole(counts, r)))
        return Result(self._of_both(float(counts.fmr[row]), float(counts.fnmr[row])), float(counts.threshold[row]))

    def _of_both(self, fmr: float, fnmr: float) -> float:
        """The mean of two rates, the smaller or the larger."""
        low, high = sorted((fmr, fnmr))
        return {"fvc-low": low, "fvc-high": high}.get(self.definition, (low + high) / 2)


@dataclass(frozen=True, slots=True)
class HullEqualErrorRate(CurveMeasure, NamedMeasure):
    """The equal error rate on the convex hull of the ROC."""

    name, variant = "EER", "hull"
    monotone = picks_threshold = True
    needs: ClassVar[frozenset[Need]] = frozenset({Need.EVERY_THRESHOLD})

    def interval(self, result: Result) -> IntervalPlan:
        return Overfitted(Resample(self))

    def read(self, tally: Tally) -> Result:
        counts = tally.errors
        vertices = hull(counts)
        intersection = crossing(vertices.false_match, vertices.false_nonmatch, counts.n_mated, counts.n_nonmated)
        row, next_row = int(vertices.row[intersection.row]), int(vertices.row[intersection.next_row])
        curve_point = CurvePoint(row, next_row, intersection.share)
        return Result(curve_point.between(counts.fmr), curve_point.threshold(counts))


def _whole(counts: BinaryCounts, row: int) -> tuple[int, int]:
    """FMR and FNMR at a row in whole numbers on a common scale, so that equal is equal."""
    return int(counts.false_match[row]) * counts.n_mated, int(counts.false_nonmatch[row]) * counts.n_nonmated


def _interpolated_in_block(block: CurveBlock) -> BlockValues:
    """The interpolated rate in every resample; crossings are found by halving together."""
    mated, nonmated = block.n_mated.astype(np.float64), block.n_nonmated.astype(np.float64)  # or products wrap round

    def gap(rows: IntArray) -> FloatArray:
        """The sign of FNMR - FMR, which only grows."""
        return block.at(block.false_nonmatch, rows) * nonmated - block.at(block.false_match, rows) * mated

    before = np.maximum(block.first_row(lambda rows: gap(rows) > 0) - 1, 0)
    before = np.minimum(before, block.cuts.size)
    after = np.minimum(before + 1, block.cuts.size)
    here = gap(before)
    share = np.where((here == 0) | (before == after), 0.0, -here / (gap(after) - here))
    low, high = (block.at(block.false_match, rows) / block.n_nonmated for rows in (before, after))
    value = np.where(share == 0.0, low, low + share * (high - low))
    first, last = block.thresholds(before), block.thresholds(block.next_occupied(after))
    between = np.where(np.isinf(last), first, np.where(np.isinf(first), last, _between(first, last, share)))
    return value, np.where(share == 0.0, first, between)


def _between(first: FloatArray, last: FloatArray, share: FloatArray) -> FloatArray:
    """Points on straight lines; two finite thresholds may be too far apart to be subtracted."""
    with np.errstate(over="ignore"):
        step = last - first
        return np.where(np.isfinite(step), first + share * step, (1.0 - share) * first + share * last)


def _nearest(counts: BinaryCounts) -> Result:
    """Of two thresholds equally close, the one with the smaller mean, then the more permissive."""
    curve_point = crossing_point(counts)

    def closeness(row: int) -> tuple[int, int]:
        fmr, fnmr = _whole(counts, row)
        return abs(fnmr - fmr), fnmr + fmr

    row = min((curve_point.row, curve_point.next_row), key=closeness)
    return Result(float(counts.fmr[row] + counts.fnmr[row]) / 2, float(counts.threshold[row]))


def _build(spelling: Spelling) -> Measure:
    definition = spelling.variant_among((*VARIANTS, "hull", *PEERS))
    if definition in PEERS:
        return PeerEqualErrorRate(definition)
    return HullEqualErrorRate() if definition == "hull" else EqualErrorRate(definition)


_SUMMARY = f"equal error rate (variants nearest, hull, fvc, fvc-low, fvc-high, {', '.join(PEERS)})"
_NAMES, _WHO = ("equal-error-rate", "CER"), "Maio et al. 2002; Brümmer and de Villiers 2013 (hull)"
DEFINITIONS = (
    Definition("EER", _build, _SUMMARY, "EER", "FMR(t) = FNMR(t)", _NAMES, "rate", reference=_WHO, better="lower"),
)
