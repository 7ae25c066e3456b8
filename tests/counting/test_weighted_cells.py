"""Weighted counts in cells against sums score by score; cuts and numbers of ids behind them (U1)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.core import AcceptRule
from bertillon.counting import LIMITS, WeightedCells, cells_of, codes_of, cuts_of
from bertillon.trials import ScoreSet, simulate


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("largest", [3, 90, 500])
def test_counts_against_brute_force(compiled: bool, largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIMITS.weights, "weigh_in_numpy_up_to", 0 if compiled else 10**9)
    rng = np.random.default_rng(largest)
    cell, one, other = rng.integers(7, size=900), rng.integers(20, size=900), rng.integers(20, size=900)
    weights = rng.integers(-1, largest + 1, size=(20, 9)).astype(np.int16)
    counts = WeightedCells.of(cell, one, other, 8).counts(weights)  # the last cell is empty
    assert counts.dtype == np.int64
    for b in range(9):
        wide = weights[:, b].astype(np.int64)
        expected = np.zeros(8, dtype=np.int64)
        np.add.at(expected, cell, wide[one] * wide[other])
        assert counts[:, b].tolist() == expected.tolist()


def test_more_units_than_16_bits_hold() -> None:
    units = np.array([0, 70_000])
    cells = WeightedCells.of(np.array([0, 0]), units, units, 1)
    weights = np.ones((70_001, 1), dtype=np.int16)
    weights[70_000] = 3
    assert cells.counts(weights).tolist() == [[10]]


def test_shared_leaves_out_scores_of_one_unit() -> None:
    cells = WeightedCells.of(np.array([0, 1, 1]), np.array([0, 1, 0]), np.array([2, 0, 2]), 2)
    shared = cells.shared(always=2)
    assert shared is not None
    assert shared.totals.tolist() == [0, 1]
    assert WeightedCells.of(np.array([0]), np.array([0]), np.array([2]), 1).shared(always=2) is None


@pytest.mark.parametrize("rule", list(AcceptRule))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compiled_cells_against_searchsorted(
    rule: AcceptRule, dtype: type[np.floating], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    scores = np.concatenate([rng.normal(0, 3, 500), [np.inf, -np.inf, 0.0, -0.0, 1e30]]).astype(dtype)
    places = np.unique(rule.orient(scores[rng.integers(scores.size, size=60)]).astype(np.float64) + 0.0)
    places = np.append(-np.inf, places[np.isfinite(places)])
    monkeypatch.setattr(LIMITS.weights, "weigh_in_numpy_up_to", 0)
    expected = np.searchsorted(places, rule.orient(scores), side="right") - 1
    assert cells_of(scores, rule, places).tolist() == expected.tolist()


def test_few_distinct_scores_are_all_cuts() -> None:
    scores = ScoreSet([1.0, 5.0, np.inf], [2.0, 1.0, -3.0], rule="distance")
    assert cuts_of(scores).tolist() == [-np.inf, -5.0, -2.0, -1.0, 3.0]


def test_cuts_follow_the_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """From cut to cut FNMR and FMR change by a small share of themselves, or by a score or two, up to a half."""
    monkeypatch.setattr(LIMITS.weights, "cut_sample", 1 << 14)
    scores = simulate("binormal", dprime=3, mated=20_000, nonmated=60_000, rng=1).scores
    places = cuts_of(scores, [1.25])
    assert 1.25 in places
    assert places[0] == min(scores.mated.min(), scores.nonmated.min())
    below = np.searchsorted(np.sort(scores.mated), places)
    above = scores.nonmated.size - np.searchsorted(np.sort(scores.nonmated), places)
    for errors, n in ((below, scores.mated.size), (above[::-1], scores.nonmated.size)):
        few = errors[errors < n // 2]
        steps = np.diff(few) / np.maximum(few[:-1], 1)
        assert few[:20].tolist()[0] == 0
        assert (np.diff(few) <= np.maximum(2, 0.03 * few[:-1])).all()  # a sample places them, not all scores
        assert np.quantile(steps[few[:-1] > 400], 0.5) < 0.004


@given(st.lists(st.lists(st.integers(-3, 3), max_size=8), min_size=1, max_size=3))
def test_codes_of_whole_numbers(columns: list[list[int]]) -> None:
    arrays = [np.array(column, dtype=np.int64) for column in columns]
    found = codes_of(arrays)
    assert found is not None
    assert found.ids.tolist() == sorted({value for column in columns for value in column})
    assert [found.ids[codes].tolist() for codes in found.codes] == columns


@pytest.mark.parametrize("kind", [np.str_, object, np.int64])
def test_codes_are_the_same_for_many_ids(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    numbers = rng.integers(10_000, 99_999, size=(2, 3000))
    columns = [column.astype(np.str_).astype(kind) for column in numbers]
    monkeypatch.setattr(LIMITS.memory, "sort_ids_up_to", 10**9)
    few = codes_of(columns)
    monkeypatch.setattr(LIMITS.memory, "sort_ids_up_to", 0)
    many = codes_of(columns)
    assert few is not None
    assert many is not None
    assert few.ids.tolist() == many.ids.tolist()
    assert [c.tolist() for c in few.codes] == [c.tolist() for c in many.codes]
    assert [few.ids[c].tolist() for c in few.codes] == [c.tolist() for c in columns]


@pytest.mark.parametrize("small", [0, 10**9])
def test_missing_ids_cannot_be_numbered(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIMITS.memory, "sort_ids_up_to", small)
    assert codes_of([np.array(["a", None], dtype=object)]) is None
    assert codes_of([np.array(["a", float("nan")], dtype=object)]) is None
    assert codes_of([np.array([1.0, np.nan])]) is None
    mixed = codes_of([np.array(["a", 3], dtype=object), np.array([3, 4])])
    assert mixed is not None
    assert mixed.ids.tolist() == ["3", "4", "a"]


def test_shared_keeps_cells_that_become_empty_by_hand() -> None:
    """The last cells lose their scores and stay, so that counts keep their places."""
    cells = WeightedCells.of(np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([1, 2, 2]), 4)
    shared = cells.shared(always=2)
    assert shared is not None
    assert shared.start.tolist() == [0, 1, 1, 1, 1]
    assert shared.ordered.tolist() == [[0, 1]]
    assert shared.start.dtype == np.int64
    whole = WeightedCells.of(np.array([0]), np.array([0]), np.array([1]), 1)
    assert whole.shared(always=2) is whole


@pytest.mark.parametrize(("largest", "kind"), [(2**16 - 1, np.uint16), (2**16, np.int32)])
@pytest.mark.parametrize("small", [0, 10**6])
def test_units_take_as_little_room_as_they_fit_in_by_hand(
    largest: int, kind: type, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LIMITS.weights, "weigh_in_numpy_up_to", small)
    cells = WeightedCells.of(np.array([1, 0]), np.array([largest, 3]), np.array([0, largest]), 2)
    assert cells.ordered.dtype == kind
    assert cells.ordered.tolist() == [[3, largest], [largest, 0]]
    assert cells.start.tolist() == [0, 1, 2]


def test_no_scores_leave_every_cell_empty_by_hand() -> None:
    nothing = np.empty(0, dtype=np.int64)
    cells = WeightedCells.of(nothing, nothing, nothing, 3)
    assert cells.totals.tolist() == [0, 0, 0]
    assert cells.counts(np.ones((2, 4), dtype=np.int16)).tolist() == [[0] * 4] * 3


def test_compiled_cells_from_the_first_cut_to_the_last_against_searchsorted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuts closer to each other than a step, at both ends of the line and between."""
    monkeypatch.setattr(LIMITS.weights, "weigh_in_numpy_up_to", 0)
    ends = np.arange(50) * 1e-6
    places = np.concatenate([ends, np.linspace(0.1, 0.9, 200), 1 - ends[::-1]])
    scores = np.concatenate([places, places[1:] - 1e-9, [2.0, np.inf]])
    expected = np.searchsorted(places, scores, side="right") - 1
    assert cells_of(scores, AcceptRule.SIMILARITY, places).tolist() == expected.tolist()
