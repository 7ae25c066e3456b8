"""Where the line of scores is cut, written out for a few scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.counting import LIMITS, cuts_of, weighted
from bertillon.trials import ScoreSet


@pytest.mark.parametrize(
    ("step", "last", "expected"),
    [
        (0.5, 10, [10, 9, 8, 6, 2, 1]),  # ranks 0, 1, 2.5, 4.75, 8.125 and the last
        (0.5, 5, [10, 9, 8, 6]),
        (0.5, 100, [10, 9, 8, 6, 2, 1]),
        (0.02, 4, [10, 9, 8, 7]),
    ],
)
def test_ranks_that_grow_by_a_share_by_hand(step, last, expected) -> None:
    assert weighted._at_growing_ranks(np.arange(10.0, 0.0, -1.0), step, last).tolist() == expected
    assert weighted._at_growing_ranks(np.empty(0), step, last).tolist() == []


def test_scores_from_the_top_to_the_median_by_hand() -> None:
    """Of 0 to 20 the median is 10."""
    assert weighted._near_top(np.arange(21.0), 0.5).tolist() == [20, 19, 18, 16, 12, 10]


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_cuts_of_many_scores_by_hand(rule, monkeypatch) -> None:
    """Close where errors are few (low mated, right above high non-mated), coarse beyond; asked ones and the lowest."""
    monkeypatch.setattr(LIMITS.weights, "exact_cuts", 3)
    sign = 1.0 if rule == "similarity" else -1.0
    scores = ScoreSet(sign * np.arange(21.0), sign * np.arange(-20.0, 1.0), rule=rule)
    found = cuts_of(scores, [sign * 3.25, sign * -20.0, sign * -21.0], fine=0.5)
    mated = [0, 1, 2, 4, 8, *range(10, 21)]
    above = np.nextafter(np.array([0.0, -1, -2, -4, -8, -10]), np.inf).tolist()
    assert found.tolist() == sorted({*mated, *above, *range(-20, -9), 3.25})
    assert not np.signbit(found[found == 0]).any()


@given(st.lists(st.integers(-3, 3), max_size=9), st.lists(st.integers(-3, 3), max_size=9), st.booleans())
def test_few_distinct_scores_are_all_cuts_against_sorting(mated, nonmated, near) -> None:
    """Up to `exact_cuts` distinct scores each is a cut; one more and it is no longer so."""
    scores = ScoreSet([float(one) for one in mated], [float(one) for one in nonmated])
    distinct = sorted({*mated, *nonmated})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS.weights, "exact_cuts", len(distinct) if near else 4096)
        assert cuts_of(scores).tolist() == distinct
        patch.setattr(LIMITS.weights, "exact_cuts", len(distinct) - 1)
        assert weighted._few_distinct(scores.mated, scores.nonmated) is None or not distinct


def test_minus_zero_is_zero_by_hand() -> None:
    found = cuts_of(ScoreSet([-0.0, 1.0], [0.0]))
    assert found.tolist() == [0.0, 1.0]
    assert not np.signbit(found).any()


def test_a_glance_at_many_scores_is_enough_by_hand(monkeypatch) -> None:
    """With more than 16 times `exact_cuts` the first 4 times as many tell; what they do not tell is looked up."""
    monkeypatch.setattr(LIMITS.weights, "exact_cuts", 2)
    monkeypatch.setattr(weighted, "_distinct", pytest.fail)
    assert weighted._few_distinct(np.arange(40.0), np.empty(0)) is None
    monkeypatch.setattr(weighted, "_distinct", np.unique)
    assert weighted._few_distinct(np.repeat([1.0, 2.0], 20), np.empty(0)).tolist() == [1.0, 2.0]
    assert weighted._few_distinct(np.concatenate([np.zeros(39), [1.0, 2.0]]), np.empty(0)) is None


@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_single_precision_is_cut_as_the_same_numbers_in_double_against_them(rule, monkeypatch) -> None:
    """A threshold right above a score is the next double, however the score was kept."""
    monkeypatch.setattr(LIMITS.weights, "exact_cuts", 3)
    rng = np.random.default_rng(6)
    mated, nonmated = (rng.normal(mean, 1, 300).astype(np.float32) for mean in (1, -1))
    single = cuts_of(ScoreSet(mated, nonmated, rule=rule))
    double = cuts_of(ScoreSet(mated.astype(np.float64), nonmated.astype(np.float64), rule=rule))
    assert single.tolist() == double.tolist()


def test_a_sample_places_cuts_from_the_top_to_the_median_against_ranks(monkeypatch) -> None:
    """Of many scores a part is looked at, but all of the highest: ranks from the top grow as they would from all."""
    monkeypatch.setattr(LIMITS.weights, "cut_sample", 1 << 12)
    monkeypatch.setattr(LIMITS.weights, "cut_tail", 200)
    n, step = 40_000, 0.05
    scores = np.random.default_rng(1).permutation(np.arange(float(n)))
    ranks = n - 1 - weighted._near_top(scores, step)
    assert (n - 1 - weighted._near_top(scores, step)).tolist() == ranks.tolist()  # the same sample again
    every = n - 1 - weighted._near_top(np.arange(float(n))[: 1 << 12] + n - (1 << 12), step)
    assert ranks[:60].tolist() == every[:60].tolist()
    assert (np.diff(ranks) > 0).all()
    assert (np.diff(ranks)[60:] < 3 * step * ranks[60:-1]).all()
    assert ranks[-1] == pytest.approx(n / 2, rel=0.05)


def test_a_score_that_most_have_is_a_cut_beside_those_above_it_by_hand(monkeypatch) -> None:
    """The sample knows only the score of the many; those above it are all looked at."""
    monkeypatch.setattr(LIMITS.weights, "cut_sample", 1 << 12)
    monkeypatch.setattr(LIMITS.weights, "cut_tail", 200)
    scores = np.concatenate([np.zeros(40_000), [1.0, 2.0, 3.0]])
    assert np.unique(weighted._near_top(scores, 0.05)).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("size", [100_000, 100_001])
def test_distinct_scores_against_numpy(size) -> None:
    scores = np.arange(size) % 7 / 2
    assert sorted(weighted._distinct(scores).tolist()) == [0, 0.5, 1, 1.5, 2, 2.5, 3]
