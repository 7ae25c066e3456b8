"""U1: the default intervals hold the truth of simulated people about as often as they say, and naive ones do not.

A fast version of `benchmarks/coverage.py`: few cells and few simulated tests, with limits so wide that chance alone
breaks them once in a thousand runs, and so narrow that a wrong variance does not pass.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # where the benchmarks are

from benchmarks.coverage import FLOOR, SOME, STRONG, Cell, Row, markdown, run

RUNS = 60


@pytest.fixture(scope="module")
def comparisons() -> dict[str, Row]:
    return {row.measure: row for row in run(Cell("comparisons", 40, STRONG, 3.0, resamples=60), RUNS)}


@pytest.fixture(scope="module")
def searches() -> dict[str, Row]:
    return {row.measure: row for row in run(Cell("searches", 40, STRONG, 4.0, resamples=60), RUNS)}


def test_default_intervals_of_comparisons_hold_the_truth(comparisons: dict[str, Row]) -> None:
    for name in ("FNMR@t", "FMR@t", "EER", "FNMR@FMR=0.01", "AUC"):
        assert comparisons[name].default >= 0.86, name  # 52 of 60: below it once in 1,000 if 95 % is true
    assert sum(row.default for row in comparisons.values()) / len(comparisons) < 0.998  # nor are they all too wide


def test_naive_intervals_of_comparisons_do_not(comparisons: dict[str, Row]) -> None:
    for name in ("FNMR@t", "EER", "AUC"):
        assert comparisons[name].naive < 0.85, name
        assert comparisons[name].wider > 1.5, name


def test_default_intervals_of_searches_hold_the_truth(searches: dict[str, Row]) -> None:
    for row in searches.values():
        assert row.default >= 0.86, row.measure
        assert row.wider > 1.1, row.measure


@pytest.mark.slow
@pytest.mark.parametrize("subjects", [30, 100])
def test_cells_of_the_benchmark(subjects: int) -> None:
    """The bars themselves, with as many runs as it takes to see a miss of three points."""
    for kind, dprime in (("comparisons", 3.0), ("searches", 4.0)):
        for row in run(Cell(kind, subjects, SOME, dprime), 300):
            assert row.passed, row


def test_the_table_for_the_docs_has_a_line_for_each_row(comparisons: dict[str, Row]) -> None:
    lines = markdown(comparisons.values()).splitlines()
    assert len(lines) == 2 + len(comparisons)
    assert lines[2].startswith("| FNMR@t | 40 | strong | 27 |")
    assert 0.0 < FLOOR < 1.0
