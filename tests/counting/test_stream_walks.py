"""Walks over a stream: types, sources and progress, told of on the way."""

from __future__ import annotations

import numpy as np
import pytest
from counting.asking_streams import Heard, everywhere, in_the_middle
from evaluation.streaming import NEAR_32, tight

import bertillon as bt
from bertillon.core import InputError
from bertillon.counting import SourceCount, Walk, count_once, fingerprint, first_pass, floats_of, refine, require_new
from bertillon.trials import ScoreStream


@pytest.mark.parametrize(("name", "called"), [("", "the stream"), ("door", "door")])
def test_a_wider_type_after_the_first_is_refused_by_hand(name, called) -> None:
    narrow, wide = np.ones(1, dtype=np.float32), np.ones(1)
    expected = (
        f"{called}: a batch of float64 scores after batches of float32; expected one type throughout: give float64 "
        "from the first batch on"
    )
    with pytest.raises(InputError, match=f"^{expected}$"):
        first_pass(ScoreStream([(narrow, []), ([], wide)], name=name))


@pytest.mark.parametrize(("expected", "total"), [(None, 0), (5, 5)])
def test_a_stream_of_unknown_length_promises_no_number_of_steps_by_hand(expected, total) -> None:
    heard = Heard()
    first_pass(ScoreStream([([1.0, 2.0], [0.0]), ([3.0], [1.0])], expected=expected), progress=heard)
    assert (heard.begun, heard.done) == ([(total, "counting")], 5)


def test_progress_is_told_of_what_is_counted_once_by_hand() -> None:
    heard = Heard()
    count_once(ScoreStream([([1.0, 2.0], [0.0])], expected=3), [in_the_middle], progress=heard)
    assert (heard.begun, heard.done) == ([(3, "counting")], 3)


def walked(batches: list[tuple[np.ndarray, np.ndarray]]) -> SourceCount:
    walk = Walk(ScoreStream(batches))
    assert list(walk.rounds(lambda block: block.scores.size))
    return walk.total


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_a_source_gave_does_not_depend_on_its_batches_against_memory(dtype) -> None:
    """Also the sums of its scrambled keys, which wrap around at 2**64."""
    mated, nonmated = np.random.default_rng(5).normal(size=(2, 40)).astype(dtype)
    whole = walked([(mated, nonmated)])
    assert walked([(mated[k : k + 1], nonmated[k : k + 1]) for k in range(40)]) == whole
    assert walked([(mated[:7], nonmated[:0]), (mated[7:], nonmated)]) == whole
    assert whole.fingerprint == fingerprint(mated, nonmated)


def test_what_each_source_gave_by_hand() -> None:
    """Monday came twice, and one comparison of tuesday failed."""
    batches = [bt.ScoreSet([1.0, 2.0], [0.0], name="monday"), bt.ScoreSet([3.0], [np.nan], name="tuesday")]
    found = first_pass(ScoreStream([*batches, bt.ScoreSet([4.0], [5.0], name="monday")])).sources
    assert [(one.name, one.mated, one.nonmated, one.failed_nonmated) for one in found] == [
        ("monday", 3, 2, 0),
        ("tuesday", 1, 0, 1),
    ]


def test_scores_are_counted_in_the_type_of_the_first_against_memory() -> None:
    """float32 numbers after float64 ones are the same numbers, in batches or not."""
    mated, nonmated = np.random.default_rng(5).normal(size=(2, 40)).astype(np.float32).astype(np.float64)
    narrow = (mated[7:].astype(np.float32), nonmated[7:].astype(np.float32))
    assert walked([(mated[:7], nonmated[:7]), narrow]) == walked([(mated, nonmated)])
    found = first_pass(ScoreStream([(mated[:7], []), narrow]))
    assert found.dtype == found.nonmated.kept.dtype == np.float64
    assert first_pass(ScoreStream([([], []), narrow])).dtype == np.float32  # a batch of nothing has no type


def test_a_later_pass_is_counted_in_the_type_of_the_first_by_hand() -> None:
    """The same numbers in fewer bits when they are read again are the same scores."""
    types = iter([np.float64, np.float32, np.float32, np.float32])

    def batches() -> list[tuple[np.ndarray, np.ndarray]]:
        dtype = next(types)
        return [(np.array(NEAR_32[2:4], dtype=dtype), np.array([-1.0, *NEAR_32[:3]], dtype=dtype))]

    stream = ScoreStream(batches)
    with tight(gather=100):
        found = refine(stream, first_pass(stream), [everywhere], wins=False)
    assert floats_of(found.spans.first, np.float64).tolist() == [-1.0, *NEAR_32[:4]]
    assert (found.spans.mated.tolist(), found.spans.nonmated.tolist()) == ([0, 0, 0, 1, 1], [1, 1, 1, 1, 0])


def test_the_very_scores_of_a_stream_without_a_name_are_refused_by_hand() -> None:
    seen: dict[str, str] = {}
    require_new([SourceCount("", 1, 2, mated_mix=7)], seen)
    with pytest.raises(InputError, match=r"^a stream: holds the same scores as a stream; each source is counted once"):
        require_new([SourceCount("", 1, 2, mated_mix=7)], seen)
    with pytest.raises(InputError, match=r"^again \(in tuesday\): holds the same scores as a stream;"):
        require_new([SourceCount("again", 1, 2, mated_mix=7)], seen, "tuesday")
