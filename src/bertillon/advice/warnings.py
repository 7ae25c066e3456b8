"""What to know before trusting the numbers of an evaluation.

direction    mated scores look less alike than non-mated ones: a distance read as a similarity, or classes swapped
resolution   a target rate that so few comparisons cannot show (rule of 3)
few errors   a rate that rests on fewer than 30 errors (rule of 30)

and the mistakes of reporting that show (see `mistakes`).
"""

from __future__ import annotations

from bertillon.advice.mistakes import alone, tuned, uncalibrated
from bertillon.core.rule import AcceptRule
from bertillon.evaluation import Evaluation
from bertillon.evaluation.answers import Answers
from bertillon.measures import parse
from bertillon.measures.rates import Rate
from bertillon.stats.rules_of_thumb import RULE_OF_30, too_few_trials

BOUND = "What stands there is a bound, not a measurement."


def warnings_of(evaluation: Evaluation) -> list[str]:
    """Every warning that applies, most important first."""
    found = [
        direction(evaluation),
        failed(evaluation),
        *map(str, evaluation.scores.warnings),
        resolution(evaluation),
        few_errors(evaluation),
        uncalibrated(evaluation),
        tuned(evaluation),
        alone(evaluation),
    ]
    return [sentence for sentence in found if sentence]


def direction(evaluation: Evaluation) -> str | None:
    """The scores seem to point the other way."""
    if not evaluation.looks_reversed:
        return None
    if evaluation.rule is AcceptRule.SIMILARITY:
        return (
            "AUC is below 0.5: mated scores are lower than non-mated ones. Either these are distances (--distance, "
            "rule='distance'), or the genuine and the impostor scores are swapped. Scores were not inverted."
        )
    return (
        "AUC is below 0.5: mated distances are larger than non-mated ones. Either these are similarities "
        "(--similarity, rule='similarity'), or the genuine and the impostor scores are swapped. Scores were "
        "not inverted."
    )


def failed(evaluation: Evaluation) -> str | None:
    """Comparisons without a score are left out of FMR and FNMR."""
    failures = evaluation.scores.failures
    if not failures.comparisons:
        return None
    return (
        f"{failures.comparisons:,} failed comparisons ({failures.mated:,} mated, {failures.nonmated:,} non-mated) are "
        "left out of FMR and FNMR; FAR and FRR count them in."
    )


def resolution(evaluation: Evaluation) -> str | None:
    """The lowest target asked for that the number of comparisons cannot show."""
    trials = {"FMR": ("non-mated", evaluation.counts["nonmated"]), "FNMR": ("mated", evaluation.counts["mated"])}
    points = [measure.point for measure in map(parse, evaluation) if isinstance(measure, Rate)]
    for target, place in sorted((p.target, p.place) for p in points if p.place in trials and 0.0 < p.target < 1.0):
        kind, number = trials[place]
        lacking = too_few_trials(target, number, name=place, kind=f"{kind} comparisons (rule of 3)")
        if number and lacking:
            return f"{lacking}. {BOUND}"
    return None


def few_errors(evaluation: Answers) -> str | None:
    """Rates of comparisons or searches that rest on fewer than 30 errors."""
    few = [
        f"{name} ({result.errors})"
        for name, result in evaluation.results.items()
        if result.trials and result.errors is not None and result.errors < RULE_OF_30 and name not in ("FTA", "FTE")
    ]
    if not few:
        return None
    shown = ", ".join(few[:3]) + (f" and {len(few) - 3} more" if len(few) > 3 else "")
    return f"fewer than {RULE_OF_30} errors, so the true rate may well be 30 % off (rule of 30): {shown}."
