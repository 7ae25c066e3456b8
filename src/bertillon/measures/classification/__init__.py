"""Measures of classifiers: predictions to numbers, in the same language as all other measures.

Conventions: `F1`, `Recall@FPR=0.01`, `F1[macro]`, `F(beta=2)@t=0.5`, `AUC[ovr]`, `P@10`, `ECE(bins=15)`. Without
a place a decision is the predicted label, or the positive class at a probability of 0.5 or more, or the most probable
class; a score that is no probability needs a place. At a place `FPR=x` is the most permissive threshold with an FPR of
at most x; `Recall=y` the strictest with a recall of at least y; `Precision=y` the most permissive with a precision of
at least y. A score equal to the threshold is positive. Averages over classes are named: [macro] the mean over the
classes that occur in truth or predictions, [micro] over all decisions pooled, [weighted] by how often a class is the
true one. Sample weights count everywhere except where the reason says otherwise.

Where scikit-learn differs, by design:

- A number that is not defined (precision when nothing is predicted positive, recall without positives, MCC and kappa
  when truth or predictions are all one class, balanced accuracy when one class alone occurs) is NaN with a reason;
  scikit-learn says 0 (zero_division) or counts what is left. One such class makes a macro average NaN too.
- LogLoss is infinite when what came true was given probability 0; LogLoss[clipped] clips as scikit-learn does.
- Top@k counts a tie at the border as a miss; scikit-learn lets the last of the tied classes win.
- Equal-mass bins never split equal probabilities; scikit-learn cuts at quantiles. Equal-width bins are the same.
- AUC for several classes must say how: [ovr], [ovr-weighted], [ovr-micro], [ovo], [ovo-weighted]; weights count in all.

One file a family; those of a curve of two classes stand with those of comparisons, in `measures`

    decisions          Precision, Recall, Specificity, NPV, FDR, FOR, FNR, FPR, F1, F, Jaccard, Prevalence; Accuracy,
                       BalancedAccuracy, MCC, Kappa, Informedness, Markedness
    measures.area      AUC, Gini, pAUC
    ranking            AP, MAP, P@k, R@k, NDCG@k, Top@k; `graded_ndcg` for relevance in grades, no name of the language
    probability        LogLoss, Brier and its parts, ECE, MCE
    measures.separation, measures.cost   Youden, Cost, minCost
"""

from __future__ import annotations

from bertillon.measures import area, cost, separation
from bertillon.measures.base import ClassMeasure
from bertillon.measures.classification import decisions, probability, ranking
from bertillon.measures.registry import CLASSIFICATION

FAMILIES = (
    decisions.DEFINITIONS,
    decisions.AGREEMENT_DEFINITIONS,
    area.CLASS_DEFINITIONS,
    ranking.DEFINITIONS,
    probability.DEFINITIONS,
    separation.CLASS_DEFINITIONS,
    cost.CLASS_DEFINITIONS,
)

for _family in FAMILIES:
    CLASSIFICATION.register_all(_family)

__all__ = ["CLASSIFICATION", "ClassMeasure"]
