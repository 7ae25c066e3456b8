"""What a user can say of a file that does not speak for itself: --values, --trust, --failed, --all-against-all."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import bertillon as bt

ROWS = [("2", 0.9), ("2", 0.8), ("2", 0.2), ("1", 0.1), ("1", 0.3), ("1", 0.85), ("0", 0.95)]


def eer(bertillon, *arguments: object) -> float:
    ran = bertillon("verify", *arguments, "-m", "EER", "--json", "-", "--no-intervals")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["measures"][0]["value"]


def write_rows() -> dict[str, list[str]]:
    """The same rows in several formats, and what must be said to read them."""
    Path("named.csv").write_text("label,score\n" + "".join(f"{label},{score}\n" for label, score in ROWS))
    Path("bare.txt").write_text("".join(f"{label} {score}\n" for label, score in ROWS))
    array = np.array([[float(label), score] for label, score in ROWS])
    np.save("array.npy", array)
    np.savez("columns.npz", label=array[:, 0].astype(int), score=array[:, 1])
    import polars as pl

    pl.DataFrame({"label": array[:, 0], "score": array[:, 1]}).write_parquet("table.parquet")
    return {
        "named.csv": [],
        "bare.txt": ["--column", "label=1", "--column", "score=2"],
        "array.npy": [],
        "columns.npz": [],
        "table.parquet": [],
    }


def test_values_say_what_labels_mean_in_every_format(bertillon, tmp_path: Path) -> None:
    expected = bt.evaluate(bt.ScoreSet([0.9, 0.8, 0.2], [0.1, 0.3, 0.85]), ["EER"])["EER"].value
    for name, more in write_rows().items():
        assert eer(bertillon, name, *more, "--values", "mated=2,nonmated=1,attack=0") == expected, name


@pytest.mark.parametrize("name", ["named.csv", "table.parquet", "columns.npz"])
def test_values_hold_in_parts_too(bertillon, tmp_path: Path, name: str) -> None:
    write_rows()
    expected = bt.evaluate(bt.ScoreSet([0.9, 0.8, 0.2], [0.1, 0.3, 0.85]), ["EER"])["EER"].value
    assert eer(bertillon, name, "--stream", "--values", "mated=2,nonmated=1,attack=0") == pytest.approx(expected)


def test_labels_that_are_not_understood_name_the_option(bertillon, tmp_path: Path) -> None:
    write_rows()
    ran = bertillon("verify", "named.csv")
    assert (ran.code, "--values mated=VALUE,nonmated=VALUE,attack=VALUE" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("mated", "cannot read 'mated'; expected MEANING=VALUE"),
        ("same=1,nonmated=0", "'same' is no meaning of a label"),
        ("mated=1,nonmated=1", "'1' is said to be mated and nonmated"),
        ("mated=2,nonmated=1", "labels '0' stand in the column, and nothing was said of them"),
    ],
)
def test_bad_values_exit_with_2(bertillon, tmp_path: Path, values: str, words: str) -> None:
    write_rows()
    ran = bertillon("verify", "named.csv", "--values", values)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_values_without_labels_exit_with_2(bertillon, tmp_path: Path) -> None:
    Path("s.csv").write_text("probe,score\na,0.5\n")
    ran = bertillon("verify", "s.csv", "--values", "mated=1,nonmated=0")
    assert (ran.code, "no column holds labels" in ran.err) == (2, True)


CONTRADICTING = "label,probe_subject,reference_subject,score\n" + "".join(
    f"{int((number % 4 == 0) != (number == 8))},p{number},{'p' if number % 4 == 0 else 'q'}{number},{number / 20}\n"
    for number in range(20)
)


def test_labels_that_contradict_the_subjects_stop_the_work(bertillon, tmp_path: Path) -> None:
    Path("s.csv").write_text(CONTRADICTING)
    for more in ([], ["--stream"]):
        ran = bertillon("verify", "s.csv", *more)
        assert ran.code == 2
        assert "1 of 20 labels contradict the subjects (row 9 is non-mated, p8 with p8)" in ran.err
        assert "--trust labels" in ran.err


def test_what_to_trust_can_be_said(bertillon, tmp_path: Path) -> None:
    Path("s.csv").write_text(CONTRADICTING)
    by_labels, by_subjects = (bt.read_scores("s.csv", trust=one) for one in ("labels", "subjects"))
    assert (by_labels.mated.size, by_subjects.mated.size) == (4, 5)
    assert any("1 of 20 labels contradict the subjects; the subjects are used" in str(one) for one in by_subjects.notes)
    shown = bertillon("verify", "s.csv", "--trust", "labels", "--no-intervals").out
    assert "the labels are used" in " ".join(shown.split())
    ran = bertillon("verify", "s.csv", "--trust", "everybody")
    assert (ran.code, "expected labels or subjects" in ran.err) == (2, True)


def test_failed_scores_count_as_failures_everywhere(bertillon, tmp_path: Path) -> None:
    Path("s.csv").write_text("label,score\n1,0.9\n1,0.8\n1,-1\n0,0.1\n0,0.2\n0,-1\n")
    for more in ([], ["--stream"]):
        ran = bertillon("verify", "s.csv", "--failed", "-1", "--json", "-", "--no-intervals", *more)
        assert json.loads(ran.out)["counts"] == {"mated": 2, "nonmated": 2, "failed": 2}, more
    assert "2 failed" in bertillon("verify", "s.csv", "--failed", "-1", "--no-intervals").out


def test_a_matrix_is_settled_by_an_option(bertillon, tmp_path: Path) -> None:
    lines = [",ann,ann,bob,bob", "ann,0,1,4,5", "ann,1,0,3,4", "bob,4,3,0,2", "bob,5,4,2,0"]
    Path("m.csv").write_text("\n".join(lines) + "\n")
    for options, counts in (([], (4, 8)), (["--all-against-all"], (4, 8)), (["--no-all-against-all"], (8, 8))):
        ran = bertillon("verify", "m.csv", *options, "--distance", "--json", "-", "--no-intervals")
        found = json.loads(ran.out)["counts"]
        assert (found["mated"], found["nonmated"]) == counts, options


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["s.csv", "--all-against-all"], "is about a square matrix, and there is none"),
        (["s.csv", "--no-all-against-all"], "is about a square matrix, and there is none"),
        (["s.csv", "--column", "score=score", "--column", "score=label"], "score is said to be 'score' and 'label'"),
        (["t.scp"], "files elsewhere are not opened"),
    ],
)
def test_options_and_files_that_make_no_sense_are_refused_with_the_reason(bertillon, arguments, words) -> None:
    Path("s.csv").write_text("label,score\n1,0.9\n0,0.1\n")
    Path("t.scp").write_text("u1 /etc/x.ark:5\nu2 /etc/x.ark:9\n")
    ran = bertillon("verify", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_a_name_that_looks_like_an_option_stays_a_name(bertillon) -> None:
    Path("--json=z.csv").write_text("label,score\n1,0.9\n0,0.1\n")
    assert "bertillon verify ./--json=z.csv --format csv" in bertillon("inspect", "./--json=z.csv").out


def test_what_acts_on_a_terminal_is_written_out_in_csv_too(bertillon) -> None:
    Path("s.csv").write_text(
        "label,species,score\nbonafide,,0.9\nbonafide,,0.8\nattack,=cmd,0.1\nattack,a\x1b[31mb,0.2\n"
    )
    assert bertillon("attacks", "s.csv", "--pad", "-t", "0.5", "--csv", "out").code == 0
    text = "".join(path.read_text() for path in Path("out").iterdir())
    assert "\x1b" not in text
    assert "a\\u001b[31mb" in text
    assert "'=cmd" in text
