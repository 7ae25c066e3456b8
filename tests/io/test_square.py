"""What a square array says about itself: symmetry and diagonal."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import AcceptRule, InputError, ScoreMatrix, TemplateTable
from bertillon.io import LIMITS, Square, describe_square, make_templates, matrices, read_labelled, read_templates
from bertillon.matching import matcher
from bertillon.trials import compare, searches_from_matrix, systems_from

DISTANCE, SIMILARITY = AcceptRule.DISTANCE, AcceptRule.SIMILARITY


def points(n: int = 40, dtype: type = np.float64) -> np.ndarray:
    return np.random.default_rng(3).normal(size=(n, 8)).astype(dtype)


def distances(n: int = 40) -> np.ndarray:
    x = points(n)
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))


def cosines(n: int = 40, dtype: type = np.float64) -> np.ndarray:
    x = points(n, dtype)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return x @ x.T


def filled(array: np.ndarray, value: float) -> np.ndarray:
    array = array.copy()
    np.fill_diagonal(array, value)
    return array


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([[0.0, 3, 4], [3, 0, 5], [4, 5, 0]], Square(True, "constant", 0.0, DISTANCE)),
        ([[1.0, 0.2, 0.3], [0.2, 1, 0.4], [0.3, 0.4, 1]], Square(True, "constant", 1.0, SIMILARITY)),
        ([[90.0, 7, 3], [7, 80, 5], [3, 5, 70]], Square(True, "best", None, SIMILARITY)),
        ([[0.2, 7, 3], [7, 0.1, 5], [3, 5, 0.3]], Square(True, "best", None, DISTANCE)),
        ([[5, 7, 3], [7, 1, 5], [3, 5, 9]], Square(True, "other")),
        ([[0.0, 3, 4], [2, 0, 5], [4, 5, 0]], Square(False, "constant", 0.0, DISTANCE)),
        ([[9, 3, 4], [2, 8, 5], [4, 5, 7]], Square(False, "best", None, SIMILARITY)),
        ([[0.0, 0, 0], [0, 0, 0], [0, 0, 0]], Square(True, "constant", 0.0, None)),
        ([[0.0, 3, 4], [3, 0, 5]], Square(False)),
        ([[4.0]], Square(False, "constant", 4.0, None)),
    ],
)
def test_small_arrays_by_hand(scores: list[list[float]], expected: Square) -> None:
    assert describe_square(np.array(scores)) == expected


@pytest.mark.parametrize("mark", [np.inf, -np.inf, -1.0, 999.0, np.nan])
def test_a_diagonal_that_marks_what_was_not_compared_suggests_no_direction(mark: float) -> None:
    for scores in (distances(), np.abs(cosines())):
        seen = describe_square(filled(scores, mark))
        assert seen.symmetric
        assert seen.suggests is None


def test_a_zero_that_many_cells_share_suggests_no_direction() -> None:
    counts = np.zeros((6, 6))  # of matching minutiae: most pairs have none, the diagonal was left out
    counts[0, 1] = counts[1, 0] = 12
    assert describe_square(counts) == Square(True, "constant", 0.0, None)


def test_nan_must_stand_opposite_nan() -> None:
    both = distances()
    both[2, 5] = both[5, 2] = np.nan
    assert describe_square(both) == Square(True, "constant", 0.0, DISTANCE)
    one = distances()
    one[2, 5] = np.nan
    assert not describe_square(one).symmetric
    assert not describe_square(np.triu(distances()) + np.tril(np.full((40, 40), np.nan), -1)).symmetric


def test_nan_throughout_shows_nothing() -> None:
    assert describe_square(np.full((3, 3), np.nan)) == Square(False)
    assert describe_square(filled(np.full((3, 3), np.nan), 1.0)) == Square(False, "constant", 1.0, None)


def test_failed_template_leaves_the_others_readable() -> None:
    scores = cosines()
    scores[7], scores[:, 7] = np.nan, np.nan
    assert describe_square(scores).suggests is SIMILARITY


def test_rounding_of_float32_is_no_asymmetry() -> None:
    scores = cosines(dtype=np.float32)
    noisy = scores * (1 + np.random.default_rng(0).choice([-1e-7, 0, 1e-7], scores.shape)).astype(np.float32)
    assert not np.array_equal(noisy, noisy.T)
    for array in (noisy, noisy.astype(np.float64)):
        seen = describe_square(array)
        assert (seen.symmetric, seen.diagonal, seen.suggests) == (True, "constant", SIMILARITY)


def test_asymmetry_is_seen_beside_a_huge_value() -> None:
    scores = distances()
    scores[0, 1] = scores[1, 0] = 1e12
    scores[3, 4] *= 1.01
    assert not describe_square(scores).symmetric


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int16, np.int64, np.uint8])
def test_every_type_of_number_is_read(dtype: type) -> None:
    scores = np.round(distances() * 20).astype(dtype)
    assert describe_square(scores) == Square(True, "constant", 0.0, DISTANCE)


@pytest.mark.parametrize("cell", [(0, 39), (39, 0), (17, 16), (38, 39)])
def test_tiles_see_every_cell(cell: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LIMITS, "square_tile", 7)
    assert describe_square(distances()) == Square(True, "constant", 0.0, DISTANCE)
    scores = distances()
    scores[cell] += 0.5
    assert not describe_square(scores).symmetric
    below = distances()
    below[cell] = -1.0
    assert describe_square(below).suggests is None


def test_a_large_array_is_looked_at_in_tiles() -> None:
    scores = np.zeros((4000, 4000), dtype=np.float32)
    scores += np.arange(4000, dtype=np.float32)
    scores += scores.T.copy()
    tracemalloc.start()
    assert describe_square(scores).symmetric
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6  # the array holds 64 MB; as float64 it would need 128


SUBJECTS = np.repeat([f"p{number}" for number in range(10)], 4)


def vectors() -> np.ndarray:
    """40 templates of 10 people, of 40 numbers each."""
    rng = np.random.default_rng(11)
    return rng.normal(size=(10, 40))[np.repeat(np.arange(10), 4)] + 0.7 * rng.normal(size=(40, 40))


def own_distances() -> np.ndarray:
    x = vectors()
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("name\n" + "\n".join(SUBJECTS) + "\n")
    return tmp_path / "people.csv"


def saved(tmp_path: Path, name: str, array: np.ndarray) -> Path:
    path = tmp_path / name
    if path.suffix == ".npy":
        np.save(path, array)
    elif path.suffix == ".npz":
        np.savez(path, **{path.stem: array})
    else:
        np.savetxt(path, array, delimiter=",")
    return path


@pytest.mark.parametrize("name", ["distances.npy", "distances.npz", "a.npy", "a.npz", "a.csv", "templates.npy"])
def test_a_square_array_with_labels_is_a_matrix(tmp_path: Path, labels: Path, name: str) -> None:
    path = saved(tmp_path, name, own_distances())
    found = read_labelled(path, labels=labels, columns={"subject": "name"})
    assert isinstance(found, ScoreMatrix)
    assert found.rule is DISTANCE
    assert found.ignored is not None
    np.testing.assert_array_equal(found.ignored, np.eye(40, dtype=bool))
    assert found.probe_subject.tolist() == found.reference_subject.tolist() == SUBJECTS.tolist()
    assert "the diagonal, each template against itself, is left out" in str(found.notes[0])
    with pytest.raises(InputError, match="templates are expected: if it holds vectors, say --kind vector"):
        read_templates(path, labels=labels, columns={"subject": "name"})
    assert len(read_templates(path, labels=labels, columns={"subject": "name"}, kind="vector")) == 40


def test_its_scores_are_those_of_the_templates_against_the_matcher(tmp_path: Path) -> None:
    """The distances given and the distances made from the templates give the same rates."""
    matrix = read_labelled(saved(tmp_path, "distances.npy", own_distances()), labels=SUBJECTS)
    templates = make_templates(vectors(), SUBJECTS)
    plan = bt.Comparing.plan(templates, matcher("euclidean"))
    made = compare(plan)
    [read] = systems_from([matrix])
    for one, other in ((read.mated, made.mated), (read.nonmated, made.nonmated)):
        np.testing.assert_allclose(np.sort(one), np.sort(other), rtol=1e-6)
    searched, direct = searches_from_matrix(matrix), bt.evaluation.search_trials(plan)
    assert (searched.n_enrolled, searched.n_nonenrolled) == (direct.n_enrolled, direct.n_nonenrolled) == (40, 40)
    np.testing.assert_array_equal(searched.ranks(), direct.ranks())


def test_an_array_that_may_be_either_is_not_guessed(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.npy", vectors())
    with pytest.raises(InputError, match="--kind scores or --kind vector"):
        read_labelled(path, labels=SUBJECTS)
    stated = read_labelled(path, labels=SUBJECTS, kind="scores")
    assert isinstance(stated, ScoreMatrix)
    assert stated.ignored is None
    assert "read as a similarity" in str(stated.notes[0])
    assert isinstance(read_labelled(path, labels=SUBJECTS, kind="vector"), TemplateTable)


@pytest.mark.parametrize("name", ["embeddings.npy", "features.npz", "X.npy"])
def test_vectors_called_so_are_vectors(tmp_path: Path, name: str) -> None:
    assert isinstance(read_labelled(saved(tmp_path, name, vectors()), labels=SUBJECTS), TemplateTable)


def test_kind_scores_is_for_square_arrays(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--kind scores is for a square array"):
        read_labelled(saved(tmp_path, "a.npy", vectors()[:, :7]), labels=SUBJECTS, kind="scores")


def test_a_text_matrix_gets_its_subjects_from_labels_by_sample(tmp_path: Path) -> None:
    """The first line and column name samples; labels in another order say whose they are."""
    (tmp_path / "m.csv").write_text(",s1,s2,s3\ns1,0,1,5\ns2,1,0,4\ns3,5,4,0\n")
    (tmp_path / "people.csv").write_text("sample,subject\ns3,bob\ns1,anna\ns2,anna\n")
    found = read_labelled(tmp_path / "m.csv", labels=tmp_path / "people.csv")
    assert isinstance(found, ScoreMatrix)
    assert found.probe_subject.tolist() == ["anna", "anna", "bob"]
    [scores] = systems_from([found])
    assert (sorted(scores.mated), sorted(scores.nonmated)) == ([1, 1], [4, 4, 5, 5])


def test_a_name_that_contradicts_the_diagonal_is_believed_and_it_is_said():
    cosines = np.array([[1, 0.5, 0.1], [0.5, 1, 0.2], [0.1, 0.2, 1]])
    found = matrices.labelled_square(
        cosines, np.array(["a", "a", "b"]), "x.npy", "npy", names=("distances",), stated=False
    )
    assert found is not None
    assert found.rule is AcceptRule.DISTANCE
    assert "although its diagonal suggests a similarity" in str(found.notes[0])
