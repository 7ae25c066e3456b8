"""The accept rule: direction, ties, and the way to the inner scale and back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.core import count_passed, count_rejected, readable, row_at

numbers = st.floats(allow_nan=False)


@given(numbers, numbers)
def test_acceptance_by_hand(score, threshold):
    """E8: at least the threshold for a similarity, at most for a distance; equal is accepted in both."""
    assert bt.AcceptRule.SIMILARITY.accepts(score, threshold) is (score >= threshold)
    assert bt.AcceptRule.DISTANCE.accepts(score, threshold) is (score <= threshold)
    assert bt.AcceptRule.SIMILARITY.accepts(score, score)
    assert bt.AcceptRule.DISTANCE.accepts(score, score)


def test_acceptance_of_an_array_by_hand():
    scores = np.array([1, 2, 3])
    assert bt.AcceptRule.SIMILARITY.accepts(scores, 2).tolist() == [False, True, True]
    assert bt.AcceptRule.DISTANCE.accepts(scores, 2).tolist() == [True, True, False]
    assert bt.AcceptRule.DISTANCE.accepts([], 2).tolist() == []


@pytest.mark.parametrize("rule", bt.AcceptRule)
@given(numbers)
@example(0.0)
@example(-0.0)
def test_an_oriented_threshold_comes_back_without_a_negative_zero(rule, threshold):
    back = rule.restore(float(rule.orient(threshold)))
    assert back == threshold
    assert back != 0 or math.copysign(1, back) == 1


def test_a_similarity_is_oriented_without_a_copy_by_hand():
    scores = np.array([1.0, 2.0])
    assert bt.AcceptRule.SIMILARITY.orient(scores) is scores
    assert bt.AcceptRule.DISTANCE.orient(scores).tolist() == [-1.0, -2.0]
    assert scores.tolist() == [1.0, 2.0]


def test_rules_by_name_by_hand():
    assert bt.AcceptRule.of("distance") is bt.AcceptRule.DISTANCE
    assert bt.AcceptRule.of(bt.AcceptRule.SIMILARITY) is bt.AcceptRule.SIMILARITY
    assert [rule.sign for rule in bt.AcceptRule] == [">=", "<="]
    for unknown in ("upwards", "", None, 1):
        with pytest.raises(bt.InputError, match=f"rule is {unknown!r}; expected 'similarity' or 'distance'"):
            bt.AcceptRule.of(unknown)


@given(st.lists(st.integers(0, 4)), st.integers(-1, 5), st.sampled_from(bt.AcceptRule))
def test_the_rejected_of_sorted_scores_against_the_rule(scores, threshold, rule):
    """E8: sorted or not, a score equal to the threshold is accepted."""
    ordered = np.sort(rule.orient(np.array(scores, dtype=float)))
    accepted = np.count_nonzero(rule.accepts(np.array(scores, dtype=float), threshold))
    assert count_rejected(ordered, rule.orient(threshold)) == len(scores) - accepted


@given(st.lists(st.integers(0, 4)), st.integers(-1, 5), st.sampled_from(bt.AcceptRule))
def test_the_passed_of_sorted_thresholds_against_the_rule(thresholds, score, rule):
    """E8: a score equal to a threshold passes it."""
    ordered = np.sort(rule.orient(np.array(thresholds, dtype=float)))
    passed = count_passed(ordered, rule.orient(score))
    assert passed == sum(rule.accepts(score, threshold) for threshold in thresholds)


@given(st.lists(st.integers(0, 4), min_size=1), st.integers(-1, 5), st.sampled_from([4.5, 6.0, math.inf]))
def test_the_row_of_a_curve_decides_as_the_threshold_does_against_the_rule(scores, threshold, last):
    """E8: the same scores pass at the row as at the threshold, also at one beyond the last row."""
    candidates = np.array([*sorted(set(scores)), last], dtype=float)
    row = row_at(candidates, threshold)
    accepts = bt.AcceptRule.SIMILARITY.accepts
    assert accepts(scores, candidates[row]).tolist() == accepts(scores, threshold).tolist()


@pytest.mark.parametrize(
    ("threshold", "digits", "words"),
    [
        (0.5033636, 6, "0.503364"),
        (1195122.0, 6, "1195122"),
        (-1195122.0, 6, "-1195122"),
        (1e9 + 1, 6, "1000000001"),
        (12345.0, 4, "12345"),
        (1e20, 6, "1e+20"),
        (1e6, 4, "1e+06"),
        (math.inf, 6, "inf"),
        (0.0, 6, "0"),
        (1e-12, 6, "1e-12"),
    ],
)
def test_a_threshold_that_is_a_whole_number_is_not_rounded(threshold, digits, words):
    assert readable(threshold, digits) == words


def test_whole_thresholds_are_exact_as_far_as_floats_are_by_hand() -> None:
    assert readable(123456789012345.0) == "123456789012345"
    assert readable(1234567890123456.0) == "1.23457e+15"
