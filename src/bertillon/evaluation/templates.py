"""Templates to trials of each mode, ready to be evaluated: once, through an index, and over many random partitions.

Conventions: up to `LIMITS.kept_comparisons` the scores are kept; beyond that, or where a checkpoint or an engine is
named, they are counted while they are made, which gives the same rates. Searches keep a few numbers a probe.

An approximate index of the gallery gains speed and loses accuracy, which is measured against the exact search: a sample
of probes searches exactly and through the index at each effort. The loss of a rate is the exact one less that of the
index, on the same probes. `agreement` is the share of searches whose best score is the exact best. Of the efforts the
least that agrees in 99 of 100 searches is used for all probes, the greatest where none does.

Runs over random partitions share people and templates, so their spread shows how much the choice of partition matters;
it is no interval for what would happen with other people. Mean and spread are those of `matching.protocol.runs`.

Holds `verification_trials`, `scores_are_kept`, `search_trials`, `trials_of_both`; `search_with_index`, which gives an
`IndexedSearch` with its `Effort`s; `evaluate_repeated`, which gives a `RepeatedEvaluation`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from bertillon._version import __version__
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, record, say
from bertillon.core.showing import Finding
from bertillon.counting.tally import CountedScores
from bertillon.counting.tiles.comparisons import count_comparisons
from bertillon.engine.jobs import RUNNING, Progress, Running
from bertillon.evaluation.evaluation import ScoreEvaluation, SearchEvaluation, evaluate
from bertillon.evaluation.record import SCHEMA, plain
from bertillon.evaluation.streams import LIMITS
from bertillon.evaluation.usual import DEFAULT_MEASURES
from bertillon.matching.comparing import Comparing
from bertillon.matching.groups import GroupsLike
from bertillon.matching.protocol.pairing import PairList
from bertillon.matching.protocol.runs import Repeated, summarise
from bertillon.measures.base import Measure
from bertillon.measures.registry import VERIFICATION, measure_set_of
from bertillon.trials.comparing import compare, compare_sampled
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.search_job import GalleryIndex, search
from bertillon.trials.search_set import SearchSet
from bertillon.trials.search_tiles import can_be_together, compare_and_search

if TYPE_CHECKING:
    import polars as pl

MODES = ("verification", "identification")
SAMPLE = 1000  # probes
AGREES = 0.99
RANK_ONE, DETECTION = "RR", "DIR@FPIR=0.01,k=1"
NEAR = 1e-5  # scores that differ by less are the same one, rounded elsewhere


@RUNNING
def verification_trials(
    comparing: Comparing,
    measures: Iterable[str | Measure] = (),
    *,
    groups: GroupsLike | None = None,
    sample: tuple[int, int] | None = None,
    **running: Unpack[Running],
) -> ScoreSet | CountedScores:
    """The comparisons of a protocol; `measures` name the thresholds that must be known before counting.

    `groups` are those of the people, so that comparisons that are counted are counted by groups too (`group_rates`).
    `sample` is how many of the non-mated comparisons are made, drawn at random, and a seed; None makes all.
    """
    counts = comparing.counts
    counts.check(comparing.templates.source)
    one_by_one = _one_by_one(comparing)
    in_tiles = _in_tiles(running)
    if one_by_one and in_tiles:
        raise InputError(
            "a checkpoint or an engine needs comparisons of single templates, all against all or probes against a "
            "gallery; leave them out, or --multiple"
        )
    if sample is not None and in_tiles:
        raise InputError("a sample is quickly compared; leave out the checkpoint and the engine, or --sample-nonmated")
    if sample is not None:
        number, seed = sample
        return compare_sampled(comparing, number, seed=seed, progress=running["progress"])
    if scores_are_kept(comparing, in_tiles=in_tiles):
        return compare(comparing, running["progress"])
    return count_comparisons(comparing, _thresholds(measures), groups=groups, **running)


def _in_tiles(running: Running) -> bool:
    return running["engine"] is not None or running["checkpoint"] is not None


def scores_are_kept(comparing: Comparing, *, in_tiles: bool) -> bool:
    """Every score is held, and not only counted; `in_tiles` where a checkpoint or an engine is named."""
    counts = comparing.counts
    return _one_by_one(comparing) or (counts.mated + counts.nonmated <= LIMITS.kept_comparisons and not in_tiles)


def _one_by_one(comparing: Comparing) -> bool:
    return comparing.pairing.multiple or isinstance(comparing.pairing, PairList)


@RUNNING
def search_trials(comparing: Comparing, **running: Unpack[Running]) -> SearchSet:
    """Every probe searches the gallery; in all-against-all once as enrolled and once as non-enrolled."""
    searches = search(comparing, **running)
    return replace(searches, notes=(*comparing.search_words, *searches.notes))


@RUNNING
def trials_of_both(
    comparing: Comparing,
    measures: Iterable[str | Measure] = (),
    *,
    sample: tuple[int, int] | None = None,
    **running: Unpack[Running],
) -> tuple[ScoreSet | CountedScores, SearchSet]:
    """The comparisons and the searches of a protocol, from one walk where it is long and serves both."""
    alone = sample is not None or _in_tiles(running)
    if not alone and not scores_are_kept(comparing, in_tiles=False) and can_be_together(comparing):
        comparing.counts.check(comparing.templates.source)
        scores, searches = compare_and_search(comparing, _thresholds(measures), progress=running["progress"])
        return scores, replace(searches, notes=(*comparing.search_words, *searches.notes))
    return verification_trials(comparing, measures, sample=sample, **running), search_trials(comparing, **running)


def _thresholds(measures: Iterable[str | Measure]) -> list[float]:
    """Those that measures name."""
    asked = VERIFICATION.parse_all(measures)
    return sorted({threshold for measure in asked for threshold in measure.thresholds})


@dataclass(frozen=True, slots=True)
class Effort:
    """One point of the trade-off: how hard the index looked, how fast it was, what it found and lost."""

    effort: int
    searches_a_second: float
    agreement: float
    rank_one: float
    rank_one_loss: float
    detection: float  # NaN without searches of people who are not enrolled
    detection_loss: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IndexedSearch(Finding):
    """Searches through an index, and what it cost them."""

    searches: SearchSet
    kind: str
    effort: int
    sample: int
    exact_a_second: float
    trade_off: tuple[Effort, ...]


def search_with_index(comparing: Comparing, kind: str, *, sample: int = SAMPLE, seed: int = 0) -> IndexedSearch:
    """Every probe searches an index of the gallery; a sample of probes says what that loses."""
    index = GalleryIndex.build(comparing, kind)
    probes = comparing.rows.size
    rows = np.sort(np.random.default_rng(seed).choice(probes, min(sample, probes), replace=False))
    started = time.perf_counter()
    exact = search(comparing, rows=rows)
    exact_rate = rows.size / max(time.perf_counter() - started, 1e-9)
    points = tuple(_try(index, effort, rows, exact) for effort in index.efforts)
    chosen = next((point for point in points if point.agreement >= AGREES), points[-1])
    whole = index.search(chosen.effort)
    note = _note(kind, chosen, rows.size)
    marked = replace(
        whole,
        notes=(*comparing.search_words, *whole.notes, note),
        warnings=() if chosen.agreement >= AGREES else (note,),
    )
    return IndexedSearch(marked, kind, chosen.effort, rows.size, exact_rate, points)


def _try(index: GalleryIndex, effort: int, rows: NDArray[np.int64], exact: SearchSet) -> Effort:
    started = time.perf_counter()
    approximate = index.search(effort, rows=rows)
    seconds = max(time.perf_counter() - started, 1e-9)
    ours, theirs = (evaluate(searches, [RANK_ONE, DETECTION]) for searches in (approximate, exact))
    rates = [(ours[name].value, theirs[name].value - ours[name].value) for name in (RANK_ONE, DETECTION)]
    return Effort(effort, rows.size / seconds, _agreement(approximate, exact), *rates[0], *rates[1])


def _agreement(approximate: SearchSet, exact: SearchSet) -> float:
    """Searches that failed in one and not in the other do not agree."""
    if len(approximate) != len(exact) or not len(exact):
        return 0.0
    near = np.isclose(approximate.top_score, exact.top_score, rtol=NEAR, atol=NEAR, equal_nan=True)
    return float(near.mean())


def _note(kind: str, chosen: Effort, sample: int) -> Message:
    lost: Text = ""
    if not np.isnan(chosen.detection_loss):
        lost = say("protocol.index_detection", name=DETECTION, loss=chosen.detection_loss)
    return say(
        "protocol.index",
        kind=kind,
        effort=chosen.effort,
        n=sample,
        agreement=chosen.agreement,
        rank_one=chosen.rank_one_loss,
        detection=lost,
    )


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedEvaluation(Finding):
    """The answers of every run, first run first."""

    runs: tuple[ScoreEvaluation | SearchEvaluation, ...]

    @property
    def mode(self) -> str:
        """What was evaluated: verification or identification."""
        return self.runs[0].measure_set.mode

    @property
    def summary(self) -> dict[str, Repeated]:
        """Mean, spread and each run of every measure."""
        return {name: summarise(run.results[name].value for run in self.runs) for name in self.runs[0]}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        measures = [{"name": name} | plain(record(mean)) for name, mean in self.summary.items()]
        return {
            "bertillon": __version__,
            "schema": SCHEMA,
            "mode": self.mode,
            "name": self.runs[0].name,
            "runs": len(self.runs),
            "measures": measures,
            "each": [run.to_dict() for run in self.runs],
        }

    def to_frame(self) -> pl.DataFrame:
        """One row a run and measure."""
        import polars as pl

        return pl.concat([run.to_frame().insert_column(0, pl.lit(n).alias("run")) for n, run in enumerate(self.runs)])


def evaluate_repeated(
    plans: Sequence[Comparing],
    measures: Iterable[str | Measure] | None = None,
    *,
    mode: str = MODES[0],
    progress: Progress | None = None,
) -> RepeatedEvaluation:
    """Compare and evaluate as each plan says, the same measures in each."""
    if mode not in MODES:
        raise InputError(f"mode is {mode!r}; expected {' or '.join(MODES)}")
    if not plans:
        raise InputError("no partition to evaluate; expected at least one")
    asked = None if measures is None else list(measure_set_of(mode).parse_all(measures))

    def evaluated(plan: Comparing) -> ScoreEvaluation | SearchEvaluation:
        if mode == "identification":
            return evaluate(search_trials(plan, progress=progress), asked)
        return evaluate(verification_trials(plan, asked or DEFAULT_MEASURES, progress=progress), asked)

    return RepeatedEvaluation(tuple(evaluated(plan) for plan in plans))
