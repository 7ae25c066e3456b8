"""The cases of streams: scores that are counted and not held, against polars merely scanning them.

scan       polars adds up the column of scores and that of labels, streaming
memory     the whole process, libraries and compiled kernels included, in a process of its own:
           `python -m benchmarks.scale_streams SCORES`
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import polars as pl

import bertillon as bt
from benchmarks.data import POINTS, SEED, TRUE_EER, FloatArray
from benchmarks.harness import Case, Measured, contest, require
from benchmarks.memory import peak

ROOT = Path(__file__).parents[1]
ROWS, FILES = 100_000_000, 10
SIZES = (10**7, 10**8, 10**9)
COUNTED, EACH, MATED = 1000, 100_000, 2000  # files of counts, scores in each
BATCH = 1 << 20


def parquet(scale: float) -> Measured:
    """Ten files of one system: all passes to the operating points, each held against one scan."""
    with _parts(scale) as paths:
        stream = bt.stream_scores(*paths)
        passes: list[int] = []

        def ours() -> bt.Evaluation:
            return bt.evaluate(stream, POINTS)

        def scan() -> pl.DataFrame:
            sums = [pl.col(name).cast(pl.Float64).sum() for name in ("score", "label")]
            return pl.scan_parquet(paths).select(sums).collect(engine="streaming")

        def check(found: bt.Evaluation, _: pl.DataFrame) -> None:
            passes.append(found.to_dict().get("counted", {"passes": 1})["passes"])
            _require_counted_right(found, paths)

        times = contest(ours, scan, check)
        size = sum(path.stat().st_size for path in paths)
    each = times[0] / passes[0]
    note = f"{round(ROWS * scale):,} rows, {size / 2**20:,.0f} MiB, {passes[0]} passes of {each:.2f} s"
    return Measured(each / times[1], each, times[1], note)


@contextmanager
def _parts(scale: float) -> Iterator[list[Path]]:
    """The scores in files of two columns, for as long as they are needed."""
    rng, rows = np.random.default_rng(SEED), max(1, round(ROWS * scale) // FILES)
    with TemporaryDirectory(prefix="bertillon-") as folder:
        paths = [Path(folder) / f"part-{number:02}.parquet" for number in range(FILES)]
        for path in paths:
            label = rng.random(rows) < 1 / 11
            score = rng.normal(size=rows) + 3.0 * label
            pl.DataFrame({"label": label.astype(np.int8), "score": score}).write_parquet(path)
        yield paths


def _require_counted_right(found: bt.Evaluation, paths: Sequence[Path]) -> None:
    """One operating point counted anew by polars."""
    result = found["FNMR@FMR=0.001"]
    assert result.threshold is not None
    own, others = pl.col("label") == 1, pl.col("label") == 0
    counts = [
        (own & (pl.col("score") < result.threshold)).sum().alias("missed"),
        (others & (pl.col("score") >= result.threshold)).sum().alias("accepted"),
        others.sum().alias("nonmated"),
    ]
    row = pl.scan_parquet(paths).select(counts).collect(engine="streaming").row(0, named=True)
    require(row["missed"] == result.errors, f"{result.errors} false non-matches, counted {row['missed']}")
    require(row["accepted"] <= 0.001 * row["nonmated"], f"{row['accepted']} false matches at FMR = 0.001")


def memory(scale: float) -> Measured:
    """Peak of the largest stream, generated on the fly."""
    size = round(SIZES[-1] * scale)
    found = _child(size)
    return Measured(found["peak"] / 1e6, found["seconds"], note=f"{size:,} scores in {found['passes']} passes")


def growth(scale: float) -> Measured:
    """The peak of the largest stream over that of the smallest."""
    peaks = {round(size * scale): _child(round(size * scale))["peak"] / 1e6 for size in SIZES}
    note = ", ".join(f"{size:.0e}: {megabytes:.0f} MB" for size, megabytes in peaks.items())
    return Measured(max(peaks.values()) / min(peaks.values()), note=note)


@cache
def _child(scores: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.scale_streams", str(scores)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    require(done.returncode == 0, f"the child process failed: {done.stderr.strip()[-300:]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(scores: int) -> None:
    """Print the peak of a process that evaluates so many scores as they are generated."""
    start = perf_counter()
    evaluation = bt.evaluate(bt.trials.ScoreStream(_generated(scores)), POINTS)
    counted = evaluation.to_dict().get("counted", {"passes": 1})
    eer = evaluation["EER"].value
    require(abs(eer - TRUE_EER) < 1e-3 + 5 * (TRUE_EER * 11 / scores) ** 0.5, f"EER is {eer}, the truth {TRUE_EER}")
    print(json.dumps({"peak": peak(), "passes": counted["passes"], "seconds": perf_counter() - start}))


def _generated(scores: int) -> Callable[[], Iterator[tuple[FloatArray, FloatArray]]]:
    """Batches of normal scores: one batch that is drawn, and moved a little each time, so that all differ."""
    rng = np.random.default_rng(SEED)
    mated, nonmated = rng.normal(3.0, 1.0, BATCH // 10), rng.normal(0.0, 1.0, BATCH)

    def batches() -> Iterator[tuple[FloatArray, FloatArray]]:
        left, shift = scores, np.random.default_rng(SEED + 1)
        while left > 0:
            moved, share = 1e-3 * shift.normal(), min(1.0, left / (mated.size + nonmated.size))
            yield mated[: max(1, round(mated.size * share))] + moved, nonmated[: round(nonmated.size * share)] + moved
            left -= mated.size + nonmated.size

    return batches


def merging(scale: float) -> Measured:
    """A thousand files of counts to the answers."""
    from bertillon.cli.sources import read_all

    rng = np.random.default_rng(SEED)
    each = max(1000, round(EACH * scale))
    with TemporaryDirectory(prefix="bertillon-") as folder:
        paths = [Path(folder) / f"{number:04}.counts" for number in range(COUNTED)]
        for path in paths:
            batch = (rng.normal(3.0, 1.0, max(10, MATED * each // EACH)), rng.normal(size=each))
            bt.counting.write_counts(bt.evaluation.count_scores(bt.trials.ScoreStream([batch], name=path.name)), path)
        taken = []
        for _ in range(3):
            start = perf_counter()
            found = bt.evaluate(bt.evaluation.merge_counts(read_all(paths)))
            taken.append(perf_counter() - start)
        size = sum(path.stat().st_size for path in paths)
    require(found.counts["nonmated"] == COUNTED * each, f"{found.counts['nonmated']} non-mated scores were merged")
    require(abs(found["EER"].value - TRUE_EER) < 2e-3, f"EER is {found['EER'].value}, the truth {TRUE_EER}")
    note = f"{COUNTED:,} files, {size / 2**20:,.0f} MiB, {found.counts['nonmated']:,} non-mated scores"
    return Measured(min(taken), min(taken), note=note)


CASES: Sequence[Case] = (
    Case("1e8 scores in Parquet, a pass / polars scan", 1.8, parquet, "at most"),
    Case("stream of 1e9 scores, peak memory", 600, memory, "at most", "MB"),
    Case("stream from 1e7 to 1e9 scores, memory grows", 1.25, growth, "at most"),
    Case("merging 1,000 files of counts", 2.0, merging, "at most", "s"),
)

if __name__ == "__main__":
    main(int(sys.argv[1]))
