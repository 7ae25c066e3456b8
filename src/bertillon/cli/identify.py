"""`bertillon identify`: 1:N evaluation from templates, a matrix or candidate lists to answers.

`bertillon reliability`: which answers of a search can be relied on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import bertillon as bt
from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option, reworded, without
from bertillon.cli.in_use import GalleryOptions, by_condition, by_option, require_intervals, write_curves
from bertillon.cli.inputs import (
    groups_of,
    indexed_of,
    is_table_of_people,
    parts,
    scores_or_templates,
    searches_of,
    table_of,
    with_distinct_names,
)
from bertillon.cli.outputs import Bar
from bertillon.cli.rooms import analysis, core, evaluating, measures, render, stats, trials, views
from bertillon.cli.sources import ScoreSource, TemplateSource
from bertillon.core import InputError, Message, say

if TYPE_CHECKING:
    from bertillon.cli.in_use import Conditions
    from bertillon.cli.inputs import Table

FURTHER = ("--report out.html", "--figures out", "--all")  # what one may want next
TRAFFIC = "--volume passers=1000"


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked about each system."""

    PANEL: ClassVar[str] = options.QUESTIONS
    measure: tuple[str, ...] = options.measure_option("RR, DIR@FPIR=0.01,k=1, ...", "identification")
    rank: tuple[int, ...] = option(default=(), help="CMS at this rank; repeatable.")
    fpir: tuple[float, ...] = option(default=(), metavar="RATE", help="DIR at this FPIR; repeatable.")
    volume: str | None = option(
        metavar="passers=N,minutes=N[,on_list=SHARE]",
        help="Traffic past a watch list, for its five operating regions: passers=100000,minutes=15.",
    )
    cost: str | None = option(
        metavar="alarm=COST,miss=COST", help="Cost of each error, for the threshold that costs least a day."
    )
    groups: str | None = option(
        metavar="COLUMN|FILE",
        help="FPIR and FNIR by group of subjects: a column of the templates' metadata, or a table with columns "
        "subject, group.",
    )
    by: tuple[str, ...] = by_option()
    mates: Path | None = option(
        help="Mates of the searches: one search and its mate per line (PyEER true pairs).", panel=options.INPUT
    )

    @property
    def load(self) -> dict[str, float] | None:
        return options.numbers(self.volume, "--volume", ["passers", "minutes", "on_list"]) if self.volume else None

    @property
    def by_column(self) -> bool:
        """Are groups of people a column of the templates' metadata?"""
        return self.groups is not None and not is_table_of_people(self.groups)

    def measures(self) -> list[str] | None:
        """The measures asked for, or None for the usual ones."""
        at_ranks = [f"CMS@{rank}" for rank in self.rank]
        asked = [*self.measure, *at_ranks, *(f"DIR@FPIR={rate!r},k=1" for rate in self.fpir)]
        measures.measure_set_of("identification").parse_all(asked)
        return asked or None


