"""The reference of commands, from the commands themselves and from the examples that the pages run.

Options stand in the groups that `--help` shows. Every example is one whose output a page shows, so that it works.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import refresh

if TYPE_CHECKING:
    from bertillon.cli.declare import Declaration, Parameter

MOST_EXAMPLES = 6


def commands() -> str:
    """Every command with its arguments, options and examples."""
    examples = _examples()
    return "\n\n".join(_section(name, command, examples.get(name, [])) for name, command in walk()) + "\n"


def walk() -> Iterator[tuple[str, Declaration]]:
    """Every command and its full name, such as `calibrate fit`."""
    from bertillon.cli.app import COMMANDS

    for name, entry in COMMANDS.items():
        yield name, entry.load(name.split()[-1])


def _section(name: str, command: Declaration, examples: list[str]) -> str:
    text, _, example = command.help.partition("Example: ")
    parts = [f"## bertillon {name}", " ".join(text.split()), f"```text\n{_usage(name, command)}\n```"]
    if example:
        parts += ["For example:", f"```sh\n{' '.join(example.split())}\n```"]
    for panel, parameters in _panels(command).items():
        parts += [f"**{panel}**", "\n\n".join(map(_entry, parameters))]
    if examples:
        parts += ["**Run in these pages**", "\n".join(examples)]
    return "\n\n".join(parts)


def _usage(name: str, command: Declaration) -> str:
    arguments = [one for one in command.parameters if one.is_argument]
    shown = [f"{one.metavar}{'...' * one.many}" for one in arguments]
    bracketed = [text if one.required else f"[{text}]" for text, one in zip(shown, arguments, strict=True)]
    return " ".join(["bertillon", name, *bracketed, "[OPTIONS]"])


def _panels(command: Declaration) -> dict[str, list[Parameter]]:
    panels: dict[str, list[Parameter]] = {}
    for one in command.parameters:
        panels.setdefault(one.spec.panel, []).append(one)
    return panels


def _entry(one: Parameter) -> str:
    """One parameter as a definition: its spellings, and what it is for."""
    value = f" {one.metavar}" if one.metavar else ""
    spelling = ", ".join(f"`{flag}{value}`" for flag in one.flags) or f"`{one.metavar}`"
    text = " ".join(one.spec.help.split())
    more = [f"Default: `{_plain(one.default)}`."] if _has_default(one) else []
    if one.many and not one.is_argument and "repeatable" not in text:
        more.append("Repeatable.")
    return f"{spelling}\n: {' '.join([_sentence(text), *more])}"


def _has_default(one: Parameter) -> bool:
    return one.default is not None and one.default is not False and one.default != ()


def _plain(default: Any) -> str:
    if default is True:
        return "yes"
    return str(getattr(default, "value", default))


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
