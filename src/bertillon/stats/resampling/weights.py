"""How often each unit is taken in each resample: the weights that make a resample.

Conventions: one row a resample, one column a unit. Every row is drawn from a stream of its own, found from the seed
and the number of the resample, so that any rows can be drawn anywhere, in any order, on any number of threads, and are
the same. Units stand in ascending order of their ids, so two systems over the same people get the same weights.

    multinomial         as many units as there are, drawn with replacement
    double-or-nothing   a unit counts twice or not at all, by the toss of a coin
    leave-one-out       resample b leaves out unit b and nothing else (the jackknife); of many units a group of them
    signs               +1 or -1 by the toss of a coin; products of two signs vary by pair of units, not by unit

Holds `Draw` (which resamples, and how) and `weights_of`, with `SCHEMES`; `subject_weights`, the same by plain numbers;
`groups_left_out`; and `Purpose`, what random numbers are for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError

Weights = NDArray[np.int16]

MOST_GROUPS = 200
LEAVE_ONE_OUT, SIGNS = "leave-one-out", "signs"


class Purpose(IntEnum):
    """What random numbers are for; those of two purposes are independent."""

    UNITS = 0  # drawn with replacement
    COINS = 1  # of double or nothing
    SIGNS = 2
    SAMPLES = 3  # of a subject that was drawn
    MATED_ROWS = 4  # comparisons that belong to nobody
    NONMATED_ROWS = 5
    FAILURES = 6
    CELLS = 7  # of predictions


@dataclass(frozen=True, slots=True)
class Draw:
    """Some resamples of a seed by a scheme: the same draw gives the same weights anywhere."""

    resamples: range
    seed: int
    scheme: str = "multinomial"

    @property
    def at_random(self) -> bool:
        """Does chance decide who is taken?"""
        return self.scheme != LEAVE_ONE_OUT

    def single(self, resample: int) -> Draw:
        """The same of one resample alone."""
        return replace(self, resamples=range(resample, resample + 1))

    def streams(self, purpose: Purpose) -> Iterator[np.random.Generator]:
        """The random numbers of each resample, one after the other: each is spent before the next is asked for."""
        source = np.random.Philox(key=self.seed)
        drawn, state = np.random.Generator(source), source.state
        for resample in self.resamples:
            state["state"]["counter"][:] = (0, 0, resample, purpose)
            source.state = state
            yield drawn


def weights_of(n: int, draw: Draw) -> Weights:
    """The weights of n units: one row a resample.

    >>> weights_of(4, Draw(range(2), seed=1)).sum(axis=1).tolist()
    [4, 4]
    """
    if draw.scheme not in _DRAW:
        raise InputError(f"scheme of weights is {draw.scheme!r}; expected one of {', '.join(SCHEMES)}")
    weights = np.zeros((len(draw.resamples), n), dtype=np.int16)
    take, purpose = _DRAW[draw.scheme]
    for row, resample, drawn in zip(weights, draw.resamples, draw.streams(purpose), strict=True):
        row[:] = take(n, resample, drawn) if n else 0
    return weights


def subject_weights(n_subjects: int, resamples: int, *, seed: int, scheme: str = "multinomial") -> Weights:
    """The weights of so many resamples from the first on."""
    return weights_of(n_subjects, Draw(range(resamples), seed, scheme))


def groups_left_out(n: int) -> int:
    """How many resamples leave out one unit each, or one group of units where there are many."""
    return min(n, MOST_GROUPS)


def _multinomial(n: int, _: int, drawn: np.random.Generator) -> NDArray[np.int64]:
    return np.bincount(drawn.integers(n, size=n), minlength=n)


def _double_or_nothing(n: int, _: int, drawn: np.random.Generator) -> NDArray[np.int64]:
    return 2 * drawn.integers(2, size=n)


def _leave_one_out(n: int, resample: int, _: np.random.Generator) -> NDArray[np.int64]:
    return np.asarray(np.arange(n) % groups_left_out(n) != resample, dtype=np.int64)


def _signs(n: int, _: int, drawn: np.random.Generator) -> NDArray[np.int64]:
    return 2 * drawn.integers(2, size=n) - 1


_Take = Callable[[int, int, np.random.Generator], NDArray[np.int64]]
_DRAW: dict[str, tuple[_Take, Purpose]] = {
    "multinomial": (_multinomial, Purpose.UNITS),
    "double-or-nothing": (_double_or_nothing, Purpose.COINS),
    LEAVE_ONE_OUT: (_leave_one_out, Purpose.UNITS),
    SIGNS: (_signs, Purpose.SIGNS),
}
SCHEMES = tuple(_DRAW)
