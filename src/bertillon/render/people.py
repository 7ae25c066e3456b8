"""Who causes the errors: how many of each animal there are, whether by chance, and who they are, as tables."""

from __future__ import annotations

import math

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.analysis.menagerie import ANIMALS, Menagerie
from bertillon.core.messages import say, spoken
from bertillon.render.console import Text
from bertillon.render.tables import ERRORS, plain_table
from bertillon.views.numbers import UNDEFINED, count_text, threshold_text
from bertillon.views.samples import MOST_NAMED, SIGNIFICANT, most_extreme, p_value_text

PEOPLE = say("people.people")


def people_text(zoo: Menagerie) -> RenderableType:
    """How many of each animal, whether there are more than chance explains, and who they are."""
    parts: list[RenderableType] = [_spreads(zoo), Padding(_corners(zoo), (1, 0)), _names(zoo)]
    reasons = [spread.reason for spread in zoo.spreads] + [corner.reason for corner in zoo.corners]
    parts += [
        Text(say("terminal.undefined", reason=reason), style="dim") for reason in dict.fromkeys(filter(None, reasons))
    ]
    return Padding(Group(*parts), (0, 0, 1, 0))


def _spreads(zoo: Menagerie) -> Table:
    at = threshold_text(zoo.people.threshold, zoo.people.rule)
    title = say("terminal.people", system=zoo.name, n=len(zoo.people), threshold=at)
    extreme = say("terminal.people.extreme", share=f"{100 * zoo.share:g}")
    table = plain_table(title, extreme, PEOPLE, ERRORS, say("people.differ"))
    for spread in zoo.spreads:
        share = "" if spread.errors is None else f"{100 * spread.errors:.3g} %"
        errors = say("terminal.people.errors", share=share, errors=say(f"people.{spread.animal}.errors"))
        found = count_text(spread.found)
        table.add_row(say(f"people.{spread.animal}"), found, errors if share else "", _answer(spread.p_value))
    return table


def _corners(zoo: Menagerie) -> Table:
    table = plain_table(None, say("terminal.people.corners"), PEOPLE, say("people.expected"), say("people.more"))
    for corner in zoo.corners:
        expected = "" if math.isnan(corner.expected) else f"{corner.expected:.3g}"
        table.add_row(say(f"people.{corner.animal}"), count_text(corner.found), expected, _answer(corner.p_adjusted))
    return table


def _answer(p_value: float) -> str:
    """Yes or no with the p value.

    >>> _answer(0.2), _answer(1e-9)
    ('no, p = 0.2', 'yes, p < 0.0001')
    """
    if math.isnan(p_value):
        return spoken(UNDEFINED)
    answer = say("people.yes" if p_value < SIGNIFICANT else "people.no")
    return spoken(say("terminal.people.answer", answer=answer, p=p_value_text(p_value)))


def _names(zoo: Menagerie) -> Table:
    table = plain_table(None, say("terminal.people.names", n=MOST_NAMED), say("people.who"))
    table.columns[1].justify, table.columns[1].no_wrap = "left", False
    for animal in ANIMALS:
        if zoo[animal]:
            table.add_row(say(f"people.{animal}"), Text(", ".join(most_extreme(zoo, animal))))
    return table
