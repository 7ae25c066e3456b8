"""The page on systems set against each other: verdicts as a matrix, in order, and differences with intervals."""

from __future__ import annotations

import numpy as np
import pytest

import bertillon as bt
from bertillon.stats import Settings
from bertillon.views import Chart, Document, Table, page_of

SETTINGS = Settings(resamples=400)


def compared(*names: str, every_pair: bool = True) -> bt.evaluation.Comparison:
    """Systems whose genuine scores lie the lower, the later they stand; the last two are nearly alike."""
    rng = np.random.default_rng(4)
    mated, nonmated = rng.normal(3, 1, 300), rng.normal(0, 1, 2000)
    lower = [0.0, 0.8, 1.6, 1.6]
    systems = {
        name: (mated - by + rng.normal(0, 0.1, 300), nonmated)
        for name, by in zip(names, lower[-len(names) :], strict=True)
    }
    return bt.compare(systems, ["EER", "AUC"], every_pair=every_pair, settings=SETTINGS)


@pytest.fixture(scope="module")
def page() -> Document:
    return page_of(compared("w", "x", "y", "z"))


def blocks(page: Document, kind: type) -> list:
    return [block for section in page.sections for block in section.blocks if isinstance(block, kind)]


def test_the_page_has_a_title_of_its_own_and_begins_with_the_comparison(page: Document) -> None:
    assert page.title == "Comparison report"
    assert [section.id for section in page.sections][:2] == ["comparison", "verification"]
    assert page.headline is None
    assert [said.text for said in page.verdicts] == ["w is better than every other system: EER, AUC."]


def test_without_a_ranking_the_page_opens_with_each_system_against_the_first() -> None:
    page = page_of(compared("w", "x", "y", every_pair=False))
    said = [str(each.text) for each in page.verdicts]
    assert said == ["x is worse than w: EER, AUC.", "y is worse than w: EER, AUC."]


def test_the_matrix_says_who_is_better_with_the_corrected_p(page: Document) -> None:
    [eer, auc] = [table for table in blocks(page, Table) if table.id.startswith("verdicts")]
    assert [row[0].text for row in eer.rows] == ["w", "x", "y", "z"]
    assert [row[2].text for row in eer.rows] == ["a", "b", "c", "c"]
    assert [column.heading for column in eer.columns][3:] == ["w", "x", "y", "z"]
    assert [cell.text for cell in eer.rows[0][3:]] == ["–", "better", "better", "better"]
    assert [cell.text for cell in eer.rows[3][3:]] == ["worse", "worse", "not shown", "–"]
    found = {(d.first, d.second): d for pair in compared("w", "x", "y", "z").pairs for d in pair.differences[:1]}
    assert eer.rows[0][4].note == (f"p = {found['w', 'x'].adjusted_p:.2g}",)
    assert "adjusted for 12 tests (Holm)" in auc.note
    assert "share a letter" in auc.note


def test_the_forest_has_a_panel_for_each_unit_and_a_row_for_each_pair(page: Document) -> None:
    [rates, areas] = [chart for chart in blocks(page, Chart) if chart.id.startswith("forest")]
    assert len(rates.y.names) == len(areas.y.names) == 6
    [_, line] = rates.lines
    [first, *_] = compared("w", "x", "y", "z").pairs
    eer = first.differences[0]
    assert line.x[0] == pytest.approx(100 * eer.difference)
    assert line.spans[0] == pytest.approx((100 * eer.interval.low, 100 * eer.interval.high))


def test_pairs_that_were_not_tested_are_said_and_nobody_is_ranked() -> None:
    page = page_of(compared("w", "x", "y", every_pair=False))
    [table] = [table for table in blocks(page, Table) if table.id == "verdicts"]
    assert [[cell.text for cell in row] for row in table.rows] == [["x", "worse", "worse"], ["y", "worse", "worse"]]
    said = [sentence.text for block in page.sections[0].blocks for sentence in getattr(block, "sentences", ())]
    assert any("Only pairs with w were tested" in text for text in said)


def test_two_systems_have_their_verdicts_at_the_top() -> None:
    page = page_of(compared("old", "new"))
    assert len(page.verdicts) == 2
    assert "new" in page.verdicts[0].text
