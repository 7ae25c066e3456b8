"""Where on the curve a number is read: at a threshold, where a rate keeps a promise, or where a sum of errors is least.

    comparisons   classes       searches  the threshold that is meant
    t=x           t=x           t=x       x itself
    FMR=x, FAR=x  FPR=x         FPIR=x    the most permissive with a rate of at most x
    TNMR=y GRR=y  Specificity=y           the most permissive with a rate of at least y
    FNMR=x FRR=x  FNR=x         FNIR=x    the strictest with a rate of at most x
    TMR=y, GAR=y  Recall=y      DIR=y     the strictest with a rate of at least y
                  Precision=y             the most permissive with a precision of at least y

`nearest` takes the threshold whose rate is closest to x, which may break the promise: of two rates equally close the
more permissive, and of thresholds with that rate the one with the fewest errors of the other kind. `interpolated` goes
along the straight line between the two neighbours.

On an outline a bin can hold the least weighted sum of FMR and FNMR only if the best imaginable point of the bin, the
FMR of its upper edge with the FNMR of its lower, is no worse than the best edge; all other bins are passed over without
loss.

Holds `OperatingPoint` (the promise; a `CurvePoint` is where it is kept) and `Target` (which rate of which trials it
is), `crossing_point` (where FMR meets FNMR), `best_row` and `seek_best` (where a weighted sum of both is least),
`bin_at`, `read_point`, `class_point` and `require_point`, and the base classes of measures that are read at a point:
`MeasureAtPoint`, of comparisons `ErrorsAtPoint`, of predictions `DecisionsAtPoint`.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule, count_passed, row_at
from bertillon.counting.error_counts import BinaryCounts, CurvePoint, IntArray, crossing
from bertillon.counting.tally import Need, Tally
from bertillon.counting.weighted import CurveBlock
from bertillon.measures.base import BARE, NO_WEIGHT, NOWHERE, ClassMeasure, Measure, Result, Spelling, number
from bertillon.measures.registry import CLASSIFICATION, VERIFICATION, MeasureSet

if TYPE_CHECKING:
    from bertillon.counting.classes.confusion import Confusion
    from bertillon.trials.class_tally import ClassTally

THRESHOLD = "t"
HOW = ("at-most", "nearest", "interpolated")
_ERRORS = {  # the rate of errors that is promised, or that of which the rate of successes is the rest
    "FAR": "far", "FMR": "fmr", "FNMR": "fnmr", "FRR": "frr", "GAR": "frr", "GRR": "far", "TMR": "fnmr", "TNMR": "fmr",
    "FPR": "fmr", "Specificity": "fmr", "Recall": "fnmr", "FNR": "fnmr", "FPIR": "fmr", "DIR": "fnmr", "FNIR": "fnmr",
}  # fmt: skip
_SUCCESSES = {"GAR", "GRR", "TMR", "TNMR", "Specificity", "Recall", "Precision", "DIR"}
POINT_KEYS = (THRESHOLD, "FAR", "FMR", "FNMR", "FRR", "GAR", "GRR", "TMR", "TNMR")
CLASS_POINT_KEYS = (THRESHOLD, "FPR", "Specificity", "Recall", "FNR", "Precision")
_KEYS = {VERIFICATION.mode: POINT_KEYS, CLASSIFICATION.mode: CLASS_POINT_KEYS}
_SLACK = 1e-12  # rounding must not hide the bin that holds the least sum


@dataclass(frozen=True, slots=True)
class Target:
    """What an interval needs of a promise such as FMR = 0.001: of which trials, of errors or of successes."""

    key: str
    value: float
    mated: bool
    success: bool = False
    strict: bool = True  # kept; else a threshold that just breaks the promise counts too

    @property
    def error(self) -> float:
        """The error rate that is promised."""
        return 1.0 - self.value if self.success else self.value


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A promise such as FMR = 0.001.

    Parameters
    ----------
    key
        What is promised: a rate, or t of a threshold.
    target
        Its value.
    how
        How strictly it is kept, one of `HOW`.
    """

    key: str
    target: float
    how: str = "at-most"

    @classmethod
    def of(cls, spelling: Spelling, how: str = HOW[0], measures: MeasureSet = VERIFICATION) -> OperatingPoint:
        """The point behind the @ of a spelling, by the names of a set of measures."""
        return cls(*read_point(spelling, _KEYS[measures.mode], measures.canonical_name), how)

    def __str__(self) -> str:
        return f"{self.key}={number(self.target)}"

    @property
    def at(self) -> dict[str, float]:
        """As it stands behind the @."""
        return {self.key: self.target}

    @property
    def unreachable(self) -> Message:
        """Why there is no number where no threshold keeps the promise."""
        return say("reason.unreachable", point=self.key, target=self.target)

    @property
    def promise(self) -> Target | None:
        """The rate of one class that is promised; None for a threshold, and for a precision, which mixes both."""
        if self.key not in _ERRORS:
            return None
        return Target(self.key, self.target, mated=not self._falls, success=self.key in _SUCCESSES)

    def seek(self, outline: BinaryCounts) -> IntArray:
        """The bin of the outline in which the promise starts or ceases to be kept."""
        if self.key == THRESHOLD:  # the rule is not known here, so look on both sides of zero
            return bin_at(outline.threshold, [self.target, -self.target])
        if self.key == "Precision":
            return self._seek_precision(outline)
        turn = int(np.count_nonzero(self._kept(outline) != self._falls)) - 1  # the last row before the change
        far_end = self._far_end(outline, turn) if self.how == "nearest" else turn
        return np.array([max(turn, 0), max(far_end, 0)])

    def _seek_precision(self, outline: BinaryCounts) -> IntArray:
        """Precision is not monotone: every bin before the first kept edge whose best imaginable point keeps it."""
        kept = self._kept(outline)
        tp, fp = outline.tp[:-1], outline.fp[1:]
        imaginable = tp >= self.target * (1.0 - 1e-12) * (tp + fp)
        before = np.arange(tp.size) <= (int(np.argmax(kept)) if kept.any() else tp.size)
        return np.flatnonzero(imaginable & before)

    def find(self, counts: BinaryCounts, rule: AcceptRule = AcceptRule.SIMILARITY) -> CurvePoint | None:
        """The point on exact counts, or None where no threshold keeps the promise."""
        if self.key == THRESHOLD:
            row = int(row_at(counts.threshold, rule.orient(self.target)))
            return CurvePoint(row, row)
        if self.how == "nearest":
            rate = self._rate(counts)
            row = int(np.argmin(np.abs(rate - self.target)))
            row = row if self._falls else _last(rate == rate[row])
            return CurvePoint(row, row)
        row = self._row_kept(counts)
        if row < 0:
            return None
        return self._between(counts, row) if self.how == "interpolated" else CurvePoint(row, row)

    def _row_kept(self, counts: BinaryCounts) -> int:
        """The row that keeps the promise, -1 where none does."""
        if self.key not in _ERRORS or self.key in _SUCCESSES:
            kept = self._kept(counts)
            return -1 if not kept.any() else int(np.argmax(kept)) if self._falls else _last(kept)
        falls, target = self._falls, self.target
        errors, n = (counts.false_match, counts.n_nonmated) if falls else (counts.false_nonmatch, counts.n_mated)
        failed = (counts.failed_nonmated if falls else counts.failed_mated) * self.counts_failures
        rejected, trials = 0 if falls else failed, n + failed
        if not trials:
            return -1
        # error rates are monotone: halving finds where they begin, or cease, to be kept
        row = bisect_left(
            range(errors.size), True, key=lambda i: ((errors.item(i) + rejected) / trials <= target) == falls
        )
        if not falls:
            return row - 1
        return row if row < errors.size else -1

    def rows_in(self, block: CurveBlock) -> tuple[IntArray, NDArray[np.float64]]:
        """The row of each resample that keeps the promise, -1 where none does, and the threshold to show."""
        if self.key == THRESHOLD:
            target = float(block.rule.orient(self.target))
            row = int(row_at(np.append(block.cuts, np.inf), target))
            return np.full(block.size, row), np.full(block.size, target)
        if self._falls:
            table, n = block.false_match, block.n_nonmated
        else:
            table, n = block.false_nonmatch, block.n_mated
        failed = block.failed[1 if self._falls else 0] * self.counts_failures
        rejected = 0 if self._falls else failed  # a failed comparison of a genuine user is a rejection
        trials = n + failed

        def kept(rows: IntArray) -> NDArray[np.bool_]:
            errors = block.at(table, rows) + rejected
            if self.key in _SUCCESSES:
                return np.asarray((trials - errors) / np.maximum(trials, 1) >= self.target)
            return np.asarray(errors / trials <= self.target)

        if self._falls:
            rows = block.next_occupied(np.minimum(block.first_row(kept), block.cuts.size))
        else:
            rows = block.first_row(lambda row: ~kept(row)) - 1
        return rows, block.thresholds(np.clip(rows, 0, block.cuts.size))

    def shown(self, curve_point: CurvePoint, counts: BinaryCounts, rule: AcceptRule = AcceptRule.SIMILARITY) -> float:
        """The oriented threshold to show: the one asked for where one was, else the one found."""
        return float(rule.orient(self.target)) if self.key == THRESHOLD else curve_point.threshold(counts)

    @property
    def counts_failures(self) -> bool:
        """Are failed comparisons counted into the rate that is promised?"""
        return self.key in ("FAR", "GRR", "FRR", "GAR")

    @property
    def of_nonmated(self) -> bool:
        """Is it a rate of non-mated comparisons that is promised?"""
        return self._falls

    @property
    def _falls(self) -> bool:
        """Is the first row meant that keeps the promise? For other rates the last one is."""
        return _ERRORS.get(self.key) not in ("fnmr", "frr")

    def _rate(self, counts: BinaryCounts) -> NDArray[np.float64]:
        """The promised rate, of errors or of successes."""
        if self.key == "Precision":
            return counts.precision
        if self.key in _SUCCESSES:
            successes, trials = self._successes(counts)
            return successes / (trials or 1)  # divide counts: 1 - rate would lose the last digit
        return np.asarray(getattr(counts, _ERRORS[self.key]))

    def _kept(self, counts: BinaryCounts) -> NDArray[np.bool_]:
        rate = self._rate(counts)
        return rate >= self.target if self.key in _SUCCESSES else rate <= self.target

    def _successes(self, counts: BinaryCounts) -> tuple[NDArray[Any], int]:
        if not self._falls:
            failed = counts.failed_mated if self.key == "GAR" else 0
            return counts.tp, counts.n_mated + failed
        failed = counts.failed_nonmated if self.key == "GRR" else 0
        return counts.n_nonmated + failed - counts.false_match, counts.n_nonmated + failed

    def _far_end(self, outline: BinaryCounts, turn: int) -> int:
        """The bin in which the rate that just breaks the promise starts (FMR) or ends (FNMR)."""
        rate = self._rate(outline)
        if self._falls:
            return int(np.argmax(rate == rate[max(turn, 0)])) - 1
        return _last(rate == rate[min(turn + 1, len(outline) - 1)])

    def _between(self, counts: BinaryCounts, row: int) -> CurvePoint:
        """From the row that keeps the promise towards the neighbour that breaks it, until it is just kept."""
        other = row - 1 if self._falls else row + 1
        if not 0 <= other < len(counts):
            return CurvePoint(row, row)
        rate = self._rate(counts)
        step = float(rate[other] - rate[row])
        return CurvePoint(row, other, (self.target - float(rate[row])) / step if step else 0.0)


