"""Axes that can be switched, and curves that lie where the library says."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from browser.reading import EXPLORER, drag, handle, press, threshold
from scipy.special import ndtri
from views.page.cases import classified, searched, verified

import bertillon as bt
from bertillon.views import ReportContent

TRADE = f'{EXPLORER} [data-part="trade"]'


def choose(page: Any, name: str, explorer: str = "verification") -> None:
    page.locator(f'label[for="{explorer}-{name}"]').click()


def ticks(page: Any, chart: str = TRADE) -> list[tuple[str, float]]:
    """Labels along the horizontal axis, and where they stand."""
    script = """(texts) => texts
        .filter((text) => text.getAttribute("text-anchor") === "middle" && !text.classList.contains("name"))
        .map((text) => [text.textContent, Number(text.getAttribute("x"))])"""
    return [(label, x) for label, x in page.locator(f"{chart} .axes text").evaluate_all(script)]


def dot(page: Any, chart: str = TRADE) -> tuple[float, float]:
    """Where the system stands, in the units of the drawing."""
    mark = page.locator(f"{chart} .here").first
    return float(mark.get_attribute("cx")), float(mark.get_attribute("cy"))


def line_of(known: list[tuple[str, float]], places: Any) -> np.ndarray:
    """Slope and offset from places on the axis to pixels, which must fit all ticks."""
    at = np.array([x for _, x in known])
    fitted = np.polyfit(places, at, 1)
    assert np.allclose(np.polyval(fitted, places), at, atol=0.05)
    return fitted


def test_normal_deviate_axes_against_scipy(open_page) -> None:
    """SPEC V7: ticks and the operating point lie at the normal deviates of their rates."""
    evaluation = verified()
    page = open_page(ReportContent([evaluation]))
    choose(page, "normal")
    known = ticks(page)
    rates = np.array([float(label.split()[0]) / 100 for label, _ in known])
    fitted = line_of(known, ndtri(rates))
    press(page, "ArrowRight", 3)
    fmr = evaluation.trials.outcomes(threshold(page)).false_match / 3000
    assert dot(page)[0] == pytest.approx(np.polyval(fitted, ndtri(fmr)), abs=0.1)


def test_far_tails_of_normal_deviates_against_scipy(open_page) -> None:
    """Ten million trials in the page's eyes: the axis begins at 5e-8."""
    rng = np.random.default_rng(3)
    scores = bt.ScoreSet(rng.normal(9.0, 1.0, 1000), rng.normal(0.0, 1.0, 2_000_000))
    page = open_page(ReportContent([bt.evaluate(scores, ["EER"])]))
    choose(page, "normal")
    known = ticks(page)
    rates = np.array([float(label.split()[0]) / 100 for label, _ in known])
    assert rates.min() <= 1e-6
    line_of(known, ndtri(rates))


def test_log_axes_by_hand(open_page) -> None:
    evaluation = verified()
    page = open_page(ReportContent([evaluation]))
    choose(page, "log")
    known = ticks(page)
    digits = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    exponents = [0 if label == "1" else int(label[2:].translate(digits)) for label, _ in known]
    fitted = line_of(known, exponents)
    press(page, "ArrowLeft", 2)
    fmr = evaluation.trials.outcomes(threshold(page)).false_match / 3000
    assert dot(page)[0] == pytest.approx(np.polyval(fitted, np.log10(fmr)), abs=0.1)
    page.click('[data-point="ZeroFMR"]')  # no error stands at half an error
    assert dot(page)[0] == pytest.approx(np.polyval(fitted, np.log10(0.5 / 3000)), abs=0.1)


def test_linear_axes_by_hand(open_page) -> None:
    evaluation = verified()
    page = open_page(ReportContent([evaluation]))
    choose(page, "linear")
    choose(page, "roc")
    known = ticks(page)
    fitted = line_of(known, [float(label.replace("\u00a0", " ").split()[0]) / 100 for label, _ in known])
    fmr = evaluation.trials.outcomes(threshold(page)).false_match / 3000
    assert dot(page)[0] == pytest.approx(np.polyval(fitted, fmr), abs=0.1)


@pytest.mark.parametrize("curve", ["roc", "det"])
@pytest.mark.parametrize("axes", ["linear", "log", "normal"])
def test_every_pair_of_curve_and_axes_is_drawn(open_page, curve: str, axes: str) -> None:
    page = open_page(ReportContent([verified("old", 2.0), verified("new", 3.0, seed=5)]))
    choose(page, curve)
    choose(page, axes)
    paths = page.locator(f"{TRADE} .line:not(.guide)").evaluate_all("(all) => all.map((one) => one.getAttribute('d'))")
    assert len(paths) == 2
    assert all(path.count("V") + path.count("H") > 20 for path in paths)
    assert "NaN" not in page.locator(EXPLORER).inner_html()
    assert page.locator(f"{TRADE} figcaption").inner_text() == curve.upper()


def test_precision_against_recall(open_page) -> None:
    """SPEC K6: the high-threshold end lies at low recall, and the guide is the prevalence."""
    page = open_page(ReportContent(classification=[classified()]))
    choose(page, "pr", "classification")
    chart = '#explore-classification [data-part="trade"]'
    before = dot(page, chart)[0]
    press(page, "ArrowRight", 30, "#explore-classification")
    assert dot(page, chart)[0] < before
    assert page.locator(f"{chart} .guide").count() == 1


def test_rank_curves_are_read_at_their_ranks(open_page) -> None:
    page = open_page(ReportContent(identification=[searched()]))
    chart = page.locator("#chart-cmc svg")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 70, box["y"] + box["height"] / 2)
    said = page.locator("#chart-cmc .tip").inner_text().replace("\u00a0", " ").splitlines()
    assert said[:2] == ["old", "Rank k: 1"]
    rate = float(re.search(r"([\d.]+) %", said[2])[1])
    assert rate == pytest.approx(100 * searched()["RR"].value, abs=0.01)


def test_charts_are_described_to_those_who_cannot_see_them(open_page) -> None:
    page = open_page(ReportContent([verified()], [searched()], [classified()]))
    unnamed = page.locator("svg[role=img]").evaluate_all(
        "(all) => all.filter((one) => !one.getAttribute('aria-label'))"
    )
    assert unnamed == []
    assert page.locator("svg[role=img]").count() == 4 + 3 + 1 + 4 + 1


def test_skewed_scores_are_readable_and_the_handle_stands_where_the_score_does(open_page) -> None:
    rng = np.random.default_rng(0)
    evaluation = bt.evaluate(bt.ScoreSet(np.exp(rng.normal(5, 1.5, 800)), np.exp(rng.normal(0, 1.2, 1000))))
    page = open_page(ReportContent([evaluation]))
    assert "logarithmic beyond" in page.locator('[data-part="scores"] .legend').inner_text()
    assert 0.2 < handle(page, "scores") < 0.8
    labels = page.locator('[data-part="scores"] .axes text').all_text_contents()
    assert {"1", "10", "100"} <= set(labels)
    drag(page, "scores", handle(page, "scores"), 0.7)
    assert handle(page, "scores") > 0.55
