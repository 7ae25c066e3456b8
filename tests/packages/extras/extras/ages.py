from dataclasses import dataclass

import numpy as np

from bertillon.core import say
from bertillon.counting import Needs
from bertillon.measures import (
    Curve,
    Definition,
    Measure,
    MeasureSet,
    OverGroups,
    Proportion,
    Result,
    Spelling,
    register_kind,
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

    def count(self, needs: Needs) -> np.ndarray:
        return np.abs(self.estimate - self.age)


@dataclass(frozen=True)
class MeanAbsoluteError(Measure):
    """The mean of |estimate - age|; [person]: of each person, then of all."""

    variant: str = ""

    @property
    def spelling(self) -> Spelling:
        return Spelling("MAE", self.variant)

    def of(self, tally: np.ndarray) -> Result:
        return Result(float(tally.mean())) if tally.size else Result.undefined(say("extras.no_estimates"))

    def interval(self, result: Result) -> OverGroups:
        return OverGroups(MeanAbsoluteError()) if self.variant else super().interval(result)


@dataclass(frozen=True)
class Within(Measure):
    """The share of estimates that are off by no more than some years."""

    years: float

    @property
    def spelling(self) -> Spelling:
        return Spelling("Within", at={"years": self.years})

    def of(self, tally: np.ndarray) -> Result:
        if not tally.size:
            return Result.undefined(say("extras.no_estimates"))
        wrong = int(np.count_nonzero(tally > self.years))
        return Result(1.0 - wrong / tally.size, errors=wrong, trials=tally.size)

    def interval(self, result: Result) -> Proportion:
        return Proportion(success=True, outcome=self.wrong)

    def wrong(self, ages: Ages) -> np.ndarray:
        return np.abs(ages.estimate - ages.age) > self.years


MEASURES = MeasureSet("age")
MEASURES.register(
    Definition(
        "MAE",
        lambda spelling: MeanAbsoluteError(spelling.variant),
        say("extras.mae"),
        "MAE",
        better="lower",
        ends=(0.0, np.inf),
    )
)
MEASURES.register(
    Definition(
        "Within",
        lambda spelling: Within(spelling.at["years"]),
        say("extras.within"),
        "Within@years=5",
        unit="rate",
        better="higher",
    )
)
MEASURES.curves["cumulative-score"] = Curve(Within, range(16), rises=1)
register_kind(MEASURES)
