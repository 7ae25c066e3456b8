"""The page before a browser opens it: what it says, what it keeps, and that nothing in it can run."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from views.page.cases import EVIL, classified, everything, searched, verified

import bertillon as bt
from bertillon.core import LANGUAGES, InputError, catalogue
from bertillon.measures import VERIFICATION
from bertillon.render import html_text
from bertillon.stats import Interval, compare_systems
from bertillon.views import (
    Cell,
    DailyUse,
    Document,
    Estimate,
    Matrix,
    ReportContent,
    Section,
    Table,
    Unit,
    WatchListUse,
    page_of,
    shown,
)


def _tables(page: Document) -> dict[str, Table]:
    return {block.id: block for section in page.sections for block in section.blocks if isinstance(block, Table)}


def _cell(table: Table, row: str, column: str) -> str:
    place = [one.heading for one in table.columns].index(column)
    return next(cells[place].text for cells in table.rows if cells[0].text == row)


def _data(text: str) -> dict:
    block = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', text, re.DOTALL)
    assert block is not None
    return json.loads(block[1], parse_constant=pytest.fail)


class _Elements(HTMLParser):
    """The elements of a page, and the attributes of each."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_one_system_is_said_in_one_sentence_with_its_headline_numbers() -> None:
    page = page_of(ReportContent([verified("gate 3")]))
    assert page.sentences[0].text == (
        "gate 3 was measured in verification (1:1) on 300 mated (genuine) and 3,000 non-mated (impostor) comparisons. "
        "Failed comparisons: 5."
    )
    assert [card.name for card in page.cards] == ["EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "AUC"]
    assert page.verdicts[0].text.startswith("EER ")
    assert any("5 failed comparisons" in warning.text for warning in page.warnings)
    assert [section.id for section in page.sections] == ["verification", "notes", "signature"]


def test_measures_stand_in_a_table_with_intervals_to_the_digits_they_support() -> None:
    evaluation = verified()
    sure = replace(evaluation, intervals={"EER": Interval(0.0612, 0.0788), "AUC": Interval(0.97123, 0.98345)})
    table = _tables(page_of(ReportContent([sure])))["measures"]
    value = evaluation["EER"].value * 100
    assert _cell(table, "EER", "value") == f"{value:.1f}\u00a0%"
    assert _cell(table, "EER", "95 % interval") == "6.1 to 7.9\u00a0%"
    assert _cell(table, "AUC", "95 % interval") == "0.971 to 0.983"
    assert _cell(table, "ZeroFMR", "95 % interval") == ""


@pytest.mark.parametrize(
    ("name", "result", "interval", "text"),
    [
        ("EER", bt.measures.Result(0.0234567), None, "2.346\u00a0%"),
        ("EER", bt.measures.Result(0.0234567), Interval(0.02, 0.03), "2.35\u00a0%"),
        ("EER", bt.measures.Result(0.0234567), Interval(0.0, 0.4), "2.3\u00a0%"),
        ("EER", bt.measures.Result(0.0234567), Interval(0.0234566, 0.0234568), "2.345670\u00a0%"),
        ("FNMR@FMR=0.01", bt.measures.Result(0.0, 0.5, 0, 600), Interval(0.0, 0.01), "0 (< 1.0\u00a0%)"),
        ("EER", bt.measures.Result.undefined("no mated scores"), None, "undefined"),
        ("FM@t=0.5", bt.measures.Result(12345), None, "12,345"),
        ("dprime", bt.measures.Result(math.inf), Interval(math.inf, math.inf), "inf"),
        ("minCost(cfa=1,cfr=1,impostor=0.5)", bt.measures.Result(123456.7), None, "123457"),
    ],
)
def test_values_by_hand(name: str, result: bt.measures.Result, interval: Interval | None, text: str) -> None:
    assert str(shown(Estimate(result, interval), Unit(VERIFICATION.unit_of(name)))) == text


def test_what_to_expect_is_that_of_the_library_by_hand() -> None:
    """SPEC V12: 10 genuine and 90 impostor attempts; failures are attempts that were not accepted."""
    scores = bt.ScoreSet([0.9, 0.8, 0.3, math.nan], [0.5, 0.1, math.nan, 0.2])
    use = DailyUse(genuine=100, impostor=40, cost_accept=3, cost_reject=2)
    page = page_of(ReportContent([bt.evaluate(scores, ["FMR@t=0.5"])], use=use))
    table = _tables(page)["expected"]
    [row] = [row for row in table.rows if row[0].text == "t=0.5"]
    assert [cell.exact for cell in row[1:]] == [0.5, 0.25, 0.5, 10.0, 50.0, 130.0]


@pytest.mark.parametrize("use", [None, DailyUse(), DailyUse(cost_accept=3)])
def test_no_use_no_table_of_invented_attempts(use: DailyUse | None) -> None:
    assert "expected" not in _tables(page_of(ReportContent([verified()], use=use)))


def test_no_costs_that_nobody_gave() -> None:
    asked = DailyUse(genuine=100, impostor=40)
    table = _tables(page_of(ReportContent([verified()], use=asked)))["expected"]
    assert [column.heading for column in table.columns][-1] == "false rejects"
    assert table.notes == ()
    given = replace(asked, cost_accept=500.0, cost_reject=2.0)
    priced = _tables(page_of(ReportContent([verified()], use=given)))["expected"]
    assert priced.notes == ("A false accept costs 500, a false reject 2.",)


def test_regions_of_a_watch_list() -> None:
    """SPEC O6: five regions; misses only where the share on the list is known."""
    known = _tables(page_of(ReportContent(identification=[searched()], search_use=WatchListUse(1000, 15, 0.01))))[
        "regions-0"
    ]
    assert len(known.rows) == 5
    assert [column.heading for column in known.columns][-1] == "people missed"
    use = WatchListUse(1000, 15)
    passing = _tables(page_of(ReportContent(identification=[searched()], search_use=use)))["regions-0"]
    assert len(passing.columns) == len(known.columns) - 1


def test_nobody_said_how_many_pass_so_no_day_is_shown() -> None:
    """SPEC O6: regions without traffic are rates, without alarms, hours and a day that nobody described."""
    page = page_of(ReportContent(identification=[searched()]))
    table = _tables(page)["regions-0"]
    assert [column.heading for column in table.columns] == ["region", "target", "threshold", "FPIR", "DIR"]
    assert {len(row) for row in table.rows} == {5}
    assert table.caption == "Five operating regions of the watch list"
    assert any("example" in said for explorer in page.explorers for said in explorer.assumed)


def test_searches_say_why_people_are_missed() -> None:
    """SPEC O2: where an FPIR of 1 % can be measured, which takes 300 searches (rule of 3)."""
    enough, few = (page_of(ReportContent(identification=[searched(n=n)])) for n in (300, 299))
    assert any(said.text.startswith("At FPIR 0.01: FNIR ") for said in enough.verdicts)
    assert not any("FNIR" in said.text for said in few.verdicts)


def test_a_closed_set_has_ranks_and_no_threshold() -> None:
    page = page_of(ReportContent(identification=[searched(open_set=False)]))
    assert page.explorers == []
    assert [chart.id for chart in page.charts] == ["cmc"]
    assert "closed-set" in page.sentences[0].text


def test_rank_curves_keep_every_rank_at_which_they_rise_by_hand() -> None:
    searches = bt.SearchSet.from_ranks([1, 1, 4, 4, 9], gallery_size=12)
    [chart] = page_of(ReportContent(identification=[bt.evaluate(searches)])).charts
    [line] = chart.lines
    kept = dict(zip(line.x, line.y, strict=True))
    assert {k: kept[k] for k in (1, 3, 4, 8, 9, 12)} == {1: 0.4, 3: 0.4, 4: 0.8, 8: 0.8, 9: 1.0, 12: 1.0}
    assert 6 not in kept


def test_classification_is_complete() -> None:
    """SPEC K13: confusion matrix, curves with a threshold, calibration, measures."""
    page = page_of(ReportContent(classification=[classified()]))
    [section] = [one for one in page.sections if one.id == "classification"]
    assert {type(block).__name__ for block in section.blocks} == {"Paragraphs", "Explorer", "Matrix", "Chart", "Table"}
    [matrix] = [block for block in section.blocks if isinstance(block, Matrix)]
    assert sum(cell.exact for row in matrix.cells for cell in row) == 400
    assert [mark.name for mark in page.explorers[0].systems[0].marks][:2] == ["t=0.5", "Youden"]


def test_several_classes_have_a_matrix_and_a_table_a_class() -> None:
    page = page_of(ReportContent(classification=[classified(classes=4)]))
    assert page.explorers == []
    assert [row[0].text for row in _tables(page)["classes-0"].rows] == ["0", "1", "2", "3", "[macro]"]


def test_many_classes_have_their_worst_confusions() -> None:
    page = page_of(ReportContent(classification=[classified(classes=40)]))
    worst = _tables(page)["confusion-0"]
    counts = [row[2].exact for row in worst.rows]
    assert len(counts) == 25
    assert counts == sorted(counts, reverse=True)
    assert all(row[0].text != row[1].text for row in worst.rows)


def test_systems_are_compared_in_words_and_at_a_few_rates() -> None:
    """SPEC V13: the lowest FNMR of each FMR is marked."""
    page = page_of(ReportContent([verified("old", 2.0), verified("new", 4.0, seed=5)]))
    [section] = [one for one in page.sections if one.id == "comparison"]
    table = _tables(page)["ranking"]
    assert [row[0].text for row in table.rows if row[1].best] == ["new"]
    assert "dominates" in section.blocks[0].sentences[0].text


def test_tested_differences_have_a_table_and_a_verdict() -> None:
    old, new = verified("old", 2.0), verified("new", 4.0, seed=5)
    found = compare_systems([old.trials, new.trials], ["EER"], by=["row"], paired=False)
    page = page_of(ReportContent.of([old, new], found))
    assert page.title == "Comparison report"
    assert "new is better than old" in page.verdicts[0].text
    assert page.headline is None
    [row] = _tables(page)["tested-0"].rows
    assert row[3].exact == new["EER"].value - old["EER"].value


def test_a_warning_that_many_share_is_said_once() -> None:
    page = page_of(ReportContent([verified("old"), verified("new", seed=5)]))
    failed = [warning for warning in page.warnings if "failed comparisons" in warning.text]
    assert [warning.about for warning in failed] == ["old, new"]


def test_systems_of_one_name_are_not_compared_in_words() -> None:
    page = page_of(ReportContent([verified("same"), verified("same", seed=5)]))
    [section] = [one for one in page.sections if one.id == "comparison"]
    assert [type(block).__name__ for block in section.blocks] == ["Table"]


def test_nothing_to_report_is_refused() -> None:
    with pytest.raises(InputError, match="nothing was evaluated"):
        page_of(ReportContent())


@pytest.mark.parametrize("scores", [bt.ScoreSet([1.0], []), bt.ScoreSet([], [1.0]), bt.ScoreSet([1.0], [1.0])])
def test_a_page_can_be_made_of_next_to_nothing(scores: bt.ScoreSet) -> None:
    text = html_text(page_of(ReportContent([bt.evaluate(scores)])))
    assert _data(text)["explorers"][0]["systems"][0]["name"] == ""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_mode_is_made_in_every_language(lang: str) -> None:
    text = html_text(page_of(everything(), lang))
    assert f'<html lang="{lang}"' in text
    assert catalogue(lang)("page.section.notes") in html.unescape(text)
    assert len(text.encode()) < 2_000_000


def test_the_same_findings_give_the_same_bytes() -> None:
    assert html_text(page_of(everything())) == html_text(page_of(everything()))


def test_names_are_text_and_never_markup() -> None:
    text = html_text(page_of(everything()))
    assert "<img" not in text
    assert html.escape(EVIL) in text
    assert {one["name"] for one in _data(text)["explorers"][0]["systems"]} == {"old", "new", EVIL}
    elements = _Elements(text).found
    assert {tag for tag, _ in elements} & {"img", "iframe", "link", "object", "embed", "form"} == set()
    inline = [name for _, attributes in elements for name in attributes if name.startswith("on") or name == "style"]
    assert inline == []
    assert [attributes for tag, attributes in elements if tag == "script" and "src" in attributes] == []


def test_names_in_tables_break_behind_their_sign_only_and_turn_no_text_round() -> None:
    rows = [(Cell("<img>\u202eFNMR@FMR=3 %"), Cell(1.0))]
    table = Table.under(["measure", "value"], rows, id="t", caption="")
    section = Section("s", "", (table,))
    assert ">&lt;img&gt;\\u202eFNMR@<wbr>FMR=3\u00a0%</th>" in html_text(Document(sections=(section,), lang="en"))


@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "\u2028&<!--", '"><svg onload=alert(1)>'])
def test_data_cannot_end_its_block(name: str) -> None:
    text = html_text(page_of(ReportContent([verified(name)])))
    assert _data(text)["explorers"][0]["systems"][0]["name"] == name
    assert text.count("</script>") == 2
    block = text[text.index('id="page-data"') :]
    assert not set("<&\u2028") & set(block[block.index(">") + 1 : block.index("</script>")])


