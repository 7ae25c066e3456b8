"""The bands of an evaluation's curves: how sure each of them is, with the settings of its intervals.

Conventions: a curve is named as its figure is (see `BaseEvaluation.curves`): roc and det; cmc and watch-list;
precision-recall and reliability.

Holds `band_of` (one), `bands_of` (all there are), and `Bands` with `each_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from bertillon.core.errors import InputError
from bertillon.counting.curves.band import Band, Kind
from bertillon.evaluation.base import BaseEvaluation
from bertillon.stats.settings import Settings

Bands = Sequence[Mapping[str, Band]]  # of each system, by the names of their curves; nothing where none are wanted

_SCORES, _SEARCHES, _CLASSES = (f"bertillon.stats.bands.{kind}" for kind in ("scores", "searches", "classes"))
_ERRORS = {"roc": (_SCORES, "roc_band"), "det": (_SCORES, "det_band")}
_CURVES = {  # by mode: where the band of each curve is made
    "verification": _ERRORS,
    "identification": {"cmc": (_SEARCHES, "cmc_band"), "watch-list": (_SEARCHES, "watch_list_band")},
    "classification": _ERRORS
    | {"precision-recall": (_CLASSES, "pr_band"), "reliability": (_CLASSES, "reliability_band")},
}


def band_of(evaluation: BaseEvaluation, curve: str, *, kind: Kind = "pointwise") -> Band:
    """The band of one curve; what cannot be had is said."""
    mode = evaluation.kind
    known = _CURVES.get(mode, {})
    if curve not in known:
        raise InputError(f"curve {curve!r} of {mode} has no band; expected one of {', '.join(known)}")
    module, name = known[curve]
    make: Callable[..., Band] = getattr(import_module(module), name)
    return make(evaluation.resampled_trials, settings=evaluation.settings or Settings(), kind=kind)


def bands_of(evaluation: BaseEvaluation, *, kind: Kind = "pointwise") -> dict[str, Band]:
    """The bands of all curves that the trials of the evaluation have."""
    bands = {curve: band_of(evaluation, curve, kind=kind) for curve in evaluation.curves if curve != "roc"}
    return ({"roc": bands["det"].complement} if "det" in bands else {}) | bands


def each_of(bands: Bands, systems: int) -> Bands:
    """The bands of each of so many systems."""
    return bands or [{}] * systems
