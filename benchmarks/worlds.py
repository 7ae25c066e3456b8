"""Simulated worlds in which intervals are tried: each draws tests of one size, and has a population that is the truth.

Conventions: the truth of a measure is its value on the population, which is as good as infinite: the quantiles of the
laws that scores are drawn from, or every probability as a positive and a negative with its weight, or very many
searches. So no measure needs a formula of its own. What the size of a test itself decides is not on a population:

    FM, FNM, TM, TNM   expected numbers: the population's rate times as many comparisons as the test has
    P@k, R@k, NDCG@k   without groups: the mean over many tests of this size
    ZeroFMR, ZeroFNMR  1 where scores have no end: infinitely many comparisons leave no other value
    ECE[debiased]      the ECE of the population, where chance adds nothing

Holds `World`, `Scores` and `People` (comparisons), `Searches`, `Classes`, `SeveralClasses` and `Queries` (predictions),
`AttackedSystem` and `AttackedDetector`, and `true_values`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri, softmax

import bertillon as bt
from bertillon.analysis import AttackFinding
from bertillon.measures import ATTACKS, MeasureSet, Result, measure_set_of
from bertillon.stats import Interval
from bertillon.trials import simulate_searches

FloatArray = NDArray[np.float64]
Answers = dict[str, tuple[Result, Interval | None]]

MANY = 1_000_000  # scores of each class in a population
MANY_SEARCHES = 400_000
MANY_SAMPLES = 200_000
MANY_TESTS = 4000  # for what depends on the size of a test
SEED = 19_795
NOTHING = 1e-12  # rounding of what is 0 in truth
NONE_MADE = "no interval is made of it"
RATES = {"FM": "FMR", "FNM": "FNMR", "TM": "TMR", "TNM": "TNMR"}  # that counts are of


class World(ABC):
    """Tests of one size, drawn from one truth."""

    mode: ClassVar[str]
    by_size: ClassVar[frozenset[str]] = frozenset()  # measures that depend on the size of a test
    limits: ClassVar[dict[str, float]] = {}  # what infinitely many trials tend to, where no population shows it

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Any:
        """One test."""

    @abstractmethod
    def population(self) -> Any:
        """As good as infinitely many trials."""

    @property
    def measure_set(self) -> MeasureSet:
        return measure_set_of(self.mode)

    def times(self, trials: Any, measure: str) -> float:
        """What the truth of a measure is multiplied by in one test: of a count the comparisons it is of."""
        match self.measure_set.parse(measure).spelling.name:
            case "FM" | "TNM":
                return float(trials.nonmated.size)
            case "FNM" | "TM":
                return float(trials.mated.size)
        return 1.0

    def answers(self, trials: Any, measures: Sequence[str], resamples: int = 0, seed: int = 0) -> Answers:
        """The value of each measure, and its interval where resamples are given."""
        found = bt.evaluate(trials, measures)
        if resamples:
            found = found.with_intervals(resamples=resamples, seed=seed)
        return {name: (found[name], found.intervals.get(name)) for name in found}


def true_values(world: World, measures: Sequence[str]) -> dict[str, float]:
    """The truth of each measure; of a count the rate, to be multiplied by `World.times`."""
    names = {name: world.measure_set.parse(name).spelling.name for name in measures}
    by_size = [name for name in measures if names[name] in world.by_size]
    rest = [name for name in measures if name not in by_size and names[name] not in world.limits]
    asked = {name: _asked(world, name) for name in rest}
    found = world.answers(world.population(), list(dict.fromkeys(asked.values())))
    truth = {name: found[asked[name]][0].value for name in rest}
    truth |= {name: world.limits[names[name]] for name in measures if names[name] in world.limits}
    if by_size:
        truth |= dict(zip(by_size, _means(world, by_size), strict=True))
    return {name: 0.0 if abs(truth[name]) < NOTHING else truth[name] for name in measures}


def _asked(world: World, name: str) -> str:
    """The measure whose value on the population is the truth of this one."""
    bare = name.split("@")[0]
    asked = name.replace(bare, RATES[bare], 1) if bare in RATES else name.replace("[debiased]", "")
    return str(world.measure_set.parse(asked))


def _means(world: World, measures: Sequence[str]) -> list[float]:
    rng = np.random.default_rng(SEED)
    values = []
    for _ in range(MANY_TESTS):
        found = world.answers(world.draw(rng), measures)
        values.append([found[name][0].value for name in measures])
    return [float(mean) for mean in np.nanmean(values, axis=0)]


def quantiles(number: int) -> FloatArray:
    """A standard normal law as so many numbers of the same weight."""
    places: FloatArray = ndtri((np.arange(number) + 0.5) / number)
    return places


@dataclass(frozen=True)
class Scores(World):
    """Independent comparisons, some of which fail; scores may be rounded to steps, so that most of them are equal."""

    mode = "verification"
    limits: ClassVar[dict[str, float]] = {"ZeroFMR": 1.0, "ZeroFNMR": 1.0}
    mated: int
    nonmated: int
    dprime: float = 3.0
    step: float = 0.0
    failing: float = 0.02
    enrolments: int = 500

    def draw(self, rng: np.random.Generator) -> bt.ScoreSet:
        scores = [self._stepped(rng.normal(mean, 1.0, n)) for mean, n in self._classes]
        for part in scores:
            part[rng.random(part.size) < self.failing] = np.nan
        lost = int(rng.binomial(self.enrolments, self.failing))
        return bt.ScoreSet(*scores, failures=bt.Failures(enrolments=lost, enrolment_attempts=self.enrolments))

    def population(self) -> bt.ScoreSet:
        lost = round(MANY * self.failing / (1.0 - self.failing))
        failures = bt.Failures(lost, lost, lost, MANY + lost)
        return bt.ScoreSet(*(self._stepped(quantiles(MANY) + mean) for mean, _ in self._classes), failures=failures)

    @property
    def _classes(self) -> tuple[tuple[float, int], ...]:
        return (self.dprime, self.mated), (0.0, self.nonmated)

    def _stepped(self, scores: FloatArray) -> FloatArray:
        return np.round(scores / self.step) * self.step if self.step else scores


@dataclass(frozen=True)
class People(World):
    """People who differ, compared with themselves and with each other; `known` says whether files tell who they are."""

    mode = "verification"
    limits: ClassVar[dict[str, float]] = Scores.limits
    subjects: int
    goat: float
    lamb: float
    wolf: float
    dprime: float = 3.0
    known: bool = True

    def draw(self, rng: np.random.Generator) -> bt.ScoreSet:
        nonmated = min(self.subjects * (self.subjects - 1), 20_000)
        sizes: dict[str, Any] = {"subjects": self.subjects, "mated": 10 * self.subjects, "nonmated": nonmated}
        shares: dict[str, Any] = {"goat": self.goat, "lamb": self.lamb, "wolf": self.wolf}
        scores = bt.simulate.scores("subjects", dprime=self.dprime, rng=rng, **sizes, **shares).scores
        return scores if self.known else bt.ScoreSet(scores.mated, scores.nonmated)

    def population(self) -> bt.ScoreSet:
        return bt.ScoreSet(quantiles(MANY) + self.dprime, quantiles(MANY))


@dataclass(frozen=True)
class Searches(World):
    """People in a gallery, and as many strangers, each searched for several times."""

    mode = "identification"
    subjects: int
    goat: float
    wolf: float
    dprime: float = 4.0
    gallery: int = 300
    probes: int = 4
    kept: int = 60  # candidates of a stranger's search

    def draw(self, rng: np.random.Generator) -> bt.SearchSet:
        return self._searches(rng, self.subjects, self.probes)

    def population(self) -> bt.SearchSet:
        rng = np.random.default_rng(SEED)
        parts = math.ceil(MANY_SEARCHES / (2 * self.gallery))
        return bt.SearchSet.join([self._searches(rng, self.gallery, 1) for _ in range(parts)])

    def _searches(self, rng: np.random.Generator, subjects: int, probes: int) -> bt.SearchSet:
        """Those of the library's simulation, and the candidates of strangers, which it does not keep."""
        who: dict[str, Any] = {"subjects": subjects, "probes": probes, "gallery": self.gallery, "dprime": self.dprime}
        enrolled = simulate_searches(strangers=0, goat=self.goat, wolf=self.wolf, rng=rng, **who).searches
        own = np.repeat(rng.standard_normal(subjects), probes)[:, None]
        scores = math.sqrt(self.wolf) * own + math.sqrt(1.0 - self.wolf) * rng.standard_normal((len(own), self.gallery))
        best = -np.sort(-np.partition(scores, -self.kept, axis=1)[:, -self.kept :], axis=1)
        nobody = np.full(len(own), -1)
        alone = bt.SearchSet(
            nobody > 0, np.nan * nobody, nobody, 0 * nobody, best[:, 0], best[:, 0], self.gallery, others=best
        )
        people = np.repeat(np.arange(2 * subjects), probes)
        precision = np.r_[1.0 / enrolled.ranks(), np.nan * nobody]  # of one template a person
        both = bt.SearchSet.join([replace(enrolled, others=best[:0], probe_subject=None), alone])
        return replace(both, probe_subject=people, average_precision=precision, notes=())


