"""How many wrong candidates a non-enrolled search returns.

    SEL   candidates that pass in non-enrolled searches / non-enrolled searches; at least FPIR, and it may exceed 1

Only the best candidates of each search are kept; where as many as were kept pass, more may have, and SEL is undefined
rather than too low.
"""

from __future__ import annotations

from dataclasses import dataclass

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.measures.base import Measure, Result
from bertillon.measures.identification.common import SearchOperatingPoint, missing
from bertillon.measures.registry import IDENTIFICATION, POSITIVE, Definition, one_of, reject_extras
from bertillon.measures.spelling import Spelling
from bertillon.trials.search_tally import SearchTally


@dataclass(frozen=True, slots=True)
class Selectivity(Measure):
    """Mean number of candidates of a non-enrolled search."""

    point: SearchOperatingPoint

    @classmethod
    def build(cls, spelling: Spelling) -> Selectivity:
        reject_extras(spelling, at=tuple(spelling.at))
        one_of(spelling, ("all",))
        point, rank = SearchOperatingPoint.of(spelling, ("t", "FPIR"))
        if rank is not None:
            raise InputError(f"{spelling}: SEL does not depend on a rank; leave k out")
        return cls(point)

    @property
    def spelling(self) -> Spelling:
        return Spelling("SEL", at=self.point.at)

    def of(self, tally: SearchTally) -> Result:
        reason = missing(tally, enrolled=False, nonenrolled=True)
        if reason:
            return Result.undefined(reason)
        counts = tally.watch_list()
        curve_point = self.point.find(counts, tally.rule)
        assert curve_point is not None  # a threshold, or an FPIR that rejecting all keeps
        threshold = self.point.shown(curve_point, counts, tally.rule)
        if self.point.key == "FPIR" and curve_point.row == len(counts) - 1:
            return Result(0.0, threshold)  # everything is rejected, infinite scores too
        returned = tally.returned(threshold)
        if returned is None:
            return Result.undefined(say("reason.candidates_not_kept"))
        if returned.cut_off:
            assert tally.searches.others is not None
            kept = tally.searches.others.shape[1]
            return Result.undefined(say("reason.candidates_cut_off", n=returned.cut_off, kept=kept))
        return Result(returned.candidates / tally.n_nonenrolled, threshold)


IDENTIFICATION.register(
    Definition(
        "SEL",
        Selectivity.build,
        "selectivity: candidates a non-enrolled search returns",
        "SEL@FPIR=0.01",
        "#{candidates >= t, non-enrolled} / #{non-enrolled}",
        ("selectivity",),
        iso="selectivity",
        reference="ISO/IEC 19795-1",
        better="lower",
        ends=POSITIVE,
    )
)
