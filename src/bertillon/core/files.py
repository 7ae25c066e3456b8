"""Files written whole or not at all.

Conventions: content goes to a temporary file in the same folder, is flushed to disk and then put in place; on any
failure the old file stays as it was and nothing is left over. A process that is told to end (SIGTERM, SIGHUP) cleans
up if it runs within `exit_on_signals`, as the command does.

Holds `write_whole`, `write_protected`, `make_folder` and `exit_on_signals`.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bertillon.core.errors import InputError

_protected: set[str] = set()  # real paths


def write_whole(path: str | os.PathLike[str], fill: Callable[[BinaryIO], object], *, private: bool = False) -> None:
    """Write what `fill` puts into the file it is given; an `InputError` says why that could not be done.

    A new file that is `private` may be read by its owner alone; one that is replaced keeps its permissions.
    """
    target = Path(path)
    try:
        _write(Path(os.path.realpath(target)), fill, private=private)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error}); nothing was changed") from error


@contextmanager
def write_protected(paths: Iterable[str | os.PathLike[str]]) -> Iterator[None]:
    """As long as this lasts `write_whole` refuses these files, whatever name it is given for them."""
    before = set(_protected)
    _protected.update(os.path.realpath(path) for path in paths)
    try:
        yield
    finally:
        _protected.clear()
        _protected.update(before)


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """As long as this lasts SIGTERM and SIGHUP end the process as an exception does, with 128 and their number."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears of signals
        return
    known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    default = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]  # nohup ignores SIGHUP
    for number in default:
        signal.signal(number, _unwind)
    try:
        yield
    finally:
        for number in default:
            signal.signal(number, signal.SIG_DFL)


def _unwind(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def make_folder(path: str | os.PathLike[str]) -> Path:
    """The folder, made where it does not exist."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"the folder is {path!r}; expected its path")
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made a folder ({error.strerror or error})") from error
    return folder


def _write(target: Path, fill: Callable[[BinaryIO], object], *, private: bool) -> None:
    if str(target) in _protected:
        raise InputError(f"{target}: is an input and would be overwritten; name another file to write")
    if target.exists() and not target.is_file():
        raise InputError(f"{target}: exists and is not a regular file; name another path")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target, private=private))
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode(target: Path, *, private: bool) -> int:
    """The permissions of the file to be replaced, or those any new file would get."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    if private:
        return 0o600
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
