"""Each compiled loop beside the plainest way to get the same integers."""

from __future__ import annotations

import math
import statistics
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bertillon as bt
from bertillon.counting import (
    LIMITS,
    Moments,
    Wins,
    bin_keys,
    bins_of,
    bits_of,
    block_moments,
    count_every_threshold,
    count_wins,
    fingerprint,
    floats_of,
    folded,
    in_slices,
    key_range,
    keys_of,
    lowest,
    merge_sorted,
    moments_of,
    near_zero,
    slices,
    tally,
    wins_from_curve,
)
from bertillon.engine import workers

fingerprints = sys.modules["bertillon.counting.keys"]  # the room offers the function of that name
any_float = st.floats(allow_nan=False)
tied = st.integers(-3, 3).map(float)
arrays = st.lists(st.one_of(tied, any_float), max_size=12).map(lambda scores: np.array(scores, dtype=float))
filled = st.lists(st.one_of(tied, any_float), min_size=1, max_size=12).map(lambda scores: np.array(scores, dtype=float))


def single(scores: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # what is too large for float32 becomes infinite, a legal score
        return scores.astype(np.float32)


def pairs_won(mated: np.ndarray, nonmated: np.ndarray, sign: int) -> Wins:
    won = sum(sign * a > sign * b for a in mated for b in nonmated)
    tied = sum(a == b for a in mated for b in nonmated)
    return Wins(int(won), int(tied), mated.size * nonmated.size)


@given(arrays, arrays, st.sampled_from([1, -1]), st.sampled_from([1, 2, 5, 1 << 20]), st.sampled_from([1, 1 << 17]))
def test_count_wins_against_brute_force(mated, nonmated, sign, steps, smallest_slice):
    """V6: AUC counts strictly greater pairs and half of the ties (E6)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.memory, "rank_steps", steps)
        patch.setattr(LIMITS.memory, "smallest_slice", smallest_slice)
        assert count_wins(mated, nonmated, sign) == pairs_won(mated, nonmated, sign)
        singles = single(mated), single(nonmated)
        assert count_wins(*singles, sign) == pairs_won(*singles, sign)


@pytest.mark.parametrize("far", [2.0, 1e300, math.inf])
@pytest.mark.parametrize("sign", [1, -1])
def test_count_wins_of_scores_further_apart_than_a_signed_integer_by_hand(far, sign):
    """The keys of -2 and 2 are 2**63 apart."""
    assert count_wins(np.array([-far]), np.array([far, far, 0.0]), sign) == Wins(0 if sign > 0 else 3, 0, 3)
    assert count_wins(np.array([far, far, 0.0]), np.array([-far]), sign) == Wins(3 if sign > 0 else 0, 0, 3)


@given(arrays, arrays)
def test_wins_from_the_curve_against_brute_force(mated, nonmated):
    counts = count_every_threshold(mated, nonmated, compiled=False)
    assert wins_from_curve(counts.false_match, counts.false_nonmatch, mated.size) == pairs_won(mated, nonmated, 1)


@given(arrays, arrays)
def test_merging_two_sorted_arrays_against_numpy(mated, nonmated):
    mated, nonmated = np.sort(mated), np.sort(nonmated)
    size = mated.size + nonmated.size + 1
    threshold, false_match, false_nonmatch = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
    rows, m, n = merge_sorted(mated, nonmated, 0, 0, threshold, false_match, false_nonmatch, 0)
    assert (m, n) == (mated.size, nonmated.size)
    expected = np.unique(np.concatenate([mated, nonmated]))
    assert threshold[:rows].tolist() == expected.tolist()
    assert false_match[:rows].tolist() == [int(np.sum(nonmated >= t)) for t in expected]
    assert false_nonmatch[:rows].tolist() == [int(np.sum(mated < t)) for t in expected]


@given(filled)
def test_keys_order_as_the_floats_do(scores):
    """Equal floats share a key, -x has minus the key of x, and the float comes back."""
    for kind in (np.float64, np.float32):
        typed = single(scores) if kind is np.float32 else scores
        keys = keys_of(typed)
        assert np.array_equal(np.less.outer(typed, typed), np.less.outer(keys, keys))
        assert np.array_equal(keys_of(-typed), -keys)
        assert np.array_equal(floats_of(keys, kind), typed.astype(np.float64))


@given(filled, st.integers(0, 62), st.sampled_from([1, -1]))
def test_binning_against_numpy(scores, shift, sign):
    """The compiled range and bins are those of the plain keys, also where the range exceeds 2**63."""
    keys = keys_of(scores) * sign
    bits, low = bits_of(scores), lowest(scores.dtype)
    first, last = key_range(bits, low, sign, -(2**63) + 1, 2**63 - 1)
    assert (first, last) == (keys.min(), keys.max())
    shift = max(shift, (last - first).bit_length() - 16)
    counts = np.zeros(((last - first) >> shift) + 1, dtype=np.int64)
    bin_keys(bits, low, sign, first, last, shift, counts)
    exact = [(int(key) - first) >> shift for key in keys]
    assert bins_of(keys, first, shift).tolist() == exact
    assert counts.tolist() == np.bincount(exact, minlength=counts.size).tolist()


@given(st.lists(st.integers(-50, 50), max_size=40), st.integers(1, 200))
def test_a_base_to_fold_by_leaves_a_thousandth_near_zero_against_counting(keys, times):
    """More than a thousandth of the keys that are not zero lie within the base, and no smaller base would do."""
    sizes = [abs(key) for key in keys if key]
    enough = [base for base in sizes if 1000 * times * sum(size <= base for size in sizes) > times * len(sizes)]
    assert near_zero(np.repeat(np.array(keys, dtype=np.int64), times)) == min(enough, default=0)


def test_keys_next_to_zero_share_a_bin_once_folded_by_hand():
    """Of 4,000 keys, half of them below zero, the three nearest to zero on either side become one with it."""
    keys = np.concatenate([np.arange(-2000, 0), [0, 0, 0], np.arange(1, 2001)])
    assert near_zero(keys) == 3
    assert np.count_nonzero(folded(keys, near_zero(keys)) == 0) == 3 + 3 + 3
    assert near_zero(np.zeros(5, dtype=np.int64)) == 0


plain = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12).map(np.array)


@pytest.mark.parametrize("compiled", [True, False])
@given(plain, st.sampled_from([np.float64, np.float32]))
def test_moments_against_fractions(compiled, scores, kind):
    """V8: the variance is that of the population, divided by n."""
    scores = scores.astype(kind)
    exact = [Fraction(float(score)) for score in scores]
    mean, variance = statistics.mean(exact), statistics.pvariance(exact)
    found = moments_of(scores, compiled=compiled)
    scale = float(max(map(abs, exact)))
    assert found.n == scores.size
    assert found.mean == pytest.approx(float(mean), rel=1e-12, abs=1e-12 * scale)
    assert found.variance == pytest.approx(float(variance), rel=1e-9, abs=1e-14 * scale**2)


@pytest.mark.parametrize("size", [1, 7, 1000, 32_768, 32_769, 99_991, 262_147])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_moments_of_a_piece_at_a_time_against_those_of_the_whole_array(size, kind):
    """To the last bit, since numpy adds up the halves of an array in the same order."""
    scores = np.random.default_rng(size).normal(3.0, 0.1, size).astype(kind)
    values = scores.astype(np.float64)
    mean = float(values[0] + (values - values[0]).mean())
    expected = Moments(size, mean, float(np.square(values - mean).sum()), values.min(), values.max())
    found = moments_of(scores, compiled=False)
    assert found == expected
    assert (found.smallest, found.largest) == (expected.smallest, expected.largest)


@pytest.mark.parametrize("compiled", [True, False])
def test_moments_of_many_scores_in_blocks_against_numpy(compiled):
    """More than one block of the kernel, with a mean far from zero."""
    scores = np.random.default_rng(3).normal(1e6, 1.0, 10_000)
    found = moments_of(scores, compiled=compiled)
    assert found.mean == pytest.approx(scores.mean(), rel=1e-14)
    assert found.variance == pytest.approx(scores.var(), rel=1e-9)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("score", [0.1, 1 / 3, 1e300, -7.7])
def test_equal_scores_have_no_spread_by_hand(compiled, score):
    """STANDARDS 5: a class without spread must give d' = inf, which rounding would hide."""
    assert moments_of(np.full(5000, score), compiled=compiled) == Moments(5000, score, 0.0)


@given(plain, plain, plain)
def test_merging_moments_against_numpy(first, second, third):
    parts = [moments_of(part, compiled=False) for part in (first, np.empty(0), second, third)]
    merged = parts[0].merge(parts[1]).merge(parts[2]).merge(parts[3])
    together = np.concatenate([first, second, third])
    assert merged.n == together.size
    assert merged.mean == pytest.approx(together.mean(), rel=1e-9, abs=1e-6)
    assert merged.variance == pytest.approx(together.var(), rel=1e-9, abs=1e-3)


@pytest.mark.parametrize("scores", [[1.0], [3.0, -2.0, 7.0, 0.5], [-1.0, -4.0, -4.0], list(range(-5000, 5000))])
def test_a_compiled_pass_comes_by_the_ends_against_numpy(scores):
    """Smallest and largest, wherever they stand and in whichever block; merging keeps the outer ones."""
    values = np.array(scores, dtype=float)
    for order in (values, values[::-1].copy(), np.roll(values, 1)):
        found = moments_of(order, compiled=True)
        assert (found.smallest, found.largest) == (values.min(), values.max())
    both = moments_of(values, compiled=True).merge(moments_of(values + 1, compiled=True))
    assert (both.smallest, both.largest) == (values.min(), values.max() + 1)
    both = moments_of(values + 1, compiled=True).merge(moments_of(values, compiled=True))
    assert (both.smallest, both.largest) == (values.min(), values.max() + 1)


def test_a_single_score_has_its_own_moments_whatever_follows_it_by_hand():
    """A slice may be a single score of a larger array."""
    for after in (math.nan, math.inf, 1e300):
        assert block_moments(np.array([3.0, after])[:1]) == (1, 3.0, 0.0, 3.0, 3.0)


def test_moments_of_nothing_and_of_infinities_by_hand():
    for compiled in (True, False):
        assert math.isnan(moments_of(np.empty(0), compiled=compiled).variance)
        assert not math.isfinite(moments_of(np.array([1.0, math.inf]), compiled=compiled).variance)
        assert moments_of(np.array([-1e200, 1e200]), compiled=compiled).variance == math.inf


@given(arrays, arrays, st.randoms(use_true_random=False))
def test_a_fingerprint_does_not_depend_on_order_or_on_the_compiler(mated, nonmated, random):
    plain_print, single_print = fingerprint(mated, nonmated), fingerprint(single(mated), single(nonmated))
    shuffled = np.array(random.sample(mated.tolist(), mated.size), dtype=float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.memory, "hash_compiled_from", 0)
        patch.setattr(LIMITS.memory, "smallest_slice", 1)
        assert fingerprint(shuffled, nonmated) == plain_print
        assert fingerprint(single(shuffled), single(nonmated)) == single_print
    assert fingerprint(shuffled, nonmated) == plain_print


@pytest.mark.parametrize("end", [math.inf, -math.inf])
def test_infinite_scores_are_told_from_sums_that_overflow_by_hand(end) -> None:
    assert not moments_of(np.array([1.0, end]), compiled=True).of_finite
    assert moments_of(np.array([-1e308, -1e308, 1e308]), compiled=True).of_finite


def test_bins_of_keys_far_apart_are_exact_by_hand() -> None:
    """A range of keys may exceed 2**63, and a bin may be a single key."""
    assert bins_of(np.array([2**62 + 1]), -(2**61), 0).tolist() == [2**62 + 2**61 + 1]
    assert bins_of(np.array([2**63 - 1]), -(2**63), 62).tolist() == [3]


def test_the_name_of_the_data_counts_zeros_by_hand() -> None:
    """A zero scrambles to zero, so that only their number tells how many there are."""
    assert fingerprint(np.zeros(2), np.zeros(3)) == "0000000000000002-0000000000000003"


@settings(max_examples=30)
@given(filled, filled)
def test_a_fingerprint_tells_data_apart(mated, other):
    """The classes are not interchangeable and no score can be dropped, added or changed unseen."""
    name = fingerprint(mated, other)
    assert (fingerprint(other, mated) == name) == (sorted(mated) == sorted(other))
    assert fingerprint(np.append(mated, 1.5), other) != name
    assert fingerprint(mated, np.append(other[1:], np.nextafter(other[0], 0.0) if other[0] else 1e-9)) != name
    assert len(name) == 33


@pytest.mark.parametrize("compiled_from", [0, 1_000_000])
def test_a_fingerprint_counts_zeros_by_hand(compiled_from, monkeypatch):
    """The key of a zero is zero, and scrambling leaves it there; many matchers give many zeros."""
    monkeypatch.setattr(LIMITS.memory, "hash_compiled_from", compiled_from)
    names = {fingerprint(np.zeros(n), np.zeros(m)) for n in range(4) for m in range(4)}
    assert len(names) == 16


@given(st.integers(0, 40), st.sampled_from([1, 3, 100]))
def test_slices_cover_the_array_once_and_in_order(size, smallest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "available_cores", lambda: 4)
        patch.setattr(LIMITS.memory, "smallest_slice", smallest)
        parts = in_slices(np.ndarray.tolist, np.arange(size))
    assert [item for part in parts for item in part] == list(range(size))
    assert len(parts) == max(1, min(4, size // smallest))


def test_small_sets_need_no_compiler_by_hand(monkeypatch):
    """Loading it takes longer than sorting so few."""
    for name in ("numba", "bertillon.counting.kernels"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails
    monkeypatch.setattr(tally, "LOADED_FOR", set())  # as in a process that has not loaded it yet
    found = bt.evaluate(bt.ScoreSet([0.9, 0.4], [0.5, 0.1]), ["EER", "AUC", "dprime", "ZeroFMR"])
    assert [result.value for result in found.results.values()] == pytest.approx([0.5, 0.75, found["dprime"].value, 0.5])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_key_of_both_zeros_is_that_of_the_positive_one_by_hand(dtype):
    keys = keys_of(np.array([0.0, -0.0], dtype=dtype))
    assert keys.tolist() == [0, 0]
    assert not np.signbit(floats_of(keys, dtype)).any()


@pytest.mark.parametrize(
    ("size", "cores", "ends"), [(10, 3, [0, 3, 6, 10]), (9, 1, [0, 9]), (1, 2, [0, 0, 1]), (0, 2, [0, 0, 0])]
)
def test_as_many_slices_as_cores_by_hand(size, cores, ends, monkeypatch):
    monkeypatch.setattr(workers, "available_cores", lambda: cores)
    found = workers.slices_of(size)
    assert [found[0].start, *(part.stop for part in found)] == ends
    assert [part.start for part in found] == ends[:-1]
