"""Several classes, each calibrated against all others.

Conventions: every class has a calibrator of its own, fitted to its own column and to whether the sample is of that
class; what they say is divided by its sum, so that a sample's probabilities add up to 1. Where all of them say 0 the
classes share equally: nothing is known of such a sample. Decisions may change, unlike with a temperature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.analysis.calibrators.base import Calibrator, checked
from bertillon.analysis.calibrators.isotonic import Isotonic
from bertillon.analysis.calibrators.sigmoids import Beta, Platt
from bertillon.core.errors import InputError
from bertillon.core.spelling import unknown

FloatArray = NDArray[np.float64]

KINDS: dict[str, type[Calibrator]] = {kind.name: kind for kind in (Platt, Isotonic, Beta)}


@dataclass(slots=True)
class OneVersusRest(Calibrator):
    """A calibrator a class, and their answers made to add up to 1.

    >>> x = [[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.5, 0.2, 0.3], [0.1, 0.4, 0.5], [0.3, 0.4, 0.3], [0.2, 0.1, 0.7]]
    >>> fitted = OneVersusRest("platt").fit(x, [0, 1, 0, 2, 1, 2])
    >>> fitted.calibrate(x).sum(axis=1).round(12).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """

    kind: str
    parts: Sequence[Calibrator] = field(default_factory=tuple)
    name: ClassVar[str] = "one-vs-rest"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(unknown("calibrator of one class against the rest", self.kind, KINDS))

    def fit(self, x: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        columns, codes = checked(x, ndim=(2,)), np.asarray(y)
        if codes.shape != columns.shape[:1] or not np.isin(codes, np.arange(columns.shape[1])).all():
            raise InputError(f"{codes.size:,} labels for {columns.shape[0]:,} rows of scores; expected the true column")
        self.parts = tuple(self._part(columns, codes, code, sample_weight) for code in range(columns.shape[1]))
        return self

    def _part(self, columns: FloatArray, codes: NDArray[Any], code: int, weight: ArrayLike | None) -> Calibrator:
        own = codes == code
        if not own.any() or own.all():
            raise InputError(
                f"column {code + 1} is the true class of {int(own.sum()):,} of {own.size:,} samples; a calibrator "
                "learns from samples of every class and of others"
            )
        return KINDS[self.kind]().fit(columns[:, code], own, weight)

    def calibrate(self, x: ArrayLike) -> FloatArray:
        self.require_fitted()
        columns = checked(x, ndim=(2,))
        if columns.shape[1] != len(self.parts):
            raise InputError(f"{columns.shape[1]} columns for a calibrator of {len(self.parts)} classes")
        calibrated = np.column_stack([part.calibrate(columns[:, code]) for code, part in enumerate(self.parts)])
        total = calibrated.sum(axis=1, keepdims=True)
        return np.where(total > 0, calibrated / np.where(total > 0, total, 1.0), 1.0 / len(self.parts))

    @property
    def parameters(self) -> dict[str, Any]:
        return {"kind": self.kind, "parts": [part.parameters for part in self.parts]}

    def require_fitted(self) -> None:
        if not self.parts:
            raise InputError(f"{self.kind} one against the rest has not been fitted; call fit(columns, labels) first")
        for part in self.parts:
            part.require_fitted()

    @classmethod
    def restored(cls, parameters: Mapping[str, Any]) -> Self:
        kind, parts = parameters.get("kind"), parameters.get("parts")
        if kind not in KINDS or not isinstance(parts, list) or len(parts) < 2:
            raise InputError(
                "the stored calibrator lacks its kind and a part for each class; expected what to_json wrote"
            )
        if not all(isinstance(part, dict) for part in parts):
            raise InputError("a part of the stored calibrator is no object; expected what to_json wrote")
        return cls(kind, tuple(KINDS[kind].restored(part) for part in parts))
