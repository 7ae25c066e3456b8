"""Coordinates of the figures of classifiers: by hand, by law, and against scikit-learn."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from classification.cases import binary, of_binary
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import metrics as sk

from bertillon.counting import LIMITS
from bertillon.evaluation import evaluate
from bertillon.measures import ErrorCosts
from bertillon.trials import Predictions
from bertillon.views import (
    MOST_CLASSES,
    POINTS,
    Line,
    choice_of,
    class_det_curve,
    class_roc_curve,
    cost_curve,
    decimal,
    gain_curve,
    gain_panel,
    lift_curve,
    one_vs_rest,
    one_vs_rest_panel,
    placed,
    precision_recall_curve,
    risk_coverage_curve,
)

HAND = ([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])


def evaluated(truth, p, **options):
    return evaluate(Predictions.from_probabilities(truth, p, **options))


def scored(truth, scores, **options):
    return evaluate(Predictions.from_scores(truth, scores, **options))


def two_sided(case) -> bool:
    truth, _, weights = case
    counts = np.ones(truth.size) if weights is None else weights
    return bool(counts[truth == 1].sum() > 0 and counts[truth == 0].sum() > 0)


def corners(line) -> set[tuple[float, float]]:
    return {(round(float(x), 9), round(float(y), 9)) for x, y in zip(*line, strict=True)}


def height(line, x) -> float:
    """The line at a place, for ascending or descending x."""
    order = np.argsort(line.x, kind="stable")
    return float(np.interp(x, line.x[order], line.y[order]))


def area(line) -> float:
    return float(abs(np.trapezoid(line.y, line.x)))


def test_k5_roc_by_hand():
    data = class_roc_curve(evaluated(*HAND, name="hand"))
    assert list(zip(*map(np.ndarray.tolist, data.line), strict=True)) == [
        (1, 1),
        (0.5, 1),
        (0.5, 0.5),
        (0, 0.5),
        (0, 0),
    ]
    assert (data.name, data.fact, data.about["positive"]) == ("hand", "AUC 0.750", "1")
    assert (data.point, data.point_words) == ((0.5, 0.5), "t = 0.5")
    assert data.x_axis.label == "False positive rate (FPR)"


@given(case=binary())
def test_k5_roc_points_and_area_against_sklearn(case):
    assume(two_sided(case))
    truth, p, weights = case
    data = class_roc_curve(evaluate(of_binary(case)))
    fpr, tpr, _ = sk.roc_curve(truth, p, sample_weight=weights, drop_intermediate=False)
    expected = {(round(float(x), 9), round(float(y), 9)) for x, y in zip(fpr, tpr, strict=True)}
    assert corners(data.line) == expected
    assert area(data.line) == pytest.approx(sk.roc_auc_score(truth, p, sample_weight=weights), abs=1e-12)


@given(case=binary(weighted=False))
def test_det_points_against_sklearn(case):
    assume(two_sided(case))
    truth, p, _ = case
    data = class_det_curve(evaluate(of_binary(case)))
    fpr, fnr, _ = sk.det_curve(truth, p)
    positives, negatives = int(truth.sum()), int((1 - truth).sum())
    x, y = placed(fpr, negatives, "normal"), placed(fnr, positives, "normal")
    assert {(round(float(a), 9), round(float(b), 9)) for a, b in zip(x, y, strict=True)} <= corners(data.line)
    assert (data.x_axis.label, data.y_axis.label) == (
        "False positive rate (FPR) in %",
        "False negative rate (FNR) in %",
    )


def test_det_of_weights_has_no_smallest_rate_and_the_same_curve_for_any_unit():
    truth, p = [1, 1, 0, 0, 0], [0.9, 0.4, 0.6, 0.1, 0.3]
    light, heavy = (class_det_curve(evaluated(truth, p, weights=np.full(5, unit))) for unit in (1e-6, 1e6))
    plain = class_det_curve(evaluated(truth, p))
    np.testing.assert_allclose(light.line, heavy.line)
    np.testing.assert_allclose(light.line, plain.line)
    assert light.value == pytest.approx(plain.value)
    assert light.x_axis.floor is None
    assert plain.x_axis.floor is not None


def test_k6_precision_and_recall_by_hand():
    data = precision_recall_curve(evaluated(*HAND))
    x, y = data.line
    assert x.tolist() == [1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0]
    np.testing.assert_allclose(y, [1 / 2, 1 / 2, 2 / 3, 2 / 3, 1 / 2, 1 / 2, 1, 1])
    assert (data.fact, data.level, data.point) == ("AP 0.833", 0.5, (0.5, 0.5))


@given(case=binary())
def test_k6_precision_and_recall_against_sklearn(case):
    """The points are scikit-learn's without its made-up (0, 1), and the area under the steps is AP."""
    assume(two_sided(case))
    truth, p, weights = case
    data = precision_recall_curve(evaluate(of_binary(case)))
    precision, recall, _ = sk.precision_recall_curve(truth, p, sample_weight=weights)
    kept = [(round(float(x), 9), round(float(y), 9)) for x, y in zip(recall, precision, strict=True)][:-1]
    assert set(kept) <= corners(data.line)
    assert area(data.line) == pytest.approx(sk.average_precision_score(truth, p, sample_weight=weights), abs=1e-12)
    assert data.line.x[-1] == 0.0


