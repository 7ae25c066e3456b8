"""Options that would change nothing are refused: a number they did not make must not look as if they had."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

CANDIDATES = "search,rank,candidate,score,mate\ns1,1,a,0.9,a\ns2,1,a,0.4,\n"


@pytest.fixture
def faces(tmp_path: Path) -> Path:
    subject = np.repeat(np.arange(6), 3)
    vectors = np.eye(6)[subject] + 0.3 * np.random.default_rng(1).normal(size=(18, 6))
    np.savez(tmp_path / "faces.npz", embeddings=vectors, subject=subject)
    return tmp_path / "faces.npz"


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("identify", ("--per-subject", 2), "nobody is enrolled all against all"),
        ("modes", ("--per-subject", 2), "nobody is enrolled all against all"),
        ("identify", ("--gallery", "faces.npz", "--leave-out", 0.3), "--gallery and --leave-out both say"),
        ("identify", ("--gallery", "faces.npz", "--partition", "one.csv"), "--partition and --gallery both say"),
        ("verify", ("--partition", "one.csv", "--strategy", "random"), "--partition and --strategy both say"),
        ("repeat", ("--partition", "runs.csv", "--per-subject", 2), "--partition and --per-subject both say"),
        ("identify", ("--partition", "runs.csv"), "runs.csv: holds 2 partitions; expected one"),
        ("verify", ("--fusion", "mean"), "add --multiple"),
        ("match", ("--fusion", "mean", "-o", "out.csv"), "add --multiple"),
        ("repeat", ("--mode", "verification", "--fusion", "mean"), "add --multiple"),
        ("identify", ("--distance",), "holds templates; --distance is for scores"),
        ("verify", ("--distance",), "holds templates; --distance is for scores"),
        ("verify", ("--similarity", "--matcher", "euclidean"), "holds templates; --similarity is for scores"),
        ("compare", ("faces.npz", "-m", "EER", "--distance"), "holds templates; --distance is for scores"),
        ("identify", ("--all-against-all",), "holds templates; --all-against-all is for scores"),
        ("identify", ("--index", "hnsw", "--distance"), "holds templates; --distance is for scores"),
        ("split", ("--unit", "sample", "-o", "out.csv"), "add --train"),
        ("split", ("--train", 0.7, "--per-subject", 2, "-o", "out.csv"), "--train enrols nobody"),
    ],
)
def test_options_without_effect_on_templates(bertillon, faces: Path, command: str, options: tuple, words: str) -> None:
    assert bertillon("split", faces, "-o", "one.csv").code == 0
    assert bertillon("split", faces, "--runs", 2, "-o", "runs.csv").code == 0
    ran = bertillon(command, faces, *options)
    assert ran.code == 2, ran.out
    assert words in ran.err


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("identify", ("--fusion", "mean"), "--fusion is for comparing templates"),
        ("identify", ("--all-against-all",), "--all-against-all is for a square matrix"),
        ("identify", ("--per-subject", 2), "--per-subject is for comparing templates"),
        ("identify", ("--matcher-option", "band=1"), "--matcher-option is for comparing templates"),
        ("verify", ("--fusion", "mean"), "--fusion is for comparing templates"),
        ("verify", ("--per-subject", 2), "--per-subject is for comparing templates"),
    ],
)
def test_options_without_effect_on_scores(bertillon, table: Path, command: str, options: tuple, words: str) -> None:
    Path("lists.csv").write_text(CANDIDATES)
    ran = bertillon(command, "lists.csv" if command == "identify" else table, *options)
    assert ran.code == 2, ran.out
    assert words in ran.err


def test_templates_of_a_person_in_a_matrix_are_fused_as_asked_by_hand(bertillon, tmp_path: Path) -> None:
    """Ann's best template wins, and on average she comes second."""
    (tmp_path / "matrix.csv").write_text(",ann,ann,bob\nann,0.9,0.1,0.6\nbob,0.2,0.2,0.8\n")
    for fusion, shown in (("best", "100 %"), ("mean", "50 %")):
        ran = bertillon("identify", "matrix.csv", "-m", "RR", "--fusion", fusion, "--no-intervals")
        assert f" {shown} " in ran.out


@pytest.mark.parametrize("options", [("--matcher", "cosine"), ("--gallery", "scores.csv"), ("--multiple",)])
def test_scores_that_are_named_as_such_are_not_matched(bertillon, table: Path, options: tuple) -> None:
    ran = bertillon("verify", table, "--format", "csv", *options)
    assert ran.code == 2, ran.out
    assert "about files of scores" in ran.err


def test_nearest_is_about_x(bertillon, table: Path) -> None:
    ran = bertillon("verify", table, "--nearest")
    assert (ran.code, "add -x" in ran.err) == (2, True)


def test_enrolments_are_whole_numbers(bertillon, table: Path) -> None:
    ran = bertillon("verify", table, "--enrolments", "attempted=100.5,failed=2", "-m", "FTE")
    assert (ran.code, "attempted=100.5; expected a whole number" in ran.err) == (2, True), ran.out


@pytest.mark.parametrize("command", ["verify", "compare"])
def test_systems_have_names_of_their_own(bertillon, table: Path, command: str) -> None:
    ran = bertillon(command, table, table, "-m", "EER", "--name", "a", "--name", "a")
    assert (ran.code, "'a' is given twice" in ran.err) == (2, True), ran.out


@pytest.mark.parametrize(
    "option", [("--people",), ("--discard", "quality"), ("--dev", "faces.npz"), ("--folds",)], ids=lambda one: one[0]
)
def test_what_needs_every_score_is_refused_before_they_are_counted(bertillon, faces: Path, option: tuple) -> None:
    ran = bertillon("verify", faces, "--checkpoint", "kept", *option)
    assert (ran.code, (faces.parent / "kept").exists()) == (2, False)
    assert f"{option[0]} needs every score, and these are counted and not kept" in ran.err
