"""Forecasts and costs. SPEC V10, V12."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.measures import Weights


def test_v12_forecast_by_hand() -> None:
    """SPEC V12: FAR .01, FRR .05, 10 genuine and 90 impostor attempts: .5 false rejects, .9 false accepts."""
    expected = bt.analysis.forecast(0.01, 0.05, genuine=10, impostor=90)
    assert expected.false_rejects == pytest.approx(0.5)
    assert expected.false_accepts == pytest.approx(0.9)


def test_forecast_refuses_negative_volumes() -> None:
    with pytest.raises(bt.InputError, match="genuine attempts: -1"):
        bt.analysis.forecast(0.1, 0.1, genuine=-1, impostor=0)


@pytest.mark.parametrize(("fmr", "fnmr", "cost"), [(0.02, 0.02, 0.1396), (0.001, 0.10, 0.203), (0.05, 0.005, 0.2599)])
def test_v10_expected_cost_by_hand(fmr: float, fnmr: float, cost: float) -> None:
    """SPEC V10: C_FA 500, C_FR 2, impostors 1 % of attempts."""
    assert Weights(cfa=500, cfr=2, impostor=0.01).expected(fmr, fnmr) == pytest.approx(cost)


scores = st.lists(st.integers(0, 6), min_size=1, max_size=12)


@given(mated=scores, nonmated=scores, ratio=st.sampled_from([0.1, 1.0, 7.0]), prior=st.sampled_from([0.0, 0.3, 1.0]))
def test_v10_sweep_agrees_with_the_measure(mated: list[int], nonmated: list[int], ratio: float, prior: float) -> None:
    """SPEC V10: the best of the hull's vertices is the best of all thresholds."""
    given_scores = bt.ScoreSet(mated, nonmated)
    (point,) = bt.analysis.cost_sweep(bt.counting.error_curve(given_scores), [ratio], impostors=[prior])
    name = f"minCost(cfa={ratio},cfr=1,impostor={prior})"
    assert point.cost == pytest.approx(bt.evaluate(given_scores, [name])[name].value, abs=1e-12)
    at = bt.counting.outcomes(given_scores, point.threshold) if np.isfinite(point.threshold) else None
    if at:
        assert at.false_match / len(nonmated) == pytest.approx(point.fmr)


def test_v10_likelihood_ratio_condition_against_theory() -> None:
    """SPEC V10: with N(2,1) and N(0,1), the ratio exp(2t - 2) equals C_FA pi_I / (C_FR pi_G) at the best threshold."""
    simulation = bt.simulate.scores("binormal", mated=400_000, nonmated=400_000, dprime=2.0, rng=5)
    (point,) = bt.analysis.cost_sweep(bt.counting.error_curve(simulation.scores), [9.0], impostors=[0.25])
    assert point.likelihood_ratio == pytest.approx(3.0)
    assert point.threshold == pytest.approx((np.log(3.0) + 2) / 2, abs=0.05)


def test_sweep_needs_both_classes() -> None:
    with pytest.raises(bt.InputError, match="both mated and non-mated"):
        bt.analysis.cost_sweep(bt.counting.error_curve(bt.ScoreSet([1.0], [])), [1.0], impostors=[0.5])
