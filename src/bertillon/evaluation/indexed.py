"""What an approximate index of the gallery gains in speed and loses in accuracy, measured against the exact search.

Conventions: a sample of probes searches exactly and through the index at each effort. The loss of a rate is the exact
one less that of the index, on the same probes. `agreement` is the share of searches whose best score is the exact best.
Of the efforts the least that agrees in 99 of 100 searches is used for all probes, the greatest where none does.

Holds `search_with_index`, which gives an `IndexedSearch` with its `Effort`s.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Message, Text, say
from bertillon.evaluation.identification import SearchEvaluation, evaluate_searches
from bertillon.matching.comparing import Comparing
from bertillon.trials.indexed import GalleryIndex
from bertillon.trials.search_job import search
from bertillon.trials.search_set import SearchSet

SAMPLE = 1000  # probes
AGREES = 0.99
RANK_ONE, DETECTION = "RR", "DIR@FPIR=0.01,k=1"
NEAR = 1e-5  # scores that differ by less are the same one, rounded elsewhere


@dataclass(frozen=True, slots=True)
class Effort:
    """One point of the trade-off: how hard the index looked, how fast it was, what it found and lost."""

    effort: int
    searches_a_second: float
    agreement: float
    rank_one: float
    rank_one_loss: float
    detection: float  # NaN without searches of people who are not enrolled
    detection_loss: float


@dataclass(frozen=True, slots=True, eq=False)
class IndexedSearch:
    """Searches through an index, and what it cost them."""

    searches: SearchSet
    kind: str
    effort: int
    sample: int
    exact_a_second: float
    trade_off: tuple[Effort, ...]


def search_with_index(comparing: Comparing, kind: str, *, sample: int = SAMPLE, seed: int = 0) -> IndexedSearch:
    """Every probe searches an index of the gallery; a sample of probes says what that loses."""
    index = GalleryIndex.build(comparing, kind)
    probes = comparing.rows.size
    rows = np.sort(np.random.default_rng(seed).choice(probes, min(sample, probes), replace=False))
    started = time.perf_counter()
    exact = search(comparing, rows=rows)
    exact_rate = rows.size / max(time.perf_counter() - started, 1e-9)
    points = tuple(_try(index, effort, rows, exact) for effort in index.efforts)
    chosen = next((point for point in points if point.agreement >= AGREES), points[-1])
    whole = index.search(chosen.effort)
    note = _note(kind, chosen, rows.size)
    marked = replace(
        whole,
        notes=(*comparing.search_words, *whole.notes, note),
        warnings=() if chosen.agreement >= AGREES else (note,),
    )
    return IndexedSearch(marked, kind, chosen.effort, rows.size, exact_rate, points)


def _try(index: GalleryIndex, effort: int, rows: NDArray[np.int64], exact: SearchSet) -> Effort:
    started = time.perf_counter()
    approximate = index.search(effort, rows=rows)
    seconds = max(time.perf_counter() - started, 1e-9)
    ours, theirs = (evaluate_searches(searches, [RANK_ONE, DETECTION]) for searches in (approximate, exact))
    (rank_loss, lost_ranks), (detection_loss, lost_detections) = (
        _loss(ours, theirs, name) for name in (RANK_ONE, DETECTION)
    )
    return Effort(
        effort,
        rows.size / seconds,
        _agreement(approximate, exact),
        rank_loss,
        lost_ranks,
        detection_loss,
        lost_detections,
    )


def _loss(ours: SearchEvaluation, theirs: SearchEvaluation, name: str) -> tuple[float, float]:
    return ours[name].value, theirs[name].value - ours[name].value


def _agreement(approximate: SearchSet, exact: SearchSet) -> float:
    """Searches that failed in one and not in the other do not agree."""
    if len(approximate) != len(exact) or not len(exact):
        return 0.0
    near = np.isclose(approximate.top_score, exact.top_score, rtol=NEAR, atol=NEAR, equal_nan=True)
    return float(near.mean())


def _note(kind: str, chosen: Effort, sample: int) -> Message:
    lost: Text = ""
    if not np.isnan(chosen.detection_loss):
        lost = say("protocol.index_detection", name=DETECTION, loss=chosen.detection_loss)
    return say(
        "protocol.index",
        kind=kind,
        effort=chosen.effort,
        n=sample,
        agreement=chosen.agreement,
        rank_one=chosen.rank_one_loss,
        detection=lost,
    )
