"""What a table of templates must hold, whatever it was made from.

Conventions: every template is looked at; an error counts the faulty ones and names the first by its sample.

Holds `check` and `KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.spelling import unknown
from bertillon.core.tables import TemplateTable

KINDS = ("vector", "histogram", "bits", "series", "minutiae")
RAGGED = ("series", "minutiae")
_CELLS = 1 << 22


def check(table: TemplateTable) -> None:
    """Raise `InputError` for whatever a matcher could not work with."""
    if table.kind not in KINDS:
        raise InputError(unknown(f"{table.source}: kind of template", table.kind, KINDS))
    _check_lengths(table)
    _check_names(table)
    if table.kind in RAGGED:
        _check_ragged(table)
    else:
        _check_matrix(table)


def _check_lengths(table: TemplateTable) -> None:
    n = len(table.templates)
    if n == 0:
        raise InputError(f"{table.source}: holds no templates; at least one is expected")
    lengths = {"subjects": len(table.subject), "sample ids": len(table.sample)}
    if table.metadata is not None:
        lengths["rows of metadata"] = table.metadata.height
    for what, length in lengths.items():
        if length != n:
            raise InputError(
                f"{table.source}: there are {n:,} templates and {length:,} {what}; give one for each template"
            )


def _check_names(table: TemplateTable) -> None:
    _refuse(table, table.subject == "", "have no subject", "say whose each template is")
    names, first, count = np.unique(table.sample, return_index=True, return_counts=True)
    again = np.flatnonzero(count > 1)
    if again.size:
        worst = again[np.argmin(first[again])]
        raise InputError(
            f"{table.source}: {again.size:,} sample ids are given to several templates; the first is "
            f"{str(names[worst])!r}, {count[worst]} times. Give each template an id of its own"
        )


def _check_matrix(table: TemplateTable) -> None:
    values = np.asarray(table.templates)
    if values.ndim != 2 or values.shape[1] == 0:
        raise InputError(
            f"{table.source}: templates of kind {table.kind} are rows of a matrix; found shape {values.shape}"
        )
    if table.kind == "bits":
        _check_bits(table, values)
        return
    if values.dtype.kind not in "iuf":
        raise InputError(f"{table.source}: templates hold {values.dtype}, not numbers")
    endless = _rows_with(values, lambda part: ~np.isfinite(part))
    _refuse(table, endless, "hold values that are not finite", "remove or repair them")
    if table.kind == "histogram":
        negative = _rows_with(values, lambda part: part < 0)
        _refuse(table, negative, "have negative bins", "histograms are counts or shares, 0 or more")
        _refuse(table, ~values.any(axis=1), "are empty histograms (sum 0)", "remove them")


def _rows_with(values: NDArray[Any], fault: Callable[[NDArray[Any]], Any]) -> NDArray[np.bool_]:
    """The rows with a faulty value, looked at in parts so that no second matrix of their size is made."""
    step = max(1, _CELLS // values.shape[1])
    parts = [fault(values[row : row + step]).any(axis=1) for row in range(0, len(values), step)]
    return np.concatenate(parts)


def _check_bits(table: TemplateTable, values: NDArray[Any]) -> None:
    if values.dtype != np.uint8:
        raise InputError(f"{table.source}: packed bits are of type uint8; found {values.dtype}")
    if table.masks is not None and (table.masks.shape != values.shape or table.masks.dtype != np.uint8):
        masks = f"{table.masks.dtype} of shape {table.masks.shape}"
        raise InputError(
            f"{table.source}: masks must be uint8 of shape {values.shape}, as the templates; found {masks}"
        )


def _check_ragged(table: TemplateTable) -> None:
    templates = [np.asarray(template) for template in table.templates]
    if table.kind == "series":
        _refuse(
            table, np.array([template.size == 0 for template in templates]), "are series of length 0", "remove them"
        )
    flat = np.array(
        [template.ndim != 2 and not (table.kind == "series" and template.ndim == 1) for template in templates]
    )
    _refuse(table, flat, "are not a table of points (rows) by axes (columns)", "give arrays of two dimensions")
    odd = np.array([template.dtype.kind not in "iuf" for template in templates])
    _refuse(table, odd, "hold something else than numbers", "give numbers")
    _check_axes(table, templates)
    endless = np.array([not np.isfinite(template).all() for template in templates])
    _refuse(table, endless, "hold values that are not finite", "remove or repair them")


def _check_axes(table: TemplateTable, templates: Sequence[NDArray[Any]]) -> None:
    axes = np.array([1 if template.ndim == 1 else template.shape[1] for template in templates])
    if table.kind == "minutiae":
        _refuse(table, axes != 3, "do not have the three columns x, y and angle", "give arrays of shape (points, 3)")
    elif (axes != axes[0]).any():
        other = int(np.argmax(axes != axes[0]))
        raise InputError(
            f"{table.source}: series have different axes: sample {str(table.sample[0])!r} has {axes[0]} and "
            f"{str(table.sample[other])!r} has {axes[other]}; all must have the same"
        )


def _refuse(table: TemplateTable, marks: Any, what: str, advice: str) -> None:
    """Raise if any template is marked: how many are, and which is the first."""
    faulty = np.asarray(marks)
    if faulty.any():
        first = int(np.argmax(faulty))
        raise InputError(
            f"{table.source}: {int(faulty.sum()):,} of {faulty.size:,} templates {what}; the first is sample "
            f"{str(table.sample[first])!r} (number {first + 1}). {advice[0].upper()}{advice[1:]}"
        )
