"""Findings to a document: each is shown by the view that is registered for its type, and there is no list of types.

Conventions: a report may speak of evaluations of any mode, of what was found beside them, and of how the system is
used. What belongs to each system is a list in the order of the systems, or empty where nobody asked for it.

A view is a function of all findings of its type and of the content they stand in, to a `Part` of the document, which is
a document of these alone, or to a section where there is no more to say. Evaluations are one type, told apart by the
kind of their trials; one whose kind has no view of its own shows its measures. Views of ours register themselves when
their module is imported, those of other packages likewise (`register_view`, see docs/extend.md).

Holds `ReportContent`, all that a report may speak of, with `DailyUse` and `WatchListUse` (attempts a day, and what
errors cost), `Rates` (what was asked at x) and `SideBySide` (systems over all false match rates); `register_view`,
`Part`, `document_of` and `page_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING, Any

from bertillon.advice.verdicts import bounds_sentences, interval_sentences
from bertillon.advice.warnings import not_measurable
from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, abridged, both_named, catalogue, chained, say
from bertillon.evaluation import AnyEvaluation, Bands, Evaluation, each_of
from bertillon.measures import parse_all
from bertillon.stats.interval import Settings
from bertillon.views.document import Cell, Document, Level, Paragraphs, Section, Sentence, Subject, Table, in_words
from bertillon.views.measures import MeasureNames, Vocabulary, quoted

if TYPE_CHECKING:
    from bertillon.advice.verdicts import Preset
    from bertillon.analysis.conditions import ConditionResults
    from bertillon.analysis.development import DevelopmentResult
    from bertillon.analysis.discard import Discarded
    from bertillon.analysis.group_rates import GroupRates
    from bertillon.analysis.in_use import Expected, Region
    from bertillon.analysis.menagerie import Menagerie
    from bertillon.evaluation import ClassEvaluation, ScoreEvaluation, SearchEvaluation
    from bertillon.matching.protocol.runs import FoldAccuracy
    from bertillon.stats.comparing import Versus
    from bertillon.stats.runs import FoldDifference
    from bertillon.views.class_tables import ClassReport

MODES = ("verification", "identification", "classification")
HOMES = {  # modules in which views of ours register themselves, by the names of the types
    "verification": ("Evaluation",),
    "identification": ("Evaluation.identification", "IndexedSearch"),
    "classification": ("Evaluation.classification",),
    "class_tables": ("Recalibrated",),
    "comparison": ("Comparison", "Versus", "SideBySide"),
    "groups": ("GroupRates",),
    "samples": ("Discarded", "Menagerie"),
    "attacks": ("AttackFinding",),
    "schemes": ("SchemeCheck",),
    "conditions": ("ConditionResults",),
    "fairness": ("SearchGroups", "FairnessOfRates"),
    "budgets": ("Budgets",),
    "in_use": ("GallerySizes", "TransactionRates"),
    "extraction": ("Extraction",),
    "studies": ("PlannedTest", "RepeatedEvaluation", "ResponseReliability", "AdviceReport"),
}
INTERACTIVE = ("page.notes.exact", "page.notes.use")  # notes on the handle and on what a reader types in
MATCHER = "protocol.matcher."  # notes that name the matcher, and with it which scores are more alike
FEW_ERRORS = "reason.too_few_errors"
FEW = "advice.few_errors"
FEWER_CARDS = 2  # of each part where there are several


@dataclass(frozen=True, slots=True)
class DailyUse:
    """Attempts a day and what one error of each kind costs, as far as somebody said; a reader may type others."""

    genuine: float | None = None
    impostor: float | None = None
    cost_accept: float | None = None  # of one false accept
    cost_reject: float | None = None  # of one false reject

    @property
    def has_attempts(self) -> bool:
        """Is it known how many attempts there are of either kind?"""
        return self.genuine is not None or self.impostor is not None

    @property
    def has_costs(self) -> bool:
        """Is it known what either error costs?"""
        return self.cost_accept is not None or self.cost_reject is not None


@dataclass(frozen=True, slots=True)
class WatchListUse:
    """People passing a watch list a day, minutes to check an alarm, and the share that is on the list."""

    passers: float = 10_000.0
    minutes: float = 15.0
    on_list: float | None = None


@dataclass(frozen=True, slots=True)
class Rates:
    """Both error rates at each x of the other, at most x or `nearest` to it."""

    at: tuple[float, ...] = ()
    nearest: bool = False

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The two measures of each x.

        >>> Rates((0.1,)).pairs
        [('FMR@FNMR=0.1', 'FNMR@FMR=0.1')]
        """
        variant = "[nearest]" if self.nearest else ""
        return [(f"FMR{variant}@FNMR={x!r}", f"FNMR{variant}@FMR={x!r}") for x in self.at]

    @property
    def measures(self) -> list[str]:
        """All of them."""
        return [name for pair in self.pairs for name in pair]

    @property
    def names(self) -> set[str]:
        """Their canonical names."""
        return {str(measure) for measure in parse_all(self.measures)}


