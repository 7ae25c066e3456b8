"""`bertillon verify`: 1:1 evaluation from files of scores or templates, or of error curves, to answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, given_options, option, without
from bertillon.cli.in_use import TransactionOptions, by_condition, by_option, write_curves
from bertillon.cli.inputs import Comparisons, comparisons_of, failed_subjects, fold_accuracies, qualities_of
from bertillon.cli.rooms import (
    advice,
    analysis,
    core,
    counting,
    evaluating,
    formats,
    measures,
    render,
    stats,
    trials,
    views,
)
from bertillon.cli.sources import Compared, ScoreSource, TemplateSource, evaluated, require_both_classes, require_kept
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.cli.in_use import Conditions

CURVE = "curve"  # the format of error curves
FURTHER = ("--report out.html", "--figures out", "-x 0.01", "--all")  # what one may want next


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked about each system."""

    PANEL: ClassVar[str] = options.QUESTIONS
    measure: tuple[str, ...] = options.measure_option("EER, FNMR@FMR=0.001, ...", "verification")
    x: tuple[float, ...] = option(
        "-x", default=(), metavar="RATE", help="FMR at FNMR = x and FNMR at FMR = x, with thresholds; repeatable."
    )
    nearest: bool = option(
        "--nearest/--no-nearest", default=False, help="Use the rate nearest to x instead of at most x."
    )
    preset: str | None = option(metavar="NAME", help="Check a target: high-security, consumer or usability.")
    folds: bool = option(default=False, help="Accuracy over folds (column 'fold'), as on LFW.")
    dev: tuple[Path, ...] = option(
        default=(), help="Development scores to set thresholds on, one file per system; repeatable."
    )
    discard: str | None = option(
        metavar="COLUMNS",
        help="Error rates when low quality is discarded, by a quality column or the lower of two: quality1,quality2.",
    )
    people: bool = option(
        default=False, help="Report which subjects cause the errors: goats, lambs, wolves, and others."
    )
    groups: str | None = option(
        metavar="COLUMN|FILE",
        help="Errors by group of subjects: a column of the templates' metadata, or a table with columns subject, "
        "group.",
    )
    by: tuple[str, ...] = by_option()
    enrolments: str | None = option(
        metavar="attempted=N,failed=N",
        help="Enrolment attempts and failures, for FTE, GFAR and GFRR.",
        panel=options.INPUT,
    )

    def __post_init__(self) -> None:
        if self.nearest and not self.x:
            raise InputError("--nearest is about the rates at x; add -x, or ask for FNMR[nearest]@FMR=0.01")

    @property
    def need_every_score(self) -> list[str]:
        """The options given that cannot be answered from counts."""
        return [flag for flag in given_options(self) if flag in ("--folds", "--dev", "--discard", "--people", "--by")]

    @property
    def chosen_preset(self) -> advice.Preset | None:
        if self.preset is not None and self.preset not in advice.PRESETS:
            raise InputError(f"--preset: {self.preset!r} is not known; expected {', '.join(advice.PRESETS)}")
        return advice.PRESETS[self.preset] if self.preset else None

    @property
    def rates(self) -> views.Rates:
        return views.Rates(self.x, self.nearest)

    def measures(
        self, usual: Sequence[str], use: UseOptions, judged: Sequence[measures.Measure] = ()
    ) -> list[measures.Measure]:
        """Every measure to evaluate, each once; all that is wrong with them is refused at once."""
        preset = self.chosen_preset
        wanted = list(self.measure or usual)
        wanted += [use.measure] if use.measure else []
        wanted += preset.measures if preset else []
        wanted += self.rates.measures
        return list(dict.fromkeys([*measures.parse_all(wanted), *judged]))


