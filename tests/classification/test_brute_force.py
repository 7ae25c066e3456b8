"""Numbers scikit-learn does not have, against loops that follow the definitions; and laws over every measure."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from classification.cases import binary, of_binary, of_several, several
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bertillon.core import InputError
from bertillon.evaluation import evaluate
from bertillon.measures import CLASSIFICATION
from bertillon.trials import Predictions

BINARY = (
    "Accuracy", "BalancedAccuracy", "MCC", "Kappa", "Informedness", "Markedness", "Precision", "Recall",
    "Specificity", "NPV", "FDR", "FOR", "FNR", "FPR", "F1", "F(beta=2)", "Jaccard", "Prevalence", "AUC", "Gini",
    "pAUC@FPR=0.3", "AP", "AP[interpolated]", "AP[voc11]", "LogLoss", "Brier", "Reliability", "Resolution",
    "Uncertainty", "Remainder", "ECE", "ECE[equal-mass]", "ECE(bins=3)", "ECE[classwise]", "MCE", "MCE[equal-mass]",
    "Youden", "Cost(fn=5,fp=1)", "Cost(fn=5,fp=1)@t=0.3", "minCost(fn=5,fp=1)", "F1@t=0.5", "Recall@FPR=0.25",
    "Precision@Recall=0.5", "Recall@Precision=0.6", "FPR@FNR=0.2", "Recall@Specificity=0.7", "MCC@FPR=0.25",
    "Kappa@t=0.6", "AUC[ovr]", "Top@1", "F1[macro]",
)  # fmt: skip
LISTS = ("P@3", "R@3", "AP@3", "NDCG@3", "ECE[debiased]")  # know no weights
SEVERAL = (
    "Accuracy", "BalancedAccuracy", "MCC", "Kappa", "Kappa[linear]", "Precision[macro]", "Recall[micro]",
    "F1[weighted]", "AUC[ovr]", "AUC[ovo]", "AUC[ovo-weighted]", "AUC[ovr-micro]", "AP[macro]", "LogLoss", "Brier",
    "Reliability", "Remainder", "ECE", "ECE[equal-mass]", "ECE[classwise]", "MCE", "Top@2",
)  # fmt: skip


def ours(predictions, measure):
    return evaluate(predictions, [measure])[measure]


def close(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=1e-11, abs_tol=1e-11)


def test_every_registered_name_is_tested():
    asked = {CLASSIFICATION.parse(name).spelling.name for name in (*BINARY, *LISTS, *SEVERAL, "MAP")}
    assert asked == set(CLASSIFICATION.definitions)


@pytest.mark.parametrize("name", [*BINARY, *LISTS, *SEVERAL, "MAP", "P[grouped]@10"])
def test_each_measure_reads_back(name):
    measure = CLASSIFICATION.parse(name)
    assert str(measure) == name
    assert CLASSIFICATION.parse(str(measure)) == measure
    assert hash(measure) == hash(CLASSIFICATION.parse(name))


@pytest.mark.parametrize(
    "name",
    [
        "F1[macro]@t=0.5", "F(beta=0)", "Precision@AUC=0.5", "Recall@FPR=2", "P@0", "P@2.5", "ECE(bins=0)", "AUC[best]",
        "Top", "pAUC@Recall=0.5", "Recall@t=nan", "Cost(fn=-1)", "F1(beta=2)", "Kappa[cubic]", "F1@t=0.5,FPR=0.1",
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(name):
    with pytest.raises(InputError):
        CLASSIFICATION.parse(name)


def rows(case, threshold):
    """tp, fp, fn, tn at a threshold by a loop."""
    truth, p, weights = case
    cells = [0.0, 0.0, 0.0, 0.0]
    for y, value, w in zip(truth, p, np.ones(truth.size) if weights is None else weights, strict=True):
        cells[(0 if y else 1) if value >= threshold else (2 if y else 3)] += w
    return cells


@settings(max_examples=80)
@given(case=binary(), x=st.sampled_from([0.0, 0.2, 0.25, 1 / 3, 0.5, 0.75, 1.0]))
def test_k5_places_against_loops(case, x):
    """The most permissive or the strictest threshold that keeps the promise."""
    truth, p, weights = case
    used = np.ones(truth.size, dtype=bool) if weights is None else weights > 0
    assume(0 < truth[used].sum() < used.sum())
    candidates = [*sorted(set(p[used])), math.inf]
    kept = {"FPR": [], "Specificity": [], "Recall": [], "FNR": [], "Precision": []}
    for t in candidates:
        tp, fp, fn, tn = rows(case, t)
        n, m = fp + tn, tp + fn
        for key, holds in (
            ("FPR", fp / n <= x + 1e-12),
            ("Specificity", tn / n >= x - 1e-12),
            ("Recall", tp / m >= x - 1e-12),
            ("FNR", fn / m <= x + 1e-12),
            ("Precision", tp + fp > 0 and tp / (tp + fp) >= x - 1e-12),
        ):
            if holds:
                kept[key].append(t)
    for key, thresholds in kept.items():
        result = ours(of_binary(case), f"F1@{key}={x!r}")
        if not thresholds:
            assert "no threshold reaches" in str(result.reason)
            continue
        assert result.threshold in candidates  # never the score of a sample of weight 0
        if weights is not None and weights.tolist() != np.round(weights).tolist():
            continue  # sums of fractions may round to either side of the promise
        expected = thresholds[0] if key in ("FPR", "Specificity", "Precision") else thresholds[-1]
        assert result.threshold == expected
        tp, fp, fn, _ = rows(case, expected)
        assert close(result.value, 2 * tp / (2 * tp + fp + fn))


@settings(max_examples=60)
@given(case=binary())
def test_k5_best_points_against_loops(case):
    truth, p, weights = case
    used = np.ones(truth.size, dtype=bool) if weights is None else weights > 0
    assume(0 < truth[used].sum() < used.sum())
    best, least, cheap = -1.0, math.inf, math.inf
    for t in [*p, math.inf]:
        tp, fp, fn, tn = rows(case, t)
        best = max(best, tp / (tp + fn) - fp / (fp + tn))
        least = min(least, (5 * fn + fp) / (tp + fp + fn + tn))
        cheap = min(cheap, 5 * 0.1 * fn / (tp + fn) + 0.9 * fp / (fp + tn))
    predictions = of_binary(case)
    assert close(ours(predictions, "Youden").value, best)
    assert close(ours(predictions, "minCost(fn=5,fp=1)").value, least)
    assert close(ours(predictions, "minCost(fn=5,fp=1,prevalence=0.1)").value, cheap)
    tp, fp, fn, tn = rows(case, 0.3)
    assert close(ours(predictions, "Cost(fn=5,fp=1)@t=0.3").value, (5 * fn + fp) / (tp + fp + fn + tn))


@settings(max_examples=60)
@given(case=binary())
def test_k6_interpolated_precision_against_loops(case):
    truth, p, weights = case
    used = np.ones(truth.size, dtype=bool) if weights is None else weights > 0
    assume(truth[used].sum() > 0)
    points = []
    for t in sorted(set(p[used]), reverse=True):
        tp, fp, fn, _ = rows(case, t)
        points.append((tp / (tp + fn), tp / (tp + fp)))
    before, area = 0.0, 0.0
    for recall, _ in points:
        area += (recall - before) * max(q for r, q in points if r >= recall)
        before = recall
    predictions = of_binary(case)
    assert close(ours(predictions, "AP[interpolated]").value, area)
    levels = [max((q for r, q in points if r >= level / 10 - 1e-15), default=0.0) for level in range(11)]
    assert close(ours(predictions, "AP[voc11]").value, sum(levels) / 11)


@settings(max_examples=40)
@given(case=binary(weighted=False, largest=6), k=st.integers(1, 7))
def test_k6_top_lists_are_means_over_all_orders_of_ties(case, k):
    truth, p, _ = case
    positives = int(truth.sum())
    orders = [
        order
        for order in itertools.permutations(range(truth.size))
        if all(p[a] >= p[b] for a, b in itertools.pairwise(order))
    ]
    found, precision = Fraction(0), Fraction(0)
    for order in orders:
        hits = 0
        for place, sample in enumerate(order[:k], 1):
            hits += int(truth[sample])
            precision += Fraction(hits, place) if truth[sample] else 0
        found += hits
    predictions = of_binary(case)
    assert close(ours(predictions, f"P@{k}").value, float(found / len(orders) / k))
    if positives:
        assert close(ours(predictions, f"R@{k}").value, float(found / len(orders) / positives))
        assert close(ours(predictions, f"AP@{k}").value, float(precision / len(orders) / min(positives, k)))


@settings(max_examples=60)
@given(case=binary(), bins=st.integers(1, 7))
def test_k7_calibration_errors_against_loops(case, bins):
    truth, p, weights = case
    assume(weights is None or weights.sum() > 0)
    w = np.ones(truth.size) if weights is None else weights
    total = w.sum()
    edges = np.linspace(0, 1, bins + 1)
    width = [next((b for b in range(bins) if v <= edges[b + 1]), bins - 1) for v in p]
    mass = [min(int(bins * (w[p < v].sum() + w[p == v].sum() / 2) / total), bins - 1) for v in p]
    for variant, places in (("", width), ("[equal-mass]", mass)):
        gaps = {}
        for b in set(places):
            inside = (np.array(places) == b) & (w > 0)
            if inside.any():
                share = w[inside].sum()
                gaps[b] = (share, abs(w[inside] @ truth[inside] - w[inside] @ p[inside]) / share)
        predictions = of_binary(case)
        assert close(
            ours(predictions, f"ECE{variant}(bins={bins})").value, sum(s * g for s, g in gaps.values()) / total
        )
        assert close(ours(predictions, f"MCE{variant}(bins={bins})").value, max(g for _, g in gaps.values()))


@settings(max_examples=60)
@given(case=st.one_of(binary().map(lambda c: (of_binary(c), c[2])), several().map(lambda c: (of_several(c), c[2]))))
def test_k7_murphy_and_its_remainder_add_up(case):
    predictions, weights = case
    assume(weights is None or weights.sum() > 0)
    names = ["Brier", "Reliability", "Resolution", "Uncertainty", "Remainder"]
    evaluation = evaluate(predictions, names)
    brier, rel, res, unc, rest = (evaluation[name].value for name in names)
    assert close(brier, rel - res + unc + rest)
    fine = evaluate(predictions, ["Remainder(bins=100000)"])["Remainder(bins=100000)"].value
    assert abs(fine) < 1e-9  # every distinct probability in a bin of its own


def test_k7_debiasing_takes_away_most_of_what_chance_adds_against_theory():
    """Calibrated probabilities have no calibration error; the plain ECE says otherwise on few samples."""
    rng = np.random.default_rng(3)
    plain, less = [], []
    for _ in range(200):
        p = rng.random(300)
        predictions = Predictions.from_probabilities((rng.random(300) < p).astype(int), p)
        plain.append(ours(predictions, "ECE[equal-mass](bins=15)").value)
        less.append(ours(predictions, "ECE[debiased](bins=15)").value)
    assert np.mean(less) < 0.75 * np.mean(plain)


@settings(max_examples=40)
@given(case=several())
def test_k11_one_vs_one_with_weights_against_loops(case):
    truth, matrix, weights = case
    w = np.ones(truth.size) if weights is None else weights
    present = [c for c in range(matrix.shape[1]) if w[truth == c].sum() > 0]
    assume(len(present) > 1)
    plain, weighted, total = [], 0.0, 0.0
    for a, b in itertools.permutations(present, 2):
        won = tie = 0.0
        for i, j in itertools.product(np.flatnonzero(truth == a), np.flatnonzero(truth == b)):
            won += w[i] * w[j] * (matrix[i, a] > matrix[j, a])
            tie += w[i] * w[j] * (matrix[i, a] == matrix[j, a])
        size = [w[truth == c].sum() for c in (a, b)]
        plain.append((won + tie / 2) / (size[0] * size[1]))
        weighted += plain[-1] * sum(size)
        total += sum(size)
    assert close(ours(of_several(case), "AUC[ovo]").value, float(np.mean(plain)))
    assert close(ours(of_several(case), "AUC[ovo-weighted]").value, weighted / total)


@settings(max_examples=30)
@given(case=several())
def test_k11_top_k_is_pessimistic_and_favourites_are_judged_against_loops(case):
    truth, matrix, weights = case
    assume(weights is None or weights.sum() > 0)
    w = np.ones(truth.size) if weights is None else weights
    hits = [sum(value >= row[y] for value in row) <= 2 for row, y in zip(matrix, truth, strict=True)]
    assert close(ours(of_several(case), "Top@2").value, float(w @ np.array(hits) / w.sum()))
    top = Predictions.from_probabilities((matrix.argmax(1) == truth).astype(int), matrix.max(1), weights=weights)
    for measure in ("ECE", "MCE", "ECE[equal-mass]"):
        assert close(ours(of_several(case), measure).value, ours(top, measure).value)


def test_k6_k11_means_over_groups_by_hand():
    scores = [0.9, 0.8, 0.7, 0.9, 0.8, 0.3, 0.2]
    predictions = Predictions.from_scores([1, 0, 1, 0, 1, 0, 0], scores, groups=["a", "a", "a", "b", "b", "c", "c"])
    found = evaluate(predictions, ["MAP", "P[grouped]@2", "NDCG[grouped]@2", "AP[grouped]@2"])
    assert found["MAP"].value == pytest.approx(((1 + 2 / 3) / 2 + 1 / 2) / 2)  # c has no positives
    assert found["P[grouped]@2"].value == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert found["AP[grouped]@2"].value == pytest.approx((0.5 + 0.5) / 2)
    best = 1 + 1 / math.log2(3)
    assert found["NDCG[grouped]@2"].value == pytest.approx((1 / best + 1 / math.log2(3)) / 2)


def results(predictions, measures):
    return {name: result.value for name, result in evaluate(predictions, measures).results.items()}


@settings(max_examples=25)
@given(case=st.one_of(binary(), several()), random=st.randoms(use_true_random=False))
def test_the_order_of_samples_does_not_matter(case, random):
    truth, p, weights = case
    order = np.array(random.sample(range(truth.size), truth.size))
    build, measures = (of_binary, BINARY) if p.ndim == 1 else (of_several, SEVERAL)
    turned = (truth[order], p[order], None if weights is None else weights[order])
    first, second = results(build(case), measures), results(build(turned), measures)
    assert all(close(first[name], second[name]) for name in first)


@settings(max_examples=25)
@given(case=st.one_of(binary(), several()))
def test_whole_weights_count_as_copies_and_equal_weights_as_none(case):
    truth, p, weights = case
    build, measures = (of_binary, BINARY) if p.ndim == 1 else (of_several, SEVERAL)
    whole = np.ones(truth.size) if weights is None else np.round(weights)
    assume(whole.sum() > 0)
    times = whole.astype(int)
    copied = build((np.repeat(truth, times), np.repeat(p, times, axis=0), None))
    first, second = results(build((truth, p, whole)), measures), results(copied, measures)
    assert [name for name in first if not close(first[name], second[name])] == []


@settings(max_examples=25)
@given(case=binary(weighted=True))
def test_what_knows_no_weights_says_so(case):
    for measure in LISTS:
        result = ours(of_binary(case), measure)
        assert math.isnan(result.value)
        assert result.reason
