"""The paired permutation test. SPEC U2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bertillon as bt
from bertillon.measures import MEASURES, PEERS
from bertillon.stats import Settings, permutation_test, permute


def mean_difference(one, other) -> float:
    return float(np.mean(other) - np.mean(one))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8))
def test_every_permutation_against_scipy(rows):
    one, other = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    theirs = stats.permutation_test(
        (one, other), mean_difference, permutation_type="samples", n_resamples=np.inf, vectorized=False
    )
    found = permute(one, other, mean_difference)
    assert found.exact
    assert found.permutations == 2**one.size
    assert found.p == pytest.approx(theirs.pvalue)


def test_random_permutations_against_scipy():
    rng = np.random.default_rng(3)
    one = rng.normal(0, 1, 40)
    other = one + rng.normal(0.15, 0.5, 40)
    found = permute(one, other, mean_difference, settings=Settings(resamples=2000, seed=4))
    theirs = stats.permutation_test(
        (one, other), mean_difference, permutation_type="samples", n_resamples=5000, vectorized=False, rng=1
    )
    assert not found.exact
    assert found.permutations == 2000
    assert found.p == pytest.approx(theirs.pvalue, abs=0.03)
    assert found == permute(one, other, mean_difference, settings=Settings(resamples=2000, seed=4))


def test_what_was_seen_counts_among_the_permutations_by_hand():
    """STANDARDS 8: p = (1 + #) / (B + 1), so that no p is 0."""
    one = np.zeros(40)
    found = permute(one, one + 1.0, mean_difference, settings=Settings(resamples=99))
    assert (found.difference, found.p) == (1.0, 1 / 100)


def test_units_move_together_by_hand():
    """Two units: four permutations, two of which are as far apart as what was seen."""
    one, other = np.array([1.0, 1.0, 1.0, 5.0]), np.array([2.0, 2.0, 2.0, 6.0])
    found = permute(one, other, mean_difference, unit=np.array(["a", "a", "b", "b"]))
    assert (found.permutations, found.p) == (4, 0.5)
    assert permute(one, other, mean_difference).p == 2 / 16


def test_a_measure_on_scales_of_their_own_by_hand():
    """AUC 1 and 7/9 whatever the scales: what is swapped are ranks, so that a distance may meet a similarity."""
    a = bt.ScoreSet([7, 8, 9], [1, 2, 3])
    b = bt.ScoreSet([-700, -300, -900], [-100, -200, -800], rule="distance")
    found = permutation_test(a, b, "AUC")
    assert found.difference == pytest.approx(7 / 9 - 1)
    assert found.exact
    assert found.p == permutation_test(a, bt.ScoreSet([7, 3, 9], [1, 2, 8]), "AUC").p


def test_identical_systems_have_p_1():
    a = bt.ScoreSet([5, 6, 7, 8], [1, 2, 3, 6])
    found = permutation_test(a, a, "EER")
    assert (found.difference, found.p) == (0.0, 1.0)


def test_p_is_uniform_for_equal_systems_against_theory():
    rng = np.random.default_rng(2)
    seen = []
    for _ in range(120):
        shared = rng.normal(0, 1, 60) + np.repeat([1.5, 0.0], 30)
        one, other = (shared + rng.normal(0, 1, 60) for _ in range(2))
        systems = [bt.ScoreSet(x[:30], x[30:]) for x in (one, other)]
        seen.append(permutation_test(*systems, "AUC", settings=Settings(resamples=39)).p)
    assert 0.0 < np.mean(np.array(seen) <= 0.1) < 0.2


def test_a_real_difference_is_found_and_by_subject_less_sure():
    rng = np.random.default_rng(8)
    subject = np.repeat([f"s{i}" for i in range(6)], 10)
    ids = {"mated_ids": bt.TrialIds(subject[:30]), "nonmated_ids": bt.TrialIds(subject[30:])}
    a = bt.ScoreSet(rng.normal(3, 1, 30), rng.normal(0, 1, 30), **ids)
    b = bt.ScoreSet(rng.normal(0.2, 1, 30), rng.normal(0, 1, 30), **ids)
    assert permutation_test(a, b, "AUC", settings=Settings(resamples=199)).p <= 0.02
    by_subject = permutation_test(a, b, "AUC", within="subject", settings=Settings(resamples=199))
    assert by_subject.exact
    assert by_subject.permutations == 2**6
    assert by_subject.p >= 2 / 2**6


EXAMPLES = [*(one.example for one in MEASURES.values()), *(f"EER[{name}]" for name in ("nearest", "hull", *PEERS))]


@pytest.mark.parametrize("name", EXAMPLES)
def test_measures_are_the_same_on_ranks_or_refused(name):
    """A measure that is not refused reads the order of scores alone."""
    rng = np.random.default_rng(1)
    a, b = (bt.ScoreSet(rng.normal(1.5, 1, 40).round(1), rng.normal(0, 1, 50).round(1)) for _ in range(2))
    apart = bt.evaluate(b, [name])[name].value - bt.evaluate(a, [name])[name].value
    try:
        found = permutation_test(a, b, name, settings=Settings(resamples=20))
    except bt.InputError as refused:
        assert "scale='scores'" in str(refused)  # noqa: PT017
        apart = permutation_test(a, b, name, scale="scores", settings=Settings(resamples=20)).difference - apart
        assert np.isnan(apart) or apart == pytest.approx(0.0, abs=1e-12)
        return
    assert found.difference == pytest.approx(apart, nan_ok=True, abs=1e-12)


def test_scores_of_one_scale_can_be_swapped_as_they_are():
    a, b = bt.ScoreSet([2, 3, 4], [0, 1]), bt.ScoreSet([3, 4, 5], [0, 1])
    with pytest.raises(bt.InputError, match=r"dprime reads the size of scores.*scale='scores'"):
        permutation_test(a, b, "dprime")
    assert permutation_test(a, b, "dprime", scale="scores").difference > 0
    with pytest.raises(bt.InputError, match=r"FNMR@t=2.5 reads the size"):
        permutation_test(a, b, "FNMR@t=2.5")
    assert permutation_test(a, b, "FNMR@t=2.5", scale="scores").difference == pytest.approx(-1 / 3)


def test_what_cannot_be_tested_is_said():
    a, b = bt.ScoreSet([2, 3], [0, 1]), bt.ScoreSet([3, 4, 5], [0, 1])
    with pytest.raises(bt.InputError, match="different numbers of scores; align"):
        permutation_test(a, b, "EER")
    with pytest.raises(bt.InputError, match="who was compared is not known"):
        permutation_test(a, a, "EER", within="subject")
    with pytest.raises(bt.InputError, match="scale is 'logs'"):
        permutation_test(a, a, "EER", scale="logs")
    failing = bt.ScoreSet([2, 3, np.nan], [0, 1])
    with pytest.raises(bt.InputError, match="counts failures"):
        permutation_test(a, failing, "FRR@FAR=0.1")
    nothing = permutation_test(bt.ScoreSet([], [1]), bt.ScoreSet([], [2]), "EER")
    assert np.isnan(nothing.p)
    assert "undefined" in str(nothing.reason)
