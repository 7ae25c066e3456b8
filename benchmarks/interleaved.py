"""`python -m benchmarks.interleaved OLD_REVISION`: the same jobs with old and new code in turn; ends with 1 if slower.

OLD_REVISION is checked out in a temporary worktree. Each job runs in a fresh process, old and new code in turn, so
that a machine that slows down slows both. A job runs once before it is timed, and each code has compiled kernels of
its own. Jobs that take more than 1.10 times as long are run again with more repeats, and only what is slower then
counts. New code is what the working directory holds, or another revision (--new).

A job is a command line, or Python code that uses names of `import bertillon as bt` alone and prints its seconds. Where
the command line was another one in the old revision, `before` holds that one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

HERE = Path(__file__).resolve().parents[1]
LIMIT = 1.10
REPEATS, MORE = 7, 21
COLUMNS = "{:<34} {:>9} {:>9} {:>7}  {}"
CALL = "import sys; sys.argv[0] = 'bertillon'; from bertillon.cli.app import main; main()"
TIMED = """
import time
import numpy as np
import bertillon as bt
rng = np.random.default_rng(1)
{setup}
def work():
    {work}
work()
times = []
for _ in range(5):
    start = time.perf_counter()
    work()
    times.append(time.perf_counter() - start)
print(min(times))
"""
ARRAYS = "mated, nonmated = rng.normal(3, 1, {size} // 10), rng.normal(0, 1, {size})"
EER = "bt.evaluate(bt.ScoreSet(mated, nonmated), ['EER'])['EER'].value"  # a set made anew has nothing counted yet
INTERVALS = "bt.evaluate(bt.ScoreSet(mated, nonmated), ['EER']).with_intervals(resamples=50)"


@dataclass(frozen=True, slots=True)
class Job:
    """What is run: a command line, or code that times itself."""

    name: str
    line: str = ""
    before: str = ""  # the command line of the old revision, where it was another one
    code: str = ""

    def command(self, *, old: bool) -> list[str]:
        if self.code:
            return [sys.executable, "-c", self.code]
        return [sys.executable, "-c", CALL, *((old and self.before) or self.line).split()]


def _in_process(name: str, size: int, work: str = EER) -> Job:
    return Job(name, code=TIMED.format(setup=ARRAYS.format(size=size), work=work))


JOBS = (
    Job("--help", "--help"),
    Job("verify, lists of 10,000", "verify mated.txt nonmated.txt --json out.json"),
    Job("verify, 1e6 scores in CSV", "verify million.csv --no-intervals --json out.json"),
    Job("verify, 1e6 scores in npz", "verify million.npz -m EER -m FNMR@FMR=0.001 --no-intervals --json out.json"),
    Job("verify, stream of 1e6", "verify million.csv --stream -m EER -m AUC --no-intervals --json out.json"),
    Job("verify, templates 2,000 x 128", "verify templates.npz -m EER --no-intervals --json out.json"),
    Job("identify, templates 2,000 x 128", "identify templates.npz --leave-out 0.25 --resamples 200 --json out.json"),
    Job("classify, 20,000 samples", "classify classes.csv --resamples 200 --json out.json"),
    Job("compare, 20,000 trials", "compare one.csv other.csv -m EER -m AUC --resamples 200 --json out.json"),
    Job("report page", "verify one.csv --resamples 200 --report page.html"),
    Job("curves in CSV", "verify one.csv --no-intervals --bands none --csv curves"),
    _in_process("EER in process, 1e5 scores", 100_000),
    _in_process("EER in process, 1e6 scores", 1_000_000),
    _in_process("intervals in process, 1e5 scores", 100_000, INTERVALS),
)


@dataclass(frozen=True, slots=True)
class Code:
    """One version of the source, and where its compiled kernels are kept."""

    source: Path
    kernels: Path
    old: bool

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return kept | {"PYTHONPATH": str(self.source), "NUMBA_CACHE_DIR": str(self.kernels), "COLUMNS": "120"}

    def seconds(self, job: Job, folder: Path) -> float:
        """How long the job takes in a fresh process."""
        start = perf_counter()
        done = subprocess.run(
            job.command(old=self.old), cwd=folder, env=self.environment, capture_output=True, text=True, check=False
        )
        taken = perf_counter() - start
        if done.returncode:
            which = "old" if self.old else "new"
            raise SystemExit(f"{job.name} ({which} code) ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        return float(done.stdout.split()[-1]) if job.code else taken


@dataclass(frozen=True, slots=True)
class Timed:
    """Median seconds of a job with either code."""

    job: Job
    old: float
    new: float

    @property
    def ratio(self) -> float:
        return self.new / self.old

    @property
    def slower(self) -> bool:
        return self.ratio > LIMIT

    def row(self) -> str:
        return COLUMNS.format(
            self.job.name, f"{self.old:.4f}", f"{self.new:.4f}", f"{self.ratio:.2f}", "slower" if self.slower else ""
        ).rstrip()


def timed(job: Job, old: Code, new: Code, folder: Path, repeats: int) -> Timed:
    """The job with both codes in turn, each first every other time."""
    times: dict[bool, list[float]] = {True: [], False: []}
    for code in (old, new):
        code.seconds(job, folder)
    for number in range(repeats):
        for code in (old, new) if number % 2 == 0 else (new, old):
            times[code.old].append(code.seconds(job, folder))
    return Timed(job, median(times[True]), median(times[False]))


def write_data(folder: Path) -> None:
    """The files that the jobs read."""
    rng = np.random.default_rng(1)
    _write_list(folder / "mated.txt", rng.normal(3, 1, 10_000))
    _write_list(folder / "nonmated.txt", rng.normal(0, 1, 10_000))
    marks = np.arange(1_000_000) % 10 == 0
    scores = rng.normal(0, 1, marks.size) + 3 * marks
    _write_table(folder / "million.csv", "label,score", marks, scores)
    np.savez(folder / "million.npz", label=marks.astype(np.int8), score=scores)
    for name in ("one", "other"):
        _write_table(
            folder / f"{name}.csv", "label,score", marks[:20_000], scores[:20_000] + rng.normal(0, 0.3, 20_000)
        )
    _write_table(folder / "classes.csv", "y_true,p", marks[:20_000], 1 / (1 + np.exp(2 - scores[:20_000])))
    subject = np.repeat(np.arange(500), 4)
    vectors = rng.normal(0, 1, (500, 128))[subject] + rng.normal(0, 1, (subject.size, 128))
    np.savez(folder / "templates.npz", embeddings=vectors.astype(np.float32), subject=subject)


def _write_list(path: Path, scores: np.ndarray) -> None:
    path.write_text("".join(f"{score:.6f}\n" for score in scores.tolist()))


def _write_table(path: Path, head: str, marks: np.ndarray, scores: np.ndarray) -> None:
    rows = (f"{mark:d},{score:.6f}\n" for mark, score in zip(marks.tolist(), scores.tolist(), strict=True))
    path.write_text(f"{head}\n" + "".join(rows))


@contextmanager
def checked_out(revision: str | None, place: Path) -> Iterator[Path]:
    """A worktree of the revision, which is gone afterwards; the working directory where there is none."""
    if revision is None:
        yield HERE
        return
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", place, revision], cwd=HERE, check=True)
    try:
        yield place
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", place], cwd=HERE, check=True)


def contest(jobs: Sequence[Job], old: Code, new: Code, folder: Path, repeats: int) -> list[Timed]:
    """Time each job and print its row."""
    found = []
    for job in jobs:
        found.append(timed(job, old, new, folder, repeats))
        print(found[-1].row(), flush=True)
    return found


def judge(jobs: Sequence[Job], old: Code, new: Code, folder: Path, repeats: int) -> int:
    """Time the jobs, those that seem slower once more; 1 where one of them is."""
    print(COLUMNS.format("job", "old [s]", "new [s]", "ratio", "").rstrip())
    again = [row.job for row in contest(jobs, old, new, folder, repeats) if row.slower]
    if not again:
        return 0
    print(f"\nagain, {MORE} repeats each")
    return int(any(row.slower for row in contest(again, old, new, folder, MORE)))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.interleaved", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("revision", help="old code: a commit, branch or tag")
    parser.add_argument("--new", metavar="REVISION", help="new code; the working directory unless given")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="jobs whose name holds it")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    asked = parser.parse_args()
    jobs = [job for job in JOBS if not asked.only or any(text in job.name for text in asked.only)]
    with (
        TemporaryDirectory(prefix="bertillon-") as made,
        checked_out(asked.revision, Path(made) / "old") as before,
        checked_out(asked.new, Path(made) / "new") as after,
    ):
        folder = Path(made) / "data"
        folder.mkdir()
        write_data(folder)
        old = Code(before / "src", Path(made) / "old-kernels", old=True)
        new = Code(after / "src", Path(made) / "new-kernels", old=False)
        return judge(jobs, old, new, folder, asked.repeats)


if __name__ == "__main__":
    sys.exit(main())
