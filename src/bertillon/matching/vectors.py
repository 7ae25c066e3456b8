"""Matchers of vectors (Euclidean, Manhattan, Mahalanobis, cosine, Pearson) and of histograms.

Euclidean distances are taken from one product of matrices; where two vectors are so near that this loses digits they
are summed again in float64 from the differences; of float32 templates a distance is good to about five parts in a
million. The scaled Manhattan distance (Killourhy and Maxion 2009, for keystroke dynamics) divides each difference by
the spread of that feature in the gallery person's templates, their mean absolute deviation. Mahalanobis is
d(x, y) = sqrt((x - y)' C^-1 (x - y)), Euclidean once templates are transformed. C is given, or estimated from training
templates (about their common mean, divided by n - 1). Where C is singular, or nearly, a share of the mean variance is
added to each variance; a note says how much.

Cosine and Pearson compare directions: vectors are brought to length 1 once, in float64, so that a block is one product
of matrices, its sums in the precision of the templates. A vector without a direction (all zero; for Pearson: all equal)
has no score: its comparisons have failed (NaN), and a note says how many there are. Where all vectors point nearly the
same way scores differ by little more than float32 rounds away: there they are computed in float64, and it is said;
where even float64 is too coarse, that is said.

Histograms are brought to the sum 1 first. The Bhattacharyya coefficient BC = sum sqrt(p q) is a product of matrices in
the precision of the templates, summed again from the differences where it is near 1; all other sums are in float64.

    bhattacharyya   -ln BC, infinite where no bin is filled in both; variant "root": sqrt(1 - BC), also called Hellinger
    chi-square      1/2 sum (p - q)^2 / (p + q), from 0 to 1
    intersection    sum min(p, q), a similarity from 0 to 1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core import AcceptRule, InputError, Message, TemplateTable, say
from bertillon.core.arguments import fill
from bertillon.core.errors import unknown
from bertillon.io.templates.assemble import check
from bertillon.matching.base import Array, Matcher, Prepared, counted, empty_block, float_type, floats, register

NUMBERS = ("vector", "histogram")
Wide = NDArray[np.float64]
Without = NDArray[np.bool_]
DEFAULT_RIDGE = 0.01  # of the mean variance
AT_A_TIME = 4096  # templates
NARROW = 2.0**-10  # spread of directions, below which float32 leaves less than about four digits of a difference
TOO_NARROW = 2.0**-40  # the same of float64
VARIANTS = ("log", "root")


def with_squares(vectors: Array, notes: tuple[Message, ...] = ()) -> Prepared:
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    return Prepared({"vectors": vectors, "squares": squares}, vectors.shape[1], vectors.dtype, notes=notes)


def product_block(probes: Prepared, gallery: Prepared) -> Array:
    return np.asarray(probes.rows["vectors"] @ gallery.rows["vectors"].T)


def squared_from_products(product: Array, probes: Prepared, gallery: Prepared, out: Array) -> Array:
    """Squared Euclidean distances of vectors made `with_squares` from their products; `out` may be `product`."""
    from bertillon.matching.kernels.pairs import squared_distances

    x, y = probes.rows["vectors"], gallery.rows["vectors"]
    squared_distances(product, x, y, probes.rows["squares"], gallery.rows["squares"], out)
    return out


@dataclass(frozen=True)
class Euclidean(Matcher):
    """The root of the sum of squared differences."""

    name = "euclidean"
    rule = AcceptRule.DISTANCE
    kinds = NUMBERS
    threaded = False
    squared: ClassVar[bool] = False

    def _prepare(self, templates: TemplateTable) -> Prepared:
        return with_squares(floats(templates))

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        product = product_block(probes, gallery)
        distances = squared_from_products(product, probes, gallery, product)
        return distances if self.squared else np.asarray(np.sqrt(distances, out=distances))


@dataclass(frozen=True)
class SquaredEuclidean(Euclidean):
    """The sum of squared differences."""

    name = "squared-euclidean"
    squared = True


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
        from bertillon.matching.kernels.pairs import absolute_distances

        out = empty_block(probes, gallery)
        x, y, owner = probes.rows["vectors"], gallery.rows["vectors"], gallery.rows["owner"]
        absolute_distances(x, y, gallery.shared["weights"], owner, out)
        return out


def _weights(vectors: Array, owner: Array, people: int) -> tuple[Array, tuple[Message, ...]]:
    """One over the spread of each feature, by person, and what had to stand in for it."""
    count = np.bincount(owner, minlength=people)
    spread = _mean_by(np.abs(vectors - _mean_by(vectors, owner, count)[owner]), owner, count)
    several = count > 1
    if several.any():
        common = np.average(spread[several], axis=0, weights=count[several])
    else:  # around the mean of all, where nobody has several templates
        common = np.abs(vectors - vectors.mean(axis=0, dtype=np.float64)).mean(axis=0)
    spread[~several] = common
    flat = int(np.count_nonzero(spread == 0))
    spread = np.where(spread == 0, common, spread)
    constant = int(np.count_nonzero(common == 0))
    spread = np.where(spread == 0, 1.0, spread)
    single = counted(int(people - several.sum()), "single_templates")
    return 1.0 / spread, single + counted(flat, "flat_features") + counted(constant, "constant_features")


def _mean_by(values: Array, owner: Array, count: Array) -> Array:
    total = np.zeros((len(count), values.shape[1]))
    np.add.at(total, owner, values)
    return np.asarray(total / count[:, None])


@dataclass(frozen=True, eq=False)
class Mahalanobis(Euclidean):
    """The distance in units of how the features vary together.

    Give `covariance` or `training`; `ridge` is the share of the mean variance to add, always if it is stated.
    """

    covariance: Array | None = None
    training: TemplateTable | None = field(default=None, repr=False)
    ridge: float | None = None
    centre: Array = field(init=False, repr=False)  # what is taken off: no distance changes, and fewer digits are lost
    whitening: Array = field(init=False, repr=False)
    notes: tuple[Message, ...] = field(init=False, repr=False)

    name = "mahalanobis"

    def __post_init__(self) -> None:
        if (self.covariance is None) == (self.training is None):
            raise InputError("mahalanobis needs a covariance or training templates to estimate it from, one of the two")
        given = np.zeros(()), np.asarray(self.covariance)
        centre, covariance = given if self.training is None else _estimated(self.training)
        whitening, notes = _whitening(covariance.astype(np.float64), self.ridge)
        fill(self, centre=centre, whitening=whitening, notes=notes)

    def _prepare(self, templates: TemplateTable) -> Prepared:
        vectors = floats(templates)
        if vectors.shape[1] != len(self.whitening):
            raise InputError(
                f"{templates.source}: templates have {vectors.shape[1]} numbers, and the covariance is for "
                f"{len(self.whitening)}; estimate it from templates of the same kind"
            )
        return with_squares(((vectors - self.centre) @ self.whitening).astype(vectors.dtype), self.notes)


def _estimated(training: TemplateTable) -> tuple[Array, Array]:
    check(training)
    if training.kind not in NUMBERS or len(training) < 2:
        problem = f"{training.source}: a covariance is estimated from two or more templates of kind vector"
        raise InputError(f"{problem}; found {len(training)} of kind {training.kind}")
    values = np.asarray(training.templates, dtype=np.float64)
    return values.mean(axis=0), np.atleast_2d(np.cov(values, rowvar=False))


def _whitening(covariance: Array, ridge: float | None) -> tuple[Array, tuple[Message, ...]]:
    """The matrix that turns Mahalanobis distances into Euclidean ones."""
    _require_covariance(covariance)
    variances, axes = np.linalg.eigh(covariance)
    floor = len(covariance) * np.finfo(np.float64).eps * variances[-1]
    if variances[0] < -1e3 * floor or variances[-1] <= 0:
        raise InputError(f"mahalanobis: the covariance has a variance of {variances[0]:g}; all must be 0 or more")
    singular = bool(variances[0] <= floor)
    if ridge is None and not singular:
        return axes / np.sqrt(variances), ()
    share = DEFAULT_RIDGE if ridge is None else ridge
    added = share * float(np.mean(variances))
    if variances[0] + added <= 0:
        raise InputError(f"mahalanobis: the covariance is singular and a ridge of {share:g} too small; increase it")
    note = say("matcher.singular_covariance" if singular else "matcher.regularised_covariance", added=added)
    return axes / np.sqrt(variances + added), (note,)


def _require_covariance(covariance: Array) -> None:
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
        raise InputError(f"mahalanobis: a covariance is a square matrix; found shape {covariance.shape}")
    if not np.isfinite(covariance).all():
        raise InputError("mahalanobis: the covariance holds values that are not finite")
    if not np.allclose(covariance, covariance.T, rtol=1e-6, atol=1e-12):
        raise InputError("mahalanobis: the covariance is not symmetric")


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
        return _directions(np.asarray(templates.templates), self._centred, self.without_direction)

    def _centred(self, vectors: Wide) -> tuple[Wide, Without]:
        """The vectors as their directions are taken, and which have none."""
        return vectors, np.asarray(~vectors.any(axis=1))

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        return product_block(probes, gallery)


@dataclass(frozen=True)
class Pearson(Cosine):
    """The correlation of two vectors: the cosine once each is centred at its mean."""

    name = "pearson"
    without_direction = "constant_vectors"

    def _centred(self, vectors: Wide) -> tuple[Wide, Without]:
        return vectors - vectors.mean(axis=1, keepdims=True), vectors.max(axis=1) == vectors.min(axis=1)


def _directions(vectors: Array, centred: Callable[[Wide], tuple[Wide, Without]], without: str) -> Prepared:
    """Vectors of length 1; NaN without a direction. Wide where they differ too little for the templates' own type."""
    made, empty, spread = _unit(vectors, centred, float_type(vectors))
    notes = counted(empty, without)
    if made.dtype == np.float32 and spread < NARROW:
        made = _unit(vectors, centred, np.dtype(np.float64))[0]
        notes += (say("matcher.narrow", spread=spread),) if spread > 0 else ()
    if 0 < spread < TOO_NARROW:
        notes += (say("matcher.too_narrow", spread=spread),)
    return Prepared({"vectors": made}, vectors.shape[1], made.dtype, notes=notes)


