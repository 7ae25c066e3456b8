"""The cases of the gallery: searching a million people, opening a million sealed templates, enrolling ten thousand,
and what an approximate index of a hundred thousand loses.

numpy   the bare product of the probes with all templates, nothing looked for in it
faiss   IndexFlatL2, exact, one list of ten a probe
pgvector  PostgreSQL on the same machine, exact, candidates opened and scored here
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import SETTLE, Case, Measured, Skipped, best_time, contest, require, seconds
from bertillon.core import TemplateTable
from bertillon.gallery import Gallery, Index, Key
from bertillon.gallery.approximate import ApproximateIndex, measure_loss
from bertillon.matching import matcher

SEED = 20240229
PEOPLE, WIDTH, BEST = 1_000_000, 128, 10
KEY = Key(bytes(32))
ENROLLED = 10_000
INDEXED, SAMPLE, FPIR = 100_000, 400, 0.01
WITHIN = 0.27  # variance of the templates of one person, of that of people

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
    check = _finds_the_people(probes)
    times = contest(lambda: index.search(ready, BEST), product, check, repeats=repeats, settle=SETTLE)
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
    n = max(1000, round(PEOPLE * scale))
    index, ready = _index(n), _probes(n, probes)

    def agree(ours: Any, theirs: Any) -> None:
        same = all(one.names[0] == other.names[0] for one, other in zip(ours, theirs, strict=True))
        require(same, "the first candidates differ")

    with _in_server(_people(n)) as address, Gallery.open(address, key=KEY) as door:
        theirs = partial(door._index.search, ready, BEST)
        times = contest(lambda: index.search(ready, BEST), theirs, agree, repeats=3)
    return Measured(times[0] / times[1], *times, f"{n:,} people")


@contextmanager
def _in_server(people: Vectors) -> Iterator[str]:
    """The address of a gallery whose server searches."""
    try:
        import pgserver
    except ImportError as error:
        raise Skipped("pgserver is not installed") from error
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the server of a root user runs as another
        server = pgserver.get_server(Path(folder) / "data")
        try:
            with Gallery.create(server.get_uri(), key=KEY, matcher="euclidean", search="server") as door:
                for part in np.array_split(np.arange(len(people)), max(1, len(people) // 100_000)):
                    door.enrol_all(TemplateTable(people[part], part.astype(str)))
            yield server.get_uri()
        finally:
            server.cleanup()


def index_loss(kind: str, where: str, scale: float) -> Measured:
    """Detections at FPIR .01 that an index loses, in searches of which half are of people enrolled.

    People are drawn with variances that fall as those of the faces in LFW do under dlib's network (as many directions
    count as if 30 were equal), and each is seen again with a variance of .27 of that of people, as there.
    """
    n, rng = max(1000, round(INDEXED * scale)), np.random.default_rng(SEED + 2)
    width = 1.0 / np.sqrt(1.0 + np.arange(WIDTH) / 4.0)
    noise = np.sqrt(WITHIN * (width**2).mean())
    people, strangers = (rng.normal(size=(number, WIDTH)).astype(np.float32) * width for number in (n, SAMPLE // 2))
    probes = np.vstack([people[: SAMPLE // 2], strangers]) + noise * rng.normal(size=(SAMPLE, WIDTH))
    people, probes = people.astype(np.float32), probes.astype(np.float32)
    exact = Index(matcher("euclidean"), "best")
    exact.add(np.arange(n) + 1, [str(number) for number in range(n)], people)
    nearest = [one.scores[0] for one in exact.search(probes[SAMPLE // 2 :], 1)]
    accepts = float(np.quantile(nearest, FPIR)).__ge__
    if where == "server":
        with _in_server(people) as address:
            begun = perf_counter()
            with Gallery.open(address, key=KEY, index=kind) as door:
                built = perf_counter() - begun
                loss = measure_loss(door._index, probes, accepts, sample=SAMPLE)
    else:
        index = ApproximateIndex(matcher("euclidean"), "best", kind)
        index.add(np.arange(n) + 1, [str(number) for number in range(n)], people)
        built = seconds(lambda: index.search(probes[:1], 1))
        loss = measure_loss(index, probes, accepts, sample=SAMPLE)
    note = f"{n:,} people, effort {loss.effort}: best score found in {loss.agreement:.1%} of {loss.sample} searches, "
    note += f"{loss.lost} of {loss.detections} detections lost; built in {built:.0f} s; "
    note += f"{loss.index_a_second:,.0f} searches a second, exact {loss.exact_a_second:,.0f}"
    return Measured(loss.lost / max(1, loss.detections), 1 / loss.index_a_second, 1 / loss.exact_a_second, note)


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
    Case("detections lost by HNSW of 100,000", 0.01, partial(index_loss, "hnsw", "memory"), "at most"),
    Case("detections lost by IVF of 100,000", 0.01, partial(index_loss, "ivf", "memory"), "at most"),
    Case("detections lost by HNSW of pgvector", None, partial(index_loss, "hnsw", "server"), "at most"),
    Case("open a gallery of a million", 10.0, opening, "at most", unit="s"),
    Case("enrol 10,000 people", 5.0, enrolling, "at most", unit="s"),
)
