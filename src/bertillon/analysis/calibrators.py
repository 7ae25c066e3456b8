"""Maps from what a classifier says to probabilities that can be trusted, fitted on one set and used on others.

    platt        1 / (1 + exp(-(a s + b))): two numbers; scores that are off by a sigmoid (SVM, naive Bayes)
    isotonic     any rising function, in steps joined by lines: many numbers; needs many samples
    temperature  logits divided by T: one number; networks, any number of classes, never changes a decision
    beta         1 / (1 + exp(-(a ln p - b ln(1 - p) + c))): three numbers; probabilities that are off at both ends

Conventions: `fit(x, y)` learns and returns itself; y is 1 or True for positives (temperature: the place of the true
class). `calibrate(x)` gives the probability of the positive class, `predict_proba(x)` a column for each class.
Platt, isotonic and beta know two classes; `OneVersusRest` makes one of them a calibrator of several. `to_json` and
`from_json` keep every digit; nothing is pickled.

Holds `Platt`, `Isotonic`, `Temperature`, `Beta`, `OneVersusRest`, `CALIBRATORS`, `Calibrator` and `from_json`.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.arguments import as_array, as_floats
from bertillon.core.errors import InputError, unknown

FloatArray = NDArray[np.float64]

_EDGE = 1e-12  # the nearest to 0 and 1 that beta reads a probability as
COOLEST, HOTTEST = 1e-3, 1e3  # temperatures


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
    array: FloatArray = as_floats(x, what, "one number a sample").astype(np.float64)
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
    marks = as_array(y, "labels", "0 or 1 for each sample")
    if marks.shape != scores.shape or not np.isin(marks, (0, 1)).all():
        raise InputError(f"{marks.size:,} labels for {scores.size:,} {what}; expected 0 or 1 for each")
    outcome, weights = marks.astype(np.float64), _checked_weights(sample_weight, scores.size)
    if not (weights @ outcome > 0 and weights @ (1.0 - outcome) > 0):
        raise InputError("calibration needs both positives and negatives to learn from")
    return scores, outcome, weights


def _checked_weights(sample_weight: ArrayLike | None, n: int) -> FloatArray:
    weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,) or not ((weights >= 0) & np.isfinite(weights)).all():
        raise InputError("weights must be finite numbers, 0 or more, one a sample")
    return weights


def _checked_codes(y: ArrayLike, columns: FloatArray, what: str) -> NDArray[Any]:
    """The column of the true class of each row."""
    codes = np.asarray(y)
    if codes.shape != columns.shape[:1] or not np.isin(codes, np.arange(columns.shape[1])).all():
        raise InputError(f"{codes.size:,} labels for {columns.shape[0]:,} rows of {what}; expected the true column")
    return codes


@dataclass(slots=True)
class _Numbers(Calibrator):
    """A calibrator whose fields are the numbers it has learnt."""

    @property
    def parameters(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        return cls(*(_number_of(parameters, known.name) for known in fields(cls)))


def _number_of(parameters: Mapping[str, Any], key: str) -> float:
    """A finite number among stored parameters."""
    value = parameters.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"the stored calibrator has {key} = {value!r}; expected a finite number")
    return float(value)


@dataclass(slots=True)
class Platt(_Numbers):
    """p = 1 / (1 + exp(-(a s + b))).

    Outcomes are fitted as Platt did, pulled in a little from 0 and 1 so that separable scores do not run away:
    positives count as (N+ + 1) / (N+ + 2), negatives as 1 / (N- + 2).

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


@dataclass(slots=True)
class Beta(_Numbers):
    """p' = 1 / (1 + exp(-(a ln p - b ln(1 - p) + c))), Kull et al. 2017.

    a and b are kept at 0 or more, so that it never falls; probabilities of exactly 0 and 1 are read as the nearest
    inner float steps (1e-12), where its logarithms are finite.
    """

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


