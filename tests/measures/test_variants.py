"""The variants of every measure: the usual one may be named, all others are refused with the list of those known."""

from __future__ import annotations

import pytest

import bertillon as bt
from bertillon.core import InputError
from bertillon.measures import (
    CLASSIFICATION,
    IDENTIFICATION,
    MEASURE_SETS,
    VERIFICATION,
    Definition,
    MeasureSet,
    PartialArea,
)

EVERY = [(measure_set, one) for measure_set in MEASURE_SETS for one in measure_set.definitions.values()]
each = pytest.mark.parametrize(("measure_set", "definition"), EVERY, ids=[f"{a.mode}-{b.name}" for a, b in EVERY])


def with_variant(definition: Definition, variant: str) -> str:
    """The definition's example in another variant."""
    name = definition.name
    rest = definition.example[len(name) :]
    return f"{name}[{variant}]{rest.partition(']')[2] if rest.startswith('[') else rest}"


@each
def test_an_unknown_variant_of_any_measure_is_refused(measure_set: MeasureSet, definition: Definition) -> None:
    with pytest.raises(InputError, match="unheard-of"):
        measure_set.parse(with_variant(definition, "unheard-of"))


USUAL = {
    VERIFICATION: {
        "at-most": "FMR FNMR FAR FRR TMR TNMR GAR GRR HTER FM FNM TM TNM GFAR GFRR Cost minCost minHTER ZeroFMR "
        "ZeroFNMR",
        "plain": "AUC Gini pAUC KS Overlap Cllr minCllr calLoss FTA FTE",
        "interpolated": "EER",
        "daugman": "dprime FRatio",
        "normalised": "minDCF actDCF",
    },
    IDENTIFICATION: {
        "mate": "DIR FNIR",
        "pessimistic": "CMS RR nAUC MRR MeanRank MedianRank mAP AUCopen EERopen DIR",
        "all": "SEL",
    },
    CLASSIFICATION: {
        "plain": "Precision Recall Specificity NPV F1 Accuracy BalancedAccuracy MCC Informedness Markedness Youden P R "
        "NDCG Top AUC Gini pAUC MAP LogLoss Brier Reliability Resolution Uncertainty Remainder Cost minCost Prevalence",
    },
}
NAMED = [(mode, name, variant) for mode, of in USUAL.items() for variant, all_ in of.items() for name in all_.split()]


@pytest.mark.parametrize(("measure_set", "name", "variant"), NAMED, ids=[f"{a.mode}-{b}-{c}" for a, b, c in NAMED])
def test_the_usual_variant_may_be_named_by_hand(measure_set: MeasureSet, name: str, variant: str) -> None:
    """It is the same measure with or without its name, in any case of letters, and is shown without."""
    definition = measure_set.definitions[name]
    usual = measure_set.parse(with_variant(definition, "").replace("[]", ""))
    for said in (variant, variant.upper()):
        assert measure_set.parse(with_variant(definition, said)) == usual
    assert f"[{variant}]" not in str(usual)


@pytest.mark.parametrize(
    "said",
    [
        "HTER[nearest]@FMR=0.1",
        "FM[nearest]@FMR=0.1",
        "GFAR[nearest]@FMR=0.1",
        "Cost[nearest]@FMR=0.1",
        "minCost[nearest]",
        "minHTER[nearest]",
        "ZeroFMR[interpolated]",
        "FRatio[sum]",
        "Gini[mcclish]",
    ],
)
def test_variants_of_other_measures_are_refused_by_hand(said: str) -> None:
    with pytest.raises(InputError, match="is not known; expected"):
        VERIFICATION.parse(said)


