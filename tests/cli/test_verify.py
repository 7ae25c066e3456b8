"""`bertillon verify` as a user meets it. SPEC V5, V10, V12, V14, V15."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def measures(ran, code: int = 0) -> dict[str, dict]:
    assert ran.code == code, ran.err
    return {row["name"]: row for row in json.loads(ran.out)["measures"]}


def test_two_lists_are_genuine_and_impostor_by_hand(bertillon, lists) -> None:
    ran = bertillon("verify", *lists, "--json", "-")
    answer = json.loads(ran.out)
    assert ran.code == 0
    assert answer["mode"] == "verification"
    assert answer["rule"] == "similarity"
    assert answer["counts"] == {"mated": 5, "nonmated": 10, "failed": 0}
    found = measures(ran)
    assert found["EER"]["value"] == pytest.approx(0.2)
    expected = {"name": "ZeroFMR", "value": 0.6, "threshold": 0.8, "errors": 3, "trials": 5, "reason": None}
    assert {key: found["ZeroFMR"][key] for key in expected} == expected
    assert found["AUC"]["value"] == pytest.approx(0.88)


def test_a_table_gives_the_same_as_two_lists(bertillon, lists, table) -> None:
    from_lists = json.loads(bertillon("verify", *lists, "--json", "-").out)
    from_table = json.loads(bertillon("verify", table, "--json", "-").out)
    assert from_table["measures"] == from_lists["measures"]
    assert from_table["signature"] == from_lists["signature"]


def test_v14_the_course_script_in_one_command(bertillon, lists, tmp_path) -> None:
    """SPEC V14: two files and a list of x give the ROC picture, V5, the EER threshold, AUC and d'."""
    ran = bertillon("verify", *lists, "-x", 0.25, "-x", 0.5, "--figures", tmp_path / "out", "--no-intervals")
    assert ran.code == 0
    assert (tmp_path / "out" / "roc.png").stat().st_size > 5_000
    lines = ran.out.splitlines()
    row = next(line.split() for line in lines if line.startswith("0.25"))
    assert row == ["0.25", "0.55", "10", "%", "0.5", "20", "%"]
    assert any(line.split() == ["EER", "20", "%", "threshold", "0.5"] for line in lines)
    assert any(line.split()[:2] == ["AUC", "0.8800"] for line in lines)
    every = bertillon("verify", *lists, "-x", 0.25, "-x", 0.5, "--no-intervals", "--all").out.splitlines()
    assert any(line.split()[:2] == ["dprime[sum]", "1.2606"] for line in every)


def test_v5_nearest_on_request_by_hand(bertillon, lists) -> None:
    """SPEC V5, E6: FMR 0.28 is nearest to 0.3 (three impostors of ten), at most 0.28 is 0.2."""
    at_most = measures(bertillon("verify", *lists, "-x", 0.28, "--json", "-"))
    nearest = measures(bertillon("verify", *lists, "-x", 0.28, "--nearest", "--json", "-"))
    assert at_most["FNMR@FMR=0.28"]["threshold"] == 0.5
    assert nearest["FNMR[nearest]@FMR=0.28"]["threshold"] == 0.45


def test_v10_cost_and_prior_by_hand(bertillon, lists) -> None:
    """SPEC V10: at 0.55 FMR is .1 and FNMR .2: 500 * .1 * .01 + 2 * .2 * .99 = .896."""
    found = measures(bertillon("verify", *lists, "--cost", "fa=500,fr=2", "--prior", "impostor=0.01", "--json", "-"))
    best = found["minCost(cfa=500,cfr=2,impostor=0.01)"]
    assert best["value"] == pytest.approx(0.896)
    assert best["threshold"] == 0.55


