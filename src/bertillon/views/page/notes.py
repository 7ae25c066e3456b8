"""How to read the page, in plain words, and the signature from which its numbers can be had again.

Holds `notes_section` and `signature_section`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bertillon.advice.warnings import bounds_sentences, interval_sentences
from bertillon.core.messages import Catalogue, Message
from bertillon.evaluation import AnyEvaluation
from bertillon.views.page.measure_names import MeasureNames
from bertillon.views.page.model import Block, Cell, Column, Paragraphs, Section, Sentence, Table
from bertillon.views.page.texts import sentence
from bertillon.views.report_content import ReportContent

INTERACTIVE = ("page.notes.exact", "page.notes.use")  # notes on the handle and on what a reader types in


def notes_section(content: ReportContent, catalogue: Catalogue) -> Section:
    """Definitions, ties, intervals, and what the page keeps."""
    keys = [f"page.notes.{mode}" for mode in content.by_mode]
    keys += ["page.notes.names"] if _renamed(content) else []
    keys += ["page.notes.ties", *_interval_keys(content.evaluations)]
    keys += ["page.notes.bounds", "page.notes.exact", "page.notes.use"]
    known = [evaluation.intervals for evaluation in content.evaluations]
    sentences = [Sentence(catalogue(key), interactive=key in INTERACTIVE) for key in keys]
    sentences += [sentence(message, catalogue) for message in (*interval_sentences(known), *bounds_sentences(known))]
    blocks: list[Block] = [Paragraphs(tuple(sentences), listed=True)]
    if content.protocol:
        blocks.append(Paragraphs(tuple(sentence(message, catalogue) for message in content.protocol)))
    return Section("notes", catalogue("page.section.notes"), tuple(blocks))


def signature_section(content: ReportContent, catalogue: Catalogue) -> Section:
    """What one needs to know to get the same numbers again, a row a fact; facts that differ have a row a system."""
    rows = []
    answers = content.evaluations
    signatures = [(evaluation, evaluation.signature) for evaluation in answers]
    for key in dict.fromkeys(key for _, signature in signatures for key in signature):
        systems: dict[str, list[str]] = {}
        for evaluation, signature in signatures:
            if signature.get(key) not in (None, ""):
                systems.setdefault(_fact(signature[key], catalogue), []).append(
                    f"{evaluation.name} ({catalogue(f'page.mode.{evaluation.measure_set.mode}')})"
                )
        for text, names in systems.items():
            shared = len(systems) == 1 or len(answers) == 1
            whose = catalogue("page.all") if shared else "; ".join(names)
            rows.append((Cell(catalogue(f"signature.name.{key}"), key), Cell(text, text), Cell(whose)))
    heads = tuple(Column(catalogue(f"page.signature.{head}"), numeric=False) for head in ("what", "is", "of"))
    table = Table("signature-table", catalogue("page.signature.caption"), heads, tuple(rows))
    return Section("signature", catalogue("page.section.signature"), (table,))


def _fact(value: Any, catalogue: Catalogue) -> str:
    """A fact of the signature in words; a number and the label of a class as they are."""
    if isinstance(value, bool):
        return catalogue("signature.yes" if value else "signature.no")
    return catalogue.text(value) if isinstance(value, Message) else str(value)


def _renamed(content: ReportContent) -> bool:
    return any(
        MeasureNames.of(evaluation.measure_set, content.vocabulary).renames for evaluation in content.evaluations
    )


def _interval_keys(answers: Sequence[AnyEvaluation]) -> list[str]:
    return [
        "page.notes.intervals" if any(evaluation.intervals for evaluation in answers) else "page.notes.no_intervals"
    ]
