"""Of very many systems the best are shown, and it is said where all of them are."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

import bertillon as bt
from bertillon.advice import leading
from bertillon.render import report_json, terminal_text, write_report
from bertillon.views import ReportContent


@pytest.fixture(scope="module")
def many() -> list[bt.Evaluation]:
    rng = np.random.default_rng(2)
    return [
        bt.evaluate(
            bt.ScoreSet(rng.normal(0.5 + 0.05 * place, 1, 40), rng.normal(0, 1, 60), name=f"system-{place:03}"),
            ["EER", "FNMR@FMR=0.1", "AUC", "dprime"],
        )
        for place in range(60)
    ]


def printed(evaluations: list[bt.Evaluation], width: int = 80) -> str:
    shown = io.StringIO()
    Console(width=width, file=shown).print(terminal_text(ReportContent(evaluations)))
    return shown.getvalue()


def test_the_best_of_many_are_shown_and_the_rest_is_said_to_be_elsewhere(many):
    text = printed(many)
    shown = "The 10 best of 60 systems by EER are shown; all are in --json, --csv and --report."
    assert shown in " ".join(text.split())
    assert len(text.splitlines()) < 250
    best = sorted(many, key=lambda one: one["EER"].value)[:10]
    assert all(one.name in text for one in best)
    assert sum(one.name in text for one in many) == 10
    assert leading(many) == (best, "EER")


def test_every_value_of_systems_that_are_too_many_to_stand_abreast_is_shown(many):
    text = " ".join(printed(many[:15]).split())
    for one in many[:15]:
        assert text.count(f"{one['EER'].value * 100:.4g} %") >= 1
        assert one.name in text


def test_all_of_many_are_in_the_json(many):
    text = report_json(ReportContent(verification=many[:25]))
    assert all(one.name in text for one in many[:25])
    assert text.count("FNMR below FMR") + text.count("dominates") + text.count("same FNMR") >= 25 * 24 // 2


@pytest.mark.parametrize(("lang", "words"), [("en", "The 10 best of 60 systems by EER are compared in pairs.")])
def test_the_page_compares_the_best_in_pairs(many, tmp_path, lang, words):
    page = write_report(ReportContent(verification=many), tmp_path / "x.md", lang=lang).read_text()
    assert words in page
    assert page.count("FNMR below FMR") + page.count("dominates") <= 45
