"""Every measure that scikit-learn has, against scikit-learn to 1e-12, with weights; its differences are listed.

Where ours is undefined (NaN with a reason) scikit-learn says 0 or what is left; those cases are counted as agreeing
only if they are the ones the docstring of `measures.classification` lists.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from classification.cases import INNER, binary, labels, of_binary, of_several, several
from hypothesis import assume, given, settings
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

from bertillon.evaluation import evaluate
from bertillon.trials import Predictions


def ours(predictions: Predictions, measure: str):
    return evaluate(predictions, [measure])[measure]


def theirs(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def agree(result, expected) -> None:
    assert result.reason is None, result
    assert math.isclose(result.value, float(expected), rel_tol=1e-12, abs_tol=1e-12), (result, expected)


DECISIONS = {
    "Accuracy": (sk.accuracy_score, {}),
    "Precision": (sk.precision_score, {"zero_division": np.nan}),
    "Recall": (sk.recall_score, {"zero_division": np.nan}),
    "F1": (sk.f1_score, {"zero_division": np.nan}),
    "F(beta=2)": (sk.fbeta_score, {"beta": 2, "zero_division": np.nan}),
    "Jaccard": (sk.jaccard_score, {"zero_division": 0.0}),
    "Specificity": (sk.recall_score, {"pos_label": 0, "zero_division": np.nan}),
    "NPV": (sk.precision_score, {"pos_label": 0, "zero_division": np.nan}),
}


@pytest.mark.parametrize("measure", DECISIONS)
@settings(max_examples=40)
@given(case=labels(classes=2))
def test_k1_k3_decisions_of_two_classes_against_sklearn(measure, case):
    truth, called, weights = case
    assume(weights is None or weights.sum() > 0)
    predictions = Predictions.from_labels(truth, called, classes=[0, 1], weights=weights)
    function, options = DECISIONS[measure]
    expected = theirs(function, truth, called, sample_weight=weights, **options)
    result = ours(predictions, measure)
    if result.reason is not None:
        assert math.isnan(result.value)
        assert math.isnan(expected) or measure == "Jaccard"
    else:
        agree(result, expected)


@settings(max_examples=40)
@given(case=labels(classes=4))
def test_k4_agreement_of_several_classes_against_sklearn(case):
    truth, called, weights = case
    assume(weights is None or weights.sum() > 0)
    predictions = Predictions.from_labels(truth, called, classes=range(4), weights=weights)
    options = {"sample_weight": weights}
    functions = {
        "Accuracy": theirs(sk.accuracy_score, truth, called, **options),
        "BalancedAccuracy": theirs(sk.balanced_accuracy_score, truth, called, **options),
        "MCC": theirs(sk.matthews_corrcoef, truth, called, **options),
        "Kappa": theirs(sk.cohen_kappa_score, truth, called, labels=range(4), **options),
        "Kappa[linear]": theirs(sk.cohen_kappa_score, truth, called, labels=range(4), weights="linear", **options),
        "Kappa[quadratic]": theirs(
            sk.cohen_kappa_score, truth, called, labels=range(4), weights="quadratic", **options
        ),
    }
    for measure, expected in functions.items():
        result = ours(predictions, measure)
        if result.reason is not None:  # by design: undefined, where scikit-learn says 0 or the recall of one class
            assert "one class" in str(result.reason) or "same class" in str(result.reason)
        else:
            agree(result, expected)
    matrix = evaluate(predictions, ["Accuracy"]).tally.confusion.matrix
    assert np.allclose(matrix, sk.confusion_matrix(truth, called, labels=range(4), sample_weight=weights))


@settings(max_examples=40)
@given(case=labels(classes=4))
def test_k11_averages_against_sklearn(case):
    truth, called, weights = case
    assume(weights is None or weights.min() > 0)
    predictions = Predictions.from_labels(truth, called, classes=range(4), weights=weights)
    functions = {
        "Precision": sk.precision_score,
        "Recall": sk.recall_score,
        "F1": sk.f1_score,
        "Jaccard": sk.jaccard_score,
    }
    for name, function in functions.items():
        for average in ("macro", "micro", "weighted"):
            result = ours(predictions, f"{name}[{average}]")
            expected = theirs(function, truth, called, average=average, sample_weight=weights, zero_division=0)
            if result.reason is not None:  # by design: one undefined class makes the average undefined
                assert "predicted positive" in str(result.reason) or "no positives" in str(result.reason)
            else:
                agree(result, expected)


@settings(max_examples=40)
@given(case=binary())
def test_k5_k6_ranking_against_sklearn(case):
    truth, p, weights = case
    counted = truth if weights is None else truth[weights > 0]
    assume(0 < counted.sum() < counted.size)
    predictions = of_binary(case)
    agree(ours(predictions, "AUC"), sk.roc_auc_score(truth, p, sample_weight=weights))
    agree(ours(predictions, "AP"), sk.average_precision_score(truth, p, sample_weight=weights))
    expected = sk.roc_auc_score(truth, p, max_fpr=0.3, sample_weight=weights)
    agree(ours(predictions, "pAUC[mcclish]@FPR=0.3"), expected)


@settings(max_examples=50)
@given(case=binary(weighted=False))
def test_k5_curves_against_sklearn(case):
    truth, p, _ = case
    assume(0 < truth.sum() < truth.size)
    evaluation = evaluate(of_binary(case), ["AUC"])
    fpr, tpr, threshold = (column[::-1] for column in sk.roc_curve(truth, p, drop_intermediate=False))
    assert np.allclose(evaluation.tally.roc.fmr, fpr)
    assert np.allclose(evaluation.tally.roc.tmr, tpr)
    assert np.array_equal(evaluation.tally.roc.threshold, threshold)
    precision, recall, at = sk.precision_recall_curve(truth, p)
    assert np.allclose(evaluation.tally.precision_recall.precision, precision[:-1])
    assert np.allclose(evaluation.tally.precision_recall.recall, recall[:-1])
    assert np.array_equal(evaluation.tally.precision_recall.threshold, at)


@settings(max_examples=50)
@given(case=binary(weighted=False, smallest=2))
def test_k6_ndcg_against_sklearn(case):
    truth, p, _ = case
    assume(truth.sum() > 0)
    for k in (1, 3, 20):
        agree(ours(of_binary(case), f"NDCG@{k}"), sk.ndcg_score([truth], [p], k=k))


@settings(max_examples=50)
@given(case=binary())
def test_k7_losses_against_sklearn(case):
    truth, p, weights = case
    assume(weights is None or weights.sum() > 0)
    predictions = of_binary(case)
    agree(ours(predictions, "LogLoss[clipped]"), sk.log_loss(truth, p, sample_weight=weights, labels=[0, 1]))
    agree(ours(predictions, "Brier"), theirs(sk.brier_score_loss, truth, p, sample_weight=weights, labels=[0, 1]))


@settings(max_examples=40)
@given(case=binary(values=INNER))
def test_k7_log_loss_against_sklearn(case):
    truth, p, weights = case
    assume(weights is None or weights.sum() > 0)
    agree(ours(of_binary(case), "LogLoss"), sk.log_loss(truth, p, sample_weight=weights, labels=[0, 1]))


@settings(max_examples=40)
@given(case=binary(weighted=False))
def test_k7_reliability_diagram_against_sklearn(case):
    truth, p, _ = case
    assume(0 < truth.sum() < truth.size)
    observed, mean = calibration_curve(truth, p, n_bins=5)
    diagram = evaluate(of_binary(case), ["ECE"]).tally.reliability(5)
    assert np.allclose(diagram.observed, observed)
    assert np.allclose(diagram.mean, mean)


@settings(max_examples=50)
@given(case=several())
def test_k11_several_classes_against_sklearn(case):
    truth, matrix, weights = case
    assume(weights is None or weights.sum() > 0)
    columns = range(matrix.shape[1])
    predictions = of_several(case)
    options = {"sample_weight": weights, "labels": list(columns)}
    agree(ours(predictions, "LogLoss[clipped]"), sk.log_loss(truth, matrix, **options))
    agree(ours(predictions, "Brier"), sk.brier_score_loss(truth, matrix, **options))
    best = matrix.argmax(axis=1)
    agree(ours(predictions, "Accuracy"), sk.accuracy_score(truth, best, sample_weight=weights))


@settings(max_examples=50)
@given(case=several())
def test_k11_areas_of_several_classes_against_sklearn(case):
    truth, matrix, weights = case
    columns = list(range(matrix.shape[1]))
    occurring = set(truth.tolist() if weights is None else truth[weights > 0].tolist())
    assume(occurring == set(columns))
    predictions = of_several(case)
    for measure, average in (("AUC[ovr]", "macro"), ("AUC[ovr-weighted]", "weighted"), ("AUC[ovr-micro]", "micro")):
        expected = sk.roc_auc_score(truth, matrix, multi_class="ovr", average=average, sample_weight=weights)
        agree(ours(predictions, measure), expected)
    one_hot = np.eye(len(columns))[truth]
    for average in ("macro", "micro", "weighted"):
        expected = sk.average_precision_score(one_hot, matrix, average=average, sample_weight=weights)
        agree(ours(predictions, f"AP[{average}]"), expected)
    if weights is None:  # scikit-learn takes no weights here
        for measure, average in (("AUC[ovo]", "macro"), ("AUC[ovo-weighted]", "weighted")):
            agree(ours(predictions, measure), sk.roc_auc_score(truth, matrix, multi_class="ovo", average=average))


@settings(max_examples=40)
@given(case=several())
def test_k11_top_k_against_sklearn_where_nothing_is_tied(case):
    truth, matrix, weights = case
    assume(weights is None or weights.sum() > 0)
    untied = matrix + np.arange(matrix.shape[1]) * 1e-9
    untied /= untied.sum(axis=1, keepdims=True)
    expected = theirs(sk.top_k_accuracy_score, truth, untied, k=2, labels=range(matrix.shape[1]), sample_weight=weights)
    agree(ours(of_several((truth, untied, weights)), "Top@2"), expected)
