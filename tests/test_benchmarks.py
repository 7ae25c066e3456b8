"""Rows of the benchmarks are renewed one by one, and the others stay as they were measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # where the benchmarks are

from benchmarks import __main__ as command
from benchmarks.harness import Case, Measured, Row
from benchmarks.machine import describe

CASES = tuple(
    Case(name, 1.5, lambda scale, ratio=ratio: Measured(ratio, ratio, 1.0), "at most")
    for name, ratio in (("first", 1.0), ("second", 1.2), ("third", 2.0))
)
OLD = Row("second", 3.0, 2.0, 1.8, "at most 2 x", True)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table with an old row of the second case, and a row of a case that is gone."""
    monkeypatch.setattr(command, "CASES", CASES)
    path = tmp_path / "results.json"
    command._save(path, describe(), 1.0, [OLD, Row("gone", 1.0, 1.0, 1.0, "none", None)])
    return path


def rows_of(path: Path) -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in json.loads(path.read_text())["rows"]}


def test_a_row_is_renewed_and_the_others_stay(store: Path) -> None:
    assert command.main(["--renew", "--only", "FIRST", "--store", str(store)]) == 0
    rows = rows_of(store)
    assert list(rows) == ["first", "second"]  # in the order of the cases, and none of what is gone
    assert (rows["first"]["ratio"], rows["first"]["passed"]) == (1.0, True)
    assert rows["second"]["ratio"] == OLD.ratio


def test_a_row_that_stays_is_judged_by_the_bar_of_now(store: Path) -> None:
    command.main(["--renew", "--only", "first", "--store", str(store)])
    assert (rows_of(store)["second"]["bar"], rows_of(store)["second"]["passed"]) == ("at most 1.5 x", False)


def test_several_rows_are_chosen_and_a_missed_bar_ends_with_1(store: Path) -> None:
    assert command.main(["--renew", "--only", "second", "--only", "third", "--store", str(store)]) == 1
    rows = rows_of(store)
    assert [(name, row["ratio"], row["passed"]) for name, row in rows.items()] == [
        ("second", 1.2, True),
        ("third", 2.0, False),
    ]


def test_rows_of_another_machine_are_not_mixed(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(store.read_text())
    content["machine"]["cores"] = 9999
    store.write_text(json.dumps(content))
    with pytest.raises(SystemExit):
        command.main(["--renew", "--only", "first", "--store", str(store)])
    assert "cores 9999" in capsys.readouterr().err
    assert list(rows_of(store)) == ["second", "gone"]


def test_every_stored_row_has_the_name_of_a_case() -> None:
    names = [case.name for case in command.CASES]
    assert len(set(names)) == len(names)
    stored = json.loads(command.STORE.read_text())["rows"]
    assert {row["name"] for row in stored} <= set(names)