@dataclass(frozen=True)
class Classes(World):
    """Predictions of two classes: log-odds are normal, and positive is what sigmoid(slope z + shift) says."""

    mode = "classification"
    by_size: ClassVar[frozenset[str]] = frozenset({"P", "R", "NDCG"})
    samples: int
    slope: float = 1.0
    shift: float = 0.0

    def draw(self, rng: np.random.Generator) -> bt.Predictions:
        logits = rng.normal(-1.0, 1.5, self.samples)
        positive = rng.random(self.samples) < self._chance(logits)
        return bt.Predictions.from_probabilities(positive.astype(int), expit(logits))

    def population(self) -> bt.Predictions:
        logits = 1.5 * quantiles(MANY_SAMPLES) - 1.0
        chance = self._chance(logits)
        truth = np.repeat([1, 0], MANY_SAMPLES)
        return bt.Predictions.from_probabilities(truth, np.tile(expit(logits), 2), weights=np.r_[chance, 1.0 - chance])

    def _chance(self, logits: FloatArray) -> FloatArray:
        chance: FloatArray = expit(self.slope * logits + self.shift)
        return chance


@dataclass(frozen=True)
class SeveralClasses(World):
    """Calibrated predictions of four classes, some rarer than others."""

    mode = "classification"
    samples: int
    offsets: tuple[float, ...] = (0.0, -0.5, -0.5, -1.0)

    def draw(self, rng: np.random.Generator) -> bt.Predictions:
        chances = self._chances(rng, self.samples)
        truth = (chances.cumsum(axis=1) < rng.random((self.samples, 1))).sum(axis=1)
        return self._predictions(truth, chances)

    def population(self) -> bt.Predictions:
        chances, n = self._chances(np.random.default_rng(SEED), MANY_SAMPLES), len(self.offsets)
        truth = np.repeat(np.arange(n), MANY_SAMPLES)
        return self._predictions(truth, np.tile(chances, (n, 1)), chances.T.ravel())

    def _chances(self, rng: np.random.Generator, number: int) -> FloatArray:
        chances: FloatArray = softmax(rng.normal(self.offsets, 1.5, (number, len(self.offsets))), axis=1)
        return chances

    def _predictions(self, truth: Any, chances: FloatArray, weights: FloatArray | None = None) -> bt.Predictions:
        classes = list(range(len(self.offsets)))
        return bt.Predictions.from_probabilities(truth, chances, classes=classes, weights=weights)


