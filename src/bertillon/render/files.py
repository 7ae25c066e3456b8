"""Reports as files: the suffix of the path says which kind.

Holds `check_report`, to be called before the work begins, and `write_report`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from bertillon.analysis.attacks import AttackFinding
from bertillon.core.errors import InputError
from bertillon.core.files import write_whole
from bertillon.core.messages import catalogue as load_catalogue
from bertillon.views.page.model import Page
from bertillon.views.report_content import ReportContent

Path_ = str | os.PathLike[str]
Reportable = ReportContent | AttackFinding


def check_report(path: Path_ | None, lang: str) -> None:
    """Refuse a suffix or a language that is not known before anything is read or measured."""
    load_catalogue(lang)
    if path is not None:
        _writer(Path(path))


def write_report(content: Reportable, path: Path_, *, lang: str = "en") -> Path:
    """Write the report whole or not at all."""
    target = Path(path)
    text = _writer(target)(content, lang).encode()
    write_whole(target, lambda file: file.write(text))
    return target


def _page(content: Reportable, lang: str) -> Page:
    from bertillon.views.attacks import attack_page
    from bertillon.views.page.build import page_of

    return page_of(content, lang) if isinstance(content, ReportContent) else attack_page(content, lang)


def _html(content: Reportable, lang: str) -> str:
    from bertillon.render.page import html_text

    return html_text(_page(content, lang))


def _markdown(content: Reportable, lang: str) -> str:
    from bertillon.render.markdown import markdown_text

    return markdown_text(_page(content, lang))


def _latex(content: Reportable, lang: str) -> str:
    from bertillon.advice.warnings import interval_sentences
    from bertillon.render.latex import latex_text

    known = [evaluation.intervals for evaluation in content.evaluations] if isinstance(content, ReportContent) else []
    catalogue = load_catalogue(lang)
    return latex_text(_page(content, lang), [catalogue.text(message) for message in interval_sentences(known)])


def _json(content: Reportable, lang: str) -> str:  # noqa: ARG001 - programs read one language
    from bertillon.render.attacks import attack_json
    from bertillon.render.records import report_json

    return report_json(content) if isinstance(content, ReportContent) else attack_json(content)


def _csv(content: Reportable, lang: str) -> str:  # noqa: ARG001
    from bertillon.core.escaping import for_spreadsheets
    from bertillon.render.records import report_csv

    if isinstance(content, ReportContent):
        return report_csv(content)
    return for_spreadsheets(content.to_frame()).write_csv()


WRITERS: dict[str, Callable[[Reportable, str], str]] = {
    ".html": _html,
    ".md": _markdown,
    ".tex": _latex,
    ".json": _json,
    ".csv": _csv,
}


def _writer(path: Path) -> Callable[[Reportable, str], str]:
    if path.suffix.lower() not in WRITERS:
        known = ", ".join(WRITERS)
        raise InputError(
            f"--report: {path}: the suffix {path.suffix!r} is not known; expected a file that ends in {known}"
        )
    return WRITERS[path.suffix.lower()]
