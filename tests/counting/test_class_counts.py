"""Losses, rows and sweeps of classifiers on a few samples, written out; the compiled paths beside the plain ones."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.counting import (
    LIMITS,
    BinaryCounts,
    BinaryTrials,
    areas_of,
    binary_losses,
    binary_trials,
    class_areas,
    class_losses,
    equal_mass,
    equal_width,
    read_rows,
    sweep,
    walk,
)

chances = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=9)


def test_what_was_called_impossible_is_counted_by_hand() -> None:
    """K7: a positive given 0 twice, a negative given 1 once; certain and right costs nothing."""
    found = binary_losses(BinaryTrials(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.5])))
    assert (found.impossible, found.log, found.total) == (3, math.inf, 6)
    assert found.square == pytest.approx(1 + 1 + 0 + 1 + 0 + 0.25)
    assert binary_losses(BinaryTrials(np.array([1.0]), np.array([0.0]))).impossible == 0


def test_weights_of_losses_by_hand() -> None:
    """A sample of weight 0 costs nothing, however wrong."""
    given, squares = np.array([0.0, 0.0, 0.5, 1.0]), np.array([2.0, 2.0, 0.5, 0.0])
    plain = class_losses(given, squares, None)
    assert (plain.impossible, plain.total, plain.log, plain.square) == (2, 4.0, math.inf, 4.5)
    assert class_losses(given[1:], squares[1:], None).impossible == 1
    weighted = class_losses(given, squares, np.array([0.0, 0.5, 2.0, 1.0]))
    assert (weighted.impossible, weighted.total, weighted.log, weighted.square) == (1, 3.5, math.inf, 2.0)
    possible = class_losses(given, squares, np.array([0.0, 0.0, 2.0, 1.0]))
    assert (possible.impossible, possible.total, possible.square) == (0, 3.0, 1.0)
    assert possible.log == pytest.approx(2 * math.log(2))


def test_what_weighs_nothing_is_not_called_impossible_by_hand() -> None:
    values = np.array([0.0, 0.5]), np.array([1.0, 0.5])
    for weights in ((0.0, 1.0), (1.0, 0.0)):
        both = np.array([weights[0], 1.0]), np.array([weights[1], 1.0])
        assert binary_losses(BinaryTrials(*values, *both)).impossible == 1


@given(chances, chances)
def test_compiled_losses_against_the_plain_ones(positives, negatives) -> None:
    trials = BinaryTrials(np.array(positives), np.array(negatives))
    plain = binary_losses(trials)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.classes, "classes_in_numpy_up_to", 0)
        compiled = binary_losses(trials)
    assert (compiled.log, compiled.square) == pytest.approx((plain.log, plain.square))
    assert (compiled.total, compiled.impossible) == (plain.total, plain.impossible)


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=6), st.data())
def test_rows_against_brute_force(rows, data) -> None:
    """The first of the most probable classes is the favourite; a class as probable as the true one stands before it."""
    truth = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    for small in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LIMITS.classes, "classes_in_numpy_up_to", small)
            found = read_rows(np.array(rows, dtype=float), np.array(truth))
        assert found.best.tolist() == [row.index(max(row)) for row in rows]
        assert found.top.tolist() == [max(row) for row in rows]
        assert found.true_probability.tolist() == [row[y] for row, y in zip(rows, truth, strict=True)]
        assert found.rank.tolist() == [
            sum(value >= row[y] for value in row) for row, y in zip(rows, truth, strict=True)
        ]
        assert found.squares.tolist() == [
            sum((value - (place == y)) ** 2 for place, value in enumerate(row))
            for row, y in zip(rows, truth, strict=True)
        ]
        assert found.best.dtype == found.rank.dtype == np.int64


@given(chances, chances, st.sampled_from([1, 2, 3, 100]))
def test_walking_in_pieces_against_the_whole_sweep(positives, negatives, piece) -> None:
    """Pieces share one row with their neighbour; the last one ends where nothing is accepted."""
    trials = BinaryTrials(np.sort(positives), np.sort(negatives), ordered=True)
    whole = sweep(trials)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.classes, "classes_in_numpy_up_to", 0)
        patch.setattr(LIMITS.classes, "sweep_rows", piece + 1)
        pieces = list(walk(trials))
    parts = [pieces[0], *(piece.at(np.arange(1, len(piece))) for piece in pieces[1:])]
    for name in ("threshold", "tp", "fp"):
        assert np.concatenate([getattr(part, name) for part in parts]).tolist() == getattr(whole, name).tolist()
    for before, after in pairwise(pieces):
        assert (before.threshold[-1], before.tp[-1], before.fp[-1]) == (after.threshold[0], after.tp[0], after.fp[0])
    assert all((part.n_mated, part.n_nonmated) == (len(positives), len(negatives)) for part in pieces)
    assert not any(part.complete for part in pieces)
    assert {column.dtype for part in pieces for column in (part.tp, part.fp)} == {np.dtype(np.int64)}


@given(chances, chances, st.sampled_from([0, 10**6]), st.booleans())
def test_what_is_not_both_large_and_in_order_is_walked_in_one_piece_against_the_sweep(
    positives, negatives, small, ordered
) -> None:
    """A piece is cut only from ordered scores; others are put in order as a whole, and that is the complete curve."""
    kinds = [np.sort(kind) if ordered else np.array(kind)[::-1] for kind in (positives, negatives)]
    trials = BinaryTrials(kinds[0], kinds[1], ordered=ordered)
    whole = sweep(trials)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.classes, "classes_in_numpy_up_to", small)
        pieces = list(walk(trials))
    for name in ("threshold", "tp", "fp"):
        assert getattr(pieces[0], name).tolist() == getattr(whole, name).tolist()
    assert [piece.complete for piece in pieces] == [small > 0 or not ordered]


@given(chances, chances)
def test_sums_over_a_walk_against_brute_force(positives, negatives) -> None:
    """K5, K6: wins and ties; precision at each positive; the highest precision at 11 recalls."""
    trials = BinaryTrials(np.sort(positives), np.sort(negatives), ordered=True)
    doubled = sum(2 * (p > n) + (p == n) for p in positives for n in negatives)
    at = {t: (sum(p >= t for p in positives), sum(n >= t for n in negatives)) for t in {*positives, *negatives}}
    precision = {t: tp / (tp + fp) for t, (tp, fp) in at.items()}
    highest = {t: max(value for other, value in precision.items() if other <= t) for t in at}
    eleven = [
        max((value for t, value in precision.items() if at[t][0] / len(positives) >= level), default=0.0)
        for level in [place / 10 for place in range(11)]
    ]
    for small in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LIMITS.classes, "classes_in_numpy_up_to", small)
            found = areas_of(trials)
        assert found.doubled_wins == doubled
        assert (found.positives, found.negatives) == (len(positives), len(negatives))
        assert found.step == pytest.approx(sum(precision[p] for p in positives) / len(positives))
        assert found.interpolated == pytest.approx(sum(highest[p] for p in positives) / len(positives))
        assert found.eleven_point == pytest.approx(sum(eleven) / 11)


def test_what_a_classifier_reads_of_error_counts_by_hand() -> None:
    found = BinaryCounts(np.array([0.1, 0.4, np.inf]), np.array([3, 1, 0]), np.array([0, 1, 2]), 2, 3, complete=False)
    assert (found.tp.tolist(), found.fp.tolist()) == ([2, 1, 0], [3, 1, 0])
    assert (found.total, found.complete, found.accepted.tolist()) == (5, False, [5, 2, 0])
    assert found.recall.tolist() == [1.0, 0.5, 0.0]
    assert found.fpr.tolist() == pytest.approx([1.0, 1 / 3, 0.0])
    assert found.cells(1) == (1, 1, 1, 2)
    assert math.isnan(found.precision[2])


def test_weighted_sweeps_by_hand() -> None:
    """Weights add up from the strictest threshold down, ties together."""
    found = sweep(BinaryTrials(np.array([0.5, 0.9]), np.array([0.5, 0.1]), np.array([2.0, 0.5]), np.array([1.0, 4.0])))
    assert found.threshold.tolist() == [0.1, 0.5, 0.9, math.inf]
    assert found.tp.tolist() == [2.5, 2.5, 0.5, 0.0]
    assert found.fp.tolist() == [5.0, 1.0, 0.0, 0.0]
    assert (found.n_mated, found.n_nonmated) == (2.5, 5.0)
    assert (found.fnmr.tolist(), found.fmr.tolist()) == ([0.0, 0.0, 0.8, 1.0], [1.0, 0.2, 0.0, 0.0])
    assert found.at(np.array([1, 3])).tp.tolist() == [2.5, 0.0]
    nothing = sweep(BinaryTrials(*(np.empty(0) for _ in range(4))))
    assert (nothing.threshold.tolist(), nothing.tp.tolist()) == ([math.inf], [0.0])


def test_accepted_weights_keep_their_last_digit() -> None:
    """100.1 less what is rejected is no longer 0.1."""
    found = sweep(BinaryTrials(np.array([1.0, 2.0]), np.array([0.0]), np.array([100.0, 0.1]), np.ones(1)))
    assert found.tp.tolist() == [100.1, 100.1, 0.1, 0.0]
    assert (found.n_mated - found.false_nonmatch)[2] != 0.1


def test_samples_of_weight_zero_are_left_out_by_hand() -> None:
    trials = binary_trials(
        np.array([0.1, 0.2, 0.3, 0.4]), np.array([1, 1, 0, 0]), 1, weights=np.array([0.0, 2.0, 3.0, 0.0])
    )
    assert (trials.mated.tolist(), trials.nonmated.tolist()) == ([0.2], [0.3])
    assert (trials.mated_total, trials.nonmated_total, trials.size) == (2.0, 3.0, 2)


def test_compiled_sums_in_blocks_against_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """More samples than two blocks of the loops hold."""
    rng = np.random.default_rng(8)
    positives, negatives = np.sort(rng.random(9001)), np.sort(rng.random(8777))
    trials = BinaryTrials(positives, negatives, ordered=True)
    plain = areas_of(trials)
    monkeypatch.setattr(LIMITS.classes, "classes_in_numpy_up_to", 0)
    losses, areas = binary_losses(trials), areas_of(trials)
    assert losses.log == pytest.approx(-np.log(positives).sum() - np.log1p(-negatives).sum(), rel=1e-12)
    assert losses.square == pytest.approx(np.square(1 - positives).sum() + np.square(negatives).sum(), rel=1e-12)
    assert (areas.step, areas.interpolated, areas.eleven_point) == pytest.approx(
        (plain.step, plain.interpolated, plain.eleven_point), rel=1e-12
    )
    assert areas.doubled_wins == plain.doubled_wins


@given(chances, chances, st.sampled_from([1, 2, 3, 4, 10]))
def test_bins_of_equal_width_against_brute_force(positives, negatives, bins) -> None:
    """K8: a probability on an edge belongs to the bin below it, 0 to the first; compiled or not."""
    edges = [number / bins for number in range(bins + 1)]
    expected = [[0, 0, 0.0] for _ in range(bins)]
    for positive, values in ((1, positives), (0, negatives)):
        for value in values:
            place = next(b for b in range(bins) if value <= edges[b + 1])
            expected[place] = [a + b for a, b in zip(expected[place], (1, positive, value), strict=True)]
    for small in (0, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LIMITS.classes, "classes_in_numpy_up_to", small)
            found = equal_width(BinaryTrials(np.array(positives), np.array(negatives)), bins)
        assert found.count.tolist() == [count for count, _, _ in expected]
        assert found.positives.tolist() == [true for _, true, _ in expected]
        assert found.count.dtype == found.positives.dtype == found.probability_sum.dtype == np.float64
        filled = [row for row in expected if row[0]]
        assert found.mean[found.filled].tolist() == pytest.approx([said / count for count, _, said in filled])
        assert (found.low.tolist(), found.high.tolist()) == (pytest.approx(edges[:-1]), pytest.approx(edges[1:]))


def test_bins_of_equal_mass_by_hand() -> None:
    """Six samples in three bins: two each, and equal probabilities stay together."""
    trials = BinaryTrials(np.array([0.1, 0.4, 0.9]), np.array([0.2, 0.4, 0.8]))
    found = equal_mass(sweep(trials), 3)
    assert (found.low.tolist(), found.high.tolist()) == ([0.1, 0.4, 0.8], [0.2, 0.4, 0.9])
    assert (found.count.tolist(), found.positives.tolist()) == ([2, 2, 2], [1, 1, 1])
    assert found.mean.tolist() == pytest.approx([0.15, 0.4, 0.85])


def test_weights_in_bins_of_equal_mass_by_hand() -> None:
    """The middle of what a probability weighs says where it goes: however heavy, however light, and whatever all is."""
    heavy = BinaryTrials(np.array([0.9]), np.array([0.2]), np.array([0.18]), np.array([0.02]))
    found = equal_mass(sweep(heavy), 3)
    assert found.count.tolist() == [0.02, 0.18, 0.0]
    assert (found.low[:2].tolist(), found.high[:2].tolist()) == ([0.2, 0.9], [0.2, 0.9])
    light = BinaryTrials(np.array([0.9]), np.array([0.2]), np.array([1e-20]), np.array([1.0]))
    assert equal_mass(sweep(light), 2).count.tolist() == [0.0, 1.0]  # as much as lies below it is all there is


def test_rates_of_a_class_that_is_not_there_are_undefined_by_hand() -> None:
    found = sweep(BinaryTrials(np.array([0.3, 0.6]), np.empty(0)))
    assert found.fpr.dtype == np.float64
    assert np.isnan(found.fpr).tolist() == [True, True, True]
    assert found.recall.tolist() == [1.0, 0.5, 0.0]


def test_areas_of_many_classes_against_brute_force() -> None:
    """More classes than are read together, twice over."""
    rng = np.random.default_rng(4)
    truth, matrix = np.arange(60) % 20, rng.integers(0, 4, (60, 20)) / 4
    found = class_areas(matrix, truth, None)
    for code in range(20):
        own, others = matrix[truth == code, code], matrix[truth != code, code]
        won = (own[:, None] > others).sum() + 0.5 * (own[:, None] == others).sum()
        assert found.vs_rest[code] == pytest.approx(won / (own.size * others.size))


def test_a_threshold_of_zero_has_no_sign_by_hand() -> None:
    """0.0 and -0.0 are one probability, shown as 0."""
    trials = BinaryTrials(np.array([-0.0]), np.array([0.0]), np.array([1.0]), np.array([2.0]))
    found = sweep(trials)
    assert [str(threshold) for threshold in found.threshold.tolist()] == ["0.0", "inf"]


@given(st.lists(st.tuples(st.integers(-20, 20), st.booleans()), min_size=1, max_size=60), st.integers(1, 4))
def test_scores_sorted_by_buckets_against_sorting(rows, bits) -> None:
    """However many scores fall into a bucket, and into the first and the last one too."""
    scores, codes = np.array([score for score, _ in rows]) / 8, np.array([own for _, own in rows], dtype=np.int8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.classes, "classes_in_numpy_up_to", 0)
        patch.setattr(LIMITS.classes, "bucket_bits", bits)
        trials = binary_trials(scores, codes, 1, ordered=True)
    assert trials.mated.tolist() == sorted(scores[codes == 1].tolist())
    assert trials.nonmated.tolist() == sorted(scores[codes == 0].tolist())


@pytest.mark.parametrize("small", [0, 10**6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_classes_are_set_apart_in_their_order_and_type_by_hand(small, dtype, monkeypatch) -> None:
    """Only where they are to be walked are many scores sorted."""
    monkeypatch.setattr(LIMITS.classes, "classes_in_numpy_up_to", small)
    scores, codes = np.array([0.75, 0.25, 0.5, 0.125, 1.0], dtype=dtype), np.array([1, 0, 1, 1, 0])
    trials = binary_trials(scores, codes, 1)
    assert (trials.mated.tolist(), trials.nonmated.tolist()) == ([0.75, 0.5, 0.125], [0.25, 1.0])
    assert not trials.ordered
    ordered = binary_trials(scores, codes, 1, ordered=True)
    assert sorted(ordered.mated.tolist()) == [0.125, 0.5, 0.75]
    assert ordered.ordered == (small == 0)
    if ordered.ordered:
        assert (ordered.mated.tolist(), ordered.nonmated.tolist()) == ([0.125, 0.5, 0.75], [0.25, 1.0])
    for found in (trials, ordered):
        assert found.mated.dtype == found.nonmated.dtype == dtype
