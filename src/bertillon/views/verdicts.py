"""The overview of systems tested against each other: verdicts as a matrix, in order, and differences with intervals.

Conventions: where every pair was tested there is a matrix a measure, which speaks of the system of the row as against
that of the column; otherwise one table of each later system against the first. A difference that was not found is "not
shown", never "equal". Rows are in the order of the measure, with the letters of the groups that no test tells apart.

Holds `overview` and the short `in_order`, of what is `Asked`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bertillon.advice.paired import difference_text
from bertillon.core.messages import Message, Text, say, sentences
from bertillon.measures import Result
from bertillon.stats import Difference, Interval, Versus, every_pair_tested, ranking_of
from bertillon.stats.ranking import Ranked
from bertillon.views.document import Axis, Block, Cell, Chart, Paragraphs, Table
from bertillon.views.figures import forest
from bertillon.views.figures.chart import GUIDE, Line
from bertillon.views.measures import SYSTEM
from bertillon.views.numbers import Estimate, Unit

VERDICTS = {"not worse": "not_worse", "not distinguishable": "unclear"}
MIRRORED = {"better": "worse", "worse": "better", "not worse": "not distinguishable"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a measure is called, and the intervals of systems by their names and the measure."""

    named: Callable[[str], Text]
    intervals: Mapping[tuple[str, str], Interval]


def overview(pairs: Sequence[Versus], asked: Asked) -> list[Block]:
    """Verdicts, which rank the systems where every pair was tested, and the forest plot."""
    measures = [difference.measure for difference in pairs[0].differences]
    if not measures:
        return []
    plots = [_forest(group, asked) for group in forest.by_unit(pairs)]
    if len(pairs) > 1 and every_pair_tested(pairs):
        return [*(_matrix(pairs, name, asked, last=name == measures[-1]) for name in measures), *plots]
    more = [Paragraphs.of([say("page.compared.more", first=pairs[0].first)], quiet=True)] if len(pairs) > 1 else []
    return [_against_first(pairs, asked), *more, *plots]


def in_order(pairs: Sequence[Versus], asked: Asked) -> tuple[Table, list[Message]] | None:
    """The systems in the order of the first measure, with their groups, and who is first by each measure.

    Nothing where not every pair of several was tested, or where nobody knows which way a measure is better.
    """
    measures = [difference.measure for difference in pairs[0].differences]
    ranked = {measure: ranking_of(pairs, measure) for measure in measures} if len(pairs) > 1 else {}
    if not ranked or not all(ranked.values()):
        return None
    units = {difference.measure: Unit(difference.shown_as) for difference in pairs[0].differences}
    rows: dict[str, list[Cell]] = {one.name: [Cell(one.name)] for one in ranked[measures[0]]}
    heads: list[Text] = [SYSTEM]
    for measure, order in ranked.items():
        heads += [asked.named(measure), ""]
        for one in order:
            estimate = Estimate(Result(one.value), asked.intervals.get((one.name, measure)))
            rows[one.name] += [Cell(estimate, units[measure]), Cell(one.letters)]
    caption, note = say("page.compared.order", measure=asked.named(measures[0])), say("page.compared.letters")
    table = Table.under(heads, rows.values(), [note], id="ranking", caption=caption)
    lettered = [replace(column, numeric=column.heading != "") for column in table.columns[1:]]
    return replace(table, columns=(table.columns[0], *lettered)), _first_places(ranked, asked)


def _first_places(ranked: Mapping[str, Sequence[Ranked]], asked: Asked) -> list[Message]:
    """Who is first by which measures, alone or with others that no test tells apart."""
    places: dict[tuple[str, ...], list[Text]] = {}
    for measure, order in ranked.items():
        tied = tuple(one.name for one in order if set(one.letters) & set(order[0].letters))
        places.setdefault(tied, []).append(asked.named(measure))
    return [
        say(f"paired.first.{'alone' if len(names) == 1 else 'tied'}", name=names[0], names=names, measures=measures)
        for names, measures in places.items()
    ]


def _against_first(pairs: Sequence[Versus], asked: Asked) -> Table:
    """A row for each later system, a column for each measure."""
    heads = [SYSTEM, *(asked.named(difference.measure) for difference in pairs[0].differences)]
    rows = [(Cell(versus.second), *map(_verdict, versus.differences)) for versus in pairs]
    caption = say("page.compared.caption", first=pairs[0].first)
    return Table.under(heads, rows, _notes(pairs), id="verdicts", caption=caption)


