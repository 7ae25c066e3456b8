"""Which measures to report for a classifier, and why: five questions, the field, and what predictions answer.

Conventions: every answer is a word or a whole number, the same on the command line, at the prompt and in Python. The
balance of the classes is a word; a share is turned into one: of two classes the smaller has less than 0.1 (strong) or
0.35 (moderate) of the samples, of several the smallest has less than a fifth (strong) or half (moderate) of an even
share. Measures are named in the language of `measures.classification`, most important first, each once and with the
first reason that called for it. Of several classes a rate is an average, of the kind asked for; measures that need two
classes are left out. What fields usually report is named for two classes; where these are unequal, `uneven` replaces
`primary`.

Holds `Situation`, the `QUESTIONS` that lead to one, `balance_word`, and `seen_in` (predictions); `Domain`, the table
`DOMAINS` and `domain_reason`; `advise` and `advice_for` (a `Situation`), both to `Advice`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from bertillon.core import InputError, Message, say
from bertillon.core.errors import unknown
from bertillon.measures.classification import CLASSIFICATION
from bertillon.trials.predictions import Predictions

STRONG, MODERATE = 0.1, 0.35  # the smaller of two classes has less than this share
STRONG_OF_EVEN, MODERATE_OF_EVEN = 0.2, 0.5  # the smallest of several has less than so much of an even share
ANY_FIELD = "none"


@dataclass(frozen=True, slots=True)
class Domain:
    """What a field usually reports."""

    primary: tuple[str, ...]
    secondary: tuple[str, ...]
    uneven: tuple[str, ...] = ()


def domain_reason(name: str) -> Message:
    """Why a field reports what it does."""
    return say(f"choosing.domain.{name}")


DOMAINS = {
    "screening": Domain(("Recall", "F(beta=2)"), ("Specificity", "AP")),
    "diagnosis": Domain(("BalancedAccuracy", "MCC", "F1"), ("Specificity", "Precision")),
    "fraud": Domain(("P@100", "AP", "F(beta=1.5)"), ("Recall", "AUC")),
    "spam": Domain(("Precision", "F(beta=0.5)"), ("FPR", "Specificity")),
    "retrieval": Domain(("MAP", "NDCG@10", "P@10"), ("R@10", "F1")),
    "vision": Domain(("Accuracy", "Top@5"), ("F1[macro]",), uneven=("F1[macro]", "Recall[macro]")),
    "sentiment": Domain(("F1[macro]", "F1[weighted]"), ("Precision[macro]", "Recall[macro]")),
    "biometrics": Domain(("Recall@FPR=0.001", "AUC"), ("FNR@FPR=0.01",)),
}


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and the answers it may have: their words and what these mean, or a number from here to there."""

    name: str
    answers: Mapping[str, Message]
    number: tuple[float, float] | None = None

    def read(self, text: str) -> str:
        """The answer behind a text; a number stays a text.

        >>> QUESTIONS["costs"].read(" FN "), QUESTIONS["balance"].read("0.02")
        ('fn', '0.02')
        """
        word = text.strip().lower()
        if word in self.answers or (self.number and self._is_number(word, *self.number)):
            return word
        if self.number is None:
            raise InputError(unknown(f"{self.name}: answer", text.strip(), self.answers))
        expected = [*self.answers, "a number from {:g} to {:g}".format(*self.number)]
        raise InputError(f"{self.name}: cannot read {text.strip()!r}; expected {' or '.join(expected)}")

    @property
    def asks(self) -> Message:
        """The question itself."""
        return say(f"choosing.asks.{self.name}")

    @property
    def choices(self) -> str:
        """The answers as they are written on the command line."""
        return "|".join([*self.answers, *(["NUMBER"] if self.number else [])])

    def _is_number(self, word: str, low: float, high: float) -> bool:
        try:
            value = float(word)
        except ValueError:
            return False
        return low <= value <= high and (bool(self.answers) or value == int(value))


def _meanings(question: str, *answers: str) -> dict[str, Message]:
    return {answer: say(f"choosing.answer.{question}.{answer}") for answer in answers}


QUESTIONS = {
    question.name: question
    for question in (
        Question("balance", _meanings("balance", "even", "moderate", "strong"), number=(0.0, 1.0)),
        Question("costs", _meanings("costs", "fn", "fp", "equal", "unknown")),
        Question("threshold", _meanings("threshold", "fixed", "variable")),
        Question("probabilities", _meanings("probabilities", "yes", "no")),
        Question("classes", {}, number=(2, 1e9)),
        Question("average", _meanings("average", "macro", "micro", "weighted")),
        Question("domain", {name: domain_reason(name) for name in DOMAINS} | _meanings("domain", ANY_FIELD)),
    )
}


