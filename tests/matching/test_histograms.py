"""SPEC T1: Bhattacharyya distance between histograms; and its neighbours chi-square and intersection."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matching.making import scores, table
from scipy.spatial import distance
from sklearn.metrics.pairwise import additive_chi2_kernel

from bertillon.core import AcceptRule, InputError
from bertillon.matching import match, matcher

RNG = np.random.default_rng(6)
P, Q = RNG.random((7, 9)), RNG.random((5, 9)) * (RNG.random((5, 9)) < 0.6) + 1e-6
SHARES = [one / one.sum(axis=1, keepdims=True) for one in (P, Q)]


def histograms(name, probes, gallery, **options):
    return scores(name, probes, gallery, kind="histogram", **options)


def test_T1_bhattacharyya_by_hand():
    """Shares (.5, .5) and (.9, .1): BC = sqrt(.45) + sqrt(.05)."""
    coefficient = math.sqrt(0.45) + math.sqrt(0.05)
    assert histograms("bhattacharyya", [[2.0, 2.0]], [[9.0, 1.0]]) == pytest.approx(-math.log(coefficient))
    root = histograms("bhattacharyya", [[2.0, 2.0]], [[9.0, 1.0]], variant="root")
    assert root == pytest.approx(math.sqrt(1 - coefficient))
    assert matcher("bhattacharyya").rule is AcceptRule.DISTANCE


def test_bhattacharyya_of_equal_and_of_disjoint_histograms_by_hand():
    """The same shape is exactly 0 apart, whatever the counts; without a common bin the distance is infinite, or 1."""
    found = histograms("bhattacharyya", [[1.0, 2.0, 0.0]], [[10.0, 20.0, 0.0], [0.0, 0.0, 5.0]])
    assert found.tolist() == [[0.0, math.inf]]
    disjoint = histograms("bhattacharyya", [[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 7.0, 0.1, 3.3]])
    assert disjoint.tolist() == [[math.inf]]
    barely = histograms("bhattacharyya", [[1.0, 0.0]], [[1e-30, 1.0]])
    assert barely == pytest.approx(15 * math.log(10), rel=1e-12)
    assert histograms("bhattacharyya", [[1.0, 0.0]], [[0.0, 3.0]], variant="root").tolist() == [[1.0]]


@pytest.mark.parametrize(("dtype", "near"), [(np.float64, 1e-12), (np.float32, 2e-6)])
def test_histograms_against_numpy_and_sklearn(dtype, near):
    p, q = SHARES
    probes, gallery = P.astype(dtype), Q.astype(dtype)
    coefficient = np.sqrt(p[:, None] * q[None]).sum(axis=2)
    near = {"rtol": near, "atol": near}
    np.testing.assert_allclose(histograms("bhattacharyya", probes, gallery), -np.log(coefficient), **near)
    root = histograms("bhattacharyya", probes, gallery, variant="root")
    np.testing.assert_allclose(root, np.sqrt(1 - coefficient), **near)
    np.testing.assert_allclose(histograms("chi-square", probes, gallery), -0.5 * additive_chi2_kernel(p, q), **near)
    found = histograms("intersection", probes, gallery)
    np.testing.assert_allclose(found, 1 - 0.5 * distance.cdist(p, q, "cityblock"), **near)
    assert found.dtype == dtype


def test_chi_square_and_intersection_by_hand():
    """Shares (.5, .5, 0) and (.25, .25, .5): chi-square 1/2 (.0625/.75 x 2 + .5), intersection .5."""
    assert histograms("chi-square", [[1.0, 1.0, 0.0]], [[1.0, 1.0, 2.0]]) == pytest.approx(1 / 3)
    assert histograms("intersection", [[1.0, 1.0, 0.0]], [[1.0, 1.0, 2.0]]).tolist() == [[0.5]]
    assert matcher("intersection").rule is AcceptRule.SIMILARITY
    assert matcher("chi-square").rule is AcceptRule.DISTANCE


counts = st.lists(st.integers(0, 20), min_size=5, max_size=5).filter(any)


@given(counts, counts, st.integers(1, 9))
def test_only_the_shape_counts_and_all_is_bounded(p, q, times):
    for name, best, worst in (("bhattacharyya", 0, math.inf), ("chi-square", 0, 1), ("intersection", 1, 0)):
        found = histograms(name, [p], [q])
        assert min(best, worst) - 1e-12 <= found[0, 0] <= max(best, worst) + 1e-12
        np.testing.assert_allclose(histograms(name, [[times * one for one in p]], [q]), found, atol=1e-12)
        np.testing.assert_allclose(histograms(name, [q], [p]), found, atol=1e-12)
        assert histograms(name, [p], [p]) == pytest.approx(best, abs=1e-12)


def test_vectors_are_no_histograms():
    with pytest.raises(InputError, match=r"chi-square compares templates of kind histogram, .* of kind vector"):
        match(table([[1.0, 2.0]]), table([[1.0, 2.0]]), "chi-square")


def test_an_unknown_variant_is_refused():
    with pytest.raises(InputError, match="did you mean 'root'"):
        matcher("bhattacharyya", variant="rot")
