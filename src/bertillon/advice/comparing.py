"""Words for the comparison of systems over all false match rates.

Holds `comparison_sentences` (every pair) and `comparison_sentence` (one).
"""

from __future__ import annotations

from collections.abc import Sequence

from bertillon.analysis.leads import Comparison, compare_curves
from bertillon.evaluation import Evaluation

SHOWN_CROSSINGS = 3


def comparison_sentences(evaluations: Sequence[Evaluation]) -> list[str]:
    """Who is better at which false match rate, for every pair of systems."""
    return [comparison_sentence(one) for one in compare_curves({one.name: one.curve for one in evaluations})]


def comparison_sentence(comparison: Comparison) -> str:
    """Who is better at which false match rate.

    >>> from bertillon.analysis.leads import Lead
    >>> comparison_sentence(Comparison("A", "B", (Lead(0.0, 0.01, "A"), Lead(0.01, 1.0, "B"))))
    'A has the lower FNMR below FMR 0.01, B from FMR 0.01 on; neither is better throughout.'
    """
    first, second = comparison.first, comparison.second
    if comparison.is_tied:
        return f"{first} and {second} have the same FNMR at every FMR."
    if comparison.dominant is not None:
        worse = second if comparison.dominant == first else first
        return f"{comparison.dominant} is nowhere worse than {worse} and somewhere better: it dominates at every FMR."
    crossings = comparison.crossings
    shown = [f"{crossings[0].before} has the lower FNMR below FMR {crossings[0].low:.4g}"]
    shown += [f"{one.after} from FMR {one.high:.4g} on" for one in crossings[:SHOWN_CROSSINGS]]
    if len(crossings) > SHOWN_CROSSINGS:
        shown.append(f"and the lead changes {len(crossings) - SHOWN_CROSSINGS} times more")
    return f"{', '.join(shown)}; neither is better throughout."
