"""Measures as people read them: their names in two vocabularies, and cards and tables, the same in every mode.

Conventions: a term's first two names are spelled as in the languages of measures, so that one can be asked for by the
other's name. Positives are mated (genuine) comparisons and searches by enrolled people, negatives all others. The
rates of searches are those of decisions "somebody passes" and, for DIR and FNIR, "and it is the right person". Only
what a person reads is renamed: what a cell shows is in the vocabulary of the document, the key behind it, JSON, CSV and
the command line have the canonical name. In both vocabularies at once the name of the mode stands first.

Under a table stands what is known within bounds only, because scores were counted and not kept. Wherever a measure of
an evaluation is shown it is an `Estimate` with its interval, so that it has the same digits everywhere.

Holds `Vocabulary` (which names to show), `Term`, and the table `VOCABULARY` of `COMPARISONS` and `SEARCHES`;
`shown_name` (a measure), `name_columns` (the names of a table's rows), `heading` (of a column), `everyday_name`,
`short_name` (an operating point on a button) and `MeasureNames`, how the measures of one mode are named in a document;
`cards`, `headline_table`, `measures_tables`, `bounds_notes`, `estimate_cell` with `quoted` for sentences, and
`interval_column`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from bertillon.advice.warnings import not_measurable
from bertillon.core.messages import Message, Text, catalogue, say
from bertillon.evaluation import AnyEvaluation
from bertillon.measures import CLASSIFICATION, VERIFICATION, MeasureSet, Spelling
from bertillon.stats.interval import Interval
from bertillon.views.document import Card, Cell, Column, Table
from bertillon.views.numbers import (
    PERCENT,
    Estimate,
    Unit,
    errors_text,
    shown,
    threshold_decimals,
    threshold_text,
    with_digits,
)


class Vocabulary(StrEnum):
    """Whose names a table shows."""

    BIOMETRIC = "biometric"
    ML = "ml"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Term:
    """One number and its names; of the other names the first is the usual one."""

    biometric: str
    ml: str
    everyday: tuple[str, ...] = ()  # other names in biometrics
    also: tuple[str, ...] = ()  # other names in machine learning

    @property
    def meaning(self) -> Message:
        """What the number says, in a few words."""
        digits = self.biometric.removeprefix("FMR")
        return say("term.FMRn", n=int(digits)) if digits.isdigit() else say(f"term.{self.biometric}")


COMPARISONS = (
    Term("FMR", "FPR", ("FAR",), ("fall-out",)),
    Term("FNMR", "FNR", ("FRR",), ("miss-rate",)),
    Term("TMR", "Recall", ("TAR", "GAR"), ("TPR", "sensitivity", "hit-rate")),
    Term("TNMR", "Specificity", ("TRR", "GRR"), ("TNR",)),
    Term("ZeroFMR", "FNR@FPR=0", ("ZeroFAR",)),
    Term("ZeroFNMR", "FPR@FNR=0", ("ZeroFRR",)),
    *(Term(f"FMR{n}", f"FNR@FPR={1 / n:g}") for n in (10, 100, 1000, 10_000)),
    Term("FM", "FP", ("FA",)),
    Term("FNM", "FN", ("FR",)),
    Term("TM", "TP", ("GA",)),
    Term("TNM", "TN", ("GR",)),
)
SEARCHES = (
    Term("FPIR", "FPR", ("false-alarm-rate",)),
    Term("FNIR", "FNR"),
    Term("DIR", "Recall", ("TPIR",), ("TPR",)),
    Term("CMS", "Top", ("CMC",), ("topk",)),
    Term("RR", "Top@1", ("rank-1", "recognition-rate")),
)
VOCABULARY = (*COMPARISONS, *SEARCHES)
EVERYDAY, MACHINE_LEARNING, BIOMETRICS = say("page.everyday"), say("page.names.ml"), say("page.names.biometric")

_TO_ML = {name: term.ml for term in VOCABULARY for name in (term.biometric, *term.everyday)}
_TO_BIOMETRIC = {term.ml: term.biometric for term in reversed(VOCABULARY)}  # of comparisons where searches share a name
_WORDS = {Vocabulary.ML: _TO_ML, Vocabulary.BIOMETRIC: _TO_BIOMETRIC}
_EVERYDAY = {term.biometric: term.everyday[0] for term in COMPARISONS if term.everyday}


def own_vocabulary(measure_set: MeasureSet) -> Vocabulary:
    """Whose names the measures of a mode have."""
    return Vocabulary.ML if measure_set is CLASSIFICATION else Vocabulary.BIOMETRIC


def shown_name(name: str, vocabulary: Vocabulary) -> str:
    """A measure's name in one vocabulary, or in both where they differ.

    >>> shown_name("FNMR@FMR=0.01", Vocabulary.ML), shown_name("Recall@FPR=0.01", Vocabulary.BIOMETRIC)
    ('FNR@FPR=0.01', 'TMR@FMR=0.01')
    >>> shown_name("FNMR@FMR=0.01", Vocabulary.BOTH), shown_name("AUC", Vocabulary.BOTH)
    ('FNMR@FMR=0.01 = FNR@FPR=0.01', 'AUC')
    """
    if vocabulary == Vocabulary.BOTH:
        return " = ".join(dict.fromkeys((shown_name(name, Vocabulary.BIOMETRIC), shown_name(name, Vocabulary.ML))))
    return _renamed(name, _WORDS[vocabulary])


@dataclass(frozen=True, slots=True)
class NameColumns:
    """The names of a table's rows, and a second column of names under its heading where there is one."""

    first: list[str]
    second: list[Text]
    heading: Message | None = None