def read_point(
    spelling: Spelling, keys: Sequence[str], canonical_name: Callable[[str], str | None]
) -> tuple[str, float]:
    """The one place behind the @ of a spelling, by its canonical name, and the number there."""
    if len(spelling.at) != 1:
        raise InputError(f"{spelling}: expected one place to read it at, such as {spelling.name}@t=0.5")
    (written, target), *_ = spelling.at.items()
    if written == BARE:
        places = ", ".join(f"{spelling.name}@{key}={number(target)}" for key in keys[:3])
        raise InputError(f"{spelling}: of what is {number(target)}? write {places}, ...")
    key = THRESHOLD if written.lower() in ("t", "threshold") else canonical_name(written) or written
    require_point(spelling, key, target=target, keys=keys, written=written)
    return key, target


def class_point(spelling: Spelling) -> OperatingPoint | None:
    """The place behind the @ of a measure of decisions, if there is one."""
    return OperatingPoint.of(spelling, measures=CLASSIFICATION) if spelling.at else None


def require_point(spelling: Spelling, key: str, *, target: float, keys: Sequence[str], written: str) -> None:
    """Refuse a point that is not one of these, or whose number is none; `written` is how the user called it."""
    if key not in keys:
        raise InputError(f"{spelling}: place {written!r} is not known; expected one of {', '.join(keys)}")
    if key != THRESHOLD and not 0.0 <= target <= 1.0:
        raise InputError(f"{spelling}: {written} is {target}; expected a rate from 0 to 1")
    if math.isnan(target):
        raise InputError(f"{spelling}: the threshold is not a number")


