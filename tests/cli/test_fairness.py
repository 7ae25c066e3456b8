"""Indices of fairness through `verify --groups`, and `identify --groups`."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

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
    assert Path("figures/search-groups.png").stat().st_size > 5_000
    written = {row["kind"]: row for row in pl.read_csv("csv/groups.csv").to_dicts()}
    for index in point["fairness"]:
        assert written[index["name"]]["value"] == pytest.approx(index["value"])
        ends = index["interval"] or [math.nan, math.nan]
        assert [written[index["name"]][end] for end in ("low", "high")] == pytest.approx(ends, nan_ok=True)
    assert any(index["interval"] for index in point["fairness"])
