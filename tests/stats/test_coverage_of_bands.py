"""U1: how often bands hold the true curve, on simulated people: at each place, and everywhere at once.

A pointwise band read as if it were about the whole curve is shown beside, to see that the simulation can tell. The slow
tests have runs enough to see a few percent; the fast ones see a gross mistake.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import norm

import bertillon as bt
from bertillon.counting import Band
from bertillon.stats import Settings
from bertillon.trials import simulate, simulate_searches


class Coverage(NamedTuple):
    """Shares of runs: of places in a pointwise band, of whole curves in it, of whole curves in a simultaneous one."""

    places: float
    whole_in_pointwise: float
    whole: float


Draw = Callable[[int, Settings, str], Band]


def coverage(draw: Draw, truth: np.ndarray, *, runs: int, resamples: int) -> Coverage:
    held = {"pointwise": [], "simultaneous": []}
    for run in range(runs):
        for kind, inside in held.items():
            band = draw(run, Settings(resamples=resamples, seed=run), kind)
            inside.append((band.low <= truth) & (truth <= band.high))
    pointwise, whole = (np.array(inside) for inside in held.values())
    return Coverage(pointwise.mean(), pointwise.all(axis=1).mean(), whole.all(axis=1).mean())


def of_det(places: int, *, runs: int, resamples: int, **people: float) -> Coverage:
    grid = np.geomspace(0.004, 0.8, places)
    truth = simulate("subjects", mated=1, nonmated=1, rng=0, **people).truth
    sizes = {"mated": 10 * int(people["subjects"]), "nonmated": 60 * int(people["subjects"])}

    def draw(run: int, settings: Settings, kind: str) -> Band:
        return bt.stats.det_band(
            simulate("subjects", rng=run, **sizes, **people).scores, grid, settings=settings, kind=kind
        )

    return coverage(draw, np.array([truth.fnmr_at_fmr(rate) for rate in grid]), runs=runs, resamples=resamples)


def of_searches(curve: str, *, runs: int, resamples: int) -> Coverage:
    people = {"subjects": 60, "strangers": 60, "probes": 4, "gallery": 80, "dprime": 2.5}
    truth = simulate_searches(rng=0, **people).truth
    if curve == "cmc":
        grid = np.array([1, 2, 3, 5, 8, 12, 20])
        true, made = [truth.cms(int(rank)) for rank in grid], bt.stats.cmc_band
    else:
        grid = np.geomspace(0.03, 0.9, 8)
        true, made = [truth.dir_at_fpir(rate) for rate in grid], bt.stats.watch_list_band

    def draw(run: int, settings: Settings, kind: str) -> Band:
        return made(simulate_searches(rng=run, **people).searches, grid, settings=settings, kind=kind)

    return coverage(draw, np.array(true), runs=runs, resamples=resamples)


def of_precision(*, runs: int, resamples: int) -> Coverage:
    """Normal scores two apart, one positive in five."""
    grid = np.linspace(0.1, 0.9, 9)
    alarms = norm.sf(norm.isf(grid, loc=2.0))
    truth = 0.2 * grid / (0.2 * grid + 0.8 * alarms)

    def draw(run: int, settings: Settings, kind: str) -> Band:
        rng = np.random.default_rng(run)
        label = (rng.random(500) < 0.2).astype(int)
        predictions = bt.Predictions.from_scores(label, rng.standard_normal(500) + 2.0 * label)
        return bt.stats.pr_band(predictions, grid, settings=settings, kind=kind)

    return coverage(draw, truth, runs=runs, resamples=resamples)


def of_reliability(*, runs: int) -> Coverage:
    """Probabilities that mean what they say, in ten values so that every bin has one truth."""
    values = np.arange(10) / 10 + 0.05

    def draw(run: int, settings: Settings, kind: str) -> Band:
        rng = np.random.default_rng(run)
        p = rng.permutation(np.repeat(values, 40))
        return bt.stats.reliability_band(
            bt.Predictions.from_probabilities((rng.random(p.size) < p).astype(int), p), settings=settings, kind=kind
        )

    return coverage(draw, values, runs=runs, resamples=20)


def test_U1_bands_of_a_det_against_theory():
    found = of_det(8, runs=24, resamples=60, subjects=30)
    assert found.places > 0.85
    assert found.whole > 0.8
    assert found.whole_in_pointwise < 0.92


@pytest.mark.slow
@pytest.mark.parametrize(
    "people",
    [
        {"subjects": 60},
        {"subjects": 120, "dprime": 3.0},
        {"subjects": 40, "goat": 0.1, "lamb": 0.05, "wolf": 0.05},
    ],
)
def test_U1_bands_of_a_det_at_several_sizes_against_theory(people):
    """120 runs know a share of 95 % to 2 %."""
    found = of_det(25, runs=120, resamples=200, **people)
    assert 0.91 <= found.places <= 0.985
    assert found.whole >= 0.90
    assert found.whole_in_pointwise < 0.85


@pytest.mark.parametrize("curve", ["cmc", "watch list"])
def test_U1_bands_of_searches_against_theory(curve):
    found = of_searches(curve, runs=15, resamples=60)
    assert found.places > 0.8
    assert found.whole > 0.75


@pytest.mark.slow
@pytest.mark.parametrize("curve", ["cmc", "watch list"])
def test_U1_bands_of_searches_with_many_runs_against_theory(curve):
    found = of_searches(curve, runs=200, resamples=200)
    assert 0.92 <= found.places <= 0.985
    assert 0.91 <= found.whole <= 0.995
    assert found.whole_in_pointwise < found.whole


def test_U1_bands_of_precision_against_theory():
    found = of_precision(runs=20, resamples=60)
    assert found.places > 0.85
    assert found.whole > 0.8


@pytest.mark.slow
def test_U1_bands_of_precision_with_many_runs_against_theory():
    found = of_precision(runs=300, resamples=200)
    assert 0.92 <= found.places <= 0.98
    assert 0.92 <= found.whole <= 0.99
    assert found.whole_in_pointwise < 0.85


def test_U1_bands_of_reliability_against_theory():
    """Clopper-Pearson covers at least what it says, whatever the number of bins."""
    found = of_reliability(runs=150)
    assert 0.95 <= found.places <= 0.99
    assert found.whole > 0.93
    assert found.whole_in_pointwise < 0.85
