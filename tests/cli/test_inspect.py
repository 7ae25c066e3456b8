"""`bertillon inspect` and `--explain`: how files are read, and a command that reads them so."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def commands(text: str) -> list[list[str]]:
    return [shlex.split(line[13:])[1:] for line in text.splitlines() if line.startswith(("  use ", "  or "))]


def measures(bertillon, arguments: list[str]) -> object:
    ran = bertillon(*arguments, "--json", "-")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


@pytest.mark.parametrize(
    ("files", "command"),
    [
        (["genuine.txt", "impostor.txt"], "verify"),
        (["old.csv"], "verify"),
        (["border.csv"], "verify"),
        (["pad.csv"], "attacks"),
        (["faces.npz"], "verify"),
        (["screening.csv"], "classify"),
    ],
)
def test_the_command_it_ends_with_reads_the_same(bertillon, files: list[str], command: str) -> None:
    paths = [str(EXAMPLES / name) for name in files]
    ran = bertillon("inspect", *paths)
    assert ran.code == 0, ran.err
    first = commands(ran.out)[0]
    assert first[0] == command
    plain = [command, *(["--pad"] if command == "attacks" else []), *paths]
    assert measures(bertillon, first) == measures(bertillon, plain)


def test_what_a_table_holds_is_said_in_words(bertillon, tmp_path: Path) -> None:
    Path("s.csv").write_text("target,llr,test,model,gender\nTRUE,1.5,p1,m1,f\nFALSE,-2.5,p2,m1,m\nFALSE,0.5,p3,m2,m\n")
    out = bertillon("inspect", "s.csv").out
    for line in (
        "  format     csv, known by the names of its columns",
        "  columns    score: 'llr'; mated: 'target'; probe: 'test'; reference: 'model'",
        "  further    'gender'",
        "  labels     'TRUE' is mated (1), 'FALSE' is non-mated (2)",
        "  subjects   no subject IDs",
        "  example    row 1: probe p1 against reference m1, score 1.5, mated",
        "  example    row 2: probe p2 against reference m1, score -2.5, non-mated",
        "  counts     1 mated, 2 non-mated, 0 failed",
        "  direction  similarity: default, since the file does not state a direction; mated scores are more similar",
    ):
        assert line in out, line
    assert "mated scores are more similar in 100 % of pairs" in " ".join(out.split())


def test_the_same_as_json(bertillon, tmp_path: Path) -> None:
    Path("s.csv").write_text("label,distance\nsame,0.1\ndifferent,0.9\n")
    found = json.loads(bertillon("inspect", "s.csv", "--json", "-").out)
    assert found["direction"] == "distance"
    assert found["files"][0]["labels"] == [
        {"value": "same", "meaning": "mated", "rows": 1},
        {"value": "different", "meaning": "non-mated", "rows": 1},
    ]
    assert found["commands"] == [
        "bertillon verify s.csv --format csv --column score=distance --column label=label --distance"
    ]
    assert bertillon("inspect", "s.csv", "--json", "out.json").code == 0
    assert json.loads(Path("out.json").read_text()) == found


def test_what_is_odd_is_said(bertillon, tmp_path: Path) -> None:
    Path("s.csv").write_text("label,score\n" + "1,0.1\n" * 5 + "0,0.9\n" * 5)
    out = " ".join(bertillon("inspect", "s.csv").out.split())
    assert "odd mated scores are more similar in only 0 % of pairs: either the direction is the opposite" in out
    Path("m.csv").write_text("label,score\n1,0.5\n0,-1\n0,0.2\n")
    said = " ".join(bertillon("inspect", "m.csv").out.split())
    assert "is it a failed comparison? Use --failed -1" in said


def test_a_problem_is_shown_with_what_was_understood(bertillon, tmp_path: Path) -> None:
    np.save("d.npy", np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0.0]]))
    ran = bertillon("inspect", "d.npy")
    assert ran.code == 2
    assert "a matrix of 3 by 3 scores" in ran.out
    assert "stops" in ran.out
    assert "--labels" in ran.err


def test_trials_scores_and_attacks_lead_to_their_commands(bertillon, tmp_path: Path) -> None:
    Path("s.txt").write_text("m1 p1 0.9\nm1 p2 0.1\n")
    Path("k.txt").write_text("m1 p1 target\nm1 p2 nontarget\n")
    assert commands(bertillon("inspect", "s.txt", "k.txt").out)[0][:3] == ["verify", "s.txt", "k.txt"]
    Path("a.csv").write_text("species,score\nprint,0.4\nmask,0.6\n")
    assert commands(bertillon("inspect", "a.csv").out)[0][:4] == ["attacks", "SCORES", "--attacks", "a.csv"]
    Path("mixed.csv").write_text("label,score\ntarget,0.9\nnontarget,0.1\nspoof,0.5\n")
    assert [one[0] for one in commands(bertillon("inspect", "mixed.csv").out)] == ["verify", "attacks"]
    Path("list.csv").write_text("search,rank,candidate,score,mate\ns1,1,a,0.9,a\ns2,1,b,0.2,\n")
    assert commands(bertillon("inspect", "list.csv").out)[0][0] == "identify"


def test_files_of_different_kinds_are_with_distinct_names(bertillon, tmp_path: Path) -> None:
    ran = bertillon("inspect", EXAMPLES / "faces.npz", EXAMPLES / "old.csv")
    assert (ran.code, "the files hold different things" in ran.err) == (2, True)


def test_what_is_no_input_exits_with_2(bertillon, tmp_path: Path) -> None:
    Path("e.txt").write_text("")
    assert bertillon("inspect", "e.txt").code == 2
    assert bertillon("inspect", "missing.txt").code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "old.csv", "-m", "EER", "--no-intervals"],
        ["classify", "screening.csv", "--no-intervals"],
        ["attacks", "pad.csv", "--pad"],
        ["identify", "faces.npz", "--no-intervals"],
        ["compare", "old.csv", "new.csv", "-m", "EER", "--resamples", "50"],
    ],
)
def test_explain_says_the_same_before_the_answers(bertillon, arguments: list[str]) -> None:
    paths = [str(EXAMPLES / one) if one.endswith((".csv", ".npz")) else one for one in arguments]
    files = [one for one in paths if one.endswith((".csv", ".npz"))]
    plain, explained = bertillon(*paths), bertillon(*paths, "--explain")
    assert (plain.code, explained.code) == (0, 0), explained.err
    inspected = bertillon("inspect", *files).out
    assert explained.out.startswith(f"{inspected}\n")
    tables = [line for line in plain.out.splitlines() if not line.startswith(("! ", "Next"))]
    assert set(tables) <= set(explained.out.removeprefix(inspected).splitlines())


def test_explain_beside_json_goes_to_the_error_stream(bertillon) -> None:
    ran = bertillon("verify", EXAMPLES / "old.csv", "--json", "-", "--no-intervals", "--explain")
    assert json.loads(ran.out)["measures"]
    assert "  labels " in ran.err


def test_a_labelled_square_array_leads_to_its_labels(bertillon, tmp_path: Path) -> None:
    points = np.array([0.0, 0.1, 3.0, 3.2, 7.0, 7.1])
    np.save("distances.npy", np.abs(points[:, None] - points[None]))
    Path("people.txt").write_text("ann\nann\nbob\nbob\neve\neve\n")
    ran = bertillon("inspect", "distances.npy", "--labels", "people.txt")
    assert ran.code == 0, ran.err
    first = commands(ran.out)[0]
    assert first == ["verify", "distances.npy", "--labels", "people.txt", "--distance"]
    assert measures(bertillon, first) == measures(bertillon, ["verify", "distances.npy", "--labels", "people.txt"])


def test_an_error_curve_is_known(bertillon, tmp_path: Path) -> None:
    Path("c.csv").write_text("threshold,FMR,FNMR\n0.3,0.05,0.015\n0.4,0.02,0.035\n")
    out = bertillon("inspect", "c.csv").out
    assert "  holds      an error curve, 2 rows" in out
    assert "point 1: FMR 0.05, FNMR 0.015 at threshold 0.3" in out
    assert commands(out)[0] == ["verify", "c.csv", "--format", "curve"]
