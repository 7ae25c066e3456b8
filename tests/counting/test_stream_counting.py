"""The pieces of counting a stream, each against counting by hand: bins, keys, spans and the curves that enclose."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.counting import (
    LIMITS,
    Bins,
    BinTable,
    Failures,
    KeyCounts,
    Spans,
    bin_numbers,
    bins_near_answers,
    floats_of,
    keys_of,
    lowest,
    shift_of,
)

floats = st.lists(
    st.one_of(st.floats(allow_nan=False), st.sampled_from([0.0, -0.0, 1.0, 1 + 2**-40, math.inf, -math.inf])),
    max_size=30,
)


def table_of(scores: np.ndarray, sign: int = 1) -> BinTable:
    table = BinTable(scores.dtype)
    table.add(scores, sign)
    return table


@given(floats, st.sampled_from([1, -1]), st.sampled_from([np.float64, np.float32]))
def test_bins_hold_each_score_between_their_ends_by_hand(values, sign, dtype):
    with np.errstate(over="ignore"):
        scores = np.array(values, dtype=dtype)
    bins = table_of(scores, sign).bins
    keys = np.sort(sign * keys_of(scores))
    number = bin_numbers(keys, dtype)
    assert bins.number.tolist() == np.unique(number).tolist()
    for place, one in enumerate(bins.number):
        inside = keys[number == one]
        assert (bins.count[place], bins.first[place], bins.last[place]) == (inside.size, inside[0], inside[-1])


@given(floats, st.integers(0, 30))
def test_bins_counted_apart_and_merged_are_those_counted_together(values, cut):
    scores = np.array(values)
    together, apart = table_of(scores).bins, Bins.merged([table_of(scores[:cut]).bins, table_of(scores[cut:]).bins])
    handed_over = table_of(scores[:cut])
    handed_over.add_bins(table_of(scores[cut:]).bins)
    added = BinTable(scores.dtype)
    for part in (scores[:cut], scores[cut:]):
        keys = KeyCounts.of(keys_of(part))
        added.add_keys(keys.key, keys.times)
    for name in ("number", "count", "first", "last"):
        assert getattr(together, name).tolist() == getattr(apart, name).tolist()
        assert getattr(together, name).tolist() == getattr(added.bins, name).tolist()
        assert getattr(together, name).tolist() == getattr(handed_over.bins, name).tolist()


@given(st.lists(st.lists(st.tuples(*[st.integers(0, 4)] * 4), max_size=4), max_size=4))
def test_any_bins_merged_against_brute_force(parts):
    """Wherever they lie, from the very first bin on."""
    columns = [np.array(rows, dtype=np.int64).reshape(-1, 4) for rows in parts]
    both = Bins.merged([Bins(*rows[np.argsort(rows[:, 0])].T) for rows in columns])
    every = [row for rows in parts for row in rows]
    assert both.number.tolist() == sorted({number for number, *_ in every})
    for place, one in enumerate(both.number):
        _, count, first, last = zip(*(row for row in every if row[0] == one), strict=True)
        assert (both.count[place], both.first[place], both.last[place]) == (sum(count), min(first), max(last))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bins_of_keys_from_the_lowest_on_are_those_they_are_counted_in(dtype):
    """Keys half a bin apart, two in a bin or one, and bins without any; from each of the keys on."""
    half = 1 << (shift_of(dtype) - 1)
    key = int(lowest(dtype)) + half * np.array([0, 1, 2, 3, 4, 9, 40])
    for begin in range(key.size + 1):
        times = np.arange(1, 8)[begin:]
        counted = BinTable(dtype)
        counted.add_keys(key[begin:], times)
        found = Bins.of_keys(KeyCounts(key[begin:], times), dtype)
        for name in ("number", "count", "first", "last"):
            assert getattr(found, name).tolist() == getattr(counted.bins, name).tolist()


@pytest.mark.parametrize(("dtype", "widest"), [(np.float64, 2**-10), (np.float32, 2**-13)])
def test_a_bin_is_at_most_a_thousandth_of_its_scores_wide(dtype, widest):
    """Of the fraction the first 10 bits are left, or 13, so a bin that begins at a power of two is so wide."""
    edges = np.arange(1, 1 << (LIMITS.streams.stream_bin_bits - 2), 997) << shift_of(dtype)
    high, low = (floats_of(edge, dtype).astype(float) for edge in (edges + (1 << shift_of(dtype)), edges))
    normal = (low > np.finfo(dtype).tiny) & (high < np.finfo(dtype).max)
    assert np.max((high[normal] - low[normal]) / low[normal]) == pytest.approx(widest, rel=0.1)
    assert widest < 1 / 1000


@given(st.lists(st.lists(st.integers(-5, 5), max_size=8), max_size=6))
def test_keys_merged_are_counted_together(parts):
    found = KeyCounts.merged([KeyCounts.of(np.array(part, dtype=np.int64)) for part in parts])
    every = [key for part in parts for key in part]
    assert found.key.tolist() == sorted(set(every))
    assert found.times.tolist() == [every.count(key) for key in sorted(set(every))]
    assert found.key.dtype == found.times.dtype == np.int64  # also where there are none


@given(st.lists(st.integers(-16, 15), unique=True), st.sets(st.integers(0, 7)))
def test_keys_of_flagged_bins_against_brute_force(keys, bins):
    """Eight bins of four keys; that of key 0 is the fifth."""
    flag = np.array([number in bins for number in range(8)], dtype=np.uint8)
    keys = sorted(keys)
    found = KeyCounts(np.array(keys, dtype=np.int64), np.arange(len(keys)) + 1).flagged(flag, 2)
    assert found.key.tolist() == [key for key in keys if key // 4 + 4 in bins]
    assert found.times.tolist() == [keys.index(key) + 1 for key in found.key]


def spans_of(mated: list[float], nonmated: list[float], cuts: list[float]) -> Spans:
    """Spans between cuts, each from its smallest to its largest score."""
    edges = [-math.inf, *sorted(set(cuts)), math.inf]
    rows = []
    for low, high in pairwise(edges):
        own, others = ([s for s in scores if low <= s < high or s == high == math.inf] for scores in (mated, nonmated))
        if own or others:
            keys = keys_of(np.array([*own, *others]))
            rows.append((keys.min(), keys.max(), len(own), len(others)))
    return Spans(*(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)))


whole = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=9)


@given(whole, whole, st.lists(st.integers(-4, 4).map(float), max_size=4))
def test_the_true_curve_lies_between_the_enclosing_ones_by_hand(mated, nonmated, cuts):
    """At every threshold the best curve makes no more errors of either kind than there are, and the worst no fewer."""
    spans = spans_of(mated, nonmated, cuts)
    best, worst = spans.enclosing(np.float64, Failures())
    exact = spans.errors(np.float64, Failures())
    for threshold in np.arange(-5, 5.25, 0.25):
        false_match, false_nonmatch = sum(s >= threshold for s in nonmated), sum(s < threshold for s in mated)
        for curve, within in ((best, np.less_equal), (worst, np.greater_equal)):
            row = min(int(np.searchsorted(curve.threshold, threshold)), len(curve) - 1)
            assert within(curve.false_match[row], false_match)
            assert within(curve.false_nonmatch[row], false_nonmatch)
    for row, threshold in enumerate(exact.threshold[:-1]):
        assert exact.false_match[row] == sum(s >= threshold for s in nonmated)
        assert exact.false_nonmatch[row] == sum(s < threshold for s in mated)
    assert exact.complete == all(spans.first == spans.last)


def test_errors_beyond_what_a_float_can_count_are_exact_by_hand():
    """2**53 + 1 mated and as many non-mated scores from 1 to 2: the corner makes all errors of one kind or none."""
    many = 2**53 + 1
    first, last = keys_of(np.array([1.0, 2.0]))
    spans = Spans(*(np.array([value]) for value in (first, last, many, many)))
    best, worst = spans.enclosing(np.float64, Failures())
    assert (best.false_match.tolist(), best.false_nonmatch.tolist()) == ([many, 0, 0], [0, 0, many])
    assert (worst.false_match.tolist(), worst.false_nonmatch.tolist()) == ([many, many, 0], [0, many, many])


def test_bins_near_the_answers_are_kept_and_small_tails_by_hand():
    """100 bins of ten scores each: one answer in bin 50, room for 50 keys, and a tail of two bins that costs 20."""
    mated = np.array([0] * 50 + [5] * 50)
    spans = Spans(np.arange(100), np.arange(100), mated, 10 - mated)
    outline = spans.errors(np.float64, Failures())
    held = np.full(100, 10)
    kept = np.flatnonzero(bins_near_answers(outline, spans.size, held, [lambda _: np.array([50])], keys=50, tail=0))
    assert kept.tolist() == [48, 49, 50, 51, 52]
    tail = bins_near_answers(outline, spans.size, held, [lambda _: np.array([50])], keys=50, tail=20)
    assert np.flatnonzero(tail).tolist() == [48, 49, 50, 51, 52]  # no threshold but the last has an FMR so small
    strict = Spans(spans.first, spans.last, np.full(100, 10), np.array([1000] * 98 + [1] * 2))
    kept = bins_near_answers(
        strict.errors(np.float64, Failures()), strict.size, held, [lambda _: np.array([50])], keys=50, tail=20
    )
    assert {98, 99} <= set(np.flatnonzero(kept).tolist())
