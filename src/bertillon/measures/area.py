"""Areas under the ROC.

AUC                P(mated more alike than non-mated), ties count half; the trapezoid area over distinct thresholds
Gini               2 AUC - 1
pAUC@FMR=x         area where FMR <= x, from 0 (useless) to x (perfect)
pAUC[mcclish]@FMR=x  the same rescaled so that chance is 0.5 and perfect is 1
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tally import Need, Tally
from bertillon.counting.weighted import CurveBlock
from bertillon.measures.base import BlockValues, Measure, Result, missing_class
from bertillon.measures.known import Exact, KnownRates
from bertillon.measures.plans import OfAreas, PairedTest
from bertillon.measures.registry import (
    SHARE,
    SIGNED,
    VERIFICATION,
    Definition,
    MeasureSet,
    one_of,
    reject_all_but_name,
    reject_extras,
)
from bertillon.measures.spelling import Spelling


@dataclass(frozen=True, slots=True)
class AreaUnderRoc(Measure):
    """The whole area, or Gini's rescaling of it."""

    name: str = "AUC"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.WINS})
    monotone = True

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name)

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        if reason:
            return Result.undefined(reason)
        assert tally.wins is not None
        area = (2 * tally.wins.won + tally.wins.tied) / (2 * tally.wins.pairs)
        return Result(area if self.name == "AUC" else 2 * area - 1)

    def of_rates(self, rates: KnownRates) -> Exact | Message:
        """Trapezoids between the listed points."""
        fmr, fnmr = rates.curve.fmr, rates.curve.fnmr
        if fmr[-1] > 0 or fmr[0] < 1:
            return say("reason.curve_partial")
        area = float(np.trapezoid(1.0 - fnmr[::-1], fmr[::-1]))
        return Exact(Result(area if self.name == "AUC" else 2 * area - 1))

    @property
    def paired_test(self) -> PairedTest:
        return OfAreas()

    def of_block(self, block: CurveBlock) -> BlockValues:
        above = block.n_mated - block.false_nonmatch[1:]
        doubled = np.einsum("cr,cr->r", block.nonmated, 2 * above + block.mated, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            area = doubled / (2.0 * block.n_mated * block.n_nonmated)
        return area if self.name == "AUC" else 2 * area - 1, np.full(block.size, np.nan)


@dataclass(frozen=True, slots=True)
class PartialArea(Measure):
    """The area at low false match rates only."""

    fmr: float
    variant: str = "plain"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.EVERY_THRESHOLD})
    monotone = True

    @property
    def spelling(self) -> Spelling:
        return Spelling("pAUC", "" if self.variant == "plain" else self.variant, at={"FMR": self.fmr})

    @property
    def ends(self) -> tuple[float, float]:
        return 0.0, 1.0 if self.variant == "mcclish" else self.fmr

    def of(self, tally: Tally) -> Result:
        reason = missing_class(tally)
        if reason:
            return Result.undefined(reason)
        area = _area_up_to(tally.errors, self.fmr)
        return Result(mcclish(area, self.fmr) if self.variant == "mcclish" else area)

    def of_rates(self, rates: KnownRates) -> Exact | Message:
        """Trapezoids between the listed points, which must reach both ends."""
        if rates.curve.fmr[-1] > 0:
            return say("reason.curve_short", fmr=0.0)
        return say("reason.curve_short", fmr=self.fmr) if rates.curve.fmr[0] < self.fmr else rates.read(self)


def mcclish(area: float, limit: float) -> float:
    """A partial area, rescaled so that chance is 0.5 and perfect is 1.

    >>> mcclish(0.02, 0.2), mcclish(0.2, 0.2)
    (0.5, 1.0)
    """
    chance = limit**2 / 2
    return (1 + (area - chance) / (limit - chance)) / 2


def _area_up_to(counts: BinaryCounts, limit: float) -> float:
    """Trapezoids from FMR 0 to the limit, the last one cut at the limit."""
    fmr, tmr = counts.fmr[::-1], 1.0 - counts.fnmr[::-1]
    inside = int(np.searchsorted(fmr, limit, side="right"))
    x, y = fmr[:inside], tmr[:inside]
    if inside < fmr.size:
        share = (limit - fmr[inside - 1]) / (fmr[inside] - fmr[inside - 1])
        y_limit = tmr[inside - 1] + share * (tmr[inside] - tmr[inside - 1])
        x, y = np.append(x, limit), np.append(y, y_limit)
    return float(np.trapezoid(y, x))


def _build_area(spelling: Spelling) -> AreaUnderRoc:
    reject_all_but_name(spelling)
    return AreaUnderRoc(spelling.name)


def _build_partial(spelling: Spelling) -> PartialArea:
    return PartialArea(limit_of(spelling, VERIFICATION, "FMR"), one_of(spelling, ("plain", "mcclish")))


def limit_of(spelling: Spelling, measures: MeasureSet, rate: str) -> float:
    """The rate up to which a partial area goes, by its name in a set of measures."""
    reject_extras(spelling, at=tuple(spelling.at))
    places = {measures.canonical_name(key): value for key, value in spelling.at.items()}
    if set(places) != {rate} or not 0.0 < places[rate] <= 1.0:
        raise InputError(f"{spelling}: expected pAUC@{rate}=x with x above 0 and at most 1")
    return places[rate]


def register_areas(measures: MeasureSet, area: Definition, partial: Definition) -> None:
    """The areas of a set of measures; the coefficient of Gini is built like the area."""
    measures.register(replace(area, synonyms=("AUROC", "ROC-AUC"), ends=SHARE))
    summary, reference = "Gini coefficient of the ROC", "Hand and Till 2001"
    gini = Definition(
        "Gini", area.build, summary, "Gini", "2 AUC - 1", reference=reference, better="higher", ends=SIGNED
    )
    measures.register(gini)
    measures.register(replace(partial, reference="McClish 1989", ends=SHARE))


_HANLEY = "Hanley and McNeil 1982"
_AUC, _PAUC = "P(G > I) + P(G = I) / 2", "∫ TMR dFMR, FMR <= x"
_SUMMARY = "area where FMR <= x (variant mcclish)"
register_areas(
    VERIFICATION,
    Definition("AUC", _build_area, "area under the ROC", "AUC", _AUC, reference=_HANLEY, better="higher"),
    Definition("pAUC", _build_partial, _SUMMARY, "pAUC@FMR=0.01", _PAUC, better="higher"),
)
