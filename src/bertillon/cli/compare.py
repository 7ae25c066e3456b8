"""`bertillon compare`: two and more systems on the same trials, with intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

from bertillon.cli import inputs, options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, given_options, only, option, reworded
from bertillon.cli.outputs import working
from bertillon.cli.rooms import advice, analysis, evaluating, measures, render, stats, trials, views
from bertillon.cli.sources import Compared, ScoreSource, TemplateSource, require_both_classes
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say

Mode = Literal["verification", "identification", "classification"]
USABLE = {  # options about scores, where not all of them mean something
    "identification": ("--distance", "--name", "--all-against-all"),
    "classification": ("--name", "--column"),
}


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked about the differences."""

    PANEL: ClassVar[str] = options.QUESTIONS
    measure: tuple[str, ...] = options.measure_option("EER, FNMR@FMR=1e-3, ...", *get_args(Mode))
    margin: float | None = option(help="Largest difference that does not matter (0.002 is 0.2 percentage points).")
    all_pairs: bool = option(default=False, help="Compare every pair, not only each system with the first.")
    fail_if_worse: bool = option(
        default=False,
        help="Exit with status 1 if a later system is worse than the first; with --margin, if 'not worse' is not "
        "shown.",
    )
    folds: bool = option(default=False, help="Accuracy over folds too (column 'fold'), as on LFW.")


@dataclass(frozen=True, slots=True)
class Pairing:
    """What the files hold, and which of their trials belong together."""

    PANEL: ClassVar[str] = options.INPUT
    mode: Mode = option(default="verification", help="What the files hold.")
    paired_by: str | None = option(
        metavar="COLUMNS", help="IDs that identify a comparison in all systems: probe,reference; or row."
    )
    unpaired: bool = option(default=False, help="The systems were measured on different trials.")
    enrol_with: int | None = option(
        help="One file of templates: compare ways to enrol this many samples per subject (best score, mean score, "
        "pooled embedding) with the first sample alone.",
        panel=options.TEMPLATES,
    )

    def __post_init__(self) -> None:
        if self.paired_by is not None and self.unpaired:
            raise InputError("--paired-by and --unpaired exclude each other; give one of them")
        if self.enrol_with is not None and (self.unpaired or self.paired_by is not None or self.mode != "verification"):
            raise InputError(
                "--enrol-with compares the same probes of templates; leave out --unpaired, --paired-by and --mode"
            )

    @property
    def ids(self) -> list[str] | None:
        return None if self.paired_by is None else [name.strip() for name in self.paired_by.split(",")]


def compare(
    files: Annotated[
        tuple[Path, ...],
        argument("FILE", "What 'verify' takes (or 'identify', or predictions: --mode), the reference system first."),
    ],
    questions: Questions,
    pairing: Pairing,
    scores: options.ScoreInput,
    reading: options.ReadingOptions,
    predictions: Annotated[options.PredictionInput, only("positive")],
    matcher: Annotated[options.MatcherOptions, only("matcher", "matcher_option")],
    random: options.RandomOptions,
    intervals: Annotated[options.IntervalOptions, only("level", "resamples")],
    outputs: Annotated[
        options.OutputOptions,
        only("quiet", "json", "csv", "report", "title", "author", "notes", "fail_if", "lang"),
        reworded(
            csv="Write the table as CSV, one row per measure.",
            fail_if="Exit with status 1 if a system after the first has EER>0.02, AUC<0.9, ...; repeatable.",
        ),
    ],
) -> None:
    """Compare systems on the same trials: differences, intervals, tests, a verdict.

    Example: bertillon compare old.csv new.csv -m EER -m FNMR@FMR=1e-3 --margin 0.002 --fail-if-worse
    """
    outputs.require_report()
    settings = stats.Settings(level=intervals.level, resamples=intervals.resamples, seed=random.seed)
    stats.check_margin(questions.margin, settings.level)
    mode = pairing.mode
    gates = outputs.gates(mode)
    asked = _measures(questions.measure, mode, judged=questions.fail_if_worse)
    source = ScoreSource.of(scores, reading)
    of_templates = TemplateSource(matcher=matcher)
    if pairing.enrol_with is not None:
        read: Sequence[trials.Trials] = _ways_to_enrol(files, of_templates, pairing.enrol_with)
        comparisons = None
    else:
        read, comparisons = _read(files, mode, source, asked, predictions, of_templates)
    systems = out.renamed(read, scores.name)
    asked = asked or _usual(systems, mode)
    with working("resampling"):
        differences = stats.compare_systems(
            systems,
            asked,
            settings=settings,
            margin=questions.margin,
            by=pairing.ids,
            paired=not pairing.unpaired,
            every_pair=questions.all_pairs,
        )
    with working("resampling"):
        evaluations = [_sure(evaluating.evaluate(system, asked), settings) for system in systems]
    warnings = _warnings(evaluations) if mode == "verification" else []
    every_pair, level = questions.all_pairs, settings.level
    folds = _fold_differences(comparisons, source, level, all_pairs=every_pair) if questions.folds else []
    shown = views.ReportContent(
        versus=differences, settings=settings, fold_differences=folds, warnings=warnings, behind=evaluations
    )
    out.deliver(
        outputs,
        shown,
        json=lambda: render.compared_json(differences, settings, mode=mode, folds=folds, warnings=warnings),
        csv=lambda folder: render.write_frames([("", {"comparison": render.compared_frame(differences)})], folder),
        report=lambda: replace(views.ReportContent.of(evaluations, differences), fold_differences=folds),
        failed=lambda: [
            *(advice.complaints(differences[: len(systems) - 1]) if questions.fail_if_worse else []),
            *out.failures(gates, evaluations[1:]),
        ],
        explain=reading.explain,
        further=("--report out.html",),
    )


