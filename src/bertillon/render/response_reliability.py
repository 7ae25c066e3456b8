"""The reliability of single answers for the terminal, as JSON and as CSV."""

from __future__ import annotations

import math
import os
from collections import Counter
from pathlib import Path

import numpy as np
from rich.console import Group, RenderableType
from rich.padding import Padding

from bertillon._version import __version__
from bertillon.analysis.response_reliability import ResponseReliability
from bertillon.core.messages import say
from bertillon.render.console import Text
from bertillon.render.exports import write_frames
from bertillon.render.strict_json import strict_json
from bertillon.render.tables import plain_table, warned
from bertillon.views.numbers import count_text, percent


def reliability_text(reliability: ResponseReliability) -> Group:
    """How many answers can be relied on, and how often each kind is right."""
    reliable, others = reliability.reliable, reliability.defined & ~reliability.reliable
    table = plain_table(
        None, *(say(f"terminal.reliability.{name}") for name in ("answers", "number", "share", "right"))
    )
    kinds = {"reliable": reliable, "unreliable": others, "undefined": ~reliability.defined}
    for name, marks in kinds.items():
        right = math.nan if reliability.correct is None or not marks.any() else float(reliability.correct[marks].mean())
        share = percent(float(np.mean(marks))) if len(reliability) else ""
        number = count_text(int(np.count_nonzero(marks)))
        shown = "" if math.isnan(right) else percent(right)
        table.add_row(say(f"terminal.reliability.{name}"), number, share, shown)
    kind = say(f"terminal.reliability.kind.{reliability.kind}")
    heading = say("terminal.reliability", kind=kind, n=len(reliability), phi0=reliability.threshold)
    parts: list[RenderableType] = [Text(heading, style="bold"), Padding(table, (1, 0, 1, 0))]
    reasons = Counter(reason for reason in reliability.reason if reason)
    for reason, times in reasons.most_common():
        missing = say("terminal.reliability.why", n=times, reason=reason)
        parts.append(Text(say("terminal.note", note=missing), style="dim"))
    if reliability.wrong_calls is not None:
        parts.append(Text(say("terminal.wrong_calls", n=reliability.wrong_calls)))
    if reliability.fitted_here:
        parts.append(Text(warned(say("terminal.fitted_here")), style="yellow"))
    return Group(*parts)


def reliability_json(reliability: ResponseReliability) -> str:
    """The same as strict JSON text."""
    return strict_json({"bertillon": __version__, "mode": "reliability"} | reliability.to_dict())


def write_reliability_csv(reliability: ResponseReliability, folder: str | os.PathLike[str]) -> list[Path]:
    """reliability.csv: one row an answer."""
    return write_frames([("", {"reliability": reliability.to_frame()})], folder)
