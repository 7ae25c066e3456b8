"""Advice and warnings (SPEC K12; 003 10.1-10.5)."""

from __future__ import annotations

import numpy as np
import pytest

from bertillon.advice.classification import (
    COSTS,
    DOMAINS,
    advise,
    advise_for,
    auc_word,
    kappa_word,
    warnings_of_classes,
)
from bertillon.errors import InputError
from bertillon.evaluation.classification import evaluate_predictions
from bertillon.measures.classification import CLASSIFICATION
from bertillon.trials.predictions import Predictions


@pytest.mark.parametrize("domain", [None, *DOMAINS])
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("classes", [2, 3, 100])
def test_k12_every_metric_advised_is_a_measure_with_a_reason(domain, costs, classes):
    for balance in (0.001, 0.2, 0.5):
        for fixed in (True, False):
            advice = advise(
                balance=balance,
                costs=costs,
                threshold_fixed=fixed,
                probabilities_needed=True,
                classes=classes,
                domain=domain,
            )
            assert [str(CLASSIFICATION.parse(name)) for name in advice.metrics] == list(advice.metrics)
            assert set(advice.reasons) == set(advice.metrics)
            assert len(advice.metrics) >= 2
            assert any("interval" in note for note in advice.notes)


@pytest.mark.parametrize(
    ("domain", "primary"),
    [
        ("screening", ("Recall", "F(beta=2)")),
        ("spam", ("Precision", "F(beta=0.5)")),
        ("diagnosis", ("BalancedAccuracy", "MCC", "F1")),
        ("retrieval", ("MAP", "NDCG@10", "P@10")),
        ("sentiment", ("F1[macro]", "F1[weighted]")),
    ],
)
def test_k12_domains_by_the_document(domain, primary):
    assert advise(domain=domain).metrics[: len(primary)] == primary


def test_k12_advice_from_predictions():
    rare = Predictions.from_labels([1] + [0] * 99, [0] * 100)
    assert "Accuracy" not in advise_for(rare, costs="fn").metrics
    several = Predictions.from_labels(["a", "b", "c"], ["a", "b", "b"])
    assert advise_for(several).metrics[0] == "Accuracy"


@pytest.mark.parametrize("wrong", [{"balance": 2}, {"costs": "none"}, {"classes": 1}, {"domain": "sapm"}])
def test_k12_nonsense_is_refused(wrong):
    with pytest.raises(InputError):
        advise(**wrong)


def test_k4_words_of_landis_and_koch():
    words = [kappa_word(k) for k in (-0.2, 0.0, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, float("nan"))]
    expected = ["worse than chance", "slight", "slight", "fair", "moderate", "substantial", "almost perfect"]
    assert words == [*expected, "almost perfect", "unknown"]


def test_k5_words_for_areas():
    words = [auc_word(a) for a in (1.0, 0.95, 0.85, 0.75, 0.6, 0.5, 0.2)]
    assert words == ["perfect", "excellent", "good", "acceptable", "weak", "none", "reversed: worse than chance"]


def warned(predictions, measures=None, **options) -> str:
    return "\n".join(warnings_of_classes(evaluate_predictions(predictions, measures), **options))


def test_k12_accuracy_on_skewed_data():
    text = warned(Predictions.from_labels([1] + [0] * 99, [0] * 100))
    assert "accuracy of 0.990" in text
    assert "no better than always naming the largest class" in text


def test_k12_no_interval_single_metric_and_few_samples():
    predictions = Predictions.from_labels([1, 0, 1, 0], [1, 0, 0, 0])
    text = warned(predictions, "F1")
    for words in ("without intervals", "alone hides trade-offs", "fewer than 30 samples"):
        assert words in text
    assert "without intervals" not in warned(predictions, "F1", intervals=True)


def test_k12_tuning_on_the_test_set():
    predictions = Predictions.from_scores([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6])
    assert "chosen on these very data (Recall@FPR=0.1)" in warned(predictions, ["AUC", "Recall@FPR=0.1"])
    assert "chosen on these" not in warned(predictions, ["AUC", "Recall@t=0.5"])
    assert "chosen on these very data:" in warned(predictions, ["AUC", "Recall@t=0.5"], tuned_here=True)
    assert "chosen on these" not in warned(predictions, ["Youden"], tuned_here=False)


def test_k12_calibration_ignored_or_bad():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    predictions = Predictions.from_probabilities(truth, np.where(truth == 1, 0.6, 0.1))
    assert "no measure of their calibration" in warned(predictions, ["AUC", "F1"])
    assert "far from what came true" in warned(predictions)
    assert "infinite" in warned(Predictions.from_probabilities([1, 0], [0.0, 0.2]))


def test_k12_reversed_scores_and_one_class():
    assert "AUC is below 0.5" in warned(Predictions.from_scores([1, 0], [0.1, 0.9]))
    assert "all one class" in warned(Predictions.from_labels([1, 1], [1, 0]))
