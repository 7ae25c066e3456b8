from dataclasses import dataclass

import numpy as np

from bertillon.core import InputError, say
from bertillon.counting import Need, Tally
from bertillon.measures import (
    SHARE,
    VERIFICATION,
    Curve,
    Definition,
    Measure,
    Result,
    Spelling,
    missing_class,
    reject_extras,
)


@dataclass(frozen=True, slots=True)
class GeometricMean(Measure):
    weight: float = 0.5  # of mated comparisons; non-mated ones have the rest

    needs = frozenset({Need.EVERY_THRESHOLD})
    monotone = True

    @property
    def spelling(self) -> Spelling:
        return Spelling("GMean", options={} if self.weight == 0.5 else {"weight": self.weight})

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        if reason:
            return Result.undefined(reason)
        counts = tally.errors
        values = (1 - counts.fnmr) ** self.weight * (1 - counts.fmr) ** (1 - self.weight)
        best = int(np.argmax(values))
        return Result(float(values[best]), float(counts.threshold[best]))


def build(spelling: Spelling) -> GeometricMean:
    reject_extras(spelling, options=("weight",))
    weight = spelling.options.get("weight", 0.5)
    if not 0 < weight < 1:
        raise InputError(f"{spelling}: weight is {weight}; expected a number between 0 and 1")
    return GeometricMean(weight)


VERIFICATION.register(
    Definition("GMean", build, say("extras.gmean"), "GMean", "max √(TMR TNMR)", better="higher", ends=SHARE)
)
VERIFICATION.curves["gmean"] = Curve(GeometricMean, [0.1, 0.3, 0.5, 0.7, 0.9])
