"""Thresholds fixed on development scores and judged on others, as a table."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.analysis.development import DevelopmentResult
from bertillon.core.messages import Message, say
from bertillon.render.console import Text
from bertillon.render.tables import THRESHOLD, WideOrNarrow, plain_table
from bertillon.stats.at_threshold import Measured
from bertillon.views.numbers import interval_text, percent, threshold_text


def judged_table(judged: DevelopmentResult) -> RenderableType:
    """One row a criterion: the threshold found there, and the rates it gives here."""
    there = judged.development.name or say("terminal.development.there")
    here = judged.evaluation.name or say("terminal.development.here")
    title = say("terminal.development", there=there, here=here, level=f"{judged.level * 100:g}")
    wide, narrow = (_rates(judged, title, between=between) for between in ("  ", "\n"))
    return Padding(WideOrNarrow(wide, narrow), (0, 0, 1, 0))


def _rates(judged: DevelopmentResult, title: Message, *, between: str) -> Table:
    """Each rate with its interval beside it, or under it where there is no room."""
    table = plain_table(title, say("terminal.development.found"), THRESHOLD, "FMR", "FNMR", "HTER")
    for point in judged.thresholds:
        rates = (point.evaluation.fmr, point.evaluation.fnmr, point.evaluation.hter)
        cells = (Text(percent(rate.value)).append(f"{between}{_interval(rate)}", style="dim") for rate in rates)
        table.add_row(Text(point.criterion), threshold_text(point.threshold, judged.evaluation.rule), *cells)
    return table


def _interval(measured: Measured) -> str:
    return interval_text("EER", measured.interval)
