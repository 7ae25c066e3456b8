"""What to know before trusting the numbers of an evaluation: what is doubtful, and common mistakes.

    direction      mated trials look less alike than others: a distance read as a similarity, or classes swapped
    resolution     a target rate that so few comparisons cannot show (rule of 3)
    few errors     a rate that rests on fewer than 30 errors (rule of 30)
    tuned          a threshold chosen on the data it is judged on, and nothing read at a fixed one
    uncalibrated   scores read as log-likelihood ratios that inform less than no answer would
    alone          one number, or one of the two errors, where the other pays for it
    skewed         accuracy where one kind of comparison is rare
    chance         ranks that a random list would reach often
    blind          searches by people who are not enrolled, and no measure that counts them
    unlike         systems side by side that were measured on different trials
    no_interval    numbers without a word on how sure they are

Conventions: each is a function to one message or None. Mistakes are silent unless the measures asked for make them
matter. What costs the errors have, or what share of positives there is in use, no data show: `choosing` asks for them.
What fires on every report warns of nothing, so each depends on the data and on the measures asked for.

Holds `warnings_of` (comparisons), `warnings_of_searches` and `warnings_of_classes`, with what they are made of;
`unlike` and `unlike_searches`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bertillon.core.messages import Message, Text, abridged, say, sentences
from bertillon.evaluation import AnyEvaluation, ClassEvaluation, ScoreEvaluation, SearchEvaluation
from bertillon.measures import Measure
from bertillon.measures.base import BARE, Spelling
from bertillon.stats.interval import RULE_OF_30, needed_trials, short_rate

if TYPE_CHECKING:
    from bertillon.matching.protocol.runs import FoldAccuracy
    from bertillon.trials.predictions import Predictions

Warns: TypeAlias = Callable[[Any], Message | None]


def warnings_of(evaluation: ScoreEvaluation) -> list[Text]:
    """Every warning that applies, most important first."""
    later = (resolution, fewer_than_30, uncalibrated, tuned, alone)
    return _applying(evaluation, (direction, failed), later)


def _applying(evaluation: Any, first: Sequence[Warns], later: Sequence[Warns]) -> list[Text]:
    """What applies; what is known of the trials stands after the first."""
    before, after = ([warns(evaluation) for warns in some] for some in (first, later))
    return [warning for warning in (*before, *evaluation.trials.warnings, *after) if warning]


def warnings_of_searches(evaluation: SearchEvaluation) -> list[Text]:
    """Every warning that applies, most important first."""
    later = (resolution_of_searches, fewer_than_30, chance, lambda found: blind(found) or alone_among_searches(found))
    return _applying(evaluation, (direction_of_searches, failed_searches), later)


def direction(evaluation: ScoreEvaluation) -> Message | None:
    """The scores seem to point the other way."""
    return say(f"advice.direction.{evaluation.rule.value}") if evaluation.tally.looks_reversed else None


def direction_of_searches(evaluation: SearchEvaluation) -> Message | None:
    """Most mates are known to stand in the lower half of the gallery, however ties are broken."""
    searches = evaluation.trials
    ranks = searches.ranks("optimistic")
    low = np.isfinite(ranks) & (2 * ranks > searches.gallery_size + 1)
    return say(f"advice.direction_searches.{evaluation.rule.value}") if 2 * low.sum() > ranks.size else None


def failed(evaluation: ScoreEvaluation) -> Message | None:
    """Comparisons without a score are left out of FMR and FNMR."""
    failures = evaluation.trials.failures
    if not failures.comparisons:
        return None
    return say("advice.failed", n=failures.comparisons, mated=failures.mated, nonmated=failures.nonmated)


def resolution(evaluation: ScoreEvaluation) -> Message | None:
    """The lowest target asked for that the number of comparisons cannot show."""
    mated, nonmated = evaluation.counts["mated"], evaluation.counts["nonmated"]
    return unresolved(evaluation, (mated, say("advice.kind.mated")), (nonmated, say("advice.kind.nonmated")))


Counted = tuple[int, Message]  # so many trials, and what they are called


def unresolved(evaluation: AnyEvaluation, mated: Counted, others: Counted) -> Message | None:
    """The lowest target asked for that so many mated or other trials cannot show (rule of 3), in whatever measure."""
    asked = [(measure, measure.target) for measure in evaluation.measures]
    targets = {target for _, target in asked if target is not None and 0.0 < target.error < 1.0}
    for target in sorted(targets, key=lambda target: (target.error, target.key)):
        trials, kind = mated if target.mated else others
        needed = needed_trials(target.error)
        if 0 < trials < needed:
            rate = short_rate(target.value)
            lacking = say("advice.resolution", name=target.key, target=rate, needed=needed, kind=kind, trials=trials)
            bounds = [str(measure) for measure, at in asked if at == target and _is_bound(measure, evaluation)]
            return sentences(lacking, say("advice.bound", names=abridged(bounds))) if bounds else lacking
    return None


KINDS = {  # of trials by which a target is held: of the mated ones, and of the others
    "verification": {"mated": "genuine", "nonmated": "impostor"},
    "identification": {"enrolled": "enrolled", "nonenrolled": "nonenrolled"},
}


def not_measurable(evaluation: AnyEvaluation) -> dict[str, Message]:
    """The measures whose target rate so few trials cannot show (rule of 3), and how many it needs."""
    lacking = {}
    counted = [(evaluation.counts[count], kind) for count, kind in KINDS.get(evaluation.kind, {}).items()]
    for measure in evaluation.measures if counted else ():
        target = measure.target
        if target is None or not 0.0 < target.error < 1.0:
            continue
        trials, kind = counted[0 if target.mated else 1]
        needed = needed_trials(target.error)
        if trials < needed:
            lacking[str(measure)] = say("advice.needs", needed=needed, kind=say(f"advice.kind.{kind}"))
    return lacking


def _is_bound(measure: Measure, evaluation: AnyEvaluation) -> bool:
    """Does the interval say something of one side only: a rate up to 0 or 1, or no further than the value?"""
    name = str(measure)
    interval, value = evaluation.intervals.get(name), evaluation.results[name].value
    if interval is None or not interval.low <= interval.high:
        return False
    everything = evaluation.measure_set.unit_of(name) == "rate" and (interval.low <= 0.0 or interval.high >= 1.0)
    return everything or not interval.low < value < interval.high


def fewer_than_30(evaluation: AnyEvaluation) -> Message | None:
    """Rates of comparisons or searches that rest on fewer than 30 errors."""
    few = [
        say("advice.errors_of", name=name, errors=result.errors)
        for name, result in evaluation.results.items()
        if result.trials and result.errors is not None and result.errors < RULE_OF_30 and name not in ("FTA", "FTE")
    ]
    return say("advice.few_errors", few=RULE_OF_30, names=abridged(few)) if few else None


def failed_searches(evaluation: SearchEvaluation) -> Message | None:
    """Searches without an answer are left out of all rates."""
    searches = evaluation.trials
    if not searches.failed:
        return None
    enrolled, others = searches.failed_enrolled, searches.failed_nonenrolled
    return say("advice.failed_searches", n=searches.failed, enrolled=enrolled, others=others)


def resolution_of_searches(evaluation: SearchEvaluation) -> Message | None:
    """The lowest target asked for that the number of searches cannot show."""
    enrolled, others = evaluation.tally.n_enrolled, evaluation.tally.n_nonenrolled
    return unresolved(evaluation, (enrolled, say("advice.kind.enrolled")), (others, say("advice.kind.nonenrolled")))


SKEWED = 0.9  # one kind holds at least this share
BY_CHANCE = 0.2  # a random list reaches at least this rate

_BEST = ("minCost", "minHTER", "minDCF", "Youden")  # these choose the threshold that suits the data best
_SUMMARIES = ("EER", "AUC", "Gini", "pAUC", "dprime", "FRatio", "KS", "Youden", "Overlap", "HTER", "minHTER")
_SIDES = (("FMR", "FAR", "TNMR", "GRR", "FM", "TNM", "GFAR"), ("FNMR", "FRR", "TMR", "GAR", "FNM", "TM", "GFRR"))
_RANKED = ("RR", "CMS", "AUC", "nAUC", "MeanRank", "MedianRank", "MRR", "mAP")
_SEARCH_SUMMARIES = ("EERopen", "AUCopen")
_SEARCH_SIDES = (("FPIR", "SEL"), ("DIR", "FNIR", "Missed", "Misidentified"))


def tuned(evaluation: ScoreEvaluation) -> Message | None:
    """Best thresholds, where nothing is read at a threshold that was fixed before."""
    asked = [Spelling.read(name) for name in evaluation]
    best = [str(spelling) for spelling in asked if spelling.name in _BEST]
    if not best or any("t" in spelling.at or spelling.name == "actDCF" for spelling in asked):
        return None
    return say("advice.tuned", name=best[0])


def uncalibrated(evaluation: ScoreEvaluation) -> Message | None:
    """Costs of log-likelihood ratios above that of a system that says nothing."""
    for name, result in evaluation.results.items():
        spelling = Spelling.read(name)
        if spelling.name in ("Cllr", "actDCF") and spelling.variant != "raw" and result.value > 1.0:
            return say("advice.llr", name=name, value=result.value)
    return None


def alone(evaluation: ScoreEvaluation) -> Message | None:
    """One number for two errors, or one error without the other."""
    asked = [Spelling.read(name) for name in evaluation]
    side = _one_side(asked, _SIDES)
    if side is not None:
        return say("advice.one_error", name=str(asked[0]), other=("FNMR", "FMR")[side])
    if len(asked) == 1 and asked[0].name in _SUMMARIES:
        return say("advice.alone", name=str(asked[0]), other="FNMR@FMR=0.001")
    return None


def skewed(evaluation: ScoreEvaluation, accuracy: FoldAccuracy) -> Message | None:
    """Accuracy over folds where one kind of comparison is rare, or that a blind decision reaches."""
    counts = evaluation.counts
    number, kind = max((counts["mated"], "mated"), (counts["nonmated"], "nonmated"))
    share = number / (counts["mated"] + counts["nonmated"])
    if share < SKEWED and accuracy.mean > share:
        return None
    return say(f"advice.skewed.{kind}", share=share)


def blind(evaluation: SearchEvaluation) -> Message | None:
    """Only ranks were asked for, though some searches are by people who are not enrolled."""
    others = evaluation.counts["nonenrolled"]
    if not others or any(Spelling.read(name).name not in _RANKED for name in evaluation):
        return None
    return say("advice.blind", n=others)


def alone_among_searches(evaluation: SearchEvaluation) -> Message | None:
    """One number, or one of the two errors of a watch list."""
    asked = [Spelling.read(name) for name in evaluation]
    side = _one_side(asked, _SEARCH_SIDES)
    if side is not None and evaluation.counts[("enrolled", "nonenrolled")[side]]:
        return say("advice.one_error", name=str(asked[0]), other=("DIR", "FPIR")[side])
    if len(asked) != 1 or asked[0].name not in (*_RANKED, *_SEARCH_SUMMARIES):
        return None
    beside = "DIR@FPIR=0.01" if asked[0].name in _SEARCH_SUMMARIES else "CMS@5" if asked[0].name == "RR" else "RR"
    return say("advice.alone_searches", name=str(asked[0]), other=beside)


def chance(evaluation: SearchEvaluation) -> Message | None:
    """The longest list asked for that finds many mates whoever is on it."""
    people = evaluation.counts["gallery"]
    lists = [spelling.at for name in evaluation if (spelling := Spelling.read(name)).name == "CMS"]
    ranks = [int(at[key]) for at in lists for key in (BARE, "k") if key in at]
    if not people or not ranks or max(ranks) < BY_CHANCE * people:
        return None
    return say("advice.chance", rank=max(ranks), people=people, share=min(1.0, max(ranks) / people))


def unlike(evaluations: Sequence[ScoreEvaluation]) -> Message | None:
    """Systems whose comparisons are not equally many cannot have been measured on the same ones."""
    trials = []
    for evaluation in evaluations:
        counts, lost = evaluation.counts, evaluation.trials.failures
        mated, nonmated = counts["mated"] + lost.mated, counts["nonmated"] + lost.nonmated
        trials.append(say("advice.comparisons", mated=mated, nonmated=nonmated))
    return _different(evaluations, trials)


def unlike_searches(evaluations: Sequence[SearchEvaluation]) -> Message | None:
    """Galleries or numbers of searches differ; ranks and false alarms grow with the gallery."""
    trials = []
    for evaluation in evaluations:
        counts = evaluation.counts
        searches = counts["enrolled"] + counts["nonenrolled"] + counts["failed"]
        trials.append(say("advice.searches", searches=searches, people=counts["gallery"]))
    return _different(evaluations, trials)


def no_interval(*, shown: bool) -> Message | None:
    """Numbers are shown without intervals."""
    return None if shown else say("advice.no_interval")


def _different(evaluations: Sequence[AnyEvaluation], trials: Sequence[Message]) -> Message | None:
    odd = next((index for index, measured_on in enumerate(trials) if measured_on != trials[0]), None)
    if odd is None:
        return None
    first, second = evaluations[0].name, evaluations[odd].name
    return say("advice.unlike", first=first, a=trials[0], second=second, b=trials[odd])


def _one_side(asked: Sequence[Spelling], sides: Iterable[Sequence[str]]) -> int | None:
    """The side all of the measures are on, each read at a threshold."""
    if not asked or not all(set(spelling.at) <= {"t", "k"} for spelling in asked):
        return None
    return next((index for index, side in enumerate(sides) if all(spelling.name in side for spelling in asked)), None)


FEW = 30
BY_DESIGN, ENOUGH = 0.005, 100  # so close to one half, among so many samples, the share of positives looks chosen
FAR_OFF = 0.1  # an ECE above it
RARE = 0.01  # a share of positives to compare with
_OF_PREVALENCE = ("Precision", "NPV", "FDR", "FOR", "AP")


def warnings_of_classes(
    evaluation: ClassEvaluation, *, intervals: bool = True, tuned_here: bool | None = None
) -> list[Text]:
    """Every warning that applies to the results, most important first.

    `intervals` says that the numbers are shown with intervals. `tuned_here` says whether a threshold or a calibrator
    was chosen on these data; None: judged by the measures asked for.
    """
    warnings: tuple[Text | None, ...] = (
        _reversed_classes(evaluation),
        *evaluation.trials.warnings,
        _resolution_of_classes(evaluation),
        _skewed_classes(evaluation),
        _beaten_by_dummy(evaluation),
        _of_another_prevalence(evaluation),
        _one_class(evaluation),
        _tuned_on_classes(evaluation, tuned_here),
        _uncalibrated_probabilities(evaluation),
        _impossible(evaluation),
        _few_samples(evaluation),
        _single_measure(evaluation),
        no_interval(shown=intervals),
    )
    return [warning for warning in warnings if warning]


def _shares(evaluation: ClassEvaluation) -> list[float]:
    totals = evaluation.tally.class_totals
    total = float(totals.sum())
    return [float(n) / total for n in totals] if total else []


def _numbers(predictions: Predictions) -> list[int]:
    """How many samples each class has, whatever they weigh."""
    from bertillon.counting.classes.confusion import code_totals  # warnings of comparisons need no classes

    numbers: list[int] = code_totals(predictions.truth, predictions.n_classes).tolist()
    return numbers


def _value(evaluation: ClassEvaluation, name: str) -> float:
    return evaluation.results[name].value if name in evaluation.results else math.nan


def _reversed_classes(evaluation: ClassEvaluation) -> Message | None:
    if not _value(evaluation, "AUC") < 0.5:
        return None
    predictions = evaluation.trials
    return say("advice.reversed_class", other=str(predictions.classes[1 - predictions.positive_code]))


def _resolution_of_classes(evaluation: ClassEvaluation) -> Message | None:
    """The lowest target asked for that the number of samples cannot show."""
    predictions = evaluation.trials
    if not predictions.is_binary:
        return None
    numbers = _numbers(predictions)
    positives, negatives = (numbers[code] for code in (predictions.positive_code, 1 - predictions.positive_code))
    return unresolved(evaluation, (positives, say("advice.kind.positive")), (negatives, say("advice.kind.negative")))


def _skewed_classes(evaluation: ClassEvaluation) -> Message | None:
    shares = _shares(evaluation)
    if "Accuracy" not in evaluation.results or not shares or max(shares) < SKEWED:
        return None
    return say("advice.skewed_class", share=max(shares))


def _beaten_by_dummy(evaluation: ClassEvaluation) -> Message | None:
    shares, accuracy = _shares(evaluation), _value(evaluation, "Accuracy")
    if not shares or not accuracy <= max(shares):
        return None
    return say("advice.dummy", accuracy=accuracy, share=max(shares))


def _of_another_prevalence(evaluation: ClassEvaluation) -> Message | None:
    """Precision and its kin hold for the share of positives in the data, which may not be that of the place of use."""
    predictions, spelled = evaluation.trials, {name: Spelling.read(name) for name in evaluation}
    asked = [name for name, spelling in spelled.items() if spelling.name in _OF_PREVALENCE and not spelling.variant]
    shares = _shares(evaluation)
    if not predictions.is_binary or not asked or not shares:
        return None
    named = (spelling.options.get("prevalence") for spelling in spelled.values())  # by a cost asked for
    share, stated = shares[predictions.positive_code], next((each for each in named if each is not None), None)
    if stated is None and (abs(share - 0.5) > BY_DESIGN or predictions.size < ENOUGH):
        return None
    if stated is not None and math.isclose(stated, share, rel_tol=0.1):
        return None
    if stated is None:
        sentence = say("advice.prevalence.balanced", measure=asked[0], share=share)
    else:
        sentence = say("advice.prevalence.expected", measure=asked[0], share=share, expected=stated)
    elsewhere = _elsewhere(evaluation, RARE if stated is None else stated)
    return sentence if elsewhere is None else sentences(sentence, elsewhere)


def _elsewhere(evaluation: ClassEvaluation, share: float) -> Message | None:
    """The precision of the same decisions among another share of positives."""
    if evaluation.tally.confusion is None:
        return say("advice.prevalence.falls")
    from bertillon.measures import precision_at  # nor their measures

    tpr, fpr = (evaluation[name].value for name in ("Recall", "FPR"))
    if math.isnan(tpr) or math.isnan(fpr):
        return None
    return say("advice.prevalence.elsewhere", share=share, precision=precision_at(tpr, fpr, share))


def _one_class(evaluation: ClassEvaluation) -> Message | None:
    filled = [share for share in _shares(evaluation) if share > 0]
    return say("advice.one_class") if len(filled) == 1 else None


def _tuned_on_classes(evaluation: ClassEvaluation, tuned_here: bool | None) -> Message | None:
    chosen = [str(measure) for measure in evaluation.measures if measure.picks_threshold]
    if tuned_here is False or (tuned_here is None and not chosen):
        return None
    return say("advice.tuned_class_named", names=chosen[:3]) if chosen else say("advice.tuned_class")


def _uncalibrated_probabilities(evaluation: ClassEvaluation) -> Message | None:
    asked = {name: Spelling.read(name).name for name in evaluation.results}
    if evaluation.trials.probabilities is None:
        return None
    if not any(kind in ("ECE", "LogLoss", "Brier") for kind in asked.values()):
        return say("advice.uncalibrated")
    errors = {name: _value(evaluation, name) for name, kind in asked.items() if kind == "ECE"}
    far = ((name, error) for name, error in errors.items() if error > FAR_OFF)
    name, error = next(far, ("", math.nan))
    return say("advice.ece", name=name, value=error) if name else None


def _impossible(evaluation: ClassEvaluation) -> Message | None:
    if _value(evaluation, "LogLoss") != math.inf:
        return None
    return say("advice.impossible", n=evaluation.tally.losses.impossible)


def _few_samples(evaluation: ClassEvaluation) -> Message | None:
    predictions = evaluation.trials
    small = [str(label) for label, n in zip(predictions.classes, _numbers(predictions), strict=True) if 0 < n < FEW]
    return say("advice.few_samples", few=FEW, names=abridged(small)) if small else None


def _single_measure(evaluation: ClassEvaluation) -> Message | None:
    if len(evaluation.results) != 1:
        return None
    return say("advice.alone_class", name=next(iter(evaluation.results)))