def test_the_policy_allows_this_script_and_this_style_and_nothing_else() -> None:
    text = html_text(page_of(ReportContent([verified()])))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    said = html.unescape(policy[1])
    for tag in ("script", "style"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert inside is not None
        digest = base64.b64encode(hashlib.sha256(inside[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in said
    assert said.startswith("default-src 'none'")
    assert "unsafe" not in said


def test_infinite_and_undefined_numbers_survive_as_strict_json() -> None:
    page = page_of(ReportContent([bt.evaluate(bt.ScoreSet([0.2], [0.9, 0.1]), ["ZeroFMR", "GFAR@t=0.5"])]))
    system = _data(html_text(page))["explorers"][0]["systems"][0]
    assert system["threshold"][-1] == "inf"
    assert "ZeroFMR" in {mark["name"] for mark in system["marks"]}


def test_the_script_asks_for_no_eval_and_no_network() -> None:
    text = html_text(page_of(ReportContent([verified()])))
    script = text[text.rindex("<script>") :]
    for word in (
        "eval(",
        "new Function",
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "fetch(",
        "XMLHttp",
    ):
        assert word not in script
    assert re.findall(r"https?://[^\"'\s]+", text) == ["http://www.w3.org/2000/svg"]


def test_comparisons_are_genuine_and_samples_positive_also_in_what_an_area_means() -> None:
    (verification,) = [card.meaning for card in page_of(ReportContent([verified()])).cards if str(card.name) == "AUC"]
    (samples,) = [
        card.meaning for card in page_of(ReportContent(classification=[classified()])).cards if str(card.name) == "AUC"
    ]
    assert str(verification) == "probability that a genuine comparison matches better than an impostor one"
    assert str(samples) == "probability that a positive scores higher than a negative"
