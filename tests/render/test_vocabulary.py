"""The same measures under the names of biometrics and of machine learning. SPEC R3."""

from __future__ import annotations

import math
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import bertillon as bt
from bertillon.measures import CLASSIFICATION, IDENTIFICATION, VERIFICATION
from bertillon.render import terminal_text
from bertillon.views import (
    COMPARISONS,
    EVERYDAY,
    SEARCHES,
    VOCABULARY,
    ReportContent,
    Vocabulary,
    everyday_name,
    heading,
    name_columns,
    shown_name,
)

BIOMETRIC, ML, BOTH = Vocabulary
scores = st.lists(st.integers(0, 4), min_size=1, max_size=8)


@pytest.mark.parametrize("term", COMPARISONS, ids=lambda term: term.biometric)
def test_R3_every_name_of_a_comparison_is_understood_as_the_same_measure(term):
    """R3: FMR = FAR = FPR = fall-out: either vocabulary may ask the question in either mode."""
    place = "" if "@" in term.ml or "Zero" in term.biometric else "@t=0.5"
    own = str(VERIFICATION.parse(term.biometric + place))
    for name in (*term.everyday, *term.also, *([] if "@" in term.ml else [term.ml])):
        asked = str(VERIFICATION.parse(name + place))
        assert shown_name(asked, ML) == shown_name(own, ML) == term.ml + place
    if "@" not in term.ml and len(term.ml) > 2:  # the four counts are measures of verification only
        for name in (term.biometric, *term.everyday, *term.also):
            assert str(CLASSIFICATION.parse(name + place)) == term.ml + place


@pytest.mark.parametrize("term", SEARCHES, ids=lambda term: term.biometric)
def test_R3_every_name_of_a_search_is_understood_as_the_same_measure(term):
    place = {"FPIR": "@t=0.5", "FNIR": "@t=0.5,k=1", "DIR": "@t=0.5,k=1", "CMS": "@5", "RR": ""}[term.biometric]
    for name in (term.biometric, *term.everyday):
        assert shown_name(str(IDENTIFICATION.parse(name + place)), ML) == term.ml + place
    assert CLASSIFICATION.canonical_name(term.ml.split("@")[0]) == term.ml.split("@")[0]


SAME = (
    *(f"{rate}@t=2" for rate in ("FMR", "FNMR", "TMR", "TNMR", "FAR", "FRR", "GAR", "GRR")),
    *(f"{rate}@FMR={x}" for rate in ("FNMR", "TMR") for x in ("0", "0.1", "0.25", "0.5", "1")),
    *(f"FMR@FNMR={x}" for x in ("0", "0.25", "1")),
    "FMR@TMR=0.75",
    *("ZeroFMR", "ZeroFNMR", "FMR10", "FMR100", "FMR1000", "FMR10000", "AUC", "Gini", "Youden"),
)


@given(mated=scores, nonmated=scores)
def test_R3_a_renamed_measure_of_comparisons_is_the_same_number_of_a_classifier(mated, nonmated):
    """R3: genuine comparisons are positives; the new name asked of a classifier gives the same value and threshold."""
    compared = bt.evaluate(bt.ScoreSet(mated, nonmated), SAME)
    predictions = bt.Predictions.from_scores([1] * len(mated) + [0] * len(nonmated), [*map(float, mated + nonmated)])
    classified = bt.evaluate(predictions, {shown_name(name, ML) for name in SAME})
    for name in SAME:
        first, second = compared[name], classified[shown_name(name, ML)]
        assert second.value == pytest.approx(first.value, abs=1e-12, nan_ok=True), name
        assert second.threshold == first.threshold, name


@given(ranks=st.lists(st.integers(1, 6), min_size=1, max_size=12), k=st.integers(1, 6))
def test_R3_closed_set_identification_is_classification_into_people(ranks, k):
    """R3: CMS@k of a gallery of six is the top-k accuracy over six classes."""
    matrix = np.zeros((len(ranks), 6))
    for row, rank in enumerate(ranks):
        others = [place for place in range(6) if place != row % 6]
        order = [*others[: rank - 1], row % 6, *others[rank - 1 :]]
        matrix[row, order] = np.array([6, 5, 4, 3, 2, 1]) / 21
    truth = [row % 6 for row in range(len(ranks))]
    people = bt.Predictions.from_probabilities(truth, matrix, classes=range(6))
    for name in (f"CMS@{k}", "RR"):
        found = bt.evaluate(bt.SearchSet.from_ranks(ranks, gallery_size=6), [name])[name]
        assert bt.evaluate(people, [shown_name(name, ML)])[shown_name(name, ML)].value == found.value


@pytest.mark.parametrize("measure_set", [VERIFICATION, IDENTIFICATION, CLASSIFICATION], ids=lambda one: one.mode)
def test_every_example_of_every_language_can_be_shown_in_every_vocabulary(measure_set):
    for definition in measure_set.definitions.values():
        name = str(measure_set.parse(definition.example))
        shown = {vocabulary: shown_name(name, vocabulary) for vocabulary in Vocabulary}
        assert all(shown.values())
        assert shown[ML if measure_set is CLASSIFICATION else BIOMETRIC] == name
        assert shown[BOTH] in (name, f"{shown[BIOMETRIC]} = {shown[ML]}")


