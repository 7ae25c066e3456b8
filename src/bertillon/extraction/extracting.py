"""The templates of many photos, and which photos gave none.

Conventions: a photo that gives no template is a failure to acquire (FTA), whatever the reason; a person none of whose
photos gives one cannot enrol (FTE). Templates keep the order of the photos. With a checkpoint finished photos are kept
every few seconds; one of other photos (by path, size and time) or of another model is refused.

The file of templates is an .npz archive: `embeddings` with `subject`, `sample`, `quality` and other columns, the
fingerprint of the `model`, and `failed_sample`, `failed_subject` and `failed_reason` of the photos without a template.

Holds `extract`, `Extraction` and `FailedPhoto`.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertillon._version import __version__
from bertillon.core import Finding, InputError, Message, TemplateTable, write_whole
from bertillon.engine.jobs import Checkpoint, Progress, run_job
from bertillon.extraction.models import Extract, FaceModel, PhotoFunction, face_model
from bertillon.extraction.photos import PhotoList, Unusable, list_photos, read_photo
from bertillon.extraction.workers import Workers
from bertillon.io.templates import make_templates, owners

if TYPE_CHECKING:
    import polars as pl

QUALITIES = ("quality", "sharpness", "face_size", "faces")
SHOWN = 5  # photos in an error
NAME = "extract"  # of the job and of its checkpoint


@dataclass(frozen=True, slots=True)
class FailedPhoto:
    """A photo without a template.

    Parameters
    ----------
    sample, subject
        The photo, and whose it is.
    reason
        Why there is none: a key of `REASONS`.
    detail
        What was found.
    """

    sample: str
    subject: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Extraction(Finding):
    """What came of photos: the templates, and the photos that gave none."""

    templates: TemplateTable
    failed: tuple[FailedPhoto, ...] = ()
    several: tuple[str, ...] = ()  # photos with more than one face
    warnings: tuple[Message, ...] = ()

    @property
    def name(self) -> str:
        return self.templates.source

    @property
    def model(self) -> str:
        """The fingerprint of the model."""
        return self.templates.model

    @property
    def photos(self) -> int:
        return len(self.templates) + len(self.failed)

    @property
    def fta(self) -> float:
        """Failure to acquire: the share of photos that gave no template."""
        return len(self.failed) / self.photos

    @cached_property
    def people(self) -> frozenset[str]:
        return frozenset([*self.templates.subject.tolist(), *(photo.subject for photo in self.failed)])

    @cached_property
    def unenrolled(self) -> tuple[str, ...]:
        """People none of whose photos gave a template."""
        return tuple(sorted(self.people - set(self.templates.subject.tolist())))

    @property
    def fte(self) -> float:
        """Failure to enrol: the share of people none of whose photos gave a template."""
        return len(self.unenrolled) / len(self.people)

    @property
    def reasons(self) -> dict[str, int]:
        """How many photos failed for each reason, the most frequent first."""
        return dict(Counter(photo.reason for photo in self.failed).most_common())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the templates, the model and the failures as an .npz archive, whole or not at all."""
        table, arrays = self.templates, dict[str, Any]()
        arrays |= {"embeddings": table.templates, "subject": table.subject, "sample": table.sample}
        if table.metadata is not None:
            for column in table.metadata.get_columns():
                values = column.to_numpy()
                arrays.setdefault(column.name, values.astype(np.str_) if values.dtype == object else values)
        arrays["model"] = np.array(table.model)
        for name in FailedPhoto.__slots__ if self.failed else ():
            arrays[f"failed_{name}"] = np.array([getattr(photo, name) for photo in self.failed], dtype=np.str_)

        def fill(file: IO[bytes]) -> None:
            np.savez(file, allow_pickle=False, **arrays)

        write_whole(path, fill)

    def to_frame(self) -> pl.DataFrame:
        """One row per photo: whose it is, why it gave no template, and its quality."""
        import polars as pl

        table = self.templates
        found = pl.DataFrame({"sample": table.sample, "subject": table.subject})
        if table.metadata is not None:
            found = found.hstack(table.metadata.select(set(QUALITIES) & set(table.metadata.columns)))
        lost = pl.DataFrame(
            [{"sample": each.sample, "subject": each.subject, "reason": each.reason} for each in self.failed],
            schema={"sample": pl.String, "subject": pl.String, "reason": pl.String},
        )
        return pl.concat([found, lost], how="diagonal")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "bertillon": __version__,
            "name": self.name,
            "model": self.model,
            "photos": self.photos,
            "templates": len(self.templates),
            "people": len(self.people),
            "FTA": self.fta,
            "FTE": self.fte,
            "reasons": self.reasons,
            "failed": [{name: getattr(each, name) for name in FailedPhoto.__slots__} for each in self.failed],
            "unenrolled": list(self.unenrolled),
            "several_faces": list(self.several),
        }


