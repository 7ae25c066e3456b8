"""Keys, policies and people for the tests of galleries."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bertillon as bt
from bertillon.gallery import Gallery, Key, MeasuredRate, Policy

pytest.importorskip("cryptography")
DIMENSION = 16


@pytest.fixture
def key() -> Key:
    return Key(bytes(range(32)))


@pytest.fixture
def policies(key: Key) -> Callable[..., list[Policy]]:
    """`policies(0.5)`: one for claims and one for searches at that threshold, signed."""

    def made(
        threshold: float = 0.7,
        rule: str = "similarity",
        matcher: str = "cosine",
        fusion: str = "best",
        model: str = "",
        size: int = 100,
        **more: object,
    ) -> list[Policy]:
        rate = MeasuredRate(0.01, 0.005, 0.02, 0.95, 10, 1000)
        about = (f"t={threshold}", threshold, rule, matcher, fusion, model)
        claims = Policy("verification", *about, {"FMR": rate, "FNMR": rate}, None, "data", **more)
        searches = Policy("identification", *about, {"FPIR": rate, "FNIR": rate, "RR": rate}, size, "data", **more)
        return [claims.signed_by(key), searches.signed_by(key)]

    return made


@pytest.fixture
def faces() -> bt.TemplateTable:
    """30 people, one template each, far apart from each other."""
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(30, DIMENSION)).astype(np.float32)
    return bt.TemplateTable(vectors, np.array([f"person {number}" for number in range(30)]))


def again(faces: bt.TemplateTable, number: int, noise: float = 0.1) -> np.ndarray:
    """Another template of a person."""
    rng = np.random.default_rng(number)
    return faces.templates[number] + noise * rng.normal(size=DIMENSION).astype(np.float32)


def changed(path: Path, statement: str, *values: object) -> None:
    """Somebody changes the file without the key."""
    connection = sqlite3.connect(path)
    connection.execute(statement, values)
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def held(path: Path, query: str) -> bytes:
    connection = sqlite3.connect(path)
    [value] = connection.execute(query).fetchone()
    connection.close()
    return value if isinstance(value, bytes) else value.encode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "door.gallery"


@pytest.fixture
def door(path: Path, key: Key, policies, faces) -> Gallery:
    """A gallery of 30 people with both policies."""
    with Gallery.create(path, key=key, policies=policies()) as gallery:
        gallery.enrol_all(faces)
        yield gallery
