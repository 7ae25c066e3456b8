"""Everybody enrolled, in memory: a probe against one person, and against all at the speed of a product of matrices.

Conventions: the templates of a person stand together, so that one pass over the products of a probe keeps the best
people, and how unlike the least alike one is. This pass ranks by what needs no root (twice the product less the square
for distances); the scores of the few people that are answered are then computed by the matcher itself, as they were in
the evaluation that the policy comes from. Products are in single precision: where the last people kept are apart from
those asked for by no more than rounding, the matcher compares the probe with everybody. Scores are fused over the
templates of a person: the best, or the mean; pooled templates are averaged when they are read, and are one.

A claim compares with as many templates whoever is claimed, also with somebody who is not enrolled: those of a person
are repeated up to the most that anybody has, and a person who is not there is stood in for by one who is.

Holds `Index` with the `Ranked` people of a probe.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.tables import TemplateTable
from bertillon.engine.compiling import compiled_late
from bertillon.engine.workers import available_cores, run_workers
from bertillon.matching import Matcher
from bertillon.matching.base import Prepared
from bertillon.matching.vectors import Cosine, Euclidean

Vectors = NDArray[np.float32]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
SPARE = 8  # people kept beyond those asked for, whose order rounding may change
CELLS, CHUNKS = 1 << 19, (8192, 1 << 17)  # scores made at a time, so that they stay in cache; of how many templates
SMALL = 200_000  # comparisons that no second thread is started for
OWNER, ROW, RAW = "# person", "# row", "# raw"  # beside what a matcher keeps of each template
EXACT, PRODUCT, TWICE, ROOTED = range(4)  # what is ranked: the matcher's score, a product, 2 x it - square, - root
STRIP = 256  # scores looked at together
ROUNDING = float(np.finfo(np.float32).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The people most alike to a probe, best first, and the score of the least alike of all."""

    people: IntArray  # by number
    scores: FloatArray
    worst: float  # NaN where it was not looked for
    names: tuple[str, ...] = ()


NOBODY = Ranked(np.empty(0, np.int64), np.empty(0), float("nan"))


