"""Which interval measures of classifiers, areas, ranks and attacks ask for, and what they read of bins, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from measures.asked import COUNTED, FOUND, plan

from bertillon.measures import (
    ATTACKS,
    CLASSIFICATION,
    IDENTIFICATION,
    VERIFICATION,
    AreaToTarget,
    AtTarget,
    OverBins,
    Overfitted,
    Proportion,
    Resample,
    Result,
    Target,
)

COUNT, MEAN, SEEN = np.array([3, 1, 0]), np.array([0.25, 0.5, 0.9]), np.array([0.5, 1.0, 0.0])


def test_parts_of_brier_by_hand():
    for name in ("Resolution", "Remainder"):
        assert plan(CLASSIFICATION, name) == Overfitted(Resample(), above=True)
    assert plan(CLASSIFICATION, "Uncertainty").value(0.25) == 0.1875
    found = plan(CLASSIFICATION, "Reliability(bins=7)")
    assert found == OverBins(found.value, found.value, 7, by_class=True, added=True)
    assert found.value(COUNT, MEAN, SEEN) == pytest.approx(0.75 * 0.25**2 + 0.25 * 0.5**2)


@pytest.mark.parametrize(
    ("name", "flags", "value", "truth"),
    [
        ("ECE(bins=7)", {}, 0.3125, 0.3125),
        ("ECE[equal-mass](bins=7)", {"mass": True}, 0.3125, 0.3125),
        ("ECE[classwise](bins=7)", {"by_class": True}, 0.3125, 0.3125),
        ("MCE(bins=7)", {"largest": True}, 0.5, 0.5),
    ],
)
def test_calibration_errors_by_hand(name, flags, value, truth):
    found = plan(CLASSIFICATION, name)
    resample = Resample(by_class=flags.get("by_class", False))
    assert found == OverBins(found.value, found.truth, 7, **flags, resample=resample)
    assert found.value(COUNT, MEAN, SEEN) == pytest.approx(value)
    assert found.truth(COUNT, MEAN, SEEN) == pytest.approx(truth)


def test_the_debiased_error_is_less_by_what_chance_adds_by_hand():
    """One bin of four with half of them positive: a gap of 0.25 is one spread, which grows by its folded normal law."""
    found = plan(CLASSIFICATION, "ECE[debiased](bins=7)")
    bins = np.array([4]), np.array([0.25]), np.array([0.5])
    below = 0.5 * math.erfc(1.0 / math.sqrt(2.0))
    folded = 0.25 * math.sqrt(2.0 / math.pi) * math.exp(-0.5) + 0.25 * (1.0 - 2.0 * below)
    assert found.value(*bins) == pytest.approx(0.5 - folded)
    assert found.truth(*bins) == pytest.approx(0.25)
    assert found.value(*bins) < found.truth(*bins)


@pytest.mark.parametrize("name", ["Accuracy", "BalancedAccuracy", "MCC"])
def test_agreement_of_decisions(name):
    measure = CLASSIFICATION.parse(name)
    resampled = measure.interval(FOUND)
    assert resampled.worst == measure
    assert resampled.outcome is not None
    assert measure.interval(COUNTED) == Proportion(success=True, resample=resampled)


def test_agreement_at_a_threshold_has_no_worst_case_but_that_of_classes_that_part():
    measure = CLASSIFICATION.parse("MCC@t=0.5")
    assert measure.interval(FOUND) == Resample()
    parted = measure.interval(Result(1.0, 0.5))
    assert parted.worst == CLASSIFICATION.parse("MCC")
    assert parted.outcome == plan(CLASSIFICATION, "AUC").outcome
    assert parted.outcome != plan(CLASSIFICATION, "MCC").outcome


def test_agreement_says_for_how_many_classes_it_is():
    assert CLASSIFICATION.parse("MCC").for_classes(4, "macro") == CLASSIFICATION.parse("MCC")
    assert CLASSIFICATION.parse("MCC@t=0.5").for_classes(2, "macro") == CLASSIFICATION.parse("MCC@t=0.5")
    assert CLASSIFICATION.parse("MCC@t=0.5").for_classes(4, "macro") is None


def test_areas_of_classes_are_resampled_class_by_class():
    for name in ("AUC", "AUC[ovr]"):
        assert plan(CLASSIFICATION, name).by_class is True
        assert plan(CLASSIFICATION, name).worst == CLASSIFICATION.parse(name)


@pytest.mark.parametrize(("name", "fitted"), [("AP", False), ("AP[interpolated]", True), ("AP[voc11]", True)])
def test_areas_under_a_hull_are_too_large(name, fitted):
    found = plan(CLASSIFICATION, name)
    assert isinstance(found, Overfitted) is fitted
    assert (found.resample if fitted else found).by_class is True
    assert not fitted or found.above is True


@pytest.mark.parametrize(("measures", "rate"), [(VERIFICATION, "FMR"), (CLASSIFICATION, "FPR")])
def test_partial_areas_rest_on_their_limit(measures, rate):
    measure = measures.parse(f"pAUC@{rate}=0.25")
    found, target = measure.interval(FOUND), Target(rate, 0.25, mated=False)
    assert isinstance(found, AreaToTarget)
    assert found.target == measure.target == target
    assert found.value_of(0.125) == 0.125
    assert found.resample.worst == measure
    standardised = measures.parse(f"pAUC[mcclish]@{rate}=0.25").interval(FOUND)
    assert standardised.value_of(0.25) == pytest.approx(1.0)


def test_who_was_found_wrongly_is_resampled_unless_nobody_was():
    found = plan(IDENTIFICATION, "Misidentified@FPIR=0.1")
    assert (found.rate.threshold, found.rate.mated, found.rate.success) == (0.5, True, False)
    assert found.rate.outcome.k == 1


def test_summaries_of_ranks():
    assert plan(IDENTIFICATION, "MRR").reason is None
    assert plan(IDENTIFICATION, "MeanRank").reason.key == "reason.few_last_ranks"
    assert plan(IDENTIFICATION, "MRR[optimistic]").outcome.ties == "optimistic"
    assert plan(IDENTIFICATION, "MedianRank").outcome == plan(IDENTIFICATION, "MRR").outcome
    assert plan(IDENTIFICATION, "EERopen").worst == VERIFICATION.parse("EER")
    assert plan(IDENTIFICATION, "EERopen").outcome is not None


@pytest.mark.parametrize(
    ("name", "key", "mated", "outcome"),
    [("BPCER@APCER=0.1", "APCER", False, "bona fide"), ("APCER@BPCER=0.1", "BPCER", True, "attacks")],
)
def test_rates_of_a_detector_at_a_target(name, key, mated, outcome):
    assert plan(ATTACKS, name) == AtTarget(Target(key, 0.1, mated=mated), outcome=outcome)
    threshold = name.split("@")[0] + "@t=0.5"
    assert plan(ATTACKS, threshold, COUNTED) == Proportion(outcome=outcome)
    assert isinstance(plan(ATTACKS, threshold), Resample)


@pytest.mark.parametrize(("name", "better", "iso"), [("FNMR", "lower", True), ("TMR", "higher", False)])
def test_the_standard_names_errors_only(name, better, iso):
    definition = VERIFICATION.definitions[name]
    assert (definition.name, definition.better) == (name, better)
    assert (definition.iso == definition.summary) is iso
    assert iso or not definition.iso
