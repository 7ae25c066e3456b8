"""What every kind of trial can do, ours and those of other packages."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import bertillon as bt
from bertillon.counting import Need, Needs
from bertillon.measures import Definition, Measure, MeasureSet, Result, Spelling, measure_set_of, register_kind
from bertillon.render import save_figures
from bertillon.stats import resampled
from bertillon.trials import Aligned, align, row_numbers

IDS = bt.TrialIds(probe=np.array(list("abc")), reference=np.array(list("xyz")))
SCORES = bt.ScoreSet([0.9, 0.4, 0.7], [0.1, 0.6], rule="similarity", mated_ids=IDS, name="A")
SEARCHES = bt.SearchSet(
    [True, False, True, False],
    [0.8, 0, 0.6, 0],
    [0, -1, 1, -1],
    [0, 0, 0, 0],
    [0.8, 0.5, 0.7, 0.3],
    [0.2, 0.5, 0.7, 0.3],
    gallery_size=5,
    others=np.array([[0.5, 0.4], [0.3, 0.2]]),
    probe_subject=np.array(list("abcd")),
)
PREDICTIONS = bt.Predictions.from_probabilities([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.6], groups=list("uuvv"))
ALL = [SCORES, SEARCHES, PREDICTIONS]
MEASURES = {"verification": ["EER", "AUC"], "identification": ["RR", "EERopen"], "classification": ["F1", "AUC", "AP"]}


def kinds(trials) -> str:
    return trials.kind


@pytest.mark.parametrize("trials", ALL, ids=kinds)
def test_an_evaluation_says_of_its_trials_what_they_say_themselves(trials):
    evaluation = bt.evaluate(trials)
    assert evaluation.kind == trials.kind == evaluation.measure_set.mode
    assert evaluation.counts == trials.counts
    assert evaluation.definitions == trials.definitions
    assert evaluation.definitions["data"] == trials.fingerprint
    assert evaluation.curves == trials.curves
    assert evaluation.to_dict()["mode"] == trials.kind


@pytest.mark.parametrize("trials", ALL, ids=kinds)
def test_measures_read_what_trials_count_for_them(trials):
    asked = measure_set_of(trials.kind).parse_all(MEASURES[trials.kind])
    tally = trials.count(Needs.of(asked))
    evaluation = bt.evaluate(trials, asked)
    assert [measure.of(tally).value for measure in asked] == [evaluation[measure].value for measure in asked]


@pytest.mark.parametrize("trials", ALL, ids=kinds)
def test_selected_trials_are_the_same_by_mask_and_by_number(trials):
    rows = np.array([2, 0])
    mask = np.isin(np.arange(trials.n_trials), rows)
    assert trials.select(mask).same_as(trials.select(np.sort(rows)))
    assert trials.select(rows).n_trials == 2
    assert trials.select(np.arange(trials.n_trials)).same_as(trials)
    assert trials.select(rows).select([1, 0]).same_as(trials.select(mask))
    with pytest.raises(bt.InputError, match=r"a mask of shape \(1,\)"):
        trials.select([True])


def test_selected_trials_keep_what_belongs_to_them_by_hand():
    scores = SCORES.select([2, 4])
    assert (scores.mated.tolist(), scores.nonmated.tolist()) == ([0.7], [0.6])
    assert scores.mated_ids.probe.tolist() == ["c"]
    searches = SEARCHES.select([3, 2])
    assert searches.others.tolist() == [[0.3, 0.2]]
    assert searches.probe_subject.tolist() == ["d", "c"]
    assert PREDICTIONS.select([3]).groups.tolist() == ["v"]
    assert row_numbers([False, True], 2).tolist() == [1]


@pytest.mark.parametrize(
    ("trials", "other"),
    [
        (SCORES, replace(SCORES, nonmated=np.array([0.1, 0.5]))),
        (SCORES, replace(SCORES, failures=bt.Failures(mated=1))),
        (SEARCHES, replace(SEARCHES, others=None)),
        (SEARCHES, replace(SEARCHES, gallery_size=6)),
        (PREDICTIONS, replace(PREDICTIONS, weights=np.ones(4))),
    ],
    ids=["scores", "failures", "candidates", "gallery", "weights"],
)
def test_trials_are_the_same_where_every_measure_would_be(trials, other):
    assert trials.same_as(replace(trials, name="another"))
    assert not trials.same_as(other)
    assert not other.same_as(trials)


@pytest.mark.parametrize("trials", [SEARCHES, PREDICTIONS], ids=kinds)
def test_only_comparisons_are_aligned_by_ids_of_choice(trials):
    assert align(trials, trials).trials == trials.n_trials
    with pytest.raises(bt.InputError, match="paired by probe; only comparisons"):
        trials.align(trials, ["probe"])
    with pytest.raises(bt.InputError, match="not of one kind"):
        align(trials, SCORES)
    with pytest.raises(bt.InputError, match="paired by probe; only comparisons"):
        align(trials, SCORES, by=["probe"])


def test_needs_are_those_of_all_measures():
    asked = [bt.parse(text) for text in ("FNMR@t=0.5", "FMR@t=0.25", "TMR@t=0.5", "dprime")]
    needs = Needs.of(asked)
    assert needs.thresholds == (0.5, 0.25)
    assert needs.reads == frozenset().union(*(measure.needs for measure in asked))
    assert len(needs.seeks) == 4
    assert Need.EVERY_THRESHOLD not in needs.reads
    assert Need.EVERY_THRESHOLD in Needs.of(measure_set_of("classification").parse_all(["F1", "AP"])).reads
    assert Needs.of([]) == Needs()


def test_evaluations_of_two_modes_have_no_figures_together(tmp_path):
    with pytest.raises(bt.InputError, match="of identification and verification have no figures together"):
        save_figures([bt.evaluate(SCORES), bt.evaluate(SEARCHES)], tmp_path)


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps of a walk, recognised or not: a kind of trial that bertillon does not know."""

    seen: np.ndarray
    name: str = "gait"
    kind, form, failed, curves = "gait", "whole", 0, ()
    rule = bt.AcceptRule.DISTANCE
    fingerprint = "none"

    @property
    def n_trials(self):
        return self.seen.size

    @property
    def counts(self):
        return {"steps": self.seen.size}

    @property
    def definitions(self):
        return {"data": self.fingerprint}

    def count(self, needs):
        assert len(needs.seeks) == 1
        return int(self.seen.sum()), self.seen.size

    def select(self, rows):
        return replace(self, seen=self.seen[row_numbers(rows, self.n_trials)])

    def same_as(self, other):
        return np.array_equal(self.seen, other.seen)

    def align(self, other, by=None):
        return Aligned(self, other, "step by step")


