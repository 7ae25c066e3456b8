"""Count scores that are not held in memory: streams, and counts of scores that are long gone.

A stream that can be walked again is walked until every answer is exact; what must be known at every threshold, or pair
by pair, is exact where the scores allow it and otherwise within bounds. A stream that can be walked once, and counts
from a file, give exact answers where the scores near them were told apart, and bounds elsewhere. A stream of no more
than four million scores is simply kept and evaluated in memory.

What a measure must see of every score (`Measure.visit`) it takes from the blocks of the first pass, or of the second,
when the ends of the scores are known.

Holds `StreamedScores`, `count_stream` (which `evaluate` calls), `count_scores` and `merge_counts`; `kept_scores` and
`not_kept`, for those who need every score; and `LIMITS`, up to which size scores and counts are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, abridged, say
from bertillon.core.rule import AcceptRule
from bertillon.core.showing import short_repr
from bertillon.counting.error_counts import IntArray, Outcomes, outcomes_on
from bertillon.counting.keys import floats_of
from bertillon.counting.refining import Seek
from bertillon.counting.streams.exact import refine
from bertillon.counting.streams.score_counts import ScoreCounts, add_up, count_once, require_new
from bertillon.counting.streams.spans import Spans
from bertillon.counting.streams.walk import Block, FirstPass, SourceCount, first_pass
from bertillon.counting.tally import CountedScores, Need, Tally, Wins, wins_from_curve
from bertillon.engine.jobs import Progress
from bertillon.evaluation.evaluation import ScoreEvaluation
from bertillon.measures.base import Measure, Result
from bertillon.measures.known import Visit
from bertillon.measures.registry import VERIFICATION
from bertillon.trials.score_set import ScoreSet, ScoreStream

SAMPLE = 100_000  # scores of each class for drawing their distributions
THRESHOLDS, NEIGHBOURS = 1 << 15, 256  # rows of the curve that are resampled: so many, or near each answer

# What counts can tell exactly later is decided when they are made: what lies near the answers of these.
COUNTED_FOR = (
    "EER",
    *(f"FNMR@FMR=1e-{n}" for n in range(1, 7)),
    *(f"FMR@FNMR=1e-{n}" for n in range(1, 5)),
    "ZeroFMR",
    "ZeroFNMR",
)

Asked = Iterable[str | Measure]


@dataclass(slots=True)
class Limits:
    """Each with the unit it counts in."""

    keys_in_file: int = 1 << 15  # told apart besides the tails, or a hundredth of the scores where that is more
    kept_comparisons: int = 20_000_000  # comparisons; their scores and ids fit in memory


LIMITS = Limits()


@dataclass(frozen=True, slots=True, eq=False)
class StreamedScores(CountedScores):
    """What is left of a stream: its tally, the spans behind it, and where it came from."""

    __repr__ = short_repr

    spans: Spans = field(kw_only=True)
    dtype: np.dtype[Any] = field(kw_only=True)
    sources: tuple[SourceCount, ...] = field(kw_only=True)
    passes: int = field(kw_only=True)  # 0 where counts were read from files
    visited: Mapping[str, Result] = field(kw_only=True, default_factory=dict)  # answers that took a look at every score

    form: ClassVar[Literal["counted", "streamed"]] = "streamed"

    @property
    def fingerprint(self) -> str:
        """A short name for the data, from all scores."""
        return SourceCount.together(self.sources).fingerprint

    @property
    def data(self) -> str:
        """The same: nothing was sampled."""
        return self.fingerprint

    def at_fewer_thresholds(self, measures: Sequence[Measure]) -> StreamedScores:
        """The same at no more thresholds than resampling can carry: those of the outline and near these answers."""
        errors = self.tally.errors
        if len(errors) <= THRESHOLDS:
            return self
        near = np.concatenate([np.empty(0, dtype=np.int64), *(measure.seek(errors) for measure in measures)])
        rows = (np.clip(near, 0, len(errors) - 1)[:, None] + np.arange(-NEIGHBOURS, NEIGHBOURS + 1)).ravel()
        outline = np.searchsorted(errors.threshold, self.tally.outline.threshold)
        kept = np.unique(np.clip(np.concatenate([rows, outline]), 0, len(errors) - 1))
        return replace(self, tally=replace(self.tally, errors=errors.at(kept)))

    def outcomes(self, threshold: float) -> Outcomes:
        """How the comparisons end at a threshold; exact at every threshold that was given with an answer."""
        return outcomes_on(self.tally.errors, self.rule, threshold)

    @property
    def way(self) -> Message:
        """How the scores were counted."""
        return say("reading.passes", n=self.passes) if self.passes else say("reading.added_up")


def count_stream(
    stream: ScoreStream | ScoreCounts, asked: Sequence[Measure], progress: Progress | None = None
) -> StreamedScores | ScoreSet:
    """What measures need of a stream: exactly in several passes where it can be walked again, else in one.

    Of scores that were counted before it is what was counted.
    """
    if stream.form == "counts":
        return _streamed(stream, stream, stream.spans, stream.outline, passes=0, visited={})
    visits = _Visits.of(asked, stream.rule)
    if stream.repeats:
        counts, first = None, first_pass(stream, visit=visits.take, each=_in_pairs(asked), progress=progress)
    else:
        counts, first = count_once(stream, _seeks(asked or COUNTED_FOR), visit=visits.take, progress=progress)
    whole = stream.whole(first)
    if whole is not None:
        few = say("reading.kept_in_memory")
        return replace(whole, notes=(*whole.notes, few), warnings=_warned(whole.warnings, first))
    if counts is not None:
        seen = visits.results(first.mated.visited, first.nonmated.visited)
        return _streamed(counts, counts, counts.spans, counts.outline, passes=1, visited=seen)
    return _refined(stream, first, asked, visits, progress)


def count_scores(
    stream: ScoreStream, measures: Asked = COUNTED_FOR, *, repeats: bool = False, progress: Progress | None = None
) -> ScoreCounts:
    """Count a stream in one pass for questions that come later; those named will find the most exact answers.

    Two sources of the very same scores are refused unless `repeats` allows it.
    """
    seeks = _seeks([*measures, *COUNTED_FOR])
    counts, first = count_once(stream, seeks, progress=progress)
    if not repeats:
        require_new(first.sources, {})
    trimmed = counts.trimmed(seeks, keys=max(LIMITS.keys_in_file, first.total.scores // 100))
    return replace(trimmed, warnings=_warned(counts.warnings, first))


def merge_counts(parts: Iterable[ScoreCounts], measures: Asked = COUNTED_FOR, *, repeats: bool = False) -> ScoreCounts:
    """The counts of all parts together; one source counted twice is refused unless `repeats` allows it."""
    return add_up(parts, _seeks([*measures, *COUNTED_FOR]), repeats=repeats)


def kept_scores(evaluation: ScoreEvaluation, option: str) -> ScoreSet:
    """All scores of an evaluation; where they were counted and not kept, `option` is refused."""
    if evaluation.trials.form != "whole":
        raise not_kept(evaluation.name, option)
    return evaluation.trials


def not_kept(name: object, option: str) -> InputError:
    """Why `option` is refused where scores are counted."""
    return InputError(
        f"{name}: {option} needs every score, and these are counted and not kept; leave it out, or compare fewer "
        "(--sample-nonmated)"
    )


def _seeks(measures: Asked) -> list[Seek]:
    return [measure.seek for measure in VERIFICATION.parse_all(measures)]


def _in_pairs(asked: Sequence[Measure]) -> bool:
    """Does some measure look at mated and non-mated scores pair by pair?"""
    return any(Need.WINS in measure.needs for measure in asked)


@dataclass(frozen=True, slots=True)
class _Visits:
    """What measures take from the blocks of one pass, and what some of them know without."""

    visits: tuple[Visit, ...] = ()
    settled: Mapping[str, Result] = field(default_factory=dict)
    later: tuple[Measure, ...] = ()  # measures that have nothing to say yet

    @classmethod
    def of(cls, asked: Sequence[Measure], rule: AcceptRule, ends: tuple[float, float] | None = None) -> _Visits:
        answers = [(measure, measure.visit(rule, ends)) for measure in asked]
        visits = {answer.name: answer for _, answer in answers if isinstance(answer, Visit)}
        settled = {str(measure): answer for measure, answer in answers if isinstance(answer, Result)}
        return cls(tuple(visits.values()), settled, tuple(measure for measure, answer in answers if answer is None))

    def again(self, first: FirstPass, rule: AcceptRule) -> _Visits:
        """Those of a second pass, where there are scores of both kinds."""
        return self.of(self.later, rule, _ends(first)) if first.total.mated and first.total.nonmated else _Visits()

    @property
    def take(self) -> Callable[[Block], tuple[Any, ...]] | None:
        """What to do with each block."""
        if not self.visits:
            return None
        return lambda block: tuple(visit.take(block.scores, block.mated) for visit in self.visits)

    def results(self, mated: Sequence[tuple[Any, ...]], nonmated: Sequence[tuple[Any, ...]]) -> dict[str, Result]:
        """What was taken of mated and of non-mated blocks, added up; nothing where there are none of a kind."""
        found = dict(self.settled)
        for place, visit in enumerate(self.visits if mated and nonmated else ()):
            found[visit.name] = visit.add_up([taken[place] for taken in mated], [taken[place] for taken in nonmated])
        return found


def _ends(first: FirstPass) -> tuple[float, float]:
    """The smallest and the largest oriented score."""
    low = min(bins.first[0] for bins in (first.mated.bins, first.nonmated.bins))
    high = max(bins.last[-1] for bins in (first.mated.bins, first.nonmated.bins))
    ends = floats_of(np.array([low, high]), first.dtype)
    return float(ends[0]), float(ends[1])


def _refined(
    stream: ScoreStream, first: FirstPass, asked: Sequence[Measure], visits: _Visits, progress: Progress | None
) -> StreamedScores:
    wins, again = _in_pairs(asked), visits.again(first, stream.rule)
    refined = refine(stream, first, _seeks(asked), wins=wins, visit=again.take, progress=progress)
    outline = Spans.of_bins(first.mated.bins, first.nonmated.bins)
    seen = visits.results(first.mated.visited, first.nonmated.visited)
    seen |= again.results(refined.mated, refined.nonmated)
    streamed = _streamed(stream, first, refined.spans, outline, passes=refined.passes, wins=refined.wins, visited=seen)
    return replace(streamed, warnings=_warned(stream.warnings, first))


def _streamed(
    about: ScoreStream | ScoreCounts,
    counted: FirstPass | ScoreCounts,
    spans: Spans,
    outline: Spans,
    *,
    passes: int,
    wins: Wins | None = None,
    visited: Mapping[str, Result],
) -> StreamedScores:
    errors = spans.errors(counted.dtype, counted.failures)
    if errors.complete:
        wins = wins_from_curve(errors.false_match, errors.false_nonmatch, errors.n_mated)
    tally = Tally(
        errors,
        outline.errors(counted.dtype, counted.failures),
        about.rule,
        counted.failures,
        counted.mated.moments,
        counted.nonmated.moments,
        wins,
    )
    mated, nonmated = (_sample(outline, size, counted.dtype, about.rule) for size in (outline.mated, outline.nonmated))
    streamed = StreamedScores(
        tally,
        mated,
        nonmated,
        (),
        about.name,
        about.notes,
        about.warnings,
        spans=spans,
        dtype=counted.dtype,
        sources=counted.sources,
        passes=passes,
        visited=visited,
    )
    return replace(streamed, notes=(*about.notes, streamed.way))


def _sample(outline: Spans, size: IntArray, dtype: np.dtype[Any], rule: AcceptRule) -> NDArray[Any]:
    """Scores at equal steps through those of one class, each as the middle of its bin."""
    until = np.cumsum(size)
    n = int(until[-1]) if until.size else 0
    ranks = np.linspace(0, n, min(n, SAMPLE), endpoint=False).astype(np.int64)
    spans = outline[np.searchsorted(until, ranks, side="right")]
    return rule.orient(floats_of(spans.first + (spans.last - spans.first) // 2, dtype))


def _warned(warnings: Sequence[Text], first: FirstPass) -> tuple[Text, ...]:
    """The warnings of a stream, which of its parts hold nothing, and which the same as others."""
    parts = first.sources
    if len(parts) < 2:
        return tuple(warnings)
    empty = [part.name for part in parts if not part.scores + part.failed_mated + part.failed_nonmated]
    known = {part.fingerprint: part.name for part in reversed(parts)}
    again = [
        say("warning.same_scores_as", part=part.name, other=known[part.fingerprint])
        for part in parts
        if part.scores and known[part.fingerprint] != part.name
    ]
    some_empty = say("warning.parts_empty", n=len(empty), parts=len(parts), names=abridged(empty))
    some_again = say("warning.parts_twice", n=len(again), parts=len(parts), names=abridged(again))
    return (*warnings, *([some_empty] if empty else []), *([some_again] if again else []))
