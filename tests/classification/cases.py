"""Small predictions with many ties, for Hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from bertillon.trials import Predictions

GRID = (0.0, 0.1, 0.2, 0.25, 0.5, 0.6, 0.75, 0.9, 1.0)
INNER = GRID[1:-1]


@st.composite
def binary(draw: st.DrawFn, *, values=GRID, weighted: bool | None = None, smallest: int = 1, largest: int = 14):
    """Truth (0/1), probabilities of the positive class, and weights or None."""
    n = draw(st.integers(smallest, largest))
    truth = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    p = np.array(draw(st.lists(st.sampled_from(values), min_size=n, max_size=n)))
    weights = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = np.array(draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.7]), min_size=n, max_size=n)))
    return truth, p, weights


@st.composite
def several(draw: st.DrawFn, *, weighted: bool | None = None, inner: bool = False):
    """Truth (codes), a matrix of probabilities with ties, and weights or None."""
    n, classes = draw(st.integers(2, 12)), draw(st.integers(3, 4))
    truth = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    raw = np.array(draw(st.lists(st.integers(1 if inner else 0, 4), min_size=n * classes, max_size=n * classes)))
    matrix = raw.reshape(n, classes).astype(float)
    matrix[matrix.sum(axis=1) == 0] = 1.0
    weights = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = np.array(draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.7]), min_size=n, max_size=n)))
    return truth, matrix / matrix.sum(axis=1, keepdims=True), weights


@st.composite
def labels(draw: st.DrawFn, *, classes: int = 4):
    """True and predicted codes, and weights or None."""
    n = draw(st.integers(1, 20))
    columns = [np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n))) for _ in range(2)]
    weights = None
    if draw(st.booleans()):
        weights = np.array(draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.7]), min_size=n, max_size=n)))
    return columns[0], columns[1], weights


def of_binary(case) -> Predictions:
    truth, p, weights = case
    return Predictions.from_probabilities(truth, p, weights=weights)


def of_several(case) -> Predictions:
    truth, matrix, weights = case
    return Predictions.from_probabilities(truth, matrix, classes=range(matrix.shape[1]), weights=weights)
