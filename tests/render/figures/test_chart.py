"""Any chart can be drawn: every kind of mark, texts that find their room, and panels in their places."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.patches import Rectangle, StepPatch

from bertillon.core import say
from bertillon.render import colour, draw_chart, draw_panel, look, new_figure
from bertillon.views import Axis, Bars, Box, Cells, Contours, Label, Line, Panel, Path, Pen, Rule, Spot, alone

X, Y = Axis("x", 0.0, 10.0), Axis("y", 0.0, 1.0)
HERE = np.array([2.0, 5.0, 8.0]), np.array([0.2, 0.5, 0.4])


@pytest.fixture
def ax():
    with look():
        yield new_figure().add_subplot()


def test_every_kind_of_mark_is_drawn_where_it_stands(ax) -> None:
    marks = (
        Line("a", *HERE, 1),
        Line("", *HERE, joined=False, dots=True, pen=Pen("ink", dot=3.0)),
        Contours((Path(*HERE),)),
        Rule("x", 4.0, Pen("quiet")),
        Rule("y", 0.3, Pen("quiet")),
        Spot(5.0, 0.5, 2, "diamond"),
        Bars("b", np.array([0.0, 1.0, 3.0]), np.array([0.5, 0.1]), Pen(3), fill=0.5),
        Box((0.0, 2.0), (0.5, 1.0), "#ABCDEF"),
        Label("here", 5.0, 0.5),
    )
    artists = draw_panel(ax, Panel(X, Y, marks, "title", legend="above"))
    line, upright, level, spot = ax.lines
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack(HERE))
    assert line.get_color() == colour(1)
    assert (set(upright.get_xdata()), set(level.get_ydata())) == ({4.0}, {0.3})
    assert (spot.get_marker(), spot.get_xydata().tolist()) == ("D", [[5.0, 0.5]])
    assert [type(one) for one in ax.collections] == [PathCollection, LineCollection]
    assert [type(one) for one in ax.patches] == [StepPatch, Rectangle]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert [text.get_text() for text in ax.texts] == ["here"]
    assert all(artist.axes is ax for artist in artists)


def test_a_line_without_a_system_is_a_faint_guide(ax) -> None:
    draw_panel(ax, Panel(X, Y, (Line("", *HERE, -1),)))
    assert (ax.lines[0].get_color(), ax.lines[0].get_linestyle()) == (colour("faint"), ":")


def test_cells_without_texts_are_a_map_with_a_scale(ax) -> None:
    shares = np.array([[0.5, 0.5], [np.nan, 1.0]])
    draw_panel(ax, Panel(X, Y, (Cells(shares, ("a", ""), ("a", ""), scale="share"),)))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a"]
    [inset] = ax.child_axes
    assert inset.get_title(loc="left") == "share"


def test_a_label_that_may_be_left_out_is_where_it_would_touch_another(ax) -> None:
    marks = [Label(str(n), x, 0.5, optional=True) for n, x in enumerate((2.0, 2.01, 8.0))]
    draw_panel(ax, Panel(X, Y, tuple(marks)))
    assert [text.get_text() for text in ax.texts] == ["0", "2"]


def test_rows_are_named_from_the_top_and_a_density_has_no_ticks(ax) -> None:
    draw_panel(ax, Panel(Axis("", 0.0, 1.0, unit="density"), Axis("", 0.0, 2.0, names=("first", "second"))))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert ax.get_xticks().size == 0


def test_ticks_are_those_of_the_axis_and_long_notes_are_broken(ax) -> None:
    axis = Axis("FMR", -2.0, 0.0, "normal", ticks=(-1.0, -0.5), tick_labels=("16", "31"))
    draw_panel(ax, Panel(axis, Y, notes=("word " * 30,), long=True))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["16", "31"]
    assert ax.get_xlabel().count("\n") > 2


def test_messages_are_put_into_words_when_they_are_drawn(ax) -> None:
    draw_panel(ax, Panel(Axis(say("figure.score"), 0.0, 1.0), Y, (Line(say("figure.mated"), *HERE),), legend="corner"))
    assert ax.get_xlabel() == "Score"
    assert ax.get_legend().get_texts()[0].get_text() == "mated"


def test_how_far_along_an_axis_a_value_lies() -> None:
    assert Axis("", 1.0, 100.0, "log").share(10.0) == pytest.approx(0.5)
    assert Axis("", 2.0, 4.0).share(3.5) == 0.75
    assert [Axis("", 0.0, 1.0).shows(value) for value in (None, 0.5, 1.5)] == [False, True, False]


def test_many_systems_get_a_higher_chart() -> None:
    few, many = (draw_chart(alone(Panel(X, Y), systems)).get_size_inches()[1] for systems in (6, 7))
    assert few == 4.0 < many
