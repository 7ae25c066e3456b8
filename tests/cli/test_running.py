"""Long work on the command line: checkpoints, engines, samples, Ctrl-C."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bertillon.cli import outputs
from bertillon.counting import count_comparisons
from bertillon.trials import LIMITS


@pytest.fixture
def faces(tmp_path: Path) -> Path:
    """30 people with 4 vectors each, as an array and labels beside it."""
    rng = np.random.default_rng(7)
    subject = np.repeat(np.arange(30), 4)
    vectors = (rng.normal(size=(30, 8))[subject] + 0.8 * rng.normal(size=(120, 8))).astype(np.float32)
    path = tmp_path / "faces.npz"
    np.savez(path, embeddings=vectors, subject=subject)
    return path


def values(ran) -> dict[str, float]:
    assert ran.code == 0, ran.err
    return {row["name"]: row["value"] for row in json.loads(ran.out)["measures"]}


QUIET = ("--no-intervals", "--json", "-")


def test_a_checkpoint_changes_nothing_and_is_used_again(bertillon, faces: Path) -> None:
    plain = values(bertillon("verify", faces, *QUIET))
    first = values(bertillon("verify", faces, "--checkpoint", "kept", *QUIET))
    assert first == pytest.approx(plain, abs=1e-6)
    assert [path.name for path in Path("kept").iterdir()] == ["comparisons.npz"]
    assert values(bertillon("verify", faces, "--checkpoint", "kept", *QUIET)) == first
    searched = values(bertillon("identify", faces, "--checkpoint", "kept", *QUIET))
    assert searched == values(bertillon("identify", faces, *QUIET))
    assert {path.name for path in Path("kept").iterdir()} == {"comparisons.npz", "searches.npz"}
    assert bertillon("modes", faces, "--checkpoint", "kept", *QUIET).code == 0


def test_intervals_by_subject_survive_a_checkpoint_against_kept_scores(bertillon, faces: Path) -> None:
    """U1: who was compared is known of counted comparisons too."""
    asked = ("-m", "FMR@t=0.5", "-m", "FNMR@t=0.5", "--json", "-")
    kept, counted = (
        json.loads(bertillon("verify", faces, *options, *asked).out)["measures"]
        for options in ((), ("--checkpoint", "kept"))
    )
    for ours, theirs in zip(counted, kept, strict=True):
        assert ours["interval"] == pytest.approx(theirs["interval"], rel=1e-6), ours["name"]
        assert not ours["naive"]


def test_several_systems_have_folders_of_their_own(bertillon, faces: Path) -> None:
    other = faces.with_name("others.npz")
    other.write_bytes(faces.read_bytes())
    for command in ("verify", "identify"):
        assert bertillon(command, faces, other, "--checkpoint", "kept", "--no-intervals").code == 0
    assert {path.name for path in Path("kept").iterdir()} == {"1", "2"}


def test_a_template_file_changed_between_runs_is_refused(bertillon, faces: Path) -> None:
    assert bertillon("verify", faces, "--checkpoint", "kept", "--no-intervals").code == 0
    held = dict(np.load(faces))
    held["embeddings"][5, 0] += 1.0
    np.savez(faces, **held)
    ran = bertillon("verify", faces, "--checkpoint", "kept", "--no-intervals")
    assert ran.code == 2
    assert "kept/comparisons.npz: belongs to another job: its templates is" in ran.err
    assert "delete comparisons.npz in kept" in ran.err


def test_a_cut_off_checkpoint_is_refused(bertillon, faces: Path) -> None:
    assert bertillon("verify", faces, "--checkpoint", "kept", "--no-intervals").code == 0
    path = Path("kept/comparisons.npz")
    path.write_bytes(path.read_bytes()[:1000])
    ran = bertillon("verify", faces, "--checkpoint", "kept")
    assert ran.code == 2
    assert "is damaged" in ran.err


@pytest.mark.parametrize(("command", "file"), [("verify", "comparisons.npz"), ("identify", "searches.npz")])
def test_ctrl_c_keeps_what_is_finished_and_says_so(bertillon, faces, command, file, monkeypatch) -> None:
    """The bar hears of finished work; at the 3rd time the user loses patience. Exit code 130, as shells expect."""
    monkeypatch.setitem(count_comparisons.__wrapped__.__kwdefaults__, "tile", 16)
    monkeypatch.setattr(LIMITS, "fewest_probes", 4)
    told = []

    def impatient(bar: outputs.Bar, steps: int) -> None:
        told.append(steps)
        if len(told) == 10:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(outputs.Bar, "advance", impatient)
        ran = bertillon(command, faces, "--checkpoint", "kept", "--no-intervals")
    assert ran.code == 130
    assert "stopped: " in ran.err
    assert "pieces are kept in kept; the same command goes on from there" in ran.err
    assert Path("kept", file).exists()
    resumed = values(bertillon(command, faces, "--checkpoint", "kept", *QUIET))
    assert resumed == values(bertillon(command, faces, "--checkpoint", "anew", *QUIET))


def test_ctrl_c_without_a_checkpoint_says_that_nothing_is_kept(bertillon, faces, monkeypatch) -> None:
    monkeypatch.setattr(outputs.Bar, "advance", lambda bar, steps: (_ for _ in ()).throw(KeyboardInterrupt))
    ran = bertillon("identify", faces)
    assert ran.code == 130
    assert "stopped: nothing is kept; with --checkpoint FOLDER finished work is" in ran.err


def test_a_sample_is_drawn_and_said(bertillon, faces: Path) -> None:
    ran = bertillon("verify", faces, "--sample-nonmated", 500, "--seed", 3, *QUIET)
    assert json.loads(ran.out)["counts"] == {"mated": 360, "nonmated": 500, "failed": 0}
    shown = bertillon("verify", faces, "--sample-nonmated", 500, "--no-intervals")
    assert "500 of 13,920 non-mated comparisons were drawn at random without replacement (seed 0)" in " ".join(
        shown.out.split()
    )


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--engine", "spark"), "'threads', 'dask'"),
        (("--sample-nonmated", 0), "expected 1 to all of them"),
        (("--sample-nonmated", 10, "--checkpoint", "kept"), "leave out the checkpoint"),
        (("--multiple", "--checkpoint", "kept"), "single templates"),
    ],
)
def test_bad_options_are_refused_in_words(bertillon, faces: Path, options, word: str) -> None:
    ran = bertillon("verify", faces, *options)
    assert ran.code == 2
    assert word in " ".join(ran.err.replace("│", " ").split())


@pytest.mark.parametrize("options", [("--checkpoint", "kept"), ("--engine", "dask"), ("--sample-nonmated", 3)])
def test_scores_need_no_engine(bertillon, table: Path, options) -> None:
    ran = bertillon("verify", table, *options)
    assert ran.code == 2
    assert "holds scores" in ran.err


def test_dask_on_the_command_line(bertillon, faces: Path) -> None:
    pytest.importorskip("distributed", reason="dask is not installed")
    ran = bertillon("verify", faces, "--scheduler", "nonsense", "--no-intervals")
    assert ran.code == 2
    assert "no dask scheduler with workers answers at nonsense" in ran.err


@pytest.mark.filterwarnings("ignore")
def test_a_local_dask_cluster_gives_the_numbers_of_the_threads(bertillon, faces: Path) -> None:
    pytest.importorskip("distributed", reason="dask is not installed")
    threads = values(bertillon("verify", faces, "--checkpoint", "kept", *QUIET))
    assert values(bertillon("verify", faces, "--engine", "dask", *QUIET)) == threads
