"""Age estimates as a kind of trial of another package, made of public names alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertillon.measures import (
    Curve,
    Definition,
    Measure,
    MeasureSet,
    OverGroups,
    Proportion,
    Result,
    Spelling,
)
from bertillon.trials import RowTrials


@dataclass(frozen=True, eq=False)
class Ages(RowTrials):
    """True and estimated ages in years, of people with some photos each."""

    age: np.ndarray
    estimate: np.ndarray
    person: np.ndarray
    name: str = ""
    kind, unit, given, curves = "age", "person", ("age",), ("cumulative-score",)

    def count(self, needs):
        return np.abs(self.estimate - self.age)


class Photos(Ages):
    """The same where nobody knows whose photos they are."""

    unit = ""


@dataclass(frozen=True)
class MeanAbsoluteError(Measure):
    """The mean of |estimate - age|; [person]: of each person, then of all."""

    variant: str = ""

    @property
    def spelling(self):
        return Spelling("MAE", self.variant)

    def of(self, tally):
        return Result(float(tally.mean())) if tally.size else Result.undefined("no estimates")

    def interval(self, result):
        return OverGroups(MeanAbsoluteError()) if self.variant else super().interval(result)


@dataclass(frozen=True)
class Within(Measure):
    """The share of estimates that are off by no more than some years."""

    years: float

    @property
    def spelling(self):
        return Spelling("Within", at={"years": self.years})

    def of(self, tally):
        wrong = int(np.count_nonzero(tally > self.years))
        return Result(1.0 - wrong / tally.size, errors=wrong, trials=tally.size)

    def interval(self, result):
        return Proportion(success=True, outcome=self.wrong)

    def wrong(self, ages):
        return np.abs(ages.estimate - ages.age) > self.years


MEASURES = MeasureSet("age")
MEASURES.register(
    Definition(
        "MAE",
        lambda spelling: MeanAbsoluteError(spelling.variant),
        "Mean absolute error in years.",
        "MAE",
        better="lower",
        ends=(0.0, np.inf),
    )
)
MEASURES.register(
    Definition(
        "Within",
        lambda spelling: Within(spelling.at["years"]),
        "Estimates within some years.",
        "Within@years=5",
        unit="rate",
        better="higher",
    )
)
MEASURES.curves["cumulative-score"] = Curve(Within, range(16), rises=1)


def simulated(people: int = 40, photos: int = 5, *, spread: float = 4.0, seed: int = 0, kind=Ages) -> Ages:
    """Estimates that are wrong by person and by photo; the same people whatever the seed."""
    person = np.repeat(np.arange(people), photos)
    age = np.random.default_rng(1).integers(18, 70, people)[person].astype(float)
    rng = np.random.default_rng(seed)
    wrong = rng.normal(0, spread, people)[person] + rng.normal(0, 2.0, person.size)
    return kind(age, age + wrong, person, name=f"spread {spread:g}")
