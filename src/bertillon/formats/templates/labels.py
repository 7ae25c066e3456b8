"""Whose each template is: labels beside the templates, in a file or in memory.

Conventions: labels are one a template in the same order, or, for a folder, one a file under its name. A file of labels
is CSV or Parquet with a column for the subject, perhaps one for the sample, and any metadata.

Holds `Labels`, `read_labels` and `read_frame`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.errors import InputError
from bertillon.formats import parquet
from bertillon.formats.convert import UnreadableError, to_text
from bertillon.formats.delimited import layout_of
from bertillon.formats.head import Head, all_numbers, look
from bertillon.formats.ids import as_array, texts
from bertillon.formats.reading import require_text
from bertillon.formats.source import Source, open_source
from bertillon.formats.templates.names import find_columns, subject_names
from bertillon.formats.text import Layout, parse

if TYPE_CHECKING:
    import polars as pl

LabelSource = str | os.PathLike[str] | ArrayLike


@dataclass(frozen=True, slots=True)
class Labels:
    """Subjects, samples where they are named, and metadata, one a template."""

    subject: NDArray[np.str_]
    sample: NDArray[np.str_] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    source: str = "labels"

    def __len__(self) -> int:
        return len(self.subject)


def read_labels(labels: LabelSource, columns: Mapping[str, str]) -> Labels:
    """Labels from a file, or subjects from an array."""
    if not isinstance(labels, str | os.PathLike):
        return Labels(texts(labels))
    source = open_source(labels)
    frame = read_frame(source, columns)
    found = find_columns(source.name, frame.columns, columns, ("subject", "sample"))
    require_subject(source, found.column, frame.columns)
    names = {name: role for role, name in found.metadata.items()}
    metadata = {names.get(name, name): frame[name] for name in frame.columns if name not in found.column.values()}
    sample = ids(source, frame[found.column["sample"]]) if "sample" in found.column else None
    return Labels(ids(source, frame[found.column["subject"]]), sample, metadata, source.name)


def require_subject(source: Source, column: Mapping[str, str], names: list[str]) -> None:
    if "subject" not in column:
        shown = ", ".join(names[:10])
        raise source.error(
            f"no column says whose each template is; name one subject ({subject_names()}), or say which it is with "
            f"columns, e.g. subject=name. Columns present: {shown}"
        )


def ids(source: Source, column: pl.Series) -> NDArray[np.str_]:
    """A column as text; what is missing is the empty text."""
    import polars as pl

    try:
        return as_array(to_text(column).fill_null("").to_list(), source.name)
    except (UnreadableError, pl.exceptions.PolarsError) as error:
        raise source.error(f"column {column.name!r} holds {column.dtype}, not ids") from error


def read_frame(source: Source, columns: Mapping[str, str], *, features: bool = False) -> pl.DataFrame:
    """A CSV or Parquet file as columns; with `features` every column of numbers is read as such."""
    head = look(source)
    if parquet.fits(head):
        return parquet.read_frame(source)
    require_text(source, head)
    layout = _layout(source, head, columns)
    found = find_columns(source.name, layout.names, columns, ("subject", "sample"))
    body = head.columns(skip=1 if layout.header else 0)
    kinds = {}
    for place, name in enumerate(layout.names):
        number = features and place < len(body) and all_numbers(body[place])
        kinds[name] = "score" if number and name not in found.metadata.values() else "other"
    kinds |= {found.column[role]: "text" for role in ("subject", "sample") if role in found.column}
    return parse(source, head, layout, kinds)


def _layout(source: Source, head: Head, columns: Mapping[str, str]) -> Layout:
    """The layout of a file whose first line names a subject column, or whose columns the caller names or numbers."""
    if columns and all(name.isdecimal() for name in columns.values()):
        return Layout(tuple(str(place + 1) for place in range(head.width)), head.separator)
    if columns:
        return layout_of(source, head, columns)
    first = [name.strip() for name in head.rows[0]]
    found = find_columns(source.name, first, {}, ("subject",)).column
    if "subject" not in found:
        require_subject(source, found, first)
    return layout_of(source, head, {"subject": found["subject"]})


def require_length(labels: Labels, n: int, source: str) -> None:
    if len(labels) != n:
        raise InputError(
            f"{labels.source}: there are {len(labels):,} labels for the {n:,} templates of {source}; "
            "give one label a template, in the same order"
        )
