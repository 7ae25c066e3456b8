"""Hamming distance between packed bits, such as iris codes.

Conventions: the score is the share of bits that differ among those valid in both templates, the smallest over the
rotations tried. A template is `rows` rows of equally many bits, and a rotation rolls every row alike by up to `shifts`
steps of `step` bits each way. Where no bit is valid in both, the comparison has failed (NaN).

Holds `Hamming`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import TemplateTable
from bertillon.matching.base import Array, Matcher, Prepared, empty_block, register


@dataclass(frozen=True)
class Hamming(Matcher):
    """The share of differing bits, with masks and rotations."""

    shifts: int = 0
    rows: int = 1
    step: int = 1

    name = "hamming"
    rule = AcceptRule.DISTANCE
    kinds = ("bits",)

    def __post_init__(self) -> None:
        if self.shifts < 0 or self.rows < 1 or self.step < 1:
            values = f"shifts={self.shifts}, rows={self.rows}, step={self.step}"
            raise InputError(f"hamming: shifts must be 0 or more, rows and step 1 or more; found {values}")

    def _width_word(self) -> str:
        return "bytes"

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
        from bertillon.matching.kernels import bits as kernels

        out = empty_block(probes, gallery)
        bits, others = probes.shared["bits"], gallery.shared["bits"]
        if bits != others:
            raise InputError(
                f"hamming: a probe has {bits} and a gallery template {others} bits; both must have the same"
            )
        turned, still = self._rotated(probes.rows["codes"], bits), _words(gallery.rows["codes"])
        if "masks" not in probes.rows and "masks" not in gallery.rows:
            kernels.distances(turned, still, bits, out)
        else:
            kernels.masked_distances(turned, self._rotated(_masks(probes), bits), still, _words(_masks(gallery)), out)
        return out

    def _rotated(self, codes: Array, bits: int) -> Array:
        """Every template in every rotation, as words: (template, rotation, word)."""
        if not self.shifts:
            return _words(codes)[:, None, :]
        rows = np.unpackbits(codes, axis=1, count=bits).reshape(len(codes), self.rows, -1)
        turns = range(-self.shifts, self.shifts + 1)
        turned = [
            np.packbits(np.roll(rows, turn * self.step, axis=2).reshape(len(codes), -1), axis=1) for turn in turns
        ]
        return np.stack([_words(rotated) for rotated in turned], axis=1)


def _masks(prepared: Prepared) -> Array:
    codes = prepared.rows["codes"]
    return prepared.rows.get("masks", np.full_like(codes, 255))


def _words(codes: Array) -> Array:
    """Bytes as words of 64 bits, filled up with zeros."""
    missing = -codes.shape[1] % 8
    padded = np.pad(codes, ((0, 0), (0, missing))) if missing else np.ascontiguousarray(codes)
    return padded.view(np.uint64)


register(Hamming)
