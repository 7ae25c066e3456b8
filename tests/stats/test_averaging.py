"""P7, U1: what repeated runs say together, as a number and as a curve."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp

import bertillon as bt
from bertillon.core import InputError
from bertillon.stats import mean_of_runs, vertical_average

values = st.lists(st.integers(0, 20).map(lambda k: k / 20), min_size=2, max_size=12)
scores = st.lists(st.integers(0, 5), min_size=1, max_size=10)
run = st.tuples(scores, scores)


def curve(mated, nonmated, rule="similarity"):
    return bt.counting.error_curve(bt.ScoreSet(mated, nonmated, rule=rule))


def tmr_by_hand(mated, nonmated, fmr: float) -> float:
    """The largest TMR at each FMR, and straight lines between."""
    points: dict[float, float] = {}
    for threshold in sorted({*mated, *nonmated, math.inf}):
        x = sum(s >= threshold for s in nonmated) / len(nonmated)
        points[x] = max(points.get(x, 0.0), sum(s >= threshold for s in mated) / len(mated))
    left = max(x for x in points if x <= fmr)
    right = min(x for x in points if x >= fmr)
    if left == right:
        return points[left]
    return points[left] + (points[right] - points[left]) * (fmr - left) / (right - left)


@given(values.filter(lambda runs: len(set(runs)) > 1), st.sampled_from([0.8, 0.95]))
def test_P7_the_mean_of_runs_against_scipy(runs, level):
    found = mean_of_runs(runs, level=level)
    theirs = ttest_1samp(runs, 0.0).confidence_interval(level)
    assert (found.interval.low, found.interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    assert found.standard_error == pytest.approx(np.std(runs, ddof=1) / math.sqrt(len(runs)))
    assert found.runs.values == tuple(runs)


def test_P7_folds_of_lfw_by_hand():
    """STANDARDS 2: the standard error is sd / sqrt(10), with divisor 9 in sd."""
    accuracies = [0.98, 0.99, 0.985, 0.99, 0.98, 0.99, 0.995, 0.985, 0.99, 0.98]
    assert mean_of_runs(accuracies).standard_error == pytest.approx(np.std(accuracies, ddof=1) / math.sqrt(10))


def test_P7_shared_training_data_widen_the_interval_by_hand():
    """Nadeau and Bengio: 1 / 10 + 1 / 9 instead of 1 / 10, so sqrt(19 / 9) times as wide."""
    runs = [0.1, 0.2, 0.15, 0.12, 0.18, 0.2, 0.1, 0.13, 0.16, 0.14]
    plain, wide = mean_of_runs(runs), mean_of_runs(runs, test_to_train=1 / 9)
    widths = [one.interval.high - one.interval.low for one in (plain, wide)]
    assert widths[1] / widths[0] == pytest.approx(math.sqrt(19 / 9))
    assert wide.interval.method != plain.interval.method


def test_P7_what_has_no_spread_has_no_interval():
    one = mean_of_runs([0.3])
    assert one.runs.mean == 0.3
    assert math.isnan(one.interval.low)
    assert str(one.interval.reason) == "one run has no spread"
    assert str(mean_of_runs([0.3, math.nan]).interval.reason) == "undefined in 1 of 2 runs"
    same = mean_of_runs([0.3, 0.3])
    assert (same.interval.low, same.interval.high) == (0.3, 0.3)


@given(st.lists(run, min_size=1, max_size=4), st.lists(st.integers(0, 12).map(lambda k: k / 12), min_size=1))
def test_P7_vertical_averages_against_brute_force(runs, grid):
    found = vertical_average([curve(*one) for one in runs], grid)
    least = 1 / min(len(nonmated) for _, nonmated in runs)
    for place, rate in enumerate(grid):
        if rate < least * (1 - 1e-9):
            assert math.isnan(found.tmr[place])
            assert "one non-mated comparison" in str(found.reason)
        else:
            each = [tmr_by_hand(mated, nonmated, rate) for mated, nonmated in runs]
            assert found.each[:, place].tolist() == pytest.approx(each)
            assert found.tmr[place] == pytest.approx(np.mean(each))
            assert found.fnmr[place] == pytest.approx(1 - np.mean(each))


def test_P7_a_repeated_false_match_rate_takes_the_largest_true_match_rate_by_hand():
    """Mated {3, 2, 1} and non-mated {4, 0}: FMR stays .5 from threshold 1 to 4 while TMR falls from 1 to 0."""
    assert vertical_average([curve([3, 2, 1], [4, 0])] * 2, [0.5]).tmr.tolist() == [1.0]


def test_P7_the_pointwise_interval_by_hand():
    runs = [([2, 3], [1, 2]), ([0, 4], [1, 3]), ([1, 2], [2, 3])]
    found = vertical_average([curve(*one) for one in runs], [0.5, 1.0])
    each = [tmr_by_hand(*one, 0.5) for one in runs]
    assert len(set(each)) > 1
    half = t.ppf(0.975, 2) * np.std(each, ddof=1) / math.sqrt(3)
    assert found.low[0] == pytest.approx(max(0.0, np.mean(each) - half))
    assert found.high[0] == pytest.approx(min(1.0, np.mean(each) + half))
    assert (found.low[1], found.tmr[1], found.high[1], found.sd[1]) == (1.0, 1.0, 1.0, 0.0)


def test_P7_the_grid_is_even_in_its_logarithm_and_starts_at_one_comparison():
    found = vertical_average([curve([5, 6, 7], range(1000)), curve([5, 6, 7], range(100))])
    assert found.fmr[0] == pytest.approx(0.01)
    assert found.fmr[-1] == pytest.approx(1.0)
    steps = np.diff(np.log(found.fmr))
    assert steps == pytest.approx(np.full(steps.size, steps[0]))
    assert not np.isnan(found.tmr).any()
    assert found.reason == ""


def test_P7_one_run_is_its_own_mean_without_an_interval():
    found = vertical_average([curve([2, 3], [1, 2])], [0.5])
    assert found.tmr.tolist() == [1.0]
    assert math.isnan(found.low[0])
    assert str(found.reason) == "one run has no spread"


def test_P7_distances_are_averaged_alike():
    first = vertical_average([curve([2, 3], [1, 2]), curve([0, 4], [1, 3])])
    second = vertical_average([curve([-2, -3], [-1, -2], "distance"), curve([0, -4], [-1, -3], "distance")])
    assert first.tmr.tolist() == second.tmr.tolist()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: vertical_average([]), "no curves"),
        (lambda: vertical_average([curve([1], [])]), "run 0 has no non-mated scores"),
        (lambda: vertical_average([curve([1], [1]), curve([], [1])]), "run 1 has no mated scores"),
        (lambda: vertical_average([curve([1], [1])], [0.5, 2.0]), "not a rate"),
        (lambda: vertical_average([curve([1], [1])], [math.nan]), "not a rate"),
        (lambda: vertical_average([curve([1], [1])] * 2, test_to_train=-1), "test_to_train is -1"),
        (lambda: vertical_average([curve([1], [1])], level=95), "give 0.95"),
        (lambda: mean_of_runs([]), "no runs"),
        (lambda: mean_of_runs([0.1, 0.2], level=0), "level is 0"),
        (lambda: mean_of_runs([0.1, 0.2], test_to_train=math.nan), "test_to_train is nan"),
    ],
)
def test_P7_bad_input_is_refused(call, said):
    with pytest.raises(InputError, match=said):
        call()
