"""From a file to the answer, against polars merely reading the two columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

import bertillon as bt
from benchmarks.data import POINTS, SEED, Scores, answers, draw
from benchmarks.harness import Measured, agree, contest, require
from bertillon.trials.reading import read_scores

ROWS = 10_000_000


def csv(scale: float) -> Measured:
    """label,score in text."""
    return _from_file(scale, "scores.csv", pl.DataFrame.write_csv, pl.read_csv)


def parquet(scale: float) -> Measured:
    """The same two columns as Parquet."""
    return _from_file(scale, "scores.parquet", pl.DataFrame.write_parquet, pl.read_parquet)


def _from_file(scale: float, name: str, write: Callable[..., Any], read: Callable[..., pl.DataFrame]) -> Measured:
    scores = draw(round(ROWS * scale) * 10 // 11)
    expected = answers(scores)

    def check(ours: bt.Evaluation, frame: pl.DataFrame) -> None:
        require(frame.height == scores.size, f"{frame.height} rows were read of {scores.size}")
        agree({measure: ours[measure].value for measure in POINTS}, expected, 1e-12)

    with _stored(scores, name, write) as path:
        times = contest(lambda: bt.evaluate(read_scores(path), POINTS), lambda: read(path), check, repeats=15)
        size = path.stat().st_size
    return Measured(times[0] / times[1], *times, f"{scores.size:,} rows, {size / 2**20:,.0f} MiB")


@contextmanager
def _stored(scores: Scores, name: str, write: Callable[..., Any]) -> Iterator[Path]:
    """The scores in a file of two columns, in a random order, for as long as it is needed."""
    marks, values = scores.labelled()
    order = np.random.default_rng(SEED).permutation(values.size)
    frame = pl.DataFrame({"label": marks[order].astype(np.int8), "score": values[order]})
    with TemporaryDirectory(prefix="bertillon-") as folder:
        path = Path(folder) / name
        write(frame, path)
        yield path
