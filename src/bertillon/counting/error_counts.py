"""The counts behind every curve of two classes, what they are counted of, and how comparisons end at a threshold.

Conventions: the mated comparisons of verification are the positives of a classifier. Counts are whole numbers, or sums
of weights. Thresholds are oriented; a score equal to one is accepted.

Every distinct threshold, which is the whole exact curve, is had by sorting: small sets are sorted and merged by numpy
without loading a compiler, large ones are merged in one compiled walk.

Holds what counting reads of scores, whoever holds them: `Failures` (comparisons without a score), `Scores` (held in
memory) and `Streamed` (that come by in batches), the classes of which are in `trials`; what every one of these says of
itself, `Comparisons` and `definitions_of`. `BinaryCounts`, `DeferredCounts` (counted when they are read),
`count_every_threshold`, `CurvePoint` and `crossing` (the one where FMR meets FNMR), and the array types
`FloatArray` and `IntArray`. The four `Outcomes` at one threshold, counted from scores (`outcomes`) or read off a curve
(`outcomes_on`), and the rates of attempts (`attempt_rates`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.core.arguments import NUMBER, fill, require
from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.core.rule import AcceptRule, row_at
from bertillon.core.showing import short_repr
from bertillon.counting.slices import in_order

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ARRAYS = ("threshold", "false_match", "false_nonmatch")
DISTINCT = say("signature.thresholds.scores")


@dataclass(frozen=True, slots=True)
class Failures:
    """Comparisons and enrolments that gave no score.

    Parameters
    ----------
    mated, nonmated
        Comparisons that gave no score.
    enrolments, enrolment_attempts
        Enrolments that failed, and of how many.

    Examples
    --------
    >>> Failures(mated=2, nonmated=1).comparisons
    3
    """

    mated: int = 0
    nonmated: int = 0
    enrolments: int = 0
    enrolment_attempts: int = 0

    def __post_init__(self) -> None:
        for name in ("mated", "nonmated", "enrolments", "enrolment_attempts"):
            require(getattr(self, name), NUMBER, f"failures: {name}", "a count of 0 or more")
            if getattr(self, name) < 0:
                raise InputError(f"failures: {name} is {getattr(self, name)}; expected a count of 0 or more")
        if self.enrolments > self.enrolment_attempts:
            raise InputError(
                f"failures: {self.enrolments} failed enrolments of {self.enrolment_attempts} attempts; "
                "expected at most as many failures as attempts"
            )

    @property
    def comparisons(self) -> int:
        """Failed comparisons of both kinds."""
        return self.mated + self.nonmated


class System(Protocol):
    """What is known of any scores."""

    @property
    def rule(self) -> AcceptRule: ...

    @property
    def failures(self) -> Failures: ...

    @property
    def name(self) -> str: ...


class Scores(System, Protocol):
    """Scores in memory, without those of failed comparisons."""

    @property
    def mated(self) -> NDArray[Any]: ...

    @property
    def nonmated(self) -> NDArray[Any]: ...

    @property
    def size(self) -> int: ...


def definitions_of(rule: AcceptRule, data: Text, thresholds: Text = DISTINCT) -> dict[str, Any]:
    """What rates of comparisons mean, and the fingerprint of the `data` they belong to."""
    return {
        "rule": say("signature.rule.accept", sign=rule.sign),
        "thresholds": thresholds,
        "targets": say("signature.targets.at_most"),
        "eer": say("signature.eer.interpolated"),
        "data": data,
    }


class Comparisons(ABC):
    """What comparisons say of themselves, whether they are held or only their counts are."""

    __slots__ = ()
    kind: ClassVar[Literal["verification"]] = "verification"

    @property
    @abstractmethod
    def failures(self) -> Failures:
        """What failed."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """How many mated and how many non-mated comparisons gave a score."""

    @property
    def n_trials(self) -> int:
        """All comparisons that gave a score."""
        return sum(self.sizes)

    @property
    def failed(self) -> int:
        """Comparisons that gave no score."""
        return self.failures.comparisons

    @property
    def counts(self) -> dict[str, int]:
        """How many comparisons of each kind, and how many failed."""
        mated, nonmated = self.sizes
        return {"mated": mated, "nonmated": nonmated, "failed": self.failed}

    @property
    def curves(self) -> tuple[str, ...]:
        """ROC and DET, where there are scores of both kinds."""
        return ("roc", "det") if all(self.sizes) else ()


class Streamed(System, Protocol):
    """Scores of one system that come by in batches."""

    @property
    def notes(self) -> tuple[Text, ...]: ...

    @property
    def warnings(self) -> tuple[Text, ...]: ...

    @property
    def expected(self) -> int | None: ...

    def __iter__(self) -> Iterator[Scores]: ...


@dataclass(frozen=True, slots=True, eq=False)
class BinaryCounts:
    """Errors at each threshold, strictest last, and what both modes read of them.

    `threshold` is oriented and ascends; the last one rejects everything. `false_match` counts non-mated scores at or
    above it, `false_nonmatch` mated scores below it. When `complete`, every distinct score is a threshold; otherwise
    only neighbourhoods of the points asked for are there, each of them exact.
    """

    __repr__ = short_repr

    threshold: FloatArray
    false_match: IntArray
    false_nonmatch: IntArray
    n_mated: int
    n_nonmated: int
    complete: bool = True
    failed_mated: int = 0
    failed_nonmated: int = 0
    accepted_weight: FloatArray | None = None  # of the mated: subtracting sums of weights would lose the last digit

    @classmethod
    def of_weights(cls, threshold: FloatArray, tp: FloatArray, fp: FloatArray) -> BinaryCounts:
        """Sums of the weights accepted at each threshold; the first one accepts everything."""
        positives, negatives = float(tp[0]), float(fp[0])  # sums in the order of the others, so that rates end at 1
        weights: Any = {
            "false_match": fp,
            "false_nonmatch": positives - tp,
            "n_mated": positives,
            "n_nonmated": negatives,
        }
        return cls(threshold, **weights, accepted_weight=tp)

    def __len__(self) -> int:
        return int(self.threshold.size)

    def at(self, rows: NDArray[Any]) -> BinaryCounts:
        """Some of the rows, each as it was."""
        return replace(
            self,
            threshold=self.threshold[rows],
            false_match=self.false_match[rows],
            false_nonmatch=self.false_nonmatch[rows],
            complete=False,
            accepted_weight=None if self.accepted_weight is None else self.accepted_weight[rows],
        )

    @property
    def fmr(self) -> FloatArray:
        """False match rate at each threshold; NaN without non-mated scores."""
        return _rate(self.false_match, self.n_nonmated)

    @property
    def fnmr(self) -> FloatArray:
        """False non-match rate at each threshold; NaN without mated scores."""
        return _rate(self.false_nonmatch, self.n_mated)

    @property
    def far(self) -> FloatArray:
        """False accept rate: a failed comparison is an attempt that was not accepted."""
        return _rate(self.false_match, self.n_nonmated + self.failed_nonmated)

    @property
    def frr(self) -> FloatArray:
        """False reject rate: a failed comparison of a genuine user is a rejection."""
        return _rate(self.false_nonmatch + self.failed_mated, self.n_mated + self.failed_mated)

    @property
    def tp(self) -> NDArray[Any]:
        """True positives: mated scores accepted."""
        return self.n_mated - self.false_nonmatch if self.accepted_weight is None else self.accepted_weight

    @property
    def fp(self) -> NDArray[Any]:
        """False positives: false matches."""
        return self.false_match

    @property
    def total(self) -> float:
        """All scores, or their weight."""
        return self.n_mated + self.n_nonmated

    @property
    def accepted(self) -> NDArray[Any]:
        """What is accepted of both classes."""
        return np.asarray(self.tp + self.fp)

    @property
    def recall(self) -> FloatArray:
        """Share of the positives accepted; NaN without any."""
        return _rate(self.tp, self.n_mated)

    @property
    def fpr(self) -> FloatArray:
        """False positive rate: the false match rate of a classifier."""
        return self.fmr

    @property
    def precision(self) -> FloatArray:
        """Share of the positives among what is accepted; NaN where nothing is."""
        tp = self.tp
        accepted = tp + self.fp
        precision = np.full(len(self), np.nan)
        np.divide(tp, accepted, out=precision, where=accepted > 0)
        return precision

    @property
    def clean(self) -> float | None:
        """A threshold at which no error is made; None where the scores overlap, or there are none of one class."""
        without = np.flatnonzero((self.false_match == 0) & (self.false_nonmatch == 0))
        return float(self.threshold[without[0]]) if without.size and self.n_mated and self.n_nonmated else None

    def cells(self, row: int) -> tuple[float, float, float, float]:
        """tp, fp, fn and tn at one row."""
        tp, fp = self.tp[row].item(), self.fp[row].item()
        return tp, fp, self.n_mated - tp, self.n_nonmated - fp


def _rate(part: NDArray[Any], trials: int) -> FloatArray:
    return part / trials if trials else np.full(part.shape, np.nan)


class DeferredCounts(BinaryCounts):
    """Errors at every threshold, counted when one of the arrays is first read."""

    __slots__ = ("_count",)
    _count: Callable[[], BinaryCounts]

    @classmethod
    def of(cls, count: Callable[[], BinaryCounts], known: BinaryCounts) -> DeferredCounts:
        """What `count` will return; `known` are other counts of the same scores."""
        deferred = cls.__new__(cls)
        about = {each.name: getattr(known, each.name) for each in fields(BinaryCounts) if each.name not in ARRAYS}
        fill(deferred, **about | {"_count": count, "complete": True})
        return deferred

    def __getattr__(self, name: str) -> Any:  # asked for an array that is not there yet
        if name not in ARRAYS:
            raise AttributeError(name)
        counted = self._count()
        fill(self, **{array: getattr(counted, array) for array in ARRAYS})
        return getattr(counted, name)


def count_every_threshold(mated: NDArray[Any], nonmated: NDArray[Any], *, compiled: bool) -> BinaryCounts:
    """Error counts at every distinct score and at one threshold that rejects all; scores are oriented.

    >>> counts = count_every_threshold(np.array([2.0, 3.0]), np.array([1.0, 2.0]), compiled=False)
    >>> counts.threshold.tolist(), counts.false_match.tolist(), counts.false_nonmatch.tolist()
    ([1.0, 2.0, 3.0, inf], [2, 1, 0, 0], [0, 0, 1, 2])
    """
    count = _merge_compiled if compiled else _merge_plain
    return BinaryCounts(*count(mated, nonmated), mated.size, nonmated.size)


def _merge_plain(mated: NDArray[Any], nonmated: NDArray[Any]) -> tuple[FloatArray, IntArray, IntArray]:
    """Both classes are sorted apart; a stable sort then merges the two runs in one walk."""
    both = np.concatenate([np.sort(mated), np.sort(nonmated)]).astype(np.float64, copy=False)
    order = np.argsort(both, kind="stable")
    score = both[order]
    first = np.flatnonzero(np.append(True, score[1:] != score[:-1])[: score.size])  # of equal scores
    false_nonmatch = np.append(0, np.cumsum(order < mated.size))[np.append(first, score.size)]
    false_match = nonmated.size - (np.append(first, score.size) - false_nonmatch)
    return np.append(score[first] + 0.0, np.inf), false_match, false_nonmatch  # + 0.0: one spelling of zero


def _merge_compiled(mated: NDArray[Any], nonmated: NDArray[Any]) -> tuple[FloatArray, IntArray, IntArray]:
    from bertillon.counting.kernels import merge_sorted

    size = mated.size + nonmated.size + 1
    threshold = np.empty(size)
    false_match, false_nonmatch = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    row, *_ = merge_sorted(in_order(mated), in_order(nonmated), 0, 0, threshold, false_match, false_nonmatch, 0)
    threshold[row], false_match[row], false_nonmatch[row] = np.inf, 0, mated.size
    rows = row + 1
    if 2 * rows < size:  # of many equal scores no more is kept than there is
        return threshold[:rows].copy(), false_match[:rows].copy(), false_nonmatch[:rows].copy()
    return threshold[:rows], false_match[:rows], false_nonmatch[:rows]


class CurvePoint(NamedTuple):
    """A point on the curve: between two rows, `share` of the way from the first to the second."""

    row: int
    next_row: int
    share: float = 0.0

    def between(self, values: NDArray[np.float64]) -> float:
        """The value at the point, on the straight line between its rows."""
        first = float(values[self.row])
        if self.share == 0.0:
            return first
        second = float(values[self.next_row])
        if math.isinf(second - first):  # two finite numbers may be too far apart to be subtracted
            return (1.0 - self.share) * first + self.share * second
        return first + self.share * (second - first)

    def threshold(self, counts: BinaryCounts) -> float:
        """The oriented threshold of the point; next to an infinite one, the neighbour that is finite."""
        ends = [float(counts.threshold[row]) for row in (self.row, self.next_row)]
        if self.share and math.isinf(max(ends)):
            return min(ends)
        if self.share and math.isinf(min(ends)):
            return max(ends)
        return self.between(counts.threshold) if self.share else ends[0]


def crossing(
    false_match: NDArray[np.int64], false_nonmatch: NDArray[np.int64], n_mated: int, n_nonmated: int
) -> CurvePoint:
    """From the last threshold with FMR >= FNMR towards the next, on the straight line, compared in whole numbers.

    They are Python's, row by row where one is looked at: of 1e12 comparisons the products do not fit in 64 bits.
    """

    def gap(row: int) -> int:
        """The sign of FNMR - FMR, which only grows."""
        return int(false_nonmatch[row]) * int(n_nonmated) - int(false_match[row]) * int(n_mated)

    before = max(bisect_right(range(false_match.size), 0, key=gap) - 1, 0)
    here = gap(before)
    if here == 0 or before == false_match.size - 1:  # a part of a curve may end before the crossing
        return CurvePoint(before, before, 0.0)
    return CurvePoint(before, before + 1, -here / (gap(before + 1) - here))


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How the comparisons of a score set end at a threshold; genuine and impostor in everyday words."""

    threshold: float
    true_match: int  # genuine accepted
    false_nonmatch: int  # genuine rejected
    true_nonmatch: int  # impostors rejected
    false_match: int  # impostors accepted


