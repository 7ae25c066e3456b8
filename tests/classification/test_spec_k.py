"""The figures of the source documents on classification (SPEC, section K, R3 and E7)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bertillon.advice.classification import VOCABULARY, advise, kappa_word
from bertillon.analysis.class_weights import balanced_weights, cost_weights, sample_weights
from bertillon.analysis.decisions import Reject, bayes_decisions, bayes_threshold, posterior_mean, posterior_median
from bertillon.counts.confusion import Cells, confusion_of
from bertillon.evaluation.classification import default_measures, evaluate_predictions
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.classification.agreement import balanced_accuracy, informedness, kappa, markedness, mcc
from bertillon.measures.classification.rates import f_score, precision_at
from bertillon.trials.predictions import Predictions


def labelled(*, tp: int, fp: int, fn: int, tn: int) -> Predictions:
    """Predicted labels with these outcomes."""
    truth = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    return Predictions.from_labels(truth, np.repeat([1, 1, 0, 0], [tp, fp, fn, tn]))


def values(predictions: Predictions, *measures: str) -> list[float]:
    evaluation = evaluate_predictions(predictions, measures)
    return [evaluation[measure].value for measure in measures]


@pytest.mark.parametrize(
    ("cells", "accuracy", "recall", "precision"),
    [
        ({"tn": 3177, "fp": 1, "fn": 237, "tp": 13}, 0.931, 0.052, 0.929),
        ({"tn": 3067, "fp": 111, "fn": 165, "tp": 85}, 0.919, 0.34, 0.434),
    ],
)
def test_k1_thyroid_by_hand(cells, accuracy, recall, precision):
    found = values(labelled(**cells), "Accuracy", "Recall", "Precision")
    assert [round(value, 3) for value in found] == [accuracy, recall, precision]


def test_k1_every_rate_of_a_table_by_hand():
    predictions = labelled(tp=40, fp=10, fn=20, tn=130)
    rates = ("Recall", "FPR", "Specificity", "FNR", "Precision", "NPV", "FDR", "FOR", "Prevalence")
    expected = [40 / 60, 10 / 140, 130 / 140, 20 / 60, 40 / 50, 130 / 150, 10 / 50, 20 / 150, 60 / 200]
    assert values(predictions, *rates) == expected
    assert evaluate_predictions(predictions).confusion.matrix.tolist() == [[130, 10], [20, 40]]


def test_k2_precision_from_rates_and_prevalence_by_hand():
    assert round(precision_at(0.9, 0.1, 0.01), 3) == 0.083
    assert precision_at(0.9, 0.1, 0.5) == pytest.approx(0.9)


def test_k3_f_scores_by_hand():
    """P .9, R .5: 45 found, 5 false, 45 missed (E7 corrects F.5 and F2)."""
    predictions = labelled(tp=45, fp=5, fn=45, tn=100)
    found = values(predictions, "Precision", "Recall", "F1", "F(beta=0.5)", "F(beta=2)")
    assert [round(value, 3) for value in found] == [0.9, 0.5, 0.643, 0.776, 0.549]
    part, whole = f_score(Cells.single(tp=45, fp=5, fn=45, tn=0), 2.0)
    assert part[0] / whole[0] == found[-1]


def test_k4_kappa_with_its_word_by_hand():
    found = values(labelled(tp=50, tn=30, fp=10, fn=10), "Kappa")[0]
    assert round(found, 3) == 0.583
    assert kappa_word(found) == "moderate"
    assert kappa(confusion_of([[30, 10], [10, 50]], [0, 1])).value == found


def test_k4_mcc_by_hand():
    """E7: the document says .60."""
    assert round(values(labelled(tp=4, tn=90, fp=5, fn=1), "MCC")[0], 3) == 0.569


def test_k4_balanced_accuracy_by_hand():
    assert round(values(labelled(tp=40, tn=900, fp=50, fn=10), "BalancedAccuracy")[0], 3) == 0.874


def test_k4_mcc_is_the_root_of_informedness_times_markedness():
    cells = Cells.single(tp=4, fp=5, fn=1, tn=90)
    confusion = confusion_of([[90, 5], [1, 4]], [0, 1])
    root = math.sqrt(informedness(cells).value * markedness(cells).value)
    assert mcc(confusion).value == pytest.approx(root, abs=1e-12)
    assert informedness(cells).value == pytest.approx(2 * balanced_accuracy(confusion).value - 1, abs=1e-12)


def test_k4_a_dummy_is_unmasked():
    """003 7.1, 7.3: always negative has an accuracy of .95 and no MCC."""
    evaluation = evaluate_predictions(labelled(tp=0, fp=0, fn=50, tn=950))
    assert evaluation["Accuracy"].value == 0.95
    assert evaluation["BalancedAccuracy"].value == 0.5
    assert math.isnan(evaluation["MCC"].value)
    assert "all one class" in evaluation["MCC"].reason


def test_k5_operating_points_by_hand():
    predictions = Predictions.from_scores([1, 1, 1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.4, 0.3, 0.7, 0.35, 0.2, 0.1])
    evaluation = evaluate_predictions(predictions, ["Recall@FPR=0.25", "Precision@Recall=0.75", "Youden", "AUC"])
    assert (evaluation["Recall@FPR=0.25"].value, evaluation["Recall@FPR=0.25"].threshold) == (0.75, 0.4)
    assert (evaluation["Precision@Recall=0.75"].value, evaluation["Precision@Recall=0.75"].threshold) == (0.75, 0.4)
    assert (evaluation["Youden"].value, evaluation["Youden"].threshold) == (0.5, 0.3)
    assert evaluation["AUC"].value == 13 / 16


def test_k6_precision_recall_example_by_hand():
    """003 4.5's table: 100 positives, 900 negatives, four thresholds."""
    tp, fp = np.array([10, 40, 70, 90, 100]), np.array([5, 50, 200, 500, 900])
    truth = np.concatenate(
        [np.repeat([1, 0], [a, b]) for a, b in zip(np.diff(tp, prepend=0), np.diff(fp, prepend=0), strict=True)]
    )
    scores = np.repeat([0.9, 0.7, 0.5, 0.3, 0.1], np.diff(tp, prepend=0) + np.diff(fp, prepend=0))
    predictions = Predictions.from_scores(truth, scores)
    table = evaluate_predictions(predictions, "AP").thresholds([0.9, 0.7, 0.5, 0.3])
    assert table["tp"].to_list() == [10, 40, 70, 90]
    assert table["precision"].round(2).to_list() == [0.67, 0.44, 0.26, 0.15]
    precision = tp / (tp + fp)
    assert values(predictions, "AP")[0] == pytest.approx(float(np.diff(tp / 100, prepend=0) @ precision), abs=1e-12)
    assert evaluate_predictions(predictions, "AP").precision_recall.baseline == 0.1


