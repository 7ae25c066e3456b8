"""Evaluations as figures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bertillon.evaluation import Evaluation, evaluate
from bertillon.figures.data import System
from bertillon.figures.save import save_figures


def draw(evaluations: Sequence[Evaluation], folder: str | os.PathLike[str]) -> list[Path]:
    """Draw every figure of the systems into a folder."""
    return save_figures([_system(evaluation) for evaluation in evaluations], Path(folder))


def _system(evaluation: Evaluation) -> System:
    found = evaluation if "EER" in evaluation.results else evaluate(evaluation.scores, ["EER"])
    return System(
        evaluation.name, evaluation.curve, evaluation.scores, threshold=found["EER"].threshold, eer=found["EER"].value
    )
