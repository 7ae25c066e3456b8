"""The names of measures, what they mean, and how to get from a line of text to a measure.

Conventions: each definition says which way is better for its measure, and a name says the same in every mode. A measure
that describes the data and not the system (the share of positives), or that is neither good nor bad by itself, gets no
verdict.

Holds `Definition` (one name), `MeasureSet` (the names of one mode: VERIFICATION, IDENTIFICATION, CLASSIFICATION,
ATTACKS) with its `Curve`s, the set of each kind of trial (`measure_set_of`, `register_kind`), `parse` and `parse_all`
for verification, `better`, and the usual ends of values (SHARE, SIGNED, POSITIVE).
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache
from importlib import import_module
from typing import Literal

from bertillon.core.arguments import describe
from bertillon.core.errors import InputError
from bertillon.core.lazy import Registry, load_plugins
from bertillon.core.messages import Text
from bertillon.measures.base import Measure, Spelling, fold

GROUP, KIND_GROUP = "bertillon.measures", "bertillon.kinds"
MOST_PARSED = 1000  # lines of text whose measures are kept
SHARE, SIGNED, POSITIVE = (0.0, 1.0), (-1.0, 1.0), (0.0, math.inf)


@dataclass(frozen=True, slots=True)
class Definition:
    """One measure of a set: how it is written, what it says, and how it is built from a spelling."""

    name: str
    build: Callable[[Spelling], Measure]
    summary: Text  # of a measure of another package perhaps a message, in the languages it speaks
    example: str
    formula: str = ""
    synonyms: tuple[str, ...] = ()
    unit: Literal["rate", "number", "count"] = "number"  # how its values are shown
    iso: str = ""  # its term in ISO/IEC 19795-1, where there is one
    reference: str = ""  # who defined it, as the bibliography of the docs names the work
    _: KW_ONLY
    better: Literal["lower", "higher", "neither"]  # neither: it describes the data, and no system wins by it
    ends: tuple[float, float] = (-math.inf, math.inf)  # of its values, for a number; rates and counts have their own
    ends_of_several: tuple[float, float] | None = None  # the same where there are several classes, if that is more


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve as measures, one at each place of a grid: what its band is made of."""

    at: Callable[[float], Measure]
    grid: Sequence[float]
    rises: int = 0  # 1 where the true curve can only rise along the grid, -1 where it can only fall


