"""The report as Markdown: what it says, and that names stay text."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from render.cases import FINDINGS, NASTY

from bertillon.render import WRITERS, markdown_escaped

ENGLISH = "en"


def written(kind: str, lang: str = ENGLISH) -> str:
    return WRITERS[".md"](FINDINGS[kind], lang)


def tokens(text: str):
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return [child for token in parser.parse(text) for child in (token, *(token.children or ()))]


@pytest.mark.parametrize("text", [NASTY, "# heading", "- list", "1. item", "> quote", "a_b _c_", "x\ny", "&lt;", "a|b"])
def test_escaped_text_is_shown_as_it_is_against_markdown_it(text: str) -> None:
    """The parser reads one paragraph of plain text, and that text."""
    read = tokens(markdown_escaped(text))
    assert {token.type for token in read} <= {"paragraph_open", "inline", "text", "text_special", "paragraph_close"}
    shown = "".join(token.content for token in read if token.type in ("text", "text_special"))
    assert shown == " ".join(text.split())


def test_what_needs_no_escape_is_left_as_it_is() -> None:
    for text in ("FNMR@FMR=0.001", "dprime[sum]", "0 (< 0.5 %)", "DIR@FPIR=0.01,k=1", "6.7 %", "-0.3 to +0.1", "a_b"):
        assert markdown_escaped(text) == text


@pytest.mark.parametrize("kind", FINDINGS)
def test_tables_have_as_many_cells_in_every_row(kind: str) -> None:
    text = written(kind)
    read = tokens(text)
    assert any(token.type == "table_open" for token in read)
    width = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        cells = line.replace(r"\|", "").count("|")
        assert width in (0, cells), line
        width = cells


@pytest.mark.parametrize("kind", ["nasty name", "several systems", "classes"])
def test_a_name_makes_no_tag_no_link_and_no_emphasis(kind: str) -> None:
    read = tokens(written(kind))
    assert {token.content for token in read if token.type.startswith("html")} <= {"<br>"}
    assert not [token for token in read if token.type in ("link_open", "em_open", "code_inline", "image")]


def test_numbers_have_the_digits_their_interval_supports() -> None:
    """An interval of 11 points: whole percents."""
    text = written("one system")
    assert "| EER<br>" in text
    assert "12 to 23 %" in text


def test_the_report_says_what_was_measured_and_what_to_doubt() -> None:
    text = written("one system")
    assert text.startswith("# Verification report\n\nplain was measured in verification (1:1) on 50 mated")
    for heading in ("## Verdict", "## Warnings", "## Verification", "## Signature"):
        assert f"\n{heading}\n" in text


def test_words_about_what_moves_are_left_out() -> None:
    for kind in FINDINGS:
        text = written(kind)
        assert "drag the line" not in text
        assert "The slider moves" not in text


@pytest.mark.parametrize(("lang", "title"), [("it", "# Rapporto"), ("es", "# Informe"), ("zh", "# 验证")])
def test_it_speaks_the_language_asked_for(lang: str, title: str) -> None:
    assert written("one system", lang).startswith(title)
