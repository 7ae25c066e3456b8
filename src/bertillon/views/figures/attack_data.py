"""Coordinates of the populations that attacks add to: densities of all of them on common bins.

Conventions: those of `data`. Species are ordered by their rates, worst first; those that a figure cannot bear are
counted in a note.

Holds `populations_data` with its `PopulationsData`, `Population`, and `outline`, a density as a line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.analysis.attack_detection import PadRates
from bertillon.analysis.attacks import AttackRates
from bertillon.core.messages import say, spoken
from bertillon.core.rule import readable
from bertillon.evaluation import error_curve
from bertillon.trials.score_set import ScoreSet
from bertillon.views.figures.axis import Axis, padded
from bertillon.views.figures.data import SCORE
from bertillon.views.figures.names import percent_label, shortened, sized
from bertillon.views.figures.ranges import bin_edges, shown_range
from bertillon.views.figures.shapes import NOTHING, FloatArray, Line

MOST_SPECIES = 5
LONGEST = 20  # characters of the name of a species
FRIENDLY, UNKNOWN, ATTACK = "friendly", "unknown", "attack"  # mated or bona fide; non-mated; of a species


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The density of one population, the species it is of where it attacks, and what the legend says of it."""

    label: str
    species: str
    kind: str
    scores: NDArray[Any]
    density: FloatArray = field(default_factory=lambda: NOTHING)  # empty without scores


@dataclass(frozen=True, slots=True, eq=False)
class PopulationsData:
    """Densities on common bins, the threshold where it can be shown, and the side that is accepted."""

    name: str
    edges: FloatArray
    populations: tuple[Population, ...]
    axis: Axis
    accepts_above: bool
    threshold: float | None
    fixed_by: str  # FMR=0.001, or nothing where the threshold was given
    notes: tuple[str, ...] = ()


def populations_data(rates: AttackRates | PadRates) -> PopulationsData:
    """Mated and non-mated scores, or bona fide ones, and the worst species of attack."""
    everybody = [*_others(rates), *_species(rates)]
    shown = everybody[: len(everybody) - max(len(rates.species) - MOST_SPECIES, 0)]
    edges = _edges([population.scores for population in shown])
    limits = padded((float(edges[0]), float(edges[-1])))
    visible = limits[0] <= rates.threshold <= limits[1]
    rule = rates.scores.rule if isinstance(rates, AttackRates) else rates.rule
    hidden = len(everybody) - len(shown)
    notes = [say("figure.more_species", n=hidden)] if hidden else []
    beyond = sum(population.scores.size - _inside(population.scores, edges) for population in shown)
    notes += [say("figure.not_shown", n=beyond)] if beyond else []
    notes += (
        []
        if visible
        else [say("figure.off_axis", what=say("figure.threshold_is", threshold=readable(rates.threshold, 4)))]
    )
    return PopulationsData(
        rates.scores.name if isinstance(rates, AttackRates) else "",
        edges,
        tuple(replace(population, density=_density(population.scores, edges)) for population in shown),
        Axis(spoken(SCORE), "linear", limits),
        rule.sign == ">=",
        rates.threshold if visible else None,
        "" if rates.fixed_by == "t" else rates.fixed_by,
        tuple(map(spoken, notes)),
    )


def outline(edges: FloatArray, density: FloatArray) -> Line:
    """The steps of a density as a line, down to nothing at both ends.

    >>> line = outline(np.array([0.0, 1.0, 2.0]), np.array([0.2, 0.8]))
    >>> line.x.tolist(), line.y.tolist()
    ([0.0, 0.0, 1.0, 1.0, 2.0, 2.0], [0.0, 0.2, 0.2, 0.8, 0.8, 0.0])
    """
    return Line(np.repeat(edges, 2), np.concatenate([[0.0], np.repeat(density, 2), [0.0]]))


def _others(rates: AttackRates | PadRates) -> list[Population]:
    """Those who do not attack."""
    if isinstance(rates, PadRates):
        live = rates.bona_fide.answered
        return [Population(sized(say("attacks.bona_fide"), live.size), "", FRIENDLY, live)]
    mated, nonmated = rates.scores.mated, rates.scores.nonmated
    return [
        Population(sized(say("figure.mated"), mated.size), "", FRIENDLY, mated),
        Population(sized(say("figure.nonmated"), nonmated.size), "", UNKNOWN, nonmated),
    ]


def _species(rates: AttackRates | PadRates) -> list[Population]:
    """Attacks by species, worst first."""
    measure = "IAPAR" if isinstance(rates, AttackRates) else "APCER"
    pairs = zip(rates.attacks.species, (species.rate.value for species in rates.species), strict=True)
    ordered = sorted(pairs, key=lambda pair: math.inf if math.isnan(pair[1]) else -pair[1])
    return [
        Population(
            f"{sized(shortened(species.name, LONGEST), species.size)}: {measure} {percent_label(value)}",
            species.name,
            ATTACK,
            species.answered,
        )
        for species, value in ordered
    ]


def _edges(populations: Sequence[NDArray[Any]]) -> FloatArray:
    """Bins over all populations, as many as suit the first two classes of them."""
    pooled = ScoreSet(populations[0], np.concatenate(populations[1:]))
    return bin_edges(pooled, shown_range(pooled, error_curve(pooled)), None)


def _inside(scores: NDArray[Any], edges: FloatArray) -> int:
    return int(np.count_nonzero((scores >= edges[0]) & (scores <= edges[-1])))


def _density(scores: NDArray[Any], edges: FloatArray) -> FloatArray:
    """The area is the share of the scores that is shown."""
    if not scores.size:
        return NOTHING
    counted = np.histogram(scores, bins=edges.size - 1, range=(float(edges[0]), float(edges[-1])))[0]
    return counted / (scores.size * np.diff(edges))
