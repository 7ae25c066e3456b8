"""Comparisons and searches from one walk, against each from a walk of its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt
from bertillon.counting import count_comparisons
from bertillon.evaluation import LIMITS, search_trials, trials_of_both, verification_trials
from bertillon.io import make_templates
from bertillon.matching import AllAgainstAll, Partition, ProbeVersusGallery, matcher
from bertillon.trials import can_be_together, compare_and_search, search

SCORES = ("mate_score", "top_score", "top_other", "others", "average_precision")
COLUMNS = ("enrolled", "n_better", "n_equal", *SCORES)


@st.composite
def plans(draw) -> bt.Comparing:
    """All against all of people who stand one after the other; some templates cannot be compared by cosine."""
    owners = np.repeat(np.arange(7), [2, *draw(st.lists(st.integers(1, 5), min_size=6, max_size=6))])
    cells = st.lists(st.tuples(*[st.integers(-2, 2)] * 2), min_size=owners.size, max_size=owners.size)
    table = make_templates(np.array(draw(cells), dtype=draw(st.sampled_from([np.float32, np.float64]))), owners)
    return bt.Comparing.plan(table, matcher(draw(st.sampled_from(["manhattan", "cosine"]))))


def rounded(patch: pytest.MonkeyPatch, comparing: bt.Comparing) -> None:
    """Scores that do not hang on the shape of a product of matrices."""
    original = type(comparing.matcher).raw_block
    made = lambda self, probes, gallery: np.round(original(self, probes, gallery), 4)  # noqa: E731
    patch.setattr(type(comparing.matcher), "raw_block", made)


@given(comparing=plans(), tile=st.integers(1, 40))
def test_one_walk_counts_what_two_do(comparing: bt.Comparing, tile: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        rounded(patch, comparing)
        scores, searches = compare_and_search(comparing, [0.5], tile=tile)
        found = search(comparing)
        alone = count_comparisons(comparing, [0.5], tile=tile)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(searches, name), getattr(found, name))
    assert (searches.failed_enrolled, searches.failed_nonenrolled) == (found.failed_enrolled, found.failed_nonenrolled)
    for name in ("threshold", "false_match", "false_nonmatch"):
        assert getattr(scores.tally.errors, name).tolist() == getattr(alone.tally.errors, name).tolist()
    assert (scores.mated.tolist(), scores.sample.tolist()) == (alone.mated.tolist(), alone.sample.tolist())


def test_templates_in_any_order_other_fusions_and_a_gallery_are_walked_twice() -> None:
    values = np.random.default_rng(1).normal(size=(12, 3))
    together = make_templates(values, np.repeat(np.arange(4), 3))
    spread = make_templates(values, np.tile(np.arange(4), 3))
    role = np.array(["gallery", "probe", "probe"] * 4)
    sides = Partition(together.sample, together.subject, role)
    assert can_be_together(bt.Comparing.plan(together, matcher("cosine")))
    assert not can_be_together(bt.Comparing.plan(spread, matcher("cosine")))
    assert not can_be_together(bt.Comparing.plan(together, matcher("cosine"), fusion="mean"))
    assert not can_be_together(bt.Comparing.plan(together, matcher("manhattan", scaled=True)))
    assert not can_be_together(bt.Comparing.plan(together, matcher("cosine"), AllAgainstAll(unique=True)))
    assert not can_be_together(bt.Comparing.plan(together, matcher("cosine"), ProbeVersusGallery(), partition=sides))


def test_both_modes_of_many_comparisons_are_near_those_of_each_alone(monkeypatch) -> None:
    """Scores differ by what float32 rounds away, since products have other shapes; ranks do not."""
    monkeypatch.setattr(LIMITS, "kept_comparisons", 1000)
    rng = np.random.default_rng(7)
    owners = np.repeat(np.arange(400), rng.integers(1, 8, 400))
    people = rng.normal(size=(400, 16))[owners] + 0.8 * rng.normal(size=(owners.size, 16))
    comparing = bt.Comparing.plan(make_templates(people.astype(np.float32), owners), matcher("cosine"))
    scores, searches = trials_of_both(comparing, ["EER"])
    alone, found = verification_trials(comparing, ["EER"]), search_trials(comparing)
    assert scores.tally.errors.false_match.tolist() == alone.tally.errors.false_match.tolist()
    assert (searches.notes, len(searches)) == (found.notes, len(found))
    assert np.mean(searches.n_better == found.n_better) > 0.999
    for name in SCORES:
        np.testing.assert_allclose(getattr(searches, name), getattr(found, name), atol=1e-5)
