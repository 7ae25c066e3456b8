"""U1: intervals of a share, against published figures, scipy and statsmodels, and by their laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest
from statsmodels.stats.proportion import proportion_confint

from bertillon.core import InputError
from bertillon.stats import METHODS, Interval, proportion, proportions, tail_of

STATSMODELS = {
    "clopper-pearson": "beta",
    "wilson": "wilson",
    "jeffreys": "jeffreys",
    "agresti-coull": "agresti_coull",
}
levels = st.sampled_from([0.8, 0.9, 0.95, 0.99])
methods = st.sampled_from(METHODS)


@st.composite
def counts(draw, most: int = 40):
    trials = draw(st.integers(1, most))
    return draw(st.integers(0, trials)), trials


def ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


@pytest.mark.parametrize(
    ("errors", "trials", "low", "high"),
    [
        (1, 2, 0.0125791, 0.9874209),
        (10, 10, 0.6915029, 1.0),
        (0, 10, 0.0, 0.3084971),
        (9856, 10000, 0.98306835, 0.98784271),
        (3, 100, 0.0062300, 0.0851761),
    ],
)
def test_U1_clopper_pearson_against_bob(errors, trials, low, high):
    """STANDARDS 1: bob.measure's tests and guide."""
    assert ends(proportion(errors, trials)) == (pytest.approx(low, abs=5e-8), pytest.approx(high, abs=5e-8))


@pytest.mark.parametrize(("errors", "trials", "low", "high"), [(3, 100, 0.0102545, 0.0845194), (0, 10, 0.0, 0.2775328)])
def test_U1_wilson_by_hand(errors, trials, low, high):
    """STANDARDS 1."""
    found = proportion(errors, trials, method="wilson")
    assert ends(found) == (pytest.approx(low, abs=5e-8), pytest.approx(high, abs=5e-8))


def test_U1_the_rule_of_30_as_an_exact_interval_by_hand():
    """STANDARDS 1: 30 of 10,000 at 90 %: [.002160, .004067], that is -28 % and +36 %."""
    found = proportion(30, 10_000, level=0.9)
    assert ends(found) == (pytest.approx(0.002160, abs=5e-7), pytest.approx(0.004067, abs=5e-7))


def test_U1_no_error_in_a_thousand_by_hand():
    """STANDARDS 1: one-sided 95 % .0029912, which is the 90 % two-sided upper end; two-sided 95 % .0036821."""
    assert proportion(0, 1000, side="upper").high == pytest.approx(1 - 0.05 ** (1 / 1000), rel=1e-12)
    assert proportion(0, 1000, side="upper").high == pytest.approx(0.0029912, abs=5e-8)
    assert proportion(0, 1000, level=0.9).high == pytest.approx(proportion(0, 1000, side="upper").high, rel=1e-12)
    assert proportion(0, 1000).high == pytest.approx(0.0036821, abs=5e-8)


@given(counts(), levels, methods)
def test_U1_every_method_against_statsmodels(count, level, method):
    errors, trials = count
    low, high = proportion_confint(errors, trials, alpha=1 - level, method=STATSMODELS[method])
    low, high = 0.0 if errors == 0 else max(low, 0.0), 1.0 if errors == trials else min(high, 1.0)
    assert ends(proportion(errors, trials, level=level, method=method)) == pytest.approx((low, high), abs=1e-12)


@given(counts(), levels, st.sampled_from([("clopper-pearson", "exact"), ("wilson", "wilson")]))
def test_U1_two_sided_against_scipy(count, level, names):
    ours, theirs = names
    found = binomtest(*count).proportion_ci(level, method=theirs)
    assert ends(proportion(*count, level=level, method=ours)) == pytest.approx((found.low, found.high), abs=1e-9)


@given(counts(), levels)
def test_U1_one_sided_against_scipy(count, level):
    lower = binomtest(*count, alternative="greater").proportion_ci(level)
    upper = binomtest(*count, alternative="less").proportion_ci(level)
    assert ends(proportion(*count, level=level, side="lower")) == pytest.approx((lower.low, 1.0), abs=1e-9)
    assert ends(proportion(*count, level=level, side="upper")) == pytest.approx((0.0, upper.high), abs=1e-9)


@given(counts(), levels, methods)
def test_U1_an_interval_holds_the_rate_and_stays_in_range(count, level, method):
    found = proportion(*count, level=level, method=method)
    assert 0.0 <= found.low <= count[0] / count[1] <= found.high <= 1.0
    assert found.level == level
    assert str(found.method) == method


@given(counts(), levels, methods)
def test_U1_successes_have_the_mirrored_interval(count, level, method):
    errors, trials = count
    found = proportion(errors, trials, level=level, method=method)
    mirrored = proportion(trials - errors, trials, level=level, method=method)
    assert ends(found) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-12)


