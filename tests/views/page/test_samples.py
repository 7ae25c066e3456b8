"""The page on quality, people and groups: what the terminal says of them, with a chart beside each table."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from views.page.cases import EVIL, border, verified

import bertillon as bt
from bertillon.analysis import Discarded, group_rates_of
from bertillon.core import LANGUAGES, AcceptRule
from bertillon.matching import groups_from
from bertillon.render import html_text, latex_text, markdown_text, report_json
from bertillon.views import (
    MOST_LABELS,
    MOST_POINTS,
    MOST_STEPS,
    Chart,
    Document,
    Matrix,
    Paragraphs,
    ReportContent,
    Section,
    Table,
    Vocabulary,
    page_of,
)


def section(page: Document, name: str) -> Section:
    return next(one for one in page.sections if one.id == name)


def blocks(page: Document, name: str, kind: type) -> list:
    return [block for block in section(page, name).blocks if isinstance(block, kind)]


def test_nothing_is_said_where_nobody_asked() -> None:
    shown = {one.id for one in page_of(ReportContent([verified()])).sections}
    assert shown == {"verification", "notes", "signature"}


def test_sections_stand_after_verification_and_every_chart_has_its_table() -> None:
    page = page_of(border())
    assert [one.id for one in page.sections][:4] == ["verification", "discard", "people", "groups"]
    for name in ("discard", "people", "groups"):
        assert blocks(page, name, Chart)
        assert len(blocks(page, name, Table)) >= len(blocks(page, name, Chart)) / 2


def test_groups_are_those_of_the_library_by_hand() -> None:
    content = border()
    page, (found,) = page_of(content), content.groups
    point = found.points[0]
    fnmr, fmr = blocks(page, "groups", Chart)[:2]
    assert fnmr.y.names == found.groups
    assert fnmr.lines[0].x == tuple(row.value for row in point.fnmr)
    assert fnmr.lines[0].spans == tuple((row.rate.interval.low, row.rate.interval.high) for row in point.fnmr)
    assert fmr.x.high == max(row.rate.interval.high for row in point.fmr)
    table = blocks(page, "groups", Table)[0]
    assert len(table.rows) == len(point.rows)
    assert [row[3].exact for row in table.rows[: len(found.groups)]] == [row.value for row in point.fnmr]
    square = blocks(page, "groups", Matrix)[0]
    assert square.labels == found.groups
    assert square.cells[0][1].text == square.cells[1][0].text
    assert max(max(row) for row in square.shares) == 1.0
    (apart,) = [table for table in blocks(page, "groups", Table) if table.id.endswith("-apart")]
    assert [row[4].exact for row in apart.rows[:2]] == [one.ratio for one in point.differentials]
    assert apart.rows[0][2].note == (point.differentials[0].highest.group,)


def test_a_ratio_that_cannot_be_had_and_a_group_without_comparisons_say_so() -> None:
    own, others = bt.TrialIds(["ann", "ann", "eve", "bob"]), bt.TrialIds(["ann", "ann", "eve"], ["eve", "bob", "bob"])
    scores = bt.ScoreSet([0.9, 0.4, 0.8, 0.7], [0.6, 0.1, 0.2], mated_ids=own, nonmated_ids=others, name="small")
    rates = bt.analysis.group_rates(scores, {"ann": "f", "eve": "f", "bob": "m"}, thresholds={"here": 0.5})
    page = page_of(ReportContent([bt.evaluate(scores, ["EER"])], groups=[rates]))
    (apart,) = [table for table in blocks(page, "groups", Table) if table.id.endswith("-apart")]
    assert apart.rows[0][4].text == "undefined"
    assert "FNMR at here has no ratio: no error was observed in m; a ratio needs" in apart.note
    assert "FMR has no comparisons in m." in apart.note
    assert [chart.y.names for chart in blocks(page, "groups", Chart)] == [("f", "m"), ("f",)]
    assert not any("highest" in chart.title for chart in blocks(page, "groups", Chart))
    rates = blocks(page_of(ReportContent([bt.evaluate(scores, ["EER"])], groups=[rates]), "it"), "groups", Table)[0]
    assert "Nessun intervallo: un solo soggetto non dice nulla degli altri." in rates.note
    square = blocks(page, "groups", Matrix)[0]
    assert (square.cells[1][1].text, square.shares[1][1]) == ("", 0.0)
    html_text(page)  # its data are strict JSON


def test_many_groups_are_drawn_in_part_and_have_no_square() -> None:
    content = border()
    scores = content.verification[0]
    people = sorted(set(scores.trials.mated_ids.probe_subject))
    rates = group_rates_of(scores, groups_from({who: f"g{place // 2}" for place, who in enumerate(people)}))
    page = page_of(ReportContent([scores], groups=[rates]))
    assert len(rates.groups) > MOST_LABELS
    assert blocks(page, "groups", Matrix) == []
    chart = blocks(page, "groups", Chart)[0]
    assert len(chart.y.names) == 15
    assert chart.title.endswith(": the 15 highest of 30")
    assert "not listed here: 425" in blocks(page, "groups", Table)[0].note


def test_discard_curves_are_staircases_of_the_library_by_hand() -> None:
    curve = bt.analysis.error_discard(bt.ScoreSet([0.2, 0.3, 0.9, 0.8, 0.7], []), [1, 2, 2, 3, 4], threshold=0.5)
    found = Discarded("small", AcceptRule.SIMILARITY, ("sharpness",), (curve,))
    page = page_of(ReportContent([verified()], discards=[found]))
    (chart,) = blocks(page, "discard", Chart)
    best, line = chart.lines
    assert (best.style, best.x, best.y) == (-1, (0.0, 0.4), (0.4, 0.0))
    assert line.x == pytest.approx((0.0, 0.2, 0.2, 0.5, 0.5))
    assert line.y == pytest.approx((0.4, 0.4, 0.25, 0.25, 0.25))
    assert line.notes[:3] == ("quality from 1: 2 of 5", "quality from 1: 2 of 5", "quality from 2: 1 of 4")
    errors, areas = blocks(page, "discard", Table)
    assert [row[2].exact for row in errors.rows] == [0.4, 0.4, 0.4, 0.25]
    assert areas.rows[0][1].exact == curve.partial_area(0.2)


def test_a_quality_the_wrong_way_round_is_warned_of_and_a_long_curve_is_thinned() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(2.0, 1.0, 5000)
    found = bt.ScoreSet(scores, scores)
    curve = bt.analysis.error_discard(found, -scores, threshold=1.0)
    page = page_of(ReportContent([verified()], discards=[Discarded("x", AcceptRule.SIMILARITY, ("nfiq",), (curve,))]))
    warning = "Discarding low quality raises the FNMR. If low values of nfiq mean good quality, negate them."
    assert warning in [said.text for said in page.warnings]
    (chart,) = blocks(page, "discard", Chart)
    assert len(chart.lines[1].x) <= 2 * MOST_STEPS + 1


def test_every_person_is_a_point_and_corners_hold_their_own() -> None:
    content = border()
    page, (zoo,) = page_of(content), content.people
    (chart,) = blocks(page, "people", Chart)
    assert sum(len(line.x) for line in chart.lines) == len(zoo.people)
    worms = next(line for line in chart.lines if line.name == "worms")
    assert set(worms.notes) == set(zoo["worm"])
    assert not any(line.joined for line in chart.lines)
    assert all(worms.shade.x[0] <= x <= worms.shade.x[1] for x in worms.x)
    spreads, corners, names = blocks(page, "people", Table)
    assert [row[2].exact for row in spreads.rows] == [one.errors for one in zoo.spreads]
    assert (corners.rows[0][3].text, corners.rows[0][3].note) == ("yes", ("p = 0.00029",))
    assert names.rows[0][1].text.startswith("t56 (0.562), t47")


def test_few_people_have_no_corners_and_very_many_are_drawn_in_part() -> None:
    def zoo(people: int) -> bt.analysis.Menagerie:
        ids, rng = np.arange(people), np.random.default_rng(1)
        given = bt.TrialIds(ids, ids), bt.TrialIds(ids, np.roll(ids, 1))
        return bt.analysis.menagerie(
            bt.ScoreSet(rng.normal(2, 1, people), rng.normal(0, 1, people), mated_ids=given[0], nonmated_ids=given[1])
        )

    few = page_of(ReportContent([verified()], people=[zoo(5)]), "it")
    assert [line.name for line in blocks(few, "people", Chart)[0].lines] == ["altri"]
    said = [one.text for one in blocks(few, "people", Paragraphs)[2].sentences]
    assert any(text.startswith("Non definito: 5 persone") for text in said)
    crowd = zoo(3 * MOST_POINTS)
    many = page_of(ReportContent([verified()], people=[crowd]))
    assert max(len(line.x) for line in blocks(many, "people", Chart)[0].lines) <= MOST_POINTS
    own = crowd.people.genuine.mean
    for line in blocks(many, "people", Chart)[0].lines:
        assert list(line.x) == [own[int(who)] for who in line.notes]
    assert (
        blocks(many, "people", Paragraphs)[2]
        .sentences[0]
        .text.startswith("Of very many people only an evenly spaced selection is drawn")
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_says_all_of_it_in_every_kind_of_report(lang: str) -> None:
    page = page_of(border(), lang)
    titles = [section(page, name).title for name in ("discard", "people", "groups")]
    text, tex = markdown_text(page), latex_text(page)
    assert all(f"## {title}" in text and title in tex for title in titles)
    assert not any(said.lang for one in page.sections[1:4] for said in _said(one))


def test_what_explains_a_chart_stays_on_the_page() -> None:
    page = page_of(border())
    assert "Each point is a person" in html_text(page)
    assert "Each point is a person" not in markdown_text(page)
    assert "every test has goats, lambs and wolves" in markdown_text(page)


def _said(one: Section) -> list:
    return [said for block in one.blocks if isinstance(block, Paragraphs) for said in block.sentences]


def test_names_are_text_whatever_they_hold() -> None:
    text = html_text(page_of(border(evil=True)))
    assert "<img" not in text
    assert EVIL.replace("<", "&lt;").replace(">", "&gt;") in text


def test_names_of_machine_learning_where_these_are_wanted() -> None:
    page = page_of(border(vocabulary=Vocabulary.ML))
    assert blocks(page, "groups", Chart)[0].title.startswith("FNR by group, EER")
    assert [line.name for line in blocks(page, "discard", Chart)[0].lines][2:] == ["FNR", "FPR"]


def test_several_systems_are_with_distinct_names() -> None:
    page = page_of(border(systems=2))
    for name in ("discard", "people", "groups"):
        titles = [chart.title for chart in blocks(page, name, Chart)]
        assert all(title.startswith(("border.csv: ", "again: ")) for title in titles)
        ids = [block.id for block in section(page, name).blocks if not isinstance(block, Paragraphs)]
        assert len(ids) == len(set(ids))


def test_the_data_of_the_page_hold_what_the_json_holds() -> None:
    content = border()
    told = json.loads(report_json(content))
    (kept,) = page_of(content).results
    for key in ("discard", "people", "groups"):
        assert json.loads(json.dumps(kept[key])) == told[key]
    assert not math.isnan(kept["discard"]["threshold"])
