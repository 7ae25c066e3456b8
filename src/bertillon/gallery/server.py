"""Everybody enrolled, searched by the server that holds them, where one machine's memory is not enough.

Conventions: a server must see vectors to compare them. It holds them turned by a secret rotation, drawn from the
gallery's keys: distances and cosines stay as they are, single numbers mean nothing (what this protects is said in the
page of threats). The server only proposes people. Their sealed templates are fetched, opened and scored by the matcher
here, as everywhere: a decision never rests on a vector that somebody could have changed, and the scores are those of a
file. More people are fetched than asked for, since the server's rounding may change the order of the nearest.

A claim opens the templates of one person, those of a stand-in where there is no such person. How many people there are
is counted anew whenever somebody was enrolled or erased.

Holds `ServerIndex`, which stands in the place of `Index`, and `turned`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.gallery.pgvector import DISTANCES
from bertillon.gallery.records import Records, Tampered
from bertillon.gallery.search import NOBODY, SPARE, Index, Ranked, prepare
from bertillon.matching import Matcher

Vectors = NDArray[np.float32]
EFFORTS = (40, 80, 160, 320, 640, 1000)  # templates that a search of the index looks at


class ServerIndex:
    """The people of a gallery whose server searches."""

    def __init__(self, records: Records, matcher: Matcher, fusion: str, kind: str | None = None) -> None:
        self.matcher, self.fusion, self.kind = matcher, fusion, kind
        self._records, self._table = records, records.vectors
        self._counts: tuple[int, int, int] | None = None  # people, templates, the most of one person
        self.efforts = EFFORTS
        self.effort = None if kind is None else EFFORTS[-1]
        if kind is not None:
            if kind != "hnsw" or fusion != "best":
                raise InputError(
                    f"{records.store.name}: index {kind!r} with fusion {fusion!r} is not available in the server; "
                    "expected 'hnsw' with fusion 'best', or no index"
                )
            self._table.index(records.settings.dimension)

    def forget(self) -> None:
        """Others enrolled or erased people."""
        self._counts = None

    def _counted(self) -> tuple[int, int, int]:
        if self._counts is None:
            people, vectors, most, templates = self._table.counts()
            if vectors != templates:
                raise Tampered(
                    f"{self._records.store.name}: the server has {vectors:,} vectors for {templates:,} templates: some "
                    "were taken out or put in from outside; see 'bertillon gallery check'"
                )
            self._counts = people, templates, most
        return self._counts

    def __len__(self) -> int:
        return self._counted()[0]

    @property
    def templates(self) -> int:
        """How many templates are enrolled."""
        return self._counted()[1]

    def counts(self) -> dict[str, int]:
        """Everybody, with the number of their templates."""
        return self._table.people()

    def enrolled(self, people: Sequence[str]) -> set[str]:
        """Which of them are enrolled."""
        return self._table.enrolled(people)

    def add(self, rows: NDArray[np.int64], people: Sequence[str], vectors: Vectors) -> None:
        """The server has them by now."""
        self.forget()

    def remove(self, rows: Sequence[int]) -> None:
        """The server has them no more."""
        self.forget()

    def claim(self, person: str, probe: Vectors) -> tuple[float, bool, int]:
        """The score with the person claimed, whether there is such a person, and how many comparisons were made."""
        with self._records.store.snapshot():
            if not len(self):
                return float("nan"), False, 0
            known = bool(self.enrolled([person]))
            share = int.from_bytes(hashlib.sha256(person.encode()).digest()[:6], "big") / 2**48
            stand_in = self._table.somebody(share)
            chosen = person if known else stand_in
            score, _, comparisons = self._opened([chosen]).claim(
                chosen, probe, most=None if self.fusion == "pooled" else self._counted()[2]
            )
        return score, known, comparisons

    def search(self, probes: Vectors, best: int) -> list[Ranked]:
        """The `best` people for each probe."""
        with self._records.store.snapshot():
            if not len(self):
                return [NOBODY] * len(probes)
            seen = turned(self._records.keyring.template, probes)
            return [self._one(probe, shown, best) for probe, shown in zip(probes, seen, strict=True)]

    def _one(self, probe: Vectors, shown: Vectors, best: int) -> Ranked:
        people, templates, most = self._counted()
        number = min(people, best + SPARE)
        if self.effort is None:
            named, furthest = self._table.nearest(shown, number, single=most == 1)
        else:
            named, furthest = self._table.near(shown, min(templates, number * most), self.effort), None
        if not named:
            return NOBODY
        few = self._opened([*named, *([furthest] if furthest else [])])
        worst = -1 if furthest is None else few.number[furthest]
        listed = np.array(sorted({few.number[name] for name in named}))
        return few.scored(prepare(self.matcher, probe[None, :]), listed, worst, best)

    def _opened(self, people: Sequence[str]) -> Index:
        """Some people in memory."""
        few, rows = Index(self.matcher, self.fusion), self._table.sealed([*dict.fromkeys(people)])
        numbers, owners = np.array([row for row, _, _ in rows]), [person for _, person, _ in rows]
        if missing := set(people) - set(owners):
            raise Tampered(
                f"{self._records.store.name}: the server names {sorted(missing)[0]!r}, who is not enrolled: a vector "
                "was changed; see 'bertillon gallery check'"
            )
        few.add(numbers, owners, self._records.opened(rows))
        return few


def require_searchable(matcher: str) -> None:
    """Refuse a matcher whose scores a rotation would change."""
    if matcher not in DISTANCES:
        raise InputError(
            f"a server cannot search for {matcher} without seeing the templates as they are; expected one of "
            f"{', '.join(DISTANCES)}, or leave the search to the client"
        )


def turned(secret: bytes, vectors: Vectors) -> Vectors:
    """Vectors as the server sees them.

    >>> import numpy as np
    >>> shown = turned(b"secret", np.array([[3, 4, 0], [0, 0, 2]], np.float32))
    >>> np.linalg.norm(shown, axis=1).round(5).tolist(), round(abs(float(shown[0] @ shown[1])), 5)
    ([5.0, 2.0], 0.0)
    """
    return np.asarray(vectors.astype(np.float64) @ _rotation(secret, vectors.shape[1]), dtype=np.float32)


@lru_cache(maxsize=4)
def _rotation(secret: bytes, dimension: int) -> NDArray[np.float64]:
    """An orthogonal matrix drawn uniformly: the QR of normal numbers (Mezzadri 2007), which a key stream gives."""
    pairs = (dimension * dimension + 1) // 2
    stream = hashlib.shake_256(b"bertillon rotation " + secret).digest(16 * pairs)
    uniform = ((np.frombuffer(stream, "<u8") >> np.uint64(11)).astype(np.float64) + 0.5) / 2.0**53
    radius, angle = np.sqrt(-2.0 * np.log(uniform[:pairs])), 2.0 * np.pi * uniform[pairs:]
    normal = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[: dimension * dimension]
    q, r = np.linalg.qr(normal.reshape(dimension, dimension))
    return np.asarray(q * np.sign(np.diag(r)))
