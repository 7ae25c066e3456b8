"""Weights of units: what each scheme promises, and the same rows whoever draws them (U1)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from bertillon.core import InputError
from bertillon.stats import SCHEMES, Draw, Purpose, subject_weights, weights_of


def test_multinomial_takes_as_many_units_as_there_are() -> None:
    weights = subject_weights(30, 200, seed=3)
    assert weights.shape == (200, 30)
    assert (weights.sum(axis=1) == 30).all()
    assert weights.min() == 0
    assert weights.mean(axis=0) == pytest.approx(1.0, abs=0.35)  # sd of the mean of 200 is 0.07
    assert weights.var() == pytest.approx(29 / 30, abs=0.08)


def test_double_or_nothing_is_a_coin() -> None:
    weights = subject_weights(50, 400, seed=1, scheme="double-or-nothing")
    assert set(np.unique(weights)) == {0, 2}
    assert weights.mean() == pytest.approx(1.0, abs=0.03)


def test_leave_one_out_by_hand() -> None:
    assert subject_weights(3, 3, seed=9, scheme="leave-one-out").tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


def test_products_of_signs_do_not_share_what_their_pairs_share() -> None:
    signs = subject_weights(3, 5000, seed=2, scheme="signs").astype(float)
    products = np.stack([signs[:, 0] * signs[:, 1], signs[:, 0] * signs[:, 2], signs[:, 1] * signs[:, 2]])
    assert np.cov(products) == pytest.approx(np.eye(3), abs=0.06)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_any_rows_are_the_same_wherever_they_are_drawn(scheme: str) -> None:
    whole = subject_weights(17, 12, seed=5, scheme=scheme)
    assert (weights_of(17, Draw(range(7, 12), 5, scheme)) == whole[7:]).all()
    assert (subject_weights(17, 12, seed=5, scheme=scheme) == whole).all()


def random_numbers(seed: int, resample: int, purpose: Purpose = Purpose.UNITS) -> NDArray[np.float64]:
    return next(Draw(range(resample, resample + 1), seed).streams(purpose)).random(4)


def test_seeds_resamples_and_purposes_differ() -> None:
    first = random_numbers(1, 0)
    for other in (random_numbers(2, 0), random_numbers(1, 1), random_numbers(1, 0, Purpose.COINS)):
        assert (other != first).all()


def test_no_units_and_strange_schemes() -> None:
    assert subject_weights(0, 5, seed=0).shape == (5, 0)
    with pytest.raises(InputError, match="scheme of weights is 'jackknife'; expected one of multinomial"):
        subject_weights(3, 3, seed=0, scheme="jackknife")
