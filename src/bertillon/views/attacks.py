"""What is shown of attacks on a system, and of an attack detector: rates by species, other errors, and populations.

Conventions: species are ordered by their rates, worst first, and the worst is marked where rates differ. In the figure
attacks are a third population: densities of all populations are on common bins, beside the threshold and the accepted
side; species that it cannot bear are counted in a note.

Holds the view of `AttackFinding`, and `attack_object`; `worst_first`, `populations_data` with its `PopulationsData` and
`Population`, and the figure (`populations_panel`, `attacks_chart`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, cycle, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon._version import __version__
from bertillon.advice.attacks import attack_verdicts, attack_warnings
from bertillon.analysis.attacks import AttackFinding, BesideRate, SpeciesRate
from bertillon.core.messages import Message, Text, Value, say, spoken
from bertillon.core.rule import readable
from bertillon.counting.tally import error_curve
from bertillon.evaluation import plain
from bertillon.measures import Result
from bertillon.stats.interval import Interval
from bertillon.trials.score_set import ScoreSet
from bertillon.views.assembling import Part, ReportContent, notes_section, register_view, signature_section
from bertillon.views.document import Axis, Block, Card, Cell, Chart, Paragraphs, Section, Sentence, Subject, Table
from bertillon.views.figures import chart, distribution
from bertillon.views.figures.axis import FloatArray, padded, score_axis
from bertillon.views.figures.compose import grid
from bertillon.views.measures import ERRORS, MEASURE, THRESHOLD, VALUE, interval_column
from bertillon.views.numbers import PERCENT, Unit, errors_text, shown, threshold_text, with_digits
from bertillon.views.verification import notes_of

MOST_SPECIES = 5
LONGEST = 20  # characters of the name of a species
ON_PAGE, ON_PAPER = 1.05, 1.35  # above the densities; on paper there is the threshold's label
BESIDE = 0.4  # of the width, for a text beside the threshold
ABOVE = 0.19  # inches of a legend's row
SPECIES_COLOURS, SPECIES_DASHES = (6, 2, 3, 4, 5), ("-", "--", "-.", ":")  # black first: the worst
FILLED = {"mated": chart.MATED, "bona fide": chart.MATED, "non-mated": chart.NONMATED}
NAMES = {  # of those who do not attack
    "mated": say("figure.mated"),
    "non-mated": say("figure.nonmated"),
    "bona fide": say("attacks.bona_fide"),
}


def attacks(found: Sequence[AttackFinding], content: ReportContent) -> Part:
    """Every species, the other errors, and verdicts in words; of several findings one after the other."""
    made = [_Attacks(rates, place, content) for place, rates in enumerate(found)]
    blocks = tuple(block for each in made for block in each.blocks())
    keys = dict.fromkeys(key for each in made for key in each.note_keys)
    notes = notes_section(Paragraphs.of(map(say, keys), listed=True))
    signature = signature_section((rates.trials.name, rates.signature) for rates in found)
    return Part(
        sections=(Section("attacks", say("attacks.section"), blocks), notes, signature),
        title=say(f"attacks.title.{found[0].trials.kind}"),
        sentences=tuple(Sentence(each.summary()) for each in made),
        subjects=tuple(each.subject() for each in made),
        cards=tuple(card for each in made for card in each.cards()),
        verdicts=tuple(Sentence(_quoted(text, rates)) for rates in found for text in attack_verdicts(rates)),
        warnings=tuple(Sentence(text) for rates in found for text in attack_warnings(rates)),
        results=() if content.brief else tuple(attack_object(rates) for rates in found),
    )


def _quoted(verdict: Message, rates: AttackFinding) -> Message:
    """A verdict in which rates have the digits that they have in the table."""
    found = [species.rate for species in rates.species if species.rate.result.value]
    cells = {rate.result.value: Cell.estimate(rate.result, rate.interval) for rate in found}
    return with_digits(verdict, {(value, Unit.RATE): cell.text.removesuffix(PERCENT) for value, cell in cells.items()})


def attack_object(rates: AttackFinding) -> dict[str, Any]:
    """Rates, verdicts and warnings as plain values."""
    whole = {"bertillon": __version__, "mode": rates.trials.kind, "level": rates.level} | rates.to_dict()
    messages_by_kind = {
        "verdicts": attack_verdicts(rates),
        "warnings": attack_warnings(rates),
        "notes": rates.trials.attacks.notes,
    }
    made: dict[str, Any] = plain(whole)
    return made | {key: [str(message) for message in messages] for key, messages in messages_by_kind.items()}


class _Attacks:
    """Attacks on a system, or an attack detector by itself."""

    def __init__(self, rates: AttackFinding, place: int, content: ReportContent) -> None:
        self.rates, self.content = rates, content
        self.id = f"attack{place or ''}"
        self.at = threshold_text(rates.threshold, rates.rule)
        self.note_keys = (f"attacks.notes.{rates.trials.kind}", "page.notes.intervals", "attacks.bound")

    def summary(self) -> Message:
        """What was measured, and at which threshold."""
        rates = self.rates
        promise = rates.fixed_by.replace("=", " ≤ ")
        how = say("attacks.given") if rates.fixed_by == "t" else say("attacks.fixed", promise=promise)
        values: dict[str, Value] = {
            "attacks": len(rates.trials.attacks),
            "species": len(rates.species),
            "sign": {">=": "≥", "<=": "≤"}[rates.rule.sign],
            "how": how,
            "name": rates.trials.name or say("page.unnamed"),
            "others": next(iter(rates.trials.counts.values())),
        }
        return say(f"attacks.summary.{rates.trials.kind}", threshold=self.at, **values)

    def subject(self) -> Subject:
        """The same as a heading, and what was understood."""
        return Subject(self.summary(), **notes_of(self.rates.trials.attacks.notes))

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
        return Card(name, means, Cell.estimate(result, interval), sure, errors_text(result))

    def blocks(self) -> list[Block]:
        """The populations and every rate."""
        chart = [] if self.content.brief else [self.chart(populations_data(self.rates))]
        return [*chart, self.species(), self.others()]

    def chart(self, data: PopulationsData) -> Chart:
        """Densities of all populations, and the threshold as an upright line."""
        top = data.height(ON_PAGE).high
        lines = [_line(population, data, style) for style, population in enumerate(data.there)]
        if data.threshold is not None:
            lines.append(chart.Line(THRESHOLD, (data.threshold,) * 2, (0.0, top), chart.GUIDE))
        drawn = sum(population.attacks for population in data.populations)
        title = say("attacks.chart", threshold=self.at)
        if len(self.rates.species) > drawn:
            title = say("attacks.some", title=title, n=drawn)
        rates = [
            say(
                "number.of", name=species.species, value=Cell.estimate(species.rate.result, species.rate.interval).shown
            )
            for species in worst_first(self.rates)[:drawn]
        ]
        return Chart(
            f"{self.id}s",
            title,
            say("attacks.chart.summary", measure=self.rates.measure, rates=rates),
            Axis(say("page.live.score"), *data.axis.limits, unit="score"),
            Axis(say("attacks.density"), 0.0, top, unit="score"),
            tuple(lines),
        )

    def species(self) -> Table:
        """One row a species, worst first."""
        rates, silent = self.rates, any(species.silent.errors for species in self.rates.species)
        heads: list[Text] = [say("attacks.species"), rates.measure, interval_column(rates.level)]
        heads += [say(f"attacks.through.{rates.trials.kind}"), *([say("attacks.silent")] if silent else [])]
        differ = len({species.rate.value for species in rates.species}) > 1
        rows = []
        for species in worst_first(rates):
            share = Cell(species.silent.value if species.silent.errors else None, Unit.RATE)
            mark = Cell(say("attacks.worst") if species is rates.worst and differ else "", best=True)
            cells = Cell.measured(species.rate.result, species.rate.interval)
            rows.append((Cell(species.species), *cells, *([share] if silent else []), mark))
        intervals = [(found.species, found.rate.interval) for found in rates.species]
        notes = [
            say("terminal.attacks.no_interval", species=species, reason=interval.reason)
            for species, interval in intervals
            if math.isnan(interval.low) and interval.reason
        ]
        about: dict[str, Any] = {"id": f"{self.id}-species", "caption": say("attacks.caption"), "remarks": 1}
        return Table.under([*heads, ""], rows, notes, **about).without_empty

    def others(self) -> Table:
        """The errors of those who do not attack; of a detector where the APCER is held down too."""
        heads = [MEASURE, VALUE, interval_column(self.rates.level), ERRORS, THRESHOLD]
        return Table.under(
            heads, map(self.beside, self.rates.beside), id=f"{self.id}-others", caption=say("attacks.others")
        )

    def beside(self, rate: BesideRate) -> tuple[Cell, ...]:
        """A rate, what it means, and where it is read."""
        held = rate.target is not None
        means = (
            say("attacks.BPCER@APCER", percent=shown(rate.target, Unit.RATE)) if held else say(f"attacks.{rate.name}")
        )
        at = Cell(threshold_text(rate.threshold, self.rates.rule), key=rate.threshold)
        limit = (f"APCER ≤ {shown(rate.target, Unit.RATE)}",) if held else ()
        name = Cell(rate.name, note=limit, meaning=means)
        return (name, *Cell.measured(rate.result, rate.interval), at)


def _line(population: Population, data: PopulationsData, style: int) -> chart.Line:
    """The steps of one density, down to nothing at both ends; those who do not attack come first, as in the figure."""
    x, y = np.repeat(data.edges, 2), np.concatenate([[0.0], np.repeat(population.density, 2), [0.0]])
    name = population.name if population.attacks else NAMES[population.name]
    called = say("figure.sized", name=name, n=population.scores.size)
    return chart.Line(called, tuple(x.tolist()), tuple(y.tolist()), style)


def worst_first(rates: AttackFinding) -> list[SpeciesRate]:
    """Species by their rates; those without one last."""
    return sorted(
        rates.species, key=lambda species: math.inf if math.isnan(species.rate.value) else -species.rate.value
    )


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The density of one population and what the legend says of it."""

    name: str  # of a species, or what those who do not attack are called
    attacks: bool
    label: str
    scores: NDArray[Any]
    density: FloatArray = field(default_factory=lambda: chart.NOTHING)  # empty without scores


