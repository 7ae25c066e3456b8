"""Which measures to report for a classifier and why, words for its numbers, and what to know before trusting them.

Conventions: advice names measures in the language of `measures.classification`, most important first, each with its
reason. A class share below 0.1 or above 0.9 is strongly unbalanced, outside 0.35 to 0.65 moderately. A warning says
what is doubtful, why, and what to do.

Holds `advise` with `Advice`, `advise_for` (from predictions), `kappa_word` (Landis and Koch), `auc_word`,
`warnings_of_classes` and `VOCABULARY`, the names of the same rates in biometrics and in machine learning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from bertillon.errors import InputError
from bertillon.evaluation.classification import ClassEvaluation
from bertillon.formats.spelling import unknown
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.classification.cost import LeastClassCost, Youden
from bertillon.measures.classification.rates import ClassRate
from bertillon.trials.predictions import Predictions

STRONG, MODERATE = 0.1, 0.35  # the smaller class has less than this share
COSTS = ("equal", "fn", "fp", "unknown")
FEW = 30

KAPPA_BANDS = (
    (0.20, "slight"),
    (0.40, "fair"),
    (0.60, "moderate"),
    (0.80, "substantial"),
    (1.00, "almost perfect"),
)
AUC_BANDS = ((0.9, "excellent"), (0.8, "good"), (0.7, "acceptable"), (0.5, "weak"))

VOCABULARY = (
    # machine learning, biometrics (comparisons), everyday biometrics, what it is
    ("FPR", "FMR", "FAR", "impostors (negatives) accepted"),
    ("FNR", "FNMR", "FRR", "genuine users (positives) rejected"),
    ("Recall", "TMR", "GAR", "genuine users (positives) accepted"),
    ("Specificity", "TNMR", "GRR", "impostors (negatives) rejected"),
)


@dataclass(frozen=True, slots=True)
class Advice:
    """Measures to report, most important first, and why each; `notes` say what else to do."""

    metrics: tuple[str, ...]
    reasons: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Domain:
    """What a field usually reports."""

    primary: tuple[str, ...]
    secondary: tuple[str, ...]
    reason: str


DOMAINS = {
    "screening": Domain(
        ("Recall", "F(beta=2)"), ("Specificity", "AP"), "a missed case is critical, a false alarm is checked again"
    ),
    "diagnosis": Domain(
        ("BalancedAccuracy", "MCC", "F1"),
        ("Specificity", "Precision"),
        "needless treatment and missed cases both count",
    ),
    "fraud": Domain(
        ("P@100", "AP", "F(beta=1.5)"),
        ("Recall", "AUC"),
        "missed fraud costs money, and alarms need people to check them",
    ),
    "spam": Domain(
        ("Precision", "F(beta=0.5)"), ("FPR", "Specificity"), "a legitimate message lost is worse than spam let through"
    ),
    "retrieval": Domain(
        ("MAP", "NDCG@10", "P@10"), ("R@10", "F1"), "only the top of the list is read, and its order counts"
    ),
    "vision": Domain(("Accuracy", "Top@5"), ("F1[macro]",), "many classes: the first guesses count, and each class"),
    "sentiment": Domain(
        ("F1[macro]", "F1[weighted]"),
        ("Precision[macro]", "Recall[macro]"),
        "classes are unequal and all of them count",
    ),
    "biometrics": Domain(
        ("Recall@FPR=0.001", "AUC"), ("FNR@FPR=0.01",), "the false accept rate is fixed first, and rejections follow"
    ),
}


def advise(
    *,
    balance: float = 0.5,
    costs: str = "unknown",
    threshold_fixed: bool = True,
    probabilities_needed: bool = False,
    classes: int = 2,
    domain: str | None = None,
) -> Advice:
    """The measures to report, from the share of the smallest class, the dearer error and the use.

    `balance` is the share of the positive class (of several classes: of the smallest one, 1 / classes being even);
    `costs` is "fn", "fp", "equal" or "unknown"; `threshold_fixed` says whether one operating point is used.

    >>> advise(balance=0.02, costs="fn").metrics[:3]
    ('Recall', 'F(beta=2)', 'AP')
    """
    _check(balance, costs, classes, domain)
    said: dict[str, str] = {}
    if domain:
        _add(said, DOMAINS[domain].primary, f"{domain}: {DOMAINS[domain].reason}")
    if classes > 2:
        _for_classes(said, classes, balance * classes)
    else:
        _for_costs(said, balance, costs)
    if not threshold_fixed and classes == 2:
        _for_curves(said, balance)
    if probabilities_needed:
        reason = "probabilities are used as such, so they must mean what they say"
        _add(said, ("LogLoss", "Brier", "ECE"), reason)
    if domain:
        _add(said, DOMAINS[domain].secondary, f"{domain}, second: {DOMAINS[domain].reason}")
    return Advice(tuple(said), said, _notes(costs, threshold_fixed))


def advise_for(
    predictions: Predictions,
    *,
    costs: str = "unknown",
    threshold_fixed: bool = True,
    probabilities_needed: bool = False,
    domain: str | None = None,
) -> Advice:
    """Advice with balance and number of classes taken from the predictions."""
    shares = np.bincount(predictions.truth, minlength=predictions.n_classes) / predictions.size
    return advise(
        balance=float(shares[predictions.positive_code] if predictions.is_binary else shares.min()),
        costs=costs,
        threshold_fixed=threshold_fixed,
        probabilities_needed=probabilities_needed,
        classes=predictions.n_classes,
        domain=domain,
    )


def _for_costs(said: dict[str, str], balance: float, costs: str) -> None:
    """Two classes: 003's tree, by balance and by the dearer error."""
    rare = min(balance, 1.0 - balance)
    if costs == "fn":
        _add(said, ("Recall", "F(beta=2)"), "missed positives cost most")
    elif costs == "fp":
        _add(said, ("Precision", "F(beta=0.5)"), "false alarms cost most")
    if rare >= MODERATE:
        _add(said, ("Accuracy", "BalancedAccuracy"), "the classes are about equal, so accuracy means something")
        _add(said, ("F1", "MCC"), "two complementary numbers, where one alone hides trade-offs")
        return
    if costs == "fn":
        _add(said, ("AP",), "positives are rare: the precision-recall curve shows what the ROC hides")
    _add(said, ("F1", "MCC"), "the classes are unequal: accuracy rewards naming the larger one")
    _add(said, ("BalancedAccuracy", "Kappa"), "both classes count alike, whatever their size")


