"""Measures on the listed points of a curve, by hand: what is read, and what cannot be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bertillon as bt

FMR = np.array([0.25, 0.1, 0.05, 0.02, 0.01, 0.005])
FNMR = np.array([0.001, 0.005, 0.015, 0.035, 0.07, 0.15])
T = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
WHOLE = bt.counting.RateCurve(np.array([1.0, 0.5, 0.2, 0.0]), np.array([0.0, 0.1, 0.4, 1.0]))


def course(threshold=T):
    return bt.counting.RateCurve(FMR, FNMR, threshold, bt.AcceptRule.SIMILARITY)


def value(curve, measure):
    result = bt.evaluate(curve, measure)[measure]
    return result.value, result.threshold


@pytest.mark.parametrize(
    ("measure", "expected", "threshold"),
    [
        ("EER", 0.029, 0.37),
        ("EER[nearest]", 0.0275, 0.4),
        ("EER[fvc-low]", 0.02, 0.4),
        ("EER[fvc-high]", 0.035, 0.4),
        ("FNMR@FMR=0.01", 0.07, 0.5),
        ("FNMR@FMR=0.03", 0.035, 0.4),
        ("TMR@FMR=0.03", 0.965, 0.4),
        ("FMR@FNMR=0.02", 0.05, 0.3),
        ("FNMR@t=0.3", 0.015, 0.3),
        ("FMR@t=0.3", 0.05, 0.3),
        ("TNMR@t=0.3", 0.95, 0.3),
        ("HTER@t=0.4", 0.0275, 0.4),
    ],
)
def test_rates_at_listed_points_by_hand(measure, expected, threshold):
    found, at = value(course(), measure)
    assert found == pytest.approx(expected, abs=1e-12)
    assert at == pytest.approx(threshold, abs=1e-12)


def test_a_meeting_at_the_last_point_is_read_there_by_hand():
    curve = bt.counting.RateCurve(
        np.array([0.5, 0.2]), np.array([0.1, 0.2]), np.array([1.0, 2.0]), bt.AcceptRule.SIMILARITY
    )
    assert value(curve, "EER") == (0.2, 2.0)


def test_a_meeting_at_the_first_of_the_points_is_read_there_by_hand():
    curve = bt.counting.RateCurve(
        np.array([0.3, 0.2]), np.array([0.3, 0.4]), np.array([1.0, 2.0]), bt.AcceptRule.SIMILARITY
    )
    assert value(curve, "EER") == (0.3, 1.0)


def test_a_distance_keeps_its_thresholds():
    curve = bt.counting.RateCurve(
        FMR[::-1][::-1], FNMR, np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4]), bt.AcceptRule.DISTANCE
    )
    assert value(curve, "FNMR@FMR=0.01") == (pytest.approx(0.07), pytest.approx(0.5))


def test_without_thresholds_none_is_shown():
    result = bt.evaluate(course(None), "FNMR@FMR=0.01")["FNMR@FMR=0.01"]
    assert result.value == pytest.approx(0.07)
    assert result.threshold is None
    assert result.errors is None
    assert result.trials is None


def test_areas_by_trapezoids_by_hand():
    # from FMR 0 to .2 TMR rises from 0 to .6, to .5 from .6 to .9, to 1 from .9 to 1
    assert value(WHOLE, "AUC")[0] == pytest.approx(0.06 + 0.225 + 0.475)
    assert value(WHOLE, "Gini")[0] == pytest.approx(2 * 0.76 - 1)
    assert value(WHOLE, "pAUC@FMR=0.2")[0] == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("AUC", "the curve does not reach from FMR = 0 to FMR = 1"),
        ("pAUC@FMR=0.1", "the curve does not reach FMR = 0"),
        ("dprime", "the file holds a curve, not scores"),
        ("FNMR@t=0.35", "0.35"),
        ("FNMR@FMR=0.001", "FMR"),
        ("FRR(fta=0.1)@FMR=0.01", "the file holds a curve, not scores"),
    ],
)
def test_what_listed_points_cannot_answer_says_why(measure, reason):
    result = bt.evaluate(course(), measure)[measure]
    assert math.isnan(result.value)
    assert reason in str(result.reason)
    assert result.threshold is None


def test_a_threshold_cannot_be_asked_where_none_is_listed():
    result = bt.evaluate(course(None), "FNMR@t=0.3")["FNMR@t=0.3"]
    assert math.isnan(result.value)
    assert "0.3" in str(result.reason)


def test_what_is_said_of_listed_points():
    curve = course()
    assert curve.counts == {"points": 6}
    assert curve.curves == ()
    assert len(curve.fingerprint) > 4
    assert curve.fingerprint != WHOLE.fingerprint
    meant = curve.definitions
    assert {"targets", "thresholds"} <= set(meant)
    assert meant["targets"].key == "signature.targets.listed"
    assert curve.fingerprint in map(str, meant.values())
    tally = curve.count()
    assert tally.rule is bt.AcceptRule.SIMILARITY
    assert (tally.errors.n_mated, tally.errors.n_nonmated) == (1, 1)
    assert WHOLE.count().rule is bt.AcceptRule.SIMILARITY
    assert WHOLE.count().errors.threshold.tolist() == [0.0, 1.0, 2.0, 3.0]
