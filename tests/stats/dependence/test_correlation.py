"""U1: the correlation of errors from that of scores, and what trials that share people are worth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from bertillon.core import InputError
from bertillon.stats import PersonSharing, check_correlation, error_correlation


@pytest.mark.parametrize("rate", [0.5, 0.1, 0.01, 0.001])
@pytest.mark.parametrize("correlation", [0.1, 0.3, 0.8])
def test_error_correlation_against_scipy(rate, correlation):
    """Both errors happen with the probability of a corner of the two-dimensional normal distribution."""
    low = norm.ppf(rate)
    both = multivariate_normal.cdf([low, low], cov=[[1, correlation], [correlation, 1]])
    expected = (both - rate * rate) / (rate * (1 - rate))
    assert error_correlation(rate, correlation) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize(("rate", "correlation"), [(1e-4, 0.5), (1e-6, 0.2), (1e-8, 0.1)])
def test_error_correlation_of_rare_errors_against_quadrature(rate, correlation):
    """Given the common part of the scores, errors are independent: the mean of the square of their chance."""
    common = np.linspace(-12, 12, 100_001)
    chance = norm.sf((norm.isf(rate) - math.sqrt(correlation) * common) / math.sqrt(1 - correlation))
    both = np.trapezoid(norm.pdf(common) * chance**2, common)
    assert error_correlation(rate, correlation) == pytest.approx((both - rate**2) / (rate * (1 - rate)), rel=1e-5)


@given(st.floats(1e-9, 1 - 1e-9), st.floats(0, 1), st.floats(0, 1))
def test_error_correlation_rises_with_that_of_scores_and_never_exceeds_it(rate, first, second):
    low, high = sorted((first, second))
    assert 0.0 <= error_correlation(rate, low) <= error_correlation(rate, high) + 1e-9
    assert error_correlation(rate, high) <= high + 1e-9


@pytest.mark.parametrize("rate", [1e-6, 0.2, 0.9])
def test_error_correlation_at_its_ends_by_hand(rate):
    assert error_correlation(rate, 0.0) == pytest.approx(0.0, abs=1e-9)
    assert error_correlation(rate, 1.0) == 1.0
    assert error_correlation(1 - rate, 0.3) == pytest.approx(error_correlation(rate, 0.3), abs=1e-9)


def test_error_correlation_of_what_never_or_always_happens_is_none():
    assert error_correlation(0.0, 0.3) == error_correlation(1.0, 0.3) == 0.0


def test_design_effect_by_hand():
    """100 subjects of 10: 1 + 9 rho; and one pair of people compared twice, both people shared."""
    rho = error_correlation(0.02, 0.3)
    assert PersonSharing(1000, 1000 * 9).design_effect(0.02, 0.3) == pytest.approx(1 + 9 * rho)
    assert PersonSharing(2, 0, 2).design_effect(0.02, 0.3) == pytest.approx(1 + error_correlation(0.02, 0.6))
    assert PersonSharing(50, 0).design_effect(0.02, 0.3) == 1.0


@pytest.mark.parametrize("value", [-0.1, 0.6, float("nan"), True, "much"])
def test_what_is_not_a_correlation_is_refused(value):
    with pytest.raises(InputError, match=r"correlation is .*0 to 0\.5"):
        check_correlation(value, most=0.5)
