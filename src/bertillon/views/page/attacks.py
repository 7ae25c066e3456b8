"""The page on attacks: populations and the threshold between them, species by species, and those who do not attack.

Conventions: rates, order and verdicts are those of the terminal (`render.attacks`).

Holds `attack_page`.
"""

from __future__ import annotations

import math

from bertillon.advice.attacks import attack_verdicts, attack_warnings
from bertillon.analysis.attack_detection import PadRates
from bertillon.analysis.attacks import AttackRates, SpeciesRate
from bertillon.core.messages import Catalogue
from bertillon.core.messages import catalogue as load_catalogue
from bertillon.core.rule import AcceptRule
from bertillon.evaluation.base import plain
from bertillon.measures import Result
from bertillon.measures.registry import VERIFICATION
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import Interval
from bertillon.views.attacks import Rates, attack_object, worst_first
from bertillon.views.figures.attack_data import ATTACK, FRIENDLY, Population, PopulationsData, outline, populations_data
from bertillon.views.page.model import Axis, Card, Cell, Chart, Column, Line, Page, Paragraphs, Section, Sentence, Table
from bertillon.views.page.numbers import Numbers
from bertillon.views.page.texts import sentence

RATE = "FMR"  # every number here is shown as this one: in percent, and as a bound where no error was seen
GUIDE = -1
HEADROOM = 1.05  # above the densities


