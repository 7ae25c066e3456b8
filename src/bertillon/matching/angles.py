"""Similarities of direction: cosine and Pearson's correlation.

Conventions: vectors are brought to length 1 once, in float64, so that a block is one product of matrices, its sums in
the precision of the templates; scores lie in [-1, 1]. A vector without a direction (all zero; for Pearson: all equal)
has no score: its comparisons have failed (NaN), and a note says how many there are. Where all vectors point nearly the
same way, as they do with a large common offset, scores differ by little more than float32 rounds away: there they are
computed in float64, and it is said; where even float64 is too coarse, that is said.

Holds `Cosine` and `Pearson`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import TemplateTable
from bertillon.matching.base import Array, Matcher, Prepared, counted, float_type
from bertillon.matching.registry import register
from bertillon.matching.vectors import NUMBERS, product_block

Wide = NDArray[np.float64]
Without = NDArray[np.bool_]
AT_A_TIME = 4096  # templates
NARROW = 2.0**-10  # spread of directions, below which float32 leaves less than about four digits of a difference
TOO_NARROW = 2.0**-40  # the same of float64


@dataclass(frozen=True)
class Cosine(Matcher):
    """The cosine of the angle between two vectors."""

    name = "cosine"
    rule = AcceptRule.SIMILARITY
    kinds = NUMBERS
    ends = (-1.0, 1.0)
    threaded = False
    without_direction = "zero_vectors"

    def _prepare(self, templates: TemplateTable) -> Prepared:
        return _directions(np.asarray(templates.templates), self._freed, self.without_direction)

    def _freed(self, vectors: Wide) -> tuple[Wide, Without]:
        """The vectors as their directions are taken, and which have none."""
        return vectors, np.asarray(~vectors.any(axis=1))

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        return product_block(probes, gallery)


@dataclass(frozen=True)
class Pearson(Cosine):
    """The correlation of two vectors: the cosine once each is freed of its mean."""

    name = "pearson"
    without_direction = "constant_vectors"

    def _freed(self, vectors: Wide) -> tuple[Wide, Without]:
        return vectors - vectors.mean(axis=1, keepdims=True), vectors.max(axis=1) == vectors.min(axis=1)


def _directions(vectors: Array, freed: Callable[[Wide], tuple[Wide, Without]], without: str) -> Prepared:
    """Vectors of length 1; NaN without a direction. Wide where they differ too little for the templates' own type."""
    made, empty, spread = _unit(vectors, freed, float_type(vectors))
    notes = counted(empty, without)
    if made.dtype == np.float32 and spread < NARROW:
        made = _unit(vectors, freed, np.dtype(np.float64))[0]
        notes += (say("matcher.narrow", spread=spread),) if spread > 0 else ()
    if 0 < spread < TOO_NARROW:
        notes += (say("matcher.too_narrow", spread=spread),)
    return Prepared({"vectors": made}, vectors.shape[1], made.dtype, notes=notes)


def _unit(
    vectors: Array, freed: Callable[[Wide], tuple[Wide, Without]], dtype: np.dtype[Any]
) -> tuple[Array, int, float]:
    """Vectors of length 1, a few thousand at a time, so that the wide copies stay small; how many have no direction;
    and the spread of the others: 1 less the squared length of their mean, 0 where all point the same way."""
    made, empty, total = np.empty(vectors.shape, dtype=dtype), 0, np.zeros(vectors.shape[1])
    for start in range(0, len(vectors), AT_A_TIME):
        part = slice(start, start + AT_A_TIME)
        wide, without = freed(vectors[part].astype(np.float64))
        wide /= np.where(without, 1.0, np.abs(wide).max(axis=1))[:, None]  # so that no square overflows or vanishes
        with np.errstate(invalid="ignore", divide="ignore"):
            wide /= np.linalg.norm(wide, axis=1, keepdims=True)
        total += wide[~without].sum(axis=0) if without.any() else wide.sum(axis=0)
        wide[without] = np.nan
        made[part], empty = wide, empty + int(without.sum())
    mean = total / max(1, len(vectors) - empty)
    return made, empty, max(0.0, 1.0 - float(mean @ mean)) if empty < len(vectors) else 1.0


register(Cosine, Pearson)
