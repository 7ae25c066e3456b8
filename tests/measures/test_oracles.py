"""Measures and curves beside scikit-learn and scipy, on generated and on seeded normal scores."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import det_curve, roc_auc_score, roc_curve

import bertillon as bt

finite = st.one_of(st.integers(-3, 6).map(float), st.floats(-10, 10))
classes = st.lists(finite, min_size=1, max_size=15).map(np.array)
both_rules = pytest.mark.parametrize("rule", ["similarity", "distance"])
NORMALS = np.random.default_rng(11).normal(1, 1, 400), np.random.default_rng(12).normal(-1, 1.5, 600).round(2)


def labelled(mated: np.ndarray, nonmated: np.ndarray, rule: str) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores as scikit-learn wants them: higher is positive."""
    scores = np.concatenate([mated, nonmated])
    return np.repeat([1, 0], [mated.size, nonmated.size]), scores if rule == "similarity" else -scores


def value(mated: np.ndarray, nonmated: np.ndarray, rule: str, measure: str) -> float:
    return bt.evaluate(bt.ScoreSet(mated, nonmated, rule=rule), [measure])[measure].value


def assert_curve_is_sklearns(mated: np.ndarray, nonmated: np.ndarray, rule: str) -> None:
    fpr, tpr, thresholds = roc_curve(*labelled(mated, nonmated, rule), drop_intermediate=False)
    roc = bt.counting.error_curve(bt.ScoreSet(mated, nonmated, rule=rule)).roc
    shown = thresholds if rule == "similarity" else -thresholds
    assert roc.threshold[::-1].tolist() == shown.tolist()
    assert roc.fmr[::-1].tolist() == fpr.tolist()
    assert roc.tmr[::-1] == pytest.approx(tpr, abs=1e-15)


@both_rules
@given(classes, classes)
def test_the_whole_roc_against_sklearn(rule, mated, nonmated):
    """V2, V6: all points, all thresholds, in the opposite order; the last of ours rejects all, as their first does."""
    assert_curve_is_sklearns(mated, nonmated, rule)


@both_rules
def test_the_whole_roc_of_normals_against_sklearn(rule):
    assert_curve_is_sklearns(*NORMALS, rule)


@given(classes, classes)
def test_the_det_against_sklearn(mated, nonmated):
    """V7: scikit-learn leaves out flat ends; each of its points is one of ours."""
    det = bt.counting.error_curve(bt.ScoreSet(mated, nonmated)).det
    ours = {(t, fmr): fnmr for fmr, fnmr, t in zip(*det, strict=True)}
    for fpr, fnr, threshold in zip(*det_curve(*labelled(mated, nonmated, "similarity")), strict=True):
        assert ours[threshold, fpr] == pytest.approx(fnr, abs=1e-15)


@both_rules
@given(classes, classes)
def test_auc_against_sklearn_and_scipy(rule, mated, nonmated):
    """V6, E6: the trapezoid area, and the Mann-Whitney statistic as a share of all pairs."""
    auc = value(mated, nonmated, rule, "AUC")
    labels, scores = labelled(mated, nonmated, rule)
    assert auc == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)
    u = stats.mannwhitneyu(scores[labels == 1], scores[labels == 0], method="asymptotic").statistic
    assert auc == pytest.approx(u / (mated.size * nonmated.size), abs=1e-12)
    assert value(mated, nonmated, rule, "Gini") == pytest.approx(2 * auc - 1, abs=1e-12)


@both_rules
@given(classes, classes, st.sampled_from([0.001, 0.05, 0.2, 0.25, 1 / 3, 0.5, 0.9]))
def test_partial_area_against_sklearn(rule, mated, nonmated, limit):
    """V6: McClish's rescaling, and from it the plain area."""
    theirs = roc_auc_score(*labelled(mated, nonmated, rule), max_fpr=limit)
    assert value(mated, nonmated, rule, f"pAUC[mcclish]@FMR={limit}") == pytest.approx(theirs, abs=1e-9)
    chance = limit**2 / 2
    plain = chance + (2 * theirs - 1) * (limit - chance)
    assert value(mated, nonmated, rule, f"pAUC@FMR={limit}") == pytest.approx(plain, abs=1e-9)


