"""Archives of Kaldi: vectors and matrices, text and binary, and tables that point into them."""

from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest

from bertillon.core import InputError
from bertillon.io import limited, read_templates, sniff_templates

SPEAKERS = "u1 anna\nu2 anna\nu3 bob\n"
TEXT = "u1  [ 1 2 ]\nu2  [ 3.5 4 ]\nu3  [ -5 6e1 ]\n"
VALUES = [[1.0, 2.0], [3.5, 4.0], [-5.0, 60.0]]


def vector(values, letter=b"F"):
    kind = "<f4" if letter == b"F" else "<f8"
    return b"\x00B" + letter + b"V \x04" + struct.pack("<i", len(values)) + np.array(values, kind).tobytes()


def matrix(values, letter=b"F"):
    table = np.array(values, "<f4" if letter == b"F" else "<f8")
    sizes = b"\x04" + struct.pack("<i", table.shape[0]) + b"\x04" + struct.pack("<i", table.shape[1])
    return b"\x00B" + letter + b"M " + sizes + table.tobytes()


def archive(values, make=vector, **more):
    return b"".join(f"u{number} ".encode() + make(one, **more) for number, one in enumerate(values, 1))


@pytest.mark.parametrize(
    ("content", "dtype"),
    [(TEXT, np.float64), (archive(VALUES), np.float32), (archive(VALUES, letter=b"D"), np.float64)],
)
def test_vectors_by_hand(put, content, dtype):
    put(SPEAKERS, "utt2spk")
    path = put(content, "xvec.ark")
    assert sniff_templates(path) == "kaldi-ark"
    found = read_templates(path)
    assert (found.kind, found.templates.dtype) == ("vector", dtype)
    assert found.templates.tolist() == VALUES
    assert (found.subject.tolist(), found.sample.tolist()) == (["anna", "anna", "bob"], ["u1", "u2", "u3"])
    assert any("file utt2spk beside it" in str(note) for note in found.notes)


@pytest.mark.parametrize("letter", [b"F", b"D", b"text"])
def test_matrices_are_series_by_hand(put, letter):
    tables = [[[1, 2], [3, 4]], [[5, 6]], [[7, 8], [9, 10], [11, 12]]]
    text = "u1  [\n  1 2\n  3 4 ]\nu2  [\n  5 6 ]\nu3  [\n  7 8\n  9 10\n  11 12 ]\n"
    content = text if letter == b"text" else archive(tables, matrix, letter=letter)
    found = read_templates(put(content, "feats.ark"), labels=put(SPEAKERS, "people"))
    assert found.kind == "series"
    assert [one.tolist() for one in found.templates] == tables


def test_matrices_of_one_row_are_vectors(put):
    found = read_templates(put(archive([[one] for one in VALUES], matrix), "xvec.ark"), labels=put(SPEAKERS, "people"))
    assert (found.kind, found.templates.tolist()) == ("vector", VALUES)


def test_compressed_matrices_by_hand(put):
    """One byte: 0, 51 and 255 of 255 steps from -1 on over 5. Two bytes: of 65535. Quantiles: 0, 10, 20, 40."""
    head = struct.pack("<ffii", -1.0, 5.0, 1, 3)
    one, two = (b"\x00BCM3 " + head + bytes([0, 51, 255])), (b"\x00BCM2 " + head + struct.pack("<HHH", 0, 13107, 65535))
    quantiles = struct.pack("<4H", 0, 16384, 32768, 65535)
    packed = b"\x00BCM " + struct.pack("<ffii", 0.0, 65535.0, 4, 1) + quantiles + bytes([0, 32, 128, 255])
    found = read_templates(put(b"u1 " + one + b"u2 " + two, "a.ark"), subject_pattern="(u)", kind="series")
    np.testing.assert_allclose(found.templates[0], [[-1, 0, 4]], rtol=1e-6)
    np.testing.assert_allclose(found.templates[1], [[-1, 0, 4]], rtol=1e-6, atol=1e-6)
    found = read_templates(put(b"u1 " + packed, "b.ark"), subject_pattern="(u)")
    np.testing.assert_allclose(found.templates[0].ravel(), [0, 8192, 24576, 65535])


