"""Searches drawn from a known truth, to try measures and intervals of identification on.

Conventions: similarities are sums of standard normal effects, weighted so that their variance is 1:

    mate      dprime - sqrt(goat) G[s] + sqrt(1 - goat) e     of a subject s with itself
    others    sqrt(wolf) W[s] + sqrt(1 - wolf) e              of a subject s with each other person of the gallery

Goats are missed again and again, wolves raise false alarms again and again, so the searches of one person go together.
The people of the gallery are all alike, so the truth is that of any gallery of this size. Under a distance rule the
scores are negated, and every threshold of the truth with them.

Holds `simulate_searches`, its `SearchSimulation` and the `SearchTruth` behind it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bertillon.core.errors import InputError
from bertillon.core.messages import say
from bertillon.core.rule import AcceptRule
from bertillon.counting.error_counts import FloatArray
from bertillon.matching.protocol.checks import draw_from, whole_number
from bertillon.trials.search_set import NO_RANK, SearchSet

_NODES = 60  # of the integral over wolves
_STEPS = 2000  # of the integral over mates' scores
_WIDE = 9.0  # standard deviations, beyond which nothing is left


@dataclass(frozen=True, slots=True)
class SearchTruth:
    """What is true of the searches: rates without sampling error, thresholds in the user's units.

    >>> truth = SearchTruth(gallery=100, dprime=5.0)
    >>> round(truth.cms(1), 4), round(truth.dir_at_fpir(0.01), 4)
    (0.9908, 0.9021)
    """

    gallery: int
    dprime: float = 4.0
    wolf: float = 0.2
    rule: AcceptRule = AcceptRule.SIMILARITY

    def fpir(self, threshold: float) -> float:
        """Share of searches by strangers with a candidate that passes."""
        from scipy.special import log_ndtr

        wolves, shares = _wolves()
        nobody = np.exp(self.gallery * log_ndtr(self._apart(self._flip(threshold), wolves)))
        return float(shares @ (1.0 - nobody))

    def threshold_at_fpir(self, fpir: float) -> float:
        """The threshold at which that share of searches by strangers gives an alarm."""
        if not 0.0 < fpir < 1.0:
            raise InputError(f"FPIR is {fpir}; expected a rate between 0 and 1")
        from scipy.optimize import brentq

        return float(brentq(lambda t: self.fpir(t) - fpir, -3 * _WIDE, 3 * _WIDE, xtol=1e-12))

    def dir(self, threshold: float, k: int = 1) -> float:
        """Share of searches by enrolled people whose mate passes at rank k or better."""
        low = max(self._flip(threshold), self.dprime - _WIDE)
        return self._found(low, k) if low < self.dprime + _WIDE else 0.0

    def dir_at_fpir(self, fpir: float, k: int = 1) -> float:
        """The same where the share of false alarms is just that."""
        return self.dir(self.threshold_at_fpir(fpir), k)

    def cms(self, k: int = 1) -> float:
        """Share of searches by enrolled people whose mate has rank k or better."""
        return self._found(self.dprime - _WIDE, k)

    def _found(self, low: float, k: int) -> float:
        from scipy.special import bdtr, ndtr

        wolves, shares = _wolves()
        edges = np.linspace(low, self.dprime + _WIDE, _STEPS + 1)
        mates = (edges[1:] + edges[:-1]) / 2
        weight = np.diff(ndtr(edges - self.dprime))
        better = 1.0 - ndtr(self._apart(mates[:, None], wolves[None, :]))  # that another one is
        first = bdtr(k - 1, self.gallery - 1, better) if k < self.gallery else np.ones_like(better)
        return float(weight @ first @ shares)

    def _apart(self, score: Any, wolves: FloatArray) -> Any:
        """A score in units of what is left once the wolf is known."""
        return (score - math.sqrt(self.wolf) * wolves) / math.sqrt(1.0 - self.wolf)

    def _flip(self, threshold: float) -> float:
        return float(self.rule.orient(threshold))


class SearchSimulation(NamedTuple):
    """Searches, and the truth they were drawn from."""

    searches: SearchSet
    truth: SearchTruth


def simulate_searches(
    *,
    subjects: int = 100,
    strangers: int = 100,
    probes: int = 3,
    gallery: int = 200,
    dprime: float = 4.0,
    goat: float = 0.3,
    wolf: float = 0.2,
    rng: int | np.random.Generator | None = None,
    rule: AcceptRule | str = AcceptRule.SIMILARITY,
) -> SearchSimulation:
    """Searches of enrolled subjects and of strangers, `probes` each, in one gallery.

    Parameters
    ----------
    subjects, strangers
        How many people are enrolled, and how many search without being so.
    probes
        Searches of each.
    gallery
        How many people are enrolled in all.
    dprime
        How far mated scores lie from the others.
    goat, wolf
        Shares of the variance that go with a person.
    rng, rule
        As in `simulate`.

    Returns
    -------
    SearchSimulation
        The searches, and the truth they were drawn from.

    Examples
    --------
    >>> searches, truth = simulate_searches(subjects=10, strangers=5, probes=2, gallery=50, rng=1)
    >>> searches.n_enrolled, searches.n_nonenrolled, len(set(searches.probe_subject.tolist()))
    (20, 10, 15)
    """
    for name, number, least in (("subjects", subjects, 0), ("strangers", strangers, 0), ("probes", probes, 1)):
        whole_number(number, name, least=least)
    whole_number(gallery, "gallery", least=2)
    if subjects > gallery:
        raise InputError(f"{subjects} subjects in a gallery of {gallery}; expected at most as many")
    for name, value in (("goat", goat), ("wolf", wolf)):
        if not 0.0 <= value < 1.0:
            raise InputError(f"{name} is {value:g}; expected a share of variance, 0 to just below 1")
    drawn, direction = draw_from(rng).generator, AcceptRule.of(rule)
    person = np.repeat(np.arange(subjects + strangers), probes)
    enrolled = person < subjects
    goats, wolves = drawn.standard_normal((2, subjects + strangers))
    mate = dprime - math.sqrt(goat) * goats[person] + math.sqrt(1.0 - goat) * drawn.standard_normal(person.size)
    others = math.sqrt(wolf) * wolves[person, None] + math.sqrt(1.0 - wolf) * drawn.standard_normal(
        (person.size, gallery)
    )
    others[enrolled, 0] = -np.inf  # the place of the mate
    top_other = others.max(axis=1)
    sign = direction.factor
    return SearchSimulation(
        SearchSet(
            enrolled=enrolled,
            mate_score=np.where(enrolled, sign * mate, np.nan),
            n_better=np.where(enrolled, (others > mate[:, None]).sum(axis=1), NO_RANK),
            n_equal=np.zeros(person.size, dtype=np.int64),
            top_score=sign * np.where(enrolled, np.maximum(mate, top_other), top_other),
            top_other=sign * top_other,
            gallery_size=gallery,
            rule=direction,
            probe_subject=person,
            notes=(say("reading.simulated_searches", subjects=subjects, strangers=strangers, gallery=gallery),),
        ),
        SearchTruth(gallery, dprime, wolf, direction),
    )


def _wolves() -> tuple[FloatArray, FloatArray]:
    """Places and weights that stand for a standard normal effect in an integral."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()
