"""Templates to comparisons: all of them kept, or all mated ones and a random part of the others.

Conventions of a random part, for quick answers about templates too many to compare: every non-mated comparison of the
protocol has the same chance to be drawn, and none is drawn twice. Whose templates were compared is kept, so that
intervals can allow for people who stand in several of them. Rates keep their meaning; what depends on how many
comparisons of each kind there are (shares of all of them, precision) does not.

Holds `compare` (as a `ScoreSet`) and `compare_rows` (as `Kept`); to be written, `table_of` (one row a
comparison) and `matrix_of` (rows = probes, columns = gallery); `compare_sampled`, `draw_nonmated`, `scores_of_pairs`,
and `mated_pairs`, found from the owners alone: a few even where the matrix is vast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Text, say
from bertillon.core.tables import ComparisonTable, ScoreMatrix
from bertillon.counting.error_counts import IntArray
from bertillon.counting.tiles.people import Kept
from bertillon.engine.jobs import NoProgress, Progress
from bertillon.engine.workers import run_workers
from bertillon.matching.comparing import Comparing, Strip
from bertillon.matching.protocol.pairing import AllAgainstAll, PairList
from bertillon.trials.score_set import ScoreSet, TrialIds

ROWS_AT_A_TIME = 64  # on a thread
MOST_ROWS = 100_000_000  # of a table that is written


def compare(comparing: Comparing, progress: Progress | None = None) -> ScoreSet:
    """Every comparison made and kept: the score set of the protocol."""
    return _score_set(comparing, *compare_rows(comparing, progress), comparing.words)


def _score_set(comparing: Comparing, mated: Kept, others: Kept, notes: Sequence[Text]) -> ScoreSet:
    ids = [_ids(comparing, made.first, made.second) for made in (mated, others)]
    about: Any = {"rule": comparing.rule, "name": comparing.name, "notes": notes}
    return ScoreSet(mated.score, others.score, mated_ids=ids[0], nonmated_ids=ids[1], **about)


def compare_rows(comparing: Comparing, progress: Progress | None = None) -> tuple[Kept, Kept]:
    """Every comparison made and kept: mated ones, and the others, by the rows of the table that were compared."""
    mated: list[Kept] = []
    others: list[Kept] = []
    for strip in _strips(comparing, progress):
        mated.append(_chosen(strip, strip.mated & ~strip.ignored))
        others.append(_chosen(strip, ~strip.mated & ~strip.ignored))
    return Kept.joined(mated, mated[0].score.dtype), Kept.joined(others, others[0].score.dtype)


def _strips(comparing: Comparing, progress: Progress | None) -> Iterator[Strip]:
    watched = progress or NoProgress()
    watched.begin(comparing.rows.size, "comparing")
    for strip in comparing.strips():
        yield strip
        watched.advance(len(strip.rows))


def _chosen(strip: Strip, marks: NDArray[np.bool_]) -> Kept:
    rows = np.repeat(strip.rows, np.count_nonzero(marks, axis=1))
    return Kept(rows, np.broadcast_to(strip.columns, marks.shape)[marks], strip.scores[marks])


def compare_sampled(comparing: Comparing, number: int, *, seed: int = 0, progress: Progress | None = None) -> ScoreSet:
    """The score set of every mated and of `number` non-mated comparisons drawn at random."""
    if comparing.pairing.multiple or isinstance(comparing.pairing, PairList):
        raise InputError("only single templates, all against all or probes against a gallery, can be sampled")
    total = comparing.counts.nonmated
    if not 1 <= number <= total:
        raise InputError(
            f"--sample-nonmated is {number:,} of {total:,} non-mated comparisons; expected 1 to all of them"
        )
    sides = mated_pairs(comparing), draw_nonmated(comparing, number, seed=seed)
    watched = progress or NoProgress()
    watched.begin(sum(rows.size for rows, _ in sides), "comparing")
    mated, others = (
        Kept(comparing.rows[rows], comparing.columns[columns], scores_of_pairs(comparing, rows, columns, watched))
        for rows, columns in sides
    )
    drawn = say("protocol.sampled", number=number, total=total, seed=str(seed))
    return _score_set(comparing, mated, others, (*comparing.words, drawn))


def draw_nonmated(comparing: Comparing, number: int, *, seed: int = 0) -> tuple[IntArray, IntArray]:
    """Rows and columns of so many different non-mated comparisons, every one of the protocol equally likely.

    Cells are drawn from the whole matrix and those that are mated, no comparison, or drawn before are passed over.
    """
    rng, pairs = np.random.default_rng(seed), comparing.pairs
    width, cells = pairs.columns.size, pairs.rows.size * pairs.columns.size
    chosen = np.empty(0, dtype=np.int64)
    while chosen.size < number:
        drawn = rng.integers(0, cells, size=2 * (number - chosen.size) + 64)
        rows, columns = np.divmod(drawn, width)
        wanted = (pairs.rows[rows] != pairs.columns[columns]) & _stands(comparing, rows, columns)
        together = np.concatenate([chosen, drawn[wanted]])
        _, first = np.unique(together, return_index=True)
        chosen = together[np.sort(first)][:number]  # in the order drawn, so that none is favoured
    return np.divmod(np.sort(chosen), width)


def scores_of_pairs(comparing: Comparing, rows: IntArray, columns: IntArray, watched: Progress) -> NDArray[Any]:
    """The scores of listed pairs, in their order; the pairs of a row stand together."""
    scores = np.empty(rows.size, dtype=np.result_type(comparing.probes.dtype, comparing.gallery.dtype))
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    ends = np.append(begins[1:], rows.size)

    def work(_: None, piece: int) -> None:
        part = slice(piece * ROWS_AT_A_TIME, (piece + 1) * ROWS_AT_A_TIME)
        for begin, end in zip(begins[part].tolist(), ends[part].tolist(), strict=True):
            probe, others = comparing.probes[rows[begin] : rows[begin] + 1], comparing.gallery.take(columns[begin:end])
            scores[begin:end] = comparing.matcher.block(probe, others)[0]
            watched.advance(end - begin)

    run_workers(work, -(-begins.size // ROWS_AT_A_TIME), lambda: None)
    return scores


def _stands(comparing: Comparing, rows: IntArray, columns: IntArray) -> NDArray[np.bool_]:
    """Is the cell a comparison: a template never meets itself, and where pairs stand once they stand right of it."""
    pairing = comparing.pairing
    if not isinstance(pairing, AllAgainstAll):
        return np.ones(rows.size, dtype=np.bool_)
    return rows < columns if pairing.unique else rows != columns


def _ids(comparing: Comparing, rows: NDArray[Any], columns: NDArray[Any]) -> TrialIds:
    """Whose the templates at these rows of the table are; a person's templates that were fused are no sample."""
    subject, sample = comparing.templates.subject, comparing.templates.sample
    reference = None if comparing.pairing.multiple else sample[columns]
    return TrialIds(subject[rows], subject[columns], sample[rows], reference)