def extract(
    photos: str | os.PathLike[str] | PhotoList,
    model: str | PhotoFunction | FaceModel = "dlib",
    *,
    resize: str | tuple[int, int] | None = None,
    labels: owners.LabelSource | None = None,
    subject_pattern: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Extraction:
    """Make a template of every photo.

    A model that is named works in as many processes as there are cores; a function that is given as it is works here,
    on one photo after the other.

    Parameters
    ----------
    photos
        A folder with one sub-folder per person, or whose names or `labels` say whose each photo is, or a table with
        the columns path and subject.
    model
        "dlib", "package.module:function", a function of a photo, or a model of `face_model`.
    resize
        Width and height that photos are resized to first, such as "276x336".
    labels, subject_pattern
        Whose each photo is, as in `read_templates`.
    checkpoint
        A folder that keeps what is finished, from which an interrupted run goes on.
    progress
        Receives how much of the work is done.

    Returns
    -------
    Extraction
        The templates, and the photos that gave none with the reason of each.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for person, grey in (("anna", 10), ("bob", 200)):
    ...     (folder / person).mkdir()
    ...     _ = (folder / person / "1.pgm").write_bytes(b"P5 4 4 255 " + bytes([grey] * 16))
    >>> _ = (folder / "bob" / "2.pgm").write_bytes(b"P5 4 4")
    >>> found = extract(folder, lambda photo: photo.mean(axis=(0, 1)))
    >>> found.templates.subject.tolist(), found.reasons, round(found.fta, 2)
    (['anna', 'bob'], {'not_picture': 1}, 0.33)
    """
    listed = (
        photos if isinstance(photos, PhotoList) else list_photos(photos, labels=labels, subject_pattern=subject_pattern)
    )
    with ExitStack() as stack:
        if isinstance(model, str):
            made = face_model(model, resize=resize)  # refuses what is not installed before any process is started
            number = None if len(listed) > 1 else 1
            work = stack.enter_context(Workers(model, resize=made.size, number=number))
            job = _Job(listed, work.fingerprint, work.extract)
        else:
            here = face_model(model, resize=resize)
            job = _Job(listed, here.fingerprint, partial(_extract_here, here, threading.Lock()))
        kept = Checkpoint(checkpoint, NAME, job.identity) if checkpoint is not None else None
        found = run_job(job, NAME, progress=progress, checkpoint=kept)
    return found.extraction(listed, job.model, kept.warnings if kept else ())


def _extract_here(model: FaceModel, lock: threading.Lock, path: os.PathLike[str]) -> Extract:
    """In this process, one photo at a time: nothing says that the model may run on several threads."""
    with lock:
        return model.extract(read_photo(path, resize=model.size))


@dataclass(slots=True)
class _Found:
    """Templates and failures by the row of their photo."""

    extracts: dict[int, Extract] = field(default_factory=dict)
    failures: dict[int, tuple[str, str]] = field(default_factory=dict)

    def merge(self, other: _Found) -> None:
        self.extracts |= other.extracts
        self.failures |= other.failures

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        rows, lost = sorted(self.extracts), sorted(self.failures)
        arrays = {
            "rows": np.array(rows, dtype=np.int64),
            "lost": np.array(lost, dtype=np.int64),
            "reasons": np.array([self.failures[row] for row in lost], dtype=np.str_).reshape(-1, 2),
            "qualities": np.array(
                [[getattr(self.extracts[row], name) for name in QUALITIES] for row in rows], np.float64
            ),
            "lengths": np.array([self.extracts[row].vector.size for row in rows], dtype=np.int64),
        }
        vectors = [self.extracts[row].vector for row in rows]
        return arrays | {"numbers": np.concatenate(vectors) if vectors else np.empty(0, np.float32)}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> _Found:
        """What `to_arrays` gave."""
        vectors = np.split(arrays["numbers"], np.cumsum(arrays["lengths"])[:-1])
        qualities = arrays["qualities"].reshape(-1, len(QUALITIES)).tolist()
        extracts = {
            int(row): Extract(vector, numbers[0], numbers[1], numbers[2], int(numbers[3]))
            for row, vector, numbers in zip(arrays["rows"], vectors, qualities, strict=False)
        }
        reasons = zip(arrays["lost"].tolist(), arrays["reasons"].tolist(), strict=True)
        return cls(extracts, {row: (reason, detail) for row, (reason, detail) in reasons})

    def extraction(self, photos: PhotoList, model: str, warnings: tuple[Message, ...]) -> Extraction:
        """The templates as a table, and the failures with their names."""
        failed = tuple(
            FailedPhoto(str(photos.sample[row]), str(photos.subject[row]), *self.failures[row])
            for row in sorted(self.failures)
        )
        if not self.extracts:
            shown = "; ".join(f"{each.sample!r}: {each.reason} {each.detail}".rstrip() for each in failed[:SHOWN])
            raise InputError(f"{photos.source}: no photo gave a template, of {len(failed):,} ({shown})")
        self._require_one_length(photos)
        rows = np.array(sorted(self.extracts))
        found = [self.extracts[row] for row in rows.tolist()]
        numbers = {name: np.array([getattr(each, name) for each in found]) for name in QUALITIES}
        known = {name: column for name, column in numbers.items() if not np.isnan(column).all()}
        extra = {name: np.asarray(column)[rows] for name, column in photos.metadata.items() if name not in known}
        vectors = np.stack([each.vector for each in found])
        table = make_templates(
            vectors, photos.subject[rows], sample=photos.sample[rows], kind="vector", metadata=extra | known
        )
        notes = (photos.note,) if photos.note else ()
        made = replace(table, source=photos.source, format="photos", model=model, notes=notes)
        several = photos.sample[rows[numbers["faces"] > 1]].tolist()
        return Extraction(made, failed, tuple(several), warnings)

    def _require_one_length(self, photos: PhotoList) -> None:
        lengths = {each.vector.size: row for row, each in self.extracts.items()}
        if len(lengths) > 1:
            (one, first), (other, second), *_ = lengths.items()
            raise InputError(
                f"{photos.source}: the model gave {one} numbers for {str(photos.sample[first])!r} and {other} for "
                f"{str(photos.sample[second])!r}; a model gives equally many for every photo"
            )


@dataclass(frozen=True)
class _Job:
    """A piece is a photo."""

    photos: PhotoList
    model: str
    extract: Callable[[Any], Extract]

    @property
    def identity(self) -> dict[str, str]:
        digest = blake2b(digest_size=16)
        for path, sample, subject in zip(self.photos.paths, self.photos.sample, self.photos.subject, strict=True):
            digest.update(repr((str(sample), str(subject), _stamp(path))).encode())
        return {"version": __version__, "model": self.model, "list of photos": digest.hexdigest()}

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.ones(len(self.photos), dtype=np.int64)

    def begin(self) -> _Found:
        return _Found()

    def do(self, result: _Found, piece: int) -> None:
        try:
            result.extracts[piece] = self.extract(self.photos.paths[piece])
        except Unusable as error:
            result.failures[piece] = error.reason, error.detail

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> _Found:
        return _Found.of(arrays)


def _stamp(path: os.PathLike[str]) -> tuple[int, int]:
    """Size and time of a file; nothing where it cannot be looked at."""
    try:
        known = os.stat(path)
    except (OSError, ValueError):
        return -1, -1
    return known.st_size, known.st_mtime_ns
