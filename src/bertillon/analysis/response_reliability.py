"""How far one answer of a search can be relied on: System Response Reliability.

An error rate says how often a system errs; this says which of its answers are doubtful, from the distances d1 <= d2 <=
... of one probe to the gallery alone:

    relative distance   phi = (d2 - d1) / d_max: is the first answer well ahead of the second?
    density ratio       phi = 1 - |N_b| / |N|, N_b = those closer than 2 d1: is there nobody near the first answer?
    SRR                 (phi - phi0) / S, S = 1 - phi0 where phi > phi0, else phi0: from -1 to 1, reliable above 0

phi0 is the threshold that makes the fewest wrong calls on answers known to be right or wrong: right ones at or below
it, wrong ones above it (De Marsico, Nappi, Riccio and Tortora 2011, as retold in lecture notes).

Conventions: both phi are the same whatever positive factor the distances are multiplied by, so they need no scaling to
[0, 1]. A similarity becomes a distance by taking it from that of a perfect match (`perfect`). NaN is a failed
comparison and no candidate. Several templates of a person are one candidate, at the least distance. The sources differ
on whether the first answer itself belongs to N_b (`count_first`) and on whether SRR has a sign (`absolute`): both can
be had. A phi that cannot be had is NaN with a reason. phi0 fitted on the answers it judges is optimistic; fit it on
others and hand it over.

Holds `response_reliability` with its `ResponseReliability`, `system_response_reliability` (SRR from phi) and
`fit_reliability_threshold`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertillon.core import AcceptRule, InputError, Message, ScoreMatrix, say, text_of
from bertillon.core.lazy import pl
from bertillon.core.showing import Finding
from bertillon.matching.protocol.pairing import fuse_by_person

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

RELATIVE_DISTANCE, DENSITY_RATIO = "relative-distance", "density-ratio"
KINDS = (RELATIVE_DISTANCE, DENSITY_RATIO)
ROUNDING = 1e-6  # of a similarity in single precision: so little above a perfect match is a perfect match


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ResponseReliability(Finding):
    """phi and SRR of every answer, in the order of the probes; a NaN phi has a reason."""

    kind: str
    phi: FloatArray
    reason: tuple[Message | None, ...]
    srr: FloatArray
    threshold: float  # phi0
    fitted_here: bool  # the threshold was fitted on these answers, which flatters them
    correct: BoolArray | None = None  # was the answer the right person?
    probe_subject: NDArray[Any] | None = None  # whose probe it is

    def __len__(self) -> int:
        return int(self.phi.size)

    @property
    def defined(self) -> BoolArray:
        """Which answers have a phi."""
        return ~np.isnan(self.phi)

    @property
    def reliable(self) -> BoolArray:
        """Which answers are called reliable: phi above the threshold."""
        return _above(self.phi, self.threshold)

    @property
    def share_reliable(self) -> float:
        """Of the answers that have a phi."""
        return _share(self.reliable[self.defined])

    @property
    def right_if_reliable(self) -> float:
        """Share of right answers among those called reliable; NaN where it is not known which are right."""
        return math.nan if self.correct is None else _share(self.correct[self.reliable])

    @property
    def right_if_unreliable(self) -> float:
        """Share of right answers among the others that have a phi."""
        return math.nan if self.correct is None else _share(self.correct[self.defined & ~self.reliable])

    @property
    def wrong_calls(self) -> int | None:
        """Right answers called unreliable and wrong ones called reliable."""
        if self.correct is None:
            return None
        return int(np.count_nonzero((self.correct != self.reliable)[self.defined]))

    def to_dict(self) -> dict[str, Any]:
        """What the answers come to, ready for JSON."""
        rates = {name: getattr(self, name) for name in ("share_reliable", "right_if_reliable", "right_if_unreliable")}
        return {
            "kind": self.kind,
            "threshold": self.threshold,
            "fitted_here": self.fitted_here,
            "answers": len(self),
            "undefined": int(np.count_nonzero(~self.defined)),
            "reliable": int(np.count_nonzero(self.reliable)),
            **{name: None if math.isnan(value) else value for name, value in rates.items()},
            "wrong_calls": self.wrong_calls,
        }

    def to_frame(self) -> pl.DataFrame:
        """One row an answer."""
        known = {"probe_subject": self.probe_subject, "correct": self.correct}
        columns = {
            "phi": self.phi,
            "srr": self.srr,
            "reliable": self.reliable,
            "reason": [text_of(reason) for reason in self.reason],
        }
        columns = {name: values for name, values in known.items() if values is not None} | columns
        return pl.DataFrame(columns, schema_overrides={"reason": pl.String})


def response_reliability(
    searches: ScoreMatrix | Sequence[ArrayLike],
    *,
    kind: str = RELATIVE_DISTANCE,
    rule: AcceptRule | str | None = None,
    correct: ArrayLike | None = None,
    threshold: float | None = None,
    count_first: bool = True,
    perfect: float = 1.0,
    absolute: bool = False,
) -> ResponseReliability:
    """The reliability of each search's first answer, from a score matrix with owners or one list of scores a probe.

    Lists are of distances unless `rule` says otherwise, and `correct` says which answers are right where they do not. A
    probe of somebody who is not enrolled has no right answer, and of tied first answers none is right. Without a
    `threshold` phi0 is fitted on these answers.

    >>> lists = [[0.2, 0.35, 0.38, 0.5, 0.8], [0.3, 0.32, 0.6], [0.1, 0.7, 0.8]]
    >>> found = response_reliability(lists, correct=[True, False, True])
    >>> found.phi.round(4).tolist(), round(found.threshold, 4), found.reliable.tolist()
    ([0.1875, 0.0333, 0.75], 0.1104, [True, False, True])
    """
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; expected {' or '.join(KINDS)}")
    lists: Sequence[ArrayLike]
    probe, right = None, None
    if isinstance(searches, ScoreMatrix):
        probe, direction = searches.probe_subject, AcceptRule.of(rule or searches.rule or AcceptRule.SIMILARITY)
        lists, right = _from_matrix(searches, direction)
    else:
        lists, direction = searches, AcceptRule.of(rule or AcceptRule.DISTANCE)
    judged = right if correct is None else _marks(correct, len(lists))
    values = [_phi(_distances(candidates, direction, perfect), kind, count_first) for candidates in lists]
    phi, reasons = np.array([value for value, _ in values]), tuple(reason for _, reason in values)
    fitted_here = threshold is None
    if threshold is None:
        if judged is None:
            raise InputError(
                "nothing says which answers are right, so no threshold can be fitted; give correct, or a threshold "
                "that was fitted on other answers"
            )
        threshold = fit_reliability_threshold(phi, judged)
    srr = system_response_reliability(phi, threshold, absolute=absolute)
    return ResponseReliability(kind, phi, reasons, srr, threshold, fitted_here, judged, probe)


def system_response_reliability(phi: ArrayLike, threshold: float, *, absolute: bool = False) -> FloatArray:
    """SRR from phi: its distance from the threshold as a share of the room on that side; without a sign if `absolute`.

    >>> system_response_reliability([0.8, 0.42, 0.15], 0.4).round(4).tolist()
    [0.6667, 0.0333, -0.625]
    """
    if not 0.0 < threshold < 1.0:
        raise InputError(f"threshold of phi is {threshold}; expected a number between 0 and 1")
    values = np.asarray(phi, dtype=np.float64)
    if ((values < 0.0) | (values > 1.0)).any():
        raise InputError("phi holds numbers outside 0 to 1; expected relative distances or density ratios")
    signed: FloatArray = (values - threshold) / np.where(_above(values, threshold), 1.0 - threshold, threshold)
    return np.abs(signed) if absolute else signed


def fit_reliability_threshold(phi: ArrayLike, correct: ArrayLike) -> float:
    """The phi0 with the fewest right answers at or below it and wrong ones above; of equally good ones the lowest.

    Candidates lie halfway between neighbouring values of phi, 0 and 1 among them. NaN is left out.

    >>> round(fit_reliability_threshold([0.1, 0.2, 0.6, 0.7], [False, False, True, True]), 4)
    0.4
    """
    values = np.asarray(phi, dtype=np.float64)
    right = _marks(correct, values.size)
    known = ~np.isnan(values)
    values, right = values[known], right[known]
    if not values.size:
        raise InputError("no answer has a phi to fit a threshold on; see the reasons")
    edges = np.unique(np.concatenate([[0.0, 1.0], values]))
    candidates = (edges[:-1] + edges[1:]) / 2
    candidates = candidates[(candidates > 0.0) & (candidates < 1.0)]  # between two neighbouring floats there is none
    lost = np.searchsorted(np.sort(values[right]), candidates, side="right")
    trusted = np.count_nonzero(~right) - np.searchsorted(np.sort(values[~right]), candidates, side="right")
    return float(candidates[np.argmin(lost + trusted)])


def _phi(distances: FloatArray, kind: str, count_first: bool) -> tuple[float, Message | None]:
    """phi of one answer, or NaN and why there is none; distances ascend."""
    reason = _undefined(distances, kind)
    if reason:
        return math.nan, reason
    if kind == RELATIVE_DISTANCE:
        return float((distances[1] - distances[0]) / distances[-1]), None
    near, size = int(np.searchsorted(distances, 2 * distances[0], side="left")), distances.size
    return (1 - near / size if count_first else 1 - (near - 1) / (size - 1)), None


def _undefined(distances: FloatArray, kind: str) -> Message | None:
    if distances.size < 2:
        return say("reason.few_candidates", n=distances.size)
    if not math.isfinite(distances[-1]):
        return say("reason.infinite_distance")
    if distances[-1] == 0.0:
        return say("reason.zero_distances")
    if kind == DENSITY_RATIO and distances[0] == 0.0:
        return say("reason.zero_least_distance")
    return None


def _distances(scores: ArrayLike, rule: AcceptRule, perfect: float) -> FloatArray:
    """The distances of one search, ascending, without failed comparisons."""
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"a list of scores is not numbers: {error}") from None
    if values.ndim != 1:
        raise InputError(f"a list of scores has shape {values.shape}; expected one dimension, one list a probe")
    values = np.sort(values[~np.isnan(values)])
    if rule is AcceptRule.SIMILARITY:
        values = perfect - values[::-1]
        values = np.where(np.abs(values) <= ROUNDING * abs(perfect), 0.0, values)
    if values.size and values[0] < 0.0:
        if rule is AcceptRule.DISTANCE:
            raise InputError(f"a distance is {values[0]:g}; expected 0 or more; for similarities say rule='similarity'")
        raise InputError(
            f"a similarity is {perfect - values[0]:g}, above {perfect:g}; say what a match has with perfect="
        )
    return values


def _from_matrix(matrix: ScoreMatrix, rule: AcceptRule) -> tuple[list[FloatArray], BoolArray]:
    """One list of people's scores a probe, and whether the first of them alone is its own person."""
    scores = np.asarray(matrix.scores, dtype=np.float64)
    if matrix.ignored is not None:
        scores = np.where(matrix.ignored, np.nan, scores)
    _check_mask(matrix)
    fused, people = fuse_by_person(scores, matrix.reference_subject, rule=rule)
    oriented = np.where(np.isnan(fused), -np.inf, rule.orient(fused))
    own = matrix.probe_subject[:, None] == people[None, :]
    mate = np.where(own, oriented, -np.inf).max(axis=1, initial=-np.inf)
    others = np.where(own, -np.inf, oriented).max(axis=1, initial=-np.inf)
    return list(fused), mate > others


def _check_mask(matrix: ScoreMatrix) -> None:
    """A mask of mated cells must say what the owners say."""
    if matrix.mated is None:
        return
    unlike = matrix.mated != (matrix.probe_subject[:, None] == matrix.reference_subject[None, :])
    if (unlike if matrix.ignored is None else unlike & ~matrix.ignored).any():
        raise InputError(f"{matrix.source}: the mask and the subjects disagree on who is mated; expected owners of all")


def _marks(correct: ArrayLike, expected: int) -> BoolArray:
    marks = np.asarray(correct)
    if marks.dtype != np.bool_ or marks.shape != (expected,):
        raise InputError(
            f"correct is {marks.dtype} of shape {marks.shape}; expected True or False for {expected} answers"
        )
    return marks


def _above(phi: FloatArray, threshold: float) -> BoolArray:
    """Which answers are reliable: the only place where phi meets its threshold; at it, SRR is 0."""
    return np.asarray(phi > threshold)


def _share(marks: BoolArray) -> float:
    return float(np.mean(marks)) if marks.size else math.nan
