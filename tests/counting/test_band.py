"""Bands: what they hold, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from bertillon.core import InputError
from bertillon.counting import Band


def test_the_complement_by_hand() -> None:
    band = Band([0.1, 0.2], [0.0, 0.25], [0.5, 0.75], level=0.9, kind="simultaneous").complement
    assert band.low.tolist() == [0.5, 0.25]
    assert band.high.tolist() == [1.0, 0.75]
    assert str(band.name) == "90 % band, simultaneous"
    assert band.x.tolist() == [0.1, 0.2]


def test_places_may_repeat_and_ends_may_touch_by_hand() -> None:
    band = Band([1, 1], [0, 1], [0, 1])
    assert band.x.tolist() == [1.0, 1.0]
    assert {column.dtype for column in (band.x, band.low, band.high)} == {np.dtype(np.float64)}


@pytest.mark.parametrize(("level", "words"), [(0.999, "99.9 %"), (0.29, "29 %"), (0.9999994, "99.9999 %")])
def test_the_level_in_words_by_hand(level: float, words: str) -> None:
    """100 * 0.29 is 28.999999999999996; the words show what was meant."""
    assert str(Band([0], [0], [1], level=level).name) == f"{words} band, pointwise"


def test_unknown_ends_are_allowed() -> None:
    assert np.isnan(Band([0.1, 0.2], [np.nan, 0.0], [np.nan, 1.0]).low[0])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"x": [1, 2, 3]}, "3 places, 2 lower and 2 upper ends; expected as many of each"),
        ({"x": [2, 1]}, "x is not in ascending order"),
        ({"x": [np.nan, 1]}, "x is not in ascending order"),
        ({"low": [0.0, 0.9]}, "at 2 the lower end is above the upper one"),
        ({"low": [[0.0, 0.1]]}, "low has shape (1, 2)"),
        ({"low": [0.5, 0.9]}, "at 2 the lower end is above the upper one"),
        ({"level": 95}, "level is 95; expected a number between 0 and 1"),
        ({"level": 0.0}, "level is 0.0; expected"),
        ({"level": 1.0}, "level is 1.0; expected"),
        ({"level": 1.5}, "level is 1.5; expected"),
        ({"kind": "wide"}, "kind is 'wide'; expected pointwise or simultaneous"),
    ],
)
def test_what_is_wrong_is_said(given: dict, said: str) -> None:
    whole = {"x": [1, 2], "low": [0.0, 0.1], "high": [0.5, 0.6]} | given
    with pytest.raises(InputError) as error:
        Band(**whole)
    assert said in str(error.value)
