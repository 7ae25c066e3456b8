"""The sentences and words of the advice layer as patterns: each place in braces stands for what varies."""

from __future__ import annotations

ADVICE = {
    "advice.eer": "EER {eer} %: {band}.",
    "advice.eer_open": "EERopen {eer} %: {band}.",
    "advice.unknown": "EER unknown.",
    "advice.unknown_open": "EERopen unknown.",
    "advice.degradation": (
        "EERopen {opened} % is {times} times the EER of verification, {eer} %: {word} ({low} to {high} times)."
    ),
    "advice.degradation_unknown": (
        "EERopen cannot be set against the EER of verification: one of them is zero or unknown."
    ),
    "advice.frr": "FPIR {fpir}: FNIR {total} = {missed} not detected + {wrong} misidentified: {words}.",
    "advice.frr_unknown": "FPIR {fpir}: FNIR cannot be split: it is unknown.",
    "advice.met": (
        "{preset}: met. {name} is {value} % at threshold {threshold}; {promise} should cost at most {most} % {price}."
    ),
    "advice.not_met": (
        "{preset}: not met. {name} is {value} % at threshold {threshold}; {promise} should cost at most {most} % "
        "{price}."
    ),
    "advice.auc": "AUC {value}: {band}.",
    "advice.kappa": "Kappa {value}: {band}.",
    "advice.resolution": (
        "{place} {target} needs at least {needed} independent {kind} comparisons (rule of 3); you have {trials}. What "
        "stands there is a bound, not a measurement."
    ),
    "advice.resolution_searches": (
        "FPIR {target} needs at least {needed} independent non-enrolled searches (rule of 3); you have {trials}. What "
        "stands there is a bound, not a measurement."
    ),
    "advice.few": "fewer than 30 errors, so the true rate may well be 30 % off (rule of 30): {names}.",
    "advice.failed": (
        "{failed} failed comparisons ({mated} mated, {nonmated} non-mated) are left out of FMR and FNMR; FAR and FRR "
        "count them in."
    ),
    "advice.failed_searches": (
        "{failed} searches gave no score ({enrolled} enrolled, {others} non-enrolled) and are left out of all rates."
    ),
    "advice.direction_similarity": (
        "AUC is below 0.5: mated scores are lower than non-mated ones. Either these are distances (--distance, "
        "rule='distance'), or the genuine and the impostor scores are swapped. Scores were "
        "not inverted."
    ),
    "advice.direction_distance": (
        "AUC is below 0.5: mated distances are larger than non-mated ones. Either these are similarities "
        "(--similarity, rule='similarity'), or the genuine and the impostor scores are swapped. Scores were "
        "not inverted."
    ),
    "advice.chance": "CMS@{rank} of {people} people: {share} is reached by a list drawn at random.",
    "advice.tuned": (
        "{name} chose its threshold on these very data, which flatters it; judge that threshold on others (@t=)."
    ),
    "advice.llr": (
        "{name} is {value}, above 1: taken as log-likelihood ratios these scores are worse than no answer. Calibrate "
        "them first."
    ),
    "advice.one_error": "{name} tells of one error only, and the other pays for it: ask for {other}@t= too.",
    "advice.alone": "{name} alone hides the trade-off of errors; report a point beside it, such as {other}.",
    "advice.alone_searches": "{name} alone hides trade-offs; report another number beside it, such as {other}.",
    "advice.alone_class": "{name} alone hides trade-offs; report a complementary measure beside it.",
    "advice.blind": (
        "{n} searches by people who are not enrolled are in none of these measures: DIR@FPIR=0.01 has them."
    ),
    "advice.unlike": "{first} was measured on {a}, {second} on {b}: part of what tells them apart may be the data.",
    "advice.no_interval": "these are numbers without intervals; how sure they are is not shown.",
    "advice.reversed_class": (
        "AUC is below 0.5: positives score lower than negatives. If the scores speak for the other class, say so with "
        "positive=; nothing was turned round."
    ),
    "advice.skewed_class": (
        "the largest class holds {share} of the samples: naming it always would have an accuracy of {accuracy}. Read "
        "balanced accuracy, MCC, precision and recall instead."
    ),
    "advice.dummy": "accuracy {accuracy} is no better than always naming the largest class ({share}).",
    "advice.one_class": "the truth is all one class, so most measures are undefined.",
    "advice.tuned_class": (
        "a threshold was chosen on these very data: what it gives here is better than it will be elsewhere. Choose it "
        "on other data and read it here at t=."
    ),
    "advice.tuned_class_named": (
        "a threshold was chosen on these very data ({names}): what it gives here is better than it will be elsewhere. "
        "Choose it on other data and read it here at t=."
    ),
    "advice.uncalibrated": (
        "there are probabilities and no measure of their calibration; a high AUC does not vouch for them (ECE)."
    ),
    "advice.ece": "ECE is {value}: the probabilities are far from what came true; calibrate them first.",
    "advice.impossible": (
        "{n} samples had probability 0 for what came true, so LogLoss is infinite (LogLoss[clipped] is finite)."
    ),
    "advice.few_samples": "fewer than {few} samples of {names}: rates of these classes say little.",
    "term.excellent": "excellent",
    "term.good": "good",
    "term.acceptable": "acceptable",
    "term.acceptable where errors are not critical": "acceptable where errors are not critical",
    "term.weak": "weak",
    "term.poor": "poor",
    "term.poor: not usable as it is": "poor: not usable as it is",
    "term.unknown": "unknown",
    "term.perfect": "perfect",
    "term.none": "none",
    "term.reversed: worse than chance": "reversed: worse than chance",
    "term.worse than chance": "worse than chance",
    "term.slight": "slight",
    "term.fair": "fair",
    "term.moderate": "moderate",
    "term.substantial": "substantial",
    "term.almost perfect": "almost perfect",
    "term.as usual": "as usual",
    "term.less than usual": "less than usual",
    "term.more than usual": "more than usual",
    "term.mated": "mated",
    "term.non-mated": "non-mated",
    "term.of genuine users rejected": "of genuine users rejected",
    "term.of impostors accepted": "of impostors accepted",
    "term.every enrolled person is identified": "every enrolled person is identified",
    "term.a problem of detection; a more permissive threshold helps, at the price of false alarms": (
        "a problem of detection; a more permissive threshold helps, at the price of false alarms"
    ),
    "term.a problem of identification; only a matcher that tells people apart better helps": (
        "a problem of identification; only a matcher that tells people apart better helps"
    ),
    "term.both weigh; work on the threshold and on the matcher": "both weigh; work on the threshold and on the matcher",
    "term.extremely low false alarm": "extremely low false alarm",
    "term.extremely high detection": "extremely high detection",
    "term.low false alarm, moderate detection": "low false alarm, moderate detection",
    "term.high detection, moderate false alarm": "high detection, moderate false alarm",
    "term.no threshold": "no threshold",
    "term.all searches are looked through": "all searches are looked through",
    "term.no mated scores": "no mated scores",
    "term.no non-mated scores": "no non-mated scores",
    "advice.better": (
        "{second} is better than {first}: {measure} {b} against {a}, {size} {way} ({level} interval {low} to {high}), "
        "p = {p}."
    ),
    "advice.worse": (
        "{second} is worse than {first}: {measure} {b} against {a}, {size} {way} ({level} interval {low} to {high}), "
        "p = {p}."
    ),
    "advice.apart": (
        "{second} and {first} cannot be told apart: {measure} {b} against {a}, p = {p}; a true difference must be "
        "about {size} to be seen four times in five."
    ),
    "advice.same": "{first} and {second} give the same scores throughout: nothing tells them apart.",
    "advice.unpaired": (
        "the systems are compared as unpaired, each resampled by itself: if they judged the same people or trials, a "
        "paired comparison would see smaller differences."
    ),
    "advice.naive_pairs": (
        "resampled were {units}: where several are of one person, intervals and p values are too small."
    ),
    "advice.few_resamples": (
        "{tests} tests beside each other cannot reach p = {alpha} with {resamples} resamples, whatever the data; use "
        "--resamples {needed}."
    ),
    "term.more": "more",
    "term.less": "less",
    "term.points": "points",
}
