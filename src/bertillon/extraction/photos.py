"""Photos from folders and lists, opened as what they are: files that somebody else made.

Conventions: a folder has one sub-folder per person, or files whose names or labels say whose they are, as a folder of
templates has (see `io.templates`). A list is a table with a column for the file (path, file, image ...), relative to
the folder of the list, one for the subject, and any others. A sample is called as its file.

A photo is read in one go, from a regular file only, up to MAX_BYTES; its size in pixels is checked before it is
unpacked (a few bytes can say 60,000 x 60,000). Only common formats are tried. It is turned as its EXIF orientation
says, made RGB of 8 bits, then resized where that is asked for. What is wrong with one photo raises `Unusable` with a
reason of REASONS, and the others go on.

Holds `PhotoList`, `list_photos`, `read_photo`, `decode_photo`, `parse_size`, `Unusable` and `REASONS`.
"""

from __future__ import annotations

import io
import os
import re
import stat
import warnings
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertillon.core import InputError, Message, say
from bertillon.io.convert import as_array
from bertillon.io.registry import TemplateRequest
from bertillon.io.templates import owners, reading

Photo = NDArray[np.uint8]  # rows x columns x red, green, blue
MAX_BYTES = 100_000_000  # of a file
MAX_PIXELS = 64_000_000
MAX_SIDE = 8192  # of what a photo is resized to
FORMATS = ("JPEG", "PNG", "PPM", "BMP", "GIF", "TIFF", "WEBP")
READABLE = ("missing", "no_permission", "folder", "special", "unreadable", "empty", "too_many_bytes")
REASONS = (
    *READABLE,  # of the file; the others are of what it holds
    *("not_picture", "too_large", "damaged"),
    *("no_face", "no_template", "wrong_template", "model_failed", "crashed"),
)
_FILE_COLUMNS = ("path", "file", "filename", "image", "photo")


