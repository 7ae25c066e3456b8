"""Golden values of STANDARDS.md: the hand-made sets T1, T2, T3, and the figures other tools and papers publish."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import bertillon as bt
from bertillon.counting import BinaryCounts, Tally, hull

T1 = bt.ScoreSet([0.35, 0.55, 0.60, 0.80, 0.90], [0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.45, 0.50, 0.65])
T2 = bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
T3 = bt.ScoreSet([1, 2, 2, 3], [0, 1, 1, 2])
LLR = bt.ScoreSet(10 * (T1.mated - 0.5), 10 * (T1.nonmated - 0.5))


def value(scores: bt.ScoreSet, measure: str) -> float:
    return bt.evaluate(scores, [measure])[measure].value


def threshold(scores: bt.ScoreSet, measure: str) -> float | None:
    return bt.evaluate(scores, [measure])[measure].threshold


# Section 1: ISO terms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("FAR(fta=0.02)@t=1", 0.00098),
        ("FRR(fta=0.02)@t=1", 0.0494),
        ("GAR(fta=0.02)@t=1", 1 - 0.0494),
        ("GRR(fta=0.02)@t=1", 1 - 0.00098),
        ("GFAR(fta=0.02,fte=0.01)@t=1", 0.0009702),
        ("GFRR(fta=0.02,fte=0.01)@t=1", 0.058906),
    ],
)
def test_section_1_system_rates_of_one_attempt_by_hand(measure, expected):
    """V11: FTE .01, FTA .02, FMR .001, FNMR .03."""
    scores = bt.ScoreSet([1.0] * 97 + [0.0] * 3, [1.0] + [0.0] * 999)
    assert value(scores, measure) == pytest.approx(expected, abs=1e-12)


def test_section_1_the_same_rates_from_failures_in_the_data_by_hand():
    """V11: 2 of 100 genuine and 20 of 1000 impostor attempts failed, 1 of 100 enrolments."""
    failures = bt.Failures(mated=2, nonmated=20, enrolments=1, enrolment_attempts=100)
    scores = bt.ScoreSet([1.0] * 95 + [0.0] * 3, [1.0] + [0.0] * 979, failures=failures)
    found = bt.evaluate(scores, ["FAR@t=1", "FRR@t=1", "GFAR@t=1", "GFRR@t=1", "FTA", "FTE"])
    assert (found["FAR@t=1"].errors, found["FAR@t=1"].trials) == (1, 1000)
    assert (found["FRR@t=1"].errors, found["FRR@t=1"].trials) == (5, 100)
    assert found["GFAR@t=1"].value == pytest.approx(0.001 * 0.99)
    assert found["GFRR@t=1"].value == pytest.approx(0.01 + 0.99 * 0.05)
    assert (found["FTA"].errors, found["FTA"].trials) == (22, 1100)
    assert (found["FTE"].errors, found["FTE"].trials) == (1, 100)


# Section 2: thresholds for a target ---------------------------------------------------------------------------------

ONES = bt.ScoreSet([1.0], [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, 1, 1])
DIGITS = bt.ScoreSet(np.arange(10.0), np.arange(10.0))


@pytest.mark.parametrize(
    ("scores", "measure", "expected"),
    [
        (ONES, "FMR@FMR=0.5", 1.0),
        (ONES, "FMR@FMR=0.4", math.inf),
        (DIGITS, "FMR@FMR=0.09", math.inf),
        (DIGITS, "FMR@FMR=0.11", 9.0),
        (DIGITS, "FMR@FMR=0.91", 1.0),
        (DIGITS, "FNMR@FNMR=0.11", 1.0),
        (DIGITS, "FNMR@FNMR=0.91", 9.0),
    ],
)
def test_section_2_a_target_is_never_exceeded_against_bob(scores, measure, expected):
    """V5: bob.measure's own tests; a threshold above all scores is the one that rejects all."""
    result = bt.evaluate(scores, [measure])[measure]
    assert result.threshold == expected
    assert result.value <= bt.parse(measure).point.target


def test_section_2_a_rate_equal_to_the_target_keeps_it_by_hand():
    """29 of 100 is .29, although 0.29 * 100 < 29 in floats; so for 7, 14, 28, 55, 56, 57 and 58."""
    scores = bt.ScoreSet(np.arange(100.0), np.arange(100.0))
    for percent in range(101):
        result = bt.evaluate(scores, [f"FNMR@FMR={percent / 100}"]).results.popitem()[1]
        assert (result.value, result.errors) == ((100 - percent) / 100, 100 - percent)


