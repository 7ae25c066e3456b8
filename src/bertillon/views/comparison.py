"""Systems set against each other: tested differences, and who is better at which FMR.

Conventions: a table for each pair of systems that was tested, under it what it means in words. A value that an
evaluation of the same document holds too has the digits of its interval there.

Holds the views of `Comparison`, of `Versus` and of `SideBySide`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from bertillon.advice.paired import (
    brief_sentences,
    comparison_sentence,
    comparison_sentences,
    difference_text,
    fold_sentence,
    leading,
    verdict_sentences,
    versus_warnings,
)
from bertillon.analysis.leads import compare_curves, ranking_at
from bertillon.core.messages import Message, Text, Value, joined, say, sentences
from bertillon.evaluation import AnyEvaluation, Comparison, ScoreEvaluation
from bertillon.measures import VERIFICATION, Result
from bertillon.stats import Difference, Settings, Versus
from bertillon.stats.interval import LEVEL, independent
from bertillon.stats.paired_tests import Check
from bertillon.views.assembling import Part, ReportContent, SideBySide, document_of, in_short, register_view
from bertillon.views.document import Block, Cell, Level, Paragraphs, Section, Sentence, Table
from bertillon.views.measures import MEASURE, SYSTEM, MeasureNames, interval_column, quoted
from bertillon.views.numbers import Estimate, Unit
from bertillon.views.verdicts import Asked, in_order, overview

FMRS = (0.1, 0.01, 0.001, 0.0001, 0.0)
TITLE = say("page.section.comparison")


def tested(pairs: Sequence[Versus], content: ReportContent) -> Part:
    """Every pair of systems: its table, then what it means in words."""
    settings = content.settings or next((each.settings for each in content.evaluations if each.settings), None)
    if content.brief:
        return _briefly(pairs, content, settings)
    alone = len(pairs) == 1  # whose verdicts stand at the top of the page
    names = MeasureNames.of(VERIFICATION, content.vocabulary).measure if content.verification else str
    known = {(each.name, name): sure for each in content.evaluations for name, sure in each.intervals.items()}
    asked = Asked(names, known)
    blocks = overview(pairs, asked)
    shared: list[Block] = []
    for index, versus in enumerate(pairs):
        table, *facts = _pair(versus, content, id=f"tested-{index}")
        same = index > 0 and facts == shared  # what the pair before has said is not said again
        blocks += [table] if same else [table, *facts]
        shared = facts
        said = [] if alone else verdict_sentences(versus)
        verdicts = [quoted(sentence, content.evaluations) for sentence in said]
        verdicts += [fold_sentence(fold, versus) for fold in content.fold_differences[index : index + 1]]
        blocks += [Paragraphs.of(verdicts, listed=True)] if verdicts else []
        checks = [_check(check, versus) for check in versus.checks if not versus.identical]
        blocks += [Paragraphs.of(checks, quiet=True)] if checks else []
    blocks += [Paragraphs.of([_how(pairs, settings)], quiet=True)] if settings else []
    warnings = versus_warnings(pairs, settings) if settings else []
    section = Section("comparison", TITLE, tuple(blocks))
    title, sentences = say("page.title.comparison"), tuple(map(Sentence, warnings))
    at_top = tuple(map(Sentence, _at_top(pairs, asked)))
    return Part(title, sections=(section,), verdicts=at_top, warnings=sentences)


def _at_top(pairs: Sequence[Versus], asked: Asked) -> list[Message]:
    """The verdict on one pair; of several systems who is the best, or each against the first."""
    if len(pairs) == 1:
        return list(verdict_sentences(pairs[0]))
    ranked = in_order(pairs, asked)
    return ranked[1] if ranked else [said for versus in pairs for said in brief_sentences(versus)]


def _briefly(pairs: Sequence[Versus], content: ReportContent, settings: Settings | None) -> Part:
    """A verdict for each pair and its table; every sentence, and how they were tested, where that is explained."""
    curves = {each.name: each.tally.curve for each in content.behind if each.kind == "verification"}
    known = [*content.evaluations, *content.behind]
    verdicts: list[Sentence] = []
    names = MeasureNames.of(VERIFICATION, content.vocabulary).measure if content.verification else str
    sure = {(each.name, name): ends for each in known for name, ends in each.intervals.items()}
    ranked = in_order(pairs, Asked(names, sure))
    together = ranked is not None or _against_one(pairs)
    blocks: list[Block] = [] if ranked else [*_by_measure(pairs, content)] if together else []
    if ranked:
        blocks, verdicts = [ranked[0]], [Sentence(said) for said in ranked[1]]
    behind = ranked and all(each.margin is None for versus in pairs for each in versus.differences)
    level = (
        Level.DETAIL if behind else Level.ANSWER
    )  # pairs stand behind the order of all, unless a margin was asked for
    notes: dict[Block, None] = {}  # under the tables of several pairs each once
    for index, versus in enumerate(pairs):
        verdicts += (Sentence(said, level=level) for said in brief_sentences(versus))
        verdicts += [Sentence(fold_sentence(fold, versus)) for fold in content.fold_differences[index : index + 1]]
        named = {name: curves[name] for name in (versus.first, versus.second) if name in curves}
        leads = compare_curves(named) if len(named) > 1 else []
        verdicts += (Sentence(in_short(text) or text, level=level) for text in map(comparison_sentence, leads))
        table, *facts = _pair(versus, content, id=f"tested-{index}")
        said = [quoted(sentence, known) for sentence in verdict_sentences(versus)]
        checks = [_check(check, versus) for check in versus.checks if not versus.identical]
        explained = Paragraphs.of([*said, *checks], listed=True, level=Level.APPENDIX)
        blocks += [explained] if together else [table, explained, *facts]
        notes |= dict.fromkeys(facts if together else ())
    blocks += notes
    blocks += [Paragraphs.of([_how(pairs, settings)], quiet=True, level=Level.APPENDIX)] if settings else []
    warnings = versus_warnings(pairs, settings) if settings else []
    return Part(
        "" if content.evaluations else TITLE,
        sections=(Section("comparison", TITLE, tuple(blocks)),),
        verdicts=tuple(verdicts),
        warnings=tuple(map(Sentence, warnings)),
    )


def _against_one(pairs: Sequence[Versus]) -> bool:
    """Are several systems held against one, whose values are the same in every pair?"""
    values = {(v.first, tuple((d.measure, d.first_value) for d in v.differences)) for v in pairs}
    return len(pairs) > 1 and len(values) == 1


def _by_measure(pairs: Sequence[Versus], content: ReportContent) -> list[Table]:
    """A table for each measure, the systems its rows, the first of them that which the others are held against."""
    tables = []
    for place, first in enumerate(pairs[0].differences):
        rows = [_row(versus.differences[place], content) for versus in pairs]
        own = (Cell(first.first), rows[0][1], Cell(), Cell(), Cell())
        others = [(Cell(each.second), *row[2:]) for each, row in zip(pairs, rows, strict=True)]
        heads = [SYSTEM, say("page.value"), *_compared_heads(pairs)]
        caption = rows[0][0].shown
        tables.append(Table.under(heads, [own, *others], id=f"tested-{place}", caption=caption))
    return tables


def _compared_heads(pairs: Sequence[Versus]) -> list[Text]:
    """Over a difference, its interval and its p value."""
    differences = [difference for versus in pairs for difference in versus.differences]
    level = next((difference.interval.level for difference in differences), 0.95)
    adjusted = any(difference.tests > 1 for difference in differences)
    return [say("page.tested.difference"), interval_column(level), "p (Holm)" if adjusted else "p"]


def _pair(versus: Versus, content: ReportContent, *, id: str) -> list[Block]:
    """Every measure of a pair: both values, their difference, its interval and its p value."""
    heads: list[Text] = [MEASURE, versus.first, versus.second, *_compared_heads([versus])]
    rows = [_row(difference, content) for difference in versus.differences]
    how = say("paired.heading.paired", trials=versus.trials, how=versus.how)
    facts = [how if versus.paired else say("paired.heading.unpaired")]
    caption = say("paired.heading", first=versus.first, second=versus.second)
    level = Level.APPENDIX if content.brief else Level.ANSWER
    about = [Paragraphs.of(facts, quiet=True, level=level), Paragraphs.of(versus.notes, quiet=True)]
    return [Table.under(heads, rows, id=id, caption=caption), *(block for block in about if block.sentences)]


def _row(difference: Difference, content: ReportContent) -> tuple[Cell, ...]:
    names = MeasureNames.of(VERIFICATION, content.vocabulary) if content.verification else None
    unit, interval = Unit(difference.shown_as), difference.interval
    values = ((difference.first, difference.first_value), (difference.second, difference.second_value))
    known = {each.name: each for each in (*content.behind, *content.evaluations)}
    change: Text = difference_text(difference, difference.difference)
    if change and unit is Unit.RATE:
        change = say("terminal.points", difference=change)
    low, high = (difference_text(difference, end) for end in (interval.low, interval.high))
    p_value = None if math.isnan(difference.p) else difference.adjusted_p
    called = names.measure(difference.measure) if names else difference.measure
    return (
        Cell(called, key=difference.measure),
        *(Cell(_measured(difference.measure, value, known.get(system)), unit) for system, value in values),
        Cell(change, key=difference.difference),
        Cell(say("number.ends", low=low, high=high) if low and high else "", key=interval.low if low else None),
        Cell(p_value, Unit.P_VALUE),
    )


def _measured(measure: str, value: float, evaluation: AnyEvaluation | None) -> Estimate:
    """A value that was tested with what is known of it, which is of all trials: the tested ones may be fewer."""
    if evaluation is None or measure not in evaluation.results:
        return Estimate(Result(value))
    result = evaluation.results[measure]
    return Estimate(result if result.value == value else Result(value), evaluation.intervals.get(measure))


def _check(check: Check, versus: Versus) -> Message:
    about: dict[str, Value] = {
        "test": check.test,
        "measure": check.measure,
        "assumed": say("paired.check.independent") if check.naive else check.method,
        "outcome": check.reason if math.isnan(check.p) else say("paired.check.p", p=check.p),
    }
    if check.wrong is None:
        return say("paired.check", **about)
    earlier, later = check.wrong
    names = {"first": versus.first, "second": versus.second}
    return say("paired.check.wrong", earlier=earlier, later=later, **about, **names)


def _how(pairs: Sequence[Versus], settings: Settings) -> Message:
    units = dict.fromkeys(say("paired.how.units", n=versus.n_units, unit=versus.unit) for versus in pairs)
    tests = max((difference.tests for versus in pairs for difference in versus.differences), default=0)
    how = say("paired.how", resamples=settings.resamples, units=joined(list(units)), seed=settings.seed)
    return sentences(how, say("paired.how.adjusted", tests=tests)) if tests > 1 else how


def side_by_side(found: Sequence[SideBySide], content: ReportContent) -> Section:
    """Every pair of systems over all false match rates, and all of them at a few."""
    evaluations = found[0].evaluations
    names = MeasureNames.of(VERIFICATION, content.vocabulary)
    ranking = [_ranking(evaluations, names, tested=bool(content.versus))]
    if len({evaluation.name for evaluation in evaluations}) < len(evaluations):
        return Section("comparison", TITLE, tuple(ranking))  # systems of one name cannot be told apart in a sentence
    some, best_by = leading(evaluations)
    compared: list[Text] = [*comparison_sentences(some)]
    if len(some) < len(evaluations):
        measure = names.measure(best_by) if best_by else "-"
        compared.insert(0, say("page.comparison.some", n=len(some), all=len(evaluations), measure=measure))
    return Section("comparison", TITLE, (Paragraphs.of(compared, listed=True), *ranking))


def _ranking(evaluations: Sequence[ScoreEvaluation], names: MeasureNames, *, tested: bool) -> Table:
    """FNMR of every system at a few FMR, the lowest of each marked."""
    least = max(1.0 / max(evaluation.counts["nonmated"], 1) for evaluation in evaluations)
    measures = {f"FNMR@FMR={fmr:g}" if fmr else "ZeroFMR": fmr for fmr in FMRS if fmr == 0.0 or fmr >= least}
    rows = [[_ranked(evaluation, *at) for at in measures.items()] for evaluation in evaluations]
    best = [min(cell.exact or 0.0 for cell in column) for column in zip(*rows, strict=True)]
    marked = [
        (Cell(evaluation.name), *(replace(cell, best=cell.exact == low) for cell, low in zip(row, best, strict=True)))
        for evaluation, row in zip(evaluations, rows, strict=True)
    ]
    heads: list[Text] = [SYSTEM, *map(names.measure, measures)]
    note = say("page.comparison.note" if tested else "page.comparison.untested")
    return Table.under(heads, marked, [note], id="ranking", caption=say("page.comparison.caption"))


def _ranked(evaluation: ScoreEvaluation, name: str, fmr: float) -> Cell:
    """A rate to the digits of its interval; of one that was not asked for, to those that its comparisons support."""
    rate, sure = ranking_at({evaluation.name: evaluation.tally.curve}, fmr)[0][1], evaluation.intervals.get(name)
    if sure is None and evaluation.intervals and rate > 0.0:
        mated = evaluation.counts["mated"]
        sure = independent(round(rate * mated), mated, LEVEL)
    return Cell(Estimate(Result(rate), sure), Unit.RATE)


def compared(found: Sequence[Comparison], content: ReportContent) -> Part:
    """Every pair of the comparisons, with the settings of their tests, and the systems behind them."""
    evaluations = [evaluation for each in found for evaluation in each.evaluations]
    pairs = [pair for each in found for pair in each.pairs]
    whole = replace(ReportContent.of(evaluations, pairs), settings=found[0].settings, level=content.level)
    return replace(tested(pairs, whole), title=TITLE) if content.brief else document_of(whole, content.level)


register_view(Comparison, compared)
register_view(Versus, tested)
register_view(SideBySide, side_by_side)
