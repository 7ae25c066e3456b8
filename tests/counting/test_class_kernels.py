"""The compiled loops of classification on a handful of values, each against counting by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bertillon.counting import count_below, sort_buckets, split_scores

scores = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=12)


@given(scores, st.lists(st.integers(0, 5), min_size=1, max_size=6))
def test_doubled_wins_over_each_class_against_brute_force(others, rivals):
    """K11: a rival that is higher wins twice, one that is as high once; its own class is passed over."""
    column, codes = (np.array(values) for values in zip(*others, strict=True))
    wins = np.zeros(3, dtype=np.int64)
    count_below(column.astype(np.float64), codes, 1, np.sort(np.array(rivals, dtype=np.float64)), wins)
    beaten = [sum(2 * (rival > score) + (rival == score) for rival in rivals) for score in column]
    assert wins.tolist() == [sum(np.array(beaten)[codes == code]) if code != 1 else 0 for code in range(3)]


def test_positives_and_negatives_are_copied_apart_in_their_order_by_hand():
    positives, negatives = np.empty(2), np.empty(3)
    split_scores(np.array([5.0, 4, 3, 2, 1]), np.array([0, 1, 2, 1, 0]), 1, positives, negatives)
    assert positives.tolist() == [4, 2]
    assert negatives.tolist() == [5, 3, 1]


def test_buckets_are_sorted_within_themselves_and_others_left_alone_by_hand():
    """The buckets of two kinds begin at rows of one table: what follows the last of one is the first of the other."""
    start = np.array([[0, 2, 4, 6], [0, 1, 2, 3]])
    values = np.array([2.0, 1, 4, 3, 6, 5])
    sort_buckets(values, start[0], 0, 1)
    assert values.tolist() == [1, 2, 4, 3, 6, 5]
    sort_buckets(values, start[0], 2, 3)
    assert values.tolist() == [1, 2, 4, 3, 5, 6]
