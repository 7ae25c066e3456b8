"""Resampled counts: the same numbers as rows repeated one by one, for every measure (U1)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bertillon.counts import weighted_cells
from bertillon.measures.registry import MEASURES, parse, parse_all
from bertillon.rule import AcceptRule
from bertillon.trials.score_set import ScoreSet, TrialIds
from bertillon.trials.simulate import simulate
from bertillon.uncertainty.resampling import resampled
from bertillon.uncertainty.settings import Settings
from uncertainty.brute_force import resampled_values

EVERY = parse_all([definition.example for definition in MEASURES.values()] + ["EER[nearest]", "EER[hull]", "EER[fvc]"])


def whole_scores(rng: np.random.Generator, n_people: int, mated: int, nonmated: int, rule: str) -> ScoreSet:
    """Small whole numbers, so that ties are common."""
    people = np.array([f"p{i}" for i in range(n_people)])
    own, probe = rng.integers(n_people, size=mated), rng.integers(n_people, size=nonmated)
    other = (probe + rng.integers(1, n_people, size=nonmated)) % n_people
    return ScoreSet(
        rng.integers(2, 8, size=mated).astype(float),
        rng.integers(0, 6, size=nonmated).astype(float),
        rule=rule,
        mated_ids=TrialIds(people[own], people[own]),
        nonmated_ids=TrialIds(people[probe], people[other]),
    )


@pytest.mark.parametrize("rule", ["similarity", "distance"])
@pytest.mark.parametrize("scheme", ["percentile", "double-or-nothing"])
def test_every_measure_against_brute_force(rule: str, scheme: str) -> None:
    scores = whole_scores(np.random.default_rng(5), 7, 40, 90, rule)
    asked = Settings(resamples=40, seed=11, method=scheme)
    found = resampled(scores, EVERY, asked)
    values, thresholds = resampled_values(scores, EVERY, 40, 11, asked.scheme)
    np.testing.assert_allclose(found.values, values, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found.thresholds, thresholds)
