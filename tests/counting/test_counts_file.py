"""Counts on disk: what was written is read, and what is damaged, strange or counted twice is refused in words."""

from __future__ import annotations

import errno
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from evaluation.streaming import NEAR, tight
from hypothesis import given, settings
from hypothesis import strategies as st

import bertillon as bt
from bertillon.core import InputError, say
from bertillon.counting import ScoreCounts, floats_of, read_counts, write_counts
from bertillon.counting.streams import counts_file
from bertillon.evaluation import LIMITS, count_scores, merge_counts
from bertillon.io import MAGIC, is_counts
from bertillon.trials import ScoreStream

ASKED = ["EER", "FNMR@FMR=0.1", "AUC", "dprime", "minCllr"]


def counts_of(mated: list[float], nonmated: list[float], name: str = "part", **how: object) -> ScoreCounts:
    return count_scores(ScoreStream([(mated, nonmated)], name=name, **how))


@pytest.fixture
def counts() -> ScoreCounts:
    """Some scores told apart and some in bins, with a failure and an infinity."""
    with tight(keys=12), pytest.MonkeyPatch.context() as patch:
        patch.setattr(LIMITS, "keys_in_file", 4)
        found = counts_of([*NEAR, 3.0, 3.0, float("nan"), float("inf")], [0.0, *NEAR[:3], 0.5], rule="similarity")
    assert len(found.mated.keys)
    assert found.mated.bins.n
    return found


def end_of_header(content: bytes) -> int:
    return len(MAGIC) + 8 + int.from_bytes(content[len(MAGIC) : len(MAGIC) + 8], "little")


def header_of(path: Path) -> dict[str, object]:
    content = path.read_bytes()
    return json.loads(content[len(MAGIC) + 8 : end_of_header(content)])


def rewritten(path: Path, change: dict[str, object]) -> None:
    """The same file with another header and a right checksum."""
    content = path.read_bytes()
    header = json.dumps(header_of(path) | change).encode()
    body = MAGIC + len(header).to_bytes(8, "little") + header + content[end_of_header(content) : -32]
    path.write_bytes(body + hashlib.sha256(body).digest())


def test_what_is_written_is_read(counts, tmp_path):
    write_counts(counts, tmp_path / "a.counts")
    found = read_counts(tmp_path / "a.counts")
    assert is_counts(tmp_path / "a.counts")
    assert bt.evaluate(found, ASKED).to_dict() == bt.evaluate(counts, ASKED).to_dict()
    assert (found.failures, found.sources, found.rule, found.dtype) == (
        counts.failures,
        counts.sources,
        counts.rule,
        counts.dtype,
    )
    assert repr(found.mated.moments) == repr(counts.mated.moments)  # an infinite score leaves a NaN