def _unit(
    vectors: Array, centred: Callable[[Wide], tuple[Wide, Without]], dtype: np.dtype[Any]
) -> tuple[Array, int, float]:
    """Vectors of length 1, a few thousand at a time, so that the wide copies stay small; how many have no direction;
    and the spread of the others: 1 less the squared length of their mean, 0 where all point the same way."""
    made, empty, total = np.empty(vectors.shape, dtype=dtype), 0, np.zeros(vectors.shape[1])
    for start in range(0, len(vectors), AT_A_TIME):
        part = slice(start, start + AT_A_TIME)
        wide, without = centred(vectors[part].astype(np.float64))
        wide /= np.where(without, 1.0, np.abs(wide).max(axis=1))[:, None]  # so that no square overflows or vanishes
        with np.errstate(invalid="ignore", divide="ignore"):
            wide /= np.linalg.norm(wide, axis=1, keepdims=True)
        total += wide[~without].sum(axis=0) if without.any() else wide.sum(axis=0)
        wide[without] = np.nan
        made[part], empty = wide, empty + int(without.sum())
    mean = total / max(1, len(vectors) - empty)
    return made, empty, max(0.0, 1.0 - float(mean @ mean)) if empty < len(vectors) else 1.0


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
        from bertillon.matching.kernels import pairs as kernels

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


register(Euclidean, SquaredEuclidean, Manhattan, Mahalanobis, Cosine, Pearson)
register(Bhattacharyya, ChiSquare, Intersection)
