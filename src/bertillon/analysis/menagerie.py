"""Who causes the errors: goats, lambs and wolves, and the menagerie of people who are extreme in two ways at once.

Doddington's animals, each by one mean score of a person, in words for a similarity:

    goat        low with oneself: hard to recognise
    lamb        high as the target of others: easy to imitate
    wolf        high as the one who tries: good at imitating others

Yager and Dunstone's, by the mean with oneself and the mean with others (on either side of the comparison), each in the
quarter of the people who are lowest or highest:

                       low with others     high with others
    high with oneself  dove                chameleon
    low with oneself   phantom             worm

Conventions: for a distance low and high change places, since a small distance is much alikeness; means stay in the
user's units. People whose equal means straddle the edge of a group belong to none. Groups are by rank, so there are
always goats, lambs and wolves: whether people differ at all is what the test of Kruskal and Wallis says, and whether a
corner of the menagerie holds more people than chance puts there is an exact (hypergeometric) test, given how many are
low and high. The published test, one person in sixteen in each corner (binomial), is given beside the exact one.

Of a non-mated comparison the reference (the column of a matrix) is the target and the probe (its row) the attacker. A
person without such comparisons has no mean. Errors are those at a threshold, where one is given.

Holds `menagerie` (of an evaluation `menagerie_of`), `Menagerie`, `Corner` and `Spread`; and what each person's
comparisons gave: `subject_scores`, `SubjectScores` and its parts, each a `ComparisonSums`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import AcceptRule, InputError, Message, record, say
from bertillon.core.lazy import pl
from bertillon.core.showing import Finding
from bertillon.counting.keys import codes_of
from bertillon.evaluation import ScoreEvaluation, eer_threshold, kept_scores
from bertillon.stats.comparing import holm
from bertillon.trials.score_set import ScoreSet, TrialIds

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonSums:
    """Comparisons of one kind, person by person: how many, the sum of their scores, and how many are errors."""

    comparisons: IntArray
    total: FloatArray
    errors: IntArray | None = None  # None without a threshold

    @property
    def mean(self) -> FloatArray:
        """The mean score; NaN where there is none."""
        return np.where(self.comparisons > 0, self.total / np.maximum(self.comparisons, 1), np.nan)

    @property
    def rate(self) -> FloatArray:
        """The share of errors; NaN without comparisons or without a threshold."""
        if self.errors is None:
            return np.full(self.comparisons.size, np.nan)
        return np.where(self.comparisons > 0, self.errors / np.maximum(self.comparisons, 1), np.nan)

    def __add__(self, other: ComparisonSums) -> ComparisonSums:
        both = None if self.errors is None or other.errors is None else self.errors + other.errors
        return ComparisonSums(self.comparisons + other.comparisons, self.total + other.total, both)


@dataclass(frozen=True, slots=True, eq=False)
class SubjectScores:
    """Every person of a test, in ascending order of the ids, and what their comparisons gave."""

    subject: NDArray[Any]
    genuine: ComparisonSums
    target: ComparisonSums
    attacker: ComparisonSums
    owner: IntArray  # whose each mated comparison is, by the place in `subject`
    met: IntArray  # likewise the reference of each non-mated comparison
    tried: IntArray  # and its probe
    rule: AcceptRule
    threshold: float | None = None
    name: str = ""

    def __len__(self) -> int:
        return int(self.subject.size)

    @property
    def impostor(self) -> ComparisonSums:
        """Non-mated comparisons on either side."""
        return self.target + self.attacker

    def to_frame(self) -> pl.DataFrame:
        """One row a person."""
        columns: dict[str, Any] = {"subject": self.subject.astype(str)}
        for name in ("genuine", "target", "attacker", "impostor"):
            tries: ComparisonSums = getattr(self, name)
            columns |= {f"{name}_mean": tries.mean, f"{name}_comparisons": tries.comparisons}
        if self.threshold is not None:
            columns |= {"fnmr": self.genuine.rate, "fmr_target": self.target.rate, "fmr_attacker": self.attacker.rate}
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))


def subject_scores(scores: ScoreSet, threshold: float | None = None) -> SubjectScores:
    """What each person's comparisons gave; the ids of the people must be known.

    >>> own, others = np.array(["a", "b"]), np.array(["b", "a"])
    >>> ids = TrialIds(own, own), TrialIds(own, others)
    >>> found = subject_scores(ScoreSet([0.9, 0.6], [0.3, 0.1], mated_ids=ids[0], nonmated_ids=ids[1]))
    >>> found.genuine.mean.tolist(), found.target.mean.tolist(), found.attacker.mean.tolist()
    ([0.9, 0.6], [0.1, 0.3], [0.3, 0.1])
    """
    if threshold is not None and np.isnan(threshold):
        raise InputError("threshold is nan; expected a number")
    own, again = _subjects(scores, "mated")
    probe, reference = _subjects(scores, "non-mated")
    numbered = codes_of([own, again, probe, reference])
    if numbered is None:
        raise InputError("some comparison has no id of a person; behaviour by person needs everyone's: fill them in")
    owner, twin, tried, met = numbered.codes
    if (owner != twin).any():
        row = int((owner != twin).argmax())
        raise InputError(
            f"mated comparison {row + 1:,} is of two people, {own[row]} and {again[row]}; "
            "expected one: check the labels and the ids"
        )

    def tries(values: NDArray[Any], who: NDArray[Any], wrong: NDArray[np.bool_] | None) -> ComparisonSums:
        n = numbered.n
        errors = None if wrong is None else np.bincount(who[wrong], minlength=n)
        total: Any = np.bincount(who, weights=values, minlength=n)
        return ComparisonSums(np.bincount(who, minlength=n), total, errors)

    rejected = None if threshold is None else ~scores.rule.accepts(scores.mated, threshold)
    accepted = None if threshold is None else scores.rule.accepts(scores.nonmated, threshold)
    return SubjectScores(
        numbered.ids,
        tries(scores.mated, owner, rejected),
        tries(scores.nonmated, met, accepted),
        tries(scores.nonmated, tried, accepted),
        owner,
        met,
        tried,
        scores.rule,
        threshold,
        scores.name,
    )


def _subjects(scores: ScoreSet, kind: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Who was compared, by both sides; of mated comparisons one side is enough."""
    ids = (scores.mated_ids if kind == "mated" else scores.nonmated_ids) or TrialIds()
    known = [np.asarray(side) for side in (ids.probe_subject, ids.reference_subject) if side is not None]
    if len(known) < (1 if kind == "mated" else 2):
        raise InputError(
            f"{scores.name or 'scores'}: nobody knows who was compared in the {kind} comparisons; behaviour by person "
            "needs columns probe_subject and reference_subject (--column probe_subject=NAME), a matrix, or templates"
        )
    return known[0], known[-1]