def test_section_2_the_least_weighted_error_may_reject_all_against_bob():
    """V10: .99 FPR + .01 FNR of {-3, -2, -1, -.5, 4} and {.5, 3} is .01, past the highest impostor."""
    scores = bt.ScoreSet([0.5, 3], [-3, -2, -1, -0.5, 4])
    result = bt.evaluate(scores, ["minCost(cfa=1,cfr=1,impostor=0.99)"]).results.popitem()[1]
    assert (result.value, result.threshold) == (pytest.approx(0.01), math.inf)


# Section 3: speech --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("p", "expected", "at"), [(0.5, 0.30, 0.55), (0.01, 0.60, 0.80)])
def test_section_3_least_detection_cost_of_T1_by_hand(p, expected, at):
    measure = f"minDCF(p={p},cmiss=1,cfa=1)"
    assert value(T1, measure) == pytest.approx(expected)
    assert threshold(T1, measure) == at
    assert value(T1, f"minDCF[raw](p={p},cmiss=1,cfa=1)") == pytest.approx(expected * min(p, 1 - p))


@pytest.mark.parametrize(("p", "expected", "at"), [(0.5, 0.40, 0.0), (0.01, 1.0, 4.59512)])
def test_section_3_actual_detection_cost_of_T1_as_llr_by_hand(p, expected, at):
    measure = f"actDCF(p={p},cmiss=1,cfa=1)"
    assert value(LLR, measure) == pytest.approx(expected)
    assert threshold(LLR, measure) == pytest.approx(at, abs=1e-5)
    assert value(LLR, f"actDCF[raw](p={p},cmiss=1,cfa=1)") == pytest.approx(expected * min(p, 1 - p))


def test_section_3_detection_costs_weigh_both_errors_by_hand():
    """p = .5, cmiss = 3, cfa = 1 on T1: 1.5 FNMR + .5 FMR is least at .35 (0 + .2) and divided by .5."""
    assert value(T1, "minDCF(p=0.5,cmiss=3,cfa=1)") == pytest.approx((1.5 * 0.0 + 0.5 * 0.4) / 0.5)
    assert threshold(T1, "minDCF(p=0.5,cmiss=3,cfa=1)") == 0.35
    shifted = "actDCF(p=0.5,cmiss=3,cfa=1)"  # at t = -ln 3 = -1.0986 on 10 (s - .5): s >= .39014
    assert threshold(LLR, shifted) == pytest.approx(-math.log(3))
    assert value(LLR, shifted) == pytest.approx((1.5 * 0.2 + 0.5 * 0.4) / 0.5)


def test_section_3_cllr_of_T1_by_hand():
    assert value(LLR, "Cllr") == pytest.approx(0.6208083, abs=1e-7)
    assert value(LLR, "minCllr") == pytest.approx(0.4232197, abs=1e-7)
    assert value(LLR, "calLoss") == pytest.approx(0.6208083 - 0.4232197, abs=2e-7)
    assert value(T1, "minCllr") == value(LLR, "minCllr")  # of the order of scores alone


def test_section_3_cllr_at_its_ends_by_hand():
    """No information costs one bit; certainty that is right costs nothing, and one wrong certainty everything."""
    assert value(bt.ScoreSet([0, 0], [0, 0, 0]), "Cllr") == 1.0
    assert value(bt.ScoreSet([0, 0], [0, 0, 0]), "minCllr") == 1.0
    assert value(bt.ScoreSet([math.inf, 800], [-800, -math.inf]), "Cllr") == 0.0
    assert value(bt.ScoreSet([3, 4], [1, 2]), "minCllr") == 0.0
    assert value(bt.ScoreSet([-math.inf, 5], [-5]), "Cllr") == math.inf
    assert value(bt.ScoreSet([-1000], [1000]), "Cllr") == pytest.approx(1000 / math.log(2))


def test_section_3_pooled_blocks_of_T1_by_hand():
    """(share of mated, size): (0, 6), (.25, 4), (2/3, 3), (1, 2)."""
    blocks = hull(bt.counting.error_curve(T1).counts)
    sizes = blocks.block_mated + blocks.block_nonmated
    shares = blocks.block_mated / sizes
    joined = [(share, sizes[shares == share].sum()) for share in np.unique(shares)]
    assert joined == [(0.0, 6), (0.25, 4), (pytest.approx(2 / 3), 3), (1.0, 2)]


def test_section_3_hull_eer_of_given_vertices_against_bosaris():
    """P_miss 1 .68 .28 .1 .06 0 0 and P_fa 0 0 .08 .12 .22 .48 1 give .1163636."""
    fnm, fm = [0, 0, 6, 10, 28, 68, 100], [100, 48, 22, 12, 8, 0, 0]
    thresholds = np.array([0.0, 1, 2, 3, 4, 5, math.inf])
    counts = BinaryCounts(thresholds, np.array(fm), np.array(fnm), 100, 100)
    tally = Tally(counts, counts, bt.AcceptRule.SIMILARITY, bt.Failures())
    assert bt.parse("EER[hull]").of(tally).value == pytest.approx(0.1163636, abs=1e-7)


