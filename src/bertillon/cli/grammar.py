"""From declared commands to a command line: `click` parses, a declaration turns what was parsed into groups.

Conventions: a command's module is imported when the command is called or its help is asked for; the list of commands
is a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bertillon.cli.declare import Declaration, Parameter, declared
from bertillon.core.messages import joined, spoken

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

HELP_FLAGS = {"help_option_names": ["-h", "--help"]}
RENAMED = {  # options that are no longer spelled so
    "--label": "the name of a system is given with --name (--labels is a file of subject labels)"
}
SHARES = ("RATE", "SHARE")  # what may be given in percent
_WORD = re.compile(r"[\w.+-]+")  # that no shell takes apart
Group = TypeVar("Group")


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is found, and the line that `--help` says of it."""

    module: str
    summary: str

    def load(self, name: str) -> Declaration:
        """The command's declaration; only now is its module imported."""
        return declared(getattr(import_module(f"bertillon.cli.{self.module}"), name.replace("-", "_")))


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command with the values it is called with."""

    declaration: Declaration
    arguments: Mapping[str, Any]  # by parameter of its function

    def group(self, kind: type[Group]) -> Group | None:
        """Its options of this group, if it takes them."""
        return next((value for value in self.arguments.values() if isinstance(value, kind)), None)

    def values(self) -> Iterator[tuple[Parameter, Any]]:
        """Every parameter with its value."""
        owners = {field: group for group, (_, used) in self.declaration.groups.items() for field in used}
        for parameter in self.declaration.parameters:
            owner = owners.get(parameter.name)
            holder = self.arguments if owner is None else self.arguments[owner]
            yield parameter, holder[parameter.name] if owner is None else getattr(holder, parameter.name)

    def call(self) -> None:
        self.declaration.function(**self.arguments)


class _Helped:
    """Help drawn in panels; what draws it is loaded when it is asked for."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from bertillon.cli.help import help_text

        formatter.write(help_text(ctx))


class Commands(_Helped, click.Group):
    """The commands of a table, loaded when they are called; `calibrate fit` is one of the group `calibrate`."""

    def __init__(
        self,
        name: str,
        summary: str,
        entries: Mapping[str, Entry],
        groups: Mapping[str, str],
        run: Callable[[Invocation], None],
    ) -> None:
        super().__init__(name, help=summary, context_settings=HELP_FLAGS)
        self.entries, self.groups, self.run = entries, groups, run

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without any argument the help is shown, and nothing was done."""
        if not args and not ctx.resilient_parsing:  # a shell that completes may ask with nothing typed
            click.echo(ctx.get_help())
            ctx.exit(2)
        return super().parse_args(ctx, args)

    @property
    def summaries(self) -> dict[str, str]:
        """The line that is said of each command."""
        own = {name: entry.summary for name, entry in self.entries.items()}
        return {name.partition(" ")[0]: self.groups.get(name.partition(" ")[0], line) for name, line in own.items()}

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands with their lines, none of them loaded."""
        from click.shell_completion import CompletionItem

        items = [
            CompletionItem(name, help=line) for name, line in self.summaries.items() if name.startswith(incomplete)
        ]
        return items or super().shell_complete(ctx, incomplete)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.groups:
            named = ((name.split(), entry) for name, entry in self.entries.items())
            inner = {name[1]: entry for name, entry in named if name[0] == cmd_name}
            return Commands(cmd_name, self.groups[cmd_name], inner, {}, self.run)
        entry = self.entries.get(cmd_name)
        return None if entry is None else Command(cmd_name, entry.load(cmd_name), self.run)


