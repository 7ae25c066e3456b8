"""The views of what a gallery finds: decisions, who is enrolled, a policy, a check, and what the log tells.

Conventions: registered by type, as every view; the decision comes first, then the numbers it rests on. Of many answers
a report counts the decisions before it lists them.

Importing this module registers them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bertillon.core.messages import Message, Text, chained, say
from bertillon.gallery.answers import Answer, Answers, Enrolled, Identification
from bertillon.gallery.audit import AuditReport, CheckReport, Drift
from bertillon.gallery.demonstration import Demonstration
from bertillon.gallery.policy import MODES, MeasuredRate, Policy
from bertillon.measures import Result
from bertillon.stats import Interval
from bertillon.views import Part, ReportContent, register_view
from bertillon.views.document import Block, Cell, Paragraphs, Section, Sentence, Subject, Table
from bertillon.views.numbers import Estimate, Unit

FEW = 3  # answers that a sentence each is said of


def answers(found: Sequence[Answers], content: ReportContent) -> Part:
    """Each decision, the candidates of a single search, and the policy."""
    del content
    verdicts: list[Sentence] = []
    sections: list[Section] = []
    for place, each in enumerate(found):
        verdicts += map(Sentence, _verdicts(each.answers))
        blocks: list[Block] = [_decisions(each.answers, id=f"decisions-{place}")] if len(each.answers) > 1 else []
        blocks += [_candidates(one, id=f"candidates-{place}") for one in each.answers[:1] if len(each.answers) == 1]
        blocks = [block for block in blocks if not isinstance(block, Table) or block.rows]
        blocks.append(Paragraphs.of(policy_sentences(each.policy), quiet=True))
        sections.append(Section(f"answers-{place}", say("gallery.answers.caption"), tuple(blocks)))
    title = say("gallery.answers.title", gallery=found[0].gallery, n=found[0].people)
    warnings = tuple(Sentence(warning) for each in found for warning in each.warnings)
    return Part(title, sections=tuple(sections), verdicts=tuple(verdicts), warnings=warnings)


def _verdicts(given: Sequence[Answer]) -> list[Message]:
    if len(given) <= FEW:
        return [
            say(f"gallery.verdict.{one.decision}", probe=one.probe, person=getattr(one, "person", None) or "")
            for one in given
        ]
    counted = Counter(one.decision for one in given)
    named = {decision: say(f"gallery.decision.{decision}") for decision in counted}
    return [say("gallery.verdict.several", decision=named[decision], n=n) for decision, n in counted.items()]


def _decisions(given: Sequence[Answer], *, id: str) -> Table:
    heads = [say(f"gallery.head.{name}") for name in ("probe", "decision", "person", "score", "margin", "reliability")]
    rows = []
    for one in given:
        phi = one.reliability.phi if isinstance(one, Identification) else None
        numbers = (Cell(one.score, Unit.SCORE), Cell(one.margin, Unit.SCORE), Cell(phi, Unit.NUMBER))
        person = Cell(getattr(one, "person", None) or "")
        rows.append((Cell(one.probe), Cell(say(f"gallery.decision.{one.decision}")), person, *numbers))
    caption = say("gallery.answers.caption")
    return Table.under(heads, rows, id=id, caption=caption, names=3).without_empty


def _candidates(one: Answer, *, id: str) -> Table:
    """The candidates of a search, or the one comparison of a claim."""
    heads = [say(f"gallery.head.{name}") for name in ("person", "rank", "score", "margin", "passes")]
    rows = [
        (
            Cell(each.person),
            Cell(each.rank, Unit.COUNT),
            Cell(each.score, Unit.SCORE),
            Cell(each.margin, Unit.SCORE),
            Cell(say("gallery.yes" if each.passes else "gallery.no")),
        )
        for each in (one.candidates if isinstance(one, Identification) else ())
    ]
    if not isinstance(one, Identification):
        person = Cell(getattr(one, "person", ""))
        passes = Cell(say("gallery.yes" if one.margin >= 0 else "gallery.no"))
        rows = [(person, Cell(None), Cell(one.score, Unit.SCORE), Cell(one.margin, Unit.SCORE), passes)]
    caption = say("gallery.candidates.caption", probe=one.probe)
    return Table.under(heads, rows, id=id, caption=caption, notes=_relied(one)).without_empty


def _relied(one: Answer) -> list[Text]:
    """How far a single answer can be relied on."""
    if not isinstance(one, Identification) or math.isnan(one.reliability.phi):
        return []
    sure = one.reliability
    if math.isnan(sure.srr):
        return [say("gallery.reliability.phi", phi=sure.phi, reason=sure.reason or "")]
    return [say("gallery.reliability", phi=sure.phi, srr=sure.srr)]


def policy_sentences(policy: Policy) -> list[Message]:
    """What a policy is, in two lines."""
    rates = [
        say("gallery.policy.rate", name=name, value=rate.value, low=rate.low, high=rate.high)
        for name, rate in policy.ordered_rates.items()
    ]
    about: dict[str, Any] = {"id": policy.id, "at": policy.at, "matcher": policy.matcher, "threshold": policy.threshold}
    size = policy.gallery_size
    for_whom = say("gallery.policy.any_size") if size is None else say("gallery.policy.size", n=size)
    return [say("gallery.policy.sentence", **about, rates=chained(rates)), for_whom]


def policies(found: Sequence[Policy], content: ReportContent) -> Part:
    """The errors that were measured for a policy."""
    del content
    sections = []
    for place, policy in enumerate(found):
        title = say("gallery.policy.title", id=policy.id, mode=say(f"gallery.mode.{policy.mode}"))
        stated = say("gallery.policy.model", model=policy.model) if policy.model else say("gallery.policy.no_model")
        notes = Paragraphs.of([*policy_sentences(policy)[1:], stated], quiet=True)
        blocks = [_rates(policy, id=f"rates-{place}"), *_sizes(policy, id=f"sizes-{place}"), notes]
        sections.append(Section(f"policy-{place}", title, tuple(blocks)))
    warnings = tuple(Sentence(warning) for policy in found for warning in policy.warnings)
    verdicts = tuple(Sentence(policy_sentences(policy)[0]) for policy in found)
    return Part(sections=tuple(sections), verdicts=verdicts, warnings=warnings)


def _rates(policy: Policy, *, id: str) -> Table:
    heads = [say(f"gallery.policy.head.{name}") for name in ("rate", "value", "interval", "errors", "trials")]
    rows = [(Cell(name), *_rate_cells(rate)) for name, rate in policy.ordered_rates.items()]
    caption = say("gallery.policy.rates", threshold=policy.threshold)
    return Table.under(heads, rows, id=id, caption=caption).without_empty


def _rate_cells(rate: MeasuredRate) -> tuple[Cell, ...]:
    interval = Interval(rate.low, rate.high, rate.level)
    value = Estimate(Result(rate.value, None, rate.errors, rate.trials), interval)
    counts = (Cell(number, Unit.COUNT) for number in (rate.errors, rate.trials))
    return Cell(value, Unit.RATE, key=rate.value), Cell(interval, Unit.RATE), *counts


def _sizes(policy: Policy, *, id: str) -> list[Block]:
    known = policy.sizes
    if known is None:
        return []
    heads = [say(f"gallery.policy.head.{name}") for name in ("size", "value", "interval")]
    columns = zip(known.sizes, known.fpir, known.low, known.high, strict=True)
    rows = [
        (Cell(size, Unit.COUNT), Cell(value, Unit.RATE), Cell(Interval(low, high), Unit.RATE))
        for size, value, low, high in columns
    ]
    return [Table.under(heads, rows, id=id, caption=say("gallery.policy.sizes"))]


def enrolled(found: Sequence[Enrolled], content: ReportContent) -> Part:
    """Who is enrolled, and by which policies decisions are taken."""
    del content
    sections = []
    for place, each in enumerate(found):
        heads = [say("gallery.head.person"), say("gallery.head.templates")]
        rows = [(Cell(person), Cell(n, Unit.COUNT)) for person, n in each.people.items()]
        table = Table.under(heads, rows, id=f"enrolled-{place}", caption=say("gallery.enrolled.caption"))
        lines: list[Message] = []
        for mode in MODES:
            named = say("gallery.enrolled.no_policy", mode=say(f"gallery.mode.{mode}"))
            lines += policy_sentences(each.policies[mode]) if mode in each.policies else [named]
        blocks: tuple[Block, ...] = (*([table] if rows else []), Paragraphs.of(lines, quiet=True))
        title = say("gallery.enrolled.title", gallery=each.gallery, people=len(each.people), templates=each.templates)
        sections.append(Section(f"enrolled-{place}", title, blocks))
    return Part(sections=tuple(sections))


def checks(found: Sequence[CheckReport], content: ReportContent) -> Part:
    """What is wrong, or that nothing is."""
    del content
    verdicts, sections = [], []
    for place, each in enumerate(found):
        n = len(each.problems)
        verdicts.append(Sentence(say("gallery.check.wrong", n=n) if n else say("gallery.check.right")))
        counts: dict[str, Any] = {"people": each.people, "templates": each.templates, "lines": each.lines}
        lines = [*each.problems, say("gallery.check.counts", **counts)]
        title = say("gallery.check.title", gallery=each.gallery)
        sections.append(Section(f"check-{place}", title, (Paragraphs.of(lines, listed=n > 0),)))
    return Part(sections=tuple(sections), verdicts=tuple(verdicts))


def audits(found: Sequence[AuditReport], content: ReportContent) -> Part:
    """Days, near misses and drifts."""
    del content
    sections, warnings = [], []
    for place, each in enumerate(found):
        blocks: list[Block] = [_days(each, id=f"days-{place}")]
        if each.near:
            blocks.append(_near(each, id=f"near-{place}"))
        said = [_drift(drift) for drift in each.drifts]
        warnings += [Sentence(line) for line, drift in zip(said, each.drifts, strict=True) if drift.drifted]
        steady = [line for line, drift in zip(said, each.drifts, strict=True) if not drift.drifted]
        blocks.append(Paragraphs.of([*steady, say("gallery.audit.mark", mark=each.head)], quiet=True))
        title = say("gallery.audit.title", gallery=each.gallery, lines=each.lines)
        sections.append(Section(f"audit-{place}", title, tuple(blocks)))
    verdicts = tuple(Sentence(say("gallery.audit.near", n=each.near_count)) for each in found)
    return Part(sections=tuple(sections), verdicts=verdicts, warnings=tuple(warnings))


def _drift(drift: Drift) -> Message:
    state, side = "drift" if drift.drifted else "steady", "passed" if drift.passed else "failed"
    about: dict[str, Any] = {
        "mode": say(f"gallery.mode.{drift.mode}"),
        "distance": drift.distance,
        "limit": drift.limit,
    }
    return say(f"gallery.audit.{state}.{side}", n=drift.decisions, **about)


def _days(each: AuditReport, *, id: str) -> Table:
    heads = [say(f"gallery.audit.head.{name}") for name in ("date", "what", "number")]
    rows = [
        (Cell(day.date), Cell(_called(what)), Cell(number, Unit.COUNT))
        for day in each.days
        for what, number in day.counts.items()
    ]
    return Table.under(heads, rows, id=id, caption=say("gallery.audit.days"), names=2)


def _called(what: str) -> Message:
    """What an event or a decision is called."""
    events = ("create", "enrol", "update", "erase", "policy", "export", "rotate")
    return say(f"gallery.event.{what}" if what in events else f"gallery.decision.{what}")


def _near(each: AuditReport, *, id: str) -> Table:
    audit = [say(f"gallery.audit.head.{name}") for name in ("line", "time")]
    heads = [*audit, *(say(f"gallery.head.{name}") for name in ("probe", "person", "score", "margin"))]
    rows = [
        (
            Cell(miss.line, Unit.COUNT),
            Cell(miss.time),
            Cell(miss.probe),
            Cell(miss.person or ""),
            Cell(miss.score, Unit.SCORE),
            Cell(miss.margin, Unit.SCORE),
        )
        for miss in each.near
    ]
    return Table.under(heads, rows, id=id, caption=say("gallery.audit.near.caption"), names=4)


def demonstrations(found: Sequence[Demonstration], content: ReportContent) -> Part:
    """What was measured before, beside what was observed."""
    del content
    heads = [say(f"gallery.demo.head.{name}") for name in ("rate", "measured", "observed", "errors", "trials")]
    sections = []
    for place, each in enumerate(found):
        rows = []
        for name, measured, seen in each.rows:
            value, interval, *_ = _rate_cells(measured)
            before = Cell(value.value, Unit.RATE, key=measured.value, note=(interval.text,))
            value, interval, *counts = _rate_cells(seen)
            rows.append(
                (Cell(name), before, Cell(value.value, Unit.RATE, key=seen.value, note=(interval.text,)), *counts)
            )
        title = say("gallery.demo.title", n=each.people)
        table = Table.under(heads, rows, id=f"demo-{place}", caption=title)
        whose = say("gallery.demo.photos", source=each.source) if each.source else say("gallery.demo.simulated")
        said = [whose, *(sentence for policy in each.policies for sentence in policy_sentences(policy))]
        sections.append(Section(f"demo-{place}", title, (table, Paragraphs.of(said, quiet=True))))
    return Part(sections=tuple(sections), subjects=tuple(Subject(section.title) for section in sections))


register_view(Answers, answers)
register_view(Demonstration, demonstrations)
register_view(Policy, policies)
register_view(Enrolled, enrolled)
register_view(CheckReport, checks)
register_view(AuditReport, audits)