@dataclass(frozen=True, slots=True)
class UseOptions(TransactionOptions):
    """How the system is used: what errors cost, who tries, and how often."""

    PANEL: ClassVar[str] = options.QUESTIONS
    cost: str | None = option(
        metavar="fa=COST,fr=COST", help="Cost of each error, for the best threshold; with --prior."
    )
    prior: str | None = option(metavar="impostor=SHARE", help="Share of attempts by impostors; with --cost.")
    volume: str | None = option(
        metavar="genuine=N,impostor=N", help="Number of attempts, to forecast the number of errors."
    )

    @property
    def costs(self) -> dict[str, float]:
        return options.numbers(self.cost, "--cost", ["fa", "fr"]) if self.cost else {}

    @property
    def impostors(self) -> float | None:
        return None if self.prior is None else options.numbers(self.prior, "--prior", ["impostor"])["impostor"]

    @property
    def expected_attempts(self) -> dict[str, float] | None:
        return options.numbers(self.volume, "--volume", ["genuine", "impostor"]) if self.volume else None

    @property
    def measure(self) -> str | None:
        """The measure behind --cost and --prior."""
        if self.cost is None and self.prior is None:
            return None
        if self.cost is None or self.prior is None:
            raise InputError("--cost and --prior go together, as in --cost fa=500,fr=2 --prior impostor=0.01")
        costs = self.costs
        return f"minCost(cfa={costs.get('fa', 1.0)!r},cfr={costs.get('fr', 1.0)!r},impostor={self.impostors!r})"

    def planned(self, day: options.BudgetOptions) -> analysis.Budget | None:
        """What a day allows; its costs where it is said how many pass, with the impostors of --prior."""
        costs, impostors = self.costs, self.impostors
        if not costs or impostors is None or day.passers is None:
            return day.budget()
        known = replace(day, on_list=1.0 - impostors if day.on_list is None else day.on_list)
        return known.budget({"alarm": costs.get("fa", 1.0), "miss": costs.get("fr", 1.0)})

    def use(self) -> views.DailyUse | None:
        """The use as a report shows it; a prior without attempts is shared out over ten thousand of them."""
        attempts, impostors = self.expected_attempts, self.impostors
        if attempts is None and self.cost is None:
            return None
        if attempts is None and impostors is not None:
            attempts = {"genuine": 10_000 * (1.0 - impostors), "impostor": 10_000 * impostors}
        names, costs = {"fa": "cost_accept", "fr": "cost_reject"}, self.costs
        prices = {key: costs.get(name, 1.0) for name, key in names.items()} if costs else {}
        return views.DailyUse(**(attempts or {}), **prices)


def verify(
    files: Annotated[
        tuple[Path, ...],
        argument(
            "FILE",
            "A table of scores with labels; or a genuine and an impostor list; or scores and their trials. Several "
            "tables are several systems.",
        ),
    ],
    scores: options.ScoreInput,
    reading: options.ReadingOptions,
    templates: options.TemplateInput,
    matcher: options.MatcherOptions,
    protocol: options.ProtocolOptions,
    random: options.RandomOptions,
    job: Annotated[options.JobOptions, without("index")],
    questions: Questions,
    use: UseOptions,
    day: options.BudgetOptions,
    intervals: options.IntervalOptions,
    outputs: options.OutputOptions,
) -> None:
    """Evaluate 1:1 comparisons: error rates, operating points, curves.

    Example: bertillon verify genuine.txt impostor.txt -m EER -m FNMR@FMR=0.001 --figures out
    """
    if _are_curves(files, scores.format):
        columns = replace(reading, explain=False, max_memory=None)
        others = given_options(columns, templates, matcher, protocol, random, job, intervals)
        _verify_curves(files, scores, questions, use, outputs, others)
        return
    if given_options(use):
        use.require_transactions()
    shown, budget = outputs.require_usable(intervals), use.planned(day)
    if questions.dev and intervals.sides != "both":
        raise InputError("--dev judges thresholds by intervals of two sides; leave out --sides, or --dev")
    gates = outputs.gates("verification", intervals=intervals.intervals)
    asked = questions.measures(evaluating.DEFAULT_MEASURES, use, [gate.measure for gate in gates])
    attempts, seed = use.expected_attempts, random.seed
    source = ScoreSource.of(scores, reading, job)
    of_templates = TemplateSource(
        templates, matcher, protocol, reading, seed, job, use.enrolment if use.transactions else None
    )
    needing = [*questions.need_every_score, *(["--transactions"] if use.transactions else [])]
    comparisons = comparisons_of(files, of_templates, source, asked, groups=questions.groups, whole=needing)
    systems = _systems(comparisons, questions, scores.name, needing)
    evaluations = evaluated(systems, asked)
    discards = _discards(comparisons, evaluations, questions.discard)
    people = [analysis.menagerie_of(evaluation) for evaluation in evaluations] if questions.people else []
    by_group = _by_group(comparisons, evaluations, intervals, seed) if questions.groups else []
    conditions = _by_condition(comparisons, systems, asked, questions.by, intervals, seed)
    evaluations = intervals.add_to(evaluations, seed=seed)
    planned = _planned(evaluations, budget, intervals.settings(seed))
    attempted = use.rates(comparisons, evaluations, of_templates, source, intervals) if use.transactions else []
    content = views.ReportContent(
        verification=evaluations,
        findings=[*planned, *attempted],
        expected=[analysis.forecasts(evaluation, **attempts) for evaluation in evaluations] if attempts else [],
        folds=fold_accuracies(comparisons, source) if questions.folds else [],
        development=_on_development(questions.dev, evaluations, source, level=intervals.level),
        discards=discards,
        people=people,
        groups=by_group,
        conditions=conditions,
        bands={"verification": intervals.bands_of(evaluations, shown=shown)},
        vocabulary=outputs.names,
        preset=questions.chosen_preset,
        use=use.use(),
        rates=questions.rates,
    )
    out.deliver(
        outputs,
        content,
        csv=lambda folder: _write_csv(content, folder) + write_curves(attempted, "transactions", folder),
        figures=lambda folder, formats: _save_figures(content, folder, formats),
        failed=lambda: [*_unmet(questions.chosen_preset, evaluations), *out.failures(gates, evaluations)],
        explain=reading.explain,
        further=[each for each in FURTHER if not (questions.x and each.startswith("-x"))],
    )


