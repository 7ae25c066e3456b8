"""The cases of templates: everything that is counted while it is compared, against the bare matrix product.

bare product   the same tiles multiplied on the same cores, and nothing done with them
scikit-learn   cosine_similarity, the mated and the other cells picked out, roc_curve
faiss          IndexFlatIP, with the ranks and top scores worked out from what it returns
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import bertillon as bt
from benchmarks.harness import SETTLE, Case, Measured, Skipped, agree, contest, require
from benchmarks.memory import forget_peak, peak
from bertillon.counting.tiles.comparisons import count_comparisons
from bertillon.engine.jobs import TILE, tiles
from bertillon.evaluation.templates import search_trials
from bertillon.io.templates import make_templates
from bertillon.matching import matcher
from bertillon.matching.protocol.pairing import ProbeVersusGallery
from bertillon.matching.protocol.partition import Partition
from bertillon.matching.protocol.splits import probes_then_gallery, sides

SEED = 1879
PEOPLE, EACH, NUMBERS = 2000, 10, 512
GALLERY, PROBES, WIDTH = 100_000, 2000, 256
MEASURES = ("EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "FNMR@FMR=0.0001", "ZeroFMR", "AUC", "dprime", "KS")

Array = NDArray[np.float32]


def faces(people: int, each: int, numbers: int) -> tuple[Array, NDArray[np.int64]]:
    """Unit vectors around one centre a person."""
    rng = np.random.default_rng(SEED)
    owner = np.repeat(np.arange(people), each)
    vectors = rng.normal(size=(people, numbers))[owner] + 1.5 * rng.normal(size=(people * each, numbers))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32), owner


def all_against_all(scale: float) -> Measured:
    """Cosine, every template against every other, to all measures."""
    vectors, owner = faces(max(20, round(PEOPLE * scale)), EACH, NUMBERS)
    comparing = bt.Comparing.plan(make_templates(vectors, owner), matcher("cosine"))

    def ours() -> bt.Evaluation:
        return bt.evaluate(count_comparisons(comparing), MEASURES)

    def bare() -> None:
        for tile in tiles(len(vectors), len(vectors), triangle=True):
            vectors[tile.rows] @ vectors[tile.columns].T

    def check(found: bt.Evaluation, _: None) -> None:
        require(found.counts["mated"] == len(vectors) * (EACH - 1), "mated comparisons are missing")

    mine, product = contest(ours, bare, check, repeats=5, settle=SETTLE)
    return Measured(mine / product, mine, product, f"{len(vectors):,} templates of {NUMBERS}, tiles of {TILE}")


def all_against_all_memory(scale: float) -> Measured:
    """Peak memory of the same above its templates, in a process of its own."""
    people = max(20, round(PEOPLE * scale))
    command = [sys.executable, "-m", "benchmarks.templates", str(people)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(ran.stdout)
    whole = (found["extra"] + found["input"]) / 1e6
    return Measured(whole, note=f"{people * EACH:,} templates of {NUMBERS}, {found['input'] / 1e6:.0f} MB of it theirs")


def main(people: int) -> None:
    """Print the bytes of the templates and of the peak above them."""
    small, whose = faces(20, EACH, NUMBERS)
    bt.evaluate(count_comparisons(bt.Comparing.plan(make_templates(small, whose), matcher("cosine"))), MEASURES)
    vectors, owner = faces(people, EACH, NUMBERS)
    forget_peak()
    before = peak()
    comparing = bt.Comparing.plan(make_templates(vectors, owner), matcher("cosine"))
    bt.evaluate(count_comparisons(comparing), MEASURES)
    print(json.dumps({"input": vectors.nbytes, "extra": peak() - before}))


def against_scikit_learn(scale: float) -> Measured:
    """The same on a size at which the whole matrix still fits."""
    from sklearn.metrics import roc_auc_score
    from sklearn.metrics.pairwise import cosine_similarity

    vectors, owner = faces(max(20, round(500 * scale)), EACH, NUMBERS)
    comparing = bt.Comparing.plan(make_templates(vectors, owner), matcher("cosine"))

    def theirs() -> float:
        scores = cosine_similarity(vectors)
        cells = np.triu_indices(len(vectors), 1)
        return float(roc_auc_score(owner[cells[0]] == owner[cells[1]], scores[cells]))

    times = contest(
        lambda: bt.evaluate(count_comparisons(comparing), MEASURES),
        theirs,
        lambda found, auc: agree({"AUC": found["AUC"].value}, {"AUC": auc}, 1e-6),
        repeats=2,
    )
    whole = len(vectors) ** 2 * 8 * 3 * (PEOPLE / 500) ** 2 / 1e9
    note = f"{len(vectors):,} templates; at {PEOPLE * EACH:,} it would need about {whole:.0f} GB"
    return Measured(times[1] / times[0], *times, note)


def searching(scale: float) -> Measured:
    """2,000 probes against 100,000 people, to CMC and DIR."""
    gallery, probes, comparing = _gallery(scale)

    def bare() -> None:
        for start in range(0, len(probes), 40):
            probes[start : start + 40] @ gallery.T

    def check(found: bt.Evaluation, _: None) -> None:
        require(found.counts["enrolled"] > 0, "no search is enrolled")

    mine, product = contest(lambda: bt.evaluate(search_trials(comparing)), bare, check, repeats=3, settle=SETTLE)
    return Measured(mine / product, mine, product, f"{len(probes):,} probes, {len(gallery):,} people")


def gallery_sizes(scale: float) -> Measured:
    """The same searches in ten draws of galleries of five sizes, with intervals."""
    gallery, probes, comparing = _gallery(scale)
    sizes = [size for size in (10, 100, 1000, 10_000) if size < len(gallery) - 1] + [len(gallery) - 1]

    def bare() -> None:
        for start in range(0, len(probes), 40):
            probes[start : start + 40] @ gallery.T

    def check(found: bt.analysis.GallerySizes, _: None) -> None:
        require(found.searches == len(probes), "searches are missing")

    mine, product = contest(lambda: bt.fpir_by_gallery(comparing, sizes), bare, check, repeats=5, settle=SETTLE)
    return Measured(mine / product, mine, product, f"{len(probes):,} probes, {len(sizes)} sizes, 10 draws")


def gallery_sizes_beside_searching(scale: float) -> Measured:
    """7,701 templates of 4,281 people: a search with intervals and four gallery sizes, against the search alone."""
    number, people = max(200, round(7701 * scale)), max(110, round(4281 * scale))
    vectors, _ = faces(number, 1, 128)
    owner = np.concatenate([np.arange(people), np.random.default_rng(SEED).integers(0, people, number - people)])
    comparing = bt.Comparing.plan(make_templates(vectors, owner), matcher("euclidean"))
    sizes = [size for size in (10, 100, 1000) if size < people - 1] + [people - 1]

    def alone() -> bt.Evaluation:
        return bt.evaluate(search_trials(comparing)).with_intervals()

    def both() -> bt.Evaluation:
        bt.fpir_by_gallery(comparing, sizes)
        return alone()

    def check(found: bt.Evaluation, other: bt.Evaluation) -> None:
        agree({"RR": found["RR"].value}, {"RR": other["RR"].value}, 1e-12)

    mine, theirs = contest(both, alone, check, repeats=5, settle=SETTLE)
    return Measured(mine / theirs, mine, theirs, f"{number:,} templates, {len(sizes)} sizes, 10 draws")


def searching_against_faiss(scale: float) -> Measured:
    """The same with faiss making the lists."""
    try:
        import faiss
    except ImportError as error:
        raise Skipped("faiss is not installed") from error
    gallery, probes, comparing = _gallery(scale)
    owner = comparing.templates.subject
    people, enrolled = owner[comparing.columns], np.isin(owner[comparing.rows], owner[comparing.columns])

    def theirs() -> float:
        index = faiss.IndexFlatIP(gallery.shape[1])
        index.add(gallery)
        _, found = index.search(probes, 50)
        return float((people[found[:, 0]] == owner[comparing.rows])[enrolled].mean())

    times = contest(
        lambda: bt.evaluate(search_trials(comparing)),
        theirs,
        lambda found, rank_one: agree({"RR": found["RR"].value}, {"RR": rank_one}, 1e-3),
        repeats=2,
    )
    return Measured(times[1] / times[0], *times)


def _gallery(scale: float) -> tuple[Array, Array, bt.Comparing]:
    vectors, owner = faces(max(100, round(GALLERY * scale)), 1, WIDTH)
    rng = np.random.default_rng(SEED + 1)
    chosen = rng.choice(len(vectors), max(20, round(PROBES * scale)), replace=False)
    probes = vectors[chosen] + 0.12 * rng.normal(size=(len(chosen), WIDTH)).astype(np.float32)
    names = np.where(np.arange(len(chosen)) % 2 == 0, owner[chosen], -1 - owner[chosen])
    both = probes_then_gallery(make_templates(probes, names), make_templates(vectors, owner))
    partition: Partition = sides(both)
    comparing = bt.Comparing.plan(both, matcher("cosine"), ProbeVersusGallery(), partition=partition)
    return vectors, probes, comparing


CASES: Sequence[Case] = (
    Case("all against all, bare matrix product", 1.25, all_against_all, "at most"),
    Case("all against all, memory", 700, all_against_all_memory, "at most", "MB"),
    Case("all against all, scikit-learn", None, against_scikit_learn),
    Case("1:N search, bare matrix product", 1.3, searching, "at most"),
    Case("FPIR by gallery size, bare matrix product", 1.3, gallery_sizes, "at most"),
    Case("1:N search with gallery sizes, without them", 1.3, gallery_sizes_beside_searching, "at most"),
    Case("1:N search, faiss IndexFlat", None, searching_against_faiss),
)


if __name__ == "__main__":
    main(int(sys.argv[1]))
