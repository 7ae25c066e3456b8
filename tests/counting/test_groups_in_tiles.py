"""Comparisons counted by groups of people in the same pass: against keeping every score, whoever does the tiles."""

from __future__ import annotations

import numpy as np
import pytest
from counting.few_kept import keep_few
from engine.cases import OneByOne, against_gallery, bits_of, plan, small_plan
from hypothesis import given, settings
from hypothesis import strategies as st

import bertillon as bt
from bertillon import analysis, counting, engine
from bertillon.analysis import parts_of_counted
from bertillon.core import InputError
from bertillon.counting import Grid, PlannedAcross, PlannedComparisons, count_comparisons
from bertillon.counting.tiles import groups as tile_groups
from bertillon.engine import digest_of, jobs, pieces_between, workers
from bertillon.matching import AllAgainstAll, from_function
from bertillon.trials import compare


@st.composite
def grouped(draw):
    """Ties are common and no product rounds: whole distances, or cosines along the axes, of which those of 0 fail."""
    owners = [0, 0, 1, 1, *draw(st.lists(st.integers(0, 5), min_size=3, max_size=12))]
    how = draw(st.sampled_from(["manhattan", "euclidean", "cosine"]))
    axes = st.sampled_from([(0, 0), (1, 0), (0, 1), (-2, 0)])
    one = axes if how == "cosine" else st.tuples(*[st.integers(-1, 2)] * 2)
    size = st.lists(one, min_size=len(owners), max_size=len(owners))
    values = np.array(draw(size), dtype=draw(st.sampled_from([np.float32, np.float64])))
    groups = {person: draw(st.sampled_from("abc")) for person in range(6)}
    if draw(st.booleans()):
        return plan(values, owners, how, AllAgainstAll(unique=draw(st.booleans()))), groups
    return against_gallery(values, owners, how), groups


def as_numbers(found: bt.analysis.GroupRates) -> list[tuple]:
    return [
        (point.threshold, row.kind, row.group, row.other, row.people, row.errors, row.comparisons)
        for point in found.points
        for row in point.rows
        if row.comparisons
    ]


def bits_of_groups(counted) -> tuple:
    groups = counted.groups
    cells = [groups.cells[pair] for pair in sorted(groups.cells)]
    return bits_of(counted), groups.names, tuple(groups.cells), digest_of([groups.failed_with, *cells])


@given(case=grouped(), tile=st.integers(1, 6))
def test_every_rate_at_every_cut_against_keeping_every_score(case, tile) -> None:
    """To the last bit: people, errors and comparisons of each group and each pair, at every mated score and at 1.

    Of a group whose comparisons all failed nothing is left where scores are kept. Where some failed, intervals know of
    each person how many, not of each pair of people.
    """
    comparing, groups = case
    counted, kept = count_comparisons(comparing, [1.0], groups=groups, tile=tile), compare(comparing)
    at = sorted({1.0, *kept.mated.tolist()})
    ours = bt.analysis.group_rates(counted, thresholds=at)
    theirs = bt.analysis.group_rates(kept, groups, thresholds=at)
    assert set(ours.groups) >= set(theirs.groups)
    assert as_numbers(ours) == as_numbers(theirs)
    for one, other in zip(ours.points, theirs.points, strict=True):
        for mine, yours in zip(*([row for row in at.rows if row.comparisons] for at in (one, other)), strict=True):
            ends = [(row.rate.interval.low, row.rate.interval.high) for row in (mine, yours)]
            assert kept.failures.nonmated or ends[0] == pytest.approx(ends[1], rel=1e-9, nan_ok=True)
            assert not mine.rate.interval.naive


@settings(max_examples=40)
@given(case=grouped(), tile=st.integers(1, 6))
def test_groups_change_nothing_of_the_whole(case, tile) -> None:
    comparing, groups = case
    with_groups = count_comparisons(comparing, [1.0], groups=groups, tile=tile)
    without = count_comparisons(comparing, [1.0], tile=tile)
    for name in ("threshold", "false_match", "false_nonmatch"):
        assert (getattr(with_groups.tally.errors, name) == getattr(without.tally.errors, name)).all()
    assert with_groups.failures == without.failures
    assert with_groups.people.failed.tolist() == without.people.failed.tolist()
    assert without.groups is None


