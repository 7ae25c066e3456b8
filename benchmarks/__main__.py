"""`python -m benchmarks`: run the cases, print the table, store it; ends with 1 if a bar is missed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

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
COLUMNS = "{:<42} {:>10} {:>10} {:>8} {:>15} {:<5} {}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; a full run at full scale is stored beside this file unless told otherwise."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if not 0.001 <= asked.scale <= 10:
        parser.error(f"--scale is {asked.scale:g}; expected 0.001 to 10")
    cases = [case for case in CASES if asked.only.lower() in case.name.lower()]
    if not cases:
        print(f"no case is named {asked.only!r}; there are: {'; '.join(case.name for case in CASES)}", file=sys.stderr)
        return 2
    machine = describe()
    print(_in_words(machine, asked.scale))
    print(COLUMNS.format("case", "ours", "peer", "ratio", "bar", "", "note"))
    rows = [_run(case, asked.scale) for case in cases]
    store = asked.store or (STORE if len(cases) == len(CASES) and asked.scale == 1.0 else None)
    if store:
        _save(store, machine, asked.scale, rows)
    missed = sum(row.passed is False for row in rows)
    print(f"{missed} of {len(rows)} missed" if missed else "every bar is met")
    return 1 if missed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="size of the data; the bars are set for 1")
    parser.add_argument("--only", default="", metavar="NAME", help="cases whose name holds this")
    parser.add_argument("--store", type=Path, metavar="FILE", help="where to store the table as JSON")
    return parser


def _run(case: Case, scale: float) -> Row:
    row = case.row(scale)
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    texts = (row.name, _seconds(row.ours), _seconds(row.peer), ratio, row.bar, WORDS[row.passed], row.note)
    print(COLUMNS.format(*texts).rstrip(), flush=True)
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
