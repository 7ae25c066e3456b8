"""U1: thresholds fixed on development scores and judged on evaluation scores; the expected performance curve."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.analysis import OPTIMISTIC, apply_threshold, expected_performance_curve, judge
from bertillon.core import InputError

T1 = bt.ScoreSet([0.35, 0.55, 0.60, 0.80, 0.90], [0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.45, 0.50, 0.65])
T2 = bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
some = st.lists(st.integers(0, 6), min_size=1, max_size=10)
rules = st.sampled_from(["similarity", "distance"])


@pytest.mark.parametrize(
    ("criterion", "measure"),
    [
        ("EER", "EER"),
        ("FMR=0.1", "FNMR@FMR=0.1"),
        (" fnmr = 0.2 ", "FMR@FNMR=0.2"),
        ("FAR=0.1", "FRR@FAR=0.1"),
        ("FNMR@FMR=0.1", "FNMR@FMR=0.1"),
        ("minHTER", "minHTER"),
        ("alpha=0.5", "minHTER"),
        ("alpha=0.9", "minCost(cfa=1,cfr=1,impostor=0.9)"),
        (bt.parse("EER[nearest]"), "EER[nearest]"),
    ],
)
def test_U1_the_threshold_is_that_of_the_measure_on_development_scores(criterion, measure):
    found = apply_threshold(T1, T2, criterion)
    assert found.threshold == bt.evaluate(T1, [measure]).results.popitem()[1].threshold
    expected = bt.counting.outcomes(T2, found.threshold)
    assert found.evaluation.fmr.result.errors == expected.false_match
    assert found.evaluation.fnmr.result.errors == expected.false_nonmatch
    assert found.evaluation.hter.value == pytest.approx((expected.false_match / 5 + expected.false_nonmatch / 4) / 2)
    assert found.criterion == str(criterion).strip()


def test_U1_least_weighted_error_may_reject_all_against_bob():
    """STANDARDS 2: .99 FPR + .01 FNR of {-3, -2, -1, -.5, 4} and {.5, 3} is least past the highest impostor."""
    scores = bt.ScoreSet([0.5, 3], [-3, -2, -1, -0.5, 4])
    found = apply_threshold(scores, scores, "alpha=0.99")
    assert found.threshold == math.inf
    rates = found.evaluation
    assert (rates.fmr.value, rates.fnmr.value, rates.hter.value) == (0.0, 1.0, 0.5)


def test_U1_a_threshold_of_the_same_scores_is_optimistic_against_theory():
    """Of 300 systems of d' 2: on its own scores FMR keeps the promise of 5 %, on others it breaks it half the time."""
    rng = np.random.default_rng(1)
    kept, above = [], []
    for _ in range(300):
        first, second = (bt.ScoreSet(rng.normal(2, 1, 50), rng.normal(0, 1, 100)) for _ in range(2))
        found = apply_threshold(first, second, "FMR=0.05")
        kept.append(found.development.fmr.value <= 0.05)
        above.append(found.evaluation.fmr.value > 0.05)
    assert all(kept)
    assert 0.3 < np.mean(above) < 0.6


def test_U1_intervals_are_by_subject_where_subjects_are_known():
    scores, _ = bt.simulate.scores("subjects", subjects=40, mated=400, nonmated=4000, rng=1)
    found = apply_threshold(scores, scores, "EER")
    assert not found.evaluation.hter.interval.naive
    blind = bt.ScoreSet(scores.mated, scores.nonmated)
    naive = apply_threshold(blind, blind, "EER")
    assert naive.evaluation.hter.interval.naive
    for rate in ("fmr", "fnmr", "hter"):
        ours, theirs = (getattr(one.evaluation, rate).interval for one in (found, naive))
        assert ours.high - ours.low > theirs.high - theirs.low


def test_U1_thresholds_are_fixed_for_the_eer_and_where_a_rate_meets_a_target():
    asked = ["FNMR@FMR=0.1", "FNMR@t=0.5", "ZeroFMR", "minHTER", "AUC", "pAUC@FMR=0.1", "TMR@FMR=0.2"]
    found = judge(T1, bt.evaluate(T2, asked), level=0.95)
    assert [one.criterion for one in found.thresholds] == ["EER", "FNMR@FMR=0.1", "TMR@FMR=0.2"]


def test_U1_a_fixed_threshold_as_json():
    found = json.loads(json.dumps(apply_threshold(T1, T2, "alpha=1").to_dict(), allow_nan=False))
    assert found["criterion"] == "alpha=1"
    assert found["evaluation"]["HTER"]["level"] == 0.95
    assert found["development"]["note"] == OPTIMISTIC
    rejecting = apply_threshold(bt.ScoreSet([1], [2]), T2, "FMR=0").to_dict()
    assert rejecting["threshold"] == "inf"


