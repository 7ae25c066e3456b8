"""`bertillon advise`: which measures to report for a classifier, and why.

`bertillon plan`: how many people and comparisons a test needs.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, ClassVar

import click

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option
from bertillon.cli.inputs import PredictionSource
from bertillon.cli.outputs import Bar
from bertillon.cli.rooms import advice, evaluating, render, stats, views
from bertillon.core.errors import InputError
from bertillon.core.messages import spoken


@dataclass(frozen=True, slots=True)
class Answers:
    """What is known of the task; each field is a question of `bertillon.advice.choosing`."""

    PANEL: ClassVar[str] = "Answers"
    balance: str | None = option(
        metavar="NAME|SHARE", help="even, moderate or strong; or the share of the positive class."
    )
    costs: str | None = option(metavar="fn|fp|equal|unknown", help="The more expensive error.")
    threshold: str | None = option(metavar="fixed|variable", help="Whether the threshold is fixed, or set later.")
    probabilities: str | None = option(metavar="yes|no", help="Whether scores are used as probabilities.")
    classes: str | None = option(metavar="NUMBER", help="Number of classes.")
    average: str | None = option(metavar="macro|micro|weighted", help="Average over several classes.")
    domain: str | None = option(
        metavar="NAME", help="screening, diagnosis, fraud, spam, retrieval, vision, sentiment, biometrics or none."
    )

    @property
    def given(self) -> dict[str, str]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


def advise(
    answers: Answers,
    predictions: Annotated[options.PredictionInput, only("positive")],
    reading: options.PredictionReading,
    outputs: Annotated[options.OutputOptions, only("json", "lang"), options.TERMINAL],
    file: Annotated[Path | None, argument("FILE", "Predictions, which answer some of the questions.")] = None,
) -> None:
    """Recommend which measures to report, from answers, options and predictions.

    Questions that neither the options nor the predictions answer are asked on the terminal.

    Example: bertillon advise --balance 0.02 --costs fn --threshold fixed --probabilities no --classes 2
    """
    answers_given = answers.given
    content = None if file is None else PredictionSource.of(predictions, reading).read(file)
    seen = {} if content is None else advice.seen_in(content)
    stated, found = answers_given.get("classes"), seen.get("classes")
    if stated and found and stated != str(found.answer):
        raise InputError(f"--classes is {stated}, but the file has {found.answer}; leave it out")
    seen = {name: answer for name, answer in seen.items() if name not in answers_given}
    known = {name: str(answer.answer) for name, answer in seen.items()} | answers_given
    situation = advice.Situation.read(_complete(known))
    chosen = advice.advice_for(situation)
    results = {} if content is None else evaluating.evaluate(content, chosen.metrics).results
    undefined = {name: result.reason for name, result in results.items() if result.reason}
    advised = views.AdviceReport(situation, chosen, seen, str(file or ""), undefined)
    written = out.write_json(render.finding_json(advised), outputs.json) if outputs.json else []
    if outputs.json == "-":
        return
    terminal = out.console()
    terminal.print(render.terminal_text(advised))
    if file is not None:
        terminal.print(f"\n{advised.command}", style="bold", soft_wrap=True, markup=False, highlight=False)
    out.show_written(terminal, written)


def _complete(answers_given: Mapping[str, str]) -> dict[str, str]:
    """The answers with those that are missing asked for, where there is somebody to ask."""
    answers = {name: advice.QUESTIONS[name].read(text) for name, text in answers_given.items()}
    missing = [name for name in advice.QUESTIONS if name not in answers and _needed(name, answers)]
    if missing and not (sys.stdin is not None and sys.stdin.isatty()):
        options = ", ".join(f"--{name} {advice.QUESTIONS[name].choices}" for name in missing)
        raise InputError(f"some questions are open, and there is no terminal to ask at; give {options}")
    for name, question in advice.QUESTIONS.items():
        if name not in answers and (_needed(name, answers) or (missing and name == "domain")):
            answers[name] = _ask(question)
    return answers


def _needed(name: str, answers: Mapping[str, str]) -> bool:
    """Advice waits for this answer: an average for that of several classes, a field for none."""
    return name != "domain" and (name != "average" or int(float(answers.get("classes", "2"))) > 2)


def _ask(question: advice.Question) -> str:
    click.echo(f"\n{spoken(question.asks)}", err=True)
    for word, meaning in question.answers.items():
        click.echo(f"  {word:<12}{spoken(meaning)}", err=True)

    def read(text: str) -> str:
        try:
            return question.read(text)
        except InputError as error:
            raise click.BadParameter(str(error)) from None

    return str(click.prompt(question.name, value_proc=read, err=True))


@dataclass(frozen=True, slots=True)
class Aim:
    """The rate to measure."""

    PANEL: ClassVar[str] = "Rate to measure (one of)"
    fmr: float | None = option(metavar="RATE", help="A false match rate.")
    fnmr: float | None = option(metavar="RATE", help="A false non-match rate.")
    fpir: float | None = option(metavar="RATE", help="A false positive identification rate.")
    fnir: float | None = option(metavar="RATE", help="A false negative identification rate.")

    @property
    def rate(self) -> tuple[str, float]:
        """The name and value of the one rate that was given."""
        rates = {"FMR": self.fmr, "FNMR": self.fnmr, "FPIR": self.fpir, "FNIR": self.fnir}
        rates_given = [(name, rate) for name, rate in rates.items() if rate is not None]
        if len(rates_given) != 1:
            options = ", ".join(f"--{name.lower()}" for name in rates)
            found = " and ".join(f"--{name.lower()}" for name, _ in rates_given) or "none"
            raise InputError(f"expected one rate to plan for, of {options}; found {found}")
        return rates_given[0]


@dataclass(frozen=True, slots=True)
class DesignOptions:
    """The design of the test."""

    interval: float = option(
        default=0.3, metavar="SHARE", help="Half width of the interval relative to the rate: 0.3 is ±30 %."
    )
    samples: int = option(default=1, help="Trials per subject, or per pair of subjects for --fmr.")
    correlation: float | None = option(
        metavar="SHARE",
        help="Share of a score's variance that belongs to a subject; by default 0.2 (each of the two) for --fmr, else "
        "0.3.",
    )
    ordered: bool | None = option(
        "--ordered/--unordered", help="Compare each pair of subjects in both orders, or once."
    )
    simulate: int | None = option(help="Repeat the test this many times on simulated subjects.")


def plan(
    aim: Aim,
    design: DesignOptions,
    random: options.RandomOptions,
    intervals: Annotated[options.IntervalOptions, only("level")],
    outputs: Annotated[options.OutputOptions, only("json", "lang"), options.TERMINAL],
) -> None:
    """Compute how many subjects and comparisons a test needs: to claim a rate, or for a given precision.

    Example: bertillon plan --fmr 1e-4 --interval 0.3
    """
    target = stats.Aim(*aim.rate, design.interval, intervals.level)
    planned = stats.plan_test(target, samples=design.samples, correlation=design.correlation, ordered=design.ordered)
    tried = None
    if design.simulate is not None:
        with Bar() as bar:
            tried = stats.try_plan(planned, design.simulate, seed=random.seed, progress=bar)
    out.deliver(outputs, views.PlannedTest(planned, tried))
