"""What every measure is: a frozen value that knows its spelling, where to look, and how to read its number.

A measure is written Name[variant](option=1,other=2)@place=0.001,k=5. `Spelling` reads and writes that line and knows
nothing of what any name means.

Holds `Spelling`, `read_number`, `fold` and `reject_extras`. `Measure`, its `Result` (and `OfResult`), what it answers
where scores were not kept (`Exact` and `Enclosed`, with `result_of`), what many measures are (`NamedMeasure`,
`CurveMeasure`, `ClassMeasure`), `BlockValues` (what one gives of a block of resamples), the reasons why a number cannot
be had, and `LIMITS`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, Text, joined, say
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import BinaryCounts, FloatArray, IntArray
from bertillon.counting.tally import Need, Tally
from bertillon.measures.plans import IntervalPlan, PairedTest, Resample

if TYPE_CHECKING:
    from bertillon.measures.known import Known, KnownRates, Visit
    from bertillon.measures.operating_point import Target
    from bertillon.trials.class_tally import ClassTally

BlockValues = tuple[FloatArray, FloatArray]  # values and oriented thresholds, one a resample
NOWHERE: IntArray = np.empty(0, dtype=np.int64)
NO_MATED, NO_NONMATED = say("reason.no_mated"), say("reason.no_nonmated")
NOT_LLR, NO_TRIALS = say("reason.not_llr"), say("reason.no_trials")
NO_POSITIVES, NO_NEGATIVES = say("reason.no_positives"), say("reason.no_negatives")
NO_WEIGHT, ONE_TRUE = say("reason.no_weight"), say("reason.one_true_class")
_FORM = re.compile(
    r"""^\s*(?P<name>[^\W\d_](?:[\w'’′ʼ -]*[\w'’′ʼ])?)\s*
    (?:\[\s*(?P<variant>[\w-]+)\s*\]\s*)?
    (?:\((?P<options>[^()]*)\)\s*)?
    (?:@(?P<at>.+))?\s*$""",
    re.VERBOSE,
)
_HELP = "expected Name, Name[variant], Name(option=1) or Name@place=0.001, as in FNMR@FMR=0.001"
_NUMBERS = "decimals are written with a point, 0.01"
_PERCENT = re.compile(r"^(?P<number>[-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*%$")
_APOSTROPHES = str.maketrans("’′ʼ", "'''")
BARE = ""  # the key of a place given without a name, as in CMS@5


@dataclass(slots=True)
class Limits:
    """How many scores a measure takes up together, or can be resampled of; read whenever it is done."""

    llr_chunk: int = 1 << 20  # scores whose costs are added up together
    bob_scores: int = 1_000_000  # scores; the equal error rate as bob adds it up is not resampled of more


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Spelling:
    """The parts of a measure's name."""

    name: str
    variant: str = ""
    options: Mapping[str, float] = field(default_factory=dict)
    at: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    @lru_cache(maxsize=4096)  # an answer asks for its own name again and again
    def read(cls, text: str) -> Spelling:
        """The parts of a spelling.

        >>> Spelling.read("FNMR@FMR=1e-3").at
        {'FMR': 0.001}
        """
        match = _FORM.match(text)
        if not match:
            raise InputError(f"cannot read the measure {text!r}: {_HELP}")
        return cls(
            match["name"],
            match["variant"] or "",
            _pairs(match["options"], text),
            _pairs(match["at"], text),
        )

    def variant_among(
        self, variants: Sequence[str] = ("plain",), *, options: Sequence[str] = (), at: Sequence[str] | None = ()
    ) -> str:
        """Its variant, the first one where none is given; whatever else the measure does not know is an error."""
        reject_extras(self, options=options, at=at)
        if self.variant and self.variant.lower() not in variants:
            raise InputError(f"{self}: variant {self.variant!r} is not known; expected {', '.join(variants)}")
        return self.variant.lower() or variants[0]

    def written_variant(
        self, variants: Sequence[str], *, options: Sequence[str] = (), at: Sequence[str] | None = ()
    ) -> str:
        """The same, "" for the first (the plain one)."""
        variant = self.variant_among(variants, options=options, at=at)
        return "" if variant == variants[0] else variant

    def __str__(self) -> str:
        variant = f"[{self.variant}]" if self.variant else ""
        options = f"({_join(self.options)})" if self.options else ""
        at = f"@{_join(self.at)}" if self.at else ""
        return f"{self.name}{variant}{options}{at}"


def number(value: float) -> str:
    """The shortest decimal that reads back as the same number.

    >>> number(0.001), number(1e-05), number(5.0)
    ('0.001', '1e-5', '5')
    """
    text = repr(float(value)).removesuffix(".0")
    if "e" not in text:
        return text
    return re.sub(r"e([+-])0*(\d)", lambda m: "e" + m[1].replace("+", "") + m[2], text)


