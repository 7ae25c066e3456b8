"""Drawing on given axes: the artists made, and nothing else touched."""

from __future__ import annotations

import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text
from render.figures.drawing import (
    KINDS,
    draw_det_log,
    draw_det_normal,
    draw_distributions,
    draw_rates,
    draw_roc,
    draw_roc_log,
    make_figure,
    require_what_was_drawn,
)

from bertillon.core import InputError
from bertillon.render import FAINT, look, new_figure, render
from bertillon.views import (
    LIMITS,
    MOST_LISTED,
    SEEN,
    charts_of,
    det_curve,
    roc_curve,
    score_distribution,
    shortened,
    shown_names,
)

NAMES = [
    "cost $5 and $6",
    "$\\frac{",
    "under_score_",
    "_hidden",
    "a<b>&c\"'",
    "",
    "\u4eba\u8138\u8bc6\u522b",
    "\u0646\u0638\u0627\u0645",
    "\U0001f600",
    "line\nbreak\ttab",
    "bad \udcff byte \x00",
    "x" * 500,
]


@pytest.fixture
def ax():
    with look():
        yield new_figure().add_subplot()


def everything(systems):
    """Every drawing function with its coordinates."""
    yield draw_roc, [roc_curve(s) for s in systems]
    yield draw_roc_log, [roc_curve(s, "log") for s in systems]
    yield draw_det_normal, [det_curve(s) for s in systems]
    yield draw_det_log, [det_curve(s, "log") for s in systems]
    yield draw_rates, systems[0]
    yield draw_distributions, score_distribution(systems[0])


def texts(artists) -> list[str]:
    return [artist.get_text() for artist in artists if isinstance(artist, Text)]


def test_every_function_returns_what_it_drew(t1):
    for draw, data in everything([t1]):
        require_what_was_drawn(draw, data)


def test_curves_are_drawn_as_given(ax, t1):
    data = roc_curve(t1)
    artists = draw_roc(ax, [data])
    drawn = [a.get_xydata() for a in artists if isinstance(a, Line2D)]
    assert any(np.array_equal(xy, np.column_stack(data.line)) for xy in drawn)
    assert "EER 20 %" in texts(artists)


@pytest.mark.parametrize(("draw", "data"), [(draw_roc_log, roc_curve), (draw_det_log, det_curve)])
def test_the_smallest_visible_rate_is_a_faint_line(ax, t1, draw, data):
    artists = draw(ax, [data(t1, "log")])
    upright = [
        a for a in artists if isinstance(a, Line2D) and a.get_color() == FAINT and set(a.get_xdata()) == {1 / 10}
    ]
    assert len(upright) == 1
    assert str(SEEN) in texts(artists)


def test_an_error_free_system_is_drawn_at_the_floor_on_log_and_normal_axes(make_system):
    system = make_system(range(100, 150), range(100))
    for draw, data, floor in (
        (draw_det_log, det_curve(system, "log"), (0.005, 0.01)),
        (draw_det_normal, det_curve(system), (-2.575829303548901, -2.3263478740408408)),
    ):
        with look():
            ax = new_figure().add_subplot()
            draw(ax, [data])
        assert data.point == pytest.approx(floor)
        assert ax.get_xlim()[0] < floor[0] < ax.get_xlim()[1]
        assert ax.get_ylim()[0] < floor[1] < ax.get_ylim()[1]


def test_without_curves_there_is_nothing_to_draw(ax):
    with pytest.raises(ValueError, match="no curves to draw"):
        draw_roc(ax, [])


def test_thresholds_say_which_side_is_accepted(make_system):
    for rule, sign, arrow in (("similarity", ">=", "accepted →"), ("distance", "<=", "← accepted")):
        system = make_system([0.2, 0.4, 0.5], [0.3, 0.7, 0.9], rule=rule)
        with look():
            ax, other = new_figure().add_subplot(), new_figure().add_subplot()
            words = texts(draw_distributions(ax, score_distribution(system)))
            draw_rates(other, system)
        assert any(arrow in word for word in words)
        assert any(f"t = {system.threshold:.4g}" in word for word in words)
        assert f"score {sign} t" in other.get_xlabel()


def test_missing_scores_are_said_in_the_picture(make_system):
    system = make_system([0.5, 0.75], [])
    for draw, data in everything([system]):
        with look():
            ax = new_figure().add_subplot()
            artists = draw(ax, data)
        assert any("no non-mated scores" in words for words in [ax.get_xlabel(), *texts(artists)])


def test_a_system_without_curve_is_named_beside_the_others(ax, make_system, t1):
    draw_roc(ax, [roc_curve(t1), roc_curve(make_system([1.0, 2.0], [], name="the $ half"))])
    assert ax.get_xlabel().endswith("\nthe $ half: no non-mated scores")


