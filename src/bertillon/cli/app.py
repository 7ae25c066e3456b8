"""The `bertillon` command: the table of its commands, and how errors reach a person."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from bertillon._version import __version__
from bertillon.cli.grammar import Commands, Entry, Invocation, error_lines
from bertillon.cli.options import OutputOptions, ReadingOptions, ScoreInput, TemplateInput
from bertillon.cli.outputs import console, guarded
from bertillon.cli.rooms import formats, render
from bertillon.core import exit_on_signals, speaking, visible
from bertillon.core.errors import BertillonError, CheckFailed, InputError

SUMMARY = "Measure biometric recognition systems: error rates, thresholds, and how sure they are."
SUMMARIES = {  # the first line of each command's docstring stands here, so that --help imports none of them
    "verify": "Evaluate 1:1 comparisons: error rates, operating points, curves.",
    "identify": "Evaluate 1:N searches, open and closed set: ranks, detection rates, operating regions.",
    "classify": "Evaluate a classifier: confusions, rates, ranking, calibration, costs.",
    "compare": "Compare systems on the same trials: differences, intervals, tests, a verdict.",
    "attacks": "Evaluate attacks (presentation, replay, injection): share accepted, by species.",
    "modes": "Evaluate templates in the three modes: verification, open-set and closed-set identification.",
    "repeat": "Evaluate many random partitions into gallery and probes: mean, spread and each run.",
    "reliability": "Estimate which answers of a search are reliable (System Response Reliability).",
    "check": "Check a system against a certification scheme, requirement by requirement.",
    "fairness": "Compute how unequal published rates of groups are: FDR, IR, GARBE, and ratios.",
    "calibrate fit": "Fit a calibrator on predictions with true labels.",
    "calibrate apply": "Apply a calibrator to other predictions, with or without true labels.",
    "extract": "Extract templates from photos; report photos that failed, and the quality of the others.",
    "policy": "Make a signed policy for a gallery from an evaluation: threshold and measured error rates.",
    "gallery create": "Create a gallery, and its key if the key file does not exist.",
    "gallery use": "Set the policy by which the gallery decides from now on.",
    "gallery enrol": "Enrol all people in a file of templates or a folder of photos; if one fails, none is enrolled.",
    "gallery update": "Add templates of enrolled people, or replace theirs; if one fails, none is changed.",
    "gallery erase": "Erase people: their templates are removed, and the log keeps a record of the erasure.",
    "gallery list": "List who is enrolled, and the policies in use.",
    "gallery claim": "Verify claims: is each probe the person it claims to be?",
    "gallery identify": "Identify each probe: who is it, if anyone enrolled?",
    "gallery watch": "Watch for people on a list: a white list lets them in, a black list raises an alarm.",
    "gallery export": "Export all templates unencrypted, as a NumPy archive; the export is logged.",
    "gallery check": "Check all templates of a gallery against its log; exit with status 1 if anything is wrong.",
    "gallery audit": "Verify the log, and report decisions by day, near misses and drift of scores.",
    "gallery rotate-key": "Encrypt everything again with a new key.",
    "match": "Compare templates and write the scores: a table, or a BEE matrix where the file ends in .mtx.",
    "split": "Split templates into training and testing, or gallery and probes, and write the partition.",
    "count": "Count scores in one pass and write the counts, a small file that 'bertillon verify' reads.",
    "serve": "Run the HTTP service of a gallery: searches, claims, enrolment, and a page for the operator.",
    "token make": "Create a token for the service; it is shown once, and only its hash is stored.",
    "token list": "List the tokens: id, role, expiry date and holder.",
    "token revoke": "Revoke a token at once, also in a running service.",
    "convert": "Convert a file of scores to another format.",
    "inspect": "Show how files would be read: format, columns, labels, direction, subjects, and the command to use.",
    "advise": "Recommend which measures to report, from answers, options and predictions.",
    "plan": "Compute how many subjects and comparisons a test needs: to claim a rate, or for a given precision.",
    "measures": "List every measure: spelling, meaning, and other names.",
    "formats": "List the file formats of scores and of templates.",
    "matchers": "List the matchers: templates they compare, direction of their scores, and options.",
    "demo": "Simulate a system with known error rates, and compare them with the measured ones.",
}
MODULES = {  # that hold several commands, or one of another name
    "calibration": ("calibrate fit", "calibrate apply"),
    "gallery": tuple(name for name in SUMMARIES if name.startswith("gallery ")),
    "identify": ("reliability",),
    "check": ("fairness",),
    "matching": ("modes", "repeat", "match", "split"),
    "files": ("count", "convert", "inspect"),
    "token": ("token make", "token list", "token revoke"),
    "advise": ("plan",),
    "guide": ("measures", "formats", "matchers", "demo"),
}
_MODULE_OF = {command: module for module, commands in MODULES.items() for command in commands}
COMMANDS = {name: Entry(_MODULE_OF.get(name, name), summary) for name, summary in SUMMARIES.items()}
GROUPS = {
    "calibrate": "Fit a calibrator that turns scores into probabilities, and apply it to other files.",
    "token": "Manage the access tokens of a gallery's service: operator, steward or auditor.",
    "gallery": "Enrol and recognise people in an encrypted gallery, at thresholds whose errors were measured.",
}
CREATED_BEFORE_CYCLES = 100_000  # objects before memory in cycles is looked for: while modules load there is none
COMPLETE = "_BERTILLON_COMPLETE"  # set by shells that complete commands
_NUMBER = re.compile(r"^[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?%?$")
READ = ("files", "file", "source")  # parameters that hold the data of a command
OWN_THREADS = ("verify", "identify")  # commands that share out every large product to threads of their own
KEPT_MEMORY = {-3: 1 << 25, -1: 1 << 26}  # of glibc: bytes of an array, and free ones, that are kept for the next array


def application() -> click.Group:
    """The commands; the module of each is imported when it is called."""
    made = Commands("bertillon", SUMMARY, COMMANDS, GROUPS, run)
    message = "%(prog)s %(version)s"
    return click.version_option(__version__, prog_name="bertillon", message=message, help="Show the version.")(made)


def run(invocation: Invocation) -> None:
    """Run a command: in a language, with a limit of memory, its files guarded, how they are read explained if asked."""
    if invocation.declaration.function.__name__ in OWN_THREADS and "numpy" not in sys.modules:
        # the linear algebra libraries start threads when they are loaded, which wait for work in a loop on the cores
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _keep_memory()
    reading, outputs = invocation.group(ReadingOptions), invocation.group(OutputOptions)
    with ExitStack() as stack:
        if outputs is not None and outputs.lang != "en":
            stack.enter_context(speaking(outputs.lang))
        if reading is not None:
            stack.enter_context(formats.limited(reading.max_memory))
        if any(parameter.spec.writes or parameter.spec.updates for parameter in invocation.declaration.parameters):
            stack.enter_context(guarded(invocation))
        _require_no_rates(invocation)
        if reading is not None and reading.explain:
            _explain(invocation, reading)
        invocation.call()


def _keep_memory() -> None:
    """Let an array take the memory of the last one: it would be given back, and cleared page by page when asked for."""
    if sys.platform == "linux":
        import ctypes

        with suppress(AttributeError):  # not glibc
            for option, size in KEPT_MEMORY.items():
                ctypes.CDLL(None).mallopt(option, size)


def _files(invocation: Invocation) -> list[Path]:
    """The files that a command reads."""
    values = [value for name, value in invocation.arguments.items() if name in READ and value]
    return [path for value in values for path in (value if isinstance(value, tuple) else (value,))]


def _require_no_rates(invocation: Invocation) -> None:
    """Numbers behind the files are rates that belong to -x, unless there is a file of that name."""
    numbers = [str(file) for file in _files(invocation) if _NUMBER.match(str(file)) and not file.exists()]
    if not numbers:
        return
    found = f"{numbers[0]}: is a number, and there is no such file"
    if not any("-x" in parameter.flags for parameter in invocation.declaration.parameters):
        raise InputError(f"{found}; expected files")
    rates = " ".join(f"-x {_rate(number)}" for number in numbers)
    raise InputError(f"{found}; rates at which to read the errors are given with -x, behind the files: {rates}")


def _rate(number: str) -> str:
    """A number as -x takes it: with a point, and a share of one."""
    plain = number.replace(",", ".")
    return f"{float(plain[:-1]) / 100:.10g}" if plain.endswith("%") else plain


def _explain(invocation: Invocation, reading: ReadingOptions) -> None:
    """Show how the files of a command are read, beside results that go to standard output on the error stream."""
    from bertillon.cli.files import inspection

    files = _files(invocation)
    scores, templates = invocation.group(ScoreInput) or ScoreInput(), invocation.group(TemplateInput) or TemplateInput()
    outputs = invocation.group(OutputOptions)
    shown_on = console(stderr=outputs is not None and outputs.json == "-")
    if not files:
        return
    with suppress(InputError):  # the command reads what cannot be inspected, such as counts, or says what is wrong
        render.print_inspection(inspection(files, reading, scores, templates), shown_on)
        shown_on.print()


def main() -> None:
    """Run the command; a foreseen error is a message, never a traceback."""
    gc.set_threshold(CREATED_BEFORE_CYCLES)
    atexit.register(gc.freeze)  # nothing is left to be found in a process that ends
    for stream in (sys.stdout, sys.stderr):  # ? stands where the terminal has no letter for a sign in a message or name
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        with warnings.catch_warnings(), exit_on_signals():
            warnings.showwarning = lambda message, *_, **__: print(visible(f"warning: {message}"), file=sys.stderr)
            sys.exit(_main(sys.argv[1:]))
    except CheckFailed as failed:
        sys.exit(_say(f"failed: {failed}", 1))
    except BertillonError as error:
        sys.exit(_say(f"error: {error}", 2))
    except OSError as error:  # of the machine, such as a full disk behind '>'
        if error.errno == errno.EPIPE:  # nobody reads on, as in `bertillon verify x.csv | head`
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - what is left is thrown away at the end
            sys.exit(1)
        sys.exit(_say(f"error: {error}", 2))
    except MemoryError:
        sys.exit(_say("error: there is not enough memory for this; read less at once (--stream), or free some", 2))
    except Exception as error:
        if os.environ.get("BERTILLON_DEBUG"):
            raise
        sys.exit(_say(f"internal error: {type(error).__name__}: {error} (BERTILLON_DEBUG=1 shows where)", 3))


def _main(arguments: Sequence[str]) -> int:
    if os.environ.get(COMPLETE):
        return _completed(os.environ[COMPLETE])
    try:
        with application().make_context("bertillon", list(arguments)) as context:
            context.command.invoke(context)
    except click.ClickException as error:
        for line in error_lines(error):  # which may quote names of files
            _say(line, error.exit_code)
        return error.exit_code
    except click.exceptions.Exit as stopped:
        return stopped.exit_code
    except (click.Abort, EOFError):
        return _say("Aborted.", 1)
    except KeyboardInterrupt:
        return 130
    return 0


def _completed(instruction: str) -> int:
    """What a shell asks for: the script that it loads once, or what may stand where the cursor is."""
    from click.shell_completion import shell_complete

    if shell_complete(application(), {}, "bertillon", COMPLETE, instruction):
        raise InputError(f"{COMPLETE}: {instruction!r} is not known; expected bash_source, zsh_source or fish_source")
    return 0


def _say(message: str, code: int) -> int:
    print(visible(message), file=sys.stderr)
    return code
