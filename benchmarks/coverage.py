"""`python -m benchmarks.coverage`: how often intervals hold the truth, for simulated people whose truth is known.

Conventions: goats, lambs and wolves make the trials of one person go together; how much is a share of the variance of
scores (`trials.simulate`, `trials.simulate_searches`). Each cell of the table is a number of simulated tests of one
size. In each of them the default interval of every measure is made, and beside it the naive one, which does not know
whose the trials are. `errors` is the mean number of errors of the rarer kind that a measure rests on. The bar: with 30
errors or more 93 to 97 % of the default intervals hold the truth, with fewer at least 90 %, give or take twice the
error of the simulation itself. Resamples are fewer than usual, since only their spread is read.

Holds `CELLS`, `run`, `Row`, and for the docs `stored` and `markdown`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from multiprocessing import Value
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.machine import describe
from bertillon.evaluation import evaluate
from bertillon.stats.interval import Settings
from bertillon.stats.intervals import intervals_of
from bertillon.trials.score_set import ScoreSet
from bertillon.trials.search_set import SearchSet
from bertillon.trials.simulate import Truth, simulate
from bertillon.trials.simulate_searches import SearchTruth, simulate_searches

STORE = Path(__file__).with_name("coverage.json")
RUNS = 400
RESAMPLES = 200
SEED = 19_795
ENOUGH = 30  # errors, from which the narrow bar holds
BAR, FLOOR = (0.93, 0.97), 0.90
WORDS = {True: "pass", False: "FAIL"}
COLUMNS = "{:<16} {:>8} {:<7} {:>7} {:>8} {:>8} {:>7} {:<5} {}"


@dataclass(frozen=True, slots=True)
class Correlation:
    """How much of the variance of a score belongs to a person."""

    name: str
    goat: float
    lamb: float
    wolf: float


NONE = Correlation("none", 0.0, 0.0, 0.0)
SOME = Correlation("some", 0.3, 0.1, 0.1)
STRONG = Correlation("strong", 0.6, 0.3, 0.3)


@dataclass(frozen=True, slots=True)
class Cell:
    """Tests of one size, simulated again and again."""

    kind: str  # "comparisons" or "searches"
    subjects: int
    correlation: Correlation
    dprime: float
    resamples: int = RESAMPLES


CELLS = (
    *(Cell("comparisons", n, c, 3.0) for n in (30, 100, 300) for c in (NONE, SOME, STRONG)),
    *(Cell("comparisons", n, SOME, 5.0) for n in (30, 100)),
    *(Cell("searches", n, c, 4.0) for n in (30, 100, 300) for c in (NONE, SOME, STRONG)),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One measure in one cell: how many intervals held the truth."""

    measure: str
    kind: str
    subjects: int
    correlation: str
    dprime: float
    truth: float
    errors: float
    default: float
    naive: float
    error: float  # of the simulation, one standard error of the default's coverage
    wider: float  # the default's width as a multiple of the naive one's, the median
    passed: bool
    note: str = ""


