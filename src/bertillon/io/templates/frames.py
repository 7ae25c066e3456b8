"""Templates from CSV and Parquet: a column a feature, or one column of lists.

Conventions: beside the subject, the sample and the metadata (session, condition, quality, group, and what the caller
names), every column of numbers is a feature, in the order of the file; columns of text are metadata. A first column
without a name that counts the rows is left out. A Parquet column of lists holds whole templates; a list of lists is a
series of points. Notes say which column was taken for what.

Holds the template formats `parquet` and `csv`.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bertillon.core.lazy import pl
from bertillon.core.messages import say
from bertillon.core.spelling import listed
from bertillon.io import parquet
from bertillon.io.head import Head
from bertillon.io.names import known_role
from bertillon.io.source import Source
from bertillon.io.templates.assemble import Parts, Templates
from bertillon.io.templates.labels import (
    Labels,
    ids,
    in_order,
    note_unused_labels,
    read_frame,
    require_length,
    require_subject,
)
from bertillon.io.templates.names import TemplateColumns, find_columns, kind_by_name
from bertillon.io.templates.registry import TemplateFormat, TemplateRequest, register

_NAMELESS = ("column 1", "Unnamed: 0", "__index_level_0__")  # ours, and what pandas calls it in CSV and in Parquet


def read_table(source: Source, request: TemplateRequest) -> Parts:
    """The templates of a table."""
    labels, columns = request.labels, request.columns
    frame = read_frame(source, columns, features=True, labelled=labels is not None)
    if frame.height == 0:
        raise source.error("has no rows; a table with templates is expected")
    known = find_columns(source.name, frame.columns, columns, ("subject", "sample"))
    if labels is None:
        require_subject(source, known.column, frame.columns)
    else:
        require_length(labels, frame.height, source.name)
    column = _list_column(source, frame, known)
    index = _index(frame, known)
    frame = frame.drop(index)
    features = [column] if column else _features(source, frame, known)
    if labels is not None and request.kind is None:
        _refuse_scores(source, features)
    templates = _lists(source, frame[column]) if column else np.ascontiguousarray(frame.select(features).to_numpy())
    rest = {name: frame[name] for name in frame.columns if name not in {*features, *known.column.values()}}
    parts = _parts(source, templates, frame, known, labels)
    renamed = {name: role for role, name in known.metadata.items()}
    parts.metadata |= {renamed.get(name, name): values for name, values in rest.items()}
    parts.name = column or ""
    parts.square = labels is not None and (bool(column) or all(name.isdecimal() for name in features))
    features_note = say("reading.feature_columns", n=len(features), names=listed(features, 6))
    parts.notes.append(say("reading.template_column", name=repr(column)) if column else features_note)
    parts.notes += [say("reading.metadata", names=listed(rest))] if rest else []
    parts.notes += note_unused_labels(labels, known.column.get("subject"))
    parts.notes += [say("reading.index_left_out", name=repr(name)) for name in index]
    return parts


def _parts(
    source: Source, templates: Templates, frame: pl.DataFrame, known: TemplateColumns, labels: Labels | None
) -> Parts:
    sample = ids(source, frame[known.column["sample"]]) if "sample" in known.column else None
    if labels is not None:
        labels = in_order(labels, sample, source.name)
        named = labels.sample if sample is None else sample
        return Parts(templates, labels.subject, named, None, dict(labels.metadata), list(labels.notes))
    return Parts(templates, ids(source, frame[known.column["subject"]]), sample)


def _is_list(frame: pl.DataFrame, name: str) -> bool:
    return bool(frame[name].dtype.is_nested()) and hasattr(frame[name].dtype, "inner")


def _list_column(source: Source, frame: pl.DataFrame, known: TemplateColumns) -> str | None:
    """The column that holds whole templates."""
    if "template" in known.column:
        return known.column["template"] if _is_list(frame, known.column["template"]) else None
    lists = [name for name in frame.columns if _is_list(frame, name)]
    named = [name for name in lists if kind_by_name(name)]
    if len(lists) > 1 and len(named) != 1:
        raise source.error(f"several columns hold lists: {listed(lists)}; say which with --column template=NAME")
    return next(iter(named or lists), None)


def _index(frame: pl.DataFrame, known: TemplateColumns) -> list[str]:
    """The first column where it has no name and counts the rows from 0 or 1: the index of a table that pandas wrote."""
    name = frame.columns[0]
    taken = {*known.column.values(), *known.metadata.values()}
    if name not in _NAMELESS or name in taken or not frame[name].dtype.is_numeric():
        return []
    steps = frame[name].to_numpy() - np.arange(frame.height)
    return [name] if np.all(steps == 0) or np.all(steps == 1) else []


def _features(source: Source, frame: pl.DataFrame, known: TemplateColumns) -> list[str]:
    taken = {*known.column.values(), *known.metadata.values()} - {known.column.get("template", "")}
    features = [name for name in frame.columns if name not in taken and frame[name].dtype.is_numeric()]
    if not features:
        raise source.error(f"no column holds numbers to be taken as features; columns present: {listed(frame.columns)}")
    return features


def _refuse_scores(source: Source, features: list[str]) -> None:
    """A table of scores beside labels is none of templates."""
    if all(known_role(name) in ("score", "mated") for name in features):
        raise source.error(
            f"with --labels it is read as templates, and its only numbers are {listed(features)}: leave --labels "
            "out if these are scores, or say --kind vector if they are features"
        )


def _lists(source: Source, column: pl.Series) -> Templates:
    """Lists of numbers as rows of a matrix where all are equally long, lists of lists as arrays of their own."""
    if column.null_count():
        raise source.error(
            f"column {column.name!r} is empty in {column.null_count():,} rows; each must hold a template"
        )
    nested = column if isinstance(column.dtype, pl.List) else column.arr.to_list()
    inner = cast(Any, nested.dtype).inner
    if inner.is_nested():
        return [_points(source, column.name, rows) for rows in nested.to_list()]
    if not inner.is_numeric():
        raise source.error(f"column {column.name!r} holds lists of {inner}, not of numbers")
    lengths = nested.list.len().to_numpy()
    if not lengths.all():
        raise source.error(
            f"column {column.name!r} has empty lists, {int((lengths == 0).sum()):,} of them; remove them"
        )
    values = nested.explode()
    flat = (values.fill_null(float("nan")) if values.null_count() else values).to_numpy()
    if (lengths == lengths[0]).all():
        return np.ascontiguousarray(flat.reshape(len(lengths), -1))
    return [part.copy() for part in np.split(flat, np.cumsum(lengths)[:-1])]


def _points(source: Source, name: str, rows: list[Any]) -> NDArray[Any]:
    try:
        return np.array(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise source.error(
            f"column {name!r} holds points with different numbers of axes or without a number"
        ) from error


def fits_text(head: Head) -> bool:
    """Anything that no other format claims: the reader says so where it is no text."""
    return not parquet.fits(head)


register(
    TemplateFormat("parquet", "a column of lists of numbers, or a column a feature", 0, parquet.fits, read_table),
    TemplateFormat("csv", "delimited text, a column a feature", 5, fits_text, read_table),
)