@given(st.integers(1, 40), levels, methods, st.sampled_from(["both", "upper", "lower"]))
def test_U1_ends_rise_with_the_errors(trials, level, method, side):
    low, high = proportions(np.arange(trials + 1), trials, level=level, method=method, side=side)
    assert (np.diff(low) >= -1e-12).all()
    assert (np.diff(high) >= -1e-12).all()
    assert (low[-1] > low[0]) == (side != "upper")
    assert (high[-1] > high[0]) == (side != "lower")


@given(counts(), st.integers(2, 5), levels, methods)
def test_U1_more_trials_at_the_same_rate_are_narrower(count, times, level, method):
    errors, trials = count
    few, many = (proportion(n * errors, n * trials, level=level, method=method) for n in (1, times))
    assert many.high - many.low < few.high - few.low


@given(counts(), methods)
def test_U1_a_higher_level_is_wider(count, method):
    narrow, wide = (proportion(*count, level=level, method=method) for level in (0.8, 0.99))
    assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert wide.high - wide.low > narrow.high - narrow.low


@given(counts(), methods, levels)
def test_U1_many_at_once_are_the_same_as_one_by_one(count, method, level):
    errors, trials = count
    low, high = proportions([errors, 0, trials], trials, level=level, method=method)
    for row, k in enumerate((errors, 0, trials)):
        assert ends(proportion(k, trials, level=level, method=method)) == (low[row], high[row])


def test_U1_effective_trials_need_not_be_whole_by_hand():
    """Wilson of .3 in 12.5 trials, written out; and the exact bound of no error in 12.5 trials, 1 - .025^(1 / 12.5)."""
    z, n, p = 1.959963984540054, 12.5, 0.3
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    expected = ((middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n))
    assert ends(proportion(p * n, n, method="wilson")) == pytest.approx(expected, rel=1e-12)
    assert proportion(0, n).high == pytest.approx(1 - 0.025 ** (1 / 12.5), rel=1e-12)


def test_U1_tiny_rates_keep_their_digits_against_scipy():
    found = proportion(5, 10**12)
    assert found.low == pytest.approx(beta.ppf(0.025, 5, 10**12 - 4), rel=1e-9)
    assert found.high == pytest.approx(beta.isf(0.025, 6, 10**12 - 5), rel=1e-9)


def test_U1_no_trials_are_undefined_with_a_reason():
    found = proportion(0, 0)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert str(found.reason) == "no trials"
    assert proportion(0, 0, level=0.8).level == 0.8
    for method in METHODS:
        low, high = proportions([0, 1], [0, 4], method=method)
        assert np.isnan(low).tolist() == np.isnan(high).tolist() == [True, False]


def test_U1_a_bound_says_so_by_hand():
    assert str(proportion(1, 9, side="upper").method) == "clopper-pearson, upper bound"
    assert str(proportion(1, 9, method="wilson", side="lower").method) == "wilson, lower bound"


def test_U1_what_is_left_outside_by_hand():
    """Half of 10 % on each side unless a side is named, and then all of it."""
    assert tail_of(0.9) == tail_of(0.9, "both") == pytest.approx(0.05)
    assert tail_of(0.9, "upper") == tail_of(0.9, "lower") == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (1.0, "such as 0.95"),
        (1.5, "such as 0.95; for 1.5 % give 0.015"),
        (99.5, "such as 0.95; for 99.5 % give 0.995"),
        (100, "such as 0.95"),
        (100.5, "such as 0.95"),
        ("high", "such as 0.95"),
    ],
)
def test_U1_a_level_in_per_cent_is_recognised_by_hand(level, said):
    with pytest.raises(InputError) as error:
        proportion(1, 4, level=level)
    assert str(error.value).endswith(said)


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((5, 4), {}, "5 errors in 4 trials"),
        ((-1, 4), {}, "errors is -1"),
        ((0, -4), {}, "trials is -4"),
        ((math.nan, 4), {}, "errors is nan"),
        ((1, math.inf), {}, "trials is inf"),
        (("few", 4), {}, r"errors is \['few'\]"),
        ((1, "few"), {}, "trials is 'few'"),
        ((1, 4), {"level": 1.0}, "level is 1.0"),
        ((1, 4), {"level": 0.0}, "level is 0.0"),
        ((1, 4), {"level": 95}, "give 0.95"),
        ((1, 4), {"level": math.nan}, "level is nan"),
        ((1, 4), {"level": "high"}, "level is 'high'"),
        ((1, 4), {"method": "wald"}, "clopper-pearson, wilson"),
        ((1, 4), {"side": "left"}, "both, upper, lower"),
    ],
)
def test_U1_what_is_not_a_share_is_refused(arguments, options, said):
    with pytest.raises(InputError, match=said):
        proportion(*arguments, **options)


def test_U1_the_first_count_that_is_too_large_is_named_by_hand():
    with pytest.raises(InputError, match=r"^5 errors in 4 trials"):
        proportions([4, 5], [4, 4])


def test_U1_trials_of_another_shape_are_refused():
    with pytest.raises(InputError, match=r"errors have shape \(3,\), trials \(2,\)"):
        proportions([1, 2, 3], [4, 5])
