"""Names that look like markup or have bytes of their own, narrow terminals, and those without letters for a sign."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from pathlib import Path

import pytest

EVIL = "[/b]evil"


def people_table() -> str:
    pairs = [(a, b) for a in range(6) for b in range(6) for _ in range(3)]
    rows = (f"[/{a}],[/{b}],{0.5 * (a == b) + 0.03 * place % 0.4},{place % 7}" for place, (a, b) in enumerate(pairs))
    return "\n".join(["probe_subject,reference_subject,score,quality", *rows, ""])


@pytest.mark.parametrize(
    "options",
    [
        ("--volume", "genuine=10,impostor=1"),
        ("--dev", "[bold]x.csv"),
        ("--people",),
        ("--discard", "quality"),
        ("--groups", "groups.csv"),
    ],
    ids=lambda options: options[0],
)
def test_names_are_shown_as_they_are(bertillon, tmp_path: Path, options: tuple) -> None:
    (tmp_path / "[bold]x.csv").write_text(people_table())
    (tmp_path / "groups.csv").write_text("subject,group\n" + "".join(f"[/{one}],[/{one % 2}]\n" for one in range(6)))
    ran = bertillon("verify", "[bold]x.csv", "--no-intervals", "-m", "EER", "--name", EVIL, *options)
    assert ran.code == 0, ran.err
    assert EVIL in ran.out
    assert all(name in ran.out for name in ("[/0]", "[/1]")) or options[0] != "--groups"


def test_classes_and_groups_are_shown_as_they_are(bertillon, tmp_path: Path) -> None:
    rows = (f"{'[/a]' if place % 2 else '[b]'},{place / 20},[/g{place % 3}]" for place in range(20))
    (tmp_path / "x.csv").write_text("\n".join(["y_true,p,site", *rows, ""]))
    ran = bertillon("classify", "x.csv", "--positive", "[b]", "--groups", "site", "--no-intervals")
    assert ran.code == 0, ran.err
    firsts = [line.split()[0] for line in ran.out.splitlines() if line.strip()]
    assert {"[b]", "[/a]", "[/g0]"} <= set(firsts)


def test_no_number_is_cut_off_in_a_narrow_terminal(bertillon, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    ran = bertillon("verify", table, "--resamples", 20)
    assert "FNMR@FMR=0.0001" in ran.out
    assert "…" not in ran.out


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
@pytest.mark.parametrize(("command", "measure"), [("verify", "EER"), ("classify", "AUC")])
def test_names_of_files_need_not_be_utf8(bertillon, table: Path, command: str, measure: str) -> None:
    name = os.fsdecode(b"caf\xe9.csv")
    table.rename(table.parent / name)
    ran = bertillon(command, name, "--no-intervals", "-m", measure, "--json", "a.json", "--report", "a.html")
    assert ran.code == 0, ran.err
    assert json.loads(Path("a.json").read_text())["name"] == "caf\ufffd.csv"
    assert "no such file" in bertillon(command, os.fsdecode(b"no\xe9.csv")).err


def test_a_terminal_without_a_letter_for_it_shows_a_question_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    from bertillon.cli import main

    written = io.BytesIO()
    monkeypatch.setattr(sys, "argv", ["bertillon", "plan", "--fmr", "0.001"])
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    with pytest.raises(SystemExit) as stopped:
        main()
    sys.stdout.flush()
    assert not stopped.value.code
    assert b"FMR 0.001 ?30 %" in written.getvalue()


class Full(io.StringIO):
    """A disk without room."""

    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_no_internal_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from bertillon.cli import main

    monkeypatch.setattr(sys, "argv", ["bertillon", "plan", "--fmr", "0.001"])
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert "error: [Errno 28]" in capsys.readouterr().err
