"""`bertillon classify`: the complete report about a classifier, from a file of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import class_options as said
from bertillon.cli import outputs, sureness
from bertillon.cli.progress import working
from bertillon.errors import InputError

if TYPE_CHECKING:
    from bertillon.evaluation.bands import Bands
    from bertillon.evaluation.classification import ClassEvaluation
    from bertillon.evaluation.complete import Sections
    from bertillon.evaluation.deciding import Deciding
    from bertillon.measures.classification.cost import ErrorCosts
    from bertillon.report.classes import ClassReport
    from bertillon.trials.predictions import Predictions

Inputs, Choices, Asked = said.PANEL, "Decisions", "Questions"


def classify(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Predictions with their truth: columns label,score or y_true,p or y_true,y_pred or y_true,p_0,p_1,... "
            "in CSV, Parquet or .npz. Several files are several systems.",
        ),
    ],
    positive: said.PositiveOption = None,
    column: said.ColumnOption = None,
    weights: said.WeightsOption = None,
    groups: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of groups, for a table a group.", rich_help_panel=Inputs),
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option(help="Name of a system, in order; repeatable.", rich_help_panel=Inputs)
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            metavar="trained=SHARE,used=SHARE",
            help="Shift probabilities to another share of positives.",
            rich_help_panel=Inputs,
        ),
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD|FILE",
            help="platt, isotonic, temperature or beta, fitted here; or a file of 'calibrate fit'.",
            rich_help_panel=Inputs,
        ),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("-t", "--threshold", help="Positive from this score on.", rich_help_panel=Choices)
    ] = None,
    constraint: Annotated[
        str | None,
        typer.Option(
            metavar="PROMISE",
            help="The best threshold with recall>=0.9, precision>=0.8, fpr<=0.01, ...",
            rich_help_panel=Choices,
        ),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            metavar="fn=COST,fp=COST|FILE",
            help="Decide by what errors cost; FILE is a CSV matrix, true classes by decisions.",
            rich_help_panel=Choices,
        ),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--measure", help="F1, Recall@FPR=0.01, ...; see 'bertillon measures'.", rich_help_panel=Asked
        ),
    ] = None,
    intervals: sureness.IntervalsOption = True,
    level: sureness.LevelOption = 0.95,
    resamples: sureness.ResamplesOption = 1000,
    bands: sureness.BandsOption = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the resamples.", rich_help_panel=sureness.PANEL)] = 0,
    json: outputs.JsonOption = None,
    csv: outputs.CsvOption = None,
    figures: outputs.FiguresOption = None,
    figure_format: outputs.FigureFormatOption = None,
    report: outputs.ReportOption = None,
    lang: outputs.LangOption = "en",
    vocabulary: outputs.VocabularyOption = outputs.Vocabulary.ML,
) -> None:
    """Evaluate a classifier: confusions, rates, ranking, calibration, costs.

    Example: bertillon classify predictions.csv --constraint "recall>=0.9" --figures out
    """
    from rich.console import Console

    from bertillon.measures.classification import CLASSIFICATION
    from bertillon.report.classes import classes_text

    outputs.check_report(report, lang)
    sureness.check_bands(bands, intervals=intervals, shown=bool(csv or figures))
    names = [str(one) for one in CLASSIFICATION.parse_all(measure or [])]
    formats = outputs.formats(figure_format, figures)
    reading = said.Reading.of(positive, column or [], weights=weights, groups=groups)
    changing, choosing = said.Changing.of(calibrate, prior), said.Choosing.of(threshold, constraint, cost)
    with working("reading"):
        systems = outputs.named([reading.read(file) for file in files], label or [])
    with working("evaluating"):
        reports = _reports(systems, names, changing, choosing)
    evaluations = [one.evaluation for one in reports]
    evaluations = sureness.sure(evaluations, intervals=intervals, level=level, resamples=resamples, seed=seed)
    reports = [replace(one, evaluation=known) for one, known in zip(reports, evaluations, strict=True)]
    sure = sureness.bands(evaluations, bands, shown=bool(csv or figures))
    written = _write(reports, choosing.costs, sure, json=json, csv=csv, figures=figures, formats=formats)
    if report:
        written.append(_page(evaluations, choosing.costs, report, lang))
    if json == "-":
        print(_json(reports), end="")
        return
    console = Console()
    console.print(classes_text(reports, vocabulary))
    outputs.show_written(console, written)


def _reports(
    systems: Sequence[Predictions], names: Sequence[str], changing: said.Changing, choosing: said.Choosing
) -> list[ClassReport]:
    """Everything that will be said about the systems; what cannot be done is said with the name of its system."""
    prepared = [_prepared(system, changing, choosing, complete=not names) for system in systems]
    sections = _sections(prepared, names, choosing.costs)
    found = []
    for system, (changed, rule) in zip(systems, prepared, strict=True):
        try:
            found.append(_report(system, changed, rule, sections=sections, changing=changing, costs=choosing.costs))
        except InputError as error:
            raise InputError(f"{system.name}: {str(error).removeprefix(f'{system.name}: ')}") from error
    return found


def _prepared(
    system: Predictions, changing: said.Changing, choosing: said.Choosing, *, complete: bool
) -> tuple[Predictions, Deciding | None]:
    try:
        changed = changing.apply(system)
        return changed, choosing.rule_for(changed, complete=complete)
    except InputError as error:
        raise InputError(f"{system.name}: {str(error).removeprefix(f'{system.name}: ')}") from error


def _sections(
    prepared: Sequence[tuple[Predictions, Deciding | None]], names: Sequence[str], costs: ErrorCosts | None
) -> Sections:
    """The measures asked for, or those of the complete report; all systems answer all of them."""
    from bertillon.evaluation.complete import complete_sections, joined

    complete = joined(
        complete_sections(
            given,
            decided=rule is not None or given.predicted is not None or given.probabilities is not None,
            costs=costs,
        )
        for given, rule in prepared
    )
    if not names:
        return complete
    return {"measures": tuple(names)} | ({"cost": complete["cost"]} if "cost" in complete else {})


def _report(
    system: Predictions,
    changed: Predictions,
    rule: Deciding | None,
    *,
    sections: Sections,
    changing: said.Changing,
    costs: ErrorCosts | None,
) -> ClassReport:
    from bertillon.analysis.calibration import calibration_table
    from bertillon.evaluation.class_groups import by_group
    from bertillon.evaluation.deciding import evaluate_decided
    from bertillon.report.classes import ClassReport, advice_of

    evaluation = evaluate_decided(changed, [name for names in sections.values() for name in names], rule=rule)
    return ClassReport(
        evaluation,
        sections,
        rule,
        changing.used,
        calibration_table(system, changed) if changing.calibrate else (),
        by_group(evaluation),
        None if "measures" in sections else advice_of(evaluation, rule, costs),
    )


def _write(
    reports: Sequence[ClassReport],
    costs: ErrorCosts | None,
    bands: Bands,
    *,
    json: str | None,
    csv: Path | None,
    figures: Path | None,
    formats: Sequence[str],
) -> list[str]:
    """Write what was asked for; a line for each thing written."""
    lines = []
    if json and json != "-":
        lines.append(outputs.write_text(_json(reports), json))
    if csv:
        from bertillon.report.class_exports import write_classes_csv

        lines.append(f"{len(write_classes_csv(reports, csv, bands=bands))} CSV files written to {csv}")
    if figures:
        from bertillon.report.pictures import draw_classes

        prices = None if costs is None else {"fn": costs.fn, "fp": costs.fp}
        with working("drawing"):
            evaluations = [report.evaluation for report in reports]
            drawn = draw_classes(evaluations, figures, costs=prices, formats=formats, bands=bands)
        lines.append(f"{len(drawn)} figures written to {figures}")
    return lines


def _page(evaluations: Sequence[ClassEvaluation], costs: ErrorCosts | None, path: Path, lang: str) -> str:
    from bertillon.report.findings import Findings, Use

    use = None if costs is None else Use(cost_accept=costs.fp, cost_reject=costs.fn)
    return outputs.write_report(Findings(classification=evaluations, use=use), path, lang)


def _json(reports: Sequence[ClassReport]) -> str:
    from bertillon.report.class_exports import classes_json

    return classes_json(reports)
