"""R1: the reliability of one answer: relative distance, density ratio and System Response Reliability."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.analysis import fit_reliability_threshold, system_response_reliability
from bertillon.core import InputError, ScoreMatrix, text_of

D = [0.2, 0.35, 0.38, 0.5, 0.8]
INF = math.inf


def phi(distances, **how):
    found = bt.analysis.response_reliability([distances], threshold=0.5, **how)
    return found.phi[0], found.reason[0]


def test_R1_relative_distance_by_hand():
    """STANDARDS 7: (.35 - .2) / .8."""
    assert phi(D) == (pytest.approx(0.1875), None)
    assert phi([0.8, 0.38, 0.2, float("nan"), 0.5, 0.35])[0] == pytest.approx(0.1875)  # any order; NaN is no candidate


@pytest.mark.parametrize(("count_first", "expected"), [(True, 0.40), (False, 0.50)])
def test_R1_density_ratio_by_hand(count_first, expected):
    """STANDARDS 7: three of five are closer than .4; without the first answer two of four."""
    assert phi(D, kind="density-ratio", count_first=count_first)[0] == pytest.approx(expected)


def test_R1_a_neighbour_at_twice_the_least_distance_is_outside_by_hand():
    assert phi([1, 2, 3, 4], kind="density-ratio")[0] == 0.75


@pytest.mark.parametrize(
    ("value", "expected"), [(0.8, 0.6667), (0.42, 0.0333), (0.15, -0.625), (1, 1), (0, -1), (0.4, 0)]
)
def test_R1_srr_by_hand(value, expected):
    """STANDARDS 7, at phi0 = .4."""
    assert system_response_reliability([value], 0.4)[0] == pytest.approx(expected, abs=5e-5)
    assert system_response_reliability([value], 0.4, absolute=True)[0] == pytest.approx(abs(expected), abs=5e-5)


@pytest.mark.parametrize(
    ("distances", "kind", "reason"),
    [
        ([], "relative-distance", "there are 0 candidates; two are needed"),
        ([0.3], "density-ratio", "there is one candidate; two are needed"),
        ([0.0, 0.0], "relative-distance", "every distance is 0"),
        ([0.0, 0.5], "density-ratio", "the smallest distance is 0, so none is below twice that distance"),
        ([0.5, INF], "relative-distance", "a distance is infinite"),
    ],
)
def test_R1_undefined_with_a_reason(distances, kind, reason):
    value, said = phi(distances, kind=kind)
    assert math.isnan(value)
    assert text_of(said) == reason


def test_R1_a_least_distance_of_zero_has_a_relative_distance():
    assert phi([0.0, 0.5, 1.0]) == (0.5, None)


lists = st.lists(st.integers(1, 9), min_size=2, max_size=8)


@given(
    distances=lists,
    factor=st.sampled_from([0.5, 2.0, 8.0]),
    kind=st.sampled_from(["relative-distance", "density-ratio"]),
)
def test_R1_the_unit_of_distances_does_not_matter(distances, factor, kind):
    value, _ = phi(distances, kind=kind)
    assert value == phi([factor * one for one in distances], kind=kind)[0]
    assert 0.0 <= value <= 1.0


@given(distances=lists, count_first=st.booleans())
def test_R1_density_ratio_against_brute_force(distances, count_first):
    first = distances.index(min(distances))
    others = [d for place, d in enumerate(distances) if count_first or place != first]
    near = [d for d in others if d < 2 * min(distances)]
    assert phi(distances, kind="density-ratio", count_first=count_first)[0] == pytest.approx(
        1 - len(near) / len(others)
    )


@given(distances=lists, kind=st.sampled_from(["relative-distance", "density-ratio"]))
def test_R1_similarities_are_taken_from_a_perfect_match(distances, kind):
    turned = phi([16 - one for one in distances], kind=kind, rule="similarity", perfect=16)
    assert turned == phi(distances, kind=kind)


@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=12))
def test_R1_fitted_threshold_against_brute_force(answers):
    values, right = [value / 8 for value, _ in answers], [mark for _, mark in answers]

    def wrong_calls(t: float) -> int:
        return sum(mark != (value > t) for value, mark in zip(values, right, strict=True))

    found = fit_reliability_threshold(values, np.array(right))
    fine = [step / 64 for step in range(1, 64)]  # finer than the values
    assert wrong_calls(found) == min(map(wrong_calls, fine))
    edges = sorted({0.0, 1.0, *values})
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    assert found == min(middles, key=wrong_calls)  # the first of the best


def test_R1_of_equally_good_thresholds_the_lowest_by_hand():
    """Nothing is wrong above 0 and up to .5, or above: the middle of the first gap that is best."""
    assert fit_reliability_threshold([0.5, 0.75], [True, True]) == 0.25
    assert fit_reliability_threshold([0.5, 0.75], [False, False]) == 0.875
    assert fit_reliability_threshold([0.25, 0.5, 0.75, float("nan")], [False, True, False, True]) == 0.375


MATRIX = ScoreMatrix(
    np.array([[0.1, 0.9, 0.8, 1.0], [0.5, 0.4, 0.9, 1.0], [0.7, 0.7, 0.7, 0.9], [0.2, 0.6, 0.9, 0.3]]),
    np.array(["ann", "ann", "bob", "eve"]),
    np.array(["ann", "ann", "bob", "cat"]),
    rule=bt.AcceptRule.DISTANCE,
)


def test_R1_a_matrix_with_owners_by_hand():
    """Two templates of ann are one candidate; bob ties with ann, so his answer is not right; eve is not enrolled."""
    found = bt.analysis.response_reliability(MATRIX, threshold=0.4)
    np.testing.assert_allclose(found.phi, [0.7, 0.5, 0.0, 0.1 / 0.9])
    assert found.correct.tolist() == [True, True, False, False]
    assert found.reliable.tolist() == [True, True, False, False]
    assert (found.share_reliable, found.right_if_reliable, found.right_if_unreliable) == (0.5, 1.0, 0.0)
    assert (found.wrong_calls, found.fitted_here) == (0, False)
    fitted = bt.analysis.response_reliability(MATRIX)
    assert fitted.threshold == pytest.approx((0.1 / 0.9 + 0.5) / 2)
    assert fitted.fitted_here


def test_R1_cells_that_are_no_comparison_are_no_candidates_by_hand():
    ignored = np.zeros((4, 4), bool)
    ignored[0, 0] = True
    masked = ScoreMatrix(
        MATRIX.scores, MATRIX.probe_subject, MATRIX.reference_subject, ignored=ignored, rule=MATRIX.rule
    )
    found = bt.analysis.response_reliability(masked, threshold=0.4)
    np.testing.assert_allclose(found.phi[0], 0.1)
    assert not found.correct[0]


def test_R1_results_as_frame_and_json():
    found = bt.analysis.response_reliability([D, [0.3]], threshold=0.4)
    frame = found.to_frame()
    assert frame.columns == ["phi", "srr", "reliable", "reason"]
    assert frame["reliable"].to_list() == [False, False]
    assert frame["reason"].to_list() == [None, "there is one candidate; two are needed"]
    summary = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (summary["answers"], summary["undefined"], summary["right_if_reliable"]) == (2, 1, None)
    assert bt.analysis.response_reliability(MATRIX).to_frame()["probe_subject"].to_list() == [
        "ann",
        "ann",
        "bob",
        "eve",
    ]


def test_R1_a_similarity_a_rounding_above_perfect_is_perfect():
    assert phi([1.00000012, 0.5, 0.0], rule="similarity")[0] == 0.5


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bt.analysis.response_reliability([D]), "nothing says which answers are right"),
        (lambda: bt.analysis.response_reliability([D], kind="gap", threshold=0.4), "kind is 'gap'"),
        (lambda: bt.analysis.response_reliability([D], threshold=0.0), "between 0 and 1"),
        (lambda: bt.analysis.response_reliability([D], threshold=1.0), "between 0 and 1"),
        (lambda: bt.analysis.response_reliability([[-0.1, 0.5]], threshold=0.4), "a distance is -0.1"),
        (
            lambda: bt.analysis.response_reliability([[1.5, 0.5]], rule="similarity", threshold=0.4),
            "similarity is 1.5, above 1",
        ),
        (lambda: bt.analysis.response_reliability([["x", 0.5]], threshold=0.4), "not numbers"),
        (lambda: bt.analysis.response_reliability([[[0.1, 0.5]]], threshold=0.4), "one dimension"),
        (lambda: bt.analysis.response_reliability([D], correct=[1]), "expected True or False for 1 answers"),
        (lambda: bt.analysis.response_reliability([[0.1]], correct=[True]), "no answer has a phi"),
        (lambda: system_response_reliability([1.2], 0.4), "outside 0 to 1"),
    ],
)
def test_R1_bad_input_is_said(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_R1_a_mask_that_contradicts_the_owners_is_refused():
    mated = np.zeros((4, 4), bool)
    with pytest.raises(InputError, match="disagree on who is mated"):
        bt.analysis.response_reliability(
            ScoreMatrix(MATRIX.scores, MATRIX.probe_subject, MATRIX.reference_subject, mated=mated)
        )
