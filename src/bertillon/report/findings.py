"""All that a report may speak of: evaluations of any mode, and what is known of how the system is used.

Holds `Findings`, and `Use` with `SearchUse`: attempts a day and what errors cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bertillon.advice.presets import Preset
from bertillon.evaluation import ClassEvaluation, Evaluation, SearchEvaluation
from bertillon.uncertainty.paired import Versus


@dataclass(frozen=True, slots=True)
class Use:
    """Attempts a day and what one error of each kind costs; a reader may type others."""

    genuine: float = 1000.0
    impostor: float = 100.0
    cost_accept: float = 10.0  # of one false accept
    cost_reject: float = 1.0  # of one false reject


@dataclass(frozen=True, slots=True)
class SearchUse:
    """People passing a watch list a day, minutes to check an alarm, and the share that is on the list."""

    passers: float = 10_000.0
    minutes: float = 15.0
    on_list: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What was found about one or several systems, in one or several modes."""

    verification: Sequence[Evaluation] = ()
    identification: Sequence[SearchEvaluation] = ()
    classification: Sequence[ClassEvaluation] = ()
    versus: Sequence[Versus] = ()  # systems tested against each other
    preset: Preset | None = None
    use: Use | None = None  # None: nobody said, and a reader types it in
    search_use: SearchUse | None = None
    protocol: Sequence[str] = ()  # what was done to get the trials, in words
    same_scores: bool = False  # all modes judge the scores of one matcher, so that a threshold means the same in each

    @classmethod
    def of(
        cls, evaluations: Sequence[Evaluation | SearchEvaluation | ClassEvaluation], versus: Sequence[Versus] = ()
    ) -> Findings:
        """Evaluations of any mode, each where it belongs."""
        return cls(
            [one for one in evaluations if isinstance(one, Evaluation)],
            [one for one in evaluations if isinstance(one, SearchEvaluation)],
            [one for one in evaluations if isinstance(one, ClassEvaluation)],
            versus,
        )
