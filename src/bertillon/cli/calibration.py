"""`bertillon calibrate fit` and `apply`: probabilities that can be trusted, learnt on one file and used on others.

Conventions: what is written is whole or not there. Data with their truth are judged before and after; data without it,
as they come in use, keep their columns and get `calibrated`, the probability, and `llr`, the log-likelihood ratio.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option, reworded, without
from bertillon.cli.inputs import PredictionSource
from bertillon.cli.outputs import working
from bertillon.cli.rooms import analysis, evaluating, render, trials, views
from bertillon.core import InputError, write_whole
from bertillon.core.lazy import pl
from bertillon.core.messages import Message, Text, say

FORMATS = (".csv", ".parquet")


@contextmanager
def named(name: str | Path) -> Iterator[None]:
    """What is wrong with a system is said with its name, or that of its file."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name}: {str(error).removeprefix(f'{name}: ')}") from error


def read_calibrator(path: Path) -> analysis.SavedCalibrator:
    try:
        return analysis.SavedCalibrator.from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise InputError(f"{path}: cannot be read as a calibrator ({reason})") from error
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


@dataclass(frozen=True, slots=True)
class FitOptions:
    """The calibrator to fit."""

    method: str = option(
        default="platt", metavar="platt|isotonic|temperature|beta", help="How scores become probabilities."
    )


def fit(
    file: Annotated[Path, argument("FILE", "Predictions to fit on; evaluate on others.")],
    target: Annotated[options.Target, reworded(output="Calibrator to write, as JSON.")],
    wanted: FitOptions,
    predictions: Annotated[options.PredictionInput, without("groups")],
    reading: options.PredictionReading,
    outputs: Annotated[options.OutputOptions, only("figures", "lang")],
) -> None:
    """Fit a calibrator on predictions with true labels.

    Example: bertillon calibrate fit dev.csv --method platt -o cal.json
    """
    before = _read_one(file, predictions, reading)
    with working("fitting"), named(file):
        calibrator = analysis.saved(wanted.method, before, data=before.fingerprint)
    written = out.write_text(calibrator.to_json(), str(target.output), calibrator.kind)
    warning = say("warning.judged_here", kind=calibrator.kind)
    _show(before, calibrator.apply(before), [written], warning=warning, figures=outputs.figures)


def apply(
    calibrator: Annotated[Path, argument("CALIBRATOR", "File that 'bertillon calibrate fit' wrote.")],
    file: Annotated[Path, argument("FILE", "Predictions to calibrate, with or without true labels.")],
    target: Annotated[options.Target, reworded(output="Predictions to write: .csv or .parquet.")],
    predictions: options.PredictionInput,
    reading: options.PredictionReading,
    outputs: Annotated[options.OutputOptions, only("figures", "lang")],
) -> None:
    """Apply a calibrator to other predictions, with or without true labels.

    Example: bertillon calibrate apply cal.json eval.csv -o calibrated.csv
    """
    if target.output.suffix.lower() not in FORMATS:
        expected = " or ".join(FORMATS)
        raise InputError(f"--output: {target.output}: predictions are written as {expected}; name such a file")
    saved = read_calibrator(calibrator)
    known = say("terminal.calibration.fitted_on", source=saved.fitted_on, n=saved.samples)
    origin = known if saved.fitted_on else say("terminal.calibration.unknown")
    lines = [say("terminal.calibration.by", kind=saved.kind, origin=origin)]
    said = trials.read_unlabelled(file, classes=saved.classes, positive=saved.positive, columns=reading.columns)
    if said is not None:
        _apply_unlabelled(saved, said, target.output, lines, outputs.figures)
        return
    before = _read_one(file, predictions, reading)
    with named(file):
        after = saved.apply(before)
    _write(render.predictions_frame(after), target.output)
    same_data = bool(saved.data) and saved.data == before.fingerprint
    warning = say("warning.fitted_here", kind=saved.kind) if same_data else ""
    lines.append(say("terminal.written", file=str(target.output)))
    _show(before, after, lines, warning=warning, figures=outputs.figures)


def _apply_unlabelled(
    saved: analysis.SavedCalibrator, said: trials.Unlabelled, target: Path, lines: list[Message], figures: Path | None
) -> None:
    """Write the rows of a file without true labels with what they are calibrated to; nothing can be judged."""
    if figures is not None:
        raise InputError(f"{said.name}: has no true labels, so --figures has nothing to draw: leave it out")
    with named(said.name):
        frame = said.with_columns(saved.answers(said.predictions))
    _write(frame, target)
    lines.append(say("terminal.calibration.unlabelled", n=frame.height, failed=said.failed))
    if saved.share is None and frame.columns[-1] == "calibrated":
        lines.append(say("terminal.calibration.no_llr"))
    lines.append(say("terminal.written", file=str(target)))
    out.show_written(out.console(), [*said.notes, *lines])


def _write(frame: pl.DataFrame, target: Path) -> None:
    write_whole(target, frame.write_parquet if target.suffix.lower() == ".parquet" else frame.write_csv)


def _read_one(file: Path, predictions: options.PredictionInput, reading: options.ReadingOptions) -> trials.Predictions:
    source = PredictionSource.of(predictions, reading)
    with working("reading"):
        [read] = out.renamed([source.read(file)], predictions.name)
    return read


def _show(
    before: trials.Predictions, after: trials.Predictions, lines: list[Message], *, warning: Text, figures: Path | None
) -> None:
    if figures:
        with working("drawing"):
            reliability = [evaluating.evaluate(predictions, "ECE") for predictions in (before, after)]
            drawn = render.save_calibration_figure(*reliability, folder=figures)
        lines = [*lines, out.figures_written(drawn, figures)]
    terminal = out.console()
    changes = analysis.calibration_table(before, after)
    terminal.print(render.terminal_text(views.Recalibrated(before, changes, warning)))
    out.show_written(terminal, lines)
