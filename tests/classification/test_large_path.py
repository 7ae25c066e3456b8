"""The compiled path for large sets says what the plain one says, to the last digit where counts are whole."""

from __future__ import annotations

import numpy as np
import pytest
from classification.test_brute_force import BINARY, LISTS, SEVERAL, close

import bertillon.counting.classes.one_vs_rest as sweeping
import bertillon.counting.classes.one_vs_rest as trials
from bertillon.counting import LIMITS, count_every_threshold
from bertillon.evaluation import evaluate
from bertillon.trials import Predictions


@pytest.fixture
def small_is_large(monkeypatch):
    monkeypatch.setattr(LIMITS.classes, "classes_in_numpy_up_to", 10)
    monkeypatch.setattr(LIMITS.memory, "sort_up_to", 10)
    monkeypatch.setattr(LIMITS.classes, "sweep_rows", 16)
    monkeypatch.setattr(LIMITS.memory, "bin_bits", 6)
    monkeypatch.setattr(LIMITS.memory, "collect_at_most", 8)


def binary_sets():
    rng = np.random.default_rng(11)
    for size, kind in ((400, "smooth"), (400, "ties"), (300, "extreme"), (200, "float32"), (100, "constant")):
        truth = rng.integers(0, 2, size)
        p = np.clip(0.35 * truth + 0.65 * rng.random(size), 0, 1)
        if kind == "ties":
            p = np.round(p, 1)
        if kind == "extreme":
            p[::7], p[1::7], p[2::7] = 0.0, 1.0, 1e-300
        if kind == "float32":
            p = p.astype(np.float32)
        if kind == "constant":
            p = np.full(size, 0.4)
        yield kind, truth, p


def answers(predictions, measures):
    return {name: evaluate(predictions, [name])[name] for name in measures}


@pytest.mark.parametrize(
    ("kind", "truth", "p"), list(binary_sets()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_k5_k6_k7_two_classes(kind, truth, p, request):
    predictions = Predictions.from_probabilities(truth, p)
    measures = [*BINARY, *LISTS, "P@17", "AP@60", "Recall@Precision=0.9", "Recall@FPR=0"]
    plain = answers(predictions, measures)
    request.getfixturevalue("small_is_large")
    large = answers(predictions, measures)
    together = evaluate(predictions, measures)
    for name, expected in plain.items():
        for found in (large[name], together[name]):
            assert close(found.value, expected.value), (kind, name, found, expected)
            assert (found.threshold, found.errors, found.trials) == (
                expected.threshold,
                expected.errors,
                expected.trials,
            ), (kind, name, found, expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_k11_several_classes(dtype, request):
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 11, 300)
    raw = rng.integers(0, 5, (300, 11)) + 3.0 * np.eye(11)[truth] + 0.1
    matrix = (raw / raw.sum(axis=1, keepdims=True)).astype(dtype)
    predictions = Predictions.from_probabilities(truth, matrix)
    plain = answers(predictions, SEVERAL)
    request.getfixturevalue("small_is_large")
    large = answers(predictions, SEVERAL)
    assert [name for name in SEVERAL if not close(large[name].value, plain[name].value)] == []


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_alone(label, request):
    predictions = Predictions.from_probabilities(np.full(60, label), np.linspace(0, 1, 60))
    measures = [*BINARY, *LISTS]
    plain = evaluate(predictions, measures)
    request.getfixturevalue("small_is_large")
    large = evaluate(predictions, measures)
    assert [n for n in plain if not close(plain[n].value, large[n].value) or plain[n].reason != large[n].reason] == []


def test_a_column_of_a_matrix_is_read_in_place(request):
    rng = np.random.default_rng(8)
    truth, p = rng.integers(0, 2, 300), rng.random(300)
    matrix = np.column_stack([1 - p, p])
    plain = evaluate(Predictions.from_probabilities(truth, p))
    request.getfixturevalue("small_is_large")
    large = evaluate(Predictions.from_probabilities(truth, matrix))
    assert [name for name in plain if not close(plain[name].value, large[name].value)] == []


def test_scores_with_infinities_are_sorted_too(small_is_large):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 500)
    scores = rng.normal(size=500) + truth
    scores[::50], scores[1::50], scores[2::50] = np.inf, -np.inf, -0.0
    made = trials.binary_trials(scores, truth, 1, ordered=True)
    assert made.ordered
    assert np.array_equal(made.mated, np.sort(scores[truth == 1]))
    assert np.array_equal(made.nonmated, np.sort(scores[truth == 0]))
    pieces = list(sweeping.walk(made))
    whole = sweeping.sweep(made)
    assert len(pieces) > 5
    assert np.array_equal(np.concatenate([pieces[0].tp, *(piece.tp[1:] for piece in pieces[1:])]), whole.tp)


@pytest.mark.parametrize(
    "asked", [["AUC", "pAUC@FPR=0.1", "Recall@FPR=0.1"], ["Recall@FPR=0.1", "pAUC@FPR=0.1", "AUC"]]
)
def test_the_curve_is_counted_once_for_all_measures_that_read_it(asked, monkeypatch):
    counted = []

    def watched(mated, nonmated, *, compiled):
        counted.append(mated.size + nonmated.size)
        return count_every_threshold(mated, nonmated, compiled=compiled)

    for user in ("classes.one_vs_rest", "tally"):
        monkeypatch.setattr(f"bertillon.counting.{user}.count_every_threshold", watched)
    evaluate(Predictions.from_scores([1, 0, 1, 0, 1], [0.9, 0.2, 0.4, 0.4, 0.7]), asked)
    assert counted == [5]
