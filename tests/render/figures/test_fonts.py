"""Letters the house font lacks come from fonts that are installed, and where none has them that is said once."""

from __future__ import annotations

import logging
import warnings
from dataclasses import replace

import matplotlib
import pytest
from matplotlib import font_manager
from render.figures.drawing import make_figure

from bertillon.render import BOXES, FALLBACKS, FONT, families, look, render
from bertillon.render.figures import style as fonts


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(fonts, "_said", [])
    families.cache_clear()
    yield
    families.cache_clear()


def only(monkeypatch, *names: str) -> None:
    """Let these fonts be the only ones that are listed, and no others be found."""
    monkeypatch.setattr(font_manager.fontManager, "get_font_names", lambda: list(names))
    monkeypatch.setattr(font_manager, "findSystemFonts", list)


def test_only_fonts_that_are_installed_are_named(monkeypatch) -> None:
    only(monkeypatch, "DejaVu Sans", "Noto Sans CJK JP", "Arial")
    assert families() == [FONT, "Noto Sans CJK JP"]
    with look():
        assert matplotlib.rcParams["font.family"] == [FONT, "Noto Sans CJK JP"]


def test_the_house_font_comes_first_and_is_enough(monkeypatch) -> None:
    only(monkeypatch)
    assert families() == [FONT]


def test_a_font_that_was_installed_after_the_list_was_made_is_found(monkeypatch) -> None:
    listed, added = ["DejaVu Sans"], []

    def add(path: str) -> None:
        added.append(path)
        listed.append("Noto Sans CJK JP")

    monkeypatch.setattr(font_manager.fontManager, "get_font_names", lambda: list(listed))
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: ["/fonts/NotoSansCJK-Regular.ttc", "/fonts/Arial.ttf"])
    monkeypatch.setattr(font_manager.fontManager, "addfont", add)
    assert families() == [FONT, "Noto Sans CJK JP"]
    assert added == ["/fonts/NotoSansCJK-Regular.ttc"]


def test_letters_that_no_font_has_are_said_once_in_plain_words(t1, monkeypatch, caplog) -> None:
    only(monkeypatch, "DejaVu Sans")
    named = replace(t1, name="人脸识别")
    with caplog.at_level(logging.WARNING), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert render(make_figure("det-normal", [named, t1]), "png")
        assert render(make_figure("roc", [named]), "png")
    assert [str(one.message) for one in caught] == [BOXES]
    assert caplog.records == []


def test_latin_names_and_other_warnings_are_left_alone(t1) -> None:
    """Warnings are errors in these tests."""
    assert render(make_figure("roc", [replace(t1, name="Bertillon's naïve système №1")]), "png")
    with pytest.warns(UserWarning, match="something else"), look():
        warnings.warn("something else", stacklevel=1)


def test_chinese_letters_are_no_boxes_where_a_font_has_them(t1) -> None:
    if not any(name in FALLBACKS and "CJK" in name for name in families()):
        pytest.skip("no font with Chinese letters is installed")
    pictures = {render(make_figure("roc", [replace(t1, name=name)]), "png") for name in ("人脸", "识别")}
    assert len(pictures) == 2  # two names as boxes would look the same
