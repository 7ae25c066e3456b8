"""Intervals on the command line: on by default, by subject where it is known whose the trials are. SPEC U1."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bertillon as bt
from bertillon.trials import simulate

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def owned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores of 30 people with the subjects of every comparison."""
    scores = simulate("subjects", subjects=30, mated=300, nonmated=3000, rng=4).scores
    rows = []
    for label, values, ids in ((1, scores.mated, scores.mated_ids), (0, scores.nonmated, scores.nonmated_ids)):
        people = {"probe_subject": ids.probe_subject, "reference_subject": ids.reference_subject}
        rows.append(pl.DataFrame({"label": np.full(values.size, label), "score": values, **people}))
    path = tmp_path_factory.mktemp("owned") / "owned.csv"
    pl.concat(rows).write_csv(path)
    return path


def named(ran) -> dict[str, dict]:
    assert ran.code == 0, ran.err
    return {row["name"]: row for row in json.loads(ran.out)["measures"]}


def test_u1_every_number_has_an_interval_and_says_how_it_was_found(bertillon, owned: Path) -> None:
    """SPEC U1: interval, level and method stand beside every measure in JSON."""
    for name, row in named(bertillon("verify", owned, "--resamples", 200, "--json", "-")).items():
        low, high = row["interval"]
        assert low <= row["value"] <= high, name
        assert row["level"] == 0.95
        assert row["method"]
        assert row["naive"] is False


