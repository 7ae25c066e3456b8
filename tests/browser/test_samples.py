"""Quality, people and groups on the page: drawn, read under the pointer, and within the window."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from browser.reading import overflowing
from views.page.cases import EVIL, attacked, border

SECTIONS = ("discard", "people", "groups")


def tip(page: Any, chart: str, dot: int) -> list[str]:
    """What is read out at a dot of a chart."""
    mark = page.locator(f"#chart-{chart} .dot").nth(dot)
    mark.evaluate("(one) => one.scrollIntoView({block: 'center'})")
    box = mark.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    return page.locator(f"#chart-{chart} .tip").inner_text().replace("\u00a0", " ").splitlines()


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_nothing_sticks_out_at_any_width(open_page, width: int) -> None:
    page = open_page(border(systems=2, evil=True), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert overflowing(page) == []


def test_every_chart_is_drawn_and_described(open_page) -> None:
    page = open_page(border())
    for section in SECTIONS:
        charts = page.locator(f"#{section} svg[role=img]")
        assert charts.count() == page.locator(f"#{section} .chart").count() > 0
        assert all(charts.evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label').length > 40)"))
        assert "NaN" not in page.locator(f"#{section}").inner_html()


def test_a_group_is_a_dot_on_its_interval_under_its_name(open_page) -> None:
    content = border(evil=True)
    page = open_page(content)
    rows = content.groups[0].points[0].fnmr
    chart = page.locator("#chart-groups-0-0-FNMR")
    assert chart.locator(".row").all_text_contents() == [row.group for row in rows]
    assert (chart.locator(".dot").count(), chart.locator(".line").count()) == (3, 3)
    named = [row.group for row in rows].index(EVIL)
    said = tip(page, "groups-0-0-FNMR", named)
    assert said[0] == "FNMR"
    assert said[2:] == [f"group: {EVIL}", f"{rows[named].errors} of 200"]
    assert float(said[1].rpartition(": ")[2].split()[0]) == pytest.approx(100 * rows[named].value, abs=0.001)


def test_dots_lie_where_the_rates_say(open_page) -> None:
    """Along the axis of FNMR: places of the dots are in proportion to the rates, and zero is on the axis."""
    content = border()
    page = open_page(content)
    at = page.locator("#chart-groups-0-0-FNMR .dot").evaluate_all(
        "(all) => all.map((one) => Number(one.getAttribute('cx')))"
    )
    rates = [row.value for row in content.groups[0].points[0].fnmr]
    slope = (at[1] - at[0]) / (rates[1] - rates[0])
    assert at[2] == pytest.approx(at[0] + slope * (rates[2] - rates[0]), abs=0.1)
    axis = page.locator("#chart-groups-0-0-FNMR .axes text").first
    assert axis.text_content().replace("\u00a0", " ") == "0 %"
    assert float(axis.get_attribute("x")) == pytest.approx(at[0] - slope * rates[0], abs=0.1)


def test_charts_of_one_threshold_stand_side_by_side_where_there_is_room(open_page) -> None:
    """Of every threshold: nothing that stands before them takes the room of one."""
    for width, beside in ((1280, True), (400, False)):
        page = open_page(border(), width=width)
        for point in (0, 1):
            first, second = (page.locator(f"#chart-groups-0-{point}-{kind}").bounding_box() for kind in ("FNMR", "FMR"))
            assert (abs(first["y"] - second["y"]) < 1.0) == beside


def test_a_person_is_named_under_the_pointer(open_page) -> None:
    content = border()
    page = open_page(content)
    assert page.locator("#chart-people-0 .dot").count() == len(content.people[0].people)
    assert page.locator("#chart-people-0 .line").count() == 0
    assert page.locator("#chart-people-0 .band").count() == 4
    said = tip(page, "people-0", 59)
    assert said[0] == "worms"
    assert said[3] in content.people[0]["worm"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_people_of_no_corner_are_grey_in_either_theme(open_page, scheme: str) -> None:
    page = open_page(border(), color_scheme=scheme)
    fill = page.locator("#chart-people-0 .backdrop").first.evaluate("(one) => getComputedStyle(one).fill")
    red, green, blue = (int(part) for part in fill.removeprefix("rgb(").removesuffix(")").split(","))
    assert max(red, green, blue) - min(red, green, blue) < 40
    assert 80 < green < 180


def test_what_is_left_is_read_along_the_staircase(open_page) -> None:
    page = open_page(border())
    chart = page.locator("#chart-discard-0 svg[role=img]")
    chart.evaluate("(one) => one.scrollIntoView({block: 'center'})")
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 0.8 * box["height"])
    said = page.locator("#chart-discard-0 .tip").inner_text().splitlines()
    assert said[0] == "FNMR"
    assert said[3].startswith("quality from ")
    assert page.locator("#chart-discard-0 .guide").count() == 2


def test_ticks_keep_equal_steps_in_a_small_window(open_page) -> None:
    page = open_page(border(), width=360)
    script = """(texts) => texts.filter((text) => text.getAttribute("text-anchor") === "middle" && text.textContent)
        .filter((text) => !text.classList.contains("name")).map((text) => Number(text.getAttribute("x")))"""
    for chart in ("discard-0", "groups-0-0-FNMR", "groups-0-1-FMR"):
        at = page.locator(f"#chart-{chart} .axes text").evaluate_all(script)
        steps = [after - before for before, after in pairwise(at)]
        assert len(at) >= 3
        assert steps == pytest.approx([steps[0]] * len(steps), abs=0.5)


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_on_attacks_is_drawn_within_the_window(open_page, width: int) -> None:
    page = open_page(attacked(), width=width, lang="it")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert overflowing(page) == []
    assert page.locator("#chart-attacks .line:not(.guide)").count() == 5
    assert page.locator("#chart-attacks .guide").count() == 1
    assert page.locator("h1").inner_text() == "Rapporto sugli attacchi"
    assert not page.locator("#download-csv").is_visible()