def name_columns(names: Sequence[str], measure_set: MeasureSet, *, vocabulary: Vocabulary | None = None) -> NameColumns:
    """The names in the vocabulary asked for, or that of the mode; beside them the other one, or everyday names.

    >>> from bertillon.measures.registry import IDENTIFICATION
    >>> columns = name_columns(["CMS@5", "MRR"], IDENTIFICATION, vocabulary=Vocabulary.BOTH)
    >>> columns.first, columns.second, str(columns.heading)
    (['CMS@5', 'MRR'], ['Top@5', ''], 'machine learning')
    """
    own = own_vocabulary(measure_set)
    asked = vocabulary or own
    other = Vocabulary.ML if own is Vocabulary.BIOMETRIC else Vocabulary.BIOMETRIC
    first = list(names) if asked in (own, Vocabulary.BOTH) else [shown_name(name, asked) for name in names]
    second: list[Text] = [""] * len(first)
    if asked is Vocabulary.BOTH:
        others = [shown_name(name, other) for name in names]
        second = ["" if there == here else there for here, there in zip(first, others, strict=True)]
    elif asked is Vocabulary.BIOMETRIC and measure_set is VERIFICATION:
        second = [everyday_name(name) for name in names]
    others_are = MACHINE_LEARNING if other is Vocabulary.ML else BIOMETRICS
    second_heading = EVERYDAY if asked is Vocabulary.BIOMETRIC else others_are
    return NameColumns(first, second, second_heading if any(second) else None)


def heading(text: str, vocabulary: Vocabulary) -> str:
    """The heading of a column, every name of the other vocabulary in it renamed; both one above the other.

    >>> heading("FMR(FNMR=x)", Vocabulary.ML), heading("FAR", Vocabulary.BOTH), heading("Recall", Vocabulary.BIOMETRIC)
    ('FPR(FNR=x)', 'FAR\\nFPR', 'TMR')
    """
    if vocabulary == Vocabulary.BOTH:
        return "\n".join(dict.fromkeys((text, *(heading(text, single) for single in _WORDS))))
    words = _WORDS[vocabulary]
    return re.sub(r"[A-Za-z]+", lambda word: words.get(word[0], word[0]), text)


def everyday_name(name: str) -> Text:
    """What a measure of comparisons is called where nobody tells comparisons from transactions.

    >>> everyday_name("FNMR@FMR=0.01"), everyday_name("dprime"), everyday_name("AUC")
    ('FRR@FAR=0.01', "d'", '')
    """
    spelling = Spelling.read(name)
    if spelling.name == "dprime":
        return say("page.everyday.dprime_sum") if spelling.variant == "sum" else "d'"
    everyday = name if spelling.name == "pAUC" else _renamed(name, _EVERYDAY)  # it has no area over attempts
    return "" if everyday == name else everyday


def _renamed(name: str, words: dict[str, str]) -> str:
    """The name with its first word and its places replaced; a replacement may bring a place with it."""
    spelling = Spelling.read(name)
    new = Spelling.read(words.get(spelling.name, spelling.name))
    places = {words.get(place, place): target for place, target in spelling.at.items()}
    return str(replace(spelling, name=new.name, at={**new.at, **places}))


