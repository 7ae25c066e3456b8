"""Searches from tables of comparisons: who is enrolled, how large the gallery is, who was not met."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bertillon.core import ComparisonTable, InputError, ScoreMatrix
from bertillon.io import read
from bertillon.trials import searches_from_matrix, searches_from_trials

BY_HAND = [  # probe, its person, the reference's person, score
    ("p1", "ann", "ann", 0.9),
    ("p1", "ann", "bob", 0.4),
    ("p2", "bob", "ann", 0.7),
    ("p2", "bob", "bob", 0.6),
    ("q1", "eve", "ann", 0.5),
    ("q1", "eve", "bob", 0.3),
]


def table(rows: list[tuple], **more: list) -> ComparisonTable:
    names = ("probe", "probe_subject", "reference_subject", "score")
    frame = pl.DataFrame(rows, schema=names, orient="row")
    mated = frame["probe_subject"] == frame["reference_subject"]
    return ComparisonTable(frame.with_columns(mated=mated, **{name: pl.Series(more[name]) for name in more}))


def test_who_stands_as_a_reference_is_enrolled_by_hand() -> None:
    found = searches_from_trials(table(BY_HAND))
    assert (found.n_enrolled, found.n_nonenrolled, found.gallery_size) == (2, 1, 2)
    assert found.ranks().tolist() == [1.0, 2.0]
    assert found.top_score.tolist() == [0.9, 0.7, 0.5]
    assert found.probe_subject is not None
    assert found.probe_subject.tolist() == ["ann", "bob", "eve"]
    assert not found.warnings


def fifty_and_fifty() -> tuple[np.ndarray, list[str], list[str]]:
    """50 enrolled people with one probe each, 50 strangers; 49 mates come first."""
    rng = np.random.default_rng(5)
    scores = rng.uniform(0, 0.5, (100, 50))
    scores[np.arange(50), np.arange(50)] = 0.9
    scores[7, 7], scores[7, 8] = 0.2, 0.6
    people = [f"s{number}" for number in range(100)]
    return scores, people, people[:50]


def test_fifty_enrolled_and_fifty_strangers_as_bob_writes_them(tmp_path: Path) -> None:
    """Rank 1 is 49 of 50, not 49 of 100; the matrix of the same scores says the same of every search."""
    scores, people, gallery = fifty_and_fifty()
    lines = [f"{g} {p} {p}_1 {scores[i, j]:.6f}" for i, p in enumerate(people) for j, g in enumerate(gallery)]
    (tmp_path / "scores-dev").write_text("\n".join(lines) + "\n")
    read_back = read(tmp_path / "scores-dev")
    assert isinstance(read_back, ComparisonTable)
    found = searches_from_trials(read_back)
    assert (found.n_enrolled, found.n_nonenrolled, found.gallery_size) == (50, 50, 50)
    assert float(np.mean(found.ranks() == 1)) == 0.98
    matrix = ScoreMatrix(np.round(scores, 6), np.array(people), np.array(gallery))
    direct = searches_from_matrix(matrix)
    for name in ("mate_score", "n_better", "n_equal", "top_score", "top_other"):
        np.testing.assert_array_equal(getattr(found, name), getattr(direct, name), err_msg=name)


def test_identify_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from bertillon.cli import main

    scores, people, gallery = fifty_and_fifty()
    rows = [f"{p}_1,{p},{g},{scores[i, j]:.6f}" for i, p in enumerate(people) for j, g in enumerate(gallery)]
    (tmp_path / "t.csv").write_text("probe,probe_subject,reference_subject,score\n" + "\n".join(rows) + "\n")
    arguments = ["bertillon", "identify", str(tmp_path / "t.csv"), "-m", "RR", "--no-intervals", "--json", "-"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as stopped:
        main()
    answer = json.loads(capsys.readouterr().out)
    assert stopped.value.code in (0, None)
    assert answer["counts"] == {"enrolled": 50, "nonenrolled": 50, "failed": 0, "gallery": 50}
    assert answer["measures"][0]["value"] == 0.98


def test_a_search_that_met_fewer_is_said_and_repeats_count_once_by_hand() -> None:
    rows = [*BY_HAND[:5], ("p2", "bob", "bob", 0.8), ("p2", "bob", "bob", float("nan"))]
    found = searches_from_trials(table(rows))
    assert found.ranks().tolist() == [1.0, 1.0]
    assert any("2 further comparisons" in str(note) for note in found.notes)
    assert tuple(map(str, found.warnings)) == (
        "One of 3 searches was not compared with all 2 people of the gallery (only with 1): its rank is better than "
        "that of a full search.",
    )


def test_an_enrolled_probe_that_never_met_its_mate_is_not_found() -> None:
    found = searches_from_trials(table([BY_HAND[0], BY_HAND[1], BY_HAND[2]]))
    assert (found.n_enrolled, found.gallery_size) == (2, 2)
    assert found.ranks().tolist() == [1.0, np.inf]


def test_a_probe_without_any_score_is_a_failed_search() -> None:
    rows = [(probe, own, other, float("nan") if probe in ("p2", "q1") else s) for probe, own, other, s in BY_HAND]
    found = searches_from_trials(table(rows))
    assert (found.failed_enrolled, found.failed_nonenrolled, len(found)) == (1, 1, 1)
    assert found.probe_subject is not None
    assert found.probe_subject.tolist() == ["ann"]


def test_one_probe_id_of_two_people_is_two_searches() -> None:
    rows = [("1", own, other, s) for _, own, other, s in BY_HAND]
    found = searches_from_trials(table(rows))
    assert (found.n_enrolled, found.n_nonenrolled) == (2, 1)
    assert any("each is a separate search" in str(note) for note in found.notes)


def test_attacks_are_no_searches() -> None:
    found = searches_from_trials(table(BY_HAND, attack=[None, None, None, None, "mask", "mask"]))
    assert (found.n_enrolled, found.n_nonenrolled) == (2, 0)
    assert any("2 attacks are not searches" in str(note) for note in found.notes)


@pytest.mark.parametrize("missing", ["probe", "probe_subject", "reference_subject"])
def test_comparisons_that_are_no_searches_are_refused(missing: str) -> None:
    with pytest.raises(InputError, match=f"without {missing}; .*--column {missing}=NAME"):
        searches_from_trials(ComparisonTable(table(BY_HAND).frame.drop(missing)))


def test_distances_run_the_other_way() -> None:
    rows = [(probe, own, other, 1 - s) for probe, own, other, s in BY_HAND]
    assert searches_from_trials(table(rows), rule="distance").ranks().tolist() == [1.0, 2.0]
