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
from bertillon.evaluation import verification_trials
from bertillon.stats import subject_weights
from bertillon.trials import (
    conditions_of_pairs,
    conditions_of_searches,
    conditions_of_templates,
    conditions_of_values,
)

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
    found = bt.analysis.by_condition(scores, {"light": ["day", "day", "night", "night"] * 2}, ["EER", "FNMR@FMR=0"])
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
    found = bt.analysis.by_condition(scores, {"light": light}, ["EER", "FNMR@t=1.5", "AUC"], settings=FAST)
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
    found = bt.analysis.by_condition(scores, {"light": light}, names, settings=asked)
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
    found = bt.analysis.by_condition(scores, {"light": light}, "FNMR@t=1.5", settings=FAST)
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
        found = bt.analysis.by_condition(scores, {"light": light}, "FNMR@t=1.5", settings=FAST)
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
    found = bt.analysis.by_condition(
        scores, {"c": labels}, [f"FNMR@t={threshold}", f"FMR@t={threshold}"], settings=FAST
    )
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
    found = bt.analysis.by_condition(scores, {"c": ["x", "x", "y", "x", "x"]}, ["EER", "FNMR@t=2"], settings=FAST)
    assert math.isnan(found.conditions[1]["EER"].value)
    assert "in y, " in str(found.means["EER"].result.reason)
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
    found = bt.analysis.by_condition(scores, conditions_of_pairs(comparisons, ["light"]), ["FTA"], settings=FAST)
    assert {one.name: one.counts["failed"] for one in found.conditions} == {"off": 1, "on": 0}
    unknown = bt.analysis.by_condition(scores, {"light": ["on", "off", "on"]}, ["FTA"], settings=FAST)
    assert "1 failed trials have no condition" in str(unknown.notes[0])


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
        bt.analysis.by_condition(bt.ScoreSet([1.0], [0.0]), {"c": ["x"]}, "EER")


def searches_in_two_lights(n: int = 40, *, seed: int = 1) -> tuple[bt.SearchSet, list[str]]:
    """Everybody searches by day and by night, enrolled and not; the night is worse for the same people."""
    rng = np.random.default_rng(seed)
    who = np.tile(np.arange(n), 12)
    enrolled, dark = np.arange(who.size) < 6 * n, np.arange(who.size) // (3 * n) % 2 == 1
    person = rng.normal(0, 0.6, (2, n))[enrolled.astype(int), who]
    top = np.where(enrolled, 2.5 - 0.5 * dark, 0.5 * dark) + person + rng.normal(0, 1, who.size)
    rank = np.where(enrolled, 0, -1)
    made = bt.SearchSet(
        enrolled, np.where(enrolled, top, np.nan), rank, 0 * who, top, top - 9, gallery_size=99, probe_subject=who
    )
    return made, np.where(dark, "night", "day").tolist()


def test_d5_searches_by_hand() -> None:
    """D5 of searches: FNIR and FPIR of each condition at the threshold of all, ranks, the mean and the worst."""
    enrolled, top = [1, 1, 1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.4, 0.1, 0.6]
    mate, better = [0.9, 0.8, 0.7, 0.2, *[math.nan] * 4], [0, 0, 0, 1, *[-1] * 4]
    searches = bt.SearchSet(enrolled, mate, better, [0] * 8, top, top, gallery_size=5)
    light = ["day", "day", "night", "night"] * 2
    found = bt.analysis.by_condition(searches, {"light": light}, ["RR", "FNIR@FPIR=0.25"], settings=FAST)
    assert [one["RR"].value for one in found.conditions] == [1.0, 0.5]
    assert (found.means["RR"].value, found.worst["RR"].condition) == (0.75, "night")
    threshold, fnir, fpir = found.at_global["FNIR@FPIR=0.25,k=1"]
    assert (threshold, fnir, fpir) == (0.6, "FNIR@t=0.6,k=1", "FPIR@t=0.6")
    assert [one.results[fnir].value for one in found.conditions] == [0.0, 0.5]
    assert [one.results[fpir].value for one in found.conditions] == [0.0, 0.5]
    assert [one["FNIR@FPIR=0.25"].threshold for one in found.conditions] == [0.8, 0.7]
    (rank, _) = found.differences
    assert (rank.measure, rank.value) == ("RR", -0.5)


def test_d5_predictions_by_hand() -> None:
    truth, p = [1, 1, 0, 0, 1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1, 0.9, 0.8, 0.2, 0.1]
    made = bt.Predictions.from_probabilities(truth, p)
    found = bt.analysis.by_condition(made, {"site": ["a"] * 4 + ["b"] * 4}, ["Recall", "AUC"], settings=FAST)
    assert [one["Recall"].value for one in found.conditions] == [0.5, 1.0]
    assert [one["AUC"].value for one in found.conditions] == [0.75, 1.0]
    assert (found.pooled["Recall"].value, found.means["Recall"].value) == (0.75, 0.75)
    assert found.worst["AUC"].condition == "a"
    threshold, fnr, fpr = found.at_global["Recall"]
    assert (threshold, [one.results[fnr].value for one in found.conditions]) == (0.5, [0.5, 0.0])
    assert [one.results[fpr].value for one in found.conditions] == [0.5, 0.0]


