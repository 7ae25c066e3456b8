"""`bertillon attacks`: attacks on a system as a third population, or an attack detector by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bertillon.cli import outputs, score_options, sureness
from bertillon.cli.progress import working
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from bertillon.analysis.attack_detection import PadRates
    from bertillon.analysis.attacks import AttackRates

POINT = "Threshold (one of)"


def attacks(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Scores of those who do not attack, as for 'verify'; or one table with attacks in it (labels, or a "
            "column species), or scores and their key."
        ),
    ],
    attack_files: Annotated[
        list[Path] | None,
        typer.Option(
            "--attacks",
            help="Attacks: a table with columns species and score, or a list of scores a species; repeatable.",
            rich_help_panel=score_options.PANEL,
        ),
    ] = None,
    pad: Annotated[
        bool,
        typer.Option(
            "--pad",
            help="FILE holds the scores of an attack detector (columns label, species, score).",
            rich_help_panel=score_options.PANEL,
        ),
    ] = False,
    species: Annotated[
        str | None,
        typer.Option(
            "--species", help="The column of species, where it is not found.", rich_help_panel=score_options.PANEL
        ),
    ] = None,
    distance: score_options.DistanceOption = False,
    similarity: score_options.SimilarityOption = False,
    format: score_options.FormatOption = None,
    column: score_options.ColumnOption = None,
    values: score_options.ValuesOption = None,
    failed: score_options.FailedOption = None,
    fmr: Annotated[
        float | None,
        typer.Option("--fmr", help="That of a false match rate; 0.001 unless another is given.", rich_help_panel=POINT),
    ] = None,
    apcer: Annotated[
        float | None,
        typer.Option("--apcer", help="With --pad: that of an APCER; 0.05 unless given.", rich_help_panel=POINT),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("-t", "--threshold", help="In the units of the scores.", rich_help_panel=POINT)
    ] = None,
    level: sureness.LevelOption = 0.95,
    json: outputs.JsonOption = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="DIR", help="Write the rates as CSV.", rich_help_panel=outputs.PANEL),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", metavar="DIR", help="Draw the populations.", rich_help_panel=outputs.PANEL),
    ] = None,
    figure_format: outputs.FigureFormatOption = None,
    report: outputs.ReportOption = None,
    lang: outputs.LangOption = "en",
) -> None:
    """Evaluate attacks (presentation, replay, injection): how many are accepted, species by species.

    Example: bertillon attacks scores.csv --attacks attacks.csv --fmr 0.001
    """
    from bertillon.render.attacks import attack_json, attack_text, write_attack_csv

    outputs.check_report(report, lang)
    targets = outputs.Targets.among(locals())
    said = score_options.ScoreOptions.among(locals())
    if pad:
        _refuse({"--attacks": attack_files, "--fmr": fmr}, "with --pad, FILE holds all")
        rates: AttackRates | PadRates = _detector(files, said, species, threshold, apcer, level)
    else:
        _refuse({"--apcer": apcer}, "it is that of an attack detector: add --pad")
        rates = _system(files, attack_files or [], said, species, threshold, fmr, level)

    def draw(folder: Path, formats: Sequence[str]) -> list[Path]:
        from bertillon.render.figures.attack_draw import attack_figures
        from bertillon.render.figures.save import save_all

        return save_all(attack_figures(rates), folder, formats=formats)

    written = targets.write(
        json=lambda: attack_json(rates), csv=lambda folder: write_attack_csv(rates, folder), figures=draw
    )
    if report:
        written.append(outputs.write_report(rates, report, lang))
    if json == "-":
        print(attack_json(rates), end="")
        return
    console = outputs.console()
    console.print(attack_text(rates))
    outputs.show_written(console, written)


def _system(
    files: Sequence[Path],
    attack_files: Sequence[Path],
    said: score_options.ScoreOptions,
    species: str | None,
    threshold: float | None,
    fmr: float | None,
    level: float,
) -> AttackRates:
    """The rates of a whole system, from scores and attacks apart or in one table."""
    from bertillon.analysis.attacks import attack_rates
    from bertillon.cli.inputs import require_both_classes
    from bertillon.trials.attack_reading import read_attacks, read_with_attacks
    from bertillon.trials.reading import read_scores

    with working("reading"):
        if attack_files:
            scores = read_scores(*files, rule=said.rule, **said.how)
            found = read_attacks(*attack_files, species=species, columns=_of_attacks(said), failed=said.failed)
        else:
            scores, found = read_with_attacks(*files, species=species, rule=said.rule, **said.how)
    if not attack_files and not scores.nonmated.size:
        raise InputError(f"{files[0]}: no non-mated (impostor) scores; is it of an attack detector? Then add --pad")
    require_both_classes(scores.name, mated=scores.mated.size, nonmated=scores.nonmated.size)
    return attack_rates(scores, found, threshold=threshold, fmr=fmr, level=level)


def _of_attacks(said: score_options.ScoreOptions) -> dict[str, str] | None:
    """What was said of columns that attacks have too: they need no label."""
    kept = {role: name for role, name in (said.columns or {}).items() if role not in ("label", "mated")}
    return kept or None


def _detector(
    files: Sequence[Path],
    said: score_options.ScoreOptions,
    species: str | None,
    threshold: float | None,
    apcer: float | None,
    level: float,
) -> PadRates:
    """The rates of an attack detector."""
    from bertillon.analysis.attack_detection import pad_rates
    from bertillon.trials.attack_reading import read_pad

    with working("reading"):
        bona_fide, found = read_pad(*files, species=species, **said.how)
    rule = said.accept_rule or found.rule or "similarity"
    return pad_rates(bona_fide, found, threshold=threshold, apcer=apcer, rule=rule, level=level)


def _refuse(given: dict[str, object], why: str) -> None:
    """Options that make no sense here."""
    for name, value in given.items():
        if value not in (None, []):
            raise InputError(f"{name}: {why}; leave it out")