def identify(
    files: Annotated[
        tuple[Path, ...],
        argument("FILE", "Templates, a score matrix (rows = probes), or candidate lists; one file per system."),
    ],
    scores: Annotated[options.ScoreInput, without("trust")],
    reading: options.TemplateReading,
    templates: options.TemplateInput,
    matcher: Annotated[options.MatcherOptions, without("multiple")],
    protocol: Annotated[options.ProtocolOptions, without("sample_nonmated")],
    random: options.RandomOptions,
    job: Annotated[options.JobOptions, without("stream", "allow_repeats")],
    questions: Questions,
    use: options.BudgetOptions,
    gallery: GalleryOptions,
    intervals: options.IntervalOptions,
    outputs: options.OutputOptions,
) -> None:
    """Evaluate 1:N searches, open and closed set: ranks, detection rates, operating regions.

    Example: bertillon identify embeddings.npz --leave-out 0.3 --volume passers=100000,minutes=15
    """
    shown = outputs.require_usable(intervals)
    gates = outputs.gates("identification", intervals=intervals.intervals)
    asked, load, mates = questions.measures(), questions.load, questions.mates
    costs = options.numbers(questions.cost, "--cost", ["alarm", "miss"]) if questions.cost else None
    budget, source = use.budget(costs), ScoreSource.of(scores, reading)
    of_templates = TemplateSource(templates, matcher, protocol, reading, random.seed, job)
    _require_options_fit(questions, job, gallery, intervals)
    whole = bool(gallery.sizes or questions.by or questions.by_column)
    tables = [table_of(file, of_templates, source) for file in files] if whole else []
    indexed = [indexed_of(file, of_templates, source) for file in files] if job.index else []
    searches = [search.searches for search in indexed] or _searches(files, of_templates, source, mates, tables)
    systems = out.renamed(with_distinct_names(searches, files), scores.name)
    renamed = [replace(search, searches=system) for search, system in zip(indexed, systems, strict=False)]
    evaluations = intervals.add_to([evaluating.evaluate(system, asked) for system in systems], seed=random.seed)
    settings = intervals.settings(random.seed)
    by_group = _by_group(evaluations, tables, questions.groups, settings if intervals.intervals else None)
    planned = [analysis.budgets_of(each, budget, settings=settings) for each in evaluations] if budget else []
    made_under = _made_under(tables, questions.by)
    conditions = by_condition(systems, made_under, asked, intervals, random.seed) if made_under else []
    curves = gallery.curves(tables if gallery.sizes else [], of_templates, source, intervals, questions.fpir)
    curves = [replace(curve, name=system.name) for curve, system in zip(curves, systems, strict=False)]
    found: list[Any] = [*by_group, *planned, *curves]
    content = views.ReportContent(
        identification=evaluations,
        regions=[_regions(evaluation, load) for evaluation in evaluations] if load else [],
        conditions=conditions,
        bands={"identification": intervals.bands_of(evaluations, shown=shown)},
        vocabulary=outputs.names,
        search_use=_search_use(load, budget),
    )
    bands = content.bands_in("identification")

    def figures(folder: Path, formats: Sequence[str]) -> list[Path]:
        drawn = render.save_figures(evaluations, folder, formats=formats, bands=bands)
        beside: dict[str, Sequence[Any]] = {"index": indexed, "gallery": curves}
        beside |= {"search-groups": by_group, "budgets": planned, "conditions": conditions}
        makers = [render.figures_of(kind, found) for kind, found in beside.items() if found]
        return drawn + [path for made in makers for path in render.save_all(made, folder, formats=formats)]

    out.deliver(
        outputs,
        replace(content, findings=[*renamed, *found]),
        json=lambda: render.report_json(replace(content, findings=found)),
        csv=lambda folder: [
            *render.write_csv(evaluations, folder, bands=bands),
            *write_curves(curves, "gallery-sizes", folder),
            *write_curves(by_group, "groups", folder),
            *write_curves(planned, "budgets", folder),
            *write_curves(conditions, "conditions", folder),
        ],
        figures=figures,
        more=lambda: _write_trade_off(indexed, outputs.csv),
        report=lambda: replace(content, findings=found),
        failed=lambda: out.failures(gates, evaluations),
        explain=reading.explain,
        further=(*FURTHER[:-1], *([] if load else [TRAFFIC]), FURTHER[-1]),
    )


def _require_options_fit(
    questions: Questions, job: options.JobOptions, gallery: GalleryOptions, intervals: options.IntervalOptions
) -> None:
    """Refuse options that exclude each other, before any file is read."""
    if job.index and questions.mates:
        raise InputError("--index searches templates; --mates is for lists of candidates: leave one out")
    if job.index and gallery.sizes:
        raise InputError("--gallery-size makes every comparison, which --index leaves out: leave out one of them")
    if job.elsewhere and gallery.sizes:
        flags = "--checkpoint, --engine and --scheduler"
        raise InputError(
            f"--gallery-size compares on the threads of this machine; leave out {flags}, or --gallery-size"
        )
    if questions.by:
        require_intervals(intervals)
    if questions.by and questions.mates:
        raise InputError("--by takes the condition of a search from its table; put the mates into it, not into --mates")


def _searches(
    files: Sequence[Path],
    templates: TemplateSource,
    source: ScoreSource,
    mates: Path | None,
    tables: Sequence[Table],
) -> list[trials.SearchSet]:
    """The searches of each file, from its table where that was read already."""
    read: Sequence[Table | None] = tables or [None] * len(files)
    return [
        searches_of(file, templates, source, part=part, mates=mates, table=table)
        for file, part, table in zip(files, parts(files), read, strict=True)
    ]


def _write_trade_off(indexed: Sequence[evaluating.IndexedSearch], folder: Path | None) -> list[Message]:
    """What an approximate index loses, for each number of candidates it looks at."""
    tables = {"index": render.trade_off_frame(indexed)} if indexed else {}
    files = render.write_frames([("", tables)], folder) if folder else []
    return [say("terminal.written.trade_off", file=str(file)) for file in files]


def _by_group(
    evaluations: Sequence[evaluating.SearchEvaluation],
    tables: Sequence[Table],
    groups: str | None,
    settings: stats.Settings | None,
) -> list[analysis.SearchGroups]:
    """FPIR and FNIR by group, of each system."""
    if groups is None:
        return []
    made = [table for table in tables if isinstance(table, core.TemplateTable)]
    read = [evaluation.name for evaluation in evaluations[len(made) :]]
    people = groups_of(groups, read, made)
    return [
        analysis.search_groups(evaluation, own, settings=settings)
        for evaluation, own in zip(evaluations, people, strict=True)
    ]


