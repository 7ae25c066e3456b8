"""The EER and the FNMR at a given FMR as other tools compute them, so that published numbers can be compared.

    EER[bob]           FNMR[bob]@FMR=0.001           bob.measure
    EER[pyeer]         FNMR[pyeer]@FMR=0.001         PyEER
    EER[sklearn]       FNMR[sklearn]@FMR=0.001       the usual recipes on scikit-learn's roc_curve
    EER[wespeaker]     FNMR[wespeaker]@FMR=0.001     WeSpeaker
    EER[insightface]   FNMR[insightface]@FMR=0.001   InsightFace's evaluation on IJB

TMR takes the same variants. `peer(name).summary` says what each of them does.

Conventions: a peer's number is reproduced even where its definition is not a good one: pyeer says EER = 1 where its
curves do not cross (all scores tied), and reads FNMR@FMR=0 at an FMR above 0 where the best score is non-mated, which
is also why its ZeroFMR is wrong. What a peer cannot compute is NaN with a reason. Where a peer prints no such number,
its own points on the curve are read in the way nearest to it (see the summaries). Distances are oriented first, also
for peers that know similarities only. Thresholds are meant for our rule, a score equal to the threshold is accepted:
for wespeaker, which accepts scores above its threshold only, the next score is given, which decides the same.

Holds `peer` and `Peer`, and the measures `PeerEqualErrorRate` and `PeerRate`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule, row_at
from bertillon.counting.error_counts import BinaryCounts, CurvePoint, IntArray
from bertillon.counting.tally import Need, Tally
from bertillon.measures.base import LIMITS, Answer, CurveMeasure, Measure, Result, Spelling
from bertillon.measures.known import Known
from bertillon.measures.operating_point import HOW, OperatingPoint, Target, crossing_point
from bertillon.measures.plans import IntervalPlan, Resample

RATES = ("FNMR", "TMR")  # what a peer's variant may ask for at an FMR


@dataclass(frozen=True, slots=True)
class Reading:
    """Where on the curve a peer reads a rate: between two rows, shown with this threshold."""

    curve_point: CurvePoint
    threshold: float

    @classmethod
    def at(cls, counts: BinaryCounts, row: int) -> Reading:
        """At one row, with its own threshold."""
        return cls(CurvePoint(row, row), float(counts.threshold[row]))


@dataclass(frozen=True, slots=True)
class Convention:
    """How a peer goes from the error counts at every threshold to its numbers, or to why it has none."""

    summary: str
    eer: Callable[[BinaryCounts], Result]
    at_fmr: Callable[[BinaryCounts, float], Reading | Message]


class _OfPeer(CurveMeasure):
    """A number of a peer, which holds all scores."""

    needs: ClassVar[frozenset[Need]] = frozenset({Need.EVERY_THRESHOLD})

    def on(self, known: Known) -> Answer:
        return known.not_in_memory


@dataclass(frozen=True, slots=True)
class PeerEqualErrorRate(_OfPeer):
    """The equal error rate as a peer computes it."""

    peer: str

    @property
    def spelling(self) -> Spelling:
        return Spelling("EER", self.peer)

    def read(self, tally: Tally) -> Result:
        return _CONVENTIONS[self.peer].eer(tally.errors)

    def interval(self, result: Result) -> IntervalPlan:
        if self.peer != "bob":
            return Resample(self)
        return Resample(self, most=LIMITS.bob_scores, too_many=say("reason.bob_too_slow", n=LIMITS.bob_scores))


@dataclass(frozen=True, slots=True)
class PeerRate(_OfPeer):
    """FNMR or TMR at an FMR as a peer reads it."""

    kind: str
    fmr: float
    peer: str

    @classmethod
    def build(cls, spelling: Spelling) -> PeerRate:
        """The measure behind a spelling whose variant is a peer."""
        name, point = spelling.variant_among(PEERS, at=None), OperatingPoint.of(spelling, HOW[0])
        if point.key != "FMR":
            raise InputError(f"{spelling}: {name} is known at an FMR only; expected {spelling.name}[{name}]@FMR=0.001")
        return cls(spelling.name, point.target, name)

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.kind, self.peer, at={"FMR": self.fmr})

    @property
    def target(self) -> Target:
        return Target("FMR", self.fmr, mated=False)

    def read(self, tally: Tally) -> Result:
        reading = _CONVENTIONS[self.peer].at_fmr(tally.errors, self.fmr)
        return Result.undefined(reading) if isinstance(reading, Message) else self._read(tally.errors, reading)

    def _read(self, counts: BinaryCounts, reading: Reading) -> Result:
        curve_point = reading.curve_point
        if curve_point.share:
            fnmr = curve_point.between(counts.fnmr)
            return Result(fnmr if self.kind == "FNMR" else 1.0 - fnmr, reading.threshold)
        errors, trials = int(counts.false_nonmatch[curve_point.row]), counts.n_mated
        value = (errors if self.kind == "FNMR" else trials - errors) / trials
        return Result(value, reading.threshold, errors, trials)


@dataclass(frozen=True, slots=True)
class Peer:
    """Another tool, what it does, and its numbers as measures of ours.

    >>> from bertillon.evaluation import evaluate
    >>> from bertillon.trials.score_set import ScoreSet
    >>> bob, scores = peer("bob"), ScoreSet([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
    >>> e = evaluate(scores, ["EER", bob.eer, "FNMR@FMR=0.2", bob.fnmr_at_fmr(0.2)])
    >>> {name: e[name].value for name in e}
    {'EER': 0.25, 'EER[bob]': 0.225, 'FNMR@FMR=0.2': 0.25, 'FNMR[bob]@FMR=0.2': 0.5}
    """

    name: str
    summary: str

    @property
    def eer(self) -> Measure:
        """Its equal error rate."""
        return PeerEqualErrorRate(self.name)

    def fnmr_at_fmr(self, fmr: float) -> Measure:
        """Its FNMR at an FMR."""
        return PeerRate.build(Spelling("FNMR", self.name, at={"FMR": fmr}))


def peer(name: str) -> Peer:
    """The tool of that name.

    >>> str(peer("pyeer").eer), str(peer("pyeer").fnmr_at_fmr(0.001))
    ('EER[pyeer]', 'FNMR[pyeer]@FMR=0.001')
    """
    known = name.lower()
    if known not in _CONVENTIONS:
        raise InputError(f"no peer is called {name!r}; expected one of {', '.join(PEERS)}")
    return Peer(known, _CONVENTIONS[known].summary)


# bob.measure


def _bob_eer(counts: BinaryCounts) -> Result:
    """Mean of both rates at the middle between two scores, where they are closest; the strictest of equals.

    bob adds up its rates score by score until one class is used up, and compares the sums with their rounding.
    """
    threshold = _bob_eer_threshold(counts)
    if math.isnan(threshold):
        return Result.undefined(say("reason.bob_infinite"))
    row = int(row_at(counts.threshold, threshold))
    return Result(float(counts.fmr[row] + counts.fnmr[row]) / 2, threshold)


def _bob_eer_threshold(counts: BinaryCounts) -> float:
    fmr = _added_up(1.0, -1.0 / counts.n_nonmated, counts.n_nonmated - counts.false_match)
    fnmr = _added_up(0.0, 1.0 / counts.n_mated, counts.false_nonmatch)
    gap = np.abs(fmr - fnmr)
    used_up = int(np.argmax((counts.false_match == 0) | (counts.false_nonmatch == counts.n_mated)))
    best = used_up - 1 - int(np.argmin(gap[:used_up][::-1]))
    if gap[used_up] < gap[best]:
        best = used_up
    low, high = float(counts.threshold[max(best - 1, 0)]), float(counts.threshold[best])
    return low if best == len(counts) - 1 else (low + high) / 2


def _added_up(start: float, step: float, times: IntArray) -> NDArray[np.float64]:
    """Start with so many steps added one by one: the rounding of every sum is part of the peer's number."""
    steps = np.full(int(times.max()) + 1, step)
    steps[0] = start
    return np.asarray(np.cumsum(steps)[times])


def _bob_at_fmr(counts: BinaryCounts, fmr: float) -> Reading | Message:
    """The lowest non-mated score whose FMR is at most x, or just above them all: mated scores are no thresholds."""
    if counts.n_nonmated < 2:
        return say("reason.bob_two")
    nonmated = np.flatnonzero(np.diff(counts.false_match))
    kept = nonmated[counts.fmr[nonmated] <= fmr]
    if fmr >= 1.0 - np.finfo(np.float64).eps:
        threshold = np.nextafter(counts.threshold[nonmated[0]], -np.inf)
    elif kept.size:
        threshold = counts.threshold[kept[0]]
    else:
        threshold = np.nextafter(counts.threshold[nonmated[-1]], np.inf)
    row = int(row_at(counts.threshold, threshold))
    return Reading(CurvePoint(row, row), float(threshold))


# PyEER, whose thresholds are the scores without one that rejects all


def _pyeer_eer(counts: BinaryCounts) -> Result:
    """Middle of the FVC interval; 1 where FMR stays above FNMR up to the highest score."""
    curve_point = crossing_point(counts)
    if curve_point.next_row == len(counts) - 1:
        return Result(1.0, float(counts.threshold[0]))
    total = counts.fmr + counts.fnmr
    row = curve_point.row if total[curve_point.row] <= total[curve_point.next_row] else curve_point.next_row
    return Result(float(total[row]) / 2, float(counts.threshold[row]))


def _pyeer_at_fmr(counts: BinaryCounts, fmr: float) -> Reading:
    """Nearest FMR, the most permissive of equals."""
    return Reading.at(counts, int(np.argmin(np.abs(counts.fmr[:-1] - fmr))))


# scikit-learn, and InsightFace on its curve


def _sklearn_eer(counts: BinaryCounts) -> Result:
    """FPR = 1 - TPR on the straight lines of the ROC."""
    curve_point = crossing_point(counts)
    return Result(curve_point.between(counts.fmr), curve_point.threshold(counts))


def _sklearn_at_fmr(counts: BinaryCounts, fmr: float) -> Reading:
    """On the straight line between neighbours of the ROC; at an FPR that occurs several times, the highest TPR."""
    curve_point = OperatingPoint("FMR", fmr, "interpolated").find(counts, AcceptRule.SIMILARITY)
    assert curve_point is not None  # the row that rejects all keeps any promise
    return Reading(curve_point, curve_point.threshold(counts))


def _insightface_at_fmr(counts: BinaryCounts, fmr: float) -> Reading:
    """Nearest FPR among the corners of the ROC, the higher of two equally near."""
    corners = _corners(counts)
    return Reading.at(counts, int(corners[np.argmin(np.abs(counts.fmr[corners] - fmr))]))


def _corners(counts: BinaryCounts) -> IntArray:
    """Rows that roc_curve keeps: it drops a point whose two neighbours are the same step away in both counts."""
    false_match, false_nonmatch = counts.false_match[:-1], counts.false_nonmatch[:-1]
    bend = (np.diff(false_match, 2) != 0) | (np.diff(false_nonmatch, 2) != 0)
    ends = false_match.size - 1, false_match.size  # the highest score, and the point that rejects all
    return np.unique(np.concatenate([[0], np.flatnonzero(bend) + 1, ends])).astype(np.int64)


# WeSpeaker, whose points reject the scores up to and including the threshold, so none of them accepts all


def _wespeaker_eer(counts: BinaryCounts) -> Result:
    """Crossing on the straight lines; the threshold is that of the first point with FNMR >= FMR."""
    rejected = counts.n_nonmated - counts.false_match
    gap = counts.fnmr - (1.0 - rejected / counts.n_nonmated)  # written so because its rounding decides between rows
    row = int(np.argmax(gap >= 0.0))
    if row == 1 and counts.false_nonmatch[1] + rejected[1] == 1:
        return Result.undefined(say("reason.wespeaker_stops"))
    curve_point = CurvePoint(row, row - 1, float(gap[row] / (gap[row] - gap[row - 1])))
    return Result(curve_point.between(counts.fnmr), float(counts.threshold[row]))


def _wespeaker_at_fmr(counts: BinaryCounts, fmr: float) -> Reading:
    return Reading.at(counts, 1 + int(np.argmax(counts.fmr[1:] <= fmr)))


_CONVENTIONS = {
    "bob": Convention(
        "accepts score >= t; FMR at most x, at a non-mated score or just above them all; EER is the mean of FMR and "
        "FNMR midway between the two scores where they are closest, the strictest of equals.",
        _bob_eer,
        _bob_at_fmr,
    ),
    "pyeer": Convention(
        "accepts score >= t, t any score but none that rejects all; FMR nearest to x, the most permissive of equals, "
        "even above x; EER is the middle of the FVC interval, or 1 where the curves do not cross.",
        _pyeer_eer,
        _pyeer_at_fmr,
    ),
    "sklearn": Convention(
        "accepts score >= t; FNMR at x interpolated along the ROC (np.interp); EER where the straight lines of the "
        "ROC cross FPR = 1 - TPR (brentq).",
        _sklearn_eer,
        _sklearn_at_fmr,
    ),
    "wespeaker": Convention(
        "accepts score > t, t any score; EER where straight lines between its points cross (tied scores, which it "
        "takes in the order of the file, count together here); prints no FNMR at an FMR, so FMR at most x is taken.",
        _wespeaker_eer,
        _wespeaker_at_fmr,
    ),
    "insightface": Convention(
        "accepts score >= t; FMR nearest to x, even above x, among the points that scikit-learn's roc_curve keeps; "
        "prints no EER, so that of the same ROC is taken.",
        _sklearn_eer,
        _insightface_at_fmr,
    ),
}
PEERS = tuple(_CONVENTIONS)
