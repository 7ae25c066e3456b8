"""Systems to draw: small ones by hand, degenerate ones, and how to make one from scores or searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot

import bertillon as bt
from bertillon.counting import ErrorCurve, count_errors, crossing
from bertillon.measures import OpenEqualErrorRate
from bertillon.trials import ScoreSet, SearchSet, SearchTally, searches_from_blocks
from bertillon.views import Searches, System

MakeSystem = Callable[..., System]
MakeSearches = Callable[..., Searches]

T1_MATED = (0.35, 0.55, 0.60, 0.80, 0.90)
T1_NONMATED = (0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.45, 0.50, 0.65)

DEGENERATE: dict[str, tuple[Sequence[float], Sequence[float]]] = {
    "all tied": ([1.0] * 3, [1.0] * 4),
    "separable": ([5.0, 6.0, 7.0], [1.0, 2.0, 3.0, 3.5]),
    "one mated": ([0.7], [0.1, 0.2, 0.8]),
    "two scores": ([1.0], [0.0]),
    "two scores, wrong way round": ([0.0], [1.0]),
    "two tied scores": ([1.0], [1.0]),
    "no non-mated": ([0.1, 0.5, 0.5], []),
    "no mated": ([], [0.1, 0.5, 0.5]),
    "one mated only": ([0.5], []),
    "nothing": ([], []),
    "infinities": ([np.inf, 1.0, 2.0, -np.inf], [-np.inf, 1.5, 0.0, np.inf]),
    "nothing finite": ([np.inf, np.inf], [-np.inf, np.inf]),
    "very large": ([1e308, 2.0], [-1e308, 1.0]),
    "very small": ([3e-320, 1e-310], [0.0, 5e-324]),
    "almost tied": ([1.0 + 2**-52, 1.0], [1.0, 1.0 - 2**-53]),
    "an outlier": ([*np.linspace(0.5, 1.0, 3000), -9999.0], list(np.linspace(0.0, 0.6, 5000))),
    "whole numbers": ([5, 6, 7, 7, 9], [0, 1, 1, 2, 5]),
}


def _system(
    mated: Any, nonmated: Any, *, name: str = "a system", rule: str = "similarity", threshold: float | None = None
) -> System:
    scores = ScoreSet(mated, nonmated, rule=rule)
    curve = ErrorCurve(count_errors(scores), scores.rule)
    counts = curve.counts
    if not (counts.n_mated and counts.n_nonmated):
        return System(name, curve, scores)
    before, after, share = crossing(counts.false_match, counts.false_nonmatch, counts.n_mated, counts.n_nonmated)
    eer = float(curve.fmr[before] + share * (curve.fmr[after] - curve.fmr[before]))
    return System(name, curve, scores, float(curve.threshold[after]) if threshold is None else threshold, eer)


@pytest.fixture(scope="session")
def classified() -> bt.Evaluation:
    rng = np.random.default_rng(1)
    truth = (rng.random(200) < 0.4).astype(int)
    return bt.evaluate(bt.Predictions.from_probabilities(truth, (0.3 * truth + rng.random(200)) / 1.3, name="c"))


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """No figure stays the current one from test to test."""
    yield
    pyplot.close("all")


@pytest.fixture(scope="session")
def make_system() -> MakeSystem:
    return _system


@pytest.fixture(scope="session")
def t1() -> System:
    return _system(T1_MATED, T1_NONMATED, name="T1")


@pytest.fixture(params=DEGENERATE)
def degenerate_scores(request: pytest.FixtureRequest) -> tuple[Sequence[float], Sequence[float]]:
    return DEGENERATE[request.param]


DEGENERATE_SEARCHES: dict[str, tuple[Any, Sequence[int], int]] = {  # scores, the person of each probe, gallery
    "one identity": ([[0.9], [0.8], [0.3]], [0, 0, 5], 1),
    "one probe": ([[0.2, 0.9, 0.4]], [0], 3),
    "one identity and one probe": ([[0.9]], [0], 1),
    "one outsider": ([[0.9]], [5], 1),
    "no non-enrolled": ([[0.9, 0.1], [0.2, 0.8]], [0, 1], 2),
    "no enrolled": ([[0.9, 0.1], [0.2, 0.8]], [5, 6], 2),
    "all tied": (np.ones((4, 3)), [0, 1, 5, 6], 3),
    "always right": ([[5, 1], [1, 5], [0, 0], [0, 0]], [0, 1, 5, 6], 2),
    "always wrong": ([[0, 5], [5, 0], [9, 9], [9, 9]], [0, 1, 5, 6], 2),
    "infinities": ([[np.inf, 0], [0, -np.inf], [np.inf, 1], [-np.inf, 1]], [0, 1, 5, 6], 2),
    "failed comparisons": ([[np.nan, 0.5], [0.2, 0.8], [np.nan, 0.1]], [0, 1, 5], 2),
}


def _searches(scores: Any, people: Sequence[int], gallery: int, *, name: str = "a system") -> Searches:
    """Searches of probes, given the person of each, in a gallery of the people 0, 1, 2 and so on."""
    matrix = np.asarray(scores, dtype=np.float64)
    blocks = [(np.arange(len(people)), np.arange(gallery), matrix)]
    return _drawn(searches_from_blocks(blocks, people, np.arange(gallery), name=name))


def _drawn(searches: SearchSet) -> Searches:
    tally = SearchTally(searches)
    return Searches.of(tally, OpenEqualErrorRate().of(tally).value)


def _random_searches(
    people: int = 60, outsiders: int = 40, *, noise: float = 1.0, seed: int = 1, name: str = "a system"
) -> Searches:
    """Searches by the likeness of noisy vectors."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(people + outsiders, 16))
    probes, gallery = (true + noise * rng.normal(size=true.shape) for _ in range(2))
    return _searches(probes @ gallery[:people].T, range(people + outsiders), people, name=name)


@pytest.fixture(scope="session")
def make_searches() -> MakeSearches:
    return _searches


@pytest.fixture(scope="session")
def random_searches() -> MakeSearches:
    return _random_searches


@pytest.fixture(scope="session")
def closed_set() -> Searches:
    return _drawn(SearchSet.from_ranks([1, 1, 3, 2], gallery_size=4))


@pytest.fixture(params=DEGENERATE_SEARCHES)
def degenerate_searches(request: pytest.FixtureRequest) -> Searches:
    return _searches(*DEGENERATE_SEARCHES[request.param], name=request.param)