@dataclass(slots=True)
class Isotonic(Calibrator):
    """Probabilities that never fall as scores rise, by pooling adjacent violators; equal scores are pooled first.

    Between the points learnt the function is a straight line; beyond them it stays at the first and last probability.
    These are often exactly 0 and 1, where a later surprise costs an infinite logarithmic loss.

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


@dataclass(slots=True)
class Temperature(_Numbers):
    """Softmax of logits / T.

    Logits have a column for each class, or are the log-odds of the positive class. T above 1 makes the classifier less
    sure, T below 1 surer; decisions stay as they are. The logarithmic loss is convex in 1/T, so its slope has one root;
    where the best T lies outside [1e-3, 1e3] (every sample right, or logits without worth) the bound is kept.

    >>> t = Temperature().fit([[4.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 0.0]], [0, 0, 1, 1])
    >>> round(t.temperature, 3)  # sure by 4, right three times in four: log-odds of 3 are wanted
    3.641
    """

    temperature: float = np.nan
    name: ClassVar[str] = "temperature"

    def fit(self, x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        from scipy.optimize import brentq

        logits = _both_columns(checked(x, "logits", (1, 2)))
        codes = _checked_codes(y, logits, "logits")
        weights = _checked_weights(sample_weight, codes.size)
        if not weights.sum() > 0:
            raise InputError("weights must not all be 0")
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

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        made = super(Temperature, cls).restored(parameters)
        if made.temperature <= 0:
            raise InputError(f"the stored temperature is {made.temperature}; expected a number above 0")
        return made


def _both_columns(logits: FloatArray) -> FloatArray:
    return logits if logits.ndim == 2 else np.column_stack([np.zeros(logits.size), logits])


def _softmax(logits: FloatArray) -> FloatArray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares


KINDS: dict[str, type[Calibrator]] = {kind.name: kind for kind in (Platt, Isotonic, Beta)}


@dataclass(slots=True)
class OneVersusRest(Calibrator):
    """A calibrator a class, fitted to its own column against all others, and their answers made to add up to 1.

    Where all of them say 0 the classes share equally: nothing is known of such a sample. Decisions may change, unlike
    with a temperature.

    >>> x = [[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.5, 0.2, 0.3], [0.1, 0.4, 0.5], [0.3, 0.4, 0.3], [0.2, 0.1, 0.7]]
    >>> fitted = OneVersusRest("platt").fit(x, [0, 1, 0, 2, 1, 2])
    >>> fitted.calibrate(x).sum(axis=1).round(12).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """

    kind: str
    parts: Sequence[Calibrator] = field(default_factory=tuple)
    name: ClassVar[str] = "one-vs-rest"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(unknown("calibrator of one class against the rest", self.kind, KINDS))

    def fit(self, x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        columns = checked(x, ndim=(2,))
        codes = _checked_codes(y, columns, "scores")
        self.parts = tuple(self._part(columns, codes, code, sample_weight) for code in range(columns.shape[1]))
        return self

    def _part(self, columns: FloatArray, codes: NDArray[Any], code: int, weight: ArrayLike | None) -> Calibrator:
        own = codes == code
        if not own.any() or own.all():
            raise InputError(
                f"column {code + 1} is the true class of {int(own.sum()):,} of {own.size:,} samples; a calibrator "
                "learns from samples of every class and of others"
            )
        return KINDS[self.kind]().fit(columns[:, code], own, weight)

    def calibrate(self, x: ArrayLike) -> FloatArray:
        self.require_fitted()
        columns = checked(x, ndim=(2,))
        if columns.shape[1] != len(self.parts):
            raise InputError(f"{columns.shape[1]} columns for a calibrator of {len(self.parts)} classes")
        calibrated = np.column_stack([part.calibrate(columns[:, code]) for code, part in enumerate(self.parts)])
        total = calibrated.sum(axis=1, keepdims=True)
        return np.where(total > 0, calibrated / np.where(total > 0, total, 1.0), 1.0 / len(self.parts))

    @property
    def parameters(self) -> dict[str, Any]:
        return {"kind": self.kind, "parts": [part.parameters for part in self.parts]}

    def require_fitted(self) -> None:
        if not self.parts:
            raise InputError(f"{self.kind} one against the rest has not been fitted; call fit(columns, labels) first")
        for part in self.parts:
            part.require_fitted()

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        kind, parts = parameters.get("kind"), parameters.get("parts")
        if kind not in KINDS or not isinstance(parts, list) or len(parts) < 2:
            raise InputError(
                "the stored calibrator lacks its kind and a part for each class; expected what to_json wrote"
            )
        if not all(isinstance(part, dict) for part in parts):
            raise InputError("a part of the stored calibrator is no object; expected what to_json wrote")
        return cls(kind, tuple(KINDS[kind].restored(part) for part in parts))


CALIBRATORS: dict[str, type[Calibrator]] = {kind.name: kind for kind in (Platt, Isotonic, Temperature, Beta)}


def from_json(text: str) -> Calibrator:
    """The calibrator a JSON text describes.

    >>> from_json('{"calibrator": "platt", "a": 2.0, "b": -1.0}').calibrate([0.5]).tolist()
    [0.5]
    """
    try:
        content: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"the calibrator is not JSON ({error}); expected what to_json wrote") from error
    if not isinstance(content, dict) or "calibrator" not in content:
        raise InputError("the JSON holds no calibrator; expected what to_json wrote")
    name = str(content.pop("calibrator"))
    known: dict[str, type[Calibrator]] = {**CALIBRATORS, OneVersusRest.name: OneVersusRest}
    if name not in known:
        raise InputError(unknown("calibrator", name, known))
    return known[name].restored(content)
