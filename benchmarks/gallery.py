"""The cases of the gallery: searching a million people, opening a million sealed templates, enrolling ten thousand.

numpy   the bare product of the probes with all templates, nothing looked for in it
faiss   IndexFlatL2, exact, one list of ten a probe
pgvector  PostgreSQL on the same machine, exact, candidates opened and scored here
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Case, Measured, Skipped, best_time, contest, require, seconds
from bertillon.core import TemplateTable
from bertillon.gallery import Gallery, Index, Key
from bertillon.matching import matcher

SEED = 20240229
PEOPLE, WIDTH, BEST = 1_000_000, 128, 10
ENROLLED = 10_000

Vectors = NDArray[np.float32]


@cache
def _people(n: int) -> Vectors:
    return np.random.default_rng(SEED).normal(size=(n, WIDTH)).astype(np.float32)


@cache
def _index(n: int) -> Index:
    index = Index(matcher("euclidean"), "best")
    index.add(np.arange(n) + 1, [str(number) for number in range(n)], _people(n))
    return index


def _probes(n: int, probes: int) -> Vectors:
    """The first people again, a little changed."""
    noise = np.random.default_rng(SEED + 1).normal(size=(probes, WIDTH)).astype(np.float32)
    return _people(n)[:probes] + np.float32(0.1) * noise


def against_product(probes: int, scale: float) -> Measured:
    """Ten candidates for each probe, against the product that they are found in."""
    n = max(1000, round(PEOPLE * scale))
    people, index, ready = _people(n), _index(n), _probes(n, probes)
    if probes == 1:
        product: Callable[[], Any] = partial(np.dot, people, ready[0])
    else:
        product = partial(np.dot, ready, people.T)
    repeats = 5 if probes > 1 else 25  # hundredths of a second each
    times = contest(lambda: index.search(ready, BEST), product, _finds_the_people(probes), repeats=repeats)
    return Measured(times[0] / times[1], *times, f"{n:,} people")


def against_faiss(probes: int, scale: float) -> Measured:
    """The same against the exact index of faiss."""
    import faiss

    n = max(1000, round(PEOPLE * scale))
    index, ready, exact = _index(n), _probes(n, probes), faiss.IndexFlatL2(WIDTH)
    exact.add(_people(n))

    def agree(ours: Any, theirs: Any) -> None:
        same = all((one.people == row).mean() >= 0.8 for one, row in zip(ours, theirs[1], strict=True))
        require(same, "the candidates differ by more than the order of near ties")

    times = contest(lambda: index.search(ready, BEST), lambda: exact.search(ready, BEST), agree)
    return Measured(times[0] / times[1], *times, f"{n:,} people")


def against_pgvector(probes: int, scale: float) -> Measured:
    """The same against a gallery in PostgreSQL that searches in the server, on the same machine."""
    try:
        import pgserver
    except ImportError as error:
        raise Skipped("pgserver is not installed") from error
    n = max(1000, round(PEOPLE * scale))
    index, ready = _index(n), _probes(n, probes)

    def agree(ours: Any, theirs: Any) -> None:
        same = all(one.names[0] == other.names[0] for one, other in zip(ours, theirs, strict=True))
        require(same, "the first candidates differ")

    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the server of a root user runs as another
        server = pgserver.get_server(Path(folder) / "data")
        try:
            with Gallery.create(server.get_uri(), key=Key.draw(), matcher="euclidean", search="server") as door:
                for part in np.array_split(np.arange(n), max(1, n // 100_000)):
                    door.enrol_all(TemplateTable(_people(n)[part], part.astype(str)))
                theirs = partial(door._index.search, ready, BEST)
                times = contest(lambda: index.search(ready, BEST), theirs, agree, repeats=3)
        finally:
            server.cleanup()
    return Measured(times[0] / times[1], *times, f"{n:,} people")


def _finds_the_people(probes: int) -> Callable[[Any, Any], None]:
    def agree(ours: Any, theirs: Any) -> None:
        del theirs
        require([one.people[0] for one in ours] == list(range(probes)), "a probe's own person is not the first")

    return agree


def opening(scale: float) -> Measured:
    """A gallery of a million sealed templates, opened until it can answer."""
    n, key = max(1000, round(PEOPLE * scale)), Key.draw()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.gallery"
        with Gallery.create(path, key=key, matcher="euclidean") as made:
            for part in np.array_split(np.arange(n), max(1, n // 100_000)):
                made.enrol_all(TemplateTable(_people(n)[part], part.astype(str)))
        taken = best_time(lambda: Gallery.open(path, key=key).close(), repeats=2)
    return Measured(taken, taken, None, f"{n:,} templates")


def enrolling(scale: float) -> Measured:
    """Ten thousand people in one transaction, on the disk when it returns."""
    n, key = max(100, round(ENROLLED * scale)), Key.draw()
    table = TemplateTable(_people(n), np.arange(n).astype(str))
    with (
        tempfile.TemporaryDirectory() as folder,
        Gallery.create(Path(folder) / "new.gallery", key=key, matcher="euclidean") as made,
    ):
        taken = seconds(lambda: made.enrol_all(table))
    return Measured(taken, taken, None, f"{n:,} people")


CASES = (
    Case("identify 1 probe, bare product", 1.5, partial(against_product, 1), "at most"),
    Case("identify 64 probes, bare product", 1.3, partial(against_product, 64), "at most"),
    Case("identify 1 probe, faiss IndexFlatL2", None, partial(against_faiss, 1), "at most"),
    Case("identify 64 probes, faiss IndexFlatL2", None, partial(against_faiss, 64), "at most"),
    Case("identify 1 probe, pgvector exact", None, partial(against_pgvector, 1), "at most"),
    Case("identify 8 probes, pgvector exact", None, partial(against_pgvector, 8), "at most"),
    Case("open a gallery of a million", 10.0, opening, "at most", unit="s"),
    Case("enrol 10,000 people", 5.0, enrolling, "at most", unit="s"),
)
