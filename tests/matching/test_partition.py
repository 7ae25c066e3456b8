"""A partition can be written down, read back, and used to take templates out of a table."""

from __future__ import annotations

import gzip

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matching.builders import table

from bertillon.core import InputError, TemplateTable
from bertillon.matching import (
    PARTS,
    Partition,
    read_partitions,
    repeat,
    split_gallery_probe,
    split_train_test,
    write_partitions,
)

PEOPLE = table("aabbc")
FRAME = pl.DataFrame({"sample": ["s0", "s1", "s4"], "role": ["gallery", "probe", "probe"]})


@st.composite
def partitions(draw):
    """Any roles for templates with awkward names."""
    names = draw(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4), unique=True))
    owner = [draw(st.sampled_from(["007", "a,b", '"', "é"])) for _ in names]
    people = TemplateTable(np.zeros((len(names), 1)), np.array(owner, dtype=np.str_), np.array(names, dtype=np.str_))
    role = np.array([draw(st.sampled_from(PARTS)) for _ in names], dtype=np.str_)
    return people, Partition(people.sample, people.subject, role, run=draw(st.integers(0, 3)))


def alike(first: Partition, second: Partition) -> bool:
    arrays = ("sample", "subject", "role", "enrolled")
    return first.run == second.run and all(
        getattr(first, name).tolist() == getattr(second, name).tolist() for name in arrays
    )


def test_a_frame_by_hand():
    partition = Partition(PEOPLE.sample, PEOPLE.subject, np.array(["gallery", "probe", "train", "unused", "probe"]))
    assert partition.enrolled.tolist() == [False, True, False, False, False]
    assert partition.to_frame().rows() == [
        ("s0", "a", "gallery", None, 0),
        ("s1", "a", "probe", True, 0),
        ("s2", "b", "train", None, 0),
        ("s3", "b", "unused", None, 0),
        ("s4", "c", "probe", False, 0),
    ]


def test_templates_a_frame_does_not_name_are_unused_by_hand():
    partition = Partition.from_frame(FRAME, PEOPLE)
    assert partition.role.tolist() == ["gallery", "probe", "unused", "unused", "probe"]
    assert tuple(map(str, partition.words)) == (
        "Taken from partition, run 0.",
        "2 templates are not named there and are unused.",
        "Gallery: 1 template of 1 person.",
        "Probes of enrolled people (P_G): 1 template of 1 person.",
        "Probes of people who are not enrolled (P_N): 1 template of 1 person.",
        "Unused: 2 templates of 1 person.",
    )


@given(partitions())
def test_roles_go_through_a_frame_and_back(case):
    people, partition = case
    if len(people):
        shuffled = partition.to_frame().sample(fraction=1, shuffle=True, seed=1)
        assert alike(Partition.from_frame(shuffled, people), partition)


@given(case=partitions())
def test_roles_go_through_a_csv_file_and_back(tmp_path_factory, case):
    people, partition = case
    path = tmp_path_factory.mktemp("parts") / "partition.csv"
    if len(people):
        write_partitions(path, partition)
        (found,) = read_partitions(path, people)
        assert alike(found, partition)


def test_P7_all_runs_go_through_a_csv_file_and_back(tmp_path):
    runs = repeat(lambda rng: split_gallery_probe(PEOPLE, rng=rng), runs=3, seed=1)
    write_partitions(tmp_path / "runs.csv", runs)
    found = read_partitions(tmp_path / "runs.csv", PEOPLE)
    assert [part.run for part in found] == [0, 1, 2]
    assert all(map(alike, found, runs))


def test_rows_taken_from_a_table_by_hand():
    people = table("aabbc", quality=[1, 2, 3, 4, 5])
    taken = people.take(np.array([4, 0]))
    assert (taken.subject.tolist(), taken.sample.tolist(), taken.source) == (["c", "a"], ["s4", "s0"], "faces.csv")
    assert taken.templates.tolist() == [[4.0], [0.0]]
    assert taken.metadata["quality"].to_list() == [5, 1]


def test_rows_taken_from_series_and_from_masked_bits_by_hand():
    names = np.array(["x", "y", "z"])
    series = TemplateTable([np.zeros((length, 2)) for length in (3, 4, 5)], names, names, kind="series")
    assert [len(part) for part in series.take(np.array([2, 0])).templates] == [5, 3]
    bits = np.arange(6, dtype=np.uint8).reshape(3, 2)
    coded = TemplateTable(bits, names, names, kind="bits", masks=bits + 1).take(np.array([1]))
    assert (coded.templates.tolist(), coded.masks.tolist(), coded.kind) == ([[2, 3]], [[3, 4]], "bits")


def test_P1_P2_the_test_side_can_be_split_again():
    people = table("aabbccddee")
    split = split_train_test(people, train=0.6, rng=1)
    inner = split_gallery_probe(people.take(split.rows("test")), rng=1)
    assert set(inner.subject) == set(people.subject[split.rows("test")])


