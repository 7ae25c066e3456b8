"""What is asked about a classifier: the usual measures, those of the complete report in sections, and by group.

    decisions      how right the decisions are, at the threshold in use
    averages       several classes: precision, recall and F1 over classes
    ranking        how well scores tell the classes apart, whatever the threshold
    probabilities  how far probabilities can be trusted
    cost           what the errors cost

Conventions: a section stands there where the predictions can answer it. Averages are over classes that occur. Every
group (sites, age bands, devices, queries) is judged by the same decisions as the whole; no threshold is found anew.

Holds `class_measures`, `complete_sections`, `joined`, `per_class`, `by_group` and `group_measures`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.evaluation.evaluation import ClassEvaluation, evaluate
from bertillon.measures.base import Measure
from bertillon.measures.classification.decisions import ClassRate
from bertillon.measures.classification.ranking import group_rows
from bertillon.measures.cost import ClassCost, ErrorCosts, LeastClassCost
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions

Sections = Mapping[str, tuple[str, ...]]

DECIDED = ("Accuracy", "BalancedAccuracy", "Precision", "Recall", "Specificity", "NPV", "F1", "MCC", "Kappa")
DECIDED_SEVERAL = (
    "Accuracy",
    "BalancedAccuracy",
    "Precision[macro]",
    "Recall[macro]",
    "F1[macro]",
    "F1[micro]",
    "F1[weighted]",
    "MCC",
    "Kappa",
)
RANKED = ("AUC", "AP")
AT_TARGETS = ("Youden", "Recall@FPR=0.01", "Recall@FPR=0.1", "Precision@Recall=0.9")
PROBABLE = ("LogLoss", "Brier", "Reliability", "Resolution", "Uncertainty", "ECE", "MCE")
PROBABILITIES = ("LogLoss", "Brier", "Reliability", "Resolution", "Uncertainty", "Remainder", "ECE", "MCE")
AVERAGED = ("Precision", "Recall", "F1")
AVERAGES = ("macro", "micro", "weighted")
AGREEMENT = ("Accuracy", "BalancedAccuracy", "MCC", "Kappa")
MOST = 1_000  # more groups than this are queries, not kinds of samples


def class_measures(predictions: Predictions) -> tuple[str, ...]:
    """The complete report for what these predictions hold."""
    if not predictions.is_binary:
        if predictions.probabilities is None:
            return DECIDED_SEVERAL
        top = ("Top@5",) if predictions.n_classes > 5 else ()
        return (*DECIDED_SEVERAL, "AUC[ovr]", *top, "LogLoss", "Brier", "ECE", "MCE")
    decided = predictions.predicted is not None or predictions.probabilities is not None
    asked = DECIDED if decided else ()
    if predictions.positive_scores is not None:
        asked = (*asked, *RANKED, *(() if decided else AT_TARGETS))
    return (*asked, *(PROBABLE if predictions.probabilities is not None else ()), "Prevalence")


def complete_sections(predictions: Predictions, *, decided: bool, costs: ErrorCosts | None = None) -> Sections:
    """What to ask about these predictions; `decided` says that there are decisions to judge.

    >>> list(complete_sections(Predictions.from_scores([1, 0], [2.5, 1.0]), decided=True))
    ['decisions', 'ranking']
    """
    made = _two(predictions, decided, costs) if predictions.is_binary else _several(predictions)
    return {name: measures for name, measures in made.items() if measures}


def joined(every: Iterable[Sections]) -> Sections:
    """The sections of several systems in one, each measure once."""
    whole: dict[str, dict[str, None]] = {}
    for sections in every:
        for name, measures in sections.items():
            whole.setdefault(name, {}).update(dict.fromkeys(measures))
    return {name: tuple(measures) for name, measures in whole.items()}


def _two(predictions: Predictions, decided: bool, costs: ErrorCosts | None) -> dict[str, tuple[str, ...]]:
    scored, probable = predictions.positive_scores is not None, predictions.probabilities is not None
    sections = {
        "decisions": (*DECIDED, "Prevalence") if decided else (),
        "ranking": (*RANKED, *(() if probable else AT_TARGETS)) if scored else (),
        "probabilities": PROBABILITIES if probable else (),
    }
    if costs is not None:
        least = (str(LeastClassCost(costs)),) if scored else ()
        sections["cost"] = (str(ClassCost(costs)), *least) if decided else least
    return sections


def _several(predictions: Predictions) -> dict[str, tuple[str, ...]]:
    probable = predictions.probabilities is not None
    top = () if predictions.n_classes < 3 else ("Top@2",) if predictions.n_classes <= 5 else ("Top@5",)
    return {
        "decisions": AGREEMENT,
        "averages": tuple(f"{name}[{average}]" for average in AVERAGES for name in AVERAGED),
        "ranking": ("AUC[ovr]", "AUC[ovo]", *top) if probable else (),
        "probabilities": ("LogLoss", "Brier", "ECE", "MCE") if probable else (),
    }


def per_class(tally: ClassTally) -> pl.DataFrame:
    """One row a class: support, how often predicted, and its rates against the rest; undefined ones are null.

    >>> evaluation = evaluate(Predictions.from_labels(["a", "a", "b"], ["a", "b", "b"]))
    >>> per_class(evaluation.tally)["Recall"].to_list()
    [0.5, 1.0]
    """
    confusion, predictions = tally.confusion, tally.predictions
    if confusion is None:
        raise InputError("scores decide nothing by themselves; give predicted labels or probabilities")
    cells = confusion.one_vs_rest
    columns: dict[str, Any] = {"class": [str(label) for label in predictions.classes], "support": cells.support}
    columns["predicted"] = cells.tp + cells.fp
    for name in ("Precision", "Recall", "Specificity"):
        columns[name] = _shares(ClassRate(name), cells)
    columns["F1"] = _shares(ClassRate("F1", beta=1.0), cells)
    if predictions.probabilities is not None:
        columns["AUC"] = tally.class_areas.vs_rest
    rates = [name for name in columns if name not in ("class", "support", "predicted")]
    return pl.DataFrame(columns).with_columns(pl.col(rates).fill_nan(None))


def _shares(rate: ClassRate, cells: Any) -> Any:
    part, whole = rate.shares(cells)
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def group_measures(predictions: Predictions) -> tuple[str, ...]:
    """What is asked of every group."""
    if not predictions.is_binary:
        return ("Accuracy", "BalancedAccuracy", "MCC")
    ranked = ("AUC",) if predictions.positive_scores is not None else ()
    return ("Prevalence", "Recall", "FPR", "Precision", "F1", *ranked)


def by_group(evaluation: ClassEvaluation, measures: Iterable[str | Measure] | None = None) -> list[ClassEvaluation]:
    """An evaluation a group, under the group's name; none where the samples have no groups, or more than a thousand.

    >>> given = Predictions.from_labels([1, 0, 1, 0], [1, 0, 0, 0], groups=["a", "a", "b", "b"])
    >>> [(one.name, one["Recall"].value) for one in by_group(evaluate(given))]
    [('a', 1.0), ('b', 0.0)]
    """
    predictions = evaluation.trials
    if predictions.groups is None:
        return []
    rows = group_rows(evaluation.tally)
    if len(rows) > MOST:
        return []
    asked = list(group_measures(predictions) if measures is None else measures)
    parts = [replace(predictions.select(chosen), name=str(predictions.groups[chosen[0]])) for chosen in rows]
    return [evaluate(part, asked) for part in parts]