@dataclass(frozen=True, slots=True, eq=False)
class SideBySide:
    """Systems that are compared over all false match rates."""

    evaluations: Sequence[ScoreEvaluation]


@dataclass(frozen=True, slots=True, eq=False)
class ReportContent:
    """What was found about one or several systems, in one or several modes."""

    verification: Sequence[ScoreEvaluation] = ()
    identification: Sequence[SearchEvaluation] = ()
    classification: Sequence[ClassEvaluation] = ()
    versus: Sequence[Versus] = ()  # systems tested against each other
    # of each system in verification
    expected: Sequence[Sequence[Expected]] = ()
    folds: Sequence[FoldAccuracy] = ()
    development: Sequence[DevelopmentResult] = ()
    discards: Sequence[Discarded] = ()
    people: Sequence[Menagerie] = ()
    groups: Sequence[GroupRates] = ()
    # of each system in one of the modes; in identification, in classification; and of each pair that was tested
    conditions: Sequence[ConditionResults] = ()
    regions: Sequence[Sequence[Region]] = ()
    class_reports: Sequence[ClassReport] = ()
    fold_differences: Sequence[FoldDifference] = ()
    findings: Sequence[Any] = ()  # of any other type
    behind: Sequence[AnyEvaluation] = ()  # of what was tested: not shown, they give values their digits
    # how it is used and shown
    bands: Mapping[str, Bands] = field(default_factory=dict)  # by mode
    vocabulary: Vocabulary | None = None  # None: that of each mode
    preset: Preset | None = None
    use: DailyUse | None = None  # None: nobody said, and a reader types it in
    search_use: WatchListUse | None = None
    protocol: Sequence[Text] = ()  # what was done to get the trials
    same_scores: bool = False  # all modes judge the scores of one matcher, so that a threshold means the same in each
    warnings: Sequence[Text] = ()  # more of them than what was found gives rise to
    rates: Rates = Rates()  # asked for at x
    settings: Settings | None = None  # of the tests, where systems were not evaluated
    level: Level = Level.APPENDIX  # up to which it is wanted

    @classmethod
    def of(cls, evaluations: Sequence[AnyEvaluation], versus: Sequence[Versus] = ()) -> ReportContent:
        """Evaluations of any mode, each where it belongs."""
        by_mode: dict[str, Any] = {
            mode: [evaluation for evaluation in evaluations if evaluation.kind == mode] for mode in MODES
        }
        others = [evaluation for evaluation in evaluations if evaluation.kind not in MODES]
        return cls(**by_mode, versus=versus, findings=others)

    @property
    def brief(self) -> bool:
        """It is for a terminal: nothing that is drawn or moves, no appendix."""
        return self.level < Level.APPENDIX

    @property
    def short(self) -> bool:
        """Only the answer is wanted, on one screen."""
        return self.level is Level.ANSWER

    @property
    def by_mode(self) -> dict[str, Sequence[AnyEvaluation]]:
        """The evaluations of each mode there is, in the order of a report."""
        every: tuple[Sequence[AnyEvaluation], ...] = (self.verification, self.identification, self.classification)
        return {mode: group for mode, group in zip(MODES, every, strict=True) if group}

    @property
    def evaluations(self) -> list[AnyEvaluation]:
        """All evaluations, in the same order; those of other kinds of trials last."""
        others = [finding for finding in self.findings if isinstance(finding, Evaluation)]
        return [*(evaluation for group in self.by_mode.values() for evaluation in group), *others]

    @property
    def every_finding(self) -> list[Any]:
        """All that is shown, in the order of a report; nothing at all is refused."""
        of_samples = (*self.discards, *self.people, *self.groups)
        beside = [SideBySide(self.verification)] if len(self.verification) > 1 and not self.brief else []
        evaluated = (*self.verification, *of_samples, *self.identification, *self.classification, *self.conditions)
        tested = [*self.versus, *beside]
        others = [*evaluated, *self.findings]
        found = [*tested, *others] if self.versus else [*others, *tested]
        if not found:
            raise InputError("nothing was evaluated, so there is nothing to report; give at least one evaluation")
        return found

    def titled(self, evaluation: AnyEvaluation, title: Text) -> Text:
        """A title with the name of its system, where there are several of its kind."""
        several = len(self.by_mode.get(evaluation.kind, ())) > 1
        return say("list.named", name=evaluation.name, message=title) if several else title

    def bands_in(self, mode: str) -> Bands:
        """The bands of each system in a mode."""
        return each_of(self.bands.get(mode, ()), len(self.by_mode[mode]))