def test_a_table_of_places_by_hand(put):
    """The offset points behind the id; paths that were written from elsewhere are found beside the table."""
    content = archive(VALUES)
    places = [content.index(f"u{number} ".encode()) + 3 for number in (1, 2, 3)]
    put(content, "xvec.ark")
    put(SPEAKERS, "utt2spk")
    lines = f"u3 xvec.ark:{places[2]}\nu1 exp/vectors/xvec.ark:{places[0]}\n"
    found = read_templates(put(lines, "xvec.scp"))
    assert (found.sample.tolist(), found.templates.tolist()) == (["u3", "u1"], [VALUES[2], VALUES[0]])
    assert found.subject.tolist() == ["bob", "anna"]
    put(TEXT, "text.ark")
    found = read_templates(put("u2 text.ark:15\nu1 text.ark:3\n", "text.scp"))
    assert found.templates.tolist() == [VALUES[1], VALUES[0]]


def test_files_elsewhere_are_not_opened_and_commands_not_run(put, tmp_path):
    put(SPEAKERS, "utt2spk")
    (tmp_path / "in").mkdir()
    outside = put(b"u1 " + vector([1, 2]), "secret.ark")
    (tmp_path / "in" / "linked.ark").symlink_to(outside)
    for place in ("../secret.ark:3", f"{outside}:3", "linked.ark:3", "/etc/passwd.ark:0"):
        path = put(f"u1 {place}\n", "in/x.scp")
        with pytest.raises(InputError, match=r"x.scp:1: .* is no file in .*files elsewhere are not opened"):
            read_templates(path, subject_pattern="(u)")
    mark = tmp_path / "ran"
    path = put(f"u1 touch {mark} |\n", "in/x.scp")
    with pytest.raises(InputError, match="which is never run"):
        read_templates(path, subject_pattern="(u)")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (archive(VALUES)[:-3], "template 'u3' takes 8 bytes .* and 5 are left; is it cut off"),
        (b"u1 \x00BFV \x04\xff\xff\xff\xff", "a length of -1"),
        (b"u1 \x00BFV \x04\xff\xff\xff\x7f", "takes 8,589,934,588 bytes"),
        (b"u1 \x00BFM \x08" + bytes(20), r"is marked b'\\x08'"),
        (archive(VALUES) + b"u4 \x00BXX rest", "is marked 'XX'; vectors and matrices .FV"),
        (archive(VALUES) + b"u4 rest", "does not begin with"),
        (archive(VALUES) + b"u4", "no blank follows the word"),
        (archive(VALUES) + b"u4 " + vector([1, 2, 3]), "has 2 numbers and 'u4' has 3"),
        (archive(VALUES) + b"u4 " + matrix([[1, 2]]), "vectors and matrices"),
        (archive(VALUES) + b"u4 " + vector([]), "template 'u4' is empty"),
        (TEXT + "u4 [ 1 x ]\n", "a.ark:4: template 'u4' holds something else"),
        (TEXT + "u4 1 2\n", "a.ark:4: an id and numbers in brackets"),
        (TEXT + "u4  [\n 1 2\n 3 ]\n", "rows of numbers of one length"),
    ],
)
def test_damaged_archives_are_refused_in_words(put, content, words):
    with pytest.raises(InputError, match=words):
        read_templates(put(content, "a.ark"), subject_pattern="(u)")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("u1 xvec.ark:99999", "there is no vector or matrix at byte 99,999"),
        ("u1 xvec.ark:5", "there is no vector or matrix at byte 5"),
        ("u1 xvec.ark:3[0:1]", "a part of a matrix"),
        ("u1 none.ark:3", "is no file in"),
    ],
)
def test_tables_that_point_nowhere_are_refused(put, line, words):
    put(archive(VALUES), "xvec.ark")
    with pytest.raises(InputError, match=words):
        read_templates(put(line + "\n", "x.scp"), subject_pattern="(u)")


