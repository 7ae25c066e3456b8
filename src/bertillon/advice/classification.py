"""What to know before trusting the numbers of a classifier.

Conventions: a warning says what is doubtful, why, and what to do. What fires on every report warns of nothing, so each
depends on the data and on the measures asked for.

Holds `warnings_of_classes`.
"""

from __future__ import annotations

import math

from bertillon.advice.warnings import SKEWED, no_interval, unresolved
from bertillon.core.messages import Message, Text, abridged, say, sentences
from bertillon.counting.classes.confusion import code_totals
from bertillon.evaluation import ClassEvaluation
from bertillon.measures.base import Spelling
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.classification.decisions import ClassRate, precision_at

FEW = 30
BY_DESIGN, ENOUGH = 0.005, 100  # so close to one half, among so many samples, the share of positives looks chosen
FAR_OFF = 0.1  # an ECE above it
RARE = 0.01  # a share of positives to compare with
_OF_PREVALENCE = ("Precision", "NPV", "FDR", "FOR", "AP")


def warnings_of_classes(
    evaluation: ClassEvaluation, *, intervals: bool = True, tuned_here: bool | None = None
) -> list[Text]:
    """Every warning that applies to the results, most important first.

    `intervals` says that the numbers are shown with intervals. `tuned_here` says whether a threshold or a calibrator
    was chosen on these data; None: judged by the measures asked for.
    """
    warnings: list[Text | None] = [
        _reversed(evaluation),
        *evaluation.trials.warnings,
        _resolution(evaluation),
        _skewed(evaluation),
        _beaten_by_dummy(evaluation),
        _of_another_prevalence(evaluation),
        _one_class(evaluation),
        _tuned(evaluation, tuned_here),
        _uncalibrated(evaluation),
        _impossible(evaluation),
        _few(evaluation),
        _single(evaluation),
        no_interval(shown=intervals),
    ]
    return [warning for warning in warnings if warning]


def _shares(evaluation: ClassEvaluation) -> list[float]:
    totals = evaluation.tally.class_totals
    total = float(totals.sum())
    return [float(n) / total for n in totals] if total else []


def _value(evaluation: ClassEvaluation, name: str) -> float:
    return evaluation.results[name].value if name in evaluation.results else math.nan


def _reversed(evaluation: ClassEvaluation) -> Message | None:
    if not _value(evaluation, "AUC") < 0.5:
        return None
    predictions = evaluation.trials
    return say("advice.reversed_class", other=str(predictions.classes[1 - predictions.positive_code]))


def _resolution(evaluation: ClassEvaluation) -> Message | None:
    """The lowest target asked for that the number of samples cannot show."""
    predictions = evaluation.trials
    if not predictions.is_binary:
        return None
    numbers = code_totals(predictions.truth, predictions.n_classes)
    positives, negatives = (int(numbers[code]) for code in (predictions.positive_code, 1 - predictions.positive_code))
    return unresolved(evaluation, (positives, say("advice.kind.positive")), (negatives, say("advice.kind.negative")))


def _skewed(evaluation: ClassEvaluation) -> Message | None:
    shares = _shares(evaluation)
    if "Accuracy" not in evaluation.results or not shares or max(shares) < SKEWED:
        return None
    return say("advice.skewed_class", share=max(shares))


def _beaten_by_dummy(evaluation: ClassEvaluation) -> Message | None:
    shares, accuracy = _shares(evaluation), _value(evaluation, "Accuracy")
    if not shares or not accuracy <= max(shares):
        return None
    return say("advice.dummy", accuracy=accuracy, share=max(shares))


def _of_another_prevalence(evaluation: ClassEvaluation) -> Message | None:
    """Precision and its kin hold for the share of positives in the data, which may not be that of the place of use."""
    predictions, asked = evaluation.trials, [name for name in evaluation if _depends_on_prevalence(name)]
    shares = _shares(evaluation)
    if not predictions.is_binary or not asked or not shares:
        return None
    share, stated = shares[predictions.positive_code], _stated_prevalence(evaluation)
    if stated is None and (abs(share - 0.5) > BY_DESIGN or predictions.size < ENOUGH):
        return None
    if stated is not None and math.isclose(stated, share, rel_tol=0.1):
        return None
    if stated is None:
        sentence = say("advice.prevalence.balanced", measure=asked[0], share=share)
    else:
        sentence = say("advice.prevalence.expected", measure=asked[0], share=share, expected=stated)
    elsewhere = _elsewhere(evaluation, RARE if stated is None else stated)
    return sentence if elsewhere is None else sentences(sentence, elsewhere)


def _depends_on_prevalence(name: str) -> bool:
    spelling = Spelling.read(name)
    return spelling.name in _OF_PREVALENCE and not spelling.variant


def _stated_prevalence(evaluation: ClassEvaluation) -> float | None:
    """The share of positives that a cost asked for names."""
    stated = [Spelling.read(name).options.get("prevalence") for name in evaluation]
    return next((share for share in stated if share is not None), None)


def _elsewhere(evaluation: ClassEvaluation, share: float) -> Message | None:
    """The precision of the same decisions among another share of positives."""
    if evaluation.tally.confusion is None:
        return say("advice.prevalence.falls")
    cells = evaluation.tally.confusion.cells(evaluation.trials.positive_code)
    tpr, fpr = (ClassRate(name).single(cells).value for name in ("Recall", "FPR"))
    if math.isnan(tpr) or math.isnan(fpr):
        return None
    return say("advice.prevalence.elsewhere", share=share, precision=precision_at(tpr, fpr, share))


def _one_class(evaluation: ClassEvaluation) -> Message | None:
    filled = [share for share in _shares(evaluation) if share > 0]
    return say("advice.one_class") if len(filled) == 1 else None


def _tuned(evaluation: ClassEvaluation, tuned_here: bool | None) -> Message | None:
    chosen = [name for name in evaluation.results if CLASSIFICATION.parse(name).picks_threshold]
    if tuned_here is False or (tuned_here is None and not chosen):
        return None
    return say("advice.tuned_class_named", names=chosen[:3]) if chosen else say("advice.tuned_class")


def _uncalibrated(evaluation: ClassEvaluation) -> Message | None:
    asked = {name: Spelling.read(name).name for name in evaluation.results}
    if evaluation.trials.probabilities is None:
        return None
    if not any(kind in ("ECE", "LogLoss", "Brier") for kind in asked.values()):
        return say("advice.uncalibrated")
    errors = {name: _value(evaluation, name) for name, kind in asked.items() if kind == "ECE"}
    far = ((name, error) for name, error in errors.items() if error > FAR_OFF)
    name, error = next(far, ("", math.nan))
    return say("advice.ece", name=name, value=error) if name else None


def _impossible(evaluation: ClassEvaluation) -> Message | None:
    if _value(evaluation, "LogLoss") != math.inf:
        return None
    return say("advice.impossible", n=evaluation.tally.losses.impossible)


def _few(evaluation: ClassEvaluation) -> Message | None:
    predictions = evaluation.trials
    numbers = code_totals(predictions.truth, predictions.n_classes)  # of samples, whatever they weigh
    small = [str(label) for label, n in zip(predictions.classes, numbers, strict=True) if 0 < n < FEW]
    return say("advice.few_samples", few=FEW, names=abridged(small)) if small else None


def _single(evaluation: ClassEvaluation) -> Message | None:
    if len(evaluation.results) != 1:
        return None
    return say("advice.alone_class", name=next(iter(evaluation.results)))
