"""Which measures to report for a classifier, and why.

Conventions: measures are named in the language of `measures.classification`, most important first, each once and with
the first reason that called for it. Of several classes a rate is an average, of the kind asked for; measures that need
two classes are left out.

Holds `advise` and `advice_for` (a `Situation`), both to `Advice`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from bertillon.advice.domains import DOMAINS
from bertillon.advice.situations import ANY_FIELD, Situation, balance_word
from bertillon.measures.base import Measure
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.classification.agreement import Agreement
from bertillon.measures.classification.area import ClassArea
from bertillon.measures.classification.average_precision import AveragePrecision
from bertillon.measures.classification.calibration import CalibrationError
from bertillon.measures.classification.probability import Brier, LogLoss
from bertillon.measures.classification.rates import ClassRate
from bertillon.measures.classification.top import TopClasses

_AREA_OF = {"macro": "ovr", "micro": "ovr-micro", "weighted": "ovr-weighted"}
_COUNTS = {
    "macro": "every class counts alike, whatever its size",
    "micro": "every sample counts alike (of single labels it is the accuracy)",
    "weighted": "a compromise: classes count by their size",
}


@dataclass(frozen=True, slots=True)
class Advice:
    """Measures to report, most important first, and why each; `notes` say what else to do."""

    metrics: tuple[str, ...]
    reasons: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def by_reason(self) -> dict[str, list[str]]:
        """The measures that share a reason, most important first."""
        found: dict[str, list[str]] = {}
        for name in self.metrics:
            found.setdefault(self.reasons[name], []).append(name)
        return found


def advise(
    *,
    balance: float = 0.5,
    costs: str = "unknown",
    threshold_fixed: bool = True,
    probabilities_needed: bool = False,
    classes: int = 2,
    average: str = "macro",
    domain: str | None = None,
) -> Advice:
    """The measures to report, from the share of the smallest class, the dearer error and the use.

    `balance` is the share of the positive class (of several classes: of the smallest one, 1 / classes being even);
    `costs` is "fn", "fp", "equal" or "unknown"; `threshold_fixed` says whether one operating point is used.

    >>> advise(balance=0.02, costs="fn").metrics[:3]
    ('Recall', 'F(beta=2)', 'AP')
    """
    situation = Situation(
        balance=balance_word(balance, classes),
        costs=costs,
        threshold="fixed" if threshold_fixed else "variable",
        probabilities="yes" if probabilities_needed else "no",
        classes=classes,
        average=average,
        domain=domain or ANY_FIELD,
    )
    return advice_for(situation)


def advice_for(situation: Situation) -> Advice:
    """The measures that a situation calls for."""
    said: dict[str, str] = {}
    domain = DOMAINS.get(situation.domain)
    if domain is not None:
        primary = domain.uneven if domain.uneven and situation.balance != "even" else domain.primary
        _add(said, primary, f"{situation.domain}: {domain.reason}")
    if situation.classes > 2:
        _for_classes(said, situation)
    else:
        _for_costs(said, situation)
    _for_threshold(said, situation)
    if situation.probabilities == "yes":
        _add(said, ("LogLoss", "Brier", "ECE"), "probabilities are used as such, so they must mean what they say")
    if domain is not None:
        _add(said, domain.secondary, f"{situation.domain}, second: {domain.reason}")
    fitted: dict[str, str] = {}
    for name, reason in said.items():
        _add(fitted, _fitted(name, situation), reason)
    return Advice(tuple(fitted), fitted, _notes(situation))


def _for_costs(said: dict[str, str], situation: Situation) -> None:
    """Two classes: by the dearer error and by balance."""
    if situation.costs == "fn":
        _add(said, ("Recall", "F(beta=2)"), "missed positives cost most")
    elif situation.costs == "fp":
        _add(said, ("Precision", "F(beta=0.5)"), "false alarms cost most")
    if situation.balance == "even":
        _add(said, ("Accuracy", "BalancedAccuracy"), "the classes are about equal, so accuracy means something")
        _add(said, ("F1", "MCC"), "two complementary numbers, where one alone hides trade-offs")
        return
    if situation.costs == "fn":
        _add(said, ("AP",), "positives are rare: the precision-recall curve shows what the ROC hides")
    _add(said, ("F1", "MCC"), "the classes are unequal: accuracy rewards naming the larger one")
    _add(said, ("BalancedAccuracy", "Kappa"), "both classes count alike, whatever their size")


def _for_classes(said: dict[str, str], situation: Situation) -> None:
    """Several classes: by balance and by what counts alike."""
    if situation.balance == "even":
        _add(said, ("Accuracy",), "the classes are about equal, so accuracy means something")
    _add(said, ("F1",), _COUNTS[situation.average])
    _add(said, ("MCC", "BalancedAccuracy"), "all classes at once; naming the largest one earns nothing")
    _add(said, ("Top@5",), "with many classes the right one among the first guesses is worth something")
    _add(said, ("Kappa",), "agreement beyond chance")


def _for_threshold(said: dict[str, str], situation: Situation) -> None:
    if situation.threshold == "fixed":
        _add(said, ("Precision", "Recall"), "what the threshold in use gives, each error by itself")
    elif situation.balance == "strong":
        _add(said, ("AP",), "no threshold is fixed and the classes are very unequal: precision-recall")
        _add(said, ("AUC",), "ranking, whatever the prevalence; look at the precision-recall curve first")
    else:
        _add(said, ("AUC",), "no threshold is fixed: the ranking as a whole")
        _add(said, ("AP",), "the same for the positive class")


def _fitted(name: str, situation: Situation) -> Iterable[str]:
    """The measure as it makes sense for so many classes, or nothing."""
    measure = CLASSIFICATION.parse(name)
    if isinstance(measure, TopClasses):
        return [name] if measure.k < situation.classes else []
    if situation.classes == 2:
        return [name]
    several = _over_classes(measure, situation.average)
    return [] if several is None else [str(several)]


def _over_classes(measure: Measure, average: str) -> Measure | None:
    if isinstance(measure, Agreement | CalibrationError | Brier | LogLoss):
        return measure
    if isinstance(measure, ClassRate) and measure.place is None:
        return measure if measure.average else replace(measure, average=average)
    if isinstance(measure, AveragePrecision):
        return AveragePrecision(average)
    if isinstance(measure, ClassArea):
        return replace(measure, variant=_AREA_OF[average])
    return None


def _notes(situation: Situation) -> tuple[str, ...]:
    curve = "precision-recall curve" if situation.balance == "strong" else "ROC"
    notes = [f"show the confusion matrix, at least two complementary measures, and the {curve}"]
    if situation.classes > 2:
        notes.append("show the numbers of each class beside their average")
    if situation.costs in ("unknown", "equal") and situation.classes == 2:
        notes.append("errors rarely cost the same: estimate the two costs and report Cost(fn=,fp=)")
    if situation.probabilities == "yes":
        notes.append("show the reliability diagram: a high AUC does not vouch for probabilities")
    if situation.threshold == "fixed":
        notes.append("choose the threshold on other data than those it is judged on")
    return (*notes, "report an interval with every number", "compare models on the same measures and samples")


def _add(said: dict[str, str], names: Iterable[str], reason: str) -> None:
    for name in names:
        said.setdefault(name, reason)
