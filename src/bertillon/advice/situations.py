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

from bertillon.advice.domains import DOMAINS, domain_reason
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.core.spelling import unknown
from bertillon.trials.predictions import Predictions

STRONG, MODERATE = 0.1, 0.35  # the smaller of two classes has less than this share
STRONG_OF_EVEN, MODERATE_OF_EVEN = 0.2, 0.5  # the smallest of several has less than so much of an even share
ANY_FIELD = "none"


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

    @classmethod
    def of(cls, predictions: Predictions, **answers: Any) -> Situation:
        """What the predictions show, and what was said besides or instead."""
        return cls(**{name: seen.answer for name, seen in seen_in(predictions).items()} | answers)


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
    answers = {
        "balance": InferredAnswer(balance_word(share, classes), _share(predictions, share, label)),
        "classes": InferredAnswer(classes, say("choosing.seen.classes", n=predictions.n_classes)),
    }
    if predictions.probabilities is not None:
        answers["probabilities"] = InferredAnswer("yes", say("choosing.seen.probabilities"))
    else:
        answers["probabilities"] = InferredAnswer("no", say("choosing.seen.no_probabilities"))
        if predictions.scores is None:
            answers["threshold"] = InferredAnswer("fixed", say("choosing.seen.labels"))
    return answers


def _share(predictions: Predictions, share: float, label: object) -> Message:
    if predictions.is_binary:
        return say("choosing.seen.positives", share=share, samples=predictions.size)
    return say("choosing.seen.smallest", share=share, samples=predictions.size, label=str(label))
