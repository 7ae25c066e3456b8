"""Verification accuracy over folds, as it is reported on LFW.

Conventions: for each fold the threshold is the one with the best accuracy on all other folds, and is applied to the
fold itself. Candidates are the distinct scores and one that rejects all; of equally good ones the most permissive is
taken. Accuracy is the share of pairs decided rightly; a failed comparison (NaN) is rejected. The standard error is
sd / sqrt(folds) with divisor folds - 1 in sd.

Holds `lfw_folds`, `fold_accuracy` and its `FoldAccuracy`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.rule import AcceptRule, count_rejected
from bertillon.core.tables import ComparisonTable


@dataclass(frozen=True, slots=True)
class FoldAccuracy:
    """The accuracy and the threshold of each fold, their mean accuracy and its standard error."""

    accuracies: tuple[float, ...]
    thresholds: tuple[float, ...]  # in the user's units; infinite where all is rejected
    mean: float
    standard_error: float


def lfw_folds(trials: ComparisonTable) -> list[NDArray[np.intp]]:
    """The rows of each fold, in the order of the numbers (or names) in the column `fold`."""
    column = _column(trials, "fold", "each pair's fold, such as LFW's 0 to 9")
    numbers = column.cast(pl.String).cast(pl.Float64, strict=False)
    names, fold = np.unique((column if numbers.null_count() else numbers).to_numpy(), return_inverse=True)
    if names.size < 2:
        raise InputError(
            f"{trials.source}: has one fold only; expected two or more, since the threshold of a fold is chosen on the "
            "others; put the pairs in folds, each with its own people"
        )
    return [np.flatnonzero(fold == number) for number in range(names.size)]


def fold_accuracy(trials: ComparisonTable, *, rule: AcceptRule | None = None) -> FoldAccuracy:
    """Accuracy with the threshold of each fold chosen on the others; `rule` overrides what the table says.

    >>> import polars as pl
    >>> table = pl.DataFrame({"score": [0.9, 0.2, 0.6, 0.7], "mated": [True, False] * 2, "fold": [0, 0, 1, 1]})
    >>> fold_accuracy(ComparisonTable(table)).accuracies
    (1.0, 0.5)
    """
    folds = lfw_folds(trials)
    direction = rule or trials.rule or AcceptRule.SIMILARITY
    scores, mated = _scores(trials), _column(trials, "mated", "which pairs are mated").to_numpy().astype(bool)
    everything = np.arange(scores.size)
    thresholds, accuracies = [], []
    for rows in folds:
        others = np.setdiff1d(everything, rows, assume_unique=True)
        threshold = _best_threshold(scores[others], mated[others], direction)
        thresholds.append(threshold)
        accuracies.append(float(np.mean(direction.accepts(scores[rows], threshold) == mated[rows])))
    spread = float(np.std(accuracies, ddof=1))
    return FoldAccuracy(
        tuple(accuracies), tuple(thresholds), float(np.mean(accuracies)), spread / math.sqrt(len(folds))
    )


def _best_threshold(scores: NDArray[np.float64], mated: NDArray[np.bool_], rule: AcceptRule) -> float:
    """The most permissive of the thresholds that decide most pairs rightly."""
    oriented = rule.orient(scores)
    genuine, impostor = (np.sort(oriented[chosen & ~np.isnan(oriented)]) for chosen in (mated, ~mated))
    candidates = np.unique(np.concatenate([genuine, impostor, [np.inf]]))  # ascending: the most permissive first
    wrong = count_rejected(genuine, candidates) + impostor.size - count_rejected(impostor, candidates)
    return rule.restore(candidates[wrong.argmin()])


def _scores(trials: ComparisonTable) -> NDArray[np.float64]:
    if "score" not in trials.frame.columns:
        raise InputError(f"{trials.source}: has no scores; expected a score for each pair; join the scores first")
    return trials.frame["score"].cast(pl.Float64).fill_null(math.nan).to_numpy()


def _column(trials: ComparisonTable, name: str, what: str) -> Any:
    if name not in trials.frame.columns:
        raise InputError(
            f"{trials.source}: has no column {name!r} (its columns: {', '.join(trials.frame.columns)}); "
            f"expected {what}; name that column"
        )
    column = trials.frame[name]
    if column.null_count():
        row = int(column.is_null().arg_max() or 0) + 1
        raise InputError(f"{trials.source}: row {row:,} has no {name}; expected {what}; fill it in")
    return column
