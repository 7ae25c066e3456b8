"""Ranges of keys cut into bins, and what a window of bins knows of its scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.counting import count_sought
from bertillon.counting.refining import _BinRange, _Window


@given(st.integers(-40, 40), st.integers(0, 60), st.sampled_from([0, 3]), st.integers(0, 3), st.data())
def test_the_ends_of_bins_against_looking_at_every_key(first, more, base, shift, data) -> None:
    """Where keys are folded the keys near 0 are one bin, and no bin reaches beyond the range."""
    place = _BinRange(first, first + more, base, shift)
    keys = np.arange(place.first, place.last + 1)
    bins = place.bins_of(keys)
    assert bins.min() == 0
    assert bins.max() == place.size - 1
    filled = np.unique(bins).tolist()
    one, other = sorted((data.draw(st.sampled_from(filled)), data.draw(st.sampled_from(filled))))
    inside = keys[(bins >= one) & (bins <= other)]
    assert place.ends_of(one, other) == (inside.min(), inside.max())


def test_a_window_by_hand() -> None:
    """Three bins, the middle one empty; outside are two mated scores below and five non-mated above."""
    window = _Window.of(
        _BinRange(0, 11, 0, 2), np.array([1, 0, 3]), np.array([4, 0, 2]), mated_below=2, nonmated_above=5
    )
    assert (window.bins.tolist(), window.sizes.tolist()) == ([0, 2], [5, 5])
    assert (window.false_match.tolist(), window.false_nonmatch.tolist()) == ([11, 7, 5], [2, 3, 6])
    rows = window.row_of(np.array([0, 3, 8, 11]))
    assert rows.tolist() == [0, 0, 1, 1]
    assert window.inside(rows, window.false_match).tolist() == [4, 4, 2, 2]
    assert window.inside(rows, window.false_nonmatch).tolist() == [1, 1, 3, 3]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [1, -1])
def test_ends_that_are_known_change_nothing_against_looking_for_them(sign, dtype) -> None:
    rng = np.random.default_rng(2)
    mated, nonmated = rng.normal(1.0, 1.0, 50).astype(dtype), rng.normal(size=80).astype(dtype)
    both = np.concatenate([mated, nonmated])
    everywhere = [lambda outline: np.arange(len(outline))]
    known = count_sought(mated, nonmated, everywhere, sign=sign, ends=(float(both.min()), float(both.max())))
    found = count_sought(mated, nonmated, everywhere, sign=sign)
    assert known.exact.threshold.tolist() == [*np.unique(sign * both).tolist(), np.inf]
    for part in ("threshold", "false_match", "false_nonmatch"):
        assert getattr(known.exact, part).tolist() == getattr(found.exact, part).tolist()
        assert getattr(known.outline, part).tolist() == getattr(found.outline, part).tolist()
