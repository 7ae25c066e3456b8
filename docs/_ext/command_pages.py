"""The reference of commands, from the commands themselves and from the examples that the pages run.

Options stand in the groups that `--help` shows. Every example is one whose output a page shows, so that it works.
"""

from __future__ import annotations

import enum
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import refresh

WORDS = {int: "INTEGER", float: "NUMBER", str: "TEXT", Path: "FILE"}
MOST_EXAMPLES = 6


def commands() -> str:
    """Every command with its arguments, options and examples."""
    examples = _examples()
    return "\n\n".join(_section(name, command, examples.get(name, [])) for name, command in walk()) + "\n"


def walk() -> Iterator[tuple[str, Any]]:
    """Every command and its full name, such as `calibrate fit`."""
    import typer

    from bertillon.cli.app import application

    for name, command in typer.main.get_command(application()).commands.items():
        inner = getattr(command, "commands", None)
        if inner:
            yield from ((f"{name} {word}", one) for word, one in inner.items())
        else:
            yield name, command


def _section(name: str, command: Any, examples: list[str]) -> str:
    types = _types(command)
    words, _, example = (command.help or "").partition("Example: ")
    parts = [f"## bertillon {name}", " ".join(words.split()), f"```text\n{_usage(name, command)}\n```"]
    if example:
        parts += ["For example:", f"```sh\n{' '.join(example.split())}\n```"]
    for group, params in _groups(command).items():
        parts += [f"**{group}**", "\n\n".join(_entry(one, types[one.name]) for one in params)]
    if examples:
        parts += ["**Run in these pages**", "\n".join(examples)]
    return "\n\n".join(parts)


def _types(command: Any) -> dict[str, Any]:
    """What kind of value each parameter takes, without `| None` and `list[...]`."""
    return {name: _bare(hint) for name, hint in get_type_hints(command.callback).items()}


def _bare(hint: Any) -> Any:
    if get_origin(hint) in (Union, UnionType):
        return _bare(next(one for one in get_args(hint) if one is not NoneType))
    return _bare(get_args(hint)[0]) if get_origin(hint) is list else hint


def _usage(name: str, command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    words = [f"{one.name.upper()}{'...' * (one.nargs == -1)}" for one in arguments]
    shown = [word if one.required else f"[{word}]" for word, one in zip(words, arguments, strict=True)]
    return " ".join(["bertillon", name, *shown, "[OPTIONS]"])


def _groups(command: Any) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for one in command.params:
        if getattr(one, "hidden", False):
            continue
        usual = "Arguments" if one.param_type_name == "argument" else "Options"
        groups.setdefault(getattr(one, "rich_help_panel", None) or usual, []).append(one)
    return groups


def _entry(one: Any, kind: Any) -> str:
    """One parameter as a definition: its spellings, and what it is for."""
    if one.param_type_name == "argument":
        spelling = f"`{one.name.upper()}`"
    else:
        value = "" if kind is bool else f" {_value(kind)}"
        spelling = ", ".join(f"`{word}{value}`" for word in (*one.opts, *one.secondary_opts))
    text = " ".join((one.help or "").split())
    more = [f"Default: `{_plain(one.default)}`."] if _has_default(one) else []
    if getattr(one, "multiple", False) and "repeatable" not in text:
        more.append("Repeatable.")
    return f"{spelling}\n: {' '.join([_sentence(text), *more])}"


def _value(kind: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return "|".join(str(one.value) for one in kind)
    return WORDS.get(kind, "TEXT")


def _has_default(one: Any) -> bool:
    return one.default is not None and one.default is not False and one.default != () and not callable(one.default)


def _plain(default: Any) -> str:
    if default is True:
        return "yes"
    return str(default.value if isinstance(default, enum.Enum) else default)


def _sentence(text: str) -> str:
    """Help as Markdown: nothing in it is markup."""
    return re.sub(r"([*_<>\[\]{}|])", r"\\\1", text) if text else "See above."


def _examples() -> dict[str, list[str]]:
    """By command: the lines that pages run, each with a link to its page."""
    known = {name for name, _ in walk()}
    found: dict[str, list[str]] = {}
    for page in refresh.PAGES:
        if page.parent == refresh.ROOT:
            continue
        link = f"../{page.relative_to(refresh.ROOT / 'docs').as_posix()}"
        for line in refresh.command_lines(page.read_text()):
            first, second, *_ = [*shlex.split(line)[1:], ""]
            name = f"{first} {second}" if f"{first} {second}" in known else first
            listed = found.setdefault(name, [])
            if len(listed) < MOST_EXAMPLES and not any(f"`{line}`" in one for one in listed):
                listed.append(f"- `{line}` ([shown here]({link}))")
    return found
