"""A folder of one file per template: series (SPEC T2) and minutiae (SPEC T4), as text and as ISO/IEC 19794-2."""

from __future__ import annotations

import gzip
import os
import struct
import subprocess
import sys

import numpy as np
import pytest

from bertillon.core import InputError
from bertillon.io import read_templates

MINUTIAE = [(1, 100, 200, 64, 90), (2, 150, 220, 0, 0)]  # type, x, y, angle in 360/256 degrees, quality


@pytest.fixture
def folder(tmp_path):
    """A folder with these files."""

    def write(**files):
        for name, content in files.items():
            path = tmp_path / "t" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / "t"

    return write


def record(*views, resolution=197, version=b" 20\x00", magic=b"FMR\x00", extended=b"", length=None) -> bytes:
    """A record written from the layout of the standard."""
    body = b""
    for finger, quality, minutiae in views:
        body += struct.pack(">BBBB", finger, 0, quality, len(minutiae))
        for kind, x, y, angle, good in minutiae:
            body += struct.pack(">HHBB", kind << 14 | x, y, angle, good)
        body += struct.pack(">H", len(extended)) + extended
    size = 24 + len(body) if length is None else length
    return magic + version + struct.pack(">IHHHHHBB", size, 0, 300, 400, resolution, resolution, len(views), 0) + body


def test_T2_series_as_csv_by_hand(folder):
    """One column an axis, with or without a header; the subject stands before the last underscore."""
    files = {
        "anna_1.csv": "x,y\n1,2\n3,4\n",
        "de_vries_1.csv": "5,6\n",
        "anna_2.csv.gz": gzip.compress(b"7;8\n9;10\n1;1\n"),
    }
    found = read_templates(folder(**files))
    assert found.kind == "series"
    assert found.subject.tolist() == ["anna", "anna", "de_vries"]
    assert found.sample.tolist() == ["anna_1", "anna_2", "de_vries_1"]
    assert [one.tolist() for one in found.templates] == [[[1, 2], [3, 4]], [[7, 8], [9, 10], [1, 1]], [[5, 6]]]
    assert any("of kind series" in str(note) for note in found.notes)


def test_T4_minutiae_as_text_by_hand(folder):
    """`x y angle [quality]`, degrees unless radians are stated; comments and blank lines are passed over."""
    files = {"anna/1.xyt": "# core\n10 20 90 55\n\n30 40 180 60\n", "bob/1.xyt": ""}
    found = read_templates(folder(**files))
    assert found.kind == "minutiae"
    assert found.subject.tolist() == ["anna", "bob"]
    assert found.sample.tolist() == ["anna/1", "bob/1"]
    np.testing.assert_allclose(found.templates[0], [[10, 20, np.pi / 2], [30, 40, np.pi]])
    assert found.templates[1].shape == (0, 3)
    turned = read_templates(folder(**{"bob/1.xyt": "1 2 0.5\n"}), angle="radians")
    assert turned.templates[1].tolist() == [[1.0, 2.0, 0.5]]


def test_text_of_three_columns_is_with_distinct_names_and_can_be_stated(folder):
    place = folder(**{"anna_1.txt": "1 2 3\n4 5 6\n"})
    with pytest.raises(InputError, match=r"'1 2 3' in anna_1.txt, may be minutiae .* or a series of 3 axes"):
        read_templates(place)
    assert read_templates(place, kind="minutiae").kind == "minutiae"
    assert read_templates(place, kind="series").templates[0].tolist() == [[1, 2, 3], [4, 5, 6]]
    named = folder(**{"anna_1.txt": "x,y,theta\n4,5,6\n"})
    assert read_templates(named).kind == "minutiae"


def test_labels_say_whose_a_file_is(folder, put):
    place = folder(**{"s1.csv": "1,2\n", "s2.csv": "3,4\n"})
    labels = put("file,subject,quality\ns2.csv,bob,3\ns1,anna,9\n", "labels.csv")
    found = read_templates(place, labels=labels)
    assert found.subject.tolist() == ["anna", "bob"]
    assert found.metadata["quality"].to_list() == [9, 3]


def test_labels_may_stand_in_the_folder_itself(folder):
    place = folder(**{"s1.csv": "1,2\n", "labels.csv": "file,subject\ns1.csv,anna\n"})
    assert read_templates(place, labels=place / "labels.csv").subject.tolist() == ["anna"]


