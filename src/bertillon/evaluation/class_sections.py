"""The measures of the complete report about a classifier, in sections.

    decisions      how right the decisions are, at the threshold in use
    averages       several classes: precision, recall and F1 over classes
    ranking        how well scores tell the classes apart, whatever the threshold
    probabilities  how far probabilities can be trusted
    cost           what the errors cost

Conventions: a section stands there where the predictions can answer it. Averages are over classes that occur.

Holds `complete_sections` and `joined`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bertillon.evaluation.classification import AT_TARGETS, DECIDED, RANKED
from bertillon.measures.classification.cost import ClassCost, ErrorCosts, LeastClassCost
from bertillon.trials.predictions import Predictions

Sections = Mapping[str, tuple[str, ...]]

PROBABILITIES = ("LogLoss", "Brier", "Reliability", "Resolution", "Uncertainty", "Remainder", "ECE", "MCE")
AVERAGED = ("Precision", "Recall", "F1")
AVERAGES = ("macro", "micro", "weighted")
AGREEMENT = ("Accuracy", "BalancedAccuracy", "MCC", "Kappa")


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
