"""All mated comparisons and a random part of the others: quick answers about templates too many to compare.

Conventions: every non-mated comparison of the protocol has the same chance to be drawn, and none is drawn twice. Whose
templates were compared is kept, so that intervals can allow for people who stand in several of them. Rates keep their
meaning; what depends on how many comparisons of each kind there are (shares of all of them, precision) does not.

Holds `compare_sampled`, `draw_nonmated` and `scores_of_pairs`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.engine.jobs import NoProgress, Progress
from bertillon.engine.workers import run_workers
from bertillon.matching.comparing import Comparing
from bertillon.matching.protocol.pair_list import PairList
from bertillon.matching.protocol.pairing import AllAgainstAll
from bertillon.trials.mated import mated_pairs
from bertillon.trials.score_set import ScoreSet, TrialIds

IntArray = NDArray[np.int64]

ROWS_AT_A_TIME = 64


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
    mated, others = (scores_of_pairs(comparing, rows, columns, watched) for rows, columns in sides)
    drawn = say("protocol.sampled", number=number, total=total, seed=str(seed))
    return ScoreSet(
        mated,
        others,
        rule=comparing.rule,
        mated_ids=_ids(comparing, *sides[0]),
        nonmated_ids=_ids(comparing, *sides[1]),
        name=comparing.name,
        notes=(*comparing.words, drawn),
    )


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


def _ids(comparing: Comparing, rows: IntArray, columns: IntArray) -> TrialIds:
    table, probe, reference = comparing.templates, comparing.rows[rows], comparing.columns[columns]
    return TrialIds(table.subject[probe], table.subject[reference], table.sample[probe], table.sample[reference])
