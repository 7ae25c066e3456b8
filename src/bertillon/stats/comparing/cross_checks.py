"""Classical tests beside the bootstrap: DeLong's of areas, McNemar's of decisions.

They answer the same question under other assumptions and without resampling. DeLong's takes comparisons as independent.
McNemar's is about decisions at thresholds that were fixed beforehand, and so about FNMR@t=0.5 but not FNMR@FMR=0.01,
whose threshold is chosen on the very scores it is judged on.

Holds `Check` and `checks_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bertillon.core.messages import Text
from bertillon.measures.base import Measure
from bertillon.measures.plans import OfAreas, OfDecisions
from bertillon.stats.comparing.delong import delong_test
from bertillon.stats.comparing.mcnemar import compare_decisions
from bertillon.trials.score_set import ScoreSet


@dataclass(frozen=True, slots=True)
class Check:
    """A classical test of one measure: its p value, and what it rests on."""

    test: str
    measure: str
    p: float
    method: Text
    naive: bool
    wrong: tuple[int, int] | None = None  # decisions wrong in the first system alone, in the second alone
    reason: Text | None = None


def checks_of(
    first: ScoreSet,
    second: ScoreSet,
    measures: Sequence[Measure],
    *,
    paired: bool,
) -> tuple[Check, ...]:
    """Every classical test that applies."""
    checks = []
    for measure in measures:
        match measure.paired_test:
            case OfAreas():
                area = delong_test(first, second, paired=paired)
                checks.append(Check("DeLong", str(measure), area.p, area.interval.method, True, reason=area.reason))
            case OfDecisions(threshold, mated) if paired:
                kind = "mated" if mated else "nonmated"
                test = compare_decisions(first, second, (threshold, threshold), kind=kind)
                wrong = test.first_only, test.second_only
                checks.append(Check("McNemar", str(measure), test.p, test.method, test.naive, wrong, test.reason))
    return tuple(checks)
