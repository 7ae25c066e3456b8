"""The plotting functions: they draw where they are told, change nothing else, and say what they cannot draw."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import bertillon as bt
from bertillon.core import InputError
from bertillon.render import render


@pytest.fixture(scope="module")
def scored() -> bt.Evaluation:
    return bt.evaluate(bt.ScoreSet([0.35, 0.55, 0.6, 0.8, 0.9], [0.05, 0.1, 0.3, 0.4, 0.65], name="T1"))


@pytest.fixture(scope="module")
def ranked_only() -> bt.Evaluation:
    return bt.evaluate(bt.Predictions.from_scores([1, 0, 1, 0], [3.0, 1.0, 2.0, 2.5], name="scores"))


@pytest.fixture(scope="module")
def searched() -> bt.Evaluation:
    scores = [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.1, 0.4]]
    blocks = [(np.arange(4), np.arange(2), np.array(scores))]
    return bt.evaluate(bt.trials.searches_from_blocks(blocks, [0, 1, 5, 6], [0, 1], name="searched"))


def everything(scored, classified, searched):
    """Every function with something to draw."""
    yield bt.plot.roc, (scored,)
    yield bt.plot.det, (scored,)
    yield bt.plot.errors, (scored,)
    yield bt.plot.errors, (classified,)
    yield bt.plot.distributions, (scored,)
    yield bt.plot.cmc, (searched,)
    yield bt.plot.watch_list, (searched,)
    yield bt.plot.pr, (classified,)
    yield bt.plot.reliability, (classified,)
    yield bt.plot.confusion, (classified,)
    yield bt.plot.cost, (classified,)
    yield bt.plot.risk_coverage, (classified,)
    yield bt.plot.groups, ([scored, scored], "EER")
    yield bt.plot.quality, (scored, [1, 2, 3, 4, 5], [1, 2, 3, 4, 5])


def test_everything_is_drawn_on_the_axes_given_and_nowhere_else(scored, classified, searched) -> None:
    for plot, given in everything(scored, classified, searched):
        figure = Figure()
        FigureCanvasAgg(figure)
        mine, other = figure.subplots(1, 2)
        before = set(mine.get_children())
        assert plot(*given, ax=mine) is mine, plot.__name__
        assert set(mine.get_children()) > before, plot.__name__
        assert not other.lines
        assert not other.collections


def test_no_setting_is_left_changed(scored, classified, searched) -> None:
    with matplotlib.rc_context({"lines.linewidth": 7.5, "font.size": 33.0}):
        before = dict(matplotlib.rcParams)
        for plot, given in everything(scored, classified, searched):
            plot(*given, size=bt.plot.figure_size("column"))
            pyplot.close("all")
        assert dict(matplotlib.rcParams) == before


def test_a_figure_of_its_own_has_the_size_asked_for_and_is_the_same_each_time(scored) -> None:
    figures = [bt.plot.det(scored, size=(3.5, 2.5)).figure for _ in range(2)]
    assert figures[0].get_size_inches().tolist() == [3.5, 2.5]
    assert render(figures[0], "png") == render(figures[1], "png")
    pyplot.close("all")
    assert bt.plot.det(scored).figure.get_size_inches().tolist() == [5.0, 4.0]


def test_letters_in_a_column_are_smaller(scored) -> None:
    wide, narrow = (bt.plot.det(scored, size=bt.plot.figure_size(width)) for width in ("page", "column"))
    assert narrow.xaxis.label.get_fontsize() < wide.xaxis.label.get_fontsize()


def test_zero_errors_are_drawn_half_a_trial_below_the_marked_floor(scored) -> None:
    """DESIGN: the measurable floor 1/N is marked, and zero is drawn, not dropped."""
    artists = bt.plot.det(scored, scale="log").get_children()
    curve = max((one for one in artists if isinstance(one, Line2D)), key=lambda line: len(line.get_xdata()))
    assert min(curve.get_xdata()) == pytest.approx(0.5 / 5)
    assert min(curve.get_ydata()) == pytest.approx(0.5 / 5)
    floors = [one for one in artists if isinstance(one, Line2D) and set(one.get_xdata()) == {0.2}]
    assert floors


def test_the_axes_of_a_roc_may_be_log(scored) -> None:
    assert bt.plot.roc(scored, scale="log").get_xscale() == "log"
    pyplot.close("all")
    assert bt.plot.roc(scored).get_xscale() == "linear"


def test_several_systems_share_the_axes(scored, searched, classified) -> None:
    for plot, one in ((bt.plot.det, scored), (bt.plot.cmc, searched), (bt.plot.pr, classified)):
        alone, both = (len(plot(drawn, size=(4, 4)).get_lines()) for drawn in (one, [one, one]))
        assert both > alone


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda s, c, i: bt.plot.det([]), "plot.det: no evaluations to draw; expected at least one"),
        (
            lambda s, c, i: bt.plot.det(i),
            "identification cannot be drawn; expected an evaluation of verification or",
        ),
        (lambda s, c, i: bt.plot.det([s, c]), "plot.det: a mixture cannot be drawn"),
        (
            lambda s, c, i: bt.plot.cmc(s.trials),
            "ScoreSet cannot be drawn; expected an evaluation of identification",
        ),
        (lambda s, c, i: bt.plot.errors([s, s]), "plot.errors: 2 evaluations; it draws one on each pair of axes"),
        (lambda s, c, i: bt.plot.det(s, scale="linear"), "plot.det: scale is 'linear'; expected normal or log"),
        (lambda s, c, i: bt.plot.roc(c, scale="log"), "that of a classifier has linear axes"),
        (lambda s, c, i: bt.plot.det(c, scale="log"), "that of a classifier has normal-deviate axes"),
        (lambda s, c, i: bt.plot.det(s, bands=[None, None]), "plot.det: 2 bands for 1 systems; expected one each"),
        (lambda s, c, i: bt.plot.errors(c, fmr_band=bt.counting.Band([0], [0], [1])), "a classifier's rates have none"),
        (lambda s, c, i: bt.plot.groups([s], "RR"), "unknown measure 'RR'"),
        (lambda s, c, i: bt.plot.groups([s], "FMR@t=0.5"), "FMR@t=0.5 was not evaluated for T1"),
        (lambda s, c, i: bt.plot.cost(c, costs={"miss": 1}), "cost 'miss' is not known"),
        (lambda s, c, i: bt.plot.figure_size("poster"), "figure width 'poster' is not known; expected column or page"),
        (lambda s, c, i: bt.plot.figure_size(aspect=0), "aspect is 0; expected height by width"),
    ],
)
def test_what_cannot_be_drawn_is_said(scored, classified, searched, wrong, said) -> None:
    with pytest.raises(InputError) as error:
        wrong(scored, classified, searched)
    assert said in str(error.value)


def test_scores_decide_nothing_and_share_no_threshold(ranked_only, classified) -> None:
    with pytest.raises(InputError, match=r"plot\.confusion: scores decide nothing by themselves"):
        bt.plot.confusion(ranked_only)
    with pytest.raises(InputError, match=r"plot\.cost: scores of several classifiers share no threshold"):
        bt.plot.cost([ranked_only, classified], costs={"fn": 1, "fp": 1})
    assert bt.plot.cost(ranked_only, costs={"fn": 1, "fp": 1})


def test_axes_have_a_size_of_their_own(scored) -> None:
    ax = Figure().add_subplot()
    with pytest.raises(InputError, match="size is that of a new figure"):
        bt.plot.det(scored, ax=ax, size=(3, 2))
