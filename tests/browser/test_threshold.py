"""One threshold for all charts and numbers, and every number exactly what the library computes there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from browser.reading import EXPLORER, box_of, drag, handle, live, live_text, press, row, threshold
from views.page.cases import classified, searched, verified

import bertillon as bt
from bertillon.analysis import daily_load
from bertillon.evaluation import Evaluation
from bertillon.views import DailyUse, ReportContent, WatchListUse

USE = DailyUse(genuine=700, impostor=30, cost_accept=50, cost_reject=3)


def assert_exact(page: Any, evaluation: Evaluation, use: DailyUse = USE) -> None:
    """FMR, FNMR and what they mean in a day are the library's at the threshold shown, to the last bit."""
    t = threshold(page)
    counted, counts, failures = evaluation.trials.outcomes(t), evaluation.counts, evaluation.trials.failures
    assert live(page, "matched") == counted.false_match / counts["nonmated"]
    assert live(page, "missed") == counted.false_nonmatch / counts["mated"]
    far = counted.false_match / (counts["nonmated"] + failures.nonmated)
    frr = (counted.false_nonmatch + failures.mated) / (counts["mated"] + failures.mated)
    day = bt.analysis.forecast(far, frr, genuine=use.genuine, impostor=use.impostor)
    assert live(page, "day_matched") == day.false_accepts
    assert live(page, "day_missed") == day.false_rejects
    assert live(page, "cost") == use.cost_accept * day.false_accepts + use.cost_reject * day.false_rejects
    assert f"{counted.false_match:,} of {counts['nonmated']:,}" in live_text(page, "matched")


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_arrow_keys_move_it_and_thresholds_grow_to_the_right(open_page, rule: str) -> None:
    evaluation = verified(rule=rule)
    page = open_page(ReportContent([evaluation], use=USE))
    assert threshold(page) == evaluation["EER"].threshold
    assert_exact(page, evaluation)
    before = threshold(page)
    press(page, "ArrowRight", 5)
    assert threshold(page) > before
    assert_exact(page, evaluation)
    press(page, "ArrowLeft", 12)
    assert threshold(page) < before
    assert_exact(page, evaluation)
    press(page, "PageUp", 2)
    assert_exact(page, evaluation)


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_the_strict_end_rejects_everything(open_page, rule: str) -> None:
    page = open_page(ReportContent([verified(rule=rule)]))
    press(page, "End" if rule == "similarity" else "Home")
    assert page.locator(f"{EXPLORER} .threshold").inner_text() == "rejects all"
    assert (live(page, "matched"), live(page, "missed")) == (0.0, 1.0)
    assert live_text(page, "matched") == "FMR 0 % 0 of 3,000"


def test_infinite_scores_are_told_from_the_end_that_rejects_all(open_page) -> None:
    evaluation = bt.evaluate(bt.ScoreSet([1.0, float("inf")], [0.0, float("inf")]))
    page = open_page(ReportContent([evaluation]))
    press(page, "End")
    assert page.locator(f"{EXPLORER} .threshold").inner_text() == "rejects all"
    press(page, "ArrowLeft")
    assert page.locator(f"{EXPLORER} .threshold").inner_text() == "∞"
    assert (live(page, "matched"), live(page, "missed")) == (0.5, 0.5)


@pytest.mark.parametrize("part", ["rates", "scores", "cost"])
def test_dragging_the_line_of_a_chart_moves_all_of_them(open_page, part: str) -> None:
    evaluation = verified()
    page = open_page(ReportContent([evaluation], use=USE))
    before = page.locator(f'{EXPLORER} [data-part="trade"] .here').get_attribute("cx")
    drag(page, part, 0.5, 0.7)
    assert_exact(page, evaluation)
    places = [handle(page, one) for one in ("rates", "scores", "cost")]
    assert max(places) - min(places) < 0.002
    assert places[0] == pytest.approx(0.68, abs=0.05)
    assert page.locator(f'{EXPLORER} [data-part="trade"] .here').get_attribute("cx") != before


