"""`bertillon convert`: from any format that is read to any that is written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bertillon.cli import options, outputs


def convert(
    source: Annotated[Path, typer.Argument(help="File to read.")],
    target: Annotated[Path, typer.Argument(help="File to write; its suffix names the format.")],
    to: Annotated[str | None, typer.Option(help="Format to write: bob-4, bob-csv, bee, csv, tsv, parquet.")] = None,
    format: Annotated[str | None, typer.Option(help="Format to read, instead of a look at the file.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="Which column is what: score=llr, label=target; repeatable.")
    ] = None,
    mask: Annotated[Path | None, typer.Option(help="Mask of a BEE matrix.")] = None,
) -> None:
    """Convert a file of scores to another format."""
    from bertillon import io as formats

    table = formats.read(source, format=format, columns=options.columns(column or []), mask=mask)
    formats.write(table, target, format=to)
    outputs.say(*map(str, table.notes), f"written to {target}")
