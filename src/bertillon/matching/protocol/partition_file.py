"""Partitions as a CSV file that others can read.

Conventions: one row per template and run, with the columns sample, subject, role, enrolled and run. Everything is read
as text, so that a sample called 007 stays 007.

Holds `write_partitions` and `read_partitions`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from bertillon.core.errors import InputError
from bertillon.core.files import write_whole
from bertillon.core.lazy import pl
from bertillon.core.tables import TemplateTable
from bertillon.io import diagnose
from bertillon.io.head import split_line
from bertillon.io.source import Source, check_text, open_source
from bertillon.io.text import Layout
from bertillon.matching.protocol.partition import Partition
from bertillon.matching.protocol.partition_frame import runs_in


def write_partitions(path: str | os.PathLike[str], partitions: Partition | Sequence[Partition]) -> None:
    """Write one partition, or several runs, to a file."""
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
    source = open_source(path)
    frame = _frame(source)
    if frame.height == 0:
        raise source.error("holds a header and no rows; expected CSV with sample and role, one row per template")
    return [Partition.from_frame(frame, templates, run=run, source=source.name) for run in runs_in(frame, source.name)]


def _frame(source: Source) -> pl.DataFrame:
    """The table as text, without blank lines. No line is a comment: a sample may be called #1."""
    check_text(source)
    try:
        frame = pl.read_csv(source.data(), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        names = split_line(source.data().decode("utf-8-sig").partition("\n")[0], ",")
        layout = Layout(tuple(names), ",", header=len(names))
        raise diagnose.lines(source, layout, {}, InputError(str(error).partition("\n")[0])) from error
    return frame.filter(~pl.all_horizontal(pl.all().is_null()))
