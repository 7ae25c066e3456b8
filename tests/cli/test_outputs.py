"""Figures and reports asked for on the command line."""

from __future__ import annotations

import json
from inspect import signature
from pathlib import Path
from typing import get_args

import pytest

import bertillon as bt
from bertillon.cli import FigureFormat
from bertillon.render import FORMATS, WRITERS


def test_the_formats_offered_are_those_that_can_be_written() -> None:
    assert list(get_args(FigureFormat)) == list(FORMATS)


def test_only_the_formats_asked_for_are_drawn(bertillon, table) -> None:
    ran = bertillon("verify", table, "--figures", "out", "--figure-format", "svg", "--no-intervals")
    assert ran.code == 0
    assert {path.suffix for path in Path("out").iterdir()} == {".svg"}
    assert "6 figures written to out" in ran.out


def test_figures_are_for_print_and_for_the_screen_unless_asked_otherwise(bertillon, table) -> None:
    ran = bertillon("verify", table, "--figures", "out", "--no-intervals")
    assert ran.code == 0
    assert {path.suffix for path in Path("out").iterdir()} == {".pdf", ".png"}
    assert set(signature(bt.save_figures).parameters["formats"].default) == {"pdf", "png"}


def test_a_format_without_a_folder_and_an_unknown_one_are_refused(bertillon, table) -> None:
    ran = bertillon("verify", table, "--figure-format", "svg")
    assert (ran.code, "say where with --figures FOLDER" in ran.err) == (2, True)
    assert bertillon("verify", table, "--figures", "out", "--figure-format", "gif").code == 2
    assert not Path("out").exists()


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_report_of_every_kind(bertillon, table, suffix) -> None:
    ran = bertillon("verify", table, "--no-intervals", "--report", f"out{suffix}")
    assert ran.code == 0
    assert f"report written to out{suffix}" in ran.out
    text = Path(f"out{suffix}").read_text()
    assert "EER" in text
    if suffix == ".json":
        assert json.loads(text)["mode"] == "verification"


def test_an_unknown_kind_of_report_is_refused_before_anything_is_read(bertillon) -> None:
    ran = bertillon("verify", "nothing.csv", "--report", "out.doc")
    assert ran.code == 2
    assert "the suffix '.doc' is not known; expected a file that ends in .html, .md, .tex, .json, .csv" in ran.err
