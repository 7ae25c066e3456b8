"""The terminal view of a verification: what was understood, one table, and verdicts in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.advice.paired import comparison_sentences, leading, shown_systems
from bertillon.advice.verdicts import Preset, eer_verdict
from bertillon.advice.vocabulary import Vocabulary
from bertillon.advice.warnings import skewed, unlike, warnings_of
from bertillon.analysis.in_use import Expected
from bertillon.core.messages import Message, Value, say, spoken
from bertillon.core.rule import AcceptRule
from bertillon.evaluation import CurveEvaluation, ScoreEvaluation
from bertillon.matching.protocol.runs import FoldAccuracy
from bertillon.measures import Result
from bertillon.render.console import Text
from bertillon.render.interval_notes import interval_lines
from bertillon.render.tables import MEASURE, THRESHOLD, answers_table, named, note_lines, plain_table, warned
from bertillon.views.numbers import amount, percent, threshold_text, value_text
from bertillon.views.vocabulary import heading, shown_name


def verification_text(
    evaluations: Sequence[ScoreEvaluation],
    *,
    targets: Sequence[float] = (),
    nearest: bool = False,
    preset: Preset | None = None,
    vocabulary: Vocabulary = Vocabulary.BIOMETRIC,
) -> Group:
    """Everything about one or several systems, ready to print; of very many only about the best."""
    every, (evaluations, best_by) = evaluations, leading(evaluations)
    shown = [name for name in evaluations[0] if name not in _target_names(targets, nearest)]
    parts: list[RenderableType] = [_some(every, evaluations, best_by)] if len(evaluations) < len(every) else []
    parts += [_heading(evaluation) for evaluation in evaluations]
    if shown:
        parts.append(answers_table(evaluations, shown, vocabulary=vocabulary))
    if targets:
        many = len(evaluations) > 1
        parts += [
            _targets(evaluation, targets, nearest, many=many, vocabulary=vocabulary) for evaluation in evaluations
        ]
    parts += interval_lines(evaluations)
    texts = [_verdicts_and_warnings(evaluation, preset, many=len(evaluations) > 1) for evaluation in evaluations]
    parts += [text for text in texts if text]
    if len(evaluations) > 1:
        parts.append(Text("\n".join(map(spoken, comparison_sentences(evaluations)))))
    if different := unlike(every):
        parts.append(Text(warned(different), style="yellow"))
    return Group(*parts)


def curve_text(evaluations: Sequence[CurveEvaluation], *, vocabulary: Vocabulary = Vocabulary.BIOMETRIC) -> Group:
    """What error curves answer, ready to print."""
    parts: list[RenderableType] = []
    for evaluation in evaluations:
        lines = Text(evaluation.name, style="bold")
        if evaluation.trials.rule is not None:
            _add_line(lines, _accepted(evaluation.rule), "")
        for note in (*note_lines(evaluation.trials.notes), say("terminal.no_counts")):
            _add_line(lines, note, "dim")
        parts.append(lines)
    parts.append(answers_table(evaluations, list(evaluations[0]), vocabulary=vocabulary))
    return Group(*parts)


def _some(every: Sequence[ScoreEvaluation], shown: Sequence[ScoreEvaluation], best_by: str) -> Text:
    return Text(f"{spoken(shown_systems(len(every), len(shown), best_by))}\n", style="yellow")


def comparison_with_truth(evaluation: ScoreEvaluation, truth: Mapping[str, float]) -> Table:
    """Measured beside true, for scores whose distribution is known."""
    table = plain_table(say("terminal.truth"), MEASURE, say("terminal.truth.measured"), say("terminal.truth.true"))
    for name, value in truth.items():
        table.add_row(Text(name), value_text(name, evaluation[name]), value_text(name, Result(value)))
    return table


def fold_text(accuracy: FoldAccuracy, evaluation: ScoreEvaluation) -> Text:
    """Accuracy over folds, with the standard error of its mean."""
    folds, error = len(accuracy.accuracies), accuracy.standard_error
    text = Text(say("terminal.folds", n=folds, mean=accuracy.mean, error=error))
    warning = skewed(evaluation, accuracy)
    return text.append(f"\n{spoken(warned(warning))}", style="yellow") if warning else text


def forecast_text(
    expected: Sequence[Expected], volume: str, system: str, *, vocabulary: Vocabulary = Vocabulary.BIOMETRIC
) -> Table:
    """The forecast for a volume of attempts, one row an operating point."""
    rates = [heading(name, vocabulary) for name in ("FAR", "FRR")]
    counts = say("terminal.forecast.accepts"), say("terminal.forecast.rejects")
    title = say("terminal.forecast", volume=volume, system=system)
    table = plain_table(title, say("page.expected.point"), THRESHOLD, *rates, *counts)
    table.columns[0].no_wrap = False
    for row in expected:
        table.add_row(
            Text(shown_name(row.point, vocabulary)),
            threshold_text(row.threshold),
            percent(row.far),
            percent(row.frr),
            amount(row.false_accepts),
            amount(row.false_rejects),
        )
    return table


def _heading(evaluation: ScoreEvaluation) -> RenderableType:
    lines = Text(evaluation.name or say("inspection.scores"), style="bold")
    counts: dict[str, Value] = dict(evaluation.counts)
    _add_line(lines, say("terminal.comparisons", **counts), "not bold")
    _add_line(lines, _accepted(evaluation.rule), "not bold")
    for note in note_lines(evaluation.trials.notes):
        _add_line(lines, note, "not bold dim")
    return lines


def _accepted(rule: AcceptRule) -> Message:
    return say(f"terminal.accepted.{rule.value}", sign=rule.sign)


def _add_line(lines: Text, line: Message | str, style: str) -> None:
    lines.append(f"\n  {spoken(line)}", style=style)


def _targets(
    evaluation: ScoreEvaluation, targets: Sequence[float], nearest: bool, *, many: bool, vocabulary: Vocabulary
) -> RenderableType:
    """One row an x, as the course script prints it: both thresholds and both rates."""
    title = say("terminal.targets.nearest" if nearest else "terminal.targets.at_most")
    shown = say("terminal.of_system", what=title, system=evaluation.name) if many else title
    columns = (heading(column, vocabulary) for column in ("FNMR=x", "FMR(FNMR=x)", "FMR=x", "FNMR(FMR=x)"))
    at_fnmr, fmrs, at_fmr, fnmrs = columns
    thresholds = (say("terminal.threshold_at", point=point) for point in (at_fnmr, at_fmr))
    table = plain_table(shown, "x", next(thresholds), fmrs, next(thresholds), fnmrs)
    for x, (fmr_name, fnmr_name) in zip(targets, _pairs(targets, nearest), strict=True):
        fmr, fnmr = evaluation[fmr_name], evaluation[fnmr_name]
        table.add_row(
            f"{x:g}",
            threshold_text(fmr.threshold, evaluation.rule),
            value_text(fmr_name, fmr, evaluation.intervals.get(fmr_name)),
            threshold_text(fnmr.threshold, evaluation.rule),
            value_text(fnmr_name, fnmr, evaluation.intervals.get(fnmr_name)),
        )
    return Padding(table, (0, 0, 1, 0))


def _verdicts_and_warnings(evaluation: ScoreEvaluation, preset: Preset | None, *, many: bool) -> Text:
    lines = Text()
    about = evaluation.name if many else ""
    results, intervals = evaluation.results, evaluation.intervals
    verdicts = [eer_verdict(results["EER"].value, intervals.get("EER"))] if "EER" in results else []
    verdicts += [preset.verdict(results, intervals)] if preset else []
    for verdict in verdicts:
        lines.append(f"{spoken(named(verdict, about))}\n", style="bold")
    for warning in warnings_of(evaluation):
        lines.append(f"{spoken(warned(warning, about))}\n", style="yellow")
    return lines


def target_measures(targets: Sequence[float], nearest: bool) -> list[str]:
    """The measures behind the table of targets."""
    return [name for pair in _pairs(targets, nearest) for name in pair]


def _pairs(targets: Sequence[float], nearest: bool) -> list[tuple[str, str]]:
    variant = "[nearest]" if nearest else ""
    return [(f"FMR{variant}@FNMR={x!r}", f"FNMR{variant}@FMR={x!r}") for x in targets]


def _target_names(targets: Sequence[float], nearest: bool) -> set[str]:
    from bertillon.measures import parse_all

    return {str(measure) for measure in parse_all(target_measures(targets, nearest))}
