"""The figures of the source documents on classification: SPEC, section K, with R3 and E7; one or more tests a row.

K8 to K10 and the agreement with scikit-learn are tested at length under tests/classification.
"""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest
from sklearn.metrics import auc as trapezoid

import bertillon as bt
from bertillon.advice import band_of, no_interval, warnings_of_classes
from bertillon.analysis import (
    Reject,
    balanced_weights,
    bayes_decisions,
    bayes_threshold,
    calibrated,
    calibration_table,
    cost_weights,
    fit_calibrator,
    posterior_mean,
    posterior_median,
    sample_weights,
    shift_prior,
    threshold_for,
)
from bertillon.measures import CLASSIFICATION, VERIFICATION, precision_at
from bertillon.views import COMPARISONS, SEARCHES, Vocabulary, shown_name


def labelled(*, tp: int, fp: int, fn: int, tn: int) -> bt.Predictions:
    """Predicted labels with these outcomes."""
    truth = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    return bt.Predictions.from_labels(truth, np.repeat([1, 1, 0, 0], [tp, fp, fn, tn]))


def values(predictions: bt.Predictions, *measures: str) -> list[float]:
    evaluation = bt.evaluate(predictions, measures)
    return [evaluation[measure].value for measure in measures]


def rounded(predictions: bt.Predictions, *measures: str) -> list[float]:
    return [round(value, 3) for value in values(predictions, *measures)]


@pytest.mark.parametrize(
    ("cells", "accuracy", "recall", "precision"),
    [
        ({"tn": 3177, "fp": 1, "fn": 237, "tp": 13}, 0.931, 0.052, 0.929),
        ({"tn": 3067, "fp": 111, "fn": 165, "tp": 85}, 0.919, 0.34, 0.434),
    ],
)
def test_K1_thyroid_by_hand(cells, accuracy, recall, precision):
    """K1: 003 2.5, at the usual threshold and at a lower one."""
    assert rounded(labelled(**cells), "Accuracy", "Recall", "Precision") == [accuracy, recall, precision]


def test_K1_every_rate_of_two_classes_by_hand():
    """K1: TPR FPR TNR FNR PPV NPV FDR FOR prevalence, by any of their names, and the matrix itself."""
    predictions = labelled(tp=40, fp=10, fn=20, tn=130)
    rates = ("TPR", "FPR", "TNR", "FNR", "PPV", "NPV", "FDR", "FOR", "Prevalence")
    expected = [40 / 60, 10 / 140, 130 / 140, 20 / 60, 40 / 50, 130 / 150, 10 / 50, 20 / 150, 60 / 200]
    assert values(predictions, *rates) == expected
    assert bt.evaluate(predictions).tally.confusion.matrix.tolist() == [[130, 10], [20, 40]]


def test_K1_confusion_matrix_of_several_classes_by_hand():
    """K1: row = true class, column = predicted class."""
    evaluation = bt.evaluate(bt.Predictions.from_labels(list("aabbbc"), list("abbbca")))
    assert evaluation.tally.confusion.matrix.tolist() == [[1, 1, 0], [0, 2, 1], [1, 0, 0]]


def test_K2_precision_from_rates_and_prevalence_by_hand():
    """K2: TPR .9, FPR .1: precision .083 among 1 % of positives, .9 among equals."""
    assert round(precision_at(0.9, 0.1, 0.01), 3) == 0.083
    assert precision_at(0.9, 0.1, 0.5) == pytest.approx(0.9)
    assert values(labelled(tp=9, fp=99, fn=1, tn=891), "Precision") == [pytest.approx(precision_at(0.9, 0.1, 0.01))]


def test_K3_E7_f_scores_by_hand():
    """K3: P .9 and R .5 (45 found, 5 false, 45 missed); E7: F.5 is .776 and F2 .549."""
    found = rounded(labelled(tp=45, fp=5, fn=45, tn=100), "Precision", "Recall", "F1", "F(beta=0.5)", "F(beta=2)")
    assert found == [0.9, 0.5, 0.643, 0.776, 0.549]


def test_K4_kappa_with_its_word_by_hand():
    """K4: 50 and 30 right, 10 and 10 wrong."""
    (found,) = values(labelled(tp=50, tn=30, fp=10, fn=10), "Kappa")
    assert (round(found, 3), str(band_of("Kappa", found))) == (0.583, "moderate")