@dataclass(frozen=True)
class Queries(World):
    """Predictions in groups of 20, each a query with a level of its own."""

    mode = "classification"
    queries: int
    size: int = 20

    def draw(self, rng: np.random.Generator) -> bt.Predictions:
        return self._predictions(rng, self.queries)

    def population(self) -> bt.Predictions:
        return self._predictions(np.random.default_rng(SEED), MANY_SAMPLES // self.size)

    def _predictions(self, rng: np.random.Generator, queries: int) -> bt.Predictions:
        logits = rng.normal(-1.0, 1.2, (queries, self.size)) + rng.normal(0.0, 0.9, (queries, 1))
        positive = rng.random(logits.shape) < expit(logits)
        groups = np.repeat(np.arange(queries), self.size)
        return bt.Predictions.from_probabilities(positive.ravel().astype(int), expit(logits).ravel(), groups=groups)


@dataclass(frozen=True)
class _Attacked(World):
    """Presentations of several species, each with a mean, and of genuine ones; some get no response."""

    mode = "attacks"
    species: tuple[float, ...]
    presentations: int  # of each species
    genuine: int
    silent: float = 0.03

    @property
    def measure_set(self) -> MeasureSet:
        return ATTACKS

    def _attacks(self, rng: np.random.Generator | None) -> dict[str, FloatArray]:
        return {
            f"species {n}": self._presented(rng, mean, self.presentations) for n, mean in enumerate(self.species, 1)
        }

    def _presented(self, rng: np.random.Generator | None, mean: float, number: int) -> FloatArray:
        """Scores of presentations, or without a generator those of the population."""
        if rng is None:
            return np.append(quantiles(MANY) + mean, np.full(round(MANY * self.silent / (1.0 - self.silent)), np.nan))
        scores: FloatArray = rng.normal(mean, 1.0, number)
        scores[rng.random(number) < self.silent] = np.nan
        return scores


@dataclass(frozen=True)
class AttackedSystem(_Attacked):
    """Attacks on a whole system."""

    nonmated: int = 10_000

    def draw(self, rng: np.random.Generator) -> tuple[bt.ScoreSet, dict[str, FloatArray]]:
        return bt.ScoreSet(rng.normal(3.0, 1.0, self.genuine), rng.normal(0.0, 1.0, self.nonmated)), self._attacks(rng)

    def population(self) -> tuple[bt.ScoreSet, dict[str, FloatArray]]:
        return bt.ScoreSet(quantiles(MANY) + 3.0, quantiles(MANY)), self._attacks(None)

    def answers(self, trials: Any, measures: Sequence[str], resamples: int = 0, seed: int = 0) -> Answers:
        found = bt.analysis.attack_rates(*trials, threshold=2.0), bt.analysis.attack_rates(*trials, fmr=0.001)
        made = _intervals(found[0], "t=2") | _intervals(found[1], "FMR=0.001")
        return {name: (found[0][name], made.get(name)) for name in measures}


@dataclass(frozen=True)
class AttackedDetector(_Attacked):
    """Attacks on a detector by itself."""

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, dict[str, FloatArray]]:
        return self._presented(rng, 3.0, self.genuine), self._attacks(rng)

    def population(self) -> tuple[FloatArray, dict[str, FloatArray]]:
        return self._presented(None, 3.0, self.genuine), self._attacks(None)

    def answers(self, trials: Any, measures: Sequence[str], resamples: int = 0, seed: int = 0) -> Answers:
        found = [bt.analysis.pad_rates(*trials, threshold=threshold) for threshold in (2.0, 0.5)]
        made = _intervals(found[0], "t=2") | _intervals(found[1], "t=0.5")
        return {name: (found[0][name], made.get(name)) for name in measures}


def _intervals(found: AttackFinding, at: str) -> dict[str, Interval | None]:
    """The intervals that a finding shows, by the spelling of what they are of."""
    made: dict[str, Interval | None] = {f"{found.measure}@{at}": found.worst.rate.interval}
    for rate in found.beside:
        place = "" if rate.threshold is None else f"@{at}" if rate.target is None else f"@APCER={rate.target:g}"
        made[f"{rate.name if not rate.target else 'BPCER'}{place}"] = rate.interval
    return made
