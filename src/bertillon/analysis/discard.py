"""Error against discard: what is left of an error when the comparisons of the lowest quality are not made.

Conventions: a comparison is as good as the worse of its two samples, and high is good. Comparisons of equal quality are
discarded together. The threshold stays where it is; an error rate is that of the comparisons kept. The curve is a
staircase from no discard to all of it, where the error is 0. FNMR is that of mated, FMR that of non-mated comparisons,
so each is discarded by the qualities of its own. Curves of this kind were called error versus reject before ISO/IEC
29794-1 renamed them.

Of an evaluation both errors are shown at the threshold of the EER, so that they begin at about the same rate.

Holds `error_discard` and its `DiscardCurve`; `discarded`, both curves of an evaluation, and its `Discarded`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import AcceptRule, InputError
from bertillon.core.lazy import pl
from bertillon.core.showing import Finding
from bertillon.evaluation import ScoreEvaluation, eer_threshold, kept_scores, plain
from bertillon.trials.pair_quality import PairQuality
from bertillon.trials.score_set import ScoreSet

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Kind = Literal["FNMR", "FMR"]

KINDS: dict[str, str] = {"FNMR": "mated", "FMR": "non-mated"}  # and the comparisons that err so
ROUNDING = 1e-12  # of shares
SHARES = (0.0, 0.05, 0.1, 0.2)  # that a summary shows
LIMIT = 0.2  # of the comparisons, up to which areas are measured


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DiscardCurve(Finding):
    """Errors among the comparisons kept, as ever more of the lowest quality are discarded.

    At each step `quality` is the lowest that is kept; at the last nothing is, and it is infinite.
    """

    kind: str
    threshold: float  # in the user's units
    quality: FloatArray
    kept: IntArray
    errors: IntArray
    name: str = ""

    def __len__(self) -> int:
        return int(self.kept.size)

    @property
    def discarded(self) -> FloatArray:
        """Share of the comparisons that is discarded, from 0 to 1."""
        gone: FloatArray = (self.kept[0] - self.kept) / self.kept[0]
        return gone

    @property
    def error(self) -> FloatArray:
        """Error rate of those kept; 0 where none is."""
        return self.errors / np.maximum(self.kept, 1)

    @property
    def starting_error(self) -> float:
        """The error rate when nothing is discarded."""
        return float(self.error[0])

    def row_at(self, share: float) -> int:
        """The step that discards at most that share and as much of it as equal qualities allow."""
        _check_share(share)
        return int(np.searchsorted(self.discarded, share + ROUNDING, side="right")) - 1

    def partial_area(self, limit: float) -> float:
        """The area under the staircase from 0 to `limit` discarded; lower is better.

        >>> scores = ScoreSet([0.2, 0.3, 0.9, 0.8, 0.7], [])
        >>> curve = error_discard(scores, [1, 2, 2, 3, 4], threshold=0.5)
        >>> round(curve.partial_area(0.3), 3), round(curve.best_area(0.3), 3), round(curve.excess_area(0.3), 3)
        (0.105, 0.075, 0.03)
        """
        _check_share(limit)
        edges = np.minimum(self.discarded, limit)
        return float(np.diff(edges) @ self.error[:-1])

    def best_area(self, limit: float) -> float:
        """The least area there could be, were every discard an error: that under the line from the starting error e
        down to 0 at e discarded, e^2 / 2 - max(0, e - limit)^2 / 2.
        """
        _check_share(limit)
        start = self.starting_error
        return start**2 / 2 - max(0.0, start - limit) ** 2 / 2

    def random_area(self, limit: float) -> float:
        """The area to expect when discarding has nothing to do with quality: the error stays as it was."""
        _check_share(limit)
        return self.starting_error * limit

    def excess_area(self, limit: float) -> float:
        """The area above the best there could be."""
        return self.partial_area(limit) - self.best_area(limit)

    def to_frame(self) -> pl.DataFrame:
        """One row a step."""
        columns: dict[str, Any] = {"discarded": self.discarded, "error": self.error, "threshold": self.threshold}
        columns |= {"errors": self.errors, "kept": self.kept, "quality": self.quality}
        return pl.DataFrame(columns).select(pl.lit(self.kind).alias("kind"), pl.all())


def error_discard(
    scores: ScoreSet,
    quality: ArrayLike,
    *,
    other: ArrayLike | None = None,
    threshold: float | None = None,
    starting_error: float | None = None,
    kind: Kind = "FNMR",
    name: str = "",
) -> DiscardCurve:
    """The error as comparisons of low quality are discarded.

    `quality` is that of the mated comparisons for FNMR and of the non-mated ones for FMR, in the order of the scores.
    Where it is that of one sample of each pair, `other` is that of the other, and the lower of the two counts. The
    threshold is given, or it is the quantile of the scores at `starting_error` (1 - `starting_error` for FMR), as is
    usual for these curves; the rate then begins where tied and finitely many scores allow.

    >>> curve = error_discard(ScoreSet([0.2, 0.3, 0.9, 0.8, 0.7], []), [1, 2, 2, 3, 4], threshold=0.5)
    >>> curve.discarded.tolist(), curve.error.tolist()
    ([0.0, 0.2, 0.6, 0.8, 1.0], [0.4, 0.25, 0.0, 0.0, 0.0])
    """
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; expected {' or '.join(KINDS)}")
    own = scores.mated if kind == "FNMR" else scores.nonmated
    if not own.size:
        raise InputError(f"no {KINDS[kind]} scores, so there is no {kind} to lower; give some")
    values = _checked(quality, own.size, KINDS[kind])
    if other is not None:
        values = np.minimum(values, _checked(other, own.size, KINDS[kind]))
    at = _threshold(own, scores.rule, kind, threshold=threshold, starting_error=starting_error)
    accepted = scores.rule.accepts(own, at)
    return _staircase(values, ~accepted if kind == "FNMR" else accepted, kind, at, name)


def _staircase(quality: FloatArray, wrong: NDArray[np.bool_], kind: str, threshold: float, name: str) -> DiscardCurve:
    levels, level = np.unique(quality, return_inverse=True)
    gone = [np.bincount(level[chosen], minlength=levels.size) for chosen in (slice(None), wrong)]
    kept, errors = (
        np.append(0, np.cumsum(step[::-1]))[::-1].astype(np.int64) for step in gone
    )  # of this quality or a better one
    return DiscardCurve(kind, threshold, np.append(levels, math.inf), kept, errors, name)


def _threshold(
    own: NDArray[Any], rule: AcceptRule, kind: str, *, threshold: float | None, starting_error: float | None
) -> float:
    if (threshold is None) == (starting_error is None):
        raise InputError("a curve is for one threshold: give either threshold or starting_error")
    if threshold is not None:
        if math.isnan(threshold):
            raise InputError("threshold is nan; expected a number")
        return float(threshold)
    if starting_error is None or not 0.0 < starting_error < 1.0:
        raise InputError(f"starting_error is {starting_error}; expected a rate between 0 and 1")
    with np.errstate(invalid="ignore"):
        quantile = starting_error if kind == "FNMR" else 1.0 - starting_error
        oriented = float(np.quantile(rule.orient(own).astype(np.float64), quantile))
    if math.isnan(oriented):
        raise InputError("starting_error falls between infinite scores; give the threshold itself")
    return rule.restore(oriented)


def _checked(values: ArrayLike, expected: int, kind: str) -> FloatArray:
    try:
        quality = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{kind} qualities are not numbers: {error}") from None
    if quality.shape != (expected,):
        raise InputError(
            f"{kind} qualities have shape {quality.shape} for {expected:,} scores; expected one each "
            "(a comparison that failed has no score: leave out its quality)"
        )
    if np.isnan(quality).any():
        row = int(np.isnan(quality).argmax()) + 1
        raise InputError(f"{kind} quality {row:,} is nan; expected a number (-inf where quality is unknown)")
    return quality


def _check_share(share: float) -> None:
    if not 0.0 <= share <= 1.0:
        raise InputError(f"share discarded is {share}; expected 0 to 1")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Discarded(Finding):
    """The curves of both errors of one system, by the qualities in some columns."""

    name: str
    rule: AcceptRule
    columns: tuple[str, ...]
    curves: tuple[DiscardCurve, ...]  # FNMR and FMR

    @property
    def threshold(self) -> float:
        """That of both curves."""
        return self.curves[0].threshold

    def to_frame(self) -> pl.DataFrame:
        """Both curves, one under the other."""
        return pl.concat([curve.to_frame() for curve in self.curves])

    def to_dict(self) -> dict[str, Any]:
        """Errors at some shares and areas, for JSON."""
        curves = [_summary(curve) for curve in self.curves]
        whole = {"columns": list(self.columns), "threshold": self.threshold, "limit": LIMIT, "curves": curves}
        strict: dict[str, Any] = plain(whole)
        return strict


def discarded(evaluation: ScoreEvaluation, quality: PairQuality, columns: Sequence[str]) -> Discarded:
    """Both errors as comparisons of low quality are discarded."""
    scores = kept_scores(evaluation, "--discard")
    threshold = eer_threshold(evaluation)
    curves = (
        error_discard(scores, quality.mated, threshold=threshold),
        error_discard(scores, quality.nonmated, threshold=threshold, kind="FMR"),
    )
    return Discarded(evaluation.name, scores.rule, tuple(columns), curves)


def _summary(curve: DiscardCurve) -> dict[str, Any]:
    rows = [(share, curve.row_at(share)) for share in SHARES]
    steps = [
        {
            "share": share,
            "discarded": float(curve.discarded[row]),
            "error": float(curve.error[row]),
            "errors": int(curve.errors[row]),
            "kept": int(curve.kept[row]),
            "quality": float(curve.quality[row]),
        }
        for share, row in rows
    ]
    areas = {
        "area": curve.partial_area(LIMIT),
        "best": curve.best_area(LIMIT),
        "difference": curve.excess_area(LIMIT),
        "random": curve.random_area(LIMIT),
    }
    return {"kind": curve.kind, "steps": steps} | areas
