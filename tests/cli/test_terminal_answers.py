"""The answer on the terminal: held word by word at two widths, and laws that hold at any width.

`WRITE_SNAPSHOTS=1 python -m pytest tests/cli/test_terminal_answers.py` writes the snapshots anew; look at the changes.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from bertillon.core import LANGUAGES
from bertillon.evaluation import DEFAULT_MEASURES

EXAMPLES = Path(__file__).parents[2] / "examples"
SNAPSHOTS = Path(__file__).parents[1] / "snapshots" / "terminal"
COSTS = "--cost fa=10,fr=1 --prior impostor=0.01"
COMMANDS = {
    "verify": "verify genuine.txt impostor.txt",
    "verify-all": "verify genuine.txt impostor.txt --all",
    "verify-explain": "verify genuine.txt impostor.txt --explain",
    "verify-quiet": "verify genuine.txt impostor.txt --quiet",
    "verify-costs": f"verify genuine.txt impostor.txt {COSTS} --volume genuine=1000,impostor=100",
    "verify-systems": "verify old.csv new.csv",
    "verify-measures": "verify old.csv new.csv -m EER -m AUC -m FNMR@FMR=0.0001",
    "verify-rates": "verify genuine.txt impostor.txt -x 0.1 -x 0.01",
    "identify": "identify faces.npz --leave-out 0.3",
    "identify-volume": "identify faces.npz --leave-out 0.3 --volume passers=1000,minutes=3",
    "identify-point": "identify faces.npz --leave-out 0.25 -m FNIR@FPIR=0.05,k=1",
    "identify-sizes": "identify faces.npz --leave-out 0.25 --gallery-size 5,10,20,50",
    "modes": "modes faces.npz --leave-out 0.3",
    "classify": "classify screening.csv",
    "classify-costs": "classify screening.csv --cost fn=20,fp=1",
    "compare": "compare old.csv new.csv",
    "compare-systems": "compare faces.npz --enrol-with 2 -m EER -m FNMR@FMR=0.01",
    "attacks": "attacks genuine.txt impostor.txt --attacks attacks.csv",
    "pad": "attacks pad.csv --pad",
    "plan": "plan --fnmr 0.01 --samples 5",
}
ONE_SCREEN = {
    "verify": 15,
    "verify-costs": 24,
    "compare": 15,
    "compare-systems": 24,
    "classify": 24,
    "classify-costs": 24,
    "identify": 20,
    "identify-volume": 30,
    "identify-sizes": 24,
    "modes": 30,
    "plan": 24,
}
NAMED_LINES = ("  use ", "  or  ")  # commands to copy, which are not broken


@pytest.fixture
def printed(bertillon, monkeypatch: pytest.MonkeyPatch):
    """What a command prints at a width, in the folder of the examples."""

    def run(line: str, width: int) -> str:
        monkeypatch.chdir(EXAMPLES)
        monkeypatch.setenv("COLUMNS", str(width))
        ran = bertillon(*shlex.split(line))
        assert (ran.code, ran.err) == (0, "")
        return ran.out

    return run


def held(name: str, text: str) -> None:
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("WRITE_SNAPSHOTS"):
        path.write_text(text)
    assert text == path.read_text()


def check_lines(text: str, width: int) -> None:
    """No line is longer than the terminal, none ends in a blank, and nothing is cut."""
    for line in text.splitlines():
        if not line.startswith(NAMED_LINES):
            assert cell_len(line) <= width, line
        assert line == line.rstrip(), line
        assert "…" not in line
        assert not line.endswith("...")


def numbers(text: str) -> set[str]:
    return {word for word in text.split() if re.search(r"\d", word)}


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_printed_is_held(printed, name: str, width: int) -> None:
    text = printed(COMMANDS[name], width)
    check_lines(text, width)
    held(f"{name}-{width}", text)
    assert len(text.splitlines()) <= ONE_SCREEN.get(name, 60)


SIGNED = re.compile(r"(?<![\d.+\-])(\d+(?:\.\d+)?)[ \u00a0~]*\\?%")


WITH_INTERVAL = re.compile(r"\d to [+\-\d]|\d-\d")
TARGETS = {"1", "0.1", "0.01", "95"}  # of FMR, written as they were asked, and the level


@pytest.mark.parametrize("name", ["verify", "verify-systems", "compare", "modes", "identify", "classify"])
def test_a_rate_has_the_same_digits_on_the_terminal_and_in_every_report(printed, tmp_path: Path, name: str) -> None:
    """Every rate that has an interval in the answer is in the page, in Markdown and in LaTeX, written alike."""
    reports = [tmp_path / f"r.{suffix}" for suffix in ("html", "md", "tex")]
    named = shlex.join(word for report in reports for word in ("--report", str(report)))
    lines = printed(f"{COMMANDS[name]} --resamples 60 {named}", 120).splitlines()
    answered = {rate for line in lines if WITH_INTERVAL.search(line) for rate in SIGNED.findall(line)} - TARGETS
    assert len(answered) >= 3
    for report in reports:
        text = re.sub(r"<script.*?</script>", "", report.read_text(), flags=re.DOTALL).replace("\\,", " ")
        assert answered <= set(SIGNED.findall(text)), (report.name, answered - set(SIGNED.findall(text)))


@pytest.mark.parametrize("width", [80, 120])
def test_a_scheme_that_is_not_met_is_told_on_one_screen(bertillon, monkeypatch, width: int) -> None:
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setenv("COLUMNS", str(width))
    ran = bertillon("check", "border.csv", "--scheme", "fido")
    check_lines(ran.out, width)
    held(f"check-{width}", ran.out)
    assert len((ran.out + ran.err).splitlines()) <= 24
    assert ran.code == 1


@pytest.mark.parametrize("line", ["check", "check scores.csv", "extract", "verify scores.csv --format"])
def test_what_is_said_of_a_line_that_lacks_something_is_held(bertillon, line: str) -> None:
    ran = bertillon(*line.split())
    assert (ran.code, ran.out) == (2, "")
    held(f"lacking-{line.replace(' ', '-')}", ran.err)


@pytest.mark.realdata
@pytest.mark.parametrize("width", [80, 120])
def test_four_systems_of_real_data(printed, real_data: Path, width: int) -> None:
    files = sorted((real_data / "bssr1").glob("*.csv.gz"))
    text = printed(shlex.join(["verify", *map(str, files)]), width)
    check_lines(text, width)
    held(f"bssr1-{width}", text)
    assert len(text.splitlines()) <= 30


@pytest.mark.parametrize("width", [60])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_number_and_no_name_is_broken_at_any_width(printed, name: str, width: int) -> None:
    line = (
        f"{COMMANDS[name]} --resamples 20" if "pad" not in name and name not in ("plan", "attacks") else COMMANDS[name]
    )
    text = printed(line, width)
    check_lines(text, width)
    assert numbers(text) == numbers(printed(line, 300))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_lines_fit_in_every_language(printed, lang: str) -> None:
    check_lines(printed(f"{COMMANDS['verify-costs']} --resamples 20 --lang {lang}", 80), 80)


@pytest.mark.parametrize("options", ["", "-m EER -m AUC", "--all"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_long_names_stay_whole(printed, options: str, width: int) -> None:
    names = ["system-" + "x" * 45, "another system with blanks in its name"]
    text = printed(f"verify old.csv new.csv --no-intervals {options} --name {names[0]} --name '{names[1]}'", width)
    check_lines(text, width)
    tables = text.split("\n\n", 1)[1]
    assert names[0] in tables
    assert names[1] in " ".join(tables.split())


def test_a_name_longer_than_the_terminal_is_not_broken(printed) -> None:
    name = "y" * 100
    assert name in printed(f"verify old.csv new.csv --no-intervals --name {name} --name b", 60)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_and_a_pipe_show_the_same() -> None:
    import pty

    line = [sys.executable, "-m", "bertillon", "verify", "genuine.txt", "impostor.txt", "--no-intervals"]
    code = "import sys; from bertillon.cli import main; sys.argv[0] = 'bertillon'; main()"
    line[1:3] = ["-c", code]
    settings = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    piped = subprocess.run(line, cwd=EXAMPLES, env=settings, capture_output=True, check=True).stdout.decode()
    shown, there = pty.openpty()
    with subprocess.Popen(line, cwd=EXAMPLES, env=settings, stdout=there, stderr=subprocess.PIPE) as process:
        os.close(there)
        parts = []
        while True:
            try:
                part = os.read(shown, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
    os.close(shown)
    assert process.returncode == 0
    plain = re.sub(r"\x1b\[[0-9;]*m", "", b"".join(parts).decode()).replace("\r\n", "\n")
    assert "EER" in piped
    assert plain == piped


def test_quiet_prints_the_numbers_of_the_answer_alone(printed) -> None:
    answer, quiet = printed(COMMANDS["verify"], 80), printed(COMMANDS["verify-quiet"], 80)
    assert quiet.strip()
    assert quiet.strip() in answer
    assert not re.search(r"^!|Next|genuine\.txt", quiet, re.MULTILINE)


def test_all_and_quiet_exclude_each_other(bertillon) -> None:
    ran = bertillon("verify", EXAMPLES / "genuine.txt", EXAMPLES / "impostor.txt", "--all", "--quiet")
    assert (ran.code, ran.out) == (2, "")
    assert "--all and --quiet exclude each other" in ran.err


def test_every_usual_measure_is_in_all(printed) -> None:
    text = printed(COMMANDS["verify-all"], 80)
    assert all(re.search(rf"^{re.escape(name)}( |$)", text, re.MULTILINE) for name in DEFAULT_MEASURES)
    assert "d' without the half" in text


def test_what_was_typed_is_not_proposed_again(printed, tmp_path: Path) -> None:
    last = printed(COMMANDS["verify"], 80).splitlines()[-1]
    assert last == "Next: --report out.html   --figures out   -x 0.01   --all"
    text = printed(f"verify genuine.txt impostor.txt -x 0.01 --no-intervals --report {tmp_path}/r.html", 80)
    [line] = [line for line in text.splitlines() if line.startswith("Next:")]
    assert line == "Next: --figures out   --all"


# T: 2 genuine below all others, so that costs decide by hand. genuine 1 4 5 6, impostor 0 1 2 3 (similarity)
SCORES = "label,score\n1,1\n1,4\n1,5\n1,6\n0,0\n0,1\n0,2\n0,3\n"


def decided(bertillon, tmp_path: Path, *options: str) -> str:
    (tmp_path / "s.csv").write_text(SCORES)
    ran = bertillon("verify", tmp_path / "s.csv", "--no-intervals", *options)
    assert ran.code == 0, ran.err
    return str(ran.out)


def test_the_decision_comes_first_by_hand(bertillon, tmp_path: Path) -> None:
    """At 4 one of 4 genuine is rejected and no impostor accepted: 25 of 100 a day, at 2 each 50."""
    cost = ("--cost", "fa=10,fr=2", "--prior", "impostor=0.5")
    text = decided(bertillon, tmp_path, *cost, "--volume", "genuine=100,impostor=8")
    first = "Set the threshold to 4 (no interval computed): expect 25 false rejects and 0 false accepts a day, cost 50"
    assert text.startswith(f"{first} a day.\n")
    text = decided(bertillon, tmp_path, *cost)
    assert "1,250 false rejects and 0 false accepts in 10,000 attempts, cost 2,500." in text.split("\n\n")[0]


def test_costs_that_accept_everything_say_so(bertillon, tmp_path: Path) -> None:
    text = decided(bertillon, tmp_path, "--cost", "fa=0.001,fr=1000", "--prior", "impostor=0.001")
    assert re.match(r"Set the threshold to 1 |At these costs it is cheapest", text)


def test_a_decision_gives_the_interval_of_its_threshold_or_why_there_is_none(printed) -> None:
    text = " ".join(printed(COMMANDS["verify-costs"], 80).split())
    assert text.startswith("Set the threshold to 0.396 (95 % interval 0.357 to 0.435): expect 2 false rejects")
    bounded = " ".join(printed(COMMANDS["verify-costs"] + " --sides upper", 80).split())
    assert bounded.startswith("Set the threshold to 0.396 (no interval with bounds of one side): expect 2 false")


@pytest.mark.parametrize("sign", [1, -1])
def test_an_eer_that_no_threshold_reaches_says_so_by_hand(bertillon, tmp_path: Path, sign: int) -> None:
    """At 4 FMR is 0 and FNMR 25 %, at 3 (one impostor of 4) FMR is 25 %: reached. Without one impostor it is not."""
    rows = [f"1,{sign * score}" for score in (1, 4, 5, 6)] + [f"0,{sign * score}" for score in (0, 1, 5)]
    (tmp_path / "s.csv").write_text("\n".join(["label,score", *rows, ""]))
    ran = bertillon("verify", tmp_path / "s.csv", "--no-intervals", *(["--distance"] if sign < 0 else []))
    assert f"! No threshold reaches the EER: at {4 * sign}, FMR 33.3 %, FNMR 25 %." in ran.out
    assert "No threshold reaches" not in decided(bertillon, tmp_path, "-m", "FNMR@FMR=0.3")


def test_a_rate_that_cannot_be_measured_is_not_shown_but_kept(bertillon, tmp_path: Path) -> None:
    """DESIGN 10: 300 impostors show FMR 1 %, and 0.1 % needs 3,000; the library and JSON have the numbers."""
    import json

    text = decided(bertillon, tmp_path, "-m", "FNMR@FMR=0.01", "--json", "a.json")
    assert "not measurable: needs 300 impostor comparisons  FRR@FAR=0.01" in text
    assert "25 %" not in text
    [row] = json.loads(Path("a.json").read_text())["measures"]
    assert (row["name"], row["value"]) == ("FNMR@FMR=0.01", 0.25)


def test_a_threshold_has_the_digits_of_its_interval_and_all_of_them_where_explained(printed) -> None:
    """The interval of the EER threshold is 0.034 wide, two digits of which are thousandths; JSON and --all have all."""
    rounded, whole = "threshold 0.503\n", "0.503364"
    assert rounded in printed(COMMANDS["verify"], 80)
    for name in ("verify-all", "verify-explain"):
        assert whole in printed(COMMANDS[name], 80)
    assert whole in printed("verify genuine.txt impostor.txt -m FMR@t=0.503364 -m EER", 80)  # given, so exact


def test_few_errors_of_both_modes_have_one_line(printed) -> None:
    """25 of 180 comparisons at FMR 1 %, and 8 and 3 of 180 searches."""
    few = [line for line in printed("modes faces.npz --leave-out 0.25", 80).splitlines() if "Fewer than" in line]
    assert few == ["! Fewer than 30 errors: FNMR@FMR=0.01 (25), CMS@5 (8), CMS@10 (3)."]


def test_what_the_answer_by_gallery_size_leaves_out_is_in_all(printed) -> None:
    """The measures of one gallery and how galleries were drawn; the model and measures asked for by name are there."""
    line = f"{COMMANDS['identify-sizes']} --resamples 20"
    short, whole = printed(line, 80), printed(f"{line} --all", 80)
    for told in ("CMS@5", "draws of nested galleries", "searches, each with"):
        assert told not in short
        assert told in whole
    assert "model: 1 - (1 - FMR)^n" in short
    assert "CMS@5" in printed(f"{line} -m CMS@5", 80)


def test_a_threshold_of_too_few_errors_has_one_line(printed) -> None:
    """4 false alarms are expected at FPIR 5 % of 80 searches; measures replaced by what they need are not named."""
    told = "! FNIR@FPIR=0.05,k=1: too few errors to fix the threshold (--explain).\n"
    assert told in printed(COMMANDS["identify-point"], 80)
    assert "! FNMR@FMR=0.001: too few errors to fix the threshold (--explain).\n" in printed("verify border.csv", 80)
    assert "too few errors" not in printed(COMMANDS["verify"], 80)
    assert "(3.5 expected)" in printed("verify border.csv --explain", 80)
