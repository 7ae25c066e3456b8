"""Four samples and what every measure says of them: value, threshold, errors, trials; and every reason for none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bertillon.core import InputError, text_of
from bertillon.counting import BinaryCounts, Confusion, rows_of_groups
from bertillon.evaluation import evaluate
from bertillon.measures import CLASSIFICATION, PartialClassArea, Result, accuracy, precision_at
from bertillon.trials import Predictions

FOUR = Predictions.from_probabilities([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1])  # one of each outcome at one half
LABELS = Predictions.from_labels([1, 0, 1], [1, 1, 0])
SCORES = Predictions.from_scores([1, 0, 1], [3.0, 2.0, 1.0])
THREE = Predictions.from_labels(["a", "b", "c"], ["a", "b", "a"])
THREE_LIKELY = Predictions.from_probabilities(["a", "b", "c"], np.full((3, 3), 1 / 3), classes=["a", "b", "c"])
PAIR = Predictions.from_labels(["a", "b", "a"], ["a", "a", "b"])


def ours(predictions: Predictions, measure: str) -> Result:
    return evaluate(predictions, [measure])[measure]


UNDECIDED = "scores are not probabilities and give no decision without a threshold; name one, as in F1@t=0.5"


@pytest.mark.parametrize(
    ("measure", "value", "threshold", "errors", "trials"),
    [
        ("Precision", 1 / 2, 0.5, 1, 2),
        ("Recall", 1 / 2, 0.5, 1, 2),
        ("Specificity", 1 / 2, 0.5, 1, 2),
        ("NPV", 1 / 2, 0.5, 1, 2),
        ("FDR", 1 / 2, 0.5, 1, 2),
        ("FOR", 1 / 2, 0.5, 1, 2),
        ("Accuracy", 1 / 2, 0.5, 2, 4),
        ("Jaccard", 1 / 3, 0.5, None, None),
        ("F1", 1 / 2, 0.5, None, None),
        ("Precision@t=0.3", 2 / 3, 0.3, 1, 3),
        ("Recall@t=0.4", 1.0, 0.4, 0, 2),
        ("Specificity@t=0.3", 1 / 2, 0.3, 1, 2),
        ("NPV@t=0.7", 2 / 3, 0.7, 1, 3),
        ("FDR@t=0.3", 1 / 3, 0.3, 1, 3),
        ("FOR@t=0.7", 1 / 3, 0.7, 1, 3),
        ("FNR@t=0.95", 1.0, 0.95, 2, 2),
        ("FPR@t=0.05", 1.0, 0.05, 2, 2),
        ("Jaccard@t=0.3", 2 / 3, 0.3, None, None),
        ("F1@t=0.3", 4 / 5, 0.3, None, None),
        ("F(beta=2)@t=0.3", 10 / 11, 0.3, None, None),
        ("F(beta=2)@t=0.7", 5 / 9, 0.7, None, None),
        ("Recall@FPR=0", 1 / 2, 0.9, 1, 2),
        ("FPR@Recall=1", 1 / 2, 0.4, 1, 2),
        ("Recall@Precision=1", 1 / 2, 0.9, 1, 2),
        ("F1[micro]", 1 / 2, 0.5, None, None),
        ("Recall[micro]", 1 / 2, 0.5, 2, 4),
        ("F1[macro]", 1 / 2, 0.5, None, None),
        ("Informedness", 0.0, 0.5, None, None),
        ("Informedness@t=0.3", 1 / 2, 0.3, None, None),
        ("Markedness", 0.0, 0.5, None, None),
        ("Markedness@t=0.3", 2 / 3, 0.3, None, None),
        ("Prevalence", 1 / 2, None, None, None),
        ("AUC", 3 / 4, None, None, None),
        ("Gini", 1 / 2, None, None, None),
        ("pAUC@FPR=0.5", 1 / 4, None, None, None),
        ("pAUC[mcclish]@FPR=0.5", (1 + (1 / 4 - 1 / 8) / (1 / 2 - 1 / 8)) / 2, None, None, None),
        ("Youden", 1 / 2, 0.4, None, None),
        ("Cost(fn=5,fp=1)", 6 / 4, 0.5, None, None),
        ("Cost(fn=5,fp=1)@FPR=0", 5 / 4, 0.9, None, None),
        ("Cost(fn=0,fp=1)", 1 / 4, 0.5, None, None),
        ("Cost(fn=5,fp=1,prevalence=0.1)", 5 * 0.1 / 2 + 0.9 / 2, 0.5, None, None),
        ("Cost(fn=5,fp=1,prevalence=1)@t=0.3", 0.0, 0.3, None, None),
        ("minCost(fn=5,fp=1)", 1 / 4, 0.4, None, None),
        ("P@2", 1 / 2, None, 1, 2),
        ("P@3", 2 / 3, None, 1, 3),
        ("R@1", 1 / 2, None, None, None),
        ("AP@3", (1 + 2 / 3) / 2, None, None, None),
        ("NDCG@2", 1 / (1 + 1 / math.log2(3)), None, None, None),
        ("Top@1", 1 / 2, None, 2, 4),
        ("Brier", (0.01 + 0.36 + 0.36 + 0.01) / 4, None, None, None),
        ("LogLoss", -math.log(0.9 * 0.4 * 0.4 * 0.9) / 4, None, None, None),
    ],
)
def test_what_each_measure_says_of_four_samples_by_hand(measure, value, threshold, errors, trials) -> None:
    """K1 to K9."""
    found = ours(FOUR, measure)
    assert found.value == pytest.approx(value, abs=1e-15)
    assert (found.threshold, found.errors, found.trials, found.reason) == (threshold, errors, trials, None)


@pytest.mark.parametrize(
    ("predictions", "measure", "reason"),
    [
        (LABELS, "Recall@t=0.5", "there are only labels, no scores"),
        (LABELS, "AUC", "there are only labels, no scores"),
        (SCORES, "F1", UNDECIDED),
        (THREE, "AUC", "there are 3 classes, not two"),
        (THREE_LIKELY, "AUC", "there are 3 classes, not two; name a way, as in AUC[ovr]"),
        (THREE_LIKELY, "Gini", "there are 3 classes, not two; name a way, as in AUC[ovr]"),
        (THREE, "Prevalence", "there are 3 classes, not two"),
        (THREE, "Cost(fn=1,fp=1)", "there are 3 classes, not two"),
        (THREE, "Recall", "there are 3 classes, not two; name an average, as in Recall[macro]"),
        (THREE, "Precision[macro]", "class 'c': nothing was predicted positive"),
        (FOUR, "P[grouped]@2", "the samples have no groups (queries)"),
        (FOUR, "MAP", "the samples have no groups (queries)"),
        (THREE, "AP", "there are 3 classes, not two"),
        (THREE_LIKELY, "AP", "there are 3 classes, not two; name an average, as in AP[macro]"),
        (THREE, "MAP", "there are 3 classes, not two"),
        (SCORES, "AUC[ovr]", "there are no probabilities, only scores"),
        (LABELS, "Top@1", "there are no probabilities, only labels"),
        (SCORES, "Brier", "there are no probabilities, only scores"),
        (
            PAIR,
            "Recall",
            "which of 'a' and 'b' is positive was not stated (positive=); name an average, as in Recall[macro]",
        ),
        (PAIR, "AUC", "which of 'a' and 'b' is positive was not stated (positive=)"),
        (FOUR, "Recall@t=inf", None),
        (FOUR, "Precision@t=inf", "nothing was predicted positive"),
        (FOUR, "NPV@t=-inf", "nothing was predicted negative"),
        (FOUR, "FOR@t=-inf", "nothing was predicted negative"),
        (FOUR, "FDR@t=2", "nothing was predicted positive"),
    ],
)
def test_why_there_is_no_number_by_hand(predictions, measure, reason) -> None:
    """K13: what is not defined is NaN with a reason, and what is defined has none."""
    found = ours(predictions, measure)
    assert text_of(found.reason) == reason
    assert math.isnan(found.value) == (reason is not None)


@pytest.mark.parametrize(
    ("truth", "measure", "reason"),
    [
        (0, "Recall", "no positives"),
        (0, "FNR", "no positives"),
        (1, "Specificity", "no negatives"),
        (1, "FPR", "no negatives"),
        (0, "Informedness", "no positives"),
        (1, "Informedness", "no negatives"),
        (0, "AUC", "no positives"),
        (1, "AUC", "no negatives"),
        (0, "F1@t=2", "no true positives, false positives or false negatives"),
        (0, "F(beta=3)@t=2", "no true positives, false positives or false negatives"),
        (0, "Jaccard@t=2", "no true positives, false positives or false negatives"),
        (0, "Cost(prevalence=0.5)", "no positives"),
        (1, "Cost(prevalence=0.5)", "no negatives"),
        (0, "R@2", "no positives"),
        (0, "NDCG@2", "no positives"),
        (0, "P@2", None),
        (1, "AUC[ovr]", "all true labels are of one class"),
        (1, "Cost(fn=2,fp=1)", None),
    ],
)
def test_why_one_class_alone_has_no_number_by_hand(truth, measure, reason) -> None:
    found = ours(Predictions.from_probabilities([truth] * 3, [0.9, 0.6, 0.1]), measure)
    assert text_of(found.reason) == reason


def test_an_undefined_rate_tells_its_threshold_by_hand() -> None:
    assert ours(FOUR, "Precision@t=2").threshold == 2.0


@pytest.mark.parametrize(
    ("rates", "precision"), [((1, 1, 1), 1.0), ((0, 1, 0.5), 0.0), ((1, 0, 0.5), 1.0), ((0.5, 0.5, 0.25), 0.25)]
)
def test_precision_among_so_many_positives_by_hand(rates, precision) -> None:
    assert precision_at(*rates) == precision


def test_precision_of_nothing_and_of_what_is_no_share_by_hand() -> None:
    assert math.isnan(precision_at(0, 0, 0.5))
    for place, name in enumerate(("tpr", "fpr", "prevalence")):
        with pytest.raises(InputError, match=f"{name} is 1.5; expected a share from 0 to 1"):
            precision_at(*(1.5 if place == other else 0.5 for other in range(3)))


def test_an_undefined_average_names_three_classes_and_counts_the_rest_by_hand() -> None:
    """Five classes occur and only one is ever predicted."""
    found = ours(Predictions.from_labels(list("abcde"), ["a"] * 5), "Precision[macro]")
    assert str(found.reason) == "class 'b', 'c', 'd' and 1 more: nothing was predicted positive"
    assert str(ours(Predictions.from_labels(list("abcd"), ["a"] * 4), "Precision[macro]").reason) == (
        "class 'b', 'c', 'd': nothing was predicted positive"
    )


def test_averages_of_three_classes_by_hand() -> None:
    """a is right once of once and called twice, b is right, c is never found; recall is 1, 1 and 0."""
    predictions = Predictions.from_labels(["a", "b", "b", "c"], ["a", "b", "b", "a"])
    assert ours(predictions, "Recall[macro]").value == pytest.approx(2 / 3)
    assert ours(predictions, "Recall[weighted]").value == pytest.approx(3 / 4)
    assert ours(predictions, "Recall[micro]").value == pytest.approx(3 / 4)
    assert ours(predictions, "Recall[macro]").threshold is None
    other = Predictions.from_labels(["a", "b"], ["a", "a"], classes=["a", "b", "z"])
    assert ours(other, "Recall[macro]").value == pytest.approx(1 / 2)  # z neither occurs nor is predicted


def test_weights_of_zero_leave_nothing_to_judge_by_hand() -> None:
    nothing = Predictions.from_probabilities([1, 0], [0.9, 0.1], weights=[0, 0])
    assert str(ours(nothing, "F1").reason) == "all weights are 0"
    assert str(ours(nothing, "Prevalence").reason) == "all weights are 0"
    weighted = Predictions.from_probabilities([1, 0], [0.9, 0.1], weights=[1, 2])
    assert str(ours(weighted, "P@1").reason) == "this measure does not use weights; leave them out"
    assert (
        str(ours(weighted, "ECE[debiased]").reason)
        == "the bias is known for counts, not for weights; use ECE[equal-mass]"
    )


def test_weighted_decisions_have_no_whole_errors_by_hand() -> None:
    """Three quarters of the weight is right: no number of samples says so."""
    predictions = Predictions.from_probabilities([1, 1], [0.9, 0.1], weights=[3, 1])
    found = ours(predictions, "Recall")
    assert (found.value, found.errors, found.trials) == (0.75, None, None)
    assert ours(predictions, "Top@1").value == 0.75
    assert ours(predictions, "Top@1").trials is None


def test_groups_by_hand() -> None:
    """Two queries: a hit first, and a hit second; and groups without a positive are left out, except for P."""
    predictions = Predictions.from_scores([1, 0, 0, 1, 0], [3.0, 2.0, 3.0, 2.0, 1.0], groups=["x", "x", "y", "y", "z"])
    assert ours(predictions, "P[grouped]@1").value == pytest.approx(1 / 3)
    assert ours(predictions, "R[grouped]@1").value == pytest.approx(1 / 2)
    assert ours(predictions, "AP[grouped]@2").value == pytest.approx((1 + 1 / 2) / 2)
    none = Predictions.from_scores([0, 0], [1.0, 2.0], groups=["x", "y"], positive=1)
    assert str(ours(none, "R[grouped]@1").reason) == "no group has positives"
    assert str(ours(none, "MAP").reason) == "no group has positives"


def test_weights_within_groups_by_hand() -> None:
    """In both groups a negative stands before the positive: one has three times its weight, one has the same."""
    groups, weights = ["x", "x", "y", "y"], [3.0, 1.0, 2.0, 2.0]
    predictions = Predictions.from_scores([0, 1, 0, 1], [2.0, 1.0, 2.0, 1.0], groups=groups, weights=weights)
    assert ours(predictions, "MAP").value == pytest.approx((1 / 4 + 1 / 2) / 2)


def test_the_samples_of_each_group_keep_their_order_by_hand() -> None:
    found = rows_of_groups(np.arange(99) % 3)
    assert [rows.tolist() for rows in found] == [list(range(first, 99, 3)) for first in range(3)]
    mixed = rows_of_groups(np.array(["b", 1, "b"], dtype=object))
    assert [rows.tolist() for rows in mixed] == [[1], [0, 2]]


def test_the_cost_among_other_shares_of_positives_by_hand() -> None:
    """One positive of two is missed and two negatives of four are called: half of each."""
    predictions = Predictions.from_probabilities([1, 1, 0, 0, 0, 0], [0.9, 0.1, 0.8, 0.7, 0.2, 0.3])
    assert ours(predictions, "Cost(fn=5,fp=3,prevalence=0.25)").value == pytest.approx((5 * 0.25 + 3 * 0.75) / 2)


@pytest.mark.parametrize(
    ("variant", "value"),
    [
        ("ovr", (3 / 4 + 2 / 3 + 1) / 3),
        ("ovr-weighted", (2 * 3 / 4 + 2 / 3 + 1) / 4),
        ("ovr-micro", (8 + 3 + 7 + 8) / 32),
        ("ovo", (1 / 2 + 1 + 1) / 3),
        ("ovo-weighted", (3 * 1 / 2 + 3 * 1 + 2 * 1) / 8),
    ],
)
def test_areas_of_three_classes_by_hand(variant, value) -> None:
    """K11: against the rest a wins 3 of 4 pairs, b 2 of 3 and c all; of pairs of classes only a and b are mixed up."""
    matrix = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.4, 0.3], [0.1, 0.1, 0.8]]
    predictions = Predictions.from_probabilities(["a", "a", "b", "c"], matrix, classes=["a", "b", "c"])
    assert ours(predictions, f"AUC[{variant}]").value == pytest.approx(value)


def test_ties_in_a_list_have_no_whole_errors_by_hand() -> None:
    """Of two equal scores one is positive: half a hit is expected in the first place."""
    found = ours(Predictions.from_scores([1, 0], [1.0, 1.0]), "P@1")
    assert (found.value, found.errors, found.trials) == (0.5, None, None)


def test_chance_adds_nothing_to_the_calibration_error_of_bins_that_are_all_alike_by_hand() -> None:
    """K7: all of .1 are negatives, all of .8 positives: drawn again the bins would be the same, so no bias is taken."""
    predictions = Predictions.from_probabilities([0, 0, 1, 1], [0.1, 0.1, 0.8, 0.8])
    assert ours(predictions, "ECE[debiased](bins=2)").value == pytest.approx((0.1 + 0.2) / 2)


def test_the_bias_is_taken_from_bins_of_equal_weight_by_hand() -> None:
    """K7: two samples a bin, of one kind each: .15 away from 0 and .4 away from 1."""
    predictions = Predictions.from_probabilities([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.9])
    assert ours(predictions, "ECE[debiased](bins=2)").value == pytest.approx((0.15 + 0.4) / 2)


def test_a_precision_is_sought_where_it_can_be_by_hand() -> None:
    """Of the bins at best 4 of 7, 4 of 5 and 2 of 2 are positives: nine tenths can be reached in the last alone."""
    outline = BinaryCounts(np.array([0.0, 1, 2, math.inf]), np.array([4, 3, 1, 0]), np.array([0, 0, 2, 4]), 4, 4)
    assert CLASSIFICATION.parse("Recall@Precision=0.9").seek(outline).tolist() == [2]


def test_decisions_without_weight_have_no_accuracy_by_hand() -> None:
    assert str(accuracy(Confusion.of_cells((0, 1), 1, (0.0, 0.0, 0.0, 0.0))).reason) == "all weights are 0"


def test_certain_and_wrong_by_hand() -> None:
    """K7: an impossible thing that happened costs infinitely much, or -log of the smallest step where clipped."""
    wrong = Predictions.from_probabilities([1, 0], [0.0, 0.0])
    assert ours(wrong, "LogLoss").value == math.inf
    step = 2.0**-52
    assert ours(wrong, "LogLoss[clipped]").value == pytest.approx(-(math.log(step) + math.log(1 - step)) / 2)
    several = Predictions.from_probabilities(["a", "b"], [[0.5, 0.5, 0], [0.5, 0, 0.5]], classes=["a", "b", "c"])
    assert ours(several, "LogLoss[clipped]").value == pytest.approx(-(math.log(0.5) + math.log(step)) / 2)
    assert ours(several, "LogLoss").value == math.inf


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("F1@threshold=0.5", "F1@t=0.5"),
        ("F1@T=0.5", "F1@t=0.5"),
        ("F1@fall-out=0.5", "F1@FPR=0.5"),
        ("P@k=3", "P@3"),
        ("F", "F(beta=1)"),
        ("Cost(prevalence=0.1)", "Cost(fn=1,fp=1,prevalence=0.1)"),
        ("LogLoss[clipped]", "LogLoss[clipped]"),
    ],
)
def test_places_by_other_names_by_hand(said, meant) -> None:
    assert CLASSIFICATION.parse(said) == CLASSIFICATION.parse(meant)
    assert str(CLASSIFICATION.parse(said)) == meant


def test_the_ends_of_partial_areas_by_hand() -> None:
    """pAUC is at most the width it is taken over; rescaled it is at most 1."""
    assert PartialClassArea(0.25).ends == (0.0, 0.25)
    assert PartialClassArea(0.25, "mcclish").ends == (0.0, 1.0)


@pytest.mark.parametrize("place", ["", "@t=0.5"])
@pytest.mark.parametrize("measure", ["NPV", "FOR", "Markedness"])
def test_weights_of_which_none_is_called_negative_leave_nothing_over_by_hand(measure, place) -> None:
    """0.4 + 1.7 - 0.4 - 2.1 + 0.4 is not 0 in floats; what is left over is no true negative."""
    all_called = Predictions.from_probabilities([1, 0, 0, 0], [0.9] * 4, weights=[0.4, 0.4, 0.6, 0.7])
    found = ours(all_called, measure + place)
    assert math.isnan(found.value)
    assert found.reason


def test_weights_of_several_classes_leave_nothing_over_by_hand() -> None:
    """Every sample is an 'a' or called so: there is no true negative of 'a', and no NPV of 'a' to average."""
    given = Predictions.from_labels(
        ["a", "b", "c", "b"], ["a", "a", "a", "a"], classes=["a", "b", "c"], weights=[0.4, 0.4, 0.6, 0.7]
    )
    assert str(evaluate(given, ["NPV[macro]"])["NPV[macro]"].reason) == ("class 'a': nothing was predicted negative")


@pytest.mark.parametrize("measure", ["Accuracy", "Kappa", "MCC", "F1", "Precision", "Cost(fn=3,fp=1)"])
@pytest.mark.parametrize("place", ["", "@t=0.5", "@Recall=0.5"])
def test_weights_of_0_alone_decide_nothing_by_hand(measure, place) -> None:
    nothing = Predictions.from_probabilities([1, 0], [0.9, 0.2], weights=[0.0, 0.0])
    assert str(ours(nothing, measure + place).reason) == "all weights are 0"


@pytest.mark.parametrize("variant", ["", "[linear]", "[quadratic]"])
@pytest.mark.parametrize("place", range(5))
def test_weights_of_one_class_alone_have_no_kappa_by_hand(variant, place) -> None:
    """Whatever the class and its weight: 2 (0.1 * 9) - 2 (0.1 * 3)² / 0.1 is not 0 in floats."""
    classes = list("abcde")
    given = Predictions.from_labels([classes[place]] * 2, [classes[place]] * 2, classes=classes, weights=[0.1, 0.0])
    assert str(ours(given, f"Kappa{variant}").reason) == "all true labels and all predictions are of the same class"
