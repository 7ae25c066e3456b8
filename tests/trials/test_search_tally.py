"""Counts of searches that are read beside watch lists: candidates returned, and the name of the data."""

from __future__ import annotations

import numpy as np
import pytest

from bertillon.core import InputError
from bertillon.trials import Returned, SearchSet, SearchTally

NAN = float("nan")


def searches(others: list[list[float]] | None, gallery_size: int = 5, rule: str = "similarity") -> SearchSet:
    """Searches of nobody enrolled, with their best candidates."""
    n = 3 if others is None else len(others)
    top = [row[0] if row else NAN for row in others or [[NAN]] * n]
    return SearchSet([False] * n, [NAN] * n, [-1] * n, [0] * n, top, top, gallery_size, rule, others=others)


def test_candidates_returned_and_lists_cut_off_by_hand() -> None:
    """Of three lists of two candidates one passes whole: more of the five in the gallery may have."""
    found = SearchTally(searches([[0.9, 0.5], [0.7, 0.4], [0.3, NAN]]))
    assert found.returned(0.5) == Returned(candidates=3, cut_off=1)
    assert found.returned(0.4) == Returned(candidates=4, cut_off=2)
    assert found.returned(0.0) == Returned(candidates=5, cut_off=2)
    assert found.returned(np.inf) == Returned(candidates=0, cut_off=0)


def test_whole_lists_are_not_cut_off_by_hand() -> None:
    tally = SearchTally(searches([[0.9, 0.5], [0.7, 0.4]], gallery_size=2))
    assert tally.returned(0.5) == Returned(candidates=3, cut_off=0)
    assert SearchTally(searches(None)).returned(0.5) is None


def test_candidates_of_distances_pass_below_by_hand() -> None:
    """A distance is oriented by its sign."""
    tally = SearchTally(searches([[0.1, 0.5], [0.3, 0.6]], rule="distance"))
    assert tally.returned(-0.5) == Returned(candidates=3, cut_off=1)


def test_a_search_is_silent_only_where_nobody_passes_by_hand() -> None:
    """Of three enrolled searches the mates score 0.9 at the top, 0.2 below another's 0.6, and 0.1 below 0.3."""
    found = SearchSet([True] * 3, [0.9, 0.2, 0.1], [0, 1, 2], [0] * 3, [0.9, 0.6, 0.3], [0.4, 0.6, 0.3], 5)
    tally = SearchTally(found)
    assert tally.threshold.tolist() == [0.1, 0.2, 0.3, 0.6, 0.9, np.inf]
    assert tally.top_score_errors().false_nonmatch.tolist() == [0, 0, 0, 1, 2, 3]
    assert tally.watch_list(k=np.inf).false_nonmatch.tolist() == [0, 1, 2, 2, 2, 3]  # where the mate must pass itself
    assert tally.watch_list(k=1).false_nonmatch.tolist() == [2, 2, 2, 2, 2, 3]
    assert tally.watch_list() is tally.watch_list(k=1)


def test_zero_has_one_spelling_by_hand() -> None:
    tally = SearchTally(searches([[-0.0], [-1.0]], gallery_size=1))
    assert [str(threshold) for threshold in tally.threshold.tolist()] == ["-1.0", "0.0", "inf"]


def test_the_name_of_the_data_is_that_of_all_searches_in_any_order_by_hand() -> None:
    """Searches of the enrolled and of others both count; their order does not."""
    columns = {
        "enrolled": [True, True, False, False],
        "mate_score": [0.9, 0.4, NAN, NAN],
        "n_better": [0, 1, -1, -1],
        "n_equal": [0] * 4,
        "top_score": [0.9, 0.5, 0.3, 0.2],
        "top_other": [0.1, 0.5, 0.3, 0.2],
    }

    def named(order: list[int], **changed: list[float]) -> str:
        rows = {name: [column[i] for i in order] for name, column in (columns | changed).items()}
        return SearchSet(**rows, gallery_size=3).fingerprint

    name = named([0, 1, 2, 3])
    assert {named([1, 0, 2, 3]), named([2, 0, 3, 1]), named([3, 2, 1, 0])} == {name}
    assert named([0, 1, 2, 3], top_score=[0.9, 0.5, 0.3, 0.25], top_other=[0.1, 0.5, 0.3, 0.25]) != name
    assert named([0, 1, 2, 3], mate_score=[0.9, 0.35, NAN, NAN]) != name
    assert named([0, 1, 2]) != name


@pytest.mark.parametrize("column", ["mate_score", "top_other"])
def test_the_name_of_the_data_does_not_depend_on_how_nan_is_spelled_by_hand(column: str) -> None:
    """Bits that differ within NaN are no other data; a score in its place is."""

    def named(value: float) -> str:
        columns = {"mate_score": 0.5, "top_other": 0.25} | {column: value}
        scores = columns["mate_score"], columns["top_other"]
        return SearchSet([True], scores[:1], [0], [0], [0.5], scores[1:], gallery_size=2).fingerprint

    spellings = np.array([0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000001], dtype=np.uint64).view(np.float64)
    assert len({named(value) for value in spellings}) == 1
    assert named(NAN) != named(0.125)


def test_an_unknown_way_of_detecting_is_refused() -> None:
    with pytest.raises(InputError, match="way of detecting"):
        SearchTally(searches([[0.9, 0.5]])).watch_list(by="mates")
