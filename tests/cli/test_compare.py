"""`bertillon compare` as a user meets it. SPEC U2, V13."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

FEW = ("--resamples", "199")


def write(
    path: Path, gain: float, seed: int, *, order=None, drop: int = 0, distance: bool = False, ids: bool = True
) -> Path:
    """A table of 40 people, each twice with himself and with ten others; `seed` draws what is the system's own."""
    shared, own = np.random.default_rng(99), np.random.default_rng(seed)
    n = 40
    me = np.repeat(np.arange(n), 2)
    probe = np.r_[me, np.repeat(np.arange(n), 10)]
    reference = np.r_[me, (np.repeat(np.arange(n), 10) + np.tile(np.arange(1, 11), n)) % n]
    mated = probe == reference
    score = shared.normal(0, 1, probe.size) + own.normal(0, 0.2, probe.size) + mated * (2.5 + gain)
    frame = pl.DataFrame(
        {
            "probe": [f"p{p}-{k}" for k, p in enumerate(probe)],
            "reference": [f"r{r}" for r in reference],
            "probe_subject": [f"s{p}" for p in probe],
            "reference_subject": [f"s{r}" for r in reference],
            "label": mated.astype(int),
            "distance" if distance else "score": -score if distance else score,
            "fold": np.arange(probe.size) % 5,
        }
    )
    frame = frame if ids else frame[["label", frame.columns[5]]]
    if order is not None:
        frame = frame[np.random.default_rng(order).permutation(frame.height)]
    frame[: frame.height - drop].write_csv(path)
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A system, one just as good, and one that is worse."""
    return write(tmp_path / "a.csv", 0, 1), write(tmp_path / "alike.csv", 0, 2), write(tmp_path / "worse.csv", -2, 3)


def pairs(ran) -> list[dict]:
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["pairs"]


def test_the_example_of_the_issue_in_words(bertillon, files) -> None:
    """A worse system is called worse, one just as good is not."""
    asked = ("-m", "EER", "-m", "FNMR@FMR=1e-1", "--paired-by", "probe,reference", "--margin", "0.2")
    ran = bertillon("compare", *files, *asked, *FEW, "--explain")
    assert ran.code == 0, ran.err
    flat = " ".join(ran.out.split())
    assert "alike.csv is equivalent to a.csv within the margin: EER" in flat
    assert "worse.csv is worse than a.csv: EER" in flat
    assert "alike.csv is equivalent to a.csv within 20 points: EER" in flat
    assert "480 trials in common, paired by probe and reference" in flat
    assert "199 resamples of 40 subjects, seed 0" in flat


def test_a_margin_is_answered_beside_a_ranking(bertillon, files) -> None:
    asked = ("-m", "EER", "--paired-by", "probe,reference", "--all-pairs", *FEW)
    flat = " ".join(bertillon("compare", *files, *asked, "--margin", "0.2").out.split())
    assert "alike.csv is equivalent to a.csv within the margin: EER" in flat
    assert "within the margin" not in bertillon("compare", *files, *asked).out


def test_json_holds_every_pair_and_measure(bertillon, files) -> None:
    found = pairs(bertillon("compare", *files, "-m", "EER", "-m", "AUC", *FEW, "--json", "-"))
    assert [(pair["first"], pair["second"]) for pair in found] == [("a.csv", "alike.csv"), ("a.csv", "worse.csv")]
    verify = json.loads(bertillon("verify", files[0], "-m", "EER", "--json", "-").out)
    assert found[0]["measures"][0]["first"] == verify["measures"][0]["value"]
    every = pairs(bertillon("compare", *files, "-m", "EER", *FEW, "--all-pairs", "--json", "-"))
    assert [(pair["first"], pair["second"]) for pair in every][-1] == ("alike.csv", "worse.csv")


def test_files_are_written(bertillon, files, tmp_path) -> None:
    ran = bertillon("compare", *files[:2], "-m", "EER", *FEW, "--json", "out.json", "--csv", "out")
    assert ran.code == 0, ran.err
    assert json.loads((tmp_path / "out.json").read_text())["tests"] == 1
    assert pl.read_csv(tmp_path / "out" / "comparison.csv").height == 1
    assert "JSON written to out.json" in ran.out
    assert "1 CSV file written to out" in ran.out


def test_the_same_seed_gives_the_same_words(bertillon, files) -> None:
    first, again, other = (bertillon("compare", *files, "-m", "EER", *FEW, "--seed", seed).out for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_rows_in_another_order_and_missing_rows(bertillon, files, tmp_path) -> None:
    mixed = write(tmp_path / "mixed.csv", 0, 2, order=4)
    plain, shuffled = (
        pairs(bertillon("compare", files[0], b, "-m", "EER", *FEW, "--json", "-"))[0] for b in (files[1], mixed)
    )
    assert plain["measures"][0]["interval"] == shuffled["measures"][0]["interval"]
    short = write(tmp_path / "short.csv", 0, 2, drop=7)
    found = pairs(bertillon("compare", files[0], short, "-m", "EER", *FEW, "--json", "-"))[0]
    assert found["trials"] == 473
    assert found["notes"] == [
        "7 comparisons of a.csv (0 mated, 7 non-mated) have no score in short.csv and are left out."
    ]


def test_a_distance_beside_a_similarity(bertillon, files, tmp_path) -> None:
    turned = write(tmp_path / "turned.csv", 0, 2, distance=True)
    plain, mixed = (
        pairs(bertillon("compare", files[0], b, "-m", "EER", *FEW, "--json", "-"))[0] for b in (files[1], turned)
    )
    assert mixed["measures"][0]["difference"] == pytest.approx(plain["measures"][0]["difference"])
    assert mixed["measures"][0]["p"] == plain["measures"][0]["p"]


def test_identical_systems(bertillon, files) -> None:
    ran = bertillon("compare", files[0], files[0], "-m", "EER", *FEW, "--fail-if-worse")
    assert ran.code == 0, ran.err
    assert "a.csv (1) and a.csv (2) give identical scores" in ran.out


def test_files_of_one_name_are_with_distinct_names_by_their_folders(bertillon, tmp_path) -> None:
    for number, folder in enumerate(("old", "new")):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / "scores.csv", 0, number)
    ran = bertillon("compare", "old/scores.csv", "new/scores.csv", "-m", "EER", *FEW)
    assert "new/scores.csv against old/scores.csv" in ran.out
    named = bertillon("compare", "old/scores.csv", "new/scores.csv", "-m", "EER", *FEW, "--name", "v1", "--name", "v2")
    assert "v2 against v1" in named.out


def test_fail_if_worse(bertillon, files) -> None:
    """Exit code 1 for a worse system and the answer all the same; 0 for one just as good."""
    ran = bertillon("compare", files[0], files[2], "-m", "EER", *FEW, "--fail-if-worse")
    assert ran.code == 1
    assert ran.err.startswith("failed: worse.csv is worse than a.csv: EER")
    assert "worse.csv is worse than a.csv" in ran.out
    assert bertillon("compare", *files[:2], "-m", "EER", *FEW, "--fail-if-worse").code == 0
    assert bertillon("compare", files[2], files[0], "-m", "EER", *FEW, "--fail-if-worse").code == 0
    assert bertillon("compare", files[0], files[2], "-m", "EER", *FEW).code == 0


def test_fail_if_worse_with_a_margin_asks_for_proof(bertillon, files) -> None:
    """Not being significantly worse is not enough: that it is not worse by the margin must be shown."""
    strict = bertillon("compare", *files[:2], "-m", "EER", *FEW, "--fail-if-worse", "--margin", "0.001")
    assert strict.code == 1
    assert "is not shown to be no worse than a.csv by 0.1 points" in strict.err
    assert bertillon("compare", *files[:2], "-m", "EER", *FEW, "--fail-if-worse", "--margin", "0.2").code == 0


def test_fail_if_worse_is_about_the_first_system(bertillon, files, tmp_path) -> None:
    """Of every pair, those without the first do not count: the third is worse than the second alone."""
    third = write(tmp_path / "third.csv", -2, 4)
    ran = bertillon("compare", files[2], files[0], third, "-m", "EER", *FEW, "--fail-if-worse", "--all-pairs")
    assert ran.code == 0, ran.err
    [row] = [line.split() for line in ran.out.splitlines() if line.startswith("third.csv ")]
    assert row[-1] != "a", "it shares no group with the best"


def test_unpaired_systems_are_said_to_be(bertillon, files, tmp_path) -> None:
    plain = write(tmp_path / "plain.csv", 0, 2, ids=False, drop=3)
    refused = bertillon("compare", files[0], plain, "-m", "EER", *FEW)
    assert refused.code == 2
    assert "--unpaired" in refused.err
    ran = bertillon("compare", files[0], plain, "-m", "EER", *FEW, "--unpaired")
    assert ran.code == 0, ran.err
    assert "! The systems are unpaired: a paired test would detect smaller differences." in ran.out
    ran = bertillon("compare", files[0], plain, "-m", "EER", *FEW, "--unpaired", "--explain")
    assert "Not paired: each system is resampled on its own" in ran.out
    assert "! The systems are compared as unpaired" in ran.out


def test_without_ids_rows_are_aligned_and_the_answer_is_called_naive(bertillon, tmp_path) -> None:
    for number, name in enumerate(("a.csv", "b.csv")):
        write(tmp_path / name, 0, number, ids=False)
    ran = bertillon("compare", "a.csv", "b.csv", "-m", "EER", *FEW)
    assert ran.code == 0, ran.err
    flat = " ".join(ran.out.split())
    assert "Scores are aligned row by row, mated and non-mated separately, because neither system has IDs." in flat
    assert "! No subject IDs: intervals and p values may be too small (--explain)." in flat
    explained = bertillon("compare", "a.csv", "b.csv", "-m", "EER", *FEW, "--explain").out
    assert "! Resampling unit: comparisons treated as independent (no subject IDs)" in explained


def test_folds(bertillon, files) -> None:
    ran = bertillon("compare", *files, "-m", "EER", *FEW, "--folds")
    assert "worse.csv is worse than a.csv: accuracy over 5 folds" in " ".join(ran.out.split())
    found = pairs(bertillon("compare", *files, "-m", "EER", *FEW, "--folds", "--json", "-"))
    assert found[1]["folds"]["folds"] == 5
    assert found[1]["folds"]["p"] < 0.05
    assert found[1]["folds"]["interval"][1] < 0


def test_matrices_as_searches(bertillon, tmp_path) -> None:
    rng = np.random.default_rng(3)
    shared = rng.normal(0, 1, (30, 30))
    for name, gain in (("a", 1.0), ("b", 4.0)):
        cells = shared + rng.normal(0, 0.3, (30, 30)) + gain * np.eye(30)
        rows = [f"s{i}," + ",".join(f"{x:.4f}" for x in row) for i, row in enumerate(cells)]
        header = "," + ",".join(f"s{i}" for i in range(30))
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *rows]) + "\n")
    ran = bertillon("compare", "a.csv", "b.csv", "--mode", "identification", *FEW, "--explain")
    assert ran.code == 0, ran.err
    assert "b.csv is better than a.csv: RR" in ran.out
    assert "30 subjects" in ran.out
    assert bertillon("compare", "a.csv", "b.csv", "-m", "EER", *FEW).code == 0


def test_predictions(bertillon, tmp_path) -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    for name, share in (("a", 0.7), ("b", 0.95)):
        p = np.where(rng.random(200) < share, truth, 1 - truth) * 0.6 + 0.4 * rng.random(200)
        lines = [f"{'yes' if y else 'no'},{x:.4f}" for y, x in zip(truth, p, strict=True)]
        (tmp_path / f"{name}.csv").write_text("y_true,p\n" + "\n".join(lines) + "\n")
    asked = ("compare", "a.csv", "b.csv", "--mode", "classification", *FEW)
    ran = bertillon(*asked, "--positive", "yes")
    assert ran.code == 0, ran.err
    assert "b.csv is better than a.csv: Accuracy, AUC." in ran.out
    refused = bertillon(*asked)
    assert refused.code == 2
    assert "--positive" in refused.err


WRONG = {
    "one system": (["a.csv"], "1 system to compare"),
    "unknown measure": (["a.csv", "b.csv", "-m", "ERR"], "unknown measure 'ERR'"),
    "a measure of another mode": (["a.csv", "b.csv", "-m", "RR"], "unknown measure 'RR'"),
    "margin": (["a.csv", "b.csv", "--margin", "0"], "margin is 0.0"),
    "level": (["a.csv", "b.csv", "--level", "1.5"], "level is 1.5"),
    "resamples": (["a.csv", "b.csv", "--resamples", "1"], "resamples is 1"),
    "few resamples": (["a.csv", "b.csv", "--resamples", "50", "--level", "0.99"], "expected 99 or more"),
    "seed": (["a.csv", "b.csv", "--seed", "-1"], "seed is -1"),
    "paired by what": (["a.csv", "b.csv", "--paired-by", "person"], "paired by person"),
    "paired and not": (["a.csv", "b.csv", "--paired-by", "row", "--unpaired"], "exclude each other"),
    "both rules": (["a.csv", "b.csv", "--distance", "--similarity"], "exclude each other"),
    "labels": (["a.csv", "b.csv", "--name", "x"], "1 names for 2 systems"),
    "no file": (["a.csv", "absent.csv"], "absent.csv"),
    "positive of what": (["a.csv", "b.csv", "--positive", "1"], "--mode classification"),
    "option of another mode": (
        ["a.csv", "b.csv", "--mode", "classification", "--distance"],
        "--distance means nothing",
    ),
    "folds of searches": (["a.csv", "b.csv", "--mode", "classification", "--folds", "-m", "Accuracy"], "--folds"),
    "no way is better": (
        ["a.csv", "b.csv", "--mode", "classification", "-m", "Prevalence", "--fail-if-worse"],
        "whether Prevalence is better high or low",
    ),
    "one class only": (["a.csv", "mated.csv"], "mated.csv: no non-mated (impostor) scores"),
    "nothing in common": (
        ["a.csv", "other.csv"],
        "no comparison in common by probe and reference: a.csv has probe p0-0",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said(bertillon, tmp_path: Path, case: str) -> None:
    a = write(tmp_path / "a.csv", 0, 1)
    write(tmp_path / "b.csv", 0, 2)
    frame = pl.read_csv(a)
    frame.filter(pl.col("label") == 1).write_csv(tmp_path / "mated.csv")
    frame.with_columns(probe=pl.lit("x") + pl.col("probe")).write_csv(tmp_path / "other.csv")
    arguments, message = WRONG[case]
    ran = bertillon("compare", *arguments, "--json", "out.json")
    assert ran.code == 2, ran.out
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert not (tmp_path / "out.json").exists()


def test_a_reversed_system_and_a_target_out_of_reach_are_warned_of(bertillon, files, tmp_path) -> None:
    turned = tmp_path / "turned.csv"
    pl.read_csv(files[0]).with_columns(score=-pl.col("score")).write_csv(turned)
    asked = ("compare", files[0], turned, "-m", "EER", "-m", "FNMR@FMR=0.001", *FEW)
    flat = " ".join(bertillon(*asked).out.split())
    assert "! turned.csv: AUC is below 0.5: distances (--distance, distance=True), or classes swapped?" in flat
    assert "! a.csv: FMR 0.001 needs 3,000 non-mated comparisons" in flat
    explained = " ".join(bertillon(*asked, "--explain").out.split())
    assert "! a.csv: FMR 0.001 needs at least 3,000 independent" in explained


@pytest.mark.realdata
def test_bssr1_gives_sensible_sentences(bertillon, real_data: Path) -> None:
    """The left finger is worse than face C at the EER; face G is at a false match rate of 0.1 %, not at the EER."""
    names = ("face-C", "face-G", "finger-left", "finger-right")
    paths = [real_data / "bssr1" / f"{name}.csv.gz" for name in names]
    found = pairs(bertillon("compare", *paths, "-m", "EER", "-m", "FNMR@FMR=1e-3", "--json", "-"))
    assert {pair["aligned"] for pair in found} == {"by probe's subject and reference's subject"}
    assert {(pair["trials"], pair["units"], pair["naive"]) for pair in found} == {(517 * 517, 517, False)}
    verdicts = {pair["second"]: [row["verdict"] for row in pair["measures"]] for pair in found}
    assert verdicts["face-G.csv.gz"] == ["not distinguishable", "worse"]
    assert verdicts["finger-left.csv.gz"] == ["worse", "not distinguishable"]
    assert verdicts["finger-right.csv.gz"][0] == "not distinguishable"


@pytest.mark.realdata
def test_lfw_folds_against_noise(bertillon, real_data: Path, tmp_path: Path) -> None:
    """The distances of LFW with some noise added are worse, by the EER and over folds, and fail the check."""
    pairs_file = real_data / "lfw_dlib" / "pairs.csv"
    frame = pl.read_csv(pairs_file)
    noise = np.random.default_rng(3).normal(0, 0.05, frame.height)
    frame.with_columns(distance=pl.col("distance") + pl.Series(noise)).write_csv(tmp_path / "noisy.csv")
    ran = bertillon("compare", pairs_file, "noisy.csv", "-m", "EER", "--folds", "--fail-if-worse", "--explain")
    flat = " ".join(ran.out.split())
    assert ran.code == 1
    assert "6,000 trials in common, paired by probe and reference" in flat
    assert "noisy.csv is worse than pairs.csv: EER" in flat
    assert "noisy.csv is worse than pairs.csv: accuracy over 10 folds" in flat


def test_where_every_pair_was_tested_the_systems_stand_in_order_with_their_groups(bertillon, files) -> None:
    ran = bertillon("compare", *files, "-m", "EER", *FEW, "--all-pairs")
    assert ran.code == 0, ran.err
    flat = " ".join(ran.out.split())
    assert "cannot be distinguished as the best: EER." in flat
    rows = [line.split() for line in ran.out.splitlines() if line.startswith(("a.csv ", "alike.csv ", "worse.csv "))]
    assert {row[0]: row[-1] for row in rows} == {"a.csv": "a", "alike.csv": "a", "worse.csv": "b"}
    assert "against" not in flat  # pairs are behind it
    explained = " ".join(bertillon("compare", *files, "-m", "EER", *FEW, "--all-pairs", "--explain").out.split())
    assert "worse.csv is worse than alike.csv: EER" in explained
