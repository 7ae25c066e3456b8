"""Everything counted about predictions, each thing once and only when a measure asks for it.

Conventions: where labels were predicted, decisions are those labels. Otherwise the positive class is decided when its
probability is at least 0.5, and among several classes the most probable one (the first of equals). Scores that are no
probabilities decide nothing until a threshold is named. Where something cannot be counted, `why_not_...` says why.

Holds `ClassTally`, and `cells_at` with the four outcomes at one threshold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, joined, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.classes import one_vs_rest as binary
from bertillon.counting.classes import probabilities
from bertillon.counting.classes.confusion import Confusion, code_totals, count_labels
from bertillon.counting.classes.one_vs_rest import BinaryTrials, areas_of, areas_on, binary_trials, sweep, walk
from bertillon.counting.curves import class_curves
from bertillon.counting.curves.error_curve import Roc
from bertillon.counting.error_counts import BinaryCounts, outcomes
from bertillon.counting.keys import fingerprint
from bertillon.counting.refining import Seek
from bertillon.counting.tally import Need, Needs, Tally, count_wins, take_tally

if TYPE_CHECKING:
    from bertillon.trials.predictions import Predictions

HALF = 0.5
NO_POSITIVES = say("reason.no_positives")
NO_NEGATIVES = say("reason.no_negatives")
NO_WEIGHT = say("reason.no_weight")


class ClassTally:
    """Counts of one set of predictions, made when first read.

    `seeks` say where on the curve answers lie (see `refining`); `whole` says that the whole curve will be walked, for
    which a large set is sorted once; `read` has the same samples under other weights, and what each of them says.
    """

    def __init__(
        self,
        predictions: Predictions,
        seeks: Sequence[Seek] = (),
        *,
        whole: bool = False,
        read: ClassTally | None = None,
    ) -> None:
        self.predictions = predictions
        self._read = read
        self._seeks = tuple(seeks)
        self._whole = whole
        self._bins: dict[tuple[int, bool, int | None], probabilities.ProbabilityBins] = {}

    @cached_property
    def why_not_scored(self) -> Message | None:
        """Why there is no curve of one positive class."""
        predictions = self.predictions
        if predictions.positive is None and predictions.n_classes == 2:
            return say("reason.which_positive", first=repr(predictions.classes[0]), second=repr(predictions.classes[1]))
        if predictions.positive is None:
            return say("reason.many_classes", n=predictions.n_classes)
        return None if predictions.positive_scores is not None else say("reason.labels_only")

    @property
    def why_not_binary(self) -> Message | None:
        """Why there is no positive class, of scores or of labels."""
        return None if self.predictions.is_binary else self.why_not_scored

    @cached_property
    def why_not_ranked(self) -> Message | None:
        """Why positives cannot be set against negatives."""
        if self.why_not_scored:
            return self.why_not_scored
        totals = ((NO_POSITIVES, self.trials.mated_total), (NO_NEGATIVES, self.trials.nonmated_total))
        return joined([why for why, total in totals if not total]) or None

    @cached_property
    def why_not_probable(self) -> Message | None:
        """Why there are no probabilities."""
        if self.predictions.probabilities is not None:
            return None if self.weight else NO_WEIGHT
        return say(
            "reason.no_probabilities_labels" if self.predictions.scores is None else "reason.no_probabilities_scores"
        )

    @property
    def curves(self) -> tuple[str, ...]:
        """What scores rank, and the reliability diagram of probabilities."""
        ranked = ("roc", "det", "precision-recall") if self.why_not_ranked is None else ()
        return (*ranked, "reliability") if self.why_not_probable is None else ranked

    @property
    def definitions(self) -> dict[str, Any]:
        """What the numbers mean, and the data they belong to."""
        confusion = self.confusion
        return {
            "rule": say("signature.rule.positive", sign=self.predictions.rule.sign),
            "positive": self.predictions.positive,
            "decisions": say("signature.decisions.none") if confusion is None else confusion.how,
            "threshold": None if confusion is None else confusion.threshold,
            "thresholds": say("signature.thresholds.classes"),
            "targets": say("signature.targets.classes"),
            "averages": say("signature.averages.macro"),
            "weighted": self.predictions.weights is not None,
            "data": self.fingerprint,
        }

    @property
    def fingerprint(self) -> str:
        """A short name for the data, whatever the order of the samples."""
        if self.why_not_scored is None:
            return fingerprint(self.trials.mated, self.trials.nonmated)
        if self.predictions.probabilities is not None:
            return fingerprint(self.rows.true_probability, self.rows.top.astype(np.float64))
        assert self.confusion is not None
        cells = self.confusion.to_frame().sort("true", "predicted").rows()
        return hashlib.sha256(repr(cells).encode()).hexdigest()[:16]

    @cached_property
    def weight(self) -> float:
        """The number of samples, or their weight."""
        weights = self.predictions.weights
        return self.predictions.size if weights is None else float(weights.sum())

    @cached_property
    def trials(self) -> BinaryTrials:
        """The positive class against the other."""
        predictions = self.predictions
        scores = predictions.positive_scores
        assert scores is not None
        return binary_trials(
            scores, predictions.truth, predictions.positive_code, weights=predictions.weights, ordered=self._whole
        )

    @cached_property
    def _sought(self) -> Tally:
        return take_tally(self.trials, self._seeks)

    @cached_property
    def whole(self) -> BinaryCounts:
        """Every threshold, counted once for all who read it; not again where the points sought were counted so."""
        known: Tally | None = vars(self).get("_sought")
        return known.errors if known is not None and known.errors.complete else sweep(self.trials)

    @property
    def pieces(self) -> Iterator[BinaryCounts]:
        """The same in pieces, where there are more rows than it pays to hold."""
        return walk(self.trials) if self.trials.ordered else iter([self.whole])

    @cached_property
    def points(self) -> BinaryCounts:
        """The curve, exact around every point sought."""
        return self.whole if self.trials.weighted or "whole" in vars(self) else self._sought.errors

    @cached_property
    def outline(self) -> BinaryCounts:
        """The curve to draw: every threshold, or the edges of bins where scores are many."""
        return self.points if self.trials.weighted else self._sought.outline

    @cached_property
    def areas(self) -> binary.Areas:
        """What is summed over the whole curve."""
        return areas_of(self.trials) if self.trials.ordered else areas_on(self.whole)

    @cached_property
    def auc(self) -> float:
        """Share of (positive, negative) pairs in the right order, ties half."""
        trials = self.trials
        if trials.compiled and not trials.ordered:
            wins = count_wins(trials.mated, trials.nonmated, 1)
            return (2 * wins.won + wins.tied) / (2 * wins.pairs)
        return self.areas.doubled_wins / (2 * self.areas.positives * self.areas.negatives)

    @cached_property
    def confusion(self) -> Confusion | None:
        """Decisions against the truth; None where nothing was decided."""
        predictions = self.predictions
        if predictions.predicted is not None:
            return count_labels(
                predictions.truth, predictions.predicted, predictions.classes, weights=predictions.weights
            )
        if predictions.probabilities is None:
            return None
        if predictions.positive is None:
            how = say("decision.most_probable")
            return count_labels(
                predictions.truth, self.rows.best, predictions.classes, weights=predictions.weights, how=how
            )
        how = say("decision.at_probability", positive=repr(predictions.positive), threshold=str(HALF))
        cells = cells_at(self.trials, HALF)
        return Confusion.of_cells(predictions.classes, predictions.positive_code, cells, threshold=HALF, how=how)

    @cached_property
    def matrix(self) -> NDArray[Any]:
        """Probabilities with a column for each class."""
        if self._read is not None:
            return self._read.matrix
        predictions = self.predictions
        assert predictions.probabilities is not None
        if predictions.probabilities.ndim == 2:
            return predictions.probabilities
        return np.column_stack([predictions.probability_of(code) for code in range(2)])

    @cached_property
    def rows(self) -> probabilities.Rows:
        """What each row of probabilities says."""
        return (
            self._read.rows if self._read is not None else probabilities.read_rows(self.matrix, self.predictions.truth)
        )

    @cached_property
    def losses(self) -> probabilities.Losses:
        """Logarithmic and quadratic loss."""
        if self.predictions.positive is not None:
            return probabilities.binary_losses(self.trials)
        return probabilities.class_losses(self.rows.true_probability, self.rows.squares, self.predictions.weights)

    @cached_property
    def judged(self) -> BinaryTrials:
        """The probabilities whose calibration is measured: of the positive class, or of the favourite class."""
        predictions = self.predictions
        if predictions.positive is not None:
            return self.trials
        hit = (self.rows.best == predictions.truth).astype(np.int8)
        return binary_trials(self.rows.top, hit, 1, weights=predictions.weights)

    @cached_property
    def confident(self) -> BinaryTrials:
        """How sure each decision was: right decisions against wrong ones, by the probability of what was decided."""
        predictions = self.predictions
        if predictions.positive is None:
            return self.judged
        p = predictions.probability_of(predictions.positive_code)
        decided = AcceptRule.SIMILARITY.accepts(p, HALF)
        hit = (decided == (predictions.truth == predictions.positive_code)).astype(np.int8)
        return binary_trials(np.maximum(p, 1.0 - p), hit, 1, weights=predictions.weights)

    def bins(self, bins: int, *, mass: bool = False, code: int | None = None) -> probabilities.ProbabilityBins:
        """Those probabilities in bins, of equal width or of equal mass; or those of one class, in equal widths."""
        asked = (bins, mass, code)
        if asked not in self._bins:
            self._bins[asked] = self._binned(*asked)
        return self._bins[asked]

    def _binned(self, bins: int, mass: bool, code: int | None) -> probabilities.ProbabilityBins:
        if code is not None:
            return probabilities.equal_width(self.one_vs_rest(code), bins)
        if mass:
            judged = sweep(self.judged) if self.predictions.positive is None else self.whole
            return probabilities.equal_mass(judged, bins)
        return probabilities.equal_width(self.judged, bins)

    def one_vs_rest(self, code: int) -> BinaryTrials:
        """One class against all others, by its own column."""
        predictions = self.predictions
        return binary_trials(predictions.probability_of(code), predictions.truth, code, weights=predictions.weights)

    @cached_property
    def pooled_areas(self) -> binary.Areas:
        """Sums over the walk of all columns of all samples together, each positive in that of its true class."""
        matrix, predictions = self.matrix, self.predictions
        own = np.zeros(matrix.shape, dtype=np.bool_)
        own[np.arange(predictions.size), predictions.truth] = True
        if predictions.weights is None:
            return areas_of(BinaryTrials(matrix[own], matrix[~own]))
        weights: NDArray[np.float64] = np.broadcast_to(predictions.weights[:, None], matrix.shape)
        return areas_of(BinaryTrials(matrix[own], matrix[~own], weights[own], weights[~own]))

    @cached_property
    def class_areas(self) -> binary.ClassAreas:
        """Area under the ROC of each class."""
        return binary.class_areas(self.matrix, self.predictions.truth, self.predictions.weights)

    @cached_property
    def class_totals(self) -> NDArray[Any]:
        """How often each class is the true one, or its weight."""
        predictions = self.predictions
        return code_totals(predictions.truth, predictions.n_classes, weights=predictions.weights)

    @property
    def roc(self) -> Roc:
        """False and true positive rates by threshold."""
        self._require_curve()
        return Roc(self.outline.fpr, self.outline.recall, self.outline.threshold)

    @property
    def precision_recall(self) -> class_curves.PrecisionRecall:
        """Precision against recall, with the prevalence as baseline."""
        self._require_curve()
        return class_curves.precision_recall(self.outline)

    @property
    def gain(self) -> class_curves.Gain:
        """Gain and lift by share taken."""
        self._require_curve()
        return class_curves.gain(self.outline)

    def reliability(self, bins: int = 10, *, mass: bool = False) -> class_curves.Reliability:
        """The reliability diagram in bins of equal width or equal mass."""
        self._require_probabilities()
        return class_curves.reliability(self.bins(bins, mass=mass))

    @property
    def risk_coverage(self) -> class_curves.RiskCoverage:
        """Risk against coverage when unsure decisions are withheld."""
        self._require_probabilities()
        return class_curves.risk_coverage(sweep(self.confident))

    def thresholds(self, at: Sequence[float] | None = None) -> pl.DataFrame:
        """Outcomes and rates at every threshold, or at those asked for, exactly."""
        self._require_curve()
        return class_curves.threshold_table(self.whole, at)

    def holds(self, needs: Needs) -> bool:
        """Is all here that some measures need? Where not every threshold is, what they seek may be missing."""
        return Need.DECISIONS in needs.reads or self.why_not_scored is not None or self.points.complete

    def _require_curve(self) -> None:
        if self.why_not_scored:
            raise InputError(f"there is no curve: {self.why_not_scored}")

    def _require_probabilities(self) -> None:
        if self.why_not_probable:
            raise InputError(self.why_not_probable)


def cells_at(trials: BinaryTrials, threshold: float) -> tuple[float, float, float, float]:
    """tp, fp, fn and tn at a threshold; a score equal to it is positive."""
    if trials.mated_weights is None or trials.nonmated_weights is None:
        counts = outcomes(trials, threshold)
        return counts.true_match, counts.false_match, counts.false_nonmatch, counts.true_nonmatch
    rule = AcceptRule.SIMILARITY
    weights = (trials.mated_weights, trials.nonmated_weights)
    accepted = [rule.accepts(scores, threshold) for scores in (trials.mated, trials.nonmated)]
    tp, fp = (float(own[chosen].sum()) for own, chosen in zip(weights, accepted, strict=True))
    fn, tn = (float(own[~chosen].sum()) for own, chosen in zip(weights, accepted, strict=True))
    return tp, fp, fn, tn
