"""An attack detector by itself: attacks taken for bona fide presentations, and bona fide ones taken for attacks.

    APCER      attack presentations of one species classified as bona fide / those classified (ISO/IEC 30107-3)
    BPCER      bona fide presentations classified as attacks / those classified
    BPCER@APCER=x   the lowest BPCER of a threshold at which no species has an APCER above x: BPCER10, BPCER20 and
               BPCER100 are those of 10 %, 5 % and 1 %
    APNRR, BPNRR    presentations without a response / all, of a species and of bona fide ones
    ACER       (APCER of the worst species + BPCER) / 2, which ISO/IEC 30107-3 does not favour: it hides which error

Conventions: the headline APCER is the worst species'. Scores follow a rule: under "similarity" the higher one speaks
for a bona fide presentation. A score equal to the threshold is taken for bona fide. Presentations without a response
(NaN) were not classified and are in no APCER or BPCER. A threshold found on these presentations flatters the detector.

Holds `pad_rates` with its `PadRates`, and `BpcerAt`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.analysis.attacks import SpeciesRate, measured, silence, species_frame, worst_of
from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule, count_rejected
from bertillon.measures.base import Result
from bertillon.stats.at_threshold import Measured
from bertillon.stats.interval import LEVEL, Interval
from bertillon.stats.proportion import check_level
from bertillon.trials.attack_set import AttackSet, Presentations

if TYPE_CHECKING:
    import polars as pl

FloatArray = NDArray[np.float64]

APCER = 0.05  # where neither a threshold nor an APCER is given
TARGETS = (0.1, 0.05, 0.01)
PASS_ALL = say("reason.attacks_pass_all")
NOT_FAVOURED = say("reason.acer_not_favoured")


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
            "APCER": _plain(self.apcer),
            "threshold": _plain(self.threshold),
            **self.bpcer.to_dict(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class PadRates:
    """APCER of every species and BPCER at one threshold, and BPCER where APCER is held down."""

    threshold: float  # in the user's units
    fixed_by: str  # "t" where it was given, or the promise it keeps, such as APCER=0.05
    species: tuple[SpeciesRate, ...]
    bpcer: Measured
    bona_fide_silent: Result  # BPNRR
    at_apcer: tuple[BpcerAt, ...]
    rule: AcceptRule
    bona_fide: Presentations
    attacks: AttackSet
    level: float

    @property
    def worst(self) -> SpeciesRate:
        """The species that deceives the detector most: the headline."""
        return worst_of(self.species)

    @property
    def apcer(self) -> float:
        """That of the worst species."""
        return self.worst.rate.value

    @property
    def acer(self) -> float:
        """The mean of APCER and BPCER, which ISO/IEC 30107-3 does not favour."""
        return (self.apcer + self.bpcer.value) / 2

    @property
    def auc(self) -> float:
        """The share of pairs of a bona fide presentation and an attack of any species told apart; ties count half."""
        attacks = np.sort(self.rule.orient(np.concatenate([species.answered for species in self.attacks.species])))
        bona_fide = self.rule.orient(self.bona_fide.answered)
        if not attacks.size or not bona_fide.size:
            return math.nan
        below = np.searchsorted(attacks, bona_fide, "left") + np.searchsorted(attacks, bona_fide, "right")
        return float(below.sum() / (2 * attacks.size * bona_fide.size))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "threshold": _plain(self.threshold),
            "fixed_by": self.fixed_by,
            "rule": self.rule.value,
            "APCER": self.apcer,
            "worst_species": self.worst.species,
            "species": [species_rate.to_dict() for species_rate in self.species],
            "BPCER": self.bpcer.to_dict(),
            "BPNRR": self.bona_fide_silent.value,
            "ACER": {"value": self.acer, "note": str(NOT_FAVOURED)},
            "BPCER_at_APCER": [rate.to_dict() for rate in self.at_apcer],
        }

    def to_frame(self) -> pl.DataFrame:
        """One row a species."""
        return species_frame("APCER", "APNRR", self.species)


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
    live = bona_fide if isinstance(bona_fide, Presentations) else Presentations("bona fide", bona_fide)
    answered, attacked = live.responses(), [presentations.responses() for presentations in population.species]
    if not answered.size or not any(presentations.size for presentations in attacked):
        kind = "bona fide presentation" if not answered.size else "attack"
        raise InputError(f"no {kind} got a response, so nothing was classified; expected some scores that are not NaN")
    detector = _Detector(answered, attacked, direction, level)
    fixed_by, at = _threshold(detector, threshold, apcer)
    return PadRates(
        at,
        fixed_by,
        tuple(
            SpeciesRate(
                presentations.name,
                measured(presentations, direction.accepts(presentations.scores, at), at, level),
                silence(whole),
            )
            for presentations, whole in zip(attacked, population.species, strict=True)
        ),
        detector.bpcer(at),
        silence(live),
        tuple(detector.at(target) for target in TARGETS),
        direction,
        live,
        population,
        level,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Detector:
    """Classified presentations, and what any threshold makes of them."""

    bona_fide: Presentations
    attacks: Sequence[Presentations]
    rule: AcceptRule
    level: float

    def bpcer(self, threshold: float) -> Measured:
        wrong = ~self.rule.accepts(self.bona_fide.scores, threshold)
        return measured(self.bona_fide, wrong, threshold, self.level)

    def at(self, target: float) -> BpcerAt:
        """The most permissive threshold that keeps every species at most at the target."""
        candidates, worst = self._worst()
        kept = worst <= target
        if not kept.any():
            return BpcerAt(
                target, math.nan, math.nan, Measured(Result.undefined(PASS_ALL), Interval.undefined(PASS_ALL))
            )
        row = int(np.argmax(kept))
        threshold = self.rule.restore(candidates[row])
        return BpcerAt(target, float(worst[row]), threshold, self.bpcer(threshold))

    def _worst(self) -> tuple[FloatArray, FloatArray]:
        """The APCER of the worst species at every distinct score and at one that rejects all, oriented."""
        species = [
            np.sort(self.rule.orient(presentations.scores)) for presentations in self.attacks if presentations.size
        ]
        every = np.concatenate([*species, self.rule.orient(self.bona_fide.scores)])
        candidates = np.append(np.unique(every), np.inf)
        accepted = [(scores.size - count_rejected(scores, candidates)) / scores.size for scores in species]
        return candidates, np.max(accepted, axis=0)


def _threshold(detector: _Detector, threshold: float | None, apcer: float | None) -> tuple[str, float]:
    """How the threshold was fixed, and where."""
    if threshold is not None and apcer is not None:
        raise InputError("threshold and apcer both fix the threshold; give one of them")
    if threshold is not None:
        if math.isnan(threshold):
            raise InputError("threshold is not a number")
        return "t", float(threshold)
    target = APCER if apcer is None else apcer
    if not 0.0 <= target <= 1.0:
        raise InputError(f"apcer is {target}; expected a rate from 0 to 1, such as 0.05")
    at = detector.at(target).threshold
    if math.isnan(at):
        raise InputError(f"no threshold has an APCER of {target:g} or less: {PASS_ALL}; give a threshold")
    return f"APCER={target:g}", at


def _plain(value: float) -> float | str | None:
    """A number as strict JSON allows it."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)
