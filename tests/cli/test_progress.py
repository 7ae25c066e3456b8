"""A bar that shows only when somebody watches and has waited."""

from __future__ import annotations

import io
import re
import sys

import pytest

from bertillon.cli import outputs


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def work(bar: outputs.Bar) -> None:
    with bar:
        bar.begin(1000, "comparing")
        for _ in range(10):
            bar.advance(100)


def test_slow_work_shows_what_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "PATIENCE", -1.0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    work(outputs.Bar())
    shown = sys.stderr.getvalue()
    assert "comparing" in shown
    assert "/s" in shown
    assert re.search(r"\d+ MB", shown)  # memory in use


def test_work_done_before_is_not_counted_into_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """10 of 1,000,010 steps in a second are 10 a second, not a million."""
    clock = iter([0.0, 1.0, 1.0, 1.0])
    monkeypatch.setattr(outputs, "PATIENCE", -1.0)
    monkeypatch.setattr(outputs.time, "monotonic", lambda: next(clock, 1.0))
    monkeypatch.setattr(sys, "stderr", Terminal())
    with outputs.Bar() as bar:
        bar.begin(2_000_000, "comparing")
        bar.resume(1_000_000)
        bar.advance(10)
        assert bar._display.tasks[0].fields["rate"] == "10/s"
        assert bar._display.tasks[0].completed == 1_000_010


@pytest.mark.parametrize(("number", "text"), [(0.5, "0.5"), (12345, "12.3 k"), (3.2e7, "32 M"), (2.5e9, "2.5 G")])
def test_rates_are_short(number: float, text: str) -> None:
    assert outputs._short(number) == text


def test_quick_work_and_work_nobody_watches_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    work(outputs.Bar())
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(outputs, "PATIENCE", -1.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    work(outputs.Bar())
    assert sys.stderr.getvalue() == ""
