"""The figures of the source documents (SPEC, section V) and the corrections of their errors (section E).

V9, V12, V14 and V15 are tested with the figures, the forecast, the command line and the advice.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import bertillon as bt
from bertillon.counting import BinaryCounts, Tally, wins_from_curve
from bertillon.measures import Weights


def tally_of(threshold, far, frr, n: int) -> Tally:
    """A tally whose rates at these thresholds are exactly those of a table, each of n trials a class."""
    false_match = np.round(np.array([*far, 0.0]) * n).astype(np.int64)
    false_nonmatch = np.round(np.array([*frr, 1.0]) * n).astype(np.int64)
    counts = BinaryCounts(np.array([*threshold, math.inf]), false_match, false_nonmatch, n, n)
    assert counts.fmr[:-1].tolist() == list(far)
    assert counts.fnmr[:-1].tolist() == list(frr)
    wins = wins_from_curve(false_match, false_nonmatch, n)
    return Tally(counts, counts, bt.AcceptRule.SIMILARITY, bt.Failures(), wins=wins)


def test_V1_outcomes_and_rates_at_a_threshold_by_hand():
    """V1: 100 of 9000 impostors above and 50 of 900 genuine below the threshold (004)."""
    scores = bt.ScoreSet([1.0] * 850 + [0.0] * 50, [1.0] * 100 + [0.0] * 8900)
    found = bt.counting.outcomes(scores, 1.0)
    assert (found.true_match, found.false_nonmatch, found.true_nonmatch, found.false_match) == (850, 50, 8900, 100)
    rates = bt.evaluate(scores, ["FAR@t=1", "FRR@t=1", "GAR@t=1", "GRR@t=1", "GA@t=1", "FR@t=1", "GR@t=1", "FA@t=1"])
    assert round(rates["FAR@t=1"].value, 4) == 0.0111
    assert round(rates["FRR@t=1"].value, 4) == 0.0556
    assert rates["GAR@t=1"].value + rates["FRR@t=1"].value == pytest.approx(1)
    assert rates["GRR@t=1"].value + rates["FAR@t=1"].value == pytest.approx(1)
    assert [rates[f"{name}@t=1"].value for name in ("GA", "FR", "GR", "FA")] == [850, 50, 8900, 100]


@pytest.mark.parametrize(("rule", "slope"), [("similarity", -1), ("distance", 1)])
def test_V2_E1_which_error_falls_with_the_threshold_by_hand(rule, slope):
    """V2, E1: for a similarity FAR falls as the threshold grows; for a distance it rises. FRR goes the other way."""
    rng = np.random.default_rng(1)
    scores = bt.ScoreSet(rng.normal(0, 1, 50), rng.normal(1, 1, 50), rule=rule)
    grid = np.linspace(-3, 4, 29)
    far = [bt.counting.outcomes(scores, t).false_match for t in grid]
    frr = [bt.counting.outcomes(scores, t).false_nonmatch for t in grid]
    assert (np.diff(far) * slope >= 0).all()
    assert (np.diff(frr) * slope <= 0).all()
    assert {far[0], far[-1]} == {frr[0], frr[-1]} == {0, 50}
    assert np.diff(far).any()
    assert np.diff(frr).any()


V3 = tally_of(
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.25, 0.1, 0.05, 0.02, 0.01, 0.005], [0.001, 0.005, 0.015, 0.035, 0.07, 0.15], 1000
)


@pytest.mark.parametrize(
    ("measure", "value", "threshold"),
    [
        ("EER", 0.029, 0.37),
        ("EER[nearest]", 0.0275, 0.4),
        ("EER[fvc]", 0.0275, 0.4),
        ("EER[fvc-low]", 0.02, 0.4),
        ("EER[fvc-high]", 0.035, 0.4),
    ],
)
def test_V3_E3_equal_error_rates_of_the_table_by_hand(measure, value, threshold):
    """V3, E3: the curves cross between .3 and .4: .05 - .7 * .03 = .015 + .7 * .02 = .029."""
    result = bt.parse(measure).of(V3)
    assert result.value == pytest.approx(value, abs=1e-12)
    assert result.threshold == pytest.approx(threshold, abs=1e-12)


def test_V3_equal_error_rate_on_the_hull_of_the_table_by_hand():
    """V3: the table is convex around its crossing, so the hull changes nothing there."""
    result = bt.parse("EER[hull]").of(V3)
    assert (result.value, result.threshold) == (pytest.approx(0.029), pytest.approx(0.37))


def test_V4_zero_far_and_zero_frr_with_their_thresholds_by_hand():
    """V4: on T2, the best impostor .65 is passed over at .7, and the worst genuine .4 is let in at .4."""
    scores = bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
    found = bt.evaluate(scores, ["ZeroFAR", "ZeroFRR"])
    assert (found["ZeroFAR"].value, found["ZeroFAR"].threshold) == (0.5, 0.7)
    assert (found["ZeroFRR"].value, found["ZeroFRR"].threshold) == (0.4, 0.4)


def test_V4_E2_a_zero_far_distance_threshold_lies_strictly_below_the_nearest_impostor_by_hand():
    """V4, E2: at the smallest impostor distance itself that impostor is still accepted; the mirror case likewise."""
    scores = bt.ScoreSet([1, 2, 3], [3, 4, 5], rule="distance")
    found = bt.evaluate(scores, ["ZeroFAR", "ZeroFRR"])
    assert (found["ZeroFAR"].value, found["ZeroFAR"].threshold) == (pytest.approx(1 / 3), 2)
    assert (found["ZeroFRR"].value, found["ZeroFRR"].threshold) == (pytest.approx(1 / 3), 3)
    assert bt.counting.outcomes(scores, found["ZeroFAR"].threshold).false_match == 0
    assert bt.counting.outcomes(scores, 3).false_match == 1
    mirrored = bt.evaluate(bt.ScoreSet([3, 4, 5], [1, 2, 3]), ["ZeroFAR", "ZeroFRR"])
    assert (mirrored["ZeroFAR"].value, mirrored["ZeroFAR"].threshold) == (pytest.approx(1 / 3), 4)


def test_V4_a_best_score_that_is_an_impostors_leaves_only_rejecting_all_by_hand():
    """V4: the candidate that rejects all makes FAR = 0 reachable on any data."""
    result = bt.evaluate(bt.ScoreSet([1, 2], [0, 3]), ["ZeroFAR"])["ZeroFAR"]
    assert (result.value, result.threshold, result.errors, result.trials) == (1.0, math.inf, 2, 2)


@pytest.mark.parametrize(
    ("x", "fp_at_fn", "t_fn", "fn_at_fp", "t_fp"),
    [(0.25, 0.2, 0.6, 0.25, 0.6), (0.5, 0.0, 0.7, 0.0, 0.4), (0.75, 0.0, 0.8, 0.0, 0.3)],
)
def test_V5_FP_at_FN_and_FN_at_FP_by_hand(x, fp_at_fn, t_fn, fn_at_fp, t_fp):
    """V5: 002's table layout on T2: FP(FN=x) and FN(FP=x), each with its threshold, x kept as an upper bound."""
    scores = bt.ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
    found = bt.evaluate(scores, [f"FPR@FNR={x}", f"FNR@FPR={x}"])
    assert (found[f"FPR@FNR={x}"].value, found[f"FPR@FNR={x}"].threshold) == (fp_at_fn, t_fn)
    assert (found[f"FNR@FPR={x}"].value, found[f"FNR@FPR={x}"].threshold) == (fn_at_fp, t_fp)


