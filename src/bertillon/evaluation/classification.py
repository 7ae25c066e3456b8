"""Evaluate predictions of a classifier: the answers, the confusion matrix, numbers by class, and the curves.

Conventions: without measures the complete report is answered, as far as the predictions allow it: the decisions, the
ranking, the probabilities. Curves are made when they are first asked for. Above a million samples of two classes a
curve is an outline, exact at each of its points.

Holds `evaluate_predictions`, `ClassEvaluation` and `default_measures`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.classes.confusion import Confusion, code_totals
from bertillon.counting.classes.sweep import sweep
from bertillon.counting.curves.error_curve import Roc
from bertillon.counting.curves.gain import Gain, gain
from bertillon.counting.curves.precision_recall import PrecisionRecall, precision_recall, threshold_table
from bertillon.counting.curves.reliability import Reliability, reliability
from bertillon.counting.curves.risk_coverage import RiskCoverage, risk_coverage
from bertillon.counting.fingerprint import fingerprint
from bertillon.evaluation.base import BaseEvaluation
from bertillon.measures.base import Measure, Result
from bertillon.measures.classification import CLASSIFICATION, ClassMeasure
from bertillon.measures.classification.rates import ClassRate
from bertillon.measures.registry import MeasureSet
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
LISTED_CLASSES = 100  # more classes than this are counted, not listed


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
    measure_set: ClassVar[MeasureSet] = CLASSIFICATION

    @property
    def name(self) -> str:
        """The classifier's name."""
        return self.predictions.name

    @property
    def trials(self) -> Predictions:
        """What was evaluated."""
        return self.predictions

    @property
    def rule(self) -> AcceptRule:
        """A higher score is more like the positive class."""
        return AcceptRule.SIMILARITY

    @property
    def counts(self) -> dict[str, int]:
        """How many samples, how many failed, and how many of each class (of many classes: how many classes)."""
        predictions = self.predictions
        numbers = code_totals(predictions.truth, predictions.n_classes)
        whole = {"samples": predictions.size, "failed": predictions.failed}
        if predictions.n_classes > LISTED_CLASSES:
            return {**whole, "classes": predictions.n_classes}
        return whole | {f"class {label}": int(n) for label, n in zip(predictions.classes, numbers, strict=True)}

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        predictions = self.predictions
        return {
            "rule": say("signature.rule.positive", sign=self.rule.sign),
            "positive": predictions.positive,
            "decisions": say("signature.decisions.none") if self.confusion is None else self.confusion.how,
            "threshold": None if self.confusion is None else self.confusion.threshold,
            "thresholds": say("signature.thresholds.classes"),
            "targets": say("signature.targets.classes"),
            "averages": say("signature.averages.macro"),
            "weighted": predictions.weights is not None,
            "data": self._fingerprint(),
        }

    @property
    def curves(self) -> tuple[str, ...]:
        """What scores rank, and the reliability diagram of probabilities."""
        ranked = ("roc", "det", "precision-recall") if self.tally.why_not_ranked is None else ()
        return (*ranked, "reliability") if self.tally.why_not_probable is None else ranked

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

    def _fingerprint(self) -> str:
        """A short name for the data, whatever the order of the samples."""
        predictions = self.predictions
        if self.tally.why_not_scored is None:
            return fingerprint(self.tally.trials.positives, self.tally.trials.negatives)
        if predictions.probabilities is not None:
            return fingerprint(self.tally.rows.true_probability, self.tally.rows.top.astype(np.float64))
        assert self.confusion is not None
        cells = self.confusion.to_frame().sort("true", "predicted").rows()
        return hashlib.sha256(repr(cells).encode()).hexdigest()[:16]


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
    whole = any(isinstance(measure, ClassMeasure) and measure.whole for measure in asked)
    tally = ClassTally(predictions, [measure.seek for measure in asked], whole=whole)
    return ClassEvaluation(predictions, {str(measure): measure.of(tally) for measure in asked}, tally)
