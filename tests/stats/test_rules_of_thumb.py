"""U1: how many trials the rule of 3 asks for, and rates in few characters."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.core import InputError
from bertillon.stats import needed_trials, proportion, short_rate


def test_needed_trials_by_hand():
    """No rounding of 3 / rate upwards by the dust of floats."""
    assert [needed_trials(rate) for rate in (1e-6, 1e-4, 0.001, 0.3, 0.7)] == [3_000_000, 30_000, 3000, 10, 5]


@given(st.floats(1e-6, 0.5), st.sampled_from([0.8, 0.9, 0.95]))
def test_needed_trials_show_the_rate_and_fewer_do_not(rate, level):
    needed = needed_trials(rate, level)
    numerator = {0.8: 1.61, 0.9: 2.31, 0.95: 3.0}[level]  # STANDARDS 1
    assert numerator / needed <= rate * (1 + 1e-9)
    assert needed == 1 or numerator / (needed - 1) > rate * (1 - 1e-6)
    assert proportion(0, needed, level=level, side="upper").high <= rate * (1 + 1e-9)


@pytest.mark.parametrize(("rate", "text"), [(1e-6, "1e-6"), (2.5e-5, "2.5e-5"), (0.001, "0.001"), (1e-12, "1e-12")])
def test_rates_are_short(rate, text):
    assert short_rate(rate) == text
    assert float(text) == rate


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, math.nan, True, "low"])
def test_what_cannot_be_aimed_at_is_refused(rate):
    with pytest.raises(InputError, match="rate is"):
        needed_trials(rate)
