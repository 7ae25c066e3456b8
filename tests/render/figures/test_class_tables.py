"""Coordinates of rates and costs by threshold, reliability diagrams and confusion matrices."""

from __future__ import annotations

import numpy as np
import pytest
from classification.cases import binary, labels, of_binary
from hypothesis import assume, given
from sklearn import metrics as sk
from sklearn.calibration import calibration_curve

from bertillon.evaluation import evaluate
from bertillon.measures import ErrorCosts
from bertillon.stats import proportion
from bertillon.trials import Predictions
from bertillon.views import (
    MOST_CELLS,
    MOST_CONFUSED,
    MOST_MAPPED_CLASSES,
    Cells,
    Line,
    Rule,
    Spot,
    confusion_panel,
    confusion_table,
    reliability_of,
    threshold_costs,
    thresholds_panel,
)


def evaluated(truth, p, **options):
    return evaluate(Predictions.from_probabilities(truth, p, **options))


def held(line, t) -> float:
    """What steps hold at a threshold: the value of the first place at or beyond it."""
    at = np.searchsorted(line.x, t)
    return float(line.y[at])


@given(case=binary(weighted=False))
def test_rates_by_threshold_against_sklearn(case):
    truth, p, _ = case
    assume(0 < truth.sum() < truth.size)
    panel = thresholds_panel(evaluate(of_binary(case)))
    rates = {line.name.split()[0]: line for line in panel.of(Line)}
    for t in (0.05, 0.3, 0.5, 0.7, 0.95):
        said = (p >= t).astype(int)
        tn, fp, fn, tp = sk.confusion_matrix(truth, said, labels=[0, 1]).ravel()
        assert held(rates["Recall"], t) == pytest.approx(tp / (tp + fn))
        assert held(rates["Specificity"], t) == pytest.approx(tn / (tn + fp))
        assert held(rates["F1"], t) == pytest.approx(sk.f1_score(truth, said, zero_division=0.0))
        precision = held(rates["Precision"], t)
        assert np.isnan(precision) if not said.any() else precision == pytest.approx(tp / (tp + fp))
    [rule] = panel.of(Rule)
    values = {spot.colour: spot.y for spot in panel.of(Spot)}
    assert rule.at == 0.5
    assert values[rates["Recall"].style] == held(rates["Recall"], 0.5)
    assert values[rates["F1"].style] == pytest.approx(held(rates["F1"], 0.5))


def test_probabilities_are_shown_from_0_to_1_and_scores_where_they_lie():
    truth = [1, 1, 0, 0]
    data = thresholds_panel(evaluated(truth, [0.5, 0.6, 0.4, 0.55]))
    assert data.x.limits == pytest.approx((-0.03, 1.03))
    assert data.x.label == "Threshold t (positive when probability >= t)"
    found = thresholds_panel(evaluate(Predictions.from_scores(truth, [50.0, 60.0, 10.0, 55.0])))
    assert found.x.limits == pytest.approx((8.5, 61.5))
    assert (found.of(Rule)[0].at, found.fact) == (50.0, "Youden's t = 50")


def test_a_threshold_off_the_axis_is_said():
    scores = [*np.linspace(0.0, 1.0, 10_000), 1e6]
    truth = [*([0, 1] * 5000), 1]
    given = Predictions.from_scores(truth, scores, y_pred=[*([0] * 10_000), 1])
    data = thresholds_panel(evaluate(given))
    assert data.of(Rule) == []
    assert data.notes[1:] == ("t = 1e+06 is off this axis",)


@given(case=binary(weighted=False))
def test_costs_by_threshold_against_brute_force(case):
    """Every step, the least of all, and the decisions at 0.5."""
    truth, p, _ = case
    assume(0 < truth.sum() < truth.size)
    data = threshold_costs(evaluate(of_binary(case)), ErrorCosts(5.0, 2.0))

    def cost(t: float) -> float:
        return float(np.where(truth == 1, 5.0 * (p < t), 2.0 * (p >= t)).mean())

    for t in (0.05, 0.3, 0.5, 0.7, 0.95):
        assert held(data.line, t) == pytest.approx(cost(t))
    assert data.ring == pytest.approx((0.5, cost(0.5)))
    least = min(cost(t) for t in (*p, np.inf))
    assert data.point is None or data.point == pytest.approx((data.point.x, least))
    assert data.level == pytest.approx(min(cost(-np.inf), cost(np.inf)))
    assert data.upright == pytest.approx(2 / 7)


def test_another_share_of_positives_shifts_costs_and_the_best_threshold():
    evaluation = evaluated([1, 0, 0, 0], [0.8, 0.6, 0.3, 0.2])
    data = threshold_costs(evaluation, ErrorCosts(1.0, 1.0, 0.5))
    assert held(data.line, 0.5) == pytest.approx(0.5 * 1 / 3)
    assert data.upright == pytest.approx(0.25)  # trained where one in four is positive, used where every second is
    assert threshold_costs(evaluation, ErrorCosts(1.0, 1.0, 1.0)).upright is None
    given = Predictions.from_scores([1, 0], [2.0, 1.0])
    assert threshold_costs(evaluate(given), ErrorCosts(1.0, 1.0)).upright is None


