"""Findings to the page: the top, then a section for each mode, the comparison, the notes and the signature.

Holds `page_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bertillon.advice.classification import warnings_of_classes
from bertillon.advice.identification import degradation, warnings_of_searches
from bertillon.advice.mistakes import unlike, unlike_searches
from bertillon.advice.paired import versus_warnings
from bertillon.advice.verdicts import auc_word, eer_verdict, kappa_word, open_eer_verdict
from bertillon.advice.warnings import warnings_of
from bertillon.evaluation import ClassEvaluation, Evaluation, SearchEvaluation
from bertillon.evaluation.answers import Answers
from bertillon.render.records import samples_object
from bertillon.views.findings import Findings
from bertillon.views.page.classification import classification_section
from bertillon.views.page.comparison import comparison_section
from bertillon.views.page.discard import discard_section
from bertillon.views.page.groups import groups_section
from bertillon.views.page.identification import diagnosis, identification_section, is_open
from bertillon.views.page.measures import cards, headline_table
from bertillon.views.page.model import Card, Page, Said, Section, Table
from bertillon.views.page.notes import notes_section, signature_section
from bertillon.views.page.numbers import Numbers
from bertillon.views.page.people import people_section
from bertillon.views.page.verification import verification_section
from bertillon.views.page.words import Wording, wording

NAMED = 6  # systems named in a sentence


def page_of(findings: Findings, lang: str = "en") -> Page:
    """The whole page in one language."""
    words = wording(lang)
    modes = list(findings.by_mode)
    top, table = _headline(findings, words)
    return Page(
        lang=lang,
        title=words("title." + (modes[0] if len(modes) == 1 else "modes")),
        sentences=tuple(_sentences(findings, words)),
        cards=tuple(top),
        headline=table,
        verdicts=tuple(_verdicts(findings, words)),
        warnings=tuple(_warnings(findings, words)),
        sections=tuple(_sections(findings, words)),
        results=tuple(_results(findings)),
    )


def _results(findings: Findings) -> list[dict[str, Any]]:
    """The evaluations as JSON has them, those of comparisons with what was asked about samples and people."""
    compared = [one.to_dict() | samples_object(findings, place) for place, one in enumerate(findings.verification)]
    return compared + [one.to_dict() for one in (*findings.identification, *findings.classification)]


def _sections(findings: Findings, words: Wording) -> list[Section]:
    made = [verification_section(findings, words)] if findings.verification else []
    made += [discard_section(findings, words)] if findings.discards else []
    made += [people_section(findings, words)] if findings.people else []
    made += [groups_section(findings, words)] if findings.groups else []
    made += [identification_section(findings, words)] if findings.identification else []
    made += [classification_section(findings, words)] if findings.classification else []
    compared = comparison_section(findings, words)
    made += [compared] if compared else []
    return [*made, notes_section(findings, words), signature_section(findings, words)]


def _headline(findings: Findings, words: Wording) -> tuple[list[Card], Table | None]:
    """Cards for one system, in one mode or several; a table for several systems."""
    groups, asked = list(findings.by_mode.values()), findings.vocabulary
    if all(len(group) == 1 for group in groups):
        each = 4 if len(groups) == 1 else 2
        return [one for group in groups for one in cards(group[0], words, vocabulary=asked, most=each)], None
    return [], headline_table(max(groups, key=len), words, vocabulary=asked)


def _sentences(findings: Findings, words: Wording) -> list[Said]:
    """What was measured on what."""
    said = []
    if findings.verification:
        said.append(_of_verification(findings.verification, words))
    if findings.identification:
        said.append(_of_identification(findings.identification, words))
    if findings.classification:
        said.append(_of_classification(findings.classification, words))
    rules = {one.rule.value for one in (*findings.verification, *findings.identification)}
    said += [words(f"rule.{rule}") for rule in sorted(rules)] if len(rules) == 1 else []
    return [Said(text) for text in said]


def _of_verification(evaluations: Sequence[Evaluation], words: Wording) -> str:
    mated, nonmated, failed = (_spread(evaluations, kind, words) for kind in ("mated", "nonmated", "failed"))
    key = "summary.verification" if len(evaluations) == 1 else "summary.verification.many"
    text = words(key, names=_names(evaluations, words), n=len(evaluations), mated=mated, nonmated=nonmated)
    return text + (words("summary.failed", n=failed) if any(one.counts["failed"] for one in evaluations) else "")


def _of_identification(evaluations: Sequence[SearchEvaluation], words: Wording) -> str:
    kinds = ("enrolled", "nonenrolled", "gallery")
    enrolled, others, gallery = (_spread(evaluations, kind, words) for kind in kinds)
    key = "summary.identification" + ("" if any(one.counts["nonenrolled"] for one in evaluations) else ".closed")
    key += ".many" if len(evaluations) > 1 else ""
    return words(key, names=_names(evaluations, words), enrolled=enrolled, others=others, gallery=gallery)


def _of_classification(evaluations: Sequence[ClassEvaluation], words: Wording) -> str:
    numbers = Numbers(words)
    return words(
        "summary.classification" + (".many" if len(evaluations) > 1 else ""),
        names=_names(evaluations, words),
        samples=_spread(evaluations, "samples", words),
        classes=numbers.count(evaluations[0].predictions.n_classes),
    )


def _names(evaluations: Sequence[Answers], words: Wording) -> str:
    names = [one.name or words("unnamed") for one in evaluations]
    more = words("more", n=len(names) - NAMED) if len(names) > NAMED else ""
    return words("comma").join(names[:NAMED]) + more


def _spread(evaluations: Sequence[Answers], kind: str, words: Wording) -> str:
    """A count that all systems share, or from the least to the most."""
    numbers = Numbers(words)
    counts = [one.counts[kind] for one in evaluations]
    low, high = numbers.count(min(counts)), numbers.count(max(counts))
    return low if low == high else f"{low}{words('to')}{high}"


def _verdicts(findings: Findings, words: Wording) -> list[Said]:
    said: list[Said] = []
    several = len(findings.verification) > 1
    for one in findings.verification:
        about = one.name if several else ""
        said += [words.said(eer_verdict(one.results["EER"].value), about)] if "EER" in one.results else []
        said += [words.said(findings.preset.verdict(one.results), about)] if findings.preset else []
    for searched in findings.identification:
        said += _search_verdicts(searched, findings, words)
    for judged in findings.classification:
        about = judged.name if len(findings.classification) > 1 else ""
        for name, word in (("AUC", auc_word), ("Kappa", kappa_word)):
            if name in judged.results:
                value = judged.results[name].value
                said.append(words.said(f"{name} {value:.3g}: {word(value)}.", about))
    return said


def _search_verdicts(one: SearchEvaluation, findings: Findings, words: Wording) -> list[Said]:
    about = one.name if len(findings.identification) > 1 else ""
    said = []
    if "EERopen" in one.results:
        opened = one.results["EERopen"].value
        said.append(words.said(open_eer_verdict(opened), about))
        if findings.same_scores and findings.verification and "EER" in findings.verification[0].results:
            said.append(words.said(degradation(opened, findings.verification[0].results["EER"].value), about))
    return said + ([words.said(diagnosis(one), about)] if is_open(one) else [])


def _warnings(findings: Findings, words: Wording) -> list[Said]:
    found: list[tuple[Answers, str]] = [(one, text) for one in findings.verification for text in warnings_of(one)]
    found += [(one, text) for one in findings.identification for text in warnings_of_searches(one)]
    for judged in findings.classification:
        found += [(judged, text) for text in warnings_of_classes(judged, intervals=bool(judged.intervals))]
    more = [unlike(findings.verification), unlike_searches(findings.identification)]
    settings = findings.evaluations[0].settings
    more += versus_warnings(findings.versus, settings) if settings is not None else []
    everybody = {one.name for one in findings.evaluations}
    return [*_gathered(found, everybody, words), *(words.said(text) for text in more if text)]


def _gathered(found: Sequence[tuple[Answers, str]], everybody: set[str], words: Wording) -> list[Said]:
    """Each sentence once, with the systems it speaks of where there are several."""
    about: dict[str, dict[str, None]] = {}
    for one, text in found:
        about.setdefault(text, {})[one.name] = None
    named = len(everybody) > 1
    return [words.said(text, words("comma").join(names) if named else "") for text, names in about.items()]