# Section 5: separation ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "expected"), [("dprime", 1.7827095), ("dprime[sum]", 1.2605660), ("FRatio", 0.8917447)]
)
def test_section_5_separation_of_T1_by_hand(measure, expected):
    """V8: population standard deviations (ddof 0)."""
    assert value(T1, measure) == pytest.approx(expected, abs=1e-7)


def test_section_5_largest_gap_of_T1_by_hand():
    """KS = max(TPR - FPR) = 1 - 2 minHTER = .70 at .55, where FMR = .1 and FNMR = .2."""
    for name in ("KS", "Youden"):
        assert value(T1, name) == pytest.approx(0.70)
        assert threshold(T1, name) == 0.55
    assert value(T1, "minHTER") == pytest.approx(0.15)
    assert threshold(T1, "minHTER") == 0.55
    assert value(T1, "HTER@t=0.55") == pytest.approx(0.15)


def test_section_5_of_two_equally_good_thresholds_the_more_permissive_by_hand():
    """(.2, .1) at 3 and (0, .3) at 9 have the same sum, although .2 + .1 > .3 in floats."""
    scores = bt.ScoreSet([0] + [3] * 2 + [9] * 7, [0] * 8 + [5] * 2)
    for name in ("KS", "Youden", "minHTER", "minCost(cfa=2,cfr=2,impostor=0.5)"):
        assert threshold(scores, name) == 3


@pytest.mark.parametrize("measure", ["dprime", "dprime[sum]", "FRatio"])
def test_section_5_classes_without_spread_by_hand(measure):
    """Both sigma = 0: infinite, with the sign of the gap, or undefined where the means are equal (pyeer says 1)."""
    for score in (0.1, 0.7):
        tied = bt.evaluate(bt.ScoreSet([score] * 3, [score] * 7), [measure])[measure]
        assert math.isnan(tied.value)
        assert str(tied.reason) == "all scores are equal"
    assert value(bt.ScoreSet([0.7] * 3, [0.1] * 3), measure) == math.inf
    assert value(bt.ScoreSet([0.7] * 3, [0.1] * 3, rule="distance"), measure) == -math.inf


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_section_5_closed_forms_of_equal_variances_against_theory(rule):
    """d' = 2: EER = Phi(-1) = .1586553, overlap .3173105, AUC = Phi(sqrt 2) = .9213504, d' = 2 F, KS = 1 - 2 EER."""
    quantiles = norm.ppf((np.arange(50_000) + 0.5) / 50_000)
    mated, nonmated = (quantiles + 1, quantiles - 1) if rule == "similarity" else (quantiles - 1, quantiles + 1)
    asked = ["EER", "AUC", "dprime", "dprime[sum]", "FRatio", "KS", "Overlap", "minHTER"]
    found = {name: r.value for name, r in bt.evaluate(bt.ScoreSet(mated, nonmated, rule=rule), asked).results.items()}
    assert found["EER"] == pytest.approx(0.1586553, abs=3e-5)
    assert found["AUC"] == pytest.approx(0.9213504, abs=1e-5)
    assert found["Overlap"] == pytest.approx(0.3173105, abs=5e-4)
    assert found["dprime"] == pytest.approx(2.0, abs=1e-3)
    assert found["dprime[sum]"] == pytest.approx(found["dprime"] / math.sqrt(2))
    assert found["FRatio"] == pytest.approx(found["dprime"] / 2)
    assert found["KS"] == pytest.approx(1 - 2 * 0.1586553, abs=5e-5)
    assert found["minHTER"] == pytest.approx((1 - found["KS"]) / 2)


def test_section_5_overlap_by_hand():
    """Two bins: mated {.5, .5}, non-mated {1/4, 3/4} share 1/4 + 1/2; the same scores share all, others nothing."""
    assert value(bt.ScoreSet([0, 4], [1, 3, 3, 3]), "Overlap(bins=2)") == 0.75
    assert value(T1, "Overlap(bins=1)") == 1.0
    assert value(bt.ScoreSet([3, 4], [3, 4, 3, 4]), "Overlap") == 1.0
    assert value(bt.ScoreSet([3, 4], [1, 2]), "Overlap") == 0.0


# Section 8: partial area --------------------------------------------------------------------------------------------