def _systems(
    comparisons: Comparisons, questions: Questions, names: Sequence[str], needing: Sequence[str]
) -> list[Compared]:
    """What was read, named as was said; refused where a class is missing, or scores that options need."""
    systems = out.renamed(_with_enrolments(comparisons.systems, questions.enrolments), names)
    _require_both_classes(systems)
    require_kept(systems, [*needing, *(["--groups"] if questions.groups else [])])
    return systems


def _by_group(
    comparisons: Comparisons,
    evaluations: Sequence[evaluating.ScoreEvaluation],
    intervals: options.IntervalOptions,
    seed: int,
) -> list[analysis.GroupRates]:
    """Both error rates by group of people, of each system."""
    sure = intervals.settings(seed) if intervals.intervals else None
    lost = failed_subjects(comparisons, evaluations)
    return [
        analysis.group_rates_of(evaluation, groups, level=intervals.level, settings=sure, failed=failed)
        for evaluation, groups, failed in zip(evaluations, comparisons.groups, lost, strict=False)
    ]


def _unmet(preset: advice.Preset | None, evaluations: Sequence[evaluating.ScoreEvaluation]) -> list[core.Message]:
    """What is said of the systems that do not meet a preset."""
    if preset is None:
        return []
    unmet = [each for each in evaluations if not preset.is_met(each.results)]
    return [
        core.say("list.named", name=each.name, message=preset.verdict(each.results, each.intervals)) for each in unmet
    ]


def _discards(
    comparisons: Comparisons, evaluations: Sequence[evaluating.ScoreEvaluation], columns: str | None
) -> list[analysis.Discarded]:
    """The curves of each system by the qualities named; none where nobody asked."""
    if columns is None:
        return []
    names = [name.strip() for name in columns.split(",")]
    if not all(names):
        raise InputError(f"--discard: {columns!r} has an empty name; expected columns as in quality1,quality2")
    qualities = qualities_of(comparisons, evaluations, names)
    return [analysis.discarded(each, quality, names) for each, quality in zip(evaluations, qualities, strict=True)]


def _planned(
    evaluations: Sequence[evaluating.ScoreEvaluation], budget: analysis.Budget | None, settings: stats.Settings
) -> list[analysis.Budgets]:
    """The threshold for each budget, of each system."""
    if budget is None:
        return []
    require_kept([each.trials for each in evaluations], ["--alarms-per-day"])
    return [analysis.budgets_of(evaluation, budget, settings=settings) for evaluation in evaluations]


def _by_condition(
    comparisons: Comparisons,
    systems: Sequence[Compared],
    asked: Sequence[measures.Measure],
    by: Sequence[str],
    intervals: options.IntervalOptions,
    seed: int,
) -> list[analysis.ConditionResults]:
    """Every measure by condition, from the tables that the scores were read from or the metadata of templates."""
    if not by:
        return []
    tables = [table for table in comparisons.tables if isinstance(table, core.ComparisonTable)]
    if len(tables) + len(comparisons.templates) != len(systems):
        problem = "--by needs a table for each system, which holds score, label and condition of each comparison"
        raise InputError(f"{problem}, or templates with metadata; no lists, no matrix")
    made_under: list[Conditions] = [partial(_conditions, table=table, by=by) for table in tables]
    of = trials.conditions_of_templates
    made_under += [partial(of, templates=templates, by=by) for templates in comparisons.templates]
    return by_condition(systems, made_under, asked, intervals, seed)


def _conditions(_: Compared, *, table: core.ComparisonTable, by: Sequence[str]) -> trials.TrialConditions:
    return trials.conditions_of_pairs(table, by)


