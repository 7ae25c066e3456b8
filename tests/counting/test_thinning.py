"""Fewer points of a curve: which rows stay, written out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bertillon.core import AcceptRule
from bertillon.counting import BinaryCounts, ErrorCurve, thinned


def falling(*false_match: int) -> BinaryCounts:
    """A curve without mated scores: only the false matches move."""
    number = len(false_match)
    return BinaryCounts(
        np.arange(float(number)), np.array(false_match), np.zeros(number, dtype=np.int64), 0, false_match[0]
    )


@pytest.mark.parametrize(
    ("counts", "middle"),
    [
        # -log10(rate) + 10 (1 - rate), no errors being half an error: 0, 6.07, 10, 11.9, 12.30; half the way is 6.15
        (falling(100, 43, 10, 1, 0), 2),
        # 0, 6.73, 10, 11.9, 13.30; half the way is 6.65
        (falling(1000, 370, 100, 10, 0), 1),
    ],
)
def test_the_row_half_way_along_the_path_by_hand(counts: BinaryCounts, middle: int) -> None:
    thin = thinned(counts, 3)
    rows = [0, middle, 4]
    assert thin.threshold.tolist() == [float(row) for row in rows]
    assert thin.false_match.tolist() == counts.false_match[rows].tolist()
    assert counts.complete
    assert thin.complete is False


def test_both_errors_move_the_path_by_hand() -> None:
    """The false matches fall at once, then the false non-matches rise at once: the point between them stays."""
    counts = BinaryCounts(np.arange(4.0), np.array([10, 0, 0, 0]), np.array([0, 0, 10, 10]), 10, 10)
    assert thinned(counts, 3).threshold.tolist() == [0.0, 1.0, 3.0]


def test_two_points_are_the_ends_by_hand() -> None:
    assert thinned(falling(100, 43, 10, 1, 0), 2).threshold.tolist() == [0.0, 4.0]


@pytest.mark.parametrize("points", [5, 6, 1, 0])
def test_a_short_curve_and_an_impossible_number_leave_it_as_it_is(points: int) -> None:
    counts = falling(100, 43, 10, 1, 0)
    assert thinned(counts, points) is counts


def test_a_curve_is_thinned_to_two_thousand_points_unless_told_otherwise() -> None:
    counts = BinaryCounts(np.arange(9001.0), np.arange(9000, -1, -1), np.arange(9001), 9000, 9000)
    curve = ErrorCurve(counts, AcceptRule.SIMILARITY)
    assert len(curve.thin().threshold) <= 2000
    assert curve.thin().threshold.tolist() == curve.thin(2000).threshold.tolist()
    assert curve.thin().threshold.tolist() != curve.thin(2001).threshold.tolist()
