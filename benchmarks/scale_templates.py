"""The cases of many templates: 5e9 comparisons in tiles against the bare product, on dask, and gone on with.

bare product   the same tiles multiplied by the same workers, and nothing done with them
threads        the job of the threads, where ours is that of two dask workers

A run takes half a minute and more, so each is timed once, after everything was warmed up on few templates; the answers
of the timed runs must agree.

`python -m benchmarks.scale_templates grow` prints time and memory for 1e6 to 1e10 comparisons.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, TypeVar

import numpy as np

import bertillon as bt
from benchmarks.harness import Case, Measured, Skipped, require
from benchmarks.memory import forget_peak, peak
from benchmarks.templates import Array, faces
from bertillon.counting.tally import CountedScores
from bertillon.counting.tiles.comparisons import TileJob, count_comparisons
from bertillon.engine.jobs import TILE, Checkpoint, Stopped, tiles
from bertillon.engine.workers import run_workers
from bertillon.io.templates import make_templates, read_templates
from bertillon.matching import matcher

PEOPLE, EACH, NUMBERS = 10_000, 10, 512
MEASURES = ("EER", "FNMR@FMR=0.001", "FNMR@FMR=0.000001", "AUC")
WARM_UP = 200  # people
LEFT = 8  # pieces that are still to be done when a run goes on
Answer = TypeVar("Answer")


def timed(work: Callable[[], Answer]) -> tuple[float, Answer]:
    """How long one run takes, and its answer."""
    started = perf_counter()
    answer = work()
    return perf_counter() - started, answer


def plan(people: int) -> tuple[Array, bt.Comparing]:
    """Templates of so many people, and all of them against all."""
    vectors, owner = faces(people, EACH, NUMBERS)
    return vectors, bt.Comparing.plan(make_templates(vectors, owner), matcher("cosine"))


def bare_product(vectors: Array) -> Callable[[], None]:
    """The tiles of all against all, each multiplied and let go."""
    every = list(tiles(len(vectors), len(vectors), triangle=True))

    def multiply(_: None, piece: int) -> None:
        tile = every[piece]
        vectors[tile.rows] @ vectors[tile.columns].T

    return lambda: (run_workers(multiply, len(every), lambda: None), None)[1]


def all_against_all(scale: float) -> Measured:
    """100,000 templates to all measures."""
    bt.evaluate(count_comparisons(plan(WARM_UP)[1]), MEASURES)
    vectors, comparing = plan(_people(scale))
    mine, found = timed(lambda: bt.evaluate(count_comparisons(comparing), MEASURES))
    product, _ = timed(bare_product(vectors))
    require(found.counts["mated"] == len(vectors) * (EACH - 1), "mated comparisons are missing")
    require(sum(found.counts.values()) == len(vectors) * (len(vectors) - 1), "comparisons are missing")
    pairs = len(vectors) * (len(vectors) - 1) / 2
    return Measured(mine / product, mine, product, f"{pairs:.2g} comparisons in tiles of {TILE}")


def memory(scale: float) -> Measured:
    """Peak memory of a process that reads the templates from a file and compares them all."""
    found = alone(_people(scale))
    note = f"{found['templates'] * NUMBERS * 4 / 1e6:.0f} MB of templates in a mapped file"
    return Measured(found["peak"] / 1e6, note=note)


def alone(people: int) -> dict[str, float]:
    """Templates, seconds and peak bytes of a process that does nothing else."""
    vectors, owner = faces(people, EACH, NUMBERS)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "faces.npy"), vectors)
        np.save(Path(folder, "owner.npy"), owner)
        command = [sys.executable, "-m", "benchmarks.scale_templates", folder]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(ran.stdout)
    return found


def main(folder: str) -> None:
    """Print the peak of the whole process, libraries and mapped file included, and how long it compared."""
    small, whose = faces(20, EACH, NUMBERS)
    count_comparisons(bt.Comparing.plan(make_templates(small, whose), matcher("cosine")))  # loads what is compiled
    forget_peak()
    templates = read_templates(Path(folder, "faces.npy"), labels=np.load(Path(folder, "owner.npy")).astype(str))
    started, worked = perf_counter(), process_time()
    bt.evaluate(count_comparisons(bt.Comparing.plan(templates, matcher("cosine"))), MEASURES)
    times = {"seconds": perf_counter() - started, "core_seconds": process_time() - worked}
    print(json.dumps({"templates": len(templates), **times, "peak": peak()}))


def grow() -> None:
    """Print time and memory for 1e6 to 1e10 comparisons."""
    for exponent in range(6, 11):
        found = alone(round(math.sqrt(2 * 10**exponent) / EACH))
        rate = found["templates"] ** 2 / 2 / found["core_seconds"] / 1e6
        print(
            f"1e{exponent} comparisons: {found['templates']:,.0f} templates, {found['seconds']:.2f} s, "
            f"{found['core_seconds']:.2f} s of one core, {rate:,.0f} million a second a core, "
            f"{found['peak'] / 1e6:,.0f} MB",
            flush=True,
        )


def on_dask(scale: float) -> Measured:
    """The throughput of two local dask workers as a share of that of the threads."""
    try:
        from bertillon.engine.on_dask import Dask
    except ImportError as error:
        raise Skipped("dask is not installed") from error
    _, comparing = plan(_people(scale))
    with Dask(workers=2) as engine:
        count_comparisons(plan(WARM_UP)[1], engine=engine)
        ours, found = timed(lambda: count_comparisons(comparing, engine=engine))
    peer, expected = timed(lambda: count_comparisons(comparing))
    _same(found, expected)
    return Measured(peer / ours, ours, peer, f"{len(comparing.templates):,} templates; the peer are the threads")


class Catching:
    """An engine that takes a job and does nothing of it."""

    round = 2.0
    workers = 1
    job: TileJob | None = None

    def run(self, job: Any, pieces: Sequence[int], done: Callable[[int], None]) -> Any:
        self.job = job
        raise KeyboardInterrupt


def resuming(scale: float) -> Measured:
    """What it costs to go on from a checkpoint in which all but a few pieces are finished.

    Comparing everything first would only take time: the pieces of the checkpoint are all filled with what was found in
    one of them, as much as there would be.
    """
    _, comparing = plan(_people(scale))
    with tempfile.TemporaryDirectory() as folder:
        catching = Catching()
        try:
            count_comparisons(comparing, checkpoint=folder, engine=catching)
        except Stopped:
            assert catching.job is not None
        pieces = nearly_finished(catching.job, folder)
        taken, found = timed(lambda: count_comparisons(comparing, checkpoint=folder))
    assert found.people is not None
    require(len(found.people.kept) > pieces, "what was kept is missing")
    return Measured(taken, taken, note=f"{len(comparing.templates):,} templates, {pieces - LEFT:,} pieces finished")


def nearly_finished(job: TileJob, folder: str) -> int:
    """A checkpoint with all pieces of a job but a few; how many pieces there are."""
    found, number = job.begin(), len(job.pieces)
    job.do(found, 1)
    sums = found.pairs.counter(0, 0).sums
    for piece in range(number - LEFT):
        for kept in (found.highest.parts, found.drawn.parts):
            kept[piece] = kept[1]
        sums[piece] = sums[1]
    finished = np.arange(number) < number - LEFT
    Checkpoint(folder, "comparisons", job.identity).save({"finished": finished, **found.to_arrays()})
    return number


def _people(scale: float) -> int:
    return max(20, round(PEOPLE * scale))


def _same(ours: CountedScores, theirs: CountedScores) -> None:
    equal = np.array_equal(ours.tally.errors.false_match, theirs.tally.errors.false_match)
    require(equal and ours.tally.nonmated_moments == theirs.tally.nonmated_moments, "the counts differ")


CASES: Sequence[Case] = (
    Case("5e9 comparisons, bare matrix product", 1.2, all_against_all, "at most"),
    Case("5e9 comparisons, memory", 1000, memory, "at most", "MB"),
    Case("5e9 comparisons, two dask workers", 0.85, on_dask),
    Case("resuming from a checkpoint", 5, resuming, "at most", "s"),
)


if __name__ == "__main__":
    grow() if sys.argv[1] == "grow" else main(sys.argv[1])
