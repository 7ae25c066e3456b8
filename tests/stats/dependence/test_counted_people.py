"""Intervals by subject of counted comparisons, against those of the same comparisons kept with their ids (U1)."""

from __future__ import annotations

import numpy as np
import pytest
from counting.few_kept import keep_few
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.core import InputError
from bertillon.counting import CountedScores, PlannedComparisons, count_comparisons, outcomes_on
from bertillon.io import make_templates
from bertillon.matching import AllAgainstAll, Partition, ProbeVersusGallery, matcher
from bertillon.stats import DependentRate, KeptRoster, roster_of
from bertillon.trials import compare

THRESHOLDS = (0.95, 0.8, 0.5, 0.0)
AT = [f"{rate}@t={threshold:g}" for rate in ("FMR", "FNMR") for threshold in THRESHOLDS]
RESAMPLED = ["EER", "FNMR@FMR=0.01", "FMR@FNMR=0.1", "AUC", "dprime"]


def plan(pairing, *, people: int = 60, each: int = 4, how: str = "cosine", fails: bool = False) -> bt.Comparing:
    rng = np.random.default_rng(1)
    centre = rng.normal(size=(people, 1, 8)) + 0.8
    vectors = (centre + 0.5 * rng.normal(size=(people, each, 8))).reshape(-1, 8)
    if fails:
        vectors[3] = 0.0  # no direction
    table = make_templates(vectors, np.repeat(np.arange(people), each))
    if isinstance(pairing, AllAgainstAll):
        return bt.Comparing.plan(table, matcher(how), pairing)
    role = np.where(np.arange(len(table)) % 3 == 0, "gallery", "probe")
    partition = Partition(table.sample, table.subject, role)
    return bt.Comparing.plan(table, matcher(how), pairing, partition=partition)


def both(comparing: bt.Comparing, measures) -> tuple[dict, dict]:
    """Intervals of kept and of counted comparisons."""
    thresholds = THRESHOLDS if comparing.matcher.name == "cosine" else tuple(t + 2 for t in THRESHOLDS)
    named = [name if "@t" not in name else f"{name.split('=')[0]}={thresholds[i % 4]:g}" for i, name in measures]
    kept = bt.evaluate(compare(comparing), named)
    counted = bt.evaluate(count_comparisons(comparing, thresholds, tile=64), named)
    return tuple(found.with_intervals(resamples=300).intervals for found in (kept, counted))


@pytest.mark.parametrize("pairing", [AllAgainstAll(), AllAgainstAll(unique=True), ProbeVersusGallery()], ids=repr)
@pytest.mark.parametrize("how", ["cosine", "euclidean"])
def test_rates_at_a_threshold_against_kept_scores(pairing, how) -> None:
    kept, counted = both(plan(pairing, how=how), enumerate(AT))
    for name, expected in kept.items():
        found = counted[name]
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9), name
        assert (found.method, found.naive, found.reason) == (expected.method, False, expected.reason)


@pytest.mark.parametrize("pairing", [AllAgainstAll(), ProbeVersusGallery()], ids=repr)
def test_resampled_measures_against_kept_scores(pairing) -> None:
    """The same people are drawn; only the cuts between which scores are taken as one differ a little."""
    kept, counted = both(plan(pairing), enumerate(RESAMPLED))
    for name, expected in kept.items():
        found = counted[name]
        width = expected.high - expected.low
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.02 * width), name
        assert (found.method, found.naive) == (expected.method, False)


def far_apart() -> bt.Comparing:
    """Distances of most non-mated comparisons lie far beyond those of all mated ones, where no cell tells them apart.

    They are whole numbers, so that no product rounds them another way.
    """
    rng = np.random.default_rng(3)
    vectors = 6 * rng.integers(-4, 5, size=(40, 1, 6)) + rng.integers(-3, 4, size=(40, 4, 6))
    table = make_templates(vectors.reshape(-1, 6).astype(np.float64), np.repeat(np.arange(40), 4))
    return bt.Comparing.plan(table, matcher("manhattan"))


