"""U1: the default intervals hold the truth of simulated people about as often as they say, and naive ones do not.

A fast version of `benchmarks/coverage.py`: few cells and few simulated tests, with limits so wide that chance alone
breaks them once in a thousand runs, and so narrow that a wrong variance does not pass. And the simulation itself: its
truths, its claims, and that it goes on where it stopped.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # where the benchmarks are

from benchmarks import worlds
from benchmarks.coverage import (
    AT_LEAST,
    CELLS,
    EXACT,
    NOTHING,
    STORE,
    STRONG,
    Cell,
    Row,
    claim_of,
    markdown,
    rows_of,
    seen_of,
    spelled,
)
from benchmarks.resumed import Kept, go_on, read, seed_of
from benchmarks.worlds import AttackedDetector, Classes, People, Queries, Scores, Searches, true_values
from bertillon.core import say
from bertillon.measures import ATTACKS, measure_set_of
from bertillon.stats import Interval, proportion
from bertillon.trials import SearchTruth, simulate

RUNS = 60
RATES = ("FNMR@t=1.5", "FMR@t=2.3", "EER", "FNMR@FMR=0.01", "AUC")
SETS = {mode: measure_set_of(mode) for mode in ("verification", "identification", "classification")}
SETS["attacks"] = ATTACKS


@pytest.fixture(autouse=True)
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Populations that are large enough for a test."""
    for name, number in (("MANY", 50_000), ("MANY_SEARCHES", 20_000), ("MANY_SAMPLES", 20_000), ("MANY_TESTS", 100)):
        monkeypatch.setattr(worlds, name, number)


def simulated(cell: Cell, path: Path, runs: int = RUNS) -> dict[str, Row]:
    kept = go_on([cell], path / "store.json", runs=runs, report=lambda line: None)
    return {row.measure: row for row in rows_of(cell, kept)}


def small(resamples: int = 20) -> Cell:
    return Cell("verification", "small", Scores(50, 200), ("EER", "FNMR@t=1.5"), resamples=resamples)


def test_default_intervals_of_comparisons_hold_the_truth(tmp_path: Path) -> None:
    rows = simulated(Cell("people", "40", People(40, **STRONG), RATES, resamples=60), tmp_path)
    for row in rows.values():
        assert row.coverage >= 0.86, row.measure  # 52 of 60: below it once in 1,000 if 95 % is true
    assert sum(row.coverage for row in rows.values()) / len(rows) < 0.998  # nor are they all too wide


def test_naive_intervals_of_comparisons_do_not(tmp_path: Path) -> None:
    cell = Cell("people", "40, not known", People(40, **STRONG, known=False), RATES, judged=False, resamples=60)
    rows = simulated(cell, tmp_path)
    for name in ("FNMR@t=1.5", "EER", "AUC"):
        assert rows[name].coverage < 0.85, name
        assert rows[name].passed, "it is shown, not judged"


def test_default_intervals_of_searches_hold_the_truth(tmp_path: Path) -> None:
    measures = ("DIR@t=3.5,k=1", "DIR@FPIR=0.1,k=1", "RR", "CMS@5")
    rows = simulated(Cell("searches", "40", Searches(40, 0.6, 0.3), measures, resamples=60), tmp_path)
    for row in rows.values():
        assert row.coverage >= 0.86, row.measure


@pytest.mark.parametrize("mode", SETS)
def test_every_measure_of_every_mode_has_a_row(mode: str) -> None:
    tried = {name for cell in CELLS if cell.world.mode == mode for name in cell.measures}
    examples = spelled(SETS[mode], (definition.example for definition in SETS[mode].definitions.values()))
    assert set(examples) <= tried


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_what_is_stored_has_every_measure_and_its_truth(cell: Cell) -> None:
    rows = rows_of(cell, read(STORE))
    assert tuple(row.measure for row in rows) == cell.measures
    for row in rows:
        assert row.reason if row.claim == NOTHING else math.isfinite(row.truth), row.measure
        assert row.undefined + row.covered + row.low + row.high == row.runs


@pytest.mark.parametrize("cell", [cell for cell in CELLS if "100 people" not in cell.name], ids=lambda cell: cell.name)
def test_every_cell_can_be_drawn_and_judged(cell: Cell) -> None:
    seen = replace(cell, resamples=20).one(dict.fromkeys(cell.measures, 0.5), 1)
    assert tuple(seen) == cell.measures
    assert all(
        sum(one.counts.get(side, 0) for side in ("undefined", "covered", "low", "high")) == 1 for one in seen.values()
    )


def test_a_simulation_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path, cell = tmp_path / "store.json", small()
    for runs in (3, 7):
        go_on([cell], path, runs=runs, report=lambda line: None)
    found = read(path)[cell.name]
    expected = Kept(found.definition, found.prepared)
    for run in range(7):
        expected.add(cell.one(found.prepared, seed_of(cell.name, run)), 0.0)
    assert (found.runs, found.counts, found.reasons) == (7, expected.counts, expected.reasons)
    assert list(tmp_path.iterdir()) == [path]


def test_a_simulation_stops_in_time(tmp_path: Path) -> None:
    assert go_on([small()], tmp_path / "store.json", runs=5, minutes=0.0) == {}


def test_a_changed_cell_starts_anew_and_others_stay(tmp_path: Path) -> None:
    path, other = tmp_path / "store.json", Cell("queries", "few", Queries(5), ("MAP",))
    go_on([small(), other], path, runs=6, report=lambda line: None)
    kept = go_on([small(resamples=25)], path, runs=2, report=lambda line: None)
    assert (kept[small().name].runs, kept[other.name].runs) == (2, 6)


