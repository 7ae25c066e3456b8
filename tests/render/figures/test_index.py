"""The trade-off of an approximate index: what is drawn is what was measured."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.evaluation import Effort, IndexedSearch
from bertillon.render import figures_of, save_all
from bertillon.views import Label, Line, Spot, trade_off_panel

POINTS = (
    Effort(1, 8000.0, 0.5, 0.5, 0.4, 0.3, 0.1),
    Effort(8, 3000.0, 0.995, 0.89, 0.01, 0.4, 0.0),
    Effort(64, 900.0, 1.0, 0.9, 0.0, 0.4, 0.0),
)


def indexed(points=POINTS, effort: int = 8) -> IndexedSearch:
    searches = bt.SearchSet.from_ranks([1, 2], gallery_size=9)
    return IndexedSearch(searches, "ivf", effort, 1000, 200.0, points)


def test_losses_by_speed_by_hand() -> None:
    data = trade_off_panel(indexed())
    first, second = data.of(Line)
    assert (first.name, second.name) == ("RR", "DIR@FPIR=0.01,k=1")
    np.testing.assert_allclose(first.x, [8000, 3000, 900])
    np.testing.assert_allclose(first.y, [40, 1, 0])
    np.testing.assert_allclose(second.y, [10, 0, 0])
    used, *_, exact = data.of(Spot)
    assert (used.x, used.y) == (3000.0, pytest.approx(1.0))
    assert (exact.x, exact.y) == (200.0, 0.0)
    assert [label.text for label in data.of(Label)] == ["1", "8", "64"]
    assert data.x.limits == (100.0, 10000.0)
    assert data.y.low < 0.0 < 40.0 < data.y.high


def test_without_non_enrolled_searches_there_is_one_line() -> None:
    closed = tuple(Effort(p.effort, p.searches_a_second, 1.0, 1.0, 0.0, math.nan, math.nan) for p in POINTS)
    data = trade_off_panel(indexed(closed))
    assert [line.name for line in data.of(Line)] == ["RR"]
    assert data.y.high >= 0.1  # nothing is lost, and there is an axis all the same


def test_every_point_and_the_effort_used_are_drawn(tmp_path: Path) -> None:
    axes = bt.plot.index(indexed())
    drawn = [line.get_xydata().tolist() for line in axes.lines]
    assert [3000.0, pytest.approx(1.0)] in drawn[1]  # the ring
    assert [200.0, 0.0] in drawn[-1]
    assert {text.get_text() for text in axes.texts} >= {"1", "8", "64"}
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["RR", "DIR@FPIR=0.01,k=1", "exact search"]
    paths = save_all(figures_of("index", [indexed(), indexed()]), tmp_path, formats=["svg"])
    assert [path.name for path in paths] == ["index.svg"]


def test_what_is_no_index_is_refused() -> None:
    with pytest.raises(InputError, match="expected IndexedSearch, which"):
        bt.plot.index(bt.SearchSet.from_ranks([1], gallery_size=2))
