"""Decisions under costs (SPEC K9, K10, E7), against brute force over all actions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from classification.cases import binary, of_binary, of_several, several
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bertillon.analysis import (
    Reject,
    bayes_decisions,
    bayes_threshold,
    cost_curve,
    cost_weights,
    posterior_mean,
    posterior_median,
    sample_weights,
    shift_prior,
    threshold_for,
)
from bertillon.core import InputError
from bertillon.evaluation import evaluate
from bertillon.trials import Predictions


@settings(max_examples=40)
@given(case=several(weighted=False), prices=st.lists(st.integers(0, 9), min_size=16, max_size=16))
def test_k9_bayes_decisions_cost_least_of_all_actions(case, prices):
    _, matrix, _ = case
    costs = np.array(prices[: matrix.shape[1] * 3]).reshape(matrix.shape[1], 3)
    action, cost = bayes_decisions(matrix, costs)
    for row, chosen, price in zip(matrix, action, cost, strict=True):
        every = [sum(p * costs[y, a] for y, p in enumerate(row)) for a in range(3)]
        assert price == pytest.approx(min(every))
        assert every[chosen] == pytest.approx(min(every))


@given(fn=st.floats(0.01, 100), fp=st.floats(0.01, 100), p=st.floats(0.001, 0.999))
def test_k9_the_threshold_is_where_the_two_costs_meet(fn, fp, p):
    threshold = bayes_threshold(fn=fn, fp=fp)
    assume(abs(p - threshold) > 1e-9)
    assert (p > threshold) == (bayes_decisions([p], [[0, fp], [fn, 0]])[0][0] == 1)


@given(p=st.floats(0.01, 0.99), trained=st.floats(0.05, 0.95), used=st.floats(0.05, 0.95))
def test_e7_shifting_probabilities_or_the_threshold_decides_the_same(p, trained, used):
    shifted = shift_prior([p], trained=trained, used=used)[0]
    plain, moved = bayes_threshold(fn=3, fp=1), bayes_threshold(fn=3, fp=1, trained_at=trained, used_at=used)
    assume(abs(p - moved) > 1e-9)
    assert (shifted > plain) == (p > moved)
    assert shift_prior([shifted], trained=used, used=trained)[0] == pytest.approx(p)


def test_e7_shift_of_several_classes_by_hand():
    shifted = shift_prior([[0.5, 0.3, 0.2]], trained=[0.5, 0.25, 0.25], used=[0.2, 0.4, 0.4])
    raw = np.array([0.5 * 0.4, 0.3 * 1.6, 0.2 * 1.6])
    assert np.allclose(shifted, raw / raw.sum())


@given(shares=st.lists(st.integers(0, 5), min_size=4, max_size=4), values=st.permutations([-2.0, 0.0, 1.0, 7.5]))
def test_k9_mean_and_median_cost_least_on_a_fine_grid(shares, values):
    assume(sum(shares) > 0)
    p, v = np.array(shares) / sum(shares), np.array(values)
    grid = np.linspace(-3, 8, 111)
    square, absolute = ([p @ loss(v - a) for a in grid] for loss in (np.square, np.abs))
    assert p @ np.square(v - posterior_mean([p], v)[0]) <= min(square) + 1e-9
    assert p @ np.abs(v - posterior_median([p], v)[0]) <= min(absolute) + 1e-9


@settings(max_examples=40)
@given(case=st.one_of(binary(weighted=False).map(of_binary), several(weighted=False).map(of_several)))
def test_k9_reject_costs_and_risk_against_loops(case):
    rule = Reject(reject=2, error=10)
    p = (
        case.probabilities
        if case.probabilities.ndim == 2
        else np.column_stack([1 - case.probabilities, case.probabilities])
    )
    best = p.argmax(axis=1) if p.shape[1] > 2 else (p[:, 1] >= 0.5).astype(int)
    sure, right = p.max(axis=1), best == case.truth
    costs = rule.costs(case)
    for threshold, cost in zip(costs.threshold, costs.cost, strict=True):
        kept = sure >= threshold
        assert cost == pytest.approx((10 * (kept & ~right).sum() + 2 * (~kept).sum()) / case.size)
    curve = evaluate(case, "Accuracy").tally.risk_coverage
    for threshold, coverage, risk in zip(curve.threshold, curve.coverage, curve.risk, strict=True):
        kept = sure >= threshold
        assert coverage == pytest.approx(kept.mean())
        assert risk == pytest.approx((~right)[kept].mean())
    assert curve.area == pytest.approx(np.mean([(~right)[sure >= s].mean() for s in sure]))
    assert costs.best[1] == pytest.approx(costs.cost.min())


def test_k9_rejecting_is_the_best_action_of_a_cost_matrix():
    """Reject as a further action of the cost matrix decides the same as the threshold."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1, 1], 200)
    prices = np.column_stack([10 * (1 - np.eye(3)), np.full(3, 2.0)])
    action = bayes_decisions(p, prices)[0]
    assert np.array_equal(np.where(action == 3, -1, action), Reject(reject=2, error=10).decide(p))


