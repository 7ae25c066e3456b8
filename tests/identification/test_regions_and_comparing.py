"""What a watch list means in a day (O6), who is better at which FMR (V13), and the words for both (O2, O4, O7)."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.advice import (
    band_of,
    comparison_sentence,
    degradation,
    fnir_diagnosis,
    region_sentence,
    verdict_of,
    warnings_of_searches,
)
from bertillon.analysis import Comparison, Lead, LeadChange, compare_curves, daily_load, operating_regions, ranking_at
from bertillon.evaluation import evaluate
from bertillon.stats import Interval
from bertillon.trials import SearchSet

NAN = math.nan


def watch_list(n_enrolled: int = 1000, n_others: int = 1000) -> SearchSet:
    """Mates at 1, 2, ... (rank 1 each), strangers at 0.05, 1.05, ... down from the best mate's half."""
    mates = np.arange(1.0, n_enrolled + 1)
    others = np.arange(n_others) * 0.05 + 0.5
    score = np.concatenate([mates, np.full(n_others, NAN)])
    top = np.concatenate([mates, others])
    zero = np.zeros(top.size, dtype=int)
    return SearchSet(np.arange(top.size) < n_enrolled, score, zero, zero, top, np.where(score > 0, 0.0, top), 500)


def test_O6_figures_by_hand():
    """O6: 100,000 passers-by at FPIR .002: 200 alarms; 99 alarms of 15 minutes: 24.75 hours."""
    assert daily_load(0.002, 0.05, passers=100_000, minutes=15).false_alarms == 200
    load = daily_load(0.01, 0.02, passers=10_000, minutes=15, on_list=0.01)
    assert load.false_alarms == pytest.approx(99)
    assert load.hours == pytest.approx(24.75)
    assert load.misses == pytest.approx(2)
    assert daily_load(0.01, 0.02, passers=10_000, minutes=15).misses is None


def test_O6_five_regions_on_a_measured_system_by_hand():
    """O6: strangers' tops are .5, .55, ... 50.45; mates' 1 ... 1000. Regions 1 and 3 stand above all strangers."""
    curve = evaluate(watch_list(), ["RR"]).tally.watch_list_curve
    regions = operating_regions(curve, passers=100_000, minutes=15, on_list=0.001)
    assert [str(region.name) for region in regions] == [
        "extremely low false alarm",
        "extremely high detection",
        "low false alarm, moderate detection",
        "high detection, moderate false alarm",
        "no threshold",
    ]
    low, high, moderate, aggressive, everything = regions
    assert (low.threshold, low.fpir, low.dir) == (51.0, 0.0, 0.95)
    assert low.threshold == moderate.threshold
    assert low.usual
    assert not low.seen  # 1e-5 needs 300,000 strangers
    assert high.threshold == 11.0
    assert high.dir == 0.99
    assert high.fpir == (np.arange(1000) * 0.05 + 0.5 >= 11).mean()
    assert not high.usual
    assert high.load.false_alarms == pytest.approx(high.fpir * 99_900)
    assert high.load.hours == pytest.approx(high.load.false_alarms / 4)
    assert high.load.misses == pytest.approx(1.0)
    assert aggressive.threshold == 51.0
    assert (everything.threshold, everything.fpir, everything.dir) == (-math.inf, 1.0, 1.0)
    assert "out of reach" not in str(region_sentence(high))
    assert "at least 300,000 are needed." in str(region_sentence(low))
    assert str(region_sentence(low)).endswith(
        "Preferred where a false alarm costs far more than a miss, as in discreet surveillance."
    )


def test_O6_a_region_out_of_reach_is_said():
    ranks = SearchSet([True, False], [0.9, NAN], [1, 0], [0, 0], [0.95, 0.1], [0.95, 0.1], 3)
    regions = operating_regions(evaluate(ranks, ["RR"]).tally.watch_list_curve, passers=1000)
    assert math.isnan(regions[1].threshold)
    assert str(regions[1].reason) == "no threshold reaches DIR >= 0.99"
    said = str(region_sentence(regions[1]))
    assert said == "Region extremely high detection: out of reach (no threshold reaches DIR >= 0.99)."
    assert regions[4].dir == 0


