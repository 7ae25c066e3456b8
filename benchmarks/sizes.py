"""`python -m benchmarks.sizes`: how often two systems that are equally good are said to differ.

Conventions: both systems judge the same trials. Half of what makes a score stray, of a person and of a single trial, is
common to both and half is each system's own, so their scores go together and neither is better. A comparison finds a
difference where its p value, not adjusted for other tests, is at most 5 %. The size of the test is the share of all
simulated tests in which it does; where it gives no verdict it finds none, and their share stands beside it. The bar: a
size of at most 7 %, give or take twice the error of the simulation itself.

    python -m benchmarks.sizes --minutes 50 --processes 2     goes on where it stopped, 1000 runs a cell

Holds `CELLS`, `Cell`, `Row`, `rows_of`, the pairs of systems `TwoScores`, `TwoSearches` and `TwoClassifiers`, and for
the docs `markdown`.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

import bertillon as bt
from benchmarks.coverage import spelled
from benchmarks.resumed import Kept, Prepared, Seen, read, run_command, table_lines
from bertillon.measures import measure_set_of

FloatArray = NDArray[np.float64]

STORE = Path(__file__).with_name("sizes.json")
RESAMPLES = 199  # so that a p value can be just 5 %
ALPHA, BAR = 0.05, 0.07
COLUMNS = "{:<32} {:>8} {:>5} {:>11}  {}"

OF_SCORES = (
    *("EER", "AUC", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "FNMR@t=1.5", "FMR@t=2.3", "ZeroFMR", "HTER@t=1.5"),
    *("HTER@FMR=0.01", "minHTER", "minDCF(p=0.01)", "minDCF(p=0.001)", "minCllr", "Cllr", "pAUC@FMR=0.01", "dprime"),
)
OF_SEARCHES = ("RR", "CMS@5", "MRR", "DIR@t=3,k=1", "DIR@FPIR=0.1,k=1", "FPIR@t=3", "EERopen")
OF_CLASSES = (
    *("Accuracy", "F1", "MCC", "Recall@FPR=0.1", "Precision@Recall=0.9", "AUC", "AP", "minCost(fn=10,fp=1)"),
    *("ECE", "ECE[debiased]", "MCE", "Brier", "LogLoss"),
)


class Pair(ABC):
    """Two systems, equally good, on the same trials."""

    mode: ClassVar[str]
    by: ClassVar[tuple[str, ...] | None] = None  # how trials are brought together, where ids do not tell

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """One test."""


def both(rng: np.random.Generator, *shape: int) -> FloatArray:
    """Standard normal effects of two systems, half of them common to both."""
    common, own = rng.standard_normal(shape), rng.standard_normal((2, *shape))
    return math.sqrt(0.5) * common + math.sqrt(0.5) * own


@dataclass(frozen=True)
class TwoScores(Pair):
    """People all compared with each other and ten times with themselves; without people independent comparisons."""

    mode = "verification"
    by: ClassVar[tuple[str, ...] | None] = ("row",)
    people: int = 0
    goat: float = 0.3
    lamb: float = 0.1
    wolf: float = 0.1
    dprime: float = 3.0

    def draw(self, rng: np.random.Generator) -> tuple[bt.ScoreSet, bt.ScoreSet]:
        if not self.people:
            mated, nonmated = both(rng, 1000) + self.dprime, both(rng, 10_000)
            return bt.ScoreSet(mated[0], nonmated[0]), bt.ScoreSet(mated[1], nonmated[1])
        own = np.repeat(np.arange(self.people), 10)
        probe, reference = np.nonzero(~np.eye(self.people, dtype=bool))
        goats, lambs, wolves = (both(rng, self.people) for _ in range(3))
        mated = self.dprime - math.sqrt(self.goat) * goats[:, own] + math.sqrt(1.0 - self.goat) * both(rng, own.size)
        nonmated = (
            math.sqrt(self.lamb) * lambs[:, reference]
            + math.sqrt(self.wolf) * wolves[:, probe]
            + math.sqrt(1.0 - self.lamb - self.wolf) * both(rng, probe.size)
        )
        ids: dict[str, Any] = {"mated_ids": bt.TrialIds(own, own), "nonmated_ids": bt.TrialIds(probe, reference)}
        return bt.ScoreSet(mated[0], nonmated[0], **ids), bt.ScoreSet(mated[1], nonmated[1], **ids)


@dataclass(frozen=True)
class TwoSearches(Pair):
    """People in a gallery and as many strangers, each searched for four times."""

    mode = "identification"
    people: int
    goat: float = 0.3
    wolf: float = 0.1
    dprime: float = 3.5
    gallery: int = 150

    def draw(self, rng: np.random.Generator) -> tuple[bt.SearchSet, bt.SearchSet]:
        person = np.repeat(np.arange(2 * self.people), 4)
        goats, wolves = (both(rng, 2 * self.people)[:, person] for _ in range(2))
        mate = self.dprime - math.sqrt(self.goat) * goats + math.sqrt(1.0 - self.goat) * both(rng, person.size)
        others = math.sqrt(self.wolf) * wolves[..., None] + math.sqrt(1.0 - self.wolf) * both(
            rng, person.size, self.gallery - 1
        )
        first, second = (self._searches(person, *scores) for scores in zip(mate, others, strict=True))
        return first, second

    def _searches(self, person: NDArray[np.intp], mate: FloatArray, others: FloatArray) -> bt.SearchSet:
        enrolled, best = person < self.people, others.max(axis=1)
        return bt.SearchSet(
            enrolled,
            np.where(enrolled, mate, np.nan),
            np.where(enrolled, (others > mate[:, None]).sum(axis=1), -1),
            np.zeros(person.size, int),
            np.where(enrolled, np.maximum(mate, best), best),
            best,
            self.gallery,
            probe_subject=person,
        )


@dataclass(frozen=True)
class TwoClassifiers(Pair):
    """Two views of the same log-odds, each with noise of its own."""

    mode = "classification"
    samples: int

    def draw(self, rng: np.random.Generator) -> tuple[bt.Predictions, bt.Predictions]:
        views = 1.5 * both(rng, self.samples) - 1.0
        truth = (rng.random(self.samples) < expit(views.mean(axis=0))).astype(int)
        return bt.Predictions.from_probabilities(truth, expit(views[0])), bt.Predictions.from_probabilities(
            truth, expit(views[1])
        )


@dataclass(frozen=True)
class Cell:
    """One setting: the column of a table of the docs."""

    kind: str
    setting: str
    pair: Pair
    measures: tuple[str, ...]
    resamples: int = RESAMPLES

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.setting}"

    def prepare(self) -> Prepared:
        return {}

    def one(self, prepared: Prepared, seed: int) -> dict[str, Seen]:
        systems = self.pair.draw(np.random.default_rng(seed))
        settings = bt.Settings(resamples=self.resamples, seed=seed)
        [versus] = bt.stats.compare_systems(systems, self.measures, settings=settings, by=self.pair.by)
        return {found.measure: seen_of(found.p, str(found.reason or "")) for found in versus.differences}


def seen_of(p: float, reason: str = "") -> Seen:
    """What one p value is to the counts."""
    return Seen({"silent": 1}, reason) if math.isnan(p) else Seen({"differ": int(p <= ALPHA)})


def _cells() -> tuple[Cell, ...]:
    asked = {
        mode: spelled(measure_set_of(mode), names)
        for mode, names in (
            ("verification", OF_SCORES),
            ("identification", OF_SEARCHES),
            ("classification", OF_CLASSES),
        )
    }
    people = (8, 15, 30, 100)
    return (
        *(Cell("verification", f"{n} people", TwoScores(n), asked["verification"]) for n in people),
        Cell("verification", "1,000 + 10,000 independent", TwoScores(), asked["verification"]),
        *(Cell("searches", f"{n} people", TwoSearches(n), asked["identification"]) for n in people),
        *(Cell("classification", f"{n:,} samples", TwoClassifiers(n), asked["classification"]) for n in (300, 3000)),
    )


CELLS = _cells()


@dataclass(frozen=True, slots=True)
class Row:
    """One measure in one cell: how often equal systems differed."""

    measure: str
    runs: int
    differ: int
    silent: int  # tests without a verdict
    reason: str

    @property
    def size(self) -> float:
        return self.differ / self.runs

    @property
    def error(self) -> float:
        """One standard error of the size."""
        return math.sqrt(max(self.size * (1.0 - self.size), 0.0475 / 2) / self.runs)

    @property
    def passed(self) -> bool:
        return self.size <= BAR + 2 * self.error

    def printed(self) -> str:
        """A line for the terminal."""
        shares = f"{100 * self.size:.1f} %", f"{100 * self.error:.1f}", f"{100 * self.silent / self.runs:.1f} %"
        word = "pass" if self.passed else "FAIL"
        return COLUMNS.format(self.measure, *shares, f"{word}  {self.reason}").rstrip()

    def shown(self) -> str:
        """What stands in the docs' table."""
        share = f"{100 * self.size:.1f}"
        share = share if self.passed else f"**{share}**"
        return f"{share} ({100 * self.silent / self.runs:.0f})" if self.silent else share


