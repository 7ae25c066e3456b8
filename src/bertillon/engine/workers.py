"""Work on threads, for functions that release the interpreter lock: parts in order, or workers that take what is next.

Conventions: a worker takes the next piece of work until none is left, and keeps what it found to itself. The linear
algebra library is held to one thread a worker meanwhile: its own threads would wait for the next product on the cores
that the workers need. A forked process has none of the threads of the one it comes from, and would wait for them for
ever: it starts threads of its own.

Holds `on_threads` (any parts, with results), `run_on_threads` (tasks without), `slices_of` (as many as there are
cores); `run_workers`, `single_blas_thread`, `available_cores` and `is_forked`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")
Worker = TypeVar("Worker")
HEARTBEAT = 0.2  # seconds
POOLED = "bertillon-pool"  # begins the names of the threads of the one pool


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def is_forked() -> bool:
    """Was this process forked from one that had loaded polars, which would wait for threads that are not there?"""
    return _forked


def _note_fork() -> None:
    global _forked
    _forked = "polars" in sys.modules


def on_threads(work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """The results of `work` on each part, in order, as many at a time as there are cores.

    Work that is itself a part of such work goes on in its own thread: were every thread to wait for others of the same
    pool, none would be left to do anything.
    """
    if len(parts) <= 1 or threading.current_thread().name.startswith(POOLED):
        return [work(part) for part in parts]
    return list(_pool().map(work, parts))


def run_on_threads(tasks: Sequence[Callable[[], object]]) -> None:
    """Run the tasks on all cores."""
    on_threads(lambda task: task(), tasks)


def slices_of(size: int) -> list[slice]:
    """As many consecutive slices as there are cores."""
    cores = available_cores()
    return [slice(begin, end) for begin, end in pairwise(size * core // cores for core in range(cores + 1))]


@cache
def _pool() -> ThreadPoolExecutor:
    """One pool for all passes: starting threads takes as long as a short pass."""
    return ThreadPoolExecutor(available_cores(), thread_name_prefix=POOLED)


_forked = False
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)
    os.register_at_fork(after_in_child=_pool.cache_clear)


def single_blas_thread() -> AbstractContextManager[object]:
    """The linear algebra library works on one thread as long as this lasts."""
    limits: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limits


@cache
def _libraries() -> Any:
    """Those that are loaded, numpy's among them; looking for them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def run_workers(work: Callable[[Worker, int], object], pieces: int, make_worker: Callable[[], Worker]) -> list[Worker]:
    """Do pieces 0, 1, 2, ... of the work, each by one of as many workers as there are cores; the workers."""
    workers = [make_worker() for _ in range(max(1, min(available_cores(), pieces)))]
    waiting, lock, stopped = iter(range(pieces)), threading.Lock(), threading.Event()

    def run(worker: Worker) -> None:
        try:
            while not stopped.is_set():
                with lock:
                    piece = next(waiting, None)
                if piece is None:
                    return
                work(worker, piece)
        except BaseException:
            stopped.set()  # the others need not go on
            raise

    with single_blas_thread():
        if len(workers) == 1:
            run(workers[0])
            return workers
        with ThreadPoolExecutor(len(workers)) as pool:
            futures = [pool.submit(run, worker) for worker in workers]
            try:
                while wait(futures, timeout=HEARTBEAT).not_done:  # wakes up, so that Ctrl-C is heard at once
                    pass
            finally:
                stopped.set()
        for future in futures:
            future.result()  # what went wrong in a worker is raised here
    return workers
