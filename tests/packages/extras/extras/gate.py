from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from bertillon.core import say
from bertillon.measures import Result
from bertillon.stats import proportion
from bertillon.views import (
    Axis,
    Cell,
    Chart,
    Estimate,
    Line,
    Panel,
    Part,
    ReportContent,
    Section,
    Sentence,
    Table,
    Unit,
    alone,
    register_figure,
    register_view,
)
from extras.ages import Ages

ADULT = 18


@dataclass(frozen=True)
class AgeGate:
    """Who passes a gate that asks for an estimated age: the errors of both kinds, by the age asked for."""

    name: str
    asked: tuple[int, ...]
    minors: tuple[Estimate, ...]  # let in
    adults: tuple[Estimate, ...]  # turned away

    def to_frame(self) -> pl.DataFrame:
        minors, adults = ([rate.value for rate in rates] for rates in (self.minors, self.adults))
        return pl.DataFrame({"asked": self.asked, "minors_let_in": minors, "adults_turned_away": adults})

    def to_dict(self) -> dict[str, object]:
        return {"name": self.name, **self.to_frame().to_dict(as_series=False)}


def age_gate(ages: Ages, asked: Sequence[int] = (18, 21, 25, 30)) -> AgeGate:
    minors, adults = (ages.estimate[chosen] for chosen in (ages.age < ADULT, ages.age >= ADULT))
    let_in = tuple(_share(minors >= age) for age in asked)
    return AgeGate(ages.name, tuple(asked), let_in, tuple(_share(adults < age) for age in asked))


def _share(wrong: np.ndarray) -> Estimate:
    errors = int(np.count_nonzero(wrong))
    return Estimate(Result.share(errors, wrong.size), proportion(errors, wrong.size))


def gates(found: Sequence[AgeGate], content: ReportContent) -> Part:
    """A table of each gate, under it a chart where there is room for one, and what the strictest gate does."""
    title, blocks, verdicts = say("extras.gate"), [], []
    for place, gate in enumerate(found):
        rates = zip(gate.asked, gate.minors, gate.adults, strict=True)
        rows = [(Cell(str(age), key=age), *(Cell(rate, Unit.RATE) for rate in both)) for age, *both in rates]
        heads = [say("extras.gate.asked"), say("extras.gate.minors"), say("extras.gate.adults")]
        caption = say("list.named", name=gate.name, message=title)
        blocks.append(Table.under(heads, rows, id=f"gate-{place}", caption=caption))
        age, minors, adults = (cell.shown for cell in rows[-1])
        verdicts.append(say("extras.gate.verdict", age=age, minors=minors, adults=adults))
        if not content.brief:
            blocks.append(Chart(f"gate-{place}-chart", caption, verdicts[-1], *_axes([gate]), tuple(_lines(gate))))
    return Part(title, sections=(Section("gates", title, tuple(blocks)),), verdicts=tuple(map(Sentence, verdicts)))


def gates_chart(found: Sequence[AgeGate]):
    """The same on paper, all gates on one pair of axes."""
    lines = [line for place, gate in enumerate(found) for line in _lines(gate, 2 * place)]
    return alone(Panel(*_axes(found), tuple(lines), legend="curves"))


def _axes(found: Sequence[AgeGate]) -> tuple[Axis, Axis]:
    asked = [age for gate in found for age in gate.asked]
    highest = max(rate.value for gate in found for rate in (*gate.minors, *gate.adults))
    x_axis = Axis(say("extras.gate.asked"), min(asked), max(asked), unit="number")
    return x_axis, Axis(say("extras.gate.errors"), 0.0, highest or 1.0)


def _lines(gate: AgeGate, style: int = 0) -> list[Line]:
    rates = {"extras.gate.minors": gate.minors, "extras.gate.adults": gate.adults}
    return [
        Line(say("list.named", name=gate.name, message=say(key)), gate.asked, tuple(rate.value for rate in both), place)
        for place, (key, both) in enumerate(rates.items(), style)
    ]


register_view(AgeGate, gates)
register_figure("age-gate", "age-gate", gates_chart)
