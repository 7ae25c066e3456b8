"""`--help` in panels: the options of a command in the groups it declares, the commands of a group.

Loaded only when help is asked for; nothing in it needs a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from shutil import get_terminal_size

import click
from rich.box import ROUNDED
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from bertillon.cli.declare import ARGUMENTS, OPTIONS, Parameter
from bertillon.cli.grammar import Command
from bertillon.cli.options import OUTPUT

FLAG, SHORT, VALUE, FAINT = "bold cyan", "bold green", "bold yellow", "dim"
NARROWEST, WIDEST = 60, 120  # columns; less cuts options in two, and longer lines are hard to read
LEFT_SHARE = 0.45  # most of a line that spellings and metavars may take


def help_text(ctx: click.Context) -> str:
    """The help of the command of a context, coloured where it is shown on a terminal."""
    width = min(max(get_terminal_size().columns, NARROWEST), WIDEST)
    target = StringIO()
    shown_on = Console(width=width)  # knows NO_COLOR, FORCE_COLOR and what the terminal can do
    console = Console(
        file=target,
        width=width,
        force_terminal=shown_on.is_terminal,
        no_color=shown_on.no_color,
        highlight=False,
        legacy_windows=False,
    )
    console.print(Padding(Text(" ".join(["Usage:", ctx.command_path, *_usage(ctx.command)]), style="bold"), (1, 1)))
    console.print(Padding(_described(ctx.command.help or ""), (0, 1, 1, 1)))
    for title, rows in _panels(ctx):
        console.print(_panel(title, rows, width))
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines()) + "\n"


def _usage(command: click.Command) -> list[str]:
    if not isinstance(command, Command):
        return ["[OPTIONS]", "COMMAND", "[ARGS]..."]
    arguments = [parameter for parameter in command.declaration.parameters if parameter.is_argument]
    named = [(f"{parameter.metavar}{'...' * parameter.many}", parameter.required) for parameter in arguments]
    return ["[OPTIONS]", *(word if required else f"[{word}]" for word, required in named)]


def _described(text: str) -> Group:
    """Paragraphs, each wrapped as one; what follows `Example:` is to be copied."""
    paragraphs: list[RenderableType] = []
    for number, paragraph in enumerate(text.split("\n\n")):
        joined = Text(" ".join(paragraph.split()))
        joined.highlight_regex(r"(?<=^Example: ).*", FAINT)
        paragraphs += [Text()] * bool(number) + [joined]
    return Group(*paragraphs)


Row = tuple[Text, Text, Text]


def _panels(ctx: click.Context) -> Iterable[tuple[str, list[Row]]]:
    """Arguments first, then options that name no panel with --help, then each panel, that of outputs last."""
    own = ctx.command.declaration.parameters if isinstance(ctx.command, Command) else ()
    panels: dict[str, list[Row]] = {ARGUMENTS: [], OPTIONS: []}
    for parameter in own:
        panels.setdefault(parameter.spec.panel, []).append(_row(parameter))
    declared = {parameter.name for parameter in own}
    for param in ctx.command.get_params(ctx):
        if param.name not in declared and isinstance(param, click.Option):
            panels[OPTIONS].append((_spelled(param.opts), Text(), Text(param.help or "")))
    last = panels.pop(OUTPUT, [])
    yield from ((title, rows) for title, rows in [*panels.items(), (OUTPUT, last)] if rows)
    summaries = getattr(ctx.command, "summaries", {})
    if summaries:
        yield "Commands", [(Text(name, style=FLAG), Text(), Text(line)) for name, line in summaries.items()]


def _row(parameter: Parameter) -> Row:
    if parameter.is_argument:
        return Text(f"{parameter.metavar}{'...' * parameter.many}", style=FLAG), Text(), _helped(parameter)
    return _spelled(parameter.flags), Text(parameter.metavar, style=VALUE), _helped(parameter)


def _spelled(flags: Sequence[str]) -> Text:
    """The spellings of an option, short ones first."""
    short_first = sorted(flags, key=lambda flag: flag.startswith("--"))
    return Text(", ").join(Text(flag, style=FLAG if flag.startswith("--") else SHORT) for flag in short_first)


def _helped(parameter: Parameter) -> Text:
    text = Text(parameter.spec.help)
    if parameter.required and not parameter.is_argument:
        text.append(" [required]", style="red")
    if parameter.default is not False and parameter.default not in (None, (), ""):
        on = parameter.flags[0].lstrip("-") if parameter.default is True else parameter.default
        text.append(f" [default: {on}]", style=FAINT)
    return text


def _panel(title: str, rows: Sequence[Row], width: int) -> Panel:
    """Spellings, values and help side by side; a spelling is never cut, and the help has more than half of the line."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), expand=True, pad_edge=False)
    most = int(width * LEFT_SHARE)
    spelled = max(row[0].cell_len for row in rows)
    valued = max(row[1].cell_len for row in rows)
    if spelled + valued + 2 > most and valued:  # both in a single column, the value under a long spelling
        rows = [(Text(" ").join([row[0], row[1]]) if row[1] else row[0], Text(), row[2]) for row in rows]
        spelled, valued = min(max(row[0].cell_len for row in rows), most), 0
    table.add_column(width=spelled, overflow="fold")
    if valued:
        table.add_column(width=valued, overflow="fold")
    table.add_column(ratio=1, overflow="fold")
    for row in rows:
        table.add_row(*(row if valued else (row[0], row[2])))
    return Panel(table, title=title, title_align="left", border_style=FAINT, box=ROUNDED)
