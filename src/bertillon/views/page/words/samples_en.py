"""What is said of samples and people in English: quality, who causes the errors, and groups."""

from __future__ import annotations

SAMPLES = {
    "section.discard": "Quality",
    "section.people": "People",
    "section.groups": "Groups of people",
    # errors left when low quality is discarded
    "discard.words": (
        "Comparisons of the lowest quality are discarded first, by {quality}; the threshold stays at that of the "
        "EER, {threshold}. A quality that says nothing of errors leaves them as they are."
    ),
    "discard.chart": "The dashed lines are the least error there could be, were every discarded comparison an error.",
    "discard.lower": "the lowest of {columns}",
    "discard.raised": "Discarding raises the {kind}: is a low number good in {columns}? Then negate it.",
    "discard.title": "Errors left when low quality is discarded",
    "discard.summary": "{kind}: {start} with all comparisons, {end} when {share} are discarded.",
    "discard.x": "Discarded, lowest quality first",
    "discard.y": "Error rate of those kept",
    "discard.best": "best possible",
    "discard.step": "quality from {quality}: {errors}",
    "discard.caption": "What is left of each error",
    "discard.error": "error",
    "discard.discarded": "discarded",
    "discard.rate": "rate",
    "discard.kept": "of those kept",
    "discard.quality": "quality from",
    "discard.areas": "Area under the curve up to {limit} discarded: lower is better",
    "discard.measured": "measured",
    "discard.difference": "difference",
    "discard.random": "at random",
    # who causes the errors
    "people.words": (
        "Errors do not fall on all people alike. People are ranked, so that there are goats, lambs and wolves in "
        "every test: whether that means anything is what the tests say."
    ),
    "people.chart": (
        "Every point is a person: to the right the mean score with oneself, upwards that with others. People in the "
        "outer quarter of both have a colour, all others are grey."
    ),
    "people.title": "Every person by two means",
    "people.summary": "{people} people. Extreme in two ways: {found}.",
    "people.similarity": "similarity",
    "people.distance": "distance",
    "people.own": "Mean {score} with oneself",
    "people.others": "Mean {score} with others",
    "people.behind": "others",
    "people.shaded": "shaded: the outer quarter both ways",
    "people.unseen": "{n} people are not drawn: they have no finite mean.",
    "people.some": "Of very many people only some are drawn, evenly among them; tables count all.",
    "people.animal": "animal",
    "people.people": "people",
    "people.share": "share of the errors",
    "people.differ": "do people differ?",
    "people.expected": "by chance",
    "people.more": "more than chance?",
    "people.who": "who",
    "people.yes": "yes",
    "people.no": "no",
    "people.spreads": "Extreme in one way: the outer {share} of the people each (EER threshold {threshold})",
    "people.spreads.note": (
        "The test of Kruskal and Wallis takes comparisons as independent. Somewhat more than their share of the "
        "errors is luck, since people are picked by the very scores that err."
    ),
    "people.corners": "Extreme in two ways: the outer quarter of both means",
    "people.corners.note": (
        "The exact chance of so many people where both means have nothing to do with each other, adjusted for four "
        "corners (Holm)."
    ),
    "people.names": "The {n} most extreme of each",
    "people.names.note": "In brackets the mean score that makes them so.",
    "people.goat": "goats",
    "people.lamb": "lambs",
    "people.wolf": "wolves",
    "people.dove": "doves",
    "people.chameleon": "chameleons",
    "people.phantom": "phantoms",
    "people.worm": "worms",
    "people.goat.words": "hard to recognise",
    "people.lamb.words": "easy to imitate",
    "people.wolf.words": "good at imitating",
    "people.dove.words": "like themselves, unlike others: no trouble",
    "people.chameleon.words": "like everybody",
    "people.phantom.words": "like nobody",
    "people.worm.words": "unlike themselves, like others: both errors",
    "people.goat.errors": "of false non-matches",
    "people.lamb.errors": "of false matches",
    "people.wolf.errors": "of false matches",
    "advice.few_people": "{n} people have scores with themselves and with others; expected at least {least}",
    "advice.few_tries": "fewer than two people with {least} comparisons or more",
    "advice.equal_scores": "all scores are equal",
    # errors by group
    "groups.words": (
        "All groups are judged at the same threshold. FNMR is that of a group's own people; FMR that of two people "
        "of one group, or of one person of each of two groups. Where intervals overlap widely a difference may be "
        "luck."
    ),
    "groups.title": "{kind} by group, {point} (threshold {threshold})",
    "groups.some": "{title}: the {n} highest of {all}",
    "groups.summary": "{kind} of each group: {rates}.",
    "groups.axis": "{kind}; lines: {level} % intervals",
    "groups.caption": "Errors by group, {point} (threshold {threshold})",
    "groups.group": "group",
    "groups.error": "error",
    "groups.people": "people",
    "groups.rate": "rate",
    "groups.pair": "{one} with {other}",
    "groups.naive": "* comparisons taken as independent: too few were kept with their people.",
    "groups.no_interval": "No interval: {reason}.",
    "groups.hidden": "Pairs of groups with lower FMR that are not listed here: {n}.",
    "groups.across": "{kind} of every two groups, {point} (threshold {threshold})",
    "groups.apart": "How far apart the groups are",
    "groups.point": "operating point",
    "groups.highest": "highest",
    "groups.lowest": "lowest",
    "groups.ratio": "ratio",
    "groups.mean": "to the mean",
    "groups.apart.note": (
        "Ratio: the highest rate by the lowest; to the mean: by the geometric mean of all. FMR is taken within "
        "groups. Chance alone makes both more than 1."
    ),
    "groups.no_ratio": "{kind} at {point} has no ratio: {reason}.",
    "groups.left_out": "{kind} has no comparisons in {groups}.",
    "advice.spotless": "no error was seen in {groups}; a ratio needs one in every group",
    "advice.one_subject": "one subject alone says nothing of others",
    "advice.no_strangers": "no two comparisons of four different people, so nothing is known of how others differ",
    "advice.few_groups": "fewer than two groups have comparisons",
}