def rows_of(cell: Cell, kept: Mapping[str, Kept]) -> list[Row]:
    """The rows of a cell, as far as it was simulated."""
    done = kept.get(cell.name)
    if done is None:
        return []
    rows = []
    for name in cell.measures:
        sums = done.counts.get(name, {})
        differ, silent = (int(sums.get(what, 0)) for what in ("differ", "silent"))
        rows.append(Row(name, done.runs, differ, silent, done.reasons.get(name, "")))
    return rows


def markdown(path: Path = STORE) -> str:
    """The tables of the docs: a table for each kind, a row for each measure, a column for each setting."""
    kept = read(path)
    tables = []
    for kind in dict.fromkeys(cell.kind for cell in CELLS):
        cells = [cell for cell in CELLS if cell.kind == kind and cell.name in kept]
        shown = [{row.measure: row.shown() for row in rows_of(cell, kept)} for cell in cells]
        if cells:
            tables.append("\n".join(table_lines(kind, cells, shown)) + "\n")
    numbers = ", ".join(dict.fromkeys(f"{one.runs:,}" for one in kept.values()))
    return "\n".join([*tables, f"Simulated tests of each setting: {numbers or 'none yet'}.\n"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Go on with the simulation, print the table; ends with 1 if a bar is missed."""
    heading = COLUMNS.format("measure", "size", "+-", "no verdict", "")
    return run_command(arguments, "benchmarks.sizes", __doc__, CELLS, STORE, heading, rows_of)


if __name__ == "__main__":
    sys.exit(main())
