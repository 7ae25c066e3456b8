"""The option groups that commands share: declared once, used by every command that has them.

Conventions: what cannot be is refused when a group is made, before any file is read.

Holds, about input, `ReadingOptions`, `ScoreInput`, `TemplateInput` and `PredictionInput`; about comparing templates,
`MatcherOptions`, `ProtocolOptions` and `JobOptions`; `RandomOptions`, `IntervalOptions` and `OutputOptions`; and
how texts are read: `numbers`, `column_roles` and `label_meanings`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from bertillon.cli.declare import OPTIONS, given_options, only, option, reworded
from bertillon.cli.outputs import Bar, working
from bertillon.cli.rooms import advice, analysis, core, evaluating, formats, render, stats, views
from bertillon.core.errors import InputError

INPUT, TEMPLATES, QUESTIONS, OUTPUT = "Input", "Templates", "Analysis", "Output"
LARGE, JOB, INTERVALS = "Large inputs", "Long runs", "Intervals"
TEMPLATE_COLUMNS = "Name of the column for a role: subject=name, sample=file; repeatable."
PREDICTION_COLUMNS = (
    "Name of the column for a role: truth=diagnosis, score=risk; also predicted, probability, logit; repeatable."
)
MOST_BANDED = 3  # systems on the same axes; the bands of more hide each other
FigureFormat = Literal["png", "svg", "pdf"]
USUAL_FORMATS = ("pdf", "png")  # as in Python
Evaluated = TypeVar("Evaluated", bound="evaluating.AnyEvaluation")


def measure_option(help: str, *modes: str) -> Any:
    """The option for measures, of which each command knows those of other modes."""
    help = f"{help}; see 'bertillon measures'; repeatable."
    return option("-m", "--measure", default=(), metavar="MEASURE", help=help, panel=QUESTIONS, measures_of=modes)


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How the files of every command are read."""

    PANEL: ClassVar[str] = INPUT
    column: tuple[str, ...] = option(
        default=(), metavar="ROLE=NAME", help="Name of the column for a role: score=llr, label=target; repeatable."
    )
    max_memory: str | None = option(
        metavar="SIZE",
        help="Memory that one input file may take, such as 500M or 4G; by default half of what is available.",
        panel=LARGE,
    )
    explain: bool = option(
        default=False, help="Print how the files were read, how intervals were computed, and the reasons.", panel=OUTPUT
    )

    def __post_init__(self) -> None:
        column_roles(self.column)

    @property
    def columns(self) -> dict[str, str] | None:
        return column_roles(self.column)


@dataclass(frozen=True, slots=True)
class ScoreInput:
    """What the files of scores hold."""

    PANEL: ClassVar[str] = INPUT
    distance: bool = option(default=False, help="Scores are distances: accept when score <= t.")
    similarity: bool = option(default=False, help="Scores are similarities, even if the file says otherwise.")
    name: tuple[str, ...] = option(
        default=(), metavar="NAME", help="Name of a system, in the order of the systems; repeatable."
    )
    format: str | None = option(
        metavar="NAME", help="Format of the files; detected by default; see 'bertillon formats'."
    )
    mask: Path | None = option(help="Mask of a BEE matrix.")
    values: str | None = option(
        metavar="MEANING=VALUE,...",
        help="What labels mean: mated=same,nonmated=other; also attack=LABEL, bonafide=LABEL.",
    )
    failed: tuple[float, ...] = option(
        default=(), metavar="SCORE", help="A score that means a failed comparison; repeatable."
    )
    trust: str | None = option(metavar="labels|subjects", help="Which to use where labels contradict the subject IDs.")
    all_against_all: bool | None = option(
        "--all-against-all/--no-all-against-all",
        help="A square matrix compares templates with themselves, so its diagonal is not counted; detected from its "
        "symmetry by default.",
    )

    def __post_init__(self) -> None:
        if self.distance and self.similarity:
            raise InputError("--distance and --similarity exclude each other; give one of them")

    @property
    def rule(self) -> str | None:
        """The name of the rule that was given, or None where the files say it."""
        return "distance" if self.distance else "similarity" if self.similarity else None

    @property
    def accept_rule(self) -> core.AcceptRule | None:
        return None if self.rule is None else core.AcceptRule.of(self.rule)

    @property
    def label_values(self) -> dict[str, str] | None:
        return label_meanings(self.values)


