"""Scores drawn from a known truth, to try measures and intervals on.

Conventions: the models and their laws speak of similarities. Under a distance rule the scores are mirrored (negated, or
taken from 1 where they live in [0, 1]), and the thresholds of the truth with them, so that every threshold is in the
user's units. The same seed gives the same scores under either rule.

    binormal    two normal distributions, `dprime` apart or with the means and standard deviations given
    beta        two beta distributions in [0, 1]
    subjects    normal again, but the comparisons of one person go together: goats, lambs and wolves

Holds `simulate` with its `Simulation`: the scores, and the `Truth` behind them, the error rates of infinitely many
comparisons, made of two `ScoreDistribution`s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.matching.protocol.checks import draw_from, whole_number
from bertillon.trials.score_set import ScoreSet, TrialIds

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


class Simulation(NamedTuple):
    """Scores, and the truth they were drawn from."""

    scores: ScoreSet
    truth: Truth


class _Draw(NamedTuple):
    """Similarities of both classes, and who was compared where the model knows."""

    mated: NDArray[np.float64]
    nonmated: NDArray[np.float64]
    mated_ids: TrialIds | None = None
    nonmated_ids: TrialIds | None = None


@dataclass(frozen=True)
class _Binormal:
    """Two normal distributions; `dprime` places the mated mean where `mated_mean` does not."""

    mirror = 0.0  # not a field
    dprime: float | None = None
    mated_mean: float | None = None
    mated_sd: float = 1.0
    nonmated_mean: float = 0.0
    nonmated_sd: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, "mated_sd", "nonmated_sd")
        if self.dprime is not None and self.mated_mean is not None:
            raise InputError("binormal: dprime and mated_mean both place the mated scores; expected one of them")

    @property
    def laws(self) -> tuple[ScoreDistribution, ScoreDistribution]:
        mean = self.mated_mean
        if mean is None:
            spread = math.sqrt((self.mated_sd**2 + self.nonmated_sd**2) / 2)
            mean = self.nonmated_mean + (2.0 if self.dprime is None else self.dprime) * spread
        return ScoreDistribution("norm", mean, self.mated_sd), ScoreDistribution(
            "norm", self.nonmated_mean, self.nonmated_sd
        )

    def draw(self, rng: np.random.Generator, mated: int, nonmated: int) -> _Draw:
        genuine, impostor = self.laws
        return _Draw(
            rng.normal(genuine.first, genuine.second, mated), rng.normal(impostor.first, impostor.second, nonmated)
        )


@dataclass(frozen=True)
class _Beta:
    """Two beta distributions in [0, 1]."""

    mirror = 1.0  # not a field
    mated_a: float = 8.0
    mated_b: float = 2.0
    nonmated_a: float = 2.0
    nonmated_b: float = 8.0

    def __post_init__(self) -> None:
        _positive(self, *(f.name for f in fields(self)))

    @property
    def laws(self) -> tuple[ScoreDistribution, ScoreDistribution]:
        return ScoreDistribution("beta", self.mated_a, self.mated_b), ScoreDistribution(
            "beta", self.nonmated_a, self.nonmated_b
        )

    def draw(self, rng: np.random.Generator, mated: int, nonmated: int) -> _Draw:
        return _Draw(rng.beta(self.mated_a, self.mated_b, mated), rng.beta(self.nonmated_a, self.nonmated_b, nonmated))


@dataclass(frozen=True)
class _Subjects:
    """People who differ: a score is a sum of standard normal effects, weighted so that its variance is 1.

    mated       dprime - sqrt(goat) G[s] + sqrt(1 - goat) e                    of a subject s with itself
    non-mated   sqrt(lamb) L[r] + sqrt(wolf) W[p] + sqrt(1 - lamb - wolf) e    of a probe p with a reference r
    """

    mirror = 0.0  # not a field
    subjects: float = 100
    dprime: float = 2.0
    goat: float = 0.3
    lamb: float = 0.2
    wolf: float = 0.2

    def __post_init__(self) -> None:
        if self.subjects != int(self.subjects) or self.subjects < 2:
            raise InputError(f"subjects: subjects is {self.subjects:g}; expected a whole number, 2 or more")
        for name in ("goat", "lamb", "wolf"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"subjects: {name} is {getattr(self, name):g}; expected a share of variance, 0 to 1")
        if self.lamb + self.wolf > 1.0:
            raise InputError(f"subjects: lamb + wolf is {self.lamb + self.wolf:g}; expected at most 1 together")

    @property
    def laws(self) -> tuple[ScoreDistribution, ScoreDistribution]:
        return ScoreDistribution("norm", self.dprime, 1.0), ScoreDistribution("norm", 0.0, 1.0)

    def draw(self, rng: np.random.Generator, mated: int, nonmated: int) -> _Draw:
        number = int(self.subjects)
        goat, lamb, wolf = rng.standard_normal((3, number))
        own = np.arange(mated) % number  # as many comparisons of each subject as of any other
        probe = rng.integers(number, size=nonmated)
        reference = (probe + rng.integers(1, number, size=nonmated)) % number  # anyone else, equally likely
        return _Draw(
            self.dprime - _weigh(goat[own], self.goat) + _weigh(rng.standard_normal(mated), 1.0 - self.goat),
            _weigh(lamb[reference], self.lamb)
            + _weigh(wolf[probe], self.wolf)
            + _weigh(rng.standard_normal(nonmated), max(1.0 - self.lamb - self.wolf, 0.0)),
            TrialIds(probe_subject=own, reference_subject=own),
            TrialIds(probe_subject=probe, reference_subject=reference),
        )


_Model = _Binormal | _Beta | _Subjects
_MODELS: Mapping[str, type[_Model]] = {"binormal": _Binormal, "beta": _Beta, "subjects": _Subjects}
KINDS = tuple(_MODELS)


def simulate(
    kind: str = "binormal",
    *,
    mated: int = 1000,
    nonmated: int = 10_000,
    rng: int | np.random.Generator | None = None,
    rule: AcceptRule | str = AcceptRule.SIMILARITY,
    name: str = "",
    **parameters: float,
) -> Simulation:
    """Scores with a known truth.

    Parameters of `binormal`: dprime (2), or mated_mean, and mated_sd (1), nonmated_mean (0), nonmated_sd (1).
    Of `beta`: mated_a (8), mated_b (2), nonmated_a (2), nonmated_b (8).
    Of `subjects`: subjects (100), dprime (2) and three shares of the variance: goat (0.3), by which a subject's mated
    scores lie lower together; lamb (0.2), by which its non-mated scores as a reference lie higher together; wolf
    (0.2), the same as a probe. The scores stay normal with variance 1, so the truth is that of two normal laws.

    Parameters
    ----------
    kind
        "binormal", "beta" or "subjects".
    mated, nonmated
        How many scores of each.
    rng
        A seed or a generator.
    rule
        "similarity" or "distance".
    name
        What the system is called.
    **parameters
        Those of the kind, as said above.

    Returns
    -------
    Simulation
        The scores, and the truth they were drawn from.

    Examples
    --------
    >>> scores, truth = simulate("subjects", subjects=50, mated=500, nonmated=5000, rng=7)
    >>> scores.nonmated_ids.probe_subject.size, round(truth.dprime(), 9)
    (5000, 2.0)
    """
    model = _model(kind, parameters)
    direction = AcceptRule.of(rule)
    hint = "how many scores to draw, a whole number of 0 or more"
    sizes = (whole_number(n, what, least=0, hint=hint) for n, what in ((mated, "mated"), (nonmated, "nonmated")))
    draw = model.draw(draw_from(rng).generator, *sizes)
    distance = direction is AcceptRule.DISTANCE
    stated = {field.name: getattr(model, field.name) for field in fields(model)}
    written = ", ".join(f"{key}={value:g}" for key, value in stated.items() if value is not None)
    scores = ScoreSet(
        model.mirror - draw.mated if distance else draw.mated,
        model.mirror - draw.nonmated if distance else draw.nonmated,
        rule=direction,
        mated_ids=draw.mated_ids,
        nonmated_ids=draw.nonmated_ids,
        name=name,
        notes=[say("reading.simulated", model=f"{kind}({written})")],
    )
    return Simulation(scores, Truth(*model.laws, rule=direction, mirror=model.mirror))


def _model(kind: str, parameters: Mapping[str, float]) -> _Model:
    if kind not in _MODELS:
        raise InputError(f"kind of simulation is {kind!r}; expected one of {', '.join(KINDS)}")
    known = [field.name for field in fields(_MODELS[kind])]
    for key, value in parameters.items():
        if key not in known:
            raise InputError(f"{kind}: parameter {key!r} is not known; expected {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
            raise InputError(f"{kind}: {key} is {value!r}; expected a finite number")
    return _MODELS[kind](**parameters)


def _weigh(effect: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """A standard normal effect scaled to a share of the variance."""
    return math.sqrt(share) * effect


def _positive(model: _Binormal | _Beta, *names: str) -> None:
    for name in names:
        if not getattr(model, name) > 0.0:
            raise InputError(f"{name} is {getattr(model, name):g}; expected a number above 0")
