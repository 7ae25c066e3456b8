"""Indices of fairness through `verify --groups`, `identify --groups`, and `fairness` of published rates."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((ROOT / "docs" / "schema" / "bertillon-1.json").read_text())


@pytest.fixture
def border(tmp_path: Path) -> Path:
    travellers = [f"t{number:02d}" for number in range(60)]
    places = ["north" if number % 3 else "south" for number in range(60)]
    enrolled = ["no" if number == 7 else "yes" for number in range(60)]
    pl.DataFrame({"subject": travellers, "group": places, "enrolled": enrolled}).write_csv(tmp_path / "people.csv")
    return Path(shutil.copy(ROOT / "examples" / "border.csv", tmp_path))


def test_d7_indices_with_intervals_in_every_kind_of_report(bertillon, border) -> None:
    reports = [part for suffix in ("html", "md", "tex") for part in ("--report", f"out.{suffix}")]
    how = ("--groups", "people.csv", "-m", "EER", "--resamples", "50", "--json", "out.json")
    ran = bertillon("verify", border, *how, *reports)
    assert ran.code == 0, ran.err
    document = json.loads(Path("out.json").read_text(), parse_constant=pytest.fail)
    assert list(Draft202012Validator(PUBLISHED).iter_errors(document)) == []
    (point,) = document["groups"]["points"]
    rates = {kind: [row["value"] for row in point[kind]] for kind in ("FMR", "FNMR")}
    found = {row["name"]: row for row in point["fairness"]}
    spread = [max(rates[kind]) - min(rates[kind]) for kind in ("FMR", "FNMR")]
    assert found["FDR"]["value"] == pytest.approx(1 - sum(spread) / 2)
    assert found["FNMR max/min"]["value"] == pytest.approx(max(rates["FNMR"]) / min(rates["FNMR"]))
    assert all(row["interval"][0] <= row["value"] <= row["interval"][1] for row in found.values())
    assert document["groups"]["people"][0]["FTE"] == pytest.approx(1 / 40)
    for text in (ran.out, *(Path(f"out.{suffix}").read_text() for suffix in ("html", "md", "tex"))):
        assert "GARBE" in text
        assert "FTE" in text


def test_d7_failed_comparisons_by_group(bertillon, tmp_path) -> None:
    rows = [("a", "a", 0.9), ("b", "b", None), ("c", "c", 0.8), ("d", "d", 0.7), ("a", "b", 0.1), ("c", "d", 0.2)]
    pl.DataFrame(rows, schema=["probe_subject", "reference_subject", "score"], orient="row").write_csv("s.csv")
    pl.DataFrame({"subject": list("abcd"), "group": list("xxyy")}).write_csv("people.csv")
    ran = bertillon("verify", "s.csv", "--groups", "people.csv", "-m", "EER", "--no-intervals", "--json", "-")
    assert ran.code == 0, ran.err
    people = {row["group"]: row["FTA"] for row in json.loads(ran.out)["groups"]["people"]}
    assert people == {"x": 0.5, "y": 0.0}


def test_d7_searches_by_group(bertillon, tmp_path) -> None:
    pl.DataFrame({"subject": range(80), "group": ["x" if n % 2 else "y" for n in range(80)]}).write_csv("people.csv")
    faces = ROOT / "examples" / "faces.npz"
    more = (
        "--csv",
        "csv",
        "--figures",
        "figures",
        "--figure-format",
        "png",
        "--json",
        "out.json",
        "--report",
        "out.md",
        "--report",
        "out.html",
    )
    how = ("--groups", "people.csv", "--leave-out", "0.3", "-m", "FNIR@FPIR=0.1", "--resamples", "50")
    ran = bertillon("identify", faces, *how, *more)
    assert ran.code == 0, ran.err
    document = json.loads(Path("out.json").read_text(), parse_constant=pytest.fail)
    assert list(Draft202012Validator(PUBLISHED).iter_errors(document)) == []
    (point,) = document["findings"][0]["points"]
    whole = {row["name"]: row for row in document["measures"]}
    assert point["threshold"] == whole["FNIR@FPIR=0.1,k=1"]["threshold"]
    missed = sum(group["FNIR"]["errors"] for group in point["groups"])
    searched = sum(group["FNIR"]["trials"] for group in point["groups"])
    assert missed / searched == pytest.approx(whole["FNIR@FPIR=0.1,k=1"]["value"])
    assert "Searches by group" in ran.out
    assert "Searches by group" in Path("out.md").read_text()
    assert all(f'id="chart-search-groups-0-0-{kind}"' in Path("out.html").read_text() for kind in ("FPIR", "FNIR"))
    assert Path("figures/search-groups.png").stat().st_size > 5_000
    written = {row["kind"]: row for row in pl.read_csv("csv/groups.csv").to_dicts()}
    for index in point["fairness"]:
        assert written[index["name"]]["value"] == pytest.approx(index["value"])
        ends = index["interval"] or [math.nan, math.nan]
        assert [written[index["name"]][end] for end in ("low", "high")] == pytest.approx(ends, nan_ok=True)
    assert any(index["interval"] for index in point["fairness"])


def test_d7_groups_of_searches_are_a_column_of_the_templates_too(bertillon, tmp_path) -> None:
    with np.load(ROOT / "examples" / "faces.npz") as archive:
        faces = dict(archive)
    side = np.where(faces["subject"] % 2, "x", "y")
    np.savez(tmp_path / "named.npz", side=side, **faces)
    pl.DataFrame({"subject": faces["subject"], "group": side}).unique().write_csv("people.csv")
    how = ("--leave-out", "0.3", "-m", "FNIR@FPIR=0.1", "--resamples", "50", "--json", "-")
    named, listed = (bertillon("identify", "named.npz", "--groups", groups, *how) for groups in ("side", "people.csv"))
    assert (named.code, json.loads(named.out)["findings"]) == (0, json.loads(listed.out)["findings"]), named.err
    ran = bertillon("identify", "named.npz", "--groups", "sied", *how)
    assert (ran.code, "did you mean 'side'" in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("command", ["verify", "identify"])
def test_d7_a_group_of_one_person_has_a_rate_and_no_interval(bertillon, tmp_path, command) -> None:
    groups = ["solo" if n == 3 else "x" if n % 2 else "y" for n in range(80)]
    pl.DataFrame({"subject": range(80), "group": groups}).write_csv("people.csv")
    faces, asked = ROOT / "examples" / "faces.npz", ("-m", "FNMR@FMR=0.1" if command == "verify" else "FNIR@FPIR=0.1")
    ran = bertillon(command, faces, "--groups", "people.csv", *asked, "--resamples", "50")
    assert ran.code == 0, ran.err
    assert "No interval: one subject alone says nothing about others" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([("1", "x"), ("1", "y")], "'1' is in two groups, 'x' and 'y'"),
        ([("1", "x")], "of the people compared have no group"),
        ([("1", "")], "row 1 has no group"),
    ],
)
def test_d7_people_without_one_group_are_refused(bertillon, tmp_path, rows, fault) -> None:
    pl.DataFrame(rows, schema=["subject", "group"], orient="row").write_csv("people.csv")
    for command in ("verify", "identify"):
        ran = bertillon(command, ROOT / "examples" / "faces.npz", "--groups", "people.csv")
        assert (ran.code, fault in " ".join(ran.err.split())) == (2, True), ran.err


PUBLISHED_RATES = """group,FMR,FNMR
women American Indian,0.000501187233627273,0.0033
women Asian,0.0000316227766016838,0.0052
women Black,0.0000794328234724282,0.0011
women White,0.00001,0.0021
men American Indian,0.000199526231496888,0.005
men Asian,0.00001,0.0031
men Black,0.00001,0.0011
men White,0.00001,0.0036
"""


def test_d7_published_rates_of_groups_as_in_standards_10(bertillon, tmp_path) -> None:
    """NIST Annex 15, didiglobalface-001, alpha .5: FDR .997704, IR 15.3924, GARBE .541309."""
    Path("annex15.csv").write_text(PUBLISHED_RATES)
    reports = [part for suffix in ("html", "md", "tex") for part in ("--report", f"out.{suffix}")]
    ran = bertillon("fairness", "annex15.csv", "--json", "out.json", "--csv", "csv", *reports)
    assert ran.code == 0, ran.err
    document = json.loads(Path("out.json").read_text(), parse_constant=pytest.fail)
    found = {row["name"]: row["value"] for row in document["fairness"]}
    assert (round(found["FDR"], 6), round(found["IR"], 4), round(found["GARBE"], 6)) == (0.997704, 15.3924, 0.541309)
    written = {row["kind"]: row["value"] for row in pl.read_csv("csv/fairness.csv").to_dicts()}
    assert {name: written[name] for name in found} == pytest.approx(found)
    for text in (ran.out, *(Path(f"out.{suffix}").read_text() for suffix in ("html", "md", "tex"))):
        assert "15.3924" in text
        assert "the indices have no intervals" in " ".join(text.split())
    weighted = json.loads(bertillon("fairness", "annex15.csv", "--alpha", "1", "--json", "-").out)["fairness"]
    assert weighted[1]["value"] == pytest.approx(found["FMR max/min"])


@pytest.mark.parametrize("lang", ["it", "es", "zh"])
def test_published_rates_in_other_languages(bertillon, lang) -> None:
    Path("annex15.csv").write_text(PUBLISHED_RATES)
    ran = bertillon("fairness", "annex15.csv", "--lang", lang)
    assert (ran.code, "elsewhere" in ran.out) == (0, False), ran.err


def test_published_rates_of_searches_and_groups_without_comparisons(bertillon) -> None:
    Path("rates.csv").write_text("group,fpir,fnir\na,0.1,0.2\nb,0.2,\nc,,0.4\n")
    ran = bertillon("fairness", "rates.csv", "--json", "-")
    found = {row["name"]: row["value"] for row in json.loads(ran.out)["fairness"]}
    assert (found["FPIR max/min"], found["FNIR max/min"]) == (pytest.approx(2.0), pytest.approx(2.0))


@pytest.mark.parametrize(
    ("text", "more", "fault"),
    [
        ("group,FMR\na,.1\nb,.2\n", (), "expected columns group, FMR and FNMR"),
        ("FMR,FNMR\n.1,.1\n.2,.2\n", (), "column 'group' is unknown"),
        ("group,FMR,FNMR\na,.1,.1\na,.2,.2\n", (), "group 'a' stands twice"),
        ("group,FMR,FNMR\n,.1,.1\na,.2,.2\n", (), "row 1 has no group"),
        ("group,FMR,FNMR\na,x,.1\nb,.2,.2\n", (), "row 1 has FMR 'x'; expected a rate from 0 to 1, or empty"),
        ("group,FMR,FNMR\na,1.2,.1\nb,.2,.2\n", (), "FMR of a group is 1.2; expected a rate"),
        ("group,FMR,FNMR\na,.2,.1\n", (), "1 group; expected two or more"),
        ("group,FMR,FNMR\na,.1,.1\nb,.2,.2\n", ("--alpha", "2"), "alpha is 2.0; expected a weight"),
    ],
)
def test_published_rates_that_cannot_be_are_refused(bertillon, text, more, fault) -> None:
    Path("rates.csv").write_text(text)
    ran = bertillon("fairness", "rates.csv", *more)
    assert (ran.code, fault in " ".join(ran.err.split())) == (2, True), ran.err


def test_d7_of_counted_comparisons_the_indices_say_why_they_have_no_interval(bertillon, tmp_path, monkeypatch) -> None:
    rng = np.random.default_rng(1)
    vectors = (rng.normal(size=(60, 1, 8)) + rng.normal(size=(60, 3, 8))).reshape(180, 8)
    np.savez(tmp_path / "many.npz", embeddings=vectors, subject=np.repeat(range(60), 3), side=np.repeat(["x", "y"], 90))
    counted = ("--checkpoint", "kept")  # which counts
    ran = bertillon("verify", "many.npz", "--groups", "side", "-m", "FNMR@FMR=0.1", "--resamples", "50", *counted)
    assert ran.code == 0, ran.err
    assert "No interval: the comparisons were counted and not kept" in " ".join(ran.out.split())
