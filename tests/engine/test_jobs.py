"""Pieces are each done once, in rounds, and what was finished before a fault is not done again."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from engine.cases import Summing, squares

from bertillon.engine import LIMITS, Checkpoint, Stopped, Threads, jobs, pieces, run_job, tiles, workers


class Watching:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.total, self.before, self.done = 0, 0, 0

    def begin(self, total: int, what: str) -> None:
        self.total = total

    def resume(self, steps: int) -> None:
        self.before = steps

    def advance(self, steps: int) -> None:
        self.done += steps


def kept(folder: Path, n: int = 50) -> Checkpoint:
    return Checkpoint(folder, "sums", Summing(n).identity)


@pytest.mark.parametrize("cores", [1, 2, 3])
@pytest.mark.parametrize("with_checkpoint", [False, True])
def test_every_piece_is_done_once(cores, with_checkpoint, tmp_path, monkeypatch) -> None:
    for place in (workers, jobs):
        monkeypatch.setattr(place, "available_cores", lambda: cores)
    watching = Watching()
    found = run_job(Summing(50), "adding", progress=watching, checkpoint=kept(tmp_path) if with_checkpoint else None)
    assert found.total == squares(50)
    assert sorted(found.pieces) == list(range(50))
    assert (watching.total, watching.before, watching.done) == (50, 0, 50)


def test_finished_work_is_not_done_again_after_a_fault(tmp_path: Path) -> None:
    def break_at(piece: int) -> None:
        if piece == 30:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_job(Summing(50, break_at), "adding", checkpoint=kept(tmp_path))
    again, watching = [], Watching()
    found = run_job(Summing(50, again.append), "adding", checkpoint=kept(tmp_path), progress=watching)
    assert found.total == squares(50)
    assert 20 <= len(again) < 50
    assert watching.before + len(again) == 50
    third = []
    assert run_job(Summing(50, third.append), "adding", checkpoint=kept(tmp_path)).total == squares(50)
    assert third == []


def test_an_interrupt_says_what_is_kept(tmp_path: Path) -> None:
    def interrupt_at(piece: int) -> None:
        if piece == 40:
            raise KeyboardInterrupt

    with pytest.raises(Stopped, match="nothing is kept; with --checkpoint FOLDER"):
        run_job(Summing(50, interrupt_at), "adding")
    with pytest.raises(Stopped, match=rf"\d+ of 50 pieces are kept in {tmp_path}; the same command goes on"):
        run_job(Summing(50, interrupt_at), "adding", checkpoint=kept(tmp_path))
    again: list[int] = []
    assert run_job(Summing(50, again.append), "adding", checkpoint=kept(tmp_path)).total == squares(50)
    assert len(again) < 50
    with pytest.raises(Stopped, match="nothing was finished yet"):
        run_job(Summing(9, lambda _: interrupt_at(40)), "adding", checkpoint=Checkpoint(tmp_path / "b", "sums", {}))


def test_rounds_grow_until_writing_is_a_small_part() -> None:
    """A round of 4 pieces in 10 ms grows fourfold each time, until one takes the seconds that are wanted."""
    pace = jobs._Pace(Threads())
    begin = pace.pieces
    pace.learn(worked=0.01, wrote=0.0)
    assert pace.pieces == 4 * begin
    pace.pieces = 100
    pace.learn(worked=2.0, wrote=1.0)  # 1 s of writing asks for 20 s of work
    assert pace.pieces == 400
    pace.pieces = 1000
    pace.learn(worked=100.0, wrote=0.0)
    assert pace.pieces == 20


@pytest.mark.parametrize(("n", "m", "triangle"), [(9, 9, True), (7, 11, False), (1, 1, True), (8, 3, False)])
def test_pieces_are_squares_of_tiles_that_cover_the_matrix_once(n, m, triangle, monkeypatch) -> None:
    monkeypatch.setattr(LIMITS, "max_pieces", 4)
    made = [tile for piece in pieces(n, m, size=2, triangle=triangle) for tile in piece.cut(2, triangle=triangle)]
    assert {(t.rows.start, t.columns.start) for t in made} == {
        (t.rows.start, t.columns.start) for t in tiles(n, m, size=2, triangle=triangle)
    }
    assert sum(t.size for t in made) == sum(t.size for t in tiles(n, m, size=2, triangle=triangle))
    assert len(pieces(n, m, size=2, triangle=triangle)) <= 8


def test_kill_nine_at_random_tiles_costs_only_what_was_not_yet_kept(tmp_path: Path) -> None:
    """20 processes are killed at random tiles, one after the other; what they kept and the rest give one's answer."""
    rng = random.Random(7)
    kills = [str(rng.randrange(4, 20)) for _ in range(20)]
    here = Path(__file__).parent
    command = [sys.executable, str(here / "killed.py"), str(tmp_path), *kills]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here.parent), *filter(None, sys.path)])}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    ended, resumed, done, whole, all_of_them = ran.stdout.splitlines()
    assert ended.split() == ["-9"] * 20
    assert resumed == whole
    assert int(done) < int(all_of_them)


def test_findings_survive_the_file_to_the_last_bit(tmp_path: Path) -> None:
    checkpoint = kept(tmp_path)
    run_job(Summing(50), "adding", checkpoint=checkpoint)
    arrays = kept(tmp_path).load()
    assert arrays["finished"].all()
    assert np.sort(arrays["pieces"]).tolist() == list(range(50))
