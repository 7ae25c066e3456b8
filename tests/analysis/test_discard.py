"""Error-versus-discard curves. SPEC R2."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt

QUALITY, SCORES = [1, 2, 2, 3, 4], [0.2, 0.3, 0.9, 0.8, 0.7]
small = st.integers(0, 4)
rows = st.lists(st.tuples(small, small, small), min_size=1, max_size=12)


def test_r2_the_curve_by_hand() -> None:
    """SPEC R2; STANDARDS 1: the two of equal quality go together, and all discarded is no error."""
    curve = bt.analysis.error_discard(bt.ScoreSet(SCORES, []), QUALITY, threshold=0.5)
    assert curve.discarded.tolist() == [0.0, 0.2, 0.6, 0.8, 1.0]
    assert curve.error.tolist() == [0.4, 0.25, 0.0, 0.0, 0.0]
    assert curve.kept.tolist() == [5, 4, 2, 1, 0]
    assert curve.quality.tolist() == [1, 2, 3, 4, math.inf]
    assert (curve.kind, curve.threshold, curve.starting_error, len(curve)) == ("FNMR", 0.5, 0.4, 5)


def test_r2_areas_by_hand() -> None:
    """SPEC R2; STANDARDS 1: up to 30 % discarded .105, best .075, difference .030."""
    curve = bt.analysis.error_discard(bt.ScoreSet(SCORES, []), QUALITY, threshold=0.5)
    assert curve.partial_area(0.3) == pytest.approx(0.105)
    assert curve.best_area(0.3) == pytest.approx(0.075)
    assert curve.excess_area(0.3) == pytest.approx(0.030)
    assert curve.random_area(0.3) == pytest.approx(0.12)
    assert curve.best_area(0.9) == pytest.approx(0.08)
    assert curve.partial_area(0.0) == 0.0


def test_r2_a_pair_is_as_good_as_its_worse_sample_by_hand() -> None:
    scores = bt.ScoreSet(SCORES, [])
    first, second = [1, 9, 2, 8, 4], [7, 2, 9, 3, 9]
    both = bt.analysis.error_discard(scores, first, other=second, threshold=0.5)
    assert both.error.tolist() == bt.analysis.error_discard(scores, QUALITY, threshold=0.5).error.tolist()


def test_r2_false_matches_are_those_of_non_mated_comparisons_by_hand() -> None:
    """A score equal to the threshold is accepted, so it is a false match and no false non-match."""
    scores = bt.ScoreSet([0.5, 0.9], [0.1, 0.5, 0.6])
    assert bt.analysis.error_discard(scores, [3, 1, 2], threshold=0.5, kind="FMR").error.tolist() == [
        2 / 3,
        0.5,
        0.0,
        0.0,
    ]
    assert bt.analysis.error_discard(scores, [1, 2], threshold=0.5).error.tolist() == [0.0, 0.0, 0.0]


@given(
    rows=rows, threshold=small, limit=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), kind=st.sampled_from(["FNMR", "FMR"])
)
def test_r2_against_brute_force(rows, threshold, limit, kind) -> None:
    """SPEC R2: count anew for every quality from which on comparisons are kept, in whole numbers."""
    values, first, second = zip(*rows, strict=True)
    scores = bt.ScoreSet(values, []) if kind == "FNMR" else bt.ScoreSet([], values)
    curve = bt.analysis.error_discard(scores, first, other=second, threshold=threshold, kind=kind)
    pairs = [(min(a, b), v < threshold if kind == "FNMR" else v >= threshold) for v, a, b in rows]
    steps = []
    for level in sorted({quality for quality, _ in pairs}):
        kept = [wrong for quality, wrong in pairs if quality >= level]
        steps.append((1 - Fraction(len(kept), len(pairs)), Fraction(sum(kept), len(kept))))
    steps.append((Fraction(1), Fraction(0)))
    assert curve.discarded.tolist() == pytest.approx([float(share) for share, _ in steps])
    assert curve.error.tolist() == pytest.approx([float(error) for _, error in steps])
    end = Fraction(limit)
    area = sum(error * (min(after, end) - share) for (share, error), (after, _) in pairwise(steps) if share < end)
    assert curve.partial_area(limit) == pytest.approx(float(area), abs=1e-12)
    assert curve.row_at(limit) == sum(share <= end for share, _ in steps) - 1


@given(rows=rows, threshold=small)
def test_r2_distances_are_similarities_the_other_way_round(rows, threshold) -> None:
    values, quality, _ = zip(*rows, strict=True)
    near = bt.analysis.error_discard(bt.ScoreSet(values, []), quality, threshold=threshold)
    far = bt.analysis.error_discard(
        bt.ScoreSet(np.negative(values), [], rule="distance"), quality, threshold=-threshold
    )
    assert far.errors.tolist() == near.errors.tolist()


@pytest.mark.parametrize("rule", ["similarity", "distance"])
@pytest.mark.parametrize(("kind", "place"), [("FNMR", 0.1), ("FMR", 0.9)])
def test_r2_the_starting_error_is_a_quantile_against_numpy(kind, place, rule) -> None:
    """STANDARDS 1: np.quantile of the scores at the starting error, 1 - it for FMR; distances are negated first."""
    values = np.random.default_rng(1).normal(size=100)
    sign = 1 if rule == "similarity" else -1
    given_scores = bt.ScoreSet(sign * values, sign * values, rule=rule)
    curve = bt.analysis.error_discard(given_scores, values, starting_error=0.1, kind=kind)
    assert curve.threshold == pytest.approx(sign * np.quantile(values, place))
    assert curve.starting_error == pytest.approx(0.1)


def test_r2_quality_that_orders_errors_first_is_as_good_as_can_be_against_theory() -> None:
    """All errors go first: the rate is (e - r) / (1 - r), and 0 once e is discarded."""
    values = np.arange(100.0)
    curve = bt.analysis.error_discard(bt.ScoreSet(values, []), values, threshold=20.0)
    share = curve.discarded[:-1]
    assert curve.error[:-1] == pytest.approx(np.maximum(0.2 - share, 0.0) / (1 - share))
    assert 0.0 < curve.excess_area(0.2) < 0.1 * curve.random_area(0.2)


def test_r2_qualities_of_minus_infinity_go_first() -> None:
    curve = bt.analysis.error_discard(bt.ScoreSet(SCORES, []), [-math.inf, 1, 1, 1, 1], threshold=0.5)
    assert curve.error.tolist() == [0.4, 0.25, 0.0]


def test_r2_a_frame_has_a_row_a_step() -> None:
    frame = bt.analysis.error_discard(bt.ScoreSet(SCORES, []), QUALITY, threshold=0.5).to_frame()
    assert frame.columns == ["kind", "discarded", "error", "threshold", "errors", "kept", "quality"]
    assert frame.row(1) == ("FNMR", 0.2, 0.25, 0.5, 1, 4, 2.0)


@pytest.mark.parametrize(
    ("given_arguments", "said"),
    [
        ({"threshold": 0.5, "starting_error": 0.1}, "give either threshold or starting_error"),
        ({}, "give either threshold or starting_error"),
        ({"threshold": math.nan}, "threshold is nan"),
        ({"starting_error": 0.0}, "starting_error is 0.0; expected a rate between 0 and 1"),
        ({"threshold": 0.5, "kind": "EER"}, "kind is 'EER'; expected FNMR or FMR"),
        ({"threshold": 0.5, "kind": "FMR"}, "no non-mated scores"),
        ({"threshold": 0.5, "other": [1, 2]}, r"mated qualities have shape \(2,\) for 5 scores"),
        ({"threshold": 0.5, "other": [1, 2, 3, math.nan, 4]}, "mated quality 4 is nan"),
        ({"threshold": 0.5, "other": ["a", "b", "c", "d", "e"]}, "mated qualities are not numbers"),
    ],
)
def test_bad_input_is_said(given_arguments, said) -> None:
    with pytest.raises(bt.InputError, match=said):
        bt.analysis.error_discard(bt.ScoreSet(SCORES, []), QUALITY, **given_arguments)


def test_infinite_scores_have_no_quantile_between_them() -> None:
    with pytest.raises(bt.InputError, match="between infinite scores"):
        bt.analysis.error_discard(bt.ScoreSet([-math.inf, math.inf], []), [1, 2], starting_error=0.3)


def test_shares_beyond_all_are_refused() -> None:
    curve = bt.analysis.error_discard(bt.ScoreSet(SCORES, []), QUALITY, threshold=0.5)
    for ask in (curve.partial_area, curve.best_area, curve.random_area, curve.row_at):
        with pytest.raises(bt.InputError, match=r"share discarded is 1\.5"):
            ask(1.5)
