"""`bertillon measures`, `formats` and `matchers`: what can be asked and read, and how templates are compared.

`bertillon demo`: the main job on simulated scores, measured beside true, and a report on three simulated systems; with
--examples the files that the tutorials start from.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, BinaryIO

from bertillon.cli import rooms
from bertillon.cli.declare import argument, only, option, with_default
from bertillon.cli.options import OutputOptions, RandomOptions
from bertillon.cli.outputs import Bar
from bertillon.cli.outputs import console as terminal
from bertillon.cli.rooms import evaluating, render, stats, trials, views
from bertillon.core import InputError, abridged, make_folder, say, spoken, write_whole
from bertillon.core.lazy import pl

MODES = ("verification", "identification", "classification", "attacks")
_OPERATING_POINTS = {
    "verification": (
        "After @ stands t (a threshold), FMR, FNMR, TMR, TNMR, FAR, FRR, GAR or GRR.\n"
        "FMR=x means at most x; FNMR[nearest]@FMR=x and FNMR[interpolated]@FMR=x say otherwise."
    ),
    "classification": (
        "After @ stands t (a threshold), FPR, FNR (at most x), Recall, Specificity or Precision (at least x).\n"
        "Of several classes a rate is an average: [macro], [micro] or [weighted]."
    ),
    "attacks": (
        "After @ stands t (a threshold); for IAPAR and RIAPAR also FMR or another rate of verification,\n"
        "for APCER, BPCER and ACER also APCER (at most x for every species) or BPCER."
    ),
}
DEMO = Path("demo-output")
DATA, PHOTO_SIZE = "../shared/data", "276x336"  # where photos of people may be, and how large they are made
TRY = (  # in the folder of the example files
    "verify genuine.txt impostor.txt",
    "compare old.csv new.csv",
    "verify new.csv --cost fa=500,fr=2 --prior impostor=0.01",
    "modes faces.npz --leave-out 0.25",
    "classify screening.csv --cost fn=20,fp=1",
    "attacks genuine.txt impostor.txt --attacks attacks.csv --fmr 0.001",
)
WRITTEN = {"genuine.txt", "impostor.txt", "figures", "report.html"}
SYSTEMS = {"old camera": 3.2, "new camera": 4.0, "camera and finger": 5.0}  # d' of each, all on the same people


def measures(
    mode: Annotated[str | None, argument("MODE", f"{', '.join(MODES)}; all of them by default.")] = None,
) -> None:
    """List every measure: spelling, meaning, and other names."""
    known = {measure_set.mode: measure_set for measure_set in rooms.measures.measure_sets()}
    if mode is not None and mode not in known:
        raise InputError(f"mode {mode!r} is not known; expected {', '.join(known)}")
    for name in known if mode is None else [mode]:
        rows = ((each.example, _meaning(each)) for each in known[name].definitions.values())
        _show(name, rows, _OPERATING_POINTS.get(name, ""))


def _meaning(definition: rooms.measures.Definition) -> str:
    also = f"; also called {', '.join(definition.synonyms)}" if definition.synonyms else ""
    formula = f": {definition.formula}" if definition.formula else ""
    return f"{spoken(definition.summary)}{formula}{also}"


def formats() -> None:
    """List the file formats of scores and of templates."""
    scores, templates = rooms.formats.FORMATS.items(), rooms.formats.TEMPLATE_FORMATS.items()
    _show("scores", ((f"{name} ({_use(format.reader, format.writer)})", format.summary) for name, format in scores))
    _show("templates", ((f"{name} ({_use(format.reader)})", format.summary) for name, format in templates))


def matchers() -> None:
    """List the matchers: templates they compare, direction of their scores, and options."""
    rows = []
    for name, matcher in rooms.matching.MATCHERS.items():
        options, kinds = ", ".join(rooms.matching.matcher_options(name)) or "none", " or ".join(matcher.kinds)
        meaning = (matcher.__doc__ or "").partition("\n")[0]
        rows.append((name, f"{meaning} A {matcher.rule.value} of {kinds} templates; options: {options}"))
    _show("matchers", rows)


def _use(reader: object, writer: object = None) -> str:
    return ", ".join([*["read"] * bool(reader), *["written"] * bool(writer)]) or "not read"


def _show(heading: str, rows: Iterable[tuple[str, str]], note: str = "") -> None:
    from rich.padding import Padding

    console = render.SafeConsole()
    console.print(render.Text(f"{heading}\n", style="bold underline"))
    for name, meaning in rows:
        console.print(render.Text(name, style="bold"))
        console.print(Padding(render.Text(meaning), (0, 0, 0, 4)))
    console.print(render.Text(f"\n{note}\n" if note else ""))


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What the demonstration writes, and where."""

    folder: Path = option(default=DEMO, metavar="FOLDER", help="Folder for scores, figures and the report.")
    examples: Path | None = option(
        metavar="FOLDER", help="Only write the example files of the tutorials to this folder."
    )
    overwrite: bool = option(default=False, help="Overwrite example files that were changed.")
    recogniser: bool = option(
        default=False, help="Demonstrate a gallery instead: errors measured in a test, and those observed at a door."
    )

    def __post_init__(self) -> None:
        if self.overwrite and self.examples is None:
            raise InputError("--overwrite is about the example files; say where with --examples FOLDER")
        if self.examples is not None and self.folder != DEMO:
            raise InputError("--folder and --examples exclude each other; give one of them")


