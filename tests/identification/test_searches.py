"""Searches from matrices and blocks: the same numbers as plain loops, in whatever pieces the scores come."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from identification.cases import Case, cases, searches_of_square

import bertillon as bt
from bertillon.core import ScoreMatrix
from bertillon.trials import (
    LIMITS,
    SearchSet,
    search_blocks,
    searches_from_blocks,
    searches_from_matrix,
)

COLUMNS = ("enrolled", "mate_score", "n_better", "n_equal", "top_score", "top_other", "probe_subject")


def assert_same(one: SearchSet, other: SearchSet) -> None:
    for name in (*COLUMNS, "others"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert (one.failed_enrolled, one.failed_nonenrolled) == (other.failed_enrolled, other.failed_nonenrolled)
    assert (one.gallery_size, one.rule, one.fusion) == (other.gallery_size, other.rule, other.fusion)


@given(cases())
def test_matrix_against_brute_force(case):
    """C1, O1, O5, DESIGN 5: the numbers kept of each search, counted cell by cell."""
    found, twin = case.searches(), case.twin()
    assert (found.failed_enrolled, found.failed_nonenrolled) == (twin.failed_enrolled, twin.failed_nonenrolled)
    assert found.gallery_size == twin.gallery
    assert found.enrolled.tolist() == [s.enrolled for s in twin.searches]
    nan = math.nan
    mates = [nan if s.mate is None else s.mate for s in twin.searches]
    np.testing.assert_array_equal(found.rule.orient(found.mate_score), mates)
    np.testing.assert_array_equal(found.rule.orient(found.top_score), [s.top for s in twin.searches])
    np.testing.assert_array_equal(
        found.rule.orient(found.top_other), [max(s.others, default=nan) for s in twin.searches]
    )
    for ties in ("pessimistic", "optimistic", "mean"):
        assert found.ranks(ties).tolist() == [s.rank(ties) for s in twin.enrolled]
    np.testing.assert_allclose(found.average_precision, [s.precision for s in twin.searches], rtol=1e-12)
    for row, search in zip(found.rule.orient(found.others), twin.nonenrolled, strict=True):
        assert row[~np.isnan(row)].tolist() == sorted(search.others, reverse=True)


@st.composite
def cut_up(draw: st.DrawFn) -> tuple[Case, list]:
    """A case, and its cells in blocks: probes in groups, each group's columns in pieces, in any order."""
    case = draw(cases())
    rows = draw(st.permutations(range(len(case.probes))))
    edges = sorted(draw(st.sets(st.integers(1, max(len(rows) - 1, 1)))) | {0, len(rows)})
    blocks = []
    for begin, end in pairwise(edges):
        tile = list(rows[begin:end])
        columns = draw(st.permutations(range(len(case.gallery))))
        cuts = sorted(draw(st.sets(st.integers(1, max(len(columns) - 1, 1)))) | {0, len(columns)})
        for left, right in pairwise(cuts):
            piece = list(columns[left:right])
            blocks.append((tile, piece, case.scores[np.ix_(tile, piece)]))
    return case, draw(st.permutations(blocks))


def streamed(case: Case, blocks: list, **more) -> SearchSet:
    return searches_from_blocks(
        blocks,
        case.probes,
        case.gallery,
        rule=case.rule,
        fusion=case.fusion,
        all_against_all=case.all_against_all,
        **more,
    )


@given(cut_up())
def test_blocks_in_any_order_against_the_whole_matrix(cut):
    """DESIGN 5: a gallery streams through in blocks, people spread over them, ties and failures included."""
    case, blocks = cut
    assert_same(streamed(case, iter(blocks)), case.searches())


@given(cut_up())
def test_mates_known_beforehand_change_nothing(cut):
    case, blocks = cut
    whole = case.searches()
    if len(whole) < len(case.probes) or case.all_against_all:
        return
    assert_same(streamed(case, blocks, mate_scores=whole.mate_score), whole)


