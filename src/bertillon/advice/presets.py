"""Targets for kinds of use, and whether a system meets them.

high-security   FAR <= 1e-4 (banks, borders): how many genuine users does that turn away?
consumer        FAR 1e-3 to 1e-2 (phones): the same question at both ends
usability       FRR <= 1 % to 5 % (doors, convenience): how many impostors does that let in?
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bertillon.core.messages import Message, say
from bertillon.core.rule import readable
from bertillon.measures import Result


@dataclass(frozen=True, slots=True)
class Preset:
    """The measures a kind of use is judged by, and the other error it can live with."""

    name: str
    measures: tuple[str, ...]
    price: str  # what it costs: "rejected" (genuine users) or "accepted" (impostors)
    tolerable: float  # the most of that price that is usually accepted

    def verdict(self, results: Mapping[str, Result]) -> Message:
        """One sentence: does the system meet the target, and where?"""
        known = [(name, results[name]) for name in self.measures if not math.isnan(results[name].value)]
        if not known:
            return say("verdict.preset.unknown", preset=self.name, reason=results[self.measures[0]].reason)
        name, best = min(known, key=lambda item: item[1].value)
        return say(
            "verdict.preset.met" if best.value <= self.tolerable else "verdict.preset.not_met",
            preset=self.name,
            found=_found(name, best),
            promise=say(f"verdict.promise.{self.name}"),
            most=self.tolerable,
            price=say(f"verdict.preset.{self.price}"),
        )


def _found(name: str, result: Result) -> Message:
    if result.threshold is None:
        return say("verdict.preset.found", name=name, value=result.value)
    return say("verdict.preset.found_at", name=name, value=result.value, threshold=readable(result.threshold))


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("high-security", ("FNMR@FMR=0.0001",), "rejected", 0.05),
        Preset("consumer", ("FNMR@FMR=0.001", "FNMR@FMR=0.01"), "rejected", 0.05),
        Preset("usability", ("FMR@FNMR=0.01", "FMR@FNMR=0.05"), "accepted", 0.01),
    )
}
