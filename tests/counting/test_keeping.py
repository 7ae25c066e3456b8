"""Which comparisons are kept: how many, by chance, and in what order they are read back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from engine.cases import against_gallery, small_plan

from bertillon.counting import Keeping, Kept, KeptByPiece
from bertillon.trials import compare


def test_the_highest_are_thinned_by_their_chance_against_theory() -> None:
    places = np.arange(10_000)
    assert Keeping(0.5, 1.0, 0.0).thin(places, np.random.default_rng(1)) is places
    kept = Keeping(0.5, 0.25, 0.0).thin(places, np.random.default_rng(1))
    assert abs(kept.size - 2500) < 5 * math.sqrt(10_000 * 0.25 * 0.75)
    assert (np.diff(kept) > 0).all()
    assert Keeping(0.5, 0.0, 0.0).thin(places, np.random.default_rng(1)).size == 0


class Lowest:
    """Draws zero, the lowest number a generator can give."""

    def random(self, size: int) -> np.ndarray:
        return np.zeros(size)


def test_what_has_no_chance_is_never_kept_by_hand() -> None:
    places = np.arange(5)
    assert Keeping(0.5, 0.0, 0.0).thin(places, Lowest()).size == 0
    assert Keeping(0.5, 2**-53, 0.0).thin(places, Lowest()).tolist() == places.tolist()


def test_so_many_places_are_drawn_on_the_average_against_theory() -> None:
    """A quarter of ten places is two or three, each place once, and 2.5 on the average."""
    keeping = Keeping(0.0, 1.0, 0.25)
    drawn = [keeping.draw(10, np.random.default_rng(seed)) for seed in range(400)]
    assert {one.size for one in drawn} == {2, 3}
    assert abs(np.mean([one.size for one in drawn]) - 2.5) < 0.1
    assert all(len(set(one.tolist())) == one.size for one in drawn)
    assert set(np.concatenate(drawn).tolist()) == set(range(10))
    assert Keeping(0.0, 1.0, 1.0).draw(10, np.random.default_rng(0)).size == 10


def piece(*scores: float) -> Kept:
    people = np.arange(len(scores), dtype=np.int32)
    return Kept(people, people + 10, np.array(scores, dtype=np.float32))


def test_pieces_are_read_in_their_order_by_hand() -> None:
    kept = KeptByPiece(np.dtype(np.float32))
    assert len(kept.whole()) == 0
    assert kept.whole().score.dtype == np.float32
    kept.parts[7] = piece(0.5)
    kept.parts[2] = piece(0.25, 0.75)
    assert kept.whole().score.tolist() == [0.25, 0.75, 0.5]
    again = KeptByPiece(np.dtype(np.float32))
    again.fill(kept.to_arrays("some"), "some")
    assert {number: part.score.tolist() for number, part in again.parts.items()} == {2: [0.25, 0.75], 7: [0.5]}
    assert again.whole().first.tolist() == [0, 1, 0]
    assert again.whole().second.tolist() == [10, 11, 10]


@pytest.mark.parametrize(("chosen", "scores"), [([1], [0.75]), (slice(0, 1), [0.25]), ([False, True], [0.75])])
def test_some_of_the_kept_by_hand(chosen, scores) -> None:
    some = piece(0.25, 0.75)[chosen]
    assert some.score.tolist() == scores
    assert len(some) == len(scores)


def test_what_is_kept_in_words_by_hand() -> None:
    assert Keeping(-math.inf, 1.0, 0.0).words == "from -inf up 1.0, of all 0.0"


def test_as_many_as_may_be_are_all_kept_by_hand() -> None:
    """Of up to 4 million all are; of one more the highest and some."""
    comparing = small_plan()
    assert Keeping.of(comparing, 1 << 22) == Keeping(-math.inf, 1.0, 0.0)
    more = Keeping.of(comparing, (1 << 22) + 1)
    assert more.above > -math.inf
    assert (more.chance, more.share) == (1.0, pytest.approx(1 / 16))


@pytest.mark.parametrize(("parts", "share"), [(1, 1 / 16), (3, 3 / 16), (8, 1 / 2), (100, 1 / 2)])
def test_a_quarter_of_a_million_is_drawn_for_each_part_up_to_two_million_by_hand(parts: int, share: float) -> None:
    """Of four million comparisons a quarter of a million is a sixteenth."""
    assert Keeping.of(small_plan(), (1 << 22) + 1, parts=parts).share == pytest.approx(share, rel=1e-6)


@pytest.mark.parametrize("how", ["cosine", "euclidean"])
def test_the_highest_begin_where_all_say_so_if_all_are_looked_at_against_keeping_every_score(how) -> None:
    """60 templates a side are fewer than the 90 that are looked at: of 3,480 comparisons 3 are above, 1 in 1,000."""
    values = np.random.default_rng(6).normal(size=(120, 4))
    comparing = against_gallery(values, np.repeat(np.arange(30), 4), how)
    oriented = np.sort(comparing.rule.orient(compare(comparing).nonmated))
    assert oriented.size == 3480
    assert Keeping.of(comparing, (1 << 22) + 1).above == pytest.approx(oriented[-4], rel=1e-9)
    assert np.diff(oriented[-6:]).min() > 1e-6
