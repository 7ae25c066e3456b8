"""The language of measures: synonyms, nearest spellings, and everything that is refused, with what is said."""

from __future__ import annotations

import pytest

import bertillon as bt
from bertillon.measures import MEASURES, Definition, MeasureSet, Spelling, Weights, number, parse_all


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("TPR@FPR=1e-3", "TMR@FMR=0.001"),
        ("tar@far=.01", "GAR@FAR=0.01"),
        ("recall@fall-out=0.5", "TMR@FMR=0.5"),
        ("FAR@threshold=2", "FAR@t=2"),
        ("FNMR @FMR=0.1", "FNMR@FMR=0.1"),
        (" EER ", "EER"),
        ("EER[interpolated]", "EER"),
        ("EER[HULL]", "EER[hull]"),
        ("equal_error_rate", "EER"),
        ("FAR@False Reject Rate=0.1", "FAR@FRR=0.1"),
        ("FNMR[at-most]@FMR=1e-05", "FNMR@FMR=1e-5"),
        ("FP@t=1e22", "FM@t=1e22"),
        ("d'", "dprime"),
        ("dprime[daugman]", "dprime"),
        ("ZeroFAR", "ZeroFMR"),
        ("zero-frr", "ZeroFNMR"),
        ("minDCF", "minDCF(p=0.01,cmiss=1,cfa=1)"),
        ("minDCF[raw](cfa=2)", "minDCF[raw](p=0.01,cmiss=1,cfa=2)"),
        ("minCost(cfr=3)", "minCost(cfa=1,cfr=3,impostor=0.5)"),
        ("Overlap(bins=100)", "Overlap"),
        ("pAUC@FPR=0.1", "pAUC@FMR=0.1"),
        ("FMR@t=-inf", "FMR@t=-inf"),
    ],
)
def test_everyday_spellings_by_hand(said, meant):
    """DESIGN 4: what is understood, and the one spelling it is shown with."""
    assert str(bt.parse(said)) == meant


@pytest.mark.parametrize("definition", MEASURES.values(), ids=lambda definition: definition.name)
def test_every_definition_explains_itself(definition):
    """Its example is a measure of that name, and each synonym means the same."""
    example = bt.parse(definition.example)
    assert str(example).startswith(definition.name)
    assert definition.summary
    assert definition.formula
    for synonym in definition.synonyms:
        assert bt.parse(definition.example.replace(definition.name, synonym, 1)) == example


def test_two_measures_cannot_share_a_name_by_hand():
    measure_set = MeasureSet("trying")
    measure_set.register(Definition("Something", lambda spelling: bt.parse("EER"), "", "Something", better="lower"))
    taken = Definition("Other", lambda spelling: bt.parse("AUC"), "", "Other", synonyms=("some-thing",), better="lower")
    with pytest.raises(ValueError, match="the measure name 'some-thing' already means Something"):
        measure_set.register(taken)
    assert list(measure_set.definitions) == ["Something"]
    assert measure_set.definitions.home("Something") == __name__


def test_all_unknown_measures_are_named_at_once_with_the_nearest_spelling_by_hand():
    with pytest.raises(bt.InputError) as raised:
        parse_all(["EER", "EERR", "FNMRR@FMR=0.1", "AUCC", "qqqqqqqq", "EER[nope]", "FNMR@FMR=2"])
    lines = str(raised.value).splitlines()
    assert len(lines) == 6
    assert lines[0] == "unknown measure 'EERR' (did you mean EER?); 'bertillon measures' lists them all"
    assert "unknown measure 'FNMRR@FMR=0.1' (did you mean FNMR?)" in lines[1]
    assert "unknown measure 'AUCC' (did you mean AUC?)" in lines[2]
    assert lines[3].startswith("unknown measure 'qqqqqqqq'; ")
    assert "EER[nope]: variant 'nope' is not known; expected interpolated, nearest, fvc" in lines[4]
    assert "FNMR@FMR=2: FMR is 2.0; expected a rate from 0 to 1" in lines[5]


