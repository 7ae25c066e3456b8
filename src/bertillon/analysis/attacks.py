"""Attacks: how many come through, species by species, at the threshold a system or an attack detector is run at.

Conventions: the measures are those of `measures.attacks`. Every species has its own rate and the headline is the worst
of them, never their mean. A score equal to the threshold passes: it is accepted, or taken for bona fide. A presentation
without a response (NaN) is one that a system did not accept, and one that a detector did not classify; the share of
these is given beside the rate. FRR counts failed mated comparisons as rejected. The threshold is given, or the most
permissive whose FMR on the non-mated scores (of a system) or whose APCER (of a detector) is at most a target; a
threshold found on the presentations themselves flatters the detector. Attempts are counted; a rate by transaction needs
one score a transaction. Intervals are Clopper-Pearson's, or by subject where it is known whom the presentations are of;
where APCER is held down, BPCER's is widened by what is not known of the threshold.

Holds `attack_rates` with its `AttackRates`, `pad_rates` with its `PadRates`, what both have in common, `AttackFinding`,
and what they are made of: `SpeciesRate`, `BesideRate` and `BpcerAt`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon._version import __version__
from bertillon.core import AcceptRule, InputError, say
from bertillon.core.lazy import pl
from bertillon.core.showing import Finding
from bertillon.evaluation import plain
from bertillon.measures import ATTACKS, Measure, Result
from bertillon.measures.attacks import (
    BPCER_TARGETS,
    PASS_ALL,
    AttackPoint,
    AttackRate,
    by_species,
    genuine_rejected,
    silent_share,
    worst_row,
)
from bertillon.measures.operating_point import THRESHOLD
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import LEVEL, Interval, Settings, check_level
from bertillon.stats.of_attacks import AttackStatistics, presentation_interval
from bertillon.stats.of_scores import rates_at
from bertillon.trials import DetectorAttacks, ScoreSet, SystemAttacks
from bertillon.trials.attack_set import BONA_FIDE, AttackSet, AttackTally, AttackTrials, Presentations

FMR = 0.001  # where neither a threshold nor an FMR is given
APCER = 0.05  # where neither a threshold nor an APCER is given


@dataclass(frozen=True, slots=True)
class SpeciesRate:
    """How many attacks of one species came through, and how many got no response."""

    species: str
    rate: Measured
    silent: Result

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {"species": self.species, **self.rate.to_dict(), "no_response": plain(self.silent.value)}


@dataclass(frozen=True, slots=True)
class BesideRate:
    """A rate that is shown beside those of species: of those who do not attack, or of both."""

    name: str
    result: Result
    interval: Interval | None = None
    threshold: float | None = None  # where it is read, in the user's units; None where no threshold matters
    target: float | None = None  # the APCER that is held down, where the threshold is the rate's own


@dataclass(frozen=True, slots=True)
class BpcerAt:
    """The lowest BPCER at which no species has an APCER above a target."""

    target: float
    apcer: float  # that is reached: at most the target
    threshold: float
    bpcer: Measured

    @property
    def name(self) -> str:
        """BPCER10 for 10 %, BPCER20 for 5 %, BPCER100 for 1 %."""
        return f"BPCER{round(1 / self.target)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "name": self.name,
            "APCER_at_most": self.target,
            "APCER": plain(self.apcer),
            "threshold": plain(self.threshold),
            **self.bpcer.to_dict(),
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttackFinding(Finding, ABC):
    """The rate of every species at one threshold, and what is shown beside them.

    `found["APCER@BPCER=0.05"]` answers any measure of attacks, at its own threshold.
    """

    measure: ClassVar[str]  # the rate of a species
    trials: AttackTrials
    tally: AttackTally
    threshold: float  # in the user's units
    fixed_by: str  # "t" where it was given, or the promise it keeps, such as FMR=0.001
    species: tuple[SpeciesRate, ...]
    level: float

    @property
    def rule(self) -> AcceptRule:
        """Which side of the threshold passes."""
        return self.trials.rule

    @property
    def target(self) -> float | None:
        """The rate that the threshold was fixed at; None where the threshold was given."""
        _, _, rate = self.fixed_by.partition("=")
        return float(rate) if rate else None

    @property
    def worst(self) -> SpeciesRate:
        """The species of which most comes through: the headline."""
        return self.species[worst_row([species_rate.rate.result for species_rate in self.species])]

    @property
    @abstractmethod
    def beside(self) -> tuple[BesideRate, ...]:
        """The rates of those who do not attack, and of both together."""

    def __getitem__(self, measure: str | Measure) -> Result:
        return ATTACKS.parse(measure).of(self.tally).restored(self.rule)

    def read(self, name: str) -> Result:
        """A rate at the threshold of the finding."""
        return self[AttackRate(name, AttackPoint(THRESHOLD, self.threshold))]

    @property
    def signature(self) -> dict[str, Any]:
        """What one needs to know to get the same numbers again."""
        fixed_by = f"t={self.threshold:g}" if self.target is None else self.fixed_by
        return {"version": __version__, **self.trials.definitions, "threshold": fixed_by, "level": self.level}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "threshold": plain(self.threshold),
            "fixed_by": self.fixed_by,
            "rule": self.rule.value,
            self.measure: self.worst.rate.value,
            "worst_species": self.worst.species,
            "species": [species_rate.to_dict() for species_rate in self.species],
        }

    def to_frame(self) -> pl.DataFrame:
        """One row a species: its rate with its interval and counts, and the share without a response."""
        rows = [
            {
                "species": species_rate.species,
                self.measure: species_rate.rate.value,
                "low": species_rate.rate.interval.low,
                "high": species_rate.rate.interval.high,
                "errors": species_rate.rate.result.errors,
                "presentations": species_rate.rate.result.trials,
                "APNRR": species_rate.silent.value,
                "interval": str(species_rate.rate.interval.method),
            }
            for species_rate in self.species
        ]
        return pl.DataFrame(rows)

    def to_frames(self) -> dict[str, pl.DataFrame]:
        """Every table by its name."""
        return {"species": self.to_frame()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttackRates(AttackFinding):
    """IAPAR of every species at one threshold, beside the rates of those who do not attack."""

    measure: ClassVar[str] = "IAPAR"
    scores: ScoreSet
    fmr: Measured
    frr: Result

    @property
    def iapar(self) -> float:
        """That of the worst species."""
        return self.worst.rate.value

    @property
    def riapar(self) -> float:
        """IAPAR of the worst species + FRR; NaN without mated scores."""
        return self.read("RIAPAR").value

    @property
    def beside(self) -> tuple[BesideRate, ...]:
        return (
            BesideRate("FMR", self.fmr.result, self.fmr.interval, self.threshold),
            BesideRate("FRR", self.frr, threshold=self.threshold),
            BesideRate("RIAPAR", self.read("RIAPAR"), threshold=self.threshold),
        )

    def to_dict(self) -> dict[str, Any]:
        own = {"FMR": self.fmr.to_dict(), "FRR": plain(self.frr.value), "RIAPAR": plain(self.riapar)}
        return AttackFinding.to_dict(self) | own


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PadRates(AttackFinding):
    """APCER of every species and BPCER at one threshold, and BPCER where APCER is held down."""

    measure: ClassVar[str] = "APCER"
    bona_fide: Presentations
    bpcer: Measured
    bona_fide_silent: Result  # BPNRR
    at_apcer: tuple[BpcerAt, ...]

    @property
    def apcer(self) -> float:
        """That of the worst species."""
        return self.worst.rate.value

    @property
    def acer(self) -> float:
        """The mean of APCER and BPCER, which ISO/IEC 30107-3 does not favour."""
        return self.read("ACER").value

    @property
    def auc(self) -> float:
        """The share of pairs of a bona fide presentation and an attack of any species told apart; ties count half."""
        attacks = np.sort(np.concatenate([species.scores for species in self.tally.species]))
        bona_fide = self.tally.genuine.scores
        below = np.searchsorted(attacks, bona_fide, "left") + np.searchsorted(attacks, bona_fide, "right")
        return float(below.sum() / (2 * attacks.size * bona_fide.size))

    @property
    def beside(self) -> tuple[BesideRate, ...]:
        silent = [BesideRate("BPNRR", self.bona_fide_silent)] if self.bona_fide_silent.errors else []
        held = [
            BesideRate(at.name, at.bpcer.result, at.bpcer.interval, at.threshold, at.target) for at in self.at_apcer
        ]
        return (BesideRate("BPCER", self.bpcer.result, self.bpcer.interval, self.threshold), *silent, *held)

    def to_dict(self) -> dict[str, Any]:
        return AttackFinding.to_dict(self) | {
            "BPCER": self.bpcer.to_dict(),
            "BPNRR": self.bona_fide_silent.value,
            "ACER": {"value": self.acer, "note": str(say("reason.acer_not_favoured"))},
            "BPCER_at_APCER": [rate.to_dict() for rate in self.at_apcer],
        }

    def to_frames(self) -> dict[str, pl.DataFrame]:
        rows = [
            {"name": point.name, "apcer_at_most": point.target, "apcer": point.apcer, "threshold": point.threshold}
            | {"bpcer": point.bpcer.value, "low": point.bpcer.interval.low, "high": point.bpcer.interval.high}
            for point in self.at_apcer
        ]
        return AttackFinding.to_frames(self) | {"bpcer": pl.DataFrame(rows)}


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
    trials = SystemAttacks(AttackSet.of(attacks), scores)
    rates = _Rates(trials, trials.count(), level)
    fixed_by, at = rates.threshold("FMR", default=FMR, given=threshold, target=fmr)
    fixed = rates_at(scores, at, level=level)
    return AttackRates(
        trials, rates.tally, at, fixed_by, rates.species(at), level, scores, fixed.fmr, rates.genuine(at)
    )


def pad_rates(
    bona_fide: Presentations | ArrayLike,
    attacks: AttackSet | Mapping[str, ArrayLike],
    *,
    threshold: float | None = None,
    apcer: float | None = None,
    rule: AcceptRule | str = AcceptRule.SIMILARITY,
    level: float = LEVEL,
) -> PadRates:
    """The errors of an attack detector, at a threshold or at that of an APCER (0.05 where neither is given).

    Scores may be decisions: True, or 1, where a presentation was taken for bona fide; give threshold=1 then.

    >>> found = pad_rates([0.9, 0.8, 0.7, 0.4], {"print": [0.1, 0.2, 0.6], "mask": [0.5, 0.3]}, threshold=0.5)
    >>> [round(one.rate.value, 3) for one in found.species], found.worst.species, found.bpcer.value
    ([0.333, 0.5], 'mask', 0.25)
    >>> [(one.name, one.threshold, one.bpcer.value) for one in found.at_apcer][0]
    ('BPCER10', 0.7, 0.25)
    """
    check_level(level)
    direction, population = AcceptRule.of(rule), AttackSet.of(attacks)
    live = Presentations.of(BONA_FIDE, bona_fide)
    trials = DetectorAttacks(population, live, direction)
    rates = _Rates(trials, trials.count(), level)
    fixed_by, at = rates.threshold("APCER", default=APCER, given=threshold, target=apcer)
    return PadRates(
        trials,
        rates.tally,
        at,
        fixed_by,
        rates.species(at),
        level,
        live,
        rates.bpcer(live, at),
        silent_share(rates.tally.genuine),
        tuple(rates.bpcer_at(target) for target in BPCER_TARGETS.values()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rates:
    """The rates of trials, with their intervals, at any threshold in the user's units."""

    trials: AttackTrials
    tally: AttackTally
    level: float

    def threshold(self, key: str, *, default: float, given: float | None, target: float | None) -> tuple[str, float]:
        """How the threshold was fixed, and where: given, or where a rate is at most its target."""
        name, wanted = key.lower(), default if target is None else target
        if given is not None and target is not None:
            raise InputError(f"threshold and {name} both fix the threshold; give one of them")
        if given is not None:
            if math.isnan(given):
                raise InputError("threshold is not a number")
            return "t", float(given)
        if not 0.0 <= wanted <= 1.0:
            raise InputError(f"{name} is {wanted}; expected a rate from 0 to 1, such as {default}")
        if self.tally.licit is not None and not self.tally.licit.nonmated.size:
            raise InputError(f"no non-mated scores to fix the threshold of an {key} on; give a threshold")
        at = AttackPoint(key, wanted).find(self.tally)
        if at is None:
            raise InputError(f"no threshold has an {key} of {wanted:g} or less: {PASS_ALL}; give a threshold")
        return f"{key}={wanted:g}", self.trials.rule.restore(at)

    def species(self, at: float) -> tuple[SpeciesRate, ...]:
        """The rate of each species."""
        rule, results = self.trials.rule, by_species(self.tally, self._oriented(at))
        return tuple(
            SpeciesRate(
                species.name,
                self._measured(result.restored(rule), presentations, rule.accepts(presentations.scores, at)),
                silent_share(species),
            )
            for species, result, presentations in zip(self.tally.species, results, self.trials.judged, strict=True)
        )

    def genuine(self, at: float) -> Result:
        """FRR, or BPCER."""
        return genuine_rejected(self.tally, self._oriented(at)).restored(self.trials.rule)

    def bpcer(self, bona_fide: Presentations, at: float) -> Measured:
        """BPCER with its interval."""
        classified = bona_fide.responses()
        return self._measured(self.genuine(at), classified, ~self.trials.rule.accepts(classified.scores, at))

    def bpcer_at(self, target: float) -> BpcerAt:
        """The same at the most permissive threshold that keeps every species at most at the target."""
        measure = AttackRate("BPCER", AttackPoint("APCER", target))
        result = measure.of(self.tally).restored(self.trials.rule)
        if result.threshold is None:
            return BpcerAt(target, math.nan, math.nan, Measured(result, Interval.undefined(PASS_ALL)))
        apcer = AttackRate("APCER", AttackPoint(THRESHOLD, result.threshold)).of(self.tally).value
        interval = AttackStatistics(self.trials, Settings()).by_formula(measure, result, self.level)
        assert interval is not None
        return BpcerAt(target, apcer, result.threshold, Measured(result, interval))

    def _oriented(self, at: float) -> float:
        return float(self.trials.rule.orient(at))

    def _measured(self, result: Result, presentations: Presentations, wrong: NDArray[np.bool_]) -> Measured:
        """The share of presentations that went wrong, with its interval: by subject where these are known."""
        return Measured(result, presentation_interval(presentations, wrong, self.level))
