"""What a number is usually called, and whether a system meets the target of a kind of use.

    high-security   FAR <= 1e-4 (banks, borders): how many genuine users does that turn away?
    consumer        FAR 1e-3 to 1e-2 (phones): the same question at both ends
    usability       FRR <= 1 % to 5 % (doors, convenience): how many impostors does that let in?

Conventions: a number on the border of two bands belongs to the first of them; one that is undefined is "unknown". A
band is a message of the topic `verdict.band`.

Holds `eer_verdict` and `open_eer_verdict` (a sentence each), and the bands behind them and beside other numbers:
`eer_band`, `open_eer_band`, `auc_band`, `kappa_band` (Landis and Koch); and the targets, `PRESETS`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bertillon.core.messages import Message, say
from bertillon.core.rule import readable
from bertillon.measures import Result

Bands = tuple[tuple[float, str], ...]  # up to each limit, its band

EER_BANDS: Bands = (
    (0.01, "excellent"),
    (0.05, "good"),
    (0.10, "not_critical"),
    (0.20, "weak"),
    (1.00, "unusable"),
)
OPEN_EER_BANDS: Bands = (
    (0.02, "excellent"),
    (0.05, "good"),
    (0.10, "acceptable"),
    (1.00, "poor"),
)
KAPPA_BANDS: Bands = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
    (1.00, "almost_perfect"),
)
AUC_BANDS: Bands = ((0.9, "excellent"), (0.8, "good"), (0.7, "acceptable"), (0.5, "weak"))  # from each limit on


def eer_band(eer: float) -> Message:
    """The band of an equal error rate.

    >>> str(eer_band(0.01)), str(eer_band(0.03))
    ('excellent', 'good')
    """
    return _up_to(eer, EER_BANDS)


def open_eer_band(eer: float) -> Message:
    """The band of an open-set equal error rate.

    >>> [str(open_eer_band(eer)) for eer in (0.02, 0.03, 0.1, 0.11)]
    ['excellent', 'good', 'acceptable', 'poor']
    """
    return _up_to(eer, OPEN_EER_BANDS)


def eer_verdict(eer: float) -> Message:
    """One sentence on an equal error rate.

    >>> str(eer_verdict(0.0485))
    'EER 4.85 %: good.'
    """
    return _verdict("EER", eer, eer_band(eer))


def open_eer_verdict(eer: float) -> Message:
    """One sentence on an open-set equal error rate.

    >>> str(open_eer_verdict(0.025))
    'EERopen 2.5 %: good.'
    """
    return _verdict("EERopen", eer, open_eer_band(eer))


def kappa_band(kappa: float) -> Message:
    """Landis and Koch's band of an agreement.

    >>> str(kappa_band(0.583)), str(kappa_band(-0.1))
    ('moderate', 'worse than chance')
    """
    return _band("below_chance") if kappa < 0 else _up_to(kappa, KAPPA_BANDS)


def auc_band(auc: float) -> Message:
    """The usual band of an area under the ROC.

    >>> [str(auc_band(auc)) for auc in (1.0, 0.93, 0.5, 0.4)]
    ['perfect', 'excellent', 'no better than chance', 'reversed, worse than chance']
    """
    if math.isnan(auc):
        return _band("unknown")
    if auc == 1.0:
        return _band("perfect")
    if auc <= 0.5:
        return _band("none" if auc == 0.5 else "reversed")
    return _band(next(band for limit, band in AUC_BANDS if auc >= limit))


def _up_to(number: float, bands: Bands) -> Message:
    return _band("unknown" if math.isnan(number) else next(band for limit, band in bands if number <= limit))


def _band(name: str) -> Message:
    return say(f"verdict.band.{name}")


def _verdict(name: str, rate: float, band: Message) -> Message:
    if math.isnan(rate):
        return say("verdict.rate_unknown", name=name)
    return say("verdict.rate", name=name, rate=rate, band=band)


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
