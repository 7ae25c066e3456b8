"""One number from many runs: over random partitions, and over the folds of LFW.

Partitions: runs count from 0. Each has its own stream of random numbers, all from one seed; run k is the same
however many follow, and run 0 is what the seed draws where there is one partition alone. The spread is the standard
deviation with divisor n - 1. A run whose number is undefined (NaN) leaves the mean undefined, with a reason.

Folds: for each fold the threshold is the one with the best accuracy on all other folds, and is applied to the fold
itself. Candidates are the distinct scores and one that rejects all; of equally good ones the most permissive is taken.
Accuracy is the share of pairs decided rightly; a failed comparison (NaN) is rejected. The standard error is
sd / sqrt(folds) with divisor folds - 1 in sd.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bertillon.core import AcceptRule, ComparisonTable, InputError, count_rejected
from bertillon.core.lazy import pl
from bertillon.core.messages import Text, say
from bertillon.matching.protocol.checks import texts_of, whole_number
from bertillon.matching.protocol.partition import Partition

ONE_RUN = say("reason.one_run")


@dataclass(frozen=True, slots=True)
class Repeated:
    """One number over all runs: mean, standard deviation, least, greatest, and each run."""

    mean: float
    sd: float
    low: float
    high: float
    values: tuple[float, ...]
    reason: Text = ""  # why the mean or the spread is undefined


def repeat(
    make: Callable[[np.random.Generator], Partition], *, runs: int = 10, seed: int | None = None
) -> list[Partition]:
    """As many partitions as there are runs, each drawn from its own stream."""
    number = whole_number(runs, "runs", least=1)
    if seed is not None:
        seed = whole_number(seed, "seed", least=0)
    root = np.random.SeedSequence(seed)
    streams = [root, *root.spawn(number - 1)]
    partitions = []
    for run, stream in enumerate(streams):
        partition = make(np.random.default_rng(stream))
        sentence = say("protocol.run", run=run, last=number - 1, seed=str(root.entropy))
        partitions.append(replace(partition, run=run, how=(*partition.how, sentence)))
    return partitions


def summarise(values: Iterable[float]) -> Repeated:
    """Mean, spread and each run.

    >>> summarise([0.25, 0.5, 0.75])
    Repeated(mean=0.5, sd=0.25, low=0.25, high=0.75, values=(0.25, 0.5, 0.75), reason='')
    """
    runs = tuple(_number(value, run) for run, value in enumerate(values))
    if not runs:
        raise InputError("no runs to summarise; expected the number of at least one run")
    undefined = sum(map(math.isnan, runs))
    if undefined:
        why = say("reason.undefined_runs", undefined=undefined, n=len(runs))
        return Repeated(math.nan, math.nan, math.nan, math.nan, runs, why)
    mean = (math.fsum if all(map(math.isfinite, runs)) else sum)(runs) / len(runs)
    sd, reason = _spread(runs, mean)
    return Repeated(mean, sd, min(runs), max(runs), runs, reason)


def _spread(runs: tuple[float, ...], mean: float) -> tuple[float, Text]:
    if len(runs) == 1:
        return math.nan, ONE_RUN
    if not all(map(math.isfinite, runs)):
        return math.nan, say("reason.infinite_spread")
    return math.sqrt(math.fsum((value - mean) ** 2 for value in runs) / (len(runs) - 1)), ""


def _number(value: float, run: int) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"run {run} gave {value!r}; expected a number, NaN where it is undefined") from None


@dataclass(frozen=True, slots=True)
class FoldAccuracy:
    """The accuracy and the threshold of each fold, their mean accuracy and its standard error."""

    accuracies: tuple[float, ...]
    thresholds: tuple[float, ...]  # in the user's units; infinite where all is rejected
    mean: float
    standard_error: float


def lfw_folds(trials: ComparisonTable) -> list[NDArray[np.intp]]:
    """The rows of each fold, in the order of the numbers (or names) in the column `fold`."""
    column = pl.Series(texts_of(trials.frame, "fold", trials.source, "each pair's fold, such as LFW's 0 to 9"))
    numbers = column.cast(pl.Float64, strict=False)
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
    texts_of(trials.frame, "mated", trials.source, "which pairs are mated")
    if "score" not in trials.frame.columns:
        raise InputError(f"{trials.source}: has no scores; expected a score for each pair; join the scores first")
    scores = trials.frame["score"].cast(pl.Float64).fill_null(math.nan).to_numpy()
    mated = trials.frame["mated"].to_numpy().astype(bool)
    everything = np.arange(scores.size)
    thresholds, accuracies = [], []
    for rows in folds:
        others = np.setdiff1d(everything, rows, assume_unique=True)
        threshold = _best_threshold(scores[others], mated[others], direction)
        thresholds.append(threshold)
        accuracies.append(float(np.mean(direction.accepts(scores[rows], threshold) == mated[rows])))
    sd = float(np.std(accuracies, ddof=1))
    return FoldAccuracy(tuple(accuracies), tuple(thresholds), float(np.mean(accuracies)), sd / math.sqrt(len(folds)))


def _best_threshold(scores: NDArray[np.float64], mated: NDArray[np.bool_], rule: AcceptRule) -> float:
    """The most permissive of the thresholds that decide most pairs rightly."""
    oriented = rule.orient(scores)
    genuine, impostor = (np.sort(oriented[chosen & ~np.isnan(oriented)]) for chosen in (mated, ~mated))
    candidates = np.unique(np.concatenate([genuine, impostor, [np.inf]]))  # ascending: the most permissive first
    wrong = count_rejected(genuine, candidates) + impostor.size - count_rejected(impostor, candidates)
    return rule.restore(candidates[wrong.argmin()])