def test_arrays_one_a_file(folder, tmp_path):
    place = folder(**{"anna_1.npy": b""})
    np.save(place / "anna_1.npy", np.ones(3, dtype=np.float32))
    np.save(place / "bob_1.npy", np.zeros(3, dtype=np.float32))
    found = read_templates(place)
    assert (found.kind, found.templates.dtype) == ("vector", np.float32)
    assert found.templates.tolist() == [[1, 1, 1], [0, 0, 0]]
    np.save(place / "anna_1.npy", np.ones((4, 2)))
    np.save(place / "bob_1.npy", np.ones((2, 2)))
    assert read_templates(place).kind == "series"


def test_T4_iso_record_by_hand(folder):
    """Angles 64 and 0 of 256 are 90 and 0 degrees counter-clockwise with y downwards: 270 and 0 towards y."""
    found = read_templates(folder(**{"anna_1.fmr": record((3, 80, MINUTIAE), extended=b"\x00\x01\x00\x04")}))
    np.testing.assert_allclose(found.templates[0], [[100, 200, 1.5 * np.pi], [150, 220, 0.0]])
    assert found.metadata["quality"].to_list() == [80]
    assert found.metadata["finger"].to_list() == [3]
    assert found.kind == "minutiae"


def test_every_view_of_a_record_is_a_template(folder):
    found = read_templates(folder(**{"anna_1.bin": record((1, 50, MINUTIAE), (2, 60, MINUTIAE[:1]), (2, 0, []))}))
    assert found.sample.tolist() == ["anna_1#1", "anna_1#2", "anna_1#3"]
    assert found.subject.tolist() == ["anna"] * 3
    assert [len(one) for one in found.templates] == [2, 1, 0]


def test_another_resolution_is_brought_to_500_dpi_by_hand(folder):
    """394 pixels per centimetre is about 1000 dpi: positions are halved."""
    found = read_templates(folder(**{"anna_1.fmr": record((1, 50, MINUTIAE), resolution=394)}))
    np.testing.assert_allclose(found.templates[0][:, :2], np.array([[100, 200], [150, 220]]) * 500 / 2.54 / 394)


def test_cards_by_hand(folder):
    """Compact: tenths of a millimetre, 64 directions. Normal: hundredths, 256. A millimetre is 500/25.4 pixels."""
    place = folder(**{"anna_1.bin": bytes([100, 50, 1 << 6 | 16, 20, 30, 0])})
    compact = read_templates(place, card="compact").templates[0]
    pixel = 500 / 25.4
    np.testing.assert_allclose(compact, [[10 * pixel, 5 * pixel, 1.5 * np.pi], [2 * pixel, 3 * pixel, 0.0]])
    place = folder(**{"anna_1.bin": struct.pack(">HHB", 2 << 14 | 1000, 500, 64)})
    normal = read_templates(place, card="normal").templates[0]
    np.testing.assert_allclose(normal, [[10 * pixel, 5 * pixel, 1.5 * np.pi]])


@pytest.mark.parametrize("name", ["anna_2.csv", "bob/2.csv"])
@pytest.mark.parametrize(
    ("target", "words"), [("nowhere", "is a link to nowhere"), ("", "is a loop of symbolic links")]
)
def test_links_that_lead_nowhere_are_named(folder, name, target, words):
    place = folder(**{"bob/1.csv" if "/" in name else "anna_1.csv": "1,2\n"})
    link = place / name
    link.symlink_to(target or link.name)
    with pytest.raises(InputError, match=f"2.csv: {words}"):
        read_templates(place)


