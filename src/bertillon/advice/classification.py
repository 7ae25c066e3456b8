"""What to know before trusting the numbers of a classifier.

Conventions: a warning says what is doubtful, why, and what to do. What fires on every report warns of nothing, so each
depends on the data and on the measures asked for.

Holds `warnings_of_classes`.
"""

from __future__ import annotations

import math

from bertillon.advice.mistakes import SKEWED, no_interval
from bertillon.counting.classes.confusion import code_totals
from bertillon.evaluation.classification import ClassEvaluation
from bertillon.measures.classification import CLASSIFICATION
from bertillon.measures.classification.base import AtPlace
from bertillon.measures.classification.cost import ClassCost, LeastClassCost, Youden
from bertillon.measures.classification.rates import ClassRate, precision_at
from bertillon.measures.spelling import Spelling

FEW = 30
BY_DESIGN, ENOUGH = 0.005, 100  # so close to one half, among so many samples, the share of positives looks chosen
FAR_OFF = 0.1  # an ECE above it
RARE = 0.01  # a share of positives to compare with
_OF_PREVALENCE = ("Precision", "NPV", "FDR", "FOR", "AP")


def warnings_of_classes(
    evaluation: ClassEvaluation, *, intervals: bool = True, tuned_here: bool | None = None
) -> list[str]:
    """Every warning that applies to the results, most important first.

    `intervals` says that the numbers are shown with intervals. `tuned_here` says whether a threshold or a calibrator
    was chosen on these data; None: judged by the measures asked for.
    """
    found = [
        _reversed(evaluation),
        *map(str, evaluation.predictions.warnings),
        _skewed(evaluation),
        _beaten_by_dummy(evaluation),
        _of_another_prevalence(evaluation),
        _one_class(evaluation),
        _tuned(evaluation, tuned_here),
        _uncalibrated(evaluation),
        _impossible(evaluation),
        _few(evaluation),
        _single(evaluation),
        no_interval(shown=intervals),
    ]
    return [sentence for sentence in found if sentence]


def _shares(evaluation: ClassEvaluation) -> list[float]:
    totals = evaluation.tally.class_totals
    total = float(totals.sum())
    return [float(n) / total for n in totals] if total else []


def _value(evaluation: ClassEvaluation, name: str) -> float:
    return evaluation.results[name].value if name in evaluation.results else math.nan


def _reversed(evaluation: ClassEvaluation) -> str | None:
    if not _value(evaluation, "AUC") < 0.5:
        return None
    return (
        "AUC is below 0.5: positives score lower than negatives. If the scores speak for the other class, say so with "
        "positive=; nothing was turned round."
    )


def _skewed(evaluation: ClassEvaluation) -> str | None:
    shares = _shares(evaluation)
    if "Accuracy" not in evaluation.results or not shares or max(shares) < SKEWED:
        return None
    return (
        f"the largest class holds {max(shares):.1%} of the samples: naming it always would have an accuracy of "
        f"{max(shares):.3f}. Read balanced accuracy, MCC, precision and recall instead."
    )


def _beaten_by_dummy(evaluation: ClassEvaluation) -> str | None:
    shares, accuracy = _shares(evaluation), _value(evaluation, "Accuracy")
    if not shares or not accuracy <= max(shares):
        return None
    return f"accuracy {accuracy:.3f} is no better than always naming the largest class ({max(shares):.3f})."


def _of_another_prevalence(evaluation: ClassEvaluation) -> str | None:
    """Precision and its kin hold for the share of positives in the data, which may not be that of the place of use."""
    given, asked = evaluation.predictions, [name for name in evaluation if _depends_on_prevalence(name)]
    shares = _shares(evaluation)
    if not given.is_binary or not asked or not shares:
        return None
    share, stated = shares[given.positive_code], _stated_prevalence(evaluation)
    if stated is None and (abs(share - 0.5) > BY_DESIGN or given.size < ENOUGH):
        return None
    why = "which looks chosen" if stated is None else f"and you expect {stated:.3g}"
    if stated is not None and math.isclose(stated, share, rel_tol=0.1):
        return None
    elsewhere = _elsewhere(evaluation, RARE if stated is None else stated)
    return f"{asked[0]} is that of a share of positives of {share:.3g}, {why}{elsewhere}."


