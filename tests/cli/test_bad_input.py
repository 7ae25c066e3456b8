"""Bad input is the normal case: a clear message, exit code 2, nothing half-written; legal oddities are answered."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


GOOD = "label,score\n1,0.9\n1,0.8\n0,0.2\n0,0.1\n"

WRONG = {
    "empty": (b"", "empty"),
    "text in the score column": ("label,score\n1,0.9\n0,high\n", "scores:3"),
    "wrong column count": ("label,score\n1,0.9\n0,0.1,7\n", "scores:3"),
    "UTF-16": (GOOD.encode("utf-16"), "UTF-16"),
    "truncated gzip": (gzip.compress(GOOD.encode() * 50)[:-20], "gzip"),
    "plain list alone": ("0.1\n0.2\n", "genuine"),
    "strange labels": ("label,score\nmaybe,0.9\nperhaps,0.1\n", "maybe"),
    "pickled objects": (None, "pickle"),
    "a pickle": (b"\x80\x04\x95\x10\x00\x00\x00", "pickle"),
    "wrong magic number": (b"S2\ntarget\nquery\nMF 1 1 \x01\x02\x03\x04\n" + b"\x00" * 4, "magic"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_refused_in_words(bertillon, tmp_path: Path, case: str) -> None:
    content, expected = WRONG[case]
    path = tmp_path / "scores"
    if content is None:
        with path.open("wb") as file:
            np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    else:
        write(path, content)
    ran = bertillon("verify", "scores", "--json", "out.json", "--csv", "out", "--figures", "out")
    assert ran.code == 2
    assert expected in ran.err
    assert "scores" in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["scores"]


def test_thousands_of_bad_lines_are_said_once(bertillon, tmp_path: Path) -> None:
    write(tmp_path / "s.csv", "label,score\n" + "1,0.5\n" * 10 + "1,bad\n" * 3000)
    ran = bertillon("verify", "s.csv")
    assert ran.code == 2
    assert "s.csv:12" in ran.err
    assert "3,000" in ran.err
    assert ran.err.count("\n") == 6


def test_a_missing_file_a_directory_and_a_symlink_loop(bertillon, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.symlink("loop", tmp_path / "loop")
    for name, word in (("absent", "no such file"), ("folder", "folder"), ("loop", "loop")):
        ran = bertillon("verify", name)
        assert ran.code == 2
        assert name in ran.err
        assert word in ran.err.lower()


def test_no_permission_is_said(bertillon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "s.csv", GOOD)

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied", "s.csv")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    ran = bertillon("verify", "s.csv")
    assert ran.code == 2
    assert "permission" in ran.err.lower()


def test_all_unknown_measures_in_one_message(bertillon, tmp_path: Path) -> None:
    ran = bertillon("verify", "absent.csv", "-m", "EERR", "-m", "FNMR@FRM=0.1", "-m", "AUC", "-m", "Nonsense")
    assert ran.code == 2
    assert "did you mean EER?" in ran.err
    assert "'FRM' is not known" in ran.err
    assert "Nonsense" in ran.err
    assert "absent.csv" not in ran.err


@pytest.mark.parametrize(
    "options",
    [
        ("--cost", "fa=500,fr=2"),
        ("--cost", "fa=x", "--prior", "impostor=0.1"),
        ("--cost", "fp=1", "--prior", "impostor=0.1"),
        ("--cost", "fa=-1", "--prior", "impostor=0.1"),
        ("--cost", "fa=1", "--prior", "impostor=2"),
        ("--volume", "genuine"),
        ("--preset", "paranoid"),
        ("--name", "A", "--name", "B"),
        ("--distance", "--similarity"),
        ("--column", "score"),
        ("--format", "bob4"),
        ("--column", "score=nope"),
        ("-x", "1.5"),
        ("-m", "FMR@FNMR=nan"),
        ("--enrolments", "attempted=1,failed=5"),
        ("--unknown-option",),
    ],
)
def test_bad_options_are_refused(bertillon, tmp_path: Path, options: tuple[str, ...]) -> None:
    write(tmp_path / "s.csv", GOOD)
    ran = bertillon("verify", "s.csv", *options)
    assert ran.code == 2
    assert ran.err
    assert "internal error" not in ran.err
    assert ran.out == ""


def test_outputs_that_cannot_be_written(bertillon, tmp_path: Path) -> None:
    write(tmp_path / "s.csv", GOOD)
    write(tmp_path / "taken", "x")
    for options in (("--csv", "taken"), ("--figures", "taken"), ("--json", "absent/x.json"), ("--json", ".")):
        ran = bertillon("verify", "s.csv", *options)
        assert ran.code == 2, options
        assert ran.out == ""
    assert (tmp_path / "taken").read_text() == "x"


def test_a_full_disk_leaves_the_old_file(bertillon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "s.csv", GOOD)
    write(tmp_path / "out.json", "old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    ran = bertillon("verify", "s.csv", "--json", "out.json")
    assert ran.code == 2
    assert "No space left" in ran.err
    assert (tmp_path / "out.json").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "s.csv"]


def values(ran) -> dict[str, float]:
    assert ran.code == 0, ran.err
    return {row["name"]: row["value"] for row in json.loads(ran.out)["measures"]}


LEGAL = {
    "BOM": ("\ufeff" + GOOD, 0.0),
    "CRLF": (GOOD.replace("\n", "\r\n"), 0.0),
    "infinities": ("label,score\n1,inf\n1,0.8\n0,-inf\n0,0.1\n", 0.0),
    "all tied": ("label,score\n1,0.5\n1,0.5\n0,0.5\n", 0.5),
    "one mated score": ("label,score\n1,0.5\n0,0.1\n0,0.7\n", 0.5),
    "duplicate pairs": ("probe,reference,label,score\na,b,1,0.9\na,b,1,0.9\nc,d,0,0.1\n", 0.0),
    "gzipped": (gzip.compress(GOOD.encode()), 0.0),
}


@pytest.mark.parametrize("case", LEGAL)
def test_legal_oddities_get_the_right_answer_by_hand(bertillon, tmp_path: Path, case: str) -> None:
    content, eer = LEGAL[case]
    write(tmp_path / "s.csv", content)
    assert values(bertillon("verify", "s.csv", "-m", "EER", "--json", "-"))["EER"] == pytest.approx(eer)
    assert bertillon("verify", "s.csv").code == 0


def test_duplicate_pairs_are_warned_of(bertillon, tmp_path: Path) -> None:
    write(tmp_path / "s.csv", LEGAL["duplicate pairs"][0])
    assert "One comparison repeats a pair" in bertillon("verify", "s.csv").out


def test_one_class_only_is_undefined_with_a_reason(bertillon, tmp_path: Path) -> None:
    write(tmp_path / "s.csv", "label,score\n1,0.5\n1,0.7\n")
    ran = bertillon("verify", "s.csv", "--json", "-")
    assert ran.code == 2
    assert "no non-mated" in ran.err


def test_an_internal_error_is_no_traceback(bertillon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "s.csv", GOOD)
    monkeypatch.setattr("bertillon.trials.systems_from", lambda *args, **kwargs: 1 / 0)
    monkeypatch.delenv("BERTILLON_DEBUG", raising=False)
    ran = bertillon("verify", "s.csv")
    assert ran.code == 3
    assert "internal error: ZeroDivisionError" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "command",
    [
        ("verify",),
        ("verify", "--stream"),
        ("verify", "--matcher", "cosine"),
        ("identify",),
        ("modes",),
        ("match", "-o", "out.csv"),
        ("split", "-o", "out.csv"),
        ("count", "-o", "out.npz"),
    ],
    ids=" ".join,
)
def test_a_path_that_may_not_even_be_looked_at_is_refused_in_words(bertillon, command) -> None:
    """Here since the name is too long; a folder that may not be entered answers alike."""
    ran = bertillon(*command, "x" * 300)
    assert ran.code == 2, ran.err
    assert "cannot be read (File name too long)" in ran.err


def test_decimal_commas_are_read_and_said_without_being_asked(bertillon, tmp_path: Path) -> None:
    write(tmp_path / "s.csv", "score;label\n0,9;1\n0,8;1\n0,1;0\n0,2;0\n")
    ran = bertillon("verify", "s.csv", "--no-intervals")
    assert ran.code == 0
    assert "decimal commas are read as decimal points" in " ".join(ran.out.split())
