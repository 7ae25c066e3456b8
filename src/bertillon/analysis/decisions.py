"""What to decide when probabilities are known and errors have a price, and how to learn where classes are unequal.

Conventions: the best decision has the least expected cost under the probabilities as they stand; they are taken as
posteriors for the place of use. A classifier trained where classes had other shares says posteriors for *there*: shift
them first (`shift_prior`), or shift the threshold, but not both. Of decisions that cost the same the first is taken;
for two classes a probability equal to the threshold is positive.

Holds `bayes_threshold`, `bayes_decisions`, `Reject` (the reject option), `posterior_mean`, `posterior_median` and
`shift_prior`; and, as weights for learning, `balanced_weights` (w_c = n / (C n_c)), `cost_weights`, `sample_weights`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import AcceptRule, InputError
from bertillon.counting import sweep
from bertillon.counting.curves.class_curves import CostCurve, reject_costs
from bertillon.measures.cost import ErrorCosts
from bertillon.trials import ClassTally, Predictions
from bertillon.trials.prediction_checks import Label, classes_of, encode, label_array

FloatArray = NDArray[np.float64]

REJECTED = -1


def bayes_threshold(*, fn: float, fp: float, trained_at: float | None = None, used_at: float | None = None) -> float:
    """The probability from which on calling a sample positive costs less: fp / (fp + fn).

    With `trained_at` and `used_at`, the shares of positives where the classifier was trained and where it is used, the
    threshold is for its unshifted probabilities. Trained on balanced classes that is
    fp (1 - π) / (fp (1 - π) + fn π); for probabilities that are already posteriors at π it would count π twice.

    >>> round(bayes_threshold(fn=100, fp=1), 4), round(bayes_threshold(fn=1, fp=10), 3)
    (0.0099, 0.909)
    >>> round(bayes_threshold(fn=1000, fp=1, trained_at=0.5, used_at=0.01), 2)
    0.09
    """
    costs = ErrorCosts(fn, fp)
    if not costs.fn + costs.fp:
        raise InputError("both costs are 0, so every threshold is as good; expected one above 0")
    if (trained_at is None) != (used_at is None):
        raise InputError("a shift needs both trained_at and used_at, the shares of positives there")
    shift = 1.0
    if trained_at is not None and used_at is not None:
        for share in (trained_at, used_at):
            if not 0.0 < share < 1.0:
                raise InputError(f"the share of positives is {share}; expected a number between 0 and 1")
        shift = ((1.0 - used_at) / used_at) * (trained_at / (1.0 - trained_at))
    return costs.fp * shift / (costs.fp * shift + costs.fn)


def bayes_decisions(probabilities: ArrayLike, costs: ArrayLike) -> tuple[NDArray[np.int64], FloatArray]:
    """The action of least expected cost for each sample, and that cost; costs[true class, action].

    >>> action, cost = bayes_decisions([[0.95, 0.05], [0.995, 0.005]], [[0, 1], [100, 0]])
    >>> action.tolist(), cost.round(3).tolist()
    ([1, 0], [0.95, 0.5])
    """
    posterior, price = _posterior(probabilities), np.asarray(costs, dtype=np.float64)
    if price.ndim != 2 or price.shape[0] != posterior.shape[1]:
        raise InputError(f"costs have shape {price.shape}; expected a row for each of {posterior.shape[1]} classes")
    if not np.isfinite(price).all():
        raise InputError("costs hold what is not a finite number")
    expected = posterior @ price
    action = expected.argmin(axis=1)
    return action, expected[np.arange(action.size), action]


@dataclass(frozen=True, slots=True)
class Reject:
    """The reject option: staying silent costs `reject`, a wrong decision `error`."""

    reject: float
    error: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.reject < math.inf and 0.0 < self.error < math.inf):
            raise InputError(f"costs are reject {self.reject} and error {self.error}; expected 0 or more, and above 0")

    @property
    def threshold(self) -> float:
        """A sample is rejected when its largest posterior is below 1 - reject / error.

        >>> Reject(reject=2, error=10).threshold
        0.8
        """
        return 1.0 - self.reject / self.error

    def decide(self, probabilities: ArrayLike) -> NDArray[np.int64]:
        """The most probable class of each sample, or -1 where it is rejected.

        >>> Reject(reject=2, error=10).decide([[0.85, 0.15], [0.6, 0.4], [0.2, 0.8]]).tolist()
        [0, -1, 1]
        """
        posterior = _posterior(probabilities)
        kept = AcceptRule.SIMILARITY.accepts(posterior.max(axis=1), self.threshold)
        return np.where(kept, posterior.argmax(axis=1), REJECTED)

    def costs(self, predictions: Predictions) -> CostCurve:
        """The mean cost at every threshold on the probability of the decision."""
        tally = ClassTally(predictions)
        if tally.why_not_probable:
            raise InputError(f"the reject option needs probabilities; {tally.why_not_probable}")
        return reject_costs(sweep(tally.confident), reject=self.reject, error=self.error)


def posterior_mean(probabilities: ArrayLike, values: ArrayLike) -> FloatArray:
    """What costs least under squared loss: the mean of the classes' values.

    >>> posterior_mean([[0.2, 0.5, 0.3]], [0, 1, 10]).tolist()
    [3.5]
    """
    posterior = _posterior(probabilities)
    mean: FloatArray = posterior @ _values(values, posterior.shape[1])
    return mean


def posterior_median(probabilities: ArrayLike, values: ArrayLike) -> FloatArray:
    """What costs least under absolute loss: the lowest value with at least half of the probability at or below it.

    >>> posterior_median([[0.2, 0.5, 0.3]], [0, 1, 10]).tolist()
    [1.0]
    """
    posterior = _posterior(probabilities)
    numbers = _values(values, posterior.shape[1])
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(posterior[:, order], axis=1) >= 0.5 - 1e-12  # rounding must not hide an exact half
    return np.asarray(numbers[order][reached.argmax(axis=1)])


def shift_prior(probabilities: ArrayLike, *, trained: ArrayLike, used: ArrayLike) -> FloatArray:
    """Posteriors for other shares of the classes: each times used / trained, made to add up to 1 again.

    One probability a sample is that of the positive class, and `trained` and `used` are its shares; with a column for
    each class they are lists.

    >>> shift_prior([0.5], trained=0.5, used=0.01).round(6).tolist()
    [0.01]
    """
    array = np.asarray(probabilities, dtype=np.float64)
    posterior = _posterior(probabilities)
    shares = [_shares(value, posterior.shape[1], name) for value, name in ((trained, "trained"), (used, "used"))]
    if (shares[0] <= 0).any():
        raise InputError("a class with a share of 0 where the classifier was trained has no known posterior elsewhere")
    shifted = posterior * (shares[1] / shares[0])
    total = shifted.sum(axis=1, keepdims=True)
    if (total == 0).any():
        raise InputError("a sample's only possible class has a share of 0 where it is used; expected shares above 0")
    shifted = shifted / total
    return np.asarray(shifted[:, 1] if array.ndim == 1 else shifted)


def _posterior(probabilities: ArrayLike) -> FloatArray:
    """Rows that add up to 1; one probability a sample becomes two columns."""
    array: NDArray[Any] = np.asarray(probabilities, dtype=np.float64)
    if array.ndim == 1:
        array = np.column_stack([1.0 - array, array])
    if array.ndim != 2 or not ((array >= 0) & (array <= 1)).all() or (np.abs(array.sum(axis=1) - 1) > 1e-6).any():
        raise InputError("probabilities must lie in [0, 1] and add up to 1 in each row (within 1e-6)")
    return array


def _values(values: ArrayLike, n: int) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n,):
        raise InputError(f"{array.size} values for {n} classes; expected one each")
    if np.isnan(array).any():
        raise InputError("a class has the value nan; expected a number for each")
    return array


def _shares(shares: ArrayLike, n: int, name: str) -> FloatArray:
    array = np.asarray(shares, dtype=np.float64)
    if array.ndim == 0:
        array = np.array([1.0 - float(array), float(array)])
    if array.shape != (n,) or not (array >= 0).all() or abs(array.sum() - 1) > 1e-6:
        raise InputError(f"{name} shares must be one a class, 0 or more, and add up to 1; got {array.tolist()}")
    return array


def balanced_weights(labels: Any) -> dict[Label, float]:
    """A weight a class that makes all classes weigh the same: n / (C n_c).

    >>> balanced_weights(["a", "a", "a", "b"])
    {'a': 0.6666666666666666, 'b': 2.0}
    """
    array = label_array(labels, "labels")
    classes = classes_of(array)
    if not classes:
        raise InputError("there are no labels; expected at least one")
    counts = np.bincount(encode(array, classes, "labels"), minlength=len(classes))
    return {label: array.size / (len(classes) * int(n)) for label, n in zip(classes, counts, strict=True)}


def cost_weights(*, fn: float, fp: float, positive: Label = 1, negative: Label = 0) -> dict[Label, float]:
    """A weight a class that stands for the cost of getting it wrong: fn for positives, fp for negatives.

    >>> cost_weights(fn=100, fp=1)
    {0: 1.0, 1: 100.0}
    """
    costs = ErrorCosts(fn, fp)
    return {negative: float(costs.fp), positive: float(costs.fn)}


def sample_weights(labels: Any, weights: Mapping[Label, float]) -> NDArray[np.float64]:
    """The weight of each sample's class.

    >>> sample_weights(["b", "a"], {"a": 0.5, "b": 2.0}).tolist()
    [2.0, 0.5]
    """
    classes = tuple(weights)
    codes = encode(label_array(labels, "labels"), classes, "labels")
    return np.array([weights[label] for label in classes], dtype=np.float64)[codes]