def test_no_name_of_one_vocabulary_means_two_things_in_the_other():
    ours = [name for term in VOCABULARY for name in (term.biometric, *term.everyday)]
    assert len(ours) == len(set(ours))
    assert {term.biometric for term in VOCABULARY}.isdisjoint({term.ml for term in VOCABULARY})


@pytest.mark.parametrize(
    ("name", "vocabulary", "shown"),
    [
        ("FNMR[nearest]@FMR=0.1", ML, "FNR[nearest]@FPR=0.1"),
        ("GAR(fta=0.02)@FAR=0.001", ML, "Recall(fta=0.02)@FPR=0.001"),
        ("DIR@FPIR=0.01,k=5", ML, "Recall@FPR=0.01,k=5"),
        ("RR[optimistic]", ML, "Top[optimistic]@1"),
        ("dprime[sum]", ML, "dprime[sum]"),
        ("Precision@Recall=0.9", BIOMETRIC, "Precision@TMR=0.9"),
        ("Recall[macro]", BIOMETRIC, "TMR[macro]"),
        ("Top@5", BIOMETRIC, "CMS@5"),
        ("F(beta=2)", BIOMETRIC, "F(beta=2)"),
        ("Specificity", BOTH, "TNMR = Specificity"),
        ("AUC", BOTH, "AUC"),
    ],
)
def test_names_by_hand(name, vocabulary, shown):
    assert shown_name(name, vocabulary) == shown


@pytest.mark.parametrize(
    ("name", "everyday"),
    [
        ("FNMR@FMR=0.001", "FRR@FAR=0.001"),
        ("TMR@FMR=0.1", "TAR@FAR=0.1"),
        ("ZeroFMR", "ZeroFAR"),
        ("FNMR[nearest]@FMR=0.1", "FRR[nearest]@FAR=0.1"),
        ("FM@t=0.5", "FA@t=0.5"),
        ("dprime[sum]", "d' without the half"),
        ("AUC", ""),
        ("EER", ""),
    ],
)
def test_everyday_names(name, everyday):
    assert str(everyday_name(name)) == everyday


def test_headings_of_columns_by_hand():
    assert heading("threshold FNMR=x", ML) == "threshold FNR=x"
    assert heading("FPIR", BOTH) == "FPIR\nFPR"
    assert heading("FAR", BIOMETRIC) == "FAR"
    assert heading("Recall", BIOMETRIC) == "TMR"
    assert heading("Recall", BOTH) == "Recall\nTMR"
    assert heading("false accepts", BOTH) == "false accepts"


def test_columns_of_names_by_hand():
    names = ["Recall", "F1"]
    assert name_columns(names, CLASSIFICATION) == name_columns(names, CLASSIFICATION, vocabulary=ML)
    assert name_columns(names, CLASSIFICATION, vocabulary=BIOMETRIC).first == ["TMR", "F1"]
    both = name_columns(names, CLASSIFICATION, vocabulary=BOTH)
    assert (both.first, both.second, str(both.heading)) == (names, ["TMR", ""], "biometrics")
    assert name_columns(["EER"], VERIFICATION, vocabulary=BOTH).heading is None
    assert name_columns(["FMR@t=1"], VERIFICATION, vocabulary=ML).second == [""]
    assert name_columns(["FMR@t=1"], VERIFICATION).heading == EVERYDAY


def printed(
    *evaluations: bt.Evaluation, vocabulary: Vocabulary | None = None, first_word: str = "measure"
) -> list[list[str]]:
    """The rows of the table of measures, its headings first."""
    output = StringIO()
    Console(file=output, width=120).print(terminal_text(replace(ReportContent.of(evaluations), vocabulary=vocabulary)))
    lines = [line.split() for line in output.getvalue().splitlines() if line.strip()]
    return lines[next(place for place, words in enumerate(lines) if words[0] == first_word) :]


def test_tables_of_one_and_of_several_systems_show_both_names():
    names = ["FNMR@FMR=0.5", "AUC"]
    first, second = (bt.evaluate(bt.ScoreSet([2, 3, 1], [1, 2], name=name), names) for name in "ab")
    assert printed(first, vocabulary=ML)[1][0] == "FNR@FPR=0.5"
    assert printed(first, vocabulary=BOTH)[1][-1] == "FNR@FPR=0.5"
    heads, row = printed(first, second, vocabulary=BOTH, first_word="system")[:2]
    assert heads == ["system", "FNMR@FMR=0.5", "=", "FNR@FPR=0.5", "AUC"]
    assert row[0] == "a"
    assert math.isclose(float(row[-1]), first["AUC"].value, abs_tol=1e-4)
    assert printed(first, second, first_word="system")[0] == ["system", "FNMR@FMR=0.5", "AUC"]
    predictions = bt.Predictions.from_scores([1, 0], [0.9, 0.1])
    assert printed(bt.evaluate(predictions, ["Recall@t=0.5"]))[1][0] == "Recall@t=0.5"
