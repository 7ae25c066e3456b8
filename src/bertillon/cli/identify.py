"""`bertillon identify`: 1:N evaluation from templates, a matrix or candidate lists to answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from bertillon.cli.declare import argument, option, reworded, without
from bertillon.cli.options import (
    INPUT,
    QUESTIONS,
    IntervalOptions,
    JobOptions,
    MatcherOptions,
    OutputOptions,
    ProtocolOptions,
    RandomOptions,
    ReadingOptions,
    ScoreInput,
    TemplateInput,
    measure_option,
    numbers,
)
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bertillon.analysis.regions import Region
    from bertillon.evaluation import IndexedSearch, SearchEvaluation
    from bertillon.views.report_content import ReportContent


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked about each system."""

    PANEL: ClassVar[str] = QUESTIONS
    measure: tuple[str, ...] = measure_option("RR, DIR@FPIR=0.01,k=1, ...; see 'bertillon measures'")
    rank: tuple[int, ...] = option(default=(), help="CMS at this rank; repeatable.")
    fpir: tuple[float, ...] = option(default=(), metavar="RATE", help="DIR at this FPIR; repeatable.")
    volume: str | None = option(
        metavar="passers=N,minutes=N[,on_list=SHARE]",
        help="Traffic past a watch list, for its five operating regions: passers=100000,minutes=15.",
    )
    mates: Path | None = option(
        help="Mates of the searches: a search and its mate in each line (PyEER true pairs).", panel=INPUT
    )

    @property
    def load(self) -> dict[str, float] | None:
        """The traffic past a watch list."""
        return numbers(self.volume, "--volume", ["passers", "minutes", "on_list"]) if self.volume else None

    def measures(self) -> list[str] | None:
        """The measures asked for, or None for the usual ones."""
        from bertillon.measures.identification import IDENTIFICATION

        at_ranks = [f"CMS@{rank}" for rank in self.rank]
        asked = [*self.measure, *at_ranks, *(f"DIR@FPIR={rate!r},k=1" for rate in self.fpir)]
        IDENTIFICATION.parse_all(asked)
        return asked or None


def identify(
    files: Annotated[
        tuple[Path, ...],
        argument("FILE", "Templates, a score matrix (rows = probes), or candidate lists; one file per system."),
    ],
    scores: Annotated[ScoreInput, without("trust")],
    reading: Annotated[ReadingOptions, reworded(column="Which column is what: subject=name, sample=file; repeatable.")],
    templates: TemplateInput,
    matcher: Annotated[MatcherOptions, without("multiple")],
    protocol: Annotated[ProtocolOptions, without("sample_nonmated")],
    random: RandomOptions,
    job: Annotated[JobOptions, without("stream", "allow_repeats")],
    questions: Questions,
    intervals: IntervalOptions,
    outputs: OutputOptions,
) -> None:
    """Evaluate 1:N searches, open and closed set: ranks, detection rates, operating regions.

    Example: bertillon identify embeddings.npz --leave-out 0.3 --volume passers=100000,minutes=15
    """
    from bertillon.cli import outputs as out
    from bertillon.cli.inputs import ScoreSource, indexed_of, parts, searches_of, with_distinct_names
    from bertillon.cli.templates import TemplateSource
    from bertillon.evaluation import evaluate
    from bertillon.render.trade_off import write_trade_off
    from bertillon.views.report_content import ReportContent, WatchListUse

    outputs.require_report()
    shown = outputs.shows(intervals.bands)
    intervals.require_usable(shown=shown)
    asked, load, mates = questions.measures(), questions.load, questions.mates
    source, of_templates = (
        ScoreSource.of(scores, reading),
        TemplateSource(templates, matcher, protocol, reading, random.seed),
    )
    if job.index and mates:
        raise InputError("--index searches templates; --mates is for lists of candidates: leave one out")
    indexed = [indexed_of(file, of_templates, source, job) for file in files] if job.index else []
    searches = [search.searches for search in indexed] or [
        searches_of(file, of_templates, source, job=job, part=part, mates=mates)
        for file, part in zip(files, parts(files), strict=True)
    ]
    systems = out.renamed(with_distinct_names(searches, files), scores.name)
    evaluations = [evaluate(system, asked) for system in systems]
    evaluations = intervals.add_to(evaluations, seed=random.seed)
    content = ReportContent(
        identification=evaluations,
        regions=[_regions(evaluation, load) for evaluation in evaluations] if load else [],
        bands={"identification": intervals.bands_of(evaluations, shown=shown)},
        vocabulary=outputs.names,
        search_use=WatchListUse(**load) if load else None,
    )
    written = _write(content, outputs, indexed)
    if indexed and outputs.csv:
        written.append(say("terminal.written.trade_off", file=str(write_trade_off(indexed, outputs.csv))))
    written += out.write_report(content, outputs)
    out.show(outputs.json, lambda: out.json_text(content), lambda: _tables(content, indexed, outputs), written)


def _tables(
    content: ReportContent, indexed: Sequence[IndexedSearch], outputs: OutputOptions
) -> Iterator[RenderableType]:
    """What is shown on the terminal."""
    from bertillon.render.searches import identification_text
    from bertillon.render.trade_off import trade_off_table

    evaluations = content.identification
    yield identification_text(evaluations, content.regions, vocabulary=outputs.names)
    for search, evaluation in zip(indexed, evaluations, strict=False):
        yield trade_off_table(search, evaluation.name)


def _write(content: ReportContent, outputs: OutputOptions, indexed: Sequence[IndexedSearch]) -> list[Message]:
    """Write what was asked for; a line for each thing written."""
    from bertillon.cli.outputs import json_text, write_answers

    evaluations, bands = content.identification, content.bands_in("identification")

    def csv(folder: Path) -> list[Path]:
        from bertillon.render.exports import write_search_csv

        return write_search_csv(evaluations, folder, bands=bands)

    def figures(folder: Path, formats: Sequence[str]) -> list[Path]:
        from bertillon.render.figures.index_draw import trade_off_figures
        from bertillon.render.figures.save import save_all, save_figures

        drawn = save_figures(evaluations, folder, formats=formats, bands=bands)
        return drawn + (save_all(trade_off_figures(indexed), folder, formats=formats) if indexed else [])

    return write_answers(outputs, json=lambda: json_text(content), csv=csv, figures=figures)


def _regions(evaluation: SearchEvaluation, load: dict[str, float]) -> list[Region]:
    from bertillon.analysis.regions import operating_regions

    if "passers" not in load:
        raise InputError("--volume: passers is missing; expected passers=NUMBER and perhaps minutes and on_list")
    return operating_regions(
        evaluation.tally.watch_list_curve,
        passers=load["passers"],
        minutes=load.get("minutes", 15.0),
        on_list=load.get("on_list"),
    )
