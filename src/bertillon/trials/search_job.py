"""Searches as a job: a strip of probes at a time goes through the gallery in tiles, and a few numbers a probe are kept.

Conventions: a piece is a strip. Its probes are neighbours in the order of their mates in the gallery, and the tiles
that hold these mates come first: once they have gone by every score is counted and let go, so that a gallery of any
size can be searched. Where people have several templates the gallery is walked through person by person.

Holds `search`, the `SearchJob` it runs and `Searched`, what a job has found.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon._version import __version__
from bertillon.engine.checkpoint import Checkpoint, digest_of
from bertillon.engine.jobs import Engine, Progress, run_job
from bertillon.engine.workers import single_blas_thread
from bertillon.matching.base import Matcher, Prepared, digest_of_sides
from bertillon.matching.comparing import Comparing
from bertillon.trials.limits import LIMITS
from bertillon.trials.search_blocks import NOBODY, Counted, SearchCounter
from bertillon.trials.search_set import SearchSet
from bertillon.trials.searches import KEPT, SearchPlan, plan_searches, searches_counted

IntArray = NDArray[np.int64]

TILE_CELLS = 1 << 22
STRIPS = 16  # at least, where there are probes enough
FIRST = 4  # probes and gallery templates whose scores are part of a checkpoint's identity
HELD_CELLS = 1 << 25  # scores a strip may have to hold until its mates have gone by


def search(
    comparing: Comparing,
    *,
    rows: IntArray | None = None,
    kept: int = KEPT,
    engine: Engine | None = None,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> SearchSet:
    """Every probe, or those of some rows, searches the gallery; all against all once enrolled and once not."""
    job = SearchJob.of(comparing, rows, kept=kept)
    keeping = Checkpoint(checkpoint, "searches", job.identity) if checkpoint is not None else None
    result = run_job(job, "searching", engine=engine, progress=progress, checkpoint=keeping)
    everybody = np.ones(job.plan.own.size, dtype=np.bool_)
    searches = searches_counted(job.plan, job.together(result), everybody, None, comparing.name, ())
    return replace(searches, warnings=keeping.warnings) if keeping else searches


class Searched:
    """What was counted of the probes of some strips."""

    def __init__(self) -> None:
        self.strips: dict[int, Counted] = {}

    def merge(self, other: Searched) -> None:
        """Add what was found in other strips."""
        self.strips |= other.strips

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays, for a file."""
        strips = sorted(self.strips)
        columns = {f.name: [getattr(self.strips[strip], f.name) for strip in strips] for f in fields(Counted)}
        made = {name: np.concatenate(parts) for name, parts in columns.items() if parts}
        return {"strips": np.array(strips, dtype=np.int64), **made}


