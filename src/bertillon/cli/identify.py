"""`bertillon identify`: 1:N evaluation from templates, a matrix or candidate lists to answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import options, outputs, running, score_options, sureness
from bertillon.cli import template_options as given
from bertillon.cli.inputs import indexed_of, searches_of, told_apart
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.analysis.regions import Region
    from bertillon.evaluation.identification import SearchEvaluation
    from bertillon.evaluation.indexed import IndexedSearch
    from bertillon.views.findings import Findings


def identify(
    files: Annotated[
        list[Path], typer.Argument(help="Templates, a score matrix (rows = probes), or candidate lists; one a system.")
    ],
    labels: given.LabelsOption = None,
    kind: given.KindOption = None,
    angle: given.AngleOption = None,
    subject_pattern: given.SubjectPatternOption = None,
    column: given.ColumnOption = None,
    matcher: given.MatcherOption = None,
    matcher_option: given.MatcherOptionsOption = None,
    gallery: given.GalleryOption = None,
    partition: given.PartitionOption = None,
    leave_out: given.LeaveOutOption = None,
    strategy: given.StrategyOption = None,
    per_subject: given.PerSubjectOption = 1,
    fusion: given.FusionOption = "best",
    seed: given.SeedOption = 0,
    checkpoint: running.CheckpointOption = None,
    engine: running.EngineOption = running.EngineName.THREADS,
    scheduler: running.SchedulerOption = None,
    index: running.IndexOption = None,
    distance: score_options.DistanceOption = False,
    similarity: score_options.SimilarityOption = False,
    format: score_options.FormatOption = None,
    values: score_options.ValuesOption = None,
    failed: score_options.FailedOption = None,
    all_against_all: score_options.AllAgainstAllOption = None,
    mates: Annotated[
        Path | None,
        typer.Option(
            help="Mates of the searches: a search and its mate in each line (PyEER true pairs).",
            rich_help_panel=score_options.PANEL,
        ),
    ] = None,
    label: Annotated[list[str] | None, typer.Option(help="Name of a system, in order; repeatable.")] = None,
    measure: Annotated[list[str] | None, typer.Option("-m", "--measure", help="RR, DIR@FPIR=0.01,k=1, ...")] = None,
    rank: Annotated[list[int] | None, typer.Option(help="CMS at this rank; repeatable.")] = None,
    fpir: Annotated[list[float] | None, typer.Option(help="DIR at this FPIR; repeatable.")] = None,
    volume: Annotated[
        str | None,
        typer.Option(help="passers=100000,minutes=15[,on_list=0.001]: the five operating regions of a watch list."),
    ] = None,
    intervals: sureness.IntervalsOption = True,
    level: sureness.LevelOption = 0.95,
    resamples: sureness.ResamplesOption = 1000,
    bands: sureness.BandsOption = None,
    json: outputs.JsonOption = None,
    csv: outputs.CsvOption = None,
    figures: outputs.FiguresOption = None,
    figure_format: outputs.FigureFormatOption = None,
    report: outputs.ReportOption = None,
    lang: outputs.LangOption = "en",
    vocabulary: outputs.VocabularyOption = outputs.Vocabulary.BIOMETRIC,
) -> None:
    """Evaluate 1:N searches, open and closed set: ranks, detection rates, operating regions.

    Example: bertillon identify embeddings.npz --leave-out 0.3 --volume passers=100000,minutes=15
    """
    from bertillon.evaluation.identification import evaluate_searches
    from bertillon.render.searches import identification_text
    from bertillon.render.trade_off import trade_off_table, write_trade_off
    from bertillon.views.findings import Findings, SearchUse

    outputs.check_report(report, lang)
    targets = outputs.Targets.among(locals())
    sureness.check_bands(bands, intervals=intervals, shown=targets.shows(bands))
    said = given.TemplateOptions.among(locals())
    where = running.Running.among(locals())
    asked = _measures(measure or [], rank or [], fpir or [])
    load = options.numbers(volume, "--volume", ["passers", "minutes", "on_list"]) if volume else None
    scores = score_options.ScoreOptions.among(locals())
    if index and mates:
        raise InputError("--index searches templates; --mates is for lists of candidates: leave one out")
    indexed = [indexed_of(file, said, index, where, scores) for file in files] if index else []
    found = [one.searches for one in indexed] or [
        searches_of(file, said, scores, running=where, part=part, mates=mates)
        for file, part in zip(files, running.parts(files), strict=True)
    ]
    searches = outputs.named(told_apart(found, files), label or [])
    evaluations = [evaluate_searches(one, asked) for one in searches]
    evaluations = sureness.sure(evaluations, intervals=intervals, level=level, resamples=resamples, seed=seed)
    regions = [_regions(evaluation, load) for evaluation in evaluations] if load else []
    whole = Findings(
        identification=evaluations,
        regions=regions,
        bands={"identification": sureness.bands(evaluations, bands, shown=targets.shows(bands))},
        vocabulary=vocabulary,
        search_use=SearchUse(**load) if load else None,
    )
    written = _write(whole, targets, indexed)
    if indexed and csv:
        written.append(f"the trade-off of speed and accuracy written to {write_trade_off(indexed, csv)}")
    if report:
        written.append(outputs.write_report(whole, report, lang))
    if json == "-":
        print(outputs.json_text(whole), end="")
        return
    console = outputs.console()
    console.print(identification_text(evaluations, regions, vocabulary=vocabulary))
    for one, evaluation in zip(indexed, evaluations, strict=False):
        console.print(trade_off_table(one, evaluation.name))
    outputs.show_written(console, written)


def _write(findings: Findings, targets: outputs.Targets, indexed: Sequence[IndexedSearch]) -> list[str]:
    """Write what was asked for; a line for each thing written."""
    evaluations, bands = findings.identification, findings.bands_in("identification")

    def csv(folder: Path) -> list[Path]:
        from bertillon.render.exports import write_search_csv

        return write_search_csv(evaluations, folder, bands=bands)

    def figures(folder: Path, formats: Sequence[str]) -> list[Path]:
        from bertillon.render.figures.index_draw import trade_off_figures
        from bertillon.render.figures.save import save_all, save_figures

        drawn = save_figures(evaluations, folder, formats=formats, bands=bands)
        return drawn + (save_all(trade_off_figures(indexed), folder, formats=formats) if indexed else [])

    return targets.write(json=lambda: outputs.json_text(findings), csv=csv, figures=figures)


def _measures(names: Sequence[str], ranks: Sequence[int], rates: Sequence[float]) -> list[str] | None:
    """The measures asked for, or None for the usual ones."""
    from bertillon.measures.identification import IDENTIFICATION

    asked = [*names, *(f"CMS@{rank}" for rank in ranks), *(f"DIR@FPIR={rate!r},k=1" for rate in rates)]
    IDENTIFICATION.parse_all(asked)
    return asked or None


def _regions(evaluation: SearchEvaluation, load: dict[str, float]) -> list[Region]:
    from bertillon.analysis.regions import operating_regions

    if "passers" not in load:
        raise InputError("--volume: passers is missing; expected passers=NUMBER and perhaps minutes and on_list")
    return operating_regions(
        evaluation.watch_list,
        passers=load["passers"],
        minutes=load.get("minutes", 15.0),
        on_list=load.get("on_list"),
    )
