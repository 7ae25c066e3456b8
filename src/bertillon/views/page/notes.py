"""How to read the page, in plain words, and the signature from which its numbers can be had again.

Holds `notes_section` and `signature_section`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bertillon.advice.sureness import NAIVE, bounds_sentences, interval_sentences
from bertillon.evaluation.answers import Answers
from bertillon.views.findings import Findings
from bertillon.views.page.model import Block, Cell, Column, Said, Section, Table, Words
from bertillon.views.page.naming import Naming
from bertillon.views.page.words import Wording


def notes_section(findings: Findings, words: Wording) -> Section:
    """Definitions, ties, intervals, and what the page keeps."""
    keys = [f"notes.{mode}" for mode in findings.by_mode]
    keys += ["notes.names"] if _renamed(findings) else []
    keys += ["notes.ties", *_interval_keys(findings.evaluations), "notes.bounds", "notes.exact", "notes.use"]
    sentences = [Said(words(key)) for key in keys]
    found = [one.intervals for one in findings.evaluations]
    sentences += [
        _foreign(said, words) for said in (*interval_sentences(found), *bounds_sentences(found)) if said != NAIVE
    ]
    naive = NAIVE in interval_sentences(found)
    sentences += [Said(words("notes.naive"))] if naive else []
    blocks: list[Block] = [Words(tuple(sentences), listed=True)]
    if findings.protocol:
        blocks.append(Words(tuple(_foreign(sentence, words) for sentence in findings.protocol)))
    return Section("notes", words("section.notes"), tuple(blocks))


def signature_section(findings: Findings, words: Wording) -> Section:
    """What one needs to know to get the same numbers again, a row a fact; facts that differ have a row a system."""
    rows = []
    answers = findings.evaluations
    signatures = [(one, one.signature) for one in answers]
    for key in dict.fromkeys(key for _, signature in signatures for key in signature):
        said: dict[str, list[str]] = {}
        for one, signature in signatures:
            if signature.get(key) not in (None, ""):
                said.setdefault(str(signature[key]), []).append(f"{one.name} ({words(f'mode.{one.language.mode}')})")
        for text, whose in said.items():
            shared = len(said) == 1 or len(answers) == 1
            rows.append((Cell(key, key), Cell(text, text), Cell(words("all") if shared else "; ".join(whose))))
    heads = tuple(Column(words(f"signature.{head}"), numeric=False) for head in ("what", "is", "of"))
    table = Table("signature-table", words("signature.caption"), heads, tuple(rows))
    return Section("signature", words("section.signature"), (table,))


def _renamed(findings: Findings) -> bool:
    return any(Naming.of(one.language, findings.vocabulary).renames for one in findings.evaluations)


def _interval_keys(answers: Sequence[Answers]) -> list[str]:
    return ["notes.intervals" if any(one.intervals for one in answers) else "notes.no_intervals"]


def _foreign(sentence: str, words: Wording) -> Said:
    return Said(sentence, lang="" if words.lang == "en" else "en")
