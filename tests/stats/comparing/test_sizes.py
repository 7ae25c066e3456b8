"""U2: systems that are equally good are said to differ about as often as the level allows.

A fast version of `benchmarks/sizes.py`, with few cells and few simulated tests.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))  # where the benchmarks are

from benchmarks.resumed import go_on, read
from benchmarks.sizes import CELLS, STORE, Cell, Row, TwoScores, both, markdown, rows_of, seen_of


def test_equal_systems_seldom_differ(tmp_path: Path) -> None:
    cell = Cell("verification", "30", TwoScores(30), ("EER", "AUC", "FNMR@t=1.5"), resamples=59)
    kept = go_on([cell], tmp_path / "store.json", runs=60, report=lambda line: None)
    for row in rows_of(cell, kept):
        assert row.size <= 0.17, row  # 10 of 60: above it once in 1,000 if 5 % is true
        assert row.silent == 0


def test_both_systems_have_effects_of_the_same_size_that_go_together() -> None:
    first, second = both(np.random.default_rng(1), 20_000)
    assert [first.var(), second.var()] == pytest.approx([1.0, 1.0], abs=0.05)
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.5, abs=0.03)


def test_what_a_p_value_counts_for() -> None:
    assert [seen_of(p).counts for p in (0.05, 0.051)] == [{"differ": 1}, {"differ": 0}]
    assert seen_of(math.nan, "why").counts == {"silent": 1}


def test_the_bar_is_of_all_tests() -> None:
    rows = [Row("EER", 1000, differ, 500, "") for differ in (70, 80, 95)]
    assert [row.passed for row in rows] == [True, True, False]
    assert [row.shown() for row in rows] == ["7.0 (50)", "8.0 (50)", "**9.5** (50)"]
    assert Row("EER", 1000, 50, 0, "").shown() == "5.0"


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_every_cell_can_be_compared_and_is_stored(cell: Cell) -> None:
    seen = replace(cell, resamples=59).one({}, 1)
    assert tuple(seen) == cell.measures
    assert tuple(row.measure for row in rows_of(cell, read(STORE))) == cell.measures


def test_the_tables_of_the_docs_have_a_row_for_each_measure() -> None:
    shown = [line for line in markdown().splitlines() if line.startswith("| `")]
    assert len(shown) == sum(len(dict(of_kind)) for of_kind in _measures_by_kind())


def _measures_by_kind() -> list[dict[str, None]]:
    kinds: dict[str, dict[str, None]] = {}
    for cell in CELLS:
        kinds.setdefault(cell.kind, {}).update(dict.fromkeys(cell.measures))
    return list(kinds.values())