def test_gain_and_lift_by_hand():
    truth, p = [1, 0, 1, 0, 0, 0, 0, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1, 0.05, 0.01]
    evaluation = evaluated(truth, p)
    found = gain_curve(evaluation)
    assert height(found.line, 0.1) == pytest.approx(0.5)
    assert height(found.line, 0.3) == pytest.approx(1.0)
    assert found.fact == "50 % in first 10 %"
    assert found.point == pytest.approx((0.4, 1.0))
    assert found.level == pytest.approx(0.2)
    best = gain_panel([found]).of(Line)[1]
    np.testing.assert_allclose([best.x, best.y], [[0, 0.2, 1], [0, 1, 1]])
    lift = lift_curve(evaluation)
    assert lift.line.x[-2:].tolist() == [0.1, 0.1]
    assert lift.line.y[[0, -1]].tolist() == [1, 5]
    assert (lift.fact, lift.point) == ("5 × in first 10 %", pytest.approx((0.4, 2.5)))
    assert lift.x_axis.scale == "log"


def test_the_lift_of_tied_scores_reaches_back_to_the_first_sample():
    lift = lift_curve(evaluated([1, 0, 1, 0], [0.3] * 4))
    assert lift.line.x.tolist() == [1, 0.25]
    assert lift.line.y.tolist() == [1, 1]


@given(case=binary())
def test_gain_never_passes_the_best_there_is(case):
    assume(two_sided(case))
    data = gain_curve(evaluate(of_binary(case)))
    assert all(y <= min(x / data.level, 1.0) + 1e-9 for x, y in zip(*data.line, strict=True))


def test_risk_and_coverage_by_hand():
    data = risk_coverage_curve(evaluated([1, 1, 0, 0], [0.9, 0.45, 0.3, 0.2]))
    # sure of .9, .8, .7, .55; the last is wrong
    assert height(data.line, 0.5) == 0.0
    assert data.point == (1.0, 0.25)
    assert (data.point_words, data.about["dots"], data.fact) == ("all decided: 25 %", "all decided", "AURC 0.062")
    assert area(data.line) == pytest.approx(0.0625)


@given(case=binary(weighted=False))
def test_the_cost_curve_against_brute_force(case):
    """At every probability cost the least of all thresholds, and never worse than always deciding the same."""
    assume(two_sided(case))
    truth, p, _ = case
    data = cost_curve(evaluate(of_binary(case)))
    thresholds = [*p, np.inf]
    fpr = np.array([(p[truth == 0] >= t).mean() for t in thresholds])
    fnr = np.array([(p[truth == 1] < t).mean() for t in thresholds])
    for at in np.linspace(0.0, 1.0, 21):
        assert height(data.line, at) == pytest.approx((at * fnr + (1 - at) * fpr).min(), abs=1e-12)
        assert height(data.line, at) <= min(at, 1 - at) + 1e-12
    assert (np.diff(data.line.x) >= 0).all()


def test_given_costs_lie_on_the_cost_curve():
    evaluation = evaluated([1, 1, 0, 0, 0, 0], [0.9, 0.4, 0.6, 0.1, 0.2, 0.3])
    data = cost_curve(evaluation, ErrorCosts(4.0, 1.0))
    assert data.point == pytest.approx((2 / 3, height(data.line, 2 / 3)))  # 4/3 to 2/3
    assert data.point_words == "fn=4, fp=1"
    assert data.second is not None
    np.testing.assert_allclose(data.second.y, [1 / 4, 1 / 2])  # FPR and FNR at t = 0.5
    assert cost_curve(evaluation).point is None
    elsewhere = cost_curve(evaluation, ErrorCosts(4.0, 1.0, 0.5))
    assert elsewhere.point == pytest.approx((0.8, height(data.line, 0.8)))


