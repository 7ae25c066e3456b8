"""Streams as small and awkward as can be: every limit of the counting set so low that data of a few scores reach it.

Holds `tight` (the limits), `limits` and `cuts` (Hypothesis strategies for them and for where batches end), `cases` (the
strategy for what comes in a stream) with `Case`, `batches_of`, and the comparison `assert_exact_or_within`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st
from measures.table import Question, as_tuple, rates

import bertillon as bt
from bertillon import counting, measures
from bertillon.counting import Need
from bertillon.trials import ScoreStream

NEAR = [1 + k * 2**-40 for k in range(6)]  # distinct scores of one bin
NEAR_32 = [1 + k * 2**-20 for k in range(6)]  # the same in 32 bits
ROUNDING = 1e-12  # of what bounds say
SUMS = 1e-14  # of the largest score: how far mean and spread of parts may be from those of the whole, for each part
Batches = Callable[[], Iterator[tuple[np.ndarray, np.ndarray]]]


@contextmanager
def tight(
    bits: int = 22, block: int = 3, gather: int = 1, finer: int = 4, keys: int = 4, pending: int = 2, keep: int = 0
) -> Iterator[None]:
    """Few bins, small blocks, little room; nothing is evaluated in memory unless `keep` says so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting.LIMITS.streams, "stream_bin_bits", bits)
        patch.setattr(counting.LIMITS.streams, "page_bins", min(counting.LIMITS.streams.page_bins, 1 << (bits - 1)))
        patch.setattr(counting.LIMITS.streams, "kept_scores", keep)
        patch.setattr(counting.LIMITS.streams, "gathered_keys", gather)
        patch.setattr(counting.LIMITS.streams, "finer_bins", finer)
        patch.setattr(counting.LIMITS.streams, "kept_keys", keys)
        patch.setattr(counting.LIMITS.streams, "pending_keys", pending)
        patch.setattr(counting.LIMITS.memory, "block_scores", block)
        yield


@contextmanager
def large(block: int) -> Iterator[None]:
    """Sets in memory are evaluated as if they were large, in blocks of so many scores."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting.LIMITS.memory, "sort_up_to", 0)
        patch.setattr(counting.LIMITS.memory, "block_scores", block)
        patch.setattr(measures.LIMITS, "llr_chunk", block)
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

ELEMENTS = {
    "ties": st.integers(-3, 6).map(float),
    "one bin": st.sampled_from([*NEAR, *NEAR_32, 0.0, 1.0, 2.0, -1.0]),
    "extremes": st.sampled_from(
        [0.0, -0.0, 5e-324, -5e-324, 1e-300, 1.0, *NEAR, -2.0, 1e300, -1e300, math.inf, -math.inf]
    ),
    "anything": st.one_of(st.floats(-4, 4), st.integers(-2, 2).map(float), st.sampled_from([math.inf, -math.inf])),
}


@dataclass(frozen=True)
class Case:
    """What comes in a stream, NaN for failed comparisons included, and the rate and threshold to ask about."""

    mated: np.ndarray
    nonmated: np.ndarray
    rule: str
    failures: bt.Failures
    x: float
    t: float

    @property
    def question(self) -> Question:
        """The same for a set in memory."""
        scores = bt.ScoreSet(self.mated, self.nonmated, rule=self.rule, failures=self.failures)
        return Question(scores, self.x, self.t)

    def stream(self, ends: Sequence[int], *, once: bool = False) -> ScoreStream:
        batches = batches_of(self, ends)
        return ScoreStream(batches() if once else batches, rule=self.rule, failures=self.failures)

    def parts(self, ends: Sequence[int]) -> list[ScoreStream]:
        """Each batch a stream of its own; the failures known from elsewhere come with the first."""
        known = {"failures": self.failures}
        return [
            ScoreStream([batch], rule=self.rule, name=f"part {place}", **({} if place else known))
            for place, batch in enumerate(batches_of(self, ends)())
        ]

    @property
    def largest(self) -> float:
        finite = [abs(s) for s in (*self.mated.tolist(), *self.nonmated.tolist()) if math.isfinite(s)]
        return max(finite, default=0.0)


@st.composite
def cases(draw: st.DrawFn, elements: str) -> Case:
    """Few scores with many ties in 64 or 32 bits; classes may be empty, and comparisons and enrolments failed."""
    scores = st.lists(st.one_of(*[ELEMENTS[elements]] * 3, st.just(math.nan)), max_size=14)
    dtype, failed = draw(st.sampled_from([np.float64, np.float32])), draw(st.integers(0, 3))
    with np.errstate(over="ignore"):
        mated, nonmated = (np.array(draw(scores), dtype=np.float64).astype(dtype) for _ in range(2))
    failures = bt.Failures(draw(st.integers(0, 2)), draw(st.integers(0, 2)), failed, failed + draw(st.integers(0, 3)))
    rule = draw(st.sampled_from(["similarity", "distance"]))
    return Case(mated, nonmated, rule, failures, draw(rates), draw(ELEMENTS[elements]))


def batches_of(scores: Case | bt.ScoreSet, ends: Sequence[int]) -> Batches:
    """The scores in batches that end at these places, from the beginning each time."""

    def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        places = [0, *sorted(ends), max(scores.mated.size, scores.nonmated.size)]
        for start, end in pairwise(places):
            yield scores.mated[start:end], scores.nonmated[start:end]

    return batches


def assert_exact_or_within(
    found: bt.Evaluation, asked: str | bt.measures.Measure, truth: bt.measures.Result, *, undefined: bool = False
) -> None:
    """What the evaluation says of itself is true: to the last bit what memory gives, or within the bounds stated.

    `undefined` allows a reason in place of a number.
    """
    measure = bt.parse(asked)
    name, result, bounds = str(measure), found[measure], getattr(found, "bounds", {})
    if name in bounds:
        low, high = bounds[name]
        assert low <= result.value <= high
        slack = ROUNDING * max(1.0, abs(truth.value)) if math.isfinite(truth.value) else 0.0
        assert low - slack <= truth.value <= high + slack, (name, truth, bounds[name])
    elif undefined and math.isnan(result.value):
        assert result.reason
    else:
        assert as_tuple(truth) == as_tuple(result), (name, truth, result)


def rests_on_sums(name: str) -> bool:
    """Does a measure read means and variances, which parts that are merged add up in an order of their own?"""
    return Need.MOMENTS in bt.parse(name).needs
