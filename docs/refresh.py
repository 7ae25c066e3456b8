"""Bring the pages up to date: the output of every command, the table of formats, the figures of the benchmarks.

Run it after a change of output; the tests run it too and fail where a page is no longer true.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted(
        path for path in (ROOT / "docs").rglob("*.md") if not path.relative_to(ROOT / "docs").parts[0].startswith("_")
    ),
]
WIDTH = "100"
TOLD_FIRST = (  # the benchmarks in the README
    "operating points, scikit-learn roc_curve",
    "operating points, PyEER",
    "all against all, scikit-learn",
    "complete report of 2 classes, scikit-learn",
    "1,000 subject resamples, numpy copies",
)


def name_of(page: Path) -> str:
    """Where a page stands in the project."""
    return page.relative_to(ROOT).as_posix()


def refreshed(text: str) -> str:
    """The page as it should be."""
    text = re.sub(r"```console\n(.*?)```", _console, text, flags=re.DOTALL)
    for name, table in TABLES.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        text = re.sub(pattern, lambda m, table=table: f"{m[1]}{table()}{m[2]}", text, flags=re.DOTALL)
    return text


def formats_table() -> str:
    """Every format, whether it is read and written."""
    from bertillon.io import FORMATS

    rows = []
    for one in FORMATS.values():
        cells = (f"`{one.name}`", one.summary.replace("|", "/"), "yes" * bool(one.reader), "yes" * bool(one.writer))
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(["| name | what it holds | read | written |", "|---|---|---|---|", *rows]) + "\n"


def template_formats_table() -> str:
    """Every format that templates are read from."""
    from bertillon.io.templates import TEMPLATE_FORMATS

    rows = [f"| `{one.name}` | {one.summary} |" for one in TEMPLATE_FORMATS.values() if one.reader is not None]
    return "\n".join(["| name | what it holds |", "|---|---|", *rows]) + "\n"


def benchmarks_table(names: Collection[str] | None = None) -> str:
    """The stored figures of the last benchmark run, all of them or those named."""
    stored = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    rows = [
        f"| {row['name']} | {_seconds(row['ours'])} | {_seconds(row['peer'])} | {row['ratio']:.2f} | {row['bar']} |"
        for row in stored["rows"]
        if row["ratio"] is not None and (names is None or row["name"] in names)
    ]
    machine = stored["machine"]
    where = f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}"
    heading = ["| what, against whom | bertillon | peer | ratio | bar |", "|---|---|---|---|---|"]
    return f"Measured by `make bench` on {where}:\n\n" + "\n".join([*heading, *rows]) + "\n"


def vocabulary_table() -> str:
    """Every number and its names in both vocabularies."""
    from bertillon.views import VOCABULARY

    rows = []
    for term in VOCABULARY:
        cells = (
            f"`{term.biometric}`",
            ", ".join(term.everyday),
            f"`{term.ml}`",
            ", ".join(term.also),
            str(term.meaning),
        )
        rows.append(f"| {' | '.join(cells)} |")
    heading = "| biometrics | also called | machine learning | also called | what it is |"
    return "\n".join([heading, "|---|---|---|---|---|", *rows]) + "\n"


def simulated_tables(name: str) -> str:
    """What a simulation of the benchmarks stored: how often intervals hold the truth, or equal systems differ."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return str(importlib.import_module(f"benchmarks.{name}").markdown())


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.3g} s"


def command_lines(text: str) -> list[str]:
    """The commands whose output a text shows."""
    return [line[2:] for line in text.splitlines() if line.startswith("$ bertillon ")]


def _console(block: re.Match[str]) -> str:
    with _examples():
        return "```console\n" + "".join(f"$ {line}\n{_run(line)}" for line in command_lines(block[1])) + "```"


@contextlib.contextmanager
def _examples() -> Iterator[None]:
    """A folder of its own that holds the example files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for path in (ROOT / "examples").iterdir():
            if path.is_file():
                shutil.copy(path, folder)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _run(command: str) -> str:
    """What a bertillon command prints, without the blanks at the ends of lines."""
    from bertillon.cli.app import main

    program, *arguments = shlex.split(command)
    if program != "bertillon":
        raise ValueError(f"only bertillon commands are run, not {command!r}")
    sys.argv, old = ["bertillon", *arguments], sys.argv
    os.environ["COLUMNS"], width = WIDTH, os.environ.get("COLUMNS")
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
            main()
    finally:
        sys.argv = old
        os.environ.pop("COLUMNS") if width is None else os.environ.update(COLUMNS=width)
    if not output.getvalue().strip():
        raise ValueError(f"{command}: printed nothing")
    return "".join(f"{line.rstrip()}\n" for line in output.getvalue().rstrip().splitlines())


TABLES = {
    "formats": formats_table,
    "template-formats": template_formats_table,
    "benchmarks": benchmarks_table,
    "benchmarks-short": partial(benchmarks_table, TOLD_FIRST),
    "vocabulary": vocabulary_table,
    "coverage": partial(simulated_tables, "coverage"),
    "sizes": partial(simulated_tables, "sizes"),
}

if __name__ == "__main__":
    for page in PAGES:
        page.write_text(refreshed(page.read_text()))
