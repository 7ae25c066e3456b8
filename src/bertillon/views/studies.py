"""What is shown beside evaluations: plans of tests, many runs of a protocol, reliable answers, and advice on measures.

Holds `PlannedTest` and `AdviceReport`, and the views of these, of `RepeatedEvaluation` and of `ResponseReliability`;
`comparison_with_truth` is for scores that were simulated.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from bertillon.advice.choosing import DOMAINS, QUESTIONS, Advice, InferredAnswer, Situation
from bertillon.advice.verdicts import plan_notes, plan_verdict
from bertillon.analysis.response_reliability import ResponseReliability
from bertillon.core.messages import Text, say
from bertillon.core.showing import Finding
from bertillon.evaluation import RepeatedEvaluation, ScoreEvaluation
from bertillon.measures import VERIFICATION, Result
from bertillon.stats.interval import short_rate
from bertillon.stats.planning import Plan, SimulatedTests, Size
from bertillon.views.assembling import Part, ReportContent, register_view
from bertillon.views.document import Block, Cell, Paragraphs, Section, Sentence, Subject, Table
from bertillon.views.measures import MEASURE, estimate_cell, unit_of
from bertillon.views.numbers import Estimate, Unit


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PlannedTest(Finding):
    """The sizes that a test needs, and what came of trying them out."""

    plan: Plan
    tried: SimulatedTests | None = None


def plans(found: Sequence[PlannedTest], content: ReportContent) -> Part:
    """The sizes as a table, then in words."""
    del content
    tables = tuple(_sizes(each.plan, id=f"plan-{place}") for place, each in enumerate(found))
    notes = [note for each in found for note in plan_notes(each.plan, each.tried)]
    return Part(
        say("terminal.section.plan"),
        sections=(Section("plan", say("terminal.section.plan"), (*tables, Paragraphs.of(notes))),),
        verdicts=tuple(Sentence(plan_verdict(each.plan)) for each in found),
    )


def _sizes(plan: Plan, *, id: str) -> Table:
    heads: list[Text] = [say(f"terminal.plan.{name}") for name in ("shows", "taken", "people", "seen")]
    heads.insert(3, say(f"planning.trials.{plan.aim.name}"))
    rows = []
    for size in plan.sizes:
        if not size.independent and size.people == plan.size(size.shows, independent=True).people:
            continue  # nothing is shared, so nothing more is needed
        correlated = say("terminal.plan.correlated", correlation=f"{plan.design.correlation:g}")
        assumed = say("terminal.plan.independent") if size.independent else correlated
        seen = Cell(say("terminal.plan.none"), key=0)
        if size.shows != "bound":
            seen = Cell(round(size.expected_errors), Unit.COUNT)
        counted = (Cell(size.people, Unit.COUNT), Cell(size.trials, Unit.COUNT), seen)
        rows.append((Cell(_aimed(plan, size)), Cell(assumed), *counted))
    return Table.under(heads, rows, id=id, caption=say("terminal.section.plan"), names=2)


def _aimed(plan: Plan, size: Size) -> str:
    aim = plan.aim
    if size.shows == "bound":
        return f"{aim.name} < {short_rate(aim.rate)}"
    return f"{aim.name} {short_rate(aim.rate)} ±{100 * aim.precision:.3g} %"


def repeated(found: Sequence[RepeatedEvaluation], content: ReportContent) -> Section:
    """Mean and spread of many runs of one protocol, and each run."""
    del content
    blocks: list[Block] = []
    for place, each in enumerate(found):
        blocks += [_over_runs(each, id=f"runs-{place}"), _each_run(each, id=f"runs-{place}-each")]
    return Section("runs", say("terminal.section.runs"), (*blocks, Paragraphs.of([say("terminal.spread")], quiet=True)))


def _over_runs(found: RepeatedEvaluation, *, id: str) -> Table:
    heads = [MEASURE, *(say(f"terminal.runs.{name}") for name in ("mean", "sd", "lowest", "highest"))]
    rows = []
    for name, summary in found.summary.items():
        numbers = (summary.mean, summary.sd, summary.low, summary.high)
        cells = [_run_cell(found, name, value) for value in numbers]
        rows.append((Cell(name), *cells, Cell(summary.reason or "")))
    title = say("terminal.runs", n=len(found.runs))
    return Table.under([*heads, ""], rows, id=id, caption=title, remarks=1).without_empty


def _each_run(found: RepeatedEvaluation, *, id: str) -> Table:
    """All runs of a measure in one cell, first run first, which wraps however many there are."""
    rows = []
    for name in found.summary:
        values = tuple(_run_cell(found, name, run.results[name].value).shown for run in found.runs)
        rows.append((Cell(name), Cell(say("list.all", names=values))))
    heads = [MEASURE, say("terminal.runs.values")]
    return Table.under(heads, rows, id=id, caption=say("terminal.runs.each"), names=2)


def _run_cell(found: RepeatedEvaluation, name: str, value: float) -> Cell:
    return Cell(Estimate(Result(value)), unit_of(name, found.runs[0].measure_set))


def reliabilities(found: Sequence[ResponseReliability], content: ReportContent) -> Part:
    """How many answers can be relied on, and how often each kind is right."""
    del content
    subjects: list[Subject] = []
    blocks: list[Block] = []
    for place, each in enumerate(found):
        kind = say(f"terminal.reliability.kind.{each.kind}")
        title = say("terminal.reliability", kind=kind, n=len(each), phi0=each.threshold)
        subjects.append(Subject(title))
        blocks.append(_relied(each, id=f"reliability-{place}"))
        reasons = Counter(reason for reason in each.reason if reason).most_common()
        notes: list[Text] = [say("terminal.reliability.why", n=times, reason=reason) for reason, times in reasons]
        notes += [] if each.wrong_calls is None else [say("terminal.wrong_calls", n=each.wrong_calls)]
        blocks += [Paragraphs.of(notes)] if notes else []
    warnings = [Sentence(say("terminal.fitted_here")) for each in found if each.fitted_here]
    title = say("terminal.section.reliability")
    section = Section("reliability", title, tuple(blocks))
    return Part(title, subjects=tuple(subjects), sections=(section,), warnings=tuple(warnings))


def _relied(found: ResponseReliability, *, id: str) -> Table:
    heads = (say(f"terminal.reliability.{name}") for name in ("answers", "number", "share", "right"))
    kinds = {"reliable": found.reliable, "unreliable": found.defined & ~found.reliable, "undefined": ~found.defined}
    rows = []
    for name, marks in kinds.items():
        right = None if found.correct is None or not marks.any() else float(found.correct[marks].mean())
        share = float(np.mean(marks)) if len(found) else None
        counted = Cell(int(np.count_nonzero(marks)), Unit.COUNT)
        rows.append(
            (Cell(say(f"terminal.reliability.{name}")), counted, Cell(share, Unit.RATE), Cell(right, Unit.RATE))
        )
    return Table.under(heads, rows, id=id, caption=say("terminal.section.reliability"))


@dataclass(frozen=True, slots=True, repr=False)
class AdviceReport(Finding):
    """Advice, the situation it is for, and what a file of predictions had to do with it."""

    situation: Situation
    advice: Advice
    seen: Mapping[str, InferredAnswer] = field(default_factory=dict)  # answers that the predictions gave
    source: str = ""
    undefined: Mapping[str, Text] = field(default_factory=dict)  # why predictions cannot answer what is advised

    @property
    def answers(self) -> dict[str, tuple[str, Text]]:
        """Every answer that matters, and what it rests on."""
        answers = {name: str(answer) for name, answer in asdict(self.situation).items()}
        if self.situation.classes == 2:
            del answers["average"]
        if self.situation.domain not in DOMAINS:
            del answers["domain"]
        return {name: (answer, self._because(name, answer)) for name, answer in answers.items()}

    @property
    def command(self) -> str:
        """What computes the measures from the file."""
        wanted = [name for name in self.advice.metrics if name not in self.undefined]
        return shlex.join(["bertillon", "classify", self.source, *(part for name in wanted for part in ("-m", name))])

    def _because(self, name: str, answer: str) -> Text:
        if name in self.seen:
            return say("list.named", name=self.source, message=self.seen[name].because)
        return QUESTIONS[name].answers.get(answer, "")


def advised(found: Sequence[AdviceReport], content: ReportContent) -> Part:
    """The answers it rests on, what to report and why, and what to do."""
    del content
    blocks: list[Block] = []
    warnings = []
    for place, each in enumerate(found):
        blocks += [*_advice(each, id=f"advice-{place}"), Paragraphs.of(each.advice.notes, listed=True)]
        about = {"source": each.source}
        warnings += [
            Sentence(say("terminal.advice.impossible", measure=name, reason=why, **about))
            for name, why in each.undefined.items()
        ]
    title = say("terminal.section.advice")
    return Part(title, sections=(Section("advice", title, tuple(blocks)),), warnings=tuple(warnings))


def _advice(found: AdviceReport, *, id: str) -> list[Table]:
    domain = found.situation.domain
    named = say("terminal.advice.report_for", domain=domain) if domain in DOMAINS else say("terminal.advice.report")
    answers = [(Cell(name), Cell(answer), Cell(because)) for name, (answer, because) in found.answers.items()]
    reasons = [(Cell(say("list.all", names=tuple(names))), Cell(why)) for why, names in found.advice.by_reason.items()]
    asked = [say(f"terminal.advice.{head}") for head in ("question", "answer", "because")]
    given = [say(f"terminal.advice.{head}") for head in ("measures", "why")]
    return [
        Table.under(asked, answers, id=f"{id}-answers", caption=say("terminal.advice.answers"), names=3),
        Table.under(given, reasons, id=f"{id}-measures", caption=named, names=2),
    ]


def comparison_with_truth(evaluation: ScoreEvaluation, truth: Mapping[str, float]) -> Part:
    """Measured beside true, for scores whose distribution is known."""
    heads = (MEASURE, say("terminal.truth.measured"), say("terminal.truth.true"))
    rows = [
        (Cell(name), estimate_cell(evaluation, name), Cell(Estimate(Result(value)), unit_of(name, VERIFICATION)))
        for name, value in truth.items()
    ]
    table = Table.under(heads, rows, id="truth", caption=say("terminal.truth"))
    return Part(sections=(Section("truth", "", (table,)),))


register_view(PlannedTest, plans)
register_view(RepeatedEvaluation, repeated)
register_view(ResponseReliability, reliabilities)
register_view(AdviceReport, advised)
