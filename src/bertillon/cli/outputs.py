"""Where results go: the terminal, and the files that were asked for.

Holds `show` (results on the terminal or as JSON), `write_answers`, `write_json`, `write_report`, `renamed`, and
`guarded`, which checks the files a command writes before any work is done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bertillon.cli.progress import working
from bertillon.core.errors import InputError
from bertillon.core.files import write_protected
from bertillon.core.messages import Message, say, spoken

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from bertillon.cli.grammar import Invocation
    from bertillon.cli.options import OutputOptions
    from bertillon.render.files import Reportable
    from bertillon.views.report_content import ReportContent

NARROWEST = 80  # columns that every table fits in
NamedSystem = TypeVar("NamedSystem", bound=Any)


def console(*, stderr: bool = False) -> Console:
    """Where results are shown; never so narrow that numbers are cut off: a terminal wraps longer lines by itself."""
    from bertillon.render.console import SafeConsole

    shown = SafeConsole(stderr=stderr)
    shown.width = max(shown.width, NARROWEST)
    return shown


def print_lines(*lines: Message | str) -> None:
    """Print messages in words, and lines as they are, with nothing in them that acts on a terminal."""
    from bertillon.core.escaping import visible

    for line in lines:
        print(visible(spoken(line)))


def show(
    json: str | None,
    text: Callable[[], str],
    tables: Callable[[], Iterable[RenderableType]],
    written: Sequence[Message],
) -> None:
    """Print the JSON `text` where --json is -, else the `tables` and what was written."""
    if json == "-":
        print(text(), end="")
        return
    terminal = console()
    for table in tables():
        terminal.print(table)
    show_written(terminal, written)


def show_written(terminal: Console, lines: Sequence[Message]) -> None:
    """Say what was written."""
    for line in lines:
        terminal.print(spoken(line), style="dim", soft_wrap=True, markup=False)


def renamed(systems: Sequence[NamedSystem], names: Sequence[str]) -> list[NamedSystem]:
    """The systems under the names given with --name."""
    if names and len(names) != len(systems):
        raise InputError(f"--name: {len(names)} names for {len(systems)} systems; expected one each")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"--name: {twice[0]!r} is given twice; expected a name of its own for each system")
    if not names:
        return list(systems)
    return [replace(system, name=name) for system, name in zip(systems, names, strict=True)]


def write_answers(
    options: OutputOptions,
    *,
    json: Callable[[], str],
    figures: Callable[[Path, Sequence[str]], Sequence[Path]],
    csv: Callable[[Path], Sequence[Path]] | None = None,
) -> list[Message]:
    """Have what was asked for made and written; a line for each thing written."""
    lines = write_json(json, options.json)
    if options.csv and csv:
        lines.append(say("terminal.written.csv", n=len(csv(options.csv)), folder=str(options.csv)))
    if options.figures:
        with working("drawing"):
            drawn = figures(options.figures, options.formats)
        lines.append(figures_written(drawn, options.figures))
    return lines


def figures_written(drawn: Sequence[Path], folder: Path) -> Message:
    """The line that says how many figures were written where."""
    return say("terminal.written.figures", n=len(drawn), folder=str(folder))


def json_text(content: ReportContent) -> str:
    """The content as JSON."""
    from bertillon.render.records import report_json

    return report_json(content)


def write_json(text: Callable[[], str], target: str | None) -> list[Message]:
    """Write JSON where a file was asked for; the line that says so."""
    return [write_text(text(), target)] if target and target != "-" else []


def write_text(text: str, target: str, kind: str = "JSON") -> Message:
    """Write a text to a file; the line that says so, by what `kind` of thing it is."""
    from bertillon.core.files import write_whole

    content = text.encode()
    write_whole(target, lambda file: file.write(content))
    return say("terminal.written.kind", kind=kind, file=target)


def write_report(content: Reportable, options: OutputOptions) -> list[Message]:
    """Write the report where one was asked for; the line that says so."""
    if options.report is None:
        return []
    from bertillon.render.files import write_report as write

    return [say("terminal.written.report", file=str(write(content, options.report, lang=options.lang)))]


@contextmanager
def guarded(invocation: Invocation) -> Iterator[None]:
    """Refuse to begin where a file to be written is an input, or has no folder; inputs stay as they are meanwhile."""
    inputs = list(_inputs(invocation))
    labels: dict[str, str] = {}
    for parameter, value in invocation.values():
        if not parameter.spec.writes or not value or str(value) == "-":
            continue
        target, label = Path(value), parameter.label
        if not os.path.isdir(target.parent):
            raise InputError(f"{label}: {target}: there is no folder {target.parent}; make it first")
        if any(os.path.exists(target) and os.path.samefile(source, target) for source in inputs):
            raise InputError(f"{label}: {target}: is an input and would be overwritten; name another file")
        other = labels.setdefault(os.path.realpath(target), label)
        if other != label:
            raise InputError(f"{target}: {other} and {label} both name it; give each a file of its own")
    with write_protected(inputs):  # also from files in folders, such as --csv's
        yield


def _inputs(invocation: Invocation) -> Iterator[str | Path]:
    """The files that the command may read: some options take a name or a file."""
    values = list(invocation.values())
    updated = {os.path.realpath(value) for parameter, value in values if parameter.spec.updates and value}
    for parameter, value in values:
        if parameter.spec.writes or parameter.spec.updates:
            continue
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, str | Path) and os.path.isfile(item) and os.path.realpath(item) not in updated:
                yield item
