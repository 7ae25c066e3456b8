"""How intervals are asked for: level, number of resamples, seed, method.

    auto                the default of each measure: a formula for proportions, subjects resampled for the rest
    percentile          subjects resampled, the middle of the resampled values
    bca                 the same, corrected for bias and skewness (Efron)
    double-or-nothing   each subject kept or left out by the toss of a coin, the middle of the values (Fogliato et al.)
    two-stage           subjects resampled, then the samples of each, the middle of the values (Poh et al.)

Holds `Settings` and the names of the methods, `METHODS`.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass

from bertillon.core.errors import InputError
from bertillon.stats.interval import LEVEL

METHODS = ("auto", "percentile", "bca", "double-or-nothing", "two-stage")
RESAMPLES = (20, 1_000_000)  # fewer say nothing of a tail


@dataclass(frozen=True, slots=True)
class Settings:
    """What an interval is made with; the same settings give the same interval on any machine.

    >>> Settings(level=0.9).tails
    (0.05, 0.95)
    """

    level: float = LEVEL
    resamples: int = 1000
    seed: int = 0
    method: str = METHODS[0]
    by_group: bool = False  # predictions: resample their groups, not sample by sample

    def __post_init__(self) -> None:
        if not 0.5 <= self.level < 1.0:
            raise InputError(f"level is {self.level!r}; expected a share from 0.5 to just below 1, such as 0.95")
        if not RESAMPLES[0] <= _whole(self.resamples, "resamples") <= RESAMPLES[1]:
            raise InputError(f"resamples is {self.resamples}; expected {RESAMPLES[0]} to {RESAMPLES[1]:,}")
        if not 0 <= _whole(self.seed, "seed") < 2**64:
            raise InputError(f"seed is {self.seed}; expected a whole number from 0 to 2**64 - 1")
        if self.method not in METHODS:
            raise InputError(f"method is {self.method!r}; expected one of {', '.join(METHODS)}")

    @property
    def tails(self) -> tuple[float, float]:
        """The shares of a distribution below the two ends."""
        out = (1.0 - self.level) / 2.0
        return round(out, 15), round(1.0 - out, 15)

    @property
    def scheme(self) -> str:
        """How subjects are weighted (see `weights`)."""
        return self.method if self.method in ("double-or-nothing", "two-stage") else "multinomial"


def _whole(value: object, name: str) -> int:
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{name} is {value!r}; expected a whole number") from None