def _depends_on_prevalence(name: str) -> bool:
    spelling = Spelling.read(name)
    return spelling.name in _OF_PREVALENCE and not spelling.variant


def _stated_prevalence(evaluation: ClassEvaluation) -> float | None:
    measures = CLASSIFICATION.parse_all(evaluation)
    stated = [one.costs.prevalence for one in measures if isinstance(one, ClassCost | LeastClassCost)]
    return next((share for share in stated if share is not None), None)


def _elsewhere(evaluation: ClassEvaluation, share: float) -> str:
    """The precision of the same decisions among another share of positives."""
    if evaluation.confusion is None:
        return "; it falls where positives are rarer"
    cells = evaluation.confusion.cells(evaluation.predictions.positive_code)
    tpr, fpr = (ClassRate(name).single(cells).value for name in ("Recall", "FPR"))
    if math.isnan(tpr) or math.isnan(fpr):
        return ""
    return f"; among {share:.3g} the precision would be {precision_at(tpr, fpr, share):.3g}"


def _one_class(evaluation: ClassEvaluation) -> str | None:
    filled = [share for share in _shares(evaluation) if share > 0]
    return "the truth is all one class, so most measures are undefined." if len(filled) == 1 else None


def _tuned(evaluation: ClassEvaluation, tuned_here: bool | None) -> str | None:
    chosen = [name for name in evaluation.results if _chooses(name)]
    if tuned_here is False or (tuned_here is None and not chosen):
        return None
    what = f" ({', '.join(chosen[:3])})" if chosen else ""
    return (
        f"a threshold was chosen on these very data{what}: what it gives here is better than it will be elsewhere. "
        "Choose it on other data and read it here at t=."
    )


def _chooses(name: str) -> bool:
    """Does the measure pick its threshold by looking at the truth?"""
    measure = CLASSIFICATION.parse(name)
    if isinstance(measure, Youden | LeastClassCost):
        return True
    return isinstance(measure, AtPlace) and measure.place is not None and measure.place.key != "t"


def _uncalibrated(evaluation: ClassEvaluation) -> str | None:
    asked = {name: Spelling.read(name).name for name in evaluation.results}
    if evaluation.predictions.probabilities is None:
        return None
    if not any(kind in ("ECE", "LogLoss", "Brier") for kind in asked.values()):
        return "there are probabilities and no measure of their calibration; a high AUC does not vouch for them (ECE)."
    errors = {name: _value(evaluation, name) for name, kind in asked.items() if kind == "ECE"}
    told = (f"{name} is {ece:.3f}: the probabilities are far" for name, ece in errors.items() if ece > FAR_OFF)
    first = next(told, None)
    return None if first is None else f"{first} from what came true; calibrate them first."


def _impossible(evaluation: ClassEvaluation) -> str | None:
    if _value(evaluation, "LogLoss") != math.inf:
        return None
    n = evaluation.tally.losses.impossible
    return f"{n:,} samples had probability 0 for what came true, so LogLoss is infinite (LogLoss[clipped] is finite)."


def _few(evaluation: ClassEvaluation) -> str | None:
    given = evaluation.predictions
    numbers = code_totals(given.truth, given.n_classes)  # of samples, whatever they weigh
    small = [str(label) for label, n in zip(given.classes, numbers, strict=True) if 0 < n < FEW]
    if not small:
        return None
    shown = ", ".join(small[:3]) + (f" and {len(small) - 3:,} more" if len(small) > 3 else "")
    return f"fewer than {FEW} samples of {shown}: rates of these classes say little."


def _single(evaluation: ClassEvaluation) -> str | None:
    if len(evaluation.results) != 1:
        return None
    return f"{next(iter(evaluation.results))} alone hides trade-offs; report a complementary measure beside it."
