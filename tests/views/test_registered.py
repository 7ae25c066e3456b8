"""A finding that nobody shows is refused; how one of another package is shown is tested in tests/packages/extras."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from bertillon.core import InputError
from bertillon.render import write_report
from bertillon.views import document_of


@dataclass(frozen=True)
class Unknown:
    """Nobody says how this is shown."""


def test_a_finding_that_nobody_shows_or_writes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="Unknown has no view; expected a finding whose type is given to register_view"
    ):
        document_of(Unknown())
    with pytest.raises(InputError, match="Unknown cannot be written as JSON"):
        write_report(Unknown(), tmp_path / "out.json")
    with pytest.raises(InputError, match="Unknown cannot be written as CSV"):
        write_report(Unknown(), tmp_path / "out.csv")
