"""Mahalanobis distance: Euclidean once features are freed of their variances and correlations.

Conventions: d(x, y) = sqrt((x - y)' C^-1 (x - y)). C is given, or estimated from training templates (about their
common mean, divided by n - 1). Where C is singular, or nearly, a share of the mean variance is added to each variance;
a note says how much. Templates are transformed once, in float64.

Holds `Mahalanobis`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import Message, say
from bertillon.core.rule import AcceptRule
from bertillon.core.tables import TemplateTable
from bertillon.io.templates.checks import check
from bertillon.matching.base import Array, Matcher, Prepared, floats
from bertillon.matching.registry import register
from bertillon.matching.vectors import NUMBERS, euclidean_block, with_squares

DEFAULT_RIDGE = 0.01  # of the mean variance


@dataclass(frozen=True, eq=False)
class Mahalanobis(Matcher):
    """The distance in units of how the features vary together.

    Give `covariance` or `training`; `ridge` is the share of the mean variance to add, always if it is stated.
    """

    covariance: Array | None = None
    training: TemplateTable | None = field(default=None, repr=False)
    ridge: float | None = None
    centre: Array = field(init=False, repr=False)  # what is taken off: no distance changes, and fewer digits are lost
    whitening: Array = field(init=False, repr=False)
    notes: tuple[Message, ...] = field(init=False, repr=False)

    name = "mahalanobis"
    rule = AcceptRule.DISTANCE
    kinds = NUMBERS
    threaded = False

    def __post_init__(self) -> None:
        if (self.covariance is None) == (self.training is None):
            raise InputError("mahalanobis needs a covariance or training templates to estimate it from, one of the two")
        centre, given = (
            _estimated(self.training) if self.training is not None else (np.zeros(()), np.asarray(self.covariance))
        )
        whitening, notes = _whitening(given.astype(np.float64), self.ridge)
        object.__setattr__(self, "centre", centre)
        object.__setattr__(self, "whitening", whitening)
        object.__setattr__(self, "notes", notes)

    def _prepare(self, templates: TemplateTable) -> Prepared:
        vectors = floats(templates)
        if vectors.shape[1] != len(self.whitening):
            raise InputError(
                f"{templates.source}: templates have {vectors.shape[1]} numbers, and the covariance is for "
                f"{len(self.whitening)}; estimate it from templates of the same kind"
            )
        return with_squares(((vectors - self.centre) @ self.whitening).astype(vectors.dtype), self.notes)

    def _compare(self, probes: Prepared, gallery: Prepared) -> Array:
        return euclidean_block(probes, gallery)


def _estimated(training: TemplateTable) -> tuple[Array, Array]:
    """The mean and the covariance of the training templates."""
    check(training)
    if training.kind not in NUMBERS or len(training) < 2:
        raise InputError(
            f"{training.source}: a covariance is estimated from two or more templates of kind vector; "
            f"found {len(training)} of kind {training.kind}"
        )
    values = np.asarray(training.templates, dtype=np.float64)
    return values.mean(axis=0), np.atleast_2d(np.cov(values, rowvar=False))


def _whitening(covariance: Array, ridge: float | None) -> tuple[Array, tuple[Message, ...]]:
    """The matrix that turns Mahalanobis distances into Euclidean ones."""
    _require_covariance(covariance)
    variances, axes = np.linalg.eigh(covariance)
    floor = len(covariance) * np.finfo(np.float64).eps * variances[-1]
    if variances[0] < -1e3 * floor or variances[-1] <= 0:
        raise InputError(f"mahalanobis: the covariance has a variance of {variances[0]:g}; all must be 0 or more")
    singular = bool(variances[0] <= floor)
    if ridge is None and not singular:
        return axes / np.sqrt(variances), ()
    share = DEFAULT_RIDGE if ridge is None else ridge
    added = share * float(np.mean(variances))
    if variances[0] + added <= 0:
        raise InputError(f"mahalanobis: the covariance is singular and a ridge of {share:g} does not mend it; raise it")
    note = say("matcher.singular_covariance" if singular else "matcher.regularised_covariance", added=added)
    return axes / np.sqrt(variances + added), (note,)


def _require_covariance(covariance: Array) -> None:
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
        raise InputError(f"mahalanobis: a covariance is a square matrix; found shape {covariance.shape}")
    if not np.isfinite(covariance).all():
        raise InputError("mahalanobis: the covariance holds values that are not finite")
    if not np.allclose(covariance, covariance.T, rtol=1e-6, atol=1e-12):
        raise InputError("mahalanobis: the covariance is not symmetric")


register(Mahalanobis)
