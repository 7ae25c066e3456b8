"""`--max-memory`: how much memory the content of one input file may take, on every command that reads files.

Holds `with_max_memory`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

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
        from bertillon.formats.limits import limited

        with limited(max_memory):
            command(**arguments)

    own = inspect.signature(command, eval_str=True)
    added = inspect.Parameter("max_memory", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=MaxMemoryOption)
    run.__annotations__ = {**command.__annotations__, added.name: MaxMemoryOption}
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), added])  # type: ignore[attr-defined]
    return run
