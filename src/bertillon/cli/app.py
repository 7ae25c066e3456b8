"""The `bertillon` command and how its errors reach a person."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated

import typer

from bertillon._version import __version__
from bertillon.cli import (
    advise,
    attacks,
    calibrate,
    classify,
    compare,
    convert,
    count,
    demo,
    identify,
    listing,
    match,
    measures,
    modes,
    plan,
    reliability,
    repeat,
    verify,
)
from bertillon.errors import BertillonError, CheckFailed

app = typer.Typer(
    name="bertillon",
    help="Measure biometric recognition systems: how often they err, and at which threshold.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("verify")(verify.verify)
app.command("identify")(identify.identify)
app.command("classify")(classify.classify)
app.add_typer(calibrate.app, name="calibrate")
app.command("compare")(compare.compare)
app.command("count")(count.count)
app.command("modes")(modes.modes)
app.command("attacks")(attacks.attacks)
app.command("reliability")(reliability.reliability)
app.command("repeat")(repeat.repeat)
app.command("match")(match.match)
app.command("split")(match.split)
app.command("convert")(convert.convert)
app.command("advise")(advise.advise)
app.command("plan")(plan.plan)
app.command("measures")(measures.measures)
app.command("formats")(listing.formats)
app.command("matchers")(listing.matchers)
app.command("demo")(demo.demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"bertillon {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Measure biometric recognition systems: how often they err, and at which threshold."""


def main() -> None:
    """Run the command; a foreseen error is a message, never a traceback."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            app()
    except CheckFailed as failed:
        sys.exit(_say(f"failed: {failed}", 1))
    except BertillonError as error:
        sys.exit(_say(f"error: {error}", 2))
    except Exception as error:
        if os.environ.get("BERTILLON_DEBUG"):
            raise
        sys.exit(_say(f"internal error: {type(error).__name__}: {error} (BERTILLON_DEBUG=1 shows where)", 3))


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    _say(f"warning: {message}", 0)


def _say(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code
