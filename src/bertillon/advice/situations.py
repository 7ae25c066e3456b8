"""What decides which measures to report: five questions, the field, and what predictions answer by themselves.

Conventions: every answer is a word or a whole number, the same on the command line, at the prompt and in Python. The
balance of the classes is a word; a share is turned into one: of two classes the smaller has less than 0.1 (strong) or
0.35 (moderate) of the samples, of several the smallest has less than a fifth (strong) or half (moderate) of an even
share.

Holds `Situation`, the `QUESTIONS` that lead to one, `balance_word`, and `seen_in` (predictions).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bertillon.advice.domains import DOMAINS
from bertillon.core.errors import InputError
from bertillon.core.spelling import unknown
from bertillon.trials.predictions import Predictions

STRONG, MODERATE = 0.1, 0.35  # the smaller of two classes has less than this share
STRONG_OF_EVEN, MODERATE_OF_EVEN = 0.2, 0.5  # the smallest of several has less than so much of an even share
ANY_FIELD = "none"


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and the answers it may have: their words and what these mean, or a number from here to there."""

    name: str
    asks: str
    answers: Mapping[str, str]
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
    def choices(self) -> str:
        """The answers as they are written on the command line."""
        return "|".join([*self.answers, *(["NUMBER"] if self.number else [])])

    def _is_number(self, word: str, low: float, high: float) -> bool:
        try:
            value = float(word)
        except ValueError:
            return False
        return low <= value <= high and (bool(self.answers) or value == int(value))


QUESTIONS = {
    question.name: question
    for question in (
        Question(
            "balance",
            "Are the classes about equally frequent? A share such as 0.02 will do too.",
            {
                "even": "about equally",
                "moderate": "the smaller has up to a third of the samples",
                "strong": "the smaller has less than a tenth",
            },
            number=(0.0, 1.0),
        ),
        Question(
            "costs",
            "Which error costs more?",
            {
                "fn": "a missed positive",
                "fp": "a false alarm",
                "equal": "both cost the same",
                "unknown": "nobody knows yet",
            },
        ),
        Question(
            "threshold",
            "Is one threshold used?",
            {"fixed": "yes, decisions are made at it", "variable": "no, it is set later or differs by user"},
        ),
        Question(
            "probabilities",
            "Are probabilities used as such?",
            {"yes": "they are shown, or multiplied by costs", "no": "only decisions or an order are used"},
        ),
        Question("classes", "How many classes are there?", {}, number=(2, 1e9)),
        Question(
            "average",
            "What counts alike?",
            {
                "macro": "every class",
                "micro": "every sample",
                "weighted": "a compromise: classes by their size",
            },
        ),
        Question(
            "domain",
            "What is it for?",
            {**{name: domain.reason for name, domain in DOMAINS.items()}, ANY_FIELD: "something else"},
        ),
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

    @classmethod
    def of(cls, predictions: Predictions, **said: Any) -> Situation:
        """What the predictions show, and what was said besides or instead."""
        return cls(**{name: seen.answer for name, seen in seen_in(predictions).items()} | said)


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
class Seen:
    """An answer that data give, and why."""

    answer: Any
    because: str


def seen_in(predictions: Predictions) -> dict[str, Seen]:
    """What predictions answer: balance, classes, probabilities, and without any score the threshold."""
    counts = np.bincount(predictions.truth, minlength=predictions.n_classes)
    place = predictions.positive_code if predictions.is_binary else int(counts.argmin())
    share, label = float(counts[place]) / predictions.size, predictions.classes[place]
    which = "positives" if predictions.is_binary else f"the smallest class, {label!r},"
    classes = max(predictions.n_classes, 2)
    found = {
        "balance": Seen(
            balance_word(share, classes),
            f"{which} {'are' if predictions.is_binary else 'is'} {share:.3g} of {predictions.size:,} samples",
        ),
        "classes": Seen(classes, f"{predictions.n_classes:,} labels occur or have a column"),
    }
    if predictions.probabilities is not None:
        found["probabilities"] = Seen("yes", "they are there, so they should mean what they say")
    else:
        found["probabilities"] = Seen("no", "there are none")
        if predictions.scores is None:
            found["threshold"] = Seen("fixed", "there are predicted labels only")
    return found
