"""Maps from what a classifier says to probabilities that can be trusted, fitted on one set and used on others.

    platt        1 / (1 + exp(-(a s + b))): two numbers; scores that are off by a sigmoid (SVM, naive Bayes)
    isotonic     any rising function, in steps joined by lines: many numbers; needs many samples
    temperature  logits divided by T: one number; networks, any number of classes, never changes a decision
    beta         1 / (1 + exp(-(a ln p - b ln(1 - p) + c))): three numbers; probabilities that are off at both ends

Conventions: `fit(x, y)` learns and returns itself; y is 1 or True for positives (temperature: the place of the true
class). `calibrate(x)` gives the probability of the positive class, `predict_proba(x)` a column for each class.
Platt, isotonic and beta know two classes; `OneVersusRest` makes one of them a calibrator of several. `to_json` and
`from_json` keep every digit; nothing is pickled.

Holds `Platt`, `Isotonic`, `Temperature`, `Beta`, `OneVersusRest`, `CALIBRATORS`, `Calibrator` and `from_json`.
"""

from __future__ import annotations

import json
from typing import Any

from bertillon.analysis.calibrators.base import Calibrator
from bertillon.analysis.calibrators.isotonic import Isotonic
from bertillon.analysis.calibrators.one_vs_rest import OneVersusRest
from bertillon.analysis.calibrators.sigmoids import Beta, Platt
from bertillon.analysis.calibrators.temperature import Temperature
from bertillon.core.errors import InputError
from bertillon.core.spelling import unknown

CALIBRATORS: dict[str, type[Calibrator]] = {kind.name: kind for kind in (Platt, Isotonic, Temperature, Beta)}

__all__ = ["CALIBRATORS", "Beta", "Calibrator", "Isotonic", "OneVersusRest", "Platt", "Temperature", "from_json"]


def from_json(text: str) -> Calibrator:
    """The calibrator a JSON text describes.

    >>> from_json('{"calibrator": "platt", "a": 2.0, "b": -1.0}').calibrate([0.5]).tolist()
    [0.5]
    """
    try:
        content: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"the calibrator is not JSON ({error}); expected what to_json wrote") from error
    if not isinstance(content, dict) or "calibrator" not in content:
        raise InputError("the JSON holds no calibrator; expected what to_json wrote")
    name = str(content.pop("calibrator"))
    known: dict[str, type[Calibrator]] = {**CALIBRATORS, OneVersusRest.name: OneVersusRest}
    if name not in known:
        raise InputError(unknown("calibrator", name, known))
    return known[name].restored(content)
