"""`bertillon gallery`: people enrolled in an encrypted file, and decisions about those who come."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from bertillon.cli import options
from bertillon.cli import outputs as out
from bertillon.cli.declare import argument, only, option, reworded
from bertillon.cli.outputs import Bar
from bertillon.cli.policy import KEY, KeyOption, LaboratoryOption, key_of
from bertillon.cli.probes import Handed, handed_by
from bertillon.cli.rooms import evaluating, galleries
from bertillon.core import InputError, Message, say, write_whole
from bertillon.core.errors import CheckFailed

WHERE = argument("GALLERY", "The gallery: a file, or postgresql://... for one in a database.")
PEOPLE = argument("TEMPLATES", "File of templates with their people, or a folder person/photo.")
PROBES = argument("PROBES", "File of templates, a photo, or a folder of photos.")
MODEL = "Model that made the templates, where they have no column 'model'."
Shown = Annotated[options.OutputOptions, only("json", "csv", "report", "lang")]
Said = Annotated[options.OutputOptions, only("lang"), options.TERMINAL]
Read = Annotated[options.ReadingOptions, reworded(column=options.TEMPLATE_COLUMNS)]


@dataclass(frozen=True, slots=True)
class Templates(options.TemplateInput):
    """What a file of templates holds, and what made them."""

    model: str | None = option(metavar="FINGERPRINT", help=MODEL)

    @property
    def content(self) -> options.TemplateInput:
        """What reads the file."""
        return options.TemplateInput(
            labels=self.labels, kind=self.kind, angle=self.angle, subject_pattern=self.subject_pattern
        )


@dataclass(frozen=True, slots=True)
class NewGallery:
    """What all templates of a gallery have in common, where no policy says it."""

    policy: tuple[Path, ...] = option(default=(), help="Policy for claims or for searches; repeatable.")
    matcher: str | None = option(metavar="NAME", help="Matcher, if no policy is given.")
    fusion: Literal["best", "mean", "pooled"] | None = option(
        help="How the scores of a person's templates are combined."
    )
    search: Literal["client", "server"] = option(
        default="client",
        help="Where templates are compared: in the client's memory, or in the database (needs pgvector).",
    )
    model: str | None = option(metavar="FINGERPRINT", help=MODEL)


@dataclass(frozen=True, slots=True)
class Searching:
    """How a search is answered."""

    best: int = option(default=10, help="Number of candidates listed.")
    index: Literal["hnsw", "ivf"] | None = option(
        help="Search through an approximate index, and measure its loss on the probes."
    )


@dataclass(frozen=True, slots=True)
class Identifying(Searching):
    """How a search for somebody is answered."""

    closed: bool = option(
        default=False, help="Closed set: all probes are taken to be enrolled, so the best candidate is always named."
    )


@dataclass(frozen=True, slots=True)
class Watching(Searching):
    """How a search of a list is answered."""

    list: Literal["allow", "alarm"] = option(required=True, help="allow: a white list; alarm: a black list.")


@dataclass(frozen=True, slots=True)
class Claiming:
    """Who they claim to be."""

    person: str | None = option(metavar="NAME", help="Person claimed by every probe; by default the probe's subject.")


@dataclass(frozen=True, slots=True)
class Updating:
    """What becomes of the old templates."""

    replace: bool = option(default=False, help="Remove the person's old templates.")


@dataclass(frozen=True, slots=True)
class NewKey:
    """The key that the gallery gets."""

    PANEL: ClassVar[str] = KEY
    new_key: Path = option(required=True, help="File of the new key; created if it does not exist.")


def create(
    gallery: Annotated[str, WHERE],
    key: KeyOption,
    laboratory: LaboratoryOption,
    new: NewGallery,
    outputs: Said,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Create a gallery, and its key if the key file does not exist.

    Example: bertillon gallery create door.gallery --key door.key --policy door.policy.json
    """
    known, drawn = _key_or_new(key.key)
    about: dict[str, Any] = {"matcher": new.matcher, "fusion": new.fusion, "model": new.model, "search": new.search}
    try:
        made = galleries.Gallery.create(
            gallery, key=known, policies=new.policy, laboratory=laboratory.laboratory, **about
        )
    except galleries.Unavailable:
        raise  # a database that was lost on the way may have made it
    except InputError:
        if drawn and key.key is not None:
            key.key.unlink()  # nothing was sealed with it
        raise
    with made:
        out.print_lines(say("gallery.done.created", file=made.name, matcher=made.records.settings.matcher))
        if drawn:
            out.print_lines(say("gallery.done.key", file=str(key.key)))
        _say_policies(made.policies)


