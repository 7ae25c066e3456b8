"""U1: `bertillon plan`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_plan_says_how_many_people_and_comparisons(bertillon) -> None:
    """STANDARDS 1: 30,000 comparisons are those of 246 people, if they were independent."""
    ran = bertillon("plan", "--fmr", "1e-4", "--interval", "0.3")
    assert ran.code == 0
    rows = [line.split() for line in ran.out.splitlines() if line.startswith("FMR")]
    assert [row[-3:] for row in rows] == [
        ["246", "30,135", "none"],
        ["337", "56,616", "none"],
        ["925", "427,350", "43"],
        ["2,586", "3,342,405", "334"],
    ]
    assert "Plan for 2,586 people" in ran.out
    assert "explains 20 % of the variance of scores" in " ".join(ran.out.split())


def test_plan_of_ordered_pairs(bertillon) -> None:
    ran = bertillon("plan", "--fmr", "1e-4", "--ordered")
    assert "174       30,102" in ran.out


def test_plan_leaves_out_what_is_said_already(bertillon) -> None:
    """One search of each person shares nobody: two rows, not four."""
    ran = bertillon("plan", "--fnir", "0.02")
    assert [line.split()[-3:-1] for line in ran.out.splitlines() if line.startswith("FNIR")] == [
        ["150", "150"],
        ["2,092", "2,092"],
    ]
    assert "trials are independent" in ran.out


def test_plan_by_simulation(bertillon) -> None:
    ran = bertillon("plan", "--fnmr", "0.05", "--samples", "4", "--simulate", "20", "--seed", "3")
    assert ran.code == 0
    assert "Simulation: 20 tests" in ran.out
    assert ran.out == bertillon("plan", "--fnmr", "0.05", "--samples", "4", "--simulate", "20", "--seed", "3").out


def test_plan_as_json(bertillon, tmp_path: Path) -> None:
    ran = bertillon("plan", "--fpir", "0.01", "--samples", "3", "--simulate", "5", "--json", "-")
    found = json.loads(ran.out)
    assert found["mode"] == "plan"
    assert found["aim"]["trials"] == "searches by people not enrolled"
    assert found["simulated"]["seed"] == 0
    assert found["verdict"].startswith("Plan for")
    ran = bertillon("plan", "--fpir", "0.01", "--json", "plan.json")
    assert "JSON written to plan.json" in ran.out
    assert "simulated" not in json.loads((tmp_path / "plan.json").read_text())


@pytest.mark.parametrize("columns", ["80", "120"])
def test_plan_fits_the_terminal(bertillon, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    ran = bertillon("plan", "--fmr", "1e-6", "--samples", "3")
    assert max(map(len, ran.out.splitlines())) <= int(columns)
    assert "…" not in ran.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "found none"),
        (["--fmr", "0.1", "--fnmr", "0.1"], "found --fmr and --fnmr"),
        (["--fmr", "0"], "FMR: rate is 0"),
        (["--fmr", "few"], "--fmr"),
        (["--fmr", "nan"], "rate is nan"),
        (["--fmr", "0.1", "--interval", "-1"], "interval is -1"),
        (["--fmr", "0.1", "--level", "95"], "give 0.95"),
        (["--fmr", "0.1", "--correlation", "2"], "correlation is 2"),
        (["--fmr", "0.1", "--samples", "0"], "samples is 0"),
        (["--fnmr", "0.1", "--ordered"], "leave out --ordered"),
        (["--fmr", "1e-7", "--simulate", "5"], "too many"),
        (["--fmr", "0.1", "--simulate", "0"], "simulated tests is 0"),
        (["--fmr", "0.1", "--simulate", "5", "--seed", "-1"], "seed is -1"),
    ],
)
def test_bad_plans_are_refused_in_words(bertillon, options: list[str], said: str) -> None:
    ran = bertillon("plan", *options)
    assert ran.code == 2
    assert said in ran.err
    assert "internal error" not in ran.err
    assert ran.out == ""
