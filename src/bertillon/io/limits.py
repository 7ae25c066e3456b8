"""How much memory the content of a file may take, decided before it is taken.

A packed file says little of what is in it: 12 MB of gzip can hold 8 GB, and a few bytes of Parquet or HDF5 can promise
any number of rows. So whatever unpacks, or believes a size that is written in a file, asks here first. The limit is one
for each file that is read: `--max-memory` (`limited` in the library), else the environment variable
`BERTILLON_MAX_MEMORY`, else half of the memory that is available when the file is opened: the least that the machine,
the control groups of the process (containers, batch systems) and its own limits leave. Sizes are in bytes, written with
units of 1024: 500M, 4G, 1.5GiB.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bertillon.core.errors import InputError

OPTION, VARIABLE = "--max-memory", "BERTILLON_MAX_MEMORY"
MEMORY_SHARE = 0.5  # of what is available: what is made of the content takes room as well
UNKNOWN_AVAILABLE = 8 << 30  # bytes taken for available where the system does not say
STREAM_HINT = "comparisons one a line or row are read in parts with --stream"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_stated: int | None = None


@dataclass(slots=True)
class Limits:
    """How much of a file is held together where it is read in parts."""

    head_bytes: int = 1 << 20  # bytes from the front by which a file is recognised
    chunk_bytes: int = 1 << 24  # bytes of a text read together
    longest_line: int = 1 << 24  # bytes of a line
    batch_rows: int = 1 << 20  # of a batch of Parquet or of an array
    square_tile: int = 1024  # rows and columns of a tile: 8 MB as float64


LIMITS = Limits()


@contextmanager
def limited(size: int | str | None) -> Iterator[None]:
    """As long as this lasts no file may take more memory than that; None changes nothing.

    >>> with limited("4G"):
    ...     max_memory()
    4294967296
    """
    global _stated
    before = _stated
    if size is not None:
        _stated = parse_size(size) if isinstance(size, str) else size
    try:
        yield
    finally:
        _stated = before


def max_memory() -> int:
    """The bytes that the content of one file may take now."""
    return _limit()[0]


def require_memory(name: str, needed: int, what: str, instead: str = "") -> None:
    """Refuse what needs more memory than is allowed, with the figures and the way out."""
    if needed > max_memory():
        raise too_large_error(name, f"{what} needs {format_size(needed)} of memory", instead)


class MemoryBudget:
    """The memory that the parts of one file take together; the limit is looked up once, since that takes time."""

    def __init__(self, name: str) -> None:
        self.name, self.taken, self.most = name, 0, max_memory()

    def require(self, size: int, what: str) -> None:
        """Refuse what needs so many bytes for a while, beside what is kept."""
        if self.taken + size > self.most:
            beside = f" beside {format_size(self.taken)} for what was read before it" if self.taken else ""
            raise too_large_error(self.name, f"{what} needs {format_size(size)} of memory{beside}")

    def keep(self, size: int, what: str) -> None:
        """The same for what stays."""
        self.require(size, what)
        self.taken += size


def too_large_error(name: str, problem: str, instead: str = "") -> InputError:
    """The error for content that is larger than allowed."""
    most, why = _limit()
    allowed = f"{problem}, and at most {format_size(most)} {'is' if most == 1 else 'are'} allowed ({why})"
    ways = f"allow more with {OPTION} SIZE, such as {OPTION} {_next(most)}, or with the variable {VARIABLE}"
    return InputError(f"{name}: {allowed}; {ways}{f'; {instead}' if instead else ''}")


def parse_size(text: str, option: str = OPTION) -> int:
    """The bytes meant.

    >>> parse_size("500M"), parse_size("1.5 GiB"), parse_size("100")
    (524288000, 1610612736, 100)
    """
    match = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,6})?)\s*([KMGT]?)(?:i?B)?\s*", text, re.IGNORECASE)
    size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
    if size <= 0:
        raise InputError(f"{option}: {text!r} is not a size; expected a number with a unit, such as 500M or 4G")
    return size


def format_size(size: int) -> str:
    """A size for a person.

    >>> format_size(999), format_size(50_000_000), format_size(29 << 30)
    ('999 bytes', '47.7 MiB', '29.0 GiB')
    """
    for unit in ("T", "G", "M", "K"):
        if size >= _UNITS[unit]:
            return f"{size / _UNITS[unit]:,.1f} {unit}iB"
    return f"{size} bytes"


def available_memory(root: Path = Path("/")) -> int:
    """The bytes that this process can still take; `root` is where /proc and /sys are looked for."""
    sizes = [_machine(root), *_control_groups(root), _process(root)]
    return max(0, min((size for size in sizes if size is not None), default=UNKNOWN_AVAILABLE))


def _limit() -> tuple[int, str]:
    if _stated is not None:
        return _stated, OPTION
    if text := os.environ.get(VARIABLE):
        return parse_size(text, VARIABLE), VARIABLE
    free = available_memory()
    return int(MEMORY_SHARE * free), f"half of the {format_size(free)} of memory that are available"


def _next(most: int) -> str:
    """A size above the limit, to be tried."""
    for unit in ("K", "M", "G"):
        if 2 * most < _UNITS[unit] << 10:
            return f"{max(1, -(-2 * most // _UNITS[unit]))}{unit}"
    return f"{2 * most // _UNITS['T']}T"


def _machine(root: Path) -> int | None:
    match = re.search(r"^MemAvailable:\s*(\d+) kB", _text(root / "proc/meminfo"), re.MULTILINE)
    if match:
        return int(match[1]) << 10
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if root == Path("/") else None
    return None


def _control_groups(root: Path) -> Iterator[int]:
    """What each control group of the process, and each above it, leaves; of version 2, then of version 1."""
    base = root / "sys/fs/cgroup"
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, kinds, group = (*line.split(":", 2), "", "")[:3]
        if not kinds:
            yield from _left(base, group, "memory.max", "memory.current")
        elif "memory" in kinds.split(","):
            yield from _left(base / "memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes")


def _left(base: Path, group: str, most: str, used: str) -> Iterator[int]:
    inner = base / group.strip("/")
    for folder in [inner, *inner.parents]:
        limit = _text(folder / most).strip()
        if limit.isdecimal():
            files = re.findall(r"^(?:total_)?inactive_file (\d+)$", _text(folder / "memory.stat"), re.MULTILINE)
            taken = int(_text(folder / used).strip() or 0) - max(map(int, files), default=0)  # files can be let go
            yield int(limit) - max(0, taken)
        if folder == base:
            return


def _process(root: Path) -> int | None:
    """What the limit on the address space of the process leaves (ulimit -v)."""
    try:
        import resource
    except ImportError:  # not on every system
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _text(root / "proc/self/statm").split()
    if most == resource.RLIM_INFINITY or not pages:
        return None
    return int(most) - int(pages[0]) * resource.getpagesize()


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return ""
