"""Two systems and more set against each other: each evaluated, and every pair of them tested.

Holds `compare` and its `Comparison`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bertillon.core.arguments import describe
from bertillon.core.errors import InputError
from bertillon.core.showing import Finding, shown_by
from bertillon.evaluation.evaluation import AnyEvaluation, Asked, Evaluation, evaluate
from bertillon.evaluation.inputs import scores_of
from bertillon.measures.base import Measure
from bertillon.stats.comparing import Versus, compare_systems
from bertillon.stats.interval import Settings

if TYPE_CHECKING:
    import polars as pl

COMPARED = {  # by kind of trial: what systems are compared by where no measure is named
    "verification": ("EER", "AUC", "FNMR@FMR=0.01"),
    "identification": ("RR", "CMS@5"),
    "classification": ("Accuracy",),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Finding):
    """Systems, each with its answers, and the differences of every later one from the first.

    Parameters
    ----------
    evaluations
        The answers of each system.
    pairs
        Two systems each, with their differences, intervals and p values.
    settings
        How the tests were made.

    Examples
    --------
    >>> import bertillon as bt
    >>> found = bt.compare({"old": ([3, 4, 5, 6], [0, 1, 2, 4]), "new": ([3, 4, 5, 6], [0, 1, 2, 4])}, "EER")
    >>> found.verdicts
    {('old', 'new', 'EER'): 'not distinguishable'}
    """

    evaluations: tuple[AnyEvaluation, ...]
    pairs: tuple[Versus, ...]
    settings: Settings

    @property
    def verdicts(self) -> dict[tuple[str, str, str], str]:
        """What can be said of the second of two systems, by both names and the measure."""
        return {(d.first, d.second, d.measure): d.verdict for pair in self.pairs for d in pair.differences}

    def to_frame(self) -> pl.DataFrame:
        """One row for each pair and measure: both values, their difference, its interval, p value and verdict."""
        import polars as pl

        rows = [
            {
                "measure": d.measure,
                "first": d.first,
                "second": d.second,
                "first_value": d.first_value,
                "second_value": d.second_value,
                "difference": d.difference,
                "low": d.interval.low,
                "high": d.interval.high,
                "p": d.adjusted_p,
                "verdict": d.verdict,
            }
            for pair in self.pairs
            for d in pair.differences
        ]
        return pl.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the systems, and a row for each pair and measure."""
        return {"systems": [each.to_dict() for each in self.evaluations], "differences": self.to_frame().to_dicts()}

    def for_report(self) -> Comparison:
        """The same, each system with its intervals."""
        how: dict[str, Any] = {name: getattr(self.settings, name) for name in ("level", "resamples", "seed")}
        sure = (each if each.intervals else each.with_intervals(**how) for each in self.evaluations)
        return replace(self, evaluations=tuple(sure))

    def __repr__(self) -> str:
        lines = [shown_by("difference")(d) for pair in self.pairs for d in pair.differences]
        return "\n  ".join([f"<Comparison of {', '.join(each.name for each in self.evaluations)}", *lines]) + ">"


def compare(
    systems: Mapping[str, Any],
    measures: Asked = None,
    *,
    margin: float | None = None,
    paired: bool | None = None,
    every_pair: bool = False,
    settings: Settings | None = None,
) -> Comparison:
    """Test whether systems differ: every later one against the first.

    Parameters
    ----------
    systems
        By name: trials, an `Evaluation`, or a pair of genuine and impostor scores.
    measures
        What they are compared by; the EER, the AUC and the FNMR at an FMR of 1 % where none is named.
    margin
        The largest difference that does not matter, to test for equivalence.
    paired
        Whether the systems made the same comparisons in the same order; by default they are taken to if they have as
        many of each.
    every_pair
        Test every pair, and not only each against the first.
    settings
        Level, number of resamples and seed.

    Returns
    -------
    Comparison
        Verdicts, the table of differences, and `.plot.forest()`.

    Examples
    --------
    >>> import bertillon as bt
    >>> a, b = ([3, 4, 5, 6], [0, 1, 2, 4]), ([3, 4, 5, 6], [0, 1, 2, 4])
    >>> bt.compare({"old": a, "new": b}, "EER").to_frame()["difference"].to_list()
    [0.0]
    """
    if not isinstance(systems, Mapping):
        raise InputError(f"compare: systems is {describe(systems)}; expected a dict, as in {{'old': a, 'new': b}}")
    if len(systems) < 2:
        raise InputError(f"compare: {len(systems)} system given; expected two or more, as in {{'old': a, 'new': b}}")
    trials = [_trials(str(name), system) for name, system in systems.items()]
    asked = COMPARED.get(trials[0].kind) if measures is None else measures
    if asked is None:
        raise InputError(f"compare: name what trials of kind {trials[0].kind!r} are compared by, measures=[...]")
    named = [asked] if isinstance(asked, str | Measure) else list(asked)
    chosen = settings or Settings()
    together = all(_alike(trials[0], other) for other in trials[1:]) if paired is None else paired
    how: dict[str, Any] = {"margin": margin, "paired": together, "every_pair": every_pair}
    pairs = compare_systems(trials, named, settings=chosen, **how)
    return Comparison(tuple(evaluate(each, named) for each in trials), tuple(pairs), chosen)


def _trials(name: str, system: Any) -> Any:
    """The trials of a system, under its name."""
    if isinstance(system, Evaluation):
        system = system.trials
    if not hasattr(system, "kind") or not hasattr(system, "form"):
        if not isinstance(system, Sequence) or isinstance(system, str) or len(system) != 2:
            expected = "trials, an evaluation, or a pair (genuine, impostor)"
            raise InputError(f"compare: {name!r} is {describe(system)}; expected {expected}")
        system = scores_of(system[0], system[1])
    return replace(system, name=name)


def _alike(first: Any, other: Any) -> bool:
    """Have both as many trials of each kind, or ids that tell which trial is which?"""
    return getattr(first, "mated_ids", None) is not None or first.counts == other.counts
