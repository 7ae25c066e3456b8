"""Attacks on a whole system: how many are accepted at the threshold it is run at.

    IAPAR    accepted attack presentations of one species / all presentations of that species (ISO/IEC 30107-3)
    RIAPAR   IAPAR of the worst species + FRR: what safety and convenience cost together

Conventions: every species has its own rate and the headline is the worst of them, never their mean. A score equal to
the threshold is accepted. A presentation without a response (NaN) is one that was not accepted: it stays among all
presentations, and the share of these is given beside the rate. FRR counts failed mated comparisons as rejected. The
threshold is the one the system is run at: given, or the most permissive whose FMR on the non-mated scores is at most a
target. Attempts are counted; a rate by transaction needs one score a transaction. Intervals are Clopper-Pearson's, or
by subject where it is known whom the presentations are of.

Holds `attack_rates` with its `AttackRates`, and `SpeciesRate`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core.errors import InputError
from bertillon.counting.tally import count_errors
from bertillon.measures.base import Result
from bertillon.measures.operating_point import OperatingPoint
from bertillon.stats.at_threshold import Measured, rates_at
from bertillon.stats.dependence.shared_people import rate_by_subject
from bertillon.stats.interval import LEVEL
from bertillon.stats.intervals.fixed_rates import independent
from bertillon.trials.attack_set import AttackSet, Presentations
from bertillon.trials.score_set import ScoreSet

if TYPE_CHECKING:
    import polars as pl

FMR = 0.001  # where neither a threshold nor an FMR is given


@dataclass(frozen=True, slots=True)
class SpeciesRate:
    """How many attacks of one species came through, and how many got no response."""

    species: str
    rate: Measured
    silent: Result

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        nonresponse = None if math.isnan(self.silent.value) else self.silent.value
        return {"species": self.species, **self.rate.to_dict(), "no_response": nonresponse}


@dataclass(frozen=True, slots=True, eq=False)
class AttackRates:
    """IAPAR of every species at one threshold, beside the rates of those who do not attack."""

    threshold: float  # in the user's units
    fixed_by: str  # "t" where it was given, or the promise it keeps, such as FMR=0.001
    species: tuple[SpeciesRate, ...]
    fmr: Measured
    frr: Result
    scores: ScoreSet
    attacks: AttackSet
    level: float

    @property
    def worst(self) -> SpeciesRate:
        """The species of which most is accepted: the headline."""
        return worst_of(self.species)

    @property
    def iapar(self) -> float:
        """That of the worst species."""
        return self.worst.rate.value

    @property
    def riapar(self) -> float:
        """IAPAR of the worst species + FRR; NaN without mated scores."""
        return self.iapar + self.frr.value

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "threshold": self.threshold if math.isfinite(self.threshold) else str(self.threshold),
            "fixed_by": self.fixed_by,
            "rule": self.scores.rule.value,
            "IAPAR": self.iapar,
            "worst_species": self.worst.species,
            "species": [species_rate.to_dict() for species_rate in self.species],
            "FMR": self.fmr.to_dict(),
            "FRR": None if math.isnan(self.frr.value) else self.frr.value,
            "RIAPAR": None if math.isnan(self.riapar) else self.riapar,
        }

    def to_frame(self) -> pl.DataFrame:
        """One row a species."""
        return species_frame("IAPAR", "APNRR", self.species)


def attack_rates(
    scores: ScoreSet,
    attacks: AttackSet | Mapping[str, ArrayLike],
    *,
    threshold: float | None = None,
    fmr: float | None = None,
    level: float = LEVEL,
) -> AttackRates:
    """How many attacks of each species are accepted, at a threshold or at that of an FMR (0.001 unless given).

    >>> scores = ScoreSet([0.7, 0.8, 0.9, 0.95], [0.1, 0.2, 0.3, 0.6])
    >>> found = attack_rates(scores, {"print": [0.2, 0.4, 0.5, 0.8], "mask": [0.6, 0.7, 0.9]}, fmr=0)
    >>> found.threshold, [round(one.rate.value, 3) for one in found.species], found.worst.species
    (0.7, [0.25, 0.667], 'mask')
    """
    population = AttackSet.of(attacks)
    if population.rule not in (None, scores.rule):
        raise InputError(f"scores are a {scores.rule.value} and the attacks are not; expected one rule for both")
    fixed_by, at = _threshold(scores, threshold, fmr)
    rates, failed = rates_at(scores, at, level=level), scores.failures.mated
    rejected = (rates.fnmr.result.errors or 0) + failed
    return AttackRates(
        at,
        fixed_by,
        tuple(
            SpeciesRate(
                presentations.name,
                measured(presentations, scores.rule.accepts(presentations.scores, at), at, level),
                silence(presentations),
            )
            for presentations in population.species
        ),
        rates.fmr,
        Result.share(rejected, scores.mated.size + failed, at),
        scores,
        population,
        level,
    )


def measured(presentations: Presentations, wrong: NDArray[np.bool_], threshold: float, level: float) -> Measured:
    """The share of presentations that went wrong, with its interval: by subject where these are known."""
    result = Result.share(int(np.count_nonzero(wrong)), wrong.size, threshold)
    if presentations.subject is None or not wrong.size:
        return Measured(result, independent(int(np.count_nonzero(wrong)), wrong.size, level))
    return Measured(result, rate_by_subject(presentations.subject, wrong).interval(level))


def silence(presentations: Presentations) -> Result:
    """The share of presentations without a response."""
    return Result.share(presentations.silent, presentations.size)


def worst_of(species: tuple[SpeciesRate, ...]) -> SpeciesRate:
    """The species with the highest rate; the first of equals, and one without a rate only where none has one."""
    return max(
        species, key=lambda species_rate: -1.0 if math.isnan(species_rate.rate.value) else species_rate.rate.value
    )


def species_frame(name: str, silent: str, species: tuple[SpeciesRate, ...]) -> pl.DataFrame:
    """One row a species: its rate with its interval and counts, and the share without a response."""
    import polars as pl

    rows = [
        {
            "species": species_rate.species,
            name: species_rate.rate.value,
            "low": species_rate.rate.interval.low,
            "high": species_rate.rate.interval.high,
            "errors": species_rate.rate.result.errors,
            "presentations": species_rate.rate.result.trials,
            silent: species_rate.silent.value,
            "interval": str(species_rate.rate.interval.method),
        }
        for species_rate in species
    ]
    return pl.DataFrame(rows)


def _threshold(scores: ScoreSet, threshold: float | None, fmr: float | None) -> tuple[str, float]:
    """How the threshold was fixed, and where."""
    if threshold is not None and fmr is not None:
        raise InputError("threshold and fmr both fix the threshold; give one of them")
    if threshold is not None:
        if math.isnan(threshold):
            raise InputError("threshold is not a number")
        return "t", float(threshold)
    target = FMR if fmr is None else fmr
    if not 0.0 <= target <= 1.0:
        raise InputError(f"fmr is {target}; expected a rate from 0 to 1, such as 0.001")
    if not scores.nonmated.size:
        raise InputError("no non-mated scores to fix the threshold of an FMR on; give a threshold")
    counts = count_errors(scores)
    curve_point = OperatingPoint("FMR", target).find(counts, scores.rule)
    assert curve_point is not None  # the last threshold rejects all, so every FMR is kept somewhere
    return f"FMR={target:g}", scores.rule.restore(curve_point.threshold(counts))
