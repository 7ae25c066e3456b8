"""Short lists of numbers are read without polars, and to the same scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from bertillon.core import ComparisonTable
from bertillon.io import plain, read

LINES = {
    "usual": "0.25\n-1.5\n3\n",
    "exponents": "1e-3\n2.5E+2\n+7\n.5\n4.\n",
    "no end of line": "0.1\n0.30000000000000004\n0.7",
    "digits that round": "0.1234567890123456789\n2.2250738585072011e-308\n9007199254740991\n",
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_the_same_scores_as_by_polars(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.txt"
    path.write_text(text)
    short = read(path, format="scores")
    monkeypatch.setattr(plain, "_SHORT", 0)
    long = read(path, format="scores")
    assert isinstance(short, ComparisonTable)
    assert isinstance(long, ComparisonTable)
    assert [type(table).__name__ for table in (short, long)] == ["ScoreList", "ComparisonTable"]
    assert short.scores.tolist() == long.scores.tolist() == [float(line) for line in text.split()]
    assert short.frame.equals(long.frame)
    kept = ("source", "format", "rule", "notes", "columns", "is_plain_list", "is_trial_list")
    assert [getattr(short, name) for name in kept] == [getattr(long, name) for name in kept]
    assert len(short) == len(long)


@pytest.mark.parametrize(
    "text", ["0.1\n\n0.2\n", "0.1 \n0.2\n", "nan\n0.2\n", "9007199254740992\n1\n", "\n1\n2\n", "inf\n2\n"]
)
def test_anything_else_is_left_to_polars(text: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text(text)
    assert type(read(path, format="scores")).__name__ == "ComparisonTable"


def test_a_list_with_another_frame_holds_that_one(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("0.5\n1\n")
    table = read(path, format="scores")
    assert isinstance(table, ComparisonTable)
    other = replace(table, frame=pl.DataFrame({"score": [2.0]}), source="other")
    assert (len(other), other.scores.tolist(), other.source) == (1, [2.0], "other")
