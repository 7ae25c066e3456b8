"""R5: attacks as a third population: IAPAR of a system, APCER and BPCER of a detector."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import bertillon as bt
from bertillon.advice import attack_verdicts, attack_warnings
from bertillon.analysis import AttackFinding
from bertillon.core import InputError, say

NAN = float("nan")
INDEPENDENT, OPTIMISTIC = say("attacks.independent"), say("attacks.optimistic")
SCORES = bt.ScoreSet([0.6, 0.7, 0.8, 0.9], [0.1, 0.2, 0.3, 0.7])
some = st.lists(st.integers(0, 6), min_size=1, max_size=8)
species = st.dictionaries(st.sampled_from(["print", "mask", "replay"]), some, min_size=1)
rules = st.sampled_from(["similarity", "distance"])


def accepted(score: float, threshold: float, rule: str) -> bool:
    return score >= threshold if rule == "similarity" else score <= threshold


def test_R5_iapar_by_species_by_hand():
    """A score equal to the threshold is accepted; the headline is the worst species, not the mean."""
    found = bt.analysis.attack_rates(SCORES, {"print": [0.1, 0.2, 0.3, 0.7], "mask": [0.7, 0.9]}, threshold=0.7)
    assert [one.rate.value for one in found.species] == [0.25, 1.0]
    assert (found.worst.species, found.iapar) == ("mask", 1.0)
    assert (found.fmr.value, found.frr.value, found.riapar) == (0.25, 0.25, 1.25)
    stricter = bt.analysis.attack_rates(SCORES, {"mask": [0.7, 0.9]}, threshold=0.9)
    assert (stricter.fmr.value, stricter.frr.value, stricter.riapar) == (0.0, 0.75, 1.25)
    assert found.fixed_by == "t"


def test_R5_the_threshold_of_an_fmr_is_that_of_the_measure():
    found = bt.analysis.attack_rates(SCORES, {"mask": [0.75]}, fmr=0.0)
    assert found.threshold == bt.evaluate(SCORES, ["FNMR@FMR=0"])["FNMR@FMR=0"].threshold == 0.8
    assert (found.fixed_by, found.iapar) == ("FMR=0", 0.0)
    assert bt.analysis.attack_rates(SCORES, {"mask": [0.75]}).fixed_by == "FMR=0.001"


def test_R5_no_response_was_not_accepted_by_hand():
    found = bt.analysis.attack_rates(SCORES, {"mask": [0.9, NAN, NAN, 0.1]}, threshold=0.5)
    assert (found.iapar, found.worst.silent.value) == (0.25, 0.5)
    failing = bt.ScoreSet([0.9, NAN, NAN, 0.8], [0.1])
    assert bt.analysis.attack_rates(failing, {"mask": [0.9]}, threshold=0.5).frr.value == 0.5


def test_R5_intervals_are_clopper_pearson_against_scipy():
    found = bt.analysis.attack_rates(SCORES, {"mask": [0.9] * 3 + [0.1] * 37}, threshold=0.5, level=0.9)
    expected = binomtest(3, 40).proportion_ci(0.9)
    interval = found.worst.rate.interval
    assert (interval.low, interval.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert interval.naive


def test_R5_presentations_of_few_people_make_wider_intervals():
    scores = [0.9] * 10 + [0.1] * 90
    alone = bt.analysis.attack_rates(SCORES, {"mask": scores}, threshold=0.5)
    people = bt.trials.AttackSet((bt.trials.Presentations("mask", scores, np.repeat(np.arange(10), 10)),))
    shared = bt.analysis.attack_rates(SCORES, people, threshold=0.5)
    assert alone.iapar == shared.iapar == 0.1
    assert shared.worst.rate.interval.high > 1.5 * alone.worst.rate.interval.high
    assert not shared.worst.rate.interval.naive
    assert INDEPENDENT in attack_warnings(alone)
    assert INDEPENDENT not in attack_warnings(shared)


@given(mated=some, nonmated=some, attacks=species, fmr=st.sampled_from([0.0, 0.2, 0.5, 1.0]), rule=rules)
def test_R5_iapar_at_an_fmr_against_brute_force(mated, nonmated, attacks, fmr, rule):
    found = bt.analysis.attack_rates(bt.ScoreSet(mated, nonmated, rule=rule), attacks, fmr=fmr)
    worst = -math.inf if rule == "distance" else math.inf
    order = sorted({*mated, *nonmated}, reverse=rule == "distance")  # most permissive first
    kept = [t for t in order if sum(accepted(s, t, rule) for s in nonmated) / len(nonmated) <= fmr]
    threshold = kept[0] if kept else worst
    assert found.threshold == threshold
    for name, rate in zip(attacks, found.species, strict=True):
        assert rate.species == name
        assert rate.rate.value == sum(accepted(s, threshold, rule) for s in attacks[name]) / len(attacks[name])
    assert found.iapar == max(rate.rate.value for rate in found.species)


def test_R5_apcer_bpcer_acer_golden_by_hand():
    """STANDARDS, ISO/IEC 30107-3: APCER {.02, .10} and BPCER .04 have the headline .10 and ACER .07."""
    attacks = {"print": [1.0] + [0.0] * 49, "mask": [1.0] * 5 + [0.0] * 45}
    found = bt.analysis.pad_rates([0.0] * 2 + [1.0] * 48, attacks, threshold=1)
    assert [one.rate.value for one in found.species] == [0.02, 0.10]
    assert (found.apcer, found.bpcer.value, found.acer) == (0.10, 0.04, pytest.approx(0.07))
    assert found.worst.species == "mask"


def test_R5_decisions_are_scores_of_one_and_zero_by_hand():
    found = bt.analysis.pad_rates([True, True, False, True], {"print": [False, False, True, False]}, threshold=1)
    assert (found.apcer, found.bpcer.value) == (0.25, 0.25)


def test_R5_no_response_is_not_classified_by_hand():
    """APNRR and BPNRR are shares of all presentations, APCER and BPCER of those classified."""
    found = bt.analysis.pad_rates([0.9, 0.2, NAN, NAN], {"mask": [0.8, 0.1, NAN, 0.3], "print": [NAN]}, threshold=0.5)
    assert (found.species[0].rate.value, found.species[0].silent.value) == (1 / 3, 0.25)
    assert (found.bpcer.value, found.bona_fide_silent.value) == (0.5, 0.5)
    assert math.isnan(found.species[1].rate.value)
    assert found.species[1].silent.value == 1.0
    assert found.worst.species == "mask"


def test_R5_bpcer_where_apcer_is_held_down_by_hand():
    """Ten attacks: one may pass at 10 %, none at 5 % and 1 %."""
    found = bt.analysis.pad_rates([0.3, 0.6, 0.8, 0.95], {"mask": [k / 10 for k in range(10)]})
    rows = [(one.name, one.apcer, one.threshold, one.bpcer.value) for one in found.at_apcer]
    assert rows == [("BPCER10", 0.1, 0.9, 0.75), ("BPCER20", 0.0, 0.95, 0.75), ("BPCER100", 0.0, 0.95, 0.75)]
    assert (found.fixed_by, found.threshold) == ("APCER=0.05", 0.95)


@given(bona_fide=some, attacks=species, apcer=st.sampled_from([0.0, 0.1, 0.25, 0.5]), rule=rules)
def test_R5_bpcer_at_apcer_against_brute_force(bona_fide, attacks, apcer, rule):
    found = bt.analysis.pad_rates(bona_fide, attacks, apcer=apcer, rule=rule)

    def shares(t: float) -> tuple[float, float]:
        worst = max(sum(accepted(s, t, rule) for s in one) / len(one) for one in attacks.values())
        return worst, sum(not accepted(s, t, rule) for s in bona_fide) / len(bona_fide)

    every = {*bona_fide, *(s for one in attacks.values() for s in one)}
    candidates = [*every, math.inf if rule == "similarity" else -math.inf]
    best = min(bpcer for worst, bpcer in map(shares, candidates) if worst <= apcer)
    assert found.bpcer.value == best
    assert found.apcer <= apcer
    assert shares(found.threshold) == (found.apcer, best)


@given(bona_fide=some, attacks=species)
def test_R5_negating_scores_and_rule_changes_nothing(bona_fide, attacks):
    negated = {name: [-score for score in scores] for name, scores in attacks.items()}
    one = bt.analysis.pad_rates(bona_fide, attacks)
    other = bt.analysis.pad_rates([-score for score in bona_fide], negated, rule="distance")
    assert (one.threshold, one.apcer, one.bpcer) == (-other.threshold, other.apcer, _turned(other.bpcer))


def _turned(measured):
    from dataclasses import replace

    return replace(measured, result=replace(measured.result, threshold=-measured.result.threshold))


def test_R5_an_attack_of_infinite_score_passes_every_threshold():
    found = bt.analysis.pad_rates([0.5, 0.9], {"mask": [math.inf, 0.1]}, threshold=0.5)
    assert math.isnan(found.at_apcer[0].bpcer.value)
    assert "infinite" in str(found.at_apcer[0].bpcer.result.reason)
    json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(InputError, match=r"no threshold has an APCER of 0\.05 or less"):
        bt.analysis.pad_rates([0.5, 0.9], {"mask": [math.inf, 0.1]})


@pytest.mark.parametrize(
    ("passed", "trials", "level_1", "level_2"),
    [
        (0, 100, "met, including the upper ends", "met, including the upper ends"),
        (5, 100, "met, including the upper ends", "the interval reaches 11.3 %"),
        (7, 100, "met, including the upper ends", "met by the observed rates"),
        (8, 100, "the interval reaches 15.2 %", "not met"),
        (16, 100, "not met", "not met"),
    ],
)
def test_R5_verdicts_against_the_limits_of_the_protection_profile(passed, trials, level_1, level_2):
    """STANDARDS: IAPAR <= 15 % (level 1), <= 7 % (level 2)."""
    attacks = {"mask": [0.9] * passed + [0.1] * (trials - passed)}
    _, first, second = attack_verdicts(bt.analysis.attack_rates(SCORES, attacks, threshold=0.5))
    assert level_1 in str(first)
    assert level_2 in str(second)


def test_R5_the_limit_is_judged_by_the_widest_interval():
    """The worst rate has many presentations; a species without an error but with few reaches further."""
    attacks = {"mask": [0.9] * 2 + [0.1] * 998, "rare": [0.1] * 5}
    assert "reaches 52.2 %" in str(attack_verdicts(bt.analysis.attack_rates(SCORES, attacks, threshold=0.5))[1])


def test_R5_too_few_attacks_are_said_by_the_rule_of_3():
    few = attack_warnings(bt.analysis.attack_rates(SCORES, {"mask": [0.1] * 42, "print": [0.1] * 43}, fmr=0.01))
    assert [str(warning) for warning in few[:2]] == [
        "FMR 0.01 needs at least 300 independent non-mated comparisons; you have 4.",
        "IAPAR 0.07 needs at least 43 independent attacks of species 'mask'; you have 42.",
    ]
    enough = bt.analysis.attack_rates(SCORES, {"mask": [0.1] * 43}, threshold=0.5)
    assert attack_warnings(enough) == [INDEPENDENT]
    assert OPTIMISTIC in attack_warnings(bt.analysis.pad_rates([0.9], {"mask": [0.1]}))
    assert OPTIMISTIC not in attack_warnings(bt.analysis.pad_rates([0.9], {"mask": [0.1]}, threshold=0.5))


def test_R5_results_as_frame_and_json():
    found = bt.analysis.attack_rates(SCORES, {"print": [0.1, 0.8], "mask": [0.9]}, threshold=0.5)
    frame = found.to_frame()
    assert frame["species"].to_list() == ["print", "mask"]
    assert frame["IAPAR"].to_list() == [0.5, 1.0]
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["worst_species"] == "mask"
    assert bt.analysis.pad_rates([1.0], {"print": [0.1, 0.8]}, threshold=0.5).to_frame()["APCER"].to_list() == [0.5]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bt.analysis.attack_rates(SCORES, {}), "no attacks"),
        (lambda: bt.analysis.attack_rates(SCORES, {"mask": []}), "'mask' has no presentations"),
        (lambda: bt.analysis.attack_rates(SCORES, [0.1]), "attacks are list"),
        (lambda: bt.analysis.attack_rates(SCORES, {"mask": ["high"]}), "mask: expected a list of numbers"),
        (lambda: bt.analysis.attack_rates(SCORES, {"mask": [[0.1]]}), "mask: expected a list of numbers"),
        (lambda: bt.analysis.attack_rates(SCORES, {"mask": [0.1]}, threshold=1, fmr=0.1), "give one of them"),
        (lambda: bt.analysis.attack_rates(SCORES, {"mask": [0.1]}, fmr=1.5), "fmr is 1.5"),
        (lambda: bt.analysis.attack_rates(SCORES, {"mask": [0.1]}, threshold=NAN), "threshold is not a number"),
        (lambda: bt.analysis.attack_rates(bt.ScoreSet([1.0], []), {"mask": [0.1]}, fmr=0.1), "no non-mated scores"),
        (lambda: bt.analysis.attack_rates(SCORES, {"mask": [0.1]}, level=95), "level is 95"),
        (lambda: bt.trials.Presentations("mask", [0.1], ["a", "b"]), "2 subjects for 1 scores"),
        (
            lambda: bt.trials.AttackSet((bt.trials.Presentations("a", [1]), bt.trials.Presentations("a", [2]))),
            "'a' is given twice",
        ),
        (lambda: bt.analysis.pad_rates([NAN], {"mask": [0.1]}), "no bona fide presentation got a response"),
        (lambda: bt.analysis.pad_rates([0.1], {"mask": [NAN]}), "no attack got a response"),
        (lambda: bt.analysis.pad_rates([0.1], {"mask": [0.2]}, threshold=1, apcer=0.1), "give one of them"),
        (lambda: bt.analysis.pad_rates([0.1], {"mask": [0.2]}, apcer=-1), "apcer is -1"),
        (lambda: bt.analysis.pad_rates([0.1], {"mask": [0.2]}, rule="up"), "rule is 'up'"),
    ],
)
def test_R5_bad_input_is_said(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_R5_attacks_of_another_rule_are_refused():
    distances = bt.trials.AttackSet((bt.trials.Presentations("mask", [0.1]),), rule=bt.AcceptRule.DISTANCE)
    with pytest.raises(InputError, match="expected one rule for both"):
        bt.analysis.attack_rates(SCORES, distances, threshold=0.5)


class ForeignRates(AttackFinding):
    """A finding of another package."""

    measure = "FOO"
    beside = ()


def test_R5_of_a_finding_of_another_package_only_what_holds_of_all_is_said():
    ours = bt.analysis.attack_rates(SCORES, {"mask": [0.2, 0.9]}, threshold=0.5)
    theirs = ForeignRates(ours.trials, ours.tally, 0.5, "t", ours.species, 0.95)
    assert list(map(str, attack_verdicts(theirs))) == ["Worst species: mask, FOO 50 %."]
    assert attack_warnings(theirs) == [INDEPENDENT]
