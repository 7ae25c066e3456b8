"""Random trials, written in every format that is written, shuffled, and read back as the same numbers."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bertillon as bt
from bertillon.core import ComparisonTable, ScoreMatrix
from bertillon.io import FORMATS, read, write

TABLES = ("csv", "tsv", "parquet", "bob-csv", "bob-4")
MATRICES = ("bee", "csv", "tsv")
# ids that readers may stumble over: numbers, a comment sign, quotes, label words, a leading zero
NAMES = ("ann", "bob", "007", "7", "1", "0", "#9", "o'neil", "target", "Zoë", "-1", "a b", "x,y")


@dataclass(frozen=True)
class Trial:
    probe: str
    person: str
    claimed: str
    score: float


def trials(names: tuple[str, ...]) -> st.SearchStrategy[list[Trial]]:
    one = st.builds(
        Trial,
        probe=st.integers(0, 30).map(lambda number: f"p{number}"),
        person=st.sampled_from(names),
        claimed=st.sampled_from(names),
        score=st.integers(-3, 3).map(lambda number: number / 2) | st.just(float("nan")),
    )
    return st.lists(one, min_size=2, max_size=30)


def table_of(rows: list[Trial], rule: bt.AcceptRule | None) -> ComparisonTable:
    frame = pl.DataFrame(
        {
            "score": [row.score for row in rows],
            "mated": [row.person == row.claimed for row in rows],
            "probe": [row.probe for row in rows],
            "probe_subject": [row.person for row in rows],
            "reference_subject": [row.claimed for row in rows],
        }
    )
    return ComparisonTable(frame, rule=rule)


def numbers(found: bt.ScoreSet) -> tuple[Counter[float], Counter[float], int, int]:
    failed = found.failures
    return Counter(found.mated.tolist()), Counter(found.nonmated.tolist()), failed.mated, failed.nonmated


def expected(rows: list[Trial]) -> tuple[Counter[float], Counter[float], int, int]:
    mated, nonmated = ([row.score for row in rows if (row.person == row.claimed) is kind] for kind in (True, False))
    alike = [Counter(score for score in scores if score == score) for scores in (mated, nonmated)]
    return *alike, sum(s != s for s in mated), sum(s != s for s in nonmated)  # type: ignore[return-value]


def shuffle(path: Path, format: str, seed: int) -> None:
    """The rows of a file in another order; a header stays where it is."""
    if format == "parquet":
        frame = pl.read_parquet(path)
        frame.sample(frame.height, shuffle=True, seed=seed).write_parquet(path)
        return
    header, *lines = path.read_text().splitlines() if format != "bob-4" else ["", *path.read_text().splitlines()]
    random.Random(seed).shuffle(lines)
    path.write_text("\n".join([*([header] if header else []), *lines]) + "\n")


@pytest.mark.parametrize("format", TABLES)
@pytest.mark.parametrize("packed", [False, True])
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99), distance=st.booleans())
def test_tables(format: str, packed: bool, data: st.DataObject, seed: int, distance: bool) -> None:
    names = NAMES
    if format.startswith("bob"):  # without labels, 007 and 7 may be one person, and reading stops
        names = tuple(name for name in NAMES if name != "007")
    if format == "bob-4":
        names = tuple(name for name in names if " " not in name and not name.startswith("#"))
    rows = data.draw(trials(names))
    stated = bt.AcceptRule.DISTANCE if distance and format in ("csv", "tsv", "parquet") else None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trials"
        write(table_of(rows, stated), path, format=format)
        shuffle(path, format, seed)
        if packed:
            import gzip

            path.write_bytes(gzip.compress(path.read_bytes()))
        found = bt.read_scores(path, format="bob-4" if format == "bob-4" else None)
    assert numbers(found) == expected(rows)
    assert found.rule is (stated or bt.AcceptRule.SIMILARITY)


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet"])
@settings(max_examples=30, deadline=None)
@given(rows=trials(NAMES), seed=st.integers(0, 99))
def test_scores_and_trials_in_two_files(format: str, rows: list[Trial], seed: int) -> None:
    once = list({(row.probe, row.claimed): row for row in rows}.values())
    table = table_of(once, None).frame.rename({"reference_subject": "reference"}).drop("probe_subject")
    with tempfile.TemporaryDirectory() as folder:
        scores, key = Path(folder) / "scores", Path(folder) / "key"
        write(ComparisonTable(table.drop("mated")), scores, format=format)
        write(ComparisonTable(table.drop("score")), key, format=format)
        shuffle(scores, format, seed)
        found = bt.read_scores(scores, key)
    assert numbers(found) == expected(once)


@pytest.mark.parametrize("format", MATRICES)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), people=st.lists(st.sampled_from(["ann", "bob", "eve", "7"]), min_size=2, max_size=6))
def test_matrices(format: str, data: st.DataObject, people: list[str]) -> None:
    columns = data.draw(st.permutations(sorted({*people, "zoe"})))
    cells = st.lists(st.integers(-8, 8).map(lambda number: number / 4), min_size=len(columns), max_size=len(columns))
    scores = np.array([data.draw(cells) for _ in people])
    matrix = ScoreMatrix(scores, np.array(people), np.array(columns))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrix"
        write(matrix, path, format=format)
        mask = None
        if format == "bee":
            mask = Path(folder) / "mask"
            marked = np.array(people)[:, None] == np.array(columns)[None, :]
            write(
                ScoreMatrix(scores, matrix.probe_subject, matrix.reference_subject, mated=marked),
                mask,
                format="bee-mask",
            )
        named = {} if format == "bee" else {"format": "matrix", "all_against_all": False}  # the names are subjects
        found = bt.read_scores(path, mask=mask, **named)
    mated = np.array(people)[:, None] == np.array(columns)[None, :]
    assert numbers(found)[:2] == (Counter(scores[mated].tolist()), Counter(scores[~mated].tolist()))


def test_every_format_that_is_written_is_among_them() -> None:
    assert {name for name, one in FORMATS.items() if one.writer} == {*TABLES, *MATRICES, "bee-mask"}


def test_attacks_survive_the_way_there_and_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({"score": [0.9, 0.1, 0.5], "mated": [True, False, False], "attack": [None, None, "mask"]})
    for format in ("csv", "tsv", "parquet"):
        write(ComparisonTable(frame), tmp_path / format, format=format)
        back = read(tmp_path / format).frame
        assert back["attack"].to_list() == [None, None, "mask"], format