@settings(max_examples=15)
@given(case=grouped(), tile=st.integers(1, 6), everybody=st.booleans())
def test_any_engine_and_any_order_give_the_same_bits(case, tile, everybody, tmp_path_factory) -> None:
    comparing, groups = case
    with pytest.MonkeyPatch.context() as patch:
        if not everybody:
            keep_few(patch, kept=4, share=0.3, tail=5, sampled=10)
        asked, answers = {"groups": groups, "tile": tile}, []
        for cores in (1, 2):
            for place in (workers, jobs):
                patch.setattr(place, "available_cores", lambda cores=cores: cores)
            answers.append(bits_of_groups(count_comparisons(comparing, [1.0], **asked)))
        folder = tmp_path_factory.mktemp("kept")
        for engine in (None, OneByOne()):
            answers.append(bits_of_groups(count_comparisons(comparing, [1.0], engine=engine, **asked)))
            answers.append(bits_of_groups(count_comparisons(comparing, [1.0], checkpoint=folder, **asked)))
    assert len(set(answers)) == 1


class CutOff:
    """An engine that is interrupted after a few rounds."""

    round, workers = 0.0, 1

    def __init__(self, rounds: int) -> None:
        self.left = rounds

    def run(self, job, pieces, done):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return jobs.Threads().run(job, pieces, done)


def test_a_run_that_was_cut_off_goes_on_to_the_same_bits(tmp_path) -> None:
    comparing, groups = small_plan(people=20), {person: "abc"[person % 3] for person in range(20)}
    asked = {"groups": groups, "tile": 4}
    with pytest.raises(jobs.Stopped, match="pieces are kept in"):
        count_comparisons(comparing, [0.5], checkpoint=tmp_path, engine=CutOff(3), **asked)
    resumed = count_comparisons(comparing, [0.5], checkpoint=tmp_path, **asked)
    assert bits_of_groups(resumed) == bits_of_groups(count_comparisons(comparing, [0.5], **asked))


def test_a_checkpoint_of_other_groups_or_of_none_is_refused(tmp_path) -> None:
    comparing, groups = small_plan(), {person: "ab"[person % 2] for person in range(12)}
    count_comparisons(comparing, groups=groups, tile=8, checkpoint=tmp_path)
    with pytest.raises(InputError, match="belongs to another job"):
        count_comparisons(comparing, groups=groups | {0: "b"}, tile=8, checkpoint=tmp_path)
    with pytest.raises(InputError, match="belongs to another job"):
        count_comparisons(comparing, tile=8, checkpoint=tmp_path)


def test_a_checkpoint_of_other_groups_is_refused_though_the_templates_stand_in_the_same_order(tmp_path) -> None:
    comparing = small_plan(people=4)
    count_comparisons(comparing, groups=dict(enumerate("aabb")), tile=8, checkpoint=tmp_path)
    with pytest.raises(InputError, match="belongs to another job: its groups is 2 of 4 people"):
        count_comparisons(comparing, groups=dict(enumerate("abbb")), tile=8, checkpoint=tmp_path)


def test_a_score_next_to_the_threshold_is_not_taken_for_it_by_hand() -> None:
    """Distances of ann and bob are 1 and 0.5, and the next number above each: at 1 all but one are accepted."""
    values = np.array([[0.0], [0.5], [1.0], [np.nextafter(1.0, 2.0)]])
    comparing, groups = plan(values, ["ann", "ann", "bob", "bob"], "manhattan"), {"ann": "f", "bob": "m"}
    counted = count_comparisons(comparing, [1.0], groups=groups)
    (row,) = bt.analysis.group_rates(counted, thresholds=[1.0]).points[0].fmr_across
    assert (row.errors, row.comparisons) == (6, 8)


