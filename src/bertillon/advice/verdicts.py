"""What a number is usually called, and whether a system meets the target of a kind of use.

    high-security   FAR <= 1e-4 (banks, borders): how many genuine users does that turn away?
    consumer        FAR 1e-3 to 1e-2 (phones): the same question at both ends
    usability       FRR <= 1 % to 5 % (doors, convenience): how many impostors does that let in?

Conventions: a number on the border of two bands belongs to the first of them; one that is undefined is "unknown". A
band is a message of the topic `verdict.band`. A verdict names one band where the whole interval lies in it, else those
of its two ends; without an interval the band of the value is not certain. The bands of agreement are those of Landis
and Koch (1977); all others, and what a preset tolerates, are rules of thumb of this project, and sentences say so.

Holds `eer_verdict`, `open_eer_verdict`, `auc_verdict` and `kappa_verdict` (a sentence each), and the bands behind them,
`eer_band`, `open_eer_band`, `auc_band` and `kappa_band`; the targets, `PRESETS`; and of searches
`degradation` (the open set beside verification), `fnir_diagnosis` (why people are missed), `region_sentence` and
`region_advice`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bertillon.analysis.in_use import Region
from bertillon.core.messages import Message, Value, say, sentences
from bertillon.core.rule import readable
from bertillon.measures import Result
from bertillon.stats.interval import Interval

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
USUAL_DEGRADATION = (2.0, 4.0)
DOMINATES = 2.0  # one part of the misses dominates when it is at least so many times the other


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


def eer_verdict(eer: float, interval: Interval | None = None) -> Message:
    """One sentence on an equal error rate.

    >>> str(eer_verdict(0.0, Interval(0.0, 0.84)))
    'EER 0 %: between excellent and poor, not usable as it is (our rule of thumb).'
    """
    return _verdict("verdict.rate", "EER", eer, _certain(eer_band, eer, interval))


def open_eer_verdict(eer: float, interval: Interval | None = None) -> Message:
    """One sentence on an open-set equal error rate.

    >>> str(open_eer_verdict(0.025, Interval(0.021, 0.03)))
    'EERopen 2.5 %: good (our rule of thumb).'
    """
    return _verdict("verdict.rate", "EERopen", eer, _certain(open_eer_band, eer, interval))


def auc_verdict(name: str, auc: float, interval: Interval | None = None) -> Message:
    """One sentence on an area under the ROC, however it is averaged over classes.

    >>> str(auc_verdict("AUC", 0.93))
    'AUC 0.930: excellent, not certain: no interval (our rule of thumb).'
    """
    return _verdict("verdict.area", name, auc, _certain(auc_band, auc, interval))


def kappa_verdict(kappa: float, interval: Interval | None = None) -> Message:
    """One sentence on an agreement.

    >>> str(kappa_verdict(0.583, Interval(0.31, 0.79)))
    'Kappa 0.583: between fair and substantial (agreement beyond chance; bands of Landis and Koch).'
    """
    return _verdict("verdict.agreement", "Kappa", kappa, _certain(kappa_band, kappa, interval))


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


def _certain(band_of: Callable[[float], Message], value: float, interval: Interval | None) -> Message:
    """The band of every value that the interval holds, or those of its ends; without one that of the value."""
    ends = _ends(interval)
    if ends is None:
        return say("verdict.uncertain", band=band_of(value))
    low, high = band_of(min(ends[0], value)), band_of(max(ends[1], value))
    return low if low == high else say("verdict.between", low=low, high=high)


def _verdict(key: str, name: str, value: float, band: Message) -> Message:
    if math.isnan(value):
        return say("verdict.rate_unknown", name=name)
    return say(key, name=name, value=value, band=band)


@dataclass(frozen=True, slots=True)
class Preset:
    """The measures a kind of use is judged by, and the other error it can live with."""

    name: str
    measures: tuple[str, ...]
    price: str  # what it costs: "rejected" (genuine users) or "accepted" (impostors)
    tolerable: float  # the most of that price that is usually accepted

    def verdict(self, results: Mapping[str, Result], intervals: Mapping[str, Interval] | None = None) -> Message:
        """One sentence: does the system meet the target, and where, or does an interval leave that open?"""
        known = [(name, results[name]) for name in self.measures if not math.isnan(results[name].value)]
        if not known:
            return say("verdict.preset.unknown", preset=self.name, reason=results[self.measures[0]].reason)
        ends = {name: _ends((intervals or {}).get(name)) for name, _ in known}
        name, best = min(known, key=lambda item: (item[1].value, *reversed(ends[item[0]] or (0.0, math.inf))))
        return say(
            "verdict.preset",
            preset=self.name,
            answer=self._answer(best.value, ends[name]),
            found=_found(name, best),
            promise=say(f"verdict.promise.{self.name}"),
            most=self.tolerable,
            price=say(f"verdict.preset.{self.price}"),
        )

    def _answer(self, value: float, ends: tuple[float, float] | None) -> Message:
        """Met or not met by every value between the ends; without ends by the value, which is not certain."""
        answer = say("verdict.preset.met" if value <= self.tolerable else "verdict.preset.not_met")
        if ends is None:
            return say("verdict.uncertain", band=answer)
        low, high = ends
        if min(low, value) <= self.tolerable < max(high, value):
            return say("verdict.preset.open", low=low, high=high)
        return answer


def _ends(interval: Interval | None) -> tuple[float, float] | None:
    """Both ends, where there are any."""
    if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
        return None
    return interval.low, interval.high


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


def degradation(
    eer_open: float, eer: float, open_interval: Interval | None = None, interval: Interval | None = None
) -> Message:
    """How much harder the open set is than verification for the same matcher, as far as intervals leave it certain.

    >>> str(degradation(0.015, 0.005))
    'EERopen 1.5 % is 3 times the EER of verification, 0.5 %: as usual (2 to 4 times).'
    >>> str(degradation(0.015, 0.005, Interval(0.014, 0.016), Interval(0.003, 0.006)))
    'EERopen 1.5 % is 3 times the EER of verification, 0.5 %: between as usual and more than usual (2 to 4 times).'
    """
    if math.isnan(eer_open) or math.isnan(eer) or eer <= 0.0:
        return say("verdict.degradation_unknown")
    low, high = USUAL_DEGRADATION
    times = float(f"{eer_open / eer:.3g}")
    opened, verified = _ends(open_interval) or (eer_open, eer_open), _ends(interval) or (eer, eer)
    least, most = opened[0] / verified[1], opened[1] / verified[0] if verified[0] > 0.0 else math.inf
    words = _usual(min(least, times)), _usual(max(most, times))
    word = words[0] if words[0] == words[1] else say("verdict.between", low=words[0], high=words[1])
    return say("verdict.degradation", opened=eer_open, times=times, eer=eer, word=word, low=low, high=high)


def _usual(times: float) -> Message:
    low, high = USUAL_DEGRADATION
    return say(f"verdict.usual.{'as' if low <= times <= high else 'less' if times < low else 'more'}")


def fnir_diagnosis(missed: float, misidentified: float) -> Message:
    """Why enrolled people are not identified at rank 1, and what would help.

    >>> str(fnir_diagnosis(0.05, 0.05))
    'FNIR 10 % = 5 % not detected + 5 % misidentified: both contribute; work on the threshold and on the matcher.'
    """
    if math.isnan(missed) or math.isnan(misidentified):
        return say("verdict.fnir_unknown")
    total = missed + misidentified
    if total == 0.0:
        cause = "none"
    elif missed >= DOMINATES * misidentified:
        cause = "detection"
    else:
        cause = "identification" if misidentified >= DOMINATES * missed else "both"
    return say("verdict.fnir", total=total, missed=missed, wrong=misidentified, cause=say(f"verdict.cause.{cause}"))


def region_sentence(region: Region) -> Message:
    """What an operating region means in a day."""
    name = region.name
    if region.reason:
        return say("verdict.region.out", name=name, reason=region.reason)
    rates: dict[str, Value] = {"name": name, "fpir": region.fpir, "dir": region.dir}
    if math.isfinite(region.threshold):
        rates_said = [say("verdict.region.rates_at", threshold=readable(region.threshold), **rates)]
    else:
        rates_said = [say("verdict.region.rates", **rates)]
    rates_said.append(_load(region))
    rates_said += [] if region.seen else [say("verdict.region.unseen")]
    return sentences(*rates_said, say("verdict.region.preferred", where=region_advice(region.id)))


def region_advice(region: str) -> Message:
    """Where an operating region is preferred, by its id.

    >>> str(region_advice("highest_detection"))
    'where a miss costs far more than a false alarm, as at a border'
    """
    return say(f"verdict.where.{region}")


def _load(region: Region) -> Message:
    """Alarms, hours and misses in a day."""
    alarms, hours = _amount(region.load.false_alarms), _amount(region.load.hours)
    if region.load.misses is None:
        return say("verdict.region.load", alarms=alarms, hours=hours)
    return say("verdict.region.load_missed", alarms=alarms, hours=hours, misses=_amount(region.load.misses))


def _amount(number: float) -> Message:
    return say("number.count" if number >= 1000 else "number.plain", x=number)
