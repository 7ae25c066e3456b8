"""Systems tested against each other, on the terminal and in files. SPEC U2."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import bertillon as bt
from bertillon.render import compared_frame, compared_json, terminal_text, write_frames
from bertillon.stats import Settings, compare_systems
from bertillon.views import ReportContent

SETTINGS = Settings(resamples=99, seed=2)


def systems() -> list[bt.ScoreSet]:
    rng = np.random.default_rng(1)
    names = np.array([f"s{k:02d}" for k in range(30)])
    i, j = np.triu_indices(30, 1)
    ids = {"mated_ids": bt.TrialIds(names, names), "nonmated_ids": bt.TrialIds(names[i], names[j])}
    mated, nonmated = rng.normal(2.5, 1, 30), rng.normal(0, 1, i.size)
    return [
        bt.ScoreSet(mated - worse + rng.normal(0, 0.1, 30), nonmated, name=name, **ids)
        for name, worse in (("a system with a long name.csv.gz", 0.0), ("B", 1.5))
    ]


def text(found, width: int, *, explain: bool = True, **more) -> str:
    out = io.StringIO()
    content = ReportContent(versus=found, settings=SETTINGS, **more)
    Console(file=out, width=width).print(terminal_text(content, explain=explain))
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_a_table_and_a_sentence_for_each_measure(width):
    found = compare_systems(systems(), ["EER", "FNMR@FMR=0.01", "AUC", "FNMR@t=1"], settings=SETTINGS, margin=0.01)
    shown = text(found, width, warnings=["B: beware."])
    lines = [line for line in shown.splitlines() if line.strip()]
    assert max(len(line) for line in lines) <= width
    assert lines[0].startswith("B is worse than a system with a long name.csv.gz: EER, AUC, FNMR@t=1.")
    assert "B against a system with a long name.csv.gz" in lines
    assert "465 trials in common, paired by probe's subject and reference's subject" in shown
    row = next(line.split() for line in lines if line.startswith("EER"))
    one = found[0].differences[0]
    assert row[1:5] == [*f"{one.first_value * 100:.4g} %".split(), *f"{one.second_value * 100:.4g} %".split()]
    assert "(Holm)" in "".join(lines[1:8])
    assert "95 % interval" in shown
    flat = " ".join(shown.split())
    assert flat.count(" is worse than ") == 3 + 1
    assert flat.count("cannot be compared: too few errors at FMR = 0.01") == 1
    assert "McNemar on FNMR@t=1 (signs of subjects, exact)" in flat
    assert "DeLong on AUC (comparisons treated as independent): p =" in flat
    assert "99 resamples of 30 subjects, seed 2" in flat
    assert "adjusted for 3 tests (Holm)" in flat
    assert "! B: beware." in shown
    answer = text(found, width, explain=False, warnings=["B: beware."])
    assert answer.count(" is worse than ") == 1
    assert "McNemar" not in answer


def test_one_test_is_not_adjusted():
    shown = text(compare_systems(systems(), ["EER"], settings=SETTINGS), 120)
    assert "Holm" not in shown


def test_unpaired_and_undefined_are_said():
    a, b = systems()
    shown = text(compare_systems([a, b], ["EER"], settings=SETTINGS, paired=False), 120)
    assert "Not paired: each system is resampled on its own" in shown
    empty = [replace(one, nonmated=one.nonmated[:0], nonmated_ids=None) for one in (a, b)]
    shown = text(compare_systems(empty, ["EER"], settings=SETTINGS), 120)
    assert "undefined  undefined" in shown
    assert "cannot be compared" in shown


def test_identical_systems_are_0_throughout():
    a, _ = systems()
    found = compare_systems([a, replace(a, name="again")], ["EER", "AUC"], settings=SETTINGS)
    shown = text(found, 120)
    assert "give identical scores" in shown
    assert next(line.split()[-1] for line in shown.splitlines() if line.startswith("EER")) == "1"
    assert "DeLong" not in shown
    whole = json.loads(compared_json(found, SETTINGS, mode="verification"))
    assert whole["pairs"][0]["identical"] is True
    assert [row["difference"] for row in whole["pairs"][0]["measures"]] == [0.0, 0.0]


def test_json_is_strict_and_holds_what_the_table_holds():
    found = compare_systems(systems(), ["EER", "Cllr"], settings=SETTINGS, margin=0.02)
    whole = json.loads(
        compared_json(found, SETTINGS, mode="verification", warnings=["beware"]), parse_constant=pytest.fail
    )
    assert (whole["mode"], whole["difference"], whole["tests"], whole["correction"]) == (
        "verification",
        "second - first",
        2,
        "Holm",
    )
    assert whole["settings"]["resamples"] == 99
    assert whole["warnings"] == ["beware"]
    pair = whole["pairs"][0]
    assert (pair["paired"], pair["units"], pair["unit"], pair["naive"]) == (True, 30, "subjects", False)
    one, row = found[0].differences[0], pair["measures"][0]
    assert row["interval"] == [one.interval.low, one.interval.high]
    assert row["margin_interval"] == [one.within.low, one.within.high]
    assert (row["name"], row["p"], row["adjusted_p"], row["verdict"]) == ("EER", one.p, one.adjusted_p, one.verdict)
    assert row["sentence"].startswith("B is ")


def test_undefined_numbers_are_null_in_json_and_csv(tmp_path):
    empty = [replace(one, nonmated=one.nonmated[:0], nonmated_ids=None) for one in systems()]
    found = compare_systems(empty, ["EER"], settings=SETTINGS)
    row = json.loads(compared_json(found, SETTINGS, mode="verification"))["pairs"][0]["measures"][0]
    assert (row["first"], row["interval"], row["p"]) == (None, None, None)
    assert "no non-mated scores" in row["reason"]
    [path] = write_frames([("", {"comparison": compared_frame(found)})], tmp_path / "out")
    assert path.name == "comparison.csv"
    assert pl.read_csv(path)["low"].to_list() == [None]


def test_csv_has_one_row_a_pair_and_measure(tmp_path):
    found = compare_systems(systems(), ["EER", "AUC"], settings=SETTINGS)
    [path] = write_frames([("", {"comparison": compared_frame(found)})], tmp_path)
    frame = pl.read_csv(path)
    assert frame["name"].to_list() == ["EER", "AUC"]
    assert frame["second_system"].to_list() == ["B", "B"]
    for row, one in zip(frame.rows(named=True), found[0].differences, strict=True):
        assert math.isclose(row["difference"], one.difference)
        assert math.isclose(row["low"], one.interval.low)
        assert row["verdict"] == one.verdict
