"""False alarms and misses of a search by the size of the gallery, and the threshold that keeps a rate at each size.

    FPIR(N, t)   searches of people who are not enrolled with a candidate that passes t, among N people
    FNIR(N, t)   searches of enrolled people whose mate does not pass t, whatever its rank; it depends on N through t
    DIR(N, t)    searches of enrolled people whose mate passes t and is ahead of all N - 1 others

Conventions: galleries are those of `trials.drawn_galleries`. A rate is the mean over searches and draws. The threshold
for a target FPIR is the most permissive of the scores seen, best ones of others or mates, that keeps the FPIR at most
there. `model` is 1 - (1 - FMR)^n for the n comparisons
of a search, N where everybody has one template; right only if all were independent, which those of one gallery are not:
a model, never a measurement.

Intervals: groups of people are taken away in turn, from those who search and from the galleries alike (a jackknife), so
that people who alarm again and again and people who are taken for many both count. The variance gives Wilson's interval
with as many independent searches as would have it, and Student's t. The spread of the draws says how much one gallery
differs from another; it is no interval.

Beyond the measured sizes nothing is measured. An extrapolation takes log(-log(1 - FPIR)) as a straight line in log N
from the two largest sizes on; its slope is 1 for independent people. The line through the two sizes below says how far
off this is at the largest one, and the miss, grown with the distance in log N, is part of the uncertainty.

Holds `fpir_by_gallery` and the `GallerySizes` it returns; what stands at each size is made in `gallery_rates`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bertillon.analysis.gallery_rates import FIT_SIZES, Extrapolated, GalleryPoint, GalleryRates
from bertillon.core import AcceptRule, InputError
from bertillon.core.arguments import WHOLE, as_floats, require
from bertillon.core.lazy import pl
from bertillon.core.showing import Finding
from bertillon.core.tables import ScoreMatrix
from bertillon.evaluation import plain
from bertillon.matching.comparing import Comparing
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import LEVEL, check_level, tail_of
from bertillon.trials.drawn_galleries import Order, draw_galleries

TARGET_FPIRS = (0.1, 0.01)
DRAWS = 10
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GallerySizes(Finding):
    """What was found by the size of the gallery.

    `points` are by threshold asked for, then by target, each with all sizes in ascending order.
    """

    name: str
    rule: AcceptRule
    sizes: tuple[int, ...]
    points: tuple[GalleryPoint, ...]
    extrapolated: tuple[Extrapolated, ...]
    searches: int
    mated: int  # of them with a mate
    failed: int
    people: int  # in the gallery
    draws: int
    order: str
    seed: int
    level: float

    @property
    def curves(self) -> list[tuple[GalleryPoint, ...]]:
        """The points of each threshold asked for, and of each target."""
        n = len(self.sizes)
        return [self.points[begin : begin + n] for begin in range(0, len(self.points), n)]

    @property
    def fixed(self) -> list[tuple[GalleryPoint, ...]]:
        """Those of thresholds that were given."""
        return [curve for curve in self.curves if curve[0].target is None]

    @property
    def targeted(self) -> list[tuple[GalleryPoint, ...]]:
        """Those of targets."""
        return [curve for curve in self.curves if curve[0].target is not None]

    @property
    def measured(self) -> list[dict[str, Any]]:
        """The FPIR of each threshold given, over all sizes, as a policy reads it: columns with the interval's ends."""
        made = []
        for curve in self.fixed:
            rates = [point.fpir for point in curve]
            ends = {name: [getattr(rate.interval, name) for rate in rates] for name in ("low", "high")}
            about = {"threshold": curve[0].threshold, "sizes": list(self.sizes)}
            made.append(about | {"fpir": [rate.value for rate in rates], **ends})
        return made

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        names = ("name", "searches", "mated", "failed", "people", "draws", "order", "seed", "level")
        return {
            "finding": "gallery sizes",
            **{name: getattr(self, name) for name in names},
            "rule": self.rule.value,
            "sizes": list(self.sizes),
            "points": [point.to_dict() for point in self.points],
            "measured": plain(self.measured),
            "model": "1 - (1 - FMR)^n of the n comparisons of a search: a model of independent ones, not a measurement",
            "extrapolated": [each.to_dict() for each in self.extrapolated],
        }

    def to_frame(self) -> pl.DataFrame:
        """One row a size and threshold."""
        rows = []
        for point in self.points:
            row: dict[str, Any] = {"system": self.name, "size": point.size, "target_fpir": point.target}
            row["threshold"] = point.threshold
            for name in ("fpir", "fnir", "dir"):
                rate: Measured = getattr(point, name)
                row |= {name: rate.value, f"{name}_low": rate.interval.low, f"{name}_high": rate.interval.high}
            rows.append(row | {"model_fpir": point.model, "spread": point.spread})
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))


