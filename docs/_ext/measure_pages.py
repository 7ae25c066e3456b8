"""The catalogue of measures, from what they say of themselves where they are registered."""

from __future__ import annotations

import re

SHOWN = {"rate": "a rate, in percent", "number": "a number", "count": "a count"}
BETTER = {"lower": "lower", "higher": "higher", "neither": "neither: it describes the data"}


def measures(mode: str) -> str:
    """All measures of a mode: a table of them, then each by itself."""
    definitions = measure_sets()[mode].definitions.values()
    rows = [f"| [{one.name}](#{anchor(one.name)}) | {_name(one)} | {_code(one.formula)} |" for one in definitions]
    table = "\n".join(["| measure | what it is | formula |", "|---|---|---|", *rows])
    return "\n\n".join([table, *map(_entry, definitions)]) + "\n"


def measure_sets() -> dict[str, object]:
    """The measures of each mode."""
    from bertillon.measures.attacks import ATTACKS
    from bertillon.measures.classification import CLASSIFICATION
    from bertillon.measures.identification import IDENTIFICATION
    from bertillon.measures.registry import VERIFICATION

    return {measure_set.mode: measure_set for measure_set in (VERIFICATION, IDENTIFICATION, CLASSIFICATION, ATTACKS)}


def anchor(heading: str) -> str:
    """The fragment by which a heading is linked."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def works(reference: str) -> list[str]:
    """The works a reference names, without what is theirs in brackets."""
    return [re.sub(r" \(.*\)", "", work) for work in reference.split("; ")]


def _entry(one: object) -> str:
    fields = {
        "Formula": _code(one.formula),
        "Written": _code(one.example),
        "Variants": _variants(one),
        "ISO/IEC 19795-1": one.iso,
        "Also called": ", ".join(one.synonyms),
        "Shown as": SHOWN[one.unit],
        "Better": BETTER[one.better],
        "Reference": _linked(one.reference),
    }
    listed = "\n".join(f":{name}: {text}" for name, text in fields.items() if text)
    return f"## {one.name}\n\n{_sentence(_name(one))}\n\n{listed}"


def _name(one: object) -> str:
    return re.sub(r" \([^()]*\)$", "", one.summary)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _variants(one: object) -> str:
    found = re.search(r" \((?:variants? )?([^()]*)\)$", one.summary)
    return found[1] if found else ""


def _code(text: str) -> str:
    return f"`{text}`".replace("|", r"\|")


def _linked(reference: str) -> str:
    """The reference, each work of it a link to the bibliography."""
    for work in works(reference):
        reference = reference.replace(work, f"[{work}](bibliography.md#{anchor(work)})")
    return reference
