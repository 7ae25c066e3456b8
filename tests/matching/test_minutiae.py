"""SPEC T4: minutiae: sets of (x, y, angle); find the best alignment and one-to-one pairing, then score."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matching.making import draw_minutiae, moved, scores, table

from bertillon.core import AcceptRule, InputError
from bertillon.matching import match, matcher
from bertillon.matching.kernels import minutiae as kernels

TRIANGLE = np.array([[0.0, 0.0, 0.0], [100.0, 0.0, 1.0], [0.0, 60.0, 2.0]])


def similarity(x, y, **options) -> float:
    return float(
        scores("minutiae", [np.asarray(x, dtype=float)], [np.asarray(y, dtype=float)], kind="minutiae", **options)[0, 0]
    )


def test_T4_score_by_hand():
    """All three paired: 9/9. One of three gone: 4/6. One looks the other way: 4/9."""
    assert similarity(TRIANGLE, TRIANGLE) == 1.0
    assert similarity(TRIANGLE, TRIANGLE[:2]) == pytest.approx(4 / 6)
    other_way = TRIANGLE + np.array([[0, 0, 0], [0, 0, 0], [0, 0, np.pi]])
    assert similarity(TRIANGLE, other_way) == pytest.approx(4 / 9)
    assert matcher("minutiae").rule is AcceptRule.SIMILARITY


def test_pairs_are_one_to_one_by_hand():
    """Two minutiae within reach of one count once: 3 pairs of 3 and 4."""
    crowded = np.vstack([TRIANGLE, [1.0, 1.0, 0.0]])
    assert similarity(TRIANGLE, crowded) == pytest.approx(9 / 12)
    assert similarity(crowded, TRIANGLE) == pytest.approx(9 / 12)


def test_partners_are_changed_where_that_makes_more_pairs_by_hand():
    """On a line with steps of 10 and reach 10: the nearest partner is not always the right one, all five pair."""
    line = np.array([[0.0, 0.0, 0.0], [200.0, 0.0, 0.0], [100.0, 0.0, 0.0], [110.0, 0.0, 0.0], [120.0, 0.0, 0.0]])
    shifted = line + np.array([[0, 0, 0], [0, 0, 0], [9, 0, 0], [9, 0, 0], [9, 0, 0]])
    assert similarity(line, shifted, distance=10) == 1.0


def test_tolerances_by_hand():
    """A point at the tolerance is paired, one beyond it is not; so for angles."""
    near, far = TRIANGLE.copy(), TRIANGLE.copy()
    near[2, 1], far[2, 1] = 68.0, 72.0
    assert similarity(TRIANGLE, near, distance=8) == 1.0
    assert similarity(TRIANGLE, far, distance=5) == pytest.approx(4 / 9)
    turned = TRIANGLE.copy()
    turned[2, 2] += np.deg2rad(20)
    assert similarity(TRIANGLE, turned, angle=20) == 1.0
    assert similarity(TRIANGLE, turned, angle=19) == pytest.approx(4 / 9)


def test_sets_that_cannot_be_aligned_by_hand():
    """Fewer than two minutiae: the comparison has failed. Two that fit nowhere: 0."""
    empty, one = np.empty((0, 3)), TRIANGLE[:1]
    found = match(table([empty, one, TRIANGLE], kind="minutiae"), table([TRIANGLE], kind="minutiae"), "minutiae")
    assert np.isnan(found.scores[:, 0]).tolist() == [True, True, False]
    assert any("2 templates have fewer than two minutiae" in str(note) for note in found.notes)
    assert similarity(TRIANGLE, [[0.0, 0.0, 0.0], [500.0, 0.0, 0.0]]) == 0.0


def test_minutiae_on_the_same_spot_by_hand():
    twice = np.array([[5.0, 5.0, 0.3], [5.0, 5.0, 0.3]])
    assert similarity(twice, moved(twice, 1.0, (30, 2))) == 1.0


def brute_force(x, y, distance, angle):
    """Every alignment from two pairs and every assignment, from the definition."""
    best = 0
    for (i, j), (k, m) in itertools.product(
        itertools.combinations(range(len(x)), 2), itertools.permutations(range(len(y)), 2)
    ):
        (a, b), (c, d) = (x[[i, j], :2], y[[k, m], :2])
        if abs(np.linalg.norm(b - a) - np.linalg.norm(d - c)) > distance:
            continue
        turn = np.arctan2(*(d - c)[::-1]) - np.arctan2(*(b - a)[::-1])
        if max(apart(x[i, 2] + turn, y[k, 2]), apart(x[j, 2] + turn, y[m, 2])) > angle:
            continue
        laid = moved(x, turn)
        laid[:, :2] += (c + d) / 2 - laid[[i, j], :2].mean(axis=0)
        fits = np.linalg.norm(laid[:, None, :2] - y[None, :, :2], axis=2) <= distance
        fits &= apart(laid[:, None, 2], y[None, :, 2]) <= angle
        best = max(best, most_pairs(fits))
    return best**2 / (len(x) * len(y))


def apart(a, b):
    difference = np.abs(a - b) % (2 * np.pi)
    return np.minimum(difference, 2 * np.pi - difference)


def most_pairs(fits) -> int:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(fits, maximize=True)
    return int(fits[rows, columns].sum())


@pytest.mark.parametrize("seed", range(6))
def test_T4_alignment_and_pairing_against_brute_force(seed):
    """Half of the points are shared, moved, turned and shaken."""
    rng = np.random.default_rng(seed)
    x = draw_minutiae(rng, 7)
    y = moved(x, rng.uniform(-1, 1), rng.uniform(-50, 50, 2))
    y[:, :2] += rng.normal(0, 4, (7, 2))
    y[4:] = draw_minutiae(rng, 3)
    for tolerance in (8.0, 20.0, 60.0):
        expected = brute_force(x, y, tolerance + 1e-3, np.deg2rad(25) + 1e-3)
        assert similarity(x, y, distance=tolerance, angle=25) == pytest.approx(expected)


@given(st.integers(0, 2**32 - 1), st.floats(-7, 7), st.floats(-500, 500), st.floats(-500, 500))
def test_T4_moving_and_turning_change_nothing(seed, turn, across, down):
    rng = np.random.default_rng(seed)
    x, y = draw_minutiae(rng, 9), draw_minutiae(rng, 8)
    there = moved(x, turn, (across, down))
    assert similarity(x, there) == 1.0
    assert similarity(there, y) == similarity(x, y)
    assert similarity(y, there) == similarity(x, y)


@given(st.integers(0, 2**32 - 1))
def test_the_order_of_the_points_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    x, y = draw_minutiae(rng, 8), draw_minutiae(rng, 10)
    assert similarity(rng.permutation(x), y) == similarity(x, rng.permutation(y)) == similarity(x, y)


@given(st.integers(0, 2**32 - 1))
def test_as_many_pairs_as_possible_against_scipy(seed):
    """Random neighbourhoods, where taking the first free partner is not enough."""
    fits = np.random.default_rng(seed).random((6, 7)) < 0.3
    links, count = np.zeros((6, 7), np.int64), fits.sum(axis=1)
    for i, row in enumerate(fits):
        links[i, : count[i]] = np.flatnonzero(row)
    work = (np.empty(7, np.int64), np.empty(7, np.int64), np.empty(7, np.int64))
    assert kernels._most_pairs(6, links, count, *work) == most_pairs(fits)


@given(st.integers(0, 2**32 - 1), st.floats(0, 6.28))
def test_the_map_never_hides_a_neighbour(seed, turn):
    """It may promise more neighbours than there are, and never fewer."""
    rng = np.random.default_rng(seed)
    a, b = draw_minutiae(rng, 20), draw_minutiae(rng, 20) * np.array([0.3, 0.3, 1.0])
    b = b[np.argsort(b[:, 0])]
    near, motion = (25.0, np.deg2rad(35)), (turn, np.cos(turn), np.sin(turn), *rng.uniform(-100, 100, 2))
    links, count = np.empty((20, 20), np.int64), np.empty(20, np.int64)
    reached = kernels._neighbours(a, b, motion, near, -1, links, count)
    laid = moved(a, turn, motion[3:])
    fits = np.linalg.norm(laid[:, None, :2] - b[None, :, :2], axis=2) <= near[0]
    fits &= apart(laid[:, None, 2], b[None, :, 2]) <= near[1]
    assert reached == fits.any(axis=1).sum()
    assert kernels._may_reach(a, motion, kernels.map_of(b, *near), reached - 1)


def test_T4_the_same_finger_scores_above_all_others():
    """Twelve fingers pressed twice: a quarter of the minutiae lost, as many false ones, all shaken and turned."""
    rng = np.random.default_rng(1)
    first = [draw_minutiae(rng, 30) for _ in range(12)]
    second = []
    for one in first:
        again = moved(one, rng.uniform(-0.5, 0.5), rng.uniform(-40, 40, 2))
        again += np.column_stack([rng.normal(0, 3, (30, 2)), rng.normal(0, 0.08, 30)])
        again[:7] = draw_minutiae(rng, 7)
        second.append(again)
    found = scores("minutiae", second, first, kind="minutiae")
    assert found.diagonal().min() > 3 * found[~np.eye(12, dtype=bool)].max()


def test_coordinates_of_any_size_fit_the_map():
    """A set a thousand times as wide as the tolerance allows cells for."""
    wide = draw_minutiae(np.random.default_rng(2), 12) * np.array([1e5, 1e5, 1])
    assert similarity(wide, moved(wide, 2.0)) == 1.0


@pytest.mark.parametrize("options", [{"distance": 0}, {"angle": 0}, {"angle": 181}, {"distance": np.inf}])
def test_impossible_tolerances_are_refused(options):
    with pytest.raises(InputError, match="distance must be above 0"):
        matcher("minutiae", **options)


def test_a_set_too_large_to_be_compared_is_refused():
    with pytest.raises(InputError, match="1,001 minutiae; at most 1,000"):
        similarity(np.zeros((1001, 3)), TRIANGLE)