RATES = ("matched", "missed", "found")
KINDS = ("mated", "nonmated")
LIVE = "page.live."


@dataclass(frozen=True, slots=True)
class MeasureNames:
    """How the measures of one mode are named.

    >>> measure_names = MeasureNames.of(VERIFICATION, Vocabulary.ML)
    >>> measure_names.measure("FNMR@FMR=0.01"), measure_names.point("FNMR@FMR=0.01")
    ('FNR@FPR=0.01', 'FPR=0.01')
    >>> MeasureNames.of(VERIFICATION, None).heading("FAR")
    'FAR'
    """

    measure_set: MeasureSet
    vocabulary: Vocabulary

    @classmethod
    def of(cls, measure_set: MeasureSet, vocabulary: Vocabulary | None = None) -> MeasureNames:
        """Names in a vocabulary, or in that of the mode."""
        return cls(measure_set, vocabulary or own_vocabulary(measure_set))

    @property
    def renames(self) -> bool:
        """Other names than those of the mode are wanted."""
        return self.vocabulary is not own_vocabulary(self.measure_set)

    def measure(self, name: str) -> str:
        """A measure's name, in both vocabularies where both are wanted and differ."""
        return shown_name(name, self.vocabulary) if self.renames else name

    def heading(self, text: str) -> str:
        """The heading of a column."""
        return heading(text, self.vocabulary).replace("\n", " = ") if self.renames else text

    def point(self, measure: str) -> str:
        """What the operating point of a measure is called on a button, where there is room for one name."""
        return short_name(measure if self.vocabulary is Vocabulary.BOTH else self.measure(measure))

    def live(self) -> Mapping[str, Text]:
        """What the numbers that move are called."""
        own = live_words(self.measure_set.mode)
        if not self.renames:
            return own
        other = live_words("verification" if self.measure_set is CLASSIFICATION else "classification")
        if self.vocabulary is not Vocabulary.BOTH:
            renamed = (*RATES, *(f"{rate}_words" for rate in RATES), *KINDS)
            return own | {name: other[name] for name in renamed}
        both = {name: _equal(own[name], other[name]) for name in (*RATES, *KINDS)}
        return own | both | {f"{rate}_words": _equal(own[f"{rate}_words"], other[rate]) for rate in RATES}


def live_words(mode: str) -> dict[str, Text]:
    """What the page's script says of one mode."""
    prefix = f"{LIVE}{mode}."
    return {name: say(f"{prefix}{name}") for name in catalogue("en").after(prefix)}


def _equal(first: Text, second: Text) -> Message:
    return say("list.equal", first=first, second=second)


def short_name(measure: str) -> str:
    """An operating point by its place, or its measure where it has none.

    >>> short_name("FNMR@FMR=0.001"), short_name("minCost(cfa=500,cfr=2,impostor=0.01)"), short_name("EER[hull]")
    ('FMR=0.001', 'minCost', 'EER[hull]')
    """
    spelling = Spelling.read(measure)
    if spelling.at:
        return ",".join(f"{place}={float(target):g}" for place, target in spelling.at.items())
    return spelling.name + (f"[{spelling.variant}]" if spelling.variant else "")


HEADLINES = {
    "verification": ("EER", "FNMR@FMR=0.01", "FNMR@FMR=0.001", "AUC"),
    "identification": ("RR", "DIR@FPIR=0.01,k=1", "EERopen", "CMS@5"),
    "classification": ("AUC", "F1", "F1[macro]", "MCC", "BalancedAccuracy", "ECE"),
}
MOST_CARDS = 4
MEASURE, VALUE, THRESHOLD = say("page.measure"), say("page.value"), say("page.threshold")
ERRORS, SYSTEM = say("page.errors"), say("page.system")


def unit_of(name: str, measure_set: MeasureSet) -> Unit:
    """The unit of a measure's values."""
    return Unit(measure_set.unit_of(name))


def interval_column(level: float) -> Message:
    """What a column of intervals of this level is called."""
    return say("page.interval.column", level=f"{round(level * 100, 6):g}")


def estimate_cell(evaluation: AnyEvaluation, name: str) -> Cell:
    """A measure of an evaluation to the digits that its interval supports."""
    return Cell(Estimate(evaluation[name], evaluation.intervals.get(name)), unit_of(name, evaluation.measure_set))


