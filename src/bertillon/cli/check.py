"""`bertillon check`: a system against the rules of a scheme; fails unless every requirement is shown.

`bertillon fairness`: indices of rates of groups that others measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from bertillon.cli import outputs as out
from bertillon.cli.attacks import AttackInput, scores_and_attacks
from bertillon.cli.declare import argument, option, reworded, without
from bertillon.cli.inputs import searches_of
from bertillon.cli.options import QUESTIONS, OutputOptions, ReadingOptions, ScoreInput
from bertillon.cli.outputs import working
from bertillon.cli.rooms import analysis, core, formats, render, trials
from bertillon.cli.sources import ScoreSource, TemplateSource, require_both_classes
from bertillon.core import say
from bertillon.core.errors import InputError


@dataclass(frozen=True, slots=True)
class SchemeOptions:
    """The rules, and where the system is run."""

    PANEL: ClassVar[str] = QUESTIONS
    scheme: str = option(
        required=True,
        metavar="NAME|FILE.toml",
        help="cc-bio-pp-2, fido, android-class-3, nist-800-63, ees-face, ...; or a file of rules.",
    )
    threshold: float | None = option(
        "-t", "--threshold", help="Threshold, in the units of the scores; by default chosen on these scores."
    )
    attempts: int | None = option(
        help="Attempts that a transaction may have, where FILE has columns transaction and attempt; as many as were "
        "made, or as the scheme allows, by default."
    )
    method: str | None = option(
        metavar="NAME", help="Interval method to use instead of the scheme's: clopper-pearson, annex-b, by-subject, ..."
    )


def check(
    files: Annotated[
        tuple[Path, ...],
        argument("FILE", "Scores of one system as for 'bertillon verify', or searches as for 'bertillon identify'."),
    ],
    scheme: SchemeOptions,
    attack_input: Annotated[AttackInput, without("pad")],
    scores: Annotated[ScoreInput, without("mask", "all_against_all")],
    reading: ReadingOptions,
    outputs: Annotated[
        OutputOptions,
        without("vocabulary", "fail_if"),
        reworded(csv="Write the requirements as CSV.", figures="Draw rates and bounds by requirement."),
    ],
) -> None:
    """Check a system against a certification scheme, requirement by requirement.

    Example: bertillon check scores.csv --scheme cc-bio-pp-2 --threshold 0.5 --report check.html
    """
    outputs.require_report()
    rules = analysis.read_scheme(scheme.scheme)
    source = ScoreSource.of(scores, reading)
    attacks: trials.AttackSet | None = None
    how: dict[str, Any] = {"threshold": scheme.threshold, "method": scheme.method}
    system: trials.ScoreSet | trials.SearchSet
    if all(rule.of_searches for rule in rules.requirements):
        if len(files) != 1:
            raise InputError(f"{len(files)} files; expected one file of searches")
        system = searches_of(files[0], TemplateSource(), source)
    elif attack_input.attack_files or attack_input.species:
        system, attacks = scores_and_attacks(files, source, attack_input)
    else:
        system = _scores(files, source)
    if system.kind == "verification":
        how |= {"transactions": _transactions(files, rules, scheme, source), "attempts": scheme.attempts}
    (system,) = out.renamed([system], scores.name)
    with working("evaluating"):
        found = analysis.check_scheme(system, rules, attacks=attacks, **how)
    out.deliver(
        outputs,
        found,
        csv=lambda folder: render.write_frames([("", {"scheme": found.to_frame()})], folder),
        figures=lambda folder, formats: render.save_all(render.figures_of("scheme", [found]), folder, formats=formats),
        failed=lambda: [] if found.passed else [say("scheme.not_shown", title=found.scheme.title)],
    )


def _advised(problem: str, files: Sequence[Path]) -> str:
    """What is wrong with files of scores, and what to do about it here."""
    found, several, _ = problem.partition("; use read_systems")
    if several:
        return f"{found}; expected one: check the systems one by one"
    if "holds no scores" in problem:
        return f"{problem}\n(to check templates, compare them first: bertillon match {files[0]} -o scores.csv)"
    return problem


def _transactions(
    files: Sequence[Path], rules: analysis.Scheme, scheme: SchemeOptions, source: ScoreSource
) -> trials.TransactionSet | None:
    """The attempts behind the scores, where a rule asks for them and a column says which are one transaction."""
    if not rules.of_transactions:
        if scheme.attempts is not None:
            raise InputError(f"--attempts: {rules.name} has no rule about transactions; leave it out")
        return None
    table = formats.read(files[0], **source.how) if len(files) == 1 else None
    if isinstance(table, core.ComparisonTable) and "transaction" in table.frame.columns:
        return trials.transactions_from(table, rule=source.content.rule)
    if scheme.attempts is not None:
        expected = "one table with columns transaction, attempt, score and a label or both subjects"
        raise InputError(f"{files[0]}: --attempts is about transactions; expected {expected}")
    return None


def _scores(files: Sequence[Path], source: ScoreSource) -> trials.ScoreSet:
    content = source.content
    try:
        with working("reading"):
            scores = trials.read_scores(*files, rule=content.rule, trust=content.trust, **source.how)
    except InputError as error:
        raise InputError(_advised(str(error), files)) from None
    require_both_classes(scores.name, mated=scores.mated.size, nonmated=scores.nonmated.size)
    return scores


@dataclass(frozen=True, slots=True)
class FairnessOptions:
    """How both errors count."""

    PANEL: ClassVar[str] = QUESTIONS
    alpha: float = option(default=0.5, metavar="SHARE", help="Weight of FMR (FPIR) in FDR, IR and GARBE, from 0 to 1.")


def fairness(
    file: Annotated[Path, argument("FILE", "A table with columns group, FMR and FNMR (of searches: FPIR and FNIR).")],
    wanted: FairnessOptions,
    reading: Annotated[ReadingOptions, without("column", "explain")],  # noqa: ARG001 - the limit of memory
    outputs: Annotated[
        OutputOptions,
        without("vocabulary", "fail_if", "figures", "figure_format", "all", "quiet"),
        reworded(csv="Write the rates and indices as CSV."),
    ],
) -> None:
    """Compute how unequal published rates of groups are: FDR, IR, GARBE, and ratios.

    Rates of your own comparisons have intervals: bertillon verify --groups, bertillon identify --groups.

    Example: bertillon fairness rates.csv --alpha 0.5
    """
    outputs.require_report()
    found = analysis.read_rates(file, alpha=wanted.alpha)
    out.deliver(outputs, found, csv=lambda folder: render.write_frames([("", {"fairness": found.to_frame()})], folder))
