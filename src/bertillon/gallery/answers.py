"""What a gallery answers: a decision, the candidates, scores and margins it rests on, and its policy.

    Claim            accepted or rejected
    Identification   identified or not in gallery; of a closed set always identified
    Watch            of a white list allowed or refused, of a black list alarm or no alarm

Conventions: scores are in the units of the matcher. A margin is how far inside the threshold a score is: 0 or more
passes. How far an answer of a search can be relied on is System Response Reliability from its relative distance; SRR
needs a threshold of reliability that was fitted in a test, which a policy may carry.

Holds these, the `Candidate`s and `SearchReliability` in them, and `Answers`, which are shown and written together;
`Enrolled`, who is in the gallery.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bertillon.analysis.response_reliability import response_reliability, system_response_reliability
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say, text_of
from bertillon.core.rule import AcceptRule
from bertillon.gallery.policy import GalleryFinding, Policy

ALLOW, ALARM = "allow", "alarm"
HALFWAY = 0.5  # stands in for a threshold of phi where none is known; only phi is kept


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the people most alike to a probe."""

    person: str
    score: float
    rank: int
    margin: float  # 0 or more: passes

    @property
    def passes(self) -> bool:
        """Is the score on the accepted side of the threshold?"""
        return self.margin >= 0.0


@dataclass(frozen=True, slots=True)
class SearchReliability:
    """How far the answer of one search can be relied on.

    Parameters
    ----------
    phi
        The reliability measure; NaN has a reason.
    srr
        The System Response Reliability; NaN where no threshold of phi was measured.
    reason
        Why one of them is NaN.
    """

    phi: float
    srr: float
    reason: Message | None = None

    @property
    def reliable(self) -> bool | None:
        """Above the threshold of phi; None where that is not known."""
        return None if math.isnan(self.srr) else self.srr > 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What every answer says."""

    probe: str
    decision: str
    score: float  # of the person it is about, or of the nearest
    margin: float
    threshold: float
    rule: str
    policy: str  # its id
    line: int  # of the log
    warnings: tuple[Message, ...] = ()

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        names = ("probe", "decision", "score", "margin", "threshold", "rule", "policy", "line")
        return {"kind": self.kind, **{name: getattr(self, name) for name in names}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Answer):
    """The answer to a claim: is this the person it says it is?"""

    person: str
    accepted: bool
    known: bool  # whether such a person is enrolled; the way to the answer is the same
    comparisons: int

    kind: ClassVar[str] = "claim"

    def to_dict(self) -> dict[str, Any]:
        more = {"person": self.person, "accepted": self.accepted, "known": self.known, "comparisons": self.comparisons}
        return {**Answer.to_dict(self), **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class Identification(Answer):
    """The answer to a search: who is it, if anybody?"""

    person: str | None  # None: not in the gallery
    candidates: tuple[Candidate, ...]
    reliability: SearchReliability
    closed: bool = False

    kind: ClassVar[str] = "identify"

    def to_dict(self) -> dict[str, Any]:
        listed = [
            {
                "person": each.person,
                "score": each.score,
                "rank": each.rank,
                "margin": each.margin,
                "passes": each.passes,
            }
            for each in self.candidates
        ]
        sure = self.reliability
        reliability = {"phi": sure.phi, "srr": sure.srr, "reliable": sure.reliable, "reason": text_of(sure.reason)}
        more = {"person": self.person, "closed": self.closed, "candidates": listed, "reliability": reliability}
        return {**Answer.to_dict(self), **more}


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch(Identification):
    """The answer of a watch list: a hit on a white list is allowed, on a black list it is an alarm."""

    list: str
    hit: bool

    kind: ClassVar[str] = "watch"

    def to_dict(self) -> dict[str, Any]:
        return {**Identification.to_dict(self), "list": self.list, "hit": self.hit}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answers(GalleryFinding):
    """Answers of one gallery, and the policies they were taken by."""

    gallery: str
    people: int
    answers: tuple[Answer, ...]
    policy: Policy

    @property
    def warnings(self) -> tuple[Message, ...]:
        """What is said of the answers, each once."""
        every = (warning for answer in self.answers for warning in answer.warnings)
        return tuple(dict.fromkeys([*self.policy.warnings, *every]))

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "gallery": self.gallery,
            "people": self.people,
            "policy": self.policy.to_dict()["policy"] | {"id": self.policy.id},
            "answers": [answer.to_dict() for answer in self.answers],
            "warnings": [str(warning) for warning in self.warnings],
        }

    def to_frame(self) -> pl.DataFrame:
        """One row an answer."""
        rows = [{**answer.to_dict(), "person": getattr(answer, "person", None)} for answer in self.answers]
        names = ("probe", "kind", "decision", "person", "score", "margin", "threshold", "policy", "line")
        return pl.DataFrame([{name: row[name] for name in names} for row in rows], infer_schema_length=None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Enrolled(GalleryFinding):
    """Who is enrolled, with the number of their templates, and the policies in use."""

    gallery: str
    people: Mapping[str, int]
    policies: Mapping[str, Policy]

    @property
    def templates(self) -> int:
        """How many templates are enrolled."""
        return sum(self.people.values())

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        policies = {mode: policy.to_dict()["policy"] | {"id": policy.id} for mode, policy in self.policies.items()}
        return {"gallery": self.gallery, "people": dict(self.people), "templates": self.templates, "policies": policies}

    def to_frame(self) -> pl.DataFrame:
        """One row a person."""
        return pl.DataFrame({"person": list(self.people), "templates": list(self.people.values())})


def decision_of(kind: str, passed: bool) -> str:
    """What a decision is called.

    >>> decision_of("identify", False), decision_of("alarm", True)
    ('not in gallery', 'alarm')
    """
    names = {
        "claim": ("rejected", "accepted"),
        "identify": ("not in gallery", "identified"),
        ALLOW: ("refused", "allowed"),
        ALARM: ("no alarm", "alarm"),
    }
    return names[kind][passed]


def margin_of(score: float, policy: Policy) -> float:
    """How far inside the threshold a score is; never below 0 where it passes, never 0 or more where it does not."""
    rule = AcceptRule.of(policy.rule)
    apart = float(rule.orient(score) - rule.orient(policy.threshold))
    return apart + 0.0


def reliabilities(searches: Sequence[Sequence[float]], policy: Policy) -> list[SearchReliability]:
    """The reliability of each search, from the scores of its first two candidates and of the least alike of all."""
    lists = [np.asarray(search, dtype=np.float64) for search in searches]
    found = response_reliability(lists, rule=policy.rule, threshold=HALFWAY)
    fitted = policy.reliability
    made = []
    for phi, reason in zip(found.phi.tolist(), found.reason, strict=True):
        if math.isnan(phi) or fitted is None:
            made.append(SearchReliability(phi, math.nan, reason or say("gallery.no_reliability")))
        else:
            made.append(SearchReliability(phi, float(system_response_reliability([phi], fitted.threshold)[0])))
    return made
