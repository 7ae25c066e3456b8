"""Calibrators (SPEC K8): fitted on one set, used on another, kept as JSON; against scikit-learn and theory."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from bertillon.analysis import (
    CALIBRATORS,
    Beta,
    Isotonic,
    Platt,
    Temperature,
    calibrated,
    calibration_table,
    fit_calibrator,
    from_json,
)
from bertillon.core import InputError
from bertillon.trials import Predictions

RNG = np.random.default_rng(20)


def over_confident(n: int):
    """Outcomes whose true log-odds are half of what is said."""
    logits = RNG.normal(0, 3, n)
    truth = (RNG.random(n) < 1 / (1 + np.exp(-logits / 2))).astype(int)
    return truth, logits


def test_k8_platt_against_sklearn():
    truth, logits = over_confident(500)
    ours, theirs = Platt().fit(logits, truth), _SigmoidCalibration().fit(logits, truth)
    assert np.allclose(ours.calibrate(logits), theirs.predict(logits), atol=1e-5)


def test_k8_platt_on_separable_scores_does_not_run_away():
    platt = Platt().fit([1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3], [0, 0, 1, 1])
    assert platt.calibrate([1e6 + 0.0, 1e6 + 3.0]) == pytest.approx([0.25, 0.75], abs=0.05)


def test_k8_isotonic_against_sklearn():
    truth, logits = over_confident(400)
    scores, weights = np.round(logits, 1), RNG.random(400)
    ours = Isotonic().fit(scores, truth, weights)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(scores, truth, weights)
    at = np.linspace(-12, 12, 500)
    assert np.allclose(ours.calibrate(at), theirs.predict(at), atol=1e-12)


def test_k8_temperature_against_theory():
    truth, logits = over_confident(20_000)
    assert Temperature().fit(logits, truth).temperature == pytest.approx(2.0, rel=0.05)
    both = np.column_stack([np.zeros(truth.size), logits])
    assert Temperature().fit(both, truth).temperature == pytest.approx(Temperature().fit(logits, truth).temperature)


def test_k8_temperature_is_the_best_of_a_grid():
    logits = RNG.normal(0, 2, (300, 4))
    truth = RNG.integers(0, 4, 300)
    logits[np.arange(300), truth] += 2

    def loss(t):
        scaled = logits / t
        return np.mean(np.log(np.exp(scaled).sum(axis=1)) - scaled[np.arange(300), truth])

    best = Temperature().fit(logits, truth).temperature
    assert loss(best) <= min(loss(t) for t in np.linspace(0.2, 5, 400)) + 1e-12
    assert np.array_equal(Temperature(best).calibrate(logits).argmax(axis=1), logits.argmax(axis=1))


def test_k8_temperature_keeps_its_bounds():
    assert Temperature().fit([[5.0, 0.0]], [0]).temperature == 1e-3
    assert Temperature().fit([[5.0, 0.0]], [1]).temperature == 1e3


def test_k8_beta_against_sklearn_where_no_bound_is_met():
    """Beta is a logistic regression on ln p and -ln(1 - p)."""
    p = RNG.beta(2, 2, 2000)
    truth = (RNG.random(2000) < p**2 / (p**2 + (1 - p))).astype(int)
    ours = Beta().fit(p, truth)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(
        np.column_stack([np.log(p), -np.log1p(-p)]), truth
    )
    assert [ours.a, ours.b, ours.c] == pytest.approx([*theirs.coef_[0], theirs.intercept_[0]], abs=1e-3)
    assert Beta(1.0, 1.0, 0.0).calibrate(p) == pytest.approx(p)


def test_k8_beta_never_falls_and_takes_the_ends():
    beta = Beta().fit(np.linspace(0, 1, 100), (np.linspace(0, 1, 100) < 0.5).astype(int))
    assert min(beta.a, beta.b) >= 0
    assert np.isfinite(beta.calibrate([0.0, 1.0])).all()


@pytest.mark.parametrize("kind", CALIBRATORS)
def test_k8_json_keeps_every_digit(kind):
    truth, logits = over_confident(200)
    p = 1 / (1 + np.exp(-logits))
    fitted = fit_calibrator(kind, Predictions.from_probabilities(truth, p))
    text = fitted.to_json()
    again = from_json(text)
    assert type(again) is type(fitted)
    given = logits if kind == "temperature" else p
    assert np.array_equal(again.calibrate(given), fitted.calibrate(given))
    assert json.loads(text)["calibrator"] == kind
    assert again.predict_proba(given).sum(axis=1) == pytest.approx(np.ones(200))


@pytest.mark.parametrize("kind", CALIBRATORS)
def test_k8_before_and_after_on_other_data(kind):
    truth, logits = over_confident(4000)
    fitting = Predictions.from_logits(truth, logits)
    other, other_logits = over_confident(4000)
    before = Predictions.from_logits(other, other_logits)
    after = calibrated(before, fit_calibrator(kind, fitting))
    table = {row.measure: row for row in calibration_table(before, after)}
    proper = "Brier" if kind == "isotonic" else "LogLoss"  # isotonic says 0 and 1 at its ends
    for measure in (proper, "ECE", "Reliability"):
        assert table[measure].after.value < table[measure].before.value
    assert f"calibrated by {kind}" in str(after.notes[-1])


def test_k8_temperature_for_several_classes_from_probabilities():
    logits = RNG.normal(0, 2, (500, 3))
    shares = np.exp(logits / 3)
    truth = np.array([RNG.choice(3, p=row / row.sum()) for row in shares])
    by_logits = Predictions.from_logits(truth, logits)
    by_probabilities = Predictions.from_probabilities(truth, by_logits.probabilities)
    first, second = (fit_calibrator("temperature", given) for given in (by_logits, by_probabilities))
    assert first.temperature == pytest.approx(second.temperature, rel=1e-6)
    after = calibrated(by_logits, first)
    assert calibration_table(by_logits, after)[0].after.value < calibration_table(by_logits, after)[0].before.value


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: Platt().calibrate([1.0]), "has not been fitted"),
        (lambda: Isotonic().to_json(), "has not been fitted"),
        (lambda: Platt().fit([1.0, 2.0], [1, 1]), "both positives and negatives"),
        (lambda: Platt().fit([1.0, math.nan], [1, 0]), "finite"),
        (lambda: Platt().fit([1.0, 2.0], [1, 2]), "0 or 1"),
        (lambda: Beta().fit([1.5, 0.2], [1, 0]), r"\[0, 1\]"),
        (lambda: Temperature().fit([[1.0, 2.0]], [2]), "true column"),
        (lambda: Temperature().fit([[1.0, 2.0], [2.0, 1.0]], [0, 1], [math.inf, 1.0]), "finite numbers"),
        (lambda: from_json("nonsense"), "not JSON"),
        (lambda: from_json("[]"), "no calibrator"),
        (lambda: from_json('{"calibrator": "plat"}'), "did you mean 'platt'"),
        (lambda: from_json('{"calibrator": "platt", "a": null, "b": 1}'), "finite number"),
        (lambda: from_json('{"calibrator": "isotonic", "scores": [1, 0], "values": [0, 1]}'), "does not rise"),
        (lambda: from_json('{"calibrator": "temperature", "temperature": 0}'), "above 0"),
        (lambda: fit_calibrator("platt", Predictions.from_labels([1, 0], [1, 0])), "labels only"),
        (lambda: fit_calibrator("beta", Predictions.from_scores([1, 0], [2.0, 0.1])), "scores only"),
        (lambda: fit_calibrator("plat", Predictions.from_scores([1, 0], [2.0, 0.1])), "is unknown"),
    ],
)
def test_what_cannot_be_done_is_said(ask, words):
    with pytest.raises(InputError, match=words):
        ask()


def test_k8_isotonic_between_scores_that_hardly_differ_is_a_probability_by_hand():
    """From 0 at 1e-320 to 1 at 2e-320 no float is steep enough; halfway is still no more than 1."""
    fitted = Isotonic().fit([1e-320, 2e-320, 0.4], [0, 1, 1])
    assert fitted.calibrate([0.0, 1e-320, 2e-320, 0.2, 0.9]).tolist() == [0.0, 0.0, 1.0, 1.0, 1.0]
    assert 0.0 <= fitted.calibrate([1.5e-320])[0] <= 1.0
