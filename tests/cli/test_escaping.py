"""What ids, labels, file names and messages hold never acts on a terminal or in a spreadsheet."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

import bertillon as bt
from bertillon.core import visible

ACTS = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\u202eevil\u2066"
SHOWN = visible(ACTS)
NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
FORMULA = "=cmd|' /C calc'!A0"


def acting(text: str) -> list[str]:
    """Characters that act, beside the line ends and tabs that a program prints itself."""
    return [letter for letter in text if letter != visible(letter)]


def scores(mark: str = "") -> str:
    """Comparisons of people, one of whom has a mark behind the name."""
    people = [f"{one}{mark if one == 2 else ''}" for one in range(6)]
    pairs = [(a, b) for a in people for b in people for _ in range(3)]
    rows = (f'"{a}","{b}",{0.5 * (a == b) + 0.03 * place % 0.4},{place % 7}' for place, (a, b) in enumerate(pairs))
    return "\n".join(["probe_subject,reference_subject,score,quality", *rows, ""])


def groups(people: list[str], mark: str) -> str:
    rows = (f'"{person}","{mark}g{place % 2}"' for place, person in enumerate(people))
    return "\n".join(["subject,group", *rows, ""])


RED = "\x1b[31mred\u202e"
NAME = "x" + ACTS + ".csv"


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    path = tmp_path / NAME
    path.write_text(scores(RED))
    (tmp_path / "groups.csv").write_text(groups([f"{one}{RED if one == 2 else ''}" for one in range(6)], "\x1b[5m"))
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("verify", NAME, "-m", "EER", "--no-intervals"),
        ("verify", NAME, NAME, "-m", "EER", "--no-intervals"),
        ("verify", NAME, "-m", "EER", "--people", "--resamples", "50"),
        ("verify", NAME, "-m", "EER", "--groups", "groups.csv", "--no-intervals"),
        ("verify", NAME, "-m", "EER", "--no-intervals", "--json", "-"),
        ("verify", NAME, "-m", "EER", "--no-intervals", "--name", ACTS, "--volume", "genuine=1,impostor=1"),
        ("convert", NAME, NAME + ".parquet"),
        ("count", NAME, "-o", NAME + ".counts"),
        ("verify", NAME + "-not-there"),
        ("verify", NAME, "--preset", ACTS),
        ("verify", NAME, "-m", ACTS),
        ("verify", "--" + ACTS),
        ("convert", NAME, "b.csv", NAME),
        (ACTS,),
    ],
    ids=lambda words: " ".join(words).replace(NAME, "NAME").replace(ACTS, "ACTS"),
)
def test_nothing_that_comes_from_data_acts_on_the_terminal(bertillon, evil, command):
    ran = bertillon(*command)
    assert not acting(ran.out)
    assert not acting(ran.err)
    shown = ran.out + ran.err
    assert "\\u001b" in shown or "\\x1b" in shown, "written out by us, or by Python where a message quotes it"


def test_styles_are_kept_on_a_terminal(bertillon, evil, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    ran = bertillon("verify", NAME, "-m", "EER", "--no-intervals")
    assert "\x1b[1m" in ran.out
    assert "\x9b" not in ran.out
    assert "\x1b]0;" not in ran.out
    assert SHOWN[:20] in ran.out


def test_json_is_the_same_document(bertillon, evil):
    ran = bertillon("verify", NAME, "-m", "EER", "--no-intervals", "--json", "-")
    assert json.loads(ran.out)["name"] == NAME


def test_labels_of_classes_are_shown_and_never_act(bertillon, tmp_path):
    rows = (f'"{ACTS if place % 2 else "b"}",{place / 20},"{FORMULA}{place % 3}"' for place in range(20))
    (tmp_path / "x.csv").write_text("\n".join(["y_true,p,site", *rows, ""]), newline="")
    ran = bertillon("classify", "x.csv", "--positive", "b", "--groups", "site", "--no-intervals", "--csv", "out")
    assert ran.code == 0, ran.err
    assert not acting(ran.out)
    for path in Path("out").glob("*.csv"):
        assert not formulas(path), path
    with open("out/groups.csv", newline="") as file:
        assert {row["group"] for row in csv.DictReader(file)} == {f"'{FORMULA}{number}" for number in range(3)}


def formulas(path: Path) -> list[str]:
    """Cells that a spreadsheet would take for formulas; numbers are none."""
    with open(path, newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row if cell[:1] in tuple("=+-@\t\r")]
    return [cell for cell in cells if cell != "-inf" and not re.fullmatch(NUMBER, cell)]


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t"])
def test_texts_of_exported_tables_are_no_formulas(bertillon, tmp_path, begin):
    name = f"{begin}2+5"
    (tmp_path / "x.csv").write_text(scores().replace('"2"', f'"{name}"'))
    (tmp_path / "groups.csv").write_text(groups([name if one == 2 else str(one) for one in range(6)], begin))
    ran = bertillon(
        *("verify", "x.csv", "-m", "EER", "--people", "--groups", "groups.csv", "--no-intervals", "--name", name),
        *("--csv", "out", "--report", "r.csv"),
    )
    assert ran.code == 0, ran.err
    for path in [*Path("out").glob("*.csv"), Path("r.csv")]:
        assert not formulas(path), path
    assert any(f"'{begin}g" in path.read_text() or f"'{name}" in path.read_text() for path in Path("out").glob("*.csv"))


def test_data_that_is_converted_keeps_its_ids(bertillon, tmp_path):
    (tmp_path / "x.csv").write_text("probe,reference,label,score\n=a,@b,1,-0.5\n+c,-d,0,-1.5\n")
    assert bertillon("convert", "x.csv", "y.csv").code == 0
    frame = bt.io.read("y.csv").frame
    assert frame["probe"].to_list() == ["=a", "+c"]
    assert frame["reference"].to_list() == ["@b", "-d"]


@pytest.mark.parametrize("suffix", ["html", "md", "tex"])
def test_reports_escape_the_same_strings(bertillon, tmp_path, suffix):
    (tmp_path / "x.csv").write_text(scores())
    name = f"\x1b[2J\x9b31m<script>alert(1)</script>{FORMULA} $\\input{{x}}$ `a` | b"
    ran = bertillon("verify", "x.csv", "-m", "EER", "--no-intervals", "--name", name, "--report", f"r.{suffix}")
    assert ran.code == 0, ran.err
    text = Path(f"r.{suffix}").read_text()
    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "<script>alert" not in text.replace("\\<script>", "")
    if suffix == "tex":
        assert "\\input{x}" not in text
    if suffix == "md":
        assert "\\| b" in text
