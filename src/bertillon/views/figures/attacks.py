"""Attacks as a third population: densities of scores, the threshold, and the accepted side.

Conventions: species are ordered by their rates, worst first; those that a figure cannot bear are counted in a note.
Densities of all populations are on common bins.

Holds `worst_first`, `populations_data` with its `PopulationsData` and `Population`, its figure (`populations_panel`,
`attacks_chart`), and `outline`, a density as a line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, cycle, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.analysis.attacks import AttackFinding, SpeciesRate
from bertillon.core.messages import say, spoken
from bertillon.core.rule import readable
from bertillon.evaluation import error_curve
from bertillon.trials.score_set import ScoreSet
from bertillon.views.figures import chart
from bertillon.views.figures.axis import Axis, FloatArray, padded, score_axis
from bertillon.views.figures.scores import SCORE, bin_edges, density_axis, shown_range, threshold_rule

MOST_SPECIES = 5
LONGEST = 20  # characters of the name of a species
HEADROOM = 1.35  # above the densities, for the threshold's label
BESIDE = 0.4  # of the width, for a text beside the threshold
ABOVE = 0.19  # inches of a legend's row
SPECIES_COLOURS, SPECIES_DASHES = (6, 2, 3, 4, 5), ("-", "--", "-.", ":")  # black first: the worst
FILLED = {"mated": chart.MATED, "bona fide": chart.MATED, "non-mated": chart.NONMATED}
NAMES = {  # of those who do not attack
    "mated": say("figure.mated"),
    "non-mated": say("figure.nonmated"),
    "bona fide": say("attacks.bona_fide"),
}


def worst_first(rates: AttackFinding) -> list[SpeciesRate]:
    """Species by their rates; those without one last."""
    return sorted(
        rates.species, key=lambda species: math.inf if math.isnan(species.rate.value) else -species.rate.value
    )


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The density of one population and what the legend says of it."""

    name: str  # of a species, or what those who do not attack are called
    attacks: bool
    label: str
    scores: NDArray[Any]
    density: FloatArray = field(default_factory=lambda: chart.NOTHING)  # empty without scores


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


def populations_data(rates: AttackFinding) -> PopulationsData:
    """Mated and non-mated scores, or bona fide ones, and the worst species of attack."""
    everybody = [*_others(rates), *_species(rates)]
    shown = everybody[: len(everybody) - max(len(rates.species) - MOST_SPECIES, 0)]
    edges = _edges([population.scores for population in shown])
    limits = padded((float(edges[0]), float(edges[-1])))
    visible = limits[0] <= rates.threshold <= limits[1]
    hidden = len(everybody) - len(shown)
    notes = [say("figure.more_species", n=hidden)] if hidden else []
    beyond = sum(population.scores.size - _inside(population.scores, edges) for population in shown)
    notes += [say("figure.not_shown", n=beyond)] if beyond else []
    off_axis = say("figure.off_axis", what=say("figure.threshold_is", threshold=readable(rates.threshold, 4)))
    notes += [] if visible else [off_axis]
    return PopulationsData(
        rates.trials.name,
        edges,
        tuple(replace(population, density=_density(population.scores, edges)) for population in shown),
        score_axis(SCORE, limits),
        rates.rule.sign == ">=",
        rates.threshold if visible else None,
        "" if rates.fixed_by == "t" else rates.fixed_by,
        tuple(map(spoken, notes)),
    )


def attacks_chart(rates: AttackFinding) -> chart.Chart:
    """The populations, with room above them for their names."""
    data = populations_data(rates)
    return chart.Chart((populations_panel(data),), (chart.SIZE[0], chart.SIZE[1] + ABOVE * len(data.populations)))


def populations_panel(data: PopulationsData) -> chart.Panel:
    """The densities, the threshold and the accepted side: those who do not attack are filled, genuine ones blue and
    non-mated ones vermilion; a species of attack is a line, the worst of them the thickest.
    """
    there = [population for population in data.populations if population.density.size]
    marks: list[Any] = []
    pens = iter(zip(cycle(SPECIES_COLOURS), cycle(SPECIES_DASHES), chain([2.0], repeat(1.2)), strict=False))
    for population in there:
        pen = chart.Pen(*next(pens)) if population.attacks else chart.Pen(FILLED[population.name])
        fill = 0.0 if population.attacks else 0.35
        marks.append(chart.Bars(population.label, data.edges, population.density, pen, fill))
    if data.threshold is not None:
        value = f"t = {readable(data.threshold, 4)}{f' ({data.fixed_by})' if data.fixed_by else ''}"
        marks += threshold_rule(data.axis, data.threshold, value, accepts_above=data.accepts_above, room=BESIDE)
    y_axis = density_axis([population.density for population in there], HEADROOM)
    return chart.Panel(data.axis, y_axis, tuple(marks), notes=data.notes, legend="column")


def outline(edges: FloatArray, density: FloatArray) -> chart.Path:
    """The steps of a density as a line, down to nothing at both ends.

    >>> line = outline(np.array([0.0, 1.0, 2.0]), np.array([0.2, 0.8]))
    >>> line.x.tolist(), line.y.tolist()
    ([0.0, 0.0, 1.0, 1.0, 2.0, 2.0], [0.0, 0.2, 0.2, 0.8, 0.8, 0.0])
    """
    return chart.Path(np.repeat(edges, 2), np.concatenate([[0.0], np.repeat(density, 2), [0.0]]))


def _others(rates: AttackFinding) -> list[Population]:
    """Those who do not attack."""
    return [
        Population(name, attacks=False, label=chart.sized(NAMES[name], scores.size), scores=scores)
        for name, scores in rates.trials.others.items()
    ]


def _species(rates: AttackFinding) -> list[Population]:
    """Attacks by species, worst first."""
    by_name = {species.name: species for species in rates.attacks.species}
    populations = []
    for found in worst_first(rates):
        species, rate = by_name[found.species], chart.percent_label(found.rate.value)
        name = chart.sized(chart.shortened(species.name, LONGEST), species.size)
        label = f"{name}: {rates.measure} {rate}"
        populations.append(Population(species.name, attacks=True, label=label, scores=species.answered))
    return populations


def _edges(populations: Sequence[NDArray[Any]]) -> FloatArray:
    """Bins over all populations, as many as suit the first two classes of them."""
    pooled = ScoreSet(populations[0], np.concatenate(populations[1:]))
    return bin_edges(pooled, shown_range(pooled, error_curve(pooled)), None)


def _inside(scores: NDArray[Any], edges: FloatArray) -> int:
    return int(np.count_nonzero((scores >= edges[0]) & (scores <= edges[-1])))


def _density(scores: NDArray[Any], edges: FloatArray) -> FloatArray:
    """The area is the share of the scores that is shown."""
    if not scores.size:
        return chart.NOTHING
    counted = np.histogram(scores, bins=edges.size - 1, range=(float(edges[0]), float(edges[-1])))[0]
    return counted / (scores.size * np.diff(edges))
