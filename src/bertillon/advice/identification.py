"""Words for searches: the open set beside verification, why people are missed, what a region means, what to doubt.

Holds `degradation`, `fnir_diagnosis`, `region_sentence`, `region_advice` and `warnings_of_searches`.
"""

from __future__ import annotations

import math

from bertillon.advice.warnings import alone_among_searches, blind, chance, few_errors, unresolved
from bertillon.analysis.in_use import Region
from bertillon.core.messages import Message, Text, Value, say, sentences
from bertillon.core.rule import readable
from bertillon.evaluation import SearchEvaluation
from bertillon.measures.registry import IDENTIFICATION
from bertillon.measures.spelling import Spelling

USUAL_DEGRADATION = (2.0, 4.0)
DOMINATES = 2.0  # one part of the misses dominates when it is at least so many times the other


def degradation(eer_open: float, eer: float) -> Message:
    """How much harder the open set is than verification for the same matcher.

    >>> str(degradation(0.015, 0.005))
    'EERopen 1.5 % is 3 times the EER of verification, 0.5 %: as usual (2 to 4 times).'
    """
    if math.isnan(eer_open) or math.isnan(eer) or eer <= 0.0:
        return say("verdict.degradation_unknown")
    low, high = USUAL_DEGRADATION
    times = float(f"{eer_open / eer:.3g}")
    usual = "as" if low <= times <= high else "less" if times < low else "more"
    word = say(f"verdict.usual.{usual}")
    return say("verdict.degradation", opened=eer_open, times=times, eer=eer, word=word, low=low, high=high)


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
    rates_said += [] if region.seen else [say("verdict.region.bound")]
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


def warnings_of_searches(evaluation: SearchEvaluation) -> list[Text]:
    """Every warning that applies, most important first."""
    warnings: list[Text | None] = [
        _failed(evaluation),
        *evaluation.trials.warnings,
        _resolution(evaluation),
        few_errors(evaluation),
        chance(evaluation),
        blind(evaluation) or alone_among_searches(evaluation),
    ]
    return [warning for warning in warnings if warning]


def _failed(evaluation: SearchEvaluation) -> Message | None:
    searches = evaluation.trials
    if not searches.failed:
        return None
    enrolled, others = searches.failed_enrolled, searches.failed_nonenrolled
    return say("advice.failed_searches", n=searches.failed, enrolled=enrolled, others=others)


def _resolution(evaluation: SearchEvaluation) -> Message | None:
    """The lowest FPIR asked for that the number of non-enrolled searches cannot show."""
    rates = [Spelling.read(name).at for name in evaluation if IDENTIFICATION.unit_of(name) == "rate"]
    trials = evaluation.tally.n_nonenrolled
    targets = [at["FPIR"] for at in rates if 0.0 < at.get("FPIR", 0.0) < 1.0]
    if not targets or not trials:
        return None
    return unresolved("FPIR", min(targets), trials, say("advice.kind.nonenrolled"))
