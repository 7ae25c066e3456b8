"""Evaluations as figures in a folder; `formats` are png, svg or pdf, all of them where none are named."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bertillon.evaluation import ClassEvaluation, Evaluation, SearchEvaluation
from bertillon.evaluation.bands import Bands, each_of
from bertillon.figures.save import ALL_FORMATS, save_figures, save_search_figures
from bertillon.figures.systems import searches_of, system_of


def draw(
    evaluations: Sequence[Evaluation],
    folder: str | os.PathLike[str],
    formats: Sequence[str] = ALL_FORMATS,
    *,
    bands: Bands = (),
) -> list[Path]:
    """Draw every figure of the systems into a folder, with bands around the curves where they are given."""
    own = each_of(bands, len(evaluations))
    systems = [system_of(one, known) for one, known in zip(evaluations, own, strict=True)]
    return save_figures(systems, Path(folder), formats)


def draw_searches(
    evaluations: Sequence[SearchEvaluation],
    folder: str | os.PathLike[str],
    formats: Sequence[str] = ALL_FORMATS,
    *,
    bands: Bands = (),
) -> list[Path]:
    """Draw every figure of the searches into a folder, with bands around the curves where they are given."""
    own = each_of(bands, len(evaluations))
    systems = [searches_of(one, known) for one, known in zip(evaluations, own, strict=True)]
    return save_search_figures(systems, Path(folder), formats)


def draw_classes(
    evaluations: Sequence[ClassEvaluation],
    folder: str | os.PathLike[str],
    *,
    costs: Mapping[str, float] | None = None,
    formats: Sequence[str] = ALL_FORMATS,
    bands: Bands = (),
) -> list[Path]:
    """Draw every figure of the classifiers into a folder; `costs` of fn and fp are marked on the cost curve."""
    from bertillon.figures.class_save import save_class_figures

    return save_class_figures(evaluations, Path(folder), costs=costs, formats=formats, bands=bands)


def draw_calibration(before: ClassEvaluation, after: ClassEvaluation, folder: str | os.PathLike[str]) -> list[Path]:
    """Draw the reliability diagrams before and after calibration into a folder."""
    from bertillon.figures.class_save import save_calibration_figure

    return save_calibration_figure(before, after, Path(folder))
