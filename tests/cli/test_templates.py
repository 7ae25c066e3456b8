"""Templates on the command line: identify, modes, match, split, verify. SPEC P1-P6, T3, T5, O6."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bertillon as bt
from bertillon.evaluation import LIMITS


@pytest.fixture
def embeddings(tmp_path: Path) -> Path:
    """30 people with 4 noisy vectors each."""
    rng = np.random.default_rng(7)
    subject = np.repeat(np.arange(30), 4)
    vectors = (rng.normal(size=(30, 16))[subject] + 0.8 * rng.normal(size=(120, 16))).astype(np.float32)
    path = tmp_path / "faces.npz"
    np.savez(path, embeddings=vectors, subject=subject)
    return path


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    """Three people; the second is taken for the first."""
    path = tmp_path / "matrix.csv"
    path.write_text(",ann,bob,eve\nann,0.9,0.2,0.1\nbob,0.7,0.6,0.3\neve,0.2,0.1,0.8\n")
    return path


def named(ran, key: str = "measures") -> dict[str, dict]:
    assert ran.code == 0, ran.err
    return {row["name"]: row for row in json.loads(ran.out)[key]}


def test_a_square_matrix_is_taken_as_it_is_by_hand(bertillon, matrix: Path) -> None:
    found = named(bertillon("identify", matrix, "-m", "RR", "-m", "CMS@2", "--json", "-"))
    assert found["RR"]["value"] == pytest.approx(2 / 3)
    assert found["CMS@2"]["value"] == 1.0
    verified = named(bertillon("verify", matrix, "-m", "EER", "--json", "-"))
    assert verified["EER"]["value"] == pytest.approx(1 / 3, abs=1 / 3)


def test_identify_templates_with_people_left_out(bertillon, embeddings: Path) -> None:
    ran = bertillon("identify", embeddings, "--leave-out", 0.3, "--json", "-")
    answer = json.loads(ran.out)
    assert answer["mode"] == "identification"
    assert answer["counts"] == {"enrolled": 63, "nonenrolled": 36, "failed": 0, "gallery": 21}
    assert {"RR", "DIR@FPIR=0.01,k=1", "EERopen"} <= set(named(ran))


def test_o6_regions_are_shown_and_written(bertillon, embeddings: Path) -> None:
    """SPEC O6: five regions with alarms and hours a day."""
    options = ("--leave-out", 0.3, "--volume", "passers=100000,minutes=15,on_list=0.001")
    regions = json.loads(bertillon("identify", embeddings, *options, "--json", "-").out)["regions"]
    assert len(regions) == 5
    for region in regions:
        if region["fpir"] is not None:
            alarms = region["fpir"] * 100_000 * 0.999
            assert region["load"]["false_alarms"] == pytest.approx(alarms)
            assert region["load"]["hours"] == pytest.approx(alarms / 4)
    assert "operating regions" in bertillon("identify", embeddings, *options).out


def test_the_three_modes_in_one_command(bertillon, embeddings: Path, tmp_path: Path) -> None:
    ran = bertillon("modes", embeddings, "--figures", tmp_path / "out")
    assert ran.code == 0
    for title in ("Verification", "Open set: some probes are not enrolled", "Closed set: enrolled probes only"):
        assert title in ran.out
    assert {"roc.png", "cmc.png", "watch-list.png"} <= {path.name for path in (tmp_path / "out").iterdir()}
    both = json.loads(bertillon("modes", embeddings, "--json", "-").out)
    assert both["verification"]["counts"] == {"mated": 360, "nonmated": 13_920, "failed": 0}
    assert both["identification"]["counts"]["enrolled"] == 120


def test_p5_all_against_all_of_templates_by_formula(bertillon, embeddings: Path) -> None:
    """SPEC P5: |G| (S-1) = 120 * 3 and |G| (N-1) S = 120 * 29 * 4; with groups |G| and |G| (N-1)."""
    single = json.loads(bertillon("verify", embeddings, "-m", "EER", "--json", "-").out)["counts"]
    multiple = json.loads(bertillon("verify", embeddings, "--multiple", "-m", "EER", "--json", "-").out)["counts"]
    assert (single["mated"], single["nonmated"]) == (360, 13_920)
    assert (multiple["mated"], multiple["nonmated"]) == (120, 3_480)


def test_what_will_be_done_is_said(bertillon, embeddings: Path) -> None:
    ran = bertillon("verify", embeddings, "--matcher", "euclidean", "-m", "EER")
    assert "Matcher: euclidean, a distance" in ran.out
    ran = bertillon("verify", embeddings, "--matcher", "euclidean", "-m", "EER", "--explain")
    assert "never with itself" in ran.out
    assert "Matcher: euclidean, a distance" in ran.out
    assert "distance: accepted when score <= threshold" in ran.out


def test_split_writes_a_partition_that_can_be_repeated(bertillon, embeddings: Path) -> None:
    ran = bertillon("split", embeddings, "--leave-out", 0.3, "--seed", 5, "-o", "p.csv")
    assert ran.code == 0, ran.err
    again = bertillon("split", embeddings, "--leave-out", 0.3, "--seed", 5, "-o", "q.csv")
    assert again.code == 0
    assert Path("p.csv").read_bytes() == Path("q.csv").read_bytes()
    roles = pl.read_csv("p.csv")["role"].value_counts()
    assert dict(roles.iter_rows()) == {"gallery": 21, "probe": 99}
    used = bertillon("identify", embeddings, "--partition", "p.csv", "--json", "-")
    assert json.loads(used.out)["counts"]["gallery"] == 21


def test_split_by_subject_shares_nobody(bertillon, embeddings: Path) -> None:
    assert bertillon("split", embeddings, "--train", 0.7, "-o", "p.csv").code == 0
    table = pl.read_csv("p.csv")
    sides = [set(table.filter(pl.col("role") == role)["subject"]) for role in ("train", "test")]
    assert sides[0].isdisjoint(sides[1])
    assert (len(sides[0]), len(sides[1])) == (21, 9)


def test_match_writes_scores_that_verify_reads_back(bertillon, embeddings: Path) -> None:
    assert bertillon("match", embeddings, "--matcher", "euclidean", "-o", "scores.parquet").code == 0
    direct = named(bertillon("verify", embeddings, "--matcher", "euclidean", "-m", "EER", "-m", "AUC", "--json", "-"))
    reread = named(bertillon("verify", "scores.parquet", "-m", "EER", "-m", "AUC", "--json", "-"))
    assert reread["EER"]["value"] == pytest.approx(direct["EER"]["value"])
    assert reread["AUC"]["value"] == pytest.approx(direct["AUC"]["value"])
    assert bt.read_scores("scores.parquet").rule is bt.AcceptRule.DISTANCE


def test_gallery_and_probes_from_two_files(bertillon, tmp_path: Path) -> None:
    np.savez(tmp_path / "gallery.npz", embeddings=np.eye(3, dtype=np.float32), subject=["a", "b", "c"])
    probes = np.array([[0.9, 0.1, 0], [0, 1, 0.2], [0, 0.1, 1], [1, 1, 1]], dtype=np.float32)
    np.savez(tmp_path / "probes.npz", embeddings=probes, subject=["a", "b", "c", "z"])
    ran = bertillon("identify", "probes.npz", "--gallery", "gallery.npz", "--json", "-")
    assert json.loads(ran.out)["counts"] == {"enrolled": 3, "nonenrolled": 1, "failed": 0, "gallery": 3}
    assert named(ran)["RR"]["value"] == 1.0


def test_counting_in_tiles_gives_the_kept_numbers(bertillon, embeddings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = named(bertillon("verify", embeddings, "--json", "-"))
    monkeypatch.setattr(LIMITS, "kept_comparisons", 0)
    counted = named(bertillon("verify", embeddings, "--json", "-"))
    for name, row in kept.items():
        assert counted[name]["value"] == pytest.approx(row["value"], abs=1e-6), name
    shown = bertillon("verify", embeddings, "-m", "FMR@t=0.5", "-m", "Cllr", "--figures", "out", "--csv", "out")
    assert shown.code == 0, shown.err
    assert "counted and not kept" in shown.out


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--matcher", "kosine"), "cosine"),
        (("--matcher-option", "band"), "NAME=VALUE"),
        (("--leave-out", 1.5), "leave_out"),
        (("--strategy", "best-quality"), "quality"),
        (("--partition", "absent.csv"), "absent.csv"),
        (("--gallery", "absent.npz"), "absent.npz"),
        (("--labels", "absent.csv"), "absent.csv"),
    ],
)
def test_bad_options_are_refused_in_words(bertillon, embeddings: Path, options: tuple, word: str) -> None:
    for command in ("identify", "modes"):
        ran = bertillon(command, embeddings, *options)
        assert ran.code == 2, ran.out
        assert word in ran.err
        assert "internal error" not in ran.err


def test_search_outputs_are_written(bertillon, embeddings: Path) -> None:
    ran = bertillon("identify", embeddings, "--json", "a.json", "--csv", "out", "--figures", "pictures")
    assert ran.code == 0, ran.err
    assert {path.name for path in Path("out").iterdir()} == {
        "measures.csv",
        "cmc.csv",
        "cmc-band.csv",
        "watch-list.csv",
        "watch-list-band.csv",
        "detection.csv",
    }
    assert json.loads(Path("a.json").read_text())["mode"] == "identification"
    assert Path("pictures/cmc.pdf").stat().st_size > 1000


def test_folds_by_hand(bertillon, tmp_path: Path) -> None:
    """The threshold .9 of fold 0 misses the .6 of fold 1; that of fold 1 is the most permissive of its best, .6."""
    rows = ["1,0.9,0", "0,0.2,0", "1,0.6,1", "0,0.7,1"]
    (tmp_path / "s.csv").write_text("label,score,fold\n" + "\n".join(rows) + "\n")
    ran = bertillon("verify", "s.csv", "--folds", "--json", "-")
    assert json.loads(ran.out)["folds"]["accuracies"] == [1.0, 0.5]
    assert "accuracy over 2 folds 0.7500" in bertillon("verify", "s.csv", "--folds").out


def test_a_square_array_with_labels_holds_scores(bertillon, embeddings: Path, tmp_path: Path) -> None:
    """Distances given with labels, and the same made from the templates, have one EER; cosines of distances had not."""
    with np.load(embeddings) as held:
        vectors, subject = held["embeddings"].astype(np.float64), held["subject"]
    np.save("distances.npy", np.sqrt(((vectors[:, None] - vectors[None]) ** 2).sum(axis=2)))
    Path("people.txt").write_text("\n".join(f"person {one}" for one in subject) + "\n")
    direct = named(bertillon("verify", embeddings, "--matcher", "euclidean", "-m", "EER", "--json", "-"))
    ran = bertillon("verify", "distances.npy", "--labels", "people.txt", "-m", "EER", "--json", "-")
    assert named(ran)["EER"]["value"] == pytest.approx(direct["EER"]["value"], abs=1e-9)
    searched = json.loads(bertillon("identify", "distances.npy", "--labels", "people.txt", "--json", "-").out)
    assert searched["counts"] == {"enrolled": 120, "nonenrolled": 120, "failed": 0, "gallery": 30}
    np.savez("both.npz", distances=np.load("distances.npy"), subject=subject)
    inside = named(bertillon("verify", "both.npz", "-m", "EER", "--json", "-"))
    assert inside["EER"]["value"] == pytest.approx(direct["EER"]["value"], abs=1e-9)
    refused = bertillon("verify", "distances.npy", "--labels", "people.txt", "--matcher", "cosine")
    assert (refused.code, "--matcher is for comparing templates" in refused.err) == (2, True)
    for command in ("match", "split"):
        ran = bertillon(command, "distances.npy", "--labels", "people.txt", "-o", "out.csv")
        assert (ran.code, "say --kind vector" in ran.err) == (2, True), ran.out


def test_columns_of_labels_are_named_on_the_command_line(bertillon, embeddings: Path) -> None:
    with np.load(embeddings) as held:
        np.save("x.npy", held["embeddings"])
        Path("people.csv").write_text("name,age\n" + "".join(f"p{one},3\n" for one in held["subject"]))
    given = ("x.npy", "--labels", "people.csv", "--column", "subject=name")
    expected = named(bertillon("verify", embeddings, "-m", "EER", "--json", "-"))["EER"]["value"]
    assert named(bertillon("verify", *given, "-m", "EER", "--json", "-"))["EER"]["value"] == expected
    for command in ("identify", "modes", "repeat"):
        assert bertillon(command, *given, "--leave-out", 0.3).code == 0
    for command in ("match", "split"):
        assert bertillon(command, *given, "-o", "out.csv").code == 0


def test_the_kind_of_templates_is_stated_on_the_command_line(bertillon, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    (tmp_path / "taps").mkdir()
    for person in range(4):
        for take in range(3):
            np.savetxt(tmp_path / "taps" / f"p{person}_{take}.txt", 50 + person + rng.random((20, 3)), "%.3f")
    asked = bertillon("verify", "taps")
    assert (asked.code, "--kind minutiae or --kind series" in asked.err) == (2, True)
    assert bertillon("verify", "taps", "--kind", "series", "-m", "EER").code == 0
    unknown = bertillon("verify", "taps", "--kind", "serie")
    assert (unknown.code, "series" in unknown.err) == (2, True)
    people = bertillon("split", "taps", "--kind", "series", "--subject-pattern", "_(.)", "-o", "p.csv")
    assert "3 people" in people.out or "3 subjects" in people.out, people.out


def test_one_seed_draws_one_partition_in_every_command(bertillon, embeddings: Path) -> None:
    """What `split` writes for a seed is what identify, verify, modes and the first run of repeat draw from it."""
    drawn = ("--leave-out", 0.3, "--seed", 4)
    assert bertillon("split", embeddings, *drawn, "-o", "p.csv").code == 0
    assert bertillon("split", embeddings, *drawn, "--runs", 3, "-o", "runs.csv").code == 0
    first = pl.read_csv("runs.csv").filter(pl.col("run") == 0).drop("run")
    assert first.equals(pl.read_csv("p.csv").select(first.columns))
    for command in ("verify", "identify", "modes"):
        own, read = (bertillon(command, embeddings, *how, "--json", "-") for how in (drawn, ("--partition", "p.csv")))
        assert own.code == read.code == 0
        numbers = [json.loads(ran.out) for ran in (own, read)]
        parts = [[one[name] for name in ("verification", "identification") if name in one] or [one] for one in numbers]
        for mine, theirs in zip(*parts, strict=True):
            assert mine["counts"] == theirs["counts"]
            assert [row["value"] for row in mine["measures"]] == [row["value"] for row in theirs["measures"]]
    runs = json.loads(bertillon("repeat", embeddings, *drawn, "--runs", 3, "-m", "RR", "--json", "-").out)
    single = named(bertillon("identify", embeddings, *drawn, "-m", "RR", "--json", "-"))["RR"]["value"]
    assert runs["measures"][0]["values"][0] == single


def test_options_of_the_matcher_are_said(bertillon, embeddings: Path) -> None:
    ran = bertillon("verify", embeddings, "--matcher", "manhattan", "--matcher-option", "scaled=true", "-m", "EER")
    assert "Matcher: manhattan (scaled=True), a distance" in ran.out
    plain = bertillon("verify", embeddings, "--matcher", "manhattan", "-m", "EER")
    assert "Matcher: manhattan, a distance" in plain.out