def threshold_cell(threshold: float | None, evaluation: AnyEvaluation, name: str = "") -> Cell:
    """The threshold of a measure, or of another point, in the user's units; in short as far as it is known."""
    known = threshold_text(threshold, evaluation.rule, threshold_decimals(evaluation.intervals, name))
    return Cell(threshold_text(threshold, evaluation.rule), key=threshold, short=known)


def quoted(text: Text, evaluations: Sequence[AnyEvaluation]) -> Text:
    """A sentence in which the values of evaluations have the digits that they have in tables."""
    digits: dict[tuple[float, Unit], str] = {}
    for evaluation in evaluations:
        for name, result in evaluation.results.items():
            cell = estimate_cell(evaluation, name)
            if result.value and cell.unit is not Unit.COUNT:
                digits[result.value, cell.unit] = cell.text.removesuffix(PERCENT)
    return with_digits(text, digits) if isinstance(text, Message) else text


def headlines(evaluation: AnyEvaluation) -> list[str]:
    """The measures a reader wants first; the first ones asked for where none of the usual is there."""
    usual = [name for name in HEADLINES.get(evaluation.measure_set.mode, ()) if name in evaluation.results]
    return (usual or list(evaluation))[:MOST_CARDS]


def cards(evaluation: AnyEvaluation, vocabulary: Vocabulary | None = None) -> tuple[Card, ...]:
    """The headline numbers of one system."""
    names = MeasureNames.of(evaluation.measure_set, vocabulary)
    return tuple(_card(evaluation, name, names) for name in headlines(evaluation))


def _card(evaluation: AnyEvaluation, name: str, names: MeasureNames) -> Card:
    """One number, what it means and how sure it is, or how many trials it needs."""
    if needs := not_measurable(evaluation).get(name):
        return Card(names.measure(name), meaning(name, evaluation.measure_set), Cell("-"), needs)
    result, interval = evaluation.results[name], evaluation.intervals.get(name)
    ends, means = shown(interval, unit_of(name, evaluation.measure_set)), meaning(name, evaluation.measure_set)
    sure = say("page.interval", level=f"{interval.level * 100:g}", ends=ends) if interval is not None and ends else ""
    return Card(names.measure(name), means, estimate_cell(evaluation, name), sure, result.reason or errors_text(result))


def meaning(name: str, measure_set: MeasureSet = VERIFICATION) -> Text:
    """What a measure says in a few words, the page's or those of its definition; nothing for those that have none.

    >>> str(meaning("AUC", CLASSIFICATION))
    'probability that a positive scores higher than a negative'
    """
    spelling = Spelling.read(name)
    place = next(iter(spelling.at.items()), None)
    usual = f"page.measure.{spelling.name}" + (f"@{place[0]}" if place else "")
    key = next(filter(catalogue("en").has, (f"{usual}.{measure_set.mode}", usual)), None)
    if not key:
        defined = measure_set.definitions.get(spelling.name)
        return defined.summary if defined and isinstance(defined.summary, Message) else ""
    percent = f"{float(place[1]) * 100:g}\u00a0%" if place else ""
    return say(key, x=place[1] if place else "", percent=percent)


def headline_table(evaluations: Sequence[AnyEvaluation], vocabulary: Vocabulary | None = None) -> Table:
    """The headline numbers of several systems, a system a row."""
    names = MeasureNames.of(evaluations[0].measure_set, vocabulary)
    shared = [
        name for name in headlines(evaluations[0]) if all(name in evaluation.results for evaluation in evaluations)
    ]
    rows = [(Cell(evaluation.name), *(_stacked(evaluation, name) for name in shared)) for evaluation in evaluations]
    return Table.under([SYSTEM, *map(names.measure, shared)], rows, id="headline", caption=say("page.headline.caption"))


def measures_tables(
    evaluations: Sequence[AnyEvaluation],
    names: Sequence[str],
    *,
    measure_names: MeasureNames,
    id: str,
    caption: Text | None = None,
    brief: bool = False,
) -> list[Table]:
    """All measures of one system with what stands behind them, or of several side by side."""
    if not names:
        return []
    bounds, title = bounds_notes(evaluations), caption or ("" if brief else say("page.measures.caption"))
    if len(evaluations) == 1:
        one = _one_system(evaluations[0], names, measure_names, id, guarded=brief)
        return [replace(one, caption=title, notes=tuple(bounds))]
    if brief:
        return [replace(_systems(evaluations, names, measure_names, id), caption=title)]
    called = name_columns(names, evaluations[0].measure_set, vocabulary=measure_names.vocabulary)
    other = called.heading if measure_names.vocabulary is Vocabulary.BOTH else None  # everyday names would crowd
    heads: list[Text] = [MEASURE, *([other] if other else []), *(evaluation.name for evaluation in evaluations)]
    rows = []
    for name, first, second in zip(names, called.first, called.second, strict=True):
        more = [Cell(second)] if other else []
        cells = [*more, *(_stacked(evaluation, name) for evaluation in evaluations)]
        rows.append((Cell(first, key=name, meaning=meaning(name, evaluations[0].measure_set)), *cells))
    notes = (say("page.measures.note"), *bounds)
    return [Table.under(heads, rows, notes, id=id, caption=title, names=2 if other else 1)]


