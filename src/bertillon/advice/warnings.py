"""What to know before trusting the numbers of an evaluation.

direction    mated scores look less alike than non-mated ones: a distance read as a similarity, or classes swapped
resolution   a target rate that so few comparisons cannot show (rule of 3)
few errors   a rate that rests on fewer than 30 errors (rule of 30)

and the mistakes of reporting that show (see `mistakes`).
"""

from __future__ import annotations

from bertillon.advice.mistakes import alone, tuned, uncalibrated
from bertillon.core.messages import Message, Text, abridged, say
from bertillon.evaluation import AnyEvaluation, ScoreEvaluation
from bertillon.measures import parse
from bertillon.measures.rates import Rate
from bertillon.stats.rules_of_thumb import RULE_OF_30, needed_trials, short_rate

KINDS = {"FMR": ("nonmated", say("advice.kind.nonmated")), "FNMR": ("mated", say("advice.kind.mated"))}  # of targets


def warnings_of(evaluation: ScoreEvaluation) -> list[Text]:
    """Every warning that applies, most important first."""
    warnings: list[Text | None] = [
        direction(evaluation),
        failed(evaluation),
        *evaluation.trials.warnings,
        resolution(evaluation),
        few_errors(evaluation),
        uncalibrated(evaluation),
        tuned(evaluation),
        alone(evaluation),
    ]
    return [warning for warning in warnings if warning]


def direction(evaluation: ScoreEvaluation) -> Message | None:
    """The scores seem to point the other way."""
    return say(f"advice.direction.{evaluation.rule.value}") if evaluation.tally.looks_reversed else None


def failed(evaluation: ScoreEvaluation) -> Message | None:
    """Comparisons without a score are left out of FMR and FNMR."""
    failures = evaluation.trials.failures
    if not failures.comparisons:
        return None
    return say("advice.failed", n=failures.comparisons, mated=failures.mated, nonmated=failures.nonmated)


def resolution(evaluation: ScoreEvaluation) -> Message | None:
    """The lowest target asked for that the number of comparisons cannot show."""
    points = [measure.point for measure in map(parse, evaluation) if isinstance(measure, Rate)]
    for target, rate in sorted((p.target, p.key) for p in points if p.key in KINDS and 0.0 < p.target < 1.0):
        count, kind = KINDS[rate]
        trials = evaluation.counts[count]
        if trials and (warning := unresolved(rate, target, trials, kind)):
            return warning
    return None


def unresolved(name: str, target: float, trials: int, kind: Message) -> Message | None:
    """A rate that so many trials cannot show (rule of 3), or None where they suffice."""
    needed = needed_trials(target)
    if trials >= needed:
        return None
    return say("advice.resolution", name=name, target=short_rate(target), needed=needed, kind=kind, trials=trials)


def few_errors(evaluation: AnyEvaluation) -> Message | None:
    """Rates of comparisons or searches that rest on fewer than 30 errors."""
    few = [
        say("advice.errors_of", name=name, errors=result.errors)
        for name, result in evaluation.results.items()
        if result.trials and result.errors is not None and result.errors < RULE_OF_30 and name not in ("FTA", "FTE")
    ]
    return say("advice.few_errors", few=RULE_OF_30, names=abridged(few)) if few else None
