"""How much errors go together when scores do, and what that costs.

A score owes a share of its variance to the person (goats, lambs, wolves): two scores that share the person correlate by
that share. Errors, being scores past a threshold, correlate less, and the less the rarer they are. For normal scores

    correlation of errors = 1 - 2 T(h, sqrt((1 - r) / (1 + r))) / (p (1 - p)),    p = P(score > h)

with Owen's T function and r the correlation of scores. The variance of a rate over trials that share people is that of
independent trials times the design effect: 1 + the sum of a trial's correlations with the others, averaged over trials.

Holds `error_correlation` and `PersonSharing`, which counts the trials that share people.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bertillon.core.errors import InputError
from bertillon.stats.proportion import normal_quantile, proportion

MATED = 0.3  # of two mated scores of one person, where the data cannot say; the goats of simulated scores
NONMATED = 0.2  # of two non-mated scores that share one of their two people; their lambs and wolves


def error_correlation(rate: float, score_correlation: float) -> float:
    """The correlation of two errors, each of this rate, whose normal scores correlate so.

    >>> [round(error_correlation(rate, 0.3), 4) for rate in (0.1, 0.01, 0.0001)]
    [0.1291, 0.0461, 0.004]
    """
    if not 0.0 < rate < 1.0:
        return 0.0  # errors that never or always happen do not vary
    from scipy.special import owens_t

    height = normal_quantile(rate)
    slope = math.sqrt((1.0 - score_correlation) / (1.0 + score_correlation))
    return max(0.0, 1.0 - 2.0 * float(owens_t(height, slope)) / (rate * (1.0 - rate)))


def check_correlation(value: float, *, most: float) -> float:
    """A correlation of scores lies between 0 and what the model of scores allows."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= most:
        wanted = f"the share of a score's variance that belongs to a person, 0 to {most:g}"
        raise InputError(f"correlation is {value!r}; expected {wanted}")
    return float(value)


@dataclass(frozen=True, slots=True)
class PersonSharing:
    """How many trials there are, and how many ordered pairs of different trials share one person, or both people."""

    trials: int
    one_shared: int
    both_shared: int = 0

    def design_effect(self, rate: float, score_correlation: float) -> float:
        """How many times the variance of independent trials; 1 where no trials share people.

        >>> round(PersonSharing(trials=1000, one_shared=9000).design_effect(0.01, 0.3), 4)
        1.4148
        """
        first = error_correlation(rate, score_correlation) if self.one_shared else 0.0
        second = error_correlation(rate, min(2.0 * score_correlation, 1.0)) if self.both_shared else 0.0
        return 1.0 + (self.one_shared * first + self.both_shared * second) / self.trials

    def bound_without_errors(self, level: float, score_correlation: float, side: str = "both") -> tuple[float, float]:
        """What no error leaves possible: the rate, and how many independent trials stand behind it.

        The correlation of errors depends on the rate that is sought, so both are found together: from the rate of
        independent trials upwards until neither changes.
        """
        effective, before, high = float(self.trials), 0.0, proportion(0, self.trials, level=level, side=side).high
        while high > before * (1.0 + 1e-9):
            effective = self.trials / self.design_effect(high, score_correlation)
            before, high = high, proportion(0, effective, level=level, side=side).high
        return high, effective
