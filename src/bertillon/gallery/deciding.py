"""From scores to decisions: what a claim or a search comes to under a policy, and its line in the log.

Conventions: whether a score passes is asked of the policy. A decision is drafted first, without the log: where others
changed who is enrolled meanwhile, it is drafted again.

Holds `Draft`, made by `claimed` and `searched`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.gallery.answers import (
    Answer,
    Candidate,
    Claim,
    Identification,
    SearchReliability,
    decision_of,
    margin_of,
    reliabilities,
)
from bertillon.gallery.policy import Policy
from bertillon.gallery.records import Change
from bertillon.gallery.search import Index, Ranked

if TYPE_CHECKING:
    from bertillon.gallery.server import ServerIndex

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Draft:
    """A decision that is not in the log yet."""

    answer: type[Answer]
    values: Mapping[str, Any]
    warnings: tuple[Message, ...] = ()

    def warned(self, warnings: tuple[Message, ...]) -> Draft:
        """With what is to be said beside it."""
        return replace(self, warnings=warnings) if warnings else self

    def logged(self, change: Change, policy: Policy, people: int) -> Answer:
        """The answer, once its line is written."""
        values, score = self.values, self.values["score"]
        margin = margin_of(score, policy)
        facts = {name: values[name] for name in ("probe", "decision", "person", "known", "closed") if name in values}
        if values.get("candidates"):
            facts["first"] = values["candidates"][0].person
        numbers = {"score": score, "margin": margin}
        known = {name: None if np.isnan(value) else value for name, value in numbers.items()}
        change.log(self.answer.kind, policy=policy.id, threshold=policy.threshold, **facts, **known)
        outgrown = policy.outgrown(people)
        about: dict[str, Any] = {
            "threshold": policy.threshold,
            "rule": policy.rule,
            "policy": policy.id,
            "margin": margin,
        }
        warnings = self.warnings if outgrown is None else (*self.warnings, outgrown)
        return self.answer(**values, **about, line=change.head.seq, warnings=warnings)


def claimed(index: Index | ServerIndex, policy: Policy, person: str, vector: Vectors, name: str) -> Draft:
    """A claim to be a person, who may not be enrolled."""
    score, known, comparisons = index.claim(person, vector)
    accepted = policy.accepts(score) and known  # asked of everybody, so that it takes as long
    facts = {"person": person, "accepted": accepted, "known": known, "comparisons": comparisons}
    return Draft(Claim, {"probe": name, "decision": decision_of("claim", accepted), "score": score, **facts})


def searched(
    index: Index | ServerIndex,
    policy: Policy,
    vectors: Vectors,
    names: Sequence[str],
    best: int,
    answer: type[Identification],
    decided: str,
    facts: Mapping[str, Any],
) -> list[Draft]:
    """Searches of everybody; `facts` say whether the set is closed, or which list is watched."""
    closed = bool(facts.get("closed"))
    if closed and "RR" not in policy.rates:
        raise InputError(
            "the policy does not say how often the first name is right in a closed set; evaluate with -m RR beside the "
            "other measures and make the policy again"
        )
    ranked = index.search(vectors, max(best, 2))
    scores = [[*one.scores[:2].tolist(), *[one.worst] * (len(index) > 1)] for one in ranked]
    drafts = []
    unknown = SearchReliability(float("nan"), float("nan"), say("gallery.index.reliability"))
    for name, one, reliable in zip(names, ranked, reliabilities(scores, policy), strict=True):
        if len(index) > 1 and np.isnan(one.worst):
            reliable = unknown
        candidates = _candidates(one, policy, best)
        first = candidates[0] if candidates else None
        passed = first is not None and (closed or policy.accepts(first.score))
        values = {"probe": name, "decision": decision_of(decided, passed), **facts, "reliability": reliable}
        values |= {"person": first.person if first and passed else None, "candidates": candidates}
        values |= {"hit": passed} if "list" in facts else {}
        drafts.append(Draft(answer, {**values, "score": first.score if first else float("nan")}))
    return drafts


def _candidates(ranked: Ranked, policy: Policy, best: int) -> tuple[Candidate, ...]:
    pairs = zip(ranked.names[:best], ranked.scores[:best].tolist(), strict=True)
    return tuple(
        Candidate(person, score, rank, margin_of(score, policy)) for rank, (person, score) in enumerate(pairs, 1)
    )
