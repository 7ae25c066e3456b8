"""Attacks on a system, and the errors of an attack detector: for the terminal, as JSON and as CSV."""

from __future__ import annotations

import math
import os
from pathlib import Path

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.advice.attacks import attack_verdicts, attack_warnings
from bertillon.analysis.attack_detection import PadRates
from bertillon.analysis.attacks import AttackRates, SpeciesRate
from bertillon.core.messages import Message, Value, say, spoken
from bertillon.render.console import Text
from bertillon.render.exports import write_frames
from bertillon.render.strict_json import strict_json
from bertillon.render.tables import ERRORS, THRESHOLD, VALUE, level_heading, plain_table, warned
from bertillon.stats.at_threshold import Measured
from bertillon.views.attacks import Rates, attack_object, worst_first
from bertillon.views.numbers import UNDEFINED, errors_text, interval_text, percent, threshold_text, value_text

_RATE = "FMR"  # every number here is shown as this one: in percent, and as a bound where no error was seen


def attack_text(rates: Rates) -> Group:
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


def attack_json(rates: Rates) -> str:
    """The same as strict JSON text."""
    return strict_json(attack_object(rates))


def write_attack_csv(rates: Rates, folder: str | os.PathLike[str]) -> list[Path]:
    """species.csv, and for a detector bpcer.csv: BPCER where APCER is held down."""
    import polars as pl

    frames = {"species": rates.to_frame()}
    if isinstance(rates, PadRates):
        rows = [
            {"name": point.name, "apcer_at_most": point.target, "apcer": point.apcer, "threshold": point.threshold}
            | {"bpcer": point.bpcer.value, "low": point.bpcer.interval.low, "high": point.bpcer.interval.high}
            for point in rates.at_apcer
        ]
        frames["bpcer"] = pl.DataFrame(rows)
    return write_frames([("", frames)], folder)


def _heading(rates: Rates) -> Message:
    rule = rates.scores.rule if isinstance(rates, AttackRates) else rates.rule
    at = say("terminal.attacks.at", point=rates.fixed_by.replace("=", " <= "))
    about: dict[str, Value] = {
        "attacks": len(rates.attacks),
        "species": len(rates.species),
        "sign": rule.sign,
        "threshold": threshold_text(rates.threshold, rule),
        "how": say("terminal.attacks.given") if rates.fixed_by == "t" else at,
    }
    return say(f"terminal.attacks.{'accepted' if isinstance(rates, AttackRates) else 'pad'}", **about)


def _species(rates: Rates) -> Table:
    """One row a species, worst first, and the worst marked."""
    name, done = (
        ("IAPAR", "attacks.through.attacks") if isinstance(rates, AttackRates) else ("APCER", "attacks.bona_fide")
    )
    silent = any(species.silent.errors for species in rates.species)
    more = [say("attacks.silent")] if silent else []
    differ = len({species.rate.value for species in rates.species}) > 1
    table = plain_table(None, say("attacks.species"), name, level_heading(rates.level), say(done), *more, "")
    for species in worst_first(rates):
        worst = Text(say("terminal.attacks.worst") if species is rates.worst and differ else "", style="bold")
        shown = [_silent(species)] if silent else []
        table.add_row(Text(species.species), *_cells(species.rate), *shown, worst)
    return table


def _cells(rate: Measured) -> tuple[str, str, str]:
    """The value, its interval and the counts behind it."""
    value = value_text(_RATE, rate.result)
    return value, interval_text(_RATE, rate.interval), errors_text(rate.result)


def _silent(species: SpeciesRate) -> str:
    return percent(species.silent.value) if species.silent.errors else ""


def _others(rates: Rates) -> Table:
    """The errors of those who do not attack."""
    others, sure = say("terminal.attacks.others"), level_heading(rates.level)
    if isinstance(rates, AttackRates):
        table = plain_table(None, others, VALUE, sure, ERRORS)
        table.add_row("FMR", *_cells(rates.fmr))
        table.add_row("FRR", value_text(_RATE, rates.frr), "", errors_text(rates.frr))
        riapar = spoken(UNDEFINED) if math.isnan(rates.riapar) else percent(rates.riapar)
        table.add_row("RIAPAR", riapar, "", say("attacks.RIAPAR"))
        return table
    table = plain_table(None, others, VALUE, sure, THRESHOLD, ERRORS)
    value, interval, errors = _cells(rates.bpcer)
    table.add_row("BPCER", value, interval, "", errors)
    if rates.bona_fide_silent.errors:
        table.add_row("BPNRR", percent(rates.bona_fide_silent.value), "", "", errors_text(rates.bona_fide_silent))
    for point in rates.at_apcer:
        value, interval, errors = _cells(point.bpcer)
        at = threshold_text(point.threshold, rates.rule) if not math.isnan(point.threshold) else ""
        table.add_row(f"{point.name} (APCER <= {percent(point.target)})", value, interval, at, errors)
    return table
