"""Templates to comparisons that are all kept, mated ones apart from the others.

Holds `compare` (as a `ScoreSet`) and `compare_rows` (as `ComparedRows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.engine.jobs import NoProgress, Progress
from bertillon.matching.comparing import Comparing, Strip
from bertillon.trials.score_set import ScoreSet, TrialIds


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRows:
    """Comparisons of one class: the scores, and which rows of the table were compared."""

    scores: NDArray[Any]
    rows: NDArray[Any]
    columns: NDArray[Any]


def compare(comparing: Comparing, progress: Progress | None = None) -> ScoreSet:
    """Every comparison made and kept: the score set of the protocol."""
    mated, others = compare_rows(comparing, progress)
    return ScoreSet(
        mated.scores,
        others.scores,
        rule=comparing.rule,
        mated_ids=_ids(comparing, mated),
        nonmated_ids=_ids(comparing, others),
        name=comparing.name,
        notes=comparing.words,
    )


def compare_rows(comparing: Comparing, progress: Progress | None = None) -> tuple[ComparedRows, ComparedRows]:
    """Every comparison made and kept: mated ones, and the others."""
    watched = progress or NoProgress()
    watched.begin(comparing.rows.size, "comparing")
    mated: list[ComparedRows] = []
    others: list[ComparedRows] = []
    for strip in comparing.strips():
        mated.append(_chosen(strip, strip.mated & ~strip.ignored))
        others.append(_chosen(strip, ~strip.mated & ~strip.ignored))
        watched.advance(len(strip.rows))
    return _joined(mated), _joined(others)


def _chosen(strip: Strip, marks: NDArray[np.bool_]) -> ComparedRows:
    rows = np.repeat(strip.rows, np.count_nonzero(marks, axis=1))
    return ComparedRows(strip.scores[marks], rows, np.broadcast_to(strip.columns, marks.shape)[marks])


def _joined(parts: Sequence[ComparedRows]) -> ComparedRows:
    names = [field.name for field in fields(ComparedRows)]
    return ComparedRows(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _ids(comparing: Comparing, made: ComparedRows) -> TrialIds:
    subject, sample = comparing.templates.subject, comparing.templates.sample
    return TrialIds(
        subject.take(made.rows),
        subject.take(made.columns),
        sample.take(made.rows),
        None if comparing.pairing.multiple else sample.take(made.columns),
    )
