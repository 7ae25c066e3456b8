"""Budgets through `identify` and `verify`: the sentence, every kind of report, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((ROOT / "docs" / "schema" / "bertillon-1.json").read_text())
FACES = (ROOT / "examples" / "faces.npz", "--leave-out", "0.3", "-m", "FNIR@FPIR=0.1", "--resamples", "50")
DAY = ("--passers", "20000", "--minutes", "15", "--on-list", "0.01")


def test_d3_the_sentence_and_every_kind_of_report(bertillon) -> None:
    reports = [part for suffix in ("html", "md", "tex") for part in ("--report", f"out.{suffix}")]
    more = ("--csv", "csv", "--figures", "figures", "--figure-format", "png", "--json", "out.json")
    asked = ("--alarms-per-day", "2000", "--hours-per-day", "8", "--cost", "alarm=5,miss=200")
    ran = bertillon("identify", *FACES, *DAY, *asked, *reports, *more)
    assert ran.code == 0, ran.err
    said = " ".join(ran.out.split())
    document = json.loads(Path("out.json").read_text(), parse_constant=pytest.fail)
    assert list(Draft202012Validator(PUBLISHED).iter_errors(document)) == []
    alarms, hours, cost = document["findings"][0]["budgets"]
    assert f"Set the threshold to {alarms['threshold']:.6g} for at most 2,000 false alarms a day: expect" in said
    assert "No threshold can be given for at most 8 hours of checking a day: a rate of 0.162 % is not" in said
    share = f"{100 * alarms['FNIR']['value']:.1f} % of those on the list not identified"
    assert share in said.replace("\xa0", " ")  # with the digits of the table
    assert alarms["false_alarms_a_day"] == pytest.approx(19_800 * alarms["FPIR"]["value"])
    assert alarms["hours_a_day"] == pytest.approx(alarms["false_alarms_a_day"] / 4)
    assert alarms["misses_a_day"] == pytest.approx(200 * alarms["FNIR"]["value"])
    assert not hours["measurable"]
    assert "at least 1,857 are needed" in said
    spent = 5 * cost["false_alarms_a_day"] + 200 * cost["misses_a_day"]
    assert cost["cost_a_day"] == pytest.approx(spent)
    for suffix in ("html", "md", "tex"):
        assert "What a day allows" in Path(f"out.{suffix}").read_text()
    page = Path("out.html").read_text()  # which opens with the day that was described
    assert '"passers":20000.0' in page
    assert pl.read_csv("csv/budgets.csv")["budget"].to_list() == ["alarms", "hours", "cost"]
    assert Path("figures/budgets.png").stat().st_size > 5_000


def test_d3_verification(bertillon) -> None:
    lists = (ROOT / "examples" / "genuine.txt", ROOT / "examples" / "impostor.txt")
    how = ("--passers", "1000", "--cost", "fa=10,fr=1", "--prior", "impostor=0.1", "--alarms-per-day", "5")
    ran = bertillon("verify", *lists, *how, "--resamples", "50", "--json", "-")
    assert ran.code == 0, ran.err
    assert "Expected false rejects:" in bertillon("verify", *lists, *how, "--resamples", "50").out
    alarms, cost = json.loads(ran.out)["findings"][0]["budgets"]
    assert alarms["FMR"]["value"] <= alarms["target"] == pytest.approx(0.05)
    assert cost["cost_a_day"] == pytest.approx(1000 * cost["FMR"]["value"] + 900 * cost["FNMR"]["value"])


@pytest.mark.parametrize("lang", ["it", "es", "zh"])
def test_budgets_in_other_languages(bertillon, lang) -> None:
    ran = bertillon("identify", *FACES, *DAY, "--alarms-per-day", "2000", "--lang", lang)
    assert ran.code == 0, ran.err
    assert "expect" not in ran.out


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (("--alarms-per-day", "20"), "needs --passers"),
        (("--passers", "20"), "add --alarms-per-day"),
        (("--passers", "20", "--alarms-per-day", "-1"), "alarms is -1"),
        (("--passers", "20", "--cost", "alarm=1,miss=2"), "give on_list"),
    ],
)
def test_days_that_cannot_be_are_refused(bertillon, more, fault) -> None:
    ran = bertillon("identify", *FACES, *more)
    assert (ran.code, fault in ran.err) == (2, True), ran.err


def test_d3_d6_a_bound_of_one_side_is_said_as_one(bertillon) -> None:
    for side, said in (("upper", "(at most "), ("lower", "(at least ")):
        ran = bertillon("identify", *FACES, *DAY, "--alarms-per-day", "2000", "--sides", side)
        sentence = " ".join(ran.out.split()).split(" faces.npz:")[0]
        assert said in sentence, ran.out
        assert " to " not in sentence.split("expect")[1].split("false alarms")[0]