class Index:
    """Templates made ready for a matcher, by person."""

    def __init__(self, matcher: Matcher, fusion: str) -> None:
        self.matcher, self.fusion = matcher, fusion
        self.people: list[str] = []
        self.number: dict[str, int] = {}
        self._rows: dict[str, NDArray[Any]] = {}
        self._shape: Prepared | None = None  # width and type of what is held
        self._owner: IntArray = np.empty(0, np.int64)
        self._starts: IntArray = np.zeros(1, np.int64)
        self.row_numbers: IntArray = np.empty(0, np.int64)  # in the store, one a template
        self._raw: Vectors | None = None  # kept where templates are pooled
        self._squares = self._nothing = np.empty(0, np.float32)  # what is taken from products, one a template
        self._longest = 0.0  # the greatest square of a template

    def __len__(self) -> int:
        return len(self.people)

    @property
    def templates(self) -> int:
        """How many templates are held."""
        return int(self.row_numbers.size)

    def counts(self) -> dict[str, int]:
        """Everybody, with the number of their templates."""
        number = np.bincount(self._owner, minlength=len(self.people)).tolist()
        return dict(zip(self.people, number, strict=True))

    def add(self, rows: IntArray, people: Sequence[str], vectors: Vectors) -> None:
        """Further templates, those of one person next to each other."""
        for person in people:
            if person not in self.number:
                self.number[person] = len(self.people)
                self.people.append(person)
        owner = np.fromiter((self.number[person] for person in people), np.int64, len(people))
        known: dict[str, NDArray[Any]] = {OWNER: self._owner, ROW: self.row_numbers}
        content = self._raw if self.fusion == "pooled" else None
        if self.fusion != "pooled":
            prepared = prepare(self.matcher, vectors)
            known, new = known | self._rows, {OWNER: owner, ROW: rows, **prepared.rows}
            self._shape = prepared
        else:
            known, new = (
                known | ({} if content is None else {RAW: content}),
                {OWNER: owner, ROW: rows, RAW: vectors},
            )
        joined = {name: np.concatenate([known[name], more]) if self.templates else more for name, more in new.items()}
        if (np.diff(joined[OWNER]) < 0).any():
            order = np.argsort(joined[OWNER], kind="stable")
            joined = {name: values[order] for name, values in joined.items()}
        self._hold(joined)

    def remove(self, rows: Sequence[int]) -> None:
        """Templates that are no longer enrolled; what was held of them is overwritten."""
        kept = ~np.isin(self.row_numbers, np.asarray(rows, np.int64))
        content = self._rows if self._raw is None else {RAW: self._raw}
        joined = {
            name: values[kept] for name, values in ({OWNER: self._owner, ROW: self.row_numbers} | content).items()
        }
        for values in content.values():
            if values.flags.writeable:
                values[~kept] = 0
        numbers, owner = np.unique(joined[OWNER], return_inverse=True)
        self.people = [self.people[number] for number in numbers]
        self.number = {person: number for number, person in enumerate(self.people)}
        self._hold(joined | {OWNER: owner.astype(np.int64)})

    def _hold(self, held: dict[str, NDArray[Any]]) -> None:
        self._owner, self.row_numbers = held.pop(OWNER), held.pop(ROW)
        self._starts = np.searchsorted(self._owner, np.arange(len(self.people) + 1)).astype(np.int64)
        if self.fusion == "pooled":
            self._raw, held = held[RAW], {}
            if self.templates:
                sums = np.add.reduceat(self._raw.astype(np.float64), self._starts[:-1], axis=0)
                self._shape = prepare(self.matcher, (sums / np.diff(self._starts)[:, None]).astype(np.float32))
                self._starts, held = np.arange(len(self.people) + 1), dict(self._shape.rows)
        self._rows = held
        self._squares = held.get("squares", np.empty(0)).astype(np.float32)
        self._longest = float(self._squares.max(initial=0.0)) if "squares" in held else 1.0
        self._nothing = np.zeros(self.templates, np.float32)

    @property
    def most(self) -> int:
        """The most templates that anybody has, as they are compared."""
        return int(np.diff(self._starts).max(initial=0))

    def enrolled(self, people: Sequence[str]) -> set[str]:
        """Which of them are enrolled."""
        return {person for person in people if person in self.number}

    def claim(self, person: str, probe: Vectors, *, most: int | None = None) -> tuple[float, bool, int]:
        """The score with the person claimed, whether there is such a person, and how many comparisons were made."""
        number = self.number.get(person)
        stand_in = int.from_bytes(hashlib.sha256(person.encode()).digest()[:8], "big") % max(1, len(self))
        if not len(self):
            return float("nan"), False, 0
        chosen = stand_in if number is None else number
        rows = np.resize(np.arange(self._starts[chosen], self._starts[chosen + 1]), most or self.most)
        scores = self.matcher.block(prepare(self.matcher, probe[None, :]), self._held(rows))[0]
        own = scores[: self._starts[chosen + 1] - self._starts[chosen]]
        return (
            float(_fused(self.matcher.rule.orient(own), self.fusion) * self.matcher.rule.factor),
            number is not None,
            rows.size,
        )

    def search(self, probes: Vectors, best: int) -> list[Ranked]:
        """The `best` people for each probe."""
        if not len(self):
            return [NOBODY] * len(probes)
        ready = prepare(self.matcher, probes)
        people, worst = self._scan(ready, min(len(self), best + SPARE))
        return [self.scored(ready[row : row + 1], people[row], int(worst[row]), best) for row in range(len(probes))]

    def _held(self, rows: IntArray | slice) -> Prepared:
        assert self._shape is not None
        return _taken(replace(self._shape, rows=self._rows), rows)

    def scored(self, probe: Prepared, people: IntArray, worst: int, best: int) -> Ranked:
        """The people of a pass in the order of the matcher's own scores, ties in the order of enrolment."""
        people = people[people >= 0]
        chosen = people if worst < 0 else np.append(people, worst)
        if not chosen.size:
            return NOBODY
        spans = [np.arange(self._starts[number], self._starts[number + 1]) for number in chosen]
        scores = self.matcher.rule.orient(self.matcher.block(probe, self._held(np.concatenate(spans)))[0])
        ends = np.cumsum([0, *map(len, spans)])
        fused = np.array([_fused(scores[a:b], self.fusion) for a, b in pairwise(ends)])
        order = np.lexsort((people, -fused[: people.size]))[:best]
        factor = self.matcher.rule.factor
        least = float("nan") if worst < 0 else float(fused[-1] * factor)
        names = tuple(self.people[number] for number in people[order])
        return Ranked(people[order], fused[order] * factor, least, names)

    def _scan(self, probes: Prepared, kept: int) -> tuple[IntArray, IntArray]:
        """Which people may be the best for each probe, and who is the least alike."""
        kind = self._kind()
        found = self._walk(probes, kept, kind)
        unsure = np.flatnonzero(self._blurred(probes, found.best, kind))
        if unsure.size:
            again = self._walk(_taken(probes, unsure), kept, EXACT)
            found.people[unsure], found.worst[unsure] = again.people, again.worst
        return found.people, found.worst

    def _blurred(self, probes: Prepared, best: FloatArray, kind: int) -> NDArray[np.bool_]:
        """For which probes rounding may have cost somebody a place among those asked for."""
        if kind == EXACT or best.shape[1] >= len(self):
            return np.zeros(len(best), dtype=np.bool_)
        squares = 1.0 if kind == PRODUCT else probes.rows["squares"] + self._longest
        error = (8.0 + 2.0 * math.sqrt(probes.width)) * ROUNDING * squares
        error = np.sqrt(error) if kind == ROOTED else error
        return ~(best[:, -1 - SPARE] - best[:, -1] > 2.0 * error)

    def _walk(self, probes: Prepared, kept: int, kind: int) -> _Found:
        """Everybody, in pieces, on threads."""
        borders = self._borders(len(probes))
        squares = self._rows["squares"] if kind in (TWICE, ROOTED) else np.empty(0)
        own = probes.rows["squares"] if kind == ROOTED else np.empty(0)

        def work(found: _Found, piece: int) -> None:
            first, last = borders[piece], borders[piece + 1]
            rows = slice(int(self._starts[first]), int(self._starts[last]))
            block = self._values(probes, rows, kind)
            if kind != ROOTED and last - first == block.shape[1]:  # nobody has two templates
                factor, less = (2.0, self._squares[rows]) if kind == TWICE else (1.0, self._nothing[rows])
                compiled_late(_keep_best_alone)(block, np.float32(factor), less, first, *found.arrays)
                return
            starts = self._starts[first : last + 1] - self._starts[first]
            mean = self.fusion == "mean"
            compiled_late(_keep_best)(block, squares[rows], own, kind, starts, first, mean, *found.arrays)

        if len(probes) * self.templates <= SMALL or available_cores() == 1:
            workers = [_Found(len(probes), kept)]
            for piece in range(len(borders) - 1):
                work(workers[0], piece)
        else:
            workers = run_workers(work, len(borders) - 1, lambda: _Found(len(probes), kept))
        return _merged(workers, kept)

    def _borders(self, probes: int) -> list[int]:
        """Cuts between people, about as many templates in each piece."""
        step = int(np.clip(CELLS // probes, *CHUNKS))
        wanted = np.arange(0, int(self._starts[-1]) + step, step)
        cuts = np.unique(np.searchsorted(self._starts, wanted).clip(0, len(self)))
        return [int(cut) for cut in cuts]

    def _kind(self) -> int:
        if isinstance(self.matcher, Euclidean):
            return ROOTED if self.fusion == "mean" and not self.matcher.squared else TWICE
        return PRODUCT if isinstance(self.matcher, Cosine) else EXACT

    def _values(self, probes: Prepared, rows: slice, kind: int) -> NDArray[Any]:
        if kind != EXACT:
            return np.asarray(probes.rows["vectors"] @ self._rows["vectors"][rows].T)
        return self.matcher.rule.orient(self.matcher.block(probes, self._held(rows)))


def prepare(matcher: Matcher, vectors: Vectors) -> Prepared:
    """Vectors made ready, which were checked when they came in; in single precision however few they are."""
    nobody = np.zeros(len(vectors), dtype="U1")
    made = matcher._prepare(TemplateTable(vectors, nobody, nobody))
    rows = {**made.rows, "vectors": np.ascontiguousarray(made.rows["vectors"], dtype=np.float32)}
    return replace(made, rows=rows, dtype=np.dtype(np.float32), notes=())


def require_usable(matcher: Matcher) -> None:
    """Refuse a matcher of which a gallery cannot be made."""
    if "vector" not in matcher.kinds:
        raise InputError(
            f"a gallery holds vectors, and {matcher.name} compares templates of kind {' or '.join(matcher.kinds)}"
        )
    if not matcher.symmetric:
        raise InputError(f"{matcher.words} depends on who else is enrolled; a gallery needs one that does not")


def comparable(matcher: Matcher, vectors: Vectors, what: str) -> Vectors:
    """The vectors, if the matcher has a score for each; to a correlation one whose numbers are all equal has none."""
    without = ~np.asarray(np.isfinite(prepare(matcher, vectors).rows["vectors"])).all(axis=1)
    if without.any():
        found = f"{int(without.sum()):,} of {len(vectors):,} templates cannot be compared by the matcher {matcher.name}"
        raise InputError(f"{what}: {found} (the first is number {int(np.argmax(without)) + 1}); take the sample again")
    return vectors


def _fused(oriented: NDArray[Any], fusion: str) -> float:
    return float(oriented.mean(dtype=np.float64) if fusion == "mean" else oriented.max())


class _Found:
    """The best people a worker has seen for each probe, and the least alike."""

    def __init__(self, probes: int, kept: int) -> None:
        self.best = np.full((probes, kept), -np.inf)
        self.people = np.full((probes, kept), -1, np.int64)
        self.low, self.worst = np.full(probes, np.inf), np.zeros(probes, np.int64)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.best, self.people, self.low, self.worst


def _taken(prepared: Prepared, rows: IntArray | slice) -> Prepared:
    """Some of the templates."""
    some = {name: values[rows] for name, values in prepared.rows.items()}
    return Prepared(some, prepared.width, prepared.dtype, prepared.shared)


def _merged(found: Sequence[_Found], kept: int) -> _Found:
    """What all workers have seen."""
    best, people = (np.hstack([getattr(one, name) for one in found]) for name in ("best", "people"))
    order = np.lexsort((people, -best))[:, :kept]
    low = np.stack([one.low for one in found])
    worst = np.stack([one.worst for one in found])[np.argmin(low, axis=0), np.arange(low.shape[1])]
    whole = _Found(len(best), 0)
    whole.best, whole.people = (np.take_along_axis(each, order, axis=1) for each in (best, people))
    whole.low, whole.worst = low.min(axis=0), worst
    return whole


def _keep_best_alone(  # type: ignore[no-untyped-def]
    block, factor, less, first, best, people, low, worst
) -> None:
    """Go over factor x product - less once, where everybody has one template; compiled.

    Strips in which nobody is among the best, nor the least alike, are only compared with these two, many at a time.
    """
    kept, ends = best.shape[1], np.empty(2, block.dtype)
    for i in range(block.shape[0]):
        ends[0], ends[1] = best[i, kept - 1], low[i]
        for start in range(0, block.shape[1], STRIP):
            stop = min(start + STRIP, block.shape[1])
            limit, least, outside = ends[0], ends[1], 0
            for j in range(start, stop):
                value = factor * block[i, j] - less[j]
                outside += (value > limit) | (value < least)
            if not outside:
                continue
            for j in range(start, stop):
                value = factor * block[i, j] - less[j]
                if -np.inf < value < ends[1]:  # and not where it is NaN
                    ends[1], low[i], worst[i] = value, value, first + j
                if value > ends[0]:
                    place = kept - 1
                    while place > 0 and best[i, place - 1] < value:
                        best[i, place], people[i, place] = best[i, place - 1], people[i, place - 1]
                        place -= 1
                    best[i, place], people[i, place] = value, first + j
                    ends[0] = best[i, kept - 1]


def _keep_best(  # type: ignore[no-untyped-def]
    block, squares, own, kind, starts, first, mean, best, people, low, worst
) -> None:
    """Go over the products of probes and templates once, by person; compiled."""
    kept = best.shape[1]
    for i in range(block.shape[0]):
        limit = best[i, kept - 1]
        least, least_at = low[i], worst[i]
        for person in range(starts.size - 1):
            value, total = -np.inf, 0.0
            for j in range(starts[person], starts[person + 1]):
                score = np.float64(block[i, j])
                if kind == TWICE:
                    score = 2.0 * score - squares[j]
                elif kind == ROOTED:
                    score = -np.sqrt(max(0.0, own[i] + squares[j] - 2.0 * score))
                value = max(value, score)
                total += score
            if mean:
                value = total / (starts[person + 1] - starts[person])
            if -np.inf < value < least:  # and there is a score
                least, least_at = value, first + person
            if value > limit:
                place = kept - 1
                while place > 0 and best[i, place - 1] < value:
                    best[i, place], people[i, place] = best[i, place - 1], people[i, place - 1]
                    place -= 1
                best[i, place], people[i, place] = value, first + person
                limit = best[i, kept - 1]
        low[i], worst[i] = least, least_at