def bin_at(edges: NDArray[np.float64], thresholds: ArrayLike) -> IntArray:
    """The bins of an outline in which oriented thresholds lie; those beyond its ends in the first and in the last.

    >>> bin_at(np.array([0.2, 0.7, np.inf]), [0.1, 0.7, np.inf]).tolist()
    [0, 1, 1]
    """
    return np.asarray(np.clip(count_passed(edges, thresholds) - 1, 0, edges.size - 2))


def _last(chosen: NDArray[np.bool_]) -> int:
    """The last row that is chosen."""
    return chosen.size - 1 - int(np.argmax(chosen[::-1]))


def crossing_point(counts: BinaryCounts) -> CurvePoint:
    """Where FMR meets FNMR."""
    return crossing(counts.false_match, counts.false_nonmatch, counts.n_mated, counts.n_nonmated)


def best_row(counts: BinaryCounts, weight_fmr: float, weight_fnmr: float) -> int:
    """The first row with the least weighted sum of the two rates, on a scale where equal sums of counts are equal."""
    scaled_fmr = float(counts.n_mated) * counts.false_match  # floats: the products may exceed 64 bits
    scaled_fnmr = float(counts.n_nonmated) * counts.false_nonmatch
    return int(np.argmin(weight_fmr * scaled_fmr + weight_fnmr * scaled_fnmr))


