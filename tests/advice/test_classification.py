"""Words and warnings for classifiers (SPEC K12; 003 10.5)."""

from __future__ import annotations

import numpy as np
import pytest

from bertillon.advice import band_of, warnings_of_classes
from bertillon.evaluation import evaluate
from bertillon.trials import Predictions


def test_K4_words_of_landis_and_koch():
    words = [str(band_of("Kappa", k)) for k in (-0.2, 0.0, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, float("nan"))]
    expected = ["worse than chance", "slight", "slight", "fair", "moderate", "substantial", "almost perfect"]
    assert words == [*expected, "almost perfect", "unknown"]


def test_K5_words_for_areas():
    words = [str(band_of("AUC", a)) for a in (1.0, 0.95, 0.85, 0.75, 0.6, 0.5, 0.2)]
    good = ["perfect", "excellent", "good", "acceptable", "weak"]
    assert words == [*good, "no better than chance", "reversed, worse than chance"]


BALANCED = "looks like a balanced sample"
TUNED = "tuned on the same data"


def warned(predictions, measures=None, **options) -> str:
    return "\n".join(map(str, warnings_of_classes(evaluate(predictions, measures), **options)))


def labelled(*, tp: int, fp: int, fn: int, tn: int) -> Predictions:
    truth = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    return Predictions.from_labels(truth, np.repeat([1, 1, 0, 0], [tp, fp, fn, tn]))


def test_K12_accuracy_on_skewed_data():
    text = warned(Predictions.from_labels([1] + [0] * 99, [0] * 100))
    assert "accuracy of 99.0 %" in text
    assert "no better than always predicting the largest class" in text
    assert "accuracy of" not in warned(Predictions.from_labels([1] + [0] * 99, [0] * 100), ["Recall", "MCC"])
    assert "accuracy of" not in warned(labelled(tp=11, fp=0, fn=0, tn=89))
    assert "accuracy of 90.0 %" in warned(labelled(tp=10, fp=0, fn=0, tn=90))


def test_K12_no_interval_single_metric_and_few_samples():
    predictions = Predictions.from_labels([1, 0, 1, 0], [1, 0, 0, 0])
    text = warned(predictions, "F1", intervals=False)
    for words in ("No intervals were computed", "alone hides trade-offs", "Fewer than 30 samples"):
        assert words in text
    assert "No intervals were computed" not in warned(predictions, "F1")


@pytest.mark.parametrize("measure", ["Recall@FPR=0.001", "FNR@Specificity=0.999", "MCC@FPR=0.001", "pAUC@FPR=0.001"])
def test_a_target_that_so_few_samples_cannot_show_is_warned_of_in_every_spelling(measure):
    few, enough = (Predictions.from_scores([1, 0] * n, [0.9, 0.2] * n) for n in (2999, 3000))
    assert "0.001 needs at least 3,000 independent negative samples (rule of 3); you have 2,999." in warned(
        few, [measure]
    ).replace("Specificity 0.999", "FPR 0.001")
    assert "rule of 3" not in warned(enough, [measure])
    of_positives = warned(Predictions.from_scores([1, 0], [0.9, 0.2]), ["FPR@Recall=0.9"])
    assert "Recall 0.9 needs at least 30 independent positive samples (rule of 3); you have 1." in of_positives
    assert "rule of 3" not in warned(Predictions.from_scores([1, 0], [0.9, 0.2]), ["Recall@Precision=0.9", "F1@t=0.5"])


def test_K12_tuning_on_the_test_set():
    predictions = Predictions.from_scores([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6])
    assert f"The threshold of Recall@FPR=0.1 was {TUNED}" in warned(predictions, ["AUC", "Recall@FPR=0.1"])
    assert TUNED not in warned(predictions, ["AUC", "Recall@t=0.5"])
    assert f"The threshold was {TUNED}" in warned(predictions, ["AUC", "Recall@t=0.5"], tuned_here=True)
    assert TUNED not in warned(predictions, ["Youden"], tuned_here=False)


def test_K12_calibration_ignored_or_bad():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    predictions = Predictions.from_probabilities(truth, np.where(truth == 1, 0.6, 0.1))
    assert "No measure of calibration" in warned(predictions, ["AUC", "F1"])
    assert "far from the observed frequencies" in warned(predictions)
    assert "infinite" in warned(Predictions.from_probabilities([1, 0], [0.0, 0.2]))


def test_K12_reversed_scores_and_one_class():
    text = warned(Predictions.from_scores([1, 0], [0.1, 0.9]))
    assert "Either a lower score means positive (negate the scores" in text
    assert "or the classes are swapped (--positive 0, positive='0')" in text
    assert "the same true class" in warned(Predictions.from_labels([1, 1], [1, 0]))


