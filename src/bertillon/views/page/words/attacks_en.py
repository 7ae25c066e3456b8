"""What is said of attacks in English."""

from __future__ import annotations

ATTACKS = {
    "title.attacks": "Attack report",
    "title.pad": "Attack detection report",
    "section.attacks": "Attacks",
    "summary.attacks": (
        "{attacks} attacks of {species} species were made on {name}; a score {sign} {threshold} is accepted ({how})."
    ),
    "summary.pad": (
        "{attacks} attacks of {species} species and {others} bona fide presentations were judged; a score {sign} "
        "{threshold} is taken for bona fide ({how})."
    ),
    "attacks.given": "the threshold was given",
    "attacks.fixed": "the threshold of {promise}",
    "attacks.chart": "Scores of each population, threshold {threshold}",
    "attacks.some": ": the {n} worst species",
    "attacks.chart.summary": "Densities of the scores of each population. {measure} by species: {rates}.",
    "attacks.density": "Density",
    "attacks.bona_fide": "bona fide",
    "attacks.caption": "Attacks by species, worst first",
    "attacks.species": "species",
    "attacks.through.attacks": "accepted",
    "attacks.through.pad": "taken for bona fide",
    "attacks.silent": "no response",
    "attacks.others": "Those who do not attack",
    "attacks.IAPAR": "attacks accepted, of the worst species: {species}",
    "attacks.APCER": "attacks taken for bona fide, of the worst species: {species}",
    "attacks.FMR": "impostors accepted who just try",
    "attacks.FRR": "genuine users rejected, failures counted in",
    "attacks.RIAPAR": "IAPAR of the worst species + FRR",
    "attacks.BPCER": "bona fide presentations taken for attacks",
    "attacks.BPNRR": "bona fide presentations without a response",
    "attacks.BPCER@APCER": "where no species has an APCER above {percent}",
    "attacks.bound": (
        "Where no error was seen, the rate is shown as a bound: with 95 % confidence it is below 3 / trials (rule of "
        "3)."
    ),
    "notes.attacks": (
        "IAPAR is the share of the attack presentations of one species that are accepted, one without a response "
        "counting as not accepted. Species are never pooled: a system is as safe as its worst. RIAPAR is that IAPAR "
        "+ FRR, attackers let in and genuine users kept out. A score equal to the threshold is accepted."
    ),
    "notes.pad": (
        "APCER is the share of the attack presentations of one species that are taken for bona fide, BPCER that of "
        "bona fide ones taken for attacks, of those that were classified. Species are never pooled: a detector is as "
        "good as its worst. A score equal to the threshold is taken for bona fide."
    ),
    "advice.attack_none": "No attack came through.",
    "advice.attack_worst": "Worst species: {species}, {name} {value}.",
    "advice.attack_met": "{level} (IAPAR at most {limit}): met, upper ends of the intervals included.",
    "advice.attack_not_met": "{level} (IAPAR at most {limit}): not met.",
    "advice.attack_unknown": (
        "{level} (IAPAR at most {limit}): met by what was seen, not shown: the interval is not known."
    ),
    "advice.attack_seen": (
        "{level} (IAPAR at most {limit}): met by what was seen, not shown: the interval reaches {end}."
    ),
    "advice.attack_acer": "ACER {value}: a mean of two errors, which ISO/IEC 30107-3 does not favour.",
    "advice.attack_few_more": (
        "{name} {rate} needs at least {needed} independent attacks of {species}; you have {trials} ({n} more species "
        "have too few)."
    ),
    "advice.attack_few": "{name} {rate} needs at least {needed} independent attacks of {species}; you have {trials}.",
    "advice.attack_fmr": "FMR {rate} needs at least {needed} independent non-mated comparisons; you have {trials}.",
    "advice.attack_lower": (
        "Bona fide presentations score lower than attacks (AUC {auc}). "
        "Either a lower score means bona fide (--distance), "
        "or the labels mean the contrary (--values attack=1,bonafide=0)."
    ),
    "advice.attack_higher": (
        "Bona fide presentations score higher than attacks (AUC {auc}). "
        "Either a higher score means bona fide (--similarity), "
        "or the labels mean the contrary (--values attack=1,bonafide=0)."
    ),
    "advice.attack_optimistic": (
        "The threshold was found on these presentations, so the rates are optimistic: fix it on others."
    ),
    "advice.attack_independent": (
        "Presentations are taken as independent; if some are of one person or one instrument, the intervals are too "
        "narrow (a column 'subject' cures that)."
    ),
}
