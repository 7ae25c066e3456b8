"""Budgets (D3): by hand, against trying every threshold, and what cannot be shown."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.analysis import Budget, budgets_of
from bertillon.core import InputError

FEW = bt.Settings(resamples=20)


def test_d3_the_day_of_the_notes_by_hand() -> None:
    """D3, 000 3.7: 100,000 passers at FPIR .002 are 200 alarms; 99 alarms of 15 minutes are 24.75 hours."""
    assert Budget(passers=100_000, alarms=200).rate("alarms") == 0.002
    assert Budget(passers=10_000, on_list=0.01, hours=24.75).rate("hours") == pytest.approx(0.01)
    scores = bt.ScoreSet([1.5, 0.9985, 0.5], np.arange(1000) / 1000)
    budget = Budget(passers=100_000, alarms=200.0, hours=50.0)
    by_alarms, by_hours = budgets_of(bt.evaluate(scores, "EER"), budget, settings=FEW).planned
    found = budgets_of(bt.evaluate(scores, "EER"), Budget(passers=100_000, alarms=500), settings=FEW)
    (one,) = found.planned
    assert (one.threshold, one.alarm.value, one.miss.value) == (0.995, 0.005, pytest.approx(1 / 3))
    assert (found.a_day(one.alarm.value), found.hours(one.alarm.value)) == (500.0, 125.0)
    assert by_alarms.target == by_hours.target == 0.002  # 50 hours are 200 alarms of 15 minutes
    assert not by_alarms.measurable  # of 0.002 one expects two errors in a thousand
    assert "at least 1,500 are needed" in str(by_alarms.reason)
    assert math.isnan(by_alarms.threshold)


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=12),
    st.lists(st.integers(0, 9), min_size=4, max_size=12),
    st.sampled_from([1.0, 30.0, 75.0]),
    st.sampled_from(["similarity", "distance"]),
)
def test_d3_against_trying_every_threshold(mated, nonmated, alarms, rule) -> None:
    sign = 1 if rule == "similarity" else -1
    scores = bt.ScoreSet(sign * np.array(mated), sign * np.array(nonmated), rule=rule)
    budget = Budget(passers=125, on_list=0.2, alarms=alarms, cost_alarm=1, cost_miss=7)
    by_alarms, cheapest = budgets_of(bt.evaluate(scores, "EER"), budget, settings=FEW).planned
    tried = []
    for t in [*range(10), math.inf]:
        fmr = sum(s >= t for s in nonmated) / len(nonmated)
        fnmr = sum(s < t for s in mated) / len(mated)
        tried.append((t, fmr, fnmr, 100 * fmr + 7 * 25 * fnmr))
    assert cheapest.cost == pytest.approx(min(cost for *_, cost in tried))
    if 3 / min(alarms / 100, 1.0) > len(nonmated):
        assert not by_alarms.measurable
    else:
        _, fmr, fnmr, _ = next(one for one in tried if one[1] <= alarms / 100)
        assert (by_alarms.alarm.value, by_alarms.miss.value) == (pytest.approx(fmr), pytest.approx(fnmr))


def test_d3_searches_and_their_regions_say_what_test_would_show_them() -> None:
    n = 400
    score = np.arange(n) / n
    enrolled = np.arange(n) % 2 == 0
    ranks = np.where(enrolled, 0, -1)
    mate, other = np.where(enrolled, score, np.nan), np.where(enrolled, score / 2, score)
    searches = bt.SearchSet(enrolled, mate, ranks, np.zeros(n, int), score, other, gallery_size=9)
    evaluation = bt.evaluate(searches)
    found = budgets_of(evaluation, Budget(passers=1000, on_list=0.1, alarms=90), settings=FEW)
    (one,) = found.planned
    assert (one.target, one.alarm.value) == (0.1, 0.1)
    assert found.misses(one.miss.value) == pytest.approx(100 * one.miss.value)
    regions = bt.analysis.operating_regions(evaluation.tally.watch_list_curve, passers=1000)
    lowest = regions[0]
    assert (lowest.seen, lowest.searches, lowest.needed) == (False, 200, 300_000)


@pytest.mark.parametrize(
    ("how", "fault"),
    [
        ({"passers": 0, "alarms": 1}, "passers is 0"),
        ({"passers": 10}, "no budget is given"),
        ({"passers": 10, "alarms": -1}, "alarms is -1"),
        ({"passers": 10, "alarms": 1, "on_list": 1.0}, "on_list is 1.0"),
        ({"passers": 10, "cost_alarm": 1.0}, "give both"),
        ({"passers": 10, "cost_alarm": 1.0, "cost_miss": 1.0}, "give on_list"),
        ({"passers": 10, "hours": math.inf}, "hours is inf"),
    ],
)
def test_days_that_cannot_be_are_refused(how, fault) -> None:
    with pytest.raises(InputError, match=fault):
        Budget(**how)


def test_one_kind_of_trials_has_no_budget() -> None:
    with pytest.raises(InputError, match="one kind is missing"):
        budgets_of(bt.evaluate(bt.SearchSet.from_ranks([1, 2])), Budget(passers=10, alarms=1))
