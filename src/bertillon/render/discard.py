"""Errors left when samples of low quality are discarded, as tables."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.advice.vocabulary import Vocabulary
from bertillon.analysis.discard import LIMIT, SHARES, Discarded
from bertillon.core.messages import joined, say, spoken
from bertillon.render.console import Text
from bertillon.render.tables import plain_table, titled, warned
from bertillon.views.numbers import percent, threshold_text
from bertillon.views.samples import raises_errors
from bertillon.views.vocabulary import heading


def discard_text(discarded: Discarded, *, vocabulary: Vocabulary = Vocabulary.BIOMETRIC) -> RenderableType:
    """What is left at some shares, how good the quality is at finding errors, and whether it is the wrong way round."""
    kinds = [heading(curve.kind, vocabulary) for curve in discarded.curves]
    quality, at = joined(discarded.columns), threshold_text(discarded.threshold, discarded.rule)
    lower = say("terminal.discard.by_lower", quality=quality, threshold=at)
    by = say("terminal.discard.by", quality=quality, threshold=at) if len(discarded.columns) == 1 else lower
    parts: list[RenderableType] = [
        titled(say("terminal.of_system", what=say("terminal.discard"), system=discarded.name), by),
        _errors(discarded, kinds),
        Padding(_areas(discarded, kinds), (1, 0, 0, 0)),
    ]
    parts += [
        Text(warned(say("discard.raised", kind=curve.kind, columns=joined(discarded.columns))), "yellow")
        for curve in discarded.curves
        if raises_errors(curve)
    ]
    return Padding(Group(*parts), (0, 0, 1, 0))


def _errors(discarded: Discarded, kinds: list[str]) -> Table:
    table = plain_table(None, *(say(f"discard.{name}") for name in ("error", "discarded", "rate", "kept", "quality")))
    for kind, curve in zip(kinds, discarded.curves, strict=True):
        for share in SHARES:
            row = curve.row_at(share)
            counts = spoken(say("page.of", part=int(curve.errors[row]), whole=int(curve.kept[row])))
            cells = (f"{100 * share:g} %", percent(float(curve.error[row])), counts, f"{curve.quality[row]:.5g}")
            table.add_row("" if share else kind, *cells)
    return table


def _areas(discarded: Discarded, kinds: list[str]) -> Table:
    table = plain_table(
        None,
        say("terminal.discard.area", share=f"{100 * LIMIT:g}"),
        *(say(f"discard.{name}") for name in ("measured", "best", "difference", "random")),
    )
    for kind, curve in zip(kinds, discarded.curves, strict=True):
        areas = (curve.partial_area, curve.best_area, curve.excess_area, curve.random_area)
        table.add_row(kind, *(f"{area(LIMIT):.4g}" for area in areas))
    return table