@dataclass(frozen=True, eq=False)
class SearchJob:
    """Everything needed to search, and no more: it is sent to other machines."""

    matcher: Matcher
    probes: Prepared
    gallery: Prepared
    plan: SearchPlan
    kept: int
    own_cell: IntArray | None  # the column of each probe, all against all

    @classmethod
    def of(cls, comparing: Comparing, rows: IntArray | None, *, kept: int) -> SearchJob:
        """The searches of a plan of comparisons, of all probes or of some."""
        subject, twice = comparing.templates.subject, comparing.searches_twice
        whole = plan_searches(
            subject[comparing.rows], subject[comparing.columns], comparing.rule, comparing.fusion, twice=twice
        )
        chosen = np.arange(whole.own.size) if rows is None else rows
        probes = comparing.probes if rows is None else comparing.probes.take(rows)
        plan = whole if rows is None else whole.take(rows)
        fewer = min(kept, plan.ranked)
        return cls(comparing.matcher, probes, comparing.gallery, plan, fewer, chosen if twice else None)

    @property
    def identity(self) -> dict[str, str]:
        """What a checkpoint belongs to, in words a person can compare."""
        plan = self.plan
        return {
            "version": __version__,
            "searches": f"{plan.own.size:,} probes in {plan.gallery.owner.size:,} templates, {self._height} at a time",
            "matcher": repr(self.matcher),
            "fusion": plan.fusion,
            "kept": f"{self.kept} candidates" + (", each template twice" if plan.twice else ""),
            "lists": "of people" + (" and of templates" if plan.several else ""),
            "templates": digest_of_sides(self.probes, self.gallery, plan.own, plan.gallery.owner),
            "first scores": self._first_scores(),
        }

    def _first_scores(self) -> str:
        """A digest of a few scores, by which functions of one name are known apart."""
        with single_blas_thread():
            return digest_of([self.matcher.block(self.probes[:FIRST], self.gallery[:FIRST])])

    @cached_property
    def sizes(self) -> IntArray:
        """Comparisons in each strip."""
        lengths = [self._rows(strip).size for strip in range(-(-self.plan.own.size // self._height))]
        return np.array(lengths, dtype=np.int64) * self.plan.gallery.owner.size

    def begin(self) -> Searched:
        """Nothing found yet."""
        return Searched()

    def do(self, result: Searched, piece: int) -> None:
        """The probes of a strip meet the whole gallery."""
        rows, plan = self._rows(piece), self.plan
        counter = SearchCounter(
            plan.own[rows],
            plan.gallery,
            rule=plan.rule,
            fusion=plan.fusion,
            keep=plan.keeps[rows],
            kept=self.kept,
            own_cell=None if self.own_cell is None else self.own_cell[rows],
            compiled=int(self.sizes.sum()) >= LIMITS.search_compiled_from,
            precision=plan.several,
        )
        probes, positions = self.probes.take(rows), np.arange(rows.size)
        for columns, part in self._tiles(rows):
            counter.add(positions, columns, self.matcher.block(probes, part))
        result.strips[piece] = counter.finish()

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> Searched:
        """What a file kept."""
        result, begin, kept = self.begin(), 0, 0
        for strip in arrays["strips"].tolist():
            rows = self._rows(strip)
            end, last = begin + rows.size, kept + int(self.plan.keeps[rows].sum())
            names = [f.name for f in fields(Counted) if f.name != "kept"]
            parts = {name: arrays[name][begin:end] for name in names}
            result.strips[strip] = Counted(**parts, kept=arrays["kept"][kept:last])
            begin, kept = end, last
        return result

    def together(self, result: Searched) -> Counted:
        """What was counted, in the order of the probes."""
        n, keeps = self.plan.own.size, self.plan.keeps
        slot = np.cumsum(keeps) - 1
        whole = Counted(
            np.full(n, np.nan),
            np.zeros(n, dtype=np.int64),
            np.zeros(n, dtype=np.int64),
            np.full(n, np.nan),
            np.full((int(keeps.sum()), self.kept), np.nan),
            np.full(n, np.nan),
        )
        for strip, part in result.strips.items():
            rows = self._rows(strip)
            for name in ("mate", "better", "equal", "top_other", "precision"):
                getattr(whole, name)[rows] = getattr(part, name)
            whole.kept[slot[rows[keeps[rows]]]] = part.kept
        return whole

    @cached_property
    def _height(self) -> int:
        """Probes in a strip."""
        probes, width = self.plan.own.size, max(1, self.plan.gallery.owner.size)
        fits = min(TILE_CELLS // min(width, LIMITS.search_tile_width), STRIPS * HELD_CELLS // width)
        return max(1, min(fits, max(LIMITS.fewest_probes, -(-probes // STRIPS))))

    @cached_property
    def _columns(self) -> IntArray | None:
        """The gallery person by person, where its own order is another; None where it need not be changed."""
        owner = self.plan.gallery.owner
        if self.plan.gallery.people == owner.size or (np.diff(owner) >= 0).all():
            return None
        return np.argsort(owner, kind="stable")

    @cached_property
    def _tiles_of_people(self) -> IntArray:
        """The tiles in which the templates of each person begin and end."""
        owner = self.plan.gallery.owner if self._columns is None else self.plan.gallery.owner[self._columns]
        tiles = np.arange(owner.size) // LIMITS.search_tile_width
        ends = np.zeros((self.plan.gallery.people, 2), dtype=np.int64)
        ends[owner[::-1], 0] = tiles[::-1]  # of several places of a person the last one written stays
        ends[owner, 1] = tiles
        return ends

    @cached_property
    def _order(self) -> IntArray:
        """The probes in the order of their mates, those without one in the end."""
        own = self.plan.own
        first_tile = np.full(own.size, np.iinfo(np.int64).max)
        mated = own != NOBODY
        first_tile[mated] = self._tiles_of_people[own[mated], 0]
        return np.argsort(first_tile, kind="stable")

    def _rows(self, strip: int) -> IntArray:
        return self._order[strip * self._height : (strip + 1) * self._height]

    def _tiles(self, rows: IntArray) -> Iterator[tuple[IntArray, Prepared]]:
        """The gallery in tiles, those with the mates of these probes first."""
        width, own = self.plan.gallery.owner.size, self.plan.own[rows]
        first = np.unique(self._tiles_of_people[own[own != NOBODY]]).tolist()
        size = LIMITS.search_tile_width
        rest = sorted(set(range(-(-width // size))) - set(first))
        for tile in (*first, *rest):
            part = slice(tile * size, min((tile + 1) * size, width))
            if self._columns is None:
                yield np.arange(part.start, part.stop), self.gallery[part]
            else:
                yield self._columns[part], self.gallery.take(self._columns[part])