def test_v12_volume_by_hand(bertillon, lists) -> None:
    """SPEC V12: at the EER FAR = FRR = .2, so 10 genuine and 90 impostor attempts give 2 and 18 errors."""
    ran = bertillon("verify", *lists, "-m", "EER", "--volume", "genuine=10,impostor=90", "--json", "-")
    (row,) = json.loads(ran.out)["expected"]
    assert row["false_accepts"] == pytest.approx(18)
    assert row["false_rejects"] == pytest.approx(2)
    shown = bertillon("verify", *lists, "-m", "EER", "--volume", "genuine=10,impostor=90").out
    assert any(line.split() == ["EER", "0.5", "20", "%", "20", "%", "18", "2"] for line in shown.splitlines())


@pytest.mark.parametrize(
    ("preset", "names", "answer"),
    [
        ("high-security", ["FNMR@FMR=0.0001"], "cannot be decided: the interval is "),
        ("consumer", ["FNMR@FMR=0.001", "FNMR@FMR=0.01"], "cannot be decided: the interval is "),
        ("usability", ["FMR@FNMR=0.01", "FMR@FNMR=0.05"], "cannot be decided: the interval is 0 to 100 %. "),
    ],
)
def test_v15_presets(bertillon, lists, preset: str, names: list[str], answer: str) -> None:
    """SPEC V15: each target has its measures and a verdict in words."""
    ran = bertillon("verify", *lists, "-m", "EER", "--preset", preset)
    assert f"{preset}: {answer}" in ran.out
    assert ran.out.startswith(preset)
    explained = bertillon("verify", *lists, "-m", "EER", "--preset", preset, "--explain")
    assert "acceptable where errors are not critical" not in explained.out  # five genuine scores are too few for a word
    written = bertillon("verify", *lists, "--preset", preset, "--json", "-")
    assert set(names) <= set(measures(written, code=1))  # the rates found are beyond what is tolerable


def test_v15_the_band_of_an_eer_is_said_with_its_source(bertillon) -> None:
    """SPEC V15: the bands of 000, where there are comparisons enough to be judged."""
    lists = (ROOT / "examples" / "genuine.txt", ROOT / "examples" / "impostor.txt")
    said = " ".join(bertillon("verify", *lists, "--explain").out.split())
    assert "EER 2.1 %: good" in said


def test_only_the_measures_asked_for_under_their_canonical_names(bertillon, lists) -> None:
    found = measures(bertillon("verify", *lists, "-m", "TAR@FAR=1e-1", "-m", "tpr@fpr=0.1", "-m", "eer", "--json", "-"))
    assert list(found) == ["GAR@FAR=0.1", "TMR@FMR=0.1", "EER"]


def test_distance_keeps_the_users_units(bertillon, tmp_path: Path) -> None:
    (tmp_path / "g").write_text("0.1\n0.2\n0.5\n")
    (tmp_path / "i").write_text("0.4\n0.6\n0.9\n")
    found = measures(bertillon("verify", "g", "i", "--distance", "-m", "ZeroFMR", "-m", "ZeroFNMR", "--json", "-"))
    assert (found["ZeroFMR"]["value"], found["ZeroFMR"]["threshold"]) == (pytest.approx(1 / 3), 0.2)
    assert (found["ZeroFNMR"]["value"], found["ZeroFNMR"]["threshold"]) == (pytest.approx(1 / 3), 0.5)


def test_wrong_direction_is_said_and_nothing_is_flipped(bertillon, tmp_path: Path) -> None:
    (tmp_path / "g").write_text("0.1\n0.2\n")
    (tmp_path / "i").write_text("0.8\n0.9\n")
    ran = bertillon("verify", "g", "i")
    assert "--distance" in ran.out
    assert "AUC is below 0.5" in ran.out
    assert measures(bertillon("verify", "g", "i", "--json", "-"))["EER"]["value"] == pytest.approx(1.0)
    right = bertillon("verify", "g", "i", "--distance")
    assert "AUC is below" not in right.out


