"""`bertillon modes`: the same templates as verification, open set and closed set, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from bertillon.cli import outputs, running, sureness
from bertillon.cli import template_options as given


def modes(
    file: Annotated[Path, typer.Argument(help="Templates with their owners.")],
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
    multiple: given.MultipleOption = False,
    fusion: given.FusionOption = "best",
    seed: given.SeedOption = 0,
    sample_nonmated: given.SampleOption = None,
    checkpoint: running.CheckpointOption = None,
    engine: running.EngineOption = running.EngineName.THREADS,
    scheduler: running.SchedulerOption = None,
    intervals: sureness.IntervalsOption = True,
    level: sureness.LevelOption = 0.95,
    resamples: sureness.ResamplesOption = 1000,
    json: outputs.JsonOption = None,
    figures: outputs.FiguresOption = None,
    figure_format: outputs.FigureFormatOption = None,
    report: outputs.ReportOption = None,
    lang: outputs.LangOption = "en",
    vocabulary: outputs.VocabularyOption = outputs.Vocabulary.BIOMETRIC,
) -> None:
    """Evaluate templates in the three modes: verification, open-set and closed-set identification.

    Example: bertillon modes embeddings.npz
    """
    from bertillon.evaluation import DEFAULT_MEASURES, evaluate
    from bertillon.evaluation.templates import search_trials, verification_trials
    from bertillon.render.modes import modes_text
    from bertillon.views.findings import Findings

    outputs.check_report(report, lang)
    said = given.TemplateOptions.among(locals())
    targets = outputs.Targets.among(locals())
    plan = said.plan(said.read(file))
    with running.Running.among(locals()).start() as how:
        trials = verification_trials(plan, DEFAULT_MEASURES, sample=said.sample, **how)
        verification, searches = evaluate(trials, DEFAULT_MEASURES), evaluate(search_trials(plan, **how))
    how_sure = partial(sureness.sure, intervals=intervals, level=level, resamples=resamples, seed=seed)
    [verification], [searches] = how_sure([verification]), how_sure([searches])

    def draw(folder: Path, formats: Sequence[str]) -> list[Path]:
        from bertillon.render.figures.save import save_figures

        return [file for one in (verification, searches) for file in save_figures([one], folder, formats=formats)]

    protocol = [str(line) for line in plan.words]
    whole = Findings([verification], [searches], vocabulary=vocabulary, protocol=protocol, same_scores=True)
    written = targets.write(json=lambda: outputs.json_text(whole), figures=draw)
    if report:
        written.append(outputs.write_report(whole, report, lang))
    if json == "-":
        print(outputs.json_text(whole), end="")
        return
    console = outputs.console()
    console.print(modes_text(verification, searches, words=protocol, vocabulary=vocabulary))
    outputs.show_written(console, written)