@dataclass(frozen=True, slots=True, eq=False)
class PopulationsData:
    """Densities on common bins, the threshold where it can be shown, and the side that is accepted."""

    edges: FloatArray
    populations: tuple[Population, ...]
    axis: Axis
    accepts_above: bool
    threshold: float | None
    fixed_by: str  # FMR=0.001, or nothing where the threshold was given
    notes: tuple[str, ...] = ()

    @property
    def there(self) -> list[Population]:
        """The populations that have scores."""
        return [population for population in self.populations if population.density.size]

    def height(self, headroom: float) -> Axis:
        """The axis of the densities."""
        return distribution.density_axis([population.density for population in self.populations], headroom)


def populations_data(rates: AttackFinding) -> PopulationsData:
    """Mated and non-mated scores, or bona fide ones, and the worst species of attack."""
    others = [
        Population(name, attacks=False, label=chart.sized(NAMES[name], values.size), scores=values)
        for name, values in rates.trials.others.items()
    ]
    everybody = [*others, *_species(rates)]
    drawn = everybody[: len(everybody) - max(len(rates.species) - MOST_SPECIES, 0)]
    pooled = ScoreSet(drawn[0].scores, np.concatenate([population.scores for population in drawn[1:]]))
    shown = distribution.shown_range(pooled, error_curve(pooled))
    edges = distribution.bin_edges(pooled, shown, None)  # as suit the first two
    limits = padded((float(edges[0]), float(edges[-1])))
    visible = limits[0] <= rates.threshold <= limits[1]
    hidden = len(everybody) - len(drawn)
    notes = [say("figure.more_species", n=hidden)] if hidden else []
    counts = [distribution.bin_counts(population.scores, edges) for population in drawn]
    beyond = sum(population.scores.size - int(inside.sum()) for population, inside in zip(drawn, counts, strict=True))
    notes += [say("figure.not_shown", n=beyond)] if beyond else []
    off_axis = say("figure.off_axis", what=say("figure.threshold_is", threshold=readable(rates.threshold, 4)))
    notes += [] if visible else [off_axis]
    return PopulationsData(
        edges,
        tuple(
            replace(population, density=distribution.density_of(inside, population.scores.size, edges))
            for population, inside in zip(drawn, counts, strict=True)
        ),
        score_axis(distribution.SCORE, limits),
        rates.rule.sign == ">=",
        rates.threshold if visible else None,
        "" if rates.fixed_by == "t" else rates.fixed_by,
        tuple(map(spoken, notes)),
    )


