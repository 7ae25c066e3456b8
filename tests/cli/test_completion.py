"""Shells complete commands, options, words and files by asking the command itself; and numbers that are no files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from bertillon.cli import app

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def complete(bertillon, monkeypatch):
    """What a shell is offered where the line ends."""

    def ask(line: str, shell: str = "bash") -> list[str]:
        words = line.split()
        last = words[-1] if not line.endswith(" ") else ""
        monkeypatch.setenv("_BERTILLON_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", last if shell == "fish" else str(len(words) - bool(last)))
        ran = bertillon()
        assert (ran.code, ran.err) == (0, "")
        return ran.out.splitlines()

    return ask


def values(lines: list[str]) -> list[str]:
    return [line.partition(",")[2] for line in lines]


def test_bash_is_offered_commands_options_words_and_files(complete):
    assert values(complete("bertillon ")) == list(dict.fromkeys(name.partition(" ")[0] for name in app.SUMMARIES))
    assert values(complete("bertillon id")) == ["identify"]
    assert values(complete("bertillon calibrate ")) == ["fit", "apply"]
    assert values(complete("bertillon verify --fo")) == ["--format", "--folds"]
    assert values(complete("bertillon calibrate fit --method b")) == ["beta"]
    assert values(complete("bertillon verify --lang ")) == ["en", "it", "es", "zh"]
    assert complete("bertillon verify gen") == ["file,gen"]  # the shell lists the files itself


def test_measures_of_the_mode_are_offered_with_their_aliases(complete):
    """Without a letter each measure has one name; what is typed finds the other names, in capitals or not."""
    assert values(complete("bertillon verify -m EE")) == ["EER"]
    assert {"FAR", "false-accept-rate"} <= set(values(complete("bertillon verify -m fa")))
    every = values(complete("bertillon verify -m "))
    assert {"EER", "FNMR", "AUC"} <= set(every)
    assert "false-accept-rate" not in every
    assert "RR" not in every
    assert "RR" in values(complete("bertillon identify --measure R"))
    assert "MCC" in values(complete("bertillon classify -m M"))
    assert "MCC" in values(complete("bertillon compare --mode classification -m M"))
    assert {"EER", "RR"} <= set(values(complete("bertillon repeat a.npz -m ")))


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_measure_is_offered_with_its_meaning(complete, shell):
    assert "equal error rate" in "\n".join(complete("bertillon verify -m EE", shell))


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_is_told_what_commands_do(complete, shell):
    offered = "\n".join(complete("bertillon ide", shell))
    assert "identify" in offered
    assert shell == "bash" or "Evaluate 1:N searches" in offered


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_that_a_shell_loads(bertillon, monkeypatch, shell):
    monkeypatch.setenv("_BERTILLON_COMPLETE", f"{shell}_source")
    script = bertillon()
    assert script.code == 0
    assert f"_BERTILLON_COMPLETE={shell}_complete" in script.out
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=script.out, text=True, capture_output=True).returncode == 0


def test_another_shell_is_refused(bertillon, monkeypatch):
    monkeypatch.setenv("_BERTILLON_COMPLETE", "tcsh_source")
    ran = bertillon()
    assert (ran.code, ran.out) == (2, "")
    assert "expected bash_source, zsh_source or fish_source" in ran.err


@pytest.mark.parametrize("line", ["bertillon ", "bertillon v", "bertillon verify --fo"])
def test_nothing_that_counts_is_loaded(line):
    """Completion answers while one types: no numbers, no tables, no drawing."""
    watch = (
        "import sys, atexit; from bertillon.cli import main; "
        "heavy = ('numpy', 'polars', 'scipy', 'numba', 'matplotlib', 'rich'); "
        "atexit.register(lambda: print([name for name in heavy if name in sys.modules], file=sys.stderr)); main()"
    )
    number = str(len(line.split()) - (not line.endswith(" ")))
    asked = {"_BERTILLON_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": number}
    ran = subprocess.run([sys.executable, "-c", watch], env=os.environ | asked, text=True, capture_output=True)
    assert (ran.returncode, ran.stderr) == (0, "[]\n")
    assert ran.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes_with_the_script(tmp_path):
    """The script of bash, loaded into a real one, whose function is called as the tab key does."""
    command = tmp_path / "bertillon"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from bertillon.cli import main; main()" "$@"\n')
    command.chmod(0o755)
    line = (
        'eval "$(_BERTILLON_COMPLETE=bash_source bertillon)"; COMP_WORDS=(bertillon calibrate fit --method is); '
        'COMP_CWORD=4; _bertillon_completion bertillon; echo "${COMPREPLY[@]}"'
    )
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(["bash", "-c", line], env=os.environ | {"PATH": path}, text=True, capture_output=True)
    assert (ran.stdout, ran.stderr) == ("isotonic\n", "")


def test_numbers_behind_the_files_are_rates_for_x(bertillon, lists, tmp_path):
    ran = bertillon("verify", *lists, "0.25", "50%", "0,1")
    assert (ran.code, ran.out) == (2, "")
    assert "0.25: is a number, and there is no such file" in ran.err
    assert ran.err.rstrip().endswith("-x 0.25 -x 0.5 -x 0.1")
    assert "expected files" in bertillon("classify", "7").err
    (tmp_path / "0.25").write_text(lists[0].read_text())
    assert bertillon("verify", "0.25", lists[1], "--no-intervals").code == 0  # a file may be called so
