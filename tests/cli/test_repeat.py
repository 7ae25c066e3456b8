"""`bertillon repeat`: many partitions, their mean, spread and each run. SPEC P7."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def embeddings(tmp_path: Path) -> Path:
    """20 people with 3 noisy vectors each."""
    rng = np.random.default_rng(7)
    subject = np.repeat(np.arange(20), 3)
    vectors = rng.normal(size=(20, 8))[subject] + 0.9 * rng.normal(size=(60, 8))
    path = tmp_path / "faces.npz"
    np.savez(path, embeddings=vectors, subject=subject)
    return path


def test_p7_mean_spread_and_each_run_by_hand(bertillon, embeddings: Path) -> None:
    """SPEC P7: repeat over many random partitions; report mean, spread and each run."""
    ran = bertillon("repeat", embeddings, "--runs", 6, "--leave-out", 0.3, "-m", "RR", "--json", "-")
    answer = json.loads(ran.out)
    rank_one = answer["measures"][0]
    each = [run["measures"][0]["value"] for run in answer["each"]]
    assert (answer["mode"], answer["runs"], rank_one["name"]) == ("identification", 6, "RR")
    assert rank_one["values"] == each
    assert rank_one["mean"] == pytest.approx(statistics.mean(each), abs=1e-15)
    assert rank_one["sd"] == pytest.approx(statistics.stdev(each), abs=1e-15)
    assert len(set(each)) > 1, "the partitions should differ"


def test_p7_runs_are_those_of_a_split_written_to_a_file(bertillon, embeddings: Path, tmp_path: Path) -> None:
    """SPEC P7: others can repeat the runs from the table of partitions."""
    options = ("--leave-out", 0.3, "--seed", 5)
    drawn = bertillon("repeat", embeddings, "--runs", 3, *options, "-m", "RR", "--json", "-")
    assert bertillon("split", embeddings, "--runs", 3, *options, "-o", "runs.csv").code == 0
    read = bertillon("repeat", embeddings, "--partition", "runs.csv", "-m", "RR", "--json", "-")
    assert json.loads(read.out)["measures"] == json.loads(drawn.out)["measures"]
    wrong = bertillon("repeat", embeddings, "--partition", "runs.csv", "--runs", 4)
    assert wrong.code == 2
    assert "3 partitions and --runs 4" in wrong.err


def test_verification_over_runs_is_shown_with_every_value(bertillon, embeddings: Path, tmp_path: Path) -> None:
    ran = bertillon("repeat", embeddings, "--mode", "verification", "--runs", 2, "-m", "EER", "--csv", "runs.csv")
    frame = pl.read_csv(tmp_path / "runs.csv")
    assert ran.code == 0
    assert frame["run"].to_list() == [0, 1]
    for value in frame["value"]:
        assert f"{value * 100:.4g}" in ran.out.replace("\u00a0", " ")
    assert "Over 2 runs" in ran.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--mode", "clustering"), "expected verification or identification"),
        (("--runs", 0), "runs"),
        (("-m", "minDCF"), "minDCF"),
        (("--leave-out", 2), "leave_out"),
    ],
)
def test_what_cannot_be_is_said(bertillon, embeddings: Path, options: tuple[object, ...], said: str) -> None:
    ran = bertillon("repeat", embeddings, *options)
    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err