def test_dragging_along_the_curve_moves_it_too(open_page) -> None:
    evaluation = verified()
    page = open_page(ReportContent([evaluation], use=USE))
    before = threshold(page)
    drag(page, "trade", 0.5, 0.3)
    assert threshold(page) > before
    assert_exact(page, evaluation)
    press(page, "ArrowLeft")  # the keys go on from where the pointer left it
    assert_exact(page, evaluation)


def test_presets_jump_to_the_thresholds_of_the_library(open_page) -> None:
    evaluation = verified()
    page = open_page(ReportContent([evaluation], use=USE))
    for point, measure in (("FMR=0.001", "FNMR@FMR=0.001"), ("ZeroFMR", "ZeroFMR"), ("EER", "EER")):
        button = page.locator(f'{EXPLORER} [data-point="{point}"]')
        button.click()
        assert threshold(page) == evaluation[measure].threshold
        assert button.get_attribute("aria-pressed") == "true"
        assert_exact(page, evaluation)


def test_the_least_cost_is_that_of_the_library_for_costs_typed_in(open_page) -> None:
    """SPEC V10: no comparison failed, so that a day's cost is that of an attempt times the attempts."""
    scores = bt.ScoreSet(verified().trials.mated, verified().trials.nonmated)
    page = open_page(ReportContent([bt.evaluate(scores)]))
    for name, value in {"genuine": "9900", "impostor": "100", "cost_accept": "500", "cost_reject": "2"}.items():
        page.fill(f"#verification-{name}", value)
    page.click(f'{EXPLORER} [data-point="cheapest"]')
    best = bt.evaluate(scores, "minCost(cfa=500,cfr=2,impostor=0.01)")["minCost(cfa=500,cfr=2,impostor=0.01)"]
    assert live(page, "cost") == pytest.approx(best.value * 10_000, rel=1e-12)


@pytest.mark.parametrize("measures", [["AUC"], ["AUC", "minCost(fn=20,fp=1)"]])
def test_the_least_cost_of_a_classifier_is_that_of_its_measure_until_a_mix_is_typed_in(open_page, measures) -> None:
    """Positives are rare, so that any other mix has another threshold."""
    rng = np.random.default_rng(0)
    truth = (rng.random(1000) < 0.03).astype(int)
    shares = 1 / (1 + np.exp(3.5 - rng.normal(size=1000) - 2.2 * truth))
    found = bt.evaluate(bt.Predictions.from_probabilities(truth, shares), measures)
    page = open_page(ReportContent(classification=[found]))
    place = "#explore-classification"
    assert "The mix is that of the data" in page.locator(f"{place} .use .note").inner_text()
    assert page.input_value("#classification-genuine") == str(truth.sum())
    page.click(f'{place} [data-point="cheapest"]')
    least = found[measures[1] if len(measures) > 1 else "minCost(fn=1,fp=1)"]
    assert threshold(page, place) == least.threshold
    assert live(page, "cost", explorer=place) == pytest.approx(1000 * least.value)
    page.emulate_media(media="print")
    assert page.locator(f'{place} [data-number="cost"]').is_hidden()
    page.emulate_media(media="screen")
    page.fill("#classification-genuine", "5000")
    page.click(f'{place} [data-point="cheapest"]')
    assert threshold(page, place) < least.threshold
    page.emulate_media(media="print")
    assert page.locator(f'{place} [data-number="cost"]').is_visible()


