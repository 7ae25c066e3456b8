"""Words for numbers stand with their bands, and never on tiny data or regardless of the gallery."""

from __future__ import annotations

import re

import numpy as np
import pytest
from views.page.cases import classified, searched, verified

import bertillon as bt
from bertillon.advice import BANDS
from bertillon.core import catalogue
from bertillon.views import Level, ReportContent, document_of, page_of

WORDS = re.compile(r"\b(excellent|good|acceptable|weak|poor|substantial|moderate|slight)\b")


def said(content: ReportContent) -> list[str]:
    return [sentence.text for sentence in page_of(content).verdicts]


def test_the_bands_are_named_once_for_all_systems() -> None:
    texts = said(ReportContent([verified("old"), verified("new", seed=5)]))
    assert sum(text.startswith("Bands of the EER") for text in texts) == 1
    classes = said(ReportContent(classification=[classified()]))
    assert [text.split(":")[0] for text in classes if text.startswith("Bands")] == [
        "Bands of the AUC",
        "Bands of kappa (Landis and Koch)",
    ]


@pytest.mark.parametrize(("key", "name", "scale"), [("eer", "EER", 100), ("kappa", "Kappa", 1)])
def test_the_bands_named_are_those_used(key: str, name: str, scale: int) -> None:
    text = catalogue("en")(f"verdict.bands.{key}")
    limits = [limit * scale for limit, _ in BANDS[name] if 0 < limit < 1]
    assert [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)] == pytest.approx(limits)


def test_tiny_data_are_not_judged() -> None:
    few = ReportContent([bt.evaluate(bt.ScoreSet(np.arange(10.0, 39.0), np.arange(1000.0) / 90))])
    assert not any(map(WORDS.search, said(few)))
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1], [300, 20])
    rare = bt.evaluate(bt.Predictions.from_probabilities(truth, (rng.random(320) + truth) / 2))
    assert not any(map(WORDS.search, said(ReportContent(classification=[rare]))))


def test_a_search_is_not_judged_whatever_its_gallery() -> None:
    assert not any(map(WORDS.search, said(ReportContent(identification=[searched()]))))


def test_the_answer_is_short() -> None:
    answer = document_of(ReportContent([verified()]), Level.ANSWER)
    assert not any("Bands" in str(sentence.text) for sentence in answer.verdicts)
