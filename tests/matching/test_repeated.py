"""P7: many random partitions from one seed, and what their numbers say together."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matching.builders import table

from bertillon.core import InputError
from bertillon.matching import repeat, split_gallery_probe, summarise

PEOPLE = table("aaabbbcccdddeeefff")


def draw(rng):
    return split_gallery_probe(PEOPLE, leave_out=0.3, rng=rng)


def roles(partitions) -> list[tuple[str, ...]]:
    return [tuple(part.role) for part in partitions]


def test_P7_the_same_seed_gives_the_same_runs():
    first, second = repeat(draw, runs=5, seed=11), repeat(draw, runs=5, seed=11)
    assert roles(first) == roles(second)
    assert [part.run for part in first] == [0, 1, 2, 3, 4]
    assert str(first[2].words[3]) == "Run 2 of runs 0 to 4, all from seed 11."


def test_P7_runs_differ_and_more_runs_leave_the_first_as_they_were():
    many = roles(repeat(draw, runs=10, seed=11))
    assert len(set(many)) == 10
    assert roles(repeat(draw, runs=3, seed=11)) == many[:3]
    assert not set(many) & set(roles(repeat(draw, runs=10, seed=12)))


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_P7_summary_against_statistics(values):
    found = summarise(values)
    assert found.mean == pytest.approx(statistics.fmean(values))
    assert found.sd == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-9)
    assert (found.low, found.high, found.values) == (min(values), max(values), tuple(values))


def test_P7_what_is_undefined_has_a_reason_by_hand():
    one = summarise([0.5])
    assert (one.mean, str(one.reason)) == (0.5, "one run has no spread")
    assert math.isnan(one.sd)
    gap = summarise([0.5, math.nan])
    assert math.isnan(gap.mean)
    assert str(gap.reason) == "undefined in 1 of 2 runs"
    assert summarise([1.0, math.inf]).mean == math.inf
    both = summarise([-math.inf, math.inf])
    assert math.isnan(both.mean)
    assert str(both.reason) == "infinite values have no spread"


def test_bad_runs_are_refused():
    with pytest.raises(InputError, match="no runs to summarise"):
        summarise([])
    with pytest.raises(InputError, match="run 1 gave 'x'; expected a number"):
        summarise([1.0, "x"])
    with pytest.raises(InputError, match="runs is 0; expected a whole number, 1 or more"):
        repeat(draw, runs=0, seed=1)
    with pytest.raises(InputError, match="seed is -1; expected a whole number, 0 or more"):
        repeat(draw, seed=-1)