class MeasureSet:
    """The measures of one mode of recognition: what can be asked, and by which names.

    `home` is the module that registers them, where that is not imported anyway. `curves` are those along which its
    measures lie, by name.
    """

    def __init__(self, mode: str, home: str = "") -> None:
        self.mode, self.home = mode, home
        self.definitions: Registry[Definition] = Registry("measure", GROUP)
        self.curves: dict[str, Curve] = {}
        self._by_any_name: dict[str, Definition] = {}
        self._parsed: dict[str, Measure] = {}  # by every line of text that was parsed: they are asked for again

    def register(self, definition: Definition) -> None:
        """Add a measure to the set; two measures cannot share one."""
        names = {fold(name): name for name in (definition.name, *definition.synonyms)}
        taken = [name for folded, name in names.items() if folded in self._by_any_name]
        if taken:
            known = self._by_any_name[fold(taken[0])].name
            home = self.definitions.home(known)
            raise ValueError(f"the measure name {taken[0]!r} already means {known} of {home}")
        self._by_any_name |= dict.fromkeys(names, definition)
        builder = getattr(definition.build, "__self__", definition.build)  # of a method its class
        self.definitions.add(definition.name, definition, builder.__module__)

    def register_all(self, definitions: Iterable[Definition]) -> None:
        """Add the measures of a family."""
        for definition in definitions:
            self.register(definition)

    def parse(self, text: str | Measure) -> Measure:
        """The measure a line of text means; a measure is returned as it is."""
        return self.parse_all([text])[0]

    def parse_all(self, texts: Iterable[str | Measure]) -> Sequence[Measure]:
        """The measures of several lines; everything wrong with any of them is said in one error."""
        measures: list[Measure] = []
        problems: list[str] = []
        if not isinstance(texts, Iterable):
            raise InputError(f"measures is {describe(texts)}; expected names such as 'EER' or ['EER', 'AUC']")
        for text in texts:
            try:
                if not isinstance(text, str | Measure):
                    raise InputError(f"a measure is {describe(text)}; expected its name, such as 'EER'")
                measures.append(text if isinstance(text, Measure) else self._parsed.get(text) or self._build(text))
            except InputError as error:
                problems.append(str(error))
        if problems:
            raise InputError("\n".join(problems))
        return measures

    def canonical_name(self, name: str) -> str | None:
        """The registered name behind any spelling or synonym, or None."""
        definition = self._find(name)
        return definition.name if definition else None

    def definition_of(self, measure: Measure) -> Definition:
        """What the set says of a measure."""
        name = measure.spelling.name
        return self._by_any_name.get(fold(name)) or self.definitions[name]

    def unit_of(self, name: str) -> str:
        """How the values of a measure are shown, from its spelling."""
        return self.definitions[Spelling.read(name).name].unit

    def _build(self, text: str) -> Measure:
        """The first reading of a line that a measure takes; else what is wrong with the first."""
        measure = self._plain(text)
        if measure is None:
            measure, problem = self._read(text)
            measure = measure or self._with_two_names(text)
            if measure is None:
                raise problem or self._unknown(text)
        if len(self._parsed) < MOST_PARSED:
            self._parsed[text] = measure
        return measure

    def _plain(self, text: str) -> Measure | None:
        """The measure of a line in the words of the language, None where there is none."""
        with suppress(InputError):
            spelling = Spelling.read(text)
            definition = self._find(spelling.name)
            if definition is not None:
                return definition.build(replace(spelling, name=definition.name))
        return None

    def _read(self, text: str) -> tuple[Measure | None, InputError | None]:
        """The measure of a line, or what is wrong with a line that names one."""
        from bertillon.measures.written import readings  # a plain line does not wait for it

        problem: InputError | None = None
        for spelling, plain in readings(text, self.canonical_name):
            definition = self._find(spelling.name)
            if definition is None:
                continue
            try:
                return definition.build(replace(spelling, name=definition.name)), None
            except InputError as error:
                problem = problem or (error if plain else None)
        return None, problem

    def _with_two_names(self, text: str) -> Measure | None:
        """The measure of a heading in both vocabularies, FNMR@FMR=0.01 = FNR@FPR=0.01."""
        sides = [self._read(side)[0] for side in text.split(" = ")]
        if len(sides) != 2 or sides[0] is None or sides[1] is None:
            return None
        spelled_out, _ = self._read(self.definition_of(sides[0]).formula)  # ZeroFMR is FNMR@FMR=0
        same = [_of_comparisons(sides[0])]
        same += [replace(spelled_out.spelling, variant=sides[0].spelling.variant)] if spelled_out else []
        return sides[0] if _of_comparisons(sides[1]) in same else None

    def _unknown(self, text: str) -> InputError:
        """What is wrong with a line that names no measure of this set."""
        try:
            name = Spelling.read(text).name
        except InputError as unreadable:
            return unreadable
        for other in (each for each in measure_sets() if each is not self):
            if other.canonical_name(name) or other._read(text)[0]:
                return InputError(
                    f"unknown measure {text!r} in {self.mode}: it is one of {other.mode}; 'bertillon measures "
                    f"{self.mode}' lists those that can be asked here"
                )
        return InputError(f"unknown measure {text!r}{self._nearest(name)}; 'bertillon measures' lists them all")

    def _find(self, name: str) -> Definition | None:
        if fold(name) not in self._by_any_name:
            load_plugins(GROUP)
        return self._by_any_name.get(fold(name))

    def _nearest(self, name: str) -> str:
        """The registered name closest to a misspelled one, the canonical names first."""
        canonical = {fold(known): known for known in self.definitions}
        synonyms = {fold(other): other for definition in self.definitions.values() for other in definition.synonyms}
        for names, cutoff in ((canonical, 0.6), (synonyms, 0.6), (canonical, 0.4)):
            close = difflib.get_close_matches(fold(name), list(names), cutoff=cutoff)
            if close:
                return f" (did you mean {names[max(close, key=lambda candidate: _likeness(candidate, fold(name)))]}?)"
        return ""


