"""The best rising function from scores to probabilities, by pooling adjacent violators.

Conventions: equal scores are pooled first. Between the points learnt the function is a straight line; beyond them it
stays at the first and last probability. These are often exactly 0 and 1, where a later surprise costs an infinite
logarithmic loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.analysis.calibrators.base import Calibrator, checked, checked_pair
from bertillon.core.errors import InputError

FloatArray = NDArray[np.float64]


@dataclass(slots=True)
class Isotonic(Calibrator):
    """Probabilities that never fall as scores rise.

    >>> Isotonic().fit([1, 2, 3, 4], [0, 1, 0, 1]).calibrate([2.5, 3.5]).tolist()
    [0.5, 0.75]
    """

    scores: FloatArray = field(default_factory=lambda: np.empty(0))
    values: FloatArray = field(default_factory=lambda: np.empty(0))
    name: ClassVar[str] = "isotonic"

    def fit(self, x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        from scipy.optimize import isotonic_regression

        scores, outcome, weights = checked_pair(x, y, sample_weight)
        counted = weights > 0
        distinct, index = np.unique(scores[counted], return_inverse=True)
        total = np.bincount(index, weights[counted])
        mean = np.bincount(index, weights[counted] * outcome[counted]) / total
        risen = np.clip(isotonic_regression(mean, weights=total).x, 0.0, 1.0)
        bends = np.ones(distinct.size, dtype=np.bool_)
        bends[1:-1] = (risen[1:-1] != risen[:-2]) | (risen[1:-1] != risen[2:])  # the others lie on a level stretch
        self.scores, self.values = distinct[bends], risen[bends]
        return self

    def calibrate(self, x: ArrayLike) -> FloatArray:
        self.require_fitted()
        scores = checked(x)
        above = self.values[np.minimum(np.searchsorted(self.scores, scores), self.scores.size - 1)]
        return np.minimum(np.interp(scores, self.scores, self.values), above)  # the slope to a next float is infinite

    @property
    def parameters(self) -> dict[str, Any]:
        return {"scores": self.scores.tolist(), "values": self.values.tolist()}

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        try:
            columns = [np.asarray(parameters[key], dtype=np.float64) for key in ("scores", "values")]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"the stored calibrator lacks scores and values as lists of numbers ({error})") from error
        scores, values = columns
        fine = scores.ndim == 1 and scores.shape == values.shape and scores.size > 0
        if not fine or not np.isfinite(scores).all() or (np.diff(scores) <= 0).any() or (np.diff(values) < 0).any():
            raise InputError("the stored calibrator does not rise; expected what to_json wrote")
        if not ((values >= 0) & (values <= 1)).all():
            raise InputError("the stored calibrator holds values outside [0, 1]; expected what to_json wrote")
        return cls(scores, values)