def test_O6_for_a_distance_everything_passes_at_infinity():
    turned = SearchSet([True, False], [0.1, NAN], [0, 0], [0, 0], [0.1, 0.5], [0.6, 0.5], 3, "distance")
    regions = operating_regions(evaluate(turned, ["RR"]).tally.watch_list_curve, passers=1000)
    assert regions[4].threshold == math.inf
    assert regions[0].threshold == 0.1


def test_regions_refuse_what_cannot_be():
    curve = evaluate(SearchSet.from_ranks([1]), ["RR"]).tally.watch_list_curve
    with pytest.raises(bt.InputError, match="enrolled and of non-enrolled"):
        operating_regions(curve, passers=10)
    for change, words in (
        ({"passers": -1}, "passers"),
        ({"minutes": math.inf}, "minutes"),
        ({"on_list": 2}, "on_list"),
    ):
        with pytest.raises(bt.InputError, match=words):
            daily_load(0.1, 0.1, **{"passers": 1, "minutes": 1, **change})


def test_O7_bands_hold_their_upper_border():
    """O7: below 2 % excellent, to 5 % good, to 10 % acceptable, above poor."""
    for eer, word in ((0.02, "excellent"), (0.05, "good"), (0.10, "acceptable"), (1.0, "poor")):
        assert str(band_of("EERopen", eer)) == word
    assert str(band_of("EERopen", math.nextafter(0.02, 1))) == "good"
    assert str(band_of("EERopen", math.nextafter(0.1, 1))) == "poor"
    assert str(verdict_of("EERopen", NAN)) == "EERopen unknown."
    assert str(verdict_of("EERopen", 0.125, Interval(0.11, 0.14))) == "EERopen 12.5 %: poor (our rule of thumb)."


def test_O4_ratio_to_the_verification_eer_by_hand():
    """O4 (000 §3.6): face .5 % to 1.5 %, finger 1 % to 2.5 %, iris .1 % to .3 %: 3, 2.5 and 3 times."""
    for one, other, times in ((0.015, 0.005, "3"), (0.025, 0.01, "2.5"), (0.003, 0.001, "3")):
        assert f"is {times} times the EER of verification" in str(degradation(one, other))
        assert "as usual" in str(degradation(one, other))
    assert "more than usual" in str(degradation(0.05, 0.01))
    assert "less than usual" in str(degradation(0.01, 0.01))
    assert "zero or unknown" in str(degradation(0.01, 0.0))


def test_what_is_usual_is_said_as_far_as_intervals_leave_it_certain() -> None:
    sure, unsure = Interval(0.0095, 0.0105), Interval(0.006, 0.02)
    assert ": as usual (2 to 4 times)" in str(degradation(0.03, 0.01, Interval(0.028, 0.032), sure))
    spread = str(degradation(0.03, 0.01, Interval(0.028, 0.032), unsure))
    assert "between less than usual and more than usual" in spread
    assert "between as usual and more than usual" in str(degradation(0.03, 0.01, Interval(0.028, 0.05), sure))
    assert "more than usual" in str(degradation(0.03, 0.01, sure, Interval(0.0, 0.02)))


def test_O2_diagnosis_by_hand():
    """O2 (000 §3.4.2): 5 + 5 balanced, 9 + 1 detection, 1 + 9 identification."""
    assert "both contribute" in str(fnir_diagnosis(0.05, 0.05))
    assert "a detection problem" in str(fnir_diagnosis(0.09, 0.01))
    assert "an identification problem" in str(fnir_diagnosis(0.01, 0.09))
    assert str(fnir_diagnosis(0.09, 0.01)).startswith("FNIR 10 %: 9 % not detected, 1 % misidentified")
    assert "Every enrolled person" in str(fnir_diagnosis(0.0, 0.0))
    assert "unknown" in str(fnir_diagnosis(NAN, 0.0))


def test_warnings_name_what_is_doubtful():
    """DESIGN 10: failures, a target the searches cannot show, few errors."""
    searches = SearchSet([True, False], [0.9, NAN], [0, 0], [0, 0], [0.9, 0.1], [0.2, 0.1], 3, failed_enrolled=2)
    said = [str(warning) for warning in warnings_of_searches(evaluate(searches))]
    assert said[0] == "2 searches gave no score (2 enrolled, 0 non-enrolled) and are excluded from all rates."
    assert said[1].startswith(
        "FPIR 0.001 needs at least 3,000 independent non-enrolled searches (rule of 3); you have 1."
    )
    assert "fewer than 30 errors" in said[2]
    assert "and 2 more" in said[2]
    assert warnings_of_searches(evaluate(watch_list(), ["AUCopen", "EERopen"])) == []


