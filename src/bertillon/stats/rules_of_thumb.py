"""Rules of thumb that say what so many trials can show.

    rule of 3    no error in n independent trials: the rate is below 3 / n with 95 % confidence (1.61 / n with 80 %)
    rule of 30   30 errors: the true rate is within 30 % of the one seen, with 90 % confidence (Doddington)

Conventions: the rule of 3 is a one-sided bound, the rule of 30 speaks of both sides. Both take trials as independent;
comparisons that share people show less. The numerator of the rule of 3 is -ln(1 - level), rounded up to two decimals.

Holds `needed_trials` and `too_few_trials`, the sentence for a rate that the trials cannot show.
"""

from __future__ import annotations

import math

from bertillon.core.errors import InputError
from bertillon.stats.interval import LEVEL
from bertillon.stats.proportion import check_level

RULE_OF_30 = 30
LEVEL_OF_30 = 0.9


def needed_trials(rate: float, level: float = LEVEL) -> int:
    """How many independent trials without an error show that the rate is no larger (rule of 3).

    >>> needed_trials(1e-6), needed_trials(1e-4, level=0.8)
    (3000000, 16100)
    """
    return math.ceil(round(_numerator(level) / check_rate(rate), 6))


def too_few_trials(
    rate: float, trials: int, *, name: str = "FMR", kind: str = "non-mated comparisons", level: float = LEVEL
) -> str | None:
    """What is missing to show the rate, or None where the trials suffice.

    >>> too_few_trials(1e-6, 120_000)
    'FMR 1e-6 needs at least 3,000,000 independent non-mated comparisons; you have 120,000'
    """
    needed = needed_trials(rate, level)
    if trials >= needed:
        return None
    return f"{name} {short_rate(rate)} needs at least {needed:,} independent {kind}; you have {trials:,}"


def short_rate(rate: float) -> str:
    """A rate in as few characters as say it.

    >>> short_rate(1e-6), short_rate(0.001), short_rate(2.5e-05)
    ('1e-6', '0.001', '2.5e-5')
    """
    mantissa, mark, exponent = f"{rate:g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if mark else mantissa


def check_rate(rate: float) -> float:
    """A rate that can be aimed at lies between 0 and 1."""
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0.0 < rate < 1.0:
        raise InputError(f"rate is {rate!r}; expected a number between 0 and 1, such as 1e-4")
    return float(rate)


def _numerator(level: float) -> float:
    return math.ceil(round(-100.0 * math.log1p(-check_level(level)), 9)) / 100.0
