"""docs/extend.md is true: its files, installed as a package, do what the page says, and its mishaps end as it says.

The package is tests/packages/extras, which has tests of its own; they run in a process where it is installed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "extend.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, flags=re.DOTALL)
SHOWN = dict(text[2:].split("\n", 1) for _, text in BLOCKS if text.startswith("# extras/"))
PACKAGE = ROOT / "tests" / "packages" / "extras"
FILES = {
    path.relative_to(PACKAGE).as_posix(): path.read_text()
    for path in sorted((PACKAGE / "extras").rglob("*"))
    if path.suffix in (".py", ".toml")
}
OWN_TESTS = sorted((PACKAGE / "tests").glob("test_*.py"))
USES = [
    (text, answer)
    for (kind, text), (after, answer) in pairwise(BLOCKS)
    if kind == "python" and not text.startswith("# extras/") and after == "text"
]
COMMANDS = [text.strip() for kind, text in BLOCKS if kind == "shell"]
NAMED = "\n".join(text for kind, text in BLOCKS if kind == "toml" and not text.startswith("# extras/"))


@dataclass(frozen=True)
class Site:
    """A folder of installed packages, and a folder to work in."""

    packages: Path
    work: Path

    def install(self, name: str, files: dict[str, str], groups: dict[str, dict[str, str]]) -> None:
        """Put a package and what says that it is installed into the folder."""
        for path, text in files.items():
            (self.packages / path).parent.mkdir(parents=True, exist_ok=True)
            (self.packages / path).write_text(text)
        lines = [line for group, points in groups.items() for line in (f"[{group}]", *map(" = ".join, points.items()))]
        self.write_info(name, "\n".join(lines) + "\n")

    def write_info(self, name: str, entry_points: str) -> None:
        about = self.packages / f"{name}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(entry_points)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.work,
            env={**os.environ, "PYTHONPATH": f"{self.packages}{os.pathsep}{ROOT / 'src'}", "COLUMNS": "100"},
            capture_output=True,
            text=True,
        )

    def python(self, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("-c", code, *arguments)

    def bertillon(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.python("import sys; from bertillon.cli.app import main; main()", *arguments)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    found = Site(tmp_path / "site", tmp_path / "work")
    found.packages.mkdir()
    shutil.copytree(ROOT / "examples", found.work)
    return found


@pytest.fixture
def extras(site: Site) -> Site:
    """The package of the page."""
    site.install("extras", FILES, entry_points(NAMED))
    (site.work / "scores.log").write_text("score=0.9 mated=yes\nscore=0.2 mated=no\n")
    (site.work / "faces.emb").write_text("embeddings\nanna 1 0 1\nanna 2 0.1 0.9\nbob 1 1 0\nbob 2 0.9 0.2\n")
    return site


def entry_points(text: str) -> dict[str, dict[str, str]]:
    """The entry points of several pieces of a pyproject.toml; a heading may come twice."""
    groups: dict[str, dict[str, str]] = {}
    for part in re.split(r"(?m)^(?=\[)", text):
        named = tomllib.loads(part).get("project", {}).get("entry-points", {})
        for group, points in named.items():
            groups.setdefault(group, {}).update(points)
    return groups


def test_the_page_shows_the_files_of_the_package():
    assert {path: FILES[path] for path in SHOWN} == SHOWN
    unseen = {"extras/__init__.py", "extras/catalogues/es/extras.toml", "extras/catalogues/zh/extras.toml"}
    assert set(FILES) - set(SHOWN) == unseen
    assert entry_points(NAMED) == entry_points((PACKAGE / "pyproject.toml").read_text())
    shown = {path.split(".")[0].replace("/", ".") for path in SHOWN if path.endswith(".py")}
    named = {module for points in entry_points(NAMED).values() for module in points.values()}
    assert shown - named == {"extras.gate"}  # whoever has its finding has imported it
    assert named <= shown


@pytest.mark.parametrize("file", OWN_TESTS, ids=lambda path: path.stem)
def test_the_package_passes_its_own_tests_where_it_is_installed(extras, file):
    ran = extras.run("-m", "pytest", "-q", "-c", str(PACKAGE / "pyproject.toml"), str(file))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "skipped" not in ran.stdout, ran.stdout


@pytest.mark.parametrize(("code", "answer"), USES, ids=range(len(USES)))
def test_the_page_is_true_in_python(extras, code, answer):
    ran = extras.python(code)
    assert (ran.stdout, ran.stderr) == (answer, "")


@pytest.mark.parametrize(
    ("command", "said"),
    list(zip(COMMANDS, ("GMean", "scores.csv", "EER", "EER"), strict=True)),
    ids=range(len(COMMANDS)),
)
def test_the_page_is_true_on_the_command_line(extras, command, said):
    program, *arguments = command.split()
    ran = extras.bertillon(*arguments)
    assert program == "bertillon"
    assert (ran.returncode, ran.stderr) == (0, "")
    assert said in ran.stdout


@pytest.mark.parametrize(("command", "name"), [("measures", "GMean"), ("formats", "log"), ("matchers", "chebyshev")])
def test_what_another_package_offers_is_listed(extras, command, name):
    assert name in extras.bertillon(command).stdout


def verified(site: Site, *arguments: str) -> dict[str, dict[str, object]]:
    """The measures of one system, by name, as JSON has them."""
    ran = site.bertillon("verify", *arguments, "-m", "GMean", "-m", "GMean(weight=0.8)", "--json", "-")
    assert ran.returncode == 0, ran.stderr
    return {row["name"]: row for row in json.loads(ran.stdout)["measures"]}


def test_a_measure_of_another_package_is_the_same_in_memory_and_streamed_by_command(extras):
    files = ("genuine.txt", "impostor.txt", "--resamples", "50")
    whole, stream = verified(extras, *files), verified(extras, *files, "--stream")
    assert list(whole) == ["GMean", "GMean(weight=0.8)"]
    for name, row in whole.items():
        assert (stream[name]["value"], stream[name]["threshold"]) == (row["value"], row["threshold"])
        assert row["interval"][0] < row["value"] < row["interval"][1]


def test_a_measure_of_another_package_is_the_same_in_tiles_and_on_dask_by_command(extras, missing):
    files = ("faces.npz", "--matcher", "cosine", "--no-intervals")
    whole, tiles = verified(extras, *files), verified(extras, *files, "--checkpoint", "tiles")
    assert tiles == whole
    if find_spec("distributed") is None:
        missing("dask", "distributed is not installed")
    assert verified(extras, *files, "--engine", "dask") == whole


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "geometric mean of both"),
        ("it", "media geometrica dei due"),
        ("es", "media geométrica de las dos"),
        ("zh", "两种正确率的几何平均"),
    ],
)
def test_a_measure_of_another_package_is_written_everywhere_and_in_its_own_words(extras, lang, words):
    out = ("--json", "all.json", "--csv", "tables", "--report", "report.html", "--lang", lang)
    ran = extras.bertillon("verify", "genuine.txt", "impostor.txt", "-m", "GMean", "--resamples", "50", *out)
    assert ran.returncode == 0, ran.stderr
    assert "GMean" in ran.stdout
    assert words in (extras.work / "report.html").read_text()
    assert json.loads((extras.work / "all.json").read_text())["measures"][0]["name"] == "GMean"
    assert (extras.work / "tables" / "measures.csv").read_text().splitlines()[1].startswith("GMean,")


def test_a_measure_of_another_package_is_compared_and_judged_by_group_by_command(extras):
    ran = extras.bertillon("compare", "old.csv", "new.csv", "-m", "GMean", "--resamples", "50", "--json", "-")
    assert ran.returncode == 0, ran.stderr
    [pair] = json.loads(ran.stdout)["pairs"]
    [row] = pair["measures"]
    assert (pair["paired"], row["name"], row["verdict"]) == (True, "GMean", "better")
    assert row["interval"][0] < row["difference"] == row["second"] - row["first"] < row["interval"][1]
    subjects = {line.split(",")[0] for line in (extras.work / "border.csv").read_text().splitlines()[1:]}
    table = "".join(f"{name},{'even' if int(name[1:]) % 2 == 0 else 'odd'}\n" for name in sorted(subjects))
    (extras.work / "groups.csv").write_text(f"subject,group\n{table}")
    ran = extras.bertillon("verify", "border.csv", "-m", "GMean", "--groups", "groups.csv", "--json", "-")
    assert ran.returncode == 0, ran.stderr
    [point] = json.loads(ran.stdout)["groups"]["points"]
    assert (point["point"], [row["group"] for row in point["FNMR"]]) == ("GMean", ["even", "odd"])


def test_the_measures_of_a_kind_of_another_package_are_listed(extras):
    ran = extras.bertillon("measures", "age")
    assert "mean absolute error in years" in ran.stdout, ran.stderr
    assert "mode 'agee' is not known; expected verification, " in extras.bertillon("measures", "agee").stderr


def test_nothing_of_other_packages_is_looked_for_before_it_is_asked_for(extras):
    """Neither by importing, nor by names of ours, nor by help."""
    code = """
