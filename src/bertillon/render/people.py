"""Who causes the errors: how many of each animal there are, whether by chance, and who they are, as tables."""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.analysis.menagerie import ANIMALS, PLURALS, Menagerie
from bertillon.render.console import Text
from bertillon.render.tables import plain_table
from bertillon.views.numbers import threshold_text
from bertillon.views.samples import MOST_NAMED, SIGNIFICANT, most_extreme, p_value_text

ERRORS = {"goat": "false non-matches", "lamb": "false matches", "wolf": "false matches"}


def people_text(zoo: Menagerie) -> RenderableType:
    """How many of each animal, whether there are more than chance explains, and who they are."""
    parts: list[RenderableType] = [_spreads(zoo), Padding(_corners(zoo), (1, 0)), _names(zoo)]
    reasons = [spread.reason for spread in zoo.spreads] + [corner.reason for corner in zoo.corners]
    parts += [Text(f"undefined: {reason}", style="dim") for reason in dict.fromkeys(filter(None, reasons))]
    return Padding(Group(*parts), (0, 0, 1, 0))


def _spreads(zoo: Menagerie) -> Table:
    at = threshold_text(zoo.people.threshold, zoo.people.rule)
    title = f"people, {zoo.name}: {len(zoo.people):,} (EER threshold {at})"
    table = plain_table(title, f"most extreme {100 * zoo.share:g} %", "people", "errors", "do people differ?")
    for spread in zoo.spreads:
        errors = "" if spread.errors is None else f"{100 * spread.errors:.3g} % of {ERRORS[spread.animal]}"
        table.add_row(PLURALS[spread.animal], f"{spread.found:,}", errors, _answer(spread.p_value))
    return table


def _corners(zoo: Menagerie) -> Table:
    table = plain_table(None, "extreme in two ways", "people", "by chance", "more than chance?")
    for corner in zoo.corners:
        expected = "" if math.isnan(corner.expected) else f"{corner.expected:.3g}"
        table.add_row(PLURALS[corner.animal], f"{corner.found:,}", expected, _answer(corner.p_adjusted))
    return table


def _answer(p_value: float) -> str:
    """Yes or no with the p value.

    >>> _answer(0.2), _answer(1e-9)
    ('no, p = 0.2', 'yes, p < 0.0001')
    """
    if math.isnan(p_value):
        return "undefined"
    return f"{'yes' if p_value < SIGNIFICANT else 'no'}, {p_value_text(p_value)}"


def _names(zoo: Menagerie) -> Table:
    table = plain_table(None, f"the {MOST_NAMED} most extreme", "who")
    table.columns[1].justify, table.columns[1].no_wrap = "left", False
    for animal in ANIMALS:
        if zoo[animal]:
            table.add_row(PLURALS[animal], Text(", ".join(most_extreme(zoo, animal))))
    return table
