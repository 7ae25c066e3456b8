"""Answers from an error curve: what can be read of listed rates without any score.

Conventions: operating points are read at listed points (at most, or nearest) or on the straight lines between them
where a measure says interpolated, as the EER does. A rate at a threshold is known where that threshold is listed. An
area needs a curve that reaches both its ends. Everything else needs scores: it is undefined, with the reason. There are
no numbers of comparisons, so no counts and no intervals.

Holds `CurveEvaluation` and `evaluate_curve`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NoReturn, cast

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.curves.rate_curve import RateCurve
from bertillon.counting.error_counts import ErrorCounts, IntArray
from bertillon.counting.fingerprint import fingerprint
from bertillon.counting.scores import Failures
from bertillon.counting.tally import Tally
from bertillon.evaluation.base import BaseEvaluation
from bertillon.measures.area import AreaUnderRoc, PartialArea
from bertillon.measures.base import Measure, Result
from bertillon.measures.cost import Cost, DetectionCost, LeastCost
from bertillon.measures.eer import EqualErrorRate
from bertillon.measures.operating_point import CurvePoint
from bertillon.measures.rates import KINDS, HalfTotalErrorRate, Rate
from bertillon.measures.registry import VERIFICATION, MeasureSet
from bertillon.measures.zero import NamedPoint
from bertillon.stats.interval import Interval
from bertillon.stats.settings import Settings

NO_SCORES = say("reason.curve_only")
CURVE_MEASURES = ("EER", "EER[nearest]", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "ZeroFMR", "ZeroFNMR", "minHTER", "AUC")
_READ_AS_THEY_ARE = (HalfTotalErrorRate, Cost, LeastCost, DetectionCost, PartialArea)


@dataclass(frozen=True, eq=False, repr=False)
class CurveEvaluation(BaseEvaluation):
    """The answers that the curve of one system gives: read them by name, as in `evaluation["EER"].value`."""

    curve: RateCurve
    results: Mapping[str, Result]
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    settings: Settings | None = None
    measure_set: ClassVar[MeasureSet] = VERIFICATION

    @property
    def name(self) -> str:
        """The system's name."""
        return self.curve.name

    @property
    def trials(self) -> RateCurve:
        """What was evaluated."""
        return self.curve

    @property
    def rule(self) -> AcceptRule:
        """Which side of the threshold is accepted; without thresholds it does not matter."""
        return self.curve.rule or AcceptRule.SIMILARITY

    @property
    def counts(self) -> dict[str, int]:
        """How many points are listed; how many comparisons stand behind them is not known."""
        return {"points": len(self.curve)}

    @property
    def curves(self) -> tuple[str, ...]:
        """None that can have a band."""
        return ()

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return {
            "rule": say("signature.rule.accept", sign=self.rule.sign),
            "thresholds": say("signature.thresholds.listed"),
            "targets": say("signature.targets.listed"),
            "eer": say("signature.eer.interpolated"),
            "data": fingerprint(self.curve.fmr, self.curve.fnmr),
        }

    def with_intervals(self, **settings: Any) -> NoReturn:
        """Refused: without the number of comparisons nobody knows how sure a rate is."""
        raise InputError(f"{self.name}: holds a curve, not scores, so there are no intervals; give the scores")

    def band(self, curve: str, **settings: Any) -> NoReturn:
        """Refused, as intervals are."""
        raise InputError(f"{self.name}: holds a curve, not scores, so {curve} has no band; give the scores")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; the mode is "curve"."""
        return super().to_dict() | {"mode": "curve"}


def evaluate_curve(curve: RateCurve, measures: Iterable[str | Measure] | None = None) -> CurveEvaluation:
    """Answer what a curve can, and say of everything else why it cannot."""
    asked = VERIFICATION.parse_all(CURVE_MEASURES if measures is None else measures)
    points = _Points(curve)
    return CurveEvaluation(curve, {str(measure): points.answer(measure) for measure in asked})


class _Points:
    """The points of a curve as shares of one comparison of each kind, so that measures of rates can read them."""

    def __init__(self, curve: RateCurve) -> None:
        self.curve = curve
        self.rule = curve.rule or AcceptRule.SIMILARITY
        listed = np.arange(len(curve)) if curve.threshold is None else self.rule.orient(curve.threshold)
        rates = cast(IntArray, curve.fmr), cast(IntArray, curve.fnmr)
        self.counts = ErrorCounts(np.asarray(listed, dtype=np.float64), *rates, 1, 1)
        self.tally = Tally(self.counts, self.counts, self.rule, Failures())

    def answer(self, measure: Measure) -> Result:
        """A measure's number, its threshold in the user's units if any is listed."""
        result = self._read(measure)
        if result.reason or self.curve.threshold is None:
            return replace(result, threshold=None, errors=None, trials=None)
        return replace(result, errors=None, trials=None).restored(self.rule)

    def _read(self, measure: Measure) -> Result:
        measure = measure.rate if isinstance(measure, NamedPoint) else measure
        unlisted = [threshold for threshold in measure.thresholds if not self._is_listed(threshold)]
        if unlisted:
            return Result.undefined(say("reason.threshold_unlisted", t=unlisted[0]))
        if isinstance(measure, EqualErrorRate):
            return self._equal(measure.definition)
        if isinstance(measure, Rate) and measure.fta is None:
            return self._rate(measure)
        if isinstance(measure, AreaUnderRoc):
            return self._area(measure.name)
        if isinstance(measure, PartialArea) and self.curve.fmr[-1] > 0:
            return Result.undefined(say("reason.curve_short", fmr=0.0))
        if isinstance(measure, PartialArea) and self.curve.fmr[0] < measure.fmr:
            return Result.undefined(say("reason.curve_short", fmr=measure.fmr))
        return measure.of(self.tally) if isinstance(measure, _READ_AS_THEY_ARE) else Result.undefined(NO_SCORES)

    def _is_listed(self, threshold: float) -> bool:
        listed = self.curve.threshold
        return listed is not None and bool((listed == threshold).any())

    def _equal(self, definition: str) -> Result:
        """Where FMR meets FNMR: on the line between two points, or at the point where they are closest."""
        gap = self.curve.fnmr - self.curve.fmr
        if gap[0] > 0 or gap[-1] < 0:
            return Result.undefined(say("reason.curve_never_equal"))
        before = int(np.count_nonzero(gap <= 0)) - 1
        after = min(before + 1, gap.size - 1)
        if definition == "interpolated":
            step = float(gap[after] - gap[before])
            curve_point = CurvePoint(before, after, -float(gap[before]) / step if step and gap[before] else 0.0)
            return Result(curve_point.between(self.curve.fmr), curve_point.threshold(self.counts))
        means = self.curve.fmr + self.curve.fnmr
        if definition == "nearest":
            row = min((before, after), key=lambda candidate: (abs(gap[candidate]), means[candidate]))
        else:
            row = min((before, after), key=lambda candidate: means[candidate])
        low, high = sorted((float(self.curve.fmr[row]), float(self.curve.fnmr[row])))
        value = {"fvc-low": low, "fvc-high": high}.get(definition, (low + high) / 2)
        return Result(value, float(self.counts.threshold[row]))

    def _rate(self, measure: Rate) -> Result:
        point, kind = measure.point, KINDS[measure.kind]
        curve_point = point.find(self.counts, self.rule)
        if curve_point is None:
            return Result.undefined(say("reason.point_unreachable", point=point.key, target=point.target))
        error = curve_point.between(self.curve.fnmr if kind.mated else self.curve.fmr)
        return Result(error if kind.wrong else 1.0 - error, point.shown(curve_point, self.counts, self.rule))

    def _area(self, name: str) -> Result:
        """Trapezoids between the listed points."""
        if self.curve.fmr[-1] > 0 or self.curve.fmr[0] < 1:
            return Result.undefined(say("reason.curve_partial"))
        area = float(np.trapezoid(1.0 - self.curve.fnmr[::-1], self.curve.fmr[::-1]))
        return Result(area if name == "AUC" else 2 * area - 1)