def test_what_was_simulated_is_forgotten_on_request(tmp_path: Path) -> None:
    path = tmp_path / "store.json"
    go_on([small()], path, runs=6, report=lambda line: None)
    assert go_on([small()], path, runs=2, report=lambda line: None)[small().name].runs == 6
    assert go_on([small()], path, runs=2, anew=True, report=lambda line: None)[small().name].runs == 2


def test_the_store_is_plain_json(tmp_path: Path) -> None:
    cell = Cell("classification", "few", Classes(50), ("AUC", "MAP"), resamples=20)
    simulated(cell, tmp_path, 2)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    stored = json.loads((tmp_path / "store.json").read_text(), parse_constant=refuse)
    assert set(stored["cells"][cell.name]["counts"]) == {"AUC", "MAP"}


def test_what_an_interval_claims() -> None:
    assert claim_of(None) == claim_of(Interval.undefined("no data")) == NOTHING
    assert claim_of(Interval(0.1, 0.2, method=say("method.student"))) == EXACT
    assert claim_of(proportion(3, 100)) == AT_LEAST
    assert claim_of(Interval(0.0, 0.2, method=say("method.student"), claim="at least")) == AT_LEAST


def test_on_which_side_an_interval_errs() -> None:
    interval = Interval(0.1, 0.2, method=say("method.student"))
    sides = [next(iter(seen_of(interval, truth).counts)) for truth in (0.3, 0.15, 0.2, 0.05)]
    assert sides == ["low", "covered", "covered", "high"]
    assert seen_of(None, 0.5, "why").reason == "why"


def row_of(covered: int, bounds: int = 0, *, undefined: int = 0, judged: bool = True) -> Row:
    runs = 1000
    cell = replace(small(), judged=judged)
    return Row("EER", cell, runs, 0.1, undefined, covered, runs - undefined - covered, 0, bounds, 0.1, "why")


def test_the_bar() -> None:
    assert [row_of(covered).passed for covered in (910, 930, 950, 970, 985)] == [False, True, True, True, False]
    assert [row_of(covered, bounds=1000).passed for covered in (910, 930, 999)] == [False, True, True]
    assert row_of(985, bounds=400).passed, "bounds may all hold"
    assert row_of(700, judged=False).passed
    assert row_of(0, undefined=960).claim == NOTHING
    assert row_of(300, undefined=700).coverage == 1.0


def test_the_table_of_the_docs(tmp_path: Path) -> None:
    assert row_of(910).shown() == "**91.0** (9.0, 0.0)"
    assert row_of(950, bounds=1000).shown() == "≥ 95.0 (5.0, 0.0)"
    assert row_of(0, undefined=1000).shown() == "none"
    tables = markdown().split("### ")[1:]
    assert [table.splitlines()[0].lower() for table in tables] == list(dict.fromkeys(cell.kind for cell in CELLS))
    measures = {name for cell in CELLS if cell.kind == "verification" for name in cell.measures}
    assert sum(line.startswith("| `") for line in tables[0].splitlines()) == len(measures)


def test_truths_of_comparisons_against_theory() -> None:
    measures = ("EER", "AUC", "dprime", "FNMR@FMR=0.01", "FMR@t=2.3", "TM@t=2.3", "FTA", "ZeroFMR", "FRR@t=1.5")
    truth = simulate("binormal", dprime=3.0, mated=1, nonmated=1).truth
    found = true_values(Scores(100, 100), measures)
    expected = (truth.eer().value, truth.auc(), 3.0, truth.fnmr_at_fmr(0.01), truth.fmr(2.3), 1 - truth.fnmr(2.3), 0.02)
    assert list(found.values()) == pytest.approx([*expected, 1.0, 0.02 + 0.98 * truth.fnmr(1.5)], abs=1e-3)


def test_truths_of_searches_against_theory() -> None:
    truth = SearchTruth(gallery=300, dprime=4.0, wolf=0.1)
    found = true_values(Searches(30, 0.3, 0.1), ("RR", "CMS@5", "DIR@t=3.5,k=1", "FPIR@t=3.5"))
    expected = (truth.cms(1), truth.cms(5), truth.dir(3.5), truth.fpir(3.5))
    assert list(found.values()) == pytest.approx(expected, abs=0.015)


def test_truths_of_predictions_against_theory() -> None:
    measures = ("ECE", "ECE[debiased]", "Reliability", "Prevalence", "Brier", "P@10")
    found = true_values(Classes(300), measures)
    logits = np.random.default_rng(1).normal(-1.0, 1.5, 400_000)
    chance = 1.0 / (1.0 + np.exp(-logits))
    assert [found[name] for name in measures[:3]] == [0.0, 0.0, 0.0]
    assert found["Prevalence"] == pytest.approx(chance.mean(), abs=2e-3)
    assert found["Brier"] == pytest.approx((chance * (1.0 - chance)).mean(), abs=2e-3)
    highest = np.sort(chance[:300_000].reshape(1000, 300))[:, -10:]
    assert found["P@10"] == pytest.approx(highest.mean(), abs=0.03)


def test_truths_of_attacks_against_theory() -> None:
    truth = simulate("binormal", dprime=2.0, mated=1, nonmated=1).truth  # of bona fide ones and the worst species
    found = true_values(AttackedDetector((0.0, 1.0), 10, 10), ("APCER@t=2", "BPCER@APCER=0.05", "APNRR"))
    assert list(found.values()) == pytest.approx([truth.fmr(1.0), truth.fnmr_at_fmr(0.05), 0.03], abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell.kind in ("queries", "attacks")], ids=lambda c: c.name)
def test_cells_of_the_benchmark(cell: Cell, tmp_path: Path) -> None:
    """Cells whose formulas are simple, with as many runs as it takes to see a miss of three points."""
    for row in simulated(cell, tmp_path, 300).values():
        assert row.passed, row
