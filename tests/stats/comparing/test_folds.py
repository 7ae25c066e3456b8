"""Two systems over folds. SPEC U2."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

import bertillon as bt
from bertillon.matching import FoldAccuracy
from bertillon.stats import fold_difference


def accuracy(values) -> FoldAccuracy:
    return FoldAccuracy(tuple(values), (0.5,) * len(values), float(np.mean(values)), 0.0)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=3, max_size=10))
def test_against_scipy(rows):
    one, other = (np.array(column) / 20 for column in zip(*rows, strict=True))
    if np.ptp(other - one) < 1e-12:
        return
    found = fold_difference(accuracy(one), accuracy(other))
    theirs = ttest_rel(other, one)
    assert found.p == pytest.approx(theirs.pvalue)
    ends = theirs.confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high))
    assert found.difference == pytest.approx(other.mean() - one.mean())


def test_folds_that_tell_nothing():
    same = fold_difference(accuracy([0.9, 0.8]), accuracy([0.9, 0.8]))
    assert (same.difference, same.p, same.interval.low) == (0.0, 1.0, 0.0)
    shifted = fold_difference(accuracy([0.9, 0.8]), accuracy([1.0, 0.9]))
    assert math.isnan(shifted.p)
    assert "same amount in every fold" in str(shifted.interval.reason)
    with pytest.raises(bt.InputError, match="2 folds in one system and 3 in the other"):
        fold_difference(accuracy([0.9, 0.8]), accuracy([0.9, 0.8, 0.7]))
