"""How time and memory grow with the number of scores."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

import bertillon as bt
from benchmarks.data import POINTS, TRUE_EER, Scores, draw
from benchmarks.harness import Measured, best_time, require, seconds
from bertillon.counting import LIMITS

SIZES = (10**5, 10**6, 10**7, 10**8)
ROOT = Path(__file__).parents[1]
STEPS = (3_000, 10_000, 30_000, 50_000, 100_000, 300_000, 999_999, 1_100_000, 3_000_000)
LARGE = 20_000_000


def _time(scores: Scores) -> float:
    def evaluate() -> bt.Evaluation:
        return bt.evaluate(bt.ScoreSet(scores.mated, scores.nonmated), POINTS)

    check_by_hand(evaluate(), scores)
    return best_time(evaluate, repeats=3 if scores.size > LARGE else 7)


def check_by_hand(evaluation: bt.Evaluation, scores: Scores) -> None:
    """The EER is near the truth; one operating point is counted anew, and the score before it breaks the promise."""
    spread = (TRUE_EER / scores.mated.size) ** 0.5
    eer = evaluation["EER"].value
    require(abs(eer - TRUE_EER) < 5 * spread, f"EER is {eer}, the truth {TRUE_EER}")
    result = evaluation["FNMR@FMR=0.001"]
    assert result.threshold is not None
    missed = np.count_nonzero(scores.mated < result.threshold) / scores.mated.size
    require(missed == result.value, f"FNMR@FMR=0.001 is {result.value}, counted {missed}")
    accepted = np.count_nonzero(scores.nonmated >= result.threshold)
    below = max(kind[kind < result.threshold].max(initial=-np.inf) for kind in scores)
    one_more = np.count_nonzero(scores.nonmated >= below)
    limit = 0.001 * scores.nonmated.size
    require(bool(accepted <= limit < one_more), f"{accepted} false matches at the threshold, {one_more} before it")


def time_exponent(scale: float) -> Measured:
    """The exponent of the power law through the times, and the steps between decades."""
    times = {size: _time(draw(size * 10 // 11)) for size in (round(n * scale) for n in SIZES)}
    sizes, taken = np.log10(list(times)), np.log10(list(times.values()))
    exponent = float(np.polyfit(sizes, taken, 1)[0])
    steps = ", ".join(f"{step:.2f}" for step in np.diff(taken) / np.diff(sizes))
    spent = ", ".join(f"{size:.0e}: {time:.3g} s" for size, time in times.items())
    return Measured(exponent, max(times.values()), note=f"{spent}; from decade to decade {steps}")


def load_kernels() -> None:
    """Evaluate more scores than are ever sorted, so that the compiled kernels are loaded."""
    scores = draw(2 * LIMITS.memory.sort_up_to)
    bt.evaluate(bt.ScoreSet(scores.mated, scores.nonmated), POINTS)


def in_a_row(size: int) -> int:
    """How many evaluations of sets of so many scores are timed together, the first of which finds the cache empty."""
    return min(100, max(1, 4_000_000 // size))


def fewer_against_more(scale: float) -> Measured:
    """The largest share that the time of a set is of that of the next larger one: above 1, fewer scores take longer."""
    load_kernels()
    shares = {}
    for measures in (POINTS, ("EER",), None):
        times = _times([round(size * scale) for size in STEPS], measures)
        shares |= {f"{size:,}": fewer / more for (size, fewer), (_, more) in pairwise(times.items())}
    worst = max(shares, key=lambda size: shares[size])
    return Measured(shares[worst], note=f"{worst} scores against the next larger set")


def _times(sizes: Sequence[int], measures: Sequence[str] | None) -> dict[int, float]:
    """The best time of each size, all sizes in turn."""
    sets = {size: bt.ScoreSet(*draw(size * 10 // 11)) for size in sizes}
    works = {size: partial(bt.evaluate, scores, measures) for size, scores in sets.items()}
    taken = [{size: seconds(work, in_a_row(size)) for size, work in works.items()} for _ in range(11)]
    return {size: min(times[size] for times in taken[1:]) for size in sizes}


def extra_memory(scale: float) -> Measured:
    """Peak memory above the input, as a share of it, in a process that was warmed up on small data."""
    size = round(SIZES[-1] * scale)
    command = [sys.executable, "-m", "benchmarks.memory", str(size * 10 // 11)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    require(done.returncode == 0, f"the child process failed: {done.stderr.strip()[-300:]}")
    found = json.loads(done.stdout)
    note = f"{found['extra'] / 2**20:,.0f} MiB on top of {found['input'] / 2**20:,.0f} MiB"
    return Measured(found["extra"] / found["input"], note=note)
