"""Comparisons are predictions of two classes: what both modes have a name for is the same number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bertillon as bt

scores = st.lists(st.integers(0, 8).map(lambda k: k / 8), min_size=1, max_size=12)
EXACT = {  # counts divided by counts
    "FMR@t=0.5": "FPR@t=0.5",
    "FNMR@t=0.25": "FNR@t=0.25",
    "TMR@FMR=0.25": "Recall@FPR=0.25",
    "TNMR@TMR=0.75": "Specificity@Recall=0.75",
    "FMR@FNMR=0.1": "FPR@FNR=0.1",
    "AUC": "AUC",
    "Gini": "Gini",
}
CLOSE = {  # sums whose last digit may differ
    "pAUC@FMR=0.3": "pAUC@FPR=0.3",
    "pAUC[mcclish]@FMR=0.3": "pAUC[mcclish]@FPR=0.3",
    "Youden": "Youden",
    "Cost(cfa=5,cfr=2,impostor=0.25)@t=0.5": "Cost(fn=2,fp=5,prevalence=0.75)@t=0.5",
    "minCost(cfa=5,cfr=2,impostor=0.25)": "minCost(fn=2,fp=5,prevalence=0.75)",
}


@given(mated=scores, nonmated=scores)
def test_a_number_is_the_same_in_both_modes(mated, nonmated):
    comparisons = bt.evaluate(bt.ScoreSet(mated, nonmated), [*EXACT, *CLOSE])
    truth = np.repeat([1, 0], [len(mated), len(nonmated)])
    classes = bt.evaluate(bt.Predictions.from_scores(truth, [*mated, *nonmated]), [*EXACT.values(), *CLOSE.values()])
    for ours, theirs in EXACT.items():
        assert comparisons[ours] == classes[theirs], ours
    for ours, theirs in CLOSE.items():
        assert comparisons[ours].value == pytest.approx(classes[theirs].value, abs=1e-12), ours