def test_K4_E7_mcc_by_hand():
    """K4, E7: TP 4, TN 90, FP 5, FN 1: .569, where the document says .60; never naming a positive has none."""
    assert rounded(labelled(tp=4, tn=90, fp=5, fn=1), "MCC", "Accuracy") == [0.569, 0.94]
    dummy = bt.evaluate(labelled(tp=0, tn=95, fp=0, fn=5), ["Accuracy", "BalancedAccuracy", "MCC"])
    assert (dummy["Accuracy"].value, dummy["BalancedAccuracy"].value) == (0.95, 0.5)
    assert math.isnan(dummy["MCC"].value)
    assert "of one class" in str(dummy["MCC"].reason)


def test_K4_balanced_accuracy_by_hand():
    """K4: TP 40, TN 900, FP 50, FN 10."""
    assert rounded(labelled(tp=40, tn=900, fp=50, fn=10), "BalancedAccuracy") == [0.874]


def test_K4_mcc_is_the_root_of_informedness_times_markedness():
    """K4: and informedness is twice the balanced accuracy less one."""
    names = ("MCC", "Informedness", "Markedness", "BalancedAccuracy")
    mcc, informed, marked, balanced = values(labelled(tp=4, tn=90, fp=5, fn=1), *names)
    assert mcc == pytest.approx(math.sqrt(informed * marked), abs=1e-12)
    assert informed == pytest.approx(2 * balanced - 1, abs=1e-12)


def test_K4_mcc_of_several_classes_by_hand():
    """K4: with C = [[2, 1, 0], [0, 2, 1], [1, 0, 2]] right 6 of 9, all sums 3: (6 * 9 - 27) / (81 - 27) = .5."""
    truth, called = list("aaabbbccc"), list("aabbbcacc")
    assert values(bt.Predictions.from_labels(truth, called), "MCC") == [pytest.approx(0.5)]


SCORED = bt.Predictions.from_scores([1, 1, 1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.4, 0.3, 0.7, 0.35, 0.2, 0.1])


def test_K5_area_is_the_trapezoid_and_the_share_of_pairs_won():
    """K5: 13 of 16 pairs in order; the trapezoids under the ROC have the same area."""
    evaluation = bt.evaluate(SCORED, ["AUC"])
    roc = evaluation.tally.roc
    assert evaluation["AUC"].value == 13 / 16
    assert trapezoid(roc.fmr, roc.tmr) == pytest.approx(13 / 16, abs=1e-12)


def test_K5_operating_points_by_hand():
    """K5: Youden's J, FPR <= .25, recall >= .75, and the least cost where a miss costs 1 and an alarm 3."""
    asked = ("Youden", "Recall@FPR=0.25", "Precision@Recall=0.75", "minCost(fn=1,fp=3)")
    found = bt.evaluate(SCORED, asked)
    points = {name: (found[name].value, found[name].threshold) for name in asked}
    assert points["Youden"] == (0.5, 0.3)
    assert points["Recall@FPR=0.25"] == (0.75, 0.4)
    assert points["Precision@Recall=0.75"] == (0.75, 0.4)
    assert points["minCost(fn=1,fp=3)"] == (0.25, 0.8)  # two misses of eight
    assert threshold_for(SCORED, "recall>=0.9").threshold == 0.3
    assert threshold_for(SCORED, "fpr<=0.1").threshold == 0.8


def test_K6_precision_recall_curve_by_hand():
    """K6: 003 4.5's table of 100 positives and 900 negatives, and the baseline at their share."""
    tp, fp = np.array([10, 40, 70, 90, 100]), np.array([5, 50, 200, 500, 900])
    steps = [np.diff(column, prepend=0) for column in (tp, fp)]
    truth = np.concatenate([np.repeat([1, 0], [a, b]) for a, b in zip(*steps, strict=True)])
    scores = np.repeat([0.9, 0.7, 0.5, 0.3, 0.1], steps[0] + steps[1])
    evaluation = bt.evaluate(bt.Predictions.from_scores(truth, scores), ["AP"])
    table = evaluation.tally.thresholds([0.9, 0.7, 0.5, 0.3])
    assert table["tp"].to_list() == [10, 40, 70, 90]
    assert table["precision"].round(2).to_list() == [0.67, 0.44, 0.26, 0.15]
    assert evaluation["AP"].value == pytest.approx(float(steps[0] / 100 @ (tp / (tp + fp))), abs=1e-12)
    assert evaluation.tally.precision_recall.baseline == 0.1


