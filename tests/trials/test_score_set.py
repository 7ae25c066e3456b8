"""What a score set takes, what it refuses and with which words, and what it makes of failed comparisons."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bertillon as bt
from bertillon.trials import TrialIds


@pytest.mark.parametrize(
    ("scores", "because"),
    [
        ([True, False], "mated scores are booleans; expected numbers (were labels passed as scores?)"),
        (np.ones((2, 3)), "mated scores have shape (2, 3); expected one dimension (use .ravel() on a matrix)"),
        (0.5, "mated scores are the single number 0.5; expected one number for each comparison"),
        (["high", "low"], "mated scores are not numbers"),
        ([[1.0], [2.0, 3.0]], "with rows of different lengths"),
        ([{}], "mated scores are not numbers"),
        ([1 + 2j], "mated scores are not numbers"),
        (np.array(["2024-01-01"], dtype="datetime64[D]"), "mated scores are not numbers"),
        (np.array([5], dtype="timedelta64[s]"), "mated scores are not numbers"),
    ],
    ids=["booleans", "matrix", "one number", "text", "ragged", "objects", "complex", "dates", "durations"],
)
def test_what_are_no_scores_is_refused_by_hand(scores, because):
    with pytest.raises(bt.InputError) as raised:
        bt.ScoreSet(scores, [0.0])
    assert because in str(raised.value)
    with pytest.raises(bt.InputError) as raised:
        bt.ScoreSet([0.0], scores)
    assert because.replace("mated", "non-mated") in str(raised.value)


@pytest.mark.parametrize("rule", ["higher", "", None])
def test_an_unknown_rule_is_refused_by_hand(rule):
    with pytest.raises(bt.InputError, match="expected 'similarity' or 'distance'"):
        bt.ScoreSet([1.0], [0.0], rule=rule)


@pytest.mark.parametrize(
    ("failures", "because"),
    [
        ({"mated": -1}, "mated is -1; expected a count of 0 or more"),
        ({"enrolment_attempts": -1}, "enrolment_attempts is -1"),
        ({"enrolments": 3, "enrolment_attempts": 2}, "3 failed enrolments of 2 attempts"),
    ],
)
def test_impossible_failures_are_refused_by_hand(failures, because):
    with pytest.raises(bt.InputError, match=because):
        bt.Failures(**failures)


def test_ids_of_the_wrong_length_are_refused_by_hand():
    ids = TrialIds(probe=np.array(["a", "b", "c"]))
    with pytest.raises(bt.InputError, match="mated probe: 3 ids for 2 scores; expected one each"):
        bt.ScoreSet([0.1, 0.2], [0.3], mated_ids=ids)
    with pytest.raises(bt.InputError, match="non-mated probe: 3 ids for 1 scores; expected one each"):
        bt.ScoreSet([0.1, 0.2], [0.3], nonmated_ids=ids)


def test_failed_comparisons_are_counted_and_their_ids_left_out_by_hand():
    """V11: NaN is a failure to acquire; failures stated beside the scores are added."""
    ids = TrialIds(probe=np.array(["a", "b", "c"]), reference_subject=np.array([1, 2, 3]))
    scores = bt.ScoreSet(
        [0.1, math.nan, 0.3], [math.nan, 0.2], mated_ids=ids, failures=bt.Failures(2, 3, 1, 9), name="A"
    )
    assert scores.mated.tolist() == [0.1, 0.3]
    assert scores.nonmated.tolist() == [0.2]
    assert scores.failures == bt.Failures(3, 4, 1, 9)
    assert scores.failures.comparisons == 7
    assert scores.mated_ids.probe.tolist() == ["a", "c"]
    assert scores.mated_ids.reference_subject.tolist() == [1, 3]
    assert scores.mated_ids.reference is None
    assert scores.size == 3


def test_a_missing_value_of_a_column_is_a_failed_comparison_by_hand():
    for column in (pl.Series([0.5, None]), pl.Series([1, None]), pd.Series([0.5, None]), [0.5, None]):
        assert bt.ScoreSet(column, [0.1]).failures == bt.Failures(mated=1)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_what_is_masked_is_a_failed_comparison_by_hand(kind):
    """A mask says that the number below it means nothing; it was counted as a score."""
    scores = bt.ScoreSet(np.ma.array([3, 99, 2], mask=[0, 1, 0], dtype=kind), [1.0])
    assert (scores.mated.tolist(), scores.failures.mated) == ([3.0, 2.0], 1)
    (batch,) = bt.trials.ScoreStream([(np.ma.array([3, 99], mask=[0, 1], dtype=kind), [])])
    assert (batch.mated.tolist(), batch.failures.mated) == ([3.0], 1)


def test_floats_are_taken_without_a_copy_by_hand():
    for kind in (np.float64, np.float32):
        mated, nonmated = np.array([0.5, 0.7], dtype=kind), np.array([0.1], dtype=kind)
        scores = bt.ScoreSet(mated, nonmated)
        assert np.shares_memory(scores.mated, mated)
        assert scores.mated.dtype == scores.nonmated.dtype == kind


def test_two_kinds_of_floats_become_one_by_hand():
    """Else 0.1 as float32 and 0.1 as float64, which differ, would be compared as if either were the other."""
    scores = bt.ScoreSet(np.array([0.1], dtype=np.float32), [0.1])
    assert scores.mated.dtype == scores.nonmated.dtype == np.float64
    assert scores.mated[0] > scores.nonmated[0]
    assert bt.evaluate(scores, ["AUC"])["AUC"].value == 1.0


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.float16, ">f8", ">f4", object])
def test_other_numbers_become_floats_by_hand(kind):
    scores = bt.ScoreSet(np.array([3, 4], dtype=kind), np.array([1, 2], dtype=kind))
    assert scores.mated.dtype == np.float64
    assert scores.mated.tolist() == [3.0, 4.0]


def test_float32_is_compared_with_a_threshold_as_the_number_it_is_by_hand():
    """0.1 as float32 is a little more than 0.1, so it is accepted at 0.1 and rejected by a distance."""
    scores = np.array([0.1], dtype=np.float32)
    for rule, accepted in (("similarity", 1), ("distance", 0)):
        asked = bt.ScoreSet(scores, scores, rule=rule)
        assert bt.counting.outcomes(asked, 0.1).true_match == accepted
        assert bt.evaluate(asked, ["TM@t=0.1"])["TM@t=0.1"].value == accepted


@pytest.mark.parametrize(
    "labels",
    [[1, 0, 1], [True, False, True], [1, -1, 1], [1.0, 0.0, 1.0], pl.Series([1, 0, 1]), pd.Series([True, False, True])],
    ids=str,
)
def test_labels_in_the_order_of_scikit_learn_by_hand(labels):
    scores = bt.ScoreSet.from_labels(labels, [0.9, 0.2, math.nan], rule="distance")
    assert (scores.mated.tolist(), scores.nonmated.tolist()) == ([0.9], [0.2])
    assert scores.failures == bt.Failures(mated=1)
    assert scores.rule is bt.AcceptRule.DISTANCE


@pytest.mark.parametrize(
    ("labels", "because"),
    [
        ([1, 0], "2 labels for 3 scores; expected one label a score"),
        ([1, 0, 2], "labels hold 2; expected True/False, 1/0 or 1/-1"),
        ([1, 0, math.nan], "labels hold nan"),
        ([1, 0, 0.5], "labels hold 0.5"),
        ([1, 0, None], "labels hold None"),
        (["a", "b", "a"], "labels hold 'a'"),
        ([[1], [0], [1]], "3 labels for 3 scores; expected one label a score"),
    ],
    ids=str,
)
def test_strange_labels_are_refused_by_hand(labels, because):
    with pytest.raises(bt.InputError) as raised:
        bt.ScoreSet.from_labels(labels, [0.1, 0.2, 0.3])
    assert because in str(raised.value)


def test_a_score_set_cannot_be_changed_by_hand():
    scores = bt.ScoreSet([1.0], [0.0], notes=["read from a.csv"])
    assert tuple(map(str, scores.notes)) == ("read from a.csv",)
    with pytest.raises(AttributeError):
        scores.rule = bt.AcceptRule.DISTANCE


def test_ids_may_be_lists_as_scores_may_by_hand() -> None:
    """The failed comparison takes its ids with it, whatever they were given as."""
    for people in (["ann", "bob", "cem"], pl.Series(["ann", "bob", "cem"])):
        scores = bt.ScoreSet([0.9, math.nan, 0.7], [0.1], mated_ids=TrialIds(people))
        assert scores.mated_ids.probe_subject.tolist() == ["ann", "cem"]