def test_several_systems_side_by_side(bertillon, table, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("label,score\n1,0.9\n1,0.8\n0,0.1\n0,0.2\n")
    ran = bertillon("verify", table, "b.csv", "--name", "A", "--name", "B", "--json", "-")
    systems = json.loads(ran.out)["systems"]
    assert [system["name"] for system in systems] == ["A", "B"]
    shown = bertillon("verify", table, "b.csv", "--name", "A", "--name", "B", "-m", "AUC", "--no-intervals").out
    assert [line.split() for line in shown.splitlines() if line.startswith(("A ", "B ", "system"))] == [
        ["system", "AUC"],
        ["A", "0.8800"],
        ["B", "1.0000"],
    ]


def test_failed_comparisons_are_counted_and_shown(bertillon, tmp_path: Path) -> None:
    """SPEC V11: one of four mated comparisons failed: FRR = .25 + FNMR * .75."""
    (tmp_path / "s.csv").write_text("label,score\n1,0.9\n1,0.8\n1,0.3\n1,\n0,0.5\n0,0.1\n")
    ran = bertillon("verify", "s.csv", "-m", "FNMR@t=0.5", "-m", "FRR@t=0.5", "-m", "FTA", "--json", "-")
    answer = json.loads(ran.out)
    assert answer["counts"] == {"mated": 3, "nonmated": 2, "failed": 1}
    found = measures(ran)
    assert found["FNMR@t=0.5"]["value"] == pytest.approx(1 / 3)
    assert found["FRR@t=0.5"]["value"] == pytest.approx(0.25 + 0.75 / 3)
    assert found["FTA"]["value"] == pytest.approx(1 / 6)
    assert "! 1 failed comparison: not in FMR and FNMR, counted in FAR and FRR." in bertillon("verify", "s.csv").out
    assert "1 failed comparison (1 mated, 0 non-mated)" in bertillon("verify", "s.csv", "--explain").out


def test_v11_enrolments(bertillon, lists) -> None:
    """SPEC V11: 5 of 1000 not enrolled is FTE .5 %."""
    found = measures(bertillon("verify", *lists, "--enrolments", "attempted=1000,failed=5", "-m", "FTE", "--json", "-"))
    assert found["FTE"]["value"] == pytest.approx(0.005)


def test_csv_holds_every_curve_with_thresholds_and_counts(bertillon, lists, tmp_path: Path) -> None:
    import polars as pl

    assert bertillon("verify", *lists, "--csv", "out").code == 0
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "curve-band.csv",
        "curve.csv",
        "distributions.csv",
        "hull.csv",
        "measures.csv",
    ]
    curve = pl.read_csv("out/curve.csv")
    assert curve.columns == ["threshold", "false_match", "false_nonmatch", "fmr", "fnmr", "tmr"]
    assert curve.height == 16
    row = curve.filter(pl.col("threshold") == 0.55).row(0, named=True)
    assert (row["false_match"], row["false_nonmatch"]) == (1, 1)
    hull = pl.read_csv("out/hull.csv")
    assert hull["fnmr"].to_list() == pytest.approx([0, 0, 0.2, 0.6, 1])
    shares = pl.read_csv("out/distributions.csv")
    assert (shares["mated"].sum(), shares["nonmated"].sum()) == (5, 10)


def test_json_file_is_written_whole(bertillon, lists, tmp_path: Path) -> None:
    ran = bertillon("verify", *lists, "--json", "answer.json")
    assert "JSON written to answer.json" in ran.out
    assert json.loads(Path("answer.json").read_text())["mode"] == "verification"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_what_was_understood_is_said(bertillon, lists, table) -> None:
    assert "5 genuine, 10 impostor; higher = more alike" in bertillon("verify", *lists).out
    assert "genuine.txt holds the mated (genuine) scores" in bertillon("verify", *lists, "--explain").out
    explained = bertillon("verify", table, "--explain").out
    assert "column 'label' says which comparisons are mated" in explained
    assert "similarity: accepted when score >= threshold" in explained


def test_names_from_files_are_not_markup(bertillon, table) -> None:
    ran = bertillon("verify", table, "--name", "[bold red]x[/]", "-m", "EER")
    assert "[bold red]x[/]" in ran.out
