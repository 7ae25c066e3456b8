"""`python -m benchmarks.coverage`: how often intervals hold the truth, for simulated tests whose truth is known.

Conventions: a cell is one setting, a world of `worlds` with the measures that are tried in it. Every measure of every
mode stands in some cell, by the example of its definition. An interval claims something (`claim_of`): 95 %, at least
95 % where it is on the safe side, or nothing where there is none. The bar: what claims 95 % holds the
truth in 93 to 97 % of the tests, what claims at least so much in 93 % or more, give or take twice the error of the
simulation itself; where a measure is bounded in some of the tests, these may all hold it. A cell that is not judged
shows what happens to those who do not know whose the trials are. Resamples are fewer than usual, since only their
spread is read.

    python -m benchmarks.coverage --minutes 50 --processes 2     goes on where it stopped, 1000 runs a cell
    python -m benchmarks.coverage --cell "8 people" --anew       some cells again, after a change of methods
    python -m benchmarks.coverage --show --only people           what is stored of them

Holds `CELLS`, `Cell`, `claim_of`, `Row`, `rows_of`, and for the docs `markdown`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.resumed import Kept, Prepared, Seen, read, run_command, table_lines
from benchmarks.worlds import (
    NONE_MADE,
    AttackedDetector,
    AttackedSystem,
    Classes,
    People,
    Queries,
    Scores,
    Searches,
    SeveralClasses,
    World,
    true_values,
)
from bertillon.measures import ATTACKS, MeasureSet, measure_set_of
from bertillon.stats import LEAST_PEOPLE, Interval

STORE = Path(__file__).with_name("coverage.json")
RESAMPLES = 200
BAR, ALL = (0.93, 0.97), 1.0
OFFERED = 0.05  # of the tests, below which a measure is said to have no interval
EXACT, AT_LEAST, NOTHING = "95 %", "at least 95 %", "not offered"
COLUMNS = "{:<42} {:>9} {:>5} {:>6} {:>6}  {:<14} {:<5} {}"

SOME: dict[str, Any] = {
    "goat": 0.3,
    "lamb": 0.1,
    "wolf": 0.1,
}  # shares of the variance of a score that belong to a person
STRONG: dict[str, Any] = {"goat": 0.6, "lamb": 0.3, "wolf": 0.3}

EXTRAS: Mapping[str, Sequence[str]] = {  # spellings besides the example of each definition
    "verification": (
        *("FNMR@t=1.5", "FMR@t=2.3", "FMR@t=3.7", "HTER@t=1.5", "FNMR@FMR=0.01", "FNMR@FMR=0.0001", "FMR@FNMR=0.01"),
        *("TMR@FMR=0.01", "TMR@FMR=0.0001", "FNM@FMR=0.0001", "HTER@FMR=0.01", "HTER@FMR=0.0001"),
        *("Cost(cfa=500,cfr=2,impostor=0.01)@FMR=0.0001", "minDCF(p=0.0001)", "minDCF(p=0.001)", "actDCF(p=0.5)"),
        *("pAUC@FMR=0.0001", "pAUC@FMR=0.001", "pAUC[mcclish]@FMR=0.01", "GFRR(fte=0)@FMR=0.0001"),
        *("FRR(fta=0)@FMR=0.0001", "FRR@FMR=0.001", "FAR@FRR=0.05", "GFAR(fte=0)@t=2.3"),
        *("FNMR[nearest]@FMR=0.001", "FNMR[interpolated]@FMR=0.001", "dprime[sum]", "Overlap(bins=20)"),
        *("EER[nearest]", "EER[hull]", "EER[fvc]"),
    ),
    "identification": (
        *("DIR@FPIR=0.1,k=1", "DIR@FPIR=0.1,k=5", "DIR@t=3.5,k=1", "FNIR@t=3.5,k=1", "FPIR@t=3.5", "SEL@t=3.5"),
        *("SEL@FPIR=0.1", "Missed@t=3.5", "Misidentified@t=3.5", "Missed@FPIR=0.1", "Misidentified@FPIR=0.1", "CMS@20"),
    ),
    "classification": (
        *("F1", "F1[weighted]", "Precision@Recall=0.9", "Recall@FPR=0.1", "Recall@FPR=0.01", "Recall@t=0.2"),
        *("Precision@t=0.8", "Specificity@Recall=0.9", "FPR@FNR=0.05", "MCC", "Kappa[quadratic]", "pAUC@FPR=0.01"),
        *("AP[interpolated]", "AP[voc11]", "P@100", "R@100", "NDCG@100", "ECE", "ECE[equal-mass]", "ECE[debiased]"),
        *("ECE[classwise]", "MCE[equal-mass]", "Cost(fn=100,fp=1,prevalence=0.01)@t=0.5", "minCost(fn=1,fp=1)"),
    ),
    "attacks": ("IAPAR@t=2", "RIAPAR@t=2", "APCER@t=2", "BPCER@t=2", "BPCER@t=0.5", "ACER@t=2"),
}
OF_PEOPLE = (
    *("FNMR@t={half}", "FMR@t=2.3", "HTER@t={half}", "EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "HTER@FMR=0.01", "AUC"),
    *("pAUC@FMR=0.01", "minHTER", "minDCF(p=0.01)", "minCllr", "Cllr", "Youden", "dprime", "Overlap", "ZeroFMR"),
)
OF_SEVERAL = (
    *(f"{name}[macro]" for name in ("Precision", "Recall", "Specificity", "NPV", "FDR", "FOR", "FNR", "FPR")),
    *("F1[macro]", "F1[micro]", "F1[weighted]", "F[macro](beta=2)", "Jaccard[macro]", "Accuracy", "BalancedAccuracy"),
    *("MCC", "Kappa", "Kappa[quadratic]", "AUC[ovr]", "AUC[ovr-micro]", "AUC[ovo]", "AP[macro]", "AP[micro]", "Top@2"),
    *("ECE", "ECE[classwise]", "MCE", "LogLoss", "Brier", "Reliability", "Resolution", "Uncertainty", "Remainder"),
)
OF_SYSTEMS = ("IAPAR", "RIAPAR", "APNRR")  # other measures of attacks are those of a detector
OF_QUERIES = ("MAP", "P[grouped]@5", "R[grouped]@5", "NDCG[grouped]@5", "AP[grouped]@5")


def claim_of(interval: Interval | None) -> str:
    """What an interval promises."""
    if interval is None or math.isnan(interval.low) or math.isnan(interval.high):
        return NOTHING
    return AT_LEAST if interval.claim == "at least" else EXACT


@dataclass(frozen=True)
class Cell:
    """One setting: the column of a table of the docs."""

    kind: str  # the table
    setting: str  # the column
    world: World
    measures: tuple[str, ...]
    judged: bool = True
    resamples: int = RESAMPLES

    @property
    def name(self) -> str:
        return f"{self.kind}: {self.setting}"

    def prepare(self) -> Prepared:
        found = true_values(self.world, self.measures)
        return {name: value for name, value in found.items() if math.isfinite(value)}

    def one(self, prepared: Prepared, seed: int) -> dict[str, Seen]:
        trials = self.world.draw(np.random.default_rng(seed))
        answers = self.world.answers(trials, self.measures, self.resamples, seed)
        seen = {}
        for name in self.measures:
            result, interval = answers[name]
            reason = str((interval and interval.reason) or result.reason or NONE_MADE)
            truth = prepared.get(name, math.nan) * self.world.times(trials, name)
            seen[name] = seen_of(interval, truth, reason)
        return seen


def seen_of(interval: Interval | None, truth: float, reason: str = "") -> Seen:
    """What one interval is to the counts."""
    claim = claim_of(interval)
    if claim == NOTHING or interval is None:
        return Seen({"undefined": 1}, reason)
    side = "covered" if interval.holds(truth) else "low" if interval.high < truth else "high"
    return Seen({side: 1, "bounds": int(claim == AT_LEAST), "width": interval.high - interval.low})


def spelled(measures: MeasureSet, names: Iterable[str]) -> tuple[str, ...]:
    """Canonical spellings, each once."""
    return tuple(dict.fromkeys(str(measures.parse(name)) for name in names))


def every(mode: str) -> tuple[str, ...]:
    """Each measure of a mode, by the example of its definition, and further spellings."""
    measures = ATTACKS if mode == "attacks" else measure_set_of(mode)
    examples = [definition.example for definition in measures.definitions.values()]
    return spelled(measures, (*examples, *EXTRAS[mode]))


def _of_comparisons() -> Iterator[Cell]:
    measures = every("verification")
    yield Cell("verification", "1,000 + 10,000", Scores(1000, 10_000), measures)
    yield Cell("verification", "200 + 2,000", Scores(200, 2000), measures)
    yield Cell("verification", "1,000 + 10,000, rounded", Scores(1000, 10_000, step=0.5), measures)


def _of_people() -> Iterator[Cell]:
    usual, apart = (
        spelled(measure_set_of("verification"), (name.format(half=dprime / 2) for name in OF_PEOPLE))
        for dprime in (3.0, 5.0)
    )
    some, strong = "people, some effect", "people, strong effect"
    for kind, effects in ((some, SOME), (strong, STRONG)):
        for n in (8, 12, 15, 30, 100):
            yield Cell(kind, f"{n} people", People(n, **effects), usual, judged=n >= LEAST_PEOPLE)
    for n in (30, 100):
        yield Cell(some, f"{n} people, few errors", People(n, **SOME, dprime=5.0), apart)
    yield Cell(strong, "100 people, not known", People(100, **STRONG, known=False), usual, judged=False)


def _of_searches() -> Iterator[Cell]:
    for weight, goat, wolf in (("no", 0.0, 0.0), ("strong", 0.6, 0.3)):
        for n in (30, 100, 300):
            yield Cell("searches", f"{n} people, {weight} effect", Searches(n, goat, wolf), every("identification"))


def _of_predictions() -> Iterator[Cell]:
    several, queries = (spelled(measure_set_of("classification"), names) for names in (OF_SEVERAL, OF_QUERIES))
    for n in (300, 3000):
        yield Cell("classification", f"{n:,}", Classes(n), every("classification"))
    yield Cell("classification", "300, miscalibrated", Classes(300, 0.6, 0.3), every("classification"))
    yield Cell("several classes", "300", SeveralClasses(300), several)
    for n in (30, 100):
        yield Cell("queries", f"{n} queries", Queries(n), queries)


def _of_attacks() -> Iterator[Cell]:
    system = tuple(name for name in every("attacks") if name.startswith(OF_SYSTEMS))
    detector = tuple(name for name in every("attacks") if name not in system or name == "APNRR")
    yield Cell("attacks", "a system", AttackedSystem((0.0, 1.0), 200, 500), system)
    yield Cell("attacks", "a detector", AttackedDetector((0.0, 1.0), 200, 500), detector)
    yield Cell("attacks", "a detector, species alike", AttackedDetector((1.0, 1.0, 1.0), 200, 500), detector)


CELLS = (*_of_comparisons(), *_of_people(), *_of_searches(), *_of_predictions(), *_of_attacks())


@dataclass(frozen=True, slots=True)
class Row:
    """One measure in one cell: what its intervals claim and how many held the truth."""

    measure: str
    cell: Cell
    runs: int
    truth: float
    undefined: int
    covered: int
    low: int  # intervals that lie below the truth
    high: int
    bounds: int
    width: float  # the mean
    reason: str

    @classmethod
    def of(cls, cell: Cell, measure: str, kept: Kept) -> Row:
        sums = kept.counts[measure]
        numbers = {name: int(sums.get(name, 0)) for name in ("undefined", "covered", "low", "high", "bounds")}
        width = sums.get("width", 0.0) / max(kept.runs - numbers["undefined"], 1)
        reason, truth = kept.reasons.get(measure, ""), kept.prepared.get(measure, math.nan)
        return cls(measure, cell, kept.runs, truth, **numbers, width=width, reason=reason)

    @property
    def offered(self) -> int:
        """Tests with an interval."""
        return self.runs - self.undefined

    @property
    def coverage(self) -> float:
        return self.covered / self.offered if self.offered else math.nan

    @property
    def error(self) -> float:
        """One standard error of the coverage."""
        return math.sqrt(max(self.coverage * (1.0 - self.coverage), 0.0475 / 2) / max(self.offered, 1))

    @property
    def claim(self) -> str:
        if self.offered < OFFERED * self.runs:
            return NOTHING
        return AT_LEAST if 2 * self.bounds >= self.offered else EXACT

    @property
    def passed(self) -> bool:
        """Within the bar, or without a claim."""
        if self.claim == NOTHING or not self.cell.judged:
            return True
        (low, high), bounded = BAR, self.bounds / self.offered
        highest = ALL if self.claim == AT_LEAST else high + bounded * (ALL - high)
        return low - 2 * self.error <= self.coverage <= highest + 2 * self.error

    @property
    def errs(self) -> tuple[float, float]:
        """Shares of intervals that lie below and above the truth, in percent."""
        return 100 * self.low / self.offered, 100 * self.high / self.offered

    def printed(self) -> str:
        """A line for the terminal."""
        if self.claim == NOTHING:
            return COLUMNS.format(self.measure, "", "", "", "", NOTHING, "", self.reason).rstrip()
        word = "" if not self.cell.judged else "pass" if self.passed else "FAIL"
        low, high = (f"{share:.1f}" for share in self.errs)
        more = f"truth {self.truth:.4g}, width {self.width:.3g}"
        more += f", bounded in {self.bounds}" if self.claim == EXACT and self.bounds else ""
        more += f", undefined in {self.undefined}" if self.undefined else ""
        share, error = f"{100 * self.coverage:.1f} %", f"{100 * self.error:.1f}"
        return COLUMNS.format(self.measure, share, error, low, high, self.claim, word, more)

    def shown(self) -> str:
        """What stands in the docs' table: coverage, and the shares of intervals that lie too low and too high."""
        if self.claim == NOTHING:
            return "none"
        low, high = self.errs
        share = f"{100 * self.coverage:.1f}"
        share = f"**{share}**" if not self.passed else share
        return f"{'≥ ' if self.claim == AT_LEAST else ''}{share} ({low:.1f}, {high:.1f})"


