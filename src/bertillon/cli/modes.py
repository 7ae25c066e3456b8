"""`bertillon modes`: the same templates as verification, open set and closed set, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bertillon.cli import outputs
from bertillon.cli import template_options as given
from bertillon.cli.progress import Bar


def modes(
    file: Annotated[Path, typer.Argument(help="Templates with their owners.")],
    labels: given.LabelsOption = None,
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
    json: outputs.JsonOption = None,
    figures: outputs.FiguresOption = None,
    vocabulary: outputs.VocabularyOption = outputs.Vocabulary.BIOMETRIC,
) -> None:
    """Evaluate templates in the three modes: verification, open-set and closed-set identification.

    Example: bertillon modes embeddings.npz
    """
    from rich.console import Console

    from bertillon.evaluation import DEFAULT_MEASURES, evaluate
    from bertillon.evaluation.templates import search_trials, verification_trials
    from bertillon.report.modes import modes_json, modes_text

    said = given.TemplateOptions.among(locals())
    plan = said.plan(said.read(file))
    with Bar() as bar:
        verification = evaluate(verification_trials(plan, DEFAULT_MEASURES, progress=bar), DEFAULT_MEASURES)
        searches = evaluate(search_trials(plan, progress=bar))
    written = []
    if json and json != "-":
        written.append(outputs.write_text(modes_json(verification, searches), json))
    if figures:
        from bertillon.report.pictures import draw, draw_searches

        drawn = [*draw([verification], figures), *draw_searches([searches], figures)]
        written.append(f"{len(drawn)} figures written to {figures}")
    if json == "-":
        print(modes_json(verification, searches), end="")
        return
    console = Console()
    console.print(modes_text(verification, searches, plan.words, vocabulary))
    outputs.show_written(console, written)
