"""R5: `bertillon attacks`, and R1: `bertillon reliability`."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

ATTACKS = "species,score\n" + "mask,0.9\n" * 5 + "mask,0.1\n" * 45 + "print,0.1\n" * 50
PAD = "label,species,score\n" + "bonafide,,0.9\n" * 48 + "bonafide,,0.1\n" * 2 + ATTACKS.split("\n", 1)[1]
PAD = PAD.replace("\nmask", "\nattack,mask").replace("\nprint", "\nattack,print")
MATRIX = ",ann,bob,cat\nann,0.1,0.9,0.8\nbob,0.8,0.3,0.9\ncat,0.5,0.55,0.6\neve,0.5,0.5,0.6\n"


@pytest.fixture
def files(table: Path, tmp_path: Path) -> Path:
    (tmp_path / "attacks.csv").write_text(ATTACKS)
    (tmp_path / "pad.csv").write_text(PAD)
    (tmp_path / "matrix.csv").write_text(MATRIX)
    return tmp_path


def test_R5_species_with_the_worst_marked_and_verdicts(bertillon, files) -> None:
    ran = bertillon("attacks", "scores.csv", "--attacks", "attacks.csv", "-t", "0.5")
    assert (ran.code, ran.err) == (0, "")
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["mask", "10.0", "%", "3", "to", "22", "%", "5", "of", "50", "worst"] in rows
    assert ran.out.count(" worst\n") == 1
    assert next(row for row in rows if row[:1] == ["RIAPAR"])[:3] == ["RIAPAR", "30", "%"]
    assert "Worst species: mask, IAPAR 10.0 %." in ran.out
    assert "PAD level 1 (IAPAR at most 15 %): met by the observed rates" in ran.out
    assert "PAD level 2 (IAPAR at most 7 %): not met." in ran.out


@pytest.mark.parametrize("asked", [("scores.csv", "--attacks", "attacks.csv"), ("pad.csv", "--pad")])
@pytest.mark.parametrize("suffix", ["html", "md", "tex", "json", "csv"])
def test_R5_every_kind_of_report(bertillon, files, asked, suffix: str) -> None:
    ran = bertillon("attacks", *asked, "-t", "0.5", "--report", f"out.{suffix}", "--lang", "es")
    assert (ran.code, ran.err) == (0, "")
    assert f"informe escrito en out.{suffix}" in ran.out
    text = Path(f"out.{suffix}").read_text()
    expected = {"json": '"worst_species": "mask"', "csv": "mask,0.1,"}.get(suffix, "Ataques por especie")
    assert expected in text
    marked = {"html": "peor</td>", "md": "| **peor** |", "tex": "\\textbf{peor}"}
    assert marked.get(suffix, "") in text


def test_R5_a_report_that_cannot_be_written_is_refused(bertillon, files) -> None:
    ran = bertillon("attacks", "pad.csv", "--pad", "--report", "out.pdf")
    assert ran.code == 2
    assert "the suffix '.pdf' is not known" in " ".join(ran.err.split())


def test_R5_lists_and_the_threshold_of_an_fmr(bertillon, files, lists) -> None:
    ran = bertillon("attacks", *lists, "--attacks", "attacks.csv", "--fmr", "0.1", "--json", "-")
    found = json.loads(ran.out)
    assert (found["mode"], found["threshold"], found["fixed_by"]) == ("attacks", 0.55, "FMR=0.1")
    assert (found["IAPAR"], found["worst_species"]) == (0.1, "mask")
    assert "FMR 0.1 needs at least 30 independent non-mated comparisons; you have 10." in found["warnings"]


def test_R5_one_table_of_three_populations(bertillon, files) -> None:
    rows = "label,species,score\n1,,0.9\n1,,0.8\n0,,0.1\n0,,0.3\n0,mask,0.85\n0,mask,0.2\n"
    Path("all.csv").write_text(rows)
    found = json.loads(bertillon("attacks", "all.csv", "-t", "0.5", "--json", "-").out)
    assert (found["IAPAR"], found["FMR"]["value"], found["FRR"]) == (0.5, 0.0, 0.0)


def test_R5_distances_turn_round(bertillon, files) -> None:
    Path("d.csv").write_text("label,distance\n1,0.1\n1,0.2\n0,0.8\n0,0.9\n")
    ran = bertillon("attacks", "d.csv", "--attacks", "attacks.csv", "-t", "0.5", "--json", "-")
    assert ran.code == 0
    assert json.loads(ran.out)["IAPAR"] == 1.0  # all prints are near


def test_R5_a_detector(bertillon, files) -> None:
    """STANDARDS: APCER .10 with BPCER .04 has ACER .07."""
    ran = bertillon("attacks", "pad.csv", "--pad", "-t", "0.5")
    assert ran.code == 0
    assert "ACER 7 %: a mean of two errors, which ISO/IEC 30107-3 does not recommend." in ran.out
    assert [line.split()[0] for line in ran.out.splitlines() if line.startswith("BPCER")] == [
        "BPCER",
        "BPCER10",
        "BPCER20",
        "BPCER100",
    ]
    found = json.loads(bertillon("attacks", "pad.csv", "--pad", "--apcer", "0.1", "--json", "-").out)
    assert (found["mode"], found["APCER"], found["BPCER"]["value"]) == ("attack-detection", 0.1, 0.04)


def test_R5_a_detector_of_distances(bertillon, files) -> None:
    ran = bertillon("attacks", "pad.csv", "--pad", "--distance", "-t", "0.5", "--json", "-")
    found = json.loads(ran.out)
    assert (found["rule"], found["APCER"], found["worst_species"], found["BPCER"]["value"]) == (
        "distance",
        1,
        "print",
        0.96,
    )


def test_R5_files_are_written(bertillon, files) -> None:
    asked = ("--json", "a.json", "--csv", "out", "--figures", "out", "--figure-format", "svg")
    ran = bertillon("attacks", "pad.csv", "--pad", *asked)
    assert ran.code == 0
    assert json.loads(Path("a.json").read_text())["APCER"] == 0.0
    assert pl.read_csv("out/species.csv")["species"].to_list() == ["mask", "print"]
    assert pl.read_csv("out/bpcer.csv")["name"].to_list() == ["BPCER10", "BPCER20", "BPCER100"]
    assert "<svg" in Path("out/attacks.svg").read_text()


@pytest.mark.parametrize("columns", ["80", "120"])
def test_R5_the_terminal_cuts_nothing(bertillon, files, monkeypatch, columns) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for arguments in (["scores.csv", "--attacks", "attacks.csv"], ["pad.csv", "--pad"]):
        out = bertillon("attacks", *arguments).out
        assert "…" not in out
        assert max(map(len, out.splitlines())) <= int(columns)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.csv", "--attacks", "attacks.csv"], "missing.csv"),
        (["scores.csv", "--attacks", "missing.csv"], "missing.csv"),
        (["scores.csv"], "no row is an attack: none names a species"),
        (["scores.csv", "scores.csv"], "expected one table, or scores and the key to them"),
        (["pad.csv"], "is it of an attack detector? Then add --pad"),
        (["scores.csv", "--attacks", "attacks.csv", "--species", "kind"], "column 'kind' is unknown"),
        (["scores.csv", "--attacks", "attacks.csv", "-t", "0.5", "--fmr", "0.1"], "give one of them"),
        (["scores.csv", "--attacks", "attacks.csv", "--fmr", "2"], "fmr is 2"),
        (["scores.csv", "--attacks", "attacks.csv", "--apcer", "0.1"], "add --pad"),
        (["scores.csv", "--attacks", "attacks.csv", "--level", "95"], "for 95"),
        (["scores.csv", "--attacks", "attacks.csv", "--figure-format", "png"], "say where with --figures"),
        (["scores.csv", "--attacks", "scores.csv"], "labels of both kinds and no column of species"),
        (["pad.csv", "--pad", "--attacks", "attacks.csv"], "with --pad, FILE holds all"),
        (["pad.csv", "--pad", "--fmr", "0.1"], "with --pad, FILE holds all"),
        (["scores.csv", "--pad", "--column", "label=none"], "none"),
    ],
)
def test_R5_bad_requests_exit_with_2(bertillon, files, arguments, words) -> None:
    ran = bertillon("attacks", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_R1_answers_of_a_matrix(bertillon, files) -> None:
    ran = bertillon("reliability", "matrix.csv", "--distance", "--csv", "out")
    assert ran.code == 0
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["reliable", "(SRR", ">", "0)", "2", "50", "%", "100", "%"] in rows
    assert ["unreliable", "2", "50", "%", "0", "%"] in rows
    assert "phi0 was fitted on the same answers" in ran.out
    frame = pl.read_csv("out/reliability.csv")
    assert frame["reliable"].to_list() == [True, True, False, False]
    assert frame["probe_subject"].to_list() == ["ann", "bob", "cat", "eve"]


def test_R1_phi0_of_other_answers(bertillon, files) -> None:
    fitted = json.loads(bertillon("reliability", "matrix.csv", "--distance", "--json", "-").out)
    ran = bertillon("reliability", "matrix.csv", "--distance", "--dev", "matrix.csv", "--json", "r.json")
    found = json.loads(Path("r.json").read_text())
    assert "fitted on these" not in ran.out
    assert (found["threshold"], found["fitted_here"]) == (fitted["threshold"], False)
    asked = ("--phi", "density-ratio", "--no-count-first", "-t", "0.3", "--json", "-")
    assert json.loads(bertillon("reliability", "matrix.csv", "--distance", *asked).out)["threshold"] == 0.3


def test_R1_answers_of_templates(bertillon, files) -> None:
    faces = Path(__file__).parents[2] / "examples" / "faces.npz"
    found = json.loads(bertillon("reliability", faces, "--json", "-").out)
    assert (found["answers"], found["undefined"]) == (320, 0)
    assert found["right_if_reliable"] > found["right_if_unreliable"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.csv"], "missing.csv"),
        (["scores.csv"], "expected a score matrix with owners, or templates"),
        (["matrix.csv", "--phi", "gap"], "kind is 'gap'"),
        (["matrix.csv", "-t", "1"], "between 0 and 1"),
        (["matrix.csv", "--dev", "matrix.csv", "-t", "0.4"], "give one of them"),
        (["matrix.csv", "--perfect", "0.5"], "above 0.5"),
    ],
)
def test_R1_bad_requests_exit_with_2(bertillon, files, arguments, words) -> None:
    ran = bertillon("reliability", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