@settings(max_examples=25)
@given(data=st.data())
def test_a_file_cut_off_anywhere_is_refused(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("cut") / "a.counts"
    write_counts(counts_of([1.0, 2.0], [0.0]), path)
    content = path.read_bytes()
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(bt.InputError, match=r"damaged or cut off|is not a file of counts"):
        read_counts(path)


@settings(max_examples=25)
@given(data=st.data())
def test_a_changed_bit_anywhere_is_noticed(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("bit") / "a.counts"
    write_counts(counts_of([1.0, 2.0], [0.0]), path)
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    with pytest.raises(bt.InputError, match=r"damaged or cut off|is not a file of counts"):
        read_counts(path)


@pytest.mark.parametrize(("change", "words"), [({"version": 2}, "version 2"), ({"bits": 20}, "bins of 20 bits")])
def test_counts_of_another_version_or_layout_are_refused(counts, tmp_path, change, words):
    path = tmp_path / "a.counts"
    write_counts(counts, path)
    rewritten(path, change)
    with pytest.raises(bt.InputError, match=f"{words}.*reads version 1 with 22 bits: count the scores again"):
        read_counts(path)


@pytest.mark.parametrize(
    "change",
    [
        {"arrays": []},
        {"arrays": [["mated.key", "<O8", 1]]},
        {"arrays": [["mated.key", "<i8", 10**9]]},
        {"type": "float16"},
        {"rule": "taste"},
        {"moments": {"mated": [5, "0x0p+0", "0x0p+0", "0x0p+0", "0x0p+0"]}},
        {"failures": {"mated": -1}},
        {"sources": 3},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_header_that_does_not_fit_is_refused_although_the_checksum_is_right(counts, tmp_path, change):
    path = tmp_path / "a.counts"
    write_counts(counts, path)
    rewritten(path, change)
    with pytest.raises(bt.InputError, match=r"do not fit together|expected a count"):
        read_counts(path)


def test_bytes_that_belong_to_no_array_are_refused_by_hand(counts, tmp_path):
    """The last array is one number of eight bytes shorter than what was written."""
    path = tmp_path / "a.counts"
    write_counts(counts, path)
    *others, (name, kind, length) = header_of(path)["arrays"]
    assert kind == "<i8"
    rewritten(path, {"arrays": [*others, (name, kind, length - 1)]})
    with pytest.raises(
        bt.InputError, match=r"fit together \(8 bytes more than the arrays need\); count the scores again"
    ):
        read_counts(path)


def test_an_array_of_another_type_is_refused_by_name_by_hand(counts, tmp_path):
    path = tmp_path / "a.counts"
    write_counts(counts, path)
    (name, _, length), *others = header_of(path)["arrays"]
    rewritten(path, {"arrays": [(name, "<f8", length), *others]})
    with pytest.raises(bt.InputError, match=r"fit together \(array mated.key is of type <f8\)"):
        read_counts(path)


def test_other_files_are_no_counts(tmp_path):
    other = tmp_path / "a.csv"
    other.write_text("label,score\n1,2\n")
    assert not is_counts(other)
    assert not is_counts(tmp_path)
    assert not is_counts(tmp_path / "missing")
    with pytest.raises(bt.InputError, match="is not a file of counts; expected one written by bertillon count"):
        read_counts(other)
    with pytest.raises(bt.InputError, match="cannot be read"):
        read_counts(tmp_path / "missing")


def test_a_full_disk_leaves_the_old_file_as_it_was(counts, tmp_path, monkeypatch):
    path = tmp_path / "a.counts"
    write_counts(counts, path)
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(bt.InputError, match=r"No space left on device.*nothing was changed"):
        write_counts(counts_of([5.0], [1.0]), path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.counts"]


def test_the_same_source_twice_is_refused_unless_allowed():
    one, two = counts_of([1.0, 2.0], [0.0], name="monday"), counts_of([2.0, 1.0], [0.0], name="tuesday")
    with pytest.raises(bt.InputError, match=r"the same scores as .*\(in monday\).*--allow-repeats"):
        merge_counts([one, two])
    assert merge_counts([one, two], repeats=True).total.mated == 4


def test_empty_parts_are_no_repeats():
    nothing = [counts_of([], [], name=name) for name in ("a", "b")]
    whole = merge_counts([*nothing, counts_of([1.0], [0.0], name="c")])
    assert (whole.total.mated, whole.total.nonmated) == (1, 1)
    assert [source.name for source in whole.sources] == [""] * 3
    assert bt.evaluate(whole, ["EER"])["EER"].value == 0.0


def test_counts_of_another_rule_or_type_are_not_merged():
    one = counts_of([1.0], [0.0], name="one")
    with pytest.raises(bt.InputError, match="two: its rule is distance, that of one is similarity"):
        merge_counts([one, counts_of([1.0], [0.0], name="two", rule="distance")])
    single = np.array([1.0], dtype=np.float32)
    with pytest.raises(bt.InputError, match="its type of scores is float32, that of one is float64"):
        merge_counts([one, counts_of(single, single + 1, name="three")])


def test_parts_without_scores_have_no_type_of_their_own():
    """A part of nothing but failures merges with scores of 32 bits, before and after them."""
    failed, single = counts_of([float("nan")], [], name="failed"), np.array([1.0], dtype=np.float32)
    scores = counts_of(single, single - 1, name="scores")
    for parts in ([failed, scores], [scores, failed], [failed, failed]):
        whole = merge_counts(parts)
        assert whole.dtype == (np.float32 if scores in parts else np.float64)
        assert whole.failures.mated == parts.count(failed)


def test_nothing_to_merge_is_an_error():
    with pytest.raises(bt.InputError, match="no counts were given"):
        merge_counts([])


def test_failures_enrolments_notes_and_warnings_are_added_up():
    one = replace(counts_of([1.0, float("nan")], [0.0], name="one"), notes=("a",), warnings=("w",))
    two = replace(counts_of([3.0], [float("nan"), 2.0], name="two"), notes=("a", "b")).with_enrolments(1, 10)
    whole = merge_counts([one, two])
    failures = whole.failures
    assert (failures.mated, failures.nonmated, failures.enrolments, failures.enrolment_attempts) == (1, 1, 1, 10)
    assert (whole.notes, whole.warnings) == (("a", "b"), ("w",))


def test_no_pickle_is_ever_loaded():
    source = Path(counts_file.__file__).read_text()
    assert "pickle" not in source.replace("never a pickle", "")
    assert "allow_pickle" not in source


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], "<i4"),
        ([2**31 - 1, -(2**31)], "<i4"),
        ([100, -100], "<i4"),
        ([2**31], "<i8"),
        ([-(2**31) - 1], "<i8"),
    ],
)
def test_whole_numbers_take_four_bytes_where_they_fit_by_hand(values: list[int], kind: str) -> None:
    packed = counts_file._packed(np.array(values, dtype=np.int64))
    assert packed.dtype.str == kind
    assert packed.tolist() == values


def test_notes_and_warnings_are_kept_by_hand(tmp_path: Path, counts: ScoreCounts) -> None:
    write_counts(replace(counts, notes=("one", "two"), warnings=("mind",)), tmp_path / "some.counts")
    found = read_counts(tmp_path / "some.counts")
    assert (found.notes, found.warnings, found.name) == (("one", "two"), ("mind",), counts.name)


def test_notes_of_ours_can_be_said_in_every_language_later(tmp_path: Path, counts: ScoreCounts) -> None:
    note = say("reading.in_parts", note=say("reading.format_columns", format="x", columns=["a", "b"]))
    warning = say("list.one", value=np.int64(1234))
    write_counts(replace(counts, notes=(note, "of others"), warnings=(warning,)), tmp_path / "some.counts")
    found = read_counts(tmp_path / "some.counts")
    assert (found.notes, found.warnings) == ((note, "of others"), (warning,))
    write_counts(replace(counts, notes=(say("reading.nothing"),)), tmp_path / "strange.counts")
    with pytest.raises(InputError, match="the counts do not fit together"):
        read_counts(tmp_path / "strange.counts")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_that_each_occur_once_are_read_in_their_own_type_by_hand(dtype, tmp_path):
    """How often each occurred is left out of the file and known all the same."""
    write_counts(counts_of(np.array([1.5, 2.0, 2.5], dtype=dtype), np.array([0.0, 2.0], dtype=dtype)), tmp_path / "a")
    found = read_counts(tmp_path / "a")
    assert isinstance(found.dtype, np.dtype)
    assert found.dtype == dtype
    assert floats_of(found.mated.keys.key, found.dtype).tolist() == [1.5, 2.0, 2.5]
    assert (found.mated.keys.times.tolist(), found.nonmated.keys.times.tolist()) == ([1, 1, 1], [1, 1])
    lengths = dict(array[::2] for array in header_of(tmp_path / "a")["arrays"])
    assert (lengths["mated.key"], lengths["mated.times"], lengths["nonmated.times"]) == (3, 0, 0)
