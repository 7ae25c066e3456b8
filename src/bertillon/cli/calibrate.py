"""`bertillon calibrate fit` and `apply`: probabilities that can be trusted, learnt on one file and used on others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import class_options as said
from bertillon.cli import outputs
from bertillon.cli.memory import with_max_memory
from bertillon.cli.places import checked
from bertillon.cli.progress import working
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.trials.predictions import Predictions

app = typer.Typer(no_args_is_help=True, help="Learn probabilities that can be trusted, and apply what was learnt.")

FORMATS = (".csv", ".parquet")
LabelOption = Annotated[str | None, typer.Option("--label", help="Name of the system.", rich_help_panel=said.PANEL)]


@app.command()
@with_max_memory
@checked
def fit(
    file: Annotated[Path, typer.Argument(help="Predictions to learn from; not those to be judged.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Calibrator to write, as JSON.")],
    method: Annotated[str, typer.Option(help="platt, isotonic, temperature or beta.")] = "platt",
    positive: said.PositiveOption = None,
    column: said.ColumnOption = None,
    weights: said.WeightsOption = None,
    label: LabelOption = None,
    figures: outputs.FiguresOption = None,
) -> None:
    """Fit a calibrator on predictions with their truth.

    Example: bertillon calibrate fit dev.csv --method platt -o cal.json
    """
    from bertillon.analysis.saved_calibrator import saved

    before = _read(file, said.Reading.of(positive, column or [], weights=weights), label)
    with working("fitting"):
        try:
            made = saved(method, before, data=said.fingerprint_of(before))
        except InputError as error:
            raise InputError(f"{file}: {error}") from error
    text = made.to_json()
    written = outputs.write_text(text, str(output)).replace("JSON", made.kind)
    warning = f"these are the very samples {made.kind} was fitted on: judge it on others (bertillon calibrate apply)"
    _show(before, made.apply(before), [written], warning=warning, figures=figures)


@app.command()
@with_max_memory
@checked
def apply(
    calibrator: Annotated[Path, typer.Argument(help="What 'calibrate fit' wrote.")],
    file: Annotated[Path, typer.Argument(help="Predictions to calibrate, with their truth.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Predictions to write: .csv, .parquet.")
    ],
    positive: said.PositiveOption = None,
    column: said.ColumnOption = None,
    weights: said.WeightsOption = None,
    groups: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of groups.", rich_help_panel=said.PANEL)
    ] = None,
    label: LabelOption = None,
    figures: outputs.FiguresOption = None,
) -> None:
    """Apply a calibrator to other predictions, and show what it did.

    Example: bertillon calibrate apply cal.json eval.csv -o calibrated.csv
    """
    _require_format(output)
    held = said.read_calibrator(calibrator)
    before = _read(file, said.Reading.of(positive, column or [], weights=weights, groups=groups), label)
    try:
        after = held.apply(before)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    _write(after, output)
    seen = bool(held.data) and held.data == said.fingerprint_of(before)
    warning = said.fitted_here(held.kind) if seen else ""
    where = f"fitted on {held.fitted_on} ({held.samples:,} samples)" if held.fitted_on else "fitted on data unknown"
    _show(before, after, [f"calibrated by {held.kind}, {where}; written to {output}"], warning=warning, figures=figures)


def _read(file: Path, reading: said.Reading, label: str | None) -> Predictions:
    with working("reading"):
        found = reading.read(file)
    return found if label is None else replace(found, name=label)


def _require_format(output: Path) -> None:
    if output.suffix.lower() not in FORMATS:
        raise InputError(f"--output: {output}: predictions are written as {' or '.join(FORMATS)}; name such a file")


def _write(after: Predictions, output: Path) -> None:
    from bertillon.core.files import write_whole
    from bertillon.render.class_exports import predictions_frame

    frame = predictions_frame(after)
    write_whole(output, frame.write_parquet if output.suffix.lower() == ".parquet" else frame.write_csv)


def _show(before: Predictions, after: Predictions, lines: list[str], *, warning: str, figures: Path | None) -> None:
    """What calibration did to these predictions."""
    from bertillon.analysis.calibration import calibration_table
    from bertillon.render.calibration import calibration_text

    drawn = _draw(before, after, figures) if figures else []
    console = outputs.console()
    console.print(calibration_text(before, calibration_table(before, after), warning=warning))
    outputs.show_written(console, [*lines, *drawn])


def _draw(before: Predictions, after: Predictions, folder: Path) -> list[str]:
    from bertillon.evaluation.classification import evaluate_predictions
    from bertillon.render.figures.save import save_calibration_figure

    with working("drawing"):
        reliability = [evaluate_predictions(one, "ECE") for one in (before, after)]
        drawn = save_calibration_figure(*reliability, folder=folder)
    return [f"{len(drawn)} figures written to {folder}"]
