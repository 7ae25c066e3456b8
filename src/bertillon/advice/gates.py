"""Gates: conditions on measures under which an evaluation does not pass, as in `EER>0.02`.

Conventions: a gate names what fails. `EER:upper>0.03` judges the upper end of the confidence interval, `AUC:lower<0.9`
the lower one. A number that is undefined does not pass. A limit may be written in percent.

Holds `Gate`, `read_gates` (every fault in one error) and `failures`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.measures import Measure, MeasureSet, measure_set_of, read_number
from bertillon.stats.interval import Settings

if TYPE_CHECKING:
    from bertillon.evaluation import AnyEvaluation

_FORM = re.compile(
    r"^(?P<measure>.*[^<>=\s])\s*(?P<sign>[<>]=?)\s*(?P<limit>[-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(?P<percent>%?)$"
)
_END = re.compile(r"^(?P<measure>.*\S)\s*:\s*(?P<end>\w+)$")
_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_BEHIND = re.compile(r"^(?P<measure>[^<>]+?)\s*(?P<limit>[<>].*?)\s*:\s*(?P<end>upper|lower)$", re.IGNORECASE)
_HELP = "expected MEASURE>LIMIT or MEASURE<LIMIT, such as 'EER>0.02', 'AUC<0.9' or 'EER:upper>3%'"


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition that fails: a measure, or an end of its interval, beyond a limit."""

    text: str
    kind: str  # of trials that it judges
    measure: Measure
    end: str  # "lower" or "upper" of its interval; "" for the value
    sign: str
    limit: float

    @classmethod
    def read(cls, text: str, kinds: Sequence[str]) -> Gate:
        """From `EER>0.02`; its measure is that of the first kind of trial that has it.

        >>> Gate.read("EER:upper > 3 %", ["verification"]).limit
        0.03
        >>> Gate.read("EER > 3 % : upper", ["verification"]).end  # in either place
        'upper'
        """
        match = _FORM.match(_BEHIND.sub(r"\g<measure>:\g<end>\g<limit>", text.strip()))
        try:
            limit = read_number(match["limit"] + match["percent"]) if match else math.nan
        except ValueError:
            match = None
        if match is None:
            comma = " (write decimals with a point)" if re.search(r"[<>]=?\s*\d+,\d", text) else ""
            raise InputError(f"cannot read {text!r}{comma}; {_HELP}")
        ended = _END.match(match["measure"])
        name, end = (ended["measure"], ended["end"].lower()) if ended else (match["measure"], "")
        if end not in ("", "lower", "upper"):
            raise InputError(f"{text!r}: the end {end!r} is not known; expected upper or lower")
        kind, measure = _measure(name, kinds)
        return cls(text.strip(), kind, measure, end, match["sign"], limit)

    def failure(self, evaluation: AnyEvaluation) -> Message | None:
        """What was found and the limit, where an evaluation does not pass; None where it does."""
        result = evaluation[self.measure]
        value, reason = result.value, result.reason
        if self.end and not math.isnan(value):
            interval = _interval(evaluation, self.measure)
            value, reason = (interval.low if self.end == "lower" else interval.high), interval.reason
        return self.judge(evaluation.name, value, reason)

    def judge(self, name: str, value: float, reason: Any = None) -> Message | None:
        """The same of a value, and of the reason why there is none."""
        system = say("gate.system", name=name) if name else ""
        what = say(f"gate.{self.end or 'value'}", name=str(self.measure))
        if math.isnan(value):
            return say("gate.undefined", system=system, what=what, reason=reason or "NaN", gate=self.text)
        if not _SIGNS[self.sign](value, self.limit):
            return None
        return say("gate.failed", system=system, what=what, value=value, gate=self.text)


def read_gates(texts: Iterable[str], kinds: Sequence[str]) -> list[Gate]:
    """The gates of several lines; everything wrong with any of them is said in one error."""
    gates, problems = [], []
    for text in texts:
        try:
            gates.append(Gate.read(text, kinds))
        except InputError as error:
            problems.append(str(error))
    if problems:
        raise InputError("\n".join(f"--fail-if: {problem}" for problem in problems))
    return gates


def failures(gates: Iterable[Gate], evaluations: Sequence[AnyEvaluation]) -> list[Message]:
    """A line for each gate that an evaluation of its kind does not pass."""
    judged = [gate.failure(each) for gate in gates for each in evaluations if each.kind == gate.kind]
    return [failure for failure in judged if failure]


def _measure(name: str, kinds: Sequence[str]) -> tuple[str, Measure]:
    """The measure and the kind of trial it belongs to: the first that knows it."""
    sets: dict[str, MeasureSet] = {kind: measure_set_of(kind) for kind in kinds}
    first: InputError | None = None
    for kind, measures in sets.items():
        try:
            return kind, measures.parse(name)
        except InputError as error:
            first = first or error
    raise first or InputError(f"no kind of trial has the measure {name!r}")


def _interval(evaluation: AnyEvaluation, measure: Measure) -> Any:
    """That of the measure, computed with the settings of the others where it was not asked for."""
    name = str(measure)
    if name in evaluation.intervals:
        return evaluation.intervals[name]
    alone = replace(evaluation, measures=(measure,), results={name: evaluation[measure]}, intervals={}, bounds={})
    known = evaluation.settings or Settings()
    return alone.with_intervals(level=known.level, resamples=known.resamples, seed=known.seed).intervals[name]
