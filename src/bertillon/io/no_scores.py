"""Files that are recognised and hold no comparisons: error curves, counts of scores, pickles.

    threshold,FMR,FNMR        also thr and t; FAR, FPR; FRR, FNR
    fpr,tpr,thresholds        also TMR, GAR, TAR: what is left to 1 is FNMR
    FMR,FNMR                  without thresholds, as PyEER exports its rates
    threshold,FAR (%),FRR (%) percent where the header says so

Conventions: a curve has one point a line, in any order; rates go from 0 to 1. Counts and pickles are known by their
first bytes. Curves and counts are read by `bertillon verify`, `bertillon count` and `counting.read_curve`; reading a
pickle (protocol 2 to 5) can run any code.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError, listed
from bertillon.core.messages import Text, say
from bertillon.io.columns import known_role, plain
from bertillon.io.registry import Format, register, require_text
from bertillon.io.source import GZIP_MAGIC, Head, first_bytes, head_of, look, open_source
from bertillon.io.text import Layout, parse

MAGIC = b"\x89bertillon counts\n"
_FIRST_BYTES = 4096
_NAMES = {
    "threshold": ("threshold", "thresholds", "thr", "thrs", "t", "tau"),
    "fmr": ("fmr", "far", "fpr", "falsematchrate", "falseacceptrate", "falseacceptancerate", "falsepositiverate"),
    "fnmr": ("fnmr", "frr", "fnr", "falsenonmatchrate", "falserejectrate", "falserejectionrate", "falsenegativerate"),
    "tmr": ("tmr", "tar", "gar", "tpr", "truematchrate", "trueacceptrate", "genuineacceptrate", "truepositiverate"),
}
_PERCENTS = re.compile("%|percent|pct")


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """The points of a curve as listed; `threshold` is None where the file has none."""

    threshold: NDArray[np.float64] | None
    fmr: NDArray[np.float64]
    fnmr: NDArray[np.float64]
    source: str
    notes: tuple[Text, ...]


def is_curve(path: str | os.PathLike[str]) -> bool:
    """Does a file begin with the header of a curve, packed or not?"""
    start = first_bytes(path, _FIRST_BYTES)
    with suppress(InputError):  # whoever reads it will say what is wrong
        start = open_source(path).head(_FIRST_BYTES) if start[:2] == GZIP_MAGIC else start
    return b"\x00" not in start and fits_curve(head_of(start))


def rates_in(path: str | os.PathLike[str]) -> Rates:
    source = open_source(path)
    head = look(source)
    require_text(source, head)
    names = head.names
    column = _named(names)
    if not _is_whole(column):
        raise source.error(f"a curve begins with threshold, FMR and FNMR, each once; found: {listed(names)}", 1)
    frame = parse(source, head, Layout.of_header(head), {name: "score" for ones in column.values() for name in ones})
    values = {}
    for role, (name, *_) in column.items():
        percent = role != "threshold" and _PERCENTS.search(name.lower())
        values[role] = rates = frame[name].to_numpy() / (100 if percent else 1)
        bad = np.isnan(rates) if role == "threshold" else ~((rates >= 0) & (rates <= 1))
        if bad.any():
            row = int(bad.argmax())
            hint = "" if role == "threshold" else "; a rate goes from 0 to 1, or write % behind its name in the header"
            raise source.error(f"point {row + 1:,}: {name} is {frame[name][row]}{hint}")
    mated = values["fnmr"] if "fnmr" in values else 1.0 - values["tmr"]
    used = [ones[0] for ones in column.values()]
    notes = (say("reading.curve", n=frame.height, columns=used),)
    return Rates(values.get("threshold"), values["fmr"], mated, source.name, notes)


def _named(names: Sequence[str]) -> dict[str, list[str]]:
    columns = {
        role: [name for name in names if plain(_PERCENTS.sub("", name.lower())) in known]
        for role, known in _NAMES.items()
    }
    return {role: ones for role, ones in columns.items() if ones}


def _is_whole(column: dict[str, list[str]]) -> bool:
    """One column of false matches and one of false non-matches, in either form?"""
    mated = [*column.get("fnmr", []), *column.get("tmr", [])]
    return len(column.get("fmr", [])) == 1 == len(mated) and len(column.get("threshold", [])) <= 1


def fits_curve(head: Head) -> bool:
    names = head.names
    if len(names) < 2:
        return False
    scored = any(known_role(name) in ("score", "mated") for name in names)
    return not scored and _is_whole(_named(names))


def is_counts(path: str | os.PathLike[str]) -> bool:
    """Does a file begin as counts do?"""
    return first_bytes(path, len(MAGIC)) == MAGIC


PICKLES = tuple(bytes([0x80, protocol]) for protocol in (2, 3, 4, 5))
_PICKLE = "is a pickle, which can run code and is refused; save the scores as CSV, Parquet or .npy"
_COUNTS = "holds counts of scores, not the scores; bertillon verify and bertillon count read them"
_CURVE = "holds an error curve, not scores; bertillon verify and bt.counting.read_curve read it"
register(
    Format("pickle", "pickled objects, refused", 0, None, refusal=_PICKLE, magic=PICKLES),
    Format("counts", "counts of scores (bertillon count)", 0, None, refusal=_COUNTS, magic=(MAGIC,)),
    Format("curve", "error curve: threshold, FMR, FNMR (bertillon verify)", 1, fits_curve, refusal=_CURVE, columns=2),
)