@pytest.mark.parametrize("options", [{}, {"engine": OneByOne()}])
@pytest.mark.parametrize("tile", [1, 2, 100])
def test_three_people_in_two_groups_by_hand(tile, options) -> None:
    """Distances on a line; ann 0, 1; eve 2, 5; bob 4, 9. At 2 and less a comparison is accepted.

    f with f, both ways: ann-eve 2, 5, 1, 4: two of four accepted. f with m: ann-bob 4, 9, 3, 8; eve-bob 2, 7, 1, 4: two
    of eight. Own: ann 1, eve 3, bob 5.
    """
    values, owners = np.array([[0.0], [4.0], [2.0], [1.0], [5.0], [9.0]]), ["ann", "bob", "eve", "ann", "eve", "bob"]
    comparing, groups = plan(values, owners, "manhattan"), {"ann": "f", "eve": "f", "bob": "m"}
    found = bt.analysis.group_rates(
        count_comparisons(comparing, [2.0], groups=groups, tile=tile, **options), thresholds=[2.0]
    )
    rows = [(row.kind, row.group, row.other, row.people, row.errors, row.comparisons) for row in found.points[0].rows]
    assert rows == [
        ("FNMR", "f", None, 2, 2, 4),
        ("FNMR", "m", None, 1, 2, 2),
        ("FMR", "f", None, 2, 4, 8),
        ("FMR", "m", None, 0, 0, 0),
        ("FMR", "f", "m", 3, 4, 16),
    ]


def test_groups_may_be_one_a_template() -> None:
    comparing = small_plan(people=6)
    by_person = count_comparisons(comparing, groups={person: "ab"[person % 2] for person in range(6)}, tile=4)
    by_template = count_comparisons(comparing, groups=np.repeat(list("ababab"), 3), tile=4)
    assert bits_of_groups(by_person) == bits_of_groups(by_template)
    with pytest.raises(InputError, match="groups: 2 for 18 templates; expected one per template"):
        count_comparisons(comparing, groups=["a", "b"])


def test_too_many_groups_for_the_memory_are_refused_before_anything_is_counted(monkeypatch) -> None:
    comparing, groups = small_plan(), {person: str(person) for person in range(12)}
    monkeypatch.setattr(counting.LIMITS.tiles, "group_cells_bytes", 1 << 20)
    with pytest.raises(
        InputError, match=r"12 make 78 pairs, .* need [456] MB per worker; expected at most 1 MB: put groups"
    ):
        count_comparisons(comparing, groups=groups)
    two = {person: str(person % 2) for person in range(12)}
    assert count_comparisons(comparing, groups=two).groups.names == ("0", "1")


def test_the_room_of_groups_is_eight_bytes_a_count_by_hand(monkeypatch) -> None:
    """Three pairs of two groups, in a cell more than there are cuts, and the failures of seven people with each."""
    grid = Grid.around(np.array([1.0, 2.0]), bt.AcceptRule.SIMILARITY)
    needed = 8 * (3 * (grid.cuts.size + 1) + 2 * 7)
    monkeypatch.setattr(counting.LIMITS.tiles, "group_cells_bytes", needed)
    tile_groups.require_room(grid, people=7, groups=2)
    monkeypatch.setattr(counting.LIMITS.tiles, "group_cells_bytes", needed - 1)
    with pytest.raises(InputError, match=f"2 make 3 pairs, whose counts at {grid.cuts.size + 1:,} steps need 0 MB"):
        tile_groups.require_room(grid, people=7, groups=2)


@pytest.mark.parametrize(("groups", "parts"), [(None, 1), (2, 3), (3, 6)])
def test_so_many_comparisons_are_drawn_for_each_pair_of_groups_by_hand(groups, parts, monkeypatch) -> None:
    """Of 594 comparisons of twelve people."""
    for name, number in (("kept_comparisons", 200), ("tail_share", 0.02), ("sampled_comparisons", 10)):
        monkeypatch.setattr(counting.LIMITS.tiles, name, number)
    named = None if groups is None else {person: str(person % groups) for person in range(12)}
    people = count_comparisons(small_plan(), groups=named, tile=12).people
    assert min(people.chance) == pytest.approx(parts * 10 / 594)