@pytest.mark.parametrize("kept", ["all", "some"])
def test_means_of_scores_that_no_cell_tells_apart_against_kept_scores(kept, monkeypatch) -> None:
    """Where all comparisons are kept the intervals are those of memory; where some are, a part of the width away."""
    if kept == "some":
        keep_few(monkeypatch, kept=100, share=0.02, tail=180, sampled=4000)
    names = ["dprime", "dprime[sum]", "FRatio", *(["EER", "AUC"] if kept == "all" else [])]
    expected, found = both(far_apart(), enumerate(names))
    for name, one in expected.items():
        near = 1e-9 if kept == "all" else 0.2 * (one.high - one.low)
        assert (found[name].low, found[name].high) == pytest.approx((one.low, one.high), abs=near), name


def test_failed_comparisons_have_no_part_in_it_against_kept_scores() -> None:
    kept, counted = both(plan(AllAgainstAll(), fails=True), enumerate(AT))
    for name, expected in kept.items():
        assert (counted[name].low, counted[name].high) == pytest.approx((expected.low, expected.high), rel=0.01), name


@pytest.mark.parametrize("how", ["cosine", "euclidean"])
def test_some_people_stand_for_all_against_kept_scores(how, monkeypatch) -> None:
    """A third of the highest and a seventh of the rest were kept: the ends move by a part of the width."""
    keep_few(monkeypatch, kept=100, share=0.02, tail=180, sampled=4000)
    kept, counted = both(plan(AllAgainstAll(), how=how), enumerate([*AT, *RESAMPLED]))
    for name, expected in kept.items():
        found, width = counted[name], expected.high - expected.low
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.25 * width), name
        assert not found.naive


def false_match_rate(counted: CountedScores, threshold: float) -> DependentRate:
    errors = outcomes_on(counted.tally.errors, counted.rule, threshold).false_match
    return KeptRoster(counted.people, counted.rule, counted.tally.errors.n_nonmated).rate(threshold, errors)


@pytest.mark.parametrize("threshold", [0.6, -0.3])
def test_the_chance_of_being_kept_adds_nothing_on_average(threshold, monkeypatch) -> None:
    """The variance from some of the comparisons, over many ways to draw them, is that from all; also where most err."""
    comparing = plan(AllAgainstAll(unique=True), people=30)
    whole = count_comparisons(comparing, [threshold], tile=64)
    expected = false_match_rate(whole, threshold)
    keep_few(monkeypatch, kept=100, share=0.05, tail=150, sampled=2000)
    original, found = np.random.default_rng, []
    for seed in range(40):
        monkeypatch.setattr(np.random, "default_rng", lambda place, seed=seed: original([seed, *np.atleast_1d(place)]))
        counted = count_comparisons(comparing, [threshold], tile=64)
        found.append(false_match_rate(counted, threshold).variance)
    assert np.mean(found) == pytest.approx(expected.variance, rel=0.1)
    assert 0.0 < np.std(found) < 0.4 * expected.variance


@given(
    probes=st.lists(st.integers(0, 3), min_size=2, max_size=6),
    gallery=st.lists(st.integers(0, 3), min_size=2, max_size=6),
    square=st.sampled_from(["once", "both ways", "no"]),
)
def test_who_met_whom_against_listing_it(probes, gallery, square) -> None:
    n = min(len(probes), len(gallery))
    left, right = np.array(probes[:n]), np.array(gallery[:n] if square == "no" else probes[:n])
    planned = PlannedComparisons(left, right, once=square == "once")
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b for _ in range(left[a] * right[b])]
    if square == "once":
        pairs = [pair for pair in pairs if pair[0] < pair[1]]
    if not pairs:
        assert planned.of_person.sum() == 0
        return
    roster = roster_of(*(np.array(side) for side in zip(*pairs, strict=True)))
    met = planned.of_person[planned.of_person > 0]
    assert sorted(met.tolist()) == sorted(roster.trials[roster.trials > 0].tolist())
    assert planned.squares_of_pairs == int((roster.pair_trials**2).sum())
    assert planned.disjoint_pairs == roster.disjoint


def test_two_stage_resampling_is_refused() -> None:
    counted = count_comparisons(plan(AllAgainstAll(), people=5))
    with pytest.raises(InputError, match="sample of every comparison"):
        bt.evaluate(counted, ["EER"]).with_intervals(method="two-stage")