@dataclass(frozen=True)
class Missed(Measure):
    """The share of steps that were not recognised."""

    @property
    def spelling(self):
        return Spelling("MissedSteps")

    def of(self, tally):
        seen, steps = tally
        return replace(Result.share(steps - seen, steps), threshold=-0.5)


@pytest.fixture(scope="module")
def gait():
    measures = MeasureSet("gait")
    measures.register(
        Definition("MissedSteps", lambda _: Missed(), "steps missed", "MissedSteps", unit="rate", better="lower")
    )
    register_kind(measures)
    return Steps(np.array([True, True, False, True]))


def test_a_kind_of_trial_of_another_package_is_evaluated(gait):
    evaluation = bt.evaluate(gait)
    assert evaluation["MissedSteps"] == Result(0.25, 0.5, 1, 4)  # the oriented threshold is turned back
    assert repr(evaluation) == "<Evaluation of gait: 4 steps\n  MissedSteps 25 % (threshold 0.5)>"
    assert evaluation.to_dict()["mode"] == "gait"
    assert evaluation.to_frame()["errors"].to_list() == [1]
    assert bt.evaluate(gait.select([2]), "MissedSteps")["MissedSteps"].value == 1.0
    assert align(gait, gait).trials == 4
    with pytest.raises(bt.InputError, match="EER"):
        bt.evaluate(gait, "EER")


def test_trials_without_units_are_resampled_row_by_row_and_said_to_be(gait):
    [versus] = bt.stats.compare_systems([gait, gait], ["MissedSteps"])
    assert versus.identical
    assert (versus.naive, versus.n_units, str(versus.unit)) == (True, 4, "trials treated as independent")
    found = bt.evaluate(gait).with_intervals(resamples=200).intervals["MissedSteps"]
    assert found.naive
    assert found.holds(0.25)


def test_what_cannot_be_done_with_a_kind_of_trial_is_said(gait):
    with pytest.raises(bt.InputError, match="trials of kind curve cannot be resampled; expected trials with `select`"):
        resampled(bt.counting.RateCurve([0.0, 1.0], [1.0, 0.0]), [bt.parse("EER")])
    with pytest.raises(bt.InputError, match="curve 'roc' of gait has no band; expected one of none"):
        bt.evaluate(gait).band("roc")
    with pytest.raises(bt.InputError, match="by_group is for predictions"):
        bt.evaluate(gait).with_intervals(by_group=True)
    with pytest.raises(bt.InputError, match="1:1 comparisons only"):
        bt.evaluate(gait).with_intervals(method="two-stage")
    with pytest.raises(bt.InputError, match="no measures are known for trials of kind 'swim'"):
        bt.evaluate(type("Swim", (Steps,), {"kind": "swim"})(gait.seen))
    with pytest.raises(ValueError, match="'gait' is registered twice"):
        register_kind(MeasureSet("gait"))
