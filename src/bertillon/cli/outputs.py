"""What a command shows and writes: results on the terminal, the files that were asked for, and signs of life.

Conventions: quick work shows nothing while it lasts; longer work on a terminal a bar with rate, time left and memory.

Holds `deliver` and the lines it prints, `guarded` (no input is overwritten), `Bar` and `working`.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bertillon.cli.declare import given_options
from bertillon.cli.grammar import Invocation
from bertillon.cli.rooms import advice, evaluating, render
from bertillon.core import InputError, Message, catalogue, say, spoken, visible
from bertillon.core.errors import CheckFailed
from bertillon.core.files import write_protected, write_whole

if TYPE_CHECKING:
    from rich.console import Console

    from bertillon.cli.options import OutputOptions

PATIENCE = 2.0  # seconds before anything is shown of work that goes on
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


class Bar:
    """A progress bar on standard error that appears once work takes more than two seconds, and only on a terminal."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._display: Any = None
        self._task: Any = None
        self._total = self._done = self._before = 0  # before: done in an earlier run
        self._what, self._started = "", 0.0

    def begin(self, total: int, what: str) -> None:
        self.close()
        self._total, self._done, self._before, self._what = total, 0, 0, what
        self._started = time.monotonic()

    def resume(self, steps: int) -> None:
        """So many were done before, in an earlier run."""
        self._done = self._before = steps

    def advance(self, steps: int) -> None:
        with self._lock:  # workers on several threads tell of what they have done
            self._done += steps
            if self._display is None and time.monotonic() - self._started > PATIENCE and sys.stderr.isatty():
                self._open()
        if self._display is not None:
            rate = (self._done - self._before) / (time.monotonic() - self._started)
            memory = f"{memory_in_use() / 1e6:,.0f} MB"
            self._display.update(self._task, completed=self._done, rate=f"{_short(rate)}/s", memory=memory)

    def close(self) -> None:
        if self._display is not None:
            self._display.stop()
            self._display = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close()
        if isinstance(error, KeyboardInterrupt) and error.args:
            print(visible(f"stopped: {error}"), file=sys.stderr)  # what is kept of the work

    def _open(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        what, rate = TextColumn("{task.description}"), TextColumn("{task.fields[rate]}")
        columns = (what, BarColumn(), rate, TimeRemainingColumn(), TextColumn("{task.fields[memory]}"))
        self._display = Progress(*columns, console=render.SafeConsole(stderr=True), transient=True)
        total = self._total or None  # a bar that runs to and fro where it is not known
        self._task = self._display.add_task(_doing(self._what), total=total, completed=self._before, rate="", memory="")
        self._display.start()


def memory_in_use() -> int:
    """Bytes this process holds in memory; where only its greatest number so far is known, that."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else 1024 * most


def _doing(what: str) -> str:
    """What is done, in the language of the terminal; what another package does is called as it says."""
    message = say(f"terminal.doing.{what}")
    return spoken(message) if catalogue("en").has(message.key) else what


def _short(number: float) -> str:
    """A number in a few characters: 12.3 M."""
    for limit, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= limit:
            return f"{number / limit:.3g}{unit}"
    return f"{number:.3g}"


def working(what: str) -> AbstractContextManager[object]:
    """A word on the terminal while something takes its time, by its id; nothing where nobody watches."""
    if not sys.stderr.isatty():
        return nullcontext()
    return render.SafeConsole(stderr=True).status(_doing(what))