def _for_classes(said: dict[str, str], classes: int, even: float) -> None:
    balanced = even >= 0.5
    if balanced:
        _add(said, ("Accuracy",), "the classes are about equal")
        _add(said, ("F1[macro]", "MCC"), "every class counts alike")
    else:
        _add(said, ("F1[macro]", "BalancedAccuracy", "MCC"), "the classes are unequal and each counts alike")
        _add(said, ("F1[weighted]",), "a compromise: classes count by their size")
    if classes > 5:
        _add(said, ("Top@5",), "with many classes the right one among the first guesses is worth something")
    _add(said, ("Kappa",), "agreement beyond chance")


def _for_curves(said: dict[str, str], balance: float) -> None:
    rare = min(balance, 1.0 - balance)
    if rare < STRONG:
        _add(said, ("AP",), "no threshold is fixed and the classes are very unequal: precision-recall")
        _add(said, ("AUC",), "ranking, whatever the prevalence; look at the precision-recall curve first")
    else:
        _add(said, ("AUC",), "no threshold is fixed: the ranking as a whole")
        _add(said, ("AP",), "the same for the positive class")


def _notes(costs: str, threshold_fixed: bool) -> tuple[str, ...]:
    notes = ["show the confusion matrix and at least two complementary measures"]
    if costs in ("unknown", "equal"):
        notes.append("errors rarely cost the same: estimate the two costs and report Cost(fn=,fp=)")
    if threshold_fixed:
        notes.append("choose the threshold on other data than those it is judged on")
    return (*notes, "report an interval with every number", "compare models on the same measures and samples")


def _add(said: dict[str, str], names: Iterable[str], reason: str) -> None:
    for name in names:
        said.setdefault(name, reason)


def _check(balance: float, costs: str, classes: int, domain: str | None) -> None:
    if not 0.0 <= balance <= 1.0:
        raise InputError(f"balance is {balance}; expected the share of a class, from 0 to 1")
    if costs not in COSTS:
        raise InputError(unknown("costs", costs, COSTS))
    if classes < 2:
        raise InputError(f"there are {classes} classes; expected 2 or more")
    if domain is not None and domain not in DOMAINS:
        raise InputError(unknown("domain", domain, DOMAINS))


def kappa_word(kappa: float) -> str:
    """Landis and Koch's word for an agreement; a value on the border belongs to the lower band.

    >>> kappa_word(0.583), kappa_word(-0.1)
    ('moderate', 'worse than chance')
    """
    if math.isnan(kappa):
        return "unknown"
    if kappa < 0:
        return "worse than chance"
    return next(word for limit, word in KAPPA_BANDS if kappa <= limit)


def auc_word(auc: float) -> str:
    """The usual word for an area under the ROC.

    >>> auc_word(1.0), auc_word(0.93), auc_word(0.5), auc_word(0.4)
    ('perfect', 'excellent', 'none', 'reversed: worse than chance')
    """
    if math.isnan(auc):
        return "unknown"
    if auc == 1.0:
        return "perfect"
    if auc <= 0.5:
        return "none" if auc == 0.5 else "reversed: worse than chance"
    return next(word for limit, word in AUC_BANDS if auc >= limit)


