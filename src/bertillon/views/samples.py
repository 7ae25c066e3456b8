"""What is shown of samples, people and groups of people, in the terminal as on the page.

Holds `samples_object`, `raises_errors` (of discarded quality), `shown_pairs` and `highest_rates` (of groups),
`most_extreme` and `p_value_text` (of people).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bertillon.analysis.discard import LIMIT, DiscardCurve
from bertillon.analysis.group_rates import GroupRate, PointRates
from bertillon.analysis.menagerie import PARTS, Menagerie
from bertillon.evaluation import plain
from bertillon.views.report_content import ReportContent

CLEARLY = 1.06  # times the area at random; were no discard an error it would be -log(1 - LIMIT) / LIMIT = 1.12 times
MOST_PAIRS = 10  # pairs of different groups that are shown
MOST_NAMED = 5  # of each animal, named
SIGNIFICANT = 0.05  # a p value below it


def samples_object(content: ReportContent, index: int) -> dict[str, Any]:
    """What was asked about the samples and the people of one system."""
    asked: dict[str, Sequence[Any]] = {
        "discard": content.discards,
        "people": content.people,
        "groups": content.groups,
    }
    return {key: plain(each[index].to_dict()) for key, each in asked.items() if each}


def raises_errors(curve: DiscardCurve) -> bool:
    """Does discarding low numbers leave clearly more errors? Then low ones may be the good ones."""
    return curve.partial_area(LIMIT) > CLEARLY * curve.random_area(LIMIT)


def shown_pairs(point: PointRates) -> list[GroupRate]:
    """The pairs of different groups with the highest FMR."""
    return highest_rates(point.fmr_across)[:MOST_PAIRS]


def highest_rates(rows: Sequence[GroupRate]) -> list[GroupRate]:
    """Rates from the highest on; undefined ones last."""
    return sorted(rows, key=lambda rate: -1.0 if math.isnan(rate.value) else rate.value, reverse=True)


def p_value_text(p_value: float) -> str:
    """A p value, none of them exactly zero."""
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.2g}"


def most_extreme(zoo: Menagerie, animal: str) -> list[str]:
    """The most extreme with the score that makes them so; of a corner their names alone."""
    names = [str(who) for who in zoo[animal][:MOST_NAMED]]
    if animal not in PARTS:
        return names
    means = dict(zip(zoo.people.subject.tolist(), getattr(zoo.people, PARTS[animal][0]).mean.tolist(), strict=True))
    return [f"{name} ({means[who]:.3g})" for name, who in zip(names, zoo[animal], strict=False)]
