"""Networks that make a template of a photo, each known by a fingerprint.

Conventions: a model takes a photo (rows x columns x RGB, 8 bits) and gives an `Extract`, or raises `Unusable`. Its
fingerprint is a line that says all its templates depend on: name and version, a hash of its weights or of its file, and
its settings. Templates of different fingerprints are never compared, and `face_model` makes the model of a fingerprint
again. `dlib` is the model of the extra `face`: frontal detector, 5 landmarks, 128 numbers. Any other is a function,
named `package.module:function` or given as it is, that takes a photo and returns a vector, or None where it finds no
face; an attribute `fingerprint` of it names weights that are not in its file.

Of dlib's templates the quality is the score of the detector; where a photo shows several faces, that with the highest
score is taken. Sharpness is the variance of the Laplacian of the face's grey levels at 150 x 150 pixels, of a function
that of the photo; the size of a face is the square root of its area in pixels.

Holds `FaceModel` and `Extract`, `DlibModel`, `FunctionModel` and `face_model`.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bertillon.core import InputError
from bertillon.core.errors import unknown
from bertillon.extraction.photos import Photo, Unusable, parse_size

INSTALL = "install it with: pip install 'bertillon[face]'"
LANDMARKS = "shape_predictor_5_face_landmarks.dat"
NETWORK = "dlib_face_recognition_resnet_model_v1.dat"
DETECTOR_THRESHOLD = -0.5  # below 0 faces that are found less surely are taken too
HASHED = 16  # hexadecimal digits
PhotoFunction = Callable[[Photo], Any]


@dataclass(frozen=True, slots=True)
class Extract:
    """A template with what is known of the face; NaN where nothing is."""

    vector: NDArray[np.floating[Any]]
    quality: float = math.nan
    sharpness: float = math.nan
    face_size: float = math.nan
    faces: int = 1


class FaceModel(Protocol):
    """What makes templates of photos."""

    @property
    def fingerprint(self) -> str:
        """What its templates depend on, in a line."""

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height that photos are resized to; None leaves them as they are."""

    def extract(self, photo: Photo) -> Extract:
        """The template of the best face, or `Unusable`."""


@dataclass(frozen=True)
class DlibModel:
    """dlib's ResNet of 128 numbers on the best face of the frontal detector, aligned by 5 landmarks."""

    size: tuple[int, int] | None = None

    @cached_property
    def fingerprint(self) -> str:
        """The version, a hash of both files of weights, and the settings."""
        dlib, folder = _dlib(), _weights_folder()
        weights = _file_hash(folder / LANDMARKS, folder / NETWORK)
        return f"dlib version={dlib.__version__} weights={weights} threshold={DETECTOR_THRESHOLD}{_sized(self.size)}"

    def extract(self, photo: Photo) -> Extract:
        """The template of the face with the highest score."""
        detector, landmarks, network = self._networks
        boxes, scores, _ = detector.run(photo, 0, DETECTOR_THRESHOLD)
        if not boxes:
            raise Unusable("no_face")
        best = int(np.argmax(scores))
        chip = _dlib().get_face_chip(photo, landmarks(photo, boxes[best]), size=150)
        vector = np.array(network.compute_face_descriptor(chip), dtype=np.float32)
        size = math.sqrt(boxes[best].area())
        return Extract(vector, float(scores[best]), sharpness_of(chip), size, len(boxes))

    @cached_property
    def _networks(self) -> tuple[Any, Any, Any]:
        dlib, folder = _dlib(), _weights_folder()
        network = dlib.face_recognition_model_v1(str(folder / NETWORK))
        return dlib.get_frontal_face_detector(), dlib.shape_predictor(str(folder / LANDMARKS)), network


@dataclass(frozen=True)
class FunctionModel:
    """A function of a photo, under the name it is imported by; no name for one that only this process has."""

    function: PhotoFunction = field(repr=False)
    name: str = ""
    size: tuple[int, int] | None = None

    @cached_property
    def fingerprint(self) -> str:
        """Its name, a hash of its file, the version of its package, and what it says of its weights."""
        parts = [self.name or f"function:{getattr(self.function, '__qualname__', type(self.function).__name__)}"]
        with_file = self.function if inspect.isfunction(self.function) else type(self.function)
        try:
            parts.append(f"file={_file_hash(Path(inspect.getfile(with_file)))}")
        except (TypeError, OSError):  # typed into a shell
            parts.append("file=none")
        package = sys.modules.get(str(getattr(with_file, "__module__", "")).partition(".")[0])
        parts += [f"version={version}"] if isinstance(version := getattr(package, "__version__", None), str) else []
        stated = getattr(self.function, "fingerprint", None)
        parts += [f"weights={stated}"] if isinstance(stated, str) else []
        return " ".join(_one_word(part) for part in parts) + _sized(self.size)

    def extract(self, photo: Photo) -> Extract:
        """What the function returns, checked."""
        try:
            found = self.function(photo)
        except Unusable:
            raise
        except Exception as error:
            raise Unusable("model_failed", f"{type(error).__name__}: {error}") from error
        if found is None:
            raise Unusable("no_template")
        vector = np.asarray(found)
        if vector.dtype.kind not in "iuf" or vector.ndim != 1 or not vector.size or not np.isfinite(vector).all():
            raise Unusable("wrong_template", f"{vector.dtype} {vector.shape}")
        kept = np.float32 if vector.dtype in (np.float32, np.float16) else np.float64
        return Extract(vector.astype(kept), sharpness=sharpness_of(photo))


