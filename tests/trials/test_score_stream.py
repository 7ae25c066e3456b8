"""Streams of batches: what may come, what is refused, and what happens when a source fails on the way."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from evaluation.streaming import NEAR, tight

import bertillon as bt
from bertillon.trials import ScoreStream

nan = math.nan


def test_nan_is_counted_as_failed_and_taken_out():
    batches = [([0.9, nan], [0.1, nan, nan]), ([nan], [0.2])]
    with tight():
        found = bt.evaluate(ScoreStream(batches), ["FTA", "EER", "FRR@t=0.5"])
    truth = bt.evaluate(bt.ScoreSet([0.9, nan, nan], [0.1, nan, nan, 0.2]), ["FTA", "EER", "FRR@t=0.5"])
    assert found.results == truth.results
    assert found.counts["failed"] == 4


def test_batches_of_one_class_only_are_fine():
    batches = [([0.9, 0.4], []), ([], [0.1]), ([], np.array([], dtype=np.float32)), ([], [0.5, 0.2])]
    with tight():
        found = bt.evaluate(ScoreStream(batches), ["EER", "AUC"])
    assert found.results == bt.evaluate(bt.ScoreSet([0.9, 0.4], [0.1, 0.5, 0.2]), ["EER", "AUC"]).results


@pytest.mark.parametrize("batches", [[], [([], [])], [([nan], [])]])
def test_a_stream_without_scores_has_no_answers_but_reasons(batches):
    found = bt.evaluate(ScoreStream(batches), ["EER", "FMR@t=1"])
    assert [str(result.reason) for result in found.results.values()] == [
        "no mated scores and no non-mated scores",
        "no non-mated scores",
    ]


def test_one_class_without_scores_has_the_reasons_of_a_set_in_memory():
    asked = ["EER", "FNMR@t=2", "FMR@t=2", "Cllr", "Overlap", "calLoss", "dprime"]
    with tight():
        found = bt.evaluate(ScoreStream([([1.0, 3.0], [])]), asked)
    truth = bt.evaluate(bt.ScoreSet([1.0, 3.0], []), asked)
    assert [repr(found[name]) for name in asked] == [repr(truth[name]) for name in asked]


@pytest.mark.parametrize(
    ("batch", "words"),
    [
        (([0.5],), "batch 2 is tuple of 1; expected a pair"),
        (np.zeros((2, 2)), "batch 2 is ndarray of 2; expected a pair"),
        (0.5, "batch 2 is float; expected a pair"),
        ((["a"], [0.5]), "batch 2: mated scores are not numbers"),
        (([True], [0.5]), "batch 2: mated scores are booleans"),
        (([[1.0]], [0.5]), "batch 2: mated scores have shape"),
        (bt.ScoreSet([1.0], [0.0], rule="distance"), "batch 2 holds a distance, the stream a similarity"),
    ],
)
def test_a_batch_that_cannot_be_used_is_named(batch, words):
    with pytest.raises(bt.InputError, match=words):
        bt.evaluate(ScoreStream([([1.0], [0.0]), batch]))


def test_what_is_no_stream_is_refused():
    with pytest.raises(bt.InputError, match="a stream was made from int; expected an iterator of batches"):
        ScoreStream(3)
    with pytest.raises(bt.InputError, match="rule is 'taste'"):
        ScoreStream([], rule="taste")


def test_an_iterator_that_raises_stops_the_evaluation_with_its_own_error():
    def batches() -> Iterator[tuple[list[float], list[float]]]:
        yield [1.0], [0.0]
        raise ConnectionError("the database went away")

    for stream in (ScoreStream(batches), ScoreStream(batches())):
        with tight(), pytest.raises(ConnectionError, match="the database went away"):
            bt.evaluate(stream)


def changing(first: list[tuple[list[float], list[float]]], then: list[tuple[list[float], list[float]]]) -> ScoreStream:
    passes = iter([first, then, then, then])
    return ScoreStream(lambda: iter(next(passes)), name="live")


@pytest.mark.parametrize(
    "then",
    [[(NEAR[:3], NEAR[:2])], [(NEAR[:3], [*NEAR[:2], 1.5])], [], [(NEAR[:3], [NEAR[0], NEAR[4], NEAR[3]])]],
    ids=["ends early", "another score", "nothing", "as many others"],
)
def test_a_source_that_changes_between_passes_is_refused(then):
    with (
        tight(),
        pytest.raises(bt.InputError, match=r"live: gave 3 mated and 3 non-mated scores at first, and .* again"),
    ):
        bt.evaluate(changing([(NEAR[:3], NEAR[1:4])], then), ["EER", "AUC"])


def test_the_order_of_the_scores_may_change_between_passes():
    with tight():
        found = bt.evaluate(changing([(NEAR[:3], NEAR[1:4])], [([], NEAR[3:0:-1]), (NEAR[2::-1], [])]), ["EER", "AUC"])
    assert found.results == bt.evaluate(bt.ScoreSet(NEAR[:3], NEAR[1:4]), ["EER", "AUC"]).results


def test_an_iterator_is_walked_once_and_a_list_as_often_as_needed():
    batches = [(NEAR[:3], NEAR[1:4])]
    once = ScoreStream(iter(batches))
    assert not once.repeats
    assert len(list(once)) == 1
    with pytest.raises(bt.InputError, match="an iterator that was walked before; make a new stream"):
        list(once)
    again = ScoreStream(batches)
    assert again.repeats
    assert [len(list(again)), len(list(again))] == [1, 1]


def test_a_list_a_function_an_iterator_and_a_generator_give_the_same_answers():
    batches = [([0.9, 0.4], [0.1]), ([], []), ([nan], [0.5, 0.2])]
    asked = ["EER", "AUC", "FRR@t=0.45"]
    truth = bt.evaluate(bt.ScoreSet([0.9, 0.4, nan], [0.1, 0.5, 0.2]), asked).results
    for source in (batches, lambda: iter(batches), iter(batches), (batch for batch in batches)):
        with tight(keys=100):
            assert bt.evaluate(ScoreStream(source), asked).results == truth


def test_empty_batches_change_nothing():
    with tight():
        found = bt.evaluate(ScoreStream([([], []), ([0.9], [0.1]), ([], []), ([], [0.3]), ([], [])]), ["EER", "AUC"])
    assert found.results == bt.evaluate(bt.ScoreSet([0.9], [0.1, 0.3]), ["EER", "AUC"]).results


def test_one_pass_without_a_question_about_thresholds_lets_go_of_any_bins():
    """dprime seeks no threshold, so no bin is nearer to its answer than another."""
    scores = bt.ScoreSet([1.0, 2.0, 4.0, 5.0, 7.0], [0.0, 0.5, 1.5, 2.5])
    with tight(keys=2, pending=0):
        found = bt.evaluate(ScoreStream(iter([(scores.mated, scores.nonmated)])), ["dprime"])
    assert found["dprime"].value == pytest.approx(bt.evaluate(scores, ["dprime"])["dprime"].value, rel=1e-14)


def test_memory_that_a_source_uses_again_is_copied_in_time():
    def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        buffer = np.empty(2)
        for k in range(4):
            buffer[:] = [k, k + 0.5]
            yield buffer, buffer - 1

    with tight(block=3):
        found = bt.evaluate(ScoreStream(batches), ["EER", "AUC", "dprime"])
    mated = np.array([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5])
    truth = bt.evaluate(bt.ScoreSet(mated, mated - 1), ["EER", "AUC", "dprime"])
    assert [found[name].value for name in found] == pytest.approx([truth[name].value for name in truth], rel=1e-12)


def test_a_type_that_grows_on_the_way_is_refused_and_one_that_shrinks_is_not():
    single, double = np.array([1.0], dtype=np.float32), np.array([0.5])
    with pytest.raises(bt.InputError, match="a batch of float64 scores after batches of float32; expected one type"):
        bt.evaluate(ScoreStream([(single, single), (double, double)]))
    found = bt.evaluate(ScoreStream([(double, double), (single, single)]), ["AUC"])
    assert found["AUC"].value == 0.5


def test_whole_numbers_are_scores():
    found = bt.evaluate(ScoreStream([([3, 4], [1, 2])]), ["ZeroFMR"])
    assert found["ZeroFMR"].threshold == 3.0


def test_interrupting_a_walk_ends_it_at_once():
    def batches() -> Iterator[tuple[list[float], list[float]]]:
        yield [1.0] * 5, [0.0] * 5
        raise KeyboardInterrupt

    with tight(block=2), pytest.raises(KeyboardInterrupt):
        bt.evaluate(ScoreStream(batches))
    assert bt.evaluate(ScoreStream([([1.0], [0.0])]), ["EER"])["EER"].value == 0.0  # the workers are not stuck
