"""R5: attacks as a kind of trial: what they are called, how many there are, and what names the data."""

from __future__ import annotations

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import InputError, record
from bertillon.trials import DetectorAttacks, SystemAttacks

NAN = float("nan")
MASKS, PRINTS = bt.trials.Presentations("mask", [0.5, NAN]), bt.trials.Presentations("print", [0.1, 0.7, 0.2])
SCORES = bt.ScoreSet([0.4, 0.6, NAN], [0.1, 0.3], name="lab")
LIVE = bt.trials.Presentations("bona fide", [0.9, NAN, 0.2])
SYSTEM = SystemAttacks(bt.trials.AttackSet((MASKS, PRINTS)), SCORES)
DETECTOR = DetectorAttacks(bt.trials.AttackSet((MASKS, PRINTS)), LIVE, bt.AcceptRule.DISTANCE)


def test_R5_what_the_trials_of_a_system_say_of_themselves():
    assert (SYSTEM.kind, SYSTEM.name, SYSTEM.rule) == ("attacks", "lab", bt.AcceptRule.SIMILARITY)
    assert SYSTEM.counts == {"mated": 2, "non-mated": 2, "attacks": 5}
    assert record(SYSTEM.definitions) == {
        "rule": "accepted when score >= threshold",
        "thresholds": "distinct scores and one that rejects all",
        "targets": "at most",
        "species": "never pooled: the headline is the worst",
        "data": SYSTEM.fingerprint,
    }
    assert [one.size for one in SYSTEM.judged] == [2, 3]


def test_R5_what_the_trials_of_a_detector_say_of_themselves():
    assert (DETECTOR.kind, DETECTOR.name, DETECTOR.rule) == ("attack-detection", "", bt.AcceptRule.DISTANCE)
    assert DETECTOR.counts == {"bona fide": 3, "attacks": 5}
    assert str(DETECTOR.definitions["rule"]) == "bona fide when score <= threshold"
    assert [one.size for one in DETECTOR.judged] == [1, 3]
    assert DETECTOR.others["bona fide"].tolist() == [0.9, 0.2]


def test_R5_silence_is_a_trial_of_a_system_and_none_of_a_detector_by_hand():
    system, detector = SYSTEM.count(), DETECTOR.count()
    assert [(one.name, one.trials, one.silent) for one in system.species] == [("mask", 2, 1), ("print", 3, 0)]
    assert [(one.name, one.trials, one.silent) for one in detector.species] == [("mask", 1, 1), ("print", 3, 0)]
    assert [(one.name, one.trials) for one in (system.genuine, detector.genuine)] == [("mated", 3), ("bona fide", 2)]


def test_R5_a_tally_counts_what_passes_by_hand():
    prints = SYSTEM.count().species[1]
    assert [prints.accepted_at(at) for at in (0.1, 0.2, 0.21, 0.8)] == [3, 2, 1, 0]
    assert prints.accepted(np.array([0.1, 0.2, 0.21, 0.8])).tolist() == [3, 2, 1, 0]
    tally = DETECTOR.count()  # distances: turned round
    assert tally.thresholds.tolist() == [-0.9, -0.7, -0.5, -0.2, -0.1, np.inf]
    assert tally.worst.tolist() == [1.0, 1.0, 1.0, 2 / 3, 1 / 3, 0.0]
    assert tally.rejected.tolist() == [0.0, 0.5, 0.5, 0.5, 1.0, 1.0]


def test_R5_data_have_one_name_in_any_order_and_another_when_a_presentation_changes_species():
    again = bt.trials.AttackSet(
        (bt.trials.Presentations("print", [0.7, 0.1, 0.2]), bt.trials.Presentations("mask", [NAN, 0.5]))
    )
    assert SystemAttacks(again, SCORES).fingerprint == SYSTEM.fingerprint
    others = (
        bt.trials.AttackSet((bt.trials.Presentations("mask", [0.5]), PRINTS)),
        bt.trials.AttackSet((bt.trials.Presentations("film", [0.5, NAN]), PRINTS)),
        bt.trials.AttackSet(
            (bt.trials.Presentations("mask", [0.5, NAN, 0.7]), bt.trials.Presentations("print", [0.1, 0.2]))
        ),
    )
    for trials in (SYSTEM, DETECTOR):
        names = {type(trials)(attacks, *rest).fingerprint for attacks in others for rest in [_beside(trials)]}
        assert len(names | {trials.fingerprint}) == 4
    other = DetectorAttacks(DETECTOR.attacks, bt.trials.Presentations("bona fide", [0.9, 0.2]))
    assert other.fingerprint != DETECTOR.fingerprint


