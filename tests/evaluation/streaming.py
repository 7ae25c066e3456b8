"""Streams as small and awkward as can be: every limit of the counting set so low that data of a few scores reach it.

Holds `tight` (the limits), `limits` and `cuts` (Hypothesis strategies for them and for where batches end),
`batches_of`, and the comparison `assert_exact_or_within`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st
from measures.table import as_tuple, close, name_of

import bertillon as bt
from bertillon.counts import stream_bins, stream_counts, stream_exact, stream_first, stream_keeping, stream_walk

FLOAT_SUMS = ("dprime", "FRatio", "Cllr", "calLoss")  # added up in another order than small sets are in memory
NEAR = [1 + k * 2**-40 for k in range(6)]  # distinct scores of one bin


@contextmanager
def tight(
    bits: int = 22, block: int = 3, gather: int = 1, finer: int = 4, keys: int = 4, pending: int = 2, keep: int = 0
) -> Iterator[None]:
    """Few bins, small blocks, little room; nothing is evaluated in memory unless `keep` says so."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (stream_bins, stream_exact, stream_keeping):
            patch.setattr(module, "BITS", bits)
        patch.setattr(stream_bins, "PAGE", min(stream_bins.PAGE, 1 << (bits - 1)))
        patch.setattr(stream_first, "KEPT_AT_MOST", keep)
        patch.setattr(stream_exact, "GATHERED_AT_MOST", gather)
        patch.setattr(stream_exact, "FINER_BINS", finer)
        for module in (stream_keeping, stream_counts):
            patch.setattr(module, "KEYS_AT_MOST", keys)
        patch.setattr(stream_keeping, "PENDING_AT_MOST", pending)
        patch.setattr(stream_walk, "BLOCK", block)
        yield


limits = st.builds(
    dict,
    bits=st.sampled_from([2, 3, 6, 13, 22]),
    block=st.integers(1, 5),
    gather=st.sampled_from([0, 1, 3, 100]),
    finer=st.sampled_from([2, 4, 1 << 18]),
    keys=st.sampled_from([1, 4, 8, 100]),
    pending=st.sampled_from([0, 2, 100]),
    keep=st.sampled_from([0, 0, 3]),
)
cuts = st.lists(st.integers(0, 14), max_size=4)


def batches_of(scores: bt.ScoreSet, ends: Sequence[int]) -> Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]:
    """The scores in batches that end at these places, from the beginning each time."""

    def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        places = [0, *sorted(ends), max(scores.mated.size, scores.nonmated.size)]
        for start, end in pairwise(places):
            yield scores.mated[start:end], scores.nonmated[start:end]

    return batches


def assert_exact_or_within(
    found: bt.Evaluation, name: str, truth: bt.Result, *, undefined: bool = False, sums: Sequence[str] = FLOAT_SUMS
) -> None:
    """To the last bit what memory gives, or within the bounds stated; `undefined` allows a reason instead."""
    name = str(bt.parse(name))
    result, bounds = found[name], getattr(found, "bounds", {})
    if name in bounds:
        low, high = bounds[name]
        assert low <= result.value <= high
        slack = 1e-12 * max(1.0, abs(truth.value)) if math.isfinite(truth.value) else 0.0
        assert low - slack <= truth.value <= high + slack, (name, truth, bounds[name])
    elif undefined and math.isnan(result.value):
        assert result.reason
    elif name_of(name) in sums and not math.isnan(truth.value):
        assert close(truth.value, result.value, rel=1e-12), (name, truth, result)
    else:
        assert as_tuple(truth) == as_tuple(result), (name, truth, result)
