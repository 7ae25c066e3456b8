"""Where a command writes: looked at before any work is done, and never the place of what it reads.

Holds `checked`, and `with_option` for whatever else wraps a command.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from bertillon.core.errors import InputError
from bertillon.core.files import write_protected

TARGETS = {
    "target": "TARGET",
    "output": "--output",
    "json": "--json",
    "report": "--report",
}  # parameters that are files


def checked(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which refuses to begin where a file to be written is one it reads, or has no folder."""

    @wraps(command)
    def run(**arguments: Any) -> None:
        written: dict[str, str] = {}
        for name, target in _targets(arguments):
            _require_folder(target, TARGETS[name])
            _require_apart(target, TARGETS[name], arguments)
            other = written.setdefault(os.path.realpath(target), TARGETS[name])
            if other != TARGETS[name]:
                raise InputError(f"{target}: {other} and {TARGETS[name]} both name it; give each a file of its own")
        with write_protected(filter(os.path.isfile, _sources(arguments))):  # also in folders, such as --csv's
            command(**arguments)

    return run


def with_option(run: Callable[..., None], command: Callable[..., None], name: str, default: Any, kind: Any) -> None:
    """Show `run`, which wraps a command, with the parameters of the command and one more."""
    own = signature(command, eval_str=True)
    added = Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
    run.__annotations__ = {**command.__annotations__, name: kind}
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), added])  # type: ignore[attr-defined]


def _targets(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Path]]:
    for name in TARGETS:
        value = arguments.get(name)
        if value and str(value) != "-":
            yield name, Path(value)


def _require_folder(target: Path, option: str) -> None:
    if not os.path.isdir(target.parent):
        raise InputError(f"{option}: {target}: there is no folder {target.parent}; make it first")


def _require_apart(target: Path, option: str, arguments: Mapping[str, Any]) -> None:
    for source in _sources(arguments):
        if os.path.isfile(source) and os.path.exists(target) and os.path.samefile(source, target):
            raise InputError(f"{option}: {target}: is read, and would be written over; name another file")


def _sources(arguments: Mapping[str, Any]) -> Iterator[str | Path]:
    """Every text and path that may name a file to be read; some options take a name or a file."""
    for name, value in arguments.items():
        if name not in TARGETS:
            yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str | Path))