Part = Document  # what findings of one type say; warnings name the system they are about, left out where there is one
View = Callable[[Sequence[Any], ReportContent], "Part | Section"]
_VIEWS: dict[tuple[type, str], View] = {}


def register_view(finding: type, view: View, *, kind: str = "") -> None:
    """Show findings of a type, and of its subtypes that have no view of their own, by a function.

    It is given all findings of the type and the `ReportContent` they stand in. Of evaluations `kind` is that of their
    trials.
    """
    _VIEWS[finding, kind] = view


def view_of(finding: Any) -> View:
    """The view that is registered for a finding; a module of ours is imported when it is first needed."""
    kinds = (finding.kind, "") if isinstance(finding, Evaluation) else ("",)
    names = {f"{base.__name__}.{kind}" if kind else base.__name__ for base in type(finding).__mro__ for kind in kinds}
    for module, shown_there in HOMES.items():
        if names.intersection(shown_there):
            import_module(f".{module}", __package__)
    if home := getattr(finding, "shown_in", ""):
        import_module(home)
    for base in type(finding).__mro__:
        for kind in kinds:
            if (base, kind) in _VIEWS:
                return _VIEWS[base, kind]
    raise InputError(f"{type(finding).__name__} has no view; expected a finding whose type is given to register_view")


def document_of(finding: Any, level: Level = Level.APPENDIX) -> Document:
    """Everything about a finding, or about a `ReportContent` of several, up to a level."""
    content = replace(finding if isinstance(finding, ReportContent) else content_of(finding), level=level)
    parts = list(_parts(content))
    sections = [*_merged(section for part in parts for section in part.sections)]
    if content.evaluations and level is Level.APPENDIX:
        sections += [_notes(content), signature_section(map(_signed, content.evaluations))]
    subjects = [subject for part in parts for subject in part.subjects]
    if content.protocol:  # which says how the trials were made, once for all of them
        others = (replace(subject, notes=(), always=()) for subject in subjects)
        subjects = [*others, _how_made(content)] if content.brief else [_how_made(content), *others]
    titles = list(dict.fromkeys(part.title for part in parts if part.title))
    judged = parts[:1] if content.versus else parts  # systems that were compared are judged against each other
    return Document(
        title=titles[0] if len(titles) == 1 or content.versus else say("page.title.modes") if titles else "",
        sentences=tuple(sentence for part in parts for sentence in part.sentences),
        subjects=tuple(subjects),
        **_top(judged),
        verdicts=tuple(
            replace(verdict, text=quoted(verdict.text, content.evaluations))  # the digits are those of tables
            for part in judged
            for verdict in part.verdicts
        ),
        warnings=tuple(_gathered([warning for part in parts for warning in part.warnings], content)),
        sections=tuple(section for section in sections if section.level <= level),
        remarks=(*(remark for part in parts for remark in part.remarks), *_remarks(content)),
        results=tuple(result for part in parts for result in part.results),
    )


