"""Templates on the command line: how they are read, and the plan of comparisons that options ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertillon.cli.declare import given_options
from bertillon.cli.options import MatcherOptions, ProtocolOptions, ReadingOptions, TemplateInput
from bertillon.cli.rooms import core, formats, matching
from bertillon.core.errors import InputError

if TYPE_CHECKING:
    from numpy.random import Generator


ROLES = frozenset({"template", "subject"})  # of columns that no table of scores has
USUAL_MATCHERS = {"vector": "cosine", "histogram": "bhattacharyya", "bits": "hamming", "series": "dtw"}


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """Files of templates, as the options of a command describe them."""

    content: TemplateInput = TemplateInput()
    matcher: MatcherOptions = MatcherOptions()
    protocol: ProtocolOptions = ProtocolOptions()
    reading: ReadingOptions = ReadingOptions()
    seed: int = 0

    @property
    def given(self) -> bool:
        """An option was given that only makes sense for templates."""
        matcher = replace(self.matcher, fusion="best", matcher_option=())
        protocol = replace(self.protocol, per_subject=1, sample_nonmated=None)
        return bool(given_options(self.content, matcher, protocol)) or not ROLES.isdisjoint(self.columns)

    @property
    def columns(self) -> dict[str, str]:
        return self.reading.columns or {}

    @property
    def sample(self) -> tuple[int, int] | None:
        """How many non-mated pairs are drawn, and from which seed; None for all of them."""
        return None if self.protocol.sample_nonmated is None else (self.protocol.sample_nonmated, self.seed)

    def require_templates(self, source: object, *, fused: bool = False) -> None:
        """Scores are neither drawn nor made; `fused` where those of a subject may be fused."""
        matcher = replace(self.matcher, fusion="best") if fused else self.matcher
        for flag in given_options(matcher, self.protocol):
            raise InputError(f"{source}: holds scores; {flag} is for comparing templates: leave it out")

    def require_fusion(self) -> None:
        """Single templates that are compared one by one are not fused."""
        if self.matcher.fusion != "best" and not self.matcher.multiple:
            raise InputError(
                f"--fusion {self.matcher.fusion} makes one comparison of all templates of a person: add --multiple, or "
                "leave it out"
            )

    def read(self, path: Path) -> core.TemplateTable:
        """The templates of a file, those of the gallery behind them."""
        content = self.read_labelled(path)
        if isinstance(content, core.ScoreMatrix):
            raise formats.not_templates(content)
        return content

    def read_labelled(self, path: Path) -> core.TemplateTable | core.ScoreMatrix:
        """The same, or the scores of a square array with labels."""
        probes = self._read(path, self.content.labels)
        if isinstance(probes, core.ScoreMatrix) or self.protocol.gallery is None:
            return probes
        gallery = self._read(self.protocol.gallery, None)
        if isinstance(gallery, core.ScoreMatrix):
            raise formats.not_templates(gallery)
        return matching.probes_then_gallery(probes, gallery)

    def _read(self, path: Path, labels: Path | None) -> core.TemplateTable | core.ScoreMatrix:
        return formats.read_labelled(
            path,
            labels=labels,
            kind=self.content.kind,
            columns=self.columns,
            angle=self.content.angle,
            subject_pattern=self.content.subject_pattern,
        )

    def plan(self, templates: core.TemplateTable) -> matching.Comparing:
        self.protocol.require_one_way(drawn=False)
        return self._comparing(templates, self._partition(templates))

    def plans(self, templates: core.TemplateTable, runs: int | None) -> list[matching.Comparing]:
        """The same for each of many partitions: those of a file, or as many as there are runs, drawn from one seed."""
        self.protocol.require_one_way(drawn=True)
        if self.protocol.partition is not None:
            partitions = matching.read_partitions(self.protocol.partition, templates)
            if runs not in (None, len(partitions)):
                raise InputError(
                    f"{self.protocol.partition}: {len(partitions)} partitions and --runs {runs}; leave --runs out"
                )
        else:
            partitions = matching.repeat(
                lambda rng: self.split(templates, rng), runs=10 if runs is None else runs, seed=self.seed
            )
        return [self._comparing(templates, partition) for partition in partitions]

    def _comparing(self, templates: core.TemplateTable, partition: matching.Partition | None) -> matching.Comparing:
        pairing = self._pairing(partition)
        return matching.Comparing.plan(
            templates, self._matcher(templates), pairing, partition=partition, fusion=self.matcher.fusion
        )

    def _partition(self, templates: core.TemplateTable) -> matching.Partition | None:
        if self.protocol.partition is not None:
            first, *more = matching.read_partitions(self.protocol.partition, templates)
            if more:
                raise InputError(
                    f"{self.protocol.partition}: holds {len(more) + 1} partitions; expected one; 'bertillon repeat' "
                    "takes all"
                )
            return first
        if self.protocol.gallery is not None:
            return matching.sides(templates)
        if self.protocol.leave_out is None and self.protocol.strategy is None:
            return None
        return self.split(templates, self.seed)

    def split(self, templates: core.TemplateTable, rng: Generator | int) -> matching.Partition:
        return matching.split_gallery_probe(
            templates,
            strategy=self.protocol.strategy or "random",
            per_subject=self.protocol.per_subject,
            leave_out=self.protocol.leave_out or 0.0,
            rng=rng,
        )

    def _pairing(self, partition: matching.Partition | None) -> matching.Pairing:
        if partition is not None and partition.gallery_rows.size:
            return matching.ProbeVersusGallery(multiple=self.matcher.multiple)
        return matching.AllAgainstAll(multiple=self.matcher.multiple)

    def _matcher(self, templates: core.TemplateTable) -> Any:
        name = self.matcher.matcher or USUAL_MATCHERS.get(templates.kind, "minutiae")
        return matching.matcher(name, **dict(_option(text) for text in self.matcher.matcher_option))


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
