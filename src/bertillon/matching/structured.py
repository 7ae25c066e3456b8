"""Matchers of templates that are no vectors: bits (iris codes), series (signatures, voices) and minutiae.

Hamming: the share of bits that differ among those valid in both templates, the smallest over the rotations tried. A
template is `rows` rows of equally many bits, and a rotation rolls every row alike by up to `shifts` steps of `step`
bits each way. Where no bit is valid in both, the comparison has failed (NaN).

Dynamic time warping: the smallest sum of local costs along a path from the first points to the last.

    cost="euclidean"   the local cost is the Euclidean distance of two points; the score is the sum
    cost="squared"     the local cost is its square; the score is the root of the sum
    by_length=True     the sum is divided by the number of cells of the path, the shortest where several are best

The Sakoe-Chiba band keeps |i - j| within `band` points of the diagonal (a share of the longer series if below 1), plus
the difference of the two lengths, so that there is always a path. Sums are in float64.

Minutiae are sets of (x, y, angle). The alignments tried lay two minutiae of the probe on two of the gallery template
that are as far apart, to within `distance`, and look in like directions, to within `angle`. Of each, as many minutiae
as possible are paired one to one, those of a pair at most `distance` (in units of x and y, pixels at 500 dpi in what is
read from ISO records) and `angle` (degrees) apart. The score is that of the best alignment, pairs^2 / (minutiae of the
probe x minutiae of the gallery template), from 0 to 1; 0 where no alignment is to be tried. A set of fewer than two
minutiae fits any other: its comparisons have failed (NaN), and a note says how many such sets there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertillon.core import AcceptRule, InputError, TemplateTable
from bertillon.core.errors import unknown
from bertillon.matching.base import Array, Matcher, Prepared, counted, empty_block, float_type, register

COSTS = ("euclidean", "squared")
NO_BAND = -1.0
LARGEST = 1000  # minutiae: the edges of a set grow with its square


@dataclass(frozen=True)
class Hamming(Matcher):
    """The share of differing bits, with masks and rotations."""

    shifts: int = 0
    rows: int = 1
    step: int = 1

    name = "hamming"
    rule = AcceptRule.DISTANCE
    kinds = ("bits",)
    width_word = "bytes"

    def __post_init__(self) -> None:
        if self.shifts < 0 or self.rows < 1 or self.step < 1:
            values = f"shifts={self.shifts}, rows={self.rows}, step={self.step}"
            raise InputError(f"hamming: shifts must be 0 or more, rows and step 1 or more; found {values}")

    def _prepare(self, templates: TemplateTable) -> Prepared:
        codes = np.ascontiguousarray(templates.templates, dtype=np.uint8)
        bits = templates.bits or 8 * codes.shape[1]
        if bits % self.rows:
            raise InputError(f"{templates.source}: {bits} bits do not make {self.rows} rows; state the right rows")
        if self.shifts * self.step * 2 >= bits // self.rows and self.shifts:
            raise InputError(
                f"hamming: {self.shifts} shifts of {self.step} bits each way reach around rows of "
                f"{bits // self.rows} bits; state fewer shifts"
            )
        rows = {"codes": codes}
        if templates.masks is not None:
            rows["masks"] = np.ascontiguousarray(templates.masks)
        return Prepared(rows, codes.shape[1], np.dtype(np.float64), {"bits": bits})

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        from bertillon.matching.kernels import pairs as kernels

        out = empty_block(probes, gallery)
        bits, others = probes.shared["bits"], gallery.shared["bits"]
        if bits != others:
            raise InputError(f"hamming: a probe has {bits} and a gallery template {others} bits; expected the same")
        turned, still = self._rotated(probes.rows["codes"], bits), _words(gallery.rows["codes"])
        if "masks" not in probes.rows and "masks" not in gallery.rows:
            kernels.bit_distances(turned, still, bits, out)
        else:
            masks = self._rotated(_masks(probes), bits), _words(_masks(gallery))
            kernels.masked_bit_distances(turned, masks[0], still, masks[1], out)
        return out

    def _rotated(self, codes: Array, bits: int) -> Array:
        """Every template in every rotation, as words: (template, rotation, word)."""
        if not self.shifts:
            return _words(codes)[:, None, :]
        rows = np.unpackbits(codes, axis=1, count=bits).reshape(len(codes), self.rows, -1)
        steps = range(-self.shifts * self.step, self.shifts * self.step + 1, self.step)
        turned = (np.roll(rows, step, axis=2).reshape(len(codes), -1) for step in steps)
        return np.stack([_words(np.packbits(bits_of_all, axis=1)) for bits_of_all in turned], axis=1)


def _masks(prepared: Prepared) -> Array:
    return prepared.rows.get("masks", np.full_like(prepared.rows["codes"], 255))


def _words(codes: Array) -> Array:
    """Bytes as words of 64 bits, filled up with zeros."""
    missing = -codes.shape[1] % 8
    padded = np.pad(codes, ((0, 0), (0, missing))) if missing else np.ascontiguousarray(codes)
    return padded.view(np.uint64)


@dataclass(frozen=True)
class DynamicTimeWarping(Matcher):
    """How much two series differ once time is bent to lay one over the other."""

    band: float | None = None
    cost: str = "euclidean"
    by_length: bool = False

    name = "dtw"
    rule = AcceptRule.DISTANCE
    kinds = ("series",)
    width_word = "axes"

    def __post_init__(self) -> None:
        if self.cost not in COSTS:
            raise InputError(unknown("dtw: cost", self.cost, COSTS))
        whole = self.band is None or self.band < 1 or float(self.band).is_integer()
        if self.band is not None and (not self.band >= 0 or not whole):
            raise InputError(f"dtw: band must be a number of points, 0 or more, or a share below 1; found {self.band}")

    def _prepare(self, templates: TemplateTable) -> Prepared:
        series = [np.atleast_2d(np.asarray(template).T).T for template in templates.templates]
        points, rows = ragged(series)
        dtype = np.result_type(*map(float_type, series))
        return Prepared(rows, series[0].shape[1], dtype, {"points": np.ascontiguousarray(points.T)})

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        from bertillon.matching.kernels.pairs import warped_distances

        out = np.empty((len(probes), len(gallery)))
        x, y = ((part.shared["points"], part.rows["start"], part.rows["size"]) for part in (probes, gallery))
        mode = COSTS.index(self.cost) + 2 * self.by_length
        warped_distances(*x, *y, NO_BAND if self.band is None else float(self.band), out, mode)
        return out.astype(np.result_type(probes.dtype, gallery.dtype), copy=False)


def ragged(point_sets: Sequence[Array]) -> tuple[Array, dict[str, Array]]:
    """Arrays of different length end to end in float64, and where each starts and how long it is."""
    size = np.array([len(points) for points in point_sets], dtype=np.int64)
    return np.concatenate(point_sets).astype(np.float64), {"start": np.cumsum(size) - size, "size": size}


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
            raise InputError(f"minutiae: distance must be above 0, angle too and at most 180 degrees; found {values}")

    @property
    def symmetric(self) -> bool:
        return False

    def _prepare(self, templates: TemplateTable) -> Prepared:
        point_sets = [np.asarray(template, dtype=np.float64).reshape(-1, 3) for template in templates.templates]
        point_sets = [points[np.lexsort(points.T[::-1])] for points in point_sets]  # in one order, whatever the file's
        largest = max(map(len, point_sets))
        if largest > LARGEST:
            problem = f"a template has {largest:,} minutiae; at most {LARGEST:,} are compared"
            raise InputError(f"{templates.source}: {problem}")
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


register(Hamming, DynamicTimeWarping, Minutiae)
