"""What a number is usually called, whether a system meets the target of a kind of use, and how large to plan a test.

    high-security   FAR <= 1e-4 (banks, borders): how many genuine users does that turn away?
    consumer        FAR 1e-3 to 1e-2 (phones): the same question at both ends
    usability       FRR <= 1 % to 5 % (doors, convenience): how many impostors does that let in?

Conventions: a number on the border of two bands belongs to the first of them; one that is undefined is "unknown". A
band is a message of the topic `verdict.band`. A verdict names one band where the whole interval lies in it, else those
of its two ends; without an interval the band of the value is not certain. The bands of agreement are those of Landis
and Koch (1977); all others, and what a preset tolerates, are rules of thumb of this project, and sentences say so.

Holds `verdict_of` (a sentence) and `band_of` (the word in it); the targets, `PRESETS`; of searches `degradation` (the
open set beside verification), `fnir_diagnosis` (why people are missed), `region_sentence` and `region_advice`; and of
the plan of a test `plan_verdict` (what to plan for) and `plan_notes` (what its numbers rest on). What intervals rest on
say `interval_sentences` and `bounds_sentences`: a method is given once, however many it served, and spelled for people,
as its authors' names are; programs read it in small letters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from bertillon.core.messages import Message, Text, Value, chained, say, sentences
from bertillon.core.rule import readable
from bertillon.measures import Result
from bertillon.stats import Interval, short_rate
from bertillon.stats.interval import decimals_for

if TYPE_CHECKING:
    from bertillon.analysis.in_use import Region
    from bertillon.stats.planning import Plan, SimulatedTests, Size

BANDS = {  # up to each limit its band; of areas from each limit on
    "EER": ((0.01, "excellent"), (0.05, "good"), (0.10, "not_critical"), (0.20, "weak"), (1.00, "unusable")),
    "EERopen": ((0.02, "excellent"), (0.05, "good"), (0.10, "acceptable"), (1.00, "poor")),
    "Kappa": (
        *((math.nextafter(0.0, -1.0), "below_chance"), (0.20, "slight"), (0.40, "fair")),
        *((0.60, "moderate"), (0.80, "substantial"), (1.00, "almost_perfect")),
    ),
    "AUC": (
        *((1.0, "perfect"), (0.9, "excellent"), (0.8, "good"), (0.7, "acceptable")),
        *((math.nextafter(0.5, 1.0), "weak"), (0.5, "none"), (-math.inf, "reversed")),
    ),
}
SENTENCES = {"EER": "rate", "EERopen": "rate", "Kappa": "agreement", "AUC": "area"}
USUAL_DEGRADATION = (2.0, 4.0)
OFTEN = {1: "once", 2: "twice"}
DOMINATES = 2.0  # one part of the misses dominates when it is at least so many times the other


def verdict_of(name: str, value: float, interval: Interval | None = None) -> Message:
    """One sentence on an EER, an EERopen, an agreement (Kappa) or an area under the ROC, however this is averaged.

    >>> str(verdict_of("EER", 0.0, Interval(0.0, 0.84)))
    'EER 0 %: between excellent and poor, not usable as it is (our rule of thumb).'
    >>> str(verdict_of("EERopen", 0.025, Interval(0.021, 0.03)))
    'EERopen 2.5 %: good (our rule of thumb).'
    >>> str(verdict_of("AUC", 0.93))
    'AUC 0.930: excellent, but no interval (our rule of thumb).'
    >>> str(verdict_of("Kappa", 0.583, Interval(0.31, 0.79)))
    'Kappa 0.583: between fair and substantial (agreement beyond chance; bands of Landis and Koch).'
    """
    if math.isnan(value):
        return say("verdict.rate_unknown", name=name)
    return say(f"verdict.{SENTENCES[_judged(name)]}", name=name, value=value, band=_certain(name, value, interval))


def band_of(name: str, value: float) -> Message:
    """What such a number is usually called.

    >>> [str(band_of("EERopen", eer)) for eer in (0.02, 0.03, 0.1, 0.11)]
    ['excellent', 'good', 'acceptable', 'poor']
    >>> str(band_of("Kappa", 0.583)), str(band_of("Kappa", -0.1)), str(band_of("EER", 0.03))
    ('moderate', 'worse than chance', 'good')
    >>> [str(band_of("AUC[ovr]", auc)) for auc in (1.0, 0.93, 0.5, 0.4)]
    ['perfect', 'excellent', 'no better than chance', 'reversed, worse than chance']
    """
    kind = _judged(name)
    known = (band for limit, band in BANDS[kind] if (value >= limit if kind == "AUC" else value <= limit))
    return say(f"verdict.band.{'unknown' if math.isnan(value) else next(known)}")


def _judged(name: str) -> str:
    """The measure without its variant."""
    return name.partition("[")[0]


def _certain(name: str, value: float, interval: Interval | None) -> Message:
    """The band of every value that the interval holds, or those of its ends; without one that of the value."""
    ends = _ends(interval)
    if ends is None:
        return say("verdict.uncertain", band=band_of(name, value))
    low, high = band_of(name, min(ends[0], value)), band_of(name, max(ends[1], value))
    return low if low == high else say("verdict.between", low=low, high=high)


@dataclass(frozen=True, slots=True)
class Preset:
    """The measures a kind of use is judged by, and the other error it can live with."""

    name: str
    measures: tuple[str, ...]
    price: str  # what it costs: "rejected" (genuine users) or "accepted" (impostors)
    tolerable: float  # the most of that price that is usually accepted

    def is_met(self, results: Mapping[str, Result]) -> bool:
        """Whether the best of its measures is at most what is tolerable; what is undefined does not meet it."""
        return any(results[name].value <= self.tolerable for name in self.measures)

    def verdict(self, results: Mapping[str, Result], intervals: Mapping[str, Interval] | None = None) -> Message:
        """One sentence: does the system meet the target, and where, or does an interval leave that open?"""
        known = [(name, results[name]) for name in self.measures if not math.isnan(results[name].value)]
        if not known:
            return say("verdict.preset.unknown", preset=self.name, reason=results[self.measures[0]].reason)
        ends = {name: _ends((intervals or {}).get(name)) for name, _ in known}
        name, best = min(known, key=lambda item: (item[1].value, *reversed(ends[item[0]] or (0.0, math.inf))))
        found = say("verdict.preset.found", name=name, value=best.value)
        if best.threshold is not None:
            found = say("verdict.preset.found_at", name=name, value=best.value, threshold=readable(best.threshold))
        return say(
            "verdict.preset",
            preset=self.name,
            answer=self._answer(best.value, ends[name]),
            found=found,
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
    'FNIR 10 %: 5 % not detected, 5 % misidentified; both contribute; work on the threshold and on the matcher.'
    >>> str(fnir_diagnosis(0.9, 0.0999996)).partition(";")[0]
    'FNIR 99.99996 %: 90 % not detected, 9.99996 % misidentified'
    """
    if math.isnan(missed) or math.isnan(misidentified):
        return say("verdict.fnir_unknown")
    total = missed + misidentified
    if total == 0.0:
        return say("verdict.fnir_none")
    if missed >= DOMINATES * misidentified:
        cause = "detection"
    else:
        cause = "identification" if misidentified >= DOMINATES * missed else "both"
    known = [part for part in (missed, misidentified, 1.0 - total) if part > 0.0]
    decimals = decimals_for(min(known))  # two digits of the least, so that none looks certain
    parts = {"total": total, "missed": missed, "wrong": misidentified}
    shown: dict[str, Value] = {name: round(part, decimals) for name, part in parts.items()}
    return say("verdict.fnir", cause=say(f"verdict.cause.{cause}"), **shown)