@pytest.mark.parametrize(
    ("far", "frr", "area"),
    [
        ([0, 0.01, 0.03, 0.08, 0.15, 0.3, 1], [1, 0.4, 0.2, 0.1, 0.05, 0.02, 0], 0.962),
        ([0, 0.02, 0.05, 0.1, 0.2, 0.4, 1], [1, 0.5, 0.3, 0.15, 0.08, 0.03, 0], 0.93025),
    ],
)
def test_V6_area_under_the_roc_of_the_table_by_hand(far, frr, area):
    """V6: 000's systems A and B; the trapezoid area and the share of pairs won are the same number."""
    tally = tally_of(np.arange(6.0), far[:0:-1], frr[:0:-1], 100)
    assert bt.parse("AUC").of(tally).value == pytest.approx(area, abs=1e-12)
    assert bt.parse("pAUC@FMR=1").of(tally).value == pytest.approx(area, abs=1e-12)
    assert bt.parse("Gini").of(tally).value == pytest.approx(2 * area - 1, abs=1e-12)
    assert np.trapezoid(1 - np.array(frr), far) == pytest.approx(area, abs=1e-12)


def test_V6_partial_area_of_the_table_by_hand():
    """V6: system A up to FAR .05: three trapezoids, the last cut at .8 + (.9 - .8) * 2 / 5 = .84."""
    far, frr = [0, 0.01, 0.03, 0.08, 0.15, 0.3, 1], [1, 0.4, 0.2, 0.1, 0.05, 0.02, 0]
    tally = tally_of(np.arange(6.0), far[:0:-1], frr[:0:-1], 100)
    expected = 0.01 * 0.3 + 0.02 * 0.7 + 0.02 * 0.82
    assert bt.parse("pAUC@FMR=0.05").of(tally).value == pytest.approx(expected, abs=1e-12)


