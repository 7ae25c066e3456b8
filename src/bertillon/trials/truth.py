"""What is true of simulated scores: the error rates of infinitely many comparisons.

Conventions: a law speaks of similarities. Under a distance rule a threshold is mirrored (negated, or taken from 1 where
scores live in [0, 1]) before it meets the laws, so that every threshold here is in the user's units.

Holds `Truth`, made of two `ScoreDistribution`s, and `EqualError`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule

_TAIL = 1e-15  # the truth is searched where either class has more than this left


@dataclass(frozen=True, slots=True)
class ScoreDistribution:
    """A distribution of similarities: "norm" with its mean and standard deviation, or "beta" with its a and b."""

    family: str
    first: float
    second: float

    @property
    def distribution(self) -> Any:
        """The same as a frozen scipy distribution."""
        from scipy import stats

        return getattr(stats, self.family)(self.first, self.second)

    def below(self, score: float) -> float:
        """P(similarity < score)."""
        return float(self.distribution.cdf(score))

    def above(self, score: float) -> float:
        """P(similarity >= score)."""
        return float(self.distribution.sf(score))

    def exceeded_by(self, share: float) -> float:
        """The similarity that so large a share reaches."""
        return float(self.distribution.isf(share))

    @property
    def mean(self) -> float:
        return float(self.distribution.mean())

    @property
    def variance(self) -> float:
        return float(self.distribution.var())


class EqualError(NamedTuple):
    """The rate at which both errors are equal, and where."""

    value: float
    threshold: float


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of the scores: error rates without sampling error, thresholds in the user's units.

    >>> truth = Truth(ScoreDistribution("norm", 2.0, 1.0), ScoreDistribution("norm", 0.0, 1.0))
    >>> round(truth.eer().value, 7), round(truth.auc(), 7), round(truth.fnmr_at_fmr(0.001), 7)
    (0.1586553, 0.9213504, 0.8621946)
    """

    mated: ScoreDistribution
    nonmated: ScoreDistribution
    rule: AcceptRule = AcceptRule.SIMILARITY
    mirror: float = 0.0  # under a distance rule, distance = mirror - similarity

    def fmr(self, threshold: float) -> float:
        """False match rate at a threshold."""
        return self.nonmated.above(self._flip(threshold))

    def fnmr(self, threshold: float) -> float:
        """False non-match rate at a threshold."""
        return self.mated.below(self._flip(threshold))

    def eer(self) -> EqualError:
        """The equal error rate and its threshold."""
        from scipy.optimize import brentq

        ends = [law.exceeded_by(share) for law in (self.mated, self.nonmated) for share in (_TAIL, 1.0 - _TAIL)]
        low, high = min(ends), max(ends)
        similarity = float(
            brentq(lambda s: self.mated.below(s) - self.nonmated.above(s), low, high, xtol=1e-14 * (high - low))
        )
        value = (self.mated.below(similarity) + self.nonmated.above(similarity)) / 2
        return EqualError(value, self._flip(similarity))

    def threshold_at_fmr(self, fmr: float) -> float:
        """The threshold whose false match rate is just that."""
        if not 0.0 <= fmr <= 1.0:
            raise InputError(f"FMR is {fmr}; expected a rate from 0 to 1")
        return self._flip(self.nonmated.exceeded_by(fmr))

    def fnmr_at_fmr(self, fmr: float) -> float:
        """False non-match rate where the false match rate is just that."""
        return self.fnmr(self.threshold_at_fmr(fmr))

    def auc(self) -> float:
        """P(mated more alike than non-mated); closed for two normal laws, else integrated."""
        if self.mated.family == self.nonmated.family == "norm":
            return ScoreDistribution("norm", 0.0, 1.0).below(self.dprime_sum())
        from scipy.integrate import quad

        mated, nonmated = self.mated.distribution, self.nonmated.distribution
        return float(quad(lambda share: nonmated.cdf(mated.ppf(share)), 0.0, 1.0, epsabs=1e-11, limit=200)[0])

    def dprime(self) -> float:
        """(mean G - mean I) / sqrt((var G + var I) / 2), Daugman's form."""
        return math.sqrt(2.0) * self.dprime_sum()

    def dprime_sum(self) -> float:
        """(mean G - mean I) / sqrt(var G + var I), the form without the half."""
        return (self.mated.mean - self.nonmated.mean) / math.sqrt(self.mated.variance + self.nonmated.variance)

    def _flip(self, score: float) -> float:
        """From the user's units to similarities, or back: a mirror is its own inverse."""
        return score if self.rule is AcceptRule.SIMILARITY else self.mirror - score + 0.0
