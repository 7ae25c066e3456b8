"""The answer to one question, a number with its name, its interval and its threshold; and the bands of curves.

Holds `Estimate`, which is used `AsNumber`; `eer_threshold`, which analyses ask for; `Bands` with `bands_of` and
`each_of`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from bertillon.core.errors import InputError
from bertillon.core.showing import shown_by
from bertillon.counting.curves.error_curve import Band, Kind
from bertillon.measures.base import Result

if TYPE_CHECKING:
    from bertillon.evaluation.evaluation import AnyEvaluation, ScoreEvaluation
    from bertillon.stats.interval import Interval

Bands = Sequence[Mapping[str, Band]]  # of each system, by the names of their curves; nothing where none are wanted


class AsNumber:
    """What is compared, rounded, formatted and calculated with as its `float()`."""

    __slots__ = ()

    def __float__(self) -> float:
        raise NotImplementedError

    def __lt__(self, other: Any) -> bool:
        return float(self) < float(other)

    def __le__(self, other: Any) -> bool:
        return float(self) <= float(other)

    def __gt__(self, other: Any) -> bool:
        return float(self) > float(other)

    def __ge__(self, other: Any) -> bool:
        return float(self) >= float(other)

    def __add__(self, other: Any) -> float:
        return float(self) + float(other)

    def __sub__(self, other: Any) -> float:
        return float(self) - float(other)

    def __rsub__(self, other: Any) -> float:
        return float(other) - float(self)

    def __mul__(self, other: Any) -> float:
        return float(self) * float(other)

    def __truediv__(self, other: Any) -> float:
        return float(self) / float(other)

    def __rtruediv__(self, other: Any) -> float:
        return float(other) / float(self)

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self), digits)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    __radd__, __rmul__ = __add__, __mul__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Estimate(AsNumber, Result):
    """A measure's number, what stands behind it and how sure it is.

    `float()` gives the number alone; it is compared, rounded and formatted like one, and what is calculated from it is
    a plain float.

    Parameters
    ----------
    value
        The number; NaN where it is undefined, and then `reason` says why.
    threshold
        Where it was measured, in the units of the scores; None where the measure has no threshold.
    errors, trials
        How many went wrong, of how many, where the number is a rate.
    reason
        Why the number is undefined, or what to know of it.
    measure
        The name of the measure.
    unit
        How the number is shown: "rate", "number" or "count".
    interval
        How sure it is, once intervals were asked for.

    Examples
    --------
    >>> import bertillon as bt
    >>> found = bt.eer([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
    >>> print(found)
    EER 25 % (threshold 0.575)
    >>> float(found), found < 0.3, f"{found:.1%}"
    (0.25, True, '25.0%')
    """

    measure: str = ""
    unit: str = "number"
    interval: Interval | None = None

    @classmethod
    def of(cls, result: Result, measure: str, unit: str, interval: Interval | None = None) -> Estimate:
        """A result under the name of its measure."""
        about = result.value, result.threshold, result.errors, result.trials, result.reason
        return cls(*about, measure, unit, interval)

    @property
    def result(self) -> Result:
        """The same without name and interval."""
        return Result(self.value, self.threshold, self.errors, self.trials, self.reason)

    def __float__(self) -> float:
        return float(self.value)

    def __eq__(self, other: object) -> bool:
        return self.result == (other.result if isinstance(other, Estimate) else other)

    def __hash__(self) -> int:
        return hash(self.result)

    def __str__(self) -> str:
        text: str = shown_by("estimate")(self.result, self.measure, self.unit, self.interval)
        return text

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_html_(self) -> str:
        return f"<span>{escape(str(self))}</span>"


def eer_threshold(evaluation: ScoreEvaluation) -> float:
    """The threshold of the EER, worked out where nobody asked for it."""
    result = evaluation["EER"]
    if result.threshold is None:
        raise InputError(f"{evaluation.name}: the EER has no threshold: {result.reason}; add the missing scores")
    return result.threshold


def bands_of(evaluation: AnyEvaluation, *, kind: Kind = "pointwise") -> dict[str, Band]:
    """The bands of all curves that the trials of the evaluation have."""
    bands = {curve: evaluation.band(curve, kind=kind) for curve in evaluation.curves if curve != "roc"}
    return ({"roc": bands["det"].complement} if "det" in bands else {}) | bands


def each_of(bands: Bands, systems: int) -> Bands:
    """The bands of each of so many systems."""
    return bands or [{}] * systems
