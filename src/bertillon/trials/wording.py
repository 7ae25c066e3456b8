"""Comparisons of a table or matrix in words, so that a person sees whether they were read as they were meant.

Holds `row_words`, `cell_words` and `example_of`.
"""

from __future__ import annotations

import numpy as np

from bertillon.core.tables import ComparisonTable, ScoreMatrix

_SHOWN = 40  # letters of an id


def example_of(table: ComparisonTable | ScoreMatrix) -> tuple[str, ...]:
    """One comparison of a table in words, as a note; none where there is none.

    >>> import polars as pl
    >>> example_of(ComparisonTable(pl.DataFrame({"score": [0.5], "mated": [True], "probe": ["a7"]})))
    ('for example row 1: probe a7, score 0.5, mated',)
    """
    if isinstance(table, ScoreMatrix):
        columns = np.shape(table.scores)[1]
        return (f"for example {cell_words(table, 0, min(1, columns - 1))}",) if np.size(table.scores) else ()
    if not len(table):
        return ()
    licit = table.frame["attack"].is_null() if "attack" in table.frame.columns else None
    return (f"for example {row_words(table, int(licit.arg_max() or 0) if licit is not None else 0)}",)


def row_words(table: ComparisonTable, row: int) -> str:
    """One row of a table: its place, who was compared with whom, the score, and what it counts as."""
    values = table.frame.row(row, named=True)
    sides = [_side(side, values) for side in ("probe", "reference")]
    parts = [" against ".join(side for side in sides if side)] if any(sides) else []
    if "score" in values:
        parts.append(_score(values["score"]))
    if values.get("attack") is not None:
        parts.append(f"attack {short(values['attack'])}".rstrip())
    elif "mated" in values:
        parts.append("mated" if values["mated"] else "non-mated")
    return f"row {row + 1:,}: {', '.join(parts)}"


def _side(side: str, values: dict[str, object]) -> str:
    sample, subject = values.get(side), values.get(f"{side}_subject")
    if sample is None and subject is None:
        return ""
    if sample is None:
        return f"{side} of {short(subject)}"
    return f"{side} {short(sample)}" + (f" of {short(subject)}" if subject is not None else "")


def short(value: object) -> str:
    """An id, its end left out where it is long."""
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _score(value: float) -> str:
    return "no score (failed)" if value is None or np.isnan(value) else f"score {value:.6g}"


def cell_words(matrix: ScoreMatrix, row: int, column: int) -> str:
    """One cell of a matrix."""
    probe, reference = matrix.probe_subject[row], matrix.reference_subject[column]
    mated = probe == reference if matrix.mated is None else bool(matrix.mated[row, column])
    if matrix.ignored is not None and matrix.ignored[row, column]:
        kind = "no comparison"
    else:
        kind = "mated" if mated else "non-mated"
    score = _score(float(matrix.scores[row, column]))
    return f"row {row + 1:,} ({short(probe)}), column {column + 1:,} ({short(reference)}): {score}, {kind}"