def test_K6_average_precision_step_and_interpolated_by_hand():
    """K6: + - + + in order: step (1 + 2/3 + 3/4) / 3, interpolated (1 + 3/4 + 3/4) / 3, of 11 points 4 have 1."""
    predictions = bt.Predictions.from_scores([1, 0, 1, 1], [4.0, 3.0, 2.0, 1.0])
    found = values(predictions, "AP", "AP[interpolated]", "AP[voc11]")
    assert found == [pytest.approx((1 + 2 / 3 + 3 / 4) / 3), pytest.approx(5 / 6), pytest.approx((4 + 7 * 0.75) / 11)]


def test_K6_top_of_the_list_and_means_over_queries_by_hand():
    """K6: P@K, R@K, AP@K of + - + -, and the mean AP of that list (1 + 2/3) / 2 and of - + (1/2)."""
    one = bt.Predictions.from_scores([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0])
    assert values(one, "P@3", "R@1", "AP@3") == [pytest.approx(2 / 3), 0.5, pytest.approx(5 / 6)]
    two = bt.Predictions.from_scores([1, 0, 1, 0, 0, 1], [4.0, 3.0, 2.0, 1.0, 9.0, 8.0], groups=list("aaaabb"))
    assert values(two, "MAP") == [pytest.approx((5 / 6 + 1 / 2) / 2)]


def test_K6_E7_the_strict_end_of_the_curve_lies_at_low_recall():
    """K6, E7: the document draws the high-threshold end on the right."""
    predictions = bt.Predictions.from_scores([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])
    curve = bt.evaluate(predictions, ["AP"]).tally.precision_recall
    assert curve.recall[np.argmax(curve.threshold)] == curve.recall.min()


def test_K7_log_loss_of_one_bad_guess_by_hand():
    """K7: -log(.01) = 4.61."""
    assert round(values(bt.Predictions.from_probabilities([1], [0.01]), "LogLoss")[0], 2) == 4.61


def test_K7_murphy_adds_up_exactly_for_binned_probabilities():
    """K7: Brier = reliability - resolution + uncertainty."""
    p = np.repeat([0.05, 0.25, 0.65, 0.95], [40, 30, 20, 10])
    truth = np.concatenate([np.repeat([1, 0], [k, n - k]) for n, k in ((40, 3), (30, 9), (20, 12), (10, 9))])
    brier, rel, res, unc, rest = values(
        bt.Predictions.from_probabilities(truth, p), "Brier", "Reliability", "Resolution", "Uncertainty", "Remainder"
    )
    assert brier == pytest.approx(rel - res + unc, abs=1e-15)
    assert abs(rest) < 1e-15


def test_K7_calibration_errors_and_reliability_diagram_by_hand():
    """K7: .2 comes true 1 of 4 times and .9 1 of 2: ECE (4 |.25 - .2| + 2 |.5 - .9|) / 6, MCE .4; in either bins."""
    predictions = bt.Predictions.from_probabilities([1, 0, 0, 0, 1, 0], [0.2] * 4 + [0.9] * 2)
    names = ("ECE", "ECE[equal-mass](bins=2)", "MCE", "MCE[equal-mass](bins=2)")
    mean = (4 * 0.05 + 2 * 0.4) / 6
    assert values(predictions, *names) == [pytest.approx(x) for x in (mean, mean, 0.4, 0.4)]
    diagram = bt.evaluate(predictions, ["ECE"]).tally.reliability(10)
    filled = diagram.count > 0
    assert diagram.count[filled].tolist() == [4, 2]
    assert diagram.observed[filled].tolist() == [0.25, 0.5]


