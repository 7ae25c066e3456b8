"""From templates and names to a checked table.

Conventions: the kind of template is taken from the name of the array where it has one of its own, else from what it
holds: booleans are bits, three dimensions and lists of arrays are series, all else is vectors. float16, float32,
float64 and int8 are kept; other numbers become float64. Samples without an id are numbered from 0. Ids that repeat
between people and not within them are made unique by putting the subject before them. All of this is said in notes.
Every template is looked at, whatever the table was made from; an error counts the faulty ones and names the first by
its sample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import InputError, TemplateTable
from bertillon.core.errors import unknown
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, Text, say
from bertillon.io.convert import texts
from bertillon.io.templates.owners import kind_by_name

KINDS = ("vector", "histogram", "bits", "series", "minutiae")
RAGGED = ("series", "minutiae")
KEPT = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int8))
DOUBTFUL = 64  # bytes: so many packed ones are hardly ever all 0 or 1
_CELLS = 1 << 22
Templates = NDArray[Any] | list[NDArray[Any]]


@dataclass(slots=True)
class Parts:
    """What a reader found, before the kind is known and anything is checked."""

    templates: Templates
    subject: NDArray[np.str_]
    sample: NDArray[np.str_] | None = None
    masks: NDArray[Any] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    notes: list[Text] = field(default_factory=list)
    name: str = ""  # of the array the templates come from
    bits: int | None = None  # of each template, where they do not fill their last byte
    model: str = ""  # that made them, where the file says so
    square: bool = True  # may be scores of templates against each other: no column has a name of its own


def make_templates(
    templates: ArrayLike | Sequence[ArrayLike],
    subject: ArrayLike,
    *,
    sample: ArrayLike | None = None,
    kind: str | None = None,
    masks: ArrayLike | None = None,
    metadata: Mapping[str, ArrayLike] | None = None,
) -> TemplateTable:
    """A checked table of templates from arrays in memory.

    >>> table = make_templates([[0.1, 0.2], [0.3, 0.4]], ["anna", "bob"])
    >>> table.kind, table.sample.tolist()
    ('vector', ['0', '1'])
    """
    ragged = kind in RAGGED or _is_ragged(templates)
    values: Templates = [np.asarray(template) for template in templates] if ragged else np.asarray(templates)  # type: ignore[union-attr]
    parts = Parts(
        values,
        texts(subject),
        None if sample is None else texts(sample),
        None if masks is None else np.asarray(masks),
        {name: np.asarray(column) for name, column in (metadata or {}).items()},
    )
    return assemble(parts, "memory", "memory", kind)


def assemble(parts: Parts, source: str, format: str, kind: str | None) -> TemplateTable:
    if kind is not None and kind not in KINDS:
        raise InputError(unknown(f"{source}: kind of template", kind, KINDS))
    chosen, note = (kind, say("reading.kind", kind=kind)) if kind else _sniffed(parts)
    parts.notes.append(note)
    shape(parts, chosen, source)
    if parts.sample is None:
        parts.notes.append(say("reading.samples_numbered"))
        sample = np.arange(len(parts.templates)).astype(np.str_)
    else:
        sample = _unique(parts, parts.sample)
    frame, notes = _frame(parts.metadata, len(parts.subject), source), tuple(parts.notes)
    about = (frame, source, format, notes, parts.bits, parts.model)
    table = TemplateTable(parts.templates, parts.subject, sample, chosen, parts.masks, *about)
    check(table)
    return table


def _is_ragged(templates: Any) -> bool:
    if isinstance(templates, np.ndarray) or len(templates) == 0:
        return False
    return np.ndim(templates[0]) == 2 or len({np.shape(template) for template in templates}) > 1


def _sniffed(parts: Parts) -> tuple[str, Message]:
    """The kind of template, and what it was known by."""
    array, named = parts.templates, kind_by_name(parts.name)
    if isinstance(array, list):
        return "series", say("reading.kind_by_points", kind="series")
    kind = "histogram" if named == "histogram" else "vector"
    if array.dtype.kind == "b" or (named == "bits" and array.dtype == np.uint8):
        kind = "bits"
    elif array.ndim == 3:
        kind = "minutiae" if named == "minutiae" else "series"
    if named not in (None, "vector"):
        return kind, say("reading.kind_by_name", kind=kind, name=repr(parts.name))
    return kind, say("reading.kind_by_type", kind=kind, type=str(array.dtype), n=array.ndim)


def shape(parts: Parts, kind: str, source: str) -> None:
    """Bring the templates into the form their kind has in a table."""
    array = parts.templates
    if kind in RAGGED:
        if isinstance(array, np.ndarray):
            parts.templates = list(array)
        return
    if isinstance(array, list):
        sizes = sorted({np.size(template) for template in array})
        if len(sizes) != 1:
            raise InputError(
                f"{source}: templates of kind {kind} must be equally long; found {sizes[0]} to {sizes[-1]} numbers. "
                "Say --kind series if they are signals"
            )
        array = np.stack([np.ravel(template) for template in array])
    parts.templates = _packed(parts, array) if kind == "bits" else _numbers(parts, array)


def _numbers(parts: Parts, array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "biu" or array.dtype in KEPT:
        return array
    if array.dtype == np.uint8:
        parts.notes.append(say("reading.bytes_as_numbers"))
    return array.astype(np.float64)


def _packed(parts: Parts, array: NDArray[Any]) -> NDArray[Any]:
    """Bytes as they are, anything else one bit a number; rows of codes of three dimensions are laid end to end."""
    if array.ndim == 3:
        parts.notes.append(say("reading.code_rows", rows=array.shape[1]))
        array = array.reshape(len(array), -1)
    masks = None if parts.masks is None else parts.masks.reshape(len(parts.masks), -1)
    if array.dtype == np.uint8 or array.ndim != 2 or not np.isin(array, (0, 1)).all():
        parts.masks = masks
        if array.size >= DOUBTFUL and array.max() <= 1:
            parts.notes.append(say("reading.doubtful_bytes"))
        return array
    parts.notes.append(say("reading.bits_packed", n=array.shape[1]))
    if array.shape[1] % 8:
        parts.bits = array.shape[1]
        masks = np.ones(array.shape, dtype=np.bool_) if masks is None else masks
    parts.masks = None if masks is None else np.packbits(masks != 0, axis=1)
    return np.packbits(array != 0, axis=1)


def _unique(parts: Parts, sample: NDArray[np.str_]) -> NDArray[np.str_]:
    if len(np.unique(sample)) == len(sample) or len(sample) != len(parts.subject):
        return sample
    full = np.array([f"{owner}/{name}" for owner, name in zip(parts.subject, sample, strict=True)])
    if len(np.unique(full)) < len(full):
        return sample
    parts.notes.append(say("reading.sample_ids_repeat"))
    return full


def _frame(metadata: Mapping[str, Any], n: int, source: str) -> pl.DataFrame | None:
    if not metadata:
        return None
    for name, column in metadata.items():
        if (size := len(column)) != n:
            raise InputError(f"{source}: there are {n:,} templates and {size:,} values of {name!r}; give one for each")
    return pl.DataFrame({name: _column(column) for name, column in metadata.items()})


def _column(values: Any) -> Any:
    if isinstance(values, np.ndarray) and values.dtype.kind in "USO":
        return texts(values).tolist()
    if isinstance(values, np.ndarray) and values.dtype == np.float16:
        return values.astype(np.float32)
    return values


def check(table: TemplateTable) -> None:
    """Raise `InputError` for whatever a matcher could not work with."""
    if table.kind not in KINDS:
        raise InputError(unknown(f"{table.source}: kind of template", table.kind, KINDS))
    _check_lengths(table)
    _check_names(table)
    (_check_ragged if table.kind in RAGGED else _check_matrix)(table)


def _check_lengths(table: TemplateTable) -> None:
    n = len(table.templates)
    if n == 0:
        raise InputError(f"{table.source}: holds no templates; at least one is expected")
    lengths = {"subjects": len(table.subject), "sample ids": len(table.sample)}
    if table.metadata is not None:
        lengths["rows of metadata"] = table.metadata.height
    for what, length in lengths.items():
        if length != n:
            raise InputError(f"{table.source}: there are {n:,} templates and {length:,} {what}; give one for each")


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
        what = f"templates of kind {table.kind} are rows of a matrix"
        raise InputError(f"{table.source}: {what}; found shape {values.shape}")
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
        masks, wanted = f"{table.masks.dtype} of shape {table.masks.shape}", f"uint8 of shape {values.shape}"
        raise InputError(f"{table.source}: masks must be {wanted}, as the templates; found {masks}")


def _check_ragged(table: TemplateTable) -> None:
    templates, series = [np.asarray(template) for template in table.templates], table.kind == "series"
    if series:
        _refuse(table, [not template.size for template in templates], "are series of length 0", "remove them")
    flat = [template.ndim != 2 and not (series and template.ndim == 1) for template in templates]
    _refuse(table, flat, "are not a table of points (rows) by axes (columns)", "give arrays of two dimensions")
    odd = [template.dtype.kind not in "iuf" for template in templates]
    _refuse(table, odd, "hold something else than numbers", "give numbers")
    _check_axes(table, templates)
    endless = [not np.isfinite(template).all() for template in templates]
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
