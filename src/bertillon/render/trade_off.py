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
from bertillon.core.messages import say
from bertillon.evaluation.templates import DETECTION, IndexedSearch
from bertillon.render.console import Text
from bertillon.render.tables import plain_table
from bertillon.views.numbers import count_text, percent


def trade_off_table(indexed: IndexedSearch, name: str) -> RenderableType:
    """How fast the index is at each effort, and what it loses."""
    title = say("terminal.index", kind=indexed.kind, system=name, n=indexed.sample, measure=DETECTION)
    first, *heads = (say(f"terminal.index.{part}") for part in ("effort", "speed", "same"))
    loss = say("terminal.index.loss")
    table = plain_table(title, first, *heads, "RR", loss, "DIR", loss, "")
    for setting in indexed.trade_off:
        rates = (setting.agreement, setting.rank_one, setting.rank_one_loss, setting.detection, setting.detection_loss)
        used = Text(say("terminal.index.used") if setting.effort == indexed.effort else "", style="dim")
        speed = count_text(setting.searches_a_second)
        table.add_row(str(setting.effort), speed, *(_rate(rate) for rate in rates), used)
    last = indexed.trade_off[-1]
    exact = (_rate(last.rank_one + last.rank_one_loss), "", _rate(last.detection + last.detection_loss), "")
    table.add_row(say("terminal.index.exact"), count_text(indexed.exact_a_second), "", *exact, "")
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
