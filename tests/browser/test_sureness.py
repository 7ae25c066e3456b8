"""How sure the page is: bands around curves, and intervals at every threshold where these can be honest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from browser.reading import EXPLORER, live_text, press, threshold
from views.page.cases import classified, searched, verified

from bertillon.evaluation import bands_of
from bertillon.stats import Interval, Settings, proportion
from bertillon.views import ReportContent, Vocabulary


def sure(evaluation, *, naive: bool, level: float = 0.95):
    name = next(iter(evaluation))
    return replace(evaluation, intervals={name: Interval(0.0, 1.0, level, "by hand", naive=naive)})


def ends(page, name: str, explorer: str = EXPLORER) -> list[float]:
    text = page.locator(f'{explorer} [data-number="{name}"] .ends').get_attribute("data-ends")
    return [float(end) for end in text.split()]


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_U1_live_intervals_against_clopper_pearson_of_the_library(open_page, level: float) -> None:
    evaluation = sure(verified(), naive=True, level=level)
    page = open_page(ReportContent([evaluation]))
    for key in ("Home", *["PageUp"] * 6, "End"):
        press(page, key)
        counted, counts = evaluation.trials.outcomes(threshold(page)), evaluation.counts
        for name, errors, trials in (
            ("matched", counted.false_match, counts["nonmated"]),
            ("missed", counted.false_nonmatch, counts["mated"]),
        ):
            expected = proportion(errors, trials, level=level)
            np.testing.assert_allclose(ends(page, name), [expected.low, expected.high], rtol=1e-9, atol=1e-12)
    assert f"{100 * level:g} % intervals" in page.locator(f"{EXPLORER} .how-sure").inner_text()
    assert " to " in live_text(page, "matched")


def test_a_zero_is_bounded_by_the_end_of_the_interval_under_it(open_page) -> None:
    page = open_page(ReportContent([sure(verified(), naive=True)]))
    press(page, "End")
    assert live_text(page, "matched") == "FMR 0 (< 0.12 %) 0 of 3,000 0.00 to 0.12 %"


def test_precision_and_recall_have_theirs(open_page) -> None:
    evaluation = sure(classified(), naive=True)
    page = open_page(ReportContent(classification=[evaluation]))
    explorer = "#explore-classification"
    confusion = evaluation.tally.confusion.cells(evaluation.trials.positive_code)
    tp, fp = int(confusion.tp[0]), int(confusion.fp[0])
    assert threshold(page, explorer) == 0.5
    expected = proportion(tp, tp + fp)
    np.testing.assert_allclose(ends(page, "precision", explorer), [expected.low, expected.high], rtol=1e-9)


@pytest.mark.parametrize("naive", [False, None])
def test_no_interval_is_shown_where_trials_share_people_and_that_is_said(open_page, naive: bool | None) -> None:
    evaluation = verified() if naive is None else sure(verified(), naive=naive)
    page = open_page(ReportContent([evaluation]))
    assert page.locator(f"{EXPLORER} .ends").count() == 0
    said = page.locator(f"{EXPLORER} .how-sure").text_content()
    assert said == "" if naive is None else said.startswith("These numbers have no intervals: trials share people")


HOLDS = """(figure) => {
    const dot = figure.querySelector(".here");
    const at = new DOMPoint(Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy")));
    return figure.querySelector(".band").isPointInFill(at);
}"""


def test_a_band_lies_around_its_curve_on_every_pair_of_axes(open_page) -> None:
    evaluation = replace(verified(), settings=Settings(resamples=50))
    page = open_page(ReportContent([evaluation], bands={"verification": [bands_of(evaluation)]}))
    words = page.locator(f'{EXPLORER} [data-part="trade"] .shaded').inner_text()
    assert words == "shaded: 95 % band, pointwise"
    for curve in ("roc", "det"):
        for axes in ("linear", "log", "normal"):
            page.locator(f'{EXPLORER} label[for="verification-{curve}"]').click()
            page.locator(f'{EXPLORER} label[for="verification-{axes}"]').click()
            assert page.locator(f'{EXPLORER} [data-part="trade"]').evaluate(HOLDS), (curve, axes)


def test_other_modes_are_shaded_too(open_page) -> None:
    searches, classes = (replace(one, settings=Settings(resamples=50)) for one in (searched(), classified()))
    known = {one.measure_set.mode: [bands_of(one)] for one in (searches, classes)}
    page = open_page(ReportContent(identification=[searches], classification=[classes], bands=known))
    assert page.locator("#chart-cmc .band").count() == 1
    assert page.locator("#chart-reliability .band").count() == 1
    assert "shaded" in page.locator("#chart-cmc .legend").inner_text()
    page.locator('#explore-classification label[for="classification-pr"]').click()
    assert page.locator('#explore-classification [data-part="trade"] .band').count() == 1


def test_names_of_the_other_vocabulary_move_too(open_page) -> None:
    page = open_page(ReportContent([verified("a"), verified("b", seed=4)], vocabulary=Vocabulary.ML))
    assert live_text(page, "matched").startswith("FPR ")
    assert "the same FPR or less" in page.locator(f"{EXPLORER} .follow").inner_text()
    assert page.locator(f'{EXPLORER} [data-point="FPR=0.001"]').count() == 1
