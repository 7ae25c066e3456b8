"""Any width, light and dark, on paper, with the keyboard, in every language."""

from __future__ import annotations

from typing import Any

import pytest
from browser.reading import EXPLORER, overflowing
from views.page.cases import ROOT, everything, verified

import bertillon as bt
from bertillon.core import LANGUAGES
from bertillon.io import read
from bertillon.views import ReportContent


def brightness(page: Any, what: str = "body", kind: str = "backgroundColor") -> float:
    """How bright a colour is, from 0 to 255."""
    script = f"(one) => getComputedStyle(one)['{kind}'].match(/[0-9.]+/g).slice(0, 3).map(Number)"
    return sum(page.locator(what).first.evaluate(script)) / 3


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_nothing_sticks_out_at_any_width(open_page, width: int) -> None:
    page = open_page(everything(), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert overflowing(page) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_nothing_sticks_out_in_any_language_of_a_small_window(open_page, lang: str) -> None:
    page = open_page(everything(), width=360, lang=lang)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert overflowing(page) == []


def test_charts_follow_the_window(open_page) -> None:
    page = open_page(ReportContent([verified()]), width=1600)
    chart = page.locator(f'{EXPLORER} [data-part="rates"] svg.draggable')
    wide = chart.bounding_box()["width"]
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_function(
        "(wide) => Number(document.querySelector('[data-part=rates] svg.draggable').viewBox.baseVal.width) < wide - 50",
        arg=wide,
    )
    assert chart.bounding_box()["width"] < wide


def test_dark_follows_the_system_and_can_be_switched(open_page) -> None:
    page = open_page(ReportContent([verified()]), color_scheme="dark")
    assert brightness(page) < 60 < 180 < brightness(page, "h1", "color")
    page.click("#theme")
    assert page.locator("#theme").inner_text() == "Theme: light"
    assert brightness(page) > 240
    page.click("#theme")
    assert page.locator("#theme").inner_text() == "Theme: dark"
    assert brightness(page) < 60


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_told_from_their_background(open_page, scheme: str) -> None:
    """Contrast of 4.5 at least (WCAG AA), for the quiet words too."""
    page = open_page(ReportContent([verified("old"), verified("new", seed=5)]), color_scheme=scheme)
    script = """(selectors) => {
        const light = (colour) => {
            const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map((one) => {
                const share = Number(one) / 255;
                return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const behind = (one) => {
            const colour = getComputedStyle(one).backgroundColor;
            return /rgba\\(.*, 0\\)/.test(colour) && one.parentElement ? behind(one.parentElement) : colour;
        };
        return selectors.map((selector) => {
            const one = document.querySelector(selector);
            const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05);
        });
    }"""
    words = ["h1", ".lead", "small", ".note", ".numbers dt", ".warnings li", ".point[aria-pressed=true]", ".brief"]
    assert min(page.evaluate(script, words)) >= 4.5


def test_it_prints_black_on_white_without_controls(open_page) -> None:
    page = open_page(everything(), color_scheme="dark")
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 20_000
    page.emulate_media(media="print")
    assert brightness(page) == 255
    assert brightness(page, "h1", "color") == 0
    for hidden in (".slider", ".copy", ".points", ".switches", ".use", "#theme", "nav", "#download-json"):
        assert not page.locator(hidden).first.is_visible(), hidden
    for shown in ("#measures", ".chart svg", ".numbers", "#signature-table"):
        assert page.locator(shown).first.is_visible(), shown


def test_everything_can_be_reached_with_the_keyboard(open_page) -> None:
    page = open_page(ReportContent([verified("old"), verified("new", seed=5)]))
    reached = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className || ''"))
    assert {"skip", "theme", "verification-slider", "verification-typed", "verification-genuine"} <= reached
    assert {"verification-det", "verification-log", "verification-system-0", "verification-lead"} <= reached
    assert {"sort", "point"} <= reached


def test_every_control_has_a_name(open_page) -> None:
    page = open_page(everything())
    nameless = page.evaluate("""() => [...document.querySelectorAll("input, select, button, textarea")]
        .filter((one) => !one.labels?.length && !one.textContent.trim() && !one.ariaLabel)
        .filter((one) => !one.closest("dialog")).map((one) => one.outerHTML)""")
    assert nameless == []


def test_ids_are_not_used_twice_and_every_link_has_its_target(open_page) -> None:
    page = open_page(everything())
    ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    targets = page.evaluate("() => [...document.querySelectorAll('a[href^=\"#\"]')].map((one) => one.hash.slice(1))")
    assert set(targets) <= set(ids)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_value_stands_beside_each_name_in_a_small_window(open_page, lang: str) -> None:
    """Names give way to numbers: the first number of every row is seen without scrolling."""
    page = open_page(ReportContent([verified()]), width=360, lang=lang)
    script = """(table) => [...table.querySelectorAll("tbody tr")].map((row) => {
        return row.querySelector("td.number").getBoundingClientRect().right;
    })"""
    ends = page.locator("#measures").evaluate(script)
    assert ends
    assert max(ends) <= 360


@pytest.mark.parametrize("width", [360, 800])
def test_names_of_axes_and_rows_are_whole(open_page, width: int) -> None:
    page = open_page(everything(), width=width)
    script = """() => [...document.querySelectorAll(".plot svg")].flatMap((svg) => {
        const box = svg.getBoundingClientRect();
        return [...svg.querySelectorAll(".name, .row")].filter((text) => {
            const at = text.getBoundingClientRect();
            return at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1;
        }).map((text) => text.textContent);
    })"""
    assert page.evaluate(script) == []


def test_intervals_that_stand_apart_are_bars(open_page) -> None:
    """What the legend calls bars is drawn as bars, without a fill between them."""
    rates = bt.analysis.transactions(read(ROOT / "examples" / "gate.csv"), thresholds=[0.6])
    page = open_page(ReportContent(findings=[rates]))
    assert page.locator("#chart-transactions-0-far .line.bar").count() == rates.attempts
    assert page.locator("#chart-transactions-0-far .band").count() == 0
