"""Which way is better: every measure is classified, and the lists are true."""

from __future__ import annotations

import numpy as np
import pytest

import bertillon as bt
from bertillon.measures.better import HIGHER, LOWER, NEITHER, better
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.identification import IDENTIFICATION
from bertillon.measures.registry import VERIFICATION

LANGUAGES = (VERIFICATION, IDENTIFICATION, CLASSIFICATION)


def test_every_measure_is_in_one_list_and_no_list_holds_anything_else():
    names = {name for language in LANGUAGES for name in language.definitions}
    assert names == LOWER | HIGHER | NEITHER
    assert len(LOWER) + len(HIGHER) + len(NEITHER) == len(names)


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