def fpir_by_gallery(
    source: Comparing | ScoreMatrix,
    sizes: Sequence[int],
    *,
    targets: Sequence[float] = TARGET_FPIRS,
    thresholds: Sequence[float] = (),
    draws: int = DRAWS,
    order: Order = "drawn",
    seed: int = 0,
    rule: AcceptRule | str | None = None,
    fusion: str = "best",
    level: float = LEVEL,
    side: str = "both",
    intervals: bool = True,
    extrapolate: Sequence[int] = (),
) -> GallerySizes:
    """FPIR, FNIR and DIR in galleries of several sizes, at thresholds that are given or that keep a target FPIR.

    Parameters
    ----------
    source
        A plan of comparisons (`bt.Comparing.plan`), or a matrix of scores with the subjects of rows and columns.
    sizes
        How many people are enrolled, such as 10, 100, 1000.
    targets
        FPIRs that a threshold is chosen for at each size.
    thresholds
        Thresholds that are judged at all sizes.
    draws, order, seed
        How many galleries are drawn, and from which seed; `order="ids"` takes people in the order of their ids, once.
    rule, fusion
        Of a matrix: "similarity" or "distance", and how scores of several templates of a person become one.
    level, side
        Of the intervals; "upper" or "lower" makes bounds of one side.
    intervals
        Whether there are any.
    extrapolate
        Larger sizes, at which the FPIR is extrapolated for each threshold.

    Returns
    -------
    GallerySizes
        A point for each size and threshold, with intervals.

    Examples
    --------
    >>> import bertillon as bt, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> faces = rng.normal(size=(60, 1, 8)) + 0.4 * rng.normal(size=(60, 2, 8))
    >>> table = bt.TemplateTable(faces.reshape(120, 8), np.repeat([f"{n:02}" for n in range(60)], 2))
    >>> found = bt.fpir_by_gallery(bt.Comparing.plan(table, "cosine"), [5, 50], thresholds=[0.8], targets=[])
    >>> [(point.size, round(point.fpir.value, 3)) for point in found.points]
    [(5, 0.049), (50, 0.376)]
    """
    expected = "a ScoreMatrix, or templates as Comparing.plan(TemplateTable(X, subject), 'cosine') plans them"
    require(source, (ScoreMatrix, Comparing), "what galleries are drawn from", expected)
    check_level(level)
    tail_of(level, side)
    require(seed, WHOLE, "seed", "a whole number")
    targets = as_floats(targets, "targets", "rates of false alarms, such as [0.1, 0.01]").tolist()
    thresholds = as_floats(thresholds, "thresholds", "scores, such as [0.5, 0.6]").tolist()
    for target in targets:
        if not 0.0 < target < 1.0:
            raise InputError(f"target FPIR {target}: expected a rate between 0 and 1, such as 0.01")
    for threshold in thresholds:
        if not math.isfinite(threshold):
            raise InputError(f"threshold {threshold}: expected a number")
    if not len(targets) and not len(thresholds):
        raise InputError("neither a target FPIR nor a threshold is given; expected at least one")
    how: dict[str, Any] = {"draws": draws, "order": order, "seed": seed, "rule": rule, "fusion": fusion}
    drawn = draw_galleries(source, sizes, thresholds=thresholds, **how)
    _check_beyond(extrapolate, drawn.sizes)
    rates = GalleryRates(drawn, level, side, intervals=intervals)
    oriented = [float(drawn.rule.orient(threshold)) for threshold in thresholds]
    n = range(len(drawn.sizes))
    points = [rates.point(i, threshold) for threshold in oriented for i in n]
    points += [rates.targeted(i, target) for target in targets for i in n]
    at = oriented or sorted({float(drawn.rule.orient(point.threshold)) for point in points[len(n) - 1 :: len(n)]})
    beyond = [rates.extrapolated(size, threshold) for threshold in at for size in sorted(set(extrapolate))]
    counts = rates.part.size, rates.mate.size, drawn.failed, drawn.people, drawn.draws
    return GallerySizes(
        drawn.name, drawn.rule, drawn.sizes, tuple(points), tuple(beyond), *counts, order, seed, level
    )  # fmt: skip


def _check_beyond(sizes: Sequence[int], measured: Sequence[int]) -> None:
    for size in sizes:
        if size <= measured[-1]:
            problem = f"extrapolation to {size:,} people, and {measured[-1]:,} are measured"
            raise InputError(f"{problem}; expected larger sizes, or add it to the gallery sizes")
    if len(sizes) and len(measured) < FIT_SIZES:
        raise InputError(
            f"an extrapolation rests on {FIT_SIZES} gallery sizes or more, the largest to check it; found "
            f"{len(measured)}: give more gallery sizes"
        )
