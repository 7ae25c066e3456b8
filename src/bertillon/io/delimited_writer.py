"""Tables and matrices to CSV and TSV.

Conventions: score and label come first, so that no line can begin with the comment sign. A table of distances calls
its score column `distance`, so that it is read back as such. A matrix has the reference subjects in the first line
and the probe subjects in the first column.

Holds `write_csv` and `write_tsv`.
"""

from __future__ import annotations

from typing import BinaryIO, Literal

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ROLES, ComparisonTable, ScoreMatrix


def write_csv(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    _write(table, file, ",")


def write_tsv(table: ComparisonTable | ScoreMatrix, file: BinaryIO) -> None:
    _write(table, file, "\t")


def _write(table: ComparisonTable | ScoreMatrix, file: BinaryIO, separator: str) -> None:
    if isinstance(table, ScoreMatrix):
        _write_matrix(table, file, separator)
    else:
        stated_frame(table).write_csv(file, separator=separator)


def stated_frame(table: ComparisonTable) -> pl.DataFrame:
    """The frame with role columns first and the direction of the score in its name."""
    columns = [role for role in ROLES if role in table.frame.columns]
    columns += [name for name in table.frame.columns if name not in columns]
    if not {"score", "mated"} & set(columns):
        raise InputError("a table needs a score or a mated column to be written")
    frame = table.frame.select(columns)
    if table.rule is not AcceptRule.DISTANCE or "score" not in columns:
        return frame
    if "distance" in columns:
        raise InputError("a table of distances that has another column 'distance' cannot be written; rename that one")
    return frame.rename({"score": "distance"})


def _write_matrix(matrix: ScoreMatrix, file: BinaryIO, separator: str) -> None:
    _require_plain(matrix)
    header = pl.DataFrame([["", *map(str, matrix.reference_subject)]], orient="row")
    header.write_csv(file, separator=separator, include_header=False)
    rows = pl.Series("subject", [str(subject) for subject in matrix.probe_subject], dtype=pl.String)
    cells = [pl.Series(str(column), matrix.scores[:, column]) for column in range(matrix.scores.shape[1])]
    style: Literal["necessary", "non_numeric"] = "non_numeric" if rows.str.starts_with("#").any() else "necessary"
    pl.DataFrame([rows, *cells]).write_csv(file, separator=separator, include_header=False, quote_style=style)


def _require_plain(matrix: ScoreMatrix) -> None:
    """Text holds subjects and scores, but neither a mask nor a direction."""
    if matrix.rule is AcceptRule.DISTANCE:
        raise InputError("a matrix of distances cannot be written as text, which holds no direction; use bee (.mtx)")
    equal = matrix.probe_subject[:, None] == matrix.reference_subject[None, :]
    marked = matrix.ignored is not None and bool(matrix.ignored.any())
    if marked or (matrix.mated is not None and not np.array_equal(matrix.mated, equal)):
        raise InputError("a matrix with a mask of its own cannot be written as text; use bee and bee-mask")
