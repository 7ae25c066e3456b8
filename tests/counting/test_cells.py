"""Counting non-mated scores as they come gives the numbers of keeping them all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bertillon as bt
from bertillon.counting import CellCounter, Grid, Moments
from bertillon.counting.tiles import cells
from bertillon.measures import parse_all

EXACT = parse_all(
    [
        "EER",
        "EER[hull]",
        "EER[fvc]",
        "FNMR@FMR=0.3",
        "FNMR@FMR=0.01",
        "FMR@FNMR=0.2",
        "FMR@t=2",
        "ZeroFMR",
        "ZeroFNMR",
        "AUC",
        "KS",
        "minDCF(p=0.1)",
        "minCost(cfa=3,cfr=1,impostor=0.4)",
        "minCllr",
        "dprime",
        "FAR@t=2",
        "FTA",
    ]
)
small = st.integers(-4, 4)


@settings(deadline=None)
@given(
    mated=st.lists(small, min_size=1, max_size=8),
    nonmated=st.lists(st.one_of(small, st.just(math.nan), st.just(math.inf), st.just(-math.inf)), max_size=12),
    rule=st.sampled_from(list(bt.AcceptRule)),
    dtype=st.sampled_from([np.float32, np.float64]),
    cut=st.integers(0, 12),
)
def test_values_against_keeping_every_score(mated, nonmated, rule, dtype, cut) -> None:
    own, others = np.array(mated, dtype=dtype), np.array([nonmated], dtype=dtype)
    counter = CellCounter(Grid.around(own, rule, thresholds=[2.0]))
    for part in (others[:, :cut], others[:, cut:]):
        if part.size:
            counter.add(part, np.zeros(1, dtype=np.int64), np.ones(part.shape[1], dtype=np.int64))
    tally = counter.tally(own, 0)
    kept = bt.evaluate(bt.ScoreSet(own, others[0], rule=rule), EXACT)
    for measure in EXACT:
        value = measure.of(tally).value
        assert value == pytest.approx(kept[measure].value, rel=1e-9, abs=1e-9, nan_ok=True), str(measure)


@given(
    mated=st.lists(small, min_size=1, max_size=8),
    nonmated=st.lists(small, min_size=1, max_size=12),
    rule=st.sampled_from(list(bt.AcceptRule)),
)
def test_every_row_of_the_curve_against_brute_force(mated, nonmated, rule) -> None:
    """From one threshold that accepts all to one that rejects all, each row telling something new."""
    own, others = np.array(mated, dtype=float), np.array([nonmated], dtype=float)
    counter = CellCounter(Grid.around(own, rule))
    counter.add(others, np.zeros(1, dtype=np.int64), np.ones(others.size, dtype=np.int64))
    errors = counter.tally(own, 0).errors
    assert (np.diff(errors.threshold) > 0).all()
    rows = list(zip(errors.threshold, errors.false_match.tolist(), errors.false_nonmatch.tolist(), strict=True))
    for threshold, false_match, false_nonmatch in rows:
        assert false_match == (rule.orient(others) >= threshold).sum()
        assert false_nonmatch == (rule.orient(own) < threshold).sum()
    assert rows[0][1:] == (others.size, 0)
    assert rows[-1] == (math.inf, 0, own.size)
    assert len({row[1:] for row in rows}) == len(rows)


def test_thresholds_keep_their_promise_by_hand() -> None:
    """FMR <= .4 starts at the non-mated 2.5 when all are kept; any threshold above 2 and up to 3 has the same FNMR."""
    mated, others = np.array([1.0, 3.0, 5.0]), np.array([[0.0, 2.0, 2.5]])
    counter = CellCounter(Grid.around(mated, bt.AcceptRule.SIMILARITY))
    counter.add(others, np.zeros(1, dtype=np.int64), np.ones(3, dtype=np.int64))
    (measure,) = parse_all(["FNMR@FMR=0.4"])
    found = measure.of(counter.tally(mated, 0))
    assert found.value == pytest.approx(1 / 3)
    assert 2.0 < found.threshold <= 3.0
    assert bt.counting.outcomes(bt.ScoreSet(mated, others[0]), found.threshold).false_match <= 1


def test_pairs_of_one_owner_are_passed_over_and_weights_count() -> None:
    block = np.array([[9.0, 1.0], [2.0, 9.0]])
    counter = CellCounter(Grid.around(np.array([5.0]), bt.AcceptRule.SIMILARITY))
    counter.add(block, np.array([7, 8]), np.array([7, 8]), twice=True)
    assert counter.cells.sum() == 4
    tally = counter.tally(np.array([5.0]), 0)
    assert tally.errors.n_nonmated == 4
    assert tally.errors.fmr.max() == 1.0
    assert tally.nonmated_moments == Moments(4, 1.5, 1.0)


@pytest.mark.parametrize("place", range(9))
def test_a_score_as_low_as_the_worst_mated_one_is_accepted_with_it_by_hand(place: int) -> None:
    """Eight scores are looked at together: the one that lies as high as the mated one is found among the others."""
    row = np.zeros((1, 9))
    row[0, place] = 1.0
    counter = CellCounter(Grid.around(np.array([1.0, 2.0]), bt.AcceptRule.SIMILARITY))
    counter.add(row, np.array([0]), np.arange(1, 10))
    (measure,) = parse_all(["FMR@FNMR=0"])
    assert measure.of(counter.tally(np.array([1.0, 2.0]), 0)).errors == 1
    assert counter.cells.sum() == 9


def test_scores_beyond_every_step_are_counted_without_mated_ones_by_hand() -> None:
    """Without mated scores there is nothing to cut around, and steps go from 0 to some thousands."""
    counter = CellCounter(Grid.around(np.empty(0), bt.AcceptRule.SIMILARITY))
    counter.add(np.array([[-5.0, 0.5, 1e9]]), np.array([0]), np.array([1, 2, 3]))
    assert counter.cells.sum() == 3
    assert counter.cells[-1] == 1


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0, 0)])
def test_a_block_of_nothing_adds_nothing_by_hand(shape: tuple[int, int]) -> None:
    counter = CellCounter(Grid.around(np.array([1.0, 2.0]), bt.AcceptRule.SIMILARITY))
    rows, columns = (np.arange(length) for length in shape)
    assert counter.add(np.empty(shape), rows, columns).size == 0
    assert (counter.cells.sum(), counter.failed, counter.moments.n) == (0, 0, 0)


def test_failures_of_both_classes_are_told_by_hand() -> None:
    """V11: what failed is counted apart, and a curve from cells does not hold every score as a threshold."""
    mated = np.array([1.0, 3.0])
    counter = CellCounter(Grid.around(mated, bt.AcceptRule.SIMILARITY))
    counter.add(np.array([[math.nan, 2.0, math.nan]]), np.array([0]), np.array([1, 2, 3]), twice=True)
    tally = counter.tally(mated, 3)
    assert (tally.errors.failed_mated, tally.errors.failed_nonmated) == (3, 4)
    assert (tally.failures.mated, tally.failures.nonmated) == (3, 4)
    assert tally.errors.complete is False
    assert counter.cells.dtype == np.int64


@pytest.mark.parametrize(
    "mated", [[], [0.0], [-0.0, 0.0], [2.0, 1.0, 2.0], [math.inf, -math.inf], [1e300, -1e300], [np.finfo(float).max]]
)
def test_a_grid_cuts_once_at_each_place_by_hand(mated: list[float]) -> None:
    """Cuts ascend, zero has no sign, and the table of steps begins before the first cut and ends after the last."""
    grid = Grid.around(np.array(mated), bt.AcceptRule.SIMILARITY, thresholds=[2])
    assert (np.diff(grid.cuts) > 0).all()
    assert not np.signbit(grid.cuts[grid.cuts == 0]).any()
    assert (grid.start[0], grid.start[-1]) == (0, grid.cuts.size)
    assert {*mated, 2.0} <= set(grid.cuts.tolist())
    assert np.count_nonzero(grid.crowded) <= 2 * (len(mated) + 1)


def test_a_block_is_counted_as_numbers_of_the_mated_scores_kind_by_hand() -> None:
    """0.1 as float32 is a little more than 0.1: counted as float32, both sides are the same number."""
    mated = np.array([0.1], dtype=np.float32)
    counter = CellCounter(Grid.around(mated, bt.AcceptRule.SIMILARITY))
    counter.add(np.array([[0.1]]), np.array([0]), np.array([1]))
    assert counter.tally(mated, 0).wins.tied == 1


@pytest.mark.parametrize("failed", [0, 1, 60])
def test_moments_of_blocks_far_from_zero_against_numpy(failed: int) -> None:
    """Sums are taken from a score of the block, so a spread far from zero is not lost, whichever scores failed."""
    scores = 1e9 + np.random.default_rng(4).normal(0, 1, (20, 50))
    scores.flat[:failed] = math.nan
    counter = CellCounter(Grid.around(np.array([1e9 + 2]), bt.AcceptRule.SIMILARITY))
    counter.add(scores, np.zeros(20, dtype=np.int64), np.ones(50, dtype=np.int64))
    assert counter.moments.variance == pytest.approx(np.nanvar(scores), rel=1e-6)
    assert counter.moments.mean == pytest.approx(np.nanmean(scores), rel=1e-15)


@pytest.mark.parametrize(
    ("cuts", "low", "scale"),
    [
        ([1.0, 3.0], -1.0, 8192 / 4),
        ([1.0, 2.0, 3.0, math.inf], -1.0, 8192 / 4),
        ([-math.inf, 1.0, 3.0], -1.0, 8192 / 4),
        ([2.0], 2.0 - 2e-6, 8192 / 2e-6),
        ([0.0], -1e-300, 8192 / 1e-300),
        ([-1e308, 1e308], 0.0, 1.0),
        ([math.inf], 0.0, 1.0),
        ([], 0.0, 1.0),
    ],
)
def test_equal_steps_begin_below_the_worst_by_its_distance_to_the_best_by_hand(
    cuts: list[float], low: float, scale: float
) -> None:
    assert cells._steps_below(np.array(cuts)) == (pytest.approx(low), pytest.approx(scale))


@settings(deadline=None)
@given(
    data=st.data(),
    side=st.integers(2, 20),
    rule=st.sampled_from(list(bt.AcceptRule)),
    half=st.booleans(),
    broken=st.booleans(),
)
def test_whole_blocks_against_brute_force(data, side, rule, half, broken) -> None:
    """Rows longer than what is looked at together, with mated and failed scores among them, and what is kept."""
    scores = [st.lists(st.integers(-9, 9), min_size=side, max_size=side) for _ in range(side)]
    block = np.array(data.draw(st.tuples(*scores)), dtype=np.float64)
    owner = np.array(data.draw(st.lists(st.integers(0, 3), min_size=side, max_size=side)))
    keep_from = data.draw(st.integers(-10, 10)) + 0.5
    if broken:
        block[1, 0] = block[0, side - 1] = math.nan
    counter = CellCounter(Grid.around(np.array([-2.0, 3.0]), rule, keep_from=keep_from))
    kept = counter.add(block, owner, owner, twice=not half, right_of_diagonal=half)
    wanted = owner[:, None] != owner[None, :]
    wanted &= np.triu(np.ones_like(wanted), 1) if half else True
    oriented = rule.orient(block)
    others, weight = oriented[wanted & ~np.isnan(block)], 1 if half else 2
    expected = np.bincount(np.searchsorted(counter.grid.cuts, others, "right"), minlength=counter.cells.size)
    assert counter.cells.tolist() == (weight * expected).tolist()
    assert counter.failed == weight * np.count_nonzero(np.isnan(block[wanted]))
    assert kept.tolist() == np.flatnonzero((wanted & (oriented >= keep_from)).ravel()).tolist()
    assert counter.moments.n == weight * others.size
    if others.size:
        mean, spread = (rule.factor * others).mean(), np.square(others - others.mean()).sum()
        assert counter.moments.mean == pytest.approx(mean)
        assert counter.moments.squares == pytest.approx(weight * spread, abs=1e-9)


@pytest.mark.parametrize("low", [1.0, -1.0, 0.0, -2.0])
def test_equal_steps_are_cuts_between_the_scores_by_hand(low: float) -> None:
    """Around 3 and 5 from 1 to 5, a cut every 2**-11, so that the curve can be drawn where there is no mated score.

    So it is where zero, next to which numbers are finest, lies between the cuts.
    """
    cuts = Grid.around(np.array([low + 2, low + 4]), bt.AcceptRule.SIMILARITY).cuts
    assert (cuts[0], cuts[-1]) == (pytest.approx(low + 2**-11), np.nextafter(low + 4, 6))
    assert np.diff(cuts).max() == pytest.approx(2**-11)


@pytest.mark.parametrize("mated", [[3.0, 5.0], [1.0, 3.0], [-0.3, 0.9], [0.0], [1e-300], [-7e307, 7e307], [1e9, 2e9]])
@pytest.mark.parametrize("keep_from", [-math.inf, 0.125, math.inf])
@pytest.mark.parametrize("rule", list(bt.AcceptRule))
def test_a_score_right_below_a_cut_is_told_from_it_against_brute_force(mated, keep_from, rule) -> None:
    grid = Grid.around(rule.orient(np.array(mated)), rule, keep_from=keep_from)
    oriented = np.concatenate([grid.cuts, np.nextafter(grid.cuts, -np.inf)])[None]
    counter = CellCounter(grid)
    counter.add(rule.orient(oriented), np.zeros(1, dtype=np.int64), np.ones(oriented.size, dtype=np.int64))
    expected = np.bincount(np.searchsorted(grid.cuts, oriented[0], "right"), minlength=counter.cells.size)
    assert counter.cells.tolist() == expected.tolist()


def test_a_threshold_holds_in_the_precision_of_the_scores_by_hand() -> None:
    """Non-mated scores are 1 and the next number: a threshold between them, rounded to 32 bits, still rejects one."""
    mated, others = np.array([1.0, 2.0], dtype=np.float32), np.array([[1.0, 1 + 2**-23]], dtype=np.float32)
    counter = CellCounter(Grid.around(mated, bt.AcceptRule.SIMILARITY))
    counter.add(others, np.array([0]), np.array([1, 2]))
    (measure,) = parse_all(["FNMR@FMR=0.5"])
    found = measure.of(counter.tally(mated, 0))
    assert (found.value, np.float32(found.threshold) > 1) == (0.5, True)


def test_counts_are_exact_where_scores_begin_to_be_kept_by_hand() -> None:
    """Those kept from there on stand for as many as were counted."""
    grid = Grid.around(np.array([1.0, 2.0]), bt.AcceptRule.SIMILARITY, keep_from=1.2345)
    assert 1.2345 in grid.cuts
    assert math.inf not in Grid.around(np.array([1.0, 2.0]), bt.AcceptRule.SIMILARITY).cuts


def test_scores_that_rounding_carried_beyond_the_ends_are_put_there_by_hand() -> None:
    """A cosine of 1.0000001 is one of 1: it ties with a mated score of 1. What failed stays failed."""
    beyond = np.nextafter(np.float32(1), np.float32(2))
    block = np.array([[beyond, -beyond, 0.5, math.nan]], dtype=np.float32)
    counter = CellCounter(
        Grid.around(np.array([1.0, -1.0], dtype=np.float32), bt.AcceptRule.SIMILARITY, keep_from=0.75)
    )
    kept = counter.add(block, np.array([0]), np.array([1, 2, 3, 4]), ends=(-1.0, 1.0))
    assert block[0, :3].tolist() == [1.0, -1.0, 0.5]
    assert kept.tolist() == [0]
    assert (counter.cells.sum(), counter.failed) == (3, 1)
    places = np.searchsorted(counter.grid.cuts, [1.0, -1.0], "right")
    assert counter.cells[places].tolist() == [1, 1]
    assert counter.moments.mean == pytest.approx(0.5 / 3)
