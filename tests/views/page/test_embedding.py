"""The points of a curve that go into the page: exact at each of them, and few."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from views.page.cases import verified

import bertillon as bt
from bertillon.counting import count_comparisons
from bertillon.evaluation import Evaluation, plain
from bertillon.trials import compare, kept_of
from bertillon.views import MOST_VERTICES, ExplorerSystem, explorer_system, marked, points_each

score = st.one_of(st.integers(-4, 4).map(float), st.sampled_from([math.inf, -math.inf]))
small = st.lists(score, min_size=1, max_size=30)


def _assert_exact(evaluation: Evaluation, system: ExplorerSystem) -> None:
    for row, threshold in enumerate(system.threshold[:-1]):
        counted = evaluation.trials.outcomes(threshold)
        assert (system.false_match[row], system.false_nonmatch[row]) == (counted.false_match, counted.false_nonmatch)
    assert (system.false_match[-1], system.false_nonmatch[-1]) == (0, system.n_mated)  # rejects all


@pytest.mark.parametrize("rule", ["similarity", "distance"])
@given(mated=small, nonmated=small)
def test_counts_are_exact_at_every_kept_threshold_against_brute_force(
    rule: str, mated: list[float], nonmated: list[float]
) -> None:
    evaluation = bt.evaluate(bt.ScoreSet(mated, nonmated, rule=rule))
    system = explorer_system(evaluation, marked(evaluation), points=5)
    _assert_exact(evaluation, system)
    assert list(system.threshold) == sorted(system.threshold, reverse=rule == "distance")


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_named_points_are_kept_by_name(rule: str) -> None:
    evaluation = verified(rule=rule)
    system = explorer_system(evaluation, marked(evaluation), points=50)
    rows = {mark.name: mark.row for mark in system.marks}
    assert {"EER", "FMR=0.01", "FMR=0.001", "FMR=0.0001", "ZeroFMR", "ZeroFNMR"} <= set(rows)
    for name, measure in (("EER", "EER"), ("FMR=0.001", "FNMR@FMR=0.001"), ("ZeroFMR", "ZeroFMR")):
        assert system.threshold[rows[name]] == evaluation[measure].threshold
    assert system.false_nonmatch[rows["FMR=0.01"]] == evaluation["FNMR@FMR=0.01"].errors
    assert not system.whole
    _assert_exact(evaluation, system)


def test_zero_fmr_rejects_all_where_a_non_mated_score_is_infinite_by_hand() -> None:
    evaluation = bt.evaluate(bt.ScoreSet([1.0, math.inf], [0.0, math.inf]))
    system = explorer_system(evaluation, marked(evaluation))
    rows = {mark.name: mark.row for mark in system.marks}
    assert (system.false_match[rows["ZeroFMR"]], system.false_nonmatch[rows["ZeroFMR"]]) == (0, 2)


def test_a_short_curve_is_kept_whole() -> None:
    evaluation = bt.evaluate(bt.ScoreSet([2, 3], [1, 2]))
    assert explorer_system(evaluation, {}).whole
    assert explorer_system(evaluation, {}).threshold == (1.0, 2.0, 3.0, math.inf)


@given(cfa=st.integers(1, 1000), cfr=st.integers(1, 50), impostor=st.floats(0.001, 0.999))
def test_the_least_cost_is_among_the_kept_points_for_any_costs(cfa: int, cfr: int, impostor: float) -> None:
    """SPEC V10: the page's least cost is the library's, although the curve is thinned."""
    scores = verified().trials
    evaluation = bt.evaluate(scores, ["EER", f"minCost(cfa={cfa},cfr={cfr},impostor={impostor!r})"])
    system = explorer_system(evaluation, {}, points=20)
    costs = cfa * impostor * np.array(system.false_match) / system.n_nonmated
    costs += cfr * (1.0 - impostor) * np.array(system.false_nonmatch) / system.n_mated
    assert costs.min() == pytest.approx(evaluation.results[list(evaluation)[1]].value, rel=1e-12)


def test_many_scores_are_thinned_and_exact_at_named_points() -> None:
    """Beyond a million scores the curve is an outline; named points are counted directly."""
    rng = np.random.default_rng(4)
    scores = bt.ScoreSet(rng.normal(3.0, 1.0, 100_000), rng.normal(0.0, 1.0, 1_000_000))
    evaluation = bt.evaluate(scores)
    assert not evaluation.tally.curve.counts.complete
    system = explorer_system(evaluation, marked(evaluation))
    rows = [mark.row for mark in system.marks] + [100, 700, 1500]
    for row in rows:
        counted = evaluation.trials.outcomes(system.threshold[row])
        assert (system.false_match[row], system.false_nonmatch[row]) == (counted.false_match, counted.false_nonmatch)
    assert {mark.name: system.threshold[mark.row] for mark in system.marks}["EER"] == evaluation["EER"].threshold
    assert len(system.threshold) <= 2000 + MOST_VERTICES
    assert len(json.dumps(plain(asdict(system)))) < 300_000


def test_the_distribution_counts_every_score() -> None:
    """SPEC V9."""
    evaluation = verified()
    spread = explorer_system(evaluation, {}).distribution
    assert spread is not None
    assert (sum(spread.mated), sum(spread.nonmated)) == (300, 3000)
    edges = np.array(spread.edges)
    expected = np.histogram(kept_of(evaluation.trials).nonmated, bins=edges.size - 1, range=(edges[0], edges[-1]))[0]
    assert list(spread.nonmated) == expected.tolist()


def test_points_are_shared_out_among_systems() -> None:
    assert [points_each(n) for n in (0, 1, 8, 9, 100)] == [2000, 2000, 2000, 1777, 200]


def test_counted_comparisons_are_exact_where_they_were_counted() -> None:
    rng = np.random.default_rng(7)
    people = np.repeat(np.arange(30), 4)
    vectors = rng.normal(size=(30, 8))[people] + 0.5 * rng.normal(size=(120, 8))
    templates = bt.TemplateTable(vectors, people.astype(str), np.arange(120).astype(str))
    plan = bt.Comparing.plan(templates, bt.matcher("cosine"))
    kept, counted = bt.evaluate(compare(plan)), bt.evaluate(count_comparisons(plan))
    _assert_exact(kept, explorer_system(counted, marked(counted)))
