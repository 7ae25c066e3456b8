"""Areas under the ROC, of comparisons and of classifiers.

AUC                 P(mated more alike than non-mated), ties count half; the trapezoid area over distinct thresholds
Gini                2 AUC - 1
pAUC@FMR=x          area where FMR <= x, from 0 (useless) to x (perfect); of a classifier pAUC@FPR=x
pAUC[mcclish]@FMR=x the same rescaled so that chance is 0.5 and perfect is 1

Classifiers of several classes say how:

AUC[ovr]            mean over classes of each against the rest, by its own probability (the classes that occur)
AUC[ovr-weighted]   the same, by how often a class is the true one
AUC[ovr-micro]      every (sample, class) decision pooled
AUC[ovo]            mean over pairs of classes, each way round (Hand and Till's M)
AUC[ovo-weighted]   the same, by how often the two classes are the true ones

Holds `AreaUnderRoc` and `PartialArea`, and of classifiers `ClassArea` and `PartialClassArea`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tally import Need, Tally
from bertillon.counting.weighted import CurveBlock
from bertillon.measures.base import (
    ONE_TRUE,
    BlockValues,
    ClassMeasure,
    CurveMeasure,
    Exact,
    NamedMeasure,
    Result,
    Spelling,
)
from bertillon.measures.known import KnownRates
from bertillon.measures.operating_point import Target
from bertillon.measures.plans import AreaToTarget, IntervalPlan, Judged, OfAreas, PairedTest, Resample
from bertillon.measures.registry import CLASSIFICATION, SHARE, SIGNED, VERIFICATION, Definition, MeasureSet

if TYPE_CHECKING:
    from bertillon.counting.classes.one_vs_rest import ClassAreas
    from bertillon.trials.class_tally import ClassTally

SEVERAL = ("plain", "ovr", "ovr-weighted", "ovr-micro", "ovo", "ovo-weighted")
OVER_CLASSES = {"macro": "ovr", "micro": "ovr-micro", "weighted": "ovr-weighted"}  # as other measures call it


@dataclass(frozen=True, slots=True)
class AreaUnderRoc(CurveMeasure, NamedMeasure):
    """The whole area, or Gini's rescaling of it."""

    name: str = "AUC"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.WINS})
    monotone = True

    def read(self, tally: Tally) -> Result:
        assert tally.wins is not None
        return self.of_area((2 * tally.wins.won + tally.wins.tied) / (2 * tally.wins.pairs))

    def of_rates(self, rates: KnownRates) -> Exact | Message:
        """Trapezoids between the listed points."""
        fmr, fnmr = rates.curve.fmr, rates.curve.fnmr
        if fmr[-1] > 0 or fmr[0] < 1:
            return say("reason.curve_partial")
        return Exact(self.of_area(float(np.trapezoid(1.0 - fnmr[::-1], fmr[::-1]))))

    @property
    def paired_test(self) -> PairedTest | None:
        return OfAreas()

    def of_block(self, block: CurveBlock) -> BlockValues:
        won = 2 * block.n_mated - block.false_nonmatch[1:] - block.false_nonmatch[:-1]  # of each cell twice, ties once
        doubled = np.einsum("cr,cr->r", block.nonmated, won, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            area = doubled / (2.0 * block.n_mated * block.n_nonmated)
        return area if self.name == "AUC" else 2 * area - 1, np.full(block.size, np.nan)

    def of_area(self, area: float) -> Result:
        """The number of this name for an area."""
        return Result(area if self.name == "AUC" else 2.0 * area - 1.0)


@dataclass(frozen=True, slots=True)
class ClassArea(ClassMeasure, NamedMeasure):
    """The whole area of a classifier, of the positive class or over several."""

    name: str = "AUC"
    variant: str = ""

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        """The measure behind a spelling such as AUC[ovr]."""
        return cls(spelling.name, spelling.written_variant(SEVERAL if spelling.name == "AUC" else SEVERAL[:1]))

    def of(self, tally: ClassTally) -> Result:
        if self.variant:
            return self._several(tally)
        if tally.why_not_ranked:
            several = tally.predictions.n_classes > 2 and tally.predictions.probabilities is not None
            return Result.undefined(
                say("reason.say_how", why=tally.why_not_ranked) if several else tally.why_not_ranked
            )
        return AreaUnderRoc(self.name).of_area(tally.auc)

    def _several(self, tally: ClassTally) -> Result:
        if tally.why_not_probable:
            return Result.undefined(tally.why_not_probable)
        if np.count_nonzero(tally.class_totals) < 2:
            return Result.undefined(ONE_TRUE)
        if self.variant == "ovr-micro":
            areas = tally.pooled_areas
            return Result(areas.doubled_wins / (2.0 * areas.positives * areas.negatives))
        return Result(_average(tally.class_areas, self.variant))

    def for_classes(self, classes: int, average: str) -> ClassArea | None:
        if classes == 2 or self.variant:
            return self
        return replace(self, variant=OVER_CLASSES[average]) if self.name == "AUC" else None

    def interval(self, result: Result) -> IntervalPlan:
        return Resample(self, Judged.RANKING, by_class=True)


def _average(areas: ClassAreas, variant: str) -> float:
    occurs = areas.total > 0
    total, n = areas.total[occurs], int(np.count_nonzero(occurs))
    if variant == "ovr":
        return float(areas.vs_rest[occurs].mean())
    if variant == "ovr-weighted":
        return float(np.average(areas.vs_rest[occurs], weights=total))
    if variant == "ovo":
        return float(areas.vs_each[occurs].sum() / (n * (n - 1)))
    both = 2.0 * (n - 1) * total.sum()  # the weight of both classes, over ordered pairs
    return float(areas.vs_each_weighted[occurs].sum() / both)


@dataclass(frozen=True, slots=True)
class PartialArea(CurveMeasure):
    """The area at low false match rates only."""

    limit: float
    variant: str = ""
    rate: ClassVar[str] = "FMR"
    measures: ClassVar[MeasureSet] = VERIFICATION
    judged: ClassVar[Judged | None] = None
    needs: ClassVar[frozenset[Need]] = frozenset({Need.EVERY_THRESHOLD})
    monotone = True

    @classmethod
    def build(cls, spelling: Spelling) -> Self:
        """The measure behind a spelling such as pAUC@FMR=0.01, by the names of its mode."""
        variant = spelling.written_variant(("plain", "mcclish"), at=None)
        places = {cls.measures.canonical_name(key): value for key, value in spelling.at.items()}
        if set(places) != {cls.rate} or not 0.0 < places[cls.rate] <= 1.0:
            raise InputError(f"{spelling}: expected pAUC@{cls.rate}=x with x above 0 and at most 1")
        return cls(places[cls.rate], variant)

    @property
    def spelling(self) -> Spelling:
        return Spelling("pAUC", self.variant, at={self.rate: self.limit})

    @property
    def target(self) -> Target:
        return Target(self.rate, self.limit, mated=False)

    @property
    def ends(self) -> tuple[float, float]:
        return 0.0, 1.0 if self.variant else self.limit

    def read(self, tally: Any) -> Result:
        return Result(self.value_of(self.area(tally)))

    def value_of(self, area: float) -> float:
        """The number of this variant for an area."""
        return mcclish(area, self.limit) if self.variant else area

    def interval(self, result: Result) -> IntervalPlan:
        return AreaToTarget(Target(self.rate, self.limit, mated=False), self.value_of, Resample(self, self.judged))

    def area(self, tally: Any) -> float:
        """Trapezoids from FMR 0 to the limit, the last one cut at the limit."""
        counts: BinaryCounts = tally.errors
        fmr, tmr = counts.fmr[::-1], 1.0 - counts.fnmr[::-1]
        inside = int(np.searchsorted(fmr, self.limit, side="right"))
        x, y = fmr[:inside], tmr[:inside]
        if inside < fmr.size:
            share = (self.limit - fmr[inside - 1]) / (fmr[inside] - fmr[inside - 1])
            y_limit = tmr[inside - 1] + share * (tmr[inside] - tmr[inside - 1])
            x, y = np.append(x, self.limit), np.append(y, y_limit)
        return float(np.trapezoid(y, x))

    def of_rates(self, rates: KnownRates) -> Exact | Message:
        """Trapezoids between the listed points, which must reach both ends."""
        if rates.curve.fmr[-1] > 0:
            return say("reason.curve_short", fmr=0.0)
        return say("reason.curve_short", fmr=self.limit) if rates.curve.fmr[0] < self.limit else rates.read(self)


class PartialClassArea(PartialArea, ClassMeasure):
    """The same of a classifier, added up piece by piece of a curve that may be too long to hold.

    Sums of other terms in another order: the last digit may differ from that of the same scores as comparisons.
    """

    __slots__ = ()
    rate = "FPR"
    measures = CLASSIFICATION
    judged = Judged.RANKING

    def area(self, tally: ClassTally) -> float:
        return sum(_area_of_piece(piece, self.limit) for piece in tally.pieces)


def _area_of_piece(piece: BinaryCounts, limit: float) -> float:
    """Trapezoids of a piece as far as they lie at or below the limit, the last one cut there."""
    x, y = piece.fpr[::-1], piece.recall[::-1]
    width = np.diff(x)
    inside = np.minimum(x[1:], limit) - np.minimum(x[:-1], limit)
    share = np.divide(inside, width, out=np.zeros(width.size), where=width > 0)
    end = y[:-1] + share * np.diff(y)
    return float((inside * (y[:-1] + end) / 2.0).sum())


def mcclish(area: float, limit: float) -> float:
    """A partial area, rescaled so that chance is 0.5 and perfect is 1.

    >>> mcclish(0.02, 0.2), mcclish(0.2, 0.2)
    (0.5, 1.0)
    """
    chance = limit**2 / 2
    return (1 + (area - chance) / (limit - chance)) / 2


def _define(
    whole: type[AreaUnderRoc | ClassArea], part: type[PartialArea], summary: str, formula: str, reference: str
) -> tuple[Definition, ...]:
    """The names of one mode."""
    better, rate = partial(Definition, better="higher"), part.rate
    success, at = ("TMR", "0.01") if rate == "FMR" else ("TPR", "0.1")
    about = f"area where {rate} <= x (variant mcclish)", f"pAUC@{rate}={at}", f"∫ {success} d{rate}, {rate} <= x"
    gini = "Gini coefficient of the ROC", "Gini", "2 AUC - 1"
    return (
        better(
            "AUC",
            whole.build,
            summary,
            "AUC",
            formula,
            ("AUROC", "ROC-AUC", "AUC-ROC"),
            reference=reference,
            ends=SHARE,
        ),
        better("Gini", whole.build, *gini, reference="Hand and Till 2001", ends=SIGNED),
        better("pAUC", part.build, *about, reference="McClish 1989", ends=SHARE),
    )


_HANLEY, _ROC = "Hanley and McNeil 1982", "area under the ROC"
_HOW = f"{_ROC} (several classes: {', '.join(SEVERAL[1:])})"
_HAND = f"{_HANLEY}; Hand and Till 2001 (several classes)"
DEFINITIONS = _define(AreaUnderRoc, PartialArea, _ROC, "P(G > I) + P(G = I) / 2", _HANLEY)
CLASS_DEFINITIONS = _define(ClassArea, PartialClassArea, _HOW, "P(pos > neg) + P(pos = neg) / 2", _HAND)
