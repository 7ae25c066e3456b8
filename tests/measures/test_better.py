"""Which way is better: every measure is classified, and the lists are true."""

from __future__ import annotations

import numpy as np
import pytest

import bertillon as bt
from bertillon.measures import MEASURE_SETS, VERIFICATION, better

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


def test_every_measure_says_which_way_is_better():
    """Each definition says what stands in the lists, in every mode."""
    said = {name: one.better for measure_set in MEASURE_SETS for name, one in measure_set.definitions.items()}
    listed = dict.fromkeys(LOWER, "lower") | dict.fromkeys(HIGHER, "higher") | dict.fromkeys(NEITHER, "neither")
    assert said == listed


def test_a_name_says_the_same_in_every_mode():
    for measure_set in MEASURE_SETS:
        for name, one in measure_set.definitions.items():
            assert better(name) == {"lower": -1, "neither": 0, "higher": 1}[one.better], (measure_set.mode, name)


def test_a_measure_nobody_knows_gets_no_verdict():
    assert better("Nothing") == 0


@pytest.mark.parametrize("example", [one.example for one in VERIFICATION.definitions.values()])
def test_a_system_without_errors_is_no_worse_than_one_with_errors(example):
    """A good system of log-likelihood ratios against one whose scores say nothing."""
    rng = np.random.default_rng(4)
    good = bt.ScoreSet(rng.normal(9, 1, 200), rng.normal(-9, 1, 200))
    poor = bt.ScoreSet(rng.normal(0.1, 3, 200), rng.normal(0, 3, 200))
    gain = bt.evaluate(good, [example])[example].value - bt.evaluate(poor, [example])[example].value
    assert np.isnan(gain) or gain * better(example) >= 0


def test_variants_and_places_do_not_matter():
    assert better("EER[hull]") == better(bt.parse("FNMR@FMR=0.001")) == -1
    assert better("TMR@FMR=0.001") == better("pAUC[mcclish]@FMR=0.01") == 1
    assert better("Prevalence") == 0
