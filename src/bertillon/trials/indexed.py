"""Searches through an approximate index of the gallery (faiss): fast in millions of templates, and not always right.

Conventions: only matchers that rest on scalar products or Euclidean distances have an index: cosine, pearson, euclidean
and squared-euclidean. The candidates an index returns have exact scores; a mate it does not return has no rank. Of
several templates of a person the best counts. `effort` is how hard the index looks: efSearch of a hnsw index, nprobe of
an ivf index. An hnsw index that was built on several threads may differ a little from run to run.

Holds `GalleryIndex` and `KINDS`, the kinds of index with the efforts to be tried.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import chained
from bertillon.matching.comparing import Comparing
from bertillon.trials.limits import LIMITS
from bertillon.trials.search_blocks import Counted
from bertillon.trials.search_set import SearchSet
from bertillon.trials.searches import KEPT, SearchPlan, plan_searches, searches_counted

IntArray = NDArray[np.int64]
Array = NDArray[Any]

KINDS = {"hnsw": (16, 32, 64, 128, 256, 512), "ivf": (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)}
SIMILAR, DISTANT = ("cosine", "pearson"), ("euclidean", "squared-euclidean")
NEIGHBOURS = 32  # links of a template in a hnsw graph


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
            raise InputError(f"--index: fusion {comparing.fusion} is not to be had; expected best")
        subject, twice = comparing.templates.subject, comparing.searches_twice
        plan = plan_searches(subject[comparing.rows], subject[comparing.columns], comparing.rule, "best", twice=twice)
        vectors = _vectors(comparing.gallery.rows["vectors"])
        columns = np.flatnonzero(np.isfinite(vectors).all(axis=1))
        if not columns.size:
            why = chained(comparing.notes)
            raise InputError(
                f"--index: none of {len(vectors):,} gallery templates can be compared ({why}); leave it out"
            )
        return cls(kind, comparing, plan, _index(kind, comparing.matcher.name, vectors[columns]), columns)

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
        counted = _counted(plan, candidates, scores, chosen if plan.twice else None, min(kept, plan.ranked))
        everybody = np.ones(chosen.size, dtype=np.bool_)
        return searches_counted(plan, counted, everybody, None, self.comparing.name, ())

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


def _vectors(values: Array) -> Array:
    return np.ascontiguousarray(values, dtype=np.float32)


def _index(kind: str, matcher: str, vectors: Array) -> Any:
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


def _counted(plan: SearchPlan, candidates: IntArray, scores: Array, own_cell: IntArray | None, kept: int) -> Counted:
    """What is known of each search from its candidates."""
    if own_cell is not None:
        scores = np.where(candidates == own_cell[:, None], np.nan, scores)
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
        raise InputError("--index needs faiss: install bertillon[search]") from error
    return faiss
