"""All that a report may speak of: evaluations of any mode, what was found beside them, and how the system is used.

Conventions: what belongs to each system is a list in the order of the systems, or empty where nobody asked for it.
`findings` may be of any type that a view is registered for (`views.register_view`).

Holds `ReportContent`; `DailyUse` with `WatchListUse`, attempts a day and what errors cost; `Rates`, what was asked at
x; and `SideBySide`, systems over all false match rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bertillon.core.errors import InputError
from bertillon.core.messages import Text
from bertillon.evaluation import (
    AnyEvaluation,
    Bands,
    ClassEvaluation,
    Evaluation,
    ScoreEvaluation,
    SearchEvaluation,
    each_of,
)
from bertillon.measures import parse_all
from bertillon.stats.interval import Settings
from bertillon.views.document import Level

if TYPE_CHECKING:
    from bertillon.advice.verdicts import Preset
    from bertillon.advice.vocabulary import Vocabulary
    from bertillon.analysis.development import DevelopmentResult
    from bertillon.analysis.discard import Discarded
    from bertillon.analysis.group_rates import GroupRates
    from bertillon.analysis.in_use import Expected, Region
    from bertillon.analysis.menagerie import Menagerie
    from bertillon.matching.protocol.runs import FoldAccuracy
    from bertillon.stats.comparing import Versus
    from bertillon.stats.runs import FoldDifference
    from bertillon.views.class_tables import ClassReport

MODES = ("verification", "identification", "classification")


@dataclass(frozen=True, slots=True)
class DailyUse:
    """Attempts a day and what one error of each kind costs; a reader may type others."""

    genuine: float = 1000.0
    impostor: float = 100.0
    cost_accept: float = 10.0  # of one false accept
    cost_reject: float = 1.0  # of one false reject


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
    # of each system in identification, in classification, and of each pair that was tested
    regions: Sequence[Sequence[Region]] = ()
    class_reports: Sequence[ClassReport] = ()
    fold_differences: Sequence[FoldDifference] = ()
    findings: Sequence[Any] = ()  # of any other type
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
        """Only the answer is wanted."""
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
        beside = [SideBySide(self.verification)] if len(self.verification) > 1 else []
        evaluated = (*self.verification, *of_samples, *self.identification, *self.classification)
        found = [*evaluated, *self.findings, *self.versus, *beside]
        if not found:
            raise InputError("nothing was evaluated, so there is nothing to report; give at least one evaluation")
        return found

    def bands_in(self, mode: str) -> Bands:
        """The bands of each system in a mode."""
        return each_of(self.bands.get(mode, ()), len(self.by_mode[mode]))
