"""A curve of which only rates are known: what a file of thresholds, FMR and FNMR holds.

Conventions: points run from the most permissive threshold to the strictest, so FMR falls and FNMR rises. Which way
thresholds go tells whether scores are similarities or distances. How many comparisons stand behind it is not known.

Holds `RateCurve`, `read_curve` and `curve_of`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Text, say
from bertillon.core.rule import AcceptRule
from bertillon.core.showing import short_repr
from bertillon.core.tables import short_name
from bertillon.counting.error_counts import BinaryCounts, Failures, IntArray, definitions_of
from bertillon.counting.keys import fingerprint
from bertillon.counting.tally import Needs, Tally
from bertillon.io.no_scores import Rates, rates_in


@dataclass(frozen=True, slots=True, eq=False)
class RateCurve:
    """Error rates at listed thresholds; `threshold` is in the user's units, and None where none were listed."""

    __repr__ = short_repr

    fmr: NDArray[np.float64]
    fnmr: NDArray[np.float64]
    threshold: NDArray[np.float64] | None = None
    rule: AcceptRule | None = None
    name: str = ""
    notes: tuple[Text, ...] = ()

    kind: ClassVar[Literal["curve"]] = "curve"
    form: ClassVar[Literal["whole"]] = "whole"

    def __len__(self) -> int:
        return int(self.fmr.size)

    @property
    def counts(self) -> dict[str, int]:
        """How many points are listed; how many comparisons stand behind them is not known."""
        return {"points": len(self)}

    @property
    def fingerprint(self) -> str:
        """A short name for the listed rates."""
        return fingerprint(self.fmr, self.fnmr)

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        meant = definitions_of(self.rule or AcceptRule.SIMILARITY, self.fingerprint, say("signature.thresholds.listed"))
        return meant | {"targets": say("signature.targets.listed")}

    @property
    def curves(self) -> tuple[str, ...]:
        """None that can have a band."""
        return ()

    def count(self, needs: Needs | None = None) -> Tally:
        """The points as shares of one comparison of each kind, whatever is needed."""
        rule = self.rule or AcceptRule.SIMILARITY
        listed = np.arange(len(self)) if self.threshold is None else rule.orient(self.threshold)
        rates = cast(IntArray, self.fmr), cast(IntArray, self.fnmr)
        counts = BinaryCounts(np.asarray(listed, dtype=np.float64), *rates, 1, 1)
        return Tally(counts, counts, rule, Failures())


def read_curve(path: str | os.PathLike[str]) -> RateCurve:
    """Read an error curve: a header such as `threshold,FMR,FNMR` and one point a line.

    FAR, FPR, FRR, FNR, TPR, TAR and GAR are understood too, and percent where the header says so. Anything wrong with
    the file raises `InputError`.
    """
    return curve_of(rates_in(path))


def curve_of(rates: Rates) -> RateCurve:
    """The points of a curve as listed, put in order from the most permissive to the strictest."""
    rule = None if rates.threshold is None else _rule(rates)
    if rates.threshold is None or rule is None:
        order = np.lexsort((rates.fnmr, -rates.fmr))
    else:
        order = np.argsort(rule.orient(rates.threshold), kind="stable")
    fmr, fnmr = rates.fmr[order], rates.fnmr[order]
    threshold = None if rates.threshold is None else rates.threshold[order]
    _require_curve(rates.source, threshold, fmr, fnmr)
    return RateCurve(fmr, fnmr, threshold, rule, short_name(rates.source), rates.notes)


def _rule(rates: Rates) -> AcceptRule:
    """Falling FMR with growing thresholds is a similarity, a growing one a distance."""
    assert rates.threshold is not None
    order = np.argsort(rates.threshold, kind="stable")
    first, last = order[0], order[-1]
    trend = (rates.fmr[last] - rates.fmr[first]) - (rates.fnmr[last] - rates.fnmr[first])
    if trend == 0 and rates.fmr.size > 1:
        raise InputError(f"{rates.source}: FMR and FNMR are the same at both ends, so this is not a curve")
    return AcceptRule.SIMILARITY if trend <= 0 else AcceptRule.DISTANCE


def _require_curve(
    source: str, threshold: NDArray[np.float64] | None, fmr: NDArray[np.float64], fnmr: NDArray[np.float64]
) -> None:
    """Along ever stricter thresholds FMR may only fall and FNMR only rise."""
    for name, steps in (("FMR", -np.diff(fmr)), ("FNMR", np.diff(fnmr))):
        if (steps < 0).any():
            row = int((steps < 0).argmax())
            rates = fmr if name == "FMR" else fnmr
            where = (
                f"thresholds {threshold[row]:g} and {threshold[row + 1]:g}" if threshold is not None else "its points"
            )
            raise InputError(
                f"{source}: {name} goes from {rates[row]:g} to {rates[row + 1]:g} between {where}, against the other "
                "points; an error curve only falls or only rises, so check the columns"
            )
