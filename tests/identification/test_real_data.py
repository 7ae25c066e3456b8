"""Searches on NIST BSSR1: the rank-1 rates of its description, and which tie rule they follow."""

from __future__ import annotations

import numpy as np
import pytest

from bertillon.evaluation import evaluate
from bertillon.io import read
from bertillon.trials import searches_from_blocks, searches_from_matrix

pytestmark = pytest.mark.realdata

RATES = {"face-C": 0.8839, "face-G": 0.8569, "finger-left": 0.8588, "finger-right": 0.9304}
OPTIMISTIC = {**RATES, "finger-left": 0.8646}


@pytest.mark.parametrize("name", RATES)
def test_rank_one_rates_are_pessimistic(real_data, name):
    """C2: the listed rates count a mate as first only where nobody is as alike; left fingers tell the difference."""
    matrix = read(real_data / "bssr1" / f"{name}.csv.gz")
    found = evaluate(searches_from_matrix(matrix), ["RR", "RR[optimistic]", "MRR", "mAP"])
    assert found["RR"].value == pytest.approx(RATES[name], abs=5e-5)
    assert found.counts == {"enrolled": 517, "nonenrolled": 0, "failed": 0, "gallery": 517}
    assert found["RR[optimistic]"].value == pytest.approx(OPTIMISTIC[name], abs=5e-5)
    assert found["mAP"].value == pytest.approx(found["MRR"].value)  # one template a person


def test_a_watch_list_of_half_the_people_streamed_in_blocks(real_data):
    """O4: half the people enrolled; blocks of 100 columns give what the whole matrix gives."""
    matrix = read(real_data / "bssr1" / "finger-right.csv.gz")
    gallery = matrix.reference_subject[:258]
    columns = np.array_split(np.arange(258), 3)
    rows = np.arange(517)
    blocks = ((rows, part, matrix.scores[:, part]) for part in columns)
    found = evaluate(searches_from_blocks(blocks, matrix.probe_subject, gallery))
    assert found.counts == {"enrolled": 258, "nonenrolled": 259, "failed": 0, "gallery": 258}
    top = matrix.scores[258:, :258].max(axis=1)
    threshold = found["DIR@FPIR=0.01"].threshold
    assert (top >= threshold).mean() <= 0.01
    mate = np.diag(matrix.scores)[:258]
    others = np.where(np.eye(258, dtype=bool), -1, matrix.scores[:258, :258]).max(axis=1)
    assert found["DIR@FPIR=0.01"].value == ((mate >= threshold) & (mate > others)).mean()
    assert 0 < found["EERopen"].value < 0.2
