"""A large job done in pieces: how it is cut, which engine does them, in which rounds, and what is kept of them on disk.

A matrix of comparisons is cut into rectangles that fit in cache. Where it is symmetric only what stands on and right of
the diagonal is made (`triangle`). A piece is a square of such tiles; there are never so many pieces that listing them
is work of its own.

Conventions: to an engine a piece is a number. What pieces find is merged in any order with the same outcome, so the
answer does not depend on the engine, on the number of workers or on where a run was cut off. With a checkpoint the
pieces are done in rounds of a few seconds, and what is finished is written after each. How far a job has come is told
to a `Progress`; whoever watches decides how to show it.

A checkpoint is one file, replaced whole after each round, so that whatever kills the process leaves the last whole one.
It names what it belongs to: a checkpoint of other data, of another question or of another version is refused, never
mixed in. Nothing in it can run code. Where the disk is full the work goes on and says so in the end.

Holds `Tile`, `tiles`, `pieces` and `pieces_between`; `Job` and `PartialResult` (what a job offers), `Engine` with
`Threads`, `run_job`, `Progress` and `NoProgress`, `Stopped`, which is raised when the work is interrupted;
`Checkpoint` and `digest_of`, a short name of arrays; and `LIMITS`, how far a job is cut and how long a cluster is
waited for, read whenever a job runs.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO, Protocol, Self, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.arguments import Keywords
from bertillon.core.errors import InputError
from bertillon.core.files import make_folder, write_whole
from bertillon.core.messages import Message, say
from bertillon.engine.workers import available_cores, run_workers

TILE = 1024  # rows and columns
MAX_WRITING_SHARE = 0.05  # share of the time that may go into writing


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    max_pieces: int = 1 << 15  # tiles of a job; larger jobs have larger tiles
    max_losses: int = 20  # batches that may be lost with their workers before we give up
    connect_timeout: float = 10.0  # seconds until a scheduler must answer
    workers_timeout: float = 60.0  # seconds until workers must be there


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Tile:
    """Rows and columns of one rectangle."""

    rows: slice
    columns: slice

    @property
    def size(self) -> int:
        """Comparisons in the rectangle."""
        return int((self.rows.stop - self.rows.start) * (self.columns.stop - self.columns.start))

    @property
    def on_diagonal(self) -> bool:
        """Its rows and columns are the same templates."""
        return self.rows == self.columns

    def number(self, size: int) -> int:
        """How many tiles of that size cover it."""
        down, across = (-(-(side.stop - side.start) // size) for side in (self.rows, self.columns))
        return int(down * across)

    def cut(self, size: int, width: int | None = None, *, triangle: bool = False) -> Iterator[Tile]:
        """The smaller tiles it is made of, row by row, of so many rows and as many columns, or of that width."""
        for top in range(self.rows.start, self.rows.stop, size):
            first, step = top if triangle and self.on_diagonal else self.columns.start, width or size
            for left in range(first, self.columns.stop, step):
                rows = slice(top, min(top + size, self.rows.stop))
                yield Tile(rows, slice(left, min(left + step, self.columns.stop)))


def tiles(n_rows: int, n_columns: int, *, size: int = TILE, triangle: bool = False) -> Iterator[Tile]:
    """Rectangles of at most size x size that cover the matrix once; only on and right of the diagonal if `triangle`.

    >>> [(t.rows.start, t.columns.start) for t in tiles(4, 4, size=2, triangle=True)]
    [(0, 0), (0, 2), (2, 2)]
    """
    return Tile(slice(0, n_rows), slice(0, n_columns)).cut(size, triangle=triangle)


def pieces(n_rows: int, n_columns: int, *, size: int = TILE, triangle: bool = False) -> list[Tile]:
    """The tiles, or squares of 2 x 2, 4 x 4, ... of them where there would be too many to list.

    >>> len(pieces(1_000_000, 1_000_000, triangle=True))
    30135
    """
    while Tile(slice(0, n_rows), slice(0, n_columns)).number(size) > LIMITS.max_pieces * (2 if triangle else 1):
        size *= 2
    return list(tiles(n_rows, n_columns, size=size, triangle=triangle))


def pieces_between(
    row_borders: Sequence[int], column_borders: Sequence[int], *, size: int = TILE, triangle: bool = False
) -> list[Tile]:
    """The pieces where none may lie across a border; borders go from 0 to the number of rows, or of columns.

    With `triangle` the borders of both sides are the same.

    >>> [(t.rows.start, t.columns.start) for t in pieces_between([0, 1, 3], [0, 1, 3], size=2, triangle=True)]
    [(0, 0), (0, 1), (1, 1)]
    """
    parts = [
        Tile(slice(top, bottom), slice(left, right))
        for top, bottom in pairwise(row_borders)
        for left, right in pairwise(column_borders)
        if bottom > top and right > left and not (triangle and left < top)
    ]
    while sum(part.number(size) for part in parts) > max(LIMITS.max_pieces, len(parts)):
        size *= 2
    return [piece for part in parts for piece in part.cut(size, triangle=triangle)]


class Progress(Protocol):
    """Receives how much work there is, and each time how much of it was done."""

    def begin(self, total: int, what: str) -> None:
        """So many steps are ahead."""

    def resume(self, steps: int) -> None:
        """So many were done before, in an earlier run."""

    def advance(self, steps: int) -> None:
        """So many are done."""


class NoProgress:
    """Nobody watches."""

    def begin(self, *_: object, **__: object) -> None:
        """Nothing to show."""

    resume = advance = begin


class PartialResult(Protocol):
    """What was found in some pieces."""

    def merge(self, other: Self) -> None:
        """Add what was found in other pieces."""

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays, for a file."""


