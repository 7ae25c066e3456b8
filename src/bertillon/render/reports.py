"""Reports as files, of which the suffix of the path says the kind, with a title, an author, notes and pictures.

Conventions: every file is whole or not there at all. Pictures of Markdown and LaTeX lie in a folder beside the file,
called after it; all are drawn before the first is written, and the report comes last. Standard output and the summary
of a step have none. The page draws its charts itself. The date is that of the writing, or of SOURCE_DATE_EPOCH.

Holds `check_report`, to be called before the work begins, `write_report` and `markdown_report`; `takes_cover`,
`notes_text` and `notes_given`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Unpack

from bertillon.core import InputError, make_folder, write_whole
from bertillon.core.arguments import as_path, describe
from bertillon.core.messages import catalogue as load_catalogue
from bertillon.core.messages import speaking
from bertillon.core.showing import AROUND, Around, Finding
from bertillon.evaluation import AnyEvaluation, Evaluation
from bertillon.views.assembling import ReportContent, page_of
from bertillon.views.document import Cover, Picture

Path_ = str | os.PathLike[str]
STANDARD_OUTPUT = "-"
READERS = (".html", ".md", ".tex")  # reports that people read
PICTURES = {".md": "png", ".tex": "pdf"}  # and the format of the pictures beside them
LONGEST_NOTES = 1_000_000  # bytes
TEXT_FILE = re.compile(r"\S+\.(txt|md)", re.IGNORECASE)


def check_report(path: Path_ | None, lang: str) -> None:
    """Refuse a suffix or a language that is not known before anything is read or measured."""
    load_catalogue(lang)
    if path is not None and str(path) != STANDARD_OUTPUT:
        _suffix(Path(path))


@AROUND
def write_report(
    finding: Any,
    path: Path_,
    **around: Unpack[Around],
) -> Path:
    """Write the report on a finding, on evaluations beside each other, or on a `ReportContent`, whole or not at all.

    Parameters
    ----------
    finding
        What `bt.evaluate`, `bt.compare` and others return, or a list of evaluations.
    path
        The file; its suffix says which kind: .html, .md, .tex, .json or .csv. Beside .md and .tex stands a folder with
        the figures.
    **around
        The language `lang` (en, it, es or zh), and for people a `title`, an `author`, and `notes`: a text that stands
        before the numbers, its paragraphs apart by empty lines, or a `Path` to a file that holds it.

    Returns
    -------
    Path
        The file written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import bertillon as bt
    >>> e = bt.evaluate([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])
    >>> bt.write_report(e, pathlib.Path(tempfile.mkdtemp()) / "out.html", title="Gate 4").name
    'out.html'
    """
    target = as_path(path, "the report")
    if isinstance(finding, list | tuple):
        finding = ReportContent.of(_evaluations(finding))
    suffix = _suffix(target)
    cover, lang = _cover(**around), around["lang"]
    if cover.given and suffix not in READERS:
        raise InputError(f"{target}: a {suffix} file has no title, author or notes; write {', '.join(READERS)}")
    summary = _is_step_summary(target)
    pictures = {} if summary else _pictures(finding, target, lang)
    text = WRITERS[suffix](finding, lang, cover=cover, pictures=tuple(pictures)).encode()
    for picture, content in pictures.items():
        make_folder(target.parent / Path(picture.file).parent)
        write_whole(target.parent / picture.file, partial(_put, content))
    before = target.read_bytes() if summary and target.is_file() else b""
    write_whole(target, partial(_put, before + text))
    return target


def _evaluations(given: Sequence[Any]) -> Sequence[AnyEvaluation]:
    """Several evaluations, each what it should be."""
    wrong = [each for each in given if not isinstance(each, Evaluation)]
    if wrong or not given:
        found = describe(wrong[0]) if wrong else "nothing"
        raise InputError(f"the list of a report holds {found}; expected what bt.evaluate returns")
    return given


def takes_cover(path: Path_) -> bool:
    """Is it a report that people read, with room for a title, an author and notes?"""
    return str(path) == STANDARD_OUTPUT or _suffix(Path(path)) in READERS


@AROUND
def markdown_report(finding: Any, **around: Unpack[Around]) -> str:
    """The report on a finding as Markdown, for standard output."""
    return WRITERS[".md"](finding, around["lang"], cover=_cover(**around))


def notes_text(notes: str | os.PathLike[str]) -> str:
    """The notes themselves, from a file where they are a path."""
    if isinstance(notes, str):
        return notes
    try:
        content = Path(notes).read_bytes()
    except OSError as error:
        raise InputError(f"notes: {notes}: cannot be read ({error.strerror}); expected a text file") from error
    if len(content) > LONGEST_NOTES:
        raise InputError(f"notes: {notes}: has {len(content):,} bytes; expected a text of at most {LONGEST_NOTES:,}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"notes: {notes}: byte {error.start + 1:,} is not UTF-8; save it as UTF-8 text") from error


def notes_given(text: str) -> str:
    """Notes as somebody typed them: a text, or the name of a file that holds it."""
    if os.path.isfile(text):
        return notes_text(Path(text))
    if TEXT_FILE.fullmatch(text):
        raise InputError(f"notes: there is no file {text}; name one that is there, or give the text itself")
    return text


def _cover(**around: Unpack[Around]) -> Cover:
    title, author, notes = around["title"], around["author"], notes_text(around["notes"])
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", notes.replace("\r\n", "\n")))
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    today = datetime.fromtimestamp(int(epoch), UTC).date() if epoch.isdecimal() else date.today()
    return Cover(title.strip(), author.strip(), tuple(part for part in paragraphs if part), today.isoformat())


def _pictures(finding: Any, target: Path, lang: str) -> Mapping[Picture, bytes]:
    """The figures of what was found, each with its content; drawn in the language of the report."""
    form = PICTURES.get(target.suffix.lower())
    if form is None:
        return {}
    from bertillon.render.figures.figure import draw_chart, render  # matplotlib
    from bertillon.render.files import safe_name
    from bertillon.views.figures.registry import charts_of_report  # the figures of all kinds of result

    folder = f"{safe_name(target.stem)}-figures"
    with speaking(lang):
        return {
            Picture(name, load_catalogue(lang).text(caption), f"{folder}/{name}.{form}"): render(
                draw_chart(make()), form
            )
            for name, (caption, make) in charts_of_report(finding).items()
        }


def _put(content: bytes, file: Any) -> None:
    file.write(content)


def _is_step_summary(path: Path) -> bool:
    """The file that GitHub shows beside a job: Markdown, to which every step appends."""
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    return bool(summary) and os.path.realpath(str(summary)) == os.path.realpath(path)


def _document(module: str, function: str, finding: Any, lang: str, **around: Any) -> str:
    """What people read, from a module that is imported when it is needed; `around` are its cover and pictures."""
    shown = finding.for_report() if isinstance(finding, Finding) else finding
    document = replace(page_of(shown, lang), **around)
    text: str = getattr(import_module(f"bertillon.render.{module}"), function)(document)
    return text


def _record(function: str, finding: Any, lang: str, **around: Any) -> str:  # noqa: ARG001 - programs read one language
    text: str = getattr(import_module("bertillon.render.records"), function)(finding)
    return text


WRITERS: dict[str, Callable[..., str]] = {
    ".html": partial(_document, "page", "html_text"),
    ".md": partial(_document, "papers", "markdown_text"),
    ".tex": partial(_document, "papers", "latex_text"),
    ".json": partial(_record, "finding_json"),
    ".csv": partial(_record, "finding_csv"),
}


def _suffix(path: Path) -> str:
    """The suffix of a kind of report that is known."""
    if _is_step_summary(path):
        return ".md"
    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        known = ", ".join(WRITERS)
        raise InputError(
            f"--report: {path}: the suffix {path.suffix!r} is not known; expected a file that ends in {known}"
        )
    return suffix
