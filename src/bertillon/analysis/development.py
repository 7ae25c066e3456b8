"""Thresholds chosen on development scores and judged on evaluation scores.

A threshold chosen on the scores it is judged by flatters the system: an equal error rate is never reached in use. Here
the threshold is fixed on one set of scores and applied to another, of other people where it can be had.

Conventions: a criterion is a measure that picks a threshold, by its spelling: `EER`, `FNMR@FMR=0.001` (or `FMR=0.001`
for short), `minHTER`, `minCost(cfa=10,cfr=1,impostor=0.1)`. `alpha=0.3` is the least of 0.3 FMR + 0.7 FNMR. Of equally
good thresholds the most permissive is taken. Thresholds are in the user's units. The rates on the development scores
are a posteriori, and called optimistic.

Holds `apply_threshold` with its `FixedThreshold`; `expected_performance_curve` (Bengio, Mariéthoz and Keller 2005) with
its `ExpectedPerformanceCurve`; and `judge`, which makes a `DevelopmentResult` for an evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import InputError, say
from bertillon.counting.tally import count_errors, take_tally
from bertillon.evaluation import ScoreEvaluation, kept_scores, plain
from bertillon.measures import Measure, parse
from bertillon.measures.operating_point import best_row
from bertillon.stats.interval import LEVEL
from bertillon.stats.of_scores import RatesAt, rates_at
from bertillon.trials.score_set import ScoreSet

FloatArray = NDArray[np.float64]

ALPHAS = tuple(step / 20 for step in range(21))
OPTIMISTIC = "a posteriori: the threshold was chosen on these scores, so the rates are optimistic"
_SHORT = re.compile(r"^\s*(?P<name>[A-Za-z-]+)\s*=\s*(?P<value>\S+)\s*$")


@dataclass(frozen=True, slots=True)
class FixedThreshold:
    """A threshold fixed on development scores, and what it gives on evaluation scores."""

    criterion: str
    threshold: float
    evaluation: RatesAt
    development: RatesAt  # a posteriori, so optimistic

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "criterion": self.criterion,
            "threshold": plain(self.threshold),
            "evaluation": self.evaluation.to_dict(),
            "development": self.development.to_dict() | {"note": OPTIMISTIC},
        }


def apply_threshold(
    development: ScoreSet, evaluation: ScoreSet, criterion: str | Measure = "EER", *, level: float = LEVEL
) -> FixedThreshold:
    """Choose a threshold on the development scores by the criterion, and judge it on the evaluation scores.

    >>> found = apply_threshold(ScoreSet([4, 5, 6], [1, 2, 5]), ScoreSet([4, 6, 7], [1, 5, 2, 3]), "FMR=0")
    >>> found.threshold, round(found.evaluation.fnmr.value, 4), found.evaluation.fmr.value
    (6.0, 0.3333, 0.0)
    """
    _check_rules(development, evaluation)
    threshold = _threshold(development, _criterion(criterion))
    return FixedThreshold(
        str(criterion).strip(),
        threshold,
        rates_at(evaluation, threshold, level=level),
        rates_at(development, threshold, level=level),
    )


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedPerformanceCurve:
    """Rates on the evaluation scores at the thresholds that are best on the development scores, for each weight."""

    alpha: FloatArray  # weight of FMR; FNMR weighs 1 - alpha
    threshold: FloatArray
    fmr: FloatArray
    fnmr: FloatArray
    hter: FloatArray
    low: FloatArray  # of the interval of HTER
    high: FloatArray
    level: float
    naive: bool  # comparisons were taken as independent

    def to_dict(self) -> dict[str, Any]:
        """One list a column, ready for JSON."""
        names = ("alpha", "threshold", "fmr", "fnmr", "hter", "low", "high")
        columns: dict[str, Any] = {name: plain(getattr(self, name).tolist()) for name in names}
        return columns | {"level": self.level, "naive": self.naive}


def expected_performance_curve(
    development: ScoreSet, evaluation: ScoreSet, *, alphas: Sequence[float] = ALPHAS, level: float = LEVEL
) -> ExpectedPerformanceCurve:
    """HTER on the evaluation scores at the threshold of least alpha FMR + (1 - alpha) FNMR on the development scores.

    >>> chosen_on, judged_on = ScoreSet([4, 5, 6], [1, 2, 5]), ScoreSet([4, 6, 7], [1, 5, 2])
    >>> curve = expected_performance_curve(chosen_on, judged_on, alphas=[0.2, 0.8])
    >>> curve.threshold.tolist(), curve.hter.round(4).tolist()
    ([4.0, 6.0], [0.1667, 0.1667])
    """
    _check_rules(development, evaluation)
    weights = np.asarray(alphas, dtype=np.float64)
    if weights.ndim != 1 or not weights.size or not ((weights >= 0.0) & (weights <= 1.0)).all():
        raise InputError("alphas hold what is not a weight; expected a list of numbers from 0 to 1")
    thresholds = _best_thresholds(development, weights)
    known = {threshold: rates_at(evaluation, threshold, level=level) for threshold in dict.fromkeys(thresholds)}
    applied = [known[threshold] for threshold in thresholds]
    values = [(rates.fmr.value, rates.fnmr.value, rates.hter.value) for rates in applied]
    ends = [(rates.hter.interval.low, rates.hter.interval.high) for rates in applied]
    fmr, fnmr, hter, low, high = np.concatenate([values, ends], axis=1).T
    naive = any(rates.hter.interval.naive for rates in applied)
    return ExpectedPerformanceCurve(weights, np.array(thresholds), fmr, fnmr, hter, low, high, level, naive)


def _best_thresholds(development: ScoreSet, weights: FloatArray) -> list[float]:
    """The most permissive of the best thresholds, for each weight."""
    _check_classes(development)
    counts = count_errors(development)
    rows = [best_row(counts, float(weight), 1.0 - float(weight)) for weight in weights]
    return [development.rule.restore(float(counts.threshold[row])) for row in rows]


def _threshold(development: ScoreSet, measure: Measure) -> float:
    _check_classes(development)
    result = measure.of(take_tally(development, [measure.seek], measure.needs))
    if result.threshold is None:
        why = result.reason or say("reason.no_threshold")
        raise InputError(
            f"{measure}: {why}; expected a criterion that picks a threshold, such as EER, FMR=0.001 or minHTER"
        )
    return development.rule.restore(result.threshold)


def _criterion(criterion: str | Measure) -> Measure:
    """The measure a criterion means; `FMR=x`, `FNMR=x` and `alpha=x` are short for measures."""
    short = _SHORT.match(criterion) if isinstance(criterion, str) else None
    if short is None:
        return parse(criterion)
    name, value = short["name"].lower(), short["value"]
    if name == "alpha":
        return parse(f"minCost(cfa=1,cfr=1,impostor={value})")
    return parse(f"HTER@{short['name']}={value}")


def _check_rules(development: ScoreSet, evaluation: ScoreSet) -> None:
    if development.rule is not evaluation.rule:
        raise InputError(
            f"development scores are a {development.rule.value}, evaluation scores a {evaluation.rule.value}; "
            "expected one rule, since one threshold serves both"
        )


def _check_classes(development: ScoreSet) -> None:
    for kind, scores in (("mated", development.mated), ("non-mated", development.nonmated)):
        if not scores.size:
            raise InputError(f"development scores: no {kind} scores; expected both kinds to choose a threshold by")


@dataclass(frozen=True, slots=True)
class DevelopmentResult:
    """Thresholds found on development scores, and what they give on the scores of an evaluation."""

    evaluation: ScoreEvaluation
    development: ScoreSet
    thresholds: tuple[FixedThreshold, ...]
    level: float

    def to_dict(self) -> dict[str, Any]:
        """The thresholds and the expected performance curve, for JSON."""
        curve = expected_performance_curve(self.development, kept_scores(self.evaluation, "--dev"), level=self.level)
        return {
            "name": self.development.name,
            "thresholds": [threshold.to_dict() for threshold in self.thresholds],
            "expected_performance_curve": curve.to_dict(),
        }


def judge(development: ScoreSet, evaluation: ScoreEvaluation, *, level: float) -> DevelopmentResult:
    """Fix the thresholds of the EER and of every rate asked for on the development scores, and apply them."""
    scores = kept_scores(evaluation, "--dev")
    at_rates = [str(measure) for measure in evaluation.measures if measure.picks_threshold and measure.spelling.at]
    criteria = dict.fromkeys(["EER", *at_rates])
    thresholds = (apply_threshold(development, scores, criterion, level=level) for criterion in criteria)
    return DevelopmentResult(evaluation, development, tuple(thresholds), level)
