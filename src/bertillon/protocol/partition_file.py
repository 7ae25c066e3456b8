"""Partitions as a CSV file that others can read.

Conventions: one row a template and run, with the columns sample, subject, role, enrolled and run. Everything is read
as text, so that a sample called 007 stays 007.

Holds `write_partitions` and `read_partitions`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from bertillon.errors import InputError
from bertillon.files import write_whole
from bertillon.protocol.partition import Partition
from bertillon.protocol.partition_frame import runs_in
from bertillon.tables import TemplateTable


def write_partitions(path: str | os.PathLike[str], partitions: Partition | Sequence[Partition]) -> None:
    """Write one partition, or several runs, to a file."""
    import polars as pl

    parts = [partitions] if isinstance(partitions, Partition) else list(partitions)
    runs = [part.run for part in parts]
    if not parts:
        raise InputError(f"{path}: no partition to write; expected at least one")
    if len(set(runs)) < len(runs):
        raise InputError(f"{path}: runs {runs} are not all different; expected a number of its own for each partition")
    frame = pl.concat([part.to_frame() for part in parts])
    write_whole(path, lambda file: frame.write_csv(file))


def read_partitions(path: str | os.PathLike[str], templates: TemplateTable) -> list[Partition]:
    """The partitions of these templates that a file holds, one a run."""
    import polars as pl

    source = os.fspath(path)
    try:
        frame = pl.read_csv(source, infer_schema=False)
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror or error}); check the path") from error
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"{source}: is no table of a partition ({error}); expected CSV with sample and role"
        ) from error
    if frame.height == 0:
        raise InputError(f"{source}: holds a header and no rows; expected CSV with sample and role, a row a template")
    return [Partition.from_frame(frame, templates, run=run, source=source) for run in runs_in(frame, source)]
