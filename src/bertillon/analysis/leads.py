"""Which of two verification systems is better, and at which false match rate.

Conventions: a system's FNMR at FMR = x is the lowest FNMR among its thresholds with FMR at most x: a step function of
x. Systems are compared where either steps; between two steps nothing changes. FNMRs are compared in whole numbers, so
equal is equal. A system dominates another when it is nowhere worse and somewhere better.

Holds `compare_curves` (two systems), `Comparison` with its `Lead`s and `LeadChange`s, and `ranking_at` (any number).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.counting.curves.error_curve import ErrorCurve


@dataclass(frozen=True, slots=True)
class Lead:
    """From FMR `low` until `high`, where the next lead begins, this system has the lower FNMR; None: both are equal."""

    low: float
    high: float
    leader: str | None


@dataclass(frozen=True, slots=True)
class LeadChange:
    """The lead changes: `before` is better up to FMR `low`, `after` from FMR `high` on, and between they are equal."""

    low: float
    high: float
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems over all false match rates, from 0 to 1."""

    first: str
    second: str
    leads: tuple[Lead, ...]

    @property
    def dominant(self) -> str | None:
        """The system that is nowhere worse and somewhere better."""
        leaders = {lead.leader for lead in self.leads} - {None}
        return next(iter(leaders)) if len(leaders) == 1 else None

    @property
    def is_tied(self) -> bool:
        """Are both the same everywhere?"""
        return all(lead.leader is None for lead in self.leads)

    @property
    def crossings(self) -> tuple[LeadChange, ...]:
        """Where the lead changes hands, from low to high FMR."""
        led = [lead for lead in self.leads if lead.leader is not None]
        return tuple(
            LeadChange(before.high, after.low, str(before.leader), str(after.leader))
            for before, after in pairwise(led)
            if before.leader != after.leader
        )

    def better_at(self, fmr: float) -> str | None:
        """The system with the lower FNMR at FMR = fmr; None where both are equal."""
        _check_rate(fmr)
        return next(lead.leader for lead in reversed(self.leads) if lead.low <= fmr)


def compare_curves(curves: Mapping[str, ErrorCurve]) -> list[Comparison]:
    """Every pair of systems compared, in the order given.

    >>> import bertillon as bt
    >>> a, b = bt.ScoreSet([2, 3, 4], [0, 1, 2, 5]), bt.ScoreSet([1, 5, 6], [0, 1, 2, 4])
    >>> [found] = compare_curves({"a": bt.counting.error_curve(a), "b": bt.counting.error_curve(b)})
    >>> found.leads[:2]
    (Lead(low=0.0, high=0.25, leader='b'), Lead(low=0.25, high=0.5, leader=None))
    >>> found.crossings
    (LeadChange(low=0.25, high=0.5, before='b', after='a'),)
    """
    for name, curve in curves.items():
        if not curve.counts.n_mated or not curve.counts.n_nonmated:
            raise InputError(f"{name}: comparing systems needs mated and non-mated scores of each; one kind is missing")
    if len(curves) < 2:
        raise InputError(f"{len(curves)} system to compare; expected two or more")
    return [_compare(first, second, curves) for first, second in combinations(curves, 2)]


def ranking_at(curves: Mapping[str, ErrorCurve], fmr: float) -> list[tuple[str, float]]:
    """The systems with their FNMR at FMR = fmr, best first; equals stay in the order given."""
    _check_rate(fmr)
    rates = {name: float(_missed(curve, np.array([fmr]))[0] / curve.counts.n_mated) for name, curve in curves.items()}
    return sorted(rates.items(), key=lambda item: item[1])


def _compare(first: str, second: str, curves: Mapping[str, ErrorCurve]) -> Comparison:
    first_curve, second_curve = curves[first], curves[second]
    steps = np.unique(np.concatenate([[0.0], first_curve.fmr, second_curve.fmr]))
    missed_first = _missed(first_curve, steps) * second_curve.counts.n_mated
    missed_second = _missed(second_curve, steps) * first_curve.counts.n_mated
    sign = np.sign(missed_second - missed_first)
    starts = np.flatnonzero(np.concatenate([[True], np.diff(sign) != 0]))
    ends = np.append(steps[starts[1:]], 1.0)
    names = {1: first, -1: second, 0: None}
    leads = [Lead(float(steps[i]), float(end), names[int(sign[i])]) for i, end in zip(starts, ends, strict=True)]
    return Comparison(first, second, tuple(leads))


def _missed(curve: ErrorCurve, fmr: NDArray[np.float64]) -> NDArray[np.int64]:
    """The fewest false non-matches among thresholds with at most these false match rates."""
    falling = curve.fmr[::-1]  # now ascending
    row = len(curve) - np.searchsorted(falling, fmr, side="right")
    return curve.counts.false_nonmatch[np.minimum(row, len(curve) - 1)]


def _check_rate(fmr: float) -> None:
    if not 0.0 <= fmr <= 1.0:
        raise InputError(f"FMR is {fmr}; expected a rate from 0 to 1")
