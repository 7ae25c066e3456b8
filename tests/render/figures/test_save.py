"""Figures as files: whole, the same every time, and clear about what went wrong."""

from __future__ import annotations

import errno
import os
import re
import threading

import pytest
from render.figures.drawing import KINDS, make_figure

import bertillon as bt
from bertillon.core import InputError
from bertillon.render import FORMATS, figures_of, render, save_all, save_figures

STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def test_every_figure_is_written_in_every_format(tmp_path, t1):
    folder = tmp_path / "new" / "figures"
    written = save_all(figures_of("verification", [t1]), folder)
    assert written == [folder / f"{kind}.{form}" for kind in KINDS for form in ("pdf", "png")]
    assert set(folder.iterdir()) == set(written)
    for path in written:
        assert path.read_bytes().startswith(STARTS[path.suffix[1:]])


def evaluations() -> dict[str, bt.Evaluation | bt.Evaluation | bt.Evaluation]:
    """One of each mode, and a figure that only this mode has."""
    return {
        "det-normal": bt.evaluate(bt.ScoreSet([0.4, 0.7, 0.8], [0.1, 0.2, 0.5])),
        "cmc": bt.evaluate(bt.SearchSet.from_ranks([1, 1, 2, 3], gallery_size=10), ["RR"]),
        "confusion": bt.evaluate(bt.Predictions.from_labels([0, 1, 1], [0, 1, 0])),
    }


def test_evaluations_of_every_mode_are_drawn_by_one_function(tmp_path):
    for own, evaluation in evaluations().items():
        written = save_figures([evaluation], tmp_path / own, formats=("png",))
        assert tmp_path / own / f"{own}.png" in written
        assert all(path.read_bytes().startswith(STARTS["png"]) for path in written)


def test_nothing_to_draw_is_said(tmp_path):
    with pytest.raises(InputError, match="no systems to draw; expected at least one"):
        save_figures([], tmp_path)


def test_formats_are_taken_once_and_in_any_case(tmp_path, t1):
    written = save_all(figures_of("verification", [t1]), tmp_path, formats=("PNG", "png"))
    assert [path.name for path in written] == [f"{kind}.png" for kind in KINDS]


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_systems_give_the_same_bytes(t1, make_system, form):
    systems = [t1, make_system([2, 3, 5], [1, 2], name="second")]
    for kind in KINDS:
        assert render(make_figure(kind, systems), form) == render(make_figure(kind, systems), form)


def test_a_figure_is_the_same_whatever_was_written_before(t1):
    for kind in KINDS:
        figure = make_figure(kind, [t1])
        first = render(figure, "svg")
        render(figure, "png")
        assert render(figure, "svg") == first


def test_no_date_is_left_in_a_file(t1):
    figure = make_figure("roc", [t1])
    assert b"<dc:date>" not in render(figure, "svg")
    assert b"CreationDate" not in render(figure, "pdf")
    assert re.search(rb"20\d\d-\d\d-\d\d", render(figure, "svg")) is None


def test_an_existing_file_is_replaced(tmp_path, t1):
    (tmp_path / "roc.png").write_text("old")
    save_all(figures_of("verification", [t1]), tmp_path, formats=("png",))
    assert (tmp_path / "roc.png").read_bytes().startswith(b"\x89PNG")


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path, t1):
    with pytest.raises(InputError, match="figure format 'gif' is not known; expected png, svg, pdf"):
        save_all(figures_of("verification", [t1]), tmp_path / "out", formats=("png", "gif"))
    assert not (tmp_path / "out").exists()


def test_a_file_in_place_of_the_folder_is_said(tmp_path, t1):
    (tmp_path / "taken").write_text("mine")
    for folder in (tmp_path / "taken", tmp_path / "taken" / "deeper"):
        with pytest.raises(InputError, match=r"taken.*: cannot be made a folder"):
            save_all(figures_of("verification", [t1]), folder, formats=("png",))
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_full_disk_leaves_the_old_file_and_no_rest(tmp_path, t1, monkeypatch):
    (tmp_path / "roc.png").write_text("old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"roc.png: cannot be written \(No space left on device\)"):
        save_all(figures_of("verification", [t1]), tmp_path, formats=("png",))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("roc.png", "old")]


def test_a_folder_in_place_of_a_file_is_said_and_leaves_no_rest(tmp_path, t1):
    (tmp_path / "roc.png").mkdir()
    with pytest.raises(InputError, match=r"roc.png: exists and is not a regular file"):
        save_all(figures_of("verification", [t1]), tmp_path, formats=("png",))
    assert [path.name for path in tmp_path.iterdir()] == ["roc.png"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to the administrator")
def test_a_folder_without_permission_is_said(tmp_path, t1):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match=r"roc.png: cannot be written \(Permission denied\)"):
            save_all(figures_of("verification", [t1]), tmp_path, formats=("png",))
    finally:
        tmp_path.chmod(0o700)


def test_two_threads_may_save_at_once(tmp_path, t1):
    alone = {
        path.name: path.read_bytes()
        for path in save_all(figures_of("verification", [t1]), tmp_path / "alone", formats=("svg",))
    }
    threads = [
        threading.Thread(
            target=save_all, args=(figures_of("verification", [t1]), tmp_path / str(i)), kwargs={"formats": ("svg",)}
        )
        for i in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(2):
        assert {path.name: path.read_bytes() for path in (tmp_path / str(i)).iterdir()} == alone
