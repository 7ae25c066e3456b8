"""Where a rate is read: against going through all thresholds with exact fractions, and by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.core import AcceptRule, text_of
from bertillon.counting import BinaryCounts, CurvePoint
from bertillon.measures import POINT_KEYS, OperatingPoint, Result, seek_best

SIMILARITY = AcceptRule.SIMILARITY
PERMISSIVE_FIRST = {"FMR", "FAR", "TNMR", "GRR"}  # kept from some threshold on; the others up to some threshold


@st.composite
def curves(draw) -> BinaryCounts:
    """A curve of a few rows, with failures; both classes have scores."""
    rows = draw(st.integers(2, 6))
    mated, nonmated = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    match = sorted(draw(st.lists(st.integers(0, nonmated), min_size=rows - 2, max_size=rows - 2)), reverse=True)
    nonmatch = sorted(draw(st.lists(st.integers(0, mated), min_size=rows - 2, max_size=rows - 2)))
    failed = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    return BinaryCounts(
        np.append(np.arange(rows - 1.0), np.inf),
        np.array([nonmated, *match, 0]),
        np.array([0, *nonmatch, mated]),
        mated,
        nonmated,
        failed_mated=failed[0],
        failed_nonmated=failed[1],
    )


def rates(counts: BinaryCounts, place: str) -> list[Fraction]:
    """V1, V11: the rate at each row; failed comparisons count in FAR, FRR, GAR and GRR."""
    found = []
    for match, nonmatch in zip(counts.false_match.tolist(), counts.false_nonmatch.tolist(), strict=True):
        found.append(
            {
                "FMR": Fraction(match, counts.n_nonmated),
                "FNMR": Fraction(nonmatch, counts.n_mated),
                "TMR": Fraction(counts.n_mated - nonmatch, counts.n_mated),
                "TNMR": Fraction(counts.n_nonmated - match, counts.n_nonmated),
                "FAR": Fraction(match, counts.n_nonmated + counts.failed_nonmated),
                "FRR": Fraction(nonmatch + counts.failed_mated, counts.n_mated + counts.failed_mated),
                "GAR": Fraction(counts.n_mated - nonmatch, counts.n_mated + counts.failed_mated),
                "GRR": Fraction(
                    counts.n_nonmated + counts.failed_nonmated - match, counts.n_nonmated + counts.failed_nonmated
                ),
            }[place]
        )
    return found


places = st.sampled_from([place for place in POINT_KEYS if place != "t"])
targets = st.fractions(0, 1, max_denominator=6)


@given(curves(), places, targets)
def test_a_promise_is_kept_where_it_costs_least_against_brute_force(counts, place, target):
    """FMR=x: the most permissive threshold with FMR <= x; FNMR=x and TMR=y: the strictest that keeps them."""
    least = place in ("TMR", "TNMR", "GAR", "GRR")
    target = Fraction(float(target))  # as the point knows it
    values = [Fraction(float(rate)) for rate in rates(counts, place)]
    kept = [row for row, rate in enumerate(values) if (rate >= target if least else rate <= target)]
    curve_point = OperatingPoint(place, float(target)).find(counts, SIMILARITY)
    if not kept:
        assert curve_point is None
    else:
        row = kept[0] if place in PERMISSIVE_FIRST else kept[-1]
        assert curve_point == CurvePoint(row, row)


@given(curves(), places, targets)
def test_the_nearest_rate_against_brute_force(counts, place, target):
    """Of two rates equally close the more permissive; of its thresholds the one with fewer errors of the other kind."""
    values = [float(rate) for rate in rates(counts, place)]
    away = [abs(value - float(target)) for value in values]
    rate = values[away.index(min(away))]
    rows = [row for row, value in enumerate(values) if value == rate]
    row = rows[0] if place in PERMISSIVE_FIRST else rows[-1]
    assert OperatingPoint(place, float(target), "nearest").find(counts, SIMILARITY) == CurvePoint(row, row)


@given(curves(), places, targets)
def test_an_interpolated_promise_is_just_kept_against_brute_force(counts, place, target):
    point = OperatingPoint(place, float(target), "interpolated")
    curve_point, exact = point.find(counts, SIMILARITY), OperatingPoint(place, float(target)).find(counts, SIMILARITY)
    if exact is None:
        assert curve_point is None
        return
    values = np.array([float(rate) for rate in rates(counts, place)])
    assert curve_point.row == exact.row
    other = curve_point.row - 1 if place in PERMISSIVE_FIRST else curve_point.row + 1
    if not 0 <= other < len(counts):
        assert curve_point == CurvePoint(curve_point.row, curve_point.row)
    else:
        assert curve_point.next_row == other
        assert curve_point.between(values) == pytest.approx(float(target))


@given(curves(), places, targets, st.sampled_from(["at-most", "nearest"]))
def test_an_outline_is_searched_where_the_answer_is_against_brute_force(counts, place, target, how):
    """The bins (a row up to the next) that are sought hold the row found when the outline is the whole curve."""
    point = OperatingPoint(place, float(target), how)
    curve_point = point.find(counts, SIMILARITY)
    sought = point.seek(counts)
    assert ((sought >= 0) & (sought < len(counts))).all()
    if curve_point is not None and 0 < curve_point.row < len(counts) - 1:
        assert {curve_point.row - 1, curve_point.row, curve_point.row + 1} & set(sought.tolist())


@pytest.mark.parametrize(("how", "sought"), [("at-most", [4, 4]), ("nearest", [4, 1])])
def test_the_nearest_rate_is_sought_from_where_it_starts_by_hand(how, sought):
    """Up to row 4 FMR is above a half: there 6 of 8, which may have begun anywhere after row 1."""
    outline = BinaryCounts(np.append(np.arange(6.0), np.inf), np.array([8, 7, 6, 6, 6, 2, 0]), np.arange(7), 6, 8)
    assert OperatingPoint("FMR", 0.5, how).seek(outline).tolist() == sought


def test_the_least_sum_is_sought_where_it_can_be_by_hand():
    """The best edge is row 2 with .1 + .2; below it at best .1 + 0, above it 0 + .2; further away at least .5."""
    outline = BinaryCounts(
        np.array([0.0, 1, 2, 3, np.inf]), np.array([10, 5, 1, 0, 0]), np.array([0, 0, 2, 6, 10]), 10, 10
    )
    assert seek_best(outline, 1.0, 1.0).tolist() == [1, 2]


@pytest.mark.parametrize("said", ["KS", "minHTER", "minDCF(p=0.5)"])
def test_both_errors_weigh_the_same_in_a_search_by_hand(said):
    """The edges of the middle bin are equally good with .5 + 0 and 0 + .5, and the bins beside it no worse at best."""
    outline = BinaryCounts(np.array([0.0, 1, 2, np.inf]), np.array([2, 1, 0, 0]), np.array([0, 0, 1, 2]), 2, 2)
    assert bt.parse(said).seek(outline).tolist() == [0, 1, 2]


def test_a_rate_between_two_thresholds_by_hand():
    """FMR falls from 3/4 to 1/4 between 1 and 2, FNMR rises from 0 to 1/4: half way it is 1/8."""
    scores = bt.ScoreSet([1, 2, 2, 3], [0, 1, 1, 2])
    found = bt.evaluate(scores, ["FNMR[interpolated]@FMR=0.5", "TMR[interpolated]@FMR=0.5"])
    assert [result.value for result in found.results.values()] == [1 / 8, 7 / 8]
    assert {result.threshold for result in found.results.values()} == {1.5}


@pytest.mark.parametrize(
    ("said", "thresholds"), [("actDCF(p=0.5)", (0.0,)), ("minDCF(p=0.5)", ()), ("FMR@t=2", (2.0,))]
)
def test_thresholds_that_are_known_beforehand_by_hand(said, thresholds):
    """Whoever counts comparisons without keeping them must know; the Bayes threshold of even odds is 0."""
    assert bt.parse(said).thresholds == thresholds


@pytest.mark.parametrize(("target", "sought"), [(1.5, [1, 0]), (-1.5, [0, 1]), (2.0, [2, 0]), (9.0, [3, 0])])
def test_a_threshold_is_sought_on_both_sides_of_zero_by_hand(target, sought):
    """The direction is not known there: a distance of 1.5 is -1.5 on the inner scale."""
    outline = BinaryCounts(np.array([0.0, 1, 2, 5, np.inf]), np.arange(4, -1, -1), np.arange(5), 4, 4)
    assert OperatingPoint("t", target).seek(outline).tolist() == sought


def test_a_threshold_asked_for_is_shown_as_asked_by_hand():
    counts = BinaryCounts(np.array([-3.0, -1.0, np.inf]), np.array([2, 1, 0]), np.array([0, 1, 2]), 2, 2)
    point = OperatingPoint("t", 2.0)
    curve_point = point.find(counts, AcceptRule.DISTANCE)
    assert curve_point == CurvePoint(1, 1)
    assert point.shown(curve_point, counts, AcceptRule.DISTANCE) == -2.0
    assert OperatingPoint("FMR", 0.5).shown(curve_point, counts, AcceptRule.DISTANCE) == -1.0


@pytest.mark.parametrize(
    ("thresholds", "share", "expected"),
    [
        ([1.0, 3.0], 0.25, 1.5),
        ([1.0, 3.0], 0.0, 1.0),
        ([1.0, math.inf], 0.25, 1.0),
        ([math.inf, 1.0], 0.25, 1.0),
        ([-math.inf, 1.0], 0.25, 1.0),
        ([-math.inf, 1.0], 0.0, -math.inf),
        ([math.inf, 1.0], 0.0, math.inf),
    ],
)
def test_the_threshold_between_two_rows_by_hand(thresholds, share, expected):
    """Half way to infinity is nowhere: the finite neighbour is shown."""
    counts = BinaryCounts(np.array(thresholds), np.array([1, 0]), np.array([0, 1]), 1, 1)
    assert CurvePoint(0, 1, share).threshold(counts) == expected


def test_shares_and_shares_of_nothing_by_hand():
    assert Result.share(1, 4, 0.5) == Result(0.25, 0.5, 1, 4)
    nothing = Result.share(0, 0, 0.5)
    assert math.isnan(nothing.value)
    assert (nothing.threshold, nothing.errors, nothing.trials, str(nothing.reason)) == (0.5, 0, 0, "no trials")
    undefined = Result.undefined("why")  # words of a measure of another package stay as they are
    assert math.isnan(undefined.value)
    assert (undefined.threshold, undefined.errors, undefined.trials, undefined.reason) == (None, None, None, "why")


@pytest.mark.parametrize("name", ["FMR", "FAR", "FNMR", "FRR"])
def test_a_rate_tells_its_threshold_errors_and_trials_by_hand(name):
    scores = bt.ScoreSet([3.0, 1.0], [2.0, 0.0, 0.0], failures=bt.Failures(mated=1, nonmated=1))
    found = bt.evaluate(scores, [f"{name}@t=2"])[f"{name}@t=2"]
    errors, trials = {"FMR": (1, 3), "FAR": (1, 4), "FNMR": (1, 2), "FRR": (2, 3)}[name]
    assert (found.threshold, found.errors, found.trials) == (2.0, errors, trials)
    assert found.value == errors / trials


def test_failures_have_no_part_in_the_rates_of_a_matcher_by_hand():
    """TNMR = .75 is kept from 3 on; if the failed comparisons were rejections, it would be from 2 on."""
    scores = bt.ScoreSet([5.0], [0.0, 1.0, 2.0, 3.0], failures=bt.Failures(nonmated=4))
    found = bt.evaluate(scores, ["FMR@TNMR=0.75", "FMR@GRR=0.75"])
    assert [(one.value, one.threshold) for one in found.results.values()] == [(0.25, 3.0), (0.5, 2.0)]


def test_rates_and_costs_of_a_system_by_hand():
    """At 2 FMR is 1/4 and FNMR 1/2; half of the people cannot be enrolled, a fifth of the attempts fail."""
    scores = bt.ScoreSet([3.0, 1.0], [2.0, 0.0, 0.0, 0.0])
    expected = {
        "FAR(fta=0.2)@t=2": 0.8 / 4,
        "FRR(fta=0.2)@t=2": 0.2 + 0.8 / 2,
        "GFAR(fta=0.2,fte=0.5)@t=2": 0.5 * 0.8 / 4,
        "GFRR(fta=0.2,fte=0.5)@t=2": 0.5 + 0.5 * (0.2 + 0.8 / 2),
        "HTER@t=2": (1 / 4 + 1 / 2) / 2,
    }
    found = bt.evaluate(scores, list(expected))
    assert {name: result.value for name, result in found.results.items()} == pytest.approx(expected)
    assert {result.threshold for result in found.results.values()} == {2.0}


def test_costs_at_the_bayes_threshold_by_hand():
    """At 0 half of the mated scores are missed and nothing else; at -1 there would be no error."""
    scores = bt.ScoreSet([2.0, -1.0], [-2.0, -1.5])
    found = bt.evaluate(scores, ["actDCF(p=0.5)", "actDCF[raw](p=0.5)", "minDCF(p=0.5)"])
    assert [(one.value, one.threshold) for one in found.results.values()] == [(0.5, 0.0), (0.25, 0.0), (0.0, -1.0)]
    distances = bt.evaluate(bt.ScoreSet([1.0], [2.0], rule="distance"), ["actDCF", "minDCF", "Cllr", "minCllr"])
    reasons = [text_of(result.reason) for result in distances.results.values()]
    assert reasons == ["distances are not log-likelihood ratios", None] * 2


def test_what_says_nothing_costs_one_bit_by_hand():
    found = bt.evaluate(bt.ScoreSet([0.0], [0.0]), ["Cllr", "minCllr"])
    assert [result.value for result in found.results.values()] == pytest.approx([1.0, 1.0])
    assert str(bt.evaluate(bt.ScoreSet([], [0.0]), ["minCllr"])["minCllr"].reason) == "no mated scores"


@pytest.mark.parametrize(("mated", "expected"), [(2.0, math.inf), (0.0, -math.inf), (1.0, math.nan)])
def test_scores_without_spread_are_infinitely_far_apart_or_the_same_by_hand(mated, expected):
    found = bt.evaluate(bt.ScoreSet([mated, mated], [1.0, 1.0]), ["dprime"])["dprime"]
    assert found.value == pytest.approx(expected, nan_ok=True)
    assert text_of(found.reason) == ("all scores are equal" if mated == 1.0 else None)


def test_failures_of_nothing_by_hand():
    found = bt.evaluate(bt.ScoreSet([], []), ["FTA", "FTE"])
    assert str(found["FTA"].reason) == "no comparisons"
    assert str(found["FTE"].reason) == "no enrolments were reported"
    failed = bt.evaluate(bt.ScoreSet([], [], failures=bt.Failures(nonmated=2)), ["FTA"])["FTA"]
    assert (failed.value, failed.errors, failed.trials) == (1.0, 2, 2)


@pytest.mark.parametrize("said", ["FMR@T=2", "FMR@threshold=2", "FMR@Threshold=2"])
def test_thresholds_by_any_name_by_hand(said):
    assert bt.parse(said) == bt.parse("FMR@t=2")


@pytest.mark.parametrize(
    "said",
    ["FMR@FNMR=0", "FMR@FNMR=1", "FAR(fta=0)@t=1", "FAR(fta=1)@t=1", "minCost(impostor=0)", "minCost(impostor=1)"],
)
def test_the_ends_of_what_is_allowed_are_allowed_by_hand(said):
    assert str(bt.parse(said)).startswith(said[:3])


@pytest.mark.parametrize(
    ("of_comparisons", "of_others"),
    [
        *(("FMR", "FPR"), ("TNMR", "Specificity"), ("TMR", "Recall"), ("FNMR", "FNR"), ("t", "t")),
        *(("FMR", "FPIR"), ("TMR", "DIR"), ("FNMR", "FNIR")),
    ],
)
@given(counts=curves(), target=st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_a_point_of_classes_or_searches_is_that_of_comparisons_by_another_name(
    of_comparisons, of_others, counts, target
) -> None:
    points = OperatingPoint(of_comparisons, target), OperatingPoint(of_others, target)
    assert points[0].find(counts, SIMILARITY) == points[1].find(counts)
    assert points[0].seek(counts).tolist() == points[1].seek(counts).tolist()


def test_measures_that_pick_their_threshold():
    picking = ["EER", "EER[hull]", "FNMR@FMR=0.1", "HTER@FRR=0.1", "ZeroFMR", "KS", "minCost", "minHTER", "minDCF"]
    assert all(bt.parse(name).picks_threshold for name in picking)
    given = ["FNMR@t=0.5", "Cost@t=0.5", "actDCF", "AUC", "pAUC@FMR=0.1", "Cllr", "FTA"]
    assert not any(bt.parse(name).picks_threshold for name in given)