@pytest.mark.parametrize("name", ["anna_2.csv", "bob/2.csv", "carl"])
def test_links_out_of_the_folder_are_not_followed(folder, tmp_path, name):
    place = folder(**{"anna_1.csv" if name == "anna_2.csv" else "bob/1.csv": "1,2\n3,5\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.csv").write_text("1,2\n3,4\n")
    (place / name).symlink_to(outside if name == "carl" else outside / "x.csv")
    with pytest.raises(InputError, match=r"is a link to .*outside.*, out of the folder .* is not followed"):
        read_templates(place, kind="series")


def test_links_within_the_folder_are_followed(folder):
    place = folder(**{"anna/1.csv": "1,2\n3,5\n", "bob/1.csv": "1,2\n3,4\n"})
    (place / "bob" / "2.csv").symlink_to("../anna/1.csv")
    assert len(read_templates(place, kind="series")) == 3


def lines_of(table, form="%g"):
    return "".join(" ".join(form % value for value in row) + "\n" for row in table)


def fingers(rng, n=40):
    """Minutiae as a fingerprint has them: scattered positions, whole degrees."""
    return np.column_stack([rng.permutation(500)[:n], rng.permutation(600)[:n], rng.integers(0, 360, n)])


def test_values_that_can_only_be_minutiae_are_read_as_such(folder):
    rng = np.random.default_rng(2)
    files = {f"anna_{take}.txt": lines_of(fingers(rng)) for take in range(3)}
    files["bob_1.txt"] = "12 300 20\n80 44 350\n"  # too few to tell alone: as the others
    assert read_templates(folder(**files)).kind == "minutiae"


def test_sorted_minutiae_are_still_minutiae(folder):
    table = fingers(np.random.default_rng(3))
    assert read_templates(folder(**{"anna_1.txt": lines_of(table[np.argsort(table[:, 0])])})).kind == "minutiae"


def test_an_accelerometer_between_blanks_is_no_minutiae(folder):
    """Three axes with a sign are a series; three axes of whole positive numbers may be either."""
    rng = np.random.default_rng(4)
    signal = np.cumsum(rng.normal(size=(200, 3)), axis=0)
    assert read_templates(folder(**{"anna_1.txt": lines_of(signal, "%.3f")})).kind == "series"


@pytest.mark.parametrize(
    "table",
    [
        np.round(300 + 40 * np.sin(np.arange(60)[:, None] / 9 + [0, 1, 2])),  # whole and smooth
        np.random.default_rng(5).integers(0, 256, (60, 3)),  # bytes
        100 + 10 * np.random.default_rng(6).random((60, 3)),  # fractions, none negative
        np.tile([[300, 20, 90], [10, 400, 180]], (30, 1)),  # the same positions again
    ],
)
def test_three_columns_that_may_be_either_are_not_guessed(folder, table):
    place = folder(**{"anna_1.txt": lines_of(table)})
    with pytest.raises(InputError, match="--kind minutiae or --kind series"):
        read_templates(place)
    assert read_templates(place, kind="series", columns={"time": "none"}).kind == "series"


def test_columns_of_minutiae_go_by_their_names_by_hand(folder):
    found = read_templates(folder(**{"anna_1.csv": "quality,x,angle,y\n50,10,90,20\n"}))
    np.testing.assert_allclose(found.templates[0], [[10, 20, np.pi / 2]])


def test_angles_that_look_like_radians_are_not_guessed(folder):
    rng = np.random.default_rng(7)
    table = np.column_stack([rng.integers(0, 500, (20, 2)), 2 * np.pi * rng.random(20)])
    place = folder(**{"anna_1.xyt": lines_of(table)})
    with pytest.raises(InputError, match="--angle radians or --angle degrees"):
        read_templates(place)
    kept = read_templates(place, angle="radians").templates[0][:, 2]
    turned = read_templates(place, angle="degrees").templates[0][:, 2]
    np.testing.assert_allclose(np.deg2rad(kept), turned)


@pytest.mark.parametrize("name", ["t", "Time", "time (s)", "timestamp", "ms", "time_ms"])
def test_a_column_of_times_is_no_axis_by_hand(folder, name):
    place = folder(**{"anna_1.csv": f"{name},x,y\n0,1,2\n0.1,3,4\n"})
    found = read_templates(place)
    assert found.templates[0].tolist() == [[1, 2], [3, 4]]
    assert any(f"column {name.lower()!r} holds times and is left out" in str(note) for note in found.notes)
    kept = read_templates(place, columns={"time": "none"})
    assert kept.templates[0].tolist() == [[0, 1, 2], [0.1, 3, 4]]


def test_a_column_called_t_that_falls_is_an_axis(folder):
    place = folder(**{"anna_1.csv": "x,t\n1,9\n2,3\n"})
    assert read_templates(place).templates[0].tolist() == [[1, 9], [2, 3]]


def test_a_first_column_without_a_name_that_only_grows_is_asked_about(folder):
    rng = np.random.default_rng(8)
    table = np.column_stack([np.arange(20) * 0.01, rng.normal(size=(20, 2))])
    place = folder(**{"anna_1.csv": lines_of(table).replace(" ", ","), "bob_1.csv": "5,1,1\n6,2,2\n"})
    with pytest.raises(InputError, match=r"anna_1.csv: the first of 3 columns .* --column time=1"):
        read_templates(place, kind="series")
    assert read_templates(place, kind="series", columns={"time": "1"}).templates[1].tolist() == [[1, 1], [2, 2]]
    assert read_templates(place, kind="series", columns={"time": "none"}).templates[0].shape == (20, 3)
    with pytest.raises(InputError, match="no column '4' of times"):
        read_templates(place, kind="series", columns={"time": "4"})


def people(*names):
    return dict.fromkeys(names, "1,2\n")


def test_the_notes_show_how_a_name_was_split(folder):
    found = read_templates(folder(**people("anna_1.csv", "anna_2.csv", "bob_1.csv")))
    assert any("subject 'anna' and sample '1' from anna_1.csv" in str(note) for note in found.notes)


def crossed(people=5, sessions=6, takes=2):
    return [f"p{p}x_m{s}fa_{t:02}.csv" for p in range(people) for s in range(sessions) for t in range(takes)]


def test_sessions_in_names_are_not_taken_for_people_by_hand(folder):
    """5 people in 6 sessions: split at the last underscore they would be 30 people."""
    place = folder(**people(*crossed()))
    with pytest.raises(InputError) as stopped:
        read_templates(place)
    message = str(stopped.value)
    assert (
        "before the last underscore, 30 people ('p0x_m0fa' from 'p0x_m0fa_00'; --subject-pattern '^(.+)_')" in message
    )
    assert "before the first underscore, 5 people ('p0x' from 'p0x_m0fa_00'; --subject-pattern '^([^_]+)_')" in message
    for pattern, number in (("^([^_]+)_", 5), ("^(.+)_", 30), ("_m(?P<subject>.)", 6)):
        found = read_templates(place, subject_pattern=pattern)
        assert len(set(found.subject.tolist())) == number


def test_names_of_two_words_are_people(folder):
    names = ["aaron_eckhart", "aaron_peirsol", "ann_veneman", "bob_dole", "jean_van_damme"]
    found = read_templates(folder(**people(*(f"{name}_{take}.csv" for name in names for take in (1, 2)))))
    assert len(set(found.subject.tolist())) == 5


def test_nearly_one_file_a_person_is_asked_about(folder):
    place = folder(**people(*(f"{name}{take}_fa.csv" for name in ("anna", "bob", "eve") for take in (1, 2, 3))))
    with pytest.raises(InputError, match=r"last underscore, 9 people.*without the number at the end, 3 people"):
        read_templates(place)
    found = read_templates(place, subject_pattern=r"^(.*?)\d+_[^_]*$")
    assert sorted(set(found.subject.tolist())) == ["anna", "bob", "eve"]


def test_other_signs_end_a_subject_too(folder):
    dashed = folder(**people(*(f"{name}-{take}_fa.csv" for name in ("anna", "bob", "eve") for take in "xyz")))
    with pytest.raises(InputError, match=r"before the first hyphen, 3 people .'anna'"):
        read_templates(dashed)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("(", "not a regular expression"), ("anna", "has no group"), ("^(x)", "2 of 2 names do not fit")],
)
def test_bad_patterns_are_refused_in_words(folder, pattern, words):
    with pytest.raises(InputError, match=words):
        read_templates(folder(**people("anna_1.csv", "bob_1.csv")), subject_pattern=pattern)


def test_a_pattern_is_for_names(folder, put):
    with pytest.raises(InputError, match="--subject-pattern is for templates under names"):
        read_templates(put("subject,a,b\nanna,1,2\n", "t.csv"), subject_pattern="(a)")
    with pytest.raises(InputError, match="both state the subject"):
        read_templates(
            folder(**people("a_1.csv")), labels=put("file,subject\na_1.csv,x\n", "l.csv"), subject_pattern="(a)"
        )


def test_a_pipe_in_a_folder_is_refused_and_not_waited_for(folder):
    place = folder(**{"anna_1.csv": "1,2\n", "bob_1.csv": "1,2\n"})
    os.mkfifo(place / "bob_2.csv")
    code = "import sys; from bertillon.io.templates import read_templates; read_templates(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(place)], capture_output=True, text=True, timeout=60)
    assert "bob_2.csv: is a pipe, a socket or a device, not a file; remove it from the folder" in done.stderr