@dataclass(frozen=True, slots=True)
class TemplateInput:
    """What the files of templates hold."""

    PANEL: ClassVar[str] = TEMPLATES
    labels: Path | None = option(help="Subject labels of the templates: CSV, TSV, Parquet or a plain list.")
    kind: str | None = option(
        metavar="NAME",
        help="Kind of template: vector, histogram, bits, series or minutiae; scores for a score matrix.",
    )
    angle: str | None = option(metavar="degrees|radians", help="Unit of angles of minutiae in text files.")
    subject_pattern: str | None = option(
        metavar="REGEX", help="Regular expression that captures the subject in a file name, such as '^([^_]+)_'."
    )


@dataclass(frozen=True, slots=True)
class MatcherOptions:
    """How two templates, or two subjects, are compared."""

    PANEL: ClassVar[str] = TEMPLATES
    matcher: str | None = option(metavar="NAME", help="Name of the matcher; see 'bertillon matchers'.")
    matcher_option: tuple[str, ...] = option(
        default=(), metavar="NAME=VALUE", help="Option of the matcher, such as band=0.1; repeatable."
    )
    multiple: bool = option(default=False, help="One comparison per subject: scores of all templates are combined.")
    fusion: str = option(
        default="best", metavar="best|mean|max|min", help="How the scores of a subject's templates are combined."
    )


@dataclass(frozen=True, slots=True)
class ProtocolOptions:
    """Which templates are compared with which."""

    PANEL: ClassVar[str] = TEMPLATES
    gallery: Path | None = option(help="Enrolled templates; the other file holds the probes.")
    partition: Path | None = option(help="Partition written by 'bertillon split'.")
    leave_out: float | None = option(metavar="SHARE", help="Share of subjects who are not enrolled.")
    strategy: str | None = option(
        metavar="NAME", help="How templates are enrolled: random, best-quality, first-session or conditions."
    )
    per_subject: int = option(default=1, help="Templates enrolled per subject.")
    sample_nonmated: int | None = option(help="Compare only this many non-mated pairs, drawn at random.")

    def require_one_way(self, *, drawn: bool) -> None:
        """Who is enrolled is stated once: in a file of partitions, by two files, or by how a partition is drawn."""
        stated = given_options(self)
        files = [flag for flag in ("--partition", "--gallery") if flag in stated]
        ways = [flag for flag in ("--leave-out", "--strategy", "--per-subject") if flag in stated]
        if len(files) > 1 or (files and ways):
            raise InputError(f"{files[0]} and {[*files[1:], *ways][0]} both say who is enrolled; expected one of them")
        if ways == ["--per-subject"] and not drawn:
            problem = "--per-subject is how many templates a person enrols, and nobody is enrolled all against all"
            raise InputError(f"{problem}; add --strategy or --leave-out, or leave it out")