def test_evaluate_refuses_all_bad_measures_before_counting_by_hand():
    with pytest.raises(bt.InputError, match=r"(?s)unknown measure 'NOPE'.*unknown measure 'ZILCH'"):
        bt.evaluate(bt.ScoreSet([1.0], [0.0]), ["NOPE", "EER", "ZILCH"])


@pytest.mark.parametrize(
    ("said", "because"),
    [
        ("", "cannot read the measure ''"),
        ("@t=1", "cannot read the measure"),
        ("FMR@", "cannot read the measure"),
        ("FMR", "expected one place to read it at, such as FMR@t=0.5"),
        ("FMR@0.1", "of what is 0.1? write FMR@t=0.1, FMR@FAR=0.1"),
        ("FMR@EER=0.1", "place 'EER' is not known"),
        ("FMR@t=1,FMR=0.1", "expected one place"),
        ("FNMR@FMR=0.1,FMR=0.2", "'FMR' is given twice"),
        ("FNMR@FMR=-0.1", "FMR is -0.1; expected a rate from 0 to 1"),
        ("FNMR@FMR=1.1", "FMR is 1.1; expected a rate from 0 to 1"),
        ("FNMR@FMR=nan", "expected a rate from 0 to 1"),
        ("FMR@t=nan", "the threshold is not a number"),
        ("FMR@t=abc", "cannot read 't=abc' in the measure 'FMR@t=abc'"),
        ("FMR[closest]@t=1", "variant 'closest' is not known; expected at-most, nearest, interpolated"),
        ("FMR(fta=0.1)@t=1", "option 'fta' is not known; expected none"),
        ("FAR(fta=1.1)@t=1", "fta is 1.1; expected a share from 0 to 1"),
        ("GFAR(fte=-1)@t=1", "fte is -1.0; expected a share from 0 to 1"),
        ("HTER[nearest]@FMR=0.1", "variant 'nearest' is not known; expected at-most"),
        ("FM[nearest]@FMR=0.1", "variant 'nearest' is not known"),
        ("EER@t=1", "place 't' is not known; expected none"),
        ("EER(p=1)", "option 'p' is not known; expected none"),
        ("ZeroFMR@t=1", "place 't' is not known"),
        ("ZeroFMR[nearest]", "variant 'nearest' is not known"),
        ("AUC@FMR=0.1", "place 'FMR' is not known"),
        ("AUC[half]", "variant 'half' is not known"),
        ("pAUC", "expected pAUC@FMR=x with x above 0 and at most 1"),
        ("pAUC@FMR=0", "expected pAUC@FMR=x with x above 0 and at most 1"),
        ("pAUC@t=0.5", "expected pAUC@FMR=x"),
        ("dprime[half]", "variant 'half' is not known; expected daugman, sum"),
        ("FRatio[sum]", "variant 'sum' is not known; expected daugman"),
        ("KS[raw]", "variant 'raw' is not known"),
        ("Overlap(bins=0)", "bins is 0; expected a whole number from 1 to 1,000,000"),
        ("Overlap(bins=2.5)", "bins is 2.5; expected a whole number"),
        ("Overlap(bins=nan)", "bins is nan; expected a whole number"),
        ("Overlap(bins=inf)", "bins is inf; expected a whole number"),
        ("Cost(cfa=-1)@t=1", "cost cfa is -1.0; expected a finite number, 0 or more"),
        ("Cost(cfr=inf)@t=1", "cost cfr is inf; expected a finite number, 0 or more"),
        ("Cost(cfa=nan)@t=1", "cost cfa is nan"),
        ("Cost(price=1)@t=1", "option 'price' is not known; expected cfa, cfr, impostor"),
        ("minCost(impostor=1.5)", "the prior of impostors is 1.5; expected a share from 0 to 1"),
        ("minCost@t=1", "place 't' is not known; expected none"),
        ("minHTER(cfa=2)", "option 'cfa' is not known; expected none"),
        ("minDCF(p=0)", "expected p between 0 and 1 and costs above 0"),
        ("minDCF(p=1)", "expected p between 0 and 1 and costs above 0"),
        ("actDCF(cmiss=0)", "expected p between 0 and 1 and costs above 0"),
        ("minDCF(cfa=0)", "expected p between 0 and 1 and costs above 0"),
        ("actDCF(cmiss=-1)", "expected p between 0 and 1 and costs above 0"),
        ("actDCF(cfa=inf)", "expected p between 0 and 1 and costs above 0"),
        ("minDCF(p=0.1,p=0.2)", "'p' is given twice"),
        ("minDCF[cooked]", "variant 'cooked' is not known; expected normalised, raw"),
        ("Cllr[min]", "variant 'min' is not known"),
        ("Cllr(p=1)", "option 'p' is not known; expected none"),
        ("FTA@t=1", "place 't' is not known; expected none"),
        ("FTE[soft]", "variant 'soft' is not known"),
        ("ERR", "did you mean EER?"),
        ("FNMR@FMR=0,01", "cannot read '01' in the measure 'FNMR@FMR=0,01'"),
        ("FNMR@FMR=0,01", "decimals are written with a point, 0.01"),
        ("FNMR@FMR=101%", "FMR is 1.01; expected a rate from 0 to 1"),
        ("FMR@t=5%", "a threshold is a score, no share"),
        ("FMR(FNMR=x)", "write a number for x"),
        ("FMR50", "unknown measure 'FMR50' (did you mean FMR10?)"),
        ("F1_macro", "it is one of classification"),
        ("F1", "'F1' in verification: it is one of classification; 'bertillon measures verification' lists those"),
        ("RR", "'RR' in verification: it is one of identification"),
        ("mnCllr", "unknown measure 'mnCllr' (did you mean minCllr?)"),
        ("ZeroFNRM", "unknown measure 'ZeroFNRM' (did you mean ZeroFNMR?)"),
        ("ACU", "unknown measure 'ACU' (did you mean AUC?)"),
        ("prdime", "unknown measure 'prdime' (did you mean dprime?)"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_reason_by_hand(said, because):
    with pytest.raises(bt.InputError) as raised:
        bt.parse(said)
    assert because in str(raised.value)


def test_the_parts_of_a_spelling_by_hand():
    read = Spelling.read("Name[a-b](x=1,y=2e-3)@FMR=0.5,k=5")
    assert (read.name, read.variant, read.options, read.at) == (
        "Name",
        "a-b",
        {"x": 1.0, "y": 0.002},
        {"FMR": 0.5, "k": 5.0},
    )
    assert str(read) == "Name[a-b](x=1,y=0.002)@FMR=0.5,k=5"
    assert str(Spelling.read("CMS@5")) == "CMS@5"


@pytest.mark.parametrize(
    ("value", "shown"), [(1e-7, "1e-7"), (1e-10, "1e-10"), (1e100, "1e100"), (0.1 + 0.2, "0.30000000000000004")]
)
def test_numbers_are_as_short_as_they_can_be_by_hand(value, shown):
    assert number(value) == shown
    assert float(number(value)) == value


def test_a_likelihood_ratio_without_false_rejects_to_pay_for_by_hand():
    """V10: where no false reject costs anything, nobody should be accepted."""
    assert Weights(cfa=1, cfr=0).likelihood_ratio == float("inf")
    assert Weights(cfa=3, cfr=2, impostor=0.5).likelihood_ratio == 1.5


def test_a_classifier_is_told_that_the_measure_is_of_comparisons():
    with pytest.raises(bt.InputError, match="'EER' in classification: it is one of verification"):
        bt.evaluate(bt.Predictions.from_scores([0, 1], [0.1, 0.9]), "EER")
