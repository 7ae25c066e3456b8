"""Simulations that go on where they stopped: counts of each cell, added up in a file that is whole at any time.

Conventions: a cell is one setting that is simulated again and again. What a run saw is a few numbers for each measure,
and only their sums are kept. The seed of a run follows from the cell's name and the number of the run, so that runs
made in several parts are those of one long simulation. The file is written after every chunk of runs, in one piece. A
cell whose definition changed starts anew; a change of the library is not noticed and is told by `anew`.

Holds `Cell` (what can be simulated), `Seen` (what one run saw of one measure), `Kept` (the sums of a cell), `go_on`,
`read` and `write`, and what commands and pages share: `Row` (a measure in a cell), `run_command` and `table_lines`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from multiprocessing import Value
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Protocol, TypeVar

from benchmarks.machine import describe

CHUNK = 20.0  # seconds after which the file is written
FIRST = 4  # runs of a cell that tell how long one takes
Prepared = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one run saw of one measure: numbers to be added up, and perhaps why there were none."""

    counts: Mapping[str, float]
    reason: str = ""


class Cell(Protocol):
    """One setting."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def setting(self) -> str: ...

    def prepare(self) -> Prepared:
        """What every run needs and is found once: the truth."""

    def one(self, prepared: Prepared, seed: int) -> dict[str, Seen]:
        """One simulated test: what was seen of each measure."""


C = TypeVar("C", bound=Cell)


@dataclass(slots=True)
class Kept:
    """The sums of a cell."""

    definition: str
    prepared: dict[str, float]
    runs: int = 0
    seconds: float = 0.0  # of a processor
    counts: dict[str, dict[str, float]] = field(default_factory=dict)  # by measure
    reasons: dict[str, str] = field(default_factory=dict)  # the first that was given, by measure

    def add(self, seen: Mapping[str, Seen], seconds: float) -> None:
        """One more run."""
        self.runs += 1
        self.seconds += seconds
        for measure, one in seen.items():
            sums = self.counts.setdefault(measure, {})
            for name, number in one.counts.items():
                sums[name] = sums.get(name, 0) + number
            if one.reason:
                self.reasons.setdefault(measure, one.reason)

    @property
    def seconds_per_run(self) -> float:
        return self.seconds / self.runs if self.runs else 0.0


def go_on(
    cells: Sequence[Cell],
    path: Path,
    *,
    runs: int,
    minutes: float = 1e9,
    processes: int = 1,
    anew: bool = False,
    report: Callable[[str], None] = print,
) -> dict[str, Kept]:
    """Simulate until every cell has so many runs or the time is over, those with the fewest runs first."""
    deadline = perf_counter() + 60.0 * minutes
    kept = read(path)
    for cell in cells:
        if anew or (cell.name in kept and kept[cell.name].definition != definition_of(cell)):
            kept.pop(cell.name, None)
    with ExitStack() as stack:
        pool = stack.enter_context(_pool(processes)) if processes > 1 else None
        waiting = [cell for cell in cells if cell.name not in kept or kept[cell.name].runs < runs]
        speed = float(processes)  # seconds of a processor in a second
        while waiting:
            cell = min(waiting, key=lambda cell: kept[cell.name].runs if cell.name in kept else 0)
            number = _next_runs(kept.get(cell.name), runs, deadline - perf_counter(), speed)
            if number:
                if cell.name not in kept:
                    kept[cell.name] = Kept(definition_of(cell), dict(cell.prepare()))
                start = perf_counter()
                spent = _simulate(cell, kept[cell.name], number, pool)
                speed = max(spent, 1e-3) / (perf_counter() - start)
                write(path, kept)
                done = kept[cell.name]
                report(f"{cell.name}: {done.runs:,} runs, {done.seconds_per_run:.3f} s each")
            if not number or kept[cell.name].runs >= runs:
                waiting.remove(cell)
    return kept


def read(path: Path) -> dict[str, Kept]:
    """What was kept, by the name of the cell; nothing where there is no file."""
    if not path.exists():
        return {}
    cells = json.loads(path.read_text())["cells"]
    return {name: Kept(**cell) for name, cell in cells.items()}


def write(path: Path, kept: Mapping[str, Kept]) -> None:
    """The file in one piece, a line for each measure."""
    head = {"measured": datetime.now(UTC).isoformat(timespec="seconds"), "machine": describe()}
    cells = {name: {slot: getattr(one, slot) for slot in one.__slots__} for name, one in kept.items()}
    part = path.with_name(path.name + ".part")
    part.write_text(_written({**head, "cells": cells}, 3) + "\n")
    part.replace(path)


def definition_of(cell: Cell) -> str:
    """A short name of all that defines a cell."""
    return hashlib.sha256(repr(cell).encode()).hexdigest()[:16]


def seed_of(name: str, run: int) -> int:
    """The seed of a run, whatever was run before it."""
    return (zlib.crc32(name.encode()) << 24) + run


class Row(Protocol):
    """One measure in one cell."""

    @property
    def passed(self) -> bool: ...

    def printed(self) -> str:
        """A line for the terminal."""


def run_command(
    arguments: Sequence[str] | None,
    name: str,
    about: str | None,
    cells: Sequence[C],
    store: Path,
    heading: str,
    rows_of: Callable[[C, Mapping[str, Kept]], Sequence[Row]],
) -> int:
    """Go on with the simulation as asked and print the rows of each cell; ends with 1 if a bar is missed."""
    formatter = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=about, formatter_class=formatter)
    _add_arguments(parser, store)
    asked = parser.parse_args(arguments)
    chosen = _go_on_as_asked(cells, parser, asked)
    kept, rows = read(asked.store), list[Row]()
    for cell in chosen:
        found = rows_of(cell, kept)
        if found:
            print(f"\n{cell.name}: {kept[cell.name].runs:,} runs, {kept[cell.name].seconds_per_run:.3f} s each")
            print("\n".join([heading, *(row.printed() for row in found)]), flush=True)
        rows += found
    missed = sum(not row.passed for row in rows)
    seconds = sum(kept[cell.name].seconds_per_run for cell in chosen if cell.name in kept)
    print(f"\n{missed} of {len(rows)} missed the bar; one run of every cell takes {seconds:.2f} s of a processor")
    return 1 if missed else 0


def table_lines(first: str, cells: Sequence[Cell], shown: Sequence[Mapping[str, str]]) -> list[str]:
    """A table in Markdown: a column for each cell, a row for each measure that is shown of any of them."""
    lines = [f"| {first} | {' | '.join(cell.setting for cell in cells)} |", "|---" * (1 + len(cells)) + "|"]
    for measure in dict.fromkeys(name for own in shown for name in own):
        lines.append(f"| `{measure}` | {' | '.join(own.get(measure, '') for own in shown)} |")
    return lines


def _add_arguments(parser: argparse.ArgumentParser, store: Path) -> None:
    """What one asks of a simulation that goes on."""
    parser.add_argument("--runs", type=int, default=1000, help="simulated tests in each cell (1000)")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--processes", type=int, default=1, help="work in so many processes (1)")
    parser.add_argument("--cell", default="", metavar="NAME", help="only cells whose name holds this")
    parser.add_argument("--only", default="", metavar="KIND", help="only cells of this kind")
    parser.add_argument("--anew", action="store_true", help="forget what was simulated before of these cells")
    parser.add_argument("--show", action="store_true", help="simulate nothing, show what is stored")
    parser.add_argument("--store", type=Path, default=store, metavar="FILE", help="where the counts are kept")


def _go_on_as_asked(cells: Iterable[C], parser: argparse.ArgumentParser, asked: argparse.Namespace) -> list[C]:
    """The cells that were asked for, after they were simulated."""
    chosen = [cell for cell in cells if asked.cell in cell.name and asked.only in cell.kind]
    if not chosen or asked.runs < 1:
        names = "\n  ".join(cell.name for cell in cells)
        parser.error(f"no such cell; expected part of a name, or a kind, of\n  {names}\nand one run or more")
    if not asked.show:
        more = {"runs": asked.runs, "minutes": asked.minutes, "processes": asked.processes, "anew": asked.anew}
        go_on(chosen, asked.store, **more, report=partial(print, flush=True))
    return chosen


def _next_runs(kept: Kept | None, runs: int, left: float, speed: float) -> int:
    """How many runs make the next chunk; none where the time that is left does not allow one."""
    if left <= 0.0:
        return 0
    if kept is None:
        return min(FIRST, runs)
    fitting = int(speed * min(CHUNK, left) / max(kept.seconds_per_run, 1e-4))
    return min(fitting or int(left >= CHUNK), runs - kept.runs)


def _simulate(cell: Cell, kept: Kept, number: int, pool: ProcessPoolExecutor | None) -> float:
    """So many more runs of a cell; how long they took a processor."""
    before = kept.seconds
    seeds = [seed_of(cell.name, run) for run in range(kept.runs, kept.runs + number)]
    test = partial(_timed, cell, kept.prepared)
    for seen, seconds in map(test, seeds) if pool is None else pool.map(test, seeds, chunksize=4):
        kept.add(seen, seconds)
    return kept.seconds - before


def _timed(cell: Cell, prepared: Prepared, seed: int) -> tuple[dict[str, Seen], float]:
    start = process_time()
    return cell.one(prepared, seed), process_time() - start


def _pool(processes: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(processes, initializer=_stay_on_one_core, initargs=(Value("i", 0),))


def _stay_on_one_core(turn: Any) -> None:
    """Each process works on a core of its own, with one thread."""
    if hasattr(os, "sched_setaffinity"):
        with turn.get_lock():
            place, turn.value = turn.value, turn.value + 1
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[place % len(cores)]})


def _written(value: Any, depth: int, indent: str = "") -> str:
    """JSON whose deeper parts stand on one line."""
    if not isinstance(value, dict) or not depth or not value:
        if isinstance(value, dict) and any(isinstance(inner, dict) for inner in value.values()):
            return _written(value, 1, indent)
        return json.dumps(value)
    inside = indent + " "
    lines = (f"{inside}{json.dumps(key)}: {_written(inner, depth - 1, inside)}" for key, inner in value.items())
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
