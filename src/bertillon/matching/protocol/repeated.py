"""The same protocol over many random partitions, and what the runs say together.

Conventions: runs count from 0. Each has its own stream of random numbers, all from one seed; run k is the same
however many follow, and run 0 is what the seed draws where there is one partition alone. The spread is the standard
deviation with divisor n - 1. A run whose number is undefined (NaN) leaves the mean undefined, with a reason.

Holds `repeat`, `summarise` and its `Repeated`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.matching.protocol.checks import whole_number
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
