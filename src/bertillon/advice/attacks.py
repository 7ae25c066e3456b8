"""Words for attacks: is the worst species within the limits, and what the numbers rest on.

Conventions: limits are those of the protection profile for biometric systems (BIO-PP): IAPAR of every species at most
15 % (PAD level 1) or 7 % (level 2). A rate within a limit whose interval reaches beyond it is observed, not
demonstrated.

Holds `attack_verdicts` and `attack_warnings`, for attacks on a system and for attack detectors.
"""

from __future__ import annotations

import math
from functools import singledispatch

from bertillon.analysis.attacks import AttackFinding, AttackRates, PadRates
from bertillon.core.messages import Message, say, sentences
from bertillon.stats.interval import needed_trials, short_rate

LIMITS = {1: 0.15, 2: 0.07}  # of each PAD level


def attack_verdicts(rates: AttackFinding) -> list[Message]:
    """What the worst species means, a sentence each.

    >>> import bertillon as bt
    >>> scores = bt.ScoreSet([0.9, 0.8], [0.1, 0.2])
    >>> rates = bt.analysis.attack_rates(scores, {"mask": [0.1] * 90 + [0.6] * 10}, threshold=0.5)
    >>> print(attack_verdicts(rates)[2])
    PAD level 2 (IAPAR at most 7 %): not met.
    """
    return [_worst(rates), *_own(rates)[0]]


def attack_warnings(rates: AttackFinding) -> list[Message]:
    """What to know before trusting the rates."""
    warnings = _own(rates)[1]
    if any(species.rate.interval.naive for species in rates.species):
        warnings.append(say("attacks.independent"))
    return [warning for warning in warnings if warning]


@singledispatch
def _own(_: AttackFinding) -> tuple[list[Message], list[Message | None]]:
    """Verdicts and warnings of one kind of finding only: of that of another package there are none."""
    return [], []


@_own.register
def _(rates: AttackRates) -> tuple[list[Message], list[Message | None]]:
    highest = max(species.rate.interval.high for species in rates.species)
    target, trials = _target(rates), rates.scores.nonmated.size
    fmr = _lacking("FMR", target, trials, say("advice.kind.nonmated")) if target else None
    return [_limit(level, rates.iapar, highest) for level in LIMITS], [fmr, _few(rates, min(LIMITS.values()))]


@_own.register
def _(rates: PadRates) -> tuple[list[Message], list[Message | None]]:
    acer = say("attacks.verdict.acer", acer=rates.acer)
    swapped = say(f"attacks.reversed.{rates.rule.value}", auc=rates.auc)  # attacks look more bona fide than bona fide
    optimistic = None if rates.target is None else say("attacks.optimistic")
    few = _few(rates, _target(rates) or min(point.target for point in rates.at_apcer))
    verdict = say("attacks.verdict.acer_unknown") if math.isnan(rates.acer) else acer
    return [verdict], [swapped if rates.auc < 0.5 else None, optimistic, few]


def _worst(rates: AttackFinding) -> Message:
    name, value = rates.measure, rates.worst.rate.value
    if not value:
        return say("attacks.verdict.none")
    if math.isnan(value):
        return say("attacks.verdict.worst_unknown", species=rates.worst.species, name=name)
    return say("attacks.verdict.worst", species=rates.worst.species, name=name, rate=value)


def _target(rates: AttackFinding) -> float | None:
    """The rate the threshold was fixed at, where so many trials can show it; None for a given threshold, 0 and 1."""
    return rates.target if rates.target is not None and 0.0 < rates.target < 1.0 else None


def _few(rates: AttackFinding, limit: float) -> Message | None:
    """Species of which there are too few presentations to show the limit, the smallest first (rule of 3)."""
    sizes = sorted((species.rate.result.trials or 0, species.species) for species in rates.species)
    short = [(trials, species) for trials, species in sizes if trials < needed_trials(limit)]
    if not short:
        return None
    trials, species = short[0]
    lacking = _lacking(rates.measure, limit, trials, say("attacks.few.kind", species=species))
    if lacking is None or len(short) == 1:
        return lacking
    return sentences(lacking, say("attacks.few.more", n=len(short) - 1))


def _lacking(name: str, rate: float, trials: int, kind: Message) -> Message | None:
    needed = needed_trials(rate)
    if trials >= needed:
        return None
    return say("attacks.few", name=name, rate=short_rate(rate), needed=needed, kind=kind, trials=trials)


def _limit(number: int, value: float, highest: float) -> Message:
    level, limit = say(f"attacks.level.{number}"), LIMITS[number]
    if value > limit:
        return say("attacks.limit.not_met", level=level, limit=limit)
    if math.isnan(highest):
        return say("attacks.limit.unknown", level=level, limit=limit)
    if highest > limit:
        return say("attacks.limit.observed", level=level, limit=limit, end=highest)
    return say("attacks.limit.met", level=level, limit=limit)
