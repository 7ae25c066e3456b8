"""convert, measures, demo, --version and --help."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import bertillon as bt
from bertillon.engine import workers

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_convert_round_trip(bertillon, table: Path) -> None:
    ran = bertillon("convert", table, "scores.parquet")
    assert ran.code == 0
    assert "written to scores.parquet" in ran.out
    first, second = bt.read_scores(table), bt.read_scores("scores.parquet")
    assert first.mated.tolist() == second.mated.tolist()
    assert first.nonmated.tolist() == second.nonmated.tolist()


def test_convert_to_a_format_that_needs_ids_says_so(bertillon, table: Path) -> None:
    ran = bertillon("convert", table, "out.txt", "--to", "bob-4")
    assert ran.code == 2
    assert not Path("out.txt").exists()


def test_measures_lists_the_whole_language(bertillon) -> None:
    from bertillon.measures import ATTACKS, MEASURE_SETS

    ran = bertillon("measures")
    assert ran.code == 0
    lines = ran.out.splitlines()
    for definition in [one for listed in (*MEASURE_SETS, ATTACKS) for one in listed.definitions.values()]:
        assert definition.example in lines
        assert all(synonym in ran.out for synonym in definition.synonyms)


def test_demo_leaves_the_files_of_others_alone(bertillon) -> None:
    Path("genuine.txt").write_text("0.5\n")
    Path("notes.md").write_text("mine")
    ran = bertillon("demo", "--folder", ".")
    assert ran.code == 2
    assert "holds other files (notes.md); name a folder that is new, empty or a demo's own" in ran.err
    assert Path("genuine.txt").read_text() == "0.5\n"


def test_demo_prints_measured_beside_true(bertillon) -> None:
    ran = bertillon("demo", "--folder", "out")
    assert ran.code == 0
    assert "Simulated, so the true values are known" in ran.out
    true = {
        line.split()[0]: line.split()[1:]
        for line in ran.out.split("true values are known")[1].splitlines()
        if line.strip()
    }
    measured, _, known, _ = true["EER"]
    assert abs(float(measured) - float(known)) < 0.3
    assert known == "2.275"
    assert "report on three simulated systems is in out/report.html" in ran.out
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert all(name in page for name in ("old camera", "new camera", "camera and finger"))
    assert len(list(Path("out/figures").glob("*.png"))) == 6


def test_the_example_files_are_written_and_their_commands_run(bertillon, tmp_path) -> None:
    ran = bertillon("demo", "--examples", ".")
    assert ran.code == 0
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {path.name for path in EXAMPLES.iterdir() if path.suffix in (".txt", ".csv", ".npz")}
    assert all((tmp_path / name).read_bytes() == (EXAMPLES / name).read_bytes() for name in written)
    commands = [line.partition("$ bertillon ")[2] for line in ran.out.splitlines() if "$" in line]
    assert len(commands) > 4
    for command in commands:
        assert bertillon(*command.split(), "--lang", "en").code == 0, command


def test_example_files_that_were_changed_are_kept(bertillon, tmp_path) -> None:
    assert bertillon("demo", "--examples", "e").code == 0
    mine = tmp_path / "e" / "genuine.txt"
    mine.write_text("0.5\n")
    (tmp_path / "e" / "new.csv").unlink()
    ran = bertillon("demo", "--examples", "e")
    assert ran.code == 2
    assert "holds genuine.txt already" in ran.err
    assert mine.read_text() == "0.5\n"
    assert not (tmp_path / "e" / "new.csv").exists()  # all or none
    assert bertillon("demo", "--examples", "e", "--overwrite").code == 0
    assert mine.read_bytes() == (EXAMPLES / "genuine.txt").read_bytes()
    assert bertillon("demo", "--examples", "e").code == 0  # the same files do no harm
    assert bertillon("demo", "--overwrite").code == 2
    assert bertillon("demo", "--folder", "f", "--examples", "e").code == 2


def test_version_and_help(bertillon) -> None:
    assert bertillon("--version").out == f"bertillon {bt.__version__}\n"
    ran = bertillon("--help")
    assert ran.code == 0
    assert "verify" in ran.out


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from bertillon.cli.app import main\n"
        "sys.argv = ['bertillon', '--help']\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "print([name for name in ('numpy', 'polars', 'numba', 'matplotlib', 'scipy') if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ))
    assert ran.stdout.splitlines()[-1] == "[]"


def test_a_small_file_needs_no_compiler(table: Path) -> None:
    code = (
        "import sys\n"
        "from bertillon.cli.app import main\n"
        f"sys.argv = ['bertillon', 'verify', {str(table)!r}]\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "print([name for name in ('numba', 'matplotlib', 'scipy.stats') if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ))
    assert ran.stdout.splitlines()[-1] == "[]"


def test_two_short_lists_load_neither_polars_nor_a_compiler(tmp_path: Path) -> None:
    for name, scores in {"genuine.txt": (0.9, 0.8, 0.4, 0.7), "impostor.txt": (0.1, 0.3, 0.5, 0.2)}.items():
        (tmp_path / name).write_text("".join(f"{score}\n" for score in scores))
    code = (
        "import sys\n"
        "from bertillon.cli.app import main\n"
        f"sys.argv = ['bertillon', 'verify', *{[str(tmp_path / name) for name in ('genuine.txt', 'impostor.txt')]!r}]\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "heavy = ('polars', 'numba', 'matplotlib', 'scipy.stats', 'jinja2')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ))
    assert "EER" in ran.stdout
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("stated", "threads"), [({}, 1), ({"OPENBLAS_NUM_THREADS": "2"}, 2)])
def test_a_verification_starts_no_threads_for_products_unless_told_to(table: Path, stated: dict, threads: int) -> None:
    code = (
        "import sys\n"
        "from bertillon.cli.app import main\n"
        f"sys.argv = ['bertillon', 'verify', {str(table)!r}]\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "from threadpoolctl import threadpool_info\n"
        "print({library['num_threads'] for library in threadpool_info() if library['internal_api'] == 'openblas'})\n"
    )
    env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | stated
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert ran.stdout.splitlines()[-1] == str({min(threads, workers.available_cores())})
