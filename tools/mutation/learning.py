"""What each test reaches, learned by running all of them once in forks.

The parent runs no test itself, so it has no threads, open files or results of earlier tests that its forks would
inherit; it only loads what the tests loaded, so that forks need not.

Holds `learn` and what it finds, `Reached`; `passes` runs one test.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import coverage
from _pytest.runner import runtestprotocol

import bertillon
from mutation.mutants import Lines
from mutation.swapping import compiled_functions, forget_results

PACKAGE = Path(bertillon.__file__).parent
SLOWEST = 3.0  # seconds of computing; tests that take longer are left out
STOPPED = 60  # seconds of computing after which a test is stopped
SILENCE = 60.0  # seconds after which a test hangs
PAUSE = 0.01  # seconds between two looks; silence is counted in looks, as all this may be made to stand still


@dataclass(frozen=True)
class Reached:
    """How long each test computes, which passed, and the tests that run each line of each file."""

    seconds: Sequence[float]
    passed: Sequence[bool]
    lines: Mapping[str, Mapping[int, set[int]]]

    def by_lines(self, path: str, lines: Lines) -> set[int]:
        """The tests that run any of the lines."""
        found: set[int] = set()
        for line in lines:
            found |= self.lines.get(path, {}).get(line, set())
        return {test for test in found if self.passed[test]}

    def by_names(self, names: Iterable[str], items: Sequence[Any]) -> set[int]:
        """The tests that run a line with one of the names on it, or that use one; compiled loops leave no lines."""
        wanted = set(names)
        found: set[int] = set()
        for path in self.lines:
            for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
                if wanted & _words(line) and not line.startswith(("from", "import", "def")):
                    found |= self.by_lines(path, range(number, number + 1))
        for test, item in enumerate(items):
            function = getattr(item, "function", None)
            function = getattr(getattr(function, "hypothesis", None), "inner_test", function)  # within @given
            code = getattr(function, "__code__", None)
            if code is not None and wanted & set(code.co_names) and self.passed[test]:
                found.add(test)
        return found


def learn(items: Sequence[Any], jobs: int) -> Reached:
    """Run every test once, those of a file in one fork, and load here what they loaded there."""
    notes: dict[int, _Note] = {}
    waiting = [list(tests) for _, tests in groupby(range(len(items)), key=lambda test: items[test].path)]
    running: list[_Fork] = []
    with tempfile.TemporaryDirectory() as folder:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(_start(items, waiting.pop(0), Path(folder)))
            for fork in [fork for fork in running if fork.has_ended()]:
                running.remove(fork)
                done = fork.notes()
                notes |= done
                left = [test for test in fork.tests if test not in done]
                if left[1:]:  # the first of them has stopped the fork
                    waiting.append(left[1:])
            time.sleep(PAUSE)
    _load(notes.values())
    return _put_together(notes, len(items))


def passes(item: Any, following: Any = None) -> bool:
    """Does the test pass? What it shares with the one that follows is kept."""
    return all(report.passed for report in runtestprotocol(item, nextitem=following, log=False))


def become_quiet() -> None:
    """What a fork prints goes nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)


@dataclass(frozen=True)
class _Note:
    """What one test did, and what was loaded since the note before it."""

    seconds: float
    passed: bool
    lines: Mapping[str, Sequence[int]]
    modules: Sequence[str]
    signatures: Mapping[str, Sequence[Any]]


@dataclass
class _Fork:
    child: int
    tests: Sequence[int]
    path: Path
    size: int = 0  # of the file of notes
    looks: int = 0  # since it last grew

    def has_ended(self) -> bool:
        """Is the fork at its end? One that has noted nothing for long is ended."""
        size = self.path.stat().st_size
        self.size, self.looks = size, self.looks + 1 if size == self.size else 0
        if self.looks * PAUSE > SILENCE:
            os.kill(self.child, signal.SIGKILL)
        return os.waitpid(self.child, os.WNOHANG)[0] == self.child

    def notes(self) -> dict[int, _Note]:
        found: dict[int, _Note] = {}
        with self.path.open("rb") as file, contextlib.suppress(EOFError, pickle.UnpicklingError):
            for test in self.tests:
                found[test] = pickle.load(file)
        return found


def _start(items: Sequence[Any], tests: Sequence[int], folder: Path) -> _Fork:
    path = folder / str(tests[0])
    path.touch()
    child = os.fork()
    if not child:
        try:
            become_quiet()
            with path.open("wb") as file:
                for note in _notes([items[test] for test in tests]):
                    pickle.dump(note, file)
                    file.flush()
        finally:
            os._exit(0)  # whatever happens, a fork must not go on as its parent
    return _Fork(child, tests, path)


def _notes(items: Sequence[Any]) -> Iterator[_Note]:
    """In the fork: run the tests. Too much computing ends the fork, with the test at fault the first not noted."""
    known = set(sys.modules)
    watch = coverage.Coverage(data_file=None, config_file=False, include=[str(PACKAGE / "*")])
    watch.set_option("run:disable_warnings", ["no-data-collected"])  # by tests of nothing but other packages
    for item, following in zip(items, [*items[1:], None], strict=True):
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + STOPPED, resource.RLIM_INFINITY))
        watch.erase()
        forget_results()  # threads of a pool are watched only if they start under watch
        watch.start()
        seconds, passed = _timed(item, following)
        watch.stop()
        if passed and seconds > SLOWEST:  # it may have waited for the compiler, for the first and last time
            seconds, passed = _timed(item, following)
        data = watch.get_data()
        lines = {path: data.lines(path) or [] for path in data.measured_files()}
        signatures = {name: list(loop.overloads) for name, loop in compiled_functions().items() if loop.overloads}
        yield _Note(seconds, passed and seconds <= SLOWEST, lines, sorted(set(sys.modules) - known), signatures)
        known |= set(sys.modules)


def _timed(item: Any, following: Any) -> tuple[float, bool]:
    start = time.process_time()
    passed = passes(item, following)
    return time.process_time() - start, passed


def _load(notes: Iterable[_Note]) -> None:
    """Import and compile what the tests did, so that forks need not."""
    for name in sorted({name for note in notes for name in note.modules}):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    loops = compiled_functions()
    for name, signature in {(name, one) for note in notes for name, all_ in note.signatures.items() for one in all_}:
        loops[name].compile(signature)


def _put_together(notes: Mapping[int, _Note], number: int) -> Reached:
    lines: dict[str, dict[int, set[int]]] = {}
    for test, note in notes.items():
        for path, reached in note.lines.items():
            for line in reached:
                lines.setdefault(path, {}).setdefault(line, set()).add(test)
    return Reached(
        [notes[test].seconds if test in notes else SLOWEST for test in range(number)],
        [test in notes and notes[test].passed for test in range(number)],
        lines,
    )


def _words(line: str) -> set[str]:
    return set("".join(letter if letter.isidentifier() or letter.isdigit() else " " for letter in line).split())
