"""The quality of comparisons, from columns of a table of scores or from the metadata of templates.

Conventions: a high number is good. A comparison is as good as the worse of its two samples; a column that stands for
whole comparisons is taken as it is. Qualities are in the order of the scores, and a comparison that failed has no score
and no quality here.

Holds `PairQuality`, `quality_of_pairs` and `quality_of_templates`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError, unknown
from bertillon.core.lazy import pl
from bertillon.core.showing import short_repr
from bertillon.core.tables import ComparisonTable, TemplateTable
from bertillon.trials.score_set import ScoreSet, TrialIds


@dataclass(frozen=True, slots=True, eq=False)
class PairQuality:
    """The quality of every mated and of every non-mated comparison, in the order of their scores."""

    __repr__ = short_repr

    mated: NDArray[np.float64]
    nonmated: NDArray[np.float64]


def quality_of_pairs(table: ComparisonTable, columns: Sequence[str]) -> PairQuality:
    """The quality of the comparisons of a table: one column, or the lower of several.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"score": [0.9, 0.4, 0.1], "mated": [True, True, False], "a": [5, 6, 7], "b": [8, 2, 7]})
    >>> quality_of_pairs(ComparisonTable(frame), ["a", "b"]).mated.tolist()
    [5.0, 2.0]
    """
    lacking = [name for name in ("score", "mated") if name not in table.frame.columns]
    if lacking:
        raise InputError(
            f"{table.source}: has no column {lacking[0]!r}; qualities go with a table that holds the score, the label "
            "and the quality of each comparison: put them into one"
        )
    quality = np.min([_numbers(table.frame, name, table.source) for name in columns], axis=0)
    mated = table.frame["mated"].to_numpy().astype(bool)
    scored = ~np.isnan(table.frame["score"].cast(float).fill_null(math.nan).to_numpy())
    return PairQuality(quality[mated & scored], quality[~mated & scored])


def quality_of_templates(scores: ScoreSet, templates: TemplateTable, column: str) -> PairQuality:
    """The quality of comparisons of templates: the lower of the two that a column of their metadata gives."""
    if templates.metadata is None or not templates.metadata.width:
        raise InputError(
            f"{templates.source}: has no metadata, so no quality of a template; expected a column {column!r} beside "
            "the templates (--labels FILE brings one)"
        )
    quality = _numbers(templates.metadata, column, templates.source)
    order = np.argsort(templates.sample)
    names, ordered = templates.sample[order], quality[order]

    def lower(ids: TrialIds | None) -> NDArray[np.float64]:
        if ids is None or ids.probe is None or ids.reference is None:
            raise InputError(
                f"{templates.source}: templates were fused, so a comparison has no two samples and no quality; "
                "compare single templates (leave out --multiple)"
            )
        worse: NDArray[np.float64] = np.minimum(
            *(ordered[np.searchsorted(names, side)] for side in (ids.probe, ids.reference))
        )
        return worse

    return PairQuality(lower(scores.mated_ids), lower(scores.nonmated_ids))


def _numbers(frame: pl.DataFrame, name: str, source: str) -> NDArray[np.float64]:
    """One column as numbers; every row must have one."""
    if name not in frame.columns:
        raise InputError(unknown(f"{source}: quality column", name, frame.columns))
    column = frame[name]
    numbers = column.cast(pl.Float64, strict=False)
    wrong = (numbers.is_null() | numbers.is_nan()).fill_null(value=True)
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        value: Any = column[row]
        raise InputError(
            f"{source}: row {row + 1:,} has {name} {'empty' if value is None else repr(value)}; expected a number for "
            "every sample: write the lowest where quality is unknown (-inf will do)"
        )
    return numbers.to_numpy()
