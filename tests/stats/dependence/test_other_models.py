"""U1: the beta-binomial model and the variance of ISO/IEC 19795-1."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.core.errors import InputError
from bertillon.measures.base import NO_TRIALS
from bertillon.stats.dependence.annex_b import annex_b
from bertillon.stats.dependence.beta_binomial import BetaBinomial, beta_binomial
from bertillon.stats.dependence.shared_people import rate_of_subjects
from bertillon.stats.proportion import proportion

subjects = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)).filter(lambda row: row[0] <= row[1]), min_size=2)


def test_U1_beta_binomial_by_hand():
    """STANDARDS 1: p .02, n 100, m 10, rho .1: V 3.724e-5, n_eff 526.316, log odds [.0109646, .0362083], Wilson
    [.0110637, .0358924]; naive Wilson [.0129837, .0306900]."""
    model = BetaBinomial(rate=0.02, correlation=0.1, subjects=100, trials=1000, attempts=10)
    assert model.variance == pytest.approx(3.724e-5, rel=1e-9)
    assert model.effective_trials == pytest.approx(526.316, abs=5e-4)
    logit, wilson = model.logit(), model.wilson()
    assert (logit.low, logit.high) == (pytest.approx(0.0109646, abs=5e-8), pytest.approx(0.0362083, abs=5e-8))
    assert (wilson.low, wilson.high) == (pytest.approx(0.0110637, abs=5e-8), pytest.approx(0.0358924, abs=5e-8))
    naive = proportion(20, 1000, method="wilson")
    assert (naive.low, naive.high) == (pytest.approx(0.0129837, abs=5e-8), pytest.approx(0.0306900, abs=5e-8))


def test_U1_the_correlation_by_moments_by_hand():
    """Errors {3, 0, 0, 1} of 3 each: B = 2/3, W = 1/12, (B - W) / (B + 2 W) = .7."""
    model = beta_binomial([3, 0, 0, 1], [3, 3, 3, 3])
    assert model.correlation == pytest.approx(0.7)
    assert (model.rate, model.subjects, model.trials, model.attempts) == (pytest.approx(1 / 3), 4, 12, 3.0)
    assert model.effective_trials == pytest.approx(12 / (1 + 2 * 0.7))


def test_U1_the_correlation_of_unequal_numbers_of_attempts_by_hand():
    """Errors {2, 0, 1} of {2, 4, 6}, p = 1/4: B = (9/8 + 1/4 + 1/24) / 2, W = (5/6) / 9, m = (12 - 56/12) / 2."""
    between, within, attempts = (9 / 8 + 1 / 4 + 1 / 24) / 2, 5 / 6 / 9, (12 - 56 / 12) / 2
    expected = (between - within) / (between + (attempts - 1) * within)
    model = beta_binomial([2, 0, 1], [2, 4, 6])
    assert model.correlation == pytest.approx(expected)
    assert model.attempts == pytest.approx(56 / 12)


def test_U1_the_correlation_is_found_again_against_theory():
    """3,000 subjects of 3 to 12 attempts, rates from Beta(1, 9): rho = 1 / (1 + 9 + 1)."""
    rng = np.random.default_rng(2)
    attempts = rng.integers(3, 13, size=3000)
    model = beta_binomial(rng.binomial(attempts, rng.beta(1, 9, size=3000)), attempts)
    assert model.correlation == pytest.approx(1 / 11, abs=0.01)
    assert model.rate == pytest.approx(0.1, abs=0.01)


def test_U1_the_model_and_the_clusters_agree_on_many_subjects_against_theory():
    rng = np.random.default_rng(3)
    attempts = rng.integers(1, 9, size=5000)
    errors = rng.binomial(attempts, rng.beta(0.5, 4.5, size=5000))
    model, clusters = beta_binomial(errors, attempts), rate_of_subjects(errors, attempts)
    assert model.variance == pytest.approx(clusters.variance, rel=0.06)


@given(subjects)
def test_U1_beta_binomial_intervals_hold_the_rate(rows):
    errors, trials = zip(*rows, strict=True)
    model = beta_binomial(errors, trials)
    assert model.effective_trials <= model.trials + 1e-9
    for found in (model.wilson(), model.logit()):
        assert 0.0 <= found.low <= model.rate + 1e-12
        assert model.rate - 1e-12 <= found.high <= 1.0
    for side, end in (("upper", "high"), ("lower", "low")):
        assert model.logit(side=side).holds(model.rate)
        assert getattr(model.logit(0.95, side), end) == pytest.approx(getattr(model.logit(0.9), end), abs=1e-12)


def test_U1_without_errors_a_subject_is_one_trial_by_hand():
    for found in (beta_binomial([0] * 30, [5] * 30).logit(), beta_binomial([0] * 30, [5] * 30).wilson()):
        assert (found.low, found.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 30)))
        assert str(found.reason) == "no error was observed"
    assert beta_binomial([5] * 30, [5] * 30).wilson().low == pytest.approx(0.025 ** (1 / 30))
    assert math.isnan(beta_binomial([0] * 30, [5] * 30).correlation)


def test_U1_beta_binomial_without_trials_or_with_a_known_correlation():
    assert beta_binomial([], []).wilson().reason == beta_binomial([0], [0]).logit().reason == NO_TRIALS
    assert beta_binomial([1, 0], [2, 2], correlation=0.0).effective_trials == 4
    assert beta_binomial([1, 0], [2, 2], correlation=1.0).effective_trials == 2
    with pytest.raises(InputError, match=r"correlation is 1\.5"):
        beta_binomial([1, 0], [2, 2], correlation=1.5)


# ISO/IEC 19795-1 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("errors", "upper"), [(5, 0.04501), (6, 0.0523)])
def test_U1_one_attempt_a_subject_by_hand(errors, upper):
    """STANDARDS 1: 174 subjects, 5 rejections, 80 %: .045 (published); .0523 for 6."""
    found = annex_b([1] * errors + [0] * (174 - errors), [1] * 174)
    rate = errors / 174
    assert found.variance == pytest.approx(rate * (1 - rate) / 173)
    assert found.interval(level=0.8).high == pytest.approx(upper, abs=6e-5)


def test_U1_several_attempts_a_subject_by_hand():
    """[sum a^2 / (m^2 n) - p^2] / (n - 1) for errors {2, 0, 1, 0} of 3: p = 1/4, (5/36 - 1/16) / 3."""
    assert annex_b([2, 0, 1, 0], [3] * 4).variance == pytest.approx((5 / 36 - 1 / 16) / 3)


@given(subjects)
def test_U1_annex_b_is_the_variance_of_clusters_but_for_one_subject(rows):
    """With n / (n - 1) in place of 1."""
    errors, trials = zip(*rows, strict=True)
    clusters, n = rate_of_subjects(errors, trials), len(trials)
    assert annex_b(errors, trials).variance == pytest.approx(clusters.variance * n / (n - 1), abs=1e-12)


def test_U1_annex_b_at_its_ends():
    none = annex_b([0] * 50, [2] * 50).interval()
    assert (none.low, none.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 50)))
    assert str(none.reason) == "no error was observed"
    assert annex_b([2] * 50, [2] * 50).interval().high == 1.0
    assert str(annex_b([], []).interval().reason) == "no trials"
    assert str(annex_b([1], [2]).interval().reason) == "one subject alone says nothing about others"
    found = annex_b([2, 0, 0, 0, 0, 0], [2] * 6)
    assert found.interval().low == 0.0  # cut
    assert found.interval(side="upper").low == 0.0
    assert found.interval(side="lower").high == 1.0
