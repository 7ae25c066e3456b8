"""Tables that are sorted and copied, and the data taken away."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from browser.reading import EXPLORER
from views.page.cases import EVIL, searched, verified

from bertillon.views import ReportContent

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


def column(page: Any, table: str, place: int = 1) -> list[str]:
    cells = page.locator(f"#{table} tbody tr > :nth-child({place})").all_inner_texts()
    return [cell.replace("\u00a0", " ").partition("\n")[0] for cell in cells]


def copied(page: Any, table: str, form: str) -> str:
    page.click(f'#{table} [data-copy="{form}"]')
    page.wait_for_selector("#status.seen")
    return page.evaluate("navigator.clipboard.readText()")


def test_a_column_sorts_up_down_and_back(open_page) -> None:
    content = ReportContent([verified("b", 2.0), verified("a", 3.0, seed=5), verified("c", 1.0, seed=6)])
    page = open_page(content)
    assert column(page, "headline") == ["b", "a", "c"]
    head = page.locator("#headline thead th").nth(1)
    head.locator("button").click()
    assert column(page, "headline") == ["a", "b", "c"]
    assert head.get_attribute("aria-sort") == "ascending"
    head.locator("button").press("Enter")
    assert column(page, "headline") == ["c", "b", "a"]
    head.locator("button").click()
    assert column(page, "headline") == ["b", "a", "c"]
    assert head.get_attribute("aria-sort") is None
    page.locator("#headline thead button").first.click()
    assert column(page, "headline") == ["a", "b", "c"]


def test_values_that_are_missing_come_last_either_way(open_page) -> None:
    page = open_page(ReportContent([verified()]))
    sort = page.locator("#measures thead button").nth(2)  # thresholds; areas have none
    for _ in range(2):
        sort.click()
        assert column(page, "measures", 3)[-3:] == ["", "", ""]


def test_latex_is_ready_for_a_paper(open_page) -> None:
    page = open_page(ReportContent([verified("50_% <old>", 2.0), verified("new", 3.0, seed=5)]), **CLIPBOARD)
    text = copied(page, "headline", "LaTeX")
    lines = text.splitlines()
    assert lines[2:4] == [r"\begin{tabular}{lrrrr}", r"\toprule"]
    assert lines[4] == r"system & EER & FNMR@FMR=0.01 & FNMR@FMR=0.001 & AUC \\"
    assert lines[6].startswith(r"50\_\% \textless{}old\textgreater{} & ")
    assert r"~\% &" in lines[6]
    assert page.locator("#status").inner_text() == "Copied as LaTeX."


def test_csv_holds_exact_values_and_markdown_what_is_shown(open_page) -> None:
    evaluation = verified('a "b", c', 2.0)
    page = open_page(ReportContent([evaluation, verified("x|y", 3.0, seed=5)]), **CLIPBOARD)
    rows = list(csv.reader(io.StringIO(copied(page, "headline", "CSV"))))
    assert rows[1][0] == 'a "b", c'
    assert float(rows[1][1]) == evaluation["EER"].value
    lines = copied(page, "headline", "Markdown").splitlines()
    assert lines[1] == "| --- | ---: | ---: | ---: | ---: |"
    assert lines[3].startswith("| x\\|y | ")


def test_without_a_clipboard_the_text_is_shown_to_copy_by_hand(open_page) -> None:
    page = open_page(ReportContent([verified()]))
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.click('#measures [data-copy="Markdown"]')
    page.wait_for_selector("#copy-box[open]")
    assert page.locator("#copy-box textarea").input_value().startswith("| measure |")
    page.keyboard.press("Escape")
    assert not page.locator("#copy-box").is_visible()


def test_the_data_can_be_taken_away_whole(open_page) -> None:
    one = verified(EVIL)
    page = open_page(ReportContent([one], [searched()]))
    with page.expect_download() as wait:
        page.click("#download-json")
    data = json.loads(wait.value.path().read_text(encoding="utf-8"))
    assert (data["format"], data["version"]) == ("bertillon-page", 1)
    assert data["results"][0]["measures"][0]["value"] == one["EER"].value
    with page.expect_download() as wait:
        page.click("#download-csv")
    rows = list(csv.DictReader(io.StringIO(wait.value.path().read_text(encoding="utf-8"))))
    assert {row["mode"] for row in rows} == {"verification", "identification"}
    some = rows[200]
    counted = one.trials.outcomes(float(some["threshold"]))
    assert (int(some["false_matches"]), int(some["false_nonmatches"])) == (counted.false_match, counted.false_nonmatch)
    assert float(some["fmr"]) == counted.false_match / 3000
    assert some["system"] == EVIL
    assert page.locator(f"{EXPLORER} .threshold").count() == 1
