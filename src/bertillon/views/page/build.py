"""ReportContent to the page: the top, then a section for each mode, the comparison, the notes and the signature.

Holds `page_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from bertillon.advice.classification import warnings_of_classes
from bertillon.advice.paired import versus_warnings
from bertillon.advice.verdicts import auc_verdict, degradation, eer_verdict, kappa_verdict, open_eer_verdict
from bertillon.advice.warnings import unlike, unlike_searches, warnings_of, warnings_of_searches
from bertillon.core.messages import Catalogue, Text
from bertillon.core.messages import catalogue as load_catalogue
from bertillon.evaluation import AnyEvaluation, ClassEvaluation, ScoreEvaluation, SearchEvaluation
from bertillon.views.page.classification import classification_section
from bertillon.views.page.comparison import comparison_section
from bertillon.views.page.discard import discard_section
from bertillon.views.page.groups import groups_section
from bertillon.views.page.identification import diagnosis, identification_section, is_open
from bertillon.views.page.measures import cards, headline_table
from bertillon.views.page.model import Card, Page, Section, Sentence, Table
from bertillon.views.page.notes import notes_section, signature_section
from bertillon.views.page.numbers import Numbers
from bertillon.views.page.people import people_section
from bertillon.views.page.texts import sentence
from bertillon.views.page.verification import verification_section
from bertillon.views.report_content import ReportContent
from bertillon.views.samples import samples_object

NAMED = 6  # systems named in a sentence


def page_of(content: ReportContent, lang: str = "en") -> Page:
    """The whole page in one language."""
    catalogue = load_catalogue(lang)
    modes = list(content.by_mode)
    top, table = _headline(content, catalogue)
    return Page(
        lang=lang,
        title=catalogue(f"page.title.{modes[0] if len(modes) == 1 else 'modes'}"),
        sentences=tuple(_sentences(content, catalogue)),
        cards=tuple(top),
        headline=table,
        verdicts=tuple(_verdicts(content, catalogue)),
        warnings=tuple(_warnings(content, catalogue)),
        sections=tuple(_sections(content, catalogue)),
        results=tuple(_results(content)),
    )


def _results(content: ReportContent) -> list[dict[str, Any]]:
    """The evaluations as JSON has them, those of comparisons with what was asked about samples and people."""
    compared = [
        evaluation.to_dict() | samples_object(content, index) for index, evaluation in enumerate(content.verification)
    ]
    return compared + [evaluation.to_dict() for evaluation in (*content.identification, *content.classification)]


def _sections(content: ReportContent, catalogue: Catalogue) -> list[Section]:
    made = [verification_section(content, catalogue)] if content.verification else []
    made += [discard_section(content, catalogue)] if content.discards else []
    made += [people_section(content, catalogue)] if content.people else []
    made += [groups_section(content, catalogue)] if content.groups else []
    made += [identification_section(content, catalogue)] if content.identification else []
    made += [classification_section(content, catalogue)] if content.classification else []
    compared = comparison_section(content, catalogue)
    made += [compared] if compared else []
    return [*made, notes_section(content, catalogue), signature_section(content, catalogue)]


def _headline(content: ReportContent, catalogue: Catalogue) -> tuple[list[Card], Table | None]:
    """Cards for one system, in one mode or several; a table for several systems."""
    groups, asked = list(content.by_mode.values()), content.vocabulary
    if all(len(group) == 1 for group in groups):
        each = 4 if len(groups) == 1 else 2
        return [card for group in groups for card in cards(group[0], catalogue, vocabulary=asked, most=each)], None
    return [], headline_table(max(groups, key=len), catalogue, vocabulary=asked)


def _sentences(content: ReportContent, catalogue: Catalogue) -> list[Sentence]:
    """What was measured on what."""
    summaries = []
    if content.verification:
        summaries.append(_of_verification(content.verification, catalogue))
    if content.identification:
        summaries.append(_of_identification(content.identification, catalogue))
    if content.classification:
        summaries.append(_of_classification(content.classification, catalogue))
    rules = {evaluation.rule.value for evaluation in (*content.verification, *content.identification)}
    summaries += [catalogue(f"page.rule.{rule}") for rule in sorted(rules)] if len(rules) == 1 else []
    return [Sentence(text) for text in summaries]


def _of_verification(evaluations: Sequence[ScoreEvaluation], catalogue: Catalogue) -> str:
    mated, nonmated, failed = (_spread(evaluations, kind, catalogue) for kind in ("mated", "nonmated", "failed"))
    key = "page.summary.verification" if len(evaluations) == 1 else "page.summary.verification.many"
    text = catalogue(key, names=_names(evaluations, catalogue), n=len(evaluations), mated=mated, nonmated=nonmated)
    return text + (
        catalogue("page.summary.failed", n=failed)
        if any(evaluation.counts["failed"] for evaluation in evaluations)
        else ""
    )


def _of_identification(evaluations: Sequence[SearchEvaluation], catalogue: Catalogue) -> str:
    kinds = ("enrolled", "nonenrolled", "gallery")
    enrolled, others, gallery = (_spread(evaluations, kind, catalogue) for kind in kinds)
    kind = (
        "identification"
        if any(evaluation.counts["nonenrolled"] for evaluation in evaluations)
        else "identification.closed"
    )
    key = f"page.summary.{kind}" if len(evaluations) == 1 else f"page.summary.{kind}.many"
    return catalogue(key, names=_names(evaluations, catalogue), enrolled=enrolled, others=others, gallery=gallery)


def _of_classification(evaluations: Sequence[ClassEvaluation], catalogue: Catalogue) -> str:
    numbers = Numbers(catalogue)
    return catalogue(
        "page.summary.classification.many" if len(evaluations) > 1 else "page.summary.classification",
        names=_names(evaluations, catalogue),
        samples=_spread(evaluations, "samples", catalogue),
        classes=numbers.count(evaluations[0].trials.n_classes),
    )


def _names(evaluations: Sequence[AnyEvaluation], catalogue: Catalogue) -> str:
    names = [evaluation.name or catalogue("page.unnamed") for evaluation in evaluations]
    more = catalogue("page.more", n=len(names) - NAMED) if len(names) > NAMED else ""
    return catalogue("list.separator").join(names[:NAMED]) + more


def _spread(evaluations: Sequence[AnyEvaluation], kind: str, catalogue: Catalogue) -> str:
    """A count that all systems share, or from the least to the most."""
    numbers = Numbers(catalogue)
    counts = [evaluation.counts[kind] for evaluation in evaluations]
    low, high = numbers.count(min(counts)), numbers.count(max(counts))
    return low if low == high else f"{low}{catalogue('page.to')}{high}"


def _verdicts(content: ReportContent, catalogue: Catalogue) -> list[Sentence]:
    verdicts: list[Sentence] = []
    several = len(content.verification) > 1
    for evaluation in content.verification:
        about = evaluation.name if several else ""
        results, intervals = evaluation.results, evaluation.intervals
        if "EER" in results:
            verdicts.append(sentence(eer_verdict(results["EER"].value, intervals.get("EER")), catalogue, about))
        if content.preset:
            verdicts.append(sentence(content.preset.verdict(results, intervals), catalogue, about))
    for searched in content.identification:
        verdicts += _search_verdicts(searched, content, catalogue)
    for judged in content.classification:
        about = judged.name if len(content.classification) > 1 else ""
        for name, verdict in (("AUC", partial(auc_verdict, "AUC")), ("Kappa", kappa_verdict)):
            if name in judged.results:
                message = verdict(judged.results[name].value, judged.intervals.get(name))
                verdicts.append(sentence(message, catalogue, about))
    return verdicts


def _search_verdicts(evaluation: SearchEvaluation, content: ReportContent, catalogue: Catalogue) -> list[Sentence]:
    messages = []
    if "EERopen" in evaluation.results:
        opened = evaluation.results["EERopen"].value
        messages.append(open_eer_verdict(opened, evaluation.intervals.get("EERopen")))
        if content.same_scores and content.verification and "EER" in content.verification[0].results:
            messages.append(degradation(opened, content.verification[0].results["EER"].value))
    messages += [diagnosis(evaluation)] if is_open(evaluation) else []
    about = evaluation.name if len(content.identification) > 1 else ""
    return [sentence(message, catalogue, about) for message in messages]


def _warnings(content: ReportContent, catalogue: Catalogue) -> list[Sentence]:
    warnings: list[tuple[AnyEvaluation, Text]] = [
        (evaluation, text) for evaluation in content.verification for text in warnings_of(evaluation)
    ]
    warnings += [
        (evaluation, text) for evaluation in content.identification for text in warnings_of_searches(evaluation)
    ]
    for judged in content.classification:
        warnings += [(judged, text) for text in warnings_of_classes(judged, intervals=bool(judged.intervals))]
    more = [unlike(content.verification), unlike_searches(content.identification)]
    settings = content.evaluations[0].settings
    more += versus_warnings(content.versus, settings) if settings is not None else []
    everybody = {evaluation.name for evaluation in content.evaluations}
    return [*_gathered(warnings, everybody, catalogue), *(sentence(message, catalogue) for message in more if message)]


def _gathered(
    warnings: Sequence[tuple[AnyEvaluation, Text]], everybody: set[str], catalogue: Catalogue
) -> list[Sentence]:
    """Each message once, with the systems it is about where there are several."""
    about: dict[Text, dict[str, None]] = {}
    for evaluation, message in warnings:
        about.setdefault(message, {})[evaluation.name] = None
    named = len(everybody) > 1
    separator = catalogue("list.separator")
    return [sentence(message, catalogue, separator.join(names) if named else "") for message, names in about.items()]