def use(
    gallery: Annotated[str, WHERE],
    policy: Annotated[Path, argument("POLICY", "File of the policy.")],
    key: KeyOption,
    laboratory: LaboratoryOption,
    outputs: Said,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Set the policy by which the gallery decides from now on.

    Example: bertillon gallery use door.gallery door.policy.json --key door.key
    """
    with _opened(gallery, key) as door:
        ready = galleries.read_policy(policy)
        door.use(ready, laboratory=laboratory.laboratory)
        _say_policies({ready.mode: ready})


def enrol(
    gallery: Annotated[str, WHERE],
    templates: Annotated[Path, PEOPLE],
    key: KeyOption,
    content: Templates,
    reading: Read,
    outputs: Said,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Enrol all people in a file of templates or a folder of photos; if one fails, none is enrolled.

    Example: bertillon gallery enrol door.gallery people.npz --key door.key
    """
    with _handed(gallery, key, templates, content, reading, owned=True) as (door, handed):
        enrolled = door.enrol_all(handed.table, model=content.model)
        out.print_lines(say("gallery.done.enrolled", n=enrolled), *handed.notes)


def update(
    gallery: Annotated[str, WHERE],
    templates: Annotated[Path, PEOPLE],
    key: KeyOption,
    how: Updating,
    content: Templates,
    reading: Read,
    outputs: Said,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Add templates of enrolled people, or replace theirs; if one fails, none is changed.

    Example: bertillon gallery update door.gallery again.npz --replace --key door.key
    """
    with _handed(gallery, key, templates, content, reading, owned=True) as (door, handed):
        updated = door.update_all(handed.table, model=content.model, replace=how.replace)
        out.print_lines(say("gallery.done.updated", n=updated), *handed.notes)


def erase(
    gallery: Annotated[str, WHERE],
    people: Annotated[tuple[str, ...], argument("PERSON", "Name of a person to erase.")],
    key: KeyOption,
    outputs: Said,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Erase people: their templates are removed, and the log keeps a record of the erasure.

    Example: bertillon gallery erase door.gallery ann --key door.key
    """
    with _opened(gallery, key) as door:
        for person in people:
            out.print_lines(say("gallery.done.erased", person=person, n=door.erase(person)))


def claim(
    gallery: Annotated[str, WHERE],
    probes: Annotated[Path, PROBES],
    key: KeyOption,
    claiming: Claiming,
    content: Templates,
    reading: Read,
    outputs: Shown,
) -> None:
    """Verify claims: is each probe the person it claims to be?

    Example: bertillon gallery claim door.gallery probes.npz --person ann --key door.key
    """
    outputs.require_report()
    with _handed(gallery, key, probes, content, reading, owned=claiming.person is None) as (door, handed):
        table = handed.table
        answers = [
            door.claim(claiming.person or subject, template, name=name, model=_model(table, content))
            for subject, template, name in zip(table.subject.tolist(), table.templates, _names(table), strict=True)
        ]
        _deliver(door, answers, "verification", outputs, handed.notes)


def identify(
    gallery: Annotated[str, WHERE],
    probes: Annotated[Path, PROBES],
    key: KeyOption,
    searching: Identifying,
    content: Templates,
    reading: Read,
    outputs: Shown,
) -> None:
    """Identify each probe: who is it, if anyone enrolled?

    Example: bertillon gallery identify door.gallery probes.npz --key door.key
    """
    outputs.require_report()
    with _handed(gallery, key, probes, content, reading, index=searching.index) as (door, handed):
        how = _searching(door, handed.table, searching, content)
        answers = door.identify_all(handed.table.templates, closed=searching.closed, **how)
        _deliver(door, answers, "identification", outputs, handed.notes)


def watch(
    gallery: Annotated[str, WHERE],
    probes: Annotated[Path, argument("PROBES", "Templates, a folder of photos; - reads lines: a name, then numbers.")],
    key: KeyOption,
    watching: Watching,
    content: Templates,
    reading: Read,
    outputs: Shown,
) -> None:
    """Watch for people on a list: a white list lets them in, a black list raises an alarm.

    With -, each line of standard input is answered at once with a line of JSON. A line that cannot be answered gives
    an error, the next lines are still answered, and the exit status is 1.

    Example: bertillon gallery watch door.gallery passers.npz --list alarm --key door.key
    """
    outputs.require_report()
    if str(probes) == "-":
        if watching.index:
            raise InputError("--index: what it loses is measured on the probes of a file; leave it out with -")
        with _opened(gallery, key) as door:
            _watch_lines(door, watching, content.model)
        return
    with _handed(gallery, key, probes, content, reading, index=watching.index) as (door, handed):
        how = _searching(door, handed.table, watching, content)
        answers = door.watch_all(handed.table.templates, list=watching.list, **how)
        _deliver(door, answers, "identification", outputs, handed.notes)


def export(
    gallery: Annotated[str, WHERE],
    key: KeyOption,
    target: options.Target,
    outputs: Said,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Export all templates unencrypted, as a NumPy archive; the export is logged.

    Example: bertillon gallery export door.gallery -o people.npz --key door.key
    """
    import numpy as np

    with _opened(gallery, key) as door:
        table, model = door.export(), door.records.settings.model
        arrays: dict[str, Any] = {"embeddings": table.templates, "subject": table.subject, "sample": table.sample}
        arrays |= {"model": np.full(len(table), model)} if model else {}
        write_whole(target.output, partial(np.savez, **arrays), private=True)
        out.print_lines(say("gallery.done.exported", file=str(target.output), n=len(table)))


def check(gallery: Annotated[str, WHERE], key: KeyOption, outputs: Shown) -> None:
    """Check all templates of a gallery against its log; exit with status 1 if anything is wrong.

    Example: bertillon gallery check door.gallery --key door.key
    """
    outputs.require_report()
    found = galleries.check_gallery(gallery, key_of(key))
    out.deliver(outputs, found)
    if found.problems:
        raise CheckFailed(f"{gallery}: {len(found.problems)} problems; restore it from a copy")


def audit(gallery: Annotated[str, WHERE], key: KeyOption, outputs: Shown) -> None:
    """Verify the log, and report decisions by day, near misses and drift of scores.

    Example: bertillon gallery audit door.gallery --key door.key
    """
    outputs.require_report()
    with _opened(gallery, key) as door:
        out.deliver(outputs, door.audit())


def rotate_key(
    gallery: Annotated[str, WHERE],
    key: KeyOption,
    new: NewKey,
    outputs: Said,  # noqa: ARG001 - the terminal speaks it
) -> None:
    """Encrypt everything again with a new key.

    Example: bertillon gallery rotate-key door.gallery --key door.key --new-key next.key
    """
    fresh, drawn = _key_or_new(new.new_key)
    with _opened(gallery, key) as door:
        door.rotate_key(fresh)
    out.print_lines(say("gallery.done.rotated", id=fresh.id))
    if drawn:
        out.print_lines(say("gallery.done.key", file=str(new.new_key)))


def list(gallery: Annotated[str, WHERE], key: KeyOption, outputs: Shown) -> None:
    """List who is enrolled, and the policies in use.

    Example: bertillon gallery list door.gallery --key door.key
    """
    outputs.require_report()
    with _opened(gallery, key) as door:
        out.deliver(outputs, galleries.Enrolled(door.name, door.people(), door.policies))


def _opened(gallery: str, key: KeyOption, index: str | None = None) -> galleries.Gallery:
    known = key_of(key)
    with Bar() as bar:
        return galleries.Gallery.open(gallery, key=known, progress=bar, index=index)


@contextmanager
def _handed(
    gallery: str,
    key: KeyOption,
    file: Path,
    content: Templates,
    reading: options.ReadingOptions,
    *,
    owned: bool = False,
    index: str | None = None,
) -> Iterator[tuple[galleries.Gallery, Handed]]:
    """The gallery, and the templates in a file or of photos."""
    with _opened(gallery, key, index) as door:
        yield door, handed_by(file, door.records.settings.model, content.content, reading, owned=owned)


def _searching(door: galleries.Gallery, table: Any, how: Searching, content: Templates) -> dict[str, Any]:
    """Names, number of candidates and model of a search; what an index loses is measured first."""
    if how.index:
        door.measure_index(table.templates)
    return {"names": _names(table), "best": how.best, "model": _model(table, content)}


def _key_or_new(path: Path | None) -> tuple[galleries.Key, bool]:
    """The key of a file, and whether it was created now."""
    if path is None or path.exists():
        return galleries.Key.read(path), False
    drawn = galleries.Key.draw()
    drawn.write(path)
    return drawn, True


def _model(table: Any, content: Templates) -> str:
    stated: str = content.model if content.model is not None else galleries.model_of(table)
    return stated


def _names(table: Any) -> Sequence[str]:
    """What probes are called: by subject, and by sample where a subject has several."""
    subjects = table.subject.tolist()
    if len(set(subjects)) == len(subjects):
        return [str(subject) for subject in subjects]
    return [f"{subject} {sample}" for subject, sample in zip(subjects, table.sample.tolist(), strict=True)]


def _deliver(
    door: galleries.Gallery,
    answers: Sequence[Any],
    mode: str,
    outputs: options.OutputOptions,
    notes: Sequence[Message] = (),
) -> None:
    found = galleries.Answers(door.name, len(door), tuple(answers), door.policies[mode])
    out.deliver(outputs, found, more=lambda: notes)


def _say_policies(policies: dict[str, Any]) -> None:
    for mode, ready in policies.items():
        out.print_lines(say("gallery.done.policy", mode=say(f"gallery.mode.{mode}"), id=ready.id))


def _watch_lines(door: galleries.Gallery, watching: Watching, model: str | None) -> None:
    """Answer each line of standard input at once: a name, then numbers, apart by commas or tabs."""
    failed = 0
    for number, line in enumerate(sys.stdin, start=1):
        if not line.strip():
            continue
        name, *values = line.rstrip("\n").replace("\t", ",").split(",")
        said = {"probe": name.strip() or f"line {number}"}
        try:
            template = _vector(values, f"line {number} of standard input: {line.strip()[:40]!r}")
            answer = door.watch(template, list=watching.list, name=said["probe"], best=watching.best, model=model)
            said = answer.to_dict()
        except (galleries.Tampered, galleries.Unavailable):
            raise
        except InputError as error:
            if "identification" not in door.policies:
                raise
            failed += 1
            said |= {"kind": "watch", "error": str(error)}
        print(json.dumps(evaluating.plain(said), allow_nan=False), flush=True)
    if failed:
        raise CheckFailed(f"lines of standard input that were not answered: {failed:,}; see their errors")


def _vector(values: Sequence[str], where: str) -> Sequence[float]:
    try:
        return [float(value) for value in values]
    except ValueError:
        raise InputError(f"{where} is not a name and numbers; expected such as: camera 1,0.12,0.34,...") from None
