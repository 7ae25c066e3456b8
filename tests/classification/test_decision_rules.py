"""Rules that decide (SPEC K5, K9), against brute force over every threshold and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.analysis import (
    AtLeastCost,
    AtThreshold,
    AtYouden,
    ByCostMatrix,
    UnderConstraint,
    evaluate_decided,
    rule_for_costs,
)
from bertillon.core import InputError
from bertillon.evaluation import MOST, by_group, complete_sections, evaluate, joined
from bertillon.measures import CLASSIFICATION, ErrorCosts
from bertillon.trials import ClassTally, Predictions

scores_of_both = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=14).filter(
    lambda rows: len({truth for truth, _ in rows}) == 2
)


def outcomes(truth, scores, threshold):
    """tp, fp, fn, tn at a threshold, one sample at a time."""
    called, positive = scores >= threshold, truth == 1
    cells = (called & positive, called & ~positive, ~called & positive, ~called & ~positive)
    return [int(np.sum(cell)) for cell in cells]


def every(truth, scores):
    """Every threshold with its outcomes, the most permissive first."""
    return [(t, *outcomes(truth, scores, t)) for t in [*np.unique(scores), math.inf]]


def decided(evaluation):
    cells = evaluation.tally.confusion.cells(evaluation.trials.positive_code)
    return [int(column[0]) for column in (cells.tp, cells.fp, cells.fn, cells.tn)]


@given(rows=scores_of_both, threshold=st.sampled_from([-1.0, 0.0, 2.0, 2.5, 5.0, 9.0, math.inf]))
def test_k5_a_threshold_against_brute_force(rows, threshold):
    truth, scores = (np.array(column) for column in zip(*rows, strict=True))
    made = Predictions.from_scores(truth, scores.astype(float))
    evaluation = evaluate_decided(made, ["Recall", "FPR"], rule=AtThreshold(threshold))
    assert decided(evaluation) == outcomes(truth, scores, threshold)
    assert evaluation["Recall"].threshold == threshold
    again = evaluate(evaluation.trials, "Recall")["Recall"]
    assert again.value == evaluation["Recall"].value  # the labels it leaves behind say the same


@given(rows=scores_of_both, target=st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
@pytest.mark.parametrize("name", ["recall", "fpr", "precision"])
def test_k5_a_constraint_against_brute_force(name, rows, target):
    truth, scores = (np.array(column) for column in zip(*rows, strict=True))
    made = Predictions.from_scores(truth, scores.astype(float))
    sign = "<=" if name == "fpr" else ">="
    kept = []
    for t, tp, fp, fn, tn in every(truth, scores):
        rate = {"recall": tp / (tp + fn), "fpr": fp / (fp + tn), "precision": tp / (tp + fp) if tp + fp else math.nan}
        if rate[name] <= target if name == "fpr" else rate[name] >= target:
            kept.append((t, tp, fp, fn, tn))
    rule = UnderConstraint(f"{name}{sign}{target}")
    if not kept:
        with pytest.raises(InputError, match="no threshold reaches"):
            evaluate_decided(made, ["Recall"], rule=rule)
        return
    t, *cells = kept[-1] if name == "recall" else kept[0]
    evaluation = evaluate_decided(made, ["Recall"], rule=rule)
    assert decided(evaluation) == cells
    assert evaluation.tally.confusion.threshold == t
    assert rule.chosen_here


@given(rows=scores_of_both, fn=st.sampled_from([1.0, 3.0, 10.0]), fp=st.sampled_from([1.0, 2.0]))
def test_k9_the_least_cost_against_brute_force(rows, fn, fp):
    truth, scores = (np.array(column) for column in zip(*rows, strict=True))
    made = Predictions.from_scores(truth, scores.astype(float))
    least = min((fn * missed + fp * alarmed) / truth.size for _, _, alarmed, missed, _ in every(truth, scores))
    evaluation = evaluate_decided(made, [f"Cost(fn={fn},fp={fp})"], rule=AtLeastCost(ErrorCosts(fn, fp)))
    assert evaluation[f"Cost(fn={fn},fp={fp})"].value == pytest.approx(least)


@given(rows=scores_of_both)
def test_k5_youden_against_brute_force(rows):
    truth, scores = (np.array(column) for column in zip(*rows, strict=True))
    made = Predictions.from_scores(truth, scores.astype(float))
    best = max(tp / (tp + fn) - fp / (fp + tn) for _, tp, fp, fn, tn in every(truth, scores))
    evaluation = evaluate_decided(made, ["Informedness"], rule=AtYouden())
    assert evaluation["Informedness"].value == pytest.approx(best)


def test_k5_the_large_path_finds_the_same_threshold():
    """Above a million samples only the bins that may hold the answer are refined."""
    rng = np.random.default_rng(8)
    truth = (rng.random(1_200_000) < 0.1).astype(np.int8)
    scores = rng.normal(size=truth.size) + 1.5 * truth
    made = Predictions.from_scores(truth, scores)
    evaluation = evaluate_decided(made, ["Recall"], rule=UnderConstraint("recall>=0.9"))
    positives = np.sort(scores[truth == 1])
    expected = positives[positives.size - math.ceil(0.9 * positives.size)]
    assert evaluation.tally.confusion.threshold == expected
    assert decided(evaluation) == outcomes(truth, scores, expected)


def test_k9_costs_by_hand():
    """SPEC K9: fn 100 and fp 1 cut at 1/101, fn 1 and fp 10 at 10/11; the threshold needs no truth."""
    made = Predictions.from_probabilities([1, 0], [0.5, 0.25])
    for costs, threshold in ((ErrorCosts(100, 1), 0.0099), (ErrorCosts(1, 10), 0.909)):
        rule = rule_for_costs(made, costs)
        assert isinstance(rule, AtThreshold)
        assert rule.threshold == pytest.approx(threshold, abs=1e-4)
        assert not rule.chosen_here
    assert isinstance(rule_for_costs(Predictions.from_scores([1, 0], [0.5, 0.25]), ErrorCosts(1, 1)), AtLeastCost)
    assert rule_for_costs(Predictions.from_labels([1, 0], [1, 1]), ErrorCosts(1, 1)) is None


def test_a_rule_overrules_predicted_labels():
    made = Predictions.from_probabilities([1, 1, 0], [0.9, 0.4, 0.2], y_pred=[0, 0, 0])
    assert decided(evaluate(made, "Recall")) == [0, 0, 2, 1]
    evaluation = evaluate_decided(made, ["Recall"], rule=AtThreshold(0.3, "given"))
    assert decided(evaluation) == [2, 0, 0, 1]
    assert str(evaluation.definitions["decisions"]) == "1 where its probability is at least 0.3 (given)"
    assert evaluation.definitions["threshold"] == 0.3


def test_k9_a_matrix_of_costs_against_brute_force():
    rng = np.random.default_rng(3)
    p = rng.dirichlet([1, 1, 1], 40).astype(np.float32)
    truth = rng.choice(["a", "b", "c"], 40)
    costs = rng.integers(0, 9, (3, 3)).astype(float)
    made = Predictions.from_probabilities(truth, p, classes=["a", "b", "c"])
    rule = ByCostMatrix(("c", "a", "b"), costs[np.ix_([2, 0, 1], [2, 0, 1])])  # the same in another order
    evaluation = evaluate_decided(made, ["Accuracy"], rule=rule)
    wide = p.astype(np.float64) / p.astype(np.float64).sum(axis=1, keepdims=True)
    expected = [int(np.argmin([row @ costs[:, action] for action in range(3)])) for row in wide]
    assert evaluation.trials.predicted.tolist() == expected
    places = [["a", "b", "c"].index(label) for label in truth]
    paid = [costs[true, action] for true, action in zip(places, expected, strict=True)]
    assert rule.mean(evaluation) == pytest.approx(np.mean(paid))


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.5, 3.0]])
def test_without_a_rule_everything_is_as_the_library_says(weights):
    made = Predictions.from_probabilities([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], weights=weights)
    sections = complete_sections(made, decided=True)
    names = [name for section in sections.values() for name in section]
    ours, theirs = evaluate_decided(made, names, rule=None), evaluate(made, names)
    assert ours.results == theirs.results
    assert type(ours.tally) is ClassTally


@pytest.mark.parametrize(
    "made",
    [
        Predictions.from_labels([1, 0], [1, 1]),
        Predictions.from_scores([1, 0], [2.0, 1.0]),
        Predictions.from_probabilities([1, 0], [0.5, 0.2]),
        Predictions.from_labels(["a", "b", "c"], ["a", "b", "b"]),
        Predictions.from_probabilities([0, 1, 2], np.eye(3)),
    ],
    ids=["labels", "scores", "probabilities", "several labels", "several probabilities"],
)
def test_k13_every_measure_of_the_complete_report_is_one_of_the_language(made):
    costs = ErrorCosts(2, 1) if made.is_binary else None
    names = [name for section in complete_sections(made, decided=True, costs=costs).values() for name in section]
    assert [str(CLASSIFICATION.parse(name)) for name in names] == names
    assert len(set(names)) == len(names)


def test_sections_of_several_systems_are_joined():
    first, second = {"decisions": ("F1", "MCC")}, {"decisions": ("MCC", "Kappa"), "ranking": ("AUC",)}
    assert joined([first, second]) == {"decisions": ("F1", "MCC", "Kappa"), "ranking": ("AUC",)}


def test_groups_add_up_to_the_whole():
    rng = np.random.default_rng(1)
    truth, p = rng.integers(0, 2, 90), rng.random(90)
    made = Predictions.from_probabilities(truth, p, groups=rng.choice(["x", "y", "z"], 90))
    whole = evaluate_decided(made, ["Recall", "FPR"], rule=AtThreshold(0.7))
    parts = by_group(whole)
    assert [one.name for one in parts] == ["x", "y", "z"]
    for name in ("Recall", "FPR"):
        assert sum(one[name].errors for one in parts) == whole[name].errors
        assert sum(one[name].trials for one in parts) == whole[name].trials


def test_queries_are_too_many_to_be_groups():
    n = MOST + 1
    made = Predictions.from_scores([1, 0] * n, np.arange(2.0 * n), groups=np.repeat(np.arange(n), 2))
    assert by_group(evaluate(made, "AUC")) == []
    assert by_group(evaluate(Predictions.from_labels([1, 0], [1, 1]))) == []
