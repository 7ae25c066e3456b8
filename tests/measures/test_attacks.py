"""R5: the measures of attacks: what is written, what is read, and what cannot be had."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.core import InputError
from bertillon.measures import ATTACKS, Proportion, Resample
from bertillon.trials import DetectorAttacks, SystemAttacks

NAN = float("nan")
SPECIES = {"print": [0.1, 0.2, 0.3, 0.7], "mask": [0.5, NAN]}
SYSTEM = SystemAttacks(bt.trials.AttackSet.of(SPECIES), bt.ScoreSet([0.4, 0.6, 0.8, NAN], [0.1, 0.2, 0.3, 0.5]))
DETECTOR = DetectorAttacks(
    bt.trials.AttackSet.of(SPECIES), bt.trials.Presentations("bona fide", [0.2, 0.6, 0.8, 0.9, NAN])
)
some = st.lists(st.integers(0, 6), min_size=1, max_size=8)
species = st.dictionaries(st.sampled_from(["print", "mask", "replay"]), some, min_size=1)
rules = st.sampled_from(["similarity", "distance"])


def answer(trials: SystemAttacks | DetectorAttacks, measure: str) -> tuple[float, float | None]:
    result = ATTACKS.parse(measure).of(trials.count()).restored(trials.rule)
    return result.value, result.threshold


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("IAPAR@t=0.5", (0.5, 0.5)),  # 1 of 2 masks; the one without a response was not accepted
        ("IAPAR@t=0.51", (0.25, 0.51)),
        ("IAPAR@FMR=0.25", (0.5, 0.4)),  # 0.4 is the first score with one non-mated comparison of four
        ("IAPAR@FMR=0", (0.25, 0.6)),
        ("IAPAR@FNMR=0", (0.5, 0.4)),  # the strictest that rejects no mated comparison
        ("RIAPAR@t=0.5", (1.0, 0.5)),  # FRR: one too low and one failed, of four
        ("RIAPAR@FMR=0", (0.75, 0.6)),
        ("APNRR", (0.5, None)),
    ],
)
def test_R5_of_a_system_by_hand(measure, expected):
    assert answer(SYSTEM, measure) == expected


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("APCER@t=0.5", (1.0, 0.5)),  # the mask without a response was not classified
        ("APCER@t=0.6", (0.25, 0.6)),
        ("BPCER@t=0.6", (0.25, 0.6)),
        ("BPCER@APCER=0.25", (0.25, 0.6)),
        ("BPCER@APCER=0.2", (0.5, 0.8)),
        ("BPCER10", (0.5, 0.8)),
        ("APCER@BPCER=0.25", (0.25, 0.6)),  # the strictest threshold with one bona fide presentation of four rejected
        ("APCER@BPCER=0.2", (1.0, 0.2)),
        ("ACER@t=0.6", (0.25, 0.6)),
        ("ACER@APCER=0.2", (0.25, 0.8)),
        ("BPNRR", (0.2, None)),
        ("APNRR", (0.5, None)),
    ],
)
def test_R5_of_a_detector_by_hand(measure, expected):
    assert answer(DETECTOR, measure) == expected


@given(bona_fide=some, attacks=species, target=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), rule=rules)
def test_R5_apcer_where_bpcer_is_held_down_against_brute_force(bona_fide, attacks, target, rule):
    """Both promises are kept, and no candidate does better."""
    trials = DetectorAttacks(
        bt.trials.AttackSet.of(attacks), bt.trials.Presentations("live", bona_fide), bt.AcceptRule(rule)
    )
    every = {*bona_fide, *(score for scores in attacks.values() for score in scores)}
    strictest = math.inf if rule == "similarity" else -math.inf

    def passes(score: float, threshold: float) -> bool:
        return score >= threshold if rule == "similarity" else score <= threshold

    def both(threshold: float) -> tuple[float, float]:
        worst = max(sum(passes(s, threshold) for s in scores) / len(scores) for scores in attacks.values())
        return worst, sum(not passes(s, threshold) for s in bona_fide) / len(bona_fide)

    rates = [both(threshold) for threshold in (*every, strictest)]
    assert answer(trials, f"BPCER@APCER={target}")[0] == min(bpcer for apcer, bpcer in rates if apcer <= target)
    value, threshold = answer(trials, f"APCER@BPCER={target}")
    assert value == min(apcer for apcer, bpcer in rates if bpcer <= target) == both(threshold)[0]


@given(mated=some, nonmated=some, attacks=species, rule=rules)
def test_R5_negating_scores_and_rule_changes_nothing(mated, nonmated, attacks, rule):
    other = {"similarity": "distance", "distance": "similarity"}[rule]
    negated = {name: [-score for score in scores] for name, scores in attacks.items()}
    turned = [-score for score in mated], [-score for score in nonmated]
    one = SystemAttacks(bt.trials.AttackSet.of(attacks), bt.ScoreSet(mated, nonmated, rule=rule))
    two = SystemAttacks(bt.trials.AttackSet.of(negated), bt.ScoreSet(*turned, rule=other))
    for measure in ("IAPAR@FMR=0.25", "RIAPAR@FMR=0.25", "IAPAR@FRR=0.25"):
        value, threshold = answer(one, measure)
        assert (value, -threshold) == answer(two, measure)


@pytest.mark.parametrize("definition", ATTACKS.definitions.values(), ids=lambda one: one.name)
def test_R5_every_measure_is_written_as_it_is_read(definition):
    measure = ATTACKS.parse(definition.example)
    assert ATTACKS.parse(str(measure)) == measure
    assert definition.reference == "ISO/IEC 30107-3"
    assert definition.better == "lower"


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("iapmr@fpr=1e-3", "IAPAR@FMR=0.001"),
        ("BPCER20", "BPCER@APCER=0.05"),
        ("bpcer@apcer=0.1", "BPCER@APCER=0.1"),
        ("ACER@threshold=0.5", "ACER@t=0.5"),
        ("ACER[at-most]@T=0.5", "ACER@t=0.5"),
        ("IAPAR@TAR=0.9", "IAPAR@GAR=0.9"),
    ],
)
def test_R5_everyday_spellings(written, canonical):
    assert str(ATTACKS.parse(written)) == canonical


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("IAPAR", "expected one place to read it at, such as IAPAR@t=0.5"),
        ("IAPAR@APCER=0.1", "^IAPAR@APCER=0.1: place 'APCER' is not known"),
        ("APCER@FMR=0.1", "place 'FMR' is not known; expected one of t, APCER, BPCER"),
        ("APCER[nearest]@BPCER=0.1", "variant 'nearest' is not known"),
        ("BPCER@APCER=5", "APCER is 5.0; expected a rate from 0 to 1"),
        ("BPCER@t=nan", "the threshold is not a number"),
        ("BPCER(fta=1)@t=0.1", "option 'fta' is not known"),
        ("BPCER10@t=0.1", "place 't' is not known"),
        ("APNRR@t=0.1", "place 't' is not known"),
        ("EER", "unknown measure 'EER' in attacks: it is one of verification"),
    ],
)
def test_R5_bad_spellings_are_said(written, words):
    with pytest.raises(InputError, match=words):
        ATTACKS.parse(written)


@pytest.mark.parametrize(
    ("trials", "measure", "reason"),
    [
        (SYSTEM, "APCER@t=0.5", "a measure of an attack detector, not of a whole system"),
        (SYSTEM, "BPNRR", "a measure of an attack detector, not of a whole system"),
        (DETECTOR, "IAPAR@t=0.5", "a measure of a whole system, not of an attack detector"),
        (SystemAttacks(SYSTEM.attacks, bt.ScoreSet([1.0], [])), "IAPAR@FMR=0.1", "no non-mated scores"),
        (SystemAttacks(SYSTEM.attacks, bt.ScoreSet([], [1.0])), "IAPAR@FNMR=0.1", "no mated scores"),
        (SystemAttacks(SYSTEM.attacks, bt.ScoreSet([], [1.0])), "RIAPAR@FMR=0.1", "no trials"),
        (SystemAttacks(SYSTEM.attacks, bt.ScoreSet([1.0, NAN], [0.0])), "IAPAR@FRR=0", "no threshold reaches FRR = 0"),
        (
            DetectorAttacks(bt.trials.AttackSet.of({"mask": [math.inf, 0.1]}), DETECTOR.bona_fide),
            "BPCER@APCER=0.1",
            "attacks with an infinite score pass every threshold",
        ),
    ],
)
def test_R5_what_cannot_be_had_is_nan_with_the_reason(trials, measure, reason):
    result = ATTACKS.parse(measure).of(trials.count())
    assert math.isnan(result.value)
    assert str(result.reason) == reason


def test_R5_a_species_that_was_never_classified_is_not_the_worst():
    attacks = bt.trials.AttackSet.of({"silent": [NAN, NAN], "print": [0.1, 0.2]})
    assert answer(DetectorAttacks(attacks, DETECTOR.bona_fide), "APCER@t=0.5") == (0.0, 0.5)


def test_R5_a_system_without_mated_scores_has_an_iapar_at_an_fmr():
    without = SystemAttacks(SYSTEM.attacks, bt.ScoreSet([], [0.1, 0.6]))
    assert answer(without, "IAPAR@FMR=0.5") == (0.25, 0.6)


def test_R5_shares_are_proportions_and_sums_are_resampled():
    acer = ATTACKS.parse("ACER@t=0.6")
    for measure, plan in (
        ("APCER@t=0.6", Proportion(outcome="attacks")),
        ("BPNRR", Proportion(outcome="bona fide")),
        ("ACER@t=0.6", Resample(acer)),
    ):
        asked = ATTACKS.parse(measure)
        assert asked.interval(asked.of(DETECTOR.count())) == plan


def test_R5_thresholds_that_are_given_are_said_beforehand():
    assert ATTACKS.parse("IAPAR@t=0.5").thresholds == (0.5,)
    assert ATTACKS.parse("IAPAR@FMR=0.5").thresholds == ()
