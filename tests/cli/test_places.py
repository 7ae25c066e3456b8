"""What a command writes never takes the place of what it reads, and is refused before the work begins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

PREDICTIONS = "y_true,p\n" + "".join(f"{place % 2},{0.3 + 0.4 * (place % 3 == 0)}\n" for place in range(30))


@pytest.fixture
def folder(tmp_path: Path, table: Path) -> Path:
    """Scores, predictions with a calibrator, and templates with a list of their owners."""
    subject = np.repeat(np.arange(4), 3)
    np.savez(tmp_path / "faces.npz", embeddings=np.eye(4)[subject], subject=subject)
    np.save(tmp_path / "faces.npy", np.eye(4)[subject])
    (tmp_path / "owners.csv").write_text("subject\n" + "".join(f"{one}\n" for one in subject))
    (tmp_path / "predictions.csv").write_text(PREDICTIONS)
    (tmp_path / "link.csv").symlink_to(table)
    return tmp_path


@pytest.mark.parametrize(
    ("target", "arguments"),
    [
        ("faces.npz", ("split", "faces.npz", "-o", "faces.npz")),
        ("owners.csv", ("split", "faces.npy", "--labels", "owners.csv", "-o", "owners.csv")),
        ("owners.csv", ("match", "faces.npy", "--labels", "owners.csv", "-o", "owners.csv")),
        ("scores.csv", ("convert", "scores.csv", "scores.csv")),
        ("scores.csv", ("convert", "scores.csv", "./scores.csv", "--to", "tsv")),
        ("scores.csv", ("convert", "link.csv", "scores.csv")),
        ("scores.csv", ("convert", "scores.csv", "link.csv")),
        ("scores.csv", ("verify", "scores.csv", "--json", "scores.csv")),
        ("scores.csv", ("verify", "scores.csv", "--report", "scores.csv")),
        ("scores.csv", ("verify", "scores.csv", "--dev", "scores.csv", "--json", "scores.csv")),
        ("scores.csv", ("compare", "scores.csv", "link.csv", "--json", "scores.csv")),
        ("predictions.csv", ("classify", "predictions.csv", "--json", "predictions.csv")),
        ("predictions.csv", ("advise", "predictions.csv", "--json", "predictions.csv")),
        ("predictions.csv", ("calibrate", "fit", "predictions.csv", "-o", "predictions.csv")),
        ("predictions.csv", ("calibrate", "apply", "cal.json", "predictions.csv", "-o", "predictions.csv")),
        ("cal.json", ("calibrate", "apply", "cal.json", "predictions.csv", "-o", "cal.json")),
        ("cal.json", ("classify", "predictions.csv", "--calibrate", "cal.json", "--json", "cal.json")),
    ],
)
def test_nothing_that_is_read_is_written_over(bertillon, folder: Path, target: str, arguments: tuple) -> None:
    assert bertillon("calibrate", "fit", "predictions.csv", "-o", "cal.json").code == 0
    before = (folder / target).read_bytes()
    ran = bertillon(*arguments)
    assert (ran.code, (folder / target).read_bytes()) == (2, before), ran.out
    assert "is an input and would be overwritten; name another file" in ran.err


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("curve.csv", ("verify", "curve.csv", "--csv", ".")),
        ("people.csv", ("verify", "border.csv", "--people", "--groups", "people.csv", "--csv", ".")),
        ("people.csv", ("repeat", "faces.npy", "--labels", "people.csv", "--csv", "people.csv", "--runs", 2)),
    ],
)
def test_nor_by_a_file_of_a_folder_that_is_filled(bertillon, folder: Path, name: str, arguments: tuple) -> None:
    (folder / "scores.csv").rename(folder / "curve.csv")
    (folder / "people.csv").write_text("subject,group\n" + "".join(f"{one},{one % 2}\n" for one in np.arange(12) // 3))
    pairs = [(a, b) for a in range(4) for b in range(4) for _ in range(3)]
    rows = (f"{a},{b},{0.5 * (a == b) + 0.03 * place % 0.4}\n" for place, (a, b) in enumerate(pairs))
    (folder / "border.csv").write_text("probe_subject,reference_subject,score\n" + "".join(rows))
    before = (folder / name).read_bytes()
    ran = bertillon(*arguments)
    assert (ran.code, (folder / name).read_bytes()) == (2, before), ran.out
    assert f"{name}: is an input and would be overwritten" in ran.err


def test_two_answers_do_not_share_a_file(bertillon, folder: Path) -> None:
    ran = bertillon("verify", "scores.csv", "--json", "a.json", "--report", "./a.json")
    assert (ran.code, (folder / "a.json").exists()) == (2, False)
    assert "--json and --report both name it" in ran.err


@pytest.mark.parametrize("option", ["--json", "--report"])
def test_a_missing_folder_is_told_before_the_work(bertillon, folder: Path, option: str) -> None:
    ran = bertillon("verify", "faces.npz", "--checkpoint", "kept", option, "missing/a.json")
    assert (ran.code, (folder / "kept").exists()) == (2, False)
    assert f"{option}: missing/a.json: there is no folder missing; make it first" in ran.err


def test_answers_go_beside_what_is_read(bertillon, folder: Path) -> None:
    assert bertillon("verify", "scores.csv", "--json", "a.json").code == 0
    assert bertillon("verify", "scores.csv", "--json", "a.json").code == 0, "an older answer may be replaced"
    assert bertillon("convert", "scores.csv", "a.tsv").code == 0


def test_counts_may_be_added_to(bertillon, folder: Path) -> None:
    (folder / "more.csv").write_text("label,score\n1,0.7\n0,0.2\n")
    assert bertillon("count", "scores.csv", "-o", "all.counts").code == 0
    ran = bertillon("count", "all.counts", "more.csv", "-o", "all.counts")
    assert (ran.code, "6 mated and 11 non-mated scores" in ran.out) == (0, True)


def test_every_command_that_reads_files_takes_a_limit_of_memory(bertillon):
    from bertillon.cli import COMMANDS

    none = ("plan", "measures", "formats", "matchers", "demo", "policy", "serve", "extract")  # photos come one by one
    reading = [name for name in COMMANDS if name not in none and not name.startswith("token ")]
    templates = ("enrol", "update", "claim", "identify", "watch")  # the others read a gallery, and no file of data
    reading = [name for name in reading if not name.startswith("gallery ") or name.split()[1] in templates]
    for name in reading:
        assert "--max-memory" in bertillon(*name.split(), "--help").out, name


def test_a_limit_of_memory_that_is_none_is_refused(bertillon, table):
    ran = bertillon("verify", table, "--max-memory", "lots")
    assert (ran.code, ran.out) == (2, "")
    assert "--max-memory: 'lots' is not a size; expected a number with a unit, such as 500M or 4G" in ran.err
