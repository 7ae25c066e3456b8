"""What the log of a gallery tells, and whether everything stands as it was written.

    check   every sealed template opened, every line of the log checked, and the rows that are there compared with those
            that the log says were enrolled and not erased: each problem named
    audit   decisions by day, near misses, and whether the scores in use still look like those of the policy's test

A near miss is a decision that failed by no more than a tenth of the way from the threshold to the median mated score
of the test. Scores of decisions that passed are compared with the mated scores of the test that passed, the others
with the non-mated ones that did not: the greatest distance of the two distributions (Kolmogorov-Smirnov). It is
called a drift beyond sqrt(ln(2 / 0.01) / 2n), which happens by chance once in a hundred times, and the .05 that the
quantiles of the test leave open. Many genuine users who are rejected are a drift too: the gallery does not know who
is who.

Holds `AuditReport` with its `Day`s, `NearMiss`es and `Drift`s, `CheckReport`, `audited`, `checked` and
`check_gallery`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bertillon.core.lazy import pl
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.gallery.policy import GalleryFinding, Policy
from bertillon.gallery.records import SERVER, Records, Tampered
from bertillon.gallery.sealing import Damaged, Key, TemplateSealer
from bertillon.gallery.session import PathLike, store_of

PASSED = ("accepted", "identified", "allowed", "alarm")
MODE_OF = {"claim": "verification", "identify": "identification", "watch": "identification"}
NEAR = 0.1  # of the way from the threshold to the median mated score
CHANCE = 0.01
LEAST = 20  # decisions before their scores are compared
MOST_NEAR = 20


@dataclass(frozen=True, slots=True)
class Day:
    """What happened on one day (UTC), by event or decision."""

    date: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A decision that failed by little."""

    line: int
    time: str
    kind: str
    probe: str
    person: str | None  # claimed, or the nearest
    score: float
    margin: float