def attacks_chart(found: Sequence[AttackFinding]) -> chart.Chart:
    """The populations of each finding, with room above them for their names."""
    every = [populations_data(rates) for rates in found]
    names = ABOVE * max(len(data.populations) for data in every)
    return grid([populations_panel(data) for data in every], (chart.SIZE[0], chart.SIZE[1] + names), columns=1)


def populations_panel(data: PopulationsData) -> chart.Panel:
    """The densities, the threshold and the accepted side: those who do not attack are filled, genuine ones blue and
    non-mated ones vermilion; a species of attack is a line, the worst of them the thickest.
    """
    marks: list[chart.Mark] = []
    pens = iter(zip(cycle(SPECIES_COLOURS), cycle(SPECIES_DASHES), chain([2.0], repeat(1.2)), strict=False))
    for population in data.there:
        pen = chart.Pen(*next(pens)) if population.attacks else chart.Pen(FILLED[population.name])
        fill = 0.0 if population.attacks else 0.35
        marks.append(chart.Bars(population.label, data.edges, population.density, pen, fill))
    if data.threshold is not None:
        value = f"t = {readable(data.threshold, 4)}{f' ({data.fixed_by})' if data.fixed_by else ''}"
        marks += distribution.threshold_rule(
            data.axis, data.threshold, value, accepts_above=data.accepts_above, room=BESIDE
        )
    return chart.Panel(data.axis, data.height(ON_PAPER), tuple(marks), notes=data.notes, legend="column")


def _species(rates: AttackFinding) -> list[Population]:
    """Attacks by species, worst first."""
    by_name = {species.name: species for species in rates.trials.attacks.species}
    populations = []
    for found in worst_first(rates):
        species, rate = by_name[found.species], chart.percent_label(found.rate.value)
        name = chart.sized(chart.shortened(species.name, LONGEST), species.size)
        label = f"{name}: {rates.measure} {rate}"
        populations.append(Population(species.name, attacks=True, label=label, scores=species.answered))
    return populations


register_view(AttackFinding, attacks)
