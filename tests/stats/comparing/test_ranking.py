"""Systems in order with letters: two share one unless a test found them different."""

from __future__ import annotations

import math
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from bertillon.core import say
from bertillon.stats import Difference, Interval, Versus, ranking_of

NAMES = "vwxyz"


def versus(first: str, second: str, values: dict[str, float], p: float, better: int = -1) -> Versus:
    difference = Difference(
        "EER", first, second, values[first], values[second], Interval(0, 0), p=p, adjusted_p=p, better=better
    )
    return Versus(first, second, (difference,), 10, "by row", say("unit.subjects"), 10)


def ranked(apart: set[tuple[str, str]], values: dict[str, float], better: int = -1) -> dict[str, str]:
    pairs = [versus(*pair, values, 0.001 if pair in apart else 0.6, better) for pair in combinations(sorted(values), 2)]
    return {one.name: one.letters for one in ranking_of(pairs, "EER")}


def test_letters_by_hand() -> None:
    values = {"x": 0.03, "y": 0.01, "z": 0.02}
    assert list(ranked(set(), values).items()) == [("y", "a"), ("z", "a"), ("x", "a")]
    assert list(ranked({("x", "y")}, values).items()) == [("y", "a"), ("z", "ab"), ("x", "b")]
    assert ranked({("x", "y"), ("x", "z"), ("y", "z")}, values) == {"y": "a", "z": "b", "x": "c"}
    assert list(ranked(set(), values, better=1)) == ["x", "z", "y"]


@given(st.sets(st.sampled_from([*combinations(NAMES, 2)])), st.permutations([0.1, 0.2, 0.3, 0.4, 0.5]))
def test_systems_share_a_letter_just_where_no_test_tells_them_apart(apart, values) -> None:
    letters = ranked(apart, dict(zip(NAMES, values, strict=True)))
    for pair in combinations(NAMES, 2):
        assert bool(set(letters[pair[0]]) & set(letters[pair[1]])) == (pair not in apart)
    used = set("".join(letters.values()))
    members = [{name for name in NAMES if letter in letters[name]} for letter in used]
    assert not any(one < other for one in members for other in members)


def test_there_is_no_order_without_a_direction_or_with_pairs_left_out() -> None:
    values = {"x": 0.03, "y": 0.01, "z": 0.02}
    assert ranked(set(), values, better=0) == {}
    assert ranking_of([versus("x", "y", values, 0.6), versus("x", "z", values, 0.6)], "EER") == []


def test_a_test_that_could_not_be_made_tells_nothing_apart() -> None:
    assert [one.letters for one in ranking_of([versus("x", "y", {"x": 0.1, "y": 0.2}, math.nan)], "EER")] == ["a", "a"]