def _made_under(tables: Sequence[Any], by: Sequence[str]) -> list[Conditions]:
    """The conditions of the probes of each system, from the table they stand in."""
    whole = [table.source for table in tables if by and isinstance(table, core.ScoreMatrix)]
    if whole:
        problem = f"{whole[0]}: holds a matrix, which says nothing of its probes"
        raise InputError(f"{problem}; --by needs templates with metadata, or a table of comparisons")
    return [partial(trials.conditions_of_searches, source=table, by=by) for table in tables if by]


def _search_use(load: dict[str, float] | None, budget: analysis.Budget | None) -> views.WatchListUse | None:
    """Who passes in a day, as far as somebody said."""
    if load:
        return views.WatchListUse(**load)
    return None if budget is None else views.WatchListUse(budget.passers, budget.minutes, budget.on_list)


def _regions(evaluation: evaluating.SearchEvaluation, load: dict[str, float]) -> list[analysis.Region]:
    if "passers" not in load:
        raise InputError("--volume: passers is missing; expected passers=NUMBER and perhaps minutes and on_list")
    curve, passers, minutes = evaluation.tally.watch_list_curve, load["passers"], load.get("minutes", 15.0)
    return analysis.operating_regions(curve, passers=passers, minutes=minutes, on_list=load.get("on_list"))


@dataclass(frozen=True, slots=True)
class ReliabilityOptions:
    """How the reliability of an answer is measured."""

    PANEL: ClassVar[str] = "Reliability"
    dev: Path | None = option(help="Another matrix, or templates, to fit phi0 on.")
    phi: str = option(
        default="relative-distance", metavar="relative-distance|density-ratio", help="Reliability measure of an answer."
    )
    count_first: bool = option(
        "--count-first/--no-count-first", default=True, help="Count the first answer among its own neighbours."
    )
    threshold: float | None = option("-t", "--threshold", help="Value of phi0, instead of fitting it.")
    perfect: float = option(default=1.0, metavar="SCORE", help="Similarity of a perfect match.")
    absolute: bool = option(default=False, help="Use the absolute value of SRR.")

    def __post_init__(self) -> None:
        if self.dev is not None and self.threshold is not None:
            raise InputError("--dev and --threshold both say what phi0 is; give one of them")


def reliability(
    file: Annotated[Path, argument("FILE", "A score matrix (rows = probes) with its subjects, or templates.")],
    wanted: ReliabilityOptions,
    scores: Annotated[options.ScoreInput, only("distance")],
    reading: options.TemplateReading,
    templates: options.TemplateInput,
    matcher: Annotated[options.MatcherOptions, only("matcher", "matcher_option")],
    protocol: Annotated[options.ProtocolOptions, without("sample_nonmated")],
    random: options.RandomOptions,
    outputs: Annotated[
        options.OutputOptions,
        only("json", "csv", "lang"),
        reworded(csv="Write the answers as CSV, one row per answer."),
        options.TERMINAL,
    ],
) -> None:
    """Estimate which answers of a search are reliable (System Response Reliability).

    Example: bertillon reliability matrix.csv --dev dev-matrix.csv --phi density-ratio --csv out
    """
    source = TemplateSource(templates, matcher, protocol, reading, random.seed)
    judge = partial(
        bt.analysis.response_reliability,
        kind=wanted.phi,
        rule=scores.rule,
        count_first=wanted.count_first,
        perfect=wanted.perfect,
        absolute=wanted.absolute,
    )
    threshold = wanted.threshold if wanted.dev is None else judge(_matrix(wanted.dev, source)).threshold
    rated = judge(_matrix(file, source), threshold=threshold)

    def answers() -> list[Message]:
        paths = render.write_frames([("", {"reliability": rated.to_frame()})], outputs.csv) if outputs.csv else []
        return [say("terminal.written.answers", file=str(path)) for path in paths]

    out.deliver(outputs, rated, more=answers, explain=reading.explain)


def _matrix(path: Path, templates: TemplateSource) -> core.ScoreMatrix:
    table = scores_or_templates(path, templates)
    if isinstance(table, core.ComparisonTable):
        raise InputError(f"{path}: holds comparisons; expected a score matrix with owners, or templates")
    if isinstance(table, core.TemplateTable):
        with Bar() as bar:
            return trials.matrix_of(templates.plan(table), bar)
    return trials.settled(table).matrix
