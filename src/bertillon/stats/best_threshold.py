"""How much too small the least sum of both error rates is, because its threshold was chosen on the same scores.

The threshold follows the luck of these scores. By how much the sum is too small falls with their number n as n^(-2/3)
(the least value of a random walk around a parabola; Kim and Pollard 1990), so the least sums of two halves of the
scores are, on average, too small by 2^(2/3) times as much. What halves lose against all scores therefore tells what
these lose against infinitely many.

Holds `Pooled`, the scores of both classes in order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import FloatArray
from bertillon.stats.resampling import Purpose

HALVINGS = 4  # of which each tells the optimism to half of itself
GROWTH = 2.0 ** (2.0 / 3.0)  # of the optimism where scores are half as many
MOST = 200_000  # scores that are sorted for it; of more the optimism is small beside the interval


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """The scores of both classes, the most alike first."""

    score: FloatArray  # oriented
    mated: NDArray[np.bool_]

    @classmethod
    def of(cls, mated: NDArray[np.floating], nonmated: NDArray[np.floating], rule: AcceptRule) -> Pooled | None:
        """None where they are too many, or a class is missing."""
        if not mated.size or not nonmated.size or mated.size + nonmated.size > MOST:
            return None
        scores = np.asarray(rule.orient(np.concatenate([mated, nonmated])), dtype=np.float64)
        order = np.argsort(-scores, kind="stable")
        return cls(scores[order], order < mated.size)

    @property
    def thresholds(self) -> FloatArray:
        """The different scores, oriented."""
        return self.score[self.ends]

    @property
    def ends(self) -> NDArray[np.bool_]:
        """Which scores are the last of those equal to them: thresholds accept these and all before."""
        return np.append(self.score[:-1] != self.score[1:], True)

    def optimism(self, on_fmr: float, on_fnmr: float, seed: int) -> float:
        """By how much the least on_fmr FMR + on_fnmr FNMR is too small, on average."""
        ends, weights = self.ends, (on_fmr, on_fnmr)
        rng = np.random.Generator(np.random.Philox(key=seed, counter=np.array([0, 0, 0, Purpose.HALVES], np.uint64)))
        whole = self._least(np.ones(self.mated.size, dtype=bool), ends, weights)
        lost = []
        for _ in range(HALVINGS):
            half = self._half(rng)
            lost.append(whole - (self._least(half, ends, weights) + self._least(~half, ends, weights)) / 2.0)
        return max(float(np.mean(lost)), 0.0) / (GROWTH - 1.0)

    def _half(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Half of the scores of each class."""
        chosen = np.zeros(self.mated.size, dtype=bool)
        for kind in (self.mated, ~self.mated):
            rows = np.flatnonzero(kind)
            chosen[rng.permutation(rows)[: rows.size // 2]] = True
        return chosen

    def _least(self, chosen: NDArray[np.bool_], ends: NDArray[np.bool_], weights: tuple[float, float]) -> float:
        """The least sum over all thresholds, of the scores that were chosen."""
        mated, nonmated = chosen & self.mated, chosen & ~self.mated
        if not mated.any() or not nonmated.any():
            return 0.0
        steps = weights[0] / np.count_nonzero(nonmated) * nonmated - weights[1] / np.count_nonzero(mated) * mated
        return weights[1] + min(float(np.cumsum(steps)[ends].min()), 0.0)
