"""Confusion matrices, in a table or scattered, in one block or several, against counting pairs one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.counting import LIMITS, BinaryTrials, Confusion, code_totals, count_labels
from bertillon.trials import cells_at

rows = st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.5, 1.0, 2.0]))
pairs = st.lists(rows, min_size=1, max_size=12)
NAMES = ("a", "b", "c", "d")


@given(pairs, st.booleans(), st.sampled_from([0, 10**6]), st.sampled_from([1, 2, 5, 10**6]))
def test_pairs_of_labels_against_brute_force(rows, weighted, table, block) -> None:
    """K4: rows are true, columns predicted; with weights sums of weights."""
    truth, predicted, weights = (np.array([row[place] for row in rows]) for place in range(3))
    truth, predicted = truth.astype(np.int64), predicted.astype(np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.classes, "confusion_cells", table)
        patch.setattr(LIMITS.classes, "confusion_block", block)
        found = count_labels(truth, predicted, NAMES, weights=weights if weighted else None)
        totals = code_totals(truth, 4, weights=weights if weighted else None)
    expected = np.zeros((4, 4))
    for true, called, weight in rows:
        expected[true, called] += weight if weighted else 1
    assert found.matrix.tolist() == expected.tolist()
    assert totals.tolist() == expected.sum(axis=1).tolist()
    assert found.count.dtype == totals.dtype == (np.float64 if weighted else np.int64)
    assert found.total == expected.sum()
    assert found.true_sums.tolist() == expected.sum(axis=1).tolist()
    assert found.predicted_sums.tolist() == expected.sum(axis=0).tolist()
    assert found.right.tolist() == np.diag(expected).tolist()
    for code in range(4):
        one = found.cells(code)
        tp = expected[code, code]
        fp, fn = expected[:, code].sum() - tp, expected[code].sum() - tp
        assert (one.tp[0], one.fp[0], one.fn[0], one.tn[0]) == (tp, fp, fn, expected.sum() - tp - fp - fn)
        every = found.one_vs_rest
        assert (every.tp[code], every.fp[code], every.fn[code]) == (tp, fp, fn)


def test_a_confusion_of_four_cells_by_hand() -> None:
    found = Confusion.of_cells(("no", "yes"), 1, (4, 3, 2, 1), threshold=0.5)
    assert found.matrix.tolist() == [[1, 3], [2, 4]]
    assert found.threshold == 0.5
    assert found.to_frame().columns == ["true", "predicted", "count"]
    assert sorted(found.to_frame().rows()) == [("no", "no", 1), ("no", "yes", 3), ("yes", "no", 2), ("yes", "yes", 4)]


@pytest.mark.parametrize("cells", [(0, 3, 2, 1), (4, 0, 2, 1), (4, 3, 0, 1), (4, 3, 2, 0), (0, 0, 0, 0)])
def test_an_empty_cell_has_no_row_by_hand(cells) -> None:
    """A table of thousands of classes is as long as what happened, not as what could have."""
    places = [("yes", "yes"), ("no", "yes"), ("yes", "no"), ("no", "no")]  # tp, fp, fn, tn
    rows = Confusion.of_cells(("no", "yes"), 1, cells).to_frame().rows()
    assert sorted(rows) == sorted((*place, count) for place, count in zip(places, cells, strict=True) if count)


def test_weights_at_a_threshold_by_hand() -> None:
    """A score equal to the threshold is positive (E8)."""
    trials = BinaryTrials(
        np.array([0.5, 0.2]), np.array([0.5, 0.6, 0.1]), np.array([2.0, 3.0]), np.array([1.0, 4.0, 8.0])
    )
    assert cells_at(trials, 0.5) == (2.0, 5.0, 3.0, 8.0)
    assert cells_at(BinaryTrials(trials.mated, trials.nonmated), 0.5) == (1, 2, 1, 1)


def test_labels_are_counted_block_by_block_by_hand(monkeypatch) -> None:
    monkeypatch.setattr(LIMITS.classes, "confusion_block", 2)
    truth, predicted = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0])
    found = count_labels(truth, predicted, ("a", "b"))
    assert found.count.tolist() == [1, 1, 1, 2]