Marks = NDArray[np.bool_]

SHARE = 0.3  # of the people, in each of Doddington's groups
QUARTER = 0.25
FEWEST = 16  # people; with fewer not even one is expected in a corner
FEWEST_SCORES = 5  # of a person who takes part in a test of differences
CORNERS = {"dove": (1, -1), "chameleon": (1, 1), "phantom": (-1, -1), "worm": (-1, 1)}  # with oneself, with others
PARTS = {"goat": ("genuine", -1), "lamb": ("target", 1), "wolf": ("attacker", 1)}  # the mean, and which end of it
ANIMALS = (*PARTS, *CORNERS)


@dataclass(frozen=True, slots=True)
class Corner:
    """How many people are in a corner of the menagerie, and whether chance explains it. NaN and a `reason` if not."""

    animal: str
    found: int
    expected: float
    p_value: float  # that many or more, given how many are low and high
    p_adjusted: float  # the same for four corners looked at (Holm)
    p_binomial: float  # that many or more when each person is there with a chance of 1/16
    reason: Message | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """Do people differ in one kind of score? The test of Kruskal and Wallis, comparisons taken as independent."""

    animal: str
    found: int
    errors: float | None  # share of the errors of this kind that these people have; None without a threshold
    statistic: float
    p_value: float
    reason: Message | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Menagerie(Finding):
    """Every person's scores, and which animals they are."""

    people: SubjectScores
    marks: Mapping[str, Marks]  # by animal, in the order of the people
    spreads: tuple[Spread, ...]
    corners: tuple[Corner, ...]
    share: float

    @property
    def name(self) -> str:
        """The system's name."""
        return self.people.name

    def __getitem__(self, animal: str) -> list[Any]:
        """The ids of these animals, the most extreme first."""
        if animal not in ANIMALS:
            raise InputError(f"animal {animal!r} is not known; expected {', '.join(ANIMALS)}")
        there = np.flatnonzero(self.marks[animal])
        order = np.argsort(-_extremeness(self.people, animal)[there], kind="stable")
        subjects: list[Any] = self.people.subject[there[order]].tolist()
        return subjects

    def to_frame(self) -> pl.DataFrame:
        """One row a person: means, numbers of comparisons, and a column for each animal."""
        return self.people.to_frame().with_columns(pl.Series(name, marks) for name, marks in self.marks.items())

    def to_dict(self) -> dict[str, Any]:
        """How many of each animal there are, the tests, and the five most extreme of each."""
        return {
            "people": len(self.people),
            "share": self.share,
            "threshold": self.people.threshold,
            "spreads": [record(spread) for spread in self.spreads],
            "corners": [record(corner) for corner in self.corners],
            "most_extreme": {animal: [str(who) for who in self[animal][:5]] for animal in ANIMALS},
        }


