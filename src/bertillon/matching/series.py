"""Dynamic time warping between series of different length and of one or more axes.

Conventions: the distance is the smallest sum of local costs along a path that starts at the first points, ends at the
last, and steps forward in one series or in both.

    cost="euclidean"   the local cost is the Euclidean distance of two points; the score is the sum
    cost="squared"     the local cost is its square; the score is the root of the sum
    by_length=True     the sum is divided by the number of cells of the path, the shortest where several are best

The Sakoe-Chiba band keeps |i - j| within `band` points of the diagonal (a share of the longer series if below 1), plus
the difference of the two lengths, so that there is always a path. Sums are in float64.

Holds `DynamicTimeWarping` and `ragged`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.core.spelling import unknown
from bertillon.core.tables import TemplateTable
from bertillon.matching.base import Array, Matcher, Prepared, float_type, register

COSTS = ("euclidean", "squared")
NO_BAND = -1.0


@dataclass(frozen=True)
class DynamicTimeWarping(Matcher):
    """How much two series differ once time is bent to lay one over the other."""

    band: float | None = None
    cost: str = "euclidean"
    by_length: bool = False

    name = "dtw"
    rule = AcceptRule.DISTANCE
    kinds = ("series",)

    def __post_init__(self) -> None:
        if self.cost not in COSTS:
            raise InputError(unknown("dtw: cost", self.cost, COSTS))
        whole = self.band is None or self.band < 1 or float(self.band).is_integer()
        if self.band is not None and (not self.band >= 0 or not whole):
            raise InputError(f"dtw: band must be a number of points, 0 or more, or a share below 1; found {self.band}")

    def _width_word(self) -> str:
        return "axes"

    def _prepare(self, templates: TemplateTable) -> Prepared:
        series = [np.atleast_2d(np.asarray(template).T).T for template in templates.templates]
        points, rows = ragged(series)
        dtype = np.result_type(*map(float_type, series))
        return Prepared(rows, series[0].shape[1], dtype, {"points": np.ascontiguousarray(points.T)})

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        from bertillon.matching.kernels.series import distances

        out = np.empty((len(probes), len(gallery)))
        x, y = ((part.shared["points"], part.rows["start"], part.rows["size"]) for part in (probes, gallery))
        mode = COSTS.index(self.cost) + 2 * self.by_length
        distances(*x, *y, NO_BAND if self.band is None else float(self.band), out, mode)
        return out.astype(np.result_type(probes.dtype, gallery.dtype), copy=False)


def ragged(point_sets: Sequence[Array]) -> tuple[Array, dict[str, Array]]:
    """Arrays of different length end to end in float64, and where each starts and how long it is."""
    size = np.array([len(points) for points in point_sets], dtype=np.int64)
    return np.concatenate(point_sets).astype(np.float64), {"start": np.cumsum(size) - size, "size": size}


register(DynamicTimeWarping)
