"""No number that a command writes changes: each job of `commands` is held to its stored snapshot.

Numbers are held to the last bit, those of compared templates to 1e-6. `python -m tests.net` writes the snapshots anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from net.commands import JOBS, Job
from net.made import make_files, make_large_files, make_real_files
from net.running import EXAMPLES, snapshot_of
from net.snapshots import FOLDER, differences, load

SHOWN = 12


def names(*, real: bool, slow: bool) -> list[str]:
    return [job.name for job in JOBS.values() if (job.real, job.slow) == (real, slow)]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_files(folder)
    return folder


@pytest.fixture(scope="session")
def large_made(made: Path) -> Path:
    make_large_files(made)
    return made


@pytest.fixture(scope="session")
def real_made(made: Path, real_data: Path) -> Path:
    make_real_files(made, real_data)
    return made


def _check(job: Job, places: dict[str, Path], folder: Path) -> None:
    found = snapshot_of(job, {name: str(place) for name, place in places.items()}, folder)
    changed = differences(load(job.name), found, near=job.near)
    shown = "\n  ".join(changed[:SHOWN])
    assert not changed, f"{job.name}: {len(changed)} numbers differ (stored -> found):\n  {shown}"


@pytest.mark.parametrize("name", names(real=False, slow=False))
def test_numbers_of_examples_stay(name: str, made: Path, tmp_path: Path) -> None:
    _check(JOBS[name], {"examples": EXAMPLES, "made": made}, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", names(real=False, slow=True))
def test_numbers_of_large_files_stay(name: str, large_made: Path, tmp_path: Path) -> None:
    _check(JOBS[name], {"examples": EXAMPLES, "made": large_made}, tmp_path)


@pytest.mark.realdata
@pytest.mark.parametrize("name", names(real=True, slow=False))
def test_numbers_of_real_data_stay(name: str, real_made: Path, real_data: Path, tmp_path: Path) -> None:
    _check(JOBS[name], {"examples": EXAMPLES, "made": real_made, "data": real_data}, tmp_path)


@pytest.mark.realdata
@pytest.mark.slow
@pytest.mark.parametrize("name", names(real=True, slow=True))
def test_numbers_of_large_real_data_stay(name: str, real_made: Path, real_data: Path, tmp_path: Path) -> None:
    _check(JOBS[name], {"examples": EXAMPLES, "made": real_made, "data": real_data}, tmp_path)


def test_each_job_has_a_snapshot_and_each_snapshot_a_job() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(JOBS)


def test_a_changed_number_is_seen_and_named(made: Path, tmp_path: Path) -> None:
    """Another seed of the resamples moves intervals and leaves values."""
    job = JOBS["classify-measures"]
    other = Job(job.name, (f"{job.lines[0]} --seed 9",))
    found = snapshot_of(other, {"examples": str(EXAMPLES), "made": str(made)}, tmp_path)
    changed = differences(load(job.name), found, near=False)
    assert changed
    assert all("interval" in line or "low" in line or "high" in line for line in changed), changed


@pytest.mark.parametrize(("new", "same"), [("0.5000001", True), ("0.50001", False), ("null", False)])
def test_numbers_of_compared_templates_are_held_within_a_tolerance(new: str, same: bool) -> None:
    assert (not differences({"a": {"x": "0.5"}}, {"a": {"x": new}}, near=True)) is same
    assert differences({"a": {"x": "0.5"}}, {"a": {"x": new}}, near=False) == [f"a: x: 0.5 -> {new}"]