def demo(
    options: DemoOptions,
    random: Annotated[RandomOptions, with_default(seed=1879)],
    outputs: Annotated[OutputOptions, only("lang")],
) -> None:
    """Simulate a system with known error rates, and compare them with the measured ones."""
    if options.examples is not None:
        _write_examples(options.examples, overwrite=options.overwrite)
        return
    folder, seed = options.folder, random.seed
    _require_own(folder)
    if options.recogniser:
        _recogniser(make_folder(folder), seed)
        return
    simulation = trials.simulate("binormal", mated=20_000, nonmated=500_000, dprime=4.0, rng=seed)
    files = [make_folder(folder) / "genuine.txt", folder / "impostor.txt"]
    for file, listed in zip(files, (simulation.scores.mated, simulation.scores.nonmated), strict=True):
        write_whole(file, partial(pl.DataFrame({"score": listed}).write_csv, include_header=False))
    named, console = " ".join(map(str, files)), terminal()
    show = partial(console.print, soft_wrap=True, markup=False)
    scores = say("terminal.demo.scores", seed=seed)
    show(f"{spoken(scores)}\n  {named}\n")
    show(f"$ bertillon verify {named}\n", style="bold")
    evaluation = evaluating.evaluate(trials.read_scores(*files))
    console.print(render.terminal_text(views.ReportContent([evaluation])))
    truth = simulation.truth
    true = {f"FNMR@FMR={rate}": truth.fnmr_at_fmr(float(rate)) for rate in ("0.01", "0.001", "0.0001")}
    true = {"EER": truth.eer()[0], **true, "AUC": truth.auc(), "dprime": truth.dprime()}
    console.print(render.document_text(views.comparison_with_truth(evaluation, true)))
    drawn = render.save_figures([evaluation], folder / "figures")
    show("\n" + spoken(say("terminal.demo.figures", n=len(drawn), folder=str(folder / "figures"))))
    report = render.write_report(_three_systems(seed), folder / "report.html", lang=outputs.lang)
    show(spoken(say("terminal.demo.report", file=str(report))))


def _write_examples(folder: Path, *, overwrite: bool) -> None:
    """Copy the example files; one that was changed there is replaced only if that is asked for."""
    files = {file.name: file.read_bytes() for file in _examples()}
    held = {name: folder / name for name in files if (folder / name).exists()}
    changed = [name for name, path in held.items() if not path.is_file() or path.read_bytes() != files[name]]
    if changed and not overwrite:
        found = f"{folder}: holds {abridged(changed)} already, not as the examples have it"
        raise InputError(f"{found}; name another folder, or replace it with --overwrite")
    make_folder(folder)
    for name, content in files.items():
        if name in changed or name not in held:
            write_whole(folder / name, partial(_put, content))
    show = partial(terminal().print, soft_wrap=True, markup=False)
    show(spoken(say("terminal.demo.examples", n=len(files), folder=str(folder))))
    for command in TRY:
        show(f"  $ bertillon {command}")


def _put(content: bytes, file: BinaryIO) -> None:
    file.write(content)


def _examples() -> list[Path]:
    """The example files, where they were installed or in the source tree."""
    installed = Path(__file__).parents[1] / "examples"
    folder = installed if installed.is_dir() else Path(__file__).parents[3] / "examples"
    files = [path for path in sorted(folder.glob("*")) if path.suffix in (".txt", ".csv", ".npz")]
    if not files:
        raise InputError(f"{folder}: the example files are not there; install bertillon again")
    return files


def _recogniser(folder: Path, seed: int) -> None:
    """Errors measured in a test, and those at a door in a gallery that is thrown away.

    Of the photos in `orl`, in the folder that BERTILLON_DATA names, where they and the network for faces are there.
    """
    photos = Path(os.environ.get("BERTILLON_DATA", DATA)) / "orl"
    templates = None
    if photos.is_dir() and find_spec("dlib") and find_spec("face_recognition_models"):
        with Bar() as bar:
            templates = rooms.extraction.extract(photos, resize=PHOTO_SIZE, progress=bar).templates
    with TemporaryDirectory(dir=folder) as own:
        found = rooms.galleries.demonstrate(own, seed=seed, templates=templates)
    terminal().print(render.terminal_text(found))


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
