"""What every calibrator is, and the checks they share."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError

FloatArray = NDArray[np.float64]


class Calibrator(ABC):
    """Learns a map on one set of predictions and applies it to others."""

    name: ClassVar[str]

    @abstractmethod
    def fit(self, x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from what was said and what came true."""

    @abstractmethod
    def calibrate(self, x: ArrayLike) -> FloatArray:
        """The probability of the positive class; with a column for each class, all of them."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """What was learnt, in plain values."""

    @classmethod
    @abstractmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        """The calibrator with these parameters."""

    def predict_proba(self, x: ArrayLike) -> FloatArray:
        """A column for each class; of two classes the positive one is the second."""
        p = self.calibrate(x)
        return p if p.ndim == 2 else np.column_stack([1.0 - p, p])

    def to_json(self) -> str:
        """Strict JSON that `from_json` reads back to the last digit."""
        self.require_fitted()
        return json.dumps({"calibrator": self.name, **self.parameters}, allow_nan=False)

    def require_fitted(self) -> None:
        """What was never fitted knows nothing."""
        values = np.concatenate([np.ravel(value) for value in self.parameters.values()])
        if not values.size or np.isnan(values).any():
            raise InputError(f"{self.name} has not been fitted; call fit(scores, labels) first")


def checked(x: ArrayLike, what: str = "scores", ndim: tuple[int, ...] = (1,)) -> FloatArray:
    """Finite numbers of the right shape."""
    array: FloatArray = np.asarray(x, dtype=np.float64)
    if array.ndim not in ndim:
        raise InputError(f"{what} have shape {array.shape}; expected one number a sample")
    if not np.isfinite(array).all():
        raise InputError(f"{what} hold NaN or infinite values; a calibrator needs finite numbers")
    return array


def checked_pair(
    x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, what: str = "scores"
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Scores, outcomes (0 or 1) and weights of one length, with both outcomes among them."""
    scores = checked(x, what)
    marks = np.asarray(y)
    if marks.shape != scores.shape or not np.isin(marks, (0, 1)).all():
        raise InputError(f"{marks.size:,} labels for {scores.size:,} {what}; expected 0 or 1 for each")
    outcome = marks.astype(np.float64)
    weights = np.ones(scores.size) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != scores.shape or not ((weights >= 0) & np.isfinite(weights)).all():
        raise InputError("weights must be finite numbers, 0 or more, one a sample")
    if not (weights @ outcome > 0 and weights @ (1.0 - outcome) > 0):
        raise InputError("calibration needs both positives and negatives to learn from")
    return scores, outcome, weights


def number_of(parameters: Mapping[str, Any], key: str) -> float:
    """A finite number among stored parameters."""
    value = parameters.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"the stored calibrator has {key} = {value!r}; expected a finite number")
    return float(value)
