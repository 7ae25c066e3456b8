"""The vectors that a server searches, in a table of their own beside the sealed templates (PostgreSQL with pgvector).

Conventions: one row per template, gone when its template goes. Which vectors stand here `server` says. A search goes
over all of them, unless an index is named: its expression is written so that an exact search never uses one. Of a
person with several templates the nearest counts, their mean distance, or their mean vector (pooled).

Holds `VectorTable`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.gallery.postgres import ROW, PostgresStore
from bertillon.gallery.store import Row

Vectors = NDArray[np.float32]
SCHEMA = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE gallery_vector (
    row bigint PRIMARY KEY REFERENCES gallery_template ON DELETE CASCADE, person text NOT NULL, vector vector NOT NULL);
CREATE INDEX gallery_vector_person ON gallery_vector (person);
"""
DISTANCES = {"euclidean": "{v} <-> {p}", "squared-euclidean": "({v} <-> {p}) ^ 2", "cosine": "{v} <=> {p}"}
OPERATORS = {"euclidean": ("<->", "l2"), "squared-euclidean": ("<->", "l2"), "cosine": ("<=>", "cosine")}
FUSED = {"best": "min({d})", "mean": "avg({d})"}
WIDEST, MOST_EFFORT = 2000, 1000  # numbers of a vector in an index, and templates that one search of it returns
HEADER = np.array([0, 0], ">u2").nbytes  # length and an unused word stand before the numbers


class VectorTable:
    """The vectors of a gallery in a database."""

    def __init__(self, store: PostgresStore, matcher: str, fusion: str) -> None:
        self._store, self._matcher, self._fusion = store, matcher, fusion

    def make(self) -> None:
        """The table, where the server has pgvector."""
        try:
            self._store.run(SCHEMA)
        except InputError as error:
            raise InputError(f"{error}; searches in the server need the extension pgvector there") from None

    def add(self, rows: Iterable[int], people: Iterable[str], vectors: Vectors) -> None:
        """Vectors of templates that are there."""
        head = np.array([vectors.shape[1], 0], ">u2").tobytes()
        content = (head + vector.tobytes() for vector in np.ascontiguousarray(vectors, ">f4"))
        self._store.copy("gallery_vector", ROW, zip(rows, people, content, strict=True))

    def clear(self) -> None:
        self._store.run("DELETE FROM gallery_vector")

    def of(self, rows: Sequence[int]) -> dict[int, Vectors]:
        """The vectors of some rows; those that are missing are missing here."""
        asked = "SELECT row, vector_send(vector) FROM gallery_vector WHERE row = ANY(%s)"
        return {row: np.frombuffer(sent, ">f4", offset=HEADER) for row, sent in self._store.run(asked, ([*rows],))}

    def counts(self) -> tuple[int, int, int, int]:
        """How many people and vectors there are, the most of one person, and how many templates."""
        asked = (
            "SELECT count(*), sum(n), max(n) FROM (SELECT count(*) AS n FROM gallery_vector GROUP BY person) AS each"
        )
        [(people, vectors, most)] = self._store.run(asked)
        [(templates,)] = self._store.run("SELECT count(*) FROM gallery_template")
        return people, int(vectors or 0), most or 0, templates

    def people(self) -> dict[str, int]:
        """Everybody with the number of their templates, in the order of enrolment."""
        return dict(self._store.run("SELECT person, count(*) FROM gallery_template GROUP BY person ORDER BY min(row)"))

    def enrolled(self, people: Sequence[str]) -> set[str]:
        """Which of them are there."""
        asked = "SELECT DISTINCT person FROM gallery_template WHERE person = ANY(%s)"
        return {person for (person,) in self._store.run(asked, ([*people],))}

    def sealed(self, people: Sequence[str]) -> list[Row]:
        """The sealed templates of some people."""
        asked = "SELECT row, person, sealed FROM gallery_template WHERE person = ANY(%s) ORDER BY row"
        return [(row, person, bytes(sealed)) for row, person, sealed in self._store.run(asked, ([*people],))]

    def somebody(self, share: float) -> str:
        """The person of a row that lies at this share of all rows."""
        least = "(SELECT min(row) + floor(%s * (max(row) - min(row) + 1))::bigint FROM gallery_template)"
        [(person,)] = self._store.run(
            f"SELECT person FROM gallery_template WHERE row >= {least} ORDER BY row LIMIT 1", (share,)
        )
        return str(person)

    def nearest(self, probe: Vectors, number: int, *, single: bool) -> tuple[list[str], str]:
        """So many people nearest to a probe, over all vectors, and who is the furthest."""
        distance = DISTANCES[self._matcher].format(v="vector", p="%s::vector")
        if single:
            each = f"SELECT person, row AS first, {distance} AS d FROM gallery_vector"
        elif self._fusion == "pooled":
            distance = DISTANCES[self._matcher].format(v="avg(vector)", p="%s::vector")
            each = f"SELECT person, min(row) AS first, {distance} AS d FROM gallery_vector GROUP BY person"
        else:
            fused = FUSED[self._fusion].format(d=distance)
            each = f"SELECT person, min(row) AS first, {fused} AS d FROM gallery_vector GROUP BY person"
        asked = f"SELECT person FROM ({each}) AS each ORDER BY d {{order}}, first LIMIT %s"
        near, far = (
            self._store.run(asked.format(order=order), (_text(probe), limit))
            for order, limit in (("ASC", number), ("DESC", 1))
        )
        return [person for (person,) in near], far[0][0]

    def index(self, dimension: int) -> None:
        """An approximate index of the vectors (HNSW), made where there is none."""
        if not 0 < dimension <= WIDEST:
            raise InputError(
                f"{self._store.name}: an index holds vectors of 1 to {WIDEST:,} numbers, and the gallery's have "
                f"{dimension}; leave it out{'' if dimension else ', or enrol people first'}"
            )
        kind = f"hnsw ((vector::vector({dimension})) vector_{OPERATORS[self._matcher][1]}_ops)"
        with self._store.transaction():
            self._store.run(f"CREATE INDEX IF NOT EXISTS gallery_vector_hnsw ON gallery_vector USING {kind}")

    def near(self, probe: Vectors, number: int, effort: int) -> list[str]:
        """People near a probe, best first, through the index: of so many templates as it finds."""
        self._store.run("SET LOCAL enable_seqscan = off")
        self._store.run(f"SET LOCAL hnsw.ef_search = {min(max(effort, number), MOST_EFFORT)}")
        operator, _ = OPERATORS[self._matcher]
        asked = (
            f"SELECT person FROM gallery_vector ORDER BY vector::vector({probe.size}) {operator} %s::vector LIMIT %s"
        )
        found = self._store.run(asked, (_text(probe), min(number, MOST_EFFORT)))
        self._store.run("SET LOCAL enable_seqscan = on")
        return [*dict.fromkeys(person for (person,) in found)]


def _text(vector: Vectors) -> str:
    return str(vector.tolist())