def test_section_8_partial_area_of_T1_by_hand():
    """V6: FPR <= .2 gives .12; McClish: (1 + (.12 - .02) / (.2 - .02)) / 2 = .7777778."""
    assert value(T1, "pAUC@FMR=0.2") == pytest.approx(0.12)
    assert value(T1, "pAUC[mcclish]@FMR=0.2") == pytest.approx(0.7777778, abs=1e-7)
    assert value(T1, "pAUC@FMR=0.05") == pytest.approx(0.05 * 0.4)
    assert value(T1, "pAUC[mcclish]@FMR=1") == pytest.approx(0.88)


# Section 9: EER and FVC ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "low", "high", "fvc", "interpolated", "on_hull", "area"),
    [
        (T1, 0.2, 0.2, 0.2, 0.2, 0.16, 0.88),
        (T2, 0.2, 0.25, 0.225, 0.25, 2 / 9, 0.85),
        (T3, 0.25, 0.25, 0.25, 0.25, 0.25, 0.8125),
    ],
    ids=["T1", "T2", "T3"],
)
def test_section_9_equal_error_rates_by_hand(scores, low, high, fvc, interpolated, on_hull, area):
    """V3, V6: each definition has its own number, so the variant is always named."""
    expected = {
        "EER[fvc-low]": low,
        "EER[fvc-high]": high,
        "EER[fvc]": fvc,
        "EER": interpolated,
        "EER[hull]": on_hull,
        "AUC": area,
        "Gini": 2 * area - 1,
    }
    found = bt.evaluate(scores, expected)
    assert {name: found[name].value for name in expected} == pytest.approx(expected)


def test_section_9_thresholds_of_T2_by_hand():
    """t1 = .5 has (FMR, FNMR) = (.4, .25), t2 = .6 has (.2, .25): the sum is smaller at t2, the gap too."""
    for variant in ("fvc", "fvc-low", "fvc-high", "nearest"):
        assert threshold(T2, f"EER[{variant}]") == 0.6
    assert threshold(T2, "EER") == pytest.approx(0.5 + 0.1 * 0.75)
    assert value(T2, "EER[nearest]") == pytest.approx(0.225)


def test_section_9_of_two_equally_near_thresholds_the_one_with_fewer_errors_by_hand():
    """V3: (FMR, FNMR) = (2/3, 1/2) and (1/3, 1/2) are both 1/6 apart, which floats do not see."""
    scores = bt.ScoreSet([0, 2], [0, 1, 2])
    for variant in ("nearest", "fvc"):
        assert value(scores, f"EER[{variant}]") == pytest.approx(5 / 12)
        assert threshold(scores, f"EER[{variant}]") == 2


def test_section_9_hull_of_T1_by_hand():
    """(P_miss, P_fa): (0, 1), (0, .4), (.2, .1), (.6, 0), (1, 0); the crossing between .35 and .55 lies at .51."""
    vertices = hull(bt.counting.error_curve(T1).counts)
    points = list(zip(vertices.false_nonmatch.tolist(), vertices.false_match.tolist(), strict=True))
    assert {(0, 10), (0, 4), (1, 1), (3, 0), (5, 0)} <= set(points)
    assert all((miss, fa) in {(0, 10), (0, 4), (1, 1), (3, 0), (5, 0)} or miss == 0 or fa == 0 for miss, fa in points)
    assert threshold(T1, "EER[hull]") == pytest.approx(0.35 + 0.2 * 0.8)


def test_section_9_separable_scores_have_no_error_by_hand():
    scores = bt.ScoreSet([3, 4], [1, 2])
    asked = ["EER", "EER[nearest]", "EER[hull]", "EER[fvc]", "EER[fvc-low]", "EER[fvc-high]", "ZeroFMR", "ZeroFNMR"]
    found = bt.evaluate(scores, asked)
    assert [found[name].value for name in asked] == [0.0] * len(asked)
    assert [found[name].threshold for name in asked] == [3.0] * len(asked)


def test_section_9_named_points_of_T1_by_hand():
    """V4: ZeroFMR .6, ZeroFNMR .4, FMR10 .2, FMR100 .6."""
    expected = {"ZeroFMR": 0.6, "ZeroFNMR": 0.4, "FMR10": 0.2, "FMR100": 0.6, "FMR1000": 0.6, "FMR10000": 0.6}
    found = bt.evaluate(T1, expected)
    assert {name: found[name].value for name in expected} == pytest.approx(expected)
    assert [found[name].threshold for name in expected] == [0.8, 0.35, 0.55, 0.8, 0.8, 0.8]
    assert (found["ZeroFMR"].errors, found["ZeroFMR"].trials) == (3, 5)
    assert (found["ZeroFNMR"].errors, found["ZeroFNMR"].trials) == (4, 10)
