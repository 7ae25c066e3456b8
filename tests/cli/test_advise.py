"""`bertillon advise` as a user meets it. SPEC K12."""

from __future__ import annotations

import io
import json
import shlex
import sys
from pathlib import Path

import pytest

COMPLETE = ("--balance", "0.02", "--costs", "fn", "--threshold", "fixed", "--probabilities", "no", "--classes", "2")


class Terminal(io.StringIO):
    """Somebody at the keyboard."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch):
    """`typing("fn", "fixed")`: what is typed, a line an answer."""

    def type_lines(*lines: str) -> None:
        monkeypatch.setattr(sys, "stdin", Terminal("".join(f"{line}\n" for line in lines)))

    return type_lines


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "preds.csv"
    rows = [f"{int(i < 3)},{0.8 if i < 3 else i / 200:g}" for i in range(100)]
    path.write_text("y_true,p\n" + "\n".join(rows) + "\n")
    return path


def answers(ran) -> dict[str, str]:
    assert ran.code == 0, ran.err
    return {row["question"]: row["answer"] for row in json.loads(ran.out)["answers"]}


def test_K12_options_alone(bertillon, nobody) -> None:
    """K12: rare positives and dear misses: recall, F2, average precision, each with its reason."""
    ran = bertillon("advise", *COMPLETE, "--json", "-")
    assert answers(ran) == {
        "balance": "strong",
        "costs": "fn",
        "threshold": "fixed",
        "probabilities": "no",
        "classes": "2",
    }
    answer = json.loads(ran.out)
    assert answer["mode"] == "advice"
    assert [row["name"] for row in answer["measures"]][:3] == ["Recall", "F(beta=2)", "AP"]
    assert all(row["reason"] for row in answer["measures"])
    assert answer["notes"]
    shown = bertillon("advise", *COMPLETE, "--domain", "screening").out
    assert "report, for screening" in shown
    assert "Recall, F(beta=2)" in shown
    assert "a missed case is critical" in shown
    assert "classify" not in shown  # there is no file to classify


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_cut_at_usual_widths(bertillon, nobody, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = bertillon("advise", *COMPLETE, "--domain", "fraud").out
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    assert "missed fraud costs money, and every alarm needs checking" in " ".join(shown.split())


def test_K12_questions_at_a_terminal(bertillon, typing) -> None:
    """K12: every question with its choices, on standard error; a wrong answer is asked again."""
    typing("0.02", "fx", "fn", "variable", "yes", "3", "weighted", "none")
    ran = bertillon("advise", "--json", "-")
    assert answers(ran) == {
        "balance": "strong",
        "costs": "fn",
        "threshold": "variable",
        "probabilities": "yes",
        "classes": "3",
        "average": "weighted",
    }
    for words in ("Which error costs more?", "a missed positive", "macro", "screening", "answer 'fx' is unknown"):
        assert words in ran.err
    assert "F1[weighted]" in {row["name"] for row in json.loads(ran.out)["measures"]}


def test_K12_two_classes_are_not_asked_for_an_average(bertillon, typing) -> None:
    typing("even", "equal", "fixed", "no", "2", "spam")
    ran = bertillon("advise", "--json", "-")
    assert answers(ran)["domain"] == "spam"
    assert "What counts alike?" not in ran.err


def test_only_what_is_missing_is_asked(bertillon, typing) -> None:
    typing("fp", "none")
    ran = bertillon("advise", "--balance", "even", "--threshold", "fixed", "--probabilities=no", "--classes=2")
    assert ran.code == 0
    assert "Which error costs more?" in ran.err
    assert "equally frequent" not in ran.err
    typing()  # all is known, so nothing is asked
    assert bertillon("advise", *COMPLETE).err == ""


def test_K12_without_a_terminal_what_is_missing_is_named(bertillon, nobody) -> None:
    ran = bertillon("advise", "--balance", "0.02", "--classes", "3")
    assert ran.code == 2
    assert ran.out == ""
    assert "--costs fn|fp|equal|unknown, --threshold fixed|variable, --probabilities yes|no" in ran.err
    assert "--average macro|micro|weighted" in ran.err
    assert "--balance" not in ran.err
    assert "Traceback" not in ran.err


def test_K12_predictions_answer_what_they_show(bertillon, nobody, predictions: Path) -> None:
    """K12: three positives of a hundred with probabilities; the rest is said."""
    ran = bertillon("advise", predictions, "--costs", "fn", "--threshold", "fixed", "--json", "-")
    assert answers(ran) == {
        "balance": "strong",
        "costs": "fn",
        "threshold": "fixed",
        "probabilities": "yes",
        "classes": "2",
    }
    rows = {row["question"]: row for row in json.loads(ran.out)["answers"]}
    assert rows["balance"]["because"] == f"{predictions}: 0.03 of 100 samples are positive"
    assert [name for name, row in rows.items() if row["seen"]] == ["balance", "probabilities", "classes"]
    assert "ECE" in {row["name"] for row in json.loads(ran.out)["measures"]}


def test_K12_the_command_that_computes_the_advice_is_shown_and_works(bertillon, nobody, predictions: Path) -> None:
    said = ("--costs", "fn", "--threshold", "variable", "--domain", "retrieval")
    shown = bertillon("advise", predictions, *said).out
    assert f"! MAP cannot be computed from {predictions}: the samples have no groups (queries)" in shown
    (command,) = [line for line in shown.splitlines() if line.startswith("bertillon classify")]
    arguments = shlex.split(command)[1:]
    assert "MAP" not in arguments
    ran = bertillon(*arguments, "--json", "-")
    assert ran.code == 0, ran.err
    found = {row["name"]: row for row in json.loads(ran.out)["measures"]}
    assert set(arguments[3::2]) == set(found)
    assert all(row["value"] is not None for row in found.values())


def test_what_is_said_counts_more_than_what_the_file_shows(bertillon, nobody, predictions: Path) -> None:
    said = ("--costs", "fn", "--threshold", "fixed", "--balance", "0.4", "--probabilities", "no")
    ran = bertillon("advise", predictions, *said, "--json", "-")
    assert answers(ran)["balance"] == "even"
    rows = {row["question"]: row for row in json.loads(ran.out)["answers"]}
    assert [name for name, row in rows.items() if row["seen"]] == ["classes"]
    assert str(predictions) not in rows["balance"]["because"]
    assert "ECE" not in {row["name"] for row in json.loads(ran.out)["measures"]}


def test_labels_alone_answer_the_threshold_too(bertillon, nobody, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("y_true,y_pred\ncat,cat\ndog,cat\nowl,owl\n")
    ran = bertillon("advise", "labels.csv", "--costs", "equal", "--average", "macro", "--json", "-")
    assert answers(ran)["threshold"] == "fixed"
    assert answers(ran)["classes"] == "3"


def test_json_is_written_to_a_file(bertillon, nobody) -> None:
    ran = bertillon("advise", *COMPLETE, "--json", "advice.json")
    assert ran.out.splitlines()[-1] == "JSON written to advice.json"
    assert json.loads(Path("advice.json").read_text())["mode"] == "advice"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--costs", "both"), "costs: answer 'both' is unknown"),
        (
            ("--balance", "1.5"),
            "balance: cannot read '1.5'; expected even or moderate or strong or a number",
        ),
        (("--classes", "one"), "classes: cannot read 'one'"),
        (("--domain", "sapm"), "did you mean 'spam'?"),
        (("--average", "mean"), "average: answer 'mean' is unknown"),
        (("nowhere.csv",), "nowhere.csv"),
    ],
)
def test_bad_answers_are_told_in_words(bertillon, nobody, arguments: tuple[str, ...], words: str) -> None:
    ran = bertillon("advise", *COMPLETE, *arguments)
    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_a_number_of_classes_against_the_file_is_refused(bertillon, nobody, predictions: Path) -> None:
    ran = bertillon("advise", predictions, *COMPLETE[:-1], "5")
    assert ran.code == 2
    assert "--classes is 5, but the file has 2; leave it out" in ran.err
    assert bertillon("advise", predictions, *COMPLETE).code == 0


def test_a_broken_file_is_told_in_words(bertillon, nobody, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    ran = bertillon("advise", "bad.csv", "--costs", "fn")
    assert ran.code == 2
    assert "no column is known as the true label" in ran.err


def test_the_end_of_the_input_is_no_traceback(bertillon, typing) -> None:
    typing("even")
    ran = bertillon("advise")
    assert ran.code == 1
    assert "Aborted" in ran.err
    assert "Traceback" not in ran.err