def warnings_of_classes(
    evaluation: ClassEvaluation, *, intervals: bool = False, tuned_here: bool | None = None
) -> list[str]:
    """Every warning that applies to the results, most important first.

    `intervals` says that the numbers are shown with intervals. `tuned_here` says whether a threshold or a calibrator
    was chosen on these data; None: judged by the measures asked for.
    """
    found = [
        _reversed(evaluation),
        *evaluation.predictions.warnings,
        _skewed(evaluation),
        _beaten_by_dummy(evaluation),
        _one_class(evaluation),
        _tuned(evaluation, tuned_here),
        _uncalibrated(evaluation),
        _impossible(evaluation),
        _few(evaluation),
        _single(evaluation),
        None if intervals else "these are numbers without intervals; how sure they are is not shown",
    ]
    return [sentence for sentence in found if sentence]


def _shares(evaluation: ClassEvaluation) -> list[float]:
    totals = evaluation.tally.class_totals
    total = float(totals.sum())
    return [float(n) / total for n in totals] if total else []


def _value(evaluation: ClassEvaluation, name: str) -> float:
    return evaluation.results[name].value if name in evaluation.results else math.nan


def _reversed(evaluation: ClassEvaluation) -> str | None:
    if not _value(evaluation, "AUC") < 0.5:
        return None
    return (
        "AUC is below 0.5: positives score lower than negatives. If the scores speak for the other class, say so with "
        "positive=; nothing was turned round."
    )


def _skewed(evaluation: ClassEvaluation) -> str | None:
    shares = _shares(evaluation)
    if "Accuracy" not in evaluation.results or not shares or max(shares) < 1.0 - STRONG:
        return None
    return (
        f"the largest class holds {max(shares):.1%} of the samples: naming it always would have an accuracy of "
        f"{max(shares):.3f}. Read balanced accuracy, MCC, precision and recall instead."
    )


def _beaten_by_dummy(evaluation: ClassEvaluation) -> str | None:
    shares, accuracy = _shares(evaluation), _value(evaluation, "Accuracy")
    if not shares or not accuracy <= max(shares):
        return None
    return f"accuracy {accuracy:.3f} is no better than always naming the largest class ({max(shares):.3f})."


def _one_class(evaluation: ClassEvaluation) -> str | None:
    filled = [share for share in _shares(evaluation) if share > 0]
    return "the truth is all one class, so most measures are undefined." if len(filled) == 1 else None


def _tuned(evaluation: ClassEvaluation, tuned_here: bool | None) -> str | None:
    chosen = [name for name in evaluation.results if _chooses(name)]
    if tuned_here is False or (tuned_here is None and not chosen):
        return None
    what = f" ({', '.join(chosen[:3])})" if chosen else ""
    return (
        f"a threshold was chosen on these very data{what}: what it gives here is better than it will be elsewhere. "
        "Choose it on other data and read it here at t=."
    )


def _chooses(name: str) -> bool:
    """Does the measure pick its threshold by looking at the truth?"""
    measure = CLASSIFICATION.parse(name)
    if isinstance(measure, Youden | LeastClassCost):
        return True
    place = getattr(measure, "place", None)
    return isinstance(measure, ClassRate) and place is not None and place.key != "t"


def _uncalibrated(evaluation: ClassEvaluation) -> str | None:
    asked = any(name.split("(")[0].split("[")[0] in ("ECE", "LogLoss", "Brier") for name in evaluation.results)
    if evaluation.predictions.probabilities is None:
        return None
    if not asked:
        return "there are probabilities and no measure of their calibration; a high AUC does not vouch for them (ECE)."
    ece = _value(evaluation, "ECE")
    return (
        f"ECE is {ece:.3f}: the probabilities are far from what came true; calibrate them first." if ece > 0.1 else None
    )


def _impossible(evaluation: ClassEvaluation) -> str | None:
    if _value(evaluation, "LogLoss") != math.inf:
        return None
    n = evaluation.tally.losses.impossible
    return f"{n:,} samples had probability 0 for what came true, so LogLoss is infinite (LogLoss[clipped] is finite)."


def _few(evaluation: ClassEvaluation) -> str | None:
    totals = evaluation.tally.class_totals
    small = [str(label) for label, n in zip(evaluation.predictions.classes, totals, strict=True) if 0 < n < FEW]
    if not small:
        return None
    shown = ", ".join(small[:3]) + (f" and {len(small) - 3:,} more" if len(small) > 3 else "")
    return f"fewer than {FEW} samples of {shown}: rates of these classes say little."


def _single(evaluation: ClassEvaluation) -> str | None:
    if len(evaluation.results) != 1:
        return None
    return f"{next(iter(evaluation.results))} alone hides trade-offs; report a complementary measure beside it."
