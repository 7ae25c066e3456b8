"""From resampled differences to interval, p value and what a margin makes of them. SPEC U2; STANDARDS section 8."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import norm, t

import bertillon as bt
from bertillon.stats import SAME_TWICE, Difference, Interval, Settings, check_margin, difference_of

MANY = 10**9  # units: nothing is widened


def asked(first: float, second: float, *, better: int = -1, margin: float | None = None, level: float = 0.95):
    nothing = Interval(math.nan, math.nan, level, "by test")
    return Difference("d", "A", "B", first, second, nothing, better=better, margin=margin, n_units=MANY)


def judged(drawn, *, first=0.10, second=0.12, better=-1, margin=None, level=0.95, pairs=None, units=MANY) -> Difference:
    values = np.asarray(drawn, dtype=float)
    one = replace(asked(first, second, better=better, margin=margin, level=level), n_units=units)
    found = difference_of(one, values, pairs, Settings(level=level, resamples=max(20, values.size)))
    return replace(found, adjusted_p=found.p)


def test_interval_and_p_by_hand():
    """d = 3, 39 resamples d + 0.1 ... d + 3.9, level .9: the 4th largest stray is 3.6; 10 of 39 stray by 3 or more."""
    found = judged(3.0 + np.arange(1, 40) / 10, first=1.0, second=4.0, level=0.9)
    assert found.difference == 3.0
    assert (found.interval.low, found.interval.high) == pytest.approx((-0.6, 6.6))
    assert found.p == pytest.approx(11 / 40)
    assert found.error == pytest.approx((np.arange(39) / 10).std(ddof=1))
    assert str(found.interval.method) == "by test"


@given(st.lists(st.integers(-4, 8), min_size=19, max_size=80).filter(lambda x: len(set(x)) > 1), st.integers(-5, 5))
def test_p_is_at_most_alpha_exactly_where_the_interval_leaves_0_out(drawn, difference):
    found = judged(drawn, first=0.0, second=float(difference))
    assert (found.p <= 0.05) == (not found.interval.holds(0.0))
    assert 0 < found.p <= 1


@given(st.lists(st.integers(-4, 6), min_size=19, max_size=60).filter(lambda x: len(set(x)) > 1))
def test_turning_the_systems_round_turns_the_answer_round(drawn):
    one = judged(drawn, first=0.0, second=1.0, margin=2.0)
    other = judged(-np.array(drawn), first=1.0, second=0.0, better=1, margin=2.0)
    assert other.p == one.p
    assert (other.interval.low, other.interval.high) == pytest.approx((-one.interval.high, -one.interval.low))
    assert other.equivalent == one.equivalent
    assert other.not_worse == one.not_worse


def test_the_chance_of_single_pairs_is_taken_off_three_times_to_once_by_hand():
    """People cause variance 1 and pairs 1: drawn are 1 + 3, true are 1 + 1."""
    drawn = 5.0 + 2.0 * stats.zscore(norm.ppf(np.arange(1, 1000) / 1000), ddof=1)
    found = judged(drawn, first=0.0, second=5.0, pairs=np.tile([-1.0, 1.0], 200))
    assert found.error == pytest.approx(math.sqrt(2.0), rel=1e-3)
    assert found.interval.low == pytest.approx(5 - 1.96 * math.sqrt(2), abs=0.05)
    assert judged(drawn, first=0.0, second=5.0).error == pytest.approx(2.0)
    only_pairs = judged(drawn, first=0.0, second=5.0, pairs=np.tile([-2.0, 2.0], 200))
    assert only_pairs.error == pytest.approx(2.0 / math.sqrt(3.0), rel=1e-3)  # no more than all of it can be pairs'


def test_few_units_widen_against_theory():
    """Ten units: Student's t of 9 instead of the normal, and n - 1 for n."""
    drawn = norm.ppf(np.arange(1, 2000) / 2000)
    many, few = (judged(drawn, first=0.0, second=0.5, units=units).interval for units in (MANY, 10))
    expected = math.sqrt(10 / 9) * t.ppf(0.975, 9) / norm.ppf(0.975)
    strays = np.sort(np.abs(drawn - 0.5))[-100], np.sort(np.abs(expected * drawn - 0.5))[-100]
    assert many.high - 0.5 == pytest.approx(strays[0])
    assert few.high - 0.5 == pytest.approx(strays[1])


def test_an_interval_of_rates_stays_within_all_there_is():
    one = replace(asked(0.1, 0.9), shown_as="rate")
    found = difference_of(one, np.linspace(-1.0, 1.0, 99), None, Settings(resamples=99))
    assert found.interval.high == 1.0


def test_identical_systems_have_difference_0_and_p_1():
    found = judged(np.zeros(50), first=0.1, second=0.1, margin=0.01)
    assert (found.difference, found.p, found.interval.low, found.interval.high) == (0.0, 1.0, 0.0, 0.0)
    assert found.reason == SAME_TWICE
    assert found.verdict == "equivalent"


