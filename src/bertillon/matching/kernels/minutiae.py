"""Loops that lay one set of minutiae over another.

Conventions: those of the package. The points of a set are sorted by x. Each two points of a set make an edge: its
length, its direction, and the angles of both minutiae seen from that direction, none of which but the direction
changes when the set is moved or turned. Edges are sorted by length; angles lie in [0, 2 pi).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.engine.compiling import compiled

Array = NDArray[Any]
Set = tuple[Array, Array, Array]  # points, edges, and the two points that each edge joins
Motion = tuple[float, float, float, float, float]  # turn, its cosine and sine, shift along x and y

TURN = 2.0 * np.pi
LENGTH, DIRECTION, FIRST_ANGLE, SECOND_ANGLE = 0, 1, 2, 3  # the columns of an edge
MAP_CELLS = 128  # along each side, at most
SLACK = 1e-3  # pixels, and radians: what lies at a tolerance lies within it, whatever was rounded


@compiled()
def edges_of(points: Array, edges: Array, ends: Array) -> None:
    """Fill the edges of one set, in no order, and the two points each joins."""
    edge = 0
    for i in range(points.shape[0]):
        for j in range(i + 1, points.shape[0]):
            dx, dy = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1]
            direction = np.arctan2(dy, dx) if dx != 0.0 or dy != 0.0 else points[i, 2]
            edges[edge, LENGTH] = np.hypot(dx, dy)
            edges[edge, DIRECTION] = direction % TURN
            edges[edge, FIRST_ANGLE] = (points[i, 2] - direction) % TURN
            edges[edge, SECOND_ANGLE] = (points[j, 2] - direction) % TURN
            ends[edge, 0], ends[edge, 1] = i, j
            edge += 1


@compiled()
def _apart(a: float, b: float) -> float:
    """The angle between two directions."""
    difference = abs(a - b)
    return min(difference, TURN - difference)


@compiled()
def _first_at_least(values: Array, bound: float) -> int:
    """The first row whose first column, in ascending order, is not below the bound."""
    low, high = 0, values.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if values[middle, 0] < bound:
            low = middle + 1
        else:
            high = middle
    return low


@compiled()
def map_of(points: Array, distance: float, angle: float) -> tuple[Array, float, float, float]:
    """A coarse map of where, and in which direction, a point would have a neighbour; its origin and size of cell."""
    low_x, low_y = points[:, 0].min() - distance, points[:, 1].min() - distance
    width, height = points[:, 0].max() + distance - low_x, points[:, 1].max() + distance - low_y
    cell = max(distance, width / MAP_CELLS, height / MAP_CELLS)
    sectors = max(1, int(TURN / angle))
    ground = np.zeros((int(width / cell) + 1, int(height / cell) + 1, sectors), np.uint8)
    for i in range(points.shape[0]):
        x, y = int((points[i, 0] - low_x) / cell), int((points[i, 1] - low_y) / cell)
        sector = int(points[i, 2] * sectors / TURN)
        for u in range(max(x - 1, 0), min(x + 2, ground.shape[0])):
            for v in range(max(y - 1, 0), min(y + 2, ground.shape[1])):
                for w in range(-1, 2):
                    ground[u, v, (sector + w) % sectors] = 1
    return ground, low_x, low_y, cell


@compiled()
def _may_reach(a: Array, motion: Motion, chart: tuple[Array, float, float, float], best: int) -> bool:
    """Could more than `best` points of `a`, once moved, have a neighbour? Most alignments end here."""
    turn, cosine, sine, shift_x, shift_y = motion
    ground, low_x, low_y, cell = chart
    cosine, sine = cosine / cell, sine / cell
    origin_x, origin_y = (shift_x - low_x) / cell, (shift_y - low_y) / cell
    sectors = ground.shape[2]
    scale = sectors / TURN
    reached = 0
    for i in range(a.shape[0]):
        x = cosine * a[i, 0] - sine * a[i, 1] + origin_x
        y = sine * a[i, 0] + cosine * a[i, 1] + origin_y
        if 0.0 <= x < ground.shape[0] and 0.0 <= y < ground.shape[1]:
            reached += ground[int(x), int(y), int((a[i, 2] + turn) * scale) % sectors]
    return reached > best


@compiled()
def _neighbours(
    a: Array, b: Array, motion: Motion, near: tuple[float, float], best: int, links: Array, count: Array
) -> int:
    """Which points of `b` each point of `a` may be paired with once it is moved; how many have any.

    Gives up, with 0, as soon as `best` cannot be exceeded.
    """
    turn, cosine, sine, shift_x, shift_y = motion
    distance, angle = near
    reached = 0
    for i in range(a.shape[0]):
        x = cosine * a[i, 0] - sine * a[i, 1] + shift_x
        y = sine * a[i, 0] + cosine * a[i, 1] + shift_y
        direction = a[i, 2] + turn
        direction -= TURN if direction >= TURN else 0.0
        count[i] = 0
        for j in range(_first_at_least(b, x - distance), b.shape[0]):
            dx, dy = b[j, 0] - x, b[j, 1] - y
            if dx > distance:
                break
            if dx * dx + dy * dy <= distance * distance and _apart(b[j, 2], direction) <= angle:
                links[i, count[i]] = j
                count[i] += 1
        reached += 1 if count[i] else 0
        if reached + a.shape[0] - 1 - i <= best:
            return 0
    return reached


@compiled()
def _augment(start: int, links: Array, count: Array, mate: Array, came: Array, queue: Array) -> bool:
    """Pair one more point of `a`, letting others change partners; mate[j] is the point of `a` paired with j."""
    came[:] = -1
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        for link in range(count[i]):
            j = links[i, link]
            if came[j] >= 0:
                continue
            came[j] = i
            if mate[j] >= 0:
                queue[tail] = mate[j]
                tail += 1
                continue
            while j >= 0:  # walk back, handing each point the partner found for it
                i = came[j]
                previous = -1
                for other in range(mate.size):
                    if mate[other] == i:
                        previous = other
                mate[j] = i
                j = previous
            return True
    return False


@compiled()
def _most_pairs(n: int, links: Array, count: Array, mate: Array, came: Array, queue: Array) -> int:
    """The largest number of one-to-one pairs."""
    mate[:] = -1
    pairs = 0
    for i in range(n):
        if count[i] and _augment(i, links, count, mate, came, queue):
            pairs += 1
    return pairs


@compiled()
def _motion(a: Array, b: Array, i: int, j: int, k: int, m: int, turn: float) -> Motion:
    """The turn, and the shift that lays the middle of points i and j of `a` on that of k and m of `b`."""
    cosine, sine = np.cos(turn), np.sin(turn)
    ax, ay = 0.5 * (a[i, 0] + a[j, 0]), 0.5 * (a[i, 1] + a[j, 1])
    bx, by = 0.5 * (b[k, 0] + b[m, 0]), 0.5 * (b[k, 1] + b[m, 1])
    return turn, cosine, sine, bx - cosine * ax + sine * ay, by - sine * ax - cosine * ay


@compiled()
def most_matched(probe: Set, other: Set, near: tuple[float, float], chart: tuple[Array, float, float, float]) -> int:
    """The largest number of pairs over all alignments that lay an edge of one set on an alike edge of the other."""
    (a, a_edges, a_ends), (b, b_edges, b_ends) = probe, other
    distance, angle = near
    links, count = np.empty((a.shape[0], b.shape[0]), np.int64), np.zeros(a.shape[0], np.int64)
    mate, came = np.empty(b.shape[0], np.int64), np.empty(b.shape[0], np.int64)
    queue = np.empty(a.shape[0] + 1, np.int64)
    most, best = min(a.shape[0], b.shape[0]), 0
    for p in range(a_edges.shape[0] - 1, -1, -1):  # the longest first: their direction is known best
        length, direction, first, second = a_edges[p]
        for q in range(_first_at_least(b_edges, length - distance), b_edges.shape[0]):
            if b_edges[q, LENGTH] > length + distance:
                break
            for swapped in range(2):  # seen from its other end an edge points the other way: half a turn more
                k, m = swapped, 1 - swapped
                if abs(_apart(b_edges[q, FIRST_ANGLE + k], first) - np.pi * swapped) > angle:
                    continue
                if abs(_apart(b_edges[q, FIRST_ANGLE + m], second) - np.pi * swapped) > angle:
                    continue
                turn = (b_edges[q, DIRECTION] + np.pi * swapped - direction) % TURN
                motion = _motion(a, b, a_ends[p, 0], a_ends[p, 1], b_ends[q, k], b_ends[q, m], turn)
                if not _may_reach(a, motion, chart, best):
                    continue
                if _neighbours(a, b, motion, near, best, links, count) > best:
                    best = max(best, _most_pairs(a.shape[0], links, count, mate, came, queue))
                if best == most:
                    return best
    return best


@compiled()
def similarities(a: tuple[Array, ...], b: tuple[Array, ...], distance: float, angle: float, out: Array) -> None:
    """Matched pairs squared over the product of the sizes; NaN where a set has fewer than two points.

    `a` and `b` are points, edges, ends, and by template: start and size of its points, start and size of its edges.
    """
    near = (distance + SLACK, angle + SLACK)
    for j in range(b[4].size):
        q, m, f = b[3][j], b[4][j], b[5][j]
        if m < 2:
            out[:, j] = np.nan
            continue
        other = b[0][q : q + m], b[1][f : f + b[6][j]], b[2][f : f + b[6][j]]
        chart = map_of(other[0], near[0], near[1])
        for i in range(a[4].size):
            p, n, e = a[3][i], a[4][i], a[5][i]
            if n < 2:
                out[i, j] = np.nan
                continue
            probe = a[0][p : p + n], a[1][e : e + a[6][i]], a[2][e : e + a[6][i]]
            pairs = most_matched(probe, other, near, chart)
            out[i, j] = pairs * pairs / (n * m)