def test_k6_e7_the_strict_end_of_the_curve_lies_at_low_recall():
    curve = evaluate_predictions(Predictions.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1]), "AP").precision_recall
    assert curve.recall[np.argmax(curve.threshold)] == curve.recall.min()


def test_k7_log_loss_of_one_bad_guess_by_hand():
    assert round(values(Predictions.from_probabilities([1], [0.01]), "LogLoss")[0], 2) == 4.61


def test_k7_murphy_adds_up_exactly_for_binned_probabilities():
    p = np.repeat([0.05, 0.25, 0.65, 0.95], [40, 30, 20, 10])
    truth = np.concatenate([np.repeat([1, 0], [k, n - k]) for n, k in ((40, 3), (30, 9), (20, 12), (10, 9))])
    brier, rel, res, unc, rest = values(
        Predictions.from_probabilities(truth, p), "Brier", "Reliability", "Resolution", "Uncertainty", "Remainder"
    )
    assert brier == pytest.approx(rel - res + unc, abs=1e-15)
    assert abs(rest) < 1e-15


def test_k9_bayes_thresholds_by_hand():
    assert round(bayes_threshold(fn=100, fp=1), 4) == 0.0099
    assert round(bayes_threshold(fn=1, fp=10), 3) == 0.909
    assert bayes_threshold(fn=1, fp=1) == 0.5


def test_k9_reject_option_by_hand():
    assert Reject(reject=2, error=10).threshold == 0.8


def test_k9_map_for_zero_one_loss():
    posterior = [[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]]
    assert bayes_decisions(posterior, 1 - np.eye(3))[0].tolist() == [1, 0]


