"""Measures that take a look at every score, answered while a stream is walked.

Cllr adds up its bits in the first pass, block by block as it does in memory; Overlap counts its bins in the second,
when the ends of the scores are known.

Holds `BlockMeasures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.keys import floats_of
from bertillon.counting.streams.exact import Refined
from bertillon.counting.streams.first import FirstPass, Visit
from bertillon.counting.streams.walk import Block
from bertillon.measures.base import Measure, Result
from bertillon.measures.llr import CalibrationLoss, LlrCost, chunk_bits, mean_bits
from bertillon.measures.separation import Overlap, oriented_counts


@dataclass(frozen=True, slots=True)
class BlockMeasures:
    """What of the measures asked for is found by visiting every block."""

    llr: bool
    overlaps: tuple[Overlap, ...]
    rule: AcceptRule

    @classmethod
    def of(cls, asked: Sequence[Measure], rule: AcceptRule) -> BlockMeasures:
        """What these measures need."""
        llr = rule is AcceptRule.SIMILARITY and any(isinstance(measure, LlrCost | CalibrationLoss) for measure in asked)
        return cls(llr, tuple(measure for measure in asked if isinstance(measure, Overlap)), rule)

    @property
    def first(self) -> Visit | None:
        """What to do with each block of the first pass."""
        return (lambda block: chunk_bits(-1 if block.mated else +1, block.scores)) if self.llr else None

    def second(self, first: FirstPass) -> Visit | None:
        """What to do with each block of the second pass."""
        if not first.total.mated or not first.total.nonmated:
            return None
        low, high = self._ends(first)
        open_ = [overlap for overlap in self.overlaps if overlap.settled_by(low, high) is None]

        def count(block: Block) -> dict[str, NDArray[np.int64]]:
            return {
                str(overlap): oriented_counts(self.rule, block.scores, low, high, overlap.bins) for overlap in open_
            }

        return count if open_ else None

    def answers(self, first: FirstPass, refined: Refined | None = None) -> dict[str, Result]:
        """The answers that were found; `refined` is there after a second pass."""
        if not first.total.mated or not first.total.nonmated:
            return {}
        results: dict[str, Result] = {}
        if self.llr:
            means = (mean_bits(part.visited, part.moments.n) for part in (first.mated, first.nonmated))
            results["Cllr"] = Result(sum(means) / 2)
        if refined is not None:
            low, high = self._ends(first)
            for overlap in self.overlaps:
                results[str(overlap)] = overlap.settled_by(low, high) or overlap.of_counts(
                    _added(refined.mated, str(overlap)), _added(refined.nonmated, str(overlap))
                )
        return results

    def _ends(self, first: FirstPass) -> tuple[float, float]:
        """The smallest and the largest oriented score."""
        low = min(bins.first[0] for bins in (first.mated.bins, first.nonmated.bins))
        high = max(bins.last[-1] for bins in (first.mated.bins, first.nonmated.bins))
        ends = floats_of(np.array([low, high]), first.dtype)
        return float(ends[0]), float(ends[1])


def _added(visited: Sequence[dict[str, Any]], name: str) -> NDArray[np.int64]:
    total: NDArray[np.int64] = np.sum([counts[name] for counts in visited], axis=0)
    return total