def seek_best(outline: BinaryCounts, weight_fmr: float, weight_fnmr: float) -> IntArray:
    """Bins of an outline that may hold that row."""
    fmr, fnmr = weight_fmr * outline.fmr, weight_fnmr * outline.fnmr
    at_edges = np.min(fmr + fnmr)
    imaginable = fmr[1:] + fnmr[:-1]
    return np.flatnonzero(imaginable <= at_edges + _SLACK * (weight_fmr + weight_fnmr))


class MeasureAtPoint(Measure):
    """A measure read at an operating point, or of decisions that were made without one."""

    point: OperatingPoint | None

    @property
    def at(self) -> dict[str, float]:
        """The place as it stands behind the @ of the spelling."""
        return {} if self.point is None else self.point.at

    @property
    def thresholds(self) -> tuple[float, ...]:
        return (self.point.target,) if self.point is not None and self.point.key == THRESHOLD else ()

    def seek(self, outline: BinaryCounts) -> IntArray:
        return NOWHERE if self.point is None else self.point.seek(outline)

    @property
    def picks_threshold(self) -> bool:
        return self.point is not None and self.point.key != THRESHOLD

    @property
    def target(self) -> Target | None:
        return None if self.point is None else self.point.promise


class ErrorsAtPoint(MeasureAtPoint):
    """A measure of comparisons, read at an operating point."""

    point: OperatingPoint

    @property
    def counts_failures(self) -> bool:
        return self.point.counts_failures

    @property
    def mated(self) -> bool | None:
        """Is it a rate, or a count, of mated comparisons? None where both kinds are read."""
        return None

    @property
    def monotone(self) -> bool:
        if self.point.key == THRESHOLD:
            return True
        return self.point.how != "nearest" and self.mated is self.point.of_nonmated  # of its own kind it nears a target

    @property
    def fixed_between_mated(self) -> bool:
        if self.point.key == THRESHOLD:
            return True
        return self.point.how != "nearest" and bool(self.mated or not self.point.of_nonmated)

    def of_both_rates(self, tally: Tally, value: Callable[[float, float], float]) -> Result:
        """A number of FMR and FNMR, both read at the point."""
        curve_point = self.point.find(tally.errors, tally.rule)
        if curve_point is None:
            return Result.undefined(self.point.unreachable)
        rates = curve_point.between(tally.errors.fmr), curve_point.between(tally.errors.fnmr)
        return Result(value(*rates), self.point.shown(curve_point, tally.errors, tally.rule))


class DecisionsAtPoint(MeasureAtPoint, ClassMeasure):
    """A measure of decisions about predictions: of those that were made, or of those at a place on the curve."""

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({Need.DECISIONS}) if self.point is None else frozenset()

    def of(self, tally: ClassTally) -> Result:
        confusion = self._decisions(tally)
        return Result.undefined(confusion) if isinstance(confusion, Message) else self.of_decisions(tally, confusion)

    @abstractmethod
    def of_decisions(self, tally: ClassTally, confusion: Confusion) -> Result:
        """The number, where something was decided."""

    def _decisions(self, tally: ClassTally) -> Confusion | Message:
        """The confusion matrix at the place, or of the decisions as they were made; or why there is none."""
        from bertillon.counting.classes.confusion import Confusion  # comparisons do not wait for it

        if self.point is None:
            if tally.confusion is None:
                return say("reason.undecided")
            return tally.confusion if tally.weight else NO_WEIGHT
        reason = tally.why_not_scored or (None if tally.weight else NO_WEIGHT)
        reason = reason or (tally.why_not_ranked if self.point.key != THRESHOLD else None)
        if reason:
            return reason
        found = self.point.find(tally.points)
        if found is None:
            return say("reason.place_unreachable", place=str(self.point))
        threshold = self.point.shown(found, tally.points)
        predictions, cells = tally.predictions, tally.points.cells(found.row)
        return Confusion.of_cells(predictions.classes, predictions.positive_code, cells, threshold=threshold)
