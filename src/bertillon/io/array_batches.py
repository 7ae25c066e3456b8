"""numpy arrays read a batch at a time: .npy mapped, .npz member by member, packed or not.

Conventions: those of `npy` and `npz`, for a plain list of scores, a label and a score per row, two lists, or arrays of
scores and labels. Matrices with subjects are not read in parts. Pickled objects are refused.

Holds `array_tables`.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import chained, say
from bertillon.core.tables import ComparisonTable
from bertillon.io.assemble import note_roles
from bertillon.io.convert import to_text
from bertillon.io.labels import BatchLabels, LabelError, stated_labels
from bertillon.io.limits import LIMITS, require_memory
from bertillon.io.names import find_roles
from bertillon.io.npy import (
    PLAIN_LIST,
    array_header,
    is_label_array,
    label_and_score,
    load_array,
    mated_and_nonmated,
    require_numbers,
    scored_table,
    two_lists,
)
from bertillon.io.registry import Request
from bertillon.io.source import open_member, open_source

ARRAYS = ("npy", "npz")

Array = NDArray[Any]


def array_tables(path: Path, request: Request) -> Iterator[ComparisonTable]:
    """The comparisons of a file of arrays, a batch at a time."""
    return _npy(path, request) if request.format == "npy" else _npz(path, request)


def _npy(path: Path, request: Request) -> Iterator[ComparisonTable]:
    source = open_source(path)
    array = load_array(source, source.content, mapped=True)
    require_numbers(str(path), array.dtype, "the array")
    label = None if array.ndim == 1 else _label_column(path, array)
    labels = BatchLabels()
    for start in range(0, len(array), LIMITS.batch_rows):
        rows = np.asarray(array[start : start + LIMITS.batch_rows])
        if label is None:
            yield scored_table(str(path), request, say("reading.in_parts", note=PLAIN_LIST), rows)
        else:
            note = say("reading.in_parts", note=label_and_score(label))
            yield scored_table(
                str(path), request, note, rows[:, 1 - label], _label_columns(path, request, labels, rows[:, label])
            )


def _label_column(path: Path, array: Array) -> int:
    """Which of two columns holds the labels, going by the first rows."""
    if array.ndim == 2 and array.shape[1] == 2:
        columns = [column for column in (0, 1) if is_label_array(array[: LIMITS.batch_rows, column])]
        if len(columns) == 1:
            return columns[0]
    raise InputError(
        f"{path}: an array of shape {array.shape} is not read in parts; expected scores in one dimension, or a label "
        "and a score a row"
    )


def _npz(path: Path, request: Request) -> Iterator[ComparisonTable]:
    with ExitStack() as opened:
        try:
            archive = opened.enter_context(zipfile.ZipFile(path))
        except Exception as error:  # a wrong directory, an unknown version: zipfile has many words for it
            reason = str(error)[:200]
            raise InputError(f"{path}: the .npz archive is damaged ({reason}); copy or save it again") from error
        known = {name.removesuffix(".npy"): _Member(path, archive, name) for name in archive.namelist()}
        lists = two_lists({name: member.stand_in for name, member in known.items()}) if not request.columns else None
        if lists:
            yield from _lists(path, request, [known[name] for name in lists])
        else:
            yield from _columns(path, request, known)


def _lists(path: Path, request: Request, members: Sequence[_Member]) -> Iterator[ComparisonTable]:
    note = say("reading.in_parts", note=mated_and_nonmated(*(member.name for member in members)))
    for member, mated in zip(members, (True, False), strict=True):
        require_numbers(str(path), member.stand_in.dtype, f"array {member.name!r}")
        for values in member.batches():
            yield scored_table(str(path), request, note, values, {"mated": np.full(values.size, mated)})


def _columns(path: Path, request: Request, known: dict[str, _Member]) -> Iterator[ComparisonTable]:
    flat = [name for name, member in known.items() if member.stand_in.ndim == 1]
    roles = find_roles(str(path), flat, request.columns)
    missing = [role for role in ("score", "mated") if role not in roles.column]
    if missing:
        raise InputError(
            f"{path}: holds neither genuine and impostor lists nor arrays of scores and labels, which are what is read "
            f"in parts; arrays present: {', '.join(map(repr, known)) or 'none'}"
        )
    score, label = (known[roles.column[role]] for role in ("score", "mated"))
    require_numbers(str(path), score.stand_in.dtype, f"array {score.name!r}")
    if score.stand_in.size != label.stand_in.size:
        raise InputError(
            f"{path}: {score.stand_in.size:,} scores for {label.stand_in.size:,} labels; expected one each"
        )
    labels = BatchLabels()
    columns = say("reading.in_parts", note=say("reading.columns_of", kind="numpy"))
    notes = [columns, *note_roles(roles), *roles.notes]
    for values, marks in zip(score.batches(), label.batches(), strict=True):
        yield scored_table(
            str(path), request, chained(notes), values, _label_columns(path, request, labels, marks), roles.rule
        )


class _Member:
    """One array of an archive: its header, and its values when they are asked for."""

    def __init__(self, path: Path, archive: zipfile.ZipFile, name: str) -> None:
        self._path, self._archive, self._file = path, archive, name
        self.name = name.removesuffix(".npy")
        with self._opened() as file:
            dtype, shape = self._header(file)
        self.stand_in: Array = np.broadcast_to(np.empty((), dtype=dtype), shape)  # of no size, for what looks at arrays

    def batches(self) -> Iterator[Array]:
        """The values in their order."""
        with self._opened() as file:
            dtype, (size, *_) = self._header(file)
            require_memory(
                str(self._path),
                min(LIMITS.batch_rows, size) * dtype.itemsize,
                f"a part of array {self.name!r} ({dtype})",
            )
            for start in range(0, size, LIMITS.batch_rows):
                wanted = min(LIMITS.batch_rows, size - start) * dtype.itemsize
                try:
                    content = file.read(wanted)
                except Exception as error:  # a wrong checksum, a broken stream
                    raise self._damaged(str(error)) from error
                if len(content) < wanted:
                    raise self._damaged("it is cut off")
                yield np.frombuffer(content, dtype=dtype)

    def _opened(self) -> IO[bytes]:
        try:
            return open_member(str(self._path), self._archive, self._file)
        except InputError:
            raise
        except Exception as error:
            raise self._damaged(str(error)) from error

    def _header(self, file: IO[bytes]) -> tuple[np.dtype[Any], tuple[int, ...]]:
        try:
            shape, _, dtype = array_header(file)
        except Exception as error:
            raise self._damaged(str(error).partition("\n")[0]) from error
        if dtype.hasobject:
            raise InputError(f"{self._path}: array {self.name!r} holds pickled objects, which are refused")
        return dtype, shape

    def _damaged(self, why: str) -> InputError:
        return InputError(f"{self._path}: array {self.name!r} is damaged ({why[:200]}); copy or save it again")


def _label_columns(path: Path, request: Request, known: BatchLabels, marks: Array) -> dict[str, Any]:
    """`mated`, and `attack` where some are; `known` is what was understood of the batches before."""
    text = marks.dtype.kind == "U"
    values = pl.Series([str(mark) for mark in marks] if text else marks.astype(marks.dtype.newbyteorder("=")))
    try:
        understood = stated_labels(to_text(values), request.values) if request.values else known.to_labels(values)
    except LabelError as problem:
        raise InputError(f"{path}: {problem}") from problem
    return understood.struct.unnest().to_dict() if understood.dtype == pl.Struct else {"mated": understood}