def test_who_speaks_must_be_said(put):
    path = put(TEXT, "xvec.ark")
    with pytest.raises(InputError, match="--labels utt2spk"):
        read_templates(path)
    with pytest.raises(InputError, match=r"no line for 1 of 3 samples .* 'u3'"):
        read_templates(path, labels=put("u1 anna\nu2 anna\nu9 bob\n", "people"))
    alone = put("u1 anna\nu2 bob\nu3 carl\n", "utt2spk")
    assert read_templates(path, labels=alone).subject.tolist() == ["anna", "bob", "carl"]


def refused(path, limit="4M", **options) -> str:
    with limited(limit), pytest.raises(InputError) as caught:
        read_templates(path, **options)
    return str(caught.value)


def test_templates_that_a_table_names_again_and_again_are_counted(put):
    put(b"u " + vector(range(100_000)), "a.ark")
    put("".join(f"u{number} s{number % 3}\n" for number in range(30)), "utt2spk")
    path = put("".join(f"u{number} a.ark:2\n" for number in range(30)), "x.scp")
    assert "template 'u10' needs 390.6 KiB of memory beside 3.8 MiB for what was read before" in refused(path)
    assert "an array of 30 templates needs 11.4 MiB" in refused(path, "12M")
    with limited("30M"):
        assert read_templates(path).templates.shape == (30, 100_000)


def test_unpacked_archives_are_let_go_one_by_one(put):
    packed = gzip.compress(b"u " + vector([1.0, 2.0]) + bytes(3 << 20))
    for number in range(4):
        put(packed, f"a{number}.ark")
    put("".join(f"u{number} s{number % 2}\n" for number in range(8)), "utt2spk")
    path = put("".join(f"u{number} a{number % 4}.ark:2\n" for number in range(8)), "x.scp")
    with limited("4M"):
        found = read_templates(path)
    assert found.sample.tolist() == [f"u{number}" for number in range(8)]  # in the order of the table
    assert "it unpacks to more than" in refused(path, "2M")


def test_archives_larger_than_allowed_are_refused(put):
    put(SPEAKERS, "utt2spk")
    assert "template 'u3'" in refused(put(archive([range(400_000)] * 3), "x.ark"))
    numbers = " ".join("1" for _ in range(100_000))
    assert "template 'u1' needs 8.6 MiB" in refused(put(f"u1  [ {numbers} ]\n", "y.ark"))


@pytest.mark.parametrize("mark", [b"CM", b"CM3"])
def test_what_unpacking_a_matrix_takes_is_counted(put, mark):
    sizes = struct.pack("<ffii", 0.0, 1.0, 1000, 200)
    path = put(b"u1 \x00B" + mark + b" " + sizes + bytes(8 * 200 * (mark == b"CM") + 200_000), "x.ark")
    people = put("u1 anna\n", "utt2spk")
    assert "template 'u1' needs 10.0 MiB" in refused(path, labels=people)


def test_one_very_long_id_does_not_widen_all(put):
    text = "x" * 100_000 + "  [ 1 2 ]\n" + "".join(f"u{number}  [ 1 2 ]\n" for number in range(100))
    assert "an array of 101 ids, the longest of 100,000 letters" in refused(put(text, "x.ark"), "10M")
    assert "the longest of 100,000 letters" in refused(
        put(archive(VALUES), "y.ark"), "10M", labels=put("x" * 100_000 + "\n" + "u\n" * 100, "people")
    )


def test_long_lines_are_no_table(put):
    """A pattern that went back over the line for every bracket took minutes for this."""
    assert sniff_templates(put("a " + ".ark[" * 400_000 + "\n", "x.txt")) != "kaldi-scp"


@pytest.mark.parametrize("line", ["u a.ark", "u a.ark:7", "u b/a.ark.gz:7", "u a.ark:7[0:3]", "u cat a.ark |"])
def test_lines_of_tables_are_known(put, line):
    assert sniff_templates(put(line + "\n", "x.txt")) == "kaldi-scp"


def test_a_link_to_speakers_elsewhere_is_not_followed(put, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "utt2spk").symlink_to(put(SPEAKERS, "secret"))
    path = tmp_path / "in" / "x.ark"
    path.write_bytes(archive(VALUES))
    with pytest.raises(InputError, match="out of the folder, and is not followed; give it with --labels"):
        read_templates(path)
