"""`bertillon advise`: which measures to report for a classifier, and why."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import outputs
from bertillon.cli.class_options import ColumnOption, PositiveOption, Reading
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.advice.situations import Question, Seen
    from bertillon.trials.predictions import Predictions

Asked = "Answers"


def advise(
    file: Annotated[Path | None, typer.Argument(help="Predictions, which answer some of the questions.")] = None,
    balance: Annotated[
        str | None,
        typer.Option(help="even, moderate, strong; or the share of the positive class.", rich_help_panel=Asked),
    ] = None,
    costs: Annotated[
        str | None, typer.Option(help="The dearer error: fn, fp, equal or unknown.", rich_help_panel=Asked)
    ] = None,
    threshold: Annotated[str | None, typer.Option(help="fixed, or variable: set later.", rich_help_panel=Asked)] = None,
    probabilities: Annotated[
        str | None, typer.Option(help="yes, they are used as such; or no.", rich_help_panel=Asked)
    ] = None,
    classes: Annotated[str | None, typer.Option(help="How many there are.", rich_help_panel=Asked)] = None,
    average: Annotated[
        str | None,
        typer.Option(help="Of several classes: macro, micro or weighted.", rich_help_panel=Asked),
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option(
            help="screening, diagnosis, fraud, spam, retrieval, vision, sentiment, biometrics or none.",
            rich_help_panel=Asked,
        ),
    ] = None,
    positive: PositiveOption = None,
    column: ColumnOption = None,
    json: outputs.JsonOption = None,
) -> None:
    """Say which measures to report: asks what it needs to know, or reads it from options and predictions.

    Example: bertillon advise --balance 0.02 --costs fn --threshold fixed --probabilities no --classes 2
    """
    from bertillon.advice.choosing import advice_for
    from bertillon.advice.situations import QUESTIONS, Situation, seen_in
    from bertillon.render.advising import Advised, advice_json, advice_text

    options = locals()
    said = {name: options[name] for name in QUESTIONS if options[name] is not None}
    predictions = None if file is None else Reading.of(positive, column or []).read(file)
    seen = {} if predictions is None else seen_in(predictions)
    _check_classes(said, seen)
    seen = {name: one for name, one in seen.items() if name not in said}
    situation = Situation.read(_complete({name: str(one.answer) for name, one in seen.items()} | said))
    advice = advice_for(situation)
    advised = Advised(situation, advice, seen, str(file or ""), _undefined(predictions, advice.metrics))
    if json == "-":
        print(advice_json(advised), end="")
        return
    console = outputs.console()
    console.print(advice_text(advised))
    if file is not None:
        console.print(f"\n{advised.command}", style="bold", soft_wrap=True, markup=False, highlight=False)
    if json:
        outputs.show_written(console, [outputs.write_text(advice_json(advised), json)])


def _check_classes(said: Mapping[str, str], seen: Mapping[str, Seen]) -> None:
    if "classes" in seen and said.get("classes", str(seen["classes"].answer)) != str(seen["classes"].answer):
        raise InputError(f"--classes is {said['classes']}, but the file has {seen['classes'].answer}; leave it out")


def _complete(said: Mapping[str, str]) -> dict[str, str]:
    """The answers with those that are missing asked for, where there is somebody to ask."""
    from bertillon.advice.situations import QUESTIONS

    answers = {name: QUESTIONS[name].read(text) for name, text in said.items()}
    missing = [name for name in QUESTIONS if name not in answers and _needed(name, answers)]
    if missing and not (sys.stdin is not None and sys.stdin.isatty()):
        options = ", ".join(f"--{name} {QUESTIONS[name].choices}" for name in missing)
        raise InputError(f"some questions are open, and there is no terminal to ask at; give {options}")
    for name, question in QUESTIONS.items():
        if name not in answers and (_needed(name, answers) or (missing and name == "domain")):
            answers[name] = _ask(question)
    return answers


def _needed(name: str, answers: Mapping[str, str]) -> bool:
    """Advice waits for this answer: an average for that of several classes, a field for none."""
    return name != "domain" and (name != "average" or int(float(answers.get("classes", "2"))) > 2)


def _ask(question: Question) -> str:
    typer.echo(f"\n{question.asks}", err=True)
    for word, meaning in question.answers.items():
        typer.echo(f"  {word:<12}{meaning}", err=True)

    def read(text: str) -> str:
        try:
            return question.read(text)
        except InputError as error:
            raise typer.BadParameter(str(error)) from None

    return str(typer.prompt(question.name, value_proc=read, err=True))


def _undefined(predictions: Predictions | None, metrics: tuple[str, ...]) -> dict[str, str]:
    """Why some of the measures cannot be had from these predictions."""
    from bertillon.evaluation.classification import evaluate_predictions

    if predictions is None:
        return {}
    results = evaluate_predictions(predictions, metrics).results
    return {name: str(result.reason) for name, result in results.items() if result.reason}
