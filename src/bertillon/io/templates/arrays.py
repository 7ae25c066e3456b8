"""Templates from numpy, HDF5 and MATLAB files: one array of templates, others of the same length for the rest.

Conventions: see `names` for what arrays may be called. An array of another length or of more dimensions is left out and
said to be. The array of an .npy file is mapped, not read: templates larger than memory can be compared. The members of
an .npz archive cannot be mapped and are read. Where no array is called as templates are and the kind is stated as
series or minutiae, each array is one template, called `subject_sample`. Pickled objects are refused: they can run code.

Holds the template formats `npy`, `npz`, `hdf5` and `mat`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import say
from bertillon.core.spelling import listed
from bertillon.io import hdf5, mat, npy
from bertillon.io.convert import texts
from bertillon.io.source import Source
from bertillon.io.templates.assemble import RAGGED, Parts
from bertillon.io.templates.labels import Labels, in_order, note_unused_labels, require_length
from bertillon.io.templates.names import find_columns, owners_by_name, subject_names
from bertillon.io.templates.registry import TemplateFormat, TemplateRequest, register

Arrays = Mapping[str, NDArray[Any]]


def read_npy(source: Source, request: TemplateRequest) -> Parts:
    """Rows of one array, with labels beside them."""
    array = npy.load_array(source, source.content, mapped=True)
    if array.ndim < 2:
        raise source.error(f"the array has shape {array.shape}; one template per row is expected")
    if request.labels is None:
        raise source.error(
            "does not state the subject of each template; give labels: a CSV or Parquet file with a column subject, "
            "or an array of subjects, one a template"
        )
    return _labelled(source, array, request.labels, _name_of(source.path))


def _name_of(path: Path) -> str:
    """What the file is called, where that says its kind: iris_codes.npy holds codes."""
    name_words = path.name.lower().replace(".", "_").replace("-", "_").split("_")
    return next((word for word in ("codes", "iris", "histograms", "histogram") if word in name_words), "")


def _labelled(source: Source, array: NDArray[Any], labels: Labels, name: str) -> Parts:
    require_length(labels, len(array), source.name)
    return Parts(array, labels.subject, labels.sample, None, dict(labels.metadata), name=name)


def read_npz(source: Source, request: TemplateRequest) -> Parts:
    """The arrays of a numpy archive."""
    return _from_arrays(source, npy.load_arrays(source), request)


def read_hdf5(source: Source, request: TemplateRequest) -> Parts:
    """The datasets of an HDF5 file, known by the last part of their path."""
    with hdf5.opened(source) as file:
        arrays = hdf5.all_values(source, file)
        nowhere = hdf5.dangling(file)
    short = {name.rpartition("/")[2]: array for name, array in arrays.items()}
    parts = _from_arrays(source, short if len(short) == len(arrays) else arrays, request)
    parts.notes += [say("reading.dangling_links", names=listed(nowhere))] if nowhere else []
    return parts


def read_mat(source: Source, request: TemplateRequest) -> Parts:
    """The variables of a MATLAB file, fields of structs among them."""
    return _from_arrays(source, mat.load_arrays(source), request)


def _from_arrays(source: Source, arrays: Arrays, request: TemplateRequest) -> Parts:
    wide = [name for name, array in arrays.items() if array.ndim > 1]
    columns = find_columns(source.name, list(arrays), request.columns, ("template", "subject", "sample", "mask"))
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
    _add_rest(parts, arrays, columns.column, {name: role for role, name in columns.metadata.items()})
    size = f"{' x '.join(map(str, arrays[name].shape[1:]))} {arrays[name].dtype}"
    parts.notes.insert(0, say("reading.array", name=repr(name), n=len(arrays[name]), size=size))
    return parts


def _owned(source: Source, arrays: Arrays, name: str, column: Mapping[str, str], labels: Labels | None) -> Parts:
    """The templates with their subjects, from the labels where given, else from the file."""
    subject, n = column.get("subject"), len(arrays[name])
    if labels is not None:
        sample = arrays[column["sample"]] if "sample" in column else None
        known = texts(sample) if sample is not None and sample.shape == (n,) else None
        ordered = in_order(labels, known, source.name)
        parts = _labelled(source, arrays[name], ordered, name)
        parts.notes += [*ordered.notes, *note_unused_labels(labels, subject)]
        return parts
    if subject is None:
        raise source.error(
            f"has templates {name!r} and no array of their subjects ({subject_names()}); give labels, or say "
            f"which it is with --column subject=NAME. Present: {npy.described(arrays)}"
        )
    if arrays[subject].shape != (len(arrays[name]),):
        raise source.error(
            f"{name!r} holds {len(arrays[name]):,} templates, but {subject!r} has shape {arrays[subject].shape}; "
            "one subject per template is expected"
        )
    return Parts(arrays[name], texts(arrays[subject]), name=name)


def _add_rest(parts: Parts, arrays: Arrays, column: Mapping[str, str], renamed: Mapping[str, str]) -> None:
    """Sample ids and metadata; what does not fit is left out and said."""
    n, left_out = len(parts.templates), []
    for name, array in arrays.items():
        if name == parts.name or (name == column.get("subject")) or (name == column.get("mask") and array.ndim > 1):
            continue
        if array.shape != (n,):
            left_out.append(name)
        elif name == column.get("sample") and parts.sample is None:
            parts.sample = texts(array)
        else:
            parts.metadata.setdefault(renamed.get(name, name), array)
    if left_out:
        parts.notes.append(say("reading.arrays_left_out", names=listed(left_out)))


def _one_each(source: Source, arrays: Arrays, request: TemplateRequest) -> Parts:
    """Every array is a template of its own."""
    templates, names = list(arrays.values()), list(arrays)
    sample, labels = np.array(names, dtype=np.str_), request.labels
    if labels is not None:
        require_length(labels, len(templates), source.name)
        return Parts(templates, labels.subject, sample, None, dict(labels.metadata))
    owners = owners_by_name(names, names, source.name, request.subject)
    return Parts(templates, np.array(owners.subject, dtype=np.str_), sample, notes=[owners.note])


register(
    TemplateFormat("npy", "rows of numbers, with labels beside them", 0, npy.fits, read_npy),
    TemplateFormat(
        "npz",
        "an array of templates, others of the same length for the rest",
        0,
        npy.fits_archive,
        read_npz,
        by_name=True,
    ),
    TemplateFormat("hdf5", "datasets of the same length, known by their names", 0, hdf5.fits, read_hdf5, by_name=True),
    TemplateFormat("mat", "variables of the same length, known by their names", 0, mat.fits, read_mat, by_name=True),
)