def test_names_stand_at_the_curves_when_there_is_room(ax, make_system):
    rng = np.random.default_rng(1)
    systems = [make_system(rng.normal(d, 1, 400), rng.normal(0, 1, 4000), name=f"s{d}") for d in (1, 3)]
    artists = draw_det_normal(ax, [det_curve(s) for s in systems])
    assert {"s1", "s3"} <= set(texts(artists))
    assert not any(isinstance(artist, Legend) for artist in artists)
    boxes = [a.get_window_extent() for a in artists if isinstance(a, Text) and a.get_text() in {"s1", "s3"}]
    assert not boxes[0].overlaps(boxes[1])


def test_names_go_to_a_legend_when_curves_are_close(ax, make_system, t1):
    names = [f"_{letter * 20} $x$" for letter in "abcdef"]
    twins = [roc_curve(make_system(t1.scores.mated, t1.scores.nonmated, name=name)) for name in names]
    artists = draw_roc(ax, twins)
    (legend,) = (artist for artist in artists if isinstance(artist, Legend))
    assert [text.get_text() for text in legend.get_texts()] == [f"{name} (EER 20 %)" for name in names]
    assert not set(names) & set(texts(ax.texts))
    assert not any(text.get_parse_math() for text in legend.get_texts())


def test_very_many_systems_are_drawn_and_some_are_named(make_system):
    systems = [make_system([2, 3, 4 + i], [1, 2, 3], name=f"system number {i}") for i in range(LIMITS.most_panels + 6)]
    roc = make_figure("roc", systems)
    legend = roc.axes[0].get_legend()
    assert len(legend.get_texts()) == MOST_LISTED
    assert legend.get_title().get_text() == "12 of 30 systems"
    rates = make_figure("rates", systems)
    assert len(rates.axes) == LIMITS.most_panels
    assert rates.get_suptitle() == "the first 24 of 30 systems"


@pytest.mark.parametrize("kind", KINDS)
def test_degenerate_sets_are_drawn_without_a_warning(make_system, degenerate_scores, kind):
    figure = make_figure(kind, [make_system(*degenerate_scores, rule="distance")])
    assert render(figure, "png").startswith(b"\x89PNG")
    assert all(np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all() for ax in figure.axes)


@pytest.mark.parametrize("kind", ["roc-log", "det-normal"])
def test_a_degenerate_set_among_others_is_drawn_too(make_system, t1, degenerate_scores, kind):
    figure = make_figure(kind, [t1, make_system(*degenerate_scores, name="strange")])
    assert all(np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all() for ax in figure.axes)
    assert len(figure.axes[0].lines + figure.axes[0].patches) >= 2


@pytest.mark.parametrize("kind", KINDS)
def test_any_name_can_be_drawn(make_system, kind):
    systems = [make_system([0.2, 0.4, 0.6 + i], [0.1, 0.3, 0.5], name=name) for i, name in enumerate(NAMES)]
    assert render(make_figure(kind, systems), "svg").startswith(b"<?xml")
    assert render(make_figure(kind, systems[:3]), "pdf").startswith(b"%PDF")


@pytest.mark.parametrize("kind", ["roc", "distributions"])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_never_read_as_a_formula(make_system, kind, name):
    figure = make_figure(kind, [make_system([0.2, 0.4], [0.1, 0.3], name=name)])
    shown = figure.axes[0].get_title(loc="left")
    assert shown == shortened(name)
    assert not figure.axes[0]._left_title.get_parse_math() or not shown


def test_names_are_shortened_in_the_middle():
    assert shortened("x" * 14 + "y" * 500 + "z" * 13) == "x" * 14 + "…" + "z" * 13
    assert shortened("short enough") == "short enough"
    assert shortened(" a\nb\x00\udcff ") == "a b\ufffd\ufffd"
    assert shown_names(["", "b", ""]) == ["system 1", "b", "system 3"]
    assert shown_names([""]) == [""]


def test_no_system_is_refused():
    with pytest.raises(InputError, match="no systems to draw"):
        charts_of("verification", [])


def test_drawing_leaves_settings_and_data_alone(t1):
    with matplotlib.rc_context({"font.size": 33.0, "text.usetex": True}):
        before = dict(matplotlib.rcParams)
        for draw, data in everything([t1]):
            curve = data[0].line if isinstance(data, list) else None
            copy = None if curve is None else (curve.x.copy(), curve.y.copy())
            with look():
                draw(new_figure().add_subplot(), data)
            if curve is not None:
                np.testing.assert_array_equal(np.array(copy), np.array(curve))
        for kind in KINDS:
            render(make_figure(kind, [t1]), "png")
        assert dict(matplotlib.rcParams) == before


def test_personal_settings_change_no_picture(t1):
    plain = render(make_figure("roc", [t1]), "png")
    with matplotlib.rc_context({"font.size": 33.0, "lines.linewidth": 9.0, "savefig.dpi": 20}):
        assert render(make_figure("roc", [t1]), "png") == plain


def test_figures_never_load_the_window_system():
    code = (
        "import sys, bertillon.render.figures.figure, bertillon.render.figures.plots, bertillon.render.figures.draw\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from bertillon.render import look, new_figure\n"
        "with look(): new_figure().savefig('/dev/null', format='png')\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
