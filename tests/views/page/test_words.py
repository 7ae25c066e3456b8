"""Advice in four languages: no sentence is left in English, and numbers are written as the language does."""

from __future__ import annotations

import re

import numpy as np
import pytest
from views.page.cases import searched, verified

import bertillon as bt
from bertillon.advice import (
    BANDS,
    PRESETS,
    advise,
    attack_verdicts,
    attack_warnings,
    comparison_sentences,
    degradation,
    fnir_diagnosis,
    plan_notes,
    plan_verdict,
    region_sentence,
    unlike,
    verdict_of,
    warnings_of,
    warnings_of_classes,
    warnings_of_searches,
)
from bertillon.analysis import operating_regions
from bertillon.core import LANGUAGES, Message, catalogue, say
from bertillon.stats import Aim, Interval, plan_test
from bertillon.views import Document, Sentence, in_words

OTHERS = LANGUAGES[1:]


def _advice() -> list[Message | str]:
    """Sentences the advice layer makes of many different content."""
    reversed_scores = bt.evaluate(bt.ScoreSet([1, 2], [3, 4]))
    reversed_distances = bt.evaluate(bt.ScoreSet([3, 4], [1, 2], rule="distance"))
    messages = [verdict_of("EER", limit) for limit, _ in BANDS["EER"]] + [verdict_of("EER", float("nan"))]
    messages += [verdict_of("EERopen", rate) for rate in (0.01, 0.04, 0.08, 0.3, float("nan"))]
    messages += [verdict_of("AUC", 0.8, Interval(0.4, 1.0)), verdict_of("Kappa", 0.5, Interval(-0.1, 0.9))]
    messages += [degradation(0.03, 0.01), degradation(0.01, 0.01), degradation(0.9, 0.01), degradation(0.1, 0.0)]
    parts = ((0.3, 0.1), (0.1, 0.3), (0.2, 0.2), (0.0, 0.0), (float("nan"), 0.1))
    messages += [fnir_diagnosis(*part) for part in parts]
    for one in (verified(), reversed_scores, reversed_distances):
        messages += warnings_of(one)
        for preset in PRESETS.values():
            judged = bt.evaluate(one.trials, preset.measures)
            everything = dict.fromkeys(judged.results, Interval(0.0, 1.0))
            messages += [preset.verdict(judged.results), preset.verdict(judged.results, everything)]
    messages += [sentence for name in ("EER", "FMR@t=1", "minHTER") for sentence in _warned(name)]
    one_class = bt.Predictions.from_probabilities([1, 1, 1], [0.0, 0.4, 0.9])
    rare = bt.Predictions.from_probabilities([1] + 99 * [0], np.linspace(0.0, 1.0, 100))
    for predicted in (one_class, rare):
        messages += warnings_of_classes(bt.evaluate(predicted))
        messages += warnings_of_classes(bt.evaluate(predicted, ["Recall"]), tuned_here=True)
        messages += warnings_of_classes(bt.evaluate(predicted, ["Youden", "Accuracy"]))
    messages += [unlike([verified(), bt.evaluate(bt.ScoreSet([1], [0], name="new"))])]
    messages += [
        region_sentence(region)
        for region in operating_regions(searched().tally.watch_list_curve, passers=9e3, minutes=2)
    ]
    messages += comparison_sentences([verified(), bt.evaluate(bt.ScoreSet([1, 2], [0, 3], name="new"))])
    for name in ("FMR", "FNMR", "FPIR", "FNIR"):
        plan = plan_test(Aim(name, 0.01), samples=2)
        messages += [plan_verdict(plan), *plan_notes(plan)]
    messages += _lonely()
    advice = advise(classes=3, balance=0.01, domain="fraud", probabilities_needed=True)
    messages += [*advice.reasons.values(), *advice.notes]
    attacked = bt.analysis.attack_rates(
        bt.ScoreSet([0.9, 0.8], [0.1, 0.2]), {"mask": [0.1] * 90 + [0.6] * 10}, threshold=0.5
    )
    messages += [*attack_verdicts(attacked), *attack_warnings(attacked)]
    return messages + warnings_of_searches(searched()) + warnings_of_searches(bt.evaluate(searched().trials, ["RR"]))


def _lonely() -> list[Message | str]:
    """Why one person, and two people compared with each other alone, have no interval."""
    own, others = bt.TrialIds(["ann", "ann"]), bt.TrialIds(["ann", "ann"], ["eve", "eve"])
    scores = bt.ScoreSet([0.9, 0.4], [0.6, 0.1], mated_ids=own, nonmated_ids=others)
    (point,) = bt.analysis.group_rates(scores, {"ann": "all", "eve": "all"}, thresholds=[0.5]).points
    reasons = [row.rate.interval.reason for row in point.rows if row.rate.interval.reason]
    assert reasons
    return [say("groups.no_interval", reason=reason) for reason in reasons]


def _warned(name: str) -> list[Message | str]:
    return warnings_of(bt.evaluate(verified().trials, [name]))


WORD = re.compile(r"[a-z]{2,}")
RUN = 4  # as many English words in a row are no coincidence


def _runs(text: str) -> set[tuple[str, ...]]:
    words = WORD.findall(text)
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


@pytest.mark.parametrize("lang", OTHERS)
def test_no_english_is_left_in_advice(lang: str) -> None:
    """Reasons and notes that are still text are those of others, and are left out."""
    words = catalogue(lang)
    messages = [message for message in _advice() if isinstance(message, Message)]
    left = [words.text(message) for message in messages if _runs(str(message)) & _runs(words.text(message))]
    assert left == []


def test_sentences_begin_with_a_capital_or_a_name_and_end_with_a_stop() -> None:
    reasons = advise(classes=3, balance=0.01, domain="fraud", probabilities_needed=True).reasons.values()
    fragments = set(map(str, reasons))  # they follow the names of measures
    sentences = {str(message) for message in _advice() if isinstance(message, Message)} - fragments
    assert [text for text in sentences if not text.endswith(".")] == []
    names = (*PRESETS, "minHTER", "new", "old", "the system", "plain")
    assert [text for text in sentences if text[0].islower() and not text.startswith(names)] == []


def test_numbers_and_words_within_a_sentence_are_translated_too_by_hand() -> None:
    warning = say(
        "advice.resolution", name="FMR", target="0.0001", needed=30_000, kind=say("advice.kind.nonmated"), trials=3000
    )
    assert catalogue("it").text(warning) == (
        "FMR 0.0001 richiede almeno 30\u202f000 comparazioni di impostori indipendenti (regola del 3); qui sono "
        "3\u202f000."
    )


def test_words_of_others_stay_as_they_are_and_carry_their_language() -> None:
    document = Document("", verdicts=(Sentence("a sentence of another package.", "old"), Sentence(say("page.close"))))
    foreign, own = in_words(document, "zh").verdicts
    assert (foreign.text, foreign.lang, foreign.about) == ("a sentence of another package.", "en", "old")
    assert (own.text, own.lang) == (catalogue("zh")("page.close"), "")
    assert in_words(document, "en").verdicts[0].lang == ""
