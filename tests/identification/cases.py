"""Small random galleries for Hypothesis: few people, whole-number scores so that ties are common, failed cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from identification.twin import Twin, searches_by_loops

from bertillon.core import ScoreMatrix
from bertillon.trials import SearchSet, searches_from_matrix

PEOPLE = "abcde"


def searches_of_square(scores, subjects, **how) -> SearchSet:
    """Every template of a square matrix searches among all others, as enrolled and as non-enrolled."""
    people = np.asarray(subjects)
    return searches_from_matrix(ScoreMatrix(np.asarray(scores, float), people, people), all_against_all=True, **how)


@dataclass
class Case:
    scores: np.ndarray
    probes: list[str]
    gallery: list[str]
    rule: str
    fusion: str
    all_against_all: bool = False

    @property
    def sign(self) -> int:
        return 1 if self.rule == "similarity" else -1

    @property
    def matrix(self) -> ScoreMatrix:
        return ScoreMatrix(self.scores, np.array(self.probes, dtype=str), np.array(self.gallery, dtype=str))

    def searches(self, **more: int) -> SearchSet:
        return searches_from_matrix(
            self.matrix, rule=self.rule, fusion=self.fusion, all_against_all=self.all_against_all, **more
        )

    def twin(self) -> Twin:
        return searches_by_loops(
            self.scores.tolist(),
            self.probes,
            self.gallery,
            sign=self.sign,
            fusion=self.fusion,
            all_against_all=self.all_against_all,
        )


@st.composite
def cases(draw: st.DrawFn, *, failed: bool = True, all_against_all: bool | None = None, fusions=None) -> Case:
    gallery = draw(st.lists(st.sampled_from(PEOPLE[:4]), max_size=7))
    square = draw(st.booleans()) if all_against_all is None else all_against_all
    probes = gallery if square else draw(st.lists(st.sampled_from(PEOPLE), max_size=6))
    cell = st.integers(-2, 3).map(float)
    cell = cell | st.sampled_from([float("nan")] * 3 + [float("inf"), float("-inf")]) if failed else cell
    size = len(probes) * len(gallery)
    cells = draw(st.lists(cell, min_size=size, max_size=size))
    return Case(
        np.array(cells, dtype=float).reshape(len(probes), len(gallery)),
        probes,
        gallery,
        draw(st.sampled_from(["similarity", "distance"])),
        draw(st.sampled_from(fusions or ["best", "mean", "max", "min", "none"])),
        square,
    )
