"""`bertillon verify` of error curves: what listed rates can answer, and which options need scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertillon.cli import outputs
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.measures import Measure

NAME = "curve"  # of the format
ANSWERED = ("files", "format", "label", "measure", "x", "nearest", "cost", "prior", "preset", "json", "vocabulary")

_NEEDLESS = ("intervals", False)  # a curve has none anyway


def are_curves(files: Sequence[Path], format: str | None) -> bool:
    """Do the files hold curves? Scores and curves in one command are refused."""
    from bertillon.io.curves import is_curve

    if format is not None:
        return format == NAME
    found = [is_curve(file) for file in files]
    if any(found) and not all(found):
        curve, other = files[found.index(True)], files[found.index(False)]
        raise InputError(f"{curve}: holds an error curve, and {other} does not; evaluate them one by one")
    return all(found)


def require_answered(arguments: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Refuse every option that a curve cannot answer."""
    given = {name: value for name, value in arguments.items() if name not in ANSWERED and value != defaults[name]}
    asked = [name for name, value in given.items() if (name, value) != _NEEDLESS]
    if asked:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in asked)
        raise InputError(
            f"{arguments['files'][0]}: holds an error curve, not scores; {options} needs scores: leave it out, or give "
            "the scores"
        )


def verify_curves(
    files: Sequence[Path],
    measures: Sequence[Measure],
    *,
    label: Sequence[str],
    json: str | None,
    vocabulary: outputs.Vocabulary,
) -> None:
    """Answer the measures about each curve, on the terminal or as JSON."""
    from bertillon.counting.curves.rate_curve import read_curve
    from bertillon.evaluation.from_curve import evaluate_curve
    from bertillon.render.terminal import curve_text

    if json and len(files) > 1:
        raise InputError("--json takes one error curve; evaluate them one by one")
    curves = outputs.named([read_curve(file) for file in files], label)
    evaluations = [evaluate_curve(curve, measures) for curve in curves]
    if json == "-":
        print(evaluations[0].to_json())
        return
    console = outputs.console()
    console.print(curve_text(evaluations, vocabulary=vocabulary))
    if json:
        outputs.show_written(console, [outputs.write_text(evaluations[0].to_json() + "\n", json)])
