"""Templates from files that name their arrays or columns: numpy, HDF5 and MATLAB, CSV and Parquet.

Arrays: one holds templates, others of the same length hold the rest; see `owners` for what they may be called. What
does not fit is left out and said to be. The array of an .npy file is mapped, not read: templates larger than memory can
be compared. Where no array is called as templates are and the kind is stated as series or minutiae, each array is one
template, called `subject_sample`. Pickled objects are refused: they can run code.

A text of its own called `model` is the fingerprint of what made the templates. Arrays called `failed_sample` and so on
are of photos that gave none; how many is said.

Columns: beside the subject, the sample and the metadata (session, condition, quality, group, and what the caller
names), every column of numbers is a feature, in the order of the file; columns of text are metadata. A first column
without a name that counts the rows is left out. A Parquet column of lists holds whole templates; a list of lists is a
series of points.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import listed
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.io import hdf5, mat, npy, parquet
from bertillon.io.columns import known_role
from bertillon.io.convert import texts
from bertillon.io.no_scores import PICKLES
from bertillon.io.registry import TemplateFormat, TemplateRequest, register
from bertillon.io.source import Head, Source, look
from bertillon.io.templates import owners
from bertillon.io.templates.assemble import RAGGED, Parts, Templates
from bertillon.io.templates.owners import Labels, TemplateColumns
from bertillon.io.templates.points import RECORD_MAGIC

Arrays = Mapping[str, NDArray[Any]]
FAILED = "failed_"  # begins the names of arrays about samples that gave no template
_NAMELESS = ("column 1", "Unnamed: 0", "__index_level_0__")  # ours, and what pandas calls it in CSV and in Parquet


def read_npy(source: Source, request: TemplateRequest) -> Parts:
    array = npy.load_array(source, source.content, mapped=True)
    if array.ndim < 2:
        raise source.error(f"the array has shape {array.shape}; one template per row is expected")
    if request.labels is None:
        raise source.error(
            "does not state the subject of each template; give labels: a CSV or Parquet file with a column subject, "
            "or an array of subjects, one a template"
        )
    name_words = re.split("[._-]", source.path.name.lower())  # iris_codes.npy holds codes
    kind = next((word for word in ("codes", "iris", "histograms", "histogram") if word in name_words), "")
    return _labelled(source, array, request.labels, kind)


def _labelled(source: Source, array: NDArray[Any], labels: Labels, name: str) -> Parts:
    owners.require_length(labels, len(array), source.name)
    return Parts(array, labels.subject, labels.sample, None, dict(labels.metadata), name=name)


def read_hdf5(source: Source, request: TemplateRequest) -> Parts:
    """The datasets of an HDF5 file, known by the last part of their path."""
    with hdf5.opened(source) as file:
        arrays = hdf5.all_values(source, file)
        nowhere = hdf5.dangling(file)
    short = {name.rpartition("/")[2]: array for name, array in arrays.items()}
    parts = _from_arrays(source, short if len(short) == len(arrays) else arrays, request)
    parts.notes += [say("reading.dangling_links", names=listed(nowhere))] if nowhere else []
    return parts


def read_archive(source: Source, request: TemplateRequest) -> Parts:
    """The arrays of a numpy archive, or the variables of a MATLAB file with the fields of structs among them."""
    load = npy.load_arrays if look(source).raw.startswith(npy.ARCHIVES) else mat.load_arrays
    return _from_arrays(source, load(source), request)


def _from_arrays(source: Source, arrays: Arrays, request: TemplateRequest) -> Parts:
    model, notes, arrays = _origin(arrays)
    wide = [name for name, array in arrays.items() if array.ndim > 1]
    columns = owners.find_columns(source.name, list(arrays), request.columns, ("template", "subject", "sample", "mask"))
    name = columns.column.get("template")
    if name is None and len(wide) == 1:
        name = wide[0]
    if name is None and request.kind in RAGGED:
        return _one_each(source, arrays, request)
    if name is None or arrays[name].ndim < 2:
        raise source.error(
            "holds no array of templates: one of two dimensions called embeddings, templates, features, vectors, X or "
            f"codes is expected; say which it is with --column template=NAME. Present: {npy.described(arrays)}"
        )
    parts = _owned(source, arrays, name, columns.column, request.labels)
    mask = columns.column.get("mask")
    parts.masks = arrays[mask] if mask and arrays[mask].ndim > 1 else None
    _add_rest(parts, arrays, columns)
    size = f"{' x '.join(map(str, arrays[name].shape[1:]))} {arrays[name].dtype}"
    parts.model = model
    parts.notes += notes
    parts.notes.insert(0, say("reading.array", name=repr(name), n=len(arrays[name]), size=size))
    return parts


def _origin(arrays: Arrays) -> tuple[str, list[Message], Arrays]:
    """The model that made the templates, a note on photos that gave none, and the other arrays."""
    stated, failed = arrays.get("model"), arrays.get(f"{FAILED}sample")
    known = stated is not None and stated.ndim == 0 and stated.dtype.kind in "US"
    rest = {
        name: array for name, array in arrays.items() if not name.startswith(FAILED) and not (known and name == "model")
    }
    model = str(texts(stated.reshape(1))[0]) if known and stated is not None else ""
    notes = [say("reading.model", model=repr(model))] if model else []
    return (
        model,
        notes + ([say("reading.failed_photos", n=len(failed))] if failed is not None and len(failed) else []),
        rest,
    )


def _owned(source: Source, arrays: Arrays, name: str, column: Mapping[str, str], labels: Labels | None) -> Parts:
    """The templates with their subjects, from the labels where given, else from the file."""
    subject, n = column.get("subject"), len(arrays[name])
    if labels is not None:
        sample = arrays[column["sample"]] if "sample" in column else None
        known = texts(sample) if sample is not None and sample.shape == (n,) else None
        ordered = owners.in_order(labels, known, source.name)
        parts = _labelled(source, arrays[name], ordered, name)
        parts.notes += [*ordered.notes, *owners.note_unused_labels(labels, subject)]
        return parts
    if subject is None:
        found = f"has templates {name!r} and no array of their subjects ({owners.SUBJECT_NAMES}); give labels"
        raise source.error(f"{found}, or say which it is with --column subject=NAME. Present: {npy.described(arrays)}")
    if arrays[subject].shape != (len(arrays[name]),):
        problem = f"{name!r} holds {len(arrays[name]):,} templates, but {subject!r} has shape {arrays[subject].shape}"
        raise source.error(f"{problem}; one subject per template is expected")
    return Parts(arrays[name], texts(arrays[subject]), name=name)


def _add_rest(parts: Parts, arrays: Arrays, known: TemplateColumns) -> None:
    """Sample ids and metadata; what does not fit is left out and said."""
    n, left_out, column = len(parts.templates), [], known.column
    for name, array in arrays.items():
        if name in (parts.name, column.get("subject")) or (name == column.get("mask") and array.ndim > 1):
            continue
        if array.shape != (n,):
            left_out.append(name)
        elif name == column.get("sample") and parts.sample is None:
            parts.sample = texts(array)
        else:
            parts.metadata.setdefault(known.metadata.get(name, name), array)
    if left_out:
        parts.notes.append(say("reading.arrays_left_out", names=listed(left_out)))


def _one_each(source: Source, arrays: Arrays, request: TemplateRequest) -> Parts:
    templates, names = list(arrays.values()), list(arrays)
    sample, labels = np.array(names, dtype=np.str_), request.labels
    if labels is not None:
        owners.require_length(labels, len(templates), source.name)
        return Parts(templates, labels.subject, sample, None, dict(labels.metadata))
    found = owners.owners_by_name(names, names, source.name, request.subject)
    return Parts(templates, np.array(found.subject, dtype=np.str_), sample, notes=[found.note])


def read_table(source: Source, request: TemplateRequest) -> Parts:
    labels, columns = request.labels, request.columns
    frame = owners.read_frame(source, columns, features=True, labelled=labels is not None)
    if frame.height == 0:
        raise source.error("has no rows; a table with templates is expected")
    known = owners.find_columns(source.name, frame.columns, columns, ("subject", "sample"))
    if labels is None:
        owners.require_subject(source, known.column, frame.columns)
    else:
        owners.require_length(labels, frame.height, source.name)
    column = _list_column(source, frame, known)
    index = _index(frame, known)
    frame = frame.drop(index)
    features = [column] if column else _features(source, frame, known)
    if labels is not None and request.kind is None:
        _refuse_scores(source, features)
    templates = _lists(source, frame[column]) if column else np.ascontiguousarray(frame.select(features).to_numpy())
    rest = {name: frame[name] for name in frame.columns if name not in {*features, *known.column.values()}}
    parts = _parts(source, templates, frame, known, labels)
    parts.metadata |= {known.metadata.get(name, name): values for name, values in rest.items()}
    parts.name = column or ""
    parts.square = labels is not None and (bool(column) or all(name.isdecimal() for name in features))
    features_note = say("reading.feature_columns", n=len(features), names=listed(features, 6))
    parts.notes.append(say("reading.template_column", name=repr(column)) if column else features_note)
    parts.notes += [say("reading.metadata", names=listed(rest))] if rest else []
    parts.notes += owners.note_unused_labels(labels, known.column.get("subject"))
    parts.notes += [say("reading.index_left_out", name=repr(name)) for name in index]
    return parts


def _parts(
    source: Source, templates: Templates, frame: pl.DataFrame, known: TemplateColumns, labels: Labels | None
) -> Parts:
    sample = owners.ids(source, frame[known.column["sample"]]) if "sample" in known.column else None
    if labels is not None:
        labels = owners.in_order(labels, sample, source.name)
        named = labels.sample if sample is None else sample
        return Parts(templates, labels.subject, named, None, dict(labels.metadata), list(labels.notes))
    return Parts(templates, owners.ids(source, frame[known.column["subject"]]), sample)


def _is_list(frame: pl.DataFrame, name: str) -> bool:
    return bool(frame[name].dtype.is_nested()) and hasattr(frame[name].dtype, "inner")


def _list_column(source: Source, frame: pl.DataFrame, known: TemplateColumns) -> str | None:
    if "template" in known.column:
        return known.column["template"] if _is_list(frame, known.column["template"]) else None
    lists = [name for name in frame.columns if _is_list(frame, name)]
    named = [name for name in lists if owners.kind_by_name(name)]
    if len(lists) > 1 and len(named) != 1:
        raise source.error(f"several columns hold lists: {listed(lists)}; say which with --column template=NAME")
    return next(iter(named or lists), None)


def _index(frame: pl.DataFrame, known: TemplateColumns) -> list[str]:
    """The first column where it has no name and counts the rows from 0 or 1: the index of a table that pandas wrote."""
    name = frame.columns[0]
    taken = {*known.column.values(), *known.metadata}
    if name not in _NAMELESS or name in taken or not frame[name].dtype.is_numeric():
        return []
    steps = frame[name].to_numpy() - np.arange(frame.height)
    return [name] if np.all(steps == 0) or np.all(steps == 1) else []


def _features(source: Source, frame: pl.DataFrame, known: TemplateColumns) -> list[str]:
    taken = {*known.column.values(), *known.metadata} - {known.column.get("template", "")}
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
    if missing := column.null_count():
        raise source.error(f"column {column.name!r} is empty in {missing:,} rows; each must hold a template")
    nested = column if isinstance(column.dtype, pl.List) else column.arr.to_list()
    inner = cast(Any, nested.dtype).inner
    if inner.is_nested():
        return [_points(source, column.name, rows) for rows in nested.to_list()]
    if not inner.is_numeric():
        raise source.error(f"column {column.name!r} holds lists of {inner}, not of numbers")
    lengths = nested.list.len().to_numpy()
    if not lengths.all():
        empty = int((lengths == 0).sum())
        raise source.error(f"column {column.name!r} has empty lists, {empty:,} of them; remove them")
    values = nested.explode()
    flat = (values.fill_null(float("nan")) if values.null_count() else values).to_numpy()
    if (lengths == lengths[0]).all():
        return np.ascontiguousarray(flat.reshape(len(lengths), -1))
    return [part.copy() for part in np.split(flat, np.cumsum(lengths)[:-1])]


def _points(source: Source, name: str, rows: list[Any]) -> NDArray[Any]:
    try:
        return np.array(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        problem = f"column {name!r} holds points with different numbers of axes or without a number"
        raise source.error(problem) from error


def fits_text(head: Head) -> bool:
    """Anything that no other format claims: the reader says so where it is no text."""
    return not head.raw.startswith(parquet.MAGIC)


_FMR = "one ISO/IEC 19794-2 record, read from a folder of them"
_MAT = "variables of the same length, known by their names"
_NPZ = "an array of templates, others of the same length for the rest"
_PICKLE = "is a pickle, which can run code and is refused; save the templates as .npy, .npz or Parquet"
_RECORD = "is one minutiae record; give the folder that holds it and the others"
_HDF5 = "datasets of the same length, known by their names"
_PARQUET = "a column of lists of numbers, or a column a feature"
register(
    TemplateFormat("pickle", "pickled objects, refused", 0, None, refusal=_PICKLE, magic=PICKLES),
    TemplateFormat("fmr", _FMR, 0, None, refusal=_RECORD, magic=(RECORD_MAGIC,)),
    TemplateFormat("npy", "rows of numbers, with labels beside them", 0, None, read_npy, magic=(npy.MAGIC,)),
    TemplateFormat("npz", _NPZ, 0, None, read_archive, by_name=True, magic=npy.ARCHIVES),
    TemplateFormat("hdf5", _HDF5, 0, None, read_hdf5, by_name=True, magic=(hdf5.MAGIC,)),
    TemplateFormat("mat", _MAT, 0, mat.fits, read_archive, by_name=True, magic=(mat.START,)),
    TemplateFormat("parquet", _PARQUET, 0, None, read_table, magic=(parquet.MAGIC,)),
    TemplateFormat("csv", "delimited text, a column a feature", 5, fits_text, read_table),
)