def rows_of(cell: Cell, kept: Mapping[str, Kept]) -> list[Row]:
    """The rows of a cell, as far as it was simulated."""
    done = kept.get(cell.name)
    return [] if done is None else [Row.of(cell, name, done) for name in cell.measures if name in done.counts]


def markdown(path: Path = STORE) -> str:
    """The tables of the docs: a table for each kind, a row for each measure, a column for each setting."""
    kept = read(path)
    kinds = dict.fromkeys(cell.kind for cell in CELLS)
    return "\n".join(_table(kind, kept) for kind in kinds)


def _table(kind: str, kept: Mapping[str, Kept]) -> str:
    cells = [cell for cell in CELLS if cell.kind == kind and cell.name in kept]
    if not cells:
        return f"### {kind.capitalize()}\n\nNot simulated yet.\n"
    rows = [rows_of(cell, kept) for cell in cells]
    shown = [{row.measure: row.shown() for row in own} for own in rows]
    lines = [f"### {kind.capitalize()}", "", *table_lines("measure", cells, shown)]
    numbers = ", ".join(dict.fromkeys(f"{kept[cell.name].runs:,}" for cell in cells))
    return (
        "\n".join([*lines, "", f"Simulated tests of each setting: {numbers}.", *_reasons(chain.from_iterable(rows))])
        + "\n"
    )


def _reasons(rows: Iterable[Row]) -> list[str]:
    """Why some measures have no interval in some or all of the settings."""
    without: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.claim == NOTHING:
            without.setdefault(row.reason, {})[row.measure] = None
    lines = [f"* None of {', '.join(f'`{name}`' for name in names)}: {reason}." for reason, names in without.items()]
    return ["", *lines] if lines else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Go on with the simulation, print the table; ends with 1 if a bar is missed."""
    heading = COLUMNS.format("measure", "covers", "+-", "low %", "high %", "claims", "", "")
    return run_command(arguments, "benchmarks.coverage", __doc__, CELLS, STORE, heading, rows_of)


if __name__ == "__main__":
    sys.exit(main())
