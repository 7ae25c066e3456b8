"""Expected errors a day, from rates and numbers of attempts."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bertillon.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Forecast:
    """Expected false accepts and false rejects among so many attempts."""

    false_accepts: float
    false_rejects: float


def forecast(far: float, frr: float, *, genuine: float, impostor: float) -> Forecast:
    """Expected errors when `genuine` and `impostor` attempts are made at these rates.

    >>> forecast(0.01, 0.05, genuine=10, impostor=90)
    Forecast(false_accepts=0.9, false_rejects=0.5)
    """
    for name, attempts in (("genuine", genuine), ("impostor", impostor)):
        if not 0.0 <= attempts < math.inf:
            raise InputError(f"{name} attempts: {attempts}; expected a number, 0 or more")
    return Forecast(far * impostor, frr * genuine)
