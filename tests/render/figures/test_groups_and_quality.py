"""Groups as dots with intervals, and scores by quality."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.stats import Interval
from bertillon.views import FEWEST, Line, measure_rows, quality_panel, system_of


def evaluated(name: str, mated=(0.4, 0.6, 0.8), nonmated=(0.1, 0.5), measures=("FNMR@t=0.5", "AUC")) -> bt.Evaluation:
    return bt.evaluate(bt.ScoreSet(mated, nonmated, name=name), measures)


def test_rates_are_in_percent_and_intervals_with_them_by_hand() -> None:
    first = replace(evaluated("first"), intervals={"FNMR@t=0.5": Interval(0.1, 0.6, level=0.9)})
    data = measure_rows([first, evaluated("second")], "FNMR@t=0.5")
    assert data.rows[0].value == pytest.approx(100 / 3)
    assert data.rows[0].ends == (10.0, 60.0)
    assert data.rows[1].ends is None
    assert data.axis.label == "FNMR@t=0.5 in %"
    assert data.axis.limits[0] < 10.0 < 60.0 < data.axis.limits[1]
    assert data.notes == ("lines: 90 % intervals",)


def test_numbers_that_are_no_rates_stay_as_they_are() -> None:
    data = measure_rows([evaluated("one")], "AUC")
    assert data.axis.label == "AUC"
    assert data.rows[0].value == pytest.approx(5 / 6)
    assert data.axis.limits[0] < 5 / 6 < data.axis.limits[1]
    assert data.notes == ()


def test_an_undefined_value_has_no_dot_but_says_why() -> None:
    empty = evaluated("empty", mated=[])
    axes = bt.plot.groups([evaluated("full"), empty], "FNMR@t=0.5")
    assert [one.get_text().strip() for one in axes.texts] == [str(empty.results["FNMR@t=0.5"].reason)]
    assert len(axes.get_lines()) == 1
    assert math.isnan(measure_rows([empty], "FNMR@t=0.5").rows[0].value)


def test_the_first_group_is_on_top_and_names_are_plain_text() -> None:
    axes = bt.plot.groups([evaluated("$a_1$"), evaluated("b")], "AUC")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["$a_1$", "b"]
    assert not axes.get_yticklabels()[0].get_parse_math()
    top, bottom = axes.get_ylim()[1], axes.get_ylim()[0]
    assert top < bottom


def test_medians_and_ranges_by_quality_against_numpy() -> None:
    rng = np.random.default_rng(3)
    mated, quality = rng.normal(2, 1, 400), rng.random(400)
    evaluation = bt.evaluate(bt.ScoreSet(mated, rng.normal(0, 1, 40), name="q"))
    data = quality_panel(system_of(evaluation), quality, np.linspace(0, 1, 40))
    lowest = np.argsort(quality)[:FEWEST]
    first, second = data.of(Line)
    assert first.x.size == 400 // FEWEST
    assert first.y[0] == pytest.approx(np.median(mated[lowest]))
    assert first.shade.high[0] == pytest.approx(np.percentile(mated[lowest], 95))
    assert second.x.size == 2


def test_equal_qualities_stay_together() -> None:
    scores = np.arange(100.0)
    evaluation = bt.evaluate(bt.ScoreSet(scores, scores, name="q"))
    data = quality_panel(system_of(evaluation), np.repeat([1.0, 2.0], 50), np.ones(100))
    first, second = data.of(Line)
    assert first.x.tolist() == [1.0, 2.0]
    assert first.y.tolist() == [24.5, 74.5]
    assert second.y.tolist() == [49.5]


def test_a_class_without_scores_is_drawn_as_nothing() -> None:
    evaluation = bt.evaluate(bt.ScoreSet([1.0, 2.0], [], name="q"))
    assert bt.plot.quality(evaluation, [0.1, 0.2], [])


@pytest.mark.parametrize(
    ("mated", "said"),
    [
        ([0.1], "1 qualities for 3 mated scores; expected one each"),
        ([0.1, 0.2, math.nan], "a mated quality is nan; expected numbers"),
    ],
)
def test_wrong_qualities_are_said(mated, said) -> None:
    with pytest.raises(InputError) as error:
        bt.plot.quality(evaluated("q"), mated, [0.5, 0.5])
    assert said in str(error.value)
