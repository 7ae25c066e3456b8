"""`bertillon check`: what is printed, written and refused, and how it ends."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import polars as pl
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def tested(tmp_path: Path):
    """A test of 174 people with so many rejections at 0.5 and no false match among 30,102 ordered pairs."""

    def write(rejected: int) -> Path:
        people = [f"s{number:03d}" for number in range(174)]
        mated = [(one, one, 0.1 if place < rejected else 0.9) for place, one in enumerate(people)]
        pairs = itertools.permutations(people, 2)
        others = [(a, b, ((place * 7919) % 30_103) / 1e5) for place, (a, b) in enumerate(pairs)]
        frame = pl.DataFrame(mated + others, schema=["probe_subject", "reference_subject", "score"], orient="row")
        frame.write_csv(tmp_path / "scores.csv")
        return tmp_path / "scores.csv"

    return write


@pytest.mark.parametrize(
    ("rejected", "more", "bound", "verdict"),
    [(5, (), 0.04501, "shown"), (6, (), 0.05226, "seen"), (5, ("--method", "clopper-pearson"), 0.05265, "seen")],
)
def test_d4_the_figures_of_the_standards(bertillon, tested, rejected, more, bound, verdict) -> None:
    """D4: STANDARDS 10, through the command line."""
    how = ("--scheme", "cc-bio-pp-2", "-t", "0.5", *more, "--json", "out.json")
    ran = bertillon("check", tested(rejected), *how)
    assert ran.code == 1
    assert "failed: not every requirement of Common Criteria" in ran.err
    rows = {row["rate"]: row for row in json.loads(Path("out.json").read_text())["requirements"]}
    assert rows["FNMR"]["bound"] == pytest.approx(bound, abs=5e-6)
    assert rows["FNMR"]["verdict"] == verdict
    assert (rows["FMR"]["trials"], rows["FMR"]["verdict"]) == (30_102, "shown")
    assert rows["IAPAR"]["verdict"] == "untested"
    assert "IAPAR at most 7 %: not tested (no attacks were given; add --attacks FILE)." in ran.out


def test_d4_a_file_of_rules_that_is_passed_ends_with_0(bertillon, tested) -> None:
    about = 'title = "mine"\nsource = "me"\nread = 2026-11-18\n'
    rule = '[[requirement]]\nrate = "FMR"\nlimit = 1e-4\nconfidence = 0.95\nsides = "upper"\n'
    Path("mine.toml").write_text(about + rule)
    ran = bertillon("check", tested(5), "--scheme", "mine.toml", "-t", "0.5", "--json", "-")
    (row,) = json.loads(ran.out)["requirements"]
    assert ran.code == 0, ran.err
    assert row["bound"] == pytest.approx(9.951e-5, abs=5e-9)
    Path("mine.toml").write_text(about + rule + 'unit = "try"\nkind = 1\n')
    ran = bertillon("check", tested(5), "--scheme", "mine.toml")
    assert (ran.code, "key 'kind' is unknown" in ran.err) == (2, True)


def test_d4_every_kind_of_report(bertillon) -> None:
    reports = [part for suffix in ("html", "md", "tex", "json", "csv") for part in ("--report", f"out.{suffix}")]
    more = ("--csv", "csv", "--figures", "figures", "--figure-format", "png")
    attacks = ("--attacks", EXAMPLES / "attacks.csv")
    ran = bertillon("check", EXAMPLES / "border.csv", *attacks, "--scheme", "cc-bio-pp-2", *reports, *more)
    assert ran.code == 1
    assert "seen, not shown" in ran.out
    assert "was chosen on the same scores" in ran.out
    for suffix in ("html", "md", "tex"):
        page = Path(f"out.{suffix}").read_text()
        assert "Common Criteria" in page
        assert suffix == "tex" or "check the current text" in page
    assert pl.read_csv("csv/scheme.csv")["verdict"].to_list() == ["seen", "not_met", "not_met"]
    assert Path("figures/scheme.png").stat().st_size > 5_000
    assert json.loads(Path("out.json").read_text())["passed"] is False


@pytest.mark.parametrize("lang", ["it", "es", "zh"])
def test_the_verdict_in_other_languages(bertillon, lang) -> None:
    ran = bertillon("check", EXAMPLES / "border.csv", "--scheme", "nist-800-63", "--lang", lang)
    assert ran.code == 1
    assert "not met" not in ran.out


def test_d4_a_rate_that_the_data_cannot_hold_is_not_tested(bertillon) -> None:
    """3,540 comparisons show no FMR of .05 %, 96 searches no FPIR of .1 %: neither is met, nor is it missed."""
    ran = bertillon("check", EXAMPLES / "border.csv", "--scheme", "ees-face", "--json", "out.json")
    said = " ".join(ran.out.split())
    assert ran.code == 1
    assert "a rate of 0.05 % is not measurable with 3,540 non-mated comparisons; at least 6,000 are needed" in said
    (row,) = json.loads(Path("out.json").read_text())["requirements"]
    assert (row["verdict"], row["value"], row["bound"]) == ("untested", None, None)
    said = " ".join(bertillon("check", EXAMPLES / "faces.npz", "--scheme", "ees-search").out.split())
    assert "not measurable with 320 searches by people who are not enrolled; at least 3,000 are needed" in said
    assert "320 searches by enrolled people; 320 searches by people who are not enrolled" in said


def test_two_systems_are_checked_one_by_one(bertillon) -> None:
    ran = bertillon("check", EXAMPLES / "border.csv", EXAMPLES / "gate.csv", "--scheme", "fido")
    assert (ran.code, "2 files hold 2 systems; expected one: check the systems one by one" in ran.err) == (2, True)


def test_templates_are_told_how_to_become_scores(bertillon) -> None:
    ran = bertillon("check", EXAMPLES / "faces.npz", "--scheme", "fido")
    assert (ran.code, "bertillon match" in ran.err) == (2, True), ran.err


def test_d6_a_bound_of_one_side_is_called_by_its_method(bertillon) -> None:
    said = " ".join(bertillon("check", EXAMPLES / "border.csv", "--scheme", "nist-800-63").out.split())
    assert "with 95 % confidence (Clopper-Pearson, upper bound)" in said


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (("--scheme", "fidos"), "did you mean 'fido'"),
        (("--scheme", "fido", "--method", "guess"), "method is 'guess'"),
        (("--scheme", "none.toml"), "none.toml: cannot be read"),
        ((), "--scheme"),
    ],
)
def test_what_cannot_be_is_refused(bertillon, more, fault) -> None:
    ran = bertillon("check", EXAMPLES / "border.csv", *more)
    assert (ran.code, fault in ran.err) == (2, True), ran.err


def test_d2_d4_a_table_with_attempts_is_judged_by_transaction(bertillon) -> None:
    """As `verify --transactions` counts them, at every number of attempts."""
    gate = EXAMPLES / "gate.csv"
    ran = bertillon("verify", gate, "--transactions", "--at-threshold", "0.5", "--no-intervals", "--json", "-")
    points = json.loads(ran.out)["findings"][0]["points"]
    for point in points:
        how = ("--scheme", "fido", "-t", "0.5", "--attempts", str(point["attempts"]), "--json", "out.json")
        ran = bertillon("check", gate, *how)
        assert ran.code == 1, ran.err
        rows = {row["rate"]: row for row in json.loads(Path("out.json").read_text())["requirements"]}
        for rate in ("FAR", "FRR"):
            counted = {key: point[rate.lower()][key] for key in ("errors", "trials")}
            assert {key: rows[rate][key] for key in counted} == counted
            assert (rows[rate]["unit"], rows[rate]["attempts"]) == ("transaction", point["attempts"])
    ran = bertillon("check", gate, "--scheme", "cc-bio-pp-2", "-t", "0.5", "--report", "out.html", "--report", "out.md")
    for text in (ran.out, Path("out.html").read_text(), Path("out.md").read_text()):
        assert "transactions of up to 3 attempts" in " ".join(text.split())


@pytest.mark.parametrize(
    ("file", "more", "fault"),
    [
        ("gate.csv", ("--scheme", "nist-800-63", "--attempts", "2"), "nist-800-63 has no rule about transactions"),
        ("border.csv", ("--scheme", "fido", "--attempts", "2"), "expected one table with columns transaction, attempt"),
        ("gate.csv", ("--scheme", "fido", "--attempts", "9"), "expected 1 to 5"),
    ],
)
def test_attempts_that_are_not_there_are_refused(bertillon, file, more, fault) -> None:
    ran = bertillon("check", EXAMPLES / file, *more)
    assert (ran.code, fault in ran.err) == (2, True), ran.err
