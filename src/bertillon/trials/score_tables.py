"""Comparisons made from templates as tables to be written.

Holds `table_of` (one row a comparison) and `matrix_of` (rows = probes, columns = gallery).
"""

from __future__ import annotations

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import say
from bertillon.core.tables import ComparisonTable, ScoreMatrix
from bertillon.engine.jobs import NoProgress, Progress
from bertillon.matching.comparing import Comparing
from bertillon.trials.comparing import ComparedRows, compare_rows

MOST_ROWS = 100_000_000


def table_of(comparing: Comparing, progress: Progress | None = None) -> ComparisonTable:
    """Every comparison of the protocol with the ids of both sides; failed comparisons are left out and counted."""
    counts = comparing.counts
    if counts.mated + counts.nonmated > MOST_ROWS:
        raise InputError(
            f"{comparing.templates.source}: {counts.mated + counts.nonmated:,} comparisons are too many to write; "
            "evaluate the templates directly (bertillon verify), or write fewer of them"
        )
    mated, others = compare_rows(comparing, progress)
    whole = pl.concat([_frame(comparing, mated, mated=True), _frame(comparing, others, mated=False)])
    frame = whole.filter(whole["score"].is_not_nan())
    failed = whole.height - frame.height
    notes = (*comparing.words, *([say("protocol.failed_left_out", n=failed)] if failed else []))
    return ComparisonTable(frame, comparing.templates.source, "memory", comparing.rule, notes)


def matrix_of(comparing: Comparing, progress: Progress | None = None) -> ScoreMatrix:
    """The whole matrix of single templates, with cells that are no comparison marked."""
    if comparing.pairing.multiple:
        raise InputError("a matrix holds single templates; leave out --multiple, or write a table")
    watched = progress or NoProgress()
    watched.begin(comparing.rows.size, "comparing")
    strips = []
    for strip in comparing.strips():
        strips.append(strip)
        watched.advance(len(strip.rows))
    subject = comparing.templates.subject
    return ScoreMatrix(
        np.concatenate([strip.scores for strip in strips]),
        subject[comparing.rows],
        subject[comparing.columns],
        mated=np.concatenate([strip.mated for strip in strips]),
        ignored=np.concatenate([strip.ignored for strip in strips]),
        source=comparing.templates.source,
        rule=comparing.rule,
        notes=tuple(comparing.words),
    )


def _frame(comparing: Comparing, made: ComparedRows, *, mated: bool) -> pl.DataFrame:
    table, single = comparing.templates, not comparing.pairing.multiple
    subject, sample = (pl.Series(ids.astype(str).tolist(), dtype=pl.String) for ids in (table.subject, table.sample))
    return pl.DataFrame(
        {
            "score": made.scores.astype(np.float64),
            "mated": np.full(made.rows.size, mated),
            "probe": sample.gather(made.rows),
            **({"reference": sample.gather(made.columns)} if single else {}),
            "probe_subject": subject.gather(made.rows),
            "reference_subject": subject.gather(made.columns),
        }
    )
