"""Everything counted about a score set, gathered once for all the questions asked of it.

Conventions: besides errors these are mean and spread, and how many pairs are in the right order. Moments are taken in
one stable pass. The pairs won are the integers behind the AUC: the smaller class is sorted; each score of the larger
finds its place through a table of equal steps and a short binary search, so the larger class is neither copied nor
sorted.

Holds `take_tally`, the `Tally` it gives, `Need` (what a question may read besides errors), `Needs` (what several
questions need together), `count_errors` and `error_curve`, the whole exact curve alone, and `CountedScores`: trials of
which the tally is what is left, since the comparisons were counted and not kept; `Moments`, those of `NO_SCORES`, and
`moments_of`; `Wins`, `count_wins` (from scores), `wins_from_curve` (from counts at every threshold), `Rivals` (the
sorted class, for those who hold the other in blocks) and `steps_over`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.core.messages import Text, say
from bertillon.core.rule import AcceptRule
from bertillon.core.showing import short_repr
from bertillon.counting.curves.error_curve import ErrorCurve
from bertillon.counting.error_counts import (
    BinaryCounts,
    Comparisons,
    DeferredCounts,
    Failures,
    FloatArray,
    IntArray,
    Outcomes,
    Scores,
    count_every_threshold,
    definitions_of,
    outcomes_on,
)
from bertillon.counting.keys import fingerprint
from bertillon.counting.limits import LIMITS
from bertillon.counting.refining import LOADED_FOR, Seek, count_sought
from bertillon.counting.slices import in_blocks, in_order, in_slices

if TYPE_CHECKING:
    from bertillon.counting.tiles.groups import CountedGroups
    from bertillon.counting.tiles.people import ComparedPeople

PIECE = 1 << 15  # scores whose deviations stay in the cache
FAR_OUT = 20  # times the breadth of the middle four fifths


class Need(Enum):
    """What a measure reads of a tally besides the counts around the points it seeks."""

    EVERY_THRESHOLD = "every threshold"
    MOMENTS = "moments"
    WINS = "wins"
    SCORES = "scores"
    DECISIONS = "decisions"  # true and decided classes, and nothing else
    EQUAL_SAMPLES = "equal samples"  # weights mean nothing to it: a sample taken twice must be there twice


class Question(Protocol):
    """What is read of a measure before trials are counted for it."""

    @property
    def needs(self) -> frozenset[Need]: ...

    @property
    def thresholds(self) -> tuple[float, ...]: ...

    def seek(self, outline: BinaryCounts) -> IntArray: ...


@dataclass(frozen=True, slots=True)
class Needs:
    """What some measures need counted, so that trials are counted once for all of them.

    `reads` says what they read besides errors, `thresholds` at which thresholds (in the user's units) they must know
    the counts, and `seeks` where on an outline of the curve their answers may lie.
    """

    reads: frozenset[Need] = frozenset()
    thresholds: tuple[float, ...] = ()
    seeks: tuple[Seek, ...] = ()

    @classmethod
    def of(cls, measures: Iterable[Question]) -> Needs:
        """What measures need together, each threshold once.

        >>> from bertillon.measures import parse
        >>> needs = Needs.of([parse("EER"), parse("FNMR@t=0.5"), parse("FMR@t=0.5"), parse("dprime")])
        >>> needs.thresholds, needs.reads, len(needs.seeks)
        ((0.5,), frozenset({<Need.MOMENTS: 'moments'>}), 4)
        """
        asked = list(measures)
        return cls(
            frozenset().union(*(measure.needs for measure in asked)),
            tuple(dict.fromkeys(threshold for measure in asked for threshold in measure.thresholds)),
            tuple(measure.seek for measure in asked),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Counts of one score set. What nobody asked for is None."""

    __repr__ = short_repr

    errors: BinaryCounts
    outline: BinaryCounts  # the curve to draw: every threshold, or the edges of bins of more than a million scores
    rule: AcceptRule
    failures: Failures
    mated_moments: Moments | None = None
    nonmated_moments: Moments | None = None
    wins: Wins | None = None
    scores: Scores | None = None

    @property
    def curve(self) -> ErrorCurve:
        """Every threshold; where there are more than a million scores, an outline exact at each point."""
        return ErrorCurve(self.outline, self.rule)

    @property
    def looks_reversed(self) -> bool:
        """Non-mated scores look more alike than mated ones: AUC below one half."""
        wins = wins_from_curve(self.outline.false_match, self.outline.false_nonmatch, self.outline.n_mated)
        return 2 * wins.won + wins.tied < wins.pairs

    def holds(self, needs: Needs) -> bool:
        """Is all here that some measures need? Where not every threshold is, what they seek may be missing."""
        lacking = {Need.MOMENTS: self.mated_moments, Need.WINS: self.wins, Need.SCORES: self.scores}
        return self.errors.complete and not any(lacking.get(need, self) is None for need in needs.reads)


def take_tally(scores: Scores, seeks: Sequence[Seek] = (), needs: Iterable[Need] = ()) -> Tally:
    """Count what the questions need, each once.

    `seeks` say which bins of an outline may hold an answer; `needs` say what else is read.
    """
    needed = frozenset(needs)
    large = scores.size > LIMITS.memory.sort_up_to
    moments: list[Moments | None] = [None, None]
    if Need.MOMENTS in needed:
        moments = [moments_of(kind, compiled=large) for kind in (scores.mated, scores.nonmated)]
    if Need.EVERY_THRESHOLD not in needed and (large or _seeking_pays(scores, len(seeks), wins=Need.WINS in needed)):
        known = [part for part in moments if part is not None and part.n]  # the pass over moments came by the ends
        ends = (min(part.smallest for part in known), max(part.largest for part in known)) if known else None
        errors, outline = _count_sought(scores, seeks, ends, drawn=large)
    else:
        errors = outline = count_errors(scores)
    wins: Wins | None = None
    if Need.WINS in needed and errors.complete:
        wins = wins_from_curve(errors.false_match, errors.false_nonmatch, errors.n_mated)
    elif Need.WINS in needed:
        wins = count_wins(scores.mated, scores.nonmated, scores.rule.factor)
    return Tally(
        errors=errors,
        outline=outline,
        rule=scores.rule,
        failures=scores.failures,
        mated_moments=moments[0],
        nonmated_moments=moments[1],
        wins=wins,
        scores=scores if Need.SCORES in needed else None,
    )


def count_errors(scores: Scores) -> BinaryCounts:
    """The whole exact curve: errors at every distinct threshold."""
    compiled = scores.size > LIMITS.memory.sort_up_to or scores.mated.dtype in LOADED_FOR
    oriented = (scores.rule.orient(kind) for kind in (scores.mated, scores.nonmated))
    counts = count_every_threshold(*oriented, compiled=compiled)
    return replace(counts, failed_mated=scores.failures.mated, failed_nonmated=scores.failures.nonmated)


def error_curve(scores: Scores) -> ErrorCurve:
    """The whole exact curve, at every distinct threshold whatever the size."""
    return ErrorCurve(count_errors(scores), scores.rule)


def _seeking_pays(scores: Scores, questions: int, *, wins: bool) -> bool:
    """Does counting around the answers take less time than counting at every threshold? By what was measured."""
    sorting = LIMITS.times.sort_ns + questions * LIMITS.times.read_ns + wins * LIMITS.times.curve_wins_ns
    seeking = LIMITS.times.seek_ns + wins * LIMITS.times.wins_ns
    start = LIMITS.times.start_seeking_ns + questions * LIMITS.times.ask_ns
    start += 0 if scores.mated.dtype in LOADED_FOR else LIMITS.times.load_ns
    return start + scores.size * seeking < scores.size * sorting


def _count_sought(
    scores: Scores, seeks: Sequence[Seek], ends: tuple[float, float] | None, *, drawn: bool
) -> tuple[BinaryCounts, BinaryCounts]:
    """Errors where the questions find their answers, and the curve to draw: an outline, or every threshold."""
    failed = (scores.failures.mated, scores.failures.nonmated)
    sought = count_sought(
        scores.mated, scores.nonmated, seeks, sign=scores.rule.factor, ends=ends, failed=failed, drawn=drawn
    )
    return sought.exact, sought.outline if drawn else DeferredCounts.of(lambda: count_errors(scores), sought.exact)


@dataclass(frozen=True, slots=True, eq=False)
class CountedScores(Comparisons):
    """A tally, the mated scores, and a sample of the others."""

    __repr__ = short_repr

    tally: Tally
    mated: NDArray[Any]
    sample: NDArray[Any]  # of the non-mated scores, spread over all tiles
    thresholds: tuple[float, ...]  # asked for before counting; only these are exact between mated scores
    name: str
    notes: tuple[Text, ...]
    warnings: tuple[Text, ...] = ()
    tile: int | None = None  # the side of the tiles in which they were counted
    people: ComparedPeople | None = None  # who was compared; None where nobody knows
    groups: CountedGroups | None = None  # counts by pairs of groups of people, where these were asked for

    form: ClassVar[Literal["counted", "streamed"]] = "counted"

    @property
    def rule(self) -> AcceptRule:
        return self.tally.rule

    @property
    def failures(self) -> Failures:
        return self.tally.failures

    @property
    def sizes(self) -> tuple[int, int]:
        return self.tally.errors.n_mated, self.tally.errors.n_nonmated

    @property
    def fingerprint(self) -> str:
        """A short name for the data, from what was kept of them."""
        return fingerprint(self.mated, self.sample)

    @property
    def data(self) -> Text:
        """The fingerprint, and what it is of."""
        return say("signature.data.sampled", data=self.fingerprint)

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return definitions_of(self.rule, self.data) | ({"tile": self.tile} if self.tile else {})

    def count(self, needs: Needs) -> Tally:
        """What was counted; nothing more can be, whatever is needed."""
        return self.tally

    def outcomes(self, threshold: float) -> Outcomes:
        """How the comparisons end at the first threshold at least as strict at which the curve is known."""
        return outcomes_on(self.tally.outline, self.rule, threshold)

    def with_enrolments(self, failed: int, attempted: int) -> CountedScores:
        """The same counts, and how many people could not be enrolled."""
        failures = replace(self.failures, enrolments=failed, enrolment_attempts=attempted)
        return replace(self, tally=replace(self.tally, failures=failures))


@dataclass(frozen=True, slots=True)
class Moments:
    """Number, mean and sum of squared deviations of scores; two of them can be merged."""

    n: int
    mean: float
    squares: float
    smallest: float = field(default=math.inf, compare=False)  # where they are not known, greater than the largest
    largest: float = field(default=-math.inf, compare=False)

    @property
    def variance(self) -> float:
        """Population variance (divides by n); NaN without scores."""
        return self.squares / self.n if self.n else math.nan

    @property
    def of_finite(self) -> bool:
        """Are all scores finite? Their sum may be infinite nonetheless."""
        return math.isfinite(self.mean) or -math.inf < self.smallest <= self.largest < math.inf

    def merge(self, other: Moments) -> Moments:
        """The moments of both samples together."""
        if not self.n or not other.n:
            return self if self.n else other
        n, delta = self.n + other.n, other.mean - self.mean
        return Moments(
            n,
            self.mean + delta * other.n / n,
            self.squares + other.squares + delta * delta * self.n * other.n / n,
            min(self.smallest, other.smallest),
            max(self.largest, other.largest),
        )


NO_SCORES = Moments(0, math.nan, 0.0)


def moments_of(scores: NDArray[Any], *, compiled: bool) -> Moments:
    """Moments of the scores; infinite scores make them infinite or NaN."""
    if compiled:
        return _compiled_moments(scores)
    values: FloatArray = scores.astype(np.float64, copy=False)
    if not values.size:
        return NO_SCORES
    lows, highs = [], []

    def from_first(part: FloatArray) -> FloatArray:
        lows.append(part.min())
        highs.append(part.max())
        return np.asarray(part - values[0])  # so equal scores have no spread at all

    with np.errstate(invalid="ignore", over="ignore"):
        mean = float(values[0]) + _sum_of(from_first, values) / values.size
        squares = _sum_of(lambda part: np.square(part - mean), values)
    return Moments(values.size, mean, squares, float(min(lows)), float(max(highs)))


def _sum_of(deviations: Callable[[FloatArray], FloatArray], values: FloatArray) -> float:
    """The sum of deviations, worked out for a piece at a time that stays in the cache.

    An array is halved where numpy halves a long one to add it up, so the sum is the same to the last bit.
    """
    if values.size <= PIECE:
        return float(np.add.reduce(deviations(values)))
    middle = values.size // 2 // 8 * 8
    return _sum_of(deviations, values[:middle]) + _sum_of(deviations, values[middle:])


def _compiled_moments(scores: NDArray[Any]) -> Moments:
    from bertillon.counting.kernels import block_moments

    return reduce(Moments.merge, (Moments(*part) for part in in_blocks(block_moments, scores)), NO_SCORES)


@dataclass(frozen=True, slots=True)
class Wins:
    """Pairs in which the mated score is the more alike, and pairs in which both are equal."""

    won: int
    tied: int
    pairs: int


def wins_from_curve(false_match: NDArray[np.int64], false_nonmatch: NDArray[np.int64], n_mated: int) -> Wins:
    """Wins from the counts at every distinct threshold.

    >>> wins_from_curve(np.array([2, 1, 0, 0]), np.array([0, 0, 1, 2]), 2)
    Wins(won=3, tied=1, pairs=4)
    """
    here_nonmated = -np.diff(false_match)
    here_mated = np.diff(false_nonmatch)
    above = n_mated - false_nonmatch[1:]
    return Wins(_products(here_nonmated, above), _products(here_nonmated, here_mated), int(false_match[0]) * n_mated)


def _products(times: NDArray[np.int64], numbers: NDArray[np.int64]) -> int:
    """The sum of products of counts, exact beyond 64 bits: the numbers are taken a few of their bits at a time.

    >>> _products(np.array([2**40, 3]), np.array([2**40, 5])) == 2**80 + 15
    True
    """
    bits = max(1, 63 - int(times.sum()).bit_length())
    total, offset = 0, 0
    while numbers.any():
        total += int(times @ (numbers & ((1 << bits) - 1))) << offset
        numbers, offset = numbers >> bits, offset + bits
    return total


def count_wins(mated: NDArray[Any], nonmated: NDArray[Any], sign: int) -> Wins:
    """Wins of the mated over the non-mated scores; sign -1 turns distances."""
    pairs = mated.size * nonmated.size
    if not pairs:
        return Wins(0, 0, 0)
    if mated.size <= nonmated.size:  # the sorted class must be the smaller: count what the non-mated win, and turn
        lost, tied = _beaten(nonmated, mated, sign)
        return Wins(pairs - lost - tied, tied, pairs)
    won, tied = _beaten(mated, nonmated, sign)
    return Wins(won, tied, pairs)


@dataclass(frozen=True, slots=True, eq=False)
class Rivals:
    """One class in order, with a table of steps by which scores of the other find their places in it."""

    ordered: NDArray[Any]
    low: float
    scale: float
    start: NDArray[np.int64]
    sign: int

    @classmethod
    def of(cls, rivals: NDArray[Any], sign: int, steps: int | None = None) -> Rivals:
        """Sort the rivals; sign -1 turns distances. A table of as many steps as there are scores is the fastest."""
        from bertillon.counting import kernels

        steps = steps or LIMITS.memory.rank_steps
        ordered = in_order(rivals if sign > 0 else -rivals)
        low, scale = steps_over(ordered, steps)
        held = np.zeros(steps, dtype=np.int64)
        kernels.count_steps(ordered, low, scale, held)
        return cls(ordered, low, scale, np.concatenate([[0], np.cumsum(held)]), sign)

    def beaten_by(self, scores: NDArray[Any]) -> tuple[int, int]:
        """How many (score, rival) pairs the scores win, and how many are tied."""
        from bertillon.counting import kernels

        won, tied = kernels.count_wins(scores, float(self.sign), self.ordered, self.low, self.scale, self.start)
        return int(won), int(tied)


def _beaten(scores: NDArray[Any], rivals: NDArray[Any], sign: int) -> tuple[int, int]:
    steps = min(scores.size, LIMITS.memory.rank_steps)
    parts = in_slices(Rivals.of(rivals, sign, steps).beaten_by, scores)
    return sum(won for won, _ in parts), sum(tied for _, tied in parts)


def steps_over(ordered: NDArray[Any], steps: int) -> tuple[float, float]:
    """Where so many equal steps begin and how many go to one unit: from end to end, or without what lies far out."""
    middle = float(ordered[-1 - ordered.size // 10]) - float(ordered[ordered.size // 10])
    for edge in (0, ordered.size // 1000):
        low, high = float(ordered[edge]), float(ordered[-1 - edge])
        if -math.inf < low < high < math.inf and (edge or high - low < FAR_OUT * middle):
            return low, steps / (high - low)
    return 0.0, 1.0  # the steps are only a short cut: any will do
