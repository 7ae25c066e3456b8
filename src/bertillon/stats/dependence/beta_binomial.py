"""The beta-binomial model of repeated attempts: every subject has an error rate of its own (Schuckers 2003).

    variance   p (1 - p) (1 + (m - 1) rho) / (n m)      n subjects of m attempts each
    n_eff      n m / (1 + (m - 1) rho)

with rho the correlation of two errors of one subject. Where numbers of attempts differ, m is the mean attempts of the
subject of an attempt, sum m^2 / sum m, which makes the variance exact. rho is estimated by moments, from the mean
squares between and within subjects (analysis of variance), and kept between 0 and 1.

Conventions: without an error, or without a success, rho cannot be estimated; the interval is then the exact one for one
trial a subject, which holds whatever rho is.

Holds `beta_binomial` (from data) and its `BetaBinomial`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.measures.base import NO_TRIALS
from bertillon.stats.dependence.shared_people import IntArray, counts_of_subjects
from bertillon.stats.interval import LEVEL, NO_ERROR, ONLY_ERRORS, Interval
from bertillon.stats.proportion import normal_quantile, proportion, tail_of


@dataclass(frozen=True, slots=True)
class BetaBinomial:
    """A rate, the correlation of two errors of one subject, and the number of attempts.

    >>> model = BetaBinomial(rate=0.02, correlation=0.1, subjects=100, trials=1000, attempts=10)
    >>> round(model.variance, 9), round(model.effective_trials, 3)
    (3.724e-05, 526.316)
    """

    rate: float
    correlation: float  # of errors; NaN where nothing can be said of it
    subjects: int
    trials: int
    attempts: float  # of a subject, averaged over attempts

    @property
    def variance(self) -> float:
        """Of the rate."""
        return self.rate * (1.0 - self.rate) / self.effective_trials

    @property
    def effective_trials(self) -> float:
        """How many independent trials would be as uncertain."""
        if math.isnan(self.correlation):
            return float(self.subjects)
        return self.trials / (1.0 + (self.attempts - 1.0) * self.correlation)

    def wilson(self, level: float = LEVEL, side: str = "both") -> Interval:
        """Wilson's interval with the effective number of trials."""
        if not 0.0 < self.rate < 1.0:
            return self._bound(level, side)
        trials = self.effective_trials
        found = proportion(self.rate * trials, trials, level=level, method="wilson", side=side)
        return Interval(found.low, found.high, level, say("method.wilson_beta_binomial"))

    def logit(self, level: float = LEVEL, side: str = "both") -> Interval:
        """The interval that is symmetric on the scale of log odds."""
        if not 0.0 < self.rate < 1.0:
            return self._bound(level, side)
        half = normal_quantile(tail_of(level, side)) * math.sqrt(self.variance) / (self.rate * (1.0 - self.rate))
        middle = math.log(self.rate / (1.0 - self.rate))
        low = 0.0 if side == "upper" else _from_log_odds(middle - half)
        high = 1.0 if side == "lower" else _from_log_odds(middle + half)
        return Interval(low, high, level, say("method.log_odds_beta_binomial"))

    def _bound(self, level: float, side: str) -> Interval:
        if math.isnan(self.rate):
            return Interval.undefined(NO_TRIALS, level)
        seen = ONLY_ERRORS if self.rate else NO_ERROR
        found = proportion(self.rate * self.subjects, self.subjects, level=level, side=side)
        return Interval(found.low, found.high, level, say("method.exact_subjects"), reason=seen)


def beta_binomial(errors: ArrayLike, trials: ArrayLike, *, correlation: float | None = None) -> BetaBinomial:
    """The model of the errors and trials of each subject; `correlation` is estimated unless it is known.

    >>> round(beta_binomial([3, 0, 0, 1], [3, 3, 3, 3]).correlation, 4)
    0.7
    """
    wrong, done = counts_of_subjects(errors, trials)
    total = int(done.sum())
    if not total:
        return BetaBinomial(math.nan, math.nan, 0, 0, math.nan)
    if correlation is not None and not 0.0 <= correlation <= 1.0:
        raise InputError(f"correlation is {correlation!r}; expected that of two errors of one subject, 0 to 1")
    rate = int(wrong.sum()) / total
    found = _correlation(wrong, done, rate) if correlation is None else float(correlation)
    return BetaBinomial(rate, found, int(done.size), total, int((done * done).sum()) / total)


def _correlation(wrong: IntArray, done: IntArray, rate: float) -> float:
    """Between and within mean squares: (B - W) / (B + (m - 1) W)."""
    subjects, total = done.size, int(done.sum())
    if not 0.0 < rate < 1.0 or subjects < 2 or total == subjects:
        return math.nan
    between = float(((wrong - done * rate) ** 2 / done).sum()) / (subjects - 1)
    within = float((wrong * (done - wrong) / done).sum()) / (total - subjects)
    attempts = (total - float((done * done).sum()) / total) / (subjects - 1)
    return min(max((between - within) / (between + (attempts - 1.0) * within), 0.0), 1.0)


def _from_log_odds(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))
