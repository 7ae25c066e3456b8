"""Listed error rates put in order, their direction found, and what is no curve refused."""

from __future__ import annotations

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import AcceptRule
from bertillon.counting import curve_of
from bertillon.io import Rates


def listed(threshold, fmr, fnmr) -> Rates:
    thresholds = None if threshold is None else np.array(threshold, dtype=float)
    return Rates(thresholds, np.array(fmr, dtype=float), np.array(fnmr, dtype=float), "folder/rates.csv", ("a note",))


def test_a_similarity_is_known_by_a_falling_fmr_and_put_in_order_by_hand():
    curve = curve_of(listed([3, 1, 2], [0.1, 0.5, 0.25], [0.75, 0.0, 0.5]))
    assert curve.rule is AcceptRule.SIMILARITY
    assert curve.threshold.tolist() == [1, 2, 3]
    assert (curve.fmr.tolist(), curve.fnmr.tolist()) == ([0.5, 0.25, 0.1], [0.0, 0.5, 0.75])
    assert (curve.name, curve.notes, len(curve)) == ("rates.csv", ("a note",), 3)


def test_a_distance_is_known_by_a_growing_fmr_and_its_strictest_threshold_is_last_by_hand():
    curve = curve_of(listed([1, 2, 3], [0.1, 0.25, 0.5], [0.75, 0.5, 0.0]))
    assert curve.rule is AcceptRule.DISTANCE
    assert curve.threshold.tolist() == [3, 2, 1]
    assert curve.fmr.tolist() == [0.5, 0.25, 0.1]


@pytest.mark.parametrize(
    ("fmr", "fnmr", "rule"),
    [
        ([0.5, 0.5], [0.0, 0.25], AcceptRule.SIMILARITY),
        ([0.5, 0.25], [0.25, 0.25], AcceptRule.SIMILARITY),
        ([0.25, 0.5], [0.25, 0.25], AcceptRule.DISTANCE),
    ],
)
def test_one_of_the_rates_is_enough_to_know_the_direction(fmr, fnmr, rule):
    assert curve_of(listed([1, 2], fmr, fnmr)).rule is rule


def test_points_of_one_threshold_stay_as_listed():
    curve = curve_of(listed([1, 2, 2, 3], [0.5, 0.4, 0.3, 0.1], [0.0, 0.1, 0.2, 0.5]))
    assert curve.fmr.tolist() == [0.5, 0.4, 0.3, 0.1]


def test_without_thresholds_points_go_from_the_highest_fmr_to_the_lowest_by_hand():
    curve = curve_of(listed(None, [0.1, 0.5, 0.1], [0.75, 0.0, 0.5]))
    assert (curve.threshold, curve.rule) == (None, None)
    assert (curve.fmr.tolist(), curve.fnmr.tolist()) == ([0.5, 0.1, 0.1], [0.0, 0.5, 0.75])


def test_a_single_point_is_taken_for_a_similarity():
    assert curve_of(listed([0.5], [0.1], [0.2])).rule is AcceptRule.SIMILARITY


def test_rates_that_are_the_same_at_both_ends_are_no_curve():
    with pytest.raises(bt.InputError, match=r"rates\.csv: FMR and FNMR are the same at both ends"):
        curve_of(listed([1, 2, 3], [0.5, 0.2, 0.5], [0.1, 0.3, 0.1]))
    with pytest.raises(bt.InputError, match="the same at both ends"):
        curve_of(listed([1, 2], [0.5, 0.625], [0.125, 0.25]))


@pytest.mark.parametrize(
    ("threshold", "fmr", "fnmr", "message"),
    [
        ([1, 2, 3], [0.5, 0.6, 0.1], [0.0, 0.1, 0.2], "FMR goes from 0.5 to 0.6 between thresholds 1 and 2"),
        ([1, 2, 3], [0.5, 0.4, 0.1], [0.0, 0.3, 0.2], "FNMR goes from 0.3 to 0.2 between thresholds 2 and 3"),
        ([1, 2, 3], [0.1, 0.4, 0.2], [0.9, 0.2, 0.1], "FMR goes from 0.2 to 0.4 between thresholds 3 and 2"),
        (None, [0.5, 0.4], [0.2, 0.1], "FNMR goes from 0.2 to 0.1 between its points"),
    ],
)
def test_a_point_against_the_others_is_named(threshold, fmr, fnmr, message):
    with pytest.raises(bt.InputError, match=rf"rates\.csv: {message}, against the other points; an error curve only"):
        curve_of(listed(threshold, fmr, fnmr))
