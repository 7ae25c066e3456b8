"""T5: one score from several templates of a person."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.core import InputError
from bertillon.matching import HOW, fuse_by_person

NAN = math.nan
cells = st.sampled_from([NAN, 0.0, 1.0, -2.5, NAN, 3.0, math.inf, -math.inf])


@st.composite
def blocks(draw):
    """A block of scores with gaps and ties, and the owners of its columns."""
    people = draw(st.lists(st.sampled_from("abc"), min_size=2, max_size=7))
    rows = draw(st.lists(st.lists(cells, min_size=len(people), max_size=len(people)), min_size=1, max_size=4))
    return np.array(rows, dtype=draw(st.sampled_from([np.float32, np.float64]))), people


def looped(row, subjects, person: str, how: str, rule: str) -> float:
    left = [score for score, owner in zip(row, subjects, strict=True) if owner == person and not math.isnan(score)]
    if not left:
        return NAN
    if how == "mean":
        return sum(left) / len(left)
    greatest = how == "max" or (how == "best" and rule == "similarity")
    return max(left) if greatest else min(left)


@given(blocks(), st.sampled_from(HOW), st.sampled_from(["similarity", "distance"]))
def test_T5_against_loops(case, how, rule):
    block, subjects = case
    fused, people = fuse_by_person(block, subjects, how=how, rule=rule)
    assert people.tolist() == sorted(set(subjects))
    assert fused.dtype == block.dtype
    expected = [[looped(row, subjects, person, how, rule) for person in people] for row in block.tolist()]
    np.testing.assert_allclose(fused, expected, rtol=1e-6)


def test_T5_best_is_the_most_alike_by_hand():
    block = [[1.0, 4.0, 2.0, NAN], [NAN, 5.0, NAN, 3.0]]
    similar, people = fuse_by_person(block, ["bob", "ann", "bob", "eve"])
    assert people.tolist() == ["ann", "bob", "eve"]
    np.testing.assert_array_equal(similar, [[4.0, 2.0, NAN], [5.0, NAN, 3.0]])
    distant, _ = fuse_by_person(block, ["bob", "ann", "bob", "eve"], rule="distance")
    np.testing.assert_array_equal(distant, [[4.0, 1.0, NAN], [5.0, NAN, 3.0]])
    mean, _ = fuse_by_person(block, ["bob", "ann", "bob", "eve"], how="mean")
    np.testing.assert_array_equal(mean, [[4.0, 1.5, NAN], [5.0, NAN, 3.0]])


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("rule", ["similarity", "distance"])
def test_T5_a_cell_that_does_not_count_is_passed_over_by_hand(how, rule):
    assert fuse_by_person([[NAN, 2.0], [2.0, NAN]], ["a", "a"], how=how, rule=rule)[0].tolist() == [[2.0], [2.0]]


def test_T5_nothing_is_written_to_the_block():
    block = np.array([[3.0, 1.0, 2.0]])
    fuse_by_person(block, ["b", "a", "b"])
    assert block.tolist() == [[3.0, 1.0, 2.0]]


def test_a_block_without_columns_has_no_people():
    scores, people = fuse_by_person(np.empty((2, 0)), [])
    assert (scores.shape, people.size) == ((2, 0), 0)


@pytest.mark.parametrize(
    ("block", "subjects", "options", "message"),
    [
        ([1.0], ["a"], {}, r"shape \(1,\); expected two dimensions"),
        ([[1.0, 2.0]], ["a"], {}, "1 column subjects for 2 columns; expected one for each"),
        ([["x"]], ["a"], {}, "holds no numbers"),
        ([[1.0]], ["a"], {"how": "median"}, "how is 'median'; expected one of best, mean, max, min"),
        ([[1.0]], ["a"], {"rule": "nearest"}, "rule is 'nearest'; expected 'similarity' or 'distance'"),
    ],
)
def test_bad_input_is_refused(block, subjects, options, message):
    with pytest.raises(InputError, match=message):
        fuse_by_person(block, subjects, **options)
