"""What is shown of a verification: the measures, what was asked at x, what to expect in use, thresholds fixed on other
scores, folds, and a threshold to move.

Conventions: of very many systems the answer speaks of the best. Any other kind of trial that has no view of its own
shows its measures.

Holds the views of verification, of error curves and of any evaluation, and `marked`, the thresholds that have names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bertillon.advice import leading, verdict_of
from bertillon.advice.warnings import not_measurable, resolution, skewed, unlike, warnings_of
from bertillon.core.messages import Message, Text, Value, abridged, chained, say, sentences
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import Failures, attempt_rates
from bertillon.evaluation import AnyEvaluation, CurveEvaluation, Evaluation, ScoreEvaluation, plain
from bertillon.measures import VERIFICATION
from bertillon.stats.at_threshold import Measured
from bertillon.stats.units import people_in
from bertillon.views.answer import ANSWERED, answer_tables, decision, is_usual, least_cost, unreached
from bertillon.views.assembling import MATCHER, DailyUse, Part, ReportContent, register_view
from bertillon.views.document import Block, Cell, ExplorerSystem, Level, Paragraphs, Section, Sentence, Subject, Table
from bertillon.views.explorer import explorer_blocks, explorer_system, points_each, shaded_band, use_on_page
from bertillon.views.measures import MeasureNames, cards, estimate_cell, headline_table, measures_tables, threshold_cell
from bertillon.views.numbers import Unit, shown, threshold_text

if TYPE_CHECKING:
    from bertillon.analysis.development import DevelopmentResult

MEASURE_NAMES = MeasureNames.of(VERIFICATION)
ALWAYS = ("EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "ZeroFMR")  # thresholds a reader can always jump to
EXAMPLE = (1000.0, 100.0)  # genuine and impostor attempts a day on a page that nobody gave others
FEWEST_JUDGED = 30  # comparisons of each kind; of fewer no EER is called good or poor
NAMED = 6  # systems named in a sentence
PHRASES = "reading."  # the topic of notes that are no sentences
CHOSEN = (MATCHER, "protocol.sampled", "protocol.share_too_small", "protocol.failed_left_out")
SHOWN_NOTES = CHOSEN + tuple(  # notes on what was chosen, left out or assumed, which nobody should have to ask for
    f"{PHRASES}{key}"
    for key in (
        *("attacks_", "subsets", "other_scores", "failed_", "trusted.", "with_itself", "triangle.", "by_name_doubted."),
        *("scores_of_no_trial", "repeated_trials", "list_of_labels", "one_is_bona_fide", "one_species", "large"),
        *("gallery_from_lists", "unlisted_mates", "best_of_several", "column.chosen", "doubtful_bytes"),
        *("arrays_left_out", "dangling_links", "own_subjects_left_out", "shifted", "calibrated", "no_mask", "no_key"),
        "decimal_commas",
    )
)


def verification(evaluations: Sequence[ScoreEvaluation], content: ReportContent) -> Part:
    """Everything about the 1:1 comparisons of one or several systems."""
    every, several = evaluations, len(evaluations) > 1
    shown_ones, best_by = leading(evaluations) if content.brief and several else (evaluations, "")
    names = MeasureNames.of(VERIFICATION, content.vocabulary)
    kept = say(f"comparison.{'best' if best_by else 'first'}", every=len(every), n=len(shown_ones), measure=best_by)
    some = [Subject(kept)] if len(shown_ones) < len(every) else []
    about = {each: each.name if len(shown_ones) > 1 else "" for each in shown_ones}
    verdicts = [replace(said, about=about[each]) for each in shown_ones for said in _verdicts(each, content)]
    banded = not content.brief and any(_judged(each) for each in shown_ones)
    verdicts += [Sentence(say("verdict.bands.eer"))] if banded else []  # what the words stand for
    warnings = [replace(said, about=each.name) for each in shown_ones for said in _warnings(each, content)]
    folded = zip(every, content.folds, strict=bool(content.folds))
    warnings += [Sentence(text, each.name) for each, folds in folded if (text := skewed(each, folds))]
    different = unlike(every)
    return replace(
        evaluation_part(shown_ones, content),
        sections=(Section("verification", say("page.section.verification"), _blocks(shown_ones, content, names)),),
        sentences=tuple(map(Sentence, (*_summary(every, content), *rule_sentence(every)))),
        subjects=(*some, *(_subject(each) for each in shown_ones)),
        verdicts=tuple(verdicts),
        warnings=(*warnings, *([Sentence(different)] if different else [])),
        results=()
        if content.brief
        else tuple(each.to_dict() | samples_object(content, i) for i, each in enumerate(every)),
    )


def evaluation_part(evaluations: Sequence[AnyEvaluation], content: ReportContent) -> Part:
    """What evaluations of any kind say: their headline numbers and all of their measures."""
    first, asked = evaluations[0], content.vocabulary
    kind, shared = first.kind, shared_measures(evaluations)
    names = MeasureNames.of(first.measure_set, asked)
    tables = measures_tables(evaluations, shared, measure_names=names, id=f"measures-{kind}", brief=content.brief)
    known = kind in content.by_mode
    one = len(evaluations) == 1
    return Part(
        sections=(Section(kind, kind, tuple(tables)),),
        title=say(f"page.title.{kind}") if known else "",
        subjects=tuple(map(_any_subject, evaluations)),
        cards=cards(first, asked) if one else (),
        headline=None if one else headline_table(evaluations, asked),
        results=() if content.brief else tuple(each.to_dict() for each in evaluations),
    )


def _any_subject(evaluation: AnyEvaluation) -> Subject:
    """How many trials of each kind; not all trials have notes on how they were read."""
    counts = [say("figure.sized", name=name, n=number) for name, number in evaluation.counts.items()]
    return Subject(
        evaluation.name, (say("list.all", names=counts),), **notes_of(getattr(evaluation.trials, "notes", ()))
    )


def curves(evaluations: Sequence[CurveEvaluation], content: ReportContent) -> Part:
    """What error curves answer: rates at thresholds, of nobody knows how many comparisons."""
    part = evaluation_part(evaluations, content)
    subjects = []
    for each in evaluations:
        stated = each.trials.rule is not None
        rule = [say(f"terminal.alike.{each.rule.value}")] if stated else []
        known = notes_of((*([_accepted(each.rule)] if stated else []), *each.trials.notes))
        subjects.append(Subject(each.name, (*rule, say("terminal.no_counts")), **known))
    section = replace(part.sections[0], title=say("page.section.verification"))
    return replace(part, subjects=tuple(subjects), sections=(section,))


def shared_measures(evaluations: Sequence[AnyEvaluation]) -> list[str]:
    """The measures that all of them answer."""
    return [name for name in evaluations[0] if all(name in evaluation.results for evaluation in evaluations)]


def samples_object(content: ReportContent, index: int) -> dict[str, object]:
    """What was asked about the samples and the people of one system, as plain values."""
    asked: dict[str, Sequence[Any]] = {"discard": content.discards, "people": content.people, "groups": content.groups}
    return {key: plain(each[index].to_dict()) for key, each in asked.items() if each}


def _verdicts(evaluation: ScoreEvaluation, content: ReportContent) -> list[Sentence]:
    results, intervals = evaluation.results, evaluation.intervals
    verdicts = decision(evaluation, content.use, per_day=bool(content.expected))
    if content.preset:
        lacking, asked = not_measurable(evaluation), content.preset.measures
        needs = [say("verdict.preset.lacking", name=name, needs=lacking[name]) for name in asked if name in lacking]
        verdicts.append(sentences(content.preset.verdict(results, intervals), *needs))
    judged = [verdict_of("EER", results["EER"].value, intervals.get("EER"))] if _judged(evaluation) else []
    return [*map(Sentence, verdicts), *(Sentence(text, level=Level.DETAIL) for text in judged)]


def _warnings(evaluation: ScoreEvaluation, content: ReportContent) -> list[Sentence]:
    """What to know before trusting the numbers; in brief less what stands in place of a number."""
    guarded = content.brief and not content.rates.names.intersection(not_measurable(evaluation))
    coarse = resolution(evaluation) if guarded else None
    levels = {text: Level.APPENDIX if text == coarse else Level.ANSWER for text in warnings_of(evaluation)}
    near = unreached(evaluation) if content.brief else None
    return [*(Sentence(text, level=level) for text, level in levels.items()), *([Sentence(near)] if near else [])]


def _judged(evaluation: ScoreEvaluation) -> bool:
    """Is there an EER, of enough comparisons to be called good or poor?"""
    few = min(evaluation.counts["mated"], evaluation.counts["nonmated"]) < FEWEST_JUDGED
    return "EER" in evaluation.results and not few


def _summary(evaluations: Sequence[ScoreEvaluation], content: ReportContent) -> list[Message]:
    mated, nonmated, failed = (spread(evaluations, kind) for kind in ("mated", "nonmated", "failed"))
    key = "page.summary.verification" if len(evaluations) == 1 else "page.summary.verification.many"
    summary = say(key, names=names_of(evaluations), n=len(evaluations), mated=mated, nonmated=nonmated)
    failures = [say("page.summary.failed", n=failed)] if any(each.counts["failed"] for each in evaluations) else []
    people = set() if content.brief else {people_in(each.trials) for each in evaluations}
    known = [say("page.summary.people", n=n) for n in people if n is not None and len(people) == 1]
    return [sentences(summary, *known, *failures)]


def rule_sentence(evaluations: Sequence[AnyEvaluation]) -> list[Message]:
    """Which scores are accepted, where that is the same for all."""
    rules = {evaluation.rule.value for evaluation in evaluations}
    return [say(f"page.rule.{rule}") for rule in rules] if len(rules) == 1 else []


def names_of(evaluations: Sequence[AnyEvaluation]) -> Message:
    """The names of systems; of many the first few."""
    return abridged([evaluation.name or say("page.unnamed") for evaluation in evaluations], NAMED)


def spread(evaluations: Sequence[AnyEvaluation], kind: str) -> Value:
    """A count that all systems share, or from the least to the most."""
    counts = [evaluation.counts[kind] for evaluation in evaluations]
    low, high = min(counts), max(counts)
    return low if low == high else say("number.ends", low=low, high=high)


def _subject(evaluation: ScoreEvaluation) -> Subject:
    counts, failed = evaluation.counts, evaluation.counts["failed"]
    facts = [say("terminal.comparisons", mated=counts["mated"], nonmated=counts["nonmated"])]
    facts += [say("terminal.failed", n=failed)] if failed else []
    facts += direction_facts(evaluation)
    known = notes_of((_accepted(evaluation.rule), *evaluation.trials.notes))
    return Subject(evaluation.name or say("inspection.scores"), tuple(facts), **known)


def direction_facts(evaluation: AnyEvaluation) -> list[Message]:
    """Which scores are more alike, where no matcher is named, which says it."""
    notes = (note for note in evaluation.trials.notes if isinstance(note, Message))
    named = any(note.key.startswith(MATCHER) for note in notes)
    return [] if named else [say(f"terminal.alike.{evaluation.rule.value}")]


def _accepted(rule: AcceptRule) -> Message:
    return say(f"terminal.accepted.{rule.value}", sign=rule.sign)


def notes_of(notes: Sequence[Text]) -> dict[str, tuple[Text, ...]]:
    """The notes on a subject: what was left out or assumed apart from the others."""
    always = [note for note in notes if isinstance(note, Message) and note.key.startswith(SHOWN_NOTES)]
    return {"notes": note_lines([note for note in notes if note not in always]), "always": note_lines(always)}


def note_lines(notes: Sequence[Text]) -> tuple[Text, ...]:
    """What was understood: the phrases one after the other in a line, and the sentences in the next."""
    phrases = [note for note in notes if isinstance(note, str) or note.key.startswith(PHRASES)]
    others = [note for note in notes if not isinstance(note, str) and not note.key.startswith(PHRASES)]
    return (*([chained(phrases)] if phrases else []), *([sentences(*others)] if others else []))


def _blocks(evaluations: Sequence[ScoreEvaluation], content: ReportContent, names: MeasureNames) -> tuple[Block, ...]:
    blocks: list[Block] = []
    expected = _at_measures(evaluations, content, names)
    if not content.brief:
        link = "scores" if content.same_scores else ""
        use = use_on_page(content.use, EXAMPLE, say("page.use.example"))
        systems = _systems(evaluations, content, names)
        expected = _at_marks(systems)
        blocks += explorer_blocks(say("page.explore.verification"), systems, names=names, link=link, **use)
    apart = set(content.rates.names)
    if content.short and is_usual(evaluations):
        blocks += answer_tables(evaluations, names, points=not content.rates.at)
        apart |= ANSWERED | {least_cost(evaluations[0])}
    measures = [name for name in evaluations[0] if name not in apart]
    blocks += measures_tables(evaluations, measures, measure_names=names, id="measures", brief=content.brief)
    if content.rates.at:
        blocks += [_rates(each, content, names, id=f"rates-{i}") for i, each in enumerate(evaluations)]
    used = content.use is not None and content.use.has_attempts
    blocks += [_expected(expected, content.use, names)] if content.use and used and expected else []
    blocks += [_development(judged, names, id=f"development-{i}") for i, judged in enumerate(content.development)]
    blocks += [Paragraphs.of(_folds(content))] if content.folds else []
    return tuple(blocks)


def _systems(
    evaluations: Sequence[ScoreEvaluation], content: ReportContent, names: MeasureNames
) -> list[ExplorerSystem]:
    each, bands = points_each(len(evaluations)), content.bands_in("verification")
    return [
        replace(
            explorer_system(evaluation, marked(evaluation, names), points=each), shade=shaded_band(known.get("det"))
        )
        for evaluation, known in zip(evaluations, bands, strict=False)
    ]


def marked(
    evaluation: AnyEvaluation, measure_names: MeasureNames = MEASURE_NAMES, always: Sequence[str] = ALWAYS
) -> dict[str, float]:
    """The thresholds of all operating points by a short name, in the user's units."""
    named = {measure_names.point(name): evaluation[name].threshold for name in (*always, *evaluation)}
    return {name: float(t) for name, t in named.items() if t is not None and not math.isnan(t)}


