"""Distances between vectors: Euclidean, squared Euclidean, Manhattan.

Conventions: Euclidean distances are taken from one product of matrices; where two vectors are so near that this loses
digits they are summed again in float64 from the differences; of float32 templates a distance is good to about five
parts in a million. Manhattan sums in float64. The scaled Manhattan distance
(Killourhy and Maxion 2009, for keystroke dynamics) divides each difference by the spread of that feature in the
gallery person's templates, the mean absolute deviation from their mean.

Holds `Euclidean`, `SquaredEuclidean`, `Manhattan`, and for other matchers `with_squares`, `product_block`,
`squared_block`, `squared_from_products` and `euclidean_block`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertillon.core.messages import Message
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import TemplateTable
from bertillon.matching.base import Array, Matcher, Prepared, counted, empty_block, floats
from bertillon.matching.registry import register

NUMBERS = ("vector", "histogram")


def with_squares(vectors: Array, notes: tuple[Message, ...] = ()) -> Prepared:
    """Vectors with their squared lengths."""
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    return Prepared({"vectors": vectors, "squares": squares}, vectors.shape[1], vectors.dtype, notes=notes)


def product_block(probes: Prepared, gallery: Prepared) -> Array:
    """Scalar products of all pairs."""
    return np.asarray(probes.rows["vectors"] @ gallery.rows["vectors"].T)


def squared_block(probes: Prepared, gallery: Prepared) -> Array:
    """Squared Euclidean distances between vectors prepared by `with_squares`."""
    product = product_block(probes, gallery)
    return squared_from_products(product, probes, gallery, product)


def squared_from_products(product: Array, probes: Prepared, gallery: Prepared, out: Array) -> Array:
    """The same where the scalar products are known, put into `out`, which may be `product`."""
    from bertillon.matching.kernels.vectors import squared_distances

    x, y = probes.rows["vectors"], gallery.rows["vectors"]
    squared_distances(product, x, y, probes.rows["squares"], gallery.rows["squares"], out)
    return out


def euclidean_block(probes: Prepared, gallery: Prepared) -> Array:
    """Euclidean distances between vectors prepared by `with_squares`."""
    squared = squared_block(probes, gallery)
    return np.asarray(np.sqrt(squared, out=squared))


@dataclass(frozen=True)
class SquaredEuclidean(Matcher):
    """The sum of squared differences."""

    name = "squared-euclidean"
    rule = AcceptRule.DISTANCE
    kinds = NUMBERS
    threaded = False

    def _prepare(self, templates: TemplateTable) -> Prepared:
        return with_squares(floats(templates))

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        return squared_block(probes, gallery)


@dataclass(frozen=True)
class Euclidean(SquaredEuclidean):
    """The root of the sum of squared differences."""

    name = "euclidean"

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        return euclidean_block(probes, gallery)


@dataclass(frozen=True)
class Manhattan(Matcher):
    """The sum of absolute differences; `scaled` divides each by its spread in the gallery person's templates."""

    scaled: bool = False

    name = "manhattan"
    rule = AcceptRule.DISTANCE
    kinds = NUMBERS

    @property
    def symmetric(self) -> bool:
        return not self.scaled

    def _prepare(self, templates: TemplateTable) -> Prepared:
        vectors = floats(templates)
        owner, weights = np.zeros(len(vectors), dtype=np.int64), np.ones((1, vectors.shape[1]))
        notes: tuple[Message, ...] = ()
        if self.scaled:
            people, owner = np.unique(templates.subject, return_inverse=True)
            weights, notes = _weights(vectors, owner, len(people))
        rows = {"vectors": vectors, "owner": owner}
        return Prepared(rows, vectors.shape[1], vectors.dtype, {"weights": weights}, gallery_notes=notes)

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        from bertillon.matching.kernels.vectors import absolute_distances

        out = empty_block(probes, gallery)
        x, y, owner = probes.rows["vectors"], gallery.rows["vectors"], gallery.rows["owner"]
        absolute_distances(x, y, gallery.shared["weights"], owner, out)
        return out


def _weights(vectors: Array, owner: Array, people: int) -> tuple[Array, tuple[Message, ...]]:
    """One over the spread of each feature, by person, and what had to stand in for it."""
    count = np.bincount(owner, minlength=people)
    spread = _mean_by(np.abs(vectors - _mean_by(vectors, owner, count)[owner]), owner, count)
    several = count > 1
    common = _common_spread(vectors, spread, count, several)
    spread[~several] = common
    flat = int(np.count_nonzero(spread == 0))
    spread = np.where(spread == 0, common, spread)
    constant = int(np.count_nonzero(common == 0))
    spread = np.where(spread == 0, 1.0, spread)
    notes = (
        counted(int(people - several.sum()), "single_templates")
        + counted(flat, "flat_features")
        + counted(constant, "constant_features")
    )
    return 1.0 / spread, notes


def _mean_by(values: Array, owner: Array, count: Array) -> Array:
    total = np.zeros((len(count), values.shape[1]))
    np.add.at(total, owner, values)
    return np.asarray(total / count[:, None])


def _common_spread(vectors: Array, spread: Array, count: Array, several: Array) -> Array:
    """The spread within people who have several templates; around the mean of all where nobody has."""
    if several.any():
        return np.asarray(np.average(spread[several], axis=0, weights=count[several]))
    centre = vectors.mean(axis=0, dtype=np.float64)
    return np.asarray(np.abs(vectors - centre).mean(axis=0))


register(Euclidean, SquaredEuclidean, Manhattan)