Partial = TypeVar("Partial", bound=PartialResult)


class Job(Protocol[Partial]):
    """Work that comes in pieces; where it goes to other processes it is pickled."""

    @property
    def identity(self) -> dict[str, str]:
        """What a checkpoint belongs to, in words a person can compare."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How much there is to do in each piece."""

    def begin(self) -> Partial:
        """Nothing found yet."""

    def do(self, result: Partial, piece: int) -> None:
        """Do one piece."""

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> Partial:
        """What a file kept."""


class Engine(Protocol):
    """Does pieces of a job somewhere; `round` is how many seconds of work lie between two writings of a checkpoint."""

    round: float

    @property
    def workers(self) -> int:
        """How many pieces are done at a time."""

    def run(self, job: Job[Partial], pieces: Sequence[int], done: Callable[[int], None]) -> Partial:
        """Do these pieces, telling of each as it is done; what they found together."""


class Threads:
    """The cores of this machine."""

    round = 2.0

    @property
    def workers(self) -> int:
        """How many pieces are done at a time."""
        return available_cores()

    def run(self, job: Job[Partial], pieces: Sequence[int], done: Callable[[int], None]) -> Partial:
        """Do these pieces, telling of each as it is done; what they found together."""

        def work(result: Partial, index: int) -> None:
            job.do(result, pieces[index])
            done(pieces[index])

        first, *others = run_workers(work, len(pieces), job.begin)
        for other in others:
            first.merge(other)
        return first