def menagerie(scores: ScoreSet, *, threshold: float | None = None, share: float = SHARE) -> Menagerie:
    """Goats, lambs and wolves (the most extreme `share` of the people each), and the four corners of the menagerie.

    With a threshold it is also known which share of the errors each group has.

    >>> from bertillon.trials.simulate import simulate
    >>> zoo = menagerie(simulate("subjects", subjects=40, mated=800, nonmated=8000, rng=1).scores)
    >>> len(zoo["goat"]), zoo.spreads[0].p_value < 0.001, sum(corner.found for corner in zoo.corners)
    (12, True, 10)
    """
    if not 0.0 < share <= 0.5:
        raise InputError(f"share is {share}; expected more than 0 and at most 0.5 of the people")
    people = subject_scores(scores, threshold)
    marks = {animal: _outer(people, animal, share) for animal in PARTS}
    values = {
        "goat": (scores.mated, people.owner, _each_once(scores.mated_ids)),
        "lamb": (scores.nonmated, people.met, None),
        "wolf": (scores.nonmated, people.tried, None),
    }
    spreads = tuple(_spread(people, animal, marks[animal], *values[animal]) for animal in PARTS)
    corner_marks, corners = _corners(people)
    return Menagerie(people, marks | corner_marks, spreads, corners, share)


def menagerie_of(evaluation: ScoreEvaluation) -> Menagerie:
    """The animals among the people, and their part in the errors."""
    scores = kept_scores(evaluation, "--people")
    return menagerie(scores, threshold=eer_threshold(evaluation))


def _outer(people: SubjectScores, animal: str, share: float) -> Marks:
    """Those strictly beyond the percentile at `share` from their end: ceil(share (n - 1)) people where none tie."""
    part, end = PARTS[animal]
    alike = _alike(people, getattr(people, part))
    number = math.ceil(share * (np.count_nonzero(~np.isnan(alike)) - 1) - 1e-9)
    return _ends(alike, number)[end]


def _corners(people: SubjectScores) -> tuple[dict[str, Marks], tuple[Corner, ...]]:
    own, others = _alike(people, people.genuine), _alike(people, people.impostor)
    known = ~np.isnan(own) & ~np.isnan(others)
    n = int(np.count_nonzero(known))
    if n < FEWEST:
        reason = say("reason.few_people", n=n, fewest=FEWEST)
        nothing = {animal: np.zeros(known.size, dtype=bool) for animal in CORNERS}
        return nothing, tuple(Corner(animal, 0, math.nan, math.nan, math.nan, math.nan, reason) for animal in CORNERS)
    quarter = int(QUARTER * n)
    by_own, by_others = (_ends(np.where(known, alike, np.nan), quarter) for alike in (own, others))
    quarters = {animal: (by_own[first], by_others[second]) for animal, (first, second) in CORNERS.items()}
    marks = {animal: first & second for animal, (first, second) in quarters.items()}
    sizes = {animal: (int(first.sum()), int(second.sum())) for animal, (first, second) in quarters.items()}
    return marks, _tested({animal: int(marks[animal].sum()) for animal in CORNERS}, sizes, n)


