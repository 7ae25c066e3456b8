"""Systems tested against each other: a table and sentences for people, JSON and CSV for programs.

Holds `compared_text`, `compared_json` with `pair_objects`, `compared_frame` and `write_compared_csv`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding

from bertillon._version import __version__
from bertillon.advice.paired import fold_sentence, p_text, verdict_sentences, versus_warnings
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, Value, joined, record, say, sentences, spoken, text_of
from bertillon.evaluation import SCHEMA, plain
from bertillon.render.console import Text
from bertillon.render.exports import write_frames
from bertillon.render.strict_json import strict_json
from bertillon.render.tables import level_heading, plain_table, warned
from bertillon.stats.comparing import Versus
from bertillon.stats.difference import Difference
from bertillon.stats.interval import Interval, Settings
from bertillon.stats.paired_tests import Check
from bertillon.stats.runs import FoldDifference
from bertillon.views.numbers import TO, UNDEFINED, count_text, difference_text


def compared_text(
    pairs: Sequence[Versus],
    settings: Settings,
    *,
    folds: Sequence[FoldDifference] = (),
    warnings: Sequence[Message | str] = (),
) -> Group:
    """Every pair of systems: its table, then what it means in words; `folds` as many as pairs, or none."""
    parts: list[RenderableType] = []
    for index, versus in enumerate(pairs):
        parts += [_heading(versus), _table(versus, settings.level), _verdicts(versus, folds[index : index + 1])]
    parts.append(Text(_how(pairs, settings), style="dim"))
    all_warnings = [*warnings, *versus_warnings(pairs, settings)]
    parts += [Text(warned(warning), style="yellow") for warning in all_warnings]
    return Group(*parts)


def compared_json(
    pairs: Sequence[Versus],
    settings: Settings,
    *,
    mode: str,
    folds: Sequence[FoldDifference] = (),
    warnings: Sequence[Message | str] = (),
) -> str:
    """The same as strict JSON."""
    whole = {
        "bertillon": __version__,
        "schema": SCHEMA,
        "mode": mode,
        "settings": asdict(settings),
        "difference": "second - first",
        "tests": _tests(pairs),
        "correction": "Holm",
        "pairs": pair_objects(pairs, folds),
        "warnings": [str(warning) for warning in (*warnings, *versus_warnings(pairs, settings))],
    }
    return strict_json(whole)


def compared_frame(pairs: Sequence[Versus]) -> pl.DataFrame:
    """One row a pair of systems and measure."""
    rows = []
    for versus in pairs:
        for difference in versus.differences:
            row = {"first_system": versus.first, "second_system": versus.second, **_row(difference)}
            low, high = row.pop("interval") or (None, None)
            row.pop("margin_interval")
            rows.append(row | {"low": low, "high": high})
    return pl.DataFrame(rows, infer_schema_length=None)


def write_compared_csv(pairs: Sequence[Versus], folder: str | os.PathLike[str]) -> list[Path]:
    """The table as comparison.csv."""
    return write_frames([("", {"comparison": compared_frame(pairs)})], folder)


def _heading(versus: Versus) -> Text:
    lines = Text(say("paired.heading", first=versus.first, second=versus.second), style="bold")
    paired = say("paired.heading.paired", trials=versus.trials, how=versus.how)
    unpaired = say("paired.heading.unpaired")
    lines.append(f"\n  {spoken(paired if versus.paired else unpaired)}", style="not bold")
    for note in versus.notes:
        lines.append(f"\n  {spoken(note)}", style="not bold dim")
    return lines


def _table(versus: Versus, level: float) -> RenderableType:
    several = any(difference.tests > 1 for difference in versus.differences)
    heads = (say(f"page.tested.{name}") for name in ("measure", "first", "second", "difference"))
    table = plain_table(None, *heads, level_heading(level), "p (Holm)" if several else "p")
    for difference in versus.differences:
        values = (_value(difference, value) for value in (difference.first_value, difference.second_value))
        p_value = "" if math.isnan(difference.p) else p_text(difference.adjusted_p)
        table.add_row(Text(difference.measure), *values, _difference(difference), _ends(difference), p_value)
    return Padding(table, (1, 0, 1, 0))


def _verdicts(versus: Versus, folds: Sequence[FoldDifference]) -> Text:
    lines = Text()
    for sentence in verdict_sentences(versus):
        lines.append(f"{spoken(sentence)}\n", style="bold")
    for fold in folds:
        lines.append(f"{spoken(fold_sentence(fold, versus))}\n", style="bold")
    for check in versus.checks if not versus.identical else ():
        lines.append(f"{spoken(_check(check, versus))}\n", style="dim")
    return lines


def _check(check: Check, versus: Versus) -> Message:
    about: dict[str, Value] = {
        "test": check.test,
        "measure": check.measure,
        "assumed": say("paired.check.independent") if check.naive else check.method,
        "outcome": check.reason if math.isnan(check.p) else say("paired.check.p", p=check.p),
    }
    if check.wrong is None:
        return say("paired.check", **about)
    earlier, later = check.wrong
    names = {"first": versus.first, "second": versus.second}
    return say("paired.check.wrong", earlier=earlier, later=later, **about, **names)


def _how(pairs: Sequence[Versus], settings: Settings) -> Message:
    units = dict.fromkeys(say("paired.how.units", n=versus.n_units, unit=versus.unit) for versus in pairs)
    tests = _tests(pairs)
    how = say("paired.how", resamples=settings.resamples, units=joined(list(units)), seed=settings.seed)
    return sentences(how, say("paired.how.adjusted", tests=tests)) if tests > 1 else how


def _tests(pairs: Sequence[Versus]) -> int:
    return max((difference.tests for versus in pairs for difference in versus.differences), default=0)


def _value(difference: Difference, value: float) -> str:
    if math.isnan(value):
        return spoken(UNDEFINED)
    if difference.shown_as == "rate":
        return f"{value * 100:.4g} %"
    return count_text(value) if difference.shown_as == "count" else f"{value:.4f}"


def _difference(difference: Difference) -> str:
    if math.isnan(difference.difference):
        return ""
    text = difference_text(difference, difference.difference)
    return spoken(say("terminal.points", difference=text)) if difference.shown_as == "rate" else text


def _ends(difference: Difference) -> str:
    if math.isnan(difference.interval.low):
        return ""
    low, high = (difference_text(difference, end) for end in (difference.interval.low, difference.interval.high))
    return f"{low}{spoken(TO)}{high}"


def pair_objects(compared: Sequence[Versus], folds: Sequence[FoldDifference] = ()) -> list[dict[str, Any]]:
    """Every pair of systems and its differences, ready for JSON; `folds` as many as pairs, or none."""
    pairs = [_pair_object(versus) for versus in compared]
    for pair, fold in zip(pairs, folds, strict=False):
        pair["folds"] = _fold_object(fold)
    return pairs


def _pair_object(versus: Versus) -> dict[str, Any]:
    verdicts = verdict_sentences(versus)
    rows = [_row(difference) for difference in versus.differences]
    for index, row in enumerate(rows):
        row["sentence"] = str(verdicts[0] if versus.identical else verdicts[index])
    return {
        "first": versus.first,
        "second": versus.second,
        "paired": versus.paired,
        "aligned": str(versus.how) if versus.how else None,
        "trials": versus.trials,
        "unit": str(versus.unit),
        "units": versus.n_units,
        "naive": versus.naive,
        "identical": versus.identical,
        "notes": [str(note) for note in versus.notes],
        "measures": rows,
        "checks": [plain(record(check)) for check in versus.checks],
    }


def _fold_object(fold: FoldDifference) -> dict[str, Any]:
    row = record(fold) | {"interval": _pair(fold.interval), "level": fold.interval.level}
    return {key: plain(value) for key, value in row.items()}


def _row(difference: Difference) -> dict[str, Any]:
    row = {
        "name": difference.measure,
        "first": difference.first_value,
        "second": difference.second_value,
        "difference": difference.difference,
        "interval": _pair(difference.interval),
        "level": difference.interval.level,
        "method": str(difference.interval.method),
        "p": difference.p,
        "adjusted_p": difference.adjusted_p,
        "standard_error": difference.error,
        "margin": difference.margin,
        "margin_interval": None if difference.within is None else _pair(difference.within),
        "verdict": difference.verdict,
        "reason": text_of(difference.reason),
    }
    return {key: plain(value) for key, value in row.items()}


def _pair(interval: Interval) -> list[float] | None:
    return None if math.isnan(interval.low) else [interval.low, interval.high]
