"""How often people meet, against going through all pairs of templates."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from engine.cases import small_plan
from hypothesis import given
from hypothesis import strategies as st

from bertillon.counting import PlannedAcross, PlannedComparisons, count_comparisons

sides = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=5)


def met(probes, references) -> dict[tuple[int, int], int]:
    """Comparisons of each pair of people, one probe and one reference at a time."""
    found = dict.fromkeys(combinations(range(len(probes)), 2), 0)
    for a, b in product(range(len(probes)), repeat=2):
        if a != b:
            found[min(a, b), max(a, b)] += probes[a] * references[b]
    return found


@given(sides)
def test_meetings_against_brute_force(people) -> None:
    """U8: of each person, of each pair, and the sum of squares that the spread of a rate is made of."""
    probes, references = (np.array(side) for side in zip(*people, strict=True))
    planned, pairs = PlannedComparisons(probes, references, once=False), met(probes.tolist(), references.tolist())
    assert planned.people == len(people)
    assert planned.of_person.tolist() == [
        sum(n for pair, n in pairs.items() if person in pair) for person in range(len(people))
    ]
    assert planned.squares_of_pairs == sum(n * n for n in pairs.values())
    if pairs:
        first, second = (np.array(side) for side in zip(*pairs, strict=True))
        assert planned.of_pair(first, second).tolist() == list(pairs.values())


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_pairs_that_stand_once_are_half_as_many_against_brute_force(templates) -> None:
    counts = np.array(templates)
    once, both = PlannedComparisons(counts, counts, once=True), PlannedComparisons(counts, counts, once=False)
    assert (2 * once.of_person).tolist() == both.of_person.tolist()
    assert 4 * once.squares_of_pairs == both.squares_of_pairs
    people = np.arange(counts.size)
    assert (2 * once.of_pair(people, people[::-1])).tolist() == both.of_pair(people, people[::-1]).tolist()


def test_meetings_beyond_what_a_float_can_count_are_exact_by_hand() -> None:
    """Two people with a billion templates and a few more: p = 10**9 + 1 and q = 10**9 + 3 meet 2pq times, or pq."""
    p, q = 10**9 + 1, 10**9 + 3
    counts, one, other = np.array([p, q]), np.array([0]), np.array([1])
    for once, met_ in ((False, 2 * p * q), (True, p * q)):
        planned = PlannedComparisons(counts, counts, once)
        assert planned.of_pair(one, other).tolist() == [met_]
        assert (planned.squares_of_pairs, type(planned.squares_of_pairs)) == (met_**2, int)
        across = PlannedAcross(counts, counts, once, np.array([True, False]))
        assert (across.squares_of_pairs, type(across.squares_of_pairs)) == (met_**2, int)


def test_a_person_with_one_template_meets_another_once_by_hand() -> None:
    assert PlannedComparisons(np.array([1, 0]), np.array([0, 1]), once=False).squares_of_pairs == 1
    assert PlannedComparisons(np.array([0, 1]), np.array([1, 0]), once=False).squares_of_pairs == 1


def most_apart(pairs: list[tuple[int, int]]) -> int:
    """The largest number of pairs of which no two share anybody."""
    if not pairs:
        return 0
    (a, b), *rest = pairs
    return max(most_apart(rest), 1 + most_apart([pair for pair in rest if not {a, b} & set(pair)]))


@given(sides)
def test_pairs_apart_are_never_more_than_there_are_against_brute_force(people) -> None:
    probes, references = (np.array(side) for side in zip(*people, strict=True))
    pairs = [pair for pair, n in met(probes.tolist(), references.tolist()).items() if n]
    apart = PlannedComparisons(probes, references, once=False).disjoint_pairs
    assert apart <= most_apart(pairs)
    assert (apart > 0) == bool(pairs)


@pytest.mark.parametrize(
    ("probes", "references", "apart"),
    [
        ([1, 1, 1, 1], [1, 1, 1, 1], 2),  # six pairs in four rounds
        ([1, 0], [0, 1], 1),
        ([1, 1, 0, 0, 0], [0, 0, 1, 1, 1], 2),  # six pairs, the busiest has three partners
        ([1, 1], [1, 1], 1),
        ([2, 2, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1], 3),  # fifteen pairs in six rounds
        ([1, 1, 1, 0], [0, 1, 1, 1], 2),  # six pairs; the second and third have three partners each
        ([1, 1, 1, 0], [0, 0, 0, 1], 1),  # three pairs, all with the one on the right
        ([1, 0, 0, 0, 0], [0, 1, 1, 1, 1], 1),  # four pairs, all with the one on the left
        ([1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], 3),  # nine pairs in four rounds
        ([1, 1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1], 3),  # twelve pairs in five rounds
        ([1, 1, 1, 1, 0], [1, 1, 0, 0, 0], 2),  # five pairs in four rounds; the last person takes no part
        ([1], [1], 0),
        ([], [], 0),
    ],
)
def test_pairs_apart_by_hand(probes, references, apart) -> None:
    assert (
        PlannedComparisons(np.array(probes, dtype=int), np.array(references, dtype=int), once=False).disjoint_pairs
        == apart
    )


@pytest.mark.parametrize(
    ("probes", "references", "apart"),
    [
        ([0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1], 3),  # nine pairs in four rounds
        ([1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], 3),
        ([1, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 1], 1),  # two pairs, both with the first person
        ([], [], 0),
    ],
)
def test_pairs_apart_across_groups_by_hand(probes, references, apart) -> None:
    """The first three people are of one group."""
    counts = (np.array(side, dtype=int) for side in (probes, references))
    assert PlannedAcross(*counts, once=False, first=np.arange(len(probes)) < 3).disjoint_pairs == apart


@given(sides)
def test_pairs_apart_across_groups_are_never_more_than_there_are_against_brute_force(people) -> None:
    probes, references = (np.array(side) for side in zip(*people, strict=True))
    first = np.arange(len(people)) % 2 == 0
    pairs = [(a, b) for (a, b), n in met(probes.tolist(), references.tolist()).items() if n and first[a] != first[b]]
    apart = PlannedAcross(probes, references, once=False, first=first).disjoint_pairs
    assert apart <= most_apart(pairs)
    assert (apart > 0) == bool(pairs)


def test_scores_are_kept_in_their_own_precision_by_hand() -> None:
    assert count_comparisons(small_plan()).people.kept.score.dtype == np.float32


def test_what_was_kept_in_words_by_hand() -> None:
    people = count_comparisons(small_plan()).people
    assert str(people.note) == "The subjects of all comparisons are kept, for intervals by subject."
    some = replace(people, above=0.5)
    assert str(some.note) == (
        "The subjects are kept for all mated and for 594 non-mated comparisons (the highest scores and a random part "
        "of the rest), for intervals by subject."
    )
