"""T6: recognition itself on six templates: enrol, verify a claim, identify an open set, run a watch list."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import bertillon as bt
from bertillon.analysis import daily_load
from bertillon.core import ComparisonTable
from bertillon.io import make_templates
from bertillon.matching import PairList, Partition, ProbeVersusGallery, matcher

# On a line, so that distances can be read off: Ann and Bob are enrolled, Ann twice; Cid is not.
PLACES = {"ann-1": 0.0, "ann-2": 2.0, "bob-1": 10.0, "ann-probe": 3.0, "bob-probe": 9.0, "cid-probe": 6.5}
TEMPLATES = make_templates(
    np.array(list(PLACES.values()))[:, None], [name.split("-")[0] for name in PLACES], sample=list(PLACES)
)
ROLES = np.array(["gallery" if name[-1].isdigit() else "probe" for name in PLACES])
GALLERY = Partition(TEMPLATES.sample, TEMPLATES.subject, ROLES)


def searches() -> bt.SearchSet:
    """Every probe searches the people who are enrolled, each as near as the nearest of its templates."""
    nearest = ProbeVersusGallery(multiple=True)
    return bt.evaluation.search_trials(bt.Comparing.plan(TEMPLATES, matcher("euclidean"), nearest, partition=GALLERY))


def test_T6_a_claim_is_verified_against_all_templates_of_the_person_claimed_by_hand():
    """Ann at 3 claims to be Ann (1 away), Cid at 6.5 claims Ann (4.5) and Bob (3.5): at 3 the right ones get in."""
    frame = pl.DataFrame({"probe": ["ann-probe", "cid-probe", "cid-probe"], "reference_subject": ["ann", "ann", "bob"]})
    claims = PairList.from_claims(ComparisonTable(frame), TEMPLATES, gallery_rows=np.flatnonzero(ROLES == "gallery"))
    scores = bt.evaluation.verification_trials(bt.Comparing.plan(TEMPLATES, matcher("euclidean"), claims))
    assert isinstance(scores, bt.ScoreSet)
    assert scores.mated.tolist() == pytest.approx([1.0])
    assert sorted(scores.nonmated.tolist()) == pytest.approx([3.5, 4.5])
    seen = bt.counting.outcomes(scores, 3.0)
    assert (seen.true_match, seen.false_match, seen.true_nonmatch) == (1, 0, 2)
    assert bt.counting.outcomes(scores, 4.0).false_match == 1  # too permissive: Cid gets in as Bob


@pytest.mark.parametrize(("threshold", "detected", "alarms"), [(0.5, 0.0, 0.0), (1.0, 1.0, 0.0), (4.0, 1.0, 1.0)])
def test_T6_an_open_set_search_says_not_in_gallery_below_the_threshold_by_hand(threshold, detected, alarms):
    """Ann and Bob stand 1 from themselves, Cid 3.5 from Bob: only between the two nobody is told wrong."""
    found = bt.evaluate(searches(), [f"DIR@t={threshold},k=1", f"FPIR@t={threshold}"])
    assert [result.value for result in found.results.values()] == [detected, alarms]


def test_T6_a_white_list_lets_in_and_a_black_list_alarms_by_hand():
    """The same searches: Cid is wrongly let in, or wrongly stopped, at 4; 100 strangers a day are 100 to check."""
    found = bt.evaluate(searches(), ["FPIR@t=4", "FNIR@t=4,k=1"])
    assert (found["FPIR@t=4"].errors, found["FPIR@t=4"].trials) == (1, 1)
    load = daily_load(found["FPIR@t=4"].value, found["FNIR@t=4,k=1"].value, passers=100, minutes=3, on_list=0.0)
    assert (load.false_alarms, load.hours, load.misses) == (100.0, 5.0, 0.0)