def test_dear_thresholds_are_cut_off_but_not_the_decisions():
    truth, p = [1] * 10 + [0] * 90, [*np.linspace(0.2, 0.45, 10), *np.linspace(0.0, 0.3, 90)]
    data = threshold_costs(evaluated(truth, p), ErrorCosts(100.0, 1.0))
    assert data.level == pytest.approx(0.9)
    assert data.ring is not None
    assert data.ring.y == 10.0  # every positive missed
    assert data.y_axis.limits[1] == pytest.approx(11.5)


@given(case=binary(weighted=False))
def test_k7_reliability_against_sklearn(case):
    """Where no probability lies on an edge, which scikit-learn counts in the bin above."""
    truth, p, _ = case
    p = np.clip(p, 0.01, 0.98) + 0.003
    found = reliability_of(evaluated(truth, p, positive=1))
    data = found.curve
    observed, mean = calibration_curve(truth, p, n_bins=10)
    np.testing.assert_allclose(data.line.x, mean, atol=1e-12)
    np.testing.assert_allclose(data.line.y, observed, atol=1e-12)
    assert found.counts.sum() == truth.size
    np.testing.assert_allclose(found.edges, np.linspace(0, 1, 11))
    weight = found.counts[found.counts > 0] / truth.size
    assert data.value == pytest.approx(float(weight @ np.abs(observed - mean)))


def test_points_of_a_reliability_diagram_have_intervals():
    data = reliability_of(evaluated([1, 1, 0, 1], [0.75, 0.72, 0.78, 0.15]))
    assert data.ends is not None
    found = proportion(2, 3)
    assert (data.ends.low[1], data.ends.high[1]) == pytest.approx((found.low, found.high))
    assert reliability_of(evaluated([1, 0], [0.7, 0.2], weights=[1.0, 2.0])).ends is None


def test_several_classes_are_judged_by_their_favourites():
    p = [[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.2, 0.3, 0.5]]
    data = reliability_of(evaluated([0, 1, 2], p, classes=range(3))).curve
    assert data.line.x.tolist() == pytest.approx([0.5, 0.6, 0.7])
    assert data.line.y.tolist() == [1, 0, 1]
    assert data.x_axis.label == "Probability of the favourite class"


def test_without_probabilities_nothing_is_reliable():
    data = reliability_of(evaluate(Predictions.from_labels([0, 1], [0, 1]))).curve
    assert data.line.x.size == 0
    assert data.note == "there are no probabilities, only labels"


@given(case=labels())
def test_k1_confusion_against_sklearn(case):
    truth, said, weights = case
    assume(weights is None or weights.sum() > 0)
    given = Predictions.from_labels(truth, said, classes=range(4), weights=weights)
    data = confusion_table(evaluate(given))
    expected = sk.confusion_matrix(truth, said, labels=range(4), sample_weight=weights)
    np.testing.assert_allclose(data.counts, expected)
    np.testing.assert_allclose(data.support, expected.sum(axis=1))
    occurring = expected.sum(axis=1) > 0
    np.testing.assert_allclose(np.nansum(data.rates, axis=1), occurring.astype(float))
    assert np.isnan(data.rates[~occurring]).all()
    wrong = expected - np.diag(np.diag(expected))
    assert sum(pair.times for pair in data.confused) <= wrong.sum() + 1e-9
    assert not data.confused or data.confused[0].times == pytest.approx(wrong.max())


def test_how_it_was_decided_is_said():
    assert confusion_table(evaluated([1, 0], [0.9, 0.2])).how == "1 from t\u00a0=\u00a00.5 on"
    given = Predictions.from_labels(["a", "b"], ["a", "b"])
    assert confusion_table(evaluate(given)).how == "the predicted labels"


@pytest.mark.parametrize("classes", [MOST_CELLS, MOST_CELLS + 1, MOST_MAPPED_CLASSES, MOST_MAPPED_CLASSES + 1, 1000])
def test_maps_of_many_classes_keep_every_decision(classes):
    truth = np.arange(classes)
    said = np.roll(truth, 1)
    given = Predictions.from_labels([*truth, *truth], [*truth, *said], classes=range(classes))
    data = confusion_table(evaluate(given))
    assert data.counts.sum() == 2 * classes
    assert data.rates.shape[0] <= MOST_MAPPED_CLASSES
    assert bool(confusion_panel(data).of(Cells)[0].texts) == (classes <= MOST_CELLS)
    assert len(data.confused) == MOST_CONFUSED
    first = data.confused[0]
    assert (first.true, first.predicted, first.times, first.rate) == ("0", str(classes - 1), 1, 0.5)
    assert (first.row, first.column) == (0, (classes - 1) // data.block)
