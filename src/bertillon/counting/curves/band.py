"""How sure a curve is: at each place of its grid the interval in which the true curve lies.

Conventions: `x` ascends, in the units of the curve's horizontal axis (FMR, FPIR, recall, rank, threshold); `low` and
`high` are in those of its vertical axis, as the figure shows it: FNMR for a DET, TMR for a ROC, which is the other's
`complement`. NaN stands where nothing is known. A pointwise band holds at each place by itself with the stated level, a
simultaneous one everywhere at once.

Holds `Band`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import FloatArray

Kind = Literal["pointwise", "simultaneous"]
KINDS = ("pointwise", "simultaneous")


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Lower and upper ends on a grid, their level, and what the level is about."""

    x: FloatArray
    low: FloatArray
    high: FloatArray
    level: float = 0.95
    kind: Kind = "pointwise"

    def __init__(
        self, x: ArrayLike, low: ArrayLike, high: ArrayLike, *, level: float = 0.95, kind: Kind = "pointwise"
    ) -> None:
        columns = {name: _column(values, name) for name, values in (("x", x), ("low", low), ("high", high))}
        _check(**columns, level=level, kind=kind)
        for name, value in {**columns, "level": level, "kind": kind}.items():
            object.__setattr__(self, name, value)  # the way a frozen dataclass is filled

    @property
    def complement(self) -> Band:
        """The band of one less the rate: that of the TMR from that of the FNMR.

        >>> Band([0.1, 0.2], [0.25, 0.0], [0.5, 0.25]).complement.high.tolist()
        [0.75, 1.0]
        """
        return replace(self, low=1.0 - self.high, high=1.0 - self.low)

    @property
    def name(self) -> Message:
        """What the band is, in a few words.

        >>> str(Band([0], [0], [1]).name)
        '95 % band, pointwise'
        """
        return say("band.pointwise" if self.kind == "pointwise" else "band.simultaneous", level=self.level)


def _column(values: ArrayLike, name: str) -> FloatArray:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise InputError(f"band: {name} has shape {column.shape}; expected one dimension")
    return column


def _check(*, x: FloatArray, low: FloatArray, high: FloatArray, level: float, kind: str) -> None:
    if not x.size == low.size == high.size:
        sizes = f"{x.size:,} places, {low.size:,} lower and {high.size:,} upper ends"
        raise InputError(f"band: {sizes}; expected as many of each")
    if np.isnan(x).any() or (np.diff(x) < 0.0).any():
        raise InputError("band: x is not in ascending order; sort the places, with their ends")
    if (low > high).any():
        at = x[np.argmax(low > high)]
        raise InputError(f"band: at {at:g} the lower end is above the upper one; were low and high exchanged?")
    if not 0.0 < level < 1.0:
        raise InputError(f"band: level is {level!r}; expected a number between 0 and 1, such as 0.95")
    if kind not in KINDS:
        raise InputError(f"band: kind is {kind!r}; expected {' or '.join(KINDS)}")
