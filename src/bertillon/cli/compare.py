"""`bertillon compare`: two and more systems on the same trials, with intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import options, outputs
from bertillon.cli.inputs import ScoreOptions, comparisons_of, fold_accuracies, searches_of
from bertillon.cli.progress import working
from bertillon.cli.template_options import TemplateOptions
from bertillon.errors import CheckFailed, InputError

if TYPE_CHECKING:
    from bertillon.cli.inputs import Compared
    from bertillon.measures import Measure
    from bertillon.trials.score_set import ScoreSet
    from bertillon.uncertainty.aligning import Trials
    from bertillon.uncertainty.folded import FoldDifference
    from bertillon.uncertainty.paired import Versus
    from bertillon.uncertainty.settings import Settings

Inputs, Asked = "Input", "Questions"


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
    distance: Annotated[
        bool, typer.Option("--distance", help="Scores are distances: accept when score <= t.", rich_help_panel=Inputs)
    ] = False,
    similarity: Annotated[
        bool,
        typer.Option("--similarity", help="Scores are similarities, whatever the files say.", rich_help_panel=Inputs),
    ] = False,
    label: Annotated[
        list[str] | None, typer.Option(help="Name of a system, in order; repeatable.", rich_help_panel=Inputs)
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="Format of the files, instead of a look at them.", rich_help_panel=Inputs)
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(help="Which column is what: score=llr, label=target; repeatable.", rich_help_panel=Inputs),
    ] = None,
    mask: Annotated[Path | None, typer.Option(help="Mask of BEE matrices.", rich_help_panel=Inputs)] = None,
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
    from rich.console import Console

    from bertillon.report.compared import compared_json, compared_text, write_compared_csv
    from bertillon.uncertainty.difference import check_margin
    from bertillon.uncertainty.paired import compare_systems
    from bertillon.uncertainty.settings import Settings

    outputs.check_report(report, lang)
    settings = Settings(level=level, resamples=resamples, seed=seed)
    check_margin(margin, level)
    by = _ids(paired_by, unpaired=unpaired)
    asked = _measures(measure or [], mode, judged=fail_if_worse)
    scores = ScoreOptions(_rule(distance, similarity), format, options.columns(column or []), mask)
    systems = _named(_read(files, mode, scores, asked, positive), label or [], files)
    asked = asked or _usual(systems, mode)
    with working("resampling"):
        found = compare_systems(
            systems, asked, settings=settings, margin=margin, by=by, paired=not unpaired, every_pair=all_pairs
        )
    warnings = _warnings(systems, asked)
    accuracy = _fold_differences(files, mode, scores, level, all_pairs=all_pairs) if folds else []
    text = compared_json(found, settings, mode=mode.value, folds=accuracy, warnings=warnings) if json else ""
    written = [outputs.write_text(text, json)] if json and json != "-" else []
    if csv:
        written.append(f"{len(write_compared_csv(found, csv))} CSV file written to {csv}")
    if report:
        written.append(_page(systems, asked, found, settings, report, lang))
    if json == "-":
        print(text, end="")
    else:
        console = Console()
        console.print(compared_text(found, settings, folds=accuracy, warnings=warnings))
        outputs.show_written(console, written)
    if fail_if_worse:
        _require_not_worse(found[: len(systems) - 1])  # those against the first


def _page(
    systems: Sequence[Trials],
    measures: Sequence[Measure],
    found: Sequence[Versus],
    settings: Settings,
    path: Path,
    lang: str,
) -> str:
    """Write the page of all systems, with what was tested about them."""
    from bertillon.evaluation import evaluate
    from bertillon.report.findings import Findings

    evaluations = [evaluate(system, measures) for system in systems]
    level, resamples, seed = settings.level, settings.resamples, settings.seed
    sure = [one.with_intervals(level=level, resamples=resamples, seed=seed) for one in evaluations]
    return outputs.write_report(Findings.of(sure, found), path, lang)


def _rule(distance: bool, similarity: bool) -> str | None:
    if distance and similarity:
        raise InputError("--distance and --similarity exclude each other; give one of them")
    return "distance" if distance else "similarity" if similarity else None


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


def _read(
    files: Sequence[Path], mode: Mode, scores: ScoreOptions, measures: Sequence[Measure], positive: str | None
) -> list[Trials]:
    """One system after the other, whatever the files hold."""
    _require_fitting(mode, scores, positive)
    if mode is Mode.CLASSIFICATION:
        from bertillon.cli.class_options import Reading

        reading = Reading(positive, scores.columns)
        with working("reading"):
            return [reading.read(file) for file in files]
    if mode is Mode.IDENTIFICATION:
        distance = scores.rule == "distance"
        return [searches_of(file, TemplateOptions(), distance=distance, all_against_all=False) for file in files]
    return [_comparable(system) for system in comparisons_of(files, TemplateOptions(), scores, measures)]


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
    for kind, scores in (("mated (genuine)", system.mated), ("non-mated (impostor)", system.nonmated)):
        if not scores.size:
            raise InputError(
                f"{system.name}: no {kind} scores among {system.size + system.failures.comparisons:,} comparisons; "
                "comparing systems needs both kinds: check the column of labels, or add the missing file"
            )
    return system


def _named(systems: list[Trials], labels: Sequence[str], files: Sequence[Path]) -> list[Trials]:
    """The systems under names that tell them apart."""
    if labels or len({system.name for system in systems}) == len(systems):
        return outputs.named(systems, labels)
    paths = [str(file) for file in files]
    if len(set(paths)) == len(systems):
        return outputs.named(systems, paths)
    return outputs.named(systems, [f"{system.name} ({number})" for number, system in enumerate(systems, 1)])


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


def _warnings(systems: Sequence[Trials], measures: Sequence[Measure]) -> list[str]:
    """What verification would warn of, as far as it bears on a comparison."""
    from bertillon.advice.warnings import direction, failed, resolution
    from bertillon.evaluation.verification import evaluate_scores
    from bertillon.trials.score_set import ScoreSet

    said: list[str] = []
    for system in systems:
        if isinstance(system, ScoreSet):
            evaluation = evaluate_scores(system, measures)
            found = (direction(evaluation), failed(evaluation), *system.warnings, resolution(evaluation))
            said += [f"{system.name}: {warning}" for warning in found if warning]
    return said


def _fold_differences(
    files: Sequence[Path], mode: Mode, scores: ScoreOptions, level: float, *, all_pairs: bool
) -> list[FoldDifference]:
    """Accuracy over folds of the same pairs of systems."""
    from itertools import combinations

    from bertillon.uncertainty.folded import fold_difference

    if mode is not Mode.VERIFICATION:
        raise InputError("--folds is about comparisons; leave it out")
    found = [fold_accuracies(file, scores) for file in files]
    pairs = combinations(found, 2) if all_pairs else ((found[0], other) for other in found[1:])
    return [fold_difference(one, other, level) for one, other in pairs]


def _require_not_worse(found: Sequence[Versus]) -> None:
    from bertillon.advice.paired import complaints

    said = complaints(found)
    if said:
        raise CheckFailed("; ".join(said))
