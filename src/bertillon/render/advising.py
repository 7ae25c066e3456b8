"""Advice on measures as a person or a program reads it: the answers it rests on, what to report and why, what to do.

Holds `AdviceReport`, `advice_text` and `advice_json`.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from bertillon._version import __version__
from bertillon.advice.choosing import DOMAINS, QUESTIONS, Advice, InferredAnswer, Situation
from bertillon.core.messages import Message, say, spoken
from bertillon.render.console import Text
from bertillon.render.strict_json import strict_json
from bertillon.render.tables import plain_table, warned


@dataclass(frozen=True, slots=True)
class AdviceReport:
    """Advice, the situation it is for, and what a file of predictions had to do with it."""

    situation: Situation
    advice: Advice
    seen: Mapping[str, InferredAnswer] = field(default_factory=dict)  # answers that the predictions gave
    source: str = ""
    undefined: Mapping[str, Message | str] = field(
        default_factory=dict
    )  # why predictions cannot answer what is advised

    @property
    def answers(self) -> dict[str, tuple[str, Message | str]]:
        """Every answer that matters, and what it rests on."""
        answers = {name: str(answer) for name, answer in asdict(self.situation).items()}
        if self.situation.classes == 2:
            del answers["average"]
        if self.situation.domain not in DOMAINS:
            del answers["domain"]
        return {name: (answer, self._because(name, answer)) for name, answer in answers.items()}

    @property
    def command(self) -> str:
        """What computes the measures from the file."""
        wanted = [name for name in self.advice.metrics if name not in self.undefined]
        return shlex.join(["bertillon", "classify", self.source, *(part for name in wanted for part in ("-m", name))])

    def _because(self, name: str, answer: str) -> Message | str:
        if name in self.seen:
            return say("list.named", name=self.source, message=self.seen[name].because)
        return QUESTIONS[name].answers.get(answer, "")


def advice_text(advised: AdviceReport) -> Group:
    """Everything, ready to print."""
    answers = plain_table(say("terminal.advice.answers"), say("terminal.advice.question"))
    _add_text_columns(answers, say("terminal.advice.answer"), say("terminal.advice.because"))
    for name, (answer, because) in advised.answers.items():
        answers.add_row(name, answer, Text(because, style="dim"))
    measures = plain_table(_title(advised.situation), say("terminal.advice.measures"))
    _add_text_columns(measures, say("terminal.advice.why"))
    for reason, names in advised.advice.by_reason.items():
        measures.add_row(Text(", ".join(names)), Text(reason))
    parts: list[RenderableType] = [Padding(answers, (0, 0, 1, 0)), Padding(measures, (0, 0, 1, 0))]
    parts += [Text(f"- {spoken(note)}") for note in advised.advice.notes]
    for name, why in advised.undefined.items():
        impossible = say("terminal.advice.impossible", measure=name, source=advised.source, reason=why)
        parts.append(Text(warned(impossible), style="yellow"))
    return Group(*parts)


def advice_json(advised: AdviceReport) -> str:
    """The same as strict JSON."""
    whole = {
        "bertillon": __version__,
        "mode": "advice",
        "name": advised.source,
        "answers": [
            {"question": name, "answer": answer, "because": str(because), "seen": name in advised.seen}
            for name, (answer, because) in advised.answers.items()
        ],
        "measures": [{"name": name, "reason": str(advised.advice.reasons[name])} for name in advised.advice.metrics],
        "notes": [str(note) for note in advised.advice.notes],
        "undefined": {name: str(reason) for name, reason in advised.undefined.items()},
    }
    return strict_json(whole)


def _title(situation: Situation) -> Message:
    of_domain = say("terminal.advice.report_for", domain=situation.domain)
    return of_domain if situation.domain in DOMAINS else say("terminal.advice.report")


def _add_text_columns(table: Table, *names: Message) -> None:
    for name in names:
        table.add_column(Text(name), justify="left")
