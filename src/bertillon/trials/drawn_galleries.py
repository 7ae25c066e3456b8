"""Searches in galleries of many sizes, drawn from one gallery again and again, each walked through once.

Conventions: a draw is an order of all people of the gallery, by seed; its first N people are a gallery of N, so that
galleries of one draw are nested. `order="ids"` is a single draw in the order of the ids (of whole numbers by value).
Every probe searches as if it were not enrolled: its own person is left out and the next one moves up. A probe with a
mate searches once more as enrolled, among its mate and the first N - 1 others. A probe that met no score at all is a
failed search and is left out. People are dealt at random into `PARTS` groups, which statistics take away in turn.

Holds `draw_galleries`, which takes a plan of comparisons or a matrix of scores, and the `DrawnGalleries` it returns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bertillon.core.arguments import NUMBER, WHOLE, as_floats, require
from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import ScoreMatrix, short_name
from bertillon.counting.error_counts import IntArray
from bertillon.counting.running_best import NOBODY, BestAmong, Block, GalleryOrders, SearchWalk, count_best
from bertillon.io.convert import texts
from bertillon.matching.comparing import Comparing
from bertillon.matching.protocol.pairing import HOW, AllAgainstAll, fuse_by_person
from bertillon.trials.matrices import settled

PARTS = 32  # groups of people
MOST_CELLS = 1 << 28  # numbers that are held of all searches
Order = Literal["drawn", "ids"]
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class DrawnGalleries:
    """What was counted, of the searches that met a score."""

    counted: BestAmong
    person: IntArray  # of each search, as a number
    part: IntArray  # the group of that person
    parts: int
    sizes: tuple[int, ...]
    draws: int
    rule: AcceptRule
    name: str
    people: int  # in the gallery
    templates: float  # of each of them on average, as they are compared
    failed: int


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """Who is compared, and what makes the scores of some rows with some columns."""

    block: Block
    probe: Array  # people
    gallery: Array
    own_cell: IntArray
    rule: AcceptRule
    name: str
    threaded: bool


def draw_galleries(
    source: Comparing | ScoreMatrix,
    sizes: Sequence[int],
    *,
    draws: int = 10,
    order: Order = "drawn",
    seed: int = 0,
    thresholds: Sequence[float] = (),
    rule: AcceptRule | str | None = None,
    fusion: str = "best",
) -> DrawnGalleries:
    """Every search in galleries of these sizes; `rule` and `fusion` are those of a matrix, a plan knows its own.

    At the `thresholds`, in the user's units, comparisons are counted exactly.

    >>> scores = np.array([[0.9, 0.2, 0.4], [0.1, 0.8, 0.3], [0.5, 0.6, 0.7]])
    >>> matrix = ScoreMatrix(scores, np.array(["a", "b", "c"]), np.array(["a", "b", "c"]))
    >>> draw_galleries(matrix, [1, 2], order="ids").counted.others.score[:, 0].tolist()
    [[0.2, 0.1, 0.5], [0.4, 0.3, 0.6]]
    """
    made = _of_plan(source) if isinstance(source, Comparing) else _of_matrix(source, rule, fusion)
    names, number = np.unique(np.concatenate([made.probe, made.gallery]), return_inverse=True)
    probe, gallery = number[: len(made.probe)], number[len(made.probe) :]
    people, owner = np.unique(gallery, return_inverse=True)
    place = np.full(names.size, NOBODY)
    place[people] = np.arange(people.size)
    own = place[probe]
    wanted = _checked(sizes, people.size, enrolled=bool((own != NOBODY).any()), name=made.name)
    draws = _number_of(draws, order)
    if 6 * len(wanted) * draws * own.size > MOST_CELLS:
        raise InputError(
            f"{made.name}: {len(wanted)} gallery sizes with {draws} draws of {own.size:,} searches need too much "
            "memory; ask for fewer draws or sizes"
        )
    position = _positions(names[people], draws, order, seed)
    part = np.random.default_rng([seed, draws]).permutation(names.size) % min(PARTS, names.size)
    walk = SearchWalk(own, owner, made.own_cell, part[people])
    orders, oriented = GalleryOrders(position, wanted), [float(made.rule.orient(t)) for t in thresholds]
    counted = count_best(made.block, walk, orders, thresholds=oriented, threaded=made.threaded)
    chosen = counted.tried
    if not chosen.any():
        raise InputError(f"{made.name}: no search gave a score, so no gallery can be judged; all comparisons failed")
    about = int(part.max(initial=0)) + 1, wanted, draws, made.rule, made.name, people.size, owner.size / people.size
    searching = probe[chosen]
    return DrawnGalleries(counted.of(chosen), searching, part[searching], *about, int((~chosen).sum()))


def _of_plan(plan: Comparing) -> _Source:
    """Tiles of a plan; where templates of a person are fused otherwise than by the best, strips of whole rows."""
    twice = plan.searches_twice  # which refuses a list of pairs
    subject = plan.templates.subject
    probe, gallery, rule = subject[plan.rows], subject[plan.columns], plan.rule
    own_cell = np.arange(plan.rows.size) if twice else np.full(plan.rows.size, NOBODY)
    if plan.fusion != "best" and np.unique(gallery).size < gallery.size:
        return _fused(plan, probe, gallery)

    def block(rows: slice, columns: slice) -> Array:
        return np.asarray(rule.orient(plan.matcher.block(plan.probes[rows], plan.gallery[columns])))

    return _Source(block, probe, gallery, own_cell, rule, plan.name, threaded=True)


def _fused(plan: Comparing, probe: Array, gallery: Array) -> _Source:
    people, meets_itself = np.unique(gallery), isinstance(plan.pairing, AllAgainstAll)
    kept: dict[int, Array] = {}

    def block(rows: slice, columns: slice) -> Array:
        if rows.start not in kept:
            scores = plan.matcher.block(plan.probes[rows], plan.gallery)
            if meets_itself:
                scores[np.arange(len(scores)), np.arange(rows.start, rows.stop)] = np.nan
            kept.clear()
            kept[rows.start] = plan.rule.orient(fuse_by_person(scores, gallery, how=plan.fusion, rule=plan.rule)[0])
        return kept[rows.start][: rows.stop - rows.start, columns]

    nobody = np.full(plan.rows.size, NOBODY)
    return _Source(block, probe, people, nobody, plan.rule, plan.name, threaded=False)


def _of_matrix(matrix: ScoreMatrix, rule: AcceptRule | str | None, fusion: str) -> _Source:
    if fusion not in HOW:
        raise InputError(f"fusion is {fusion!r}; expected {', '.join(HOW)}")
    if matrix.mated is not None or not (len(matrix.probe_subject) and len(matrix.reference_subject)):
        problem = f"{matrix.source}: nothing says who the rows and columns are of"
        raise InputError(f"{problem}; gallery sizes need the subjects of both, not a mask of mated cells")
    held = settled(matrix).matrix
    direction = AcceptRule.of(rule or matrix.rule or AcceptRule.SIMILARITY)
    scores, gallery = np.asarray(held.scores), held.reference_subject
    if held.ignored is not None:
        scores = np.where(held.ignored, np.nan, scores)
    if fusion != "best" and np.unique(gallery).size < gallery.size:
        scores, gallery = fuse_by_person(scores, gallery, how=fusion, rule=direction)
    oriented = np.asarray(direction.orient(scores if scores.dtype.kind == "f" else scores.astype(np.float64)))
    nobody = np.full(len(scores), NOBODY)

    def block(rows: slice, columns: slice) -> Array:
        return oriented[rows, columns]

    return _Source(block, held.probe_subject, gallery, nobody, direction, short_name(matrix.source), threaded=True)


def _checked(sizes: Sequence[int], people: int, *, enrolled: bool, name: str) -> tuple[int, ...]:
    """Sizes in ascending order, each once, none larger than the gallery has others."""
    numbers = as_floats(sizes, "gallery sizes", "whole numbers from 1, such as [10, 100, 1000]").tolist()
    for size in sizes:
        require(size, NUMBER, "a gallery size", "a whole number from 1, such as 100")
    sizes = numbers
    if not len(sizes):
        raise InputError("no gallery size is given; expected whole numbers from 1, such as 10, 100, 1000")
    for size in sizes:
        if not math.isfinite(size) or int(size) != size or size < 1:
            raise InputError(f"gallery size {size:g}: expected a whole number, 1 or more")
    most, largest = people - enrolled, int(max(sizes))
    if most < 1:
        raise InputError(f"{name}: {people:,} person in the gallery; expected two or more to draw galleries from")
    if largest > most:
        own = ": a search leaves its own person out" if enrolled else ""
        problem = f"{name}: gallery size {largest:,}, and the gallery has {people:,} people"
        raise InputError(
            f"{problem}; expected at most {most:,}{own}. Larger ones can only be extrapolated (--extrapolate)"
        )
    return tuple(sorted({int(size) for size in sizes}))


def _number_of(draws: int, order: str) -> int:
    if order not in ("drawn", "ids"):
        raise InputError(f"order is {order!r}; expected drawn or ids")
    require(draws, WHOLE, "draws", "a whole number, 1 or more")
    if draws < 1:
        raise InputError(f"{draws} draws of galleries; expected 1 or more")
    return 1 if order == "ids" else int(draws)


def _positions(people: Array, draws: int, order: str, seed: int) -> IntArray:
    """Where everybody stands in each draw."""
    if order == "drawn":
        streams = (np.random.default_rng([seed, number]) for number in range(draws))
        return np.stack([rng.permutation(people.size) for rng in streams]).astype(np.int64)
    names = texts(people)
    plain = all(name.isascii() and name.isdigit() for name in names.tolist())
    ranked = np.argsort(np.argsort(names.astype(np.int64) if plain else names, kind="stable"))
    return ranked[None].astype(np.int64)