VERIFICATION = MeasureSet("verification")
IDENTIFICATION = MeasureSet("identification", "bertillon.measures.identification")
CLASSIFICATION = MeasureSet("classification", "bertillon.measures.classification")
MEASURE_SETS = (VERIFICATION, IDENTIFICATION, CLASSIFICATION)
ATTACKS = MeasureSet("attacks", "bertillon.measures.attacks")
KINDS: Registry[MeasureSet] = Registry("kind of trial", KIND_GROUP)  # by the `kind` of trials

MEASURES = VERIFICATION.definitions
parse_all = VERIFICATION.parse_all


def register_kind(measures: MeasureSet, kind: str | None = None) -> None:
    """Make a set the measures of a kind of trial, by default that of the same name as its mode."""
    KINDS.add(kind or measures.mode, measures, measures.home or __name__)


@cache
def measure_set_of(kind: str) -> MeasureSet:
    """The measures of a kind of trial, ours or that of another package; looked for once.

    >>> measure_set_of("verification").canonical_name("far")
    'FAR'
    """
    try:
        measures = KINDS[kind]
    except KeyError:
        raise InputError(f"no measures are known for trials of kind {kind!r}; expected {', '.join(KINDS)}") from None
    if measures.home:
        import_module(measures.home)
    return measures


for _known in (*MEASURE_SETS, ATTACKS):
    register_kind(_known)
register_kind(VERIFICATION, "curve")
register_kind(ATTACKS, "attack-detection")


def measure_sets() -> Iterator[MeasureSet]:
    """Those of all kinds of trial, with their measures, each once."""
    yield from dict.fromkeys(measure_set_of(kind) for kind in KINDS)


def better(measure: Measure | str) -> int:
    """1 where more is better, -1 where less is, 0 where neither is.

    >>> better("EER"), better("AUC"), better("Prevalence")
    (-1, 1, 0)
    """
    name = (Spelling.read(measure) if isinstance(measure, str) else measure.spelling).name
    known = MEASURE_SETS if name in VERIFICATION.definitions else measure_sets()  # others only where they are needed
    direction = next((each.definitions[name].better for each in known if name in each.definitions), "neither")
    return {"lower": -1, "higher": 1, "neither": 0}[direction]


def parse(text: str | Measure) -> Measure:
    """The measure of verification a line of text means; a measure is returned as it is.

    Parameters
    ----------
    text
        The name of a measure in any spelling, or a measure.

    Returns
    -------
    Measure
        The measure.

    Examples
    --------
    >>> str(parse("TPR@FPR=1e-3"))
    'TMR@FMR=0.001'
    """
    return VERIFICATION.parse(text)


def _of_comparisons(measure: Measure) -> Spelling:
    """A rate of attempts as that of comparisons, which has the same name in machine learning: FAR as FMR."""
    from bertillon.measures.rates import SCORED

    spelling = measure.spelling
    at = {SCORED.get(place, place): target for place, target in spelling.at.items()}
    return replace(spelling, name=SCORED.get(spelling.name, spelling.name), at=at)


def _likeness(name: str, typed: str) -> tuple[float, bool]:
    """How close two names are; of equally close ones that with the same first letter: ERR is rather EER than GRR."""
    return difflib.SequenceMatcher(None, name, typed).ratio(), name[:1] == typed[:1]
