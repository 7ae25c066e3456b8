"""From scores of probes with a gallery to searches: a matrix, blocks of any gallery, or all templates against all.

Conventions: rows are probes, columns gallery templates. A probe is enrolled when its person is in the gallery;
otherwise it searches as non-enrolled and stays out of every closed-set figure. Several templates of a person become
one score by `fusion`, in the user's units:

    best   the most alike (least distance, greatest similarity)      max, min   the greatest, the least
    mean   their mean                                                none       templates are ranked one by one

NaN cells are failed comparisons: that template is no candidate. A probe without any score is a failed search.
All against all, every template searches twice, never meeting itself: once among all others (enrolled), and once with
its own person's templates left out (non-enrolled). The only template of a person searches as non-enrolled alone. A plan
knows the owners of probes and gallery templates and nothing of their scores.

Holds `searches_from_matrix` and `searches_from_blocks`; for other ways to count, `SearchPlan` with `plan_searches`, who
searches for whom, `searches_counted`, what was counted of each put together, and `KEPT`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ScoreMatrix, short_name
from bertillon.io.convert import texts
from bertillon.trials.matrices import meets_itself
from bertillon.trials.search_blocks import Counted, Gallery, SearchCounter
from bertillon.trials.search_loops import NOBODY
from bertillon.trials.search_set import NO_RANK, SearchSet

Array = NDArray[Any]
Block = tuple[ArrayLike, ArrayLike, ArrayLike]  # probe rows, gallery rows, scores
KEPT = 50  # best candidates kept of each non-enrolled search
CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class SearchPlan:
    """Who searches for whom."""

    subject: Array
    own: NDArray[np.int64]
    gallery: Gallery
    enrolled: NDArray[np.bool_]
    rule: AcceptRule
    fusion: str
    own_cell: NDArray[np.int64] | None = None  # all against all: the column where each probe meets itself

    @property
    def twice(self) -> bool:
        """All against all?"""
        return self.own_cell is not None

    @property
    def ranked(self) -> int:
        """How many candidates a full list holds."""
        templates = self.gallery.owner.size
        return max(templates - self.twice, 0) if self.fusion == "none" else self.gallery.people

    @property
    def keeps(self) -> NDArray[np.bool_]:
        """Whose best candidates are kept: who searches as non-enrolled."""
        return np.ones(self.own.size, bool) if self.twice else ~self.enrolled

    def take(self, rows: NDArray[np.int64]) -> SearchPlan:
        """The same for some of the probes."""
        columns = {name: getattr(self, name) for name in ("subject", "own", "enrolled", "own_cell")}
        return replace(self, **{name: column[rows] for name, column in columns.items() if column is not None})

    @property
    def several(self) -> bool:
        """Has somebody in the gallery several templates, so that a list of templates is another than one of people?"""
        return self.gallery.owner.size > self.gallery.people

    def counter(
        self,
        kept: int,
        mate_scores: ArrayLike | None = None,
        *,
        precision: bool = False,
        compiled: bool | None = None,
    ) -> SearchCounter:
        """What counts these searches while blocks of scores go by; `compiled` is as in `SearchCounter`."""
        if kept < 0:
            raise InputError(f"kept is {kept}; expected how many candidates to keep of a search, 0 or more")
        return SearchCounter(
            self.own,
            self.gallery,
            rule=self.rule,
            fusion=self.fusion,
            keep=self.keeps,
            kept=min(kept, self.ranked),
            mate_scores=mate_scores,
            own_cell=self.own_cell,
            compiled=compiled,
            precision=precision and self.several,
        )


def searches_from_blocks(
    blocks: Iterable[Block],
    probe_subject: ArrayLike,
    gallery_subject: ArrayLike,
    *,
    rule: AcceptRule | str = AcceptRule.SIMILARITY,
    fusion: str = "best",
    all_against_all: bool = False,
    mate_scores: ArrayLike | None = None,
    kept: int = KEPT,
    name: str = "",
) -> SearchSet:
    """Searches from blocks (probe rows, gallery rows, scores) that together hold every cell once.

    Give all blocks of some probes before those of the next, and at most these probes' scores are held at a time; with
    `mate_scores` (each probe's score with its own person, fused, NaN for none) nothing is held.

    >>> blocks = [([0, 1], [0], [[0.9], [0.2]]), ([0, 1], [1], [[0.4], [0.3]])]
    >>> s = searches_from_blocks(blocks, ["ann", "eve"], ["ann", "bob"])
    >>> s.ranks().tolist(), s.top_score.tolist()
    ([1.0], [0.9, 0.3])
    """
    plan = plan_searches(probe_subject, gallery_subject, AcceptRule.of(rule), fusion, twice=all_against_all)
    counter = plan.counter(kept, mate_scores, precision=True)
    for rows, columns, scores in blocks:
        counter.add(rows, columns, scores)
    return searches_counted(plan, counter.finish(), name)


def searches_from_matrix(
    matrix: ScoreMatrix,
    *,
    rule: AcceptRule | str | None = None,
    fusion: str = "best",
    all_against_all: bool | None = None,
    kept: int = KEPT,
) -> SearchSet:
    """Searches from a whole matrix, one a row; `rule` overrides what the matrix says.

    `all_against_all` unless stated goes by the matrix: yes where rows and columns are the same people and the diagonal
    is no comparison, since templates meet themselves there.

    >>> m = ScoreMatrix(np.array([[0.9, 0.4], [0.2, 0.3]]), np.array(["ann", "eve"]), np.array(["ann", "bob"]))
    >>> searches_from_matrix(m).enrolled.tolist()
    [True, False]
    """
    if all_against_all is None:
        all_against_all = meets_itself(matrix)
    _check_matrix(matrix, all_against_all=all_against_all)
    probes, references = _people(matrix)
    direction = AcceptRule.of(rule or matrix.rule or AcceptRule.SIMILARITY)
    plan = plan_searches(probes, references, direction, fusion, twice=all_against_all)
    used, searched = _used(matrix, all_against_all=all_against_all)
    mates = (plan.own[:, None] == plan.gallery.owner[None, :]) & used
    plan = replace(plan, subject=matrix.probe_subject, enrolled=mates.any(axis=1))
    scores = np.where(used, matrix.scores, np.nan)
    counter = plan.counter(kept)
    for rows in _some_rows(scores):
        counter.add(rows, np.arange(scores.shape[1]), scores[rows])
    name, precision = short_name(matrix.source), _average_precision(plan, scores, mates)
    return searches_counted(plan, counter.finish(), name, searched=searched, precision=precision, notes=matrix.notes)


def _people(matrix: ScoreMatrix) -> tuple[Array, Array]:
    """Who each row and column is of. A mask of mated cells says it where the ids do not."""
    if matrix.mated is None:
        return matrix.probe_subject, matrix.reference_subject
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = matrix.mated.shape
    names, same = np.unique(matrix.reference_subject, return_inverse=True)
    probe, reference = np.nonzero(matrix.mated)
    ends = np.concatenate([probe, rows + np.arange(columns)]), np.concatenate([rows + reference, rows + columns + same])
    size = rows + columns + names.size
    group = connected_components(coo_array((np.ones(ends[0].size), ends), shape=(size, size)), directed=False)[1]
    people = group[:rows], group[rows : rows + columns]
    clash = (people[0][:, None] == people[1][None, :]) & ~matrix.mated
    if (clash if matrix.ignored is None else clash & ~matrix.ignored).any():
        raise InputError(f"{matrix.source}: the mask calls some templates of one person mated and others not")
    return people


def _used(matrix: ScoreMatrix, *, all_against_all: bool) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which cells are comparisons, and which rows are searches: those with a comparison, or without any column."""
    used: NDArray[np.bool_] = np.ones(np.shape(matrix.scores), np.bool_)
    if matrix.ignored is not None:
        used &= ~matrix.ignored
    if all_against_all:
        np.fill_diagonal(used, False)
    searched: NDArray[np.bool_] = used.any(axis=1) | (used.shape[1] == 0)
    return used, searched


def _check_matrix(matrix: ScoreMatrix, *, all_against_all: bool) -> None:
    shape = np.shape(matrix.scores)
    expected = (len(matrix.probe_subject), len(matrix.reference_subject))
    if shape != expected:
        raise InputError(
            f"{matrix.source}: scores of shape {shape} for {expected[0]:,} probes and {expected[1]:,} columns"
        )
    if all_against_all and shape[0] != shape[1]:
        raise InputError(f"{matrix.source}: all against all needs a square matrix; found {shape[0]:,} x {shape[1]:,}")


def _some_rows(scores: Array) -> Iterator[NDArray[np.int64]]:
    """All rows in groups small enough to work on at once."""
    step = max(1, CELLS_AT_ONCE // max(scores.shape[1], 1))
    for begin in range(0, scores.shape[0], step):
        yield np.arange(begin, min(begin + step, scores.shape[0]))


def _average_precision(plan: SearchPlan, scores: Array, mates: NDArray[np.bool_]) -> Array:
    """Mean, over the mate's templates, of the share of mates in the list down to each; others win ties."""
    oriented = plan.rule.orient(scores)
    precision = np.full(len(scores), np.nan)
    for group in _some_rows(oriented):
        rows = group[plan.enrolled[group]]
        mine = mates[rows]
        others = np.where(mine | (plan.own[rows, None] == plan.gallery.owner[None, :]), np.nan, oriented[rows])
        most = int(mine.sum(axis=1).max(initial=0))
        own = -np.sort(-np.where(mine, oriented[rows], np.nan), axis=1)[:, :most]
        total = np.zeros(rows.size)
        for rank in range(most):
            ahead = (others >= own[:, rank, None]).sum(axis=1)
            total += np.where(np.isnan(own[:, rank]), 0.0, (rank + 1) / (ahead + rank + 1))
        precision[rows] = total / np.maximum(mine.sum(axis=1), 1)
    return precision


def plan_searches(
    probes: ArrayLike, references: ArrayLike, rule: AcceptRule, fusion: str, *, twice: bool
) -> SearchPlan:
    """Who searches for whom, from the owners of probes and gallery templates."""
    subject, owner = _alike(probes, references)
    if twice and not np.array_equal(subject, owner):
        raise InputError("all against all needs the same templates as probes and as gallery, in the same order")
    people, code, templates = np.unique(owner, return_inverse=True, return_counts=True)
    own = np.full(subject.size, NOBODY)
    if people.size:
        person = np.minimum(np.searchsorted(people, subject), people.size - 1)
        own = np.where(people[person] == subject, person, NOBODY)
    gallery = Gallery(code.astype(np.int64), templates.astype(np.int64))
    enrolled = own != NOBODY
    if twice:
        enrolled &= templates[own] > 1
    return SearchPlan(subject, own, gallery, enrolled, rule, fusion, np.arange(own.size) if twice else None)


def _alike(probes: ArrayLike, references: ArrayLike) -> tuple[Array, Array]:
    """Both sides' subjects as arrays that can be compared."""
    left, right = np.asarray(probes), np.asarray(references)
    for side, subjects in (("probe", left), ("gallery", right)):
        if subjects.ndim != 1:
            raise InputError(f"{side} subjects have shape {subjects.shape}; expected one id each, in one dimension")
    if left.dtype.kind != right.dtype.kind or left.dtype == object:
        return texts(left), texts(right)
    return left, right


def searches_counted(
    plan: SearchPlan,
    counted: Counted,
    name: str,
    *,
    searched: NDArray[np.bool_] | None = None,
    precision: Array | None = None,
    notes: Sequence[Text] = (),
) -> SearchSet:
    """The set of all rows that are `searched` and gave a score; all against all, of both parts they play."""
    searched = np.ones(plan.own.size, bool) if searched is None else searched
    if precision is None:
        precision = _precision(plan, counted)
    every_note = (*notes, *_notes(plan, searched))
    if not plan.twice:
        return _part(plan, counted, searched, plan.enrolled, precision, name, every_note)
    nobody = np.zeros(plan.own.size, bool)
    parts = [_part(plan, counted, searched & plan.enrolled, plan.enrolled, precision, name, every_note)]
    if plan.gallery.people > 1:
        parts.append(_part(plan, counted, searched, nobody, precision, name))
    return SearchSet.join(parts)


def _precision(plan: SearchPlan, counted: Counted) -> Array | None:
    """The average precision of lists of templates; None where it was not counted."""
    if not plan.several:
        return np.where(np.isnan(counted.mate), 0.0, 1 / (1 + counted.better + counted.equal))
    if counted.precision is None or np.isnan(counted.precision[plan.enrolled]).any():
        return None
    return counted.precision


def _part(
    plan: SearchPlan,
    counted: Counted,
    plays: NDArray[np.bool_],
    enrolled: NDArray[np.bool_],
    precision: Array | None,
    name: str,
    notes: Sequence[Text] = (),
) -> SearchSet:
    """Searches of the probes that play this part, `enrolled` or not in it."""
    mate = np.where(enrolled, counted.mate, np.nan)
    silent = np.isnan(mate) & np.isnan(counted.top_other)
    row, failed = np.flatnonzero(plays & ~silent), plays & silent
    slot = np.cumsum(plan.keeps) - 1
    with np.errstate(invalid="ignore"):
        top = np.fmax(mate, counted.top_other)
    return SearchSet(
        enrolled=enrolled[row],
        mate_score=plan.rule.orient(mate[row]),
        n_better=np.where(np.isnan(mate), NO_RANK, counted.better)[row],
        n_equal=counted.equal[row],
        top_score=plan.rule.orient(top[row]),
        top_other=plan.rule.orient(counted.top_other[row]),
        gallery_size=plan.ranked,
        rule=plan.rule,
        failed_enrolled=int((failed & enrolled).sum()),
        failed_nonenrolled=int((failed & ~enrolled).sum()),
        others=plan.rule.orient(counted.kept[slot[row[~enrolled[row]]]]),
        probe_subject=plan.subject[row],
        source_row=row,
        average_precision=None if precision is None else np.where(enrolled, precision, np.nan)[row],
        fusion=plan.fusion,
        name=name,
        notes=tuple(notes),
    )


def _notes(plan: SearchPlan, searched: NDArray[np.bool_]) -> Iterator[Message]:
    alone, total = int((searched & ~plan.enrolled).sum()), int(searched.sum())
    if plan.twice:
        yield say("protocol.searches_twice")
        if alone:
            yield say("protocol.alone", n=alone, total=total)
        if plan.gallery.people == 1:
            yield say("protocol.one_person")
    elif alone:
        yield say("protocol.no_mate", n=alone, total=total)
