"""A bar that shows only when somebody watches and has waited."""

from __future__ import annotations

import io
import sys

import pytest

from bertillon.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def work(bar: progress.Bar) -> None:
    with bar:
        bar.begin(1000, "comparing")
        for _ in range(10):
            bar.advance(100)


def test_slow_work_shows_what_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    work(progress.Bar())
    shown = sys.stderr.getvalue()
    assert "comparing" in shown
    assert "/s" in shown


def test_quick_work_and_work_nobody_watches_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    work(progress.Bar())
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    work(progress.Bar())
    assert sys.stderr.getvalue() == ""