def _sure(evaluation: evaluating.AnyEvaluation, settings: stats.Settings) -> evaluating.AnyEvaluation:
    """With the intervals that say how many digits of its numbers are known."""
    how: dict[str, Any] = {"level": settings.level, "resamples": settings.resamples, "seed": settings.seed}
    return evaluation.with_intervals(**how)


def _measures(names: Sequence[str], mode: Mode, *, judged: bool) -> list[measures.Measure]:
    """The measures asked for, each once; all that is wrong with them is refused before any file is read."""
    asked = list(dict.fromkeys(measures.measure_set_of(mode).parse_all(names)))
    neither = [str(measure) for measure in asked if not measures.better(measure)]
    if judged and neither:
        raise InputError(f"--fail-if-worse: it is not known whether {neither[0]} is better high or low; leave it out")
    return asked


def _read(
    files: Sequence[Path],
    mode: Mode,
    scores: ScoreSource,
    asked: Sequence[measures.Measure],
    predictions: options.PredictionInput,
    templates: TemplateSource,
) -> tuple[Sequence[trials.Trials], inputs.Comparisons | None]:
    """One system after the other, whatever the files hold, and in verification how they were read."""
    _require_fitting(mode, scores, predictions.positive)
    if mode == "classification":
        source = inputs.PredictionSource(predictions.positive, None if scores.columns is None else dict(scores.columns))
        with working("reading"):
            return inputs.with_distinct_names([source.read(file) for file in files], files), None
    if mode == "identification":
        searches = [inputs.searches_of(file, templates, scores) for file in files]
        return inputs.with_distinct_names(searches, files), None
    comparisons = inputs.comparisons_of(files, templates, scores, asked)
    return [_comparable(system) for system in comparisons.systems], comparisons


def _ways_to_enrol(files: Sequence[Path], templates: TemplateSource, enrol: int) -> list[trials.ScoreSet]:
    """The same probes against people enrolled with several samples, in every way."""
    if len(files) > 1:
        raise InputError(f"--enrol-with compares ways to enrol one file of templates; found {len(files)} files")
    table = templates.read(files[0])
    with working("comparing"):
        return list(analysis.enrolment_systems(table, templates.named_matcher(table), enrol=enrol).values())


def _require_fitting(mode: Mode, scores: ScoreSource, positive: str | None) -> None:
    """No option is ignored: each is refused where it means nothing."""
    if positive is not None and mode != "classification":
        raise InputError("--positive is about predictions; say --mode classification")
    given = [*given_options(scores.content), *(["--column"] if scores.columns is not None else [])]
    strange = [flag for flag in given if flag not in USABLE.get(mode, given)]
    if strange:
        raise InputError(f"{strange[0]} means nothing in --mode {mode}; leave it out")


def _comparable(system: Compared) -> trials.ScoreSet:
    """A system whose scores were kept, with both kinds of comparisons."""
    if system.form != "whole":
        problem = f"{system.name}: its comparisons were counted and not kept, and cannot be compared one by one"
        raise InputError(f"{problem}; compare a part of them")
    require_both_classes(system.name, **system.counts)
    return system


def _usual(systems: Sequence[trials.Trials], mode: Mode) -> list[measures.Measure]:
    """What is asked where nothing is: few measures, since each further test makes all others weaker."""
    system: Any = systems[0]
    names = ["EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001"]
    if mode == "identification":
        names = ["RR", "DIR@FPIR=0.01,k=1"] if system.n_nonenrolled else ["RR"]
    elif mode == "classification":
        ranked = system.is_binary and system.positive_scores is not None
        names = [*(["Accuracy"] if inputs.decides(system) else []), *(["AUC"] if ranked else [])]
    return _measures(names, mode, judged=False)


def _warnings(evaluations: Sequence[evaluating.ScoreEvaluation]) -> list[Message]:
    """What verification would warn of, as far as it bears on a comparison."""
    warnings: list[Message] = []
    for each in evaluations:
        candidates = (advice.direction(each), advice.failed(each), *each.trials.warnings, advice.resolution(each))
        warnings += [say("list.named", name=each.name, message=warning) for warning in candidates if warning]
    return warnings


def _fold_differences(
    comparisons: inputs.Comparisons | None, scores: ScoreSource, level: float, *, all_pairs: bool
) -> list[stats.FoldDifference]:
    if comparisons is None:
        raise InputError("--folds is about comparisons; leave it out")
    accuracies = inputs.fold_accuracies(comparisons, scores)
    pairs = combinations(accuracies, 2) if all_pairs else ((accuracies[0], other) for other in accuracies[1:])
    return [stats.fold_difference(first, second, level=level) for first, second in pairs]
