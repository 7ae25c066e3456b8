"""Figures of searches on given axes and as files."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Text
from render.figures.drawing import (
    SEARCH_KINDS,
    draw_cmc,
    draw_dir_ranks,
    draw_watch_list,
    make_search_figure,
    require_what_was_drawn,
)

from bertillon.core import InputError
from bertillon.render import FORMATS, figures_of, look, new_figure, render, save_all, spread
from bertillon.views import LIMITS, SEEN, charts_of, cmc_curves, near_all, watch_list_curve

STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
NAMES = ["cost $5 and $6", "$\\frac{", "_hidden", "", "\u4eba\u8138", "line\nbreak", "x" * 500]


@pytest.fixture
def ax():
    with look():
        yield new_figure().add_subplot()


@pytest.fixture(scope="module")
def two(random_searches):
    return [random_searches(noise=0.5, name="good"), random_searches(noise=2.0, seed=2, name="poor")]


def everything(systems):
    """Every drawing function with its coordinates."""
    yield draw_cmc, cmc_curves(systems)
    yield draw_watch_list, [watch_list_curve(system) for system in systems]
    yield draw_dir_ranks, systems[0]


def texts(artists) -> list[str]:
    return [artist.get_text() for artist in artists if isinstance(artist, Text)]


def test_every_function_returns_what_it_drew(two):
    for systems in (two, two[:1]):
        for draw, data in everything(systems):
            require_what_was_drawn(draw, data)


def test_a_cmc_is_drawn_as_given_with_its_recognition_rate(ax, closed_set):
    data = cmc_curves([closed_set])
    artists = draw_cmc(ax, data)
    drawn = [a.get_xydata() for a in artists if isinstance(a, Line2D)]
    assert any(np.array_equal(xy, np.column_stack(data[0].line)) for xy in drawn)
    assert "RR 50.0 %" in texts(artists)
    assert ax.get_xscale() == "linear"


def test_several_cmcs_are_named_with_their_recognition_rates(ax, two):
    artists = draw_cmc(ax, cmc_curves(two))
    (legend,) = [a for a in artists if isinstance(a, Legend)] or [None]
    shown = texts(legend.get_texts() if legend else artists)
    wanted = [f"{system.name} (RR {near_all(system.cmc.rates[0])})" for system in two]
    assert [words for words in shown if "RR" in words] == wanted
    assert ax.get_xscale() == "log"


def test_a_recognition_rate_is_inside_the_axes_and_off_the_curve(closed_set, random_searches, make_searches):
    never = make_searches([[0, 5], [5, 0]], [0, 1], 2, name="never first")
    always = make_searches([[5, 0], [0, 5]], [0, 1], 2, name="always first")
    for system in (closed_set, random_searches(), never, always):
        figure = make_search_figure("cmc", [system])
        (ax,) = figure.axes
        (words,) = (text for text in ax.texts if text.get_text().startswith("RR"))
        box, frame = words.get_window_extent(), ax.get_window_extent()
        assert frame.x0 <= box.x0 <= box.x1 <= frame.x1
        assert frame.y0 <= box.y0 <= box.y1 <= frame.y1
        paths = [line.get_path().transformed(line.get_transform()) for line in ax.lines if len(line.get_xdata()) > 1]
        assert not any(path.intersects_bbox(box, filled=False) for path in paths)


@pytest.mark.parametrize(
    ("rate", "words"), [(0.0, "0.0 %"), (0.5, "50.0 %"), (0.9996, "99.96 %"), (1 - 1e-6, "99.9999 %"), (1.0, "100 %")]
)
def test_a_rate_below_one_is_never_shown_as_all(rate, words):
    assert near_all(rate) == words


def test_a_watch_list_marks_the_smallest_rate_and_the_open_set_eer(ax, two):
    artists = draw_watch_list(ax, [watch_list_curve(two[1])])
    assert str(SEEN) in texts(artists)
    assert any(words.startswith("EERopen ") for words in texts(artists))
    assert any(isinstance(a, Line2D) and set(a.get_xdata()) == {1 / 40} for a in artists)
    assert ax.get_xscale() == "log"
    assert ax.get_xlim()[0] < 0.5 / 40


def test_a_system_without_non_enrolled_searches_is_named_beside_the_others(two, closed_set):
    mixed = [two[0], dataclasses.replace(closed_set, name="closed")]
    figure = make_search_figure("watch-list", mixed)
    assert figure.axes[0].get_xlabel().endswith("\nclosed: no non-enrolled searches")
    figure = make_search_figure("dir-ranks", mixed)
    assert len(figure.axes) == 1
    assert figure.get_suptitle() == "not shown: 1 system without non-enrolled searches"


def test_the_levels_of_a_panel_are_named_apart(two):
    for systems in (two, [two[1]] * 6):
        figure = make_search_figure("dir-ranks", systems)
        for ax in figure.axes:
            boxes = sorted((t.get_window_extent() for t in ax.texts), key=lambda box: box.y0)
            assert len(boxes) == len(ax.lines) >= 3
            assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))
            assert all(box.x1 <= figure.bbox.x1 for box in boxes)


def test_places_are_spread_and_stay_in_order():
    assert spread([0.5], 0.25) == [0.5]
    assert spread([0.0, 0.0, 0.0], 0.25) == [0.0, 0.25, 0.5]
    assert spread([1.0, 1.0, 1.0], 0.25) == [0.5, 0.75, 1.0]
    assert spread([0.25, 0.75], 0.25) == [0.25, 0.75]


def test_very_many_systems_are_drawn_and_some_are_named(random_searches):
    systems = [random_searches(10, 5, seed=i, name=f"system number {i}") for i in range(LIMITS.most_panels + 2)]
    figure = make_search_figure("dir-ranks", systems)
    assert len(figure.axes) == LIMITS.most_panels
    assert figure.get_suptitle() == "the first 24 of 26 systems"
    assert make_search_figure("cmc", systems).axes[0].get_legend().get_title().get_text() == "12 of 26 systems"


@pytest.mark.parametrize("kind", SEARCH_KINDS)
def test_degenerate_sets_are_drawn_without_a_warning(degenerate_searches, two, kind):
    for systems in ([degenerate_searches], [two[0], degenerate_searches]):
        figure = make_search_figure(kind, systems)
        assert render(figure, "png").startswith(b"\x89PNG")
        assert all(np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all() for ax in figure.axes)
        assert all(ax.lines or ax.texts for ax in figure.axes)


@pytest.mark.parametrize("kind", SEARCH_KINDS)
def test_any_name_can_be_drawn(random_searches, kind):
    systems = [random_searches(5, 3, seed=i, name=name) for i, name in enumerate(NAMES)]
    assert render(make_search_figure(kind, systems), "svg").startswith(b"<?xml")
    assert render(make_search_figure(kind, systems[:3]), "pdf").startswith(b"%PDF")


def test_drawing_leaves_settings_alone(two):
    with matplotlib.rc_context({"font.size": 33.0, "text.usetex": True}):
        before = dict(matplotlib.rcParams)
        for kind in SEARCH_KINDS:
            render(make_search_figure(kind, two), "png")
        assert dict(matplotlib.rcParams) == before


def test_no_system_is_refused(ax):
    with pytest.raises(InputError, match="no systems to draw"):
        charts_of("identification", [])
    with pytest.raises(ValueError, match="no curves to draw"):
        draw_cmc(ax, [])


def test_every_figure_is_written_in_every_format(tmp_path, two):
    folder = tmp_path / "new" / "figures"
    written = save_all(figures_of("identification", two), folder)
    assert written == [folder / f"{kind}.{form}" for kind in SEARCH_KINDS for form in ("pdf", "png")]
    assert set(folder.iterdir()) == set(written)
    for path in written:
        assert path.read_bytes().startswith(STARTS[path.suffix[1:]])


def test_without_non_enrolled_searches_only_the_cmc_is_written(tmp_path, closed_set, two):
    assert save_all(figures_of("identification", [closed_set]), tmp_path, formats=("png",)) == [tmp_path / "cmc.png"]
    assert tuple(charts_of("identification", [closed_set, two[0]])) == SEARCH_KINDS
    assert tuple(charts_of("identification", [dataclasses.replace(two[0], levels=())])) == ("cmc", "watch-list")


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path, closed_set):
    with pytest.raises(InputError, match="figure format 'gif' is not known; expected png, svg, pdf"):
        save_all(figures_of("identification", [closed_set]), tmp_path / "out", formats=("png", "gif"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_systems_give_the_same_bytes(two, form):
    for kind in SEARCH_KINDS:
        assert render(make_search_figure(kind, two), form) == render(make_search_figure(kind, two), form)
