"""`bertillon calibrate fit` and `apply`: probabilities that can be trusted, learnt on one file and used on others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option, reworded, without
from bertillon.cli.options import PREDICTION_COLUMNS, OutputOptions, PredictionInput, ReadingOptions
from bertillon.cli.predictions import PredictionSource, read_calibrator
from bertillon.cli.progress import working
from bertillon.cli.rooms import analysis, evaluating, render, trials, views
from bertillon.core.errors import InputError
from bertillon.core.files import write_whole
from bertillon.core.messages import Message, Text, say

FORMATS = (".csv", ".parquet")


@dataclass(frozen=True, slots=True)
class FitOptions:
    """The calibrator to fit."""

    output: Path = option("-o", "--output", required=True, writes=True, help="Calibrator to write, as JSON.")
    method: str = option(
        default="platt", metavar="platt|isotonic|temperature|beta", help="How scores become probabilities."
    )


@dataclass(frozen=True, slots=True)
class ApplyOptions:
    """The predictions to write."""

    output: Path = option("-o", "--output", required=True, writes=True, help="Predictions to write: .csv or .parquet.")


def fit(
    file: Annotated[Path, argument("FILE", "Predictions to learn from; not those the result is judged on.")],
    options: FitOptions,
    predictions: Annotated[PredictionInput, without("groups")],
    reading: Annotated[ReadingOptions, reworded(column=PREDICTION_COLUMNS)],
    outputs: Annotated[OutputOptions, only("figures", "lang")],
) -> None:
    """Fit a calibrator on predictions with their truth.

    Example: bertillon calibrate fit dev.csv --method platt -o cal.json
    """
    before = _read(file, predictions, reading)
    with working("fitting"):
        try:
            calibrator = analysis.saved(options.method, before, data=before.fingerprint)
        except InputError as error:
            raise InputError(f"{file}: {error}") from error
    written = out.write_text(calibrator.to_json(), str(options.output), calibrator.kind)
    warning = say("warning.judged_here", kind=calibrator.kind)
    _show(before, calibrator.apply(before), [written], warning=warning, figures=outputs.figures)


def apply(
    calibrator: Annotated[Path, argument("CALIBRATOR", "File that 'bertillon calibrate fit' wrote.")],
    file: Annotated[Path, argument("FILE", "Predictions to calibrate, with their truth.")],
    options: ApplyOptions,
    predictions: PredictionInput,
    reading: Annotated[ReadingOptions, reworded(column=PREDICTION_COLUMNS)],
    outputs: Annotated[OutputOptions, only("figures", "lang")],
) -> None:
    """Apply a calibrator to other predictions, and show what changed.

    Example: bertillon calibrate apply cal.json eval.csv -o calibrated.csv
    """
    suffix = options.output.suffix.lower()
    if suffix not in FORMATS:
        expected = " or ".join(FORMATS)
        raise InputError(f"--output: {options.output}: predictions are written as {expected}; name such a file")
    saved = read_calibrator(calibrator)
    before = _read(file, predictions, reading)
    try:
        after = saved.apply(before)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    frame = render.predictions_frame(after)
    write_whole(options.output, frame.write_parquet if suffix == ".parquet" else frame.write_csv)
    same_data = bool(saved.data) and saved.data == before.fingerprint
    warning = say("warning.fitted_here", kind=saved.kind) if same_data else ""
    known = say("terminal.calibration.fitted_on", source=saved.fitted_on, n=saved.samples)
    origin = known if saved.fitted_on else say("terminal.calibration.unknown")
    lines = [say("terminal.calibration.by", kind=saved.kind, origin=origin)]
    lines.append(say("terminal.written", file=str(options.output)))
    _show(before, after, lines, warning=warning, figures=outputs.figures)


def _read(file: Path, predictions: PredictionInput, reading: ReadingOptions) -> trials.Predictions:
    source = PredictionSource.of(predictions, reading)
    with working("reading"):
        [read] = out.renamed([source.read(file)], predictions.name)
    return read


def _show(
    before: trials.Predictions, after: trials.Predictions, lines: list[Message], *, warning: Text, figures: Path | None
) -> None:
    """What calibration did to these predictions."""
    if figures:
        with working("drawing"):
            reliability = [evaluating.evaluate(predictions, "ECE") for predictions in (before, after)]
            drawn = render.save_calibration_figure(*reliability, folder=figures)
        lines = [*lines, out.figures_written(drawn, figures)]
    terminal = out.console()
    changes = analysis.calibration_table(before, after)
    terminal.print(render.terminal_text(views.Recalibrated(before, changes, warning)))
    out.show_written(terminal, lines)