@both_rules
@given(classes, classes)
def test_largest_gap_against_scipy(rule, mated, nonmated):
    """STANDARDS 5: KS is the one-sided statistic, by which non-mated scores lie below mated ones."""
    labels, scores = labelled(mated, nonmated, rule)
    theirs = stats.ks_2samp(scores[labels == 0], scores[labels == 1], alternative="greater", method="asymp").statistic
    assert value(mated, nonmated, rule, "KS") == pytest.approx(theirs, abs=1e-12)
    assert value(mated, nonmated, rule, "Youden") == pytest.approx(theirs, abs=1e-12)


apart = st.lists(st.integers(-30, 60).map(lambda i: i / 10), min_size=1, max_size=15).map(np.array)


@both_rules
@given(apart, apart)  # scikit-learn takes scores closer than 1e-16 or so for equal
def test_min_cllr_against_sklearn(rule, mated, nonmated):
    """STANDARDS 3: isotonic regression gives posteriors; their log odds less the prior's are the best ratios."""
    labels, scores = labelled(mated, nonmated, rule)
    posterior = IsotonicRegression().fit(scores, labels).predict(scores)
    prior = math.log(mated.size / nonmated.size)
    with np.errstate(divide="ignore"):
        llr = np.log(posterior) - np.log1p(-posterior) - prior
    cost = (np.logaddexp(0, -llr[labels == 1]).mean() + np.logaddexp(0, llr[labels == 0]).mean()) / 2 / math.log(2)
    assert value(mated, nonmated, rule, "minCllr") == pytest.approx(cost, abs=1e-9)


@both_rules
def test_all_areas_and_gaps_of_normals_against_sklearn_and_scipy(rule):
    labels, scores = labelled(*NORMALS, rule)
    assert value(*NORMALS, rule, "AUC") == pytest.approx(roc_auc_score(labels, scores), abs=1e-13)
    theirs = roc_auc_score(labels, scores, max_fpr=0.01)
    assert value(*NORMALS, rule, "pAUC[mcclish]@FMR=0.01") == pytest.approx(theirs, abs=1e-12)
    gap = stats.ks_2samp(scores[labels == 0], scores[labels == 1], alternative="greater", method="asymp").statistic
    assert value(*NORMALS, rule, "KS") == pytest.approx(gap, abs=1e-12)


@given(classes, classes)
def test_separation_against_numpy(mated, nonmated):
    """V8: population standard deviations, as numpy's std and var are by default."""
    spread = mated.std() + nonmated.std()
    if spread > 1e-9:
        gap = mated.mean() - nonmated.mean()
        assert value(mated, nonmated, "similarity", "FRatio") == pytest.approx(gap / spread, rel=1e-9, abs=1e-9)
        together = math.sqrt(mated.var() + nonmated.var())
        assert value(mated, nonmated, "distance", "dprime[sum]") == pytest.approx(-gap / together, rel=1e-9, abs=1e-9)


@given(classes, classes, st.sampled_from([1, 2, 7, 100]))
def test_overlap_against_numpy(mated, nonmated, bins):
    """Common equal bins over the range of all scores."""
    both = np.concatenate([mated, nonmated])
    if both.max() - both.min() > 1e-9:
        edges = np.linspace(both.min(), both.max(), bins + 1)
        shares = [np.histogram(scores, edges)[0] / scores.size for scores in (mated, nonmated)]
        expected = np.minimum(*shares).sum()
        assert value(mated, nonmated, "similarity", f"Overlap(bins={bins})") == pytest.approx(expected, abs=1e-12)


def test_equal_error_rate_of_unequal_normals_against_theory():
    """STANDARDS 5: N(1, 1) and N(-1, 2): F = 2 / 3, EER = Phi(-2/3), at the threshold 1 - 2/3."""
    quantiles = stats.norm.ppf((np.arange(40_000) + 0.5) / 40_000)
    evaluation = bt.evaluate(bt.ScoreSet(quantiles + 1, 2 * quantiles - 1), ["EER", "FRatio", "FNMR@FMR=0.01"])
    assert evaluation["FRatio"].value == pytest.approx(2 / 3, abs=1e-4)
    assert evaluation["EER"].value == pytest.approx(stats.norm.cdf(-2 / 3), abs=1e-4)
    assert evaluation["EER"].threshold == pytest.approx(1 / 3, abs=1e-3)
    at_one_percent = stats.norm.isf(0.01, -1, 2)
    assert evaluation["FNMR@FMR=0.01"].threshold == pytest.approx(at_one_percent, abs=1e-2)
    assert evaluation["FNMR@FMR=0.01"].value == pytest.approx(stats.norm.cdf(at_one_percent, 1, 1), abs=1e-3)
