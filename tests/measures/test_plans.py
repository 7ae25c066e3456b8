"""Which interval and which paired test a measure asks for, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from measures.asked import COUNTED, plan

import bertillon as bt
from bertillon.measures import (
    CLASSIFICATION,
    IDENTIFICATION,
    VERIFICATION,
    AtTarget,
    AtThreshold,
    BothRates,
    Failed,
    Follows,
    NoInterval,
    OfAreas,
    OfDecisions,
    OverGroups,
    Proportion,
    Resample,
    Result,
    Target,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("FNMR@t=0.5", AtThreshold(0.5, mated=True)),
        ("FMR@t=0.5", AtThreshold(0.5, mated=False)),
        ("TMR@t=0.5", AtThreshold(0.5, mated=True, success=True)),
        ("TNMR@t=0.5", AtThreshold(0.5, mated=False, success=True)),
        ("FNMR@FMR=0.01", AtTarget(Target("FMR", 0.01, mated=False))),
        ("TMR@FMR=0.01", AtTarget(Target("FMR", 0.01, mated=False), success=True)),
        ("FMR@FNMR=0.01", AtTarget(Target("FNMR", 0.01, mated=True))),
        ("FMR@TMR=0.99", AtTarget(Target("TMR", 0.99, mated=True, success=True))),
        ("FNMR@FNMR=0.01", Resample()),
    ],
)
def test_rates_of_comparisons_by_hand(name, expected):
    assert plan(VERIFICATION, name) == expected


@pytest.mark.parametrize(
    ("name", "base", "expected"),
    [
        ("FRR@t=0.5", "FNMR@t=0.5", {"failed": Failed.MATED, "add": True}),
        ("GAR@t=0.5", "TMR@t=0.5", {"failed": Failed.MATED}),
        ("FAR@FMR=0.1", "FMR@FMR=0.1", {"failed": Failed.NONMATED}),
        ("GRR@t=0.5", "TNMR@t=0.5", {"failed": Failed.NONMATED, "add": True}),
        ("FRR(fta=0.25)@FMR=0.1", "FNMR@FMR=0.1", {"scale": 0.75, "shift": 0.25}),
        ("FAR(fta=0.25)@FNMR=0.1", "FMR@FNMR=0.1", {"scale": 0.75}),
        ("GFRR@FMR=0.1", "FRR@FMR=0.1", {"failed": Failed.ENROLMENTS, "add": True}),
        ("GFRR(fte=0.5)@FMR=0.1", "FRR@FMR=0.1", {"scale": 0.5, "shift": 0.5}),
        ("GFAR(fta=0.25,fte=0.5)@t=0.5", "FAR(fta=0.25)@t=0.5", {"scale": 0.5}),
        ("FNM@t=0.5", "FNMR@t=0.5", {"counted": True}),
        ("TM@FMR=0.1", "TMR@FMR=0.1", {"counted": True}),
        ("HTER@FMR=0.1", "FNMR@FMR=0.1", {"scale": 0.5, "on_target": 0.5, "target": 0.1}),
        ("HTER@TMR=0.75", "FMR@TMR=0.75", {"scale": 0.5, "on_target": 0.5, "target": 0.25}),
        (
            "Cost(cfa=3,cfr=2,impostor=0.25)@FMR=0.1",
            "FNMR@FMR=0.1",
            {"scale": 1.5, "on_target": 0.75, "target": 0.1},
        ),
    ],
)
def test_what_follows_from_a_rate_by_hand(name, base, expected):
    assert plan(VERIFICATION, name) == Follows(VERIFICATION.parse(base), **expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("HTER@t=0.5", BothRates(0.5, 0.5)),
        ("Cost(cfa=3,cfr=2,impostor=0.25)@t=0.5", BothRates(0.75, 1.5)),
        ("minCost(cfa=3,cfr=2,impostor=0.25)", BothRates(0.75, 1.5, best=True)),
        ("minHTER", BothRates(0.5, 0.5, best=True)),
        ("KS", BothRates(1.0, 1.0, best=True, success=True)),
        ("Youden", BothRates(1.0, 1.0, best=True, success=True)),
        ("minDCF(p=0.25,cmiss=1,cfa=1)", BothRates(3.0, 1.0, best=True)),
        ("minDCF[raw](p=0.25,cmiss=1,cfa=1)", BothRates(0.75, 0.25, best=True)),
        ("actDCF(p=0.25,cmiss=2,cfa=1)", BothRates(1.5, 1.0)),
    ],
)
def test_sums_of_both_rates_by_hand(name, expected):
    assert plan(VERIFICATION, name) == expected


def test_sums_of_both_rates_of_classes_by_hand():
    assert plan(CLASSIFICATION, "Youden") == plan(VERIFICATION, "Youden")
    assert plan(CLASSIFICATION, "minCost(fn=5,fp=2)") == BothRates(2.0, 5.0, best=True, by_share=True)
    assert plan(CLASSIFICATION, "minCost(fn=5,fp=2,prevalence=0.5)") == BothRates(1.0, 2.5, best=True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Recall@FPR=0.1", AtTarget(Target("FPR", 0.1, mated=False), success=True)),
        ("FNR@FPR=0.1", AtTarget(Target("FPR", 0.1, mated=False))),
        ("FPR@Recall=0.9", AtTarget(Target("Recall", 0.9, mated=True, success=True))),
    ],
)
def test_rates_of_classes_at_a_target_by_hand(name, expected):
    assert plan(CLASSIFICATION, name) == expected


def test_precision_at_a_recall_is_judged_by_what_is_accepted():
    found, recall = plan(CLASSIFICATION, "Precision@Recall=0.9"), plan(CLASSIFICATION, "FPR@Recall=0.9")
    assert (found.target, found.success) == (Target("Recall", 0.9, mated=True, success=True), True)
    assert found.outcome is not None
    assert recall.outcome is None


@pytest.mark.parametrize(("name", "success"), [("Recall", True), ("Precision", True), ("FPR", False), ("FNR", False)])
def test_rates_of_decisions_are_proportions_where_errors_were_counted(name, success):
    found = plan(CLASSIFICATION, name, COUNTED)
    assert isinstance(found, Proportion)
    assert found.success is success
    assert found.resample.worst == CLASSIFICATION.parse(name)
    assert found.resample.outcome is not None
    assert isinstance(plan(CLASSIFICATION, name), Resample)
    assert plan(CLASSIFICATION, f"{name}@t=0.5").worst is None


@pytest.mark.parametrize(
    ("name", "target", "success"),
    [
        ("DIR@FPIR=0.1,k=1", Target("FPIR", 0.1, mated=False), True),
        ("FNIR@FPIR=0.1,k=1", Target("FPIR", 0.1, mated=False), False),
        ("FPIR@DIR=0.9,k=1", Target("DIR", 0.9, mated=True, success=True), False),
    ],
)
def test_rates_of_searches_at_a_target_by_hand(name, target, success):
    found = plan(IDENTIFICATION, name)
    assert (found.target, found.success) == (target, success)
    assert found.outcome.k == 1
    assert isinstance(plan(IDENTIFICATION, name, Result(0.25)), Resample)


@pytest.mark.parametrize(
    ("name", "mated", "success"),
    [("DIR@t=2,k=3", True, True), ("FNIR@t=2,k=3", True, False), ("FPIR@t=2", False, False)],
)
def test_rates_of_searches_at_a_threshold_by_hand(name, mated, success):
    found = plan(IDENTIFICATION, name)
    assert (found.threshold, found.mated, found.success) == (2.0, mated, success)


def test_lists_and_means_over_groups():
    top = CLASSIFICATION.parse("P@3")
    assert top.interval(Result(2 / 3, None, 1, 3)) == Proportion(success=True)
    assert isinstance(top.interval(Result(0.5)), Resample)  # ties share the last place
    for name in ("R@3", "NDCG@3", "AP@3"):
        assert isinstance(plan(CLASSIFICATION, name), NoInterval)
    for name, each in (("MAP", "AP"), ("P[grouped]@3", "P@3")):
        assert plan(CLASSIFICATION, name) == OverGroups(CLASSIFICATION.parse(each))


def test_ranks_with_a_share_of_last_ones_by_hand():
    worst = {name: plan(IDENTIFICATION, name).worst for name in ("MRR", "MeanRank")}
    assert worst["MRR"](0.5, 4.0) == pytest.approx(0.5 + 0.5 * 0.25)
    assert worst["MeanRank"](0.5, 4.0) == pytest.approx(2.5)


def searches():
    """Three enrolled searches, and one by a stranger."""
    return bt.SearchSet(
        enrolled=np.array([True, True, True, False]),
        mate_score=np.array([0.9, 0.6, 0.3, math.nan]),
        top_score=np.array([0.9, 0.8, 0.7, 0.5]),
        n_better=np.array([0, 1, 2, -1]),
        n_equal=np.array([0, 0, 0, 0]),
        top_other=np.array([0.4, 0.8, 0.7, 0.5]),
        gallery_size=10,
    )


@pytest.mark.parametrize(
    ("name", "threshold", "wrong"),
    [
        ("FNIR@t=0.5,k=1", 0.5, [False, True, True]),
        ("FNIR@t=0.5,k=2", 0.5, [False, False, True]),
        ("FNIR@t=0.5,k=3", 0.5, [False, False, True]),
        ("Missed@t=0.75", 0.75, [False, False, True]),
        ("Misidentified@t=0.75", 0.75, [False, True, False]),
        ("Misidentified@t=0.5", 0.5, [False, True, True]),
    ],
)
def test_which_searches_are_wrong_by_hand(name, threshold, wrong):
    outcome = plan(IDENTIFICATION, name).outcome
    assert outcome.wrong(searches(), threshold).tolist() == wrong


@pytest.mark.parametrize(("name", "wrong"), [("RR", [False, True, True]), ("CMS@2", [False, False, True])])
def test_which_searches_are_unranked_by_hand(name, wrong):
    found = plan(IDENTIFICATION, name)
    assert found.success
    assert found.outcome.wrong(searches(), math.nan).tolist() == wrong


def test_paired_tests_by_hand():
    assert VERIFICATION.parse("FNMR@t=0.5").paired_test == OfDecisions(0.5, mated=True)
    assert VERIFICATION.parse("FMR@t=0.5").paired_test == OfDecisions(0.5, mated=False)
    assert VERIFICATION.parse("FRR@t=0.5").paired_test is None
    assert VERIFICATION.parse("FNMR@FMR=0.5").paired_test is None
    assert VERIFICATION.parse("AUC").paired_test == OfAreas()


def test_what_needs_failures_and_enrolments_says_so():
    needs = {name: VERIFICATION.parse(name) for name in ("GFRR@t=0.5", "FRR@t=0.5", "FNMR@t=0.5", "FTE", "FTA")}
    assert [name for name, measure in needs.items() if measure.counts_failures] == ["GFRR@t=0.5", "FRR@t=0.5", "FTA"]
    assert [name for name, measure in needs.items() if measure.counts_enrolments] == ["GFRR@t=0.5", "FTE"]


def test_open_set_measures_name_the_worst_curve():
    for name, twin in (("EERopen", "EER"), ("AUCopen", "AUC")):
        found = plan(IDENTIFICATION, name)
        assert found.worst == VERIFICATION.parse(twin)
        assert found.outcome is not None


@pytest.mark.parametrize(
    ("name", "classes", "expected"),
    [
        ("AUC", 2, "AUC"),
        ("AUC", 3, "AUC[ovr]"),
        ("Recall", 3, "Recall[macro]"),
        ("Youden", 3, None),
        ("AP", 3, "AP[macro]"),
    ],
)
def test_measures_for_several_classes(name, classes, expected):
    found = CLASSIFICATION.parse(name).for_classes(classes, "macro")
    assert (None if found is None else str(found)) == expected
