"""The `bertillon` command and how its errors reach a person."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bertillon._version import __version__
from bertillon.cli.inspect import with_explain
from bertillon.cli.memory import with_max_memory
from bertillon.cli.places import checked
from bertillon.core.errors import BertillonError, CheckFailed
from bertillon.core.files import exit_on_signals

WORDS = "Measure biometric recognition systems: how often they err, and at which threshold."
COMMANDS = {  # where each is found; `calibrate` has commands of its own
    "verify": "verify",
    "identify": "identify",
    "classify": "classify",
    "calibrate": "calibrate",
    "compare": "compare",
    "count": "count",
    "modes": "modes",
    "attacks": "attacks",
    "reliability": "reliability",
    "repeat": "repeat",
    "match": "match",
    "split": "match",
    "convert": "convert",
    "advise": "advise",
    "plan": "plan",
    "measures": "measures",
    "formats": "listing",
    "matchers": "listing",
    "demo": "demo",
    "inspect": "inspect",
}
EXPLAINED = ("verify", "identify", "classify", "compare", "modes", "attacks", "reliability", "repeat", "match")
FILELESS = ("plan", "measures", "formats", "matchers", "demo")  # commands that read no data


class _Commands(TyperGroup):
    """The commands; errors about arguments, which may be names of files, are shown without acting on the terminal."""

    def make_context(self, *args: Any, **options: Any) -> Any:
        with _visible_errors():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        with _visible_errors():
            return super().invoke(ctx)


@contextmanager
def _visible_errors() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if isinstance(message := getattr(error, "message", None), str):
            from bertillon.core.escaping import visible

            error.message = visible(message)  # type: ignore[attr-defined]
        raise


def application(only: str | None = None) -> typer.Typer:
    """The command with all of its own, or with the one that is called: building them all takes a tenth of a second."""
    app = typer.Typer(
        name="bertillon",
        cls=_Commands,
        help=WORDS,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in [only] if only in COMMANDS else COMMANDS:
        module = import_module(f"bertillon.cli.{COMMANDS[name]}")
        if name == "calibrate":
            app.add_typer(module.app, name=name)
        else:
            command = getattr(module, name)  # `count` looks itself: it may add to the counts that it reads
            command = command if name == "count" else checked(command)
            command = with_explain(command) if name in EXPLAINED else command
            app.command(name)(command if name in FILELESS else with_max_memory(command))
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"bertillon {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Measure biometric recognition systems: how often they err, and at which threshold."""


def main() -> None:
    """Run the command; a foreseen error is a message, never a traceback."""
    _print_anything()
    try:
        with warnings.catch_warnings(), exit_on_signals():
            warnings.showwarning = _warn
            application(sys.argv[1] if len(sys.argv) > 1 else None)()
    except CheckFailed as failed:
        sys.exit(_say(f"failed: {failed}", 1))
    except BertillonError as error:
        sys.exit(_say(f"error: {error}", 2))
    except OSError as error:  # of the machine, such as a full disk behind '>'
        sys.exit(_say(f"error: {error}", 2))
    except MemoryError:
        sys.exit(_say("error: there is not enough memory for this; read less at once (--stream), or free some", 2))
    except Exception as error:
        if os.environ.get("BERTILLON_DEBUG"):
            raise
        sys.exit(_say(f"internal error: {type(error).__name__}: {error} (BERTILLON_DEBUG=1 shows where)", 3))


def _print_anything() -> None:
    """A question mark stands where the terminal has no letter for a sign, or for what is in the name of a file."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    _say(f"warning: {message}", 0)


def _say(message: str, code: int) -> int:
    from bertillon.core.escaping import visible

    print(visible(message), file=sys.stderr)
    return code
