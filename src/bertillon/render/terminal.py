"""The terminal view of a verification: what was understood, one table, and verdicts in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon.advice.comparing import comparison_sentences, leading, shown_systems
from bertillon.advice.mistakes import skewed, unlike
from bertillon.advice.presets import Preset
from bertillon.advice.verdicts import eer_verdict
from bertillon.advice.vocabulary import Vocabulary
from bertillon.advice.warnings import warnings_of
from bertillon.analysis.in_use import Expected
from bertillon.evaluation import Evaluation
from bertillon.evaluation.from_curve import CurveEvaluation
from bertillon.matching.protocol.folds import FoldAccuracy
from bertillon.measures import Result
from bertillon.render.console import Text
from bertillon.render.interval_notes import interval_lines
from bertillon.render.tables import answers_table, plain_table
from bertillon.views.numbers import amount, percent, threshold_text, value_text
from bertillon.views.vocabulary import heading, shown_name


def verification_text(
    evaluations: Sequence[Evaluation],
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
        parts.append(Text("\n".join(map(str, comparison_sentences(evaluations)))))
    if different := unlike(every):
        parts.append(Text(f"warning: {different}", style="yellow"))
    return Group(*parts)


def curve_text(evaluations: Sequence[CurveEvaluation], *, vocabulary: Vocabulary = Vocabulary.BIOMETRIC) -> Group:
    """What error curves answer, ready to print."""
    parts: list[RenderableType] = []
    for evaluation in evaluations:
        lines = Text(evaluation.name, style="bold")
        if evaluation.curve.rule is not None:
            lines.append(f"\n  {evaluation.rule.value}: accepted when score {evaluation.rule.sign} threshold", style="")
        lines.append(f"\n  {'; '.join(map(str, evaluation.curve.notes))}", style="dim")
        lines.append("\n  no counts and no intervals: the number of comparisons is unknown", style="dim")
        parts.append(lines)
    parts.append(answers_table(evaluations, list(evaluations[0]), vocabulary=vocabulary))
    return Group(*parts)


def _some(every: Sequence[Evaluation], shown: Sequence[Evaluation], best_by: str) -> Text:
    return Text(f"{shown_systems(len(every), len(shown), best_by)}\n", style="yellow")


def comparison_with_truth(evaluation: Evaluation, truth: Mapping[str, float]) -> Table:
    """Measured beside true, for scores whose distribution is known."""
    table = plain_table("simulated, so the truth is known", "measure", "measured", "true")
    for name, value in truth.items():
        table.add_row(Text(name), value_text(name, evaluation[name]), value_text(name, Result(value)))
    return table


def fold_text(accuracy: FoldAccuracy, evaluation: Evaluation) -> Text:
    """Accuracy over folds, with the standard error of its mean."""
    text = Text(
        f"accuracy over {len(accuracy.accuracies)} folds: {accuracy.mean:.4f} +/- {accuracy.standard_error:.4f} "
        "(the threshold of each fold is the best one on the other folds)"
    )
    warning = skewed(evaluation, accuracy)
    return text.append(f"\nwarning: {warning}", style="yellow") if warning else text


def forecast_text(expected: Sequence[Expected], title: str, *, vocabulary: Vocabulary = Vocabulary.BIOMETRIC) -> Table:
    """The forecast for a volume of attempts, one row an operating point."""
    rates = [heading(name, vocabulary) for name in ("FAR", "FRR")]
    table = plain_table(title, "operating point", "threshold", *rates, "false accepts", "false rejects")
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


def _heading(evaluation: Evaluation) -> RenderableType:
    counts, rule = evaluation.counts, evaluation.rule
    lines = Text()
    lines.append(evaluation.name or "scores", style="bold")
    lines.append(
        f"\n  {counts['mated']:,} mated (genuine), {counts['nonmated']:,} non-mated (impostor), "
        f"{counts['failed']:,} failed\n  {rule.value}: accepted when score {rule.sign} threshold",
    )
    if evaluation.scores.notes:
        notes = (str(note).removesuffix(".") for note in evaluation.scores.notes)  # in one line, sentences or not
        lines.append(f"\n  {'; '.join(notes)}", style="dim")
    return lines


def _targets(
    evaluation: Evaluation, targets: Sequence[float], nearest: bool, *, many: bool, vocabulary: Vocabulary
) -> RenderableType:
    """One row an x, as the course script prints it: both thresholds and both rates."""
    sign = "nearest" if nearest else "at most"
    title = f"rates at x ({sign} x)" + (f", {evaluation.name}" if many else "")
    columns = ("threshold FNMR=x", "FMR(FNMR=x)", "threshold FMR=x", "FNMR(FMR=x)")
    table = plain_table(title, "x", *(heading(column, vocabulary) for column in columns))
    for x, (fmr_name, fnmr_name) in zip(targets, _pairs(targets, nearest), strict=True):
        fmr, fnmr = evaluation[fmr_name], evaluation[fnmr_name]
        table.add_row(
            f"{x:g}",
            threshold_text(fmr.threshold, evaluation.rule),
            value_text(fmr_name, fmr),
            threshold_text(fnmr.threshold, evaluation.rule),
            value_text(fnmr_name, fnmr),
        )
    return Padding(table, (0, 0, 1, 0))


def _verdicts_and_warnings(evaluation: Evaluation, preset: Preset | None, *, many: bool) -> Text:
    lines = Text()
    prefix = f"{evaluation.name}: " if many else ""
    if "EER" in evaluation.results:
        lines.append(f"{prefix}{eer_verdict(evaluation.results['EER'].value)}\n", style="bold")
    if preset:
        lines.append(f"{prefix}{preset.verdict(evaluation.results)}\n", style="bold")
    for warning in warnings_of(evaluation):
        lines.append(f"warning: {prefix}{warning}\n", style="yellow")
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
