"""Measures of attacks (ISO/IEC 30107-3): on a whole system, and on an attack detector by itself.

    IAPAR    attack presentations of one species that a system accepts / all of that species
    RIAPAR   IAPAR of the worst species + FRR: what safety and convenience cost together
    APCER    attack presentations of one species that a detector takes for bona fide / those classified
    BPCER    bona fide presentations taken for attacks / those classified
    ACER     (APCER + BPCER) / 2, which ISO/IEC 30107-3 does not favour: it hides which error is made
    APNRR, BPNRR    presentations without a response / all, of attacks and of bona fide ones

Conventions: species are never pooled; the value of a measure is that of the worst species, and `by_species` has each
of them. On a system a presentation without a response was not accepted; a detector did not classify it. `APCER=x` is
the most permissive threshold at which no species has an APCER above x, `BPCER=x` the strictest with a BPCER of at most
x; BPCER10, BPCER20 and BPCER100 are short for BPCER@APCER=0.1, 0.05 and 0.01. The points of a system are those of
verification. A system has no APCER and a detector no IAPAR: NaN, with the reason. The outcome of a plan says whose
presentations went wrong: "attacks" (the worst species) or "bona fide".

Registers the measures of `ATTACKS`, and holds `AttackPoint`, `AttackRate`, `NonResponse`, and what findings read of
them: `by_species`, `genuine_rejected`, `silent_share` and `worst_row`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bertillon.core.messages import Message, say
from bertillon.measures.base import NO_MATED, NO_NONMATED, CurveMeasure, NamedMeasure, Result, Spelling
from bertillon.measures.operating_point import POINT_KEYS, THRESHOLD, OperatingPoint, Target, read_point
from bertillon.measures.plans import AtTarget, IntervalPlan, Proportion, Resample
from bertillon.measures.rates import KINDS as RATES
from bertillon.measures.registry import ATTACKS, VERIFICATION, Definition
from bertillon.trials.attack_set import AttackTally, PopulationTally

PASS_ALL = say("reason.attacks_pass_all")
OF_SYSTEM = say("attacks.reason.of_system")
OF_DETECTOR = say("attacks.reason.of_detector")
SYSTEM_POINTS = POINT_KEYS
DETECTOR_POINTS = (THRESHOLD, "APCER", "BPCER")
BPCER_TARGETS = {f"BPCER{n}": 1 / n for n in (10, 20, 100)}


@dataclass(frozen=True, slots=True)
class AttackPoint:
    """Where the threshold is: given, or where a rate keeps a promise."""

    key: str
    target: float

    @classmethod
    def of(cls, spelling: Spelling, keys: Sequence[str]) -> AttackPoint:
        """The point behind the @ of a spelling."""
        names = ATTACKS.canonical_name, VERIFICATION.canonical_name
        return cls(*read_point(spelling, keys, lambda key: names[0](key) or names[1](key)))

    def find(self, tally: AttackTally) -> float | None:
        """The oriented threshold, or None where no threshold keeps the promise."""
        if self.key == THRESHOLD:
            return float(tally.rule.orient(self.target))
        if self.key in SYSTEM_POINTS:
            curve_point = OperatingPoint(self.key, self.target).find(tally.errors, tally.rule)
            return None if curve_point is None else curve_point.threshold(tally.errors)
        kept = np.flatnonzero((tally.worst if self.key == "APCER" else tally.rejected) <= self.target)
        if not kept.size:
            return None
        return float(tally.thresholds[kept[0] if self.key == "APCER" else kept[-1]])

    def unreachable(self) -> Message:
        """Why no threshold was found."""
        return PASS_ALL if self.key == "APCER" else say("reason.unreachable", point=self.key, target=self.target)


@dataclass(frozen=True, slots=True)
class Kind:
    """One rate: what it is of, and how it is read at an oriented threshold."""

    summary: str
    formula: str
    of_detector: bool
    read: Callable[[AttackTally, float], Result]
    synonyms: tuple[str, ...] = ()

    @property
    def points(self) -> tuple[str, ...]:
        """What may stand behind the @."""
        return DETECTOR_POINTS if self.of_detector else SYSTEM_POINTS


def by_species(tally: AttackTally, threshold: float) -> tuple[Result, ...]:
    """The share of each species that passes an oriented threshold."""
    return tuple(Result.share(one.accepted_at(threshold), one.trials, threshold) for one in tally.species)


def genuine_rejected(tally: AttackTally, threshold: float) -> Result:
    """FRR of a system, BPCER of a detector: the share of genuine ones that do not pass an oriented threshold."""
    genuine = tally.genuine
    return Result.share(genuine.trials - genuine.accepted_at(threshold), genuine.trials, threshold)


def worst_row(results: Sequence[Result]) -> int:
    """The species with the highest rate: the first of equals, and one without a rate only where none has one."""
    return max(range(len(results)), key=lambda row: -1.0 if math.isnan(results[row].value) else results[row].value)


def _worst(tally: AttackTally, threshold: float) -> Result:
    results = by_species(tally, threshold)
    return results[worst_row(results)]


def _both(tally: AttackTally, threshold: float, *, over: int) -> Result:
    """The errors against attackers and against genuine ones together, or their mean."""
    parts = _worst(tally, threshold), genuine_rejected(tally, threshold)
    reason = next((part.reason for part in parts if part.reason), None)
    return Result((parts[0].value + parts[1].value) / over, threshold, reason=reason)


_ACCEPTED = "impostor attack presentation accept rate", "max over species of #{attacks accepted} / #{attacks}"
_RELATIVE = "relative impostor attack presentation accept rate", "IAPAR + FRR"
_PASSED = "max over species of #{attacks taken for bona fide} / #{attacks classified}"
_ATTACKS = "attack presentation classification error rate", _PASSED
_GENUINE = (
    "bona fide presentation classification error rate",
    "#{bona fide taken for attacks} / #{bona fide classified}",
)
_MEAN = "average classification error rate", "(APCER + BPCER) / 2"
KINDS: Mapping[str, Kind] = {
    "IAPAR": Kind(*_ACCEPTED, False, _worst, ("IAPMR",)),
    "RIAPAR": Kind(*_RELATIVE, False, partial(_both, over=1)),
    "APCER": Kind(*_ATTACKS, True, _worst),
    "BPCER": Kind(*_GENUINE, True, genuine_rejected),
    "ACER": Kind(*_MEAN, True, partial(_both, over=2)),
}


@dataclass(frozen=True, slots=True)
class AttackRate(CurveMeasure):
    """A rate at a threshold or where another rate keeps a promise, such as BPCER@APCER=0.05."""

    kind: str
    point: AttackPoint

    @classmethod
    def build(cls, spelling: Spelling) -> AttackRate:
        spelling.variant_among(("at-most",), at=None)
        return cls(spelling.name, AttackPoint.of(spelling, KINDS[spelling.name].points))

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.kind, at={self.point.key: self.point.target})

    @property
    def thresholds(self) -> tuple[float, ...]:
        return (self.point.target,) if self.point.key == THRESHOLD else ()

    def read(self, tally: AttackTally) -> Result:
        threshold = self.point.find(tally)
        if threshold is None:
            return Result.undefined(self.point.unreachable())
        return KINDS[self.kind].read(tally, threshold)

    def interval(self, result: Result) -> IntervalPlan:
        outcome = "bona fide" if self.kind == "BPCER" else "attacks"
        if (self.kind, self.point.key) in (("BPCER", "APCER"), ("APCER", "BPCER")):
            return AtTarget(Target(self.point.key, self.point.target, mated=self.kind == "APCER"), outcome=outcome)
        return Resample(self) if result.errors is None else Proportion(outcome=outcome)

    def unfit(self, tally: AttackTally) -> Message | None:
        if KINDS[self.kind].of_detector != (tally.licit is None):
            return OF_DETECTOR if KINDS[self.kind].of_detector else OF_SYSTEM
        if tally.licit is None or self.point.key == THRESHOLD:
            return None
        if RATES[self.point.key].mated:
            return None if tally.licit.mated.size else NO_MATED
        return None if tally.licit.nonmated.size else NO_NONMATED


@dataclass(frozen=True, slots=True)
class NonResponse(NamedMeasure):
    """The share of presentations without a response: APNRR of the worst species, BPNRR of bona fide ones."""

    name: str

    def of(self, tally: AttackTally) -> Result:
        if self.name == "BPNRR":
            return Result.undefined(OF_DETECTOR) if tally.licit is not None else silent_share(tally.genuine)
        results = [silent_share(species) for species in tally.species]
        return results[worst_row(results)]

    def interval(self, result: Result) -> IntervalPlan:
        return Proportion(outcome="bona fide" if self.name == "BPNRR" else "attacks")


def silent_share(population: PopulationTally) -> Result:
    """The share of presentations without a response."""
    return Result.share(population.silent, int(population.scores.size) + population.silent)


def _build_short(spelling: Spelling) -> AttackRate:
    spelling.variant_among()
    return AttackRate("BPCER", AttackPoint("APCER", BPCER_TARGETS[spelling.name]))


_DEFINE = partial(Definition, unit="rate", reference="ISO/IEC 30107-3", better="lower")
_EXAMPLES = {"IAPAR": "IAPAR@FMR=0.001", "RIAPAR": "RIAPAR@FMR=0.001", "BPCER": "BPCER@APCER=0.05"}
for _name, _kind in KINDS.items():
    _about = _kind.summary, _EXAMPLES.get(_name, f"{_name}@t=0.5"), _kind.formula, _kind.synonyms
    ATTACKS.register(_DEFINE(_name, AttackRate.build, *_about))
for _name, _target in BPCER_TARGETS.items():
    _summary = f"lowest BPCER with APCER at most {_target:g}"
    ATTACKS.register(_DEFINE(_name, _build_short, _summary, _name, f"BPCER@APCER={_target:g}"))
for _name, _whose, _plural in (("APNRR", "attack", "attacks"), ("BPNRR", "bona fide", "bona fide")):
    _formula = f"#{{{_plural} without a response}} / #{{{_plural}}}"
    ATTACKS.register(_DEFINE(_name, NonResponse.build, f"{_whose} presentation non-response rate", _name, _formula))