class Checkpoint:
    """A folder that keeps the finished part of one job, in a file named after `what` is done.

    `identity` says which job it is, in words a person can compare.
    """

    def __init__(self, folder: str | os.PathLike[str], what: str, identity: Mapping[str, str]) -> None:
        self.path = make_folder(folder) / f"{what}.npz"
        self.identity = dict(identity)
        self.problem: str | None = None  # why the last writing failed

    def load(self) -> dict[str, NDArray[Any]] | None:
        """What was finished; None where nothing was."""
        if not self.path.exists():
            return None
        arrays = self._read()
        self._require_same(json.loads(bytes(arrays.pop("identity")).decode()))
        return arrays

    @property
    def warnings(self) -> tuple[Message, ...]:
        """What the user must know of it in the end."""
        return (say("warning.checkpoint", problem=self.problem),) if self.problem else ()

    def save(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Replace what was kept. A disk that is full or gone is no reason to lose hours of work: it is remembered."""
        header = np.frombuffer(json.dumps(self.identity).encode(), dtype=np.uint8)
        whole = {"identity": header, **arrays}

        def fill(file: BinaryIO) -> None:
            np.savez(file, allow_pickle=False, check=_checksum(whole), **whole)

        try:
            write_whole(self.path, fill)
            self.problem = None
        except InputError as error:
            self.problem = str(error)

    def _read(self) -> dict[str, NDArray[Any]]:
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            check = arrays.pop("check", None)
            if check is None or bytes(check) != bytes(_checksum(arrays)):
                raise ValueError("its content and its check sum differ")
        except Exception as error:  # a damaged archive makes numpy raise almost anything
            raise InputError(f"{self.path}: is damaged ({error}); remove it to start over: {self._advice()}") from error
        return arrays

    def _require_same(self, theirs: Mapping[str, str]) -> None:
        differing = [name for name in {**theirs, **self.identity} if theirs.get(name) != self.identity.get(name)]
        if differing:
            name = differing[0]
            raise InputError(
                f"{self.path}: belongs to another job: its {name} is {theirs.get(name, 'not known')}, here it is "
                f"{self.identity.get(name, 'not known')}; name another folder, or start over: {self._advice()}"
            )

    def _advice(self) -> str:
        return f"delete {self.path.name} in {self.path.parent}"


def digest_of(arrays: Iterable[NDArray[Any]]) -> str:
    """A short name of all that arrays hold: their types, shapes and content."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape};".encode())
        if array.dtype == object:  # templates of several lengths
            digest.update(digest_of(array).encode())
        elif array.size:
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _checksum(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """A check sum over names and content."""
    names = sorted(arrays)
    whole = [np.frombuffer(" ".join(names).encode(), dtype=np.uint8), *(arrays[name] for name in names)]
    return np.frombuffer(digest_of(whole).encode(), dtype=np.uint8)


class Stopped(KeyboardInterrupt):
    """The work was interrupted; says what is kept of it."""


class Running(TypedDict, total=False):
    """Where a job is done, who watches it, and the folder it is resumed from."""

    progress: Progress | None
    engine: Engine | None
    checkpoint: str | os.PathLike[str] | None


RUNNING = Keywords(Running, progress=None, engine=None, checkpoint=None)


def run_job(
    job: Job[Partial],
    what: str,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> Partial:
    """All pieces of a job; those a checkpoint knows are not done again. `what` says in a word what is done."""
    sizes, chosen, watched = job.sizes, engine or Threads(), progress or NoProgress()
    finished, result = np.zeros(sizes.size, dtype=np.bool_), job.begin()
    watched.begin(int(sizes.sum()), what)
    kept = checkpoint.load() if checkpoint else None
    if kept is not None:
        finished, result = kept.pop("finished").astype(np.bool_), job.from_arrays(kept)
        watched.resume(int(sizes[finished].sum()))
    pace = _Pace(chosen) if checkpoint else None
    try:
        while not finished.all():
            pieces = np.flatnonzero(~finished)[: pace.pieces if pace else None].tolist()
            started = time.monotonic()
            result.merge(chosen.run(job, pieces, lambda piece: watched.advance(int(sizes[piece]))))
            finished[pieces] = True
            if checkpoint and pace:
                worked, started = time.monotonic() - started, time.monotonic()
                checkpoint.save({"finished": finished, **result.to_arrays()})
                pace.learn(worked, time.monotonic() - started)
    except KeyboardInterrupt:
        raise Stopped(_kept_note(checkpoint, int(finished.sum()), finished.size)) from None
    return result


def _kept_note(checkpoint: Checkpoint | None, done: int, total: int) -> str:
    if checkpoint is None:
        return "nothing is kept; with --checkpoint FOLDER finished work is"
    if checkpoint.problem:
        return f"the last checkpoint was not written: {checkpoint.problem}"
    if not done:
        return f"nothing was finished yet that could be kept in {checkpoint.path.parent}"
    return f"{done:,} of {total:,} pieces are kept in {checkpoint.path.parent}; the same command goes on from there"


class _Pace:
    """How many pieces make a round: a few seconds' worth, and longer where writing takes its time."""

    def __init__(self, engine: Engine) -> None:
        self.workers, self.seconds = engine.workers, engine.round
        self.pieces = 2 * self.workers

    def learn(self, worked: float, wrote: float) -> None:
        """Take in how long a round and its writing took."""
        wanted = max(self.seconds, wrote / MAX_WRITING_SHARE)
        self.pieces = max(self.workers, min(4 * self.pieces, round(self.pieces * wanted / max(worked, 1e-3))))
