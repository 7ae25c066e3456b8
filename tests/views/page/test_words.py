"""The page in four languages: the same keys, the same places, and no sentence of the advice layer left behind."""

from __future__ import annotations

import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from views.page.cases import searched, verified

import bertillon as bt
from bertillon.advice.classification import warnings_of_classes
from bertillon.advice.comparing import comparison_sentence
from bertillon.advice.identification import degradation, frr_diagnosis, warnings_of_searches
from bertillon.advice.mistakes import unlike
from bertillon.advice.presets import PRESETS
from bertillon.advice.verdicts import EER_BANDS, eer_verdict, open_eer_verdict
from bertillon.advice.warnings import warnings_of
from bertillon.analysis.leads import compare_curves
from bertillon.core.errors import InputError
from bertillon.core.messages import Text
from bertillon.views.page.comparison import comparison_words
from bertillon.views.page.words import LANGUAGES, wording

OTHERS = [lang for lang in LANGUAGES if lang != "en"]
scores = st.lists(st.integers(0, 6), min_size=1, max_size=8)


def _places(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("lang", OTHERS)
def test_languages_have_the_same_keys_and_places(lang: str) -> None:
    english, other = wording("en").sentences, wording(lang).sentences
    assert set(other) == set(english)
    assert {key: _places(said) for key, said in other.items()} == {key: _places(said) for key, said in english.items()}


@pytest.mark.parametrize("lang", OTHERS)
def test_nothing_is_left_in_english(lang: str) -> None:
    """Names of measures and a few words are the same everywhere; whole sentences are not."""
    english, other = wording("en").sentences, wording(lang).sentences
    assert [key for key, said in english.items() if said == other[key] and len(said.split()) > 5] == []


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InputError, match="'fr' is not known; expected one of en, it, es, zh"):
        wording("fr")


def _advice() -> list[Text]:
    """Sentences the advice layer makes of many different findings."""
    reversed_scores = bt.evaluate(bt.ScoreSet([1, 2], [3, 4]))
    reversed_distances = bt.evaluate(bt.ScoreSet([3, 4], [1, 2], rule="distance"))
    said = [eer_verdict(limit) for limit, _ in EER_BANDS] + [eer_verdict(float("nan"))]
    said += [open_eer_verdict(rate) for rate in (0.01, 0.04, 0.08, 0.3, float("nan"))]
    said += [degradation(0.03, 0.01), degradation(0.01, 0.01), degradation(0.9, 0.01), degradation(0.1, 0.0)]
    parts = ((0.3, 0.1), (0.1, 0.3), (0.2, 0.2), (0.0, 0.0), (float("nan"), 0.1))
    said += [f"FPIR 0.01: {frr_diagnosis(*part)}" for part in parts]
    for one in (verified(), reversed_scores, reversed_distances):
        said += warnings_of(one)
        for preset in PRESETS.values():
            said.append(preset.verdict(bt.evaluate(one.scores, preset.measures).results))
    said += [sentence for name in ("EER", "FMR@t=1", "minHTER") for sentence in _warned(name)]
    one_class = bt.Predictions.from_probabilities([1, 1, 1], [0.0, 0.4, 0.9])
    rare = bt.Predictions.from_probabilities([1] + 99 * [0], np.linspace(0.0, 1.0, 100))
    for predicted in (one_class, rare):
        said += warnings_of_classes(bt.evaluate(predicted))
        said += warnings_of_classes(bt.evaluate(predicted, ["Recall"]), tuned_here=True)
        said += warnings_of_classes(bt.evaluate(predicted, ["Youden", "Accuracy"]))
    said += _lonely()
    said += [str(unlike([verified(), bt.evaluate(bt.ScoreSet([1], [0], name="new"))]))]
    return said + warnings_of_searches(searched()) + warnings_of_searches(bt.evaluate(searched().searches, ["RR"]))


def _lonely() -> list[Text]:
    """Why one person, and two people compared with each other alone, have no interval."""
    own, others = bt.TrialIds(["ann", "ann"]), bt.TrialIds(["ann", "ann"], ["eve", "eve"])
    scores = bt.ScoreSet([0.9, 0.4], [0.6, 0.1], mated_ids=own, nonmated_ids=others)
    (point,) = bt.group_rates(scores, {"ann": "all", "eve": "all"}, thresholds=[0.5]).points
    return [row.rate.interval.reason for row in point.rows if row.rate.interval.reason]


def _warned(name: str) -> list[str]:
    return warnings_of(bt.evaluate(verified().scores, [name]))


@pytest.mark.parametrize("lang", OTHERS)
def test_sentences_of_the_advice_layer_are_translated(lang: str) -> None:
    words = wording(lang)
    left = [sentence for sentence in _advice() if words.said(sentence).lang == "en"]
    assert left == []


def test_numbers_and_words_within_a_sentence_are_translated_too_by_hand() -> None:
    warning = (
        "FMR 0.0001 needs at least 30,000 independent non-mated comparisons (rule of 3); you have 3,000. What stands "
        "there is a bound, not a measurement."
    )
    assert wording("it").said(warning).text == (
        "FMR 0.0001 richiede almeno 30\u202f000 comparazioni di impostori indipendenti (regola del 3); qui sono "
        "3\u202f000. Ciò che sta scritto è un limite, non una misura."
    )


def test_an_unknown_sentence_stays_english_and_says_so() -> None:
    said = wording("zh").said("a sentence nobody has translated.", about="old")
    assert (said.text, said.lang, said.about) == ("a sentence nobody has translated.", "en", "old")


@given(a=scores, b=scores, c=scores, d=scores)
def test_english_comparisons_are_those_of_the_advice_layer(
    a: list[int], b: list[int], c: list[int], d: list[int]
) -> None:
    """SPEC V13."""
    curves = {"A": bt.error_curve(bt.ScoreSet(a, b)), "B": bt.error_curve(bt.ScoreSet(c, d))}
    [comparison] = compare_curves(curves)
    assert comparison_words(comparison, wording("en")) == comparison_sentence(comparison)
