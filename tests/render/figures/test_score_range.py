"""Which scores are shown: skewed ones on a bent axis, all others evenly; and of how many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import AcceptRule
from bertillon.views import distribution_panel, rates_panel, score_distribution, system_of


def system(mated, nonmated, **how):
    return system_of(bt.evaluate(bt.ScoreSet(mated, nonmated, name="x", **how)))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("rule", AcceptRule)
def test_ratios_are_shown_on_a_bent_axis(rng, rule: AcceptRule) -> None:
    mated, nonmated = np.exp(rng.normal(5, 1.5, 2000)), np.exp(rng.normal(0, 1.2, 5000))
    if rule is AcceptRule.DISTANCE:
        mated, nonmated = nonmated[:2000], np.append(mated, mated)
    found = system(mated, nonmated, rule=rule)
    data = score_distribution(found)
    assert data.axis.scale == "asinh"
    assert data.axis.linear > 0
    assert sum(map(np.sum, data.counts)) == found.scores.size  # nothing is cut off
    assert any("logarithmic beyond" in note for note in data.notes)
    for density in (data.mated, data.nonmated):
        assert (density > density.max() / 10).sum() >= 8  # a shape, and not a spike
        widths = np.diff(np.arcsinh(data.edges / data.axis.linear))
        assert (density * widths).sum() == pytest.approx(1.0)
    assert rates_panel(found).x.scale == "asinh"


@pytest.mark.parametrize("apart", [2.0, 1000.0])
def test_others_lie_evenly(rng, apart: float) -> None:
    """Also two narrow heaps, which no axis could widen."""
    data = score_distribution(system(rng.normal(apart, 1, 500), rng.normal(0, 1, 500)))
    assert data.axis.scale == "linear"
    assert not any("logarithmic" in note for note in data.notes)


def test_bins_of_whole_numbers_lie_between_them(rng) -> None:
    scores = np.floor(np.exp(rng.normal(5, 1, 2000))), np.floor(np.exp(rng.normal(1, 0.8, 5000)))
    data = score_distribution(system(*scores))
    assert data.axis.scale == "asinh"
    assert np.all(data.edges % 1 == 0.5)
    assert data.edges[0] < min(map(np.min, scores))
    assert data.edges[-1] == max(map(np.max, scores)) + 0.5
    assert [int(counted.sum()) for counted in data.counts] == [2000, 5000]


def test_names_carry_the_numbers_of_the_data_and_not_of_the_sample(rng) -> None:
    whole = system(rng.normal(2, 1, 300), rng.normal(0, 1, 5000))
    kept = replace(whole, scores=bt.ScoreSet(whole.scores.mated, whole.scores.nonmated[:800]))
    data = score_distribution(kept)
    names = {mark.name for mark in distribution_panel(data).marks if getattr(mark, "name", "")}
    assert names == {"mated (300)", "non-mated (5,000)"}
    assert "non-mated: drawn from a sample of 800 scores" in data.notes
    assert not any("mated: drawn" in note and "non-" not in note for note in data.notes)
