"""False match and false non-match rates by threshold; ROC and DET are two ways to look at them. And bands.

Fewer points of the same curve: they are kept at equal steps of the path travelled along the curve, ends included. Both
errors are monotone along an error curve: there the path is that in log10 FMR, log10 FNMR and, ten times as heavy, in
the plain rates; so between two kept points neither error moves by more than one step. On other curves the path is that
in their two coordinates.

The convex hull of the ROC is found by pooling adjacent violators (PAV). A threshold off the hull is never the best for
any costs and priors. The blocks PAV pools are also the best monotone calibration of the scores, which is why the same
object serves the hull EER and minCllr.

A band says how sure a curve is: at each place of its grid the interval in which the true curve lies. `x` ascends, in
the units of the curve's horizontal axis (FMR, FPIR, recall, rank, threshold); `low` and `high` are in those of its
vertical axis, as the figure shows it: FNMR for a DET, TMR for a ROC, which is the other's `complement`. NaN stands
where nothing is known. A pointwise band holds at each place by itself with the stated level, a simultaneous one
everywhere at once.

Holds `ErrorCurve` with its views `Roc` and `Det`, `ByThreshold` on which it and `WatchListCurve` rest, `thinned` (error
counts) and `thinned_rows` (any two coordinates), `hull` with its `Hull`, and `Band`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.arguments import fill
from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.core.showing import short_repr
from bertillon.counting.error_counts import BinaryCounts, FloatArray

LINEAR_WEIGHT = 10.0
Kind = Literal["pointwise", "simultaneous"]
KINDS = ("pointwise", "simultaneous")


def thinned(counts: BinaryCounts, points: int) -> BinaryCounts:
    """At most `points` of the curve's points, first and last included; a curve that is short enough as it is."""
    if len(counts) <= points or points < 2:
        return counts
    travelled = _path(counts.false_match, counts.n_nonmated) + _path(counts.false_nonmatch, counts.n_mated)
    return counts.at(_at_equal_steps(travelled, points))


def thinned_rows(x: FloatArray, y: FloatArray, points: int) -> NDArray[np.int64]:
    """Places of at most `points` points at equal steps along the path of a curve, ends included."""
    if x.size <= points or points < 2:
        return np.arange(x.size)
    moved = np.abs(np.diff(np.nan_to_num(x))) + np.abs(np.diff(np.nan_to_num(y)))
    return _at_equal_steps(np.concatenate([[0.0], np.cumsum(moved)]), points)


def _at_equal_steps(travelled: FloatArray, points: int) -> NDArray[np.int64]:
    """The first place at or past each of so many equal steps of the way, and the last place."""
    steps = np.linspace(0.0, travelled[-1], points)
    return np.unique(np.append(np.searchsorted(travelled, steps[:-1]), travelled.size - 1))


def _path(errors: NDArray[np.int64], trials: int) -> FloatArray:
    """How far a rate has moved from the first point, on log and linear axes together; zero errors sit at a half."""
    if not trials:
        return np.zeros(errors.shape)
    rate: FloatArray = errors / trials
    logs: FloatArray = np.log10(np.maximum(rate, 0.5 / trials))
    return np.asarray(np.abs(logs - logs[0]) + LINEAR_WEIGHT * np.abs(rate - rate[0]))


@dataclass(frozen=True, slots=True, eq=False)
class ByThreshold:
    """Error counts, and the rule by which their thresholds are oriented."""

    counts: BinaryCounts
    rule: AcceptRule

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def threshold(self) -> FloatArray:
        """Thresholds in the user's units; the last rejects everything (inf, or -inf for a distance)."""
        return self.rule.orient(self.counts.threshold) + 0.0

    def thin(self, points: int = 2000) -> Self:
        """The same curve in at most about `points` points, without visible loss on linear or log axes."""
        return replace(self, counts=thinned(self.counts, points))


class Roc(NamedTuple):
    """Receiver operating characteristic: true match rate against false match rate."""

    fmr: FloatArray
    tmr: FloatArray
    threshold: FloatArray


