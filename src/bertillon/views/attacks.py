"""What is shown of attacks on a system, and of an attack detector: rates by species, other errors, and populations.

Holds the view of `AttackFinding`, and `attack_object`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bertillon._version import __version__
from bertillon.advice.attacks import attack_verdicts, attack_warnings
from bertillon.analysis.attacks import AttackFinding, BesideRate, SpeciesRate
from bertillon.core.messages import Message, Text, Value, say
from bertillon.evaluation import plain
from bertillon.measures import Result
from bertillon.stats.interval import Interval
from bertillon.views.assembling import Part, register_view
from bertillon.views.document import (
    Axis,
    Block,
    Card,
    Cell,
    Chart,
    Column,
    Level,
    Line,
    Paragraphs,
    Section,
    Sentence,
    Subject,
    Table,
)
from bertillon.views.figures.attacks import NAMES, Population, PopulationsData, outline, populations_data, worst_first
from bertillon.views.figures.chart import GUIDE
from bertillon.views.measures import ERRORS, MEASURE, THRESHOLD, VALUE, interval_column
from bertillon.views.numbers import Estimate, Unit, errors_text, shown, threshold_text
from bertillon.views.report_content import ReportContent

HEADROOM = 1.05  # above the densities


def attacks(found: Sequence[AttackFinding], content: ReportContent) -> Part:
    """Every species, the other errors, and verdicts in words; of several findings one after the other."""
    made = [_Attacks(rates, place, content) for place, rates in enumerate(found)]
    blocks = tuple(block for each in made for block in each.blocks())
    keys = dict.fromkeys(key for each in made for key in each.note_keys)
    notes = Section(
        "notes", say("page.section.notes"), (Paragraphs.of(map(say, keys), listed=True),), level=Level.APPENDIX
    )
    return Part(
        sections=(Section("attacks", say("attacks.section"), blocks), notes),
        title=say(f"attacks.title.{found[0].mode}"),
        sentences=tuple(each.summary() for each in made),
        subjects=tuple(each.subject() for each in made),
        cards=tuple(card for each in made for card in each.cards()),
        verdicts=tuple(Sentence(text) for rates in found for text in attack_verdicts(rates)),
        warnings=tuple(Sentence(text) for rates in found for text in attack_warnings(rates)),
        results=() if content.brief else tuple(attack_object(rates) for rates in found),
    )


def attack_object(rates: AttackFinding) -> dict[str, Any]:
    """Rates, verdicts and warnings as plain values."""
    whole = {"bertillon": __version__, "mode": rates.mode, "level": rates.level} | rates.to_dict()
    messages_by_kind = {
        "verdicts": attack_verdicts(rates),
        "warnings": attack_warnings(rates),
        "notes": rates.attacks.notes,
    }
    made: dict[str, Any] = plain(whole)
    return made | {key: [str(message) for message in messages] for key, messages in messages_by_kind.items()}


class _Attacks:
    """Attacks on a system, or an attack detector by itself."""

    def __init__(self, rates: AttackFinding, place: int, content: ReportContent) -> None:
        self.rates, self.content = rates, content
        self.id = f"attack{place or ''}"
        self.at = threshold_text(rates.threshold, rates.rule)
        self.note_keys = (f"attacks.notes.{rates.mode}", "page.notes.intervals", "attacks.bound")

    def summary(self) -> Message:
        """What was measured, and at which threshold."""
        rates = self.rates
        promise = rates.fixed_by.replace("=", " ≤ ")
        how = say("attacks.given") if rates.fixed_by == "t" else say("attacks.fixed", promise=promise)
        values: dict[str, Value] = {
            "attacks": len(rates.attacks),
            "species": len(rates.species),
            "sign": {">=": "≥", "<=": "≤"}[rates.rule.sign],
            "how": how,
            "name": rates.trials.name or say("page.unnamed"),
            "others": next(iter(rates.trials.counts.values())),
        }
        return say(f"attacks.summary.{rates.mode}", threshold=self.at, **values)

    def subject(self) -> Subject:
        """The same as a heading, and what was understood."""
        return Subject(self.summary(), notes=tuple(self.rates.attacks.notes))

    def cards(self) -> list[Card]:
        """The worst species, and the other errors at the same threshold."""
        rates, worst = self.rates, self.rates.worst
        first = self.card(rates.measure, worst.rate.result, worst.rate.interval, about=worst.species)
        others = [rate for rate in rates.beside if rate.threshold is not None and rate.target is None]
        return [first, *(self.card(rate.name, rate.result, rate.interval) for rate in others)]

    def card(self, name: str, result: Result, interval: Interval | None = None, *, about: str = "") -> Card:
        """One number, what it means and how sure it is."""
        ends, level = shown(interval, Unit.RATE), f"{self.rates.level * 100:g}"
        sure = say("page.interval", level=level, ends=ends) if ends else ""
        means = say(f"attacks.{name}", species=about)
        return Card(name, means, Cell(Estimate(result, interval), Unit.RATE), sure, errors_text(result))

    def blocks(self) -> list[Block]:
        """The populations and every rate."""
        chart = [] if self.content.brief else [self.chart(populations_data(self.rates))]
        return [*chart, self.species(), self.others()]

    def chart(self, data: PopulationsData) -> Chart:
        """Densities of all populations, and the threshold as an upright line."""
        there = [population for population in data.populations if population.density.size]
        highest = max((float(population.density.max()) for population in there), default=0.0) or 1.0
        lines = [_line(population, data, style) for style, population in enumerate(there)]
        if data.threshold is not None:
            lines.append(Line(THRESHOLD, (data.threshold,) * 2, (0.0, HEADROOM * highest), GUIDE))
        drawn = sum(population.attacks for population in data.populations)
        title = say("attacks.chart", threshold=self.at)
        if len(self.rates.species) > drawn:
            title = say("attacks.some", title=title, n=drawn)
        rates = [
            say("number.of", name=species.species, value=_cell(species.rate.result, species.rate.interval).shown)
            for species in worst_first(self.rates)[:drawn]
        ]
        return Chart(
            f"{self.id}s",
            title,
            say("attacks.chart.summary", measure=self.rates.measure, rates=rates),
            Axis(say("page.live.score"), *data.axis.limits, unit="score"),
            Axis(say("attacks.density"), 0.0, HEADROOM * highest, unit="score"),
            tuple(lines),
        )

    def species(self) -> Table:
        """One row a species, worst first."""
        rates, silent = self.rates, any(species.silent.errors for species in self.rates.species)
        heads: list[Text] = [say("attacks.species"), rates.measure, interval_column(rates.level)]
        heads += [say(f"attacks.through.{rates.mode}"), *([say("attacks.silent")] if silent else [])]
        rows = tuple(_row(species, silent=silent) for species in worst_first(rates))
        unsure = [
            found for found in rates.species if math.isnan(found.rate.interval.low) and found.rate.interval.reason
        ]
        notes = [
            say("terminal.attacks.no_interval", species=found.species, reason=found.rate.interval.reason)
            for found in unsure
        ]
        return Table(f"{self.id}-species", say("attacks.caption"), Column.under(heads), rows, tuple(notes))

    def others(self) -> Table:
        """The errors of those who do not attack; of a detector where the APCER is held down too."""
        heads = [MEASURE, VALUE, interval_column(self.rates.level), ERRORS, THRESHOLD]
        rows = tuple(self.beside(rate) for rate in self.rates.beside)
        return Table(f"{self.id}-others", say("attacks.others"), Column.under(heads), rows)

    def beside(self, rate: BesideRate) -> tuple[Cell, ...]:
        """A rate, what it means, and where it is read."""
        held = rate.target is not None
        means = (
            say("attacks.BPCER@APCER", percent=shown(rate.target, Unit.RATE)) if held else say(f"attacks.{rate.name}")
        )
        at = Cell(threshold_text(rate.threshold, self.rates.rule), key=rate.threshold)
        limit = (f"APCER ≤ {shown(rate.target, Unit.RATE)}",) if held else ()
        name = Cell(rate.name, note=limit, meaning=means)
        return (name, *_cells(rate.result, rate.interval), at)


def _line(population: Population, data: PopulationsData, style: int) -> Line:
    """One population; those who do not attack first, as in the figure."""
    drawn = outline(data.edges, population.density)
    name = population.name if population.attacks else NAMES[population.name]
    called = say("figure.sized", name=name, n=population.scores.size)
    return Line(called, tuple(drawn.x.tolist()), tuple(drawn.y.tolist()), style)


def _row(species: SpeciesRate, *, silent: bool) -> tuple[Cell, ...]:
    share = species.silent.value if species.silent.errors else None
    more = (Cell(share, Unit.RATE),) if silent else ()
    return (Cell(species.species), *_cells(species.rate.result, species.rate.interval), *more)


def _cell(result: Result, interval: Interval | None) -> Cell:
    return Cell(Estimate(result, interval), Unit.RATE)


def _cells(result: Result, interval: Interval | None) -> tuple[Cell, ...]:
    """The value, its interval and the counts behind it."""
    return (_cell(result, interval), Cell(interval, Unit.RATE), Cell(errors_text(result), key=result.errors))


register_view(AttackFinding, attacks)