def test_d5_people_of_searches_are_drawn_once_for_all_conditions_against_weights_by_hand() -> None:
    searches, light = searches_in_two_lights(20)
    there = np.flatnonzero((np.array(light) == "day") | (searches.probe_subject > 4))  # some never search at night
    searches, light = searches.select(there), [light[row] for row in there]
    asked = bt.Settings(resamples=100, method="percentile")
    found = bt.analysis.by_condition(searches, {"light": light}, ["FNIR@t=1.2", "FPIR@t=1.2"], settings=asked)
    dark, passed, seen = np.array(light) == "night", searches.top_score >= 1.2, []
    for drawn in subject_weights(20, 100, seed=0).astype(float):
        w, rates = drawn[searches.probe_subject], []
        for rows in (~dark, dark):
            kinds = ((searches.enrolled & rows, ~passed), (~searches.enrolled & rows, passed))
            rates.append([(w * wrong)[own].sum() / w[own].sum() for own, wrong in kinds])
        seen.append([(np.mean([r[k] for r in rates]), rates[1][k] - rates[0][k]) for k in (0, 1)])
    ends = np.quantile(np.array(seen), [0.025, 0.975], axis=0)
    for place, mean in enumerate(found.means.values()):
        difference = found.differences[place].interval
        assert (mean.interval.low, mean.interval.high) == pytest.approx(tuple(ends[:, place, 0]))
        assert (difference.low, difference.high) == pytest.approx(tuple(ends[:, place, 1]))
    assert found.people == (20, 15)


def test_d5_intervals_of_searches_hold_the_truth() -> None:
    """Of 60 simulated tests about 95 % hold the true difference, mean and worst FNIR at 1.2."""
    from scipy.stats import binom, norm

    spread = math.hypot(1, 0.6)
    day, night = norm.cdf((1.2 - 2.5) / spread), norm.cdf((1.2 - 2.0) / spread)
    held = {"difference": 0, "mean": 0, "worst": 0}
    for seed in range(60):
        searches, light = searches_in_two_lights(seed=seed + 10)
        found = bt.analysis.by_condition(searches, {"light": light}, "FNIR@t=1.2", settings=FAST)
        held["difference"] += found.differences[0].interval.holds(night - day)
        held["mean"] += found.means["FNIR@t=1.2,k=1"].interval.holds((night + day) / 2)
        held["worst"] += found.worst["FNIR@t=1.2,k=1"].measured.interval.holds(night)
    least = binom.ppf(0.001, 60, 0.95)
    assert all(times >= least for times in held.values()), held


def test_d5_intervals_of_samples_hold_the_truth() -> None:
    """Of 100 simulated tests of 400 samples about 95 % hold the true difference, mean and worst recall."""
    from scipy.stats import binom, norm

    east, west = norm.sf(0.5 - 1.5), norm.sf(0.5 - 1.0)
    held = {"difference": 0, "mean": 0, "worst": 0}
    for seed in range(100):
        rng = np.random.default_rng(seed)
        truth, site = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
        samples = bt.Predictions.from_scores(truth, truth * (1.5 - 0.5 * site) + rng.normal(0, 1, 400))
        found = bt.analysis.by_condition(samples, {"site": site}, "Recall@t=0.5", settings=FAST)
        held["difference"] += found.differences[0].interval.holds(west - east)
        held["mean"] += found.means["Recall@t=0.5"].interval.holds((east + west) / 2)
        held["worst"] += found.worst["Recall@t=0.5"].measured.interval.holds(west)
    least = binom.ppf(0.001, 100, 0.95)
    assert all(times >= least for times in held.values()), held


def test_d5_the_interval_of_the_worst_holds_the_truth_where_conditions_are_alike() -> None:
    """The worst of three that are alike is worse in a sample than any is in truth."""
    from scipy.stats import binom, norm

    truth, held = norm.cdf((1.5 - 3) / math.hypot(1, 0.5)), 0
    for seed in range(60):
        scores, light = people_in_two_lights(seed=seed + 10, shift=0.0)
        third = np.random.default_rng(seed).integers(0, 3, len(light))
        found = bt.analysis.by_condition(scores, {"light": third}, "FNMR@t=1.5", settings=FAST)
        held += found.worst["FNMR@t=1.5"].measured.interval.holds(truth)
    assert held >= binom.ppf(0.001, 60, 0.95), held


