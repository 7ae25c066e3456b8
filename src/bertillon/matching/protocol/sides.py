"""Probes and gallery from two files: one table of both, and the partition that keeps them apart.

Holds `probes_then_gallery` and `sides`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.tables import TemplateTable
from bertillon.matching.protocol.partition import Partition

_PROBE, _GALLERY = "probe:", "gallery:"


def probes_then_gallery(probes: TemplateTable, gallery: TemplateTable) -> TemplateTable:
    """Both tables as one; samples are named after their side, so that the same number in both is no clash."""
    if probes.kind != gallery.kind:
        raise InputError(
            f"{gallery.source}: templates of kind {gallery.kind}, and the probes of {probes.source} are of kind "
            f"{probes.kind}; expected the same kind"
        )
    return replace(
        probes,
        templates=_joined(probes, gallery),
        subject=np.concatenate([probes.subject, gallery.subject]),
        sample=np.concatenate([_named(_PROBE, probes), _named(_GALLERY, gallery)]),
        masks=_joined_masks(probes, gallery),
        metadata=None,
        source=f"{probes.source} against {gallery.source}",
        notes=(*probes.notes, *gallery.notes),
    )


def sides(templates: TemplateTable) -> Partition:
    """Who is a probe and who is in the gallery, from the names `probes_then_gallery` gave."""
    role = np.where(np.char.startswith(templates.sample, _GALLERY), "gallery", "probe")
    return Partition(templates.sample, templates.subject, role, how=(say("protocol.two_files"),))


def _named(side: str, table: TemplateTable) -> NDArray[Any]:
    return np.char.add(side, table.sample.astype(str))


def _joined_masks(probes: TemplateTable, gallery: TemplateTable) -> NDArray[Any] | None:
    """The masks of both; where only one has some, every bit of the other is valid."""
    if probes.masks is None and gallery.masks is None:
        return None
    both = [np.full_like(one.templates, 255) if one.masks is None else one.masks for one in (probes, gallery)]
    return np.concatenate(both)


def _joined(probes: TemplateTable, gallery: TemplateTable) -> NDArray[Any] | list[NDArray[Any]]:
    if isinstance(probes.templates, list) or isinstance(gallery.templates, list):
        return [*probes.templates, *gallery.templates]
    if probes.templates.shape[1:] != gallery.templates.shape[1:]:
        raise InputError(
            f"{gallery.source}: templates of {gallery.templates.shape[1]} numbers, and those of {probes.source} have "
            f"{probes.templates.shape[1]}; expected the same length"
        )
    if probes.bits != gallery.bits:
        long, short = (one.bits or 8 * probes.templates.shape[1] for one in (gallery, probes))
        raise InputError(
            f"{gallery.source}: templates of {long} bits, and those of {probes.source} have {short}; expected the same"
        )
    parts = probes.templates, gallery.templates
    if parts[0].dtype != parts[1].dtype:
        return np.concatenate(parts)
    return cast(NDArray[Any], _Stacked(*parts))


class _Stacked:
    """Two arrays one below the other, read like one array of both; rows of one of them are not copied."""

    def __init__(self, top: NDArray[Any], bottom: NDArray[Any]) -> None:
        self.top, self.bottom = top, bottom
        self.dtype, self.ndim = top.dtype, top.ndim
        self.shape = (len(self), *top.shape[1:])

    def __len__(self) -> int:
        return len(self.top) + len(self.bottom)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.concatenate([self.top, self.bottom]).astype(dtype or self.dtype, copy=False)

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        middle = len(self.top)
        if isinstance(rows, slice) and rows.step in (None, 1):
            first, last, _ = rows.indices(len(self))
            if last <= middle:
                return self.top[first:last]
            if first >= middle:
                return self.bottom[first - middle : last - middle]
        found: NDArray[Any] = np.asarray(self)[rows]
        return found
