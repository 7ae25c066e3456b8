"""Error rates by group: by hand, against picking out the comparisons of a group, and what is undefined."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.analysis import LIMITS, differential
from bertillon.core import InputError
from bertillon.stats import rate_by_pair, rate_by_subject

SEX = {"ann": "f", "eve": "f", "bob": "m"}


def three_people(**changed) -> bt.ScoreSet:
    """ann and eve are women; of five mated and three non-mated comparisons one each goes wrong at 0.5."""
    own = bt.TrialIds(["ann", "ann", "eve", "bob", "bob"])
    others = bt.TrialIds(["ann", "bob", "eve"], ["eve", "ann", "bob"])
    ids = {"mated_ids": own, "nonmated_ids": others} | changed
    return bt.ScoreSet([0.9, 0.4, 0.8, 0.7, 0.5], [0.6, 0.1, 0.5], **ids)


def test_three_people_in_two_groups_by_hand() -> None:
    """At 0.5, which accepts what equals it: women fail once in three, men never; women are taken for each other."""
    found = bt.analysis.group_rates(three_people(), SEX, thresholds={"here": 0.5})
    (point,) = found.points
    rows = [(row.kind, row.group, row.other, row.people, row.errors, row.comparisons) for row in point.rows]
    assert (found.groups, point.point, point.threshold) == (("f", "m"), "here", 0.5)
    assert rows == [
        ("FNMR", "f", None, 2, 1, 3),
        ("FNMR", "m", None, 1, 0, 2),
        ("FMR", "f", None, 2, 1, 1),
        ("FMR", "m", None, 0, 0, 0),
        ("FMR", "f", "m", 3, 1, 2),
    ]
    assert point.fnmr[0].value == pytest.approx(1 / 3)
    assert math.isnan(point.fmr[1].value)
    assert str(point.fmr[1].rate.result.reason) == "no trials"


def test_a_distance_is_judged_the_other_way_round() -> None:
    scores = three_people()
    far = bt.ScoreSet(
        -scores.mated, -scores.nonmated, rule="distance", mated_ids=scores.mated_ids, nonmated_ids=scores.nonmated_ids
    )
    near = bt.analysis.group_rates(scores, SEX, thresholds=[0.5]).points[0].rows
    other = bt.analysis.group_rates(far, SEX, thresholds=[-0.5]).points[0].rows
    assert [row.errors for row in near] == [row.errors for row in other]


comparisons = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 4)).filter(lambda one: one[0] != one[1]),
    min_size=1,
    max_size=30,
)
own = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=20)


@given(own, comparisons, st.lists(st.sampled_from("abc"), min_size=6, max_size=6), st.integers(0, 4))
def test_every_rate_against_picking_out_its_comparisons(mated, others, groups, threshold) -> None:
    """Rates and intervals are those of the comparisons of the group alone, with their people."""
    who, scores = (np.array(side) for side in zip(*mated, strict=True))
    probe, reference, wrong = (np.array(side) for side in zip(*others, strict=True))
    ids = {"mated_ids": bt.TrialIds(who), "nonmated_ids": bt.TrialIds(probe, reference)}
    group = np.array(groups)
    found = bt.analysis.group_rates(bt.ScoreSet(scores, wrong, **ids), dict(enumerate(groups)), thresholds=[threshold])
    for row in found.points[0].fnmr:
        chosen = group[who] == row.group
        _require_same(row, lambda c=chosen: rate_by_subject(who[c], scores[c] < threshold), chosen)
    for row in found.points[0].fmr + found.points[0].fmr_across:
        second = row.other or row.group
        chosen = (group[probe] == row.group) & (group[reference] == second)
        chosen |= (group[probe] == second) & (group[reference] == row.group)
        _require_same(row, lambda c=chosen: rate_by_pair(probe[c], reference[c], wrong[c] >= threshold), chosen)
    assert sum(row.comparisons for row in found.points[0].fmr + found.points[0].fmr_across) == wrong.size


def _require_same(row, rate, chosen) -> None:
    assert row.comparisons == int(chosen.sum())
    if row.comparisons:
        expected = rate()
        assert (row.errors, row.people) == (expected.errors, expected.people)
        interval = expected.interval()
        assert (row.rate.interval.low, row.rate.interval.high) == pytest.approx(
            (interval.low, interval.high), nan_ok=True
        )


def rates_of(*counts: tuple[int, int]):
    """FNMR rows with these errors and comparisons."""
    who = np.repeat(np.arange(len(counts)), [n for _, n in counts])
    mated = np.concatenate([np.arange(n) >= errors for errors, n in counts]).astype(float)
    ids = bt.TrialIds(who)
    names = {person: "abcd"[person] for person in range(4)}
    return bt.analysis.group_rates(bt.ScoreSet(mated, [], mated_ids=ids), names, thresholds=[0.5]).points[0].fnmr


def test_differentials_by_hand() -> None:
    """Rates 0.1, 0.2 and 0.4: highest over lowest is 4, over the geometric mean 0.2 it is 2."""
    found = differential("FNMR", rates_of((1, 10), (4, 10), (4, 20)))
    assert (found.highest.group, found.lowest.group) == ("b", "a")
    assert (found.ratio, found.to_mean) == (pytest.approx(4.0), pytest.approx(2.0))
    assert (found.reason, found.left_out) == (None, ())


def test_a_group_without_errors_makes_ratios_undefined_with_the_reason() -> None:
    found = differential("FNMR", rates_of((1, 10), (0, 10), (0, 20)))
    assert math.isnan(found.ratio)
    assert math.isnan(found.to_mean)
    assert str(found.reason) == "no error was observed in b, c; a ratio needs at least one in every group"
    assert found.to_dict()["lowest"] == {"group": "b", "value": 0.0}
    assert found.to_dict()["ratio"] is None


def test_groups_without_comparisons_are_left_out_and_named() -> None:
    """In the three people FMR is known of women alone, so there is nothing to compare it with."""
    found = bt.analysis.group_rates(three_people(), SEX, thresholds=[0.5]).points[0].differentials[1]
    assert found.left_out == ("m",)
    assert str(found.reason) == "fewer than two groups have comparisons"
    assert math.isnan(found.ratio)
    assert found.highest is None


def test_the_frame_has_a_row_a_rate_and_the_dict_is_plain() -> None:
    found = bt.analysis.group_rates(three_people(), SEX, thresholds=[0.5, math.inf])
    frame = found.to_frame()
    assert frame["group"].drop_nulls().len() == 10
    assert (
        frame.filter(frame["group"].is_null())["kind"].to_list() == [one.name for one in found.points[0].fairness] * 2
    )
    assert frame.row(4, named=True)["other"] == "m"
    assert frame["errors"].to_list()[:5] == [1, 0, 1, 0, 1]
    plain = found.to_dict()
    assert plain["points"][1]["threshold"] == "inf"
    assert plain["points"][0]["FMR"][1]["value"] is None
    assert plain["points"][0]["FMR_across"][0]["other"] == "m"


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(InputError, match="nobody knows who was compared in the mated comparisons"):
        bt.analysis.group_rates(three_people(mated_ids=None), SEX, thresholds=[0.5])
    with pytest.raises(InputError, match="nobody knows who was compared in the non-mated comparisons"):
        bt.analysis.group_rates(three_people(nonmated_ids=bt.TrialIds(["a", "b", "c"])), SEX, thresholds=[0.5])
    ids = bt.TrialIds(np.array(["ann", None, "eve", "bob", "bob"], dtype=object))
    with pytest.raises(InputError, match="a subject id is missing"):
        bt.analysis.group_rates(three_people(mated_ids=ids), SEX, thresholds=[0.5])
    with pytest.raises(InputError, match="1 of the people compared have no group: 'bob'"):
        bt.analysis.group_rates(three_people(), {"ann": "f", "eve": "f"}, thresholds=[0.5])
    with pytest.raises(InputError, match="no groups are given"):
        bt.analysis.group_rates(three_people(), thresholds=[0.5])
    with pytest.raises(InputError, match="threshold is not a number"):
        bt.analysis.group_rates(three_people(), SEX, thresholds=[math.nan])


def test_counted_comparisons_have_their_groups_from_counting() -> None:
    from engine.cases import small_plan

    from bertillon.counting import count_comparisons

    comparing = small_plan(people=4)
    with pytest.raises(InputError, match="was counted without groups"):
        bt.analysis.group_rates(count_comparisons(comparing, [0.5]), thresholds=[0.5])
    groups = dict(enumerate("aabb"))
    with pytest.raises(InputError, match="expected them when counting only"):
        bt.analysis.group_rates(count_comparisons(comparing, [0.5], groups=groups), groups, thresholds=[0.5])


def test_thresholds_that_are_close_are_all_answered_by_hand() -> None:
    """Six digits would call both the same, and one of them would be lost."""
    found = bt.analysis.group_rates(three_people(), SEX, thresholds=[0.40000001, 0.4])
    assert [(point.point, point.fnmr[0].errors) for point in found.points] == [("t=0.40000001", 1), ("t=0.4", 0)]


def test_of_very_many_pairs_those_with_the_highest_rates_are_given_against_all_of_them(monkeypatch):
    rng = np.random.default_rng(8)
    first = rng.integers(0, 200, 6000)
    second = (first + rng.integers(1, 200, 6000)) % 200
    scores = bt.ScoreSet(
        rng.random(400),
        rng.random(6000),
        mated_ids=bt.TrialIds(np.arange(400) % 200),
        nonmated_ids=bt.TrialIds(first, second),
    )
    groups = {person: f"g{person % 60:02}" for person in range(200)}
    some = bt.analysis.group_rates(scores, groups, thresholds=[0.7]).points[0]
    monkeypatch.setattr(LIMITS, "group_pairs", 60 * 59 // 2)
    every = bt.analysis.group_rates(scores, groups, thresholds=[0.7]).points[0]
    assert (some.fnmr, some.fmr) == (every.fnmr, every.fmr)
    there = [row for row in every.fmr_across if row.comparisons]
    assert (len(some.fmr_across), some.left_out, every.left_out) == (1000, len(there) - 1000, 0)
    assert all(row in there for row in some.fmr_across)
    assert min(row.value for row in some.fmr_across) >= max(row.value for row in there if row not in some.fmr_across)


def test_three_thousand_groups_take_no_more_than_their_comparisons():
    """A group for each of 3,000 people: four and a half million pairs, of which 20,000 have comparisons."""
    rng = np.random.default_rng(9)
    first = rng.integers(0, 3000, 20_000)
    scores = bt.ScoreSet(
        rng.random(6000),
        rng.random(20_000),
        mated_ids=bt.TrialIds(np.arange(6000) % 3000),
        nonmated_ids=bt.TrialIds(first, (first + rng.integers(1, 3000, 20_000)) % 3000),
    )
    tracemalloc.start()
    found = bt.analysis.group_rates(scores, {person: f"g{person}" for person in range(3000)}, thresholds=[0.9])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.points[0].fnmr) == len(found.points[0].fmr) == 3000
    assert len(found.points[0].fmr_across) == 1000
    assert peak < 100e6
