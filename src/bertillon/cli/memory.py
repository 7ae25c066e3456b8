"""`--max-memory`: how much memory the content of one input file may take, on every command that reads files.

Holds `with_max_memory`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from bertillon.cli.places import with_option

MaxMemoryOption = Annotated[
    str | None,
    typer.Option(
        "--max-memory",
        metavar="SIZE",
        help="Memory that one input file may take, such as 500M or 4G; unless given, half of what is available.",
        rich_help_panel="Large inputs",
    ),
]


def with_max_memory(command: Callable[..., None]) -> Callable[..., None]:
    """The command with this option added."""

    @wraps(command)
    def run(*, max_memory: str | None = None, **arguments: Any) -> None:
        from bertillon.io.limits import limited

        with limited(max_memory):
            command(**arguments)

    with_option(run, command, "max_memory", None, MaxMemoryOption)
    return run
