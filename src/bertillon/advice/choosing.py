"""Which measures to report for a classifier, and why.

Conventions: measures are named in the language of `measures.classification`, most important first, each once and with
the first reason that called for it. Of several classes a rate is an average, of the kind asked for; measures that need
two classes are left out.

Holds `advise` and `advice_for` (a `Situation`), both to `Advice`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from bertillon.advice.domains import DOMAINS, domain_reason
from bertillon.advice.situations import ANY_FIELD, Situation, balance_word
from bertillon.core.messages import Message, say
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.classification.base import for_classes


@dataclass(frozen=True, slots=True)
class Advice:
    """Measures to report, most important first, and why each; `notes` say what else to do."""

    metrics: tuple[str, ...]
    reasons: dict[str, Message] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()

    @property
    def by_reason(self) -> dict[Message, list[str]]:
        """The measures that share a reason, most important first."""
        found: dict[Message, list[str]] = {}
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
    reasons: dict[str, Message] = {}
    domain = DOMAINS.get(situation.domain)
    if domain is not None:
        primary = domain.uneven if domain.uneven and situation.balance != "even" else domain.primary
        _add(reasons, primary, say("choosing.field", field=situation.domain, reason=domain_reason(situation.domain)))
    if situation.classes > 2:
        _for_classes(reasons, situation)
    else:
        _for_costs(reasons, situation)
    _for_threshold(reasons, situation)
    if situation.probabilities == "yes":
        _add(reasons, ("LogLoss", "Brier", "ECE"), say("choosing.why.probabilities"))
    if domain is not None:
        why = domain_reason(situation.domain)
        _add(reasons, domain.secondary, say("choosing.field.secondary", field=situation.domain, reason=why))
    fitted: dict[str, Message] = {}
    for name, reason in reasons.items():
        _add(fitted, _fitted(name, situation), reason)
    return Advice(tuple(fitted), fitted, _notes(situation))


def _for_costs(reasons: dict[str, Message], situation: Situation) -> None:
    """Two classes: by the dearer error and by balance."""
    if situation.costs == "fn":
        _add(reasons, ("Recall", "F(beta=2)"), say("choosing.why.missed"))
    elif situation.costs == "fp":
        _add(reasons, ("Precision", "F(beta=0.5)"), say("choosing.why.alarms"))
    if situation.balance == "even":
        _add(reasons, ("Accuracy", "BalancedAccuracy"), say("choosing.why.even"))
        _add(reasons, ("F1", "MCC"), say("choosing.why.complementary"))
        return
    if situation.costs == "fn":
        _add(reasons, ("AP",), say("choosing.why.rare"))
    _add(reasons, ("F1", "MCC"), say("choosing.why.unequal"))
    _add(reasons, ("BalancedAccuracy", "Kappa"), say("choosing.why.both_classes"))


def _for_classes(reasons: dict[str, Message], situation: Situation) -> None:
    """Several classes: by balance and by what counts alike."""
    if situation.balance == "even":
        _add(reasons, ("Accuracy",), say("choosing.why.even"))
    _add(reasons, ("F1",), say(f"choosing.counts.{situation.average}"))
    _add(reasons, ("MCC", "BalancedAccuracy"), say("choosing.why.all_classes"))
    _add(reasons, ("Top@5",), say("choosing.why.top"))
    _add(reasons, ("Kappa",), say("choosing.why.agreement"))


def _for_threshold(reasons: dict[str, Message], situation: Situation) -> None:
    if situation.threshold == "fixed":
        _add(reasons, ("Precision", "Recall"), say("choosing.why.threshold"))
    elif situation.balance == "strong":
        _add(reasons, ("AP",), say("choosing.why.ranking_strong"))
        _add(reasons, ("AUC",), say("choosing.why.ranking_any"))
    else:
        _add(reasons, ("AUC",), say("choosing.why.ranking"))
        _add(reasons, ("AP",), say("choosing.why.ranking_positive"))


def _fitted(name: str, situation: Situation) -> Iterable[str]:
    """The measure as it makes sense for so many classes, or nothing."""
    fitted = for_classes(CLASSIFICATION.parse(name), situation.classes, situation.average)
    return [] if fitted is None else [str(fitted)]


def _notes(situation: Situation) -> tuple[Message, ...]:
    notes = [say("choosing.note.curve.pr" if situation.balance == "strong" else "choosing.note.curve.roc")]
    if situation.classes > 2:
        notes.append(say("choosing.note.classes"))
    if situation.costs in ("unknown", "equal") and situation.classes == 2:
        notes.append(say("choosing.note.costs"))
    if situation.probabilities == "yes":
        notes.append(say("choosing.note.reliability"))
    if situation.threshold == "fixed":
        notes.append(say("choosing.note.threshold"))
    return (*notes, say("choosing.note.interval"), say("choosing.note.same"))


def _add(reasons: dict[str, Message], names: Iterable[str], reason: Message) -> None:
    for name in names:
        reasons.setdefault(name, reason)