def test_what_is_typed_in_badly_is_said_and_gives_no_number(open_page) -> None:
    page = open_page(ReportContent([verified()]))
    page.fill("#verification-impostor", "-3")
    assert page.locator("#verification-impostor").get_attribute("aria-invalid") == "true"
    assert page.locator("#verification-impostor-fault").inner_text() == "expected a number, 0 or more"
    assert live_text(page, "day_matched") == "false accepts per day –"
    page.fill("#verification-impostor", "1e3")
    assert page.locator("#verification-impostor").get_attribute("aria-invalid") == "false"
    assert live(page, "day_matched") == pytest.approx(live(page, "matched") * 3000 / 3003 * 1000, rel=1e-12)


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_a_typed_threshold_is_used_exactly(open_page, rule: str) -> None:
    evaluation = verified(rule=rule)
    page = open_page(ReportContent([evaluation, verified("new", seed=5, rule=rule)], use=USE))
    for typed in (0.1234567, 4.005, 2.5, 99.0, -99.0):
        page.fill("#verification-typed", str(typed))
        page.keyboard.press("Enter")
        assert threshold(page) == typed
        assert_exact(page, evaluation)
    assert page.locator(f"{EXPLORER} .threshold").inner_text() == "-99"
    press(page, "ArrowRight")
    assert_exact(page, evaluation)


def test_a_typed_threshold_whose_counts_are_not_kept_goes_to_the_next_stricter_one(open_page) -> None:
    rng = np.random.default_rng(0)
    evaluation = bt.evaluate(bt.ScoreSet(rng.normal(2, 1, 5000), rng.normal(0, 1, 50_000)))
    page = open_page(ReportContent([evaluation], use=USE))
    page.fill("#verification-typed", "0.7")
    page.keyboard.press("Enter")
    assert 0.7 < threshold(page) < 0.71
    assert "0.7 lies between two kept thresholds" in page.locator("#verification-kept").inner_text()
    assert_exact(page, evaluation)
    page.fill("#verification-typed", "-50")
    page.keyboard.press("Enter")
    assert threshold(page) == -50  # everything is accepted there, too
    assert_exact(page, evaluation)


def test_a_typed_threshold_that_is_none_is_refused(open_page) -> None:
    evaluation = bt.evaluate(bt.ScoreSet([2, 3, 4], [0, 1, 2]))
    page = open_page(ReportContent([evaluation]))
    page.fill("#verification-typed", "2.7")
    page.keyboard.press("Enter")
    assert threshold(page) == 2.7
    assert "exactly those at the typed one" in page.locator("#verification-kept").inner_text()
    page.fill("#verification-typed", "2")
    page.keyboard.press("Enter")
    assert threshold(page) == 2.0
    assert page.locator("#verification-kept").inner_text() == "one of 7 thresholds"
    page.fill("#verification-typed", "two")
    page.keyboard.press("Enter")
    assert page.locator("#verification-typed").get_attribute("aria-invalid") == "true"
    assert threshold(page) == 2.0


def test_hover_reads_exact_values(open_page) -> None:
    evaluation = verified()
    page = open_page(ReportContent([evaluation]))
    box = box_of(page, "rates")
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.5)
    t, matched, missed = page.locator('[data-part="rates"] .tip').inner_text().replace("\u00a0", " ").splitlines()
    counted = evaluation.trials.outcomes(float(t.removeprefix("t = ")))
    assert matched.endswith(f"{counted.false_match:,} of 3,000")
    assert missed.endswith(f"{counted.false_nonmatch:,} of 300")


def test_other_systems_stand_at_the_same_rate_or_less(open_page) -> None:
    """SPEC V13: each at its own threshold, exactly."""
    old, new = verified("old", 2.0), verified("new", 3.0, rule="distance", seed=5)
    page = open_page(ReportContent([old, new]))
    press(page, "ArrowRight", 7)
    counted = new.trials.outcomes(row(page, 1, "threshold"))
    assert row(page, 1, "matched") == counted.false_match / 3000 <= live(page, "matched")
    assert row(page, 1, "missed") == counted.false_nonmatch / 300
    page.select_option("#verification-lead", label="new")
    assert threshold(page) == row(page, 1, "threshold")
    before = threshold(page)
    press(page, "ArrowRight")
    assert threshold(page) > before


