"""Which way is better: the one place that knows whether a measure should be small or large.

Conventions: names mean the same in every mode, so one table serves all. A measure that describes the data and not the
system (the share of positives), or that is neither good nor bad by itself, is in neither list and gets no verdict.

Holds `better`.
"""

from __future__ import annotations

from bertillon.measures.base import Measure
from bertillon.measures.spelling import Spelling

LOWER = frozenset(
    {
        *("FMR", "FNMR", "FAR", "FRR", "HTER", "FM", "FNM", "GFAR", "GFRR", "EER", "ZeroFMR", "ZeroFNMR"),
        *("FMR10", "FMR100", "FMR1000", "FMR10000", "Overlap", "minHTER", "minDCF", "actDCF"),
        *("Cllr", "minCllr", "calLoss", "FTA", "FTE"),
        *("FNIR", "FPIR", "Missed", "Misidentified", "SEL", "EERopen", "MeanRank", "MedianRank"),
        *("FDR", "FOR", "FNR", "FPR", "LogLoss", "Brier", "Reliability", "ECE", "MCE", "Cost", "minCost"),
    }
)
HIGHER = frozenset(
    {
        *("TMR", "TNMR", "GAR", "GRR", "TM", "TNM", "AUC", "Gini", "pAUC", "dprime", "FRatio", "KS", "Youden"),
        *("DIR", "AUCopen", "CMS", "RR", "nAUC", "MRR", "mAP"),
        *("Precision", "Recall", "Specificity", "NPV", "Jaccard", "F1", "F", "Accuracy", "BalancedAccuracy", "MCC"),
        *("Kappa", "Informedness", "Markedness", "P", "R", "NDCG", "Top", "AP", "MAP", "Resolution"),
    }
)
NEITHER = frozenset({"Prevalence", "Uncertainty", "Remainder"})


def better(measure: Measure | str) -> int:
    """1 where more is better, -1 where less is, 0 where neither is.

    >>> better("EER"), better("AUC"), better("Prevalence")
    (-1, 1, 0)
    """
    name = (Spelling.read(measure) if isinstance(measure, str) else measure.spelling).name
    return -1 if name in LOWER else int(name in HIGHER)
