"""Templates of every kind for the tests, and scores of two of them."""

from __future__ import annotations

import numpy as np

from bertillon.core import TemplateTable
from bertillon.io import make_templates
from bertillon.matching import Matcher, match, matcher


def table(templates, subject=None, **options) -> TemplateTable:
    """Templates of as many people as there are templates, unless subjects are given."""
    return make_templates(templates, np.arange(len(templates)) if subject is None else subject, **options)


def scores(name: str | Matcher, probes, gallery, *, kind: str | None = None, **options) -> np.ndarray:
    """Every probe against every gallery template."""
    chosen = matcher(name, **options) if isinstance(name, str) else name
    return match(table(probes, kind=kind), table(gallery, kind=kind), chosen).scores


def draw(kind: str, n: int, rng: np.random.Generator, dtype=np.float64, subjects: int = 3) -> TemplateTable:
    """Random templates of a kind, of a few people."""
    owner = np.arange(n) % subjects
    if kind == "series":
        every = [rng.normal(size=(int(size), 2)).astype(dtype) for size in rng.integers(3, 12, n)]
        return make_templates(every, owner, kind=kind)
    if kind == "minutiae":
        return make_templates([draw_minutiae(rng, int(size)) for size in rng.integers(2, 12, n)], owner, kind=kind)
    if kind == "bits":
        codes, masks = rng.integers(0, 256, (2, n, 9), dtype=np.uint8)
        return make_templates(codes, owner, kind=kind, masks=masks)
    values = rng.random((n, 7)) + 0.01 if kind == "histogram" else rng.normal(size=(n, 7))
    return make_templates(values.astype(dtype), owner, kind=kind)


def draw_minutiae(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.column_stack([rng.uniform(0, 300, n), rng.uniform(0, 400, n), rng.uniform(0, 2 * np.pi, n)])


def moved(minutiae: np.ndarray, turn: float, shift=(0.0, 0.0)) -> np.ndarray:
    """Minutiae turned about the origin and shifted."""
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.column_stack([minutiae[:, :2] @ rotation.T + np.asarray(shift), minutiae[:, 2] + turn])
