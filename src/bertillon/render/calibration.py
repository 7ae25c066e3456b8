"""The terminal view of a calibration: what it was done to, and what it changed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Group, RenderableType

from bertillon.analysis.calibration import CalibrationChange
from bertillon.core.messages import Message, say, spoken
from bertillon.render.class_tables import change_table
from bertillon.render.console import Text
from bertillon.render.tables import note_lines, warned
from bertillon.trials.predictions import Predictions


def calibration_text(
    before: Predictions, changes: Sequence[CalibrationChange], *, warning: Message | str = ""
) -> Group:
    """Samples, measures before and after, and in words whether it helped."""
    lines = Text(before.name or say("inspection.predictions"), style="bold")
    counted = say("terminal.calibration.counts", samples=before.size, classes=before.n_classes, failed=before.failed)
    lines.append(f"\n  {spoken(counted)}", style="not bold")
    for note in note_lines(before.notes):
        lines.append(f"\n  {spoken(note)}", style="not bold dim")
    verdict_text = Text("".join(f"{spoken(sentence)}\n" for sentence in _verdict(changes)), style="bold")
    parts: list[RenderableType] = [lines, change_table(changes), verdict_text]
    if warning:
        parts.append(Text(f"{spoken(warned(warning))}\n", style="yellow"))
    return Group(*parts)


def _verdict(changes: Sequence[CalibrationChange]) -> list[Message]:
    """Better or worse, by the two proper losses."""
    sentences = []
    for change in changes:
        if change.measure not in ("LogLoss", "Brier"):
            continue
        before, after = change.before.value, change.after.value
        if after == math.inf:
            sentences.append(say("terminal.calibration.infinite", measure=change.measure))
        elif after == before:
            sentences.append(say("terminal.calibration.same", measure=change.measure))
        elif after < before or after > before:  # neither where one is not defined
            better = "terminal.calibration.better" if after < before else "terminal.calibration.worse"
            sentences.append(say(better, measure=change.measure))
    return sentences
