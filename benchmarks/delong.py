"""The cases of DeLong's variance: a million mated and a million non-mated scores against np.sort of the same.

numpy sorts several times more slowly than it could on processors where it picks AVX512 in vain, and a slow sort must
not pass for a fast variance. Everything is therefore timed twice, with numpy as it is and without AVX512, each in a
process of its own, and the worse ratio is held against the bar. `python -m benchmarks.delong SIZE SYSTEMS` prints the
seconds of one such run.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import bertillon as bt
from benchmarks.harness import Case, Measured, contest, require
from bertillon.stats.areas import area_covariance, moments_of, placements_of

SEED = 20240229
SIZE = 1_000_000
REPEATS = 9
SLOW_FEATURES = "X86_V4 AVX512_ICL AVX512_SKX"
ROOT = Path(__file__).parents[1]


def one_system(scale: float) -> Measured:
    """The variance of one AUC against sorting its scores."""
    return _worse_of_two(round(SIZE * scale), 1)


def two_systems(scale: float) -> Measured:
    """The covariances of two systems over the same comparisons against sorting the scores of both."""
    return _worse_of_two(round(SIZE * scale), 2)


def _worse_of_two(size: int, systems: int) -> Measured:
    plain, cured = _elsewhere(size, systems, {}), _elsewhere(size, systems, {"NPY_DISABLE_CPU_FEATURES": SLOW_FEATURES})
    ours, peer = max(plain, cured, key=lambda times: times[0] / times[1])
    both = " and ".join(f"{times[0] / times[1]:.2f}" for times in (plain, cured))
    return Measured(ours / peer, ours, peer, f"{both} with and without AVX512 in numpy")


def _elsewhere(size: int, systems: int, more: dict[str, str]) -> tuple[float, float]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.delong", str(size), str(systems)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, **more})
    require(done.returncode == 0, f"it ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    ours, peer = json.loads(done.stdout)
    return ours, peer


def timed(size: int, systems: int) -> tuple[float, float]:
    """Seconds of ours and of sorting, here."""
    drawn = draw(size)[:systems]
    classes = [scores for system in drawn for scores in (system.mated, system.nonmated)]

    def check(ours: object, theirs: object) -> None:
        del ours, theirs
        for system in drawn:
            found, plain = (placements_of(system, compiled=compiled) for compiled in (True, False))
            require(np.array_equal(found.mated, plain.mated), "placements differ from those of np.searchsorted")
            require(np.array_equal(found.nonmated, plain.nonmated), "placements differ from those of np.searchsorted")
            summed = moments_of(system, compiled=True).mated
            require(math.isclose(summed, plain.mated.var(ddof=1), rel_tol=1e-9), "the variance of placements differs")

    sort = lambda: [np.sort(scores) for scores in classes]  # noqa: E731
    return contest(lambda: area_covariance(drawn), sort, check, repeats=REPEATS)


def draw(size: int) -> list[bt.ScoreSet]:
    """A system, and one that adds noise to its scores."""
    rng = np.random.default_rng(SEED)
    mated, nonmated = rng.normal(1.0, 1.0, size), rng.normal(0.0, 1.0, size)
    noisy = [kind + rng.normal(0.0, 0.5, size) for kind in (mated, nonmated)]
    return [bt.ScoreSet(mated, nonmated), bt.ScoreSet(noisy[0], noisy[1])]


CASES: Sequence[Case] = (
    Case("DeLong, one system, np.sort", 2.0, one_system, "at most"),
    Case("DeLong, two systems paired, np.sort", 4.0, two_systems, "at most"),
)

if __name__ == "__main__":
    print(json.dumps(timed(int(sys.argv[1]), int(sys.argv[2]))))
