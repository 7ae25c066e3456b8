"""Curves: the ROC and DET views, fewer points of them, the crossing and the hull."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from brute_force import Twin, convex_hull, pooled
from hypothesis import assume, given
from hypothesis import strategies as st
from measures.table import questions
from scipy.optimize import isotonic_regression

import bertillon as bt
from bertillon.counting import crossing, hull


def test_views_of_a_curve_by_hand():
    """V6, V7: the ROC shows FMR and TMR, the DET shows FMR and FNMR, at the user's thresholds."""
    curve = bt.counting.error_curve(bt.ScoreSet([1, 2], [2, 3], rule="distance"))
    assert curve.threshold.tolist() == [3, 2, 1, -math.inf]
    assert curve.roc.fmr.tolist() == curve.det.fmr.tolist() == [1.0, 0.5, 0.0, 0.0]
    assert curve.roc.tmr.tolist() == [1.0, 1.0, 0.5, 0.0]
    assert curve.det.fnmr.tolist() == [0.0, 0.0, 0.5, 1.0]
    assert curve.roc.threshold.tolist() == curve.det.threshold.tolist() == curve.threshold.tolist()
    assert len(curve) == 4
    frame = curve.to_frame()
    assert frame.columns == ["threshold", "false_match", "false_nonmatch", "fmr", "fnmr"]
    assert frame.row(1) == (2.0, 1, 0, 0.5, 0.0)


@pytest.mark.parametrize(("mated", "nonmated"), [([], [1.0]), ([1.0], []), ([], [])])
def test_a_rate_without_trials_is_not_a_number_by_hand(mated, nonmated):
    counts = bt.counting.error_curve(bt.ScoreSet(mated, nonmated)).counts
    assert np.isnan(counts.fnmr).all() == (not mated)
    assert np.isnan(counts.fmr).all() == (not nonmated)
    assert np.isnan(counts.far).all() == (not nonmated)
    assert np.isnan(counts.frr).all() == (not mated)


def test_a_curve_counts_failed_comparisons_in_far_and_frr_by_hand():
    """V11: failed comparisons are attempts; a genuine user's is a rejection. Thinning keeps them."""
    scores = bt.ScoreSet(np.arange(10.0) + 5, np.arange(10.0), failures=bt.Failures(mated=10, nonmated=10))
    for curve in (
        bt.counting.error_curve(scores),
        bt.evaluate(scores, []).tally.curve,
        bt.counting.error_curve(scores).thin(3),
    ):
        assert (curve.counts.far[0], curve.counts.frr[0]) == (0.5, 0.5)
        assert (curve.counts.far[-1], curve.counts.frr[-1]) == (0.0, 1.0)


@given(questions(largest=40, elements=st.floats(-3, 3)), st.integers(2, 30))
def test_a_thinned_curve_keeps_its_ends_and_only_true_points(question, points):
    curve = bt.counting.error_curve(question.scores)
    thin = curve.thin(points)
    rows = list(zip(curve.threshold, curve.counts.false_match, curve.counts.false_nonmatch, strict=True))
    kept = list(zip(thin.threshold, thin.counts.false_match, thin.counts.false_nonmatch, strict=True))
    assert len(kept) <= points or len(kept) == len(rows) <= points
    assert (kept[0], kept[-1]) == (rows[0], rows[-1])
    places = [rows.index(row) for row in kept]
    assert places == sorted(set(places))


def test_a_thinned_curve_shows_no_gap_against_theory():
    """Two hundred points of ten thousand: no step of more than a few hundredths, nor of a tenth of a decade."""
    rng = np.random.default_rng(5)
    curve = bt.counting.error_curve(bt.ScoreSet(rng.normal(2, 1, 5000), rng.normal(0, 1, 5000)))
    thin = curve.thin(200)
    assert len(thin) <= 200
    for rate in (thin.fmr, thin.fnmr):
        assert np.abs(np.diff(rate)).max() < 0.02
        logs = np.log10(rate[rate > 10 / 5000])
        assert np.abs(np.diff(logs)).max() < 0.2


@given(questions(largest=12))
def test_hull_vertices_against_brute_force(question):
    """STANDARDS 3, 9: the vertices span the lower left hull of all (FMR, FNMR) points."""
    twin = Twin(question.scores)
    assume(twin.whole)
    vertices = hull(bt.counting.error_curve(question.scores).counts)
    found = {
        (Fraction(int(fm), len(twin.nonmated)), Fraction(int(fnm), len(twin.mated)))
        for fm, fnm in zip(vertices.false_match, vertices.false_nonmatch, strict=True)
    }
    points = [(twin.rate("FMR", t), twin.rate("FNMR", t)) for t in twin.candidates]
    corners = convex_hull(points)
    assert {*corners, (0, 1), (1, 0)} <= found
    assert all(x == 0 or any(is_between(x, y, *edge) for edge in pairwise(corners)) for x, y in found)


def is_between(x: Fraction, y: Fraction, first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction]) -> bool:
    """Does the point lie on the straight line between two others?"""
    (x1, y1), (x2, y2) = first, second
    return x1 <= x <= x2 and (x2 - x1) * (y - y1) == (y2 - y1) * (x - x1)


@given(questions(largest=12))
def test_hull_blocks_against_scipy_and_brute_force(question):
    """The pooled blocks are the isotonic regression of mated (1) on non-mated (0), ties pooled."""
    twin = Twin(question.scores)
    assume(twin.whole)
    blocks = hull(bt.counting.error_curve(question.scores).counts)
    ours = merged(list(zip(blocks.block_mated.tolist(), blocks.block_nonmated.tolist(), strict=True)))
    assert ours == pooled(twin)
    distinct = twin.candidates[:-1]
    sizes = [twin.mated.count(s) + twin.nonmated.count(s) for s in distinct]
    shares = [twin.mated.count(s) / n for s, n in zip(distinct, sizes, strict=True)]
    fitted = np.repeat(isotonic_regression(shares, weights=sizes).x, sizes)
    from_blocks = np.repeat([m / (m + n) for m, n in ours], [m + n for m, n in ours])
    assert from_blocks == pytest.approx(fitted)


def merged(blocks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Blocks with neighbours of the same share put together: whether they are pooled is a matter of rounding."""
    together: list[tuple[int, int]] = []
    for mated, nonmated in blocks:
        if together and together[-1][0] * (mated + nonmated) == mated * sum(together[-1]):
            before = together.pop()
            mated, nonmated = before[0] + mated, before[1] + nonmated
        together.append((mated, nonmated))
    return together


def test_crossing_by_hand():
    """Between rows 1 and 2, seven tenths of the way (V3); at a row; and not yet within a part of a curve."""
    fm, fnm = np.array([100, 50, 20, 0]), np.array([0, 15, 35, 1000])
    assert crossing(fm, fnm, 1000, 1000)[:2] == (1, 2)
    assert crossing(fm, fnm, 1000, 1000).share == pytest.approx(0.7)
    assert crossing(np.array([4, 2, 0]), np.array([0, 2, 4]), 4, 4) == (1, 1, 0.0)
    assert crossing(fm[:2], fnm[:2], 1000, 1000) == (1, 1, 0.0)


@pytest.mark.parametrize(
    ("mated", "nonmated", "clean"),
    [([3, 4], [1, 2], 3.0), ([2, 4], [1, 2], None), ([3], [], None), ([], [3], None)],
)
def test_a_threshold_without_errors_by_hand(mated, nonmated, clean):
    """The most permissive one; none where scores overlap, nor where there are none of one class."""
    assert bt.counting.error_curve(bt.ScoreSet(mated, nonmated)).counts.clean == clean
