"""A finding of another package: one view and its words, and it is shown wherever findings are."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from bertillon.core import LANGUAGES, InputError, catalogue, register_catalogue, say, speaking
from bertillon.measures import Result
from bertillon.render import terminal_text, write_report
from bertillon.stats import Interval
from bertillon.views import (
    Cell,
    Estimate,
    Level,
    Paragraphs,
    Part,
    ReportContent,
    Section,
    Sentence,
    Table,
    Unit,
    document_of,
    register_view,
)

TOPIC = "queueing"
WORDS = {
    "en": ("Waiting at the gate", "gate", "turned away", "Gate {gate} turns away {rate}."),
    "it": ("Attesa al varco", "varco", "respinti", "Il varco {gate} respinge {rate}."),
    "es": ("Espera en la puerta", "puerta", "rechazados", "La puerta {gate} rechaza {rate}."),
    "zh": ("闸口等候", "闸口", "被拒", "闸口 {gate} 拒绝 {rate}。"),
}


@dataclass(frozen=True)
class Queue:
    """How many are turned away at a gate."""

    gate: str
    turned_away: Result
    interval: Interval

    def to_dict(self) -> dict[str, object]:
        return {"gate": self.gate, "rate": self.turned_away.value}

    def to_frame(self) -> pl.DataFrame:
        return pl.DataFrame([self.to_dict()])


class LongQueue(Queue):
    """A subtype without a view of its own."""


@dataclass(frozen=True)
class Unknown:
    """Nobody says how this is shown."""


def queues(found: list[Queue], content: ReportContent) -> Part:
    rows = tuple((Cell(queue.gate), Cell(Estimate(queue.turned_away, queue.interval), Unit.RATE)) for queue in found)
    heads = [say(f"{TOPIC}.gate"), say(f"{TOPIC}.away")]
    table = Table.under(heads, rows, id="queues", caption=say(f"{TOPIC}.title"))
    verdicts = [say(f"{TOPIC}.verdict", gate=row[0].text, rate=row[1].shown) for row in rows]
    details = () if content.brief else (Paragraphs.of([say("page.close")]),)
    section = Section("queues", say(f"{TOPIC}.title"), (table, *details))
    return Part(say(f"{TOPIC}.title"), sections=(section,), verdicts=tuple(map(Sentence, verdicts)))


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory) -> LongQueue:
    folder = tmp_path_factory.mktemp("words")
    for lang, (title, gate, away, verdict) in WORDS.items():
        (folder / lang).mkdir()
        lines = f'title = "{title}"\ngate = "{gate}"\naway = "{away}"\nverdict = "{verdict}"\n'
        (folder / lang / f"{TOPIC}.toml").write_text(lines, encoding="utf-8")
    register_catalogue(TOPIC, folder)
    register_view(Queue, queues)
    return LongQueue("A | 1", Result(0.04447, None, 12, 270), Interval(0.038, 0.0512))


def printed(finding: object, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(terminal_text(finding))
    return out.getvalue()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_is_on_the_terminal_and_in_every_report_in_every_language(queue: Queue, lang: str, tmp_path: Path) -> None:
    title, gate, away, verdict = WORDS[lang]
    with speaking(lang):
        shown = printed(queue)
    written = {suffix: write_report(queue, tmp_path / f"out.{suffix}", lang=lang) for suffix in ("html", "md", "tex")}
    texts = {"terminal": shown, **{suffix: path.read_text(encoding="utf-8") for suffix, path in written.items()}}
    for kind, text in texts.items():
        plain = text.replace("\u00a0", " ").replace("~", " ").replace("\\", "")
        assert all(word in plain for word in (title, gate, away, "4.4 %")), kind
    said = verdict.format(gate="A | 1", rate="4.4 %")
    assert said in texts["terminal"]
    assert said in texts["html"].replace("\u00a0", " ")
    assert catalogue(lang)("page.close") not in texts["terminal"].splitlines()  # a detail


def test_programs_read_what_the_finding_says_of_itself(queue: Queue, tmp_path: Path) -> None:
    assert json.loads(write_report(queue, tmp_path / "out.json").read_text()) == queue.to_dict()
    assert pl.read_csv(write_report(queue, tmp_path / "out.csv"))["rate"].to_list() == [0.04447]


def test_several_of_a_type_are_shown_together_and_beside_others(queue: Queue) -> None:
    document = document_of(ReportContent(findings=[queue, queue]), Level.ANSWER)
    (section,) = document.sections
    assert len(section.blocks[0].rows) == 2


def test_a_finding_that_nobody_shows_or_writes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="Unknown has no view; expected a finding whose type is given to register_view"
    ):
        document_of(Unknown())
    with pytest.raises(InputError, match="Unknown cannot be written as JSON"):
        write_report(Unknown(), tmp_path / "out.json")
