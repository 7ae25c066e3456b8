"""A folder of one file a template: series (SPEC T2) and minutiae (SPEC T4), as text and as ISO/IEC 19794-2."""

from __future__ import annotations

import gzip
import os
import struct
import subprocess
import sys

import numpy as np
import pytest

from bertillon.errors import InputError
from bertillon.formats.templates import read_templates

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
    assert any("understood as series" in note for note in found.notes)


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


def test_text_of_three_columns_is_told_apart_and_can_be_stated(folder):
    place = folder(**{"anna_1.txt": "1 2 3\n4 5 6\n"})
    assert read_templates(place).kind == "minutiae"
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
    """394 pixels a centimetre is about 1000 dpi: positions are halved."""
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


def test_a_pipe_in_a_folder_is_refused_and_not_waited_for(folder):
    place = folder(**{"anna_1.csv": "1,2\n", "bob_1.csv": "1,2\n"})
    os.mkfifo(place / "bob_2.csv")
    code = "import sys; from bertillon.formats.templates import read_templates; read_templates(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(place)], capture_output=True, text=True, timeout=60)
    assert "bob_2.csv: is a pipe, a socket or a device, not a file; remove it from the folder" in done.stderr
