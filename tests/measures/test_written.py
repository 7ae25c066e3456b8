"""Measures as people write them, by hand; and every name that our own tables and figures show, in every language."""

from __future__ import annotations

import pytest

import bertillon as bt
from bertillon.core import LANGUAGES, catalogue, speaking, spoken
from bertillon.measures import Spelling, measure_set_of, read_number
from bertillon.views import MeasureNames, Vocabulary, everyday_name, name_columns

MODES = ("verification", "identification", "classification", "attacks")
WRITTEN = {
    "verification": {
        "FMR(FNMR=0.25)": "FMR@FNMR=0.25",  # as the tables of V5 are headed
        "FP(FN=0.25)": "FMR@FNMR=0.25",
        "fn(fp=0.01)": "FNMR@FMR=0.01",
        "FMR(t=0.5)": "FMR@t=0.5",
        "FP@FNR=0.25": "FM@FNMR=0.25",  # a count, at a rate
        "FNMR @ FMR = 0.01": "FNMR@FMR=0.01",
        "FNMR@FMR=1%": "FNMR@FMR=0.01",
        "FNMR@FMR=0.1 %": "FNMR@FMR=0.001",
        "FNMR@FMR=0.7%": "FNMR@FMR=0.007",  # not 0.006999999999999999
        "minDCF(p=1%, cmiss=10)": "minDCF(p=0.01,cmiss=10,cfa=1)",
        "TAR@FAR=1e-3": "GAR@FAR=0.001",
        "TAR @ 0.1 % FAR": "GAR@FAR=0.001",
        "TPR at FPR=1e-4": "TMR@FMR=0.0001",
        "TAR@FAR 0.01": "GAR@FAR=0.01",
        "roc_auc": "AUC",
        "roc_auc_score": "AUC",
        "auc roc": "AUC",
        "Equal Error Rate": "EER",
        "eer_hull": "EER[hull]",
        "EER [hull]": "EER[hull]",
        "FMR 100": "FMR100",
        "d′": "dprime",
        "d’": "dprime",
    },
    "identification": {
        "rank5": "CMS@5",
        "rank-5": "CMS@5",
        "CMC(5)": "CMS@5",
        "rank 1": "RR",
        "TPIR@FPIR=1%": "DIR@FPIR=0.01,k=1",
    },
    "classification": {
        "f1_macro": "F1[macro]",
        "precision_weighted": "Precision[weighted]",
        "roc_auc_ovr_weighted": "AUC[ovr-weighted]",
        "top5": "Top@5",
        "top_k_accuracy@5": "Top@5",
        "precision@10": "P@10",
        "Recall@10": "R@10",
        "ndcg10": "NDCG@10",
        "P(10)": "P@10",
        "FP(FN=5%)": "FPR@FNR=0.05",
        "balanced_accuracy": "BalancedAccuracy",
        "average_precision": "AP",
        "matthews_corrcoef": "MCC",
        "brier_score_loss": "Brier",
        "cohen_kappa_score": "Kappa",
        "log_loss": "LogLoss",
    },
    "attacks": {"BPCER(APCER=5%)": "BPCER@APCER=0.05"},
}
VARIANTS = {  # spellings besides the examples of the definitions
    "verification": ("dprime[sum]", "EER[hull]", "FNMR[nearest]@FMR=0.01", "FMR@FNMR=0.25", "TMR@FMR=0.1"),
    "identification": ("RR[optimistic]", "DIR[top]@FPIR=0.1,k=3", "EERopen[nearest]", "FNIR@t=0.5,k=2"),
    "classification": ("F1[weighted]", "Recall@FPR=0.01", "AUC[ovr]", "Precision@Recall=0.9", "ECE(bins=15)"),
    "attacks": ("APCER@BPCER=0.1",),
}
SHOWN = [
    (mode, str(measure_set_of(mode).parse(text)))
    for mode in MODES
    for text in (*(each.example for each in measure_set_of(mode).definitions.values()), *VARIANTS[mode])
]


