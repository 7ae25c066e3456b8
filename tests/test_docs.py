"""Every page is true: its commands print what it shows, its examples run, its tables are those of the code."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import pyplot

ROOT = Path(__file__).parent.parent
_spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs" / "refresh.py")
assert _spec is not None
assert _spec.loader is not None
refresh = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(refresh)


@pytest.fixture(autouse=True)
def closed():
    """Figures that pages drew do not stay open; a page may draw more than matplotlib warns of."""
    with pyplot.rc_context({"figure.max_open_warning": 0}):
        yield
    pyplot.close("all")


@pytest.mark.parametrize("page", refresh.PAGES, ids=refresh.name_of)
def test_pages_show_what_the_commands_print(page: Path) -> None:
    text = page.read_text()
    assert refresh.refreshed(text) == text, "run docs/refresh.py and read what changed"


@pytest.mark.parametrize("page", refresh.PAGES, ids=refresh.name_of)
def test_python_examples_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setitem(mpl.rcParams, "figure.max_open_warning", 0)  # the gallery has many
    failed, _ = doctest.testfile(str(page), module_relative=False)
    assert failed == 0


def test_python_examples_are_there_to_run() -> None:
    parser = doctest.DocTestParser()
    pages = [page for page in refresh.PAGES if parser.get_examples(page.read_text())]
    assert {"README.md", "rule-and-ties.md", "measures.md", "mistakes.md", "student.md"} <= {
        page.name for page in pages
    }


@pytest.mark.parametrize("page", refresh.PAGES, ids=refresh.name_of)
def test_links_and_pictures_exist(page: Path) -> None:
    text = re.sub(r"`[^`]*`", "", page.read_text())
    for target in re.findall(r"\]\(([^)#]+?)\)", text):
        assert (page.parent / target).exists(), target