def outcomes(scores: Scores, threshold: float) -> Outcomes:
    """Count the outcomes; a score equal to the threshold is accepted.

    >>> from bertillon.trials.score_set import ScoreSet
    >>> outcomes(ScoreSet([0.9, 0.4], [0.1, 0.4]), 0.4)
    Outcomes(threshold=0.4, true_match=2, false_nonmatch=0, true_nonmatch=1, false_match=1)
    """
    true_match = int(np.count_nonzero(scores.rule.accepts(scores.mated, threshold)))
    false_match = int(np.count_nonzero(scores.rule.accepts(scores.nonmated, threshold)))
    return Outcomes(
        threshold, true_match, scores.mated.size - true_match, scores.nonmated.size - false_match, false_match
    )


def outcomes_on(counts: BinaryCounts, rule: AcceptRule, threshold: float) -> Outcomes:
    """The outcomes at the first threshold of a curve at least as strict; exact where the curve holds the threshold."""
    row = int(row_at(counts.threshold, rule.orient(threshold)))
    false_match, false_nonmatch = int(counts.false_match[row]), int(counts.false_nonmatch[row])
    return Outcomes(
        threshold, counts.n_mated - false_nonmatch, false_nonmatch, counts.n_nonmated - false_match, false_match
    )


def attempt_rates(
    false_match: float, false_nonmatch: float, *, counts: Mapping[str, int], failures: Failures
) -> tuple[float, float]:
    """FAR and FRR: a failed comparison is an attempt that was not accepted."""
    impostors, genuine = counts["nonmated"] + failures.nonmated, counts["mated"] + failures.mated
    return false_match / impostors, (false_nonmatch + failures.mated) / genuine
