"""Figures as they look: compared with stored pictures, pixel by pixel.

After a change that is meant, make the pictures anew and look at each of them:
    pytest tests/render/figures/test_images.py --mpl-generate-path=tests/render/figures/baseline
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bertillon as bt
from bertillon.stats import Interval

COLUMN = bt.plot.figure_size("column")
pictured = pytest.mark.mpl_image_compare(
    baseline_dir="baseline", style="default", tolerance=2, savefig_kwargs={"dpi": 80, "metadata": {"Software": None}}
)


def scored(name: str, *, mated: float, seed: int) -> bt.Evaluation:
    """Normal scores: the mated ones lie so many standard deviations above the others."""
    rng = np.random.default_rng(seed)
    return bt.evaluate(bt.ScoreSet(rng.normal(mated, 1.0, 200), rng.normal(0.0, 1.0, 1000), name=name))


def classified(name: str, *, lift: float, seed: int) -> bt.Evaluation:
    rng = np.random.default_rng(seed)
    truth = (rng.random(500) < 0.3).astype(int)
    logit = rng.normal(size=500) + lift * truth - 1.0
    return bt.evaluate(bt.Predictions.from_probabilities(truth, 1.0 / (1.0 + np.exp(-logit)), name=name))


def searched(name: str, *, noise: float, seed: int) -> bt.Evaluation:
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(90, 16))
    probes, gallery = (true + noise * rng.normal(size=true.shape) for _ in range(2))
    blocks = [(np.arange(90), np.arange(60), probes @ gallery[:60].T)]
    return bt.evaluate(bt.trials.searches_from_blocks(blocks, np.arange(90), np.arange(60), name=name))


SYSTEMS = {"old": (2.0, 1), "new": (2.8, 2)}


def two() -> list[bt.Evaluation]:
    return [scored(name, mated=mated, seed=seed) for name, (mated, seed) in SYSTEMS.items()]


@pictured
def test_det():
    """DESIGN: zero errors are drawn, half a trial below the dashed line at 1/N."""
    return bt.plot.det(two(), size=COLUMN).figure


@pictured
def test_det_with_a_band():
    x = np.geomspace(0.001, 1.0, 40)
    band = bt.counting.Band(x, np.maximum(0.2 - 0.3 * np.sqrt(x), 0.0), 0.6 - 0.5 * np.sqrt(x))
    return bt.plot.det(two()[0], bands=band, size=COLUMN).figure


@pictured
def test_roc_log():
    return bt.plot.roc(two(), scale="log", size=COLUMN).figure


@pictured
def test_errors():
    """SPEC V2."""
    return bt.plot.errors(two()[0], size=COLUMN).figure


@pictured
def test_distributions():
    """SPEC V9."""
    return bt.plot.distributions(two()[0], size=COLUMN).figure


@pictured
def test_cmc():
    """SPEC C2."""
    return bt.plot.cmc([searched("near", noise=0.5, seed=1), searched("far", noise=0.9, seed=2)], size=COLUMN).figure


@pictured
def test_watch_list():
    """SPEC O4."""
    return bt.plot.watch_list(searched("near", noise=0.5, seed=1), size=COLUMN).figure


@pictured
def test_precision_recall():
    """SPEC K6."""
    return bt.plot.pr(classified("a classifier", lift=2.0, seed=3), size=COLUMN).figure


@pictured
def test_reliability():
    """SPEC K7."""
    return bt.plot.reliability(classified("a classifier", lift=2.0, seed=3), size=COLUMN).figure


@pictured
def test_confusion():
    """SPEC K1."""
    return bt.plot.confusion(classified("a classifier", lift=2.0, seed=3), size=COLUMN).figure


@pictured
def test_groups():
    """A dot without an interval stands alone."""
    first, second = two()
    first = replace(first, intervals={"EER": Interval(0.1, 0.2)})
    return bt.plot.groups([first, second], "EER", size=COLUMN).figure


@pictured
def test_quality():
    """SPEC R2."""
    evaluation = two()[0]
    mated, nonmated = evaluation.trials.mated, evaluation.trials.nonmated
    return bt.plot.quality(evaluation, mated - 2.0, np.sin(nonmated), size=COLUMN).figure
