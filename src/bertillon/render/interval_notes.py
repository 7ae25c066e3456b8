"""What the intervals of a table rest on, as lines under it."""

from __future__ import annotations

from collections.abc import Sequence

from bertillon.advice.warnings import bounds_sentences, interval_sentences
from bertillon.evaluation import AnyEvaluation
from bertillon.render.console import Text


def interval_lines(evaluations: Sequence[AnyEvaluation]) -> list[Text]:
    """How the intervals were found and which of them are bounds, with an empty line after the last."""
    intervals = [evaluation.intervals for evaluation in evaluations]
    lines = [*interval_sentences(intervals), *bounds_sentences(intervals)]
    return [*(Text(line, style="dim") for line in lines), Text()] if lines else []
