"""Who searches for whom, and what was counted of each search put together.

Conventions: those of `searches`. A plan knows the owners of probes and gallery templates and nothing of their scores.

Holds `SearchPlan`, `plan_searches` and `searches_counted`, and `KEPT`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, say
from bertillon.core.rule import AcceptRule
from bertillon.io.convert import texts
from bertillon.trials.search_blocks import NOBODY, Counted, Gallery, SearchCounter
from bertillon.trials.search_set import NO_RANK, SearchSet

Array = NDArray[Any]

KEPT = 50  # best candidates kept of each non-enrolled search


@dataclass(frozen=True, slots=True, eq=False)
class SearchPlan:
    """Who searches for whom."""

    subject: Array
    own: NDArray[np.int64]
    gallery: Gallery
    enrolled: NDArray[np.bool_]
    rule: AcceptRule
    fusion: str
    twice: bool  # all against all

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
        return replace(self, subject=self.subject[rows], own=self.own[rows], enrolled=self.enrolled[rows])

    @property
    def several(self) -> bool:
        """Has somebody in the gallery several templates, so that a list of templates is another than one of people?"""
        return self.gallery.owner.size > self.gallery.people

    def counter(self, kept: int, mate_scores: ArrayLike | None = None, *, precision: bool = False) -> SearchCounter:
        """What counts these searches while blocks of scores go by."""
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
            own_cell=np.arange(self.own.size) if self.twice else None,
            precision=precision and self.several,
        )


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
    return SearchPlan(subject, own, gallery, enrolled, rule, fusion, twice)


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
    searched: NDArray[np.bool_],
    precision: Array | None,
    name: str,
    notes: Sequence[Text],
) -> SearchSet:
    """The set of all rows that are searches and gave a score; all against all, of both parts they play."""
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
