"""Mutation testing: change the code in small ways, one at a time, and see the tests notice.

    python tools/mutate.py               a sample of mutants from each group of modules
    python tools/mutate.py --all         every mutant
    python tools/mutate.py --only counting.streams counting.curves

Mutants are made with mutmut's operators (`mutation.mutants` says why its runner is not used). A mutant counts as
noticed when a test fails or it hangs. Survivors that cannot be told from the original, or only by their speed, are
known by their kind (`mutation.alike`) or listed with the reason in `mutation/explained.json`; they count as survivors
all the same, but are not printed.

Prints a table and the survivors nobody has explained; ends with 1 if fewer than 90 % of any group were noticed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

import hypothesis
import pytest
from mutation.alike import why_alike
from mutation.mutants import Mutant, mutants_of
from mutation.trying import BROKEN, KILLED, SURVIVED, TIMEOUT, UNTESTED, Fate, Trial

import bertillon

EXPLAINED = Path(__file__).resolve().parent / "mutation" / "explained.json"
RESULTS = EXPLAINED.with_name("results.json")
SOURCE = Path(bertillon.__file__).resolve().parent
ROOT = SOURCE.parents[1]
MUTATED = (
    "core.rule",
    "counting",
    "trials.class_tally",
    "trials.search_tally",
    "trials.attack_set",
    "measures",
    "stats.interval",
)
GROUPS = ("core.rule", "counting.curves", *MUTATED[1:], "compiled loops")
TESTS = (
    "tests/counting",
    "tests/measures",
    "tests/classification",
    "tests/identification",
    "tests/evaluation",
    "tests/trials",
    "tests/analysis/test_attacks.py",
    "tests/core/test_rule.py",
    "tests/test_laws.py",
    "tests/test_spec.py",
    "tests/test_spec_classification.py",
    "tests/test_standards.py",
    "tests/evaluation/test_evaluation.py",
    "tests/stats/test_interval.py",
    "tests/stats/test_proportion.py",
    "tests/stats/test_rules_of_thumb.py",
    "src/bertillon/core/rule.py",
    "src/bertillon/counting",
    "src/bertillon/trials/class_tally.py",
    "src/bertillon/trials/search_tally.py",
    "src/bertillon/trials/attack_set.py",
    "src/bertillon/measures",
    "src/bertillon/stats/interval.py",
)
UNUSED = ("cacheprovider", "xdist", "faulthandler")  # plugins of pytest
BAR = 0.9


@dataclass(frozen=True)
class Row:
    """The line of one group."""

    group: str
    made: int
    tried: int
    killed: int
    timeouts: int
    survived: int
    explained: int

    @property
    def rate(self) -> float:
        return (self.killed + self.timeouts) / self.tried if self.tried else math.nan

    @property
    def variance(self) -> float:
        """Of the rate, from having tried a part of those made."""
        if self.tried in (self.made, 0, 1):
            return 0.0
        return self.rate * (1 - self.rate) / (self.tried - 1) * (1 - self.tried / self.made)


def main() -> int:
    chosen = _arguments()
    made = _by_group(mutant for path, name in _modules(chosen.only) for mutant in mutants_of(path, name))
    if chosen.keys:
        wanted = set(json.loads(Path(chosen.keys).read_text(encoding="utf-8")))
        made = {group: [mutant for mutant in mutants if mutant.key in wanted] for group, mutants in made.items()}
    tried = made if chosen.all or chosen.keys else _sample(made, chosen.sample, chosen.seed)
    every = [mutant for mutants in tried.values() for mutant in mutants]
    with open(chosen.out, "w", encoding="utf-8") if chosen.out else nullcontext() as file:
        fates = _try(every, chosen.jobs, chosen.tests or TESTS, partial(_note, file))
    explained = {fate.mutant.key for fate in fates if why_alike(fate.mutant.key)} | _listed()
    rows = [_row(group, len(mutants), fates, explained) for group, mutants in made.items() if mutants]
    _show(rows, [fate for fate in fates if fate.outcome not in (KILLED, TIMEOUT)], explained)
    if chosen.store:
        RESULTS.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n", encoding="utf-8")
    return int(any(row.rate < BAR for row in rows))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="change the code in small ways and see the tests notice")
    parser.add_argument("--all", action="store_true", help="try every mutant")
    parser.add_argument("--sample", type=int, default=1500, help="how many to try otherwise (1500)")
    parser.add_argument("--seed", type=int, default=0, help="which ones (0)")
    parser.add_argument("--only", nargs="+", default=MUTATED)
    parser.add_argument("--keys", help="a JSON list of the names of mutants to try")
    parser.add_argument("--tests", nargs="+", help="other tests than usual")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at a time")
    parser.add_argument("--store", action="store_true", help="keep the table in mutation/results.json")
    parser.add_argument("--out", help="write what becomes of each mutant to this file, a line of JSON each")
    return parser.parse_args()


def _modules(prefixes: Sequence[str]) -> Iterator[tuple[Path, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        if any(f"{name}.".startswith(f"bertillon.{prefix}.") for prefix in prefixes):
            yield path, name


def _by_group(mutants: Iterator[Mutant]) -> dict[str, list[Mutant]]:
    groups: dict[str, list[Mutant]] = {group: [] for group in GROUPS}
    for mutant in mutants:
        groups[_group(mutant)].append(mutant)
    return groups


def _group(mutant: Mutant) -> str:
    if mutant.module.endswith("kernels"):
        return "compiled loops"
    name = mutant.module.removeprefix("bertillon.")
    return next(group for group in GROUPS if f"{name}.".startswith(f"{group}."))


def _sample(made: dict[str, list[Mutant]], number: int, seed: int) -> dict[str, list[Mutant]]:
    """As many of each group as its share, but no fewer than 100 of any that has them.

    Which ones, a hash of each decides, so that a change of the code changes the choice in the functions it touches.
    """

    def drawn(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed} {mutant.module}.{mutant.function} {mutant.number}".encode()).digest()

    total = sum(map(len, made.values()))
    return {
        group: sorted(mutants, key=drawn)[: max(100, round(number * len(mutants) / max(total, 1)))]
        for group, mutants in made.items()
    }


def _try(mutants: Sequence[Mutant], jobs: int, tests: Sequence[str], note: Callable[[Fate], None]) -> list[Fate]:
    hypothesis.settings.register_profile(
        "mutate",
        max_examples=30,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    os.chdir(ROOT)
    trial = Trial(mutants, jobs, lambda text: print(text, file=sys.stderr, flush=True), note)
    quiet = ["-q", "-s", "--tb=line", "--assert=plain", *(f"-pno:{name}" for name in UNUSED)]
    options = ["-o", "addopts=--doctest-modules --import-mode=importlib", "-m", "not slow and not realdata"]
    ended = pytest.main([*tests, *quiet, *options, "--hypothesis-profile=mutate"], plugins=[trial])
    if len(trial.fates) < len(mutants):
        sys.exit(f"the tests could not be run: pytest ended with {int(ended)}")
    return trial.fates


def _listed() -> set[str]:
    reasons: dict[str, list[str]] = json.loads(EXPLAINED.read_text(encoding="utf-8"))
    return {key for keys in reasons.values() for key in keys}


def _row(group: str, made: int, fates: Sequence[Fate], explained: Set[str]) -> Row:
    own = [fate for fate in fates if _group(fate.mutant) == group]
    alive = [fate for fate in own if fate.outcome in (SURVIVED, UNTESTED, BROKEN)]
    known = sum(fate.mutant.key in explained for fate in alive)
    number = {outcome: sum(fate.outcome == outcome for fate in own) for outcome in (KILLED, TIMEOUT)}
    return Row(group, made, len(own), number[KILLED], number[TIMEOUT], len(alive) - known, known)


def _show(rows: Sequence[Row], alive: Sequence[Fate], explained: Set[str]) -> None:
    for fate in alive:
        if fate.mutant.key not in explained:
            print(f"{fate.outcome} ({fate.by}), line {fate.mutant.lines.start}: {fate.mutant.key}")
    print(
        f"\n{'':24}{'made':>7}{'tried':>7}{'killed':>8}{'timeout':>9}{'survived':>10}{'explained':>11}{'noticed':>10}"
    )
    for row in rows:
        numbers = f"{row.made:7}{row.tried:7}{row.killed:8}{row.timeouts:9}{row.survived:10}{row.explained:11}"
        print(f"{row.group:24}{numbers}{100 * row.rate:8.1f} %")
    made = sum(row.made for row in rows)
    rate = sum(row.made * row.rate for row in rows) / made
    error = 1.96 * math.sqrt(sum((row.made / made) ** 2 * row.variance for row in rows))
    spread = f" ± {100 * error:.1f} from trying a part" if error else ""
    print(f"{'together':24}{made:7}{sum(row.tried for row in rows):7}{'':38}{100 * rate:8.1f} %{spread}")


def _note(file: TextIO | None, fate: Fate) -> None:
    if file:
        record = [fate.mutant.key, fate.outcome, fate.by, round(fate.seconds, 2), fate.mutant.lines.start]
        print(json.dumps(record, ensure_ascii=False), file=file, flush=True)


if __name__ == "__main__":
    sys.exit(main())
