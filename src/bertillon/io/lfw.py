"""LFW `pairs.txt`: which images are to be compared.

Conventions: the first line is `folds pairs` or `pairs`; each fold has so many mated lines `name n1 n2`, then as many
non-mated lines `name1 n1 name2 n2`. An image is called `Name_0001`; the first of a pair is the probe. The column
`fold` counts from 0. Sniffing: the first line is one or two whole numbers, the others have three or four fields.

Holds the format `lfw-pairs`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bertillon.core.errors import SHOWN_FAULTS, Fault, faults_error
from bertillon.core.lazy import pl
from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable
from bertillon.io.head import Head
from bertillon.io.registry import Format, Request, register
from bertillon.io.source import Source
from bertillon.io.text import numbered

_EXPECTED = "`name n1 n2` (mated) or `name1 n1 name2 n2` (non-mated)"


def read(source: Source, head: Head, request: Request) -> ComparisonTable:
    folds, pairs = _plan(source, head)
    rows = _pairs(source)
    expected = folds * pairs * 2
    if len(rows) != expected:
        raise source.error(f"has {len(rows):,} pairs, but its first line states {expected:,}; is it cut off?")
    frame = pl.DataFrame(rows, schema=["probe", "reference", "probe_subject", "reference_subject"], orient="row")
    fold = pl.Series("fold", [number // (2 * pairs) for number in range(len(rows))])
    frame = frame.select((frame["probe_subject"] == frame["reference_subject"]).alias("mated"), pl.all(), fold)
    notes = (say("reading.lfw", folds=folds, pairs=pairs),)
    kept = frame if request.ids else frame.select("mated")
    return ComparisonTable(kept, source.name, request.format, notes=notes)


def _plan(source: Source, head: Head) -> tuple[int, int]:
    first = head.lines[0].split() if head.lines else []
    if not 1 <= len(first) <= 2 or not all(_is_count(text) for text in first):
        raise source.error("the first line of LFW pairs is `folds pairs` or `pairs`, whole numbers above 0", 1)
    numbers = [int(text) for text in first]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (1, numbers[0])


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0


def _pairs(source: Source) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    faults: list[Fault] = []
    for number, line in numbered(source.content, header=True):
        pair = _pair(line.split())
        if pair:
            rows.append(pair)
        else:
            faults.append(Fault(number, line, f"is no pair; expected {_EXPECTED}"))
    if faults:
        raise faults_error(source.name, faults[:SHOWN_FAULTS], len(faults))
    return rows


def _pair(fields: Sequence[str]) -> tuple[str, ...] | None:
    """Both images and both subjects; None where the fields are no pair."""
    if len(fields) == 3:
        fields = (fields[0], fields[1], fields[0], fields[2])
    if len(fields) != 4 or not _is_count(fields[1]) or not _is_count(fields[3]):
        return None
    probe, reference = (f"{subject}_{int(number):04d}" for subject, number in (fields[:2], fields[2:]))
    return probe, reference, fields[0], fields[2]


def fits(head: Head) -> bool:
    lines = [line.split() for line in head.lines]
    if len(lines) < 2 or len(lines[0]) > 2 or not all(map(_is_count, lines[0])):
        return False
    good = sum(_pair(fields) is not None for fields in lines[1:])
    return 2 * good > len(lines) - 1


register(Format("lfw-pairs", "LFW pairs.txt: trials in folds", rank=2, fits=fits, reader=read))