@dataclass(frozen=True, slots=True)
class Drift:
    """How far apart the scores of decisions are from those of the policy's test."""

    mode: str
    passed: bool
    decisions: int
    distance: float
    limit: float

    @property
    def drifted(self) -> bool:
        """Further apart than chance and the quantiles of the test allow."""
        return self.distance > self.limit


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditReport(GalleryFinding):
    """The log, verified, in numbers."""

    gallery: str
    lines: int
    head: str  # the mark of the last line: whoever keeps it notices a gallery that was put back
    days: tuple[Day, ...]
    near: tuple[NearMiss, ...]
    near_count: int
    drifts: tuple[Drift, ...]

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        drifts = [{**asdict(drift), "drifted": drift.drifted} for drift in self.drifts]
        days = [{"date": day.date, **day.counts} for day in self.days]
        near = [asdict(miss) for miss in self.near]
        names = {"gallery": self.gallery, "lines": self.lines, "head": self.head, "near_misses": self.near_count}
        return {**names, "days": days, "nearest_misses": near, "drifts": drifts}

    def to_frame(self) -> pl.DataFrame:
        """One row a day."""
        return pl.DataFrame(
            [{"date": day.date, **day.counts} for day in self.days], infer_schema_length=None
        ).fill_null(0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CheckReport(GalleryFinding):
    """Whether everything is as the gallery wrote it."""

    gallery: str
    people: int
    templates: int
    lines: int
    problems: tuple[Message, ...]

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        counts = {"people": self.people, "templates": self.templates, "lines": self.lines}
        return {"gallery": self.gallery, **counts, "problems": [str(problem) for problem in self.problems]}


def checked(records: Records) -> CheckReport:
    """Everything opened and compared with the log; what is wrong is listed, not raised."""
    with records.store.snapshot():
        problems: list[Message] = []
        logged, lines = dict[int, str](), 0
        expected: dict[int, str] | None = None  # rows by the log, once all of it was followed
        try:
            for line in records.lines():
                lines += 1
                _replay(logged, line)
            expected = logged
            records.policies()
        except Tampered as problem:
            problems.append(say("gallery.check.problem", problem=str(problem)))
        found = _opened(records, problems)
    if expected is not None:
        missing, extra = (sorted(set(a) - set(b)) for a, b in ((expected, found), (found, expected)))
        problems += [say("gallery.check.missing", row=row, person=expected[row]) for row in missing]
        problems += [say("gallery.check.extra", row=row, person=found[row]) for row in extra]
    people = len(set(found.values()))
    return CheckReport(records.store.name, people, len(found), lines, tuple(problems))


def check_gallery(path: PathLike, key: Key) -> CheckReport:
    """The same of a gallery that may not open."""
    store = store_of(path)
    try:
        return checked(Records.open(store, key))
    except Tampered as problem:
        return CheckReport(store.name, 0, 0, 0, (say("gallery.check.problem", problem=str(problem)),))
    finally:
        store.close()


def _replay(expected: dict[int, str], line: dict[str, Any]) -> None:
    """Which rows are there after a line of the log."""
    if line["event"] in ("enrol", "update"):
        for row in line.get("gone", ()):
            expected.pop(row, None)
        expected |= dict.fromkeys(line["rows"], line["person"])
    elif line["event"] == "erase":
        for row in line["rows"]:
            expected.pop(row, None)


def _opened(records: Records, problems: list[Message]) -> dict[int, str]:
    """The rows that are there and whose they are; one that does not open is a problem."""
    sealer = TemplateSealer(records.keyring.template, records.settings.id, records.settings.model)
    found = {}
    for rows in records.store.templates():
        opened = dict[int, bytes]()
        for row, person, sealed in rows:
            found[row] = person
            try:
                opened[row] = sealer.unseal(row, person, sealed)
            except Damaged:
                problems.append(say("gallery.check.damaged", row=row, person=person))
        if records.settings.search == SERVER:
            problems += [say("gallery.check.vector", row=row, person=found[row]) for row in _unlike(records, opened)]
    return found


def _unlike(records: Records, opened: dict[int, bytes]) -> list[int]:
    """Rows whose vector in the server is not that of the sealed template."""
    from bertillon.gallery.server import turned

    if not opened:
        return []
    shown = turned(
        records.keyring.template, np.frombuffer(b"".join(opened.values()), np.float32).reshape(len(opened), -1)
    )
    held = records.vectors.of([*opened])
    return [
        row
        for row, vector in zip(opened, shown, strict=True)
        if row not in held or not np.allclose(held[row], vector, rtol=0, atol=1e-5 * float(np.abs(vector).max()))
    ]


def audited(records: Records) -> AuditReport:
    """The chain verified, or `Tampered` raised with the line; then what the lines tell."""
    with records.store.snapshot():
        policies = {policy.id: policy for policy in records.policies().values()}
        days: dict[str, Counter[str]] = {}
        decisions: list[dict[str, Any]] = []
        lines = 0
        for line in records.lines():
            lines += 1
            days.setdefault(line["time"][:10], Counter())[line.get("decision", line["event"])] += 1
            if line["event"] in MODE_OF and line["score"] is not None:
                decisions.append(line)
        head = records.head()
    near = [miss for line in decisions if (miss := _near(line, policies.get(line["policy"]))) is not None]
    nearest = tuple(sorted(near, key=lambda miss: -miss.margin)[:MOST_NEAR])
    by_day = tuple(Day(date, dict(sorted(counts.items()))) for date, counts in sorted(days.items()))
    drifts = tuple(_drifts(decisions, policies.values()))
    return AuditReport(records.store.name, lines, head.mark, by_day, nearest, len(near), drifts)


def _near(line: dict[str, Any], policy: Policy | None) -> NearMiss | None:
    """A decision that failed by little, under the policy that is still in use."""
    if policy is None or line["decision"] in PASSED:
        return None
    mated = policy.scores.get("mated", ())
    reach = abs(float(np.median(mated)) - policy.threshold) if len(mated) else abs(policy.threshold) / 2
    if not -NEAR * reach <= line["margin"] < 0.0:
        return None
    person = line.get("first", line.get("person"))
    facts = (line["seq"], line["time"], line["event"], line["probe"], person)
    return NearMiss(*facts, line["score"], line["margin"])


def _drifts(decisions: Sequence[dict[str, Any]], policies: Iterable[Policy]) -> list[Drift]:
    """Each kind of decision under the policies in use, where there are enough of them."""
    found = []
    for policy in policies:
        for passed, side in ((True, "mated"), (False, "nonmated")):
            own = [
                line["score"]
                for line in decisions
                if line["policy"] == policy.id and (line["decision"] in PASSED) == passed and line.get("known", True)
            ]
            rule = AcceptRule.of(policy.rule)
            tested = _between(policy.scores.get(side, ()), rule, policy.threshold, passed=passed)
            if len(own) >= LEAST and tested is not None:
                limit = math.sqrt(math.log(2.0 / CHANCE) / (2.0 * len(own))) + 1.0 / (len(policy.scores[side]) - 1)
                distance = _apart(rule.orient(np.array(own)), *tested)
                found.append(Drift(policy.mode, passed, len(own), distance, limit))
    return found


def _between(quantiles: Sequence[float], rule: AcceptRule, threshold: float, *, passed: bool) -> tuple[Any, Any] | None:
    """The distribution of a class of the test on one side of the threshold: oriented scores, and shares below them."""
    if len(quantiles) < 2:
        return None
    scores = np.sort(rule.orient(np.array(quantiles)))
    shares, cut = np.linspace(0.0, 1.0, scores.size), float(rule.orient(threshold))
    at_cut = float(np.interp(cut, scores, shares, left=0.0, right=1.0))
    low, high = (at_cut, 1.0) if passed else (0.0, at_cut)
    if high - low <= 0.0:
        return None
    inside = (shares >= low) & (shares <= high)
    scores, shares = scores[inside], (shares[inside] - low) / (high - low)
    at_end = (0.0 if passed else 1.0) if 0.0 < at_cut < 1.0 else None
    if at_end is not None:
        scores, shares = np.append(scores, cut), np.append(shares, at_end)
    order = np.argsort(scores, kind="stable")
    return scores[order], shares[order]


def _apart(observed: Any, scores: Any, shares: Any) -> float:
    """The greatest distance between the shares of the observed scores and those of the test."""
    ordered = np.sort(observed)
    expected = np.interp(ordered, scores, shares, left=0.0, right=1.0)
    steps = np.arange(ordered.size + 1) / ordered.size
    return float(max(np.abs(steps[1:] - expected).max(), np.abs(steps[:-1] - expected).max()))