@pytest.mark.parametrize(("mode", "said", "meant"), [(mode, *pair) for mode in MODES for pair in WRITTEN[mode].items()])
def test_as_people_write_them_by_hand(mode, said, meant):
    assert str(measure_set_of(mode).parse(said)) == meant


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_every_printed_name_of_a_measure_can_be_asked_for(lang, vocabulary):
    """What any table shows of any measure, in any vocabulary and language; in that of its mode it is the measure."""
    for mode, name in SHOWN:
        measures = measure_set_of(mode)
        columns = name_columns([name], measures, vocabulary=vocabulary)
        with speaking(lang):
            printed = [
                *columns.first,
                *map(spoken, columns.second),
                MeasureNames.of(measures, vocabulary).measure(name),
            ]
            printed += [spoken(everyday_name(name))] if mode == "verification" else []
        for shown in filter(None, printed):
            assert _means(measures, shown, name), (mode, name, shown)


def _means(measures, shown, name):
    """The same measure; one spelled out that has a name of its own; or that of comparisons for that of attempts."""
    found, asked = measures.parse(shown), measures.parse(name)
    return found in (asked, SPELLED_OUT.get(name)) or _of_comparisons(found) == _of_comparisons(asked)


def _of_comparisons(measure):
    spelling = measure.spelling
    names = [ATTEMPTS.get(name, name) for name in (spelling.name, *spelling.at)]
    return names, spelling.variant, [*spelling.at.values()]


ATTEMPTS = {
    "FAR": "FMR",
    "FRR": "FNMR",
    "GAR": "TMR",
    "GRR": "TNMR",
}  # everyday names, and the same in machine learning
SPELLED_OUT = {
    "ZeroFMR": bt.parse("FNMR@FMR=0"),
    "ZeroFNMR": bt.parse("FMR@FNMR=0"),
    **{f"FMR{n}": bt.parse(f"FNMR@FMR={1 / n}") for n in (10, 100, 1000, 10_000)},
    "RR": measure_set_of("identification").parse("CMS@1"),
    "RR[optimistic]": measure_set_of("identification").parse("CMS[optimistic]@1"),
}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_axes_of_figures_name_measures(lang):
    """The label of an axis, whole or without what stands in parentheses, is a name of its rate."""
    axes = {"FMR": ("verification", "FMR"), "FNMR": ("verification", "FNMR"), "TMR": ("verification", "TMR")}
    axes |= {"FPR": ("classification", "FPR"), "recall": ("classification", "Recall")}
    axes |= {"precision": ("classification", "Precision"), "FPIR": ("identification", "FPIR")}
    for key, (mode, name) in axes.items():
        label = catalogue(lang)(f"figure.{key}")
        for shown in (label, label.partition(" (")[0]):
            assert str(measure_set_of(mode).parse(f"{shown}@t=0.5")) == f"{name}@t=0.5"


def test_a_heading_in_both_vocabularies_is_read():
    assert str(bt.parse("FNMR@FMR=0.01 = FNR@FPR=0.01")) == "FNMR@FMR=0.01"
    with pytest.raises(bt.InputError):
        bt.parse("EER = AUC")


def test_a_percentage_is_the_nearest_decimal_of_its_share():
    assert [read_number(f"{number / 10}%") for number in range(1, 100)] == [number / 1000 for number in range(1, 100)]


def test_what_is_unknown_is_named_at_once_with_what_is_near():
    with pytest.raises(bt.InputError) as raised:
        measure_set_of("classification").parse_all(["f1_makro", "top5", "recal", "aucc"])
    assert len(str(raised.value).splitlines()) == 3
    for near in ("expected plain, macro, micro, weighted", "did you mean Recall?", "did you mean AUC?"):
        assert near in str(raised.value)


def test_spaces_do_not_change_the_parts():
    read = Spelling.read(" Name [a-b] ( x = 1 , y = 2 % ) @ FMR = 0.5 , k = 5 ")
    assert str(read) == "Name[a-b](x=1,y=0.02)@FMR=0.5,k=5"