def reject_extras(spelling: Spelling, *, options: Sequence[str] = (), at: Sequence[str] | None = ()) -> None:
    """Options and places the measure does not know are an error, never ignored; None where any place will do."""
    for kind, written, known in (("option", spelling.options, options), ("place", spelling.at, at)):
        strange = [] if known is None else [key for key in written if key not in known]
        if strange:
            expected = ", ".join(known) if known else "none"
            raise InputError(f"{spelling}: {kind} {strange[0] or 'without a name'!r} is not known; expected {expected}")


def read_number(text: str) -> float:
    """A number as people write it; a percentage is the nearest decimal of its share.

    >>> read_number("1e-3"), read_number("0.7 %")
    (0.001, 0.007)
    """
    percent = _PERCENT.match(text.strip())
    try:
        return float(Decimal(percent["number"]).scaleb(-2)) if percent else float(text)
    except InvalidOperation:  # 1.2.3%
        raise ValueError(text) from None


@lru_cache(maxsize=4096)
def fold(name: str) -> str:
    """A name without what people write differently: case, spaces, hyphens, underscores and the kind of apostrophe."""
    return re.sub(r"[\s_-]", "", name.translate(_APOSTROPHES)).lower()


def _pairs(text: str | None, whole: str) -> dict[str, float]:
    pairs: dict[str, float] = {}
    for item in text.split(",") if text and text.strip() else ():
        key, _, value = (part.strip() for part in item.rpartition("="))
        if pairs and not key:  # FMR=0,01 would be FMR=0 and a 1 without a name
            raise InputError(f"cannot read {item.strip()!r} in the measure {whole!r}: {_HELP}; {_NUMBERS}")
        if key in pairs:
            raise InputError(f"{key!r} is given twice in the measure {whole!r}: {_HELP}")
        if value.endswith("%") and key.lower() in ("t", "threshold"):
            raise InputError(f"cannot read {item.strip()!r} in the measure {whole!r}: a threshold is a score, no share")
        try:
            pairs[key] = read_number(value)
        except ValueError:
            hint = f"; write a number for {value}" if value == "x" else ""
            raise InputError(f"cannot read {item.strip()!r} in the measure {whole!r}: {_HELP}{hint}") from None
    return pairs


def _join(pairs: Mapping[str, float]) -> str:
    return ",".join(f"{key}={number(value)}" if key else number(value) for key, value in pairs.items())


@dataclass(frozen=True, slots=True)
class Result:
    """A measure's number and what stands behind it.

    `threshold` is oriented while measures work and in the user's units once an evaluation hands it out; None where the
    measure has none. Where the value is a rate, `errors` of `trials` went wrong: the value is their share, or what is
    left of it for a rate of success. `reason` says why a value is NaN: a message, or the words of a measure of
    another package.
    """

    value: float
    threshold: float | None = None
    errors: int | None = None
    trials: int | None = None
    reason: Text | None = None

    @classmethod
    def undefined(cls, reason: Text) -> Result:
        """A number that cannot be had, and why."""
        return cls(math.nan, reason=reason)

    @classmethod
    def share(cls, errors: int, trials: int, threshold: float | None = None) -> Result:
        """Errors out of trials."""
        if not trials:
            return cls(math.nan, threshold, errors, trials, NO_TRIALS)
        return cls(errors / trials, threshold, errors, trials)

    def restored(self, rule: AcceptRule) -> Result:
        """The same with its oriented threshold in the user's units."""
        if self.threshold is None:
            return self
        return Result(self.value, rule.restore(self.threshold), self.errors, self.trials, self.reason)


class OfResult:
    """What stands on a result, and has its number."""

    __slots__ = ()
    result: Result

    @property
    def value(self) -> float:
        """The number itself; NaN where it is undefined."""
        return self.result.value


@dataclass(frozen=True, slots=True)
class Exact:
    """The number that all scores would give."""

    result: Result


@dataclass(frozen=True, slots=True)
class Enclosed:
    """What is known of a number where scores were only counted.

    Parameters
    ----------
    result
        The worst number that the counts allow.
    bounds
        The least and the greatest one.
    """

    result: Result
    bounds: tuple[float, float]


Answer = Exact | Enclosed | Message


def result_of(answer: Answer) -> Result:
    """The number of an answer, undefined where it is a reason."""
    return Result.undefined(answer) if isinstance(answer, Message) else answer.result


