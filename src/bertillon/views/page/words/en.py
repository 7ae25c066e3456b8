"""The page in English."""

from __future__ import annotations

from bertillon.views.page.words.advice_en import ADVICE
from bertillon.views.page.words.attacks_en import ATTACKS
from bertillon.views.page.words.samples_en import SAMPLES

SENTENCES = {
    **ADVICE,
    **ATTACKS,
    **SAMPLES,
    # signs
    "group": ",",
    "comma": ", ",
    "to": " to ",
    "of": "{part} of {whole}",
    "more": " and {n} more",
    "undefined": "undefined",
    "unnamed": "the system",
    "all": "all",
    "threshold.rejects": "rejects all",
    "threshold.accepts": "accepts all",
    # the frame of the page
    "skip": "Skip to the report",
    "contents": "Contents",
    "theme": "Theme",
    "noscript": "The charts and the threshold need JavaScript; all tables and words below are complete without it.",
    "made": "Made by bertillon {version}. Nothing in this file is fetched from elsewhere.",
    "verdict": "Verdict",
    "warnings": "Before you trust these numbers",
    # titles and headings
    "title.verification": "Verification report",
    "title.identification": "Identification report",
    "title.classification": "Classification report",
    "title.modes": "Report in several modes",
    "mode.verification": "verification",
    "mode.identification": "identification",
    "mode.classification": "classification",
    "section.verification": "Verification",
    "section.identification": "Identification",
    "section.classification": "Classification",
    "section.comparison": "Comparison",
    "section.notes": "How to read this page",
    "section.signature": "Signature",
    "section.data": "Data",
    # what was measured on what
    "summary.verification": (
        "{names} was measured in verification (1:1) on {mated} mated (genuine) and {nonmated} non-mated (impostor) "
        "comparisons."
    ),
    "summary.verification.many": (
        "{n} systems were measured in verification (1:1), each on {mated} mated (genuine) and {nonmated} non-mated "
        "(impostor) comparisons: {names}."
    ),
    "summary.failed": " Failed comparisons: {n}.",
    "summary.identification": (
        "{names} was measured in identification (1:N) with {enrolled} searches by enrolled people and {others} by "
        "others, in a gallery of {gallery} people."
    ),
    "summary.identification.closed": (
        "{names} was measured in closed-set identification (1:N) with {enrolled} searches in a gallery of {gallery} "
        "people."
    ),
    "summary.identification.many": (
        "{names} were measured in identification (1:N), each with {enrolled} searches by enrolled people and {others} "
        "by others, in a gallery of {gallery} people."
    ),
    "summary.identification.closed.many": (
        "{names} were measured in closed-set identification (1:N), each with {enrolled} searches in a gallery of "
        "{gallery} people."
    ),
    "summary.classification": "{names} was measured in classification on {samples} samples of {classes} classes.",
    "summary.classification.many": (
        "{names} were measured in classification, each on {samples} samples of {classes} classes."
    ),
    "rule.similarity": "Scores are similarities: a comparison is accepted when its score is at least the threshold.",
    "rule.distance": "Scores are distances: a comparison is accepted when its score is at most the threshold.",
    # measures
    "interval": "{level} % interval: {ends}",
    "interval.column": "{level} % interval",
    "system": "system",
    "measure": "measure",
    "value": "value",
    "threshold": "threshold",
    "errors": "errors",
    "everyday": "everyday name",
    "names.ml": "in machine learning",
    "names.biometric": "in biometrics",
    "headline.caption": "Headline numbers",
    "measures.caption": "All measures",
    "measures.note": "Under each value stand its interval and its threshold, where there are any.",
    "measures.bounds": (
        "Scores were counted in parts, so these are known within bounds only and the worse end is shown: {bounds}."
    ),
    "band.pointwise": "shaded: {level} % band, for each point by itself",
    "band.simultaneous": "shaded: {level} % band, for the whole curve at once",
    "measures.open": "Open set: not everybody who is searched for is enrolled",
    "measures.closed": "Closed set: everybody who is searched for is enrolled",
    "measure.EER": "equal error rate: both errors are this frequent at one threshold",
    "measure.FNMR@FMR": "genuine users rejected when at most {percent} of impostors are accepted",
    "measure.FMR@FNMR": "impostors accepted when at most {percent} of genuine users are rejected",
    "measure.FMR@t": "impostors accepted at threshold {x}",
    "measure.FNMR@t": "genuine users rejected at threshold {x}",
    "measure.ZeroFMR": "genuine users rejected when no impostor is accepted",
    "measure.ZeroFNMR": "impostors accepted when no genuine user is rejected",
    "measure.AUC": "chance that the right one of a pair scores higher",
    "measure.dprime": "distance between the two score distributions in standard deviations",
    "measure.RR": "the right person comes first",
    "measure.CMS": "the right person is among the first candidates",
    "measure.MeanRank": "mean place of the right person",
    "measure.nAUC": "area under the rank curve, 1 being best",
    "measure.DIR@FPIR": "enrolled people found when at most {percent} of others raise an alarm",
    "measure.EERopen": "misses and false alarms are this frequent at one threshold",
    "measure.AUCopen": "area under the watch-list curve",
    "measure.Accuracy": "samples called by their right class",
    "measure.BalancedAccuracy": "mean recall of the classes",
    "measure.Precision": "right among those called positive",
    "measure.Recall": "positives that were found",
    "measure.Specificity": "negatives that were left alone",
    "measure.F1": "harmonic mean of precision and recall",
    "measure.MCC": "correlation of decisions and truth",
    "measure.Kappa": "agreement beyond chance",
    "measure.AP": "mean precision over all recalls",
    "measure.LogLoss": "surprise at what came true, in nats",
    "measure.Brier": "mean squared error of the probabilities",
    "measure.ECE": "mean gap between what was promised and what came true",
    # verification
    "explore.verification": (
        "Move the threshold: drag the line in a chart, use the slider or its arrow keys, or jump to a named point. All "
        "charts and numbers follow. Every number is exact for the threshold shown beside it."
    ),
    "expected.caption": "What to expect of {genuine} genuine and {impostor} impostor attempts a day",
    "expected.system": "system",
    "expected.point": "operating point",
    "expected.threshold": "threshold",
    "expected.FAR": "FAR",
    "expected.FRR": "FRR",
    "expected.accepts": "false accepts a day",
    "expected.rejects": "false rejects a day",
    "expected.cost": "cost a day",
    "development.caption": "Thresholds fixed on {there}, judged on {here}",
    "folds": (
        "{name}: accuracy over {n} folds {mean} ± {error}, each fold with the threshold that is best on the others."
    ),
    # identification
    "explore.identification": (
        "Move the threshold of the watch list and see how many enrolled people are found, and how many alarms are "
        "raised by people who are not on the list."
    ),
    "regions.caption": "Five ways to run the watch list, for {passers} people a day and {minutes} minutes an alarm",
    "regions.region": "region",
    "regions.target": "target",
    "regions.threshold": "threshold",
    "regions.FPIR": "FPIR",
    "regions.DIR": "DIR",
    "regions.alarms": "false alarms a day",
    "regions.hours": "hours of checking a day",
    "regions.misses": "people missed a day",
    "regions.note": "DIR: share of enrolled people who are found. FPIR: share of others who raise an alarm.",
    "regions.out": "out of reach for this system",
    "regions.unseen": "too few searches to measure so low an FPIR: a bound",
    "cmc.title": "Rank of the right person (CMC)",
    "cmc.summary": "Share of searches in which the right person is among the first k candidates. At rank 1: {first}.",
    "cmc.rank": "Rank k",
    "cmc.rate": "Right person within rank k",
    # classification
    "explore.classification": (
        "Move the threshold from which a sample is called {positive}: drag the line in a chart, use the slider or its "
        "arrow keys, or jump to a named point."
    ),
    "confusion.caption": "Confusion matrix: rows are true classes, columns what they were called",
    "confusion.corner": "true \\ called",
    "confusion.true": "true class",
    "confusion.predicted": "called",
    "confusion.count": "samples",
    "confusion.worst": "The {n} most frequent confusions among {classes} classes.",
    "class": "class",
    "support": "samples",
    "classes.caption": "Each class against the rest",
    "reliability.title": "Calibration",
    "reliability.summary": (
        "How often what was promised came true, by promised probability. On the diagonal they agree."
    ),
    "reliability.diagonal": "perfect calibration",
    "reliability.promised": "Promised probability",
    "reliability.observed": "Came true",
    "reliability.count": "{n} samples",
    # comparison
    "comparison.caption": "False non-match rate at a few false match rates",
    "comparison.some": "Of {all} systems the {n} best by {measure} are compared in pairs.",
    "comparison.tied": "{first} and {second} have the same FNMR at every FMR.",
    "comparison.dominates": "{better} is nowhere worse than {worse} and somewhere better: it dominates at every FMR.",
    "comparison.below": "{name} has the lower FNMR below FMR {fmr}",
    "comparison.from": "{name} from FMR {fmr} on",
    "comparison.more": "and the lead changes {n} times more",
    "comparison.neither": "{parts}; neither is better throughout.",
    "comparison.note": "The lowest rate of each column is in bold.",
    "comparison.untested": (
        "The lowest rate of each column is in bold. Whether a difference is more than chance is a matter for a paired "
        "test (bertillon compare)."
    ),
    "tested.caption": "Differences tested on the same trials",
    "tested.unpaired": "Differences tested between systems that were not paired",
    "tested.note": (
        "Difference: second less first, in percentage points for rates. p values are adjusted for all tests made "
        "beside each other (Holm)."
    ),
    "tested.first": "first",
    "tested.second": "second",
    "tested.measure": "measure",
    "tested.first_value": "first's value",
    "tested.second_value": "second's value",
    "tested.difference": "difference",
    "tested.interval": "interval",
    "tested.p": "p",
    # notes
    "notes.verification": (
        "FMR (false match rate) is the share of non-mated comparisons, of different people, that are accepted; FNMR "
        "(false non-match rate) the share of mated comparisons, of the same person, that are rejected. FAR and FRR are "
        "the same for whole attempts: failed comparisons count as rejections. EER is the rate at which both are equal, "
        "on the straight line between neighbouring thresholds. A rate at FMR = x is read at the most permissive "
        "threshold whose FMR is at most x."
    ),
    "notes.identification": (
        "DIR is the share of searches by enrolled people in which the right person passes the threshold and comes "
        "first; FNIR = 1 - DIR. FPIR is the share of searches by people who are not enrolled in which anybody passes. "
        "CMS(k) is the share of searches whose right person is among the first k."
    ),
    "notes.classification": (
        "FPR is the share of negatives called positive, recall (TPR) the share of positives called so, precision the "
        "share of those called positive that are. ECE compares promised probabilities with what came true, in ten bins."
    ),
    "notes.names": (
        "FPR, FNR and recall of machine learning are FMR, FNMR and TMR of comparisons, and FPIR, FNIR and DIR of "
        "searches: the mated ones, and searches by enrolled people, are the positives."
    ),
    "notes.ties": (
        "A score equal to the threshold is accepted. Equal scores are never split: only distinct scores are "
        "thresholds, and one that rejects everything. In a ranking, others who are just as alike come before the right "
        "person."
    ),
    "notes.intervals": (
        "An interval holds the true rate of the population with the stated confidence, if people like those measured "
        "are measured again. Numbers are shown to the digits that their interval supports."
    ),
    "notes.no_intervals": "No intervals were asked for, so how sure these numbers are is not shown.",
    "notes.naive": (
        "Some intervals take the comparisons as independent, because it is not known whose they are. Comparisons share "
        "people, so the truth may well lie outside of them."
    ),
    "notes.bounds": (
        "Where no error was seen, the rate is shown as a bound: with 95 % confidence it is below 3 / trials (rule of "
        "3). On log and normal-deviate axes such a rate stands at half an error, and the line marks one error."
    ),
    "notes.exact": (
        "Curves keep up to about two thousand thresholds each, chosen so that no difference can be seen, besides all "
        "named points and all thresholds that could cost least. The handle moves among these; at each of them counts "
        "and rates are exactly those of the data."
    ),
    "notes.use": (
        "Expected errors a day are the rates times the attempts typed in; the cost is the sum of both errors times "
        "what one of each costs. They hold as far as the people and conditions in use are those of the test."
    ),
    # signature and data
    "signature.caption": "What one needs to get the same numbers again",
    "signature.what": "what",
    "signature.is": "is",
    "signature.of": "of",
    "data.words": "All numbers behind this page, curves and answers, in full precision:",
    "data.json": "Download as JSON",
    "data.csv": "Download the curves as CSV",
    # tables
    "copy": "Copy",
    "live.copied": "Copied as {format}.",
    "copy.failed": "Copying is not allowed here; copy the text from this box:",
    "close": "Close",
    # controls
    "control.threshold": "Threshold",
    "control.typed": "exact threshold",
    "control.points": "Jump to",
    "control.cheapest": "least cost",
    "control.curve": "Curve",
    "control.axes": "Axes",
    "control.linear": "linear",
    "control.log": "log",
    "control.normal": "normal deviate",
    "control.systems": "Systems",
    "control.lead": "The threshold is that of",
    "control.follow": "Other systems stand at",
    "control.same_rate": "the same {rate} or less",
    "control.same_threshold": "the same threshold",
    "control.use": "In use",
    "control.genuine": "genuine attempts a day",
    "control.impostor": "impostor attempts a day",
    "control.cost_accept": "cost of a false accept",
    "control.cost_reject": "cost of a false reject",
    "control.positive": "positives a day",
    "control.negative": "negatives a day",
    "control.cost_fp": "cost of a false positive",
    "control.cost_fn": "cost of a missed positive",
    "control.passers": "people a day",
    "control.minutes": "minutes to check an alarm",
    "control.on_list": "share on the list",
    "control.numbers": "At this threshold",
    # what the script says
    "live.group": ",",
    "live.of": "{part} of {whole}",
    "live.to": " to ",
    "live.independent": "{level} % intervals here take the trials as independent.",
    "live.shared": (
        "These numbers carry no intervals: the trials share people, and what that does at every threshold is not kept "
        "in this page. The tables have intervals at the named points."
    ),
    "live.accept_from": "accepted when score ≥ t",
    "live.accept_to": "accepted when score ≤ t",
    "live.rejects_all": "rejects all",
    "live.kept": "one of {n} thresholds kept in this page",
    "live.whole": "one of {n} thresholds, all there are",
    "live.moved": "{typed} is between two kept thresholds; the next stricter one is shown",
    "live.bad_number": "expected a number, 0 or more",
    "live.bad_share": "expected a share from 0 to 1",
    "live.bad_threshold": "expected a number",
    "live.reading": "threshold {threshold}: {matched} {matched_rate}, {missed} {missed_rate}",
    "live.threshold": "threshold",
    "live.score": "Score",
    "live.density": "Share of scores",
    "live.cost": "Cost a day",
    "live.cost_title": "Cost by threshold",
    "live.rates_title": "Errors by threshold",
    "live.scores_title": "Scores",
    "live.pr_title": "Precision and recall",
    "live.rate": "Rate",
    "live.system": "system",
    "live.floor": "one error",
    "live.sorted": "Sorted by {column}.",
    "live.unsorted": "In the order of the report.",
    "live.theme.auto": "as the system",
    "live.theme.light": "light",
    "live.theme.dark": "dark",
    "live.verification.matched": "FMR",
    "live.verification.missed": "FNMR",
    "live.verification.found": "TMR",
    "live.verification.matched_words": "False match rate (FMR, FAR)",
    "live.verification.missed_words": "False non-match rate (FNMR, FRR)",
    "live.verification.found_words": "True match rate (TMR, GAR)",
    "live.verification.mated": "mated (genuine)",
    "live.verification.nonmated": "non-mated (impostor)",
    "live.verification.day_matched": "false accepts a day",
    "live.verification.day_missed": "false rejects a day",
    "live.verification.cost": "cost a day",
    "live.identification.matched": "FPIR",
    "live.identification.missed": "FNIR",
    "live.identification.found": "DIR",
    "live.identification.matched_words": "False alarms by others (FPIR)",
    "live.identification.missed_words": "Enrolled people not found (FNIR)",
    "live.identification.found_words": "Enrolled people found (DIR)",
    "live.identification.mated": "right person, enrolled",
    "live.identification.nonmated": "best candidate of others",
    "live.identification.day_matched": "false alarms a day",
    "live.identification.day_missed": "people missed a day",
    "live.identification.hours": "hours of checking a day",
    "live.classification.matched": "FPR",
    "live.classification.missed": "FNR",
    "live.classification.found": "recall",
    "live.classification.precision": "precision",
    "live.classification.matched_words": "False positive rate (FPR)",
    "live.classification.missed_words": "False negative rate (FNR)",
    "live.classification.found_words": "Recall (TPR)",
    "live.classification.precision_words": "Precision (PPV)",
    "live.classification.mated": "positives",
    "live.classification.nonmated": "negatives",
    "live.classification.day_matched": "false positives a day",
    "live.classification.day_missed": "missed positives a day",
    "live.classification.cost": "cost a day",
}
