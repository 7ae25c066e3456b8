"""Words for the comparison of systems over all false match rates.

Conventions: pairs grow with the square of the systems, so of more than `MANY` only the best are spoken of.

Holds `comparison_sentences` (every pair), `comparison_sentence` (one), and `leading`, the best of many systems, with
`shown_systems`, which says that they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bertillon.analysis.leads import Comparison, compare_curves
from bertillon.core.messages import Message, say
from bertillon.evaluation import ScoreEvaluation
from bertillon.measures.better import better

SHOWN_CROSSINGS = 3
MANY = 20  # systems, of which all are shown
BEST = 10  # shown of more


def leading(evaluations: Sequence[ScoreEvaluation]) -> tuple[list[ScoreEvaluation], str]:
    """All systems, or of many the best, and by which measure they are: the first one of which less or more is better.

    Where there is none the first systems are taken.
    """
    if len(evaluations) <= MANY:
        return list(evaluations), ""
    name = next((name for name in evaluations[0].results if better(name)), "")
    if not name:
        return list(evaluations[:BEST]), ""
    sign = -better(name)

    def place(evaluation: ScoreEvaluation) -> float:
        value = evaluation.results[name].value
        return math.inf if math.isnan(value) else sign * value

    return sorted(evaluations, key=place)[:BEST], name


def shown_systems(every: int, shown: int, best_by: str) -> Message:
    """Which of very many systems are shown."""
    if best_by:
        return say("comparison.best", every=every, n=shown, measure=best_by)
    return say("comparison.first", every=every, n=shown)


def comparison_sentences(evaluations: Sequence[ScoreEvaluation]) -> list[Message]:
    """Who is better at which false match rate, for every pair of systems."""
    return [
        comparison_sentence(pair)
        for pair in compare_curves({evaluation.name: evaluation.tally.curve for evaluation in evaluations})
    ]


def comparison_sentence(comparison: Comparison) -> Message:
    """Who is better at which false match rate; of many changes of the lead the first few.

    >>> from bertillon.analysis.leads import Lead
    >>> str(comparison_sentence(Comparison("A", "B", (Lead(0.0, 0.01, "A"), Lead(0.01, 1.0, "B")))))
    'A has the lower FNMR below FMR 0.01, B from FMR 0.01 on. Neither is better throughout.'
    """
    first, second = comparison.first, comparison.second
    if comparison.is_tied:
        return say("comparison.tied", first=first, second=second)
    if comparison.dominant is not None:
        worse = second if comparison.dominant == first else first
        return say("comparison.dominates", better=comparison.dominant, worse=worse)
    crossings = comparison.crossings
    later = [say("comparison.from", name=crossing.after, fmr=crossing.high) for crossing in crossings[:SHOWN_CROSSINGS]]
    return say("comparison.crossing", name=crossings[0].before, fmr=crossings[0].low, later=later)
