"""Mistakes of reporting, seen where the data show them and nowhere else. SPEC K12; 003 10.5."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import bertillon as bt
from bertillon.advice import warnings as mistakes
from bertillon.advice import warnings_of, warnings_of_searches
from bertillon.core import text_of
from bertillon.matching import FoldAccuracy
from bertillon.render import report_json
from bertillon.views import ReportContent


def compared(*measures: str, mated: int = 5, nonmated: int = 10, name: str = "") -> bt.Evaluation:
    scores = bt.ScoreSet(np.arange(mated) + 3.0, np.arange(nonmated) / 2.0, name=name)
    return bt.evaluate(scores, measures)


def searched(*measures: str, people: int = 100, others: int = 3, name: str = "") -> bt.Evaluation:
    enrolled = np.array([True] * 4 + [False] * others)
    top = np.linspace(0.9, 0.1, enrolled.size)
    made = bt.SearchSet(
        enrolled,
        mate_score=np.where(enrolled, top, math.nan),
        n_better=np.where(enrolled, 0, -1),
        n_equal=np.zeros(enrolled.size, dtype=int),
        top_score=top,
        top_other=top - 0.1,
        gallery_size=people,
        name=name,
    )
    return bt.evaluate(made, measures)


@pytest.mark.parametrize(
    "default", [bt.evaluate(bt.ScoreSet(np.arange(5) + 3.0, np.arange(10) / 2.0)), searched("RR", "DIR@FPIR=0.01,k=1")]
)
def test_K12_the_usual_measures_warn_of_no_mistake(default):
    """A warning that always fires is none."""
    said = warnings_of(default) if default.kind == "verification" else warnings_of_searches(default)
    assert all("rule of" in str(sentence) for sentence in said)


@pytest.mark.parametrize(
    ("measures", "fires"),
    [
        (["minCost(cfa=500,cfr=2,impostor=0.01)"], True),
        (["EER", "minDCF(p=0.01,cmiss=1,cfa=1)"], True),
        (["EER", "Youden"], True),
        (["EER", "minHTER"], True),
        (["minCost(cfa=500,cfr=2,impostor=0.01)", "Cost(cfa=500,cfr=2,impostor=0.01)@t=4"], False),
        (["minDCF(p=0.01,cmiss=1,cfa=1)", "actDCF(p=0.01,cmiss=1,cfa=1)"], False),
        (["minHTER", "FMR@t=4"], False),
        (["EER", "FNMR@FMR=0.01", "KS"], False),
    ],
)
def test_K12_a_threshold_chosen_on_the_data_it_is_judged_on(measures, fires):
    evaluation = compared(*measures)
    said = mistakes.tuned(evaluation)
    assert (said is not None) == fires
    assert not fires or "this threshold was tuned on the same data" in str(said)
    assert (said in warnings_of(evaluation)) == fires


def test_K12_scores_that_are_no_log_likelihood_ratios():
    """Scores 3 to 7 against 0 to 4.5 as likelihood ratios: impostors are all called likely, Cllr is above 1."""
    evaluation = compared("Cllr", "minCllr")
    assert evaluation["Cllr"].value > 1 > evaluation["minCllr"].value
    assert str(mistakes.uncalibrated(evaluation)).startswith(f"Cllr is {evaluation['Cllr'].value:.3g}, above 1: ")
    good = bt.evaluate(bt.ScoreSet([4, 5, 6], [-4, -5, -6]), ["Cllr", "actDCF(p=0.5,cmiss=1,cfa=1)"])
    assert mistakes.uncalibrated(good) is None
    assert "actDCF" in str(mistakes.uncalibrated(compared("actDCF(p=0.5,cmiss=1,cfa=2)", "EER")))
    assert mistakes.uncalibrated(compared("EER", "minCllr")) is None


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        (["EER"], "EER alone hides the trade-off"),
        (["AUC"], "AUC alone"),
        (["HTER@t=4"], "HTER@t=4 alone"),
        (["FMR@t=4"], "FMR@t=4 shows only one of the two errors. Report FNMR@t= as well."),
        (["TMR@t=4", "FNM@t=4"], "Report FMR@t= as well"),
        (["EER", "AUC"], None),
        (["FNMR@FMR=0.1"], None),
        (["ZeroFMR"], None),
        (["FMR@t=4", "FNMR@t=4"], None),
        (["FTA"], None),
        ([], None),
    ],
)
def test_K12_one_number_or_one_error_alone(measures, words):
    evaluation = compared(*measures)
    said = mistakes.alone(evaluation)
    assert said is None if words is None else words in str(said)
    assert (said in warnings_of(evaluation)) == (words is not None)


@pytest.mark.parametrize(
    ("mated", "nonmated", "mean", "words"),
    [
        (
            10,
            90,
            0.99,
            "90.0 % of the comparisons are non-mated: rejecting all of them would reach",
        ),
        (90, 10, 0.99, "90.0 % of the comparisons are mated: accepting all of them would reach"),
        (11, 89, 0.99, None),
        (
            40,
            60,
            0.6,
            "60.0 % of the comparisons are non-mated: rejecting all of them would reach",
        ),
        (40, 60, 0.61, None),
    ],
)
def test_K12_accuracy_over_folds_of_skewed_comparisons_by_hand(mated, nonmated, mean, words):
    evaluation = compared("EER", "AUC", mated=mated, nonmated=nonmated)
    accuracy = FoldAccuracy((mean, mean), (0.5, 0.5), mean, 0.0)
    said = mistakes.skewed(evaluation, accuracy)
    assert said is None if words is None else str(said).startswith(words)
    answer = json.loads(report_json(ReportContent([evaluation], folds=[accuracy])))
    assert (str(said) in answer["warnings"]) == (words is not None)


@pytest.mark.parametrize(
    ("measures", "others", "words"),
    [
        (["RR"], 3, "None of these measures counts the 3 searches by people who are not enrolled."),
        (["RR", "CMS@5", "MeanRank"], 3, "the 3 searches"),
        (["RR"], 0, "RR alone hides trade-offs. Report another measure as well, such as CMS@5."),
        (["CMS@5"], 0, "such as RR"),
        (["RR", "CMS@5"], 0, None),
        (["RR", "DIR@FPIR=0.5,k=1"], 3, None),
        (["EERopen"], 3, "EERopen alone hides trade-offs"),
        (["DIR@FPIR=0.5,k=1"], 3, None),
        (["DIR@t=0.5,k=1"], 3, "DIR@t=0.5,k=1 shows only one of the two errors. Report FPIR@t= as well"),
        (["DIR@t=0.5,k=1"], 0, None),
        (["FPIR@t=0.5"], 3, "Report DIR@t= as well"),
        (["FPIR@t=0.5", "DIR@t=0.5,k=1"], 3, None),
    ],
)
def test_K12_searches_left_out_and_numbers_alone(measures, others, words):
    evaluation = searched(*measures, others=others)
    found = [text for text in map(str, warnings_of_searches(evaluation)) if "rule of" not in text]
    assert found == [] if words is None else words in found[0]
    assert len(found) == (words is not None)


@pytest.mark.parametrize(
    ("measures", "people", "words"),
    [
        (["CMS@10", "RR"], 50, "CMS@10 among 50 people: a random list reaches 0.2."),
        (["CMS@10", "RR"], 51, None),
        (["CMS@1", "CMS@5", "RR"], 4, "CMS@5 among 4 people: a random list reaches 1."),
        (["RR", "MRR"], 4, None),
    ],
)
def test_K12_ranks_that_chance_reaches_by_hand(measures, people, words):
    evaluation = searched(*measures, people=people, others=0)
    said = mistakes.chance(evaluation)
    assert text_of(said) == words
    assert (said in warnings_of_searches(evaluation)) == (words is not None)


def test_K12_systems_measured_on_different_trials():
    """003 10.5: compare on the same measures; here also on the same trials. A failed comparison is one all the same."""
    first, second = compared("EER", "AUC", name="a"), compared("EER", "AUC", nonmated=11, name="b")
    assert mistakes.unlike([first, first]) is None
    assert str(mistakes.unlike([first, first, second])).startswith(
        "a was measured on 5 + 10 comparisons, b on 5 + 11 comparisons: "
    )
    failing = bt.evaluate(bt.ScoreSet(np.arange(5) + 3.0, [*np.arange(9) / 2, math.nan]), ["EER", "AUC"])
    assert mistakes.unlike([first, failing]) is None
    assert json.loads(report_json(ReportContent([first, second])))["warnings"] == [
        str(mistakes.unlike([first, second]))
    ]
    assert json.loads(report_json(ReportContent([first, compared("EER", "AUC", name="b")])))["warnings"] == []


def test_K12_galleries_of_different_sizes():
    first, second = searched("RR", "EERopen", name="a"), searched("RR", "EERopen", people=200, name="b")
    assert mistakes.unlike_searches([first, first]) is None
    said = mistakes.unlike_searches([first, second])
    assert str(said).startswith("a was measured on 7 searches among 100 people, b on 7 searches among 200 people: ")
    assert json.loads(report_json(ReportContent(identification=[first, second])))["warnings"] == [str(said)]


def test_K12_numbers_without_intervals():
    assert mistakes.no_interval(shown=True) is None
    assert "No intervals were computed" in str(mistakes.no_interval(shown=False))
