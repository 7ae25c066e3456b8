"""`python -m benchmarks`: run the cases, print the table, store it; ends with 1 if a bar is missed.

A full run at full scale is stored beside this file. `--renew` measures some rows anew (`--only`, by name) and stores
each as soon as it is there; the others stay as they were measured, judged by the bars of now.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks import (
    classification,
    delong,
    gallery,
    matchers,
    page,
    photos,
    resampling,
    scale_streams,
    scale_templates,
    service,
    templates,
    verification,
)
from benchmarks.harness import Case, Row
from benchmarks.machine import describe

CASES = (
    *verification.CASES,
    *templates.CASES,
    *scale_templates.CASES,
    *scale_streams.CASES,
    *matchers.CASES,
    *classification.CASES,
    *delong.CASES,
    *resampling.CASES,
    *page.CASES,
    *gallery.CASES,
    *photos.CASES,
    *service.CASES,
)
STORE = Path(__file__).with_name("results.json")
WORDS = {True: "pass", False: "FAIL", None: "-"}
COLUMNS = "{:<46} {:>10} {:>10} {:>8} {:>15} {:<5} {:>8}  {}"
SAME = ("processor", "cores", "python", "libraries")  # of the machine on which all rows of a table are measured


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; a full run at full scale is stored beside this file unless told otherwise."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if not 0.001 <= asked.scale <= 10:
        parser.error(f"--scale is {asked.scale:g}; expected 0.001 to 10")
    if asked.renew and asked.scale != 1.0:
        parser.error("--renew stores rows beside others of full scale; leave out --scale")
    cases = [case for case in CASES if not asked.only or any(name.lower() in case.name.lower() for name in asked.only)]
    if asked.list or not cases:
        print("\n".join(case.name for case in cases or CASES))
        return 0 if cases else 2
    machine, store = describe(), asked.store or STORE
    kept = _stored(store, machine, parser) if asked.renew else []
    print(_in_words(machine, asked.scale))
    print(COLUMNS.format("case", "ours", "peer", "ratio", "bar", "", "took", "note"))
    rows: list[Row] = []
    for case in cases:
        rows.append(_run(case, asked.scale))
        if asked.renew:
            _save(store, machine, asked.scale, renewed(kept, rows, CASES))
    if not asked.renew and (asked.store or (len(cases) == len(CASES) and asked.scale == 1.0)):
        _save(store, machine, asked.scale, rows)
    missed = sum(row.passed is False for row in rows)
    print(f"{missed} of {len(rows)} missed" if missed else "every bar is met")
    return 1 if missed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="size of the data; the bars are set for 1")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="cases whose name holds this; repeatable"
    )
    parser.add_argument("--list", action="store_true", help="print the names of the cases and run none")
    parser.add_argument("--renew", action="store_true", help="store each row in place of its last one, keep the others")
    parser.add_argument("--store", type=Path, metavar="FILE", help="where to store the table as JSON")
    return parser


def renewed(kept: Sequence[Row], measured: Sequence[Row], cases: Sequence[Case]) -> list[Row]:
    """A row of each case that has one, in order: as it was measured last, judged by the bar of now."""
    by_name = {row.name: row for row in (*kept, *measured)}
    return [case.judged(by_name[case.name]) for case in cases if case.name in by_name]


def _stored(path: Path, machine: dict[str, object], parser: argparse.ArgumentParser) -> list[Row]:
    """The rows of a table that was measured on this machine; rows of two machines do not belong in one table."""
    if not path.exists():
        return []
    content: dict[str, Any] = json.loads(path.read_text())
    differing = [name for name in SAME if content["machine"].get(name) != machine[name]]
    if differing:
        found = ", ".join(f"{name} {content['machine'].get(name)}" for name in differing)
        here = ", ".join(f"{name} {machine[name]}" for name in differing)
        parser.error(f"{path}: was measured elsewhere ({found}; here {here}); run every case, or store to another file")
    return [Row(**row) for row in content["rows"]]


def _run(case: Case, scale: float) -> Row:
    begun = perf_counter()
    row = replace(case.row(scale), took=round(perf_counter() - begun, 1))
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    texts = (row.name, _seconds(row.ours), _seconds(row.peer), ratio, row.bar, WORDS[row.passed], f"{row.took:.0f} s")
    print(COLUMNS.format(*texts, row.note).rstrip(), flush=True)
    return row


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f} s"


def _in_words(machine: dict[str, object], scale: float) -> str:
    libraries = machine["libraries"]
    assert isinstance(libraries, dict)
    versions = ", ".join(f"{name} {version}" for name, version in libraries.items())
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}\n"
        f"Python {machine['python']}, {versions}\nscale {scale:g}\n"
    )


def _save(path: Path, machine: dict[str, object], scale: float, rows: Sequence[Row]) -> None:
    measured = datetime.now(UTC).isoformat(timespec="seconds")
    content = {"measured": measured, "scale": scale, "machine": machine, "rows": [asdict(row) for row in rows]}
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(content, indent=2) + "\n")
    part.replace(path)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)
