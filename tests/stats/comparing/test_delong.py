"""DeLong's variance and test. SPEC U2; STANDARDS section 8."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.stats import area_covariance, delong_test, moments_of, placements_of

T1 = bt.ScoreSet([0.35, 0.55, 0.60, 0.80, 0.90], [0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.45, 0.50, 0.65])
A = bt.ScoreSet([0.9, 0.8, 0.7, 0.6, 0.35], [0.5, 0.4, 0.3, 0.2, 0.1], name="A")
B = bt.ScoreSet([0.9, 0.6, 0.45, 0.4, 0.3], [0.7, 0.5, 0.35, 0.2, 0.1], name="B")

small = st.lists(st.integers(0, 5), min_size=2, max_size=12)


def placements_by_pairs(scores: bt.ScoreSet) -> tuple[np.ndarray, np.ndarray]:
    """Every mated score against every non-mated one."""
    sign = scores.rule.factor
    apart = sign * scores.mated[:, None] - sign * scores.nonmated[None, :]
    wins = (apart > 0) + 0.5 * (apart == 0)
    return wins.mean(axis=1), wins.mean(axis=0)


def variance_by_pairs(scores: bt.ScoreSet) -> float:
    mated, nonmated = placements_by_pairs(scores)
    return float(mated.var(ddof=1) / mated.size + nonmated.var(ddof=1) / nonmated.size)


def test_golden_area_and_variance_of_t1():
    """STANDARDS 8: AUC .88, variance .0091333, standard error .0955685."""
    found = area_covariance([T1])
    assert found.areas[0] == pytest.approx(0.88)
    assert found.covariance[0, 0] == pytest.approx(0.0091333, abs=5e-8)
    assert math.sqrt(found.covariance[0, 0]) == pytest.approx(0.0955685, abs=5e-8)


def test_golden_paired_test():
    """STANDARDS 8: areas .92 and .68, their covariances, |z| = 1.7320508, p = .0832645; the sign is second - first."""
    found = area_covariance([A, B])
    assert found.areas == pytest.approx((0.92, 0.68))
    assert found.covariance == pytest.approx(np.array([[0.0088, 0.0132], [0.0132, 0.0368]]))
    test = delong_test(A, B, paired=True)
    assert test.z == pytest.approx(-1.7320508, abs=5e-8)
    assert test.p == pytest.approx(0.0832645, abs=5e-8)
    assert test.difference == pytest.approx(-0.24)
    assert test.interval.holds(0.0)


def test_unpaired_variances_add_by_hand():
    test = delong_test(A, B, paired=False)
    assert test.z == pytest.approx(-0.24 / math.sqrt(0.0088 + 0.0368))
    assert test.p > delong_test(A, B, paired=True).p


@given(small, small)
def test_placements_against_brute_force(mated, nonmated):
    """Both compiled walks and the plain one, ties by halves."""
    for rule in ("similarity", "distance"):
        scores = bt.ScoreSet(mated, nonmated, rule=rule)
        own, others = placements_by_pairs(scores)
        for compiled in (False, True):
            found = placements_of(scores, compiled=compiled)
            assert found.mated == pytest.approx(own)
            assert found.nonmated == pytest.approx(others)
            summed = moments_of(scores, compiled=compiled)
            assert summed.area == pytest.approx(own.mean())
            assert summed.mated == pytest.approx(own.var(ddof=1), abs=1e-12)
            assert summed.nonmated == pytest.approx(others.var(ddof=1), abs=1e-12)


@pytest.mark.parametrize("kind", ["normal", "ties", "far out", "infinite", "float32"])
def test_many_scores_against_brute_force_and_the_plain_walk(kind):
    rng = np.random.default_rng(5)
    mated, nonmated = rng.normal(1, 1, 3000), rng.normal(0, 1, 4000)
    if kind == "ties":
        mated, nonmated = mated.round(1), nonmated.round(1)
    if kind == "far out":
        nonmated[:50] *= 1e12
    if kind == "infinite":
        mated[:40], nonmated[:30] = np.inf, -np.inf
        nonmated[30:35] = np.inf
    if kind == "float32":
        mated, nonmated = mated.astype(np.float32), nonmated.astype(np.float32)
    scores = bt.ScoreSet(mated, nonmated, rule="distance")
    plain, compiled = (placements_of(scores, compiled=way) for way in (False, True))
    assert np.array_equal(plain.mated, compiled.mated)
    assert np.array_equal(plain.nonmated, compiled.nonmated)
    summed = moments_of(scores, compiled=True)
    assert summed.mated == pytest.approx(plain.mated.var(ddof=1), rel=1e-12)
    assert summed.nonmated == pytest.approx(plain.nonmated.var(ddof=1), rel=1e-12)
    assert plain.area == pytest.approx(bt.evaluate(scores, ["AUC"])["AUC"].value, abs=1e-12)
    if kind != "infinite":
        assert plain.mated == pytest.approx(placements_by_pairs(scores)[0])


@given(small, small, st.data())
def test_covariance_against_brute_force(mated, nonmated, data):
    other = bt.ScoreSet(
        *(data.draw(st.lists(st.integers(0, 5), min_size=len(x), max_size=len(x))) for x in (mated, nonmated))
    )
    one = bt.ScoreSet(mated, nonmated)
    found = area_covariance([one, other])
    parts = list(zip(placements_by_pairs(one), placements_by_pairs(other), strict=True))
    expected = sum(float(np.cov(x, y)[0, 1]) / x.size for x, y in parts)
    assert found.covariance[0, 1] == pytest.approx(expected, abs=1e-12)
    assert found.covariance[0, 0] == pytest.approx(variance_by_pairs(one), abs=1e-12)


def test_p_is_uniform_where_trials_are_independent_against_theory():
    """Two equal systems over the same independent comparisons are told apart one time in twenty."""
    rng = np.random.default_rng(11)
    seen = []
    for _ in range(400):
        shared = rng.normal(0, 1, 200)
        one, other = (shared + rng.normal(0, 1, 200) + np.repeat([1.0, 0.0], 100) for _ in range(2))
        pair = [bt.ScoreSet(x[:100], x[100:]) for x in (one, other)]
        seen.append(delong_test(*pair, paired=True).p)
    assert 0.025 <= np.mean(np.array(seen) <= 0.05) <= 0.08


def test_identical_systems_have_p_1():
    test = delong_test(A, A, paired=True)
    assert (test.difference, test.z, test.p) == (0.0, 0.0, 1.0)
    assert (test.interval.low, test.interval.high) == (0.0, 0.0)


def test_perfect_against_reversed_is_not_called_certain():
    test = delong_test(bt.ScoreSet([3, 4], [1, 2]), bt.ScoreSet([1, 2], [3, 4]), paired=True)
    assert test.difference == -1.0
    assert math.isnan(test.p)
    assert "variance is 0" in str(test.reason)


@pytest.mark.parametrize(("mated", "nonmated"), [([1.0], [0.0, 2.0]), ([1.0, 2.0], [0.0]), ([], [1.0, 2.0])])
def test_too_few_scores_are_said(mated, nonmated):
    scores = bt.ScoreSet(mated, nonmated)
    found = delong_test(scores, scores, paired=True)
    assert math.isnan(found.p)
    assert "two mated" in str(found.reason)


def test_different_numbers_of_scores_cannot_be_paired():
    with pytest.raises(bt.InputError, match=r"A has 5 mated and 5 non-mated scores, .*5 and 10.*align"):
        delong_test(T1, A, paired=True)
    assert 0.0 < delong_test(T1, A, paired=False).p < 1.0