class Unusable(Exception):
    """A photo that gives no template: a reason, and what was found."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True)
class PhotoList:
    """Files with their owners, and what else is known of each."""

    source: str
    paths: tuple[Path, ...]
    subject: NDArray[np.str_]
    sample: NDArray[np.str_]
    metadata: dict[str, Any] = field(default_factory=dict)
    note: Message | None = None

    def __len__(self) -> int:
        return len(self.paths)


def list_photos(
    source: str | os.PathLike[str], *, labels: owners.LabelSource | None = None, subject_pattern: str | None = None
) -> PhotoList:
    """The photos of a folder or a table, with their owners; nothing of them is read yet."""
    path = Path(source)
    if not os.path.isdir(path):
        if labels is not None or subject_pattern is not None:
            raise InputError(
                f"{path}: --labels and --subject-pattern go with a folder; a list names its subjects itself"
            )
        return _from_table(path)
    beside = None if labels is None else owners.read_labels(labels, {})
    request = TemplateRequest(beside, {}, None, owners.compiled(subject_pattern))
    files = reading.folder_files(path, beside)
    people, extra = reading.file_owners(path, files, request)
    names = [file.relative_to(path).as_posix() for file in files]
    subject = as_array(people.subject, str(path))
    return PhotoList(str(path), tuple(files), subject, as_array(names, str(path)), extra, people.note)


def _from_table(path: Path) -> PhotoList:
    """A table of photos; `sample` is what each is called where the table has such a column, else its path."""
    listed = owners.read_labels(path, {})
    column = next((name for name in listed.metadata if name.lower() in _FILE_COLUMNS), None)
    if column is None and listed.sample is None:
        raise InputError(
            f"{path}: has no column that names the photos; expected one called path beside the subject. A folder of "
            "photos has one sub-folder per person"
        )
    metadata = {name: values for name, values in listed.metadata.items() if name != column}
    files = listed.sample if column is None else np.array([str(name) for name in listed.metadata[column]])
    assert files is not None  # one of the two is there
    sample = files if listed.sample is None else listed.sample
    for what, names in (("photos", files), ("samples", sample)):
        if len(set(names.tolist())) < len(names):
            raise InputError(f"{path}: names one of its {what} twice; expected one line for each photo")
    note = say("extraction.listed", source=str(path))
    return PhotoList(str(path), tuple(path.parent / name for name in files), listed.subject, sample, metadata, note)


def parse_size(text: str | tuple[int, int] | None) -> tuple[int, int] | None:
    """Width and height from a text such as 276x336.

    >>> parse_size("276x336"), parse_size(None)
    ((276, 336), None)
    """
    if text is None:
        return None
    shown = "x".join(map(str, text)) if isinstance(text, tuple) else text
    match = re.fullmatch(r"(\d{1,5})[xX×](\d{1,5})", shown)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(1 <= side <= MAX_SIDE for side in size):
        raise InputError(f"size {shown!r}: expected WIDTHxHEIGHT in pixels, each from 1 to {MAX_SIDE}, such as 276x336")
    return size


def read_photo(path: str | os.PathLike[str], *, resize: tuple[int, int] | None = None) -> Photo:
    """The photo in a file, or `Unusable`."""
    return decode_photo(_content(path), resize=resize)


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except FileNotFoundError:
        raise Unusable("missing") from None
    except PermissionError:
        raise Unusable("no_permission") from None
    except (OSError, ValueError) as error:  # a socket, a loop of links, a NUL in the name
        raise Unusable("unreadable", str(getattr(error, "strerror", None) or error)) from None
    known = os.fstat(handle)
    if not stat.S_ISREG(known.st_mode):
        os.close(handle)
        raise Unusable("folder" if stat.S_ISDIR(known.st_mode) else "special")
    with os.fdopen(handle, "rb") as file:
        if known.st_size > MAX_BYTES:
            raise Unusable("too_many_bytes", f"{known.st_size:,} > {MAX_BYTES:,}")
        try:
            content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise Unusable("unreadable", error.strerror or str(error)) from None
    if not content:
        raise Unusable("empty")
    return content


def decode_photo(content: bytes, *, resize: tuple[int, int] | None = None, max_pixels: int = MAX_PIXELS) -> Photo:
    """The photo in the bytes of a file, or `Unusable`."""
    pillow, _ = pillow_modules()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of odd metadata
        warnings.simplefilter("error", pillow.DecompressionBombWarning)
        made = _decoded(content, max_pixels)
    if resize is not None:
        made = made.resize(resize, pillow.Resampling.BICUBIC)
    return np.asarray(made, dtype=np.uint8)


def _decoded(content: bytes, max_pixels: int) -> Any:
    pillow, ops = pillow_modules()
    try:
        picture = pillow.open(io.BytesIO(content), formats=FORMATS)
    except (pillow.DecompressionBombError, pillow.DecompressionBombWarning) as error:
        raise Unusable("too_large", str(error)) from None
    except Exception:  # a damaged header makes pillow raise almost anything
        raise Unusable("not_picture") from None
    width, height = picture.size
    if width * height > max_pixels:
        raise Unusable("too_large", f"{width} x {height} > {max_pixels:,}")
    try:
        return _eight_bits(ops.exif_transpose(picture), pillow).convert("RGB")
    except Exception as error:
        raise Unusable("damaged", str(error)) from None


def _eight_bits(picture: Any, pillow: Any) -> Any:
    """A picture of 16 bits a pixel scaled to 8: pillow would cut off what is above 255."""
    if not picture.mode.startswith("I"):
        return picture
    grey = np.asarray(picture, dtype=np.int64)
    return pillow.fromarray((grey >> 8 if grey.max(initial=0) > 255 else grey).clip(0, 255).astype(np.uint8))


def pillow_modules() -> tuple[Any, Any]:
    """Pillow's Image and ImageOps, which come with the extra."""
    try:
        return import_module("PIL.Image"), import_module("PIL.ImageOps")
    except ImportError:
        raise InputError("reading photos needs pillow; install it with: pip install 'bertillon[face]'") from None
