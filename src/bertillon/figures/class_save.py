"""Figures of classifiers as files.

Conventions: as in `save`. Only figures with something to draw are written.

Holds `save_class_figures` and `save_calibration_figure`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bertillon.errors import InputError
from bertillon.evaluation.classification import ClassEvaluation
from bertillon.figures.class_compose import class_kinds, make_calibration_figure, make_class_figure, probable
from bertillon.figures.save import FORMATS, render
from bertillon.files import make_folder, write_whole
from bertillon.measures.classification.cost import ErrorCosts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COSTS = ("fn", "fp", "prevalence")


def save_class_figures(
    evaluations: Sequence[ClassEvaluation],
    folder: str | os.PathLike[str],
    *,
    costs: Mapping[str, float] | None = None,
) -> list[Path]:
    """Every figure that applies to the classifiers, in every format, as `roc.png` and so on; the files as written.

    `costs` are what a missed positive (fn) and a false alarm (fp) cost, perhaps at another share of positives
    (prevalence); with them costs are drawn by threshold.
    """
    if not evaluations:
        raise InputError("no systems to draw; expected at least one")
    prices = None if costs is None else _prices(costs)
    kinds = class_kinds(evaluations, prices)
    return _written({kind: partial(make_class_figure, kind, evaluations, prices) for kind in kinds}, folder)


def save_calibration_figure(
    before: ClassEvaluation, after: ClassEvaluation, folder: str | os.PathLike[str]
) -> list[Path]:
    """Reliability before and after calibration, as `calibration.png` and so on; nothing without probabilities."""
    there = probable(before) or probable(after)
    return _written({"calibration": partial(make_calibration_figure, before, after)} if there else {}, folder)


def _written(makers: Mapping[str, Callable[[], Figure]], folder: str | os.PathLike[str]) -> list[Path]:
    target = make_folder(folder)
    return [path for name, make in makers.items() for path in _in_every_format(make(), target / name)]


def _in_every_format(figure: Figure, path: Path) -> list[Path]:
    paths = [path.with_name(f"{path.name}.{form}") for form in FORMATS]
    for target, form in zip(paths, FORMATS, strict=True):
        write_whole(target, partial(_put, render(figure, form)))
    return paths


def _put(content: bytes, file: BinaryIO) -> None:
    file.write(content)


def _prices(costs: Mapping[str, float]) -> ErrorCosts:
    unknown = [name for name in costs if name not in COSTS]
    if unknown:
        raise InputError(f"cost {unknown[0]!r} is not known; expected {', '.join(COSTS)}")
    prices = ErrorCosts(**costs)
    if not prices.fn + prices.fp:
        raise InputError("both costs are 0, so every decision is as good; expected one above 0")
    return prices
