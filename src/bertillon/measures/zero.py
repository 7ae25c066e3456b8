"""The two ends: what it costs to make no error of one kind on this data.

ZeroFMR    lowest FNMR at FMR = 0; the threshold lies strictly beyond the best non-mated score
ZeroFNMR   lowest FMR at FNMR = 0
FMR10, FMR100, FMR1000, FMR10000   lowest FNMR for FMR <= 1/10, 1/100, ... (FVC's names)
"""

from __future__ import annotations

from dataclasses import dataclass

from bertillon.counting.error_counts import BinaryCounts, IntArray
from bertillon.counting.tally import Tally
from bertillon.counting.weighted import CurveBlock
from bertillon.measures.base import BlockValues, Measure, Result
from bertillon.measures.known import Answer, Known
from bertillon.measures.operating_point import OperatingPoint
from bertillon.measures.plans import IntervalPlan
from bertillon.measures.rates import Rate
from bertillon.measures.registry import Definition, one_of, register, reject_extras
from bertillon.measures.spelling import Spelling

_POINTS = {
    "ZeroFMR": Rate("FNMR", OperatingPoint("FMR", 0.0)),
    "ZeroFNMR": Rate("FMR", OperatingPoint("FNMR", 0.0)),
    **{f"FMR{n}": Rate("FNMR", OperatingPoint("FMR", 1 / n)) for n in (10, 100, 1000, 10000)},
}


@dataclass(frozen=True, slots=True)
class NamedPoint(Measure):
    """A rate at an operating point that has a name of its own."""

    name: str

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name)

    @property
    def rate(self) -> Rate:
        """What the name stands for."""
        return _POINTS[self.name]

    def seek(self, outline: BinaryCounts) -> IntArray:
        return self.rate.seek(outline)

    def of(self, tally: Tally) -> Result:
        return self.rate.of(tally)

    def of_block(self, block: CurveBlock) -> BlockValues:
        return self.rate.of_block(block)

    def on(self, known: Known) -> Answer:
        return self.rate.on(known)

    def interval(self, result: Result) -> IntervalPlan:
        return self.rate.interval(result)


def _build(spelling: Spelling) -> NamedPoint:
    reject_extras(spelling)
    one_of(spelling, ("at-most",))
    return NamedPoint(spelling.name)


_SYNONYMS = {"ZeroFMR": ("ZeroFAR",), "ZeroFNMR": ("ZeroFRR",)}
for _name, _rate in _POINTS.items():
    _summary = f"lowest {_rate.kind} with {_rate.point.key} at most {_rate.point.target:g}"
    _also = _SYNONYMS.get(_name, ())
    _who = "Maio et al. 2002"
    register(Definition(_name, _build, _summary, _name, str(_rate), _also, "rate", reference=_who, better="lower"))
