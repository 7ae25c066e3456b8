"""What is shown of rates in use: errors by the size of the gallery, and of transactions of several attempts.

Conventions: a table for each threshold asked for and for each target FPIR, one row per size. On charts the size lies on
a log axis. The model of independent comparisons is a dashed line without an interval, and is called a model.

Holds the views of `GallerySizes` and `TransactionRates`; `sizes_panel`, `thresholds_panel` and `attempts_chart`, their
figures.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from bertillon.advice.warnings import not_measurable
from bertillon.analysis.gallery_rates import Extrapolated, GalleryPoint
from bertillon.analysis.gallery_size import GallerySizes
from bertillon.analysis.transactions import TransactionPoint, TransactionRates
from bertillon.core.messages import Message, Text, rounded_share, say, sentences, spoken
from bertillon.measures import Result
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import needed_trials, short_rate
from bertillon.views.assembling import Part, ReportContent, register_view
from bertillon.views.document import Axis, Block, Cell, Chart, Level, Paragraphs, Section, Sentence, Table, titled
from bertillon.views.figures import chart
from bertillon.views.figures.axis import ends_of, score_axis
from bertillon.views.figures.compose import LIMITS, grid
from bertillon.views.measures import ERRORS, interval_column
from bertillon.views.numbers import Unit, threshold_text

AROUND, TICK_ROOM = 1.15, 0.1  # of the sizes on an axis, and between two labels of it
EXTREMES = ("ZeroFMR", "ZeroFNMR")
MOST_TICKS = 10
Curve = Sequence[GalleryPoint]


def gallery_sizes(found: Sequence[GallerySizes], content: ReportContent) -> Part:
    """A table for each threshold and target, with a chart where there is room, and what larger galleries would do."""
    blocks: list[Block] = []
    verdicts: list[Sentence] = []
    several = len(found) > 1
    for place, each_one in enumerate(found):
        system = each_one.name if several else ""
        if not content.brief:
            blocks += _charts(each_one, system, f"gallery-{place}")
        for number, curve in enumerate(each_one.curves):
            if not content.brief or _needed(each_one, curve) is None:
                blocks.append(_table(each_one, curve, system, f"gallery-{place}-{number}", content.level))
            verdicts.append(Sentence(titled(system, _verdict(each_one, curve))))
        blocks += [_beyond(each_one, system, f"gallery-{place}-beyond")] if each_one.extrapolated else []
        blocks.append(Paragraphs.of(_notes(each_one, brief=content.brief), quiet=True, level=Level.DETAIL))
    blocks.append(Paragraphs.of([say("sizes.model.words")], quiet=True))
    return Part(sections=(Section("gallery", say("sizes.section"), tuple(blocks)),), verdicts=tuple(verdicts))


def _table(found: GallerySizes, curve: Curve, system: str, id: str, level: Level) -> Table:
    """One row a size; where the threshold is that of a target it stands in the row with its interval."""
    brief = level < Level.APPENDIX
    targeted = curve[0].target is not None
    heads: list[Text] = [say("sizes.people")]
    heads += [say("page.threshold")] if targeted else []
    heads += ["FPIR", interval_column(found.level), "FNIR", "DIR"]
    heads.append(say("sizes.model"))
    heads += [] if brief else [say("sizes.spread")]
    rows = []
    for point in curve:
        row = [Cell(point.size, Unit.COUNT)]
        if targeted:
            ends = point.threshold_interval
            note = (Cell(ends, Unit.SCORE).shown,) if ends is not None and not brief else ()
            row.append(Cell(threshold_text(point.threshold, found.rule), key=point.threshold, note=note))
        row += Cell.measured(point.fpir.result, point.fpir.interval)[:2]
        row += [Cell.estimate(rate.result, rate.interval) for rate in (point.fnir, point.dir)]
        model = Cell.estimate(Result(point.model), point.fpir.interval)  # in the digits of what it stands beside
        row.append(Cell(model.shown, key=point.model))
        row += [] if brief else [Cell(None if math.isnan(point.spread) else point.spread, Unit.RATE)]
        rows.append(tuple(row))
    return Table.under(heads, rows, id=id, caption=titled(system, _title(found, curve))).without_empty


def _title(found: GallerySizes, curve: Curve) -> Message:
    target = curve[0].target
    if target is not None:
        return say("sizes.title.target", target=target)
    return say("sizes.title.threshold", threshold=threshold_text(curve[0].threshold, found.rule))


def _verdict(found: GallerySizes, curve: Curve) -> Message:
    """What a threshold does from the smallest gallery to the largest, or which one the largest needs."""
    first, last, needed = curve[0], curve[-1], _needed(found, curve)
    if needed is not None:
        return say("sizes.verdict.needs", target=last.target, n=found.searches, needed=needed)
    if last.target is None:
        about: dict[str, Any] = {"first": _shown(first.fpir), "last": _shown(last.fpir)}
        about |= {"threshold": threshold_text(last.threshold, found.rule), "small": first.size, "large": last.size}
        return say("sizes.verdict.threshold", **about)
    threshold = threshold_text(last.threshold, found.rule)
    missed = _shown(last.fnir)
    return say("sizes.verdict.target", target=last.target, size=last.size, threshold=threshold, fnir=missed)


def _needed(found: GallerySizes, curve: Curve) -> int | None:
    """How many searches would show the target of a curve, where those made are too few."""
    needed = None if curve[0].target is None else needed_trials(curve[0].target)
    return needed if needed is not None and needed > found.searches else None


def _shown(rate: Measured) -> Text:
    return Cell.estimate(rate.result, rate.interval).shown


def _beyond(found: GallerySizes, system: str, id: str) -> Table:
    """Sizes that nobody measured, with the check of the line they lie on."""
    heads: list[Text] = [say("sizes.people"), say("page.threshold"), "FPIR", interval_column(found.level)]
    heads += [say(f"sizes.beyond.{name}") for name in ("predicted", "measured", "holds")]
    rows = [_beyond_row(found, one) for one in found.extrapolated]
    notes = [say("sizes.beyond.assumption", size=found.sizes[-1])]
    for one in found.extrapolated:
        if one.reason is not None:
            at = threshold_text(one.threshold, found.rule)
            notes.append(say("sizes.beyond.unknown", size=one.size, threshold=at, reason=one.reason))
    return Table.under(heads, rows, notes, id=id, caption=titled(system, say("sizes.beyond.title")), remarks=1)


def _beyond_row(found: GallerySizes, one: Extrapolated) -> tuple[Cell, ...]:
    rates = (
        Cell(None if math.isnan(rate) else rounded_share(rate), Unit.RATE) for rate in (one.predicted, one.measured)
    )
    return (
        Cell(one.size, Unit.COUNT),
        Cell(threshold_text(one.threshold, found.rule), key=one.threshold),
        Cell() if math.isnan(one.fpir) else Cell.estimate(Result(one.fpir), one.interval),
        Cell(one.interval, Unit.RATE),
        *rates,
        Cell() if one.reason else Cell(say("sizes.beyond.yes" if one.holds else "sizes.beyond.no")),
    )


def _notes(found: GallerySizes, *, brief: bool) -> list[Message]:
    how = say("sizes.how.ids") if found.order == "ids" else say("sizes.how.drawn", n=found.draws, seed=found.seed)
    notes = [say("sizes.searches", n=found.searches, mated=found.mated, people=found.people), how]
    notes += [say("sizes.failed", n=found.failed)] if found.failed else []
    notes += [say("sizes.zero")] if any(_needed(found, curve) for curve in found.targeted) else []
    return notes if brief else [*notes, say("sizes.intervals"), say("sizes.rates")]


def _charts(found: GallerySizes, system: str, id: str) -> list[Chart]:
    """FPIR at the thresholds asked for, and the thresholds of targets, by size."""
    made = []
    if found.fixed:
        summary = say("list.all", names=[_verdict(found, curve) for curve in found.fixed])
        lines = tuple(_lines(found))
        y_axis = _rates_axis(say("sizes.axis.fpir"), lines)
        made.append(
            Chart(
                f"{id}-fpir",
                titled(system, say("sizes.chart.fpir")),
                summary,
                _size_axis(found),
                y_axis,
                lines,
            )
        )
    if found.targeted:
        summary = say("list.all", names=[_verdict(found, curve) for curve in found.targeted])
        lines = tuple(_threshold_lines(found))
        axes = _size_axis(found), score_axis(say("sizes.axis.threshold"), _score_ends(lines))
        made.append(Chart(f"{id}-threshold", titled(system, say("sizes.chart.threshold")), summary, *axes, lines))
    return made


def _size_axis(found: GallerySizes) -> Axis:
    """A log axis with a tick for each size that has room for its label."""
    low, high = found.sizes[0] / AROUND, found.sizes[-1] * AROUND
    span, kept = math.log(high / low), [found.sizes[-1]]
    for size in reversed(found.sizes):
        if math.log(kept[-1] / size) > TICK_ROOM * span:
            kept.append(size)
    ticks, labels = tuple(map(float, kept[::-1])), tuple(f"{size:,}" for size in kept[::-1])
    return Axis(say("sizes.axis.people"), low, high, "log", "number", ticks=ticks, tick_labels=labels)


def _lines(found: GallerySizes) -> list[chart.Line]:
    """The FPIR of each threshold with its intervals, and what the model says, dashed."""
    lines = []
    x = tuple(map(float, found.sizes))
    for place, curve in enumerate(found.fixed):
        threshold = threshold_text(curve[0].threshold, found.rule)
        rates = [point.fpir for point in curve]
        shade = _shade(x, [rate.interval.low for rate in rates], [rate.interval.high for rate in rates], found.level)
        name, values = say("sizes.line", threshold=threshold), tuple(rate.value for rate in rates)
        lines.append(chart.Line(name, x, values, place, dots=True, shade=shade))
        model = tuple(point.model for point in curve)
        lines.append(
            chart.Line(
                say("sizes.line.model", threshold=threshold), x, model, chart.GUIDE, pen=chart.Pen(place, "--", 1.2)
            )
        )
    return lines


def _threshold_lines(found: GallerySizes) -> list[chart.Line]:
    """The threshold of each target with its intervals; infinite ones have no place."""
    lines = []
    for place, curve in enumerate(found.targeted):
        known = [point for point in curve if math.isfinite(point.threshold)]
        x, y = tuple(float(point.size) for point in known), tuple(point.threshold for point in known)
        ends = [point.threshold_interval for point in known]
        low, high = ([math.nan if end is None else getattr(end, name) for end in ends] for name in ("low", "high"))
        name = say("sizes.line.target", target=curve[0].target)
        lines.append(chart.Line(name, x, y, place, dots=True, shade=_shade(x, low, high, found.level)))
    return lines


def _shade(x: Sequence[float], low: Sequence[float], high: Sequence[float], level: float) -> chart.ShadedBand | None:
    """The intervals at each size, as lines from end to end."""
    known = [i for i in range(len(x)) if math.isfinite(low[i]) and math.isfinite(high[i])]
    if not known:
        return None
    places, lows, highs = (tuple(values[i] for i in known) for values in (x, low, high))
    return chart.ShadedBand(places, lows, highs, say("sizes.shaded", level=f"{100 * level:g}"), apart=True)


def _score_ends(lines: Sequence[chart.Line]) -> tuple[float, float]:
    shades = [line.shade for line in lines if line.shade is not None]
    return ends_of(*(line.y for line in lines), *(end for shade in shades for end in (shade.low, shade.high)))


def sizes_panel(found: GallerySizes) -> chart.Panel:
    """FPIR by the size of the gallery at each threshold asked for."""
    lines = [_worded(line) for line in _lines(found)]
    axes = _size_axis(found), _rates_axis(say("sizes.axis.fpir"), lines)
    x_axis, y_axis = map(_spoken_axis, axes)
    return chart.Panel(x_axis, y_axis, tuple(lines), title=found.name, notes=_bars(lines), legend="best")


def thresholds_panel(found: GallerySizes) -> chart.Panel:
    lines = _threshold_lines(found)
    y_axis = score_axis(say("sizes.axis.threshold"), _score_ends(lines))
    worded = tuple(map(_worded, lines))
    x_axis = _spoken_axis(_size_axis(found))
    return chart.Panel(x_axis, y_axis, worded, title=found.name, notes=_bars(lines), legend="best")


def _bars(lines: Sequence[chart.Line]) -> tuple[str, ...]:
    """What bars are, where there are any."""
    return tuple(spoken(line.shade.words) for line in lines if line.shade is not None)[:1]


def _rates_axis(label: Text, lines: Sequence[chart.Line]) -> Axis:
    """Rates from 0 to a little above the highest of them and of the ends of their intervals."""
    shades = [line.shade for line in lines if line.shade is not None]
    _, high = ends_of(*(line.y for line in lines), *(shade.high for shade in shades))
    return Axis(label, 0.0, min(AROUND * high, 1.0) or 1.0)


def _worded(line: chart.Line) -> chart.Line:
    return replace(line, name=spoken(line.name))


def _spoken_axis(axis: Axis) -> Axis:
    return replace(axis, label=spoken(axis.label))


def transaction_rates(found: Sequence[TransactionRates], content: ReportContent) -> Part:
    """A table for each threshold, one row for each number of attempts; attacks in a table of their own."""
    blocks: list[Block] = []
    verdicts: list[Sentence] = []
    for place, rates in enumerate(found):
        system = rates.name if len(found) > 1 else ""
        blocks += [] if content.brief else _attempts_charts(rates, system, f"transactions-{place}")
        for number, curve in enumerate(_answered(rates, content)):
            id = f"transactions-{place}-{number}"
            blocks.append(_attempts_table(rates, curve, system, id, brief=content.brief))
            blocks += [_attacks_table(rates, curve, system, f"{id}-attacks")] if curve[-1].iapar else []
            verdicts.append(Sentence(titled(system, _attempts_verdict(rates, curve[-1]))))
        blocks.append(Paragraphs.of(_attempts_notes(rates, brief=content.brief), quiet=True))
    title = say("transactions.section")
    return Part(sections=(Section("transactions", title, tuple(blocks)),), verdicts=tuple(verdicts))


def _answered(rates: TransactionRates, content: ReportContent) -> Sequence[Sequence[TransactionPoint]]:
    """The thresholds that are shown: in brief none where no error was seen, nor of a rate that is not measurable."""
    if not content.brief:
        return rates.curves
    aside = {*EXTREMES, *(name for each in content.verification for name in not_measurable(each))}
    return [curve for curve in rates.curves if curve[0].point not in aside] or rates.curves


def _attempts_charts(rates: TransactionRates, system: str, id: str) -> list[Chart]:
    """FAR and FRR by the attempts that are allowed, where there are several numbers of them."""
    if len(rates.curves[0]) < 2:
        return []
    made = []
    for name in ("far", "frr"):
        caption = titled(system, say("transactions.chart", rate=name.upper()))
        summary = say("list.all", names=[_attempts_verdict(rates, curve[-1]) for curve in rates.curves])
        lines = _attempts_lines(rates, name)
        made.append(Chart(f"{id}-{name}", caption, summary, *_attempts_axes(lines, name), tuple(lines)))
    return made


def _attempts_lines(rates: TransactionRates, name: str) -> list[chart.Line]:
    """A rate at each threshold with its intervals, and what it would be of independent attempts, dashed."""
    lines = []
    for place, curve in enumerate(rates.curves):
        x, measured = tuple(float(point.attempts) for point in curve), [getattr(point, name) for point in curve]
        low, high = ([getattr(rate.interval, end) for rate in measured] for end in ("low", "high"))
        shade = _shade(x, low, high, rates.level)
        at, values = _at(rates, curve[0]), tuple(rate.value for rate in measured)
        lines.append(chart.Line(at, x, values, place, dots=True, shade=shade))
        model = tuple(getattr(point, f"independent_{name}") for point in curve)
        called, pen = say("transactions.line.independent", at=at), chart.Pen(place, "--", 1.2)
        lines.append(chart.Line(called, x, model, chart.GUIDE, pen=pen))
    return lines


def _attempts_axes(lines: Sequence[chart.Line], name: str) -> tuple[Axis, Axis]:
    """Whole numbers of attempts, and rates from 0 to a little above the highest end."""
    ks = lines[0].x
    step = -(-len(ks) // MOST_TICKS)
    ticks = tuple(float(k) for k in ks[::step])
    labels = tuple(f"{k:g}" for k in ticks)
    label = say("transactions.axis.attempts")
    x_axis = Axis(label, ks[0] - 0.5, ks[-1] + 0.5, unit="number", ticks=ticks, tick_labels=labels)
    return x_axis, _rates_axis(name.upper(), lines)


def attempts_chart(found: Sequence[TransactionRates]) -> chart.Chart:
    """FAR and FRR by the attempts that are allowed, side by side for each system."""
    several = [rates for rates in found if len(rates.curves[0]) > 1]
    shown = several[: LIMITS.most_panels // 2]
    panels = [_attempts_panel(rates, name) for rates in shown for name in ("far", "frr")]
    return grid(panels, chart.SIZE, columns=2, every=2 * len(several))


def _attempts_panel(rates: TransactionRates, name: str) -> chart.Panel:
    lines = _attempts_lines(rates, name)
    x_axis, y_axis = map(_spoken_axis, _attempts_axes(lines, name))
    worded = tuple(map(_worded, lines))
    return chart.Panel(x_axis, y_axis, worded, title=rates.name, notes=_bars(lines), legend="best")


def _at(rates: TransactionRates, point: TransactionPoint) -> Message:
    """Which threshold, and what it was chosen for."""
    threshold = threshold_text(point.threshold, rates.rule)
    if point.point == "t":
        return say("transactions.at", threshold=threshold)
    return say("transactions.at.point", threshold=threshold, point=point.point)


def _attempts_table(
    rates: TransactionRates, curve: Sequence[TransactionPoint], system: str, id: str, *, brief: bool
) -> Table:
    ends, errors = interval_column(rates.level), ([] if brief else [ERRORS])
    heads: list[Text] = ["k", "FAR", ends, *errors, "FRR", ends, *errors]
    heads += [say("transactions.independent", rate=name) for name in ("FAR", "FRR")]
    rows = []
    for point in curve:
        row = [Cell(point.attempts, Unit.COUNT)]
        for rate in (point.far, point.frr):
            row += Cell.measured(rate.result, rate.interval)[: 2 if brief else 3]
        independent = point.independent_far, point.independent_frr
        row += [Cell(None if math.isnan(rate) else rate, Unit.RATE) for rate in independent]
        rows.append(tuple(row))
    caption = say("transactions.title", at=_at(rates, curve[0]))
    return Table.under(heads, rows, id=id, caption=titled(system, caption)).without_empty


def _attacks_table(rates: TransactionRates, curve: Sequence[TransactionPoint], system: str, id: str) -> Table:
    heads: list[Text] = [say("transactions.species"), "k", "IAPAR", interval_column(rates.level), ERRORS]
    rows = [
        (
            Cell(species, key=species),
            Cell(point.attempts, Unit.COUNT),
            *Cell.measured(rate.result, rate.interval),
        )
        for species in curve[-1].iapar
        for point, rate in ((point, point.iapar[species]) for point in curve)
    ]
    caption = say("transactions.attacks", at=_at(rates, curve[0]))
    return Table.under(heads, rows, id=id, caption=titled(system, caption)).without_empty


def _attempts_verdict(rates: TransactionRates, last: TransactionPoint) -> Message:
    """What a whole transaction does."""
    attempts, at = say("count.attempt", n=last.attempts), _at(rates, last)
    rates_at = say("transactions.verdict", far=_shown(last.far), frr=_shown(last.frr), attempts=attempts, at=at)
    if not last.iapar:
        return rates_at
    worst = max(last.iapar, key=lambda species: last.iapar[species].value)
    return sentences(rates_at, say("transactions.worst", species=worst, iapar=_shown(last.iapar[worst])))


def _attempts_notes(rates: TransactionRates, *, brief: bool) -> list[Message]:
    counts: dict[str, Any] = {"genuine": rates.genuine, "impostor": rates.impostor}
    notes = [say("transactions.counts", attacks=rates.attacks, **counts)] if rates.attacks else []
    notes = notes or [say("transactions.counts.two", **counts)]
    if rates.accepts > 1:
        notes.append(say("transactions.accepts", n=rates.accepts, attempts=rates.attempts))
    notes += [say("transactions.ended", n=rates.ended)] if rates.ended else []
    every = [rate for point in rates.points for rate in (point.far, point.frr, *point.iapar.values())]
    notes += [say("groups.naive")] if any(rate.interval.naive for rate in every) else []
    notes += _not_measurable((curve[-1].target for curve in rates.curves), rates.impostor)
    notes.append(say(f"transactions.independent.{'several' if rates.accepts > 1 else 'words'}"))
    return notes if brief else [*notes, say("transactions.words")]


def _not_measurable(targets: Iterable[float | None], n: int) -> list[Message]:
    """Of each target that so few impostor transactions cannot show, how many it needs."""
    needed = {target: needed_trials(target) for target in targets if target is not None}
    short = {short_rate(target): least for target, least in needed.items() if n < least}
    return [say("transactions.not_measurable", target=target, n=n, needed=least) for target, least in short.items()]


register_view(GallerySizes, gallery_sizes)
register_view(TransactionRates, transaction_rates)