def counted_groups() -> tile_groups.CountedGroups:
    """Five scores below 1, two from 1 to 2 and three above, of two groups, and none within either."""
    cells = {(0, 1): np.array([5, 2, 3])}
    similar, nothing = bt.AcceptRule.SIMILARITY, np.zeros((2, 2), dtype=np.int64)
    return tile_groups.CountedGroups(("a", "b"), np.array([0, 1]), similar, np.array([1.0, 2.0]), cells, nothing)


@pytest.mark.parametrize(("threshold", "errors"), [(-np.inf, 10), (1.0, 5), (2.0, 3), (np.inf, 0)])
def test_false_matches_at_each_threshold_by_hand(threshold: float, errors: int) -> None:
    assert counted_groups().false_matches((0, 1), threshold) == (errors, 10)
    assert counted_groups().false_matches((0, 0), threshold) == (0, 0)


@pytest.mark.parametrize(("threshold", "exact"), [(0.5, 1.0), (1.0, 1.0), (1.5, 2.0), (2.5, np.inf)])
def test_the_first_exact_threshold_that_is_as_strict_by_hand(threshold: float, exact: float) -> None:
    assert counted_groups().exact_threshold(threshold) == exact


def test_pairs_in_one_order_only_are_refused_where_the_order_matters() -> None:
    lopsided = from_function(lambda one, other: float(one[0] - 2 * other[0]), rule="similarity")
    table = small_plan().templates
    comparing = bt.Comparing.plan(table, lopsided, AllAgainstAll(unique=True))
    with pytest.raises(InputError, match="does not give the same score both ways"):
        count_comparisons(comparing, groups={person: "ab"[person % 2] for person in range(12)})


def test_a_threshold_that_was_not_named_is_refused_and_the_next_one_told() -> None:
    counted = count_comparisons(small_plan(), [0.5], groups={person: "ab"[person % 2] for person in range(12)})
    assert bt.analysis.group_rates(counted, thresholds=[0.5]).points[0].threshold == 0.5
    with pytest.raises(InputError, match=r"threshold 0\.50001 was not named"):
        bt.analysis.group_rates(counted, thresholds=[0.50001])
    known = counted.groups.exact_threshold(0.50001)
    assert 0.50001 < known < 0.51
    assert bt.analysis.group_rates(counted, thresholds=[known, -np.inf, np.inf]).points[0].threshold == known


def test_too_few_kept_errors_give_a_naive_interval_that_says_so(monkeypatch) -> None:
    keep_few(monkeypatch, kept=100, share=0.02, tail=20, sampled=200)
    groups = {person: "ab"[person % 2] for person in range(40)}
    counted = count_comparisons(small_plan(people=40), [0.9], groups=groups, tile=16)
    (row, _), exact = bt.analysis.group_rates(counted, thresholds=[0.9]).points[0].fmr, compare(small_plan(people=40))
    assert row.rate.interval.naive
    assert "were kept with their subjects, too few to estimate how errors cluster" in str(row.rate.interval.reason)
    assert row.errors == bt.analysis.group_rates(exact, groups, thresholds=[0.9]).points[0].fmr[0].errors
    monkeypatch.setattr(analysis.LIMITS, "known_errors", 1)
    assert bt.analysis.group_rates(counted, thresholds=[0.9]).points[0].fmr[0].rate.interval.naive
    monkeypatch.setattr(analysis.LIMITS, "unsure_share", np.inf)
    assert not bt.analysis.group_rates(counted, thresholds=[0.9]).points[0].fmr[0].rate.interval.naive


