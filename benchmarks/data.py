"""The scores every case is measured on, and the questions asked about them.

Conventions: non-mated scores are normal around 0, mated ones around 3, both of spread 1, ten non-mated for each mated.
The true EER is therefore Phi(-1.5).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import bertillon as bt

FloatArray = NDArray[np.float64]

SEED = 20240229
NONMATED = 10_000_000
TRUE_EER = 0.06680720126885807
TARGETS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
POINTS = ("EER", *(f"FNMR@FMR={target:g}" for target in TARGETS), "ZeroFMR", "ZeroFNMR", "dprime")


class Scores(NamedTuple):
    """Scores of both kinds as plain arrays."""

    mated: FloatArray
    nonmated: FloatArray

    @property
    def size(self) -> int:
        return self.mated.size + self.nonmated.size

    def labelled(self) -> tuple[NDArray[np.bool_], FloatArray]:
        """Labels (true for mated) and scores, as the libraries for classifiers take them."""
        return np.repeat([True, False], [self.mated.size, self.nonmated.size]), np.concatenate(self)


def draw(nonmated: int) -> Scores:
    """Ten non-mated scores for each mated one."""
    rng = np.random.default_rng(SEED)
    return Scores(rng.normal(3.0, 1.0, max(1, nonmated // 10)), rng.normal(0.0, 1.0, nonmated))


@lru_cache(maxsize=1)
def at_scale(scale: float) -> Scores:
    """The scores of most cases: ten million and a million at scale 1."""
    return draw(round(NONMATED * scale))


def answers(scores: Scores, measures: tuple[str, ...] = POINTS) -> dict[str, float]:
    """Our answers by name, from plain arrays to numbers."""
    evaluation = bt.evaluate(bt.ScoreSet(scores.mated, scores.nonmated), measures)
    return {measure: evaluation[measure].value for measure in measures}
