"""Trials as rows: aligned by their key, named by their data. What a kind of another package gets: see test_extend."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import bertillon as bt
from bertillon.stats import Interval, Settings, Statistics, register_statistics, statistics_of
from bertillon.trials import RowTrials, align


@dataclass(frozen=True, eq=False)
class Keyed(RowTrials):
    photo: list
    score: list
    light: str = "day"
    name: str = ""
    kind, key = "keyed", "photo"

    def count(self, needs):
        return self.score


def test_rows_are_aligned_by_their_key():
    first, second = Keyed(list("abcd"), [1, 2, 3, 4], name="A"), Keyed(list("dxb"), [40, 0, 20], name="B")
    both = align(first, second)
    assert (both.first.score.tolist(), both.second.score.tolist()) == ([2, 4], [20, 40])
    assert (both.only_first, both.only_second, str(both.how)) == (2, 1, "by photo")
    assert align(first, first, by=("row",)).trials == 4
    assert align(first, second, by=("photo",)).trials == 2
    assert not first.same_as(replace(first, light="night"))
    assert first.same_as(replace(first, name="B"))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: Keyed(["a", "b"], [1]), r"columns are photo \(2,\), score \(1,\); expected the same length"),
        (lambda: align(Keyed(["a"], [1]), Keyed(["b"], [1])), "no photo in common"),
        (lambda: align(Keyed(["a", "a"], [1, 2]), Keyed(["a"], [1])), "photo has repeated values"),
        (lambda: align(Keyed(["a"], [1]), Keyed(["b"], [1]), by=("eye",)), "by eye; expected one of photo, score, row"),
    ],
)
def test_what_cannot_be_is_said(ask, message):
    with pytest.raises(bt.InputError, match=message):
        ask()


def test_a_kind_may_know_more_than_resampling():
    class Exact(Statistics):
        def by_formula(self, measure, result, level):
            return Interval(0.0, 1.0, level, "all there is")

    register_statistics("keyed", Exact)
    assert type(statistics_of(Keyed(["a"], [1]), Settings())) is Exact
    with pytest.raises(ValueError, match="'keyed' is registered twice"):
        register_statistics("keyed", Exact)


def test_data_have_one_name_in_any_order_and_precision():
    trials = Keyed(list("abcd"), [0.5, 1.5, np.nan, -0.0])
    assert trials.select([3, 1, 0, 2]).fingerprint == trials.fingerprint
    assert Keyed(np.array(list("abcd"), dtype="U9"), [0.5, 1.5, np.nan, 0]).fingerprint == trials.fingerprint
    assert Keyed(list("abcd"), np.array([0.5, 1.5, np.nan, 0], dtype=np.float32)).fingerprint == trials.fingerprint
    assert Keyed(np.array(list("abcd"), dtype=">U3"), trials.score.astype(">f8")).fingerprint == trials.fingerprint


@pytest.mark.parametrize(
    ("photo", "score"),
    [
        (list("abcd"), [1, 2, 4, 3]),  # what belongs to what
        (list("abc"), [1, 2, 3]),
        (list("abcda"), [1, 2, 3, 4, 1]),  # a trial twice
        (["a", "b", "c", "dd"], [1, 2, 3, 4]),
        ([1, 2, 3, 4], list("abcd")),  # the other column
        (list("abcd"), [[1, 2], [2, 0], [3, 0], [4, 0]]),
        (list("abcd"), np.array([1, 2, 3, None], dtype=object)),
    ],
)
def test_other_data_have_another_name(photo, score):
    known = [Keyed(list("abcd"), [1, 2, 3, 4]), Keyed(list("abcd"), [[2, 1], [0, 2], [0, 3], [0, 4]])]
    assert Keyed(photo, score).fingerprint not in {one.fingerprint for one in known}


def test_letters_belong_to_their_column():
    assert Keyed(["ab"], ["c"]).fingerprint != Keyed(["a"], ["bc"]).fingerprint


def test_rows_that_hold_other_things_have_a_name_too():
    days = np.array(["2020-01-01", "2021-05-06"], dtype="datetime64[D]")
    mixed = Keyed(days, [None, "x"])
    assert mixed.fingerprint == Keyed(days[::-1], ["x", None]).fingerprint != Keyed(days, ["x", None]).fingerprint
    assert Keyed([], []).fingerprint == Keyed([], []).fingerprint
