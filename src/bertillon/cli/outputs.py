"""Where results go: the terminal, and the files that were asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bertillon.cli.declare import given_options
from bertillon.cli.grammar import Invocation
from bertillon.cli.options import OutputOptions
from bertillon.cli.progress import working
from bertillon.cli.rooms import advice, evaluating, render
from bertillon.core import InputError, Message, say, spoken, visible
from bertillon.core.errors import CheckFailed
from bertillon.core.files import write_protected, write_whole

if TYPE_CHECKING:
    from rich.console import Console


NARROWEST = 40  # columns that every table fits in
NamedSystem = TypeVar("NamedSystem", bound=Any)


def console(*, stderr: bool = False) -> Console:
    """Where results are shown; never so narrow that numbers are cut off: a terminal wraps longer lines by itself."""
    shown = render.SafeConsole(stderr=stderr)
    shown.width = max(shown.width, NARROWEST)
    return shown


def print_lines(*lines: Message | str) -> None:
    """Print messages in words, and lines as they are, with nothing in them that acts on a terminal."""
    for line in lines:
        print(visible(spoken(line)))


def show_written(terminal: Console, lines: Sequence[Message]) -> None:
    for line in lines:
        terminal.print(spoken(line), style="dim", soft_wrap=True, markup=False)


def renamed(systems: Sequence[NamedSystem], names: Sequence[str]) -> list[NamedSystem]:
    if names and len(names) != len(systems):
        raise InputError(f"--name: {len(names)} names for {len(systems)} systems; expected one each")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"--name: {twice[0]!r} is given twice; expected a name of its own for each system")
    return [replace(system, name=name) for system, name in zip(systems, names, strict=True)] if names else list(systems)


def deliver(
    options: OutputOptions,
    shown: Any,
    *,
    json: Callable[[], str] | None = None,
    csv: Callable[[Path], Sequence[Path]] | None = None,
    figures: Callable[[Path, Sequence[str]], Sequence[Path]] | None = None,
    more: Callable[[], Sequence[Message]] = tuple,
    report: Callable[[], Any] | None = None,
    failed: Callable[[], Sequence[Message]] = tuple,
    explain: bool = False,
    further: Sequence[str] = (),
) -> None:
    """Write the files asked for, then print the JSON where --json is -, else what is shown and what was written.

    What is `shown` is a finding or the content of a report; `json` and `report` make what is written where that is
    something else. Options that lead `further` are named where they were not given. Then the command fails where a
    check has `failed`.
    """
    text = (json() if json else render.finding_json(shown)) if options.json else ""
    written = [write_text(text, options.json)] if options.json and options.json != "-" else []
    if options.csv and csv:
        written.append(say("terminal.written.csv", n=len(csv(options.csv)), folder=str(options.csv)))
    if options.figures and figures:
        with working("drawing"):
            written.append(figures_written(figures(options.figures, options.formats), options.figures))
    written += more()
    reported = report() if report and options.report else shown
    for target in options.report:
        if target == "-":
            text = render.markdown_report(reported, lang=options.lang, **options.cover)
        else:
            cover = options.cover if render.takes_cover(target) else {}
            path = render.write_report(reported, target, lang=options.lang, **cover)
            written.append(say("terminal.written.report", file=str(path)))
    if "-" in (options.json, *options.report):
        print(text, end="")
    else:
        terminal = console()
        how: dict[str, Any] = {"explain": explain, "quiet": options.quiet, "further": _further(options, further)}
        terminal.print(render.terminal_text(shown, options.detail, **how), soft_wrap=True)
        show_written(terminal, written)
    if reasons := failed():
        raise CheckFailed("\nfailed: ".join(map(spoken, reasons)))


def _further(options: OutputOptions, further: Sequence[str]) -> Message | str:
    """What to type next, of what was not typed yet."""
    given = given_options(options)
    left = [each for each in further if each.split()[0] not in given]
    return say("terminal.next", options="   ".join(each.replace(" ", "\u00a0") for each in left)) if left else ""


def failures(gates: Sequence[advice.Gate], evaluations: Sequence[evaluating.AnyEvaluation]) -> list[Message]:
    """What is said of gates that are not passed; where there are none, nothing is loaded to judge them."""
    return advice.failures(gates, evaluations) if gates else []


def figures_written(drawn: Sequence[Path], folder: Path) -> Message:
    return say("terminal.written.figures", n=len(drawn), folder=str(folder))


def write_json(text: str, target: str) -> list[Message]:
    """Print JSON where the target is -, else write it to a file; the line that says so."""
    if target == "-":
        print(text, end="")
        return []
    return [write_text(text, target)]


def write_text(text: str, target: str, kind: str = "JSON") -> Message:
    """Write a text to a file; the line that says so, by what `kind` of thing it is."""
    content = text.encode()
    write_whole(target, lambda file: file.write(content))
    return say("terminal.written.kind", kind=kind, file=target)


@contextmanager
def guarded(invocation: Invocation) -> Iterator[None]:
    """Refuse to begin where a file to be written is an input, or has no folder; inputs stay as they are meanwhile."""
    inputs = list(_inputs(invocation))
    labels: dict[str, str] = {}
    for label, target in _targets(invocation):
        if not os.path.isdir(target.parent):
            raise InputError(f"{label}: {target}: there is no folder {target.parent}; make it first")
        if any(os.path.exists(target) and os.path.samefile(source, target) for source in inputs):
            raise InputError(f"{label}: {target}: is an input and would be overwritten; name another file")
        other = labels.setdefault(os.path.realpath(target), label)
        if other != label:
            raise InputError(f"{target}: {other} and {label} both name it; give each a file of its own")
    with write_protected(inputs):  # also from files in folders, such as --csv's
        yield


def _targets(invocation: Invocation) -> Iterator[tuple[str, Path]]:
    """The files that the command was told to write, each with its option."""
    for parameter, value in invocation.values():
        if parameter.spec.writes and value:
            targets = value if isinstance(value, tuple) else (value,)
            yield from ((parameter.label, Path(target)) for target in targets if str(target) != "-")


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
