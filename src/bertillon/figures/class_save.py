"""Figures of classifiers as files.

Conventions: as in `save`. Only figures with something to draw are written.

Holds `save_class_figures` and `save_calibration_figure`; `prices_of` reads the costs of errors.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from bertillon.errors import InputError
from bertillon.evaluation.bands import Bands
from bertillon.evaluation.classification import ClassEvaluation
from bertillon.figures.class_compose import class_kinds, make_calibration_figure, make_class_figure, probable
from bertillon.figures.save import ALL_FORMATS, save_all
from bertillon.measures.classification.cost import ErrorCosts

COSTS = ("fn", "fp", "prevalence")


def save_class_figures(
    evaluations: Sequence[ClassEvaluation],
    folder: str | os.PathLike[str],
    *,
    costs: Mapping[str, float] | None = None,
    formats: Sequence[str] = ALL_FORMATS,
    bands: Bands = (),
) -> list[Path]:
    """Every figure that applies to the classifiers, in every format, as `roc.png` and so on; the files as written.

    `costs` are what a missed positive (fn) and a false alarm (fp) cost, perhaps at another share of positives
    (prevalence); with them costs are drawn by threshold. `bands` of each classifier are drawn around its curves.
    """
    if not evaluations:
        raise InputError("no systems to draw; expected at least one")
    prices = None if costs is None else prices_of(costs)
    kinds = class_kinds(evaluations, prices)
    makers = {kind: partial(make_class_figure, kind, evaluations, prices, bands=bands) for kind in kinds}
    return save_all(makers, folder, formats)


def save_calibration_figure(
    before: ClassEvaluation, after: ClassEvaluation, folder: str | os.PathLike[str]
) -> list[Path]:
    """Reliability before and after calibration, as `calibration.png` and so on; nothing without probabilities."""
    there = probable(before) or probable(after)
    return save_all({"calibration": partial(make_calibration_figure, before, after)} if there else {}, folder)


def prices_of(costs: Mapping[str, float]) -> ErrorCosts:
    """Costs by their names; at least one of the two errors must cost something."""
    unknown = [name for name in costs if name not in COSTS]
    if unknown:
        raise InputError(f"cost {unknown[0]!r} is not known; expected {', '.join(COSTS)}")
    prices = ErrorCosts(**costs)
    if not prices.fn + prices.fp:
        raise InputError("both costs are 0, so every decision is as good; expected one above 0")
    return prices
