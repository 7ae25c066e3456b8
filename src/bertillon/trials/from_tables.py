"""From tables as read to score sets: who is mated with whom, and which tables belong together.

Conventions: a table with labels (or with ids that tell who is who) is one system. Two plain lists are one system,
the first mated (genuine), the second non-mated (impostor). A list of trials is joined with each table of scores (see
`joining`); a square matrix may be of templates against themselves (see `matrices`). Attacks are neither mated nor
non-mated: they are left out and counted. Labels that contradict the ids of the two subjects are refused unless it is
said which of them to trust. What was understood is said in the notes.

Holds `systems_from`, `require_licit`, `require_consistent`, `without_self`; and comparisons of a table or matrix as
messages, so that a person sees whether they were read as they were meant: `describe_row`, `values_of_row`,
`describe_cell` and `example_of`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError, shortened
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, abridged, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ComparisonTable, ScoreMatrix, short_name
from bertillon.counting.slices import Split, split_by_class
from bertillon.io.columns import plain
from bertillon.io.registry import Table
from bertillon.trials.joining import join
from bertillon.trials.matrices import failed_samples, settled
from bertillon.trials.score_set import ScoreSet, TrialIds, complete_set

Array = NDArray[Any]
TRUSTED = ("labels", "subjects")
_PAIR = ["probe", "reference"]
_SUBJECTS = ("probe_subject", "reference_subject")
_OWN_LABEL = "label of the scores"
_LOW = (-1.0, -99.0, -999.0, -9999.0)  # what matchers write for a failed comparison among scores of 0 or more
_HIGH = (999.0, 9999.0, 99999.0, 999999.0, 1e6, float("inf"))  # and above all others
_PARTS = ("finger", "fingerposition", "eye", "hand", "instance", "position", "side")  # of a person
_ATTACKS = re.compile(r"(^|[^a-z])(spoofs?|attacks?|fakes?|replays?|masks?|prints?)([^a-z]|$)")
_GENUINE = re.compile(r"gen(uine)?|mated|target|tar|client|same|positive|pos")
_IMPOSTOR = re.compile(r"imp(ostor|oster)?|nonmated|nontarget|non|different|diff|negative|neg")
_SHOWN = 40  # letters of an id
_CALLED_LABELS = re.compile(r"(^|[^a-z])(labels?|truth|true|targets?|key|gt|y)([^a-z]|$)")
_CALLED_SCORES = re.compile(r"(^|[^a-z])(gen|genuine|imp|impostors?|imposters?|scores?|mated|nonmated)([^a-z]|$)")
_FEW = 3  # values of a label


def systems_from(
    tables: Sequence[Table],
    *,
    rule: AcceptRule | str | None = None,
    all_against_all: bool | None = None,
    trust: str | None = None,
) -> list[ScoreSet]:
    """One score set a system, in the order of the tables.

    `rule` overrides what the files say; `all_against_all` says whether square matrices hold templates against
    themselves, which their symmetry tells otherwise; `trust` is "labels" or "subjects", where they contradict.
    """
    if trust not in (None, *TRUSTED):
        raise InputError(f"trust: {trust!r} is not known; expected {' or '.join(TRUSTED)}")
    rule = None if rule is None else AcceptRule.of(rule)
    trials = [t for t in tables if isinstance(t, ComparisonTable) and t.is_trial_list]
    scored = [t for t in tables if t not in trials]
    if trials:
        return [_from_table(table, rule, trust) for table in _join_all(trials, scored)]
    systems: list[ScoreSet] = []
    waiting: ComparisonTable | None = None
    for table in scored:
        if isinstance(table, ScoreMatrix):
            systems.append(_from_matrix(table, rule, all_against_all))
        elif not table.is_plain_list:
            systems.append(_from_table(table, rule, trust))
        elif waiting is None:
            waiting = table
        else:
            labelled = _labels_by_line(waiting, table)
            systems.append(_from_table(labelled, rule, trust) if labelled else _from_lists(waiting, table, rule))
            waiting = None
    if waiting is not None:
        raise InputError(
            f"{waiting.source}: a plain list of scores does not say which are mated (genuine) and which not; "
            "give two lists, genuine then impostor, or a table with a column of labels"
        )
    return systems


def _labels_by_line(first: ComparisonTable, second: ComparisonTable) -> ComparisonTable | None:
    """Two lists of the same length, one of scores and one of nothing but 0 and 1 or 1 and -1: its labels.

    None where they are two lists of scores. A list of two or three small whole numbers beside scores with fractions, or
    one that is called labels, holds labels too, but which is not plain: `InputError`.
    """
    tables = (first, second)
    doubtful = [_is_doubtful(table, other) for table, other in (tables, tables[::-1])]
    if not any(doubtful):
        return None
    labels, scores = tables if doubtful[0] else tables[::-1]
    if len(first) != len(second) or all(doubtful) or not _is_marks(labels):
        raise InputError(
            f"{labels.source}: holds {len(labels):,} numbers, nothing but {_values_shown(labels)}, beside "
            f"{len(scores):,} of {short_name(scores.source)}: labels, one for each score, or scores of their own? Put "
            "labels and scores into one table with the columns label and score, or call lists of scores genuine and "
            "impostor"
        )
    note = say(
        "reading.list_of_labels",
        labels=short_name(labels.source),
        values=_values_shown(labels),
        scores=short_name(scores.source),
    )
    frame = scores.frame.with_columns((labels.frame["score"] == 1).alias("mated"))
    return ComparisonTable(frame, scores.source, scores.format, scores.rule, (*scores.notes, note))


def _is_doubtful(table: ComparisonTable, other: ComparisonTable) -> bool:
    """May these be labels: few small whole numbers beside fractions, or called so?"""
    known, others, name = _known(table), _known(other), Path(table.source).stem.lower()
    if not np.isin(known, (-1, 0, 1, 2)).all() or _CALLED_SCORES.search(name):
        return False
    if not 1 < np.unique(known).size <= _FEW:
        return False
    return bool(_CALLED_LABELS.search(name)) or bool((others != np.round(others)).any())


def _known(table: ComparisonTable) -> NDArray[np.float64]:
    """The scores that are not missing."""
    return table.scores[~np.isnan(table.scores)]


def _is_marks(table: ComparisonTable) -> bool:
    values = table.scores
    return not np.isnan(values).any() and any(set(np.unique(values)) == set(pair) for pair in ((0, 1), (-1, 1)))


def _values_shown(table: ComparisonTable) -> str:
    return " and ".join(f"{value:g}" for value in np.unique(_known(table)))


def _from_lists(mated: ComparisonTable, nonmated: ComparisonTable, rule: AcceptRule | None) -> ScoreSet:
    _require_order(mated.source, nonmated.source)
    attacks, name = _ATTACKS.search(Path(nonmated.source).stem.lower()), short_name(nonmated.source)
    command = f"bertillon attacks GENUINE IMPOSTOR --attacks {name}"
    first = [float(table.scores[0]) for table in (mated, nonmated) if len(table)]
    return ScoreSet(
        mated.scores,
        nonmated.scores,
        rule=_rule(mated, rule),
        name=f"{short_name(mated.source)} + {name}",
        notes=(
            say("reading.two_lists", mated=short_name(mated.source), nonmated=name),
            *([say("reading.example_of_lists", mated=first[0], nonmated=first[1])] if len(first) == 2 else []),
        ),
        warnings=(say("warning.list_of_attacks", name=name, command=command),) if attacks else (),
    )


def _require_order(first: str, second: str) -> None:
    """Genuine comes before impostor; names that say the contrary are believed."""

    def called(name: str) -> set[re.Pattern[str]]:
        parts = re.split(r"[^a-z]+", Path(name).name.lower().replace("non-", "non").replace("non_", "non"))
        return {pattern for pattern in (_GENUINE, _IMPOSTOR) if any(map(pattern.fullmatch, parts))}

    if (called(first), called(second)) == ({_IMPOSTOR}, {_GENUINE}):
        raise InputError(
            f"{short_name(first)} is called an impostor list and {short_name(second)} a genuine one, and the genuine "
            f"(mated) scores come first; give them as {second} {first}"
        )


def _from_table(table: ComparisonTable, rule: AcceptRule | None, trust: str | None) -> ScoreSet:
    if "mated" not in table.frame.columns:
        require_licit(table)
        raise InputError(
            f"{table.source}: nothing says which comparisons are mated; name the column of labels "
            "(--column label=NAME), or give the list of trials as another file"
        )
    if table.frame["mated"].null_count():
        line = int(table.frame["mated"].is_null().arg_max() or 0) + 1
        raise InputError(f"{table.source}: row {line:,} has no label; every comparison must be mated or not")
    example = example_of(table)
    table = require_consistent(without_self(require_licit(table)), trust)
    mated = table.frame["mated"]
    split = split_by_class(table.frame["score"], mated)
    return (complete_set if split.complete else ScoreSet)(
        split.mated,
        split.nonmated,
        rule=_rule(table, rule),
        mated_ids=_ids(table.frame, mated, which=True),
        nonmated_ids=_ids(table.frame, mated, which=False),
        name=short_name(table.source),
        notes=(*table.notes, *example),
        warnings=(*_duplicates(table.frame), *_sentinels(split), *_parts_of_people(table)),
    )


def require_licit(table: ComparisonTable) -> ComparisonTable:
    """The table without its attacks, which are said; `InputError` where nothing else, or no impostor, is left."""
    if "attack" not in table.frame.columns:
        return table
    licit = table.frame["attack"].is_null()
    if licit.all():
        return replace(table, frame=table.frame.drop("attack"))
    attacks, left = table.frame.height - int(licit.sum()), table.frame.filter(licit)
    name = short_name(table.source)
    if not left.height:
        raise InputError(
            f"{table.source}: holds {attacks:,} attacks and nothing else; give the scores of those who do not attack, "
            f"and these with them: bertillon attacks SCORES --attacks {name}"
        )
    if "mated" in left.columns and left["mated"].all():
        raise InputError(
            f"{table.source}: holds {left.height:,} bona fide presentations and {attacks:,} attacks, and no impostors: "
            f"it is of an attack detector; measure it with: bertillon attacks --pad {name}"
        )
    counts = table.frame["attack"].drop_nulls().value_counts(sort=True).rows()
    sizes = [say("reading.species_size", name=species or say("reading.unnamed"), size=n) for species, n in counts]
    note = say("reading.attacks_measured_apart", n=attacks, species=abridged(sizes, 4), name=name)
    return replace(table, frame=left.drop("attack"), notes=(*table.notes, note))


def require_consistent(table: ComparisonTable, trust: str | None = None) -> ComparisonTable:
    """Labels and subjects say the same, or the caller says which to trust."""
    frame = table.frame
    if not {"mated", *_SUBJECTS} <= set(frame.columns):
        return table
    equal = frame[_SUBJECTS[0]] == frame[_SUBJECTS[1]]
    wrong = (equal != frame["mated"]).fill_null(False)
    count = int(wrong.sum())
    if not count:
        return table
    problem = say("reading.contradictions", n=count, labels=frame.height)
    if trust is None:
        row = int(wrong.arg_max() or 0)
        first = frame.row(row, named=True)
        label = "mated" if first["mated"] else "non-mated"
        example = f"row {row + 1:,} is {label}, {first['probe_subject']} with {first['reference_subject']}"
        raise InputError(
            f"{table.source}: {problem} ({example}); say which is "
            "right: --trust labels (several fingers of one person, say), or --trust subjects"
        )
    if trust == "subjects":
        frame = frame.with_columns(equal.alias("mated"))
    return replace(table, frame=frame, notes=(*table.notes, say(f"reading.trusted.{trust}", contradictions=problem)))


def _from_matrix(matrix: ScoreMatrix, rule: AcceptRule | None, all_against_all: bool | None) -> ScoreSet:
    warnings = failed_samples(matrix)
    matrix = settled(matrix, all_against_all).matrix
    mated = matrix.mated
    if mated is None:
        mated = matrix.probe_subject[:, None] == matrix.reference_subject[None, :]
    used = np.ones(mated.shape, dtype=bool) if matrix.ignored is None else ~matrix.ignored
    parts = [np.nonzero(chosen & used) for chosen in (mated, ~mated)]
    ids = [TrialIds(matrix.probe_subject[r], matrix.reference_subject[c], r, c) for r, c in parts]
    return ScoreSet(
        matrix.scores[parts[0]],
        matrix.scores[parts[1]],
        rule=_rule(matrix, rule),
        mated_ids=ids[0],
        nonmated_ids=ids[1],
        name=short_name(matrix.source),
        notes=(*matrix.notes, *example_of(matrix)),
        warnings=warnings,
    )


def _join_all(trials: Sequence[ComparisonTable], scored: Sequence[Table]) -> list[ComparisonTable]:
    if len(trials) > 1:
        raise InputError(f"{trials[1].source}: a second list of trials; expected one, with one or more files of scores")
    if not scored:
        problem = f"{trials[0].source}: a list of trials without scores"
        raise InputError(f"{problem}; give the file of scores too; predictions are for 'bertillon classify'")
    return [_join(trials[0], table) for table in scored]


def _join(trials: ComparisonTable, scores: Table) -> ComparisonTable:
    if isinstance(scores, ScoreMatrix):
        raise InputError(f"{scores.source}: a matrix cannot be joined with the trials of {trials.source}")
    if "mated" not in scores.frame.columns or "mated" not in trials.frame.columns:
        return join(trials, scores) if "mated" not in scores.frame.columns else scores
    kept = replace(scores, frame=scores.frame.rename({"mated": _OWN_LABEL}))
    joined = join(trials, kept, beside=[_OWN_LABEL])
    wrong = int((joined.frame["mated"] != joined.frame[_OWN_LABEL]).sum())
    if wrong:
        raise InputError(
            f"{scores.source}: has labels of its own, and {wrong:,} of {len(joined):,} contradict those of "
            f"{trials.source}: are they what a system decided? Take the column of labels out of one of the files"
        )
    return replace(joined, frame=joined.frame.drop(_OWN_LABEL))


def _rule(table: Table, asked: AcceptRule | None) -> AcceptRule:
    return asked or table.rule or AcceptRule.SIMILARITY


def _ids(frame: pl.DataFrame, mated: pl.Series, *, which: bool) -> TrialIds | None:
    """Who was compared, of the mated or of the other comparisons."""
    known = [name for name in (*_SUBJECTS, *_PAIR) if name in frame.columns]
    if not known:
        return None
    chosen = mated if which else ~mated
    return TrialIds(**{name: frame[name].filter(chosen).to_numpy() for name in known})


def _duplicates(frame: pl.DataFrame) -> tuple[Message, ...]:
    if not set(_PAIR) <= set(frame.columns):
        return ()
    pairs = frame.select(_PAIR)
    if pairs.hash_rows().n_unique() == pairs.height:  # rows whose hashes differ differ: in most files all do
        return ()
    repeated = pairs.height - pairs.n_unique()
    return (say("warning.repeated_pairs", n=repeated),) if repeated else ()


def _sentinels(split: Split) -> tuple[Message, ...]:
    """A warning where scores have among them one value that matchers write for a failed comparison."""
    if split.low not in _LOW and split.high not in _HIGH:
        return ()
    values = np.concatenate([split.mated, split.nonmated])
    for value, is_low in ((split.low, True), (split.high, False)):
        if not isinstance(value, float) or value not in (_LOW if is_low else _HIGH):
            continue
        others = values[~np.isnan(values) & (values != value)]
        if others.size and (others.min() >= 0 if is_low else 5 * np.abs(others).max() < value):
            return (say("warning.sentinel", n=int((values == value).sum()), value=value),)
    return ()


def _parts_of_people(table: ComparisonTable) -> tuple[Message, ...]:
    """A warning where fingers or eyes are named that do not count: other ones of a person are mated then."""
    if "mated" in table.columns or "mated" not in table.frame.columns:
        return ()
    names = {plain(name): name for name in table.frame.columns}
    for part in _PARTS:
        for first, second in ((f"{part}1", f"{part}2"), (f"probe{part}", f"reference{part}")):
            if first in names and second in names:
                other = (table.frame[names[first]] != table.frame[names[second]]) & table.frame["mated"]
                if other.any():
                    differing, one, two = int(other.sum()), repr(names[first]), repr(names[second])
                    return (say("warning.parts_of_people", n=differing, first=one, second=two),)
    return ()


def without_self(table: ComparisonTable) -> ComparisonTable:
    """The table without comparisons of a sample with itself, which are no trials.

    They are known by equal ids of probe and reference, all mated, and one score that no other comparison exceeds:
    models and probes may be numbered alike without being the same samples.
    """
    frame = table.frame
    if not {*_PAIR, "score", "mated"} <= set(frame.columns):
        return table
    same = (frame["probe"] == frame["reference"]).fill_null(False)
    own, others = frame["score"].filter(same), frame["score"].filter(~same)
    if not len(own) or not len(others) or not bool(frame["mated"].filter(same).all()) or own.n_unique() > 1:
        return table
    if own[0] is None or not (own[0] >= others.fill_nan(None).max() or own[0] <= others.fill_nan(None).min()):
        return table
    note = say("reading.with_itself", n=len(own), score=own[0])
    return replace(table, frame=frame.filter(~same), notes=(*table.notes, note))


def example_of(table: ComparisonTable | ScoreMatrix) -> tuple[Message, ...]:
    """One comparison of a table, as a note; none where there is none.

    >>> import polars as pl
    >>> str(example_of(ComparisonTable(pl.DataFrame({"score": [0.5], "mated": [True], "probe": ["a7"]})))[0])
    'for example row 1: probe a7, score 0.5, mated'
    """
    if not (np.size(table.scores) if isinstance(table, ScoreMatrix) else len(table)):
        return ()
    if isinstance(table, ScoreMatrix):
        return (say("reading.example", what=describe_cell(table, 0, min(1, np.shape(table.scores)[1] - 1))),)
    licit = table.frame["attack"].is_null().arg_max() if "attack" in table.frame.columns else 0
    return (say("reading.example", what=describe_row(table, int(licit or 0))),)


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
    return shortened(str(value), _SHOWN)


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
