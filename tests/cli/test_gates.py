"""Gates, presets that are not met, and reports for continuous integration.

The lists are T1 of the standards: EER 0.2, AUC 0.88 (44 of 50 pairs in order).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bertillon import InputError
from bertillon.advice import Gate, read_gates

EXAMPLES = Path(__file__).parents[2] / "examples"
PLAIN = ("--no-intervals",)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("EER>0.2", 0),
        ("EER>=0.2", 1),
        ("EER > 19.9 %", 1),
        ("EER<0.2", 0),
        ("AUC<0.88", 0),
        ("AUC<=88%", 1),
        ("FNMR@t=0.5>0.19", 1),
        ("FNMR@t=0.5>2e-1", 0),
    ],
)
def test_a_gate_fails_beyond_its_limit_alone(bertillon, lists, text, code) -> None:
    ran = bertillon("verify", *lists, *PLAIN, "-m", "EER", "--fail-if", text)
    assert ran.code == code, ran.err
    assert ran.err.startswith("failed: genuine.txt + impostor.txt: ") == bool(code)
    assert "EER" in ran.out  # the answer is there all the same


def test_every_gate_that_fails_has_its_line(bertillon, lists) -> None:
    ran = bertillon("verify", *lists, *PLAIN, "--fail-if", "EER>0.1", "--fail-if", "AUC<0.5", "--fail-if", "AUC<0.95")
    assert ran.code == 1
    assert ran.err.splitlines() == [
        "failed: genuine.txt + impostor.txt: EER is 0.2 (fail if EER>0.1).",
        "failed: genuine.txt + impostor.txt: AUC is 0.88 (fail if AUC<0.95).",
    ]


def test_the_end_of_an_interval_is_judged_in_every_mode(bertillon) -> None:
    """The upper end lies above the value, the lower one below; also of a measure that was not asked for."""
    few = ("--resamples", "50")
    lists = (EXAMPLES / "genuine.txt", EXAMPLES / "impostor.txt")
    for command, value, measure in (
        (("verify", *lists, "-m", "AUC"), 0.02073, "EER"),
        (("identify", EXAMPLES / "faces.npz", "-m", "MRR"), 0.9031, "RR"),
        (("modes", EXAMPLES / "faces.npz"), 0.9031, "RR"),
        (("classify", EXAMPLES / "screening.csv", "-m", "MCC"), 0.927, "AUC"),
    ):
        for sign, end in ((">", "upper"), ("<", "lower")):
            ran = bertillon(*command, *few, "--fail-if", f"{measure}:{end}{sign}{value}")
            assert (ran.code, f"the {end} end of the interval of {measure} is" in ran.err) == (1, True), (command, ran)


def test_compare_judges_the_systems_after_the_first(bertillon) -> None:
    both = ("--unpaired", "--resamples", "50", "-m", "AUC", "--fail-if", "EER>0.05")
    failed = bertillon("compare", EXAMPLES / "new.csv", EXAMPLES / "old.csv", *both)
    assert (failed.code, failed.err) == (1, "failed: old.csv: EER is 0.06667 (fail if EER>0.05).\n")
    assert bertillon("compare", EXAMPLES / "old.csv", EXAMPLES / "new.csv", *both).code == 0
    upper = bertillon("compare", EXAMPLES / "new.csv", EXAMPLES / "old.csv", *both[:-1], "EER:upper>0.07")
    assert (upper.code, "the upper end of the interval of EER is 0.07" in upper.err) == (1, True)


def test_attacks_are_judged_at_the_place_of_the_measure(bertillon) -> None:
    system = (EXAMPLES / "genuine.txt", EXAMPLES / "impostor.txt", "--attacks", EXAMPLES / "attacks.csv")
    assert bertillon("attacks", *system, "--fail-if", "IAPAR@t=0.9>0.1").code == 0
    failed = bertillon("attacks", *system, "--fail-if", "IAPAR@t=0>99%")
    assert (failed.code, failed.err) == (1, "failed: IAPAR@t=0 is 1 (fail if IAPAR@t=0>99%).\n")
    detector = bertillon("attacks", EXAMPLES / "pad.csv", "--pad", "--fail-if", "BPCER@APCER=0.05>0")
    assert detector.code == 1


def test_what_is_undefined_does_not_pass(bertillon, lists) -> None:
    ran = bertillon("verify", *lists, *PLAIN, "--fail-if", "FTE>0.5")
    assert ran.code == 1
    assert "FTE is undefined: " in ran.err


def test_every_bad_gate_is_named_before_a_file_is_read(bertillon) -> None:
    gates = [item for text in ("EER>0,02", "ERR<1", "AUC", "EER:top>1") for item in ("--fail-if", text)]
    for command in ("verify", "identify", "classify", "modes", "compare", "attacks"):
        ran = bertillon(command, "no-such-file.csv", *gates)
        assert ran.code == 2
        assert ran.err.count("--fail-if: ") == 4
        assert "no-such-file" not in ran.err
    ran = bertillon("verify", "no-such-file.csv", *PLAIN, "--fail-if", "EER:upper>1")
    assert (ran.code, "there is no interval to judge" in ran.err) == (2, True)


def test_all_faults_of_gates_stand_in_one_error() -> None:
    with pytest.raises(InputError, match="decimals with a point") as refused:
        read_gates(["EER>0,5", "EER>1..2", "EER:upper>1"], ["verification"])
    assert len(str(refused.value).splitlines()) == 2
    gate = Gate.read("FRR@FAR=1e-3:lower <= 5 %", ["verification"])
    assert (str(gate.measure), gate.end, gate.sign, gate.limit) == ("FRR@FAR=0.001", "lower", "<=", 0.05)


def test_a_preset_that_is_not_met_fails(bertillon, tmp_path) -> None:
    lists = (EXAMPLES / "genuine.txt", EXAMPLES / "impostor.txt")
    ran = bertillon("verify", *lists, *PLAIN, "--preset", "high-security")
    assert ran.code == 1
    assert ran.err.startswith("failed: genuine.txt + impostor.txt: high-security: not met")
    assert bertillon("verify", *_apart(tmp_path), *PLAIN, "--preset", "high-security").code == 0


def _apart(folder: Path) -> tuple[Path, Path]:
    """Lists of scores that a threshold tells apart without errors."""
    genuine, impostor = folder / "high.txt", folder / "low.txt"
    genuine.write_text("0.9\n0.95\n" * 50)
    impostor.write_text("0.1\n0.2\n" * 50)
    return genuine, impostor


def test_reports_go_to_standard_output_and_are_appended_to_the_step_summary(bertillon, lists, monkeypatch) -> None:
    summary = lists[0].parent / "summary"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    ran = bertillon("verify", *lists, *PLAIN, "--report", "-", "--report", summary, "--report", "page.html")
    assert (ran.code, ran.out[:2]) == (0, "# "), ran.err
    assert summary.read_text() == "before\n" + ran.out
    assert Path("page.html").read_text().startswith("<!doctype html>")
    assert bertillon("verify", *lists, "--report", "-", "--json", "-").code == 2
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert bertillon("verify", *lists, "--report", summary).code == 2


def test_the_end_of_an_interval_may_stand_behind_the_limit(bertillon, table) -> None:
    here, there = (
        bertillon("verify", table, "--fail-if", gate, "--quiet") for gate in ("EER:upper>1%", "EER>1%:upper")
    )
    assert (here.code, there.code) == (1, 1)
    assert here.err.split("(")[0] == there.err.split("(")[0]
