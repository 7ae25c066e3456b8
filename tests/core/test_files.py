"""Files are written whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bertillon.core import InputError, exit_on_signals, make_folder, write_whole


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


SLOW = """
import sys, time
from bertillon.core.files import exit_on_signals, write_whole

def fill(file):
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)

with exit_on_signals():
    write_whole(sys.argv[1], fill)
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_process_that_is_told_to_end_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    number, path = getattr(signal, name), tmp_path / "a.txt"
    path.write_bytes(b"old")
    with subprocess.Popen([sys.executable, "-c", SLOW, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        assert len(list(tmp_path.iterdir())) == 2
        process.send_signal(number)
        assert process.wait(timeout=30) == 128 + number
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"old"


def test_signals_are_as_they_were_afterwards_and_those_ignored_stay_so() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with exit_on_signals():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with exit_on_signals():
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)
