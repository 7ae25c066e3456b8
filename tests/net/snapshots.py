"""Snapshots of numbers: what is stored of them, and how two are compared.

Conventions: numbers whose paths differ in places of lists only are a series. A short series is stored number by
number. A long one is stored as its length, a digest of all its numbers, and the first and last few. A long series of a
job that compares templates is stored as its length and numbers at even distances, which are compared within a
tolerance.

Holds `stored_form`, `differences`, `load` and `save`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SHORT, ENDS, SPREAD = 24, 3, 24
TOLERANCE = 1e-6
DIGITS = 9  # significant, of numbers that are compared within the tolerance
PLACE = re.compile(r"\[\d+\]")
FOLDER = Path(__file__).parents[1] / "snapshots" / "net"

Stored = dict[str, dict[str, str]]


def stored_form(files: dict[str, dict[str, str]], *, near: bool) -> Stored:
    """What is kept of the numbers of each file."""
    return {file: _of_file(numbers, near=near) for file, numbers in files.items()}


def _of_file(numbers: dict[str, str], *, near: bool) -> dict[str, str]:
    stored: dict[str, str] = {}
    for series, paths in _by_series(numbers).items():
        values = [_rounded(numbers[path]) if near else numbers[path] for path in paths]
        if len(paths) <= SHORT:
            stored.update(zip(paths, values, strict=True))
        else:
            stored.update(_spread(series, values) if near else _digested(series, values))
    return stored


def _by_series(paths: Iterable[str]) -> dict[str, list[str]]:
    series: dict[str, list[str]] = {}
    for path in paths:
        series.setdefault(PLACE.sub("[]", path), []).append(path)
    return series


def _digested(series: str, values: list[str]) -> dict[str, str]:
    digest = hashlib.sha256("\n".join(values).encode()).hexdigest()[:32]
    ends = " ".join([*values[:ENDS], "..", *values[-ENDS:]])
    return {f"{series} count": str(len(values)), f"{series} ends": ends, f"{series} sha256": digest}


def _spread(series: str, values: list[str]) -> dict[str, str]:
    chosen = sorted({round(k * (len(values) - 1) / (SPREAD - 1)) for k in range(SPREAD)})
    return {f"{series} count": str(len(values))} | {f"{series} at {place}": values[place] for place in chosen}


def _rounded(text: str) -> str:
    number = _number(text)
    return text if number is None or not math.isfinite(number) else f"{number:.{DIGITS}g}"


def differences(old: Stored, new: Stored, *, near: bool) -> list[str]:
    """A line for each path whose number is another, is new, or is gone."""
    found = []
    for file in sorted({*old, *new}):
        before, after = old.get(file, {}), new.get(file, {})
        paths = [*before, *(path for path in after if path not in before)]
        found += [
            f"{file}: {path}: {before.get(path, 'absent')} -> {after.get(path, 'absent')}"
            for path in paths
            if not _same(before.get(path), after.get(path), near=near)
        ]
    return found


def _same(old: str | None, new: str | None, *, near: bool) -> bool:
    if old == new or not near or old is None or new is None:
        return old == new
    before, after = _number(old), _number(new)
    return (
        before is not None and after is not None and math.isclose(before, after, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def load(name: str) -> dict[str, Any]:
    """The stored snapshot of a job."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def save(name: str, snapshot: Stored, folder: Path = FOLDER) -> None:
    """Write the snapshot of a job, one number a line."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(snapshot, indent=0, ensure_ascii=False) + "\n")
