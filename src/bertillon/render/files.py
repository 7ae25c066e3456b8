"""Reports as files: the suffix of the path says which kind.

Holds `check_report`, to be called before the work begins, and `write_report`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from bertillon.analysis.attack_detection import PadRates
from bertillon.analysis.attacks import AttackRates
from bertillon.core.errors import InputError
from bertillon.core.files import write_whole
from bertillon.core.messages import catalogue
from bertillon.views.findings import Findings
from bertillon.views.page.model import Page

Path_ = str | os.PathLike[str]
Reported = Findings | AttackRates | PadRates


def check_report(path: Path_ | None, lang: str) -> None:
    """Refuse a suffix or a language that is not known before anything is read or measured."""
    catalogue(lang)
    if path is not None:
        _writer(Path(path))


def write_report(findings: Reported, path: Path_, *, lang: str = "en") -> Path:
    """Write the report whole or not at all."""
    target = Path(path)
    text = _writer(target)(findings, lang).encode()
    write_whole(target, lambda file: file.write(text))
    return target


def _page(findings: Reported, lang: str) -> Page:
    from bertillon.views.page.attacks import attack_page
    from bertillon.views.page.build import page_of

    return page_of(findings, lang) if isinstance(findings, Findings) else attack_page(findings, lang)


def _html(findings: Reported, lang: str) -> str:
    from bertillon.render.page import html_text

    return html_text(_page(findings, lang))


def _markdown(findings: Reported, lang: str) -> str:
    from bertillon.render.markdown import markdown_text

    return markdown_text(_page(findings, lang))


def _latex(findings: Reported, lang: str) -> str:
    from bertillon.advice.sureness import interval_sentences
    from bertillon.render.latex import latex_text

    known = [one.intervals for one in findings.evaluations] if isinstance(findings, Findings) else []
    words = catalogue(lang)
    return latex_text(_page(findings, lang), [words.text(message) for message in interval_sentences(known)])


def _json(findings: Reported, lang: str) -> str:  # noqa: ARG001 - programs read one language
    from bertillon.render.attacks import attack_json
    from bertillon.render.records import findings_json

    return findings_json(findings) if isinstance(findings, Findings) else attack_json(findings)


def _csv(findings: Reported, lang: str) -> str:  # noqa: ARG001
    from bertillon.core.escaping import for_spreadsheets
    from bertillon.render.records import findings_csv

    if isinstance(findings, Findings):
        return findings_csv(findings)
    return for_spreadsheets(findings.to_frame()).write_csv()


WRITERS: dict[str, Callable[[Reported, str], str]] = {
    ".html": _html,
    ".md": _markdown,
    ".tex": _latex,
    ".json": _json,
    ".csv": _csv,
}


def _writer(path: Path) -> Callable[[Reported, str], str]:
    if path.suffix.lower() not in WRITERS:
        known = ", ".join(WRITERS)
        raise InputError(
            f"--report: {path}: the suffix {path.suffix!r} is not known; expected a file that ends in {known}"
        )
    return WRITERS[path.suffix.lower()]
