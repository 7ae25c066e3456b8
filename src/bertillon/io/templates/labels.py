"""Whose each template is: labels beside the templates, in a file or in memory.

Conventions: labels are one a template in the same order, or, where both name samples, one a sample under its id; a
column that holds the very samples of the templates names them, whatever it is called. For a folder there is one a file
under its name. A file of labels is

    CSV, TSV or Parquet with a column for the subject, perhaps one for the sample, and any metadata
    a list of subjects, one a line, blanks within names allowed, or an .npy array of them
    lines of a sample and a subject without a header, as `utt2spk` of Kaldi, where no sample repeats and subjects do

What else has no header may be any of these: the columns must be numbered, as subject=2.

Holds `Labels`, `read_labels`, `in_order`, `note_unused_labels` and `read_frame`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.io import npy, parquet
from bertillon.io.convert import UnreadableError, as_array, texts, to_text
from bertillon.io.delimited import layout_of
from bertillon.io.head import BLANKS, Head, all_numbers, is_counted, is_number, look, numbers_columns, split_line
from bertillon.io.reading import require_text
from bertillon.io.source import Source, open_source
from bertillon.io.templates.names import find_columns, subject_names
from bertillon.io.text import Layout, numbered, parse

LabelSource = str | os.PathLike[str] | ArrayLike


@dataclass(frozen=True, slots=True)
class Labels:
    """Subjects, samples where they are named, and metadata, one a template."""

    subject: NDArray[np.str_]
    sample: NDArray[np.str_] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    source: str = "labels"
    notes: tuple[Message, ...] = ()  # how they were put in the order of the templates

    def __len__(self) -> int:
        return len(self.subject)


def read_labels(labels: LabelSource, columns: Mapping[str, str]) -> Labels:
    """Labels from a file, or subjects from an array."""
    if not isinstance(labels, str | os.PathLike):
        return Labels(texts(labels))
    source = open_source(labels)
    head = look(source)
    if npy.fits(head):
        return _from_array(source)
    if not parquet.fits(head):
        require_text(source, head)
        if not columns and not _has_subject(source, head):
            return _without_header(source, head)
        one_column = len(head.rows[0]) == 1 or columns == {"subject": head.lines[0].strip()}
        if head.separator == BLANKS and one_column:  # whose names may hold blanks
            people = [line.strip() for _, line in numbered(source.content, header=True)]
            return Labels(as_array(people, source.name), source=source.name)
    frame = read_frame(source, columns)
    known = find_columns(source.name, frame.columns, columns, ("subject", "sample"))
    require_subject(source, known.column, frame.columns)
    names = {name: role for role, name in known.metadata.items()}
    metadata = {names.get(name, name): frame[name] for name in frame.columns if name not in known.column.values()}
    sample = ids(source, frame[known.column["sample"]]) if "sample" in known.column else None
    return Labels(ids(source, frame[known.column["subject"]]), sample, metadata, source.name)


def _from_array(source: Source) -> Labels:
    array = npy.load_array(source, source.content)
    if array.ndim != 1:
        raise source.error(f"holds an array of shape {array.shape}; one subject per template is expected")
    return Labels(texts(array), source=source.name)


def _has_subject(source: Source, head: Head) -> bool:
    """Does the first line name a subject column: alone, or among as many names as there are columns?"""
    first = head.names
    name = find_columns(source.name, first, {}, ("subject",)).column.get("subject")
    if name is None or (len(first) > 1 and len(first) != head.width) or any(is_number(text) for text in first if text):
        return False
    column = first.index(name)
    return all(len(row) <= column or row[column].strip() != name for row in head.rows[1:])  # user 1, user 2, ...


def _without_header(source: Source, head: Head) -> Labels:
    lines = [line.strip() for _, line in numbered(source.content, header=False)]
    rows = [[text.strip() for text in split_line(line, head.separator)] for line in lines]
    widths, repeated = {len(row) for row in rows}, len(set(lines)) < len(lines)
    if widths == {1} or (head.separator == BLANKS and repeated):
        return Labels(as_array(lines, source.name), source=source.name)
    if widths == {2}:
        by_number = numbers_columns(head) and not rows[0][0]  # `,0`: a list that pandas wrote with its index
        first, second = (as_array(column, source.name) for column in zip(*rows[by_number:], strict=True))
        if by_number and is_counted(first.tolist()):
            return Labels(second, source=source.name)
        pairs = len(set(first.tolist())) == len(first) > len(set(second.tolist()))
        if pairs or source.path.name == "utt2spk":
            return Labels(second, first, source=source.name)
    raise source.error(
        f"has no header with a column with the subject of each template ({subject_names()}), and the first line "
        f"({lines[0]!r}) is not a plain list of subjects; name the column of the header, or number it, with --column "
        f"subject={'NAME' if widths == {1} else max(widths)}"
    )


def in_order(labels: Labels, sample: NDArray[np.str_] | None, source: str) -> Labels:
    """The labels in the order of the templates: by sample where both name them, else one each."""
    if sample is not None and labels.sample is None:
        labels = _with_samples(labels, sample)
    if sample is None or labels.sample is None or np.array_equal(sample, labels.sample):
        require_length(labels, len(labels) if sample is None else len(sample), source)
        return labels
    row_of = {name: row for row, name in enumerate(labels.sample.tolist())}
    missing = [name for name in sample.tolist() if name not in row_of]
    if missing:
        raise InputError(
            f"{labels.source}: has no line for {len(missing):,} of {len(sample):,} samples of {source}; the first is "
            f"{missing[0]!r}"
        )
    if len(row_of) < len(labels):
        raise InputError(f"{labels.source}: names a sample twice; each sample has one line")
    rows = np.array([row_of[name] for name in sample.tolist()])
    metadata = {name: values[rows] for name, values in labels.metadata.items()}
    return Labels(labels.subject[rows], sample, metadata, labels.source, labels.notes)


def _with_samples(labels: Labels, sample: NDArray[np.str_]) -> Labels:
    """The labels with the column that holds the very samples of the templates, whatever its name."""
    wanted = set(sample.tolist())
    for name, values in labels.metadata.items():
        if values.dtype != pl.String and not values.dtype.is_integer():
            continue
        names = [text or "" for text in to_text(values).to_list()]
        if set(names) == wanted:
            rest = {other: kept for other, kept in labels.metadata.items() if other != name}
            note = say("reading.labels_by_column", name=repr(name))
            return Labels(labels.subject, np.array(names, np.str_), rest, labels.source, (note,))
    note = say("reading.labels_in_order")
    return Labels(labels.subject, None, labels.metadata, labels.source, (note,))


def require_subject(source: Source, column: Mapping[str, str], names: Sequence[str]) -> None:
    if "subject" not in column:
        shown = ", ".join(names[:10])
        raise source.error(
            f"no column states the subject of each template; name one subject ({subject_names()}), or say which it is "
            f"with --column subject=NAME. Columns present: {shown}"
        )


def ids(source: Source, column: pl.Series) -> NDArray[np.str_]:
    """A column as text; what is missing is the empty text."""
    try:
        return as_array(to_text(column).fill_null("").to_list(), source.name)
    except (UnreadableError, pl.exceptions.PolarsError) as error:
        raise source.error(f"column {column.name!r} holds {column.dtype}, not ids") from error


def read_frame(
    source: Source, columns: Mapping[str, str], *, features: bool = False, labelled: bool = False
) -> pl.DataFrame:
    """A CSV or Parquet file as columns; with `features` every column of numbers is read as such.

    Where it is `labelled` by another file, it need not have a subject column nor a header.
    """
    head = look(source)
    if parquet.fits(head):
        return parquet.read_frame(source)
    require_text(source, head)
    layout = _layout(source, head, columns, labelled=labelled)
    known = find_columns(source.name, layout.names, columns, ("subject", "sample"))
    body = head.columns(skip=1 if layout.header else 0)
    kinds = {}
    for column, name in enumerate(layout.names):
        number = features and column < len(body) and all_numbers(body[column])
        kinds[name] = "score" if number and name not in known.metadata.values() else "other"
    kinds |= {known.column[role]: "text" for role in ("subject", "sample") if role in known.column}
    return parse(source, head, layout, kinds)


def _layout(source: Source, head: Head, columns: Mapping[str, str], *, labelled: bool) -> Layout:
    """The layout of a file whose first line names a subject column, or whose columns the caller names or numbers."""
    if columns and all(name.isdecimal() for name in columns.values()):
        return Layout(tuple(str(column + 1) for column in range(head.width)), head.separator)
    if columns:
        return layout_of(source, head, columns)
    first = head.names
    known = find_columns(source.name, first, {}, ("subject",)).column
    if "subject" not in known and labelled and numbers_columns(head):
        return layout_of(source, head, {"feature": "0"})  # the first line numbers the columns, so they are called so
    if "subject" not in known and labelled:
        return layout_of(source, head, {})
    if "subject" not in known:
        require_subject(source, known, first)
    return layout_of(source, head, {"subject": known["subject"]})


def note_unused_labels(labels: Labels | None, subject: str | None) -> list[Message]:
    """What to say where the file of templates has subjects of its own."""
    if labels is None or subject is None:
        return []
    return [say("reading.own_subjects_left_out", name=repr(subject))]


def _of_header(labels: Labels, n: int) -> str:
    """One line too many may be a header that was not known as one."""
    if len(labels) != n + 1:
        return ""
    first = str(labels.subject[0])
    return f". If the first line ({first!r}) is a header, say so: --column subject={first!r}"


def require_length(labels: Labels, n: int, source: str) -> None:
    if len(labels) != n:
        raise InputError(
            f"{labels.source}: there are {len(labels):,} labels for the {n:,} templates of {source}; "
            f"give one label per template, in the same order{_of_header(labels, n)}"
        )
