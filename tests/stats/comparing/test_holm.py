"""Holm's correction. SPEC U2."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from bertillon.stats import holm


@settings(max_examples=12)  # the oracle takes its time
@given(st.lists(st.integers(0, 20).map(lambda n: n / 20), min_size=1, max_size=12))
def test_against_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


def test_what_was_no_test_is_not_counted_by_hand():
    found = holm([0.02, math.nan, 0.03])
    assert found[0] == pytest.approx(0.04)
    assert math.isnan(found[1])
    assert found[2] == pytest.approx(0.04)
    assert holm([]) == []
