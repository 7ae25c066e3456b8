"""SPEC T1: Euclidean distance; cosine similarity; Pearson correlation; ... with the direction declared by the matcher.
SPEC T3: deep embeddings, compared like T1 (normalised once).
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matching.making import scores, table
from scipy.spatial import distance

from bertillon.core import AcceptRule, InputError
from bertillon.io import make_templates
from bertillon.matching import match, matcher

RNG = np.random.default_rng(5)
PROBES, GALLERY = RNG.normal(size=(11, 6)), RNG.normal(size=(8, 6))
SCIPY = {
    "euclidean": "euclidean",
    "squared-euclidean": "sqeuclidean",
    "manhattan": "cityblock",
    "cosine": "cosine",
    "pearson": "correlation",
}


def test_T1_distances_and_similarities_by_hand():
    """(0, 3) and (4, 0) are 5, 25 and 7 apart, at a right angle; 1 2 3 rises as 2 4 6 does and 3 2 1 falls."""
    assert scores("euclidean", [[0.0, 3.0]], [[4.0, 0.0]]).tolist() == [[5.0]]
    assert scores("squared-euclidean", [[0.0, 3.0]], [[4.0, 0.0]]).tolist() == [[25.0]]
    assert scores("manhattan", [[0.0, 3.0]], [[4.0, 0.0]]).tolist() == [[7.0]]
    assert scores("cosine", [[0.0, 3.0]], [[4.0, 0.0], [0.0, 1.0], [0.0, -2.0]]).tolist() == [[0.0, 1.0, -1.0]]
    rising = scores("pearson", [[1.0, 2.0, 3.0]], [[2.0, 4.0, 6.0], [3.0, 2.0, 1.0], [1.0, 0.0, 1.0]])
    assert rising == pytest.approx(np.array([[1.0, -1.0, 0.0]]), abs=1e-15)


@pytest.mark.parametrize(
    ("name", "rule"), [("euclidean", "distance"), ("cosine", "similarity"), ("pearson", "similarity")]
)
def test_T1_the_direction_is_declared(name, rule):
    assert matcher(name).rule is AcceptRule.of(rule)
    assert match(table(PROBES), table(GALLERY), name).rule is AcceptRule.of(rule)


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize(("dtype", "near"), [(np.float64, 1e-13), (np.float32, 2e-6)])
def test_T1_all_pairs_against_scipy(name, dtype, near):
    probes, gallery = PROBES.astype(dtype), GALLERY.astype(dtype)
    found = scores(name, probes, gallery)
    expected = distance.cdist(probes.astype(np.float64), gallery.astype(np.float64), SCIPY[name])
    if name in ("cosine", "pearson"):
        expected = 1 - expected
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=near, atol=near)


def test_near_vectors_far_from_the_origin_keep_their_digits_against_scipy():
    """A product of matrices alone would lose every digit here."""
    probes = 1e4 + RNG.normal(size=(5, 64)).astype(np.float32)
    expected = distance.cdist(probes.astype(np.float64), probes.astype(np.float64))
    found = scores("euclidean", probes, probes)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert found.diagonal().tolist() == [0.0] * 5


@pytest.mark.parametrize("dtype", [np.float16, np.int8])
def test_small_types_are_compared_in_float32_by_hand(dtype):
    found = scores("euclidean", np.array([[3, 0]], dtype), np.array([[0, 4], [100, 0]], dtype))
    assert found.dtype == np.float32
    assert found.tolist() == [[5.0, 97.0]]


@pytest.mark.parametrize(("name", "odd"), [("cosine", [0.0, 0.0, 0.0]), ("pearson", [0.1, 0.1, 0.1])])
def test_a_vector_without_direction_fails_its_comparisons_by_hand(name, odd):
    """A failed comparison is NaN, and the notes count what made it fail."""
    found = match(table([[1.0, 2.0, 4.0], odd]), table([[1.0, 2.0, 3.0]]), name)
    assert np.isnan(found.scores[:, 0]).tolist() == [False, True]
    assert any("one vector" in str(note) and "failed" in str(note) for note in found.notes)
    assert "1 of 2 comparisons failed" in map(str, found.notes)


def test_cosine_of_very_long_and_very_short_vectors_by_hand():
    found = scores("cosine", [[3e200, 4e200], [3e-200, 4e-200]], [[3.0, 4.0]])
    assert found == pytest.approx(np.array([[1.0], [1.0]]))


numbers = st.lists(st.floats(-100, 100, width=32), min_size=4, max_size=4)


@given(numbers, numbers, st.floats(0.1, 10), st.floats(-50, 50))
def test_pearson_does_not_see_scale_and_offset(x, y, scale, offset):
    if max(x) - min(x) < 1e-3 or max(y) - min(y) < 1e-3:
        return
    plain = scores("pearson", [x], [y])
    changed = scores("pearson", [(np.array(x) * scale + offset).tolist()], [y])
    np.testing.assert_allclose(changed, plain, atol=1e-9)


def test_scaled_manhattan_by_hand():
    """Anna's features spread by 1 and 2 about their means (2, 6): |3 - 1| / 1 + |8 - 4| / 2 = 4 to her first template.

    Bob has one template, so the spread common to those with several, here Anna's, stands in.
    """
    gallery = table([[1.0, 4.0], [3.0, 8.0], [5.0, 0.0]], ["anna", "anna", "bob"])
    found = match(table([[3.0, 8.0]]), gallery, matcher("manhattan", scaled=True))
    assert found.scores.tolist() == [[4.0, 0.0, 2.0 + 4.0]]
    assert tuple(map(str, found.notes)) == ("one person has a single template: scaled by the spread common to all",)


def test_scaled_manhattan_where_nobody_has_two_templates_by_hand():
    """The spread about the mean of all: (1 + 1) / 2 = 1 and 2; a feature that never varies is not scaled."""
    gallery = table([[0.0, 0.0, 7.0], [2.0, 4.0, 7.0]])
    found = match(table([[1.0, 1.0, 9.0]]), gallery, matcher("manhattan", scaled=True))
    assert found.scores.tolist() == [[1.0 + 0.5 + 2.0, 1.0 + 1.5 + 2.0]]
    assert any("one feature does not vary at all" in str(note) for note in found.notes)


def test_scaled_manhattan_of_a_feature_that_does_not_vary_within_a_person_by_hand():
    gallery = table([[1.0, 1.0], [1.0, 3.0], [0.0, 0.0], [4.0, 2.0]], ["anna", "anna", "bob", "bob"])
    found = match(table([[2.0, 1.0]]), gallery, matcher("manhattan", scaled=True))
    assert found.scores[0].tolist() == [1.0, 1.0 + 2.0, 1.0 + 1.0, 1.0 + 1.0]


def test_mahalanobis_by_hand():
    """With variances 4 and 1, (2, 0) and (0, 1) are one spread away from the origin each."""
    found = scores("mahalanobis", [[0.0, 0.0]], [[2.0, 0.0], [0.0, 1.0], [2.0, 1.0]], covariance=np.diag([4.0, 1.0]))
    np.testing.assert_allclose(found, [[1.0, 1.0, np.sqrt(2)]])


def test_mahalanobis_against_scipy():
    training = RNG.normal(size=(50, 6)) @ RNG.normal(size=(6, 6)) + 100
    inverse = np.linalg.inv(np.cov(training, rowvar=False))
    expected = distance.cdist(PROBES, GALLERY, "mahalanobis", VI=inverse)
    np.testing.assert_allclose(scores("mahalanobis", PROBES, GALLERY, training=table(training)), expected, rtol=1e-8)
    given_it = scores("mahalanobis", PROBES, GALLERY, covariance=np.cov(training, rowvar=False))
    np.testing.assert_allclose(given_it, expected, rtol=1e-8)


def test_a_singular_covariance_is_regularised_and_said():
    chosen = matcher("mahalanobis", training=table(RNG.normal(size=(4, 6))))
    found = match(table(PROBES), table(GALLERY), chosen)
    assert np.isfinite(found.scores).all()
    assert sum("the covariance is singular" in str(note) for note in found.notes) == 1
    asked = matcher("mahalanobis", covariance=np.eye(6), ridge=0.5)
    assert "regularised as requested" in str(asked.notes[0])
    assert match(table(PROBES[:1]), table(GALLERY[:1]), asked).scores == pytest.approx(
        np.linalg.norm(PROBES[0] - GALLERY[0]) / np.sqrt(1.5)
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs a covariance or training"),
        ({"covariance": np.ones((2, 3))}, "square matrix"),
        ({"covariance": [[1.0, 2.0], [0.0, 1.0]]}, "not symmetric"),
        ({"covariance": [[1.0, 0.0], [0.0, -1.0]]}, "all must be 0 or more"),
        ({"covariance": [[1.0, np.nan], [np.nan, 1.0]]}, "not finite"),
        ({"covariance": np.zeros((2, 2))}, "all must be 0 or more"),
        ({"covariance": [[1.0, 1.0], [1.0, 1.0]], "ridge": 0.0}, "increase it"),
        ({"training": table([[1.0, 2.0]])}, "two or more templates"),
    ],
)
def test_bad_covariances_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        matcher("mahalanobis", **options)


def test_a_covariance_of_another_size_is_refused():
    with pytest.raises(InputError, match="have 6 numbers, and the covariance is for 2"):
        scores("mahalanobis", PROBES, GALLERY, covariance=np.eye(2))


def test_templates_that_come_from_another_process_stand_where_products_need_no_copy():
    """A buffer that arrived over a wire begins anywhere."""
    prepared = matcher("cosine").prepare(table(np.eye(3, 4, dtype=np.float32) + 1))
    buffers: list[pickle.PickleBuffer] = []
    sent = pickle.dumps(prepared, protocol=5, buffer_callback=buffers.append)
    moved = [memoryview(b"x" + bytes(buffer.raw()))[1:] for buffer in buffers]
    arrived = pickle.loads(sent, buffers=moved)
    assert moved, "the vectors travel beside the pickle"
    assert arrived.rows["vectors"].flags.aligned
    assert np.array_equal(arrived.rows["vectors"], prepared.rows["vectors"])
    assert (arrived.width, arrived.dtype, arrived.notes) == (prepared.width, prepared.dtype, prepared.notes)


@pytest.mark.parametrize("name", ["cosine", "pearson", "euclidean", "squared-euclidean", "manhattan"])
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e5])
def test_a_common_offset_costs_float32_nothing_against_float64(name, offset):
    """The order of scores is that of the same templates in float64; cosines in float32 would all be 1."""
    rng = np.random.default_rng(1)
    values = (rng.normal(size=(60, 16)) + offset).astype(np.float32)
    narrow, wide = (
        matcher(name).prepare(make_templates(one, range(60))) for one in (values, values.astype(np.float64))
    )
    found, expected = (matcher(name).block(one, one)[np.triu_indices(60, 1)] for one in (narrow, wide))
    assert np.mean(np.diff(found[np.argsort(expected)].astype(np.float64)) < 0) < 0.01


def test_usual_vectors_stay_in_float32_and_an_offset_is_said():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(60, 16)).astype(np.float32)
    plain, moved = (matcher("cosine").prepare(make_templates(one, range(60))) for one in (values, values + 1e5))
    assert (plain.dtype, plain.notes) == (np.float32, ())
    assert moved.dtype == np.float64
    assert any("compared in float64" in str(note) for note in moved.notes)
    lost = matcher("cosine").prepare(make_templates(values.astype(np.float64) + 1e8, range(60)))
    assert any("scores are mostly rounding error; subtract the common offset" in str(note) for note in lost.notes)