def region_sentence(region: Region) -> Message:
    """What an operating region means in a day."""
    name = region.name
    if region.reason:
        return say("verdict.region.out", name=name, reason=region.reason)
    preferred = say("verdict.region.preferred", where=region_advice(region.id))
    lacking: dict[str, Value] = {"n": region.searches, "needed": region.needed}
    if region.not_measurable:
        return sentences(say("verdict.region.not_measurable", name=name, **lacking), preferred)
    rates: dict[str, Value] = {"name": name, "fpir": region.fpir, "dir": region.dir}
    if math.isfinite(region.threshold):
        rates_said = [say("verdict.region.rates_at", threshold=readable(region.threshold), **rates)]
    else:
        rates_said = [say("verdict.region.rates", **rates)]
    rates_said.append(_load(region))
    rates_said += [] if region.seen else [say("verdict.region.unseen", **lacking)]
    return sentences(*rates_said, preferred)


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


def plan_verdict(plan: Plan) -> Message:
    """How large the test should be.

    >>> from bertillon.stats.planning import Aim, plan_test
    >>> str(plan_verdict(plan_test(Aim("FNMR", 0.01), samples=5)))
    'Plan for 1,001 people with 5 mated comparisons each: FNMR 0.01 is then known within 30 % at 95 % confidence.'
    """
    aim, design = plan.aim, _design(plan, plan.size("precision").people)
    rate = short_rate(aim.rate)
    return say("planning.verdict", design=design, name=aim.name, rate=rate, precision=aim.precision, level=aim.level)