@given(cut_up())
def test_the_compiled_walk_against_numpy(cut):
    """The loop the compiler is given, run as it is; compiled it is tested on one large case below."""
    case, blocks = cut
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS, "search_compiled_from", 0)
        patch.setattr(search_blocks, "compiled_late", lambda walk: walk)
        by_walking = streamed(case, blocks, kept=2)
    assert_same(by_walking, streamed(case, blocks, kept=2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_blocks_go_through_the_compiler(dtype, monkeypatch):
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 50, (64, 300)).astype(dtype)
    probes, gallery = np.arange(64) % 40, np.repeat(np.arange(30), 10)
    matrix = ScoreMatrix(scores, probes, gallery)
    plain = searches_from_matrix(matrix, kept=4)
    monkeypatch.setattr(LIMITS, "search_compiled_from", 1)
    assert_same(searches_from_matrix(matrix, kept=4), plain)


def test_nothing_is_held_back_once_the_mates_are_known_by_hand():
    counter = search_blocks.SearchCounter(
        np.array([0, 1]),
        search_blocks.Gallery(np.arange(3), np.ones(3, dtype=np.int64)),
        rule=bt.AcceptRule.SIMILARITY,
        mate_scores=[0.9, 0.4],
    )
    counter.add([0, 1], [2], [[0.5], [0.5]])
    assert not counter.tiles[0].held
    counter.add([0, 1], [0, 1], [[0.9, 0.1], [0.2, 0.4]])
    assert counter.tiles == [None]
    assert counter.finish().better.tolist() == [0, 1]


@pytest.mark.parametrize("compiled", [False, True])
def test_the_mate_never_competes_with_itself(compiled, monkeypatch):
    """A mate's score computed apart may differ in its last bits from the one in the block."""
    if compiled:
        monkeypatch.setattr(LIMITS, "search_compiled_from", 0)
    block = [([0], [0, 1], np.array([[0.9, 0.5]]))]
    found = searches_from_blocks(block, ["a"], ["a", "b"], mate_scores=[math.nextafter(0.9, 0)])
    assert found.ranks().tolist() == [1]


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        ([([0, 1], [0], [[1.0], [1.0]])], "probe 0 has met 1 of 2 gallery templates"),
        ([([0], [0, 1], [[1.0, 1.0]])], "probe 1 has met none of 2 gallery templates"),
        ([([0, 1], [0, 0], np.ones((2, 2)))], "twice"),
        ([([0, 1], [0], np.ones((2, 1))), ([0, 1], [0], np.ones((2, 1)))], "twice"),
        ([([0, 1], [0], np.ones((2, 1))), ([0], [1], np.ones((1, 1)))], "blocks overlap"),
        ([([0, 1], [0, 1], np.ones((2, 2))), ([0, 1], [0, 1], np.ones((2, 2)))], "blocks overlap"),
        ([([0, 2], [0], np.ones((2, 1)))], "probe row 2 of 2"),
        ([([0, 1], [0], np.ones((2, 2)))], "has shape"),
    ],
)
def test_blocks_that_do_not_fit_together_are_refused(blocks, words):
    with pytest.raises(bt.InputError, match=words):
        searches_from_blocks(blocks, ["a", "b"], ["a", "b"])


def test_a_request_that_cannot_be_met_is_refused():
    matrix = ScoreMatrix(np.ones((1, 2)), np.array(["a"]), np.array(["a", "b"]))
    with pytest.raises(bt.InputError, match="square"):
        searches_from_matrix(matrix, all_against_all=True)
    with pytest.raises(bt.InputError, match="fusion is 'median'; expected best, mean"):
        searches_from_matrix(matrix, fusion="median")
    with pytest.raises(bt.InputError, match="rule is 'closer'"):
        searches_from_matrix(matrix, rule="closer")
    with pytest.raises(bt.InputError, match="kept is -1"):
        searches_from_matrix(matrix, kept=-1)
    with pytest.raises(bt.InputError, match="1 mate scores for 2 probes"):
        searches_from_blocks([], ["a", "b"], ["a"], mate_scores=[1.0])
    with pytest.raises(bt.InputError, match="same templates"):
        searches_from_blocks([], ["a", "b"], ["a", "c"], all_against_all=True)


def test_C1_several_templates_are_fused_and_people_ranked_by_hand():
    """C1: ann's two templates are one person; bob's mate has rank 2 whichever of ann's comes first."""
    scores = np.array([[0.9, 0.8, 0.7, 0.1]])
    matrix = ScoreMatrix(scores, np.array(["bob"]), np.array(["ann", "ann", "bob", "cat"]))
    assert searches_from_matrix(matrix).ranks().tolist() == [2]
    assert searches_from_matrix(matrix, fusion="none").ranks().tolist() == [3]
    assert searches_from_matrix(matrix, fusion="mean").top_score.tolist() == [pytest.approx(0.85)]
    assert searches_from_matrix(matrix, fusion="min").top_score.tolist() == [0.8]
    turned = replace(matrix, scores=-scores)
    assert searches_from_matrix(turned, rule="distance").ranks().tolist() == [2]
    assert searches_from_matrix(turned, rule="distance", fusion="max").top_score.tolist() == [-0.8]


def test_E5_probes_without_a_mate_leave_the_closed_set_and_it_is_said():
    """E5: the denominator of CMS is the number of probes that have a mate."""
    matrix = ScoreMatrix(np.eye(3), np.array(["a", "b", "z"]), np.array(["a", "b", "c"]))
    found = searches_from_matrix(matrix)
    assert (found.n_enrolled, found.n_nonenrolled) == (2, 1)
    assert "One of 3 probes has no mate in the gallery" in str(found.notes[-1])


