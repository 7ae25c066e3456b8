"""Ids as numbers, of every kind and on every path, beside sorting them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.counting import LIMITS, codes_of, number_rows

MAKERS = {
    "integers": lambda values: np.array(values, dtype=np.int32),
    "far apart": lambda values: np.array(values, dtype=np.int64) * 10**12,
    "texts": lambda values: np.array([f"id{value}" for value in values], dtype="<U6"),
    "objects": lambda values: np.array([f"id{value}" for value in values], dtype=object),
    "mixed objects": lambda values: np.array([value if value % 2 else f"{value}x" for value in values], dtype=object),
    "floats": lambda values: np.array(values, dtype=np.float64) / 2,
}
columns = st.lists(st.lists(st.integers(-9, 9), max_size=8), min_size=1, max_size=3)


@pytest.mark.parametrize("small", [0, 10**6])
@pytest.mark.parametrize("kind", MAKERS)
@given(columns)
def test_numbers_against_sorting(small, kind, values) -> None:
    """Every row's number leads back to its id, and the ids ascend, each once."""
    given_columns = [MAKERS[kind](column) for column in values]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.memory, "sort_ids_up_to", small)
        found = codes_of(given_columns)
    texts = kind not in ("integers", "far apart", "floats")
    plain = [[str(value) if texts else value for value in column.tolist()] for column in given_columns]
    assert found.ids.tolist() == sorted({value for column in plain for value in column})
    assert [found.ids[codes].tolist() for codes in found.codes] == plain
    assert found.n == found.ids.size


@pytest.mark.parametrize("small", [0, 10**6])
@pytest.mark.parametrize(
    "column", [np.array([1.0, np.nan]), np.array(["a", None], dtype=object), np.array([1, None], dtype=object)]
)
def test_a_missing_id_cannot_be_numbered(small, column, monkeypatch) -> None:
    monkeypatch.setattr(LIMITS.memory, "sort_ids_up_to", small)
    assert codes_of([np.array(["a", "b"], dtype=object) if column.dtype == object else column[:1], column]) is None


def test_many_texts_in_a_table_that_grows_against_sorting(monkeypatch) -> None:
    """More ids than the first table holds, so that it must grow."""
    monkeypatch.setattr(LIMITS.memory, "sort_ids_up_to", 0)
    texts = np.array([f"{value % 11_000:05}" for value in range(12_000)])
    found = codes_of([texts])
    assert found.n == 11_000
    assert found.ids[found.codes[0]].tolist() == texts.tolist()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=16))
def test_rows_are_numbered_as_they_come_against_brute_force(rows) -> None:
    """Equal rows share a number, so that a table with room for the distinct ones is not too small."""
    distinct = list(dict.fromkeys(rows))
    first, codes = np.empty(16, dtype=np.int64), np.empty(len(rows), dtype=np.int32)
    found = number_rows(np.array(rows, dtype=np.uint32), np.full(32, -1, dtype=np.int32), first, codes)
    assert found == len(distinct)
    assert first[:found].tolist() == [rows.index(row) for row in distinct]
    assert codes.tolist() == [distinct.index(row) for row in rows]
    if found > 1:
        small = np.full(2, -1, dtype=np.int32)
        assert number_rows(np.array(rows, dtype=np.uint32), small, first[:1], codes) == -1


def test_of_no_numbers_there_are_none_by_hand() -> None:
    found = codes_of([np.empty(0, dtype=np.int16)])
    assert (found.n, found.ids.dtype, found.codes[0].dtype) == (0, np.int64, np.int32)


@pytest.mark.parametrize("apart", [1 << 16, (1 << 16) + 1, 10**9])
def test_whole_numbers_near_and_far_apart_by_hand(apart) -> None:
    found = codes_of([np.array([7 + apart, 7]), np.array([8])])
    assert found.ids.tolist() == [7, 8, 7 + apart]
    assert [codes.tolist() for codes in found.codes] == [[2, 0], [1]]
