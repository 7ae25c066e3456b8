"""Which tables belong together, and what is understood of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bertillon as bt
from bertillon.core import AcceptRule, ComparisonTable, ScoreMatrix
from bertillon.trials import systems_from


def table(**columns: object) -> ComparisonTable:
    return ComparisonTable(pl.DataFrame(columns), source="t.csv")


def plain(*scores: float, source: str = "list.txt") -> ComparisonTable:
    return ComparisonTable(pl.DataFrame({"score": list(scores)}), source=source)


def test_two_plain_lists_are_one_system() -> None:
    (system,) = systems_from([plain(1.0, 2.0, source="/x/g.txt"), plain(0.0, source="/x/i.txt")])
    assert system.mated.tolist() == [1.0, 2.0]
    assert system.nonmated.tolist() == [0.0]
    assert system.name == "g.txt + i.txt"
    assert "g.txt holds the mated" in str(system.notes[0])


def test_four_plain_lists_are_two_systems_and_three_are_an_error() -> None:
    assert len(systems_from([plain(1.0), plain(0.0), plain(2.0), plain(1.0)])) == 2
    with pytest.raises(bt.InputError, match="give two lists, genuine then impostor"):
        systems_from([plain(1.0), plain(0.0), plain(2.0)])


def test_labelled_tables_are_one_system_each() -> None:
    one = table(score=[0.9, 0.1], mated=[True, False])
    assert [s.mated.tolist() for s in systems_from([one, one])] == [[0.9], [0.9]]


def test_ids_follow_their_scores_and_failed_rows_leave_together() -> None:
    one = table(
        score=[0.9, float("nan"), 0.1, 0.2],
        mated=[True, True, False, False],
        probe_subject=["a", "b", "c", "d"],
        reference_subject=["a", "b", "x", "y"],
    )
    (system,) = systems_from([one])
    assert system.failures.mated == 1
    assert system.mated_ids is not None
    assert system.mated_ids.probe_subject.tolist() == ["a"]
    assert system.nonmated_ids is not None
    assert system.nonmated_ids.reference_subject.tolist() == ["x", "y"]


def test_trials_join_scores_by_pair_in_any_order() -> None:
    trials = table(mated=[True, False], probe=["a", "c"], reference=["b", "d"])
    scores = table(score=[0.1, 0.9], probe=["c", "a"], reference=["d", "b"])
    for order in ([trials, scores], [scores, trials]):
        (system,) = systems_from(order)
        assert (system.mated.tolist(), system.nonmated.tolist()) == ([0.9], [0.1])


def test_trials_join_a_plain_list_line_by_line() -> None:
    trials = table(mated=[True, False], probe=["a", "c"], reference=["b", "d"])
    (system,) = systems_from([trials, plain(0.9, 0.1)])
    assert system.mated.tolist() == [0.9]
    with pytest.raises(bt.InputError, match="3 scores for 2 trials"):
        systems_from([trials, plain(0.9, 0.1, 0.2)])


def test_one_list_of_trials_serves_several_systems() -> None:
    trials = table(mated=[True, False], probe=["a", "c"], reference=["b", "d"])
    assert len(systems_from([trials, plain(0.9, 0.1), plain(0.8, 0.3)])) == 2
    with pytest.raises(bt.InputError, match="a second list of trials"):
        systems_from([trials, trials])
    with pytest.raises(bt.InputError, match="without scores"):
        systems_from([trials])


def test_a_trial_without_a_score_is_named() -> None:
    trials = table(mated=[True, False], probe=["a", "c"], reference=["b", "d"])
    with pytest.raises(bt.InputError, match=r"no score for 1 of 2 trials.*\(c with d\)"):
        systems_from([trials, table(score=[0.1], probe=["a"], reference=["b"])])


def test_scores_that_are_not_labelled_are_refused() -> None:
    with pytest.raises(bt.InputError, match="nothing says which comparisons are mated"):
        systems_from([table(score=[0.1], probe=["a"], reference=["b"])])


def test_a_missing_label_is_an_error_with_its_row() -> None:
    with pytest.raises(bt.InputError, match="row 2 has no label"):
        systems_from([table(score=[0.1, 0.2], mated=[True, None])])


def test_repeated_pairs_are_warned_of() -> None:
    one = table(score=[0.9, 0.9, 0.1], mated=[True, True, False], probe=["a", "a", "c"], reference=["b", "b", "d"])
    assert "One comparison repeats a pair" in str(systems_from([one])[0].warnings[0])


def test_a_matrix_is_mated_where_subjects_are_equal() -> None:
    matrix = ScoreMatrix(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array(["a", "b"]), np.array(["a", "b"]))
    (system,) = systems_from([matrix])
    assert system.mated.tolist() == [0.9, 0.8]
    assert system.nonmated.tolist() == [0.1, 0.2]


def test_a_masked_matrix_leaves_out_ignored_cells() -> None:
    matrix = ScoreMatrix(
        np.array([[0.9, 0.1], [0.2, 0.8]]),
        np.array(["a", "b"]),
        np.array(["c", "d"]),
        mated=np.array([[True, False], [False, True]]),
        ignored=np.array([[False, False], [False, True]]),
    )
    (system,) = systems_from([matrix])
    assert system.mated.tolist() == [0.9]


def test_the_rule_asked_for_beats_the_files() -> None:
    one = ComparisonTable(pl.DataFrame({"score": [0.1, 0.9], "mated": [True, False]}), rule=AcceptRule.DISTANCE)
    assert systems_from([one])[0].rule is AcceptRule.DISTANCE
    assert systems_from([one], rule=AcceptRule.SIMILARITY)[0].rule is AcceptRule.SIMILARITY


def test_read_scores_reads_one_system_and_says_so_of_several(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text("label,score\n1,0.9\n0,0.1\n")
    assert bt.read_scores(path).mated.tolist() == [0.9]
    assert bt.read_scores(path, rule="distance").rule is AcceptRule.DISTANCE
    with pytest.raises(bt.InputError, match="hold 2 systems; use read_systems"):
        bt.read_scores(path, path)
    with pytest.raises(bt.InputError, match="no file was given"):
        bt.read_scores()