def plan_notes(plan: Plan, tried: SimulatedTests | None = None) -> list[Message]:
    """What the sizes rest on, a sentence or two each."""
    aim = plan.aim
    errors = math.ceil(round(aim.trials_to_measure * aim.rate, 6))
    notes = [
        say(
            "planning.rule_of_3",
            trials=aim.trials_to_bound,
            kind=say(f"planning.kind.{aim.name}"),
            name=aim.name,
            rate=short_rate(aim.rate),
            level=aim.level,
        ),
        say("planning.rule_of_30", errors=errors, precision=aim.precision),
        _sharing_note(plan, plan.size("precision")),
    ]
    if tried is not None:
        names = ("runs", "people", "width", "coverage", "naive_width", "naive_coverage")
        notes.append(say("planning.tried", **{name: getattr(tried, name) for name in names}))
    return notes


def _design(plan: Plan, people: int) -> Message:
    """So many people, and how often each or each pair of them is tried."""
    design = plan.design
    if not design.by_pair:
        return say(f"planning.design.{plan.aim.name}", people=people, n=design.samples)
    times = design.samples * (2 if design.ordered else 1)
    return say(f"planning.pairs.{OFTEN.get(times, 'times')}", people=people, n=times)


def _sharing_note(plan: Plan, size: Size) -> Message:
    design = plan.design
    if not design.by_pair and design.samples == 1:
        return say("planning.sharing.none")
    if not design.correlation:
        return say("planning.sharing.uncorrelated")
    return say(
        "planning.sharing.pair" if design.by_pair else "planning.sharing.person",
        share=design.correlation,
        correlation=plan.error_correlation,
        trials=size.trials,
        people=size.people,
        worth=size.worth,
    )


AUTHORS: dict[Text, str] = {  # methods named after people, who are called the same in every language
    say("method.clopper_pearson"): "Clopper-Pearson",
    say("method.wilson"): "Wilson",
    say("method.jeffreys"): "Jeffreys",
    say("method.agresti_coull"): "Agresti-Coull",
}


def method_name(method: Text) -> Text:
    """A method as people write it.

    >>> method_name(say("method.clopper_pearson"))
    'Clopper-Pearson'
    """
    if isinstance(method, Message) and "way" in method.values:  # a bound of one side
        return say(method.key, **{**method.values, "way": method_name(cast(Text, method.values["way"]))})
    return AUTHORS.get(method, method)


def interval_sentences(systems: Sequence[Mapping[str, Interval]], names: Sequence[str] = ()) -> list[Message]:
    """How the intervals of one or several systems were found, and when not to trust them; nothing where none are.

    With the `names` of the systems those are named of which nothing is known, where of others something is.

    >>> [str(said) for said in interval_sentences([{"EER": Interval(0.1, 0.2, method="subjects resampled")}])]
    ['95 % intervals: subjects resampled.']
    """
    known = [interval for intervals in systems for interval in intervals.values() if interval.method]
    if not known:
        return []
    methods = list(dict.fromkeys(way for interval in known for way in interval.ways))
    named = chained(list(map(method_name, methods)))
    return [say("intervals.methods", level=known[0].level, methods=named), *_naive(systems, names)]


def bounds_sentences(systems: Sequence[Mapping[str, Interval]]) -> list[Message]:
    """Which intervals are bounds or missing, and why, each reason once for all systems.

    >>> [str(said) for said in bounds_sentences([{"FMR@t=1": Interval(0.0, 0.1, reason="no error was seen")}])]
    ['FMR@t=1: no error was seen.']
    """
    reasons: dict[Text, dict[str, None]] = {}
    for intervals in systems:
        for name, interval in intervals.items():
            if interval.reason:
                reasons.setdefault(interval.reason, {})[name] = None
    return [say("intervals.reason", names=list(names), reason=reason) for reason, names in reasons.items()]


def _naive(systems: Sequence[Mapping[str, Interval]], of: Sequence[str]) -> list[Message]:
    """Which intervals treat trials as independent: all of them, those of some systems, or those that are named."""
    known = [(name, interval.naive) for each in systems for name, interval in each.items() if interval.method]
    whole = [{interval.naive for interval in each.values() if interval.method} for each in systems]
    if len(of) == len(systems) > 1 and {True} in whole and all(len(seen) < 2 for seen in whole) and {False} in whole:
        unknown = [name for name, seen in zip(of, whole, strict=True) if seen == {True}]
        return [say("intervals.naive_named", names=unknown)]
    names = list(dict.fromkeys(name for name, naive in known if naive))
    if not names:
        return []
    return [say("intervals.naive") if all(naive for _, naive in known) else say("intervals.naive_named", names=names)]
