"""Where a classifier decides, and what its figures read besides their curves.

Conventions: the point marked on a curve is where the decisions were made: at their threshold, or at the labels as they
were predicted. Scores that decide nothing are marked where Youden's J is largest.
Weights are scaled to a mean of 1 in each class, so that half a trial stays half a trial.

Holds `Choice`, `choice_of`, `decimal`, `outline_of`, `error_counts`, `thin` and `has_probabilities`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bertillon.core.messages import say, spoken
from bertillon.core.rule import readable
from bertillon.counting.classes.one_vs_rest import BinaryTrials, sweep
from bertillon.counting.curves.error_curve import thinned
from bertillon.counting.error_counts import BinaryCounts
from bertillon.counting.tally import take_tally
from bertillon.evaluation import ClassEvaluation
from bertillon.trials.class_tally import HALF, cells_at
from bertillon.trials.predictions import Predictions
from bertillon.views.figures.data import POINTS

DIGITS, MOST_DIGITS = 3, 6


@dataclass(frozen=True, slots=True)
class Choice:
    """The outcomes of the decisions, the threshold behind them where there is one, and what the point is called."""

    tp: float
    fp: float
    fn: float
    tn: float
    threshold: float | None
    words: str

    @property
    def recall(self) -> float:
        return _share(self.tp, self.tp + self.fn)

    @property
    def fpr(self) -> float:
        return _share(self.fp, self.fp + self.tn)

    @property
    def specificity(self) -> float:
        return _share(self.tn, self.fp + self.tn)

    @property
    def precision(self) -> float:
        """NaN where nothing was called positive."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def f1(self) -> float:
        return _share(2.0 * self.tp, 2.0 * self.tp + self.fp + self.fn)

    @property
    def share(self) -> float:
        """The part of all samples called positive."""
        return _share(self.tp + self.fp, self.tp + self.fp + self.fn + self.tn)


def choice_of(evaluation: ClassEvaluation) -> Choice:
    """Where the decisions of two classes lie on their curves.

    >>> given = Predictions.from_probabilities([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])
    >>> from bertillon.evaluation import evaluate
    >>> choice = choice_of(evaluate(given))
    >>> choice.words, choice.recall, choice.fpr
    ('t = 0.5', 0.5, 0.5)
    """
    confusion, predictions = evaluation.tally.confusion, evaluation.trials
    if confusion is None:
        return _youden(evaluation)
    threshold = _threshold_behind(predictions) if confusion.threshold is None else confusion.threshold
    cells = confusion.cells(predictions.positive_code)
    tp, fp, fn, tn = (column.item() for column in (cells.tp, cells.fp, cells.fn, cells.tn))
    return Choice(
        tp,
        fp,
        fn,
        tn,
        threshold,
        spoken(say("figure.labels")) if threshold is None else f"t = {readable(threshold, 4)}",
    )


def decimal(value: float) -> str:
    """A number from 0 to 1 to three digits, more where these would round it to 0 or 1; empty for NaN.

    >>> decimal(0.9537), decimal(0.99962), decimal(1.0), decimal(0.0004), decimal(1 - 1e-9)
    ('0.954', '0.9996', '1', '0.0004', '> 0.999999')
    """
    if math.isnan(value):
        return ""
    near = min(value, 1.0 - value)
    if near <= 0.0:  # sums of weights may end a rounding above 1
        return f"{value:.0f}"
    if near < 10.0**-MOST_DIGITS:
        return (
            f"< {10.0**-MOST_DIGITS:.{MOST_DIGITS}f}"
            if value < HALF
            else f"> {1.0 - 10.0**-MOST_DIGITS:.{MOST_DIGITS}f}"
        )
    return f"{value:.{max(DIGITS, -math.floor(math.log10(near)))}f}"


def outline_of(trials: BinaryTrials) -> BinaryCounts:
    """The curve to draw: every threshold, or the edges of bins where scores are many."""
    return sweep(trials) if trials.weighted else take_tally(trials).outline


def error_counts(curve: BinaryCounts, trials: BinaryTrials) -> BinaryCounts:
    """The same with weights scaled so that they add up to the number of samples of each class."""
    if not trials.weighted:
        return curve
    n_positive, n_negative = trials.mated.size, trials.nonmated.size
    fp: Any = curve.false_match * (n_negative / curve.n_nonmated)
    fn: Any = curve.false_nonmatch * (n_positive / curve.n_mated)
    return BinaryCounts(curve.threshold, fp, fn, n_positive, n_negative, curve.complete)


def thin(curve: BinaryCounts, trials: BinaryTrials) -> BinaryCounts:
    """The same curve in as many points as can be seen on linear and log axes, each exact."""
    kept = thinned(error_counts(curve, trials), POINTS).threshold
    rows = np.searchsorted(curve.threshold, kept)
    rows[-1] = len(curve) - 1  # where a score is infinite, so are two thresholds
    return replace(curve.at(rows), threshold=kept)


def has_probabilities(evaluation: ClassEvaluation) -> bool:
    """Does it have probabilities?"""
    return evaluation.tally.why_not_probable is None


def _youden(evaluation: ClassEvaluation) -> Choice:
    threshold = evaluation["Youden"].threshold
    assert threshold is not None
    tp, fp, fn, tn = cells_at(evaluation.tally.trials, threshold)
    return Choice(tp, fp, fn, tn, threshold, spoken(say("figure.youden", threshold=readable(threshold, 4))))


def _threshold_behind(predictions: Predictions) -> float | None:
    """The threshold that gives just the predicted labels: a half where it does, or None where none does."""
    scores = predictions.positive_scores
    assert scores is not None
    assert predictions.predicted is not None
    called = predictions.predicted == predictions.positive_code
    highest_not = float(np.max(scores, where=~called, initial=-np.inf))
    lowest_called = float(np.min(scores, where=called, initial=np.inf))
    if predictions.probabilities is not None and highest_not < HALF <= lowest_called:
        return HALF
    return lowest_called if highest_not < lowest_called < math.inf else None


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
