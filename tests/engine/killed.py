"""One job with a checkpoint, run again and again, each time killed (signal 9) at the n-th piece, then to the end.

Prints how the killed processes ended, the answer, and how many pieces the last run did.
"""

from __future__ import annotations

import os
import signal
import sys

from engine.cases import bits_of, small_plan

from bertillon.counting import TileJob, count_comparisons
from bertillon.engine import jobs

do_piece = TileJob.do


def run(folder: str | None, kill_at: int = -1) -> tuple[str, int]:
    done: list[int] = []

    def do(self, found, piece) -> None:
        done.append(piece)
        if len(done) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        do_piece(self, found, piece)

    TileJob.do = do
    counted = count_comparisons(small_plan(people=60), [0.5], tile=8, checkpoint=folder)
    return str(bits_of(counted)), len(done)


def killed(folder: str, kill_at: int) -> int:
    """How a process of its own ended that was to be killed."""
    child = os.fork()
    if child == 0:
        run(folder, kill_at)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(folder: str, kills: list[int]) -> None:
    jobs.Threads.round = 0.001  # a round holds a few pieces only
    whole = run(None)
    print(*(killed(folder, at) for at in kills))
    print(*run(folder), sep="\n")
    print(*whole, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1], [int(text) for text in sys.argv[2:]])
