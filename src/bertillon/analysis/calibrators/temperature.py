"""One number for all classes: logits divided by a temperature.

Conventions: logits have a column for each class, or are the log-odds of the positive class. T above 1 makes the
classifier less sure, T below 1 surer; decisions stay as they are. The logarithmic loss is convex in 1/T, so its slope
has one root; where the best T lies outside [1e-3, 1e3] (every sample right, or logits without worth) the bound is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.analysis.calibrators.base import Calibrator, checked, number_of
from bertillon.core.errors import InputError

FloatArray = NDArray[np.float64]

COOLEST, HOTTEST = 1e-3, 1e3


@dataclass(slots=True)
class Temperature(Calibrator):
    """Softmax of logits / T.

    >>> t = Temperature().fit([[4.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 0.0]], [0, 0, 1, 1])
    >>> round(t.temperature, 3)  # sure by 4, right three times in four: log-odds of 3 are wanted
    3.641
    """

    temperature: float = np.nan
    name: ClassVar[str] = "temperature"

    def fit(self, x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        from scipy.optimize import brentq

        logits, codes = _both_columns(checked(x, "logits", (1, 2))), np.asarray(y)
        if codes.shape != logits.shape[:1] or not np.isin(codes, np.arange(logits.shape[1])).all():
            raise InputError(f"{codes.size:,} labels for {logits.shape[0]:,} rows of logits; expected the true column")
        weights = np.ones(codes.size) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        fine = weights.shape == codes.shape and ((weights >= 0) & np.isfinite(weights)).all()
        if not fine or not weights.sum() > 0:
            raise InputError("weights must be finite numbers, 0 or more, one a sample, and not all 0")
        own = logits[np.arange(codes.size), codes.astype(np.int64)]

        def slope(inverse: float) -> float:
            expected = (_softmax(logits * inverse) * logits).sum(axis=1)
            return float(weights @ (expected - own) / weights.sum())

        low, high = 1.0 / HOTTEST, 1.0 / COOLEST
        if slope(low) >= 0.0:
            self.temperature = HOTTEST
        elif slope(high) <= 0.0:
            self.temperature = COOLEST
        else:
            self.temperature = 1.0 / brentq(slope, low, high, xtol=1e-14, rtol=1e-13)
        return self

    def calibrate(self, x: ArrayLike) -> FloatArray:
        self.require_fitted()
        logits = checked(x, "logits", (1, 2))
        p = _softmax(_both_columns(logits) / self.temperature)
        return p if logits.ndim == 2 else p[:, 1]

    @property
    def parameters(self) -> dict[str, Any]:
        return {"temperature": self.temperature}

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        temperature = number_of(parameters, "temperature")
        if temperature <= 0:
            raise InputError(f"the stored temperature is {temperature}; expected a number above 0")
        return cls(temperature)


def _both_columns(logits: FloatArray) -> FloatArray:
    return logits if logits.ndim == 2 else np.column_stack([np.zeros(logits.size), logits])


def _softmax(logits: FloatArray) -> FloatArray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares
