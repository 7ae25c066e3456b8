"""docs/extend.md is true: its files, installed as a package, do what the page says, and its mishaps end as it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "extend.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, flags=re.DOTALL)
FILES = {text.split("\n", 1)[0][2:]: text for kind, text in BLOCKS if kind == "python" and text.startswith("# ")}
USES = [
    (text, answer)
    for (kind, text), (after, answer) in pairwise(BLOCKS)
    if kind == "python" and text not in FILES.values() and after == "text"
]
COMMANDS = [text.strip() for kind, text in BLOCKS if kind == "shell"]
NAMED = "\n".join(text for kind, text in BLOCKS if kind == "toml")


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

    def python(self, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=self.work,
            env={**os.environ, "PYTHONPATH": f"{self.packages}{os.pathsep}{ROOT / 'src'}", "COLUMNS": "100"},
            capture_output=True,
            text=True,
        )

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
    site.install("extras", {"extras/__init__.py": "", **FILES}, entry_points(NAMED))
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


def test_the_page_has_a_file_a_line_and_both_uses_for_each_extension():
    assert [path.rpartition("/")[2] for path in FILES] == ["gmean.py", "log.py", "emb.py", "chebyshev.py"]
    assert sum(map(len, entry_points(NAMED).values())) == len(USES) == len(COMMANDS) == len(FILES)


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


def test_a_measure_of_another_package_has_intervals_and_is_compared(extras):
    """Resampled as ours are, within the ends its definition gives, and better the way it says."""
    code = """
import bertillon as bt
one, two = (bt.simulate(dprime=d, mated=60, nonmated=300, rng=1).scores for d in (1.0, 4.0))
found = bt.evaluate(one, ["GMean"]).with_intervals(resamples=50, seed=1)
interval = found.intervals["GMean"]
assert interval.low < found["GMean"].value < interval.high <= 1.0, interval
assert "resampled 50 times" in str(interval.method), interval
[versus] = bt.compare_systems([one, two], ["GMean"], settings=bt.Settings(resamples=50), paired=False)
[difference] = versus.differences
assert difference.better == 1 and difference.significant and difference.difference > 0, difference
assert "GMean" in found.to_json()
print("good")
"""
    ran = extras.python(code)
    assert ran.stdout == "good\n", ran.stderr


def test_a_measure_of_another_package_is_exact_or_within_bounds_of_counts(extras):
    code = """
import bertillon as bt
few, many = (bt.simulate(mated=n, nonmated=n, rng=1).scores for n in (50, 200_000))
exact = bt.evaluate(bt.count_scores(bt.ScoreStream([few])), ["GMean"])["GMean"]
assert exact == bt.evaluate(few, ["GMean"])["GMean"], exact
loose = bt.evaluate(bt.count_scores(bt.ScoreStream([many])), ["GMean", "AUC"])
assert loose["AUC"].value > 0.9, loose
low, high = loose.bounds["GMean"]
assert low == loose["GMean"].value <= bt.evaluate(many, ["GMean"])["GMean"].value <= high < low + 0.01, (low, high)
print("good")
"""
    ran = extras.python(code)
    assert ran.stdout == "good\n", ran.stderr


def test_nothing_of_other_packages_is_looked_for_before_it_is_asked_for(extras):
    """Neither by importing, nor by names of ours, nor by help."""
    code = """
import sys
import bertillon as bt
from bertillon.core.plugins import _loaded
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
    site.install("extras", {"extras/__init__.py": "", **FILES}, entry_points(NAMED))
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
    site.install("extras", {"extras/__init__.py": "", **FILES}, entry_points(NAMED))
    site.write_info("garbled", "[bertillon.measures]\nno equals sign here\n")
    ran = site.bertillon("measures", "verification")
    assert "GMean" in ran.stdout
    assert "package garbled 1.0 is skipped: its entry_points.txt cannot be read" in ran.stderr


@pytest.mark.parametrize(
    ("group", "code", "who"),
    [
        (
            "measures",
            "from bertillon.measures.registry import Definition, register\n"
            "register(Definition('eer', lambda spelling: None, '', 'eer', better='lower'))",
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
from bertillon.core.plugins import load_plugins
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