def _systems(evaluations: Sequence[AnyEvaluation], names: Sequence[str], measure_names: MeasureNames, id: str) -> Table:
    """One row a system; what so few trials cannot show is said under the table."""
    rows, needed = [], dict[Text, None]()
    for each in evaluations:
        lacking = not_measurable(each)
        rows.append((Cell(each.name), *(Cell("-") if name in lacking else _stacked(each, name) for name in names)))
        needed |= {say("list.named", name=name, message=lacking[name]): None for name in names if name in lacking}
    heads: list[Text] = [SYSTEM, *map(measure_names.measure, names)]
    return Table.under(heads, rows, (*needed, *bounds_notes(evaluations)), id=id, caption="")


def _one_system(
    evaluation: AnyEvaluation, names: Sequence[str], measure_names: MeasureNames, id: str, *, guarded: bool
) -> Table:
    """One row a measure; columns in which nothing would stand are left out.

    Where it is `guarded`, what so few trials cannot show is replaced by how many it needs.
    """
    level = next((interval.level for interval in evaluation.intervals.values()), 0.0)
    called = name_columns(names, evaluation.measure_set, vocabulary=measure_names.vocabulary)
    columns = (
        Column(MEASURE, numeric=False),
        *(Column(head) for head in (VALUE, interval_column(level), THRESHOLD)),
        Column(ERRORS, numeric=not any(evaluation.results[name].reason for name in names)),
        Column(called.heading or "", numeric=False, aside=called.heading == EVERYDAY),
    )
    named = zip(names, called.first, called.second, strict=True)
    lacking = not_measurable(evaluation) if guarded else {}
    rows = tuple(_row(evaluation, name, lacking.get(name), called=(first, second)) for name, first, second in named)
    return Table(id, "", columns, rows).without_empty


def _row(evaluation: AnyEvaluation, name: str, needs: Message | None, *, called: tuple[str, Text]) -> tuple[Cell, ...]:
    """A number and what stands behind it, or how many trials it `needs`."""
    result = evaluation.results[name]
    first, last = Cell(called[0], key=name, meaning=meaning(name, evaluation.measure_set)), Cell(called[1])
    if needs is not None:
        return (first, Cell(needs, over=True), Cell(), Cell(), Cell(), last)
    return (
        first,
        estimate_cell(evaluation, name),
        Cell(evaluation.intervals.get(name), unit_of(name, evaluation.measure_set)),
        threshold_cell(result.threshold, evaluation, name),
        Cell(result.reason or errors_text(result), key=result.errors),
        last,
    )


def bounds_notes(evaluations: Sequence[AnyEvaluation]) -> list[Text]:
    """What is known within bounds only, system by system."""
    found: list[Text] = []
    for evaluation in evaluations:
        loose = {name: Interval(*ends) for name, ends in evaluation.bounds.items() if ends[0] < ends[1]}
        for name, ends in loose.items():
            bound = say("number.of", name=name, value=shown(ends, unit_of(name, evaluation.measure_set)))
            several = len(evaluations) > 1
            found.append(say("list.named", name=evaluation.name, message=bound) if several else bound)
    return [say("page.measures.bounds", bounds=found)] if found else []


def _stacked(evaluation: AnyEvaluation, name: str) -> Cell:
    """A value, and under it its interval and threshold, or why there is none."""
    result, unit = evaluation.results[name], unit_of(name, evaluation.measure_set)
    at = threshold_text(result.threshold, evaluation.rule)
    ends = shown(evaluation.intervals.get(name), unit)
    behind = [ends, say("number.at", threshold=at) if at else ""]
    note = (result.reason,) if result.reason else tuple(part for part in behind if part)
    return replace(estimate_cell(evaluation, name), note=note)