class Measure(ABC):
    """A question asked of a tally. Subclasses are frozen dataclasses, registered under their names.

    Parameters
    ----------
    None
        A subclass has its own; `bt.parse` makes measures from their names.

    Examples
    --------
    >>> import bertillon as bt
    >>> str(bt.parse("FRR@FAR=1e-3"))
    'FRR@FAR=0.001'
    """

    rates_alone: ClassVar[bool] = False  # reads rates and no counts, so that a listed curve answers it

    @property
    @abstractmethod
    def spelling(self) -> Spelling:
        """The canonical spelling."""

    @abstractmethod
    def of(self, tally: Any) -> Result:
        """The number, from what was counted in the mode the measure belongs to."""

    def of_block(self, block: Any) -> BlockValues:
        """The number in each resample of a block, and its threshold; NaN where there is none.

        Here one resample is asked after the other; a family that reads all of them at once says the same of each. A
        measure that reads every score has to do so, since a resample has none: only weights of the block's cells.
        """
        values, thresholds = np.full(block.size, math.nan), np.full(block.size, math.nan)
        for resample in range(0 if Need.SCORES in self.needs else block.size):
            result = self.of(block.tally(resample))
            values[resample] = result.value
            thresholds[resample] = math.nan if result.threshold is None else result.threshold
        return values, thresholds

    @property
    def needs(self) -> frozenset[Need]:
        """What it reads besides the counts around the points it seeks."""
        return frozenset()

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Thresholds, in the user's units, at which the measure must know the counts.

        Of the bins that hold them it reads these counts only.
        """
        return ()

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends of its values where its options decide them; None where its definition does."""
        return None

    def seek(self, outline: BinaryCounts) -> IntArray:
        """Rows of the outline whose bins (up to the next row) may hold the answer; a few too many do no harm."""
        return NOWHERE

    @property
    def monotone(self) -> bool:
        """Is it never better on a worse curve, one with no fewer errors of either kind at every threshold?

        Where scores were only counted, such a measure lies between its values on the best and on the worst curve that
        the counts allow. A subclass may simply say `monotone = True`.
        """
        return False

    @property
    def fixed_between_mated(self) -> bool:
        """Does it not matter which non-mated scores lie between two mated ones, but only how many?"""
        return self.monotone

    def unfit(self, tally: Any) -> Message | None:
        """Why these comparisons have no such number, whatever their scores are."""
        return missing_class(tally)

    def on(self, known: Known) -> Answer:
        """What is known of it where scores were not kept: exact, enclosed, or the reason why not."""
        return known.ask(self)

    def of_rates(self, rates: KnownRates) -> Exact | Message:
        """The number that a listed curve gives, or why it gives none."""
        return rates.read(self) if self.rates_alone else rates.not_kept

    def visit(self, rule: AcceptRule, ends: tuple[float, float] | None) -> Visit | Result | None:
        """What it takes from every block of a stream; None where it need not see them all.

        It is asked before the first block. Where it has nothing to say then, and the stream can be walked again, it is
        asked again when the smallest and the largest oriented score are known, which may be all it needs.
        """
        return None

    def interval(self, result: Result) -> IntervalPlan:
        """Which interval fits it: resampled, and bounded by the worst curve where no error was made."""
        return Resample(None if self.needs & {Need.MOMENTS, Need.SCORES} else self)

    @property
    def paired_test(self) -> PairedTest | None:
        """The classical test of two systems over the same comparisons that fits it."""
        return None

    @property
    def picks_threshold(self) -> bool:
        """Does it choose its threshold by looking at the truth: where a rate meets a target, or something is best?"""
        return False

    @property
    def target(self) -> Target | None:
        """The rate it is read at, such as FMR = 0.001, and of which trials; None where it is read at no rate.

        Whether so many trials can show such a rate is judged by it (rule of 3).
        """
        return None

    def for_classes(self, classes: int, average: str) -> Measure | None:
        """The measure as it is asked of so many classes, averaged so where it is of one; None where it has no sense."""
        return self

    @property
    def counts_failures(self) -> bool:
        """Are comparisons that failed counted in?"""
        return False

    @property
    def counts_enrolments(self) -> bool:
        """Are enrolments that failed counted in?"""
        return False

    def __str__(self) -> str:
        return str(self.spelling)


class NamedMeasure(Measure):
    """A measure that is a name, and perhaps a variant, options and a place: what it holds under these names."""

    name: str
    variant: str = ""

    @property
    def options(self) -> dict[str, float]:
        """As they stand in the spelling."""
        return {}

    @property
    def at(self) -> dict[str, float]:
        """The place as it stands behind the @ of the spelling."""
        return {}

    @classmethod
    def build(cls, spelling: Spelling) -> Measure:
        """The measure that is its name alone."""
        spelling.variant_among()
        return cls(spelling.name)  # type: ignore[call-arg]

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.name, self.variant, self.options, self.at)


class CurveMeasure(Measure):
    """A measure that is read where nothing is missing: as a rule it sets two classes against each other."""

    def of(self, tally: Any) -> Result:
        reason = self.unfit(tally)
        return Result.undefined(reason) if reason else self.read(tally)

    @abstractmethod
    def read(self, tally: Any) -> Result:
        """The number, where there is one."""


class ClassMeasure(Measure):
    """A question asked of predictions, of two classes where it says nothing else."""

    def for_classes(self, classes: int, average: str) -> Measure | None:
        return self if classes == 2 else None

    def unfit(self, tally: ClassTally) -> Message | None:
        return tally.why_not_ranked

    @abstractmethod
    def of(self, tally: ClassTally) -> Result:
        """The number, from what is counted about the predictions."""


def missing_class(tally: Tally) -> Message | None:
    """Why nothing can be said when one class has no scores."""
    counts = tally.errors
    missing = [why for why, n in ((NO_MATED, counts.n_mated), (NO_NONMATED, counts.n_nonmated)) if not n]
    return joined(missing) or None
