"""Files that somebody else made, read as photos: what each may hold, and how it is refused."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import bertillon as bt
from bertillon.extraction import Unusable, decode_photo, list_photos, parse_size, read_photo


def reason_of(path, **how) -> str:
    with pytest.raises(Unusable) as caught:
        read_photo(path, **how)
    return caught.value.reason


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it has so many pixels."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def test_a_photo_is_rows_by_columns_by_colours_by_hand(paint):
    photo = read_photo(paint("a.png", (10, 20, 30), size=(6, 4)))
    assert photo.shape == (4, 6, 3)
    assert photo.dtype == np.uint8
    assert photo[0, 0].tolist() == [10, 20, 30]


@pytest.mark.parametrize("suffix", ["jpg", "png", "bmp", "gif", "tiff", "webp", "ppm"])
def test_common_formats_are_read_whatever_they_are_called(paint, suffix):
    path = paint(f"a.{suffix}", (200, 100, 50))
    path = path.rename(path.with_suffix(".dat"))
    assert np.abs(read_photo(path).mean(axis=(0, 1)) - [200, 100, 50]).max() < 6


def test_a_photo_is_turned_as_its_exif_orientation_says(tmp_path):
    upright = np.zeros((4, 6, 3), np.uint8)
    upright[0] = 255  # the top row is white
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    path = tmp_path / "turned.png"
    Image.fromarray(np.rot90(upright)).save(path, exif=exif)
    assert (read_photo(path) == upright).all()


def test_photos_of_16_bits_are_scaled_and_not_cut_off(tmp_path):
    path = tmp_path / "deep.png"
    Image.fromarray(np.array([[0, 256], [32768, 65535]], np.uint16)).save(path)
    assert read_photo(path)[:, :, 0].tolist() == [[0, 1], [128, 255]]


def test_resizing_is_bicubic_and_comes_last(tmp_path):
    path = tmp_path / "grey.png"
    picture = Image.fromarray(np.arange(12, dtype=np.uint8).reshape(3, 4) * 20)
    picture.save(path)
    expected = np.asarray(picture.convert("RGB").resize((8, 5), Image.Resampling.BICUBIC))
    assert (read_photo(path, resize=(8, 5)) == expected).all()


@pytest.mark.parametrize("size", [(60_000, 60_000), (8_001, 8_000), (12_000, 9_000), (2**31 - 1, 1), (1, 2**31 - 1)])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, size):
    (tmp_path / "bomb.png").write_bytes(bomb(*size))
    assert reason_of(tmp_path / "bomb.png") == "too_large"


def test_what_is_no_photo_is_named_for_what_it_is(tmp_path, paint):
    whole = paint("whole.png", (1, 2, 3), size=(99, 99)).read_bytes()
    contents = {
        "empty": (b"", "empty"),
        "text": (b"not a picture\n", "not_picture"),
        "svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not_picture"),
        "postscript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not_picture"),
        "half": (whole[: len(whole) // 2], "damaged"),
        "header": (whole[:20], "not_picture"),
        "lie": (b"P5 4 4 255 " + b"12", "damaged"),
    }
    for name, (content, reason) in contents.items():
        (tmp_path / name).write_bytes(content)
        assert (name, reason_of(tmp_path / name)) == (name, reason)


def test_what_is_no_file_is_never_opened_for_long(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    reasons = {"pipe": "special", "folder": "folder", "loop": "unreadable", "nothing": "missing", "nul\0": "unreadable"}
    for name, reason in reasons.items():
        assert reason_of(f"{tmp_path}/{name}") == reason
    assert reason_of("/dev/zero") == "special"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_photo_without_permission(paint):
    path = paint("a.png", (1, 2, 3))
    path.chmod(0)
    assert reason_of(path) == "no_permission"


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    with open(tmp_path / "huge.png", "wb") as file:
        file.truncate(100_000_001)
    assert reason_of(tmp_path / "huge.png") == "too_many_bytes"


def test_fewer_pixels_can_be_asked_for(paint):
    content = paint("a.png", (1, 2, 3), size=(10, 10)).read_bytes()
    assert decode_photo(content, max_pixels=100).shape == (10, 10, 3)
    with pytest.raises(Unusable, match="too_large"):
        decode_photo(content, max_pixels=99)


def test_a_folder_has_a_sub_folder_per_person(paint, tmp_path):
    paint("anna/1.png", (1, 1, 1))
    paint("bob/1.png", (1, 1, 1))
    (tmp_path / "photos" / "anna" / ".hidden").write_text("")
    listed = list_photos(tmp_path / "photos")
    assert listed.subject.tolist() == ["anna", "bob"]
    assert listed.sample.tolist() == ["anna/1.png", "bob/1.png"]


def test_names_or_labels_say_whose_a_photo_is(paint, tmp_path):
    for name in ("Ann_Lee_0001.jpg", "Ann_Lee_0002.jpg", "Bob_Ray_0001.jpg"):
        paint(name, (1, 1, 1))
    listed = list_photos(tmp_path / "photos", subject_pattern="^(.*)_")
    assert listed.subject.tolist() == ["Ann_Lee", "Ann_Lee", "Bob_Ray"]
    labels = tmp_path / "labels.csv"
    labels.write_text("file,subject,camera\n" + "".join(f"{name},x{name[0]},c\n" for name in listed.sample))
    named = list_photos(tmp_path / "photos", labels=labels)
    assert named.subject.tolist() == ["xA", "xA", "xB"]
    assert list(named.metadata["camera"]) == ["c"] * 3


def test_a_table_names_photos_relative_to_its_own_folder(paint, tmp_path):
    path = paint("a b.png", (1, 1, 1))
    table = path.parent / "list.csv"
    table.write_text("path,subject,sample,session\na b.png,anna,first,1\nmissing.png,bob,second,2\n")
    listed = list_photos(table)
    assert listed.paths[0] == path
    assert listed.sample.tolist() == ["first", "second"]
    assert list(listed.metadata) == ["session"]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("subject,session\nanna,1\n", "has no column that names the photos"),
        ("path,subject\na.png,anna\na.png,bob\n", "names one of its photos twice"),
        ("path\na.png\n", "has no column that names the photos"),
    ],
)
def test_a_table_that_leaves_something_open_is_refused(tmp_path, table, problem):
    (tmp_path / "list.csv").write_text(table)
    with pytest.raises(bt.InputError, match=problem):
        list_photos(tmp_path / "list.csv")


def test_links_out_of_the_folder_are_not_followed(paint, tmp_path):
    paint("anna/1.png", (1, 1, 1))
    outside = tmp_path / "secret.png"
    outside.write_bytes(b"")
    (tmp_path / "photos" / "anna" / "2.png").symlink_to(outside)
    with pytest.raises(bt.InputError, match="out of the folder"):
        list_photos(tmp_path / "photos")


@pytest.mark.parametrize("text", ["", "276", "0x9", "9x0", "-1x5", "9999x1", "1x2x3", "١x٢x"])
def test_a_size_is_two_numbers(text):
    with pytest.raises(bt.InputError, match="expected WIDTHxHEIGHT"):
        parse_size(text)
    assert parse_size((3, 4)) == (3, 4)


def test_a_folder_that_is_none(tmp_path):
    with pytest.raises(bt.InputError):
        list_photos(tmp_path / "nowhere")
    (tmp_path / "nothing").mkdir()
    with pytest.raises(bt.InputError, match="empty folder"):
        list_photos(Path(tmp_path / "nothing"))
