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
from typing import Any, NoReturn

from bertillon.core.errors import InputError
from bertillon.core.rule import AcceptRule
from bertillon.counting.curves.rate_curve import RateCurve
from bertillon.evaluation.base import BaseEvaluation
from bertillon.measures.base import Measure, Result
from bertillon.measures.known import KnownRates, result_of
from bertillon.measures.registry import VERIFICATION
from bertillon.stats.interval import Interval
from bertillon.stats.settings import Settings

CURVE_MEASURES = ("EER", "EER[nearest]", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "ZeroFMR", "ZeroFNMR", "minHTER", "AUC")


@dataclass(frozen=True, eq=False, repr=False)
class CurveEvaluation(BaseEvaluation):
    """The answers that the curve of one system gives: read them by name, as in `evaluation["EER"].value`."""

    curve: RateCurve
    results: Mapping[str, Result]
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    settings: Settings | None = None

    @property
    def trials(self) -> RateCurve:
        """What was evaluated."""
        return self.curve

    @property
    def rule(self) -> AcceptRule:
        """Which side of the threshold is accepted; without thresholds it does not matter."""
        return self.curve.rule or AcceptRule.SIMILARITY

    def with_intervals(self, **settings: Any) -> NoReturn:
        """Refused: without the number of comparisons nobody knows how sure a rate is."""
        raise InputError(f"{self.name}: holds a curve, not scores, so there are no intervals; give the scores")

    def band(self, curve: str, **settings: Any) -> NoReturn:
        """Refused, as intervals are."""
        raise InputError(f"{self.name}: holds a curve, not scores, so {curve} has no band; give the scores")


def evaluate_curve(curve: RateCurve, measures: Iterable[str | Measure] | None = None) -> CurveEvaluation:
    """Answer what a curve can, and say of everything else why it cannot."""
    asked = VERIFICATION.parse_all(CURVE_MEASURES if measures is None else measures)
    known = KnownRates(curve)
    return CurveEvaluation(curve, {str(measure): _shown(result_of(measure.on(known)), curve) for measure in asked})


def _shown(result: Result, curve: RateCurve) -> Result:
    """Without counts, and with a threshold in the user's units if any is listed."""
    bare = replace(result, errors=None, trials=None)
    if result.reason or curve.threshold is None or curve.rule is None:
        return replace(bare, threshold=None)
    return bare.restored(curve.rule)