def test_K12_precision_at_a_share_of_positives_that_looks_chosen_by_hand():
    """003 4.2: TPR .9 and FPR .1 have a precision of .9 among equals and of .083 among one in a hundred (K2)."""
    even = labelled(tp=90, fp=10, fn=10, tn=90)
    text = warned(even, ["Recall", "Precision"])
    assert "Precision was measured with a share of positives of 50 %, which looks like a balanced sample." in text
    assert "With a share of 1 % the precision would be 8.33 %." in text
    assert BALANCED not in warned(even, ["Recall", "FPR"])
    assert BALANCED not in warned(even, ["Precision[macro]", "Recall[macro]"])
    assert BALANCED not in warned(labelled(tp=90, fp=10, fn=10, tn=96), ["Recall", "Precision"])
    assert BALANCED in warned(labelled(tp=900, fp=100, fn=100, tn=902), ["Recall", "Precision"])
    assert BALANCED not in warned(labelled(tp=40, fp=5, fn=5, tn=40), ["Recall", "Precision"])  # too few to say


def test_K12_precision_where_another_prevalence_is_stated_by_hand():
    predictions = labelled(tp=27, fp=7, fn=3, tn=63)
    text = warned(predictions, ["Recall", "Precision", "Cost(fn=1,fp=1,prevalence=0.01)"])
    assert "of positives of 30 %; you expect 1 %. With a share of 1 % the precision would be 8.33 %." in text
    assert "you expect" not in warned(predictions, ["Recall", "Precision", "Cost(fn=1,fp=1,prevalence=0.31)"])
    assert "you expect" not in warned(predictions, ["Recall", "Cost(fn=1,fp=1,prevalence=0.01)"])


def test_K12_average_precision_without_decisions_falls_too():
    truth = np.tile([0, 1], 100)
    text = warned(Predictions.from_scores(truth, truth + 0.5), ["AP", "AUC"])
    assert "AP was measured with a share of positives of 50 %, which looks like a balanced sample. It falls" in text


@pytest.mark.parametrize("measures", [["Precision", "Recall"], ["AP", "AUC"]])
def test_K12_one_class_alone_says_nothing_of_other_shares(measures):
    assert "share of positives" not in warned(Predictions.from_probabilities([1] * 200, [0.9] * 200), measures)


def test_K12_samples_are_counted_whatever_they_weigh_by_hand():
    """200 samples of each class of weights that add up to 1 are not few; two samples that weigh 100 each are."""
    truth, said = [1, 0] * 200, [0.9, 0.1] * 200
    assert "Fewer than 30" not in warned(Predictions.from_probabilities(truth, said, weights=[1 / 400] * 400))
    heavy = Predictions.from_probabilities([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.2], weights=[100.0] * 4)
    assert "Fewer than 30 samples of 0, 1" in warned(heavy)


@pytest.mark.parametrize("measure", ["MCC@FPR=0.1", "Accuracy@Recall=0.5", "Cost(fn=2,fp=1)@Precision=0.5"])
def test_K12_every_measure_at_a_target_chooses_its_threshold_here_by_hand(measure):
    predictions = Predictions.from_scores([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6])
    assert f"The threshold of {measure} was {TUNED}" in warned(predictions, ["AUC", measure])


@pytest.mark.parametrize("measure", ["ECE(bins=5)", "ECE[equal-mass]", "ECE[classwise]"])
def test_K12_every_ece_above_a_tenth_is_told_by_hand(measure):
    predictions = Predictions.from_probabilities([1, 0] * 100, [0.6, 0.4] * 100)
    assert f"{measure} is 0.400: the probabilities are far" in warned(predictions, ["AUC", measure])


def test_K12_nothing_that_weighs_and_no_positives_expected_by_hand():
    nothing = Predictions.from_probabilities([1, 0], [0.9, 0.2], weights=[0.0, 0.0])
    assert "share of positives" not in warned(nothing)
    text = warned(labelled(tp=9, fp=1, fn=1, tn=9), ["Precision", "Cost(fn=1,fp=1,prevalence=0)"])
    assert "you expect 0 %. With a share of 0 % the precision would be 0 %." in text


def test_K12_impossible_samples_of_no_weight_are_not_counted_by_hand():
    given = Predictions.from_probabilities([1, 1, 0, 0], [0.0, 0.0, 0.2, 1.0], weights=[1.0, 0.0, 1.0, 0.0])
    assert "1 sample had probability 0 for its true class" in warned(given)