def _rates(evaluation: ScoreEvaluation, content: ReportContent, names: MeasureNames, *, id: str) -> Table:
    """One row an x, as the course script prints it: both thresholds and both rates."""
    key = "terminal.targets.nearest" if content.rates.nearest else "terminal.targets.at_most"
    at_fnmr, fmrs, at_fmr, fnmrs = map(names.heading, ("FNMR=x", "FMR(FNMR=x)", "FMR=x", "FNMR(FMR=x)"))
    thresholds = [say("terminal.threshold_at", point=point) for point in (at_fnmr, at_fmr)]
    rows = []
    for x, pair in zip(content.rates.at, content.rates.pairs, strict=True):
        cells: list[Cell] = []
        for name in pair:
            ends = shown(evaluation.intervals.get(name), Unit.RATE)
            cells.append(threshold_cell(evaluation[name].threshold, evaluation, name))
            cells.append(replace(estimate_cell(evaluation, name), note=(ends,) if ends else ()))
        rows.append((Cell(f"{x:g}", key=x), *cells))
    return Table.under(
        ("x", thresholds[0], fmrs, thresholds[1], fnmrs), rows, id=id, caption=content.titled(evaluation, say(key))
    )


ZERO = ("ZeroFMR", "ZeroFNMR")  # no operating points that anybody sets
Attempts = tuple[str, Text, Cell, float, float]  # system, operating point, threshold, FAR and FRR


