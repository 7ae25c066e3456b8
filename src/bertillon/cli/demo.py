"""`bertillon demo`: the main job on simulated scores, measured beside true, and a report on three simulated systems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from bertillon.cli.declare import only, option, with_default
from bertillon.cli.options import OutputOptions, RandomOptions
from bertillon.cli.outputs import console as terminal
from bertillon.cli.rooms import evaluating, render, stats, trials, views
from bertillon.core.errors import InputError
from bertillon.core.files import make_folder, write_whole
from bertillon.core.lazy import pl
from bertillon.core.messages import say, spoken

if TYPE_CHECKING:
    from numpy.typing import NDArray


WRITTEN = {"genuine.txt", "impostor.txt", "figures", "report.html"}
SYSTEMS = {"old camera": 3.2, "new camera": 4.0, "camera and finger": 5.0}  # d' of each, all on the same people


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """Where the demonstration goes."""

    folder: Path = option(
        default=Path("demo-output"), metavar="FOLDER", help="Folder for scores, figures and the report."
    )


def demo(
    options: DemoOptions,
    random: Annotated[RandomOptions, with_default(seed=1879)],
    outputs: Annotated[OutputOptions, only("lang")],
) -> None:
    """Simulate a system with known error rates, measure it from its score files, and compare both."""
    folder, seed = options.folder, random.seed
    _require_own(folder)
    simulation = trials.simulate("binormal", mated=20_000, nonmated=500_000, dprime=4.0, rng=seed)
    files = _write_lists(folder, simulation.scores.mated, simulation.scores.nonmated)
    console = terminal()
    show = partial(console.print, soft_wrap=True, markup=False)
    scores = say("terminal.demo.scores", seed=seed)
    show(f"{spoken(scores)}\n  {files}\n")
    show(f"$ bertillon verify {files}\n", style="bold")
    evaluation = evaluating.evaluate(trials.read_scores(folder / "genuine.txt", folder / "impostor.txt"))
    console.print(render.terminal_text(views.ReportContent([evaluation])))
    console.print(render.document_text(views.comparison_with_truth(evaluation, _true_values(simulation.truth))))
    drawn = render.save_figures([evaluation], folder / "figures")
    show("\n" + spoken(say("terminal.demo.figures", n=len(drawn), folder=str(folder / "figures"))))
    report = render.write_report(_three_systems(seed), folder / "report.html", lang=outputs.lang)
    show(spoken(say("terminal.demo.report", file=str(report))))


def _require_own(folder: Path) -> None:
    """Only what an earlier demo left is written anew: elsewhere genuine.txt may be somebody's own."""
    others = sorted(path.name for path in folder.iterdir() if path.name not in WRITTEN) if folder.is_dir() else []
    if others:
        raise InputError(f"{folder}: holds other files ({others[0]}); name a folder that is new, empty or a demo's own")


def _three_systems(seed: int) -> views.ReportContent:
    """Three systems that judged the same people, each with intervals, and the later two tested against the first."""
    systems = [
        trials.simulate("subjects", subjects=150, mated=3000, nonmated=60_000, dprime=d, rng=seed, name=name).scores
        for name, d in SYSTEMS.items()
    ]
    differences = stats.compare_systems(systems, ["EER", "FNMR@FMR=0.001"], by=["row"])
    return views.ReportContent.of([evaluating.evaluate(system).with_intervals() for system in systems], differences)


def _write_lists(folder: Path, mated: NDArray[Any], nonmated: NDArray[Any]) -> str:
    make_folder(folder)
    for name, scores in (("genuine.txt", mated), ("impostor.txt", nonmated)):
        write_whole(folder / name, partial(pl.DataFrame({"score": scores}).write_csv, include_header=False))
    return f"{folder / 'genuine.txt'} {folder / 'impostor.txt'}"


def _true_values(truth: trials.Truth) -> dict[str, float]:
    return {
        "EER": truth.eer()[0],
        "FNMR@FMR=0.01": truth.fnmr_at_fmr(0.01),
        "FNMR@FMR=0.001": truth.fnmr_at_fmr(0.001),
        "FNMR@FMR=0.0001": truth.fnmr_at_fmr(0.0001),
        "AUC": truth.auc(),
        "dprime": truth.dprime(),
    }
