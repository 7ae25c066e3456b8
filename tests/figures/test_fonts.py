"""Letters the house font lacks come from fonts that are installed, and nothing is said where none are."""

from __future__ import annotations

import logging
from dataclasses import replace

import matplotlib
import pytest
from matplotlib import font_manager

from bertillon.figures.compose import make_figure
from bertillon.figures.save import render
from bertillon.figures.style import FALLBACKS, FONT, families, look


@pytest.fixture(autouse=True)
def fresh():
    families.cache_clear()
    yield
    families.cache_clear()


def test_only_fonts_that_are_installed_are_named(monkeypatch) -> None:
    monkeypatch.setattr(
        font_manager.fontManager, "get_font_names", lambda: ["DejaVu Sans", "Noto Sans CJK JP", "Arial"]
    )
    assert families() == [FONT, "Noto Sans CJK JP"]
    with look():
        assert matplotlib.rcParams["font.family"] == [FONT, "Noto Sans CJK JP"]


def test_the_house_font_comes_first_and_is_enough(monkeypatch) -> None:
    monkeypatch.setattr(font_manager.fontManager, "get_font_names", list)
    assert families() == [FONT]


def test_a_chinese_name_is_drawn_without_a_word(t1, caplog) -> None:
    """Warnings are errors in these tests; what the fonts log must be empty as well."""
    with caplog.at_level(logging.WARNING):
        assert render(make_figure("det-normal", [replace(t1, name="人脸识别"), t1]), "png")
    assert caplog.records == []


def test_chinese_letters_are_no_boxes_where_a_font_has_them(t1) -> None:
    if not any(name in FALLBACKS and "CJK" in name for name in font_manager.fontManager.get_font_names()):
        pytest.skip("no font with Chinese letters is installed")
    pictures = {render(make_figure("roc", [replace(t1, name=name)]), "png") for name in ("人脸", "识别")}
    assert len(pictures) == 2  # two names as boxes would look the same
