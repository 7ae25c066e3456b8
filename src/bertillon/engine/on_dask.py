"""Pieces of a job on the workers of a dask cluster: one started here, or a running one.

Conventions: the job (its templates, made ready) is sent to every worker once; the pieces go out in handfuls, several a
worker, and come back merged. A handful whose worker dies is given to another; where the workers that held the job are
all gone it is sent again. Each worker does one piece at a time with one thread of linear algebra.

Holds `Dask`, an engine that is to be closed (`with Dask() as engine`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

from bertillon.engine.jobs import Found, Job
from bertillon.engine.workers import available_cores, one_thread_of_algebra
from bertillon.errors import InputError

HANDFULS = 16  # a worker
TRIES = 3


class Dask:
    """A dask cluster: as many local processes as there are cores, or the one whose scheduler is named."""

    def __init__(self, scheduler: str | None = None, *, workers: int | None = None) -> None:
        distributed = _distributed()
        self._cluster = None
        if scheduler is None:
            self._cluster = distributed.LocalCluster(
                n_workers=workers or available_cores(), threads_per_worker=1, dashboard_address=None
            )
        try:
            self.client: Any = distributed.Client(self._cluster or scheduler, timeout="10s")
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(
                f"--scheduler: no dask scheduler answers at {scheduler} ({error}); expected an address such as "
                "tcp://host:8786"
            ) from error

    @property
    def workers(self) -> int:
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def run(self, job: Job[Found], pieces: Sequence[int], done: Callable[[int], None]) -> Found:
        whole, ahead = job.begin(), list(pieces)
        for last_try in (*[False] * (TRIES - 1), True):
            ahead = self._try(job, ahead, whole, done, last_try=last_try)
            if not ahead:
                break
        return whole

    def _try(
        self, job: Job[Found], pieces: Sequence[int], whole: Found, done: Callable[[int], None], *, last_try: bool
    ) -> list[int]:
        """Do the pieces; those that were lost with their workers are returned, or raised in the end."""
        distributed = _distributed()
        sent = self.client.scatter(job, broadcast=True)
        size = max(1, len(pieces) // (HANDFULS * self.workers))
        handfuls = [list(pieces[start : start + size]) for start in range(0, len(pieces), size)]
        futures = {self.client.submit(_do, sent, handful, pure=False): handful for handful in handfuls}
        lost: list[int] = []
        for future in distributed.as_completed(futures):
            handful = futures[future]
            if future.status == "finished":
                whole.merge(future.result())
                for piece in handful:
                    done(piece)
            elif not last_try and _was_lost(future):
                lost += handful
            else:
                future.result()  # raises what went wrong
            future.release()
        return lost

    def close(self) -> None:
        """Take leave of the cluster, and end it where it was started here."""
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _do(job: Job[Found], pieces: Sequence[int]) -> Found:
    """Runs on a worker."""
    found = job.begin()
    with one_thread_of_algebra():
        for piece in pieces:
            job.do(found, piece)
    return found


def _was_lost(future: Any) -> bool:
    """The worker or the job it held is gone; the work itself did not fail."""
    distributed = _distributed()
    if future.status in ("cancelled", "lost"):
        return True
    return isinstance(future.exception(), distributed.scheduler.KilledWorker)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise InputError("--engine dask needs dask: install bertillon[dask]") from error
    return distributed
