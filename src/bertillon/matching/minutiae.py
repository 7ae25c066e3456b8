"""Minutiae: sets of (x, y, angle) aligned, paired one to one, and scored.

Conventions: an alignment is a turn and a shift. Those tried lay two minutiae of the probe on two of the gallery
template that are as far apart, to within `distance`, and look in like directions, to within `angle`. Of each, as many
minutiae as possible are paired one to one, those of a pair at most `distance` (in units of x and y, which are pixels
at 500 dpi in what is read from ISO records) and `angle` (degrees) apart. The score is that of the best alignment:

    pairs^2 / (minutiae of the probe x minutiae of the gallery template), from 0 to 1

It is 0 where no alignment is to be tried. A set of fewer than two minutiae fits any other, which says nothing: its
comparisons have failed (NaN), and a note says how many such sets there are. Moving or turning a set changes nothing.

Holds `Minutiae`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import TemplateTable
from bertillon.matching.base import Array, Matcher, Prepared, counted, empty_block, register
from bertillon.matching.series import ragged

LARGEST = 1000  # minutiae: the edges of a set grow with its square


@dataclass(frozen=True)
class Minutiae(Matcher):
    """How many minutiae of two sets lie on each other once aligned."""

    distance: float = 15.0
    angle: float = 20.0

    name = "minutiae"
    rule = AcceptRule.SIMILARITY
    kinds = ("minutiae",)

    def __post_init__(self) -> None:
        if not (0 < self.distance < np.inf and 0 < self.angle <= 180):
            values = f"distance={self.distance:g}, angle={self.angle:g}"
            raise InputError(
                f"minutiae: distance must be above 0, angle above 0 and at most 180 degrees; found {values}"
            )

    @property
    def symmetric(self) -> bool:
        return False

    def _prepare(self, templates: TemplateTable) -> Prepared:
        point_sets = [
            _sorted(np.asarray(template, dtype=np.float64).reshape(-1, 3)) for template in templates.templates
        ]
        largest = max(map(len, point_sets))
        if largest > LARGEST:
            raise InputError(
                f"{templates.source}: a template has {largest:,} minutiae; at most {LARGEST:,} are compared"
            )
        points, rows = ragged(point_sets)
        points[:, 2] %= 2 * np.pi
        pairs = rows["size"] * (rows["size"] - 1) // 2
        rows |= {"edge_start": np.cumsum(pairs) - pairs, "edge_size": pairs}
        edges, ends = _edges(points, rows)
        notes = counted(int((rows["size"] < 2).sum()), "few_minutiae")
        return Prepared(rows, 3, np.dtype(np.float64), {"points": points, "edges": edges, "ends": ends}, notes)

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        from bertillon.matching.kernels.minutiae import similarities

        out = empty_block(probes, gallery)
        similarities(_arrays(probes), _arrays(gallery), float(self.distance), float(np.deg2rad(self.angle)), out)
        return out


def _sorted(points: Array) -> Array:
    """By x, and in one order only, whatever the order in the file."""
    return points[np.lexsort((points[:, 2], points[:, 1], points[:, 0]))]


def _edges(points: Array, rows: dict[str, Array]) -> tuple[Array, Array]:
    from bertillon.matching.kernels.minutiae import LENGTH, edges_of

    total = int(rows["edge_size"].sum())
    edges, ends = np.empty((total, 4), dtype=np.float32), np.empty((total, 2), dtype=np.int16)
    extents = (rows[name] for name in ("start", "size", "edge_start", "edge_size"))
    for start, size, first, count in zip(*extents, strict=True):
        part = slice(first, first + count)
        edges_of(points[start : start + size], edges[part], ends[part])
        order = np.argsort(edges[part, LENGTH], kind="stable")
        edges[part], ends[part] = edges[part][order], ends[part][order]
    return edges, ends


def _arrays(part: Prepared) -> tuple[Array, ...]:
    shared = tuple(part.shared[name] for name in ("points", "edges", "ends"))
    return shared + tuple(part.rows[name] for name in ("start", "size", "edge_start", "edge_size"))


register(Minutiae)
