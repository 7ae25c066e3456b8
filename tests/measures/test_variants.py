"""The variants of every measure: the usual one may be named, all others are refused with the list of those known."""

from __future__ import annotations

import pytest

from bertillon.errors import InputError
from bertillon.measures.better import LANGUAGES
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.registry import IDENTIFICATION, VERIFICATION, Definition, Language

EVERY = [(language, one) for language in LANGUAGES for one in language.definitions.values()]
each = pytest.mark.parametrize(("language", "definition"), EVERY, ids=[f"{a.mode}-{b.name}" for a, b in EVERY])


def with_variant(definition: Definition, variant: str) -> str:
    """The definition's example in another variant."""
    name = definition.name
    rest = definition.example[len(name) :]
    return f"{name}[{variant}]{rest.partition(']')[2] if rest.startswith('[') else rest}"


@each
def test_an_unknown_variant_of_any_measure_is_refused(language: Language, definition: Definition) -> None:
    with pytest.raises(InputError, match="unheard-of"):
        language.parse(with_variant(definition, "unheard-of"))


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


@pytest.mark.parametrize(("language", "name", "variant"), NAMED, ids=[f"{a.mode}-{b}-{c}" for a, b, c in NAMED])
def test_the_usual_variant_may_be_named_by_hand(language: Language, name: str, variant: str) -> None:
    """It is the same measure with or without its name, in any case of letters, and is shown without."""
    definition = language.definitions[name]
    usual = language.parse(with_variant(definition, "").replace("[]", ""))
    for said in (variant, variant.upper()):
        assert language.parse(with_variant(definition, said)) == usual
    assert f"[{variant}]" not in str(usual)