def _expected(rows: Sequence[Attempts], use: DailyUse, names: MeasureNames) -> Table:
    """Errors a day at each operating point of each system, failures counted in."""
    several = len({system for system, *_ in rows}) > 1
    heads = ["system"] * several + ["point", "threshold", "FAR", "FRR", "accepts", "rejects"]
    heads += ["cost"] if use.has_costs else []  # never one that nobody gave
    called = [names.heading(head) if head.isupper() else say(f"page.expected.{head}") for head in heads]
    attempts: dict[str, Value] = {
        "genuine": shown(use.genuine or 0.0, Unit.AMOUNT),
        "impostor": shown(use.impostor or 0.0, Unit.AMOUNT),
    }
    cells = [_expected_row(row, use)[not several :] for row in rows]
    caption = say("page.expected.caption", **attempts)
    costs: dict[str, Value] = {
        "accept": shown(use.cost_accept or 0.0, Unit.AMOUNT),
        "reject": shown(use.cost_reject or 0.0, Unit.AMOUNT),
    }
    notes = [say("page.expected.costs", **costs)] if use.has_costs else []
    return Table.under(called, cells, notes, id="expected", caption=caption, names=1 + several)


def _expected_row(row: Attempts, use: DailyUse) -> tuple[Cell, ...]:
    from bertillon.analysis.in_use import forecast

    system, point, threshold, far, frr = row
    errors = forecast(far, frr, genuine=use.genuine or 0.0, impostor=use.impostor or 0.0)
    cost = (use.cost_accept or 0.0) * errors.false_accepts + (use.cost_reject or 0.0) * errors.false_rejects
    rates = (Cell(rate, Unit.RATE) for rate in (far, frr))
    expected = (errors.false_accepts, errors.false_rejects, *([cost] if use.has_costs else []))
    amounts = (Cell(amount, Unit.AMOUNT) for amount in expected)
    return Cell(system), Cell(point), threshold, *rates, *amounts


