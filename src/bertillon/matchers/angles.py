"""Similarities of direction: cosine and Pearson's correlation.

Conventions: vectors are brought to length 1 once, in float64, so that a block is one product of matrices, its sums in
the precision of the templates; scores lie in [-1, 1]. A vector without a direction (all zero; for Pearson: all equal)
has no score: its comparisons have failed (NaN), and a note says how many there are.

Holds `Cosine` and `Pearson`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bertillon.matchers.base import Array, Matcher, Prepared, counted, floats
from bertillon.matchers.vectors import NUMBERS, product_block
from bertillon.rule import AcceptRule
from bertillon.tables import TemplateTable


@dataclass(frozen=True)
class Cosine(Matcher):
    """The cosine of the angle between two vectors."""

    name = "cosine"
    rule = AcceptRule.SIMILARITY
    kinds = NUMBERS
    threaded = False

    def _prepare(self, templates: TemplateTable) -> Prepared:
        vectors = floats(templates)
        return _directions(vectors, ~vectors.any(axis=1), "vectors are all zero")

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        product = product_block(probes, gallery)
        return np.asarray(np.clip(product, -1.0, 1.0, out=product))


@dataclass(frozen=True)
class Pearson(Cosine):
    """The correlation of two vectors: the cosine once each is freed of its mean."""

    name = "pearson"

    def _prepare(self, templates: TemplateTable) -> Prepared:
        vectors = floats(templates)
        constant = vectors.max(axis=1) == vectors.min(axis=1)
        centred = vectors - vectors.mean(axis=1, keepdims=True, dtype=np.float64)
        return _directions(centred, constant, "vectors are constant", vectors.dtype)


def _directions(vectors: Array, empty: Any, what: str, dtype: np.dtype[np.generic] | None = None) -> Prepared:
    wide, without = vectors.astype(np.float64), np.asarray(empty)
    wide /= np.where(without, 1.0, np.abs(wide).max(axis=1))[:, None]  # so that no square overflows or vanishes
    with np.errstate(invalid="ignore", divide="ignore"):
        wide /= np.linalg.norm(wide, axis=1, keepdims=True)
    wide[without] = np.nan
    notes = counted(int(without.sum()), what, "their comparisons have failed")
    kept = dtype or vectors.dtype
    return Prepared({"vectors": wide.astype(kept)}, vectors.shape[1], np.dtype(kept), notes=notes)