def _beside(trials: SystemAttacks | DetectorAttacks) -> tuple[object, ...]:
    return (SCORES,) if trials is SYSTEM else (LIVE, bt.AcceptRule.DISTANCE)


def test_R5_the_name_of_the_data_is_that_of_other_days():
    """It stands in signatures, which people compare."""
    assert SYSTEM.attacks.fingerprint == "89bee1142551f1bf"


def test_R5_presentations_that_got_a_response_keep_their_name_and_their_subjects():
    answered = bt.trials.Presentations("mask", [0.5, NAN, 0.7], ["ann", "bob", "cat"]).responses()
    assert (answered.name, answered.scores.tolist(), answered.subject.tolist()) == ("mask", [0.5, 0.7], ["ann", "cat"])
    assert MASKS.responses().subject is None


def test_R5_scores_become_presentations_under_a_name():
    made = bt.trials.Presentations.of("live", [0.1])
    assert (made.name, made.scores.tolist()) == ("live", [0.1])
    assert bt.trials.Presentations.of("live", MASKS) is MASKS


@pytest.mark.parametrize(
    ("scores", "found"),
    [
        (["high"], r"\['high'\]"),
        ([[0.1]], r"\[\[0.1\]\]"),
        ([1j], r"\[1j\]"),
        (np.array(["2020-01-01"], "datetime64[D]"), r"array\(\['2020-01-01'\], dtype='datetime64\[D\]'\)"),
        (["x" * 56], rf"\['{'x' * 56}'\]$"),
        (["x" * 57], rf"\['{'x' * 57}…$"),
    ],
)
def test_R5_what_is_no_list_of_numbers_is_shown(scores, found):
    with pytest.raises(InputError, match=f"mask: expected a list of numbers, or of True and False; found {found}"):
        bt.trials.Presentations("mask", scores)


def test_R5_a_species_stands_once_and_has_presentations():
    with pytest.raises(InputError, match="'b' is given twice"):
        bt.trials.AttackSet(tuple(bt.trials.Presentations(name, [0.1]) for name in ("a", "b", "c", "b", "c")))
    with pytest.raises(InputError, match="'b' has no presentations"):
        bt.trials.AttackSet((bt.trials.Presentations("a", [0.1]), bt.trials.Presentations("b", [])))


def test_R5_a_finding_answers_any_measure_and_carries_its_signature():
    found = bt.analysis.attack_rates(SCORES, SYSTEM.attacks, threshold=0.5)
    assert found["IAPAR@t=0.5"].value == found.iapar
    assert found["RIAPAR@t=0.5"].value == found.riapar
    assert found["IAPAR@FMR=0"].threshold == 0.4
    assert (found.signature["threshold"], found.signature["data"]) == ("t=0.5", SYSTEM.fingerprint)
    detector = bt.analysis.pad_rates(LIVE, DETECTOR.attacks, rule="distance")
    for rate in detector.at_apcer:
        answered = detector[f"BPCER@APCER={rate.target}"]
        assert (answered.value, answered.threshold) == (rate.bpcer.value, rate.threshold)
    assert (detector.signature["threshold"], detector.signature["level"]) == ("APCER=0.05", 0.95)


def test_R5_attacks_of_another_rule_are_no_trials():
    distances = bt.trials.AttackSet((MASKS,), rule=bt.AcceptRule.DISTANCE)
    with pytest.raises(InputError, match="expected one rule for both"):
        SystemAttacks(distances, SCORES)