def mated_pairs(comparing: Comparing) -> tuple[IntArray, IntArray]:
    """Rows and columns of every mated comparison, row after row."""
    owners, others = comparing.pairs.rows, comparing.pairs.columns
    order = np.argsort(others, kind="stable")
    first, last = (np.searchsorted(others[order], owners, side) for side in ("left", "right"))
    number = last - first
    rows = np.repeat(np.arange(owners.size), number)
    within = np.arange(rows.size) - np.repeat(np.cumsum(number) - number, number)
    columns = order[np.repeat(first, number) + within]
    stands = _stands(comparing, rows, columns)
    return rows[stands], columns[stands]


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
    strips = list(_strips(comparing, progress))
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


def _frame(comparing: Comparing, made: Kept, *, mated: bool) -> pl.DataFrame:
    table, single = comparing.templates, not comparing.pairing.multiple
    subject, sample = (pl.Series(ids.astype(str).tolist(), dtype=pl.String) for ids in (table.subject, table.sample))
    return pl.DataFrame(
        {
            "score": made.score.astype(np.float64),
            "mated": np.full(made.first.size, mated),
            "probe": sample.gather(made.first),
            **({"reference": sample.gather(made.second)} if single else {}),
            "probe_subject": subject.gather(made.first),
            "reference_subject": subject.gather(made.second),
        }
    )