def _matrix(pairs: Sequence[Versus], measure: str, asked: Asked, *, last: bool) -> Table:
    """The systems in the order of the measure, their values, and the verdict of each against each other one."""
    known = {(d.first, d.second): d for versus in pairs for d in versus.differences if d.measure == measure}
    ranked = ranking_of(pairs, measure)
    names = [each.name for each in ranked] or list(dict.fromkeys(name for pair in known for name in pair))
    heads: list[Text] = [SYSTEM, *names]
    rows = [[Cell(row), *(_between(known, row, column) for column in names)] for row in names]
    if ranked:
        unit = Unit(next(iter(known.values())).shown_as)
        heads[1:1] = [say("page.value"), say("page.compared.group")]
        for row, one in zip(rows, ranked, strict=True):
            value = Estimate(Result(one.value), asked.intervals.get((one.name, measure)))
            row[1:1] = [Cell(value, unit), Cell(one.letters)]
    key = "page.compared.ranking" if ranked else "page.compared.matrix"
    notes = _notes(pairs, ranked=bool(ranked)) if last else []
    return Table.under(heads, rows, notes, id=f"verdicts-{measure}", caption=say(key, measure=asked.named(measure)))


def _between(known: dict[tuple[str, str], Difference], row: str, column: str) -> Cell:
    """What is said of the system of the row as against that of the column."""
    if row == column:
        return Cell("–")
    difference = known.get((column, row))
    return _verdict(known[row, column], mirrored=True) if difference is None else _verdict(difference)


def _verdict(difference: Difference, *, mirrored: bool = False) -> Cell:
    """The verdict on the second system, or mirrored on the first, with its p value."""
    verdict = difference.verdict
    verdict = MIRRORED.get(verdict, verdict) if mirrored else verdict
    p = () if math.isnan(difference.p) else (say("paired.check.p", p=difference.adjusted_p),)
    said = say(f"page.compared.{VERDICTS.get(verdict, verdict)}")
    return Cell(said, key=verdict, note=p, best=verdict == "better")


def _notes(pairs: Sequence[Versus], *, ranked: bool = False) -> list[Text]:
    """What the words mean."""
    first = pairs[0].differences[0]
    tests = max(difference.tests for versus in pairs for difference in versus.differences)
    note: Message = say("page.compared.note", alpha=round(1.0 - first.interval.level, 12))
    letters = [say("page.compared.letters")] if ranked else []
    return [sentences(*letters, note, *([say("paired.how.adjusted", tests=tests)] if tests > 1 else []))]


def _forest(differences: Sequence[Difference], asked: Asked) -> Chart:
    """A dot for each difference, a line for its interval, and a line where systems are equal."""
    panel = forest.forest_panel(differences)
    known = [(row, d) for row, d in enumerate(differences) if math.isfinite(d.difference)]
    factor = 100.0 if differences[0].shown_as == "rate" else 1.0
    spans = [(factor * d.interval.low, factor * d.interval.high) for _, d in known]
    texts = [(difference_text(d, d.interval.low), difference_text(d, d.interval.high)) for _, d in known]
    rows = Line(
        panel.x.label,
        tuple(factor * d.difference for _, d in known),
        tuple(float(row) for row, _ in known),
        dots=True,
        notes=tuple(say("number.ends", low=low, high=high) if low else "" for low, high in texts),
        joined=False,
        spans=tuple(ends if all(map(math.isfinite, ends)) else () for ends in spans),
    )
    last = float(len(differences) - 1)
    level = Line("", (0.0, 0.0), (-0.5, last + 0.5), GUIDE)
    said = tuple(say("number.of", name=forest.row_name(d), value=difference_text(d, d.difference)) for _, d in known)
    measures = dict.fromkeys(asked.named(difference.measure) for difference in differences)
    return Chart(
        f"forest-{differences[0].shown_as}",
        say("page.compared.forest", measures=list(measures), level=differences[0].interval.level),
        say("page.compared.forest.summary", differences=said),
        Axis(panel.x.label, panel.x.low, panel.x.high, unit="score"),
        Axis("", 0.0, last + 1.0, names=panel.y.names),
        (level, rows),
    )
