"""Attacks are a kind of trial: evaluated, made sure of, compared and written as any other."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bertillon as bt
from bertillon.trials import DetectorAttacks, SystemAttacks

RNG = np.random.default_rng(4)
SPECIES = {"print": RNG.normal(0.0, 1.0, 60), "mask": RNG.normal(1.0, 1.0, 40)}
PEOPLE = {name: [f"s{row % 10}" for row in range(len(scores))] for name, scores in SPECIES.items()}
BY_PERSON = bt.trials.AttackSet(
    tuple(bt.trials.Presentations(name, scores, PEOPLE[name]) for name, scores in SPECIES.items())
)
LIVE = bt.trials.Presentations("bona fide", RNG.normal(2.5, 1.0, 80), [f"s{row % 10}" for row in range(80)])
SCORES = bt.ScoreSet(RNG.normal(3.0, 1.0, 100), RNG.normal(0.0, 1.0, 2000), name="lab")
SYSTEM = SystemAttacks(bt.trials.AttackSet.of(SPECIES), SCORES)
DETECTOR = DetectorAttacks(BY_PERSON, LIVE)


def test_the_usual_measures_are_those_of_what_was_attacked():
    system, detector = bt.evaluate(SYSTEM), bt.evaluate(DETECTOR)
    assert list(system) == ["IAPAR@FMR=0.001", "RIAPAR@FMR=0.001", "APNRR"]
    assert list(detector) == [f"BPCER@APCER={rate}" for rate in (0.1, 0.05, 0.01)] + ["APNRR", "BPNRR"]
    assert not any(np.isnan(result.value) for found in (system, detector) for result in found.results.values())
    assert (system.name, system.kind, detector.kind) == ("lab", "attacks", "attack-detection")


def test_answers_and_intervals_are_those_of_the_findings():
    found, rates = (
        bt.evaluate(SYSTEM, "IAPAR@t=1.5").with_intervals(),
        bt.analysis.attack_rates(SCORES, SPECIES, threshold=1.5),
    )
    interval = found.intervals["IAPAR@t=1.5"]
    assert found["IAPAR@t=1.5"] == rates.worst.rate.result
    assert interval == rates.worst.rate.interval
    assert interval.naive
    pad = bt.analysis.pad_rates(LIVE, BY_PERSON, threshold=1.5)
    sure = bt.evaluate(DETECTOR, ["APCER@t=1.5", "BPCER@t=1.5"]).with_intervals()
    assert sure.intervals == {"APCER@t=1.5": pad.worst.rate.interval, "BPCER@t=1.5": pad.bpcer.interval}
    assert str(sure.intervals["BPCER@t=1.5"].method).startswith("Wilson, effective trials by subjects")


def test_what_is_made_of_two_populations_is_resampled():
    system = bt.evaluate(SYSTEM, "RIAPAR@t=1.5").with_intervals(resamples=400)
    interval = system.intervals["RIAPAR@t=1.5"]
    iapar, frr = (np.mean(SPECIES["mask"] >= 1.5), 40), (np.mean(SCORES.mated < 1.5), 100)
    error = np.sqrt(sum(share * (1 - share) / trials for share, trials in (iapar, frr)))  # of independent shares
    assert interval.holds(system["RIAPAR@t=1.5"].value)
    assert (interval.high - interval.low) / 2 / 1.96 == pytest.approx(error, rel=0.15)
    assert (interval.naive, str(interval.method)[:38]) == (True, "trials treated as independent resample")
    detector = bt.evaluate(DETECTOR, "ACER@t=1.5").with_intervals(resamples=100).intervals["ACER@t=1.5"]
    assert str(detector.method).startswith("trials grouped by subject resampled 100 times")
    assert not detector.naive


def test_every_population_is_drawn_by_itself():
    small = SystemAttacks(bt.trials.AttackSet.of({"mask": [0.0, 2.0]}), SCORES)
    interval = bt.evaluate(small, "RIAPAR@t=1.5").with_intervals(resamples=100).intervals["RIAPAR@t=1.5"]
    assert interval.reason is None  # drawn with all others, the two masks would sometimes be left out


def test_silence_has_an_interval():
    silent = bt.trials.Presentations("mask", [0.1, np.nan, np.nan, 0.4])
    found = bt.evaluate(DetectorAttacks(bt.trials.AttackSet((silent,)), LIVE), ["APNRR", "BPNRR"]).with_intervals()
    assert (found["APNRR"].value, found["BPNRR"].value) == (0.5, 0.0)
    assert found.intervals["APNRR"].holds(0.5)
    assert 0.0 < found.intervals["BPNRR"].high < 0.2


def test_few_trials_leave_resamples_in_which_nothing_was_classified():
    few = DetectorAttacks(bt.trials.AttackSet.of({"mask": [0.1, 0.6]}), bt.trials.Presentations("live", [np.nan, 0.4]))
    reason = bt.evaluate(few, "ACER@t=0.5").with_intervals(resamples=100).intervals["ACER@t=0.5"].reason
    assert "resamples" in str(reason)


def test_json_and_frame():
    found = bt.evaluate(SYSTEM).with_intervals(resamples=50)
    read = json.loads(found.to_json())
    assert (read["mode"], read["rule"]) == ("attacks", "similarity")
    assert read["counts"] == {"mated": 100, "non-mated": 2000, "attacks": 100}
    assert read["signature"]["data"] == SYSTEM.fingerprint
    frame = found.to_frame()
    assert frame["name"].to_list() == list(found) == [row["name"] for row in read["measures"]]
    assert frame["low"].to_list() == [row["interval"][0] for row in read["measures"]]


def test_rows_are_those_who_do_not_attack_and_then_each_species():
    part = SYSTEM.select([0, 100, 101, 2100, 2160, 2161])
    assert part.scores.mated.tolist() == SCORES.mated[:1].tolist()
    assert part.scores.nonmated.tolist() == SCORES.nonmated[:2].tolist()
    assert [one.scores.tolist() for one in part.attacks.species] == [
        SPECIES["print"][:1].tolist(),
        SPECIES["mask"][:2].tolist(),
    ]
    one = DETECTOR.select(np.arange(DETECTOR.n_trials) < 81)
    assert ([species.name for species in one.attacks.species], one.bona_fide.size) == (["print"], 80)
    assert one.attacks.species[0].subject.tolist() == ["s0"]


def test_two_detectors_are_compared_over_the_same_presentations():
    worse = DetectorAttacks(
        bt.trials.AttackSet(
            tuple(bt.trials.Presentations(one.name, one.scores + 1.0, one.subject) for one in BY_PERSON.species)
        ),
        LIVE,
    )
    [versus] = bt.stats.compare_systems([DETECTOR, worse], ["APCER@t=1.5"], settings=bt.Settings(resamples=50))
    assert (versus.trials, versus.n_units, versus.identical) == (180, 10, False)
    assert versus.differences[0].interval.low > 0
    [same] = bt.stats.compare_systems([DETECTOR, DETECTOR], ["APCER@t=1.5"], settings=bt.Settings(resamples=50))
    assert same.identical
    with pytest.raises(bt.InputError, match="were not attacked alike"):
        DETECTOR.align(DETECTOR.select(np.arange(100)))
