"""How good the scores are as log-likelihood ratios (natural logarithm).

Cllr      mean cost in bits over all priors: ½ [mean log2(1 + e^-s) over mated + mean log2(1 + e^s) over non-mated]
minCllr   the same after the best monotone calibration of these very scores (PAV)
calLoss   Cllr - minCllr: what better calibration would gain
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.curves.hull import hull
from bertillon.counting.error_counts import ErrorCounts
from bertillon.counting.tally import Need, Tally
from bertillon.counting.weighted.curve_block import CurveBlock
from bertillon.measures.base import NOT_LLR, BlockValues, Measure, Result, missing_class
from bertillon.measures.limits import LIMITS
from bertillon.measures.registry import POSITIVE, SHARE, Definition, register, reject_all_but_name
from bertillon.measures.spelling import Spelling


@dataclass(frozen=True, slots=True)
class LlrCost(Measure):
    """Cllr of the scores as they are."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.SCORES})

    @property
    def spelling(self) -> Spelling:
        return Spelling("Cllr")

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally) or (NOT_LLR if tally.rule is AcceptRule.DISTANCE else None)
        if reason:
            return Result.undefined(reason)
        assert tally.scores is not None
        return Result((_mean_bits(-1, tally.scores.mated) + _mean_bits(+1, tally.scores.nonmated)) / 2)

    def of_block(self, block: CurveBlock) -> BlockValues:
        """From the mean scores of the cells."""
        values = [_bits_of_cells(block, resample) for resample in range(block.size)]
        return np.array(values), np.full(block.size, math.nan)


@dataclass(frozen=True, slots=True)
class LeastLlrCost(Measure):
    """Cllr after the best monotone calibration."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.EVERY_THRESHOLD})

    @property
    def spelling(self) -> Spelling:
        return Spelling("minCllr")

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        return Result.undefined(reason) if reason else Result(_least(tally.errors))


@dataclass(frozen=True, slots=True)
class CalibrationLoss(Measure):
    """The part of Cllr that better calibration would remove."""

    needs: ClassVar[frozenset[Need]] = LlrCost.needs | LeastLlrCost.needs

    @property
    def spelling(self) -> Spelling:
        return Spelling("calLoss")

    def of(self, tally: Tally) -> Result:
        whole, least = LlrCost().of(tally), LeastLlrCost().of(tally)
        return Result(whole.value - least.value, reason=whole.reason or least.reason)

    def of_block(self, block: CurveBlock) -> BlockValues:
        (whole, none), (least, _) = LlrCost().of_block(block), LeastLlrCost().of_block(block)
        return whole - least, none


def chunk_bits(sign: int, scores: NDArray[Any]) -> float:
    """Sum of ln(1 + e^(sign s)) over a chunk of scores."""
    with np.errstate(over="ignore"):  # scores of 1e308 are finite, and two of them together are not
        return float(np.logaddexp(0.0, sign * scores.astype(np.float64)).sum())


def mean_bits(chunks: Iterable[float], n: int) -> float:
    """Mean of log2(1 + e^(sign s)) from the sums of chunks, added in their order."""
    total = 0.0
    for chunk in chunks:
        total += chunk
    return total / n / math.log(2)


def _mean_bits(sign: int, scores: NDArray[Any]) -> float:
    size = LIMITS.llr_chunk
    starts = range(0, scores.size, size)
    return mean_bits((chunk_bits(sign, scores[start : start + size]) for start in starts), scores.size)


def _bits_of_cells(block: CurveBlock, resample: int) -> float:
    if block.rule is AcceptRule.DISTANCE or not block.n_mated[resample] or not block.n_nonmated[resample]:
        return math.nan
    kinds = enumerate(zip(block.cells, block.counts(resample), strict=True))
    mated, nonmated = (own.bits[side] @ n / n.sum() for side, (own, n) in kinds)
    return float(mated + nonmated) / 2


def _least(counts: ErrorCounts) -> float:
    """Each PAV block has one calibrated ratio; a block of one class only costs nothing."""
    blocks = hull(counts)
    mated, nonmated = blocks.block_mated, blocks.block_nonmated
    mixed = (mated > 0) & (nonmated > 0)
    mated, nonmated = mated[mixed], nonmated[mixed]
    ratio = (mated / counts.n_mated) / (nonmated / counts.n_nonmated)
    of_mated = mated @ np.log2(1.0 + 1.0 / ratio) / counts.n_mated
    of_nonmated = nonmated @ np.log2(1.0 + ratio) / counts.n_nonmated
    return float(of_mated + of_nonmated) / 2


def _register(name: str, measure: Measure, summary: str, formula: str, ends: tuple[float, float]) -> None:
    def build(spelling: Spelling) -> Measure:
        reject_all_but_name(spelling)
        return measure

    who = "Brümmer and du Preez 2006"
    register(Definition(name, build, summary, name, formula, reference=who, better="lower", ends=ends))


_register(
    "Cllr", LlrCost(), "cost of log-likelihood ratios, in bits", "½[E log2(1+e^-s|G) + E log2(1+e^s|I)]", POSITIVE
)
_register("minCllr", LeastLlrCost(), "Cllr after the best monotone calibration", "Cllr of PAV-calibrated scores", SHARE)
_register("calLoss", CalibrationLoss(), "what better calibration would gain", "Cllr - minCllr", (-math.inf, math.inf))
