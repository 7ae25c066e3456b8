"""The four outcomes at a threshold, of scores and of a curve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.core import AcceptRule
from bertillon.counting import Outcomes, outcomes, outcomes_on, take_tally
from bertillon.trials import ScoreSet

scores = st.lists(st.integers(-3, 3), min_size=1, max_size=8)


def test_v1_outcomes_by_hand() -> None:
    """Of four genuine scores one is below the threshold, of three impostors one is on it."""
    found = outcomes(ScoreSet([0.9, 0.8, 0.5, 0.4], [0.5, 0.2, 0.1]), 0.5)
    assert found == Outcomes(0.5, true_match=3, false_nonmatch=1, true_nonmatch=2, false_match=1)


@pytest.mark.parametrize("rule", AcceptRule)
@given(scores, scores, st.integers(-4, 4))
def test_v1_outcomes_on_a_curve_against_the_scores(rule, mated, nonmated, threshold) -> None:
    """A curve of every threshold knows the outcomes at each, also at those between its scores."""
    given_scores = ScoreSet(np.array(mated, dtype=float), np.array(nonmated, dtype=float), rule=rule)
    curve = take_tally(given_scores).errors
    assert outcomes_on(curve, rule, float(threshold)) == outcomes(given_scores, float(threshold))
