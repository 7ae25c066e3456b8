"""Comparisons of a table or matrix as messages, so that a person sees whether they were read as they were meant.

Holds `describe_row`, `values_of_row`, `describe_cell` and `example_of`.
"""

from __future__ import annotations

import numpy as np

from bertillon.core.messages import Message, say
from bertillon.core.tables import ComparisonTable, ScoreMatrix

_SHOWN = 40  # letters of an id


def example_of(table: ComparisonTable | ScoreMatrix) -> tuple[Message, ...]:
    """One comparison of a table, as a note; none where there is none.

    >>> import polars as pl
    >>> str(example_of(ComparisonTable(pl.DataFrame({"score": [0.5], "mated": [True], "probe": ["a7"]})))[0])
    'for example row 1: probe a7, score 0.5, mated'
    """
    if isinstance(table, ScoreMatrix):
        if not np.size(table.scores):
            return ()
        return (say("reading.example", what=describe_cell(table, 0, min(1, np.shape(table.scores)[1] - 1))),)
    if not len(table):
        return ()
    licit = table.frame["attack"].is_null() if "attack" in table.frame.columns else None
    row = int(licit.arg_max() or 0) if licit is not None else 0
    return (say("reading.example", what=describe_row(table, row)),)


def describe_row(table: ComparisonTable, row: int) -> Message:
    """One row of a table: its place, who was compared with whom, the score, and what it counts as."""
    return say("reading.row", row=row + 1, values=values_of_row(table, row))


def values_of_row(table: ComparisonTable, row: int) -> Message:
    """The same without its place."""
    values = table.frame.row(row, named=True)
    sides = [side for side in (_side(name, values) for name in ("probe", "reference")) if side is not None]
    parts = sides if len(sides) < 2 else [say("reading.against", probe=sides[0], reference=sides[1])]
    if "score" in values:
        parts.append(_score(values["score"]))
    if values.get("attack") is not None:
        species = short(values["attack"])
        parts.append(say("reading.attack_of", species=species) if species else say("reading.attack"))
    elif "mated" in values:
        parts.append(say("reading.mated" if values["mated"] else "reading.nonmated"))
    return say("reading.values", values=parts)


def _side(side: str, values: dict[str, object]) -> Message | None:
    sample, subject = values.get(side), values.get(f"{side}_subject")
    if sample is None and subject is None:
        return None
    if sample is None:
        return say(f"reading.side.{side}_of", subject=short(subject))
    if subject is None:
        return say(f"reading.side.{side}", sample=short(sample))
    return say(f"reading.side.{side}_sample_of", sample=short(sample), subject=short(subject))


def short(value: object) -> str:
    """An id, its end left out where it is long."""
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _score(value: float) -> Message:
    return say("reading.no_score") if value is None or np.isnan(value) else say("reading.score", score=value)


def describe_cell(matrix: ScoreMatrix, row: int, column: int) -> Message:
    """One cell of a matrix."""
    probe, reference = matrix.probe_subject[row], matrix.reference_subject[column]
    mated = probe == reference if matrix.mated is None else bool(matrix.mated[row, column])
    kind = say("reading.mated" if mated else "reading.nonmated")
    if matrix.ignored is not None and matrix.ignored[row, column]:
        kind = say("reading.no_comparison")
    return say(
        "reading.cell",
        row=row + 1,
        probe=short(probe),
        column=column + 1,
        reference=short(reference),
        score=_score(float(matrix.scores[row, column])),
        kind=kind,
    )
