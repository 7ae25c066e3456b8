"""Under which condition each trial was made: the values of a column, bins of one, or two columns crossed.

    tcond                 a condition for each value of the column
    years:0,2,5,10        bins [0, 2), [2, 5) and [5, 10]: the lower end belongs to a bin, the upper one to the last
    two of these          a condition for each pair of them that occurs

Conventions: every trial has a condition. A value that is missing, and a number outside all bins, is refused and
not left out: a rate over what is left would not be that of the system. So is a bin without trials, of which there is
nothing to say; of two columns crossed the pairs that occur are conditions. `-inf` and `inf` may end the bins. Values
that are numbers stand in their order, all others in that of their letters. Trials that failed have a condition too,
where a table says which. A comparison of two templates is made under the conditions of both: `day`, or `day/night`
where they differ, whichever was the probe. A search is made under the condition of its probe: that of the template, or
the one that all comparisons of the probe have.

Holds `TrialConditions`; `conditions_of_pairs` (of a table of comparisons), `conditions_of_templates` (compared),
`conditions_of_searches`, `conditions_of_samples` (of predictions) and `conditions_of_values`; and `failed_subjects`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.arguments import require
from bertillon.core.errors import InputError, unknown
from bertillon.core.lazy import pl
from bertillon.core.showing import short_repr
from bertillon.core.tables import ComparisonTable, TemplateTable
from bertillon.trials.predictions import Predictions
from bertillon.trials.protocol import Trials
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.search_set import SearchSet

MOST_CONDITIONS = 100
MOST_CROSSED = 2


@dataclass(frozen=True, slots=True, eq=False)
class TrialConditions:
    """The condition of every trial, by number; of comparisons the mated ones first, then the others."""

    __repr__ = short_repr

    by: tuple[str, ...]
    names: tuple[str, ...]
    code: NDArray[np.int64]
    failed: NDArray[np.int64] | None = None  # mated and non-mated ones that failed, a row a condition; None: not known

    def rows(self, condition: int) -> NDArray[np.bool_]:
        """Which trials were made under it."""
        return np.asarray(self.code == condition)

    def require_fit(self, trials: Trials) -> None:
        """Every trial has a condition."""
        if self.code.size == trials.n_trials:
            return
        if trials.kind != "verification":
            raise InputError(f"{self.code.size:,} conditions for {trials.n_trials:,} trials; expected one each")
        held = f"{trials.counts['mated']:,} mated and {trials.counts['nonmated']:,} non-mated scores"
        raise InputError(f"{self.code.size:,} conditions for {held}; expected one each, the mated ones first")


@dataclass(frozen=True, slots=True)
class _Column:
    """A column to divide trials by, and the bins of its numbers."""

    name: str
    edges: tuple[float, ...] = ()

    @classmethod
    def read(cls, text: str) -> _Column:
        """From `tcond` or `years:0,2,5,10`."""
        name, colon, ends = text.partition(":")
        name = name.strip()
        if not name:
            raise InputError(f"condition {text!r} names no column; expected COLUMN, or COLUMN:0,2,5,10 for bins")
        if not colon:
            return cls(name)
        try:
            edges = tuple(float(end) for end in ends.split(","))
        except ValueError:
            raise InputError(
                f"condition {text!r}: {ends!r} are no numbers; expected bins as in years:0,2,5,10"
            ) from None
        rising = all(low < high for low, high in pairwise(edges))
        if len(edges) < 2 or not rising or any(map(math.isnan, edges)):
            raise InputError(f"condition {text!r}: expected two or more ends of bins that rise, as in years:0,2,5,10")
        return cls(name, edges)

    def codes(self, values: Sequence[Any], source: str, what: str) -> tuple[list[str], NDArray[np.int64]]:
        """The conditions in their order, and which each value is of."""
        lacking = sum(_is_missing(value) for value in values)
        if lacking:
            raise InputError(
                f"{source}: {lacking:,} of {len(values):,} {what} have no {self.name}; expected a value for each: "
                "write 'unknown' to make a condition of those"
            )
        return self._binned(values, source, what) if self.edges else self._named(values, source)

    def _named(self, values: Sequence[Any], source: str) -> tuple[list[str], NDArray[np.int64]]:
        written = np.array([_written(value) for value in values], dtype=object)
        names, code = np.unique(written.astype(str), return_inverse=True)
        if names.size > MOST_CONDITIONS:
            held = f"{source}: {self.name} has {names.size:,} different values"
            raise InputError(f"{held}; expected at most {MOST_CONDITIONS}: give bins, as in {self.name}:0,2,5,10")
        order = sorted(range(names.size), key=lambda place: _in_order(str(names[place])))
        place_of = np.empty(names.size, dtype=np.int64)
        place_of[order] = np.arange(names.size)
        return [str(names[place]) for place in order], place_of[code]

    def _binned(self, values: Sequence[Any], source: str, what: str) -> tuple[list[str], NDArray[np.int64]]:
        numbers = np.array([_number(value, self.name, source) for value in values])
        code = np.searchsorted(self.edges, numbers, side="right") - 1
        code[numbers == self.edges[-1]] = len(self.edges) - 2
        outside = (code < 0) | (code > len(self.edges) - 2)
        if outside.any():
            few = f"{int(np.count_nonzero(outside)):,} of {numbers.size:,} {what}"
            seen = f"from {numbers.min():g} to {numbers.max():g}"
            wider = ",".join(f"{edge:g}" for edge in (-math.inf, *self.edges, math.inf))
            raise InputError(
                f"{source}: the bins of {self.name} leave out {few}, which lie {seen}; expected bins that hold all, "
                f"such as {self.name}:{wider}"
            )
        last = len(self.edges) - 2
        ends = enumerate(pairwise(self.edges))
        names = [f"[{low:g}, {high:g}{']' if place == last else ')'}" for place, (low, high) in ends]
        empty = [name for place, name in enumerate(names) if not (code == place).any()]
        if empty:
            seen = f"they lie from {numbers.min():g} to {numbers.max():g}"
            raise InputError(
                f"{source}: no {what} are in the bin {empty[0]} of {self.name}; {seen}: expected bins that all hold "
                "some, so join it with another or leave it out"
            )
        return names, code


def conditions_of_pairs(table: ComparisonTable, by: Sequence[str]) -> TrialConditions:
    """The conditions of the comparisons of a table, also of those that failed.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"score": [0.9, 0.4, 0.1], "mated": [False, True, True], "years": [1, 7, 2]})
    >>> found = conditions_of_pairs(ComparisonTable(frame), ["years:0,2,10"])
    >>> found.names, found.code.tolist()
    (('[0, 2)', '[2, 10]'), [1, 1, 0])
    """
    frame = table.frame
    lacking = [name for name in ("score", "mated") if name not in frame.columns]
    if lacking:
        raise InputError(
            f"{table.source}: has no column {lacking[0]!r}; conditions go with a table that holds the score, the label "
            "and the condition of each comparison: put them into one"
        )
    names, code = _divided(*_held(frame, by, table.source), table.source)
    mated = frame["mated"].to_numpy().astype(bool)
    scored = ~np.isnan(frame["score"].cast(float).fill_null(math.nan).to_numpy())
    kinds = [np.bincount(code[kind & ~scored], minlength=len(names)) for kind in (mated, ~mated)]
    kept = np.concatenate([code[mated & scored], code[~mated & scored]])
    return TrialConditions(tuple(by), names, kept, np.stack(kinds, axis=1))


def conditions_of_templates(scores: ScoreSet, templates: TemplateTable, by: Sequence[str]) -> TrialConditions:
    """The conditions of the comparisons of templates, from the metadata of both.

    >>> import polars as pl
    >>> from bertillon.trials import TrialIds
    >>> light = pl.DataFrame({"light": ["day", "night", "day"]})
    >>> table = TemplateTable(np.eye(3), ["ann", "ann", "bob"], sample=["a1", "a2", "b1"], metadata=light)
    >>> ids = {"mated_ids": TrialIds(probe=["a1"], reference=["a2"]), "nonmated_ids": TrialIds(probe=["b1"], \
reference=["a1"])}
    >>> found = conditions_of_templates(ScoreSet([0.9], [0.1], **ids), table, ["light"])
    >>> found.names, found.code.tolist()
    (('day', 'day/night'), [1, 0])
    """
    names = np.asarray(templates.sample)
    order = np.argsort(names)
    kinds = ((scores.mated, scores.mated_ids), (scores.nonmated, scores.nonmated_ids))
    sides = []
    for side in ("probe", "reference"):
        known = [None if ids is None else getattr(ids, side) for values, ids in kinds if values.size]
        if any(side_names is None for side_names in known):
            raise InputError(
                f"{templates.source}: templates were fused, so a comparison has no two samples and no condition of "
                "them; compare single templates (leave out --multiple)"
            )
        samples = np.concatenate([np.asarray(samples) for samples in known])
        sides.append(order[np.searchsorted(names[order], samples)])
    columns, values = _held(_metadata(templates), by, templates.source)
    made = [column.codes(own, templates.source, "templates") for column, own in zip(columns, values, strict=True)]
    return TrialConditions(tuple(by), *_crossed([_paired(*each, *sides) for each in made], templates.source))


def _paired(
    names: Sequence[str], code: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64]
) -> tuple[list[str], NDArray[np.int64]]:
    """The conditions of pairs of templates: the one of both, or both of them, in their order."""
    low, high = np.minimum(code[first], code[second]), np.maximum(code[first], code[second])
    pairs = [one if one == other else f"{one}/{other}" for one in names for other in names]
    return pairs, low * len(names) + high


def _metadata(templates: TemplateTable) -> pl.DataFrame:
    """The columns beside templates."""
    if templates.metadata is None or not templates.metadata.width:
        problem = f"{templates.source}: has no metadata, so no conditions"
        raise InputError(f"{problem}; add the columns with --labels FILE, a row a template")
    return templates.metadata


def conditions_of_searches(
    searches: SearchSet, source: TemplateTable | ComparisonTable, by: Sequence[str]
) -> TrialConditions:
    """The conditions of the probes that search, from the metadata of templates or a table of comparisons.

    >>> import polars as pl
    >>> from bertillon.trials import searches_from_trials
    >>> columns = {"probe": ["p", "q"], "probe_subject": ["ann", "eve"], "reference_subject": ["ann", "ann"]}
    >>> table = ComparisonTable(pl.DataFrame(columns | {"score": [0.9, 0.2], "light": ["day", "night"]}))
    >>> conditions_of_searches(searches_from_trials(table), table, ["light"]).names
    ('day', 'night')
    """
    if searches.source_row is None:
        raise InputError(f"{searches.name}: the row of each search is unknown, and so is its condition")
    frame = _metadata(source) if isinstance(source, TemplateTable) else source.frame
    columns, values = _held(frame, by, source.source)
    if isinstance(source, ComparisonTable):
        _require_one_each(frame, columns, source.source)
    own = [[column[row] for row in searches.source_row.tolist()] for column in values]
    return TrialConditions(tuple(by), *_divided(columns, own, source.source, "searches"))


def _require_one_each(frame: pl.DataFrame, columns: Sequence[_Column], source: str) -> None:
    """All comparisons of a probe have the same value."""
    ids = [name for name in ("probe", "probe_subject") if name in frame.columns]
    for column in columns:
        several = frame.group_by(ids).agg(pl.col(column.name).n_unique()).filter(pl.col(column.name) > 1)
        if several.height:
            probe = several["probe"].cast(pl.String).min()
            raise InputError(
                f"{source}: {several.height:,} probes, such as {probe!r}, have comparisons of more than one "
                f"{column.name}; expected a column that says the condition of the probe"
            )


def conditions_of_samples(
    predictions: Predictions, frame: pl.DataFrame, by: Sequence[str], source: str = "conditions"
) -> TrialConditions:
    """The conditions of predictions, from the table they were read from, also of those that failed.

    >>> import polars as pl
    >>> read = Predictions.from_scores([1, 0, 1], [0.9, float("nan"), 0.4])
    >>> found = conditions_of_samples(read, pl.DataFrame({"site": ["a", "b", "b"]}), ["site"])
    >>> found.code.tolist(), found.failed.tolist()
    ([0, 1], [[0, 0], [1, 0]])
    """
    names, code = _divided(*_held(frame, by, source), source, "samples")
    row = np.arange(predictions.size) if predictions.source_row is None else predictions.source_row
    lost = np.delete(code, row)
    failed = np.stack([np.bincount(lost, minlength=len(names)), np.zeros(len(names), dtype=np.int64)], axis=1)
    return TrialConditions(tuple(by), names, code[row], failed)


def _held(frame: pl.DataFrame, by: Sequence[str], source: str) -> tuple[list[_Column], list[list[Any]]]:
    """The columns asked for, with their values."""
    columns = _columns(by)
    for column in columns:
        if column.name not in frame.columns:
            raise InputError(unknown(f"{source}: column", column.name, frame.columns))
    return columns, [frame[column.name].to_list() for column in columns]


def conditions_of_values(columns: Mapping[str, ArrayLike], source: str = "conditions") -> TrialConditions:
    """The same of columns in memory, whose names may hold bins; of comparisons the mated ones first, then the others.

    >>> conditions_of_values({"place": ["in", "out", "in"], "age:0,50,99": [20, 70, 50]}).names
    ('in, [0, 50)', 'in, [50, 99]', 'out, [50, 99]')
    """
    require(columns, Mapping, "by", 'a column of values for each condition, such as {"light": ["day", "night", ...]}')
    read = _columns(tuple(columns))
    values = [np.asarray(column, dtype=object).tolist() for column in columns.values()]
    if len({len(column) for column in values}) > 1:
        raise InputError(f"{source}: columns of {', '.join(f'{len(c):,}' for c in values)} values; expected as many")
    return TrialConditions(tuple(columns), *_divided(read, values, source, "trials"))


def failed_subjects(table: ComparisonTable) -> list[Any] | None:
    """The person of each mated comparison of a table that gave no score; None where that is not known."""
    frame = table.frame
    if not {"score", "mated", "probe_subject"} <= set(frame.columns):
        return None
    scored = ~np.isnan(frame["score"].cast(float).fill_null(math.nan).to_numpy())
    lost = frame["mated"].to_numpy().astype(bool) & ~scored
    return [person for person, failed in zip(frame["probe_subject"].to_list(), lost.tolist(), strict=True) if failed]


def _columns(by: Sequence[str]) -> list[_Column]:
    if not 1 <= len(by) <= MOST_CROSSED:
        raise InputError(f"{len(by)} columns of conditions; expected one, or two that are crossed")
    if len(set(by)) < len(by):
        raise InputError(f"condition {by[0]!r} is given twice; expected two different ones, or one")
    return [_Column.read(text) for text in by]


def _divided(
    columns: Sequence[_Column], values: Sequence[Sequence[Any]], source: str, what: str = "comparisons"
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The conditions that occur, of one column or of each pair of values of two."""
    return _crossed([column.codes(own, source, what) for column, own in zip(columns, values, strict=True)], source)


def _crossed(
    made: Sequence[tuple[list[str], NDArray[np.int64]]], source: str
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The conditions that occur of one or two divisions, with those that each trial is of."""
    names, code = made[0]
    if len(made) > 1:
        others, second = made[1]
        names = [f"{first}, {other}" for first in names for other in others]
        code = code * len(others) + second
    there, packed = np.unique(code, return_inverse=True)
    if there.size > MOST_CONDITIONS:
        raise InputError(f"{source}: {there.size:,} conditions; expected at most {MOST_CONDITIONS}: give wider bins")
    return tuple(names[place] for place in there), packed.astype(np.int64)


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _written(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else str(value)


def _in_order(name: str) -> tuple[int, float, str]:
    """Numbers first, in their order."""
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def _number(value: Any, name: str, source: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{source}: {name} is {value!r}, no number; leave out the bins, or correct it") from None
