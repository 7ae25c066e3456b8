"""Files to score sets in one call, or to a stream of scores that is read a batch at a time.

Conventions of a stream: all files are parts of one system, in the format of the first, and their columns are understood
alike. Two plain lists are the mated (genuine) scores and the non-mated (impostor) ones, as ever; of more lists nothing
says which are which. A name with *, ? or [ that is no file stands for the files it matches, in order. A part may be
empty.

Holds `read_scores`, `read_systems`, `stream_scores` and `expand`.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

import numpy as np

from bertillon.core.arguments import Keywords, as_path
from bertillon.core.errors import InputError
from bertillon.core.messages import Text, chained, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ComparisonTable
from bertillon.counting.slices import split_by_class
from bertillon.io.batches import Batched, open_as, tables_of
from bertillon.io.registry import FIELDS, Fields, Request, read_as
from bertillon.trials.from_tables import require_consistent, systems_from
from bertillon.trials.score_set import FloatArray, ScoreSet, ScoreStream

AnyPath = str | os.PathLike[str]
_NONE = np.empty(0)


class Streaming(Fields, total=False):
    """What may be said of comparisons."""

    rule: AcceptRule | str | None
    trust: str | None


class Reading(Streaming, total=False):
    """What may be said of comparisons that are read whole."""

    mask: AnyPath | None
    ids: bool
    all_against_all: bool | None


STREAMING = Keywords(Streaming, **FIELDS.defaults, rule=None, trust=None)
READING = Keywords(Reading, **STREAMING.defaults, mask=None, ids=True, all_against_all=None)


@READING
def read_scores(*paths: AnyPath, **how: Unpack[Reading]) -> ScoreSet:
    """Read one system: a table with labels, a genuine and an impostor list, or scores and their trials.

    Parameters
    ----------
    *paths
        One file, or a genuine and an impostor list.
    rule
        "similarity" or "distance"; overrides what the file says.
    format
        The format, where its content does not tell.
    columns
        What columns are called, as in `{"score": "llr", "label": "target"}`.
    mask
        A file that marks mated cells of a matrix.
    ids
        False leaves out who was compared, which is faster.
    values
        What labels mean, as in `{"target": "mated", "nontarget": "nonmated", "spoof": "attack"}`.
    failed
        Scores that stand for failed comparisons.
    all_against_all
        Whether a square matrix holds templates against themselves; its symmetry tells otherwise.
    trust
        "labels" or "subjects", where these contradict each other.

    Returns
    -------
    ScoreSet
        The scores of the system.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import bertillon as bt
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> _ = file.write_text("label,score\\nsame,0.9\\ndifferent,0.1\\n")
    >>> bt.read_scores(file).mated.tolist()
    [0.9]
    """
    systems = _systems(paths, how)
    if len(systems) != 1:
        raise InputError(f"{len(paths)} files hold {len(systems)} systems; use read_systems to read several")
    return systems[0]


@READING
def read_systems(paths: Sequence[AnyPath], **how: Unpack[Reading]) -> list[ScoreSet]:
    """Read every system the files hold, in their order; what may be said of them is as in `read_scores`.

    Parameters
    ----------
    paths
        The files.
    format, columns, values, failed, rule, trust, mask, ids, all_against_all
        As in `read_scores`.

    Returns
    -------
    list of ScoreSet
        The scores of each system.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import bertillon as bt
    >>> files = [pathlib.Path(tempfile.mkdtemp()) / name for name in ("old.csv", "new.csv")]
    >>> for file in files:
    ...     _ = file.write_text("label,score\\nsame,0.9\\ndifferent,0.1\\n")
    >>> [system.name for system in bt.read_systems(files)]
    ['old.csv', 'new.csv']
    """
    return _systems(paths, how)


def _systems(paths: Sequence[AnyPath], how: Reading) -> list[ScoreSet]:
    if not paths:
        raise InputError("no file was given; expected scores, or a genuine and an impostor list")
    request = Request.stated(how, mask=how["mask"], ids=how["ids"])
    tables = [read_as(path, request) for path in paths]
    return systems_from(tables, rule=how["rule"], all_against_all=how["all_against_all"], trust=how["trust"])


@STREAMING
def stream_scores(*paths: AnyPath, **how: Unpack[Streaming]) -> ScoreStream:
    """The scores of one system in one or many files, of which no more than a batch is ever held.

    Read are Parquet, text with one comparison per line (also gzipped), .npy and .npz; `rule`, `format`, `columns`,
    `values` and `failed` as in `read_scores`. That labels do not contradict the subjects is looked at in the first
    batch alone; `trust="labels"` leaves it out.

    Parameters
    ----------
    *paths
        The files.
    format, columns, values, failed, rule
        As in `read_scores`.
    trust
        "labels" leaves out the check against subjects.

    Returns
    -------
    ScoreStream
        Scores in batches, for `bt.evaluate`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import bertillon as bt
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, scores in {"genuine.txt": "0.9\\n0.8\\n", "impostor.txt": "0.1\\n0.2\\n"}.items():
    ...     _ = (folder / name).write_text(scores)
    >>> stream = bt.stream_scores(folder / "genuine.txt", folder / "impostor.txt")
    >>> bt.evaluate(stream, "AUC")["AUC"].value
    1.0
    """
    files = expand(paths)
    _require_once(files)
    request = Request.stated(how, ids=False)
    first = open_as(files[0], request)
    parts = [first, *(open_as(file, replace(request, format=first.request.format)) for file in files[1:])]
    part, table = next(((part, table) for part in parts for table in part.tables()), (first, None))
    if table is None:
        raise InputError(f"{files[0]}{' and the other parts' if len(files) > 1 else ''}: no scores; expected some")
    _require_sound(table, next(part.tables(ids=True)), how["trust"])
    stated = None if how["rule"] is None else AcceptRule.of(how["rule"])
    source = _Parts(parts, table, stated or table.rule or AcceptRule.SIMILARITY)
    rows = [part.rows for part in parts]
    return ScoreStream(
        source.batches,
        rule=source.rule,
        name=source.name,
        notes=source.notes,
        expected=None if None in rows else sum(row or 0 for row in rows),
    )


def _require_once(files: Sequence[Path]) -> None:
    seen: dict[str, Path] = {}
    for file in files:
        real = os.path.realpath(file)
        if real in seen:
            raise InputError(f"{file}: is given twice{f' (as {seen[real]} too)' * (seen[real] != file)}; give it once")
        seen[real] = file


def _require_sound(table: ComparisonTable, with_ids: ComparisonTable, trust: str | None) -> None:
    """What is seen only with ids, looked for among the first comparisons.

    Scores with ids are no plain list: they belong to pairs, and nothing says which of these are mated. Labels must not
    contradict the subjects.
    """
    if table.is_plain_list and not with_ids.is_plain_list:
        systems_from([with_ids])
    if trust not in (None, "labels"):
        raise InputError(f"{table.source}: files read in parts are read by their labels; leave out --trust {trust}")
    if not table.is_plain_list and trust is None:
        require_consistent(with_ids)


def expand(paths: Sequence[AnyPath]) -> list[Path]:
    """The files meant: each path itself, or the files a pattern matches."""
    files: list[Path] = []
    for path in paths:
        text = os.fspath(as_path(path))
        pattern = glob.has_magic(text) and not os.path.exists(path)
        matched = sorted(glob.glob(text)) if pattern else [text]
        if not matched:
            raise InputError(f"{path}: matches no file; check the pattern, and the folder it is looked for in")
        files += map(Path, matched)
    if not files:
        raise InputError("no file was given; expected one or more files of scores")
    return files


@dataclass(frozen=True, slots=True)
class _Parts:
    """The files of one system, what their first comparisons were understood as, and the rule that holds for all."""

    parts: Sequence[Batched]
    like: ComparisonTable
    rule: AcceptRule

    def __post_init__(self) -> None:
        if self.like.is_trial_list:
            raise InputError(f"{self.like.source}: a list of trials without scores is not read in parts")
        if self.like.is_plain_list and len(self.parts) != 2:
            raise InputError(
                f"{self.like.source}: plain lists do not say which scores are mated (genuine) and which not; give two "
                f"lists, genuine then impostor (there are {len(self.parts)}), or tables with a column of labels"
            )

    @property
    def name(self) -> str:
        names = [part.path.name for part in self.parts]
        if self.like.is_plain_list:
            return " + ".join(names)
        return names[0] if len(names) == 1 else f"{names[0]} ... {names[-1]}"

    @property
    def notes(self) -> tuple[Text, ...]:
        if self.like.is_plain_list:
            mated, nonmated = (part.path.name for part in self.parts)
            return (say("reading.two_lists", mated=mated, nonmated=nonmated),)
        attacks = [say("reading.attacks_left_out")] if "attack" in self.like.frame.columns else []
        parts = [say("reading.parts", n=len(self.parts))] if len(self.parts) > 1 else []
        return (*self.like.notes, *attacks, *parts)

    def batches(self) -> Iterator[ScoreSet]:
        """The scores of all files, from the beginning."""
        for number, (part, tables) in enumerate(tables_of(self.parts)):
            yield self._set(_NONE, _NONE, part)  # so that a part without scores is known too
            for table in tables:
                self._require_alike(table)
                for mated, nonmated in self._split(table, mated=number == 0):
                    yield self._set(mated, nonmated, part)

    def _set(self, mated: FloatArray, nonmated: FloatArray, part: Batched) -> ScoreSet:
        return ScoreSet(mated, nonmated, rule=self.rule, name=str(part.path))

    def _split(self, table: ComparisonTable, *, mated: bool) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Mated and non-mated scores of a batch; `mated` says which of two plain lists it belongs to."""
        if "attack" in table.frame.columns:
            table = replace(table, frame=table.frame.filter(table.frame["attack"].is_null()).drop("attack"))
        scores = table.frame["score"]
        if table.is_plain_list:
            pieces = (piece.to_numpy() for piece in scores.get_chunks())
            yield from ((piece, _NONE) if mated else (_NONE, piece) for piece in pieces)
        elif "mated" not in table.frame.columns:
            systems_from([table])  # says that nothing tells the classes apart
        else:
            split = split_by_class(scores, table.frame["mated"])
            yield split.mated, split.nonmated

    def _require_alike(self, table: ComparisonTable) -> None:
        like = self.like
        if not like.is_plain_list and (table.notes, table.rule) != (like.notes, like.rule):
            raise InputError(
                f"{table.source}: understood as: {chained(table.notes)}; but {like.source} as: "
                f"{chained(like.notes)}. Parts of one system must be alike; name the columns with --column"
            )