def test_d5_each_condition_is_what_its_searches_and_samples_alone_say() -> None:
    searches, light = searches_in_two_lights()
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    samples = bt.Predictions.from_scores(truth, truth + rng.normal(0, 1, 200))
    for trials, by in ((searches, light), (samples, ["x", "y"] * 100)):
        names = ["RR", "FNIR@FPIR=0.1"] if trials is searches else ["AUC", "Recall@FPR=0.2"]
        found = bt.analysis.by_condition(trials, {"c": by}, names, settings=FAST)
        for one in found.conditions:
            alone = bt.evaluate(trials.select(np.array(by) == one.name), names).with_intervals(resamples=100)
            for name in alone:
                assert one[name].value == alone[name].value
                assert one.intervals[name] == alone.intervals[name]


@pytest.mark.parametrize("twice", [False, True])
def test_conditions_of_searches_are_those_of_their_probes(twice) -> None:
    """Of templates: every search knows the row of its probe, also in all against all and where one failed."""
    rng = np.random.default_rng(2)
    who = np.repeat(["a", "b", "c", "d"], 3)
    vectors = rng.normal(size=(12, 4))
    vectors[4] = 0.0  # has no direction, so no cosine
    light = np.array(["day", "night", "dusk"] * 4)
    table = bt.TemplateTable(vectors, who, metadata=pl.DataFrame({"light": light}))
    partition = None if twice else bt.matching.split_gallery_probe(table, rng=0)
    pairing = None if twice else bt.matching.ProbeVersusGallery()
    plan = bt.Comparing.plan(table, "cosine", pairing, partition=partition)
    searches = bt.evaluation.search_trials(plan)
    found = conditions_of_searches(searches, table, ["light"])
    assert (who[searches.source_row] == searches.probe_subject).all()
    assert 4 not in searches.source_row
    assert [found.names[code] for code in found.code] == light[searches.source_row].tolist()
    half = np.arange(0, len(searches), 2)
    assert searches.select(half).source_row.tolist() == searches.source_row[half].tolist()


def test_conditions_of_searches_from_comparisons_must_be_one_a_probe() -> None:
    columns = {"probe": ["p", "p", "q", "q"], "probe_subject": ["a", "a", "x", "x"], "score": [0.9, 0.1, 0.2, 0.3]}
    frame = pl.DataFrame(columns | {"reference_subject": ["a", "b"] * 2, "light": ["day", "day", "night", "night"]})
    made = ComparisonTable(frame, "s.csv")
    searches = bt.trials.searches_from_trials(made)
    found = conditions_of_searches(searches, made, ["light"])
    assert [found.names[code] for code in found.code] == ["day", "night"]
    mixed = ComparisonTable(frame.with_columns(light=pl.Series(["day", "night"] * 2)), "s.csv")
    with pytest.raises(InputError, match="2 probes, such as 'p', have comparisons of more than one light"):
        conditions_of_searches(searches, mixed, ["light"])
    with pytest.raises(InputError, match="has no metadata, so no conditions"):
        conditions_of_searches(searches, bt.TemplateTable(np.eye(2), ["a", "x"]), ["light"])
    with pytest.raises(InputError, match="the row of each search is unknown"):
        conditions_of_searches(bt.SearchSet.from_ranks([1]), made, ["light"])
    with pytest.raises(InputError, match="1 conditions for 2 trials; expected one each"):
        bt.analysis.by_condition(searches, {"light": ["day"]}, "RR")


@given(st.integers(2, 5), st.integers(2, 4), st.integers(0, 99))
def test_d5_conditions_of_templates_against_looking_both_up(people, each, seed) -> None:
    """Mated comparisons first: of every two templates the conditions of both, in the order of their names."""
    rng = np.random.default_rng(seed)
    n = people * each
    light, age = rng.choice(["day", "night"], n).tolist(), [place % 10 for place in range(n)]
    names, old = rng.permutation([f"s{place}" for place in range(n)]), [value >= 2 for value in age]
    frame = pl.DataFrame({"light": light, "age": age})
    table = bt.TemplateTable(rng.normal(size=(n, 4)), np.repeat(range(people), each), sample=names, metadata=frame)
    scores = verification_trials(bt.Comparing.plan(table, "cosine"), [])
    found = conditions_of_templates(scores, table, ["light", "age:0,2,9"])
    row, bins = {name: place for place, name in enumerate(names.tolist())}, ["[0, 2)", "[2, 9]"]
    codes = np.split(found.code, [scores.mated.size])
    for ids, own in zip((scores.mated_ids, scores.nonmated_ids), codes, strict=True):
        for probe, reference, code in zip(ids.probe.tolist(), ids.reference.tolist(), own.tolist(), strict=True):
            pair = row[probe], row[reference]
            both = sorted({light[one] for one in pair}), sorted({bins[old[one]] for one in pair})
            assert found.names[code] == ", ".join("/".join(names) for names in both)