@dataclass(frozen=True, slots=True)
class JobOptions:
    """Where long work is done, what is kept of it, and how large inputs are read."""

    PANEL: ClassVar[str] = JOB
    checkpoint: Path | None = option(metavar="FOLDER", help="Write checkpoints to this folder, and resume from them.")
    engine: Literal["threads", "dask"] = option(
        default="threads", help="Run on the cores of this machine, or on a dask cluster."
    )
    scheduler: str | None = option(metavar="ADDRESS", help="Address of a dask cluster, such as tcp://host:8786.")
    index: str | None = option(
        metavar="hnsw|ivf", help="Search through an approximate index (faiss) and measure its loss."
    )
    stream: bool | None = option(
        "--stream/--no-stream",
        help="Count scores in parts, in little memory: the files (or 'scores/*.parquet') are parts of ONE system. "
        "Default for files above 2 GiB (unpacked), one system per file.",
        panel=LARGE,
    )
    allow_repeats: bool = option(default=False, help="Allow counts that contain the same source twice.", panel=LARGE)

    @property
    def elsewhere(self) -> bool:
        """The comparing of templates was given an engine or a checkpoint."""
        return (self.checkpoint, self.engine, self.scheduler) != (None, "threads", None)

    @contextmanager
    def start(self, part: str = "") -> Iterator[dict[str, Any]]:
        """A bar, the engine and the folder of the checkpoint, in it one for each `part` of several systems."""
        folder = None if self.checkpoint is None else self.checkpoint / part
        with ExitStack() as stack:
            engine = None  # threads, which all work uses by default
            if self.engine != "threads" or self.scheduler is not None:
                from bertillon.engine.on_dask import Dask

                engine = stack.enter_context(Dask(self.scheduler))
            yield {"progress": stack.enter_context(Bar()), "engine": engine, "checkpoint": folder}


@dataclass(frozen=True, slots=True)
class PredictionInput:
    """What the files of predictions hold."""

    PANEL: ClassVar[str] = INPUT
    positive: str | None = option(metavar="LABEL", help="Label of the positive class.")
    weights: str | None = option(metavar="COLUMN", help="Column of sample weights.")
    groups: str | None = option(metavar="COLUMN", help="Column of groups, for one table per group.")
    name: tuple[str, ...] = option(
        default=(), metavar="NAME", help="Name of a system, in the order of the systems; repeatable."
    )


@dataclass(frozen=True, slots=True)
class Target:
    """The file that is written."""

    output: Path = option("-o", "--output", required=True, writes=True, help="File to write.")


@dataclass(frozen=True, slots=True)
class RandomOptions:
    """The seed of everything that is drawn at random."""

    PANEL: ClassVar[str] = OPTIONS
    seed: int = option(default=0, help="Random seed.")


@dataclass(frozen=True, slots=True)
class BudgetOptions:
    """What a day allows, for the threshold to set."""

    PANEL: ClassVar[str] = QUESTIONS
    alarms_per_day: float | None = option(metavar="N", help="The threshold for at most N false alarms a day.")
    hours_per_day: float | None = option(metavar="N", help="The threshold for at most N hours of checking a day.")
    passers: float | None = option(metavar="N", help="People passing (in verify: attempts) a day, for a budget.")
    minutes: float = option(default=15.0, metavar="N", help="Minutes to check a false alarm.")
    on_list: float | None = option(metavar="SHARE", help="Share of passers on the list (in verify: genuine).")

    def budget(self, costs: dict[str, float] | None = None) -> analysis.Budget | None:
        """What is asked, with the costs of an alarm and of a miss; None where nothing is."""
        asked = self.alarms_per_day is not None or self.hours_per_day is not None or bool(costs)
        if not asked:
            if self.passers is not None or self.on_list is not None:
                raise InputError("--passers is for a budget; add --alarms-per-day, --hours-per-day or --cost")
            return None
        if self.passers is None:
            raise InputError("a budget a day needs --passers N, how many people pass in a day")
        prices = {f"cost_{name}": price for name, price in (costs or {}).items()}
        about = {"alarms": self.alarms_per_day, "hours": self.hours_per_day, "on_list": self.on_list}
        return analysis.Budget(passers=self.passers, minutes=self.minutes, **about, **prices)


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """Which intervals are computed."""

    PANEL: ClassVar[str] = INTERVALS
    intervals: bool = option("--intervals/--no-intervals", default=True, help="Compute confidence intervals.")
    level: float = option(default=0.95, metavar="RATE", help="Confidence level of the intervals.")
    sides: Literal["both", "upper", "lower"] = option(
        default="both", help="Two-sided intervals, or bounds of one side with all of the confidence."
    )
    resamples: int = option(default=1000, help="Number of bootstrap resamples of subjects (or of trials).")
    bands: Literal["none", "pointwise", "simultaneous"] | None = option(
        help="Confidence bands of curves; by default pointwise in figures and CSV of up to "
        f"{MOST_BANDED} systems, none in a report."
    )

    def settings(self, seed: int) -> stats.Settings:
        """How intervals are made."""
        return stats.Settings(level=self.level, resamples=self.resamples, seed=seed, sides=self.sides)

    def add_to(self, evaluations: Sequence[Evaluated], *, seed: int) -> list[Evaluated]:
        """The evaluations with their intervals, or as they are."""
        self.settings(seed)  # refused whether or not intervals are wanted
        settings: dict[str, Any] = {"level": self.level, "resamples": self.resamples, "seed": seed, "sides": self.sides}
        if not self.intervals:
            return list(evaluations)
        with working("intervals"):
            return [evaluation.with_intervals(**settings) for evaluation in evaluations]

    def bands_of(self, evaluations: Sequence[evaluating.AnyEvaluation], *, shown: bool) -> evaluating.Bands:
        """The bands of all curves, where something shows them; by default none where they would hide each other."""
        kind = self.bands or ("pointwise" if len(evaluations) <= MOST_BANDED else "none")
        if kind == "none" or not shown or not all(evaluation.settings for evaluation in evaluations):
            return []
        with working("bands"):
            return [evaluating.bands_of(evaluation, kind=kind) for evaluation in evaluations]


