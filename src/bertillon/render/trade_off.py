"""Speed against accuracy of an approximate index, as a table and as CSV: one row an effort, the exact search last."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import RenderableType
from rich.padding import Padding

from bertillon.core.escaping import for_spreadsheets
from bertillon.core.files import make_folder, write_whole
from bertillon.core.lazy import pl
from bertillon.evaluation.indexed import DETECTION, IndexedSearch
from bertillon.render.console import Text
from bertillon.render.tables import plain_table
from bertillon.views.numbers import percent


def trade_off_table(indexed: IndexedSearch, name: str) -> RenderableType:
    """How fast the index is at each effort, and what it loses."""
    title = f"{indexed.kind} index of {name} on {indexed.sample:,} probes; DIR is {DETECTION}"
    table = plain_table(title, "effort", "searches/s", "same best", "RR", "loss", "DIR", "loss", "")
    for setting in indexed.trade_off:
        rates = (setting.agreement, setting.rank_one, setting.rank_one_loss, setting.detection, setting.detection_loss)
        used = Text("used" if setting.effort == indexed.effort else "", style="dim")
        table.add_row(str(setting.effort), f"{setting.searches_a_second:,.0f}", *(_rate(rate) for rate in rates), used)
    last = indexed.trade_off[-1]
    exact = (_rate(last.rank_one + last.rank_one_loss), "", _rate(last.detection + last.detection_loss), "")
    table.add_row("exact", f"{indexed.exact_a_second:,.0f}", "", *exact, "")
    return Padding(table, (0, 0, 1, 0))


def write_trade_off(indexed: Sequence[IndexedSearch], folder: str | os.PathLike[str]) -> Path:
    """The points of all systems, index.csv in the folder."""
    rows = [
        {"name": search.searches.name, "index": search.kind, "used": point.effort == search.effort, **asdict(point)}
        for search in indexed
        for point in search.trade_off
    ]
    frame, path = pl.DataFrame(rows), make_folder(folder) / "index.csv"
    write_whole(path, lambda file: for_spreadsheets(frame).write_csv(file))
    return path


def _rate(value: float) -> str:
    return "-" if math.isnan(value) else percent(value)
