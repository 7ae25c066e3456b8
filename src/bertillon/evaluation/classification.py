"""Evaluate predictions of a classifier: the answers, the confusion matrix, numbers by class, and the curves.

Conventions: without measures the complete report is answered, as far as the predictions allow it: the decisions, the
ranking, the probabilities. Curves are made when they are first asked for. Above a million samples of two classes a
curve is an outline, exact at each of its points.

Holds `evaluate_predictions`, `ClassEvaluation` and `default_measures`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bertillon.core.errors import InputError
from bertillon.counting.classes.confusion import Confusion
from bertillon.counting.classes.sweep import sweep
from bertillon.counting.curves.class_curves import (
    Gain,
    PrecisionRecall,
    Reliability,
    RiskCoverage,
    gain,
    precision_recall,
    reliability,
    risk_coverage,
    threshold_table,
)
from bertillon.counting.curves.error_curve import Roc
from bertillon.counting.tally import Needs
from bertillon.evaluation.base import BaseEvaluation
from bertillon.measures.base import Measure, Result
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.classification.rates import ClassRate
from bertillon.stats.interval import Interval
from bertillon.stats.settings import Settings
from bertillon.trials.class_tally import ClassTally
from bertillon.trials.predictions import Predictions

if TYPE_CHECKING:
    import polars as pl

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


def default_measures(predictions: Predictions) -> tuple[str, ...]:
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


@dataclass(frozen=True, eq=False, repr=False)
class ClassEvaluation(BaseEvaluation):
    """The answers for one classifier: read them by name, as in `evaluation["F1"].value`."""

    predictions: Predictions
    results: Mapping[str, Result]
    tally: ClassTally
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    settings: Settings | None = None

    @property
    def trials(self) -> Predictions:
        """What was evaluated."""
        return self.predictions

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        return self.tally.definitions

    @property
    def curves(self) -> tuple[str, ...]:
        """What scores rank, and the reliability diagram of probabilities."""
        return self.tally.curves

    @property
    def confusion(self) -> Confusion | None:
        """The decisions against the truth; None for scores that decide nothing by themselves."""
        return self.tally.confusion

    @property
    def per_class(self) -> pl.DataFrame:
        """One row a class: support, how often predicted, and its rates against the rest; undefined ones are null."""
        import polars as pl

        confusion, predictions = self.confusion, self.predictions
        if confusion is None:
            raise InputError("scores decide nothing by themselves; give predicted labels or probabilities")
        cells = confusion.one_vs_rest
        columns: dict[str, Any] = {"class": [str(label) for label in predictions.classes], "support": cells.support}
        columns["predicted"] = cells.tp + cells.fp
        for name in ("Precision", "Recall", "Specificity"):
            columns[name] = _shares(ClassRate(name), cells)
        columns["F1"] = _shares(ClassRate("F1", beta=1.0), cells)
        if predictions.probabilities is not None:
            columns["AUC"] = self.tally.class_areas.vs_rest
        rates = [name for name in columns if name not in ("class", "support", "predicted")]
        return pl.DataFrame(columns).with_columns(pl.col(rates).fill_nan(None))

    @property
    def roc(self) -> Roc:
        """False and true positive rates by threshold."""
        self._require_curve()
        outline = self.tally.outline
        return Roc(outline.fpr, outline.recall, outline.threshold)

    @property
    def precision_recall(self) -> PrecisionRecall:
        """Precision against recall, with the prevalence as baseline."""
        self._require_curve()
        return precision_recall(self.tally.outline)

    @property
    def gain(self) -> Gain:
        """Gain and lift by share taken."""
        self._require_curve()
        return gain(self.tally.outline)

    def reliability(self, bins: int = 10, *, mass: bool = False) -> Reliability:
        """The reliability diagram in bins of equal width or equal mass."""
        self._require_probabilities()
        return reliability(self.tally.bins(bins, mass=mass))

    @property
    def risk_coverage(self) -> RiskCoverage:
        """Risk against coverage when unsure decisions are withheld."""
        self._require_probabilities()
        return risk_coverage(sweep(self.tally.confident))

    def thresholds(self, at: Sequence[float] | None = None) -> pl.DataFrame:
        """Outcomes and rates at every threshold, or at those asked for, exactly."""
        self._require_curve()
        points = self.tally.points
        return threshold_table(points if points.complete else sweep(self.tally.trials), at)

    def _require_curve(self) -> None:
        if self.tally.why_not_scored:
            raise InputError(f"there is no curve: {self.tally.why_not_scored}")

    def _require_probabilities(self) -> None:
        if self.tally.why_not_probable:
            raise InputError(self.tally.why_not_probable)


def _shares(rate: ClassRate, cells: Any) -> Any:
    part, whole = rate.shares(cells)
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def evaluate_predictions(
    predictions: Predictions, measures: Iterable[str | Measure] | str | Measure | None = None
) -> ClassEvaluation:
    """Answer measures of classification about predictions, counting each thing once.

    >>> e = evaluate_predictions(Predictions.from_labels([1, 1, 0, 0], [1, 0, 0, 0]), ["Recall", "MCC"])
    >>> e["Recall"].value, round(e["MCC"].value, 3)
    (0.5, 0.577)
    """
    if isinstance(measures, str | Measure):
        measures = [measures]
    asked = CLASSIFICATION.parse_all(default_measures(predictions) if measures is None else measures)
    tally = predictions.count(Needs.of(asked))
    return ClassEvaluation(predictions, {str(measure): measure.of(tally) for measure in asked}, tally)
