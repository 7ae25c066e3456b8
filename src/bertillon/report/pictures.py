"""Evaluations as figures."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bertillon.evaluation import ClassEvaluation, Evaluation, SearchEvaluation, evaluate
from bertillon.figures.data import System
from bertillon.figures.save import save_figures, save_search_figures
from bertillon.figures.search_data import Searches


def draw(evaluations: Sequence[Evaluation], folder: str | os.PathLike[str]) -> list[Path]:
    """Draw every figure of the systems into a folder."""
    return save_figures([_system(evaluation) for evaluation in evaluations], Path(folder))


def draw_searches(evaluations: Sequence[SearchEvaluation], folder: str | os.PathLike[str]) -> list[Path]:
    """Draw every figure of the searches into a folder."""
    return save_search_figures([_searches(evaluation) for evaluation in evaluations], Path(folder))


def draw_classes(
    evaluations: Sequence[ClassEvaluation], folder: str | os.PathLike[str], *, costs: Mapping[str, float] | None = None
) -> list[Path]:
    """Draw every figure of the classifiers into a folder; `costs` of fn and fp are marked on the cost curve."""
    from bertillon.figures.class_save import save_class_figures

    return save_class_figures(evaluations, Path(folder), costs=costs)


def draw_calibration(before: ClassEvaluation, after: ClassEvaluation, folder: str | os.PathLike[str]) -> list[Path]:
    """Draw the reliability diagrams before and after calibration into a folder."""
    from bertillon.figures.class_save import save_calibration_figure

    return save_calibration_figure(before, after, Path(folder))


def _searches(evaluation: SearchEvaluation) -> Searches:
    found = evaluation.results.get("EERopen")
    return Searches.of(evaluation.tally, None if found is None else found.value)


def _system(evaluation: Evaluation) -> System:
    found = evaluation if "EER" in evaluation.results else evaluate(evaluation.scores, ["EER"])
    return System(
        evaluation.name, evaluation.curve, evaluation.kept, threshold=found["EER"].threshold, eer=found["EER"].value
    )
