"""`bertillon verify`: 1:1 evaluation from score files to answers."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bertillon.cli import curves, options, outputs, running, samples, score_options, streams, sureness
from bertillon.cli import template_options as given
from bertillon.cli.inputs import comparisons_of, fold_accuracies, require_both_classes
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.advice.presets import Preset
    from bertillon.analysis.on_development import Judged
    from bertillon.cli.inputs import Compared
    from bertillon.evaluation import Evaluation
    from bertillon.measures import Measure
    from bertillon.views.findings import Findings, Use

Asked = "Questions"


def verify(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="A table of scores with labels; or a genuine and an impostor list; or scores and their trials. "
            "Several tables are several systems.",
        ),
    ],
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
    labels: given.LabelsOption = None,
    kind: given.KindOption = None,
    angle: given.AngleOption = None,
    subject_pattern: given.SubjectPatternOption = None,
    matcher: given.MatcherOption = None,
    matcher_option: given.MatcherOptionsOption = None,
    gallery: given.GalleryOption = None,
    partition: given.PartitionOption = None,
    leave_out: given.LeaveOutOption = None,
    strategy: given.StrategyOption = None,
    per_subject: given.PerSubjectOption = 1,
    multiple: given.MultipleOption = False,
    fusion: given.FusionOption = "best",
    seed: given.SeedOption = 0,
    sample_nonmated: given.SampleOption = None,
    checkpoint: running.CheckpointOption = None,
    engine: running.EngineOption = running.EngineName.THREADS,
    scheduler: running.SchedulerOption = None,
    stream: streams.StreamOption = None,
    allow_repeats: streams.RepeatsOption = False,
    enrolments: Annotated[
        str | None,
        typer.Option(help="attempted=1000,failed=5: for FTE, GFAR and GFRR.", rich_help_panel=score_options.PANEL),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m", "--measure", help="EER, FNMR@FMR=0.001, ...; see 'bertillon measures'.", rich_help_panel=Asked
        ),
    ] = None,
    x: Annotated[
        list[float] | None,
        typer.Option("-x", help="FMR at FNMR = x and FNMR at FMR = x, with thresholds.", rich_help_panel=Asked),
    ] = None,
    nearest: Annotated[
        bool, typer.Option(help="Take the rate nearest to x instead of at most x.", rich_help_panel=Asked)
    ] = False,
    cost: Annotated[
        str | None, typer.Option(help="fa=500,fr=2: cost of each error, for the best threshold.", rich_help_panel=Asked)
    ] = None,
    prior: Annotated[
        str | None, typer.Option(help="impostor=0.01: share of attempts by impostors.", rich_help_panel=Asked)
    ] = None,
    volume: Annotated[
        str | None,
        typer.Option(help="genuine=10,impostor=90: attempts, to forecast errors.", rich_help_panel=Asked),
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help="Target: high-security, consumer or usability.", rich_help_panel=Asked)
    ] = None,
    folds: Annotated[
        bool,
        typer.Option("--folds", help="Accuracy over folds (column 'fold'), as on LFW.", rich_help_panel=Asked),
    ] = False,
    dev: Annotated[
        list[Path] | None,
        typer.Option("--dev", help="Scores to fix thresholds on; one file a system.", rich_help_panel=Asked),
    ] = None,
    discard: samples.DiscardOption = None,
    people: samples.PeopleOption = False,
    groups: samples.GroupsOption = None,
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
    """Evaluate 1:1 comparisons: error rates, operating points, curves.

    Example: bertillon verify genuine.txt impostor.txt -m EER -m FNMR@FMR=0.001 --figures out
    """
    arguments = dict(locals())
    if curves.are_curves(files, format):
        defaults = {name: one.default for name, one in signature(verify).parameters.items()}
        curves.require_answered(arguments, defaults)
        _verify_curves(arguments)
        return
    from bertillon.analysis.in_use import forecasts
    from bertillon.render.development import judged_table
    from bertillon.render.terminal import fold_text, forecast_text, verification_text
    from bertillon.views.findings import Findings

    outputs.check_report(report, lang)
    targets = outputs.Targets.among(locals())
    sureness.check_bands(bands, intervals=intervals, shown=targets.shows(bands))
    if nearest and not x:
        raise InputError(
            "--nearest is about the rates at x; add -x, or leave it out (FNMR[nearest]@FMR=0.01 is a measure)"
        )
    chosen = _preset(preset)
    asked = _measures(measure or [], x or [], nearest=nearest, cost=_cost(cost, prior), preset=chosen)
    attempts = options.numbers(volume, "--volume", ["genuine", "impostor"]) if volume else None
    said = given.TemplateOptions.among(locals())
    where = running.Running.among(locals())
    scores = score_options.ScoreOptions.among(locals())
    whole = {"--folds": folds, "--dev": bool(dev), "--discard": bool(discard), "--people": people}
    needing = [option for option, wanted in whole.items() if wanted]
    found = comparisons_of(files, said, scores, asked, where, groups=groups, whole=needing)
    systems = outputs.named(_with_enrolments(found.systems, enrolments), label or [])
    _require_both_classes(systems)
    streams.require_kept(systems, [*needing, *(["--groups"] if groups else [])])
    evaluations = streams.evaluated(systems, asked)
    discards = samples.discards(found, evaluations, discard)
    menageries = samples.menageries(evaluations) if people else []
    by_group = samples.rates_by_group(found, evaluations, level=level)
    evaluations = sureness.sure(evaluations, intervals=intervals, level=level, resamples=resamples, seed=seed)
    expected = [forecasts(evaluation, **attempts) for evaluation in evaluations] if attempts else []
    accuracy = fold_accuracies(found, scores) if folds else []
    judged = _judged(dev, evaluations, scores, level=level) if dev else []
    answers = Findings(
        verification=evaluations,
        expected=expected,
        folds=accuracy,
        development=judged,
        discards=discards,
        people=menageries,
        groups=by_group,
        bands={"verification": sureness.bands(evaluations, bands, shown=targets.shows(bands))},
        vocabulary=vocabulary,
        preset=chosen,
        use=_use(attempts, cost, prior),
    )
    written = _write(answers, targets)
    if report:
        written.append(outputs.write_report(answers, report, lang))
    if json == "-":
        print(outputs.json_text(answers), end="")
        return
    console = outputs.console()
    shown = verification_text(evaluations, targets=x or [], nearest=nearest, preset=chosen, vocabulary=vocabulary)
    console.print(shown)
    for evaluation, rows in zip(evaluations, expected, strict=False):
        console.print(forecast_text(rows, f"expected for {volume}, {evaluation.name}", vocabulary=vocabulary))
    for one, evaluation in zip(accuracy, evaluations, strict=False):
        console.print(fold_text(one, evaluation))
    for fixed in judged:
        console.print(judged_table(fixed))
    samples.show(console, answers)
    outputs.show_written(console, written)


def _verify_curves(given: dict[str, Any]) -> None:
    """Files that hold rates at thresholds, and no scores."""
    from bertillon.evaluation.from_curve import CURVE_MEASURES

    asked = _measures(
        given["measure"] or CURVE_MEASURES,
        given["x"] or [],
        nearest=given["nearest"],
        cost=_cost(given["cost"], given["prior"]),
        preset=_preset(given["preset"]),
    )
    shown = {name: given[name] for name in ("json", "vocabulary")}
    curves.verify_curves(given["files"], asked, label=given["label"] or [], **shown)


def _judged(
    paths: Sequence[Path], evaluations: Sequence[Evaluation], scores: score_options.ScoreOptions, *, level: float
) -> list[Judged]:
    """What thresholds fixed on development scores give, a file of them for each system."""
    from bertillon.analysis.on_development import judge
    from bertillon.trials.score_set import ScoreSet

    found = comparisons_of(paths, given.TemplateOptions(), scores, []).systems
    streams.require_kept(found, ["--dev"])
    if len(found) != len(evaluations):
        raise InputError(f"--dev: {len(found)} systems of development scores for {len(evaluations)}; expected one each")
    kept = [one for one in found if isinstance(one, ScoreSet)]
    _require_both_classes(kept)
    return [judge(one, evaluation, level=level) for one, evaluation in zip(kept, evaluations, strict=True)]


def _preset(name: str | None) -> Preset | None:
    from bertillon.advice.presets import PRESETS

    if name is not None and name not in PRESETS:
        raise InputError(f"--preset: {name!r} is not known; expected {', '.join(PRESETS)}")
    return PRESETS[name] if name else None


def _cost(cost: str | None, prior: str | None) -> str | None:
    """The measure behind --cost and --prior."""
    if cost is None and prior is None:
        return None
    if cost is None or prior is None:
        raise InputError("--cost and --prior go together, as in --cost fa=500,fr=2 --prior impostor=0.01")
    costs = options.numbers(cost, "--cost", ["fa", "fr"])
    share = options.numbers(prior, "--prior", ["impostor"])["impostor"]
    return f"minCost(cfa={costs.get('fa', 1.0)!r},cfr={costs.get('fr', 1.0)!r},impostor={share!r})"


def _measures(
    given: Sequence[str], targets: Sequence[float], *, nearest: bool, cost: str | None, preset: Preset | None
) -> list[Measure]:
    """Every measure to evaluate, each once; all that is wrong with them is said at once, before any file is read."""
    from bertillon.evaluation import DEFAULT_MEASURES
    from bertillon.measures import parse_all
    from bertillon.render.terminal import target_measures

    wanted = list(given or DEFAULT_MEASURES)
    wanted += [cost] if cost else []
    wanted += preset.measures if preset else []
    wanted += target_measures(targets, nearest)
    return list(dict.fromkeys(parse_all(wanted)))


def _with_enrolments(systems: list[Compared], enrolments: str | None) -> list[Compared]:
    if not enrolments:
        return systems
    given_counts = options.numbers(enrolments, "--enrolments", ["attempted", "failed"])
    for name, value in given_counts.items():
        if not value.is_integer():
            raise InputError(f"--enrolments: {name}={value:g}; expected a whole number")
    failed, attempted = int(given_counts.get("failed", 0)), int(given_counts.get("attempted", 0))
    return [system.with_enrolments(failed, attempted) for system in systems]


def _require_both_classes(systems: Sequence[Compared]) -> None:
    """As far as that is known: a protocol without one of them was refused, and a stream is yet to be counted."""
    from bertillon.trials.score_set import ScoreSet

    for system in systems:
        if isinstance(system, ScoreSet):
            failed = system.failures.comparisons
            require_both_classes(system.name, mated=system.mated.size, nonmated=system.nonmated.size, failed=failed)


def _write(findings: Findings, targets: outputs.Targets) -> list[str]:
    """Write what was asked for; a line for each thing written."""
    evaluations, bands = findings.verification, findings.bands_in("verification")

    def csv(folder: Path) -> list[Path]:
        from bertillon.render.exports import write_csv

        return write_csv(evaluations, folder, bands=bands) + samples.write_csv(findings, folder)

    def figures(folder: Path, formats: Sequence[str]) -> list[Path]:
        from bertillon.render.figures.save import save_figures

        drawn = save_figures(evaluations, folder, formats=formats, bands=bands)
        return drawn + samples.save_figures(findings, folder, formats)

    return targets.write(json=lambda: outputs.json_text(findings), csv=csv, figures=figures)


def _use(attempts: dict[str, float] | None, cost: str | None, prior: str | None) -> Use | None:
    """What was said of the use: attempts a day and costs; a prior without attempts is shared out over ten thousand."""
    from bertillon.views.findings import Use

    if attempts is None and cost is None:
        return None
    if attempts is None and prior is not None:
        share = options.numbers(prior, "--prior", ["impostor"])["impostor"]
        attempts = {"genuine": 10_000 * (1.0 - share), "impostor": 10_000 * share}
    costs = options.numbers(cost, "--cost", ["fa", "fr"]) if cost else {}
    given_costs = {key: costs[name] for key, name in (("cost_accept", "fa"), ("cost_reject", "fr")) if name in costs}
    return Use(**(attempts or {}), **given_costs)