@pytest.mark.parametrize(
    ("drawn", "values", "reason"),
    [
        (np.full(50, 0.02), (0.1, 0.12), "the difference is the same in every resample"),
        (np.full(50, np.nan), (0.1, 0.12), "defined in only 0 of 50 resamples"),
        (np.ones(50), (math.nan, 0.12), "undefined for one"),
        (np.full(50, np.inf), (0.1, 0.12), "0 of 50"),
    ],
)
def test_what_cannot_be_judged_is_undefined_with_a_reason(drawn, values, reason):
    found = judged(drawn, first=values[0], second=values[1])
    assert math.isnan(found.p)
    assert math.isnan(found.interval.low)
    assert reason in str(found.reason)
    assert found.verdict == "undefined"
    assert not found.not_worse
    assert not found.significant


def test_resamples_without_a_number_are_left_out_and_counted():
    drawn = np.r_[np.linspace(1.0, 3.0, 39), [np.nan]]
    found = judged(drawn, first=0.0, second=2.0)
    assert found.p == pytest.approx(1 / 40)
    assert str(found.reason) == "one resample gave no value"


def spread(low: float, high: float, size: int = 999) -> np.ndarray:
    """Resampled differences from low to high, evenly."""
    return np.linspace(low, high, size)


@pytest.mark.parametrize(
    ("low", "high", "better", "margin", "verdict"),
    [
        (0.01, 0.03, -1, None, "worse"),
        (0.01, 0.03, 1, None, "better"),
        (-0.03, -0.01, -1, None, "better"),
        (-0.03, -0.01, 1, None, "worse"),
        (-0.03, 0.01, -1, None, "not distinguishable"),
        (0.01, 0.03, 0, None, "different"),
        (-0.01, 0.01, -1, 0.02, "equivalent"),
        (0.005, 0.01, -1, 0.02, "equivalent"),
        (-0.05, 0.01, -1, 0.02, "not worse"),
        (-0.05, -0.01, -1, 0.02, "better"),
        (-0.05, 0.01, 1, 0.02, "not distinguishable"),
        (0.03, 0.05, -1, 0.02, "worse"),
        (-0.05, 0.05, -1, 0.02, "not distinguishable"),
        (-0.05, 0.01, 0, 0.02, "not distinguishable"),
    ],
)
def test_verdicts_by_hand(low, high, better, margin, verdict):
    middle = (low + high) / 2
    found = judged(spread(low, high), first=0.1, second=0.1 + middle, better=better, margin=margin)
    assert found.verdict == verdict


def test_the_margin_is_held_against_the_interval_of_level_1_minus_2_alpha_by_hand():
    """Two one-sided tests at 5 %: the 90 % interval lies within the margin, the 95 % interval does not."""
    drawn = norm.ppf(np.arange(1, 1000) / 1000) * 0.01
    reach = {0.90: 0.01 * 1.645, 0.95: 0.01 * 1.960}
    found = judged(drawn, first=0.1, second=0.1001, margin=0.018)
    assert found.within.level == pytest.approx(0.9)
    assert found.within.high == pytest.approx(reach[0.90], abs=1e-4)
    assert found.interval.high == pytest.approx(reach[0.95], abs=1e-4)
    assert found.equivalent
    assert not judged(drawn, first=0.1, second=0.1001, margin=0.016).equivalent


def test_what_could_have_been_seen_against_theory():
    """A true difference of that size is seen four times in five by a test of level 5 %."""
    found = judged(norm.ppf(np.arange(1, 1000) / 1000), first=0.1, second=0.1001)
    power = norm.sf(norm.ppf(0.975) - found.detectable / found.error)
    assert power == pytest.approx(0.8)
    assert replace(found, tests=10).detectable > found.detectable


def test_how_many_subjects_equivalence_takes_against_theory():
    """Equal systems, that many subjects: both one-sided tests succeed four times in five."""
    drawn = norm.ppf(np.arange(1, 1000) / 1000) * 0.01
    found = judged(drawn, first=0.1, second=0.1001, margin=0.005, units=10_000)
    needed = found.units_for_margin
    error = found.error * math.sqrt(found.n_units / needed)
    success = 2 * norm.cdf((found.margin - norm.ppf(0.95) * error) / error) - 1
    assert success == pytest.approx(0.8, abs=0.002)
    assert judged(spread(-0.01, 0.01), margin=1.0).units_for_margin is None
    assert judged(spread(-0.01, 0.01)).units_for_margin is None


def test_too_few_resamples_for_the_level_are_refused():
    with pytest.raises(bt.InputError, match=r"15 resamples say nothing of level 0.95; expected 19 or more"):
        judged(spread(-1, 1, 15))
    assert judged(spread(-1, 1, 19), first=0.1, second=0.1).p == 1.0


@pytest.mark.parametrize(("units", "words"), [(0, "there are 0 units"), (1, "there is one unit")])
def test_one_unit_tells_nothing(units, words):
    found = judged(spread(-1, 1), units=units)
    assert str(found.reason) == f"{words} to resample; at least two are needed"
    assert found.verdict == "undefined"


@pytest.mark.parametrize("margin", [0.0, -0.1, math.nan, math.inf])
def test_strange_margins_are_refused(margin):
    with pytest.raises(bt.InputError, match="expected a number above 0"):
        check_margin(margin, 0.95)
    with pytest.raises(bt.InputError, match=r"with a margin it must be above 0\.5"):
        check_margin(0.1, 0.5)
    check_margin(None, 0.5)