@dataclass(frozen=True, slots=True)
class Situation:
    """The answers.

    >>> Situation(balance="strong", costs="fn").classes
    2
    """

    balance: str = "even"
    costs: str = "unknown"
    threshold: str = "fixed"
    probabilities: str = "no"
    classes: int = 2
    average: str = "macro"  # over several classes
    domain: str = ANY_FIELD

    def __post_init__(self) -> None:
        for name, question in QUESTIONS.items():
            question.read(str(getattr(self, name)))

    @classmethod
    def read(cls, texts: Mapping[str, str]) -> Situation:
        """The situation behind texts; a share stands for its word.

        >>> Situation.read({"balance": "0.02", "classes": "2", "costs": "fn"}).balance
        'strong'
        """
        answers: dict[str, Any] = {name: QUESTIONS[name].read(text) for name, text in texts.items()}
        answers["classes"] = int(float(answers.get("classes", 2)))
        if "balance" in answers and answers["balance"] not in QUESTIONS["balance"].answers:
            answers["balance"] = balance_word(float(answers["balance"]), answers["classes"])
        return cls(**answers)


def balance_word(share: float, classes: int = 2) -> str:
    """The word for a share: of the positive class, or of the smallest of several.

    >>> balance_word(0.5), balance_word(0.8), balance_word(0.02), balance_word(0.09, 10)
    ('even', 'moderate', 'strong', 'even')
    """
    if not 0.0 <= share <= 1.0:
        raise InputError(f"balance: the share is {share}; expected a number from 0 to 1")
    if classes == 2:
        part, strong, moderate = round(min(share, 1.0 - share), 12), STRONG, MODERATE  # 1 - 0.9 is 0.1
    else:
        part, strong, moderate = round(share * classes, 12), STRONG_OF_EVEN, MODERATE_OF_EVEN
    return "strong" if part < strong else "moderate" if part < moderate else "even"


@dataclass(frozen=True, slots=True)
class InferredAnswer:
    """An answer that data give, and why."""

    answer: Any
    because: Message


def seen_in(predictions: Predictions) -> dict[str, InferredAnswer]:
    """What predictions answer: balance, classes, probabilities, and without any score the threshold."""
    counts = np.bincount(predictions.truth, minlength=predictions.n_classes)
    code = predictions.positive_code if predictions.is_binary else int(counts.argmin())
    share, label = float(counts[code]) / predictions.size, predictions.classes[code]
    classes = max(predictions.n_classes, 2)
    key = "choosing.seen.positives" if predictions.is_binary else "choosing.seen.smallest"
    because = say(key, share=share, samples=predictions.size, label=str(label))
    answers = {
        "balance": InferredAnswer(balance_word(share, classes), because),
        "classes": InferredAnswer(classes, say("choosing.seen.classes", n=predictions.n_classes)),
    }
    if predictions.probabilities is not None:
        answers["probabilities"] = InferredAnswer("yes", say("choosing.seen.probabilities"))
    else:
        answers["probabilities"] = InferredAnswer("no", say("choosing.seen.no_probabilities"))
        if predictions.scores is None:
            answers["threshold"] = InferredAnswer("fixed", say("choosing.seen.labels"))
    return answers


@dataclass(frozen=True, slots=True)
class Advice:
    """Measures to report, most important first, and why each; `notes` say what else to do."""

    metrics: tuple[str, ...]
    reasons: dict[str, Message] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()

    def __repr__(self) -> str:
        """The measures, and why, a reason in each line."""
        return "\n  ".join(["<Advice", *self._lines]) + ">"

    def _repr_html_(self) -> str:
        return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in self._lines) + "</ul>"

    @property
    def _lines(self) -> list[str]:
        reasons = [f"{', '.join(names)}: {reason}" for reason, names in self.by_reason.items()]
        return [*reasons, *map(str, self.notes)]

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

    Parameters
    ----------
    balance
        Share of the positive class; of several classes that of the smallest.
    costs
        The dearer error: "fn", "fp", "equal" or "unknown".
    threshold_fixed
        Whether one operating point is used.
    probabilities_needed
        Whether probabilities are used as such.
    classes
        How many classes there are.
    average
        How measures of several classes are averaged.
    domain
        The field of use, where one is known.

    Returns
    -------
    Advice
        The measures to report, and why.

    Examples
    --------
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
        measure = CLASSIFICATION.parse(name).for_classes(situation.classes, situation.average)
        _add(fitted, [] if measure is None else [str(measure)], reason)
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