import sys
import bertillon as bt
from bertillon.core.lazy import _loaded
scores = bt.ScoreSet([1, 2], [0, 1])
bt.evaluate(scores, ["EER", "AUROC"]).to_json()
bt.matcher("cosine")
assert not _loaded and "importlib.metadata" not in sys.modules, _loaded
assert not [name for name in sys.modules if name.startswith("extras")]
"""
    ran = extras.python(code)
    assert ran.returncode == 0, ran.stderr


def test_a_broken_package_is_named_and_stops_nobody(site):
    files = {
        "sick/__init__.py": "",
        "sick/measure.py": "import no_such_module",
        "sick/format.py": "raise SystemExit(3)",
        "sick/matcher.py": "def (",
    }
    groups = {f"bertillon.{kind}s": {"ill": f"sick.{kind}"} for kind in ("measure", "format", "matcher")}
    site.install("sick", files, groups)
    site.install("extras", FILES, entry_points(NAMED))
    for command, name, why in (
        ("measures", "GMean", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("formats", "log", "SystemExit: 3"),
        ("matchers", "chebyshev", "SyntaxError"),
    ):
        ran = site.bertillon(command)
        assert ran.returncode == 0
        assert name in ran.stdout
        assert ran.stderr.startswith(f"warning: package sick 1.0 is skipped: entry point 'ill' of bertillon.{command}")
        assert why in ran.stderr
        assert len(ran.stderr.splitlines()) == 1


def test_a_list_of_entry_points_that_cannot_be_read_hides_nobody(site):
    site.install("extras", FILES, entry_points(NAMED))
    site.write_info("garbled", "[bertillon.measures]\nno equals sign here\n")
    ran = site.bertillon("measures", "verification")
    assert "GMean" in ran.stdout
    assert "package garbled 1.0 is skipped: its entry_points.txt cannot be read" in ran.stderr


@pytest.mark.parametrize(
    ("group", "code", "who"),
    [
        (
            "measures",
            "from bertillon.measures import VERIFICATION, Definition\n"
            "VERIFICATION.register(Definition('eer', lambda spelling: None, '', 'eer', better='lower'))",
            "the measure name 'eer' already means EER of bertillon.measures.eer",
        ),
        (
            "measures",
            "from bertillon.measures.registry import Definition, IDENTIFICATION\n"
            "IDENTIFICATION.register(Definition('CMC', lambda spelling: None, '', 'CMC', better='lower'))",
            "the measure name 'CMC' already means CMS of bertillon.measures.identification.ranks",
        ),
        (
            "formats",
            "from bertillon.io import Format, register\n"
            "def fits(head): return True\n"
            "register(Format('csv', 'mine', rank=0, fits=fits))",
            "format 'csv' is registered twice: by bertillon.io.delimited and by greedy",
        ),
        (
            "formats",
            "from bertillon.io.templates import TemplateFormat, register\n"
            "def fits(head): return True\n"
            "register(TemplateFormat('npz', 'mine', rank=0, fits=fits))",
            "template format 'npz' is registered twice: by bertillon.io.templates.tables and by greedy",
        ),
        (
            "matchers",
            "from bertillon.matching import MATCHERS, register\nclass Mine(MATCHERS['cosine']): pass\nregister(Mine)",
            "matcher 'cosine' is registered twice: by bertillon.matching.vectors and by greedy",
        ),
    ],
)
def test_a_name_in_use_cannot_be_taken_and_the_warning_says_who_tried(site, group, code, who):
    site.install("greedy", {"greedy.py": code}, {f"bertillon.{group}": {"mine": "greedy"}})
    show = f"""
