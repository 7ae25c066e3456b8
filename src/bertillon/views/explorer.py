"""Which points of a curve go into the page: few enough to mail, exact at each of them.

Conventions: the curve is thinned to what can be seen on linear and log axes; every threshold that has a name (an
operating point) is added, and the vertices of the ROC's convex hull, so that the least cost is found for any costs.
Counts are those of the data at that very threshold.

Holds `points_each` (how many points a system may have), `explorer_system` (verification), `explored` (any counts),
`explorer_blocks` and `use_on_page`, `shaded_band` and `interval_fields` (whether intervals can be had at each
threshold).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bertillon.core import AcceptRule, Message, row_at, say
from bertillon.counting.curves.error_curve import Band, ErrorCurve, hull, thinned
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray, Scores, outcomes_on
from bertillon.evaluation import AnyEvaluation, ScoreEvaluation
from bertillon.trials.score_set import kept_of
from bertillon.views.assembling import DailyUse
from bertillon.views.document import Block, Chart, Distribution, Explorer, ExplorerSystem, Mark, Paragraphs, Sentence
from bertillon.views.measures import MeasureNames

if TYPE_CHECKING:
    from bertillon.views.figures.chart import ShadedBand
    from bertillon.views.figures.errors import System

MOST, FEWEST, ALTOGETHER = 2000, 200, 16_000  # points of one system, and of all
MOST_VERTICES = 1000
BINS = 80
EQUAL_COST = 1.0
SHADE_POINTS = 300


def points_each(systems: int) -> int:
    """Points of one system, so that the page keeps its size.

    >>> points_each(1), points_each(20), points_each(1000)
    (2000, 800, 200)
    """
    return min(MOST, max(FEWEST, ALTOGETHER // max(systems, 1)))


def explorer_system(evaluation: ScoreEvaluation, marks: Mapping[str, float], *, points: int = MOST) -> ExplorerSystem:
    """The errors of a verification system at the thresholds that are kept; `marks` are thresholds with names."""
    named = [row for t in marks.values() if math.isfinite(t) for row in _exact(evaluation, t)]
    counts, scores = evaluation.tally.curve.counts, kept_of(evaluation.trials)
    return explored(evaluation, counts, scores, marks, points=points, named=named)


def explored(
    evaluation: AnyEvaluation,
    counts: BinaryCounts,
    scores: Scores,
    marks: Mapping[str, float],
    *,
    points: int,
    named: Sequence[tuple[float, int, int]] | None = None,
) -> ExplorerSystem:
    """The same for any error counts; `named` are the exact counts at the marks where the curve is not whole."""
    from bertillon.views.figures.errors import System  # figures are for pages: a terminal does without them

    name, rule = evaluation.name, evaluation.rule
    if named is None:
        named = [_row(counts, rule, t) for t in marks.values() if math.isfinite(t)]
    kept, corners = thinned(counts, points), _vertices(counts)
    threshold, matched, missed = _each_once([kept, counts.at(corners), _named(named, counts)])
    return ExplorerSystem(
        name=name,
        rule=rule.value,
        threshold=tuple((rule.orient(threshold) + 0.0).tolist()),
        false_match=tuple(matched.tolist()),
        false_nonmatch=tuple(missed.tolist()),
        n_mated=counts.n_mated,
        n_nonmated=counts.n_nonmated,
        failed_mated=counts.failed_mated,
        failed_nonmated=counts.failed_nonmated,
        whole=counts.complete and len(kept) == len(counts),
        marks=tuple(Mark(word, _nearest(threshold, rule, t)) for word, t in marks.items() if not math.isnan(t)),
        distribution=_distribution(System(name, ErrorCurve(counts, rule), scores)),
        **interval_fields(evaluation),
    )


def explorer_blocks(
    explained: Message,
    systems: Sequence[ExplorerSystem],
    use: dict[str, float],
    names: MeasureNames,
    *,
    link: str = "",
    beside: Chart | None = None,
    assumed: Sequence[Message] = (),
) -> list[Block]:
    """The part of the page that moves, for the systems of one mode, and what to do with it."""
    mode = names.measure_set.mode
    moves = Explorer(mode, mode, tuple(systems), use, names.live(), link, beside, tuple(assumed))
    return [Paragraphs((Sentence(explained, interactive=True),)), moves]


def use_on_page(use: DailyUse | None, mix: tuple[float, float], said: Message) -> dict[str, Any]:
    """What a page begins with, and what of it nobody gave: the mix of attempts, which is `said`, and equal costs."""
    given = use or DailyUse()
    known = {name: value for name, value in asdict(given).items() if value is not None}
    usual = {"genuine": mix[0], "impostor": mix[1], "cost_accept": EQUAL_COST, "cost_reject": EQUAL_COST}
    assumed = [] if given.has_attempts else [said]
    return {"use": usual | known, "assumed": assumed if given.has_costs else [*assumed, say("page.use.costs")]}


def _distribution(system: System) -> Distribution:
    """Scores of both classes counted in the bins of the figure."""
    from bertillon.views.figures.distribution import score_distribution

    data = score_distribution(system, bins=None if system.scores.size < MOST else BINS)
    mated, nonmated = (tuple(counted.tolist()) for counted in data.counts)
    sizes = data.n_mated, data.n_nonmated
    return Distribution(tuple(data.edges.tolist()), mated, nonmated, *sizes, data.notes, data.axis.linear)


def interval_fields(evaluation: AnyEvaluation) -> dict[str, Any]:
    """The level of intervals at each threshold, where those of the answers take trials as independent too."""
    known = [interval for interval in evaluation.intervals.values() if interval.method]
    independent = bool(known) and all(interval.naive for interval in known)
    return {"level": known[0].level if independent else None, "shared": bool(known) and not independent}


def shaded_band(band: Band | None) -> ShadedBand | None:
    """A band at as many places as can be seen."""
    if band is None or np.isnan(band.low + band.high).all():
        return None
    from bertillon.views.figures.chart import ShadedBand

    known = np.flatnonzero(~np.isnan(band.low + band.high))
    rows = known[np.unique(np.geomspace(1, known.size, min(known.size, SHADE_POINTS)).round().astype(int) - 1)]
    x, low, high = (tuple(column[rows].tolist()) for column in (band.x, band.low, band.high))
    return ShadedBand(x, low, high, say(f"page.band.{band.kind}", level=f"{round(100 * band.level, 6):g}"))


def _exact(evaluation: ScoreEvaluation, threshold: float) -> list[tuple[float, int, int]]:
    """Oriented threshold and counts there; nothing where comparisons were counted and not kept, and not just there."""
    counts, rule = evaluation.tally.curve.counts, evaluation.rule
    if counts.complete:
        return [_row(counts, rule, threshold)]
    if evaluation.trials.form == "whole":
        outcomes = evaluation.trials.outcomes(threshold)
        return [(float(rule.orient(threshold)), outcomes.false_match, outcomes.false_nonmatch)]
    counted = evaluation.trials.tally.errors
    known = bool(np.any(counted.threshold == rule.orient(threshold)))
    return [_row(counted, rule, threshold)] if known else []


def _row(counts: BinaryCounts, rule: AcceptRule, threshold: float) -> tuple[float, int, int]:
    outcomes = outcomes_on(counts, rule, threshold)
    return float(rule.orient(threshold)), outcomes.false_match, outcomes.false_nonmatch


def _each_once(parts: Sequence[BinaryCounts]) -> tuple[FloatArray, IntArray, IntArray]:
    """All rows in order, each once; an infinite score and the threshold that rejects all differ in their counts."""
    threshold, matched, missed = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("threshold", "false_match", "false_nonmatch")
    )
    rows = np.stack([threshold, -matched, missed])
    kept = np.unique(rows, axis=1, return_index=True)[1]
    return threshold[kept], matched[kept], missed[kept]


def _named(rows: Sequence[tuple[float, int, int]], counts: BinaryCounts) -> BinaryCounts:
    threshold, matched, missed = zip(*rows, strict=True) if rows else ((), (), ())
    return replace(
        counts,
        threshold=np.array(threshold, dtype=np.float64),
        false_match=np.array(matched, dtype=counts.false_match.dtype),
        false_nonmatch=np.array(missed, dtype=counts.false_nonmatch.dtype),
        complete=False,
    )


def _vertices(counts: BinaryCounts) -> IntArray:
    """Rows of the convex hull, as long as they are few."""
    nothing: IntArray = np.zeros(0, dtype=np.int64)
    if not (counts.complete and counts.n_mated and counts.n_nonmated):
        return nothing
    moves = (np.diff(counts.false_match) != 0) | (np.diff(counts.false_nonmatch) != 0)
    rows = np.flatnonzero(np.concatenate([[True], moves]))
    corners = rows[hull(counts.at(rows)).row]
    return corners if corners.size <= MOST_VERTICES else nothing


def _nearest(oriented: FloatArray, rule: AcceptRule, threshold: float) -> int:
    """The first row at least as strict; an infinitely strict threshold is the one that rejects all."""
    wanted = float(rule.orient(threshold))
    return oriented.size - 1 if wanted == math.inf else int(row_at(oriented, wanted))