def _tested(counts: Mapping[str, int], sizes: Mapping[str, tuple[int, int]], n: int) -> tuple[Corner, ...]:
    exact = {animal: corner_p_value(counts[animal], n, *sizes[animal]) for animal in counts}
    adjusted = holm(list(exact.values()))
    return tuple(
        Corner(animal, count, math.prod(sizes[animal]) / n, exact[animal], among, binomial_p_value(count, n))
        for (animal, count), among in zip(counts.items(), adjusted, strict=True)
    )


def corner_p_value(count: int, people: int, first: int, second: int) -> float:
    """The chance that so many or more are in both of two groups of these sizes, drawn apart from each other.

    >>> round(corner_p_value(12, 100, 25, 25), 7)
    0.0033772
    """
    from scipy.stats import hypergeom

    return float(hypergeom.sf(count - 1, people, first, second))


def binomial_p_value(count: int, people: int) -> float:
    """The chance of so many or more where each person is in the corner with a chance of 1/16.

    >>> round(binomial_p_value(12, 100), 7)
    0.0222673
    """
    from scipy.stats import binom

    return float(binom.sf(count - 1, people, 1 / 16))


def _spread(
    people: SubjectScores, animal: str, marks: Marks, values: NDArray[Any], who: IntArray, chosen: IntArray | None
) -> Spread:
    tries: ComparisonSums = getattr(people, PARTS[animal][0])
    count, errors = int(marks.sum()), None
    if tries.errors is not None and tries.errors.sum():
        errors = float(tries.errors[marks].sum() / tries.errors.sum())
    if chosen is not None:
        values, who = values[chosen], who[chosen]
    statistic, p_value, reason = _kruskal_wallis(values, who)
    return Spread(animal, count, errors, statistic, p_value, reason)


def _kruskal_wallis(values: NDArray[Any], who: IntArray) -> tuple[float, float, Message | None]:
    """The statistic and its p value over the people with enough scores, or why there is none."""
    order = np.argsort(who, kind="stable")
    groups = np.split(values[order], np.flatnonzero(np.diff(who[order])) + 1)
    large = [group for group in groups if group.size >= FEWEST_SCORES]
    if len(large) < 2:
        return math.nan, math.nan, say("reason.few_people_compared", scores=FEWEST_SCORES)
    if all((group == large[0][0]).all() for group in large):
        return math.nan, math.nan, say("reason.all_equal")
    from scipy.stats import kruskal

    result = kruskal(*large)
    return float(result.statistic), float(result.pvalue), None


def _each_once(ids: TrialIds | None) -> IntArray | None:
    """Rows in which a pair of samples stands for the first time, whichever way round; None where nobody knows."""
    if ids is None or ids.probe is None or ids.reference is None:
        return None
    numbered = codes_of([ids.probe, ids.reference])
    if numbered is None:
        return None
    first, second = (codes.astype(np.int64) for codes in numbered.codes)
    return np.sort(np.unique(np.minimum(first, second) * numbered.n + np.maximum(first, second), return_index=True)[1])


def _alike(people: SubjectScores, tries: ComparisonSums) -> FloatArray:
    """Means turned so that higher means more alike."""
    return people.rule.orient(tries.mean)


def _ends(alike: FloatArray, number: int) -> dict[int, Marks]:
    """The `number` lowest (-1) and highest (1); who equals one beyond the edge is left out. NaN is neither."""
    known = np.sort(alike[~np.isnan(alike)])
    up_to, from_here = np.searchsorted(known, alike, "right"), known.size - np.searchsorted(known, alike, "left")
    there = ~np.isnan(alike)
    return {-1: there & (up_to <= number), 1: there & (from_here <= number)}


def _extremeness(people: SubjectScores, animal: str) -> FloatArray:
    """How far to its end each person lies; in a corner by the sum of the two ranks."""
    if animal in PARTS:
        part, end = PARTS[animal]
        return end * _alike(people, getattr(people, part))
    own, others = (np.argsort(np.argsort(_alike(people, part))) for part in (people.genuine, people.impostor))
    own_sign, others_sign = CORNERS[animal]
    return (own_sign * own + others_sign * others).astype(np.float64)
