"""Platt's and the beta calibration: logistic curves with two and three numbers.

Platt fits the outcomes as he did, pulled in a little from 0 and 1 so that separable scores do not run away: positives
count as (N+ + 1) / (N+ + 2), negatives as 1 / (N- + 2). Beta keeps a and b at 0 or more, so that it never falls;
probabilities of exactly 0 and 1 are read as the nearest inner float steps (1e-12), where its logarithms are finite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.analysis.calibrators.base import Calibrator, checked, checked_pair, number_of
from bertillon.core.errors import InputError

FloatArray = NDArray[np.float64]

_EDGE = 1e-12


@dataclass(slots=True)
class Platt(Calibrator):
    """p = 1 / (1 + exp(-(a s + b))).

    >>> platt = Platt().fit([-2, -1, 0, 1, 2, 3], [0, 0, 1, 0, 1, 1])
    >>> bool(platt.a > 0), platt.predict_proba([0.0]).shape
    (True, (1, 2))
    """

    a: float = np.nan
    b: float = np.nan
    name: ClassVar[str] = "platt"

    def fit(self, x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        scores, outcome, weights = checked_pair(x, y, sample_weight)
        positives, negatives = float(weights @ outcome), float(weights @ (1.0 - outcome))
        target = np.where(outcome == 1, (positives + 1.0) / (positives + 2.0), 1.0 / (negatives + 2.0))
        middle, scale = float(np.median(scores)), float(np.std(scores)) or 1.0
        columns = np.column_stack([(scores - middle) / scale, np.ones(scores.size)])
        a, b = _logistic(columns, target, weights, [0.0, np.log((positives + 1.0) / (negatives + 1.0))])
        self.a, self.b = float(a / scale), float(b - a * middle / scale)
        return self

    def calibrate(self, x: ArrayLike) -> FloatArray:
        from scipy.special import expit

        self.require_fitted()
        p: FloatArray = expit(self.a * checked(x) + self.b)
        return p

    @property
    def parameters(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b}

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        return cls(number_of(parameters, "a"), number_of(parameters, "b"))


@dataclass(slots=True)
class Beta(Calibrator):
    """p' = 1 / (1 + exp(-(a ln p - b ln(1 - p) + c))), Kull et al. 2017."""

    a: float = np.nan
    b: float = np.nan
    c: float = np.nan
    name: ClassVar[str] = "beta"

    def fit(self, x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        p, outcome, weights = checked_pair(x, y, sample_weight, "probabilities")
        columns = np.column_stack([*_logs(p), np.ones(p.size)])
        bounds = [(0.0, None), (0.0, None), (None, None)]
        self.a, self.b, self.c = (float(v) for v in _logistic(columns, outcome, weights, [1.0, 1.0, 0.0], bounds))
        return self

    def calibrate(self, x: ArrayLike) -> FloatArray:
        from scipy.special import expit

        self.require_fitted()
        first, second = _logs(checked(x, "probabilities"))
        p: FloatArray = expit(self.a * first + self.b * second + self.c)
        return p

    @property
    def parameters(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "c": self.c}

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        return cls(*(number_of(parameters, key) for key in ("a", "b", "c")))


def _logs(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    if ((p < 0) | (p > 1)).any():
        raise InputError("beta calibration takes probabilities in [0, 1]; for scores use platt")
    inner = np.clip(p, _EDGE, 1.0 - _EDGE)
    return np.log(inner), -np.log1p(-inner)


def _logistic(
    columns: FloatArray, target: FloatArray, weights: FloatArray, start: list[float], bounds: Any = None
) -> FloatArray:
    """The coefficients of least logarithmic loss, with its exact slope and curvature."""
    from scipy.optimize import minimize
    from scipy.special import expit

    total = weights.sum()

    def loss(coefficients: FloatArray) -> tuple[float, FloatArray]:
        raw = columns @ coefficients
        value = weights @ (np.logaddexp(0.0, raw) - target * raw)
        return float(value / total), columns.T @ (weights * (expit(raw) - target)) / total

    def curvature(coefficients: FloatArray) -> FloatArray:
        p = expit(columns @ coefficients)
        return np.asarray((columns.T * (weights * p * (1.0 - p))) @ columns / total)

    if bounds is not None:
        options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 1000}
        optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    else:
        optimum = minimize(loss, start, jac=True, hess=curvature, method="trust-exact", options={"gtol": 1e-10})
    best: FloatArray = optimum.x
    if not np.isfinite(best).all():
        raise InputError("the calibration did not settle; are the scores constant or the labels one-sided?")
    return best
