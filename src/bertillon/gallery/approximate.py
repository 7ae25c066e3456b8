"""Searches through an approximate index of the gallery, and what it loses against the exact search.

Conventions: an index is faster in millions of templates and not always right, so that what it loses is measured first,
on probes of the kind that will be searched: a sample of them searches exactly and through the index at each effort, and
the least effort that finds the exact best score in 99 of 100 searches is used, the greatest where none does. A
detection is a search whose best score passes the policy's threshold; it is lost where the index finds no such score or
another person. Scores are those of the exact search, and the least alike of all is not looked for, so that the
reliability of an answer is not known. After somebody was enrolled or erased the next search builds the index anew.

Holds `ApproximateIndex` (faiss), `IndexLoss` and `measure_loss`, which serves an index in the server too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.evaluation.templates import AGREES, NEAR
from bertillon.gallery.search import Index, IntArray, Ranked
from bertillon.matching import Matcher
from bertillon.matching.base import Prepared
from bertillon.trials.search_job import DISTANT, KINDS, SIMILAR, faiss_index

if TYPE_CHECKING:
    from bertillon.gallery.server import ServerIndex

Vectors = NDArray[np.float32]
SAMPLE = 200  # probes


class ApproximateIndex(Index):
    """Everybody in memory, searched through an index of faiss where an effort is set, else exactly."""

    def __init__(self, matcher: Matcher, fusion: str, kind: str) -> None:
        super().__init__(matcher, fusion)
        if kind not in KINDS or matcher.name not in (*SIMILAR, *DISTANT) or fusion != "best":
            raise InputError(
                f"index {kind!r} for {matcher.name} with fusion {fusion!r} is not available; expected "
                f"{' or '.join(KINDS)}, a matcher among {', '.join((*SIMILAR, *DISTANT))}, and fusion 'best'"
            )
        self.kind, self.efforts = kind, KINDS[kind]
        self.effort: int | None = self.efforts[-1]
        self._built: Any = None

    def _hold(self, held: dict[str, NDArray[Any]]) -> None:
        super()._hold(held)
        self._built = None

    def _scan(self, probes: Prepared, kept: int) -> tuple[IntArray, IntArray]:
        if self.effort is None:
            return super()._scan(probes, kept)
        if self._built is None:
            self._built = faiss_index(self.kind, self.matcher.name, self._rows["vectors"])
        if self.kind == "hnsw":
            self._built.hnsw.efSearch = self.effort
        else:
            self._built.nprobe = self.effort
        _, found = self._built.search(probes.rows["vectors"], min(self.templates, kept * self.most))
        owner = np.where(found < 0, -1, self._owner[found])
        people = np.full((len(owner), kept), -1, np.int64)
        for row, owners in enumerate(owner):
            chosen = np.fromiter(dict.fromkeys(owners[owners >= 0].tolist()), np.int64)[:kept]
            people[row, : chosen.size] = chosen
        return people, np.full(len(owner), -1, np.int64)


@dataclass(frozen=True, slots=True)
class IndexLoss:
    """What an index loses at the effort that was chosen, on a sample of searches."""

    kind: str
    effort: int
    sample: int
    agreement: float  # share of searches whose best score is the exact best
    detections: int  # of the exact search
    lost: int  # of these
    exact_a_second: float
    index_a_second: float

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return asdict(self)

    @property
    def message(self) -> Message:
        """In words."""
        return say("gallery.index.loss", **asdict(self))


def measure_loss(
    index: ApproximateIndex | ServerIndex, probes: Vectors, accepts: Callable[[float], bool], *, sample: int = SAMPLE
) -> IndexLoss:
    """Try the efforts on a sample of probes, and leave the index at the one that is chosen."""
    assert index.kind is not None
    rows = np.sort(np.random.default_rng(0).choice(len(probes), min(sample, len(probes)), replace=False))
    chosen, efforts = probes[rows], index.efforts
    exact, exact_rate = _timed(index, None, chosen)
    first = [_best(one) for one in exact]
    detections = [name for name, score in first if name is not None and accepts(score)]
    for effort in efforts:
        found, rate = _timed(index, effort, chosen)
        pairs = list(zip(first, map(_best, found), strict=True))
        near = [np.isclose(a, b, rtol=NEAR, atol=NEAR, equal_nan=True) for (_, a), (_, b) in pairs]
        lost = [a for (who, a), (other, _) in pairs if who is not None and accepts(a) and who != other]
        loss = IndexLoss(
            index.kind, effort, rows.size, float(np.mean(near)), len(detections), len(lost), exact_rate, rate
        )
        if loss.agreement >= AGREES:
            break
    return loss


def _timed(index: ApproximateIndex | ServerIndex, effort: int | None, probes: Vectors) -> tuple[list[Ranked], float]:
    index.effort = effort
    index.search(probes[:1], 1)  # the first builds or loads
    started = time.perf_counter()
    found = index.search(probes, 1)
    return found, len(probes) / max(time.perf_counter() - started, 1e-9)


def _best(ranked: Ranked) -> tuple[str | None, float]:
    return (ranked.names[0], float(ranked.scores[0])) if ranked.names else (None, float("nan"))
