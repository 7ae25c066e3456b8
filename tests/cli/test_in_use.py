"""D1, D2 and D8 on the command line: figures of real faces, every way out, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

GATE = (
    "label,probe_subject,reference_subject,transaction,attempt,score\n"
    + "".join(f"1,p{n},p{n},1,{k},{0.9 if k == 1 + n % 3 else 0.2}\n" for n in range(20) for k in (1, 2, 3))
    + "".join(
        f"0,p{n},p{(n + 1) % 20},1,{k},{0.6 if n == 3 and k == 2 else 0.1}\n" for n in range(20) for k in (1, 2, 3)
    )
)


@pytest.fixture
def faces(tmp_path: Path) -> Path:
    """Fifty people, four vectors each."""
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(50, 1, 16)) + 0.8 * rng.normal(size=(50, 4, 16))
    path = tmp_path / "faces.npz"
    np.savez(path, embedding=vectors.reshape(200, 16).astype(np.float32), subject=np.repeat(np.arange(50), 4))
    return path


@pytest.fixture
def dlib(real_data: Path) -> Path:
    return real_data / "lfw_dlib" / "embeddings.npz"


@pytest.fixture
def second_image(dlib: Path, tmp_path: Path) -> Path:
    """STANDARDS 10: the first image of everybody is enrolled, the second searches."""
    subject = np.load(dlib)["subject"]
    seen: dict[int, int] = {}
    lines = ["sample,subject,role\n"]
    for row, person in enumerate(subject.tolist()):
        place = seen.get(person, 0)
        seen[person] = place + 1
        lines.append(f"{row},{person},{('gallery', 'probe')[place] if place < 2 else 'unused'}\n")
    path = tmp_path / "partition.csv"
    path.write_text("".join(lines))
    return path


@pytest.mark.realdata
def test_D1_false_alarms_by_gallery_size_as_in_standards_10(bertillon, dlib: Path, second_image: Path) -> None:
    sizes = ("--gallery-size", "10,100,1000,4280", "--gallery-draws", "ids")
    thresholds = ("--at-threshold", "0.6", "--at-threshold", "0.5")
    how = ("--matcher", "euclidean", "--partition", second_image, "--no-intervals", "-m", "RR")
    ran = bertillon("identify", dlib, *how, *sizes, *thresholds, "--json", "-")
    assert ran.code == 0, ran.err
    (found,) = json.loads(ran.out)["findings"]
    at = {(point["threshold"], point["size"]): point for point in found["points"]}
    measured = [round(at[t, n]["fpir"]["value"], 4) for t, n in ((0.6, 10), (0.6, 100), (0.6, 1000), (0.6, 4280))]
    assert measured == [0.0372, 0.3149, 0.8582, 0.9814]
    assert [round(at[0.5, n]["fpir"]["value"], 4) for n in (1000, 4280)] == [0.0815, 0.1873]
    model = [round(at[0.6, n]["model_fpir"], 4) for n in (10, 100, 1000)]
    assert model == [0.0545, 0.4291, 0.9963]
    assert [round(at[0.5, n]["model_fpir"], 4) for n in (1000, 4280)] == [0.2065, 0.6284]
    assert (found["searches"], found["people"], found["mated"]) == (1559, 4281, 1559)


@pytest.mark.realdata
def test_D2_transactions_as_in_standards_10(bertillon, dlib: Path) -> None:
    how = ("--matcher", "euclidean", "--transactions", "--attempts", "3", "--no-intervals", "-m", "EER")
    ran = bertillon("verify", dlib, *how, "--at-threshold", "0.55", "--at-threshold", "0.5", "--json", "-")
    assert ran.code == 0, ran.err
    (found,) = json.loads(ran.out)["findings"]
    assert (found["genuine"], found["impostor"]) == (439, 192_282)
    single = {row["threshold"]: row for row in found["single_attempts"]}
    assert (round(single[0.55]["fmr"], 6), round(single[0.55]["fnmr"], 4)) == (0.000960, 0.0805)
    whole = {point["threshold"]: point for point in found["points"] if point["attempts"] == 3}
    assert whole[0.55]["far"]["errors"] == 387
    assert round(whole[0.55]["far"]["value"], 6) == 0.002013
    assert whole[0.55]["frr"]["errors"] == 4
    assert round(whole[0.55]["frr"]["value"], 5) == 0.00911
    assert round(whole[0.55]["independent"]["far"], 5) == 0.00288
    assert round(whole[0.55]["independent"]["frr"], 5) == 0.00052
    assert (whole[0.5]["far"]["errors"], whole[0.5]["frr"]["errors"]) == (68, 19)
    assert round(whole[0.5]["frr"]["value"], 4) == 0.0433
    assert round(whole[0.5]["independent"]["frr"], 4) == 0.0093


def test_D1_gallery_sizes_in_every_way_out(bertillon, faces: Path, tmp_path: Path) -> None:
    written = ("--json", "o.json", "--csv", "csv", "--figures", "figures", "--figure-format", "svg")
    reports = ("--report", "o.html", "--report", "o.md", "--report", "o.tex")
    asked = ("--gallery-size", "5,15,49", "--at-threshold", "0.6", "--fpir", "0.1", "--extrapolate", "1000")
    ran = bertillon("identify", faces, "--no-intervals", *asked, *written, *reports, "--all")
    assert ran.code == 0, ran.err
    assert "Gallery sizes at threshold 0.6" in ran.out
    assert "Thresholds that keep FPIR at most 10 %" in ran.out
    assert "It is not a measurement." in ran.out
    assert "Extrapolated, not measured" in ran.out
    assert [point["size"] for point in json.loads((tmp_path / "o.json").read_text())["findings"][0]["points"]] == [
        5,
        15,
        49,
    ] * 2
    assert any("gallery-sizes" in file.name for file in (tmp_path / "csv").iterdir())
    assert {file.name for file in (tmp_path / "figures").iterdir()} >= {"gallery-size.svg", "gallery-threshold.svg"}
    for name in ("o.html", "o.md", "o.tex"):
        assert "0.6" in (tmp_path / name).read_text()
    assert "FPIR by gallery size" in (tmp_path / "o.html").read_text()


def test_D1_the_model_stands_beside_the_measured_rates_and_is_called_one(bertillon, faces: Path) -> None:
    ran = bertillon("identify", faces, "--gallery-size", "5,15,49", "--at-threshold", "0.6", "--fpir", "0.1")
    assert ran.code == 0, ran.err
    assert ran.out.count("  model\n") == 2
    assert "model: 1 - (1 - FMR)^n" in ran.out
    assert len(ran.out.splitlines()) <= 24  # one screen


def test_D1_an_extrapolation_whose_uncertainty_is_unknown_is_not_shown(bertillon) -> None:
    """At the threshold of FPIR 1 % two false alarms are left of 320 searches: without their people there is none."""
    faces = Path(__file__).parents[2] / "examples" / "faces.npz"
    asked = ("--gallery-size", "10,20,40,79", "--extrapolate", "500", "--fpir", "0.1", "--fpir", "0.01")
    ran = bertillon("identify", faces, *asked, "--json", "-")
    sure, unsure = json.loads(ran.out)["findings"][0]["extrapolated"]
    assert (sure["fpir"] > 0.1, sure["interval"] is not None, sure["reason"]) == (True, True, None)
    assert (unsure["fpir"], unsure["interval"]) == (None, None)
    assert unsure["reason"].startswith("the uncertainty of the line is unknown")
    said = " ".join(bertillon("identify", faces, *asked).out.split())
    assert "the uncertainty of the" in said


def test_D1_a_matrix_of_scores_has_gallery_sizes_too(bertillon, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    names = [f"p{n}" for n in range(12)]
    rows = ["," + ",".join(names)]
    rows += [f"{name}," + ",".join(f"{score:.4f}" for score in rng.random(12)) for name in names]
    (tmp_path / "m.csv").write_text("\n".join(rows) + "\n")
    ran = bertillon("identify", "m.csv", "--gallery-size", "2,11", "--fpir", "0.3", "--no-intervals", "--lang", "it")
    assert ran.code == 0, ran.err
    assert "Soglie che tengono FPIR al massimo al 30 %" in ran.out


def test_D3_a_budget_is_written_as_its_language_writes_numbers(bertillon, faces: Path) -> None:
    asked = ("--leave-out", "0.3", "--alarms-per-day", "2000", "--passers", "100000", "--minutes", "1")
    for lang, said in (("en", "at most 2,000 false"), ("it", "al massimo 2\u202f000 falsi"), ("zh", "2,000")):
        ran = bertillon("identify", faces, *asked, "--lang", lang, "--no-intervals")
        assert said in " ".join(ran.out.split(" ")), (ran.err, ran.out)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (["--gallery-size", "10,x"], "--gallery-size: cannot read 'x'; expected whole numbers from 1"),
        (["--gallery-size", "10,10"], "--gallery-size: 10 is given twice"),
        (["--gallery-size", "0"], "cannot read '0'"),
        (["--gallery-size", "-5"], "cannot read '-5'"),
        (["--gallery-size", "2.5"], "cannot read '2.5'; expected whole numbers from 1"),
        (["--gallery-size", "5", "--sides", "left"], "'left' is not one of"),
        (["--gallery-size", "5", "--at-threshold", "nan"], "threshold nan: expected a number"),
        (["--gallery-size", "500"], "gallery size 500, and the gallery has 50 people; expected at most 49"),
        (["--gallery-draws", "3"], "--gallery-draws is about gallery sizes; add --gallery-size"),
        (["--gallery-size", "5", "--gallery-draws", "few"], "--gallery-draws: cannot read 'few'"),
        (["--gallery-size", "5", "--checkpoint", "kept"], "leave out --checkpoint, --engine and --scheduler"),
        (["--gallery-size", "5", "--engine", "dask"], "leave out --checkpoint, --engine and --scheduler"),
        (["--gallery-size", "5", "--index", "hnsw"], "--gallery-size makes every comparison, which --index leaves out"),
        (["--gallery-size", "5,10", "--extrapolate", "100"], "rests on 3 gallery sizes or more"),
    ],
)
def test_D1_what_cannot_be_is_refused(bertillon, faces: Path, asked: list[str], problem: str) -> None:
    ran = bertillon("identify", faces, *asked)
    assert ran.code == 2
    assert problem in " ".join(ran.err.split())


def test_D2_transactions_from_columns_in_every_way_out(bertillon, tmp_path: Path) -> None:
    """Everybody is accepted at the first, second or third attempt; one impostor at the second."""
    (tmp_path / "gate.csv").write_text(GATE)
    reports = ("--report", "o.html", "--report", "o.md", "--csv", "csv", "--json", "o.json")
    ran = bertillon("verify", "gate.csv", "--transactions", "--at-threshold", "0.5", "--no-intervals", *reports)
    assert ran.code == 0, ran.err
    points = json.loads((tmp_path / "o.json").read_text())["findings"][0]["points"]
    assert [point["frr"]["errors"] for point in points] == [13, 6, 0]
    assert [point["far"]["errors"] for point in points] == [0, 1, 1]
    assert "Transactions of up to k attempts, threshold 0.5" in ran.out
    assert "It is not a measurement." in ran.out
    assert "Transactions" in (tmp_path / "o.html").read_text()
    assert any("transactions" in file.name for file in (tmp_path / "csv").iterdir())


def test_D2_rates_by_attempts_are_drawn(bertillon, tmp_path: Path) -> None:
    """FAR_k and FRR_k by k in a figure and on the page; of a single attempt there is nothing to draw."""
    (tmp_path / "gate.csv").write_text(GATE)
    asked = ("--transactions", "--at-threshold", "0.5", "--figures", "drawn", "--figure-format", "svg")
    ran = bertillon("verify", "gate.csv", *asked, "--report", "o.html")
    assert ran.code == 0, ran.err
    assert (tmp_path / "drawn" / "transactions.svg").exists()
    page = (tmp_path / "o.html").read_text()
    assert 'id="chart-transactions-0-far"' in page
    assert 'id="chart-transactions-0-frr"' in page
    once = ("--attempts", "1", "--figures", "once", "--figure-format", "svg")
    ran = bertillon("verify", "gate.csv", *asked[:3], *once, "--no-intervals", "--report", "once.html")
    assert ran.code == 0, ran.err
    assert not (tmp_path / "once" / "transactions.svg").exists()
    assert "chart-transactions" not in (tmp_path / "once.html").read_text()


def test_D2_thresholds_of_the_measures_serve_where_none_is_named(bertillon, tmp_path: Path) -> None:
    (tmp_path / "gate.csv").write_text(GATE)
    ran = bertillon("verify", "gate.csv", "--transactions", "-m", "FNMR@FMR=0.1", "--far", "0.1", "--json", "-")
    points = json.loads(ran.out)["findings"][0]["points"]
    assert {point["point"] for point in points} == {"FAR=0.1"}
    ran = bertillon("verify", "gate.csv", "--transactions", "-m", "FNMR@FMR=0.1", "--json", "-")
    assert {point["point"] for point in json.loads(ran.out)["findings"][0]["points"]} == {"FNMR@FMR=0.1"}


def test_D2_of_the_usual_measures_those_that_the_trials_can_show_give_thresholds(bertillon) -> None:
    """2,566 impostor comparisons show an FMR of 1 %, and neither .1 % nor none at all."""
    ran = bertillon("verify", Path(__file__).parents[2] / "examples" / "gate.csv", "--transactions", "--json", "-")
    points = json.loads(ran.out)["findings"][0]["points"]
    assert {point["point"] for point in points} == {"EER", "FNMR@FMR=0.01"}


def test_D2_attacks_are_told_by_species_and_the_worst_in_the_verdict(bertillon, tmp_path: Path) -> None:
    """Two masks and a print against everybody: one of two masks comes through at the second attempt."""
    rows = ["probe_subject,reference_subject,transaction,attempt,species,score"]
    rows += [f"p{n},p{m},1,1,,{0.9 if n == m else 0.1}" for n in range(4) for m in range(4)]
    rows += ["p0,p0,m,1,mask,0.2", "p0,p0,m,2,mask,0.8", "p1,p1,m,1,mask,0.3", "p2,p2,p,1,print,0.1"]
    (tmp_path / "gate.csv").write_text("\n".join(rows) + "\n")
    asked = ("--transactions", "--at-threshold", "0.5", "--no-intervals", "-m", "EER")
    ran = bertillon("verify", "gate.csv", *asked)
    assert "Worst species: mask, IAPAR 50 %." in ran.out
    points = json.loads(bertillon("verify", "gate.csv", *asked, "--json", "-").out)["findings"][0]["points"]
    assert [(p["iapar"]["mask"]["errors"], p["iapar"]["print"]["errors"]) for p in points] == [(0, 0), (1, 0)]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (["--attempts", "3"], "--attempts is about transactions; add --transactions"),
        (["--transactions"], "holds templates; say how many attempts follow, such as --attempts 3"),
        (["--transactions", "--attempts", "3", "--leave-out", "0.5"], "--leave-out says who is enrolled"),
        (["--transactions", "--attempts", "9"], "0 of 50 people have 10 templates or more"),
        (["--transactions", "--attempts", "3", "--accepts", "4"], "4 of 3 attempts cannot be accepted"),
    ],
)
def test_D2_what_cannot_be_is_refused(bertillon, faces: Path, asked: list[str], problem: str) -> None:
    ran = bertillon("verify", faces, *asked)
    assert ran.code == 2
    assert problem in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("attempts", "problem"),
    [
        ("1,3,4", "attempts 1, 3, 4 have a gap; expected 1 to 3, each once"),
        ("1,2,2", "attempt 2 appears twice; expected 1 to 3, each once"),
        ("0,1,2", "row 1 has attempt 0; expected a whole number"),
        ("1,1.5,2", "row 2 has attempt 1.5; expected a whole number"),
        ("1,,2", "row 2 has attempt None; expected a whole number"),
    ],
)
def test_D2_attempts_that_do_not_follow_each_other_are_refused(bertillon, attempts: str, problem: str) -> None:
    rows = ["probe_subject,reference_subject,transaction,attempt,score", "b,b,1,1,0.8", "a,b,1,1,0.2"]
    rows[1:1] = [f"a,a,1,{attempt},0.{place}" for place, attempt in enumerate(attempts.split(","), 1)]
    Path("gate.csv").write_text("\n".join(rows) + "\n")
    for command in (("verify", "--transactions", "--at-threshold", "0.5"), ("check", "--scheme", "fido")):
        ran = bertillon(command[0], "gate.csv", *command[1:])
        assert (ran.code, problem in " ".join(ran.err.split())) == (2, True), ran.err


def test_D2_a_list_without_transactions_is_refused(bertillon, lists, table: Path) -> None:
    assert "no column 'transaction'" in bertillon("verify", table, "--transactions").err
    assert "--transactions needs one table for each system" in " ".join(
        bertillon("verify", *lists, "--transactions").err.split()
    )


def test_D1_D2_targets_that_so_few_trials_cannot_show_are_named(bertillon, faces: Path, tmp_path: Path) -> None:
    (tmp_path / "gate.csv").write_text(GATE)
    ran = bertillon(
        "verify", tmp_path / "gate.csv", "--transactions", "--far", "0.01", "-m", "EER", "--resamples", "50"
    )
    assert ran.code == 0, ran.err
    assert "A FAR of 0.01 is not measurable with 20 impostor transactions; at least 300 are" in ran.out
    sizes = ("--gallery-size", "5,20", "--gallery-draws", "2", "--resamples", "50")
    for target, told in (("0.001", True), ("0.1", False)):
        ran = bertillon("identify", faces, "-m", "RR", *sizes, "--fpir", target, "--report", "-")
        assert ran.code == 0, ran.err
        assert ("FPIR at most 0.1 %: not measurable with 200 searches; at least 3,000" in ran.out) == told


def test_D1_no_threshold_is_said_to_keep_a_rate_that_so_few_searches_cannot_show(bertillon, faces: Path) -> None:
    ran = bertillon("identify", faces, "--gallery-size", "5,20", "--fpir", "0.1", "--fpir", "0.001", "-m", "RR")
    assert ran.code == 0, ran.err
    assert "Thresholds that keep FPIR at most 10 %" in ran.out
    assert "Thresholds that keep FPIR at most 0.1 %" not in ran.out
    assert "FPIR at most 0.1 %: not measurable with 200 searches; at least 3,000 are needed." in ran.out


def test_D3_regions_that_so_few_searches_cannot_show_say_what_test_would(bertillon, faces: Path) -> None:
    ran = bertillon("identify", faces, "--leave-out", "0.5", "--volume", "passers=1000", "--no-intervals")
    said = " ".join(ran.out.split())
    assert ran.code == 0, ran.err
    assert "extremely low false alarm not measurable: needs 300,000 non-enrolled searches" in said
    ran = bertillon(
        "identify", faces, "--leave-out", "0.5", "--volume", "passers=1000", "--no-intervals", "--report", "-"
    )
    assert "at least 300,000 are needed" in ran.out


def test_D8_ways_to_enrol_are_compared_in_one_command(bertillon, faces: Path) -> None:
    ran = bertillon("compare", faces, "--enrol-with", "2", "-m", "EER", "--resamples", "100")
    assert ran.code == 0, ran.err
    for name in ("first sample", "best score", "mean score", "pooled embedding"):
        assert name in ran.out
    assert "nothing to compare" in bertillon("compare", faces, "--enrol-with", "1").err
    assert "found 2 files" in bertillon("compare", faces, faces, "--enrol-with", "2").err
    assert "leave out --unpaired" in bertillon("compare", faces, "--enrol-with", "2", "--unpaired").err


def test_D2_the_note_on_independence_does_not_give_the_formula_of_one_accepted_attempt_for_several(
    bertillon, tmp_path: Path
) -> None:
    (tmp_path / "gate.csv").write_text(GATE)
    asked = ("--transactions", "--at-threshold", "0.5", "--no-intervals", "-m", "EER")
    one, several = (bertillon("verify", tmp_path / "gate.csv", *asked, *more) for more in ((), ("--accepts", "2")))
    assert (one.code, several.code) == (0, 0), several.err
    assert ("FNMR^k" in one.out, "FNMR^k" in several.out) == (True, False)
    assert "ind.: as if attempts of one person were independent" in " ".join(several.out.split())