def face_model(
    name: str | PhotoFunction | FaceModel = "dlib", *, resize: str | tuple[int, int] | None = None
) -> FaceModel:
    """A network that makes templates of photos.

    Parameters
    ----------
    name
        "dlib", or a function as "package.module:function" or as it is, or the fingerprint of a model: that model again.
    resize
        Width and height that photos are resized to first, such as "276x336".

    Returns
    -------
    FaceModel
        Has a `fingerprint`, and `extract(photo)`, which gives a template with its quality.

    Examples
    --------
    >>> import numpy as np
    >>> def brightness(photo):
    ...     return photo.mean(axis=(0, 1))
    >>> model = face_model(brightness, resize="8x8")
    >>> model.extract(np.full((8, 8, 3), 7, np.uint8)).vector.tolist(), model.size
    ([7.0, 7.0, 7.0], (8, 8))
    """
    size = parse_size(resize)
    if not isinstance(name, str):
        if hasattr(name, "extract") and hasattr(name, "fingerprint"):
            return _with_size(name, size)
        return FunctionModel(name, size=size)
    first, *settings = name.split()
    if not settings:
        return _named(first, size)
    sized = next((part.partition("=")[2] for part in settings if part.startswith("resize=")), None)
    model = _named(first, parse_size(sized))
    if model.fingerprint != name:
        raise InputError(
            f"model {name!r} is not what is installed here, {model.fingerprint!r}: other weights, another version or "
            "other settings; install that, or extract all templates again"
        )
    return _with_size(model, size)


def _with_size(model: Any, size: tuple[int, int] | None) -> FaceModel:
    """The model, whose size is part of it and cannot be another one."""
    if size not in (None, model.size):
        own = "no size" if model.size is None else "x".join(map(str, model.size))
        raise InputError(f"model {model.fingerprint!r} resizes photos to {own}; leave the size out, or name the model")
    kept: FaceModel = model
    return kept


def _named(name: str, size: tuple[int, int] | None) -> FaceModel:
    if name == "dlib":
        return DlibModel(size)
    module, separator, function = name.partition(":")
    if not separator or not module or not function:
        raise InputError(unknown("model", name, ["dlib", "package.module:function"]))
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise InputError(f"model {name!r} cannot be loaded ({error}); expected package.module:function") from error
    if not callable(found):
        raise InputError(f"model {name!r} is {type(found).__name__}, not a function of a photo")
    return FunctionModel(found, name, size)


def sharpness_of(photo: Photo) -> float:
    """The variance of the Laplacian of the grey levels.

    >>> sharpness_of(np.zeros((5, 5, 3), np.uint8))
    0.0
    """
    if min(photo.shape[:2]) < 3:
        return math.nan
    grey = photo.astype(np.float32) @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
    middle = grey[1:-1, 1:-1]
    laplacian = grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:] - 4.0 * middle
    return float(laplacian.var())


def _dlib() -> Any:
    try:
        return import_module("dlib")
    except ImportError:
        raise InputError(f"the model dlib needs dlib; {INSTALL}") from None


def _weights_folder() -> Path:
    """Where the package with the weights lies; it is not imported, since that needs more than is installed."""
    spec = find_spec("face_recognition_models")
    for place in spec.submodule_search_locations or () if spec else ():
        if (Path(place) / "models" / NETWORK).is_file():
            return Path(place) / "models"
    raise InputError(f"the model dlib needs the weights of face-recognition-models; {INSTALL}")


def _file_hash(*paths: Path) -> str:
    return _hash_of(tuple((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in paths))


@cache
def _hash_of(files: Sequence[tuple[str, int, int]]) -> str:
    digest = hashlib.sha256()
    for path, _, size in files:
        digest.update(f"{size};".encode())
        digest.update(Path(os.fspath(path)).read_bytes())
    return digest.hexdigest()[:HASHED]


def _sized(size: tuple[int, int] | None) -> str:
    return "" if size is None else f" resize={size[0]}x{size[1]}"


def _one_word(text: str) -> str:
    return "_".join(text.split())