def _write_csv(content: views.ReportContent, folder: Path) -> list[Path]:
    """Measures and curves; qualities, people, groups, conditions and budgets as far as they were asked for."""
    written = render.write_csv(content.verification, folder, bands=content.bands_in("verification"))
    asked: dict[str, Sequence[Any]] = {"discard": content.discards, "people": content.people, "groups": content.groups}
    asked["conditions"] = content.conditions
    asked["budgets"] = [each for each in content.findings if isinstance(each, analysis.Budgets)]
    frames = [
        (evaluation.name, {name: made[index].to_frame() for name, made in asked.items() if made})
        for index, evaluation in enumerate(content.verification)
    ]
    return written + render.write_frames(frames, folder)


def _save_figures(content: views.ReportContent, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Curves of errors; of qualities, menageries, groups and the like as far as they were asked for."""
    bands = content.bands_in("verification")
    drawn = render.save_figures(content.verification, folder, formats=formats, bands=bands)
    curves = [(discard.name, discard.curves) for discard in content.discards]
    found: dict[str, Sequence[Any]] = {"discard": curves, "menagerie": content.people, "groups": content.groups}
    found["conditions"] = content.conditions
    kinds = {"budgets": analysis.Budgets, "transactions": analysis.TransactionRates}
    for kind, finding in kinds.items():
        found[kind] = [each for each in content.findings if isinstance(each, finding)]
    figures = [render.figures_of(kind, asked) for kind, asked in found.items() if asked]
    return drawn + [path for makers in figures for path in render.save_all(makers, folder, formats=formats)]


def _on_development(
    paths: Sequence[Path], evaluations: Sequence[evaluating.ScoreEvaluation], scores: ScoreSource, *, level: float
) -> list[analysis.DevelopmentResult]:
    """The results with thresholds fixed on development scores, a file of them for each system."""
    if not paths:
        return []
    systems = comparisons_of(paths, TemplateSource(), scores, []).systems
    require_kept(systems, ["--dev"])
    if len(systems) != len(evaluations):
        raise InputError(f"--dev: {len(systems)} systems for {len(evaluations)}; expected one each")
    kept = [system for system in systems if system.form == "whole"]
    _require_both_classes(kept)
    return [analysis.judge(system, each, level=level) for system, each in zip(kept, evaluations, strict=True)]


def _with_enrolments(systems: list[Compared], enrolments: str | None) -> list[Compared]:
    if not enrolments:
        return systems
    counts = options.numbers(enrolments, "--enrolments", ["attempted", "failed"])
    for name, value in counts.items():
        if not value.is_integer():
            raise InputError(f"--enrolments: {name}={value:g}; expected a whole number")
    failed, attempted = (int(counts.get(name, 0)) for name in ("failed", "attempted"))
    return [system.with_enrolments(failed, attempted) for system in systems]


def _require_both_classes(systems: Sequence[Compared]) -> None:
    """As far as that is known: a protocol without one of them was refused, and a stream is yet to be counted."""
    for system in systems:
        if system.form == "whole":
            require_both_classes(system.name, **system.counts)


def _are_curves(files: Sequence[Path], format: str | None) -> bool:
    """The files hold error curves; scores and curves in one command are refused."""
    if format is not None:
        return format == CURVE
    curves = [formats.is_curve(file) for file in files]
    if any(curves) and not all(curves):
        curve, other = files[curves.index(True)], files[curves.index(False)]
        raise InputError(f"{curve}: holds an error curve, and {other} does not; evaluate them one by one")
    return all(curves)


def _verify_curves(
    files: Sequence[Path],
    scores: options.ScoreInput,
    questions: Questions,
    use: UseOptions,
    outputs: options.OutputOptions,
    others: Sequence[str],
) -> None:
    """Answer what rates at thresholds can answer; every option that needs scores is refused."""
    answered = {
        "--format",
        "--name",
        "--measure",
        "-x",
        "--nearest",
        "--preset",
        "--cost",
        "--prior",
        "--json",
        "--fail-if",
    }
    stated = [*given_options(scores, questions, use, outputs), *others]
    refused = [flag for flag in stated if flag not in answered | {"--vocabulary", "--intervals", "--all", "--quiet"}]
    if refused:
        problem = f"{files[0]}: holds an error curve, not scores"
        raise InputError(f"{problem}; {', '.join(refused)} needs scores: leave it out, or give the scores")
    gates = outputs.gates(CURVE, intervals=False)
    measures = questions.measures(evaluating.CURVE_MEASURES, use, [gate.measure for gate in gates])
    if outputs.json and len(files) > 1:
        raise InputError("--json takes one error curve; evaluate them one by one")
    curves = out.renamed([counting.read_curve(file) for file in files], scores.name)
    evaluations = [evaluating.evaluate(curve, measures) for curve in curves]
    content = views.ReportContent(findings=evaluations, vocabulary=outputs.names)
    out.deliver(outputs, content, failed=lambda: out.failures(gates, evaluations))
