"""Words for searches: the open set beside verification, why people are missed, what a region means, what to doubt.

Holds `degradation`, `frr_diagnosis`, `region_sentence`, `region_advice` and `warnings_of_searches`.
"""

from __future__ import annotations

import math

from bertillon.advice.mistakes import alone_among_searches, blind, chance
from bertillon.advice.warnings import BOUND, few_errors
from bertillon.analysis.regions import Region
from bertillon.core.rule import readable
from bertillon.evaluation.identification import SearchEvaluation
from bertillon.measures.identification.rates import SearchRate
from bertillon.measures.registry import IDENTIFICATION
from bertillon.stats.rules_of_thumb import too_few_trials

USUAL_DEGRADATION = (2.0, 4.0)
PREFERRED = {  # regions, and where each is the right one (000, section 3.7)
    "extremely low false alarm": "where a false alarm costs far more than a miss, as in discreet surveillance",
    "extremely high detection": "where a miss costs far more than a false alarm, as at a border",
    "low false alarm, moderate detection": "where few people check alarms, as in a station",
    "high detection, moderate false alarm": "where a second check follows each alarm, as at an airport",
    "no threshold": "where everything is looked through afterwards, as in forensics",
}
DOMINATES = 2.0  # one part of the misses dominates when it is at least so many times the other


def degradation(eer_open: float, eer: float) -> str:
    """How much harder the open set is than verification for the same matcher.

    >>> degradation(0.015, 0.005)
    'EERopen 1.5 % is 3 times the EER of verification, 0.5 %: as usual (2 to 4 times).'
    """
    if math.isnan(eer_open) or math.isnan(eer) or eer <= 0.0:
        return "EERopen cannot be set against the EER of verification: one of them is zero or unknown."
    times, (low, high) = eer_open / eer, USUAL_DEGRADATION
    rounded = float(f"{times:.3g}")
    word = "as usual" if low <= rounded <= high else ("less than usual" if rounded < low else "more than usual")
    return (
        f"EERopen {eer_open * 100:.3g} % is {rounded:g} times the EER of verification, {eer * 100:.3g} %: "
        f"{word} ({low:g} to {high:g} times)."
    )


def frr_diagnosis(missed: float, misidentified: float) -> str:
    """Why enrolled people are not identified at rank 1, and what would help.

    >>> frr_diagnosis(0.05, 0.05)
    'FNIR 10 % = 5 % not detected + 5 % misidentified: both weigh; work on the threshold and on the matcher.'
    """
    if math.isnan(missed) or math.isnan(misidentified):
        return "FNIR cannot be split: it is unknown."
    total = missed + misidentified
    parts = f"FNIR {_percent(total)} = {_percent(missed)} not detected + {_percent(misidentified)} misidentified"
    if total == 0.0:
        return f"{parts}: every enrolled person is identified."
    if missed >= DOMINATES * misidentified:
        return f"{parts}: a problem of detection; a more permissive threshold helps, at the price of false alarms."
    if misidentified >= DOMINATES * missed:
        return f"{parts}: a problem of identification; only a matcher that tells people apart better helps."
    return f"{parts}: both weigh; work on the threshold and on the matcher."


def region_sentence(region: Region) -> str:
    """What an operating region means in a day."""
    if region.reason:
        return f"{region.name}: out of reach ({region.reason})."
    load = region.load
    misses = "" if load.misses is None else f", and {_number(load.misses)} people on the list missed"
    advice = f" Preferred {region_advice(region.name)}."
    doubt = "" if region.seen else " Too few non-enrolled searches to measure so low an FPIR: take it as a bound."
    at = f" at threshold {readable(region.threshold)}" if math.isfinite(region.threshold) else ""
    return (
        f"{region.name}: FPIR {_percent(region.fpir)}, DIR {_percent(region.dir)}{at}. "
        f"A day: {_number(load.false_alarms)} false alarms, {_number(load.hours)} hours of checking{misses}."
        f"{doubt}{advice}"
    )


def region_advice(name: str) -> str:
    """Where an operating region is preferred, by its name.

    >>> region_advice("extremely high detection")
    'where a miss costs far more than a false alarm, as at a border'
    """
    return PREFERRED[name]


def warnings_of_searches(evaluation: SearchEvaluation) -> list[str]:
    """Every warning that applies, most important first."""
    found = [
        _failed(evaluation),
        *map(str, evaluation.searches.warnings),
        _resolution(evaluation),
        few_errors(evaluation),
        chance(evaluation),
        blind(evaluation) or alone_among_searches(evaluation),
    ]
    return [sentence for sentence in found if sentence]


def _failed(evaluation: SearchEvaluation) -> str | None:
    searches = evaluation.searches
    if not searches.failed:
        return None
    return (
        f"{searches.failed:,} searches gave no score ({searches.failed_enrolled:,} enrolled, "
        f"{searches.failed_nonenrolled:,} non-enrolled) and are left out of all rates."
    )


def _resolution(evaluation: SearchEvaluation) -> str | None:
    """The lowest FPIR asked for that the number of non-enrolled searches cannot show."""
    points = [measure.point for measure in map(IDENTIFICATION.parse, evaluation) if isinstance(measure, SearchRate)]
    trials = evaluation.tally.n_nonenrolled
    targets = [p.target for p in points if p.place == "FPIR" and 0.0 < p.target < 1.0]
    if not targets or not trials:
        return None
    lacking = too_few_trials(min(targets), trials, name="FPIR", kind="non-enrolled searches (rule of 3)")
    return f"{lacking}. {BOUND}" if lacking else None


def _percent(rate: float) -> str:
    return f"{rate * 100:.4g} %"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