TERMINAL = reworded(lang="Language of the terminal.")  # of commands that draw nothing and write no report


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What the terminal shows, and where results are written beside it."""

    PANEL: ClassVar[str] = OUTPUT
    all: bool = option(default=False, help="Print every usual measure, not only the answer.")
    quiet: bool = option(default=False, help="Print the numbers alone.")
    json: str | None = option(metavar="FILE|-", writes=True, help="Write the results as JSON; - is standard output.")
    csv: Path | None = option(metavar="FOLDER", help="Write every curve as CSV, one file per system and curve.")
    figures: Path | None = option(metavar="FOLDER", help="Folder for figures of the curves.")
    figure_format: tuple[FigureFormat, ...] = option(
        default=(), help="Format of the figures; repeatable; PDF and PNG by default."
    )
    report: tuple[str, ...] = option(
        default=(),
        metavar="FILE|-",
        writes=True,
        help="Write a report; the suffix chooses .html, .md, .tex, .json or .csv; - is Markdown on standard output; "
        "repeatable.",
    )
    title: str = option(default="", metavar="TEXT", help="Title of the report.")
    author: str = option(default="", metavar="TEXT", help="Author of the report.")
    notes: str = option(default="", metavar="TEXT|FILE", help="Notes at the top of the report, as text or a file.")
    fail_if: tuple[str, ...] = option(
        default=(),
        metavar="CONDITION",
        help="Exit with status 1 if EER>0.02, AUC<0.9, EER:upper>3%, ...; :upper and :lower are the ends of the "
        "interval; repeatable.",
    )
    lang: str = option(
        default="en",
        metavar="en|it|es|zh",
        help="Language of the terminal, figures and report; JSON and CSV stay English.",
    )
    vocabulary: Literal["biometric", "ml", "both"] = option(
        default="biometric", help="Names in tables: biometric (FMR), machine learning (FPR), or both side by side."
    )

    def __post_init__(self) -> None:
        if self.all and self.quiet:
            raise InputError("--all and --quiet exclude each other; give one of them")
        if self.figure_format and self.figures is None:
            raise InputError("--figure-format says how figures are written; say where with --figures FOLDER")
        given = [flag for flag in ("title", "author", "notes") if getattr(self, flag)]
        if given and not any(map(render.takes_cover, self.report)):
            raise InputError(f"--{given[0]} is shown in a report; add --report FILE.html, .md or .tex")

    @property
    def cover(self) -> dict[str, str]:
        """What the writer of a report says before it."""
        return {"title": self.title, "author": self.author, "notes": render.notes_given(self.notes)}

    def require_report(self) -> None:
        """Refuse a report that cannot be written before the work begins."""
        if "-" in self.report and self.json == "-":
            raise InputError("--json - and --report - both write to standard output; give one of them a file")
        for path in self.report:
            render.check_report(path, self.lang)
        if self.notes:
            render.notes_given(self.notes)
        if self.lang != "en":
            render.check_report(None, self.lang)

    def require_usable(self, intervals: IntervalOptions) -> bool:
        """The same, and bands that nothing shows or that intervals were turned off for; whether bands are shown."""
        self.require_report()
        bands = intervals.bands
        page = any(path.lower().endswith(".html") for path in self.report)
        shown = bool(self.csv or self.figures) or bool(bands and page)
        if bands not in (None, "none") and not shown:
            problem = f"--bands {bands}: bands are drawn and written"
            raise InputError(f"{problem}; say where with --figures FOLDER, --csv FOLDER or --report FILE.html")
        if bands not in (None, "none") and not intervals.intervals:
            raise InputError(f"--bands {bands} and --no-intervals exclude each other; give one of them")
        return shown

    def gates(self, *kinds: str, intervals: bool = True) -> list[advice.Gate]:
        """The conditions under which the command fails, read before any work; ends of intervals need intervals."""
        gates = advice.read_gates(self.fail_if, kinds) if self.fail_if else []
        ended = [gate.text for gate in gates if gate.end]
        if ended and not intervals:
            raise InputError(f"--fail-if {ended[0]!r}: there is no interval to judge here; leave out :upper and :lower")
        return gates

    @property
    def detail(self) -> views.Level:
        """How much the terminal shows."""
        return views.Level.DETAIL if self.all else views.Level.ANSWER

    @property
    def formats(self) -> tuple[str, ...]:
        return self.figure_format or USUAL_FORMATS

    @property
    def names(self) -> views.Vocabulary:
        return views.Vocabulary(self.vocabulary)


TemplateReading = Annotated[ReadingOptions, reworded(column=TEMPLATE_COLUMNS)]
PredictionReading = Annotated[ReadingOptions, reworded(column=PREDICTION_COLUMNS)]
Language = Annotated[OutputOptions, only("lang"), TERMINAL]  # of commands that print a few lines


def numbers(text: str, option: str, names: Sequence[str]) -> dict[str, float]:
    """Read `fa=500,fr=2` into named numbers; unknown names are an error.

    >>> numbers("fa=500,fr=2", "--cost", ["fa", "fr"])
    {'fa': 500.0, 'fr': 2.0}
    """
    expected = ",".join(f"{name}=NUMBER" for name in names)
    values: dict[str, float] = {}
    for item in text.split(","):
        name, separator, value = (part.strip() for part in item.partition("="))
        if not separator or name not in names:
            raise InputError(f"{option}: cannot read {item!r}; expected {expected}")
        try:
            values[name] = float(value)
        except ValueError:
            raise InputError(f"{option}: {value!r} is not a number; expected {expected}") from None
    return values


def column_roles(texts: Sequence[str]) -> dict[str, str] | None:
    """Read `score=llr` pairs into roles and column names."""
    pairs: dict[str, str] = {}
    for text in texts:
        role, separator, name = text.partition("=")
        if not separator or not name:
            raise InputError(f"--column: cannot read {text!r}; expected ROLE=NAME, such as score=llr or label=target")
        if pairs.setdefault(role.strip(), name) != name:
            raise InputError(f"--column: {role.strip()} is said to be {pairs[role.strip()]!r} and {name!r}; say one")
    return pairs or None


def label_meanings(text: str | None) -> dict[str, str] | None:
    """Read `mated=target,attack=spoof` into what each value of a label column means.

    >>> label_meanings("mated=target,nonmated=nontarget")
    {'target': 'mated', 'nontarget': 'nonmated'}
    """
    if text is None:
        return None
    pairs = [item.partition("=") for item in text.split(",")]
    for role, sign, value in pairs:
        if not role.strip() or not value.strip():
            item = f"{role}{sign}{value}"
            raise InputError(f"--values: cannot read {item!r}; expected MEANING=VALUE, as in mated=1,nonmated=0")
    return formats.label_values((role.strip(), value.strip()) for role, _, value in pairs)