def test_failed_comparisons_and_failed_searches_by_hand():
    """DESIGN 9: a mate whose comparison failed is never found, but counts; a row of NaN is a failed search."""
    nan = math.nan
    scores = np.array([[nan, 0.3], [0.9, nan], [nan, nan], [nan, nan], [0.2, nan]])
    matrix = ScoreMatrix(scores, np.array(["a", "a", "a", "z", "z"]), np.array(["a", "b"]))
    found = searches_from_matrix(matrix)
    assert found.ranks().tolist() == [math.inf, 1]
    assert found.top_score.tolist() == [0.3, 0.9, 0.2]
    assert (found.failed_enrolled, found.failed_nonenrolled, found.failed) == (1, 1, 2)


def test_a_mask_says_who_is_who_and_what_is_no_comparison():
    """A BEE matrix has no ids: its mask makes the people."""
    scores = np.array([[9.0, 8.0, 1.0], [2.0, 3.0, 7.0], [4.0, 5.0, 6.0]])
    mated = np.array([[True, True, False], [False, False, True], [False, False, False]])
    ignored = np.array([[True, False, False], [False, False, False], [True, True, True]])
    names = np.array(["q 1", "q 2", "q 3"]), np.array(["t 1", "t 2", "t 3"])
    matrix = ScoreMatrix(scores, *names, mated=mated, ignored=ignored)
    found = searches_from_matrix(matrix)
    assert found.gallery_size == 2
    assert found.mate_score.tolist() == [8, 7]
    assert found.top_other.tolist() == [1, 3]
    assert found.failed == 0
    broken = replace(matrix, mated=np.array([[True, True, False], [True, False, True], [False] * 3]))
    with pytest.raises(bt.InputError, match="mask"):
        searches_from_matrix(broken)


@pytest.mark.parametrize("shape", [(0, 0), (2, 0), (0, 2)])
def test_nothing_to_search_is_an_empty_set(shape):
    names = np.array(["a", "b"])
    found = searches_from_matrix(ScoreMatrix(np.empty(shape), names[: shape[0]], names[: shape[1]]))
    assert len(found) == 0
    assert found.failed == shape[0]


def test_O5_one_person_all_against_all_has_no_nonenrolled_search():
    found = searches_of_square(np.ones((3, 3)), ["a", "a", "a"])
    assert (found.n_enrolled, found.n_nonenrolled, found.failed) == (3, 0, 0)
    assert "one person" in str(found.notes[-1])


def test_subjects_may_be_numbers_on_one_side_and_text_on_the_other():
    found = searches_from_blocks([([0], [0, 1], [[0.5, 0.4]])], [7], ["7", "8"])
    assert found.ranks().tolist() == [1]


@given(cases(all_against_all=False), st.integers(0, 6))
def test_sets_of_different_probes_joined_against_the_whole(case, cut):
    parts = [
        replace(case, scores=case.scores[chosen], probes=case.probes[chosen])
        for chosen in (slice(0, cut), slice(cut, None))
    ]
    assert_same(SearchSet.join([part.searches() for part in parts]), case.searches())


def test_joining_refuses_what_differs():
    one, other = SearchSet.from_ranks([1], 3), SearchSet.from_ranks([1], 4)
    with pytest.raises(bt.InputError, match="gallery_size"):
        SearchSet.join([one, other])
    with pytest.raises(bt.InputError, match="no searches"):
        SearchSet.join([])


def test_a_search_set_refuses_what_cannot_be():
    good = {"mate_score": [0.5], "n_better": [0], "n_equal": [0], "top_score": [0.5], "top_other": [0.1]}
    assert SearchSet([True], **good, gallery_size=2).ranks().tolist() == [1]
    for change, words in (
        ({"n_better": [2]}, "rank 3 in a gallery of 2"),
        ({"n_better": [-2]}, "negative"),
        ({"mate_score": [0.6]}, "more alike than the top"),
        ({"top_score": [math.nan]}, "more alike than the top"),
        ({"n_equal": [0, 0]}, "equal has shape"),
        ({"mate_score": ["x"]}, "not numbers"),
        ({"others": [[0.1]]}, "others has shape"),
        ({"rule": "closer"}, "rule is 'closer'"),
    ):
        with pytest.raises(bt.InputError, match=words):
            SearchSet([True], **{**good, "gallery_size": 2, **change})
    with pytest.raises(bt.InputError, match="whole numbers"):
        SearchSet.from_ranks([1.5])
    with pytest.raises(bt.InputError, match="ties is 'random'"):
        SearchSet.from_ranks([1]).ranks("random")
