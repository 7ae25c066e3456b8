"""All that a report may speak of: evaluations of any mode, what was found beside them, and how the system is used.

Conventions: what belongs to each system is a list in the order of the systems, or empty where nobody asked for it.

Holds `ReportContent`, and `DailyUse` with `WatchListUse`: attempts a day and what errors cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.advice.verdicts import Preset
    from bertillon.advice.vocabulary import Vocabulary
    from bertillon.analysis.development import DevelopmentResult
    from bertillon.analysis.discard import Discarded
    from bertillon.analysis.group_rates import GroupRates
    from bertillon.analysis.in_use import Expected, Region
    from bertillon.analysis.menagerie import Menagerie
    from bertillon.core.messages import Text
    from bertillon.evaluation import AnyEvaluation, Bands, ClassEvaluation, ScoreEvaluation, SearchEvaluation
    from bertillon.matching.protocol.runs import FoldAccuracy
    from bertillon.stats.comparing import Versus
    from bertillon.stats.runs import FoldDifference
    from bertillon.views.class_report import ClassReport

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
    # how it is used and shown
    bands: Mapping[str, Bands] = field(default_factory=dict)  # by mode
    vocabulary: Vocabulary | None = None  # None: that of each mode
    preset: Preset | None = None
    use: DailyUse | None = None  # None: nobody said, and a reader types it in
    search_use: WatchListUse | None = None
    protocol: Sequence[Text] = ()  # what was done to get the trials
    same_scores: bool = False  # all modes judge the scores of one matcher, so that a threshold means the same in each

    @classmethod
    def of(cls, evaluations: Sequence[AnyEvaluation], versus: Sequence[Versus] = ()) -> ReportContent:
        """Evaluations of any mode, each where it belongs."""
        by_mode: dict[str, Any] = {
            mode: [evaluation for evaluation in evaluations if evaluation.kind == mode] for mode in MODES
        }
        return cls(**by_mode, versus=versus)

    @property
    def by_mode(self) -> dict[str, Sequence[AnyEvaluation]]:
        """The evaluations of each mode there is, in the order of a report."""
        every: tuple[Sequence[AnyEvaluation], ...] = (self.verification, self.identification, self.classification)
        groups = {mode: group for mode, group in zip(MODES, every, strict=True) if group}
        if not groups:
            raise InputError("nothing was evaluated, so there is nothing to report; give at least one evaluation")
        return groups

    @property
    def evaluations(self) -> list[AnyEvaluation]:
        """All evaluations, in the same order."""
        return [evaluation for group in self.by_mode.values() for evaluation in group]

    def bands_in(self, mode: str) -> Bands:
        """The bands of each system in a mode."""
        from bertillon.evaluation import each_of

        return each_of(self.bands.get(mode, ()), len(self.by_mode[mode]))