import warnings
from bertillon.core.lazy import load_plugins
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    load_plugins("bertillon.{group}")
import bertillon as bt
assert bt.evaluate(bt.ScoreSet([1, 2], [0, 1]), ["EER"])["EER"].value == 0.25
print(*(one.message for one in seen), sep="\\n")
"""
    ran = site.python(show)
    assert ran.stdout.startswith("package greedy 1.0 is skipped"), ran.stderr
    assert who in ran.stdout
    assert len(ran.stdout.splitlines()) == 1


FAULTY = """
from bertillon import io as formats
from bertillon.io import templates


def fits(head):
    raise {error}


formats.register(formats.Format("faulty", "fails whatever it is shown", rank=0, fits=fits))
templates.register(templates.TemplateFormat("faulty", "fails whatever it is shown", 0, fits))
"""


@pytest.mark.parametrize("error", ["ZeroDivisionError('by nothing')", "SystemExit(3)"])
def test_a_format_that_fails_to_recognise_a_file_is_passed_over(site, error):
    files = {"faulty/__init__.py": "", "faulty/format.py": FAULTY.format(error=error)}
    site.install("faulty", files, {"bertillon.formats": {"faulty": "faulty.format"}})
    (site.work / "x.csv").write_text("label,score\n1,0.9\n0,0.1\n")
    ran = site.bertillon("verify", "x.csv", "-m", "EER", "--no-intervals")
    assert ran.returncode == 0, ran.stderr
    assert "warning: package faulty 1.0 is skipped: format 'faulty' (faulty.format) failed with" in ran.stderr
    (site.work / "t.csv").write_text("subject,a,b\nanna,1,2\nanna,1,3\nbob,4,1\nbob,4,2\n")
    ran = site.bertillon("verify", "t.csv", "--matcher", "cosine", "-m", "EER", "--no-intervals")
    assert ran.returncode == 0, ran.stderr
    assert "package faulty 1.0 is skipped: template format 'faulty'" in ran.stderr
