"""Counting non-mated scores as they come gives the numbers of keeping them all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bertillon as bt
from bertillon.counts.cells import CellCounter, Grid
from bertillon.counts.moments import Moments
from bertillon.measures import parse_all

EXACT = parse_all(
    [
        "EER",
        "EER[hull]",
        "EER[fvc]",
        "FNMR@FMR=0.3",
        "FNMR@FMR=0.01",
        "FMR@FNMR=0.2",
        "FMR@t=2",
        "ZeroFMR",
        "ZeroFNMR",
        "AUC",
        "KS",
        "minDCF(p=0.1)",
        "minCost(cfa=3,cfr=1,impostor=0.4)",
        "minCllr",
        "dprime",
        "FAR@t=2",
        "FTA",
    ]
)
small = st.integers(-4, 4)


@settings(deadline=None)
@given(
    mated=st.lists(small, min_size=1, max_size=8),
    nonmated=st.lists(st.one_of(small, st.just(math.nan), st.just(math.inf), st.just(-math.inf)), max_size=12),
    rule=st.sampled_from(list(bt.AcceptRule)),
    dtype=st.sampled_from([np.float32, np.float64]),
    cut=st.integers(0, 12),
)
def test_values_against_keeping_every_score(mated, nonmated, rule, dtype, cut) -> None:
    own, others = np.array(mated, dtype=dtype), np.array([nonmated], dtype=dtype)
    counter = CellCounter(Grid.around(own, rule, thresholds=[2.0]))
    for part in (others[:, :cut], others[:, cut:]):
        if part.size:
            counter.add(part, np.zeros(1, dtype=np.int64), np.ones(part.shape[1], dtype=np.int64))
    tally = counter.tally(own, 0)
    kept = bt.evaluate(bt.ScoreSet(own, others[0], rule=rule), EXACT)
    for measure in EXACT:
        value = measure.of(tally).value
        assert value == pytest.approx(kept[measure].value, rel=1e-9, abs=1e-9, nan_ok=True), str(measure)


def test_thresholds_keep_their_promise_by_hand() -> None:
    """FMR <= .4 starts at the non-mated 2.5 when all are kept; any threshold above 2 and up to 3 has the same FNMR."""
    mated, others = np.array([1.0, 3.0, 5.0]), np.array([[0.0, 2.0, 2.5]])
    counter = CellCounter(Grid.around(mated, bt.AcceptRule.SIMILARITY))
    counter.add(others, np.zeros(1, dtype=np.int64), np.ones(3, dtype=np.int64))
    (measure,) = parse_all(["FNMR@FMR=0.4"])
    found = measure.of(counter.tally(mated, 0))
    assert found.value == pytest.approx(1 / 3)
    assert 2.0 < found.threshold <= 3.0
    assert bt.outcomes(bt.ScoreSet(mated, others[0]), found.threshold).false_match <= 1


def test_pairs_of_one_owner_are_passed_over_and_weights_count() -> None:
    block = np.array([[9.0, 1.0], [2.0, 9.0]])
    counter = CellCounter(Grid.around(np.array([5.0]), bt.AcceptRule.SIMILARITY))
    counter.add(block, np.array([7, 8]), np.array([7, 8]), twice=True)
    assert counter.cells.sum() == 4
    tally = counter.tally(np.array([5.0]), 0)
    assert tally.n_nonmated == 4
    assert tally.errors.fmr.max() == 1.0
    assert tally.nonmated_moments == Moments(4, 1.5, 1.0)
