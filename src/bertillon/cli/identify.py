"""`bertillon identify`: 1:N evaluation from templates, a matrix or candidate lists to answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, option, reworded, without
from bertillon.cli.inputs import indexed_of, parts, searches_of, with_distinct_names
from bertillon.cli.rooms import analysis, evaluating, measures, render, views
from bertillon.cli.streams import ScoreSource
from bertillon.cli.templates import TemplateSource
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked about each system."""

    PANEL: ClassVar[str] = options.QUESTIONS
    measure: tuple[str, ...] = options.measure_option("RR, DIR@FPIR=0.01,k=1, ...; see 'bertillon measures'")
    rank: tuple[int, ...] = option(default=(), help="CMS at this rank; repeatable.")
    fpir: tuple[float, ...] = option(default=(), metavar="RATE", help="DIR at this FPIR; repeatable.")
    volume: str | None = option(
        metavar="passers=N,minutes=N[,on_list=SHARE]",
        help="Traffic past a watch list, for its five operating regions: passers=100000,minutes=15.",
    )
    mates: Path | None = option(
        help="Mates of the searches: a search and its mate in each line (PyEER true pairs).", panel=options.INPUT
    )

    @property
    def load(self) -> dict[str, float] | None:
        """The traffic past a watch list."""
        return options.numbers(self.volume, "--volume", ["passers", "minutes", "on_list"]) if self.volume else None

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
    reading: Annotated[
        options.ReadingOptions, reworded(column="Which column is what: subject=name, sample=file; repeatable.")
    ],
    templates: options.TemplateInput,
    matcher: Annotated[options.MatcherOptions, without("multiple")],
    protocol: Annotated[options.ProtocolOptions, without("sample_nonmated")],
    random: options.RandomOptions,
    job: Annotated[options.JobOptions, without("stream", "allow_repeats")],
    questions: Questions,
    intervals: options.IntervalOptions,
    outputs: options.OutputOptions,
) -> None:
    """Evaluate 1:N searches, open and closed set: ranks, detection rates, operating regions.

    Example: bertillon identify embeddings.npz --leave-out 0.3 --volume passers=100000,minutes=15
    """
    shown = outputs.require_usable(intervals)
    asked, load, mates = questions.measures(), questions.load, questions.mates
    source = ScoreSource.of(scores, reading)
    of_templates = TemplateSource(templates, matcher, protocol, reading, random.seed)
    if job.index and mates:
        raise InputError("--index searches templates; --mates is for lists of candidates: leave one out")
    indexed = [indexed_of(file, of_templates, source, job) for file in files] if job.index else []
    searches = [search.searches for search in indexed] or [
        searches_of(file, of_templates, source, job=job, part=part, mates=mates)
        for file, part in zip(files, parts(files), strict=True)
    ]
    systems = out.renamed(with_distinct_names(searches, files), scores.name)
    renamed = [replace(search, searches=system) for search, system in zip(indexed, systems, strict=False)]
    evaluations = intervals.add_to([evaluating.evaluate(system, asked) for system in systems], seed=random.seed)
    content = views.ReportContent(
        identification=evaluations,
        regions=[_regions(evaluation, load) for evaluation in evaluations] if load else [],
        bands={"identification": intervals.bands_of(evaluations, shown=shown)},
        vocabulary=outputs.names,
        search_use=views.WatchListUse(**load) if load else None,
    )
    bands = content.bands_in("identification")

    def figures(folder: Path, formats: Sequence[str]) -> list[Path]:
        drawn = render.save_figures(evaluations, folder, formats=formats, bands=bands)
        return drawn + (render.save_all(render.trade_off_figures(indexed), folder, formats=formats) if indexed else [])

    def trade_off() -> list[Message]:
        if not indexed or not outputs.csv:
            return []
        return [say("terminal.written.trade_off", file=str(render.write_trade_off(indexed, outputs.csv)))]

    out.deliver(
        outputs,
        lambda: render.report_json(content),
        lambda: [render.terminal_text(replace(content, findings=renamed))],
        csv=lambda folder: render.write_search_csv(evaluations, folder, bands=bands),
        figures=figures,
        more=trade_off,
        report=lambda: content,
    )


def _regions(evaluation: evaluating.SearchEvaluation, load: dict[str, float]) -> list[analysis.Region]:
    if "passers" not in load:
        raise InputError("--volume: passers is missing; expected passers=NUMBER and perhaps minutes and on_list")
    return analysis.operating_regions(
        evaluation.tally.watch_list_curve,
        passers=load["passers"],
        minutes=load.get("minutes", 15.0),
        on_list=load.get("on_list"),
    )
