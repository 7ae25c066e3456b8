"""How to read the page, in plain words, and the signature from which its numbers can be had again.

Holds `notes_section` and `signature_section`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bertillon.advice.sureness import bounds_sentences, interval_sentences
from bertillon.core.messages import Catalogue
from bertillon.evaluation.base import BaseEvaluation
from bertillon.views.findings import Findings
from bertillon.views.page.model import Block, Cell, Column, Said, Section, Table, Words
from bertillon.views.page.naming import Naming
from bertillon.views.page.texts import said

INTERACTIVE = ("page.notes.exact", "page.notes.use")  # notes on the handle and on what a reader types in


def notes_section(findings: Findings, words: Catalogue) -> Section:
    """Definitions, ties, intervals, and what the page keeps."""
    keys = [f"page.notes.{mode}" for mode in findings.by_mode]
    keys += ["page.notes.names"] if _renamed(findings) else []
    keys += ["page.notes.ties", *_interval_keys(findings.evaluations)]
    keys += ["page.notes.bounds", "page.notes.exact", "page.notes.use"]
    known = [one.intervals for one in findings.evaluations]
    sentences = [Said(words(key), interactive=key in INTERACTIVE) for key in keys]
    sentences += [said(message, words) for message in (*interval_sentences(known), *bounds_sentences(known))]
    blocks: list[Block] = [Words(tuple(sentences), listed=True)]
    if findings.protocol:
        blocks.append(Words(tuple(said(message, words) for message in findings.protocol)))
    return Section("notes", words("page.section.notes"), tuple(blocks))


def signature_section(findings: Findings, words: Catalogue) -> Section:
    """What one needs to know to get the same numbers again, a row a fact; facts that differ have a row a system."""
    rows = []
    answers = findings.evaluations
    signatures = [(one, one.signature) for one in answers]
    for key in dict.fromkeys(key for _, signature in signatures for key in signature):
        systems: dict[str, list[str]] = {}
        for one, signature in signatures:
            if signature.get(key) not in (None, ""):
                systems.setdefault(str(signature[key]), []).append(
                    f"{one.name} ({words(f'page.mode.{one.measure_set.mode}')})"
                )
        for text, names in systems.items():
            shared = len(systems) == 1 or len(answers) == 1
            rows.append((Cell(key, key), Cell(text, text), Cell(words("page.all") if shared else "; ".join(names))))
    heads = tuple(Column(words(f"page.signature.{head}"), numeric=False) for head in ("what", "is", "of"))
    table = Table("signature-table", words("page.signature.caption"), heads, tuple(rows))
    return Section("signature", words("page.section.signature"), (table,))


def _renamed(findings: Findings) -> bool:
    return any(Naming.of(one.measure_set, findings.vocabulary).renames for one in findings.evaluations)


def _interval_keys(answers: Sequence[BaseEvaluation]) -> list[str]:
    return ["page.notes.intervals" if any(one.intervals for one in answers) else "page.notes.no_intervals"]
