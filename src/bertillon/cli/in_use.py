"""Options about rates in use, and what commands do with them: conditions, gallery sizes of `bertillon identify`,
transactions of `bertillon verify`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bertillon.cli.declare import given_options, option
from bertillon.cli.inputs import Comparisons
from bertillon.cli.options import IntervalOptions
from bertillon.cli.outputs import working
from bertillon.cli.rooms import advice, analysis, core, evaluating, measures, render, trials
from bertillon.cli.sources import ScoreSource, TemplateSource
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    Table = core.ComparisonTable | core.ScoreMatrix | core.TemplateTable
    Conditions = Callable[[Any], trials.TrialConditions]  # of the trials of one system

USUAL_DRAWS, IN_ID_ORDER = 10, "ids"
TRANSACTIONS = "Transactions"


def by_option() -> Any:
    """`--by` of every command that divides trials by their conditions."""
    return option(
        default=(),
        metavar="COLUMN|COLUMN:0,2,5",
        help="Every measure by condition: a column, or bins of one; repeatable, two are crossed.",
    )


def by_condition(
    systems: Sequence[Any],
    made_under: Sequence[Conditions],
    asked: Sequence[measures.Measure | str] | None,
    intervals: IntervalOptions,
    seed: int,
) -> list[analysis.ConditionResults]:
    """Every measure by condition, of each system."""
    require_intervals(intervals)
    settings = intervals.settings(seed)
    with working("conditions"):
        return [
            analysis.by_condition(system, conditions(system), asked, settings=settings)
            for system, conditions in zip(systems, made_under, strict=True)
        ]


def require_intervals(intervals: IntervalOptions) -> None:
    """Conditions are told apart by their intervals."""
    if not intervals.intervals:
        raise InputError("--by compares conditions by their intervals; leave out --no-intervals")


@dataclass(frozen=True, slots=True)
class GalleryOptions:
    """How rates follow the number of people enrolled."""

    PANEL: ClassVar[str] = "Gallery size"
    gallery_size: str | None = option(
        metavar="N,N,...", help="FPIR, FNIR, DIR and thresholds in galleries of N people: 10,100,1000."
    )
    gallery_draws: str | None = option(
        metavar="NUMBER|ids",
        help=f"How many galleries of each size are drawn ({USUAL_DRAWS}), or ids: one, in the order of the ids.",
    )
    at_threshold: tuple[float, ...] = option(
        default=(), metavar="SCORE", help="Threshold to judge at every gallery size; repeatable."
    )
    extrapolate: str | None = option(
        metavar="N,N,...", help="Larger galleries that FPIR is extrapolated to, with a check: 100000."
    )

    def __post_init__(self) -> None:
        if self.gallery_size is None:
            for flag in given_options(self):
                raise InputError(f"{flag} is about gallery sizes; add --gallery-size 10,100,1000, or leave it out")
        for flag, text in (("--gallery-size", self.gallery_size), ("--extrapolate", self.extrapolate)):
            _sizes(flag, text)
        _ = self.how

    @property
    def sizes(self) -> list[int]:
        return _sizes("--gallery-size", self.gallery_size)

    @property
    def how(self) -> dict[str, Any]:
        """How galleries are drawn."""
        text = self.gallery_draws
        if text is None:
            return {"draws": USUAL_DRAWS}
        if text == IN_ID_ORDER:
            return {"order": IN_ID_ORDER}
        if not text.isascii() or not text.isdigit() or not int(text):
            raise InputError(f"--gallery-draws: cannot read {text!r}; expected a number from 1, or {IN_ID_ORDER}")
        return {"draws": int(text)}

    def curves(
        self,
        tables: Sequence[Table],
        templates: TemplateSource,
        scores: ScoreSource,
        intervals: IntervalOptions,
        targets: Sequence[float],
    ) -> list[analysis.GallerySizes]:
        """What was found of each system; the FPIRs asked for are targets, or the usual ones."""
        found = []
        with working("drawing galleries"):
            for table in tables:
                if isinstance(table, core.ComparisonTable):
                    problem = f"{table.source}: holds lists of comparisons or candidates"
                    raise InputError(f"{problem}; --gallery-size needs templates, or a whole matrix of scores")
                of_matrix: dict[str, Any] = {"rule": scores.content.rule, "fusion": templates.matcher.fusion}
                source = templates.plan(table) if isinstance(table, core.TemplateTable) else table
                found.append(
                    analysis.fpir_by_gallery(
                        source,
                        self.sizes,
                        targets=tuple(targets) or analysis.TARGET_FPIRS,
                        thresholds=self.at_threshold,
                        extrapolate=_sizes("--extrapolate", self.extrapolate),
                        seed=templates.seed,
                        level=intervals.level,
                        side=intervals.sides,
                        intervals=intervals.intervals,
                        **self.how,
                        **({} if isinstance(table, core.TemplateTable) else of_matrix),
                    )
                )
        return found


@dataclass(frozen=True, slots=True)
class TransactionOptions:
    """Several attempts until one is accepted."""

    transactions: bool = option(
        default=False,
        panel=TRANSACTIONS,
        help="FAR, FRR and IAPAR of several attempts: columns transaction and attempt, or templates with --attempts.",
    )
    attempts: int | None = option(
        panel=TRANSACTIONS, help="Attempts allowed; with templates, the ones after those enrolled."
    )
    accepts: int | None = option(panel=TRANSACTIONS, help="Attempts that must be accepted (1).")
    lock_out: int | None = option(
        panel=TRANSACTIONS, help="Failed attempts after which a transaction ends, instead of --attempts."
    )
    enrol_with: int | None = option(panel=TRANSACTIONS, help="Templates enrolled per subject, the first ones (1).")
    far: tuple[float, ...] = option(
        default=(), metavar="RATE", panel=TRANSACTIONS, help="Set the threshold for this FAR; repeatable."
    )
    at_threshold: tuple[float, ...] = option(
        default=(), metavar="SCORE", panel=TRANSACTIONS, help="Threshold to judge transactions at; repeatable."
    )

    def require_transactions(self) -> None:
        """Refuse what means nothing without transactions."""
        names = ("attempts", "accepts", "lock_out", "enrol_with", "far", "at_threshold")
        given = [f"--{name.replace('_', '-')}" for name in names if getattr(self, name) not in (None, ())]
        if given and not self.transactions:
            raise InputError(f"{given[0]} is about transactions; add --transactions, or leave it out")

    @property
    def enrolment(self) -> tuple[int, int | None]:
        """How many templates are enrolled, and how many are the attempts."""
        attempts, lock_out = self.attempts, self.lock_out
        if attempts is None and lock_out is not None:
            attempts = (self.accepts or 1) + lock_out - 1
        return self.enrol_with or 1, attempts

    def rates(
        self,
        comparisons: Comparisons,
        evaluations: Sequence[evaluating.ScoreEvaluation],
        templates: TemplateSource,
        scores: ScoreSource,
        intervals: IntervalOptions,
    ) -> list[analysis.TransactionRates]:
        """The rates of each system; at the thresholds of its measures where nobody named any."""
        sources = [*comparisons.tables, *comparisons.templates]
        lacking = [table for table in sources if isinstance(table, core.ScoreMatrix)]
        if lacking or len(sources) != len(evaluations):
            raise InputError(
                "--transactions needs one table for each system, with columns transaction, attempt, score and label, "
                "or templates; no matrix, no lists, no trials apart"
            )
        how: dict[str, Any] = {"attempts": self.attempts, "accepts": self.accepts or 1, "lock_out": self.lock_out}
        found = []
        for source, evaluation in zip(sources, evaluations, strict=True):
            if isinstance(source, core.TemplateTable):
                made = trials.transactions_from(templates.plan(source))
            elif isinstance(source, core.ComparisonTable):
                if self.enrol_with is not None:
                    raise InputError(f"{source.source}: holds scores; --enrol-with is for templates: leave it out")
                made = trials.transactions_from(source, rule=scores.content.rule)
            at: Any = self.at_threshold or ({} if self.far else _thresholds(evaluation))
            how |= {"level": intervals.level, "side": intervals.sides, "intervals": intervals.intervals}
            how |= {"resamples": intervals.resamples, "seed": templates.seed}
            rates = analysis.transactions(made, thresholds=at, targets=self.far, **how)
            found.append(replace(rates, name=evaluation.name))
        return found


def _thresholds(evaluation: evaluating.ScoreEvaluation) -> dict[str, float]:
    """The finite thresholds of the measures by their names, each once; of rates that the trials can show, if any."""
    known = {name: result.threshold for name, result in evaluation.results.items()}
    finite = {name: value for name, value in known.items() if value is not None and math.isfinite(value)}
    if not finite:
        raise InputError("--transactions: no measure has a threshold; name one with --at-threshold, or use --far")
    lacking = advice.not_measurable(evaluation)
    lacking |= {
        str(measure): core.say("page.undefined")
        for measure in evaluation.measures
        if measure.target and not measure.target.error
    }
    shown = {name: value for name, value in finite.items() if name not in lacking} or finite
    names: dict[float, list[str]] = {}
    for name, value in shown.items():
        names.setdefault(value, []).append(name)
    return {", ".join(same): value for value, same in names.items()}


def _sizes(flag: str, text: str | None) -> list[int]:
    """Read `10,100,1000`."""
    if text is None:
        return []
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if not part.isascii() or not part.isdigit() or not int(part):
            raise InputError(f"{flag}: cannot read {part!r}; expected whole numbers from 1, such as 10,100,1000")
    twice = [part for part in parts if parts.count(part) > 1]
    if twice:
        raise InputError(f"{flag}: {twice[0]} is given twice; expected each size once")
    return [int(part) for part in parts]


def write_curves(found: Sequence[Any], name: str, folder: Path) -> list[Path]:
    """One table per system, called after the finding."""
    return render.write_frames([(each.name, {name: each.to_frame()}) for each in found], folder)
