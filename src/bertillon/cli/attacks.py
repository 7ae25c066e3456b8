"""`bertillon attacks`: attacks on a system as a third population, or an attack detector by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option, reworded, without
from bertillon.cli.options import INPUT, IntervalOptions, OutputOptions, ReadingOptions, ScoreInput
from bertillon.cli.outputs import working
from bertillon.cli.rooms import advice, analysis, render, trials
from bertillon.cli.sources import ScoreSource, require_both_classes
from bertillon.core.errors import InputError
from bertillon.core.messages import Message


@dataclass(frozen=True, slots=True)
class AttackInput:
    """Where the attacks are."""

    PANEL: ClassVar[str] = INPUT
    attack_files: tuple[Path, ...] = option(
        "--attacks",
        default=(),
        help="Attacks: a table with columns species and score, or one list of scores per species; repeatable.",
    )
    pad: bool = option(
        default=False, help="The file holds the scores of an attack detector (columns label, species, score)."
    )
    species: str | None = option(metavar="COLUMN", help="Column of species, if it is not detected.")


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The threshold that attacks are judged at."""

    PANEL: ClassVar[str] = "Threshold (one of)"
    fmr: float | None = option(metavar="RATE", help="Threshold of this false match rate; 0.001 by default.")
    apcer: float | None = option(metavar="RATE", help="With --pad: threshold of this APCER; 0.05 by default.")
    threshold: float | None = option("-t", "--threshold", help="Threshold in the units of the scores.")


def attacks(
    files: Annotated[
        tuple[Path, ...],
        argument(
            "FILE",
            "Scores without attacks, as for 'bertillon verify'; or one table with attacks in it (labels, or a column "
            "species), or scores and their key.",
        ),
    ],
    attack_input: AttackInput,
    scores: Annotated[ScoreInput, without("name", "mask", "all_against_all")],
    reading: ReadingOptions,
    point: OperatingPoint,
    intervals: Annotated[IntervalOptions, only("level")],
    outputs: Annotated[
        OutputOptions,
        without("vocabulary"),
        reworded(
            csv="Write the rates as CSV.",
            figures="Draw the populations.",
            fail_if="Exit with status 1 if IAPAR@FMR=0.001>0.1, BPCER@APCER=0.05>2%, ...; repeatable.",
        ),
    ],
) -> None:
    """Evaluate attacks (presentation, replay, injection): share accepted, by species.

    Example: bertillon attacks scores.csv --attacks attacks.csv --fmr 0.001
    """
    outputs.require_report()
    gates = outputs.gates("attacks", intervals=False)
    source = ScoreSource.of(scores, reading)
    rates: analysis.AttackFinding
    if attack_input.pad:
        refused = {"--attacks": attack_input.attack_files, "--fmr": point.fmr, "--trust": scores.trust}
        _refuse(refused, "with --pad, FILE holds all")
        rates = _detector(files, source, attack_input, point, intervals.level)
    else:
        _refuse({"--apcer": point.apcer}, "it is that of an attack detector: add --pad")
        how: dict[str, Any] = {"threshold": point.threshold, "fmr": point.fmr, "level": intervals.level}
        rates = analysis.attack_rates(*scores_and_attacks(files, source, attack_input), **how)
    out.deliver(
        outputs,
        rates,
        csv=lambda folder: render.write_frames([("", rates.to_frames())], folder),
        figures=lambda folder, formats: render.save_all(
            render.figures_of("attack-rates", [rates]), folder, formats=formats
        ),
        failed=lambda: _failures(gates, rates),
        explain=reading.explain,
        further=("--report out.html", "--figures out"),
    )


def _failures(gates: Sequence[advice.Gate], rates: analysis.AttackFinding) -> list[Message]:
    """What does not pass, each measure read at its own place."""
    found = ((gate, rates[gate.measure]) for gate in gates)
    judged = [gate.judge("", result.value, result.reason) for gate, result in found]
    return [failure for failure in judged if failure]


def scores_and_attacks(
    files: Sequence[Path], source: ScoreSource, attack_input: AttackInput
) -> tuple[trials.ScoreSet, trials.AttackSet]:
    """A whole system and what was tried on it, from scores and attacks apart or in one table."""
    content, species = source.content, attack_input.species
    how: dict[str, Any]
    with working("reading"):
        if attack_input.attack_files:
            scores = trials.read_scores(*files, rule=content.rule, trust=content.trust, **source.how)
            named = (source.columns or {}).items()  # attacks need no label
            columns = {role: name for role, name in named if role not in ("label", "mated")} or None
            how = {"species": species, "columns": columns, "failed": content.failed}
            attack_set = trials.read_attacks(*attack_input.attack_files, **how)
        else:
            how = {"species": species, "rule": content.rule, "trust": content.trust, **source.how}
            scores, attack_set = trials.read_with_attacks(*files, **how)
    if not attack_input.attack_files and not scores.nonmated.size:
        raise InputError(f"{files[0]}: no non-mated (impostor) scores; is it of an attack detector? Then add --pad")
    require_both_classes(scores.name, mated=scores.mated.size, nonmated=scores.nonmated.size)
    return scores, attack_set


def _detector(
    files: Sequence[Path], source: ScoreSource, attack_input: AttackInput, point: OperatingPoint, level: float
) -> analysis.PadRates:
    with working("reading"):
        live, attack_set = trials.read_pad(*files, species=attack_input.species, **source.how)
    rule = source.content.accept_rule or attack_set.rule or "similarity"
    return analysis.pad_rates(live, attack_set, threshold=point.threshold, apcer=point.apcer, rule=rule, level=level)


def _refuse(options: Mapping[str, object], why: str) -> None:
    for name, value in options.items():
        if value not in (None, ()):
            raise InputError(f"{name}: {why}; leave it out")
