"""`verify --discard` and `verify --people`: what is printed, written and refused. SPEC R2, R4."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from jsonschema import Draft202012Validator

import bertillon as bt

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((ROOT / "docs" / "schema" / "bertillon-1.json").read_text())
QUALITIES = "quality_probe,quality_reference"
QUICK = ("--no-intervals", "-m", "EER")


@pytest.fixture
def border(tmp_path: Path) -> Path:
    return Path(shutil.copy(ROOT / "examples" / "border.csv", tmp_path))


def test_r2_r4_everything_is_written_and_follows_the_schema(bertillon, border) -> None:
    """SPEC R2, R4: one command gives tables, JSON, CSV and figures, and all of them the numbers of the library."""
    wanted = ("--json", "out.json", "--csv", "csv", "--figures", "figures", "--figure-format", "png")
    ran = bertillon("verify", border, *QUICK, "--discard", QUALITIES, "--people", *wanted)
    assert ran.code == 0, ran.err
    document = json.loads(Path("out.json").read_text(), parse_constant=pytest.fail)
    assert list(Draft202012Validator(PUBLISHED).iter_errors(document)) == []

    scores, frame = bt.read_scores(border), pl.read_csv(border)
    own = frame.filter(frame["probe_subject"] == frame["reference_subject"])
    threshold = bt.evaluate(scores, "EER")["EER"].threshold
    curve = bt.analysis.error_discard(scores, own["quality_probe"], other=own["quality_reference"], threshold=threshold)
    told = document["discard"]["curves"][0]
    assert (document["discard"]["columns"], told["kind"]) == (QUALITIES.split(","), "FNMR")
    assert told["area"] == pytest.approx(curve.partial_area(0.2))
    assert told["difference"] == pytest.approx(told["area"] - told["best"])
    assert [step["error"] for step in told["steps"]] == [curve.error[curve.row_at(x)] for x in (0, 0.05, 0.1, 0.2)]
    written = pl.read_csv("csv/discard.csv")
    assert written.filter(written["kind"] == "FNMR")["errors"].to_list() == curve.errors.tolist()

    zoo = bt.analysis.menagerie(scores, threshold=threshold)
    assert document["people"]["most_extreme"]["goat"] == zoo["goat"][:5]
    people = pl.read_csv("csv/people.csv")
    assert people.filter(people["wolf"])["subject"].to_list() == sorted(zoo["wolf"])
    assert Path("figures/discard.png").stat().st_size > 5_000
    assert Path("figures/menagerie.png").stat().st_size > 5_000


def test_r2_r4_the_terminal_says_how_much_is_left_and_who_they_are(bertillon, border) -> None:
    ran = bertillon("verify", border, *QUICK, "--discard", QUALITIES, "--people")
    assert "by the lowest of quality_probe and quality_reference" in " ".join(ran.out.split())
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["FNMR", "0", "%", "4", "%", "24", "of", "600", "19"] in lines
    assert ["FNMR", "20", "%", "0.616", "%", "3", "of", "487", "49"] in lines
    assert ["doves", "10", "3.75", "yes", "p", "=", "0.00029"] in lines
    assert any(" ".join(line).startswith("goats 18 62.5 % of false non-matches yes") for line in lines)
    assert "raises the" not in ran.out


def test_r2_r4_nothing_is_said_where_nobody_asked(bertillon, border) -> None:
    ran = bertillon("verify", border, *QUICK, "--json", "out.json", "--csv", "csv")
    assert "discarded" not in ran.out
    assert "goats" not in ran.out
    assert not {"discard", "people"} & set(json.loads(Path("out.json").read_text()))
    assert not list(Path("csv").glob("*discard*"))


def test_r2_a_quality_the_wrong_way_round_is_warned_of(bertillon, border) -> None:
    frame = pl.read_csv(border).with_columns(nfiq=-pl.min_horizontal("quality_probe", "quality_reference"))
    frame.write_csv("wrong.csv")
    ran = bertillon("verify", "wrong.csv", *QUICK, "--discard", "nfiq")
    assert "! Discarding low quality raises the FNMR." in ran.out


def test_r2_r4_several_systems_and_distances(bertillon, border) -> None:
    pl.read_csv(border).with_columns(score=1 - pl.col("score")).rename({"score": "distance"}).write_csv("far.csv")
    ran = bertillon("verify", border, "far.csv", *QUICK, "--discard", QUALITIES, "--people", "--csv", "csv")
    assert ran.code == 0, ran.err
    near, far = (pl.read_csv(f"csv/{name}-people.csv") for name in ("1-border.csv", "2-far.csv"))
    animals = ["goat", "lamb", "wolf", "dove", "worm"]
    assert near.select(animals).equals(far.select(animals))
    one, other = (pl.read_csv(f"csv/{name}-discard.csv") for name in ("1-border.csv", "2-far.csv"))
    assert one["errors"].to_list() == other["errors"].to_list()


def test_r2_the_quality_of_templates(bertillon, tmp_path) -> None:
    """A column of the templates' metadata; the worse of two counts."""
    rng = np.random.default_rng(1)
    subject, quality = np.repeat(np.arange(20), 4), rng.random(80)
    vectors = rng.normal(size=(20, 16))[subject] + (1.6 - quality[:, None]) * rng.normal(size=(80, 16))
    np.savez("faces.npz", embeddings=vectors, subject=subject, quality=quality)
    ran = bertillon("verify", "faces.npz", *QUICK, "--discard", "quality", "--json", "out.json")
    assert ran.code == 0, ran.err
    steps = json.loads(Path("out.json").read_text())["discard"]["curves"][0]["steps"]
    assert steps[3]["error"] < steps[0]["error"]
    assert bertillon("verify", "faces.npz", *QUICK, "--discard", "quality,session").code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["border.csv", "--discard", "quality"], "quality column 'quality' is unknown; did you mean 'quality_probe'?"),
        (["border.csv", "--discard", "quality_probe,"], "has an empty name"),
        (["border.csv", "--discard", "probe_subject"], "row 1 has probe_subject 't00'; expected a number"),
        (["genuine.txt", "impostor.txt", "--discard", "q"], "--discard needs the qualities beside the scores"),
        (["genuine.txt", "impostor.txt", "--people"], "nobody knows who was compared in the mated comparisons"),
        (["border.csv", "--stream", "--people"], "scores were counted, not kept, and --people needs them"),
        (["faces.npz", "--discard", "quality"], "has no metadata, so no quality of a template"),
        (["faces.npz", "--people", "--checkpoint", "kept"], "--people needs every score"),
        (["faces.npz", "--discard", "quality", "--checkpoint", "kept"], "--discard needs every score"),
    ],
)
def test_bad_input_is_said(bertillon, tmp_path, arguments, said) -> None:
    for name in ("border.csv", "genuine.txt", "impostor.txt", "faces.npz"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    ran = bertillon("verify", *arguments, *QUICK)
    assert ran.code == 2
    assert said in " ".join(ran.err.split())
