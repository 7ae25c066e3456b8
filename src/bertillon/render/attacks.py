"""Attacks on a system, and the errors of an attack detector: for the terminal, as JSON, as CSV and as a figure.

Holds `attack_text`, `attack_json` and `write_attack_csv`; `plot_attacks` and `attack_figures`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.advice.attacks import attack_verdicts, attack_warnings
from bertillon.analysis.attacks import AttackFinding, SpeciesRate
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say, spoken
from bertillon.core.messages import Text as Words
from bertillon.measures import Result
from bertillon.render.console import Text
from bertillon.render.exports import write_frames
from bertillon.render.figures.draw import draw_panel
from bertillon.render.figures.figure import axes_for, draw_chart
from bertillon.render.strict_json import strict_json
from bertillon.render.tables import ERRORS, THRESHOLD, VALUE, level_heading, plain_table, warned
from bertillon.stats.interval import Interval
from bertillon.views.attacks import (
    RATE,
    attack_object,
    attacks_chart,
    populations_data,
    populations_panel,
    worst_first,
)
from bertillon.views.figures.chart import Size
from bertillon.views.numbers import errors_text, interval_text, percent, threshold_text, value_text

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KIND = "attacks"


def attack_text(rates: AttackFinding) -> Group:
    """What was asked, a row a species, the other errors, and verdicts in words."""
    parts: list[RenderableType] = [Text(_heading(rates), style="bold")]
    parts += [Text(say("terminal.note", note=note), style="dim") for note in rates.attacks.notes]
    parts.append(Padding(_species(rates), (1, 0, 1, 0)))
    parts.append(Padding(_others(rates), (0, 0, 1, 0)))
    unsure = [
        species for species in rates.species if species.rate.interval.reason and math.isnan(species.rate.interval.low)
    ]
    for species in unsure:
        unknown = say("terminal.attacks.no_interval", species=species.species, reason=species.rate.interval.reason)
        parts.append(Text(say("terminal.note", note=unknown), style="dim"))
    parts.append(Text("\n".join(map(spoken, attack_verdicts(rates)))))
    parts += [Text(warned(warning), style="yellow") for warning in attack_warnings(rates)]
    return Group(*parts)


def attack_json(rates: AttackFinding) -> str:
    """The same as strict JSON text."""
    return strict_json(attack_object(rates))


def write_attack_csv(rates: AttackFinding, folder: str | os.PathLike[str]) -> list[Path]:
    """species.csv, and for a detector bpcer.csv: BPCER where APCER is held down."""
    return write_frames([("", rates.to_frames())], folder)


def _heading(rates: AttackFinding) -> Message:
    at = say("terminal.attacks.at", point=rates.fixed_by.replace("=", " <= "))
    return say(
        f"terminal.attacks.heading.{rates.mode}",
        attacks=len(rates.attacks),
        species=len(rates.species),
        sign=rates.rule.sign,
        threshold=threshold_text(rates.threshold, rates.rule),
        how=say("terminal.attacks.given") if rates.target is None else at,
    )


def _species(rates: AttackFinding) -> Table:
    """One row a species, worst first, and the worst marked."""
    silent = any(species.silent.errors for species in rates.species)
    more = [say("attacks.silent")] if silent else []
    differ = len({species.rate.value for species in rates.species}) > 1
    table = plain_table(
        None, say("attacks.species"), rates.measure, level_heading(rates.level), rates.trials.passed, *more, ""
    )
    for species in worst_first(rates):
        worst = Text(say("terminal.attacks.worst") if species is rates.worst and differ else "", style="bold")
        shown = [_silent(species)] if silent else []
        table.add_row(Text(species.species), *_cells(species.rate.result, species.rate.interval), *shown, worst)
    return table


def _cells(result: Result, interval: Interval | None) -> tuple[str, str, str]:
    """The value, its interval and the counts behind it."""
    return value_text(RATE, result, interval), interval_text(RATE, interval) if interval else "", errors_text(result)


def _silent(species: SpeciesRate) -> str:
    return percent(species.silent.value) if species.silent.errors else ""


def _others(rates: AttackFinding) -> Table:
    """The errors of those who do not attack, and thresholds where some are read at their own."""
    own = any(rate.target is not None for rate in rates.beside)
    more = [THRESHOLD] if own else []
    table = plain_table(None, say("terminal.attacks.others"), VALUE, level_heading(rates.level), *more, ERRORS)
    for rate in rates.beside:
        value, interval, errors = _cells(rate.result, rate.interval)
        held = "" if rate.target is None else f" (APCER <= {percent(rate.target)})"
        at = "" if rate.target is None or math.isnan(rate.result.value) else threshold_text(rate.threshold, rates.rule)
        means: Words = errors if rate.result.trials is not None or rate.target else say(f"attacks.{rate.name}")
        table.add_row(f"{rate.name}{held}", value, interval, *([at] if own else []), means)
    return table


def plot_attacks(rates: AttackFinding, *, ax: Axes | None = None, size: Size | None = None) -> list[Artist]:
    """Densities of mated, non-mated and attack scores with the threshold, from `bt.attack_rates` or `bt.pad_rates`."""
    if not isinstance(rates, AttackFinding):
        raise InputError(
            f"plot_attacks: {type(rates).__name__} cannot be drawn; expected what bt.attack_rates(...) or "
            "bt.pad_rates(...) returns"
        )
    with axes_for(ax, size) as axes:
        return draw_panel(axes, populations_panel(populations_data(rates)))


def attack_figures(rates: AttackFinding) -> dict[str, Callable[[], Figure]]:
    """The figure by its name, made when it is called for."""
    return {KIND: lambda: draw_chart(attacks_chart(rates))}
