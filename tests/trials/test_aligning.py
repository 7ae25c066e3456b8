"""Which trial of the one system is which of the other. SPEC U2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.trials import align


def ids(text: str) -> bt.TrialIds:
    """`a-b c-d`: probe a with reference b, then c with d."""
    pairs = [pair.split("-") for pair in text.split()]
    return bt.TrialIds(probe=np.array([p for p, _ in pairs]), reference=np.array([r for _, r in pairs]))


def system(mated, own: str, nonmated, others: str, name: str = "", **more) -> bt.ScoreSet:
    return bt.ScoreSet(mated, nonmated, mated_ids=ids(own), nonmated_ids=ids(others), name=name, **more)


A = system([1, 2, 3], "a-a b-b c-c", [4, 5], "a-b b-a", "A")


def test_rows_in_another_order_meet_by_their_names_by_hand():
    b = system([30, 10, 20], "c-c a-a b-b", [50, 40], "b-a a-b", "B", rule="distance")
    both = align(A, b)
    assert both.first.mated.tolist() == [1, 2, 3]
    assert both.second.mated.tolist() == [10, 20, 30]
    assert both.second.nonmated.tolist() == [40, 50]
    assert both.second.rule is bt.AcceptRule.DISTANCE
    assert (str(both.how), both.trials, both.only_first, both.only_second, both.notes) == (
        "by probe and reference",
        5,
        0,
        0,
        (),
    )
    assert both.second.mated_ids.probe.tolist() == ["a", "b", "c"]


def test_what_only_one_has_is_left_out_counted_and_said_by_hand():
    b = system([10, 70], "a-a x-x", [40, 50, 60], "a-b b-a x-y", "B")
    both = align(A, b)
    assert both.first.mated.tolist() == [1]
    assert both.first.nonmated.tolist() == [4, 5]
    assert (both.only_first, both.only_second) == (2, 2)
    assert tuple(map(str, both.notes)) == (
        "2 comparisons of A (2 mated, 0 non-mated) have no score in B and are left out.",
        "2 comparisons of B (1 mated, 1 non-mated) have no score in A and are left out.",
    )


def test_a_failed_comparison_is_left_out_and_stays_a_failure():
    b = system([10, np.nan, 30], "a-a b-b c-c", [40, 50], "a-b b-a", "B")
    both = align(A, b)
    assert both.first.mated.tolist() == [1, 3]
    assert both.second.failures.mated == 1
    assert both.first.failures.mated == 0
    assert both.only_first == 1


@given(st.permutations(range(6)), st.permutations(range(6)), st.integers(1, 6), st.integers(1, 6))
def test_any_order_and_any_part_against_brute_force(one, other, kept_one, kept_other):
    one, other = one[:kept_one], other[:kept_other]
    first = system(one, " ".join(f"p{i}-r" for i in one), [0], "x-y", "A")
    second = system(np.array(other) * 10, " ".join(f"p{i}-r" for i in other), [0], "x-y", "B")
    both = align(first, second)
    common = [i for i in one if i in other]
    assert both.first.mated.tolist() == common
    assert both.second.mated.tolist() == [10 * i for i in common]
    assert both.only_first == len(one) - len(common)


def matrix(order: list[int], scale: float, *, twice: bool = False) -> bt.ScoreSet:
    """A square matrix as it is read: row and column numbers, and whose they are."""
    people = np.array([f"s{i // 2 if twice else i}" for i in order])
    rows, columns = (side.ravel() for side in np.meshgrid(range(len(order)), range(len(order)), indexing="ij"))
    cells = np.array([scale * (10 * order[i] + order[j]) for i, j in zip(rows, columns, strict=True)])
    mated = people[rows] == people[columns]
    parts = [
        bt.TrialIds(people[rows[chosen]], people[columns[chosen]], rows[chosen], columns[chosen])
        for chosen in (mated, ~mated)
    ]
    return bt.ScoreSet(cells[mated], cells[~mated], mated_ids=parts[0], nonmated_ids=parts[1], name=f"m{scale:g}")


def test_matrices_meet_by_people_even_with_their_rows_in_another_order():
    """The numbers of rows are no names: row 0 of the one is row 2 of the other."""
    both = align(matrix([0, 1, 2], 1), matrix([2, 0, 1], 100))
    assert str(both.how) == "by probe's subject and reference's subject"
    assert (both.second.mated == 100 * both.first.mated).all()
    assert (both.second.nonmated == 100 * both.first.nonmated).all()
    assert (both.only_first, both.only_second) == (0, 0)


def test_people_with_several_rows_are_with_distinct_names_by_their_numbers():
    both = align(matrix([0, 1, 2, 3], 1, twice=True), matrix([0, 1, 2, 3], 100, twice=True))
    assert str(both.how) == "by probe's subject, reference's subject, probe and reference"
    assert (both.second.nonmated == 100 * both.first.nonmated).all()
    moved = align(matrix([0, 1, 2, 3], 1, twice=True), matrix([2, 3, 0, 1], 100, twice=True), by=["probe", "reference"])
    assert moved.only_first == 0
    with pytest.raises(bt.InputError, match=r"no comparison in common by probe's subject.*--paired-by.*--unpaired"):
        align(matrix([0, 1, 2, 3], 1, twice=True), matrix([2, 3, 0, 1], 100, twice=True))


def test_what_one_system_knows_of_people_serves_both():
    named = bt.TrialIds(np.array(["x", "y"]), np.array(["x", "y"]), np.array(["a", "b"]), np.array(["a", "b"]))
    a = system([1, 2], "a-a b-b", [3], "a-b", "A")
    b = bt.ScoreSet([10, 20], [30], mated_ids=named, nonmated_ids=ids("a-b"), name="B")
    both = align(a, b)
    assert both.first.mated_ids.probe_subject.tolist() == ["x", "y"]
    assert both.first.nonmated_ids.probe_subject is None


def test_repeated_comparisons_go_in_their_order_or_are_refused():
    one = system([1, 2, 3], "a-a a-a b-b", [0], "a-b", "A")
    other = system([30, 10, 20], "b-b a-a a-a", [0], "a-b", "B")
    assert align(one, other).second.mated.tolist() == [10, 20, 30]
    with pytest.raises(bt.InputError, match="a, a occurs 2 times in A and 1 times in B"):
        align(one, system([30, 10], "b-b a-a", [0], "a-b", "B"))


def test_row_by_row_is_said_aloud_by_hand():
    both = align(bt.ScoreSet([1, 2], [3]), bt.ScoreSet([10, 20], [30]))
    assert str(both.how) == "row by row"
    assert both.second.mated.tolist() == [10, 20]
    assert tuple(map(str, both.notes)) == (
        "Scores are aligned row by row, mated and non-mated separately, because neither system has IDs.",
    )
    asked = align(A, bt.ScoreSet([10, 20, 30], [40, 50]), by=["row"])
    assert "as requested" in str(asked.notes[0])
    assert asked.second.mated_ids.probe.tolist() == ["a", "b", "c"]


PLAIN = bt.ScoreSet([1, 2], [3], name="P")
WRONG = {
    "different lengths without ids": (
        PLAIN,
        bt.ScoreSet([1], [3], name="Q"),
        None,
        "P has 2 mated scores and Q 1.*--unpaired",
    ),
    "failures without ids": (
        PLAIN,
        bt.ScoreSet([1, 2], [3, np.nan], name="Q"),
        None,
        "Q: 1 comparisons failed, .*rows they stood in",
    ),
    "ids on one side": (A, bt.ScoreSet([1, 2, 3], [4, 5], name="Q"), None, "A knows probe and reference and Q no ids"),
    "nothing in common": (
        A,
        system([1], "v-v", [2], "v-w", "Q"),
        None,
        "no comparison in common by probe and reference: A has probe a, reference a / probe b, reference b and Q has "
        "probe v, reference v",
    ),
    "unknown column": (A, A, ["person"], "paired by person; expected some of probe_subject"),
    "row and more": (A, A, ["row", "probe"], "or row alone"),
    "no columns": (A, A, [], "paired by nothing"),
    "column not known": (A, A, ["probe_subject"], "A: has no ids called probe_subject; it knows probe and reference"),
    "other labels": (
        A,
        system([1, 2, 4], "a-a b-b a-b", [3, 5], "c-c b-a", "Q"),
        None,
        "1 comparisons are mated in A and non-mated in Q; the first is c, c",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_aligned_is_refused_in_words(case):
    first, second, by, message = WRONG[case]
    with pytest.raises(bt.InputError, match=message):
        align(first, second, by=by)


def searches(ranks, people, enrolled=None, name="", **more) -> bt.SearchSet:
    ranks = np.array(ranks)
    known = np.ones(ranks.size, bool) if enrolled is None else np.array(enrolled)
    unknown = np.full(ranks.size, np.nan)
    subject = None if people is None else np.array(list(people))
    zero = np.zeros(ranks.size, int)
    return bt.SearchSet(
        known,
        unknown,
        np.where(known, ranks - 1, -1),
        zero,
        unknown,
        unknown,
        10,
        probe_subject=subject,
        name=name,
        **more,
    )


def test_searches_meet_by_who_searched_by_hand():
    both = align(searches([1, 2, 3], "abc", name="A"), searches([30 - 21, 8, 7], "cbx", name="B"))
    assert both.first.ranks().tolist() == [2, 3]
    assert both.second.ranks().tolist() == [8, 9]
    assert (both.only_first, both.only_second, both.trials) == (1, 1, 2)
    assert str(both.how) == "by probe's subject"
    assert "One search of A has no counterpart in B" in str(both.notes[0])


def test_searches_of_non_enrolled_people_keep_their_candidates():
    others = np.array([[0.1], [0.2]])
    a = searches([1, 0, 0], "abc", [True, False, False], others=others, name="A")
    b = searches([1, 0], "ca", [False, False], name="B")
    both = align(a, searches([0, 1], "ca", [False, True], others=np.array([[0.9]]), name="B"))
    assert both.first.others.tolist() == [[0.2]]
    assert both.second.others.tolist() == [[0.9]]
    assert both.first.enrolled.tolist() == both.second.enrolled.tolist() == [True, False]
    assert align(a, b).trials == 1  # a is enrolled in the one and not in the other


def test_searches_of_the_same_people_in_the_same_order_meet_by_rows():
    assert align(searches([1, 2, 5], "aab"), searches([3, 4, 6], "aab")).trials == 3
    assert align(searches([1, 2], None), searches([3, 4], "ab")).second.ranks().tolist() == [3, 4]
    with pytest.raises(bt.InputError, match="more than once"):
        align(searches([1, 2, 5], "aab"), searches([3, 4, 6], "aba"))
    with pytest.raises(bt.InputError, match="who searched is not known"):
        align(searches([1, 2], None), searches([3, 4, 5], None))
    with pytest.raises(bt.InputError, match=r"no search in common: A has searches of a, b, B of x, y, z, \.\.\."):
        align(searches([1, 2], "ab", name="A"), searches([3, 4, 1, 1], "xyzv", name="B"))


def test_different_galleries_are_said():
    larger = bt.SearchSet.from_ranks([1, 2], gallery_size=50)
    notes = align(bt.SearchSet.from_ranks([1, 2], gallery_size=10), larger).notes
    assert "10 people in a system, 50 in a system" in str(notes[0])


def test_predictions_meet_row_by_row_with_the_same_truth():
    one = bt.Predictions.from_labels(["cat", "dog"], ["cat", "cat"], name="A")
    other = bt.Predictions.from_labels(["cat", "dog"], ["dog", "dog"], classes=["dog", "cat"], name="B")
    assert align(one, other).trials == 2
    with pytest.raises(bt.InputError, match="row 1 is cat in A and dog in C"):
        align(one, bt.Predictions.from_labels(["dog", "cat"], ["dog", "dog"], name="C"))
    with pytest.raises(bt.InputError, match="A has 2 predictions and C 3"):
        align(one, bt.Predictions.from_labels(["dog", "cat", "cat"], ["dog", "dog", "cat"], name="C"))
    failed = bt.Predictions.from_scores([1, 0, 1], [0.5, np.nan, 0.7], name="F")
    with pytest.raises(bt.InputError, match="F: 1 predictions failed"):
        align(failed, failed)


def test_systems_of_different_kinds_are_refused():
    with pytest.raises(bt.InputError, match="not of one kind"):
        align(PLAIN, bt.SearchSet.from_ranks([1]))
    with pytest.raises(bt.InputError, match="only comparisons can be aligned by ids"):
        align(bt.SearchSet.from_ranks([1]), bt.SearchSet.from_ranks([1]), by=["probe"])


def test_predictions_that_weigh_differently_or_ask_for_another_class_are_refused_by_hand() -> None:
    """The same classifier would have another recall, by weights or by class, and be called better or worse."""
    plain = bt.Predictions.from_probabilities([1, 0, 1], [0.9, 0.2, 0.4], name="A")
    weighted = bt.Predictions.from_probabilities([1, 0, 1], [0.9, 0.2, 0.4], weights=[1, 5, 1], name="B")
    with pytest.raises(
        bt.InputError, match="row 2 weighs 1 in A and 5 in B; expected the same weights, or none, in both"
    ):
        align(plain, weighted)
    turned = bt.Predictions.from_probabilities([1, 0, 1], [0.1, 0.8, 0.6], positive=0, name="C")
    with pytest.raises(bt.InputError, match="1 is the positive class in A and 0 in C; expected the same one"):
        align(plain, turned)
    even = bt.Predictions.from_probabilities([1, 0, 1], [0.9, 0.2, 0.4], weights=[1, 1, 1], name="D")
    assert align(plain, even).trials == 3
