"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bertillon.errors import InputError
from bertillon.files import make_folder, write_whole


def test_new_and_replaced_files(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_whole(path, lambda file: file.write(b"one"))
    write_whole(path, lambda file: file.write(b"two"))
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_while_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")

    def fail(file: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_whole(path, fail)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_stay_and_new_files_follow_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    old = os.umask(0o027)
    try:
        write_whole(path, lambda file: file.write(b"x"))
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o600)
    write_whole(path, lambda file: file.write(b"y"))
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_is_written_through(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_whole(link, lambda file: file.write(b"new"))
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a regular file"):
        write_whole(tmp_path, lambda file: file.write(b"x"))
    with pytest.raises(InputError, match="cannot be written"):
        write_whole(tmp_path / "absent" / "a.txt", lambda file: file.write(b"x"))
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(InputError, match="cannot be made a folder"):
        make_folder(tmp_path / "file")
    assert make_folder(tmp_path / "a" / "b").is_dir()
