"""Predictions of two classifiers brought together row by row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.stats.comparing.aligning.aligned import Aligned, name_of
from bertillon.trials.predictions import Predictions


def align_predictions(first: Predictions, second: Predictions) -> Aligned:
    """The samples both classifiers judged; their true labels must agree row by row, and what these weigh."""
    for system in (first, second):
        if system.failed:
            raise InputError(
                f"{name_of(system)}: {system.failed:,} predictions failed, so that rows can no longer be aligned one "
                "by one; leave out these samples in both files"
            )
    if first.size != second.size:
        raise InputError(
            f"{name_of(first)} has {first.size:,} predictions and {name_of(second)} {second.size:,}; expected the same "
            "samples"
        )
    labels = [np.array([str(label) for label in system.classes])[system.truth] for system in (first, second)]
    differing = np.flatnonzero(labels[0] != labels[1])
    if differing.size:
        row = int(differing[0])
        raise InputError(
            f"row {row + 1:,} is {labels[0][row]} in {name_of(first)} and {labels[1][row]} in {name_of(second)}; "
            "expected the same samples in the same order"
        )
    _require_same_question(first, second)
    groups = second.groups if first.groups is None else first.groups
    first, second = (replace(predictions, groups=groups) for predictions in (first, second))
    return Aligned(first, second, say("pairing.rows"), notes=(say("pairing.predictions_by_row"),))


def _require_same_question(first: Predictions, second: Predictions) -> None:
    """The same samples weigh the same in both, and the same class is the positive one."""
    weights = [np.ones(system.size) if system.weights is None else system.weights for system in (first, second)]
    if not np.array_equal(weights[0], weights[1]):
        row = int(np.flatnonzero(weights[0] != weights[1])[0])
        raise InputError(
            f"row {row + 1:,} weighs {weights[0][row]:g} in {name_of(first)} and {weights[1][row]:g} in "
            f"{name_of(second)}; expected the same weights, or none, in both"
        )
    positive = [str(system.positive) for system in (first, second) if system.positive is not None]
    if len(set(positive)) > 1:
        raise InputError(
            f"{positive[0]} is the positive class in {name_of(first)} and {positive[1]} in {name_of(second)}; expected "
            "the same one"
        )
