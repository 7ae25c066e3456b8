"""Histograms compared: Bhattacharyya, chi-square, intersection.

Conventions: every histogram is brought to the sum 1 first, so that only its shape counts. Sums are in float64, but for
the product of matrices behind the Bhattacharyya coefficient BC = sum sqrt(p q), which is in the precision of the
templates where BC is small and summed again from the differences where it is near 1.

    bhattacharyya   -ln BC, infinite where no bin is filled in both; variant "root": sqrt(1 - BC), also called Hellinger
    chi-square      1/2 sum (p - q)^2 / (p + q), from 0 to 1
    intersection    sum min(p, q), a similarity from 0 to 1

Holds `Bhattacharyya`, `ChiSquare` and `Intersection`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.core.spelling import unknown
from bertillon.core.tables import TemplateTable
from bertillon.matching.base import Array, Matcher, Prepared, empty_block, floats, register
from bertillon.matching.vectors import product_block, squared_from_products, with_squares

VARIANTS = ("log", "root")


@dataclass(frozen=True)
class Bhattacharyya(Matcher):
    """The distance between two histograms by their Bhattacharyya coefficient."""

    variant: str = "log"

    name = "bhattacharyya"
    rule = AcceptRule.DISTANCE
    kinds = ("histogram",)
    threaded = False

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise InputError(unknown("bhattacharyya: variant", self.variant, VARIANTS))

    def _prepare(self, templates: TemplateTable) -> Prepared:
        shares, dtype = _shares(templates)
        return with_squares(np.sqrt(shares).astype(dtype))

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        coefficient = product_block(probes, gallery)
        rest = squared_from_products(coefficient, probes, gallery, np.empty_like(coefficient))  # 2 (1 - BC)
        rest *= 0.5
        if self.variant == "root":
            return np.asarray(np.sqrt(rest, out=rest))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(rest < 0.5, -np.log1p(-rest), -np.log(coefficient))


@dataclass(frozen=True)
class _BinByBin(Matcher):
    """What chi-square and intersection have in common: shares of two histograms compared in a compiled loop."""

    kinds = ("histogram",)
    loop: ClassVar[str]  # of `kernels.vectors`

    def _prepare(self, templates: TemplateTable) -> Prepared:
        shares, dtype = _shares(templates)
        return Prepared({"vectors": shares.astype(dtype)}, shares.shape[1], dtype)

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        from bertillon.matching.kernels import vectors as kernels

        out = empty_block(probes, gallery)
        getattr(kernels, self.loop)(probes.rows["vectors"], gallery.rows["vectors"], out)
        return out


@dataclass(frozen=True)
class ChiSquare(_BinByBin):
    """Half the sum of squared differences, each over the sum of both."""

    name = "chi-square"
    rule = AcceptRule.DISTANCE
    loop = "chi_square_distances"


@dataclass(frozen=True)
class Intersection(_BinByBin):
    """How much of two histograms lies on top of each other."""

    name = "intersection"
    rule = AcceptRule.SIMILARITY
    loop = "intersections"


def _shares(templates: TemplateTable) -> tuple[Array, np.dtype[np.generic]]:
    """Histograms that sum to 1, in float64, and the precision to keep them in."""
    counts = floats(templates)
    wide = counts.astype(np.float64)
    wide /= wide.max(axis=1, keepdims=True)  # so that no sum overflows
    return wide / wide.sum(axis=1, keepdims=True), counts.dtype


register(Bhattacharyya, ChiSquare, Intersection)
