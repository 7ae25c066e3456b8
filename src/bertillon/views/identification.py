"""What is shown of an identification: the measures of the open and of the closed set, operating regions of the watch
list, ranks, a threshold to move, and what an approximate index loses.

Holds the view of identification, `diagnosis`, which says why enrolled people are missed, and that of `IndexedSearch`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np

from bertillon.advice.verdicts import degradation, fnir_diagnosis, region_sentence
from bertillon.advice.warnings import (
    chance,
    fewer_than_30,
    resolution_of_searches,
    unlike_searches,
    warnings_of_searches,
)
from bertillon.analysis.gallery_size import GallerySizes
from bertillon.analysis.in_use import Region, operating_regions
from bertillon.core.messages import Message, Value, chained, say
from bertillon.evaluation import CLOSED_SET_MEASURES, Bands, Evaluation, SearchEvaluation
from bertillon.evaluation.templates import DETECTION, IndexedSearch
from bertillon.measures.registry import IDENTIFICATION
from bertillon.stats.interval import needed_trials
from bertillon.trials.score_set import ScoreSet
from bertillon.views.assembling import Part, ReportContent, WatchListUse, register_view
from bertillon.views.document import (
    Axis,
    Block,
    Cell,
    Chart,
    Level,
    Paragraphs,
    Section,
    Sentence,
    Subject,
    Table,
)
from bertillon.views.explorer import explored, explorer_blocks, points_each, shaded_band
from bertillon.views.figures.chart import Line
from bertillon.views.figures.searches import Searches, cmc_curves
from bertillon.views.measures import MeasureNames, measures_tables, threshold_cell
from bertillon.views.numbers import Unit, shown
from bertillon.views.verification import (
    direction_facts,
    evaluation_part,
    marked,
    names_of,
    notes_of,
    rule_sentence,
    shared_measures,
    spread,
)

RULE_OF_3 = 3.0  # expected errors below which a rate cannot be told from 0
ALWAYS = ("EERopen", "DIR@FPIR=0.01,k=1", "DIR@FPIR=0.001,k=1", "DIR@FPIR=0,k=1")
LATER = ("AUCopen", "MeanRank", "nAUC")  # usual measures that are not in the answer
SPLIT_AT = 0.01
SPLIT = (f"Missed@FPIR={SPLIT_AT:g}", f"Misidentified@FPIR={SPLIT_AT:g}")


def identification(evaluations: Sequence[SearchEvaluation], content: ReportContent) -> Part:
    """Everything about the 1:N searches of one or several systems."""
    names = MeasureNames.of(IDENTIFICATION, content.vocabulary)
    about = {each: each.name if len(evaluations) > 1 else "" for each in evaluations}
    verdicts = [replace(said, about=about[each]) for each in evaluations for said in _verdicts(each, content)]
    warnings = [replace(said, about=each.name) for each in evaluations for said in _warnings(each, content)]
    different = unlike_searches(evaluations)
    blocks = _blocks(evaluations, content, names)
    section = Section("identification", say("page.section.identification"), blocks)
    return replace(
        evaluation_part(evaluations, content),
        sections=(section,) if blocks else (),
        sentences=tuple(map(Sentence, (_summary(evaluations), *rule_sentence(evaluations)))),
        subjects=tuple(map(_subject, evaluations)),
        verdicts=tuple(verdicts),
        warnings=(*warnings, *([Sentence(different)] if different else [])),
    )


def is_open(evaluation: SearchEvaluation) -> bool:
    """Are there searches by people who are not enrolled, and scores to hold against a threshold?"""
    return bool(evaluation.tally.n_nonenrolled and evaluation.tally.n_enrolled and evaluation.trials.scored)


def _warnings(evaluation: SearchEvaluation, content: ReportContent) -> list[Sentence]:
    """What to know before trusting the numbers; in brief less what stands in place of a number or is of none shown."""
    minor = [resolution_of_searches(evaluation)] if content.brief else []
    if _usual_in_short([evaluation], content) and _sized(content):
        minor += [fewer_than_30(evaluation), chance(evaluation)]
    return [
        Sentence(text, level=Level.APPENDIX if text in minor else Level.ANSWER)
        for text in warnings_of_searches(evaluation)
    ]


def _verdicts(evaluation: SearchEvaluation, content: ReportContent) -> list[Sentence]:
    """Why people are missed, where the false alarms that this is about can be measured; then what is usual."""
    messages = []
    if "EERopen" in evaluation.results:
        opened = evaluation.results["EERopen"].value  # what is a good one depends on the size of the gallery
        if content.same_scores and content.verification and "EER" in content.verification[0].results:
            verified = content.verification[0]
            intervals = evaluation.intervals.get("EERopen"), verified.intervals.get("EER")
            messages.append(degradation(opened, verified.results["EER"].value, *intervals))
    usual = [Sentence(text, level=Level.DETAIL) for text in messages]
    if not is_open(evaluation):
        return usual
    if evaluation.counts["nonenrolled"] < needed_trials(SPLIT_AT):
        return usual  # a point that is called not measurable elsewhere
    asked = not (content.brief and _sized(content))  # not where the sizes of the gallery are the answer
    return [*usual, Sentence(diagnosis(evaluation), level=Level.ANSWER if asked else Level.DETAIL)]


def diagnosis(evaluation: SearchEvaluation) -> Message:
    """Why enrolled people are not identified where one search in a hundred by others alarms."""
    missed, wrong = (evaluation[name].value for name in SPLIT)
    return say("verdict.at_fpir", fpir=SPLIT_AT, split=fnir_diagnosis(missed, wrong))


def _summary(evaluations: Sequence[SearchEvaluation]) -> Message:
    enrolled, others, gallery = (spread(evaluations, kind) for kind in ("enrolled", "nonenrolled", "gallery"))
    opened = any(evaluation.counts["nonenrolled"] for evaluation in evaluations)
    kind = "identification" if opened else "identification.closed"
    key = f"page.summary.{kind}" if len(evaluations) == 1 else f"page.summary.{kind}.many"
    return say(key, names=names_of(evaluations), enrolled=enrolled, others=others, gallery=gallery)


def _subject(evaluation: SearchEvaluation) -> Subject:
    rule, counts = evaluation.rule, dict[str, Value](evaluation.counts)
    failed = counts.pop("failed", 0)
    if not counts["nonenrolled"]:
        del counts["nonenrolled"]
    facts = [say("terminal.searches" if "nonenrolled" in counts else "terminal.searches.closed", **counts)]
    facts += [say("terminal.failed", n=failed)] if failed else []
    facts += direction_facts(evaluation)
    passes = say(f"terminal.passes.{rule.value}", sign=rule.sign)
    known = notes_of((passes, *evaluation.trials.notes))
    return Subject(evaluation.name or say("planning.trials.FPIR"), tuple(facts), **known)


def _blocks(evaluations: Sequence[SearchEvaluation], content: ReportContent, names: MeasureNames) -> tuple[Block, ...]:
    blocks = [] if content.brief else _curves(evaluations, content, names)
    shared = shared_measures(evaluations)
    if _usual_in_short(evaluations, content):  # not where the sizes of the gallery are the answer
        shared = [] if _sized(content) else [name for name in shared if name not in LATER]
    if content.short:
        shared = [name for name in shared if name not in _sized_targets(content)]
    for kind, closed in (("open", False), ("closed", True)):
        kept = [name for name in shared if (name in CLOSED_SET_MEASURES) is closed]
        id, caption = f"measures-{kind}", say(f"page.measures.{kind}")
        blocks += measures_tables(evaluations, kept, measure_names=names, id=id, caption=caption, brief=content.brief)
    return (*blocks, *(block for each in evaluations for block in _regions(each, content, names)))


def _usual_in_short(evaluations: Sequence[SearchEvaluation], content: ReportContent) -> bool:
    """Is the answer wanted on one screen, and was no measure asked for by name?"""
    return content.short and set(CLOSED_SET_MEASURES) <= set(shared_measures(evaluations))


def _sized(content: ReportContent) -> bool:
    """Is there an answer for several sizes of the gallery?"""
    return any(isinstance(found, GallerySizes) for found in content.findings)


def _sized_targets(content: ReportContent) -> set[str]:
    """The measures at targets that several sizes of the gallery answer."""
    curves = [curve for found in content.findings if isinstance(found, GallerySizes) for curve in found.targeted]
    return {str(IDENTIFICATION.parse(f"DIR@FPIR={curve[0].target!r},k=1")) for curve in curves}


def _curves(evaluations: Sequence[SearchEvaluation], content: ReportContent, names: MeasureNames) -> list[Block]:
    """A threshold to move where there is one, and ranks."""
    bands, use = content.bands_in("identification"), content.search_use or WatchListUse()
    opened = [(each, known) for each, known in zip(evaluations, bands, strict=True) if is_open(each)]
    ranks = _cmc(evaluations, bands)
    if not opened:
        return [ranks]
    each = points_each(len(opened))
    assumed = () if content.search_use else (say("page.use.traffic"),)
    typed = {"passers": use.passers, "minutes": use.minutes, "on_list": use.on_list or 0.0}
    systems = []
    for evaluation, known in opened:
        searches, band = evaluation.trials, known.get("watch-list")
        marks = {name.removesuffix(",k=1"): t for name, t in marked(evaluation, names, ALWAYS).items()}
        mates, tops = searches.mate_score[searches.enrolled], searches.top_score[~searches.enrolled]
        judged = ScoreSet(mates[~np.isnan(mates)], tops[~np.isnan(tops)], rule=evaluation.rule)
        system = explored(evaluation, evaluation.tally.watch_list_curve.counts, judged, marks, points=each)
        systems.append(replace(system, shade=shaded_band(None if band is None else band.complement)))
    link = "scores" if content.same_scores else ""
    return explorer_blocks(
        say("page.explore.identification"), systems, typed, names, link=link, beside=ranks, assumed=assumed
    )


def _regions(evaluation: SearchEvaluation, content: ReportContent, names: MeasureNames) -> list[Block]:
    """The five operating regions, where each is preferred, and what each means in a day where its traffic is known."""
    index = list(content.identification).index(evaluation)
    given = content.regions[index] if content.regions else None
    if given is None and (content.brief or not is_open(evaluation)):
        return []
    said_use, use = content.search_use is not None, content.search_use or WatchListUse()
    regions = given or operating_regions(evaluation.tally.watch_list_curve, **asdict(use))
    heads = ["region", *([] if content.brief else ["target"]), "threshold", "FPIR", "DIR"]
    heads += ["alarms", "hours"] * said_use + ["misses"] * (use.on_list is not None)
    amounts: dict[str, Value] = {"passers": shown(use.passers, Unit.AMOUNT), "minutes": shown(use.minutes, Unit.AMOUNT)}
    caption = say("page.regions.caption", **amounts) if said_use else say("page.regions.caption.rates")
    table = Table.under(
        [names.heading(head) if head.isupper() else say(f"page.regions.{head}") for head in heads],
        [_region_row(region, evaluation, brief=content.brief)[: len(heads)] for region in regions],
        _unseen(regions) if content.brief else [say("page.regions.note")],
        id=f"regions-{index}",
        caption=content.titled(evaluation, caption),
        names=heads.index("threshold"),
    )
    said = given and not content.short
    return [table, *([Paragraphs.of(map(region_sentence, regions), listed=True)] if said else [])]


def _unseen(regions: Sequence[Region]) -> list[Message]:
    """The regions whose FPIR so few searches cannot show."""
    names = tuple(region.name for region in regions if _doubtful(region))
    return [say("list.named", name=names, message=say("page.regions.unseen"))] if names else []


def _doubtful(region: Region) -> bool:
    """Does a region that keeps another rate have an FPIR that so few searches cannot show?"""
    return not (region.seen or region.reason or region.not_measurable) and region.fpir * region.searches < RULE_OF_3


def _region_row(region: Region, evaluation: SearchEvaluation, *, brief: bool) -> tuple[Cell, ...]:
    """A region; what it aims at and what is doubtful of it is in sentences where the answer is brief."""
    load = region.load
    blank = (Cell(),) * (4 if load.misses is None else 5)
    lacking = region.reason if brief else None
    if region.not_measurable:
        lacking = say("advice.needs", needed=region.needed, kind=say("advice.kind.nonenrolled"))
    if lacking and brief:
        return (Cell(region.name, key=region.id), Cell(lacking, over=True), *blank)
    doubt = say("page.regions.out") if region.reason else say("page.regions.unseen") if _doubtful(region) else lacking
    named = Cell(region.name, key=region.id, note=(doubt,) if doubt and not brief else ())
    if lacking:
        return (named, Cell(region.target, key=str(region.target)), Cell(), *blank)
    day = [load.false_alarms, load.hours] + ([] if load.misses is None else [load.misses])
    return (
        named,
        *([] if brief else [Cell(region.target, key=str(region.target))]),
        threshold_cell(region.threshold, evaluation),
        *(Cell(_known(rate), Unit.RATE) for rate in (region.fpir, region.dir)),
        *(Cell(_known(amount), Unit.AMOUNT) for amount in day),
    )


def _known(number: float) -> float | None:
    return None if math.isnan(number) else number


def _cmc(evaluations: Sequence[SearchEvaluation], bands: Bands) -> Chart:
    known = [band.get("cmc") for band in bands]
    systems = [
        Searches(evaluation.name, evaluation.tally.cmc, cmc_band=band)
        for evaluation, band in zip(evaluations, known, strict=True)
    ]
    drawn = cmc_curves(systems)
    lines = [
        replace(_thin(data.name, data.line.x.tolist(), data.line.y.tolist(), i), shade=shaded_band(band))
        for i, (data, band) in enumerate(zip(drawn, known, strict=True))
    ]
    x, y = drawn[0].x_axis, drawn[0].y_axis
    first = [
        say("list.named", name=curve.name, message=shown(curve.value, Unit.RATE))
        for curve in drawn
        if curve.value is not None
    ]
    return Chart(
        "cmc",
        say("page.cmc.title"),
        say("page.cmc.summary", first=chained(first)),
        Axis(say("page.cmc.rank"), *x.limits, scale=x.scale, unit="number"),
        Axis(say("page.cmc.rate"), *y.limits),
        tuple(lines),
    )


def _thin(name: str, x: Sequence[float], y: Sequence[float], style: int) -> Line:
    """Ranks at which the rate rises, and the ends: nothing is lost by leaving out the others."""
    last = len(x) - 1
    kept = [i for i in range(len(x)) if i in (0, last) or y[i] != y[i - 1] or y[i] != y[i + 1]]
    few = len(x) <= 50
    return Line(name, tuple(x[i] for i in kept), tuple(y[i] for i in kept), style, dots=few)


def trade_offs(searches: Sequence[IndexedSearch], content: ReportContent) -> Section:
    """Speed against accuracy of approximate indexes: one row an effort, the exact search last."""
    del content
    tables = tuple(_trade_off(indexed, id=f"index-{place}") for place, indexed in enumerate(searches))
    return Section("index", say("terminal.section.index"), tables)


def _trade_off(indexed: IndexedSearch, *, id: str) -> Table:
    system, loss = indexed.searches.name, say("terminal.index.loss")
    title = say("terminal.index", kind=indexed.kind, system=system, n=indexed.sample, measure=DETECTION)
    heads = [say(f"terminal.index.{part}") for part in ("effort", "speed", "same")]
    rows = []
    for setting in indexed.trade_off:
        rates = (setting.agreement, setting.rank_one, setting.rank_one_loss, setting.detection, setting.detection_loss)
        used = Cell(say("terminal.index.used") if setting.effort == indexed.effort else "")
        speed = Cell(round(setting.searches_a_second), Unit.COUNT)
        rows.append((Cell(str(setting.effort)), speed, *(Cell(_known(rate), Unit.RATE) for rate in rates), used))
    last = indexed.trade_off[-1]
    exact = (last.rank_one + last.rank_one_loss, None, last.detection + last.detection_loss, None)
    speed, rates_of_exact = Cell(round(indexed.exact_a_second), Unit.COUNT), (Cell(rate, Unit.RATE) for rate in exact)
    rows.append((Cell(say("terminal.index.exact")), speed, Cell(), *rates_of_exact, Cell()))
    return Table.under([*heads, "RR", loss, "DIR", loss, ""], rows, id=id, caption=title, remarks=1)


register_view(Evaluation, identification, kind="identification")
register_view(IndexedSearch, trade_offs)
