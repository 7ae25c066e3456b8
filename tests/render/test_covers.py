"""What the writer of a report says before it, and the figures beside it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from render.cases import NASTY, scored

import bertillon as bt
from bertillon.stats import Settings
from bertillon.views import ReportContent

FORMS = {"md": "png", "tex": "pdf"}


@pytest.fixture(autouse=True)
def day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")


@pytest.fixture(scope="module")
def e() -> bt.Evaluation:
    return scored(sure=False)


@pytest.mark.parametrize("suffix", ["html", "md", "tex"])
def test_title_author_date_and_notes_stand_before_the_numbers(e, tmp_path: Path, suffix: str) -> None:
    text = e.report(
        tmp_path / f"r.{suffix}", title="Gate 4", author="A. Lovelace", notes="One\ntwo.\n\nThree."
    ).read_text()
    places = [text.index(part) for part in ("Gate 4", "A. Lovelace", "1970-01-02", "One two.", "Three.", "50 mated")]
    assert places == sorted(places)
    assert "Verification report" in text or suffix == "tex"


@pytest.mark.parametrize("suffix", ["html", "md", "tex"])
def test_they_are_text_whatever_they_hold(e, tmp_path: Path, suffix: str) -> None:
    text = e.report(tmp_path / f"r.{suffix}", title=NASTY, author=NASTY, notes=f"{NASTY}\n\n# no heading").read_text()
    assert {"html": "<img src", "md": "\n# no", "tex": "\\end{table} $"}[suffix] not in text
    assert {"html": "&lt;img src", "md": "\\# no heading", "tex": "\\#2 \\{x\\}"}[suffix] in text


def test_notes_may_stand_in_a_file(e, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("\ufeffÜber das Tor", encoding="utf-8")
    assert "\nÜber das Tor\n" in e.report(tmp_path / "r.md", notes=notes).read_text(encoding="utf-8")
    notes.write_bytes(b"caf\xe9")
    with pytest.raises(bt.InputError, match="byte 4 is not UTF-8"):
        e.report(tmp_path / "r.md", notes=notes)
    for wrong in (tmp_path, tmp_path / "none.txt"):
        with pytest.raises(bt.InputError, match="cannot be read"):
            e.report(tmp_path / "r.md", notes=wrong)


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_records_have_no_room_for_them(e, tmp_path: Path, suffix: str) -> None:
    with pytest.raises(bt.InputError, match="has no title, author or notes"):
        e.report(tmp_path / f"r.{suffix}", title="Gate 4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", FORMS)
def test_figures_lie_beside_the_report_and_are_named_in_it(e, tmp_path: Path, suffix: str) -> None:
    text = e.report(tmp_path / f"gate 4.{suffix}", lang="es").read_text(encoding="utf-8")
    named = re.findall(r"[({](gate_4-figures/[\w-]+\.\w+)[)}]", text)
    assert named == [f"gate_4-figures/{name}.{FORMS[suffix]}" for name in ("det-log", "rates", "distributions")]
    assert sorted(path.name for path in (tmp_path / "gate_4-figures").iterdir()) == sorted(Path(n).name for n in named)
    start = {"md": b"\x89PNG", "tex": b"%PDF"}[suffix]
    assert all((tmp_path / name).read_bytes().startswith(start) for name in named)
    assert "Distribución de las puntuaciones" in text


def test_the_report_of_a_comparison_has_its_forest_and_intervals(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    mated, nonmated = rng.normal(2, 1, 100), rng.normal(0, 1, 400)
    systems = {"old": (mated, nonmated), "new": (mated + 1, nonmated)}
    found = bt.compare(systems, "EER", settings=Settings(resamples=100))
    text = found.report(tmp_path / "r.md", title="Upgrade").read_text()
    assert text.startswith("# Upgrade\n\n**Comparison report**\n")
    assert "](r-figures/forest.png)" in text
    assert "resampled 100 times" in text
    assert "r-figures/forest.pdf" in found.report(tmp_path / "r.tex").read_text()
    assert not found.evaluations[0].intervals


def test_nothing_is_written_where_a_figure_cannot_be(e, tmp_path: Path) -> None:
    (tmp_path / "r-figures").write_text("a file where the folder would be")
    with pytest.raises(bt.InputError):
        e.report(tmp_path / "r.md")
    assert not (tmp_path / "r.md").exists()


def test_how_many_people_there_were_is_said_where_it_is_known(e, tmp_path: Path) -> None:
    people = bt.simulate.scores("subjects", subjects=20, rng=1).scores
    content = ReportContent(verification=[bt.evaluate(people, "EER")])
    assert "The comparisons are of 20 people." in bt.write_report(content, tmp_path / "r.html").read_text()
    assert "The comparisons are of" not in e.report(tmp_path / "r.html").read_text()