def test_another_table_than_was_split_is_refused():
    with pytest.raises(InputError, match=r"faces.csv: its 2 samples are not the 5 of the partition"):
        split_train_test(PEOPLE).check_owns(table("ab"))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"sample": ["s0"]}, "has no column 'role' .its columns: sample.; expected sample and role"),
        ({"role": ["train"]}, "has no column 'sample'"),
        ({"name": ["s0"]}, "has no column 'sample' and no column 'role'"),
        (
            {"sample": ["s0", "x", "y"], "role": ["train"] * 3},
            "names 2 samples that faces.csv does not hold, the first 'x'; expected samples such as 's0'; give",
        ),
        (
            {"sample": ["s0", "s1", "s0"], "role": ["gallery", "probe", "probe"]},
            "sample 's0' is in two roles, gallery and probe; expected each sample once.*remove",
        ),
        ({"sample": ["s0", "s0"], "role": ["probe"] * 2}, "sample 's0' is listed twice as probe"),
        ({"sample": ["s0"], "role": ["enrolled"]}, "role 'enrolled' is not known; expected one of train, test"),
        ({"sample": ["s0", None], "role": ["test", "test"]}, "row 2 has no sample; expected one in every row"),
        ({"sample": ["s0", "s1"], "role": [None, "test"]}, "row 1 has no role"),
        ({"sample": ["s0"], "role": ["test"], "subject": ["b"]}, "'s0' is of subject 'b', but of 'a' in faces.csv"),
        (
            {"sample": ["s0", "s1"], "role": ["gallery", "probe"], "enrolled": [None, False]},
            "enrolled of probe 's1' is False, but the gallery holds a template of its person",
        ),
        ({"sample": ["s0"], "role": ["probe"], "enrolled": ["perhaps"]}, "enrolled is 'perhaps'; expected true, false"),
        ({"sample": ["s0"], "role": ["probe"], "run": ["one"]}, "run of row 1 is 'one'; expected a whole number"),
        (
            {"sample": ["s0", "s0"], "role": ["probe", "train"], "run": [0, 1]},
            r"holds 2 runs \(0, 1\); expected one",
        ),
    ],
)
def test_a_bad_partition_table_is_refused(columns, message):
    with pytest.raises(InputError, match=message):
        Partition.from_frame(pl.DataFrame(columns), PEOPLE, source="runs.csv")


def test_roles_that_do_not_fit_the_samples_are_refused():
    with pytest.raises(InputError, match="2 roles for 5 samples of 5 subjects"):
        Partition(PEOPLE.sample, PEOPLE.subject, np.array(["train", "test"]))


def test_partition_files_that_cannot_be_read_or_written_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"none.csv: no such file"):
        read_partitions(tmp_path / "none.csv", PEOPLE)
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(InputError, match=r"empty.csv: is empty \(0 bytes\)"):
        read_partitions(tmp_path / "empty.csv", PEOPLE)
    (tmp_path / "header.csv").write_text("sample,subject,role,enrolled,run\n")
    with pytest.raises(InputError, match=r"header.csv: holds a header and no rows"):
        read_partitions(tmp_path / "header.csv", PEOPLE)
    (tmp_path / "old.csv").write_bytes(b"\rsample,role\nzero,gallery,more\n")
    with pytest.raises(InputError, match=r"old.csv:3: .*zero,gallery,more"):
        read_partitions(tmp_path / "old.csv", PEOPLE)
    with pytest.raises(InputError, match="no partition to write"):
        write_partitions(tmp_path / "new.csv", [])
    with pytest.raises(InputError, match=r"runs \[0, 0\] are not all different"):
        write_partitions(tmp_path / "new.csv", [split_train_test(PEOPLE), split_train_test(PEOPLE)])


GOOD = "sample,role\ns0,gallery\ns1,probe\n"


@pytest.mark.parametrize("name", ["runs[1].csv", "runs*.csv", "runs?.csv"])
def test_a_name_with_signs_of_patterns_is_the_name_of_one_file(tmp_path, name):
    """Others that the pattern would fit are not read with it."""
    (tmp_path / "runs1.csv").write_text("sample,role\ns0,probe\n")
    (tmp_path / name).write_text(GOOD + "\n\n")
    (found,) = read_partitions(tmp_path / name, PEOPLE)
    assert found.role[:2].tolist() == ["gallery", "probe"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GOOD + "3,probe,4\n", ":4: 3 fields found, 2 expected"),
        (GOOD + '"3,probe\n', ":4: a quote is opened and not closed"),
        (GOOD.encode() + b"\xe9,probe\n", ":4: byte 0xe9 is not UTF-8"),
        (gzip.compress(GOOD.encode() * 50)[:-9], "the gzip file is cut off"),
        ("sample,role\ns0,foo\n", "role 'foo' is not known"),
    ],
    ids=["too many fields", "quote", "encoding", "cut off", "role"],
)
def test_faults_of_partition_files_are_named_with_file_and_line(tmp_path, content, words):
    path = tmp_path / "runs.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        read_partitions(path, PEOPLE)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)
    with pytest.raises(InputError, match="is a folder; a file is expected"):
        read_partitions(tmp_path, PEOPLE)
