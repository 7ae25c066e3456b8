"""Resamples and intervals of predictions: against samples repeated one by one, with weights and groups (U1, K1-K11)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest

from bertillon import counting, stats
from bertillon.core import InputError
from bertillon.evaluation import evaluate
from bertillon.measures import CLASSIFICATION, Measure, Result, Spelling
from bertillon.stats import Draw, Settings, cells_for, intervals_of, pr_band, resampled, statistics_of, subject_weights
from bertillon.trials import ClassTally, Predictions, ScoreSet

DECIDED = ["Accuracy", "BalancedAccuracy", "Precision", "F1", "F(beta=2)", "MCC", "Kappa", "Informedness", "Prevalence"]
RANKED = [
    "AUC",
    "AP",
    "AP[interpolated]",
    "pAUC@FPR=0.2",
    "Youden",
    "Recall@FPR=0.2",
    "Precision@Recall=0.8",
    "F1@t=0.4",
]
LISTED = ["P@5", "R@5", "NDCG@5", "AP@5", "ECE[debiased]"]
PROBABLE = ["LogLoss", "Brier", "Resolution", "ECE", "MCE", "ECE[equal-mass]", "minCost(fn=2,fp=1)", "Cost(fn=2,fp=1)"]
SEVERAL = ["Accuracy", "F1[macro]", "F1[micro]", "MCC", "Kappa[quadratic]", "AUC[ovr]", "AUC[ovo]", "AUC[ovr-micro]"]
SEVERAL += ["AP[macro]", "LogLoss", "Brier", "ECE", "ECE[classwise]", "Top@2"]


def two_classes(seed: int, n: int = 70) -> Predictions:
    """Probabilities in tenths, so that ties are common; none is 0 or 1."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n)
    said = np.clip(rng.integers(1, 8, n) + 2 * truth, 1, 9) / 10
    return Predictions.from_probabilities(truth, said)


def four_classes(seed: int, n: int = 60) -> Predictions:
    rng = np.random.default_rng(seed)
    truth = rng.integers(4, size=n)
    said = rng.integers(1, 6, (n, 4)).astype(float)
    said[np.arange(n), truth] += 2
    return Predictions.from_probabilities(truth, said / said.sum(axis=1, keepdims=True))


def brute_force(given: Predictions, measures: list[Measure], weights: NDArray[np.int64]) -> NDArray[np.float64]:
    values = []
    for taken in weights:
        evaluation = evaluate(given.select(np.repeat(np.arange(given.size), taken)), measures)
        values.append([evaluation[measure].value for measure in measures])
    return np.array(values)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("kind", "names"), [("two", DECIDED + RANKED + LISTED + PROBABLE), ("four", SEVERAL)])
def test_every_measure_against_brute_force(kind: str, names: list[str], seed: int) -> None:
    given = two_classes(seed) if kind == "two" else four_classes(seed)
    asked = list(CLASSIFICATION.parse_all(names))
    found = resampled(given, asked, Settings(resamples=20, seed=seed))
    expected = brute_force(given, asked, subject_weights(given.size, 20, seed=seed).astype(np.int64))
    np.testing.assert_allclose(found.values, expected, rtol=1e-9, atol=1e-12)
    assert (str(found.unit), found.naive, found.n_units) == ("samples treated as independent", True, given.size)


def test_labels_and_scores_against_brute_force() -> None:
    rng = np.random.default_rng(3)
    truth, called = rng.integers(3, size=(2, 50))
    labels = Predictions.from_labels(truth, called)
    asked = list(CLASSIFICATION.parse_all(["Accuracy", "F1[macro]", "MCC"]))
    weights = subject_weights(50, 20, seed=0).astype(np.int64)
    np.testing.assert_allclose(
        resampled(labels, asked, Settings(resamples=20)).values, brute_force(labels, asked, weights), rtol=1e-9
    )
    scores = Predictions.from_scores(truth % 2, called.astype(float), positive=1)
    asked = list(CLASSIFICATION.parse_all(["AUC", "F1@t=1", "P@7"]))
    np.testing.assert_allclose(
        resampled(scores, asked, Settings(resamples=20)).values, brute_force(scores, asked, weights), rtol=1e-9
    )


