"""The work behind an answer stays what it is: passes over the data, openings of files, and comparisons made.

Passes are counted by the batches that a stream is asked for, openings by the audit events of Python, comparisons by a
function that is called for each pair and by a matcher that knows the size of each block.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from net.running import EXAMPLES, run

import bertillon as bt

PEOPLE, IMAGES, WIDTH = 30, 3, 8
TEMPLATES = PEOPLE * IMAGES
ORDERED = TEMPLATES * (TEMPLATES - 1)  # pairs of two templates, both ways

_openings: Counter[str] | None = None  # None while nobody counts


def _on_event(event: str, arguments: tuple[Any, ...]) -> None:
    if _openings is not None and event == "open" and isinstance(arguments[0], str | os.PathLike):
        _openings[Path(arguments[0]).name] += 1


@pytest.fixture(scope="module")
def _audited() -> None:
    sys.addaudithook(_on_event)  # cannot be taken away again, so it does nothing while nobody counts


@pytest.fixture
def openings(_audited: None) -> Iterator[Counter[str]]:
    """How often each file is opened, by name."""
    global _openings
    _openings = Counter()
    yield _openings
    _openings = None


class Walked:
    """Batches of a stream, and how often they were begun and how many were taken."""

    def __init__(self, batches: int, size: int) -> None:
        rng = np.random.default_rng(5)
        self.parts = [(rng.normal(3, 1, size // 10), rng.normal(0, 1, size)) for _ in range(batches)]
        self.begun = self.taken = 0

    def __call__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        self.begun += 1
        for part in self.parts:
            self.taken += 1
            yield part


class Called:
    """A function of two templates that counts its calls."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, probe: np.ndarray, reference: np.ndarray) -> float:
        self.times += 1
        return float(probe @ reference)


def counting_cosine() -> tuple[Any, list[tuple[int, int]]]:
    """The cosine matcher, and the sizes of the blocks that it compared."""
    blocks: list[tuple[int, int]] = []

    class Counting(type(bt.matcher("cosine"))):  # type: ignore[misc]
        def _compare(self, probes: Any, gallery: Any) -> Any:
            blocks.append((len(probes), len(gallery)))
            return super()._compare(probes, gallery)

    return Counting(), blocks


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Any:
    rng = np.random.default_rng(6)
    subject = np.repeat(np.arange(PEOPLE), IMAGES)
    vectors = rng.normal(0, 1, (PEOPLE, WIDTH))[subject] + rng.normal(0, 0.5, (TEMPLATES, WIDTH))
    path = tmp_path_factory.mktemp("templates") / "vectors.npz"
    np.savez(path, embeddings=vectors.astype(np.float32), subject=subject)
    return bt.read_templates(path)


def compared(templates: Any) -> tuple[Any, Called]:
    """All against all with a function that counts."""
    called = Called()
    return bt.Comparing.plan(templates, bt.matching.from_function(called, rule="similarity")), called


@pytest.mark.parametrize("measures", [["EER"], ["EER", "FNMR@FMR=0.001", "AUC"], ["AUC", "dprime"]])
def test_a_stream_that_fits_is_walked_once(measures: list[str]) -> None:
    walked = Walked(4, 10_000)
    bt.evaluate(bt.trials.ScoreStream(walked), measures).with_intervals(resamples=20)
    assert (walked.begun, walked.taken) == (1, 4)


@pytest.mark.slow
@pytest.mark.parametrize("measures", [["EER"], ["EER", "FNMR@FMR=0.001", "AUC"], ["FMR@t=1"]])
def test_a_stream_that_does_not_fit_is_walked_twice(measures: list[str]) -> None:
    walked = Walked(20, 200_000)
    found = bt.evaluate(bt.trials.ScoreStream(walked), measures)
    assert (walked.begun, walked.taken) == (2, 40)
    found.with_intervals(resamples=20)
    assert (walked.begun, walked.taken) == (2, 40)


def test_counting_walks_once() -> None:
    walked = Walked(4, 10_000)
    bt.evaluate(bt.evaluation.count_scores(bt.trials.ScoreStream(walked)), ["EER"])
    assert (walked.begun, walked.taken) == (1, 4)


