"""The part of the page on identification: a threshold to move, operating regions, ranks, and the measures.

Holds `identification_section` and `diagnosis`, which says why enrolled people are missed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from bertillon.advice.verdicts import fnir_diagnosis
from bertillon.analysis.in_use import Region, operating_regions
from bertillon.core.messages import Catalogue, Message, say
from bertillon.counting.curves.error_curve import Band, ErrorCurve
from bertillon.evaluation import CLOSED_SET_MEASURES, Bands, SearchEvaluation
from bertillon.measures.registry import IDENTIFICATION
from bertillon.trials.score_set import ScoreSet
from bertillon.views.figures.errors import System
from bertillon.views.figures.searches import Searches, cmc_curves
from bertillon.views.page.embedding import (
    distribution_of,
    explorer_system_from_counts,
    interval_fields,
    points_each,
    shaded_band,
)
from bertillon.views.page.measure_names import MeasureNames
from bertillon.views.page.measures import measures_tables
from bertillon.views.page.model import (
    Axis,
    Block,
    Cell,
    Chart,
    Column,
    Explorer,
    ExplorerSystem,
    Line,
    Paragraphs,
    Section,
    Sentence,
    Table,
)
from bertillon.views.page.numbers import Numbers
from bertillon.views.report_content import ReportContent, WatchListUse

ALWAYS = ("EERopen", "DIR@FPIR=0.01,k=1", "DIR@FPIR=0.001,k=1", "DIR@FPIR=0,k=1")
RANK_POINTS = 400
SPLIT_AT = 0.01
SPLIT = (f"Missed@FPIR={SPLIT_AT:g}", f"Misidentified@FPIR={SPLIT_AT:g}")


def identification_section(content: ReportContent, catalogue: Catalogue) -> Section:
    """Everything about the 1:N searches of one or several systems."""
    evaluations, use = content.identification, content.search_use or WatchListUse()
    measure_names = MeasureNames.of(IDENTIFICATION, content.vocabulary)
    bands = content.bands_in("identification")
    opened = [(evaluation, known) for evaluation, known in zip(evaluations, bands, strict=True) if is_open(evaluation)]
    ranks = _cmc(evaluations, bands, catalogue)
    blocks: list[Block] = [] if opened else [ranks]
    if opened:
        each = points_each(len(opened))
        link = "scores" if content.same_scores else ""
        typed = {"passers": use.passers, "minutes": use.minutes, "on_list": use.on_list or 0.0}
        systems = tuple(
            _explorer_system(evaluation, known.get("watch-list"), measure_names, catalogue, points=each)
            for evaluation, known in opened
        )
        live = measure_names.live(catalogue)
        blocks.append(Paragraphs((Sentence(catalogue("page.explore.identification")),)))
        blocks.append(Explorer("identification", "identification", systems, typed, live, link, ranks))
        blocks += [
            _regions(evaluation, content, catalogue, measure_names, id=f"regions-{i}")
            for i, (evaluation, _) in enumerate(opened)
        ]
    shared = [name for name in evaluations[0] if all(name in evaluation.results for evaluation in evaluations)]
    for kind, names in (
        ("open", [name for name in shared if name not in CLOSED_SET_MEASURES]),
        ("closed", [name for name in shared if name in CLOSED_SET_MEASURES]),
    ):
        tables = measures_tables(
            evaluations, names, catalogue=catalogue, measure_names=measure_names, id=f"measures-{kind}"
        )
        blocks += [replace(table, caption=catalogue(f"page.measures.{kind}")) for table in tables]
    return Section("identification", catalogue("page.section.identification"), tuple(blocks))


def is_open(evaluation: SearchEvaluation) -> bool:
    """Are there searches by people who are not enrolled, and scores to hold against a threshold?"""
    return bool(evaluation.tally.n_nonenrolled and evaluation.tally.n_enrolled and evaluation.trials.scored)


def diagnosis(evaluation: SearchEvaluation) -> Message:
    """Why enrolled people are not identified where one search in a hundred by others alarms."""
    missed, wrong = (evaluation[name].value for name in SPLIT)
    return say("verdict.at_fpir", fpir=SPLIT_AT, split=fnir_diagnosis(missed, wrong))


def _explorer_system(
    evaluation: SearchEvaluation, band: Band | None, measure_names: MeasureNames, catalogue: Catalogue, *, points: int
) -> ExplorerSystem:
    counts, rule, searches = evaluation.tally.watch_list_curve.counts, evaluation.rule, evaluation.trials
    known = {
        measure_names.point(name).removesuffix(",k=1"): evaluation[name].threshold for name in (*ALWAYS, *evaluation)
    }
    marks = {name: float(t) for name, t in known.items() if t is not None and not math.isnan(t)}
    system = explorer_system_from_counts(counts, marks, name=evaluation.name, rule=rule, points=points)
    mates, tops = searches.mate_score[searches.enrolled], searches.top_score[~searches.enrolled]
    judged = ScoreSet(mates[~np.isnan(mates)], tops[~np.isnan(tops)], rule=rule)
    shown = distribution_of(System(evaluation.name, ErrorCurve(counts, rule), judged))
    shade = shaded_band(None if band is None else band.complement, catalogue)
    return replace(system, distribution=shown, shade=shade, **interval_fields(evaluation))


def _regions(
    evaluation: SearchEvaluation, content: ReportContent, catalogue: Catalogue, measure_names: MeasureNames, *, id: str
) -> Table:
    """The five operating regions, and what each means in a day."""
    use = content.search_use or WatchListUse()
    row = list(content.identification).index(evaluation)
    known = content.regions[row] if content.regions else None
    regions = known or operating_regions(evaluation.tally.watch_list_curve, **asdict(use))
    named = sum(map(is_open, content.identification)) > 1
    numbers = Numbers(catalogue)
    heads = ["region", "target", "threshold", "FPIR", "DIR", "alarms", "hours"] + ["misses"] * (use.on_list is not None)
    caption = catalogue(
        "page.regions.caption", passers=numbers.amount(use.passers), minutes=numbers.amount(use.minutes)
    )
    return Table(
        id,
        f"{evaluation.name}: {caption}" if named else caption,
        tuple(
            Column(measure_names.heading(catalogue(f"page.regions.{head}")), numeric=head not in ("region", "target"))
            for head in heads
        ),
        tuple(_region_row(region, evaluation, catalogue) for region in regions),
        catalogue("page.regions.note"),
    )


def _region_row(region: Region, evaluation: SearchEvaluation, catalogue: Catalogue) -> tuple[Cell, ...]:
    numbers, load = Numbers(catalogue), region.load
    doubt = catalogue("page.regions.out") if region.reason else "" if region.seen else catalogue("page.regions.unseen")
    day = [load.false_alarms, load.hours] + ([] if load.misses is None else [load.misses])
    return (
        Cell(catalogue.text(region.name), region.id, note=doubt),
        Cell(catalogue.text(region.target), str(region.target)),
        Cell(numbers.threshold(region.threshold, evaluation.rule), region.threshold),
        *(Cell(numbers.percent(rate), rate) for rate in (region.fpir, region.dir)),
        *(Cell(numbers.amount(amount), amount) for amount in day),
    )


def _cmc(evaluations: Sequence[SearchEvaluation], bands: Bands, catalogue: Catalogue) -> Chart:
    known = [band.get("cmc") for band in bands]
    systems = [
        Searches(evaluation.name, evaluation.tally.cmc, cmc_band=band)
        for evaluation, band in zip(evaluations, known, strict=True)
    ]
    drawn = cmc_curves(systems)
    lines = [
        replace(_thin(data.name, data.line.x.tolist(), data.line.y.tolist(), i), shade=shaded_band(band, catalogue))
        for i, (data, band) in enumerate(zip(drawn, known, strict=True))
    ]
    x, y = drawn[0].x_axis, drawn[0].y_axis
    first = "; ".join(f"{curve.name}: {curve.value * 100:.4g} %" for curve in drawn if curve.value is not None)
    return Chart(
        "cmc",
        catalogue("page.cmc.title"),
        catalogue("page.cmc.summary", first=first),
        Axis(catalogue("page.cmc.rank"), *x.limits, scale=x.scale, unit="number"),
        Axis(catalogue("page.cmc.rate"), *y.limits),
        tuple(lines),
    )


def _thin(name: str, x: Sequence[float], y: Sequence[float], style: int) -> Line:
    """Ranks at which the rate rises, and the ends: nothing is lost by leaving out the others."""
    last = len(x) - 1
    kept = [i for i in range(len(x)) if i in (0, last) or y[i] != y[i - 1] or y[i] != y[i + 1]]
    few = len(x) <= 50
    return Line(name, tuple(x[i] for i in kept), tuple(y[i] for i in kept), style, dots=few)