def test_labels_are_marked_at_their_threshold_or_as_they_are():
    truth, p = HAND
    found = {
        "t = 0.5": [1, 0, 1, 0],
        "t = 0.4": [1, 1, 1, 0],
        "t = 0.9": [1, 0, 0, 0],
        "predicted labels": [0, 1, 1, 0],
    }
    for words, labels in found.items():
        choice = choice_of(evaluated(truth, p, y_pred=labels))
        assert choice.words == words
        assert choice.cells.tp.item() == sum(t == said == 1 for t, said in zip(truth, labels, strict=True))
    assert choice_of(evaluated(truth, p, y_pred=[0, 0, 0, 0])).words == "predicted labels"
    assert choice_of(evaluated(truth, p, y_pred=[1, 1, 1, 1])).words == "t = 0.1"


def test_scores_without_decisions_are_marked_at_youden():
    choice = choice_of(scored([1, 1, 1, 0, 0], [9.0, 8.0, 3.0, 5.0, 1.0]))
    assert (choice.threshold, choice.rate("Recall"), choice.rate("FPR")) == (8.0, pytest.approx(2 / 3), 0.0)
    assert choice.words == "Youden's t = 8"


def test_several_classes_one_against_the_rest_against_sklearn():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 200)
    p = rng.random((200, 4)) + 0.4 * np.eye(4)[truth]
    p /= p.sum(axis=1, keepdims=True)
    evaluation = evaluated(truth, p, classes=range(4))
    roc, pr = (one_vs_rest(evaluation, kind) for kind in ("roc", "precision-recall"))
    assert one_vs_rest_panel(evaluation, "roc").notes == ()
    areas = {str(code): sk.roc_auc_score(truth == code, p[:, code]) for code in range(4)}
    assert [curve.name for curve in roc] == sorted(areas, key=areas.__getitem__)
    for curve, other in zip(roc, pr, strict=True):
        code = int(curve.name)
        assert area(curve.line) == pytest.approx(areas[curve.name], abs=1e-12)
        assert curve.fact == f"AUC {areas[curve.name]:.3f}"
        assert other.name == curve.name
        assert area(other.line) == pytest.approx(sk.average_precision_score(truth == code, p[:, code]), abs=1e-12)


def test_of_many_classes_the_hardest_to_tell_are_drawn():
    rng = np.random.default_rng(5)
    truth = np.concatenate([np.arange(30), rng.integers(0, 30, 900)])
    p = rng.random((930, 30)) + np.linspace(0.0, 2.0, 30) * np.eye(30)[truth]
    p /= p.sum(axis=1, keepdims=True)
    evaluation = evaluated(truth, p, classes=range(30))
    data = one_vs_rest(evaluation, "roc")
    assert len(data) == MOST_CLASSES
    assert one_vs_rest_panel(evaluation, "roc").notes == ("10 of 30 classes: those with the lowest AUC",)
    areas = evaluation.tally.class_areas.vs_rest
    assert {int(curve.name) for curve in data} == set(np.argsort(areas)[:10].tolist())


def test_classes_with_distinct_names_well_get_a_log_axis_with_no_error_half_a_trial_inside():
    truth = np.repeat(np.arange(3), 10)
    evaluation = evaluated(truth, np.eye(3)[truth] * 0.7 + 0.1, classes=range(3))
    (curve, *_) = one_vs_rest(evaluation, "roc")
    assert curve.x_axis.scale == "log"
    assert curve.x_axis.floor == pytest.approx(1 / 20)
    assert curve.line.x.min() == pytest.approx(1 / 40)


@pytest.fixture
def small_is_large(monkeypatch):
    monkeypatch.setattr(LIMITS.classes, "classes_in_numpy_up_to", 10)
    monkeypatch.setattr(LIMITS.memory, "sort_up_to", 10)
    monkeypatch.setattr(LIMITS.memory, "bin_bits", 6)


