"""What a report holds about one classifier: its evaluation, and what was asked and found beside it.

Holds `ClassReport`, and `advice_of`: which measures suit such data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bertillon.advice.choosing import Advice, advise
from bertillon.advice.classification import warnings_of_classes
from bertillon.analysis.calibration import CalibrationChange
from bertillon.analysis.decision_rules import AtYouden, ByCostMatrix, DecisionRule
from bertillon.core.messages import Message
from bertillon.evaluation import ClassEvaluation
from bertillon.evaluation.classification import Sections
from bertillon.measures.cost import ErrorCosts


@dataclass(frozen=True, slots=True, eq=False)
class ClassReport:
    """One classifier's evaluation, and what was asked and found beside it."""

    evaluation: ClassEvaluation
    sections: Sections
    rule: DecisionRule | None = None
    used_at: float | None = None  # share of positives where it will be used
    changes: Sequence[CalibrationChange] = ()
    groups: Sequence[ClassEvaluation] = field(default_factory=list)
    advice: Advice | None = None

    @property
    def chosen_here(self) -> bool:
        """The threshold was found by looking at the truth of these very data."""
        return self.rule is not None and self.rule.chosen_here and self.evaluation.tally.confusion is not None

    @property
    def mean_cost(self) -> float | None:
        """What a decision costs by the matrix of costs, where there is one."""
        return self.rule.mean(self.evaluation) if isinstance(self.rule, ByCostMatrix) else None

    @property
    def warnings(self) -> list[Message | str]:
        """What to know before trusting the numbers."""
        shown = bool(self.evaluation.intervals)
        return warnings_of_classes(self.evaluation, intervals=shown, tuned_here=True if self.chosen_here else None)


def advice_of(evaluation: ClassEvaluation, rule: DecisionRule | None, *, costs: ErrorCosts | None) -> Advice | None:
    """Which measures to report for such data; None where there is but one class, or nothing has weight."""
    given, totals = evaluation.trials, evaluation.tally.class_totals
    if given.n_classes < 2 or not totals.sum():
        return None
    shares = totals / totals.sum()
    share = float(shares[given.positive_code] if given.is_binary else shares.min())
    dearer = "unknown" if costs is None else "equal" if costs.fn == costs.fp else "fn" if costs.fn > costs.fp else "fp"
    silent = given.scores is None and given.probabilities is None  # labels are decisions made elsewhere
    fixed = silent or (rule is not None and not isinstance(rule, AtYouden))
    return advise(
        balance=share,
        costs=dearer,
        threshold_fixed=fixed,
        probabilities_needed=given.probabilities is not None,
        classes=given.n_classes,
    )