def test_comparisons_of_a_function_are_made_once(templates: Any) -> None:
    plan, called = compared(templates)
    scores = bt.evaluation.verification_trials(plan)
    assert called.times == ORDERED + TEMPLATES  # the diagonal is made and left out
    bt.evaluate(scores, ["EER", "FNMR@FMR=0.01", "AUC"]).with_intervals(resamples=20)
    assert called.times == ORDERED + TEMPLATES


def test_searches_of_a_function_are_made_once(templates: Any) -> None:
    plan, called = compared(templates)
    searches = bt.evaluation.search_trials(plan)
    assert called.times == ORDERED + TEMPLATES
    bt.evaluate(searches).with_intervals(resamples=20)
    assert called.times == ORDERED + TEMPLATES


def test_a_sample_makes_few_comparisons(templates: Any) -> None:
    plan, called = compared(templates)
    bt.evaluation.verification_trials(plan, sample=(100, 0))
    assert called.times == 2 * PEOPLE * IMAGES + 100  # 180 mated ones, both ways, and the sample


def test_tiles_of_a_function_are_made_once_beside_those_that_say_where_to_look(templates: Any) -> None:
    plan, called = compared(templates)
    bt.counting.count_comparisons(plan, tile=16)
    assert called.times == 12_798


@pytest.mark.parametrize(
    ("work", "cells", "blocks"),
    [
        ("verify", 8100, 1),
        ("small tiles", 9438, 23),
        ("large tiles", 12_798, 3),
        ("search", 8100, 3),
    ],
)
def test_blocks_of_a_symmetric_matcher(templates: Any, work: str, cells: int, blocks: int) -> None:
    matcher, compared_blocks = counting_cosine()
    plan = bt.Comparing.plan(templates, matcher)
    if work == "verify":
        bt.evaluation.verification_trials(plan)
    elif work == "search":
        bt.evaluation.search_trials(plan)
    else:
        bt.counting.count_comparisons(plan, tile=16 if work == "small tiles" else 1024)
    assert (sum(rows * columns for rows, columns in compared_blocks), len(compared_blocks)) == (cells, blocks)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("verify genuine.txt impostor.txt --no-intervals", {"genuine.txt": 4, "impostor.txt": 3}),
        ("verify genuine.txt impostor.txt --resamples 20", {"genuine.txt": 4, "impostor.txt": 3}),
        ("verify border.csv --resamples 20 --people --json out.json --report page.html", {"border.csv": 4}),
        ("compare old.csv new.csv -m EER --resamples 20", {"old.csv": 2, "new.csv": 2}),
        ("classify screening.csv --resamples 20", {"screening.csv": 1}),
        ("identify faces.npz --leave-out 0.25 --resamples 20", {"faces.npz": 2}),
        ("modes faces.npz --leave-out 0.25 --resamples 20", {"faces.npz": 2}),
    ],
)
def test_openings_of_files(
    line: str, expected: dict[str, int], openings: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = run([str(EXAMPLES / part) if part in expected else part for part in line.split()])
    assert code == 0, said
    assert {name: openings[name] for name in expected} == expected


@pytest.mark.slow
def test_openings_of_files_in_several_passes(
    openings: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More scores than a stream keeps, in two text files."""
    monkeypatch.chdir(tmp_path)
    for number, (mated, nonmated) in enumerate(Walked(2, 2_000_000).parts):
        labels = np.repeat([1, 0], [mated.size, nonmated.size])
        _write_scores(Path(f"{number}.csv"), labels, np.concatenate([mated, nonmated]))
    code, said = run(["verify", "0.csv", "1.csv", "--stream", "-m", "EER", "-m", "AUC", "--no-intervals"])
    assert code == 0, said
    assert {name: openings[name] for name in ("0.csv", "1.csv")} == {"0.csv": 9, "1.csv": 7}


def _write_scores(path: Path, labels: np.ndarray, scores: np.ndarray) -> None:
    pl.DataFrame({"label": labels, "score": scores}).write_csv(path)