def test_outlines_of_large_sets_are_exact_at_their_points_and_at_the_decisions(small_is_large):
    rng = np.random.default_rng(2)
    truth = (rng.random(3000) < 0.2).astype(int)
    p = np.clip(0.3 * truth + 0.7 * rng.random(3000), 0, 1)
    evaluation = evaluated(truth, p)
    assert not evaluation.tally.outline.complete
    fpr, tpr, _ = sk.roc_curve(truth, p, drop_intermediate=False)
    roc = class_roc_curve(evaluation)
    assert roc.line.x.size < 100
    assert corners(roc.line) <= {(round(float(x), 9), round(float(y), 9)) for x, y in zip(fpr, tpr, strict=True)}
    assert roc.point == pytest.approx(((p >= 0.5)[truth == 0].mean(), (p >= 0.5)[truth == 1].mean()))
    det = class_det_curve(evaluation)
    at = int(np.argmin(np.abs(fpr - (1 - tpr))))
    assert det.value == pytest.approx((fpr[at] + 1 - tpr[at]) / 2, abs=1 / 600)
    risk = risk_coverage_curve(evaluation)
    assert risk.point.y == pytest.approx(((p >= 0.5) != truth).mean())


def test_long_curves_are_thinned_without_visible_loss():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 60_000)
    scores = rng.normal(size=60_000) + truth
    evaluation = scored(truth, scores)
    data = class_roc_curve(evaluation)
    assert 500 < data.line.x.size <= POINTS
    fpr, tpr, _ = sk.roc_curve(truth, scores, drop_intermediate=False)
    assert np.abs(np.interp(fpr, data.line.x[::-1], data.line.y[::-1]) - tpr).max() < 0.005
    assert area(data.line) == pytest.approx(sk.roc_auc_score(truth, scores), abs=1e-4)
    assert precision_recall_curve(evaluation).line.x.size <= 2 * POINTS


def test_infinite_scores_are_points_of_the_curves():
    data = class_roc_curve(scored([1, 1, 0, 0], [np.inf, 1.0, -np.inf, np.inf]))
    assert corners(data.line) == {(1, 1), (0.5, 1), (0.5, 0.5), (0, 0)}
    assert np.isfinite(np.concatenate(precision_recall_curve(scored([1, 0], [np.inf, -np.inf])).line)).all()


@pytest.mark.parametrize("make", [class_roc_curve, precision_recall_curve, gain_curve, lift_curve, cost_curve])
@pytest.mark.parametrize(
    ("evaluation", "why"),
    [
        (evaluated([1, 1], [0.2, 0.9]), "no negatives"),
        (evaluated([0, 0], [0.2, 0.9]), "no positives"),
        (evaluate(Predictions.from_labels([0, 1], [0, 1])), "there are only labels, no scores"),
        (evaluated([0, 1, 2], np.full((3, 3), 1 / 3), classes=range(3)), "there are 3 classes, not two"),
    ],
    ids=["no negatives", "no positives", "labels", "three classes"],
)
def test_where_there_is_no_curve_a_note_says_why(make, evaluation, why):
    data = make(evaluation)
    assert data.line.x.size == 0
    assert data.note == why
    assert class_det_curve(evaluation).note == why


def test_without_probabilities_there_is_no_risk():
    data = risk_coverage_curve(scored([0, 1], [1.0, 2.0]))
    assert data.line.x.size == 0
    assert data.note == "there are no probabilities, only scores"


def test_making_coordinates_changes_no_prediction():
    truth, p, weights = np.array([1, 0, 1, 0, 1]), np.array([0.9, 0.6, 0.6, 0.2, 0.1]), np.array([1.0, 2, 3, 0, 5])
    given = Predictions.from_probabilities(truth, p, weights=weights)
    before = (given.truth.copy(), p.copy(), weights.copy())
    evaluation = evaluate(given)
    for make in (class_roc_curve, class_det_curve, precision_recall_curve, gain_curve, lift_curve, risk_coverage_curve):
        make(evaluation)
    cost_curve(evaluation, ErrorCosts(2.0, 1.0))
    for old, new in zip(before, (given.truth, p, weights), strict=True):
        np.testing.assert_array_equal(old, new)


@given(value=st.floats(0.0, 1.0) | st.sampled_from([0.0, 1.0, 1e-7, 1 - 1e-7, 0.9995, 0.99951, 1e-300]))
def test_a_decimal_is_close_and_never_rounded_to_none_or_all(value):
    shown = decimal(value)
    assert abs(float(shown.strip("<> ")) - value) <= 0.0005 + 1e-12
    assert (float(shown.strip("<> ")) in (0.0, 1.0)) == (value in (0.0, 1.0))
    assert decimal(math.nan) == ""


def test_coordinates_need_no_drawing_library():
    code = "import sys, bertillon.render.figures.plots\nprint('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
