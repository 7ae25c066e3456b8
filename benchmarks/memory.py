"""Peak memory of one evaluation, in a process of its own: `python -m benchmarks.memory NONMATED`.

The kernels and libraries are loaded on a small set first, so that what is measured is the work and not the loading.
"""

from __future__ import annotations

import json
import resource
import sys
from contextlib import suppress
from pathlib import Path

import bertillon as bt
from benchmarks.data import POINTS, draw
from benchmarks.growth import check_by_hand

WARM_UP = 2_000_000


def main(nonmated: int) -> None:
    """Print the bytes of the input and of the peak above it."""
    warm = draw(WARM_UP)
    bt.evaluate(bt.ScoreSet(warm.mated, warm.nonmated), POINTS)
    del warm
    scores = draw(nonmated)
    forget_peak()
    before = peak()
    evaluation = bt.evaluate(bt.ScoreSet(scores.mated, scores.nonmated), POINTS)
    extra = peak() - before
    check_by_hand(evaluation, scores)
    print(json.dumps({"input": sum(kind.nbytes for kind in scores), "extra": extra}))


def forget_peak() -> None:
    """Let the peak start again from what is held now; where that is not allowed, an earlier peak may hide ours."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024


if __name__ == "__main__":
    main(int(sys.argv[1]))
