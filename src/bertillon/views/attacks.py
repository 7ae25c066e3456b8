"""Attacks on a system, and the errors of an attack detector: as plain values, as a figure's coordinates, as a page.

Conventions: species are ordered by their rates, worst first; those that a figure cannot bear are counted in a note.
Densities of all populations are on common bins. Rates, order and verdicts are those of the terminal (`render.attacks`).

Holds `attack_object`, `worst_first`, `populations_data` with its `PopulationsData` and `Population`, its figure
(`populations_panel`, `attacks_chart`), `outline` (a density as a line) and `attack_page`.
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
from bertillon.core.messages import Catalogue, say, spoken
from bertillon.core.messages import catalogue as load_catalogue
from bertillon.core.rule import readable
from bertillon.evaluation import error_curve, plain
from bertillon.measures import Result
from bertillon.measures.registry import VERIFICATION
from bertillon.stats.interval import Interval
from bertillon.trials.score_set import ScoreSet
from bertillon.views.figures.axis import FloatArray, padded, score_axis
from bertillon.views.figures.chart import (
    MATED,
    NONMATED,
    NOTHING,
    SIZE,
    Bars,
    Panel,
    Pen,
    percent_label,
    shortened,
    sized,
)
from bertillon.views.figures.chart import Chart as FigureChart
from bertillon.views.figures.chart import Path as Outline
from bertillon.views.figures.scores import SCORE, bin_edges, density_axis, shown_range, threshold_rule
from bertillon.views.page.model import Axis, Card, Cell, Chart, Column, Line, Page, Paragraphs, Section, Sentence, Table
from bertillon.views.page.numbers import Numbers
from bertillon.views.page.texts import sentence

MOST_SPECIES = 5
LONGEST = 20  # characters of the name of a species
RATE = "FMR"  # every number here is shown as this one: in percent, and as a bound where no error was seen
GUIDE = -1
HEADROOM = 1.05  # above the densities
FIGURE_HEADROOM = 1.35  # above the densities of the figure, for the threshold's label
BESIDE = 0.4  # of the width, for a text beside the threshold
ABOVE = 0.19  # inches of a legend's row
SPECIES_COLOURS, SPECIES_DASHES = (6, 2, 3, 4, 5), ("-", "--", "-.", ":")  # black first: the worst
FILLED = {"mated": MATED, "bona fide": MATED, "non-mated": NONMATED}
NAMES = {  # of those who do not attack
    "mated": "page.live.verification.mated",
    "non-mated": "page.live.verification.nonmated",
    "bona fide": "attacks.bona_fide",
}
LEGENDS = {"mated": "figure.mated", "non-mated": "figure.nonmated", "bona fide": "attacks.bona_fide"}


def attack_object(rates: AttackFinding) -> dict[str, Any]:
    """Rates, verdicts and warnings as plain values."""
    whole = {"bertillon": __version__, "mode": rates.mode, "level": rates.level} | rates.to_dict()
    messages_by_kind = {
        "verdicts": attack_verdicts(rates),
        "warnings": attack_warnings(rates),
        "notes": rates.attacks.notes,
    }
    return whole | {key: [str(message) for message in messages] for key, messages in messages_by_kind.items()}


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
    density: FloatArray = field(default_factory=lambda: NOTHING)  # empty without scores


@dataclass(frozen=True, slots=True, eq=False)
class PopulationsData:
    """Densities on common bins, the threshold where it can be shown, and the side that is accepted."""

    name: str
    edges: FloatArray
    populations: tuple[Population, ...]
    axis: Axis
    accepts_above: bool
    threshold: float | None
    fixed_by: str  # FMR=0.001, or nothing where the threshold was given
    notes: tuple[str, ...] = ()


def populations_data(rates: AttackFinding) -> PopulationsData:
    """Mated and non-mated scores, or bona fide ones, and the worst species of attack."""
    everybody = [*_others(rates), *_species(rates)]
    shown = everybody[: len(everybody) - max(len(rates.species) - MOST_SPECIES, 0)]
    edges = _edges([population.scores for population in shown])
    limits = padded((float(edges[0]), float(edges[-1])))
    visible = limits[0] <= rates.threshold <= limits[1]
    hidden = len(everybody) - len(shown)
    notes = [say("figure.more_species", n=hidden)] if hidden else []
    beyond = sum(population.scores.size - _inside(population.scores, edges) for population in shown)
    notes += [say("figure.not_shown", n=beyond)] if beyond else []
    off_axis = say("figure.off_axis", what=say("figure.threshold_is", threshold=readable(rates.threshold, 4)))
    notes += [] if visible else [off_axis]
    return PopulationsData(
        rates.trials.name,
        edges,
        tuple(replace(population, density=_density(population.scores, edges)) for population in shown),
        score_axis(SCORE, limits),
        rates.rule.sign == ">=",
        rates.threshold if visible else None,
        "" if rates.fixed_by == "t" else rates.fixed_by,
        tuple(map(spoken, notes)),
    )


def attacks_chart(rates: AttackFinding) -> FigureChart:
    """The populations, with room above them for their names."""
    data = populations_data(rates)
    return FigureChart((populations_panel(data),), (SIZE[0], SIZE[1] + ABOVE * len(data.populations)))


def populations_panel(data: PopulationsData) -> Panel:
    """The densities, the threshold and the accepted side: those who do not attack are filled, genuine ones blue and
    non-mated ones vermilion; a species of attack is a line, the worst of them the thickest.
    """
    there = [population for population in data.populations if population.density.size]
    marks: list[Any] = []
    pens = iter(zip(cycle(SPECIES_COLOURS), cycle(SPECIES_DASHES), chain([2.0], repeat(1.2)), strict=False))
    for population in there:
        pen = Pen(*next(pens)) if population.attacks else Pen(FILLED[population.name])
        fill = 0.0 if population.attacks else 0.35
        marks.append(Bars(population.label, data.edges, population.density, pen, fill))
    if data.threshold is not None:
        value = f"t = {readable(data.threshold, 4)}{f' ({data.fixed_by})' if data.fixed_by else ''}"
        marks += threshold_rule(data.axis, data.threshold, value, accepts_above=data.accepts_above, room=BESIDE)
    y_axis = density_axis([population.density for population in there], FIGURE_HEADROOM)
    return Panel(data.axis, y_axis, tuple(marks), notes=data.notes, legend="column")


def outline(edges: FloatArray, density: FloatArray) -> Outline:
    """The steps of a density as a line, down to nothing at both ends.

    >>> line = outline(np.array([0.0, 1.0, 2.0]), np.array([0.2, 0.8]))
    >>> line.x.tolist(), line.y.tolist()
    ([0.0, 0.0, 1.0, 1.0, 2.0, 2.0], [0.0, 0.2, 0.2, 0.8, 0.8, 0.0])
    """
    return Outline(np.repeat(edges, 2), np.concatenate([[0.0], np.repeat(density, 2), [0.0]]))


def _others(rates: AttackFinding) -> list[Population]:
    """Those who do not attack."""
    return [
        Population(name, attacks=False, label=sized(say(LEGENDS[name]), scores.size), scores=scores)
        for name, scores in rates.trials.others.items()
    ]


def _species(rates: AttackFinding) -> list[Population]:
    """Attacks by species, worst first."""
    by_name = {species.name: species for species in rates.attacks.species}
    ordered = [(by_name[found.species], found.rate.value) for found in worst_first(rates)]
    return [
        Population(
            species.name,
            attacks=True,
            label=f"{sized(shortened(species.name, LONGEST), species.size)}: {rates.measure} {percent_label(value)}",
            scores=species.answered,
        )
        for species, value in ordered
    ]


def _edges(populations: Sequence[NDArray[Any]]) -> FloatArray:
    """Bins over all populations, as many as suit the first two classes of them."""
    pooled = ScoreSet(populations[0], np.concatenate(populations[1:]))
    return bin_edges(pooled, shown_range(pooled, error_curve(pooled)), None)


def _inside(scores: NDArray[Any], edges: FloatArray) -> int:
    return int(np.count_nonzero((scores >= edges[0]) & (scores <= edges[-1])))


def _density(scores: NDArray[Any], edges: FloatArray) -> FloatArray:
    """The area is the share of the scores that is shown."""
    if not scores.size:
        return NOTHING
    counted = np.histogram(scores, bins=edges.size - 1, range=(float(edges[0]), float(edges[-1])))[0]
    return counted / (scores.size * np.diff(edges))


def attack_page(rates: AttackFinding, lang: str = "en") -> Page:
    """The whole page in one language."""
    made = _Attacks(rates, load_catalogue(lang))
    return Page(
        lang=lang,
        title=made.catalogue(f"attacks.title.{rates.mode}"),
        sentences=(made.summary(),),
        cards=tuple(made.cards()),
        headline=None,
        verdicts=tuple(sentence(message, made.catalogue) for message in attack_verdicts(rates)),
        warnings=tuple(sentence(message, made.catalogue) for message in attack_warnings(rates)),
        sections=(made.section(), made.notes()),
        results=(plain(attack_object(rates)),),
    )


class _Attacks:
    """Attacks on a system, or an attack detector by itself."""

    def __init__(self, rates: AttackFinding, catalogue: Catalogue) -> None:
        self.rates, self.catalogue, self.numbers = rates, catalogue, Numbers(catalogue)
        self.at = self.numbers.threshold(rates.threshold, rates.rule)

    def summary(self) -> Sentence:
        """What was measured, and at which threshold."""
        rates, catalogue, count = self.rates, self.catalogue, self.numbers.count
        promise = rates.fixed_by.replace("=", " ≤ ")
        how = catalogue("attacks.given") if rates.fixed_by == "t" else catalogue("attacks.fixed", promise=promise)
        values = {
            "attacks": count(len(rates.attacks)),
            "species": len(rates.species),
            "sign": {">=": "≥", "<=": "≤"}[rates.rule.sign],
            "how": how,
            "name": rates.trials.name or catalogue("page.unnamed"),
            "others": count(next(iter(rates.trials.counts.values()))),
        }
        return Sentence(catalogue(f"attacks.summary.{rates.mode}", threshold=self.at, **values))

    def cards(self) -> list[Card]:
        """The worst species, and the other errors at the same threshold."""
        rates, worst = self.rates, self.rates.worst
        first = self.card(rates.measure, worst.rate.result, worst.rate.interval, about=worst.species)
        others = [rate for rate in rates.beside if rate.threshold is not None and rate.target is None]
        return [first, *(self.card(rate.name, rate.result, rate.interval) for rate in others)]

    def card(self, name: str, result: Result, interval: Interval | None = None, *, about: str = "") -> Card:
        """One number, what it means and how sure it is."""
        ends = self.numbers.interval(RATE, interval, VERIFICATION)
        level = f"{self.rates.level * 100:g}"
        return Card(
            name,
            self.catalogue(f"attacks.{name}", species=about),
            self.value(result, interval),
            self.catalogue("page.interval", level=level, ends=ends) if ends else "",
            self.numbers.errors(result),
        )

    def section(self) -> Section:
        """The populations and every rate."""
        blocks = (self.chart(populations_data(self.rates)), self.species(), self.others())
        return Section("attacks", self.catalogue("attacks.section"), blocks)

    def chart(self, data: PopulationsData) -> Chart:
        """Densities of all populations, and the threshold as an upright line."""
        catalogue, there = self.catalogue, [population for population in data.populations if population.density.size]
        highest = max((float(population.density.max()) for population in there), default=0.0) or 1.0
        lines = [self.line(population, data, style) for style, population in enumerate(there)]
        if data.threshold is not None:
            lines.append(Line(catalogue("page.threshold"), (data.threshold,) * 2, (0.0, HEADROOM * highest), GUIDE))
        shown = sum(population.attacks for population in data.populations)
        left_out = len(self.rates.species) - shown
        title = catalogue("attacks.chart", threshold=self.at) + (catalogue("attacks.some", n=shown) if left_out else "")
        rows = [
            f"{species.species} {self.value(species.rate.result, species.rate.interval)}"
            for species in worst_first(self.rates)[:shown]
        ]
        return Chart(
            "attacks",
            title,
            catalogue(
                "attacks.chart.summary", measure=self.rates.measure, rates=catalogue("list.separator").join(rows)
            ),
            Axis(catalogue("page.live.score"), *data.axis.limits, unit="score"),
            Axis(catalogue("attacks.density"), 0.0, HEADROOM * highest, unit="score"),
            tuple(lines),
        )

    def line(self, population: Population, data: PopulationsData, style: int) -> Line:
        """One population; those who do not attack first, as in the figure."""
        drawn = outline(data.edges, population.density)
        name = population.name if population.attacks else self.catalogue(NAMES[population.name])
        called = f"{name} ({self.numbers.count(population.scores.size)})"
        return Line(called, tuple(drawn.x.tolist()), tuple(drawn.y.tolist()), style)

    def species(self) -> Table:
        """One row a species, worst first."""
        catalogue, silent = self.catalogue, any(species.silent.errors for species in self.rates.species)
        heads = [
            catalogue("attacks.species"),
            self.rates.measure,
            self.level(),
            catalogue(f"attacks.through.{self.rates.mode}"),
        ]
        heads += [catalogue("attacks.silent")] if silent else []
        columns = Column.under(heads)
        rows = tuple(self.row(species, silent=silent) for species in worst_first(self.rates))
        reasons = dict.fromkeys(
            species.rate.interval.reason for species in self.rates.species if math.isnan(species.rate.interval.low)
        )
        note = " ".join(catalogue("groups.no_interval", reason=why) for why in reasons if why)
        return Table("attack-species", catalogue("attacks.caption"), columns, rows, note)

    def row(self, species: SpeciesRate, *, silent: bool) -> tuple[Cell, ...]:
        """A species."""
        more = (
            (Cell(self.numbers.percent(species.silent.value) if species.silent.errors else "", species.silent.value),)
            if silent
            else ()
        )
        return (Cell(species.species, species.species), *self.cells(species.rate.result, species.rate.interval), *more)

    def cells(self, result: Result, interval: Interval | None) -> tuple[Cell, ...]:
        """The value, its interval and the counts behind it."""
        ends = self.numbers.interval(RATE, interval, VERIFICATION)
        return (
            Cell(self.value(result, interval), result.value),
            Cell(ends, interval.low if interval is not None and ends else None),
            Cell(self.numbers.errors(result), result.errors),
        )

    def value(self, result: Result, interval: Interval | None) -> str:
        """To the digits that its interval supports."""
        return self.numbers.value(RATE, result, VERIFICATION, interval)

    def others(self) -> Table:
        """The errors of those who do not attack; of a detector where the APCER is held down too."""
        heads = [self.catalogue(head) for head in ("page.measure", "page.value")]
        heads += [self.level(), self.catalogue("page.errors"), self.catalogue("page.threshold")]
        rows = tuple(self.beside(rate) for rate in self.rates.beside)
        return Table("attack-others", self.catalogue("attacks.others"), Column.under(heads), rows)

    def beside(self, rate: BesideRate) -> tuple[Cell, ...]:
        """A rate, what it means, and where it is read."""
        means = (
            self.catalogue(f"attacks.{rate.name}")
            if rate.target is None
            else self.catalogue("attacks.BPCER@APCER", percent=self.numbers.percent(rate.target))
        )
        at = Cell(self.numbers.threshold(rate.threshold, self.rates.rule), rate.threshold)
        return (Cell(rate.name, rate.name, note=means), *self.cells(rate.result, rate.interval), at)

    def notes(self) -> Section:
        """Definitions, ties and intervals."""
        keys = (f"attacks.notes.{self.rates.mode}", "page.notes.intervals", "attacks.bound")
        notes = tuple(Sentence(self.catalogue(key)) for key in keys)
        return Section("notes", self.catalogue("page.section.notes"), (Paragraphs(notes, listed=True),))

    def level(self) -> str:
        """The heading of intervals."""
        return self.catalogue("page.interval.column", level=f"{self.rates.level * 100:g}")
