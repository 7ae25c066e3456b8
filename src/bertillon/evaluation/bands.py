"""How sure the curves of evaluations are: their bands, by the names of the curves.

Holds `bands_of`, `each_of` and `Bands`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.evaluation.evaluation import AnyEvaluation

Bands = Sequence[Mapping[str, Band]]  # of each system, by the names of their curves; nothing where none are wanted


def bands_of(evaluation: AnyEvaluation, *, kind: Kind = "pointwise") -> dict[str, Band]:
    """The bands of all curves that the trials of the evaluation have."""
    bands = {curve: evaluation.band(curve, kind=kind) for curve in evaluation.curves if curve != "roc"}
    return ({"roc": bands["det"].complement} if "det" in bands else {}) | bands


def each_of(bands: Bands, systems: int) -> Bands:
    """The bands of each of so many systems."""
    return bands or [{}] * systems
