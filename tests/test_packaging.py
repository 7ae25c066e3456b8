"""What is installed: complete, light to start, and typed for the programs of others.

The slow tests build the wheel and the source archive and install each into an empty environment; the fast ones look at
the same promises in the source tree.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tarfile
import tomllib
import typing
import venv
import zipfile
from pathlib import Path

import pytest

import bertillon as bt

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "bertillon"
CONSUMER = Path(__file__).parent / "consumer.py"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
HEAVY = (
    *("numpy", "scipy", "numba", "polars", "matplotlib", "rich", "click", "h5py", "jinja2", "pandas", "sklearn"),
    *("importlib.metadata", "asyncio", "multiprocessing", "email"),
)


EXAMPLES = {path.name for path in (ROOT / "examples").iterdir() if path.suffix in (".txt", ".csv", ".npz")}


def contents() -> set[str]:
    """Every file of the package, as it is called in a wheel."""
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(PACKAGE.parent).as_posix() for path in files}


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """What a command prints; its errors are shown where it fails. The source tree is not on its path."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    ran = subprocess.run([*map(str, command)], cwd=cwd, env=clean, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout


def test_the_package_holds_more_than_python():
    """What the page is made of, and the mark of a typed package."""
    suffixes = {path.rpartition(".")[2] for path in contents()}
    assert {"py", "typed", "j2", "css", "js"} <= suffixes
    assert (PACKAGE / "py.typed").read_bytes() == b""
    assert "bertillon/py.typed" in contents()


def test_nothing_of_the_package_is_left_out_of_the_wheel():
    """The wheel takes the whole folder, but for what is ignored by name."""
    pathspec = pytest.importorskip("pathspec")
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == ["src/bertillon"]
    assert wheel["force-include"] == {f"examples/{name}": f"bertillon/examples/{name}" for name in EXAMPLES}
    ignored = pathspec.PathSpec.from_lines("gitignore", (ROOT / ".gitignore").read_text().splitlines())
    assert not [path for path in contents() if ignored.match_file(f"src/{path}")]
    kept = ("docs/extend.md", "tests/conftest.py", "examples/faces.npz", "fuzz/test_readers.py", "Makefile")
    assert not [path for path in kept if ignored.match_file(path) or not (ROOT / path).exists()]


def test_importing_loads_nothing_heavy_and_looks_for_no_plugins():
    code = f"import sys, bertillon; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert run(sys.executable, "-c", code).strip() == "[]"


def test_importing_reads_few_modules():
    """A count, since time on a busy machine says little: bertillon itself and its version."""
    code = "import sys, bertillon; print(sorted(name for name in sys.modules if name.startswith('bertillon')))"
    assert run(sys.executable, "-c", code).strip() == "['bertillon', 'bertillon._version']"


def test_help_loads_no_numbers():
    code = f"""
import sys
sys.argv = ["bertillon", "--help"]
from bertillon.cli.app import main
try:
    main()
except SystemExit:
    pass
heavy = set({HEAVY!r}) - {{"rich", "click", "importlib.metadata", "asyncio", "email"}}
print("heavy:", sorted(heavy & set(sys.modules)))
"""
    assert run(sys.executable, "-c", code).splitlines()[-1] == "heavy: []"


@pytest.mark.parametrize("name", [name for name in bt.__all__ if name not in ("__version__",)])
def test_what_is_offered_says_its_types(name):
    """Fast twin of the type checker: every function says what it takes and returns, and returns no Any."""
    offered = getattr(bt, name)
    if not inspect.isfunction(offered):
        return
    said = inspect.signature(offered)
    assert said.return_annotation not in (inspect.Signature.empty, "Any", typing.Any)
    assert all(one.annotation is not inspect.Parameter.empty for one in said.parameters.values())


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    return folder


def installed(archive: Path, folder: Path) -> Path:
    """The folder of programs of an empty environment into which the archive was installed."""
    venv.create(folder, with_pip=True)
    where = folder / "bin"
    run(where / "python", "-m", "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", archive)
    return where


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_the_examples(built):
    [wheel] = built.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == contents() | {f"bertillon/examples/{name}" for name in EXAMPLES}


@pytest.mark.slow
def test_the_source_archive_holds_what_it_takes_to_test_and_document(built):
    [archive] = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert {f"src/{path}" for path in contents()} <= names
    assert {"pyproject.toml", "Makefile", "constraints.txt", "LICENSE", "README.md", "CHANGELOG.md"} <= names
    for folder in ("tests", "docs", "examples", "fuzz", "benchmarks"):
        wanted = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.py")}
        assert {path for path in wanted if "/_build/" not in path and "/_generated/" not in path} <= names


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["whl", "tar.gz"])
def test_it_installs_into_an_empty_environment_and_runs_the_demo(built, kind, tmp_path):
    [archive] = built.glob(f"*.{kind}")
    where = installed(archive, tmp_path / "env")
    said = run(where / "bertillon", "demo", "--folder", tmp_path / "demo", cwd=tmp_path)
    assert "EER" in said
    assert (tmp_path / "demo" / "report.html").stat().st_size > 10_000
    run(where / "bertillon", "demo", "--examples", tmp_path / "examples", cwd=tmp_path)
    assert {path.name for path in (tmp_path / "examples").iterdir()} == EXAMPLES
    scores = [tmp_path / "examples" / f"{name}.txt" for name in ("genuine", "impostor")]
    assert "EER" in run(where / "bertillon", "verify", *scores, "--no-intervals", cwd=tmp_path)
    if kind == "whl":
        checked = ("-m", "mypy", "--strict", "--config-file=", "--python-executable", where / "python")
        told = run(sys.executable, *checked, "--cache-dir", tmp_path / "cache", CONSUMER, cwd=tmp_path)
        assert "Success" in told


@pytest.mark.slow
def test_importing_takes_little_time():
    """Under .15 s, the best of several: a busy machine makes single figures meaningless."""
    show = "import time; start = time.perf_counter(); import bertillon; print(time.perf_counter() - start)"
    assert min(float(run(sys.executable, "-c", show)) for _ in range(7)) < 0.15
