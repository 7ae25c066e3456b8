"""Try the tests on mutants, each in a fork of its own.

A mutant meets the tests that run its lines: first those that noticed other mutants of the function, then the quick
ones, until one fails; after PATIENCE seconds of tests it has survived. A mutant that hangs has been noticed.

Holds `Trial`, a plugin that takes over once pytest has collected the tests, and `Fate`.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mutation.learning import Reached, become_quiet, learn, passes
from mutation.mutants import Mutant
from mutation.swapping import apply, callers_of, compiled_functions, forget_results

PATIENCE = 4.0  # seconds of tests for each mutant
COMPILING = 30.0  # seconds for compiled loops to be compiled anew
PAUSE = 0.002  # seconds between two looks; waiting is counted in looks, as all this may be made to stand still
MEMORY = 4 << 30  # bytes a mutant may take on top
KILLED, SURVIVED, TIMEOUT, UNTESTED, BROKEN = "killed", "survived", "timeout", "untested", "broken"


@dataclass(frozen=True)
class Fate:
    """What became of a mutant."""

    mutant: Mutant
    outcome: str
    by: str = ""  # the test that noticed it, or how many did not
    seconds: float = 0.0


@dataclass
class _Fork:
    child: int
    mutant: Mutant
    tests: Sequence[int]
    reading: int
    allowed: float  # seconds
    looks: int = 0
    started: float = field(default_factory=time.monotonic)


@dataclass
class Trial:
    """The plugin; `fates` holds the results after the run, and each is given to `note` as soon as it is known."""

    mutants: Sequence[Mutant]
    jobs: int
    say: Callable[[str], None]
    note: Callable[[Fate], None]
    fates: list[Fate] = field(default_factory=list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        start = time.perf_counter()
        reached = learn(session.items, self.jobs)
        self.say(f"{len(session.items)} tests run once in {time.perf_counter() - start:.0f} s")
        for item, passed in zip(session.items, reached.passed, strict=True):
            if not passed:
                self.say(f"left out, as it fails or takes long: {item.nodeid}")
        gc.freeze()  # forks share these pages for as long as nobody counts the references
        runner = _Runner(session.items, reached)
        started = time.perf_counter()
        for fate in runner.run(self.mutants, self.jobs):
            self.fates.append(fate)
            self.note(fate)
            if len(self.fates) % 100 == 0:
                pace = len(self.fates) / (time.perf_counter() - started)
                self.say(f"{len(self.fates)} of {len(self.mutants)} mutants, {pace:.1f} a second")
        self.fates = self._without_false_alarms(runner)
        return True

    def _without_false_alarms(self, runner: _Runner) -> list[Fate]:
        """The fates, where what was noticed by a test that fails without a mutant, alone in a fork, has survived."""
        false = runner.failing_alone({fate.by for fate in self.fates})
        for name in sorted(false):
            self.say(f"fails without a mutant when it runs alone, so what it noticed counts as survived: {name}")
        return [
            Fate(fate.mutant, SURVIVED, f"false alarm of {fate.by}", fate.seconds) if fate.by in false else fate
            for fate in self.fates
        ]


class _Runner:
    def __init__(self, items: Sequence[Any], reached: Reached) -> None:
        self.items, self.reached = items, reached
        self.loops = compiled_functions()
        self.killers: dict[tuple[str, str], list[int]] = {}

    def run(self, mutants: Sequence[Mutant], jobs: int) -> Iterator[Fate]:
        """The fates, in the order in which they become known."""
        running: dict[int, _Fork] = {}
        waiting = list(reversed(mutants))
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant = waiting.pop()
                tests = self.tests_for(mutant)
                if tests:
                    fork = self.start(mutant, tests)
                    running[fork.child] = fork
                else:
                    yield Fate(mutant, UNTESTED)
            yield from self.ended(running)

    def tests_for(self, mutant: Mutant) -> list[int]:
        """The tests that meet a mutant, in order, for as long as patience lasts."""
        if mutant.function in self.loops:
            tests = self.reached.by_names(callers_of(mutant.function, self.loops), self.items)
        else:
            tests = self.reached.by_lines(str(sys.modules[mutant.module].__file__), mutant.lines)
        killers = self.killers.get((mutant.module, mutant.function), [])
        first = [test for test in dict.fromkeys(reversed(killers)) if test in tests]
        chosen: list[int] = []
        spent = 0.0
        for test in [*first, *sorted(tests - set(first), key=lambda test: self.reached.seconds[test])]:
            spent += self.reached.seconds[test]
            if chosen and spent > PATIENCE:
                break
            chosen.append(test)
        return chosen

    def start(self, mutant: Mutant, tests: Sequence[int]) -> _Fork:
        reading, writing = os.pipe()
        expected = sum(self.reached.seconds[test] for test in tests)
        allowed = 4.0 + 4 * expected + (COMPILING if mutant.function in self.loops else 0.0)
        child = os.fork()
        if not child:
            self.try_tests(mutant, tests, writing, allowed)
        os.close(writing)
        return _Fork(child, mutant, tests, reading, 4 * allowed)

    def try_tests(self, mutant: Mutant, tests: Sequence[int], writing: int, allowed: float) -> None:
        """In the fork: change the code and run the tests; tells which one failed first."""
        become_quiet()
        resource.setrlimit(resource.RLIMIT_CPU, (int(allowed) + 1, int(allowed) + 2))
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
        forget_results()
        try:
            apply(mutant)
        except Exception as problem:
            os.write(writing, f"! {problem!r}\n".encode()[:4000])
            os._exit(0)
        told = "-1"
        for test in tests:
            if not passes(self.items[test]):
                told = str(test)
                break
        os.write(writing, told.encode())
        os._exit(0)

    def ended(self, running: dict[int, _Fork]) -> list[Fate]:
        """The fates of forks that have ended since; those that take too long are ended."""
        child, status = os.waitpid(-1, os.WNOHANG) if running else (0, 0)
        if child in running:
            return [self.fate(running.pop(child), status)]
        for fork in running.values():
            fork.looks += 1
            if fork.looks * PAUSE > fork.allowed:
                os.kill(fork.child, signal.SIGKILL)
        time.sleep(PAUSE)
        return []

    def fate(self, fork: _Fork, status: int) -> Fate:
        told = os.read(fork.reading, 4096).decode()
        os.close(fork.reading)
        seconds = time.monotonic() - fork.started
        if told.startswith("!"):
            return Fate(fork.mutant, BROKEN, told.strip(), seconds)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
            return Fate(fork.mutant, TIMEOUT, "", seconds)
        if not told:
            return Fate(fork.mutant, KILLED, "crash", seconds)
        test = int(told)
        if test < 0:
            return Fate(fork.mutant, SURVIVED, f"{len(fork.tests)} tests", seconds)
        self.killers.setdefault((fork.mutant.module, fork.mutant.function), []).append(test)
        return Fate(fork.mutant, KILLED, self.items[test].nodeid, seconds)

    def failing_alone(self, names: set[str]) -> set[str]:
        """Of the tests named, those that fail without a mutant, alone in a fork."""
        tests = {item.nodeid: test for test, item in enumerate(self.items) if item.nodeid in names}
        return {name for name, test in tests.items() if not self.passes_alone(test)}

    def passes_alone(self, test: int) -> bool:
        child = os.fork()
        if not child:
            become_quiet()
            os._exit(0 if passes(self.items[test]) else 1)
        return os.waitpid(child, 0)[1] == 0
