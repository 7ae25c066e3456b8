"""The answer of a verification on one screen: the decision, a line for each headline number, and operating points.

Conventions: the usual measures are told in this form; those asked for by name have a table of their own. A rate that
so few comparisons cannot show is replaced by how many it needs. Several systems are the rows. With costs the decision
comes first: the threshold of least cost, how sure it is, and the errors to expect there.

Holds `answer_tables` of the measures in `ANSWERED`, `is_usual`, `decision` and `unreached`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bertillon.advice.warnings import not_measurable
from bertillon.core.messages import Message, Text, say
from bertillon.evaluation import ScoreEvaluation
from bertillon.evaluation.usual import DEFAULT_MEASURES
from bertillon.measures import Spelling
from bertillon.measures.operating_point import crossing_point
from bertillon.stats.at_threshold import MOST
from bertillon.stats.interval import Interval
from bertillon.views.assembling import DailyUse
from bertillon.views.document import Cell, Column, Table
from bertillon.views.measures import (
    SYSTEM,
    THRESHOLD,
    MeasureNames,
    bounds_notes,
    estimate_cell,
    interval_column,
    threshold_cell,
)
from bertillon.views.numbers import Unit, range_text, shown, threshold_decimals, threshold_text

POINTS = {"FNMR@FMR=0.01": 0.01, "FNMR@FMR=0.001": 0.001, "FNMR@FMR=0.0001": 0.0001}
ANSWERED = frozenset(DEFAULT_MEASURES)
UNEQUAL = 0.1  # of the EER: where the two rates differ by more at the nearest threshold, no threshold reaches it
LEAST_COST = "minCost"
NOTHING = Cell("-")


def is_usual(evaluations: Sequence[ScoreEvaluation]) -> bool:
    """Do they answer all of the usual measures?"""
    return all(set(evaluation) >= ANSWERED for evaluation in evaluations)


def answer_tables(evaluations: Sequence[ScoreEvaluation], names: MeasureNames, *, points: bool = True) -> list[Table]:
    """The headline numbers of one system, or of several, and the usual operating points; then what is not exact."""
    one = len(evaluations) == 1
    tables = [_headline(evaluations[0], names) if one else _headlines(evaluations, names)]
    if points:
        tables.append(_points(evaluations[0], names) if one else _points_of_several(evaluations, names))
    last = tables[-1]
    return [*tables[:-1], replace(last, notes=(*last.notes, *bounds_notes(evaluations)))]


def _headline(evaluation: ScoreEvaluation, names: MeasureNames) -> Table:
    """Without headings: each number says what it is."""
    level = next((interval.level for interval in evaluation.intervals.values()), 0.0)
    at = threshold_cell(evaluation["EER"].threshold, evaluation, "EER")
    named = [say("number.of", name=THRESHOLD, value=text) if text else "" for text in (at.value, at.short)]
    apart = say("number.of", name="d'", value=estimate_cell(evaluation, "dprime").shown)
    rows: list[tuple[Cell, ...]] = []
    for name, beside in (("EER", Cell(named[0], short=named[1])), ("AUC", Cell(apart))):
        ends = _ends(evaluation, name)
        if ends and not rows:
            ends = say("number.ci", level=f"{round(level * 100, 6):g}", ends=ends)
        around = say("number.around", ends=ends) if ends else ""
        rows.append((Cell(names.measure(name)), estimate_cell(evaluation, name), Cell(around), beside))
    numeric = (False, True, False, False)
    columns = tuple(Column("", numeric=number) for number in numeric)
    return Table("headline", "", columns, tuple(rows)).without_empty


def _points(evaluation: ScoreEvaluation, names: MeasureNames) -> Table:
    """The false non-match rate at each false match rate, or what measuring it takes."""
    lacking = not_measurable(evaluation)
    rows: list[tuple[Cell, ...]] = []
    for name, fmr in POINTS.items():
        first = Cell(shown(fmr, Unit.RATE), key=fmr)
        if name in lacking:
            rows.append((first, NOTHING, Cell(lacking[name], over=True), Cell(), Cell()))
            continue
        result = evaluation[name]
        ends = _ends(evaluation, name)
        around = Cell(say("number.around", ends=ends) if ends else "")
        rows.append(
            (
                first,
                threshold_cell(result.threshold, evaluation, name),
                estimate_cell(evaluation, name),
                around,
                Cell.errors(result),
            )
        )
    rejected = say("terminal.answer.rejected", rate=names.heading("FNMR"))
    columns = (
        Column(say("terminal.answer.at_most", rate=names.heading("FMR")), numeric=False),
        Column(THRESHOLD),
        Column(rejected, over=True),
        Column("", numeric=False),
        Column(""),
    )
    return Table("points", "", columns, tuple(rows))


def _headlines(evaluations: Sequence[ScoreEvaluation], names: MeasureNames) -> Table:
    level = next((interval.level for each in evaluations for interval in each.intervals.values()), 0.0)
    rows = []
    for each in evaluations:
        eer, auc = (
            [estimate_cell(each, name), Cell(each.intervals.get(name), unit)]
            for name, unit in (("EER", Unit.RATE), ("AUC", Unit.NUMBER))
        )
        rows.append((Cell(each.name), *eer, threshold_cell(each["EER"].threshold, each, "EER"), *auc))
    heads: list[Text] = [SYSTEM, names.measure("EER"), interval_column(level), THRESHOLD, names.measure("AUC")]
    return Table.under([*heads, interval_column(level)], rows, id="headline", caption="").without_empty


def _points_of_several(evaluations: Sequence[ScoreEvaluation], names: MeasureNames) -> Table:
    every, notes = [not_measurable(each) for each in evaluations], dict[Text, None]()
    rows = []
    for each, lacking in zip(evaluations, every, strict=True):
        cells = []
        for name, fmr in POINTS.items():
            if name in lacking:
                notes[say("list.named", name=shown(fmr, Unit.RATE), message=lacking[name])] = None
                cells.append(NOTHING)
                continue
            ends = _ends(each, name)
            cell = estimate_cell(each, name)
            around = (say("number.around", ends=ends),) if ends else ()
            cells.append(Cell(cell.value, cell.unit, note=around))
        rows.append((Cell(each.name), *cells))
    heads = [SYSTEM, *(shown(fmr, Unit.RATE) for fmr in POINTS.values())]
    caption = say("terminal.answer.rejected_at", rejected=names.heading("FNMR"), accepted=names.heading("FMR"))
    return Table.under(heads, rows, notes, id="points", caption=caption)


def _ends(evaluation: ScoreEvaluation, name: str) -> Text:
    """Both ends of an interval in short; the unit stands behind the value."""
    interval = evaluation.intervals.get(name)
    return range_text(interval, Unit(evaluation.measure_set.unit_of(name)))


def least_cost(evaluation: ScoreEvaluation) -> str:
    """The measure of the least cost, where it was asked for."""
    return next((name for name in evaluation if Spelling.read(name).name == LEAST_COST), "")


def decision(evaluation: ScoreEvaluation, use: DailyUse | None, *, per_day: bool) -> list[Message]:
    """The threshold to set, and what to expect of it: a day, or of so many attempts."""
    name = least_cost(evaluation)
    if use is None or not name or math.isnan(evaluation[name].value):
        return []
    from bertillon.analysis.in_use import forecasts

    result, rule = evaluation[name], evaluation.rule
    expected = next(
        (
            row
            for row in forecasts(evaluation, genuine=use.genuine or 0.0, impostor=use.impostor or 0.0)
            if row.point == name
        ),
        None,
    )
    if expected is None:  # an infinite threshold: the cheapest is to accept or to reject everything
        return [say("verdict.decide.all", what=threshold_text(result.threshold, rule))]
    cost = (use.cost_accept or 0.0) * expected.false_accepts + (use.cost_reject or 0.0) * expected.false_rejects
    amounts = {"rejects": expected.false_rejects, "accepts": expected.false_accepts, "cost": cost}
    about: dict[str, Any] = {key: shown(x, Unit.AMOUNT) for key, x in amounts.items()}
    about["attempts"] = shown((use.genuine or 0.0) + (use.impostor or 0.0), Unit.AMOUNT)
    decimals = threshold_decimals(evaluation.intervals, name)
    about["sure"] = _sure(evaluation, evaluation.intervals.get(name), decimals)
    key = "verdict.decide.day" if per_day else "verdict.decide.attempts"
    return [say(key, threshold=threshold_text(result.threshold, rule, decimals), **about)]


def _sure(evaluation: ScoreEvaluation, interval: Interval | None, decimals: int | None) -> Message:
    """How sure the threshold is, or why nobody knows."""
    if interval is None:
        return say("verdict.decide.no_intervals")
    if interval.side != "both":
        return say("verdict.decide.one_sided")
    if interval.threshold is None or not all(map(math.isfinite, interval.threshold)):
        many = evaluation.trials.n_trials > MOST
        return say("verdict.decide.too_many", most=MOST) if many else say("verdict.decide.unsure")
    low, high = (threshold_text(end, decimals=decimals) for end in interval.threshold)
    return say("verdict.decide.sure", level=interval.level, low=low, high=high)


def unreached(evaluation: ScoreEvaluation) -> Message | None:
    """The equal error rate lies between two thresholds that are far from it."""
    counts = evaluation.tally.errors
    if "EER" not in evaluation.results or not counts.n_mated or not counts.n_nonmated:
        return None
    point = crossing_point(counts)
    if not point.share:
        return None
    gap, row = min((abs(float(counts.fmr[row] - counts.fnmr[row])), row) for row in (point.row, point.next_row))
    if gap <= UNEQUAL * evaluation["EER"].value or not math.isfinite(counts.threshold[row]):
        return None
    at = threshold_text(evaluation.rule.restore(float(counts.threshold[row])), evaluation.rule)
    return say("terminal.eer_unreached", threshold=at, fmr=float(counts.fmr[row]), fnmr=float(counts.fnmr[row]))