@pytest.mark.parametrize(
    ("constraint", "threshold", "precision", "recall", "fpr"),
    [
        ("recall>=0.75", 0.4, 0.75, 0.75, 0.25),
        ("fpr<=0.25", 0.4, 0.75, 0.75, 0.25),
        ("FAR <= 0", 0.8, 1.0, 0.5, 0.0),
        ("precision>=0.9", 0.8, 1.0, 0.5, 0.0),
        ("specificity>=0.5", 0.3, 4 / 6, 1.0, 0.5),
    ],
)
def test_k5_thresholds_under_a_constraint_by_hand(constraint, threshold, precision, recall, fpr):
    predictions = Predictions.from_scores([1, 1, 1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.4, 0.3, 0.7, 0.35, 0.2, 0.1])
    found = threshold_for(predictions, constraint)
    assert (found.threshold, found.precision, found.recall, found.fpr) == (threshold, precision, recall, fpr)
    assert "judge it on others" in found.warning


@pytest.mark.parametrize("constraint", ["recall<=0.9", "auc>=0.9", "recall", "recall>=2", "recall>=x"])
def test_constraints_that_make_no_sense_are_refused(constraint):
    with pytest.raises(InputError):
        threshold_for(Predictions.from_scores([1, 0], [0.9, 0.1]), constraint)


@settings(max_examples=30)
@given(case=binary())
def test_cost_curve_passes_through_the_measure(case):
    truth, _, weights = case
    used = truth if weights is None else truth[weights > 0]
    assume(0 < used.sum() < used.size)
    curve = cost_curve(of_binary(case), fn=5, fp=1)
    least = evaluate(of_binary(case), "minCost(fn=5,fp=1)")["minCost(fn=5,fp=1)"]
    assert curve.best[1] == pytest.approx(least.value)


def test_k10_weights_stand_for_costs():
    """The weighted error rate is the mean cost, up to the sum of weights."""
    predictions = Predictions.from_labels([1, 1, 0, 0, 0], [0, 1, 1, 0, 0])
    weights = sample_weights([1, 1, 0, 0, 0], cost_weights(fn=5, fp=2))
    weighted = Predictions.from_labels([1, 1, 0, 0, 0], [0, 1, 1, 0, 0], weights=weights)
    cost = evaluate(predictions, "Cost(fn=5,fp=2)")["Cost(fn=5,fp=2)"].value
    accuracy = evaluate(weighted, "Accuracy")["Accuracy"].value
    assert cost == pytest.approx((1 - accuracy) * weights.sum() / 5)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: bayes_threshold(fn=0, fp=0),
        lambda: bayes_threshold(fn=-1, fp=1),
        lambda: bayes_threshold(fn=1, fp=1, trained_at=0.5),
        lambda: bayes_threshold(fn=1, fp=1, trained_at=0.5, used_at=0),
        lambda: bayes_decisions([[0.5, 0.5]], [[0, 1]]),
        lambda: bayes_decisions([[0.5, 0.6]], [[0, 1], [1, 0]]),
        lambda: bayes_decisions([[0.5, 0.5]], [[0, math.nan], [1, 0]]),
        lambda: Reject(reject=1, error=0),
        lambda: shift_prior([0.5], trained=0.0, used=0.5),
        lambda: posterior_mean([[0.5, 0.5]], [1.0]),
        lambda: Reject(reject=1, error=2).costs(Predictions.from_labels([1, 0], [1, 0])),
    ],
)
def test_impossible_questions_are_refused(ask):
    with pytest.raises(InputError):
        ask()


@pytest.mark.parametrize("shares", [{"trained": math.nan, "used": 0.1}, {"trained": 0.5, "used": math.nan}])
def test_k9_a_share_that_is_no_number_shifts_nothing_by_hand(shares):
    with pytest.raises(InputError, match="must be one a class, 0 or more, and add up to 1"):
        shift_prior([0.5], **shares)


@pytest.mark.parametrize("best", [posterior_mean, posterior_median])
def test_k9_a_value_that_is_no_number_has_no_mean_and_no_median_by_hand(best):
    with pytest.raises(InputError, match="a class has the value nan"):
        best([[0.5, 0.5]], [1.0, math.nan])