@pytest.mark.parametrize("kind", ["platt", "isotonic", "temperature"])
def test_K8_calibrators_are_fitted_on_one_set_and_help_on_another(kind):
    """K8: logits three times too sure of themselves; before and after on data the calibrator has not seen."""
    rng = np.random.default_rng(8)
    logits = rng.normal(0, 2, (2, 3000))
    truth = (rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(int)
    fitting, before = (bt.Predictions.from_logits(truth[i], 3 * logits[i]) for i in range(2))
    rows = {row.measure: row for row in calibration_table(before, calibrated(before, fit_calibrator(kind, fitting)))}
    assert rows["Brier"].after.value < rows["Brier"].before.value
    assert rows["ECE"].after.value < rows["ECE"].before.value / 2


def test_K9_bayes_thresholds_by_hand():
    """K9: L_FN 100 and L_FP 1: .0099; 1 and 10: .909; equal: .5."""
    assert round(bayes_threshold(fn=100, fp=1), 4) == 0.0099
    assert round(bayes_threshold(fn=1, fp=10), 3) == 0.909
    assert bayes_threshold(fn=1, fp=1) == 0.5


def test_K9_decisions_by_hand():
    """K9: the most probable class for 0-1 loss; the cheapest by a matrix of costs; reject below 1 - 2/10 = .8."""
    posterior = [[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]]
    assert bayes_decisions(posterior, 1 - np.eye(3))[0].tolist() == [1, 0]
    assert bayes_decisions([[0.95, 0.05]], [[0, 1], [100, 0]])[0].tolist() == [1]
    assert Reject(reject=2, error=10).threshold == 0.8


def test_K9_mean_and_median_by_hand():
    """K9: squared loss takes the mean of .5, .3, .2 on 0, 10, 100; absolute loss the median."""
    posterior = [[0.5, 0.3, 0.2]]
    assert posterior_mean(posterior, [0, 10, 100]).tolist() == [23.0]
    assert posterior_median(posterior, [0, 10, 100]).tolist() == [0.0]


def test_E7_the_prior_is_not_applied_twice():
    """E7: 003's theorem 8.1 holds for a classifier trained on balanced classes; for posteriors it is fp / (fp + fn)."""
    assert round(bayes_threshold(fn=1000, fp=1, trained_at=0.5, used_at=0.01), 2) == 0.09
    assert bayes_threshold(fn=1000, fp=1, trained_at=0.01, used_at=0.01) == bayes_threshold(fn=1000, fp=1)
    border = bayes_threshold(fn=1000, fp=1, trained_at=0.5, used_at=0.01)
    assert shift_prior([border], trained=0.5, used=0.01)[0] == pytest.approx(bayes_threshold(fn=1000, fp=1))


def test_K10_weights_by_hand():
    """K10: w_c = n / (C n_c) makes all classes weigh the same; costs as weights."""
    labels = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    weights = balanced_weights(labels)
    assert weights == {"a": 100 / 180, "b": 100 / 90, "c": 100 / 30}
    assert sample_weights(labels, weights).sum() == pytest.approx(100)
    assert cost_weights(fn=5, fp=1) == {0: 1.0, 1: 5.0}


def test_K11_E7_weighted_and_macro_precision_by_hand():
    """K11, E7: precision .9, .8, .5 of classes with 100, 50, 10 samples: weighted .844, where the document says .85."""
    table = [[90, 7, 3], [8, 40, 2], [2, 3, 5]]
    truth = np.repeat(["a", "b", "c"], np.sum(table, axis=1))
    called = np.concatenate([np.repeat(["a", "b", "c"], row) for row in table])
    predictions = bt.Predictions.from_labels(truth, called)
    assert bt.evaluation.per_class(bt.evaluate(predictions).tally)["Precision"].to_list() == [0.9, 0.8, 0.5]
    names = ("Precision[macro]", "Precision[weighted]", "Precision[micro]")
    assert rounded(predictions, *names) == [0.733, 0.844, round(135 / 160, 3)]


def test_K11_areas_and_top_k_of_several_classes_by_hand():
    """K11: three samples, one a class; the second ranks its class second."""
    p = [[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]
    predictions = bt.Predictions.from_probabilities([0, 1, 2], p)
    assert values(predictions, "Top@1", "Top@2", "AUC[ovr]") == [2 / 3, 1.0, pytest.approx((1 + 0.75 + 1) / 3)]
    # pairs: 0-1 by p0 1, by p1 .5; 0-2 by p0 1, by p2 1; 1-2 by p1 1, by p2 1
    assert values(predictions, "AUC[ovo]") == [pytest.approx((1 + 0.5 + 1 + 1 + 1 + 1) / 6)]


def test_K11_ndcg_and_map_of_rankings_by_hand():
    """K11: + - + in order: (1 + 1/2) / (1 + 1/log2 3); mean AP (1 + 2/3) / 2."""
    one = bt.Predictions.from_scores([1, 0, 1], [3.0, 2.0, 1.0], groups=["q", "q", "q"])
    assert values(one, "NDCG@3", "MAP") == [pytest.approx(1.5 / (1 + 1 / math.log2(3))), pytest.approx(5 / 6)]


def test_K12_advice_of_the_tree():
    """K12: 003 10.1-10.3; rare positives with dear misses, dear alarms, balanced, probabilities, many classes."""
    assert bt.advise(balance=0.01, costs="fn").metrics[:3] == ("Recall", "F(beta=2)", "AP")
    assert bt.advise(balance=0.01, costs="fp").metrics[:2] == ("Precision", "F(beta=0.5)")
    assert "Accuracy" not in bt.advise(balance=0.01).metrics
    assert bt.advise(balance=0.5, costs="equal").metrics[:2] == ("Accuracy", "BalancedAccuracy")
    assert {"LogLoss", "Brier", "ECE"} <= set(bt.advise(probabilities_needed=True).metrics)
    assert bt.advise(classes=100, balance=0.001).metrics[0] == "F1[macro]"
    assert bt.advise(domain="spam").metrics[:2] == ("Precision", "F(beta=0.5)")


def test_K12_mistakes_are_seen():
    """K12: accuracy on skewed data, no interval, tuning on the test set."""
    dummy = bt.evaluate(labelled(tp=0, fp=0, fn=50, tn=950), ["Accuracy", "Recall"])
    assert any(
        "always predicting it would reach an accuracy of 95.0 %" in str(one) for one in warnings_of_classes(dummy)
    )
    tuned = bt.evaluate(SCORED, ["AUC", "Youden"])
    assert any("tuned on the same data" in str(one) for one in warnings_of_classes(tuned))
    assert no_interval(shown=False) in warnings_of_classes(tuned, intervals=False)


def test_K13_the_complete_report_in_one_command(monkeypatch, capsys, tmp_path):
    """K13: 003 10.4: matrix, precision, recall, F1, AUC and curves, AP, MCC and kappa, ECE, numbers by class."""
    from bertillon.cli import main

    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 200)
    p = np.clip(truth * 0.3 + rng.random(200) * 0.7, 0, 1)
    lines = "".join(f"{y},{x:.4f}\n" for y, x in zip(truth, p, strict=True))
    (tmp_path / "p.csv").write_text(f"y_true,p\n{lines}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["bertillon", "classify", "p.csv", "--json", "-"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    answer = json.loads(capsys.readouterr().out)
    found = {row["name"]: row["value"] for row in answer["measures"]}
    wanted = {"Precision", "Recall", "F1", "AUC", "AP", "MCC", "Kappa", "ECE", "LogLoss", "Brier", "Accuracy"}
    assert wanted <= set(found)
    assert all(found[name] is not None for name in wanted)
    evaluation = bt.evaluate(bt.read_predictions("p.csv"))
    assert evaluation.tally.confusion.total == 200
    assert bt.evaluation.per_class(evaluation.tally).height == 2
    assert evaluation.tally.roc.fmr.size == evaluation.tally.precision_recall.recall.size + 1
    assert evaluation.tally.reliability().count.sum() == 200


@pytest.mark.parametrize("term", [*COMPARISONS[:4], *SEARCHES[:3]], ids=lambda term: term.biometric)
def test_R3_both_vocabularies_name_one_measure(term):
    """R3: FAR = FPR, FRR = FNR, GAR = recall ...: understood as one, and shown by either name."""
    assert shown_name(f"{term.biometric}@t=0.5", Vocabulary.ML) == f"{term.ml}@t=0.5"
    for name in (*term.everyday, *term.also) if term in COMPARISONS else ():
        assert str(CLASSIFICATION.parse(f"{name}@t=0.5")) == f"{term.ml}@t=0.5"
        assert VERIFICATION.canonical_name(name) is not None


@pytest.mark.parametrize(
    ("genuine", "impostor", "frr", "far"), [(90, 10, 0.111, 1.0), (50, 50, 0.2, 0.2), (10, 90, 1.0, 0.111)]
)
def test_R3_the_same_accuracy_hides_different_errors_by_hand(genuine, impostor, frr, far):
    """R3: 100 probes, 10 false accepts and 10 false rejects: accuracy .80, whoever they are."""
    predictions = labelled(tp=genuine - 10, fn=10, fp=10, tn=impostor - 10)
    assert rounded(predictions, "Accuracy", "FRR", "FAR") == [0.8, frr, far]
    scores = bt.ScoreSet(mated=[1.0] * (genuine - 10) + [0.0] * 10, nonmated=[1.0] * 10 + [0.0] * (impostor - 10))
    rates = bt.evaluate(scores, ["FRR@t=1", "FAR@t=1"])
    assert [round(rates[name].value, 3) for name in rates] == [frr, far]
