"""`bertillon inspect`: how files would be read, before anything is computed; and `--explain` of other commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bertillon.cli import outputs, score_options
from bertillon.cli import template_options as given
from bertillon.cli.places import with_option
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.trials.inspection import Inspection

TEMPLATES = ("labels", "kind", "angle", "subject_pattern")  # parameters that are about templates
ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain", help="Say in full how the files were read, as 'inspect' does.", rich_help_panel=outputs.PANEL
    ),
]


def inspect(
    files: Annotated[list[Path], typer.Argument(help="Files of scores, templates or predictions, as for 'verify'.")],
    distance: score_options.DistanceOption = False,
    similarity: score_options.SimilarityOption = False,
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
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Write it as JSON.", rich_help_panel=outputs.PANEL)
    ] = None,
) -> None:
    """Show how files would be read: format, columns, labels, direction, people, what is odd, and the command to use.

    Example: bertillon inspect scores.csv
    """
    found = inspected(locals())
    if json:
        from bertillon.render.strict_json import strict_json

        text = strict_json(found.to_dict())
        if json == "-":
            print(text, end="")
        else:
            outputs.show_written(outputs.console(), [outputs.write_text(text, json)])
    else:
        show(found)
    if found.problem:
        raise InputError(found.problem)


def inspected(arguments: Mapping[str, Any]) -> Inspection:
    """The inspection of the files among a command's arguments, with what is said of them there."""
    from bertillon.trials.inspection import inspect as look

    usual = {"distance": False, "similarity": False, "format": None, "column": None}
    said = score_options.ScoreOptions.among({**usual, **arguments})
    files = arguments.get("files") or [arguments["file"]]
    of_templates: dict[str, Any] = {name: arguments.get(name) for name in TEMPLATES}
    return look(
        *files,
        rule=said.rule,
        **said.how,
        mask=said.mask,
        all_against_all=said.all_against_all,
        trust=said.trust,
        **of_templates,
    )


def show(found: Inspection, *, beside: bool = False) -> None:
    """Print an inspection; `beside` other output, on the error stream."""
    from bertillon.render.inspection import print_inspection

    print_inspection(found, outputs.console(stderr=beside))


def with_explain(command: Callable[..., None]) -> Callable[..., None]:
    """The command with --explain added: how its files are read, in full, before its answers."""

    @wraps(command)
    def run(*, explain: bool = False, **arguments: Any) -> None:
        if explain:
            show(inspected(arguments), beside=arguments.get("json") == "-")
        command(**arguments)

    with_option(run, command, "explain", False, ExplainOption)
    return run
