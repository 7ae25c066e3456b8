"""A large job done in pieces: which engine does them, in which rounds, and what is kept of them on disk.

Conventions: a piece is a number. What pieces find is merged in any order with the same outcome, so the answer does not
depend on the engine, on the number of workers or on where a run was cut off. With a checkpoint the pieces are done in
rounds of a few seconds, and what is finished is written after each.

Holds `Job` and `Findings` (what a job offers), `Engine` with `Threads`, and `run_job`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertillon.engine.checkpoint import Checkpoint
from bertillon.engine.progress import Progress
from bertillon.engine.workers import available_cores, each_on_its_own

ROUND = 2.0  # seconds of work between two writings of a checkpoint
WRITING = 0.05  # share of the time that may go into writing


class Findings(Protocol):
    """What was found in some pieces."""

    def merge(self, other: Self) -> None:
        """Add what was found in other pieces."""

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays, for a file."""


Found = TypeVar("Found", bound=Findings)


class Job(Protocol[Found]):
    """Work that comes in pieces; where it goes to other processes it is pickled."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How much there is to do in each piece."""

    def begin(self) -> Found:
        """Nothing found yet."""

    def do(self, found: Found, piece: int) -> None:
        """Do one piece."""

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> Found:
        """What a file kept."""


class Engine(Protocol):
    """Does pieces of a job somewhere."""

    @property
    def workers(self) -> int:
        """How many pieces are done at a time."""

    def run(self, job: Job[Found], pieces: Sequence[int], done: Callable[[int], None]) -> Found:
        """Do these pieces, telling of each as it is done; what they found together."""


class Threads:
    """The cores of this machine."""

    @property
    def workers(self) -> int:
        return available_cores()

    def run(self, job: Job[Found], pieces: Sequence[int], done: Callable[[int], None]) -> Found:
        def work(found: Found, place: int) -> None:
            job.do(found, pieces[place])
            done(pieces[place])

        first, *others = each_on_its_own(work, len(pieces), job.begin)
        for other in others:
            first.merge(other)
        return first


def run_job(job: Job[Found], *, engine: Engine, progress: Progress, checkpoint: Checkpoint | None = None) -> Found:
    """All pieces of a job; those a checkpoint knows are not done again."""
    sizes = job.sizes
    finished, found = np.zeros(sizes.size, dtype=np.bool_), job.begin()
    progress.begin(int(sizes.sum()), "comparing")
    kept = checkpoint.load() if checkpoint else None
    if kept is not None:
        finished, found = kept.pop("finished").astype(np.bool_), job.from_arrays(kept)
        progress.advance(int(sizes[finished].sum()))
    ahead = np.flatnonzero(~finished).tolist()
    pace = _Pace(engine.workers) if checkpoint else None
    while ahead:
        number = len(ahead) if pace is None else min(pace.pieces, len(ahead))
        now, ahead = ahead[:number], ahead[number:]
        started = time.monotonic()
        found.merge(engine.run(job, now, lambda piece: progress.advance(int(sizes[piece]))))
        finished[now] = True
        if checkpoint and pace:
            worked, started = time.monotonic() - started, time.monotonic()
            checkpoint.save({"finished": finished, **found.to_arrays()})
            pace.learn(worked, time.monotonic() - started)
    return found


class _Pace:
    """How many pieces make a round: a few seconds' worth, and longer where writing takes its time."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.pieces = 2 * workers

    def learn(self, worked: float, wrote: float) -> None:
        wanted = max(ROUND, wrote / WRITING)
        self.pieces = max(self.workers, min(4 * self.pieces, round(self.pieces * wanted / max(worked, 1e-3))))
