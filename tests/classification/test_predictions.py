"""What predictions take, what they refuse, and how they say so."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from bertillon.core import InputError
from bertillon.evaluation import evaluate, per_class
from bertillon.trials import Predictions

TRUTH, P = [1, 0, 1, 0, 1], [0.9, 0.2, 0.4, 0.6, 0.8]


@pytest.mark.parametrize("make", [list, tuple, np.array, pl.Series, pd.Series, lambda v: np.array(v, dtype=np.float32)])
def test_lists_arrays_and_columns_are_the_same(make):
    first = evaluate(Predictions.from_probabilities(TRUTH, np.array(P, dtype=np.float32)))
    second = evaluate(Predictions.from_probabilities(make(TRUTH), np.float32(make(P))))
    assert [r.value for r in first.results.values()] == [r.value for r in second.results.values()]


@pytest.mark.parametrize(
    ("labels", "classes", "positive"),
    [
        ([True, False, True], (False, True), True),
        ([1, -1, 1], (-1, 1), 1),
        ([1.0, 0.0, 1.0], (0, 1), 1),
        (np.array([1, 0, 1], dtype=np.uint8), (0, 1), 1),
        (["cat", "dog", "cat"], ("cat", "dog"), None),
        (pl.Series(["cat", "dog", "cat"]), ("cat", "dog"), None),
        (pd.Categorical(["cat", "dog", "cat"]), ("cat", "dog"), None),
        (np.array(["b", "a", "b"], dtype=object), ("a", "b"), None),
        ([10**12, 5, 5], (5, 10**12), None),
    ],
)
def test_labels_of_every_kind(labels, classes, positive):
    made = Predictions.from_labels(labels, labels)
    assert (made.classes, made.positive) == (classes, positive)
    assert evaluate(made, ["Accuracy"])["Accuracy"].value == 1.0


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Predictions.from_labels([1, "a"], [1, 1]), "mix text"),
        (lambda: Predictions.from_labels([1, 0], ["a", "b"]), "mix text and numbers"),
        (lambda: Predictions.from_labels([1, None], [1, 1]), "row 2 has no label"),
        (lambda: Predictions.from_labels([1, math.nan], [1, 1]), "row 2 has no label"),
        (lambda: Predictions.from_labels(pd.Series([1, None], dtype="Int64"), [1, 1]), "row 2 has no label"),
        (lambda: Predictions.from_labels(pl.Series(["a", None]), ["a", "b"]), "row 2 has no label"),
        (lambda: Predictions.from_labels(pl.Series([1, None]), [1, 0]), "row 2 has no label"),
        (lambda: Predictions.from_labels([0.5, 1.0], [1, 1]), "whole numbers"),
        (lambda: Predictions.from_labels([1, 0], [1]), "1 predicted labels for 2"),
        (lambda: Predictions.from_labels([[1], [0]], [1, 0]), "one dimension"),
        (lambda: Predictions.from_labels([], []), "no predictions"),
        (lambda: Predictions.from_labels([1, 2], [1, 2], classes=[1, 1]), "more than once"),
        (lambda: Predictions.from_labels([1, 2], [1, 3], classes=[1, 2]), "3, which is not among the classes"),
        (lambda: Predictions.from_labels([1, 2], [1, 2], positive=7), "not among the classes"),
        (lambda: Predictions.from_scores(["a", "b"], [0.1, 0.2]), "which label is positive"),
        (lambda: Predictions.from_scores(["a", "a"], [0.1, 0.2]), "say which one is positive"),
        (lambda: Predictions.from_scores([0, 1, 2], [0.1, 0.2, 0.3]), "is for two classes"),
        (lambda: Predictions.from_scores([0, 1], [[0.1], [0.2], [0.3]]), "3 scores for 2"),
        (lambda: Predictions.from_scores([0, 1], ["x", "y"]), "not numbers"),
        (lambda: Predictions.from_probabilities([0, 1], [0.1, 1.2]), "row 2 holds 1.2"),
        (lambda: Predictions.from_probabilities([0, 1], [-0.1, 0.2]), r"row 1 holds -0\.1"),
        (lambda: Predictions.from_probabilities([0, 1], [0.1, math.inf]), "outside"),
        (lambda: Predictions.from_probabilities([0, 1, 0], [0.5, 1.5, -3.0]), "row 2 holds 1.5"),
        (lambda: Predictions.from_probabilities([0, 1], [[0.5, 0.5], [2.0, -1.0]]), "row 2 holds 2,"),
        (lambda: Predictions.from_scores([0, 1], [[0.1], [0.2, 0.3]]), "with rows of different lengths"),
        (lambda: Predictions.from_probabilities([0, 1], [[0.6, 0.5], [0.5, 0.5]]), r"row 1 adds up to 1\.1"),
        (lambda: Predictions.from_probabilities([0, 1], [[0.6, 0.4, 0], [0.5, 0.5, 0]]), "name the columns"),
        (lambda: Predictions.from_probabilities(["c"], [[0.6, 0.4]], classes=["a", "b"]), "'c', which is not among"),
        (lambda: Predictions.from_probabilities([0, 1], [0.1, 0.2], weights=[1, -1]), "row 2 is -1"),
        (lambda: Predictions.from_probabilities([0, 1], [0.1, 0.2], weights=[1, math.nan]), "row 2 is nan"),
        (lambda: Predictions.from_probabilities([0, 1], [0.1, 0.2], weights=[1]), "1 weights for 2"),
        (lambda: Predictions.from_probabilities([0, 1], [0.1, 0.2], weights=["a", "b"]), "weights are not numbers"),
        (lambda: Predictions.from_probabilities([0, 1], [0.1, 0.2], weights=[[1, 2]]), r"weights have shape \(1, 2\)"),
        (lambda: Predictions.from_probabilities([0, 1], [0.1, 0.2], groups=["a"]), "1 groups for 2"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(build, words):
    with pytest.raises(InputError, match=words):
        build()


def test_logits_are_logits_only_when_named():
    logits = np.array([[2.0, -1.0, 0.5], [0.0, 3.0, 0.0]])
    with pytest.raises(InputError, match="from_logits"):
        Predictions.from_probabilities([0, 1], logits, classes=[0, 1, 2])
    made = Predictions.from_logits([0, 1], logits, classes=[0, 1, 2])
    assert made.probabilities.sum(axis=1) == pytest.approx([1, 1])
    assert Predictions.from_logits([0, 1], [0.0, 2.0]).probabilities[0] == 0.5


def test_infinite_logits_are_certain_and_stay_beside_their_samples_by_hand():
    logits = [[math.inf, 0.0], [1.0, -math.inf], [math.nan, 0.0], [0.0, 0.0]]
    made = Predictions.from_logits([0, 0, 1, 1], logits)
    assert made.probabilities.tolist() == [[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]]
    assert (made.failed, made.truth.tolist(), made.logits.tolist()) == (1, [0, 0, 1], [*logits[:2], logits[3]])
    assert Predictions.from_logits([0, 1], [-math.inf, math.inf]).probabilities.tolist() == [0.0, 1.0]


def test_float32_rows_add_up_within_their_own_tolerance():
    matrix = np.full((2, 3), 1 / 3, dtype=np.float32) + np.float32(1e-5)
    assert Predictions.from_probabilities([0, 1], matrix, classes=[0, 1, 2]).size == 2
    with pytest.raises(InputError, match="within 1e-06"):
        Predictions.from_probabilities([0, 1], matrix.astype(np.float64), classes=[0, 1, 2])


def test_nan_is_a_failed_prediction_counted_and_left_out():
    made = Predictions.from_probabilities([1, 0, 1], [0.9, math.nan, 0.4], weights=[1, 2, 3])
    assert (made.size, made.failed, made.weights.tolist()) == (2, 1, [1, 3])
    assert "One prediction is NaN" in str(made.warnings[0])
    matrix = Predictions.from_probabilities([0, 1, 2], [[0.2, 0.3, 0.5], [math.nan, 0.5, 0.5], [0, 0, 1]])
    assert (matrix.size, matrix.failed) == (2, 1)
    assert evaluate(matrix).counts["failed"] == 1


@pytest.mark.parametrize("truth", [[1, 1, 1], [0, 0, 0]])
def test_one_class_only_gives_reasons_not_numbers(truth):
    evaluation = evaluate(Predictions.from_probabilities(truth, [0.9, 0.2, 0.6]))
    for name in ("AUC", "MCC", "BalancedAccuracy"):
        assert math.isnan(evaluation[name].value)
        assert evaluation[name].reason
    assert evaluation["Accuracy"].value in (2 / 3, 1 / 3)


def test_one_class_of_text_needs_the_other_only_in_name():
    made = Predictions.from_scores(["sick", "sick"], [0.1, 0.9], positive="sick")
    assert made.classes == ("not sick", "sick")
    assert Predictions.from_scores(["well", "well"], [0.1, 0.9], positive="sick").classes == ("sick", "well")


def test_weights_of_zero_count_for_nothing():
    with_zero = Predictions.from_probabilities([1, 0, 1, 0], [0.9, 0.2, 0.0, 1.0], weights=[1, 1, 0, 0])
    without = Predictions.from_probabilities([1, 0], [0.9, 0.2], weights=[1, 1])
    first, second = evaluate(with_zero), evaluate(without)
    assert {n: r.value for n, r in first.results.items()} == {n: r.value for n, r in second.results.items()}
    nothing = evaluate(Predictions.from_probabilities([1, 0], [0.9, 0.2], weights=[0, 0]))
    assert all(math.isnan(r.value) and r.reason for r in nothing.results.values())


def test_scores_decide_nothing_until_a_place_is_named():
    evaluation = evaluate(Predictions.from_scores(TRUTH, P), ["F1", "F1@t=0.5"])
    assert "name one" in str(evaluation["F1"].reason)
    assert evaluation["F1@t=0.5"].value == pytest.approx(2 / 3)
    assert evaluation.tally.confusion is None


def test_a_probability_of_one_half_is_positive_and_labels_come_first():
    half = Predictions.from_probabilities([1, 0], [0.5, 0.49])
    assert evaluate(half, "Recall")["Recall"].value == 1.0
    said = Predictions.from_probabilities([1, 0], [0.5, 0.49], y_pred=[0, 0])
    assert evaluate(said, "Recall")["Recall"].value == 0.0


def test_the_other_class_may_be_positive():
    first = Predictions.from_probabilities(["a", "b"], [[0.7, 0.3], [0.4, 0.6]], positive="a")
    assert first.positive_scores.tolist() == [0.7, 0.4]
    assert first.probability_of(1).tolist() == [0.3, 0.6]
    column = Predictions.from_probabilities(["a", "b"], [0.7, 0.4], positive="a")
    assert np.allclose(column.probability_of(1), [0.3, 0.6])


@pytest.mark.parametrize("labels", ["numbers", "text"])
def test_estimators_are_taken_by_what_they_can_do_against_sklearn(labels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=120) > 0).astype(int)
    y = y if labels == "numbers" else np.where(y == 1, "yes", "no")
    positive = None if labels == "numbers" else "yes"
    logistic, svc = LogisticRegression().fit(X, y), LinearSVC().fit(X, y)
    by_probability = Predictions.from_estimator(logistic, X, y, positive=positive)
    accuracy = evaluate(by_probability, ["Accuracy", "AUC"])
    assert accuracy["Accuracy"].value == pytest.approx(logistic.score(X, y))
    by_score = evaluate(Predictions.from_estimator(svc, X, y), ["Accuracy", "AUC"])
    assert by_score["Accuracy"].value == pytest.approx(svc.score(X, y))
    turned = Predictions.from_estimator(svc, X, y, positive=svc.classes_[0].item())
    assert evaluate(turned, "AUC")["AUC"].value == pytest.approx(by_score["AUC"].value)
    with pytest.raises(InputError, match="neither predict_proba"):
        Predictions.from_estimator(object(), X, y)


def test_ten_thousand_classes():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 10_000, 300)
    matrix = rng.random((300, 10_000), dtype=np.float32)
    matrix[np.arange(300), truth] += 1.0
    matrix /= matrix.sum(axis=1, keepdims=True)
    evaluation = evaluate(
        Predictions.from_probabilities(truth, matrix, classes=range(10_000)),
        ["Accuracy", "F1[macro]", "MCC", "Kappa[quadratic]", "AUC[ovr]", "Top@5", "LogLoss", "ECE"],
    )
    assert evaluation["Accuracy"].value == 1.0
    assert evaluation["AUC[ovr]"].value > 0.999
    assert evaluation.counts == {"samples": 300, "failed": 0, "classes": 10_000}
    assert per_class(evaluation.tally).height == 10_000


def test_strict_json_and_frames():
    evaluation = evaluate(Predictions.from_probabilities([1, 0], [0.0, 0.3]))
    assert '"inf"' in evaluation.to_json()  # LogLoss
    assert evaluation.to_frame().height == len(evaluation)
    assert evaluation.definitions["positive"] == 1
    assert "at least 0.5" in str(evaluation.definitions["decisions"])


def test_the_fingerprint_knows_the_data_and_not_their_order():
    def data(predictions):
        return evaluate(predictions, ["Accuracy"]).definitions["data"]

    first = Predictions.from_labels(["a", "b", "b"], ["a", "a", "b"])
    assert data(first) == data(Predictions.from_labels(["b", "a", "b"], ["b", "a", "a"]))
    assert data(first) != data(Predictions.from_labels(["a", "b", "b"], ["a", "b", "b"]))
    matrix = [[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]]
    assert data(Predictions.from_probabilities([2, 1], matrix, classes=range(3))) == data(
        Predictions.from_probabilities([1, 2], matrix[::-1], classes=range(3))
    )


def test_curves_say_why_there_are_none():
    evaluation = evaluate(Predictions.from_labels(["a", "b", "c"], ["a", "b", "b"]))
    for ask in (
        lambda: evaluation.tally.roc,
        lambda: evaluation.tally.reliability(),
        lambda: evaluation.tally.thresholds(),
    ):
        with pytest.raises(InputError):
            ask()
    with pytest.raises(InputError, match="decide nothing"):
        _ = per_class(evaluate(Predictions.from_scores([1, 0], [0.2, 0.1])).tally)


def test_curves_are_thinned_between_their_ends():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 5000)
    evaluation = evaluate(Predictions.from_probabilities(truth, rng.random(5000)))
    for curve in (evaluation.tally.precision_recall, evaluation.tally.gain, evaluation.tally.risk_coverage):
        thin = curve.thin(100)
        assert thin.threshold.size <= 100
        assert (thin.threshold[0], thin.threshold[-1]) == (curve.threshold[0], curve.threshold[-1])
        assert thin.to_frame().height == thin.threshold.size
    assert evaluation.tally.gain.gain[0] == evaluation.tally.gain.share[0] == 1.0


def test_columns_keep_the_order_of_the_classes_given():
    made = Predictions.from_probabilities(["a", "b", "c"], np.eye(3)[[1, 2, 0]], classes=["c", "a", "b"])
    assert made.truth.tolist() == [1, 2, 0]
    assert evaluate(made, "Accuracy")["Accuracy"].value == 1.0
    counted = Predictions.from_labels([3, 1, 1], [3, 3, 1], classes=[3, 2, 1])
    assert evaluate(counted, "Accuracy").tally.confusion.matrix.tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 1]]


def test_rows_add_up_within_one_millionth():
    row = np.array([0.25, 0.25, 0.5])
    assert Predictions.from_probabilities([0], [row + np.array([9e-7, 0, 0])], classes=range(3)).size == 1
    with pytest.raises(InputError, match="expected 1 within"):
        Predictions.from_probabilities([0], [row + np.array([2e-6, 0, 0])], classes=range(3))
