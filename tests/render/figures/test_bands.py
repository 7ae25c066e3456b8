"""Bands on axes: where they lie, that every curve can have one, and that none is dropped on the way."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import to_rgb

import bertillon as bt
from bertillon.render import colour
from bertillon.views import Axis, clipped, rate_axis, shade_of

GRID = [0.0, 0.01, 0.1, 1.0]
BAND = bt.counting.Band(GRID, [0.0, 0.2, 0.1, 0.0], [1.0, 0.6, 0.5, 0.1])


def fills(axes) -> list[FillBetweenPolyCollection]:
    return [one for one in axes.get_children() if isinstance(one, FillBetweenPolyCollection)]


@pytest.fixture(scope="module")
def scored() -> bt.Evaluation:
    rng = np.random.default_rng(1)
    return bt.evaluate(bt.ScoreSet(rng.normal(2, 1, 100), rng.normal(0, 1, 400), name="scored"))


@pytest.fixture(scope="module")
def searched() -> bt.Evaluation:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(30, 20)) + 2.0 * np.eye(30, 20)
    blocks = [(np.arange(30), np.arange(20), scores)]
    return bt.evaluate(bt.trials.searches_from_blocks(blocks, np.arange(30), np.arange(20), name="searched"))


def test_ends_beyond_a_log_axis_lie_on_its_edge_by_hand() -> None:
    axis = Axis("FMR", 0.001, 1.0, "log")
    found = shade_of(BAND, axis, Axis("FNMR", 0.0, 1.0))
    assert found.x.tolist() == [0.001, 0.01, 0.1, 1.0]
    assert found.low.tolist() == [0.0, 0.2, 0.1, 0.0]
    assert found.words == "95 % band, pointwise"


def test_ends_on_normal_axes_are_deviates_against_scipy() -> None:
    from scipy.stats import norm

    axis = rate_axis("FMR", "normal", 1000)
    assert clipped([0.0, 1.0], axis).tolist() == list(axis.limits)
    assert clipped(0.02, axis) == pytest.approx(norm.ppf(0.02))


def test_every_curve_can_have_a_band(scored, classified, searched) -> None:
    ranks = bt.counting.Band(np.arange(1, 21), np.full(20, 0.2), np.full(20, 0.9))
    drawn = {
        "roc": partial(bt.plot.roc, scored, bands=BAND),
        "roc log": partial(bt.plot.roc, scored, bands=BAND, scale="log"),
        "det": partial(bt.plot.det, scored, bands=BAND),
        "det log": partial(bt.plot.det, scored, bands=BAND, scale="log"),
        "class roc": partial(bt.plot.roc, classified, bands=BAND),
        "class det": partial(bt.plot.det, classified, bands=BAND),
        "pr": partial(bt.plot.pr, classified, bands=BAND),
        "reliability": partial(bt.plot.reliability, classified, bands=BAND),
        "risk": partial(bt.plot.risk_coverage, classified, bands=BAND),
        "cost curve": partial(bt.plot.cost, classified, bands=BAND),
        "cost": partial(bt.plot.cost, classified, bands=BAND, costs={"fn": 5, "fp": 1}),
        "cmc": partial(bt.plot.cmc, searched, bands=ranks),
        "watch list": partial(bt.plot.watch_list, searched, bands=BAND),
    }
    for name, draw in drawn.items():
        assert len(fills(draw(size=(4, 3)))) == 1, name


def test_bands_of_both_errors_by_threshold(scored) -> None:
    fmr, fnmr = (
        bt.counting.Band([0, 1], [0.2, 0.1], [0.4, 0.2]),
        bt.counting.Band([0, 1], [0.0, 0.1], [0.1, 0.3], level=0.9),
    )
    axes = bt.plot.errors(scored, fmr_band=fmr, fnmr_band=fnmr)
    assert len(fills(axes)) == 2


def test_a_band_has_the_colour_of_its_curve_and_lies_behind_it(scored) -> None:
    axes = bt.plot.det([scored, scored], bands=[None, BAND])
    (fill,) = fills(axes)
    assert tuple(fill.get_facecolor()[0][:3]) == pytest.approx(to_rgb(colour(1)))
    assert fill.get_alpha() < 0.3
    assert all(line.get_zorder() > fill.get_zorder() for line in axes.get_lines())


def test_a_cmc_shows_the_whole_band(searched) -> None:
    band = bt.counting.Band([1, 20], [0.05, 0.5], [0.5, 1.0])
    low, high = bt.plot.cmc(searched, bands=band).get_ylim()
    assert low <= 0.05
    assert high >= 1.0


def test_a_system_that_cannot_be_drawn_has_no_band(scored) -> None:
    empty = bt.evaluate(bt.ScoreSet([1.0, 2.0], []), ["EER"])
    assert fills(bt.plot.det(empty, bands=BAND)) == []
    assert fills(bt.plot.det([scored, empty], bands=[None, BAND])) == []