def curves(**scores) -> dict:
    return {name: bt.counting.error_curve(bt.ScoreSet(*both)) for name, both in scores.items()}


def lowest_fnmr(mated, nonmated, x: float) -> Fraction:
    """By trying every threshold."""
    best = Fraction(1)
    for t in {*mated, *nonmated}:
        if float(Fraction(sum(s >= t for s in nonmated), len(nonmated))) <= x:
            best = min(best, Fraction(sum(s < t for s in mated), len(mated)))
    return best


small = st.lists(st.integers(0, 6), min_size=1, max_size=8)


@given(small, small, small, small)
def test_V13_comparing_against_brute_force(m1, n1, m2, n2):
    """V13: at every FMR either system reaches, and between, the one with the lower FNMR leads."""
    both = curves(one=(m1, n1), two=(m2, n2))
    [found] = compare_curves(both)
    rates = sorted({Fraction(k, len(n)) for n in (n1, n2) for k in range(len(n) + 1)})
    wins = set()
    for x in [*map(float, rates), *(float(a + b) / 2 for a, b in pairwise(rates))]:
        first, second = lowest_fnmr(m1, n1, x), lowest_fnmr(m2, n2, x)
        leader = "one" if first < second else "two" if second < first else None
        wins.add(leader)
        assert found.better_at(x) == leader
        assert dict(ranking_at(both, x)) == {"one": float(first), "two": float(second)}
        assert ranking_at(both, x)[0][0] == (leader or "one")
    assert found.is_tied == (wins == {None})
    assert found.dominant == (next(iter(wins - {None})) if len(wins - {None}) == 1 else None)
    assert all(one.high == other.low for one, other in pairwise(found.leads))
    assert all(one.leader != other.leader for one, other in pairwise(found.leads))
    assert all(crossing.before != crossing.after for crossing in found.crossings)
    assert bool(found.crossings) == ({"one", "two"} <= wins)


def test_V13_crossing_and_words_by_hand():
    """b has fewer misses at FMR 0, both the same at .25, a fewer from .5 on."""
    [found] = compare_curves(curves(a=([2, 3, 4], [0, 1, 2, 5]), b=([1, 5, 6], [0, 1, 2, 4])))
    assert found.crossings == (LeadChange(0.25, 0.5, "b", "a"),)
    assert found.better_at(0) == "b"
    assert found.better_at(0.3) is None
    assert str(comparison_sentence(found)) == (
        "b has the lower FNMR below FMR 0.25, a from FMR 0.5 on. Neither is better throughout."
    )


def test_V13_dominance_and_equality_in_words():
    good, bad = ([3, 4], [0, 1]), ([1, 4], [0, 3])
    found = compare_curves(curves(good=good, bad=bad, twin=good))
    assert [(c.first, c.second, c.dominant) for c in found] == [
        ("good", "bad", "good"),
        ("good", "twin", None),
        ("bad", "twin", "twin"),
    ]
    assert str(comparison_sentence(found[0])).startswith("good dominates bad: its FNMR is never higher")
    assert str(comparison_sentence(found[1])) == "good and twin have the same FNMR at every FMR."
    assert str(comparison_sentence(found[2])).startswith("twin dominates bad")
    many = Comparison("A", "B", tuple(Lead(i / 10, (i + 1) / 10, "AB"[i % 2]) for i in range(6)))
    assert str(comparison_sentence(many)) == (
        "A has the lower FNMR below FMR 0.1, B from FMR 0.1 on, A from FMR 0.2 on, B from FMR 0.3 on. "
        "Neither is better throughout."
    )


def test_comparing_refuses_what_cannot_be():
    with pytest.raises(bt.InputError, match="expected two or more"):
        compare_curves(curves(a=([1], [0])))
    with pytest.raises(bt.InputError, match="b: comparing systems needs mated and non-mated"):
        compare_curves(curves(a=([1], [0]), b=([], [0])))
    with pytest.raises(bt.InputError, match="rate from 0 to 1"):
        ranking_at(curves(a=([1], [0])), 1.5)
