"""Common mistakes of reporting, as far as the data and the measures asked for show them.

tuned          a threshold chosen on the data it is judged on, and nothing read at a fixed one
uncalibrated   scores read as log-likelihood ratios that inform less than no answer would
alone          one number, or one of the two errors, where the other pays for it
skewed         accuracy where one kind of comparison is rare
chance         ranks that a random list would reach often
blind          searches by people who are not enrolled, and no measure that counts them
unlike         systems side by side that were measured on different trials
no_interval    numbers without a word on how sure they are

Conventions: each is a function to one sentence or None, silent unless the measures asked for make it matter. What
costs the errors have, or what share of positives there is in use, no data show: `choosing` asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bertillon.evaluation import Evaluation, SearchEvaluation
from bertillon.evaluation.answers import Answers
from bertillon.matching.protocol.folds import FoldAccuracy
from bertillon.measures.spelling import BARE, Spelling

SKEWED = 0.9  # one kind holds at least this share
BY_CHANCE = 0.2  # a random list reaches at least this rate

_BEST = ("minCost", "minHTER", "minDCF", "Youden")  # these choose the threshold that suits the data best
_SUMMARIES = ("EER", "AUC", "Gini", "pAUC", "dprime", "FRatio", "KS", "Youden", "Overlap", "HTER", "minHTER")
_SIDES = (("FMR", "FAR", "TNMR", "GRR", "FM", "TNM", "GFAR"), ("FNMR", "FRR", "TMR", "GAR", "FNM", "TM", "GFRR"))
_RANKED = ("RR", "CMS", "AUC", "nAUC", "MeanRank", "MedianRank", "MRR", "mAP")
_SEARCH_SUMMARIES = ("EERopen", "AUCopen")
_SEARCH_SIDES = (("FPIR", "SEL"), ("DIR", "FNIR", "Missed", "Misidentified"))


def tuned(evaluation: Evaluation) -> str | None:
    """Best thresholds, where nothing is read at a threshold that was fixed before."""
    asked = [Spelling.read(name) for name in evaluation]
    best = [str(one) for one in asked if one.name in _BEST]
    if not best or any("t" in one.at or one.name == "actDCF" for one in asked):
        return None
    return f"{best[0]} chose its threshold on these very data, which flatters it; judge that threshold on others (@t=)."


def uncalibrated(evaluation: Evaluation) -> str | None:
    """Costs of log-likelihood ratios above that of a system that says nothing."""
    for name, result in evaluation.results.items():
        spelling = Spelling.read(name)
        if spelling.name in ("Cllr", "actDCF") and spelling.variant != "raw" and result.value > 1.0:
            return (
                f"{name} is {result.value:.3g}, above 1: taken as log-likelihood ratios these scores are worse than "
                "no answer. Calibrate them first."
            )
    return None


def alone(evaluation: Evaluation) -> str | None:
    """One number for two errors, or one error without the other."""
    asked = [Spelling.read(name) for name in evaluation]
    side = _one_side(asked, _SIDES)
    if side is not None:
        other = ("FNMR", "FMR")[side]
        return f"{asked[0]} tells of one error only, and the other pays for it: ask for {other}@t= too."
    if len(asked) == 1 and asked[0].name in _SUMMARIES:
        return f"{asked[0]} alone hides the trade-off of errors; report a point beside it, such as FNMR@FMR=0.001."
    return None


def skewed(evaluation: Evaluation, accuracy: FoldAccuracy) -> str | None:
    """Accuracy over folds where one kind of comparison is rare, or that a blind decision reaches."""
    counts = evaluation.counts
    number, kind = max((counts["mated"], "mated"), (counts["nonmated"], "non-mated"))
    share = number / (counts["mated"] + counts["nonmated"])
    if share < SKEWED and accuracy.mean > share:
        return None
    blind = "accepting" if kind == "mated" else "rejecting"
    return f"{share:.1%} of the comparisons are {kind}: {blind} all would reach {share:.3f}. Read FMR and FNMR instead."


def blind(evaluation: SearchEvaluation) -> str | None:
    """Only ranks were asked for, though some searches are by people who are not enrolled."""
    others = evaluation.counts["nonenrolled"]
    if not others or any(Spelling.read(name).name not in _RANKED for name in evaluation):
        return None
    return f"{others:,} searches by people who are not enrolled are in none of these measures: DIR@FPIR=0.01 has them."


def alone_among_searches(evaluation: SearchEvaluation) -> str | None:
    """One number, or one of the two errors of a watch list."""
    asked = [Spelling.read(name) for name in evaluation]
    side = _one_side(asked, _SEARCH_SIDES)
    if side is not None and evaluation.counts[("enrolled", "nonenrolled")[side]]:
        other = ("DIR", "FPIR")[side]
        return f"{asked[0]} tells of one error only, and the other pays for it: ask for {other}@t= too."
    if len(asked) != 1 or asked[0].name not in (*_RANKED, *_SEARCH_SUMMARIES):
        return None
    beside = "DIR@FPIR=0.01" if asked[0].name in _SEARCH_SUMMARIES else "CMS@5" if asked[0].name == "RR" else "RR"
    return f"{asked[0]} alone hides trade-offs; report another number beside it, such as {beside}."


def chance(evaluation: SearchEvaluation) -> str | None:
    """The longest list asked for that finds many mates whoever is on it."""
    people = evaluation.counts["gallery"]
    ranks = [int(rank) for name in evaluation for rank in _ranks(Spelling.read(name))]
    if not people or not ranks or max(ranks) < BY_CHANCE * people:
        return None
    by_chance = min(1.0, max(ranks) / people)
    return f"CMS@{max(ranks)} of {people:,} people: {by_chance:.3g} is reached by a list drawn at random."


def unlike(evaluations: Sequence[Evaluation]) -> str | None:
    """Systems whose comparisons are not equally many cannot have been measured on the same ones."""
    numbers = []
    for one in evaluations:
        failed = one.scores.failures
        numbers.append((one.counts["mated"] + failed.mated, one.counts["nonmated"] + failed.nonmated))
    return _different(evaluations, [f"{mated:,} + {nonmated:,} comparisons" for mated, nonmated in numbers])


def unlike_searches(evaluations: Sequence[SearchEvaluation]) -> str | None:
    """Galleries or numbers of searches differ; ranks and false alarms grow with the gallery."""
    return _different(
        evaluations,
        [
            f"{one.counts['enrolled'] + one.counts['nonenrolled'] + one.counts['failed']:,} searches among "
            f"{one.counts['gallery']:,} people"
            for one in evaluations
        ],
    )


def no_interval(*, shown: bool) -> str | None:
    """Numbers are shown without intervals."""
    return None if shown else "these are numbers without intervals; how sure they are is not shown."


def _different(evaluations: Sequence[Answers], trials: Sequence[str]) -> str | None:
    if len(set(trials)) < 2:
        return None
    odd = next(place for place, number in enumerate(trials) if number != trials[0])
    return (
        f"{evaluations[0].name} was measured on {trials[0]}, {evaluations[odd].name} on {trials[odd]}: "
        "part of what tells them apart may be the data."
    )


def _one_side(asked: Sequence[Spelling], sides: Iterable[Sequence[str]]) -> int | None:
    """The side all of the measures are on, each read at a threshold."""
    if not asked or not all(set(one.at) <= {"t", "k"} for one in asked):
        return None
    return next((place for place, side in enumerate(sides) if all(one.name in side for one in asked)), None)


def _ranks(spelling: Spelling) -> Iterable[float]:
    return [spelling.at[key] for key in (BARE, "k") if spelling.name == "CMS" and key in spelling.at]
