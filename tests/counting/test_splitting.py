"""Large columns are dealt out as small ones are filtered."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.counting import LIMITS, split_by_class

values = st.integers(-3, 3) | st.just(math.nan)  # a comparison that failed
pieces = st.lists(st.lists(st.tuples(values, st.booleans()), max_size=6), min_size=1, max_size=4)


@given(pieces)
def test_splitting_in_pieces_against_filtering(parts) -> None:
    frames = [pl.Series([float(score) for score, _ in part], dtype=pl.Float64) for part in parts]
    scores = pl.concat(frames, rechunk=False)
    mated = pl.Series([mark for part in parts for _, mark in part], dtype=pl.Boolean)
    expected = split_by_class(scores, mated)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.memory, "deal_compiled_from", 1)
        found = split_by_class(scores, mated)
    for part in ("mated", "nonmated"):
        assert np.array_equal(getattr(found, part), getattr(expected, part), equal_nan=True)
    assert np.array_equal(found[2:4], expected[2:4], equal_nan=len(scores) > 0)
    assert found.complete == (len(scores) > 0 and not scores.is_nan().any())


def test_a_large_column_against_numpy() -> None:
    rng = np.random.default_rng(3)
    values, marks = rng.normal(size=1_200_000), rng.random(1_200_000) < 0.1
    scores = pl.concat([pl.Series(values[:500_000]), pl.Series(values[500_000:])], rechunk=False)
    split = split_by_class(scores, pl.Series(marks))
    assert np.array_equal(split.mated, values[marks])
    assert np.array_equal(split.nonmated, values[~marks])
    assert (split.low, split.high) == (values.min(), values.max())