def content_of(finding: Any) -> ReportContent:
    """One finding by itself; an evaluation stands where those of its mode do."""
    return ReportContent.of([finding]) if isinstance(finding, Evaluation) else ReportContent(findings=[finding])


def page_of(finding: Any, lang: str = "en") -> Document:
    """The whole document of a finding in one language."""
    return in_words(document_of(finding), lang)


def _parts(content: ReportContent) -> Iterator[Part]:
    for view, group in groupby(content.every_finding, view_of):
        made = view(list(group), content)
        yield Part(sections=(made,)) if isinstance(made, Section) else made


def _how_made(content: ReportContent) -> Subject:
    """How the trials were made; in brief what was chosen for them, and the rest where that is explained."""
    made = tuple(content.protocol)
    if not content.brief:
        return Subject("", made)
    chosen = tuple(note for note in made if isinstance(note, Message) and note.key.startswith(MATCHER))
    return Subject("", notes=tuple(note for note in made if note not in chosen), always=chosen)


def _merged(sections: Iterable[Section]) -> Iterable[Section]:
    """Sections of one name as one, where the last of them stands."""
    by_id: dict[str, Section] = {}
    for section in sections:
        before = by_id.pop(section.id, None)
        blocks = section.blocks if before is None else (*before.blocks, *section.blocks)
        by_id[section.id] = replace(section, blocks=blocks)
    return by_id.values()


def _top(parts: Sequence[Part]) -> dict[str, Any]:
    """Cards for one system, in one mode or several; a table for several systems."""
    tables = [part.headline for part in parts if part.headline is not None]
    if tables:
        return {"headline": max(tables, key=lambda table: len(table.rows))}
    given = [part.cards for part in parts if part.cards]
    return {"cards": tuple(card for some in given for card in (some if len(given) == 1 else some[:FEWER_CARDS]))}


def _gathered(warnings: Sequence[Sentence], content: ReportContent) -> list[Sentence]:
    """Each warning once, with the systems it is about where there are several."""
    about: dict[Text, dict[Text, None]] = {}
    once = _few_errors_once(warnings)
    levels = {warning.text: warning.level for warning in once}
    for warning in once:
        about.setdefault(warning.text, {}).update({warning.about: None} if warning.about else {})
    several = len({evaluation.name for evaluation in content.evaluations}) > 1
    found = [
        Sentence(
            text,
            say("list.all", names=tuple(names)) if several and names else "",
            short=in_short(text),
            level=levels[text],
        )
        for text, names in about.items()
    ]
    return [*found, *(Sentence(text, short=in_short(text)) for text in content.warnings)]


def _few_errors_once(warnings: Sequence[Sentence]) -> list[Sentence]:
    """One warning of few errors for each system, also where it was measured in several modes."""
    found: dict[tuple[Text, Any], Sentence] = {}  # by the system, and by where it stands unless it is of few errors
    for place, warning in enumerate(warnings):
        few = isinstance(warning.text, Message) and warning.text.key == FEW
        key = (warning.about, FEW if few else place)
        text = both_named(found[key].text, warning.text) if key in found else warning.text
        found[key] = replace(warning, text=text)
    return list(found.values())


def in_short(text: Text) -> Text:
    """A caveat in one line, where the catalogues have it so; of several sentences the first."""
    if not isinstance(text, Message):
        return ""
    if text.key == "list.sentences":
        return in_short(text.values["first"])
    if text.key == "list.named":
        message = text.values["message"]
        return replace(text, items=(("name", text.values["name"]), ("message", in_short(message) or message)))
    key = f"{text.key}.short"
    return replace(text, key=key) if catalogue("en").has(key) else ""


