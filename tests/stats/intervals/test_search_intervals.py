"""Resamples and intervals of searches: against rows repeated one by one, and bounds without errors (U1, O1, C2)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bertillon.core import InputError
from bertillon.evaluation import evaluate
from bertillon.measures import IDENTIFICATION, Measure, NoInterval, Result, Spelling
from bertillon.stats import Settings, intervals_of, rate_by_subject, resampled, subject_weights
from bertillon.trials import SearchSet, SearchTally, simulate_searches

EVERY = IDENTIFICATION.parse_all(
    [
        *(definition.example for definition in IDENTIFICATION.definitions.values()),
        *("CMS[mean]@2", "DIR[top]@FPIR=0.3,k=2", "FNIR@t=5,k=2", "FPIR@DIR=0.2,k=1", "Misidentified@t=5"),
        *("Missed@t=6", "EERopen[nearest]", "SEL@t=6"),
    ]
)
DECIDED_BY_FEW = ("MeanRank", "AUC", "nAUC")


def whole_searches(rng: np.random.Generator, n: int, people: int, rule: str = "similarity") -> SearchSet:
    """Small whole numbers, so that ties are common."""
    enrolled = rng.random(n) < 0.6
    top = rng.integers(3, 9, n).astype(float)
    mate = np.where(enrolled, top - rng.integers(0, 4, n), np.nan)
    better = np.where(enrolled, (mate < top) * rng.integers(1, 4, n), -1)
    lost = enrolled & (rng.random(n) < 0.1)
    sign = 1.0 if rule == "similarity" else -1.0
    others = np.sort(top[~enrolled, None] - rng.integers(0, 4, (int((~enrolled).sum()), 3)), axis=1)[:, ::-1]
    return SearchSet(
        enrolled,
        np.where(lost, np.nan, sign * mate),
        np.where(lost, -1, better),
        np.where(enrolled & ~lost, rng.integers(0, 2, n), 0),
        sign * top,
        sign * top,
        gallery_size=10,
        rule=rule,
        others=sign * others,
        probe_subject=np.array([f"s{i}" for i in rng.integers(people, size=n)]),
        average_precision=np.where(enrolled, rng.random(n), np.nan),
    )


def copied(searches: SearchSet, times: NDArray[np.int64]) -> SearchSet:
    """Each search as often as it was taken."""
    rows = np.repeat(np.arange(len(searches)), times)
    names = (
        "enrolled",
        "mate_score",
        "n_better",
        "n_equal",
        "top_score",
        "top_other",
        "probe_subject",
        "average_precision",
    )
    assert searches.others is not None
    return replace(
        searches,
        **{name: getattr(searches, name)[rows] for name in names},
        others=np.repeat(searches.others, times[~searches.enrolled], axis=0),
    )


def brute_force(searches: SearchSet, resamples: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    people, who = np.unique(searches.probe_subject, return_inverse=True)
    values, thresholds = [], []
    for weights in subject_weights(people.size, resamples, seed=seed).astype(np.int64):
        evaluation = evaluate(copied(searches, weights[who]), EVERY)
        results = [evaluation[measure] for measure in EVERY]
        values.append([result.value for result in results])
        thresholds.append([np.nan if result.threshold is None else result.threshold for result in results])
    return np.array(values), np.array(thresholds)


@given(seed=st.integers(0, 10**6), people=st.integers(2, 8), rule=st.sampled_from(["similarity", "distance"]))
@settings(max_examples=12)
def test_every_measure_against_brute_force(seed: int, people: int, rule: str) -> None:
    searches = whole_searches(np.random.default_rng(seed), 40, people, rule)
    found = resampled(searches, EVERY, Settings(resamples=20, seed=seed))
    values, thresholds = brute_force(searches, 20, seed)
    np.testing.assert_allclose(found.values, values, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found.thresholds, thresholds)
    assert (str(found.unit), found.naive, found.pair_values) == ("subjects", False, None)


def test_without_subjects_each_probe_is_a_unit() -> None:
    searches = replace(whole_searches(np.random.default_rng(1), 50, 9), probe_subject=None)
    found = resampled(searches, EVERY[:3], Settings(resamples=20))
    assert (str(found.unit), found.naive, found.n_units) == ("probes (no subject IDs)", True, 50)
    with pytest.raises(InputError, match="two-stage resampling is known for 1:1 comparisons only"):
        resampled(searches, EVERY[:3], Settings(method="two-stage"))


def test_every_measure_has_an_interval_that_holds_its_value() -> None:
    searches = simulate_searches(subjects=40, strangers=40, probes=3, gallery=60, dprime=3, rng=1).searches
    evaluation = evaluate(searches, EVERY)
    found = intervals_of(searches, EVERY, evaluation.results, Settings(resamples=60))
    for name, interval in found.items():
        value = evaluation[name].value
        if isinstance(IDENTIFICATION.parse(name).interval(evaluation[name]), NoInterval) or name in DECIDED_BY_FEW:
            assert interval.reason, name
            continue
        assert interval.holds(value) if not math.isnan(value) else interval.reason == evaluation[name].reason
    assert {found[name].claim for name in DECIDED_BY_FEW} == {"none"}


def test_proportions_have_a_formula() -> None:
    searches = simulate_searches(subjects=30, strangers=20, probes=3, gallery=60, dprime=3, rng=4).searches
    asked = IDENTIFICATION.parse_all(["RR", "DIR@t=3,k=1", "FNIR@t=3,k=1", "FPIR@t=3"])
    evaluation = evaluate(searches, asked)
    found = intervals_of(searches, asked, evaluation.results)
    who, enrolled = searches.probe_subject, searches.enrolled
    missed = rate_by_subject(who[enrolled], searches.ranks() > 1).interval()
    assert (found["RR"].low, found["RR"].high) == (1 - missed.high, 1 - missed.low)
    alarms = rate_by_subject(who[~enrolled], searches.top_score[~enrolled] >= 3).interval()
    assert found["FPIR@t=3"] == alarms
    assert found["DIR@t=3,k=1"].low == 1 - found["FNIR@t=3,k=1"].high
    naive = intervals_of(replace(searches, probe_subject=None), asked, evaluation.results)["RR"]
    assert naive.naive
    assert str(naive.method) == "clopper-pearson"


def test_no_error_gives_bounds() -> None:
    searches = simulate_searches(subjects=30, strangers=30, probes=2, gallery=40, dprime=30, rng=1).searches
    names = ["RR", "CMS@5", "MeanRank", "MedianRank", "MRR", "nAUC", "AUC", "EERopen", "AUCopen", "DIR@FPIR=0.1,k=1"]
    evaluation = evaluate(searches, names)
    found = intervals_of(searches, IDENTIFICATION.parse_all(names), evaluation.results, Settings(resamples=40))
    missed = 1 - found["RR"].low
    assert 0.03 < missed < 0.3
    assert found["MeanRank"].high == pytest.approx(1 + missed * 39)
    assert found["MedianRank"].high == 1.0
    assert found["nAUC"].low == pytest.approx(1 - missed * 39 / 40)
    assert found["AUC"].low == pytest.approx(40 - missed * 39)
    assert found["EERopen"].high == pytest.approx(missed, abs=0.1)
    assert found["AUCopen"].low < 1 - missed + 1e-9
    assert found["DIR@FPIR=0.1,k=1"].high == 1.0
    for name, interval in found.items():
        assert (interval.low < interval.high and interval.reason is not None) or name == "MedianRank"


def test_median_rank_by_hand() -> None:
    """The ranks at which the interval of the share that reaches them begins and ceases to hold one half."""
    searches = SearchSet.from_ranks(np.arange(1, 21), gallery_size=50)
    evaluation = evaluate(searches, ["MedianRank"])
    found = intervals_of(searches, IDENTIFICATION.parse_all(["MedianRank"]), evaluation.results)["MedianRank"]
    assert (found.low, found.high) == (6.0, 15.0)  # Clopper-Pearson: 5 of 20 ends below one half, 15 of 20 begins above
    assert str(found.method) == "clopper-pearson"


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_where_resampling_is_asked_for_searches_that_all_go_one_way_have_their_formula(method: str) -> None:
    searches = simulate_searches(subjects=30, strangers=30, probes=2, gallery=40, dprime=30, rng=1).searches
    asked = IDENTIFICATION.parse_all(["DIR@t=10,k=1", "FNIR@t=10,k=1", "FPIR@t=10", "Missed@t=10"])
    evaluation = evaluate(searches, asked)
    assert {result.value for result in evaluation.results.values()} == {0.0, 1.0}
    formula = intervals_of(searches, asked, evaluation.results)
    assert intervals_of(searches, asked, evaluation.results, Settings(resamples=40, method=method)) == formula


def test_a_median_that_no_resample_changes_says_so() -> None:
    searches = SearchSet.from_ranks([1] * 30, gallery_size=50)
    evaluation = evaluate(searches, ["MedianRank"])
    settings = Settings(resamples=40, method="percentile")
    found = intervals_of(searches, IDENTIFICATION.parse_all(["MedianRank"]), evaluation.results, settings)["MedianRank"]
    assert str(found.reason) == "every resample gives the same value"


class HitsBelow(Measure):
    """The share of mates with a rank below 3, by somebody who knows `of` and `spelling` only."""

    @property
    def spelling(self) -> Spelling:
        return Spelling("RR", "below3")

    def of(self, tally: Any) -> Result:
        return Result(float((tally.searches.ranks() < 3).mean()))


def test_a_measure_without_a_plan_is_resampled_also_where_no_error_was_made() -> None:
    clean = simulate_searches(subjects=30, strangers=30, probes=2, gallery=40, dprime=30, rng=1).searches
    usual = simulate_searches(subjects=30, strangers=30, probes=2, gallery=40, dprime=2, rng=1).searches
    for searches, reason in ((clean, "every resample gives the same value"), (usual, "None")):
        measure = HitsBelow()
        result = measure.of(SearchTally(searches))
        found = intervals_of(searches, [measure], {str(measure): result}, Settings(resamples=40))[str(measure)]
        assert str(found.reason) == reason


def test_few_strangers_bound_the_threshold() -> None:
    searches = simulate_searches(subjects=30, strangers=10, probes=1, gallery=40, dprime=3, rng=3).searches
    asked = IDENTIFICATION.parse_all(["DIR@FPIR=0.01,k=1", "FNIR@FPIR=0.01,k=1"])
    evaluation = evaluate(searches, asked)
    found = intervals_of(searches, asked, evaluation.results)
    assert found["DIR@FPIR=0.01,k=1"].low == 0.0
    assert found["FNIR@FPIR=0.01,k=1"].high == 1.0
    assert "too few errors at FPIR = 0.01 (0.1 expected)" in str(found["FNIR@FPIR=0.01,k=1"].reason)


def test_degenerate_searches_say_why() -> None:
    ranks_only = SearchSet.from_ranks([1, 2, 1, 5], gallery_size=10)
    evaluation = evaluate(ranks_only, ["RR", "DIR@t=1,k=1", "MeanRank", "MRR"])
    found = intervals_of(ranks_only, IDENTIFICATION.parse_all(evaluation), evaluation.results, Settings(resamples=40))
    assert str(found["DIR@t=1,k=1"].reason) == "the ranks of the mates are known, but not their scores"
    assert "few searches with a late rank decide" in str(found["MeanRank"].reason)
    one = replace(ranks_only, probe_subject=np.array(["a"] * 4))
    found = intervals_of(one, IDENTIFICATION.parse_all(evaluation), evaluation.results, Settings(resamples=40))
    assert "one subject" in str(found["RR"].reason)
    assert str(found["MRR"].reason) == "there is one unit to resample (subjects); at least two are needed"
