"""What is kept of a stream at the very limits of its room."""

from __future__ import annotations

import time

import numpy as np
import pytest
from counting.asking_streams import Heard, everywhere, in_the_middle
from evaluation.streaming import NEAR, NEAR_32, tight
from hypothesis import example, given
from hypothesis import strategies as st
from measures.table import as_tuple

import bertillon as bt
from bertillon.core import InputError
from bertillon.counting import (
    LIMITS,
    Bins,
    Block,
    Failures,
    Keeper,
    KeyCounts,
    ScoreCounts,
    SourceCount,
    Spans,
    Wins,
    add_up,
    bin_numbers,
    bins_near_answers,
    count_once,
    first_pass,
    floats_of,
    keys_of,
    refine,
)
from bertillon.counting.streams import score_counts
from bertillon.counting.streams.exact import _Ranges
from bertillon.trials import ScoreStream


def with_distinct_names(counts: ScoreCounts) -> list[float]:
    keys = np.union1d(counts.mated.keys.key, counts.nonmated.keys.key)
    return floats_of(keys, counts.dtype).tolist()


def up_to(last: int, dtype: type[np.floating] = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Mated scores 1, 3, 5, ... and non-mated ones 2, 4, 6, ..."""
    scores = np.arange(1, last + 1).astype(dtype)
    return scores[::2], scores[1::2]


@pytest.mark.parametrize("way", ["counted", "merged"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_is_with_distinct_names_up_to_three_quarters_of_the_room_by_hand(way, dtype) -> None:
    """Of room for 40, 30 keys are all kept; of 31 the 10 nearest to the answer and the two that are all of a tail."""

    def counted(last: int) -> ScoreCounts:
        mated, nonmated = up_to(last, dtype)
        if way == "counted":
            return count_once(ScoreStream([(mated, nonmated)]), [in_the_middle])[0]
        parts = [ScoreStream([(mated, nonmated[:5])]), ScoreStream([([], nonmated[5:])])]
        return add_up([count_once(part, [in_the_middle])[0] for part in parts], [in_the_middle])

    with tight(keys=40, pending=100):
        assert with_distinct_names(counted(30)) == list(range(1, 31))
        assert with_distinct_names(counted(31)) == [1, *range(11, 21), 31]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_trimmed_counts_tell_apart_what_is_nearest_to_the_answer_by_hand(dtype) -> None:
    """The ten around 16, and the two that are all of a tail."""
    counts, _ = count_once(ScoreStream([up_to(31, dtype)]), [in_the_middle])
    assert with_distinct_names(counts.trimmed([in_the_middle], keys=10)) == [1, *range(11, 21), 31]


@pytest.mark.parametrize(("in_tail", "kept"), [(6, 6), (7, 0)])
def test_a_tail_that_takes_half_of_the_room_is_kept_whole_by_hand(in_tail, kept) -> None:
    """Six mated scores lie above all others, where FMR is 0, and the room is of 12 keys, of which 3 for the others."""
    tail = 101.0 + np.arange(in_tail)
    stream = ScoreStream([(tail, [1.0, 2.0, 3.0, 4.0])])
    counts, _ = count_once(stream, [in_the_middle])
    with tight(keys=12, pending=100):
        assert with_distinct_names(counts.trimmed([in_the_middle], keys=0)) == tail[:kept].tolist()
        once, _ = count_once(stream, [in_the_middle])
        assert with_distinct_names(once) == [1.0, 2.0, 3.0, *tail[:kept].tolist()]


def assert_holds(counts: ScoreCounts, *classes: np.ndarray) -> None:
    """Each score is told apart or in its bin, and what is in bins is so in both classes."""
    both = (counts.mated, counts.nonmated)
    in_bins = np.union1d(*(one.bins.number for one in both))
    for one, scores in zip(both, classes, strict=True):
        keys = KeyCounts.of(np.sort(counts.rule.factor * keys_of(scores)))
        binned = np.isin(bin_numbers(keys.key, counts.dtype), in_bins)
        bins = Bins.of_keys(keys[binned], counts.dtype)
        for name in ("number", "count", "first", "last"):
            assert getattr(one.bins, name).tolist() == getattr(bins, name).tolist()
        assert one.keys.key.tolist() == keys[~binned].key.tolist()
        assert one.keys.times.tolist() == keys[~binned].times.tolist()


@pytest.mark.parametrize("rule", ["similarity", "distance"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_each_score_is_with_distinct_names_or_in_its_bin_against_brute_force(dtype, rule) -> None:
    """However counted: in one pass, of which some is let go; trimmed; and added up from parts."""
    rng, sign = np.random.default_rng(8), 1 if rule == "similarity" else -1
    mated, nonmated = (sign * rng.normal(mean, 1, 400).astype(dtype) for mean in (1, -1))
    seeks = [bt.parse("EER").seek]
    with tight(bits=14, block=64, keys=200, pending=30):
        counts, _ = count_once(ScoreStream([(mated, nonmated)], rule=rule), seeks)
        parts = [ScoreStream([(mated[k::2], nonmated[k::2])], rule=rule) for k in range(2)]
        added = add_up((count_once(part, seeks)[0] for part in parts), seeks)
        for found in (counts, counts.trimmed(seeks, keys=30), added, added.trimmed(seeks, keys=30)):
            assert_holds(found, mated, nonmated)
            assert len(found.mated.keys) > 5
            assert found.mated.bins.n > 5


def test_the_same_source_twice_is_refused_unless_repeats_are_allowed_by_hand() -> None:
    part, _ = count_once(ScoreStream([([2.0], [1.0])], name="door"), [in_the_middle])
    with pytest.raises(InputError, match=r"^a stream \(in door\): holds the same scores as a stream \(in door\);"):
        add_up([part, part], [in_the_middle])
    assert add_up([part, part], [in_the_middle], repeats=True).total == SourceCount.together([*part.sources] * 2)


def test_keys_more_often_than_a_float_can_count_are_counted_exactly_by_hand() -> None:
    often = KeyCounts(np.array([7]), np.array([2**53 + 1]))
    spans = Spans.of_keys(often, KeyCounts.none())
    assert (spans.mated.tolist(), spans.nonmated.tolist()) == ([2**53 + 1], [0])
    assert Spans.of_keys(KeyCounts.none(), often).nonmated.tolist() == [2**53 + 1]


def test_an_answer_past_the_last_score_keeps_the_highest_bins_by_hand() -> None:
    """A threshold that rejects all is nearest to the last bins; five fit, and the first is all of a tail (FNMR 0)."""
    spans = Spans(np.arange(100), np.arange(100), np.full(100, 5), np.full(100, 5))
    outline, held = spans.errors(np.float64, Failures()), np.full(100, 10)
    for rows in ([100], [100, 99]):
        kept = bins_near_answers(outline, spans.size, held, [lambda _, rows=rows: np.array(rows)], keys=50, tail=0)
        assert np.flatnonzero(kept).tolist() == [0, 95, 96, 97, 98, 99]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_thresholds_are_the_first_scores_of_the_spans_by_hand(dtype) -> None:
    keys = keys_of(np.array([-2.0, 0.0, 1.5], dtype=dtype))
    spans = Spans(keys, keys, np.array([0, 1, 1]), np.array([1, 0, 1]))
    errors = spans.errors(dtype, Failures(3, 4))
    assert errors.threshold.tolist() == [-2.0, 0.0, 1.5, np.inf]
    assert (errors.false_match.tolist(), errors.false_nonmatch.tolist()) == ([2, 1, 1, 0], [0, 0, 1, 2])
    assert (errors.failed_mated, errors.failed_nonmated) == (3, 4)
    for curve in spans.enclosing(dtype, Failures(3, 4)):  # which hide nothing
        assert curve.threshold.tolist() == errors.threshold.tolist()
        assert (curve.failed_mated, curve.failed_nonmated) == (3, 4)


def test_as_many_scores_as_may_be_are_kept_as_they_are_by_hand(monkeypatch) -> None:
    """Three may be kept of a class: of three all are, in their order, and of four none."""
    monkeypatch.setattr(LIMITS.streams, "kept_scores", 3)
    found = first_pass(ScoreStream([([2.0, 1.0], [0.0, 4.0]), ([3.0], [1.0, 2.0])]), each=True)
    assert found.mated.kept.tolist() == [2.0, 1.0, 3.0]
    assert found.nonmated.kept is None


def test_a_visitor_of_the_second_pass_sees_each_block_of_its_class_by_hand() -> None:
    stream = ScoreStream([(NEAR[:2], NEAR[1:2]), (NEAR[2:4], NEAR[2:6])])
    with tight(block=3):
        found = refine(stream, first_pass(stream), [], wins=False, visit=lambda block: block.scores.tolist())
    assert found.mated == (NEAR[:3], NEAR[3:4])
    assert found.nonmated == (NEAR[1:4], NEAR[4:6])
    assert (found.passes, found.wins) == (2, None)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("values", "dtype"), [(NEAR, np.float64), (NEAR_32, np.float32)])
def test_what_is_seen_in_the_second_pass_is_not_seen_again_in_a_third_by_hand(values, dtype, sign) -> None:
    """Six scores of one bin, of which one can be gathered: each is visited once, and each pair wins once."""
    scores, heard, seen = sign * np.array(values, dtype=dtype), Heard(), list[float]()
    stream = ScoreStream([(scores[2:4], scores[[0, 1, 3, 5]])])
    with tight(block=3, keep=9):
        visit = {"visit": lambda block: seen.extend(block.scores)}
        found = refine(stream, first_pass(stream), [everywhere], wins=True, progress=heard, **visit)
    assert found.passes > 2
    assert heard.begun == [(6, "recounting") for _ in range(2, found.passes + 1)]
    assert sorted(seen) == sorted(scores[[0, 1, 2, 3, 3, 5]].tolist())
    assert (len(found.mated), len(found.nonmated)) == (1, 2)  # blocks
    assert found.wins == Wins(won=4 if sign == 1 else 3, tied=1, pairs=8)
    assert floats_of(found.spans.first, dtype).tolist() == sorted(scores[[0, 1, 2, 3, 5]].tolist())


@pytest.mark.parametrize(("values", "dtype"), [(NEAR, np.float64), (NEAR_32, np.float32)])
def test_only_the_bin_that_is_asked_for_is_looked_into_by_hand(values, dtype) -> None:
    """Two bins of two scores; a question names the threshold at which the second begins."""
    low, high = np.array(values[:2], dtype=dtype) - dtype(3), np.array(values[:2], dtype=dtype)
    stream = ScoreStream([(high, low)])
    with tight(gather=100):
        found = refine(stream, first_pass(stream), [lambda line: np.flatnonzero(line.threshold == 1.0)], wins=False)
    assert floats_of(found.spans.first, dtype).tolist() == [low[0], *high]
    assert found.spans.known.tolist() == [False, True, True]


def test_where_nothing_is_hidden_there_is_no_second_pass_by_hand() -> None:
    """Scores of a bin each: wins are known from the curve."""
    stream = ScoreStream([([2.0, 3.0], [1.0])])
    found = refine(stream, first_pass(stream), [everywhere], wins=True)
    assert (found.passes, found.wins) == (1, None)


def test_spans_of_few_scores_are_gathered_and_the_others_cut_more_finely_by_hand() -> None:
    """Room for three keys takes the spans of one and two scores; four bins are shared by what is left.

    Of nine keys 0-3, 4-7 and 8 go together where one span has all four bins, and 0-7 and 8 where it has two.
    """
    first = np.array([0, 100, 200, 300])

    def ranges(*mated: int, width: int = 8) -> tuple[list[int], list[int], int]:
        found = _Ranges.of(Spans(first, first + width, np.array(mated), np.zeros(4, dtype=np.int64)))
        return found.start.tolist(), found.shift.tolist(), found.rows

    with tight(gather=3, finer=4):
        assert ranges(5, 1, 2, 0) == ([0, -1, -1, -1], [2, 0, 0, 0], 3)
        assert ranges(5, 1, 2, 4) == ([0, -1, -1, 2], [3, 0, 0, 3], 4)
        assert ranges(5, 1, 2, 0, width=3) == ([0, -1, -1, -1], [0, 0, 0, 0], 4)  # a bin for each key


def test_few_scores_are_kept_with_all_that_is_said_of_them_by_hand() -> None:
    said = {"name": "door", "notes": ("from a log",), "warnings": ("one line was blank",)}
    stream = ScoreStream([([2.0, np.nan], [1.0])], rule="distance", failures=Failures(2, 1), **said)
    whole = stream.whole(first_pass(stream))
    assert {key: getattr(whole, key) for key in said} == said
    assert (whole.rule.value, whole.failures) == ("distance", Failures(3, 1))
    assert (whole.mated.tolist(), whole.nonmated.tolist()) == ([2.0], [1.0])


def test_nothing_is_let_go_before_too_many_keys_wait_by_hand() -> None:
    """Room for four, and two may wait: four keys are merged at once, two more wait, and the seventh is too much."""
    asked: list[int] = []
    keys = KeyCounts.of(keys_of(np.arange(1.0, 8.0)))
    dtype = np.dtype(np.float64)

    def bins() -> tuple[Bins, Bins]:
        asked.append(len(asked))
        return Bins.of_keys(keys, dtype), Bins.merged([])

    with tight(keys=4, pending=2):
        keeper = Keeper([in_the_middle], 1)
        for part, times in ((slice(0, 4), 0), (slice(4, 6), 0), (slice(6, 7), 1)):
            keeper.add(True, keys[part], bins, dtype)
            assert len(asked) == times
    with tight(keys=1, pending=2):
        Keeper([in_the_middle], 1).add(True, keys[:2], bins, dtype)
        assert len(asked) == 1  # the two may wait from the beginning


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_bin_that_was_let_go_is_let_go_alone_by_hand(dtype) -> None:
    scores = np.array([-1.0, 0.0, 1.0, 1.0], dtype=dtype)
    keeper = Keeper([in_the_middle], 1)
    keeper.drop_bins(bin_numbers(keys_of(scores[1:2]), dtype))
    gathered = keeper.gather(Block(True, scores))
    keeper.add(True, KeyCounts.of(keys_of(scores)), lambda: pytest.fail("there is room"), scores.dtype)
    for found in (gathered, keeper.kept(True, scores.dtype)):
        assert floats_of(found.key, dtype).tolist() == [-1.0, 1.0]
        assert found.times.tolist() == [1, 2]


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize(
    ("mated", "nonmated", "few"), [(2, 1, True), (0, 3, True), (2, 2, False), (4, 0, False), (1, 4, False)]
)
def test_few_scores_of_both_classes_together_are_a_set_in_memory_by_hand(
    mated, nonmated, few, each, monkeypatch
) -> None:
    """Three may be kept; a class without scores has the type of the other."""
    monkeypatch.setattr(LIMITS.streams, "kept_scores", 3)
    stream = ScoreStream([(np.ones(mated, dtype=np.float32), np.zeros(nonmated, dtype=np.float32))])
    found = first_pass(stream, each=True) if each else first_pass(stream)
    whole = stream.whole(found)
    assert (whole is not None) == few
    if whole is not None:
        assert (whole.mated.size, whole.nonmated.size) == (mated, nonmated)
        assert whole.mated.dtype == whole.nonmated.dtype == np.float32
    kept = [one.kept is not None for one in (found.mated, found.nonmated)]
    assert kept == ([mated < 4, nonmated < 4] if each else [few, few])


class Slow:
    """KeyCollector nothing, and takes its time to take that."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def gather(self, block: Block) -> None:
        self.events.append("gather")

    def take(self, found: list[object], bins: object) -> None:
        time.sleep(0.05)
        self.events.append("take")


def test_nothing_is_gathered_before_the_round_before_was_taken_by_hand() -> None:
    """A round is of four blocks; what is let go after one is not gathered in the next."""
    slow = Slow()
    with tight(block=1):
        first_pass(ScoreStream([(np.arange(10.0), [])]), keeping=slow)
    assert slow.events == [*["gather"] * 4, "take", *["gather"] * 4, "take", *["gather"] * 2, "take"]


def test_a_visitor_of_the_only_pass_sees_each_block_by_hand() -> None:
    stream = ScoreStream([([1.0, 2.0], [3.0, 4.0]), ([5.0, 6.0], [])])
    with tight(block=3):
        _, found = count_once(stream, [in_the_middle], visit=lambda block: (block.mated, block.scores.tolist()))
    assert found.mated.visited == [(True, [1.0, 2.0, 5.0]), (True, [6.0])]
    assert found.nonmated.visited == [(False, [3.0, 4.0])]


@example([2, 1, 1], [-1])
@example([500, 1, 1], [0])
@given(st.lists(st.sampled_from([1, 2, 500]), min_size=1, max_size=8), st.lists(st.integers(-1, 9), max_size=4))
def test_how_many_scores_lie_between_bins_and_answers_against_brute_force(sizes, rows) -> None:
    """An answer before the first bin or past the last is that bin's; without any all are equally near."""
    places = [min(max(row, 0), len(sizes) - 1) for row in rows]
    expected = [
        min((sum(sizes[min(place, bin_) + 1 : max(place, bin_)]) for place in places), default=0)
        for bin_ in range(len(sizes))
    ]
    assert score_counts._distance(np.array(sizes), np.array(rows, dtype=np.int64)).tolist() == expected


def test_tails_are_kept_whole_beside_what_is_near_by_hand() -> None:
    """FMR is 1/500, just a tail, from bin 6 on; what is kept of it takes no room from the bins near the answer."""
    nonmated, held = np.array([99, 100, 100, 100, 50, 50, 1, 0]), np.array([99, 3, 3, 3, 3, 3, 3, 3])
    spans = Spans(np.arange(8), np.arange(8), np.full(8, 9), nonmated)
    outline = spans.errors(np.float64, Failures())
    assert outline.fmr[6] == 1 / 500

    def kept(tail: int, row: int) -> list[int]:
        return np.flatnonzero(
            bins_near_answers(outline, spans.size, held, [lambda _: np.array([row])], keys=9, tail=tail)
        ).tolist()

    assert kept(tail=6, row=3) == [2, 3, 4, 6, 7]
    assert kept(tail=5, row=3) == [2, 3, 4]
    assert kept(tail=6, row=6) == [3, 4, 5, 6, 7]


@pytest.mark.parametrize("way", ["one pass", "merged"])
@pytest.mark.parametrize("rule", ["similarity", "distance"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_answers_stay_exact_while_scores_come_in_no_particular_order_against_memory(way, rule, dtype) -> None:
    """Of 2,000 scores about 300 may be kept at a time; those near the answer never were let go."""
    rng = np.random.default_rng(3)
    sign = 1 if rule == "similarity" else -1
    mated, nonmated = (sign * (rng.normal(mean, 1, 1000)).astype(dtype) for mean in (1, -1))
    truth = bt.evaluate(bt.ScoreSet(mated, nonmated, rule=rule), ["EER"])
    seek = bt.parse("EER").seek
    streams = [ScoreStream([(mated[k::4], nonmated[k::4])], rule=rule) for k in range(4)]
    with tight(block=64, keys=300, pending=60):
        if way == "merged":
            counts = add_up((count_once(stream, [seek])[0] for stream in streams), [seek])
        else:
            counts, _ = count_once(ScoreStream([(mated, nonmated)], rule=rule), [seek])
    assert 75 <= len(counts.mated.keys) + len(counts.nonmated.keys) <= 225
    found = bt.evaluate(counts, ["EER"])
    assert as_tuple(found["EER"]) == as_tuple(truth["EER"])
    assert "EER" not in found.bounds