def _remarks(content: ReportContent) -> tuple[Sentence, ...]:
    """How the intervals were found, and which of them are bounds; that nobody knows whose trials they are, first."""
    known = [evaluation.intervals for evaluation in content.evaluations]
    told = interval_sentences(known, [evaluation.name for evaluation in content.evaluations])
    shorts: list[tuple[Message, Text]] = [(text, in_short(text)) for text in told]
    few = _few_errors(content) if content.brief else {}
    for text in bounds_sentences(known):
        named = few.keys() & text.values["names"]
        all_few = [name for name in few if named]
        shorts.append((text, say("intervals.few", names=abridged(all_few)) if named else ""))
        few = {} if named else few  # one line for all of them
    return tuple(Sentence(text, short=short, level=Level.ANSWER if short else Level.APPENDIX) for text, short in shorts)


def _few_errors(content: ReportContent) -> dict[str, None]:
    """The measures shown whose threshold rests on too few errors; not those replaced by how many trials they need."""
    found: dict[str, None] = {}
    for each in content.evaluations:
        hidden = {*not_measurable(each), *(str(one) for one in each.measures if one.target and not one.target.error)}
        for name, interval in each.intervals.items():
            if isinstance(interval.reason, Message) and interval.reason.key == FEW_ERRORS and name not in hidden:
                found[name] = None
    return found


def _notes(content: ReportContent) -> Section:
    """How to read the document: definitions, ties, intervals, and what the page keeps."""
    keys = [key for mode in content.by_mode if catalogue("en").has(key := f"page.notes.{mode}")]
    renamed = (
        MeasureNames.of(evaluation.measure_set, content.vocabulary).renames for evaluation in content.evaluations
    )
    keys += ["page.notes.names"] if any(renamed) else []
    sure = any(evaluation.intervals for evaluation in content.evaluations)
    keys += ["page.notes.ties", "page.notes.intervals" if sure else "page.notes.no_intervals"]
    keys += ["page.notes.bounds", *INTERACTIVE]
    sentences = [Sentence(say(key), interactive=key in INTERACTIVE) for key in keys]
    protocol = [Paragraphs.of(content.protocol)] if content.protocol else []
    return notes_section(Paragraphs((*sentences, *_remarks(content)), listed=True), *protocol)


def notes_section(*blocks: Paragraphs) -> Section:
    """How to read the numbers, in the appendix."""
    return Section("notes", say("page.section.notes"), blocks, Level.APPENDIX)


def _signed(evaluation: AnyEvaluation) -> tuple[Text, Mapping[str, Any]]:
    """Whose signature it is, and its facts."""
    mode = evaluation.measure_set.mode
    return say("figure.sized", name=evaluation.name, n=_called(f"page.mode.{mode}", mode)), evaluation.signature


def signature_section(signed: Iterable[tuple[Text, Mapping[str, Any]]]) -> Section:
    """What one needs to know to get the same numbers again, a row a fact; facts that differ have a row a system."""
    rows, signatures = [], list(signed)
    for key in dict.fromkeys(key for _, signature in signatures for key in signature):
        systems: dict[Text, list[Text]] = {}
        for owner, signature in signatures:
            if signature.get(key) not in (None, ""):
                systems.setdefault(_fact(signature[key]), []).append(owner)
        for fact, names in systems.items():
            whose = say("page.all") if 1 in (len(systems), len(signatures)) else chained(names)
            rows.append((Cell(_called(f"signature.name.{key}", key), key=key), Cell(fact), Cell(whose)))
    heads = [say(f"page.signature.{head}") for head in ("what", "is", "of")]
    table = Table.under(heads, rows, id="signature-table", caption=say("page.signature.caption"), names=3)
    shown = table if len(signatures) > 1 else table.with_columns([0, 1])
    return Section("signature", say("page.section.signature"), (shown,), Level.APPENDIX)


def _called(key: str, name: str) -> Text:
    """What the catalogues call something, or its own name where they do not know it."""
    return say(key) if catalogue("en").has(key) else name


def _fact(value: Any) -> Text:
    """A fact of the signature in words; a number and the label of a class as they are."""
    if isinstance(value, bool):
        return say("signature.yes" if value else "signature.no")
    return value if isinstance(value, Message) else str(value)
