"""Square matrices: symmetry tells templates against themselves from probes against references."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bertillon as bt
from bertillon.core import InputError, ScoreMatrix
from bertillon.trials import failed_samples, settled, systems_from

RNG = np.random.default_rng(11)
PEOPLE = np.repeat([f"p{number}" for number in range(6)], 4)
POINTS = RNG.normal(size=(6, 5)).repeat(4, axis=0) + RNG.normal(scale=0.7, size=(24, 5))
DISTANCES = np.sqrt(((POINTS[:, None] - POINTS[None]) ** 2).sum(-1))


def by_hand() -> tuple[list[float], list[float]]:
    """Mated and non-mated distances of all ordered pairs of different templates (P5)."""
    rows, columns = np.nonzero(~np.eye(24, dtype=bool))
    mated = PEOPLE[rows] == PEOPLE[columns]
    return sorted(DISTANCES[rows, columns][mated]), sorted(DISTANCES[rows, columns][~mated])


def text(scores: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> str:
    lines = [
        ",".join(["", *columns]),
        *(",".join([name, *map(repr, line.tolist())]) for name, line in zip(rows, scores, strict=True)),
    ]
    return "\n".join(lines) + "\n"


def put(path: Path, content: str) -> Path:
    path.write_text(content)
    return path


def as_csv(folder: Path) -> Path:
    return put(folder / "m.csv", text(DISTANCES, PEOPLE, PEOPLE))


def as_tsv(folder: Path) -> Path:
    return put(folder / "m.tsv", text(DISTANCES, PEOPLE, PEOPLE).replace(",", "\t"))


def as_npz(folder: Path) -> Path:
    np.savez(folder / "m.npz", distances=DISTANCES, probe_subject=PEOPLE, reference_subject=PEOPLE)
    return folder / "m.npz"


def as_bee(folder: Path) -> Path:
    bt_matrix = ScoreMatrix(DISTANCES.astype(np.float32), PEOPLE, PEOPLE, rule=bt.AcceptRule.DISTANCE)
    from bertillon.io import write

    write(bt_matrix, folder / "m.mtx")
    mask = ScoreMatrix(DISTANCES.astype(np.float32), PEOPLE, PEOPLE, mated=PEOPLE[:, None] == PEOPLE[None])
    write(mask, folder / "m.mask", format="bee-mask")
    return folder / "m.mtx"


@pytest.mark.parametrize("make", [as_csv, as_tsv, as_npz], ids=["csv", "tsv", "npz"])
def test_a_labelled_symmetric_matrix_leaves_its_diagonal_out_by_hand(tmp_path: Path, make) -> None:
    found = bt.read_scores(make(tmp_path))
    mated, nonmated = by_hand()
    assert found.rule is bt.AcceptRule.DISTANCE
    assert sorted(found.mated.tolist()) == pytest.approx(mated)
    assert sorted(found.nonmated.tolist()) == pytest.approx(nonmated)
    assert any(
        "symmetric, so templates against themselves: the diagonal is left out" in str(note) for note in found.notes
    )


def test_a_bee_matrix_with_its_mask_does_the_same(tmp_path: Path) -> None:
    found = bt.read_scores(as_bee(tmp_path), mask=tmp_path / "m.mask")
    mated, nonmated = by_hand()
    assert sorted(found.mated.tolist()) == pytest.approx(mated, rel=1e-6)
    assert len(found.nonmated) == len(nonmated)


def test_similarities_are_known_by_a_diagonal_of_ones_by_hand(tmp_path: Path) -> None:
    cosines = POINTS @ POINTS.T / np.linalg.norm(POINTS, axis=1)[:, None] / np.linalg.norm(POINTS, axis=1)[None]
    found = bt.read_scores(put(tmp_path / "c.csv", text(cosines, PEOPLE, PEOPLE)))
    assert found.rule is bt.AcceptRule.SIMILARITY
    assert found.mated.size == 24 * 3  # P5: |G| (S - 1)
    assert found.mated.max() < 1


def test_without_labels_a_symmetric_matrix_stops_the_work(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", DISTANCES)
    names = np.array([f"t{number}" for number in range(24)])
    named = put(tmp_path / "named.csv", text(DISTANCES, names, names))
    bare = put(tmp_path / "bare.csv", "\n".join(",".join(map(repr, line.tolist())) for line in DISTANCES))
    for path in (tmp_path / "d.npy", named, bare):
        with pytest.raises(InputError, match="only the diagonal, each template with itself, would be mated"):
            bt.read_scores(path)
    assert bt.read_scores(named, all_against_all=False).mated.tolist() == [0.0] * 24


def test_an_asymmetric_matrix_keeps_its_mated_diagonal() -> None:
    scores = RNG.normal(size=(5, 5))
    people = np.array(list("abcde"))
    (found,) = systems_from([ScoreMatrix(scores, people, people)])
    assert found.mated.tolist() == np.diagonal(scores).tolist()


def test_an_asymmetric_matrix_with_a_constant_extreme_diagonal_must_be_explained() -> None:
    scores = RNG.uniform(1, 2, size=(5, 5))
    np.fill_diagonal(scores, 0.0)
    people = np.array(list("aabbb"))
    matrix = ScoreMatrix(scores, people, people)
    with pytest.raises(InputError, match=r"every cell of the diagonal is 0, the smallest value.*--all-against-all"):
        systems_from([matrix])
    (kept,) = systems_from([matrix], all_against_all=False)
    (left_out,) = systems_from([matrix], all_against_all=True)
    assert (kept.mated.size, left_out.mated.size) == (2 * 2 + 3 * 3, 2 + 6)


def test_all_against_all_needs_a_square_matrix() -> None:
    matrix = ScoreMatrix(np.ones((2, 3)), np.array(["a", "b"]), np.array(["a", "b", "c"]))
    with pytest.raises(InputError, match="needs a square matrix; found 2 x 3"):
        systems_from([matrix], all_against_all=True)


def test_two_templates_show_no_symmetry() -> None:
    matrix = ScoreMatrix(np.array([[0.9, 0.1], [0.1, 0.8]]), np.array(["a", "b"]), np.array(["a", "b"]))
    assert not settled(matrix).with_itself


def test_different_people_on_both_sides_are_never_themselves() -> None:
    scores = (DISTANCES[:5, :5] + DISTANCES[:5, :5].T) / 2 + np.diag(np.arange(5) + 1.0)
    matrix = ScoreMatrix(scores, np.array(list("abcde")), np.array(list("abcdf")))
    assert not settled(matrix).with_itself


def test_a_matrix_without_names_keeps_its_first_row_and_column(tmp_path: Path) -> None:
    scores = np.round(RNG.normal(size=(7, 7)), 4)
    for separator in (",", " ", "\t", ";"):
        path = put(tmp_path / "bare.txt", "\n".join(separator.join(map(str, line)) for line in scores.tolist()) + "\n")
        found = bt.read_scores(path)
        assert found.mated.tolist() == np.diagonal(scores).tolist()
        assert found.nonmated.size == 42


def test_whole_numbers_that_may_be_names_are_ambiguous(tmp_path: Path) -> None:
    scores = RNG.integers(0, 50, size=(6, 6))
    scores = scores + scores.T
    scores[0] = scores[:, 0] = [3, 10, 11, 12, 13, 14]
    path = put(tmp_path / "whole.txt", "\n".join(",".join(map(str, line)) for line in scores.tolist()))
    with pytest.raises(InputError, match=r"fits several formats: matrix .*, bare-matrix .*Say which with --format"):
        bt.read_scores(path)
    assert bt.read_scores(path, format="bare-matrix", all_against_all=False).mated.size == 6


def test_records_with_numbered_ids_are_no_matrix(tmp_path: Path) -> None:
    path = put(tmp_path / "scores.txt", "1 2 0.5\n3 4 0.25\n5 6 0.75\n")
    assert bt.inspect(path).files[0].format == "kaldi"


def test_a_rectangular_array_without_names_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "r.npy", RNG.normal(size=(6, 3)))
    with pytest.raises(InputError, match=r"shape \(6, 3\), and nothing names its rows.*--labels FILE"):
        bt.read_scores(tmp_path / "r.npy")


def test_a_row_of_one_extreme_value_is_pointed_out_and_can_be_failed(tmp_path: Path) -> None:
    scores = RNG.uniform(size=(5, 5))
    scores[3] = -1
    people = np.array(list("abcde"))
    path = put(tmp_path / "m.csv", text(scores, people, people))
    (warning,) = bt.read_scores(path).warnings
    assert str(warning) == (
        "Row 4 (subject d) holds only -1: is it a failed sample? Use --failed -1 to count its 5 cells as failed "
        "comparisons."
    )
    failed = bt.read_scores(path, failed=[-1])
    assert (failed.failures.mated, failed.failures.nonmated, failed.warnings) == (1, 4, ())


def test_ordinary_rows_are_not_pointed_out() -> None:
    people = np.array(list("abcde"))
    middle = RNG.uniform(size=(5, 5))
    middle[2] = 0.5  # constant, but not extreme
    assert failed_samples(ScoreMatrix(middle, people, people)) == ()
    assert failed_samples(ScoreMatrix(np.ones((5, 5)), people, people)) == ()
    assert failed_samples(ScoreMatrix(np.full((5, 5), np.nan), people, people)) == ()


def test_a_table_of_scores_with_a_mark_for_failure_is_pointed_out(tmp_path: Path) -> None:
    path = put(tmp_path / "s.csv", "label,score\n1,0.9\n1,-1\n0,0.1\n0,-1\n")
    found = bt.read_scores(path)
    assert tuple(map(str, found.warnings)) == (
        "2 scores are -1, far from all others: are they failed comparisons? Use --failed -1 to count them as failed.",
    )
    assert bt.read_scores(path, failed=[-1]).failures.comparisons == 2
    assert bt.read_scores(put(tmp_path / "n.csv", "label,score\n1,0.9\n1,-1\n0,-0.5\n")).warnings == ()