def test_V6_E6_tied_pairs_count_half_by_hand():
    """V6, E6: 002 counts strictly greater pairs only, which gives .5 here instead of .75."""
    assert bt.evaluate(bt.ScoreSet([1, 2], [1, 1]), ["AUC"])["AUC"].value == 0.75


def test_V7_the_four_samples_of_the_document_by_hand():
    """V7: 000 section 2.9: numpy's legacy generator, seed 42, 200 thresholds in [0, 1], the nearest of them."""
    legacy = np.random.RandomState(42)  # the document's own generator
    drawn = [legacy.normal(mean, sd, 1000) for mean, sd in ((0.8, 0.15), (0.3, 0.12), (0.7, 0.2), (0.4, 0.15))]
    figures = []
    for mated, nonmated in (drawn[:2], drawn[2:]):
        scores = bt.ScoreSet(mated, nonmated)
        points = [bt.counting.outcomes(scores, t) for t in np.linspace(0, 1, 200)]
        far = np.array([point.false_match for point in points]) / 1000
        frr = [point.false_nonmatch / 1000 for point in points]
        figures += [frr[int(np.argmin(np.abs(far - x)))] for x in (0.01, 0.001)]
    assert figures == [0.063, 0.198, 0.554, 0.819]


def test_V8_dprime_in_both_forms_by_hand():
    """V8: means 3 and 1, population variances 1 and 2: 2 / sqrt(3/2) with Daugman's half, 2 / sqrt(3) without (002)."""
    found = bt.evaluate(bt.ScoreSet([2, 4], [0, 0, 3]), ["dprime", "dprime[sum]"])
    assert found["dprime"].value == pytest.approx(2 / math.sqrt(3 / 2))
    assert found["dprime[sum]"].value == pytest.approx(2 / math.sqrt(3))
    turned = bt.evaluate(bt.ScoreSet([2, 4], [0, 0, 3], rule="distance"), ["dprime", "dprime[sum]"])
    assert turned["dprime"].value == pytest.approx(-2 / math.sqrt(3 / 2))


@pytest.mark.parametrize(("far", "frr", "cost"), [(0.02, 0.02, 0.1396), (0.001, 0.1, 0.203), (0.05, 0.005, 0.2599)])
def test_V10_expected_cost_by_hand(far, frr, cost):
    """V10: R = C_FA FAR pi_I + C_FR FRR pi_G with pi_G = .99, C_FA = 500, C_FR = 2."""
    assert Weights(cfa=500, cfr=2, impostor=0.01).expected(far, frr) == pytest.approx(cost, abs=1e-9)
    tally = tally_of([0.5], [far], [frr], 1000)
    result = bt.parse("Cost(cfa=500,cfr=2,impostor=0.01)@t=0.5").of(tally)
    assert (result.value, result.threshold) == (pytest.approx(cost, abs=1e-9), 0.5)