def test_a_system_stands_where_its_twin_stands(open_page) -> None:
    page = open_page(ReportContent([verified("one"), verified("twin")]))
    press(page, "ArrowRight", 4)
    assert row(page, 1, "matched") == live(page, "matched")


def test_other_systems_can_stand_at_the_same_threshold(open_page) -> None:
    old, new = verified("old", 2.0), verified("new", 3.0, seed=5)
    page = open_page(ReportContent([old, new]))
    page.select_option("#verification-follow", "threshold")
    press(page, "ArrowLeft", 9)
    assert row(page, 1, "threshold") >= threshold(page)
    counted = new.trials.outcomes(row(page, 1, "threshold"))
    assert row(page, 1, "missed") == counted.false_nonmatch / 300


def test_systems_can_be_left_out_but_never_all(open_page) -> None:
    page = open_page(ReportContent([verified("old", 2.0), verified("new", 3.0, seed=5)]))
    lines = page.locator('[data-part="trade"] .line:not(.guide)')
    assert lines.count() == 2
    page.uncheck("#verification-system-0")
    assert lines.count() == 1
    assert page.locator("#verification-lead").input_value() == "1"
    page.click("#verification-system-1")
    assert page.locator("#verification-system-1").is_checked()
    assert lines.count() == 1


def test_modes_of_one_matcher_move_together(open_page) -> None:
    one, searches = verified(), searched()
    page = open_page(ReportContent([one], [searches], same_scores=True))
    press(page, "ArrowRight", 4)
    there = "#explore-identification"
    assert threshold(page, there) >= threshold(page)
    press(page, "ArrowLeft", 20, there)
    assert threshold(page) >= threshold(page, there)
    assert_exact(page, one, DailyUse(1000, 100, 1, 1))


def test_a_watch_list_in_a_day_is_that_of_the_library(open_page) -> None:
    """SPEC O6."""
    searches = searched()
    page = open_page(ReportContent(identification=[searches], search_use=WatchListUse(100_000, 12, 0.002)))
    there = "#explore-identification"
    press(page, "ArrowRight", 6, there)
    curve = searches.tally.watch_list_curve
    place = curve.threshold.tolist().index(threshold(page, there))
    assert live(page, "matched", there) == curve.fpir[place]
    assert live(page, "missed", there) == curve.fnir[place]
    assert live(page, "found", there) == curve.dir[place]
    load = daily_load(curve.fpir[place], curve.fnir[place], passers=100_000, minutes=12, on_list=0.002)
    assert live(page, "day_matched", there) == pytest.approx(load.false_alarms, rel=1e-15)
    assert live(page, "hours", there) == pytest.approx(load.hours, rel=1e-15)
    assert live(page, "day_missed", there) == pytest.approx(load.misses, rel=1e-15)
    page.fill("#identification-on_list", "2")
    assert "0 to 1" in page.locator("#identification-on_list-fault").inner_text()


def test_precision_and_recall_are_those_of_the_library(open_page) -> None:
    """SPEC K2, K6."""
    evaluation = classified()
    page = open_page(ReportContent(classification=[evaluation]))
    there = "#explore-classification"
    assert threshold(page, there) == 0.5
    press(page, "ArrowRight", 15, there)
    [shown] = evaluation.tally.thresholds([threshold(page, there)]).to_dicts()
    assert live(page, "precision", there) == shown["precision"]
    assert live(page, "found", there) == shown["recall"]
    assert live(page, "matched", there) == shown["fpr"]


def test_what_is_read_aloud_says_threshold_and_both_rates(open_page) -> None:
    page = open_page(ReportContent([bt.evaluate(bt.ScoreSet([2, 3, 4, 5], [0, 1, 2, 3]))]), lang="it")
    press(page, "Home")
    said = page.locator(f"{EXPLORER} .slider").get_attribute("aria-valuetext").replace("\u00a0", " ")
    assert said == "soglia 0: FMR 100 %, FNMR 0 %"
