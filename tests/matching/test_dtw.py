"""SPEC T2: dynamic time warping between series of different length and of one or more axes."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matching.making import scores, table

from bertillon.core import InputError
from bertillon.matching import match, matcher

RNG = np.random.default_rng(8)
LENGTHS = (1, 2, 5, 17, 40)


def walks(axes: int) -> list[np.ndarray]:
    return [RNG.normal(size=(length, axes)).cumsum(axis=0) for length in LENGTHS]


def dtw(x, y, **options) -> float:
    probes, gallery = ([np.asarray(one, dtype=float).reshape(len(one), -1)] for one in (x, y))
    return float(scores("dtw", probes, gallery, kind="series", **options)[0, 0])


def brute_force(x, y, cost, band=None):
    """Sum and length of the best path, cell by cell from the definition."""
    n, m = len(x), len(y)
    reach = max(n, m) if band is None else band
    best = {(-1, -1): (0.0, 0)}
    for i in range(n):
        for j in range(m):
            if not -max(0, n - m) - reach <= j - i <= max(0, m - n) + reach:
                continue
            before = [best[cell] for cell in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if cell in best]
            local = np.linalg.norm(x[i] - y[j])
            total, length = min(before)
            best[i, j] = total + (local**2 if cost == "squared" else local), length + 1
    return best[n - 1, m - 1]


def test_T2_one_axis_by_hand():
    """1 2 3 and 1 1 2 3 3 are the same once time is bent; 0 0 and 3 4 are 3 + 4 apart, or 5 with squares."""
    assert dtw([1, 2, 3], [1, 1, 2, 3, 3]) == 0.0
    assert dtw([0, 0], [3, 4]) == 7.0
    assert dtw([0, 0], [3, 4], cost="squared") == 5.0
    assert dtw([0], [1, 2, 3]) == 6.0


def test_T2_several_axes_by_hand():
    assert dtw([[0, 0], [0, 0]], [[3, 4], [6, 8]]) == 15.0
    assert dtw([[0, 0]], [[3, 4]], cost="squared") == 5.0


def test_path_length_by_hand():
    """0 against 1 1 costs 2 in two cells. The last two are found by paths of 5 and of 6 cells: the shorter counts."""
    assert dtw([0], [1, 1], by_length=True) == 1.0
    assert dtw([2, 0, 0, 1, 1], [0, 1, 0, 1], by_length=True) == 3 / 5
    assert dtw([0, 1, 0, 1], [2, 0, 0, 1, 1], by_length=True) == 3 / 5
    assert dtw([0, 4], [2, 2, 2], by_length=True) == 2.0
    assert dtw([0], [1, 7], cost="squared", by_length=True) == 5.0


def test_the_band_by_hand():
    """With no room off the diagonal each point meets its like: 1 + 1 + 1; with one point the step can be followed."""
    assert dtw([0, 1, 2, 3], [0, 0, 1, 2], band=0) == 3.0
    assert dtw([0, 1, 2, 3], [0, 0, 1, 2], band=1) == 1.0
    assert dtw([0, 1, 2, 3], [0, 0, 1, 2], band=0.25) == 1.0


@pytest.mark.parametrize("axes", [1, 3])
@pytest.mark.parametrize("cost", ["euclidean", "squared"])
@pytest.mark.parametrize("band", [None, 0, 1, 4])
def test_T2_against_dtaidistance(axes, cost, band):
    """dtaidistance 2.5; its window counts the diagonal, so it is one more than the band."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = pytest.importorskip("dtaidistance.dtw_ndim")
    inner = "squared euclidean" if cost == "squared" else "euclidean"
    window = None if band is None else band + 1
    x, y = walks(axes), walks(axes)
    expected = [[peer.distance(one, other, window=window, inner_dist=inner) for other in y] for one in x]
    np.testing.assert_allclose(scores("dtw", x, y, kind="series", cost=cost, band=band), expected, rtol=1e-12)


@pytest.mark.parametrize("cost", ["euclidean", "squared"])
@pytest.mark.parametrize("band", [None, 0, 2])
def test_divided_by_the_length_of_the_path_against_brute_force(cost, band):
    """Small whole numbers, so that many paths are equally good and the shortest must be found."""
    x, y = ([RNG.integers(0, 3, (length, 1)).astype(float) for length in (1, 3, 6, 9)] for _ in range(2))
    found = scores("dtw", x, y, kind="series", cost=cost, band=band, by_length=True)
    for i, j in np.ndindex(found.shape):
        total, length = brute_force(x[i], y[j], cost, band)
        mean = total / length
        assert found[i, j] == pytest.approx(math.sqrt(mean) if cost == "squared" else mean)


series = st.lists(st.integers(-5, 5), min_size=1, max_size=12)


@given(series, series, st.integers(0, 4))
def test_symmetric_zero_for_itself_and_smaller_with_more_room(x, y, band):
    narrow, wide = dtw(x, y, band=band), dtw(x, y, band=band + 1)
    assert narrow == dtw(y, x, band=band)
    assert narrow >= wide >= dtw(x, y)
    assert dtw(x, x, band=band) == 0.0
    assert dtw(x, [value for value in x for _ in range(2)]) == 0.0
    assert dtw(x, y, by_length=True) == dtw(y, x, by_length=True)


def test_float32_series_give_float32_scores():
    x, y = walks(2), walks(2)
    narrow = scores("dtw", [one.astype(np.float32) for one in x], [one.astype(np.float32) for one in y], kind="series")
    assert narrow.dtype == np.float32
    np.testing.assert_allclose(narrow, scores("dtw", x, y, kind="series"), rtol=1e-5)


@pytest.mark.parametrize("band", [-1, 1.5, math.nan])
def test_a_band_that_is_no_number_of_points_is_refused(band):
    with pytest.raises(InputError, match="band must be a number of points"):
        matcher("dtw", band=band)


def test_an_unknown_cost_and_other_axes_are_refused():
    with pytest.raises(InputError, match="did you mean 'squared'"):
        matcher("dtw", cost="square")
    with pytest.raises(InputError, match="a probe has 1 and a gallery template 2 axes"):
        match(table(walks(1), kind="series"), table(walks(2), kind="series"), "dtw")
