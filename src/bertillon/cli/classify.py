"""`bertillon classify`: the complete report about a classifier, from a file of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import class_options as said
from bertillon.cli import outputs, sureness
from bertillon.cli.inputs import told_apart
from bertillon.cli.progress import working
from bertillon.cli.score_options import NamesOption
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.analysis.deciding import Deciding
    from bertillon.evaluation.class_sections import Sections
    from bertillon.measures.classification.cost import ErrorCosts
    from bertillon.render.classes import ClassReport
    from bertillon.trials.predictions import Predictions
    from bertillon.views.findings import Findings, Use

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
    label: NamesOption = None,
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
    from bertillon.measures.classification import CLASSIFICATION
    from bertillon.render.classes import classes_text
    from bertillon.views.findings import Findings

    outputs.check_report(report, lang)
    targets = outputs.Targets.among(locals())
    sureness.check_bands(bands, intervals=intervals, shown=targets.shows(bands))
    names = [str(one) for one in CLASSIFICATION.parse_all(measure or [])]
    reading = said.Reading.of(positive, column or [], weights=weights, groups=groups)
    changing, choosing = said.Changing.of(calibrate, prior), said.Choosing.of(threshold, constraint, cost)
    with working("reading"):
        systems = outputs.named(told_apart([reading.read(file) for file in files], files), label or [])
    with working("evaluating"):
        reports = _reports(systems, names, changing, choosing)
    evaluations = [one.evaluation for one in reports]
    evaluations = sureness.sure(evaluations, intervals=intervals, level=level, resamples=resamples, seed=seed)
    reports = [replace(one, evaluation=known) for one, known in zip(reports, evaluations, strict=True)]
    known = sureness.bands(evaluations, bands, shown=targets.shows(bands))
    whole = Findings(
        classification=evaluations,
        class_reports=reports,
        bands={"classification": known},
        vocabulary=vocabulary,
        use=_use(choosing.costs),
    )
    written = _write(whole, choosing.costs, targets)
    if report:
        written.append(outputs.write_report(whole, report, lang))
    if json == "-":
        print(outputs.json_text(whole), end="")
        return
    console = outputs.console()
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
    from bertillon.evaluation.class_sections import complete_sections, joined

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
    from bertillon.analysis.deciding import evaluate_decided
    from bertillon.evaluation.class_groups import by_group
    from bertillon.render.classes import ClassReport, advice_of

    evaluation = evaluate_decided(changed, [name for names in sections.values() for name in names], rule=rule)
    return ClassReport(
        evaluation,
        sections,
        rule,
        changing.used,
        calibration_table(system, changed) if changing.calibrate else (),
        by_group(evaluation),
        None if "measures" in sections else advice_of(evaluation, rule, costs=costs),
    )


def _write(findings: Findings, costs: ErrorCosts | None, targets: outputs.Targets) -> list[str]:
    """Write what was asked for; a line for each thing written."""
    bands = findings.bands_in("classification")

    def csv(folder: Path) -> list[Path]:
        from bertillon.render.class_exports import write_classes_csv

        return write_classes_csv(findings.class_reports, folder, bands=bands)

    def figures(folder: Path, formats: Sequence[str]) -> list[Path]:
        from bertillon.render.figures.save import save_figures

        prices = None if costs is None else {"fn": costs.fn, "fp": costs.fp}
        return save_figures(findings.classification, folder, formats=formats, bands=bands, costs=prices)

    return targets.write(json=lambda: outputs.json_text(findings), csv=csv, figures=figures)


def _use(costs: ErrorCosts | None) -> Use | None:
    """What was said of the use: the costs of both errors."""
    from bertillon.views.findings import Use

    return None if costs is None else Use(cost_accept=costs.fp, cost_reject=costs.fn)