def attack_page(rates: Rates, lang: str = "en") -> Page:
    """The whole page in one language."""
    made = _Attacks(rates, load_catalogue(lang))
    return Page(
        lang=lang,
        title=made.catalogue(f"attacks.title.{made.mode}"),
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

    def __init__(self, rates: Rates, catalogue: Catalogue) -> None:
        self.rates, self.catalogue, self.numbers = rates, catalogue, Numbers(catalogue)
        self.mode, self.measure = ("attacks", "IAPAR") if isinstance(rates, AttackRates) else ("pad", "APCER")
        self.rule: AcceptRule = rates.scores.rule if isinstance(rates, AttackRates) else rates.rule
        self.at = self.numbers.threshold(rates.threshold, self.rule)

    def summary(self) -> Sentence:
        """What was measured, and at which threshold."""
        rates, catalogue, count = self.rates, self.catalogue, self.numbers.count
        promise = rates.fixed_by.replace("=", " ≤ ")
        how = catalogue("attacks.given") if rates.fixed_by == "t" else catalogue("attacks.fixed", promise=promise)
        sign = {">=": "≥", "<=": "≤"}[self.rule.sign]
        values = {"attacks": count(len(rates.attacks)), "species": len(rates.species), "sign": sign, "how": how}
        if isinstance(rates, PadRates):
            values["others"] = count(rates.bona_fide.size)
        else:
            values["name"] = rates.scores.name or catalogue("page.unnamed")
        return Sentence(catalogue(f"attacks.summary.{self.mode}", threshold=self.at, **values))

    def cards(self) -> list[Card]:
        """The worst species, and the errors of those who do not attack."""
        rates, worst = self.rates, self.rates.worst
        first = self.card(self.measure, worst.rate.result, worst.rate.interval, about=worst.species)
        if isinstance(rates, PadRates):
            return [first, self.card("BPCER", rates.bpcer.result, rates.bpcer.interval)]
        riapar = Card("RIAPAR", self.catalogue("attacks.RIAPAR"), self.plain(rates.riapar))
        return [first, self.card("FMR", rates.fmr.result, rates.fmr.interval), self.card("FRR", rates.frr), riapar]

    def card(self, name: str, result: Result, interval: Interval | None = None, *, about: str = "") -> Card:
        """One number, what it means and how sure it is."""
        ends = self.numbers.interval(RATE, interval, VERIFICATION)
        level = f"{self.rates.level * 100:g}"
        return Card(
            name,
            self.catalogue(f"attacks.{name}", species=about),
            self.numbers.value(RATE, result, VERIFICATION, interval),
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
        shown = sum(population.kind == ATTACK for population in data.populations)
        left_out = len(self.rates.species) - shown
        title = catalogue("attacks.chart", threshold=self.at) + (catalogue("attacks.some", n=shown) if left_out else "")
        rows = [f"{species.species} {self.value(species.rate)}" for species in worst_first(self.rates)[:shown]]
        return Chart(
            "attacks",
            title,
            catalogue("attacks.chart.summary", measure=self.measure, rates=catalogue("list.separator").join(rows)),
            Axis(catalogue("page.live.score"), *data.axis.limits, unit="score"),
            Axis(catalogue("attacks.density"), 0.0, HEADROOM * highest, unit="score"),
            tuple(lines),
        )

    def line(self, population: Population, data: PopulationsData, style: int) -> Line:
        """One population; those who do not attack first, as in the figure."""
        drawn = outline(data.edges, population.density)
        kind = "attacks.bona_fide" if self.mode == "pad" else "page.live.verification.mated"
        name = population.species or self.catalogue(
            kind if population.kind == FRIENDLY else "page.live.verification.nonmated"
        )
        called = f"{name} ({self.numbers.count(population.scores.size)})"
        return Line(called, tuple(drawn.x.tolist()), tuple(drawn.y.tolist()), style)

    def species(self) -> Table:
        """One row a species, worst first."""
        catalogue, silent = self.catalogue, any(species.silent.errors for species in self.rates.species)
        heads = [catalogue("attacks.species"), self.measure, self.level(), catalogue(f"attacks.through.{self.mode}")]
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
        return (Cell(species.species, species.species), *self.measured(species.rate), *more)

    def measured(self, rate: Measured) -> tuple[Cell, ...]:
        """The value, its interval and the counts behind it."""
        ends = self.numbers.interval(RATE, rate.interval, VERIFICATION)
        errors = self.numbers.errors(rate.result)
        return (
            Cell(self.value(rate), rate.value),
            Cell(ends, rate.interval.low if ends else None),
            Cell(errors, rate.result.errors),
        )

    def others(self) -> Table:
        """The errors of those who do not attack; of a detector where the APCER is held down too."""
        heads = [self.catalogue(head) for head in ("page.measure", "page.value")]
        heads += [self.level(), self.catalogue("page.errors"), self.catalogue("page.threshold")]
        columns = Column.under(heads)
        rates = self.rates
        rows = self.of_detector(rates) if isinstance(rates, PadRates) else self.of_system(rates)
        return Table("attack-others", self.catalogue("attacks.others"), columns, tuple(rows))

    def of_system(self, rates: AttackRates) -> list[tuple[Cell, ...]]:
        """FMR, FRR and RIAPAR at the threshold of the page."""
        at = Cell(self.at, rates.threshold)
        frr, none = rates.frr, Cell("")
        value = self.numbers.value(RATE, frr, VERIFICATION)
        return [
            (self.name("FMR"), *self.measured(rates.fmr), at),
            (self.name("FRR"), Cell(value, frr.value), none, Cell(self.numbers.errors(frr), frr.errors), at),
            (self.name("RIAPAR"), Cell(self.plain(rates.riapar), rates.riapar), none, none, at),
        ]

    def of_detector(self, rates: PadRates) -> list[tuple[Cell, ...]]:
        """BPCER at the threshold of the page and at those of some APCER, and bona fide presentations without answer."""
        silent, none = rates.bona_fide_silent, Cell("")
        counts = Cell(self.numbers.errors(silent), silent.errors)
        rows = [(self.name("BPCER"), *self.measured(rates.bpcer), Cell(self.at, rates.threshold))]
        rows += (
            [(self.name("BPNRR"), Cell(self.plain(silent.value), silent.value), none, counts, none)]
            if silent.errors
            else []
        )
        for point in rates.at_apcer:
            means = self.catalogue("attacks.BPCER@APCER", percent=self.numbers.percent(point.target))
            at = Cell(self.numbers.threshold(point.threshold, self.rule), point.threshold)
            rows.append((Cell(point.name, point.name, note=means), *self.measured(point.bpcer), at))
        return rows

    def notes(self) -> Section:
        """Definitions, ties and intervals."""
        keys = (f"attacks.notes.{self.mode}", "page.notes.intervals", "attacks.bound")
        notes = tuple(Sentence(self.catalogue(key)) for key in keys)
        return Section("notes", self.catalogue("page.section.notes"), (Paragraphs(notes, listed=True),))

    def name(self, measure: str) -> Cell:
        """A measure and what it means."""
        return Cell(measure, measure, note=self.catalogue(f"attacks.{measure}"))

    def value(self, rate: Measured) -> str:
        """To the digits that its interval supports."""
        return self.numbers.value(RATE, rate.result, VERIFICATION, rate.interval)

    def plain(self, rate: float) -> str:
        """A rate that has no counts of its own."""
        return self.catalogue("page.undefined") if math.isnan(rate) else self.numbers.percent(rate)

    def level(self) -> str:
        """The heading of intervals."""
        return self.catalogue("page.interval.column", level=f"{self.rates.level * 100:g}")
