"""Where long work is done and what is kept of it: the options, and the engine they ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from bertillon.cli.progress import Bar
from bertillon.core.errors import InputError

PANEL = "Long work on templates"


class EngineName(StrEnum):
    """Who does the work."""

    THREADS = "threads"
    DASK = "dask"


CheckpointOption = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="DIR",
        help="Keep finished work here: a run that was cut off goes on.",
        rich_help_panel=PANEL,
    ),
]
EngineOption = Annotated[
    EngineName, typer.Option("--engine", help="The cores here, or a dask cluster.", rich_help_panel=PANEL)
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Of a running dask cluster: tcp://host:8786.", rich_help_panel=PANEL
    ),
]
IndexOption = Annotated[
    str | None,
    typer.Option(
        "--index",
        metavar="hnsw|ivf",
        help="Search through an approximate index (faiss), its loss measured.",
        rich_help_panel=PANEL,
    ),
]


@dataclass(frozen=True, slots=True)
class Running:
    """What was said about long work on the command line."""

    checkpoint: Path | None = None
    engine: EngineName = EngineName.THREADS
    scheduler: str | None = None

    @classmethod
    def among(cls, arguments: Mapping[str, Any]) -> Running:
        """Those of a command's arguments that are about long work; every such command takes them under these names."""
        return cls(**{one.name: arguments[one.name] for one in fields(cls)})

    def require_templates(self, where: object) -> None:
        """Scores are only read, which needs no engine."""
        if self != Running():
            raise InputError(
                f"{where}: holds scores; --checkpoint, --engine and --scheduler are for comparing templates: leave "
                "them out"
            )

    @contextmanager
    def start(self, part: str = "") -> Iterator[dict[str, Any]]:
        """A bar, the engine and the folder of the checkpoint, as those who make trials take them.

        `part` names a folder of its own within that of the checkpoint, where there are several systems.
        """
        folder = None if self.checkpoint is None else self.checkpoint / part
        engine = self._engine()
        try:
            with Bar() as bar:
                yield {"progress": bar, "engine": engine, "checkpoint": folder}
        finally:
            if engine is not None:
                engine.close()

    def _engine(self) -> Any:
        """None are the threads every piece of work uses by itself."""
        if self.engine is EngineName.THREADS and self.scheduler is None:
            return None
        from bertillon.engine.on_dask import Dask

        return Dask(self.scheduler)


def parts(systems: Sequence[object]) -> list[str]:
    """The folder of each of several systems within that of a checkpoint; one alone needs none of its own."""
    return [str(number) for number in range(1, len(systems) + 1)] if len(systems) > 1 else [""] * len(systems)
