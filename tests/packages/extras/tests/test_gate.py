"""A finding of an installed package is shown wherever ours are: by its view, its figure and its own words."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest
from extras.ages import Ages
from extras.gate import AgeGate, age_gate

from bertillon.core import LANGUAGES, catalogue, speaking
from bertillon.render import SafeConsole, figures_of, save_all, terminal_text, write_report
from bertillon.views import Chart, Level, ReportContent, Table, document_of

TITLES = {"en": "Age gate", "it": "Controllo dell'età", "es": "Control de edad", "zh": "年龄关卡"}
AGE = np.array([15, 16, 17, 17, 20, 30, 40, 50])
ESTIMATE = np.array([14, 19, 20, 22, 19, 35, 44, 49])
GATE = age_gate(Ages(AGE, ESTIMATE, np.arange(8), name="A | 1"), [18, 21])


class StrictGate(AgeGate):
    """A subtype without a view of its own."""


def printed(finding: object) -> str:
    console = SafeConsole(width=80)
    with console.capture() as shown:
        console.print(terminal_text(finding))
    return shown.get()


def plain(text: str) -> str:
    """Without what LaTeX and HTML need, and with spaces that are like others."""
    return re.sub(r"\\,|[\u00a0~]", " ", text).replace("\\", "").replace("&#39;", "'")


def test_both_errors_by_hand():
    assert [rate.value for rate in GATE.minors] == [0.75, 0.25]
    assert [rate.value for rate in GATE.adults] == [0.0, 0.25]
    assert (GATE.minors[0].result.errors, GATE.minors[0].result.trials) == (3, 4)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_is_on_the_terminal_and_in_every_report_in_every_language(lang, tmp_path):
    said = catalogue(lang)("extras.gate.verdict", age="21", minors="25.0 %", adults="25.0 %")
    with speaking(lang):
        texts = {"terminal": printed(GATE)}
    for suffix in ("html", "md", "tex"):
        texts[suffix] = write_report(GATE, tmp_path / f"gate.{suffix}", lang=lang).read_text(encoding="utf-8")
    for kind, text in texts.items():
        words = [TITLES[lang], *(catalogue(lang)(f"extras.gate.{head}") for head in ("asked", "minors", "adults"))]
        assert [word for word in (*words, "75.0 %") if word not in plain(text)] == [], kind
        if kind != "tex":  # which has tables alone
            assert said in " ".join(plain(text).split()), kind


def test_words_of_other_languages_are_those_of_the_package():
    assert {lang: catalogue(lang)("extras.gate") for lang in LANGUAGES} == TITLES
    verdicts = {catalogue(lang)("extras.gate.verdict", age=1, minors=2, adults=3) for lang in LANGUAGES}
    assert len(verdicts) == len(LANGUAGES)


def test_the_page_draws_it_and_the_terminal_does_not():
    whole, brief = (document_of(GATE, level).sections[0].blocks for level in (Level.APPENDIX, Level.ANSWER))
    assert [type(block) for block in whole] == [Table, Chart]
    assert [type(block) for block in brief] == [Table]
    assert [line.y for line in whole[1].lines] == [(0.75, 0.25), (0.0, 0.25)]


@pytest.mark.parametrize(("lang", "label"), [("en", "age asked for"), ("es", "edad exigida")])
def test_it_is_a_figure_for_papers(lang, label, tmp_path):
    with speaking(lang):
        makers = figures_of("age-gate", [GATE, GATE])
        axes = makers["age-gate"]().axes[0]
        written = save_all(makers, tmp_path, formats=["pdf", "svg"])
    assert axes.get_xlabel() == label
    assert [line.get_ydata().tolist() for line in axes.get_lines()] == 2 * [[0.75, 0.25], [0.0, 0.25]]
    assert [path.name for path in written] == ["age-gate.pdf", "age-gate.svg"]
    assert all(path.stat().st_size > 1000 for path in written)


def test_programs_read_what_the_finding_says_of_itself(tmp_path):
    assert json.loads(write_report(GATE, tmp_path / "gate.json").read_text()) == GATE.to_dict()
    assert pl.read_csv(write_report(GATE, tmp_path / "gate.csv")).equals(GATE.to_frame())


def test_several_of_a_type_and_of_its_subtypes_are_shown_together():
    strict = StrictGate(*(getattr(GATE, name) for name in ("name", "asked", "minors", "adults")))
    (section,) = document_of(ReportContent(findings=[GATE, strict]), Level.ANSWER).sections
    assert [block.id for block in section.blocks] == ["gate-0", "gate-1"]
