"""Pieces of a job on the workers of a dask cluster: one started here, or a running one.

Conventions: the job (its templates, made ready) is sent to every worker once; the pieces go out in batches of about
four seconds' work, a few a worker at any time, and come back merged. A batch whose worker dies is given to another;
where the workers that held the job are all gone it is sent again. A worker process does as many pieces at a time as it
has threads, each with one thread of linear algebra. On machines of one kind the answer is that of the threads, to the
last bit. A local cluster has no limit on the memory of a worker (dask would kill a worker that holds more than its
share of the machine, again and again) and waits for workers that are slow to answer, be it for minutes.

Holds `Dask`, an engine that is to be closed (`with Dask() as engine`).
"""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, Self

from numpy.typing import NDArray

from bertillon.core.errors import BertillonError, InputError
from bertillon.engine.jobs import LIMITS, Job, Partial
from bertillon.engine.workers import available_cores, single_blas_thread

IN_FLIGHT = 2  # batches a worker: one in work and one waiting
BATCH_SECONDS = 4.0  # of work in a batch
LAST_BATCH_DIVISOR = 16  # the last batches are so many times smaller
BATCH_SECONDS_PER_WORKER = 0.1  # in large clusters batches are larger, or merging them would hold everybody up
TIMEOUT_SETTINGS = {
    "distributed.comm.timeouts.connect": "120s",
    "distributed.comm.timeouts.tcp": "600s",
    "distributed.scheduler.worker-ttl": None,  # a busy machine may sleep; a dead worker is noticed by its connection
}
MEMORY_SETTINGS = {  # a tile's memory is reused for the next; dask's defaults return it to the system each time
    "distributed.nanny.pre-spawn-environ": {
        "MALLOC_TRIM_THRESHOLD_": 1 << 28,
        "MALLOC_MMAP_THRESHOLD_": 1 << 25,
        "OMP_NUM_THREADS": 1,
    }
}


class Dask:
    """A dask cluster: as many local processes as there are cores, or the one whose scheduler is named."""

    round = 20.0

    def __init__(self, scheduler: str | None = None, *, workers: int | None = None) -> None:
        distributed = _distributed()
        self._cluster = _local_cluster(workers or available_cores()) if scheduler is None else None
        self._sent: tuple[object, Any] | None = None  # the last job, and where the cluster holds it
        self._lost = 0  # times a worker or the job it held was gone
        try:
            self.client: Any = distributed.Client(self._cluster or scheduler, timeout=LIMITS.connect_timeout)
            self.client.wait_for_workers(1, timeout=LIMITS.workers_timeout)
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(
                f"--scheduler: no dask scheduler with workers answers at {scheduler} ({error}); expected an address "
                "such as tcp://host:8786"
            ) from error

    @property
    def workers(self) -> int:
        """How many pieces are done at a time."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def run(self, job: Job[Partial], pieces: Sequence[int], done: Callable[[int], None]) -> Partial:
        """Do these pieces, telling of each as it is done; what they found together."""
        whole, ahead, in_flight = job.begin(), deque(pieces), dict[Any, list[int]]()
        completed = _distributed().as_completed()
        size, self._lost = 1, 0
        while ahead or in_flight:
            while ahead and len(in_flight) < IN_FLIGHT * self.workers:
                batch = [ahead.popleft() for _ in range(batch_size(size, len(ahead), self.workers))]
                future = self.client.submit(_do, self._send(job), batch, pure=False)
                in_flight[future] = batch
                completed.add(future)
            future = next(completed)
            batch = in_flight.pop(future)
            outcome = _outcome_of(future)
            if outcome is None:
                self._count_loss()
                ahead.extendleft(reversed(batch))
                continue
            seconds, arrays = outcome
            whole.merge(job.from_arrays(arrays))
            wanted = max(BATCH_SECONDS, BATCH_SECONDS_PER_WORKER * self.workers)
            size = max(1, min(4 * size, round(wanted / max(seconds / len(batch), 1e-4))))
            for piece in batch:
                done(piece)
        return whole

    def _send(self, job: Job[Partial]) -> Any:
        """The job on all workers; sent again only where it was lost."""
        while self._sent is None or self._sent[0] is not job or self._sent[1].status != "finished":
            try:
                self.client.wait_for_workers(1, timeout=LIMITS.workers_timeout)
                near = self._cluster is not None  # no detour through the scheduler
                self._sent = job, self.client.scatter(job, broadcast=True, hash=False, direct=near or None)
            except (OSError, TimeoutError):  # a worker died, or was too busy to answer, while it was sent
                self._count_loss()
        return self._sent[1]

    def _count_loss(self) -> None:
        self._lost += 1
        if self._lost > LIMITS.max_losses:
            raise BertillonError(
                f"dask workers ended {LIMITS.max_losses} times before their work was done, perhaps for lack of memory; "
                "give them more memory, or use fewer of them"
            )

    def close(self) -> None:
        """Take leave of the cluster, and end it where it was started here."""
        self._sent = None
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def batch_size(size: int, ahead: int, workers: int) -> int:
    """How many of the pieces ahead go out together: `size`, and fewer at the end, so that nobody waits for the last.

    >>> [batch_size(160, ahead, workers=2) for ahead in (10_000, 200, 40, 3)]
    [160, 50, 10, 3]
    """
    share = max(ahead // (IN_FLIGHT * workers), size // LAST_BATCH_DIVISOR)
    return max(1, min(size, share, ahead))


def _do(job: Job[Partial], pieces: Sequence[int]) -> tuple[float, dict[str, NDArray[Any]]]:
    """Runs on a worker: how long the pieces took, and what they found, as few arrays that travel well."""
    started, result = time.monotonic(), job.begin()
    with single_blas_thread():
        for piece in pieces:
            job.do(result, piece)
    return time.monotonic() - started, result.to_arrays()


def _outcome_of(future: Any) -> Any:
    """What a batch found; None where its worker, the job it held or its answer is gone. Raises what went wrong."""
    if future.status in ("cancelled", "lost"):
        return None
    try:
        return future.result()
    except (CancelledError, _distributed().scheduler.KilledWorker):  # the first also while the answer was fetched
        return None


def _local_cluster(workers: int) -> Any:
    import dask

    with dask.config.set({**TIMEOUT_SETTINGS, **MEMORY_SETTINGS}), _ignore_ctrl_c():
        return _distributed().LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )


@contextmanager
def _ignore_ctrl_c() -> Iterator[None]:
    """Processes started meanwhile do not hear Ctrl-C, which the terminal sends to all; who started them ends them."""
    if threading.current_thread() is not threading.main_thread():  # signals are the main thread's
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise InputError("--engine dask needs dask: install bertillon[dask]") from error
    return distributed
