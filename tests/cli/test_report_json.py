"""`--json` and `--report out.json` write the same document, whatever was asked beside the measures."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FEW = ("--resamples", "50")

COMMANDS = {
    "verify": [
        "verify",
        "old.csv",
        "new.csv",
        "--volume",
        "genuine=10,impostor=90",
        "--dev",
        "new.csv",
        "--dev",
        "old.csv",
    ],
    "identify": ["identify", "faces.npz", "--leave-out", "0.3", "--volume", "passers=1000"],
    "classify": [
        "classify",
        "screening.csv",
        "--groups",
        "site",
        "--calibrate",
        "platt",
        "--constraint",
        "recall>=0.9",
    ],
    "modes": ["modes", "faces.npz"],
}


@pytest.fixture
def examples(tmp_path, monkeypatch) -> Path:
    for path in EXAMPLES.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_both_ways_write_the_same(name: str, bertillon, examples) -> None:
    ran = bertillon(*COMMANDS[name], *FEW, "--json", "out.json", "--report", "report.json")
    assert ran.code == 0, ran.err
    assert Path("report.json").read_text() == Path("out.json").read_text()


def test_a_page_has_bands_where_they_are_asked_for(bertillon, examples) -> None:
    for asked, shaded in (((), False), (("--bands", "pointwise"), True)):
        ran = bertillon("verify", "old.csv", *FEW, *asked, "--report", "page.html")
        assert ran.code == 0, ran.err
        assert ("95 % band, pointwise" in Path("page.html").read_text()) == shaded


def test_a_page_is_in_the_vocabulary_asked_for(bertillon, examples) -> None:
    assert bertillon("verify", "old.csv", *FEW, "--vocabulary", "ml", "--report", "page.html").code == 0
    text = Path("page.html").read_text()
    assert "FNR@FPR=0.01" in text
    assert '"matched":"FPR"' in text


def test_bands_that_nothing_shows_are_refused(bertillon, examples) -> None:
    ran = bertillon("verify", "old.csv", "--bands", "pointwise", "--report", "out.md")
    assert ran.code == 2
    assert "--report FILE.html" in ran.err
