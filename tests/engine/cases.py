"""A small job whose answer is known, and templates with many ties."""

from __future__ import annotations

import numpy as np

import bertillon as bt
from bertillon.engine import digest_of
from bertillon.io import make_templates
from bertillon.matching import Partition, ProbeVersusGallery, matcher


class Sum:
    """What was found: a sum, and which pieces it is of."""

    def __init__(self) -> None:
        self.total, self.pieces = 0, []

    def merge(self, other: Sum) -> None:
        self.total += other.total
        self.pieces += other.pieces

    def to_arrays(self):
        return {"total": np.array([self.total]), "pieces": np.array(self.pieces, dtype=np.int64)}


class Summing:
    """Add up the squares of 0, 1, 2, ...; a piece is a number. `at` is called with each piece before it is done."""

    def __init__(self, n: int, at=lambda piece: None) -> None:
        self.n, self.at = n, at

    @property
    def identity(self):
        return {"version": "1", "numbers": str(self.n)}

    @property
    def sizes(self):
        return np.ones(self.n, dtype=np.int64)

    def begin(self) -> Sum:
        return Sum()

    def do(self, found: Sum, piece: int) -> None:
        self.at(piece)
        found.total += piece * piece
        found.pieces.append(piece)

    def from_arrays(self, arrays) -> Sum:
        found = Sum()
        found.total, found.pieces = int(arrays["total"][0]), arrays["pieces"].tolist()
        return found


def squares(n: int) -> int:
    return sum(i * i for i in range(n))


def plan(values, owners, how: str = "cosine", pairing=None) -> bt.Comparing:
    return bt.Comparing.plan(make_templates(np.asarray(values), owners), matcher(how), pairing)


def small_plan(seed: int = 3, people: int = 12, each: int = 3, how: str = "cosine") -> bt.Comparing:
    """Templates of small whole numbers, so that many scores are equal."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-2, 3, size=(people * each, 3)).astype(np.float32)
    return plan(values, np.repeat(np.arange(people), each), how)


def against_gallery(values, owners, how: str) -> bt.Comparing:
    table = make_templates(values, owners)
    role = np.where(np.arange(len(owners)) % 2 == 0, "probe", "gallery")
    partition = Partition(table.sample, table.subject, role)
    return bt.Comparing.plan(table, matcher(how), ProbeVersusGallery(), partition=partition)


class OneByOne:
    """An engine that does the pieces backwards, each apart."""

    round = 2.0
    workers = 1

    def run(self, job, pieces, done):
        whole = job.begin()
        for piece in reversed(pieces):
            found = job.begin()
            job.do(found, piece)
            whole.merge(job.from_arrays(found.to_arrays()))
            done(piece)
        return whole


def bits_of(counted) -> tuple:
    """All that was counted, such that one different bit is another answer."""
    tally = counted.tally
    arrays = [tally.errors.threshold, tally.errors.false_match, tally.errors.false_nonmatch]
    moments, people = tally.nonmated_moments, counted.people
    kept = people.kept.first, people.kept.second, people.kept.score, people.chance, people.failed, people.mated
    return (
        digest_of([*arrays, counted.mated, counted.sample, *kept]),
        (moments.n, float(moments.mean).hex(), float(moments.squares).hex()),
        tally.failures,
    )


def bits_of_searches(found) -> tuple:
    columns = (found.enrolled, found.mate_score, found.n_better, found.n_equal, found.top_score, found.top_other)
    return digest_of([*columns, found.others]), found.failed_enrolled, found.failed_nonenrolled, found.gallery_size
