"""The terminal view of a verification: what was understood, one table, and verdicts in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bertillon.advice.presets import Preset
from bertillon.advice.verdicts import eer_verdict
from bertillon.advice.warnings import warnings_of
from bertillon.evaluation import Evaluation
from bertillon.measures import Result
from bertillon.report.in_use import Expected
from bertillon.report.numbers import errors_text, everyday_name, percent, threshold_text, value_text


def verification_text(
    evaluations: Sequence[Evaluation], *, targets: Sequence[float] = (), nearest: bool = False, preset: Preset | None
) -> Group:
    """Everything about one or several systems, ready to print."""
    shown = [name for name in evaluations[0] if name not in _target_names(targets, nearest)]
    parts: list[RenderableType] = [_heading(evaluation) for evaluation in evaluations]
    if shown:
        parts.append(_one_system(evaluations[0], shown) if len(evaluations) == 1 else _side_by_side(evaluations, shown))
    if targets:
        parts += [_targets(evaluation, targets, nearest, many=len(evaluations) > 1) for evaluation in evaluations]
    parts += [_words(evaluation, preset, many=len(evaluations) > 1) for evaluation in evaluations]
    return Group(*parts)


def comparison_with_truth(evaluation: Evaluation, truth: Mapping[str, float]) -> Table:
    """Measured beside true, for scores whose distribution is known."""
    table = _table("simulated, so the truth is known", "measure", "measured", "true")
    for name, value in truth.items():
        table.add_row(Text(name), value_text(name, evaluation[name]), value_text(name, Result(value)))
    return table


def forecast_text(expected: Sequence[Expected], title: str) -> Table:
    """The forecast for a volume of attempts, one row an operating point."""
    table = _table(title, "operating point", "threshold", "FAR", "FRR", "false accepts", "false rejects")
    table.columns[0].no_wrap = False
    for row in expected:
        table.add_row(
            Text(row.point),
            threshold_text(row.threshold),
            percent(row.far),
            percent(row.frr),
            f"{row.false_accepts:.4g}",
            f"{row.false_rejects:.4g}",
        )
    return table


def _heading(evaluation: Evaluation) -> RenderableType:
    counts, rule = evaluation.counts, evaluation.rule
    lines = Text()
    lines.append(evaluation.name or "scores", style="bold")
    lines.append(
        f"\n  {counts['mated']:,} mated (genuine), {counts['nonmated']:,} non-mated (impostor), "
        f"{counts['failed']:,} failed; a {rule.value}: accepted when score {rule.sign} threshold",
    )
    for note in evaluation.scores.notes:
        lines.append(f"\n  {note}", style="dim")
    return lines


def _one_system(evaluation: Evaluation, names: Sequence[str]) -> RenderableType:
    table = _table(None, "measure", "value", "threshold", "errors", "everyday name")
    for name in names:
        result = evaluation.results[name]
        errors = Text(result.reason or errors_text(result))
        everyday = Text(everyday_name(name), style="dim")
        table.add_row(Text(name), value_text(name, result), threshold_text(result.threshold), errors, everyday)
    return Padding(table, (1, 0, 1, 0))


def _side_by_side(evaluations: Sequence[Evaluation], names: Sequence[str]) -> RenderableType:
    table = _table(None, "measure", *(evaluation.name for evaluation in evaluations))
    for name in names:
        table.add_row(Text(name), *(_cell(name, evaluation) for evaluation in evaluations))
    return Padding(table, (1, 0, 1, 0))


def _cell(name: str, evaluation: Evaluation) -> str:
    result = evaluation.results[name]
    at = "" if result.threshold is None else f"  at {threshold_text(result.threshold)}"
    return value_text(name, result) + at


def _targets(evaluation: Evaluation, targets: Sequence[float], nearest: bool, *, many: bool) -> RenderableType:
    """One row an x, as the course script prints it: both thresholds and both rates."""
    sign = "nearest" if nearest else "at most"
    title = f"rates at x ({sign} x)" + (f", {evaluation.name}" if many else "")
    table = _table(title, "x", "threshold FNMR=x", "FMR(FNMR=x)", "threshold FMR=x", "FNMR(FMR=x)")
    for x, (fmr_name, fnmr_name) in zip(targets, _pairs(targets, nearest), strict=True):
        fmr, fnmr = evaluation[fmr_name], evaluation[fnmr_name]
        table.add_row(
            f"{x:g}",
            threshold_text(fmr.threshold),
            value_text(fmr_name, fmr),
            threshold_text(fnmr.threshold),
            value_text(fnmr_name, fnmr),
        )
    return Padding(table, (0, 0, 1, 0))


def _words(evaluation: Evaluation, preset: Preset | None, *, many: bool) -> RenderableType:
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


def _table(title: str | None, first: str, *others: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True, overflow="fold")
    for name in others:
        words = name in ("errors", "everyday name")
        table.add_column(Text(name), justify="left" if words else "right", no_wrap=not words)
    return table