def test_groups_are_taken_whole() -> None:
    given = replace(two_classes(4), groups=np.repeat(list("abcdefg"), 10))
    asked = list(CLASSIFICATION.parse_all(["F1", "AUC", "LogLoss"]))
    found = resampled(given, asked, Settings(resamples=20, seed=1, by_group=True))
    weights = np.repeat(subject_weights(7, 20, seed=1).astype(np.int64), 10, axis=1)
    np.testing.assert_allclose(found.values, brute_force(replace(given, groups=None), asked, weights), rtol=1e-9)
    assert (str(found.unit), found.naive, found.n_units) == ("groups of samples", False, 7)
    with pytest.raises(InputError, match="by group need to know the group of every sample"):
        resampled(two_classes(4), asked, Settings(by_group=True))


def test_weights_of_samples_count() -> None:
    """A sample of weight 2 taken once counts as much as one of weight 1 taken twice."""
    given = two_classes(5)
    own = np.random.default_rng(1).integers(1, 4, given.size).astype(float)
    weighted = replace(given, weights=own)
    asked = list(CLASSIFICATION.parse_all(["F1", "AUC", "AP", "LogLoss", "ECE", "Accuracy"]))
    found = resampled(weighted, asked, Settings(resamples=20, seed=2))
    times = (subject_weights(given.size, 20, seed=2) * own[None, :]).astype(np.int64)
    np.testing.assert_allclose(found.values, brute_force(given, asked, times), rtol=1e-9)


