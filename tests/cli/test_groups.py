"""`verify --groups`: what is printed, written and refused, for scores and for templates, kept or counted."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from jsonschema import Draft202012Validator

import bertillon as bt

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((ROOT / "docs" / "schema" / "bertillon-1.json").read_text())
QUICK = ("--no-intervals", "-m", "EER", "-m", "FNMR@FMR=0.01")


@pytest.fixture
def border(tmp_path: Path) -> Path:
    """Scores of 60 travellers, and beside them who is from where."""
    travellers = [f"t{number:02d}" for number in range(60)]
    places = ["north" if number % 3 else "south" for number in range(60)]
    pl.DataFrame({"subject": travellers, "group": places}).write_csv(tmp_path / "people.csv")
    return Path(shutil.copy(ROOT / "examples" / "border.csv", tmp_path))


@pytest.fixture
def faces(tmp_path: Path) -> Path:
    """Whole numbers, so that no product rounds; 20 people of three kinds."""
    rng, subject = np.random.default_rng(1), np.repeat(np.arange(20), 4)
    vectors = 4 * rng.integers(-3, 4, size=(20, 4))[subject] + rng.integers(-6, 7, size=(80, 4))
    kind = np.array(["x", "y", "z"])[subject % 3]
    np.savez(tmp_path / "faces.npz", embeddings=vectors.astype(np.float32), subject=subject, kind=kind)
    return tmp_path / "faces.npz"


def test_everything_is_written_and_follows_the_schema(bertillon, border) -> None:
    drawn = ("--figures", "figures", "--figure-format", "png")
    ran = bertillon("verify", border, *QUICK, "--groups", "people.csv", "--json", "out.json", "--csv", "csv", *drawn)
    assert ran.code == 0, ran.err
    assert all(Path(f"figures/{name}.png").stat().st_size > 5_000 for name in ("groups", "groups-across"))
    document = json.loads(Path("out.json").read_text(), parse_constant=pytest.fail)
    assert list(Draft202012Validator(PUBLISHED).iter_errors(document)) == []
    scores, people = bt.read_scores(border), pl.read_csv("people.csv")
    evaluation = bt.evaluate(scores, ["EER", "FNMR@FMR=0.01"])
    at = {name: result.threshold for name, result in evaluation.results.items()}
    found = bt.analysis.group_rates(scores, dict(people.iter_rows()), thresholds=at)
    assert document["groups"] == json.loads(json.dumps(found.to_dict()))
    written = pl.read_csv("csv/groups.csv")
    assert written["errors"].to_list() == found.to_frame()["errors"].to_list()
    assert [point["point"] for point in document["groups"]["points"]] == ["EER", "FNMR@FMR=0.01"]


def test_the_terminal_shows_each_group_each_pair_and_how_far_apart_they_are(bertillon, border) -> None:
    ran = bertillon("verify", border, *QUICK, "--groups", "people.csv")
    assert "Errors by group, EER (threshold 0.453726)" in ran.out
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    found = bt.analysis.group_rates(
        bt.read_scores(border), dict(pl.read_csv("people.csv").iter_rows()), thresholds={"EER": 0.453726}
    )
    north, south = found.points[0].fnmr
    assert any(line.startswith("north FNMR 40") and line.endswith(f"{north.errors} of 400") for line in lines)
    assert any(line.startswith("south FNMR 20") and line.endswith(f"{south.errors} of 200") for line in lines)
    assert any(line.startswith("north with south FMR 60") for line in lines)
    ratio = found.points[0].differentials[0].ratio
    assert any(line.startswith("EER FNMR") and f" {ratio:.3g} " in line for line in lines)


@pytest.mark.parametrize("suffix", ["html", "md", "tex", "json"])
def test_a_report_has_what_was_asked_of_groups_quality_and_people(bertillon, border, suffix: str) -> None:
    asked = ("--groups", "people.csv", "--people", "--discard", "quality_probe")
    ran = bertillon("verify", border, *QUICK, *asked, "--report", f"out.{suffix}", "--lang", "it")
    assert ran.code == 0, ran.err
    text = Path(f"out.{suffix}").read_text()
    if suffix == "json":
        assert {"groups", "people", "discard"} <= set(json.loads(text))
    else:
        assert all(words in text for words in ("Gruppi di persone", "capre", "Qualità"))


def test_nothing_is_said_where_nobody_asked(bertillon, border) -> None:
    ran = bertillon("verify", border, *QUICK, "--json", "out.json", "--csv", "csv")
    assert "groups" not in ran.out
    assert "groups" not in json.loads(Path("out.json").read_text())
    assert not list(Path("csv").glob("*groups*"))


@pytest.mark.parametrize("where", [(), ("--checkpoint", "kept")])
def test_templates_by_a_column_or_by_a_table_kept_or_counted(bertillon, faces, where) -> None:
    kinds = {str(number): "xyz"[number % 3] for number in range(20)}
    pl.DataFrame({"subject": list(kinds), "group": list(kinds.values())}).write_csv("people.csv")
    asked = ("--matcher", "manhattan", "-m", "FMR@t=16", "--no-intervals")
    documents = []
    for groups in ("kind", "people.csv"):
        ran = bertillon("verify", faces, *asked, *where, "--groups", groups, "--json", "out.json")
        assert ran.code == 0, ran.err
        documents.append(json.loads(Path("out.json").read_text()))
    assert documents[0]["groups"] == documents[1]["groups"]
    assert list(Draft202012Validator(PUBLISHED).iter_errors(documents[0])) == []
    plan = bt.Comparing.plan(bt.read_templates(faces), bt.matcher("manhattan"))
    scores = bt.evaluation.verification_trials(plan)
    found = bt.analysis.group_rates(scores, kinds, thresholds={"FMR@t=16": 16.0}).points[0]
    (told,) = documents[0]["groups"]["points"]
    assert [row["errors"] for row in told["FNMR"]] == [row.errors for row in found.fnmr]
    assert [row["errors"] for row in told["FMR"]] == [row.errors for row in found.fmr]
    assert [row["errors"] for row in told["FMR_across"]] == [row.errors for row in found.fmr_across]
    assert sum(row.errors > 0 for row in found.rows) >= 6


def test_without_a_threshold_groups_are_judged_at_that_of_the_eer(bertillon, faces) -> None:
    for where in ((), ("--checkpoint", "kept")):
        ran = bertillon("verify", faces, "-m", "AUC", "--no-intervals", "--groups", "kind", *where, "--json", "o.json")
        assert ran.code == 0, ran.err
        (point,) = json.loads(Path("o.json").read_text())["groups"]["points"]
        assert point["point"] == "EER"


def test_a_ratio_that_cannot_be_had_says_why(bertillon, border) -> None:
    ran = bertillon("verify", border, "--no-intervals", "-m", "ZeroFMR", "--groups", "people.csv")
    assert "FMR at ZeroFMR has no ratio: no error was observed in north, south" in " ".join(ran.out.split())


def test_many_pairs_are_not_all_printed(bertillon, border) -> None:
    names = [f"t{number:02d}" for number in range(60)]
    pl.DataFrame({"subject": names, "group": [name[1] for name in names]}).write_csv("people.csv")
    ran = bertillon("verify", border, *QUICK, "--groups", "people.csv")
    assert len(re.findall(r"\d with \d", ran.out)) == 20
    assert "Pairs of groups with lower FMR that are not listed here: 5." in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["border.csv", "--groups", "sex"], "'sex' is no table, and scores (border.csv) have no metadata"),
        (["border.csv", "--groups", "nowhere.csv"], "nowhere.csv: no such file"),
        (["border.csv", "--groups", "two.csv"], "'t01' is in two groups, 'north' and 'south'"),
        (["border.csv", "--groups", "few.csv"], "59 of the people compared have no group"),
        (["border.csv", "--groups", "lacking.csv"], "no column is called 'group'; expected columns subject and group"),
        (["border.csv", "--groups", "people.csv", "--stream"], "and --groups needs them; leave it out"),
        (["genuine.txt", "impostor.txt", "--groups", "people.csv"], "nobody knows who was compared in the mated"),
        (["faces.npz", "--groups", "kin"], "column of groups 'kin' is unknown; did you mean 'kind'?"),
        (["faces.npz", "--groups", "kin", "--checkpoint", "kept"], "column of groups 'kin' is unknown"),
        (["bare.npz", "--groups", "kind"], "has no metadata, so no groups in a column 'kind'"),
    ],
)
def test_bad_input_is_said(bertillon, border, faces, tmp_path, arguments, said) -> None:
    for name in ("genuine.txt", "impostor.txt"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    shutil.copy(ROOT / "examples" / "faces.npz", tmp_path / "bare.npz")
    Path("two.csv").write_text("subject,group\nt01,north\nt01,south\n")
    Path("few.csv").write_text("subject,group\nt01,north\n")
    Path("lacking.csv").write_text("subject,sex\nt01,north\n")
    ran = bertillon("verify", *arguments, *QUICK)
    assert ran.code == 2
    assert said in " ".join(ran.err.split())
