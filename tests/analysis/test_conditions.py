"""Conditions (D5): by hand, against resampling by hand, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.core import ComparisonTable, InputError
from bertillon.stats import subject_weights
from bertillon.trials import conditions_of_pairs, conditions_of_values

FAST = bt.Settings(resamples=100)


def people_in_two_lights(n: int = 40, *, seed: int = 1, shift: float = 0.5) -> tuple[bt.ScoreSet, list[str]]:
    """Everybody is compared by day and, a little worse, by night: the same people in both conditions."""
    rng = np.random.default_rng(seed)
    of_person = rng.normal(0, 1, n)
    mated, others, own, first, second = [], [], [], [], []
    for dark in (0, 1):
        for person in range(n):
            mated += list(3 + of_person[person] - shift * dark + rng.normal(0, 0.5, 4))
            own += [person] * 4
            for step in range(1, 9):
                first.append(person)
                second.append((person + step) % n)
                others.append(rng.normal(0, 1))
    ids = {"mated_ids": bt.TrialIds(own), "nonmated_ids": bt.TrialIds(first, second)}
    light = ["day", "night"]
    labels = [light[place // (n * 4)] for place in range(8 * n)] + [light[place // (n * 8)] for place in range(16 * n)]
    return bt.ScoreSet(mated, others, **ids), labels


def test_d5_conditions_by_hand() -> None:
    """D5: each condition at its own threshold, all at the threshold of all, the mean with equal weights, the worst."""
    scores = bt.ScoreSet([0.9, 0.8, 0.4, 0.7], [0.1, 0.2, 0.6, 0.3])
    found = bt.by_condition(scores, {"light": ["day", "day", "night", "night"] * 2}, ["EER", "FNMR@FMR=0"])
    assert found.names == ("day", "night")
    assert [one["EER"].value for one in found.conditions] == [0.0, 0.5]
    assert found.pooled["EER"].value == 0.25
    assert found.means["EER"].value == 0.25
    assert found.worst["EER"].condition == "night"
    threshold, fnmr, fmr = found.at_global["FNMR@FMR=0"]
    assert threshold == 0.7  # above the .6 of the night
    assert [one.results[fnmr].value for one in found.conditions] == [0.0, 0.5]
    assert [one.results[fmr].value for one in found.conditions] == [0.0, 0.0]
    own = [one["FNMR@FMR=0"].threshold for one in found.conditions]
    assert own == [0.8, 0.7]
    (eer, _) = found.differences
    assert (eer.first, eer.second, eer.value) == ("day", "night", 0.5)


def test_d5_each_condition_is_what_its_comparisons_alone_say() -> None:
    """Values and intervals are those of an evaluation of the comparisons that were chosen."""
    scores, light = people_in_two_lights()
    found = bt.by_condition(scores, {"light": light}, ["EER", "FNMR@t=1.5", "AUC"], settings=FAST)
    for one in found.conditions:
        alone = bt.evaluate(scores.select(np.array(light) == one.name), ["EER", "FNMR@t=1.5", "AUC"])
        sure = alone.with_intervals(resamples=100)
        for name in sure:
            assert one[name].value == sure[name].value
            assert (one.intervals[name].low, one.intervals[name].high) == (
                sure.intervals[name].low,
                sure.intervals[name].high,
            )
    assert found.people == (40, 40)


def test_d5_people_are_drawn_once_for_all_conditions_against_weights_by_hand() -> None:
    """The resampled mean and difference are those of weighted shares, the same people weighing the same in both."""
    scores, light = people_in_two_lights()
    names = ["FNMR@t=1.5", "FMR@t=1.5"]
    asked = bt.Settings(resamples=100, method="percentile")
    found = bt.by_condition(scores, {"light": light}, names, settings=asked)
    own, pairs = np.asarray(scores.mated_ids.probe_subject), scores.nonmated_ids
    dark = np.array(light) == "night"
    seen = []
    for drawn in subject_weights(40, 100, seed=0).astype(float):
        of_mated, of_pairs = drawn[own], drawn[pairs.probe_subject] * drawn[pairs.reference_subject]
        shares = []
        for rows in (~dark, dark):
            mated, others = rows[: scores.mated.size], rows[scores.mated.size :]
            fnmr = (of_mated * (scores.mated < 1.5))[mated].sum() / of_mated[mated].sum()
            fmr = (of_pairs * (scores.nonmated >= 1.5))[others].sum() / of_pairs[others].sum()
            shares.append((fnmr, fmr))
        seen.append([(np.mean([s[k] for s in shares]), shares[1][k] - shares[0][k]) for k in (0, 1)])
    ends = np.quantile(np.array(seen), [0.025, 0.975], axis=0)
    for place, name in enumerate(names):
        mean, difference = found.means[name].interval, found.differences[place].interval
        assert (mean.low, mean.high) == pytest.approx(tuple(ends[:, place, 0]))
        assert (difference.low, difference.high) == pytest.approx(tuple(ends[:, place, 1]))


def test_d5_a_difference_within_the_same_people_is_surer_than_between_others() -> None:
    scores, light = people_in_two_lights()
    found = bt.by_condition(scores, {"light": light}, "FNMR@t=1.5", settings=FAST)
    (same,) = found.differences
    day, night = (one.intervals["FNMR@t=1.5"] for one in found.conditions)
    apart = math.hypot(day.high - day.low, night.high - night.low)
    assert same.interval.high - same.interval.low < 0.8 * apart
    assert same.interval.low < same.value < same.interval.high


def test_d5_intervals_of_differences_and_means_hold_the_truth() -> None:
    """Of 60 simulated tests about 95 % hold the true difference and mean of FNMR at 1.5."""
    from scipy.stats import binom, norm

    spread = math.hypot(1, 0.5)
    day, night = norm.cdf((1.5 - 3) / spread), norm.cdf((1.5 - 2.5) / spread)
    held = {"difference": 0, "mean": 0, "worst": 0}
    for seed in range(60):
        scores, light = people_in_two_lights(seed=seed + 10)
        found = bt.by_condition(scores, {"light": light}, "FNMR@t=1.5", settings=FAST)
        held["difference"] += found.differences[0].interval.holds(night - day)
        held["mean"] += found.means["FNMR@t=1.5"].interval.holds((night + day) / 2)
        held["worst"] += found.worst["FNMR@t=1.5"].measured.interval.holds(night)
    least = binom.ppf(0.001, 60, 0.95)
    assert all(times >= least for times in held.values()), held


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from("ab")), min_size=2, max_size=20),
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from("ab")), min_size=2, max_size=20),
    st.integers(0, 6),
)
def test_d5_rates_against_a_twin_that_counts_by_hand(mated, others, threshold) -> None:
    scores = bt.ScoreSet([s for s, _ in mated], [s for s, _ in others])
    labels = [c for _, c in (*mated, *others)]
    found = bt.by_condition(scores, {"c": labels}, [f"FNMR@t={threshold}", f"FMR@t={threshold}"], settings=FAST)
    for one in found.conditions:
        wrong = [s < threshold for s, c in mated if c == one.name]
        taken = [s >= threshold for s, c in others if c == one.name]
        for name, kind in ((f"FNMR@t={threshold}", wrong), (f"FMR@t={threshold}", taken)):
            value = one[name].value
            assert math.isnan(value) if not kind else value == pytest.approx(sum(kind) / len(kind))


def test_a_condition_of_one_class_or_one_person_is_said() -> None:
    scores = bt.ScoreSet(
        [3.0, 4.0, 1.0],
        [0.0, 2.0],
        mated_ids=bt.TrialIds(["a", "b", "a"]),
        nonmated_ids=bt.TrialIds(["a", "b"], ["b", "a"]),
    )
    found = bt.by_condition(scores, {"c": ["x", "x", "y", "x", "x"]}, ["EER", "FNMR@t=2"], settings=FAST)
    assert math.isnan(found.conditions[1]["EER"].value)
    assert "undefined in y" in str(found.means["EER"].result.reason)
    assert "EER" not in found.worst
    assert str(found.means["FNMR@t=2"].interval.reason) == "a condition has comparisons of one class only"
    assert math.isnan(found.conditions[1].intervals["FNMR@t=2"].low)


def table(**columns) -> ComparisonTable:
    return ComparisonTable(
        pl.DataFrame({"score": [0.9, 0.4, 0.1, None], "mated": [True, False, True, True], **columns})
    )


def test_bins_and_crossed_columns_in_the_order_of_the_scores() -> None:
    found = conditions_of_pairs(table(years=[0, 10, 2, 5], light=["on", "on", "off", "off"]), ["years:0,2,10", "light"])
    assert found.names == ("[0, 2), on", "[2, 10], off", "[2, 10], on")
    assert found.code.tolist() == [0, 1, 2]  # the mated ones first
    assert found.failed.tolist() == [[0, 0], [1, 0], [0, 0]]


def test_failed_comparisons_belong_to_their_condition() -> None:
    comparisons = table(light=["on", "on", "off", "off"])
    scores = bt.ScoreSet([0.9, 0.1, math.nan], [0.4])
    found = bt.by_condition(scores, conditions_of_pairs(comparisons, ["light"]), ["FTA"], settings=FAST)
    assert {one.name: one.counts["failed"] for one in found.conditions} == {"off": 1, "on": 0}
    unknown = bt.by_condition(scores, {"light": ["on", "off", "on"]}, ["FTA"], settings=FAST)
    assert "1 failed comparisons have no condition" in str(unknown.notes[0])


@pytest.mark.parametrize(
    ("by", "fault"),
    [
        (["dark"], "column 'dark' is unknown"),
        (["years:0,2,5"], "leave out 1 of 4 comparisons, which lie from 0 to 10"),
        (["years:5,2"], "ends of bins that rise"),
        (["years:a,b"], "are no numbers"),
        (["years:"], "are no numbers"),
        ([":0,1"], "names no column"),
        (["light:0,1"], "light is 'on', no number"),
        (["empty"], "1 of 4 comparisons have no empty"),
        (["years", "light", "empty"], "expected one, or two that are crossed"),
    ],
)
def test_what_cannot_be_divided_is_refused(by, fault) -> None:
    columns = {"years": [0, 10, 2, 5], "light": ["on", "on", "off", "off"], "empty": ["x", None, "y", "z"]}
    with pytest.raises(InputError) as error:
        conditions_of_pairs(table(**columns), by)
    assert fault in str(error.value)


def test_values_without_end_are_refused_and_bins_asked_for() -> None:
    with pytest.raises(InputError, match="has 200 different values; expected at most 100: give bins"):
        conditions_of_values({"years": np.arange(200)})
    assert conditions_of_values({"years": [10, 9, 2.0, 2.5]}).names == ("2", "2.5", "9", "10")
    with pytest.raises(InputError, match="expected one each, the mated ones first"):
        bt.by_condition(bt.ScoreSet([1.0], [0.0]), {"c": ["x"]}, "EER")
