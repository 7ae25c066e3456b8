"""E8: each compiled loop that meets scores and thresholds, on scores full of ties, against `AcceptRule.accepts`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.core import AcceptRule
from bertillon.counting import (
    LIMITS,
    BinaryCounts,
    CellCounter,
    Grid,
    cells_of,
    count_every_threshold,
    count_sought,
    first_pass,
    refine,
)
from bertillon.counting.classes import one_vs_rest
from bertillon.trials import ScoreStream

tied = st.lists(st.integers(-3, 3), min_size=1, max_size=12).map(lambda scores: np.array(scores, dtype=float))
rules = st.sampled_from(AcceptRule)
kinds = st.sampled_from([np.float64, np.float32])
THRESHOLDS = np.arange(-4, 5) / 1.0


def assert_as_the_rule_says(counts: BinaryCounts, rule: AcceptRule, mated: np.ndarray, nonmated: np.ndarray) -> None:
    """At every finite threshold of the curve as many pass as the rule accepts."""
    assert counts.threshold[-1] == np.inf
    finite = np.isfinite(counts.threshold)
    for oriented, wrong, missed in zip(
        counts.threshold[finite], counts.false_match[finite], counts.false_nonmatch[finite], strict=True
    ):
        threshold = rule.restore(oriented)
        assert wrong == np.count_nonzero(rule.accepts(nonmated, threshold))
        assert missed == mated.size - np.count_nonzero(rule.accepts(mated, threshold))


def everywhere(outline: BinaryCounts) -> np.ndarray:
    return np.arange(len(outline))


@given(tied, tied, rules, kinds)
def test_merging_sorted_scores_against_the_rule(mated, nonmated, rule, kind):
    mated, nonmated = mated.astype(kind), nonmated.astype(kind)
    counts = count_every_threshold(rule.orient(mated), rule.orient(nonmated), compiled=True)
    assert len(counts) == np.unique(np.concatenate([mated, nonmated])).size + 1
    assert_as_the_rule_says(counts, rule, mated, nonmated)


@given(tied, tied, rules, kinds, st.sampled_from([1, 3, 16]))
def test_binning_and_gathering_keys_against_the_rule(mated, nonmated, rule, kind, bits):
    mated, nonmated = mated.astype(kind), nonmated.astype(kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.memory, "bin_bits", bits)
        found = count_sought(mated, nonmated, [everywhere], sign=rule.factor)
    assert len(found.exact) == np.unique(np.concatenate([mated, nonmated])).size + 1
    assert_as_the_rule_says(found.exact, rule, mated, nonmated)
    assert_as_the_rule_says(found.outline, rule, mated, nonmated)


@given(tied, tied, rules, kinds, st.sampled_from([-np.inf, -1.0, 0.0, 2.0, np.inf]), st.integers(0, 2))
def test_counting_into_cells_against_the_rule(mated, nonmated, rule, kind, keep_from, mates):
    """With `mates` some of the block are mated pairs, which are passed over one by one."""
    mated, nonmated = mated.astype(kind), nonmated.astype(kind)
    counter = CellCounter(Grid.around(mated, rule, thresholds=[1.0], keep_from=keep_from))
    block = np.concatenate([np.zeros(mates, dtype=kind), nonmated])[None, :]
    owners = np.concatenate([np.zeros(mates, dtype=np.int64), np.ones(nonmated.size, dtype=np.int64)])
    kept = counter.add(block, np.zeros(1, dtype=np.int64), owners)
    assert_as_the_rule_says(counter.tally(mated, 0).errors, rule, mated, nonmated)
    wanted = np.flatnonzero(rule.accepts(nonmated, rule.restore(keep_from))) if keep_from < np.inf else []
    assert kept.tolist() == [mates + place for place in wanted]


@pytest.mark.parametrize("compiled", [True, False])
@given(tied, rules, kinds)
def test_finding_weighted_cells_against_the_rule(compiled, scores, rule, kind):
    """A score is in cell c or a higher one exactly where it passes cut c."""
    scores = scores.astype(kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.weights, "weigh_in_numpy_up_to", 0 if compiled else 10**9)
        cells = cells_of(scores, rule, THRESHOLDS)
    for place, cut in enumerate(THRESHOLDS):
        assert np.array_equal(cells >= place, rule.accepts(scores, rule.restore(cut)))


@given(tied, tied, kinds, st.sampled_from([1, 2, 5]))
def test_walking_a_classifier_against_the_rule(positives, negatives, kind, piece):
    scores = np.concatenate([positives, negatives]).astype(kind)
    truth = (np.arange(scores.size) < positives.size).astype(np.int64)
    rule = AcceptRule.SIMILARITY
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.classes, "classes_in_numpy_up_to", 0)
        patch.setattr(LIMITS.classes, "sweep_rows", piece + 1)
        trials = one_vs_rest.binary_trials(scores, truth, 1, ordered=True)
        pieces = list(one_vs_rest.walk(trials))
        areas = one_vs_rest.areas_of(trials)
    assert trials.ordered
    seen = []
    for part in pieces:
        for threshold, tp, fp in zip(part.threshold, part.tp, part.fp, strict=True):
            seen.append(threshold)
            assert tp == np.count_nonzero(rule.accepts(positives, threshold))
            assert fp == np.count_nonzero(rule.accepts(negatives, threshold))
    assert sorted(set(seen)) == [*np.unique(scores), np.inf]
    above = sum(2 * rule.accepts(positives, score).sum() - (positives == score).sum() for score in negatives)
    assert areas.doubled_wins == above


@given(tied, tied, rules, kinds, st.sampled_from([0, 3, 100]))
def test_passes_over_a_stream_against_the_rule(mated, nonmated, rule, kind, gathered):
    mated, nonmated = mated.astype(kind), nonmated.astype(kind)
    near = nonmated + np.where(nonmated == 1, kind(2**-20), kind(0))  # so that the bin of 1 hides several scores
    stream = ScoreStream([(mated, nonmated), (mated, near)], rule=rule)
    both = np.concatenate([mated, mated]), np.concatenate([nonmated, near])
    first = first_pass(stream)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.streams, "gathered_keys", gathered)
        counts = refine(stream, first, [everywhere], wins=False).spans.errors(first.dtype, first.failures)
    assert len(counts) == np.unique(np.concatenate(both)).size + 1
    assert_as_the_rule_says(counts, rule, *both)
