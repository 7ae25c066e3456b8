"""U1: the variance of ISO/IEC 19795-1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertillon.stats import annex_b, rate_of_subjects

subjects = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)).filter(lambda row: row[0] <= row[1]), min_size=2)


@pytest.mark.parametrize(("errors", "upper"), [(5, 0.04501), (6, 0.0523)])
def test_U1_one_attempt_a_subject_by_hand(errors, upper):
    """STANDARDS 1: 174 subjects, 5 rejections, 80 %: .045 (published); .0523 for 6."""
    found = annex_b([1] * errors + [0] * (174 - errors), [1] * 174)
    rate = errors / 174
    assert found.variance == pytest.approx(rate * (1 - rate) / 173)
    assert found.interval(level=0.8).high == pytest.approx(upper, abs=6e-5)


def test_U1_several_attempts_a_subject_by_hand():
    """[sum a^2 / (m^2 n) - p^2] / (n - 1) for errors {2, 0, 1, 0} of 3: p = 1/4, (5/36 - 1/16) / 3."""
    assert annex_b([2, 0, 1, 0], [3] * 4).variance == pytest.approx((5 / 36 - 1 / 16) / 3)


@given(subjects)
def test_U1_annex_b_is_the_variance_of_clusters_but_for_one_subject(rows):
    """With n / (n - 1) in place of 1."""
    errors, trials = zip(*rows, strict=True)
    clusters, n = rate_of_subjects(errors, trials), len(trials)
    assert annex_b(errors, trials).variance == pytest.approx(clusters.variance * n / (n - 1), abs=1e-12)


def test_U1_annex_b_at_its_ends():
    none = annex_b([0] * 50, [2] * 50).interval()
    assert (none.low, none.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 50)))
    assert str(none.reason) == "no error was observed"
    assert annex_b([2] * 50, [2] * 50).interval().high == 1.0
    assert str(annex_b([], []).interval().reason) == "no trials"
    assert str(annex_b([1], [2]).interval().reason) == "one subject alone says nothing about others"
    found = annex_b([2, 0, 0, 0, 0, 0], [2] * 6)
    assert found.interval().low == 0.0  # cut
    assert found.interval(side="upper").low == 0.0
    assert found.interval(side="lower").high == 1.0
