"""Everything counted about a score set, gathered once for all the questions asked of it.

Holds `take_tally`, the `Tally` it gives, `Need` (what a question may read besides errors), `Needs` (what several
questions need together), `count_errors` and `error_curve`, the whole exact curve alone, and `CountedScores`: trials of
which the tally is what is left, since the comparisons were counted and not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

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
from bertillon.counting.summaries import Moments, Wins, count_wins, moments_of, wins_from_curve

if TYPE_CHECKING:
    from bertillon.counting.tiles.groups import CountedGroups
    from bertillon.counting.tiles.people import ComparedPeople


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
