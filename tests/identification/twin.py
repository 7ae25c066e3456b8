"""Searches and every measure of them once more, by plain loops over cells, to hold the fast ones against.

Conventions: a `Twin` holds one `Search` a search, with oriented scores: the mate's (None where it is no candidate) and
those of all other people who are candidates. Rates are fractions of counts made at each threshold anew. The threshold
that rejects all is NaN: nothing is greater or equal, not even an infinite score.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass
class Search:
    enrolled: bool
    mate: float | None
    others: list[float]
    precision: float = math.nan

    @property
    def top(self) -> float:
        return max([*self.others, *([] if self.mate is None else [self.mate])], default=math.nan)

    def rank(self, ties: str) -> float:
        if self.mate is None:
            return math.inf
        better = sum(other > self.mate for other in self.others)
        equal = sum(other == self.mate for other in self.others)
        return 1 + better + {"pessimistic": equal, "optimistic": 0, "mean": equal / 2}[ties]


@dataclass
class Twin:
    searches: list[Search]
    failed_enrolled: int
    failed_nonenrolled: int
    gallery: int

    @property
    def enrolled(self) -> list[Search]:
        return [s for s in self.searches if s.enrolled]

    @property
    def nonenrolled(self) -> list[Search]:
        return [s for s in self.searches if not s.enrolled]

    @property
    def thresholds(self) -> list[float]:
        scores = {s.top for s in self.searches} | {s.mate for s in self.enrolled if s.mate is not None}
        return [*sorted(score for score in scores if not math.isnan(score)), math.nan]

    def fpir(self, t: float) -> Fraction:
        return Fraction(sum(s.top >= t for s in self.nonenrolled), len(self.nonenrolled))

    def dir(self, t: float, k: float, ties: str = "pessimistic", by: str = "mate") -> Fraction:
        detected = 0
        for s in self.enrolled:
            if s.mate is not None and s.rank(ties) <= k:
                detected += (s.mate if by == "mate" else s.top) >= t
        return Fraction(detected, len(self.enrolled))

    def missed(self, t: float) -> Fraction:
        return Fraction(sum(not s.top >= t for s in self.enrolled), len(self.enrolled))

    def sel(self, t: float) -> Fraction:
        return Fraction(sum(o >= t for s in self.nonenrolled for o in s.others), len(self.nonenrolled))

    def at_fpir(self, x: float) -> float:
        """The most permissive threshold with FPIR at most x."""
        return next(t for t in self.thresholds if float(self.fpir(t)) <= x)

    def at_dir(self, y: float, k: int, ties: str = "pessimistic", by: str = "mate") -> float | None:
        """The strictest threshold with DIR at least y."""
        return next((t for t in reversed(self.thresholds) if float(self.dir(t, k, ties, by)) >= y), None)

    def cms(self, k: float, ties: str) -> Fraction:
        return Fraction(sum(s.rank(ties) <= k for s in self.enrolled), len(self.enrolled))

    def eer(self, ties: str) -> float:
        """Where the broken line through (FPIR, 1 - DIR) at all thresholds has both equal."""
        points = [(self.fpir(t), 1 - self.dir(t, 1, ties)) for t in self.thresholds]
        if points[0][0] < points[0][1]:
            return math.nan
        before = max(i for i, (fp, fn) in enumerate(points) if fp >= fn)
        (fp, fn), (fp2, fn2) = points[before], points[min(before + 1, len(points) - 1)]
        gap, gap2 = fp - fn, fp2 - fn2
        return float(fp) if gap == 0 else float(fp + (fp2 - fp) * gap / (gap - gap2))

    def nearest_eer(self, ties: str) -> float:
        if math.isnan(self.eer(ties)):
            return math.nan
        points = [(self.fpir(t), 1 - self.dir(t, 1, ties)) for t in self.thresholds]
        return float(min((abs(fp - fn), fp + fn) for fp, fn in points)[1] / 2)

    def area(self, ties: str) -> float:
        """Wins of enrolled searches at rank 1 over non-enrolled ones, pair by pair, ties half."""
        won = Fraction(0)
        for s in self.enrolled:
            if s.mate is not None and s.rank(ties) <= 1:
                for n in self.nonenrolled:
                    won += Fraction(1, 2) if s.mate == n.top else Fraction(not n.top > s.mate)
        return float(won / (len(self.enrolled) * len(self.nonenrolled)))

    def mean_rank(self, ties: str, middle: Callable[[list[float]], float]) -> float:
        value = middle([s.rank(ties) for s in self.enrolled])
        return value if math.isfinite(value) else math.nan

    def mrr(self, ties: str) -> float:
        return statistics.fmean(1 / s.rank(ties) for s in self.enrolled)


def fused(scores: Sequence[float], how: str, sign: int) -> float | None:
    """One oriented score of the raw scores of a person's templates; None where none is left."""
    there = [score for score in scores if not math.isnan(score)]
    if not there:
        return None
    if how in ("best", "none"):
        return max(sign * score for score in there)
    if how == "mean":
        mean = sum(there) / len(there)
        return None if math.isnan(mean) else sign * mean  # inf and -inf have no mean
    return sign * {"max": max, "min": min}[how](there)


def searches_by_loops(
    matrix: Sequence[Sequence[float]],
    probes: Sequence[str],
    gallery: Sequence[str],
    *,
    sign: int = 1,
    fusion: str = "best",
    all_against_all: bool = False,
) -> Twin:
    """One search a probe; all against all, two."""
    people = sorted(set(gallery))
    twin = Twin([], 0, 0, max(len(gallery) - all_against_all, 0) if fusion == "none" else len(people))
    parts = (True, False) if all_against_all else (True,)
    for as_enrolled in parts:
        for i, person in enumerate(probes):
            used = [j for j in range(len(gallery)) if not (all_against_all and i == j)]
            own = [j for j in used if gallery[j] == person]
            others = [j for j in used if gallery[j] != person]
            if all_against_all and as_enrolled and not own:
                continue
            if all_against_all and not as_enrolled:
                own = []
                if len(people) == 1:
                    continue
            search = _search(matrix[i], own, others, gallery, sign, fusion)
            if search.mate is None and not search.others:
                twin.failed_enrolled += search.enrolled
                twin.failed_nonenrolled += not search.enrolled
            else:
                twin.searches.append(search)
    return twin


def _search(row: Sequence[float], own: list[int], others: list[int], gallery, sign: int, fusion: str) -> Search:
    groups = (
        [[j] for j in others]
        if fusion == "none"
        else [[j for j in others if gallery[j] == person] for person in sorted({gallery[j] for j in others})]
    )
    scores = [fused([row[j] for j in group], fusion, sign) for group in groups]
    mate = fused([row[j] for j in own], fusion, sign)
    precision = math.nan
    if own:
        returned = [(sign * row[j], 1) for j in own if not math.isnan(row[j])]
        returned += [(sign * row[j], 0) for j in others if not math.isnan(row[j])]
        returned.sort(key=lambda item: (-item[0], item[1]))  # others first among equals
        hits, precision = 0, 0.0
        for place, (_, is_own) in enumerate(returned, start=1):
            hits += is_own
            precision += is_own * hits / place
        precision /= len(own)
    return Search(bool(own), mate, [score for score in scores if score is not None], precision)
