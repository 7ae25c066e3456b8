"""Graded relevance. SPEC K11: NDCG and MAP for rankings."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, ndcg_score

import bertillon as bt
from bertillon.core import InputError

lists = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12)


@given(lists, st.one_of(st.none(), st.integers(1, 14)))
def test_K11_ndcg_of_grades_against_sklearn(case, k):
    """K11: ties are means over their orders, grades are gains."""
    relevance, scores = (np.array(column, dtype=float) for column in zip(*case, strict=True))
    assume(relevance.any())
    for gain, given_gains in (("linear", relevance), ("exponential", 2**relevance - 1)):
        expected = ndcg_score([given_gains], [scores], k=k)
        assert bt.measures.graded_ndcg(relevance, scores, k, gain=gain).value == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=2, max_size=5), st.integers(1, 5))
def test_ties_are_means_over_all_their_orders_against_brute_force(case, k):
    relevance, scores = (np.array(column, dtype=float) for column in zip(*case, strict=True))
    assume(relevance.any())
    discount = [1 / math.log2(place + 2) for place in range(k)]
    best = sum(g * d for g, d in zip(sorted(relevance, reverse=True), discount, strict=False))
    orders = [o for o in itertools.permutations(range(len(case))) if all(np.diff(scores[list(o)]) <= 0)]
    mean = np.mean([sum(relevance[i] * d for i, d in zip(o, discount, strict=False)) for o in orders]) / best
    assert bt.measures.graded_ndcg(relevance, scores, k).value == pytest.approx(mean, abs=1e-12)


@given(lists, st.integers(1, 6))
def test_grades_of_zero_and_one_are_the_measure_of_predictions(case, k):
    """The language's NDCG@k knows positives only, and agrees where there is nothing else."""
    relevance, scores = (np.array(column) for column in zip(*case, strict=True))
    positive = (relevance >= 2).astype(int)
    assume(positive.any())
    found = bt.evaluate(bt.Predictions.from_scores(positive, scores.astype(float)), [f"NDCG@{k}"])
    assert bt.measures.graded_ndcg(positive, scores, k).value == pytest.approx(found[f"NDCG@{k}"].value, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=14))
def test_K11_means_over_queries_against_sklearn(case):
    """K11: NDCG by grades and MAP of what is relevant enough; queries with nothing relevant are left out."""
    relevance, scores, query = (np.array(column) for column in zip(*case, strict=True))
    each, precisions = [], []
    for one in np.unique(query):
        rows = query == one
        if relevance[rows].any() and rows.sum() > 1:  # sklearn refuses lists of one
            each.append(ndcg_score([relevance[rows]], [scores[rows]]))
        elif relevance[rows].any():
            each.append(1.0)
        if (relevance[rows] >= 2).any():
            precisions.append(average_precision_score(relevance[rows] >= 2, scores[rows]))
    result = bt.measures.graded_ndcg(relevance, scores, groups=query)
    if each:
        assert result.value == pytest.approx(np.mean(each), abs=1e-12)
    else:
        assert str(result.reason) == "nothing is relevant"
    if precisions:
        predictions = bt.Predictions.from_scores((relevance >= 2).astype(int), scores.astype(float), groups=query)
        assert bt.evaluate(predictions, ["MAP"])["MAP"].value == pytest.approx(np.mean(precisions), abs=1e-12)


def test_a_list_by_hand():
    """Grades 3, 0, 2, 1 in the order of the scores: (3 + 2/2) / (3 + 2/log2(3) + 1/2) for the first three."""
    expected = (3 + 0 + 2 / 2) / (3 + 2 / math.log2(3) + 1 / 2)
    assert bt.measures.graded_ndcg([3, 2, 0, 1], [0.9, 0.7, 0.8, 0.1], 3).value == pytest.approx(expected)
    assert bt.measures.graded_ndcg([1, 2, 3], [1, 2, 3]).value == 1.0


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([1, -1], [1, 2]), {}, "relevance: row 2 is -1; expected a finite number, 0 or more"),
        (([1, math.inf], [1, 2]), {}, "relevance: row 2 is inf"),
        (([1, 0], [math.nan, 2]), {}, "scores: row 1 is nan; expected a number"),
        (([1, 0], [1]), {}, "1 scores for 2 grades"),
        (([], []), {}, "expected one number a document"),
        (([[1]], [1]), {}, "expected one number a document"),
        ((["a"], [1]), {}, "relevance: could not convert"),
        (([1], [1], 0), {}, "the length of the list is 0"),
        (([1], [1]), {"gain": "exponental"}, "gain 'exponental' is unknown; did you mean 'exponential'"),
        (([1, 0], [1, 2]), {"groups": [1]}, "groups have shape"),
    ],
)
def test_what_cannot_be_ranked_is_refused_in_words(arguments, options, words):
    with pytest.raises(InputError, match=words.replace("(", r"\(")):
        bt.measures.graded_ndcg(*arguments, **options)


def test_nothing_relevant_is_undefined_not_zero():
    result = bt.measures.graded_ndcg([0, 0], [1, 2])
    assert math.isnan(result.value)
    assert str(result.reason) == "nothing is relevant"
