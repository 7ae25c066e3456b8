"""The options of every command that takes templates, and how they become a plan of comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bertillon.cli import options
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from numpy.random import Generator

    from bertillon.core.tables import ScoreMatrix, TemplateTable
    from bertillon.matching.comparing import Comparing
    from bertillon.matching.protocol.pairing import Pairing
    from bertillon.matching.protocol.partition import Partition

PANEL = "Templates"
ROLES = frozenset({"template", "subject"})  # of columns that no table of scores has
LabelsOption = Annotated[
    Path | None,
    typer.Option("--labels", help="CSV, TSV, Parquet or a list: whose each template is.", rich_help_panel=PANEL),
]
KindOption = Annotated[
    str | None,
    typer.Option(
        "--kind",
        help="What a template is: vector, histogram, bits, series, minutiae; scores for a matrix.",
        rich_help_panel=PANEL,
    ),
]
AngleOption = Annotated[
    str | None, typer.Option("--angle", help="Of minutiae in text: degrees or radians.", rich_help_panel=PANEL)
]
SubjectPatternOption = Annotated[
    str | None,
    typer.Option(
        "--subject-pattern",
        metavar="REGEX",
        help="Its group is the subject in the name of a file, such as '^([^_]+)_'.",
        rich_help_panel=PANEL,
    ),
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column", help="Which column is what: subject=name, sample=file; repeatable.", rich_help_panel=PANEL
    ),
]
MatcherOption = Annotated[
    str | None, typer.Option("--matcher", help="By name; 'bertillon matchers' lists them.", rich_help_panel=PANEL)
]
MatcherOptionsOption = Annotated[
    list[str] | None,
    typer.Option("--matcher-option", help="Of the matcher, such as band=0.1; repeatable.", rich_help_panel=PANEL),
]
PartitionOption = Annotated[
    Path | None, typer.Option("--partition", help="A partition written by 'bertillon split'.", rich_help_panel=PANEL)
]
GalleryOption = Annotated[
    Path | None,
    typer.Option("--gallery", help="Enrolled templates; FILE holds the probes.", rich_help_panel=PANEL),
]
LeaveOutOption = Annotated[
    float | None, typer.Option("--leave-out", help="Share of people who are not enrolled.", rich_help_panel=PANEL)
]
StrategyOption = Annotated[
    str | None,
    typer.Option(
        "--strategy",
        help="Who enrols with what: random, best-quality, first-session, conditions.",
        rich_help_panel=PANEL,
    ),
]
PerSubjectOption = Annotated[
    int, typer.Option("--per-subject", help="Templates a person enrols.", rich_help_panel=PANEL)
]
MultipleOption = Annotated[
    bool,
    typer.Option("--multiple", help="One comparison a person: their templates are fused.", rich_help_panel=PANEL),
]
FusionOption = Annotated[
    str, typer.Option("--fusion", help="Of a person's templates: best, mean, max, min.", rich_help_panel=PANEL)
]
SampleOption = Annotated[
    int | None,
    typer.Option(
        "--sample-nonmated",
        metavar="N",
        help="Compare only so many non-mated pairs, drawn at random from all.",
        rich_help_panel=PANEL,
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="Random seed.", rich_help_panel=PANEL)]


@dataclass(frozen=True, slots=True)
class TemplateOptions:
    """What was said about templates on the command line."""

    labels: Path | None = None
    kind: str | None = None
    angle: str | None = None
    subject_pattern: str | None = None
    column: list[str] | None = None
    matcher: str | None = None
    matcher_option: list[str] | None = None
    partition: Path | None = None
    gallery: Path | None = None
    leave_out: float | None = None
    strategy: str | None = None
    per_subject: int = 1
    multiple: bool = False
    fusion: str = "best"
    seed: int = 0
    sample_nonmated: int | None = None

    @classmethod
    def among(cls, arguments: Mapping[str, Any]) -> TemplateOptions:
        """Those of a command's arguments that are about templates; every such command takes them under these names."""
        return cls(**{one.name: arguments[one.name] for one in fields(cls) if one.name in arguments})

    @property
    def given(self) -> bool:
        """Something was said that only makes sense for templates."""
        how = (self.labels, self.kind, self.angle, self.subject_pattern, self.matcher)
        who = (self.partition, self.gallery, self.leave_out, self.strategy)
        return any(value is not None for value in (*how, *who)) or self.multiple or not ROLES.isdisjoint(self.columns)

    @property
    def columns(self) -> dict[str, str]:
        """Which column plays which part."""
        return options.columns(self.column or []) or {}

    @property
    def sample(self) -> tuple[int, int] | None:
        """How many non-mated pairs are drawn, and from which seed; None for all of them."""
        return None if self.sample_nonmated is None else (self.sample_nonmated, self.seed)

    def require_templates(self, where: object, *, fused: bool = False) -> None:
        """Scores that are there already are neither drawn nor made; `fused` where those of a person may be fused."""
        for option, said in (
            ("--matcher", self.matcher is not None),
            ("--partition", self.partition is not None),
            ("--gallery", self.gallery is not None),
            ("--leave-out", self.leave_out is not None),
            ("--strategy", self.strategy is not None),
            ("--multiple", self.multiple),
            ("--sample-nonmated", self.sample_nonmated is not None),
            ("--per-subject", self.per_subject != 1),
            ("--matcher-option", bool(self.matcher_option)),
            ("--fusion", self.fusion != "best" and not fused),
        ):
            if said:
                raise InputError(f"{where}: holds scores; {option} is for comparing templates: leave it out")

    def require_fusion(self) -> None:
        """Single templates that are compared one by one are not fused."""
        if self.fusion != "best" and not self.multiple:
            raise InputError(
                f"--fusion {self.fusion} makes one comparison of all templates of a person: add --multiple, or leave "
                "it out"
            )

    def _require_one_way(self, *, drawn: bool) -> None:
        """Who is enrolled is said once: in a file of partitions, by two files, or by how a partition is drawn."""
        given = {"--partition": self.partition, "--gallery": self.gallery}
        files = [option for option, value in given.items() if value is not None]
        how = {"--leave-out": self.leave_out, "--strategy": self.strategy}
        ways = [option for option, value in how.items() if value is not None]
        ways += ["--per-subject"] if self.per_subject != 1 else []
        if len(files) > 1 or (files and ways):
            raise InputError(f"{files[0]} and {[*files[1:], *ways][0]} both say who is enrolled; expected one of them")
        if ways == ["--per-subject"] and not drawn:
            raise InputError(
                "--per-subject is how many templates a person enrols, and nobody is enrolled all against all; add "
                "--strategy or --leave-out, or leave it out"
            )

    def read(self, path: Path) -> TemplateTable:
        """The templates of a file, those of the gallery behind them."""
        from bertillon.core.tables import ScoreMatrix
        from bertillon.io.templates.reading import not_templates

        found = self.read_labelled(path)
        if isinstance(found, ScoreMatrix):
            raise not_templates(found)
        return found

    def read_labelled(self, path: Path) -> TemplateTable | ScoreMatrix:
        """The same, or the scores of a square array with labels."""
        from bertillon.core.tables import ScoreMatrix
        from bertillon.matching.protocol.sides import probes_then_gallery

        found = self._read(path, self.labels)
        if isinstance(found, ScoreMatrix):
            return found
        gallery = self._read(self.gallery, None) if self.gallery is not None else None
        return found if gallery is None else probes_then_gallery(found, gallery)

    def _read(self, path: Path, labels: Path | None) -> Any:
        from bertillon.io.templates.reading import read_labelled

        return read_labelled(
            path,
            labels=labels,
            kind=self.kind,
            columns=self.columns,
            angle=self.angle,
            subject_pattern=self.subject_pattern,
        )

    def plan(self, templates: TemplateTable) -> Comparing:
        """What is compared with what."""
        self._require_one_way(drawn=False)
        return self._comparing(templates, self._partition(templates))

    def plans(self, templates: TemplateTable, runs: int | None) -> list[Comparing]:
        """The same for each of many partitions: those of a file, or as many as there are runs, drawn from one seed."""
        from bertillon.matching.protocol.partition_file import read_partitions
        from bertillon.matching.protocol.repeated import repeat

        self._require_one_way(drawn=True)
        if self.partition is not None:
            partitions = read_partitions(self.partition, templates)
            if runs not in (None, len(partitions)):
                raise InputError(f"{self.partition}: {len(partitions)} partitions and --runs {runs}; leave --runs out")
        else:
            partitions = repeat(
                lambda rng: self._split(templates, rng), runs=10 if runs is None else runs, seed=self.seed
            )
        return [self._comparing(templates, partition) for partition in partitions]

    def _comparing(self, templates: TemplateTable, partition: Partition | None) -> Comparing:
        from bertillon.matching.comparing import Comparing

        pairing = self._pairing(partition)
        return Comparing.plan(templates, self._matcher(templates), pairing, partition=partition, fusion=self.fusion)

    def _partition(self, templates: TemplateTable) -> Partition | None:
        from bertillon.matching.protocol.partition_file import read_partitions
        from bertillon.matching.protocol.sides import sides

        if self.partition is not None:
            first, *more = read_partitions(self.partition, templates)
            if more:
                raise InputError(
                    f"{self.partition}: holds {len(more) + 1} partitions; expected one; 'bertillon repeat' takes all"
                )
            return first
        if self.gallery is not None:
            return sides(templates)
        if self.leave_out is None and self.strategy is None:
            return None
        return self._split(templates, self.seed)

    def _split(self, templates: TemplateTable, rng: Generator | int) -> Partition:
        from bertillon.matching.protocol.gallery import split_gallery_probe

        return split_gallery_probe(
            templates,
            strategy=self.strategy or "random",
            per_subject=self.per_subject,
            leave_out=self.leave_out or 0.0,
            rng=rng,
        )

    def _pairing(self, partition: Partition | None) -> Pairing:
        from bertillon.matching.protocol.pairing import AllAgainstAll, ProbeVersusGallery

        if partition is not None and partition.gallery_rows.size:
            return ProbeVersusGallery(multiple=self.multiple)
        return AllAgainstAll(multiple=self.multiple)

    def _matcher(self, templates: TemplateTable) -> Any:
        from bertillon.matching import matcher

        usual = {"vector": "cosine", "histogram": "bhattacharyya", "bits": "hamming", "series": "dtw"}
        name = self.matcher or usual.get(templates.kind, "minutiae")
        return matcher(name, **dict(_option(text) for text in self.matcher_option or []))


def _option(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator:
        raise InputError(f"--matcher-option: cannot read {text!r}; expected NAME=VALUE, such as band=0.1")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value
