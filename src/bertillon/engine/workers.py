"""Workers on threads: each takes the next piece of work until none is left, and keeps what it found to itself.

The linear algebra library is held to one thread a worker meanwhile: its own threads would wait for the next product
on the cores that the workers need.

Holds `run_workers`, `single_blas_thread`, `available_cores` and `is_forked`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeVar

Worker = TypeVar("Worker")
HEARTBEAT = 0.2  # seconds


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def is_forked() -> bool:
    """Was this process forked from one that had loaded polars, which would wait for threads that are not there?"""
    return _forked


def _note_fork() -> None:
    global _forked
    _forked = "polars" in sys.modules


_forked = False
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


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
