"""The bands of an evaluation's curves: how sure each of them is, with the settings of its intervals.

Conventions: a curve is named as its figure is (see `BaseEvaluation.curves`): roc and det; cmc and watch-list;
precision-recall and reliability; or as the measure set of another kind of trial names it.

Holds `bands_of` (all there are), and `Bands` with `each_of`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bertillon.counting.curves.band import Band, Kind
from bertillon.evaluation.base import BaseEvaluation

Bands = Sequence[Mapping[str, Band]]  # of each system, by the names of their curves; nothing where none are wanted


def bands_of(evaluation: BaseEvaluation, *, kind: Kind = "pointwise") -> dict[str, Band]:
    """The bands of all curves that the trials of the evaluation have."""
    bands = {curve: evaluation.band(curve, kind=kind) for curve in evaluation.curves if curve != "roc"}
    return ({"roc": bands["det"].complement} if "det" in bands else {}) | bands


def each_of(bands: Bands, systems: int) -> Bands:
    """The bands of each of so many systems."""
    return bands or [{}] * systems
