from dataclasses import dataclass

import numpy as np

from bertillon.core import AcceptRule
from bertillon.matching import Matcher, Prepared, empty_block, floats, register


@dataclass(frozen=True)
class Chebyshev(Matcher):
    """The largest absolute difference."""

    name = "chebyshev"
    rule = AcceptRule.DISTANCE
    kinds = ("vector", "histogram")

    def _prepare(self, templates) -> Prepared:
        vectors = floats(templates)
        return Prepared({"vectors": vectors}, width=vectors.shape[1], dtype=vectors.dtype)

    def _compare(self, probes, gallery):
        scores = empty_block(probes, gallery)
        for column, vector in enumerate(gallery.rows["vectors"]):
            scores[:, column] = np.abs(probes.rows["vectors"] - vector).max(axis=1)
        return scores


register(Chebyshev)
