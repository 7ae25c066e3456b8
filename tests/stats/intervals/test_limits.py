"""Ends from resampled values, against scipy, formulas and DeLong (U1)."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from bertillon.evaluation import evaluate
from bertillon.measures import parse, parse_all
from bertillon.stats import Range, Settings, area_covariance, intervals_of, proportion, resampled
from bertillon.stats import ends as limits
from bertillon.trials import ScoreSet, simulate

RATE = Range(0.0, 1.0, rate=True)


def area(mated: np.ndarray, nonmated: np.ndarray, axis: int = -1) -> np.ndarray:
    """The AUC of samples along the last axis."""
    apart = mated[..., :, None] - nonmated[..., None, :]
    return ((apart > 0) + (apart == 0) / 2).mean(axis=(-1, -2))


@pytest.fixture(scope="module")
def scores() -> ScoreSet:
    rng = np.random.default_rng(7)
    return ScoreSet(rng.integers(3, 12, 25).astype(float), rng.integers(0, 8, 40).astype(float))


@pytest.mark.parametrize(("method", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
def test_ends_against_scipy_on_the_same_resamples(scores: ScoreSet, method: str, theirs: str) -> None:
    """scipy.stats.bootstrap is handed our resampled values and makes its own ends, jackknife and all."""
    settings = Settings(resamples=400, seed=3, method=method, level=0.9)
    drawn = resampled(scores, [parse("AUC")], settings).values[:, 0]
    given = SimpleNamespace(bootstrap_distribution=drawn)
    oracle = stats.bootstrap(
        (scores.mated, scores.nonmated),
        area,
        n_resamples=0,
        bootstrap_result=given,
        method=theirs,
        confidence_level=0.9,
        axis=-1,
        vectorized=True,
    ).confidence_interval
    evaluation = evaluate(scores, ["AUC"])
    found = intervals_of(scores, [parse("AUC")], evaluation.results, settings)["AUC"]
    assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high), abs=1e-12)
    assert found.naive


def test_spread_of_independent_rows_against_scipy(scores: ScoreSet) -> None:
    ours = resampled(scores, [parse("AUC")], Settings(resamples=3000)).values[:, 0]
    theirs = stats.bootstrap(
        (scores.mated, scores.nonmated), area, n_resamples=3000, rng=np.random.default_rng(1), axis=-1, vectorized=True
    )
    assert ours.std() == pytest.approx(theirs.standard_error, rel=0.06)  # either is known to 1.3 %
    assert ours.mean() == pytest.approx(theirs.bootstrap_distribution.mean(), abs=4 * ours.std() / math.sqrt(1500))


def test_area_of_independent_scores_against_delong() -> None:
    scores = simulate("binormal", dprime=1.5, mated=300, nonmated=500, rng=11).scores
    drawn = resampled(scores, [parse("AUC")], Settings(resamples=2000)).values[:, 0]
    variance = area_covariance([scores]).covariance[0, 0]
    assert drawn.var() == pytest.approx(variance, rel=0.15)  # the bootstrap's variance is known to 3 %


def test_student_of_a_share_is_wilsons_interval() -> None:
    for errors, trials in ((3, 100), (40, 90)):
        rate = errors / trials
        ours = limits.student(rate, math.sqrt(rate * (1 - rate) / trials), RATE, level=0.9)
        wilson = proportion(errors, trials, method="wilson", level=0.9)
        assert ours == pytest.approx((wilson.low, wilson.high), abs=1e-12)


def test_student_by_hand() -> None:
    t = stats.t.ppf(0.975, 4)
    assert limits.student(2.0, 0.5, Range(), level=0.95, degrees=4) == pytest.approx((2 - t / 2, 2 + t / 2))
    low, high = limits.student(2.0, 0.5, Range(0.0), level=0.95, degrees=4)
    assert (low, high) == pytest.approx((2 * math.exp(-t / 4), 2 * math.exp(t / 4)))
    low, high = limits.student(0.5, 0.1, Range(-1.0, 1.0), level=0.95, degrees=4)
    middle, half = math.log(3), t * 0.1 / 2 / (0.75 * 0.25)
    assert [math.log((1 + end) / (1 - end)) for end in (low, high)] == pytest.approx([middle - half, middle + half])
    assert limits.student(0.0, 0.1, RATE, level=0.95)[0] == 0.0  # a value at the end of its range stays inside it


def test_standard_error_by_hand() -> None:
    values, pairs = np.array([-3.0, 3.0]), np.array([-1.0, 1.0])
    assert limits.standard_error(values, None) == 3.0
    assert limits.standard_error(values, pairs) == pytest.approx(math.sqrt(9 - 2))
    assert limits.standard_error(values, 2.9 * pairs) == pytest.approx(math.sqrt(9 / 3))  # pairs alone: never less


def test_freedom_counts_who_carries_the_spread() -> None:
    even = np.array([1.0, -1.0] * 10)
    assert limits.freedom(even, Range(), 20) == 19
    one = np.zeros(20)
    one[3] = 1.0
    assert limits.freedom(one, Range(), 20) == 3.0  # the least
    some = np.array([1.0, -1.0] * 4 + [0.0] * 12)
    assert limits.freedom(some, Range(), 20) == pytest.approx(8.0)


def test_percentiles_beside_infinity() -> None:
    values = np.array([1.0, 2.0, 3.0, math.inf])
    assert limits.percentile(values, (0.25, 0.99)) == (1.0, math.inf)
    assert limits.percentile(values[:3], (0.25, 0.5)) == (1.5, 2.0)


def test_bca_without_bias_and_skewness_is_the_percentile() -> None:
    values = np.arange(101.0)
    assert limits.bca(values, 50.0, 0.0, (0.05, 0.95)) == pytest.approx((5.0, 95.0))
    low, high = limits.bca(values, 50.0, 0.05, (0.05, 0.95))
    assert low > 5.0
    assert high > 95.0
    assert limits.bca(values, -1.0, 0.0, (0.05, 0.95)) == pytest.approx((5.0, 95.0))  # nothing below: no bias is known


def test_methods_differ_and_name_themselves() -> None:
    scores = simulate("subjects", subjects=40, mated=400, nonmated=1500, rng=3).scores
    asked = parse_all(["EER", "FNMR@t=1"])
    evaluation = evaluate(scores, asked)
    ends, words = set(), set()
    for method in ("auto", "percentile", "bca", "double-or-nothing"):
        found = intervals_of(scores, asked, evaluation.results, Settings(resamples=200, method=method))
        ends.add(found["EER"].low)
        words.add(str(found["EER"].method))
        assert all(interval.holds(evaluation[name].value) for name, interval in found.items())
    assert len(ends) == len(words) == 4
    assert "subjects resampled 200 times, Student's t" in words


@pytest.mark.parametrize("method", ["auto", "percentile", "bca", "double-or-nothing"])
@pytest.mark.parametrize(
    "classes", [([1.0], [0.5, 0.7, 1.5, 2.0]), ([0.6, 1.0, 2.0], [0.8]), ([1.0, 2.0], []), ([], [1.0])]
)
def test_one_score_and_none_of_a_class_have_intervals_or_reasons(classes, method):
    """One score of a kind is not left out, and an empty kind has nothing to leave out."""
    names = ["EER", "AUC", "minHTER", "FNMR@t=0.9", "FMR@t=0.9", "FNMR@FMR=0.5"]
    found = evaluate(ScoreSet(*classes), names).with_intervals(method=method, resamples=40).intervals
    for name, interval in found.items():
        assert interval.low <= interval.high or interval.reason, name
    if all(classes):
        assert found["EER"].low < found["EER"].high
