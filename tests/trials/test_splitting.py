"""Large columns are dealt out as small ones are filtered."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.trials import LIMITS, from_tables

pieces = st.lists(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), max_size=6), min_size=1, max_size=4)


@given(pieces)
def test_splitting_in_pieces_against_filtering(parts) -> None:
    frames = [pl.Series([float(score) for score, _ in part], dtype=pl.Float64) for part in parts]
    scores = pl.concat(frames, rechunk=False)
    mated = pl.Series([mark for part in parts for _, mark in part], dtype=pl.Boolean)
    expected = [part.tolist() for part in from_tables.split_by_class(scores, mated)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS, "deal_compiled_from", 1)
        assert [part.tolist() for part in from_tables.split_by_class(scores, mated)] == expected


def test_a_large_column_against_numpy() -> None:
    rng = np.random.default_rng(3)
    values, marks = rng.normal(size=1_200_000), rng.random(1_200_000) < 0.1
    scores = pl.concat([pl.Series(values[:500_000]), pl.Series(values[500_000:])], rechunk=False)
    own, others = from_tables.split_by_class(scores, pl.Series(marks))
    assert np.array_equal(own, values[marks])
    assert np.array_equal(others, values[~marks])
