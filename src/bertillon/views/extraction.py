"""What is shown of photos that were made templates: how many gave none and why, and how good the others are.

Both rates have the digits of an interval over people: the photos of one person are alike, so no more trials than people
are taken as independent, and where no photo failed the bound is that of so many.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bertillon.core.messages import Text, say
from bertillon.extraction import Extraction
from bertillon.measures import Result
from bertillon.stats import proportion
from bertillon.views.assembling import Part, ReportContent, register_view
from bertillon.views.document import Block, Cell, Paragraphs, Section, Sentence, Subject, Table
from bertillon.views.numbers import Estimate, Unit

MOST_SHOWN = 10  # photos on a terminal
QUALITIES = ("quality", "sharpness", "face_size")


def extractions(found: Sequence[Extraction], content: ReportContent) -> Part:
    """The rates, the reasons, the photos, and the qualities of each."""
    subjects, blocks, verdicts, warnings = list[Subject](), list[Block](), list[Sentence](), list[Sentence]()
    for place, each in enumerate(found):
        id, name = f"extraction-{place}", each.name if len(found) > 1 else ""
        about = say("extraction.about", templates=len(each.templates), photos=each.photos, people=len(each.people))
        model = say("extraction.model", model=each.model)
        subjects.append(Subject(each.name, (about, model), each.templates.notes))
        blocks += [_rates(each, id=id), *_qualities(each, id=f"{id}-quality")]
        blocks += _failures(each, content, id=f"{id}-failed")
        verdict = "all" if not each.failed else "some"
        verdicts.append(Sentence(say(f"extraction.verdict.{verdict}", n=len(each.failed), photos=each.photos), name))
        warnings += [Sentence(text, name) for text in _warnings(each)]
    title = say("extraction.title")
    section = Section("extraction", title, tuple(blocks))
    return Part(
        title, subjects=tuple(subjects), sections=(section,), verdicts=tuple(verdicts), warnings=tuple(warnings)
    )


def _rates(found: Extraction, *, id: str) -> Table:
    heads: list[Text] = [
        say("extraction.rate"),
        say("extraction.value"),
        say("extraction.number"),
        say("extraction.of"),
    ]
    lost, people = len(found.unenrolled), len(found.people)
    rows = [_rate_row("fta", len(found.failed), found.photos, people), _rate_row("fte", lost, people, people)]
    return Table.under(heads, rows, id=id, caption=say("extraction.rates"))


def _rate_row(name: str, number: int, of: int, people: int) -> tuple[Cell, ...]:
    called = Cell(say(f"extraction.{name}"), meaning=say(f"extraction.{name}.meaning"))
    sure = proportion(number / of * people, people) if of else None
    rate = Cell(Estimate(Result.share(number, of), sure), Unit.RATE)
    return called, rate, Cell(number, Unit.COUNT), Cell(of, Unit.COUNT)


def _qualities(found: Extraction, *, id: str) -> list[Table]:
    """Lowest, median and highest of each quality that is known."""
    metadata = found.templates.metadata
    known = [name for name in QUALITIES if metadata is not None and name in metadata.columns]
    heads: list[Text] = [say(f"extraction.quality.{name}") for name in ("heading", "lowest", "median", "highest")]
    rows = []
    for name in known:
        assert metadata is not None
        values = metadata[name].to_numpy()
        if values.dtype.kind == "f":
            points = np.nanquantile(values, (0.0, 0.5, 1.0)).tolist()
            rows.append((Cell(say(f"extraction.quality.{name}")), *(Cell(point, Unit.SCORE) for point in points)))
    return [Table.under(heads, rows, id=id, caption=say("extraction.qualities"))] if rows else []


def _failures(found: Extraction, content: ReportContent, *, id: str) -> list[Block]:
    """Which photos gave no template; on a terminal the first of them."""
    if not found.failed:
        return []
    shown = found.failed[:MOST_SHOWN] if content.brief else found.failed
    rows = [
        (Cell(each.sample), Cell(each.subject), Cell(say(f"extraction.reason.{each.reason}")), Cell(each.detail))
        for each in shown
    ]
    heads: list[Text] = [say(f"extraction.failed.{name}") for name in ("photo", "person", "reason")]
    caption = say("extraction.failed", n=len(found.failed))
    table = Table.under([*heads, ""], rows, id=id, caption=caption, names=4).without_empty
    more = len(found.failed) - len(shown)
    return [table, *([Paragraphs.of([say("extraction.more", n=more)], quiet=True)] if more else [])]


def _warnings(found: Extraction) -> list[Text]:
    some = found.several
    several = [say("extraction.several", n=len(some), first=some[0])] if some else []
    lost = found.unenrolled
    return [*several, *found.warnings, *([say("extraction.unenrolled", n=len(lost), first=lost[0])] if lost else [])]


register_view(Extraction, extractions)