def _at_marks(systems: Sequence[ExplorerSystem]) -> list[Attempts]:
    """Attempts at every named point of the page."""
    rows: list[Attempts] = []
    for system in systems:
        counts = {"mated": int(system.n_mated), "nonmated": int(system.n_nonmated)}
        failures = Failures(system.failed_mated, system.failed_nonmated)
        for mark in system.marks:
            wrong = system.false_match[mark.row], system.false_nonmatch[mark.row]
            t = system.threshold[mark.row]
            cell = Cell(threshold_text(t, AcceptRule.of(system.rule)), key=t)
            rows.append((system.name, mark.name, cell, *attempt_rates(*wrong, counts=counts, failures=failures)))
    return rows


def _at_measures(evaluations: Sequence[ScoreEvaluation], content: ReportContent, names: MeasureNames) -> list[Attempts]:
    """Attempts at the points that were asked for."""
    short = content.short and is_usual(evaluations)
    found: list[Attempts] = []
    for each, rows in zip(content.verification, content.expected, strict=False):
        cheapest, hidden = least_cost(each), {*ZERO, *not_measurable(each)} if short else set()
        for row in rows if each in evaluations else ():
            point = (
                say("terminal.answer.cheapest") if content.short and row.point == cheapest else names.measure(row.point)
            )
            if row.point not in hidden:
                found.append((each.name, point, threshold_cell(row.threshold, each, row.point), row.far, row.frr))
    return found


