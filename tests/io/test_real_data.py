"""The real data sets read as what they are; the counts are those of their description."""

from __future__ import annotations

import numpy as np
import pytest

from bertillon.core import AcceptRule
from bertillon.io import read, sniff

pytestmark = pytest.mark.realdata


def test_ru2009(real_data):
    table = read(real_data / "ru2009" / "ru.2009.table.gz")
    assert table.format == "tsv"
    assert len(table) == 24_852
    assert table.frame["mated"].sum() == 15_252
    assert {"probe", "reference", "gender", "mcond", "channel"} <= set(table.frame.columns)
    assert not table.frame["score"].is_nan().any()


def test_voxsrc2021(real_data):
    trials = read(real_data / "voxsrc2021" / "trials.txt.gz")
    scores = read(real_data / "voxsrc2021" / "scores.txt.gz")
    assert (trials.format, scores.format) == ("voxceleb-trials", "voxceleb-scores")
    assert len(trials) == len(scores) == 60_000
    assert trials.frame["mated"].sum() == 29_969
    assert scores.frame["score"].n_unique() == 451
    assert scores.frame.join(trials.frame, on=["probe", "reference"]).height >= 60_000


@pytest.mark.parametrize("name", ["face-C", "face-G", "finger-left", "finger-right"])
def test_bssr1(real_data, name):
    path = real_data / "bssr1" / f"{name}.csv.gz"
    assert sniff(path) == "matrix"
    matrix = read(path)
    assert matrix.scores.shape == (517, 517)
    assert matrix.probe_subject.tolist() == matrix.reference_subject.tolist()
    assert int((matrix.scores == -1).sum()) == (517 if name == "face-C" else 0)
    alone_on_top = (matrix.scores >= np.diag(matrix.scores)[:, None]).sum(axis=1) == 1
    assert alone_on_top.mean() == pytest.approx(
        {"face-C": 0.8839, "face-G": 0.8569, "finger-left": 0.8588, "finger-right": 0.9304}[name], abs=1e-4
    )


def test_lfw_pairs(real_data):
    table = read(real_data / "lfw_dlib" / "pairs.csv")
    assert table.format == "csv"
    assert table.rule is AcceptRule.DISTANCE
    assert len(table) == 6000
    assert table.frame["mated"].sum() == 3000
    assert table.frame["fold"].n_unique() == 10
    assert table.frame["probe_quality"].dtype.is_float()
