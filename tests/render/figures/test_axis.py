"""Where rates lie on axes."""

from __future__ import annotations

import numpy as np
import pytest

from bertillon.views import joined, placed, rate_axis


def test_rates_on_a_linear_axis_are_themselves():
    assert placed([0.0, 0.25, 1.0], 4, "linear").tolist() == [0.0, 0.25, 1.0]


def test_zero_stands_half_a_trial_above_nothing_on_a_log_axis():
    assert placed([0.0, 0.1, 1.0], 10, "log").tolist() == [0.05, 0.1, 1.0]


def test_zero_and_one_stand_half_a_trial_inside_a_normal_axis_against_theory():
    low, middle, high = placed([0.0, 0.5, 1.0], 20, "normal")
    assert low == pytest.approx(-1.9599639845400545)  # the deviate of 0.5 / 20 = 0.025
    assert (middle, high) == (0.0, pytest.approx(-low))


def test_a_single_trial_keeps_zero_and_one_apart():
    low, high = placed([0.0, 1.0], 1, "normal")
    assert low < high
    assert placed([0.0, 1.0], 1, "log").tolist() == [0.25, 1.0]


def test_placing_rates_leaves_them_alone():
    rates = np.array([0.0, 0.5, 1.0])
    for scale in ("linear", "log", "normal"):
        assert placed(rates, 10, scale) is not rates
    assert rates.tolist() == [0.0, 0.5, 1.0]


def test_the_smallest_visible_rate_is_marked_on_log_and_normal_axes_only():
    assert rate_axis("FMR", "log", 100).floor == 0.01
    normal = rate_axis("FMR", "normal", 40)
    assert (normal.floor, normal.ceiling) == (pytest.approx(-1.9599639845400545), pytest.approx(1.9599639845400545))
    assert rate_axis("FMR", "linear", 100).floor is None
    assert rate_axis("FMR", "log", 1).floor is None


def test_log_axes_are_ticked_at_powers_of_ten_and_short_ones_in_plain_numbers():
    assert rate_axis("FMR", "log", 10_000).tick_labels == ("10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1")
    assert rate_axis("FMR", "log", 10).tick_labels == ("0.05", "0.1", "0.2", "0.5", "1")


def test_normal_axes_are_ticked_in_percent():
    axis = rate_axis("FMR", "normal", 10_000, 0.5)
    assert axis.tick_labels == ("0.01", "0.1", "1", "5", "10", "20", "40")
    assert axis.ticks[2] == pytest.approx(-2.3263478740408408)  # the deviate of 1 %


@pytest.mark.parametrize("trials", [1, 2, 3, 10, 1_000, 10**6, 10**9])
@pytest.mark.parametrize(("scale", "upper"), [("log", 1.0), ("normal", 0.5), ("normal", 1.0)])
def test_every_axis_has_ticks_inside_its_limits(trials, scale, upper):
    axis = rate_axis("FMR", scale, trials, upper)
    low, high = axis.limits
    assert len(axis.ticks) == len(axis.tick_labels) >= 2
    assert all(low <= tick <= high for tick in axis.ticks)
    assert list(axis.ticks) == sorted(set(axis.ticks))
    assert low < placed(0.0, trials, scale) <= placed(upper, trials, scale) < high


def test_a_joined_axis_has_room_for_both():
    small, large = rate_axis("FMR", "log", 10), rate_axis("FMR", "log", 10_000)
    both = joined([small, large])
    assert both.limits == (large.limits[0], max(small.limits[1], large.limits[1]))
    assert both.tick_labels == large.tick_labels
