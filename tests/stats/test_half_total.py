"""U1: the interval of the half total error rate, and rates at a threshold fixed beforehand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.measures import NO_TRIALS
from bertillon.stats import Interval, mean_of_two, proportion, rate_by_pair, rate_by_subject, rates_at

scores = st.lists(st.integers(0, 6), min_size=1, max_size=12)


def normal_interval(fm: int, nonmated: int, fnm: int, mated: int) -> tuple[float, float]:
    """Bengio and Mariéthoz: variance FMR (1 - FMR) / 4 N + FNMR (1 - FNMR) / 4 M."""
    rates = (fm / nonmated, nonmated), (fnm / mated, mated)
    middle, half = sum(p for p, _ in rates) / 2, math.sqrt(sum(p * (1 - p) / (4 * n) for p, n in rates))
    return middle - 1.959963984540054 * half, middle + 1.959963984540054 * half


def test_U1_the_mean_of_two_symmetric_intervals_is_the_normal_one_against_theory():
    """Where both intervals are p -+ z s, the mean has z sqrt(s1^2 + s2^2) / 2, which is Bengio and Mariéthoz's."""
    sd = [math.sqrt(0.02 * 0.98 / 1000), math.sqrt(0.04 * 0.96 / 200)]
    parts = [
        Interval(p - 1.959963984540054 * s, p + 1.959963984540054 * s) for p, s in zip((0.02, 0.04), sd, strict=True)
    ]
    ours = mean_of_two(0.02, parts[0], 0.04, parts[1])
    assert (ours.low, ours.high) == pytest.approx(normal_interval(20, 1000, 8, 200), rel=1e-9)
    assert ours.high - ours.low == pytest.approx(2 * 0.0142555, abs=6e-7)  # STANDARDS 8


def test_U1_the_mean_of_two_covers_against_theory():
    """FMR 1 % of 400, FNMR 3 % of 100, 3,000 tests: the normal interval falls short, ours does not."""
    rng = np.random.default_rng(1)
    ours = normal = 0
    for fm, fnm in zip(rng.binomial(400, 0.01, 3000), rng.binomial(100, 0.03, 3000), strict=True):
        parts = [proportion(fm, 400, method="wilson"), proportion(fnm, 100, method="wilson")]
        ours += mean_of_two(fm / 400, parts[0], fnm / 100, parts[1]).holds(0.02)
        low, high = normal_interval(int(fm), 400, int(fnm), 100)
        normal += low <= 0.02 <= high
    assert 0.935 <= ours / 3000 <= 0.97
    assert normal / 3000 < 0.92


@given(scores, scores, st.integers(-1, 7), st.sampled_from(["similarity", "distance"]))
def test_U1_rates_at_a_threshold_are_those_of_the_measures(mated, nonmated, threshold, rule):
    trials = bt.ScoreSet(mated, nonmated, rule=rule)
    found = rates_at(trials, threshold)
    names = [f"FMR@t={threshold}", f"FNMR@t={threshold}", f"HTER@t={threshold}"]
    expected = bt.evaluate(trials, names).results.values()
    assert [found.fmr.value, found.fnmr.value, found.hter.value] == [one.value for one in expected]
    for one in (found.fmr, found.fnmr, found.hter):
        assert one.interval.naive
        assert one.interval.holds(one.value)


def people(*ids: list[object] | None) -> bt.TrialIds:
    return bt.TrialIds(*(None if one is None else np.array(one) for one in ids))


def test_U1_whose_the_comparisons_are_decides_the_interval_by_hand():
    trials = bt.ScoreSet(
        [5, 5, 1, 1, 5, 5],
        [1, 1, 1, 5, 1, 1],
        mated_ids=people(list("aabbcc"), list("aabbcc")),
        nonmated_ids=people(list("abcdab"), list("bcdabd")),
    )
    found = rates_at(trials, 3)
    by_subject = rate_by_subject(list("aabbcc"), np.array([0, 0, 1, 1, 0, 0], dtype=bool)).interval()
    by_pair = rate_by_pair(list("abcdab"), list("bcdabd"), np.array([0, 0, 0, 1, 0, 0], dtype=bool)).interval()
    assert found.fnmr.interval == by_subject
    assert found.fmr.interval == by_pair
    assert not found.hter.interval.naive


def test_U1_one_known_side_is_better_than_none_and_gaps_are_as_good_as_none():
    wrong = np.array([False, False, False, True])
    one_side = bt.ScoreSet([5], [1, 1, 1, 5], nonmated_ids=people(None, [1, 1, 2, 3]))
    assert rates_at(one_side, 3).fmr.interval == rate_by_subject([1, 1, 2, 3], wrong).interval()
    gaps = bt.ScoreSet([5], [1, 1, 1, 5], nonmated_ids=people([1.0, math.nan, 2.0, 3.0], None))
    assert rates_at(gaps, 3).fmr.interval.naive
    assert (rates_at(gaps, 3).fmr.interval.low, rates_at(gaps, 3).fmr.interval.high) == pytest.approx(
        (proportion(1, 4).low, proportion(1, 4).high)
    )


def test_U1_a_missing_class_is_undefined_with_a_reason():
    found = rates_at(bt.ScoreSet([], [1, 2]), 2)
    assert math.isnan(found.fnmr.value)
    assert found.fnmr.result.reason == found.hter.interval.reason == found.hter.result.reason == NO_TRIALS
    assert found.fmr.value == 0.5


def test_U1_rates_as_json():
    found = json.loads(json.dumps(rates_at(bt.ScoreSet([], [1, 2]), math.inf).to_dict(), allow_nan=False))
    assert found["threshold"] == "inf"
    assert found["FMR"]["errors"] == 0
    assert found["FMR"]["interval"][0] == 0.0
    assert found["FNMR"]["value"] is None
    assert found["HTER"]["interval"] is None
    assert found["HTER"]["interval_reason"] == "no trials"