def run(cell: Cell, runs: int, pool: ProcessPoolExecutor | None = None, *, seed: int = SEED) -> list[Row]:
    """Simulate a cell and count; a pool spreads the tests over processes."""
    tests = partial(_one, cell)
    seeds = range(seed, seed + runs)
    seen = list(map(tests, seeds) if pool is None else pool.map(tests, seeds, chunksize=8))
    names = list(seen[0])
    return [_row(cell, name, [one[name] for one in seen]) for name in names]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One measure in one simulated test."""

    truth: float
    errors: float
    default: bool
    naive: bool
    wider: float


def _one(cell: Cell, seed: int) -> dict[str, _Outcome]:
    if cell.kind == "searches":
        return _searches(cell, seed)
    return _comparisons(cell, seed)


def _comparisons(cell: Cell, seed: int) -> dict[str, _Outcome]:
    n, c = cell.subjects, cell.correlation
    nonmated = min(n * (n - 1), 20_000)
    who = {"goat": c.goat, "lamb": c.lamb, "wolf": c.wolf}
    scores, truth = simulate(
        "subjects", subjects=n, dprime=cell.dprime, mated=10 * n, nonmated=nonmated, rng=seed, **who
    )
    true, errors = _of_comparisons(truth, scores.mated.size, nonmated)
    plain = ScoreSet(scores.mated, scores.nonmated)
    settings = Settings(resamples=cell.resamples, seed=seed)
    return _judge(scores, plain, true, errors, ("FNMR@t", "FMR@t", *list(true)[2:]), settings)


@cache
def _of_comparisons(truth: Truth, mated: int, nonmated: int) -> tuple[dict[str, float], dict[str, float]]:
    """The true values, and the errors each rests on."""
    (rate, equal), strict = truth.eer(), truth.threshold_at_fmr(0.01)
    at = {fmr: truth.fnmr_at_fmr(fmr) for fmr in (0.01, 0.001)}
    both = rate * min(mated, nonmated)
    found = {
        f"FNMR@t={equal!r}": (rate, rate * mated),
        f"FMR@t={strict!r}": (0.01, 0.01 * nonmated),
        "EER": (rate, both),
        "FNMR@FMR=0.01": (at[0.01], min(at[0.01] * mated, 0.01 * nonmated)),
        "FNMR@FMR=0.001": (at[0.001], min(at[0.001] * mated, 0.001 * nonmated)),
        "AUC": (truth.auc(), both),
    }
    return {name: true for name, (true, _) in found.items()}, {name: errors for name, (_, errors) in found.items()}


def _searches(cell: Cell, seed: int) -> dict[str, _Outcome]:
    n, c = cell.subjects, cell.correlation
    searches, truth = simulate_searches(
        subjects=n, strangers=n, probes=4, gallery=300, dprime=cell.dprime, goat=c.goat, wolf=c.wolf, rng=seed
    )
    true, errors = _of_searches(truth, searches.n_enrolled, searches.n_nonenrolled)
    plain = replace(searches, probe_subject=None)
    settings = Settings(resamples=cell.resamples, seed=seed)
    return _judge(searches, plain, true, errors, ("DIR@t", *list(true)[1:]), settings)


@cache
def _of_searches(truth: SearchTruth, enrolled: int, strangers: int) -> tuple[dict[str, float], dict[str, float]]:
    """The true values, and the errors each rests on."""
    threshold = truth.threshold_at_fpir(0.1)
    true = {
        f"DIR@t={threshold!r},k=1": truth.dir(threshold),
        "DIR@FPIR=0.1,k=1": truth.dir(threshold),
        "RR": truth.cms(1),
        "CMS@5": truth.cms(5),
    }
    missed = {name: enrolled * min(value, 1.0 - value) for name, value in true.items()}
    missed["DIR@FPIR=0.1,k=1"] = min(missed["DIR@FPIR=0.1,k=1"], 0.1 * strangers)
    return true, missed


def _judge(
    trials: ScoreSet | SearchSet,
    plain: ScoreSet | SearchSet,
    true: dict[str, float],
    errors: dict[str, float],
    names: Sequence[str],
    settings: Settings,
) -> dict[str, _Outcome]:
    evaluation = evaluate(trials, list(true))
    measures = evaluation.measure_set.parse_all(evaluation)
    found, naive = (intervals_of(one, measures, evaluation.results, settings) for one in (trials, plain))
    outcomes = {}
    for name, key, value, n in zip(names, evaluation, true.values(), errors.values(), strict=True):
        one, other = found[key], naive[key]
        wider = (one.high - one.low) / (other.high - other.low) if other.high > other.low else math.nan
        outcomes[name] = _Outcome(value, n, one.holds(value), other.holds(value), wider)
    return outcomes


def _row(cell: Cell, name: str, seen: Sequence[_Outcome]) -> Row:
    default, naive = (float(np.mean([getattr(one, kind) for one in seen])) for kind in ("default", "naive"))
    errors = float(np.mean([one.errors for one in seen]))
    error = math.sqrt(max(default * (1.0 - default), 0.0475 / 2) / len(seen))
    low, high = BAR if errors >= ENOUGH else (FLOOR, 1.0)
    passed = low - 2 * error <= default <= high + 2 * error
    return Row(
        name,
        cell.kind,
        cell.subjects,
        cell.correlation.name,
        cell.dprime,
        seen[0].truth,
        round(errors, 1),
        default,
        naive,
        error,
        float(np.nanmedian([one.wider for one in seen])),
        passed,
    )


def markdown(rows: Iterable[Row]) -> str:
    """The table for the docs."""
    lines = [
        "| measure | subjects | people weigh | errors | default | naive |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (row.measure, str(row.subjects), row.correlation, f"{row.errors:.0f}")
        shares = f"{100 * row.default:.1f} % ± {100 * row.error:.1f}", f"{100 * row.naive:.1f} %"
        lines.append(f"| {' | '.join((*cells, *shares))} |" + (f" {row.note} |" if row.note else ""))
    return "\n".join(lines) + "\n"


def stored() -> list[Row]:
    """The rows of the last full run."""
    return [Row(**row) for row in json.loads(STORE.read_text())["rows"]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every cell, print the table, store it; ends with 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="simulated tests in each cell")
    parser.add_argument("--only", default="", metavar="WORD", help="cells of comparisons or of searches")
    parser.add_argument("--store", type=Path, metavar="FILE", help="where to store the table as JSON")
    asked = parser.parse_args(arguments)
    cells = [cell for cell in CELLS if asked.only in cell.kind]
    if not cells or asked.runs < 20:
        parser.error("expected --only comparisons or searches, and 20 runs or more")
    print(COLUMNS.format("measure", "subjects", "people", "errors", "default", "naive", "+-", "", "width / naive"))
    start, rows = perf_counter(), []
    turn = Value("i", 0)
    with ProcessPoolExecutor(len(_cores()), initializer=_stay_on_one_core, initargs=(turn,)) as pool:
        for number, cell in enumerate(cells):
            found = run(cell, asked.runs, pool, seed=SEED + 100_000 * number)
            rows += found
            for row in found:
                _print(row)
    seconds = perf_counter() - start
    store = asked.store or (STORE if not asked.only and asked.runs >= RUNS else None)
    if store:
        _save(store, rows, asked.runs, seconds)
    missed = sum(not row.passed for row in rows)
    print(f"{missed} of {len(rows)} missed the bar; {seconds:.0f} s")
    return 1 if missed else 0


def _cores() -> list[int]:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def _stay_on_one_core(turn: Any) -> None:
    """Each process works on a core of its own, with one thread."""
    if hasattr(os, "sched_setaffinity"):
        with turn.get_lock():
            place, turn.value = turn.value, turn.value + 1
        os.sched_setaffinity(0, {_cores()[place % len(_cores())]})


def _print(row: Row) -> None:
    shares = (f"{100 * share:.1f} %" for share in (row.default, row.naive))
    texts = (row.measure, row.subjects, row.correlation, f"{row.errors:.0f}", *shares, f"{100 * row.error:.1f}")
    print(COLUMNS.format(*texts, WORDS[row.passed], f"{row.wider:.2f} {row.note}").rstrip(), flush=True)


def _save(path: Path, rows: Sequence[Row], runs: int, seconds: float) -> None:
    content = {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": describe(),
        "runs": runs,
        "resamples": RESAMPLES,
        "seconds": round(seconds),
        "rows": [asdict(row) for row in rows],
    }
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(content, indent=2) + "\n")
    part.replace(path)


if __name__ == "__main__":
    sys.exit(main())
