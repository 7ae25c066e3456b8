"""How good the scores are as log-likelihood ratios (natural logarithm).

Cllr      mean cost in bits over all priors: ½ [mean log2(1 + e^-s) over mated + mean log2(1 + e^s) over non-mated]
minCllr   the same after the best monotone calibration of these very scores (PAV)
calLoss   Cllr - minCllr: what better calibration would gain
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message
from bertillon.core.rule import AcceptRule
from bertillon.counting.curves.error_curve import hull
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tally import Need, Tally
from bertillon.counting.weighted import CurveBlock
from bertillon.measures.base import (
    LIMITS,
    NOT_LLR,
    Answer,
    BlockValues,
    CurveMeasure,
    Enclosed,
    Exact,
    Measure,
    NamedMeasure,
    Result,
    missing_class,
    result_of,
)
from bertillon.measures.known import Known, Visit
from bertillon.measures.plans import IntervalPlan, Overfitted, Resample
from bertillon.measures.registry import POSITIVE, SHARE, Definition


@dataclass(frozen=True, slots=True)
class LlrCost(CurveMeasure, NamedMeasure):
    """Cllr of the scores as they are."""

    name: str = "Cllr"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.SCORES})

    def unfit(self, tally: Tally) -> Message | None:
        return missing_class(tally) or (NOT_LLR if tally.rule is AcceptRule.DISTANCE else None)

    def read(self, tally: Tally) -> Result:
        assert tally.scores is not None
        return Result((_mean_bits(-1, tally.scores.mated) + _mean_bits(+1, tally.scores.nonmated)) / 2)

    def of_block(self, block: CurveBlock) -> BlockValues:
        """From the mean scores of the cells."""
        values = [_bits_of_cells(block, resample) for resample in range(block.size)]
        return np.array(values), np.full(block.size, math.nan)

    def visit(self, rule: AcceptRule, ends: tuple[float, float] | None) -> Visit | Result | None:
        """Bits are added up as they are in memory."""
        return None if rule is AcceptRule.DISTANCE else Visit(str(self), _take_bits, _add_up_bits)


@dataclass(frozen=True, slots=True)
class LeastLlrCost(CurveMeasure, NamedMeasure):
    """Cllr after the best monotone calibration."""

    name: str = "minCllr"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.EVERY_THRESHOLD})
    monotone = True

    def read(self, tally: Tally) -> Result:
        return Result(_least(tally.errors))

    def interval(self, result: Result) -> IntervalPlan:
        return Overfitted(Resample(self))


@dataclass(frozen=True, slots=True)
class CalibrationLoss(NamedMeasure):
    """The part of Cllr that better calibration would remove."""

    name: str = "calLoss"
    needs: ClassVar[frozenset[Need]] = LlrCost.needs | LeastLlrCost.needs

    def of(self, tally: Tally) -> Result:
        whole, least = LlrCost().of(tally), LeastLlrCost().of(tally)
        return Result(whole.value - least.value, reason=whole.reason or least.reason)

    def of_block(self, block: CurveBlock) -> BlockValues:
        (whole, none), (least, _) = LlrCost().of_block(block), LeastLlrCost().of_block(block)
        return whole - least, none

    def interval(self, result: Result) -> IntervalPlan:
        return Overfitted(Resample(), above=True)

    def unfit(self, tally: Tally) -> Message | None:
        return LlrCost().unfit(tally)

    def visit(self, rule: AcceptRule, ends: tuple[float, float] | None) -> Visit | Result | None:
        return LlrCost().visit(rule, ends)

    def on(self, known: Known) -> Answer:
        """Where every score was seen, as exact as the least cost is."""
        seen = known.seen.get(str(LlrCost()))
        if seen is None:
            return Measure.on(self, known)
        least = LeastLlrCost().on(known)
        if isinstance(least, Enclosed):
            low, high = seen.value - least.bounds[1], seen.value - least.bounds[0]
            return Enclosed(Result(high), (low, high))
        found = result_of(least)
        return Exact(Result(seen.value - found.value, reason=found.reason))


def chunk_bits(sign: int, scores: NDArray[Any]) -> float:
    """Sum of ln(1 + e^(sign s)) over a chunk of scores."""
    with np.errstate(over="ignore"):  # scores of 1e308 are finite, and two of them together are not
        return float(np.logaddexp(0.0, sign * scores.astype(np.float64)).sum())


def _take_bits(scores: NDArray[Any], mated: bool) -> tuple[float, int]:
    """What a block of a stream adds, and of how many scores."""
    return chunk_bits(-1 if mated else +1, scores), scores.size


def _add_up_bits(*kinds: Sequence[tuple[float, int]]) -> Result:
    means = (_mean_of_chunks((bits for bits, _ in taken), sum(n for _, n in taken)) for taken in kinds)
    return Result(sum(means) / 2)


def _mean_of_chunks(chunks: Iterable[float], n: int) -> float:
    """Mean of log2(1 + e^(sign s)) from the sums of chunks, added in their order."""
    total = 0.0
    for chunk in chunks:
        total += chunk
    return total / n / math.log(2)


def _mean_bits(sign: int, scores: NDArray[Any]) -> float:
    size = LIMITS.llr_chunk
    starts = range(0, scores.size, size)
    return _mean_of_chunks((chunk_bits(sign, scores[start : start + size]) for start in starts), scores.size)


def _bits_of_cells(block: CurveBlock, resample: int) -> float:
    if block.rule is AcceptRule.DISTANCE or not block.n_mated[resample] or not block.n_nonmated[resample]:
        return math.nan
    kinds = enumerate(zip(block.cells, block.counts(resample), strict=True))
    mated, nonmated = (own.bits[side] @ n / n.sum() for side, (own, n) in kinds)
    return float(mated + nonmated) / 2


def _least(counts: BinaryCounts) -> float:
    """Each PAV block has one calibrated ratio; a block of one class only costs nothing."""
    blocks = hull(counts)
    mated, nonmated = blocks.block_mated, blocks.block_nonmated
    mixed = (mated > 0) & (nonmated > 0)
    mated, nonmated = mated[mixed], nonmated[mixed]
    ratio = (mated / counts.n_mated) / (nonmated / counts.n_nonmated)
    of_mated = mated @ np.log2(1.0 + 1.0 / ratio) / counts.n_mated
    of_nonmated = nonmated @ np.log2(1.0 + ratio) / counts.n_nonmated
    return float(of_mated + of_nonmated) / 2


_CLLR, _OF_BEST = "½[E log2(1+e^-s|G) + E log2(1+e^s|I)]", "Cllr after the best monotone calibration"
_BITS, _GAIN = "cost of log-likelihood ratios, in bits", "what better calibration would gain"
_DEFINE = partial(Definition, reference="Brümmer and du Preez 2006", better="lower")
DEFINITIONS = (
    _DEFINE("Cllr", LlrCost.build, _BITS, "Cllr", _CLLR, ends=POSITIVE),
    _DEFINE("minCllr", LeastLlrCost.build, _OF_BEST, "minCllr", "Cllr of PAV-calibrated scores", ends=SHARE),
    _DEFINE("calLoss", CalibrationLoss.build, _GAIN, "calLoss", "Cllr - minCllr"),
)
