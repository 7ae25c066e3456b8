"""How often each unit is taken in each resample: the weights that make a resample.

Conventions: one row a resample, one column a unit. Every row is drawn from a stream of its own, found from the seed
and the number of the resample, so that any rows can be drawn anywhere, in any order, on any number of threads, and are
the same. Units stand in ascending order of their ids, so two systems over the same people get the same weights.

    multinomial         as many units as there are, drawn with replacement
    double-or-nothing   a unit counts twice or not at all, by the toss of a coin
    leave-one-out       resample b leaves out unit b and nothing else (the jackknife); of many units a group of them
    signs               +1 or -1 by the toss of a coin: what products of two of them have in common is no unit

Holds `subject_weights`, `weights_between` (some of the rows), `groups_left_out`, `stream`, `streams`
and `SCHEMES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from bertillon.errors import InputError

Weights = NDArray[np.int16]

MOST_GROUPS = 200


def stream(seed: int, resample: int, purpose: int = 0) -> np.random.Generator:
    """The random numbers of one resample; those of another purpose are independent of them."""
    return next(streams(seed, [resample], purpose))


def streams(seed: int, resamples: Iterable[int], purpose: int = 0) -> Iterator[np.random.Generator]:
    """The same for several, one after the other: each is spent before the next is asked for."""
    source = np.random.Philox(key=seed)
    drawn, state = np.random.Generator(source), source.state
    for resample in resamples:
        state["state"]["counter"][:] = (0, 0, resample, purpose)
        source.state = state
        yield drawn


def subject_weights(n_subjects: int, resamples: int, seed: int, scheme: str = "multinomial") -> Weights:
    """The weights of all resamples.

    >>> subject_weights(4, 2, seed=1).sum(axis=1).tolist()
    [4, 4]
    """
    return weights_between(0, resamples, n_subjects, seed, scheme)


def weights_between(first: int, last: int, n: int, seed: int, scheme: str = "multinomial") -> Weights:
    """The weights of n units in resamples first to last - 1."""
    if scheme not in _DRAW:
        raise InputError(f"scheme of weights is {scheme!r}; expected one of {', '.join(SCHEMES)}")
    weights = np.zeros((last - first, n), dtype=np.int16)
    draw, purpose = _DRAW[scheme]
    for row, resample, drawn in zip(
        weights, range(first, last), streams(seed, range(first, last), purpose), strict=True
    ):
        row[:] = draw(n, resample, drawn) if n else 0
    return weights


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


_Draw = Callable[[int, int, np.random.Generator], NDArray[np.int64]]
_DRAW: dict[str, tuple[_Draw, int]] = {  # each with a purpose of its own
    "multinomial": (_multinomial, 0),
    "double-or-nothing": (_double_or_nothing, 1),
    "leave-one-out": (_leave_one_out, 0),
    "signs": (_signs, 2),
}
SCHEMES = tuple(_DRAW)