def _development(judged: DevelopmentResult, names: MeasureNames, *, id: str) -> Table:
    """What thresholds fixed on other scores give here, a row a criterion, each rate over its interval."""
    heads: tuple[Text, ...] = (
        say("page.expected.point"),
        say("page.threshold"),
        *(names.heading(rate) for rate in ("FMR", "FNMR", "HTER")),
    )
    rows = []
    for point in judged.thresholds:
        at = threshold_text(point.threshold, judged.evaluation.rule)
        measured = (point.evaluation.fmr, point.evaluation.fnmr, point.evaluation.hter)
        first = (Cell(names.measure(point.criterion), key=point.criterion), Cell(at, key=point.threshold))
        rows.append((*first, *map(measured_cell, measured)))
    there = judged.development.name or say("terminal.development.there")
    here = judged.evaluation.name or say("terminal.development.here")
    return Table.under(heads, rows, id=id, caption=say("page.development.caption", there=there, here=here))


def measured_cell(measured: Measured, unit: Unit = Unit.RATE) -> Cell:
    """A number with its interval under it."""
    ends = shown(measured.interval, unit)
    return replace(Cell.estimate(measured.result, measured.interval, unit), note=(ends,) if ends else ())


def _folds(content: ReportContent) -> list[Message]:
    """Accuracy over folds, a sentence a system."""
    return [
        say(
            "page.folds",
            name=evaluation.name or say("page.unnamed"),
            n=len(folds.accuracies),
            mean=f"{folds.mean:.4f}",
            error=f"{folds.standard_error:.4f}",
        )
        for evaluation, folds in zip(content.verification, content.folds, strict=True)
    ]


register_view(Evaluation, evaluation_part)
register_view(Evaluation, verification, kind="verification")
register_view(Evaluation, curves, kind="curve")
