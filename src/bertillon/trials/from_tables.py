"""From tables as read to score sets: who is mated with whom, and which tables belong together.

Conventions: a table with labels (or with ids that tell who is who) is one system. Two plain lists are one system,
the first mated (genuine), the second non-mated (impostor). A list of trials is joined with each table of scores, by
the ids of the pair or, for plain lists of the same length, line by line. What was understood is said in the notes.

Holds `systems_from`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.errors import InputError
from bertillon.rule import AcceptRule
from bertillon.tables import ComparisonTable, ScoreMatrix, short_name
from bertillon.trials.dealing import deal
from bertillon.trials.score_set import ScoreSet, TrialIds

if TYPE_CHECKING:
    import polars as pl

Table = ComparisonTable | ScoreMatrix
_PAIR = ["probe", "reference"]
_IDS = ("probe_subject", "reference_subject", "probe", "reference")


def systems_from(tables: Sequence[Table], *, rule: AcceptRule | None = None) -> list[ScoreSet]:
    """One score set a system, in the order of the tables; `rule` overrides what the files say."""
    trials = [t for t in tables if isinstance(t, ComparisonTable) and t.is_trial_list]
    scored = [t for t in tables if t not in trials]
    if trials:
        return [_from_table(table, rule) for table in _join_all(trials, scored)]
    systems: list[ScoreSet] = []
    waiting: ComparisonTable | None = None
    for table in scored:
        if isinstance(table, ScoreMatrix):
            systems.append(_from_matrix(table, rule))
        elif not table.is_plain_list:
            systems.append(_from_table(table, rule))
        elif waiting is None:
            waiting = table
        else:
            systems.append(_from_lists(waiting, table, rule))
            waiting = None
    if waiting is not None:
        raise InputError(
            f"{waiting.source}: a plain list of scores does not say which are mated (genuine) and which not; "
            "give two lists, genuine then impostor, or a table with a column of labels"
        )
    return systems


def _from_lists(mated: ComparisonTable, nonmated: ComparisonTable, rule: AcceptRule | None) -> ScoreSet:
    return ScoreSet(
        mated.frame["score"].to_numpy(),
        nonmated.frame["score"].to_numpy(),
        rule=_rule(mated, rule),
        name=f"{short_name(mated.source)} + {short_name(nonmated.source)}",
        notes=(
            f"{short_name(mated.source)} holds the mated (genuine) scores, "
            f"{short_name(nonmated.source)} the non-mated (impostor) ones",
        ),
    )


def _from_table(table: ComparisonTable, rule: AcceptRule | None) -> ScoreSet:
    if "mated" not in table.frame.columns:
        raise InputError(
            f"{table.source}: nothing says which comparisons are mated; name the column of labels "
            "(--column label=NAME), or give the list of trials as another file"
        )
    if table.frame["mated"].null_count():
        line = int(table.frame["mated"].is_null().arg_max() or 0) + 1
        raise InputError(f"{table.source}: row {line:,} has no label; every comparison must be mated or not")
    mated = table.frame["mated"]
    own, others = deal(table.frame["score"], mated)
    return ScoreSet(
        own,
        others,
        rule=_rule(table, rule),
        mated_ids=_ids(table.frame, mated),
        nonmated_ids=_ids(table.frame, ~mated),
        name=short_name(table.source),
        notes=table.notes,
        warnings=_duplicates(table.frame),
    )


def _from_matrix(matrix: ScoreMatrix, rule: AcceptRule | None) -> ScoreSet:
    mated = matrix.mated
    if mated is None:
        mated = matrix.probe_subject[:, None] == matrix.reference_subject[None, :]
    used = np.ones(mated.shape, dtype=bool) if matrix.ignored is None else ~matrix.ignored
    parts = [np.nonzero(chosen & used) for chosen in (mated, ~mated)]
    ids = [_matrix_ids(matrix, rows, columns) for rows, columns in parts]
    return ScoreSet(
        matrix.scores[parts[0]],
        matrix.scores[parts[1]],
        rule=_rule(matrix, rule),
        mated_ids=ids[0],
        nonmated_ids=ids[1],
        name=short_name(matrix.source),
        notes=matrix.notes,
    )


def _matrix_ids(matrix: ScoreMatrix, rows: NDArray[Any], columns: NDArray[Any]) -> TrialIds:
    return TrialIds(matrix.probe_subject[rows], matrix.reference_subject[columns], rows, columns)


def _join_all(trials: Sequence[ComparisonTable], scored: Sequence[Table]) -> list[ComparisonTable]:
    if len(trials) > 1:
        raise InputError(f"{trials[1].source}: a second list of trials; expected one, with one or more files of scores")
    if not scored:
        raise InputError(f"{trials[0].source}: a list of trials without scores; give the file of scores too")
    return [_join(trials[0], table) for table in scored]


def _join(trials: ComparisonTable, scores: Table) -> ComparisonTable:
    if isinstance(scores, ScoreMatrix):
        raise InputError(f"{scores.source}: a matrix cannot be joined with the trials of {trials.source}")
    if "mated" in scores.frame.columns:
        return scores
    if scores.is_plain_list:
        frame = _line_by_line(trials, scores)
        how = "line by line"
    else:
        frame = _by_pair(trials, scores)
        how = "by the ids of each pair"
    note = f"scores of {short_name(scores.source)} joined with the trials of {short_name(trials.source)} {how}"
    return ComparisonTable(frame, scores.source, scores.format, scores.rule, (*scores.notes, note))


def _line_by_line(trials: ComparisonTable, scores: ComparisonTable) -> pl.DataFrame:
    if len(trials) != len(scores):
        raise InputError(
            f"{scores.source}: {len(scores):,} scores for {len(trials):,} trials in {trials.source}; "
            "expected one score a trial, in the same order"
        )
    return trials.frame.with_columns(scores.frame["score"])


def _by_pair(trials: ComparisonTable, scores: ComparisonTable) -> pl.DataFrame:
    wanted = trials.frame.unique(_PAIR) if trials.frame.select(_PAIR).is_duplicated().any() else trials.frame
    joined = wanted.join(scores.frame.select([*_PAIR, "score"]).unique(_PAIR), on=_PAIR, how="left")
    missing = joined["score"].null_count()
    if missing:
        first = joined.filter(joined["score"].is_null()).row(0, named=True)
        raise InputError(
            f"{scores.source}: no score for {missing:,} of {len(trials):,} trials of {trials.source}; "
            f"the first is {first['probe']} with {first['reference']}"
        )
    return joined


def _rule(table: Table, asked: AcceptRule | None) -> AcceptRule:
    return asked or table.rule or AcceptRule.SIMILARITY


def _ids(frame: pl.DataFrame, chosen: pl.Series) -> TrialIds | None:
    known = {name: frame[name].filter(chosen).to_numpy() for name in _IDS if name in frame.columns}
    return TrialIds(**known) if known else None


def _duplicates(frame: pl.DataFrame) -> tuple[str, ...]:
    if not set(_PAIR) <= set(frame.columns):
        return ()
    pairs = frame.select(_PAIR)
    if pairs.hash_rows().n_unique() == pairs.height:  # rows whose hashes differ differ: in most files all do
        return ()
    repeated = pairs.height - pairs.n_unique()
    if not repeated:
        return ()
    return (f"{repeated:,} comparisons repeat a pair (same probe, same reference) and are counted again",)
