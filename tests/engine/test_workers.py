"""Workers share the pieces, stop together, and pass on what went wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from bertillon.engine import run_workers, tiles, workers


def test_every_piece_is_done_once() -> None:
    done = run_workers(lambda own, piece: own.append(piece), 100, list)
    assert sorted(piece for own in done for piece in own) == list(range(100))


def test_one_core_needs_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "available_cores", lambda: 1)
    (own,) = run_workers(lambda own, piece: own.append((piece, threading.current_thread())), 3, list)
    assert [piece for piece, _ in own] == [0, 1, 2]
    assert {thread for _, thread in own} == {threading.main_thread()}


def test_what_goes_wrong_in_a_worker_is_raised_and_stops_the_others() -> None:
    seen = []

    def work(_: object, piece: int) -> None:
        seen.append(piece)
        if piece == 3:
            raise ZeroDivisionError
        time.sleep(0.001)

    with pytest.raises(ZeroDivisionError):
        run_workers(work, 10_000, object)
    assert len(seen) < 5_000


def test_parts_of_parts_do_not_wait_for_each_other() -> None:
    """Every thread of the pool has parts of its own to wait for, which no other thread is left to do."""
    code = (
        "from bertillon.engine.workers import available_cores, on_threads\n"
        "many = range(4 * available_cores())\n"
        "print(sum(on_threads(lambda part: sum(on_threads(lambda inner: part * inner, many)), many)) == sum(many) ** 2)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "True\n"


def test_an_interrupt_ends_the_work_at_once() -> None:
    done = []

    def work(_: object, piece: int) -> None:
        if piece == 5:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        done.append(piece)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_workers(work, 2_000, object)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(done) < 500


def test_tiles_cover_a_matrix_once() -> None:
    cells = [(i, j) for t in tiles(5, 7, size=3) for i in range(5)[t.rows] for j in range(7)[t.columns]]
    assert sorted(cells) == [(i, j) for i in range(5) for j in range(7)]
    half = list(tiles(7, 7, size=3, triangle=True))
    assert sum(t.size for t in half) == 9 + 9 + 3 + 9 + 3 + 1
    assert sum(t.on_diagonal for t in half) == 3
