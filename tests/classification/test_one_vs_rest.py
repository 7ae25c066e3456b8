"""Calibrators of several classes (SPEC K8), against scikit-learn and by hand; and as files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

from bertillon.analysis import (
    Beta,
    OneVersusRest,
    Platt,
    SavedCalibrator,
    Temperature,
    calibrated,
    calibration_table,
    fit_calibrator,
    from_json,
    saved,
    what_is_read,
)
from bertillon.core import InputError
from bertillon.trials import Predictions

RNG = np.random.default_rng(31)


def over_confident(n: int = 500, classes: int = 3):
    truth = RNG.integers(0, classes, n)
    logits = RNG.normal(0, 1, (n, classes))
    logits[np.arange(n), truth] += 1
    p = np.exp(3 * logits)
    return truth, p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("kind", ["platt", "isotonic"])
def test_k8_each_class_against_the_rest_against_sklearn(kind):
    """What scikit-learn fits to each column, divided by its sum."""
    truth, p = over_confident()
    ours = OneVersusRest(kind).fit(p, truth).calibrate(p)
    theirs = np.empty(p.shape)
    for code in range(3):
        if kind == "platt":
            model = _SigmoidCalibration().fit(p[:, code], truth == code)
        else:
            model = IsotonicRegression(out_of_bounds="clip").fit(p[:, code], truth == code)
        theirs[:, code] = model.predict(p[:, code])
    theirs /= theirs.sum(axis=1, keepdims=True)
    assert np.allclose(ours, theirs, atol=1e-5 if kind == "platt" else 1e-12)


@pytest.mark.parametrize("kind", ["platt", "isotonic", "beta"])
def test_k8_several_classes_get_better_on_other_data(kind):
    fitting, before = (Predictions.from_probabilities(*over_confident(2000)) for _ in range(2))
    fitted = fit_calibrator(kind, fitting)
    assert isinstance(fitted, OneVersusRest)
    after = calibrated(before, fitted)
    assert after.probabilities.sum(axis=1) == pytest.approx(np.ones(before.size))
    table = {row.measure: row for row in calibration_table(before, after)}
    for measure in ("Brier", "ECE", "Reliability"):
        assert table[measure].after.value < table[measure].before.value


@pytest.mark.parametrize("kind", ["platt", "isotonic", "beta"])
def test_k8_json_keeps_every_digit_of_every_class(kind):
    truth, p = over_confident()
    fitted = OneVersusRest(kind).fit(p, truth)
    again = from_json(fitted.to_json())
    assert np.array_equal(again.calibrate(p), fitted.calibrate(p))
    assert np.array_equal(again.predict_proba(p), again.calibrate(p))


def test_where_every_class_says_0_they_share_equally():
    x = np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]])
    fitted = OneVersusRest("isotonic").fit(np.vstack([x, x]), [0, 1, 0, 0, 1, 1])
    silent = OneVersusRest("isotonic", [type(fitted.parts[0])(np.array([0.0, 1.0]), np.zeros(2))] * 2)
    assert silent.calibrate(x).tolist() == [[0.5, 0.5]] * 3


def test_weights_count_as_repetitions():
    truth, p = over_confident(60)
    weights = RNG.integers(0, 3, 60)
    kept = [place for place, n in enumerate(weights) for _ in range(n)]
    by_weight = OneVersusRest("beta").fit(p, truth, weights).calibrate(p)
    by_rows = OneVersusRest("beta").fit(p[kept], truth[kept]).calibrate(p)
    assert np.allclose(by_weight, by_rows, atol=1e-4)


def test_what_a_calibrator_reads():
    labels = [0, 1, 1]
    by_score = Predictions.from_scores(labels, [1.0, 2.0, 3.0])
    by_p = Predictions.from_probabilities(labels, [0.1, 0.5, 0.9])
    by_logit = Predictions.from_logits(labels, [-1.0, 0.5, 2.0])
    by_two_logits = Predictions.from_logits(labels, [[1.0, 0.0], [0.0, 0.5], [0.0, 2.0]])
    kinds = ("platt", "isotonic", "temperature", "beta")
    assert [what_is_read(kind, by_score) for kind in kinds] == ["score", "score", "logit", "score"]
    assert [what_is_read(kind, by_p) for kind in kinds] == ["probability", "probability", "logit", "probability"]
    assert [what_is_read(kind, by_logit) for kind in kinds] == ["logit", "probability", "logit", "probability"]
    assert what_is_read("platt", by_two_logits) == "probability"  # which one is positive is known


def test_a_fit_to_log_odds_is_given_log_odds():
    """A file of two columns of logits has the log-odds a Platt of one column was fitted to."""
    logits = RNG.normal(0, 2, 200)
    truth = (RNG.random(200) < 1 / (1 + np.exp(-logits))).astype(int)
    one = Predictions.from_logits(truth, logits)
    two = Predictions.from_logits(truth, np.column_stack([np.zeros(200), logits]))
    held = saved("platt", one, data="")
    assert held.reads == "logit"
    expected = held.apply(one).probabilities
    assert np.allclose(held.apply(two).probabilities, expected)
    assert np.allclose(held.apply(Predictions.from_probabilities(truth, one.probabilities)).probabilities, expected)


def test_a_file_keeps_what_it_is_for_and_puts_columns_in_order():
    truth, p = over_confident()
    names = np.array(["cat", "dog", "owl"])
    given = Predictions.from_probabilities(names[truth], p, classes=names, name="dev")
    held = SavedCalibrator.from_json(saved("beta", given, data="fingerprint").to_json())
    assert (held.classes, held.positive, held.kind) == (("cat", "dog", "owl"), None, "beta")
    assert (held.fitted_on, held.samples, held.data) == ("dev", 500, "fingerprint")
    turned = Predictions.from_probabilities(names[truth], p[:, [2, 0, 1]], classes=names[[2, 0, 1]])
    assert np.allclose(held.apply(turned).probabilities[:, [1, 2, 0]], held.apply(given).probabilities)
    assert json.loads(held.to_json())["classes"] == ["cat", "dog", "owl"]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: OneVersusRest("temperature"), "is unknown"),
        (lambda: OneVersusRest("platt").calibrate([[0.5, 0.5]]), "has not been fitted"),
        (lambda: OneVersusRest("platt").to_json(), "has not been fitted"),
        (lambda: OneVersusRest("platt").fit([0.5, 0.5], [0, 1]), "shape"),
        (lambda: OneVersusRest("platt").fit([[0.5, 0.5]], [2]), "true column"),
        (lambda: OneVersusRest("platt").fit([[0.5, 0.5], [0.4, 0.6]], [0, 0]), "column 1 is the true class of 2 of 2"),
        (lambda: OneVersusRest("platt", [Platt(1.0, 0.0)] * 3).calibrate([[0.5, 0.5]]), "2 columns"),
        (
            lambda: calibrated(Predictions.from_probabilities([0, 1, 2], np.eye(3)), Beta(1.0, 1.0, 0.0)),
            "one positive class, and the predictions have several",
        ),
        (
            lambda: calibrated(
                Predictions.from_probabilities([0, 1], [0.5, 0.5]), OneVersusRest("beta", [Beta(1.0, 1.0, 0.0)] * 2)
            ),
            "each class, and the predictions have one positive",
        ),
        (
            lambda: calibrated(Predictions.from_scores([0, 1], [0.5, 0.5]), Platt(1.0, 0.0), reads="probability"),
            "scores",
        ),
        (
            lambda: calibrated(Predictions.from_probabilities([0, 1], [0.5, 0.5]), Platt(1.0, 0.0), reads="score"),
            "fitted",
        ),
        (lambda: calibrated(Predictions.from_labels([0, 1], [0, 1]), Temperature(1.0)), "labels only"),
    ],
)
def test_what_cannot_be_done_is_said(ask, words):
    with pytest.raises(InputError, match=words):
        ask()