def test_cells_of_many_samples_say_what_samples_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Samples merged into cells, and cells drawn instead of samples: the same spread."""
    rng = np.random.default_rng(6)
    truth = rng.integers(2, size=6000)
    given = Predictions.from_probabilities(truth, np.clip(rng.beta(3, 3, 6000) + 0.15 * (truth - 0.5), 0, 1))
    asked = list(CLASSIFICATION.parse_all(["AUC", "AP", "LogLoss", "Brier", "ECE", "F1", "Recall@FPR=0.1"]))
    merged = resampled(given, asked, Settings(resamples=60))
    assert max(part.n for part in cells_for(given, asked)) < 4000
    monkeypatch.setattr(counting.LIMITS.weights, "exact_cuts", 10**6)
    exact = resampled(given, asked, Settings(resamples=60))
    apart = (merged.values - merged.estimate) - (exact.values - exact.estimate)
    assert (apart.std(axis=0) < 0.15 * exact.values.std(axis=0)).all()
    resampler = statistics_of(given, Settings()).resampler(asked, alone=True)
    alone = resampler.read_block(asked, Draw(range(300), 0))[:, :, 0]
    assert alone.std(axis=0) == pytest.approx(exact.values.std(axis=0), rel=0.3)


@pytest.mark.parametrize("kind", ["two", "four"])
def test_every_measure_has_an_interval_that_holds_its_value(kind: str) -> None:
    given = two_classes(7, 300) if kind == "two" else four_classes(7, 300)
    names = DECIDED + RANKED + LISTED + PROBABLE if kind == "two" else SEVERAL
    evaluation = evaluate(given, names)
    found = intervals_of(given, CLASSIFICATION.parse_all(names), evaluation.results, Settings(resamples=60))
    for name, interval in found.items():
        if math.isnan(interval.low):
            assert name in LISTED
            assert "there is a single list" in str(interval.reason), name
            continue
        assert interval.low <= evaluation[name].value <= interval.high, name
        assert interval.low < interval.high, name
        assert interval.naive, name


def test_proportions_have_a_formula() -> None:
    """K1, thyroid: 13 of 250 found; the exact interval against scipy."""
    truth, called = np.repeat([0, 0, 1, 1], [3177, 1, 237, 13]), np.repeat([0, 1, 0, 1], [3177, 1, 237, 13])
    given = Predictions.from_labels(truth, called)
    names = ["Recall", "FNR", "Accuracy", "Precision"]
    evaluation = evaluate(given, names)
    found = intervals_of(given, CLASSIFICATION.parse_all(names), evaluation.results)
    assert (found["Recall"].low, found["Recall"].high) == pytest.approx(tuple(binomtest(13, 250).proportion_ci()))
    assert found["FNR"].low == pytest.approx(1 - found["Recall"].high)
    assert str(found["Accuracy"].method) == "clopper-pearson"
    assert found["Precision"].holds(13 / 14)


def test_means_over_groups_have_students_interval() -> None:
    given = replace(two_classes(8, 60), groups=np.repeat(np.arange(6), 10))
    names = ["P[grouped]@3", "MAP"]
    evaluation = evaluate(given, names)
    found = intervals_of(given, CLASSIFICATION.parse_all(names), evaluation.results)
    each = [evaluate(given.select(given.groups == group), ["P@3"])["P@3"].value for group in range(6)]
    assert np.mean(each) == pytest.approx(evaluation["P[grouped]@3"].value)
    for name, interval in found.items():
        assert interval.holds(evaluation[name].value)
        assert str(interval.method) == "mean over 6 groups, Student's t"


def test_no_error_gives_bounds() -> None:
    given = Predictions.from_probabilities([0] * 40 + [1] * 30, [0.1] * 40 + [0.9] * 30)
    names = ["Accuracy", "F1", "MCC", "Kappa", "BalancedAccuracy", "AUC", "AP", "Youden"]
    evaluation = evaluate(given, names)
    found = intervals_of(given, CLASSIFICATION.parse_all(names), evaluation.results, Settings(resamples=40))
    missed, alarmed = 1 - 0.025 ** (1 / 30), 1 - 0.025 ** (1 / 40)
    assert found["AUC"].low == pytest.approx((1 - missed) * (1 - alarmed))
    assert found["BalancedAccuracy"].low == pytest.approx(1 - (missed + alarmed) / 2)
    tp, fn, fp = 30 * (1 - missed), 30 * missed, 40 * alarmed
    assert found["F1"].low == pytest.approx(2 * tp / (2 * tp + fn + fp))
    for name in names:
        assert found[name].high == 1.0
        assert found[name].low < 1.0


@pytest.mark.parametrize("name", ["MCC", "Kappa", "BalancedAccuracy", "Informedness", "Markedness"])
def test_the_bound_without_an_error_is_the_same_on_every_scale_of_scores(name: str) -> None:
    """A threshold of 5 parts scores of 2 and 9 as one of 0.5 parts probabilities of 0.1 and 0.9."""
    truth = [1] * 30 + [0] * 40
    plain = evaluate(Predictions.from_probabilities(truth, [0.9] * 30 + [0.1] * 40), [name]).with_intervals()
    places = [f"{name}@t=2.5", f"{name}@t=5", f"{name}@t=9"]
    parted = evaluate(Predictions.from_scores(truth, [9.0] * 30 + [2.0] * 40), places).with_intervals(resamples=50)
    assert 0.5 < plain.intervals[name].low < 0.95
    for place in places:
        found = parted.intervals[place]
        assert (found.low, found.high) == (plain.intervals[name].low, 1.0)
        assert str(found.reason) == "no error was observed: one end is a bound"


def test_a_threshold_at_which_errors_are_made_is_resampled() -> None:
    """Whatever is decided at 0.5: at 0.05 half of the negatives are taken for positives."""
    predictions = Predictions.from_probabilities([1] * 30 + [0] * 40, [0.9] * 30 + [0.1] * 20 + [0.01] * 20)
    found = evaluate(predictions, ["MCC@t=0.05"]).with_intervals(resamples=200)
    interval = found.intervals["MCC@t=0.05"]
    assert interval.low < found["MCC@t=0.05"].value < interval.high < 1.0


def test_few_negatives_bound_the_threshold() -> None:
    given = two_classes(9, 100)
    names = ["Recall@FPR=0.01", "FNR@FPR=0.01", "FPR@Recall=0.995"]
    evaluation = evaluate(given, names)
    found = intervals_of(given, CLASSIFICATION.parse_all(names), evaluation.results, Settings(resamples=40))
    assert found["Recall@FPR=0.01"].low == 0.0
    assert found["FNR@FPR=0.01"].high == 1.0
    assert found["FPR@Recall=0.995"].high == 1.0


def test_many_probabilities_are_left_out_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """What sorts every column is not sorted a thousand times: the jackknife finds the same spread."""
    given = four_classes(3, 800)
    asked = CLASSIFICATION.parse_all(["AUC[ovr]"])
    evaluation = evaluate(given, asked)
    usual = intervals_of(given, asked, evaluation.results, Settings(resamples=200))["AUC[ovr]"]
    monkeypatch.setattr(stats.LIMITS, "resampled_probabilities", 10)
    groups = intervals_of(given, asked, evaluation.results)["AUC[ovr]"]
    assert str(groups.method) == "50 groups of samples left out, Student's t"
    assert groups.high - groups.low == pytest.approx(usual.high - usual.low, rel=0.3)
    monkeypatch.setattr(stats.LIMITS, "jackknifed_probabilities", 20)
    none = intervals_of(given, asked, evaluation.results)["AUC[ovr]"]
    assert math.isnan(none.low)
    assert str(none.reason) == "sorting 3,200 probabilities repeatedly would take too long"


def test_one_class_says_why() -> None:
    given = Predictions.from_probabilities([1, 1, 1], [0.9, 0.8, 0.3])
    evaluation = evaluate(given, ["AUC", "Accuracy"])
    found = intervals_of(given, CLASSIFICATION.parse_all(["AUC", "Accuracy"]), evaluation.results)
    assert str(found["AUC"].reason) == "no negatives"
    assert found["Accuracy"].holds(2 / 3)


def test_K5_precision_without_a_false_alarm_has_a_bound_by_hand() -> None:
    """Ten of ten accepted are right, at every threshold that may have the recall: Clopper-Pearson's 0.025^(1/10)."""
    given = Predictions.from_scores([1] * 20 + [0] * 20, list(range(40, 0, -1)))
    evaluation = evaluate(given, "Precision@Recall=0.5")
    assert evaluation["Precision@Recall=0.5"].value == 1.0
    [found] = evaluation.with_intervals(resamples=100).intervals.values()
    assert (found.low, found.high) == (pytest.approx(0.025**0.1), 1.0)
    assert str(found.reason) == "the threshold is known only within bounds, or no error was observed"