def test_V10_the_least_cost_of_the_three_points_by_hand():
    """V10: (.02, .02) costs less than (.05, .005) and (.001, .1)."""
    tally = tally_of([1.0, 2.0, 3.0], [0.05, 0.02, 0.001], [0.005, 0.02, 0.1], 1000)
    result = bt.parse("minCost(cfa=500,cfr=2,impostor=0.01)").of(tally)
    assert (result.value, result.threshold) == (pytest.approx(0.1396, abs=1e-9), 2.0)


@pytest.mark.parametrize("impostor", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("cfa", [0.5, 1.0, 10.0])
def test_V10_the_best_threshold_has_the_likelihood_ratio_of_costs_and_priors_against_theory(cfa, impostor):
    """V10: N(1, 1) against N(-1, 1): the likelihood ratio at s is e^(2s), so the best threshold is ln(ratio) / 2."""
    quantiles = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    result = bt.evaluate(
        bt.ScoreSet(quantiles + 1, quantiles - 1), [f"minCost(cfa={cfa},cfr=1,impostor={impostor})"]
    ).results.popitem()[1]
    ratio = Weights(cfa=cfa, cfr=1, impostor=impostor).likelihood_ratio
    assert ratio == pytest.approx(cfa * impostor / (1 - impostor))
    best = math.log(ratio) / 2
    assert result.threshold == pytest.approx(best, abs=0.06)
    least = cfa * impostor * norm.sf(best + 1) + (1 - impostor) * norm.cdf(best - 1)
    assert result.value == pytest.approx(least, rel=5e-3)


def test_V11_failures_to_enrol_and_to_acquire_by_hand():
    """V11: 5 of 1000 not enrolled; NaN is not acquired: FAR = FMR (1 - FTA), FRR = FTA + FNMR (1 - FTA)."""
    mated = [0.9] * 6 + [0.1] * 2 + [math.nan] * 2
    nonmated = [0.9] * 2 + [0.1] * 6 + [math.nan] * 2
    scores = bt.ScoreSet(mated, nonmated, failures=bt.Failures(enrolments=5, enrolment_attempts=1000))
    asked = ["FTE", "FTA", "FM@t=0.5", "FNM@t=0.5", "FMR@t=0.5", "FNMR@t=0.5", "FAR@t=0.5", "FRR@t=0.5"]
    found = {name: result.value for name, result in bt.evaluate(scores, asked).results.items()}
    assert (found["FTE"], found["FTA"]) == (0.005, 0.2)
    assert (found["FM@t=0.5"], found["FNM@t=0.5"]) == (2, 2)
    assert (found["FMR@t=0.5"], found["FNMR@t=0.5"]) == (0.25, 0.25)
    assert found["FAR@t=0.5"] == pytest.approx(0.25 * (1 - 0.2)) == 0.2
    assert found["FRR@t=0.5"] == pytest.approx(0.2 + 0.25 * (1 - 0.2)) == 0.4


def test_E6_the_nearest_x_may_exceed_the_target_and_at_most_never_does_by_hand():
    """E6: impostor shares .5 and .1 around x = .3 and .35: nearest breaks the promise at .35."""
    scores = bt.ScoreSet(np.arange(10.0), [0, 1, 2, 3, 4, 5, 5, 5, 5, 9])
    found = bt.evaluate(scores, ["FMR@FMR=0.35", "FMR[nearest]@FMR=0.35", "FMR[nearest]@FMR=0.2"])
    assert (found["FMR@FMR=0.35"].value, found["FMR@FMR=0.35"].threshold) == (0.1, 6)
    assert (found["FMR[nearest]@FMR=0.35"].value, found["FMR[nearest]@FMR=0.35"].threshold) == (0.5, 5)
    assert (found["FMR[nearest]@FMR=0.2"].value, found["FMR[nearest]@FMR=0.2"].threshold) == (0.1, 6)


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_E8_a_score_equal_to_the_threshold_is_accepted_by_hand(rule):
    """E8: 004 puts such a score nowhere: FAR takes > and FRR takes <."""
    found = bt.counting.outcomes(bt.ScoreSet([0.5], [0.5], rule=rule), 0.5)
    assert (found.true_match, found.false_match) == (1, 1)
    assert (found.false_nonmatch, found.true_nonmatch) == (0, 0)
