"""One case, one row: how ours compares with a peer, and whether the bar is met.

Conventions: times are the best of several repeats, ours and the peer's in turn, with the garbage collector held.
Before anything is timed both answer once, which warms them up, and their answers must agree: a fast wrong answer
raises `Disagreement` and fails the case. A case that cannot be run here raises `Skipped`; so does a missing peer.

Holds `Case`, `Row`, `Measured`, `contest`, `best_time` and the checks `agree` and `require`.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter, sleep
from typing import Literal, TypeVar

Ours = TypeVar("Ours")
Theirs = TypeVar("Theirs")

REPEATS = 5
SETTLE = 0.05  # seconds after a matrix product in which the threads of its library wait for the next one, on the cores


class Disagreement(Exception):
    """Two answers to the same question differ by more than their definitions allow."""


class Skipped(Exception):
    """The case cannot be run here; the message says why."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run found: the number the bar is held against, and the two numbers it comes from."""

    ratio: float
    ours: float | None = None
    peer: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `passed` is None where there is no bar or the case was skipped."""

    name: str
    ours: float | None
    peer: float | None
    ratio: float | None
    bar: str
    passed: bool | None
    note: str = ""
    took: float | None = None  # seconds, all repeats and the making of the data included


@dataclass(frozen=True, slots=True)
class Case:
    """A promise: what is run at a scale, and the bar its ratio must reach or keep under."""

    name: str
    bar: float | None
    run: Callable[[float], Measured]
    better: Literal["at least", "at most"] = "at least"
    unit: str = "x"  # of the ratio

    @property
    def bar_text(self) -> str:
        return "none" if self.bar is None else f"{self.better} {self.bar:g} {self.unit}".rstrip()

    def row(self, scale: float) -> Row:
        """Run the case and judge it."""
        try:
            found = self.run(scale)
        except Skipped as reason:
            return self._without_numbers(None, f"skipped: {reason}")
        except ModuleNotFoundError as missing:
            if (missing.name or "").startswith("bertillon"):
                raise
            return self._without_numbers(None, f"skipped: {missing.name} is not installed")
        except Disagreement as problem:
            return self._without_numbers(False, f"answers differ: {problem}")
        except Exception as error:  # one broken case must not hide the others
            return self._without_numbers(False, f"broke: {type(error).__name__}: {error}")
        return Row(self.name, found.ours, found.peer, found.ratio, self.bar_text, self._judge(found.ratio), found.note)

    def judged(self, row: Row) -> Row:
        """A row that was measured before, by the bar of now; one without numbers stays as it is."""
        passed = row.passed if row.ratio is None else self._judge(row.ratio)
        return replace(row, bar=self.bar_text, passed=passed)

    def _without_numbers(self, passed: bool | None, note: str) -> Row:
        return Row(self.name, None, None, None, self.bar_text, passed, note)

    def _judge(self, ratio: float) -> bool | None:
        if self.bar is None:
            return None
        return ratio >= self.bar if self.better == "at least" else ratio <= self.bar


def seconds(work: Callable[[], object], in_a_row: int = 1) -> float:
    """How long one run takes, of so many in a row; what they return is dropped outside the clock."""
    gc.collect()
    gc.disable()
    try:
        start = perf_counter()
        kept = [work() for _ in range(in_a_row)]
        taken = perf_counter() - start
    finally:
        gc.enable()
    del kept
    return taken / in_a_row


def best_time(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The best of several runs; the caller has warmed up."""
    return min(seconds(work) for _ in range(repeats))


def contest(
    ours: Callable[[], Ours],
    peer: Callable[[], Theirs],
    check: Callable[[Ours, Theirs], None],
    *,
    repeats: int = REPEATS,
    in_a_row: int = 1,
    settle: float = 0.0,
) -> tuple[float, float]:
    """Best times of ours and the peer's, run in turn after their answers were found to agree.

    What takes less than a millisecond is timed several times `in_a_row`: alone it would be slowed by an empty cache.
    Before each is timed, some seconds are waited to `settle`, where the other one leaves threads behind.
    """
    check(ours(), peer())

    def taken(work: Callable[[], object]) -> float:
        sleep(settle)
        return seconds(work, in_a_row)

    times = [(taken(ours), taken(peer)) for _ in range(repeats)]
    return min(time for time, _ in times), min(time for _, time in times)


def faster(times: tuple[float, float], note: str = "") -> Measured:
    """How many times faster ours is."""
    return Measured(times[1] / times[0], *times, note)


def require(holds: bool, problem: str) -> None:
    """Fail the case with the problem unless the condition holds."""
    if not holds:
        raise Disagreement(problem)


def agree(ours: Mapping[str, float], theirs: Mapping[str, float], tolerance: float) -> None:
    """Every answer of the peer is matched by ours within an absolute tolerance."""
    for name, value in theirs.items():
        near = math.isclose(ours[name], value, rel_tol=0.0, abs_tol=tolerance)
        require(near, f"{name} is {ours[name]!r} and the peer's {value!r}, more than {tolerance:g} apart")