def test_intervals_by_subject_are_wider_than_naive_ones(bertillon, owned: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.csv"
    pl.read_csv(owned).select("label", "score").write_csv(bare)
    asked = ("-m", "FNMR@FMR=0.01", "--resamples", 400, "--json", "-")
    by_subject, naive = (named(bertillon("verify", path, *asked))["FNMR@FMR=0.01"] for path in (owned, bare))
    assert naive["naive"] is True
    assert np.diff(by_subject["interval"]) > 1.2 * np.diff(naive["interval"])
    few = ("verify", bare, "-m", "EER", "--resamples", 50)
    assert "! No subject IDs: intervals may be too narrow (--explain)." in bertillon(*few).out
    assert "No subject IDs were given" in bertillon(*few, "--explain").out


def test_the_library_and_the_command_line_agree(bertillon, owned: Path) -> None:
    found = named(bertillon("verify", owned, "-m", "EER", "--resamples", 300, "--seed", 7, "--json", "-"))["EER"]
    interval = bt.evaluate(bt.read_scores(owned), "EER").with_intervals(resamples=300, seed=7).intervals["EER"]
    assert found["interval"] == [interval.low, interval.high]
    assert found["threshold_interval"] == list(interval.threshold)


def test_level_and_none_at_all(bertillon, owned: Path) -> None:
    narrow, wide = (
        named(bertillon("verify", owned, "-m", "EER", "--level", level, "--resamples", 200, "--json", "-"))["EER"]
        for level in (0.8, 0.99)
    )
    assert np.diff(narrow["interval"]) < np.diff(wide["interval"])
    assert "interval" not in named(bertillon("verify", owned, "-m", "EER", "--no-intervals", "--json", "-"))["EER"]
    [heading] = [
        line for line in bertillon("verify", owned, "-m", "EER", "--no-intervals").out.splitlines() if "value" in line
    ]
    assert "interval" not in heading


@pytest.mark.parametrize(
    ("options", "said"), [(("--level", 1.5), "level"), (("--resamples", 1), "resamples"), (("--seed", -1), "seed")]
)
@pytest.mark.parametrize("more", [(), ("--no-intervals",)])
def test_settings_that_cannot_be_are_refused(bertillon, owned: Path, options, said: str, more) -> None:
    ran = bertillon("verify", owned, *options, *more)
    assert ran.code == 2
    assert said in ran.err


def test_searches_have_intervals_by_probe_or_subject(bertillon, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    subject = np.repeat(np.arange(25), 3)
    vectors = rng.normal(size=(25, 8))[subject] + 1.1 * rng.normal(size=(75, 8))
    np.savez(tmp_path / "faces.npz", embeddings=vectors, subject=subject)
    options = ("--leave-out", 0.3, "-m", "RR", "-m", "DIR@FPIR=0.2,k=1", "--resamples", 200, "--json", "-")
    for row in named(bertillon("identify", tmp_path / "faces.npz", *options)).values():
        low, high = row["interval"]
        assert low <= row["value"] <= high
        assert high - low > 0.05


def test_classes_have_intervals_at_the_threshold_that_was_chosen(bertillon, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(400) < 0.3
    p = 1 / (1 + np.exp(-(rng.normal(size=400) + 2 * truth - 1)))
    pl.DataFrame({"y_true": truth.astype(int), "p": p}).write_csv(tmp_path / "p.csv")
    options = ("--constraint", "recall>=0.9", "--resamples", 200, "--json", "-")
    found = named(bertillon("classify", tmp_path / "p.csv", *options))
    low, high = found["Recall"]["interval"]
    assert low <= found["Recall"]["value"] <= high
    assert found["Recall"]["value"] >= 0.9
    assert 0.02 < high - low < 0.2
    assert "No intervals were computed" not in bertillon("classify", tmp_path / "p.csv", "--resamples", 50).out


def test_u1_thresholds_fixed_on_development_scores_by_hand(bertillon, tmp_path: Path) -> None:
    """SPEC U1: a threshold from other scores; at FMR 0 of the development scores it is 6, which misses 1 of 3 here."""
    (tmp_path / "dev.csv").write_text("label,score\n1,4\n1,5\n1,6\n0,1\n0,2\n0,5\n")
    (tmp_path / "eval.csv").write_text("label,score\n1,4\n1,6\n1,7\n0,1\n0,5\n0,2\n0,3\n")
    options = ("-m", "FNMR@FMR=0", "--dev", "dev.csv", "--resamples", 50)
    answer = json.loads(bertillon("verify", "eval.csv", *options, "--json", "-").out)["development"]
    assert answer["name"] == "dev.csv"
    at_zero = answer["thresholds"][1]
    assert (at_zero["criterion"], at_zero["threshold"]) == ("FNMR@FMR=0", 6.0)
    assert at_zero["evaluation"]["FNMR"]["value"] == pytest.approx(1 / 3)
    assert at_zero["evaluation"]["HTER"]["value"] == pytest.approx(1 / 6)
    assert "optimistic" in at_zero["development"]["note"]
    assert not any(math.isnan(value) for value in answer["expected_performance_curve"]["hter"])
    assert "Thresholds set on dev.csv, evaluated on eval.csv" in bertillon("verify", "eval.csv", *options).out


def test_development_scores_that_do_not_fit_are_refused(bertillon, tmp_path: Path) -> None:
    (tmp_path / "eval.csv").write_text("label,score\n1,4\n1,6\n0,1\n0,5\n")
    (tmp_path / "one.csv").write_text("label,score\n1,4\n1,5\n")
    missing = bertillon("verify", "eval.csv", "--dev", "one.csv")
    assert (missing.code, "no non-mated" in missing.err) == (2, True)
    several = bertillon("verify", "eval.csv", "--dev", "eval.csv", "--dev", "eval.csv")
    assert several.code == 2
    assert "expected one" in several.err or "compare" in several.err


def bounds_in(found: object) -> list[tuple[str, list]]:
    """Every interval in a document with its side, in the order in which they stand."""
    if isinstance(found, list):
        return [bound for each in found for bound in bounds_in(each)]
    if not isinstance(found, dict):
        return []
    own = [(found.get("side", "both"), found["interval"])] if found.get("interval") else []
    return own + [bound for each in found.values() for bound in bounds_in(each)]


@pytest.mark.parametrize(
    "command",
    [
        ("verify", "border.csv", "--groups", "people.csv", "-m", "EER", "-m", "FNMR@t=0.45"),
        ("verify", "gate.csv", "--transactions", "--at-threshold", "0.5", "-m", "EER"),
        ("identify", "faces.npz", "--gallery-size", "5,20,50", "--at-threshold", "0.4", "-m", "RR"),
    ],
)
def test_d6_bounds_of_one_side_wherever_there_are_intervals(bertillon, command) -> None:
    """D6: the upper end at 95 % on one side is that of two sides at 90 %, in everything that is found."""
    people = [f"t{number:02d}" for number in range(60)]
    pl.DataFrame({"subject": people, "group": ["x", "y", "y"] * 20}).write_csv("people.csv")
    named = [str(ROOT / "examples" / part) if (ROOT / "examples" / part).exists() else part for part in command]
    bounds = []
    for sides in (("--sides", "upper"), ("--level", "0.9")):
        ran = bertillon(*named, *sides, "--resamples", "50", "--json", "-")
        assert ran.code == 0, ran.err
        bounds.append(bounds_in(json.loads(ran.out)))
    one, two = bounds
    assert len(one) == len(two) > 5
    assert {side for side, _ in one} == {"upper"}
    assert {side for side, _ in two} == {"both"}
    assert [ends[1] for _, ends in one] == pytest.approx([ends[1] for _, ends in two])


def test_development_has_no_bounds_of_one_side(bertillon, owned: Path) -> None:
    ran = bertillon("verify", owned, "--dev", owned, "--sides", "upper")
    assert (ran.code, "leave out --sides, or --dev" in ran.err) == (2, True)


def test_d6_bounds_of_one_side_are_said_to_be_bounds_in_the_short_answer_too(bertillon, owned) -> None:
    """An end that the bound leaves open, 0 or 1, is no number."""
    ran = bertillon("verify", owned, "--sides", "upper", "--resamples", "50")
    assert ran.code == 0, ran.err
    assert "(95 % CI at most " in ran.out
    assert "(0" not in ran.out
    assert "at least" in bertillon("verify", owned, "--sides", "lower", "--resamples", "50").out


def test_systems_without_ids_are_named_beside_others_that_have_them(bertillon, owned, lists) -> None:
    table = owned.parent / "plain.csv"
    table.write_text("label,score\n" + "1,0.9\n0,0.1\n" * 40 + "1,0.2\n0,0.7\n")
    ran = bertillon("verify", owned, table, "--resamples", "50")
    assert ran.code == 0, ran.err
    assert "! plain.csv: no subject IDs, so intervals may be too narrow." in ran.out
