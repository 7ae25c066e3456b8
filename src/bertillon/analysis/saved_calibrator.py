"""A calibrator as a file: what it learnt, from which data, and for which classes.

Conventions: the file is strict JSON: the calibrator's own numbers to the last digit, the classes it is for, what
it reads (score, probability or logit), and the name and fingerprint of the data. A file that holds a calibrator alone,
as its `to_json` writes it, is read too; nothing can then be checked.

Holds `SavedCalibrator` and `saved`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bertillon._version import __version__
from bertillon.analysis.calibration import calibrated, fit_calibrator, what_is_read
from bertillon.analysis.calibrators import Calibrator, OneVersusRest, from_json
from bertillon.core.errors import InputError
from bertillon.counting.classes.confusion import Label
from bertillon.trials.predictions import Predictions

READS = ("score", "probability", "logit")


@dataclass(frozen=True, slots=True)
class SavedCalibrator:
    """A fitted calibrator and where it comes from."""

    calibrator: Calibrator
    classes: tuple[Label, ...] = ()
    positive: Label | None = None
    reads: str | None = None
    fitted_on: str = ""
    samples: int = 0
    data: str = ""  # fingerprint of what it was fitted on

    @property
    def kind(self) -> str:
        """platt, isotonic, temperature or beta."""
        return self.calibrator.kind if isinstance(self.calibrator, OneVersusRest) else self.calibrator.name

    def apply(self, predictions: Predictions) -> Predictions:
        """The predictions with calibrated probabilities."""
        return calibrated(predictions, self._in_order_of(predictions), reads=self.reads)

    def to_json(self) -> str:
        """Strict JSON that `from_json` reads back."""
        about = {
            "bertillon": __version__,
            "classes": list(self.classes),
            "positive": self.positive,
            "reads": self.reads,
            "fitted_on": self.fitted_on,
            "samples": self.samples,
            "data": self.data,
        }
        whole = json.loads(self.calibrator.to_json()) | about
        return json.dumps(whole, indent=2, allow_nan=False, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> SavedCalibrator:
        """The calibrator a file describes; anything but what was written raises `InputError`."""
        calibrator = from_json(text)
        content: Mapping[str, Any] = json.loads(text)
        classes, reads = content.get("classes", []), content.get("reads")
        if not isinstance(classes, list) or not all(isinstance(label, str | int) for label in classes):
            raise InputError("the stored classes are no list of text or whole numbers; expected what was written")
        if reads not in (None, *READS):
            raise InputError(f"the stored calibrator reads {reads!r}; expected one of {', '.join(READS)}")
        return cls(
            calibrator,
            tuple(classes),
            content.get("positive"),
            reads,
            str(content.get("fitted_on", "")),
            content["samples"] if isinstance(content.get("samples"), int) else 0,
            str(content.get("data", "")),
        )

    def _in_order_of(self, predictions: Predictions) -> Calibrator:
        """The calibrator with its parts in the order of these classes, which must be its own."""
        if not self.classes:
            return self.calibrator
        if set(self.classes) != set(predictions.classes) or self.positive != predictions.positive:
            raise InputError(
                f"the calibrator was fitted for {_named(self.classes, self.positive)}, and these predictions have "
                f"{_named(predictions.classes, predictions.positive)}; fit it to data like these"
            )
        if not isinstance(self.calibrator, OneVersusRest):
            return self.calibrator
        parts = [self.calibrator.parts[self.classes.index(label)] for label in predictions.classes]
        return OneVersusRest(self.calibrator.kind, parts)


def saved(kind: str, predictions: Predictions, *, data: str) -> SavedCalibrator:
    """A calibrator fitted on predictions, with what a file says of it; `data` is their fingerprint."""
    return SavedCalibrator(
        fit_calibrator(kind, predictions),
        predictions.classes,
        predictions.positive,
        what_is_read(kind, predictions),
        predictions.name,
        predictions.size,
        data,
    )


def _named(classes: tuple[Label, ...], positive: Label | None) -> str:
    shown = ", ".join(repr(label) for label in classes[:5]) + (" ..." if len(classes) > 5 else "")
    return f"the classes {shown}" + (f" with {positive!r} as the positive one" if positive is not None else "")
