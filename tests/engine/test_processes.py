"""Evaluations in other processes and threads, after this one has evaluated: each gives the same, none waits for ever.

Each runs in a process of its own with a time limit, since what is tested for is that it ends.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys

import numpy as np

import bertillon as bt


def answer(seed):
    rng = np.random.default_rng(seed)
    scores = bt.ScoreSet(rng.normal(2.0, 1.0, 600_000), rng.normal(0.0, 1.0, 900_000))
    found = bt.evaluate(scores, ["EER", "FNMR@FMR=0.001", "AUC", "dprime", "minCllr"])
    small = bt.ScoreSet(
        scores.mated[:300],
        scores.nonmated[:600],
        mated_ids=bt.TrialIds(probe_subject=np.arange(300) % 30, reference_subject=np.arange(300) % 30),
        nonmated_ids=bt.TrialIds(
            probe_subject=np.array([f"p{n % 30}" for n in range(600)], dtype=object),
            reference_subject=np.array([f"p{(n + 1) % 30}" for n in range(600)], dtype=object),
        ),
    )
    sure = bt.evaluate(small, ["EER"]).with_intervals(resamples=100)
    return [one.value for one in found.results.values()] + [str(sure["EER"]), str(sure.intervals)]


def in_processes(method):
    import multiprocessing

    with multiprocessing.get_context(method).Pool(2) as pool:
        return pool.map(answer, [1, 2])


def on_threads():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(answer, [1, 2]))


def in_joblib(backend):
    from joblib import Parallel, delayed

    return Parallel(n_jobs=2, backend=backend)(delayed(answer)(seed) for seed in (1, 2))


if __name__ == "__main__":
    how = sys.argv[1]
    first = [answer(1), answer(2)]
    if how == "threads":
        again = on_threads()
    else:
        again = in_joblib(how) if how in ("loky", "multiprocessing") else in_processes(how)
    print("same" if again == first == [answer(1), answer(2)] else (first, again))
"""


@pytest.mark.parametrize("how", ["fork", "spawn", "forkserver", "threads", "loky", "multiprocessing"])
def test_after_an_evaluation_others_can_evaluate_too(tmp_path: Path, how: str) -> None:
    script = tmp_path / "evaluate_many.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), how], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "same\n", done.stderr


READS = """
import multiprocessing
import sys

import bertillon as bt


def read(path):
    try:
        return str(bt.read_scores(path).mated.size)
    except bt.InputError as error:
        return str(error)


if __name__ == "__main__":
    print(read(sys.argv[1]))
    with multiprocessing.get_context(sys.argv[2]).Pool(1) as pool:
        print(pool.apply_async(read, (sys.argv[1],)).get(timeout=60))
"""


@pytest.mark.parametrize(("method", "words"), [("fork", "cannot be read in a process made by fork"), ("spawn", "1")])
def test_a_forked_process_that_reads_a_file_is_told_and_does_not_wait(tmp_path: Path, method: str, words: str) -> None:
    (tmp_path / "s.csv").write_text("label,score\n1,0.9\n0,0.1\n")
    (tmp_path / "reads.py").write_text(READS)
    command = [sys.executable, str(tmp_path / "reads.py"), str(tmp_path / "s.csv"), method]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    before, after = done.stdout.splitlines()
    assert before == "1"
    assert words in after
