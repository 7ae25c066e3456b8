"""`bertillon compare`: two and more systems on the same trials, with intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import outputs, score_options
from bertillon.cli.inputs import comparisons_of, fold_accuracies, require_both_classes, searches_of, told_apart
from bertillon.cli.progress import working
from bertillon.cli.score_options import ScoreOptions
from bertillon.cli.template_options import TemplateOptions
from bertillon.core.errors import CheckFailed, InputError
from bertillon.core.messages import Message, say

if TYPE_CHECKING:
    from bertillon.cli.inputs import Compared, Comparisons
    from bertillon.measures import Measure
    from bertillon.stats.comparing.aligning import Trials
    from bertillon.stats.comparing.folds import FoldDifference
    from bertillon.stats.comparing.systems import Versus
    from bertillon.stats.settings import Settings
    from bertillon.trials.score_set import ScoreSet

Inputs, Asked = score_options.PANEL, "Questions"


class Mode(StrEnum):
    """What the files hold."""

    VERIFICATION = "verification"
    IDENTIFICATION = "identification"
    CLASSIFICATION = "classification"


def compare(
    files: Annotated[
        list[Path],
        typer.Argument(help="What 'verify' takes (or 'identify', or predictions: --mode), the reference system first."),
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option("-m", "--measure", help="EER, FNMR@FMR=1e-3, ...; repeatable.", rich_help_panel=Asked),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="Largest difference that does not matter (0.002 is 0.2 points).", rich_help_panel=Asked),
    ] = None,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Every pair, not only each with the first.", rich_help_panel=Asked)
    ] = False,
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse",
            help="End with 1 if a later system is worse than the first; with --margin, if 'not worse' is not shown.",
            rich_help_panel=Asked,
        ),
    ] = False,
    folds: Annotated[
        bool,
        typer.Option("--folds", help="Accuracy over folds too (column 'fold'), as on LFW.", rich_help_panel=Asked),
    ] = False,
    level: Annotated[float, typer.Option(help="Confidence level.", rich_help_panel=Asked)] = 0.95,
    resamples: Annotated[int, typer.Option(help="How many resamples.", rich_help_panel=Asked)] = 1000,
    seed: Annotated[int, typer.Option(help="Of every random choice.", rich_help_panel=Asked)] = 0,
    mode: Annotated[Mode, typer.Option(help="What the files hold.", rich_help_panel=Inputs)] = Mode.VERIFICATION,
    paired_by: Annotated[
        str | None,
        typer.Option(help="Ids that tell comparisons apart: probe,reference; or row.", rich_help_panel=Inputs),
    ] = None,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="The systems judged different trials.", rich_help_panel=Inputs)
    ] = False,
    distance: score_options.DistanceOption = False,
    similarity: score_options.SimilarityOption = False,
    label: score_options.NamesOption = None,
    format: score_options.FormatOption = None,
    column: score_options.ColumnOption = None,
    mask: score_options.MaskOption = None,
    values: score_options.ValuesOption = None,
    failed: score_options.FailedOption = None,
    trust: score_options.TrustOption = None,
    all_against_all: score_options.AllAgainstAllOption = None,
    positive: Annotated[
        str | None, typer.Option(help="The positive label of predictions.", rich_help_panel=Inputs)
    ] = None,
    json: outputs.JsonOption = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="DIR", help="Write the table as CSV.", rich_help_panel=outputs.PANEL),
    ] = None,
    report: outputs.ReportOption = None,
    lang: outputs.LangOption = "en",
) -> None:
    """Compare systems on the same trials: differences, intervals, tests, a verdict.

    Example: bertillon compare old.csv new.csv -m EER -m FNMR@FMR=1e-3 --margin 0.002 --fail-if-worse
    """
    from bertillon.render.compared import compared_json, compared_text, write_compared_csv
    from bertillon.stats.comparing.difference import check_margin
    from bertillon.stats.comparing.systems import compare_systems
    from bertillon.stats.settings import Settings

    outputs.check_report(report, lang)
    settings = Settings(level=level, resamples=resamples, seed=seed)
    check_margin(margin, level)
    by = _ids(paired_by, unpaired=unpaired)
    asked = _measures(measure or [], mode, judged=fail_if_worse)
    scores = ScoreOptions.among(locals())
    read = _read(files, mode, scores, asked, positive)
    systems = outputs.named(read.trials, label or [])
    asked = asked or _usual(systems, mode)
    with working("resampling"):
        found = compare_systems(
            systems, asked, settings=settings, margin=margin, by=by, paired=not unpaired, every_pair=all_pairs
        )
    warnings = _warnings(systems, asked)
    accuracy = _fold_differences(read, scores, level, all_pairs=all_pairs) if folds else []
    text = compared_json(found, settings, mode=mode.value, folds=accuracy, warnings=warnings) if json else ""
    written = [outputs.write_text(text, json)] if json and json != "-" else []
    if csv:
        written.append(f"{len(write_compared_csv(found, csv))} CSV file written to {csv}")
    if report:
        written.append(_page(systems, asked, found, accuracy, settings, report, lang))
    if json == "-":
        print(text, end="")
    else:
        console = outputs.console()
        console.print(compared_text(found, settings, folds=accuracy, warnings=warnings))
        outputs.show_written(console, written)
    if fail_if_worse:
        _require_not_worse(found[: len(systems) - 1])  # those against the first


def _page(
    systems: Sequence[Trials],
    measures: Sequence[Measure],
    found: Sequence[Versus],
    folds: Sequence[FoldDifference],
    settings: Settings,
    path: Path,
    lang: str,
) -> str:
    """Write the page of all systems, with what was tested about them."""
    from bertillon.evaluation import evaluate
    from bertillon.views.findings import Findings

    evaluations = [evaluate(system, measures) for system in systems]
    level, resamples, seed = settings.level, settings.resamples, settings.seed
    sure = [one.with_intervals(level=level, resamples=resamples, seed=seed) for one in evaluations]
    return outputs.write_report(replace(Findings.of(sure, found), fold_differences=folds), path, lang)


def _ids(paired_by: str | None, *, unpaired: bool) -> list[str] | None:
    if paired_by is not None and unpaired:
        raise InputError("--paired-by and --unpaired exclude each other; give one of them")
    return None if paired_by is None else [name.strip() for name in paired_by.split(",")]


def _measures(names: Sequence[str], mode: Mode, *, judged: bool) -> list[Measure]:
    """The measures asked for, each once; all that is wrong with them is said before any file is read."""
    from bertillon.measures.better import better
    from bertillon.measures.classification import CLASSIFICATION
    from bertillon.measures.identification import IDENTIFICATION
    from bertillon.measures.registry import VERIFICATION

    languages = {language.mode: language for language in (VERIFICATION, IDENTIFICATION, CLASSIFICATION)}
    asked = list(dict.fromkeys(languages[mode.value].parse_all(names)))
    neither = [str(measure) for measure in asked if not better(measure)]
    if judged and neither:
        raise InputError(f"--fail-if-worse: nobody says which way {neither[0]} is better; leave it out")
    return asked


@dataclass(frozen=True, slots=True)
class Read:
    """The systems to compare and, in verification, how they were read."""

    trials: Sequence[Trials]
    comparisons: Comparisons | None = None


def _read(
    files: Sequence[Path], mode: Mode, scores: ScoreOptions, measures: Sequence[Measure], positive: str | None
) -> Read:
    """One system after the other, whatever the files hold."""
    _require_fitting(mode, scores, positive)
    if mode is Mode.CLASSIFICATION:
        from bertillon.cli.class_options import Reading

        reading = Reading(positive, scores.columns)
        with working("reading"):
            return Read(told_apart([reading.read(file) for file in files], files))
    if mode is Mode.IDENTIFICATION:
        found = [searches_of(file, TemplateOptions(), scores) for file in files]
        return Read(told_apart(found, files))
    comparisons = comparisons_of(files, TemplateOptions(), scores, measures)
    return Read([_comparable(system) for system in comparisons.systems], comparisons)


def _require_fitting(mode: Mode, scores: ScoreOptions, positive: str | None) -> None:
    """No option is ignored: each is refused where it means nothing."""
    if positive is not None and mode is not Mode.CLASSIFICATION:
        raise InputError("--positive is about predictions; say --mode classification")
    given = {
        "--format": scores.format is not None,
        "--mask": scores.mask is not None,
        "--column": scores.columns is not None and mode is Mode.IDENTIFICATION,
        "--distance": scores.rule == "distance" and mode is Mode.CLASSIFICATION,
        "--similarity": scores.rule == "similarity",
        "--values": scores.values is not None,
        "--failed": bool(scores.failed),
        "--trust": scores.trust is not None,
        "--all-against-all": scores.all_against_all is not None and mode is Mode.CLASSIFICATION,
    }
    strange = [option for option, said in given.items() if said]
    if strange and mode is not Mode.VERIFICATION:
        raise InputError(f"{strange[0]} means nothing in --mode {mode.value}; leave it out")


def _comparable(system: Compared) -> ScoreSet:
    """A system whose scores were kept, with both kinds of comparisons."""
    from bertillon.trials.score_set import ScoreSet

    if not isinstance(system, ScoreSet):
        raise InputError(
            f"{system.name}: its comparisons were counted and not kept, and cannot be compared one by one; "
            "compare a part of them"
        )
    failed = system.failures.comparisons
    require_both_classes(system.name, mated=system.mated.size, nonmated=system.nonmated.size, failed=failed)
    return system


def _usual(systems: Sequence[Trials], mode: Mode) -> list[Measure]:
    """What is asked where nothing is: few measures, since each further test makes all others weaker."""
    from bertillon.trials.predictions import Predictions
    from bertillon.trials.search_set import SearchSet

    first = systems[0]
    if isinstance(first, SearchSet):
        names = ["RR", "DIR@FPIR=0.01,k=1"] if first.n_nonenrolled else ["RR"]
    elif isinstance(first, Predictions):
        decided = first.predicted is not None or first.probabilities is not None
        ranked = first.is_binary and first.positive_scores is not None
        names = [*(["Accuracy"] if decided else []), *(["AUC"] if ranked else [])]
    else:
        names = ["EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001"]
    return _measures(names, mode, judged=False)


def _warnings(systems: Sequence[Trials], measures: Sequence[Measure]) -> list[Message]:
    """What verification would warn of, as far as it bears on a comparison."""
    from bertillon.advice.warnings import direction, failed, resolution
    from bertillon.evaluation.verification import evaluate_scores
    from bertillon.trials.score_set import ScoreSet

    said: list[Message] = []
    for system in systems:
        if isinstance(system, ScoreSet):
            evaluation = evaluate_scores(system, measures)
            found = (direction(evaluation), failed(evaluation), *system.warnings, resolution(evaluation))
            said += [say("list.named", name=system.name, message=warning) for warning in found if warning]
    return said


def _fold_differences(read: Read, scores: ScoreOptions, level: float, *, all_pairs: bool) -> list[FoldDifference]:
    """Accuracy over folds of the same pairs of systems."""
    from itertools import combinations

    from bertillon.stats.comparing.folds import fold_difference

    if read.comparisons is None:
        raise InputError("--folds is about comparisons; leave it out")
    found = fold_accuracies(read.comparisons, scores)
    pairs = combinations(found, 2) if all_pairs else ((found[0], other) for other in found[1:])
    return [fold_difference(one, other, level=level) for one, other in pairs]


def _require_not_worse(found: Sequence[Versus]) -> None:
    from bertillon.advice.paired import complaints

    said = complaints(found)
    if said:
        raise CheckFailed(" ".join(map(str, said)))