@pytest.mark.parametrize("how", ["cosine", "euclidean"])
def test_some_people_stand_for_all_of_a_group_against_kept_scores(how, monkeypatch) -> None:
    """U8: from a part of the comparisons the interval of each group and pair is nearly that from all of them."""
    rng, owner = np.random.default_rng(5), np.repeat(np.arange(60), 4)
    values = rng.normal(size=(60, 8))[owner] + 0.7 * rng.normal(size=(240, 8))
    comparing, groups = plan(values, owner, how), {person: "ab"[person % 2] for person in range(60)}
    threshold = float(np.quantile(compare(comparing).nonmated, 0.05 if how == "euclidean" else 0.95))
    whole = bt.analysis.group_rates(count_comparisons(comparing, [threshold], groups=groups), thresholds=[threshold])
    keep_few(monkeypatch, kept=100, share=0.02, tail=300, sampled=9000)
    counted = count_comparisons(comparing, [threshold], groups=groups, tile=64)
    assert not counted.people.complete
    found = bt.analysis.group_rates(counted, thresholds=[threshold])
    for row, expected in zip(found.points[0].rows, whole.points[0].rows, strict=True):
        one, other = row.rate.interval, expected.rate.interval
        assert (row.errors, row.comparisons, row.people) == (expected.errors, expected.comparisons, expected.people)
        assert not one.naive
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.3 * (other.high - other.low))


def test_how_far_off_a_variance_may_be_against_drawing_again_and_again(monkeypatch) -> None:
    """U8: over many ways to draw comparisons the variance is spread about as each of them tells; people differ much."""
    rng, owner = np.random.default_rng(5), np.repeat(np.arange(60), 4)
    alike = 2.0 * rng.random((60, 1)) * np.ones((1, 8))  # who is far along lies near all others who are
    comparing = plan((alike + rng.normal(size=(60, 8)))[owner] + rng.normal(size=(240, 8)), owner)
    groups = {person: "ab"[person % 2] for person in range(60)}
    keep_few(monkeypatch, kept=100, share=0.001, tail=300, sampled=3000)
    original, found = np.random.default_rng, []
    for seed in range(40):
        monkeypatch.setattr(np.random, "default_rng", lambda place, seed=seed: original([seed, *np.atleast_1d(place)]))
        part = parts_of_counted(count_comparisons(comparing, [0.7], groups=groups, tile=64)).pairs.part((0, 1))
        rate = part.roster.rate(0.7, part.groups.false_matches((0, 1), 0.7)[0])
        found.append((rate.variance, part.roster.unsure(0.7, rate) * rate.variance))
    variances, told = (np.array(side) for side in zip(*found, strict=True))
    assert 0.6 < told.mean() / variances.std() < 1.6
    assert told.std() < 0.5 * told.mean()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()), min_size=1, max_size=6), st.booleans())
def test_meetings_across_groups_against_brute_force(people, once) -> None:
    probes, references, first = (np.array(side) for side in zip(*people, strict=True))
    references = probes if once else references
    whole = PlannedComparisons(probes, references, once)
    across = PlannedAcross(probes, references, once, first)
    met = {
        (a, b): int(whole.of_pair(np.array([a]), np.array([b]))[0])
        for a in range(len(people))
        for b in range(a)
        if first[a] != first[b]
    }
    assert across.of_person.tolist() == [sum(n for pair, n in met.items() if p in pair) for p in range(len(people))]
    assert across.squares_of_pairs == sum(n * n for n in met.values())
    assert (across.disjoint_pairs > 0) == any(met.values())


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(1, 4), st.integers(1, 9))
def test_pieces_between_borders_cover_everything_once_and_cross_none(sizes, size, most) -> None:
    borders = [0, *np.cumsum(sizes).tolist()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.LIMITS, "max_pieces", most)
        for triangle in (False, True):
            seen = np.zeros((borders[-1], borders[-1]), dtype=int)
            for piece in pieces_between(borders, borders, size=size, triangle=triangle):
                for side in (piece.rows, piece.columns):
                    assert not any(side.start < border < side.stop for border in borders)
                for tile in piece.cut(size, triangle=triangle):
                    seen[tile.rows, tile.columns] += 1
            above = np.triu(np.ones_like(seen)) > 0
            assert (seen[above] == 1).all()
            assert (seen[~above] <= (0 if triangle and size == 1 else 1)).all()
