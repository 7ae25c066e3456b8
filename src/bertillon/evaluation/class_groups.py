"""The same classifier group by group: sites, age bands, devices, queries.

Conventions: every group is judged by the same decisions as the whole; no threshold is found anew.

Holds `by_group` and `group_measures`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bertillon.evaluation.classification import ClassEvaluation, evaluate_predictions
from bertillon.measures.base import Measure
from bertillon.measures.classification.base import group_rows
from bertillon.trials.predictions import Predictions

MOST = 1_000  # more groups than this are queries, not kinds of samples


def group_measures(predictions: Predictions) -> tuple[str, ...]:
    """What is asked of every group."""
    if not predictions.is_binary:
        return ("Accuracy", "BalancedAccuracy", "MCC")
    ranked = ("AUC",) if predictions.positive_scores is not None else ()
    return ("Prevalence", "Recall", "FPR", "Precision", "F1", *ranked)


def by_group(evaluation: ClassEvaluation, measures: Iterable[str | Measure] | None = None) -> list[ClassEvaluation]:
    """An evaluation a group, under the group's name; none where the samples have no groups, or more than a thousand.

    >>> given = Predictions.from_labels([1, 0, 1, 0], [1, 0, 0, 0], groups=["a", "a", "b", "b"])
    >>> [(one.name, one["Recall"].value) for one in by_group(evaluate_predictions(given))]
    [('a', 1.0), ('b', 0.0)]
    """
    predictions = evaluation.predictions
    if predictions.groups is None:
        return []
    rows = group_rows(evaluation.tally)
    if len(rows) > MOST:
        return []
    asked = list(group_measures(predictions) if measures is None else measures)
    parts = [replace(predictions.select(chosen), name=str(predictions.groups[chosen[0]])) for chosen in rows]
    return [evaluate_predictions(part, asked) for part in parts]
