"""Every measure a second time, in the plainest way: loops over lists, whole numbers and fractions.

Nothing here is shared with bertillon but `ScoreSet`, from which the lists are taken. Scores stay in the user's units:
a similarity is accepted when score >= threshold, a distance when score <= threshold. Candidates are the distinct
scores, most permissive first, and one threshold that rejects all.

Holds `Twin` (the counts and readings of one score set) and one function a family of measures; each takes the twin, a
rate x and a threshold t, and reads what it needs. `measures/table.py` says which function answers which spelling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

REJECT_ALL = None  # the candidate that no score passes

FALLING = ("FMR", "FAR", "TNMR", "GRR")  # read at the most permissive threshold that keeps the promise
RISING = ("FNMR", "FRR", "TMR", "GAR")  # read at the strictest
SUCCESS = {"TMR": "FNMR", "GAR": "FRR", "TNMR": "FMR", "GRR": "FAR"}


@dataclass(frozen=True)
class Answer:
    """A value with its threshold and counts; None for the value means that there is none."""

    value: Fraction | float | None
    threshold: float | None = None
    errors: int | None = None
    trials: int | None = None


NOTHING = Answer(None)


class Twin:
    """One score set, counted by going through all scores for every candidate."""

    def __init__(self, scores) -> None:
        self.mated = [float(score) for score in scores.mated]
        self.nonmated = [float(score) for score in scores.nonmated]
        self.distance = scores.rule.value == "distance"
        self.failures = scores.failures
        self.candidates = [*sorted({*self.mated, *self.nonmated}, reverse=self.distance), REJECT_ALL]
        self.rate = cache(self._rate)

    @property
    def whole(self) -> bool:
        return bool(self.mated and self.nonmated)

    def accepts(self, score: float, threshold: float | None) -> bool:
        if threshold is REJECT_ALL:
            return False
        return score <= threshold if self.distance else score >= threshold

    def shown(self, threshold: float | None) -> float:
        if threshold is REJECT_ALL:
            return -math.inf if self.distance else math.inf
        return threshold

    def count(self, kind: str, threshold: float | None) -> tuple[int, int]:
        """Errors behind a rate, of how many trials."""
        error = SUCCESS.get(kind, kind)
        if error in ("FMR", "FAR"):
            wrong = sum(1 for score in self.nonmated if self.accepts(score, threshold))
            return wrong, len(self.nonmated) + (self.failures.nonmated if error == "FAR" else 0)
        wrong = sum(1 for score in self.mated if not self.accepts(score, threshold))
        failed = self.failures.mated if error == "FRR" else 0
        return wrong + failed, len(self.mated) + failed

    def _rate(self, kind: str, threshold: float | None) -> Fraction:
        errors, trials = self.count(kind, threshold)
        return Fraction(trials - errors if kind in SUCCESS else errors, trials)

    def read(self, kind: str, threshold: float | None) -> Answer:
        return Answer(self.rate(kind, threshold), self.shown(threshold), *self.count(kind, threshold))

    def keeps(self, place: str, x: float, threshold: float | None) -> bool:
        """Is the promise kept? The rate is rounded to a double, so that 3/10 is at most 0.3."""
        rate = float(self.rate(place, threshold))
        return rate >= x if place in SUCCESS else rate <= x

    def find(self, place: str, x: float) -> int | None:
        """The candidate at which a promise is kept at the least price."""
        kept = [i for i, threshold in enumerate(self.candidates) if self.keeps(place, x, threshold)]
        if not kept:
            return None
        return kept[0] if place in FALLING else kept[-1]

    def nearest(self, place: str, x: float) -> int:
        """The candidate with the closest rate; where several have it, the one with the fewest other errors."""

        def miss(i: int) -> float:
            return abs(float(self.rate(place, self.candidates[i])) - x)

        order = range(len(self.candidates))
        least = min(map(miss, order))
        equals = [i for i in order if miss(i) == least]
        rates = {self.rate(place, self.candidates[i]) for i in equals}
        if len(rates) > 1:  # one rate on either side of x: the more permissive side
            first = self.rate(place, self.candidates[equals[0]])
            equals = [i for i in equals if self.rate(place, self.candidates[i]) == first]
        return equals[0] if place in FALLING else equals[-1]

    def at(self, place: str, x: float, how: str = "") -> float | str | None:
        """The candidate threshold of a place, or "nowhere"."""
        found = self.nearest(place, x) if how == "nearest" else self.find(place, x)
        return "nowhere" if found is None else self.candidates[found]

    def between(self, first: float | None, second: float | None, share: Fraction) -> float:
        """A threshold on the line between two; next to an infinite one, the finite, or else the more permissive."""
        if not share:
            return self.shown(first)
        ends = sorted((end for end in (first, second) if end is not REJECT_ALL), key=self.candidates.index)
        finite = [end for end in ends if math.isfinite(end)]
        if len(finite) < 2:
            return (finite or ends)[0]
        return float(Fraction(first) + share * (Fraction(second) - Fraction(first)))


# Rates --------------------------------------------------------------------------------------------------------------


def rate_at_threshold(kind: str, twin: Twin, x: float, t: float) -> Answer:
    one_class = twin.mated if SUCCESS.get(kind, kind) in ("FNMR", "FRR") else twin.nonmated
    return twin.read(kind, t) if one_class else NOTHING


def rate_at_rate(kind: str, place: str, how: str, twin: Twin, x: float, t: float) -> Answer:
    if not twin.whole:
        return NOTHING
    if how == "interpolated":
        return interpolated(kind, place, twin, x)
    threshold = twin.at(place, x, how)
    return NOTHING if threshold == "nowhere" else twin.read(kind, threshold)


def interpolated(kind: str, place: str, twin: Twin, x: float) -> Answer:
    row = twin.find(place, x)
    if row is None:
        return NOTHING
    here = twin.candidates[row]
    other = row - 1 if place in FALLING else row + 1
    if not 0 <= other < len(twin.candidates):
        return Answer(twin.rate(kind, here), twin.shown(here))
    there = twin.candidates[other]
    step = twin.rate(place, there) - twin.rate(place, here)
    kept_just = float(twin.rate(place, here)) == x
    share = Fraction(0) if kept_just else (Fraction(x) - twin.rate(place, here)) / step
    value = twin.rate(kind, here) + share * (twin.rate(kind, there) - twin.rate(kind, here))
    return Answer(value, twin.between(here, there, share))


def outcome(kind: str, place: str, twin: Twin, x: float, t: float) -> Answer:
    read = rate_at_threshold(kind, twin, x, t) if place == "t" else rate_at_rate(kind, place, "", twin, x, t)
    if read.value is None:
        return NOTHING
    return Answer(read.trials - read.errors if kind in SUCCESS else read.errors, read.threshold)


def weighted(w_fmr: float, w_fnmr: float, place: str, twin: Twin, x: float, t: float) -> Answer:
    """w_fmr FMR + w_fnmr FNMR at a place."""
    if not twin.whole:
        return NOTHING
    threshold = t if place == "t" else twin.at(place, x)
    if threshold == "nowhere":
        return NOTHING
    value = w_fmr * twin.rate("FMR", threshold) + w_fnmr * twin.rate("FNMR", threshold)
    return Answer(float(value), twin.shown(threshold))


def failure_share(fta: float, fte: float, kind: str, twin: Twin, x: float, t: float) -> Answer:
    """FAR, FRR, GFAR and GFRR with failure rates from outside the data (one attempt a transaction)."""
    if not (twin.nonmated if "FA" in kind else twin.mated):
        return NOTHING
    if "FA" in kind:
        return Answer(float(twin.rate("FMR", t)) * (1 - fta) * (1 - fte), t)
    fnmr = float(twin.rate("FNMR", t))
    return Answer(fte + (1 - fte) * fta + (1 - fte) * (1 - fta) * fnmr, t)


def generalized(kind: str, twin: Twin, x: float, t: float) -> Answer:
    """GFAR and GFRR from the failures in the data."""
    attempts = twin.failures.enrolment_attempts
    system = rate_at_threshold("FAR" if kind == "GFAR" else "FRR", twin, x, t)
    if not attempts or system.value is None:
        return NOTHING
    fte = Fraction(twin.failures.enrolments, attempts)
    return Answer((fte if kind == "GFRR" else 0) + (1 - fte) * system.value, t)


def failure_rate(name: str, twin: Twin, x: float, t: float) -> Answer:
    given = twin.failures
    failed, attempts = given.enrolments, given.enrolment_attempts
    if name == "FTA":
        failed = given.mated + given.nonmated
        attempts = failed + len(twin.mated) + len(twin.nonmated)
    return Answer(Fraction(failed, attempts), None, failed, attempts) if attempts else NOTHING


# Equal error rates --------------------------------------------------------------------------------------------------


def eer(definition: str, twin: Twin, x: float, t: float) -> Answer:
    if not twin.whole:
        return NOTHING
    if definition.startswith("fvc"):
        return eer_fvc(definition, twin)
    return {"": eer_interpolated, "nearest": eer_nearest, "hull": eer_hull}[definition](twin)


def eer_interpolated(twin: Twin) -> Answer:
    for here, there in pairwise(twin.candidates):
        gaps = [twin.rate("FNMR", threshold) - twin.rate("FMR", threshold) for threshold in (here, there)]
        if gaps[0] <= 0 < gaps[1]:
            share = -gaps[0] / (gaps[1] - gaps[0])
            value = twin.rate("FMR", here) + share * (twin.rate("FMR", there) - twin.rate("FMR", here))
            return Answer(value, twin.between(here, there, share))
    raise AssertionError("FNMR starts at 0 below FMR and ends at 1 above it")


def eer_nearest(twin: Twin) -> Answer:
    def order(i: int) -> tuple[Fraction, Fraction, int]:
        fmr, fnmr = twin.rate("FMR", twin.candidates[i]), twin.rate("FNMR", twin.candidates[i])
        return abs(fmr - fnmr), (fmr + fnmr) / 2, i

    _, mean, best = min(order(i) for i in range(len(twin.candidates)))
    return Answer(mean, twin.shown(twin.candidates[best]))


def eer_fvc(definition: str, twin: Twin) -> Answer:
    rates = {threshold: (twin.rate("FMR", threshold), twin.rate("FNMR", threshold)) for threshold in twin.candidates}
    first = [t for t in twin.candidates if rates[t][1] <= rates[t][0]][-1]
    second = next(t for t in twin.candidates if rates[t][1] >= rates[t][0])
    chosen = first if sum(rates[first]) <= sum(rates[second]) else second
    low, high = sorted(rates[chosen])
    return Answer({"fvc": (low + high) / 2, "fvc-low": low, "fvc-high": high}[definition], twin.shown(chosen))


def convex_hull(points: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """The lower left part of the convex hull, by first coordinate (monotone chain)."""
    chain: list[tuple[Fraction, Fraction]] = []
    lowest = {x: min(b for a, b in points if a == x) for x, _ in points}
    for x, y in sorted(lowest.items()):
        while len(chain) > 1:
            (x1, y1), (x2, y2) = chain[-2:]
            if (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) > 0:
                break
            chain.pop()
        chain.append((x, y))
    return chain


def eer_hull(twin: Twin) -> Answer:
    hull = convex_hull([(twin.rate("FMR", t), twin.rate("FNMR", t)) for t in twin.candidates])
    for (fmr1, fnmr1), (fmr2, fnmr2) in pairwise(hull):
        if fmr1 <= fnmr1 and fnmr2 <= fmr2:
            share = (fnmr1 - fmr1) / ((fnmr1 - fmr1) + (fmr2 - fnmr2)) if fmr2 > fnmr2 else Fraction(1)
            return Answer(fmr1 + share * (fmr2 - fmr1))
    raise AssertionError("the hull starts at FMR <= FNMR and ends at FMR >= FNMR")


# Areas, separation, costs -------------------------------------------------------------------------------------------


def area(name: str, twin: Twin, x: float, t: float) -> Answer:
    if not twin.whole:
        return NOTHING
    wins = Fraction(0)
    for mated, nonmated in product(twin.mated, twin.nonmated):
        better = mated < nonmated if twin.distance else mated > nonmated
        wins += 1 if better else Fraction(mated == nonmated, 2)
    auc = wins / (len(twin.mated) * len(twin.nonmated))
    return Answer(auc if name == "AUC" else 2 * auc - 1)


def partial_area(variant: str, twin: Twin, x: float, t: float) -> Answer:
    if not twin.whole:
        return NOTHING
    limit, total = Fraction(x), Fraction(0)
    for strict, loose in pairwise(reversed(twin.candidates)):
        left, right = twin.rate("FMR", strict), min(twin.rate("FMR", loose), limit)
        if right <= left:
            continue
        slope = (twin.rate("TMR", loose) - twin.rate("TMR", strict)) / (twin.rate("FMR", loose) - left)
        first = twin.rate("TMR", strict)
        total += (right - left) * (first + first + slope * (right - left)) / 2
    chance = limit**2 / 2
    return Answer(total if variant == "plain" else (1 + (total - chance) / (limit - chance)) / 2)


def spread(form: str, twin: Twin, x: float, t: float) -> Answer:
    if not twin.whole or not all(map(math.isfinite, twin.mated + twin.nonmated)):
        return NOTHING
    means = [sum(map(Fraction, scores)) / len(scores) for scores in (twin.mated, twin.nonmated)]
    variances = [
        sum((Fraction(score) - mean) ** 2 for score in scores) / len(scores)
        for scores, mean in zip((twin.mated, twin.nonmated), means, strict=True)
    ]
    gap = (means[1] - means[0]) if twin.distance else (means[0] - means[1])
    first, second = map(float, variances)
    width = {
        "daugman": math.sqrt((first + second) / 2),
        "sum": math.sqrt(first + second),
        "ratio": math.sqrt(first) + math.sqrt(second),
    }[form]
    if width:
        return Answer(float(gap) / width)
    return Answer(math.copysign(math.inf, gap)) if gap else NOTHING


def overlap(bins: int, twin: Twin, x: float, t: float) -> Answer:
    """Shared area of histograms in equal bins, least alike first; only the last bin holds its upper edge."""
    everything = twin.mated + twin.nonmated
    if not twin.whole or not all(map(math.isfinite, everything)):
        return NOTHING
    sign = -1 if twin.distance else 1
    low, high = (Fraction(pick(sign * score for score in everything)) for pick in (min, max))
    if low == high:
        return Answer(1.0)

    def shares(scores: list[float]) -> list[Fraction]:
        places = [min(int((sign * Fraction(score) - low) * bins / (high - low)), bins - 1) for score in scores]
        return [Fraction(places.count(i), len(scores)) for i in range(bins)]

    return Answer(sum(map(min, shares(twin.mated), shares(twin.nonmated))))


def least(w_fmr: float, w_fnmr: float, twin: Twin, x: float, t: float) -> Answer:
    """The least w_fmr FMR + w_fnmr FNMR, at the most permissive threshold that has it."""
    if not twin.whole:
        return NOTHING
    costs = [Fraction(w_fmr) * twin.rate("FMR", c) + Fraction(w_fnmr) * twin.rate("FNMR", c) for c in twin.candidates]
    return Answer(min(costs), twin.shown(twin.candidates[costs.index(min(costs))]))


def rescaled(offset: int, scale: int, answer, twin: Twin, x: float, t: float) -> Answer:
    """offset + scale times another answer, at its threshold."""
    found = answer(twin, x, t)
    return NOTHING if found.value is None else replace(found, value=offset + scale * found.value)


def actual_dcf(p: float, cmiss: float, cfa: float, raw: bool, twin: Twin, x: float, t: float) -> Answer:
    if not twin.whole or twin.distance:
        return NOTHING
    threshold = math.log(cfa * (1 - p) / (cmiss * p))
    value = cmiss * p * twin.rate("FNMR", threshold) + cfa * (1 - p) * twin.rate("FMR", threshold)
    return Answer(float(value) / (1.0 if raw else min(cmiss * p, cfa * (1 - p))), threshold)


def bits(z: float) -> float:
    """log2(1 + e^z)."""
    return (max(z, 0.0) + math.log1p(math.exp(-abs(z)))) / math.log(2)


def cllr(twin: Twin, x: float, t: float) -> Answer:
    if not twin.whole or twin.distance:
        return NOTHING
    of_mated = sum(bits(-score) for score in twin.mated) / len(twin.mated)
    return Answer((of_mated + sum(bits(score) for score in twin.nonmated) / len(twin.nonmated)) / 2)


def pooled(twin: Twin) -> list[tuple[int, int]]:
    """(mated, non-mated) of each block after pooling adjacent violators, least alike first."""
    blocks: list[tuple[int, int]] = []
    for score in twin.candidates[:-1]:
        blocks.append((twin.mated.count(score), twin.nonmated.count(score)))
        while len(blocks) > 1 and Fraction(blocks[-2][0], sum(blocks[-2])) >= Fraction(blocks[-1][0], sum(blocks[-1])):
            last, before = blocks.pop(), blocks.pop()
            blocks.append((before[0] + last[0], before[1] + last[1]))
    return blocks


def min_cllr(twin: Twin, x: float, t: float) -> Answer:
    if not twin.whole:
        return NOTHING
    total = 0.0
    for mated, nonmated in pooled(twin):
        if mated and nonmated:
            llr = math.log(mated / nonmated) - math.log(len(twin.mated) / len(twin.nonmated))
            total += mated * bits(-llr) / len(twin.mated) + nonmated * bits(llr) / len(twin.nonmated)
    return Answer(total / 2)


def calibration_loss(twin: Twin, x: float, t: float) -> Answer:
    whole, best = cllr(twin, x, t), min_cllr(twin, x, t)
    return NOTHING if whole.value is None else Answer(whole.value - best.value)
