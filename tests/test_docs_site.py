"""The site: every page has its place, every link its target, and what is generated leaves nothing out."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bertillon as bt

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if not page.relative_to(DOCS).parts[0].startswith("_")]
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]*)\)")
DRAWN = re.compile(r"```\{drawn\} ([^\n]*)\n(.*?)```", re.DOTALL)
FIGURES = [(page, *found) for page in PAGES for found in DRAWN.findall(page.read_text())]


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (DOCS, DOCS / "_ext"):
        monkeypatch.syspath_prepend(str(folder))


def module(name: str) -> Any:
    return importlib.import_module(name)


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


def anchors(page: Path) -> set[str]:
    """Of the headings, those that are generated included."""
    text = FENCE.sub("", module("generated").filled(page.read_text()))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {module("measure_pages").anchor(heading.replace("`", "")) for heading in headings}


def test_every_page_stands_in_the_table_of_contents_once() -> None:
    listed = []
    for page in (DOCS / "index.md", DOCS / "reference" / "api.md"):
        lists = re.findall(r"```\{toctree\}(.*?)```", page.read_text(), re.DOTALL)
        folder = page.relative_to(DOCS).parent
        listed += [(folder / line).as_posix() for one in lists for line in one.split("\n\n", 1)[1].split()]
    assert sorted(listed) == sorted(name_of(page)[:-3] for page in PAGES if page.name != "index.md")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_has_a_target(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", module("generated").filled(page.read_text())))
    for target in LINK.findall(text):
        assert "://" not in target, "the pages need no network"
        path, _, fragment = target.partition("#")
        aim = (page.parent / path).resolve() if path else page
        assert aim.exists(), target
        assert aim.is_relative_to(DOCS), f"{target} lies outside of the site"
        assert not fragment or fragment in anchors(aim), target


@pytest.mark.parametrize("mode", ["verification", "identification", "classification", "attacks"])
def test_the_catalogue_has_every_measure_with_formula_reference_and_direction(mode: str) -> None:
    pages = module("measure_pages")
    definitions = pages.measure_sets()[mode].definitions
    text = pages.measures(mode)
    assert f"```{{generated}} measures {mode}" in (DOCS / "reference" / f"{mode}-measures.md").read_text()
    entries = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
    assert list(entries) == list(definitions)
    for name, entry in entries.items():
        for field in ("Formula", "Written", "Shown as", "Better", "Reference"):
            assert re.search(rf"^:{field}: \S", entry, re.MULTILINE), (name, field)
        assert all(synonym in entry for synonym in definitions[name].synonyms)
        assert definitions[name].iso in entry


def test_references_are_in_the_bibliography_and_all_of_it_is_referred_to() -> None:
    pages = module("measure_pages")
    definitions = [one for measure_set in pages.measure_sets().values() for one in measure_set.definitions.values()]
    used = {work for one in definitions for work in pages.works(one.reference)}
    listed = re.findall(r"^## (.*)$", (DOCS / "reference" / "bibliography.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(used)


def test_the_reference_has_every_command_argument_and_option() -> None:
    pages = module("command_pages")
    text = pages.commands()
    sections = dict(re.findall(r"^## bertillon ([a-z -]+)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
    assert list(sections) == [name for name, _ in pages.walk()]
    assert {"verify", "calibrate fit", "calibrate apply", "demo"} <= set(sections)
    for name, command in pages.walk():
        for one in command.parameters:
            spellings = one.flags or [one.metavar]
            assert all(re.search(rf"`{re.escape(word)}[ `]", sections[name]) for word in spellings), (name, one.name)
            assert "".join(one.spec.help.split()) in "".join(sections[name].replace("\\", "").split()), (
                name,
                one.name,
            )


def test_examples_of_commands_come_from_the_pages_that_run_them() -> None:
    section = module("command_pages").commands().partition("## bertillon plan\n")[2].partition("\n## ")[0]
    assert "`bertillon plan --fmr 1e-3 --interval 0.3` ([shown here](../tutorials/laboratory.md))" in section


def test_the_list_of_names_has_every_public_one() -> None:
    pages = module("name_pages")
    names = re.findall(r"^## (\w+)$", "".join(map(pages.names, pages.TASKS)), re.MULTILINE)
    assert sorted(names) == sorted(name for name in bt.__all__ if not name.startswith("__"))
    for task in pages.TASKS:
        assert f"```{{generated}} names {task}\n" in (DOCS / "reference" / "api" / f"{task}.md").read_text()
        assert f"](api/{task}.md)" in pages.names()


def test_an_entry_has_parameters_what_is_returned_and_an_example() -> None:
    text = module("name_pages").names("evaluating").partition("## eer\n")[2].partition("\n## ")[0]
    for part in ("**Parameters**\n\n- `genuine", "**Returns**", "**Examples**\n\n```pycon\n>>> "):
        assert part in text
    assert "### plot.roc\n" in module("name_pages").names("showing")


def test_defaults_that_are_addresses_or_long_are_left_out() -> None:
    text = "".join(map(module("name_pages").names, module("name_pages").TASKS))
    assert " at 0x" not in text
    assert "measures: Asked" in text


def test_the_schema_page_has_every_part() -> None:
    import json

    parts = json.loads((DOCS / "schema" / "bertillon-1.json").read_text())["$defs"]
    assert re.findall(r"^## (\w+)$", module("schema_pages").schema(), re.MULTILINE) == list(parts)


def test_what_nothing_generates_is_an_error() -> None:
    from sphinx.errors import ExtensionError

    with pytest.raises(ExtensionError, match="nothing generates 'measure'"):
        module("generated").filled("```{generated} measure\n```")


def test_the_street_is_that_of_the_import_contract() -> None:
    street = module("street")
    assert [name for band in street.layers() for name in band] == list(street.headings())
    assert street.picture() == street.PICTURE.read_text(), "run docs/street.py and look at the picture"


def test_what_is_said_to_be_decided_somewhere_is_there() -> None:
    rows = re.findall(r"^\| ([^|]*) \| (`.*) \|$", (DOCS / "architecture.md").read_text(), re.MULTILINE)
    places = [found for _, where in rows for found in re.findall(r"`(\w+)` (?:in|of) `(src/[^`]*)`", where)]
    assert len(places) >= len(rows) >= 10
    for name, path in places:
        assert re.search(rf"^(?:def|class) {name}\b|^{name}\b.* = ", (ROOT / path).read_text(), re.MULTILINE), (
            name,
            path,
        )


@pytest.mark.parametrize(("page", "caption", "code"), FIGURES, ids=[name_of(page) for page, *_ in FIGURES])
def test_figures_of_the_pages_can_be_drawn(page: Path, caption: str, code: str, tmp_path: Path) -> None:
    drawn = module("drawn").draw(code, tmp_path / "figure.svg")
    assert caption.endswith(".")
    assert drawn.read_text().count("<path") > 20


def test_every_concept_has_a_figure_and_every_tutorial_runs_commands_and_python() -> None:
    drawn = {page for page, *_ in FIGURES}
    assert drawn >= set((DOCS / "concepts").glob("*.md"))
    for page in (DOCS / "tutorials").glob("*.md"):
        text = page.read_text()
        assert "\n$ bertillon " in text, page.name
        assert "\n>>> " in text, page.name


def test_only_what_follows_a_dollar_is_a_command_in_a_terminal_block() -> None:
    from pygments.token import Generic

    text = "$ bertillon verify a.csv\nEER   2.5 %  #1\n"
    tokens = list(module("terminal").TerminalLexer().get_tokens(text))
    assert [kind for kind, _ in tokens] == [Generic.Prompt, Generic.Strong, Generic.Output]


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_fetches_nothing(tmp_path: Path) -> None:
    words = ["-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", str(tmp_path / "trees")]
    done = subprocess.run([sys.executable, *words, str(DOCS), str(tmp_path / "html")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    pages = list((tmp_path / "html").rglob("*.html"))
    assert len(pages) >= len(PAGES)
    for page in pages:
        fetched = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*\"", page.read_text())
        assert fetched == [], page.name
