"""Weights for learning from unbalanced classes, or for errors of different cost.

Holds `balanced_weights` (w_c = n / (C n_c)), `cost_weights` and `sample_weights`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.trials.prediction_checks import Label, classes_of, encode, label_array


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
    for name, cost in (("fn", fn), ("fp", fp)):
        if not 0.0 <= cost < math.inf:
            raise InputError(f"cost {name} is {cost}; expected a finite number, 0 or more")
    return {negative: float(fp), positive: float(fn)}


def sample_weights(labels: Any, weights: Mapping[Label, float]) -> NDArray[np.float64]:
    """The weight of each sample's class.

    >>> sample_weights(["b", "a"], {"a": 0.5, "b": 2.0}).tolist()
    [2.0, 0.5]
    """
    classes = tuple(weights)
    codes = encode(label_array(labels, "labels"), classes, "labels")
    return np.array([weights[label] for label in classes], dtype=np.float64)[codes]
