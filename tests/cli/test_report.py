"""--report on every command that evaluates: written, in a language, and refused before any work where it cannot be."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest


def page_data(path: str) -> dict:
    text = Path(path).read_text(encoding="utf-8")
    block = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', text, re.DOTALL)
    assert block is not None
    return json.loads(block[1])


@pytest.fixture
def embeddings(tmp_path: Path) -> Path:
    rng = np.random.default_rng(7)
    subject = np.repeat(np.arange(20), 4)
    vectors = (rng.normal(size=(20, 16))[subject] + 0.8 * rng.normal(size=(80, 16))).astype(np.float32)
    path = tmp_path / "faces.npz"
    np.savez(path, embeddings=vectors, subject=subject)
    return path


def test_verify_writes_a_report_and_says_where(bertillon, lists: tuple[Path, Path]) -> None:
    ran = bertillon("verify", *lists, "--no-intervals", "--report", "out.html")
    assert ran.code == 0, ran.err
    assert "report written to out.html" in ran.out
    data = page_data("out.html")
    assert [one["mode"] for one in data["explorers"]] == ["verification"]
    assert data["results"][0]["counts"] == {"mated": 5, "nonmated": 10, "failed": 0}


def test_volume_and_costs_are_what_the_page_starts_with(bertillon, lists: tuple[Path, Path]) -> None:
    options = ("--volume", "genuine=10,impostor=90", "--cost", "fa=500,fr=2", "--prior", "impostor=0.01")
    assert bertillon("verify", *lists, "--no-intervals", *options, "--report", "out.html").code == 0
    [explorer] = page_data("out.html")["explorers"]
    assert explorer["use"] == {"genuine": 10, "impostor": 90, "cost_accept": 500, "cost_reject": 2}


def test_a_prior_without_a_volume_is_shared_out(bertillon, lists: tuple[Path, Path]) -> None:
    options = ("--cost", "fa=500,fr=2", "--prior", "impostor=0.01")
    assert bertillon("verify", *lists, "--no-intervals", *options, "--report", "out.html").code == 0
    [explorer] = page_data("out.html")["explorers"]
    assert (explorer["use"]["genuine"], explorer["use"]["impostor"]) == (9900, 100)


def test_identify_writes_a_report(bertillon, embeddings: Path) -> None:
    options = ("--leave-out", 0.3, "--no-intervals", "--volume", "passers=100000,minutes=10,on_list=0.001")
    ran = bertillon("identify", embeddings, *options, "--report", "out.html", "--lang", "es")
    assert ran.code == 0, ran.err
    [explorer] = page_data("out.html")["explorers"]
    assert explorer["use"] == {"passers": 100000, "minutes": 10, "on_list": 0.001}
    assert '<html lang="es"' in Path("out.html").read_text(encoding="utf-8")


def test_modes_share_one_threshold(bertillon, embeddings: Path) -> None:
    ran = bertillon("modes", embeddings, "--leave-out", 0.3, "--no-intervals", "--report", "out.html")
    assert ran.code == 0, ran.err
    data = page_data("out.html")
    assert [(one["mode"], one["link"]) for one in data["explorers"]] == [
        ("verification", "scores"),
        ("identification", "scores"),
    ]


def test_classify_writes_a_report(bertillon, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=200)
    path = tmp_path / "predictions.csv"
    rows = [f"{label},{share}" for label, share in zip(truth, 0.8 * rng.random(200) + 0.2 * truth, strict=True)]
    path.write_text("y_true,p\n" + "\n".join(rows) + "\n")
    ran = bertillon("classify", path, "--no-intervals", "--report", "out.html", "--lang", "zh")
    assert ran.code == 0, ran.err
    assert [one["mode"] for one in page_data("out.html")["explorers"]] == ["classification"]


def test_compare_writes_a_report_with_what_was_tested(bertillon, table: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(table.read_text().replace("0.90", "0.95").replace("0.65", "0.20"))
    ran = bertillon("compare", table, other, "-m", "EER", "--resamples", 100, "--report", "out.html")
    assert ran.code == 0, ran.err
    text = Path("out.html").read_text(encoding="utf-8")
    assert 'id="tested-0"' in text
    assert [one["name"] for one in page_data("out.html")["explorers"][0]["systems"]] == ["scores.csv", "other.csv"]


@pytest.mark.parametrize("command", ["verify", "identify", "modes", "classify", "compare"])
@pytest.mark.parametrize(
    ("options", "words"),
    [(("--report", "out.docx"), "suffix '.docx' is not known"), (("--lang", "tlh"), "language 'tlh' is not known")],
)
def test_what_cannot_be_written_is_refused_before_the_files_are_read(
    bertillon, command: str, options: tuple[str, str], words: str
) -> None:
    ran = bertillon(command, "missing.csv", *options)
    assert ran.code == 2
    assert words in ran.err
    assert "missing.csv" not in ran.err


def test_a_title_an_author_and_notes_stand_on_every_report_that_people_read(
    bertillon, lists: tuple[Path, Path]
) -> None:
    Path("notes.txt").write_text("Measured at gate 4.")
    before = ("--title", "Gates", "--author", "Ada", "--notes", "notes.txt")
    reports = ("--report", "out.html", "--report", "out.md", "--report", "out.json")
    ran = bertillon("verify", *lists, "--no-intervals", *before, *reports)
    assert ran.code == 0, ran.err
    for name in ("out.html", "out.md"):
        assert all(part in Path(name).read_text() for part in ("Gates", "Ada", "Measured at gate 4."))
    assert "Ada" not in Path("out.json").read_text()
    told = bertillon("verify", *lists, "--no-intervals", "--notes", "as agreed", "--report", "-")
    assert "as agreed" in told.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--title", "Gates"), "--title is shown in a report"),
        (("--author", "Ada", "--report", "out.json"), "--author is shown in a report"),
        (("--notes", "missing.txt", "--report", "out.md"), "there is no file missing.txt"),
    ],
)
def test_what_has_no_place_is_refused_before_any_work(bertillon, lists, options, said: str) -> None:
    ran = bertillon("verify", *lists, *options)
    assert ran.code == 2
    assert said in ran.err
    assert not Path("out.md").exists()


def test_a_report_never_replaces_the_file_of_its_notes(bertillon, lists: tuple[Path, Path]) -> None:
    Path("notes.md").write_text("mine")
    ran = bertillon("verify", *lists, "--no-intervals", "--notes", "notes.md", "--report", "notes.md")
    assert ran.code == 2
    assert Path("notes.md").read_text() == "mine"