class Det(NamedTuple):
    """Detection error trade-off: false non-match rate against false match rate."""

    fmr: FloatArray
    fnmr: FloatArray
    threshold: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ErrorCurve(ByThreshold):
    """Error counts and rates along ever stricter thresholds, in the user's units.

    >>> from bertillon.counting.tally import count_errors
    >>> from bertillon.core.rule import AcceptRule
    >>> from bertillon.trials.score_set import ScoreSet
    >>> curve = ErrorCurve(count_errors(ScoreSet([2, 3], [1, 2])), AcceptRule.SIMILARITY)
    >>> curve.threshold.tolist(), curve.fmr.tolist(), curve.fnmr.tolist()
    ([1.0, 2.0, 3.0, inf], [1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 1.0])
    """

    __repr__ = short_repr

    @property
    def fmr(self) -> FloatArray:
        """False match rate: share of non-mated comparisons accepted."""
        return self.counts.fmr

    @property
    def fnmr(self) -> FloatArray:
        """False non-match rate: share of mated comparisons rejected."""
        return self.counts.fnmr

    @property
    def tmr(self) -> FloatArray:
        """True match rate, 1 - FNMR."""
        return 1.0 - self.counts.fnmr

    @property
    def roc(self) -> Roc:
        """The curve as a ROC."""
        return Roc(self.fmr, self.tmr, self.threshold)

    @property
    def det(self) -> Det:
        """The curve as a DET."""
        return Det(self.fmr, self.fnmr, self.threshold)

    def to_frame(self) -> pl.DataFrame:
        """One row a threshold: threshold, counts and rates."""
        return pl.DataFrame(
            {
                "threshold": self.threshold,
                "false_match": self.counts.false_match,
                "false_nonmatch": self.counts.false_nonmatch,
                "fmr": self.fmr,
                "fnmr": self.fnmr,
            }
        )


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """Vertices of the hull from accept-all to reject-all, and the pooled blocks between them."""

    false_match: NDArray[np.int64]
    false_nonmatch: NDArray[np.int64]
    row: NDArray[np.int64]  # of the curve the hull was taken from

    @property
    def block_mated(self) -> NDArray[np.int64]:
        """Mated scores pooled in each block, least alike first."""
        return np.diff(self.false_nonmatch)

    @property
    def block_nonmated(self) -> NDArray[np.int64]:
        """Non-mated scores pooled in each block."""
        return -np.diff(self.false_match)


def hull(counts: BinaryCounts) -> Hull:
    """The hull of a whole curve.

    >>> from bertillon.counting.error_counts import count_every_threshold
    >>> counts = count_every_threshold(np.array([2.0, 3.0]), np.array([1.0, 2.0]), compiled=False)
    >>> hull(counts).false_match.tolist(), hull(counts).false_nonmatch.tolist()
    ([2, 1, 0, 0], [0, 0, 1, 2])
    """
    from scipy.optimize import isotonic_regression

    mated, nonmated = np.diff(counts.false_nonmatch), -np.diff(counts.false_match)
    together = mated + nonmated
    pooled = isotonic_regression(mated / together, weights=together)
    row = pooled.blocks.astype(np.int64)  # first row of each block, and one past the last
    return Hull(counts.false_match[row], counts.false_nonmatch[row], row)


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Lower and upper ends on a grid, their level, and what the level is about."""

    __repr__ = short_repr

    x: FloatArray
    low: FloatArray
    high: FloatArray
    level: float = 0.95
    kind: Kind = "pointwise"

    def __init__(
        self, x: ArrayLike, low: ArrayLike, high: ArrayLike, *, level: float = 0.95, kind: Kind = "pointwise"
    ) -> None:
        columns = {name: _column(values, name) for name, values in (("x", x), ("low", low), ("high", high))}
        _check_band(**columns, level=level, kind=kind)
        fill(self, **columns, level=level, kind=kind)

    @property
    def complement(self) -> Band:
        """The band of one less the rate: that of the TMR from that of the FNMR.

        >>> Band([0.1, 0.2], [0.25, 0.0], [0.5, 0.25]).complement.high.tolist()
        [0.75, 1.0]
        """
        return replace(self, low=1.0 - self.high, high=1.0 - self.low)

    @property
    def name(self) -> Message:
        """What the band is, in a few words.

        >>> str(Band([0], [0], [1]).name)
        '95 % band, pointwise'
        """
        return say("band.pointwise" if self.kind == "pointwise" else "band.simultaneous", level=self.level)


def _column(values: ArrayLike, name: str) -> FloatArray:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise InputError(f"band: {name} has shape {column.shape}; expected one dimension")
    return column


def _check_band(*, x: FloatArray, low: FloatArray, high: FloatArray, level: float, kind: str) -> None:
    if not x.size == low.size == high.size:
        sizes = f"{x.size:,} places, {low.size:,} lower and {high.size:,} upper ends"
        raise InputError(f"band: {sizes}; expected as many of each")
    if np.isnan(x).any() or (np.diff(x) < 0.0).any():
        raise InputError("band: x is not in ascending order; sort x, with low and high")
    if (low > high).any():
        at = x[np.argmax(low > high)]
        raise InputError(f"band: at {at:g} the lower end is above the upper one; were low and high exchanged?")
    if not 0.0 < level < 1.0:
        raise InputError(f"band: level is {level!r}; expected a number between 0 and 1, such as 0.95")
    if kind not in KINDS:
        raise InputError(f"band: kind is {kind!r}; expected {' or '.join(KINDS)}")
