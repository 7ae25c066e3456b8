"""Targets for kinds of use, and whether a system meets them.

high-security   FAR <= 1e-4 (banks, borders): how many genuine users does that turn away?
consumer        FAR 1e-3 to 1e-2 (phones): the same question at both ends
usability       FRR <= 1 % to 5 % (doors, convenience): how many impostors does that let in?
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bertillon.core.rule import readable
from bertillon.measures import Result


@dataclass(frozen=True, slots=True)
class Preset:
    """The measures a kind of use is judged by, and the other error it can live with."""

    name: str
    measures: tuple[str, ...]
    promise: str  # what is kept, in words
    price: str  # what it costs, in words
    tolerable: float  # the most of that price that is usually accepted

    def verdict(self, results: Mapping[str, Result]) -> str:
        """One sentence: does the system meet the target, and where?"""
        known = [(name, results[name]) for name in self.measures if not math.isnan(results[name].value)]
        if not known:
            return f"{self.name}: cannot be judged ({results[self.measures[0]].reason})."
        name, best = min(known, key=lambda item: item[1].value)
        met = best.value <= self.tolerable
        where = "" if best.threshold is None else f" at threshold {readable(best.threshold)}"
        return (
            f"{self.name}: {'met' if met else 'not met'}. {name} is {best.value * 100:.3g} %{where}; "
            f"{self.promise} should cost at most {self.tolerable * 100:g} % {self.price}."
        )


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("high-security", ("FNMR@FMR=0.0001",), "FMR <= 0.0001", "of genuine users rejected", 0.05),
        Preset("consumer", ("FNMR@FMR=0.001", "FNMR@FMR=0.01"), "FMR 0.001 to 0.01", "of genuine users rejected", 0.05),
        Preset("usability", ("FMR@FNMR=0.01", "FMR@FNMR=0.05"), "FNMR 1 % to 5 %", "of impostors accepted", 0.01),
    )
}
