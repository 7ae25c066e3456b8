"""Words for attacks: is the worst species within the limits, and what the numbers rest on.

Conventions: limits are those of the protection profile for biometric systems (BIO-PP): IAPAR of every species at most
15 % (PAD level 1) or 7 % (level 2). A rate within a limit whose interval reaches beyond it is said to be seen, not
shown.

Holds `attack_verdicts` and `attack_warnings`, for attacks on a system and for attack detectors.
"""

from __future__ import annotations

import math

from bertillon.analysis.attack_detection import NOT_FAVOURED, PadRates
from bertillon.analysis.attacks import AttackRates
from bertillon.core.rule import AcceptRule
from bertillon.stats.rules_of_thumb import too_few_trials

LIMITS = {"PAD level 1": 0.15, "PAD level 2": 0.07}
OPTIMISTIC = "The threshold was found on these presentations, so the rates are optimistic: fix it on others."
INDEPENDENT = (
    "Presentations are taken as independent; if some are of one person or one instrument, the intervals are too narrow "
    "(a column 'subject' cures that)."
)


def attack_verdicts(rates: AttackRates | PadRates) -> list[str]:
    """What the worst species means, a sentence each.

    >>> import bertillon as bt
    >>> scores = bt.ScoreSet([0.9, 0.8], [0.1, 0.2])
    >>> found = bt.attack_rates(scores, {"mask": [0.1] * 90 + [0.6] * 10}, threshold=0.5)
    >>> print(attack_verdicts(found)[1])
    PAD level 1 (IAPAR at most 15 %): met by what was seen, not shown: the interval reaches 17.6 %.
    """
    name = "IAPAR" if isinstance(rates, AttackRates) else "APCER"
    value = rates.worst.rate.value
    first = f"Worst species: {rates.worst.species}, {name} {_percent(value)}." if value else "No attack came through."
    if isinstance(rates, PadRates):
        return [first, f"ACER {_percent(rates.acer)}: {NOT_FAVOURED}."]
    highest = max(one.rate.interval.high for one in rates.species)
    return [first, *(_limit(level, limit, value, highest) for level, limit in LIMITS.items())]


def attack_warnings(rates: AttackRates | PadRates) -> list[str]:
    """What to know before trusting the rates."""
    found: list[str | None] = []
    target = _target(rates)
    if isinstance(rates, AttackRates):
        if target:
            found.append(_sentence(too_few_trials(target, rates.scores.nonmated.size)))
        found += [_few(rates, min(LIMITS.values()), "IAPAR")]
    else:
        found.append(_reversed(rates))
        found.append(OPTIMISTIC if rates.fixed_by != "t" else None)
        found.append(_few(rates, target or min(one.target for one in rates.at_apcer), "APCER"))
    if any(one.rate.interval.naive for one in rates.species):
        found.append(INDEPENDENT)
    return [sentence for sentence in found if sentence]


def _reversed(rates: PadRates) -> str | None:
    """Attacks look more bona fide than bona fide presentations: the direction or the labels are the other way round."""
    if not rates.auc < 0.5:
        return None
    if rates.rule is AcceptRule.SIMILARITY:
        return (
            f"Bona fide presentations score lower than attacks (AUC {rates.auc:.3f}). Either a lower score means bona "
            "fide (--distance), or the labels mean the contrary (--values attack=1,bonafide=0)."
        )
    return (
        f"Bona fide presentations score higher than attacks (AUC {rates.auc:.3f}). Either a higher score means bona "
        "fide (--similarity), or the labels mean the contrary (--values attack=1,bonafide=0)."
    )


def _target(rates: AttackRates | PadRates) -> float | None:
    """The rate the threshold was fixed at; None for a given threshold, 0 and 1."""
    _, _, rate = rates.fixed_by.partition("=")
    return float(rate) if rate and 0.0 < float(rate) < 1.0 else None


def _few(rates: AttackRates | PadRates, limit: float, name: str) -> str | None:
    """Species of which there are too few presentations to show the limit, the smallest first (rule of 3)."""
    sizes = sorted((one.rate.result.trials or 0, one.species) for one in rates.species)
    short = [pair for pair in sizes if too_few_trials(limit, pair[0])]
    if not short:
        return None
    words = too_few_trials(limit, short[0][0], name=name, kind=f"attacks of {short[0][1]!r}")
    more = f" ({len(short) - 1} more species have too few)" if len(short) > 1 else ""
    return f"{words}{more}."


def _sentence(words: str | None) -> str | None:
    return None if words is None else f"{words}."


def _limit(level: str, limit: float, value: float, highest: float) -> str:
    words = f"{level} (IAPAR at most {_percent(limit)})"
    if value > limit:
        return f"{words}: not met."
    if math.isnan(highest) or highest > limit:
        reach = "is not known" if math.isnan(highest) else f"reaches {_percent(highest)}"
        return f"{words}: met by what was seen, not shown: the interval {reach}."
    return f"{words}: met, upper ends of the intervals included."


def _percent(rate: float) -> str:
    return "unknown" if math.isnan(rate) else f"{100 * rate:.3g} %"