@given(some, some, some, some, rules, st.lists(st.integers(0, 8).map(lambda k: k / 8), min_size=1, max_size=4))
def test_U1_expected_performance_against_brute_force(dev_mated, dev_nonmated, mated, nonmated, rule, alphas):
    """STANDARDS 8: t*(alpha) = argmin on development scores of alpha FPR + (1 - alpha) FNR; HTER(t*) on the others."""
    development = bt.ScoreSet(dev_mated, dev_nonmated, rule=rule)
    evaluation = bt.ScoreSet(mated, nonmated, rule=rule)
    found = expected_performance_curve(development, evaluation, alphas=alphas)
    nothing = math.inf if rule == "similarity" else -math.inf
    candidates = [*sorted({*dev_mated, *dev_nonmated}, reverse=rule == "distance"), nothing]
    for row, alpha in enumerate(alphas):
        cost = [weighed(development, one, alpha) for one in candidates]
        assert weighed(development, found.threshold[row], alpha) == pytest.approx(min(cost), abs=1e-12)
        first = next(one for one, price in zip(candidates, cost, strict=True) if price <= min(cost) + 1e-12)
        assert found.threshold[row] == first
        fmr, fnmr = rates(evaluation, first)
        assert (found.fmr[row], found.fnmr[row], found.hter[row]) == (fmr, fnmr, (fmr + fnmr) / 2)
        assert found.low[row] <= found.hter[row] <= found.high[row]
        assert apply_threshold(development, evaluation, f"alpha={alpha}").threshold == pytest.approx(first)


def rates(scores: bt.ScoreSet, threshold: float) -> tuple[float, float]:
    found = bt.counting.outcomes(scores, threshold)
    return found.false_match / scores.nonmated.size, found.false_nonmatch / scores.mated.size


def weighed(scores: bt.ScoreSet, threshold: float, alpha: float) -> float:
    fmr, fnmr = rates(scores, threshold)
    return alpha * fmr + (1 - alpha) * fnmr


def test_U1_the_ends_of_the_curve_accept_and_reject_by_hand():
    """With no weight on FMR everything T1 holds is accepted; with all of it the best impostor is passed over."""
    found = expected_performance_curve(T1, T2, alphas=[0, 1])
    assert found.threshold.tolist() == [0.05, 0.8]
    assert found.fmr.tolist() == [1.0, 0.0]
    assert found.fnmr.tolist() == [0.0, 0.75]
    assert found.naive
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["hter"] == [0.5, 0.375]


def test_U1_by_default_the_curve_has_twenty_one_weights():
    found = expected_performance_curve(T1, T2)
    assert found.alpha.tolist() == [k / 20 for k in range(21)]
    assert (np.diff(found.fmr) <= 0).all()


def test_U1_a_missing_class_of_evaluation_is_undefined_with_a_reason():
    found = apply_threshold(T1, bt.ScoreSet([0.5], []), "EER")
    assert math.isnan(found.evaluation.hter.value)
    assert str(found.evaluation.hter.interval.reason) == "no trials"
    curve = expected_performance_curve(T1, bt.ScoreSet([0.5], []), alphas=[0.5])
    assert np.isnan(curve.hter).all()
    assert curve.to_dict()["hter"] == [None]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: apply_threshold(T1, bt.ScoreSet([1], [2], rule="distance")),
            "similarity, evaluation scores a distance",
        ),
        (lambda: apply_threshold(bt.ScoreSet([], [1]), T2), "no mated scores"),
        (lambda: apply_threshold(bt.ScoreSet([1], []), T2), "no non-mated scores"),
        (lambda: apply_threshold(T1, T2, "AUC"), "AUC: the measure has no threshold"),
        (lambda: apply_threshold(T1, T2, "FMR=2"), "rate from 0 to 1"),
        (lambda: apply_threshold(T1, T2, "alpha=2"), "share from 0 to 1"),
        (lambda: apply_threshold(T1, T2, "luck=2"), "place 'luck' is not known"),
        (lambda: apply_threshold(T1, T2, "EERR"), "did you mean EER"),
        (lambda: apply_threshold(T1, T2, level=95), "give 0.95"),
        (lambda: expected_performance_curve(T1, T2, alphas=[0.5, 1.5]), "numbers from 0 to 1"),
        (lambda: expected_performance_curve(T1, T2, alphas=[]), "numbers from 0 to 1"),
        (lambda: expected_performance_curve(bt.ScoreSet([], [1]), T2), "no mated scores"),
    ],
)
def test_U1_bad_input_is_refused(call, said):
    with pytest.raises(InputError, match=said):
        call()
