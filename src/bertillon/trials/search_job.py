"""Templates searched in a gallery: every comparison made as a job, or through an approximate index (faiss).

Conventions of the job: a strip of probes at a time goes through the gallery in tiles, and a few numbers a probe are
kept. A piece is a strip. Its probes are neighbours in the order of their mates in the gallery, and the tiles that hold
these mates come first: once they have gone by every score is counted and let go, so that a gallery of any size can be
searched. Where people have several templates the gallery is walked through person by person.

An index is fast in millions of templates, and not always right. Only matchers that rest on scalar products or Euclidean
distances have one: cosine, pearson, euclidean and squared-euclidean. The candidates an index returns have exact scores;
a mate it does not return has no rank. Of several templates of a person the best counts. `effort` is how hard the index
looks: efSearch of a hnsw index, nprobe of an ivf index. An hnsw index that was built on several threads may differ a
little from run to run.

Holds `search`, the `SearchJob` it runs and `Searched`, what a job has found; `GalleryIndex`, `faiss_index` and `KINDS`,
the kinds of index with the efforts to be tried.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon._version import __version__
from bertillon.core.errors import InputError
from bertillon.core.messages import chained
from bertillon.counting.error_counts import IntArray
from bertillon.engine.jobs import Checkpoint, Engine, Progress, digest_of, run_job
from bertillon.engine.workers import single_blas_thread
from bertillon.matching.base import Matcher, Prepared, digest_of_sides
from bertillon.matching.comparing import Comparing
from bertillon.trials.limits import LIMITS
from bertillon.trials.search_blocks import Counted
from bertillon.trials.search_loops import NOBODY
from bertillon.trials.search_set import SearchSet
from bertillon.trials.searches import KEPT, SearchPlan, plan_searches, searches_counted

TILE_CELLS = 1 << 22
STRIPS = 16  # at least, where there are probes enough
FIRST = 4  # probes and gallery templates whose scores are part of a checkpoint's identity
HELD_CELLS = 1 << 25  # scores a strip may have to hold until its mates have gone by
Array = NDArray[Any]
KINDS = {"hnsw": (16, 32, 64, 128, 256, 512), "ivf": (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)}
SIMILAR, DISTANT = ("cosine", "pearson"), ("euclidean", "squared-euclidean")
NEIGHBOURS = 32  # links of a template in a hnsw graph


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
    searches = with_template_rows(searches_counted(job.plan, job.together(result), comparing.name), comparing, rows)
    return replace(searches, warnings=keeping.warnings) if keeping else searches


def with_template_rows(searches: SearchSet, comparing: Comparing, rows: IntArray | None = None) -> SearchSet:
    """Searches of the probes of a plan, or of some of them, by the rows of their templates in the whole table."""
    templates = comparing.rows if rows is None else comparing.rows[rows]
    return replace(searches, source_row=templates[searches.source_row])


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

    @classmethod
    def of(cls, comparing: Comparing, rows: IntArray | None, *, kept: int) -> SearchJob:
        """The searches of a plan of comparisons, of all probes or of some."""
        plan, probes = search_plan(comparing), comparing.probes
        if rows is not None:
            plan, probes = plan.take(rows), probes.take(rows)
        return cls(comparing.matcher, probes, comparing.gallery, plan, min(kept, plan.ranked))

    @property
    def identity(self) -> dict[str, str]:
        """What a checkpoint belongs to, in words a person can compare."""
        plan = self.plan
        with single_blas_thread():
            first = self.matcher.block(self.probes[:FIRST], self.gallery[:FIRST])
        return {
            "version": __version__,
            "searches": f"{plan.own.size:,} probes in {plan.gallery.owner.size:,} templates, {self._height} at a time",
            "matcher": repr(self.matcher),
            "fusion": plan.fusion,
            "kept": f"{self.kept} candidates" + (", each template twice" if plan.twice else ""),
            "lists": "of people" + (" and of templates" if plan.several else ""),
            "templates": digest_of_sides(self.probes, self.gallery, plan.own, plan.gallery.owner),
            "first scores": digest_of([first]),  # by which functions of one name are known apart
        }

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
        rows, compiled = self._rows(piece), int(self.sizes.sum()) >= LIMITS.search_compiled_from
        counter = self.plan.take(rows).counter(self.kept, precision=True, compiled=compiled)
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
        counter, keeps = self.plan.counter(self.kept), self.plan.keeps
        whole = counter.counted
        for strip, part in result.strips.items():
            rows = self._rows(strip)
            for name in ("mate", "better", "equal", "top_other", "precision"):
                getattr(whole, name)[rows] = getattr(part, name)
            whole.kept[counter.slot[rows[keeps[rows]]]] = part.kept
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


@dataclass(frozen=True, slots=True, eq=False)
class GalleryIndex:
    """The gallery of a plan of comparisons in an index."""

    kind: str
    comparing: Comparing
    plan: SearchPlan
    index: Any
    columns: IntArray  # of the gallery, in the order of the index: those that can be compared

    @classmethod
    def build(cls, comparing: Comparing, kind: str) -> GalleryIndex:
        """Put the gallery into an index of a kind."""
        if kind not in KINDS:
            raise InputError(f"--index: {kind!r} is not known; expected {' or '.join(KINDS)}")
        if comparing.matcher.name not in (*SIMILAR, *DISTANT):
            known = ", ".join((*SIMILAR, *DISTANT))
            raise InputError(f"--index: there is none for {comparing.matcher.name}; expected a matcher among {known}")
        if comparing.fusion != "best":
            raise InputError(f"--index: fusion {comparing.fusion} is not supported; expected best")
        vectors = _vectors(comparing.gallery.rows["vectors"])
        columns = np.flatnonzero(np.isfinite(vectors).all(axis=1))
        if not columns.size:
            why = chained(comparing.notes)
            raise InputError(
                f"--index: none of {len(vectors):,} gallery templates can be compared ({why}); leave it out"
            )
        index = faiss_index(kind, comparing.matcher.name, vectors[columns])
        return cls(kind, comparing, search_plan(comparing), index, columns)

    @property
    def efforts(self) -> tuple[int, ...]:
        """Those worth trying."""
        lists = self.index.nlist if self.kind == "ivf" else math.inf
        return tuple(effort for effort in KINDS[self.kind] if effort <= lists) or (1,)

    def search(self, effort: int, *, rows: IntArray | None = None, kept: int = KEPT) -> SearchSet:
        """Every probe, or those of some rows, searches the index."""
        chosen = np.arange(self.plan.own.size) if rows is None else rows
        plan = self.plan.take(chosen)
        several = int(self.plan.gallery.templates.max(initial=1))
        wanted = min(self.columns.size, (kept + 1) * several + plan.twice)  # so that enough people are among them
        candidates, scores = self._candidates(chosen, wanted, effort)
        counted = _counted(plan, candidates, scores, min(kept, plan.ranked))
        return with_template_rows(searches_counted(plan, counted, self.comparing.name), self.comparing, chosen)

    def _candidates(self, rows: IntArray, wanted: int, effort: int) -> tuple[IntArray, Array]:
        """Columns of the best candidates of each probe, best first, -1 after the last; and their oriented scores."""
        if self.kind == "hnsw":
            self.index.hnsw.efSearch = effort
        else:
            self.index.nprobe = effort
        probes = _vectors(self.comparing.probes.rows["vectors"][rows])
        failed = np.asarray(~np.isfinite(probes).all(axis=1))
        raw, neighbour = self.index.search(np.where(failed[:, None], 0, probes).astype(np.float32), wanted)
        candidates = np.where((neighbour < 0) | failed[:, None], -1, self.columns[neighbour])
        return candidates, np.where(candidates < 0, np.nan, self._oriented(raw.astype(np.float64)))

    def _oriented(self, raw: Array) -> Array:
        name = self.comparing.matcher.name
        if name in SIMILAR:
            return np.clip(raw, -1.0, 1.0)
        squares = np.maximum(raw, 0.0)
        return -np.sqrt(squares) if name == "euclidean" else -squares


def search_plan(comparing: Comparing) -> SearchPlan:
    """Who searches for whom under a plan of comparisons."""
    subject = comparing.templates.subject
    probes, gallery = subject[comparing.rows], subject[comparing.columns]
    return plan_searches(probes, gallery, comparing.rule, comparing.fusion, twice=comparing.searches_twice)


def _vectors(values: Array) -> Array:
    return np.ascontiguousarray(values, dtype=np.float32)


def faiss_index(kind: str, matcher: str, vectors: Array) -> Any:
    """An index of a kind over vectors that are ready for a matcher."""
    faiss = _faiss()
    metric = faiss.METRIC_INNER_PRODUCT if matcher in SIMILAR else faiss.METRIC_L2
    width = vectors.shape[1]
    if kind == "hnsw":
        index = faiss.IndexHNSWFlat(width, NEIGHBOURS, metric)
    else:
        lists = max(1, min(round(4 * math.sqrt(len(vectors))), len(vectors) // LIMITS.list_members))
        coarse = faiss.IndexFlatIP(width) if matcher in SIMILAR else faiss.IndexFlatL2(width)
        index = faiss.IndexIVFFlat(coarse, width, lists, metric)
        index.train(vectors)
    index.add(vectors)
    return index


def _counted(plan: SearchPlan, candidates: IntArray, scores: Array, kept: int) -> Counted:
    """What is known of each search from its candidates."""
    if plan.own_cell is not None:
        scores = np.where(candidates == plan.own_cell[:, None], np.nan, scores)
    owner = np.where(candidates < 0, -1, plan.gallery.owner[candidates])
    scores = np.where(_first_of_person(owner, scores), scores, np.nan)
    own = (owner == plan.own[:, None]) & (owner >= 0)
    with np.errstate(invalid="ignore"):
        mate = np.fmax.reduce(np.where(own, scores, np.nan), axis=1)
        others = -np.sort(-np.where(own, np.nan, scores), axis=1)  # best first, NaN last
        better, equal = (others > mate[:, None]).sum(axis=1), (others == mate[:, None]).sum(axis=1)
    best = np.full((len(candidates), max(kept, 1)), np.nan)
    best[:, : min(max(kept, 1), others.shape[1])] = others[:, : max(kept, 1)]
    return Counted(mate, better, equal, best[:, 0], best[plan.keeps][:, :kept])


def _first_of_person(owner: IntArray, scores: Array) -> NDArray[np.bool_]:
    """Which candidates are the first, and so the best, of their person in a list; those without a score are none."""
    rows = np.broadcast_to(np.arange(len(owner))[:, None], owner.shape)
    there = np.flatnonzero((owner >= 0).ravel() & ~np.isnan(scores).ravel())
    key = rows.ravel()[there] * (int(owner.max(initial=0)) + 1) + owner.ravel()[there]
    first = np.zeros(owner.size, dtype=np.bool_)
    first[there[np.unique(key, return_index=True)[1]]] = True
    return first.reshape(owner.shape)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise InputError("--index needs faiss; install it with: pip install 'bertillon[search]'") from error
    return faiss
