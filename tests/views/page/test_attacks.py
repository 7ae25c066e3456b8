"""The page on attacks: the numbers of the library, every sentence translated, and names that stay text."""

from __future__ import annotations

import numpy as np
import pytest
from views.page.cases import EVIL, attacked, detected

import bertillon as bt
from bertillon.core import LANGUAGES
from bertillon.render import html_text, latex_text, markdown_text
from bertillon.views import Chart, Document, Table, page_of


def blocks(page: Document, kind: type) -> list:
    return [block for section in page.sections for block in section.blocks if isinstance(block, kind)]


def test_a_system_by_hand() -> None:
    found = attacked()
    page = page_of(found)
    assert (page.cards[0].name, page.cards[0].value.text, page.cards[0].errors) == (
        "IAPAR",
        "10.0 %".replace(" ", "\u00a0"),
        "5 of 50",
    )
    assert [card.name for card in page.cards] == ["IAPAR", "FMR", "FRR", "RIAPAR"]
    assert page.cards[1].errors == f"{found.fmr.result.errors} of 500"
    assert page.cards[2].errors == f"{found.frr.errors} of 200"
    species, others, _ = blocks(page, Table)
    assert [row[0].text for row in species.rows] == ["mask", "print", EVIL]
    assert [row[1].exact for row in species.rows] == [0.1, 0.0, 0.0]
    assert others.rows[2][1].exact == found.riapar
    assert page.verdicts[0].text == "Worst species: mask, IAPAR 10.0 %."


def test_the_worst_species_is_marked_where_rates_differ() -> None:
    found = bt.analysis.attack_rates(
        bt.ScoreSet([0.9, 0.8], [0.1, 0.2]), {"mask": [0.1, 0.9], "print": [0.1, 0.2]}, threshold=0.5
    )
    marked, *_ = blocks(page_of(found), Table)
    assert [(row[0].text, row[-1].text, row[-1].best) for row in marked.rows] == [
        ("mask", "worst", True),
        ("print", "", True),
    ]
    alike = bt.analysis.attack_rates(
        bt.ScoreSet([0.9, 0.8], [0.1, 0.2]), {"mask": [0.9], "print": [0.8]}, threshold=0.5
    )
    assert "worst" not in [cell.text for row in blocks(page_of(alike), Table)[0].rows for cell in row]


def test_a_detector_by_hand() -> None:
    found = detected()
    species, others, _ = blocks(page_of(found), Table)
    assert [column.heading for column in species.columns][1:] == [
        "APCER",
        "95 % interval",
        "taken for bona fide",
        "no response",
        "",
    ]
    assert [row[0].text for row in others.rows] == ["BPCER", "BPNRR", "BPCER10", "BPCER20", "BPCER100"]
    assert others.rows[0][1].exact == pytest.approx(4 / 99)
    assert others.rows[3][4].exact == found.at_apcer[1].threshold


@pytest.mark.parametrize("made", [attacked, detected])
def test_populations_hold_their_scores_and_the_threshold_stands_between_them(made) -> None:
    (chart,) = blocks(page_of(made()), Chart)
    *lines, at = chart.lines
    assert (at.style, at.x) == (-1, (0.5, 0.5))
    for line in lines:
        area = sum((b - a) * h for a, b, h in zip(line.x, line.x[1:], line.y[1:], strict=False))
        assert area == pytest.approx(1.0, abs=0.02)
    assert max(max(line.y) for line in lines) < chart.y.high


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("found", [attacked(), attacked(fmr=0.001), detected(), detected(apcer=0.05)])
def test_nothing_is_left_in_english(found, lang: str) -> None:
    page = page_of(found, lang)
    assert not any(said.lang for said in (*page.verdicts, *page.warnings))
    assert page.warnings
    assert blocks(page, Table)[0].caption in markdown_text(page)
    assert page.sections[0].title in latex_text(page)


def test_no_attack_that_came_through_and_limits_that_are_met_are_said_in_every_language() -> None:
    rng = np.random.default_rng(1)
    scores = bt.ScoreSet(rng.normal(0.8, 0.1, 20), rng.normal(0.2, 0.1, 50))
    safe = bt.analysis.attack_rates(scores, {"print": [0.1] * 200}, threshold=0.5)
    unknown = bt.analysis.attack_rates(scores, {"print": [0.1]}, threshold=0.5)
    for lang in LANGUAGES:
        for found in (safe, unknown):
            assert not any(said.lang for said in page_of(found, lang).verdicts)


def test_names_are_text_whatever_they_hold() -> None:
    assert "<img" not in html_text(page_of(attacked()))


def test_of_many_species_the_worst_are_drawn_and_all_are_in_the_table() -> None:
    scores = bt.ScoreSet([0.8, 0.9], [0.1, 0.2])
    many = {f"kind {place}": [0.1] * 9 + [0.5 + place / 20] for place in range(8)}
    page = page_of(bt.analysis.attack_rates(scores, many, threshold=0.6))
    assert blocks(page, Chart)[0].title.endswith(": the 5 worst species")
    assert len(blocks(page, Table)[0].rows) == 8


def test_what_is_needed_to_repeat_it_stands_at_the_end() -> None:
    found = attacked()
    [table] = [block for section in page_of(found).sections if section.id == "signature" for block in section.blocks]
    facts = {row[0].text: row[1].text for row in table.rows}
    assert facts["data"] == found.signature["data"]
    assert facts["threshold"] == f"t={found.threshold:g}" or facts["threshold"] == found.fixed_by
    assert facts["level"] == "0.95"