@pytest.mark.parametrize(
    ("said", "because"),
    [
        ("GFAR(fta=1.5)@t=1", "GFAR(fta=1.5)@t=1: fta is 1.5; expected a share from 0 to 1"),
        ("GFAR(fte=1.5)@t=1", "GFAR(fte=1.5)@t=1: fte is 1.5; expected a share from 0 to 1"),
        ("FAR(fta=-0.5)@t=1", "FAR(fta=-0.5)@t=1: fta is -0.5; expected a share from 0 to 1"),
    ],
)
def test_shares_out_of_range_are_refused_with_the_whole_question_by_hand(said: str, because: str) -> None:
    with pytest.raises(InputError) as error:
        VERIFICATION.parse(said)
    assert because in str(error.value)


@pytest.mark.parametrize(
    ("said", "because"),
    [
        (
            "F1@AUC=0.5",
            "F1@AUC=0.5: place 'AUC' is not known; expected one of t, FPR, Specificity, Recall, FNR, Precision",
        ),
        ("F1@t=0.5,FPR=0.1", "expected one place to read it at, such as F1@t=0.5"),
        ("Recall@FPR=2", "Recall@FPR=2: FPR is 2.0; expected a rate from 0 to 1"),
        ("Recall@t=nan", "Recall@t=nan: the threshold is not a number"),
        ("Cost(fn=inf)", "cost fn is inf; expected a finite number, 0 or more"),
        ("Cost(fp=-1)", "cost fp is -1.0; expected a finite number, 0 or more"),
        ("Cost(prevalence=1.5)", "prevalence is 1.5; expected a share from 0 to 1"),
        ("pAUC@FPR=1.5", "expected pAUC@FPR=x with x above 0 and at most 1"),
        ("MCC[linear]", "variant 'linear' is not known; expected plain"),
        ("pAUC@FPR=0", "expected pAUC@FPR=x with x above 0 and at most 1"),
        ("F(beta=inf)", "beta is inf; expected a number above 0"),
        ("P@0", "the length of the list is 0; expected a whole number, 1 or more"),
        ("P@1.5", "the length of the list is 1.5; expected a whole number, 1 or more"),
        ("ECE(bins=0)", "bins is 0; expected a whole number from 1 to 100000"),
        ("ECE(bins=100001)", "bins is 100001; expected a whole number from 1 to 100000"),
    ],
)
def test_what_classifiers_cannot_be_asked_is_refused_in_words_by_hand(said: str, because: str) -> None:
    with pytest.raises(InputError) as error:
        CLASSIFICATION.parse(said)
    assert because in str(error.value)


@pytest.mark.parametrize("said", ["P@1", "ECE(bins=1)", "ECE(bins=100000)", "Recall@FPR=1", "Cost(prevalence=0)"])
def test_the_ends_of_what_classifiers_may_be_asked_by_hand(said: str) -> None:
    assert CLASSIFICATION.parse(said).spelling.name in said


@pytest.mark.parametrize(("said", "meant"), [("CMS@rank=3", "CMS@k=3"), ("CMS@3", "CMS@k=3"), ("RR@2", None)])
def test_ranks_by_other_names_by_hand(said: str, meant: str | None) -> None:
    if meant is None:
        with pytest.raises(InputError):
            IDENTIFICATION.parse(said)
    else:
        assert IDENTIFICATION.parse(said) == IDENTIFICATION.parse(meant)


def test_the_ends_of_partial_areas_by_hand() -> None:
    """pAUC is at most the width it is taken over; rescaled it is at most 1."""
    assert PartialArea(0.25).ends == (0.0, 0.25)
    assert PartialArea(0.25, "mcclish").ends == (0.0, 1.0)
    assert str(VERIFICATION.parse("pAUC[mcclish]@FMR=0.25")) == "pAUC[mcclish]@FMR=0.25"
    assert str(CLASSIFICATION.parse("pAUC[mcclish]@FPR=0.25")) == "pAUC[mcclish]@FPR=0.25"


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_no_separation_has_no_sign_by_hand(rule):
    scores = bt.ScoreSet([1.0, 2.0], [1.0, 2.0], rule=rule)
    assert str(bt.evaluate(scores, ["dprime"])["dprime"].value) == "0.0"
