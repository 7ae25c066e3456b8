"""Reports as files: known by their suffix, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from views.page.cases import verified

from bertillon.core import InputError
from bertillon.render import check_report, write_report
from bertillon.views import ReportContent


def test_an_html_report_is_written(tmp_path: Path) -> None:
    written = write_report(ReportContent([verified()]), tmp_path / "Out.HTML", lang="it")
    assert written.read_text(encoding="utf-8").startswith('<!doctype html>\n<html lang="it"')


@pytest.mark.parametrize("name", ["out", "out.pdf", "out.htm.exe"])
def test_an_unknown_suffix_is_refused_before_anything_is_done(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"suffix .* is not known; expected .*\.html"):
        check_report(tmp_path / name, "en")
    with pytest.raises(InputError, match="is not known"):
        write_report(ReportContent([verified()]), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_language_is_refused_even_without_a_report() -> None:
    with pytest.raises(InputError, match="'xx' is not known"):
        check_report(None, "xx")


def test_a_folder_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_report(ReportContent([verified()]), tmp_path / "missing" / "out.html")