@pytest.mark.parametrize("weights", [None, [2.0, 1.0] * 20])
def test_a_table_of_precision_says_what_its_band_says(weights: list[float] | None) -> None:
    """Where errors or positives are too few to resample: without a false alarm, and near a recall of 0 or 1."""
    rng = np.random.default_rng(3)
    truth = np.array([1] * 8 + list(rng.integers(0, 2, 32)))
    given = Predictions.from_scores(truth, list(range(40, 0, -1)), weights=weights)
    names = [f"Precision@Recall={recall}" for recall in (0.1, 0.25, 0.9)]
    table = evaluate(given, names).with_intervals(resamples=100, seed=4).intervals
    band = pr_band(given, [0.1, 0.25, 0.9], settings=Settings(resamples=100, seed=4))
    assert table[names[1]].low < table[names[1]].high == 1.0
    np.testing.assert_allclose(band.low, [table[name].low for name in names], rtol=1e-9)
    np.testing.assert_allclose(band.high, [table[name].high for name in names], rtol=1e-9)


def test_bounds_of_precision_by_group_are_wider_than_those_of_samples() -> None:
    given = Predictions.from_scores([1] * 20 + [0] * 20, list(range(40, 0, -1)), groups=[n // 4 for n in range(40)])
    evaluation = evaluate(given, "Precision@Recall=0.5")
    by_sample, by_group = (
        evaluation.with_intervals(resamples=100, by_group=by).intervals["Precision@Recall=0.5"] for by in (False, True)
    )
    assert by_group.low < by_sample.low < 1.0
    assert by_group.high == 1.0


def test_by_group_is_said_and_is_for_predictions_alone() -> None:
    given = Predictions.from_labels([1, 0, 1, 0, 1, 0], [1, 0, 0, 0, 1, 1], groups=list("aabbcc"))
    found = evaluate(given, "Accuracy").with_intervals(resamples=50, by_group=True)
    assert str(found.signature["intervals"]) == "level 0.95, 50 resamples, seed 0, method auto, by group"
    assert str(found.intervals["Accuracy"].method).startswith("groups of samples resampled")
    with pytest.raises(InputError, match="by_group is for predictions"):
        evaluate(ScoreSet([1, 2], [0, 1]), "EER").with_intervals(by_group=True)


def test_brier_of_several_classes_reaches_up_to_2_by_hand() -> None:
    """Sure and wrong three times in four: (3 (1 + 1) + 0) / 4 = 1.5, and an interval that holds it."""
    truth, said = np.arange(40) % 4 // 3, np.tile([0.0, 0.0, 1.0], (40, 1))
    said[truth == 1] = [0.0, 1.0, 0.0]
    evaluation = evaluate(Predictions.from_probabilities(truth, said, classes=[0, 1, 2]), ["Brier"])
    assert evaluation["Brier"].value == 1.5
    found = evaluation.with_intervals(resamples=199).intervals["Brier"]
    assert found.low < 1.5 < found.high < 2.0


def test_brier_of_two_classes_stays_below_1_by_hand() -> None:
    given = Predictions.from_probabilities([1, 0] * 10 + [1], [0.0, 1.0] * 9 + [0.9, 0.0, 0.0])
    found = evaluate(given, ["Brier"]).with_intervals(resamples=199).intervals["Brier"]
    assert found.low < 18.01 / 21 + 1 / 21 < found.high < 1.0


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_no_interval_of_a_rate_has_width_zero_by_hand(method: str) -> None:
    """Nine in ten resamples or more keep the promise with all positives, so that both percentiles are 1."""
    given = Predictions.from_scores([1] * 50 + [0] * 30, [0.9] * 49 + [0.05] + [0.1] * 30)
    evaluation = evaluate(given, ["Recall@Precision=0.5"])
    assert evaluation["Recall@Precision=0.5"].value == 1.0
    found = evaluation.with_intervals(method=method, resamples=999).intervals["Recall@Precision=0.5"]
    assert (math.isnan(found.low), str(found.reason)) == (True, "nearly every resample gives the same value")


class HalfRight(Measure):
    """Half the accuracy, by somebody who knows `of` and `spelling` only."""

    @property
    def spelling(self) -> Spelling:
        return Spelling("Accuracy", "half")

    def of(self, tally: ClassTally) -> Result:
        return Result(tally.confusion.right.sum() / tally.confusion.total / 2)


def test_a_measure_without_a_plan_is_resampled_also_where_no_error_was_made() -> None:
    truth = np.array([0, 1] * 20)
    for predicted, reason in ((truth, "every resample gives the same value"), (np.roll(truth, 1) * truth, "None")):
        predictions, measure = Predictions.from_labels(truth, predicted), HalfRight()
        result = measure.of(ClassTally(predictions))
        found = intervals_of(predictions, [measure], {str(measure): result}, Settings(resamples=40))[str(measure)]
        assert str(found.reason) == reason
