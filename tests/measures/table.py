"""Every spelling of the language with the brute-force function that answers it, and score sets to ask it of.

A spelling is a template: {x} stands for a rate, {above} for a rate above 0, {t} for a threshold.

Holds `ANSWERS`, `Question` (a score set and the numbers to put into the templates), the Hypothesis strategy
`questions`, and the comparisons `close`, `agrees` and `as_tuple`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import product

import brute_force as bf
import numpy as np
from brute_force import Answer, Twin
from hypothesis import strategies as st

import bertillon as bt

KINDS = ("FMR", "FNMR", "TMR", "TNMR", "FAR", "FRR", "GAR", "GRR")
OUTCOMES = {"FM": "FMR", "FNM": "FNMR", "TM": "TMR", "TNM": "TNMR"}


def _fixed(kind: str, place: str, at: float, twin: Twin, x: float, t: float) -> Answer:
    """A rate at a place with a number of its own."""
    return bf.rate_at_rate(kind, place, "", twin, at, t)


ANSWERS: dict[str, Callable[[Twin, float, float], Answer]] = {
    **{f"{kind}@t={{t}}": partial(bf.rate_at_threshold, kind) for kind in KINDS},
    **{
        f"{kind}{f'[{how}]' if how else ''}@{place}={{x}}": partial(bf.rate_at_rate, kind, place, how)
        for kind, place, how in product(KINDS, KINDS, ("", "nearest", "interpolated"))
    },
    **{f"{name}@t={{t}}": partial(bf.outcome, kind, "t") for name, kind in OUTCOMES.items()},
    **{f"{name}@FMR={{x}}": partial(bf.outcome, kind, "FMR") for name, kind in OUTCOMES.items()},
    "HTER@t={t}": partial(bf.weighted, 0.5, 0.5, "t"),
    "HTER@FMR={x}": partial(bf.weighted, 0.5, 0.5, "FMR"),
    "HTER@FRR={x}": partial(bf.weighted, 0.5, 0.5, "FRR"),
    "Cost(cfa=5,cfr=2,impostor=0.25)@t={t}": partial(bf.weighted, 1.25, 1.5, "t"),
    "Cost(cfa=5,cfr=2,impostor=0.25)@FMR={x}": partial(bf.weighted, 1.25, 1.5, "FMR"),
    "FAR(fta=0.25)@t={t}": partial(bf.failure_share, 0.25, 0.0, "FAR"),
    "FRR(fta=0.25)@t={t}": partial(bf.failure_share, 0.25, 0.0, "FRR"),
    "GFAR(fta=0.25,fte=0.5)@t={t}": partial(bf.failure_share, 0.25, 0.5, "GFAR"),
    "GFRR(fta=0.25,fte=0.5)@t={t}": partial(bf.failure_share, 0.25, 0.5, "GFRR"),
    "GFAR@t={t}": partial(bf.generalized, "GFAR"),
    "GFRR@t={t}": partial(bf.generalized, "GFRR"),
    "FTA": partial(bf.failure_rate, "FTA"),
    "FTE": partial(bf.failure_rate, "FTE"),
    "EER": partial(bf.eer, ""),
    **{f"EER[{name}]": partial(bf.eer, name) for name in ("nearest", "hull", "fvc", "fvc-low", "fvc-high")},
    "ZeroFMR": partial(_fixed, "FNMR", "FMR", 0.0),
    "ZeroFNMR": partial(_fixed, "FMR", "FNMR", 0.0),
    **{f"FMR{n}": partial(_fixed, "FNMR", "FMR", 1 / n) for n in (10, 100, 1000, 10000)},
    "AUC": partial(bf.area, "AUC"),
    "Gini": partial(bf.area, "Gini"),
    "pAUC@FMR={above}": partial(bf.partial_area, "plain"),
    "pAUC[mcclish]@FMR={above}": partial(bf.partial_area, "mcclish"),
    "dprime": partial(bf.spread, "daugman"),
    "dprime[sum]": partial(bf.spread, "sum"),
    "FRatio": partial(bf.spread, "ratio"),
    "Overlap": partial(bf.overlap, 100),
    "Overlap(bins=4)": partial(bf.overlap, 4),
    "KS": partial(bf.rescaled, 1, -1, partial(bf.least, 1, 1)),
    "Youden": partial(bf.rescaled, 1, -1, partial(bf.least, 1, 1)),
    "minHTER": partial(bf.least, 0.5, 0.5),
    "minCost(cfa=5,cfr=2,impostor=0.25)": partial(bf.least, 1.25, 1.5),
    "minDCF(p=0.25,cmiss=2,cfa=1)": partial(bf.rescaled, 0, 2, partial(bf.least, 0.75, 0.5)),
    "minDCF[raw](p=0.25,cmiss=2,cfa=1)": partial(bf.least, 0.75, 0.5),
    "actDCF(p=0.25,cmiss=2,cfa=1)": partial(bf.actual_dcf, 0.25, 2.0, 1.0, False),
    "actDCF[raw](p=0.25,cmiss=2,cfa=1)": partial(bf.actual_dcf, 0.25, 2.0, 1.0, True),
    "Cllr": bf.cllr,
    "minCllr": bf.min_cllr,
    "calLoss": bf.calibration_loss,
}

NEEDS_LLR = ("Cllr", "calLoss", "actDCF")  # read scores as log-likelihood ratios: no distances, and the scale counts
COUNTS = tuple(OUTCOMES)  # numbers of comparisons, not shares of them


def name_of(template: str) -> str:
    """The registered name a template starts with."""
    return re.match(r"\w+", template)[0]


@dataclass(frozen=True)
class Question:
    """A score set, and the rate and threshold to ask about."""

    scores: bt.ScoreSet
    x: float
    t: float

    def spelled(self, template: str) -> str:
        return template.format(x=self.x, above=self.x or 0.5, t=self.t)

    def results(self, templates: Iterable[str] = ANSWERS) -> dict[str, bt.measures.Result]:
        """What bertillon says, by template."""
        asked = list(templates)
        evaluation = bt.evaluate(self.scores, [self.spelled(template) for template in asked])
        return {template: evaluation[self.spelled(template)] for template in asked}

    def answers(self) -> dict[str, Answer]:
        """What brute force says, by template."""
        twin = Twin(self.scores)
        return {
            template: answer(twin, (self.x or 0.5) if "{above}" in template else self.x, self.t)
            for template, answer in ANSWERS.items()
        }


def close(one: float | None, other: float | None, rel: float = 1e-9) -> bool:
    """Equal up to rounding; NaN equals NaN and None equals None."""
    if one is None or other is None:
        return one is other
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=rel, abs_tol=rel)


def agrees(result: bt.measures.Result, answer: Answer) -> bool:
    """Does a result say what brute force found? Counts are compared where brute force gives them."""
    if answer.value is None:
        return math.isnan(result.value) and bool(result.reason)
    if not close(result.value, float(answer.value)) or result.reason:
        return False
    if answer.errors is not None and (result.errors, result.trials) != (answer.errors, answer.trials):
        return False
    return answer.threshold is None or close(result.threshold, answer.threshold)


def as_tuple(result: bt.measures.Result) -> tuple[str, ...]:
    """All of a result in a form that compares to the last bit, NaN included."""
    return tuple(map(repr, (result.value, result.threshold, result.errors, result.trials, result.reason)))


RATES = (0.0, 0.1, 0.2, 0.25, 0.3, 1 / 3, 0.5, 2 / 3, 0.7, 0.75, 0.9, 1.0)
rates = st.one_of(st.sampled_from(RATES), st.floats(0, 1))
tame = st.integers(-3, 6).map(float)
wild = st.one_of(tame, st.sampled_from([math.inf, -math.inf, math.nan, 0.5, -0.0]))
failed = st.integers(0, 3)


@st.composite
def questions(draw: st.DrawFn, largest: int = 9, elements: st.SearchStrategy[float] | None = None) -> Question:
    """Few scores with many ties; classes may be empty, scores infinite and comparisons failed."""
    lists = st.lists(draw(st.sampled_from([tame, tame, wild])) if elements is None else elements, max_size=largest)
    enrolments = draw(failed)
    scores = bt.ScoreSet(
        np.array(draw(lists), dtype=float),
        np.array(draw(lists), dtype=float),
        rule=draw(st.sampled_from(["similarity", "distance"])),
        failures=bt.Failures(draw(failed), draw(failed), enrolments, enrolments + draw(failed)),
    )
    return Question(scores, draw(rates), draw(st.one_of(tame, wild.filter(lambda t: not math.isnan(t)))))