class Command(_Helped, click.Command):
    """A declared command."""

    def __init__(self, name: str, declaration: Declaration, run: Callable[[Invocation], None]) -> None:
        super().__init__(
            name,
            params=[_click_parameter(parameter) for parameter in declaration.parameters],
            callback=lambda **given: run(Invocation(declaration, declaration.arguments(given))),
            help=declaration.help,
            context_settings=HELP_FLAGS,
        )
        self.declaration = declaration

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What is missing is named all together."""
        typed = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            given, _, _ = self.make_parser(ctx).parse_args(typed)
            needed = [parameter for parameter in self.declaration.parameters if parameter.required]
            missing = [parameter for parameter in needed if not isinstance(given.get(parameter.name), str | list)]
            raise Incomplete(ctx, self.declaration, missing) from error
        except click.BadOptionUsage as error:
            error.ctx = ctx  # for its usage
            raise


class Incomplete(click.UsageError):
    """A command without what it cannot do without: says what, and shows a line to type."""

    def __init__(self, ctx: click.Context, declaration: Declaration, missing: Sequence[Parameter]) -> None:
        names = joined([parameter.label for parameter in missing])
        self.lines = [f"error: {ctx.command_path}: {names} {'is' if len(missing) == 1 else 'are'} missing"]
        self.lines += [_described(parameter) for parameter in missing]
        self.lines += [f"Example: {declaration.example}"] if declaration.example else []
        self.lines += [f"All options: {ctx.command_path} --help"]
        super().__init__("\n".join(self.lines), ctx)


def _described(parameter: Parameter) -> str:
    return f"  {parameter.usage}: {parameter.spec.help}"


def _click_parameter(parameter: Parameter) -> click.Parameter:
    """Defaults are those of the declaration, so that click knows none: None is what was not given."""
    if parameter.is_argument:
        return click.Argument(
            [parameter.name],
            type=_click_type(parameter),
            nargs=-1 if parameter.many else 1,
            required=parameter.required,
            metavar=f"{parameter.metavar}{'...' * parameter.many}",
        )
    flags = [*parameter.spec.flags, parameter.name]
    if parameter.is_flag:
        return click.Option(flags, is_flag=True, default=None, help=parameter.spec.help)
    default: dict[str, Any] = {} if parameter.required else {"default": None}
    return click.Option(
        flags,
        type=_click_type(parameter),
        multiple=parameter.many,
        required=parameter.required,
        metavar=parameter.metavar,
        help=parameter.spec.help,
        shell_complete=_completion(parameter),
        **default,
    )


def _completion(parameter: Parameter) -> Callable[..., list[Any]] | None:
    """What a shell offers for a measure, or one of a few words, `macro|micro|weighted`; None for any other value."""
    if modes := parameter.spec.measures_of:
        return lambda context, _parameter, typed: _measures(context.params.get("mode"), modes, typed)
    words = parameter.metavar.split("|")
    if len(words) < 2 or parameter.kind is not str or parameter.metavar.upper() == parameter.metavar:
        return None
    return lambda _context, _parameter, incomplete: [word for word in words if word.startswith(incomplete)]


def _measures(chosen: str | None, modes: Sequence[str], typed: str) -> list[CompletionItem]:
    """Names of measures with what they mean: all of them, or all names and aliases that begin as what was typed."""
    from click.shell_completion import CompletionItem

    from bertillon.cli.rooms import measures

    known: dict[str, Any] = {}
    for mode in [chosen] if chosen in modes else modes:
        for each in measures.measure_set_of(mode).definitions.values():
            known |= {name: each for name in (each.name, *(each.synonyms if typed else ())) if name not in known}
    fitting = [name for name in known if name.lower().startswith(typed.lower()) and _WORD.fullmatch(name)]
    return [CompletionItem(name, help=spoken(known[name].summary)) for name in fitting]


def _click_type(parameter: Parameter) -> click.ParamType[Any]:
    if parameter.choices:
        return click.Choice(parameter.choices)
    number = Number(parameter.metavar in SHARES)
    kinds: dict[type, click.ParamType[Any]] = {int: click.INT, float: number, Path: click.Path(path_type=Path)}
    return kinds.get(parameter.kind, click.STRING)


class Number(click.ParamType[float]):
    """A number with a decimal point; a share may be given in percent."""

    name = "number"

    def __init__(self, share: bool) -> None:
        self.share = share

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip()
        percent = self.share and text.endswith("%")
        try:
            return float(f"{text[:-1].strip()}e-2" if percent else text)  # 0.7 % is 0.007, and 0.7 / 100 is less
        except ValueError:
            hint = f"; write a decimal point: {text.replace(',', '.')}" if text.count(",") == 1 else ""
            self.fail(f"{value!r} is not a number{hint}", param, ctx)


def error_lines(error: click.ClickException) -> list[str]:
    """What a person is told of an error of parsing, with a hint at options that were renamed."""
    message = error.format_message()
    if isinstance(error, click.NoSuchOption) and error.option_name in RENAMED:
        message = f"No such option: {error.option_name}; {RENAMED[error.option_name]}"
    if isinstance(error, Incomplete):
        return error.lines
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.BadOptionUsage) and context is not None and isinstance(context.command, Command):
        parameters = context.command.declaration.parameters
        message = "\n".join([message, *(_described(each) for each in parameters if error.option_name in each.flags)])
    usage = [] if context is None else [context.get_usage(), f"Try '{context.command_path} --help' for help."]
    return [*usage, f"Error: {message}"]