def test_k9_mean_and_median_by_hand():
    posterior = [[0.5, 0.3, 0.2]]
    assert posterior_mean(posterior, [0, 10, 100]).tolist() == [23.0]
    assert posterior_median(posterior, [0, 10, 100]).tolist() == [0.0]


def test_e7_the_prior_is_not_applied_twice():
    """003's theorem 8.1 holds for a classifier trained on balanced classes; for posteriors it is fp / (fp + fn)."""
    assert round(bayes_threshold(fn=1000, fp=1, trained_at=0.5, used_at=0.01), 2) == 0.09
    assert bayes_threshold(fn=1000, fp=1, trained_at=0.01, used_at=0.01) == bayes_threshold(fn=1000, fp=1)


def test_k10_weights_by_hand():
    labels = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    weights = balanced_weights(labels)
    assert weights == {"a": 100 / 180, "b": 100 / 90, "c": 100 / 30}
    assert sample_weights(labels, weights).sum() == pytest.approx(100)
    assert cost_weights(fn=5, fp=1) == {0: 1.0, 1: 5.0}


def test_k11_weighted_and_macro_precision_by_hand():
    """Precision .9, .8, .5 of classes with 100, 50, 10 samples (E7: weighted .844)."""
    table = [[90, 7, 3], [8, 40, 2], [2, 3, 5]]
    truth = np.repeat(["a", "b", "c"], np.sum(table, axis=1))
    called = np.concatenate([np.repeat(["a", "b", "c"], row) for row in table])
    evaluation = evaluate_predictions(
        Predictions.from_labels(truth, called), ["Precision[macro]", "Precision[weighted]", "Precision[micro]"]
    )
    assert evaluation.confusion.matrix.tolist() == table
    assert evaluation.per_class["Precision"].to_list() == [0.9, 0.8, 0.5]
    found = [round(result.value, 3) for result in evaluation.results.values()]
    assert found == [0.733, 0.844, round(135 / 160, 3)]


def test_k12_advice_of_the_tree():
    """003 10.1: rare positives with dear misses, dear alarms, balanced, probabilities, and many classes."""
    assert advise(balance=0.01, costs="fn").metrics[:3] == ("Recall", "F(beta=2)", "AP")
    assert advise(balance=0.01, costs="fp").metrics[:2] == ("Precision", "F(beta=0.5)")
    assert "Accuracy" not in advise(balance=0.01).metrics
    assert advise(balance=0.5, costs="equal").metrics[:2] == ("Accuracy", "BalancedAccuracy")
    assert {"LogLoss", "Brier", "ECE"} <= set(advise(probabilities_needed=True).metrics)
    assert advise(balance=0.02, threshold_fixed=False).metrics.index("AP") < advise(
        balance=0.02, threshold_fixed=False
    ).metrics.index("AUC")
    assert advise(classes=100, balance=0.001).metrics[0] == "F1[macro]"


def test_k13_the_complete_report():
    """003 10.4: table, precision, recall, F1, AUC, AP, MCC or kappa, ECE, numbers by class."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 200)
    binary = Predictions.from_probabilities(truth, np.clip(truth * 0.3 + rng.random(200) * 0.7, 0, 1))
    assert {"Precision", "Recall", "F1", "AUC", "AP", "MCC", "Kappa", "ECE"} <= set(default_measures(binary))
    evaluation = evaluate_predictions(binary)
    assert evaluation.confusion.total == 200
    assert evaluation.per_class.height == 2
    assert evaluation.roc.fmr.size == evaluation.precision_recall.recall.size + 1
    assert evaluation.reliability().count.sum() == 200
    assert all(result.reason is None for result in evaluation.results.values())


def test_r3_both_vocabularies():
    """FAR = FPR, GAR = recall: understood as one measure; the same accuracy hides different rates."""
    for learning, comparison, everyday, _ in VOCABULARY:
        names = [str(CLASSIFICATION.parse(f"{name}@t=0.5")) for name in (learning, comparison, everyday)]
        assert names == [f"{learning}@t=0.5"] * 3
    lenient, strict = labelled(tp=50, fp=10, fn=0, tn=40), labelled(tp=40, fp=0, fn=10, tn=50)
    assert values(lenient, "Accuracy") == values(strict, "Accuracy") == [0.9]
    assert values(lenient, "FAR", "FRR") == [0.2, 0.0]
    assert values(strict, "FAR", "FRR") == [0.0, 0.2]
